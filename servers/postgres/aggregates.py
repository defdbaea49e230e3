"""Aggregates: over the values of a group, or of a window's frame."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from . import casts, compare, functions_json, types, values
from .datetimes import Interval
from .errors import SqlError
from .jsontext import CONTEXT, J
from .numbers import _numeric_root, divide, fits, scale
from .values import Setting


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`args` are the types arguments are cast to, `run` takes a list of argument tuples (NULL first arguments left out when strict)."""

    args: tuple[str, ...]
    ret: str
    run: Callable[[list[tuple[Any, ...]]], Any]
    strict: bool = True


NAMES = frozenset(
    [
        "count",
        "sum",
        "avg",
        "min",
        "max",
        "string_agg",
        "array_agg",
        "bool_and",
        "bool_or",
        "every",
        "json_agg",
        "jsonb_agg",
        "json_object_agg",
        "jsonb_object_agg",
        "stddev",
        "stddev_samp",
        "stddev_pop",
        "variance",
        "var_samp",
        "var_pop",
        "bit_and",
        "bit_or",
        "bit_xor",
        "corr",
        "covar_pop",
        "covar_samp",
        "regr_slope",
        "regr_intercept",
        "regr_r2",
        "regr_count",
        "percentile_cont",
        "percentile_disc",
        "mode",
        "any_value",
        "range_agg",
    ]
)
ORDERED_SET = frozenset(("percentile_cont", "percentile_disc", "mode"))


def find(name: str, kinds: list[str], s: Setting) -> Aggregate | None:
    """The aggregate of this name for arguments of these types."""
    found = _find(name, kinds, s)
    if found is None or not all(map(types.implicit, kinds, found.args)):
        return None
    return replace(found, run=_together(found.run)) if name.endswith("_agg") else found


_MOST_TEXT = 20_000_000


def _together(run: Callable[..., Any]) -> Callable[..., Any]:
    """An aggregate that holds all its values: refused where those are larger than any value may be."""

    def bounded(rows: list[tuple[Any, ...]]) -> Any:
        if sum(len(v) for row in rows for v in row if isinstance(v, (str, bytes))) > _MOST_TEXT:
            raise SqlError("54000", "out of memory", detail="Cannot enlarge string buffer.")
        return run(rows)

    return bounded


def _find(name: str, kinds: list[str], s: Setting) -> Aggregate | None:
    first = kinds[0] if kinds else ""
    text = "text" if first == "unknown" else first
    if name == "count":
        return Aggregate(tuple(kinds), "int8", len) if len(kinds) == 1 else None
    if name in ("json_object_agg", "jsonb_object_agg") and len(kinds) == 2:
        return Aggregate(
            (text, kinds[1] if kinds[1] != "unknown" else "text"),
            name.split("_")[0],
            lambda rows: _objects(name, rows, kinds, s),
            False,
        )
    if name == "string_agg" and len(kinds) == 2:
        if first == "bytea":
            return Aggregate(
                ("bytea", "bytea"),
                "bytea",
                lambda rows: b"".join(x for i, (v, m) in enumerate(rows) for x in ((m or b"") if i else b"", v)),
            )
        if not types.is_string(first):
            return None
        return Aggregate(
            ("text", "text"),
            "text",
            lambda rows: (
                "".join(x for i, (v, m) in enumerate(rows) for x in ((m or "") if i else "", v)) if rows else None
            ),
        )
    if (
        name in ("corr", "covar_pop", "covar_samp", "regr_slope", "regr_intercept", "regr_r2", "regr_count")
        and len(kinds) == 2
    ):
        return Aggregate(
            ("float8", "float8"),
            "int8" if name == "regr_count" else "float8",
            lambda rows: _pairs(name, [r for r in rows if r[1] is not None]),
        )
    if len(kinds) != 1:
        return None
    match name:
        case "sum":
            return _sum(first)
        case "avg":
            return _avg(first)
        case "min" | "max":
            if (
                types.category(first) in ("U", "B") and first not in ("inet", "uuid", "bytea", "tid")
            ) or first == "uuid":
                return None
            key = compare.sort_key(text, s)
            pick = min if name == "min" else max
            text = "text" if text in ("varchar", "name") else text
            return Aggregate((text,), text, lambda rows: pick((r[0] for r in rows), key=key) if rows else None)
        case "array_agg":
            return Aggregate(
                (text,),
                "_" + text if not types.is_array(text) else text,
                lambda rows: [r[0] for r in rows] if rows else None,
                False,
            )
        case "any_value":
            return Aggregate((text,), text, lambda rows: rows[0][0] if rows else None)
        case "bool_and" | "every":
            return (
                Aggregate(("bool",), "bool", lambda rows: all(r[0] for r in rows) if rows else None)
                if first in ("bool", "unknown")
                else None
            )
        case "bool_or":
            return (
                Aggregate(("bool",), "bool", lambda rows: any(r[0] for r in rows) if rows else None)
                if first in ("bool", "unknown")
                else None
            )
        case "json_agg" | "jsonb_agg":
            return Aggregate((text,), name.split("_")[0], lambda rows: _list(name, rows, text, s), False)
        case "bit_and" | "bit_or" | "bit_xor":
            return (
                Aggregate((first,), first, lambda rows: _bits(name, [r[0] for r in rows]))
                if first in types.INTEGERS
                else None
            )
        case "stddev" | "stddev_samp" | "stddev_pop" | "variance" | "var_samp" | "var_pop":
            if first in ("float4", "float8"):
                return Aggregate(("float8",), "float8", lambda rows: _spread_float(name, [r[0] for r in rows]))
            if types.category(first) == "N":
                return Aggregate(("numeric",), "numeric", lambda rows: _spread(name, [r[0] for r in rows]))
            return None
        case _:
            return None


