"""Requests about cells: their values and formats, found, replaced, copied and sorted."""

import re
from typing import Any

from . import entry, expressions, formulas, masks, schemas
from .app import refuse
from .batch import request
from .book import LONGEST, Area, Book
from .formats import text_of
from .functions_lookup import sort_order
from .models import Cell, Json, Sheet
from .rendering import format_of
from .schemas import Flag, Number, Part, Text

_FIELDS = {
    "userEnteredValue": "value", "userEnteredFormat": "format", "dataValidation": "validation", "note": "note", "textFormatRuns": "",
    "hyperlink": "", "pivotTable": "", "chipRuns": "", "dataSourceTable": "", "dataSourceFormula": "", "effectiveValue": "",
    "effectiveFormat": "", "formattedValue": "",
}  # fmt: skip
CONTENT = ("value", "formula", "format", "validation", "note")


def cell_mask(fields: str | None) -> Json:
    names = masks.read(fields, "cell")
    masks.only(names, tuple(_FIELDS), "CellData")
    return names or {name: {} for name, column in _FIELDS.items() if column}


def put_data(book: Book, sheet: Sheet, row: int, column: int, said: Json, names: Json) -> None:
    """Writes the fields of a mask from a CellData."""
    held = book.cell(sheet, row, column)
    changes: Json = {}
    for name, below in names.items():
        if name == "userEnteredValue":
            changes |= _value(said.get(name) or {})
        elif place := _FIELDS[name]:
            changes[place] = masks.applied(getattr(held, place) if held else None, said.get(name), below) or None
    if changes:
        book.put(sheet, row, column, **changes)


def _value(said: Json) -> Json:
    given = [n for n in said if said[n] is not None]
    if len(given) > 1:
        raise refuse("Only one kind of value may be set in userEnteredValue.")
    if not given:
        return {"value": None, "formula": None}
    kind, value = given[0], said[given[0]]
    if kind == "errorValue":
        raise refuse("userEnteredValue.errorValue is read-only.")
    if kind == "formulaValue":
        if not value.startswith("=") or len(value) < 2:
            raise refuse(f"Invalid formula: {value[:100]}. A formula begins with an equals sign.")
        return {"value": None, "formula": value}
    return {"value": entry.clean(value) if value != "" else None, "formula": None}


def _rows(rows: list[schemas.RowData] | None) -> list[list[Json]]:
    return [[{} if c is None else c.sent() for c in (row.values or [])] for row in rows or []]


class UpdateCells(Part):
    rows: list[schemas.RowData] | None = None
    fields: Text = None
    start: schemas.GridCoordinate | None = None
    range: schemas.GridRange | None = None


@request("updateCells", UpdateCells)
def update_cells(book: Book, body: UpdateCells) -> None:
    names, rows = cell_mask(body.fields), _rows(body.rows)
    if (body.start is None) == (body.range is None):
        raise refuse("Either start or range must be specified.")
    if body.range is not None:
        area = book.ranged(body.range)
        for r, row in enumerate(rows):
            if area.top + r > area.bottom:
                raise refuse(
                    f"Attempting to write row: {area.top + r}, beyond the last requested row of: {area.bottom}"
                )
            if area.left + len(row) - 1 > area.right:
                raise refuse(
                    f"Attempting to write column: {area.right + 1}, beyond the last requested column of: {area.right}"
                )
        for cell in book.cells(area):
            r, c = cell.row - area.top, cell.column - area.left
            if r >= len(rows) or c >= len(rows[r]):
                put_data(book, area.sheet, cell.row, cell.column, {}, names)
        _write(book, area.sheet, area.top, area.left, rows, names)
        return
    at = body.start or schemas.GridCoordinate()
    sheet = book.sheet(at.sheetId or 0)
    top, left = at.rowIndex or 0, at.columnIndex or 0
    if min(top, left) < 0:
        raise refuse("GridCoordinate indexes cannot be negative.")
    _write(book, sheet, top, left, rows, names)


