"""Who belongs to a board and as what. https://developer.atlassian.com/cloud/trello/rest/api-group-boards/"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import ApiError, Ctx, Query

from .. import access
from ..activity import note
from ..app import Text, app, invalid, missing_object
from ..models import Board, Card, Member, Membership
from ..shapes import member_brief, membership_json
from .boards import get_board_members

MemberKind = Literal["admin", "normal", "observer"]


@app.get("/1/boards/{id}/memberships", tool="get_board_memberships", mcp=False)
def get_board_memberships(ctx: Ctx, id: str, filter: str = "all", member: bool = False) -> list[dict[str, Any]]:
    """Lists who belongs to a board and as what.

    id: The board's id or short link.
    filter: admins, normal, me, none or all.
    member: Whether to show the people too.
    """
    board, own = access.board(ctx, id), access.me(ctx).id
    kinds = None if filter == "me" else access.member_types(filter)
    out = list[dict[str, Any]]()
    for row in ctx.db.find(Membership, idBoard=board.id, order="place,id", memberType__in=kinds):
        if filter == "me" and row.idMember != own:
            continue
        more = {"member": member_brief(ctx.require(Member, row.idMember))} if member else {}
        out.append({**membership_json(ctx, row), **more})
    return out


@app.put("/1/boards/{id}/members", tool="invite_board_member", effect="update")
def invite_board_member(
    ctx: Ctx, id: str, email: str, type: MemberKind = "normal", fullName: Annotated[Text | None, Query(mcp=False)] = None
) -> dict[str, Any]:  # fmt: skip
    """Makes a person a member of a board by their address.

    id: The board's id or short link.
    email: Their e-mail address; it must be that of a member of the workspace.
    type: normal, admin or observer.
    fullName: Their name, where they are new to Trello.
    """
    board = access.open_board(ctx, id)
    if "@" not in email:
        raise invalid("email")
    person = next((p for p in ctx.db.find(Member) if p.email.lower() == email.strip().lower()), None)
    if person is None or not person.active:
        raise ApiError(400, "cannot invite people from outside the workspace")
    return _join(ctx, board, person, type)


@app.put("/1/boards/{id}/memberships/{idMembership}", tool="update_board_membership", mcp=False)
def update_board_membership(ctx: Ctx, id: str, idMembership: str, type: MemberKind) -> dict[str, Any]:
    """Changes what kind of member somebody is.

    id: The board's id or short link.
    idMembership: The membership's id.
    type: normal, admin or observer.
    """
    board, row = access.open_board(ctx, id), ctx.require(Membership, idMembership)
    if row.idBoard != board.id:
        raise missing_object()
    _join(ctx, board, ctx.require(Member, row.idMember), type)
    return membership_json(ctx, ctx.require(Membership, row.id))


@app.put("/1/boards/{id}/members/{idMember}", tool="add_board_member", effect="update")
def add_board_member(ctx: Ctx, id: str, idMember: str, type: MemberKind = "normal") -> dict[str, Any]:
    """Makes a person of the workspace a member of a board, or changes what kind of member they are.

    id: The board's id or short link.
    idMember: The member's id.
    type: normal, admin or observer.
    """
    return _join(ctx, access.open_board(ctx, id), access.member(ctx, idMember), type)


def _join(ctx: Ctx, board: Board, person: Member, kind: MemberKind) -> dict[str, Any]:
    if not person.active:
        raise ApiError(400, "member is deactivated")
    row = ctx.db.first(Membership, idBoard=board.id, idMember=person.id)
    if row is None:
        if not access.admin_of(ctx, board.id):
            _may_join(ctx, board, person, kind)
        place = ctx.db.count(Membership, idBoard=board.id)
        ctx.db.add(
            Membership(id=access.new_id(ctx), idBoard=board.id, idMember=person.id, memberType=kind, place=place)
        )
        note(ctx, "addMemberToBoard", board=board, idMemberAdded=person.id, memberType=kind)
    elif row.memberType != kind:
        if not access.admin_of(ctx, board.id):
            raise access.forbidden()
        _keep_an_admin(ctx, row)
        ctx.db.update(row, memberType=kind)
        note(ctx, "makeAdminOfBoard" if kind == "admin" else "makeNormalMemberOfBoard", board=board, idMember=person.id)
    rows = ctx.db.find(Membership, idBoard=board.id, order="place,id")
    return {
        "id": board.id, "members": get_board_members(ctx, board.id), "memberships": [membership_json(ctx, m) for m in rows],
    }  # fmt: skip


def _may_join(ctx: Ctx, board: Board, person: Member, kind: MemberKind) -> None:
    """Whom others than admins may bring in: boards say whether they invite, and whether one joins by oneself. Nobody becomes an admin."""
    alone = person.id == access.me(ctx).id
    allowed = board.prefs.get("selfJoin", True) if alone else board.prefs.get("invitations", "members") == "members"
    if kind == "admin" or not allowed:
        raise access.forbidden()


def _keep_an_admin(ctx: Ctx, row: Membership) -> None:
    if row.memberType == "admin" and ctx.db.count(Membership, idBoard=row.idBoard, memberType="admin") == 1:
        raise ApiError(400, "Not enough admins")


@app.delete("/1/boards/{id}/members/{idMember}", tool="remove_board_member")
def remove_board_member(ctx: Ctx, id: str, idMember: str) -> dict[str, Any]:
    """Takes a person off a board, and off its cards. The last admin stays.

    id: The board's id or short link.
    idMember: The member's id.
    """
    board = access.open_board(ctx, id)
    person = access.member(ctx, idMember)
    row = ctx.db.first(Membership, idBoard=board.id, idMember=person.id)
    if row is None:
        raise ApiError(400, "member is not on the board")
    if person.id != access.me(ctx).id and not access.admin_of(ctx, board.id):
        raise access.forbidden()
    _keep_an_admin(ctx, row)
    ctx.db.delete(row)
    for card in ctx.db.find(Card, idBoard=board.id):
        if person.id in card.idMembers:
            ctx.db.update(card, idMembers=[key for key in card.idMembers if key != person.id])
    note(ctx, "removeMemberFromBoard", board=board, idMember=person.id)
    rows = ctx.db.find(Membership, idBoard=board.id, order="place,id")
    return {"id": board.id, "memberships": [membership_json(ctx, m) for m in rows]}