def _sum(kind: str) -> Aggregate | None:
    if kind in ("int2", "int4"):
        return Aggregate((kind,), "int8", lambda rows: fits("int8", sum(r[0] for r in rows)) if rows else None)
    if kind == "int8":
        return Aggregate((kind,), "numeric", lambda rows: Decimal(sum(r[0] for r in rows)) if rows else None)
    if kind == "numeric":
        return Aggregate((kind,), "numeric", lambda rows: total([r[0] for r in rows]) if rows else None)
    if kind in ("float4", "float8"):
        return Aggregate(
            (kind,),
            kind,
            lambda rows: sum(r[0] for r in rows) if rows else None,
        )
    if kind in ("interval", "time"):
        return Aggregate(
            ("interval",),
            "interval",
            lambda rows: Interval(*map(sum, zip(*(r[0] for r in rows), strict=True))) if rows else None,
        )
    return None


def total(items: list[Decimal]) -> Decimal:
    made = Decimal(0)
    for item in items:
        made = CONTEXT.add(made, item)
    return made


def _avg(kind: str) -> Aggregate | None:
    if kind in types.INTEGERS:
        return Aggregate(
            (kind,),
            "numeric",
            lambda rows: divide(Decimal(sum(r[0] for r in rows)), Decimal(len(rows))) if rows else None,
        )
    if kind == "numeric":
        return Aggregate(
            (kind,), "numeric", lambda rows: divide(total([r[0] for r in rows]), Decimal(len(rows))) if rows else None
        )
    if kind in ("float4", "float8"):
        return Aggregate((kind,), "float8", lambda rows: sum(r[0] for r in rows) / len(rows) if rows else None)
    if kind in ("interval", "time"):
        return Aggregate(("interval",), "interval", lambda rows: _mean_interval([r[0] for r in rows]) if rows else None)
    return None


def _mean_interval(items: list[Interval]) -> Interval:
    from .functions_time import _scaled  # noqa: PLC0415

    return _scaled(Interval(*map(sum, zip(*items, strict=True))), 1 / len(items))


def _bits(name: str, items: list[int]) -> int | None:
    if not items:
        return None
    made = items[0]
    for item in items[1:]:
        made = made & item if name == "bit_and" else made | item if name == "bit_or" else made ^ item
    return made


def _spread(name: str, items: list[Decimal]) -> Decimal | None:
    count, sample = Decimal(len(items)), not name.endswith("_pop")
    if len(items) < (2 if sample else 1):
        return None
    summed, squares = total(items), total([CONTEXT.multiply(v, v) for v in items])
    top = CONTEXT.subtract(CONTEXT.multiply(count, squares), CONTEXT.multiply(summed, summed))
    if top <= 0:
        return Decimal(0)
    made = divide(top, CONTEXT.multiply(count, count - 1 if sample else count))
    if not name.startswith("stddev"):
        return made
    return _numeric_root(made)


