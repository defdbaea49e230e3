"""PostgreSQL as a database: fill, view, verbs. A table's id is `database.schema.name`."""

import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call
from legoenv_mcp.capabilities.database import Database, DataColumn, DataTable, Value

from . import models, values
from .catalog import Column, column
from .databases import new_database
from .functions_text import quote_ident, quote_literal
from .values import Setting

_TYPES = {
    "text": "text",
    "integer": "int4",
    "numeric": "numeric",
    "boolean": "bool",
    "date": "date",
    "timestamp": "timestamptz",
    "json": "jsonb",
}
_KINDS = {
    "int2": "integer", "int4": "integer", "int8": "integer", "numeric": "numeric", "float4": "numeric", "float8": "numeric",
    "bool": "boolean", "date": "date",
    "timestamp": "timestamp", "timestamptz": "timestamp", "json": "json", "jsonb": "json",
}  # fmt: skip
_NAMES = {"int4": "integer", "bool": "boolean"}


class PostgresDatabase(Database):
    def fill(self, ctx: Ctx, entity: Entity) -> str:
        if not isinstance(entity, DataTable):
            raise TypeError(f"PostgreSQL has no {type(entity).__name__}")
        if ctx.db.get(models.Database, entity.database) is None:
            first = ctx.db.first(models.Database, connected=True) is None
            ctx.db.add(models.Database(name=entity.database, oid=ctx.sequence("oid", 16384), connected=first))
            for row in new_database(ctx, entity.database):
                ctx.db.add(row)
        _Filling(ctx, entity).run()
        return f"{entity.database}.public.{entity.name}"

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        if table != "relation" or row["kind"] != "table":
            return None
        columns = [column(c) for c in row["columns"]]
        constraints = ctx.db.find(models.Constraint, relation=row["oid"])
        keys = {name for c in constraints if c.kind == "primary" for name in c.columns}
        refers = {c.columns[0]: f"{parent.name}.{c.refers_columns[0]}" for c in constraints if c.kind == "foreign" and len(c.columns) == 1
                  for parent in [ctx.db.get(models.Relation, c.refers)] if parent is not None}  # fmt: skip
        shown = tuple(
            DataColumn(
                name=c.name,
                kind=_KINDS.get(c.kind, "text"),  # pyright: ignore[reportArgumentType]
                key=c.name in keys,
                required=c.notnull and c.name not in keys,
                references=refers.get(c.name, ""),
            )
            for c in columns
        )
        rows = tuple(
            tuple(_seen(c, r.cells.get(c.name, c.missing)) for c in columns)
            for r in ctx.db.find(models.Record, relation=row["oid"])
        )
        name = row["name"] if row["schema_"] == "public" else f"{row['schema_']}.{row['name']}"
        return DataTable(
            id=f"{row['database']}.{row['schema_']}.{row['name']}",
            database=row["database"],
            name=name,
            columns=shown,
            rows=rows,
            comment=row["comment"],
        )

    # Verbs

    def list_tables(self) -> Plan:
        found: Any = yield call("list_databases")
        for base in found["result"] if isinstance(found, dict) else found:
            yield call(
                "execute_sql",
                database=base["name"],
                sql="SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' ORDER BY 1, 2",
            )

    def describe_table(self, table: str) -> Plan:
        base, schema, name = _parts(table)
        yield call("get_object_details", **base, schema_name=schema, object_name=name)

    def query_rows(self, table: str, where: Mapping[str, Value]) -> Plan:
        yield _sql(table, lambda name: f"SELECT * FROM {name}{_where(where)}")

    def insert_rows(self, table: str, rows: tuple[Mapping[str, Value], ...]) -> Plan:
        def text(name: str) -> str:
            columns = list(dict.fromkeys(c for row in rows for c in row))
            lines = ", ".join(
                "(" + ", ".join(_literal(row[c]) if c in row else "DEFAULT" for c in columns) + ")" for row in rows
            )
            return f"INSERT INTO {name} ({', '.join(map(quote_ident, columns))}) VALUES {lines}"

        yield _sql(table, text)

    def update_rows(self, table: str, where: Mapping[str, Value], changes: Mapping[str, Value]) -> Plan:
        sets = ", ".join(f"{quote_ident(c)} = {_literal(v)}" for c, v in changes.items())
        yield _sql(table, lambda name: f"UPDATE {name} SET {sets}{_where(where)}")

    def delete_rows(self, table: str, where: Mapping[str, Value]) -> Plan:
        yield _sql(table, lambda name: f"DELETE FROM {name}{_where(where)}")

    def create_table(self, table: str, columns: tuple[DataColumn, ...]) -> Plan:
        def text(name: str) -> str:
            lines = list[str]()
            for c in columns:
                kind = _TYPES[c.kind]
                refers = ""
                if c.references:
                    parent, _, other = c.references.partition(".")
                    refers = f" REFERENCES {quote_ident(parent)} ({quote_ident(other)})"
                lines.append(f"{quote_ident(c.name)} {_NAMES.get(kind, kind)}{' NOT NULL' * c.required}{refers}")
            keys = [quote_ident(c.name) for c in columns if c.key]
            if keys:
                lines.append(f"PRIMARY KEY ({', '.join(keys)})")
            return f"CREATE TABLE {name} ({', '.join(lines)})"

        yield _sql(table, text)


def _parts(table: str) -> tuple[dict[str, str], str, str]:
    """An id, or a bare name in the connected database's public schema."""
    parts = table.split(".")
    if len(parts) == 3:
        return {"database": parts[0]}, parts[1], parts[2]
    return {}, (parts[0] if len(parts) == 2 else "public"), parts[-1]


