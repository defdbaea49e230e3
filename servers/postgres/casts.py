"""Casts between types, and the limits that a column's type sets (lengths, precision)."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from . import types, values
from .errors import SqlError
from .numbers import fits, rounded
from .values import J, Setting

Run = Callable[[Any], Any]


def caster(source: str, target: str, s: Setting) -> Run | None:
    """What makes a value of one type one of another; None where nothing needs doing."""
    if source == target or (source, target) in (
        ("text", "varchar"),
        ("varchar", "text"),
        ("unknown", "text"),
        ("int2", "int4"),
        ("int4", "int8"),
        ("int2", "int8"),
    ):
        return None
    if types.is_array(source) and types.is_array(target):
        inner = caster(types.element(source), types.element(target), s)
        return None if inner is None else lambda v: [None if x is None else inner(x) for x in v]
    if types.is_string(source) and not types.is_string(target):
        return lambda v: values.read(target, v, s)
    if types.is_string(target):
        if types.is_string(source):
            return (lambda v: v.rstrip(" ")) if source == "bpchar" else (lambda v: v[:63]) if target == "name" else None
        if source == "bool":
            return lambda v: "true" if v else "false"
        return lambda v: values.text(source, v, s)
    return _special(source, target, s) or _same(source, target)


def _same(source: str, target: str) -> Run | None:
    if target in types.INTEGERS:
        if source in types.INTEGERS or source in ("oid", "regclass"):
            return lambda v: fits(target, v)
        if source == "numeric":
            return lambda v: fits(target, int(rounded(v, 0))) if v.is_finite() else _nan(target)
        if source in ("float4", "float8"):
            return lambda v: (
                fits(target, int(Decimal(v).to_integral_value(ROUND_HALF_EVEN)))
                if v == v and abs(v) != float("inf")
                else _range(target)
            )
        if source == "bool":
            return int
        if source == "jsonb":
            return lambda v: fits(target, int(rounded(_scalar(v, Decimal, target), 0)))
    if target == "numeric":
        if source in ("float4", "float8"):
            digits = 6 if source == "float4" else 15
            return lambda v: values.read("numeric", f"{v:.{digits}g}", _NONE) if v == v else Decimal("NaN")
        if source == "jsonb":
            return lambda v: _scalar(v, Decimal, target)
        return Decimal
    if target in ("float4", "float8"):
        shrink = values.single if target == "float4" else float
        if source == "jsonb":
            return lambda v: shrink(float(_scalar(v, Decimal, target)))
        return lambda v: shrink(float(v))
    if target == "bool":
        return (lambda v: _scalar(v, bool, target)) if source == "jsonb" else bool
    return None


_NONE = Setting(datetime(2000, 1, 1, tzinfo=UTC))


def _nan(target: str) -> Any:
    raise SqlError("0A000", f"cannot convert NaN to {types.shown(target)}")


def _range(target: str) -> Any:
    raise SqlError("22003", f"{types.shown(target)} out of range")


def _scalar(value: J, wanted: type, target: str) -> Any:
    if isinstance(value.v, wanted) and (wanted is bool or not isinstance(value.v, bool)):
        return value.v
    names = {dict: "object", list: "array", str: "string", bool: "boolean", Decimal: "numeric", type(None): "null"}
    raise SqlError("22023", f"cannot cast jsonb {names[type(value.v)]} to type {types.shown(target)}")


def _special(source: str, target: str, s: Setting) -> Run | None:
    match source, target:
        case "date", "timestamp":
            return lambda v: datetime.combine(v, time())
        case "date", "timestamptz":
            return lambda v: datetime(v.year, v.month, v.day, tzinfo=s.where).astimezone(UTC)
        case "timestamp", "date":
            return datetime.date
        case "timestamp", "timestamptz":
            return lambda v: v.replace(tzinfo=s.where).astimezone(UTC)
        case "timestamptz", "timestamp":
            return lambda v: v.astimezone(s.where).replace(tzinfo=None)
        case "timestamptz", "date":
            return lambda v: v.astimezone(s.where).date()
        case "timestamp", "time":
            return datetime.time
        case "timestamptz", "time" | "timetz":
            return lambda v: v.astimezone(s.where).time()
        case "time", "interval":
            return lambda v: values.datetimes.Interval(
                0, 0, (v.hour * 3600 + v.minute * 60 + v.second) * 1_000_000 + v.microsecond
            )
        case "interval", "time":
            return lambda v: _clock(v.micros)
        case "json", "jsonb":
            return lambda v: J(values.read_json(v, "json"))
        case "jsonb", "json":
            return lambda v: values.print_json(v.v)
        case _:
            return None


def _clock(micros: int) -> time:
    micros %= values.datetimes.DAY
    return time(micros // 3_600_000_000, micros // 60_000_000 % 60, micros // 1_000_000 % 60, micros % 1_000_000)


def limiter(kind: str, mods: tuple[int, ...], explicit: bool) -> Run | None:
    """What fits a value into a type's modifiers: an explicit cast cuts text that a column refuses."""
    if types.is_array(kind):
        inner = limiter(types.element(kind), mods, explicit)
        return None if inner is None else lambda v: [None if x is None else inner(x) for x in v]
    if not mods:
        return None
    if kind in ("varchar", "bpchar"):
        size = mods[0]

        def limited(value: str) -> str:
            if len(value) > size:
                if not explicit and value[size:].strip(" "):
                    raise SqlError("22001", f"value too long for type {types.shown(kind, mods)}")
                value = value[:size]
            return value.ljust(size) if kind == "bpchar" else value

        return limited
    if kind == "numeric":
        precision, places = mods[0], mods[1] if len(mods) > 1 else 0

        def exact(value: Decimal) -> Decimal:
            made = rounded(value, places)
            if made and made.adjusted() >= precision - places:
                bound = f"10^{precision - places}" if precision != places else "1"
                raise SqlError(
                    "22003",
                    "numeric field overflow",
                    detail=f"A field with precision {precision}, scale {places} must round to an absolute value less than {bound}.",
                )
            return made

        return exact
    if kind in ("timestamp", "timestamptz", "time"):
        unit = 10 ** max(0, 6 - mods[0])
        return lambda v: _moment(v, unit)
    return None


def _moment(value: Any, unit: int) -> Any:
    micros = (value.microsecond + unit // 2) // unit * unit if unit > 1 else value.microsecond
    if micros >= 1_000_000:
        return value.replace(microsecond=0) + values.datetimes.timedelta(seconds=1)
    return value.replace(microsecond=micros)


def check_mods(kind: str, mods: tuple[int, ...], at: int) -> None:
    """The limits of the limits."""
    base = types.element(kind) if types.is_array(kind) else kind
    if base in ("varchar", "bpchar") and mods:
        name = "varchar" if base == "varchar" else "char"
        if mods[0] < 1:
            raise SqlError("22023", f"length for type {name} must be at least 1", at)
        if mods[0] > 10_485_760:
            raise SqlError("22023", f"length for type {name} cannot exceed 10485760", at)
    if base == "numeric" and mods and not 1 <= mods[0] <= 1000:
        raise SqlError("22023", f"NUMERIC precision {mods[0]} must be between 1 and 1000", at)
    if mods and base not in (
        "varchar",
        "bpchar",
        "numeric",
        "timestamp",
        "timestamptz",
        "time",
        "timetz",
        "interval",
        "bit",
        "varbit",
    ):
        raise SqlError("42601", f'type modifier is not allowed for type "{base}"', at)


__all__ = ["caster", "check_mods", "date", "limiter"]
