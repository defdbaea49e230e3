"""BambooHR: employees; faces."""

import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from legoenv_mcp.faces.tools import result
from tests.apps.bamboohr.support import BEA, JSON, Bamboo


def test_a_read_has_the_fields_asked_for_and_no_others(bamboo: Bamboo) -> None:
    assert bamboo("get_employee", id=bamboo.bea) == {"id": bamboo.bea}
    read = bamboo(
        "get_employee",
        id=bamboo.bea,
        fields="firstName,2,noSuchField,payRate,status,fullName2,supervisorEId,age,birthday",
    )
    assert read == {
        "id": bamboo.bea,
        "firstName": "Bea",
        "2": "Reed",
        "payRate": "50000.00 GBP",
        "status": "Active",
        "fullName2": "Reed, Bea",
        "supervisorEId": bamboo.alex,
        "age": "35",
        "birthday": "03-03",
    }
    assert bamboo("get_employee", id="0", fields="firstName")["id"] == bamboo.alex
    bamboo.refused(404, "Employee not found", "get_employee", id="999")
    bamboo.refused(400, "400", "get_employee", id=bamboo.bea, fields=",".join(f"f{n}" for n in range(401)))


def test_the_directory_has_who_is_active(bamboo: Bamboo) -> None:
    names = [e["displayName"] for e in bamboo("get_employees_directory")["employees"]]
    assert names == ["Alex Doyle", "Bea Reed"]
    assert bamboo.fields(bamboo.carl, "status", "terminationDate", "employmentHistoryStatus") == {
        "status": "Inactive",
        "terminationDate": "2026-01-30",
        "employmentHistoryStatus": "Terminated",
    }


def test_a_new_employee_needs_both_names_and_an_own_address(bamboo: Bamboo) -> None:
    bamboo.refused(400, "lastName is required", "create_employee", employee={"firstName": "Dee"})
    bamboo.refused(
        409, "work email", "create_employee", employee={"firstName": "D", "lastName": "E", "workEmail": BEA.email}
    )
    bamboo.refused(
        409, "employee number", "create_employee", employee={"firstName": "D", "lastName": "E", "employeeNumber": 11}
    )
    bamboo.refused(
        409, "dateOfBirth", "create_employee", employee={"firstName": "D", "lastName": "E", "dateOfBirth": "3 March"}
    )
    bamboo.refused(409, "gender", "create_employee", employee={"firstName": "D", "lastName": "E", "gender": "x"})
    bamboo.refused(
        409, "country", "create_employee", employee={"firstName": "D", "lastName": "E", "country": "Nowhere"}
    )
    bamboo.refused(400, "jobtitel", "create_employee", employee={"firstName": "D", "lastName": "E", "jobtitel": "x"})
    made = bamboo(
        "create_employee",
        employee={
            "firstName": "Dee",
            "lastName": "Ash",
            "jobTitle": "Diver",
            "department": "finance",
            "hireDate": "2026-04-01",
            "payRate": 30_000,
            "payType": "salary",
            "payPer": "Year",
            "employmentHistoryStatus": "Full-Time",
            "country": "nl",
            "state": "Utah",
        },
    )["id"]
    assert bamboo.fields(made, "jobTitle", "department", "country", "state") == {
        "jobTitle": None,
        "department": None,
        "country": "Netherlands",
        "state": "UT",
    }
    assert bamboo.fields(made, "jobTitle", "department", "payRate", onlyCurrent=False) == {
        "jobTitle": "Diver",
        "department": "Finance",
        "payRate": "30000.00 USD",
    }
    assert made not in {e["id"] for e in bamboo("get_employees_directory")["employees"]}
    assert made in {e["id"] for e in bamboo("get_employees_directory", onlyCurrent=False)["employees"]}
    titles = next(one for one in bamboo("list_list_fields") if one["alias"] == "jobTitle")
    assert "Diver" in {o["name"] for o in titles["options"]}


