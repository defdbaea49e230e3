"""Tickets: their attributes, which must fit the ticket type, and their states."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from legoenv_mcp.app import Ctx

from . import errors, ids, threads, wire
from .models import Admin, Contact, Conversation, Ticket, TicketAttribute, TicketState, TicketType
from .people import address

TITLE, DESCRIPTION = "_default_title_", "_default_description_"


def find(ctx: Ctx, key: str) -> Ticket:
    return ctx.require(Ticket, key)


def kind_of(ctx: Ctx, key: str) -> TicketType:
    row = ctx.db.get(TicketType, key)
    if row is None or row.archived:
        raise errors.refuse(404, "ticket_type_not_found", "Ticket type not found")
    return row


def fields_of(ctx: Ctx, type_id: str) -> dict[str, TicketAttribute]:
    return {a.name: a for a in ctx.db.find(TicketAttribute, ticket_type_id=type_id, archived=False, order="order,id")}


def _fits(field: TicketAttribute, value: Any) -> Any:
    """The value as the attribute keeps it; of a list, the option's label."""

    def refused(why: str) -> Exception:
        return errors.invalid_parameter(f"Ticket attribute '{field.name}' {why}")

    if value is None:
        return None
    if field.data_type == "list":
        options = [c for c in field.choices if not c.get("archived")]
        chosen = next((c for c in options if value in (c["id"], c["name"])), None)
        if chosen is None:
            raise refused(f"must be one of: {', '.join(c['name'] for c in options)}")
        return chosen["name"]
    if field.data_type == "boolean" and not isinstance(value, bool):
        raise refused("must be a boolean")
    if field.data_type == "integer" and (not isinstance(value, int) or isinstance(value, bool)):
        raise refused("must be an integer")
    if field.data_type == "decimal" and (not isinstance(value, (int, float)) or isinstance(value, bool)):
        raise refused("must be a number")
    if field.data_type == "string" and not isinstance(value, str):
        raise refused("must be a string")
    if field.data_type == "datetime":
        good = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        if isinstance(value, str):
            try:
                datetime.fromisoformat(value)
                good = True
            except ValueError:
                good = False
        if not good:
            raise refused("must be a date and time")
    if field.data_type == "files" and not isinstance(value, list):
        raise refused("must be a list of files")
    return value


def read_attributes(ctx: Ctx, type_id: str, sent: Mapping[str, Any]) -> dict[str, Any]:
    fields = fields_of(ctx, type_id)
    for name in sent:
        if name not in fields:
            raise errors.invalid_parameter(f"Ticket attribute '{name}' does not exist on the ticket type")
    return {name: _fits(fields[name], value) for name, value in sent.items()}


def check_required(ctx: Ctx, type_id: str, attributes: Mapping[str, Any]) -> None:
    """A teammate must give what the type requires."""
    lacking = [
        n for n, f in fields_of(ctx, type_id).items() if f.required_to_create and attributes.get(n) in (None, "")
    ]
    if lacking:
        raise errors.invalid_parameter(f"Missing required ticket attributes: {', '.join(lacking)}")


def first_state(ctx: Ctx, type_id: str) -> TicketState:
    return next(s for s in wire.states_of(ctx, type_id) if s.category == "submitted")


def make(
    ctx: Ctx, thread: Conversation, kind: TicketType, attributes: dict[str, Any], who: Admin | None, when: int
) -> Ticket:
    """Makes a thread a ticket, in the first state."""
    state = first_state(ctx, kind.id)
    row = ctx.db.add(Ticket(
        id=thread.id, number=next_number(ctx), ticket_type_id=kind.id, state_id=state.id, attributes=attributes, created_at=when,
        is_shared=kind.category == "Customer",
    ))  # fmt: skip
    threads.log(
        ctx,
        thread,
        "ticket_state_updated_by_admin",
        who,
        ticket_state=state.category,
        previous_ticket_state=state.category,
        created_at=when,
    )
    return row


def next_number(ctx: Ctx) -> int:
    rows = ctx.db.find(Ticket, order="-number", limit=1)
    return rows[0].number + 1 if rows else 1


def move(ctx: Ctx, row: Ticket, thread: Conversation, state_id: str, who: Admin | None) -> None:
    """To another state. One that resolves closes the thread; leaving such a state opens it."""
    new = next((s for s in wire.states_of(ctx, row.ticket_type_id) if s.id == state_id), None)
    if new is None:
        raise errors.refuse(
            400, "ticket_state_id_invalid", "Ticket state id is not valid or is not associated with the ticket type"
        )
    old = ctx.require(TicketState, row.state_id)
    if new.id == old.id:
        return
    threads.log(
        ctx, thread, "ticket_state_updated_by_admin", who, ticket_state=new.category, previous_ticket_state=old.category
    )
    ctx.db.update(row, state_id=new.id)
    if new.category == "resolved" and old.category != "resolved":
        ctx.db.update(thread, state="closed", snoozed_until=None, waiting_since=None)
    elif old.category == "resolved" and new.category != "resolved":
        ctx.db.update(thread, state="open", snoozed_until=None)


def change(ctx: Ctx, row: Ticket, thread: Conversation, sent: Mapping[str, Any], who: Admin | None) -> None:
    """Sets attributes; each that changes leaves a part."""
    fields, made = fields_of(ctx, row.ticket_type_id), read_attributes(ctx, row.ticket_type_id, sent)
    for name, value in made.items():
        field = fields[name]
        if value in (None, "") and field.required_to_create:
            raise errors.invalid_parameter(f"Ticket attribute '{name}' is required")
        if row.attributes.get(name) == value:
            continue
        told = {
            "attribute": {"type": "attribute", "id": field.id, "label": name},
            "value": {"type": "value", "id": value, "label": value},
        }
        threads.log(ctx, thread, "ticket_attribute_updated_by_admin", who, updated_attribute=told)
        ctx.db.update(row, attributes={**row.attributes, name: value})
    if TITLE in made:
        ctx.db.update(thread, title=cast(str | None, made[TITLE]))


def people(ctx: Ctx, named: list[Any]) -> list[Contact]:
    """Whom a ticket is for. An address that nobody has yet becomes a lead's."""
    found = list[Contact]()
    for one in named:
        ways = {n: v for n, v in cast(dict[str, Any], one).items() if v is not None}
        if len(ways) != 1:
            raise errors.invalid_parameter("Each contact must have one of id, external_id or email")
        mail = address(ways["email"] or "none") if "email" in ways else None
        if mail and not ctx.db.count(Contact, email=mail, archived=False):
            when = ctx.epoch()
            who = ctx.db.add(Contact(
                id=ids.objectid(ctx, "contact"), role="lead", email=mail, created_at=when, updated_at=when,
            ))  # fmt: skip
        else:
            who = threads.contact_of(ctx, ways.get("id"), ways.get("external_id"), ways.get("email"))
        if who.id not in [c.id for c in found]:
            found.append(who)
    return found
