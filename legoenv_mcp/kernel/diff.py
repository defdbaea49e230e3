"""State diff: what an episode changed, row by row, before against after."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from legoenv_mcp.kernel.rows import Shape
from legoenv_mcp.kernel.store import Key, read_keys

if TYPE_CHECKING:
    from legoenv_mcp.kernel.app import App


@dataclass(frozen=True, slots=True)
class Change:
    """One row changed. `before` and `after` are whole rows (None where there was or is none); `columns` are those that differ."""

    app: str
    table: str
    kind: Literal["insert", "update", "delete"]
    key: tuple[Any, ...]
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    columns: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        shown = {"app": self.app, "table": self.table, "change": self.kind, "key": list(self.key)}
        if self.kind == "insert":
            return {**shown, "after": self.after}
        if self.kind == "delete":
            return {**shown, "before": self.before}
        before, after = self.before or {}, self.after or {}
        return {**shown, "columns": {c: {"before": before[c], "after": after[c]} for c in self.columns}}


def changes_between(
    app: "App", before: sqlite3.Connection, after: sqlite3.Connection, keys: Iterable[Key]
) -> list[Change]:
    """The changes among these keys, in a fixed order. A change of derived columns alone is none."""
    wanted = sorted(keys, key=_place)
    old, new = read_keys(before, app.shapes, wanted), read_keys(after, app.shapes, wanted)
    found = list[Change]()
    for table, key in wanted:
        shape = app.shapes[table]
        was, now = old[table, key], new[table, key]
        if was == now or shape.cls.derived_table:
            continue
        if was is None or now is None:
            kind = "insert" if was is None else "delete"
            found.append(Change(app.slug, table, kind, key, _decoded(shape, was), _decoded(shape, now), shape.columns))
            continue
        columns = tuple(c for c in shape.columns if was[c] != now[c] and c not in shape.derived)
        if columns:
            found.append(Change(app.slug, table, "update", key, _decoded(shape, was), _decoded(shape, now), columns))
    return found


def _place(key: Key) -> tuple[Any, ...]:
    """Sorts keys of mixed types: numbers before text."""
    table, parts = key
    return table, [(isinstance(p, str), p if isinstance(p, str) else "", 0 if isinstance(p, str) else p) for p in parts]


def all_keys(app: "App", *connections: sqlite3.Connection) -> list[Key]:
    """Every key of every table in any of the databases: a whole comparison, to check that the touched keys miss nothing."""
    found = dict[Key, None]()
    for shape in app.shapes.values():
        names = ", ".join(f'"{name}"' for name in shape.key)
        for connection in connections:
            for key in connection.execute(f'SELECT {names} FROM "{shape.table}"'):
                found[shape.table, tuple(key)] = None
    return list(found)


def _decoded(shape: Shape, values: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if values is None else shape.decode(tuple(values.values()))
