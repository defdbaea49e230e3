"""Tasks, events and notes. https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference"""

from typing import ClassVar

from .. import fields as f
from .base import NOT_VIEWED, SObject

WHAT = ("Account", "Campaign", "Case", "Opportunity", "Product2")
TASK_STATUSES = ("Not Started", "In Progress", "Completed", "Waiting on someone else", "Deferred")
TASK_PRIORITIES = ("High", "Normal", "Low")


class Task(SObject, table=True):
    """Something to do, or a call or email that was made."""

    prefix = "00T"
    label, plural = "Task", "Tasks"
    searchable = True
    hidden: ClassVar[frozenset[str]] = NOT_VIEWED

    WhoId: str | None = f.lookup("Name ID", "Contact", "Lead", relation="Who", children="Tasks", cascade=True)
    WhatId: str | None = f.lookup("Related To ID", *WHAT, relation="What", children="Tasks", cascade=True)
    AccountId: str | None = f.lookup(
        "Account ID", "Account", relation="Account", createable=False, updateable=False, derived=True
    )
    Subject: str | None = f.picklist(
        "Subject", ("Call", "Send Letter", "Send Quote", "Other"), kind="combobox", name_field=True
    )
    ActivityDate: str | None = f.date("Due Date Only")
    Status: str | None = f.picklist("Status", TASK_STATUSES, default="Not Started", restricted=True, required=True)
    Priority: str | None = f.picklist("Priority", TASK_PRIORITIES, default="Normal", restricted=True, required=True)
    IsHighPriority: bool = f.system(f.checkbox, "High Priority", calculated=True)
    OwnerId: str | None = f.lookup("Assigned To ID", "Group", "User", relation="Owner", required=True)
    Description: str | None = f.area("Description")
    Type: str | None = f.picklist("Type", ("Call", "Email", "Meeting", "Other"))
    IsClosed: bool = f.system(f.checkbox, "Closed", calculated=True)
    CompletedDateTime: str | None = f.system(f.datetime, "Completed Date")
    IsArchived: bool = f.system(f.checkbox, "Archived")
    CallDurationInSeconds: int | None = f.number("Call Duration")
    CallType: str | None = f.picklist("Call Type", ("Internal", "Inbound", "Outbound"), restricted=True)
    CallDisposition: str | None = f.text("Call Result")
    ReminderDateTime: str | None = f.datetime("Reminder Date/Time")
    IsReminderSet: bool = f.checkbox("Reminder Set")
    TaskSubtype: str | None = f.picklist(
        "Task Subtype",
        ("Task", "Email", "ListEmail", "Cadence", "Call", "LinkedIn"),
        default="Task",
        restricted=True,
        updateable=False,
    )


class Event(SObject, table=True):
    """A meeting in a calendar."""

    prefix = "00U"
    label, plural = "Event", "Events"
    searchable = True
    hidden: ClassVar[frozenset[str]] = NOT_VIEWED

    WhoId: str | None = f.lookup("Name ID", "Contact", "Lead", relation="Who", children="Events", cascade=True)
    WhatId: str | None = f.lookup("Related To ID", *WHAT, relation="What", children="Events", cascade=True)
    AccountId: str | None = f.lookup(
        "Account ID", "Account", relation="Account", createable=False, updateable=False, derived=True
    )
    Subject: str | None = f.picklist(
        "Subject", ("Call", "Email", "Meeting", "Send Letter/Quote", "Other"), kind="combobox", name_field=True
    )
    Location: str | None = f.text("Location")
    IsAllDayEvent: bool = f.checkbox("All-Day Event")
    # These three follow from start and end, which diffs show.
    ActivityDateTime: str | None = f.datetime("Due Date Time", derived=True)
    ActivityDate: str | None = f.date("Due Date Only", derived=True)
    DurationInMinutes: int | None = f.number("Duration", derived=True)
    StartDateTime: str | None = f.datetime("Start Date Time")
    EndDateTime: str | None = f.datetime("End Date Time")
    Description: str | None = f.area("Description")
    OwnerId: str | None = f.lookup("Assigned To ID", "User", relation="Owner", required=True)
    Type: str | None = f.picklist("Type", ("Email", "Meeting", "Other", "Call"))
    IsPrivate: bool = f.checkbox("Private")
    ShowAs: str | None = f.picklist("Show Time As", ("Busy", "OutOfOffice", "Free"), default="Busy", restricted=True)
    IsArchived: bool = f.system(f.checkbox, "Archived")
    ReminderDateTime: str | None = f.datetime("Reminder Date/Time")
    IsReminderSet: bool = f.checkbox("Reminder Set")
    EventSubtype: str | None = f.picklist(
        "Event Subtype", ("Event",), default="Event", restricted=True, updateable=False
    )


class Note(SObject, table=True):
    """A plain note on a record."""

    prefix = "002"
    label, plural = "Note", "Notes"
    searchable = True
    hidden: ClassVar[frozenset[str]] = NOT_VIEWED

    ParentId: str | None = f.lookup(
        "Parent ID",
        *WHAT,
        "Contact",
        "Lead",
        relation="Parent",
        children="Notes",
        cascade=True,
        required=True,
        updateable=False,
    )
    Title: str | None = f.text("Title", 80, required=True, name_field=True)
    IsPrivate: bool = f.checkbox("Private")
    Body: str | None = f.area("Body")
    OwnerId: str | None = f.lookup("Owner ID", "User", relation="Owner", required=True)


class ContentNote(SObject, table=True):
    """A note of the enhanced kind: its content is base64 and it is linked to records by ContentDocumentLink."""

    prefix = "069"
    label, plural = "Note", "Notes"

    Title: str | None = f.text("Title", required=True, name_field=True)
    Content: str | None = f.text("Content", 10_000_000, kind="base64")
    TextPreview: str | None = f.system(f.text, "Text Preview")
    ContentSize: int | None = f.system(f.number, "Content Size")
    FileType: str | None = f.system(f.text, "File Type", 20)
    OwnerId: str | None = f.lookup("Owner ID", "User", relation="Owner", required=True)
    SharingPrivacy: str | None = f.picklist("File Privacy on Records", ("N", "P"), default="N", restricted=True)


class ContentDocumentLink(SObject, table=True):
    """Where a note or file is shown."""

    prefix = "06A"
    label, plural = "Content Document Link", "Content Document Links"
    hidden: ClassVar[frozenset[str]] = NOT_VIEWED | {
        "CreatedDate",
        "CreatedById",
        "LastModifiedDate",
        "LastModifiedById",
    }

    LinkedEntityId: str | None = f.lookup(
        "Linked Entity ID", *WHAT, "Contact", "Lead", "User", relation="LinkedEntity", children="ContentDocumentLinks", cascade=True,
        required=True, updateable=False,
    )  # fmt: skip
    ContentDocumentId: str | None = f.lookup(
        "ContentDocument ID", "ContentNote", relation="ContentDocument", children="ContentDocumentLinks", cascade=True, required=True,
        updateable=False,
    )  # fmt: skip
    ShareType: str | None = f.picklist("Share Type", ("V", "C", "I"), default="V", restricted=True)
    Visibility: str | None = f.picklist(
        "Visibility", ("AllUsers", "InternalUsers", "SharedUsers"), default="AllUsers", restricted=True
    )
