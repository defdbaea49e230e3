"""Airtable: records."""

from typing import Any
from urllib.parse import quote

import pytest

from tests.apps.airtable.support import Shop


def test_a_batch_is_ten_records_and_all_or_none(shop: Shop) -> None:
    many = [{"fields": {"Order": f"N-{n}"}} for n in range(11)]
    assert shop.refused("create_records", baseId=shop.base, tableId="Orders", records=many) == (422, "INVALID_RECORDS")
    assert shop.refused("create_records", baseId=shop.base, tableId="Orders", records=[])[1] == "INVALID_RECORDS"
    made = shop.orders("create_records", records=many[:10])["records"]
    assert len(made) == 10
    half = [{"fields": {"Order": "fine"}}, {"fields": {"Status": "unheard of"}}]
    assert (
        shop.refused("create_records", baseId=shop.base, tableId="Orders", records=half)[1]
        == "INVALID_MULTIPLE_CHOICE_OPTIONS"
    )
    keys = [r["id"] for r in made]
    assert shop.refused("delete_records", baseId=shop.base, tableId="Orders", recordIds=[*keys, keys[0]])[0] == 422
    unknown = [*keys[:2], "rec" + "0" * 14]
    assert (
        shop.refused("delete_records", baseId=shop.base, tableId="Orders", recordIds=unknown)[1] == "ROW_DOES_NOT_EXIST"
    )
    assert shop.orders("delete_records", recordIds=keys)["records"][9] == {"id": keys[9], "deleted": True}
    twice = [{"id": shop.ids()["A-1"], "fields": {}}] * 2
    assert shop.refused("update_records", baseId=shop.base, tableId="Orders", records=twice)[1] == "INVALID_RECORDS"
    nameless = [{"fields": {"Order": "x"}}]
    assert shop.refused("update_records", baseId=shop.base, tableId="Orders", records=nameless)[1] == "INVALID_RECORDS"


def test_patch_keeps_and_put_clears(shop: Shop) -> None:
    key = shop.ids()["A-1"]
    kept = shop.orders("update_records", records=[{"id": key, "fields": {"Pieces": 3, "Due": None}}])["records"][0]
    assert kept["fields"]["Amount"] == 120.5
    assert "Due" not in kept["fields"]
    put = shop.orders("replace_records", records=[{"id": key, "fields": {"Order": "A-1"}}])["records"][0]
    assert put["fields"] == {"Order": "A-1"}
    path = f"/v0/{shop.base}/Orders/{shop.ids()['A-2']}"
    assert shop.rest("PUT", path, {"fields": {"Order": "only"}})[1]["fields"] == {"Order": "only"}
    status, body = shop.rest("PATCH", path, {"typecast": False})
    assert (status, body["error"]["type"]) == (422, "INVALID_REQUEST_MISSING_FIELDS")
    assert shop.rest("POST", f"/v0/{shop.base}/Orders", {})[1]["error"]["type"] == "INVALID_REQUEST_MISSING_FIELDS"
    single = shop.rest("POST", f"/v0/{shop.base}/Orders", {"fields": {"Order": "one"}})[1]
    assert single["fields"] == {"Order": "one"}
    by_id = shop.rest(
        "PATCH", f"/v0/{shop.base}/Orders/{single['id']}", {"fields": {"Pieces": 4}, "returnFieldsByFieldId": True}
    )[1]
    assert by_id["fields"][shop.field("Pieces")["id"]] == 4


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"Nothing": 1}, "UNKNOWN_FIELD_NAME"),
        ({"order": "x"}, "UNKNOWN_FIELD_NAME"),
        ({"Order": 5}, "INVALID_VALUE_FOR_COLUMN"),
        ({"Amount": "5"}, "INVALID_VALUE_FOR_COLUMN"),
        ({"Amount": True}, "INVALID_VALUE_FOR_COLUMN"),
        ({"Paid": "yes"}, "INVALID_VALUE_FOR_COLUMN"),
        ({"Due": "soon"}, "INVALID_VALUE_FOR_COLUMN"),
        ({"Due": "2026-03-10T00:00:00Z"}, "INVALID_VALUE_FOR_COLUMN"),
        ({"Due": "2026-02-30"}, "INVALID_VALUE_FOR_COLUMN"),
        ({"Status": "Open"}, "INVALID_MULTIPLE_CHOICE_OPTIONS"),
        ({"Status": ["open"]}, "INVALID_VALUE_FOR_COLUMN"),
    ],
)
def test_values_that_do_not_fit(shop: Shop, fields: dict[str, Any], code: str) -> None:
    assert shop.refused("create_record", baseId=shop.base, tableId="Orders", fields=fields) == (422, code)
    key = shop.ids()["A-1"]
    assert shop.refused("update_record", baseId=shop.base, tableId="Orders", recordId=key, fields=fields)[1] == code


