"""Checklists and their items. https://developer.atlassian.com/cloud/trello/rest/api-group-checklists/"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Query

from .. import access, editing
from ..activity import note
from ..app import Name, Pos, Text, app, invalid, missing_object
from ..cards import card_json
from ..fieldwise import one_field, put_field
from ..models import Board, Card, CheckItem, Checklist, Membership
from ..shapes import board_json, checklist_json, item_json, select


@app.get("/1/cards/{id}/checklists", tool="get_card_checklists")
def get_card_checklists(
    ctx: Ctx, id: str, checkItems: Annotated[Literal["all", "none"], Query(mcp=False)] = "all",
    fields: Annotated[list[str] | None, Query(mcp=False)] = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """Lists a card's checklists with their items.

    id: The card's id or short link.
    checkItems: Whether to show the items.
    fields: Which fields of the checklists to show.
    """
    rows = ctx.db.find(Checklist, idCard=access.card(ctx, id).id, order="pos,id")
    return [select(checklist_json(ctx, row, checkItems), fields, "checkItems") for row in rows]


@app.get("/1/boards/{id}/checklists", tool="get_board_checklists")
def get_board_checklists(
    ctx: Ctx, id: str, fields: Annotated[list[str] | None, Query(mcp=False)] = None
) -> list[dict[str, Any]]:
    """Lists the checklists of a board's open cards with their items.

    id: The board's id or short link.
    fields: Which fields of the checklists to show.
    """
    board = access.board(ctx, id)
    still = {c.id for c in ctx.db.find(Card, idBoard=board.id, closed=False)}
    rows = [row for row in ctx.db.find(Checklist, idBoard=board.id, order="id") if row.idCard in still]
    return [select(checklist_json(ctx, row), fields, "checkItems") for row in rows]


def _create(ctx: Ctx, card: Card, name: str | None, pos: str | float | None, source: str | None) -> dict[str, Any]:
    taken = [c.pos for c in ctx.db.find(Checklist, idCard=card.id)]
    place = access.place(pos, taken)
    if source:
        original = access.checklist(ctx, source)
        made = editing.copy_checklist(ctx, original, card, name or original.name, place)
    else:
        made = ctx.db.add(
            Checklist(id=access.new_id(ctx), idBoard=card.idBoard, idCard=card.id, name=name or "Checklist", pos=place)
        )  # fmt: skip
    note(ctx, "addChecklistToCard", card=card, checklist={"id": made.id, "name": made.name})
    return checklist_json(ctx, made)


@app.post("/1/checklists", tool="create_checklist")
def create_checklist(
    ctx: Ctx, idCard: str, name: Text | None = None, pos: Pos | None = None, idChecklistSource: str | None = None
) -> dict[str, Any]:  # fmt: skip
    """Adds a checklist to a card.

    idCard: The card's id or short link.
    name: The checklist's name.
    pos: `top`, `bottom` or a positive number.
    idChecklistSource: The id of a checklist to copy.
    """
    return _create(ctx, access.card_named(ctx, "idCard", idCard), name, pos, idChecklistSource)


@app.post("/1/cards/{id}/checklists", tool="create_card_checklist", mcp=False)
def create_card_checklist(
    ctx: Ctx, id: str, name: Text | None = None, pos: Pos | None = None, idChecklistSource: str | None = None
) -> dict[str, Any]:  # fmt: skip
    """Adds a checklist to a card.

    id: The card's id or short link.
    name: The checklist's name.
    pos: `top`, `bottom` or a positive number.
    idChecklistSource: The id of a checklist to copy.
    """
    return _create(ctx, access.open_card(ctx, id), name, pos, idChecklistSource)


@app.get("/1/checklists/{id}", tool="get_checklist")
def get_checklist(
    ctx: Ctx, id: str, checkItems: Annotated[Literal["all", "none"], Query(mcp=False)] = "all",
    checkItem_fields: Annotated[list[str] | None, Query(mcp=False)] = None, fields: Annotated[list[str] | None, Query(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Shows a checklist with its items.

    id: The checklist's id.
    checkItems: Whether to show the items.
    checkItem_fields: Which fields of the items to show.
    fields: Which fields of the checklist to show.
    """
    return select(checklist_json(ctx, access.checklist(ctx, id), checkItems, checkItem_fields), fields, "checkItems")


def _writable(ctx: Ctx, key: str) -> Checklist:
    found = access.checklist(ctx, key)
    access.open_board(ctx, found.idBoard)
    return found


