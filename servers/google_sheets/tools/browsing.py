"""Tools over sheets by their titles, that agents find simpler than the API: finding and reading."""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field

from ..a1 import column_name, unquoted
from ..app import app, refuse
from ..book import Area, Book, open_book
from ..models import Person, Spreadsheet
from ..rendering import block, shown
from ..resources import named_range, sheet_properties, url_of
from ..writing import sheet_area

Most = Annotated[int, Field(ge=1, le=200)]


def _listed(ctx: Ctx, row: Spreadsheet) -> dict[str, Any]:
    owner = ctx.db.get(Person, row.owner)
    return {
        "spreadsheetId": row.id, "title": row.title, "owner": row.owner,
        "ownerName": f"{owner.first_name} {owner.last_name}" if owner else "",
        "createdTime": row.createdTime, "modifiedTime": row.modifiedTime, "spreadsheetUrl": url_of(row.id),
    }  # fmt: skip


@app.post("", tool="list_spreadsheets", effect="read")
def list_spreadsheets(
    ctx: Ctx, query: str | None = None, pageSize: Most = 50, pageToken: str | None = None
) -> dict[str, Any]:
    """Lists the spreadsheets that the caller can open, last changed first, with their ids, titles and owners.

    query: Only those whose title has this text.
    pageSize: How many to list.
    pageToken: The nextPageToken of the page before.
    """
    try:
        offset = int(pageToken or "0")
    except ValueError:
        offset = -1
    if not 0 <= offset < 2**31:
        raise refuse("Invalid value at 'pageToken'")
    rows = ctx.db.find(Spreadsheet, order="-modifiedTime,id", title__contains=query, limit=pageSize + 1, offset=offset)
    made: dict[str, Any] = {"spreadsheets": [_listed(ctx, r) for r in rows[:pageSize]]}
    return {**made, "nextPageToken": str(offset + pageSize)} if len(rows) > pageSize else made


@app.post("", tool="list_sheets", effect="read")
def list_sheets(ctx: Ctx, spreadsheetId: str) -> dict[str, Any]:
    """Lists a spreadsheet's sheets: titles, ids, sizes, and the first row of each.

    spreadsheetId: The spreadsheet's id.
    """
    book = open_book(ctx, spreadsheetId)
    out = list[dict[str, Any]]()
    for sheet in book.sheets():
        area = book.used(sheet_area(sheet))
        properties = sheet_properties(sheet)
        properties["rowsWithData"] = 0 if area is None else area.bottom + 1
        properties["firstRow"] = _row(book, sheet.title, 0)
        out.append(properties)
    return {"spreadsheetId": book.id, "title": book.row.title, "sheets": out}


def _row(book: Book, title: str, at: int) -> list[Any]:
    sheet = book.titled(title)
    assert sheet is not None
    lines = block(book, book.area({"sheetId": sheet.sheet_id, "startRowIndex": at, "endRowIndex": at + 1}))
    return lines[0] if lines else []


def place(book: Book, sheet: str, range: str | None) -> Area:
    """A range of a sheet that its title tells; the range may tell the sheet again."""
    row = book.named(sheet)
    if not range:
        return sheet_area(row)
    head, mark, inner = range.rpartition("!")
    inner = inner if mark and unquoted(head).lower() == row.title.lower() else range
    return book.locate("'" + row.title.replace("'", "''") + "'!" + inner)


