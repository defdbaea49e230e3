"""Google Sheets: sheets copied, moved, sized and deleted; columns, names and protections taken away."""

from typing import Any

import pytest

from legoenv_mcp.faces import rest
from legoenv_mcp.kernel.context import Reply, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of

APP = "google_sheets"


@pytest.fixture
def episode() -> Episode:
    return episode_of(APP)


def call(episode: Episode, tool: str, **arguments: Any) -> Reply:
    return episode.call(APP, tool, arguments)


def ok(episode: Episode, tool: str, **arguments: Any) -> Any:
    reply = call(episode, tool, **arguments)
    assert not reply.error, reply.body
    return reply.body


def refused(episode: Episode, tool: str, status: int = 400, **arguments: Any) -> str:
    before = episode.changes()
    reply = call(episode, tool, **arguments)
    assert reply.status == status, reply.body
    assert episode.changes() == before
    return reply.body["error"]["message"]


@pytest.fixture
def sheet(episode: Episode) -> str:
    """The id of a spreadsheet with a few cells."""
    key = ok(episode, "create_spreadsheet", title="Calc")["spreadsheetId"]
    rows = [["Item", "Note", "Price"], ["Desk", "oak", 120], ["Lamp", "", 30], ["Sum", "", "=SUM(C2:C3)"]]
    ok(episode, "update_cells", spreadsheetId=key, sheet="Sheet1", range="A1:C4", data=rows)
    return key


def titles(episode: Episode, key: str) -> list[str]:
    return [s["title"] for s in ok(episode, "list_sheets", spreadsheetId=key)["sheets"]]


def values(episode: Episode, key: str, at: str) -> Any:
    found = ok(episode, "get_values", spreadsheetId=key, range=at, valueRenderOption="UNFORMATTED_VALUE")
    return found.get("values", [])


def test_a_sheet_is_copied_beside_itself_and_deleted(episode: Episode, sheet: str) -> None:
    ok(episode, "create_sheet", spreadsheetId=sheet, title="Last")
    made = ok(episode, "duplicate_sheet", spreadsheetId=sheet, sheet="Sheet1")
    assert (made["title"], made["index"]) == ("Copy of Sheet1", 1)
    named = ok(episode, "duplicate_sheet", spreadsheetId=sheet, sheet="Last", newName="Spare")
    assert named["sheetId"] not in (made["sheetId"], 0)
    assert titles(episode, sheet) == ["Sheet1", "Copy of Sheet1", "Last", "Spare"]
    ok(episode, "update_cells", spreadsheetId=sheet, sheet="Copy of Sheet1", range="C2", data=[[1]])
    assert values(episode, sheet, "'Copy of Sheet1'!C4") == [[31]]
    assert values(episode, sheet, "Sheet1!C4") == [[150]]
    assert "Spare" in refused(episode, "duplicate_sheet", spreadsheetId=sheet, sheet="Last", newName="Spare")
    assert refused(episode, "duplicate_sheet", spreadsheetId=sheet, sheet="None")

    gone = ok(episode, "delete_sheet", spreadsheetId=sheet, sheet="Copy of Sheet1")
    assert gone == {"deletedSheetId": made["sheetId"], "sheets": ["Sheet1", "Last", "Spare"]}
    assert titles(episode, sheet) == ["Sheet1", "Last", "Spare"]
    assert refused(episode, "get_values", spreadsheetId=sheet, range="'Copy of Sheet1'!C4")
    assert not [c for c in episode.changes() if c.after and c.after.get("sheet_id") == made["sheetId"]]
    assert refused(episode, "delete_sheet", spreadsheetId=sheet, sheet="Copy of Sheet1")
    for title in ("Last", "Spare"):
        ok(episode, "delete_sheet", spreadsheetId=sheet, sheet=title)
    assert refused(episode, "delete_sheet", spreadsheetId=sheet, sheet="Sheet1")


def test_a_sheet_is_copied_to_another_spreadsheet(episode: Episode, sheet: str) -> None:
    target = ok(episode, "create_spreadsheet", title="Archive")["spreadsheetId"]
    asked = {"srcSpreadsheet": sheet, "srcSheet": "Sheet1", "dstSpreadsheet": target}
    assert ok(episode, "copy_sheet", **asked)["title"] == "Copy of Sheet1"
    assert ok(episode, "copy_sheet", **asked, dstSheet="March")["index"] == 2
    assert titles(episode, target) == ["Sheet1", "Copy of Sheet1", "March"]
    assert titles(episode, sheet) == ["Sheet1"]
    assert values(episode, target, "March!A4:C4") == [["Sum", "", 150]]
    ok(episode, "update_cells", spreadsheetId=sheet, sheet="Sheet1", range="C2", data=[[0]])
    assert values(episode, target, "March!C4") == [[150]]
    assert refused(episode, "copy_sheet", **asked, dstSheet="March")
    assert refused(episode, "copy_sheet", **{**asked, "srcSheet": "None"})
    assert refused(episode, "copy_sheet", 404, **{**asked, "dstSpreadsheet": "nope"})


