"""People and workspaces. https://developer.atlassian.com/cloud/trello/rest/api-group-members/"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import ApiError, Ctx, Field, Query

from .. import access
from ..app import Pos, app, invalid, over_mcp
from ..cards import listing
from ..fieldwise import one_field
from ..models import Board, BoardStar, Card, Member, Membership, Organization
from ..shapes import (
    board_json,
    list_json,
    member_brief,
    member_json,
    organization_json,
    plain_row,
    select,
)
from .lists import ListFilter, chosen_lists

_SHORT = ["name", "desc", "closed", "idOrganization", "url", "dateLastActivity"]
_PERSON = ["fullName", "username", "initials", "email", "bio", "idOrganizations", "memberType"]


def chosen_boards(ctx: Ctx, boards: list[Board], which: str) -> list[Board]:
    """Boards by their state; several filters with commas between mean any of them."""
    stars = {s.idBoard for s in ctx.db.find(BoardStar)}
    tests = {
        "all": lambda b: True, "members": lambda b: True, "open": lambda b: not b.closed, "closed": lambda b: b.closed,
        "starred": lambda b: b.id in stars, "organization": lambda b: b.prefs["permissionLevel"] == "org",
        "public": lambda b: b.prefs["permissionLevel"] == "public", "unpinned": lambda b: True, "pinned": lambda b: False,
        "none": lambda b: False,
    }  # fmt: skip
    words = [w.strip() for w in which.split(",") if w.strip()]
    if not all(w in tests for w in words):
        raise invalid("filter")
    return [b for b in boards if access.may_see(ctx, b) and any(tests[w](b) for w in words)]


def boards_json(ctx: Ctx, boards: list[Board], fields: list[str] | None) -> list[dict[str, Any]]:
    shown = fields if fields is not None else _SHORT if over_mcp(ctx) else None
    return [select(board_json(ctx, b), shown) for b in boards]


@app.get("/1/members/{id}", tool="get_member")
def get_member(
    ctx: Ctx, id: str = "me", fields: Annotated[list[str] | None, Query(mcp=False)] = None,
    boards: Annotated[str, Query(mcp=False)] = "none",
    organizations: Annotated[str, Query(mcp=False)] = "none", cards: Annotated[str, Query(mcp=False)] = "none",
    board_fields: Annotated[list[str] | None, Query(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Shows a person.

    id: The member's id or username; `me` for yourself.
    fields: Which of their fields to show.
    boards: Which of their boards to put in.
    organizations: `all` puts their workspaces in.
    cards: Which of their cards to put in.
    board_fields: Which fields of the boards.
    """
    row = access.member(ctx, id)
    body = select(member_json(ctx, row), fields if fields is not None else _PERSON if over_mcp(ctx) else None)
    if boards != "none":
        body["boards"] = boards_json(ctx, chosen_boards(ctx, _boards(ctx, row), boards), board_fields)
    if organizations != "none":
        body["organizations"] = [organization_json(ctx, o) for o in ctx.db.find(Organization)]
    if cards != "none":
        body["cards"] = listing(ctx, _cards(ctx, row), cards)
    return body


def _boards(ctx: Ctx, row: Member) -> list[Board]:
    return [ctx.require(Board, m.idBoard) for m in ctx.db.find(Membership, idMember=row.id, order="idBoard")]


def _cards(ctx: Ctx, row: Member) -> list[Card]:
    found = ctx.db.where(Card, 'EXISTS (SELECT 1 FROM json_each("idMembers") WHERE value = ?)', [row.id])
    boards = {b.id: b for b in ctx.db.find(Board) if access.may_see(ctx, b)}
    return [c for c in found if c.idBoard in boards]


@app.get("/1/members/{id}/boards", tool="list_member_boards")
def list_member_boards(
    ctx: Ctx, id: str = "me", filter: str = "all", fields: Annotated[list[str] | None, Query(mcp=False)] = None,
    lists: Annotated[ListFilter, Query(mcp=False)] = "none",
) -> list[dict[str, Any]]:  # fmt: skip
    """Lists the boards that a person is a member of (get_organization_boards lists the workspace's).

    id: The member's id or username; `me` for yourself.
    filter: all, open, closed, starred, organization or public.
    fields: Which of their fields to show.
    lists: Which of their lists to put in.
    """
    found = boards_json(ctx, chosen_boards(ctx, _boards(ctx, access.member(ctx, id)), filter), fields)
    for body in found if lists != "none" else ():
        body["lists"] = [list_json(row) for row in chosen_lists(ctx, body["id"], lists)]
    return found


@app.get("/1/members/{id}/boards/{filter}", tool="list_member_boards_filtered", mcp=False)
def list_member_boards_filtered(
    ctx: Ctx, id: str, filter: str, fields: list[str] | None = None
) -> list[dict[str, Any]]:
    """The same with the filter in the address.

    id: The member's id or username.
    filter: all, open, closed, starred, organization or public.
    fields: Which of their fields to show.
    """
    return boards_json(ctx, chosen_boards(ctx, _boards(ctx, access.member(ctx, id)), filter), fields)


