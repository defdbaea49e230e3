"""Values of ranges. https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets.values"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from legoenv_mcp.app import ApiError, Body, Ctx, Field, Query

from .. import schemas, writing
from ..app import app, refuse
from ..book import Area, Book, open_book
from ..rendering import DateRender, Render, value_range
from ..writing import InputOption
from .spreadsheets import filtered

Major = Literal["DIMENSION_UNSPECIFIED", "ROWS", "COLUMNS"]
Rows = list[list[Any]]
Option = Annotated[InputOption | None, Query()]
How = Annotated[Render | None, Query(mcp=False)]
When = Annotated[DateRender | None, Query(mcp=False)]
Included = Annotated[bool | None, Query()]
OwnRange = Annotated[str | None, Body("range", mcp=False)]


class ValueRange(TypedDict, total=False):
    """Values for one range, row by row."""

    range: Annotated[str, Field(description="A range in A1 notation, with its sheet.")]
    values: Annotated[list[list[Any]], Field(description="Rows of cells.")]
    majorDimension: Annotated[Major, Field(description="Whether the lists are ROWS (the default) or COLUMNS.")]


class FilterValues(TypedDict, total=False):
    dataFilter: schemas.DataFilter
    values: list[list[Any]]
    majorDimension: Major


def option_of(ctx: Ctx, option: str | None) -> str:
    """How values are taken; tools take them as typed unless told otherwise."""
    return writing.check_option(option if ctx.request.method or option else "USER_ENTERED")


def _same_range(book: Book, text: str, own: str | None) -> Area:
    area = book.locate(text)
    if own is not None:
        inner = book.locate(own)
        if not (inner.sheet.sheet_id == area.sheet.sheet_id and area.holds(inner.top, inner.left)):
            raise refuse(
                f"Requested writing within range [{area.name}], but the request body's range is [{inner.name}]"
            )
    return area


@app.get("/v4/spreadsheets/{spreadsheetId}/values/{range}", tool="get_values")
def get_values(
    ctx: Ctx, spreadsheetId: str, range: str, majorDimension: Major | None = None, valueRenderOption: Render | None = None,
    dateTimeRenderOption: DateRender | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Gets the values of a range. Blank rows and columns at the end are left out.

    spreadsheetId: The spreadsheet's id.
    range: A range in A1 notation ('My sheet'!A1:C10, Sheet1!A:C), a sheet's title for all of it, or a named range.
    majorDimension: Whether the lists are ROWS (the default) or COLUMNS.
    valueRenderOption: FORMATTED_VALUE as shown (the default), UNFORMATTED_VALUE for plain numbers, FORMULA for formulas.
    dateTimeRenderOption: For unformatted values: dates as SERIAL_NUMBER (the default) or FORMATTED_STRING.
    """
    book = open_book(ctx, spreadsheetId)
    how, when = valueRenderOption or "FORMATTED_VALUE", dateTimeRenderOption or "SERIAL_NUMBER"
    return value_range(book, book.locate(range), how, when, majorDimension == "COLUMNS")


