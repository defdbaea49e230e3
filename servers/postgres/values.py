"""Values of each type: from text, to text, as JSON, and as they lie in a stored row."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, tzinfo
from decimal import Context, Decimal, InvalidOperation
from typing import Any

from pydantic_core import from_json

from . import datetimes, types
from .datetimes import Interval
from .errors import SqlError
from .jsontext import J, plain_json, print_json, read_json
from .jsontext import normal as _normal

_INTEGER = re.compile(r"\s*[+-]?\d+\s*")
_DECIMAL = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.IGNORECASE)
_TID = re.compile(r"\s*\((\d+),(\d+)\)\s*")
_PAGE = 100
"""How many rows a page holds, as ctid tells it."""
_UUID = re.compile(r"\{?([0-9a-f]{4}-?){8}\}?", re.IGNORECASE)
_TRUE, _FALSE = (
    ("t", "tr", "tru", "true", "y", "ye", "yes", "on", "1"),
    ("f", "fa", "fal", "fals", "false", "n", "no", "of", "off", "0"),
)


class Setting:
    """What reading and printing depend on: the session's zone and moment, and the enums of its database."""

    def __init__(self, now: datetime, where: tzinfo = UTC, enums: Callable[[str], list[str]] | None = None) -> None:
        self.now, self.where = now, where
        self.enums = enums or (lambda _: [])
        self.relation: Callable[[str], int] = lambda _: 0
        self.relation_name: Callable[[int], str] = str


def bad_text(kind: str, text: str) -> SqlError:
    return SqlError("22P02", f'invalid input syntax for type {types.shown(kind)}: "{text}"')


def read(kind: str, text: str, s: Setting) -> Any:
    """A value of a type from its text."""
    if kind in types.INTEGERS or kind == "oid":
        if not _INTEGER.fullmatch(text):
            raise bad_text(kind, text)
        value, bound = int(text), types.RANGES.get(kind, 2**32)
        if not -bound <= value < bound:
            raise SqlError("22003", f'value "{text}" is out of range for type {types.shown(kind)}')
        return value
    if kind == "numeric":
        return _numeric(text)
    if kind in ("float4", "float8"):
        return _float(kind, text)
    if kind == "bool":
        low = text.strip().lower()
        if low in _TRUE or low in _FALSE:
            return low in _TRUE
        raise bad_text(kind, text)
    if kind == "date":
        made = datetimes.read_timestamp(text, s.now.astimezone(s.where), "date")
        return made.date()
    if kind == "timestamp":
        made = datetimes.read_timestamp(text, s.now.astimezone(s.where).replace(tzinfo=None))
        return made.replace(tzinfo=None)
    if kind == "timestamptz":
        made = datetimes.read_timestamp(text, s.now.astimezone(s.where), "timestamptz")
        return (made if made.tzinfo else made.replace(tzinfo=s.where)).astimezone(UTC)
    if kind in ("time", "timetz"):
        return datetimes.read_time(text)
    if kind == "interval":
        return datetimes.read_interval(text)
    if kind == "json":
        read_json(text, "json")
        return text
    if kind == "jsonb":
        return J(read_json(text, "json"))
    if kind == "uuid":
        if not _UUID.fullmatch(text.strip()):
            raise bad_text(kind, text)
        plain = re.sub("[^0-9a-f]", "", text.lower())
        return f"{plain[:8]}-{plain[8:12]}-{plain[12:16]}-{plain[16:20]}-{plain[20:]}"
    if kind == "bytea":
        return _bytes(text)
    if kind == "tid":
        if not (place := _TID.fullmatch(text)):
            raise bad_text(kind, text)
        return int(place[1]) * _PAGE + int(place[2])
    if kind == "regclass":
        return int(text) if text.isdigit() else s.relation(text)
    if types.is_array(kind):
        return read_array(types.element(kind), text, s)
    if types.is_enum(kind):
        if text not in s.enums(kind):
            raise SqlError("22P02", f'invalid input value for enum {types.shown(kind)}: "{text}"')
        return text
    if kind in ("text", "varchar", "bpchar", "unknown", '"char"', "name", "bit", "varbit", "inet", "regtype"):
        return text[:63] if kind == "name" else text
    raise SqlError("0A000", f"input of type {types.shown(kind)} is not supported")


