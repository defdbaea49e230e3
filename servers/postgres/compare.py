"""Comparison and order of values of each type."""

import operator
from collections.abc import Callable
from decimal import Decimal
from functools import cmp_to_key
from typing import Any

from . import types
from .datetimes import Interval
from .values import J, Setting

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def sort_key(kind: str, s: Setting) -> Callable[[Any], Any] | None:
    """What a type's values (not NULL) are ordered by; None where they are themselves."""
    if types.is_enum(kind):
        places = {label: i for i, label in enumerate(s.enums(kind))}
        return lambda v: places.get(v, -1)
    if kind == "interval":
        return lambda v: v.span
    if kind == "bpchar":
        return lambda v: v.rstrip(" ")
    if kind in ("float4", "float8"):
        return lambda v: (v != v, v if v == v else 0.0)
    if kind == "numeric":
        return lambda v: (v.is_nan(), v if not v.is_nan() else Decimal(0))
    if kind == "jsonb":
        return lambda v: _json(v.v)
    if types.is_array(kind):
        inner = sort_key(types.element(kind), s)
        return lambda v: (
            [(1, 0) if x is None else (0, x if inner is None else inner(x)) for x in _flat(v)] + [(-1, len(v))]
        )
    if kind == "record":
        return cmp_to_key(_records)
    return None


def _flat(value: list[Any]) -> list[Any]:
    return [x for v in value for x in (_flat(v) if isinstance(v, list) else [v])]


def _json(value: Any) -> Any:
    """Object > array > boolean > number > string > null; longer ones after shorter."""
    if isinstance(value, dict):
        return 5, len(value), [(k, _json(v)) for k, v in sorted(value.items())]
    if isinstance(value, list):
        return (4, len(value), [_json(v) for v in value]) if value else (-1, 0, [])
    if isinstance(value, bool):
        return 3, value
    if isinstance(value, Decimal):
        return 2, value
    return (1, value) if isinstance(value, str) else (0, 0)


def _records(a: Any, b: Any) -> int:
    for x, y in zip(a, b, strict=False):
        if x is None or y is None:
            if x is not y:
                return 1 if x is None else -1
            continue
        x, y = (_plain(x), _plain(y))
        if x != y:
            return -1 if x < y else 1
    return 0


def _plain(value: Any) -> Any:
    if isinstance(value, Interval):
        return value.span
    return _json(value.v) if isinstance(value, J) else value


def comparer(op: str, kind: str, s: Setting) -> Callable[[Any, Any], Any]:
    """The comparison of two values of one type."""
    run, key = OPERATORS[op], sort_key(kind, s)
    if kind == "record":
        return _record_comparer(op)
    if key is None or (op in ("=", "<>") and types.is_enum(kind)):
        return run
    if kind == "numeric" and op in ("=", "<>"):
        return run
    return lambda a, b: run(key(a), key(b))


def _record_comparer(op: str) -> Callable[[Any, Any], Any]:
    run = OPERATORS[op]

    def compare(a: Any, b: Any) -> Any:
        unknown = False
        for x, y in zip(a, b, strict=False):
            if x is None or y is None:
                if op not in ("=", "<>"):
                    return None
                unknown = True
                continue
            x, y = _plain(x), _plain(y)
            if x != y:
                return op == "<>" if op in ("=", "<>") else run(x, y)
        return None if unknown else run(0, 0)

    return compare


def sorted_rows(rows: list[Any], keys: list[tuple[Callable[[Any], Any], str, bool, bool]], s: Setting) -> list[Any]:
    """Rows in the order of keys (function, type, descending, nulls first); equal ones stay as they were."""
    for fn, kind, desc, nulls_first in reversed(keys):
        key = sort_key(kind, s)
        null = (0, 0) if nulls_first != desc else (2, 0)

        def place(row: Any, fn: Any = fn, key: Any = key, null: Any = null) -> Any:
            value = fn(row)
            return null if value is None else (1, value if key is None else key(value))

        rows = sorted(rows, key=place, reverse=desc)
    return rows