def test_a_job_title_changes_by_a_row_of_today(bamboo: Bamboo) -> None:
    bamboo("update_employee", id=bamboo.bea, employee={"jobTitle": "Controller", "mobilePhone": "1", "workPhone": ""})
    bamboo("update_employee", id=bamboo.bea, employee={"department": "Legal"})
    rows = bamboo.rows(bamboo.bea, "jobInfo")
    assert [(r["date"], r["jobTitle"], r["department"], r["location"], r["reportsTo"]) for r in rows] == [
        ("2024-02-15", "Analyst", "Finance", "London", "Alex Doyle"),
        ("2026-03-02", "Controller", "Legal", "London", "Alex Doyle"),
    ]
    assert bamboo.fields(bamboo.bea, "mobilePhone", "workPhone") == {"mobilePhone": "1", "workPhone": None}
    bamboo.refused(409, "lastName cannot be empty", "update_employee", id=bamboo.bea, employee={"lastName": ""})
    bamboo.refused(400, "calculated", "update_employee", id=bamboo.bea, employee={"supervisor": "Alex Doyle"})
    bamboo.refused(404, "Employee not found", "update_employee", id="999", employee={"city": "x"})
    before = bamboo.episode.changes()
    assert bamboo.rest("POST", f"/api/v1/employees/{bamboo.bea}", {"age": 3}).status == 403
    assert bamboo.episode.changes() == before


def test_rows_of_the_future_do_not_count_yet(bamboo: Bamboo) -> None:
    row = {
        "startDate": "2026-04-01",
        "rate": {"value": "61000", "currency": "EUR"},
        "type": "Salary",
        "paidPer": "Year",
    }
    bamboo("create_table_row", id=bamboo.bea, table="compensation", row=row)
    assert bamboo.fields(bamboo.bea, "payRate") == {"payRate": "50000.00 GBP"}
    assert bamboo.fields(bamboo.bea, "payRate", onlyCurrent=False) == {"payRate": "61000.00 EUR"}
    bamboo(
        "create_table_row",
        id=bamboo.bea,
        table="employmentStatus",
        row={"date": "2026-03-31", "employmentStatus": "Terminated"},
    )
    assert bamboo.fields(bamboo.bea, "status", "terminationDate") == {"status": "Active", "terminationDate": None}
    bamboo(
        "create_table_row",
        id=bamboo.alex,
        table="employmentStatus",
        row={"date": "2026-03-01", "employmentStatus": "Terminated"},
    )
    assert bamboo.fields(bamboo.alex, "status", "terminationDate") == {
        "status": "Inactive",
        "terminationDate": "2026-03-01",
    }
    assert {u["employeeId"]: u["status"] for u in bamboo("list_users").values()} == {
        int(bamboo.alex): "disabled",
        int(bamboo.bea): "enabled",
        int(bamboo.carl): "disabled",
    }


def test_what_rows_do_not_take(bamboo: Bamboo) -> None:
    def refused(status: int, why: str, table: str, row: dict[str, Any]) -> None:
        bamboo.refused(status, why, "create_table_row", id=bamboo.bea, table=table, row=row)

    refused(404, "does not exist", "noSuchTable", {"date": "2026-01-01"})
    refused(400, "date is required", "jobInfo", {"jobTitle": "Boss"})
    refused(400, "startDate is required", "compensation", {"rate": "5 USD", "startDate": ""})
    refused(400, "is not a field of the table", "jobInfo", {"date": "2026-01-01", "title": "Boss"})
    refused(406, "rate", "compensation", {"startDate": "2026-01-01", "rate": "lots"})
    refused(406, "type", "compensation", {"startDate": "2026-01-01", "type": "Gold"})
    refused(406, "exempt", "compensation", {"startDate": "2026-01-01", "exempt": "Perhaps"})
    refused(406, "date", "jobInfo", {"date": "2026-02-30"})
    refused(406, "is not an employee", "jobInfo", {"date": "2026-01-01", "reportsTo": "Nobody Here"})
    refused(409, "report to themselves", "jobInfo", {"date": "2026-01-01", "reportsTo": bamboo.bea})
    refused(409, "before the hire date", "employmentStatus", {"date": "2020-01-01", "employmentStatus": "Terminated"})
    refused(409, "before the start date", "compensation", {"startDate": "2026-01-02", "endDate": "2026-01-01"})
    bamboo.refused(
        409,
        "reports to them",
        "create_table_row",
        id=bamboo.alex,
        table="jobInfo",
        row={"date": "2026-01-01", "reportsTo": bamboo.bea},
    )


