"""One part of a glob pattern, between two slashes, parsed."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field

GROUP_DEPTH = 2
"""Groups nested deeper are plain text, other than those that only repeat what their group does."""
NESTING = 60
MAX_GROUPS = 100
MAX_UNCLOSED = 20
"""Brackets that never close, after which no other is tried."""


@dataclass(frozen=True, slots=True)
class One:
    """One character for which `test` holds."""

    test: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Any:
    """Any characters, `least` or more."""

    least: int = 0


@dataclass(slots=True)
class Group:
    """An extended group. `tails` are a `!` group's arms with all that follows it: those it must not match."""

    kind: str
    arms: list["list[Item]"]
    tails: list["list[Item]"] = field(default_factory=list["list[Item]"])


Item = str | One | Any | Group

_SAME = {"!": "?@", "?": "?@", "@": "?@", "*": "*+?@", "+": "+@?*"}
"""Which groups add no depth inside which."""


def parse(part: str) -> list[Item]:
    """The items of a part. ValueError where it has more groups than any name needs."""
    if part.count("(") > MAX_GROUPS:
        raise ValueError("pattern is too long")
    if simple := re.fullmatch(r"(\*+|\?+)([^+@!?*\[(]*)", part):
        # The product's short cut for `*.md` and `??.md`: what follows is text, backslashes too.
        return [*_plain(simple[1]), *filter(None, [simple[2]])]
    items, _ = _Parser(part).sequence(0, "", 0, 0)
    match items:
        case [Group(kind="?" | "*" | "+" | "@", arms=arms)] if not any(arms):
            return [part]  # a group of nothing that is the whole part is text
        case [Group(kind="!") as first, *rest] if not any(isinstance(item, Group) for item in rest):
            first.arms = [[Any(1)] if arm == [Any()] else arm for arm in first.arms]
        case _:
            pass
    _attach(items, [])
    return items


def _attach(items: list[Item], after: list[Item]) -> None:
    """Tells every `!` group what follows it."""
    for index, item in enumerate(items):
        if isinstance(item, Group):
            rest = [*items[index + 1 :], *after]
            for arm in item.arms:
                _attach(arm, rest)
            if item.kind == "!":
                item.tails = [[*arm, *rest] for arm in item.arms]


