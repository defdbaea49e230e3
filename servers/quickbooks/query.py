"""Queries: parsed by the grammar, checked against the entity's properties, answered from its objects."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken, VisitError

from legoenv_mcp.app import ApiError, Ctx, wildcard

from . import faults, wire
from .models import NameRecord, Record
from .records import kind_of
from .resources import HIDDEN, Showing

DEFAULT, MOST = 100, 1000
LONGEST = 20_000
TIMES = ("MetaData.CreateTime", "MetaData.LastUpdatedTime")
UNQUERYABLE = frozenset(
    {"DepartmentRef", "ClassRef", "AccountRef", "PrivateNote", "Notes", "CustomerMemo", "TxnTaxDetail", "Line"}
)
_PLAIN = frozenset({"text", "number", "integer", "flag", "date", "choice", "reference", "wrapped"})


@dataclass
class Condition:
    """One comparison: `values` are texts, numbers or booleans; several for IN."""

    path: str
    operator: str
    values: list[Any]


@dataclass
class Query:
    entity: str = ""
    fields: list[str] = field(default_factory=list[str])
    counts: bool = False
    conditions: list[Condition] = field(default_factory=list[Condition])
    order: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    start: int = 1
    most: int | None = None


class _Build(Transformer[Token, Query]):
    def field(self, parts: list[Token]) -> str:
        return ".".join(map(str, parts))

    def value(self, parts: list[Token]) -> Any:
        token = parts[0]
        if token.type == "STRING":
            return re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.S)
        return token.type == "TRUE" if token.type in ("TRUE", "FALSE") else Decimal(str(token))

    def compare(self, parts: list[Any]) -> Condition:
        return Condition(parts[0], str(parts[1]), [parts[2]])

    def like(self, parts: list[Any]) -> Condition:
        return Condition(parts[0], "LIKE", [parts[1]])

    def within(self, parts: list[Any]) -> Condition:
        return Condition(parts[0], "IN", parts[1:])

    def ordering(self, parts: list[Any]) -> tuple[str, bool]:
        return parts[0], len(parts) > 1 and parts[1].type == "DESC"

    def where(self, parts: list[Any]) -> tuple[str, Any]:
        return "conditions", parts

    def order(self, parts: list[Any]) -> tuple[str, Any]:
        return "order", parts

    def startposition(self, parts: list[Token]) -> tuple[str, Any]:
        return "start", int(parts[0])

    def maxresults(self, parts: list[Token]) -> tuple[str, Any]:
        return "most", int(parts[0])

    def count(self, parts: list[Any]) -> tuple[str, Any]:
        return "counts", True

    def items(self, parts: list[Any]) -> tuple[str, Any]:
        return "fields", [str(part) for part in parts]

    def start(self, parts: list[Any]) -> Query:
        made = Query(entity=str(next(part for part in parts if isinstance(part, Token))))
        for part in parts:
            if isinstance(part, tuple):
                setattr(made, part[0], part[1])
        return made


@cache
def _parser() -> Lark:
    grammar = Path(__file__).with_name("query.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="contextual", maybe_placeholders=False)


def parse(text: str) -> Query:
    """The query. 4000 where it is none, with the place where reading stopped."""
    if not text.strip():
        raise _unparsed("null")
    if len(text) > LONGEST:
        raise _unparsed(f"the query is longer than {LONGEST} characters")
    try:
        return _Build().transform(_parser().parse(text))
    except UnexpectedEOF:
        raise _unparsed('Encountered "<EOF>" at the end of the query.') from None
    except UnexpectedInput as error:
        raise _unparsed(_where(text, error)) from None
    except (VisitError, RecursionError):
        raise _unparsed("null") from None


def _where(text: str, error: UnexpectedInput) -> str:
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        kind = "IDENTIFIER" if error.token.type == "NAME" else error.token.type.lstrip("_")
        what = f'" <{kind}> "{str(error.token)[:40]} ""'
    elif isinstance(error, UnexpectedCharacters) and error.pos_in_stream is not None:
        found = text[error.pos_in_stream]
        place = f"Lexical error at line {error.line}, column {error.column}."
        return f'Invalid content. {place}  Encountered: "{found}" ({ord(found)}), after : ""'
    else:
        return 'Encountered "<EOF>" at the end of the query.'
    expected = "".join(f"\n    {_word(name)} ..." for name in sorted(error.accepts or error.expected))
    return f"Encountered {what} at line {error.line}, column {error.column}.\nWas expecting one of:{expected}"


def _word(terminal: str) -> str:
    """A terminal as the service's parser calls it."""
    if terminal in ("_MAXRESULTS", "_STARTPOSITION", "_ORDERBY", "_SELECT", "_FROM"):
        return f'"{terminal[1:].lower()}"'
    return {"$END": "<EOF>", "NAME": "<IDENTIFIER>"}.get(terminal, f"<{terminal.lstrip('_')}>")


