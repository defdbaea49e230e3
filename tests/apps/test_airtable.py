"""The Airtable app through its public faces: schema, records and their rules, formulas, links, computed fields, webhooks."""

import base64
import json
from typing import Any
from unittest.mock import patch
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.spreadsheet import Column, Table, Workbook
from legoenv_mcp.faces.mcp import serve
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


@pytest.fixture
def shop() -> Shop:
    return Shop()


# The schema


def test_columns_become_fields_of_their_kind(shop: Shop) -> None:
    table = shop.orders("describe_table")
    assert [(f["name"], f["type"]) for f in table["fields"]] == [
        ("Order", "singleLineText"), ("Amount", "currency"), ("Pieces", "number"), ("Due", "date"), ("Paid", "checkbox"),
        ("Status", "singleSelect"), ("Contact", "email"), ("Long note", "multilineText"),
    ]  # fmt: skip
    assert table["primaryFieldId"] == table["fields"][0]["id"]
    assert table["fields"][1]["options"] == {"precision": 2, "symbol": "$"}
    assert [c["name"] for c in table["fields"][5]["options"]["choices"]] == ["open", "packed", "sent"]
    assert [v["type"] for v in table["views"]] == ["grid", "kanban", "calendar"]
    first = shop.orders(pageSize=1)["records"][0]
    assert first["fields"] == {
        "Order": "A-1", "Amount": 120.5, "Pieces": 2, "Due": "2026-03-10", "Paid": True, "Status": "sent",
        "Contact": "ann@x.example", "Long note": "two\nlines",
    }  # fmt: skip
    assert "Paid" not in shop.orders()["records"][1]["fields"]
    assert (
        shop.call("list_tables", baseId=shop.base, detailLevel="tableIdentifiersOnly")["tables"][1]["name"] == "People"
    )
    brief = shop.orders("describe_table", detailLevel="identifiersOnly")
    assert brief["fields"][0].keys() == {"id", "name"}


def test_tables_and_fields_are_made_and_renamed(shop: Shop) -> None:
    fields = [
        {"name": "What", "type": "singleLineText"},
        {"name": "When", "type": "dateTime", "options": {
            "timeZone": "Europe/Berlin", "dateFormat": {"name": "iso"}, "timeFormat": {"name": "24hour"},
        }},
        {"name": "Tags", "type": "multipleSelects", "options": {"choices": [{"name": "red"}, {"name": "blue", "color": "blueBright"}]}},
        {"name": "Stars", "type": "rating", "options": {"icon": "star", "max": 5, "color": "yellowBright"}},
        {"name": "Took", "type": "duration", "options": {"durationFormat": "h:mm"}},
    ]  # fmt: skip
    made = shop.call("create_table", baseId=shop.base, name="Plans", description="What is planned", fields=fields)
    assert made["description"] == "What is planned"
    assert made["fields"][1]["options"]["dateFormat"] == {"name": "iso", "format": "YYYY-MM-DD"}
    assert made["fields"][2]["options"]["choices"][1]["color"] == "blueBright"
    renamed = shop.call("update_table", baseId=shop.base, tableId="Plans", name="Schemes", description=None)
    assert renamed["name"] == "Schemes"
    assert "description" not in renamed
    field = shop.call(
        "update_field",
        baseId=shop.base,
        tableId="Schemes",
        fieldId=made["fields"][3]["id"],
        name="Rank",
        description="1-5",
    )
    assert (field["name"], field["description"], field["type"]) == ("Rank", "1-5", "rating")
    record = shop.call(
        "create_record", baseId=shop.base, tableId="Schemes",
        fields={"What": "x", "When": "2026-05-01T10:00:00+02:00", "Tags": ["red"], "Rank": 3, "Took": 5400},
    )  # fmt: skip
    assert record["fields"]["When"] == "2026-05-01T08:00:00.000Z"
    shown = shop.call(
        "get_record", baseId=shop.base, tableId="Schemes", recordId=record["id"], cellFormat="string",
        timeZone="Europe/Berlin", userLocale="en-gb",
    )["fields"]  # fmt: skip
    assert shown == {"What": "x", "When": "2026-05-01 10:00", "Tags": "red", "Rank": "3", "Took": "1:30"}


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ({"name": "order", "type": "singleLineText"}, "DUPLICATE_OR_EMPTY_FIELD_NAME"),
        ({"name": " ", "type": "singleLineText"}, "DUPLICATE_OR_EMPTY_FIELD_NAME"),
        ({"name": "N", "type": "number"}, "INVALID_FIELD_TYPE_OPTIONS_FOR_CREATE"),
        ({"name": "N", "type": "number", "options": {"precision": 9}}, "INVALID_FIELD_TYPE_OPTIONS_FOR_CREATE"),
        (
            {"name": "N", "type": "checkbox", "options": {"icon": "cross", "color": "greenBright"}},
            "INVALID_FIELD_TYPE_OPTIONS_FOR_CREATE",
        ),
        ({"name": "N", "type": "email", "options": {"precision": 1}}, "INVALID_FIELD_TYPE_OPTIONS_FOR_CREATE"),
        (
            {
                "name": "N",
                "type": "multipleRecordLinks",
                "options": {"linkedTableId": "tblnone", "prefersSingleRecordLink": True},
            },
            "INVALID_FIELD_TYPE_OPTIONS_FOR_CREATE",
        ),
        ({"name": "N", "type": "formula", "options": {"formula": "1+1"}}, "UNSUPPORTED_FIELD_TYPE_FOR_CREATE"),
        ({"name": "N", "type": "autoNumber"}, "UNSUPPORTED_FIELD_TYPE_FOR_CREATE"),
        ({"name": "N", "type": "createdTime"}, "UNSUPPORTED_FIELD_TYPE_FOR_CREATE"),
        ({"name": "N", "type": "button"}, "UNSUPPORTED_FIELD_TYPE_FOR_CREATE"),
        ({"name": "N", "type": "longText"}, "INVALID_REQUEST_UNKNOWN"),
    ],
)
def test_fields_that_cannot_be_made(shop: Shop, field: dict[str, Any], code: str) -> None:
    assert shop.refused("create_field", baseId=shop.base, tableId="Orders", **field) == (422, code)


