"""Ticket fields: custom values are checked by their field's type; drop-downs and checkboxes have tags that follow them."""

import re
from typing import Any

from legoenv_mcp.app import Ctx

from .errors import Problems
from .models import Ticket, TicketField

_NUMBERS = {"integer": re.compile(r"[+-]?\d{1,18}"), "decimal": re.compile(r"[+-]?\d{1,18}(\.\d+)?")}


def system(ctx: Ctx, kind: str) -> TicketField | None:
    return ctx.db.first(TicketField, type=kind, removable=False)


def class_of(field: TicketField) -> str:
    """The field's type as validation errors name it."""
    return "Field" + {"tickettype": "TicketType"}.get(field.type, field.type.capitalize())


def about(field: TicketField | None) -> dict[str, Any]:
    return {"ticket_field_id": field.id, "ticket_field_type": class_of(field)} if field else {}


def is_empty(value: Any) -> bool:
    return value in (None, "", [], False)


def checked(ctx: Ctx, problems: Problems, given: list[Any]) -> dict[str, Any]:
    """Custom fields' values by the fields' ids as text."""
    out = dict[str, Any]()
    for one in given:
        field = ctx.db.get(TicketField, one.id)
        if field is None or not field.removable:
            problems.add("custom_fields", f"Custom field {one.id} does not exist", "RecordNotFound")
        elif not field.active:
            problems.add("custom_fields", f"{field.title}: is not active", "InvalidValue", **about(field))
        else:
            out[str(field.id)] = value_of(problems, field, one.value)
    return out


def value_of(problems: Problems, field: TicketField, value: Any) -> Any:
    """The value as the field keeps it; a problem where the field does not take it."""
    options = {option["value"] for option in field.options}
    kind = field.type
    if kind == "multiselect":
        chosen = [value] if isinstance(value, str) else value
        if chosen is None or (isinstance(chosen, list) and all(isinstance(c, str) and c in options for c in chosen)):
            return chosen
    elif kind == "checkbox":
        if value in (None, True, False, "true", "false", "1", "0", 1, 0) and not isinstance(value, float):
            return value in (True, "true", "1", 1)
    elif value is None or value == "":
        return None
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        said = str(value)
        fits = {
            "tagger": said in options, "date": bool(re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", said)),
            "regexp": _matches(field.regexp_for_validation, said),
        }.get(kind, not (pattern := _NUMBERS.get(kind)) or bool(pattern.fullmatch(said)))  # fmt: skip
        if fits:
            return int(said) if kind == "integer" else said
    problems.add("base", f"{field.title}: is invalid", "InvalidValue", **about(field))
    return None


def runaway(pattern: str) -> bool:
    """Whether a pattern repeats a group that itself repeats or chooses, which can take forever on a value that does not match."""
    open_groups, closed = [False], False
    parts = re.findall(r"\\.|\[(?:\\.|[^\]\\])*\]|\{[\d,]+\}|.", pattern, re.DOTALL)
    for part in parts:
        repeats = part in ("*", "+") or (part[0] == "{" and len(part) > 1)
        if repeats and closed:
            return True
        closed = False
        if part == "(":
            open_groups.append(False)
        elif part == ")" and len(open_groups) > 1:
            closed = open_groups.pop()
            open_groups[-1] = open_groups[-1] or closed
        elif part in ("*", "+", "|") or (repeats and "," in part):
            open_groups[-1] = True
    return False


def _matches(pattern: str | None, said: str) -> bool:
    try:
        return pattern is None or re.search(pattern, said) is not None
    except re.error:
        return True


def tags_of(ctx: Ctx, values: dict[str, Any]) -> set[str]:
    """The tags that come with custom values: a drop-down's choice, a checkbox's tag while it is ticked."""
    found = set[str]()
    for key, value in values.items():
        field = ctx.db.get(TicketField, int(key))
        if field is None or is_empty(value):
            continue
        if field.type == "tagger":
            found.add(value)
        elif field.type == "multiselect":
            found |= set(value)
        elif field.type == "checkbox" and field.tag:
            found.add(field.tag)
    return found


def required_to_solve(ctx: Ctx, problems: Problems, ticket: Ticket, new: dict[str, Any]) -> None:
    """A ticket is solved with an assignee, and with every required field filled in."""

    def now(name: str) -> Any:
        return new.get(name, getattr(ticket, name))

    if now("assignee_id") is None:
        field = system(ctx, "assignee")
        problems.add("base", "Assignee: is required when solving a ticket", None, **about(field))
    system_values = {"priority": now("priority"), "tickettype": now("type"), "group": now("group_id")}
    for field in ctx.db.find(TicketField, active=True, required=True, order="position"):
        value = now("custom_fields").get(str(field.id)) if field.removable else system_values.get(field.type, True)
        if is_empty(value):
            problems.add("base", f"{field.title}: is required when solving a ticket", None, **about(field))