def _sql(table: str, text: Any) -> Any:
    base, schema, name = _parts(table)
    shown = quote_ident(name) if schema == "public" else f"{quote_ident(schema)}.{quote_ident(name)}"
    return call("execute_sql", **base, sql=text(shown))


def _literal(value: Value) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case _:
            return quote_literal(value).lstrip()


def _where(where: Mapping[str, Value]) -> str:
    terms = [
        f"{quote_ident(c)} IS NULL" if v is None else f"{quote_ident(c)} = {_literal(v)}" for c, v in where.items()
    ]
    return " WHERE " + " AND ".join(terms) if terms else ""


def _seen(c: Column, value: Any) -> Value:
    if value is None or isinstance(value, bool):
        return value
    if c.kind == "numeric":
        number = Decimal(value)
        return int(number) if number == number.to_integral_value() else float(number)
    if c.kind in ("timestamp", "timestamptz"):
        moment = datetime.fromisoformat(value)
        return moment.isoformat(timespec="seconds" if not moment.microsecond else "microseconds").replace("+00:00", "Z")
    return value if isinstance(value, (int, float, str)) else str(value)


class _Filling:
    """One table of a world as the server holds it: a relation, its keys and its rows."""

    def __init__(self, ctx: Ctx, entity: DataTable) -> None:
        self.ctx, self.entity = ctx, entity
        self.oid = self._oid()

    def _oid(self) -> int:
        return self.ctx.sequence("oid", 16384)

    def run(self) -> None:
        ctx, entity = self.ctx, self.entity
        keys = [c.name for c in entity.columns if c.key]
        serial = (
            keys[0]
            if len(keys) == 1
            and next(c for c in entity.columns if c.key).kind == "integer"
            and not next(c for c in entity.columns if c.key).references
            else ""
        )
        columns = list[Column]()
        for c in entity.columns:
            default = f"nextval('{quote_ident(f'{entity.name}_{c.name}_seq')}'::regclass)" if c.name == serial else ""
            kind = _TYPES[c.kind]
            wide = (v for r in entity.rows if isinstance(v := r[len(columns)], int))
            if kind == "int4" and any(abs(v) >= 2**31 for v in wide):
                kind = "int8"
            columns.append(Column(c.name, kind, notnull=c.required or c.key, default=default))
        ctx.db.add(models.Relation(
            oid=self.oid, database=entity.database, name=entity.name, columns=[c.stored() for c in columns], comment=entity.comment,
                next_row=len(entity.rows) + 1,
        ))  # fmt: skip
        if keys:
            self._key(f"{entity.name}_pkey", keys, primary=True)
        for c in entity.columns:
            if c.references:
                self._foreign(c)
        setting = Setting(ctx.now)
        for number, row in enumerate(entity.rows, 1):
            cells = {
                c.name: None if v is None else values.stored(c.kind, _typed(c.kind, v, setting))
                for c, v in zip(columns, row, strict=True)
            }
            ctx.db.add(models.Record(relation=self.oid, n=number, cells=cells))
        if serial:
            at = [c.name for c in entity.columns].index(serial)
            last = max((int(r[at]) for r in entity.rows if isinstance(r[at], int)), default=0)  # pyright: ignore[reportArgumentType]
            ctx.db.add(models.Sequence(
                oid=self._oid(), database=entity.database, name=f"{entity.name}_{serial}_seq", type="int4", maximum=2**31 - 1,
                    owner_table=self.oid, owner_column=serial,
                last_value=max(last, 1), called=last > 0,
            ))  # fmt: skip

    def _key(self, name: str, columns: list[str], *, primary: bool, relation: int = 0) -> None:
        constraint, base, oid = self._oid(), self.entity.database, relation or self.oid
        self.ctx.db.add(
            models.Constraint(
                oid=constraint,
                database=base,
                relation=oid,
                name=name,
                kind="primary" if primary else "unique",
                columns=columns,
            )
        )
        self.ctx.db.add(models.Index(
            oid=self._oid(), database=base, relation=oid, name=name, unique=True, primary=primary, keys=columns,
                suffixes=[""] * len(columns), constraint=constraint,
        ))  # fmt: skip

    def _foreign(self, c: DataColumn) -> None:
        """A foreign key; what it refers to is made unique, where its values are."""
        table, _, name = c.references.partition(".")
        parent = self.ctx.db.first(models.Relation, database=self.entity.database, name=table)
        if parent is None:
            return
        if not any(i.unique and i.keys == [name] for i in self.ctx.db.find(models.Index, relation=parent.oid)):
            held = [r.cells.get(name) for r in self.ctx.db.find(models.Record, relation=parent.oid)]
            if len(set(held)) != len(held):
                return
            self._key(f"{table}_{name}_key", [name], primary=False, relation=parent.oid)
        self.ctx.db.add(models.Constraint(
            oid=self._oid(), database=self.entity.database, relation=self.oid, name=f"{self.entity.name}_{c.name}_fkey", kind="foreign",
                columns=[c.name], refers=parent.oid,
            refers_columns=[name],
        ))  # fmt: skip


def _typed(kind: str, value: Any, setting: Setting) -> Any:
    if kind in ("text", "bool", "int4", "int8") and isinstance(value, (str, bool, int)):
        return value
    text = value if isinstance(value, str) else re.sub(r"\.0$", "", repr(value))
    return values.read(kind, text, setting)


provides = {"database": PostgresDatabase()}
