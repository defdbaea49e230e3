"""Salesforce with simple-salesforce, unmodified: it insists on https at the host's root."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import requests
import trustme
from simple_salesforce.api import Salesforce
from simple_salesforce.exceptions import (
    SalesforceError,
    SalesforceGeneralError,
    SalesforceMalformedRequest,
    SalesforceResourceNotFound,
)
from simple_salesforce.format import format_soql

from tests.conftest import Process

pytestmark = pytest.mark.sdk


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """An authority's certificate, and the server's with its key."""
    folder = tmp_path_factory.mktemp("tls")
    authority = trustme.CA()
    server = authority.issue_cert("127.0.0.1", "localhost")
    authority.cert_pem.write_to_path(folder / "ca.pem")
    server.cert_chain_pems[0].write_to_path(folder / "server.pem")
    server.private_key_pem.write_to_path(folder / "server.key")
    return folder / "ca.pem", folder / "server.pem", folder / "server.key"


@pytest.fixture(scope="module")
def server(certificate: tuple[Path, Path, Path]) -> Iterator[str]:
    _, chain, key = certificate
    words = ("--http", "--port", "0", "--world", "quaymark", "--tls-cert", str(chain), "--tls-key", str(key))
    running = Process("serve", "salesforce", *words)
    yield running.url
    running.kill()


@pytest.fixture
def sf(server: str, certificate: tuple[Path, Path, Path]) -> Iterator[Any]:
    with requests.Session() as session:
        session.trust_env = False  # a proxy or certificate bundle of the machine is none of ours
        session.verify = str(certificate[0])
        yield Salesforce(session_id="00D!token", instance_url=server, version="60.0", session=session)


def error_of(caught: Any) -> dict[str, Any]:
    """The first error of a refused call's body."""
    return caught.value.content[0]


def test_records_live_from_creation_to_deletion(sf: Any) -> None:
    made = sf.Account.create({"Name": "Northwind Traders", "Industry": "Retail", "AnnualRevenue": 1250000})
    assert made["success"] is True
    assert made["errors"] == []
    account = made["id"]
    assert len(account) == 18

    assert sf.Account.update(account, {"Phone": "+44 20 7946 0999", "Industry": None}) == 204
    shown = sf.Account.get(account[:15])
    assert shown["attributes"] == {"type": "Account", "url": f"/services/data/v60.0/sobjects/Account/{account}"}
    assert (shown["Name"], shown["Phone"], shown["Industry"]) == ("Northwind Traders", "+44 20 7946 0999", None)
    assert shown["CreatedDate"].endswith(".000+0000")

    assert sf.Account.delete(account) == 204
    with pytest.raises(SalesforceResourceNotFound) as gone:
        sf.Account.get(account)
    assert error_of(gone)["errorCode"] == "ENTITY_IS_DELETED"
    found = sf.query(f"SELECT Id, IsDeleted FROM Account WHERE Id = '{account}'", include_deleted=True)
    assert found["records"][0]["IsDeleted"] is True


def test_upsert_creates_then_updates(sf: Any) -> None:
    assert sf.Contact.upsert("External_Id__c/erp-42", {"LastName": "Okoro", "FirstName": "Ada"}) == 201
    assert sf.Contact.upsert("External_Id__c/erp-42", {"Title": "Buyer"}) == 200
    found = sf.Contact.get_by_custom_id("External_Id__c", "erp-42")
    assert (found["Name"], found["Title"]) == ("Ada Okoro", "Buyer")


def test_queries_page_through_everything(sf: Any) -> None:
    for batch in range(3):
        records = [{"LastName": f"Batch {batch}-{n}", "Department": "Paging"} for n in range(100)]
        body = {"records": [{"attributes": {"type": "Contact"}, **r} for r in records]}
        assert all(r["success"] for r in sf.restful("composite/sobjects", method="POST", json=body) or [])
    soql = "SELECT Id, Name, CreatedBy.Name FROM Contact WHERE Department = 'Paging' ORDER BY Name"
    headers = {"Sforce-Query-Options": "batchSize=200"}
    first = sf.query(soql, headers=headers)
    assert (first["totalSize"], first["done"], len(first["records"])) == (300, False, 200)
    second = sf.query_more(first["nextRecordsUrl"], identifier_is_url=True)
    assert second["done"] is True
    assert len(second["records"]) == 100
    locator = first["nextRecordsUrl"].rpartition("/")[2]
    assert sf.query_more(locator)["records"] == second["records"]
    every = sf.query_all(soql, headers=headers)
    assert len({r["Id"] for r in every["records"]}) == 300
    names = [r["Name"] for r in sf.query_all_iter(soql, headers=headers)]
    assert names == sorted(names, key=str.casefold)


