"""Formulas over a page's properties. https://www.notion.com/help/formula-syntax

A value is None, a string, a number, a boolean or a datetime. What the language has beyond formula.lark and the functions below is refused
when the property is made, by name.
"""

import math
import operator
import re
from calendar import monthrange
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import LarkError

from .check import validation

Value = str | float | bool | datetime | None
_LONGEST = 100_000
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_UNITS = {"years": 365.25, "quarters": 91.3125, "months": 30.4375, "weeks": 7.0, "days": 1.0}


@cache
def _parser() -> Lark:
    grammar = Path(__file__).with_name("formula.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", maybe_placeholders=False)


@cache
def _parsed(expression: str) -> Any:
    return _parser().parse(expression)


def compile_formula(expression: str, names: set[str]) -> None:
    """Refuses an expression that cannot be read, calls an unknown function or names an unknown property."""
    try:
        tree = _parsed(expression)
    except (LarkError, RecursionError):
        raise validation(f"Formula is invalid: {expression[:200]}") from None
    for node in tree.iter_subtrees() if isinstance(tree, Tree) else ():
        if (
            node.data == "call"
            and str(node.children[0]) not in _FUNCTIONS
            and str(node.children[0]) not in ("if", "now", "today")
        ):
            raise validation(f"Formula is invalid: undefined function `{node.children[0]}`.")
        if node.data == "prop" and _text(node.children[0]) not in names:
            raise validation(f"Formula is invalid: undefined property `{_text(node.children[0])}`.")


def evaluate(expression: str, prop: Callable[[str], Value], now: datetime) -> Value:
    """The formula's value; None where its parts do not go together."""
    try:
        return _value(_parsed(expression), prop, now)
    except (LarkError, ArithmeticError, TypeError, ValueError, LookupError, AttributeError, RecursionError):
        return None


def _text(token: Any) -> str:
    raw = str(token)[1:-1]
    return raw.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")


def _value(node: Any, prop: Callable[[str], Value], now: datetime) -> Value:
    def at(i: int) -> Value:
        return _value(node.children[i], prop, now)

    match node.data:
        case "number":
            return float(node.children[0])
        case "string":
            return _text(node.children[0])
        case "yes" | "no":
            return node.data == "yes"
        case "prop":
            return prop(_text(node.children[0]))
        case "conditional":
            return at(1) if at(0) else at(2)
        case "either":
            return bool(at(0)) or bool(at(1))
        case "both":
            return bool(at(0)) and bool(at(1))
        case "negation":
            return not at(0)
        case "minus":
            return -_number(at(1))
        case "raised":
            return _raised(_number(at(0)), _number(at(1)))
        case "compare":
            return _compare(str(node.children[1]), at(0), at(2))
        case "binary":
            return _binary(str(node.children[1]), at(0), at(2))
        case _:
            return _call(node, prop, now)


def _call(node: Tree[Token], prop: Callable[[str], Value], now: datetime) -> Value:
    name, arguments = str(node.children[0]), node.children[1:]
    if name == "now":
        return now
    if name == "today":
        return now.replace(hour=0, minute=0, second=0, microsecond=0)
    if name == "if":
        test, yes, no = arguments
        return _value(yes if _value(test, prop, now) else no, prop, now)
    return _FUNCTIONS[name](*(_value(one, prop, now) for one in arguments))


def _number(value: Value) -> float:
    if isinstance(value, (int, float)):
        return float(value)
    raise TypeError(value)


def _raised(base: float, exponent: float) -> float:
    made = base**exponent
    return _number(made)


def _compare(sign: str, left: Any, right: Any) -> bool:
    tests: dict[str, Callable[[Any, Any], bool]] = {
        "==": operator.eq, "!=": operator.ne, ">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le,
    }  # fmt: skip
    return tests[sign](left, right)


def _binary(sign: str, left: Any, right: Any) -> Value:
    if sign == "+" and (isinstance(left, str) or isinstance(right, str)):
        return _concat(left, right)
    a, b = _number(left), _number(right)
    operations: dict[str, Callable[[float, float], float]] = {
        "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "%": math.fmod,
    }  # fmt: skip
    return operations[sign](a, b)


