"""The search query: filters {field, operator, value}, joined in groups by AND and OR.

A query is checked whole before a row is looked at, so that what is wrong with it is told whatever the workspace holds.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, cast
from zoneinfo import ZoneInfo

from legoenv_mcp.app import ApiError

from . import errors

Kind = Literal["string", "words", "integer", "date", "boolean"]
Test = Callable[[Any], bool]
MOST_FILTERS = 15
MOST_DEPTH = 2
_EQUAL = ("=", "!=", "IN", "NIN")
_ORDER = ("<", "<=", ">", ">=")
_TEXT = ("~", "!~", "^", "$")
OPERATORS = (*_EQUAL, *_ORDER, *_TEXT)
_OF: dict[Kind, tuple[str, ...]] = {
    "string": (*_EQUAL, *_TEXT), "words": (*_EQUAL, *_TEXT), "integer": (*_EQUAL, *_ORDER), "date": (*_EQUAL, *_ORDER),
    "boolean": ("=", "!=", "IN", "NIN"),
}  # fmt: skip


@dataclass(frozen=True)
class Searched:
    """A field: its kind, what a row has of it (a list where it has several), and the operators where they are fewer.

    nobody: It names somebody; 0 and null alike find those that name nobody.
    """

    kind: Kind
    get: Callable[[Any], Any]
    operators: tuple[str, ...] = ()
    nobody: bool = False


@dataclass(frozen=True)
class Catalogue:
    """What can be searched by. `attribute` finds the fields that a workspace defines itself.

    by_day: contacts' times are compared by whole days, in the workspace's time zone. inclusive: `>` and `<` hold for equal values too,
    as documented of conversations and tickets.
    """

    fields: Mapping[str, Searched]
    attribute: Callable[[str], Searched | None] = lambda name: None
    by_day: bool = False
    inclusive: bool = False
    zone: str = "UTC"
    default_sort: str = "updated_at"

    def find(self, name: str) -> Searched:
        found = self.fields.get(name) or self.attribute(name)
        if found is None:
            raise errors.refuse(400, "invalid_field", f"Field '{name}' is not a searchable field")
        return found

    def compile(self, query: Any) -> Test:
        return _compile(self, query, 0)

    def order(self, sort: Mapping[str, Any] | None) -> tuple[Callable[[Any], Any], bool]:
        """What to sort by, and whether it is from the top down."""
        wanted = dict(sort or {})
        name, way = wanted.get("field") or self.default_sort, wanted.get("order") or "descending"
        if way not in ("ascending", "descending"):
            raise errors.refuse(
                400, "invalid_sort_order", f"Invalid sort order '{way}'. Must be one of: ascending, descending"
            )
        found = self.find(name)

        def key(row: Any) -> Any:
            value = found.get(row)
            return value[0] if isinstance(value, list) and value else None if isinstance(value, list) else value

        return key, way == "descending"


def _bad(message: str) -> ApiError:
    return errors.refuse(400, "invalid_query", message)


def _compile(catalogue: Catalogue, query: Any, depth: int) -> Test:
    if not isinstance(query, dict):
        raise _bad("A query must be an object with an operator and a value")
    node = cast(dict[str, Any], query)
    for name in node:
        if name not in ("field", "operator", "value"):
            raise _bad(f"'{name}' is not a part of a query")
    operator = node.get("operator")
    if operator in ("AND", "OR") and node.get("field") is None:
        return _group(catalogue, operator, node.get("value"), depth)
    if not isinstance(node.get("field"), str):
        raise _bad("A filter must name a field")
    if "value" not in node:
        raise _bad(f"The filter on '{node['field']}' has no value")
    return _filter(catalogue, cast(str, node["field"]), operator, node["value"])


def _group(catalogue: Catalogue, operator: str, value: Any, depth: int) -> Test:
    if not isinstance(value, list) or not value:
        raise _bad(f"The value of {operator} must be an array of filters")
    inner = cast(list[Any], value)
    if depth >= MOST_DEPTH:
        raise _bad(f"Filters can be nested at most {MOST_DEPTH} deep")
    if len(inner) > MOST_FILTERS:
        raise _bad(f"A group can have at most {MOST_FILTERS} filters")
    tests = [_compile(catalogue, one, depth + 1) for one in inner]
    if operator == "AND":
        return lambda row: all(test(row) for test in tests)
    return lambda row: any(test(row) for test in tests)


def _filter(catalogue: Catalogue, name: str, operator: Any, value: Any) -> Test:
    found = catalogue.find(name)
    if operator not in OPERATORS:
        raise errors.refuse(
            400,
            "invalid_operator",
            f"'{operator}' is not a valid operator. Valid operators are: {', '.join(OPERATORS)}",
        )
    allowed = found.operators or (("=", ">", "<") if found.kind == "date" and catalogue.by_day else _OF[found.kind])
    if operator not in allowed:
        raise errors.refuse(
            400,
            "invalid_operator",
            f"Operator '{operator}' is not supported for field '{name}'. Supported operators are: {', '.join(allowed)}",
        )
    if operator in ("IN", "NIN"):
        if not isinstance(value, list):
            raise _value(name, f"must be an array for operator '{operator}'")
        given = [_named(found, _read(found.kind, name, one)) for one in cast(list[Any], value)]
        return _any_of(found, given, negated=operator == "NIN")
    if operator in ("=", "!=") and found.kind == "date" and catalogue.by_day:
        start, end = _day(catalogue, _read("date", name, value))
        return lambda row: any(start <= said < end for said in _values(found, row))
    read = None if value is None and operator in ("=", "!=") else _read(found.kind, name, value)
    if operator in ("=", "!="):
        return _any_of(found, [_named(found, read)], negated=operator == "!=")
    if operator in _ORDER:
        return _compared(catalogue, found, operator, cast(float, read))
    return _matched(found, operator, cast(str, read))


def _named(found: Searched, value: Any) -> Any:
    return None if found.nobody and value in (0, "0") else value


def _values(found: Searched, row: Any) -> list[Any]:
    """What a row has in a field, as the field's kind; attributes of a workspace's own may hold anything."""
    value = found.get(row)
    given = [one for one in (cast(list[Any], value) if isinstance(value, list) else [value]) if one is not None]
    if found.kind in ("integer", "date"):
        return [n for n in map(_number, given) if n is not None]
    return given if found.kind == "boolean" else [str(one) for one in given]


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        try:
            made = datetime.fromisoformat(value)
            return (made if made.tzinfo else made.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            return None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _fold(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


def _any_of(found: Searched, given: list[Any], *, negated: bool) -> Test:
    wanted = {(type(v) is bool, _fold(v)) for v in given}

    def test(row: Any) -> bool:
        values = _values(found, row)
        if found.kind == "words":
            values = [word for text in values for word in _words(text)]
        keys = {(type(v) is bool, _fold(v)) for v in values} or {(False, None)}
        return bool(keys & wanted) != negated

    return test


def _words(text: str) -> list[str]:
    """A body's elements: its words, without the marks around them."""
    return [word.strip(".,;:!?()[]{}\"'<>") for word in text.split()]


