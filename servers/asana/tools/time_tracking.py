"""Time tracking. https://developers.asana.com/reference/time-tracking-entries"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field, Page

from .. import access, stories
from ..app import API, Fields, Gid, Limit, Offset, Text, app, forbidden
from ..listing import one, page
from ..models import Task, TimeEntry

Minutes = Annotated[int, Field(gt=0, le=525_600)]
Billable = Literal["billable", "nonBillable", "notApplicable"]


@app.get(f"{API}/tasks/{{task_gid}}/time_tracking_entries", tool="get_time_tracking_entries_for_task", mcp=False)
def get_time_tracking_entries_for_task(
    ctx: Ctx, task_gid: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the time that was entered for a task.

    task_gid: The task's gid.
    """
    rows = ctx.db.find(TimeEntry, task=access.task(ctx, task_gid).gid, order="entered_on,gid")
    return page(ctx, rows, opt_fields, limit, offset)


@app.post(f"{API}/tasks/{{task_gid}}/time_tracking_entries", tool="create_time_tracking_entry", status=201, mcp=False)
def create_time_tracking_entry(
    ctx: Ctx, task_gid: Gid, duration_minutes: Minutes, entered_on: str | None = None, attributable_to: Gid | None = None,
    billable_status: Billable = "notApplicable", description: Text = "", opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Enters time for a task.

    task_gid: The task's gid.
    duration_minutes: How long, in minutes.
    entered_on: The day, YYYY-MM-DD; today where left out.
    attributable_to: The gid of the project that it is for.
    billable_status: Whether it is billed.
    description: What was done.
    """
    task = access.task(ctx, task_gid)
    project = access.project(ctx, attributable_to, "attributable_to").gid if attributable_to else None
    row = ctx.db.add(
        TimeEntry(
            gid=access.new_gid(ctx), task=task.gid, duration_minutes=duration_minutes,
            entered_on=access.day(entered_on, "entered_on") or access.today(ctx), description=description, billable_status=billable_status,
            attributable_to=project, created_by=access.me(ctx).gid, created_at=access.now(ctx),
        )
    )  # fmt: skip
    stories.touched(ctx, task)
    return one(ctx, row, opt_fields)


def mine(ctx: Ctx, gid: str) -> TimeEntry:
    row = access.get(ctx, TimeEntry, gid)
    if row.created_by != access.me(ctx).gid:
        raise forbidden("time_tracking_entry")
    return row


@app.get(f"{API}/time_tracking_entries/{{time_tracking_entry_gid}}", tool="get_time_tracking_entry", mcp=False)
def get_time_tracking_entry(ctx: Ctx, time_tracking_entry_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets an entry of time.

    time_tracking_entry_gid: The entry's gid.
    """
    return one(ctx, access.get(ctx, TimeEntry, time_tracking_entry_gid), opt_fields)


@app.put(f"{API}/time_tracking_entries/{{time_tracking_entry_gid}}", tool="update_time_tracking_entry", mcp=False)
def update_time_tracking_entry(
    ctx: Ctx, time_tracking_entry_gid: Gid, duration_minutes: Minutes | MISSING = MISSING, entered_on: str | MISSING = MISSING,
    billable_status: Billable | MISSING = MISSING, description: Text | MISSING = MISSING, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes an entry of time.

    time_tracking_entry_gid: The entry's gid.
    duration_minutes: How long, in minutes.
    entered_on: The day, YYYY-MM-DD.
    billable_status: Whether it is billed.
    description: What was done.
    """
    row, sent = mine(ctx, time_tracking_entry_gid), ctx.sent()
    changes = {name: sent[name] for name in ("duration_minutes", "billable_status", "description") if name in sent}
    if "entered_on" in sent:
        changes["entered_on"] = access.day(sent["entered_on"], "entered_on")
    ctx.db.update(row, **changes)
    return one(ctx, row, opt_fields)


@app.delete(f"{API}/time_tracking_entries/{{time_tracking_entry_gid}}", tool="delete_time_tracking_entry", mcp=False)
def delete_time_tracking_entry(ctx: Ctx, time_tracking_entry_gid: Gid) -> dict[str, Any]:
    """Deletes an entry of time.

    time_tracking_entry_gid: The entry's gid.
    """
    ctx.db.delete(mine(ctx, time_tracking_entry_gid))
    return {}


@app.get(f"{API}/time_tracking_entries", tool="get_time_tracking_entries", mcp=False)
def get_time_tracking_entries(
    ctx: Ctx, task: Gid | None = None, user: Gid | None = None, workspace: Gid | None = None, attributable_to: Gid | None = None,
    entered_on_start_date: str | None = None, entered_on_end_date: str | None = None, limit: Limit = None, offset: Offset = None,
    opt_fields: Fields = None,
) -> Page[Any]:  # fmt: skip
    """Lists entries of time that meet all conditions given.

    task: The task's gid.
    user: Who entered it.
    workspace: The workspace's gid.
    attributable_to: The project that it is for.
    entered_on_start_date: From this day on.
    entered_on_end_date: Until this day.
    """
    if workspace:
        access.in_workspace(ctx, workspace)
    rows = ctx.db.find(
        TimeEntry, order="entered_on,gid", task=access.named(ctx, Task, task, "task").gid if task else None,
        created_by=access.person(ctx, user, "user").gid if user else None, attributable_to=attributable_to,
        entered_on__ge=access.day(entered_on_start_date, "entered_on_start_date"),
        entered_on__le=access.day(entered_on_end_date, "entered_on_end_date"),
    )  # fmt: skip
    return page(ctx, rows, opt_fields, limit, offset)
