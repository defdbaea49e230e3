"""Requests that copy and cut cells, and that tidy them."""

import re
from typing import Any, Literal

from . import a1, formulas, schemas, values
from .app import refuse
from .batch import request
from .book import Area, Book, beyond
from .models import Cell, Json, Sheet
from .requests_cells import CONTENT, MOST_REPEATED
from .schemas import Part

Paste = Literal[
    "PASTE_NORMAL", "PASTE_VALUES", "PASTE_FORMAT", "PASTE_NO_BORDERS", "PASTE_FORMULA", "PASTE_DATA_VALIDATION",
    "PASTE_CONDITIONAL_FORMATTING",
]  # fmt: skip
_PASTED = {
    "PASTE_NORMAL": CONTENT, "PASTE_NO_BORDERS": CONTENT, "PASTE_VALUES": ("value", "formula"), "PASTE_FORMULA": ("value", "formula"),
    "PASTE_FORMAT": ("format",), "PASTE_DATA_VALIDATION": ("validation",), "PASTE_CONDITIONAL_FORMATTING": (),
}  # fmt: skip


class CopyPaste(Part):
    source: schemas.GridRange | None = None
    destination: schemas.GridRange | None = None
    pasteType: Paste | None = None
    pasteOrientation: Literal["NORMAL", "TRANSPOSE"] | None = None


def _taken(book: Book, area: Area, paste: str) -> dict[tuple[int, int], Json]:
    """What an area's cells give to a paste, by their places in it."""
    out = dict[tuple[int, int], Json]()
    spots = {(c.row, c.column): c for c in book.cells(area)}
    for (row, column), cell in spots.items():
        held = {n: getattr(cell, n) for n in _PASTED[paste]}
        if paste == "PASTE_VALUES":
            value = book.engine.value(area.sheet.sheet_id, row, column)
            held = {"value": value.shown if isinstance(value, values.Problem) else value, "formula": None}
        if paste == "PASTE_NO_BORDERS" and held["format"]:
            held["format"] = {n: v for n, v in held["format"].items() if n != "borders"} or None
        out[row - area.top, column - area.left] = held
    return out


@request("copyPaste", CopyPaste)
def copy_paste(book: Book, body: CopyPaste) -> None:
    source = book.ranged(body.source)
    target = book.ranged(body.destination)
    paste, turned = body.pasteType or "PASTE_NORMAL", body.pasteOrientation == "TRANSPOSE"
    held = _taken(book, source, paste)
    height, width = source.bottom - source.top + 1, source.right - source.left + 1
    if turned:
        height, width = width, height
    down, across = target.bottom - target.top + 1, target.right - target.left + 1
    # A destination of whole multiples is filled; any other gets one copy.
    repeat_down = down // height if down % height == 0 else 1
    repeat_across = across // width if across % width == 0 else 1
    _check(target.sheet, target.top + repeat_down * height, target.left + repeat_across * width, target)
    if repeat_down * height * repeat_across * width > MOST_REPEATED:
        raise refuse(f"The destination has more cells than a request may write ({MOST_REPEATED}).")
    for r in range(repeat_down * height):
        for c in range(repeat_across * width):
            inner = (c % width, r % height) if turned else (r % height, c % width)
            changes = dict(held.get(inner) or dict.fromkeys(_PASTED[paste]))
            row, column = target.top + r, target.left + c
            if changes.get("formula"):
                steps = (row - source.top - inner[0], column - source.left - inner[1])
                changes["formula"] = formulas.shifted(changes["formula"], *steps)
            if changes:
                book.put(target.sheet, row, column, **changes)


def _check(sheet: Sheet, bottom: int, right: int, target: Area) -> None:
    if bottom > sheet.rowCount or right > sheet.columnCount:
        raise beyond(sheet, a1.range_name(sheet.title, target.top, target.left, bottom - 1, right - 1))


class CutPaste(Part):
    source: schemas.GridRange | None = None
    destination: schemas.GridCoordinate | None = None
    pasteType: Paste | None = None


@request("cutPaste", CutPaste)
def cut_paste(book: Book, body: CutPaste) -> None:
    source, at = book.ranged(body.source), body.destination or schemas.GridCoordinate()
    sheet, top, left = book.sheet(at.sheetId or 0), at.rowIndex or 0, at.columnIndex or 0
    paste = body.pasteType or "PASTE_NORMAL"
    bottom, right = top + source.bottom - source.top, left + source.right - source.left
    if min(top, left) < 0:
        raise refuse("GridCoordinate indexes cannot be negative.")
    target = Area(sheet, top, left, min(bottom, sheet.rowCount - 1), min(right, sheet.columnCount - 1))
    _check(sheet, bottom + 1, right + 1, target)
    held, gone = _taken(book, source, paste), dict.fromkeys(_PASTED[paste])
    for cell in book.cells(source):
        book.put(source.sheet, cell.row, cell.column, **gone)
    for cell in book.cells(target):
        book.put(sheet, cell.row, cell.column, **gone)
    for (r, c), changes in held.items():
        book.put(sheet, top + r, left + c, **changes)


# Tidying


class DeleteDuplicates(Part):
    range: schemas.GridRange | None = None
    comparisonColumns: list[schemas.DimensionRange] | None = None


@request("deleteDuplicates", DeleteDuplicates)
def delete_duplicates(book: Book, body: DeleteDuplicates) -> Json:
    area = book.ranged(body.range)
    columns = set[int]()
    for span in body.comparisonColumns or []:
        if span.dimension != "COLUMNS":
            raise refuse("comparisonColumns must be columns.")
        columns |= {
            c
            for c in range(area.left, area.right + 1)
            if (span.startIndex or 0) <= c < (area.right + 1 if span.endIndex is None else span.endIndex)
        }
    if body.comparisonColumns and not columns:
        raise refuse(f"comparisonColumns must be within the range [{area.name}].")
    chosen = sorted(columns) or list(range(area.left, area.right + 1))
    seen, kept, gone = set[tuple[Any, ...]](), list[int](), 0
    last = max((c.row for c in book.cells(area)), default=area.top - 1)
    for row in range(area.top, last + 1):
        key = tuple(values.sort_key(book.engine.value(area.sheet.sheet_id, row, c)) for c in chosen)
        if key in seen:
            gone += 1
        else:
            seen.add(key)
            kept.append(row)
    if gone:
        rows = dict[int, dict[int, Cell]]()
        for cell in book.cells(area):
            rows.setdefault(cell.row, {})[cell.column] = cell
        for at, row in enumerate(range(area.top, last + 1)):
            source = kept[at] if at < len(kept) else None
            if source == row:
                continue
            new = rows.get(source, {}) if source is not None else {}
            for column in sorted({*rows.get(row, {}), *new}):
                held = new.get(column)
                book.put(area.sheet, row, column, **{n: getattr(held, n) if held else None for n in CONTENT})
    return {"deleteDuplicates": {"duplicatesRemovedCount": gone} if gone else {}}


class TrimWhitespace(Part):
    range: schemas.GridRange | None = None


@request("trimWhitespace", TrimWhitespace)
def trim_whitespace(book: Book, body: TrimWhitespace) -> Json:
    area = book.ranged(body.range)
    count = 0
    for cell in book.cells(area):
        if isinstance(cell.value, str):
            tidy = re.sub(r"\s+", " ", cell.value.strip())
            if tidy != cell.value:
                book.put(area.sheet, cell.row, cell.column, value=tidy or None)
                count += 1
    return {"trimWhitespace": {"cellsChangedCount": count} if count else {}}