def test_soql_over_the_world(sf: Any) -> None:
    soql = format_soql(
        "SELECT Name, Owner.Email, (SELECT Name FROM Contacts ORDER BY Name) FROM Account WHERE Name = {}",
        "Meridian Freight",
    )
    account = sf.query(soql)["records"][0]
    assert account["Owner"]["Email"] == "daniel.kim@quaymark.example"
    assert "Dana Whitfield" in [c["Name"] for c in account["Contacts"]["records"]]
    grouped = sf.query(
        "SELECT IsWon, COUNT(Id) deals, SUM(Amount) FROM Opportunity WHERE IsClosed = true GROUP BY IsWon"
    )
    assert {r["IsWon"] for r in grouped["records"]} == {True, False}
    assert all(r["deals"] > 0 and r["expr0"] > 0 for r in grouped["records"])
    assert sf.is_sandbox() is False


def test_search(sf: Any) -> None:
    found = sf.search("FIND {Whitfield} IN NAME FIELDS RETURNING Contact(Id, Name)")
    assert [r["Name"] for r in found["searchRecords"]] == ["Dana Whitfield"]
    assert {r["attributes"]["type"] for r in sf.quick_search("Meridian")["searchRecords"]} >= {"Account", "Opportunity"}


def test_describe(sf: Any) -> None:
    everything = sf.describe() or {}
    assert {"Account", "Lead", "Opportunity", "Case"} <= {s["name"] for s in everything["sobjects"]}
    described = sf.Opportunity.describe()
    stage = next(f for f in described["fields"] if f["name"] == "StageName")
    assert (stage["type"], stage["nillable"], stage["restrictedPicklist"]) == ("picklist", False, True)
    assert "Closed Won" in [v["value"] for v in stage["picklistValues"]]
    assert sf.Lead.metadata()["objectDescribe"]["keyPrefix"] == "00Q"
    assert sf.limits()["DailyApiRequests"]["Max"] > 0


def test_refusals_are_salesforces_own(sf: Any) -> None:
    with pytest.raises(SalesforceMalformedRequest) as missing:
        sf.Contact.create({"FirstName": "Nobody"})
    assert missing.value.content == [
        {
            "message": "Required fields are missing: [LastName]",
            "errorCode": "REQUIRED_FIELD_MISSING",
            "fields": ["LastName"],
        }
    ]
    with pytest.raises(SalesforceMalformedRequest) as unknown:
        sf.query("SELECT Nam FROM Account")
    assert error_of(unknown)["errorCode"] == "INVALID_FIELD"
    assert "ERROR at Row:1:Column:8\nNo such column 'Nam' on entity 'Account'." in error_of(unknown)["message"]
    with pytest.raises(SalesforceResourceNotFound):
        sf.Account.get("001000000000000AAA")
    with pytest.raises(SalesforceError):
        sf.query("SELECT Id FROM Nothing")
    with pytest.raises(SalesforceResourceNotFound):
        sf.restful("sobjects/Nothing/describe")


def test_duplicates_need_a_word(sf: Any) -> None:
    twin = {"FirstName": "Dana", "LastName": "Whitfield", "Email": "dana.whitfield@meridianfreight.example"}
    with pytest.raises(SalesforceMalformedRequest) as blocked:
        sf.Contact.create(twin)
    assert error_of(blocked)["errorCode"] == "DUPLICATES_DETECTED"
    made = sf.Contact.create(twin, headers={"Sforce-Duplicate-Rule-Header": "allowSave=true"})
    assert made["success"]


