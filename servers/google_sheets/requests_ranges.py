"""Requests about ranges: validation, filters, merges, borders, cells inserted and deleted."""

from typing import Literal

from . import schemas
from .app import refuse
from .batch import request
from .book import Area, Book
from .models import Cell, Json, Sheet
from .rendering import shown
from .requests_cells import MOST_REPEATED, sort_area
from .schemas import Number, Part, Text

_VALUES: dict[str, tuple[int, int]] = {
    "BLANK": (0, 0), "NOT_BLANK": (0, 0), "TEXT_IS_EMAIL": (0, 0), "TEXT_IS_URL": (0, 0), "DATE_IS_VALID": (0, 0), "BOOLEAN": (0, 2),
    "NUMBER_BETWEEN": (2, 2), "NUMBER_NOT_BETWEEN": (2, 2), "DATE_BETWEEN": (2, 2), "DATE_NOT_BETWEEN": (2, 2), "ONE_OF_LIST": (1, 500),
}  # fmt: skip


class SetDataValidation(Part):
    range: schemas.GridRange | None = None
    rule: schemas.DataValidationRule | None = None
    filteredRowsIncluded: bool | None = None


def check_rule(rule: Json) -> Json:
    condition = rule.get("condition") or {}
    kind, given = condition.get("type"), condition.get("values", [])
    if kind is None:
        raise refuse("A data validation rule needs a condition with a type.")
    least, most = _VALUES.get(kind, (1, 1))
    if not least <= len(given) <= most:
        raise refuse(
            f"Invalid ConditionValue count for {kind}: expected {least if least == most else f'{least} to {most}'}, got {len(given)}."
        )
    return rule


@request("setDataValidation", SetDataValidation)
def set_data_validation(book: Book, body: SetDataValidation) -> None:
    area = book.ranged(body.range)
    if body.rule is None:
        for cell in book.cells(area):
            book.put(area.sheet, cell.row, cell.column, validation=None)
        return
    rule = check_rule(body.rule.sent())
    if (area.bottom - area.top + 1) * (area.right - area.left + 1) > MOST_REPEATED:
        raise refuse(f"The range has more cells than a request may write ({MOST_REPEATED}).")
    for row in range(area.top, area.bottom + 1):
        for column in range(area.left, area.right + 1):
            book.put(area.sheet, row, column, validation=rule)


class SetBasicFilter(Part):
    filter: schemas.BasicFilter | None = None


def _hidden(book: Book, sheet: Sheet, hidden: set[int]) -> None:
    """Marks the rows that a filter hides."""
    rows: Json = {}
    for at in sorted({*map(int, sheet.rows), *hidden}):
        kept = {n: v for n, v in sheet.rows.get(str(at), {}).items() if n != "hiddenByFilter"}
        if at in hidden:
            kept["hiddenByFilter"] = True
        if kept:
            rows[str(at)] = kept
    if rows != sheet.rows:
        book.ctx.db.update(sheet, rows=rows)
    book.forget()


@request("setBasicFilter", SetBasicFilter)
def set_basic_filter(book: Book, body: SetBasicFilter) -> None:
    said = body.filter or schemas.BasicFilter()
    area, whole = book.ranged(said.range), said.sent()
    whole["range"] = area.grid
    for column in whole.get("criteria", {}):
        if not column.isascii() or not column.isdigit() or len(column) > 6:
            raise refuse(f"Invalid column index in criteria: {column[:20]}")
    if whole.get("sortSpecs") and area.bottom > area.top:
        body_area = Area(area.sheet, area.top + 1, area.left, area.bottom, area.right)
        sort_area(book, body_area, whole["sortSpecs"])
    hidden = set[int]()
    chosen = dict[int, Json]({int(c): spec for c, spec in whole.get("criteria", {}).items()})
    for spec in whole.get("filterSpecs", []):
        chosen[spec.get("columnIndex", 0)] = spec.get("filterCriteria", {})
    for column in chosen:
        if not area.left <= column <= area.right:
            raise refuse(f"Attempting to filter on column {column}, which is outside the range [{area.name}].")
    used = book.used(area)
    last = area.top if used is None else used.bottom
    for column, criteria in chosen.items():
        out = {str(v) for v in criteria.get("hiddenValues", [])}
        for row in range(area.top + 1, last + 1):
            text = shown(book, area.sheet, row, column, "FORMATTED_VALUE", "SERIAL_NUMBER")
            if ("" if text is None else str(text)) in out:
                hidden.add(row)
    book.ctx.db.update(area.sheet, basicFilter=whole)
    _hidden(book, area.sheet, hidden)


class ClearBasicFilter(Part):
    sheetId: Number = None


@request("clearBasicFilter", ClearBasicFilter)
def clear_basic_filter(book: Book, body: ClearBasicFilter) -> None:
    sheet = book.sheet(body.sheetId or 0, "sheet")
    if sheet.basicFilter is not None:
        book.ctx.db.update(sheet, basicFilter=None)
    _hidden(book, sheet, set())


class MergeCells(Part):
    range: schemas.GridRange | None = None
    mergeType: Literal["MERGE_ALL", "MERGE_COLUMNS", "MERGE_ROWS"] | None = None


def _overlap(a: Json, b: Json) -> bool:
    return all(
        a[f"start{w}Index"] < b[f"end{w}Index"] and b[f"start{w}Index"] < a[f"end{w}Index"] for w in ("Row", "Column")
    )