def _unparsed(detail: str) -> ApiError:
    return faults.fault("4000", "Error parsing query", f"QueryParserError: {detail}")


def _invalid(detail: str) -> ApiError:
    return faults.fault("4001", "Invalid query", f"QueryValidationError: {detail}")


def properties(cls: type[Record]) -> dict[str, str]:
    """The properties that conditions and orders may name, with their kinds."""
    found = {"Id": "id", **dict.fromkeys(TIMES, "time")}
    for name, one in wire.fields(cls).items():
        if one.form in _PLAIN and name not in HIDDEN and name not in UNQUERYABLE:
            found[name] = one.form
    found |= {
        name: "number"
        for name in ("Balance", "CurrentBalance", "CurrentBalanceWithSubAccounts", "BalanceWithJobs")
        if name in cls.computed
    }
    found |= {name: "text" for name in ("FullyQualifiedName", "Classification") if name in cls.computed}
    if cls.__name__ == "Attachable":
        found |= dict.fromkeys(("AttachableRef.EntityRef.type", "AttachableRef.EntityRef.value"), "text")
    if cls.__name__ == "CompanyCurrency":
        found["Code"] = "text"
    return found


def _property(cls: type[Record], known: dict[str, str], path: str) -> str:
    """The property's own spelling. 4001 where the entity has none of that name."""
    found = {name.lower(): name for name in known}.get(path.lower())
    if found is not None:
        return found
    head = path.partition(".")[0].lower()
    if any(name.lower() == head for name in (*wire.fields(cls), *cls.others, *cls.computed)):
        raise _invalid(f"property '{path}' is not queryable")
    raise _invalid(f"Property {path} not found for Entity {cls.__name__}")


def run(ctx: Ctx, text: str, default: int = DEFAULT) -> dict[str, Any]:
    """The QueryResponse."""
    query = parse(text)
    try:
        cls = kind_of(query.entity)
    except ApiError:
        raise _invalid(f"Entity {query.entity} not found") from None
    known = properties(cls)
    if query.start < 1:
        raise _invalid("STARTPOSITION must be 1 or more")
    if query.most is not None and not 0 <= query.most <= MOST:
        raise faults.fault("4003", "Query is too large", f"MAXRESULTS must be between 0 and {MOST}")
    tests = [_test(cls, known, condition) for condition in query.conditions]
    if issubclass(cls, NameRecord) and not any(c.path.lower() == "active" for c in query.conditions):
        tests.insert(0, lambda shown: shown.get("Active") is not False)
    showing = Showing(ctx)
    objects = (showing.show(row) for row in ctx.db.find(cls))
    found = [shown for shown in objects if all(test(shown) for test in tests)]
    if query.counts:
        return {"totalCount": len(found)}
    for path, down in reversed(query.order):
        name = _property(cls, known, path)
        found.sort(key=lambda shown, name=name: _sortable(_at(shown, name), known[name]), reverse=down)
    most = default if query.most is None else query.most
    page = found[query.start - 1 : query.start - 1 + most]
    if not page:
        return {}
    chosen = [_selected(cls, shown, query.fields) for shown in page]
    return {cls.__name__: chosen, "startPosition": query.start, "maxResults": len(chosen)}