def written(value: Value) -> str:
    """A value as text: whole numbers without a fraction."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else str(value)
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _concat(*values: Value) -> str:
    made = "".join(map(written, values))
    if len(made) > _LONGEST:
        raise ValueError("too long")
    return made


def _between(later: Any, earlier: Any, unit: Any) -> float:
    passed: timedelta = later - earlier
    finer = {"hours": 24.0, "minutes": 1440.0}
    days = passed / timedelta(days=1)
    return float(math.trunc(days * finer[unit] if unit in finer else days / _UNITS[unit]))


def _moved(start: Any, amount: Any, unit: Any, sign: int = 1) -> datetime:
    count, name = sign * int(amount), unit if unit.endswith("s") else f"{unit}s"
    months = {"years": 12, "quarters": 3, "months": 1}.get(name)
    if months is None:
        return start + timedelta(**{name: count})
    month = start.year * 12 + start.month - 1 + months * count
    last = monthrange(month // 12, month % 12 + 1)[1]
    return start.replace(year=month // 12, month=month % 12 + 1, day=min(start.day, last))


_FORMATS: dict[str, Callable[[datetime], str]] = {
    "YYYY": lambda day: f"{day.year:04}", "YY": lambda day: f"{day.year % 100:02}", "MMMM": lambda day: _MONTHS[day.month - 1],
    "MMM": lambda day: _MONTHS[day.month - 1][:3], "MM": lambda day: f"{day.month:02}", "M": lambda day: str(day.month),
    "DD": lambda day: f"{day.day:02}", "D": lambda day: str(day.day), "dddd": lambda day: _DAYS[day.weekday()],
    "ddd": lambda day: _DAYS[day.weekday()][:3], "HH": lambda day: f"{day.hour:02}", "H": lambda day: str(day.hour),
    "mm": lambda day: f"{day.minute:02}", "ss": lambda day: f"{day.second:02}",
}  # fmt: skip


def _formatted(day: Any, pattern: Any) -> str:
    return re.sub("|".join(_FORMATS), lambda found: _FORMATS[found[0]](day), pattern)


def _to_number(value: Value) -> float | None:
    if isinstance(value, datetime):
        return value.timestamp() * 1000
    return float(value) if value not in (None, "") else None


def _round(value: Value, places: Value = 0.0) -> float:
    return float(round(_number(value), int(_number(places))))


_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "empty": lambda value: value in (None, "", 0, False),
    "length": lambda value: float(len(value)),
    "format": written,
    "toNumber": _to_number,
    "round": _round,
    "floor": lambda value: float(math.floor(_number(value))),
    "ceil": lambda value: float(math.ceil(_number(value))),
    "abs": lambda value: abs(_number(value)),
    "sqrt": lambda value: math.sqrt(_number(value)),
    "min": lambda *values: min(map(_number, values)),
    "max": lambda *values: max(map(_number, values)),
    "add": lambda a, b: _binary("+", a, b),
    "subtract": lambda a, b: _binary("-", a, b),
    "multiply": lambda a, b: _binary("*", a, b),
    "divide": lambda a, b: _binary("/", a, b),
    "concat": _concat,
    "contains": lambda text, part: part in text,
    "upper": lambda text: text.upper(),
    "lower": lambda text: text.lower(),
    "dateBetween": _between,
    "dateAdd": _moved,
    "dateSubtract": lambda start, amount, unit: _moved(start, amount, unit, -1),
    "formatDate": _formatted,
    "year": lambda day: float(day.year),
    "month": lambda day: float(day.month),
    "date": lambda day: float(day.day),
    "day": lambda day: float(day.isoweekday()),
    "hour": lambda day: float(day.hour),
    "minute": lambda day: float(day.minute),
}

_KINDS = {
    **dict.fromkeys(("format", "concat", "upper", "lower", "formatDate", "string"), "string"),
    **dict.fromkeys(("empty", "contains", "yes", "no", "either", "both", "negation", "compare"), "boolean"),
    **dict.fromkeys(("now", "today", "dateAdd", "dateSubtract"), "date"),
}  # fmt: skip
"""What a function or a kind of expression makes, where it is not a number."""


def kind(expression: str, of: Callable[[str], str]) -> str:
    """The type of what a formula makes, told by its form; `of` tells a property's."""
    try:
        return _kind(_parsed(expression), of)
    except RecursionError:
        return "string"


def _kind(node: Any, of: Callable[[str], str]) -> str:
    name, parts = (str(node.children[0]), node.children[1:]) if node.data == "call" else (node.data, node.children)
    match name:
        case "prop":
            return of(_text(parts[0]))
        case "if" | "conditional":
            return _kind(parts[1], of)
        case "binary" if str(parts[1]) == "+" and "string" in (_kind(parts[0], of), _kind(parts[2], of)):
            return "string"
        case "add" if "string" in [_kind(one, of) for one in parts]:
            return "string"
        case _:
            return _KINDS.get(name, "number")
