"""Notes, tasks, calls and meetings. https://developers.hubspot.com/docs/api-reference/crm-tasks-v3/guide"""

from typing import Any

from typing_extensions import TypedDict

from legoenv_mcp.app import Ctx

from .. import records
from ..app import app
from ..kinds import KINDS
from ..models import Call, Meeting, Note, Task
from .objects import Link, Value, links, open_keys


@open_keys
class NoteProperties(TypedDict, total=False):
    """A note's properties."""

    hs_timestamp: Value
    hs_note_body: Value
    hubspot_owner_id: Value


@open_keys
class TaskProperties(TypedDict, total=False):
    """A task's properties."""

    hs_timestamp: Value
    hs_task_subject: Value
    hs_task_body: Value
    hs_task_status: Value
    hs_task_priority: Value
    hs_task_type: Value
    hubspot_owner_id: Value


@open_keys
class CallProperties(TypedDict, total=False):
    """A call's properties."""

    hs_timestamp: Value
    hs_call_title: Value
    hs_call_body: Value
    hs_call_status: Value
    hs_call_direction: Value
    hs_call_duration: Value
    hubspot_owner_id: Value


@open_keys
class MeetingProperties(TypedDict, total=False):
    """A meeting's properties."""

    hs_timestamp: Value
    hs_meeting_title: Value
    hs_meeting_body: Value
    hs_meeting_start_time: Value
    hs_meeting_end_time: Value
    hs_meeting_location: Value
    hs_meeting_outcome: Value
    hubspot_owner_id: Value


@app.post("/crm/v3/objects/notes", tool="create_note", status=201)
def create_note(ctx: Ctx, properties: NoteProperties, associations: list[Link] | None = None) -> dict[str, Any]:
    """Creates a note on other records.

    properties: hs_timestamp (when it was taken, required) and hs_note_body.
    associations: Records to put the note on, each {to: {id}, types: [{associationCategory, associationTypeId}]}. Of type HUBSPOT_DEFINED
      are 202 for a contact, 190 for a company, 214 for a deal, 228 for a ticket, 855 for a lead.
    """
    kind = KINDS[Note]
    return records.whole(ctx, kind, records.create(ctx, kind, dict(properties), links(associations)))


@app.post("/crm/v3/objects/tasks", tool="create_task", status=201)
def create_task(ctx: Ctx, properties: TaskProperties, associations: list[Link] | None = None) -> dict[str, Any]:
    """Creates a task. Its status is NOT_STARTED, IN_PROGRESS, WAITING, COMPLETED or DEFERRED, its type TODO, CALL or EMAIL.

    properties: hs_timestamp (when it is due, required), hs_task_subject and others. hubspot_owner_id is who is to do it.
    associations: Records the task is about, each {to: {id}, types: [{associationCategory, associationTypeId}]}. Of type HUBSPOT_DEFINED
      are 204 for a contact, 192 for a company, 216 for a deal, 230 for a ticket, 647 for a lead.
    """
    kind = KINDS[Task]
    return records.whole(ctx, kind, records.create(ctx, kind, dict(properties), links(associations)))


@app.post("/crm/v3/objects/calls", tool="create_call", status=201)
def create_call(ctx: Ctx, properties: CallProperties, associations: list[Link] | None = None) -> dict[str, Any]:
    """Logs a call. Nobody is called by this.

    properties: hs_timestamp (when it takes place, required), hs_call_title, hs_call_body, hs_call_status such as COMPLETED and others.
    associations: Records the call is about, each {to: {id}, types: [{associationCategory, associationTypeId}]}. Of type HUBSPOT_DEFINED
      are 194 for a contact, 182 for a company, 206 for a deal, 220 for a ticket, 595 for a lead.
    """
    kind = KINDS[Call]
    return records.whole(ctx, kind, records.create(ctx, kind, dict(properties), links(associations)))


@app.post("/crm/v3/objects/meetings", tool="create_meeting", status=201)
def create_meeting(ctx: Ctx, properties: MeetingProperties, associations: list[Link] | None = None) -> dict[str, Any]:
    """Logs a meeting. Nobody is invited by this.

    properties: hs_timestamp (when it takes place, required), hs_meeting_title, hs_meeting_start_time, hs_meeting_end_time, outcome and
      others.
    associations: Records the meeting is about, each {to: {id}, types: [{associationCategory, associationTypeId}]}. Of type
      HUBSPOT_DEFINED are 200 for a contact, 188 for a company, 212 for a deal, 226 for a ticket, 599 for a lead.
    """
    kind = KINDS[Meeting]
    return records.whole(ctx, kind, records.create(ctx, kind, dict(properties), links(associations)))
