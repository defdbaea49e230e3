"""The Salesforce app through its public faces: rules, states, SOQL and SOSL, pages, composite, and the crm capability."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import registry
from legoenv_mcp.capabilities import Entity, Plan
from legoenv_mcp.capabilities.crm import Activity, Company, Contact, Deal, Lead
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.diff import all_keys
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.support.customers import ACME, BEA, BOLT, DANA, GONE, LENA, OMAR, RENEWAL, WON

BASE = "/services/data/v60.0"
ACTIVITIES = [
    Activity(
        key="t1", kind="task", subject="Call Dana back", body="About the paper.", about="renewal", owner="bea", due="2026-03-04",
        created="2026-02-20T10:00:00Z",
    ),
    Activity(key="t2", kind="call", subject="First call", about="lena", owner="bea", due="2026-02-10", done=True,
    created="2026-02-10T10:00:00Z"),
    Activity(
        key="t3", kind="note", subject="Likes mornings", body="Never call after noon.", about="dana", owner="bea", done=True,
        created="2026-02-11T10:00:00Z",
    ),
    Activity(
        key="t4", kind="meeting", subject="Review", body="Quarterly.", about="acme", owner="alex.doyle", due="2026-02-12", done=True,
        created="2026-02-01T10:00:00Z",
    ),
    Activity(key="t5", kind="note", subject="Loose note", body="On nothing.", owner="bea", done=True, created="2026-02-11T10:00:00Z"),
]  # fmt: skip
ENTITIES: list[Entity] = [BEA, GONE, ACME, BOLT, DANA, OMAR, LENA, RENEWAL, WON, *ACTIVITIES]


class Salesforce:
    """The app of one episode: `tool(...)` calls must succeed, `refused(...)` must not and must change nothing."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self.live = episode.app("salesforce")

    def __getattr__(self, tool: str) -> Any:
        if tool.startswith("_"):  # hypothesis asks for its own
            raise AttributeError(tool)

        def run(**arguments: Any) -> Any:
            reply = self.episode.call("salesforce", tool, arguments)
            assert not reply.error, reply.body
            return reply.body

        return run

    def refused(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The refusal's error, with its status."""
        before = self.everything()
        reply = self.episode.call("salesforce", tool, arguments)
        assert reply.error
        assert 400 <= reply.status < 500, reply.body
        assert self.everything() == before
        return {"status": reply.status, **reply.body[0]}

    def everything(self) -> dict[str, Any]:
        connection = self.live.store.connection
        return {
            name: connection.execute(f'SELECT * FROM "{name}" ORDER BY 1').fetchall() for name in self.live.app.shapes
        }

    def rest(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """A request on the REST face: status and body."""
        raw = b"" if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
        kind = "text/csv" if isinstance(body, str) else "application/json"
        sent = {"content-type": kind, **{k.replace("_", "-").lower(): v for k, v in headers.items()}}
        plain, _, _ = path.partition("?")
        reply = handle(self.live, Request(method, plain, path, {}, sent, ""), raw)
        return reply.wire_status or reply.status, reply.body

    def id(self, kind: type[Entity], key: str) -> str:
        return self.live.template.refs[f"{kind.__module__.rpartition('.')[2]}.{kind.__name__}"][key]

    def soql(self, q: str, **more: Any) -> list[dict[str, Any]]:
        return self.query(q=q, **more)["records"]

    def create(self, sobject: str, **fields: Any) -> str:
        return self.create_record(sobject=sobject, fields=fields)["id"]

    def get(self, sobject: str, record_id: str) -> dict[str, Any]:
        return self.get_record(sobject=sobject, id=record_id)

    def update(self, sobject: str, record_id: str, **fields: Any) -> None:
        self.update_record(sobject=sobject, id=record_id, fields=fields)

    def view(self, record_id: str) -> Entity | None:
        """The canonical entity of a record."""
        app = self.live.app
        ctx = Ctx(self.live, None, None, Request())
        for name, shape in app.shapes.items():
            row = self.live.store.get(shape.cls, record_id) if shape.key == ("Id",) else None
            if row is not None:
                return app.provides["crm"].view(ctx, name, {c: getattr(row, c) for c in shape.columns})
        return None

    def play(self, plan: Plan) -> list[dict[str, Any]]:
        """Runs a verb's steps, as the plan player does."""
        replies = list[dict[str, Any]]()
        try:
            step = next(plan)
            while True:
                reply = self.episode.call("salesforce", step.tool, step.arguments)
                assert not reply.error, reply.body
                replies.append(reply.body)
                step = plan.send(reply.body)
        except StopIteration:
            return replies


@pytest.fixture
def sf() -> Salesforce:
    return Salesforce(episode_of("salesforce", ENTITIES))


@pytest.fixture
def world() -> Salesforce:
    return Salesforce(episode_of("salesforce", world="quaymark"))


# Ids


def test_ids_have_the_type_s_prefix_and_a_true_checksum(sf: Salesforce) -> None:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
    for sobject, prefix in {
        "Account": "001",
        "Contact": "003",
        "Lead": "00Q",
        "Opportunity": "006",
        "Task": "00T",
    }.items():
        record_id = sf.soql(f"SELECT Id FROM {sobject} LIMIT 1")[0]["Id"]
        assert record_id.startswith(prefix)
        bits = [[c.isupper() for c in record_id[i : i + 5]] for i in (0, 5, 10)]
        assert record_id[15:] == "".join(alphabet[sum(b << n for n, b in enumerate(chunk))] for chunk in bits)


def test_fifteen_characters_are_an_id_too(sf: Salesforce) -> None:
    account = sf.id(Company, "acme")
    assert sf.get("Account", account[:15])["Id"] == account
    assert sf.soql(f"SELECT Id FROM Contact WHERE AccountId = '{account[:15]}'")[0]["Id"] == sf.id(Contact, "dana")
    wrong = account[:-1] + ("A" if account[-1] != "A" else "B")
    assert sf.refused("get_record", sobject="Account", id=wrong)["errorCode"] == "NOT_FOUND"


# Saving: what is refused, and that nothing stays of it

CASES: list[tuple[str, dict[str, Any], str, str]] = [
    ("Account", {"Industry": "Retail"}, "REQUIRED_FIELD_MISSING", "Required fields are missing: [Name]"),
    ("Account", {"Name": " "}, "REQUIRED_FIELD_MISSING", "Required fields are missing: [Name]"),
    ("Account", {"Name": "x", "Colour": "red"}, "INVALID_FIELD", "No such column 'Colour' on sobject of type Account"),
    ("Account", {"Name": "x" * 256}, "STRING_TOO_LONG", f"Account Name: data value too large: {'x' * 256} (max length=255)"),
    ("Account", {"Name": "x", "Tier__c": "Gold"}, "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST",
    "Tier: bad value for restricted picklist field: Gold"),
    ("Account", {"Name": "x", "ParentId": "nope"}, "MALFORMED_ID", "Parent Account ID: id value of incorrect type: nope"),
    ("Account", {"Name": "x", "ParentId": "001000000000000AAA"}, "INVALID_CROSS_REFERENCE_KEY", "invalid cross reference id"),
    ("Account", {"Name": "x", "AnnualRevenue": 10**20}, "NUMBER_OUTSIDE_VALID_RANGE", ""),
    ("Account", {"Name": "x", "NumberOfEmployees": 2**40}, "NUMBER_OUTSIDE_VALID_RANGE", ""),
    ("Account", {"Name": "x", "NumberOfEmployees": "many"}, "JSON_PARSER_ERROR", ""),
    ("Account", {"Name": ["x"]}, "JSON_PARSER_ERROR", ""),
    ("Account", {"Name": "x", "CreatedDate": "2026-01-01T00:00:00Z"}, "INVALID_FIELD_FOR_INSERT_UPDATE", ""),
    ("Account", {"Name": "x", "Id": "001000000000000AAA"}, "INVALID_FIELD_FOR_INSERT_UPDATE", "cannot specify Id in an insert call"),
    ("Contact", {"LastName": "x", "Email": "not-an-address"}, "INVALID_EMAIL_ADDRESS", "Email: invalid email address: not-an-address"),
    ("Contact", {"LastName": "x", "Birthdate": "31/12/1990"}, "JSON_PARSER_ERROR", ""),
    ("Contact", {"LastName": "x", "Name": "x y"}, "INVALID_FIELD_FOR_INSERT_UPDATE", ""),
    ("Opportunity", {"Name": "x", "StageName": "Prospecting"}, "REQUIRED_FIELD_MISSING", "Required fields are missing: [CloseDate]"),
    (
        "Opportunity", {"Name": "x", "StageName": "Signed", "CloseDate": "2026-04-01"}, "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST",
        "Stage: bad value for restricted picklist field: Signed",
    ),
    ("Opportunity", {"Name": "x", "StageName": "Prospecting", "CloseDate": "2026-04-01", "Probability": 101},
    "NUMBER_OUTSIDE_VALID_RANGE", ""),
    ("Lead", {"LastName": "x"}, "REQUIRED_FIELD_MISSING", "Required fields are missing: [Company]"),
    ("Event", {"Subject": "x"}, "REQUIRED_FIELD_MISSING", "Required fields are missing: [StartDateTime]"),
    ("Event", {"Subject": "x", "StartDateTime": "2026-03-05T10:00:00Z", "EndDateTime": "2026-03-05T09:00:00Z"},
    "FIELD_INTEGRITY_EXCEPTION", ""),
    ("Event", {"Subject": "x", "StartDateTime": "2026-03-05T10:00:00Z", "DurationInMinutes": 60 * 24 * 15}, "FIELD_INTEGRITY_EXCEPTION",
    ""),
    ("Event", {"Subject": "x", "StartDateTime": "2026-03-05T10:00:00Z", "DurationInMinutes": 1 - 2**31}, "FIELD_INTEGRITY_EXCEPTION", ""),
    ("Event", {"Subject": "x", "StartDateTime": "0999-03-05T10:00:00Z", "DurationInMinutes": 5}, "JSON_PARSER_ERROR", ""),
    ("Event", {"Subject": "x", "StartDateTime": "4001-01-01T00:00:00Z", "DurationInMinutes": 5}, "JSON_PARSER_ERROR", ""),
    ("Opportunity", {"Name": "x", "StageName": "Prospecting", "CloseDate": "0001-01-01"}, "JSON_PARSER_ERROR", ""),
    ("Profile", {"Name": "x"}, "CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY", ""),
    ("User", {"LastName": "x"}, "REQUIRED_FIELD_MISSING", ""),
]  # fmt: skip


@pytest.mark.parametrize(("sobject", "fields", "code", "message"), CASES)
def test_a_bad_record_is_refused(sf: Salesforce, sobject: str, fields: dict[str, Any], code: str, message: str) -> None:
    error = sf.refused("create_record", sobject=sobject, fields=fields)
    assert error["errorCode"] == code
    assert not message or error["message"] == message
    assert sf.episode.changes() == []


def test_a_reference_must_be_of_the_right_type_and_alive(sf: Salesforce) -> None:
    contact = sf.id(Contact, "dana")
    error = sf.refused("create_record", sobject="Contact", fields={"LastName": "x", "AccountId": contact})
    assert error["errorCode"] == "FIELD_INTEGRITY_EXCEPTION"
    assert error["fields"] == ["AccountId"]
    sf.delete_record(sobject="Contact", id=contact)
    gone = sf.refused("create_record", sobject="Contact", fields={"LastName": "x", "ReportsToId": contact})
    assert gone["errorCode"] == "ENTITY_IS_DELETED"


def test_an_inactive_user_owns_nothing_new(sf: Salesforce) -> None:
    fields = {"Name": "x", "OwnerId": sf.id(Person, "gone")}
    assert sf.refused("create_record", sobject="Account", fields=fields)["errorCode"] == "INACTIVE_OWNER_OR_USER"


def test_hierarchies_have_no_circles(sf: Salesforce) -> None:
    acme = sf.id(Company, "acme")
    child = sf.create("Account", Name="Acme Ports", ParentId=acme)
    error = sf.refused("update_record", sobject="Account", id=acme, fields={"ParentId": child})
    assert error["errorCode"] == "CIRCULAR_DEPENDENCY"


def test_external_ids_are_unique_and_find_records(sf: Salesforce) -> None:
    first = sf.upsert_by_external_id(sobject="Account", field="External_Id__c", value="E-1", fields={"Name": "One"})
    assert first["created"] is True
    again = sf.upsert_by_external_id(sobject="Account", field="External_Id__c", value="e-1", fields={"Phone": "1"})
    assert (again["id"], again["created"]) == (first["id"], False)
    error = sf.refused("create_record", sobject="Account", fields={"Name": "Two", "External_Id__c": "E-1"})
    assert error["errorCode"] == "DUPLICATE_VALUE"
    assert error["message"].endswith(f"record with id: {first['id'][:15]}")
    made = sf.create("Contact", LastName="Via", Account={"External_Id__c": "E-1"})
    assert sf.get("Contact", made)["AccountId"] == first["id"]
    assert sf.get_record_by_external_id(sobject="Account", field="External_Id__c", value="E-1")["Id"] == first["id"]
    blank = {"sobject": "Account", "field": "External_Id__c", "value": " ", "fields": {"Name": "Three"}}
    assert sf.refused("upsert_by_external_id", **blank)["errorCode"] == "MISSING_ARGUMENT"
    blank = {"sobject": "Account", "field": "External_Id__c", "records": [{"External_Id__c": "", "Name": "Three"}]}
    assert sf.upsert_records_collection(**blank)[0]["errors"][0]["statusCode"] == "MISSING_ARGUMENT"
    assert sf.soql("SELECT Id FROM Account WHERE Name = 'Three'") == []
    missing = sf.refused(
        "create_record", sobject="Contact", fields={"LastName": "x", "Account": {"External_Id__c": "E-9"}}
    )
    assert missing["message"] == "Foreign key external ID: E-9 not found for field External_Id__c in entity Account"
    assert sf.refused("get_record_by_external_id", sobject="Account", field="Phone", value="1")["status"] == 404


def test_duplicates_are_blocked_until_saved_on_purpose(sf: Salesforce) -> None:
    twin = {"FirstName": "D", "LastName": "R", "Email": "DANA@acme.example"}
    error = sf.refused("create_record", sobject="Contact", fields=twin)
    assert error["errorCode"] == "DUPLICATES_DETECTED"
    match = error["duplicateResult"]["matchResults"][0]
    assert match["matchRecords"][0]["record"]["Id"] == sf.id(Contact, "dana")
    status, _ = sf.rest("POST", f"{BASE}/sobjects/Contact", twin, Sforce_Duplicate_Rule_Header="allowSave=true")
    assert status == 201
    assert sf.create_record(sobject="Contact", fields=twin, allow_save=True)["success"]
    assert (
        sf.refused("create_record", sobject="Account", fields={"Name": "ACME Cranes, Limited"})["errorCode"]
        == "DUPLICATES_DETECTED"
    )
    sf.create("Account", Name="Acme Cranes", Website="https://acme-cranes.example.com")  # another firm: another site
    assert sf.refused(
        "create_record", sobject="Lead", fields={"LastName": "S", "Company": "x", "Email": "lena@sarkis.example"}
    )
    other = sf.create("Contact", LastName="Free", Email="free@acme.example")
    error = sf.refused("update_record", sobject="Contact", id=other, fields={"Email": "dana@acme.example"})
    assert error["errorCode"] == "DUPLICATES_DETECTED"
    sf.update("Contact", other, Title="Not about a match")


def test_defaults_and_audit_fields(sf: Salesforce) -> None:
    made = sf.get(
        "Lead",
        sf.create("Lead", LastName="Quill", Company="Quill & Co", HasOptedOutOfEmail="true", AnnualRevenue="1500.4"),
    )
    me = sf.get_user_info()["user_id"]
    assert (made["Status"], made["OwnerId"], made["CreatedById"], made["Name"]) == (
        "Open - Not Contacted",
        me,
        me,
        "Quill",
    )
    assert (made["HasOptedOutOfEmail"], made["AnnualRevenue"], made["CurrencyIsoCode"]) == (True, 1500.0, "USD")
    assert made["CreatedDate"] == made["SystemModstamp"] == "2026-03-02T09:00:01.000+0000"
    sf.update("Lead", made["Id"], Title="Head", LeadSource="Smoke signal")
    after = sf.get("Lead", made["Id"])
    assert (after["CreatedDate"], after["LastModifiedDate"]) == (made["CreatedDate"], "2026-03-02T09:00:02.000+0000")
    assert after["LeadSource"] == "Smoke signal"  # not restricted


# Deleting and restoring


def test_the_recycle_bin(sf: Salesforce) -> None:
    acme, dana, deal = sf.id(Company, "acme"), sf.id(Contact, "dana"), sf.id(Deal, "renewal")
    alone = sf.create("Contact", LastName="Alone", ReportsToId=dana)
    sf.delete_record(sobject="Account", id=acme)
    for sobject, record_id in (("Account", acme), ("Contact", dana), ("Opportunity", deal)):
        error = sf.refused("get_record", sobject=sobject, id=record_id)
        assert (error["status"], error["errorCode"], error["message"]) == (
            404,
            "ENTITY_IS_DELETED",
            "entity is deleted",
        )
        assert sf.refused("update_record", sobject=sobject, id=record_id, fields={})["errorCode"] == "ENTITY_IS_DELETED"
        assert sf.refused("delete_record", sobject=sobject, id=record_id)["errorCode"] == "ENTITY_IS_DELETED"
    assert sf.get("Contact", alone)["ReportsToId"] is None
    assert sf.soql("SELECT Id FROM Task WHERE Subject = 'Call Dana back'") == []
    assert sf.query_all(q=f"SELECT Id FROM Account WHERE Id = '{acme}' AND IsDeleted = true")["totalSize"] == 1
    assert sf.view(acme) is None
    error = sf.refused("undelete_records", ids=[alone])
    assert error["errorCode"] == "UNDELETE_FAILED"
    sf.undelete_records(ids=[acme])
    assert sf.get("Contact", dana)["AccountId"] == acme
    assert sf.get("Opportunity", deal)["ContactId"] == dana
    assert sf.soql("SELECT Id FROM Task WHERE Subject = 'Call Dana back'")


def test_a_record_in_the_bin_is_as_it_was(sf: Salesforce) -> None:
    deal = sf.id(Deal, "renewal")
    sf.delete_record(sobject="Opportunity", id=deal)
    binned = sf.query_all(q=f"SELECT ContactId FROM Opportunity WHERE Id = '{deal}'")["records"][0]
    assert binned["ContactId"] == sf.id(Contact, "dana")
    assert {c for change in sf.episode.changes() for c in change.columns} == {"IsDeleted"}


def test_records_that_others_need_stay(sf: Salesforce) -> None:
    error = sf.refused("delete_record", sobject="Account", id=sf.id(Company, "bolt"))
    assert error["errorCode"] == "DELETE_FAILED"
    assert "closed won" in error["message"]
    case = sf.create("Case", Subject="Broken", ContactId=sf.id(Contact, "dana"))
    number = sf.get("Case", case)["CaseNumber"]
    for sobject, record_id in (("Account", sf.id(Company, "acme")), ("Contact", sf.id(Contact, "dana"))):
        error = sf.refused("delete_record", sobject=sobject, id=record_id)
        assert error["errorCode"] == "DELETE_FAILED"
        assert number in error["message"]
    assert (
        sf.refused("delete_record", sobject="User", id=sf.id(Person, "bea"))["errorCode"]
        == "INSUFFICIENT_ACCESS_OR_READONLY"
    )


# Opportunities


def test_the_stage_drives_the_rest(sf: Salesforce) -> None:
    deal = sf.id(Deal, "renewal")
    expected = {
        "Prospecting": (False, False, 10.0, "Pipeline"), "Negotiation/Review": (False, False, 90.0, "Pipeline"),
        "Closed Won": (True, True, 100.0, "Closed"), "Closed Lost": (True, False, 0.0, "Omitted"), "Value Proposition": (False, False,
        50.0, "Pipeline"),
    }  # fmt: skip
    for stage, (closed, won, probability, forecast) in expected.items():
        sf.update("Opportunity", deal, StageName=stage)
        now = sf.get("Opportunity", deal)
        assert (now["IsClosed"], now["IsWon"], now["Probability"], now["ForecastCategoryName"]) == (
            closed,
            won,
            probability,
            forecast,
        )
        assert now["ExpectedRevenue"] == 42000 * probability / 100
    sf.update("Opportunity", deal, StageName="Proposal/Price Quote", Probability=80, ForecastCategoryName="Commit")
    now = sf.get("Opportunity", deal)
    assert (now["Probability"], now["ForecastCategory"], now["Fiscal"]) == (80.0, "Forecast", "2026 1")
    for fixed in ("IsWon", "IsClosed", "ExpectedRevenue"):
        error = sf.refused("update_record", sobject="Opportunity", id=deal, fields={fixed: True})
        assert error["errorCode"] == "INVALID_FIELD_FOR_INSERT_UPDATE"
        assert error["fields"] == [fixed]


def _priced(sf: Salesforce, currency: str = "GBP") -> tuple[str, str]:
    """A product and its standard price."""
    product = sf.create("Product2", Name="Winch", ProductCode="W-1", IsActive=True)
    book = sf.soql("SELECT Id FROM Pricebook2 WHERE IsStandard = true")[0]["Id"]
    entry = sf.create(
        "PricebookEntry", Pricebook2Id=book, Product2Id=product, UnitPrice=500, IsActive=True, CurrencyIsoCode=currency
    )
    return product, entry


def test_products_make_the_amount(sf: Salesforce) -> None:
    deal = sf.id(Deal, "renewal")
    product, entry = _priced(sf)
    line = sf.add_opportunity_product(OpportunityId=deal, PricebookEntryId=entry, Quantity=3, UnitPrice=400)["id"]
    other = sf.create("OpportunityLineItem", OpportunityId=deal, PricebookEntryId=entry, Quantity=2, TotalPrice=1000)
    now = sf.get("Opportunity", deal)
    assert (now["Amount"], now["HasOpportunityLineItem"], now["ExpectedRevenue"]) == (2200.0, True, 1980.0)
    assert sf.get("OpportunityLineItem", other)["UnitPrice"] == 500.0
    sf.update("OpportunityLineItem", line, Quantity=4, Discount=50)
    sf.update("Opportunity", deal, Amount=1, NextStep="Sign")  # the amount is ignored, the rest is not
    now = sf.get("Opportunity", deal)
    assert (now["Amount"], now["NextStep"]) == (1800.0, "Sign")
    assert sf.refused("delete_record", sobject="Product2", id=product)["errorCode"] == "DELETE_FAILED"
    sf.delete_record(sobject="OpportunityLineItem", id=line)
    assert sf.get("Opportunity", deal)["Amount"] == 1000.0
    sf.delete_record(sobject="OpportunityLineItem", id=other)
    assert sf.get("Opportunity", deal)["HasOpportunityLineItem"] is False


def test_prices_have_rules(sf: Salesforce) -> None:
    deal = sf.id(Deal, "renewal")
    product, entry = _priced(sf, "USD")
    line = {"OpportunityId": deal, "PricebookEntryId": entry, "Quantity": 1, "UnitPrice": 1}
    assert (
        "currency code does not match"
        in sf.refused("create_record", sobject="OpportunityLineItem", fields=line)["message"]
    )
    book = sf.create("Pricebook2", Name="Partners", IsActive=True)
    euro = {"Pricebook2Id": book, "Product2Id": product, "UnitPrice": 1, "CurrencyIsoCode": "EUR"}
    assert (
        sf.refused("create_record", sobject="PricebookEntry", fields=euro)["errorCode"] == "STANDARD_PRICE_NOT_DEFINED"
    )
    twice = {**euro, "Pricebook2Id": sf.get("PricebookEntry", entry)["Pricebook2Id"], "CurrencyIsoCode": "USD"}
    assert sf.refused("create_record", sobject="PricebookEntry", fields=twice)["errorCode"] == "DUPLICATE_VALUE"
    own = sf.id(Deal, "won")
    sf.update("PricebookEntry", entry, IsActive=False)
    error = sf.refused("create_record", sobject="OpportunityLineItem", fields={**line, "OpportunityId": own})
    assert error["errorCode"] == "FIELD_INTEGRITY_EXCEPTION"


def test_one_primary_contact(sf: Salesforce) -> None:
    deal, dana = sf.id(Deal, "renewal"), sf.id(Contact, "dana")
    boss = sf.create("Contact", LastName="Boss", AccountId=sf.id(Company, "acme"))
    assert sf.get("Opportunity", deal)["ContactId"] == dana
    sf.add_opportunity_contact_role(OpportunityId=deal, ContactId=boss, Role="Decision Maker", IsPrimary=True)
    roles = sf.soql(f"SELECT ContactId, IsPrimary FROM OpportunityContactRole WHERE OpportunityId = '{deal}'")
    assert {r["ContactId"]: r["IsPrimary"] for r in roles} == {dana: False, boss: True}
    assert sf.get("Opportunity", deal)["ContactId"] == boss


# Leads


def test_conversion(sf: Salesforce) -> None:
    lead = sf.id(Lead, "lena")
    campaign = sf.create("Campaign", Name="Spring")
    sf.add_campaign_member(CampaignId=campaign, LeadId=lead)
    assert sf.refused("convert_lead", leadId=lead, convertedStatus="Qualified")["errorCode"] == "INVALID_STATUS"
    made = sf.convert_lead(leadId=lead, opportunityName="Sarkis - first order")
    contact, account = sf.get("Contact", made["contactId"]), sf.get("Account", made["accountId"])
    assert (contact["Email"], contact["AccountId"], contact["OwnerId"]) == (
        "lena@sarkis.example",
        account["Id"],
        sf.id(Person, "bea"),
    )
    assert (account["Name"], account["BillingCity"], account["Industry"]) == ("Sarkis Marine", "Hull", "Retail")
    deal = sf.get("Opportunity", made["opportunityId"])
    assert (deal["Name"], deal["StageName"], deal["CloseDate"]) == ("Sarkis - first order", "Prospecting", "2026-03-31")
    assert deal["ContactId"] == contact["Id"]
    after = sf.get("Lead", lead)
    assert (after["IsConverted"], after["Status"], after["ConvertedDate"]) == (True, "Closed - Converted", "2026-03-02")
    assert sf.soql("SELECT WhoId, WhatId FROM Task WHERE Subject = 'First call'")[0]["WhoId"] == contact["Id"]
    assert (
        sf.soql(f"SELECT ContactId FROM CampaignMember WHERE CampaignId = '{campaign}'")[0]["ContactId"]
        == contact["Id"]
    )
    for tool, arguments in {
        "update_record": {"sobject": "Lead", "id": lead, "fields": {"Title": "x"}},
        "convert_lead": {"leadId": lead},
        "create_task": {"Subject": "x", "WhoId": lead},
    }.items():
        error = sf.refused(tool, **arguments)
        assert (error["errorCode"], error["message"]) == (
            "CANNOT_UPDATE_CONVERTED_LEAD",
            "cannot reference converted lead",
        )


def test_conversion_into_what_is_there(sf: Salesforce) -> None:
    lead, acme, dana = sf.id(Lead, "lena"), sf.id(Company, "acme"), sf.id(Contact, "dana")
    other = sf.create("Lead", LastName="Quill", Company="Quill & Co")
    assert sf.get("Opportunity", sf.convert_lead(leadId=other)["opportunityId"])["Name"] == "Quill & Co"
    assert sf.refused("convert_lead", leadId=lead, contactId=dana)["errorCode"] == "INVALID_ARGUMENT"
    assert (
        sf.refused("convert_lead", leadId=lead, accountId=sf.id(Company, "bolt"), contactId=dana)["errorCode"]
        == "INVALID_ARGUMENT"
    )
    elsewhere = {"leadId": lead, "accountId": acme, "opportunityId": sf.id(Deal, "won")}
    assert sf.refused("convert_lead", **elsewhere)["errorCode"] == "INVALID_ARGUMENT"
    made = sf.convert_lead(leadId=lead, accountId=acme, contactId=dana, doNotCreateOpportunity=True)
    assert made["opportunityId"] is None
    assert (made["accountId"], made["contactId"]) == (acme, dana)
    account = sf.get("Account", acme)  # what was there stays, what was missing is the lead's
    assert (account["BillingCity"], account["AccountSource"]) == ("London", "webinar")
    assert (sf.get("Contact", dana)["Title"], sf.get("Contact", dana)["LeadSource"]) == ("Buyer", "webinar")
    queue = sf.soql("SELECT Id FROM Group WHERE DeveloperName = 'Inbound_Leads'")[0]["Id"]
    queued = sf.create("Lead", LastName="Waiting", Company="Line Ltd", OwnerId=queue)
    assert "only be owned by users" in sf.refused("convert_lead", leadId=queued)["message"]
    bea = sf.id(Person, "bea")
    assert sf.get("Contact", sf.convert_lead(leadId=queued, ownerId=bea)["contactId"])["OwnerId"] == bea
    another, deal = sf.create("Lead", LastName="Rowe", Company="Acme"), sf.id(Deal, "renewal")
    made = sf.convert_lead(leadId=another, accountId=acme, opportunityId=deal)
    roles = sf.soql(f"SELECT ContactId, IsPrimary FROM OpportunityContactRole WHERE OpportunityId = '{deal}'")
    assert {r["ContactId"]: r["IsPrimary"] for r in roles} == {dana: True, made["contactId"]: False}


# Cases, campaigns, activities, notes, approvals


def test_cases_open_and_close(sf: Salesforce) -> None:
    made = sf.create_case(Subject="No signal", ContactId=sf.id(Contact, "dana"), Priority="High", Origin="Phone")["id"]
    case = sf.get("Case", made)
    assert (case["CaseNumber"], case["Status"], case["AccountId"]) == ("00001001", "New", sf.id(Company, "acme"))
    assert case["ContactEmail"] == "dana@acme.example"
    sf.update("Case", made, Status="Closed", Comments="Replaced the unit")
    closed = sf.get("Case", made)
    assert closed["IsClosed"] is True
    assert closed["ClosedDate"] == closed["LastModifiedDate"]
    assert [c["CommentBody"] for c in sf.soql(f"SELECT CommentBody FROM CaseComment WHERE ParentId = '{made}'")] == [
        "Replaced the unit"
    ]
    sf.update("Case", made, Status="Working")
    assert sf.get("Case", made)["ClosedDate"] is None
    sf.create_case_comment(ParentId=made, CommentBody="Back again", IsPublished=True)
    children = sf.soql(f"SELECT Id, (SELECT CommentBody FROM CaseComments) FROM Case WHERE Id = '{made}'")
    assert children[0]["CaseComments"]["totalSize"] == 2


def test_campaign_members(sf: Salesforce) -> None:
    campaign, dana = sf.create("Campaign", Name="Fair"), sf.id(Contact, "dana")
    made = sf.add_campaign_member(CampaignId=campaign, ContactId=dana)["id"]
    assert sf.get("CampaignMember", made)["Status"] == "Sent"
    assert sf.refused("add_campaign_member", CampaignId=campaign, ContactId=dana)["errorCode"] == "DUPLICATE_VALUE"
    assert sf.refused("add_campaign_member", CampaignId=campaign)["errorCode"] == "REQUIRED_FIELD_MISSING"
    error = sf.refused("update_record", sobject="CampaignMember", id=made, fields={"Status": "Danced"})
    assert error["errorCode"] == "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST"
    sf.create("CampaignMemberStatus", CampaignId=campaign, Label="Danced", HasResponded=True)
    sf.update("CampaignMember", made, Status="Danced")
    member = sf.get("CampaignMember", made)
    assert (member["HasResponded"], member["FirstRespondedDate"], member["CompanyOrAccount"]) == (
        True,
        "2026-03-02",
        "Acme Cranes Ltd",
    )
    counts = sf.get("Campaign", campaign)
    assert (counts["NumberOfContacts"], counts["NumberOfResponses"]) == (1, 1)
    sf.delete_record(sobject="CampaignMember", id=made)
    assert sf.get("Campaign", campaign)["NumberOfContacts"] == 0


def test_what_records_show_of_others_follows_them(sf: Salesforce) -> None:
    acme, dana, deal = sf.id(Company, "acme"), sf.id(Contact, "dana"), sf.id(Deal, "renewal")
    case = sf.create_case(Subject="x", ContactId=dana)["id"]
    campaign = sf.create("Campaign", Name="Fair")
    member = sf.add_campaign_member(CampaignId=campaign, ContactId=dana)["id"]
    lead = sf.add_campaign_member(CampaignId=campaign, LeadId=sf.id(Lead, "lena"))["id"]
    product, entry = _priced(sf)
    line = sf.add_opportunity_product(OpportunityId=deal, PricebookEntryId=entry, Quantity=1, UnitPrice=10)["id"]
    sf.update("Contact", dana, Email="dana.r@acme.example", LastName="Reyes-Wu", Phone="1")
    sf.update("Account", acme, Name="Acme Group")
    sf.update("Lead", sf.id(Lead, "lena"), Company="Sarkis & Daughters")
    sf.update("Opportunity", deal, Name="Renewal")
    sf.update("Product2", product, Name="Hoist", ProductCode="H-1")
    shown = sf.get("Case", case)
    assert (shown["ContactEmail"], shown["ContactPhone"]) == ("dana.r@acme.example", "1")
    shown = sf.get("CampaignMember", member)
    assert (shown["Name"], shown["CompanyOrAccount"]) == ("Dana Reyes-Wu", "Acme Group")
    assert sf.get("CampaignMember", lead)["CompanyOrAccount"] == "Sarkis & Daughters"
    shown = sf.get("OpportunityLineItem", line)
    assert (shown["Name"], shown["ProductCode"], shown["CurrencyIsoCode"]) == ("Renewal Hoist", "H-1", "GBP")


def test_campaigns_count_what_they_brought(sf: Salesforce) -> None:
    campaign, deal = sf.create("Campaign", Name="Fair"), sf.id(Deal, "renewal")

    def counted() -> tuple[Any, ...]:
        row = sf.get("Campaign", campaign)
        return tuple(row[f"{n}Opportunities"] for n in ("NumberOf", "NumberOfWon", "AmountAll", "AmountWon"))

    assert counted() == (0, 0, 0.0, 0.0)
    sf.update("Opportunity", deal, CampaignId=campaign)
    sf.update("Opportunity", sf.id(Deal, "won"), CampaignId=campaign)
    assert counted() == (2, 1, 65000.0, 9000.0)
    sf.update("Opportunity", deal, StageName="Closed Won", Amount=75)
    assert counted() == (2, 2, 9100.0, 9100.0)
    sf.update("Opportunity", sf.id(Deal, "won"), CampaignId=None)
    sf.delete_record(sobject="Opportunity", id=deal)
    assert counted() == (0, 0, 0.0, 0.0)
    sf.undelete_records(ids=[deal])
    assert counted() == (1, 1, 100.0, 100.0)
    sf.add_campaign_member(CampaignId=campaign, LeadId=sf.id(Lead, "lena"))
    sf.convert_lead(leadId=sf.id(Lead, "lena"))
    assert sf.get("Campaign", campaign)["NumberOfConvertedLeads"] == 1


def test_campaign_statuses(sf: Salesforce) -> None:
    campaign = sf.create("Campaign", Name="Fair")
    sf.create("CampaignMemberStatus", CampaignId=campaign, Label="Registered", IsDefault=True)
    rows = sf.soql(
        f"SELECT Label, IsDefault, SortOrder FROM CampaignMemberStatus WHERE CampaignId = '{campaign}' ORDER BY SortOrder"
    )
    assert [(r["Label"], r["IsDefault"]) for r in rows] == [("Sent", False), ("Responded", False), ("Registered", True)]
    member = sf.add_campaign_member(CampaignId=campaign, LeadId=sf.id(Lead, "lena"))["id"]
    status = sf.soql(f"SELECT Id FROM CampaignMemberStatus WHERE CampaignId = '{campaign}' AND IsDefault = true")[0][
        "Id"
    ]
    sf.update("CampaignMemberStatus", status, Label="Signed up", HasResponded=True)
    shown = sf.get("CampaignMember", member)
    assert (shown["Status"], shown["HasResponded"]) == ("Signed up", True)
    assert sf.get("Campaign", campaign)["NumberOfResponses"] == 1
    twin = {"CampaignId": campaign, "Label": "SENT"}
    assert sf.refused("create_record", sobject="CampaignMemberStatus", fields=twin)["errorCode"] == "DUPLICATE_VALUE"


def test_tasks_and_events(sf: Salesforce) -> None:
    deal = sf.id(Deal, "renewal")
    task = sf.create_task(
        Subject="Chase", WhatId=deal, WhoId=sf.id(Contact, "dana"), ActivityDate="2026-03-06", Priority="High"
    )["id"]
    made = sf.get("Task", task)
    assert (made["AccountId"], made["IsHighPriority"], made["IsClosed"]) == (sf.id(Company, "acme"), True, False)
    sf.update("Task", task, Status="Completed")
    assert sf.get("Task", task)["CompletedDateTime"] == "2026-03-02T09:00:02.000+0000"
    event = sf.get(
        "Event",
        sf.create_event(Subject="Demo", StartDateTime="2026-03-05T10:00:00+01:00", DurationInMinutes=45, WhatId=deal)[
            "id"
        ],
    )
    assert (event["StartDateTime"], event["EndDateTime"]) == (
        "2026-03-05T09:00:00.000+0000",
        "2026-03-05T09:45:00.000+0000",
    )
    shown = sf.soql(f"SELECT What.Type, What.Name, Who.Name FROM Task WHERE Id = '{task}'")[0]
    assert shown["What"]["attributes"]["type"] == shown["What"]["Type"] == "Opportunity"
    assert shown["Who"]["Name"] == "Dana Reyes"
    acme = sf.id(Company, "acme")
    assert (
        sf.get("Opportunity", deal)["LastActivityDate"] == sf.get("Account", acme)["LastActivityDate"] == "2026-03-06"
    )
    sf.delete_record(sobject="Task", id=task)
    assert sf.get("Opportunity", deal)["LastActivityDate"] == "2026-03-05"
    assert sf.get("Contact", sf.id(Contact, "dana"))["LastActivityDate"] is None
    error = sf.refused("create_task", Subject="x", WhoId=sf.id(Lead, "lena"), WhatId=deal)
    assert error["errorCode"] == "FIELD_INTEGRITY_EXCEPTION"


def test_a_moved_event_changes_in_start_and_end(sf: Salesforce) -> None:
    event = sf.soql("SELECT Id FROM Event WHERE Subject = 'Review'")[0]["Id"]
    sf.update("Event", event, StartDateTime="2026-03-09T10:00:00Z")
    (change,) = sf.episode.changes()
    assert set(change.columns) == {"StartDateTime", "EndDateTime"}
    assert sf.get("Event", event)["ActivityDate"] == "2026-03-09"


def test_notes(sf: Salesforce) -> None:
    made = sf.create_note(Title="Pricing", Content="Keep it under 50k.", LinkedEntityId=sf.id(Deal, "renewal"))
    note = sf.view(made["id"])
    assert isinstance(note, Activity)
    assert (note.kind, note.subject, note.body, note.about) == (
        "note",
        "Pricing",
        "Keep it under 50k.",
        sf.id(Deal, "renewal"),
    )
    status, content = sf.rest("GET", f"{BASE}/sobjects/ContentNote/{made['id']}/Content")
    assert (status, content) == (200, b"Keep it under 50k.")
    assert sf.refused("create_record", sobject="ContentNote", fields={"Title": "x", "Content": "not base64!"})


def test_approvals_lock_and_decide(sf: Salesforce) -> None:
    deal, bea = sf.id(Deal, "renewal"), sf.id(Person, "bea")
    assert (
        sf.refused("submit_for_approval", contextId=sf.id(Contact, "dana"), nextApproverId=bea)["errorCode"]
        == "NO_APPLICABLE_PROCESS"
    )
    assert sf.refused("submit_for_approval", contextId=deal)["errorCode"] == "REQUIRED_FIELD_MISSING"
    made = sf.submit_for_approval(contextId=deal, comments="20 % off", nextApproverId=bea)
    assert (made["instanceStatus"], made["actorIds"]) == ("Pending", [bea])
    assert sf.refused("submit_for_approval", contextId=deal, nextApproverId=bea)["errorCode"] == "ALREADY_IN_PROCESS"
    sf.update("Opportunity", deal, NextStep="an administrator may")
    standard = sf.soql("SELECT Id FROM Profile WHERE Name = 'Standard User'")[0]["Id"]
    sf.update("User", sf.get_user_info()["user_id"], ProfileId=standard)
    assert (
        sf.refused("update_record", sobject="Opportunity", id=deal, fields={"NextStep": "x"})["errorCode"]
        == "ENTITY_IS_LOCKED"
    )
    assert sf.refused("delete_record", sobject="Opportunity", id=deal)["errorCode"] == "ENTITY_IS_LOCKED"
    item = made["newWorkitemIds"][0]
    error = sf.refused("decide_approval", workitemId=item, action="Approve")
    assert error["errorCode"] == "INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY"
    other = sf.submit_for_approval(contextId=sf.id(Company, "acme"), nextApproverId=sf.get_user_info()["user_id"])
    assert (
        sf.decide_approval(workitemId=other["newWorkitemIds"][0], action="Reject", comments="No")["instanceStatus"]
        == "Rejected"
    )
    assert (
        sf.soql("SELECT Status, TargetObject.Name FROM ProcessInstance WHERE Status = 'Rejected'")[0]["TargetObject"][
            "Name"
        ]
        == "Acme Cranes Ltd"
    )
    status, body = sf.rest(
        "POST", f"{BASE}/process/approvals", {"requests": [{"actionType": "Dance", "contextId": deal}]}
    )
    assert (status, body[0]["errorCode"]) == (400, "INVALID_ARGUMENT")


# SOQL

QUERIES: list[tuple[str, list[Any]]] = [
    ("SELECT Name FROM Account WHERE Name = 'acme CRANES ltd'", ["Acme Cranes Ltd"]),
    ("SELECT Name FROM Account WHERE Name LIKE 'a%' OR Name LIKE '_olt%' ORDER BY Name DESC", ["Bolt Freight", "Acme Cranes Ltd"]),
    ("SELECT Name FROM Account WHERE Industry != 'Manufacturing'", ["Bolt Freight"]),
    ("SELECT Name FROM Account WHERE Industry = null", ["Bolt Freight"]),
    ("SELECT Name FROM Account WHERE NOT Industry = 'Manufacturing'", ["Bolt Freight"]),
    ("SELECT Name FROM Account WHERE Industry NOT IN ('Retail', 'Banking') ORDER BY Name", ["Acme Cranes Ltd", "Bolt Freight"]),
    ("SELECT Name FROM Account WHERE AnnualRevenue >= 1.2e7 AND NumberOfEmployees > 800", ["Acme Cranes Ltd"]),
    ("SELECT Name FROM Contact WHERE Account.Owner.Name = 'Bea Stone'", ["Dana Reyes"]),
    ("SELECT Name FROM Contact WHERE AccountId IN (SELECT AccountId FROM Opportunity WHERE IsWon = true)", ["Omar Aziz"]),
    ("SELECT Name FROM Account WHERE Id NOT IN (SELECT AccountId FROM Opportunity WHERE IsWon = true)", ["Acme Cranes Ltd"]),
    ("SELECT c.Name FROM Contact c WHERE c.Account.Name = 'Bolt Freight'", ["Omar Aziz"]),
    ("SELECT Contact.Name FROM Contact WHERE Contact.DoNotCall = true", ["Omar Aziz"]),
    ("SELECT Name FROM Opportunity WHERE CloseDate = THIS_MONTH", ["Acme - renewal"]),
    ("SELECT Name FROM Opportunity WHERE CloseDate = THIS_QUARTER AND CloseDate > TODAY", ["Acme - renewal"]),
    ("SELECT Name FROM Opportunity WHERE CloseDate = LAST_YEAR", ["Bolt - pilot"]),
    ("SELECT Name FROM Opportunity WHERE CloseDate < 2026-01-01", ["Bolt - pilot"]),
    ("SELECT Name FROM Opportunity WHERE CloseDate = NEXT_N_DAYS:29 ORDER BY Name", ["Acme - renewal"]),
    ("SELECT Name FROM Opportunity WHERE CloseDate = NEXT_N_DAYS:28", []),
    ("SELECT Name FROM Opportunity WHERE CreatedDate >= 2026-01-05T11:00:00+01:00", ["Acme - renewal"]),
    ("SELECT Name FROM Lead WHERE CreatedDate = LAST_N_DAYS:30", ["Lena Sarkis"]),
    ("SELECT Name FROM Lead WHERE CreatedDate = LAST_MONTH AND Status IN ('Working - Contacted')", ["Lena Sarkis"]),
    ("SELECT Name FROM Account ORDER BY Industry NULLS LAST, Name", ["Acme Cranes Ltd", "Bolt Freight"]),
    ("SELECT Name FROM Account ORDER BY Industry", ["Bolt Freight", "Acme Cranes Ltd"]),
    ("SELECT Name FROM Account ORDER BY Name LIMIT 1 OFFSET 1 FOR VIEW", ["Bolt Freight"]),
    ("SELECT Name FROM Account WHERE CALENDAR_YEAR(CreatedDate) = 2024 AND CALENDAR_MONTH(CreatedDate) = 3", ["Bolt Freight"]),
    ("SELECT Name FROM Opportunity WHERE Amount > GBP10000", ["Acme - renewal"]),
    ("SELECT Name FROM Opportunity WHERE Amount > USD42001 AND Amount < USD56001", ["Acme - renewal"]),
    ("SELECT Name FROM Contact WHERE ReportsToId = '' AND AccountId != '' ORDER BY Name", ["Dana Reyes", "Omar Aziz"]),
    ("SELECT Name FROM Contact WHERE ReportsToId IN ('') AND ReportsToId NOT IN ('003000000000000AAA') ORDER BY Name DESC",
    ["Omar Aziz", "Dana Reyes"]),
    ("SELECT Name FROM Account WHERE Industry IN ('', 'Banking')", ["Bolt Freight"]),
    ("SELECT Name FROM Contact WHERE ReportsTo.DoNotCall = false AND ReportsTo.IsEmailBounced IN (false) ORDER BY Name",
    ["Dana Reyes", "Omar Aziz"]),
    ("SELECT Name FROM Contact WHERE ReportsTo.DoNotCall != false", []),
    ("SELECT Name FROM Opportunity ORDER BY StageName", ["Acme - renewal", "Bolt - pilot"]),
    ("SELECT Name FROM Opportunity ORDER BY StageName DESC", ["Bolt - pilot", "Acme - renewal"]),
    ("SELECT Name FROM Account USING SCOPE everything WHERE (Name = 'x' OR (Name LIKE 'Bolt%' AND IsDeleted = false))", ["Bolt Freight"]),
]  # fmt: skip


@pytest.mark.parametrize(("soql", "names"), QUERIES)
def test_soql(sf: Salesforce, soql: str, names: list[Any]) -> None:
    assert [r["Name"] for r in sf.soql(soql)] == names


def test_like_and_string_escapes(sf: Salesforce) -> None:
    for name in ("100%", "100 things", "O'Brien & Sons", "back\\slash", "under_score", "ÄRGER"):
        sf.create("Campaign", Name=name)

    def found(condition: str) -> list[str]:
        return [r["Name"] for r in sf.soql(f"SELECT Name FROM Campaign WHERE Name {condition}")]

    assert found("LIKE '100\\%'") == ["100%"]
    assert found("LIKE 'under\\_s%'") == ["under_score"]
    assert found("= 'O\\'Brien & Sons'") == ["O'Brien & Sons"]
    assert found("= 'back\\\\slash'") == ["back\\slash"]
    assert found("= 'ärger'") == ["ÄRGER"]
    assert found("= '\\u00e4rger'") == ["ÄRGER"]
    assert found("= '\\ud800' OR Name LIKE '\\ud800%'") == []
    assert found("= 'back\\\\u00e4'") == []
    for wrong in ("= 'a\\qb'", "IN ('a', 'b\\ c')"):
        error = sf.refused("query", q=f"SELECT Name FROM Campaign WHERE Name {wrong}")
        assert "Illegal character sequence" in error["message"]


def test_multipicklists(sf: Salesforce) -> None:
    sf.create("Lead", LastName="One", Company="A", ProductInterest__c="Mobile;Support")
    sf.create("Lead", LastName="Two", Company="B", ProductInterest__c="Training")
    where = "SELECT Name FROM Lead WHERE ProductInterest__c"
    assert [r["Name"] for r in sf.soql(f"{where} INCLUDES ('mobile;support', 'Analytics')")] == ["One"]
    assert [r["Name"] for r in sf.soql(f"{where} INCLUDES ('Mobile;Training')")] == []
    assert [r["Name"] for r in sf.soql(f"{where} EXCLUDES ('Mobile')  ORDER BY Name")] == ["Lena Sarkis", "Two"]


def test_child_subqueries_and_parents(sf: Salesforce) -> None:
    rows = sf.soql(
        "SELECT Name, Owner.Name, (SELECT Name, Account.Name FROM Contacts), (SELECT Name FROM Opportunities WHERE IsWon = true LIMIT 1)"
        " FROM Account ORDER BY Name"
    )
    assert rows[0]["Owner"] == {"attributes": rows[0]["Owner"]["attributes"], "Name": "Bea Stone"}
    assert [c["Account"]["Name"] for c in rows[0]["Contacts"]["records"]] == ["Acme Cranes Ltd"]
    assert rows[0]["Opportunities"] is None
    assert rows[1]["Opportunities"]["totalSize"] == 1
    assert sf.soql("SELECT Parent.Name FROM Account LIMIT 1")[0]["Parent"] is None


def test_aggregates(sf: Salesforce) -> None:
    assert sf.query(q="SELECT COUNT() FROM Contact") == {"totalSize": 2, "done": True, "records": []}
    rows = sf.soql(
        "SELECT IsWon, COUNT(Id) n, SUM(Amount), MIN(CloseDate) first FROM Opportunity GROUP BY IsWon ORDER BY COUNT(Id), IsWon"
    )
    assert rows[1] == {
        "attributes": {"type": "AggregateResult"},
        "IsWon": True,
        "n": 1,
        "expr0": 9000.0,
        "first": "2025-11-20",
    }
    assert sf.soql("SELECT Account.Name, COUNT(Id) FROM Contact GROUP BY Account.Name HAVING COUNT(Id) > 1") == []
    assert sf.soql("SELECT COUNT_DISTINCT(OwnerId) n, AVG(Amount) a FROM Opportunity")[0] == {
        "attributes": {"type": "AggregateResult"}, "n": 2, "a": 32500.0,
    }  # fmt: skip


def test_picklists_sort_as_they_are_listed(sf: Salesforce) -> None:
    for priority in ("Low", "High", "Normal"):
        sf.create("Task", Subject=priority, Priority=priority, CallDisposition="sorting")
    mine = "FROM Task WHERE CallDisposition = 'sorting'"
    assert [r["Subject"] for r in sf.soql(f"SELECT Subject {mine} ORDER BY Priority")] == ["High", "Normal", "Low"]
    grouped = sf.soql(f"SELECT Priority p, COUNT(Id) {mine} GROUP BY Priority ORDER BY Priority DESC")
    assert [r["p"] for r in grouped] == ["Low", "Normal", "High"]
    for source in ("Word of mouth", "Web", "Another", None):
        sf.create("Lead", LastName="Sorted", Company=f"From {source}", LeadSource=source)
    sources = [
        r["LeadSource"] for r in sf.soql("SELECT LeadSource FROM Lead WHERE Name = 'Sorted' ORDER BY LeadSource")
    ]
    assert sources == [None, "Web", "Another", "Word of mouth"]


def test_money_of_several_currencies(sf: Salesforce) -> None:
    rates = {r["IsoCode"]: r for r in sf.soql("SELECT IsoCode, ConversionRate, IsCorporate FROM CurrencyType")}
    assert (rates["USD"]["ConversionRate"], rates["USD"]["IsCorporate"]) == (1.0, True)
    worth = round(42000 / rates["GBP"]["ConversionRate"], 2)
    assert sf.soql("SELECT SUM(Amount) s, MAX(Amount) m FROM Opportunity")[0] == {
        "attributes": {"type": "AggregateResult"}, "s": worth + 9000, "m": worth,
    }  # fmt: skip
    shown = sf.soql("SELECT Amount, convertCurrency(Amount) converted FROM Opportunity WHERE CurrencyIsoCode = 'GBP'")[
        0
    ]
    assert (shown["Amount"], shown["converted"]) == (42000.0, worth)
    yen = sf.create(
        "Opportunity", Name="Yen", StageName="Prospecting", CloseDate="2026-05-01", Amount=60000, CurrencyIsoCode="JPY"
    )
    ordered = sf.soql("SELECT Id FROM Opportunity ORDER BY Amount DESC")
    assert [r["Id"] for r in ordered] == [sf.id(Deal, "renewal"), sf.id(Deal, "won"), yen]
    for wrong in (
        "WHERE Amount > XXX5",
        "WHERE convertCurrency(Amount) > 5",
        "GROUP BY Name HAVING SUM(Amount) > USD5",
    ):
        assert sf.refused("query", q=f"SELECT Name FROM Opportunity {wrong}")["status"] == 400


def test_fields_function(sf: Salesforce) -> None:
    row = sf.soql("SELECT FIELDS(ALL) FROM Account WHERE Name LIKE 'Acme%' LIMIT 200")[0]
    assert row["BillingAddress"]["city"] == "London"
    assert "Tier__c" in row
    assert "Tier__c" not in sf.soql("SELECT FIELDS(STANDARD) FROM Account LIMIT 1")[0]
    assert "LIMIT of at most 200" in sf.refused("query", q="SELECT FIELDS(ALL) FROM Account")["message"]


REFUSALS: list[tuple[str, str, str]] = [
    ("SELECT Id, FROM Account", "MALFORMED_QUERY", "\nSELECT Id, FROM Account\n           ^\nERROR at Row:1:Column:12\n"),
    ("SELECT Id, FROM Account", "MALFORMED_QUERY", "unexpected token: 'FROM'"),
    ("SELECT Id FROM Account WHERE", "MALFORMED_QUERY", "unexpected token: '<EOF>'"),
    ("", "MALFORMED_QUERY", "unexpected token: '<EOF>'"),
    ("SELECT * FROM Account", "MALFORMED_QUERY", "no viable alternative at character '*'"),
    ("SELECT Id FROM Account WHERE Name = 'x", "MALFORMED_QUERY", "mismatched character '<EOF>' expecting '''"),
    ("SELECT Id FROM Account WHERE Name = 'a' AND Name = 'b' OR Name = 'c'", "MALFORMED_QUERY", "unexpected token: 'OR'"),
    ("SELECT Nam FROM Account", "INVALID_FIELD", "No such column 'Nam' on entity 'Account'. If you are attempting to use a custom field"),
    ("SELECT Id FROM Acount", "INVALID_TYPE", "sObject type 'Acount' is not supported."),
    ("SELECT Foo.Name FROM Account", "INVALID_FIELD", "Didn't understand relationship 'Foo' in field path."),
    ("SELECT (SELECT Id FROM Foos) FROM Account", "INVALID_TYPE", "Didn't understand relationship 'Foos' in FROM part of query call."),
    ("SELECT TYPEOF What WHEN Account THEN Phone END FROM Task", "MALFORMED_QUERY", "TYPEOF is not supported"),
    ("SELECT Name, COUNT(Id) FROM Account", "MALFORMED_QUERY", "Field must be grouped or aggregated: Name"),
    ("SELECT Type, COUNT(Id) FROM Account GROUP BY ROLLUP(Type)", "MALFORMED_QUERY", "GROUP BY ROLLUP is not supported"),
    ("SELECT Name FROM Account GROUP BY Name HAVING Phone = 'x'", "MALFORMED_QUERY", "Field must be grouped or aggregated: Phone"),
    ("SELECT DISTANCE(a, b, 'mi') FROM Account", "MALFORMED_QUERY", "DISTANCE"),
    ("SELECT FORMAT(Amount) FROM Opportunity", "MALFORMED_QUERY", "FORMAT"),
    ("SELECT Id FROM Account WITH DATA CATEGORY", "MALFORMED_QUERY", "WITH DATA is not supported"),
    ("SELECT Id FROM Account USING SCOPE team", "MALFORMED_QUERY", "SCOPE team is not supported"),
    ("SELECT Name n FROM Account", "MALFORMED_QUERY", "only aggregate expressions use field aliasing"),
    ("SELECT Name, Name FROM Account", "INVALID_FIELD", "duplicate field selected: Name"),
    ("SELECT Id FROM Account WHERE AnnualRevenue = '5'", "INVALID_FIELD", "must be of type currency and should not be enclosed in quotes"),
    ("SELECT Id FROM Account WHERE Name = 5", "INVALID_FIELD", "must be of type string and should be enclosed in quotes"),
    ("SELECT Id FROM Account WHERE Description = 'x'", "INVALID_FIELD", "field 'Description' can not be filtered in a query call"),
    ("SELECT Id FROM Account ORDER BY Description", "MALFORMED_QUERY", "field 'Description' can not be sorted in a query call"),
    ("SELECT Id FROM Account WHERE Id = 'x'", "INVALID_QUERY_FILTER_OPERATOR", "invalid ID field: x"),
    ("SELECT Id FROM Account WHERE CreatedDate = LAST_N_DAYS", "MALFORMED_QUERY", "Invalid date literal: LAST_N_DAYS"),
    ("SELECT Id FROM Account WHERE CreatedDate = SOMEDAY", "MALFORMED_QUERY", "Invalid date literal: SOMEDAY"),
    ("SELECT Id FROM Account WHERE Name INCLUDES ('x')", "INVALID_QUERY_FILTER_OPERATOR", "only valid on multipicklist fields"),
    ("SELECT Id FROM Account WHERE Name IN (SELECT Id FROM Contact)", "MALFORMED_QUERY", "left operand"),
    ("SELECT Id FROM Account WHERE Id IN (SELECT ParentId FROM Account)", "MALFORMED_QUERY", "should not be on the same object type"),
    ("SELECT Id FROM Account LIMIT 1 OFFSET 2001", "NUMBER_OUTSIDE_VALID_RANGE", "Maximum SOQL offset allowed is 2000"),
    ("SELECT Id FROM Account WHERE\x85 \x1c§", "MALFORMED_QUERY", "no viable alternative at character '\x85'"),
    ("SELECT Id FROM Account WHERE Name = :name", "MALFORMED_QUERY", "Only variable references"),
    ("SELECT Id FROM Account WHERE " + "NOT " * 2000 + "IsDeleted = true", "MALFORMED_QUERY", "too complicated"),
]  # fmt: skip


@pytest.mark.parametrize(("soql", "code", "message"), REFUSALS)
def test_queries_that_are_none_are_refused_by_name(sf: Salesforce, soql: str, code: str, message: str) -> None:
    error = sf.refused("query", q=soql)
    assert (error["status"], error["errorCode"]) == (400, code)
    assert message in error["message"]


def test_pages(world: Salesforce) -> None:
    soql = "SELECT Id, Email FROM Contact ORDER BY Email"
    whole = world.query(q=soql, batch_size=2000)
    assert whole["done"] is True
    page, seen, pages = world.query(q=soql, batch_size=30), [], 1
    seen += page["records"]
    while not page["done"]:
        page = world.query_more(locator=page["nextRecordsUrl"])
        seen += page["records"]
        pages += 1
    assert pages == -(-whole["totalSize"] // 30)
    assert seen == whole["records"]
    assert world.refused("query_more", locator="01gnothing-30")["errorCode"] == "INVALID_QUERY_LOCATOR"
    assert world.episode.changes() == []


def test_answers_over_mcp_stay_small(world: Salesforce) -> None:
    assert len(world.query(q="SELECT Id, Name, Email, Account.Name FROM Contact")["records"]) == 50
    wide = world.query(q="SELECT FIELDS(ALL) FROM Account LIMIT 200")
    assert len(json.dumps(wide)) < 40_000
    assert wide["done"] is False
    for sobject in ("Account", "Opportunity", "Lead"):
        assert len(json.dumps(world.describe_sobject(sobject=sobject))) < 20_000
    assert len(json.dumps(world.describe_global())) < 10_000


WORDS = ["SELECT", "Id", "Name", "FROM", "Account", "WHERE", "=", "'a'", "5", "AND", "OR", "NOT", "(", ")", ",", "IN", "COUNT(Id)",
"GROUP BY"]  # fmt: skip
WORDS += [
    "ORDER BY",
    "LIMIT",
    "TODAY",
    "LAST_N_DAYS:3",
    "Owner.Name",
    "null",
    "LIKE",
    "HAVING",
    "'",
    "\\",
    "FIELDS(ALL)",
    "(SELECT Id FROM Contacts)",
]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=6), max_size=14))
def test_no_text_breaks_the_query_tool(sf: Salesforce, words: list[str]) -> None:
    reply = sf.episode.call("salesforce", "query", {"q": "SELECT Name FROM Account " + " ".join(words)})
    assert reply.status in (200, 400)


