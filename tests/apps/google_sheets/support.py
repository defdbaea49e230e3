"""What the tests of Google Sheets share."""

import json
from typing import Any

from legoenv_mcp.capabilities.spreadsheet import Column, Table, Workbook
from legoenv_mcp.faces import rest
from legoenv_mcp.kernel.context import Reply, Request
from legoenv_mcp.kernel.episode import Episode

BOOK = Workbook(key="ops", name="Operations", owner="alex.doyle", created="2026-01-05T10:12:40Z")


TABLE = Table(
    key="ops.orders",
    workbook="ops",
    name="Open orders",
    columns=(
        Column(name="Order"),
        Column(name="Count", kind="number"),
        Column(name="Price", kind="money"),
        Column(name="Due", kind="date"),
        Column(name="Paid", kind="yes_no"),
        Column(name="Mail", kind="email"),
        Column(name="State", kind="choice", choices=("new", "sent")),
    ),
    rows=(
        ("007", 3, 12.5, "2026-03-09", True, "a@b.example", "new"),
        ("Chairs", None, 40.0, None, False, None, "sent"),
        ("=not a formula", 1, None, "2026-04-01", None, None, None),
    ),
)


def call(episode: Episode, tool: str, **arguments: Any) -> Reply:
    return episode.app("google_sheets").call(tool, arguments)


def ok(episode: Episode, tool: str, **arguments: Any) -> Any:
    reply = call(episode, tool, **arguments)
    assert not reply.error, reply.body
    return reply.body


def refused(episode: Episode, tool: str, **arguments: Any) -> str:
    before = episode.changes()
    reply = call(episode, tool, **arguments)
    assert reply.error
    assert reply.status == 400, reply.body
    assert episode.changes() == before
    return reply.body["error"]["message"]


def http(episode: Episode, method: str, path: str, body: Any = None) -> Reply:
    url = f"http://x/v4/spreadsheets{path}"
    query = dict(part.split("=", 1) for part in url.partition("?")[2].split("&") if part)
    request = Request(
        method,
        f"/v4/spreadsheets{path.partition('?')[0]}",
        url,
        query,
        {"content-type": "application/json"},
        "http://x",
    )
    return rest.handle(episode.app("google_sheets"), request, b"" if body is None else json.dumps(body).encode())


def put(episode: Episode, key: str, cells: dict[str, Any]) -> None:
    ok(
        episode,
        "batch_update_values",
        spreadsheetId=key,
        data=[{"range": at, "values": [[value]]} for at, value in cells.items()],
    )


def value(episode: Episode, key: str, at: str, how: str = "UNFORMATTED_VALUE") -> Any:
    found = ok(episode, "get_values", spreadsheetId=key, range=at, valueRenderOption=how)
    return found["values"][0][0] if "values" in found else None
