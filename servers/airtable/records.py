"""Writing records: values checked, links kept on both sides, webhooks told. All of a call or none of it."""

from typing import Any

from .app import absent, invalid, is_id, refuse
from .cells import Writer
from .grid import Grid
from .hooks import Log
from .kinds import COMPUTED
from .models import Column, Comment, Record, Table
from .people import me
from .values import iso

Json = dict[str, Any]
MOST = 10
"""Records that one call may write."""


def unknown_field(grid: Grid, table: Table, name: str) -> Exception:
    known = ", ".join(c.name for c in grid.columns(table).values())
    return refuse(
        "UNKNOWN_FIELD_NAME", f'Unknown field name: "{name}"', hint=f"The fields of {table.name} are: {known}."
    )


def find_column(grid: Grid, table: Table, name: str) -> Column:
    found = grid.column(table, name)
    if found is None:
        raise unknown_field(grid, table, name)
    return found


def one_record(grid: Grid, table: Table, key: str) -> Record:
    """The record of an id in a path. An id that belongs to another table of the base is found nowhere in this one."""
    record = grid.ctx.db.get(Record, key) if is_id("rec", key) else None
    if record is None or record.table_id != table.id:
        raise absent("Record")
    return grid.records(table)[key]


class Changes:
    """The writing of one call to one table."""

    def __init__(self, grid: Grid, table: Table, typecast: bool = False) -> None:
        self.grid = grid
        self.ctx = grid.ctx
        self.table = table
        self.log = Log(grid)
        self.writer = Writer(grid, typecast, self._create_linked)

    def create(self, fields: Json, table: Table | None = None) -> Record:
        table = table or self.table
        cells = self._accepted(table, fields, {})
        return self._add(table, cells)

    def _add(self, table: Table, cells: Json) -> Record:
        grid, now = self.grid, iso(self.ctx.now)
        number = table.last_number + 1
        self.ctx.db.update(table, last_number=number)
        kept = {k: v for k, v in cells.items() if v is not None}
        record = self.ctx.db.add(
            Record(
                id=self.ctx.id("rec", 14),
                table_id=table.id,
                number=number,
                created_time=now,
                created_by=me(self.ctx),
            )
        )
        grid.records(table)[record.id] = record
        self.log.created(record)
        self._put(record, kept, stamp=False)
        return record

    def _create_linked(self, table_id: str, name: str) -> str:
        table, primary = self.grid.tables[table_id], self.grid.primary(table_id)
        if primary.type in COMPUTED:
            raise refuse("INVALID_RECORD_ID", f'Value "{name[:200]}" is not a valid record ID.')
        value = self.writer.accept(primary, name, None)
        return self._add(table, {primary.id: value}).id

    def update(self, record: Record, fields: Json, *, clear: bool = False) -> Record:
        """Writes the fields given; with `clear`, what is not given is emptied."""
        cells = self._accepted(self.table, fields, record.cells)
        if clear:
            kept = self.grid.columns(self.table)
            cells = {**{k: None for k in record.cells if k in kept}, **cells}
        self._put(record, cells)
        return record

    def delete(self, record: Record) -> None:
        grid, db = self.grid, self.ctx.db
        self._put(
            record,
            {c.id: None for c in grid.columns(record.table_id).values() if c.type == "multipleRecordLinks"},
            stamp=False,
        )
        for link in grid.links_to(record.table_id):
            for other in list(grid.records(link.table_id).values()):
                if record.id in (other.cells.get(link.id) or ()) and other.id != record.id:
                    left = [key for key in other.cells[link.id] if key != record.id]
                    self._put(other, {link.id: left or None})
        comments = db.find(Comment, record_id=record.id)
        for comment in sorted(comments, key=lambda c: -c.number):
            db.delete(comment)
        db.delete(record)
        grid.records(record.table_id).pop(record.id)
        grid.forget()
        self.log.destroyed(record)

    def done(self) -> None:
        self.log.tell()

    def _accepted(self, table: Table, fields: Json, before: Json) -> Json:
        """Given values by field id, as they are to be kept. Fields are named by name or id; twice is a mistake."""
        made = Json()
        for name, value in fields.items():
            column = find_column(self.grid, table, name)
            if column.id in made:
                raise invalid(f'Field "{column.name}" is given twice.')
            made[column.id] = self.writer.accept(column, value, before.get(column.id))
        return made

    def _put(self, record: Record, cells: Json, stamp: bool = True) -> None:
        """Writes cells, and the other side of links."""
        before = record.cells
        changed = {k: v for k, v in cells.items() if before.get(k) != v}
        if not changed:
            return
        after = {k: v for k, v in {**before, **changed}.items() if v is not None}
        changes: Json = {"cells": after}
        if stamp:
            mark = [iso(self.ctx.now), me(self.ctx)]
            changes["changes"] = {**record.changes, **dict.fromkeys(changed, mark)}
        self.ctx.db.update(record, **changes)
        self.grid.forget()
        self.log.changed(record, before)
        columns = self.grid.columns(record.table_id)
        for key in changed:
            column = columns.get(key)
            if column is not None and column.type == "multipleRecordLinks":
                self._mirror(record, column, before.get(key) or [], after.get(key) or [])

    def _mirror(self, record: Record, column: Column, before: list[str], after: list[str]) -> None:
        inverse, table = column.options.get("inverseLinkFieldId"), column.options["linkedTableId"]
        if inverse is None:
            return
        there = self.grid.records(table)
        for key in [k for k in before if k not in after] + [k for k in after if k not in before]:
            other = there.get(key)
            if other is None:
                continue
            held = other.cells.get(inverse) or []
            linked = [*held, record.id] if key in after else [k for k in held if k != record.id]
            if (record.id in held) != (key in after):
                self._put(other, {inverse: linked or None})
