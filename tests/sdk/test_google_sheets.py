"""Google Sheets with Google's own Python client, its base URL changed and nothing else."""

from collections.abc import Iterator
from typing import Any

import pytest
from google.auth.credentials import AnonymousCredentials
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError
from googleapiclient.http import BatchHttpRequest

pytestmark = pytest.mark.sdk


@pytest.fixture
def service(gateway: Any) -> Iterator[Any]:
    base = gateway.episode(["google_sheets"]).rest("google_sheets")
    options = {"api_endpoint": f"{base}/"}
    with build(
        "sheets", "v4", static_discovery=True, client_options=options, credentials=AnonymousCredentials()
    ) as made:
        yield made.spreadsheets()


def refused(call: Any) -> HttpError:
    with pytest.raises(HttpError) as found:
        call.execute()
    return found.value


def test_a_spreadsheet_is_created_and_got(service: Any) -> None:
    row = {
        "values": [
            {"userEnteredValue": {"stringValue": "x"}, "userEnteredFormat": {"textFormat": {"bold": True}}},
            {"userEnteredValue": {"formulaValue": "=1+1"}},
        ]
    }
    body = {
        "properties": {"title": "Plan", "locale": "en_GB", "timeZone": "Europe/London"},
        "sheets": [{"properties": {"title": "First"}, "data": [{"startRow": 1, "rowData": [row]}]}, {"properties": {"title": "Two 2"}}],
        "namedRanges": [{"name": "top", "range": {"sheetId": 0, "endRowIndex": 2, "endColumnIndex": 2}}],
    }  # fmt: skip
    made = service.create(body=body).execute()
    assert made["spreadsheetUrl"] == f"https://docs.google.com/spreadsheets/d/{made['spreadsheetId']}/edit"
    assert len(made["spreadsheetId"]) == 44
    assert [s["properties"]["title"] for s in made["sheets"]] == ["First", "Two 2"]
    key = made["spreadsheetId"]
    got = service.get(spreadsheetId=key).execute()
    assert got == made
    assert got["properties"]["defaultFormat"]["textFormat"]["fontSize"] == 10
    whole = service.get(spreadsheetId=key, ranges=["top", "'Two 2'!A1"], includeGridData=True).execute()
    data = whole["sheets"][0]["data"][0]
    assert (data["rowData"][0], len(data["columnMetadata"])) == ({}, 2)
    first, second = data["rowData"][1]["values"]
    assert first["effectiveFormat"]["textFormat"]["bold"] is True
    assert (second["effectiveValue"], second["formattedValue"]) == ({"numberValue": 2}, "2")
    titles = service.get(spreadsheetId=key, fields="properties.title,sheets(properties(sheetId,title))").execute()
    assert titles["properties"] == {"title": "Plan"}
    assert titles["sheets"][0] == {"properties": {"sheetId": 0, "title": "First"}}
    by_filter = service.getByDataFilter(spreadsheetId=key, body={"dataFilters": [{"a1Range": "First!B2"}]}).execute()
    assert len(by_filter["sheets"]) == 1


