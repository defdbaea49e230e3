"""Sprints. https://developer.atlassian.com/cloud/jira/software/rest/api-group-sprint/"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx

from .. import access, boards, resources, times
from ..app import StartAt, app, done, flat, refuse, refuse_fields
from ..models import Board, Sprint
from .agile import Hidden, Keys, Names, Size, bean, listed

State = Literal["future", "active", "closed"]


@app.get("/rest/agile/{api}/board/{board_id}/sprint", tool="get_sprints_from_board")
def get_sprints_from_board(
    ctx: Ctx, board_id: str, state: Names = None, start_at: StartAt = 0, limit: Size = None
) -> dict[str, Any]:
    """Lists the sprints of a scrum board.

    board_id: The board's id.
    state: Which to return: future, active, closed, or several separated by commas.
    start_at: How many sprints to skip.
    limit: The most sprints to return, up to 50.
    """
    row = _scrum(access.board(ctx, board_id))
    wanted = flat(state)
    if unknown := [s for s in wanted if s not in ("future", "active", "closed")]:
        raise refuse(400, f"The state '{unknown[0]}' is not valid. Valid: future, active, closed.")
    found = ctx.db.find(Sprint, board_id=row.id, state__in=wanted or None)
    return bean(ctx, [resources.sprint(ctx, s) for s in found], start_at, limit)


def _scrum(row: Board) -> Board:
    if row.type == "kanban":
        raise refuse(400, "The board does not support sprints")
    return row


@app.get("/rest/agile/{api}/sprint/{sprint_id}", tool="get_sprint", mcp=False)
def get_sprint(ctx: Ctx, sprint_id: str) -> dict[str, Any]:
    """Gets a sprint: state, dates, goal.

    sprint_id: The sprint's id.
    """
    return resources.sprint(ctx, access.sprint(ctx, sprint_id))


def _name(name: str) -> str:
    if not name.strip():
        raise refuse_fields({"name": "The sprint name must not be empty."})
    if len(name) > boards.LONGEST_NAME:
        raise refuse_fields({"name": f"The sprint name must be shorter than {boards.LONGEST_NAME} characters."})
    return name.strip()


def _dates(**given: Any) -> dict[str, Any]:
    made = dict[str, Any]()
    for name, text in given.items():
        made[name] = times.stored(text) or (times.day(text) and f"{times.day(text)}T00:00:00Z") if text else None
        if text and not made[name]:
            raise refuse_fields(
                {name: f"Invalid date: {text}. The format is ISO 8601, e.g. yyyy-MM-dd'T'HH:mm:ss.SSSXXX."}
            )
    return made


@app.post("/rest/agile/{api}/sprint", tool="create_sprint", status=201)
def create_sprint(
    ctx: Ctx, name: str, board_id: Annotated[int | str, Body("originBoardId")], start_date: Annotated[str | None, Body("startDate")] = None,
    end_date: Annotated[str | None, Body("endDate")] = None, goal: str = "",
) -> dict[str, Any]:  # fmt: skip
    """Plans a sprint on a scrum board. It begins as future; update_sprint starts it.

    name: Its name, at most 30 characters.
    board_id: The board's id.
    start_date: When it is to begin, ISO 8601.
    end_date: When it is to end, ISO 8601.
    goal: What it is for.
    """
    row = _scrum(access.board(ctx, board_id))
    dates = _dates(startDate=start_date, endDate=end_date)
    boards.check_dates(dates["startDate"], dates["endDate"])
    made = ctx.db.add(
        Sprint(
            id=ctx.sequence("sprint"),
            board_id=row.id,
            name=_name(name),
            goal=goal,
            createdDate=times.moment(ctx.now),
            **dates,
        )
    )
    return resources.sprint(ctx, made)


@app.post("/rest/agile/{api}/sprint/{sprint_id}", tool="update_sprint", effect="update", also=("PUT",))
def update_sprint(
    ctx: Ctx, sprint_id: str, name: str | MISSING = MISSING, state: State | MISSING = MISSING, start_date: Annotated[str | None | MISSING,
    Body("startDate")] = MISSING, end_date: Annotated[str | None | MISSING, Body("endDate")] = MISSING, goal: str | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a sprint, starts it (state active; it needs dates, and no other may be active on its board) or completes it (state closed;
    what is not done returns to the backlog).

    sprint_id: The sprint's id.
    name: Its name.
    state: active to start it, closed to complete it.
    start_date: When it begins, ISO 8601.
    end_date: When it ends, ISO 8601.
    goal: What it is for.
    """
    row = access.sprint(ctx, sprint_id)
    changes = dict[str, Any]()
    if name is not MISSING:
        changes["name"] = _name(name)
    if goal is not MISSING:
        changes["goal"] = goal
    given = {k: v for k, v in (("startDate", start_date), ("endDate", end_date)) if v is not MISSING}
    changes |= _dates(**given)
    if row.state == "closed" and (given or (state is not MISSING and state != "closed")):
        raise refuse(400, "A closed sprint cannot be changed other than in name and goal.")
    boards.check_dates(changes.get("startDate", row.startDate), changes.get("endDate", row.endDate))
    if state is not MISSING and state != row.state:
        if state == "future":
            raise refuse(400, "An active sprint cannot be set back to the future state.")
        (boards.begin if state == "active" else boards.finish)(ctx, row, changes)
        changes["state"] = state
    return resources.sprint(ctx, ctx.db.update(row, **changes))


