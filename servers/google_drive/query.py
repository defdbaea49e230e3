"""The `q` parameter: the search language, parsed by a grammar and asked of each file.

https://developers.google.com/workspace/drive/api/guides/ref-search-terms
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import LarkError, UnexpectedInput

from legoenv_mcp.app import ApiError

from .app import invalid_value

Test = Callable[[Any], bool]
_DEEPEST, _LONGEST, _MOST_TERMS = 50, 20_000, 200
_DATES = ("<=", "<", "=", "!=", ">", ">=")
_TEXT = ("contains", "=", "!=")
_EQUAL = ("=", "!=")


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the language: the operators that it takes, the type of its values, and how an item answers it."""

    operators: tuple[str, ...]
    kind: str
    read: Callable[[Any], Any]
    choices: tuple[str, ...] = ()


@dataclass(slots=True)
class Query:
    """A query that was read: the test of an item, and what it searches for in the text of files."""

    test: Test
    phrases: list[str] = field(default_factory=list[str])
    parents: list[str] = field(default_factory=list[str])


@cache
def _parser() -> Lark:
    return Lark((Path(__file__).parent / "query.lark").read_text(encoding="utf-8"), parser="lalr")


def words(text: str) -> list[str]:
    """The words of a text as searches see them."""
    return re.findall(r"\w+", text.casefold())


def name_holds(name: str, sought: str) -> bool:
    """Whether a name has the words next to each other, where of the last one its beginning is enough."""
    wanted = words(sought)
    if not wanted:
        return sought.casefold().strip() in name.casefold()
    have, n = words(name), len(wanted)
    return any(
        have[i : i + n - 1] == wanted[:-1] and have[i + n - 1].startswith(wanted[-1]) for i in range(len(have) - n + 1)
    )


def text_holds(text: list[str], sought: str) -> bool:
    """Whether a text has all the words sought, as whole words; those in double quotes next to each other."""
    phrase = re.fullmatch(r'\s*"(.*)"\s*', sought, re.DOTALL)
    wanted = words(sought)
    if not wanted:
        return False
    if phrase is None:
        return set(wanted) <= set(text)
    return any(text[i : i + len(wanted)] == wanted for i in range(len(text) - len(wanted) + 1))


def bad(why: str, *, tell: bool = False) -> ApiError:
    """A query that is refused. What only this simulation lacks is told to everybody."""
    error = invalid_value(
        "q", f"{why}. Terms are as name contains 'x', mimeType = 'y', 'ID' in parents, trashed = false."
    )
    if tell:
        error.message = f"Invalid Value: {why}"
    return error


def parse(text: str, terms: dict[str, Term]) -> Query:
    """A query in its language; an empty one asks for everything."""
    if not text.strip():
        return Query(lambda _: True)
    if len(text) > _LONGEST:
        raise bad("the query is too long", tell=True)
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        raise bad(f"it cannot be read from {text[error.pos_in_stream or 0 :][:40]!r} on") from None
    except LarkError:
        raise bad("it cannot be read") from None
    except RecursionError:
        raise bad("it is nested too deep", tell=True) from None
    return _Reader(terms).read(tree.children[0])