class _Parser:
    """A recursive descent over one part; what cannot be a group or a class is text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def sequence(self, at: int, kind: str, depth: int, level: int) -> tuple[list[Item], int]:
        """Items from here to the end, or in a group (of this kind) to the `|` or `)` that ends them."""
        items, start, text = list[Item](), at, self.text
        while at < len(text):
            c = text[at]
            if kind and c in "|)":
                break
            if c == "\\":
                at += 2
            elif c == "[":
                at = self._bracket(at)
            elif c in "!?+*@" and text[at + 1 : at + 2] == "(" and level < NESTING and self._nests(c, kind, depth):
                group, end = self._group(at, depth if kind and c in _SAME[kind] else depth + 1, level + 1)
                items += [*_plain(text[start:at]), *group]
                start = at = end
            else:
                at += 1
        at = min(at, len(text))
        return [*items, *_plain(text[start:at])], at

    @staticmethod
    def _nests(kind: str, outer: str, depth: int) -> bool:
        return depth <= GROUP_DEPTH or (outer != "" and kind in _SAME[outer])

    def _group(self, at: int, depth: int, level: int) -> tuple[list[Item], int]:
        """A group, or where it is never closed, all the rest as text."""
        kind, arms, end = self.text[at], list[list[Item]](), at + 1
        while True:
            arm, end = self.sequence(end + 1, kind, depth, level)
            arms.append(arm)
            if end >= len(self.text):
                return _plain(self.text[at:]), len(self.text)
            if self.text[end] == ")":
                break
        # The product takes `!( )` whose last arm is empty or ends in a group for one of nothing: at least one character.
        last = arms[-1][-1] if arms[-1] else Any()
        double = len(arms) == len(arms[0]) == 1 and isinstance(last, Group) and last.kind == "!"
        if kind == "!" and not double and (not arms[-1] or (self.text[end - 1] == ")" and not isinstance(last, str))):
            return [Any(1)], end + 1
        return [Group(kind, arms)], end + 1

    def _bracket(self, at: int) -> int:
        """The place behind a `[...]`, whose first character never ends it."""
        text, i = self.text, at + 1
        if text[i : i + 1] in ("^", "!"):
            i += 1
        first = True
        while i < len(text):
            if text[i] == "\\":
                i += 1
            elif text[i] == "]" and not first:
                return i + 1
            first = False
            i += 1
        return len(text)


def _plain(text: str) -> list[Item]:
    """Text, `*`, `?` and classes, without groups."""
    items, at, unclosed = list[Item](), 0, 0
    literal = ""

    def flush() -> None:
        nonlocal literal
        if literal:
            items.append(literal)
        literal = ""

    while at < len(text):
        c = text[at]
        if c == "\\" and at + 1 < len(text):
            literal += text[at + 1]
            at += 2
        elif c == "*":
            flush()
            while text[at : at + 1] == "*":
                at += 1
            items.append(Any())
        elif c == "?":
            flush()
            items.append(One(lambda _: True))
            at += 1
        elif c == "[" and unclosed < MAX_UNCLOSED:
            item, behind = character_class(text, at)
            if item is None:
                unclosed += 1
                literal += c
            else:
                flush()
                items.append(item)
            at = behind
        else:
            literal += c
            at += 1
    flush()
    return items


def _category(*starts: str) -> Callable[[str], bool]:
    return lambda c: unicodedata.category(c).startswith(starts)


_POSIX: dict[str, Callable[[str], bool]] = {
    "[:alnum:]": _category("L", "Nl", "Nd"),
    "[:alpha:]": _category("L", "Nl"),
    "[:ascii:]": str.isascii,
    "[:blank:]": lambda c: c == "\t" or unicodedata.category(c) == "Zs",
    "[:cntrl:]": _category("Cc"),
    "[:digit:]": _category("Nd"),
    "[:graph:]": lambda c: unicodedata.category(c)[0] not in "ZC",
    "[:lower:]": _category("Ll"),
    "[:print:]": lambda c: unicodedata.category(c)[0] != "C",
    "[:punct:]": _category("P"),
    "[:space:]": lambda c: c in "\t\r\n\v\f" or unicodedata.category(c)[0] == "Z",
    "[:upper:]": _category("Lu"),
    "[:word:]": _category("L", "Nl", "Nd", "Pc"),
    "[:xdigit:]": lambda c: c in "0123456789abcdefABCDEF",
}


def character_class(text: str, at: int) -> tuple[One | None, int]:
    """The class that starts at this bracket and the place behind it; None where it never ends, and the bracket is text.

    A class of nothing, or of a range up to a named class, matches nothing and takes the rest of the part with it.
    """
    ranges, named = list[tuple[str, str]](), list[Callable[[str], bool]]()
    i, start, low = at + 1, True, ""
    negated = text[i : i + 1] in ("!", "^")
    i += negated
    nothing = One(lambda _: False), len(text)
    while i < len(text):
        c = text[i]
        escaped = c == "\\" and i + 1 < len(text)
        if c == "]" and not start:
            return (_one(ranges, named, negated), i + 1) if ranges or named else nothing
        start = False
        posix = next((name for name in _POSIX if text.startswith(name, i)), "") if text.startswith("[:", i) else ""
        if posix:
            if low:
                return nothing
            named.append(_POSIX[posix])
            i += len(posix)
            continue
        if escaped:
            i += 1
            c = text[i]
        i += 1
        if low:
            ranges += [(low, c)] if low <= c else []
            low = ""
        elif text.startswith("-]", i):
            ranges += [(c, c), ("-", "-")]
            i += 1
        elif text.startswith("-", i):
            low = c
            i += 1
        else:
            ranges.append((c, c))
    return None, at + 1


def _one(ranges: list[tuple[str, str]], named: list[Callable[[str], bool]], negated: bool) -> One:
    return One(lambda c: (any(a <= c <= b for a, b in ranges) or any(test(c) for test in named)) != negated)
