"""Evaluating formulas: the tree walked over one record's values."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from . import functions_dates, functions_math, functions_text
from .formula import Node
from .functions import MANY, Function
from .values import Failed, Fault, Moment, bounded, compared, flat, number, text, tidy, truth

_SUMS: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


@dataclass(frozen=True, slots=True)
class Scope:
    """What a formula sees: a field's value by its name or id, the record, and the time."""

    field: Callable[[str], Any]
    now: datetime
    record_id: str = ""
    created: datetime | None = None
    modified: Callable[[list[str]], datetime | None] = lambda names: None


def evaluate(node: Node, scope: Scope) -> Any:
    """The formula's value; what goes wrong in it is a Fault."""
    try:
        return _value(node, scope)
    except Failed as error:
        return Fault(error.shown)
    except (OverflowError, ValueError, ArithmeticError):
        return Fault()


def _value(node: Node, scope: Scope) -> Any:
    match node.kind:
        case "number" | "string":
            return node.value
        case "field":
            return scope.field(node.value)
        case "negative":
            return tidy(-number(_value(node.parts[0], scope)))
        case "positive":
            return number(_value(node.parts[0], scope))
        case "binary":
            return _binary(node.value, _value(node.parts[0], scope), _value(node.parts[1], scope))
        case _:
            special = _SPECIAL.get(node.value)
            if special is not None:
                return special(node.parts, scope)
            given = [_value(part, scope) for part in node.parts]
            for value in given:
                if isinstance(value, Fault):
                    raise Failed(value.shown)
            return FUNCTIONS[node.value].run(*given)


def _binary(sign: str, left: Any, right: Any) -> Any:
    if sign == "&":
        return bounded(text(left) + text(right))
    if sign in _SUMS:
        return tidy(_SUMS[sign](number(left), number(right)))
    if sign == "/":
        above, below = number(left), number(right)
        if below == 0:
            return float("nan") if above == 0 else float("inf") if above > 0 else float("-inf")
        return tidy(above / below)
    return compared(sign, left, right)


# Functions that look at the record, or do not evaluate all of their arguments.


def _caught(part: Node, scope: Scope) -> Any:
    try:
        return _value(part, scope)
    except (Failed, OverflowError, ValueError, ArithmeticError):
        return Fault()


def _if(parts: tuple[Node, ...], scope: Scope) -> Any:
    chosen = _value(parts[0], scope)
    if isinstance(chosen, Fault):
        raise Failed(chosen.shown)
    if truth(chosen):
        return _value(parts[1], scope)
    return _value(parts[2], scope) if len(parts) > 2 else None


def _switch(parts: tuple[Node, ...], scope: Scope) -> Any:
    wanted, rest = _value(parts[0], scope), parts[1:]
    for at in range(0, len(rest) - 1, 2):
        if compared("=", wanted, _value(rest[at], scope)):
            return _value(rest[at + 1], scope)
    return _value(rest[-1], scope) if len(rest) % 2 else None


def _all(parts: tuple[Node, ...], scope: Scope) -> bool:
    return all(truth(v) for part in parts for v in _opened(_value(part, scope)))


def _any(parts: tuple[Node, ...], scope: Scope) -> bool:
    return any(truth(v) for part in parts for v in _opened(_value(part, scope)))


def _odd(parts: tuple[Node, ...], scope: Scope) -> bool:
    return sum(truth(v) for part in parts for v in _opened(_value(part, scope))) % 2 == 1


def _opened(value: Any) -> list[Any]:
    found = flat([value]) if isinstance(value, list) and value else [value]
    for one in found:
        if isinstance(one, Fault):
            raise Failed(one.shown)
    return found


def _error(parts: tuple[Node, ...], scope: Scope) -> Any:
    raise Failed


def _modified(parts: tuple[Node, ...], scope: Scope) -> Any:
    found = scope.modified([part.value for part in parts if part.kind == "field"])
    return Moment(found) if found else None


def _from_now(parts: tuple[Node, ...], scope: Scope) -> str:
    return functions_dates.distance(_value(parts[0], scope), scope.now)


_SPECIAL: dict[str, Callable[[tuple[Node, ...], Scope], Any]] = {
    "IF": _if,
    "SWITCH": _switch,
    "AND": _all,
    "OR": _any,
    "XOR": _odd,
    "NOT": lambda parts, scope: not truth(_opened(_value(parts[0], scope))[0]),
    "ISERROR": lambda parts, scope: isinstance(_caught(parts[0], scope), Fault),
    "ERROR": _error,
    "RECORD_ID": lambda parts, scope: scope.record_id,
    "CREATED_TIME": lambda parts, scope: Moment(scope.created) if scope.created else None,
    "LAST_MODIFIED_TIME": _modified,
    "NOW": lambda parts, scope: Moment(scope.now),
    "TODAY": lambda parts, scope: functions_dates.midnight(scope.now),
    "FROMNOW": _from_now,
    "TONOW": _from_now,
}
_ARITIES = {
    "IF": (2, 3), "SWITCH": (3, MANY), "AND": (1, MANY), "OR": (1, MANY), "XOR": (1, MANY), "NOT": (1, 1), "ISERROR": (1, 1),
    "ERROR": (0, 1), "RECORD_ID": (0, 0), "CREATED_TIME": (0, 0), "LAST_MODIFIED_TIME": (0, MANY), "NOW": (0, 0), "TODAY": (0, 0),
    "FROMNOW": (1, 1), "TONOW": (1, 1),
}  # fmt: skip
FUNCTIONS: dict[str, Function] = {
    **functions_text.FUNCTIONS,
    **functions_math.FUNCTIONS,
    **functions_dates.FUNCTIONS,
}
ARITIES = {**{name: (f.least, f.most) for name, f in FUNCTIONS.items()}, **_ARITIES}
_KINDS = {
    "NOT": "truth", "AND": "truth", "OR": "truth", "XOR": "truth", "ISERROR": "truth", "RECORD_ID": "text", "CREATED_TIME": "time",
    "LAST_MODIFIED_TIME": "time", "NOW": "time", "TODAY": "day", "FROMNOW": "text", "TONOW": "text",
}  # fmt: skip


def kind_of(node: Node, field_kind: Callable[[str], str]) -> str:
    """What a formula yields: number, truth, text, day, time or list; blank where nothing tells."""
    match node.kind:
        case "number" | "negative" | "positive":
            return "number"
        case "string":
            return "text"
        case "field":
            return field_kind(node.value)
        case "binary":
            return "text" if node.value == "&" else "number" if node.value in "+-*/" else "truth"
        case _:
            name, parts = node.value, node.parts
            if name in ("IF", "SWITCH"):
                results = parts[1:] if name == "IF" else [*parts[2::2], *(parts[-1:] if len(parts) % 2 == 0 else [])]
                kinds = {k for part in results if (k := kind_of(part, field_kind)) != "blank"}
                return kinds.pop() if len(kinds) == 1 else "text" if kinds else "blank"
            found = _KINDS.get(name) or (FUNCTIONS[name].kind if name in FUNCTIONS else "blank")
            return kind_of(parts[0], field_kind) if found == "same" and parts else found