def _numeric(text: str) -> Decimal:
    if _DECIMAL.fullmatch(text):
        try:
            made = Decimal(text.strip())
        except InvalidOperation:
            made = Decimal("NaN")
        if not made.is_finite() or abs(made.adjusted()) > 131_071 or -int(made.as_tuple().exponent) > 16_383:
            raise SqlError("22003", "value overflows numeric format")
        exponent = int(made.as_tuple().exponent)
        return made if exponent <= 0 else made.quantize(Decimal(1), context=Context(prec=140_000))
    if text.strip().lower() == "nan":
        return Decimal("NaN")
    raise bad_text("numeric", text)


def _float(kind: str, text: str) -> float:
    low = text.strip().lower()
    if low in ("nan", "infinity", "-infinity", "inf", "-inf", "+infinity"):
        return float(low)
    if not _DECIMAL.fullmatch(text):
        raise bad_text(kind, text)
    value = float(low)
    if value in (float("inf"), float("-inf")):
        raise SqlError("22003", f'"{text}" is out of range for type {types.shown(kind)}')
    return value


def _bytes(text: str) -> bytes:
    if text.startswith("\\x"):
        try:
            return bytes.fromhex(text[2:])
        except ValueError:
            raise SqlError(
                "22023",
                "invalid hexadecimal data: odd number of digits" if len(text) % 2 else "invalid hexadecimal digit",
            ) from None
    return text.encode()


def read_array(kind: str, text: str, s: Setting) -> list[Any]:
    """`{1,2,{3}}` with quotes where needed."""
    bad = SqlError(
        "22P02",
        f'malformed array literal: "{text}"',
        detail='Array value must start with "{" or dimension information.',
    )
    given = text.strip()
    if not given.startswith("{"):
        raise bad
    at = 0

    def items() -> list[Any]:
        nonlocal at
        at += 1
        found = list[Any]()
        while True:
            while at < len(given) and given[at].isspace():
                at += 1
            if at >= len(given):
                raise SqlError("22P02", f'malformed array literal: "{text}"', detail="Unexpected end of input.")
            if given[at] == "}" and not found:
                at += 1
                return found
            found.append(items() if given[at] == "{" else item())
            while at < len(given) and given[at].isspace():
                at += 1
            if at >= len(given) or given[at] not in ",}":
                raise SqlError("22P02", f'malformed array literal: "{text}"', detail="Unexpected end of input.")
            at += 1
            if given[at - 1] == "}":
                return found

    def item() -> Any:
        nonlocal at
        if given[at] == '"':
            out, at = list[str](), at + 1
            while at < len(given) and given[at] != '"':
                at += given[at] == "\\"
                out.append(given[at : at + 1])
                at += 1
            at += 1
            return read(kind, "".join(out), s)
        start = at
        while at < len(given) and given[at] not in ",{}":
            at += 1
        word = given[start:at].strip()
        if not word:
            raise SqlError(
                "22P02", f'malformed array literal: "{text}"', detail=f'Unexpected "{given[at : at + 1]}" character.'
            )
        return None if word.lower() == "null" else read(kind, word, s)

    made = items()
    if given[at:].strip():
        raise SqlError("22P02", f'malformed array literal: "{text}"', detail="Junk after closing right brace.")
    return made


# Printing


def text(kind: str, value: Any, s: Setting) -> str:
    """A value as the server sends it in text."""
    match value:
        case bool():
            return "t" if value else "f"
        case str():
            return value
        case int() if kind == "tid":
            return f"({(value - 1) // _PAGE},{(value - 1) % _PAGE + 1})"
        case int():
            return s.relation_name(value) if kind == "regclass" else str(value)
        case Decimal():
            return format(value, "f") if value.is_finite() else "NaN"
        case float():
            return print_float(value, 6 if kind == "float4" else 15)
        case datetime():
            return datetimes.print_timestamptz(value, s.where) if value.tzinfo else datetimes.print_timestamp(value)
        case date():
            return f"{value.year:04}-{value.month:02}-{value.day:02}"
        case time():
            return datetimes.print_time(value) + ("+00" if kind == "timetz" else "")
        case Interval():
            return datetimes.print_interval(value)
        case J():
            return print_json(value.v)
        case bytes():
            return "\\x" + value.hex()
        case list():
            return "{" + ",".join(_array_item(types.element(kind), v, s) for v in value) + "}"
        case tuple():
            return "(" + ",".join(_record_item(v, s) for v in value) + ")"
        case _:
            return str(value)


