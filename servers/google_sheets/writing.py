"""Values written: where they go, and what is told of it."""

from collections.abc import Sequence
from typing import Any, Literal

from . import a1, entry
from .app import refuse
from .book import Area, Book, beyond
from .dimensions import insert
from .models import Json, Sheet
from .rendering import value_range

InputOption = Literal["INPUT_VALUE_OPTION_UNSPECIFIED", "RAW", "USER_ENTERED"]
_KINDS = {list: "list_value", dict: "struct_value"}


def check_option(option: str | None) -> str:
    if option in (None, "INPUT_VALUE_OPTION_UNSPECIFIED"):
        raise refuse("'valueInputOption' is required but not specified")
    return str(option)


def rows_of(values: Sequence[Any], columns: bool, where: str = "values") -> list[list[Any]]:
    """A ValueRange's values, row by row; None where a cell is to stay as it is."""
    for at, line in enumerate(values):
        if not isinstance(line, list):
            raise refuse(f"Invalid {where}[{at}]: {_named(line)}")
        for place, value in enumerate(line):
            if isinstance(value, dict | list):
                raise refuse(f"Invalid {where}[{at}][{place}]: {_named(value)}")
    if not columns:
        return [list(line) for line in values]
    height = max((len(line) for line in values), default=0)
    return [[line[at] if at < len(line) else None for line in values] for at in range(height)]


def _named(value: Any) -> str:
    kind = _KINDS.get(type(value))
    if kind:
        return f"{kind} {{}}"
    if isinstance(value, bool):
        return f"bool_value: {str(value).lower()}"
    return f'string_value: "{value[:60]}"' if isinstance(value, str) else f"number_value: {value}"


def write(book: Book, area: Area, rows: list[list[Any]], option: str, *, grow: bool = False) -> Json:
    """Writes rows from an area's first cell on. An area with an end refuses what lies beyond it."""
    sheet, width = area.sheet, max((len(row) for row in rows), default=0)
    bottom, right = area.top + len(rows) - 1, area.left + width - 1
    if not grow:
        _fits(area, rows, width)
    if rows and width and (bottom >= sheet.rowCount or right >= sheet.columnCount):
        if not grow:
            raise beyond(sheet, a1.range_name(sheet.title, area.top, area.left, bottom, right))
        book.resize(sheet, max(sheet.rowCount, bottom + 1), max(sheet.columnCount, right + 1))
    count, touched_rows, touched_columns = 0, set[int](), set[int]()
    for r, row in enumerate(rows):
        for c, value in enumerate(row):
            if value is None:
                continue
            if option == "USER_ENTERED":
                book.type(sheet, area.top + r, area.left + c, value)
            else:
                book.enter(sheet, area.top + r, area.left + c, entry.raw(value))
            count += 1
            touched_rows.add(r)
            touched_columns.add(c)
    book.touch()
    made: Json = {"spreadsheetId": book.id}
    if not rows or not width:
        return {**made, "updatedRange": area.name}
    made["updatedRange"] = a1.range_name(sheet.title, area.top, area.left, bottom, right)
    if count:
        made |= {"updatedRows": len(touched_rows), "updatedColumns": len(touched_columns), "updatedCells": count}
    return made


def _fits(area: Area, rows: list[list[Any]], width: int) -> None:
    if area.bound_rows and len(rows) > area.bottom - area.top + 1:
        raise refuse(f"Requested writing within range [{area.name}], but tried writing to row [{area.bottom + 2}]")
    if area.bound_columns and width > area.right - area.left + 1:
        column = a1.column_name(area.right + 1)
        raise refuse(f"Requested writing within range [{area.name}], but tried writing to column [{column}]")


def written_area(book: Book, told: Json) -> Area:
    return book.locate(told["updatedRange"])


def shown_after(book: Book, told: Json, how: Any, when: Any, columns: bool) -> Json:
    """The answer of a write, with the values as they now are."""
    return {**told, "updatedData": value_range(book, written_area(book, told), how, when, columns)}


# Tables


def table_in(book: Book, area: Area) -> Area | None:
    """The table in a range: the last block of adjoining cells with values that the range touches."""
    engine, sheet = book.engine, area.sheet
    taken = {s for s, c in engine.cells(sheet.sheet_id).items() if c.value is not None or c.formula is not None}
    taken |= {s for s, v in engine.spilt(sheet.sheet_id).items() if v is not None}
    blocks = _blocks(taken)
    meeting = [
        b for b in blocks if b[0] <= area.bottom and b[2] >= area.top and b[1] <= area.right and b[3] >= area.left
    ]
    if not meeting:
        return None
    top, left, bottom, right = max(meeting, key=lambda b: (b[2], -b[1]))
    return Area(sheet, top, left, bottom, right)


def _blocks(taken: set[tuple[int, int]]) -> list[tuple[int, int, int, int]]:
    """Rectangles round cells that adjoin, also by a corner."""
    left, out = set(taken), list[tuple[int, int, int, int]]()
    while left:
        stack = [left.pop()]
        top = bottom = stack[0][0]
        first = last = stack[0][1]
        while stack:
            row, column = stack.pop()
            top, bottom, first, last = min(top, row), max(bottom, row), min(first, column), max(last, column)
            for spot in ((row + r, column + c) for r in (-1, 0, 1) for c in (-1, 0, 1)):
                if spot in left:
                    left.remove(spot)
                    stack.append(spot)
        out.append((top, first, bottom, last))
    return _joined(out)


def _joined(blocks: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Rectangles that overlap or adjoin are one table."""
    out = list[tuple[int, int, int, int]]()
    for block in sorted(blocks):
        while True:
            near = next(
                (o for o in out if o[0] <= block[2] + 1 and block[0] <= o[2] + 1 and o[1] <= block[3] + 1 and block[1] <= o[3] + 1), None
            )  # fmt: skip
            if near is None:
                break
            out.remove(near)
            block = (min(near[0], block[0]), min(near[1], block[1]), max(near[2], block[2]), max(near[3], block[3]))
        out.append(block)
    return out


def append(book: Book, area: Area, rows: list[list[Any]], option: str, insert_rows: bool) -> Json:
    """Writes rows after the table in a range."""
    table = table_in(book, area)
    top, left = (area.top, area.left) if table is None else (table.bottom + 1, table.left)
    sheet = area.sheet
    if insert_rows and rows and top < sheet.rowCount:
        sheet = insert(book, sheet, "ROWS", top, len(rows), inherit=top > 0)
    told = write(book, Area(sheet, top, left, top, left, False, False), rows, option, grow=True)
    made: Json = {"spreadsheetId": book.id}
    if table is not None:
        made["tableRange"] = table.name
    return {**made, "updates": told}


def clear(book: Book, area: Area) -> None:
    """Empties values; formats, validations and notes stay."""
    for cell in book.cells(area):
        if cell.value is not None or cell.formula is not None:
            book.put(area.sheet, cell.row, cell.column, value=None, formula=None)
    book.touch()


def sheet_area(sheet: Sheet) -> Area:
    return Area(sheet, 0, 0, sheet.rowCount - 1, sheet.columnCount - 1, False, False)