# Search


@pytest.mark.parametrize(
    ("sosl", "names"),
    [
        ("FIND {dana} IN NAME FIELDS RETURNING Contact(Name)", ["Dana Reyes"]),
        ("FIND {dan*} RETURNING Contact(Name), Account(Name)", ["Dana Reyes"]),
        ("FIND {dan} RETURNING Contact(Name)", []),
        ("FIND {omar@bolt.example} IN EMAIL FIELDS RETURNING Contact(Name)", ["Omar Aziz"]),
        ("FIND {442079460002} IN PHONE FIELDS RETURNING Contact(Name)", ["Dana Reyes"]),
        ('FIND {"cranes acme"} RETURNING Account(Name)', []),
        ("FIND {cranes acme} RETURNING Account(Name)", ["Acme Cranes Ltd"]),
        ("FIND {acme OR bolt} RETURNING Account(Name ORDER BY Name DESC LIMIT 1)", ["Bolt Freight"]),
        ("FIND {(acme OR bolt) AND NOT freight} IN NAME FIELDS RETURNING Account(Name)", ["Acme Cranes Ltd"]),
        ("FIND {acme OR bolt} RETURNING Account(Name WHERE Industry = 'Manufacturing')", ["Acme Cranes Ltd"]),
    ],
)
def test_sosl(sf: Salesforce, sosl: str, names: list[str]) -> None:
    assert [r["Name"] for r in sf.search_sosl(q=sosl)["searchRecords"]] == names


