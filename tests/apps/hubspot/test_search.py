"""HubSpot: search; batches."""

import json
from typing import Any

import pytest

from legoenv_mcp.capabilities.crm import Company, Contact
from tests.apps.hubspot.support import HubSpot, codes


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ([("dealname", "EQ", "acme - RENEWAL")], ["Acme - renewal"]),
        ([("dealstage", "EQ", "closedwon")], ["Bolt - pilot"]),
        ([("dealstage", "EQ", "ClosedWon")], []),
        ([("dealstage", "NEQ", "closedwon")], ["Acme - renewal"]),
        ([("amount", "GTE", "9000")], ["Bolt - pilot", "Acme - renewal"]),
        ([("amount", "LT", "10000")], ["Bolt - pilot"]),
        ([("amount", "BETWEEN", "9000", "9000.0")], ["Bolt - pilot"]),
        ([("closedate", "GT", "2026-01-01")], ["Acme - renewal"]),
        ([("closedate", "BETWEEN", "1763596800000", "1763596800000")], ["Bolt - pilot"]),
        ([("hs_next_step", "HAS_PROPERTY")], ["Acme - renewal"]),
        ([("hs_next_step", "NOT_HAS_PROPERTY")], ["Bolt - pilot"]),
        ([("dealstage", "IN", ["closedwon", "contractsent"])], ["Bolt - pilot", "Acme - renewal"]),
        ([("dealstage", "NOT_IN", ["closedwon"])], ["Acme - renewal"]),
        ([("dealname", "IN", ["acme - renewal"])], ["Acme - renewal"]),
        ([("dealname", "IN", ["Acme - renewal"])], []),
        ([("dealname", "CONTAINS_TOKEN", "renew*")], ["Acme - renewal"]),
        ([("dealname", "CONTAINS_TOKEN", "renew")], []),
        ([("dealname", "CONTAINS_TOKEN", "pilot bolt")], ["Bolt - pilot"]),
        ([("dealname", "NOT_CONTAINS_TOKEN", "pilot")], ["Acme - renewal"]),
        ([("hs_is_closed_won", "EQ", "true")], ["Bolt - pilot"]),
        ([("hs_is_closed", "EQ", False)], ["Acme - renewal"]),
        ([("lead_source", "EQ", "Renewal")], ["Acme - renewal"]),
        ([("dealname", "CONTAINS_TOKEN", "renewal, Acme")], ["Acme - renewal"]),
        ([("dealname", "CONTAINS_TOKEN", "Acme.")], ["Acme - renewal"]),
        ([("dealname", "CONTAINS_TOKEN", " - ")], []),
        ([("amount", "GT", 1), ("dealstage", "EQ", "contractsent")], ["Acme - renewal"]),
    ],
)
def test_operators(hs: HubSpot, filters: list[tuple[Any, ...]], names: list[str]) -> None:
    assert hs.found("deals", *filters) == names


def test_groups_are_joined_by_or_and_sorts_put_missing_values_last(hs: HubSpot) -> None:
    groups = [
        {"filters": [hs.filter("dealstage", "EQ", "closedwon")]},
        {"filters": [hs.filter("amount", "GT", "40000")]},
    ]
    assert hs.search_deals(filterGroups=groups)["total"] == 2
    extra = hs.create_deal(properties={"dealname": "No amount", "dealstage": "qualifiedtobuy"})
    down = [{"propertyName": "amount", "direction": "DESCENDING"}]
    assert hs.found("deals", sorts=down) == ["Acme - renewal", "Bolt - pilot", "No amount"]
    assert hs.found("deals", sorts=["amount"]) == ["Bolt - pilot", "Acme - renewal", "No amount"]
    assert hs.found("deals", sorts=["-createdate"])[0] == "No amount"
    assert hs.found("deals", sorts=[json.dumps(down[0])]) == ["Acme - renewal", "Bolt - pilot", "No amount"]
    assert hs.refused("search_deals", sorts=['{"propertyName": {"a": 1}}'])["code"] == 400
    assert hs.refused("search_deals", sorts=["{"])["code"] == 400
    assert hs.found("deals", ("hs_object_id", "EQ", extra["id"])) == ["No amount"]


