"""Airtable: links and computed fields."""

from typing import Any

import pytest

from tests.apps.airtable.support import Shop


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