def test_values(service: Any) -> None:
    key = service.create(body={"properties": {"title": "Values"}}).execute()["spreadsheetId"]
    values = service.values()
    told = values.update(
        spreadsheetId=key, range="Sheet1!A1:C3", valueInputOption="USER_ENTERED", includeValuesInResponse=True,
        responseValueRenderOption="UNFORMATTED_VALUE",
        body={"range": "Sheet1!A1:C3", "majorDimension": "ROWS", "values": [["Day", "Cost", "Sum"], ["2026-03-05", "$4", "=B2*2"]]},
    ).execute()  # fmt: skip
    assert (told["updatedRange"], told["updatedCells"]) == ("Sheet1!A1:C2", 6)
    assert told["updatedData"]["values"][1] == [46086, 4, 8]
    told = values.append(
        spreadsheetId=key, range="Sheet1!A1", valueInputOption="USER_ENTERED", insertDataOption="INSERT_ROWS",
        body={"values": [["2026-03-06", 5, "=B3*2"]]},
    ).execute()  # fmt: skip
    assert (told["tableRange"], told["updates"]["updatedRange"]) == ("Sheet1!A1:C2", "Sheet1!A3:C3")
    assert values.get(spreadsheetId=key, range="Sheet1!A2:C", majorDimension="COLUMNS").execute()["values"] == [
        ["2026-03-05", "2026-03-06"], ["$4", "$5"], ["$8", "$10"]
    ]  # fmt: skip
    got = values.get(
        spreadsheetId=key, range="A3", valueRenderOption="UNFORMATTED_VALUE", dateTimeRenderOption="FORMATTED_STRING"
    )
    assert got.execute()["values"] == [["2026-03-06"]]
    data = [
        {"range": "E1", "values": [[1]]},
        {"range": "E2:F2", "majorDimension": "COLUMNS", "values": [["=E1+1"], ["t"]]},
    ]
    told = values.batchUpdate(spreadsheetId=key, body={"valueInputOption": "USER_ENTERED", "data": data}).execute()
    assert (told["totalUpdatedCells"], told["totalUpdatedSheets"], len(told["responses"])) == (3, 1, 2)
    many = values.batchGet(spreadsheetId=key, ranges=["E1:F2", "C:C"], valueRenderOption="FORMULA").execute()
    assert [r.get("values") for r in many["valueRanges"]] == [[[1], ["=E1+1", "t"]], [["Sum"], ["=B2*2"], ["=B3*2"]]]
    body: dict[str, Any] = {"dataFilters": [{"gridRange": {"sheetId": 0, "startRowIndex": 0, "endRowIndex": 1}}]}
    assert values.batchGetByDataFilter(spreadsheetId=key, body=body).execute()["valueRanges"][0]["valueRange"]["values"] == [
        ["Day", "Cost", "Sum", "", "1"]
    ]  # fmt: skip
    filtered = {"valueInputOption": "RAW", "data": [{"dataFilter": {"a1Range": "F1"}, "values": [["=raw"]]}]}
    assert values.batchUpdateByDataFilter(spreadsheetId=key, body=filtered).execute()["totalUpdatedCells"] == 1
    assert values.clear(spreadsheetId=key, range="F1", body={}).execute()["clearedRange"] == "Sheet1!F1"
    cleared = values.batchClear(spreadsheetId=key, body={"ranges": ["E1:E2", "F2"]}).execute()
    assert cleared["clearedRanges"] == ["Sheet1!E1:E2", "Sheet1!F2"]
    assert values.batchClearByDataFilter(spreadsheetId=key, body=body).execute()["clearedRanges"] == ["Sheet1!A1:Z1"]


def test_batches(service: Any) -> None:
    key = service.create(body={"properties": {"title": "Batch"}}).execute()["spreadsheetId"]
    requests = [
        {"addSheet": {"properties": {"title": "New", "gridProperties": {"rowCount": 5, "columnCount": 3}}}},
        {"updateSpreadsheetProperties": {"properties": {"title": "Renamed"}, "fields": "title"}},
        {"updateCells": {
            "start": {"sheetId": 0}, "rows": [{"values": [{"userEnteredValue": {"numberValue": 3}}]}], "fields": "userEnteredValue",
        }},
        {"repeatCell": {
            "range": {"sheetId": 0, "endRowIndex": 1}, "cell": {"userEnteredFormat": {"textFormat": {"bold": True}}},
            "fields": "userEnteredFormat.textFormat.bold",
        }},
        {"addNamedRange": {"namedRange": {"name": "one", "range": {"sheetId": 0, "endRowIndex": 1, "endColumnIndex": 1}}}},
        {"findReplace": {"find": "3", "replacement": "4", "allSheets": True}},
        {"duplicateSheet": {"sourceSheetId": 0, "newSheetName": "Twin"}},
        {"addProtectedRange": {"protectedRange": {"range": {"sheetId": 0}, "warningOnly": True}}},
    ]  # fmt: skip
    done = service.batchUpdate(
        spreadsheetId=key, body={"requests": requests, "includeSpreadsheetInResponse": True}
    ).execute()
    replies = done["replies"]
    assert replies[0]["addSheet"]["properties"]["gridProperties"] == {"rowCount": 5, "columnCount": 3}
    assert (replies[1], replies[2], replies[3]) == ({}, {}, {})
    assert replies[5] == {
        "findReplace": {"valuesChanged": 1, "rowsChanged": 1, "sheetsChanged": 1, "occurrencesChanged": 1}
    }
    assert [s["properties"]["title"] for s in done["updatedSpreadsheet"]["sheets"]] == ["Twin", "Sheet1", "New"]
    assert service.values().get(spreadsheetId=key, range="one").execute()["values"] == [["4"]]
    other = service.create(body={}).execute()["spreadsheetId"]
    copied = service.sheets().copyTo(
        spreadsheetId=key, sheetId=0, body={"destinationSpreadsheetId": other}
    ).execute()  # fmt: skip
    assert (copied["title"], copied["index"]) == ("Copy of Sheet1", 1)
    wrong = refused(
        service.batchUpdate(spreadsheetId=key, body={"requests": [{"addSheet": {"properties": {"title": "new"}}}]})
    )
    assert wrong.resp.status == 400
    assert 'Invalid requests[0].addSheet: A sheet with the name "new" already exists.' in str(wrong)


