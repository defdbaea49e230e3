"""Salesforce: ids; saving: what is refused, and that nothing stays of it; deleting and restoring; opportunities; leads."""

from typing import Any

import pytest

from legoenv_mcp.capabilities.crm import Company, Contact, Deal, Lead
from legoenv_mcp.capabilities.people import Person
from tests.apps.salesforce.support import BASE, Salesforce, _priced


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