def test_agents_are_told_more_in_whole_sentences(shop: Shop) -> None:
    reply = shop.live.call("list_records", {"baseId": shop.base, "tableId": "People", "sort": [{"field": "Age"}]})
    shown = json.loads(reply.shown or "")["error"]["message"]
    assert shown == 'Unknown field name: "Age". The fields of People are: Name.'
    assert reply.body["error"]["message"] == 'Unknown field name: "Age"'


@pytest.mark.parametrize(
    ("kind", "options"), [("formula", {"formula": "{Nothing}+1"}), ("count", {"recordLinkFieldId": "fldnone"})]
)
def test_computed_fields_rest_on_what_is_there(shop: Shop, kind: str, options: dict[str, Any]) -> None:
    with pytest.raises(AssertionError, match="INVALID_FIELD_TYPE_OPTIONS_FOR_CREATE"):
        shop.add_field("N", kind, **options)


def test_tables_that_cannot_be_made(shop: Shop) -> None:
    text = [{"name": "A", "type": "singleLineText"}]
    computed = [*text, {"name": "B", "type": "formula", "options": {"formula": "1"}}]
    unsupported = (422, "UNSUPPORTED_FIELD_TYPE_FOR_CREATE")
    assert shop.refused("create_table", baseId=shop.base, name="T", fields=computed) == unsupported
    assert shop.refused("create_table", baseId=shop.base, name="orders", fields=text) == (422, "DUPLICATE_TABLE_NAME")
    box = [{"name": "A", "type": "checkbox", "options": {"icon": "check", "color": "greenBright"}}]
    assert shop.refused("create_table", baseId=shop.base, name="T", fields=box)[0] == 422
    assert (
        shop.refused("create_table", baseId=shop.base, name="T", fields=text + text)[1]
        == "DUPLICATE_OR_EMPTY_FIELD_NAME"
    )
    assert shop.refused("update_table", baseId=shop.base, tableId="Orders", name="People")[1] == "DUPLICATE_TABLE_NAME"
    assert shop.refused("update_table", baseId=shop.base, tableId="Orders")[1] == "INVALID_REQUEST_UNKNOWN"
    key = shop.field("Due")["id"]
    assert shop.refused("update_field", baseId=shop.base, tableId="Orders", fieldId=key, name="Paid")[0] == 422
    assert shop.refused("update_field", baseId=shop.base, tableId="People", fieldId=key, name="X")[0] == 403


def test_bases_are_made_and_deleted_by_their_owner(shop: Shop) -> None:
    workspace = shop.call("get_base_collaborators", baseId=shop.base)["workspaceId"]
    tables = [{"name": "Tasks", "fields": [{"name": "Task", "type": "singleLineText"}]}]
    made = shop.call("create_base", workspaceId=workspace, name="New", tables=tables)
    assert made["tables"][0]["primaryFieldId"] == made["tables"][0]["fields"][0]["id"]
    assert {(b["name"], b["permissionLevel"]) for b in shop.call("list_bases")["bases"]} == {
        ("Shop", "create"),
        ("New", "create"),
    }
    shop.call("create_record", baseId=made["id"], tableId="Tasks", fields={"Task": "x"})
    assert shop.call("delete_base", baseId=made["id"]) == {"id": made["id"], "deleted": True}
    assert shop.refused("list_tables", baseId=made["id"])[0] == 403
    assert shop.refused("create_base", workspaceId="wspnone", name="X", tables=tables)[0] == 403
    assert shop.refused("create_base", workspaceId=workspace, name="X", tables=[])[0] == 422
    assert shop.call("get_workspace_collaborators", workspaceId=workspace)["baseIds"] == [shop.base]