@app.put("/1/checklists/{id}", tool="update_checklist")
def update_checklist(ctx: Ctx, id: str, name: Name | MISSING = MISSING, pos: Pos | MISSING = MISSING) -> dict[str, Any]:
    """Renames or moves a checklist.

    id: The checklist's id.
    name: Its name.
    pos: `top`, `bottom` or a positive number.
    """
    found = _writable(ctx, id)
    sent = ctx.sent()
    if "pos" in sent:
        others = [c.pos for c in ctx.db.find(Checklist, idCard=found.idCard) if c.id != found.id]
        sent["pos"] = access.place(sent["pos"], others)
    ctx.db.update(found, **sent)
    if "name" in sent:
        note(
            ctx, "updateChecklist", card=ctx.require(Card, found.idCard), checklist={"id": found.id, "name": found.name}
        )
    return checklist_json(ctx, found)


@app.put("/1/checklists/{id}/{field}", tool="update_checklist_field", effect="update", mcp=False)
def update_checklist_field(ctx: Ctx, id: str, field: str, value: Any = MISSING) -> Any:
    """Changes a checklist's name or place.

    id: The checklist's id.
    field: name or pos.
    value: What it becomes.
    """
    if field not in ("name", "pos"):
        raise app.no_route("PUT", ctx.request.path)
    return put_field(ctx, "checklists", id, field, value)


@app.get("/1/checklists/{id}/{field}", tool="get_checklist_field", mcp=False)
def get_checklist_field(ctx: Ctx, id: str, field: str) -> Any:
    """One field of a checklist, or its board or cards.

    id: The checklist's id.
    field: The field's name.
    """
    found = access.checklist(ctx, id)
    if field == "board":
        return board_json(ctx, ctx.require(Board, found.idBoard))
    if field == "cards":
        return [card_json(ctx, ctx.require(Card, found.idCard))]
    return one_field(ctx, checklist_json(ctx, found), field)


@app.delete("/1/checklists/{id}", tool="delete_checklist")
def delete_checklist(ctx: Ctx, id: str) -> dict[str, Any]:
    """Deletes a checklist with its items.

    id: The checklist's id.
    """
    found = _writable(ctx, id)
    editing.remove_checklist(ctx, found)
    note(
        ctx,
        "removeChecklistFromCard",
        card=ctx.require(Card, found.idCard),
        checklist={"id": found.id, "name": found.name},
    )
    return {"limits": {}}


@app.delete("/1/cards/{id}/checklists/{idChecklist}", tool="delete_card_checklist", mcp=False)
def delete_card_checklist(ctx: Ctx, id: str, idChecklist: str) -> dict[str, Any]:
    """Deletes a checklist of a card with its items.

    id: The card's id or short link.
    idChecklist: The checklist's id.
    """
    if access.checklist(ctx, idChecklist).idCard != access.card(ctx, id).id:
        raise missing_object()
    return delete_checklist(ctx, idChecklist)


# Items


