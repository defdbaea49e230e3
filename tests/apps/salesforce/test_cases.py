"""Salesforce: cases, campaigns, activities, notes, approvals."""

from typing import Any

from legoenv_mcp.capabilities.crm import Activity, Company, Contact, Deal, Lead
from legoenv_mcp.capabilities.people import Person
from tests.apps.salesforce.support import BASE, Salesforce, _priced


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
