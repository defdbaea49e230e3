"""Conditions: which tickets a view shows. https://developer.zendesk.com/documentation/ticketing/reference-guides/conditions-reference/"""

import re
from collections.abc import Callable, Iterable
from typing import Any

from legoenv_mcp.app import Ctx

from . import ids
from .errors import Problems
from .models import PRIORITIES, STATUSES, TYPES, Comment, GroupMembership, SatisfactionRating, Ticket, TicketField

_EQUAL = ("is", "is_not")
_ORDER = (*_EQUAL, "less_than", "greater_than")
_WORDS = ("includes", "not_includes", *_EQUAL)
_HOURS = (
    "is",
    "less_than",
    "greater_than",
    "is_business_hours",
    "less_than_business_hours",
    "greater_than_business_hours",
)
_CUSTOM = (*_ORDER, "includes", "not_includes", "present", "not_present")
_MOMENTS = {
    "updated_at": "updated_at", "assigned_at": "assigned_at", "requester_updated_at": "requester_updated_at",
    "assignee_updated_at": "assignee_updated_at", "created_at": "created_at", "due_date": "due_at",
    **{status.upper(): "status_updated_at" for status in STATUSES},
}  # fmt: skip
_IDS = ("assignee_id", "group_id", "requester_id", "organization_id", "brand_id")
_OPERATORS: dict[str, tuple[str, ...]] = {
    "status": _ORDER, "priority": _ORDER, "type": _EQUAL, "current_tags": ("includes", "not_includes"), "via_id": _EQUAL,
    "recipient": _EQUAL, "satisfaction_score": _ORDER, "subject_includes_word": _WORDS, "description_includes_word": _WORDS,
    "comment_includes_word": _WORDS, **dict.fromkeys(_IDS, _EQUAL), **dict.fromkeys(_MOMENTS, _HOURS),
}  # fmt: skip
_CHOICES: dict[str, tuple[str, ...]] = {"status": STATUSES, "priority": PRIORITIES, "type": TYPES}
_SCORES = ("unoffered", "offered", "bad", "good")
# Of the conditions that must all hold, one says which tickets at all.
_ANCHORS = ("status", "type", "group_id", "assignee_id", "requester_id")
_CUSTOM_FIELD = re.compile(r"(?:custom_fields|ticket_fields)_(\d{1,18})")
_VIA = {"0": "web", "4": "email", "5": "api", "29": "chat", "mail": "email", "web_form": "web", "web_service": "api"}


def checked(ctx: Ctx, problems: Problems, every: Iterable[Any], some: Iterable[Any]) -> dict[str, list[dict[str, Any]]]:
    """Conditions as a view keeps them; problems where a field, an operator or a value is none."""
    made = {"all": [_checked(ctx, problems, c) for c in every], "any": [_checked(ctx, problems, c) for c in some]}
    if not any(c["field"] in _ANCHORS for c in made["all"]):
        problems.add(
            "base", "Conditions: at least one of all must be Status, Type, Group, Assignee or Requester", "InvalidValue"
        )
    return made


def _checked(ctx: Ctx, problems: Problems, condition: Any) -> dict[str, Any]:
    field, operator, value = condition.field, condition.operator or "is", condition.value
    if isinstance(value, bool) or not isinstance(value, (str, int, float, list, type(None))):
        problems.add("base", f"Invalid value '{value}' in '{_spoken(field, operator, value)}'")
    value = "" if value is None else [str(v) for v in value] if isinstance(value, list) else str(value)
    custom = _CUSTOM_FIELD.fullmatch(field)
    operators = _OPERATORS.get(field, _CUSTOM if custom and ctx.db.get(TicketField, int(custom[1])) else ())
    if not operators:
        problems.add("base", f"Invalid field '{field}'")
    elif operator not in operators:
        problems.add("base", f"Invalid operator '{operator}' in '{_spoken(field, operator, value)}'")
    elif (isinstance(value, list) and field not in ("current_tags", *_WORD_FIELDS)) or not _takes(field, value):
        problems.add("base", f"Invalid value '{value}' in '{_spoken(field, operator, value)}'")
    return {"field": field, "operator": operator, "value": value}


_WORD_FIELDS = ("subject_includes_word", "description_includes_word", "comment_includes_word")


def _takes(field: str, value: Any) -> bool:
    if field in _CHOICES:
        return value in _CHOICES[field] or (value == "" and field != "status")
    if field in _IDS:
        return value in ("", "current_user", "current_groups", "requester_id") or (
            value.isascii() and value.isdecimal()
        )
    if field in _MOMENTS:
        return value.isascii() and value.isdecimal() and len(value) < 10
    return field != "satisfaction_score" or value in _SCORES


