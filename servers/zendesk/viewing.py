"""Views: what they show, in which order and columns. https://developer.zendesk.com/api-reference/ticketing/business-rules/views/"""

from collections.abc import Sequence
from typing import Any

from legoenv_mcp.app import Ctx

from . import conditions, ids
from .errors import Problems, attribute
from .models import PRIORITIES, STATUSES, TYPES, Group, Organization, Ticket, User, View
from .paging import rank

# Column -> its title, and the ticket's own property.
COLUMNS: dict[str, tuple[str, str]] = {
    "subject": ("Subject", "subject"), "requester": ("Requester", "requester_id"), "created": ("Requested", "created_at"),
    "updated": ("Updated", "updated_at"), "status": ("Status", "status"), "priority": ("Priority", "priority"),
    "type": ("Ticket type", "type"), "assignee": ("Assignee", "assignee_id"), "group": ("Group", "group_id"),
    "organization": ("Organization", "organization_id"), "nice_id": ("ID", "id"), "solved": ("Solved", "solved_at"),
    "due_date": ("Due date", "due_at"), "submitter": ("Submitter", "submitter_id"), "assigned": ("Assigned", "assigned_at"),
    "updated_requester": ("Requester updated", "requester_updated_at"), "updated_assignee": ("Assignee updated", "assignee_updated_at"),
    "brand": ("Brand", "brand_id"), "description": ("Description", "description"),
}  # fmt: skip
_ALIASES = {
    "created_at": "created",
    "updated_at": "updated",
    "id": "nice_id",
    "ticket_id": "nice_id",
    "ticket_type": "type",
}
DEFAULT = ("subject", "requester", "created", "updated", "group", "assignee")
_UNSORTED = ("subject", "description")


def column(name: str) -> dict[str, Any]:
    sortable = name not in _UNSORTED
    return {
        "id": name,
        "title": COLUMNS[name][0],
        "filterable": sortable and name not in ("created",),
        "sortable": sortable,
    }


def execution(
    columns: Sequence[str],
    group_by: str | None = None,
    group_order: str = "desc",
    sort_by: str | None = None,
    sort_order: str = "desc",
) -> dict[str, Any]:
    shown = [column(name) for name in columns]
    return {
        "group_by": group_by, "group_order": group_order, "sort_by": sort_by, "sort_order": sort_order,
        "group": {**column(group_by), "order": group_order} if group_by else None,
        "sort": {**column(sort_by), "order": sort_order} if sort_by else None,
        "columns": shown, "fields": shown, "custom_fields": [],
    }  # fmt: skip


def output(problems: Problems, given: Any, present: dict[str, Any] | None = None) -> dict[str, Any]:
    """The execution that an `output` describes."""
    old = present or execution(DEFAULT)
    names = [c["id"] for c in old["columns"]]
    said = {
        "group_by": old["group_by"],
        "group_order": old["group_order"],
        "sort_by": old["sort_by"],
        "sort_order": old["sort_order"],
    }
    if given is not None:
        names = [_ALIASES.get(n, n) for n in given.columns] if given.columns is not None else names
        for key in said:
            if key in given.model_fields_set:
                value = getattr(given, key)
                said[key] = _ALIASES.get(value, value) if key.endswith("by") else value or "desc"
    for name in [*names, *filter(None, (said["group_by"], said["sort_by"]))]:
        if name not in COLUMNS:
            problems.add("base", f"Invalid column '{name}'")
    for name in filter(None, (said["group_by"], said["sort_by"])):
        if name in _UNSORTED:
            problems.add("base", f"Invalid column '{name}' to sort by")
    return execution(
        [n for n in names if n in COLUMNS], **{k: v for k, v in said.items() if not k.endswith("by") or v in COLUMNS}
    )


def tickets(
    ctx: Ctx, cond: dict[str, Any], order: dict[str, Any], sort_by: str | None = None, sort_order: str | None = None
) -> list[Ticket]:
    """The tickets of a view in its order; `sort_by` asks for another."""
    found = conditions.select(ctx, cond)
    if sort_by is not None:
        name = _ALIASES.get(sort_by, sort_by)
        if name not in COLUMNS or name in _UNSORTED:
            raise attribute("sort_by", f"must be one of {', '.join(n for n in COLUMNS if n not in _UNSORTED)}")
        order = {"sort_by": name, "sort_order": sort_order or "asc", "group_by": None}
    elif sort_order is not None:
        order = {**order, "sort_order": sort_order}
    found.sort(key=lambda t: t.id, reverse=True)
    for by, way in ((order["sort_by"], order.get("sort_order")), (order["group_by"], order.get("group_order"))):
        if by:
            keys = {t.id: _place(ctx, t, by) for t in found}
            found.sort(key=lambda t: keys[t.id], reverse=way == "desc")
    return found


def _place(ctx: Ctx, ticket: Ticket, name: str) -> tuple[int, Any]:
    value = getattr(ticket, COLUMNS[name][1])
    ranks: tuple[str, ...] | None = {"status": STATUSES, "priority": PRIORITIES, "type": TYPES}.get(name)
    if ranks is not None:
        return rank(ranks.index(value) if value in ranks else None)
    if value is not None and (kind := _named(name)) is not None:
        row = ctx.db.get(kind, value)
        return rank(row.name if row else None)
    return rank(value)


def _named(name: str) -> type[User] | type[Group] | type[Organization] | None:
    users = ("requester", "assignee", "submitter")
    return User if name in users else Group if name == "group" else Organization if name == "organization" else None


def row_of(ctx: Ctx, ticket: Ticket, order: dict[str, Any]) -> dict[str, Any]:
    """A ticket as a row of a view: what its columns say, users and groups by id."""
    out: dict[str, Any] = {
        "ticket": {
            "url": ids.url(ctx, f"tickets/{ticket.id}"), "id": ticket.id, "subject": ticket.subject,
            "description": ticket.description[:200], "status": ticket.status, "type": ticket.type, "priority": ticket.priority,
        },
        "ticket_id": ticket.id, "custom_fields": [], "fields": [],
    }  # fmt: skip
    for shown in (*order["columns"], *filter(None, (order["group"], order["sort"]))):
        name = shown["id"]
        value = COLUMNS[name][1]
        out[value if value.endswith("_id") else name] = getattr(ticket, value)
    return out


def count_of(ctx: Ctx, view: View) -> dict[str, Any]:
    total = len(conditions.select(ctx, view.conditions))
    return {
        "url": ids.url(ctx, f"views/{view.id}/count"), "view_id": view.id, "value": total, "pretty": str(total), "fresh": True,
    }  # fmt: skip