def test_free_text_finds_beginnings_of_words_and_telephone_numbers(hs: HubSpot) -> None:
    assert hs.found("contacts", query="rey dan") == ["dana@acme.example"]
    assert hs.found("contacts", query="eyes") == []
    assert hs.found("contacts", query="2079460002") == ["dana@acme.example"]
    assert hs.found("contacts", query="acme.example") == ["dana@acme.example"]
    assert hs.found("companies", query="bolt") == ["Bolt Freight"]


def test_marks_between_words_are_no_words(hs: HubSpot) -> None:
    assert hs.found("contacts", query="Reyes, Dana") == ["dana@acme.example"]
    assert hs.found("companies", query="(Bolt) - Freight") == ["Bolt Freight"]
    hs.create_company(properties={"name": "Stone AT&T O'Brien Ltd"})
    assert hs.found("companies", query="at&t o'brien ltd.") == ["Stone AT&T O'Brien Ltd"]
    assert hs.found("companies", ("name", "CONTAINS_TOKEN", "AT&T")) == ["Stone AT&T O'Brien Ltd"]
    assert hs.found("companies", query="- &") == []
    hs.create_contact(properties={"email": "x@y.example", "phone": "+44 700 2079460"})
    assert hs.found("contacts", query="abc2079460") == []  # an address that has digits is no telephone number


@pytest.mark.parametrize("kind", ["deals", "contacts", "companies", "tickets"])
def test_filters_without_a_group_are_one_group(hs: HubSpot, kind: str) -> None:
    path, none = f"/crm/v3/objects/{kind}/search", [hs.filter("hs_object_id", "EQ", "1")]
    status, body = hs.rest("POST", path, {"filters": none})
    assert (status, body["total"]) == (200, 0)
    every = [{"filters": [hs.filter("hs_object_id", "HAS_PROPERTY")]}]
    assert hs.rest("POST", path, {"filters": none, "filterGroups": every}) == hs.rest("POST", path, {})


def test_an_additional_address_changes_places_with_the_main_one(hs: HubSpot) -> None:
    dana = hs.id(Contact, "dana")
    hs.merge_contacts(primaryObjectId=dana, objectIdToMerge=hs.id(Contact, "omar"))
    hs.update_contact(contactId=dana, properties={"email": "omar@bolt.example"})
    assert hs.values("contacts", dana, "email", "hs_additional_emails") == {
        "email": "omar@bolt.example",
        "hs_additional_emails": "dana@acme.example",
    }
    hs.update_contact(contactId=dana, properties={"email": "third@acme.example"})
    assert hs.values("contacts", dana, "hs_additional_emails") == {"hs_additional_emails": "dana@acme.example"}


def test_a_choice_of_several_is_either_equal_or_not(hs: HubSpot) -> None:
    hs.update_contact(contactId=hs.id(Contact, "dana"), properties={"hs_buying_role": "CHAMPION;END_USER"})
    assert hs.found("contacts", ("hs_buying_role", "EQ", "CHAMPION")) == ["dana@acme.example"]
    assert "dana@acme.example" not in hs.found("contacts", ("hs_buying_role", "NEQ", "CHAMPION"))
    assert "dana@acme.example" in hs.found("contacts", ("hs_buying_role", "NEQ", "INFLUENCER"))


def test_associations_are_searched_by_a_pseudo_property(hs: HubSpot) -> None:
    acme = hs.id(Company, "acme")
    assert hs.found("contacts", ("associations.company", "EQ", acme)) == ["dana@acme.example"]
    assert hs.found("deals", ("associations.contacts", "EQ", hs.id(Contact, "dana"))) == ["Acme - renewal"]
    assert hs.found("deals", ("associations.contact", "EQ", "77")) == []
    assert hs.refused("search_deals", filterGroups=[{"filters": [hs.filter("associations.contact", "GT", "1")]}])[
        "message"
    ] == ("Operator GT is not supported for associations.contact; use EQ or IN")


