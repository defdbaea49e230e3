"""Salesforce's rarer writes: deletion by external id, the standard actions over REST, bulk jobs that are deleted."""

from typing import Any

import pytest

from legoenv_mcp.capabilities.crm import Company, Contact, Deal, Lead
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.testing import episode_of
from tests.apps.salesforce.support import BASE, ENTITIES, Salesforce


@pytest.fixture
def sf() -> Salesforce:
    return Salesforce(episode_of("salesforce", ENTITIES))


def refused_over_rest(sf: Salesforce, method: str, path: str, body: Any = None) -> tuple[int, str]:
    """A refused request: its status and error code, and that it changed nothing."""
    before = sf.everything()
    status, told = sf.rest(method, BASE + path, body)
    assert 400 <= status < 500, told
    assert sf.everything() == before
    return status, told[0]["errorCode"]


def test_a_record_is_deleted_by_its_external_id(sf: Salesforce) -> None:
    made = sf.create("Account", Name="One", External_Id__c="E/1")
    assert refused_over_rest(sf, "DELETE", "/sobjects/Account/External_Id__c/E-9") == (404, "NOT_FOUND")
    assert refused_over_rest(sf, "DELETE", "/sobjects/Account/Phone/1")[0] == 404
    sf.update("Account", made, External_Id__c="E-1")
    assert sf.rest("DELETE", f"{BASE}/sobjects/Account/External_Id__c/e-1")[0] == 204
    assert sf.soql("SELECT Id FROM Account WHERE Name = 'One'") == []
    found = sf.query_all(q="SELECT IsDeleted FROM Account WHERE Name = 'One'")["records"]
    assert [r["IsDeleted"] for r in found] == [True]
    assert refused_over_rest(sf, "DELETE", "/sobjects/Account/External_Id__c/E-1") == (404, "NOT_FOUND")


def test_leads_are_converted_by_the_standard_action(sf: Salesforce) -> None:
    lead, acme, dana = sf.id(Lead, "lena"), sf.id(Company, "acme"), sf.id(Contact, "dana")
    path = "/actions/standard/convertLead"
    unknown = {"leadId": "00Q000000000000AAA", "convertedStatus": "Closed - Converted"}
    refused_over_rest(sf, "POST", path, {"inputs": [unknown]})
    refused_over_rest(sf, "POST", path, {"inputs": [{"leadId": lead, "convertedStatus": "Qualified"}]})
    refused_over_rest(sf, "POST", path, {"inputs": [{"leadId": lead, "accountId": 5}]})
    other = sf.create("Lead", LastName="Quill", Company="Quill & Co")
    inputs = [
        {"leadId": lead, "convertedStatus": "Closed - Converted", "accountId": acme, "contactId": dana, "createOpportunity": False},
        {"leadId": other, "convertedStatus": "Closed - Converted", "opportunityName": "Quills"},
    ]  # fmt: skip
    status, results = sf.rest("POST", BASE + path, {"inputs": inputs})
    assert (status, [(r["actionName"], r["isSuccess"]) for r in results]) == (200, [("convertLead", True)] * 2)
    first, second = (r["outputValues"] for r in results)
    assert (first["accountId"], first["contactId"], first["opportunityId"]) == (acme, dana, None)
    assert sf.get("Opportunity", second["opportunityId"])["Name"] == "Quills"
    assert sf.get("Account", second["accountId"])["Name"] == "Quill & Co"
    for one in (lead, other):
        assert sf.get("Lead", one)["IsConverted"] is True
        refused_over_rest(sf, "POST", path, {"inputs": [{"leadId": one}]})