class _Reader:
    def __init__(self, terms: dict[str, Term]) -> None:
        self.terms = {name.lower(): (name, term) for name, term in terms.items()}
        self.query = Query(lambda _: True)
        self.count = 0

    def read(self, tree: Any) -> Query:
        self.query.test = self.visit(tree, 0)
        return self.query

    def visit(self, tree: Tree[Any], depth: int) -> Test:
        if depth > _DEEPEST:
            raise bad(f"it is nested deeper than {_DEEPEST} levels", tell=True)
        rule, parts = str(tree.data), tree.children
        if rule == "chain":
            test = self.visit(parts[0], depth + 1)
            for at in range(1, len(parts), 2):
                test = self._joined(str(parts[at]).lower(), test, self.visit(parts[at + 1], depth + 1))
            return test
        if rule == "negation":
            inner = self.visit(parts[0], depth + 1)
            return lambda item: not inner(item)
        self.count += 1
        if self.count > _MOST_TERMS:
            raise bad(f"it has more than {_MOST_TERMS} terms", tell=True)
        return {"compare": self._compare, "member": self._member, "has": self._has, "flag": self._flag}[rule](parts)

    @staticmethod
    def _joined(word: str, left: Test, right: Test) -> Test:
        if word == "and":
            return lambda item: left(item) and right(item)
        return lambda item: left(item) or right(item)

    def _term(self, token: Any, operator: str) -> Term:
        written = str(token)
        name, term = self.terms.get(written.lower(), ("", None))
        if term is None:
            if written.lower().startswith("labels"):
                raise bad("searching by labels is not supported", tell=True)
            raise bad(f"there is no term {written}")
        if operator not in term.operators:
            raise bad(f"{name} does not take {operator}; it takes {', '.join(term.operators)}")
        return term

    def _compare(self, parts: list[Any]) -> Test:
        operator = str(parts[1]).lower()
        term = self._term(parts[0], operator)
        value, read = self._value(parts[0], term, parts[2].children[0]), term.read
        if term.kind == "fulltext":
            self.query.phrases.append(value)
            return lambda item: text_holds(read(item), value)
        if operator == "contains":
            if term.kind == "name":
                return lambda item: name_holds(read(item), value)
            return lambda item: value.lower() in read(item).lower()
        if operator == "=":
            return lambda item: self._same(read(item), value)
        if operator == "!=":
            return lambda item: not self._same(read(item), value)
        return lambda item: self._ranked(operator, read(item), value)

    @staticmethod
    def _same(left: Any, right: Any) -> bool:
        return (
            left.casefold() == right.casefold() if isinstance(left, str) and isinstance(right, str) else left == right
        )

    @staticmethod
    def _ranked(operator: str, left: Any, right: Any) -> bool:
        if left is None:
            return False
        return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[operator]

    def _value(self, name: Any, term: Term, token: Token) -> Any:
        if term.kind == "boolean":
            if token.type != "BOOLEAN":
                raise bad(f"{name} is true or false")
            return str(token).lower() == "true"
        if term.kind == "number":
            if token.type != "NUMBER" or len(token) > 15:
                raise bad(f"{name} is a number")
            return int(token)
        if token.type != "STRING":
            raise bad(f"{name} takes a text in single quotes")
        value = unquoted(token)
        if term.kind == "date":
            return moment(value) or _refuse(f"{name} takes a time as '2026-03-02T09:00:00', not {value!r}")
        if term.choices and value not in term.choices:
            raise bad(f"{name} is one of {', '.join(term.choices)}")
        return value

    def _member(self, parts: list[Any]) -> Test:
        term, value = self._term(parts[1], "in"), unquoted(parts[0])
        if term.kind == "parents":
            self.query.parents.append(value)
        return lambda item: value.casefold() in term.read(item)

    def _has(self, parts: list[Any]) -> Test:
        term = self._term(parts[0], "has")
        pairs = dict[str, str]()
        for pair in parts[1:]:
            name = str(pair.children[0]).lower()
            if name not in ("key", "value") or name in pairs:
                raise bad("has takes { key='name' and value='text' }")
            pairs[name] = unquoted(pair.children[1])
        if set(pairs) != {"key", "value"}:
            raise bad("has takes { key='name' and value='text' }")
        return lambda item: term.read(item).get(pairs["key"]) == pairs["value"]

    def _flag(self, parts: list[Any]) -> Test:
        """A boolean term by itself is true."""
        term = self._term(parts[0], "=")
        if term.kind != "boolean":
            raise bad(f"{parts[0]} needs an operator and a value")
        return lambda item: bool(term.read(item))


def _refuse(why: str) -> Any:
    raise bad(why)


def unquoted(token: Any) -> str:
    """A quoted text's value: a backslash takes the next character as it is."""
    return re.sub(r"\\(.)", r"\1", str(token)[1:-1], flags=re.DOTALL)


def moment(text: str) -> datetime | None:
    """An RFC 3339 time, in UTC where it tells no offset; None where it is none."""
    if not re.match(r"\d{4}-\d\d-\d\d", text):
        return None
    try:
        made = datetime.fromisoformat(text)
        return made.astimezone(UTC) if made.tzinfo else made.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