def test_searches_that_are_none(sf: Salesforce) -> None:
    for sosl in (
        "FIND {a}",
        "FIND {dana",
        "FIND {dana} RETURNING",
        "FIND {(dana} RETURNING Contact",
        "FIND {dana} IN SOME FIELDS",
    ):
        assert sf.refused("search_sosl", q=sosl)["errorCode"] == "MALFORMED_SEARCH"
    assert "WITH SNIPPET" in sf.refused("search_sosl", q="FIND {dana} WITH SNIPPET")["message"]
    assert sf.refused("search_sosl", q="FIND {dana} RETURNING Contact(Nam)")["errorCode"] == "INVALID_FIELD"


def test_search_by_parameters(sf: Salesforce) -> None:
    reply = sf.parameterized_search(q="dana", sobject="Contact", fields="Id,Name")
    assert [r["Name"] for r in reply["searchRecords"]] == ["Dana Reyes"]
    body = {
        "q": "acme",
        "sobjects": [{"name": "Account", "fields": ["Name"], "where": "IsDeleted = false", "limit": 3}],
    }
    status, reply = sf.rest("POST", f"{BASE}/parameterizedSearch", body)
    assert (status, [r["Name"] for r in reply["searchRecords"]]) == (200, ["Acme Cranes Ltd"])


