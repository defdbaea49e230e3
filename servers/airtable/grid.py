"""A base during one call: its tables, fields and records, and the values of their cells, computed ones included."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from legoenv_mcp.app import Ctx

from . import formula as formulas
from .app import hidden, is_id, no_such_path
from .evaluate import Scope, evaluate
from .kinds import COMPUTED, NUMBERS, TEXT, TIMES
from .models import Attachment, Base, Column, Record, Table, User
from .values import Fault, Moment, flat, iso, parsed, text

_DEEPEST = 25
"""How many computed fields may rest on one another."""


class Grid:
    """A base's rows, read once. Who writes through it says so (`forget`), so that computed values are reckoned anew."""

    def __init__(self, ctx: Ctx, base: Base) -> None:
        self.ctx = ctx
        self.base = base
        self.tables = {t.id: t for t in ctx.db.find(Table, base_id=base.id, order="position")}
        self._columns = dict[str, dict[str, Column]]()
        self._records = dict[str, dict[str, Record]]()
        self._values = dict[tuple[str, str], Any]()
        self._under_way = list[tuple[str, str]]()
        self._users: dict[str, User] | None = None

    # What there is

    def table(self, name: str) -> Table:
        """A table by id or name."""
        found = self.tables.get(name) or next((t for t in self.tables.values() if t.name == name), None)
        if found is None:
            raise hidden("There is no such table in this base; list_tables shows those there are.")
        return found

    def columns(self, table: Table | str) -> dict[str, Column]:
        """A table's fields by id, in their order."""
        key = table if isinstance(table, str) else table.id
        if key not in self._columns:
            self._columns[key] = {c.id: c for c in self.ctx.db.find(Column, table_id=key, order="position")}
        return self._columns[key]

    def column(self, table: Table | str, name: str) -> Column | None:
        """A field by id or exact name."""
        columns = self.columns(table)
        return columns.get(name) or next((c for c in columns.values() if c.name == name), None)

    def primary(self, table: Table | str) -> Column:
        row = self.tables[table] if isinstance(table, str) else table
        return self.columns(row)[row.primary_field_id]

    def records(self, table: Table | str) -> dict[str, Record]:
        """A table's records by id, in the order of their making."""
        key = table if isinstance(table, str) else table.id
        if key not in self._records:
            self._records[key] = {r.id: r for r in self.ctx.db.find(Record, table_id=key, order="number")}
        return self._records[key]

    def links_to(self, table: Table | str) -> list[Column]:
        """The link fields of the whole base that lead to a table."""
        key = table if isinstance(table, str) else table.id
        return [
            c
            for t in self.tables
            for c in self.columns(t).values()
            if c.type == "multipleRecordLinks" and c.options["linkedTableId"] == key
        ]

    def users(self) -> dict[str, User]:
        if self._users is None:
            self._users = {u.id: u for u in self.ctx.db.find(User)}
        return self._users

    def user(self, key: str) -> User | None:
        return self.users().get(key)

    def user_of(self, email: str) -> User | None:
        """A user by address, however it is spelt."""
        return next((u for u in self.users().values() if u.email.casefold() == email.casefold()), None)

    def user_json(self, key: str) -> dict[str, Any]:
        user = self.user(key)
        return {"id": key, "email": user.email, "name": user.name} if user else {"id": key}

    def forget(self, schema: bool = False) -> None:
        """After a write: computed values, and with `schema` fields too, are no longer what they were."""
        self._values.clear()
        if schema:
            self._columns.clear()
            self.tables = {t.id: t for t in self.ctx.db.find(Table, base_id=self.base.id, order="position")}

    # Values, as formulas see them

    def value(self, record: Record, column: Column) -> Any:
        key = (record.id, column.id)
        if key in self._values:
            return self._values[key]
        if key in self._under_way or len(self._under_way) > _DEEPEST:
            return Fault()
        self._under_way.append(key)
        try:
            made = self._computed(record, column) if column.type in COMPUTED else self._stored(record, column)
        except RecursionError:
            made = Fault()
        finally:
            self._under_way.pop()
        self._values[key] = made
        return made

    def _stored(self, record: Record, column: Column) -> Any:
        cell = record.cells.get(column.id)
        kind = column.type
        if cell is None:
            return [] if kind in ("multipleSelects", "multipleRecordLinks", "multipleAttachments") else None
        if kind in TEXT:
            return cell_text(cell)
        if kind in NUMBERS or kind in ("checkbox", "singleSelect", "multipleSelects"):
            return cell
        if kind in ("date", "dateTime"):
            return parsed(cell)
        if kind == "singleCollaborator":
            return self._name(cell)
        if kind == "multipleCollaborators":
            return [self._name(key) for key in cell]
        if kind == "multipleRecordLinks":
            return [self.title(r) for r in self.linked(record, column)]
        if kind == "barcode":
            return cell["text"]
        return [f"{a.filename} ({a.url})" for a in self.attachments(cell)]

    def _name(self, key: str) -> str:
        user = self.user(key)
        return user.name if user else key

    def _computed(self, record: Record, column: Column) -> Any:
        kind, options = column.type, column.options
        if kind == "autoNumber":
            return record.number
        if kind == "createdTime":
            return parsed(record.created_time)
        if kind == "createdBy":
            return self._name(record.created_by)
        if kind in ("lastModifiedTime", "lastModifiedBy"):
            at, who = self.last_change(record, options.get("referencedFieldIds"))
            return parsed(at) if kind == "lastModifiedTime" else self._name(who)
        if kind == "formula":
            return self.evaluated(record, options["formula"])
        link = self.columns(record.table_id).get(options["recordLinkFieldId"])
        if link is None:
            return Fault()
        linked = self.linked(record, link)
        if kind == "count":
            return len(linked)
        target = self.columns(link.options["linkedTableId"])[options["fieldIdInLinkedTable"]]
        values = flat(self.value(r, target) for r in linked)
        values = [v for v in values if v is not None]
        if kind != "rollup":
            return values
        if not values and target.type in TIMES and formulas.parse(options["formula"]).value in ("MAX", "MIN"):
            return None  # of no dates none is the last; of no numbers the highest is 0
        return self.evaluated(record, options["formula"], values)

    def evaluated(self, record: Record, source: str, values: list[Any] | None = None) -> Any:
        """A formula over a record; in a rollup's, `values` is what was gathered."""
        find = formulas.finder(self.columns(record.table_id))

        def field(name: str) -> Any:
            if values is not None and name == "values":
                return values
            column = find(name)
            return Fault() if column is None else self.value(record, column)

        return evaluate(formulas.parse(source), self.scope(record, field))

    def scope(self, record: Record, field: Callable[[str], Any]) -> Scope:
        def modified(names: list[str]) -> datetime | None:
            find = formulas.finder(self.columns(record.table_id))
            at = parsed(self.last_change(record, [c.id for n in names if (c := find(n))] or None)[0])
            return at.at if at else None

        created = datetime.fromisoformat(record.created_time).astimezone(UTC)
        return Scope(field, self.ctx.now, record.id, created, modified)

    def last_change(self, record: Record, fields: list[str] | None) -> list[str]:
        """When and by whom one of these fields, or any, was written last; its making, where they were not written since."""
        found = [c for key, c in record.changes.items() if fields is None or key in fields]
        return max(found, default=[record.created_time, record.created_by])

    def linked(self, record: Record, link: Column) -> list[Record]:
        there = self.records(link.options["linkedTableId"])
        return [there[key] for key in record.cells.get(link.id) or () if key in there]

    def title(self, record: Record) -> str:
        """A record's name: its primary field as text."""
        made = self.value(record, self.primary(record.table_id))
        return "" if isinstance(made, Fault) else text(made)

    def attachments(self, keys: list[str]) -> list[Attachment]:
        found = {a.id: a for a in self.ctx.db.find(Attachment, id__in=keys)} if keys else {}
        return [found[key] for key in keys if key in found]

    def target(self, column: Column) -> Column | None:
        """The field whose values a lookup or rollup gathers."""
        link = self.columns(column.table_id).get(column.options["recordLinkFieldId"])
        return link and self.columns(link.options["linkedTableId"]).get(column.options["fieldIdInLinkedTable"])


def cell_text(cell: Any) -> str:
    """A text cell: numbers and truth values that were typed into it stay what they were until they are read."""
    return cell if isinstance(cell, str) else ("true" if cell else "false") if isinstance(cell, bool) else text(cell)


def plain_json(value: Any) -> Any:
    """A computed value as JSON."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float) and value != value:
        return {"specialValue": "NaN"}
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return {"specialValue": "Infinity" if value > 0 else "-Infinity"}
    if isinstance(value, Moment):
        return value.at.date().isoformat() if value.day else iso(value.at)
    if isinstance(value, Fault):
        return {"error": value.shown}
    if isinstance(value, list):
        return [plain_json(v) for v in value if v is not None]
    return value


def open_base(ctx: Ctx, key: str) -> Grid:
    """The base of an id in a path."""
    base = ctx.db.get(Base, key)
    if base is None:
        if not is_id("app", key):
            raise no_such_path("baseId is not the id of a base: list_bases shows the ids.")
        raise hidden("There is no such base; list_bases shows those there are.")
    return Grid(ctx, base)


def open_table(ctx: Ctx, base: str, table: str) -> tuple[Grid, Table]:
    grid = open_base(ctx, base)
    return grid, grid.table(table)
