"""Filter conditions, by the family of values that they test. https://developers.notion.com/reference/filter-data-source-entries

A family is {operator: (check of its operand, test of a value against the operand)}.
"""

from collections.abc import Callable
from datetime import UTC, timedelta
from datetime import date as day_of
from typing import Any

from legoenv_mcp.app import Ctx

from .check import Check, array, boolean, failed, nothing, number, refuse, text, told, uid
from .dates import a_date, moment
from .tree import bot

Test = Callable[[Ctx, Any, Any], bool]
Family = dict[str, tuple[Check, Test]]


def _true(_ctx: Ctx, value: Any, path: str) -> bool:
    if value is not True:
        refuse(path, "`true`", value)
    return True


def _no_fields(_ctx: Ctx, value: Any, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        refuse(path, "an object", value)
    for name in value:
        nothing(_ctx, value[name], f"{path}.{name}")
    return {}


def _blank(value: Any) -> bool:
    return value is None or value in ("", [])


EXISTENCE: Family = {
    "is_empty": (_true, lambda _ctx, value, _operand: _blank(value)),
    "is_not_empty": (_true, lambda _ctx, value, _operand: not _blank(value)),
}


def _texts(test: Callable[[str, str], bool]) -> Test:
    return lambda _ctx, value, operand: test((value or "").casefold(), operand.casefold())


TEXT: Family = {
    "equals": (text(2000), lambda _ctx, value, operand: (value or "") == operand),
    "does_not_equal": (text(2000), lambda _ctx, value, operand: (value or "") != operand),
    "contains": (text(2000), _texts(lambda value, operand: operand in value)),
    "does_not_contain": (text(2000), _texts(lambda value, operand: operand not in value)),
    "starts_with": (text(2000), _texts(str.startswith)),
    "ends_with": (text(2000), _texts(str.endswith)),
    **EXISTENCE,
}


def _numbers(test: Callable[[float, float], bool]) -> tuple[Check, Test]:
    return number, lambda _ctx, value, operand: value is not None and test(value, operand)


NUMBER: Family = {
    "equals": _numbers(lambda value, operand: value == operand),
    "does_not_equal": (number, lambda _ctx, value, operand: value != operand),
    "greater_than": _numbers(lambda value, operand: value > operand),
    "less_than": _numbers(lambda value, operand: value < operand),
    "greater_than_or_equal_to": _numbers(lambda value, operand: value >= operand),
    "less_than_or_equal_to": _numbers(lambda value, operand: value <= operand),
    **EXISTENCE,
}
CHECKBOX: Family = {
    "equals": (boolean, lambda _ctx, value, operand: bool(value) == operand),
    "does_not_equal": (boolean, lambda _ctx, value, operand: bool(value) != operand),
}


def _names(ctx: Ctx, value: Any, path: str) -> list[str]:
    """One option's name, or several of which any will do."""
    return array(text(100))(ctx, value, path) if isinstance(value, list) else [text(100)(ctx, value, path)]


CHOICE: Family = {
    "equals": (_names, lambda _ctx, value, operand: value in operand),
    "does_not_equal": (_names, lambda _ctx, value, operand: value not in operand),
    **EXISTENCE,
}
CHOICES: Family = {
    "contains": (_names, lambda _ctx, value, operand: any(one in value for one in operand)),
    "does_not_contain": (_names, lambda _ctx, value, operand: not any(one in value for one in operand)),
    **EXISTENCE,
}


def _person(ctx: Ctx, value: Any, path: str) -> str:
    if value == "me":  # the person for whom the integration acts
        return bot(ctx).owner or bot(ctx).id
    return uid(value, path)


PEOPLE: Family = {
    "contains": (_person, lambda _ctx, value, operand: operand in value),
    "does_not_contain": (_person, lambda _ctx, value, operand: operand not in value),
    **EXISTENCE,
}
RELATION: Family = {
    "contains": (lambda _ctx, value, path: uid(value, path), lambda _ctx, value, operand: operand in value),
    "does_not_contain": (lambda _ctx, value, path: uid(value, path), lambda _ctx, value, operand: operand not in value),
    **EXISTENCE,
}

# Dates. A value is {"start", "end"}; one without a time is compared by the day.

_RELATIVE = {"today": 0, "tomorrow": 1, "yesterday": -1, "one_week_ago": -7, "one_week_from_now": 7}


def _months(day: day_of, count: int) -> day_of:
    """The same day of another month, or that month's last."""
    month = day.year * 12 + day.month - 1 + count
    for number_ in range(day.day, 27, -1):
        try:
            return day.replace(year=month // 12, month=month % 12 + 1, day=number_)
        except ValueError:
            continue
    return day.replace(year=month // 12, month=month % 12 + 1)


def _when(ctx: Ctx, value: Any, path: str) -> str:
    today = ctx.now.date()
    if isinstance(value, str) and value in _RELATIVE:
        return (today + timedelta(days=_RELATIVE[value])).isoformat()
    if value in ("one_month_ago", "one_month_from_now"):
        return _months(today, -1 if value == "one_month_ago" else 1).isoformat()
    return a_date(ctx, value, path)


def _order(value: dict[str, Any], operand: str) -> int:
    """-1, 0 or 1: the value's start before, at or after the operand; by the day where either has no time."""
    start: str = value["start"]
    if len(operand) == 10 or len(start) == 10:
        a, b = (
            start[:10] if len(start) == 10 else _utc_day(start),
            operand[:10] if len(operand) == 10 else _utc_day(operand),
        )
        return (a > b) - (a < b)
    x, y = moment(start), moment(operand)
    return (x > y) - (x < y)


def _utc_day(value: str) -> str:
    return moment(value).astimezone(UTC).date().isoformat()


def _dated(test: Callable[[int], bool]) -> tuple[Check, Test]:
    return _when, lambda _ctx, value, operand: value is not None and test(_order(value, operand))


def _span(bounds: Callable[[day_of], tuple[day_of, day_of]]) -> tuple[Check, Test]:
    """Whether the value's day lies between two days that follow from today's."""

    def test(ctx: Ctx, value: Any, _operand: Any) -> bool:
        if value is None:
            return False
        start: str = value["start"]
        day = start if len(start) == 10 else _utc_day(start)
        first, last = bounds(ctx.now.date())
        return first.isoformat() <= day <= last.isoformat()

    return _no_fields, test


def _week(today: day_of) -> tuple[day_of, day_of]:
    """From Sunday to Saturday."""
    first = today - timedelta(days=(today.weekday() + 1) % 7)
    return first, first + timedelta(days=6)


DATE: Family = {
    "equals": _dated(lambda order: order == 0),
    "before": _dated(lambda order: order < 0),
    "after": _dated(lambda order: order > 0),
    "on_or_before": _dated(lambda order: order <= 0),
    "on_or_after": _dated(lambda order: order >= 0),
    "this_week": _span(_week),
    "past_week": _span(lambda today: (today - timedelta(days=7), today)),
    "past_month": _span(lambda today: (_months(today, -1), today)),
    "past_year": _span(lambda today: (_months(today, -12), today)),
    "next_week": _span(lambda today: (today, today + timedelta(days=7))),
    "next_month": _span(lambda today: (today, _months(today, 1))),
    "next_year": _span(lambda today: (today, _months(today, 12))),
    **EXISTENCE,
}

FAMILIES: dict[str, Family] = {
    **dict.fromkeys(("title", "rich_text", "url", "email", "phone_number"), TEXT),
    **dict.fromkeys(("number", "unique_id"), NUMBER),
    **dict.fromkeys(("select", "status"), CHOICE),
    **dict.fromkeys(("people", "created_by", "last_edited_by"), PEOPLE),
    **dict.fromkeys(("date", "created_time", "last_edited_time"), DATE),
    "checkbox": CHECKBOX, "multi_select": CHOICES, "relation": RELATION, "files": EXISTENCE,
}  # fmt: skip


def one_condition(ctx: Ctx, family: Family, given: Any, path: str) -> tuple[Test, Any]:
    """The one operator of a condition and its operand, checked."""
    if not isinstance(given, dict):
        refuse(path, "an object", given)
    known = [name for name in given if name in family]
    for name in given:
        if name not in family or name != known[0]:
            refuse(f"{path}.{name}", "not present", given[name])
    if not known:
        raise failed(*(told(f"{path}.{name}", "defined") for name in family))
    check, test = family[known[0]]
    return test, check(ctx, given[known[0]], f"{path}.{known[0]}")