def _write(book: Book, sheet: Sheet, top: int, left: int, rows: list[list[Json]], names: Json) -> None:
    for r, row in enumerate(rows):
        if top + r >= sheet.rowCount:
            raise refuse(f"Attempting to write row: {top + r}, beyond the last requested row of: {sheet.rowCount - 1}")
        if left + len(row) > sheet.columnCount:
            last = sheet.columnCount - 1
            raise refuse(
                f"Attempting to write column: {sheet.columnCount}, beyond the last requested column of: {last}"
            )
        for c, said in enumerate(row):
            put_data(book, sheet, top + r, left + c, said, names)


class AppendCells(Part):
    sheetId: Number = None
    tableId: Text = None
    rows: list[schemas.RowData] | None = None
    fields: Text = None


@request("appendCells", AppendCells)
def append_cells(book: Book, body: AppendCells) -> None:
    names, rows = cell_mask(body.fields), _rows(body.rows)
    sheet = book.sheet(body.sheetId or 0)
    taken = [
        c.row
        for c in book.ctx.db.find(Cell, spreadsheet_id=book.id, sheet_id=sheet.sheet_id)
        if c.value is not None or c.formula
    ]
    top = max(taken, default=-1) + 1
    if top + len(rows) > sheet.rowCount:
        book.resize(sheet, top + len(rows), sheet.columnCount)
    _write(book, sheet, top, 0, rows, names)


class RepeatCell(Part):
    range: schemas.GridRange | None = None
    cell: schemas.CellData | None = None
    fields: Text = None


MOST_REPEATED = 100_000


@request("repeatCell", RepeatCell)
def repeat_cell(book: Book, body: RepeatCell) -> None:
    names = cell_mask(body.fields)
    area = book.ranged(body.range)
    said = body.cell.sent() if body.cell else {}
    chosen = {n: v for n, v in said.items() if n in names}
    if not chosen:  # what is cleared was there
        for cell in book.cells(area):
            put_data(book, area.sheet, cell.row, cell.column, {}, names)
        return
    if (area.bottom - area.top + 1) * (area.right - area.left + 1) > MOST_REPEATED:
        raise refuse(f"The range has more cells than a request may write ({MOST_REPEATED}).")
    formula = (said.get("userEnteredValue") or {}).get("formulaValue")
    for row in range(area.top, area.bottom + 1):
        for column in range(area.left, area.right + 1):
            if formula:
                there = formulas.shifted(formula, row - area.top, column - area.left)
                said = {**said, "userEnteredValue": {"formulaValue": there}}
            put_data(book, area.sheet, row, column, said, names)


class FindReplace(Part):
    find: Text = None
    replacement: Text = None
    matchCase: Flag = None
    matchEntireCell: Flag = None
    searchByRegex: Flag = None
    includeFormulas: Flag = None
    range: schemas.GridRange | None = None
    sheetId: Number = None
    allSheets: Flag = None