# Composite, collections, trees


def test_composite_all_or_none(sf: Salesforce) -> None:
    parts = [
        {"method": "POST", "url": f"{BASE}/sobjects/Account", "referenceId": "a", "body": {"Name": "Nova"}},
        {"method": "POST", "url": f"{BASE}/sobjects/Contact", "referenceId": "c", "body": {"AccountId": "@{a.id}"}},
        {"method": "GET", "url": f"{BASE}/sobjects/Account/@{{a.id}}", "referenceId": "g"},
    ]
    reply = sf.episode.call("salesforce", "composite_request", {"compositeRequest": parts, "allOrNone": True})
    answers = reply.body["compositeResponse"]
    assert (reply.wire_status, [a["httpStatusCode"] for a in answers]) == (200, [400, 400, 400])
    assert answers[0]["body"][0]["errorCode"] == answers[2]["body"][0]["errorCode"] == "PROCESSING_HALTED"
    assert answers[1]["body"][0]["errorCode"] == "REQUIRED_FIELD_MISSING"
    assert sf.episode.changes() == []
    answers = sf.composite_request(compositeRequest=parts)["compositeResponse"]
    assert [a["httpStatusCode"] for a in answers] == [201, 400, 200]
    assert answers[2]["body"]["Name"] == "Nova"
    parts[0]["body"] = {"Name": "Nova Two"}
    inner = {"allOrNone": True, "records": [{"attributes": {"type": "Contact"}, "FirstName": "No surname"}]}
    parts[1] = {"method": "POST", "url": f"{BASE}/composite/sobjects", "referenceId": "c", "body": inner}
    reply = sf.episode.call("salesforce", "composite_request", {"compositeRequest": parts, "allOrNone": True})
    told = reply.body["compositeResponse"][1]["body"]  # what failed says why, although its own status is 200
    assert told[0]["errors"][0]["statusCode"] == "REQUIRED_FIELD_MISSING"
    bad = [{"method": "GET", "url": f"{BASE}/sobjects/Account/@{{x.id}}", "referenceId": "g"}]
    assert (
        "Invalid reference specified"
        in sf.composite_request(compositeRequest=bad)["compositeResponse"][0]["body"][0]["message"]
    )
    for wrong in ([], [parts[0]] * 26, [parts[0], parts[0]], [{"method": "GET"}]):
        assert sf.refused("composite_request", compositeRequest=wrong)["status"] == 400


