"""SOQL text -> a syntax tree of plain records, each knowing where it stood."""

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path as FilePath
from typing import Any

from lark import Lark, Token, Transformer, Tree, UnexpectedCharacters, UnexpectedEOF, UnexpectedToken, v_args

from legoenv_mcp.app import ApiError

from .. import errors

_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_ILLEGAL = re.compile(r"\\(?![nrtbf'\"%_]|u[0-9A-Fa-f]{4}).", re.I | re.S)
_LONGEST = 100_000


@dataclass(frozen=True, slots=True)
class At:
    """A place in the query: line and column, from 1."""

    line: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True)
class Path:
    """`Account.Owner.Name`."""

    names: tuple[str, ...]
    at: At


@dataclass(frozen=True, slots=True)
class Call:
    """`COUNT(Id)`, `FIELDS(ALL)`, `CALENDAR_YEAR(CloseDate)`."""

    name: str
    arguments: tuple[Any, ...]
    at: At


@dataclass(frozen=True, slots=True)
class Literal:
    """kind: string, number, date, datetime, boolean, null, period (a date literal such as THIS_WEEK)."""

    kind: str
    value: Any
    at: At
    n: int | None = None


@dataclass(frozen=True, slots=True)
class Selected:
    expr: Path | Call
    alias: str = ""


@dataclass(frozen=True, slots=True)
class Subquery:
    query: "Query"


@dataclass(frozen=True, slots=True)
class Compare:
    """op: one of = != < > <= >= like in not_in includes excludes; `value` a Literal, a tuple of them, or a Query."""

    expr: Path | Call
    op: str
    value: Any


@dataclass(frozen=True, slots=True)
class Logic:
    op: str
    terms: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Ordering:
    expr: Path | Call
    descending: bool = False
    nulls_last: bool = False


@dataclass(slots=True)
class Query:
    source: str
    at: At
    items: tuple[Any, ...]
    alias: str = ""
    scope: str = ""
    where: Any = None
    group: tuple[Any, ...] = ()
    having: Any = None
    order: tuple[Ordering, ...] = ()
    limit: int | None = None
    offset: int | None = None
    all_rows: bool = False


@dataclass(slots=True)
class Target:
    """A type that a search returns; without a query its ids."""

    name: str
    at: At
    query: Query | None = None


@dataclass(slots=True)
class Search:
    terms: str
    group: str = "ALL"
    targets: list[Target] = field(default_factory=list[Target])
    limit: int | None = None


def failure(text: str, at: At, message: str, code: str = "MALFORMED_QUERY", hint: str | None = None) -> ApiError:
    """A refusal that shows the place, as the platform does: the line, a caret, row and column."""
    lines = text.split("\n")
    line = lines[min(at.line, len(lines)) - 1]
    start = max(0, at.column - 1 - 40)
    shown = line[start : at.column - 1 + 40]
    caret = " " * (at.column - 1 - start) + "^"
    return errors.refusal(
        code, f"\n{shown}\n{caret}\nERROR at Row:{at.line}:Column:{at.column}\n{message}", listed=False, hint=hint
    )


def _at(token: Token) -> At:
    return At(token.line or 1, token.column or 1)


def _whole(number: Token) -> int:
    """A count; what is none is too large to mean anything."""
    return int(number) if number.isdigit() and len(number) < 10 else 10**9


