"""The catalog of one database as a statement sees it: what is committed, with its own transaction's writes laid over.

Everything written goes through `put` and `remove` into a log. Outside a transaction the log is applied when the call ends; in one
it is kept as `Pending` and applied by COMMIT, dropped by ROLLBACK, cut by ROLLBACK TO.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic_core import to_json

from legoenv_mcp.app import Ctx

from . import models, values
from .errors import SqlError
from .models import Constraint, Enum, Index, Namespace, Policy, Record, Relation, Sequence, Table

T = TypeVar("T", bound=Table)
OBJECTS: tuple[type[Table], ...] = (
    models.Role,
    models.Database,
    Namespace,
    Relation,
    Constraint,
    Index,
    Sequence,
    Enum,
    Policy,
    models.Extension,
)
_GLOBAL = (models.Role, models.Database)
_BY_NAME = {cls.__name__: cls for cls in (*OBJECTS, Record)}


@dataclass(slots=True)
class Column:
    """A column of a relation. `default` is an expression's text; `identity` always, default or empty."""

    name: str
    kind: str
    mods: tuple[int, ...] = ()
    notnull: bool = False
    default: str = ""
    identity: str = ""
    generated: str = ""
    missing: Any = None
    comment: str = ""

    def stored(self) -> dict[str, Any]:
        found = {k: getattr(self, k) for k in self.__slots__}  # pyright: ignore[reportAttributeAccessIssue]
        found["mods"] = list(self.mods)
        return {k: v for k, v in found.items() if v not in ("", None, [], False) or k in ("name", "kind")}


def column(data: dict[str, Any]) -> Column:
    return Column(**{**data, "mods": tuple(data.get("mods", ()))})


def key_of(row: Table) -> tuple[Any, ...]:
    return tuple(row.__dict__[name] for name in type(row).shape().key)


