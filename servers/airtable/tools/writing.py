"""Writing records, ten a call."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict

from legoenv_mcp.app import MISSING, Body, Ctx, Field, Query

from ..app import app, bad_batch, invalid, is_id, refuse
from ..grid import Grid, cell_text, open_table
from ..kinds import NUMBERS, TEXT
from ..listing import Shape
from ..models import Record, Table
from ..people import need
from ..records import MOST, Changes, find_column, one_record

Json = dict[str, Any]
_MERGEABLE = TEXT | NUMBERS | {"singleSelect", "multipleSelects", "date", "dateTime"}
Fields = Annotated[dict[str, Any], Field(description="The values by field name or id.")]


class NewRecord(BaseModel):
    """A record to be made."""

    model_config = ConfigDict(extra="forbid")
    fields: Fields


class ChangedRecord(BaseModel):
    """A record to be changed."""

    model_config = ConfigDict(extra="forbid")
    id: Annotated[
        str | None, Field(description="The record's id; not needed where performUpsert finds records by their fields.")
    ] = None
    fields: Fields


class Upsert(BaseModel):
    """How records without an id are found."""

    model_config = ConfigDict(extra="forbid")
    fieldsToMergeOn: Annotated[
        list[str],
        Field(min_length=1, max_length=3, description="Fields that together find a record: one to three names or ids."),
    ]


def _shape(grid: Grid, table: Table, by_id: bool) -> Shape:
    return Shape(grid, table, None, by_id)


@app.post("/v0/{baseId}/{tableId}", tool="create_records")
def create_records(
    ctx: Ctx,
    baseId: str,
    tableId: str,
    records: Annotated[list[NewRecord], Field(max_length=MOST)] | MISSING = MISSING,
    fields: Annotated[Json | MISSING, Body("fields", mcp=False)] = MISSING,
    typecast: bool = False,
    returnFieldsByFieldId: bool = False,
) -> Json:
    """Creates up to ten records in a table, all or none.

    baseId: The base's id.
    tableId: The table's id or name.
    records: The records, each with its fields. Links are lists of record ids, collaborators {"id"} or {"email"}, dates ISO texts.
    fields: Over REST, the fields of a single record.
    typecast: Whether to make values fit: read numbers and dates out of text, add missing select options, link records by name.
    returnFieldsByFieldId: Whether the answer names fields by their ids.
    """
    grid, table = open_table(ctx, baseId, tableId)
    need(ctx, grid.base, "edit")
    changes, shape = Changes(grid, table, typecast), _shape(grid, table, returnFieldsByFieldId)
    if records is MISSING:
        if fields is MISSING:
            raise refuse("INVALID_REQUEST_MISSING_FIELDS", 'Could not find field "fields" in the request body')
        made = changes.create(fields)
        changes.done()
        return shape.json(made)
    if not records:
        raise bad_batch("create_records")
    made_all = [changes.create(one.fields) for one in records]
    changes.done()
    return {"records": [shape.json(r) for r in made_all]}


@app.post("", tool="create_record")
def create_record(ctx: Ctx, baseId: str, tableId: str, fields: Json, typecast: bool = False) -> Json:
    """Creates one record in a table.

    baseId: The base's id.
    tableId: The table's id or name.
    fields: The values by field name or id. Links are lists of record ids, collaborators {"id"} or {"email"}, dates ISO texts.
    typecast: Whether to make values fit: read numbers and dates out of text, add missing select options, link records by name.
    """
    grid, table = open_table(ctx, baseId, tableId)
    need(ctx, grid.base, "edit")
    changes = Changes(grid, table, typecast)
    made = changes.create(fields)
    changes.done()
    return _shape(grid, table, by_id=False).json(made)


def _batch(
    ctx: Ctx,
    tool: str,
    base: str,
    name: str,
    records: list[ChangedRecord],
    upsert: Upsert | None,
    typecast: bool,
    by_id: bool,
) -> Json:
    """Changes, or with `upsert` finds and changes or makes, the records of one call."""
    grid, table = open_table(ctx, base, name)
    need(ctx, grid.base, "edit")
    if not records or (upsert is None and any(one.id is None for one in records)):
        raise bad_batch(tool)
    if len({one.id for one in records if one.id}) < sum(one.id is not None for one in records):
        raise refuse("INVALID_RECORDS", "You cannot update the same record multiple times in a single request.")
    changes, clear = Changes(grid, table, typecast), tool == "replace_records"
    keys = _merge_keys(grid, table, upsert) if upsert else []
    written, created, updated = list[Record](), list[str](), list[str]()
    for one in records:
        record = (
            _named(grid, table, one.id) if one.id is not None else _matching(grid, table, one.fields, keys, changes)
        )
        if record is None:
            record = changes.create(one.fields)
            created.append(record.id)
        else:
            if record in written:
                raise refuse("INVALID_RECORDS", "You cannot update the same record multiple times in a single request.")
            changes.update(record, one.fields, clear=clear)
            updated.append(record.id)
        written.append(record)
    changes.done()
    shape = _shape(grid, table, by_id)
    made: Json = {"records": [shape.json(r) for r in written]}
    return {**made, "createdRecords": created, "updatedRecords": updated} if upsert else made


def _named(grid: Grid, table: Table, key: str) -> Record:
    """The record of an id in a body."""
    record = grid.records(table).get(key)
    if record is None:
        if not is_id("rec", key):
            raise refuse("INVALID_RECORD_ID", f'Value "{key[:200]}" is not a valid record ID.')
        raise refuse("ROW_DOES_NOT_EXIST", f"Record ID {key} does not exist in this table")
    return record


def _merge_keys(grid: Grid, table: Table, upsert: Upsert) -> list[str]:
    keys = list[str]()
    for name in upsert.fieldsToMergeOn:
        column = find_column(grid, table, name)
        if column.type not in _MERGEABLE:
            raise invalid(f'"{column.name}" cannot be merged on: it is of type {column.type}.')
        keys.append(column.id)
    return keys


def _matching(grid: Grid, table: Table, fields: Json, keys: list[str], changes: Changes) -> Record | None:
    """The record whose merged fields have the values given; more than one is a mistake."""
    wanted = dict[str, Any]()
    for name, value in fields.items():
        if (column := grid.column(table, name)) is not None and column.id in keys:
            wanted[column.id] = changes.writer.accept(column, value, None)
    if missing := [key for key in keys if key not in wanted]:
        raise invalid(f'Every record without an id must have the field "{grid.columns(table)[missing[0]].name}".')
    found = list[Record]()
    for record in grid.records(table).values():
        if all(_same(grid, record, key, wanted[key]) for key in keys):
            found.append(record)
    if len(found) > 1:
        raise refuse("INVALID_VALUE_FOR_COLUMN", "Cannot upsert: more than one record matches the fields to merge on")
    return found[0] if found else None


def _same(grid: Grid, record: Record, key: str, wanted: Any) -> bool:
    column, cell = grid.columns(record.table_id)[key], record.cells.get(key)
    if column.type in TEXT and cell is not None and wanted is not None:
        return cell_text(cell) == cell_text(wanted)
    return cell == wanted


@app.patch("/v0/{baseId}/{tableId}", tool="update_records")
def update_records(
    ctx: Ctx,
    baseId: str,
    tableId: str,
    records: Annotated[list[ChangedRecord], Field(max_length=MOST)],
    performUpsert: Upsert | None = None,
    typecast: bool = False,
    returnFieldsByFieldId: bool = False,
) -> Json:
    """Changes up to ten records, all or none; fields that are not given stay. With performUpsert, records that are not found are made.

    baseId: The base's id.
    tableId: The table's id or name.
    records: The records with their ids and the fields to change; null empties a cell. Links are given whole, as lists of record ids.
    performUpsert: Finds records without an id by these fields: none found makes one, more than one is refused.
    typecast: Whether to make values fit: read numbers and dates out of text, add missing select options, link records by name.
    returnFieldsByFieldId: Whether the answer names fields by their ids.
    """
    return _batch(ctx, "update_records", baseId, tableId, records, performUpsert, typecast, returnFieldsByFieldId)


@app.put("/v0/{baseId}/{tableId}", tool="replace_records")
def replace_records(
    ctx: Ctx,
    baseId: str,
    tableId: str,
    records: Annotated[list[ChangedRecord], Field(max_length=MOST)],
    performUpsert: Upsert | None = None,
    typecast: bool = False,
    returnFieldsByFieldId: bool = False,
) -> Json:
    """Replaces up to ten records, all or none: fields that are not given are emptied.

    baseId: The base's id.
    tableId: The table's id or name.
    records: The records with their ids and all the fields that they shall have.
    performUpsert: Finds records without an id by these fields: none found makes one, more than one is refused.
    typecast: Whether to make values fit: read numbers and dates out of text, add missing select options, link records by name.
    returnFieldsByFieldId: Whether the answer names fields by their ids.
    """
    return _batch(ctx, "replace_records", baseId, tableId, records, performUpsert, typecast, returnFieldsByFieldId)


def _one(ctx: Ctx, base: str, name: str, key: str, fields: Json, typecast: bool, by_id: bool, *, clear: bool) -> Json:
    grid, table = open_table(ctx, base, name)
    need(ctx, grid.base, "edit")
    record = one_record(grid, table, key)
    changes = Changes(grid, table, typecast)
    changes.update(record, fields, clear=clear)
    changes.done()
    return _shape(grid, table, by_id).json(record)


@app.patch("/v0/{baseId}/{tableId}/{recordId}", tool="update_record")
def update_record(
    ctx: Ctx,
    baseId: str,
    tableId: str,
    recordId: str,
    fields: Json,
    typecast: bool = False,
    returnFieldsByFieldId: bool = False,
) -> Json:
    """Changes one record; fields that are not given stay.

    baseId: The base's id.
    tableId: The table's id or name.
    recordId: The record's id.
    fields: The values to change by field name or id; null empties a cell. Links are given whole, as lists of record ids.
    typecast: Whether to make values fit: read numbers and dates out of text, add missing select options, link records by name.
    returnFieldsByFieldId: Whether the answer names fields by their ids.
    """
    return _one(ctx, baseId, tableId, recordId, fields, typecast, returnFieldsByFieldId, clear=False)


@app.put("/v0/{baseId}/{tableId}/{recordId}", tool="replace_record", mcp=False)
def replace_record(
    ctx: Ctx,
    baseId: str,
    tableId: str,
    recordId: str,
    fields: Json,
    typecast: bool = False,
    returnFieldsByFieldId: bool = False,
) -> Json:
    """Replaces one record: fields that are not given are emptied.

    baseId: The base's id.
    tableId: The table's id or name.
    recordId: The record's id.
    fields: All the values that the record shall have.
    typecast: Whether to make values fit.
    returnFieldsByFieldId: Whether the answer names fields by their ids.
    """
    return _one(ctx, baseId, tableId, recordId, fields, typecast, returnFieldsByFieldId, clear=True)


@app.delete("/v0/{baseId}/{tableId}", tool="delete_records")
def delete_records(
    ctx: Ctx, baseId: str, tableId: str, recordIds: Annotated[list[str], Query("records"), Field(max_length=MOST)]
) -> Json:
    """Deletes up to ten records, all or none, and takes them out of the links of others.

    baseId: The base's id.
    tableId: The table's id or name.
    recordIds: The records' ids.
    """
    grid, table = open_table(ctx, baseId, tableId)
    need(ctx, grid.base, "edit")
    if not recordIds or len(set(recordIds)) < len(recordIds):
        raise bad_batch("delete_records")
    changes = Changes(grid, table)
    for record in [_named(grid, table, key) for key in recordIds]:
        changes.delete(record)
    changes.done()
    return {"records": [{"id": key, "deleted": True} for key in recordIds]}


@app.delete("/v0/{baseId}/{tableId}/{recordId}", tool="delete_record")
def delete_record(ctx: Ctx, baseId: str, tableId: str, recordId: str) -> Json:
    """Deletes one record, and takes it out of the links of others.

    baseId: The base's id.
    tableId: The table's id or name.
    recordId: The record's id.
    """
    grid, table = open_table(ctx, baseId, tableId)
    need(ctx, grid.base, "edit")
    record = one_record(grid, table, recordId)
    changes = Changes(grid, table)
    changes.delete(record)
    changes.done()
    return {"id": record.id, "deleted": True}
