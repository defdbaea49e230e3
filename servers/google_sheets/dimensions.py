"""Rows and columns inserted, deleted and moved; everything that refers to them follows."""

from collections.abc import Callable
from typing import Literal

from . import formulas
from .app import refuse
from .book import MOST_CELLS, Book, too_many
from .models import Cell, Json, NamedRange, ProtectedRange, Sheet

Dimension = Literal["ROWS", "COLUMNS"]
Mapping = Callable[[int], int | None]


def _word(dimension: Dimension) -> str:
    return "row" if dimension == "ROWS" else "column"


def size(sheet: Sheet, dimension: Dimension) -> int:
    return sheet.rowCount if dimension == "ROWS" else sheet.columnCount


def _resized(book: Book, sheet: Sheet, dimension: Dimension, count: int) -> None:
    rows, columns = (count, sheet.columnCount) if dimension == "ROWS" else (sheet.rowCount, count)
    others = sum(s.rowCount * s.columnCount for s in book.sheets() if s.sheet_id != sheet.sheet_id)
    if others + rows * columns > MOST_CELLS:
        raise too_many()
    book.ctx.db.update(sheet, rowCount=rows, columnCount=columns)


def append(book: Book, sheet: Sheet, dimension: Dimension, length: int) -> None:
    _resized(book, sheet, dimension, size(sheet, dimension) + length)
    book.forget()


def insert(book: Book, sheet: Sheet, dimension: Dimension, start: int, count: int, *, inherit: bool) -> Sheet:
    """Inserts empty rows or columns. inherit: whether they look like the one before, else like the one after."""
    total = size(sheet, dimension)
    if start > total:
        raise refuse(f"range.startIndex[{start}] is after last {_word(dimension)} in grid[{total}]")
    if inherit and start == 0:
        raise refuse("inheritFromBefore cannot be set to true when inserting at the first row or column")
    _resized(book, sheet, dimension, total + count)

    def mapping(at: int) -> int | None:
        return at + count if at >= start else at

    model = start - 1 if inherit else start
    looks = [c for c in _line(book, sheet, dimension, model) if c.format or c.validation]
    _remap(
        book, sheet, dimension, mapping, lambda a, b: (a + count if a >= start else a, b + count if b >= start else b)
    )
    for look in looks:
        for step in range(count):
            row, column = (start + step, look.column) if dimension == "ROWS" else (look.row, start + step)
            book.put(sheet, row, column, format=look.format, validation=look.validation)
    return sheet


def delete(book: Book, sheet: Sheet, dimension: Dimension, start: int, end: int) -> None:
    total, word = size(sheet, dimension), _word(dimension)
    if start >= total:
        raise refuse(
            f"Cannot delete a {word} that doesn't exist. Tried to delete {word} index {start} but there are only {total} {word}s."
        )
    end = min(end, total)
    if end - start >= total:
        raise refuse(f"You can't delete all the {word}s on the sheet.")
    frozen = "frozenRowCount" if dimension == "ROWS" else "frozenColumnCount"
    held = getattr(sheet, frozen)
    left = held - max(0, min(end, held) - start)
    if held and left >= total - (end - start):
        raise refuse(f"You can't delete all non-frozen {word}s on the sheet.")
    _guard(book, sheet, dimension, start, end)
    gone = end - start

    def mapping(at: int) -> int | None:
        return at if at < start else None if at < end else at - gone

    def span(a: int, b: int) -> tuple[int, int] | None:
        first = a if a < start else start if a < end else a - gone
        last = b if b < start else start - 1 if b < end else b - gone
        return (first, last) if last >= first else None

    _remap(book, sheet, dimension, mapping, span)
    _resized(book, sheet, dimension, total - gone)
    if left != held:
        book.ctx.db.update(sheet, **{frozen: left})
    book.forget()


