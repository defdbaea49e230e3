"""Google Sheets: batches; canonical tables."""

from typing import Any
from urllib.parse import quote

from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp.capabilities.spreadsheet import Table
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.google_sheets.support import TABLE, call, http, ok, put, refused, value


def test_a_batch_is_atomic_and_tells_which_failed(episode: Episode, sheet: str) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"addSheet": {"properties": {"title": "Sheet1"}}},
         'Invalid requests[1].addSheet: A sheet with the name "Sheet1" already exists. Please enter another name.'),
        ({"deleteSheet": {"sheetId": 5}}, "Invalid requests[1].deleteSheet: No sheet with id: 5"),
        ({"updateCells": {"range": {"sheetId": 5}, "fields": "*"}}, "Invalid requests[1].updateCells: No grid with id: 5"),
        ({"addChart": {}}, "Invalid requests[1].addChart: This request is not supported."),
        ({"addMagic": {}}, "Invalid JSON payload received. Unknown name \"addMagic\" at 'requests[1]': Cannot find field."),
        ({"repeatCell": {"range": {"sheetId": 0}, "cell": {}}},
         "Invalid requests[1].repeatCell: At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)"),
        ({"deleteDimension": {"range": {"sheetId": 0, "dimension": "ROWS"}}},
         "Invalid requests[1].deleteDimension: You can't delete all the rows on the sheet."),
        ({"updateCells": {"start": {"sheetId": 0, "columnIndex": 26}, "rows": [{"values": [{}]}], "fields": "note"}},
         "Invalid requests[1].updateCells: Attempting to write column: 26, beyond the last requested column of: 25"),
    ]  # fmt: skip
    for request, message in wrong:
        first = {"addSheet": {"properties": {"title": "First"}}}
        assert refused(episode, "batch_update", spreadsheetId=sheet, requests=[first, request]) == message
    assert refused(episode, "batch_update", spreadsheetId=sheet, requests=[]) == "Must specify at least one request."
    assert refused(episode, "delete_sheet", spreadsheetId=sheet, sheet="Sheet1") == (
        "Invalid requests[0].deleteSheet: You can't remove all the visible sheets in a document."
    )


def test_rows_move_and_references_follow(episode: Episode, sheet: str) -> None:
    put(episode, sheet, {"A1": 1, "A2": 2, "A3": 3, "B1": "=SUM(A1:A3)", "B2": "=A3", "B3": "=A$1"})
    ok(episode, "add_named_range", spreadsheetId=sheet, name="all", range="Sheet1!A1:A3")

    def formulas() -> list[str]:
        return [
            f["formula"] for f in ok(episode, "get_sheet_formulas", spreadsheetId=sheet, sheet="Sheet1")["formulas"]
        ]

    ok(episode, "add_rows", spreadsheetId=sheet, sheet="Sheet1", count=2, startRow=2)
    assert formulas() == ["=SUM(A1:A5)", "=A5", "=A$1"]
    named = ok(episode, "list_named_ranges", spreadsheetId=sheet)["namedRanges"]
    assert [n["a1Range"] for n in named] == ["Sheet1!A1:A5"]
    ok(episode, "delete_rows", spreadsheetId=sheet, sheet="Sheet1", startRow=5)
    assert formulas() == ["=SUM(A1:A4)", "=#REF!"]
    ok(episode, "add_columns", spreadsheetId=sheet, sheet="Sheet1", count=1, startColumn=1)
    assert formulas() == ["=SUM(B1:B4)", "=#REF!"]
    move = {"source": {"sheetId": 0, "dimension": "ROWS", "startIndex": 0, "endIndex": 1}, "destinationIndex": 4}
    ok(episode, "batch_update", spreadsheetId=sheet, requests=[{"moveDimension": move}])
    assert value(episode, sheet, "B4") == 1
    ok(episode, "rename_sheet", spreadsheetId=sheet, sheet="Sheet1", newName="My data")
    put(episode, sheet, {"'My data'!Z1": "='My data'!B4"})
    ok(episode, "rename_sheet", spreadsheetId=sheet, sheet="My data", newName="Data")
    assert value(episode, sheet, "Data!Z1", "FORMULA") == "=Data!B4"


