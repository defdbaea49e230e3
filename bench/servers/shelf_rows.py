"""The thousand items that every shelf starts with: the same as in `legoenv_mcp/bench/servers/shelf`."""

COLUMNS = "id, name, kind, amount, count, active, note, tags, created, updated"
CREATED = "2026-03-02T09:00:00Z"
SCHEMA = """
CREATE TABLE item (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, amount REAL NOT NULL, count INTEGER NOT NULL, active INTEGER NOT NULL,
    note TEXT, tags TEXT NOT NULL, created TEXT NOT NULL, updated TEXT NOT NULL
);
CREATE INDEX item_kind ON item (kind);
"""


def rows() -> list[tuple[object, ...]]:
    return [
        (f"it_{n:04}", f"Item {n}", "abcd"[n % 4], float(n), 0, 1, None, '["x"]', CREATED, CREATED) for n in range(1000)
    ]