def test_what_is_not_there(shop: Shop) -> None:
    assert shop.refused("list_tables", baseId="nonsense") == (404, "NOT_FOUND")
    hidden = (403, "INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND")
    assert shop.refused("list_tables", baseId="app" + "0" * 14) == hidden
    assert shop.refused("list_records", baseId=shop.base, tableId="Nothing") == hidden
    missing = {"baseId": shop.base, "tableId": "Orders", "recordId": "rec" + "0" * 14}
    assert shop.refused("get_record", **missing) == (404, "MODEL_ID_NOT_FOUND")
    assert shop.refused("delete_record", **missing) == (404, "MODEL_ID_NOT_FOUND")
    other = shop.ids("People", "Name")["Ann"]
    assert shop.refused("update_record", **{**missing, "recordId": other}, fields={}) == (404, "MODEL_ID_NOT_FOUND")
    assert shop.rest("GET", "/v0/nowhere/x/y/z/q") == (404, {"error": "NOT_FOUND"})
    assert shop.rest("POST", f"/v0/{shop.base}/Orders", b"{nonsense")[1]["error"]["type"] == "INVALID_REQUEST_BODY"


# Records


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


# Formulas


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        ('{Status}="open"', ["A-2", "b-4"]),
        ("AND({Status}='open', {Amount} > 100)", ["b-4"]),
        ("OR({Order}='A-1', NOT({Amount}))", ["A-1", "A-3"]),
        ("{Paid}", ["A-1"]),
        ("{Paid}=1", ["A-1"]),
        ("NOT({Paid})", ["A-2", "A-3", "b-4"]),
        ("{Paid}=FALSE()", ["A-2", "A-3", "b-4"]),
        ("{Amount}=BLANK()", ["A-3"]),
        ('{Due}=""', ["A-3"]),
        ('SEARCH("BOB", {Contact})', ["A-2"]),
        ('FIND("BOB", {Contact})', []),
        ("IS_AFTER({Due}, '2026-03-01')", ["A-1"]),
        ("IS_SAME({Due}, '2026-03-05', 'month')", ["A-1", "A-2"]),
        ("IS_BEFORE({Due}, TODAY())", ["A-2", "b-4"]),
        ("{Due} >= '2026-03-01'", ["A-1", "A-2"]),
        ("DATETIME_DIFF({Due}, '2026-03-01', 'days') = 9", ["A-1"]),
        ("MONTH({Due})=2", ["b-4"]),
        ("Pieces*2 + 1 = 15", ["b-4"]),
        ("-Pieces < -6", ["A-2", "b-4"]),
        ("MOD({Pieces}, 2)", ["A-3", "b-4"]),
        ('REGEX_MATCH({Order}, "^[a-z]")', ["b-4"]),
        ("LEN({Order} & {Status}) > 7", ["A-3"]),
        ("RECORD_ID()='nothing'", []),
        ("IF({Amount}>100, {Pieces}>5, {Pieces}=1)", ["A-3", "b-4"]),
        ("SWITCH({Status}, 'open', 1, 'sent', 1, 0)", ["A-1", "A-2", "b-4"]),
        ("{Long note}='says \\\"hi\\\"'", ["b-4"]),
        ("{Amount}/0 > 1000000", ["A-1", "A-2", "b-4"]),
        ("ISERROR({Order}+1)", ["A-1", "A-2", "A-3", "b-4"]),
        ("{Order}+1", []),
        ("XOR({Paid}, {Amount}>100)", ["b-4"]),
        ("and({paid}, {pieces}=2)", ["A-1"]),
    ],
)
def test_records_are_filtered_by_formulas(shop: Shop, formula: str, found: list[str]) -> None:
    assert shop.matching(formula) == found


