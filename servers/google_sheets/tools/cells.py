"""Tools over the cells of a range in A1 notation: written, formatted, found and replaced, sorted, named, protected, checked."""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field, ToolOnly

from .. import batch, writing
from ..a1 import column_index
from ..app import app, refuse
from ..book import Area, Book, open_book
from ..models import Json
from .browsing import place
from .sheets import given

Yes = Annotated[bool | MISSING, ToolOnly()]


def _area(ctx: Ctx, spreadsheet_id: str, range: str) -> tuple[Book, Area]:
    book = open_book(ctx, spreadsheet_id)
    return book, book.locate(range)


@app.post("", tool="update_cells", effect="update")
def update_cells(ctx: Ctx, spreadsheetId: str, sheet: str, range: str, data: list[list[Any]]) -> dict[str, Any]:
    """Writes values into a range of a sheet, as if typed. null leaves a cell as it is, empty text empties it.

    spreadsheetId: The spreadsheet's id.
    sheet: The sheet's title.
    range: The range within it, as A2:C3; a single cell says only where to begin.
    data: Rows of cells: text, numbers, true or false; formulas begin with =.
    """
    book = open_book(ctx, spreadsheetId)
    area = place(book, sheet, range)
    return writing.write(book, area, writing.rows_of(data, False, "data"), "USER_ENTERED")