def test_cells_sorted_copied_and_tidied(episode: Episode, sheet: str) -> None:
    rows = [["n", "v", "w"], ["b", 2, "=B2*10"], ["a", None, "=B3*10"], ["c", 1, "=B4*10"], ["b", 2, "=B5*10"]]
    ok(episode, "update_values", spreadsheetId=sheet, range="A1", values=rows)
    ok(episode, "sort_range", spreadsheetId=sheet, range="A1:C5", column="B", sortOrder="DESCENDING", headerRow=True)
    found = ok(episode, "get_values", spreadsheetId=sheet, range="A2:C5")["values"]
    assert found == [["b", "2", "20"], ["b", "2", "20"], ["c", "1", "10"], ["a", "", "0"]]
    assert (
        ok(episode, "delete_duplicates", spreadsheetId=sheet, range="A2:C5", columns=["A"])["duplicatesRemovedCount"]
        == 1
    )
    ok(episode, "copy_paste", spreadsheetId=sheet, source="C2", destination="D2:D4")
    assert value(episode, sheet, "D3", "FORMULA") == "=C3*10"
    ok(episode, "copy_paste", spreadsheetId=sheet, source="A1:C1", destination="F1", transpose=True)
    assert ok(episode, "get_values", spreadsheetId=sheet, range="F1:F3")["values"] == [["n"], ["v"], ["w"]]
    told = ok(episode, "replace_text", spreadsheetId=sheet, find="^([ab])$", replacement="x$1", searchByRegex=True)
    assert told == {"valuesChanged": 2, "rowsChanged": 2, "sheetsChanged": 1, "occurrencesChanged": 2}
    put(episode, sheet, {"G1": "'  too   wide "})
    assert ok(episode, "trim_whitespace", spreadsheetId=sheet, range="G1:G9") == {"cellsChangedCount": 1}
    assert value(episode, sheet, "G1") == "too wide"


def test_formats_and_masks(episode: Episode, sheet: str) -> None:
    put(episode, sheet, {"A1": 0.256})
    ok(
        episode,
        "format_cells",
        spreadsheetId=sheet,
        range="A1",
        bold=True,
        numberFormatType="PERCENT",
        numberFormatPattern="0.0%",
    )
    assert value(episode, sheet, "A1", "FORMATTED_VALUE") == "25.6%"
    cell = {"userEnteredFormat": {"textFormat": {"italic": True}}}
    request = {
        "repeatCell": {
            "range": {"sheetId": 0, "endRowIndex": 1, "endColumnIndex": 1},
            "cell": cell,
            "fields": "userEnteredFormat(textFormat.italic,numberFormat)",
        }
    }
    ok(episode, "batch_update", spreadsheetId=sheet, requests=[request])
    path = f"/{sheet}?ranges=A1&fields=sheets.data.rowData.values(userEnteredFormat,formattedValue)"
    (row,) = http(episode, "GET", path).body["sheets"][0]["data"][0]["rowData"]
    assert row["values"] == [
        {"userEnteredFormat": {"textFormat": {"bold": True, "italic": True}}, "formattedValue": "0.256"}
    ]
    ok(episode, "clear_values", spreadsheetId=sheet, range="A1")
    assert [c.after["format"]["textFormat"] for c in episode.changes() if c.table == "cell" and c.after] == [
        {"bold": True, "italic": True}
    ]


def test_merges_filters_validation(episode: Episode, sheet: str) -> None:
    put(episode, sheet, {"A1": "h", "A2": "x", "A3": "y", "B1": 1, "B2": 2})
    ok(episode, "merge_cells", spreadsheetId=sheet, range="A1:B1")
    assert value(episode, sheet, "B1") is None
    assert "select all cells in a merged range" in refused(episode, "merge_cells", spreadsheetId=sheet, range="B1:C2")
    ok(episode, "unmerge_cells", spreadsheetId=sheet, range="A1:C1")
    ok(episode, "set_basic_filter", spreadsheetId=sheet, range="A1:B3", column="A", hiddenValues=["y"])
    (row,) = [c.after for c in episode.changes() if c.table == "sheet"]
    assert row is not None
    assert row["rows"] == {"2": {"hiddenByFilter": True}}
    ok(episode, "clear_basic_filter", spreadsheetId=sheet, sheet="Sheet1")
    ok(episode, "set_data_validation", spreadsheetId=sheet, range="C2:C3", choices=["a", "b"])
    ok(episode, "set_data_validation", spreadsheetId=sheet, range="C3")
    assert len([c for c in episode.changes() if c.table == "cell" and c.after and c.after["validation"]]) == 1
    assert "expected 1 to 500" in refused(episode, "set_data_validation", spreadsheetId=sheet, range="C2", choices=[])


def test_columns_lie_within_the_range(episode: Episode, sheet: str) -> None:
    put(episode, sheet, {"A1": "h", "A2": "x", "A3": "x"})
    wrong = refused(episode, "delete_duplicates", spreadsheetId=sheet, range="A1:B3", columns=["Z"])
    assert wrong.endswith("comparisonColumns must be within the range [Sheet1!A1:B3].")
    wrong = refused(episode, "set_basic_filter", spreadsheetId=sheet, range="A1:B3", column="C", hiddenValues=["x"])
    assert wrong.endswith("Attempting to filter on column 2, which is outside the range [Sheet1!A1:B3].")


