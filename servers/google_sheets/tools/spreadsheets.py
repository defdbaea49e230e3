"""Spreadsheets. https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets"""

from typing import Annotated, Any

from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, URLSAFE, Body, Ctx, Field, Query, ToolOnly
from legoenv_mcp.styles import google

from .. import (
    batch,
    requests_cells,
    requests_copying,
    requests_dimensions,
    requests_protection,
    requests_ranges,
    requests_sheets,
    schemas,
)
from ..app import app, refuse
from ..book import Area, Book, open_book
from ..models import Account, Json, Sheet, Spreadsheet
from ..requests_sheets import check_properties, check_title, copied, copy_title, new_id
from ..resources import sheet_properties, spreadsheet_json

LIBRARY = (requests_cells, requests_copying, requests_dimensions, requests_protection, requests_ranges, requests_sheets)
"""The modules that declare requests."""
Hidden = Annotated[bool | None, Query(mcp=False)]
Unread = Annotated[Any, Body(mcp=False)]
View = Annotated[str | None, Query(mcp=False)]


class Request(TypedDict, total=False):
    """One request, under its name. A GridRange is {sheetId, startRowIndex, endRowIndex, startColumnIndex, endColumnIndex}: from 0, ends not
    included. A CellData is {userEnteredValue: {stringValue, numberValue, boolValue or formulaValue}, userEnteredFormat, note}."""

    __pydantic_config__ = {"extra": "allow"}  # pyright: ignore[reportGeneralTypeIssues]

    addSheet: Annotated[
        Json, Field(description="{properties: {title, index, gridProperties: {rowCount, columnCount, frozenRowCount}}}")
    ]
    deleteSheet: Annotated[Json, Field(description="{sheetId}")]
    duplicateSheet: Annotated[Json, Field(description="{sourceSheetId, insertSheetIndex, newSheetName}")]
    updateSheetProperties: Annotated[
        Json, Field(description="{properties: {sheetId, title, index, hidden, gridProperties}, fields}")
    ]
    updateSpreadsheetProperties: Annotated[Json, Field(description="{properties: {title, locale, timeZone}, fields}")]
    insertDimension: Annotated[
        Json, Field(description="{range: {sheetId, dimension, startIndex, endIndex}, inheritFromBefore}")
    ]
    deleteDimension: Annotated[Json, Field(description="{range: {sheetId, dimension, startIndex, endIndex}}")]
    appendDimension: Annotated[Json, Field(description="{sheetId, dimension, length}")]
    moveDimension: Annotated[
        Json, Field(description="{source: {sheetId, dimension, startIndex, endIndex}, destinationIndex}")
    ]
    updateDimensionProperties: Annotated[
        Json,
        Field(
            description="{range: {sheetId, dimension, startIndex, endIndex}, properties: {pixelSize, hiddenByUser}, fields}"
        ),
    ]
    autoResizeDimensions: Annotated[Json, Field(description="{dimensions: {sheetId, dimension, startIndex, endIndex}}")]
    updateCells: Annotated[
        Json,
        Field(description="{start: {sheetId, rowIndex, columnIndex} or range, rows: [{values: [CellData]}], fields}"),
    ]
    appendCells: Annotated[Json, Field(description="{sheetId, rows: [{values: [CellData]}], fields}")]
    repeatCell: Annotated[Json, Field(description="{range: GridRange, cell: CellData, fields}")]
    findReplace: Annotated[
        Json,
        Field(
            description="{find, replacement, allSheets or sheetId or range, matchCase, matchEntireCell, searchByRegex, includeFormulas}"
        ),
    ]
    sortRange: Annotated[Json, Field(description="{range: GridRange, sortSpecs: [{dimensionIndex, sortOrder}]}")]
    copyPaste: Annotated[
        Json, Field(description="{source: GridRange, destination: GridRange, pasteType, pasteOrientation}")
    ]
    cutPaste: Annotated[
        Json, Field(description="{source: GridRange, destination: {sheetId, rowIndex, columnIndex}, pasteType}")
    ]
    deleteDuplicates: Annotated[Json, Field(description="{range: GridRange, comparisonColumns}")]
    trimWhitespace: Annotated[Json, Field(description="{range: GridRange}")]
    addNamedRange: Annotated[Json, Field(description="{namedRange: {name, range: GridRange}}")]
    updateNamedRange: Annotated[Json, Field(description="{namedRange: {namedRangeId, name, range}, fields}")]
    deleteNamedRange: Annotated[Json, Field(description="{namedRangeId}")]
    addProtectedRange: Annotated[
        Json, Field(description="{protectedRange: {range: GridRange, description, warningOnly, editors: {users}}}")
    ]
    updateProtectedRange: Annotated[
        Json, Field(description="{protectedRange: {protectedRangeId, range, description, editors}, fields}")
    ]
    deleteProtectedRange: Annotated[Json, Field(description="{protectedRangeId}")]
    setDataValidation: Annotated[
        Json,
        Field(
            description="{range: GridRange, rule: {condition: {type, values: [{userEnteredValue}]}, strict, showCustomUi}}"
        ),
    ]
    setBasicFilter: Annotated[Json, Field(description="{filter: {range: GridRange, sortSpecs, criteria}}")]
    clearBasicFilter: Annotated[Json, Field(description="{sheetId}")]
    mergeCells: Annotated[Json, Field(description="{range: GridRange, mergeType}")]
    unmergeCells: Annotated[Json, Field(description="{range: GridRange}")]
    updateBorders: Annotated[
        Json, Field(description="{range: GridRange, top, bottom, left, right, innerHorizontal, innerVertical}")
    ]
    insertRange: Annotated[Json, Field(description="{range: GridRange, shiftDimension}")]
    deleteRange: Annotated[Json, Field(description="{range: GridRange, shiftDimension}")]