def test_a_formula_may_name_very_many_values(shop: Shop) -> None:
    values = ", ".join(f"{{Order}}='A-{n}'" for n in range(2, 2000))
    path = f"/v0/{shop.base}/Orders/listRecords"
    status, body = shop.rest("POST", path, {"filterByFormula": f"OR({values})", "fields": ["Order"]})
    assert (status, [r["fields"]["Order"] for r in body["records"]]) == (200, ["A-2", "A-3"])


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("{Status}=", "Invalid formula. Please check your formula text."),
        ("{Status}==1", "Invalid formula. Please check your formula text."),
        ("{Status", "Invalid formula. Please check your formula text."),
        ("“x”=1", "Invalid formula. Please check your formula text."),
        ("FOO({Status}, BAR(1))", "Unknown function names: FOO, BAR"),
        ("{First Name}={LAST}", "Unknown field names: first name, last"),
        ("IF({Status})", "Invalid formula: too few arguments for IF()."),
        ("NOT(1, 2)", "Invalid formula: too many arguments for NOT()."),
    ],
)
def test_formulas_that_are_none(shop: Shop, formula: str, said: str) -> None:
    reply = shop.live.call("list_records", {"baseId": shop.base, "tableId": "Orders", "filterByFormula": formula})
    assert reply.status == 422
    whole = f"The formula for filtering records is invalid: {said}"
    assert reply.body == {"error": {"type": "INVALID_FILTER_BY_FORMULA", "message": whole}}


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3 & 'x'", "9x"),
        ("'a' & 1 + 1", "a2"),
        ("10 / 4", 2.5),
        ("0.1 + 0.2 = 0.3", None),
        ("ROUND(2.345, 2)", 2.35),
        ("ROUNDDOWN(-2.349, 1) & '|' & ROUNDUP(2.301, 1)", "-2.3|2.4"),
        ("CEILING(7, 5) & FLOOR(7, 5) & EVEN(3) & ODD(2) & INT(-1.5)", "10543-2"),
        ("SUM(1, 2, 3.5) & ' ' & AVERAGE(2, 4) & ' ' & MAX(3, 9) & ' ' & MIN(3, 9)", "6.5 3 9 3"),
        ("MID('airtable', 4, 3) & LEFT('xyz', 1) & RIGHT('xyz', 2)", "tabxyz"),
        ("SUBSTITUTE('a-b-c', '-', '+', 2)", "a-b+c"),
        ("REPLACE('abcdef', 2, 3, 'X')", "aXef"),
        ("REPT('ab', 3) & UPPER('x') & TRIM('  y ')", "abababXy"),
        ("REGEX_EXTRACT('order 42', '[0-9]+')", "42"),
        (r"REGEX_EXTRACT('a 7.5', '\d+\.\d+') & REGEX_MATCH('x', '(a+)+') & REPT('x', 2)", {"error": "#ERROR!"}),
        (r"REGEX_EXTRACT('a 7.5', '\d+\\.(\d+)')", "5"),
        ("REGEX_REPLACE('a1b2', '[0-9]', '#')", "a#b#"),
        ("VALUE('$1,200.50')", 1200.5),
        ("DATETIME_FORMAT('2026-03-05T14:07:09Z', 'dddd, MMMM Do YYYY, h:mm A')", "Thursday, March 5th 2026, 2:07 PM"),
        (
            "DATETIME_FORMAT(SET_TIMEZONE('2026-03-05T23:30:00Z', 'Europe/Berlin'), 'YYYY-MM-DD HH:mm')",
            "2026-03-06 00:30",
        ),
        ("DATESTR(DATEADD('2026-01-31', 1, 'month'))", "2026-02-28"),
        ("DATETIME_FORMAT(DATETIME_PARSE('05/03/2026 4pm', 'DD/MM/YYYY ha'), 'M/D H')", "3/5 16"),
        ("DATETIME_DIFF('2027-03-01', '2026-03-02', 'years') & DATETIME_DIFF('2026-05-01', '2026-03-01', 'M')", "02"),
        ("WEEKDAY('2026-03-01') & WEEKDAY('2026-03-01', 'Monday') & WEEKNUM('2026-03-01')", "0610"),
        ("DATESTR(WORKDAY('2026-03-06', 1))", "2026-03-09"),
        ("WORKDAY_DIFF('2026-03-02', '2026-03-09', '2026-03-04')", 5),
        ("FROMNOW('2026-03-05')", "3 days"),
        ("IF(BLANK(), 'a', 'b')", "b"),
        ("1/0", {"specialValue": "Infinity"}),
        ("0/0", {"specialValue": "NaN"}),
        ("ERROR()", {"error": "#ERROR!"}),
        ("'a' * 2", {"error": "#ERROR!"}),
        ("ARRAYJOIN(ARRAYUNIQUE('b', 'a', 'b'), '/')", "b/a"),
        ("ENCODE_URL_COMPONENT('a b&c')", "a%20b%26c"),
        ("T(5) & T('x')", "x"),
        ("IF(TRUE(), 2 > 1)", 1),
    ],
)
def test_formula_fields_are_reckoned(shop: Shop, formula: str, value: Any) -> None:
    if value is None:
        value = 0
    shop.add_field("F", "formula", formula=formula)
    assert shop.orders(pageSize=1)["records"][0]["fields"].get("F") == value


def test_a_formula_field_follows_names_and_values(shop: Shop) -> None:
    made = shop.add_field("Total", "formula", formula="{Amount} * Pieces")
    amount, pieces = shop.field("Amount")["id"], shop.field("Pieces")["id"]
    assert made["options"]["formula"] == f"{{{amount}}} * {{{pieces}}}"
    assert made["options"]["referencedFieldIds"] == [amount, pieces]
    assert made["options"]["result"]["type"] == "number"
    shop.call("update_field", baseId=shop.base, tableId="Orders", fieldId=amount, name="Price")
    key = shop.ids()["A-1"]
    changed = shop.orders("update_record", recordId=key, fields={"Price": 10})
    assert changed["fields"]["Total"] == 20
    refused = shop.refused("update_record", baseId=shop.base, tableId="Orders", recordId=key, fields={"Total": 1})
    assert refused == (422, "INVALID_VALUE_FOR_COLUMN")
    assert shop.matching("{Total}=800") == ["A-2"]
    again = shop.add_field("Twice", "formula", formula="{Total}*2")
    assert again["options"]["result"]["type"] == "number"
    assert shop.names(sort=[{"field": "Twice", "direction": "desc"}])[0] == "b-4"


