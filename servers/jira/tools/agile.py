"""Boards, backlogs, epics and ranks. https://developer.atlassian.com/cloud/jira/software/rest/api-group-board/"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import Body, Ctx, Field, Query

from .. import access, boards, history, issues, resources, site
from ..app import StartAt, app, done, flat, over_mcp, refuse, refuse_fields
from ..jql import run
from ..models import Board, Filter, Issue, Project
from ..values import Bad, Draft, parent

Names = list[str] | str | None
Hidden = Annotated[Any, Query(mcp=False)]
Keys = Annotated[list[str], Field(min_length=1, max_length=50)]
Size = Annotated[int | None, Query("maxResults"), Field(ge=0, lt=2**31)]


def bean(ctx: Ctx, values: list[Any], start_at: int, limit: int | None, most: int = 50) -> dict[str, Any]:
    """A slice of a list as the agile API has it."""
    size = most if limit is None else min(limit, most)
    shown = values[start_at : start_at + size]
    return {
        "maxResults": size,
        "startAt": start_at,
        "total": len(values),
        "isLast": start_at + len(shown) >= len(values),
        "values": shown,
    }


def listed(
    ctx: Ctx,
    board: Board | None,
    jql: str | None,
    fields: Names,
    start_at: int,
    limit: int | None,
    within: str,
    *values: object,
) -> dict[str, Any]:
    """Issues of a board, sprint or epic."""
    size = min(limit if limit is not None else 20 if over_mcp(ctx) else 50, 100)
    if board is not None:
        found = boards.search(ctx, board, jql, size, start_at, within, values)
    else:
        found = run.search(ctx, jql or "", size, start_at, within=within, values=values, order="rank")
    names = issues.chosen(flat(fields), issues.LISTED if over_mcp(ctx) else ("*navigable",))
    shown = [issues.shown(ctx, row, names) for row in found.issues]
    return {"expand": "schema,names", "startAt": start_at, "maxResults": size, "total": found.total, "issues": shown}


# Boards


@app.get("/rest/agile/{api}/board", tool="get_agile_boards")
def get_agile_boards(
    ctx: Ctx, board_name: Annotated[str | None, Query("name")] = None, project_key: Annotated[str | None, Query("projectKeyOrId")] = None,
    board_type: Annotated[str | None, Query("type")] = None, start_at: StartAt = 0, limit: Size = None, expand: Hidden = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the agile boards with their ids.

    board_name: A part of the board's name.
    project_key: Key of the project that the board is for.
    board_type: scrum or kanban.
    start_at: How many boards to skip.
    limit: The most boards to return, up to 50.
    """
    project = None
    if project_key is not None:
        project = access.project_or_none(ctx, project_key)
        if project is None:
            raise refuse(400, f"No project could be found with key or id '{project_key}'.")
    kinds = flat(board_type)
    if unknown := [k for k in kinds if k not in ("scrum", "kanban", "simple")]:
        raise refuse(400, f"Unknown board type: {unknown[0]}")
    found = ctx.db.find(Board, name__contains=board_name, project_id=project.id if project else None)
    return bean(ctx, [resources.board(ctx, b) for b in found if not kinds or b.type in kinds], start_at, limit)


@app.get("/rest/agile/{api}/board/{board_id}", tool="get_board", mcp=False)
def get_board(ctx: Ctx, board_id: str) -> dict[str, Any]:
    """Gets a board.

    board_id: The board's id.
    """
    return resources.board(ctx, access.board(ctx, board_id))


@app.post("/rest/agile/{api}/board", tool="create_board", status=201, mcp=False)
def create_board(
    ctx: Ctx, name: Annotated[str, Field(min_length=1, max_length=255)], type: Literal["scrum", "kanban"], filterId: int | str,
    location: dict[str, Any] | None = None,
) -> Any:  # fmt: skip
    """Creates a board over a saved filter.

    name: The board's name.
    type: scrum or kanban.
    filterId: Id of the filter that says what is on it.
    location: Where it is, e.g. {"type": "project", "projectKeyOrId": "a project's key"}.
    """
    row = access.by_id(
        ctx, Filter, filterId, f"The filter with id {filterId} does not exist or you do not have permission to view it."
    )
    where = (location or {}).get("projectKeyOrId")
    project = access.project(ctx, where) if where is not None else None
    made = ctx.db.add(
        Board(
            id=ctx.sequence("board"), name=name, type=type, filter_id=row.id, project_id=project.id if project else None
        )
    )
    return resources.board(ctx, made)


@app.delete("/rest/agile/{api}/board/{board_id}", tool="delete_board", status=204, mcp=False)
def delete_board(ctx: Ctx, board_id: str) -> Any:
    """Deletes a board with its sprints.

    board_id: The board's id.
    """
    row = access.board(ctx, board_id)
    if row.project_id:
        access.require_administrator(ctx, ctx.require(Project, row.project_id))
    boards.drop_board(ctx, row)
    return done(ctx, {"deleted": board_id})


