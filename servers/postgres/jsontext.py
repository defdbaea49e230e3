"""JSON values: reading and printing."""

import json
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from .errors import SqlError

CONTEXT = Context(prec=2000, Emax=999_999, Emin=-999_999, rounding=ROUND_HALF_UP)


class J:
    """A jsonb value: JSON data, with numbers as Decimal. JSON's null is J(None), which is not SQL's."""

    __slots__ = ("v",)

    def __init__(self, v: Any) -> None:
        self.v = v

    def __eq__(self, other: object) -> bool:
        return isinstance(other, J) and _typed(self.v) == _typed(other.v)

    def __hash__(self) -> int:
        raise TypeError("grouped by key() only")


def _typed(value: Any) -> Any:
    """Keeps true and 1 apart, which Python does not."""
    if isinstance(value, dict):
        return {k: _typed(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_typed(v) for v in value]
    return (type(value).__name__, value)


def read_json(text: str, kind: str) -> Any:
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        at = getattr(error, "pos", 0)
        token = (re.match(r'\w+|"[^"]*"?|.', text[at:].lstrip()) or [""])[0]
        detail = f'Token "{token}" is invalid.' if token else "The input string ended unexpectedly."
        where = f"JSON data, line 1: {text[:at]}{token}" + ("..." if text[at + len(token) :].strip() else "")
        raise SqlError("22P02", f"invalid input syntax for type {kind}", detail=detail, where=where) from None


def _no_constant(name: str) -> Any:
    raise ValueError(name)


_DECODER = json.JSONDecoder(parse_float=Decimal, parse_int=Decimal, parse_constant=_no_constant)


def print_json(value: Any, compact: bool = False) -> str:
    """JSON as jsonb prints it: a space after commas and colons, keys by length and then by bytes."""
    comma, colon = (",", ":") if compact else (", ", ": ")
    if isinstance(value, dict):
        keys = value if compact else sorted(value, key=lambda k: (len(k.encode()), k))
        return (
            "{"
            + comma.join(f"{json.dumps(k, ensure_ascii=False)}{colon}{print_json(value[k], compact)}" for k in keys)
            + "}"
        )
    if isinstance(value, list):
        return "[" + comma.join(print_json(v, compact) for v in value) + "]"
    if isinstance(value, Decimal):
        return format(value, "f")
    return json.dumps(value, ensure_ascii=False)


def plain_json(value: Any) -> Any:
    if isinstance(value, Decimal):
        return (
            int(value)
            if value == value.to_integral_value() and abs(value) < 2**53 and value.as_tuple().exponent == 0
            else float(value)
        )
    if isinstance(value, dict):
        return {k: plain_json(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain_json(v) for v in value]
    return value


def normal(value: Any) -> Any:
    if isinstance(value, Decimal):
        return value.normalize(CONTEXT) if value else Decimal(0)
    if isinstance(value, dict):
        return {k: normal(v) for k, v in value.items()}
    return [normal(v) for v in value] if isinstance(value, list) else value