class Catalog:
    def __init__(self, ctx: Ctx, database: str) -> None:
        self.ctx, self.database = ctx, database
        self.saved = 0
        self.log: list[tuple[type[Table], tuple[Any, ...], dict[str, Any] | None]] = []
        self.forget()

    def forget(self) -> None:
        """Drops what was read, so that it is read anew with the log as it is now."""
        self._objects: dict[type[Table], dict[tuple[Any, ...], Any]] = {}
        self._rows: dict[int, dict[int, tuple[Any, ...]]] = {}
        self._raw: dict[int, dict[int, dict[str, Any]]] = {}
        self._columns: dict[int, list[Column]] = {}
        self._names: dict[tuple[str, str], Relation] | None = None
        self._next: dict[int, int] = {}

    def cut(self, length: int) -> None:
        """Undoes everything after a point of the log."""
        if len(self.log) > length:
            del self.log[length:]
            self.saved = min(self.saved, length)
            self.forget()

    # Objects

    def objects(self, cls: type[T]) -> dict[tuple[Any, ...], T]:
        found = self._objects.get(cls)
        if found is None:
            filters: dict[str, Any] = {} if cls in _GLOBAL else {"database": self.database}
            found = {key_of(row): row for row in self.ctx.db.find(cls, **filters)}
            for other, key, data in self.log:
                if other is not cls:
                    continue
                if data is None:
                    found.pop(key, None)
                else:
                    found[key] = cls.of(dict(data))
            self._objects[cls] = found
        return found  # pyright: ignore[reportReturnType]

    def all(self, cls: type[T], **filters: Any) -> list[T]:
        return [o for o in self.objects(cls).values() if all(o.__dict__[k] == v for k, v in filters.items())]

    def first(self, cls: type[T], **filters: Any) -> T | None:
        return next(iter(self.all(cls, **filters)), None)

    def put(self, row: T, **changes: Any) -> T:
        """Writes an object, new or changed."""
        data = {k: v for k, v in row.__dict__.items() if not k.startswith("_sa")} | changes
        made = type(row).of(dict(data))
        self.log.append((type(row), key_of(made), data))
        self.objects(type(row))[key_of(made)] = type(row).of(dict(data))
        self._names = None
        if isinstance(made, Relation):
            self._columns.pop(made.oid, None)
        return self.objects(type(row))[key_of(made)]  # pyright: ignore[reportReturnType]

    def remove(self, row: Table) -> None:
        self.log.append((type(row), key_of(row), None))
        self.objects(type(row)).pop(key_of(row), None)
        self._names = None

    def new_oid(self) -> int:
        return self.ctx.sequence("oid", 16384)

    # Relations

    def relation(self, schema: str, name: str) -> Relation | None:
        if self._names is None:
            self._names = {(r.schema_, r.name): r for r in self.objects(Relation).values()}
        return self._names.get((schema, name))

    def namespace(self, name: str) -> Namespace | None:
        return self.first(Namespace, name=name)

    def by_oid(self, oid: int) -> Relation:
        return self.objects(Relation)[oid,]

    def columns(self, relation: Relation) -> list[Column]:
        found = self._columns.get(relation.oid)
        if found is None:
            found = self._columns[relation.oid] = [column(c) for c in relation.columns]
        return found

    def set_columns(self, relation: Relation, columns: list[Column], **more: Any) -> Relation:
        made = self.put(relation, columns=[c.stored() for c in columns], **more)
        self._rows.pop(relation.oid, None)
        self._raw.pop(relation.oid, None)
        return made

    def constraints(self, relation: Relation, *kinds: str) -> list[Constraint]:
        found = [
            c
            for c in self.objects(Constraint).values()
            if c.relation == relation.oid and (not kinds or c.kind in kinds)
        ]
        return sorted(found, key=lambda c: c.oid)

    def indexes(self, relation: Relation) -> list[Index]:
        return sorted((i for i in self.objects(Index).values() if i.relation == relation.oid), key=lambda i: i.oid)

    def enum_labels(self, kind: str) -> list[str]:
        schema, _, name = kind.partition(".")
        found = self.first(Enum, schema_=schema, name=name)
        return found.labels if found else []

    # Rows

    def _raw_rows(self, relation: Relation) -> dict[int, dict[str, Any]]:
        """The rows of a table by number, cells as they are stored."""
        raw = self._raw.get(relation.oid)
        if raw is None:
            stored = self.ctx.db.connection.execute(
                "SELECT n, cells FROM record WHERE relation = ? ORDER BY n", (relation.oid,)
            ).fetchall()
            cells = values.load_cells(f"[{','.join([text for _, text in stored])}]")
            raw = dict(zip([n for n, _ in stored], cells, strict=True))
            for cls, key, data in self.log:
                if cls is Record and key[0] == relation.oid:
                    if data is None:
                        raw.pop(key[1], None)
                    else:
                        raw[key[1]] = data["cells"]
            self._raw[relation.oid] = raw
        return raw

    def rows(self, relation: Relation) -> dict[int, tuple[Any, ...]]:
        """The rows of a table by number, cells in column order."""
        found = self._rows.get(relation.oid)
        if found is None:
            raw = self._raw_rows(relation)
            typed = self._typed(raw.values(), self.columns(relation))
            found = self._rows[relation.oid] = dict(zip(raw, typed, strict=True))
            del self._raw[relation.oid]
        return found

    def scan(self, relation: Relation, used: set[int]) -> list[tuple[Any, ...]]:
        """The rows for a query that looks at these columns alone: the others are not read."""
        if relation.oid in self._rows:
            return list(self._rows[relation.oid].values())
        raw = self._raw_rows(relation)
        columns = self.columns(relation)
        if not used:
            return [(None,) * len(columns)] * len(raw)
        return list(self._typed(raw.values(), [c if i in used else None for i, c in enumerate(columns)]))

    @staticmethod
    def _typed(
        rows: Iterable[dict[str, Any]], columns: "list[Column] | list[Column | None]"
    ) -> Iterator[tuple[Any, ...]]:
        loaded = [("", None, None) if c is None else (c.name, values.loader(c.kind), c.missing) for c in columns]
        if any(missing is not None for _, _, missing in loaded):
            for cells in rows:
                found = ((cells.get(n, missing), load) for n, load, missing in loaded)
                yield tuple([v if v is None or load is None else load(v) for v, load in found])
            return
        for cells in rows:
            get = cells.get
            yield tuple([v if (v := get(n)) is None or load is None else load(v) for n, load, _ in loaded])

    def write_row(self, relation: Relation, n: int, row: tuple[Any, ...]) -> None:
        cells = {c.name: values.stored(c.kind, v) for c, v in zip(self.columns(relation), row, strict=True)}
        self.log.append((Record, (relation.oid, n), {"relation": relation.oid, "n": n, "cells": cells}))
        self.rows(relation)[n] = row

    def add_row(self, relation: Relation, row: tuple[Any, ...]) -> int:
        """Writes a new row under the table's next number, which no row ever had."""
        n = self._next.get(relation.oid)
        if n is None:
            n = max(relation.next_row, max(self.rows(relation), default=0) + 1)
        self._next[relation.oid] = n + 1
        self.write_row(relation, n, row)
        return n

    def settle(self) -> None:
        """Notes how far the row numbers have come."""
        for oid, n in self._next.items():
            relation = self.objects(Relation).get((oid,))
            if relation is not None and relation.next_row < n:
                self.put(relation, next_row=n)
        self._next.clear()

    def delete_row(self, relation: Relation, n: int) -> None:
        self.log.append((Record, (relation.oid, n), None))
        self.rows(relation).pop(n, None)

    # Keeping

    def load_pending(self) -> None:
        for row in self.ctx.db.find(models.Pending, order="n", database=self.database):
            self.log.append((_BY_NAME[row.table], tuple(row.key), row.cells))
        self.saved = len(self.log)

    def save_pending(self) -> None:
        """Keeps the log for the transaction's next call."""
        self.settle()
        db = self.ctx.db
        db.delete_where(models.Pending, database=self.database, n__gt=self.saved)
        for n, (cls, key, data) in enumerate(self.log[self.saved :], self.saved + 1):
            plain = None if data is None else values.load_cells(to_json(data).decode())
            db.add(models.Pending(database=self.database, n=n, table=cls.__name__, key=list(key), cells=plain))
        self.saved = len(self.log)

    def apply(self) -> bool:
        """Writes the log's outcome to the committed rows; whether there was any."""
        self.settle()
        final = {(cls, key): data for cls, key, data in self.log}
        db = self.ctx.db
        for (cls, key), data in final.items():
            before = db.get(cls, key)
            if data is None:
                if before is not None:
                    db.delete(before)
            elif before is None:
                db.add(cls.of(dict(data)))
            else:
                moved = {k: v for k, v in data.items() if k not in cls.shape().key and before.__dict__[k] != v}
                db.update(before, **moved)
        self.log.clear()
        self.saved = 0
        return bool(final)


def missing_relation(name: str, at: int | None) -> SqlError:
    return SqlError("42P01", f'relation "{name}" does not exist', at)
