"""Functions of regular expressions, and those that put arrays together."""

import re
from typing import TYPE_CHECKING, Any

from . import expressions
from .functions import function
from .values import Matrix, Problem, Scalar, fail, matrix, text, whole

if TYPE_CHECKING:
    from .engine import Engine


def _text(value: Scalar, name: str) -> str:
    if isinstance(value, int | float):
        shown = text(value)
        raise fail(
            "VALUE",
            f"Function {name} parameter 1 expects text values. But '{shown}' is a number and cannot be coerced to a text.",
        )
    return text(value)


def _pattern(wanted: Scalar, searched: str, name: str) -> re.Pattern[str]:
    said = text(wanted)
    wrong = fail("REF", f"Function {name} parameter 2 value '{said[:100]}' is not a valid regular expression.")
    if not expressions.sound(said):
        raise wrong
    if len(searched) > expressions.longest(said):
        raise fail("VALUE", f"The text is too long for the regular expression '{said[:100]}'.")
    try:
        return re.compile(said)
    except (re.error, OverflowError, RecursionError):
        raise wrong from None


@function("REGEXMATCH", 2, single=True)
def _regexmatch(engine: "Engine", value: Scalar, wanted: Scalar) -> bool:
    searched = _text(value, "REGEXMATCH")
    return _pattern(wanted, searched, "REGEXMATCH").search(searched) is not None


@function("REGEXEXTRACT", 2, single=True)
def _regexextract(engine: "Engine", value: Scalar, wanted: Scalar) -> Any:
    searched = _text(value, "REGEXEXTRACT")
    found = _pattern(wanted, searched, "REGEXEXTRACT").search(searched)
    if found is None:
        raise fail(
            "N_A",
            f'Function REGEXEXTRACT parameter 2 value "{text(wanted)[:100]}" does not match text of Function REGEXEXTRACT.',
        )
    groups = [group or "" for group in found.groups()]
    return Matrix([groups]) if len(groups) > 1 else groups[0] if groups else found[0]


@function("REGEXREPLACE", 3, single=True)
def _regexreplace(engine: "Engine", value: Scalar, wanted: Scalar, replacement: Scalar) -> str:
    searched = _text(value, "REGEXREPLACE")
    pattern = _pattern(wanted, searched, "REGEXREPLACE")
    try:
        return pattern.sub(expressions.template(text(replacement)), searched)
    except (re.error, IndexError):
        raise fail("VALUE", "Function REGEXREPLACE parameter 3 is not a valid replacement.") from None


# Arrays

_UNEQUAL = Problem("N_A", "Array arguments are of different size.")


@function("VSTACK", 1, -1, arrays=True)
def _vstack(engine: "Engine", *areas: Any) -> Matrix:
    rows = [row for area in areas for row in matrix(area).rows]
    width = max((len(row) for row in rows), default=0)
    return Matrix([[*row, *[_UNEQUAL] * (width - len(row))] for row in rows])


@function("HSTACK", 1, -1, arrays=True)
def _hstack(engine: "Engine", *areas: Any) -> Matrix:
    tables = [matrix(area) for area in areas]
    height = max((table.height for table in tables), default=0)
    blank = [[_UNEQUAL] * table.width for table in tables]
    lines = [
        [v for table, spare in zip(tables, blank, strict=True) for v in (table.rows[r] if r < table.height else spare)]
        for r in range(height)
    ]
    return Matrix(lines)


def _line(engine: "Engine", area: Any, ignore: Any, by_column: Any) -> list[Scalar]:
    """The values of an area one after the other; ignore: 1 blanks, 2 errors, 3 both."""
    table, leave = matrix(area), whole(ignore, engine.locale)
    if not 0 <= leave <= 3:
        raise fail("VALUE", f"Parameter 2 value is {leave}. Valid values are between 0 and 3 inclusive.")
    rows = [list(column) for column in zip(*table.rows, strict=True)] if whole(by_column, engine.locale) else table.rows
    kept = [v for row in rows for v in row if not ((leave & 1 and v is None) or (leave & 2 and isinstance(v, Problem)))]
    if not kept:
        raise fail("N_A", "No values are left.")
    return kept


@function("TOCOL", 1, 3, arrays=True)
def _tocol(engine: "Engine", area: Any, ignore: Any = 0, by_column: Any = False) -> Matrix:
    return Matrix([[v] for v in _line(engine, area, ignore, by_column)])


@function("TOROW", 1, 3, arrays=True)
def _torow(engine: "Engine", area: Any, ignore: Any = 0, by_column: Any = False) -> Matrix:
    return Matrix([_line(engine, area, ignore, by_column)])