@app.post("/v4/spreadsheets", tool="create_spreadsheet")
def create_spreadsheet(
    ctx: Ctx, properties: Annotated[schemas.SpreadsheetProperties | None, Body(mcp=False)] = None,
    sheets: Annotated[list[schemas.NewSheet] | None, Body(mcp=False)] = None,
    namedRanges: Annotated[list[schemas.NamedRange] | None, Body(mcp=False)] = None, spreadsheetId: Unread = None,
    spreadsheetUrl: Unread = None, developerMetadata: Unread = None, dataSources: Unread = None, dataSourceSchedules: Unread = None,
    comments: Unread = None, commentsViewMode: Unread = None, title: Annotated[str | MISSING, ToolOnly()] = MISSING,
    sheetTitles: Annotated[list[str] | MISSING, ToolOnly()] = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a spreadsheet, owned by the caller. It has one sheet, Sheet1, unless titles are given.

    title: The file's name.
    sheetTitles: The titles of its sheets, in order.
    """
    me = ctx.db.first(Account)
    said: Json = properties.sent() if properties else {}
    if title is not MISSING:
        said["title"] = title
    said = {n: v for n, v in said.items() if n in ("title", "locale", "timeZone", "autoRecalc")}
    check_properties(said)
    row = ctx.db.add(Spreadsheet(
        id=ctx.id("1", 43, URLSAFE, kind="spreadsheet"), owner=me.email if me else "", createdTime=ctx.timestamp("milliseconds"),
        modifiedTime=ctx.timestamp("milliseconds"), **{"title": "Untitled spreadsheet", **said},
    ))  # fmt: skip
    book = Book(ctx, row)
    wanted = (
        [schemas.NewSheet(properties=schemas.SheetProperties(title=t)) for t in sheetTitles]
        if sheetTitles is not MISSING
        else sheets
    )
    if not wanted:
        ctx.db.add(Sheet(spreadsheet_id=row.id, sheet_id=0, title="Sheet1", position=0))
    for at, sheet in enumerate(wanted or []):
        _new_sheet(book, at, sheet)
    for name in namedRanges or []:
        batch.perform(book, [{"addNamedRange": {"namedRange": name.sent()}}])
    return spreadsheet_json(book, whole=bool(ctx.request.method))


def _new_sheet(book: Book, at: int, said: schemas.NewSheet) -> None:
    given = said.properties.sent() if said.properties else {}
    if "sheetId" not in given:
        given["sheetId"] = 0 if at == 0 else new_id(book)
    given.pop("index", None)
    check_title(book, given.setdefault("title", f"Sheet{at + 1}"))
    batch.perform(book, [{"addSheet": {"properties": given}}])
    for block in said.data or []:
        start = {"sheetId": given["sheetId"], "rowIndex": block.startRow or 0, "columnIndex": block.startColumn or 0}
        rows = [r.model_dump(exclude_unset=True) if r else {} for r in block.rowData or []]
        batch.perform(book, [{"updateCells": {"start": start, "rows": rows, "fields": "*"}}])
    for merge in said.merges or []:
        batch.perform(book, [{"mergeCells": {"range": {**merge.sent(), "sheetId": given["sheetId"]}}}])


def _shown(book: Book, ranges: list[str] | None, cells: bool) -> dict[str, Any]:
    areas = [book.locate(text) for text in ranges or []]
    return _shown_areas(book, areas, cells)


def _shown_areas(book: Book, areas: list[Area], cells: bool) -> dict[str, Any]:
    fields = book.ctx.request.query.get("fields")
    if fields:  # a selection says itself whether cells are wanted
        try:
            names = google.read_selection(fields)
        except google.BadSelection:
            names = {}
        below = names.get("sheets")
        cells = "*" in names or below == {} or bool(below and ("data" in below or "*" in below))
    return spreadsheet_json(book, areas=areas or None, cells=cells, whole=bool(book.ctx.request.method))


@app.get("/v4/spreadsheets/{spreadsheetId}", tool="get_spreadsheet")
def get_spreadsheet(
    ctx: Ctx, spreadsheetId: str, ranges: Annotated[list[str] | None, Query()] = None, includeGridData: bool = False,
    excludeTablesInBandedRanges: Hidden = None, commentsViewMode: View = None,
) -> dict[str, Any]:  # fmt: skip
    """Gets a spreadsheet's properties, its sheets with their ids and sizes, named ranges, filters and protections. With
    includeGridData also every cell with its formats, which is long: values alone are got by get_values.

    spreadsheetId: The spreadsheet's id.
    ranges: Ranges in A1 notation to which sheets and cells are limited.
    includeGridData: Whether cells are told too.
    """
    return _shown(open_book(ctx, spreadsheetId), ranges, includeGridData)


@app.post(
    "/v4/spreadsheets/{spreadsheetId}:getByDataFilter", tool="get_spreadsheet_by_data_filter", effect="read", mcp=False
)
def get_spreadsheet_by_data_filter(
    ctx: Ctx, spreadsheetId: str, dataFilters: list[schemas.DataFilter] | None = None, includeGridData: bool = False,
    excludeTablesInBandedRanges: Annotated[bool | None, Body()] = None, commentsViewMode: Annotated[str | None, Body()] = None,
) -> dict[str, Any]:  # fmt: skip
    """Gets what filters choose of a spreadsheet."""
    book = open_book(ctx, spreadsheetId)
    return _shown_areas(book, [filtered(book, f, at) for at, f in enumerate(dataFilters or [])], includeGridData)


def filtered(book: Book, said: schemas.DataFilter, at: int) -> Area:
    """The area of a data filter."""
    if said.a1Range is not None:
        return book.locate(said.a1Range)
    if said.gridRange is not None:
        return book.ranged(said.gridRange)
    raise refuse(
        f"Invalid dataFilters[{at}]: Must specify a1Range or gridRange; developerMetadataLookup is not supported."
    )


@app.post("/v4/spreadsheets/{spreadsheetId}:batchUpdate", tool="batch_update", effect="update", idempotent=False)
def batch_update(
    ctx: Ctx, spreadsheetId: str, requests: list[Request] | None = None, includeSpreadsheetInResponse: bool = False,
    responseRanges: list[str] | None = None, responseIncludeGridData: bool = False,
    commentsViewMode: Annotated[str | None, Body(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Performs a list of requests in order, all of them or none: sheets, rows and columns, cells with formats, sorting, copying, named
    and protected ranges, validation, filters, merges. For values alone use update_values or append_values.

    spreadsheetId: The spreadsheet's id.
    requests: The requests, each an object with one key: the request's name.
    includeSpreadsheetInResponse: Whether the spreadsheet as it then is is told too.
    responseRanges: Ranges to which that is limited.
    responseIncludeGridData: Whether that has cells.
    """
    book = open_book(ctx, spreadsheetId)
    replies = batch.perform(book, requests or [])
    made: dict[str, Any] = {"spreadsheetId": book.id, "replies": replies}
    if includeSpreadsheetInResponse:
        areas = [book.locate(text) for text in responseRanges or []]
        whole = bool(ctx.request.method)
        made["updatedSpreadsheet"] = spreadsheet_json(
            book, areas=areas or None, cells=responseIncludeGridData, whole=whole
        )
    return made


@app.post("/v4/spreadsheets/{spreadsheetId}/sheets/{sheetId}:copyTo", tool="copy_sheet_to")
def copy_sheet_to(
    ctx: Ctx, spreadsheetId: str, sheetId: int, destinationSpreadsheetId: str | None = None
) -> dict[str, Any]:
    """Copies a sheet to another spreadsheet (or the same), after its last sheet, as `Copy of` its title.

    spreadsheetId: The spreadsheet that has the sheet.
    sheetId: The sheet's id, a number.
    destinationSpreadsheetId: The spreadsheet that gets the copy.
    """
    source = open_book(ctx, spreadsheetId)
    sheet = source.sheet(sheetId, "sheet")
    target = open_book(ctx, destinationSpreadsheetId or "")
    made = copied(source, sheet, target, copy_title(target, sheet.title), None, None)
    target.touch()
    return sheet_properties(made)
