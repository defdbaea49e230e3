"""Macros: what one would set. https://developer.zendesk.com/api-reference/ticketing/business-rules/macros/"""

from typing import Any

from legoenv_mcp.app import Ctx

from . import ids, tagging, text
from .errors import Problems
from .models import PRIORITIES, STATUSES, TYPES, Group, Macro, Ticket, TicketField, User

FIELDS = (
    "subject", "status", "priority", "type", "assignee_id", "group_id", "set_tags", "current_tags", "remove_tags", "comment_value",
    "comment_value_html", "comment_mode_is_public",
)  # fmt: skip
_CHOICES: dict[str, tuple[str, ...]] = {"status": STATUSES[:-1], "priority": PRIORITIES, "type": TYPES}


def checked(ctx: Ctx, problems: Problems, given: list[Any]) -> list[dict[str, Any]]:
    """Actions as a macro keeps them."""
    if not given:
        problems.add("base", "Actions: cannot be blank", "BlankValue")
    out = list[dict[str, Any]]()
    for action in given:
        field, value = action.field, action.value
        if field.startswith("custom_fields_"):
            number = field.removeprefix("custom_fields_")
            known = number.isascii() and number.isdecimal() and len(number) < 19
            good = known and ctx.db.get(TicketField, int(number)) is not None
        else:
            good = field in FIELDS
        if not good:
            problems.add("base", f"Invalid field '{field}'")
        elif field in _CHOICES and value not in _CHOICES[field]:
            problems.add("base", f"Invalid value '{value}' for '{field}'")
        elif field == "assignee_id" and value not in ("current_user", "", None) and not _known(ctx, User, value):
            problems.add("base", f"Invalid value '{value}' for 'assignee_id'")
        elif field == "group_id" and value not in ("current_groups", "", None) and not _known(ctx, Group, value):
            problems.add("base", f"Invalid value '{value}' for 'group_id'")
        out.append({"field": field, "value": value})
    return out


def _known(ctx: Ctx, kind: type[User] | type[Group], value: Any) -> bool:
    said = str(value)
    return said.isascii() and said.isdecimal() and len(said) < 19 and ctx.db.get(kind, int(said)) is not None


def changes(ctx: Ctx, macro: Macro, ticket: Ticket | None) -> dict[str, Any]:
    """The ticket's properties that the macro sets, and its comment."""
    out, comment = dict[str, Any](), dict[str, Any]()
    tags = list(ticket.tags if ticket else [])
    me = ids.me(ctx)
    for action in macro.actions:
        field, value = action["field"], action["value"]
        if field in ("comment_value", "comment_value_html"):
            said = value[-1] if isinstance(value, list) and value else str(value or "")
            markup = field.endswith("_html")
            comment["body"] = filled(ctx, text.plain(said) if markup else said, ticket)
            comment["html_body"] = filled(ctx, said if markup else text.html(said), ticket)
            comment.setdefault("public", True)
        elif field == "comment_mode_is_public":
            comment["public"] = value in (True, "true")
        elif field in ("set_tags", "current_tags", "remove_tags"):
            named, removes = [str(value or "")], field == "remove_tags"
            present = [] if field == "set_tags" else tags
            tags = tagging.changed(present, [] if removes else named, named if removes else [])
            out["tags"] = sorted(tags)
        elif field == "assignee_id":
            out[field] = me if value == "current_user" else int(value) if value else None
        elif field == "group_id":
            mine = ctx.db.get(User, me)
            out[field] = (
                (mine.default_group_id if mine else None)
                if value == "current_groups"
                else int(value)
                if value
                else None
            )
        elif field.startswith("custom_fields_"):
            out.setdefault("custom_fields", []).append(
                {"id": int(field.removeprefix("custom_fields_")), "value": value}
            )
        else:
            out[field] = value
    if comment.get("body"):
        out["comment"] = comment
    return out


def filled(ctx: Ctx, said: str, ticket: Ticket | None) -> str:
    """Placeholders of a comment replaced."""
    if "{{" not in said:
        return said
    me = ctx.db.get(User, ids.me(ctx))
    asker = ctx.db.get(User, ticket.requester_id) if ticket else None
    known = {
        "current_user.name": me.name if me else "", "current_user.first_name": (me.name if me else "").partition(" ")[0],
        "ticket.requester.name": asker.name if asker else "",
        "ticket.requester.first_name": (asker.name if asker else "").partition(" ")[0],
        "ticket.id": str(ticket.id) if ticket else "", "ticket.title": (ticket.subject or "") if ticket else "",
        "ticket.status": ticket.status.capitalize() if ticket else "", "ticket.account": ids.account(ctx).name,
    }  # fmt: skip
    for name, value in known.items():
        said = said.replace("{{" + name + "}}", value)
    return said