def test_a_row_is_corrected_and_deleted(bamboo: Bamboo) -> None:
    made = bamboo(
        "create_table_row",
        id=bamboo.bea,
        table="contacts",
        row={"name": "Una", "relationship": "Aunt", "primaryContact": "yes"},
    )["id"]
    other = bamboo(
        "create_table_row", id=bamboo.bea, table="emergencyContacts", row={"name": "Ned", "primaryContact": True}
    )["id"]
    assert [(r["name"], r["primaryContact"]) for r in bamboo.rows(bamboo.bea, "contacts")] == [
        ("Una", "No"),
        ("Ned", "Yes"),
    ]
    bamboo("update_table_row", id=bamboo.bea, table="contacts", rowId=made, row={"mobilePhone": "5"})
    assert bamboo.rows(bamboo.bea, "contacts")[0]["mobilePhone"] == "5"
    bamboo.refused(404, "row", "update_table_row", id=bamboo.alex, table="contacts", rowId=made, row={"name": "x"})
    bamboo.refused(
        400, "name is required", "update_table_row", id=bamboo.bea, table="contacts", rowId=made, row={"name": ""}
    )
    assert bamboo("delete_employee_table_row", id=bamboo.bea, table="contacts", rowId=other) == {"success": True}
    gone = bamboo("delete_employee_table_row", id=bamboo.bea, table="contacts", rowId=other)
    assert gone == {"success": False, "error": "The row was not found"}
    for path in (f"/v1_1/employees/{bamboo.bea}/tables/bonus", f"/api/v1_1/employees/{bamboo.bea}/tables/bonus/1"):
        assert (
            bamboo.rest("POST", path, {"date": "2026-02-01", "amount": "100 GBP", "reason": "Referral"}).status == 200
        )
    assert bamboo.fields(bamboo.bea, "bonusAmount", "bonusDate") == {
        "bonusAmount": "100.00 GBP",
        "bonusDate": "2026-02-01",
    }
    assert bamboo("get_employee_table_data", id="all", table="bonus")[0]["employeeId"] == bamboo.bea


def test_what_changed_since(bamboo: Bamboo) -> None:
    assert bamboo("get_changed_employee_ids", since="2026-03-01T00:00:00Z")["employees"] == {}
    bamboo("create_table_row", id=bamboo.bea, table="bonus", row={"date": "2026-03-01", "amount": 5})
    found = bamboo("get_changed_employee_ids", since="2026-03-01T00:00:00Z")
    assert found == {
        "latest": "2026-03-02T09:00:01+00:00",
        "employees": {bamboo.bea: {"id": bamboo.bea, "action": "Updated", "lastChanged": "2026-03-02T09:00:01+00:00"}},
    }
    assert bamboo("get_changed_employee_ids", since="2026-03-01", type="inserted")["employees"] == {}
    bamboo.refused(400, "since", "get_changed_employee_ids", since="yesterday")


