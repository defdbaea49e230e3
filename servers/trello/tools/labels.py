"""Labels. https://developer.atlassian.com/cloud/trello/rest/api-group-labels/"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Ctx, Query

from .. import access, editing
from ..activity import note
from ..app import Text, app, invalid, missing_object
from ..fieldwise import put_field
from ..models import Label
from ..shapes import ALL_COLORS, label_json, select


def _color(color: str | None) -> str | None:
    if color in (None, "", "null"):
        return None
    if color not in ALL_COLORS:
        raise invalid("color")
    return color


@app.post("/1/labels", tool="create_label")
def create_label(ctx: Ctx, name: Text, idBoard: str, color: str | None = None) -> dict[str, Any]:
    """Adds a label to a board.

    name: The label's name.
    idBoard: The board's id.
    color: green, yellow, orange, red, purple, blue, sky, lime, pink or black, also with _light or _dark; null for none.
    """
    board = access.board_named(ctx, "idBoard", idBoard)
    made = ctx.db.add(Label(id=access.new_id(ctx), idBoard=board.id, name=name, color=_color(color)))
    note(ctx, "createLabel", board=board, label={"id": made.id, "name": made.name, "color": made.color})
    return label_json(ctx, made)


@app.post("/1/boards/{id}/labels", tool="create_board_label", mcp=False)
def create_board_label(ctx: Ctx, id: str, name: Text, color: str | None = None) -> dict[str, Any]:
    """Adds a label to a board.

    id: The board's id or short link.
    name: The label's name.
    color: The label's colour.
    """
    return create_label(ctx, name, id, color)


@app.get("/1/labels/{id}", tool="get_label", mcp=False)
def get_label(ctx: Ctx, id: str, fields: Annotated[list[str] | None, Query(mcp=False)] = None) -> dict[str, Any]:
    """Shows a label: its name, colour and board.

    id: The label's id.
    fields: Which of its fields to show.
    """
    return select(label_json(ctx, access.label(ctx, id)), fields)


@app.get("/1/boards/{id}/labels/{idLabel}", tool="get_board_label", mcp=False)
def get_board_label(ctx: Ctx, id: str, idLabel: str) -> dict[str, Any]:
    """Shows a label of a board.

    id: The board's id or short link.
    idLabel: The label's id.
    """
    found = access.label(ctx, idLabel)
    if found.idBoard != access.board(ctx, id).id:
        raise missing_object()
    return label_json(ctx, found)


@app.put("/1/labels/{id}", tool="update_label")
def update_label(
    ctx: Ctx, id: str, name: Text | MISSING = MISSING, color: str | None | MISSING = MISSING
) -> dict[str, Any]:
    """Renames a label or changes its colour, on every card that has it.

    id: The label's id.
    name: Its name.
    color: Its colour; null for none.
    """
    found = access.label(ctx, id)
    board = access.open_board(ctx, found.idBoard)
    sent = ctx.sent()
    if "color" in sent:
        sent["color"] = _color(sent["color"])
    ctx.db.update(found, **sent)
    note(ctx, "updateLabel", board=board, label={"id": found.id, "name": found.name, "color": found.color})
    return label_json(ctx, found)


@app.put("/1/labels/{id}/{field}", tool="update_label_field", effect="update", mcp=False)
def update_label_field(ctx: Ctx, id: str, field: str, value: Any = MISSING) -> Any:
    """Changes a label's name or colour.

    id: The label's id.
    field: name or color.
    value: What it becomes.
    """
    if field not in ("name", "color"):
        raise app.no_route("PUT", ctx.request.path)
    return put_field(ctx, "labels", id, field, value)


@app.delete("/1/labels/{id}", tool="delete_label")
def delete_label(ctx: Ctx, id: str) -> dict[str, Any]:
    """Deletes a label from its board and from every card.

    id: The label's id.
    """
    found = access.label(ctx, id)
    board = access.open_board(ctx, found.idBoard)
    editing.remove_label(ctx, found)
    note(ctx, "deleteLabel", board=board, label={"id": found.id})
    return {"limits": {}}
