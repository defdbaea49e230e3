"""Boards. https://developer.atlassian.com/cloud/trello/rest/api-group-boards/"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Query

from .. import access, editing
from ..activity import actions as actions_of
from ..activity import note
from ..app import Name, Text, app, invalid, is_id, is_short, missing_object, over_mcp
from ..cards import Nested, card_json, listing
from ..fieldwise import one_field, put_field
from ..models import Board, Card, Checklist, CustomField, Label, Member, Membership, TrelloList
from ..shapes import (
    COLORS,
    board_json,
    checklist_json,
    field_json,
    label_json,
    label_uses,
    list_json,
    member_brief,
    organization_json,
    plain_row,
    select,
)
from .lists import CardFilter, CardLimit, ListFilter, chosen_lists

Permission = Literal["org", "private", "public"]
Whoever = Literal["disabled", "members", "observers", "org", "public"]
Inviters = Literal["admins", "members"]
_PREFS: dict[str, Any] = {
    "permissionLevel": "private", "voting": "disabled", "comments": "members", "invitations": "members", "selfJoin": True,
    "cardCovers": True, "cardAging": "regular", "background": "blue",
}  # fmt: skip
_DEFAULT_LISTS = ("To Do", "Doing", "Done")
_DEFAULT_LABELS = ("green", "yellow", "orange", "red", "purple", "blue")
_OUTLINE = ["name", "desc", "closed", "idOrganization", "url", "shortLink", "dateLastActivity", "starred"]


def make_board(ctx: Ctx, name: str, creator: str, *, key: str = "", **values: Any) -> Board:
    """A board with no lists; who makes it is its admin."""
    prefs = {**_PREFS, **values.pop("prefs", {})}
    board = ctx.db.add(
        Board(
            id=key or access.new_id(ctx), shortLink=access.short_link(ctx), name=name, idMemberCreator=creator, prefs=prefs,
            **{"dateLastActivity": access.stamp(ctx), **values},
        )
    )  # fmt: skip
    ctx.db.add(Membership(id=access.new_id(ctx), idBoard=board.id, idMember=creator, memberType="admin"))
    return board


@app.post("/1/boards", tool="create_board")
def create_board(
    ctx: Ctx, name: Name, desc: Text = "", idOrganization: str | None = None, defaultLists: bool = True, defaultLabels: bool = True,
    permissionLevel: Annotated[Permission | None, Body("prefs_permissionLevel")] = None, idBoardSource: str | None = None,
    keepFromSource: Annotated[str, Body(mcp=False)] = "none", background: Annotated[str | None, Body("prefs_background", mcp=False)] = None,
    selfJoin: Annotated[bool | None, Body("prefs_selfJoin", mcp=False)] = None,
    comments: Annotated[Whoever | None, Body("prefs_comments", mcp=False)] = None,
    voting: Annotated[Whoever | None, Body("prefs_voting", mcp=False)] = None,
    invitations: Annotated[Inviters | None, Body("prefs_invitations", mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Makes a board, whose admin you are.

    name: The board's name.
    desc: Its description.
    idOrganization: The id or name of the workspace it belongs to; by default the only one there is.
    defaultLists: Whether to begin with the lists To Do, Doing and Done.
    defaultLabels: Whether to begin with six labels without names.
    permissionLevel: Who sees it: org (the workspace), private (its members, the default) or public.
    idBoardSource: The id of a board to copy.
    keepFromSource: `cards` copies the cards too.
    background: Its background.
    selfJoin: Whether the workspace's people may join by themselves.
    comments: Who may comment.
    voting: Who may vote.
    invitations: Who may invite.
    """
    organization = access.organization(ctx, idOrganization) if idOrganization else access.workspace(ctx)
    source = access.board(ctx, idBoardSource) if idBoardSource else None
    prefs = access.clean({
        "permissionLevel": permissionLevel, "background": background, "selfJoin": selfJoin, "comments": comments, "voting": voting,
        "invitations": invitations,
    })  # fmt: skip
    board = make_board(
        ctx, name, access.me(ctx).id, desc=desc, idOrganization=organization.id if organization else None, prefs=prefs
    )
    note(ctx, "createBoard" if source is None else "copyBoard", board=board)
    if source is not None:
        _copy(ctx, source, board, keepFromSource == "cards")
        return _created(ctx, board)
    for place, title in enumerate(_DEFAULT_LISTS if defaultLists else (), start=1):
        ctx.db.add(TrelloList(id=access.new_id(ctx), idBoard=board.id, name=title, pos=float(place * access.STEP)))
    for color in _DEFAULT_LABELS if defaultLabels else ():
        ctx.db.add(Label(id=access.new_id(ctx), idBoard=board.id, color=color))
    return _created(ctx, board)