def _spoken(field: str, operator: str, value: Any) -> str:
    return " / ".join([field.replace("_", " ").capitalize(), operator.replace("_", " ").capitalize(), str(value)])


def select(ctx: Ctx, conditions: dict[str, Any]) -> list[Ticket]:
    """The tickets that meet all of one list and, where there is another, one of it."""
    every, some = conditions.get("all", []), conditions.get("any", [])
    return [
        ticket
        for ticket in ctx.db.find(Ticket, deleted=False)
        if all(_meets(ctx, ticket, c) for c in every) and (not some or any(_meets(ctx, ticket, c) for c in some))
    ]


def _meets(ctx: Ctx, ticket: Ticket, condition: dict[str, Any]) -> bool:
    field, operator, value = condition["field"], condition["operator"], condition["value"]
    if field in _MOMENTS:
        return _since(ctx, ticket, field, operator, int(value))
    if field == "current_tags":
        wanted = value.split() if isinstance(value, str) else value
        return any(tag in ticket.tags for tag in wanted) == (operator == "includes")
    if field in _WORD_FIELDS:
        return _says(ctx, ticket, field, operator, value)
    if field in _IDS:
        return (_names(ctx, ticket, field, value)) == (operator == "is")
    if field == "via_id":
        return (ticket.via == _VIA.get(value, value)) == (operator == "is")
    if field == "satisfaction_score":
        rating = ctx.db.first(SatisfactionRating, ticket_id=ticket.id, order="-id")
        return _compare(_SCORES.index(rating.score if rating else "unoffered"), operator, _SCORES.index(value))
    if (custom := _CUSTOM_FIELD.fullmatch(field)) is not None:
        return _holds(ticket.custom_fields.get(str(int(custom[1]))), operator, value)
    have = getattr(ticket, field) or ""
    if operator in ("less_than", "greater_than"):
        ranks: tuple[str, ...] = _CHOICES[field]
        return _compare(
            ranks.index(have) if have in ranks else -1, operator, ranks.index(value) if value in ranks else -1
        )
    return (have == value) == (operator == "is")


def _compare(left: Any, operator: str, right: Any) -> bool:
    tests: dict[str, Callable[[], bool]] = {
        "is": lambda: left == right, "is_not": lambda: left != right, "less_than": lambda: left < right,
        "greater_than": lambda: left > right,
    }  # fmt: skip
    return tests[operator]()


def _names(ctx: Ctx, ticket: Ticket, field: str, value: str) -> bool:
    have = getattr(ticket, field)
    if value == "":
        return have is None
    if value == "current_user":
        return have == ids.me(ctx)
    if value == "current_groups":
        return have is not None and ctx.db.count(GroupMembership, user_id=ids.me(ctx), group_id=have) > 0
    if value == "requester_id":
        return have == ticket.requester_id
    return have == int(value)


def _since(ctx: Ctx, ticket: Ticket, field: str, operator: str, hours: int) -> bool:
    """Hours since a moment (until, for a due date); of a status, since the ticket has it."""
    moment = getattr(ticket, _MOMENTS[field])
    if moment is None or (field.isupper() and ticket.status != field.lower()):
        return False
    passed = (ctx.now - ctx.parse_time(moment)).total_seconds() / 3600
    passed = -passed if field == "due_date" else passed
    plain = operator.removesuffix("_business_hours")
    return int(passed) == hours if plain == "is" else _compare(passed, plain, hours)


def _says(ctx: Ctx, ticket: Ticket, field: str, operator: str, value: Any) -> bool:
    said = {"subject_includes_word": ticket.subject or "", "description_includes_word": ticket.description}.get(field)
    if said is None:
        said = " ".join(c.body for c in ctx.db.find(Comment, ticket_id=ticket.id))
    words, text = value.split() if isinstance(value, str) else value, said.lower()
    if operator in _EQUAL:
        phrase = value if isinstance(value, str) else " ".join(value)
        return (phrase.lower() in text) == (operator == "is")
    found = any(re.search(rf"(?<!\w){re.escape(word.lower())}(?!\w)", text) for word in words)
    return found == (operator == "includes")


def _holds(have: Any, operator: str, value: Any) -> bool:
    if operator in ("present", "not_present"):
        return (have not in (None, "", [], False)) == (operator == "present")
    if operator in ("includes", "not_includes"):
        wanted = value.split() if isinstance(value, str) else value
        inside = have if isinstance(have, list) else [have]
        return any(w in inside for w in wanted) == (operator == "includes")
    if operator in ("less_than", "greater_than"):
        try:
            return have is not None and _compare(float(have), operator, float(value))
        except (TypeError, ValueError):
            return have is not None and _compare(str(have), operator, str(value))
    told = {True: "true", False: "false", None: ""}.get(have, str(have)) if not isinstance(have, list) else ""
    return (told == str(value)) == (operator == "is")