def test_searches_that_make_no_sense_are_refused(hs: HubSpot) -> None:
    def refused(*filters: dict[str, Any], **more: Any) -> str:
        return hs.refused("search_deals", filterGroups=[{"filters": list(filters)}], **more)["message"]

    assert "requires a highValue" in refused(hs.filter("amount", "BETWEEN", "1"))
    assert "requires values" in refused(hs.filter("amount", "IN"))
    assert "requires a value" in refused(hs.filter("amount", "EQ"))
    assert "required attributes are not set [operator]" in refused({"propertyName": "amount"})
    assert refused(hs.filter("nope", "EQ", "1")) == "There was a problem with the request."
    assert refused(hs.filter("amount", "GT", "much")) == "There was a problem with the request."
    assert "Too many filters in a group: 7" in refused(*[hs.filter("amount", "GT", "1")] * 7)
    group = {"filters": [hs.filter("amount", "GT", "1")]}
    assert "Too many filter groups: 6" in hs.refused("search_deals", filterGroups=[group] * 6)["message"]
    full = {"filters": [hs.filter("amount", "GT", "1")] * 5}
    assert "maximum over all filter groups is 18" in hs.refused("search_deals", filterGroups=[full] * 4)["message"]
    assert "Only one sort" in hs.refused("search_deals", sorts=["amount", "dealname"])["message"]
    assert "nope" in hs.refused("search_deals", sorts=["nope"])["message"]
    assert hs.refused("search_deals", limit=201)["code"] == 400
    assert hs.refused("search_deals", after="10000")["message"] == "Cannot page beyond 10000 results"
    assert hs.refused("search_deals", after="x")["code"] == 400
    odd = hs.refused(
        "search_deals", filterGroups=[{"filters": [{"propertyName": "amount", "operator": "LIKE", "value": "1"}]}]
    )
    assert "Enum type must be one of" in odd["message"]


def test_every_page_comes_once(world: HubSpot) -> None:
    listed, after = list[str](), None
    while True:
        page = world.list_objects(objectType="contacts", limit=20, **({"after": after} if after else {}))
        listed += [r["id"] for r in page["results"]]
        if "paging" not in page:
            break
        after = page["paging"]["next"]["after"]
    searched, after = list[str](), "0"
    while after:
        page = world.search_contacts(limit=20, after=after)
        searched += [r["id"] for r in page["results"]]
        after = page.get("paging", {}).get("next", {}).get("after")
    assert len(listed) == len(set(listed)) == page["total"]
    assert sorted(listed) == sorted(searched)
    assert world.refused("list_objects", objectType="contacts", after="zz")["code"] == 400
    status, body = world.rest("GET", "/crm/v3/objects/deals?limit=5&properties=dealname,amount")
    assert (status, len(body["results"])) == (200, 5)
    assert f"after={body['results'][-1]['id']}" in body["paging"]["next"]["link"]
    assert set(body["results"][0]["properties"]) == {
        "dealname",
        "amount",
        "createdate",
        "hs_lastmodifieddate",
        "hs_object_id",
    }