def test_batch(sf: Salesforce) -> None:
    parts = [
        {"method": "PATCH", "url": f"v60.0/sobjects/Account/{sf.id(Company, 'acme')}", "richInput": {"Phone": "1"}},
        {"method": "GET", "url": "v60.0/sobjects/Account/nope"},
        {"method": "GET", "url": f"v60.0/query?q={quote('SELECT COUNT() FROM Account')}"},
    ]
    whole = sf.composite_batch(batchRequests=parts)
    assert (whole["hasErrors"], [r["statusCode"] for r in whole["results"]]) == (True, [204, 404, 200])
    halted = sf.composite_batch(batchRequests=parts, haltOnError=True)
    assert [r["statusCode"] for r in halted["results"]] == [204, 404, 412]
    nested = sf.composite_batch(batchRequests=[{"method": "POST", "url": "v60.0/composite/batch", "richInput": {}}])
    assert nested["results"][0]["result"][0]["errorCode"] == "INVALID_HTTP_REQUEST"


def test_collections(sf: Salesforce) -> None:
    good = {"attributes": {"type": "Account"}, "Name": "Good"}
    bad = {"attributes": {"type": "Contact"}, "FirstName": "Bad"}
    reply = sf.episode.call("salesforce", "create_records_collection", {"records": [good, bad], "allOrNone": True})
    assert [r["success"] for r in reply.body] == [False, False]
    assert reply.body[0]["errors"][0]["statusCode"] == "ALL_OR_NONE_OPERATION_ROLLED_BACK"
    assert sf.episode.changes() == []
    made, failed = sf.create_records_collection(records=[good, bad])
    assert failed["errors"] == [{"statusCode": "REQUIRED_FIELD_MISSING", "message": "Required fields are missing: [LastName]",
    "fields": ["LastName"]}]  # fmt: skip
    changed = {"attributes": {"type": "Account"}, "id": made["id"], "Name": "Better"}
    unknown = {"attributes": {"type": "Account"}, "Id": "001000000000000AAA", "Name": "x"}
    results = sf.update_records_collection(records=[changed, unknown])
    assert (results[0]["success"], results[1]["errors"][0]["statusCode"]) == (True, "INVALID_CROSS_REFERENCE_KEY")
    rows = sf.get_records_collection(sobject="Account", ids=f"{made['id']},001000000000000AAA", fields="Name")
    assert (rows[0]["Name"], rows[1]) == ("Better", None)
    upserted = sf.upsert_records_collection(
        sobject="Account", field="External_Id__c", records=[{"External_Id__c": "u1", "Name": "U"}]
    )
    assert upserted[0]["created"] is True
    deleted = sf.delete_records_collection(ids=f"{made['id']},nonsense")
    assert [d["success"] for d in deleted] == [True, False]
    unknown_type = [good, {"attributes": {"type": "Acount"}, "Name": "x"}]
    assert sf.refused("create_records_collection", records=unknown_type)["errorCode"] == "INVALID_TYPE"
    assert sf.refused("create_records_collection", records=[good] * 201)["errorCode"] == "EXCEEDED_ID_LIMIT"


