"""Search. https://developer.atlassian.com/cloud/trello/rest/api-group-search/"""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field, Query

from .. import access, search
from ..activity import comment_json
from ..app import Text, app, invalid, over_mcp
from ..cards import Nested, cards_json
from ..models import Board, Card, Comment, Member, Organization
from ..shapes import board_json, member_brief, organization_json, select

_KINDS = ("actions", "boards", "cards", "members", "organizations")
_CARD = ["name", "due", "dueComplete", "closed", "idBoard", "idList", "idMembers", "labels", "url"]
_BOARD = ["name", "closed", "idOrganization", "url"]
Limit = Annotated[int, Field(ge=0, le=1000)]


@app.get("/1/search", tool="search")
def search_all(
    ctx: Ctx, query: Annotated[Text, Field(min_length=1)], modelTypes: list[str] | None = None, idBoards: list[str] | None = None,
    idOrganizations: Annotated[list[str] | None, Query(mcp=False)] = None, idCards: Annotated[list[str] | None, Query(mcp=False)] = None,
    card_fields: list[str] | None = None, cards_limit: Limit = 10, cards_page: Annotated[int, Field(ge=0, le=100)] = 0,
    boards_limit: Annotated[Limit, Query(mcp=False)] = 10, members_limit: Annotated[Limit, Query(mcp=False)] = 10,
    organizations_limit: Annotated[Limit, Query(mcp=False)] = 10, board_fields: Annotated[list[str] | None, Query(mcp=False)] = None,
    member_fields: Annotated[list[str] | None, Query(mcp=False)] = None,
    organization_fields: Annotated[list[str] | None, Query(mcp=False)] = None,
    card_board: Annotated[bool, Query(mcp=False)] = False, card_list: bool = False, card_members: bool = False,
    card_attachments: Annotated[str, Query(mcp=False)] = "false", partial: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Searches cards, boards, people and workspaces. Words are looked for whole in names, descriptions, comments and checklists.
    Operators narrow cards down: @member or member:me, #label, board:, list:, is:open, is:archived, has:attachments, has:members,
    due:day, due:week, due:month, due:overdue, due:complete, created:week, edited:day, name:, description:, comment:, checklist:,
    "quoted words", sort:due (or created, edited). A minus before any of them turns it round.

    query: What to look for.
    modelTypes: Kinds of results: cards, boards, members, organizations, actions; all by default.
    idBoards: Ids of the boards to search, or `mine` for those you are a member of.
    idOrganizations: Ids of the workspaces to search.
    idCards: Ids of the cards to search.
    card_fields: Which fields of the cards to show.
    cards_limit: How many cards at most.
    cards_page: The page of cards, from 0.
    boards_limit: How many boards at most.
    members_limit: How many people at most.
    organizations_limit: How many workspaces at most.
    board_fields: Which fields of the boards to show.
    member_fields: Which fields of the people to show.
    organization_fields: Which fields of the workspaces to show.
    card_board: Whether to show the cards' boards.
    card_list: Whether to show the cards' lists.
    card_members: Whether to show the cards' members.
    card_attachments: `true` shows the cards' attachments.
    partial: Whether the beginning of a word is enough.
    """
    read = search.read(query)
    kinds = [k.strip() for text in modelTypes or ["all"] for k in text.split(",")]
    if not set(kinds) <= {*_KINDS, "all"}:
        raise invalid("modelTypes")
    kinds = list(_KINDS) if "all" in kinds else kinds
    boards = _boards(ctx, idBoards, idOrganizations)
    texts = [t for t in read.terms if t.operator == "text"]
    out: dict[str, Any] = {
        "options": {
            "terms": [{"text": t.value, **({"negated": True} if t.negated else {})} for t in texts],
            "modifiers": [
                {"text": f"{t.operator}:{t.value}", **({"negated": True} if t.negated else {})} for t in read.terms if t not in texts
            ],
            "modelTypes": kinds, "partial": partial,
        }
    }  # fmt: skip

    def fits(text: str) -> bool:
        return read.words_only and all(
            search.contains(text, t.value, phrase=t.phrase, partial=partial) != t.negated for t in read.terms
        )

    if "boards" in kinds:
        found = [b for b in boards.values() if fits(f"{b.name}\n{b.desc}")][:boards_limit]
        shown = board_fields or (_BOARD if over_mcp(ctx) else None)
        out["boards"] = [select(board_json(ctx, b), shown) for b in found]
    if "cards" in kinds:
        wanted = set(access.ids_in(idCards)) if idCards else None
        cards = [c for c in ctx.db.find(Card, idBoard__in=list(boards)) if wanted is None or c.id in wanted]
        matching = search.find(ctx, read, cards, partial)[cards_page * cards_limit : (cards_page + 1) * cards_limit]
        nested = Nested(board=card_board, list=card_list, members=card_members, attachments=card_attachments == "true")
        out["cards"] = cards_json(ctx, matching, card_fields or (_CARD if over_mcp(ctx) else None), nested)
    if "members" in kinds:
        people = [p for p in ctx.db.find(Member, active=True, order="id") if fits(f"{p.fullName}\n{p.username}")]
        shown = member_fields or (["fullName", "username"] if over_mcp(ctx) else None)
        out["members"] = [select(member_brief(p), shown) for p in people[:members_limit]]
    if "organizations" in kinds:
        groups = [o for o in ctx.db.find(Organization) if fits(f"{o.displayName}\n{o.name}\n{o.desc}")]
        out["organizations"] = [
            select(organization_json(ctx, o), organization_fields) for o in groups[:organizations_limit]
        ]
    if "actions" in kinds:
        out["actions"] = _actions(ctx, list(boards), fits) if "actions" in (modelTypes or []) else []
    return out


def _actions(ctx: Ctx, boards: list[str], fits: Any) -> list[dict[str, Any]]:
    rows = [c for c in ctx.db.find(Comment, idBoard__in=boards, order="-id") if fits(c.text)]
    return [comment_json(ctx, c) for c in rows[:10]]


def _boards(ctx: Ctx, wanted: list[str] | None, organizations: list[str] | None) -> dict[str, Board]:
    """The boards that a search goes over, by id."""
    boards = {b.id: b for b in ctx.db.find(Board, order="id") if access.may_see(ctx, b)}
    if organizations:
        ids = {access.organization(ctx, key.strip()).id for text in organizations for key in text.split(",")}
        boards = {key: b for key, b in boards.items() if b.idOrganization in ids}
    if wanted and wanted != ["mine"]:
        ids = set(access.ids_in(wanted))
        boards = {key: b for key, b in boards.items() if key in ids}
    elif wanted:
        mine = {m.idBoard for m in access.memberships(ctx)}
        boards = {key: b for key, b in boards.items() if key in mine}
    return boards


@app.get("/1/search/members", tool="search_members", mcp=False)
def search_members(
    ctx: Ctx, query: Annotated[Text, Field(min_length=1)], limit: Limit = 8, idBoard: str | None = None
) -> list[dict[str, Any]]:
    """Finds people by the beginning of their names.

    query: What to look for.
    limit: How many at most.
    idBoard: Only members of this board.
    """
    only = None if idBoard is None else {m.idMember for m in access.memberships(ctx, access.board(ctx, idBoard).id)}
    people = [p for p in ctx.db.find(Member, active=True, order="id") if only is None or p.id in only]
    found = [
        p
        for p in people
        if search.contains(f"{p.fullName}\n{p.username}\n{p.email}", query, phrase=False, partial=True)
    ]
    return [member_brief(p) for p in found[:limit]]
