"""Boards and sprints: what is on them, how sprints begin and end."""

from typing import Any

from legoenv_mcp.app import ApiError, Ctx

from . import access, history, site, times
from .app import refuse
from .jql import run
from .jql.schema import SPRINTS
from .models import Board, Filter, Issue, Project, Sprint

OPEN = f"EXISTS (SELECT 1 FROM json_each({SPRINTS}) j JOIN sprint s ON s.id = j.value WHERE s.state != 'closed')"
BACKLOG = f"NOT {OPEN} AND issue.issuetype NOT IN (?, ?) AND issue.status != ?"
BACKLOG_VALUES = (site.EPIC, site.SUBTASK, site.FINISHED)
IN_SPRINT = f"EXISTS (SELECT 1 FROM json_each({SPRINTS}) j WHERE j.value = ?)"
LONGEST_NAME = 30


def add_project(ctx: Ctx, **columns: Any) -> Project:
    """A new project, with a scrum board over all its issues."""
    row = ctx.db.add(Project(id=ctx.sequence("project", 10000), **columns))
    filter = ctx.db.add(
        Filter(
            id=ctx.sequence("filter", 10000), name=f"Filter for {row.key} board", owner=row.lead or access.me(ctx).accountId,
            jql=f"project = {row.id} ORDER BY Rank ASC",
        )
    )  # fmt: skip
    ctx.db.add(
        Board(id=ctx.sequence("board"), name=f"{row.key} board", type="scrum", filter_id=filter.id, project_id=row.id)
    )
    return row


def query(ctx: Ctx, board: Board) -> str:
    """What is on a board."""
    found = ctx.require(Filter, board.filter_id)
    return found.jql


def search(
    ctx: Ctx, board: Board, jql: str | None, limit: int, offset: int, within: str = "", values: tuple[object, ...] = ()
) -> run.Results:
    """Issues of a board that pass a further query, in the board's order."""
    base = run.parse(query(ctx, board))
    ids = run.condition(ctx, base)
    where = f"({ids[0]})" + (f" AND ({within})" if within else "")
    return run.search(ctx, jql or "", limit, offset, within=where, values=(*ids[1], *values), order="rank")


def drop_board(ctx: Ctx, board: Board) -> None:
    """Removes a board with its sprints; issues leave them. Its filter stays unless it was made with the board."""
    for sprint in ctx.db.find(Sprint, board_id=board.id):
        drop_sprint(ctx, sprint)
    filter = ctx.db.get(Filter, board.filter_id)
    ctx.db.delete(board)
    if filter and filter.name.startswith("Filter for ") and not ctx.db.count(Board, filter_id=filter.id):
        ctx.db.delete(filter)


def holding(ctx: Ctx, sprint: Sprint) -> list[Issue]:
    return ctx.db.where(Issue, "EXISTS (SELECT 1 FROM json_each(issue.sprints) j WHERE j.value = ?)", [sprint.id])


def drop_sprint(ctx: Ctx, sprint: Sprint) -> None:
    for issue in holding(ctx, sprint):
        history.change(ctx, issue, {"sprints": [id for id in issue.sprints if id != sprint.id]})
    ctx.db.delete(sprint)


def put(ctx: Ctx, issue: Issue, sprint: Sprint | None) -> None:
    """Into a sprint, or into the backlog. Closed sprints stay with an issue; sub-tasks go with their parent."""
    if issue.issuetype == site.SUBTASK:
        raise refuse(400, f"Sub-tasks cannot be moved on their own: {issue.key}")
    closed = [s.id for s in ctx.db.find(Sprint, id__in=issue.sprints, state="closed")]
    history.change(ctx, issue, {"sprints": [*closed, *([sprint.id] if sprint else [])]})


def check_dates(start: str | None, end: str | None) -> None:
    if start and end and start >= end:
        raise ApiError(
            400, "", messages=[], errors={"endDate": "The start date of a sprint must be before the end date."}
        )


def begin(ctx: Ctx, sprint: Sprint, changes: dict[str, Any]) -> None:
    """future -> active. A board has one active sprint; a sprint that begins has dates."""
    if sprint.state != "future":
        raise refuse(400, "A sprint can only be started when it is in the future state.")
    start, end = changes.get("startDate", sprint.startDate), changes.get("endDate", sprint.endDate)
    missing = {
        name: f"{name} is required to start a sprint."
        for name, value in (("startDate", start), ("endDate", end))
        if not value
    }
    if missing:
        raise ApiError(400, "", messages=[], errors=missing)
    if ctx.db.count(Sprint, board_id=sprint.board_id, state="active"):
        raise refuse(400, "There is already an active sprint on this board; parallel sprints are not enabled.")


def finish(ctx: Ctx, sprint: Sprint, changes: dict[str, Any]) -> None:
    """active -> closed. What is not done is in the backlog again; like what is done, it keeps the sprint that it was in."""
    if sprint.state != "active":
        raise refuse(400, "A sprint can only be completed when it is in the active state.")
    changes["completeDate"] = times.moment(ctx.now)