def _compared(catalogue: Catalogue, found: Searched, operator: str, bound: float) -> Test:
    if found.kind == "date" and catalogue.by_day:
        start, end = _day(catalogue, int(bound))
        if operator == ">":
            return lambda row: any(said >= end for said in _values(found, row))
        return lambda row: any(said < start for said in _values(found, row))
    wide = catalogue.inclusive or operator.endswith("=")
    if operator[0] == ">":
        return lambda row: any(said > bound or (wide and said == bound) for said in _values(found, row))
    return lambda row: any(said < bound or (wide and said == bound) for said in _values(found, row))


def _matched(found: Searched, operator: str, text: str) -> Test:
    wanted = text.casefold()

    def holds(said: str) -> bool:
        if operator == "^":
            return said.startswith(wanted)
        return said.endswith(wanted) if operator == "$" else wanted in said

    return lambda row: any(holds(str(v).casefold()) for v in _values(found, row)) != (operator == "!~")


def _value(name: str, why: str) -> ApiError:
    return errors.refuse(400, "invalid_value", f"The value for field '{name}' {why}")


def _read(kind: Kind, name: str, value: Any) -> Any:
    """The value as the field's kind; numbers may come as text."""
    if kind in ("string", "words"):
        if isinstance(value, str) or (isinstance(value, (int, float)) and not isinstance(value, bool)):
            return str(value)
        raise _value(name, "must be a string")
    if kind == "boolean":
        if isinstance(value, bool) or value in ("true", "false", 1, 0):  # the official clients send 1 for true
            return value in (True, "true")
        raise _value(name, "must be a boolean")
    if isinstance(value, str) and value.lstrip("-").isdigit() and value.isascii() and len(value) < 16:
        value = int(value) if "-" not in value[1:] else None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    raise _value(name, "must be a UNIX timestamp" if kind == "date" else "must be a number")


def _day(catalogue: Catalogue, when: int) -> tuple[int, int]:
    """The seconds at which the day of a time begins, and the next one's."""
    zone = ZoneInfo(catalogue.zone)
    try:
        local = datetime.fromtimestamp(when, UTC).astimezone(zone)
        start = local.replace(hour=0, minute=0, second=0, microsecond=0)
        nextday = (start + timedelta(hours=36)).replace(hour=0, minute=0, second=0)
        return int(start.timestamp()), int(nextday.timestamp())
    except (ValueError, OverflowError, OSError):
        raise errors.refuse(400, "invalid_value", f"{when} is not a UNIX timestamp") from None
