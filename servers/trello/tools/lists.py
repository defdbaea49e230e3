"""Lists. https://developer.atlassian.com/cloud/trello/rest/api-group-lists/"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Field, Query

from .. import access, editing
from ..activity import note
from ..app import Name, Pos, app, invalid
from ..cards import Nested, listing
from ..fieldwise import one_field, put_field
from ..models import Board, Card, TrelloList
from ..shapes import board_json, list_json, select

CardFilter = Literal["all", "closed", "none", "open", "visible"]
ListFilter = Literal["all", "closed", "none", "open"]
CardLimit = Annotated[int, Field(ge=1, le=1000)]


def chosen_lists(ctx: Ctx, id_board: str, which: str) -> list[TrelloList]:
    """A board's lists in their order: not archived, archived, or both."""
    if which not in ("all", "closed", "none", "open"):
        raise invalid("filter")
    closed = {"open": False, "closed": True}.get(which)
    return [] if which == "none" else ctx.db.find(TrelloList, idBoard=id_board, closed=closed, order="pos,id")


@app.get("/1/boards/{id}/lists", tool="get_board_lists")
def get_board_lists(
    ctx: Ctx, id: str, filter: ListFilter = "open", cards: CardFilter = "none",
    fields: Annotated[list[str] | None, Query(mcp=False)] = None,
    card_fields: Annotated[list[str] | None, Query(mcp=False)] = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """Lists a board's lists (its columns) in their order.

    id: The board's id or short link.
    filter: open (not archived), closed, all or none.
    cards: Which of their cards to put into them: none, open, closed, visible or all.
    fields: Which of their fields to show.
    card_fields: Which fields of the cards to show.
    """
    out = list[dict[str, Any]]()
    for row in chosen_lists(ctx, access.board(ctx, id).id, filter):
        body = list_json(row)
        if cards != "none":
            body["cards"] = listing(ctx, ctx.db.find(Card, idList=row.id), cards, fields=card_fields)
        out.append(select(body, fields, "cards"))
    return out


@app.get("/1/boards/{id}/lists/{filter}", tool="get_board_lists_filtered", mcp=False)
def get_board_lists_filtered(ctx: Ctx, id: str, filter: str, fields: list[str] | None = None) -> list[dict[str, Any]]:
    """The same with the filter in the address.

    id: The board's id or short link.
    filter: open, closed, all or none.
    fields: Which of their fields to show.
    """
    return [select(list_json(row), fields) for row in chosen_lists(ctx, access.board(ctx, id).id, filter)]


@app.post("/1/lists", tool="create_list")
def create_list(
    ctx: Ctx, name: Name, idBoard: str, pos: Pos | None = None, idListSource: Annotated[str | None, Body(mcp=False)] = None
) -> dict[str, Any]:  # fmt: skip
    """Adds a list to a board.

    name: The list's name.
    idBoard: The board's id.
    pos: `top`, `bottom` or a positive number; by default it is the first.
    idListSource: The id of a list to copy, with its cards.
    """
    board = access.board_named(ctx, "idBoard", idBoard)
    source = access.column(ctx, idListSource) if idListSource else None
    taken = [row.pos for row in ctx.db.find(TrelloList, idBoard=board.id)]
    made = ctx.db.add(
        TrelloList(
            id=access.new_id(ctx), idBoard=board.id, name=name, pos=access.place("top" if pos is None else pos, taken)
        )
    )
    note(ctx, "createList", board=board, column=made)
    if source is not None:
        for card in ctx.db.find(Card, idList=source.id, closed=False, order="pos,id"):
            copied = editing.add_card(
                ctx, made, board, card.pos, name=card.name, desc=card.desc, due=card.due, start=card.start,
                **({"idMembers": card.idMembers, "idLabels": card.idLabels} if card.idBoard == board.id else {}),
            )  # fmt: skip
            editing.copy_onto(ctx, card, copied, {"checklists", "attachments", "customFields"})
    return list_json(made)


@app.post("/1/boards/{id}/lists", tool="create_board_list", mcp=False)
def create_board_list(ctx: Ctx, id: str, name: Name, pos: Pos | None = None) -> dict[str, Any]:
    """Adds a list to a board.

    id: The board's id or short link.
    name: The list's name.
    pos: Its place.
    """
    return create_list(ctx, name, id, pos)


@app.get("/1/lists/{id}", tool="get_list")
def get_list(ctx: Ctx, id: str, fields: Annotated[list[str] | None, Query(mcp=False)] = None) -> dict[str, Any]:
    """Shows one list (a column of a board).

    id: The list's id.
    fields: Which of its fields to show.
    """
    return select(list_json(access.column(ctx, id)), fields)


def _writable(ctx: Ctx, key: str) -> TrelloList:
    found = access.column(ctx, key)
    access.open_board(ctx, found.idBoard)
    return found


@app.put("/1/lists/{id}", tool="update_list")
def update_list(
    ctx: Ctx, id: str, name: Name | MISSING = MISSING, closed: bool | MISSING = MISSING, pos: Pos | MISSING = MISSING,
    subscribed: bool | MISSING = MISSING, idBoard: str | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Renames, moves, archives or brings back a list.

    id: The list's id.
    name: Its name.
    closed: Whether it is archived.
    pos: `top`, `bottom` or a positive number.
    subscribed: Whether you watch it.
    idBoard: The id of the board to move it to, with its cards.
    """
    found = _writable(ctx, id)
    sent = ctx.sent()
    target = access.board_named(ctx, "idBoard", sent.pop("idBoard")) if "idBoard" in sent else None
    if "pos" in sent:
        others = [
            x.pos for x in ctx.db.find(TrelloList, idBoard=(target.id if target else found.idBoard)) if x.id != found.id
        ]
        sent["pos"] = access.place(sent["pos"], others)
    if target is not None and target.id != found.idBoard:
        _to_board(ctx, found, target)
    old = {name: getattr(found, name) for name, value in sent.items() if getattr(found, name) != value}
    ctx.db.update(found, **sent)
    for name, value in old.items():
        if name != "subscribed":
            note(ctx, "updateList", board=ctx.require(Board, found.idBoard), column=found, old={name: value})
    return list_json(found)


def _to_board(ctx: Ctx, found: TrelloList, target: Board) -> None:
    note(ctx, "moveListFromBoard", board=ctx.require(Board, found.idBoard), column=found, boardTarget={"id": target.id})
    taken = [x.pos for x in ctx.db.find(TrelloList, idBoard=target.id)]
    for card in ctx.db.find(Card, idList=found.id, order="pos,id"):
        ctx.db.update(card, **editing.to_board(ctx, card, target))
    ctx.db.update(found, idBoard=target.id, pos=access.place(None, taken))
    note(ctx, "moveListToBoard", board=target, column=found)


@app.put("/1/lists/{id}/closed", tool="archive_list", effect="update")
def archive_list(ctx: Ctx, id: str, value: bool = True) -> dict[str, Any]:
    """Archives a list or, with false, brings it back. Lists cannot be deleted.

    id: The list's id.
    value: Whether it is archived.
    """
    found = _writable(ctx, id)
    if found.closed != value:
        ctx.db.update(found, closed=value)
        note(ctx, "updateList", board=ctx.require(Board, found.idBoard), column=found, old={"closed": not value})
    return list_json(found)


@app.put("/1/lists/{id}/{field}", tool="update_list_field", effect="update", mcp=False)
def update_list_field(ctx: Ctx, id: str, field: str, value: Any = MISSING) -> Any:
    """Changes one field of a list.

    id: The list's id.
    field: The field's name.
    value: What it becomes.
    """
    if field not in ("name", "pos", "subscribed", "idBoard"):
        raise app.no_route("PUT", ctx.request.path)
    return put_field(ctx, "lists", id, field, value)


@app.get("/1/lists/{id}/cards", tool="get_list_cards")
def get_list_cards(
    ctx: Ctx, id: str, filter: CardFilter = "open", fields: list[str] | None = None, limit: CardLimit | None = None,
    since: Annotated[str | None, Query(mcp=False)] = None, before: str | None = None, members: Annotated[bool, Query(mcp=False)] = False,
    customFieldItems: Annotated[bool, Query(mcp=False)] = False, actions: Annotated[str, Query(mcp=False)] = "",
) -> list[dict[str, Any]]:  # fmt: skip
    """Lists a list's cards in their order, each with its main fields (get_card shows all).

    id: The list's id.
    filter: open (not archived), closed, visible, all or none.
    fields: Which of their fields to show, e.g. name, desc, due; or all.
    limit: How many at most (50 by default); the newest where there are more.
    since: Only cards made after this date or card id.
    before: Only cards made before this date or card id.
    members: Whether to show their members.
    customFieldItems: Whether to show the values of custom fields.
    actions: Kinds of actions to show.
    """
    column = access.column(ctx, id)
    nested = Nested(members=members, custom_fields=customFieldItems, actions=actions)
    cards = ctx.db.find(Card, idList=column.id)
    return listing(ctx, cards, filter, limit=limit, since=since, before=before, fields=fields, nested=nested)


@app.get("/1/lists/{id}/{field}", tool="get_list_field", mcp=False)
def get_list_field(ctx: Ctx, id: str, field: str) -> Any:
    """One field of a list, or its board.

    id: The list's id.
    field: The field's name.
    """
    found = access.column(ctx, id)
    if field == "board":
        return board_json(ctx, ctx.require(Board, found.idBoard))
    return one_field(ctx, list_json(found), field)


@app.post("/1/lists/{id}/archiveAllCards", tool="archive_all_cards", effect="update")
def archive_all_cards(ctx: Ctx, id: str) -> dict[str, Any]:
    """Archives every card of a list.

    id: The list's id.
    """
    found = _writable(ctx, id)
    for card in ctx.db.find(Card, idList=found.id, closed=False, order="pos,id"):
        editing.change_card(ctx, card, {"closed": True})
    return {}


@app.post("/1/lists/{id}/moveAllCards", tool="move_all_cards", effect="update")
def move_all_cards(ctx: Ctx, id: str, idBoard: str, idList: str) -> list[dict[str, Any]]:
    """Moves every card of a list that is not archived to the end of another list.

    id: The list's id.
    idBoard: The id of the other list's board.
    idList: The other list's id.
    """
    found = _writable(ctx, id)
    board = access.board_named(ctx, "idBoard", idBoard)
    target = access.named(ctx, TrelloList, "idList", idList)
    if target.idBoard != board.id:
        raise invalid("idList")
    if target.id != found.id:
        for card in ctx.db.find(Card, idList=found.id, closed=False, order="pos,id"):
            more = editing.to_board(ctx, card, board) if board.id != card.idBoard else {}
            place = access.place(None, access.card_places(ctx, target.id))
            editing.change_card(ctx, card, {**more, "idList": target.id, "pos": place})
    return listing(ctx, ctx.db.find(Card, idList=target.id), "open")
