"""Ticket types and their attributes. https://developers.intercom.com/docs/references/rest-api/api.intercom.io/ticket-types"""

from typing import Any

from legoenv_mcp.app import HEX, MISSING, Ctx

from .. import errors, ids, wire
from ..app import app
from ..inputs import Text
from ..models import AttributeType, Category, TicketAttribute, TicketType
from ..ticketing import DESCRIPTION, TITLE


@app.get("/ticket_types", tool="list_ticket_types")
def list_ticket_types(ctx: Ctx) -> dict[str, Any]:
    """Lists the ticket types with their attributes and states."""
    return {"type": "list", "data": [wire.ticket_type(ctx, t) for t in ctx.db.find(TicketType)]}


@app.get("/ticket_types/{ticket_type_id}", tool="get_ticket_type")
def get_ticket_type(ctx: Ctx, ticket_type_id: str) -> dict[str, Any]:
    """Shows a ticket type with its attributes and states.

    ticket_type_id: The ticket type's id.
    """
    return wire.ticket_type(ctx, ctx.require(TicketType, ticket_type_id))


@app.post("/ticket_types", tool="create_ticket_type", mcp=False)
def create_ticket_type(
    ctx: Ctx, name: str, description: str | None = None, category: Category | None = None, icon: str | None = None,
    is_internal: bool | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates a ticket type, with a title and a description as its first attributes.

    name: Its name.
    description: What it is for.
    category: Customer, Back-office or Tracker.
    icon: An emoji.
    is_internal: Whether it is of the team's own; then its category is Back-office.
    """
    if not name.strip():
        raise errors.invalid_parameter("Name can't be blank")
    when = ctx.epoch()
    chosen = category or ("Back-office" if is_internal else "Customer")
    row = ctx.db.add(TicketType(
        id=ids.number(ctx, "ticket_type"), name=name, description=description or "", category=chosen, icon=icon or "🎟️",
        is_internal=chosen != "Customer", created_at=when, updated_at=when,
    ))  # fmt: skip
    first_attributes(ctx, row)
    return wire.ticket_type(ctx, row)


def first_attributes(ctx: Ctx, row: TicketType) -> None:
    """The title and the description that every type begins with."""
    for order, name in enumerate((TITLE, DESCRIPTION)):
        ctx.db.add(TicketAttribute(
            id=ids.number(ctx, "ticket_attribute"), ticket_type_id=row.id, name=name, data_type="string", multiline=order == 1,
            order=order, default=True, created_at=row.created_at, updated_at=row.created_at,
        ))  # fmt: skip


@app.put("/ticket_types/{ticket_type_id}", tool="update_ticket_type", mcp=False)
def update_ticket_type(
    ctx: Ctx, ticket_type_id: str, name: str | MISSING = MISSING, description: str | MISSING = MISSING,
    category: Category | MISSING = MISSING, icon: str | MISSING = MISSING, archived: bool | MISSING = MISSING,
    is_internal: bool | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes or archives a ticket type. Its category stays what it is.

    ticket_type_id: The ticket type's id.
    name: Its name.
    description: What it is for.
    category: Cannot change.
    icon: An emoji.
    archived: Whether no more tickets are made of it.
    is_internal: Whether it is of the team's own.
    """
    row, sent = ctx.require(TicketType, ticket_type_id), ctx.sent()
    if sent.pop("category", row.category) != row.category:
        raise errors.invalid_parameter("The category of a ticket type cannot be changed")
    if "name" in sent and not sent["name"].strip():
        raise errors.invalid_parameter("Name can't be blank")
    return wire.ticket_type(ctx, ctx.db.update(row, **sent, updated_at=ctx.epoch()))


def _choices(ctx: Ctx, items: str, old: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Options written with commas between. Those that are named again keep their ids."""
    known = {c["name"]: c["id"] for c in old}
    names = list(dict.fromkeys(part.strip() for part in items.split(",") if part.strip()))
    if not names:
        raise errors.invalid_parameter("A list attribute must have list_items")
    return [{"id": known.get(n) or ctx.id("", 16, HEX, kind="choice"), "name": n, "archived": False} for n in names]


@app.post("/ticket_types/{ticket_type_id}/attributes", tool="create_ticket_type_attribute", mcp=False)
def create_ticket_type_attribute(
    ctx: Ctx, ticket_type_id: str, name: str, description: str, data_type: AttributeType, required_to_create: bool = False,
    required_to_create_for_contacts: bool = False, visible_on_create: bool = True, visible_to_contacts: bool = True,
    multiline: bool | None = None, list_items: Text | None = None, allow_multiple_values: bool | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Adds an attribute to a ticket type.

    ticket_type_id: The ticket type's id.
    name: Its name, no other of the type having it.
    description: What it is for.
    data_type: What its values are.
    required_to_create: Whether teammates must give it.
    required_to_create_for_contacts: Whether contacts must give it.
    visible_on_create: Whether teammates see it when they create.
    visible_to_contacts: Whether contacts see it.
    multiline: Of text: whether it has more than one line.
    list_items: Of a list: its options, with commas between.
    allow_multiple_values: Of files: whether there may be more than one.
    """
    kind = ctx.require(TicketType, ticket_type_id)
    if ctx.db.count(TicketAttribute, ticket_type_id=kind.id, name=name):
        raise errors.invalid_parameter(f"The ticket type already has an attribute named '{name}'")
    when = ctx.epoch()
    row = ctx.db.add(TicketAttribute(
        id=ids.number(ctx, "ticket_attribute"), ticket_type_id=kind.id, name=name, description=description, data_type=data_type,
        multiline=bool(multiline), allow_multiple_values=bool(allow_multiple_values), required_to_create=required_to_create,
        required_to_create_for_contacts=required_to_create_for_contacts, visible_on_create=visible_on_create,
        visible_to_contacts=visible_to_contacts, order=ctx.db.count(TicketAttribute, ticket_type_id=kind.id),
        choices=_choices(ctx, list_items or "", []) if data_type == "list" else [], created_at=when, updated_at=when,
    ))  # fmt: skip
    return wire.ticket_attribute(ctx, row)


@app.put("/ticket_types/{ticket_type_id}/attributes/{attribute_id}", tool="update_ticket_type_attribute", mcp=False)
def update_ticket_type_attribute(
    ctx: Ctx, ticket_type_id: str, attribute_id: str, name: str | MISSING = MISSING, description: str | MISSING = MISSING,
    required_to_create: bool | MISSING = MISSING, required_to_create_for_contacts: bool | MISSING = MISSING,
    visible_on_create: bool | MISSING = MISSING, visible_to_contacts: bool | MISSING = MISSING, multiline: bool | MISSING = MISSING,
    list_items: Text | MISSING = MISSING, allow_multiple_values: bool | MISSING = MISSING, archived: bool | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes or archives an attribute of a ticket type. Its data type stays; title and description cannot be archived.

    ticket_type_id: The ticket type's id.
    attribute_id: The attribute's id.
    name: Its name.
    description: What it is for.
    required_to_create: Whether teammates must give it.
    required_to_create_for_contacts: Whether contacts must give it.
    visible_on_create: Whether teammates see it when they create.
    visible_to_contacts: Whether contacts see it.
    multiline: Of text: whether it has more than one line.
    list_items: Of a list: its options, with commas between.
    allow_multiple_values: Of files: whether there may be more than one.
    archived: Whether tickets no longer have it.
    """
    row, sent = ctx.require(TicketAttribute, attribute_id), ctx.sent()
    if row.ticket_type_id != ticket_type_id:
        raise errors.not_found()
    if row.default and (sent.get("archived") or sent.get("name", row.name) != row.name):
        raise errors.invalid_parameter("A default attribute cannot be archived or renamed")
    if sent.get("name", row.name) != row.name and ctx.db.count(
        TicketAttribute, ticket_type_id=ticket_type_id, name=sent["name"]
    ):
        raise errors.invalid_parameter(f"The ticket type already has an attribute named '{sent['name']}'")
    if "list_items" in sent:
        items = sent.pop("list_items")
        if row.data_type != "list":
            raise errors.invalid_parameter("Only a list attribute has list_items")
        sent["choices"] = _choices(ctx, items, row.choices)
    return wire.ticket_attribute(ctx, ctx.db.update(row, **sent, updated_at=ctx.epoch()))
