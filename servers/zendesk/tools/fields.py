"""Ticket fields. https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_fields/"""

import re
from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, Field, Reply

from .. import errors, ids, resources
from .. import fields as values
from ..app import app, created, done
from ..errors import Problems
from ..inputs import Input, sent
from ..models import Ticket, TicketField
from ..paging import Page, PerPage, by, listing

FieldId = Annotated[int, Field(description="The ticket field's id.")]
FieldType = Literal[
    "text", "textarea", "checkbox", "date", "integer", "decimal", "regexp", "tagger", "multiselect", "partialcreditcard"
]  # fmt: skip
_FLAGS = ("active", "required", "visible_in_portal", "editable_in_portal", "required_in_portal")


class OptionInput(Input):
    """A choice of a drop-down."""

    id: int | None = Field(default=None, description="Id of a choice that is there.")
    name: str = Field(description="What agents see.")
    value: str = Field(description="The value, which is also a tag.")


class TicketFieldInput(Input):
    """A custom field's properties."""

    type: FieldType | None = Field(default=None, description="Kind of field; it cannot be changed later.")
    title: str | None = Field(default=None, description="Name of the field.", max_length=255)
    description: str | None = Field(default=None, description="What it is for.")
    position: int | None = Field(default=None, description="Place on the form.")
    active: bool | None = Field(default=None, description="Whether it is in use.")
    required: bool | None = Field(default=None, description="Whether tickets are solved only with a value in it.")
    visible_in_portal: bool | None = Field(default=None, description="Whether requesters see it.")
    editable_in_portal: bool | None = Field(default=None, description="Whether requesters may fill it in.")
    required_in_portal: bool | None = Field(default=None, description="Whether requesters must fill it in.")
    regexp_for_validation: str | None = Field(default=None, description="For a regexp field: the pattern.")
    tag: str | None = Field(default=None, description="For a checkbox: the tag it sets.")
    custom_field_options: list[OptionInput] | None = Field(default=None, description="For a drop-down: the choices.")


@app.get("/api/v2/ticket_fields", tool="list_ticket_fields")
def list_ticket_fields(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the fields that tickets have: the system's and custom ones, with their choices."""
    rows = sorted(ctx.db.find(TicketField), key=by("position"))
    return listing(ctx, "ticket_fields", rows, lambda f: resources.ticket_field(ctx, f), page=page, per_page=per_page)


@app.get("/api/v2/ticket_fields/{ticket_field_id}", tool="show_ticket_field", mcp=False)
def show_ticket_field(ctx: Ctx, ticket_field_id: FieldId) -> dict[str, Any]:
    """Shows a ticket field."""
    return {"ticket_field": resources.ticket_field(ctx, ctx.require(TicketField, ticket_field_id))}


def _columns(ctx: Ctx, row: TicketField | None, given: dict[str, Any]) -> dict[str, Any]:
    problems = Problems()
    new = {n: given[n] for n in ("title", "description", "position", *_FLAGS) if given.get(n) is not None}
    new |= {n: given[n] for n in ("regexp_for_validation", "tag") if n in given}
    kind = row.type if row else given.get("type") or ""
    if row is None and not kind:
        problems.add("type", "Type: cannot be blank", "BlankValue")
    if row is not None and given.get("type") not in (None, row.type):
        problems.add("type", "Type: cannot be changed")
    if not (new.get("title", row.title if row else "") or "").strip():
        problems.add("title", "Title: cannot be blank", "BlankValue")
    if new.get("regexp_for_validation"):
        try:
            re.compile(new["regexp_for_validation"])
            if values.runaway(new["regexp_for_validation"]):
                raise re.error("runaway")
        except re.error:
            problems.add("regexp_for_validation", "Regexp for validation: is invalid")
    if given.get("custom_field_options") is not None:
        new["options"] = _options(ctx, problems, row, kind, given["custom_field_options"])
    problems.check()
    return new


def _options(
    ctx: Ctx, problems: Problems, row: TicketField | None, kind: str, given: list[Any]
) -> list[dict[str, Any]]:
    if kind not in ("tagger", "multiselect"):
        problems.add("custom_field_options", "Custom field options: only drop-downs have them")
    values = [option.value for option in given]
    if len(set(values)) < len(values):
        problems.add("custom_field_options", "Custom field options: values must be unique", "DuplicateValue")
    if any(not value or value != value.lower() or " " in value for value in values):
        problems.add("custom_field_options", "Custom field options: values are lower case, without spaces")
    known = {option["value"]: option["id"] for option in (row.options if row else [])}
    return [
        {
            "id": known.get(o.value) or ids.new(ctx, "ticket_field"),
            "name": o.name,
            "raw_name": o.name,
            "value": o.value,
            "default": False,
        }
        for o in given
    ]


@app.post("/api/v2/ticket_fields", tool="create_ticket_field", status=201)
def create_ticket_field(ctx: Ctx, ticket_field: TicketFieldInput) -> Reply:
    """Creates a custom ticket field. Its values go into tickets' `custom_fields`.

    ticket_field: The field's properties; `type` and `title` are needed.
    """
    given, now = sent(ctx, ticket_field), ctx.timestamp()
    new = {"position": 9999, **_columns(ctx, None, given)}
    new.setdefault("description", new["title"])
    row = ctx.db.add(
        TicketField(id=ids.new(ctx, "ticket_field"), type=given["type"], created_at=now, updated_at=now, **new)
    )
    return created(ctx, {"ticket_field": resources.ticket_field(ctx, row)})


@app.put("/api/v2/ticket_fields/{ticket_field_id}", tool="update_ticket_field", mcp=False)
def update_ticket_field(ctx: Ctx, ticket_field_id: FieldId, ticket_field: TicketFieldInput) -> dict[str, Any]:
    """Changes a ticket field's properties. Choices that are sent replace those there are.

    ticket_field: What to change.
    """
    row = ctx.require(TicketField, ticket_field_id)
    ctx.db.update(row, **_columns(ctx, row, sent(ctx, ticket_field)), updated_at=ctx.timestamp())
    return {"ticket_field": resources.ticket_field(ctx, row)}


@app.delete("/api/v2/ticket_fields/{ticket_field_id}", tool="delete_ticket_field", mcp=False)
def delete_ticket_field(ctx: Ctx, ticket_field_id: FieldId) -> Any:
    """Deletes a custom ticket field with its values."""
    row = ctx.require(TicketField, ticket_field_id)
    if not row.removable:
        raise errors.refuse("base", "Ticket field: a system field cannot be deleted", "InvalidValue")
    for ticket in ctx.db.find(Ticket):
        if str(row.id) in ticket.custom_fields:
            kept = {k: v for k, v in ticket.custom_fields.items() if k != str(row.id)}
            ctx.db.update(ticket, custom_fields=kept)
    ctx.db.delete(row)
    return done(ctx, {"deleted": True, "id": ticket_field_id})


@app.get("/api/v2/ticket_fields/{ticket_field_id}/options", tool="list_ticket_field_options", mcp=False)
def list_ticket_field_options(ctx: Ctx, ticket_field_id: FieldId) -> dict[str, Any]:
    """Lists a drop-down's choices."""
    row = ctx.require(TicketField, ticket_field_id)
    return listing(ctx, "custom_field_options", row.options, lambda option: option, per_page=100)