def _spread_float(name: str, items: list[float]) -> float | None:
    sample = not name.endswith("_pop")
    if len(items) < (2 if sample else 1):
        return None
    mean = sum(items) / len(items)
    made = sum((v - mean) ** 2 for v in items) / (len(items) - sample)
    return math.sqrt(made) if name.startswith("stddev") else made


def _pairs(name: str, rows: list[tuple[Any, ...]]) -> Any:
    count = len(rows)
    if name == "regr_count":
        return count
    if not count:
        return None
    ym, xm = sum(r[0] for r in rows) / count, sum(r[1] for r in rows) / count
    sxy = sum((r[0] - ym) * (r[1] - xm) for r in rows)
    sxx, syy = sum((r[1] - xm) ** 2 for r in rows), sum((r[0] - ym) ** 2 for r in rows)
    match name:
        case "covar_pop":
            return sxy / count
        case "covar_samp":
            return sxy / (count - 1) if count > 1 else None
        case "corr":
            return sxy / math.sqrt(sxx * syy) if sxx and syy else None
        case "regr_slope":
            return sxy / sxx if sxx else None
        case "regr_intercept":
            return ym - sxy / sxx * xm if sxx else None
        case _:
            return None if not sxx else 1.0 if not syy else sxy**2 / (sxx * syy)


def _list(name: str, rows: list[tuple[Any, ...]], kind: str, s: Setting) -> Any:
    if not rows:
        return None
    made = [functions_json.to_plain(kind, r[0], s) for r in rows]
    if name.startswith("jsonb"):
        return J(made)
    joined = ", \n " if kind == "record" else ", "
    return (
        "["
        + joined.join(
            r[0] if kind == "json" and r[0] is not None else values.print_json(v, compact=True)
            for r, v in zip(rows, made, strict=True)
        )
        + "]"
    )


def _objects(name: str, rows: list[tuple[Any, ...]], kinds: list[str], s: Setting) -> Any:
    if not rows:
        return None
    if any(r[0] is None for r in rows):
        raise SqlError("22004" if name.startswith("json_") else "22023", "field name must not be null")
    named = casts.caster(kinds[0], "text", s) or str
    pairs = [(named(r[0]), functions_json.to_plain(kinds[1], r[1], s)) for r in rows]
    if name.startswith("jsonb"):
        return J(dict(pairs))
    return "{ " + ", ".join(f"{values.print_json(k)} : {values.print_json(v, compact=True)}" for k, v in pairs) + " }"


# Ordered-set aggregates


def ordered_set(name: str, direct: Any, items: list[Any], kind: str) -> Any:
    """percentile_cont, percentile_disc and mode over values in order."""
    if not items:
        return None
    if name == "mode":
        counts = Counter(values.key(v) for v in items)
        return max(items, key=lambda v: counts[values.key(v)])
    if isinstance(direct, list):
        return [ordered_set(name, d, items, kind) for d in direct]
    if direct is None:
        return None
    if not 0 <= direct <= 1:
        raise SqlError("22003", f"percentile value {direct:g} is not between 0 and 1")
    if name == "percentile_disc":
        return items[max(math.ceil(direct * len(items)) - 1, 0)]
    place = direct * (len(items) - 1)
    low, high = items[math.floor(place)], items[math.ceil(place)]
    if isinstance(low, Interval):
        from .functions_time import _negative, _scaled, _sum  # noqa: PLC0415

        return _sum(low, _scaled(_sum(high, _negative(low)), place - math.floor(place)))
    return low + (high - low) * (place - math.floor(place))


def running(name: str, kind: str) -> Callable[[Any, Any], Any] | None:
    """How a frame that only grows is summed up step by step."""
    if name == "sum" and kind in ("int2", "int4"):
        return lambda a, v: v if a is None else a + v
    if name == "sum" and kind == "int8":
        return lambda a, v: Decimal(v) if a is None else a + v
    if name == "sum" and kind == "numeric":
        return lambda a, v: v if a is None else CONTEXT.add(a, v)
    if name == "sum" and kind in ("float4", "float8"):
        return lambda a, v: v if a is None else a + v
    if name == "count":
        return lambda a, v: a + 1
    return None


__all__ = ["NAMES", "ORDERED_SET", "Aggregate", "find", "ordered_set", "running", "scale"]