def test_batches_answer_for_what_is_missing(hs: HubSpot) -> None:
    dana, omar = hs.id(Contact, "dana"), hs.id(Contact, "omar")
    status, body = hs.rest(
        "POST", "/crm/v3/objects/contacts/batch/read", {"inputs": [{"id": dana}, {"id": "9"}], "properties": ["city"]}
    )
    assert (status, body["numErrors"], body["errors"][0]["context"]) == (207, 1, {"ids": ["9"]})
    assert body["errors"][0]["message"].startswith("Could not get some CONTACT objects")
    by_email = hs.batch_read_objects(objectType="contacts", inputs=[{"id": "omar@bolt.example"}], idProperty="email")
    assert [r["id"] for r in by_email["results"]] == [omar]
    changes = [{"id": dana, "properties": {"city": "Rome"}}, {"id": "9", "properties": {"city": "Rome"}}]
    partly = hs.batch_update_objects(objectType="contacts", inputs=changes)
    assert ([r["id"] for r in partly["results"]], partly["numErrors"]) == ([dana], 1)
    bad = [{"id": dana, "properties": {"city": "Oslo"}}, {"id": omar, "properties": {"nope": "x"}}]
    assert codes(hs.refused("batch_update_objects", objectType="contacts", inputs=bad)) == {
        "nope": "PROPERTY_DOESNT_EXIST"
    }
    assert (
        "Duplicate IDs"
        in hs.refused("batch_update_objects", objectType="contacts", inputs=[changes[0], changes[0]])["message"]
    )
    assert hs.refused("batch_create_objects", objectType="contacts", inputs=[])["code"] == 400
    assert hs.refused("batch_read_objects", objectType="contacts", inputs=[{"id": "1"}] * 101)["code"] == 400
    assert (
        "not a unique property"
        in hs.refused("batch_read_objects", objectType="contacts", inputs=[{"id": "x"}], idProperty="city")["message"]
    )


def test_a_batch_of_traced_creations_stands_or_falls_one_by_one(hs: HubSpot) -> None:
    inputs = [
        {"properties": {"email": "new@x.example"}, "objectWriteTraceId": "a"},
        {"properties": {"email": "omar@bolt.example"}, "objectWriteTraceId": "b"},
        {"properties": {"email": "none"}, "objectWriteTraceId": "c"},
    ]
    path = "/crm/v3/objects/contacts/batch/create"
    status, body = hs.rest("POST", path, {"inputs": [*inputs[:2], {"properties": {"email": "z@x.example"}}]})
    assert (status, body["category"]) == (409, "CONFLICT")
    assert hs.episode.changes() == []
    status, body = hs.rest("POST", path, {"inputs": inputs})
    assert (status, body["numErrors"]) == (207, 2)
    assert [(r["properties"]["email"], r["objectWriteTraceId"]) for r in body["results"]] == [("new@x.example", "a")]
    assert [(e["category"], e["context"]["objectWriteTraceId"]) for e in body["errors"]] == [
        ("CONFLICT", ["b"]),
        ("VALIDATION_ERROR", ["c"]),
    ]
    assert [c.kind for c in hs.episode.changes()] == ["insert"]


def test_upserts_create_or_change_by_a_unique_property(hs: HubSpot) -> None:
    inputs = [
        {"id": "DANA@acme.example", "idProperty": "email", "properties": {"city": "Rome"}},
        {"id": "new@x.example", "idProperty": "email", "properties": {"firstname": "New"}},
    ]
    results = hs.batch_upsert_contacts(inputs=inputs)["results"]
    assert [(r["new"], r["properties"]["email"]) for r in results] == [
        (False, "dana@acme.example"),
        (True, "new@x.example"),
    ]
    assert hs.refused("batch_upsert_contacts", inputs=[{"id": "5", "properties": {}}])["code"] == 404
    status, _ = hs.rest(
        "POST", "/crm/v3/objects/contacts/batch/archive", {"inputs": [{"id": results[1]["id"]}, {"id": "8"}]}
    )
    assert status == 204
    assert hs.refused("get_contact", contactId=results[1]["id"])["code"] == 404
    status, _ = hs.rest(
        "POST", "/crm/v3/objects/contacts/gdpr-delete", {"objectId": "dana@acme.example", "idProperty": "email"}
    )
    assert status == 204
    assert hs.refused("get_contact", contactId=hs.id(Contact, "dana"), archived=True)["code"] == 404
