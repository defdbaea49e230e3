"""Cards. https://developer.atlassian.com/cloud/trello/rest/api-group-cards/"""

from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, Body, Ctx, Field, Query

from .. import access, editing
from ..activity import actions, note
from ..app import Name, Pos, Text, app, invalid, is_id, is_short
from ..cards import Nested, card_json
from ..fieldwise import one_field, put_field
from ..models import Board, Card, TrelloList
from ..shapes import board_json, list_json

_FIELDS = ("name", "desc", "closed", "due", "dueComplete", "start", "pos", "subscribed", "idList", "idBoard", "address", "locationName",
           "coordinates", "dueReminder", "isTemplate", "cover", "idMembers", "idLabels")  # fmt: skip
_OF_LIST = "the id of a list (get_board_lists)"
_KEPT = {"attachments", "checklists", "comments", "customFields", "due", "start", "labels", "members", "stickers"}


class Cover(TypedDict, total=False):
    """A card's cover."""

    color: Annotated[
        str | None, Field(description="pink, yellow, lime, blue, black, orange, red, purple, sky or green.")
    ]
    brightness: Annotated[Literal["dark", "light"], Field(description="Whether the text on it is dark or light.")]
    size: Annotated[Literal["normal", "full"], Field(description="Whether it fills the card.")]
    idAttachment: Annotated[str | None, Field(description="The id of an attached picture.")]