def test_typecast_makes_values_fit(shop: Shop) -> None:
    given = {
        "Order": 17,
        "Amount": "$1,234.50",
        "Due": "5 March 2026",
        "Paid": "yes",
        "Status": "returned",
        "Pieces": "12",
    }
    made = shop.orders("create_record", fields=given, typecast=True)["fields"]
    assert made == {
        "Order": "17",
        "Amount": 1234.5,
        "Due": "2026-03-05",
        "Paid": True,
        "Status": "returned",
        "Pieces": 12,
    }
    assert [c["name"] for c in shop.field("Status")["options"]["choices"]] == ["open", "packed", "sent", "returned"]
    assert (
        shop.orders("create_record", fields={"Order": "x", "Status": "OPEN"}, typecast=True)["fields"]["Status"]
        == "open"
    )
    assert shop.matching('{Order}="17"') == ["17"]
    for bad in ({"Amount": "much"}, {"Due": "soon"}, {"Amount": "1-2"}):
        assert shop.refused("create_record", baseId=shop.base, tableId="Orders", fields=bad, typecast=True)[0] == 422


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("red", ["red"]),
        ('red, "big, blue"', ["red", "big, blue"]),
        ('"big, blue",red', ["big, blue", "red"]),
        (' red ,, new ""one""', ["red", 'new ""one""']),
        ('5" pipe, red', ['5" pipe', "red"]),
        ('"say ""hi"""', ['say "hi"']),
    ],
)
def test_typecast_reads_lists_as_they_are_shown(shop: Shop, text: str, tags: list[str]) -> None:
    shop.add_field("Tags", "multipleSelects", choices=[{"name": "red"}, {"name": "big, blue"}])
    made = shop.orders("create_record", fields={"Tags": text}, typecast=True)
    assert made["fields"]["Tags"] == tags


def test_upsert_finds_by_fields(shop: Shop) -> None:
    on = {"fieldsToMergeOn": ["Order"]}
    records = [{"fields": {"Order": "A-2", "Pieces": 11}}, {"fields": {"Order": "Z-9", "Pieces": 1}}]
    made = shop.orders("update_records", records=records, performUpsert=on)
    assert made["updatedRecords"] == [shop.ids()["A-2"]]
    assert made["createdRecords"] == [shop.ids()["Z-9"]]
    assert [r["fields"]["Pieces"] for r in made["records"]] == [11, 1]
    shop.orders("create_record", fields={"Order": "Z-9"})
    assert (
        shop.refused("update_records", baseId=shop.base, tableId="Orders", records=records, performUpsert=on)[0] == 422
    )
    nothing = [{"fields": {"Pieces": 1}}]
    assert (
        shop.refused("update_records", baseId=shop.base, tableId="Orders", records=nothing, performUpsert=on)[0] == 422
    )
    box = {"fieldsToMergeOn": ["Paid"]}
    paid = [{"fields": {"Paid": True}}]
    assert shop.refused("update_records", baseId=shop.base, tableId="Orders", records=paid, performUpsert=box)[0] == 422
    same = [{"fields": {"Order": "A-1"}}] * 2
    assert (
        shop.refused("update_records", baseId=shop.base, tableId="Orders", records=same, performUpsert=on)[1]
        == "INVALID_RECORDS"
    )