def test_trees(sf: Salesforce) -> None:
    tree = {
        "attributes": {"type": "Account", "referenceId": "a"}, "Name": "Tree",
        "Contacts": {"records": [{"attributes": {"type": "Contact", "referenceId": "c"}, "LastName": "Leaf"}]},
    }  # fmt: skip
    status, made = sf.rest("POST", f"{BASE}/composite/tree/Account/", {"records": [tree]})
    assert (status, made["hasErrors"], len(made["results"])) == (201, False, 2)
    assert sf.soql("SELECT Name FROM Contact WHERE Account.Name = 'Tree'")[0]["Name"] == "Leaf"
    before = sf.everything()
    tree["Contacts"]["records"].append({"attributes": {"type": "Contact", "referenceId": "bad"}})  # type: ignore[index, union-attr]
    tree["Name"] = "Tree two"
    status, failed = sf.rest("POST", f"{BASE}/composite/tree/Account", {"records": [tree]})
    assert (status, failed["results"][0]["referenceId"]) == (400, "bad")
    assert sf.everything() == before
    twice = [{"attributes": {"type": "Account", "referenceId": "r"}, "Name": name} for name in ("One", "Two")]
    status, failed = sf.rest("POST", f"{BASE}/composite/tree/Account", {"records": twice})
    assert (status, failed["results"][0]["errors"][0]["statusCode"]) == (400, "INVALID_INPUT")
    assert sf.everything() == before


