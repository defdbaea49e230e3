"""Salesforce: SOQL; search."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from legoenv_mcp.capabilities.crm import Deal
from tests.apps.salesforce.support import BASE, Salesforce

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