@app.delete("/rest/agile/{api}/sprint/{sprint_id}", tool="delete_sprint", status=204)
def delete_sprint(ctx: Ctx, sprint_id: str) -> Any:
    """Deletes a sprint; its open issues return to the backlog. A closed sprint stays.

    sprint_id: The sprint's id.
    """
    row = access.sprint(ctx, sprint_id)
    if row.state == "closed":
        raise refuse(400, "A closed sprint cannot be deleted.")
    boards.drop_sprint(ctx, row)
    return done(ctx, {"deleted": sprint_id})


@app.get("/rest/agile/{api}/sprint/{sprint_id}/issue", tool="get_sprint_issues")
def get_sprint_issues(
    ctx: Ctx, sprint_id: str, jql: str | None = None, fields: Names = None, start_at: StartAt = 0, limit: Size = None,
    validateQuery: Hidden = None, expand: Hidden = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the issues of a sprint, in their rank.

    sprint_id: The sprint's id.
    jql: A query that they must pass too.
    fields: Which fields to return of each.
    start_at: How many issues to skip.
    limit: The most issues to return, up to 100; by default 20.
    """
    row = access.sprint(ctx, sprint_id)
    return listed(ctx, None, jql, fields, start_at, limit, boards.IN_SPRINT, row.id)


@app.get("/rest/agile/{api}/board/{board_id}/sprint/{sprint_id}/issue", tool="get_board_sprint_issues", mcp=False)
def get_board_sprint_issues(
    ctx: Ctx, board_id: str, sprint_id: str, jql: str | None = None, fields: Names = None, start_at: StartAt = 0, limit: Size = None,
    validateQuery: Hidden = None, expand: Hidden = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the issues of a sprint that are on a board.

    board_id: The board's id.
    sprint_id: The sprint's id.
    jql: A query that they must pass too.
    fields: Which fields to return of each.
    start_at: How many issues to skip.
    limit: The most issues to return.
    """
    row = access.sprint(ctx, sprint_id)
    return listed(ctx, access.board(ctx, board_id), jql, fields, start_at, limit, boards.IN_SPRINT, row.id)


@app.post("/rest/agile/{api}/sprint/{sprint_id}/issue", tool="add_issues_to_sprint", effect="update", status=204)
def add_issues_to_sprint(
    ctx: Ctx, sprint_id: str, issue_keys: Annotated[Keys, Body("issues")], rankBeforeIssue: Annotated[Any, Body(mcp=False)] = None,
    rankAfterIssue: Annotated[Any, Body(mcp=False)] = None,
) -> Any:  # fmt: skip
    """Moves issues into a sprint that is not closed, out of the one they are in.

    sprint_id: The sprint's id.
    issue_keys: Keys of the issues, up to 50.
    """
    row = access.sprint(ctx, sprint_id)
    if row.state == "closed":
        raise refuse(400, "Issues can only be moved to a sprint that is active or in the future.")
    rows = [access.writable(ctx, key) for key in issue_keys]
    for issue in rows:
        boards.put(ctx, issue, row)
    return done(ctx, {"sprint": row.name, "issues": [issue.key for issue in rows]})