# Bulk, reports, the REST face, replication


def test_bulk_jobs(sf: Salesforce) -> None:
    job = sf.create_bulk_job(object="Contact", operation="insert")["id"]
    sf.upload_bulk_job_data(
        id=job, data='LastName,Email,Account.External_Id__c\nOne,one@x.example,\nTwo,broken,\n"Th, ree",,#N/A\n'
    )
    assert sf.refused("upload_bulk_job_data", id=job, data="x")["errorCode"] == "INVALIDJOBSTATE"
    assert sf.close_bulk_job(id=job)["state"] == "UploadComplete"
    done = sf.get_bulk_job(id=job)
    assert (done["state"], done["numberRecordsProcessed"], done["numberRecordsFailed"]) == ("JobComplete", 3, 2)
    failed = sf.get_bulk_job_results(id=job, results="failedResults")
    assert "INVALID_EMAIL_ADDRESS:Email: invalid email address: broken:Email --" in failed
    query = sf.create_bulk_query_job(query="SELECT Name, Email FROM Contact WHERE Email LIKE 'one@%'")["id"]
    assert sf.get_bulk_query_results(id=query) == '"Name","Email"\n"One","one@x.example"\n'
    broken = sf.create_bulk_job(object="Contact", operation="insert")["id"]
    sf.upload_bulk_job_data(id=broken, data="LastName\na,b\n")
    sf.close_bulk_job(id=broken)
    assert sf.get_bulk_job(id=broken)["state"] == "Failed"
    assert sf.refused("create_bulk_job", object="Contact", operation="upsert")["errorCode"] == "INVALIDJOB"
    assert (
        sf.refused("create_bulk_query_job", query="SELECT COUNT(Id) FROM Contact")["errorCode"] == "FEATURENOTENABLED"
    )
    assert {c.table for c in sf.episode.changes()} == {"contact"}
    moments = sf.create_bulk_query_job(query="SELECT CreatedDate FROM Account WHERE Name = 'Bolt Freight'")["id"]
    assert sf.get_bulk_query_results(id=moments) == '"CreatedDate"\n"2024-03-01T10:00:00.000Z"\n'
    assert [j["id"] for j in sf.rest("GET", f"{BASE}/jobs/query")[1]["records"]] == [query, moments]


def test_a_hard_delete_leaves_nothing_in_the_bin(sf: Salesforce) -> None:
    account = sf.create("Account", Name="Short-lived")
    sf.create("Contact", LastName="Short", AccountId=account)
    job = sf.create_bulk_job(object="Account", operation="hardDelete")["id"]
    sf.upload_bulk_job_data(id=job, data=f"Id\n{account}\n")
    sf.close_bulk_job(id=job)
    assert sf.get_bulk_job(id=job)["numberRecordsFailed"] == 0
    assert sf.query_all(q=f"SELECT Id FROM Account WHERE Id = '{account}'")["totalSize"] == 0
    assert sf.query_all(q="SELECT Id FROM Contact WHERE LastName = 'Short'")["totalSize"] == 0
    assert sf.episode.changes() == []


def test_reports(sf: Salesforce) -> None:
    ids = {r["name"]: r["id"] for r in sf.list_reports()}
    ran = sf.run_report(reportId=ids["Open Opportunities by Stage"], includeDetails=True)
    assert ran["groupingsDown"]["groupings"][0]["label"] == "Negotiation/Review"
    assert ran["factMap"]["0!T"]["aggregates"][0]["value"] == 56000.0  # in the corporate currency
    assert ran["factMap"]["0!T"]["rows"][0]["dataCells"][0]["label"] == "Acme - renewal"
    filters = {"reportFilters": [{"column": "Amount", "operator": "greaterThan", "value": "50000"}]}
    ran = sf.run_report_with_filters(reportId=ids["Open Opportunities by Stage"], reportMetadata=filters)
    assert ran["factMap"]["T!T"]["aggregates"][-1]["value"] == 0
    bad = {"reportFilters": [{"column": "Nope", "operator": "equals", "value": "1"}]}
    assert (
        sf.refused("run_report_with_filters", reportId=ids["Leads by Status"], reportMetadata=bad)["errorCode"]
        == "INVALID_FIELD"
    )
    assert sf.refused("run_report", reportId="00O000000000000AAA")["status"] == 404
    assert {sf.describe_report(reportId=i)["reportMetadata"]["name"] for i in ids.values()} == set(ids)
    assert sf.episode.changes() == []


def test_the_rest_face(sf: Salesforce) -> None:
    account = sf.id(Company, "acme")
    assert sf.rest("GET", "/services/data")[0] == 200
    for version in ("v20.0", "v99.0", "vx"):
        assert sf.rest("GET", f"/services/data/{version}/sobjects")[0] == 404
    status, body = sf.rest("PATCH", f"{BASE}/sobjects/Account/{account}", {"Phone": "2"})
    assert (status, body) == (204, None)
    assert sf.rest("GET", f"{BASE}/sobjects/Account/{account}?fields=Phone,Name")[1]["Phone"] == "2"
    status, body = sf.rest("GET", f"{BASE}/sobjects/Account/{account}?fields=Nope")
    assert (status, body) == (
        400,
        [{"message": "No such column 'Nope' on sobject of type Account", "errorCode": "INVALID_FIELD"}],
    )
    assert sf.rest("GET", f"{BASE}/sobjects/Account/{account}/Contacts")[1]["totalSize"] == 1
    assert sf.rest("GET", f"{BASE}/sobjects/Account/{account}/Owner")[1]["Name"] == "Bea Stone"
    assert sf.rest("GET", f"{BASE}/sobjects/Account/{account}/Nothing")[0] == 404
    assert sf.rest("POST", f"{BASE}/sobjects/Account/", "[1")[1][0]["errorCode"] in (
        "JSON_PARSER_ERROR",
        "REQUIRED_FIELD_MISSING",
    )
    assert sf.rest("POST", f"{BASE}/sobjects/Account/", [1])[1][0]["errorCode"] == "JSON_PARSER_ERROR"
    assert sf.rest("POST", f"{BASE}/sobjects/Nothing", {"Name": "x"})[0] == 404
    status, body = sf.rest("PUT", f"{BASE}/sobjects/Account/{account}", {})
    assert (status, body[0]["errorCode"], body[0]["message"]) == (
        405, "METHOD_NOT_ALLOWED", "HTTP Method 'PUT' not allowed. Allowed are HEAD,GET,PATCH,DELETE",
    )  # fmt: skip
    status, body = sf.rest("PATCH", f"{BASE}/sobjects/Account/{account}", {"Id": account})
    assert body[0]["message"] == "The Id field should not be specified in the sobject data."
    assert [s["Id"] for s in sf.rest("GET", f"{BASE}/recent?limit=1")[1]] == [account]


def test_related_records(sf: Salesforce) -> None:
    children = sf.get_related_records(
        sobject="Account", id=sf.id(Company, "acme"), relationship="contacts", fields="Name,Email"
    )
    assert children["records"][0]["Email"] == "dana@acme.example"
    parent = sf.get_related_records(sobject="Contact", id=sf.id(Contact, "dana"), relationship="Account", fields="Name")
    assert parent["Name"] == "Acme Cranes Ltd"


def test_what_changed_lately(sf: Salesforce) -> None:
    span = {"start": "2026-03-01T00:00:00Z", "end": "2026-03-03T00:00:00Z"}
    assert sf.get_updated_records(sobject="Contact", **span)["ids"] == []
    sf.update("Contact", sf.id(Contact, "dana"), Title="Head of buying")
    assert sf.get_updated_records(sobject="Contact", **span)["ids"] == [sf.id(Contact, "dana")]
    sf.delete_record(sobject="Contact", id=sf.id(Contact, "dana"))
    assert sf.get_deleted_records(sobject="Contact", **span)["deletedRecords"][0]["id"] == sf.id(Contact, "dana")
    for wrong in (
        {"start": span["end"], "end": span["start"]},
        {"start": "2025-01-01T00:00:00Z", "end": span["end"]},
        {"start": "x", "end": "y"},
    ):
        assert sf.refused("get_updated_records", sobject="Contact", **wrong)["errorCode"] == "INVALID_REPLICATION_DATE"