@app.post("", tool="format_cells", effect="update")
def format_cells(
    ctx: Ctx, spreadsheetId: str, range: str, bold: Yes = MISSING, italic: Yes = MISSING, strikethrough: Yes = MISSING,
    numberFormatType: Literal["TEXT", "NUMBER", "PERCENT", "CURRENCY", "DATE", "TIME", "DATE_TIME", "SCIENTIFIC"] | MISSING = MISSING,
    numberFormatPattern: Annotated[str, Field(max_length=200)] | MISSING = MISSING,
    fontSize: Annotated[int, Field(ge=1, le=400)] | MISSING = MISSING,
    backgroundColor: Annotated[str, Field(pattern="^#[0-9A-Fa-f]{6}$")] | MISSING = MISSING,
    textColor: Annotated[str, Field(pattern="^#[0-9A-Fa-f]{6}$")] | MISSING = MISSING,
    horizontalAlignment: Literal["LEFT", "CENTER", "RIGHT"] | MISSING = MISSING,
    wrapStrategy: Literal["OVERFLOW_CELL", "CLIP", "WRAP"] | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Sets how the cells of a range look; what is not said stays as it is.

    spreadsheetId: The spreadsheet's id.
    range: The range in A1 notation, with its sheet.
    bold: Whether text is bold.
    italic: Whether text is italic.
    strikethrough: Whether text is struck through.
    numberFormatType: How numbers are shown.
    numberFormatPattern: The pattern of that, as #,##0.00 or yyyy-mm-dd.
    fontSize: The size of text in points.
    backgroundColor: The cells' colour, as #RRGGBB.
    textColor: The text's colour, as #RRGGBB.
    horizontalAlignment: At which side values stand.
    wrapStrategy: What happens to text that is too long.
    """
    book, area = _area(ctx, spreadsheetId, range)
    text = given(bold=bold, italic=italic, strikethrough=strikethrough, fontSize=fontSize)
    if textColor is not MISSING:
        text["foregroundColor"] = _rgb(textColor)
    look = given(horizontalAlignment=horizontalAlignment, wrapStrategy=wrapStrategy)
    fields = [*look, *(f"textFormat.{name}" for name in text)]
    if text:
        look["textFormat"] = text
    if backgroundColor is not MISSING:
        look["backgroundColor"] = _rgb(backgroundColor)
        fields.append("backgroundColor")
    if numberFormatPattern is not MISSING and numberFormatType is MISSING:
        raise refuse("numberFormatPattern needs a numberFormatType.")
    if numberFormatType is not MISSING:
        look["numberFormat"] = given(type=numberFormatType, pattern=numberFormatPattern)
        fields.append("numberFormat")
    if not fields:
        raise refuse("Nothing to change was given.")
    mask = ",".join(f"userEnteredFormat.{name}" for name in fields)
    batch.run(book, "repeatCell", range=area.grid, cell={"userEnteredFormat": look}, fields=mask)
    return {"spreadsheetId": book.id, "formattedRange": area.name}


def _rgb(code: str) -> Json:
    parts = {name: int(code[at : at + 2], 16) / 255 for name, at in (("red", 1), ("green", 3), ("blue", 5))}
    return {name: round(value, 6) for name, value in parts.items() if value}


@app.post("", tool="replace_text", effect="update")
def replace_text(
    ctx: Ctx, spreadsheetId: str, find: Annotated[str, Field(min_length=1)], replacement: str, range: str | MISSING = MISSING,
    matchCase: bool = False, matchEntireCell: bool = False, searchByRegex: bool = False, includeFormulas: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Replaces text in cells, and tells how many cells, rows and sheets were changed.

    spreadsheetId: The spreadsheet's id.
    find: The text to replace.
    replacement: What to put in its place.
    range: A sheet's title or a range in A1 notation; all sheets by default.
    matchCase: Whether capitals matter.
    matchEntireCell: Whether the cell must have this text and nothing else.
    searchByRegex: Whether find is a regular expression; $1 in the replacement is its first group.
    includeFormulas: Whether formulas are searched too.
    """
    book = open_book(ctx, spreadsheetId)
    scope: Json = {"allSheets": True} if range is MISSING else {"range": book.locate(range).grid}
    said = {
        "matchCase": matchCase,
        "matchEntireCell": matchEntireCell,
        "searchByRegex": searchByRegex,
        "includeFormulas": includeFormulas,
    }
    return batch.run(book, "findReplace", find=find, replacement=replacement, **scope, **said)


@app.post("", tool="sort_range", effect="update")
def sort_range(
    ctx: Ctx, spreadsheetId: str, range: str, column: Annotated[str, Field(pattern="^[A-Za-z]{1,3}$")],
    sortOrder: Literal["ASCENDING", "DESCENDING"] = "ASCENDING", headerRow: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Sorts the rows of a range by one of its columns.

    spreadsheetId: The spreadsheet's id.
    range: The range in A1 notation, with its sheet.
    column: The letter of the column to sort by.
    sortOrder: The direction; blank cells come last in both.
    headerRow: Whether the range's first row is a header that stays.
    """
    book, area = _area(ctx, spreadsheetId, range)
    grid = {**area.grid, "startRowIndex": area.top + headerRow}
    if grid["startRowIndex"] >= grid["endRowIndex"]:
        raise refuse("The range has no rows below its header.")
    spec = {"dimensionIndex": _index(column), "sortOrder": sortOrder}
    batch.run(book, "sortRange", range=grid, sortSpecs=[spec])
    return {"spreadsheetId": book.id, "sortedRange": area.name}


def _index(letters: str) -> int:
    return column_index(letters)


@app.post("", tool="copy_paste", effect="update")
def copy_paste(
    ctx: Ctx, spreadsheetId: str, source: str, destination: str,
    pasteType: Literal["PASTE_NORMAL", "PASTE_VALUES", "PASTE_FORMAT", "PASTE_FORMULA"] = "PASTE_NORMAL", transpose: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Copies a range to another place of the spreadsheet; references of formulas follow, unless values alone are pasted.

    spreadsheetId: The spreadsheet's id.
    source: The range to copy, in A1 notation with its sheet.
    destination: The first cell of the copy, or a range that is filled with copies.
    pasteType: What is pasted.
    transpose: Whether rows become columns.
    """
    book, area = _area(ctx, spreadsheetId, source)
    target = book.locate(destination)
    orientation = "TRANSPOSE" if transpose else "NORMAL"
    batch.run(
        book, "copyPaste", source=area.grid, destination=target.grid, pasteType=pasteType, pasteOrientation=orientation
    )
    return {"spreadsheetId": book.id, "source": area.name, "destination": target.name}


@app.post("", tool="merge_cells", effect="update")
def merge_cells(
    ctx: Ctx,
    spreadsheetId: str,
    range: str,
    mergeType: Literal["MERGE_ALL", "MERGE_COLUMNS", "MERGE_ROWS"] = "MERGE_ALL",
) -> dict[str, Any]:
    """Merges the cells of a range; only the upper left value stays.

    spreadsheetId: The spreadsheet's id.
    range: The range in A1 notation, with its sheet.
    mergeType: Whether all become one cell, or each column or each row.
    """
    book, area = _area(ctx, spreadsheetId, range)
    batch.run(book, "mergeCells", range=area.grid, mergeType=mergeType)
    return {"spreadsheetId": book.id, "mergedRange": area.name}


@app.post("", tool="unmerge_cells", effect="update")
def unmerge_cells(ctx: Ctx, spreadsheetId: str, range: str) -> dict[str, Any]:
    """Takes the merged cells of a range apart.

    spreadsheetId: The spreadsheet's id.
    range: The range in A1 notation, with its sheet.
    """
    book, area = _area(ctx, spreadsheetId, range)
    batch.run(book, "unmergeCells", range=area.grid)
    return {"spreadsheetId": book.id, "unmergedRange": area.name}


@app.post("", tool="add_named_range", effect="create")
def add_named_range(ctx: Ctx, spreadsheetId: str, name: str, range: str) -> dict[str, Any]:
    """Gives a range a name, which formulas and range parameters may then use.

    spreadsheetId: The spreadsheet's id.
    name: The name: letters, digits and underscores.
    range: The range in A1 notation, with its sheet.
    """
    book, area = _area(ctx, spreadsheetId, range)
    return batch.run(book, "addNamedRange", namedRange={"name": name, "range": area.grid})["namedRange"]


@app.post("", tool="delete_named_range", effect="delete", idempotent=False)
def delete_named_range(ctx: Ctx, spreadsheetId: str, name: str) -> dict[str, Any]:
    """Takes a range's name away; the cells stay.

    spreadsheetId: The spreadsheet's id.
    name: The range's name.
    """
    book = open_book(ctx, spreadsheetId)
    found = next((n for n in book.names() if n.name.lower() == name.lower()), None)
    batch.run(book, "deleteNamedRange", namedRangeId=found.id if found else name)
    return {"spreadsheetId": book.id, "deletedName": name}


@app.post("", tool="add_protected_range", effect="create")
def add_protected_range(
    ctx: Ctx,
    spreadsheetId: str,
    range: str,
    description: str = "",
    editors: list[str] | MISSING = MISSING,
    warningOnly: bool = False,
) -> dict[str, Any]:
    """Protects a range, so that only its editors and the owner can change it.

    spreadsheetId: The spreadsheet's id.
    range: The range in A1 notation, or a sheet's title for all of it.
    description: What it is for.
    editors: The addresses of those who may edit, beside the caller.
    warningOnly: Whether everybody can edit after a warning.
    """
    book, area = _area(ctx, spreadsheetId, range)
    said: Json = {"range": area.grid, "description": description, "warningOnly": warningOnly}
    if editors is not MISSING:
        said["editors"] = {"users": editors}
    return batch.run(book, "addProtectedRange", protectedRange=said)["protectedRange"]


@app.post("", tool="delete_protected_range", effect="delete", idempotent=False)
def delete_protected_range(ctx: Ctx, spreadsheetId: str, protectedRangeId: int) -> dict[str, Any]:
    """Ends a protection; the cells stay.

    spreadsheetId: The spreadsheet's id.
    protectedRangeId: The protection's id, a number, as get_spreadsheet tells it.
    """
    book = open_book(ctx, spreadsheetId)
    batch.run(book, "deleteProtectedRange", protectedRangeId=protectedRangeId)
    return {"spreadsheetId": book.id, "deletedProtectedRangeId": protectedRangeId}


@app.post("", tool="set_data_validation", effect="update")
def set_data_validation(
    ctx: Ctx,
    spreadsheetId: str,
    range: str,
    choices: list[str] | MISSING = MISSING,
    checkbox: bool = False,
    strict: bool = True,
) -> dict[str, Any]:
    """Gives the cells of a range a list of choices or a checkbox; with neither, their validation is taken away.

    spreadsheetId: The spreadsheet's id.
    range: The range in A1 notation, with its sheet.
    choices: The values of the drop-down list.
    checkbox: Whether the cells are checkboxes.
    strict: Whether other values are refused in the product's editor, or only marked.
    """
    book, area = _area(ctx, spreadsheetId, range)
    rule: Json | None = None
    if choices is not MISSING and checkbox:
        raise refuse("Give either choices or checkbox, not both.")
    if choices is not MISSING:
        values = [{"userEnteredValue": c} for c in choices]
        rule = {"condition": {"type": "ONE_OF_LIST", "values": values}, "strict": strict, "showCustomUi": True}
    elif checkbox:
        rule = {"condition": {"type": "BOOLEAN"}, "strict": strict, "showCustomUi": True}
    batch.run(book, "setDataValidation", range=area.grid, rule=rule)
    return {"spreadsheetId": book.id, "validatedRange": area.name}


@app.post("", tool="delete_duplicates", effect="delete")
def delete_duplicates(
    ctx: Ctx, spreadsheetId: str, range: str, columns: list[str] | MISSING = MISSING
) -> dict[str, Any]:
    """Removes the rows of a range that repeat an earlier one; the rows below move up within the range.

    spreadsheetId: The spreadsheet's id.
    range: The range in A1 notation, without its header.
    columns: The letters of the columns to compare; all of the range by default.
    """
    book, area = _area(ctx, spreadsheetId, range)
    said: Json = {"range": area.grid}
    if columns is not MISSING:
        if not all(c.isascii() and c.isalpha() and len(c) <= 3 for c in columns):
            raise refuse("columns must be column letters.")
        spans = [
            {"sheetId": area.sheet.sheet_id, "dimension": "COLUMNS", "startIndex": i, "endIndex": i + 1}
            for i in map(_index, columns)
        ]
        said["comparisonColumns"] = spans
    made = batch.run(book, "deleteDuplicates", **said)
    return {"duplicatesRemovedCount": made.get("duplicatesRemovedCount", 0)}


@app.post("", tool="trim_whitespace", effect="update")
def trim_whitespace(ctx: Ctx, spreadsheetId: str, range: str) -> dict[str, Any]:
    """Removes blanks at the ends of texts in a range, and doubled ones within.

    spreadsheetId: The spreadsheet's id.
    range: The range in A1 notation, with its sheet.
    """
    book, area = _area(ctx, spreadsheetId, range)
    made = batch.run(book, "trimWhitespace", range=area.grid)
    return {"cellsChangedCount": made.get("cellsChangedCount", 0)}


@app.post("", tool="set_basic_filter", effect="update")
def set_basic_filter(
    ctx: Ctx, spreadsheetId: str, range: str, column: Annotated[str, Field(pattern="^[A-Za-z]{1,3}$")] | MISSING = MISSING,
    hiddenValues: list[str] | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Puts a filter on a range with a header row, for all who open the sheet. It replaces the sheet's filter.

    spreadsheetId: The spreadsheet's id.
    range: The range in A1 notation, with its header.
    column: The letter of the column whose values are hidden.
    hiddenValues: The values of that column whose rows are hidden.
    """
    book, area = _area(ctx, spreadsheetId, range)
    said: Json = {"range": area.grid}
    if (column is MISSING) != (hiddenValues is MISSING):
        raise refuse("column and hiddenValues go together.")
    if column is not MISSING and hiddenValues is not MISSING:
        said["criteria"] = {str(_index(column)): {"hiddenValues": hiddenValues}}
    batch.run(book, "setBasicFilter", filter=said)
    return {"spreadsheetId": book.id, "filteredRange": area.name}


@app.post("", tool="clear_basic_filter", effect="delete")
def clear_basic_filter(ctx: Ctx, spreadsheetId: str, sheet: str) -> dict[str, Any]:
    """Takes the filter off a sheet; all its rows show.

    spreadsheetId: The spreadsheet's id.
    sheet: The sheet's title.
    """
    book = open_book(ctx, spreadsheetId)
    row = book.named(sheet)
    batch.run(book, "clearBasicFilter", sheetId=row.sheet_id)
    return {"spreadsheetId": book.id, "sheet": row.title}
