"""Listing records: filtered by a formula, sorted, page by page. https://airtable.com/developers/web/api/list-records"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict

from legoenv_mcp.app import Ctx, Field

from . import formula as formulas
from .app import over_mcp, refuse
from .dates import zone
from .evaluate import ARITIES
from .grid import Grid
from .models import Column, Comment, Record, Table, View
from .paging import page
from .records import find_column
from .showing import record_json, sort_key
from .values import truth

PAGE, TOOL_PAGE = 100, 40
CellFormat = Literal["json", "string"]
Metadata = Literal["commentCount"]


class Sort(BaseModel):
    """A field to sort by."""

    model_config = ConfigDict(extra="forbid")
    field: Annotated[str, Field(description="The field's name or id.")]
    direction: Annotated[Literal["asc", "desc"], Field(description="Lowest first, or highest.")] = "asc"


class Shape:
    """How records are shown: which fields, named how, as JSON or as text."""

    def __init__(
        self, grid: Grid, table: Table, fields: list[str] | None = None, by_id: bool = False, cell_format: CellFormat = "json",
        time_zone: str | None = None, locale: str | None = None, metadata: list[Metadata] | None = None,
    ) -> None:  # fmt: skip
        self.grid = grid
        chosen = {find_column(grid, table, name).id for name in fields} if fields is not None else None
        self.columns: list[Column] = [c for c in grid.columns(table).values() if chosen is None or c.id in chosen]
        self.by_id = by_id
        self.strings = cell_format == "string"
        self.zone = None
        if self.strings and not (time_zone and locale):
            raise refuse(
                "INVALID_REQUEST_UNKNOWN",
                "Invalid request: parameter validation failed. Check your request data.",
                hint="cellFormat string needs timeZone and userLocale.",
            )
        if time_zone is not None:
            self.zone = zone(time_zone)
            if self.zone is None:
                raise refuse("INVALID_TIMEZONE", f"Invalid timezone {time_zone[:100]}")
        self.counted = "commentCount" in (metadata or [])

    def json(self, record: Record) -> dict[str, Any]:
        made = record_json(self.grid, record, self.columns, ids=self.by_id, zone=self.zone, strings=self.strings)
        if self.counted:
            made["commentCount"] = self.grid.ctx.db.count(Comment, record_id=record.id)
        return made


def filtered(grid: Grid, table: Table, records: list[Record], source: str) -> list[Record]:
    """The records for which a formula is true."""
    try:
        node = formulas.parse(source)
        formulas.check(node, formulas.finder(grid.columns(table)), ARITIES)
    except formulas.BadFormula as error:
        raise refuse("INVALID_FILTER_BY_FORMULA", f"The formula for filtering records is invalid: {error}") from None
    return [r for r in records if truth(grid.evaluated(r, source))]


def ordered(grid: Grid, table: Table, records: list[Record], sort: list[Sort]) -> list[Record]:
    """The records by several fields, the first weighing most; ties stay as they were."""
    for one in reversed(sort):
        column = find_column(grid, table, one.field)
        records = sorted(records, key=lambda r, c=column: sort_key(grid, r, c), reverse=one.direction == "desc")
    return records


def check_view(ctx: Ctx, table: Table, view: str) -> None:
    """That the table has a view of this id or name. Every view shows all of its records, in the order of their making."""
    if ctx.db.first(View, table_id=table.id, id=view) or ctx.db.first(View, table_id=table.id, name=view):
        return
    by_id = view.startswith("viw") and len(view) == 17
    if by_id and ctx.db.get(View, view) is not None:
        raise refuse("FAILED_STATE_CHECK", hint="The view belongs to another table.")
    raise refuse("VIEW_ID_NOT_FOUND" if by_id else "VIEW_NAME_NOT_FOUND", f"View {view[:200]} not found")


def listing(
    grid: Grid, table: Table, shape: Shape, *, source: str | None, sort: list[Sort] | None, view: str | None, size: int | None,
    most: int | None, offset: str | None,
) -> dict[str, Any]:  # fmt: skip
    """A page of a table's records."""
    if view:
        check_view(grid.ctx, table, view)
    records = list(grid.records(table).values())
    if source:
        records = filtered(grid, table, records, source)
    if sort:
        records = ordered(grid, table, records, sort)
    query = (table.id, source or "", [(s.field, s.direction) for s in sort or ()], view or "")
    size = size or (TOOL_PAGE if over_mcp(grid.ctx) else PAGE)
    shown, after = page(records, size, offset, query, most)
    made: dict[str, Any] = {"records": [shape.json(r) for r in shown]}
    return {**made, "offset": after} if after else made