# Describe agrees with behaviour


def test_agents_are_told_what_to_do(sf: Salesforce) -> None:
    told = {
        "Similar fields: Phone": ("create_record", {"sobject": "Account", "fields": {"Name": "x", "Phon": "1"}}),
        "Similar types: Opportunity": ("create_record", {"sobject": "Oportunity", "fields": {}}),
        "Similar fields: StageName": ("query", {"q": "SELECT Stage FROM Opportunity"}),
        "Similar types: Account": ("query", {"q": "SELECT Id FROM Accounts"}),
        "Similar relationships: Contacts": ("query", {"q": "SELECT (SELECT Id FROM Contact) FROM Account"}),
        "One of: Prospecting, ": (
            "update_record",
            {"sobject": "Opportunity", "id": sf.id(Deal, "won"), "fields": {"StageName": "Won"}},
        ),
        "FirstName and LastName": ("create_record", {"sobject": "Contact", "fields": {"Name": "Ada Okoro"}}),
        "Write MailingStreet, MailingCity": ("create_record", {"sobject": "Contact", "fields": {"MailingAddress": {}}}),
        "YYYY-MM-DD": ("create_task", {"Subject": "x", "ActivityDate": "March 10"}),
        "id of: Group, User": ("create_task", {"Subject": "x", "OwnerId": "bea"}),
        "allow_save": ("create_record", {"sobject": "Account", "fields": {"Name": "Acme Cranes"}}),
    }
    for word, (tool, arguments) in told.items():
        assert word in sf.refused(tool, **arguments)["hint"]
    assert "hint" not in sf.rest("POST", f"{BASE}/sobjects/Account", {"Phon": "1"})[1][0]
    records = [{"attributes": {"type": "Account"}, "Phon": "1"}]
    assert "hint" not in sf.rest("POST", f"{BASE}/composite/sobjects", {"records": records})[1][0]["errors"][0]


def test_record_types(sf: Salesforce) -> None:
    kinds = {r["SobjectType"] + r["Name"]: r["Id"] for r in sf.soql("SELECT Id, Name, SobjectType FROM RecordType")}
    renewal, business = kinds["OpportunityRenewal"], kinds["AccountBusiness"]
    described = sf.describe_sobject(sobject="Opportunity")
    assert {"name": "Renewal", "recordTypeId": renewal} in described["recordTypes"]
    infos = sf.describe_sobject(sobject="Opportunity", detail="full")["recordTypeInfos"]
    assert [i["name"] for i in infos] == ["Master", "New Business", "Renewal"]
    sf.update("Opportunity", sf.id(Deal, "renewal"), RecordTypeId=renewal)
    wrong = {"sobject": "Opportunity", "id": sf.id(Deal, "renewal"), "fields": {"RecordTypeId": business}}
    assert sf.refused("update_record", **wrong)["errorCode"] == "INVALID_CROSS_REFERENCE_KEY"


def test_describe_says_what_may_be_written(sf: Salesforce) -> None:
    for sobject in ("Account", "Contact", "Lead", "Opportunity", "Case", "Campaign", "Product2"):
        described = sf.describe_sobject(sobject=sobject, detail="full")
        required = {
            f["name"]
            for f in described["fields"]
            if f["createable"] and not f["nillable"] and not f["defaultedOnCreate"]
        }
        error = sf.refused("create_record", sobject=sobject, fields={}) if required else {"fields": []}
        assert set(error["fields"]) == required
        for field in described["fields"]:
            if not field["createable"] and field["name"] != "Id":
                error = sf.refused("create_record", sobject=sobject, fields={field["name"]: "x"})
                assert error["errorCode"] == "INVALID_FIELD_FOR_INSERT_UPDATE"
            if field["filterable"]:
                sf.soql(f"SELECT Id FROM {sobject} WHERE {field['name']} = null")
            else:
                assert sf.refused("query", q=f"SELECT Id FROM {sobject} WHERE {field['name']} = null")
        for child in described["childRelationships"]:
            if child["relationshipName"]:
                sf.soql(f"SELECT Id, (SELECT Id FROM {child['relationshipName']}) FROM {sobject}")


async def _over_mcp() -> None:
    episode = episode_of("salesforce", ENTITIES)
    async with Client(serve(episode, ["salesforce"])) as client:
        made = await client.call_tool("create_task", {"Subject": "Hello", "Priority": "Low"})
        assert made.structured_content is not None
        assert made.structured_content["success"] is True
        failed = await client.call_tool("create_record", {"sobject": "Account", "fields": {}})
        assert failed.is_error
        shown = json.loads(failed.content[0].text)  # type: ignore[union-attr]
        assert shown["status"] == 400
        assert shown["errors"][0]["errorCode"] == "REQUIRED_FIELD_MISSING"
        deleted = await client.call_tool("delete_record", {"sobject": "Task", "id": made.structured_content["id"]})
        assert deleted.structured_content == {"id": made.structured_content["id"], "success": True, "errors": []}


def test_over_mcp() -> None:
    import anyio

    anyio.run(_over_mcp)


def test_every_read_reads(world: Salesforce) -> None:
    account = world.soql("SELECT Id FROM Account LIMIT 1")[0]["Id"]
    report = world.list_reports()[0]["id"]
    arguments: dict[str, dict[str, Any]] = {
        "query": {"q": "SELECT Id FROM Account"}, "query_all": {"q": "SELECT Id FROM Account"}, "search_sosl": {"q": "FIND {meridian}"},
        "parameterized_search": {"q": "meridian"}, "describe_sobject": {"sobject": "Case"}, "get_record": {"sobject": "Account",
        "id": account},
        "get_records_collection": {"sobject": "Account", "ids": account, "fields": "Name"}, "run_report": {"reportId": report},
        "run_report_with_filters": {"reportId": report}, "describe_report": {"reportId": report},
        "get_related_records": {"sobject": "Account", "id": account, "relationship": "Contacts"},
        "get_updated_records": {"sobject": "Account", "start": "2026-02-20T00:00:00Z", "end": "2026-03-03T00:00:00Z"},
        "get_deleted_records": {"sobject": "Account", "start": "2026-02-20T00:00:00Z", "end": "2026-03-03T00:00:00Z"},
    }  # fmt: skip
    elsewhere = {
        "query_more",
        "get_record_by_external_id",
        "get_bulk_job",
        "get_bulk_job_results",
        "get_bulk_query_results",
    }
    for operation in registry.load("salesforce").operations.values():
        if operation.reads and operation.mcp and operation.tool not in elsewhere:
            reply = world.episode.call("salesforce", operation.tool, arguments.get(operation.tool, {}))
            assert reply.status == 200, (operation.tool, reply.body)
    assert world.episode.changes() == []


# Determinism and the diff


def test_the_same_calls_give_the_same_bytes() -> None:
    def live() -> tuple[Any, Any]:
        sf = Salesforce(episode_of("salesforce", ENTITIES))
        sf.convert_lead(leadId=sf.id(Lead, "lena"))
        sf.create("Case", Subject="x")
        sf.delete_record(sobject="Contact", id=sf.id(Contact, "omar"))
        return sf.everything(), [c.as_json() for c in sf.episode.changes()]

    assert live() == live()


def test_touched_rows_miss_nothing(sf: Salesforce) -> None:
    _, entry = _priced(sf)
    sf.add_opportunity_product(OpportunityId=sf.id(Deal, "renewal"), PricebookEntryId=entry, Quantity=1, UnitPrice=10)
    sf.convert_lead(leadId=sf.id(Lead, "lena"))
    sf.delete_record(sobject="Contact", id=sf.id(Contact, "omar"))
    before, after = sf.live.template.connection, sf.live.store.connection
    shapes = sf.live.app.shapes
    differing = {
        (table, key)
        for table, key in all_keys(sf.live.app, before, after)
        if before.execute(shapes[table].by_key, key).fetchone() != after.execute(shapes[table].by_key, key).fetchone()
    }
    assert differing <= set(sf.live.touched)


# The crm capability

REFERENCES = {"owner": Person, "manager": Person, "company": Company, "contact": Contact}


@pytest.mark.parametrize("entity", ENTITIES, ids=lambda e: f"{type(e).__name__}-{e.key}")
def test_fill_then_view_gives_the_entity_back(sf: Salesforce, entity: Entity) -> None:
    viewed = sf.view(sf.id(type(entity), entity.key))
    assert viewed is not None
    expected = entity.model_dump(exclude={"key", "id"})
    about = expected.get("about")
    for name, kind in REFERENCES.items():
        if expected.get(name):
            expected[name] = sf.id(kind, expected[name])
    if about:
        kinds = (Company, Contact, Lead, Deal)
        expected["about"] = next(sf.id(k, about) for k in kinds if about in sf.live.refs(f"crm.{k.__name__}"))
    assert viewed.model_dump(exclude={"key", "id"}) == expected


def test_every_entity_of_the_world_is_there(world: Salesforce) -> None:
    refs = world.live.template.refs
    assert {"people.Person", "crm.Company", "crm.Contact", "crm.Lead", "crm.Deal", "crm.Activity"} <= set(refs)
    for entity in ("people.Person", "crm.Company", "crm.Contact", "crm.Lead", "crm.Deal", "crm.Activity"):
        for record_id in refs[entity].values():
            assert world.view(record_id) is not None


def test_verbs(sf: Salesforce) -> None:
    crm = registry.load("salesforce").provides["crm"]
    assert sf.play(crm.find_contact("dana@acme.example"))[0]["records"][0]["Id"] == sf.id(Contact, "dana")
    assert sf.play(crm.get_contact(sf.id(Contact, "dana")))[0]["Email"] == "dana@acme.example"
    assert sum(len(r["records"]) for r in sf.play(crm.list_contacts())) == 2
    new = Contact(first_name="Eve", last_name="O'Neil", email="eve@bolt.example", title="CFO", do_not_contact=True)
    made = sf.play(crm.create_contact(new, sf.id(Company, "bolt")))[0]["id"]
    viewed = sf.view(made)
    assert isinstance(viewed, Contact)
    assert (viewed.name, viewed.email, viewed.company, viewed.do_not_contact) == (
        "Eve O'Neil",
        "eve@bolt.example",
        sf.id(Company, "bolt"),
        True,
    )
    sf.play(crm.update_contact(made, title="CEO", do_not_contact=False, mobile="+44 7700 900009"))
    viewed = sf.view(made)
    assert isinstance(viewed, Contact)
    assert (viewed.title, viewed.do_not_contact, viewed.mobile) == ("CEO", False, "+44 7700 900009")
    assert sf.play(crm.find_deal("Acme - renewal"))[0]["records"][0]["Id"] == sf.id(Deal, "renewal")
    for stage in ("prospecting", "qualification", "proposal", "negotiation", "won", "lost"):
        sf.play(crm.set_deal_stage(sf.id(Deal, "renewal"), stage))
        deal = sf.view(sf.id(Deal, "renewal"))
        assert isinstance(deal, Deal)
        assert deal.stage == stage
