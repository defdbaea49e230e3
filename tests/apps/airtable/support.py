"""What the tests of Airtable share."""

import json
from typing import Any
from unittest.mock import patch
from urllib.parse import urlencode

from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.spreadsheet import Column, Table, Workbook
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of

WORLD: list[Entity] = [
    Workbook(key="shop", name="Shop", created="2026-01-05T10:00:00Z"),
    Table(
        key="orders",
        workbook="shop",
        name="Orders",
        columns=(
            Column(name="Order"),
            Column(name="Amount", kind="money"),
            Column(name="Pieces", kind="number"),
            Column(name="Due", kind="date"),
            Column(name="Paid", kind="yes_no"),
            Column(name="Status", kind="choice", choices=("open", "packed", "sent")),
            Column(name="Contact", kind="email"),
            Column(name="Long note"),
        ),
        rows=(
            ("A-1", 120.5, 2, "2026-03-10", True, "sent", "ann@x.example", "two\nlines"),
            ("A-2", 80, 10, "2026-03-01", False, "open", "bob@x.example", None),
            ("A-3", None, 1, None, False, "packed", None, "Blue"),
            ("b-4", 300, 7, "2026-02-20", False, "open", "Cy@x.example", 'says "hi"'),
        ),
    ),
    Table(key="people", workbook="shop", name="People", columns=(Column(name="Name"),), rows=(("Ann",), ("Bob",))),
]


class Shop:
    """An episode over the shop's base, and how tests talk to it."""

    def __init__(self) -> None:
        self.episode: Episode = episode_of("airtable", WORLD)
        self.live = self.episode.app("airtable")
        self.base = self.live.template.refs["spreadsheet.Workbook"]["shop"]

    def call(self, tool: str, **arguments: Any) -> Any:
        reply = self.live.call(tool, arguments)
        assert not reply.error, reply.body
        return reply.body

    def orders(self, tool: str = "list_records", **arguments: Any) -> Any:
        return self.call(tool, baseId=self.base, tableId="Orders", **arguments)

    def refused(self, tool: str, **arguments: Any) -> tuple[int, str]:
        """Status and type of a refusal, which must leave everything as it was."""
        before, writes = self.live.changes(), self.live.write_count
        reply = self.live.call(tool, arguments)
        assert reply.error, reply.body
        assert (self.live.changes(), self.live.write_count) == (before, writes)
        error = reply.body["error"]
        return reply.status, error if isinstance(error, str) else error["type"]

    def rest(self, method: str, path: str, body: Any = None, query: dict[str, Any] | None = None) -> tuple[int, Any]:
        text = urlencode(query or {}, doseq=True)
        url = f"{path}?{text}" if text else path
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        reply = handle(self.live, Request(method, path, url, {}, {"content-type": "application/json"}), raw)
        return reply.status, reply.body

    def names(self, **arguments: Any) -> list[str]:
        return [r["fields"]["Order"] for r in self.orders(**arguments)["records"]]

    def matching(self, formula: str) -> list[str]:
        return self.names(filterByFormula=formula)

    def ids(self, table: str = "Orders", field: str = "Order") -> dict[str, str]:
        found = self.call("list_records", baseId=self.base, tableId=table)["records"]
        return {r["fields"][field]: r["id"] for r in found}

    def field(self, name: str, table: str = "Orders") -> dict[str, Any]:
        fields = self.call("describe_table", baseId=self.base, tableId=table)["fields"]
        return next(f for f in fields if f["name"] == name)

    def add_field(self, name: str, type: str, table: str = "Orders", **options: Any) -> dict[str, Any]:
        """Makes a field as people do in Airtable itself, which makes computed ones too."""
        given = {"options": options} if options else {}
        with patch("legoenv_mcp.servers.airtable.kinds.UNMADE", frozenset()):
            return self.call("create_field", baseId=self.base, tableId=table, name=name, type=type, **given)
