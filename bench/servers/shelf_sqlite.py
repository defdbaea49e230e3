"""A shelf over bare sqlite3 in memory: what somebody writes who wants it small and fast."""

import json
import sqlite3
from typing import Any

from shelf_rows import COLUMNS, CREATED, SCHEMA, rows

NAMES = COLUMNS.split(", ")


class Shelf:
    """One private shelf."""

    def __init__(self) -> None:
        self._db = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._db.executescript(SCHEMA)
        self._db.execute("BEGIN")
        self._db.executemany(f"INSERT INTO item ({COLUMNS}) VALUES ({', '.join('?' * len(NAMES))})", rows())
        self._db.execute("COMMIT")
        self._added = 0

    def get_item(self, id: str) -> dict[str, Any]:
        found = self._db.execute(f"SELECT {COLUMNS} FROM item WHERE id = ?", (id,)).fetchone()
        if found is None:
            raise ValueError(f"there is no item {id!r}")
        return _item(found)

    def list_items(self, kind: str | None, limit: int) -> list[dict[str, Any]]:
        where, given = ("WHERE kind = ?", [kind]) if kind else ("", [])
        found = self._db.execute(f"SELECT {COLUMNS} FROM item {where} LIMIT ?", (*given, limit))
        return [_item(row) for row in found]

    def add_item(self, name: str, kind: str, amount: float) -> dict[str, Any]:
        self._added += 1
        row = (f"new_{self._added:08}", name, kind, amount, 0, 1, None, "[]", CREATED, CREATED)
        self._db.execute(f"INSERT INTO item ({COLUMNS}) VALUES ({', '.join('?' * len(NAMES))})", row)
        return _item(row)


def _item(row: tuple[Any, ...]) -> dict[str, Any]:
    item = dict(zip(NAMES, row, strict=True))
    return {**item, "active": bool(item["active"]), "tags": json.loads(item["tags"])}
