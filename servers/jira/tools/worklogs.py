"""Logged work. https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-worklogs/"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import Body, Ctx, Query

from .. import access, resources, worktime
from ..app import IssueKey, Limit, StartAt, app, done
from ..models import Worklog

Adjust = Annotated[Literal["auto", "leave", "manual", "new"], Query("adjustEstimate")]
New = Annotated[str | None, Query("newEstimate")]
Spent = Annotated[str | None, Body("timeSpent")]
Seconds = Annotated[int | str | None, Body(mcp=False)]
Hidden = Annotated[Any, Query(mcp=False)]


@app.get("/rest/api/{api}/issue/{issue_key}/worklog", tool="get_worklog")
def get_worklog(
    ctx: Ctx, issue_key: IssueKey, start_at: StartAt = 0, limit: Limit = 5000, startedAfter: Annotated[int | None, Query(mcp=False)] = None,
    startedBefore: Annotated[int | None, Query(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the work that was logged on an issue, oldest first.

    issue_key: The issue's key or id.
    start_at: How many entries to skip.
    limit: The most entries to return.
    """
    row = access.issue(ctx, issue_key)
    found = ctx.db.find(Worklog, issue_id=row.id, order="started,id")
    for bound, after in ((startedAfter, True), (startedBefore, False)):
        if bound is not None:
            found = [w for w in found if (ctx.parse_time(w.started).timestamp() * 1000 >= bound) == after]
    size = min(limit, 5000)
    shown = [resources.worklog(ctx, w) for w in found[start_at : start_at + size]]
    return {"startAt": start_at, "maxResults": size, "total": len(found), "worklogs": shown}


@app.get("/rest/api/{api}/issue/{issue_key}/worklog/{worklog_id}", tool="get_worklog_entry", mcp=False)
def get_worklog_entry(ctx: Ctx, issue_key: IssueKey, worklog_id: str) -> dict[str, Any]:
    """Gets one entry of logged work.

    issue_key: The issue's key or id.
    worklog_id: The entry's id.
    """
    return resources.worklog(ctx, worktime.find(ctx, access.issue(ctx, issue_key), worklog_id))


@app.post("/rest/api/{api}/issue/{issue_key}/worklog", tool="add_worklog", status=201)
def add_worklog(
    ctx: Ctx, issue_key: IssueKey, time_spent: Spent = None, comment: Any = None, started: str | None = None, adjust_estimate: Adjust =
    "auto", new_estimate: New = None, reduce_by: Annotated[str | None, Query("reduceBy")] = None, timeSpentSeconds: Seconds = None,
    notifyUsers: Hidden = True, visibility: Annotated[Any, Body(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Logs work on an issue and lowers its remaining estimate by it.

    issue_key: The issue's key or id.
    time_spent: How long, like 1w 2d 3h 30m; a day has 8 hours, a week 5 days.
    comment: What was done, in Markdown.
    started: When it began, ISO 8601; now where left out.
    adjust_estimate: What becomes of the remaining estimate: auto lowers it by the time spent, leave keeps it, new sets new_estimate,
        manual lowers it by reduce_by.
    new_estimate: The remaining estimate, for adjust_estimate new.
    reduce_by: How much to lower it by, for adjust_estimate manual.
    """
    row = access.writable(ctx, issue_key)
    value = {
        "timeSpent": time_spent, "timeSpentSeconds": timeSpentSeconds, "comment": comment, "started": started, "visibility": visibility,
    }  # fmt: skip
    return resources.worklog(ctx, worktime.add(ctx, row, value, adjust_estimate, new_estimate, reduce_by))


@app.put("/rest/api/{api}/issue/{issue_key}/worklog/{worklog_id}", tool="update_worklog", mcp=False)
def update_worklog(
    ctx: Ctx, issue_key: IssueKey, worklog_id: str, time_spent: Spent = None, comment: Any = None, started: str | None = None,
    adjust_estimate: Annotated[Literal["auto", "leave", "new"], Query("adjustEstimate")] = "auto", new_estimate: New = None,
    timeSpentSeconds: Seconds = None, notifyUsers: Hidden = True, visibility: Annotated[Any, Body(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes an entry of logged work. Others' entries are for administrators of the project.

    issue_key: The issue's key or id.
    worklog_id: The entry's id.
    time_spent: How long it took, like 3h 30m.
    comment: What was done, in Markdown.
    started: When it began, ISO 8601.
    adjust_estimate: What becomes of the remaining estimate: auto, leave or new.
    new_estimate: The remaining estimate, for adjust_estimate new.
    """
    row = access.writable(ctx, issue_key)
    entry = worktime.find(ctx, row, worklog_id)
    value = {
        "timeSpent": time_spent, "timeSpentSeconds": timeSpentSeconds, "comment": comment, "started": started, "visibility": visibility,
    }  # fmt: skip
    return resources.worklog(ctx, worktime.edit(ctx, row, entry, value, adjust_estimate, new_estimate))


@app.delete("/rest/api/{api}/issue/{issue_key}/worklog/{worklog_id}", tool="delete_worklog", status=204)
def delete_worklog(
    ctx: Ctx, issue_key: IssueKey, worklog_id: str, adjust_estimate: Adjust = "auto", new_estimate: New = None,
    increase_by: Annotated[str | None, Query("increaseBy")] = None, notifyUsers: Hidden = True,
) -> Any:  # fmt: skip
    """Deletes an entry of logged work and gives its time back to the remaining estimate.

    issue_key: The issue's key or id.
    worklog_id: The entry's id.
    adjust_estimate: What becomes of the remaining estimate: auto, leave, new or manual.
    new_estimate: The remaining estimate, for adjust_estimate new.
    increase_by: How much to raise it by, for adjust_estimate manual.
    """
    row = access.writable(ctx, issue_key)
    entry = worktime.find(ctx, row, worklog_id)
    worktime.remove(ctx, row, entry, adjust_estimate, new_estimate, increase_by)
    return done(ctx, {"deleted": worklog_id})