def test_many_calls_in_one_request(gateway: Any) -> None:
    base = gateway.episode(["google_sheets"]).rest("google_sheets")
    options = {"api_endpoint": f"{base}/"}
    with build(
        "sheets", "v4", static_discovery=True, client_options=options, credentials=AnonymousCredentials()
    ) as made:
        sheets, told = made.spreadsheets(), dict[str, Any]()
        key = sheets.create(body={}).execute()["spreadsheetId"]
        batch = BatchHttpRequest(
            callback=lambda name, reply, error: told.update({name: error or reply}), batch_uri=f"{base}/batch"
        )
        body = {"values": [[1]]}
        batch.add(
            sheets.values().update(spreadsheetId=key, range="A1", valueInputOption="RAW", body=body), request_id="a"
        )
        batch.add(sheets.get(spreadsheetId="nope"), request_id="b")
        batch.execute()
        assert told["a"]["updatedRange"] == "Sheet1!A1"
        assert told["b"].resp.status == 404


def test_refusals(service: Any) -> None:
    assert "Requested entity was not found." in str(refused(service.get(spreadsheetId="nope")))
    key = service.create(body={}).execute()["spreadsheetId"]
    assert "Unable to parse range: Nope!A1" in str(refused(service.values().get(spreadsheetId=key, range="Nope!A1")))
    missing = refused(service.values().update(spreadsheetId=key, range="A1", body={"values": [[1]]}))
    assert "'valueInputOption' is required but not specified" in str(missing)
    beyond = refused(service.values().get(spreadsheetId=key, range="Sheet1!AA1"))
    assert "Range (Sheet1!AA1) exceeds grid limits. Max rows: 1000, max columns: 26" in str(beyond)


def test_a_sheet_of_the_world_is_walked_in_blocks(service: Any, gateway: Any) -> None:
    base = gateway.episode(["google_sheets"])
    found = gateway.request(
        "POST",
        f"{base.rest('google_sheets').removeprefix(gateway.url)}/v4/spreadsheets",
        {"properties": {"title": "Rows"}},
    ).json()
    options = {"api_endpoint": f"{base.rest('google_sheets')}/"}
    with build(
        "sheets", "v4", static_discovery=True, client_options=options, credentials=AnonymousCredentials()
    ) as made:
        values, key = made.spreadsheets().values(), found["spreadsheetId"]
        values.update(
            spreadsheetId=key, range="A1", valueInputOption="RAW", body={"values": [[n] for n in range(25)]}
        ).execute()
        seen, top = list[int](), 1
        while block := values.get(
            spreadsheetId=key, range=f"A{top}:A{top + 9}", valueRenderOption="UNFORMATTED_VALUE"
        ).execute().get("values"):  # fmt: skip
            seen += [row[0] for row in block]
            top += 10
        assert seen == list(range(25))
        assert top == 31
