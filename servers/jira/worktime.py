"""Work logged on issues, and the estimates that it moves. https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-worklogs/"""

from typing import Any

from legoenv_mcp.app import Ctx

from . import access, discussion, history, times
from .app import refuse, refuse_fields
from .models import Issue, Project, Worklog
from .values import Bad, text_of


def find(ctx: Ctx, issue: Issue, id: object) -> Worklog:
    number = access.number(id)
    found = None if number is None else ctx.db.get(Worklog, number)
    if found is None or found.issue_id != issue.id:
        raise refuse(404, f"Cannot find worklog with id: '{id}'.")
    return found


def _amount(value: dict[str, Any]) -> int:
    """`timeSpentSeconds`, else `timeSpent` like 3h 20m."""
    if value.get("timeSpentSeconds") is not None:
        given = value["timeSpentSeconds"]
        number = given if isinstance(given, int) and not isinstance(given, bool) else access.number(given)
        amount = None if number is None or not 0 <= number < 2**40 else number
    elif value.get("timeSpent") is None:
        raise refuse_fields({"timeLogged": "You must indicate the time spent working."})
    else:
        amount = times.seconds(value["timeSpent"])
    if amount is None:
        raise refuse_fields({"timeLogged": "Invalid time duration entered."})
    if amount < 60:
        raise refuse_fields({"timeLogged": "You must indicate the time spent working."})
    return amount


def _started(ctx: Ctx, value: dict[str, Any]) -> str:
    if value.get("started") is None:
        return times.moment(ctx.now)
    found = times.stored(value["started"])
    if found is None:
        raise refuse_fields({"startDate": "Date value is not valid; the format is yyyy-MM-dd'T'HH:mm:ss.SSSZ."})
    return found


def _said(ctx: Ctx, value: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
    if value.get("comment") is None:
        return "", None
    try:
        return text_of(ctx, value["comment"], "Worklog comment is not valid!")
    except Bad as bad:
        raise refuse_fields({"comment": str(bad)}) from None


def remaining(issue: Issue, spent: int, how: str, new: Any, by: Any, more: int = 0) -> int | None:
    """The remaining estimate after `spent` seconds were logged, or `more` given back."""
    held = issue.timeestimate
    if how == "leave":
        return held
    if how == "new":
        amount = times.seconds(new)
        if amount is None:
            raise refuse_fields({"adjustEstimateNewEstimate": "You must supply a valid new estimate."})
        return amount
    if how == "manual":
        amount = times.seconds(by)
        if amount is None:
            raise refuse_fields({"adjustEstimateReduceBy": "You must supply a valid amount of time to adjust by."})
        return max(0, (held or 0) + (amount if more else -amount))
    return max(0, (held or 0) - spent + more)


def add(ctx: Ctx, issue: Issue, value: dict[str, Any], how: str = "auto", new: Any = None, by: Any = None) -> Worklog:
    amount, started = _amount(value), _started(ctx, value)
    text, doc = _said(ctx, value)
    seen = discussion.visibility(ctx, value.get("visibility"))
    estimate = remaining(issue, amount, how, new, by)
    now, author = times.moment(ctx.now), access.me(ctx).accountId
    made = ctx.db.add(
        Worklog(
            id=ctx.sequence("worklog", 10000), issue_id=issue.id, author=author, updateAuthor=author, comment=text, comment_adf=doc,
            started=started, timeSpentSeconds=amount, created=now, updated=now, visibility=seen,
        )
    )  # fmt: skip
    history.change(ctx, issue, {"timespent": (issue.timespent or 0) + amount, "timeestimate": estimate})
    return made


def _require_mine(ctx: Ctx, issue: Issue, row: Worklog, what: str) -> None:
    mine = row.author == access.me(ctx).accountId
    if not mine and not access.administers(ctx, ctx.require(Project, issue.project_id)):
        raise refuse(403, f"You do not have the permission to {what} the worklog with the id: {row.id} in this issue.")


def edit(ctx: Ctx, issue: Issue, row: Worklog, value: dict[str, Any], how: str = "auto", new: Any = None) -> Worklog:
    _require_mine(ctx, issue, row, "edit")
    changes: dict[str, Any] = {"updateAuthor": access.me(ctx).accountId, "updated": times.moment(ctx.now)}
    if value.get("timeSpent") is not None or value.get("timeSpentSeconds") is not None:
        changes["timeSpentSeconds"] = _amount(value)
    if value.get("started") is not None:
        changes["started"] = _started(ctx, value)
    if value.get("comment") is not None:
        changes["comment"], changes["comment_adf"] = _said(ctx, value)
    if value.get("visibility") is not None:
        changes["visibility"] = discussion.visibility(ctx, value["visibility"])
    amount, was = changes.get("timeSpentSeconds", row.timeSpentSeconds), row.timeSpentSeconds
    estimate = remaining(issue, amount - was, how, new, None)
    ctx.db.update(row, **changes)
    history.change(ctx, issue, {"timespent": (issue.timespent or 0) - was + amount, "timeestimate": estimate})
    history.touch(ctx, issue)
    return row


def remove(ctx: Ctx, issue: Issue, row: Worklog, how: str = "auto", new: Any = None, by: Any = None) -> None:
    _require_mine(ctx, issue, row, "delete")
    estimate = remaining(issue, 0, how, new, by, more=row.timeSpentSeconds)
    left = ctx.db.count(Worklog, issue_id=issue.id) > 1
    spent = (issue.timespent or 0) - row.timeSpentSeconds
    ctx.db.delete(row)
    history.change(ctx, issue, {"timespent": spent if left else None, "timeestimate": estimate})