@app.get("/1/members/{id}/cards", tool="list_member_cards")
def list_member_cards(
    ctx: Ctx, id: str = "me", filter: Literal["all", "closed", "none", "open", "visible"] = "visible", fields: list[str] | None = None,
    limit: Annotated[int, Field(ge=1, le=1000)] | None = None, before: str | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """Lists the cards that a person is on, each with its main fields and board.

    id: The member's id or username; `me` for yourself.
    filter: visible (neither it nor its list archived), open, closed, all or none.
    fields: Which of their fields to show, e.g. name, desc, due, idBoard; or all.
    limit: How many at most (50 by default); the newest where there are more.
    before: Only cards made before this date or card id.
    """
    shown = (
        fields
        if fields is not None or not over_mcp(ctx)
        else ["name", "due", "dueComplete", "idBoard", "idList", "labels", "url"]
    )
    return listing(ctx, _cards(ctx, access.member(ctx, id)), filter, limit=limit, before=before, fields=shown)


@app.get("/1/members/{id}/organizations", tool="list_member_organizations")
def list_member_organizations(
    ctx: Ctx, id: str = "me", filter: Annotated[str, Query(mcp=False)] = "all", fields: Annotated[list[str] | None, Query(mcp=False)] = None
) -> list[dict[str, Any]]:  # fmt: skip
    """Lists the workspaces that a person belongs to.

    id: The member's id or username; `me` for yourself.
    filter: all or none.
    fields: Which of their fields to show.
    """
    access.member(ctx, id)
    return [] if filter == "none" else [_organization(ctx, row, fields) for row in ctx.db.find(Organization)]


def _organization(ctx: Ctx, row: Organization, fields: list[str] | None) -> dict[str, Any]:
    shown = (
        fields
        if fields is not None
        else ["name", "displayName", "desc", "url", "membersCount"]
        if over_mcp(ctx)
        else None
    )
    return select(organization_json(ctx, row), shown)


@app.get("/1/members/{id}/notifications", tool="list_member_notifications", mcp=False)
def list_member_notifications(ctx: Ctx, id: str) -> list[dict[str, Any]]:
    """Lists a person's notifications: there are none.

    id: The member's id or username.
    """
    access.member(ctx, id)
    return []


@app.get("/1/members/{id}/boardStars", tool="list_board_stars", mcp=False)
def list_board_stars(ctx: Ctx, id: str) -> list[dict[str, Any]]:
    """Lists your starred boards.

    id: `me`.
    """
    access.member(ctx, id)
    return [plain_row(s) for s in ctx.db.find(BoardStar, order="pos,id")]


@app.post("/1/members/{id}/boardStars", tool="star_board", mcp=False)
def star_board(ctx: Ctx, id: str, idBoard: str, pos: Pos | None = None) -> dict[str, Any]:
    """Stars a board.

    id: `me`.
    idBoard: The board's id.
    pos: Its place among them.
    """
    _mine(ctx, id)
    board = access.board(ctx, idBoard)
    if ctx.db.first(BoardStar, idBoard=board.id):
        raise ApiError(400, "board is already starred")
    taken = [s.pos for s in ctx.db.find(BoardStar)]
    return plain_row(ctx.db.add(BoardStar(id=access.new_id(ctx), idBoard=board.id, pos=access.place(pos, taken))))


@app.delete("/1/members/{id}/boardStars/{idStar}", tool="unstar_board", mcp=False)
def unstar_board(ctx: Ctx, id: str, idStar: str) -> dict[str, Any]:
    """Takes a star away.

    id: `me`.
    idStar: The star's id.
    """
    _mine(ctx, id)
    ctx.db.delete(ctx.require(BoardStar, idStar))
    return {"_value": None}


def _mine(ctx: Ctx, key: str) -> Member:
    own = access.me(ctx)
    if access.member(ctx, key).id != own.id:
        raise access.forbidden()
    return own


@app.get("/1/members/{id}/{field}", tool="get_member_field", mcp=False)
def get_member_field(ctx: Ctx, id: str, field: str) -> Any:
    """One field of a member.

    id: The member's id or username.
    field: The field's name.
    """
    return one_field(ctx, member_json(ctx, access.member(ctx, id)), field)


# Workspaces


@app.get("/1/organizations/{id}", tool="get_organization", mcp=False)
def get_organization(ctx: Ctx, id: str, fields: Annotated[list[str] | None, Query(mcp=False)] = None) -> dict[str, Any]:
    """Shows a workspace.

    id: The workspace's id or name.
    fields: Which of its fields to show.
    """
    return _organization(ctx, access.organization(ctx, id), fields)


@app.get("/1/organizations/{id}/boards", tool="get_organization_boards")
def get_organization_boards(
    ctx: Ctx, id: str, filter: str = "all", fields: Annotated[list[str] | None, Query(mcp=False)] = None
) -> list[dict[str, Any]]:  # fmt: skip
    """Lists the boards of a workspace that you may see.

    id: The workspace's id or name.
    filter: all, open or closed.
    fields: Which of their fields to show.
    """
    row = access.organization(ctx, id)
    return boards_json(ctx, chosen_boards(ctx, ctx.db.find(Board, idOrganization=row.id, order="id"), filter), fields)


@app.get("/1/organizations/{id}/members", tool="get_organization_members")
def get_organization_members(
    ctx: Ctx, id: str, fields: Annotated[list[str] | None, Query(mcp=False)] = None, filter: Annotated[str, Query(mcp=False)] = "all"
) -> list[dict[str, Any]]:  # fmt: skip
    """Lists the people of a workspace. Only some of them are members of a given board.

    id: The workspace's id or name.
    fields: Which of their fields to show.
    filter: admins, normal, none or all.
    """
    access.organization(ctx, id)
    kinds = access.member_types(filter)
    people = [
        p
        for p in ctx.db.find(Member, active=True, order="id")
        if kinds is None or ("admin" if p.admin else "normal") in kinds
    ]
    shown = fields if fields is not None else ["fullName", "username"] if over_mcp(ctx) else None
    return [select(member_brief(p), shown) for p in people]
