"""Tables and fields: the schema of a base."""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field, Query, ToolOnly

from ..app import app, hidden, invalid
from ..grid import Grid, open_base, open_table
from ..hooks import Log
from ..kinds import FieldType
from ..models import Table
from ..people import need
from ..schema import (
    Description,
    FieldOptions,
    Name,
    NewField,
    NewTable,
    check_field_name,
    check_table_name,
    field_json,
    make_field,
    make_table,
    table_json,
)

Detail = Literal["tableIdentifiersOnly", "identifiersOnly", "full"]


def _detailed(grid: Grid, table: Table, detail: Detail, visible: bool = False) -> dict[str, Any]:
    if detail == "tableIdentifiersOnly":
        return {"id": table.id, "name": table.name}
    made = table_json(grid, table, visible)
    if detail == "identifiersOnly":
        for part in ("fields", "views"):
            made[part] = [{"id": one["id"], "name": one["name"]} for one in made[part]]
    return made


@app.get("/v0/meta/bases/{baseId}/tables", tool="list_tables")
def list_tables(
    ctx: Ctx,
    baseId: str,
    include: Annotated[list[str] | None, Query("include", mcp=False)] = None,
    detailLevel: Annotated[Detail, ToolOnly()] = "full",
) -> dict[str, Any]:
    """Lists a base's tables with their fields and views: the names, ids, types and options.

    baseId: The base's id.
    include: Over REST, visibleFieldIds shows the fields that each grid view shows.
    detailLevel: How much to show: the tables' ids and names; also those of fields and views; or all of the schema.
    """
    grid = open_base(ctx, baseId)
    visible = "visibleFieldIds" in (include or [])
    return {"tables": [_detailed(grid, t, detailLevel, visible) for t in grid.tables.values()]}


@app.post("", tool="describe_table", effect="read")
def describe_table(ctx: Ctx, baseId: str, tableId: str, detailLevel: Detail = "full") -> dict[str, Any]:
    """Shows one table's fields and views, as list_tables does for all.

    baseId: The base's id.
    tableId: The table's id or name.
    detailLevel: How much to show: the table's id and name; also those of fields and views; or all of the schema.
    """
    grid, table = open_table(ctx, baseId, tableId)
    return _detailed(grid, table, detailLevel)


@app.post("/v0/meta/bases/{baseId}/tables", tool="create_table")
def create_table(
    ctx: Ctx,
    baseId: str,
    name: Name,
    fields: Annotated[list[NewField], Field(min_length=1, max_length=500)],
    description: Description | None = None,
) -> dict[str, Any]:
    """Creates a table with its fields. The first field is the primary one, which names records: text, a number or a date.

    baseId: The base's id.
    name: The table's name, unlike those of the base's other tables.
    fields: The fields, each with name, type and what options its type needs.
    description: What the table is for.
    """
    grid = open_base(ctx, baseId)
    need(ctx, grid.base, "create")
    log = Log(grid)
    table = make_table(ctx, grid, NewTable(name=name, description=description, fields=fields), log)
    log.tell()
    return table_json(grid, table)


@app.patch("/v0/meta/bases/{baseId}/tables/{tableId}", tool="update_table")
def update_table(
    ctx: Ctx,
    baseId: str,
    tableId: str,
    name: Name | MISSING = MISSING,
    description: Description | None | MISSING = MISSING,
) -> dict[str, Any]:
    """Renames a table or changes its description.

    baseId: The base's id.
    tableId: The table's id or name.
    name: The new name.
    description: The new description; null or empty takes it away.
    """
    grid, table = open_table(ctx, baseId, tableId)
    need(ctx, grid.base, "create")
    changes = ctx.sent()
    if not changes:
        raise invalid("Give name, description or both.")
    if "name" in changes:
        if not changes["name"].strip():
            raise invalid("name: may not be empty")
        check_table_name(grid, changes["name"], but=table.id)
    if "description" in changes:
        changes["description"] = changes["description"] or None
    before, log = {"name": table.name, "description": table.description}, Log(grid)
    if any(before[key] != value for key, value in changes.items()):
        ctx.db.update(table, **changes)
        log.table_changed(table, before)
        log.tell()
    return table_json(grid, table)


@app.post("/v0/meta/bases/{baseId}/tables/{tableId}/fields", tool="create_field")
def create_field(
    ctx: Ctx,
    baseId: str,
    tableId: str,
    name: Name,
    type: FieldType,
    description: Description | None = None,
    options: FieldOptions | None = None,
) -> dict[str, Any]:
    """Adds a field to a table. A link also adds the field on the other side. Computed fields (formula, rollup, lookup, count,
    autoNumber, created and last modified) can only be made in Airtable itself.

    baseId: The base's id.
    tableId: The table's id or name.
    name: The field's name, unlike those of the table's other fields.
    type: The kind of its cells.
    description: What the field is for.
    options: What the type needs: selects choices, numbers a precision, dates a dateFormat, links a linkedTableId; text needs none.
    """
    grid, table = open_table(ctx, baseId, tableId)
    need(ctx, grid.base, "create")
    given = options.model_dump(exclude_unset=True) if options is not None else None
    new = NewField(name=name, type=type, description=description, options=given)
    log = Log(grid)
    column = make_field(ctx, grid, table, new, log)
    log.tell()
    return field_json(grid, column)


@app.patch("/v0/meta/bases/{baseId}/tables/{tableId}/fields/{fieldId}", tool="update_field")
def update_field(
    ctx: Ctx,
    baseId: str,
    tableId: str,
    fieldId: str,
    name: Name | MISSING = MISSING,
    description: Description | None | MISSING = MISSING,
) -> dict[str, Any]:
    """Renames a field or changes its description. Its type and options stay as they are.

    baseId: The base's id.
    tableId: The table's id or name.
    fieldId: The field's id.
    name: The new name.
    description: The new description; null or empty takes it away.
    """
    grid, table = open_table(ctx, baseId, tableId)
    need(ctx, grid.base, "create")
    column = grid.column(table, fieldId)
    if column is None:
        raise hidden("There is no such field in this table; describe_table shows those there are.")
    changes = ctx.sent()
    if not changes:
        raise invalid("Give name, description or both.")
    if "name" in changes:
        check_field_name(grid, table, changes["name"], but=column.id)
    if "description" in changes:
        changes["description"] = changes["description"] or None
    before, log = {"name": column.name, "type": column.type}, Log(grid)
    if (
        changes.get("name", column.name) != column.name
        or changes.get("description", column.description) != column.description
    ):
        ctx.db.update(column, **changes)
        log.field_changed(column, before)
        log.tell()
    return field_json(grid, column)