def test_sorting_and_shaping(shop: Shop) -> None:
    assert shop.names(sort=[{"field": "Amount"}]) == ["A-3", "A-2", "A-1", "b-4"]
    assert shop.names(sort=[{"field": "Status"}, {"field": "Order", "direction": "desc"}]) == [
        "b-4",
        "A-2",
        "A-3",
        "A-1",
    ]
    assert shop.names(sort=[{"field": "Due", "direction": "desc"}]) == ["A-1", "A-2", "b-4", "A-3"]
    assert shop.names(sort=[{"field": "Order", "direction": "desc"}]) == ["b-4", "A-3", "A-2", "A-1"]
    only = shop.orders(fields=["Amount"], view="Grid view")["records"]
    assert only[0]["fields"] == {"Amount": 120.5}
    text = shop.orders(cellFormat="string", timeZone="utc", userLocale="en")["records"][0]["fields"]
    assert (text["Amount"], text["Paid"], text["Pieces"]) == ("$120.50", "checked", "2")
    table = {"baseId": shop.base, "tableId": "Orders"}
    assert shop.refused("list_records", **table, cellFormat="string")[1] == "INVALID_REQUEST_UNKNOWN"
    assert shop.refused("list_records", **table, sort=[{"field": "No"}])[1] == "UNKNOWN_FIELD_NAME"
    assert shop.refused("list_records", **table, fields=["No"])[1] == "UNKNOWN_FIELD_NAME"
    assert shop.refused("list_records", **table, view="No")[1] == "VIEW_NAME_NOT_FOUND"
    assert shop.refused("list_records", **table, timeZone="Mars/Olympus")[1] == "INVALID_TIMEZONE"
    assert shop.refused("list_records", **table, pageSize=101)[1] == "INVALID_REQUEST_UNKNOWN"


def test_offsets_lead_through_every_record_once(shop: Shop) -> None:
    for start in range(0, 30, 10):
        shop.orders("create_records", records=[{"fields": {"Order": f"P-{n:02}"}} for n in range(start, start + 10)])
    query: dict[str, Any] = {"pageSize": 7, "sort": [{"field": "Order"}], "filterByFormula": 'LEFT({Order},2)="P-"'}
    seen, offset = list[str](), dict[str, str]()
    while True:
        page = shop.orders(**query, **offset)
        seen += [r["fields"]["Order"] for r in page["records"]]
        if "offset" not in page:
            break
        offset = {"offset": page["offset"]}
    assert seen == [f"P-{n:02}" for n in range(30)]
    first = shop.orders(**query)["offset"]
    stale = {"baseId": shop.base, "tableId": "Orders", "offset": first}
    assert shop.refused("list_records", **stale)[1] == "LIST_RECORDS_ITERATOR_NOT_AVAILABLE"
    assert shop.refused("list_records", **{**stale, "offset": "x"})[1] == "INVALID_OFFSET_VALUE"
    capped = shop.orders(pageSize=7, maxRecords=10)
    rest = shop.orders(pageSize=7, maxRecords=10, offset=capped["offset"])
    assert len(rest["records"]) == 3
    assert "offset" not in rest


def test_the_address_spells_lists_and_sorts_as_php_does(shop: Shop) -> None:
    query = {
        "fields[]": ["Order", "Pieces"],
        "sort[0][field]": "Pieces",
        "sort[0][direction]": "desc",
        "maxRecords": "2",
    }
    status, body = shop.rest("GET", f"/v0/{shop.base}/{quote('Orders')}", query=query)
    assert status == 200
    assert [r["fields"] for r in body["records"]] == [{"Order": "A-2", "Pieces": 10}, {"Order": "b-4", "Pieces": 7}]
    posted = shop.rest(
        "POST", f"/v0/{shop.base}/Orders/listRecords", {"fields": ["Order"], "filterByFormula": "{Pieces}>5"}
    )
    assert [r["fields"]["Order"] for r in posted[1]["records"]] == ["A-2", "b-4"]
    keys = [shop.ids()[name] for name in ("A-1", "A-2")]
    assert shop.rest("DELETE", f"/v0/{shop.base}/Orders", query={"records[]": keys})[1]["records"][0]["deleted"] is True


def test_search_looks_into_text(shop: Shop) -> None:
    found = shop.orders("search_records", searchTerm="BLUE")
    assert [r["fields"]["Order"] for r in found["records"]] == ["A-3"]
    assert shop.orders("search_records", searchTerm="x.example", maxRecords=2)["totalFound"] == 3
    assert shop.orders("search_records", searchTerm="blue", fieldIds=["Order"])["records"] == []
    assert (
        shop.refused("search_records", baseId=shop.base, tableId="Orders", searchTerm="x", fieldIds=["Paid"])[0] == 422
    )
