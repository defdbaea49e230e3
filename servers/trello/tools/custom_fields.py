"""Custom fields. https://developer.atlassian.com/cloud/trello/rest/api-group-customfields/"""

import re
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, ApiError, Body, Ctx, Field

from .. import access
from ..app import Name, Pos, app, invalid
from ..models import CustomField, CustomFieldItem
from ..shapes import field_item_json, field_json

_NUMBER = re.compile(r"[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
Kind = Literal["checkbox", "date", "list", "number", "text"]


class Value(TypedDict, total=False):
    """A value under the name of its kind, as text."""

    text: Annotated[str, Field(description="A text.")]
    number: Annotated[str | int | float, Field(description="A number, as text.")]
    date: Annotated[str, Field(description="A date (ISO 8601).")]
    checked: Annotated[str | bool, Field(description="true or false, as text.")]


class OptionText(TypedDict):
    """What a choice says."""

    text: Annotated[str, Field(description="The choice's name.")]


class Option(TypedDict, total=False):
    """A choice of a field of type list."""

    value: Annotated[OptionText, Field(description="What it says.")]
    color: Annotated[str, Field(description="Its colour; none by default.")]


def _options(ctx: Ctx, field: str, given: list[Option], taken: list[dict[str, Any]]) -> list[dict[str, Any]]:
    made = list(taken)
    for option in given:
        said = option.get("value")
        if not said or not said["text"].strip():
            raise invalid("options")
        place = access.place(None, [o["pos"] for o in made])
        made.append({
            "id": access.new_id(ctx), "idCustomField": field, "value": {"text": said["text"]},
            "color": option.get("color", "none"),
            "pos": place,
        })  # fmt: skip
    return made


@app.get("/1/boards/{id}/customFields", tool="get_board_custom_fields")
def get_board_custom_fields(ctx: Ctx, id: str) -> list[dict[str, Any]]:
    """Lists the custom fields that a board's cards have.

    id: The board's id or short link.
    """
    return [field_json(f) for f in ctx.db.find(CustomField, idBoard=access.board(ctx, id).id, order="pos,id")]


@app.post("/1/customFields", tool="create_custom_field")
def create_custom_field(
    ctx: Ctx, idModel: str, name: Name, type: Kind, options: list[Option] | None = None, pos: Pos = "bottom",
    modelType: Annotated[Literal["board"], Body(mcp=False)] = "board", display_cardFront: Annotated[bool, Body(mcp=False)] = True,
) -> dict[str, Any]:  # fmt: skip
    """Adds a custom field to a board's cards.

    idModel: The board's id.
    name: The field's name.
    type: What it holds: checkbox, date, list (one of its options), number or text.
    options: The choices of a list.
    pos: `top`, `bottom` or a positive number.
    modelType: board.
    display_cardFront: Whether cards show it on their front.
    """
    board = access.board_named(ctx, "idModel", idModel)
    key = access.new_id(ctx)
    taken = [f.pos for f in ctx.db.find(CustomField, idBoard=board.id)]
    made = CustomField(
        id=key, idBoard=board.id, name=name, type=type, pos=access.place(pos, taken), cardFront=display_cardFront,
        options=_options(ctx, key, options or [], []) if type == "list" else [],
    )  # fmt: skip
    return field_json(ctx.db.add(made))


def _field(ctx: Ctx, key: str, *, write: bool = False) -> CustomField:
    found = ctx.require(CustomField, key)
    (access.open_board if write else access.board)(ctx, found.idBoard)
    return found


@app.get("/1/customFields/{id}", tool="get_custom_field", mcp=False)
def get_custom_field(ctx: Ctx, id: str) -> dict[str, Any]:
    """Shows a custom field.

    id: The field's id.
    """
    return field_json(_field(ctx, id))


@app.put("/1/customFields/{id}", tool="update_custom_field", mcp=False)
def update_custom_field(
    ctx: Ctx, id: str, name: Name | MISSING = MISSING, pos: Pos | MISSING = MISSING
) -> dict[str, Any]:
    """Renames or moves a custom field.

    id: The field's id.
    name: Its name.
    pos: Its place.
    """
    found = _field(ctx, id, write=True)
    sent = ctx.sent()
    if "pos" in sent:
        sent["pos"] = access.place(
            sent["pos"], [f.pos for f in ctx.db.find(CustomField, idBoard=found.idBoard) if f.id != found.id]
        )
    return field_json(ctx.db.update(found, **sent))


@app.delete("/1/customFields/{id}", tool="delete_custom_field")
def delete_custom_field(ctx: Ctx, id: str) -> dict[str, Any]:
    """Deletes a custom field and its values on every card.

    id: The field's id.
    """
    found = _field(ctx, id, write=True)
    ctx.db.delete_where(CustomFieldItem, idCustomField=found.id)
    ctx.db.delete(found)
    return {"_value": None}


@app.get("/1/customFields/{id}/options", tool="get_custom_field_options", mcp=False)
def get_custom_field_options(ctx: Ctx, id: str) -> list[dict[str, Any]]:
    """Lists the choices of a field of type list.

    id: The field's id.
    """
    return _field(ctx, id).options


@app.post("/1/customFields/{id}/options", tool="add_custom_field_option", mcp=False)
def add_custom_field_option(ctx: Ctx, id: str, value: OptionText, color: str = "none") -> dict[str, Any]:
    """Adds a choice to a field of type list.

    id: The field's id.
    value: What it says: an object with text.
    color: Its colour.
    """
    found = _field(ctx, id, write=True)
    if found.type != "list":
        raise ApiError(400, "Custom field is not a list")
    options = _options(ctx, found.id, [{"value": value, "color": color}], found.options)
    ctx.db.update(found, options=options)
    return options[-1]


@app.delete("/1/customFields/{id}/options/{idOption}", tool="delete_custom_field_option", mcp=False)
def delete_custom_field_option(ctx: Ctx, id: str, idOption: str) -> dict[str, Any]:
    """Removes a choice, and with it its values on cards.

    id: The field's id.
    idOption: The choice's id.
    """
    found = _field(ctx, id, write=True)
    if idOption not in {o["id"] for o in found.options}:
        raise app.not_found("Option", idOption)
    ctx.db.delete_where(CustomFieldItem, idCustomField=found.id, idValue=idOption)
    ctx.db.update(found, options=[o for o in found.options if o["id"] != idOption])
    return {"_value": None}


@app.get("/1/cards/{id}/customFieldItems", tool="get_card_custom_field_items", mcp=False)
def get_card_custom_field_items(ctx: Ctx, id: str) -> list[dict[str, Any]]:
    """Lists the values of custom fields on a card.

    id: The card's id or short link.
    """
    return [field_item_json(i) for i in ctx.db.find(CustomFieldItem, idCard=access.card(ctx, id).id)]


@app.put("/1/cards/{id}/customField/{idCustomField}/item", tool="update_card_custom_field")
def update_card_custom_field(
    ctx: Ctx, id: str, idCustomField: str, value: Value | str | None = None, idValue: str | None = None
) -> dict[str, Any]:  # fmt: skip
    """Sets the value of a custom field on a card. Neither value nor idValue clears it.

    id: The card's id or short link.
    idCustomField: The field's id.
    value: An object with text, number, date or checked (as the field's type is), whose value is text.
    idValue: The id of the choice, where the field's type is list.
    """
    card = access.open_card(ctx, id)
    found = _field(ctx, idCustomField)
    if found.idBoard != card.idBoard:
        raise invalid("idCustomField")
    old = ctx.db.first(CustomFieldItem, idCard=card.id, idCustomField=found.id)
    if not value and not idValue:
        if old is not None:
            ctx.db.delete(old)
        return {"idCustomField": found.id, "idModel": card.id, "modelType": "card", "value": None, "idValue": None}
    new = _value(found, value, idValue)
    if old is None:
        old = ctx.db.add(CustomFieldItem(id=access.new_id(ctx), idCard=card.id, idCustomField=found.id, **new))
    else:
        ctx.db.update(old, **new)
    ctx.db.update(card, dateLastActivity=access.stamp(ctx))
    return field_item_json(old)


def _value(found: CustomField, value: Any, choice: str | None) -> dict[str, Any]:
    if found.type == "list":
        if choice not in {o["id"] for o in found.options}:
            raise invalid("idValue")
        return {"idValue": choice, "value": None}
    name = {"checkbox": "checked"}.get(found.type, found.type)
    if not isinstance(value, dict) or set(value) != {name}:
        raise ApiError(400, "Invalid custom field item value.")
    text = str(value[name]).lower() if isinstance(value[name], bool) else str(value[name])
    if found.type == "number" and (not _NUMBER.fullmatch(text) or abs(float(text)) == float("inf")):
        raise ApiError(400, "Invalid custom field item value.")
    if found.type == "checkbox" and text not in ("true", "false"):
        raise ApiError(400, "Invalid custom field item value.")
    return {"idValue": None, "value": {name: access.date_in("value", text) or "" if found.type == "date" else text}}


@app.put("/1/card/{id}/customField/{idCustomField}/item", tool="update_card_custom_field_2", mcp=False)
def update_card_custom_field_2(
    ctx: Ctx, id: str, idCustomField: str, value: Value | str | None = None, idValue: str | None = None
) -> dict[str, Any]:  # fmt: skip
    """The same at the address with `card`.

    id: The card's id or short link.
    idCustomField: The field's id.
    value: The value.
    idValue: The id of the choice.
    """
    return update_card_custom_field(ctx, id, idCustomField, value, idValue)
