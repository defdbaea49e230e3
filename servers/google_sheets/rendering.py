"""Cells as they are shown: values in the forms that callers ask for, formats, grids of cell data."""

from typing import Any, Literal

from . import formats, formulas
from .book import Area, Book
from .formulas import Node
from .models import Cell, Json, Sheet
from .values import Problem, Scalar

Render = Literal["FORMATTED_VALUE", "UNFORMATTED_VALUE", "FORMULA"]
DateRender = Literal["SERIAL_NUMBER", "FORMATTED_STRING"]
_MOST_METADATA = 50_000
_DAY: Json = {"type": "DATE"}
_DATED = {"TODAY", "DATE", "EDATE", "EOMONTH", "WORKDAY", "DATEVALUE"}
_ALIKE = {
    "SUM", "MIN", "MAX", "AVERAGE", "MEDIAN", "ROUND", "ROUNDUP", "ROUNDDOWN", "ABS", "SUMIF", "SUMIFS", "IFERROR", "LARGE", "SMALL",
    "INDEX", "VLOOKUP", "XLOOKUP", "HLOOKUP", "IF", "MAXIFS", "MINIFS", "AVERAGEIF", "AVERAGEIFS", "UNIQUE", "SORT",
    "FILTER", "ARRAYFORMULA",
}  # fmt: skip
_BY_TARGET = {"IF": (1, 2), "SUMIF": (2, 0), "AVERAGEIF": (2, 0), "VLOOKUP": (), "HLOOKUP": (), "XLOOKUP": (2,)}


def format_of(book: Book, sheet: Sheet, row: int, column: int, cell: Cell | None) -> Json | None:
    """The number format that a cell shows: its own, else what its formula's inputs have."""
    own = ((cell.format if cell else None) or {}).get("numberFormat")
    if own or cell is None or cell.formula is None:
        return own
    formula = formulas.read(cell.formula)
    return None if formula is None else _inferred(book, sheet, formula.tree, 8)


def _inferred(book: Book, sheet: Sheet, node: Node, depth: int) -> Json | None:
    if depth == 0:
        return None
    if node[0] == "ref":
        ref = node[1]
        home = book.engine.titles.get(ref.sheet.lower()) if ref.sheet is not None else sheet
        if home is None:
            return None
        cells = book.engine.cells(home.sheet_id)
        column = ref.left or 0
        top = ref.top or 0
        for row in range(top, top + 3 if not ref.single else top + 1):
            cell = cells.get((row, column))
            if cell is None:
                continue
            own = (cell.format or {}).get("numberFormat")
            if own or cell.formula is None:
                if own:
                    return own
                continue
            formula = formulas.read(cell.formula)
            return None if formula is None else _inferred(book, home, formula.tree, depth - 1)
        return None
    if node[0] == "op" and node[1] in "+-*/":
        left, right = (_inferred(book, sheet, n, depth - 1) for n in node[2:4])
        dated = [formats.is_date(f) for f in (left, right)]
        if any(dated):
            return None if all(dated) or node[1] in "*/" else left if dated[0] else right
        if node[1] in "*/":
            money = [f for f in (left, right) if f and f.get("type") == "CURRENCY"]
            return money[0] if len(money) == 1 else None
        return left or right
    if node[0] == "call":
        name, arguments = node[1], node[2]
        if name in _DATED:
            return _DAY
        if name == "NOW":
            return {"type": "DATE_TIME"}
        if name in _ALIKE:
            chosen = _BY_TARGET.get(name, (0,))
            found = (_inferred(book, sheet, arguments[i], depth - 1) for i in chosen if i < len(arguments))
            return next((f for f in found if f), None)
    if node[0] in ("minus", "plus"):
        return _inferred(book, sheet, node[1], depth - 1)
    return None


def shown(book: Book, sheet: Sheet, row: int, column: int, how: Render, when: DateRender) -> Any:
    """One cell's value as a caller asked for it; None where it is blank."""
    cell = book.engine.cells(sheet.sheet_id).get((row, column))
    if how == "FORMULA" and cell is not None and cell.formula is not None:
        return cell.formula
    value = book.engine.value(sheet.sheet_id, row, column)
    if value is None:
        return None
    if isinstance(value, Problem):
        return value.shown
    if how == "FORMATTED_VALUE":
        return formats.text_of(value, format_of(book, sheet, row, column, cell), book.row.locale)
    if when == "FORMATTED_STRING" and not isinstance(value, bool | str):
        number_format = format_of(book, sheet, row, column, cell)
        if formats.is_date(number_format):
            return formats.text_of(value, number_format, book.row.locale)
    return value


