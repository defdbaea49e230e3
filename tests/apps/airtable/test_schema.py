"""Airtable: the schema."""

import json
from typing import Any

import pytest

from tests.apps.airtable.support import Shop


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