def move(book: Book, sheet: Sheet, dimension: Dimension, start: int, end: int, to: int) -> None:
    """Moves rows or columns to where `to` is before the move."""
    total = size(sheet, dimension)
    if end > total or to > total:
        raise refuse(f"Cannot move {_word(dimension)}s beyond the end of the sheet, which has {total}.")
    if start <= to <= end:
        if start < to < end:
            raise refuse("destinationIndex cannot be inside the range that is moved.")
        return
    _guard(book, sheet, dimension, min(start, to), max(end, to))
    order = [i for i in range(total) if not start <= i < end]
    place = to if to < start else to - (end - start)
    order[place:place] = range(start, end)
    target = {old: new for new, old in enumerate(order)}

    def span(a: int, b: int) -> tuple[int, int] | None:
        ends = sorted((target.get(a, a), target.get(b, b)))
        return ends[0], ends[1]

    _remap(book, sheet, dimension, lambda at: target.get(at, at), span)


def _line(book: Book, sheet: Sheet, dimension: Dimension, at: int) -> list[Cell]:
    place: Json = {"row": at} if dimension == "ROWS" else {"column": at}
    return book.ctx.db.find(Cell, spreadsheet_id=book.id, sheet_id=sheet.sheet_id, **place)


def _guard(book: Book, sheet: Sheet, dimension: Dimension, start: int, end: int) -> None:
    """Nobody deletes or moves what is protected: as if each cell there with anything in it were written."""
    for cell in book.ctx.db.find(Cell, spreadsheet_id=book.id, sheet_id=sheet.sheet_id):
        if start <= (cell.row if dimension == "ROWS" else cell.column) < end:
            book.put(sheet, cell.row, cell.column, value=cell.value)


def _remap(
    book: Book, sheet: Sheet, dimension: Dimension, mapping: Mapping, span: Callable[[int, int], tuple[int, int] | None]
) -> None:
    """Cells to their new places; formulas, merges, names, protections and the filter with them."""
    db, rows = book.ctx.db, dimension == "ROWS"
    moving = list[Json]()
    for cell in db.find(Cell, spreadsheet_id=book.id, sheet_id=sheet.sheet_id):
        at = cell.row if rows else cell.column
        to = mapping(at)
        if to == at:
            continue
        db.delete(cell)
        if to is not None:
            moving.append({**cell.model_dump(), "row" if rows else "column": to})
    for values in moving:
        db.add(Cell(**values))
    for cell in db.where(Cell, "spreadsheet_id = ? AND formula IS NOT NULL", [book.id]):
        here = cell.sheet_id == sheet.sheet_id
        text = formulas.moved(cell.formula or "", here, sheet.title, rows, mapping, span)
        if text != cell.formula:
            db.update(cell, formula=text)

    def grid(old: Json) -> Json | None:
        return moved_grid(old, sheet.sheet_id, dimension, span)

    for named in db.find(NamedRange, spreadsheet_id=book.id):
        new = grid(named.range)
        if new is None:
            db.delete(named)
        elif new != named.range:
            db.update(named, range=new)
    for guard in db.find(ProtectedRange, spreadsheet_id=book.id):
        new = grid(guard.range)
        if new is None:
            db.delete(guard)
        else:
            free = [g for g in map(grid, guard.unprotected) if g is not None]
            if new != guard.range or free != guard.unprotected:
                db.update(guard, range=new, unprotected=free)
    changes: Json = {"merges": [g for g in map(grid, sheet.merges) if g is not None]}
    if sheet.basicFilter and sheet.basicFilter.get("range"):
        new = grid(sheet.basicFilter["range"])
        changes["basicFilter"] = None if new is None else {**sheet.basicFilter, "range": new}
    name = "rows" if rows else "columns"
    kept = {to: v for at, v in getattr(sheet, name).items() if (to := mapping(int(at))) is not None}
    changes[name] = {str(at): kept[at] for at in sorted(kept)}
    changes = {n: v for n, v in changes.items() if v != getattr(sheet, n)}
    db.update(sheet, **changes)
    book.forget()


def moved_grid(
    grid: Json, sheet_id: int, dimension: Dimension, span: Callable[[int, int], tuple[int, int] | None]
) -> Json | None:
    """A GridRange after its sheet's rows or columns moved; None where nothing of it is left."""
    first, last = ("startRowIndex", "endRowIndex") if dimension == "ROWS" else ("startColumnIndex", "endColumnIndex")
    if grid.get("sheetId", 0) != sheet_id or last not in grid:
        return grid
    both = span(grid.get(first, 0), grid[last] - 1)
    return None if both is None else {**grid, first: both[0], last: both[1] + 1}
