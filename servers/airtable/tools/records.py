"""Reading records."""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field, Query

from ..app import app, invalid
from ..grid import cell_text, open_table
from ..kinds import TEXT
from ..listing import CellFormat, Metadata, Shape, Sort, listing
from ..records import find_column, one_record

Size = Annotated[int, Field(ge=1, le=100)]
Most = Annotated[int, Field(ge=1)]
Formula = Annotated[str, Field(max_length=100_000)]
_FOUND = 20


@app.get("/v0/{baseId}/{tableId}", tool="list_records")
def list_records(
    ctx: Ctx,
    baseId: str,
    tableId: str,
    filterByFormula: Formula | None = None,
    sort: list[Sort] | None = None,
    fields: list[str] | None = None,
    view: str | None = None,
    pageSize: Size | None = None,
    maxRecords: Most | None = None,
    offset: str | None = None,
    cellFormat: CellFormat = "json",
    timeZone: str | None = None,
    userLocale: str | None = None,
    returnFieldsByFieldId: bool = False,
    recordMetadata: list[Metadata] | None = None,
) -> dict[str, Any]:
    """Lists a table's records, a page at a time: go on with the offset of the answer until there is none. Empty cells are left out.

    baseId: The base's id.
    tableId: The table's id or name.
    filterByFormula: Only records for which this formula is true, such as AND({Status}="open", {Amount}>100). Field names stand in
        braces, text in quotes; dates are compared with IS_BEFORE, IS_AFTER and IS_SAME.
    sort: Fields to sort by, the first weighing most.
    fields: Only these fields, by name or id.
    view: Only what this view of the table shows, by name or id.
    pageSize: How many records a page has: 100 at most, 40 unless told.
    maxRecords: How many records to list in all.
    offset: The offset of the page before.
    cellFormat: string shows cells as people read them, and needs timeZone and userLocale.
    timeZone: The time zone in which text shows times.
    userLocale: The language in which text shows dates.
    returnFieldsByFieldId: Whether fields are named by their ids.
    recordMetadata: commentCount tells how many comments each record has.
    """
    grid, table = open_table(ctx, baseId, tableId)
    shape = Shape(grid, table, fields, returnFieldsByFieldId, cellFormat, timeZone, userLocale, recordMetadata)
    return listing(
        grid, table, shape, source=filterByFormula, sort=sort, view=view, size=pageSize, most=maxRecords, offset=offset
    )  # fmt: skip


@app.post("/v0/{baseId}/{tableId}/listRecords", tool="list_records_by_post", effect="read", mcp=False)
def list_records_by_post(
    ctx: Ctx,
    baseId: str,
    tableId: str,
    filterByFormula: Formula | None = None,
    sort: list[Sort] | None = None,
    fields: list[str] | None = None,
    view: str | None = None,
    pageSize: Size | None = None,
    maxRecords: Most | None = None,
    offset: str | None = None,
    cellFormat: CellFormat = "json",
    timeZone: Annotated[str | None, Query("timeZone")] = None,
    userLocale: Annotated[str | None, Query("userLocale")] = None,
    returnFieldsByFieldId: bool = False,
    recordMetadata: list[Metadata] | None = None,
) -> dict[str, Any]:
    """Lists records as list_records does, for queries too long for an address.

    baseId: The base's id.
    tableId: The table's id or name.
    filterByFormula: Only records for which this formula is true.
    sort: Fields to sort by.
    fields: Only these fields.
    view: Only what this view shows.
    pageSize: How many records a page has.
    maxRecords: How many records to list in all.
    offset: The offset of the page before.
    cellFormat: Cells as JSON or as text.
    timeZone: The time zone in which text shows times.
    userLocale: The language in which text shows dates.
    returnFieldsByFieldId: Whether fields are named by their ids.
    recordMetadata: What to tell besides.
    """
    grid, table = open_table(ctx, baseId, tableId)
    shape = Shape(grid, table, fields, returnFieldsByFieldId, cellFormat, timeZone, userLocale, recordMetadata)
    return listing(
        grid, table, shape, source=filterByFormula, sort=sort, view=view, size=pageSize, most=maxRecords, offset=offset
    )  # fmt: skip


@app.post("", tool="search_records", effect="read")
def search_records(
    ctx: Ctx,
    baseId: str,
    tableId: str,
    searchTerm: Annotated[str, Field(min_length=1, max_length=1000)],
    fieldIds: list[str] | None = None,
    maxRecords: Size = _FOUND,
) -> dict[str, Any]:
    """Finds the records that have a text in one of their text fields, without regard to case.

    baseId: The base's id.
    tableId: The table's id or name.
    searchTerm: The text to look for.
    fieldIds: Only in these fields, by id or name; else in all text fields.
    maxRecords: How many records to show.
    """
    grid, table = open_table(ctx, baseId, tableId)
    searched = [c for c in grid.columns(table).values() if c.type in TEXT]
    if fieldIds:
        searched = [find_column(grid, table, name) for name in fieldIds]
        for column in searched:
            if column.type not in TEXT:
                raise invalid(f'"{column.name}" is no text field.')
    wanted, shape = searchTerm.casefold(), Shape(grid, table)
    found = [
        r
        for r in grid.records(table).values()
        if any((cell := r.cells.get(c.id)) is not None and wanted in cell_text(cell).casefold() for c in searched)
    ]
    return {"records": [shape.json(r) for r in found[:maxRecords]], "totalFound": len(found)}


@app.get("/v0/{baseId}/{tableId}/{recordId}", tool="get_record")
def get_record(
    ctx: Ctx,
    baseId: str,
    tableId: str,
    recordId: str,
    cellFormat: CellFormat = "json",
    timeZone: str | None = None,
    userLocale: str | None = None,
    returnFieldsByFieldId: bool = False,
) -> dict[str, Any]:
    """Shows one record. Empty cells are left out.

    baseId: The base's id.
    tableId: The table's id or name.
    recordId: The record's id.
    cellFormat: string shows cells as people read them, and needs timeZone and userLocale.
    timeZone: The time zone in which text shows times.
    userLocale: The language in which text shows dates.
    returnFieldsByFieldId: Whether fields are named by their ids.
    """
    grid, table = open_table(ctx, baseId, tableId)
    shape = Shape(grid, table, None, returnFieldsByFieldId, cellFormat, timeZone, userLocale)
    return shape.json(one_record(grid, table, recordId))
