"""Rows as the API's JSON. https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets"""

from typing import Any

from .book import Area, Book
from .models import Account, Json, NamedRange, ProtectedRange, Sheet, Spreadsheet
from .rendering import DEFAULT_FORMAT, grid_data

_RGB = ("red", "green", "blue")
_THEME_COLORS = {
    "TEXT": (0, 0, 0), "BACKGROUND": (1, 1, 1), "ACCENT1": (0.25882354, 0.52156866, 0.95686275), 
    "ACCENT2": (0.91764706, 0.2627451, 0.20784314),
    "ACCENT3": (0.9843137, 0.7372549, 0.015686275), "ACCENT4": (0.20392157, 0.65882355, 0.3254902), "ACCENT5": (1, 0.42745098, 0.003921569),
    "ACCENT6": (0.27450982, 0.7411765, 0.7764706), "LINK": (0.06666667, 0.33333334, 0.8),
}  # fmt: skip


def url_of(spreadsheet_id: str) -> str:
    return f"https://docs.google.com/spreadsheets/d/{spreadsheet_id}/edit"


def spreadsheet_properties(row: Spreadsheet, *, whole: bool = True) -> Json:
    made: Json = {"title": row.title, "locale": row.locale, "autoRecalc": row.autoRecalc, "timeZone": row.timeZone}
    if whole:
        made["defaultFormat"] = DEFAULT_FORMAT
        made["spreadsheetTheme"] = {
            "primaryFontFamily": "Arial",
            "themeColors": [
                {"colorType": kind, "color": {"rgbColor": {n: v for n, v in zip(_RGB, rgb, strict=True) if v}}}
                for kind, rgb in _THEME_COLORS.items()
            ],
        }
    return made


def sheet_properties(sheet: Sheet) -> Json:
    """A SheetProperties; what is as it always is is left out, but for the id and the index."""
    grid: Json = {"rowCount": sheet.rowCount, "columnCount": sheet.columnCount}
    for name in ("frozenRowCount", "frozenColumnCount", "hideGridlines"):
        if getattr(sheet, name):
            grid[name] = getattr(sheet, name)
    made: Json = {
        "sheetId": sheet.sheet_id, "title": sheet.title, "index": sheet.position, "sheetType": "GRID", "gridProperties": grid
    }  # fmt: skip
    if sheet.hidden:
        made["hidden"] = True
    if sheet.rightToLeft:
        made["rightToLeft"] = True
    if sheet.tabColor:
        made |= {"tabColor": sheet.tabColor, "tabColorStyle": {"rgbColor": sheet.tabColor}}
    return made


def named_range(row: NamedRange) -> Json:
    return {"namedRangeId": row.id, "name": row.name, "range": row.range}


def protected_range(book: Book, row: ProtectedRange) -> Json:
    me = book.ctx.db.first(Account)
    mine = me.email if me else ""
    made: Json = {"protectedRangeId": row.id, "range": row.range}
    if row.named_range_id:
        made["namedRangeId"] = row.named_range_id
    if row.description:
        made["description"] = row.description
    if row.warningOnly:
        made["warningOnly"] = True
    can = row.warningOnly or mine in row.editors or mine == book.row.owner
    if can:
        made["requestingUserCanEdit"] = True
    if row.unprotected:
        made["unprotectedRanges"] = row.unprotected
    if row.editors and can:
        made["editors"] = {"users": row.editors}
    return made


def sheet_json(book: Book, sheet: Sheet, areas: list[Area] | None) -> Json:
    """A Sheet, with its cells where areas are given."""
    made: Json = {"properties": sheet_properties(sheet)}
    if areas is not None:
        made["data"] = [grid_data(book, a) for a in areas]
    if sheet.merges:
        made["merges"] = sheet.merges
    if sheet.basicFilter:
        made["basicFilter"] = sheet.basicFilter
    guards = [
        p
        for p in book.ctx.db.find(ProtectedRange, order="id", spreadsheet_id=book.id)
        if p.range.get("sheetId", 0) == sheet.sheet_id
    ]
    if guards:
        made["protectedRanges"] = [protected_range(book, p) for p in guards]
    return made


def spreadsheet_json(
    book: Book, *, areas: list[Area] | None = None, cells: bool = False, whole: bool = True
) -> dict[str, Any]:
    """A Spreadsheet. areas: what to show of it; cells: whether with its cells."""
    sheets = book.sheets()
    if areas:
        wanted = {a.sheet.sheet_id for a in areas}
        sheets = [s for s in sheets if s.sheet_id in wanted]

    def shown(sheet: Sheet) -> list[Area] | None:
        if not cells:
            return None
        if areas:
            return [a for a in areas if a.sheet.sheet_id == sheet.sheet_id]
        return [Area(sheet, 0, 0, sheet.rowCount - 1, sheet.columnCount - 1)]

    made: dict[str, Any] = {
        "spreadsheetId": book.id,
        "properties": spreadsheet_properties(book.row, whole=whole),
        "sheets": [sheet_json(book, s, shown(s)) for s in sheets],
        "spreadsheetUrl": url_of(book.id),
    }
    names = book.names()
    return {**made, "namedRanges": [named_range(n) for n in names]} if names else made