def test_protected_cells_are_for_their_editors(episode: Episode) -> None:
    world = episode_of("google_sheets", world="quaymark")
    books = ok(world, "list_spreadsheets", query="Budget")["spreadsheets"]
    key = books[0]["spreadsheetId"]
    assert books[0]["ownerName"] == "Dmitri Volkov"
    title = ok(world, "list_sheets", spreadsheetId=key)["sheets"][0]["title"]
    made = ok(world, "add_protected_range", spreadsheetId=key, range=f"'{title}'!A1:B2")
    ok(world, "update_cells", spreadsheetId=key, sheet=title, range="A1", data=[["mine"]])
    live = world.app("google_sheets")
    live.store.connection.execute("UPDATE protected_range SET editors = '[]'")
    for tool, rest_of in (
        ("update_cells", {"range": "B2", "data": [[1]]}),
        ("delete_rows", {"startRow": 1}),
        ("delete_sheet", {}),
    ):
        assert "You are trying to edit a protected cell or object." in refused(
            world, tool, spreadsheetId=key, sheet=title, **rest_of
        )
    assert "permission" in refused(
        world, "delete_protected_range", spreadsheetId=key, protectedRangeId=made["protectedRangeId"]
    )
    ok(world, "update_cells", spreadsheetId=key, sheet=title, range="C3", data=[[1]])


def test_unknown_things_are_not_found(episode: Episode, sheet: str) -> None:
    reply = call(episode, "get_values", spreadsheetId="nope", range="A1")
    assert (reply.status, reply.body["error"]["message"]) == (404, "Requested entity was not found.")
    assert call(episode, "copy_sheet_to", spreadsheetId=sheet, sheetId=0, destinationSpreadsheetId="nope").status == 404
    assert http(episode, "GET", f"/{sheet}?nope=1").status == 400
    assert http(episode, "GET", f"/{sheet}?fields=a(").status == 400
    assert (
        http(episode, "POST", f"/{sheet}/values/{quote('Sheet1!A1:B2')}:clear", {}).body["clearedRange"]
        == "Sheet1!A1:B2"
    )


def test_pages_of_lists_and_rows(episode: Episode) -> None:
    world = episode_of("google_sheets", world="quaymark")
    seen, token, pages = list[str](), None, 0
    while pages == 0 or token:
        page = ok(world, "list_spreadsheets", pageSize=3, **({"pageToken": token} if token else {}))
        seen += [s["spreadsheetId"] for s in page["spreadsheets"]]
        token, pages = page.get("nextPageToken"), pages + 1
    assert len(seen) == len(set(seen)) == ok(world, "list_spreadsheets")["spreadsheets"].__len__()
    assert pages == 3
    key = ok(world, "list_spreadsheets", query="Pipeline")["spreadsheets"][0]["spreadsheetId"]
    rows, at = list[int](), 1
    while at:
        page = ok(world, "get_sheet_data", spreadsheetId=key, sheet="Closed since September", startRow=at, maxRows=10)
        rows += [r["row"] for r in page["rows"]]
        at = page.get("nextStartRow", 0)
    assert rows == list(range(1, 32))


def tables(episode: Episode) -> list[Table]:
    live = episode.app("google_sheets")
    ctx, shape = Ctx(live, None, None, Request()), live.app.shapes["sheet"]
    found = [
        live.app.provides["spreadsheet"].view(ctx, "sheet", shape.decode(raw))
        for raw in live.store.connection.execute(shape.select)
    ]
    return [t for t in found if isinstance(t, Table)]


def test_a_table_comes_back_as_it_was_filled(episode: Episode) -> None:
    (table,) = tables(episode)
    assert (table.name, table.columns, table.rows) == (TABLE.name, TABLE.columns, TABLE.rows)
    key = ok(episode, "list_spreadsheets")["spreadsheets"][0]["spreadsheetId"]
    found = ok(episode, "get_values", spreadsheetId=key, range="Open orders!A2:G3")["values"]
    assert found == [
        ["007", "3", "12.50", "2026-03-09", "TRUE", "a@b.example", "new"],
        ["Chairs", "", "40.00", "", "FALSE", "", "sent"],
    ]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.lists(
            st.one_of(st.none(), st.integers(-(10**9), 10**9), st.booleans(), st.text(max_size=8)),
            min_size=1,
            max_size=4,
        ),
        min_size=1,
        max_size=4,
    )
)
def test_raw_values_come_back(rows: list[list[Any]]) -> None:
    episode = episode_of("google_sheets")
    key = ok(episode, "create_spreadsheet", title="Any")["spreadsheetId"]
    reply = call(episode, "update_values", spreadsheetId=key, range="A1", values=rows, valueInputOption="RAW")
    if reply.error:  # text that is no Unicode
        return
    found = ok(episode, "get_values", spreadsheetId=key, range="Sheet1", valueRenderOption="UNFORMATTED_VALUE").get(
        "values", []
    )
    for r, row in enumerate(rows):
        for c, given_value in enumerate(row):
            there = found[r][c] if r < len(found) and c < len(found[r]) else ""
            assert there == ("" if given_value is None else given_value)


async def test_over_mcp(episode: Episode) -> None:
    async with Client(serve(episode, ["google_sheets"])) as client:
        names = [t.name for t in (await client.list_tools()).tools]
        assert {"get_values", "batch_update", "append_values", "list_spreadsheets"} <= set(names)
        assert 25 <= len(names) <= 60
        found = await client.call_tool("list_spreadsheets", {})
        assert found.structured_content is not None
        assert [s["title"] for s in found.structured_content["spreadsheets"]] == ["Operations"]
