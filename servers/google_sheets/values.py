"""The values of formulas: numbers, text, truth values, blanks, errors and matrices, and how one is taken for another."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from . import entry
from .entry import clean
from .formats import general

Scalar = Any
"""A number, text, a truth value, None for a blank, or a Problem."""

LONGEST = 50_000
"""Characters a cell may hold."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An error value."""

    kind: str
    message: str = ""

    @property
    def shown(self) -> str:
        return _SHOWN[self.kind]


_SHOWN = {
    "ERROR": "#ERROR!", "NULL_VALUE": "#NULL!", "DIVIDE_BY_ZERO": "#DIV/0!", "VALUE": "#VALUE!", "REF": "#REF!", "NAME": "#NAME?",
    "NUM": "#NUM!", "N_A": "#N/A",
}  # fmt: skip
BY_SHOWN = {shown: kind for kind, shown in _SHOWN.items()}
ORDER = ("DIVIDE_BY_ZERO", "VALUE", "REF", "NAME", "NUM", "N_A", "NULL_VALUE", "ERROR")


class Failed(Exception):
    """A formula's part came to an error."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.kind)
        self.problem = problem


def fail(kind: str, message: str = "") -> Failed:
    return Failed(Problem(kind, message))


@dataclass(slots=True)
class Matrix:
    """Rows of values; `top` and `left` where it is a range of a sheet."""

    rows: list[list[Scalar]]
    top: int | None = None
    left: int | None = None

    @property
    def height(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return len(self.rows[0]) if self.rows else 0

    def flat(self) -> list[Scalar]:
        return [value for row in self.rows for value in row]

    def at(self, row: int, column: int) -> Scalar:
        """The value at a place; one row or column stands for all."""
        r, c = 0 if self.height == 1 else row, 0 if self.width == 1 else column
        return (
            self.rows[r][c]
            if r < self.height and c < self.width
            else Problem("N_A", "Array arguments are of different size.")
        )


def matrix(value: Any) -> Matrix:
    return value if isinstance(value, Matrix) else Matrix([[value]])


def flat(value: Any) -> list[Scalar]:
    return value.flat() if isinstance(value, Matrix) else [value]


def scalar(value: Any) -> Scalar:
    """The first value of a matrix."""
    if isinstance(value, Matrix):
        return value.rows[0][0] if value.height and value.width else None
    return value


def sound(value: Scalar) -> Scalar:
    if isinstance(value, Problem):
        raise Failed(value)
    return value


def number(value: Any, locale: str = "en_US") -> float:
    value = sound(scalar(value))
    if value is None:
        return 0
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        found = entry.number(value, locale) if value.strip() else None
        if found is None:
            raise fail(
                "VALUE", f"A number is expected, but '{value[:100]}' is a text and cannot be coerced to a number."
            )
        return found
    return value


def whole(value: Any, locale: str = "en_US") -> int:
    made = number(value, locale)
    if abs(made) > 2**53:
        raise fail("NUM", "The number is out of range.")
    return int(made)


def text(value: Any) -> str:
    value = sound(scalar(value))
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return value if isinstance(value, str) else general(clean(value))


def truth(value: Any) -> bool:
    value = sound(scalar(value))
    if isinstance(value, str):
        if value.upper() in ("TRUE", "FALSE"):
            return value.upper() == "TRUE"
        if value == "":
            return False
        raise fail("VALUE", f"A boolean is expected, but '{value[:100]}' is a text and cannot be coerced to a boolean.")
    return bool(value)


def numbers(arguments: tuple[Any, ...], locale: str = "en_US") -> list[float]:
    """What SUM and its like count: numbers of ranges, and single arguments taken for numbers."""
    out = list[float]()
    for argument in arguments:
        if isinstance(argument, Matrix):
            out += [v for v in map(sound, argument.flat()) if isinstance(v, (int, float)) and not isinstance(v, bool)]
        elif argument is not None:
            out.append(number(argument, locale))
    return out


def rank(value: Scalar) -> int:
    """Numbers come before text, text before truth values."""
    return 3 if value is None else 2 if isinstance(value, bool) else 1 if isinstance(value, str) else 0


def compare(left: Scalar, right: Scalar) -> int:
    left, right = sound(left), sound(right)
    if left is None:
        left = _blank_as(right)
    if right is None:
        right = _blank_as(left)
    if rank(left) != rank(right):
        return -1 if rank(left) < rank(right) else 1
    if isinstance(left, str):
        left, right = left.lower(), right.lower()
    return (left > right) - (left < right)


def _blank_as(other: Scalar) -> Scalar:
    return "" if isinstance(other, str) else False if isinstance(other, bool) else 0


def sort_key(value: Scalar) -> tuple[int, Any]:
    """Ascending order of a sort: numbers, text, truth values, errors, blanks last."""
    if value is None or value == "":
        return 4, 0
    if isinstance(value, Problem):
        return 3, ORDER.index(value.kind)
    return rank(value), value.lower() if isinstance(value, str) else value


_CRITERION = re.compile(r"(<=|>=|<>|<|>|=)?(.*)", re.DOTALL)


@lru_cache(2048)
def _wildcard(pattern: str) -> tuple[re.Pattern[str], ...]:
    """The parts between the stars, each of a fixed length."""
    parts, out, at = list[str](), "", 0
    while at < len(pattern):
        letter = pattern[at]
        if letter == "~" and at + 1 < len(pattern) and pattern[at + 1] in "*?~":
            at += 1
            out += re.escape(pattern[at])
        elif letter == "*":
            parts.append(out)
            out = ""
        else:
            out += "." if letter == "?" else re.escape(letter)
        at += 1
    return tuple(re.compile(part, re.IGNORECASE | re.DOTALL) for part in (*parts, out))


def like(pattern: str, value: str) -> bool:
    """Whether a text fits a pattern with * and ?. Each part is looked for once, so that no pattern takes for ever."""
    first, *rest = _wildcard(pattern)
    if not rest:
        return first.fullmatch(value) is not None
    begun = first.match(value)
    if begun is None:
        return False
    at = begun.end()
    for part in rest[:-1]:
        found = part.search(value, at)
        if found is None:
            return False
        at = found.end()
    last = rest[-1]
    return any(last.fullmatch(value, start) for start in range(max(at, len(value) - _longest(last)), len(value) + 1))


def place_of(pattern: str, value: str, start: int) -> int:
    """Where a pattern with * and ? first fits; -1 where it does not. What a first part leaves no room for, a later one would not either."""
    begun, at = -1, start
    for part in _wildcard(pattern):
        found = part.search(value, at)
        if found is None:
            return -1
        begun, at = found.start() if begun < 0 else begun, found.end()
    return begun


def _longest(part: re.Pattern[str]) -> int:
    """Letters that a part without stars can take; an escape counts as two."""
    return len(part.pattern)


class Criterion:
    """A condition of COUNTIF and its like: a value, or text such as ">5", "<>done", "a*"."""

    def __init__(self, wanted: Scalar, locale: str) -> None:
        wanted = scalar(wanted)
        self.sign, self.value = "=", wanted
        if isinstance(wanted, str):
            found = _CRITERION.fullmatch(wanted)
            assert found is not None
            self.sign, rest = found[1] or "=", found[2]
            read = entry.read(rest.strip(), locale)
            self.value = rest if read is None else read.value
            self.empty = rest == ""
        else:
            self.empty = False
            if wanted is None:
                self.value = 0

    def holds(self, value: Scalar) -> bool:
        if isinstance(self.value, Problem) or isinstance(value, Problem):
            same = isinstance(value, Problem) and value == self.value
            return same if self.sign == "=" else self.sign == "<>" and not same
        if self.sign in ("=", "<>"):
            return self._equal(value) == (self.sign == "=")
        if value is None or rank(value) != rank(self.value):
            return False
        apart = compare(value, self.value)
        return (
            apart < 0
            if self.sign == "<"
            else apart > 0
            if self.sign == ">"
            else apart <= 0
            if self.sign == "<="
            else apart >= 0
        )

    def _equal(self, value: Scalar) -> bool:
        if self.empty:
            return value is None or value == ""
        if isinstance(self.value, str):
            return isinstance(value, str) and like(self.value, value)
        return value is not None and rank(value) == rank(self.value) and compare(value, self.value) == 0