def print_float(value: float, digits: int = 15) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    short = repr(value)
    if digits == 6:
        short = next(t for n in range(1, 10) if _single(float(t := f"{value:.{n}g}")) == _single(value) or n == 9)
    made = Decimal(short)
    exponent = made.adjusted()
    if made and not -5 < exponent < digits:
        figures = "".join(map(str, made.as_tuple().digits)).rstrip("0")
        head = figures[0] + (f".{figures[1:]}" if len(figures) > 1 else "")
        return f"{'-' if made < 0 else ''}{head}e{'-' if exponent < 0 else '+'}{abs(exponent):02}"
    plain = format(made, "f")
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return "-0" if value == 0 and str(value).startswith("-") else plain


def _single(value: float) -> float:
    import struct  # noqa: PLC0415

    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        raise SqlError("22003", "value out of range: overflow") from None


def single(value: float) -> float:
    return _single(value)


def _array_item(kind: str, value: Any, s: Setting) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, list):
        return text("_" + kind, value, s)
    made = text(kind, value, s)
    if not made or made.lower() == "null" or re.search(r'[\s,{}"\\]', made):
        return '"' + made.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return made


def _record_item(value: Any, s: Setting) -> str:
    if value is None:
        return ""
    made = text(kind_of(value), value, s)
    if not made or re.search(r'[\s,()"\\]', made):
        return '"' + made.replace("\\", "\\\\").replace('"', '""') + '"'
    return made


def kind_of(value: Any) -> str:
    """A type that prints this value rightly, where its own is not known."""
    if isinstance(value, list):
        return "_" + (kind_of(value[0]) if value else "text")
    names = {
        bool: "bool",
        int: "int8",
        Decimal: "numeric",
        float: "float8",
        J: "jsonb",
        tuple: "record",
        bytes: "bytea",
    }
    return names.get(type(value), "text")


def as_json(kind: str, value: Any, s: Setting) -> Any:
    """A value as JSON data for a tool's answer: what JSON has stays, exact numbers and moments are text."""
    if value is None or (isinstance(value, (bool, str)) and kind not in ("json",)):
        return value
    if kind == "json":
        return plain_json(read_json(str(value), "json"))
    if isinstance(value, J):
        return plain_json(value.v)
    if isinstance(value, int) and kind not in ("regclass", "tid"):
        return value
    if isinstance(value, float):
        shown = text(kind, value, s)
        return float(shown) if value == value and abs(value) != float("inf") else shown
    if isinstance(value, list):
        return [as_json(types.element(kind), v, s) for v in value]
    return text(kind, value, s)


# Stored rows


def stored(kind: str, value: Any) -> Any:
    """A value as it lies in a row: JSON data, exact."""
    match value:
        case None | bool() | str() | int():
            return value
        case Decimal():
            return format(value, "f")
        case float():
            return value if value == value and abs(value) != float("inf") else print_float(value)
        case datetime():
            return value.isoformat(" ").replace("+00:00", "+00")
        case date() | time():
            return value.isoformat()
        case Interval():
            return datetimes.print_interval(value)
        case J():
            return print_json(value.v)
        case bytes():
            return value.hex()
        case list():
            return [stored(types.element(kind), v) for v in value]
        case _:
            return str(value)


def _stored_moment(value: str) -> datetime:
    return datetime.fromisoformat(value)


def loader(kind: str) -> Callable[[Any], Any] | None:
    """What turns a stored value back; None where it is one already."""
    if types.is_array(kind):
        inner = loader(types.element(kind))
        return None if inner is None else lambda v: [None if x is None else inner(x) for x in v]
    plain: dict[str, Callable[[Any], Any]] = {
        "numeric": Decimal, "float8": float, "float4": float, "timestamp": _stored_moment, "timestamptz": _stored_moment,
        "date": date.fromisoformat, "time": time.fromisoformat, "timetz": time.fromisoformat, "interval": datetimes.read_interval,
        "bytea": bytes.fromhex, "jsonb": lambda v: J(read_json(v, "json")),
    }  # fmt: skip
    return plain.get(kind)


def key(value: Any) -> Any:
    """A value by which rows are grouped and joined: equal values have equal keys."""
    if isinstance(value, J):
        return "j", print_json(_normal(value.v))
    if isinstance(value, (list, tuple)) and not isinstance(value, Interval):
        return tuple(key(v) for v in value)
    if isinstance(value, Interval):
        return value.span
    if isinstance(value, Decimal) and value.is_nan():
        return "nan"
    return value


def load_cells(text: str) -> Any:
    return from_json(text)