def test_employees_are_listed_by_filters_sorts_and_pages(bamboo: Bamboo) -> None:
    def ids(**arguments: Any) -> list[str]:
        return [e["employeeId"] for e in bamboo("list_employees", **arguments)["data"]]

    assert ids(filter={"lastName": "REED"}) == [bamboo.bea]
    assert ids(filter={"status": "inactive"}) == [bamboo.carl]
    assert ids(filter={"jobTitleName": "analy"}, fields="departmentName") == [bamboo.bea]
    assert ids(filter={"ids": [int(bamboo.alex), 999]}) == [bamboo.alex]
    assert ids(sort="-lastName") == [bamboo.carl, bamboo.bea, bamboo.alex]
    first = bamboo("list_employees", sort="lastName", page={"limit": 2})
    cursor = first["meta"]["page"]["nextCursor"]
    second = bamboo("list_employees", sort="lastName", page={"limit": 2, "after": cursor})
    assert [e["lastName"] for e in [*first["data"], *second["data"]]] == ["Doyle", "Reed", "Stone"]
    assert "nextCursor" not in second["meta"]["page"]
    back = bamboo("list_employees", sort="lastName", page={"limit": 2, "before": second["meta"]["page"]["prevCursor"]})
    assert back["data"] == first["data"]
    reply = bamboo.rest("GET", "/api/v1/employees", None, JSON, **{"page[after]": "x"})
    assert (reply.status, reply.body["error"]["code"]) == (400, "BadPage")
    reply = bamboo.rest("GET", "/api/v1/employees", sort="salary")
    assert (reply.status, reply.body["error"]["code"]) == (400, "BadRequest")
    reply = bamboo.rest(
        "GET", "/api/v1/employees", None, JSON, **{"filter[ids][]": bamboo.bea, "fields": "reportsToName,locationId"}
    )
    assert [(e["reportsToName"], e["locationId"] is not None) for e in reply.body["data"]] == [("Alex Doyle", True)]


def test_the_link_to_the_next_page_keeps_what_was_asked(bamboo: Bamboo) -> None:
    ask = {
        "sort": "-lastName",
        "fields": "hireDate",
        "filter[ids]": f"{bamboo.alex},{bamboo.bea},999",
        "page[limit]": "1",
    }
    first = bamboo.rest("GET", "/api/v1/employees", None, JSON, **ask).body
    assert [e["lastName"] for e in first["data"]] == ["Reed"]
    url = urlsplit(first["_links"]["next"]["href"])
    assert url.path == "/api/v1/employees"
    second = bamboo.rest("GET", url.path, None, JSON, **dict(parse_qsl(url.query))).body
    assert [(e["lastName"], "hireDate" in e) for e in second["data"]] == [("Doyle", True)]
    assert list(second["_links"]) == ["self", "prev"]
    url = urlsplit(second["_links"]["prev"]["href"])
    assert bamboo.rest("GET", url.path, None, JSON, **dict(parse_qsl(url.query))).body["data"] == first["data"]


def test_xml_unless_json_is_accepted(bamboo: Bamboo) -> None:
    path = f"/api/gateway.php/brightwater/v1/employees/{bamboo.bea}"
    reply = bamboo.rest("GET", path, headers={}, fields="firstName,middleName")
    assert reply.media_type.startswith("text/xml")
    assert (
        f'<employee id="{bamboo.bea}"><field id="firstName">Bea</field><field id="middleName"/></employee>'
        in reply.body
    )
    assert bamboo.rest("GET", path, fields="firstName").body == {"id": bamboo.bea, "firstName": "Bea"}
    for leaf in (
        "meta/fields",
        "meta/tables",
        "meta/lists",
        "meta/users",
        "meta/time_off/types",
        "meta/time_off/policies",
        "files/view",
        "employees/directory",
        f"employees/{bamboo.bea}/files/view",
        f"employees/{bamboo.bea}/time_off/calculator",
        "time_off/whos_out",
        f"employees/{bamboo.bea}/tables/jobInfo",
    ):
        assert bamboo.rest("GET", f"/v1/{leaf}/", headers={"accept": "*/*"}).body.startswith("<?xml"), leaf
    for leaf, query in (
        ("time_off/requests", {"start": "2026-01-01", "end": "2026-12-31"}),
        ("employees/changed", {"since": "2020-01-01"}),
        ("employees/changed/tables/jobInfo", {"since": "2020-01-01"}),
    ):
        assert bamboo.rest("GET", f"/v1/{leaf}", headers={}, **query).body.startswith("<?xml"), leaf


