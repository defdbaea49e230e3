"""HubSpot: faces; values."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp.capabilities.crm import Contact, Deal
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.testing import ALEX
from tests.apps.hubspot.support import HubSpot, codes
from tests.support.customers import GONE


async def test_the_mcp_face_lists_the_official_tools_and_answers_structured(hs: HubSpot) -> None:
    async with Client(serve(hs.episode, ["hubspot"])) as client:
        names = {t.name for t in (await client.list_tools()).tools}
        assert {
            "get_user_details", "list_objects", "search_objects", "batch_read_objects", "batch_create_objects", "batch_update_objects",
            "get_schemas", "list_properties", "get_property", "create_property", "update_property", "batch_create_associations",
            "list_associations", "get_association_definitions", "create_engagement", "get_engagement", "update_engagement", "get_link",
        } <= names  # fmt: skip
        found = await client.call_tool("get_contact", {"contactId": hs.id(Contact, "dana")})
        assert found.structured_content
        assert found.structured_content["properties"]["email"] == "dana@acme.example"
        missing = await client.call_tool("get_contact", {"contactId": "1"})
        assert missing.is_error
        assert '"category":"OBJECT_NOT_FOUND"' in missing.content[0].text.replace(" ", "")  # pyright: ignore[reportAttributeAccessIssue]


def test_who_is_calling_and_where_records_are_seen(hs: HubSpot) -> None:
    me = hs.get_user_details()
    assert me["ownerId"] == hs.id(Person, ALEX.key)
    assert me["email"] == ALEX.email
    owner = hs.get_owner(ownerId=int(me["ownerId"]))
    assert (owner["userId"], owner["firstName"]) == (me["userId"], "Alex")
    assert hs.list_owners(email="BEA.STONE@brightwater.example")["results"][0]["teams"][0]["name"] == "Sales"
    assert [o["email"] for o in hs.list_owners(archived=True)["results"]] == [GONE.email]
    pages = [
        {"pagetype": "record", "objectTypeId": "0-3", "objectId": "5"},
        {"pagetype": "index", "objectTypeId": "contacts"},
    ]
    urls = hs.get_link(portalId=str(me["hubId"]), uiDomain=me["uiDomain"], pageRequests=pages)["urls"]
    assert urls[0]["url"] == f"https://app.hubspot.com/contacts/{me['hubId']}/record/0-3/5"
    assert urls[1]["url"].endswith("/objects/0-1/views/all/list")


def test_every_name_of_an_object_type_leads_to_it(hs: HubSpot) -> None:
    totals = {hs.search_objects(objectType=n)["total"] for n in ("contacts", "contact", "0-1", "Contacts")}
    assert totals == {3}
    error = hs.refused("list_objects", objectType="widgets")
    assert (error["code"], error["message"]) == (400, "Unable to infer object type from: widgets")
    assert "category" not in error


def test_what_the_rest_face_refuses(hs: HubSpot) -> None:
    assert hs.rest("GET", "/crm/v3/nothing")[0] == 404
    assert hs.rest("PUT", "/crm/v3/objects/deals")[0] == 405
    status, body = hs.rest("POST", "/crm/v3/objects/deals", b"{")
    assert (status, body["message"][:18]) == (400, "Invalid input JSON")
    status, body = hs.rest("POST", "/crm/v3/objects/deals", {})
    assert (status, body["message"]) == (400, "Invalid input JSON: Some required fields were not set: [properties]")
    status, body = hs.rest("GET", "/crm/v3/objects/contacts?limit=101")
    assert (status, body["category"]) == (400, "VALIDATION_ERROR")
    status, body = hs.rest("GET", "/crm/v3/objects/contacts/abc")
    assert (status, body["message"]) == (404, "Object not found.  objectId are usually numeric.")
    assert len(body["correlationId"]) == 36


def test_every_value_is_text_on_the_wire_and_typed_within(hs: HubSpot) -> None:
    made = hs.create_deal(
        properties={"dealname": "X", "dealstage": "qualifiedtobuy", "amount": 1500.50, "closedate": "2026-04-01"}
    )
    values = made["properties"]
    assert (values["amount"], values["closedate"], values["hs_is_closed"]) == (
        "1500.5",
        "2026-04-01T00:00:00Z",
        "false",
    )
    assert (values["hs_deal_stage_probability"], values["hs_projected_amount"]) == ("0.4", "600.2")
    assert all(v is None or isinstance(v, str) for v in values.values())
    for amount in ("1500.50", "1500.5", 1500.5, "1.5005e3"):
        hs.update_deal(dealId=made["id"], properties={"amount": amount})
        assert hs.values("deals", made["id"], "amount") == {"amount": "1500.5"}
    for date in ("1775001600000", "2026-04-01T00:00:00Z", "2026-04-01T02:00:00+02:00"):
        hs.update_deal(dealId=made["id"], properties={"closedate": date})
        assert hs.values("deals", made["id"], "closedate") == {"closedate": "2026-04-01T00:00:00Z"}
    row = hs.live.store.query("SELECT amount FROM deal WHERE id = ?", [made["id"]])
    assert row == [{"amount": 1500.5}]


def test_values_that_do_not_fit_are_refused_together(hs: HubSpot) -> None:
    error = hs.refused(
        "create_contact",
        properties={
            "email": "no address", "nope": "1", "lifecyclestage": "boss", "hubspot_owner_id": "x1", "createdate": "2020-01-01",
            "hs_email_optout": "perhaps",
        },
    )  # fmt: skip
    assert (error["code"], error["category"]) == (400, "VALIDATION_ERROR")
    assert codes(error) == {
        "email": "INVALID_EMAIL", "nope": "PROPERTY_DOESNT_EXIST", "lifecyclestage": "INVALID_OPTION",
        "hubspot_owner_id": "INVALID_INTEGER",
        "createdate": "READ_ONLY_VALUE", "hs_email_optout": "INVALID_OPTION",
    }  # fmt: skip
    listed = json.loads(error["message"].removeprefix("Property values were not valid: "))
    assert [one["name"] for one in listed] == [*codes(error)]
    deal = hs.id(Deal, "renewal")
    error = hs.refused(
        "update_deal",
        dealId=deal,
        properties={"amount": "1,000", "closedate": "soon", "deal_currency_code": "XXX", "hubspot_owner_id": "5"},
    )
    assert codes(error) == {
        "amount": "INVALID_NUMBER", "closedate": "INVALID_LONG", "deal_currency_code": "INVALID_OPTION",
        "hubspot_owner_id": "INVALID_OWNER_ID",
    }  # fmt: skip
    former = hs.id(Person, "gone")
    assert codes(hs.refused("update_deal", dealId=deal, properties={"hubspot_owner_id": former})) == {
        "hubspot_owner_id": "INVALID_OWNER_ID"
    }


def test_a_date_is_a_midnight_and_a_multiple_choice_adds_by_a_semicolon(hs: HubSpot) -> None:
    hs.create_property(
        objectType="deals",
        name="renews_on",
        label="Renews on",
        groupName="dealinformation",
        type="date",
        fieldType="date",
    )
    deal = hs.id(Deal, "renewal")
    error = hs.refused("update_deal", dealId=deal, properties={"renews_on": "1427997766000"})
    assert codes(error) == {"renews_on": "INVALID_DATE"}
    assert error["errors"][0]["message"] == "1427997766000 is at 18:2:46.0 UTC, not midnight!"
    hs.update_deal(dealId=deal, properties={"renews_on": "1427932800000"})
    assert hs.values("deals", deal, "renews_on") == {"renews_on": "2015-04-02"}
    assert hs.found("deals", ("renews_on", "EQ", "1427932800000")) == ["Acme - renewal"]
    ticket = hs.create_ticket(
        properties={"subject": "S", "hs_pipeline_stage": "1", "hs_ticket_category": "BILLING_ISSUE"}
    )
    hs.update_ticket(ticketId=ticket["id"], properties={"hs_ticket_category": ";PRODUCT_ISSUE"})
    assert hs.values("tickets", ticket["id"], "hs_ticket_category") == {
        "hs_ticket_category": "BILLING_ISSUE;PRODUCT_ISSUE"
    }


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(min_value=-1e12, max_value=1e12, allow_nan=False).map(lambda x: round(x, 4)))
def test_a_number_reads_back_as_itself_and_sorts_as_a_number(hs: HubSpot, amount: float) -> None:
    deal = hs.id(Deal, "won")
    hs.update_deal(dealId=deal, properties={"amount": str(amount)})
    shown = hs.values("deals", deal, "amount")["amount"]
    assert float(shown) == amount
    assert "e" not in shown
    assert hs.found("deals", ("amount", "EQ", shown), ("hs_object_id", "EQ", deal)) == ["Bolt - pilot"]
    assert ("Bolt - pilot" in hs.found("deals", ("amount", "GT", "42000"))) == (amount > 42000)