@app.post("/1/checklists/{id}/checkItems", tool="create_check_item")
def create_check_item(
    ctx: Ctx, id: str, name: Name, pos: Pos | None = None, checked: bool = False, due: str | None = None, idMember: str | None = None,
    dueReminder: int | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Adds an item to a checklist.

    id: The checklist's id.
    name: What is to be done.
    pos: `top`, `bottom` or a positive number.
    checked: Whether it is done already.
    due: When it is due (ISO 8601).
    idMember: The id of the board's member who is to do it.
    dueReminder: How many minutes before it is due to remind.
    """
    found = _writable(ctx, id)
    taken = [i.pos for i in ctx.db.find(CheckItem, idChecklist=found.id)]
    made = ctx.db.add(
        CheckItem(
            id=access.new_id(ctx), idChecklist=found.id, name=name, state="complete" if checked else "incomplete",
            pos=access.place(pos, taken), due=access.date_in("due", due), idMember=_doer(ctx, found, idMember),
            dueReminder=dueReminder,
        )
    )  # fmt: skip
    note(ctx, "createCheckItem", card=ctx.require(Card, found.idCard), checkItem={"id": made.id, "name": made.name})
    return item_json(made)


def _doer(ctx: Ctx, checklist: Checklist, key: str | None) -> str | None:
    if not key or key == "null":
        return None
    if ctx.db.first(Membership, idBoard=checklist.idBoard, idMember=key) is None:
        raise invalid("idMember")
    return key


def _item(ctx: Ctx, key: str, card: Card | None = None, checklist: str | None = None) -> tuple[CheckItem, Checklist]:
    """An item, which must be of this card and this checklist."""
    item = ctx.require(CheckItem, key)
    found = access.checklist(ctx, item.idChecklist)
    if (card is not None and found.idCard != card.id) or (checklist is not None and found.id != checklist):
        raise missing_object()
    return item, found


@app.put("/1/cards/{id}/checkItem/{idCheckItem}", tool="update_check_item")
def update_check_item(
    ctx: Ctx, id: str, idCheckItem: str, name: Name | MISSING = MISSING, state: Literal["complete", "incomplete"] | MISSING = MISSING,
    pos: Pos | MISSING = MISSING, due: str | None | MISSING = MISSING, idMember: str | None | MISSING = MISSING,
    idChecklist: str | MISSING = MISSING, dueReminder: int | None | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes an item of a card's checklist: ticks it off, renames, moves, assigns it.

    id: The card's id or short link.
    idCheckItem: The item's id.
    name: What is to be done.
    state: complete or incomplete.
    pos: `top`, `bottom` or a positive number.
    due: When it is due; null removes it.
    idMember: The id of the board's member who is to do it; null for nobody.
    idChecklist: The id of another checklist of the card to move it to.
    dueReminder: How many minutes before it is due to remind.
    """
    card = access.open_card(ctx, id)
    item, found = _item(ctx, idCheckItem, card)
    return _update(ctx, card, item, found, ctx.sent())


def _update(ctx: Ctx, card: Card, item: CheckItem, found: Checklist, sent: dict[str, Any]) -> dict[str, Any]:
    if "idChecklist" in sent:
        target = access.named(ctx, Checklist, "idChecklist", sent["idChecklist"])
        if target.idCard != card.id:
            raise invalid("idChecklist")
    if "due" in sent:
        sent["due"] = access.date_in("due", sent["due"])
    if "idMember" in sent:
        sent["idMember"] = _doer(ctx, found, sent["idMember"])
    if "pos" in sent:
        others = [
            i.pos for i in ctx.db.find(CheckItem, idChecklist=sent.get("idChecklist", found.id)) if i.id != item.id
        ]
        sent["pos"] = access.place(sent["pos"], others)
    before = item.state
    ctx.db.update(item, **sent)
    if item.state != before:
        told = {"id": item.id, "name": item.name, "state": item.state}
        note(
            ctx, "updateCheckItemStateOnCard", card=card, checkItem=told, checklist={"id": found.id, "name": found.name}
        )
    return item_json(item)


@app.put("/1/cards/{id}/checklist/{idChecklist}/checkItem/{idCheckItem}", tool="update_check_item_2", mcp=False)
def update_check_item_2(
    ctx: Ctx, id: str, idChecklist: str, idCheckItem: str, name: Name | MISSING = MISSING,
    state: Literal["complete", "incomplete"] | MISSING = MISSING, pos: Pos | MISSING = MISSING, due: str | None | MISSING = MISSING,
    idMember: str | None | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """The same at the address that names the checklist too.

    id: The card's id or short link.
    idChecklist: The checklist's id.
    idCheckItem: The item's id.
    name: What is to be done.
    state: complete or incomplete.
    pos: Its place.
    due: When it is due.
    idMember: Who is to do it.
    """
    card = access.open_card(ctx, id)
    item, found = _item(ctx, idCheckItem, card, idChecklist)
    return _update(ctx, card, item, found, ctx.sent())


@app.get("/1/cards/{id}/checkItem/{idCheckItem}", tool="get_check_item", mcp=False)
def get_check_item(ctx: Ctx, id: str, idCheckItem: str) -> dict[str, Any]:
    """Shows an item.

    id: The card's id or short link.
    idCheckItem: The item's id.
    """
    return item_json(_item(ctx, idCheckItem, access.card(ctx, id))[0])


@app.get("/1/checklists/{id}/checkItems", tool="get_checklist_items", mcp=False)
def get_checklist_items(ctx: Ctx, id: str) -> list[dict[str, Any]]:
    """Lists a checklist's items.

    id: The checklist's id.
    """
    return checklist_json(ctx, access.checklist(ctx, id))["checkItems"]


@app.get("/1/checklists/{id}/checkItems/{idCheckItem}", tool="get_checklist_item", mcp=False)
def get_checklist_item(ctx: Ctx, id: str, idCheckItem: str) -> dict[str, Any]:
    """Shows an item.

    id: The checklist's id.
    idCheckItem: The item's id.
    """
    return item_json(_item(ctx, idCheckItem, None, id)[0])


def _remove(ctx: Ctx, item: CheckItem, found: Checklist) -> dict[str, Any]:
    ctx.db.delete(item)
    note(ctx, "deleteCheckItem", card=ctx.require(Card, found.idCard), checkItem={"id": item.id, "name": item.name})
    return {"limits": {}}


@app.delete("/1/checklists/{id}/checkItems/{idCheckItem}", tool="delete_check_item")
def delete_check_item(ctx: Ctx, id: str, idCheckItem: str) -> dict[str, Any]:
    """Removes an item from a checklist.

    id: The checklist's id.
    idCheckItem: The item's id.
    """
    _writable(ctx, id)
    return _remove(ctx, *_item(ctx, idCheckItem, None, id))


@app.delete("/1/cards/{id}/checkItem/{idCheckItem}", tool="delete_check_item_2", mcp=False)
def delete_check_item_2(ctx: Ctx, id: str, idCheckItem: str) -> dict[str, Any]:
    """The same by the card.

    id: The card's id or short link.
    idCheckItem: The item's id.
    """
    return _remove(ctx, *_item(ctx, idCheckItem, access.open_card(ctx, id)))