def test_composite_with_references(sf: Any) -> None:
    body = {
        "allOrNone": True,
        "compositeRequest": [
            {
                "method": "POST", "url": "/services/data/v60.0/sobjects/Account", "referenceId": "firm",
                "body": {"Name": "Aldgate Cranes"},
            },
            {
                "method": "POST", "url": "/services/data/v60.0/sobjects/Contact", "referenceId": "person",
                "body": {"LastName": "Abara", "AccountId": "@{firm.id}"},
            },
            {
                "method": "GET", "url": "/services/data/v60.0/query?q=SELECT+Name+FROM+Contact+WHERE+AccountId='@{firm.id}'",
                "referenceId": "look",
            },
        ],
    }  # fmt: skip
    answers = (sf.restful("composite", method="POST", json=body) or {})["compositeResponse"]
    assert [a["httpStatusCode"] for a in answers] == [201, 201, 200]
    assert answers[2]["body"]["records"][0]["Name"] == "Abara"


def test_updated_and_deleted(sf: Any) -> None:
    made = sf.Task.create({"Subject": "Short-lived"})["id"]
    span = (datetime(2026, 2, 28, tzinfo=UTC), datetime(2026, 3, 3, tzinfo=UTC))
    assert made in sf.Task.updated(*span)["ids"]
    sf.Task.delete(made)
    assert made in [d["id"] for d in sf.Task.deleted(*span)["deletedRecords"]]
    with pytest.raises(SalesforceMalformedRequest):
        sf.Task.updated(span[1], span[0])


def test_bulk_loads_and_reads(sf: Any) -> None:
    bulk: Any = sf.bulk2
    rows = [{"Name": "Bulk One", "NumberOfEmployees": "12"}, {"Name": "Bulk Two", "NumberOfEmployees": "many"}]
    (done,) = bulk.Account.insert(records=rows, wait=0)
    assert (done["numberRecordsTotal"], done["numberRecordsFailed"]) == (2, 1)
    assert "Bulk One" in bulk.Account.get_successful_records(done["job_id"])
    assert "JSON_PARSER_ERROR" in bulk.Account.get_failed_records(done["job_id"])
    pages = list(bulk.Account.query("SELECT Id, Name, Owner.Name FROM Account WHERE Name LIKE 'Bulk%'", wait=0))
    assert len(pages) == 1
    assert pages[0].splitlines()[0] == '"Id","Name","Owner.Name"'
    several = list(bulk.Contact.query("SELECT Id FROM Contact ORDER BY Name", max_records=40, wait=0))
    assert len(several) > 1
    assert (
        len({line for page in several for line in page.splitlines()[1:]})
        == sf.query("SELECT COUNT() FROM Contact")["totalSize"]
    )
    ids = [line.split(",")[0].strip('"') for line in pages[0].splitlines()[1:]]
    (gone,) = bulk.Account.delete(records=[{"Id": i} for i in ids], wait=0)
    assert gone["numberRecordsFailed"] == 0


def test_leads_convert_by_the_standard_action(sf: Any) -> None:
    lead = sf.Lead.create(
        {"LastName": "Sarkis", "FirstName": "Lena", "Company": "Sarkis Marine", "Email": "lena@sarkismarine.example"}
    )["id"]
    body = {"inputs": [{"leadId": lead, "convertedStatus": "Closed - Converted"}]}
    (made,) = sf.restful("actions/standard/convertLead", method="POST", json=body) or []
    assert made["isSuccess"] is True
    assert sf.Account.get(made["outputValues"]["accountId"])["Name"] == "Sarkis Marine"
    with pytest.raises(SalesforceMalformedRequest) as readonly:
        sf.Lead.update(lead, {"Title": "Owner"})
    assert error_of(readonly)["errorCode"] == "CANNOT_UPDATE_CONVERTED_LEAD"


def test_reports_run(sf: Any) -> None:
    listed = sf.restful("analytics/reports") or []
    pipeline = next(r for r in listed if r["name"] == "Open Opportunities by Stage")
    ran = sf.restful(f"analytics/reports/{pipeline['id']}", params={"includeDetails": "true"}) or {}
    expected = sf.query("SELECT COUNT() FROM Opportunity WHERE IsClosed = false")["totalSize"]
    assert ran["factMap"]["T!T"]["aggregates"][-1]["value"] == expected


def test_an_unknown_path_is_not_found(sf: Any) -> None:
    with pytest.raises((SalesforceResourceNotFound, SalesforceGeneralError)) as missing:
        sf.restful("nothing/here")
    assert missing.value.content == [{"message": "The requested resource does not exist", "errorCode": "NOT_FOUND"}]