@app.get("/rest/agile/{api}/board/{board_id}/configuration", tool="get_board_configuration", mcp=False)
def get_board_configuration(ctx: Ctx, board_id: str) -> dict[str, Any]:
    """Gets how a board is set up.

    board_id: The board's id.
    """
    row = access.board(ctx, board_id)
    columns = [
        {"name": s.name, "statuses": [{"id": str(id), "self": resources.link(ctx, f"status/{id}")}]}
        for id, s in site.STATUSES.items()
    ]
    return {
        **resources.board(ctx, row), "filter": {"id": str(row.filter_id), "self": resources.link(ctx, f"filter/{row.filter_id}")},
        "columnConfig": {"columns": columns, "constraintType": "none"}, "ranking": {"rankCustomFieldId": 10019},
        "estimation": {"type": "field", "field": {"fieldId": "customfield_10016", "displayName": "Story point estimate"}},
    }  # fmt: skip


@app.get("/rest/agile/{api}/board/{board_id}/project", tool="get_board_projects", mcp=False)
def get_board_projects(ctx: Ctx, board_id: str, start_at: StartAt = 0, limit: Size = None) -> dict[str, Any]:
    """Lists the projects whose issues are on a board.

    board_id: The board's id.
    start_at: How many projects to skip.
    limit: The most projects to return, up to 50.
    """
    row = access.board(ctx, board_id)
    ids = {row.project_id} if row.project_id else {i.project_id for i in boards.search(ctx, row, None, 1000, 0).issues}
    found = [p for p in ctx.db.find(Project, order="key") if p.id in ids]
    return bean(ctx, [resources.project_head(ctx, p) for p in found], start_at, limit)


@app.get("/rest/agile/{api}/issue/{issue_key}", tool="get_agile_issue", mcp=False)
def get_agile_issue(ctx: Ctx, issue_key: str, fields: Names = None, expand: Names = None) -> dict[str, Any]:
    """Gets an issue by the agile API.

    issue_key: The issue's key or id.
    fields: Which fields to return.
    expand: More to return.
    """
    return issues.shown(ctx, access.issue(ctx, issue_key), issues.chosen(flat(fields)), flat(expand))