def test_several_approvals_in_one_request(sf: Salesforce) -> None:
    me, bea = sf.get_user_info()["user_id"], sf.id(Person, "bea")
    deal, acme, path = sf.id(Deal, "renewal"), sf.id(Company, "acme"), "/process/approvals"
    submit = [
        {"actionType": "Submit", "contextId": deal, "comments": "20 % off", "nextApproverIds": [bea]},
        {"actionType": "Submit", "contextId": acme, "nextApproverIds": [me]},
    ]
    status, made = sf.rest("POST", BASE + path, {"requests": submit})
    assert (status, [(m["instanceStatus"], m["actorIds"]) for m in made]) == (
        200, [("Pending", [bea]), ("Pending", [me])],
    )  # fmt: skip
    assert refused_over_rest(sf, "POST", path, {"requests": submit}) == (400, "ALREADY_IN_PROCESS")
    item = made[1]["newWorkitemIds"][0]
    decide = {"actionType": "Reject", "contextId": item, "comments": "Too soon"}
    status, decided = sf.rest("POST", BASE + path, {"requests": [decide]})
    assert (status, decided[0]["instanceStatus"], decided[0]["newWorkitemIds"]) == (200, "Rejected", [])
    found = sf.soql("SELECT Status, TargetObjectId FROM ProcessInstance")
    assert {r["TargetObjectId"]: r["Status"] for r in found} == {deal: "Pending", acme: "Rejected"}
    refused_over_rest(sf, "POST", path, {"requests": [decide]})
    nothing = {"actionType": "Submit", "contextId": "006000000000000AAA", "nextApproverIds": [bea]}
    refused_over_rest(sf, "POST", path, {"requests": [nothing]})


def test_jobs_that_are_over_are_deleted(sf: Salesforce) -> None:
    job = sf.create_bulk_job(object="Contact", operation="insert")["id"]
    assert refused_over_rest(sf, "DELETE", f"/jobs/ingest/{job}") == (400, "INVALIDJOBSTATE")
    sf.upload_bulk_job_data(id=job, data="LastName\nKept\n")
    sf.close_bulk_job(id=job)
    assert refused_over_rest(sf, "DELETE", f"/jobs/query/{job}")[0] == 404
    assert sf.rest("DELETE", f"{BASE}/jobs/ingest/{job}")[0] == 204
    assert sf.refused("get_bulk_job", id=job)["status"] == 404
    assert refused_over_rest(sf, "DELETE", f"/jobs/ingest/{job}")[0] == 404
    assert len(sf.soql("SELECT Id FROM Contact WHERE LastName = 'Kept'")) == 1  # what it loaded stays

    query = sf.create_bulk_query_job(query="SELECT Name FROM Contact WHERE LastName = 'Kept'")["id"]
    assert sf.rest("GET", f"{BASE}/jobs/query/{query}")[1]["state"] == "JobComplete"
    assert refused_over_rest(sf, "PATCH", f"/jobs/query/{query}", {"state": "Aborted"}) == (400, "INVALIDJOBSTATE")
    assert sf.rest("DELETE", f"{BASE}/jobs/query/{query}")[0] == 204
    assert sf.rest("GET", f"{BASE}/jobs/query")[1]["records"] == []
    for method, body in (("DELETE", None), ("PATCH", {"state": "Aborted"})):
        assert refused_over_rest(sf, method, f"/jobs/query/{query}", body)[0] == 404


