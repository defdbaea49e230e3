"""Formulas as trees, and formulas rewritten when what they refer to moves."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import LarkError

from . import a1
from .a1 import Ref

Node = tuple[Any, ...]
"""("number", x), ("string", s), ("boolean", b), ("error", text), ("ref", Ref), ("name", n), ("call", NAME, args), ("op", sign, left,
right), ("minus", node), ("plus", node), ("percent", node), ("array", rows), ("blank",)."""

SPILLING = frozenset(
    {"ARRAYFORMULA", "UNIQUE", "SORT", "FILTER", "SPLIT", "TRANSPOSE", "SEQUENCE", "FLATTEN", "XLOOKUP", "INDEX", "VLOOKUP", "HLOOKUP",
     "CHOOSECOLS", "VSTACK", "HSTACK", "TOCOL", "TOROW", "REGEXEXTRACT"}
)  # fmt: skip
_DEEPEST = 120


@dataclass(frozen=True, slots=True)
class Formula:
    tree: Node
    refs: tuple[Ref, ...]
    names: tuple[str, ...]
    spills: bool


class _Reader(Transformer[Any, Any]):
    """lark's tree as nodes."""

    def number(self, children: list[Token]) -> Node:
        text = str(children[0])
        return ("number", int(text) if text.isdigit() and len(text) < 16 else float(text))

    def string(self, children: list[Token]) -> Node:
        return ("string", str(children[0])[1:-1].replace('""', '"'))

    def boolean(self, children: list[Token]) -> Node:
        return ("boolean", str(children[0]).upper() == "TRUE")

    def error(self, children: list[Token]) -> Node:
        return ("error", str(children[0]))

    def reference(self, children: list[Token]) -> Node:
        found = a1.read(str(children[0]))
        return ("ref", found) if found else ("error", "#REF!")

    def name(self, children: list[Token]) -> Node:
        return ("name", str(children[0]))

    def call(self, children: list[Any]) -> Node:
        arguments = children[1]
        return ("call", str(children[0]).upper(), () if arguments == (("blank",),) else arguments)

    def arguments(self, children: list[Any]) -> tuple[Node, ...]:
        return tuple(("blank",) if c is None else c for c in children)

    def array_row(self, children: list[Node]) -> tuple[Node, ...]:
        return tuple(children)

    def array(self, children: list[Any]) -> Node:
        return ("array", tuple(children))

    def unary(self, children: list[Any]) -> Node:
        return ("minus" if children[0] == "-" else "plus", children[1])

    def percent(self, children: list[Any]) -> Node:
        node = children[0]
        for _ in children[1:]:
            node = ("percent", node)
        return node

    def _chain(self, children: list[Any]) -> Node:
        node = children[0]
        for at in range(1, len(children), 2):
            node = ("op", str(children[at]), node, children[at + 1])
        return node

    expression = joined = sum = product = power = _chain

    def start(self, children: list[Node]) -> Node:
        return children[0]


@cache
def _parser() -> Lark:
    return Lark(
        (Path(__file__).parent / "formula.lark").read_text(encoding="utf-8"), parser="lalr", maybe_placeholders=True
    )


@lru_cache(8192)
def read(text: str) -> Formula | None:
    """A formula; None where it cannot be read."""
    if _depth(text) > _DEEPEST:
        return None
    try:
        tree = _Reader().transform(_parser().parse(text))
    except (LarkError, RecursionError):
        return None
    refs, names, calls = list[Ref](), list[str](), set[str]()
    stack = [tree]
    while stack:
        node = stack.pop()
        kind = node[0]
        if kind == "ref":
            refs.append(node[1])
        elif kind == "name":
            names.append(node[1])
        elif kind == "call":
            calls.add(node[1])
            stack += node[2]
        elif kind == "array":
            calls.add("ARRAYFORMULA")
            stack += [item for row in node[1] for item in row]
        else:
            stack += [part for part in node[1:] if isinstance(part, tuple)]
    return Formula(tree, tuple(refs), tuple(names), bool(calls & SPILLING))


def _depth(text: str) -> int:
    depth = deepest = run = longest = 0
    for letter in text:
        if letter in "({":
            depth += 1
            deepest = max(deepest, depth)
        elif letter in ")}":
            depth -= 1
        run = run + 1 if letter in "+-" else 0 if not letter.isspace() else run
        longest = max(longest, run)
    return max(deepest, longest)


def rewritten(text: str, change: Callable[[Ref], Ref | None]) -> str:
    """The formula with each reference changed; None becomes #REF!. Text that is no formula stays as it is."""
    try:
        tokens = list(_parser().lex(text))
    except LarkError:
        return text
    out, at = list[str](), 0
    for token in tokens:
        if token.type != "REFERENCE" or token.start_pos is None or token.end_pos is None:
            continue
        ref = a1.read(str(token))
        if ref is None:
            continue
        made = change(ref)
        out += [
            text[at : token.start_pos],
            "#REF!" if made is None else str(token) if made == ref else a1.written(made),
        ]
        at = token.end_pos
    return "".join(out) + text[at:]


def shifted(text: str, rows: int, columns: int) -> str:
    """The formula as it is when copied so many rows down and columns to the right: fixed ends stay."""

    def change(ref: Ref) -> Ref | None:
        ends = [
            value if value is None or fixed else value + step
            for value, fixed, step in zip(
                (ref.top, ref.left, ref.bottom, ref.right), ref.fixed, (rows, columns, rows, columns), strict=True
            )
        ]
        if any(end is not None and end < 0 for end in ends):
            return None
        return Ref(ref.sheet, ends[0], ends[1], ends[2], ends[3], ref.single, ref.fixed)

    return rewritten(text, change)


def moved(
    text: str, here: bool, sheet: str, rows: bool, mapping: Callable[[int], int | None], span: Callable[[int, int], tuple[int, int] | None],
) -> str:  # fmt: skip
    """The formula after rows or columns of `sheet` were inserted, deleted or moved.

    here: whether the formula lies on that sheet. mapping: where one index goes. span: where an interval goes (both ends included).
    """

    def change(ref: Ref) -> Ref | None:
        if not (here if ref.sheet is None else ref.sheet.lower() == sheet.lower()):
            return ref
        first, last = (ref.top, ref.bottom) if rows else (ref.left, ref.right)
        if first is None:
            return ref
        if last is None or ref.single:
            new = mapping(first)
            if new is None and last is None:
                new = first
            if new is None:
                return None
            pair: tuple[int | None, int | None] = (new, None if last is None else new)
        else:
            both = span(first, last)
            if both is None:
                return None
            pair = both
        if rows:
            return Ref(ref.sheet, pair[0], ref.left, pair[1], ref.right, ref.single, ref.fixed)
        return Ref(ref.sheet, ref.top, pair[0], ref.bottom, pair[1], ref.single, ref.fixed)

    return rewritten(text, change)


def retitled(text: str, old: str, new: str) -> str:
    """The formula after a sheet got another title."""

    def change(ref: Ref) -> Ref:
        if ref.sheet is None or ref.sheet.lower() != old.lower():
            return ref
        return Ref(new, ref.top, ref.left, ref.bottom, ref.right, ref.single, ref.fixed)

    return rewritten(text, change)
