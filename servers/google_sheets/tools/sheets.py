"""Tools over sheets by their titles: sheets, rows and columns."""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field, ToolOnly

from .. import batch
from ..app import app, refuse
from ..book import Book, open_book
from ..models import Json, Sheet
from ..requests_sheets import copied, copy_title
from ..resources import sheet_properties

Count = Annotated[int, Field(ge=1, le=10_000)]
Row = Annotated[int, Field(ge=1, le=10_000_000)]
Word = Annotated[str | MISSING, ToolOnly()]


def _sheet(ctx: Ctx, spreadsheet_id: str, title: str) -> tuple[Book, Sheet]:
    book = open_book(ctx, spreadsheet_id)
    return book, book.named(title)


def given(**values: Any) -> Json:
    """What was said."""
    return {name: value for name, value in values.items() if value is not MISSING and value is not None}


@app.post("", tool="create_sheet", effect="create")
def create_sheet(
    ctx: Ctx, spreadsheetId: str, title: str, rowCount: Count | MISSING = MISSING,
    columnCount: Annotated[int, Field(ge=1, le=18_278)] | MISSING = MISSING,
    index: Annotated[int, Field(ge=0, le=200)] | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Adds a sheet (tab) to a spreadsheet.

    spreadsheetId: The spreadsheet's id.
    title: The new sheet's title, which no other sheet may have.
    rowCount: How many rows it has; 1000 by default.
    columnCount: How many columns it has; 26 by default.
    index: Its place among the sheets, counted from 0; last by default.
    """
    grid = given(rowCount=rowCount, columnCount=columnCount)
    properties = given(title=title, index=index) | ({"gridProperties": grid} if grid else {})
    return batch.run(open_book(ctx, spreadsheetId), "addSheet", properties=properties)["properties"]


@app.post("", tool="delete_sheet", effect="delete")
def delete_sheet(ctx: Ctx, spreadsheetId: str, sheet: str) -> dict[str, Any]:
    """Deletes a sheet with all its cells. The last visible one cannot be deleted.

    spreadsheetId: The spreadsheet's id.
    sheet: The sheet's title.
    """
    book, row = _sheet(ctx, spreadsheetId, sheet)
    batch.run(book, "deleteSheet", sheetId=row.sheet_id)
    return {"deletedSheetId": row.sheet_id, "sheets": [s.title for s in book.sheets()]}


@app.post("", tool="rename_sheet", effect="update")
def rename_sheet(ctx: Ctx, spreadsheetId: str, sheet: str, newName: str) -> dict[str, Any]:
    """Gives a sheet another title; formulas that name it follow.

    spreadsheetId: The spreadsheet's id.
    sheet: The sheet's title as it is.
    newName: The new title.
    """
    book, row = _sheet(ctx, spreadsheetId, sheet)
    batch.run(book, "updateSheetProperties", properties={"sheetId": row.sheet_id, "title": newName}, fields="title")
    return sheet_properties(book.sheet(row.sheet_id))


@app.post("", tool="duplicate_sheet", effect="create")
def duplicate_sheet(ctx: Ctx, spreadsheetId: str, sheet: str, newName: Word = MISSING) -> dict[str, Any]:
    """Copies a sheet within its spreadsheet, right after itself.

    spreadsheetId: The spreadsheet's id.
    sheet: The sheet's title.
    newName: The copy's title; `Copy of` the title by default.
    """
    book, row = _sheet(ctx, spreadsheetId, sheet)
    said = given(newSheetName=newName)
    return batch.run(book, "duplicateSheet", sourceSheetId=row.sheet_id, insertSheetIndex=row.position + 1, **said)[
        "properties"
    ]


@app.post("", tool="copy_sheet", effect="create")
def copy_sheet(
    ctx: Ctx, srcSpreadsheet: str, srcSheet: str, dstSpreadsheet: str, dstSheet: Word = MISSING
) -> dict[str, Any]:
    """Copies a sheet to another spreadsheet, after its last sheet.

    srcSpreadsheet: The id of the spreadsheet that has the sheet.
    srcSheet: The sheet's title.
    dstSpreadsheet: The id of the spreadsheet that gets the copy.
    dstSheet: The copy's title; `Copy of` the title by default.
    """
    source, row = _sheet(ctx, srcSpreadsheet, srcSheet)
    target = open_book(ctx, dstSpreadsheet)
    made = copied(source, row, target, copy_title(target, row.title), None, None)
    if dstSheet is not MISSING:
        batch.run(
            target, "updateSheetProperties", properties={"sheetId": made.sheet_id, "title": dstSheet}, fields="title"
        )
    target.touch()
    return sheet_properties(target.sheet(made.sheet_id))


@app.post("", tool="update_sheet_properties", effect="update")
def update_sheet_properties(
    ctx: Ctx, spreadsheetId: str, sheet: str, index: Annotated[int, Field(ge=0, le=200)] | MISSING = MISSING,
    hidden: bool | MISSING = MISSING,
    frozenRowCount: Annotated[int, Field(ge=0)] | MISSING = MISSING, frozenColumnCount: Annotated[int, Field(ge=0)] | MISSING = MISSING,
    rowCount: Count | MISSING = MISSING, columnCount: Count | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes what is said of a sheet: its place, whether it is hidden, its frozen rows and columns, its size.

    spreadsheetId: The spreadsheet's id.
    sheet: The sheet's title.
    index: The place before which to move it, counted from 0.
    hidden: Whether it is hidden.
    frozenRowCount: How many rows at the top do not scroll.
    frozenColumnCount: How many columns at the left do not scroll.
    rowCount: How many rows it has; cells beyond are lost.
    columnCount: How many columns it has; cells beyond are lost.
    """
    book, row = _sheet(ctx, spreadsheetId, sheet)
    own = given(index=index, hidden=hidden)
    grid = given(
        frozenRowCount=frozenRowCount, frozenColumnCount=frozenColumnCount, rowCount=rowCount, columnCount=columnCount
    )
    if not own and not grid:
        raise refuse("Nothing to change was given.")
    fields = ",".join([*own, *(f"gridProperties.{name}" for name in grid)])
    properties = {"sheetId": row.sheet_id, **own, **({"gridProperties": grid} if grid else {})}
    batch.run(book, "updateSheetProperties", properties=properties, fields=fields)
    return sheet_properties(book.sheet(row.sheet_id))


def _span(row: Sheet, dimension: str, start: int, count: int) -> Json:
    return {"sheetId": row.sheet_id, "dimension": dimension, "startIndex": start, "endIndex": start + count}


def _added(
    ctx: Ctx, spreadsheet_id: str, sheet: str, dimension: Literal["ROWS", "COLUMNS"], count: int, at: Any
) -> dict[str, Any]:
    book, row = _sheet(ctx, spreadsheet_id, sheet)
    if at is MISSING:
        batch.run(book, "appendDimension", sheetId=row.sheet_id, dimension=dimension, length=count)
    else:
        batch.run(book, "insertDimension", range=_span(row, dimension, at - 1, count), inheritFromBefore=at > 1)
    return sheet_properties(book.sheet(row.sheet_id))


@app.post("", tool="add_rows", effect="create")
def add_rows(
    ctx: Ctx, spreadsheetId: str, sheet: str, count: Count, startRow: Row | MISSING = MISSING
) -> dict[str, Any]:
    """Adds empty rows to a sheet. To add rows with values, use append_values.

    spreadsheetId: The spreadsheet's id.
    sheet: The sheet's title.
    count: How many rows.
    startRow: The row before which they are inserted, counted from 1; at the end by default.
    """
    return _added(ctx, spreadsheetId, sheet, "ROWS", count, startRow)


@app.post("", tool="add_columns", effect="create")
def add_columns(
    ctx: Ctx, spreadsheetId: str, sheet: str, count: Count, startColumn: Row | MISSING = MISSING
) -> dict[str, Any]:
    """Adds empty columns to a sheet.

    spreadsheetId: The spreadsheet's id.
    sheet: The sheet's title.
    count: How many columns.
    startColumn: The column before which they are inserted, counted from 1; at the end by default.
    """
    return _added(ctx, spreadsheetId, sheet, "COLUMNS", count, startColumn)


@app.post("", tool="delete_rows", effect="delete", idempotent=False)
def delete_rows(ctx: Ctx, spreadsheetId: str, sheet: str, startRow: Row, count: Count = 1) -> dict[str, Any]:
    """Deletes rows; those below move up.

    spreadsheetId: The spreadsheet's id.
    sheet: The sheet's title.
    startRow: The first row to delete, counted from 1 as in get_sheet_data.
    count: How many rows.
    """
    book, row = _sheet(ctx, spreadsheetId, sheet)
    batch.run(book, "deleteDimension", range=_span(row, "ROWS", startRow - 1, count))
    return sheet_properties(book.sheet(row.sheet_id))


@app.post("", tool="delete_columns", effect="delete", idempotent=False)
def delete_columns(ctx: Ctx, spreadsheetId: str, sheet: str, startColumn: Row, count: Count = 1) -> dict[str, Any]:
    """Deletes columns; those to the right move left.

    spreadsheetId: The spreadsheet's id.
    sheet: The sheet's title.
    startColumn: The first column to delete, counted from 1 (A is 1).
    count: How many columns.
    """
    book, row = _sheet(ctx, spreadsheetId, sheet)
    batch.run(book, "deleteDimension", range=_span(row, "COLUMNS", startColumn - 1, count))
    return sheet_properties(book.sheet(row.sheet_id))