def _selected(cls: type[Record], shown: dict[str, Any], fields: list[str]) -> dict[str, Any]:
    if "*" in fields:
        return shown
    known = {
        name.lower(): name for name in ("Id", "SyncToken", "MetaData", *wire.fields(cls), *cls.computed, *cls.others)
    }
    out: dict[str, Any] = {"domain": "QBO", "sparse": True}
    for path in (*fields, "Id"):
        head, _, rest = path.partition(".")
        name = known.get(head.lower())
        if name is None or name in HIDDEN - {"Code"}:
            raise _invalid(f"Property {path} not found for Entity {cls.__name__}")
        value = shown.get(name)
        if rest and isinstance(value, dict):
            inner = next((key for key in value if key.lower() == rest.lower()), None)
            value = {inner: value[inner]} if inner else None
        if value is not None:
            out[name] = {**out[name], **value} if rest and isinstance(out.get(name), dict) else value
    return out


def _at(shown: dict[str, Any], path: str) -> Any:
    value: Any = shown
    head, _, rest = path.partition(".")
    if isinstance(shown.get(head), list):  # what any of several holds
        return [_at(one, rest) for one in shown[head]]
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    if isinstance(value, dict):  # a reference, an address, a phone number: what it holds
        value = value.get("value", next((inner for key, inner in value.items() if key != "name"), None))
    return value


def _values(shown: dict[str, Any], path: str) -> list[Any]:
    found = _at(shown, path)
    return found if isinstance(found, list) else [found]


def _sortable(value: Any, kind: str) -> tuple[bool, Any]:
    if value is None:
        return False, 0 if kind in ("number", "integer") else ""
    if kind == "id":
        return True, (len(str(value)), str(value))
    if kind in ("number", "integer"):
        return True, Decimal(str(value))
    return True, str(value).casefold()


def _test(cls: type[Record], known: dict[str, str], condition: Condition) -> Callable[[dict[str, Any]], bool]:
    name = _property(cls, known, condition.path)
    kind, operator = known[name], condition.operator
    if operator == "LIKE":
        if not isinstance(condition.values[0], str) or kind in ("flag", "number", "integer"):
            raise _invalid(f"LIKE is not supported for property {name}")
        pattern = wildcard(condition.values[0], many="%", flags=re.I | re.S)
        return lambda shown: any(pattern.fullmatch(str(value or "")) for value in _values(shown, name))
    wanted = [_comparable(value, kind, name) for value in condition.values]
    compare: dict[str, Callable[[Any, Any], bool]] = {
        "=": lambda a, b: a == b, "<": lambda a, b: a < b, ">": lambda a, b: a > b, "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b,
        "IN": lambda a, b: a == b,
    }  # fmt: skip
    if kind in ("flag", "reference") and operator not in ("=", "IN"):
        raise _invalid(f"Operator {operator} is not supported for property {name}")

    def test(shown: dict[str, Any]) -> bool:
        held = [_comparable(value, kind, name) for value in _values(shown, name) if value is not None]
        return any(compare[operator](value, one) for value in held for one in wanted)

    return test


def _comparable(value: Any, kind: str, name: str) -> Any:
    """A value as it is compared: amounts as numbers, times as moments, texts without case."""
    if kind == "flag":
        made = value if isinstance(value, bool) else {"true": True, "false": False}.get(str(value).lower())
        if made is None:
            raise _invalid(f"Invalid value '{str(value)[:40]}' for property {name}")
        return made
    if kind in ("number", "integer"):
        try:
            made_number = Decimal(str(value)) if not isinstance(value, bool) else Decimal("NaN")
        except ArithmeticError:
            made_number = Decimal("NaN")
        if not made_number.is_finite():
            raise _invalid(f"Invalid value '{str(value)[:40]}' for property {name}")
        return made_number
    if kind == "id":
        text = str(value)
        return (len(text), text)
    if kind == "time":
        try:
            return Ctx.parse_time(str(value).replace(" ", "+")).timestamp()
        except (ValueError, OverflowError):
            raise _invalid(f"Invalid value '{str(value)[:40]}' for property {name}") from None
    if kind == "date":
        try:
            return wire.day(value, name)
        except ApiError:
            raise _invalid(f"Invalid value '{str(value)[:40]}' for property {name}") from None
    return str(value).casefold()