@app.get("/rest/agile/{api}/board/{board_id}/issue", tool="get_board_issues")
def get_board_issues(
    ctx: Ctx, board_id: str, jql: str | None = None, fields: Names = None, start_at: StartAt = 0, limit: Size = None,
    validateQuery: Hidden = None, expand: Hidden = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the issues of a board, in their rank.

    board_id: The board's id.
    jql: A query that they must pass too.
    fields: Which fields to return of each.
    start_at: How many issues to skip.
    limit: The most issues to return, up to 100; by default 20.
    """
    return listed(ctx, access.board(ctx, board_id), jql, fields, start_at, limit, "")


@app.get("/rest/agile/{api}/board/{board_id}/backlog", tool="get_backlog_issues")
def get_backlog_issues(
    ctx: Ctx, board_id: str, jql: str | None = None, fields: Names = None, start_at: StartAt = 0, limit: Size = None,
    validateQuery: Hidden = None, expand: Hidden = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the issues of a board that are in no open sprint and not done, in their rank.

    board_id: The board's id.
    jql: A query that they must pass too.
    fields: Which fields to return of each.
    start_at: How many issues to skip.
    limit: The most issues to return, up to 100; by default 20.
    """
    return listed(
        ctx, access.board(ctx, board_id), jql, fields, start_at, limit, boards.BACKLOG, *boards.BACKLOG_VALUES
    )


@app.post("/rest/agile/{api}/backlog/issue", tool="move_issues_to_backlog", effect="update", status=204)
def move_issues_to_backlog(ctx: Ctx, issue_keys: Annotated[Keys, Body("issues")]) -> Any:
    """Takes issues out of their open sprint into the backlog.

    issue_keys: Keys of the issues, up to 50.
    """
    rows = [access.writable(ctx, key) for key in issue_keys]
    for row in rows:
        boards.put(ctx, row, None)
    return done(ctx, {"in_backlog": [row.key for row in rows]})


# Ranks


@app.put("/rest/agile/{api}/issue/rank", tool="rank_issues", status=204)
def rank_issues(
    ctx: Ctx, issue_keys: Annotated[Keys, Body("issues")], before: Annotated[str | None, Body("rankBeforeIssue")] = None,
    after: Annotated[str | None, Body("rankAfterIssue")] = None, rankCustomFieldId: Annotated[Any, Body(mcp=False)] = None,
) -> Any:  # fmt: skip
    """Ranks issues, in their order, right before or right after another issue of the backlog.

    issue_keys: Keys of the issues, up to 50.
    before: Key of the issue that they are to be ranked before.
    after: Key of the issue that they are to be ranked after, instead of before.
    """
    if (before is None) == (after is None):
        raise refuse(400, "Exactly one of rankBeforeIssue and rankAfterIssue must be given.")
    anchor = access.issue(ctx, before or after)
    rows = [access.writable(ctx, key) for key in dict.fromkeys(issue_keys)]
    moved = {row.id: row for row in rows}
    if anchor.id in moved:
        raise refuse(400, f"The issue {anchor.key} cannot be ranked relative to itself.")
    order = [row for row in ctx.db.find(Issue, order="rank,id") if row.id not in moved]
    place = next(i for i, row in enumerate(order) if row.id == anchor.id) + (0 if before else 1)
    low = order[place - 1].rank if place else 0.0
    high = order[place].rank if place < len(order) else low + len(moved) + 1
    step = (high - low) / (len(moved) + 1)
    if step < 1e-6:
        for number, row in enumerate([*order[:place], *moved.values(), *order[place:]], 1):
            ctx.db.update(row, rank=float(number))
    else:
        ranked = history.item("Rank", "", "", "", "Ranked higher", "customfield_10019")
        for number, row in enumerate(moved.values(), 1):
            history.change(
                ctx,
                row,
                {"rank": low + number * step},
                [ranked],
            )
    return done(ctx, {"ranked": [row.key for row in moved.values()]})


# Epics


def _epic(ctx: Ctx, key: str) -> Issue:
    row = access.issue_or_none(ctx, key)
    if row is None or row.issuetype != site.EPIC:
        raise refuse(404, "The requested epic does not exist or you do not have permission to view it.")
    return row


def _epic_json(ctx: Ctx, row: Issue) -> dict[str, Any]:
    where = f"{access.base_url(ctx)}/rest/agile/1.0/epic/{row.id}"
    closed = site.STATUSES[row.status].category is site.DONE
    return {
        "id": row.id,
        "key": row.key,
        "self": where,
        "name": row.summary,
        "summary": row.summary,
        "color": {"key": "color_1"},
        "done": closed,
    }


@app.get("/rest/agile/{api}/board/{board_id}/epic", tool="get_board_epics", mcp=False)
def get_board_epics(
    ctx: Ctx, board_id: str, done_only: Annotated[Literal["true", "false"] | None, Query("done")] = None, start_at: StartAt = 0, limit:
    Size = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the epics of a board.

    board_id: The board's id.
    done_only: true for those that are done, false for the others.
    start_at: How many epics to skip.
    limit: The most epics to return, up to 50.
    """
    found = boards.search(ctx, access.board(ctx, board_id), None, 1000, 0, "issue.issuetype = ?", (site.EPIC,))
    shown = [_epic_json(ctx, row) for row in found.issues]
    return bean(ctx, [e for e in shown if done_only is None or e["done"] == (done_only == "true")], start_at, limit)


@app.get("/rest/agile/{api}/epic/{epic_key}", tool="get_epic", mcp=False)
def get_epic(ctx: Ctx, epic_key: str) -> dict[str, Any]:
    """Gets an epic.

    epic_key: The epic's key or id.
    """
    return _epic_json(ctx, _epic(ctx, epic_key))


@app.get("/rest/agile/{api}/epic/{epic_key}/issue", tool="get_epic_issues", mcp=False)
def get_epic_issues(
    ctx: Ctx, epic_key: str, jql: str | None = None, fields: Names = None, start_at: StartAt = 0, limit: Size = None,
    validateQuery: Hidden = None, expand: Hidden = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the issues of an epic, in their rank.

    epic_key: The epic's key or id.
    jql: A query that they must pass too.
    fields: Which fields to return of each.
    start_at: How many issues to skip.
    limit: The most issues to return, up to 100; by default 20.
    """
    return listed(ctx, None, jql, fields, start_at, limit, "issue.parent = ?", _epic(ctx, epic_key).id)


@app.post("/rest/agile/{api}/epic/{epic_key}/issue", tool="link_to_epic", effect="update", status=204)
def link_to_epic(ctx: Ctx, epic_key: str, issue_keys: Annotated[Keys, Body("issues")]) -> Any:
    """Puts issues into an epic; `none` as the epic takes them out of theirs.

    epic_key: The epic's key or id, or none.
    issue_keys: Keys of the issues, up to 50.
    """
    epic = None if epic_key == "none" else _epic(ctx, epic_key)
    rows = [access.writable(ctx, key) for key in issue_keys]
    for row in rows:
        draft = Draft(ctx, row, ctx.require(Project, row.project_id), row.issuetype)
        try:
            history.change(ctx, row, parent(draft, {"id": epic.id} if epic else None))
        except Bad as bad:
            raise refuse_fields({"parentId": str(bad)}) from None
    return done(ctx, {"epic": epic.key if epic else None, "issues": [row.key for row in rows]})