def test_what_is_said_of_a_sheet_changes(episode: Episode, sheet: str) -> None:
    ok(episode, "create_sheet", spreadsheetId=sheet, title="Notes")
    said = ok(
        episode, "update_sheet_properties", spreadsheetId=sheet, sheet="Sheet1", frozenRowCount=1, rowCount=3,
        columnCount=5,
    )  # fmt: skip
    assert said["gridProperties"] == {"rowCount": 3, "columnCount": 5, "frozenRowCount": 1}
    assert values(episode, sheet, "Sheet1!A1:C3")[-1] == ["Lamp", "", 30]
    assert refused(episode, "get_values", spreadsheetId=sheet, range="Sheet1!A4")
    ok(episode, "update_sheet_properties", spreadsheetId=sheet, sheet="Notes", index=0, hidden=True)
    shown = [s["properties"] for s in ok(episode, "get_spreadsheet", spreadsheetId=sheet)["sheets"]]
    assert [(p["title"], p.get("hidden", False)) for p in shown] == [("Notes", True), ("Sheet1", False)]
    assert refused(episode, "update_sheet_properties", spreadsheetId=sheet, sheet="Sheet1", hidden=True)
    assert refused(episode, "update_sheet_properties", spreadsheetId=sheet, sheet="Sheet1")
    assert refused(episode, "update_sheet_properties", spreadsheetId=sheet, sheet="None", index=0)


def test_columns_are_deleted_and_formulas_follow(episode: Episode, sheet: str) -> None:
    width = ok(episode, "list_sheets", spreadsheetId=sheet)["sheets"][0]["gridProperties"]["columnCount"]
    said = ok(episode, "delete_columns", spreadsheetId=sheet, sheet="Sheet1", startColumn=2)
    assert said["gridProperties"]["columnCount"] == width - 1
    assert values(episode, sheet, "Sheet1!A1:C4") == [["Item", "Price"], ["Desk", 120], ["Lamp", 30], ["Sum", 150]]
    told = ok(episode, "get_values", spreadsheetId=sheet, range="Sheet1!B4", valueRenderOption="FORMULA")
    assert told["values"] == [["=SUM(B2:B3)"]]
    assert refused(episode, "delete_columns", spreadsheetId=sheet, sheet="Sheet1", startColumn=width + 9)
    assert refused(episode, "delete_columns", spreadsheetId=sheet, sheet="Sheet1", startColumn=1, count=width - 1)
    assert refused(episode, "delete_columns", spreadsheetId=sheet, sheet="None", startColumn=1)


def test_names_and_protections_are_taken_away(episode: Episode, sheet: str) -> None:
    ok(episode, "add_named_range", spreadsheetId=sheet, name="Prices", range="Sheet1!C2:C3")
    assert values(episode, sheet, "Prices") == [[120], [30]]
    assert ok(episode, "delete_named_range", spreadsheetId=sheet, name="Prices")["deletedName"] == "Prices"
    assert refused(episode, "get_values", spreadsheetId=sheet, range="Prices")
    assert "namedRanges" not in ok(episode, "get_spreadsheet", spreadsheetId=sheet)
    assert values(episode, sheet, "Sheet1!C2:C3") == [[120], [30]]
    assert refused(episode, "delete_named_range", spreadsheetId=sheet, name="Prices")

    guard = ok(episode, "add_protected_range", spreadsheetId=sheet, range="Sheet1!A1:C1")["protectedRangeId"]
    assert "protectedRanges" in ok(episode, "get_spreadsheet", spreadsheetId=sheet)["sheets"][0]
    path, wanted = f"/v4/spreadsheets/{sheet}:getByDataFilter", b'{"dataFilters": [{"a1Range": "Sheet1!A1"}]}'
    request = Request("POST", path, f"http://x{path}", {}, {"content-type": "application/json"}, "http://x")
    chosen = rest.handle(episode.app(APP), request, wanted)
    assert not chosen.error, chosen.body
    (shown,) = chosen.body["sheets"][0]["protectedRanges"]
    assert shown["requestingUserCanEdit"]
    assert shown["editors"] == {"users": ["alex.doyle@brightwater.example"]}
    assert refused(episode, "delete_protected_range", spreadsheetId=sheet, protectedRangeId=guard + 1)
    gone = ok(episode, "delete_protected_range", spreadsheetId=sheet, protectedRangeId=guard)
    assert gone == {"spreadsheetId": sheet, "deletedProtectedRangeId": guard}
    assert "protectedRanges" not in ok(episode, "get_spreadsheet", spreadsheetId=sheet)["sheets"][0]
    assert not [c for c in episode.changes() if c.table == "protected_range"]
    assert refused(episode, "delete_protected_range", spreadsheetId=sheet, protectedRangeId=guard)