@app.get("/v4/spreadsheets/{spreadsheetId}/values:batchGet", tool="batch_get_values")
def batch_get_values(
    ctx: Ctx, spreadsheetId: str, ranges: Annotated[list[str] | None, Query()] = None, majorDimension: Major | None = None,
    valueRenderOption: Render | None = None, dateTimeRenderOption: DateRender | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Gets the values of several ranges.

    spreadsheetId: The spreadsheet's id.
    ranges: Ranges in A1 notation, sheets' titles or named ranges.
    majorDimension: Whether the lists are ROWS (the default) or COLUMNS.
    valueRenderOption: FORMATTED_VALUE as shown (the default), UNFORMATTED_VALUE for plain numbers, FORMULA for formulas.
    dateTimeRenderOption: For unformatted values: dates as SERIAL_NUMBER (the default) or FORMATTED_STRING.
    """
    book = open_book(ctx, spreadsheetId)
    how, when = valueRenderOption or "FORMATTED_VALUE", dateTimeRenderOption or "SERIAL_NUMBER"
    found = [value_range(book, book.locate(text), how, when, majorDimension == "COLUMNS") for text in ranges or []]
    return {"spreadsheetId": book.id, **({"valueRanges": found} if found else {})}


@app.put("/v4/spreadsheets/{spreadsheetId}/values/{range}", tool="update_values")
def update_values(
    ctx: Ctx, spreadsheetId: str, range: str, values: Rows | None = None, valueInputOption: Option = None,
    majorDimension: Major | None = None, own: OwnRange = None, includeValuesInResponse: Included = None,
    responseValueRenderOption: How = None, responseDateTimeRenderOption: When = None,
) -> dict[str, Any]:  # fmt: skip
    """Writes values into a range, from its first cell on. null leaves a cell as it is, empty text empties it.

    spreadsheetId: The spreadsheet's id.
    range: The range in A1 notation; a single cell says only where to begin.
    values: Rows of cells: text, numbers, true or false; formulas begin with =.
    valueInputOption: USER_ENTERED reads numbers, dates and formulas as if typed (the default here); RAW takes text as it is.
    majorDimension: Whether the lists are ROWS (the default) or COLUMNS.
    includeValuesInResponse: Whether the values as they then are are told too.
    """
    option, book = option_of(ctx, valueInputOption), open_book(ctx, spreadsheetId)
    area, columns = _same_range(book, range, own), majorDimension == "COLUMNS"
    told = writing.write(book, area, writing.rows_of(values or [], columns), option)
    if not includeValuesInResponse:
        return told
    how, when = responseValueRenderOption or "FORMATTED_VALUE", responseDateTimeRenderOption or "SERIAL_NUMBER"
    return writing.shown_after(book, told, how, when, columns)


@app.post("/v4/spreadsheets/{spreadsheetId}/values:batchUpdate", tool="batch_update_values", effect="update")
def batch_update_values(
    ctx: Ctx, spreadsheetId: str, data: list[ValueRange] | None = None, valueInputOption: Annotated[InputOption | None, Body()] = None,
    includeValuesInResponse: bool = False, responseValueRenderOption: Annotated[Render | None, Body(mcp=False)] = None,
    responseDateTimeRenderOption: Annotated[DateRender | None, Body(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Writes values into several ranges, all of them or none.

    spreadsheetId: The spreadsheet's id.
    data: The ranges, each with its rows of values.
    valueInputOption: USER_ENTERED reads numbers, dates and formulas as if typed (the default here); RAW takes text as it is.
    includeValuesInResponse: Whether the values as they then are are told too.
    """
    option, book = option_of(ctx, valueInputOption), open_book(ctx, spreadsheetId)
    places = list[tuple[Area, Any]]()
    for at, item in enumerate(data or []):
        with _in_data(at):
            places.append((book.locate(item.get("range") or ""), item))
    told = _written(book, places, option)
    if includeValuesInResponse:
        how, when = responseValueRenderOption or "FORMATTED_VALUE", responseDateTimeRenderOption or "SERIAL_NUMBER"
        pairs = zip(told, (item for _, item in places), strict=True)
        shown = [writing.shown_after(book, t, how, when, i.get("majorDimension") == "COLUMNS") for t, i in pairs]
        return _totals(book, shown)
    return _totals(book, told)


def _written(book: Book, places: list[tuple[Area, Any]], option: str) -> list[dict[str, Any]]:
    told = list[dict[str, Any]]()
    for at, (area, item) in enumerate(places):
        rows = writing.rows_of(item.get("values") or [], item.get("majorDimension") == "COLUMNS", f"data[{at}].values")
        with _in_data(at):
            told.append(writing.write(book, area, rows, option))
    return told


@contextmanager
def _in_data(at: int) -> Iterator[None]:
    """A refusal tells which of the ranges is wrong."""
    try:
        yield
    except ApiError as error:
        raise refuse(f"Invalid data[{at}]: {error.message}") if error.status == 400 else error from None


def _totals(book: Book, told: list[dict[str, Any]]) -> dict[str, Any]:
    sheets = {book.locate(t["updatedRange"]).sheet.sheet_id for t in told}
    sums = {
        "totalUpdatedRows": sum(t.get("updatedRows", 0) for t in told),
        "totalUpdatedColumns": sum(t.get("updatedColumns", 0) for t in told),
        "totalUpdatedCells": sum(t.get("updatedCells", 0) for t in told), "totalUpdatedSheets": len(sheets),
    }  # fmt: skip
    return {"spreadsheetId": book.id, **{n: v for n, v in sums.items() if v}, "responses": told}


@app.post("/v4/spreadsheets/{spreadsheetId}/values/{range}:append", tool="append_values")
def append_values(
    ctx: Ctx, spreadsheetId: str, range: str, values: Rows | None = None, valueInputOption: Option = None,
    insertDataOption: Annotated[Literal["OVERWRITE", "INSERT_ROWS"] | None, Query()] = None, majorDimension: Major | None = None,
    own: OwnRange = None, includeValuesInResponse: Included = None, responseValueRenderOption: How = None,
    responseDateTimeRenderOption: When = None,
) -> dict[str, Any]:  # fmt: skip
    """Adds rows after the last row of the table that the range touches. The sheet grows where it is full.

    spreadsheetId: The spreadsheet's id.
    range: Where to look for the table: its sheet's title, or a range in A1 notation that meets it.
    values: Rows of cells in the table's column order: text, numbers, true or false; formulas begin with =.
    valueInputOption: USER_ENTERED reads numbers, dates and formulas as if typed (the default here); RAW takes text as it is.
    insertDataOption: OVERWRITE writes over what lies below the table (the default), INSERT_ROWS inserts rows for the new ones.
    majorDimension: Whether the lists are ROWS (the default) or COLUMNS.
    includeValuesInResponse: Whether the values as they then are are told too.
    """
    option, book = option_of(ctx, valueInputOption), open_book(ctx, spreadsheetId)
    area, columns = _same_range(book, range, own), majorDimension == "COLUMNS"
    told = writing.append(book, area, writing.rows_of(values or [], columns), option, insertDataOption == "INSERT_ROWS")
    if not includeValuesInResponse:
        return told
    how, when = responseValueRenderOption or "FORMATTED_VALUE", responseDateTimeRenderOption or "SERIAL_NUMBER"
    return {**told, "updates": writing.shown_after(book, told["updates"], how, when, columns)}


@app.post("/v4/spreadsheets/{spreadsheetId}/values/{range}:clear", tool="clear_values", effect="delete")
def clear_values(ctx: Ctx, spreadsheetId: str, range: str) -> dict[str, Any]:
    """Empties the cells of a range; formats, notes and validation stay.

    spreadsheetId: The spreadsheet's id.
    range: The range in A1 notation, or a sheet's title for all of it.
    """
    book = open_book(ctx, spreadsheetId)
    area = book.locate(range)
    writing.clear(book, area)
    return {"spreadsheetId": book.id, "clearedRange": area.name}


@app.post("/v4/spreadsheets/{spreadsheetId}/values:batchClear", tool="batch_clear_values", effect="delete")
def batch_clear_values(ctx: Ctx, spreadsheetId: str, ranges: list[str] | None = None) -> dict[str, Any]:
    """Empties the cells of several ranges; formats, notes and validation stay.

    spreadsheetId: The spreadsheet's id.
    ranges: Ranges in A1 notation.
    """
    return _cleared(book := open_book(ctx, spreadsheetId), [book.locate(text) for text in ranges or []])


def _cleared(book: Book, areas: list[Area]) -> dict[str, Any]:
    for area in areas:
        writing.clear(book, area)
    return {"spreadsheetId": book.id, "clearedRanges": [a.name for a in areas]}


# The same by data filters


@app.post(
    "/v4/spreadsheets/{spreadsheetId}/values:batchGetByDataFilter",
    tool="batch_get_values_by_data_filter",
    effect="read",
    mcp=False,
)
def batch_get_values_by_data_filter(
    ctx: Ctx, spreadsheetId: str, dataFilters: list[schemas.DataFilter] | None = None, majorDimension: Major | None = None,
    valueRenderOption: Render | None = None, dateTimeRenderOption: DateRender | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Gets the values that filters choose."""
    book, columns = open_book(ctx, spreadsheetId), majorDimension == "COLUMNS"
    how, when = valueRenderOption or "FORMATTED_VALUE", dateTimeRenderOption or "SERIAL_NUMBER"
    found = [
        {"valueRange": value_range(book, filtered(book, f, at), how, when, columns), "dataFilters": [f.sent()]}
        for at, f in enumerate(dataFilters or [])
    ]
    return {"spreadsheetId": book.id, "valueRanges": found}


@app.post(
    "/v4/spreadsheets/{spreadsheetId}/values:batchUpdateByDataFilter",
    tool="batch_update_values_by_data_filter",
    effect="update",
    mcp=False,
)
def batch_update_values_by_data_filter(
    ctx: Ctx, spreadsheetId: str, data: list[FilterValues] | None = None, valueInputOption: InputOption | None = None,
    includeValuesInResponse: bool = False, responseValueRenderOption: Render | None = None,
    responseDateTimeRenderOption: DateRender | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Writes values where filters say."""
    option, book = option_of(ctx, valueInputOption), open_book(ctx, spreadsheetId)
    filters = [item.get("dataFilter") or schemas.DataFilter() for item in data or []]
    places = [(filtered(book, f, at), item) for at, (f, item) in enumerate(zip(filters, data or [], strict=True))]
    told = _written(book, places, option)
    made = _totals(book, told)
    made["responses"] = [{**t, "dataFilter": f.sent()} for t, f in zip(told, filters, strict=True)]
    return made


@app.post(
    "/v4/spreadsheets/{spreadsheetId}/values:batchClearByDataFilter",
    tool="batch_clear_values_by_data_filter",
    effect="delete",
    mcp=False,
)
def batch_clear_values_by_data_filter(
    ctx: Ctx, spreadsheetId: str, dataFilters: list[schemas.DataFilter] | None = None
) -> dict[str, Any]:
    """Empties the cells that filters choose."""
    book = open_book(ctx, spreadsheetId)
    return _cleared(book, [filtered(book, f, at) for at, f in enumerate(dataFilters or [])])