def _created(ctx: Ctx, board: Board) -> dict[str, Any]:
    body = board_json(ctx, board)
    return body if not over_mcp(ctx) else select(body, [*_OUTLINE, "prefs"])


def _copy(ctx: Ctx, source: Board, board: Board, with_cards: bool) -> None:
    labels = dict[str, str]()
    for label in ctx.db.find(Label, idBoard=source.id, order="id"):
        made = ctx.db.add(Label(id=access.new_id(ctx), idBoard=board.id, name=label.name, color=label.color))
        labels[label.id] = made.id
    for field in ctx.db.find(CustomField, idBoard=source.id, order="pos,id"):
        ctx.db.add(CustomField(**{**plain_row(field), "id": access.new_id(ctx), "idBoard": board.id}))
    for row in ctx.db.find(TrelloList, idBoard=source.id, closed=False, order="pos,id"):
        column = ctx.db.add(TrelloList(id=access.new_id(ctx), idBoard=board.id, name=row.name, pos=row.pos))
        for card in ctx.db.find(Card, idList=row.id, closed=False, order="pos,id") if with_cards else ():
            copied = editing.add_card(
                ctx, column, board, card.pos, name=card.name, desc=card.desc, due=card.due, start=card.start,
                dueComplete=card.dueComplete, idLabels=[labels[key] for key in card.idLabels if key in labels],
            )  # fmt: skip
            editing.copy_onto(ctx, card, copied, {"checklists", "attachments"})


@app.get("/1/boards/{id}", tool="get_board")
def get_board(
    ctx: Ctx, id: str, fields: list[str] | None = None, lists: ListFilter = "none", cards: CardFilter = "none",
    members: str = "none", labels: str = "none", checklists: str = "none", customFields: bool = False, actions: str = "",
    memberships: Annotated[str, Query(mcp=False)] = "none", organization: bool = False,
    card_fields: Annotated[list[str] | None, Query(mcp=False)] = None, member_fields: Annotated[list[str] | None, Query(mcp=False)] = None,
    list_fields: Annotated[list[str] | None, Query(mcp=False)] = None, label_fields: Annotated[list[str] | None, Query(mcp=False)] = None,
    actions_limit: Annotated[int, Query(mcp=False)] = 50, board_lists: Annotated[str, Query(mcp=False)] = "",
    card_members: Annotated[bool, Query(mcp=False)] = False, card_checklists: Annotated[str, Query(mcp=False)] = "none",
    card_attachments: Annotated[str, Query(mcp=False)] = "false", card_customFieldItems: Annotated[bool, Query(mcp=False)] = False,
) -> dict[str, Any]:  # fmt: skip
    """Shows a board, and with it what is asked for: its lists, cards, members, labels and so on.

    id: The board's id or short link.
    fields: Which of its fields to show, e.g. name, desc, url; or all.
    lists: Which lists to put in: open, closed, all or none.
    cards: Which cards to put in: open, closed, visible, all or none.
    members: `all` puts its members in, `admins` or `normal` only those.
    labels: `all` puts its labels in.
    checklists: `all` puts the checklists of its cards in.
    customFields: Whether to put its custom fields in.
    actions: Kinds of actions to put in, with commas between.
    memberships: `all` puts the memberships in.
    organization: Whether to put its workspace in.
    card_fields: Which fields of the cards.
    member_fields: Which fields of the members.
    list_fields: Which fields of the lists.
    label_fields: Which fields of the labels.
    actions_limit: How many actions at most.
    board_lists: The same as lists.
    card_members: Whether to show the cards' members.
    card_checklists: `all` shows the cards' checklists.
    card_attachments: `true` shows the cards' attachments.
    card_customFieldItems: Whether to show the values of the cards' custom fields.
    """
    board = access.board(ctx, id)
    body = select(board_json(ctx, board), fields if fields is not None else _OUTLINE if over_mcp(ctx) else None)
    if "memberships" in body and memberships == "none" and fields is None:
        body.pop("memberships")
    which = board_lists or lists
    if which != "none":
        body["lists"] = [select(list_json(row), list_fields) for row in chosen_lists(ctx, board.id, which)]
    if cards != "none":
        nested = Nested(
            members=card_members, checklists=card_checklists == "all", attachments=card_attachments == "true",
            custom_fields=card_customFieldItems,
        )  # fmt: skip
        body["cards"] = listing(ctx, ctx.db.find(Card, idBoard=board.id), cards, fields=card_fields, nested=nested)
    if members not in ("none", "false"):
        body["members"] = _members(ctx, board, member_fields, members)
    if labels not in ("none", "false"):
        body["labels"] = [
            select(label_json(ctx, x), label_fields) for x in ctx.db.find(Label, idBoard=board.id, order="id")
        ]
    if checklists not in ("none", "false"):
        body["checklists"] = [checklist_json(ctx, c) for c in ctx.db.find(Checklist, idBoard=board.id, order="id")]
    if customFields:
        body["customFields"] = [field_json(f) for f in ctx.db.find(CustomField, idBoard=board.id, order="pos,id")]
    if memberships not in ("none", "false"):
        body["memberships"] = board_json(ctx, board)["memberships"]
    if organization and board.idOrganization:
        body["organization"] = organization_json(ctx, access.organization(ctx, board.idOrganization))
    if actions and actions != "none":
        body["actions"] = actions_of(ctx, board=board.id, kinds=actions, limit=max(0, min(actions_limit, 1000)))
    return body