@app.post("", tool="get_sheet_data", effect="read")
def get_sheet_data(
    ctx: Ctx, spreadsheetId: str, sheet: str, range: str | None = None, startRow: Annotated[int, Field(ge=1)] = 1, maxRows: Most = 100,
    unformatted: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Reads a sheet by its title, with the number of each row. Longer sheets are read in pages by startRow.

    spreadsheetId: The spreadsheet's id.
    sheet: The sheet's title.
    range: A range within it, as A1:C10 or A:C; all of it by default.
    startRow: The first row to read, counted from 1.
    maxRows: How many rows to read.
    unformatted: Plain numbers (dates as day numbers) in place of what cells show.
    """
    book = open_book(ctx, spreadsheetId)
    area = place(book, sheet, range)
    lines = block(book, area, "UNFORMATTED_VALUE" if unformatted else "FORMATTED_VALUE")
    first = max(startRow - 1 - area.top, 0)
    page = lines[first : first + maxRows]
    rows = [{"row": area.top + first + at + 1, "values": line} for at, line in enumerate(page)]
    made: dict[str, Any] = {"range": area.name, "rows": rows, "totalRows": len(lines)}
    return {**made, "nextStartRow": area.top + first + maxRows + 1} if len(lines) > first + maxRows else made


@app.post("", tool="get_sheet_formulas", effect="read")
def get_sheet_formulas(ctx: Ctx, spreadsheetId: str, sheet: str, range: str | None = None) -> dict[str, Any]:
    """Lists the formulas of a sheet with what they come to.

    spreadsheetId: The spreadsheet's id.
    sheet: The sheet's title.
    range: A range within it, as A1:C10; all of it by default.
    """
    book = open_book(ctx, spreadsheetId)
    area = place(book, sheet, range)
    found = [
        {
            "cell": f"{_column(c.column)}{c.row + 1}",
            "formula": c.formula,
            "value": shown(book, area.sheet, c.row, c.column, "FORMATTED_VALUE", "SERIAL_NUMBER"),
        }
        for c in book.cells(area)
        if c.formula is not None
    ]
    return {"range": area.name, "formulas": found}


@app.post("", tool="get_multiple_spreadsheet_summary", effect="read")
def get_multiple_spreadsheet_summary(
    ctx: Ctx, spreadsheetIds: list[str], rowsToFetch: Annotated[int, Field(ge=1, le=20)] = 3
) -> dict[str, Any]:
    """Shows the sheets of several spreadsheets with their first rows.

    spreadsheetIds: The spreadsheets' ids, at most 20.
    rowsToFetch: How many rows of each sheet to show.
    """
    if len(spreadsheetIds) > 20:
        raise refuse("At most 20 spreadsheets can be summarized at once.")
    out = list[dict[str, Any]]()
    for spreadsheet_id in spreadsheetIds:
        book = open_book(ctx, spreadsheet_id)
        sheets = [
            {"title": s.title, "sheetId": s.sheet_id,
             "firstRows": block(book, book.area({"sheetId": s.sheet_id, "endRowIndex": rowsToFetch}))}
            for s in book.sheets()
        ]  # fmt: skip
        out.append({"spreadsheetId": book.id, "title": book.row.title, "sheets": sheets})
    return {"spreadsheets": out}


@app.post("", tool="find_in_spreadsheet", effect="read")
def find_in_spreadsheet(
    ctx: Ctx, spreadsheetId: str, query: Annotated[str, Field(min_length=1)], sheet: str | None = None, matchCase: bool = False,
    matchEntireCell: bool = False, maxResults: Most = 50,
) -> dict[str, Any]:  # fmt: skip
    """Finds the cells that show a text: sheet, cell and value.

    spreadsheetId: The spreadsheet's id.
    query: The text.
    sheet: The title of the sheet to search; all by default.
    matchCase: Whether capitals matter.
    matchEntireCell: Whether the cell must show this text and nothing else.
    maxResults: How many cells to tell.
    """
    book, wanted = open_book(ctx, spreadsheetId), query if matchCase else query.lower()
    found = list[dict[str, Any]]()
    for one in [book.named(sheet)] if sheet is not None else book.sheets():
        for r, line in enumerate(block(book, sheet_area(one))):
            for c, value in enumerate(line):
                text = str(value) if matchCase else str(value).lower()
                if text == wanted if matchEntireCell else wanted in text:
                    found.append({"sheet": one.title, "cell": f"{_column(c)}{r + 1}", "value": value})
    return {"matches": found[:maxResults], "totalMatches": len(found)}


def _column(index: int) -> str:
    return column_name(index)


@app.post("", tool="list_named_ranges", effect="read")
def list_named_ranges(ctx: Ctx, spreadsheetId: str) -> dict[str, Any]:
    """Lists a spreadsheet's named ranges with the ranges that they stand for.

    spreadsheetId: The spreadsheet's id.
    """
    book = open_book(ctx, spreadsheetId)
    return {"namedRanges": [{**named_range(n), "a1Range": book.area(n.range).name} for n in book.names()]}
