"""A1 notation. https://developers.google.com/workspace/sheets/api/guides/concepts#cell"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from lark import Lark, Token, Tree
from lark.exceptions import LarkError

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CELL_LIKE = re.compile(r"[A-Za-z]{1,3}[0-9]+|[Rr][0-9]*[Cc][0-9]*")
_PART = re.compile(r"(\$?)([A-Za-z]{0,3})(\$?)([0-9]*)")


@dataclass(frozen=True, slots=True)
class Ref:
    """A range as written: zero-based, both ends included; None is an open end. `fixed` says which of them have a dollar sign."""

    sheet: str | None
    top: int | None
    left: int | None
    bottom: int | None
    right: int | None
    single: bool
    fixed: tuple[bool, bool, bool, bool] = (False, False, False, False)


@cache
def _parser() -> Lark:
    return Lark((Path(__file__).parent / "a1.lark").read_text(encoding="utf-8"), parser="lalr")


def column_name(index: int) -> str:
    """A, B ... Z, AA ..."""
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(65 + rest) + name
    return name


def column_index(name: str) -> int:
    index = 0
    for letter in name.upper():
        index = index * 26 + ord(letter) - 64
    return index - 1


def quoted(title: str) -> str:
    """A sheet's title as ranges write it."""
    if _PLAIN.fullmatch(title) and not _CELL_LIKE.fullmatch(title):
        return title
    return "'" + title.replace("'", "''") + "'"


def cell_name(row: int, column: int) -> str:
    return f"{column_name(column)}{row + 1}"


def range_name(title: str, top: int, left: int, bottom: int, right: int) -> str:
    """A range with its sheet; both ends included."""
    first, last = cell_name(top, left), cell_name(bottom, right)
    return f"{quoted(title)}!{first}" + (f":{last}" if last != first else "")


def _part(token: Token) -> tuple[int | None, int | None, bool, bool]:
    """Row and column of one end, and whether each is fixed."""
    found = _PART.fullmatch(str(token))
    assert found is not None
    first, letters, second, digits = found.groups()
    row = int(digits) - 1 if digits else None
    column = column_index(letters) if letters else None
    return row, column, bool(second if letters else first) and row is not None, bool(first) and column is not None


@lru_cache(4096)
def read(text: str) -> Ref | None:
    """A range in A1 notation; None where the text is none (it may still be a name)."""
    try:
        tree = _parser().parse(text)
    except LarkError:
        return None
    sheet: str | None = None
    area = tree.children[-1]
    assert isinstance(area, Tree)
    if len(tree.children) == 2:
        said = tree.children[0]
        assert isinstance(said, Tree)
        token = said.children[0]
        sheet = unquoted(str(token))
    ends = [_part(t) for t in area.children if isinstance(t, Token)]
    row0, column0, row_fixed0, column_fixed0 = ends[0]
    row1, column1, row_fixed1, column_fixed1 = ends[-1]
    if len(ends) == 1:
        return Ref(sheet, row0, column0, row1, column1, True, (row_fixed0, column_fixed0, row_fixed0, column_fixed0))
    if row0 is not None and row1 is not None and row0 > row1:
        row0, row1 = row1, row0
    if column0 is not None and column1 is not None and column0 > column1:
        column0, column1 = column1, column0
    if row0 is None and row1 is not None:  # A:B5 is A5:B
        row0, row1 = row1, None
    if column0 is None and column1 is not None:
        column0, column1 = column1, None
    return Ref(sheet, row0, column0, row1, column1, False, (row_fixed0, column_fixed0, row_fixed1, column_fixed1))


_NUMBERED = re.compile(
    r"(?:(?P<sheet>.+)!)?[Rr](?P<top>\d{1,9})[Cc](?P<left>\d{1,5})(?::[Rr](?P<bottom>\d{1,9})[Cc](?P<right>\d{1,5}))?"
)


def numbered(text: str) -> Ref | None:
    """A range in R1C1 notation, which parameters may have as well; None where the text is none."""
    found = _NUMBERED.fullmatch(text)
    if found is None:
        return None
    top, left = int(found["top"]) - 1, int(found["left"]) - 1
    bottom, right = (int(found["bottom"]) - 1, int(found["right"]) - 1) if found["bottom"] else (top, left)
    if min(top, left, bottom, right) < 0:
        return None
    sheet = None if found["sheet"] is None else unquoted(found["sheet"])
    (top, bottom), (left, right) = sorted((top, bottom)), sorted((left, right))
    return Ref(sheet, top, left, bottom, right, found["bottom"] is None)


def unquoted(text: str) -> str:
    return text[1:-1].replace("''", "'") if len(text) > 1 and text[0] == text[-1] == "'" else text


def written(ref: Ref) -> str:
    """A reference as a formula writes it."""
    head = f"{quoted(ref.sheet)}!" if ref.sheet is not None else ""

    def end(row: int | None, column: int | None, row_fixed: bool, column_fixed: bool) -> str:
        letters = "" if column is None else ("$" if column_fixed else "") + column_name(column)
        return letters + ("" if row is None else ("$" if row_fixed else "") + str(row + 1))

    first = end(ref.top, ref.left, ref.fixed[0], ref.fixed[1])
    if ref.single:
        return head + first
    return f"{head}{first}:{end(ref.bottom, ref.right, ref.fixed[2], ref.fixed[3])}"