LITERALS = st.one_of(
    st.integers(0, 99).map(str), st.text("ab' ", max_size=3).map(lambda t: '"' + t + '"'), st.just("{Amount}")
)
FORMULAS = st.recursive(
    LITERALS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "&", "=", "<", ">="]), inner).map(" ".join),
        inner.map(lambda f: f"({f})"),
        st.tuples(inner, inner, inner).map(lambda f: f"IF({f[0]}, {f[1]}, {f[2]})"),
        inner.map(lambda f: f"-{f}"),
    ),
    max_leaves=8,
)


@settings(max_examples=40, deadline=None)
@given(FORMULAS)
def test_a_formula_is_true_its_negation_or_an_error(formula: str) -> None:
    """Whatever a formula yields, each record is in exactly one of the lists for it, for its negation, and for its failing."""
    shop = Shop()
    both = shop.matching(f"NOT(ISERROR({formula}))")
    yes, no = shop.matching(formula), shop.matching(f"IF(ISERROR({formula}), 0, NOT({formula}))")
    assert sorted(yes + no) == sorted(both)


# Links and computed fields


@pytest.fixture
def linked(shop: Shop) -> Shop:
    people = shop.call("describe_table", baseId=shop.base, tableId="People")["id"]
    shop.add_field("Buyer", "multipleRecordLinks", linkedTableId=people)
    return shop


def test_links_are_kept_on_both_sides(linked: Shop) -> None:
    shop, ids, people = linked, linked.ids(), linked.ids("People", "Name")
    inverse = shop.field("Orders", "People")
    assert shop.field("Buyer")["options"]["inverseLinkFieldId"] == inverse["id"]
    assert inverse["options"]["inverseLinkFieldId"] == shop.field("Buyer")["id"]
    shop.orders("update_record", recordId=ids["A-1"], fields={"Buyer": [people["Ann"]]})
    shop.orders("update_record", recordId=ids["A-2"], fields={"Buyer": [people["Ann"], people["Bob"]]})

    def orders_of(name: str) -> list[str]:
        found = shop.call("get_record", baseId=shop.base, tableId="People", recordId=people[name])
        return found["fields"].get("Orders", [])

    assert orders_of("Ann") == [ids["A-1"], ids["A-2"]]
    shop.call(
        "update_record", baseId=shop.base, tableId="People", recordId=people["Ann"], fields={"Orders": [ids["b-4"]]}
    )
    assert shop.orders("get_record", recordId=ids["A-2"])["fields"]["Buyer"] == [people["Bob"]]
    assert "Buyer" not in shop.orders("get_record", recordId=ids["A-1"])["fields"]
    assert shop.matching('{Buyer}="Ann"') == ["b-4"]
    shop.orders("delete_record", recordId=ids["b-4"])
    assert orders_of("Ann") == []
    made = shop.orders("create_record", fields={"Order": "C", "Buyer": ["Ann", "Zoe"]}, typecast=True)
    zoe = shop.ids("People", "Name")["Zoe"]
    assert made["fields"]["Buyer"] == [people["Ann"], zoe]
    assert orders_of("Ann") == [made["id"]]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("Ann", "INVALID_RECORD_ID"),
        (["Ann"], "INVALID_RECORD_ID"),
        ([5], "INVALID_RECORD_ID"),
        (["rec00000000000000"], "ROW_DOES_NOT_EXIST"),
    ],
)
def test_links_that_lead_nowhere(linked: Shop, value: Any, code: str) -> None:
    assert linked.refused("create_record", baseId=linked.base, tableId="Orders", fields={"Buyer": value}) == (422, code)
    own = [linked.ids()["A-1"]]
    wrong = linked.refused("create_record", baseId=linked.base, tableId="Orders", fields={"Buyer": own})
    assert wrong[1] == "ROW_TABLE_DOES_NOT_MATCH_LINKED_TABLE"


