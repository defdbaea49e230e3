"""Store: the only way an app reads and writes its rows. Thin over `sqlite3`, with SQL text cached per shape of query.

Filters are keywords: `status="open"`, or `field__OP` with OP one of gt ge lt le ne in contains startswith null. A filter whose
value is None is skipped, so that an optional parameter can be passed straight on; `field__null=True` asks for NULL. Order is
`"name"` or `"-created,id"`.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, overload

from pydantic_core import to_json

from legoenv_mcp.kernel.errors import KernelFault
from legoenv_mcp.kernel.rows import Row, Shape, values_of

R = TypeVar("R", bound=Row)

Key = tuple[str, tuple[Any, ...]]
"""A row's place: table name and primary key."""

_MANY = 30_000
"""Values of a list beyond which they are bound as one JSON text: SQLite binds only so many."""

_OPERATORS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<=", "ne": "IS NOT"}


class Store:
    """Rows of one database. `touched` holds the keys written since `begin`; `writes` counts the rows changed."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.touched: dict[Key, None] = {}
        self.writes = 0
        self.seen: dict[tuple[str, Any], Any] | None = None
        """The rows that a reading call has got by their keys, as SQLite gave them: lists name the same few people on every row. None
        while something may be written."""

    # Reading

    def get(self, cls: type[R], key: Any) -> R | None:
        """The row with this primary key (a tuple where the key has several columns), or None."""
        shape, seen = cls.shape(), self.seen
        place = (shape.by_key, key)
        if seen is not None and isinstance(key, (int, str)) and place in seen:
            raw = seen[place]
        else:
            raw = self._read(shape.by_key, key if isinstance(key, tuple) else (key,)).fetchone()
            if seen is not None and isinstance(key, (int, str)):
                seen[place] = raw
        return None if raw is None else cls.of(shape.decode(raw))

    def find(
        self, cls: type[R], *, order: str = "", limit: int | None = None, offset: int = 0, **filters: Any
    ) -> list[R]:
        """Every row that passes the filters, in order (by default in that of the primary key)."""
        shape = cls.shape()
        where, values = self._where(shape, filters)
        return self._rows(cls, f"{shape.select}{where}{self._order(shape, order)}{_limit(limit, offset)}", values)

    def first(self, cls: type[R], *, order: str = "", **filters: Any) -> R | None:
        """The first row that passes the filters, or None."""
        rows = self.find(cls, order=order, limit=1, **filters)
        return rows[0] if rows else None

    def count(self, cls: type[Row], **filters: Any) -> int:
        """How many rows pass the filters."""
        where, values = self._where(cls.shape(), filters)
        return self._read(f'SELECT count(*) FROM "{cls.shape().table}"{where}', values).fetchone()[0]

    def where(
        self, cls: type[R], condition: str, values: Sequence[Any] | Mapping[str, Any] = (), *, order: str = "", limit: int | None = None,
        offset: int = 0,
    ) -> list[R]:  # fmt: skip
        """Rows for which an SQL condition over the table's columns holds: for query languages translated to SQL.

        The condition is text an app composed itself; callers' values go into `values`, never into the text.
        """
        shape = cls.shape()
        return self._rows(
            cls, f"{shape.select} WHERE {condition}{self._order(shape, order)}{_limit(limit, offset)}", values
        )

    def select(
        self, cls: type[R], condition: str, values: Sequence[Any] = (), *, order: str = ""
    ) -> "Selection[R]":  # fmt: skip
        """As `where`, read as far as it is looked at: a page of a long list costs no more than a page."""
        return Selection(self, cls, condition, values, order)

    def query(self, sql: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[dict[str, Any]]:
        """Raw columns of a SELECT, for joins and aggregates. A statement that writes is caught by the dispatcher."""
        cursor = self._read(sql, values)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, raw, strict=True)) for raw in cursor.fetchall()]

    # Writing

    def add(self, row: R) -> R:
        """Inserts a row; an integer key left None is assigned."""
        shape = row.shape()
        cursor = self.connection.execute(shape.insert, shape.encode(row.__dict__))
        if shape.auto_key and row.__dict__[shape.key[0]] is None:
            values_of(row)[shape.key[0]] = cursor.lastrowid
        self._note(shape, row)
        return row

    def update(self, row: R, **changes: Any) -> R:
        """Validates the changes, writes them, and returns the same object with them applied."""
        if not changes:
            return row
        shape = row.shape()
        for name, value in changes.items():
            if name not in shape.codecs or name in shape.key:
                raise KernelFault(f"{shape.table}.{name}: no such column to update")
            changes[name] = shape.adapters[name].validate_python(value)
        sets = ", ".join(f'"{name}" = ?' for name in changes)
        values = [encode(v) if (encode := shape.codecs[n].encode) else v for n, v in changes.items()]
        cursor = self.connection.execute(
            f'UPDATE "{shape.table}" SET {sets} WHERE {shape.where_key}', (*values, *_key(shape, row))
        )
        if cursor.rowcount != 1:
            raise KernelFault(f"{shape.table} {_key(shape, row)}: update of a row that is not there")
        values_of(row).update(changes)
        self._note(shape, row)
        return row

    def delete(self, row: Row) -> None:
        """Removes a row."""
        shape = row.shape()
        cursor = self.connection.execute(f'DELETE FROM "{shape.table}" WHERE {shape.where_key}', _key(shape, row))
        if cursor.rowcount != 1:
            raise KernelFault(f"{shape.table} {_key(shape, row)}: deletion of a row that is not there")
        self._note(shape, row)

    def delete_where(self, cls: type[Row], **filters: Any) -> int:
        """Removes every row that passes the filters; answers how many."""
        rows = self.find(cls, **filters)
        for row in rows:
            self.delete(row)
        return len(rows)

    # Shared

    def _note(self, shape: Shape, row: Row) -> None:
        self.touched[shape.table, _key(shape, row)] = None
        self.writes += 1

    def _rows(self, cls: type[R], sql: str, values: Sequence[Any] | Mapping[str, Any]) -> list[R]:
        decode, make = cls.shape().decode, cls.of
        return [make(decode(raw)) for raw in self._read(sql, values)]

    def _read(self, sql: str, values: Sequence[Any] | Mapping[str, Any]) -> sqlite3.Cursor:
        """Runs a query. Whole numbers that no column holds (an id that was calculated) compare as the floats they are near."""
        try:
            return self.connection.execute(sql, values)
        except OverflowError:
            if isinstance(values, Mapping):
                return self.connection.execute(sql, {name: _comparable(v) for name, v in values.items()})
            return self.connection.execute(sql, [_comparable(v) for v in values])

    @staticmethod
    def _where(shape: Shape, filters: Mapping[str, Any]) -> tuple[str, list[Any]]:
        terms, values = list[str](), list[Any]()
        for word, value in filters.items():
            if value is None:
                continue
            name, _, operator = word.partition("__")
            if name not in shape.codecs:
                raise KernelFault(f"{shape.table}.{name}: no such column to filter by")
            if operator == "":
                terms.append(f'"{name}" = ?')
                values.append(value)
            elif operator in _OPERATORS:
                terms.append(f'"{name}" {_OPERATORS[operator]} ?')
                values.append(value)
            elif operator == "in":
                chosen = list[Any](value)
                if len(chosen) > _MANY:
                    terms.append(f'"{name}" IN (SELECT value FROM json_each(?))')
                    values.append(to_json(chosen).decode())
                else:
                    terms.append(f'"{name}" IN ({", ".join("?" * len(chosen))})')
                    values += chosen
            elif operator == "null":
                terms.append(f'"{name}" IS {"" if value else "NOT "}NULL')
            # As LIKE folds case (ASCII alone), but LIKE itself takes no text over 50,000 bytes.
            elif operator == "contains":
                terms.append(f'instr(lower("{name}"), lower(?)) > 0')
                values.append(str(value))
            elif operator == "startswith":
                terms.append(f'substr(lower("{name}"), 1, ?) = lower(?)')
                values += [len(str(value)), str(value)]
            else:
                raise KernelFault(f"{word}: no such filter operator")
        return (" WHERE " + " AND ".join(terms) if terms else ""), values

    @staticmethod
    def _order(shape: Shape, order: str) -> str:
        """ORDER BY, with the primary key last, so that no order has ties."""
        if (known := shape.orders.get(order)) is not None:
            return known
        parts, named = list[str](), set[str]()
        for part in filter(None, (p.strip() for p in order.split(","))):
            name = part.lstrip("-")
            if name not in shape.codecs:
                raise KernelFault(f"{shape.table}.{name}: no such column to order by")
            parts.append(f'"{name}"{" DESC" if part.startswith("-") else ""}')
            named.add(name)
        parts += [f'"{name}"' for name in shape.key if name not in named]
        known = shape.orders[order] = " ORDER BY " + ", ".join(parts)
        return known


class Selection(Sequence[R]):
    """Rows that pass a condition, in order: counted and sliced by SQLite."""

    def __init__(self, store: Store, cls: type[R], condition: str, values: Sequence[Any], order: str) -> None:
        self._store, self._cls, self._condition, self._values, self._order = store, cls, condition, values, order

    def __len__(self) -> int:
        sql = f'SELECT count(*) AS n FROM "{self._cls.shape().table}" WHERE {self._condition}'
        return self._store.query(sql, self._values)[0]["n"]

    @overload
    def __getitem__(self, at: int) -> R: ...
    @overload
    def __getitem__(self, at: slice) -> list[R]: ...
    def __getitem__(self, at: int | slice) -> R | list[R]:
        if isinstance(at, slice) and (at.start or 0) >= 0 and at.stop is not None and at.stop >= 0 and at.step is None:
            return self._read(at.start or 0, max(0, at.stop - (at.start or 0)))
        places = range(len(self))[at]
        if isinstance(places, int):
            return self._read(places, 1)[0]
        if places.step != 1:
            raise KernelFault("a selection is read in its own order")
        return self._read(places.start, len(places))

    def _read(self, offset: int, limit: int) -> list[R]:
        return self._store.where(
            self._cls, self._condition, self._values, order=self._order, limit=limit, offset=offset
        )


def _comparable(value: Any) -> Any:
    if not isinstance(value, int) or -(2**63) <= value < 2**63:
        return value
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _key(shape: Shape, row: Row) -> tuple[Any, ...]:
    values = row.__dict__
    return tuple(values[name] for name in shape.key)


def _limit(limit: int | None, offset: int) -> str:
    return "" if limit is None and not offset else f" LIMIT {-1 if limit is None else int(limit)} OFFSET {int(offset)}"


def read_keys(
    connection: sqlite3.Connection, shapes: Mapping[str, Shape], keys: Iterable[Key]
) -> dict[Key, dict[str, Any] | None]:
    """The rows at these keys as plain dicts of column values (structured columns decoded), None where there is none."""
    found = dict[Key, dict[str, Any] | None]()
    for table, key in keys:
        shape = shapes[table]
        raw = connection.execute(shape.by_key, key).fetchone()
        found[table, key] = None if raw is None else dict(zip(shape.columns, raw, strict=True))
    return found