@app.post("/1/cards", tool="create_card")
def create_card(
    ctx: Ctx, idList: str, name: Text | None = None, desc: Text | None = None, pos: Pos | None = None, due: str | None = None,
    start: str | None = None, dueComplete: bool | None = None, idMembers: list[str] | None = None, idLabels: list[str] | None = None,
    urlSource: str | None = None, idCardSource: str | None = None, keepFromSource: list[str] | None = None,
    address: Annotated[Text | None, Body(mcp=False)] = None, locationName: Annotated[Text | None, Body(mcp=False)] = None,
    coordinates: Annotated[str | None, Body(mcp=False)] = None, isTemplate: Annotated[bool | None, Body(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Adds a card to a list. With `idCardSource` it is a copy of that card.

    idList: The id of the list to put it in (get_board_lists).
    name: The card's title.
    desc: Its description, in Markdown.
    pos: `top`, `bottom` or a positive number; by default `bottom`.
    due: The due date (ISO 8601).
    start: The start date.
    dueComplete: Whether it is done already.
    idMembers: Ids of members of the board to put on it (get_board_members).
    idLabels: Ids of labels of the board to put on it (get_board_labels).
    urlSource: An address to attach; also the title where none is given.
    idCardSource: The id of a card to copy.
    keepFromSource: What to copy: all (the default) or some of attachments, checklists, comments, due, start, labels, members.
    """
    column = access.named(ctx, TrelloList, "idList", idList, _OF_LIST)
    board = access.open_board(ctx, column.idBoard)
    if idCardSource and not is_id(idCardSource) and not is_short(idCardSource):
        raise invalid("idCardSource")
    source = access.card(ctx, idCardSource) if idCardSource else None
    values: dict[str, Any] = {"name": "", "desc": ""}
    kept = set[str]()
    if source is not None:
        wanted = {part.strip() for text in keepFromSource or ["all"] for part in text.split(",")}
        if not wanted <= {*_KEPT, "all"}:
            raise invalid("keepFromSource")
        kept = _KEPT if "all" in wanted else wanted
        values = {
            "name": source.name,
            "desc": source.desc,
            "cover": {k: v for k, v in source.cover.items() if k != "idAttachment"},
        }
        values |= {"due": source.due, "dueComplete": source.dueComplete} if "due" in kept else {}
        values |= {"start": source.start} if "start" in kept else {}
        elsewhere = source.idBoard != board.id
        values |= {"idMembers": source.idMembers} if "members" in kept and not elsewhere else {}
        values |= {"idLabels": source.idLabels} if "labels" in kept and not elsewhere else {}
    if urlSource and not urlSource.startswith(("http://", "https://")):
        raise invalid("urlSource")
    if not name and not source and urlSource:
        name = urlSource
    given = {
        "name": name, "desc": desc, "dueComplete": dueComplete, "address": address, "locationName": locationName,
        "coordinates": coordinates,
        "isTemplate": isTemplate, "due": access.date_in("due", due), "start": access.date_in("start", start),
        "idMembers": access.members_in(ctx, board.id, idMembers) if idMembers else None,
        "idLabels": access.labels_in(ctx, board.id, idLabels) if idLabels else None,
    }  # fmt: skip
    card = editing.add_card(ctx, column, board, pos, **{**values, **access.clean(given)})
    if source is not None:
        editing.copy_onto(ctx, source, card, kept)
    if urlSource:
        editing.attach_url(ctx, card, urlSource)
    return card_json(ctx, card)


@app.get("/1/cards/{id}", tool="get_card")
def get_card(
    ctx: Ctx, id: str, fields: list[str] | None = None, members: bool = False, checklists: Literal["all", "none"] = "none",
    attachments: str = "false", actions: str = "", board: bool = False, list: bool = False, customFieldItems: bool = False,
    member_fields: Annotated[list[str] | None, Query(mcp=False)] = None,
    checklist_fields: Annotated[list[str] | None, Query(mcp=False)] = None,
    attachment_fields: Annotated[list[str] | None, Query(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Shows a card, and with it what is asked for of its surroundings.

    id: The card's id or short link.
    fields: Which of its fields to show; all by default.
    members: Whether to show its members.
    checklists: `all` shows its checklists with their items.
    attachments: `true` shows its attachments.
    actions: Kinds of actions to show, with commas between, e.g. commentCard for its comments.
    board: Whether to show its board.
    list: Whether to show its list.
    customFieldItems: Whether to show the values of custom fields.
    """
    nested = Nested(
        members=members, member_fields=member_fields, checklists=checklists == "all", checklist_fields=checklist_fields,
        attachments=attachments in ("true", "cover"), attachment_fields=attachment_fields, actions=actions, board=board, list=list,
        custom_fields=customFieldItems,
    )  # fmt: skip
    return card_json(ctx, access.card(ctx, id), fields, nested)


def changed(ctx: Ctx, card: Card, sent: dict[str, Any]) -> Card:
    """A card with the fields that were sent. All are checked before any is written."""
    changes: dict[str, Any] = {}
    for name, value in sent.items():
        if name in ("due", "start"):
            changes[name] = access.date_in(name, value)
        elif value is None and name in (
            "name",
            "closed",
            "dueComplete",
            "subscribed",
            "isTemplate",
            "pos",
            "idList",
            "idBoard",
        ):
            raise invalid(name)
        elif name == "cover":
            changes[name] = editing.cover_of(ctx, card, value)
        elif name == "desc":
            changes[name] = value or ""
        elif name not in ("idList", "idBoard", "pos", "idMembers", "idLabels"):
            changes[name] = value
    target = (
        access.board_named(ctx, "idBoard", sent["idBoard"]) if "idBoard" in sent else ctx.require(Board, card.idBoard)
    )
    column = ctx.require(TrelloList, card.idList)
    if "idList" in sent:
        column = access.named(ctx, TrelloList, "idList", sent["idList"], _OF_LIST)
        if "idBoard" in sent and column.idBoard != target.id:
            raise invalid("idList")
        target = access.open_board(ctx, column.idBoard)
    elif target.id != card.idBoard:
        column = editing.first_list(ctx, target)
    if target.id != card.idBoard:
        changes |= editing.to_board(ctx, card, target)
    if "idMembers" in sent:
        changes["idMembers"] = access.members_in(ctx, target.id, sent["idMembers"] or [])
    if "idLabels" in sent:
        changes["idLabels"] = access.labels_in(ctx, target.id, sent["idLabels"] or [])
    moved = column.id != card.idList
    if moved or "pos" in sent:
        changes |= {
            "idList": column.id,
            "pos": access.place(sent.get("pos"), access.card_places(ctx, column.id, card.id)),
        }
    came_from = card.idBoard
    editing.change_card(ctx, card, changes)
    if card.idBoard != came_from:
        note(ctx, "moveCardToBoard", card=card, boardSource={"id": came_from})
    return card


@app.put("/1/cards/{id}", tool="update_card", effect="update")
def update_card(
    ctx: Ctx, id: str, name: Name | MISSING = MISSING, desc: Text | None | MISSING = MISSING, closed: bool | MISSING = MISSING,
    due: str | None | MISSING = MISSING, dueComplete: bool | MISSING = MISSING, start: str | None | MISSING = MISSING,
    pos: Pos | MISSING = MISSING, idList: str | MISSING = MISSING, idBoard: str | MISSING = MISSING,
    idMembers: list[str] | MISSING = MISSING, idLabels: list[str] | MISSING = MISSING, subscribed: bool | MISSING = MISSING,
    cover: Cover | str | None | MISSING = MISSING,
    dueReminder: Annotated[int | None | MISSING, Body(mcp=False)] = MISSING,
    address: Annotated[Text | None | MISSING, Body(mcp=False)] = MISSING,
    locationName: Annotated[Text | None | MISSING, Body(mcp=False)] = MISSING,
    coordinates: Annotated[str | None | MISSING, Body(mcp=False)] = MISSING,
    isTemplate: Annotated[bool | MISSING, Body(mcp=False)] = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields that are sent. `closed` archives the card or brings it back; `idList` moves it.

    id: The card's id or short link.
    name: Its title.
    desc: Its description.
    closed: Whether it is archived.
    due: The due date (ISO 8601); null removes it.
    dueComplete: Whether it is done.
    start: The start date; null removes it.
    pos: `top`, `bottom` or a positive number.
    idList: The id of the list to move it to.
    idBoard: The id of the board to move it to.
    idMembers: Ids of all its members from now on.
    idLabels: Ids of all its labels from now on.
    subscribed: Whether you watch it.
    cover: Its cover: an object with color, brightness (dark, light), size (normal, full), idAttachment.
    """
    return card_json(ctx, changed(ctx, access.open_card(ctx, id), ctx.sent()))


@app.put("/1/cards/{id}/idList", tool="move_card", effect="update")
def move_card(
    ctx: Ctx, id: str, idList: Annotated[str, Body("value")], pos: Pos | MISSING = MISSING, idBoard: str | MISSING = MISSING
) -> dict[str, Any]:  # fmt: skip
    """Moves a card to another list, of its own or of another board.

    id: The card's id or short link.
    idList: The id of the list (get_board_lists).
    pos: Where in the list: `top`, `bottom` (the default) or a positive number.
    idBoard: The id of the list's board, if it is another one.
    """
    return card_json(ctx, changed(ctx, access.open_card(ctx, id), ctx.sent()))


@app.put("/1/cards/{id}/{field}", tool="update_card_field", effect="update", mcp=False)
def update_card_field(ctx: Ctx, id: str, field: str, value: Any = MISSING, idList: Any = MISSING) -> Any:
    """Changes one field of a card.

    id: The card's id or short link.
    field: The field's name.
    value: What it becomes.
    idList: The list, where the field is idBoard.
    """
    if field not in _FIELDS:
        raise app.no_route("PUT", ctx.request.path)
    more = {"idList": idList} if field == "idBoard" and idList is not MISSING else {}
    return put_field(ctx, "cards", id, field, value, **more)


@app.delete("/1/cards/{id}", tool="delete_card")
def delete_card(ctx: Ctx, id: str) -> dict[str, Any]:
    """Deletes a card for good, with its comments, checklists and attachments. To put it away, archive it (update_card, closed).

    id: The card's id or short link.
    """
    card = access.open_card(ctx, id)
    board, column = ctx.require(Board, card.idBoard), ctx.require(TrelloList, card.idList)
    editing.remove_card(ctx, card)
    note(ctx, "deleteCard", board=board, column=column, card=card)
    return {"limits": {}}


@app.get("/1/cards/{id}/actions", tool="get_card_actions")
def get_card_actions(
    ctx: Ctx, id: str, filter: str = "commentCard,updateCard:idList", limit: Annotated[int, Field(ge=0, le=1000)] | None = None,
    since: str | None = None, before: str | None = None, page: Annotated[int, Field(ge=0, le=19)] = 0,
    fields: Annotated[list[str] | None, Query(mcp=False)] = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """What happened to a card, the newest first: its comments and moves unless another filter is given.

    id: The card's id or short link.
    filter: Kinds of actions with commas between (commentCard, updateCard, updateCard:idList ...), or all.
    limit: How many at most (20 by default).
    since: Only those after this date or action id.
    before: Only those before this date or action id.
    page: The page, from 0.
    """
    card = access.card(ctx, id)
    return actions(ctx, card=card.id, kinds=filter, limit=limit, since=since, before=before, page=page, fields=fields)


@app.get("/1/cards/{id}/{field}", tool="get_card_field", mcp=False)
def get_card_field(ctx: Ctx, id: str, field: str) -> Any:
    """One field of a card, or its board, list or members.

    id: The card's id or short link.
    field: The field's name.
    """
    card = access.card(ctx, id)
    if field == "board":
        return board_json(ctx, ctx.require(Board, card.idBoard))
    if field == "list":
        return list_json(ctx.require(TrelloList, card.idList))
    if field in ("pluginData", "stickers", "membersVoted"):
        return []
    return one_field(ctx, card_json(ctx, card), field)