def test_what_is_gathered_over_links(linked: Shop) -> None:
    shop, ids, people = linked, linked.ids(), linked.ids("People", "Name")
    link, amount = shop.field("Orders", "People")["id"], shop.field("Amount")["id"]
    over = {"recordLinkFieldId": link, "fieldIdInLinkedTable": amount}
    shop.add_field("Spent", "rollup", "People", **over)
    shop.add_field("Best", "rollup", "People", **over, formula="MAX(values)")
    shop.add_field("Amounts", "multipleLookupValues", "People", **over)
    shop.add_field(
        "States",
        "multipleLookupValues",
        "People",
        recordLinkFieldId=link,
        fieldIdInLinkedTable=shop.field("Status")["id"],
    )
    shop.add_field("How many", "count", "People", recordLinkFieldId=link)
    shop.call(
        "update_record",
        baseId=shop.base,
        tableId="People",
        recordId=people["Ann"],
        fields={"Orders": [ids["A-1"], ids["b-4"]]},
    )

    def ann() -> dict[str, Any]:
        return shop.call("get_record", baseId=shop.base, tableId="People", recordId=people["Ann"])["fields"]

    assert ann() == {
        "Name": "Ann", "Orders": [ids["A-1"], ids["b-4"]], "Spent": 420.5, "Best": 300, "Amounts": [120.5, 300],
        "States": ["sent", "open"], "How many": 2,
    }  # fmt: skip
    shop.orders("update_record", recordId=ids["A-1"], fields={"Amount": 1})
    assert ann()["Spent"] == 301
    shop.add_field(
        "Latest", "rollup", "People", recordLinkFieldId=link, fieldIdInLinkedTable=shop.field("Due")["id"],
        formula="MAX(values)",
    )  # fmt: skip
    assert ann()["Latest"] == "2026-03-10"
    bob = shop.call("get_record", baseId=shop.base, tableId="People", recordId=people["Bob"])["fields"]
    assert (bob["Best"], "Latest" in bob) == (0, False)
    rich = shop.call("list_records", baseId=shop.base, tableId="People", filterByFormula="{Spent}>300")
    assert [r["fields"]["Name"] for r in rich["records"]] == ["Ann"]
    text = shop.call(
        "get_record", baseId=shop.base, tableId="People", recordId=people["Ann"], cellFormat="string", timeZone="utc",
        userLocale="en",
    )["fields"]  # fmt: skip
    assert (text["Orders"], text["Amounts"]) == ("A-1, b-4", "$1.00, $300.00")
    for name in ("Spent", "Amounts", "How many"):
        fields = {name: 1}
        assert (
            shop.refused("create_record", baseId=shop.base, tableId="People", fields=fields)[1]
            == "INVALID_VALUE_FOR_COLUMN"
        )


def test_records_know_their_number_and_their_times(shop: Shop) -> None:
    for name, kind in (
        ("No", "autoNumber"),
        ("Made", "createdTime"),
        ("Changed", "lastModifiedTime"),
        ("By", "lastModifiedBy"),
    ):
        shop.add_field(name, kind)
    shop.add_field("Paid at", "lastModifiedTime", referencedFieldIds=[shop.field("Paid")["id"]])
    key = shop.ids()["A-2"]
    before = shop.orders("get_record", recordId=key)["fields"]
    assert (before["No"], before["Made"], before["Changed"]) == (
        2,
        "2026-01-05T10:00:00.000Z",
        "2026-01-05T10:00:00.000Z",
    )
    shop.orders("update_record", recordId=key, fields={"Pieces": 1})
    after = shop.orders("get_record", recordId=key)["fields"]
    assert after["Changed"] > before["Changed"]
    assert after["Paid at"] == before["Changed"]
    assert after["By"]["email"] == "alex.doyle@brightwater.example"
    shop.orders("delete_record", recordId=shop.ids()["b-4"])
    assert shop.orders("create_record", fields={"Order": "E"})["fields"]["No"] == 5


# People, files, comments, views, webhooks


def test_people_and_files_in_cells(shop: Shop) -> None:
    me = shop.call("whoami")
    shop.add_field("Owner", "singleCollaborator")
    shop.add_field("Files", "multipleAttachments")
    made = shop.orders(
        "create_record",
        fields={
            "Order": "F",
            "Owner": {"email": me["email"].upper()},
            "Files": [{"url": "https://x.example/a/plan.pdf"}],
        },
    )
    assert made["fields"]["Owner"] == {"id": me["id"], "email": me["email"], "name": "Alex Doyle"}
    file = made["fields"]["Files"][0]
    assert (file["filename"], file["type"]) == ("plan.pdf", "application/pdf")
    upload = {"baseId": shop.base, "recordId": made["id"], "attachmentFieldIdOrName": "Files"}
    content = base64.b64encode(b"hello").decode()
    done = shop.call("upload_attachment", **upload, contentType="text/plain", file=content, filename="hi.txt")
    files = next(iter(done["fields"].values()))
    assert [(f["filename"], f["size"]) for f in files] == [("plan.pdf", 0), ("hi.txt", 5)]
    one = shop.orders("update_record", recordId=made["id"], fields={"Files": [{"id": files[1]["id"]}]})
    assert [f["filename"] for f in one["fields"]["Files"]] == ["hi.txt"]
    bad = {**upload, "contentType": "text/plain", "filename": "x"}
    assert shop.refused("upload_attachment", **bad, file="not base64!")[0] == 422
    assert shop.refused("upload_attachment", **{**bad, "attachmentFieldIdOrName": "Order"}, file=content)[0] == 422
    orders = {"baseId": shop.base, "tableId": "Orders"}
    assert (
        shop.refused("create_record", **orders, fields={"Files": [{"url": "ftp://x"}]})[1]
        == "INVALID_ATTACHMENT_OBJECT"
    )
    assert (
        shop.refused("create_record", **orders, fields={"Owner": {"id": "usrnobody"}})[1] == "INVALID_VALUE_FOR_COLUMN"
    )


