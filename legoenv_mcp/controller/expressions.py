"""Expressions and templates in atoms: Jinja's, in its sandbox, over the names an atom has chosen.

`"= payment.amount - payment.refunded"` is an expression and keeps its value's type; text with `{{ ... }}` is a template; anything
else stands for itself. Nothing here reaches Python: attributes that begin with an underscore, calls with side effects and loops
without end are refused by the sandbox.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from difflib import SequenceMatcher
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import StrictUndefined, TemplateError, meta, pass_context
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from legoenv_mcp.verify.busy import instant, overlapping

Names = Mapping[str, Any]


class BadExpression(ValueError):
    """An expression or template that cannot be read or has no value. The message names it."""


def value_of(text: str, names: Names) -> Any:
    """The value of an expression."""
    try:
        found = _expression(text)(**names)
    except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise BadExpression(f"{text!r}: {error}") from None
    if isinstance(found, StrictUndefined):
        raise BadExpression(f"{text!r} has no value")
    return found


def holds(text: str, names: Names) -> bool:
    """Whether a condition is true; an empty one is."""
    return not text or bool(value_of(text, names))


def render(text: str, names: Names) -> str:
    """The text of a template."""
    try:
        return _template(text).render(**names)
    except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise BadExpression(f"{text!r}: {error}") from None


def filled(value: Any, names: Names, as_id: Callable[[Any], Any] = lambda found: found) -> Any:
    """A value of an atom with its expressions and templates evaluated, at any depth. `as_id` turns what an expression found into
    what the app calls it."""
    if isinstance(value, str):
        if value.startswith("="):
            return _mapped(value_of(value[1:].strip(), names), as_id)
        return render(value, names) if "{{" in value or "{%" in value else value
    if isinstance(value, Mapping):
        return {k: filled(v, names, as_id) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [filled(v, names, as_id) for v in value]
    return value


def _mapped(found: Any, as_id: Callable[[Any], Any]) -> Any:
    if isinstance(found, (list, tuple)):
        return [_mapped(one, as_id) for one in found]
    if isinstance(found, Mapping):
        return {k: _mapped(v, as_id) for k, v in found.items()}
    return plain_number(as_id(found))


def plain_number(value: Any) -> Any:
    """A Decimal as the int or float that JSON has."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value


def money(amount: Any, currency: str = "", *, minor: bool = False) -> str:
    """`1,250.00 USD`; `minor` takes cents."""
    number = Decimal(str(amount)) / (100 if minor else 1)
    return f"{number:,.2f} {currency.upper()}".strip()


def _cents(amount: Any) -> int:
    return int((Decimal(str(amount)) * 100).to_integral_value(ROUND_HALF_UP))


def _units(cents: Any) -> Any:
    return plain_number(Decimal(str(cents)) / 100)