def test_records_of_every_kind_are_read_by_id(sf: Salesforce) -> None:
    """The rarer types, read by POST of their ids: what each record is called or holds."""
    me, bea = sf.get_user_info()["user_id"], sf.id(Person, "bea")
    deal, acme, dana = sf.id(Deal, "renewal"), sf.id(Company, "acme"), sf.id(Contact, "dana")

    def read(sobject: str, where: str, *fields: str) -> list[dict[str, Any]]:
        ids = [r["Id"] for r in sf.soql(f"SELECT Id FROM {sobject} WHERE {where}")]
        status, found = sf.rest(
            "POST", f"{BASE}/composite/sobjects/{sobject}", {"ids": [*ids, "nothing"], "fields": ["Id", *fields]}
        )
        assert (status, [r["Id"] for r in found[:-1]], found[-1]) == (200, ids, None)
        return found[:-1]

    campaign = sf.create("Campaign", Name="Fair")
    found = read("CampaignMemberStatus", f"CampaignId = '{campaign}'", "Label", "IsDefault", "HasResponded")
    assert {(r["Label"], r["IsDefault"], r["HasResponded"]) for r in found} == {
        ("Sent", True, False),
        ("Responded", False, True),
    }
    assert read("CaseStatus", "MasterLabel = 'Closed'", "IsClosed")[0]["IsClosed"] is True
    assert [r["MasterLabel"] for r in read("LeadStatus", "IsConverted = true", "MasterLabel")] == ["Closed - Converted"]
    stage = read("OpportunityStage", "IsWon = true", "MasterLabel", "DefaultProbability", "ForecastCategoryName")[0]
    assert (stage["MasterLabel"], stage["ForecastCategoryName"], stage["DefaultProbability"]) == (
        "Closed Won",
        "Closed",
        100,
    )

    note = sf.create_note(Title="Berth", Content="Quay 3", LinkedEntityId=acme)["id"]
    link = read("ContentDocumentLink", f"LinkedEntityId = '{acme}'", "ContentDocumentId", "ShareType")[0]
    assert (link["ContentDocumentId"], link["ShareType"]) == (note, "V")

    product = sf.create("Product2", Name="Winch", IsActive=True)
    book = sf.soql("SELECT Id FROM Pricebook2 WHERE IsStandard = true")[0]["Id"]
    price = {"Product2Id": product, "UnitPrice": 500, "IsActive": True, "CurrencyIsoCode": "GBP"}
    entry = sf.create("PricebookEntry", Pricebook2Id=book, **price)
    sf.add_opportunity_product(OpportunityId=deal, PricebookEntryId=entry, Quantity=3, UnitPrice=400)
    shown = read("PricebookEntry", f"Product2Id = '{product}'", "UnitPrice", "Pricebook2Id")[0]
    assert (shown["UnitPrice"], shown["Pricebook2Id"]) == (500, book)
    line = read("OpportunityLineItem", f"OpportunityId = '{deal}'", "PricebookEntryId", "TotalPrice")[0]
    assert (line["PricebookEntryId"], line["TotalPrice"]) == (entry, 1200)

    submit = {"actionType": "Submit", "contextId": deal, "nextApproverIds": [bea]}
    assert sf.rest("POST", f"{BASE}/process/approvals", {"requests": [submit]})[0] == 200
    process = read("ProcessInstance", f"TargetObjectId = '{deal}'", "Status", "SubmittedById")[0]
    assert (process["Status"], process["SubmittedById"]) == ("Pending", me)
    item = read("ProcessInstanceWorkitem", f"ActorId = '{bea}'", "ProcessInstanceId")[0]
    assert item["ProcessInstanceId"] == process["Id"]

    user = sf.get("User", bea)
    assert read("Profile", f"Id = '{user['ProfileId']}'", "Name")[0]["Name"] == "Standard User"
    assert read("UserRole", "ParentRoleId = null", "Name")
    status, wrong = sf.rest("POST", f"{BASE}/composite/sobjects/Profile", {"ids": [dana], "fields": ["Name"]})
    assert (status, wrong) == (200, [None])  # another type's record is none of this type's


def test_members_comments_and_groups_are_read_by_id(sf: Salesforce) -> None:
    campaign = sf.create("Campaign", Name="Fair")
    member = sf.add_campaign_member(CampaignId=campaign, ContactId=sf.id(Contact, "dana"))["id"]
    found = sf.get_records_collection(sobject="CampaignMember", ids=member, fields="CampaignId,Status")
    assert [(r["CampaignId"], r["Status"]) for r in found] == [(campaign, "Sent")]
    case = sf.create_case(Subject="Late")["id"]
    comment = sf.create_case_comment(ParentId=case, CommentBody="On its way")["id"]
    found = sf.get_records_collection(sobject="CaseComment", ids=comment, fields="ParentId,CommentBody")
    assert [(r["ParentId"], r["CommentBody"]) for r in found] == [(case, "On its way")]
    assert sf.get_records_collection(sobject="Group", ids=case, fields="Name") == [None]