def test_comments(shop: Shop) -> None:
    place = {"baseId": shop.base, "tableId": "Orders", "recordId": shop.ids()["A-1"]}
    me = shop.call("whoami")["id"]
    first = shop.call("create_comment", **place, text=f"See @[{me}]")
    assert first["mentioned"][me]["displayName"] == "Alex Doyle"
    answer = shop.call("create_comment", **place, text="Yes", parentCommentId=first["id"])
    assert answer["parentCommentId"] == first["id"]
    for n in range(3):
        shop.call("create_comment", **place, text=f"More {n}")
    page = shop.call("list_comments", **place, pageSize=4)
    rest = shop.call("list_comments", **place, pageSize=4, offset=page["offset"])
    assert [c["text"] for c in page["comments"] + rest["comments"]] == [
        "More 2",
        "More 1",
        "More 0",
        "Yes",
        f"See @[{me}]",
    ]
    assert rest["offset"] is None
    changed = shop.call("update_comment", **place, rowCommentId=first["id"], text="Done")
    assert changed["lastUpdatedTime"] is not None
    assert shop.orders(recordMetadata=["commentCount"])["records"][0]["commentCount"] == 5
    shop.call("delete_comment", **place, rowCommentId=first["id"])
    assert shop.refused("update_comment", **place, rowCommentId=first["id"], text="x") == (404, "MODEL_ID_NOT_FOUND")
    other = {**place, "recordId": shop.ids()["A-2"]}
    assert shop.refused("delete_comment", **other, rowCommentId=answer["id"])[0] == 404
    assert shop.refused("create_comment", **place, text="")[0] == 422


def test_views_and_collaborators(shop: Shop) -> None:
    views = shop.call("list_views", baseId=shop.base)["views"]
    assert [v["name"] for v in views] == ["Grid view", "By Status", "Calendar of Due", "Grid view"]
    shown = shop.call("get_view_metadata", baseId=shop.base, viewId=views[0]["id"])
    assert len(shown["visibleFieldIds"]) == 8
    assert "visibleFieldIds" not in shop.call("get_view_metadata", baseId=shop.base, viewId=views[1]["id"])
    assert shop.names(view="By Status") == ["A-1", "A-2", "A-3", "b-4"]
    assert shop.call("delete_view", baseId=shop.base, viewId=views[1]["id"])["deleted"] is True
    assert (
        shop.refused("list_records", baseId=shop.base, tableId="Orders", view=views[1]["id"])[1] == "VIEW_ID_NOT_FOUND"
    )
    assert shop.refused("delete_view", baseId=shop.base, viewId=views[3]["id"])[1] == "CANNOT_DELETE_LAST_VIEW"
    shop.add_field("At", "dateTime", timeZone="utc", dateFormat={"name": "us"}, timeFormat={"name": "12hour"})
    last = shop.orders("create_record", fields={"At": "9999-12-31T23:00:00Z"})["id"]
    late = shop.orders("get_record", recordId=last, cellFormat="string", timeZone="Asia/Tokyo", userLocale="ja")
    assert late["fields"]["At"] == "12/31/9999 11:00pm"
    status, _ = shop.rest("GET", f"/v0/meta/bases/{shop.base}/views", query={"include[]": "visibleFieldIds"})
    assert status == 200
    assert (
        shop.refused("list_records", baseId=shop.base, tableId="People", view=views[0]["id"])[1] == "FAILED_STATE_CHECK"
    )
    me, base = shop.call("whoami")["id"], shop.base
    assert shop.refused("delete_base_collaborator", baseId=base, userOrGroupId=me)[0] == 422
    assert shop.refused("update_base_collaborator", baseId=base, userOrGroupId=me, permissionLevel="read")[0] == 422
    again = [{"user": {"id": me}, "permissionLevel": "edit"}]
    assert shop.refused("add_base_collaborators", baseId=base, collaborators=again)[0] == 422
    assert (
        shop.refused(
            "add_base_collaborators", baseId=base, collaborators=[{"user": {"id": "x"}, "permissionLevel": "edit"}]
        )[0]
        == 404
    )


def test_who_may_what_in_a_company() -> None:
    live = episode_of("airtable", world="quaymark").app("airtable")
    base = next(b for b in live.call("list_bases").body["bases"] if b["name"] == "Budget 2026")
    found = live.call("get_base_collaborators", {"baseId": base["id"]}).body["individualCollaborators"]
    owner = found["baseCollaborators"][0]
    assert owner["email"] == "dmitri.volkov@quaymark.example"
    other = next(
        c for c in found["workspaceCollaborators"] if c["permissionLevel"] == "edit" and c["userId"] != owner["userId"]
    )
    grant = {"baseId": base["id"], "collaborators": [{"user": {"id": other["userId"]}, "permissionLevel": "create"}]}
    assert not live.call("add_base_collaborators", grant).error
    change = {"baseId": base["id"], "userOrGroupId": other["userId"], "permissionLevel": "comment"}
    assert not live.call("update_base_collaborator", change).error
    assert not live.call("delete_base_collaborator", {"baseId": base["id"], "userOrGroupId": other["userId"]}).error
    assert live.changes() == []


