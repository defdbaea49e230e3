"""JQL's text -> its clauses; what cannot be read is refused in Jira's words."""

import re
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedToken
from lark.exceptions import VisitError

_KEYWORDS = {
    "and": "_AND", "or": "_OR", "not": "NOT", "in": "IN", "is": "IS", "was": "WAS", "changed": "CHANGED", "empty": "EMPTY", "null": "NULL",
    "order": "ORDER", "by": "BY", "asc": "ASC", "desc": "DESC", "after": "AFTER", "before": "BEFORE", "during": "DURING", "on": "ON",
    "from": "FROM", "to": "TO",
}  # fmt: skip
_RESERVED_WORDS = """
abort access add alias all alter any as audit avg begin between boolean break byte catch cf char character check checkpoint
collate collation column commit connect continue count create current date decimal declare decrement default defaults define
delete delimiter difference distinct divide do double drop else encoding end equals escape exclusive exec execute exists
explain false fetch file field first float for function go goto grant greater group having identified if immediate increment
index initial inner inout input insert int integer intersect intersection into isempty isnull join last left less like limit
lock long max min minus mode modify modulo more multiply next noaudit notin nowait number object of option outer output power
previous prior privileges public raise raw remainder rename resource return returns revoke right row rowid rownum rows select
session set share size sqrt start strict string subtract sum synonym table then trans transaction trigger true uid union
unique update user validate values view when whenever where while with
"""
_RESERVED = frozenset(_RESERVED_WORDS.split())
_OPERATORS = "The valid operators are '=', '!=', '<', '>', '<=', '>=', '~', '!~', 'IN', 'NOT IN', 'IS' and 'IS NOT'."
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'", " ": " "}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
LONGEST, DEEPEST = 20_000, 40
_NEGATIONS = re.compile(r"(?:(?:!|\bnot\b)[\s(]*){20}", re.IGNORECASE)


class JqlError(ValueError):
    """What is wrong with the query, as Jira says it."""


@dataclass(frozen=True, slots=True)
class Value:
    """One operand: a text, EMPTY (text None), or a function with its arguments."""

    text: str | None
    function: str = ""
    arguments: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        return (
            f"{self.function}({', '.join(self.arguments)})"
            if self.function
            else "EMPTY"
            if self.text is None
            else self.text
        )


@dataclass(frozen=True, slots=True)
class Many:
    """A list of operands."""

    values: tuple[Any, ...]

    @property
    def shown(self) -> str:
        return f"({', '.join(v.shown for v in self.values)})"


Operand = Value | Many


@dataclass(frozen=True, slots=True)
class Clause:
    """`operator` is one of JQL's, in lower case; `predicates` belong to `was` and `changed`."""

    field: str
    operator: str
    operand: Any = None
    predicates: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class All:
    parts: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Either:
    parts: tuple[Any, ...]


_OPPOSITE = {
    "=": "!=", "in": "not in", "~": "!~", "is": "is not", "<": ">=", ">": "<=", "was": "was not", "was in": "was not in",
    "changed": "not changed",
}  # fmt: skip
_OPPOSITE |= {there: here for here, there in _OPPOSITE.items()}


def negated(node: Any) -> Any:
    """What NOT makes of clauses: as in Jira it turns their operators round, so that NOT x = 1 leaves out empty values as x != 1 does."""
    if isinstance(node, All):
        return Either(tuple(map(negated, node.parts)))
    if isinstance(node, Either):
        return All(tuple(map(negated, node.parts)))
    return replace(node, operator=_OPPOSITE[node.operator])


@dataclass(frozen=True, slots=True)
class Sort:
    field: str
    descending: bool | None


@dataclass(frozen=True, slots=True)
class Query:
    where: Any = None
    order: tuple[Sort, ...] = field(default=())


def _at(token: Any) -> str:
    return f"(line {token.line}, character {token.column})"


def _word(token: Token) -> Token:
    """A bare word is a keyword, a reserved word, or itself."""
    low = token.lower()
    if low in _KEYWORDS:
        token.type = _KEYWORDS[low]
    elif low in _RESERVED:
        raise JqlError(
            f"Error in the JQL Query: '{token}' is a reserved JQL word. You must surround it in quotation marks to use it as a field name"
            f" or value. {_at(token)}"
        )
    return token


def _unclosed(token: Token) -> Token:
    raise JqlError(f"Error in the JQL Query: The quoted string '{token[1:]}' has not been completed. {_at(token)}")


@cache
def _parser() -> Lark:
    return Lark(
        Path(__file__).with_name("syntax.lark").read_text("utf-8"), parser="lalr", lexer="basic", maybe_placeholders=True,
        lexer_callbacks={"WORD": _word, "UNCLOSED": _unclosed},
    )  # fmt: skip


