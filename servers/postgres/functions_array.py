"""Arrays, sets made from ranges, and what works on any type."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from . import datetimes, values
from .datetimes import Interval
from .errors import SqlError
from .signatures import function, operator
from .values import Setting, key

_MOST = 1_000_000


def _has(whole: list[Any], part: list[Any]) -> bool:
    held = {key(v) for v in _flat(whole) if v is not None}
    return all(v is not None and key(v) in held for v in _flat(part))


def _flat(value: list[Any]) -> list[Any]:
    return [x for v in value for x in (_flat(v) if isinstance(v, list) else [v])]


def _dims(value: Any) -> list[int]:
    return [len(value), *(_dims(value[0]) if value else [])] if isinstance(value, list) else []


def _length(value: list[Any], dim: int) -> int | None:
    found = _dims(value)
    return found[dim - 1] if 0 < dim <= len(found) and found[dim - 1] else None


def _position(value: list[Any], item: Any, start: int = 1) -> int | None:
    wanted = key(item) if item is not None else None
    return next(
        (n for n, v in enumerate(value, 1) if n >= start and (key(v) if v is not None else None) == wanted), None
    )


def _cat(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return b if a is None else a
    da, db = len(_dims(a)), len(_dims(b))
    if da == db + 1 and b:
        return [*a, b]
    if db == da + 1 and a:
        return [a, *b]
    return [*a, *b]


def _series(start: Any, stop: Any, step: Any = 1) -> list[Any]:
    if not step:
        raise SqlError("22023", "step size cannot equal zero")
    count = (
        max(0, int((stop - start) / step) + 1)
        if not isinstance(start, Decimal)
        else max(0, int((stop - start) // step) + 1)
    )
    if count > _MOST:
        raise SqlError("57014", "canceling statement due to statement timeout")
    return [
        start + n * step for n in range(count) if (start + n * step <= stop if step > 0 else start + n * step >= stop)
    ]


def _moments(start: datetime, stop: datetime, step: Interval) -> list[datetime]:
    if not step.span:
        raise SqlError("22023", "step size cannot equal zero")
    if abs((stop - start) / timedelta(microseconds=1)) / abs(step.span) > _MOST:
        raise SqlError("57014", "canceling statement due to statement timeout")
    found, at = list[datetime](), start
    while at <= stop if step.span > 0 else at >= stop:
        found.append(at)
        at = datetimes.shift(at, step)
    return found


def _unnest(value: list[Any]) -> list[Any]:
    return _flat(value)


def _to_string(s: Setting, value: list[Any], mark: str, null: str | None = None) -> str:
    kept = [null if v is None else values.text(values.kind_of(v), v, s) for v in _flat(value)]
    return mark.join(v for v in kept if v is not None)


def _fill(item: Any, dims: list[int]) -> list[Any]:
    if not dims or any(d < 0 for d in dims) or sum(dims) > 100_000:
        raise SqlError("2202E", "array size exceeds the maximum allowed")
    return [item if len(dims) == 1 else _fill(item, dims[1:]) for _ in range(dims[0])]


def _trim(value: list[Any], n: int) -> list[Any]:
    if not 0 <= n <= len(value):
        raise SqlError("2202E", f"number of elements to trim must be between 0 and {len(value)}")
    return value[: len(value) - n]


operator("||(anycompatiblearray,anycompatiblearray) anycompatiblearray", _cat, strict=False)
operator("||(anycompatiblearray,anycompatible) anycompatiblearray", lambda a, b: [*(a or []), b], strict=False)
operator("||(anycompatible,anycompatiblearray) anycompatiblearray", lambda a, b: [a, *(b or [])], strict=False)
operator("@>(anyarray,anyarray) bool", _has)
operator("<@(anyarray,anyarray) bool", lambda a, b: _has(b, a))
operator(
    "&&(anyarray,anyarray) bool",
    lambda a, b: bool({key(v) for v in a if v is not None} & {key(v) for v in b if v is not None}),
)
function("array_length(anyarray,int4) int4; array_upper(anyarray,int4) int4", _length)
function("array_lower(anyarray,int4) int4", lambda a, d: 1 if _length(a, d) else None)
function("array_ndims(anyarray) int4", lambda a: len(_dims(a)) if a else None)
function("array_dims(anyarray) text", lambda a: "".join(f"[1:{n}]" for n in _dims(a)) if a else None)
function("cardinality(anyarray) int4", lambda a: len(_flat(a)))
function(
    "array_append(anycompatiblearray,anycompatible) anycompatiblearray", lambda a, b: [*(a or []), b], strict=False
)
function(
    "array_prepend(anycompatible,anycompatiblearray) anycompatiblearray", lambda a, b: [a, *(b or [])], strict=False
)
function("array_cat(anycompatiblearray,anycompatiblearray) anycompatiblearray", _cat, strict=False)
function(
    "array_remove(anycompatiblearray,anycompatible) anycompatiblearray",
    lambda a, b: (
        None if a is None else [v for v in a if (v is None) != (b is None) or (v is not None and key(v) != key(b))]
    ),
    strict=False,
)
function(
    "array_replace(anycompatiblearray,anycompatible,anycompatible) anycompatiblearray",
    lambda a, b, c: (
        None
        if a is None
        else [
            c if (v is None and b is None) or (v is not None and b is not None and key(v) == key(b)) else v for v in a
        ]
    ),
    strict=False,
)
function(
    "array_position(anycompatiblearray,anycompatible) int4; array_position(anycompatiblearray,anycompatible,int4) int4",
    lambda a, b, n=1: None if a is None else _position(a, b, n or 1),
    strict=False,
)
function(
    "array_positions(anycompatiblearray,anycompatible) int4[]",
    lambda a, b: (
        None
        if a is None
        else [
            n
            for n, v in enumerate(a, 1)
            if (v is None and b is None) or (v is not None and b is not None and key(v) == key(b))
        ]
    ),
    strict=False,
)
function("array_to_string(anyarray,text) text; array_to_string(anyarray,text,text) text", _to_string, env=True)
function("array_fill(anyelement,int4[]) anyarray", _fill, strict=False)
function("trim_array(anyarray,int4) anyarray", _trim)
function("unnest(anyarray) anyelement", _unnest, many=True)
function("generate_series(int4,int4) int4; generate_series(int4,int4,int4) int4", _series, many=True)
function("generate_series(int8,int8) int8; generate_series(int8,int8,int8) int8", _series, many=True)
function(
    "generate_series(numeric,numeric) numeric; generate_series(numeric,numeric,numeric) numeric", _series, many=True
)
function(
    "generate_series(timestamp,timestamp,interval) timestamp; generate_series(timestamptz,timestamptz,interval) timestamptz",
    _moments,
    many=True,
)
function("generate_subscripts(anyarray,int4) int4", lambda a, d: list(range(1, (_length(a, d) or 0) + 1)), many=True)
function("num_nulls(variadic any) int4", lambda *a: sum(v is None for v in a), strict=False)
function("num_nonnulls(variadic any) int4", lambda *a: sum(v is not None for v in a), strict=False)