def unquote(text: str) -> str:
    def plain(found: re.Match[str]) -> str:
        made = chr(int(found[1], 16)) if found[1] else _ESCAPES.get(found[2], found[2])
        return "\ufffd" if "\ud800" <= made <= "\udfff" else made

    return re.sub(r"\\(?:u([0-9A-Fa-f]{4})|(.))", plain, text[1:-1], flags=re.S)


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A construct that is understood and refused by name."""

    message: str
    at: At


@v_args(inline=True)
class _Build(Transformer[Token, Any]):
    """Tree -> records. Clauses come as (name, value) pairs."""

    def path(self, *names: Token) -> Path:
        return Path(tuple(map(str, names)), _at(names[0]))

    def call(self, name: Token, *arguments: Any) -> Call:
        return Call(str(name).upper(), arguments, _at(name))

    def value_argument(self, token: Token) -> Literal | Unsupported:
        return self.value(token)

    def selected(self, expr: Any, alias: str = "") -> Selected:
        return Selected(expr, alias)

    def alias(self, name: Token) -> str:
        return str(name)

    def subquery(self, query: Query) -> Subquery:
        return Subquery(query)

    def typeof(self, word: Token, *_: Any) -> Unsupported:
        return Unsupported("TYPEOF is not supported in this organization", _at(word))

    def items(self, *items: Any) -> tuple[Any, ...]:
        return items

    def source(self, *names: Any) -> Any:
        return [n for n in names if n.type == "NAME"]

    def scope(self, _using: Any, _scope: Any, name: Token) -> Any:
        return "scope", name

    def where(self, _: Any, condition: Any) -> Any:
        return "where", condition

    def having(self, _: Any, condition: Any) -> Any:
        return "having", condition

    def with_(self, _: Any, name: Token, *rest: Any) -> Any:
        return "with", (name, rest)

    def group(self, _group: Any, _by: Any, *exprs: Any) -> Any:
        return "group", exprs

    def order(self, _order: Any, _by: Any, *orderings: Any) -> Any:
        return "order", orderings

    def ordering(self, expr: Any, *words: Token) -> Ordering:
        kinds = {w.type for w in words}
        return Ordering(expr, "DESC" in kinds, "LAST" in kinds)

    def limit(self, _: Any, number: Token) -> Any:
        return "limit", number

    def offset(self, _: Any, number: Token) -> Any:
        return "offset", number

    def for_(self, _: Any, *names: Token) -> Any:
        return "for", names

    def all_rows(self, *_: Any) -> Any:
        return "all_rows", True

    def and_(self, first: Any, *rest: Any) -> Logic:
        return Logic("and", (first, *(r for r in rest if not isinstance(r, Token))))

    def or_(self, first: Any, *rest: Any) -> Logic:
        return Logic("or", (first, *(r for r in rest if not isinstance(r, Token))))

    def not_(self, _: Any, term: Any) -> Logic:
        return Logic("not", (term,))

    def compare(self, expr: Any, op: Token, value: Any) -> Compare:
        return Compare(expr, "!=" if op == "<>" else str(op), value)

    def like(self, expr: Any, _: Any, value: Any) -> Compare:
        return Compare(expr, "like", value)

    def in_(self, expr: Any, _: Any, value: Any) -> Compare:
        return Compare(expr, "in", value)

    def not_in(self, expr: Any, _not: Any, _in: Any, value: Any) -> Compare:
        return Compare(expr, "not_in", value)

    def includes(self, expr: Any, _: Any, value: Any) -> Compare:
        return Compare(expr, "includes", value)

    def excludes(self, expr: Any, _: Any, value: Any) -> Compare:
        return Compare(expr, "excludes", value)

    def listed(self, *values: Any) -> tuple[Any, ...]:
        return values

    def semi_join(self, query: Query) -> Query:
        return query

    def bind(self, token: Token) -> Any:
        return (self.value(token),)

    def value(self, token: Token) -> Literal | Unsupported:
        at, text = _at(token), str(token)
        if token.type == "STRING":
            if bad := _ILLEGAL.search(re.sub(r"\\\\", "", text)):
                return Unsupported(
                    f"Invalid string literal {text}. Illegal character sequence '{bad[0]}' in string literal.", at
                )
            return Literal("string", text, at)
        if token.type == "NUMBER":
            plain = re.fullmatch(r"[+-]?\d+", text)
            return Literal(
                "number", int(text) if plain and len(text) < 19 else max(min(float(text), 1e308), -1e308), at
            )
        if token.type in ("TRUE", "FALSE"):
            return Literal("boolean", token.type == "TRUE", at)
        if token.type == "NULL":
            return Literal("null", None, at)
        return Literal(token.type.lower(), text, at)

    def date_literal(self, name: Token, number: Token | None = None) -> Literal:
        return Literal("period", str(name).upper(), _at(name), None if number is None else _whole(number))

    def query(self, _select: Any, items: Any, _from: Any, source: Any, *clauses: Any) -> Any:
        return _query(items, source, clauses)

    def target(self, name: Token, *rest: Any) -> Target:
        if not rest:
            return Target(str(name), _at(name))
        return Target(str(name), _at(name), _query(rest[0], [name], rest[1:]))

    def search_with(self, word: Token, name: Token, *_: Any) -> Any:
        if str(name).upper() == "SPELL_CORRECTION":
            return None
        return Unsupported(f"WITH {name} is not supported in this organization", _at(word))

    def search(self, _find: Any, terms: Token, *rest: Any) -> Any:
        made = Search(str(terms)[1:-1])
        for part in rest:
            if isinstance(part, Target):
                made.targets.append(part)
            elif isinstance(part, Unsupported):
                return part
            elif isinstance(part, tuple) and part[0] == "limit":
                made.limit = _whole(part[1])
            elif isinstance(part, Token) and part.type == "NAME":
                made.group = str(part).upper()
        return made


def _query(items: Any, source: list[Token], clauses: Any) -> Any:
    query = Query(str(source[0]), _at(source[0]), items, str(source[1]) if len(source) > 1 else "")
    for name, value in clauses:
        if name in ("limit", "offset"):
            if not str(value).isdigit():
                return Unsupported(f"unexpected token: '{value}'", _at(value))
            setattr(query, name, _whole(value))
        elif name == "with":
            word = value[0]
            if str(word).upper() not in ("SECURITY_ENFORCED", "USER_MODE", "SYSTEM_MODE") or value[1]:
                return Unsupported(f"WITH {word} is not supported in this organization", _at(word))
        elif name == "for":
            for word in value:
                if str(word).upper() not in ("VIEW", "REFERENCE", "UPDATE"):
                    return Unsupported(f"unexpected token: '{word}'", _at(word))
        elif name == "scope":
            query.scope = str(value).lower()
        else:
            setattr(query, name, value)
    if len(source) > 2:
        return Unsupported("Relationships listed in FROM are not supported in this organization", _at(source[2]))
    return query


@cache
def _parser() -> Lark:
    grammar = FilePath(__file__).with_name("soql.lark").read_text(encoding="utf-8")
    return Lark(grammar, start=["query", "search"], parser="lalr", maybe_placeholders=False, propagate_positions=False)


def parse(text: str, start: str = "query") -> Any:
    """A query's or search's syntax tree; MALFORMED_QUERY or MALFORMED_SEARCH where it is none."""
    code = "MALFORMED_QUERY" if start == "query" else "MALFORMED_SEARCH"
    if len(text) > _LONGEST:
        raise errors.refusal(code, f"SOQL statements cannot be longer than {_LONGEST} characters", listed=False)
    try:
        tree = _parser().parse(text, start=start)
    except UnexpectedToken as error:
        token = error.token
        if token.type == "$END":
            raise _at_end(text, code) from None
        raise failure(text, _at(token), f"unexpected token: '{token}'", code) from None
    except UnexpectedCharacters as error:
        at = At(error.line, error.column)
        bad = error.char
        if bad == "'":
            raise errors.refusal(
                code, f"line {at.line}:{at.column} mismatched character '<EOF>' expecting '''", listed=False
            ) from None
        message = f"line {at.line}:{at.column} no viable alternative at character '{bad}'"
        raise errors.refusal(code, message, listed=False) from None
    except UnexpectedEOF:
        raise _at_end(text, code) from None
    try:
        made = _Build().transform(tree)
        parts = _walk(made)
    except RecursionError:
        raise errors.refusal(code, "The query is too complicated", listed=False) from None
    for part in parts:
        if isinstance(part, Unsupported):
            raise failure(text, part.at, part.message, code)
    return made


def _at_end(text: str, code: str) -> ApiError:
    if not text.strip():
        return errors.refusal(code, "unexpected token: '<EOF>'", listed=False)
    lines = text.rstrip().split("\n")
    return failure(text.rstrip(), At(len(lines), len(lines[-1]) + 1), "unexpected token: '<EOF>'", code)


def _walk(part: Any) -> list[Any]:
    """The part and the queries and items inside it."""
    found = [part]
    if isinstance(part, Query):
        for item in (*part.items, part.where, part.having):
            found += _walk(item)
    elif isinstance(part, Search):
        for target in part.targets:
            found += _walk(target.query)
    elif isinstance(part, Subquery):
        found += _walk(part.query)
    elif isinstance(part, (Logic, tuple)):
        for term in part.terms if isinstance(part, Logic) else part:
            found += _walk(term)
    elif isinstance(part, Compare):
        found += _walk(part.value)
    return found


__all__ = ["At", "Call", "Compare", "Literal", "Logic", "Ordering", "Path", "Query", "Search", "Selected", "Subquery", "Target", "Tree",
"failure", "parse"]  # fmt: skip