@app.put("/1/boards/{id}", tool="update_board")
def update_board(
    ctx: Ctx, id: str, name: Name | MISSING = MISSING, desc: Text | MISSING = MISSING, closed: bool | MISSING = MISSING,
    idOrganization: str | None | MISSING = MISSING,
    permissionLevel: Annotated[Permission | MISSING, Body("prefs/permissionLevel")] = MISSING,
    subscribed: Annotated[bool | MISSING, Body(mcp=False)] = MISSING,
    selfJoin: Annotated[bool | MISSING, Body("prefs/selfJoin", mcp=False)] = MISSING,
    comments: Annotated[Whoever | MISSING, Body("prefs/comments", mcp=False)] = MISSING,
    invitations: Annotated[Inviters | MISSING, Body("prefs/invitations", mcp=False)] = MISSING,
    voting: Annotated[Whoever | MISSING, Body("prefs/voting", mcp=False)] = MISSING,
    background: Annotated[str | MISSING, Body("prefs/background", mcp=False)] = MISSING,
    labelNames: Annotated[dict[str, str] | MISSING, Body(mcp=False)] = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields that are sent. `closed` closes a board or opens it again; a closed one can only be read.

    id: The board's id or short link.
    name: Its name.
    desc: Its description.
    closed: Whether it is closed.
    idOrganization: The id or name of the workspace it belongs to; null for none.
    permissionLevel: Who sees it: org, private or public.
    subscribed: Whether you watch it.
    selfJoin: Whether the workspace's people may join by themselves.
    comments: Who may comment.
    invitations: Who may invite.
    voting: Who may vote.
    background: Its background.
    labelNames: Names of its labels by their colours.
    """
    board = access.board(ctx, id)
    sent = ctx.sent()
    if board.closed and sent.get("closed") is not False:
        access.open_board(ctx, board.id)
    if sent.keys() & {"closed", *_PREFS} and not access.admin_of(ctx, board.id):
        raise access.forbidden()
    if sent.get("idOrganization"):
        sent["idOrganization"] = access.organization(ctx, sent["idOrganization"]).id
    if not set(sent.get("labelNames", {})) <= set(COLORS):
        raise invalid("labelNames")
    prefs = {name: sent.pop(name) for name in _PREFS if name in sent}
    if prefs:
        sent["prefs"] = {**board.prefs, **prefs}
    if sent.get("closed", board.closed) != board.closed:
        sent["dateClosed"] = access.stamp(ctx) if sent["closed"] else None
    old = {name: getattr(board, name) for name, value in sent.items() if getattr(board, name) != value}
    ctx.db.update(board, **sent)
    for name in old.keys() & {"name", "desc", "closed", "prefs"}:
        note(ctx, "updateBoard", board=board, old={name: old[name]})
    return _created(ctx, board)


@app.put("/1/boards/{id}/{field}", tool="update_board_field", effect="update", mcp=False)
def update_board_field(ctx: Ctx, id: str, field: str, value: Any = MISSING) -> Any:
    """Changes one field of a board.

    id: The board's id or short link.
    field: The field's name.
    value: What it becomes.
    """
    if field not in ("name", "desc", "closed", "idOrganization", "subscribed"):
        raise app.no_route("PUT", ctx.request.path)
    return put_field(ctx, "boards", id, field, value)


@app.delete("/1/boards/{id}", tool="delete_board")
def delete_board(ctx: Ctx, id: str) -> dict[str, Any]:
    """Deletes a board for good with everything on it. Only its admins may; to put it away, close it (update_board).

    id: The board's id or short link.
    """
    board = access.board(ctx, id)
    if not access.admin_of(ctx, board.id):
        raise access.forbidden()
    editing.remove_board(ctx, board)
    return {"_value": None}


@app.get("/1/boards/{id}/cards", tool="get_board_cards")
def get_board_cards(
    ctx: Ctx, id: str, filter: CardFilter = "visible", fields: list[str] | None = None, limit: CardLimit | None = None,
    since: Annotated[str | None, Query(mcp=False)] = None, before: str | None = None, members: Annotated[bool, Query(mcp=False)] = False,
    checklists: Annotated[str, Query(mcp=False)] = "none", attachments: Annotated[str, Query(mcp=False)] = "false",
    customFieldItems: Annotated[bool, Query(mcp=False)] = False, actions: Annotated[str, Query(mcp=False)] = "",
) -> list[dict[str, Any]]:  # fmt: skip
    """Lists a board's cards, list by list, each with its main fields (get_card shows all).

    id: The board's id or short link.
    filter: visible (neither it nor its list archived), open, closed, all or none.
    fields: Which of their fields to show, e.g. name, desc, due; or all.
    limit: How many at most (50 by default); the newest where there are more.
    since: Only cards made after this date or card id.
    before: Only cards made before this date or card id: the smallest id so far leads on.
    members: Whether to show their members.
    checklists: `all` shows their checklists.
    attachments: `true` shows their attachments.
    customFieldItems: Whether to show the values of custom fields.
    actions: Kinds of actions to show.
    """
    board = access.board(ctx, id)
    nested = Nested(
        members=members, checklists=checklists == "all", attachments=attachments == "true", custom_fields=customFieldItems, actions=actions
    )  # fmt: skip
    cards = ctx.db.find(Card, idBoard=board.id)
    return listing(ctx, cards, filter, limit=limit, since=since, before=before, fields=fields, nested=nested)


@app.get("/1/boards/{id}/cards/{filter}", tool="get_board_cards_filtered", mcp=False)
def get_board_cards_filtered(
    ctx: Ctx, id: str, filter: str, fields: list[str] | None = None, limit: CardLimit | None = None, before: str | None = None,
    since: str | None = None, customFieldItems: bool = False,
) -> Any:  # fmt: skip
    """A board's cards with the filter in the address, or one of its cards.

    id: The board's id or short link.
    filter: visible, open, closed, all or none; or a card's id, short link or number.
    fields: Which of their fields to show.
    limit: How many at most.
    before: Only cards made before this date or card id.
    since: Only cards made after this date or card id.
    customFieldItems: Whether to show the values of custom fields.
    """
    board = access.board(ctx, id)
    if filter.isdecimal() and filter.isascii() and len(filter) < 10:
        found = ctx.db.first(Card, idBoard=board.id, idShort=int(filter))
        if found is None:
            raise missing_object()
        return card_json(ctx, found, fields)
    if is_id(filter) or is_short(filter):
        found = access.card(ctx, filter)
        if found.idBoard != board.id:
            raise missing_object()
        return card_json(ctx, found, fields)
    cards = ctx.db.find(Card, idBoard=board.id)
    nested = Nested(custom_fields=customFieldItems)
    return listing(ctx, cards, filter, limit=limit, since=since, before=before, fields=fields, nested=nested)


def _members(ctx: Ctx, board: Board, fields: list[str] | None, which: str) -> list[dict[str, Any]]:
    rows = ctx.db.find(Membership, idBoard=board.id, order="place,id", memberType__in=access.member_types(which))
    people = [ctx.require(Member, m.idMember) for m in rows]
    return [select(member_brief(p), fields) for p in people]


@app.get("/1/boards/{id}/members", tool="get_board_members")
def get_board_members(
    ctx: Ctx, id: str, fields: Annotated[list[str] | None, Query(mcp=False)] = None, filter: Annotated[str, Query(mcp=False)] = "all"
) -> list[dict[str, Any]]:  # fmt: skip
    """Lists the members of a board: only they can be put on its cards.

    id: The board's id or short link.
    fields: Which of their fields to show.
    filter: admins, normal, none or all.
    """
    return _members(ctx, access.board(ctx, id), fields, filter)


@app.get("/1/boards/{id}/labels", tool="get_board_labels")
def get_board_labels(
    ctx: Ctx, id: str, fields: Annotated[list[str] | None, Query(mcp=False)] = None, limit: Annotated[int, Query(mcp=False)] = 1000
) -> list[dict[str, Any]]:  # fmt: skip
    """Lists the labels of a board.

    id: The board's id or short link.
    fields: Which of their fields to show.
    limit: How many at most.
    """
    if not 0 <= limit <= 1000:
        raise invalid("limit")
    board = access.board(ctx, id)
    uses = label_uses(ctx, board.id)
    return [
        select(label_json(ctx, x, uses), fields) for x in ctx.db.find(Label, idBoard=board.id, order="id", limit=limit)
    ]


@app.get("/1/boards/{id}/{field}", tool="get_board_field", mcp=False)
def get_board_field(ctx: Ctx, id: str, field: str) -> Any:
    """One field of a board.

    id: The board's id or short link.
    field: The field's name.
    """
    if field in ("plugins", "boardPlugins", "tags"):
        access.board(ctx, id)
        return []
    return one_field(ctx, board_json(ctx, access.board(ctx, id)), field)