@request("findReplace", FindReplace)
def find_replace(book: Book, body: FindReplace) -> Json:
    if not body.find:
        raise refuse("find is required and cannot be empty.")
    scopes = [body.range is not None, body.sheetId is not None, bool(body.allSheets)]
    if sum(scopes) != 1:
        raise refuse("Exactly one of range, sheetId and allSheets must be specified.")
    if body.range is not None:
        areas = [book.ranged(body.range)]
    else:
        sheets = book.sheets() if body.allSheets else [book.sheet(body.sheetId or 0)]
        areas = [Area(s, 0, 0, s.rowCount - 1, s.columnCount - 1) for s in sheets]
    pattern, replacement = _pattern(body), body.replacement or ""
    template = expressions.template(replacement) if body.searchByRegex else ""
    longest = expressions.longest(body.find) if body.searchByRegex else LONGEST
    counts = dict.fromkeys(
        ("valuesChanged", "formulasChanged", "rowsChanged", "sheetsChanged", "occurrencesChanged"), 0
    )
    for area in areas:
        rows = set[int]()
        for cell in book.cells(area):
            if cell.formula is not None and not body.includeFormulas:
                continue
            before = cell.formula if cell.formula is not None else _words(book, area.sheet, cell)
            if before is None:
                continue
            if len(before) > longest:
                raise refuse(f"The text of a cell is too long for the regular expression: {body.find[:100]}")
            try:
                after, times = pattern.subn(template if body.searchByRegex else lambda _: replacement, before)
            except (re.error, IndexError):
                raise refuse(f"Invalid replacement: {replacement[:100]}") from None
            if not times:
                continue
            if len(after) > LONGEST:
                raise refuse(f"Your input contains more than the maximum of {LONGEST} characters in a single cell.")
            book.type(area.sheet, cell.row, cell.column, after)
            counts["formulasChanged" if cell.formula is not None else "valuesChanged"] += 1
            counts["occurrencesChanged"] += times
            rows.add(cell.row)
        counts["rowsChanged"] += len(rows)
        counts["sheetsChanged"] += bool(rows)
    return {"findReplace": {n: v for n, v in counts.items() if v}}


def _words(book: Book, sheet: Sheet, cell: Cell) -> str | None:
    """What is searched in a value: what the cell shows."""
    if cell.value is None:
        return None
    number_format = format_of(book, sheet, cell.row, cell.column, cell)

    return text_of(cell.value, number_format, book.row.locale)


def _pattern(body: FindReplace) -> re.Pattern[str]:
    wanted = body.find or ""
    if body.searchByRegex:
        if not expressions.sound(wanted):
            raise refuse(f"Invalid regular expression: {wanted[:100]}")
    else:
        wanted = re.escape(wanted)
    if body.matchEntireCell:
        wanted = rf"\A(?:{wanted})\Z"
    try:
        return re.compile(wanted, 0 if body.matchCase else re.IGNORECASE)
    except (re.error, OverflowError, RecursionError):
        raise refuse(f"Invalid regular expression: {(body.find or '')[:100]}") from None


class SortRange(Part):
    range: schemas.GridRange | None = None
    sortSpecs: list[schemas.SortSpec] | None = None


@request("sortRange", SortRange)
def sort_range(book: Book, body: SortRange) -> None:
    area = book.ranged(body.range)
    sort_area(book, area, [s.sent() for s in body.sortSpecs or []])


def sort_area(book: Book, area: Area, specs: list[Json]) -> None:
    """Sorts an area's rows; formulas move with them."""
    if not specs:
        raise refuse("No sort specs were specified.")
    for spec in specs:
        if not area.left <= spec.get("dimensionIndex", 0) <= area.right:
            raise refuse(f"Attempting to sort on column {spec.get('dimensionIndex', 0)}, which is outside the range.")
    used = book.used(area)
    if used is None:
        return
    area, keys = used, list[tuple[list[Any], bool]]()
    for spec in specs:
        column = spec.get("dimensionIndex", 0)
        line = [book.engine.value(area.sheet.sheet_id, r, column) for r in range(area.top, area.bottom + 1)]
        keys.append((line, spec.get("sortOrder") != "DESCENDING"))
    order = sort_order(area.bottom - area.top + 1, keys)
    rows = dict[int, dict[int, Cell]]()
    for cell in book.cells(area):
        rows.setdefault(cell.row - area.top, {})[cell.column] = cell
    for to, source in enumerate(order):
        if to == source:
            continue
        now, new = rows.get(to, {}), rows.get(source, {})
        for column in sorted({*now, *new}):
            held = new.get(column)
            changes = {n: getattr(held, n) if held else None for n in CONTENT}
            if held is not None and held.formula is not None:
                changes["formula"] = formulas.shifted(held.formula, to - source, 0)
            book.put(area.sheet, area.top + to, column, **changes)