def test_errors_are_in_a_header_and_told_to_agents(bamboo: Bamboo) -> None:
    reply = bamboo.rest("GET", "/api/v1/employees/999")
    assert (reply.status, reply.body) == (404, "")
    assert reply.headers["X-BambooHR-Error-Message"] == "Employee not found"
    told = result(bamboo.live.call("get_employee", {"id": "999"}))
    assert told["isError"]
    assert json.loads(told["content"][0]["text"]) == {"status": 404, "error": "Employee not found"}
    assert bamboo.rest("GET", "/api/v1/no/such").status == 404
    assert bamboo.rest("POST", "/api/v1/employees", b"{", {"content-type": "application/json"}).status == 400


@pytest.mark.parametrize(
    "body",
    [
        b"<employee>",
        b"<row/>",
        b"x",
        b'<!DOCTYPE a [<!ENTITY b "c">]><employee/>',
        b"<employee><field>x</field></employee>",
    ],
)
def test_documents_that_are_none_are_refused(bamboo: Bamboo, body: bytes) -> None:
    for kind in ({}, {"content-type": "application/xml"}, {"content-type": "text/xml"}):
        reply = bamboo.rest("POST", "/api/v1/employees", body, kind)
        assert (reply.status, reply.error) == (400, True)
    assert bamboo.episode.changes() == []


def test_bodies_may_be_xml(bamboo: Bamboo) -> None:
    """Also those that are no employee, row or report: https://documentation.bamboohr.com/reference/create-time-off-request"""

    def put(path: str, document: str, kind: str = "application/xml") -> Any:
        return bamboo.rest("PUT", f"/api/v1/{path}", document.encode(), {"content-type": kind})

    request = (
        "<request><status>requested</status><start>2026-05-04</start><end>2026-05-05</end><timeOffTypeId>78</timeOffTypeId><amount/>"
        '<notes><note from="employee">Dentist &amp; garden</note></notes>'
        '<dates><date ymd="2026-05-04" amount="0.5"/><date ymd="2026-05-05" amount="1"/></dates></request>'
    )
    made = put(f"employees/{bamboo.bea}/time_off/request", request)
    assert made.status == 201
    key = int(made.headers["Location"].rpartition("=")[2])
    assert (
        put(f"time_off/requests/{key}/status", "<request><status>approved</status><note>Fine</note></request>").status
        == 200
    )
    found = bamboo("list_time_off_requests", start="2026-05-01", end="2026-05-31", id=key)[0]
    assert found["notes"] == {"employee": "Dentist & garden", "manager": "Fine"}
    assert (found["dates"], found["status"]["status"]) == ({"2026-05-04": 0.5, "2026-05-05": 1}, "approved")
    before = float(bamboo.balance())
    more = "<adjustment><date>2026-03-01</date><timeOffTypeId>78</timeOffTypeId><amount>-2</amount></adjustment>"
    assert put(f"employees/{bamboo.bea}/time_off/balance_adjustment", more).status == 201
    assert float(bamboo.balance()) == before - 2
    assert put("meta/lists/4", "<options><option>Research</option></options>", "text/xml").status == 200
    assert "Research" in {o["name"] for one in bamboo("list_list_fields") for o in one["options"]}
    changes = bamboo.episode.changes()
    for bad in (
        "<request>",
        "no",
        "<request><status>gone</status></request>",
        '<!DOCTYPE a [<!ENTITY b "c">]><request/>',
    ):
        assert put(f"time_off/requests/{key}/status", bad).status == 400
    assert bamboo.episode.changes() == changes
