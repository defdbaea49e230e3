"""Engagements: tasks, notes, calls, meetings, e-mails."""

from typing import ClassVar

from .. import fields as f
from .base import CrmObject


class Task(CrmObject, table=True):
    """Something to be done. `hs_timestamp` is when it is due."""

    type_id: ClassVar[str] = "0-27"
    singular: ClassVar[str] = "task"
    plural: ClassVar[str] = "tasks"
    label: ClassVar[str] = "Task"
    searched: ClassVar[tuple[str, ...]] = ("hs_task_subject", "hs_task_body")
    required: ClassVar[tuple[str, ...]] = ("hs_timestamp",)
    primary: ClassVar[str] = "hs_task_subject"
    group: ClassVar[str] = "task"

    hs_timestamp: str | None = f.datetime("Due date", "When the task is due.")
    hs_task_subject: str | None = f.text("Task Title", "The task's title.")
    hs_task_body: str | None = f.html("Task Notes", "What is to be done.")
    hs_task_status: str | None = f.choice("Task Status", "NOT_STARTED IN_PROGRESS WAITING COMPLETED DEFERRED")
    hs_task_priority: str | None = f.choice("Priority", "NONE LOW MEDIUM HIGH")
    hs_task_type: str | None = f.choice("Task Type", "TODO EMAIL CALL LINKED_IN MEETING")
    hs_task_reminders: str | None = f.text("Reminders")
    hubspot_owner_id: str | None = f.owner("Assigned to")
    hs_task_is_completed: float | None = f.counted("Is completed")
    hs_task_completion_date: str | None = f.datetime("Completed at", fixed=True, derived=True)


class Note(CrmObject, table=True):
    """A note on other records."""

    type_id: ClassVar[str] = "0-46"
    singular: ClassVar[str] = "note"
    plural: ClassVar[str] = "notes"
    label: ClassVar[str] = "Note"
    searched: ClassVar[tuple[str, ...]] = ("hs_note_body",)
    required: ClassVar[tuple[str, ...]] = ("hs_timestamp",)
    primary: ClassVar[str] = "hs_note_body"
    group: ClassVar[str] = "note"

    hs_timestamp: str | None = f.datetime("Activity date", "When the note was taken.")
    hs_note_body: str | None = f.html("Note body", "What the note says, as HTML or plain text.")
    hs_attachment_ids: str | None = f.text("Attached file IDs")
    hubspot_owner_id: str | None = f.owner("Activity assigned to")


class Call(CrmObject, table=True):
    """A phone call."""

    type_id: ClassVar[str] = "0-48"
    singular: ClassVar[str] = "call"
    plural: ClassVar[str] = "calls"
    label: ClassVar[str] = "Call"
    searched: ClassVar[tuple[str, ...]] = ("hs_call_title", "hs_call_body")
    required: ClassVar[tuple[str, ...]] = ("hs_timestamp",)
    primary: ClassVar[str] = "hs_call_title"
    group: ClassVar[str] = "call"

    hs_timestamp: str | None = f.datetime("Activity date", "When the call takes place.")
    hs_call_title: str | None = f.text("Call Title")
    hs_call_body: str | None = f.html("Call notes")
    hs_call_status: str | None = f.choice(
        "Call Status",
        "BUSY CALLING_CRM_USER CANCELED COMPLETED CONNECTING FAILED IN_PROGRESS NO_ANSWER QUEUED RINGING SCHEDULED",
    )
    hs_call_direction: str | None = f.choice("Call direction", "INBOUND OUTBOUND")
    hs_call_duration: float | None = f.number("Call duration", "In milliseconds.")
    hs_call_disposition: str | None = f.text("Call outcome")
    hs_call_from_number: str | None = f.phone("From number")
    hs_call_to_number: str | None = f.phone("To number")
    hs_call_recording_url: str | None = f.text("Recording URL")
    hubspot_owner_id: str | None = f.owner("Activity assigned to")


class Meeting(CrmObject, table=True):
    """A meeting."""

    type_id: ClassVar[str] = "0-47"
    singular: ClassVar[str] = "meeting"
    plural: ClassVar[str] = "meetings"
    label: ClassVar[str] = "Meeting"
    searched: ClassVar[tuple[str, ...]] = ("hs_meeting_title", "hs_meeting_body")
    required: ClassVar[tuple[str, ...]] = ("hs_timestamp",)
    primary: ClassVar[str] = "hs_meeting_title"
    group: ClassVar[str] = "meeting"

    hs_timestamp: str | None = f.datetime("Activity date", "When the meeting takes place.")
    hs_meeting_title: str | None = f.text("Meeting name")
    hs_meeting_body: str | None = f.html("Meeting description")
    hs_internal_meeting_notes: str | None = f.area("Internal meeting notes")
    hs_meeting_start_time: str | None = f.datetime("Meeting start time")
    hs_meeting_end_time: str | None = f.datetime("Meeting end time")
    hs_meeting_location: str | None = f.text("Location")
    hs_meeting_external_url: str | None = f.text("External calendar URL")
    hs_meeting_outcome: str | None = f.choice("Meeting outcome", "SCHEDULED COMPLETED RESCHEDULED NO_SHOW CANCELED")
    hs_activity_type: str | None = f.text("Meeting type")
    hubspot_owner_id: str | None = f.owner("Activity assigned to")


class Email(CrmObject, table=True):
    """An e-mail logged on other records. Logging one sends nothing."""

    type_id: ClassVar[str] = "0-49"
    singular: ClassVar[str] = "email"
    plural: ClassVar[str] = "emails"
    label: ClassVar[str] = "Email"
    searched: ClassVar[tuple[str, ...]] = ("hs_email_subject", "hs_email_text")
    required: ClassVar[tuple[str, ...]] = ("hs_timestamp",)
    primary: ClassVar[str] = "hs_email_subject"
    group: ClassVar[str] = "email"

    hs_timestamp: str | None = f.datetime("Activity date", "When the e-mail was sent.")
    hs_email_subject: str | None = f.text("Email subject")
    hs_email_text: str | None = f.area("Text body")
    hs_email_html: str | None = f.html("HTML body")
    hs_email_direction: str | None = f.choice("Email direction", "EMAIL INCOMING_EMAIL FORWARDED_EMAIL")
    hs_email_status: str | None = f.choice("Email send status", "BOUNCED FAILED SCHEDULED SENDING SENT")
    hs_email_headers: str | None = f.area("Email headers", "From, to and copies, as JSON.")
    hubspot_owner_id: str | None = f.owner("Activity assigned to")