def _round(number: Any, places: int = 0) -> Any:
    return plain_number(Decimal(str(number)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def day(moment: Any) -> date:
    """The calendar day of an ISO day or instant."""
    return date.fromisoformat(str(moment)[:10])


def _plus_days(moment: Any, days: int) -> str:
    return (day(moment) + timedelta(days=days)).isoformat()


def _business_days(moment: Any, days: int) -> str:
    """The day so many working days (Monday to Friday) later, or earlier where negative."""
    at, left, step = day(moment), abs(days), 1 if days > 0 else -1
    while left:
        at += timedelta(days=step)
        left -= at.weekday() < 5
    return at.isoformat()


def _days_since(later: Any, earlier: Any) -> int:
    return (day(later) - day(earlier)).days


def _long(moment: Any) -> str:
    at = day(moment)
    return f"{at.day} {at:%B %Y}"


def _weekday(moment: Any) -> str:
    return f"{day(moment):%A}"


def _local(moment: Any, zone: str, form: str = "%H:%M") -> str:
    """An instant as a clock in that zone shows it."""
    return instant(moment).astimezone(ZoneInfo(zone)).strftime(form)


def _at(day_: Any, clock: str, zone: str) -> str:
    """The instant, with its offset, at which clocks in the zone show that time on that day."""
    return datetime.fromisoformat(f"{str(day_)[:10]}T{clock}").replace(tzinfo=ZoneInfo(zone)).isoformat()


def _plus_minutes(moment: Any, minutes: int) -> str:
    return (instant(moment) + timedelta(minutes=minutes)).isoformat()


def _days_ago(moment: Any, days: int, clock: str = "09:30") -> str:
    """The UTC instant so many days earlier, at that time."""
    return f"{_plus_days(moment, -days)}T{clock}:00Z"


def _slug(text: Any) -> str:
    return re.sub(r"[^a-z0-9]+", "-", str(text).casefold()).strip("-")


def _cells(entities: Any, *names: str) -> list[list[Any]]:
    """Rows of a table: these fields of each."""
    return [[getattr(one, name) for name in names] for one in entities]


@pass_context
def _rows(context: Context, entities: Any, expression: str) -> list[Any]:
    """What an expression makes of each, as `it`: a table's rows, say, where a figure has to be worked out for each."""
    names = context.get_all()
    return [value_of(expression, {**names, "it": one, "number": number}) for number, one in enumerate(entities, 1)]


def _plain_lines(text: Any) -> list[str]:
    """The lines of a text without the marks of headings, lists and quotes before them: what stays of it in any form."""
    bare = (re.sub(r"^(?:[#>*+-]+ |\d+[.)] |\[[ xX]\] |\s)+", "", line).strip() for line in str(text).splitlines())
    return list(dict.fromkeys(line for line in bare if re.search(r"\w", line)))


def _names_in(values: Any) -> str:
    """`a`, `a and b`, `a, b and c`."""
    listed = [str(v) for v in values]
    return " and ".join([", ".join(listed[:-1]), listed[-1]] if len(listed) > 1 else listed)


def _close(values: Any, text: Any) -> list[Any]:
    """Entities by how close their name or title is to a text, the closest first (difflib's ratio); ties by key."""

    def name(one: Any) -> str:
        if isinstance(one, str):
            return one
        return str(getattr(one, "name", "") or getattr(one, "title", "") or getattr(one, "subject", "") or one)

    return sorted(
        values, key=lambda one: (-SequenceMatcher(None, str(text), name(one)).ratio(), getattr(one, "key", ""))
    )


FILTERS: dict[str, Callable[..., Any]] = {
    "money": money, "minor": lambda amount, currency="": money(amount, currency, minor=True), "cents": _cents, "units": _units,
    "round": _round, "plus_days": _plus_days, "business_days": _business_days, "days_since": _days_since, "long_date": _long,
    "weekday": _weekday, "local": _local, "at": _at, "plus_minutes": _plus_minutes, "days_ago": _days_ago, "slug": _slug,
    "overlapping": overlapping, "listed": _names_in, "closest": _close, "plain_lines": _plain_lines, "cells": _cells,
    "rows": _rows,
}  # fmt: skip


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, autoescape=False, keep_trailing_newline=False
    )
    environment.filters.update(FILTERS)
    return environment


@cache
def _expression(text: str) -> Callable[..., Any]:
    try:
        return _environment().compile_expression(text, undefined_to_none=False)
    except TemplateError as error:
        raise BadExpression(f"{text!r}: {error}") from None


@cache
def _template(text: str) -> Any:
    try:
        return _environment().from_string(text)
    except TemplateError as error:
        raise BadExpression(f"{text!r}: {error}") from None


def names_used(text: str) -> set[str]:
    """The names that an expression or template takes from outside."""
    source = text if "{{" in text or "{%" in text else "{{ " + text.removeprefix("=") + " }}"
    try:
        return meta.find_undeclared_variables(_environment().parse(source))
    except TemplateError as error:
        raise BadExpression(f"{text!r}: {error}") from None
