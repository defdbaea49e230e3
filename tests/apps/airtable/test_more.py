"""Airtable: files are shown in the records that hold them."""

import base64
from typing import Any

from legoenv_mcp.capabilities.spreadsheet import Column, Table, Workbook
from legoenv_mcp.testing import episode_of

WORLD = [
    Workbook(key="shop", name="Shop", created="2026-01-05T10:00:00Z"),
    Table(key="orders", workbook="shop", name="Orders", columns=(Column(name="Order"),), rows=(("A-1",), ("A-2",))),
]


def test_files_are_shown_in_their_record() -> None:
    live = episode_of("airtable", WORLD).app("airtable")
    base = live.template.refs["spreadsheet.Workbook"]["shop"]

    def call(tool: str, **arguments: Any) -> Any:
        reply = live.call(tool, {"baseId": base, **arguments})
        assert not reply.error, reply.body
        return reply.body

    call("create_field", tableId="Orders", name="Files", type="multipleAttachments")
    rows = call("list_records", tableId="Orders")["records"]
    first, second = ({"tableId": "Orders", "recordId": row["id"]} for row in rows)
    call("update_record", **first, fields={"Files": [{"url": "https://x.example/a/plan.pdf"}]})
    note = {"contentType": "text/plain", "file": base64.b64encode(b"hello").decode(), "filename": "note.txt"}
    call("upload_attachment", recordId=first["recordId"], attachmentFieldIdOrName="Files", **note)

    record = call("get_record", **first)
    files = record["fields"]["Files"]
    assert [(f["filename"], f["type"], f["size"]) for f in files] == [
        ("plan.pdf", "application/pdf", 0),
        ("note.txt", "text/plain", 5),
    ]
    assert "Files" not in call("get_record", **second)["fields"]
    found = call("search_records", tableId="Orders", searchTerm="A-1")["records"]
    assert [r["fields"]["Files"] for r in found] == [files]