def _covers(a: Json, b: Json) -> bool:
    return all(
        a[f"start{w}Index"] <= b[f"start{w}Index"] and b[f"end{w}Index"] <= a[f"end{w}Index"] for w in ("Row", "Column")
    )


def _free(sheet: Sheet, grid: Json) -> list[Json]:
    """The merges that a range leaves; it may not cut one."""
    met = [m for m in sheet.merges if _overlap(m, grid)]
    if any(not _covers(grid, m) for m in met):
        raise refuse("You must select all cells in a merged range to merge or unmerge them.")
    return [m for m in sheet.merges if m not in met]


@request("mergeCells", MergeCells)
def merge_cells(book: Book, body: MergeCells) -> None:
    area, kind = book.ranged(body.range), body.mergeType or "MERGE_ALL"
    kept = _free(area.sheet, area.grid)
    if kind == "MERGE_ROWS":
        parts = [Area(area.sheet, r, area.left, r, area.right) for r in range(area.top, area.bottom + 1)]
    elif kind == "MERGE_COLUMNS":
        parts = [Area(area.sheet, area.top, c, area.bottom, c) for c in range(area.left, area.right + 1)]
    else:
        parts = [area]
    parts = [p for p in parts if (p.top, p.left) != (p.bottom, p.right)]
    for part in parts:  # only what is in the upper left stays
        held = [c for c in book.cells(part) if c.value is not None or c.formula is not None]
        for at, cell in enumerate(held):
            if at == 0 and (cell.row, cell.column) != (part.top, part.left):
                book.put(part.sheet, part.top, part.left, value=cell.value, formula=cell.formula)
            if (cell.row, cell.column) != (part.top, part.left):
                book.put(part.sheet, cell.row, cell.column, value=None, formula=None)
    book.ctx.db.update(area.sheet, merges=[*kept, *(p.grid for p in parts)])
    book.forget()


class UnmergeCells(Part):
    range: schemas.GridRange | None = None


@request("unmergeCells", UnmergeCells)
def unmerge_cells(book: Book, body: UnmergeCells) -> None:
    area = book.ranged(body.range)
    kept = _free(area.sheet, area.grid)
    if kept != area.sheet.merges:
        book.ctx.db.update(area.sheet, merges=kept)
        book.forget()


# Borders, and cells inserted and deleted


class UpdateBorders(Part):
    range: schemas.GridRange | None = None
    top: Json | None = None
    bottom: Json | None = None
    left: Json | None = None
    right: Json | None = None
    innerHorizontal: Json | None = None
    innerVertical: Json | None = None


@request("updateBorders", UpdateBorders)
def update_borders(book: Book, body: UpdateBorders) -> None:
    area, said = book.ranged(body.range), body.sent()
    if (area.bottom - area.top + 1) * (area.right - area.left + 1) > MOST_REPEATED:
        raise refuse(f"The range has more cells than a request may write ({MOST_REPEATED}).")
    for row in range(area.top, area.bottom + 1):
        for column in range(area.left, area.right + 1):
            sides = {
                "top": "top" if row == area.top else "innerHorizontal",
                "bottom": "bottom" if row == area.bottom else "innerHorizontal",
                "left": "left" if column == area.left else "innerVertical",
                "right": "right" if column == area.right else "innerVertical",
            }
            changes = {side: said[name] for side, name in sides.items() if name in said}
            if changes:
                held = book.cell(area.sheet, row, column)
                before = (held.format if held else None) or {}
                book.put(
                    area.sheet, row, column, format={**before, "borders": {**before.get("borders", {}), **changes}}
                )


class ShiftRange(Part):
    range: schemas.GridRange | None = None
    shiftDimension: Text = None


def _shift(book: Book, body: ShiftRange, *, inserting: bool) -> None:
    """Moves the cells beside or below a range out of its way, or into it."""
    area = book.ranged(body.range)
    if body.shiftDimension not in ("ROWS", "COLUMNS"):
        raise refuse("No dimension specified.")
    down = body.shiftDimension == "ROWS"
    sheet, size = area.sheet, area.bottom - area.top + 1 if down else area.right - area.left + 1
    line = (
        Area(sheet, area.top, area.left, sheet.rowCount - 1, area.right) if down
        else Area(sheet, area.top, area.left, area.bottom, sheet.columnCount - 1)
    )  # fmt: skip
    start, held = area.top if down else area.left, list[tuple[int, int, Json]]()
    for cell in book.cells(line):
        at = cell.row if down else cell.column
        to = at + size if inserting else at - size
        if to >= start:
            row, column = (to, cell.column) if down else (cell.row, to)
            if row >= sheet.rowCount or column >= sheet.columnCount:
                if cell.value is not None or cell.formula is not None:
                    raise refuse("This action would move cells with values beyond the end of the sheet.")
                continue
            held.append(
                (row, column, {n: getattr(cell, n) for n in ("value", "formula", "format", "validation", "note")})
            )
    gone = dict.fromkeys(("value", "formula", "format", "validation", "note"))
    for cell in list[Cell](book.cells(line)):
        book.put(sheet, cell.row, cell.column, **gone)
    for row, column, changes in held:
        book.put(sheet, row, column, **changes)


@request("insertRange", ShiftRange)
def insert_range(book: Book, body: ShiftRange) -> None:
    _shift(book, body, inserting=True)


@request("deleteRange", ShiftRange)
def delete_range(book: Book, body: ShiftRange) -> None:
    _shift(book, body, inserting=False)
