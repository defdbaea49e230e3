"""Formulas as text and as trees: read, checked against a table's fields, and written down with field ids."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import LarkError, VisitError

from .models import Column

DEEPEST, LONGEST = 80, 100_000
INVALID = "Invalid formula. Please check your formula text."


class BadFormula(ValueError):
    """The formula cannot be read, or names what is not there; the text is Airtable's."""


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a formula. `kind` is number, string, field, call, binary, negative or positive; `value` a literal, name or operator."""

    kind: str
    value: Any = None
    parts: tuple["Node", ...] = ()
    start: int = 0
    end: int = 0
    depth: int = field(default=1, compare=False)

    def walk(self) -> Iterator["Node"]:
        """This part and all below it, in the order of the text."""
        waiting: list[Node] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.parts))


def _node(kind: str, value: Any = None, parts: tuple[Node, ...] = (), at: Token | None = None) -> Node:
    depth = 1 + max((p.depth for p in parts), default=0)
    if depth > DEEPEST:
        raise BadFormula(f"Invalid formula: it is nested deeper than {DEEPEST} levels.")
    return Node(kind, value, parts, (at.start_pos or 0) if at else 0, (at.end_pos or 0) if at else 0, depth)


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", **{char: char for char in "\\\"'{}"}}


def _unescaped(text: str) -> str:
    """Text without its escapes. A backslash before anything else stays: `"\\d"` is a pattern for a digit."""

    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), text, flags=re.DOTALL)


class _Build(Transformer[Token, Node]):
    """Makes nodes while the text is read, so that no depth of nesting is recursion."""

    def number(self, found: list[Token]) -> Node:
        value = float(found[0])
        whole = value.is_integer() and abs(value) < 2**53
        return _node("number", int(value) if whole else value)

    def string(self, found: list[Token]) -> Node:
        return _node("string", _unescaped(found[0][1:-1]))

    def braced(self, found: list[Token]) -> Node:
        return _node("field", _unescaped(found[0][1:-1]), at=found[0])

    def bare(self, found: list[Token]) -> Node:
        return _node("field", str(found[0]), at=found[0])

    def call(self, found: list[Any]) -> Node:
        return _node("call", str(found[0]).upper(), tuple(found[1:]))

    def binary(self, found: list[Any]) -> Node:
        return _node("binary", str(found[1]), (found[0], found[2]))

    def negative(self, found: list[Any]) -> Node:
        return _node("negative", parts=(found[1],))

    def positive(self, found: list[Any]) -> Node:
        return _node("positive", parts=(found[1],))


@cache
def _grammar() -> Lark:
    grammar = Path(__file__).with_name("formula.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", transformer=_Build())


@lru_cache(maxsize=200)
def parse(text: str) -> Node:
    """A formula's tree. BadFormula where the text is none."""
    if len(text) > LONGEST:
        raise BadFormula(INVALID)
    try:
        return _grammar().parse(text)  # pyright: ignore[reportReturnType]
    except VisitError as error:
        if isinstance(error.orig_exc, BadFormula):
            raise error.orig_exc from None
        raise BadFormula(INVALID) from None
    except LarkError:
        raise BadFormula(INVALID) from None


def finder(columns: Mapping[str, Column]) -> Callable[[str], Column | None]:
    """Fields by id, by name, and by name without regard to case, as formulas name them."""
    named = {c.name: c for c in columns.values()}
    folded = {c.name.casefold(): c for c in columns.values()}

    def find(name: str) -> Column | None:
        return columns.get(name) or named.get(name) or folded.get(name.casefold())

    return find


def check(
    node: Node, find: Callable[[str], Column | None], arities: Mapping[str, tuple[int, int]], *, values: bool = False
) -> None:
    """That functions and fields exist and functions get as many arguments as they take. `values` is a name in rollups."""
    functions, fields = list[str](), list[str]()
    for part in node.walk():
        if part.kind == "call" and part.value not in arities:
            functions.append(part.value)
        if part.kind == "field" and find(part.value) is None and not (values and part.value == "values"):
            fields.append(part.value.lower())
    if functions:
        raise BadFormula(f"Unknown function names: {', '.join(dict.fromkeys(functions))}")
    if fields:
        raise BadFormula(f"Unknown field names: {', '.join(dict.fromkeys(fields))}")
    for part in node.walk():
        if part.kind != "call":
            continue
        least, most = arities[part.value]
        if not least <= len(part.parts) <= most:
            few = "few" if len(part.parts) < least else "many"
            raise BadFormula(f"Invalid formula: too {few} arguments for {part.value}().")


def references(node: Node, find: Callable[[str], Column | None]) -> list[str]:
    """The ids of the fields that a formula names, in the order of its text."""
    found = sorted((p.start, c.id) for p in node.walk() if p.kind == "field" and (c := find(p.value)) is not None)
    return list(dict.fromkeys(key for _, key in found))


def by_ids(text: str, node: Node, find: Callable[[str], Column | None]) -> str:
    """The formula with its fields named by id, as it is kept: renaming a field does not break it."""
    named = sorted(
        ((p.start, p.end, c.id) for p in node.walk() if p.kind == "field" and (c := find(p.value))), reverse=True
    )
    for start, end, key in named:
        text = f"{text[:start]}{{{key}}}{text[end:]}"
    return text
