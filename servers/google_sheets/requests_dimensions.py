"""Requests about rows and columns."""

from typing import Annotated, Any

from pydantic import Field

from . import dimensions, masks, schemas
from .app import refuse
from .batch import request
from .book import Book
from .dimensions import Dimension
from .models import Cell, Json, Sheet
from .schemas import Flag, Number, Part, Text


def _span(book: Book, said: schemas.DimensionRange | None) -> tuple[Sheet, Dimension, int, int]:
    given = said or schemas.DimensionRange()
    sheet = book.sheet(given.sheetId or 0)
    if given.dimension not in ("ROWS", "COLUMNS"):
        raise refuse("No dimension specified.")
    total = dimensions.size(sheet, given.dimension)
    start, end = given.startIndex or 0, total if given.endIndex is None else given.endIndex
    if start < 0 or end <= start:
        raise refuse(f"range.endIndex[{end}] must be after range.startIndex[{start}], which cannot be negative.")
    return sheet, given.dimension, start, end


class InsertDimension(Part):
    range: schemas.DimensionRange | None = None
    inheritFromBefore: Flag = None


@request("insertDimension", InsertDimension)
def insert_dimension(book: Book, body: InsertDimension) -> None:
    sheet, dimension, start, end = _span(book, body.range)
    dimensions.insert(book, sheet, dimension, start, end - start, inherit=bool(body.inheritFromBefore))


class DeleteDimension(Part):
    range: schemas.DimensionRange | None = None


@request("deleteDimension", DeleteDimension)
def delete_dimension(book: Book, body: DeleteDimension) -> None:
    dimensions.delete(book, *_span(book, body.range))


class AppendDimension(Part):
    sheetId: Number = None
    dimension: Text = None
    length: Number = None
    tableId: Text = None


@request("appendDimension", AppendDimension)
def append_dimension(book: Book, body: AppendDimension) -> None:
    sheet = book.sheet(body.sheetId or 0)
    if body.dimension not in ("ROWS", "COLUMNS"):
        raise refuse("No dimension specified.")
    if (body.length or 0) < 1:
        raise refuse("length must be greater than 0.")
    dimensions.append(book, sheet, "ROWS" if body.dimension == "ROWS" else "COLUMNS", body.length or 0)


class MoveDimension(Part):
    source: schemas.DimensionRange | None = None
    destinationIndex: Annotated[int, Field(ge=0, lt=2**31)] | None = None


@request("moveDimension", MoveDimension)
def move_dimension(book: Book, body: MoveDimension) -> None:
    dimensions.move(book, *_span(book, body.source), body.destinationIndex or 0)


class DimensionProperties(Part):
    hiddenByUser: Flag = None
    pixelSize: Annotated[int, Field(ge=0, le=2000)] | None = None
    hiddenByFilter: Flag = None


class UpdateDimensionProperties(Part):
    range: schemas.DimensionRange | None = None
    properties: DimensionProperties | None = None
    fields: Text = None


def _set(book: Book, sheet: Sheet, dimension: Dimension, changes: dict[int, Json]) -> None:
    name = "rows" if dimension == "ROWS" else "columns"
    held: dict[str, Any] = dict(getattr(sheet, name))
    for at, properties in changes.items():
        held[str(at)] = properties
        if not properties:
            held.pop(str(at))
    held = {at: held[at] for at in sorted(held, key=int)}
    if held != getattr(sheet, name):
        book.ctx.db.update(sheet, **{name: held})
        book.forget()


@request("updateDimensionProperties", UpdateDimensionProperties)
def update_dimension_properties(book: Book, body: UpdateDimensionProperties) -> None:
    sheet, dimension, start, end = _span(book, body.range)
    names = masks.read(body.fields, "properties")
    masks.only(names, ("hiddenByUser", "pixelSize"), "DimensionProperties")
    said = body.properties.sent() if body.properties else {}
    held = sheet.rows if dimension == "ROWS" else sheet.columns
    end = min(end, dimensions.size(sheet, dimension))
    _set(book, sheet, dimension, {at: masks.applied(held.get(str(at)), said, names) or {} for at in range(start, end)})


class AutoResizeDimensions(Part):
    dimensions: schemas.DimensionRange | None = None
    dataSourceSheetDimensions: Json | None = None


@request("autoResizeDimensions", AutoResizeDimensions)
def auto_resize_dimensions(book: Book, body: AutoResizeDimensions) -> None:
    """Columns become as wide as their longest text, at about seven pixels a letter."""
    sheet, dimension, start, end = _span(book, body.dimensions)
    if dimension == "ROWS":
        return
    widths = dict[int, int]()
    for cell in book.ctx.db.find(
        Cell, spreadsheet_id=book.id, sheet_id=sheet.sheet_id, column__ge=start, column__lt=end
    ):
        longest = max((len(line) for line in str(cell.value or "").split("\n")), default=0)
        widths[cell.column] = max(widths.get(cell.column, 0), min(21 + 7 * longest, 2000))
    _set(book, sheet, dimension, {at: {**sheet.columns.get(str(at), {}), "pixelSize": w} for at, w in widths.items()})