def test_webhooks_tell_what_changed(shop: Shop) -> None:
    table, pieces = shop.orders("describe_table")["id"], shop.field("Pieces")["id"]
    filters = {"dataTypes": ["tableData", "tableFields", "tableMetadata"], "recordChangeScope": table}
    spec = {"options": {"filters": filters, "includes": {"includePreviousCellValues": True}}}
    hook = shop.call("create_webhook", baseId=shop.base, specification=spec, notificationUrl="https://x.example/hook")
    assert hook["expirationTime"] == "2026-03-09T09:00:01.000Z"
    watching = {
        "options": {"filters": {"dataTypes": ["tableData"], "watchDataInFieldIds": [pieces], "changeTypes": ["update"]}}
    }
    narrow = shop.call("create_webhook", baseId=shop.base, specification=watching)
    key = shop.ids()["A-1"]
    shop.orders("update_record", recordId=key, fields={"Pieces": 5})
    shop.orders("update_record", recordId=key, fields={"Status": "open"})
    made = shop.orders("create_record", fields={"Order": "W"})
    shop.orders("delete_record", recordId=made["id"])
    shop.call("create_record", baseId=shop.base, tableId="People", fields={"Name": "Cy"})
    shop.add_field("Extra", "singleLineText")
    shop.call("update_table", baseId=shop.base, tableId="Orders", name="Sales")
    place = {"baseId": shop.base, "webhookId": hook["id"]}
    first = shop.call("list_webhook_payloads", **place, limit=4)
    rest = shop.call("list_webhook_payloads", **place, cursor=first["cursor"])
    told = [p["changedTablesById"][table] for p in first["payloads"] + rest["payloads"]]
    assert (first["mightHaveMore"], rest["mightHaveMore"], rest["cursor"]) == (True, False, 7)
    assert told[0]["changedRecordsById"][key] == {
        "current": {"cellValuesByFieldId": {pieces: 5}}, "previous": {"cellValuesByFieldId": {pieces: 2}},
    }  # fmt: skip
    status = told[1]["changedRecordsById"][key]["current"]["cellValuesByFieldId"][shop.field("Status", table)["id"]]
    assert (status["name"], status["color"]) == ("open", "blueLight2")
    assert list(told[2]["createdRecordsById"]) == [made["id"]]
    assert told[3]["destroyedRecordIds"] == [made["id"]]
    assert [f["name"] for f in told[4]["createdFieldsById"].values()] == ["Extra"]
    assert told[5]["changedMetadata"]["current"]["name"] == "Sales"
    assert first["payloads"][0]["actionMetadata"]["sourceMetadata"]["user"]["permissionLevel"] == "create"
    assert [p["baseTransactionNumber"] for p in first["payloads"]] == [1, 2, 3, 4]
    assert len(shop.call("list_webhook_payloads", baseId=shop.base, webhookId=narrow["id"])["payloads"]) == 1
    listed = {h["id"]: h for h in shop.call("list_webhooks", baseId=shop.base)["webhooks"]}
    assert listed[hook["id"]]["cursorForNextPayload"] == 7
    shop.call("enable_webhook_notifications", **place, enable=False)
    assert shop.call("refresh_webhook", **place)["expirationTime"] > hook["expirationTime"]
    shop.call("delete_webhook", **place)
    assert shop.refused("list_webhook_payloads", **place) == (404, "MODEL_ID_NOT_FOUND")
    assert shop.refused("create_webhook", baseId=shop.base, specification=spec, notificationUrl="http://x")[0] == 422
    assert shop.refused("enable_webhook_notifications", baseId=shop.base, webhookId=narrow["id"], enable=True)[0] == 422


@pytest.mark.anyio
async def test_agents_are_told_why(shop: Shop) -> None:
    async with Client(serve(shop.episode, ["airtable"])) as client:
        tools = (await client.list_tools()).tools
        assert {"list_bases", "describe_table", "search_records", "create_record", "update_records"} <= {
            t.name for t in tools
        }
        arguments = {"baseId": shop.base, "tableId": "Orders", "fields": {"Total": 1}}
        reply = await client.call_tool("create_record", arguments)
        assert reply.is_error
        assert "The fields of Orders are: Order, Amount" in str(reply.content)
        listed = await client.call_tool("list_records", {"baseId": shop.base, "tableId": "Orders", "pageSize": 1})
        assert listed.structured_content is not None
        assert listed.structured_content["records"][0]["fields"]["Order"] == "A-1"