def block(
    book: Book, area: Area, how: Render = "FORMATTED_VALUE", when: DateRender = "SERIAL_NUMBER", columns: bool = False
) -> list[list[Any]]:
    """The values of an area, row by row or column by column, without the blank ends."""
    sheet, held = area.sheet, book.engine.cells(area.sheet.sheet_id)
    spots = [s for s, c in held.items() if area.holds(*s) and (c.value is not None or c.formula is not None)]
    spots += [s for s, v in book.engine.spilt(sheet.sheet_id).items() if v is not None and area.holds(*s)]
    lines = dict[int, dict[int, Any]]()
    for row, column in spots:
        value = shown(book, sheet, row, column, how, when)
        if value is None:
            continue
        line, place = (column - area.left, row - area.top) if columns else (row - area.top, column - area.left)
        lines.setdefault(line, {})[place] = value
    out = list[list[Any]]()
    for line in range(max(lines, default=-1) + 1):
        values = lines.get(line, {})
        out.append([values.get(place, "") for place in range(max(values, default=-1) + 1)])
    return out


def value_range(
    book: Book, area: Area, how: Render = "FORMATTED_VALUE", when: DateRender = "SERIAL_NUMBER", columns: bool = False
) -> Json:
    """A ValueRange."""
    values = block(book, area, how, when, columns)
    made: Json = {"range": area.name, "majorDimension": "COLUMNS" if columns else "ROWS"}
    return {**made, "values": values} if values else made


# Cell data

_WHITE: Json = {"red": 1, "green": 1, "blue": 1}
DEFAULT_FORMAT: Json = {
    "backgroundColor": _WHITE, "padding": {"top": 2, "right": 3, "bottom": 2, "left": 3}, "verticalAlignment": "BOTTOM",
    "wrapStrategy": "OVERFLOW_CELL",
    "textFormat": {
        "foregroundColor": {}, "fontFamily": "arial,sans,sans-serif", "fontSize": 10, "bold": False, "italic": False,
        "strikethrough": False, "underline": False, "foregroundColorStyle": {"rgbColor": {}},
    },
    "backgroundColorStyle": {"rgbColor": _WHITE},
}  # fmt: skip


def extended(value: Scalar) -> Json:
    """A value as an ExtendedValue."""
    if isinstance(value, Problem):
        return {"errorValue": {"type": value.kind, "message": value.message}}
    if isinstance(value, bool):
        return {"boolValue": value}
    return {"stringValue": value} if isinstance(value, str) else {"numberValue": value}


def merged(base: Json, over: Json) -> Json:
    out = dict(base)
    for name, value in over.items():
        kept = out.get(name)
        out[name] = merged(kept, value) if isinstance(value, dict) and isinstance(kept, dict) else value
    return out


def cell_data(book: Book, sheet: Sheet, row: int, column: int) -> Json:
    """A CellData."""
    cell = book.engine.cells(sheet.sheet_id).get((row, column))
    value = book.engine.value(sheet.sheet_id, row, column)
    out: Json = {}
    if cell is not None and cell.formula is not None:
        out["userEnteredValue"] = {"formulaValue": cell.formula}
    elif cell is not None and cell.value is not None:
        out["userEnteredValue"] = extended(cell.value)
    if value is not None:
        number_format = format_of(book, sheet, row, column, cell)
        out["effectiveValue"] = extended(value)
        out["formattedValue"] = shown(book, sheet, row, column, "FORMATTED_VALUE", "SERIAL_NUMBER")
        effective = merged(DEFAULT_FORMAT, (cell.format if cell else None) or {})
        if number_format and not isinstance(value, str | bool | Problem):
            pattern = formats.pattern_of(number_format, book.row.locale)
            effective["numberFormat"] = {**number_format, **({"pattern": pattern} if pattern else {})}
        sided = (
            "RIGHT" if not isinstance(value, str | bool | Problem) else "LEFT" if isinstance(value, str) else "CENTER"
        )
        effective.setdefault("horizontalAlignment", sided)
        out["effectiveFormat"] = effective
    if cell is not None:
        if cell.format:
            out["userEnteredFormat"] = cell.format
        if cell.note:
            out["note"] = cell.note
        if cell.validation:
            out["dataValidation"] = cell.validation
    return out


def grid_data(book: Book, area: Area) -> Json:
    """A GridData: the area's cells, without the blank ends."""
    sheet = area.sheet
    spots = [s for s in book.engine.cells(sheet.sheet_id) if area.holds(*s)]
    spots += [s for s, v in book.engine.spilt(sheet.sheet_id).items() if v is not None and area.holds(*s)]
    last = dict[int, int]()
    for row, column in spots:
        last[row] = max(last.get(row, -1), column)
    rows = list[Json]()
    for row in range(area.top, max(last, default=-1) + 1):
        cells = [cell_data(book, sheet, row, c) for c in range(area.left, last.get(row, -1) + 1)]
        rows.append({"values": cells} if cells else {})
    out: Json = {}
    if area.top:
        out["startRow"] = area.top
    if area.left:
        out["startColumn"] = area.left
    if rows:
        out["rowData"] = rows
    out["rowMetadata"] = [
        {"pixelSize": 21, **sheet.rows.get(str(r), {})}
        for r in range(area.top, min(area.bottom + 1, area.top + _MOST_METADATA))
    ]
    out["columnMetadata"] = [
        {"pixelSize": 100, **sheet.columns.get(str(c), {})} for c in range(area.left, area.right + 1)
    ]
    return out