def _unescaped(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        given = found[1]
        if given[0] == "u" and len(given) > 1:
            return chr(int(given[1:], 16))
        if given not in _ESCAPES:
            raise JqlError(f"Error in the JQL Query: '\\{given}' is an illegal JQL escape sequence.")
        return _ESCAPES[given]

    made = _ESCAPE.sub(one, text)
    try:
        made.encode()
    except UnicodeEncodeError:
        raise JqlError("Error in the JQL Query: a lone surrogate is no character.") from None
    return made


def _plain(token: Token) -> str:
    return _unescaped(token[1:-1]) if token.type == "STRING" else _unescaped(str(token))


class _Build(Transformer[Token, Query]):
    """The parse tree -> clauses."""

    def start(self, items: list[Any]) -> Query:
        return Query(items[0], items[1] or ())

    def disjunction(self, items: list[Any]) -> Any:
        return items[0] if len(items) == 1 else Either(tuple(items))

    def conjunction(self, items: list[Any]) -> Any:
        return items[0] if len(items) == 1 else All(tuple(items))

    def negated(self, items: list[Any]) -> Any:
        return negated(items[1])

    def compare(self, items: list[Any]) -> Clause:
        return Clause(items[0], str(items[1]), items[2])

    def member(self, items: list[Any]) -> Clause:
        return Clause(items[0], "in", items[2])

    def not_member(self, items: list[Any]) -> Clause:
        return Clause(items[0], "not in", items[3])

    def is_(self, items: list[Any]) -> Clause:
        return Clause(items[0], "is", items[2])

    def is_not(self, items: list[Any]) -> Clause:
        return Clause(items[0], "is not", items[3])

    def was(self, items: list[Any]) -> Clause:
        name = " ".join(["was", *(["not"] if items[2] else []), *(["in"] if items[3] else [])])
        return Clause(items[0], name, items[4], tuple(items[5:]))

    def changed(self, items: list[Any]) -> Clause:
        return Clause(items[0], "changed", None, tuple(items[2:]))

    def field(self, items: list[Token]) -> str:
        return re.sub(r"\s", "", str(items[0]).lower()) if items[0].type == "CUSTOM" else _plain(items[0])

    def word(self, items: list[Token]) -> Value:
        return Value(_plain(items[0]))

    quoted = word

    def empty(self, items: list[Token]) -> Value:
        return Value(None)

    def function(self, items: list[Any]) -> Value:
        return Value(None, str(items[0]), tuple(a for a in items[1:] if a is not None))

    def several(self, items: list[Any]) -> Many:
        return Many(tuple(items))

    def argument(self, items: list[Token]) -> str:
        return _plain(items[0])

    def predicate(self, items: list[Any]) -> tuple[str, Any]:
        return str(items[0]).lower(), items[1]

    def order(self, items: list[Any]) -> tuple[Sort, ...]:
        return tuple(items[2:])

    def sort(self, items: list[Any]) -> Sort:
        return Sort(items[0], None if items[1] is None else items[1].type == "DESC")


def _unexpected(error: UnexpectedToken) -> JqlError:
    """What was expected there, in Jira's words."""
    expected, token = set(error.accepts or error.expected), error.token
    end, got = token.type == "$END", f"but got '{token}'"
    if "OPERATOR" in expected:
        where = (
            f"but got '{token}'. {_OPERATORS} {_at(token)}" if not end else f"before the end of the query. {_OPERATORS}"
        )
        return JqlError(f"Error in the JQL Query: Expecting operator {where}")
    if "EMPTY" in expected:
        wanted = "Expecting either a value, list or function"
        if end:
            return JqlError(f"Error in the JQL Query: {wanted} before the end of the query.")
        hint = f"You must surround '{token}' in quotation marks to use it as a value."
        return JqlError(f"Error in the JQL Query: {wanted} {got}. {hint} {_at(token)}")
    if "_AND" in expected or "ORDER" in expected:
        wanted = "')'" if "RPAR" in expected and end else "either 'OR' or 'AND'"
        where = "before the end of the query." if end else f"{got}. {_at(token)}"
        return JqlError(f"Error in the JQL Query: Expecting {wanted} {where}")
    if "CUSTOM" in expected or "BANG" in expected:
        where = "at the end of the query." if end else f"{got}. {_at(token)}"
        return JqlError(f"Error in the JQL Query: Expecting a field name {where}")
    names = {"RPAR": "')'", "COMMA": "','", "BY": "'by'", "IN": "'in'"}
    wanted = " or ".join(sorted(names[n] for n in expected if n in names)) or "something else"
    return JqlError(
        f"Error in the JQL Query: Expecting {wanted} {'before the end of the query.' if end else f'{got}. {_at(token)}'}"
    )


def _depth(text: str) -> int:
    depth = most = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        most = max(most, depth)
    return most


def parse(text: str) -> Query:
    """A query's clauses and order. JqlError where it cannot be read."""
    if len(text) > LONGEST:
        raise JqlError(f"The JQL query is too long: it has more than {LONGEST} characters.")
    if _depth(text) > DEEPEST or _NEGATIONS.search(text):
        raise JqlError("The JQL query is nested too deeply.")
    try:
        return _Build().transform(_parser().parse(text))
    except UnexpectedToken as error:
        raise _unexpected(error) from None
    except UnexpectedCharacters as error:
        bad = error.char
        raise JqlError(
            f"Error in the JQL Query: The character '{bad}' is a reserved JQL character. You must enclose it in a string or use the escape"
            f" '\\u{ord(bad):04x}' instead. {_at(error)}"
        ) from None
    except VisitError as error:
        if isinstance(error.orig_exc, JqlError):
            raise error.orig_exc from None
        raise
