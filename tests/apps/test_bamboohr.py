"""The BambooHR app through its public faces: dated rows, time off, metadata, files, reports, goals, training, hiring, timesheets."""

import json
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.hr import Employment, TimeOff
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.faces.tools import result
from legoenv_mcp.kernel.context import Request
from legoenv_mcp.testing import episode_of

BEA = Person(
    key="bea",
    first_name="Bea",
    last_name="Reed",
    email="bea@brightwater.example",
    handle="bea",
    title="Analyst",
    department="Finance",
    manager="alex.doyle",
    phone="+44 20 7946 0001",
    city="London",
    country="GB",
    start_date="2024-02-15",
)
CARL = Person(
    key="carl",
    first_name="Carl",
    last_name="Stone",
    email="carl@brightwater.example",
    handle="carl",
    title="Clerk",
    department="Sales",
    start_date="2020-01-06",
    active=False,
)
ENTITIES: list[Entity] = [
    BEA,
    CARL,
    Employment(key="e1", person="bea", number=11, pay=50_000, currency="GBP", born="1990-03-03"),
    Employment(
        key="e2", person="carl", number=12, pay=40_000, currency="USD", kind="part_time", terminated="2026-01-30"
    ),
    TimeOff(
        key="t1",
        person="bea",
        first_day="2026-03-05",
        last_day="2026-03-10",
        status="requested",
        created="2026-02-20T10:00:00Z",
    ),
    TimeOff(
        key="t2",
        person="bea",
        first_day="2026-02-09",
        last_day="2026-02-10",
        status="approved",
        created="2026-01-20T10:00:00Z",
    ),
]
VACATION, SICK, UNPAID = 78, 79, 81
JSON = {"accept": "application/json"}


class Bamboo:
    """An account as an agent and as a program sees it. Its day is 2026-03-02."""

    def __init__(self) -> None:
        self.episode = episode_of("bamboohr", ENTITIES)
        self.live = self.episode.app("bamboohr")
        self.refs = self.live.template.refs
        self.alex, self.bea, self.carl = (self.refs["people.Person"][k] for k in ("alex.doyle", "bea", "carl"))

    def __call__(self, tool: str, /, **arguments: Any) -> Any:
        reply = self.live.call(tool, arguments)
        assert not reply.error, (tool, reply.shown)
        return reply.body

    def refused(self, status: int, why: str, tool: str, /, **arguments: Any) -> None:
        before = self.episode.changes()
        reply = self.live.call(tool, arguments)
        assert reply.status == status, (tool, reply.status, reply.shown or reply.body)
        assert why in str(reply.shown), reply.shown
        assert why.lower() in reply.headers["X-BambooHR-Error-Message"].lower()
        assert self.episode.changes() == before

    def rest(self, method: str, path: str, body: Any = None, headers: dict[str, str] = JSON, **query: Any) -> Any:
        url = path + (f"?{urlencode(query)}" if query else "")
        sent = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        kind = {} if body is None or isinstance(body, bytes) else {"content-type": "application/json"}
        return handle(
            self.live,
            Request(method, path, url, {k: str(v) for k, v in query.items()}, {**kind, **headers}, "http://x"),
            sent,
        )

    def fields(self, key: str, *names: str, **more: Any) -> dict[str, Any]:
        found = self("get_employee", id=key, fields=",".join(names), **more)
        return {name: found.get(name) for name in names}

    def rows(self, key: str, table: str) -> list[dict[str, Any]]:
        return self("get_employee_table_data", id=key, table=table)

    def balance(self, end: str = "2026-03-02", kind: int = VACATION) -> str:
        found = self("get_time_off_balance", employeeId=self.bea, end=end)
        return next(b["balance"] for b in found if b["timeOffType"] == str(kind))


@pytest.fixture
def bamboo() -> Bamboo:
    return Bamboo()


# Employees


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


# Faces


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


# Time off


def test_a_request_takes_working_days(bamboo: Bamboo) -> None:
    made = bamboo(
        "create_time_off_request",
        employeeId=bamboo.bea,
        status="requested",
        start="2026-12-24",
        end="2026-12-28",
        timeOffTypeId=VACATION,
    )
    assert made["amount"] == {"unit": "days", "amount": 2}
    assert made["status"]["status"] == "requested"
    half = bamboo(
        "create_time_off_request",
        employeeId=bamboo.bea,
        status="approved",
        start="2026-05-04",
        end="2026-05-05",
        timeOffTypeId=SICK,
        dates=[{"ymd": "2026-05-05", "amount": 0.5}],
        notes=[{"from": "employee", "note": "Dentist"}],
    )
    assert (half["dates"], half["notes"]) == ({"2026-05-04": 0, "2026-05-05": 0.5}, {"employee": "Dentist"})

    def refused(code: int, why: str, /, **changes: Any) -> None:
        usual = {
            "employeeId": bamboo.bea,
            "status": "requested",
            "start": "2026-05-04",
            "end": "2026-05-05",
            "timeOffTypeId": VACATION,
        }
        bamboo.refused(code, why, "create_time_off_request", **{**usual, **changes})

    refused(400, "on or after the start", end="2026-05-03")
    refused(400, "Invalid time off type", timeOffTypeId=5)
    refused(404, "Employee not found", employeeId="999")
    refused(400, "no working day", start="2026-05-02", end="2026-05-03")
    refused(400, "not between", dates=[{"ymd": "2026-05-06", "amount": 1}])
    refused(400, "from 0 to 1 days", dates=[{"ymd": "2026-05-05", "amount": 2}])
    refused(400, "Invalid previous request", previousRequest=99)
    refused(400, "status", status="canceled")


def test_a_request_takes_the_place_of_another(bamboo: Bamboo) -> None:
    old = int(bamboo.refs["hr.TimeOff"]["t1"])
    bamboo(
        "create_time_off_request",
        employeeId=bamboo.bea,
        status="requested",
        start="2026-03-06",
        end="2026-03-06",
        timeOffTypeId=VACATION,
        previousRequest=old,
    )
    listed = bamboo("list_time_off_requests", start="2026-03-01", end="2026-03-31")
    assert {r["id"]: r["status"]["status"] for r in listed}[old] == "superceded"
    bamboo.refused(403, "cannot be approved", "update_time_off_request_status", requestId=old, status="approved")


_ALLOWED = {("requested", "approved"), ("requested", "denied"), ("requested", "canceled"), ("approved", "canceled")}


@pytest.mark.parametrize("start", ["requested", "approved", "denied", "canceled"])
@pytest.mark.parametrize(
    ("asked", "becomes"),
    [("approved", "approved"), ("declined", "denied"), ("denied", "denied"), ("cancelled", "canceled")],
)
def test_where_a_request_may_go(bamboo: Bamboo, start: str, asked: str, becomes: str) -> None:
    key = int(bamboo.refs["hr.TimeOff"]["t1"])
    if start != "requested":
        bamboo("update_time_off_request_status", requestId=key, status=start)
    if (start, becomes) not in _ALLOWED:
        bamboo.refused(403, f"is {start}", "update_time_off_request_status", requestId=key, status=asked)
        return
    bamboo("update_time_off_request_status", requestId=key, status=asked, note="So be it")
    one = bamboo("list_time_off_requests", start="2026-03-01", end="2026-03-31", id=key)[0]
    assert (one["status"]["status"], one["notes"]["manager"], one["status"]["lastChanged"]) == (
        becomes,
        "So be it",
        "2026-03-02",
    )


def test_requests_are_listed_by_what_they_are(bamboo: Bamboo) -> None:
    def ids(**more: Any) -> list[int]:
        return [
            r["id"] for r in bamboo("list_time_off_requests", **{"start": "2026-01-01", "end": "2026-12-31", **more})
        ]

    first, second = (int(bamboo.refs["hr.TimeOff"][k]) for k in ("t1", "t2"))
    assert ids() == [second, first]
    assert ids(status="approved,denied") == ids(end="2026-03-04") == [second]
    assert ids(start="2026-03-10") == ids(action="approve") == [first]
    assert ids(type="79") == ids(action="myRequests") == ids(employeeId=int(bamboo.alex)) == []
    bamboo.refused(400, "end is not a valid date", "list_time_off_requests", start="2026-01-01", end="soon")
    assert ids(status="declined") == []
    year = {"start": "2026-01-01", "end": "2026-12-31"}
    bamboo.refused(400, "no status pending. There are: requested", "list_time_off_requests", status="pending", **year)
    assert bamboo.rest("GET", "/api/v1/time_off/requests", status="pending", **year).body == []  # pyright: ignore[reportArgumentType]
    bamboo.refused(400, "enabled", "list_users", status="inactive")
    bamboo.refused(404, "does not exist", "update_time_off_request_status", requestId=999, status="approved")
    assert [o["name"] for o in bamboo("list_whos_out", start="2026-02-09", end="2026-02-09")] == ["Bea Reed"]
    assert [o["type"] for o in bamboo("list_whos_out", start="2026-12-20", end="2026-12-31")] == ["holiday"]
    assert bamboo("list_whos_out") == []


def test_balances_accrue_and_are_used_and_adjusted(bamboo: Bamboo) -> None:
    assert bamboo.balance() == "4.25"  # three firsts of a month at 25 / 12, less two days
    assert bamboo.balance("2026-12-31") == "23.00"
    assert bamboo.balance("2026-02-08") == "4.17"
    key = int(bamboo.refs["hr.TimeOff"]["t1"])
    bamboo("update_time_off_request_status", requestId=key, status="approved")
    assert (bamboo.balance(), bamboo.balance("2026-03-10")) == ("4.25", "0.25")
    bamboo(
        "adjust_time_off_balance",
        employeeId=bamboo.bea,
        date="2026-03-01",
        timeOffTypeId=VACATION,
        amount=-1.5,
        note="Sold",
    )
    assert bamboo.balance() == "2.75"
    used = {"date": "2026-03-02", "timeOffRequestId": key}
    path = f"/api/v1/employees/{bamboo.bea}/time_off/history"
    assert bamboo.rest("PUT", path, used).status == 201
    assert bamboo.balance() == "-1.25"
    assert bamboo.rest("PUT", path, used).status == 409
    assert (
        bamboo.rest(
            "PUT", path, {"date": "2026-03-02", "eventType": "override", "timeOffTypeId": VACATION, "amount": 1}
        ).status
        == 201
    )
    bamboo.refused(
        400,
        "discretionary",
        "adjust_time_off_balance",
        employeeId=bamboo.bea,
        date="2026-03-01",
        timeOffTypeId=UNPAID,
        amount=1,
    )
    bamboo.refused(
        400, "date", "adjust_time_off_balance", employeeId=bamboo.bea, date="x", timeOffTypeId=VACATION, amount=1
    )


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.integers(-400, 400), max_size=4), st.integers(1, 5))
def test_a_balance_is_what_accrued_and_was_adjusted_less_what_is_used(adjustments: list[int], days: int) -> None:
    bamboo = Bamboo()
    start = float(bamboo.balance("2026-06-30"))
    for amount in adjustments:
        bamboo(
            "adjust_time_off_balance",
            employeeId=bamboo.bea,
            date="2026-06-01",
            timeOffTypeId=VACATION,
            amount=amount / 4,
        )
    last = f"2026-06-{7 + days:02}"
    made = bamboo(
        "create_time_off_request",
        employeeId=bamboo.bea,
        status="approved",
        start="2026-06-08",
        end=last,
        timeOffTypeId=VACATION,
    )
    assert made["amount"]["amount"] == days
    assert float(bamboo.balance("2026-06-30")) == pytest.approx(start + sum(adjustments) / 4 - days, abs=0.011)
    bamboo("update_time_off_request_status", requestId=made["id"], status="canceled")
    assert float(bamboo.balance("2026-06-30")) == pytest.approx(start + sum(adjustments) / 4, abs=0.011)


def test_policies_are_assigned_one_a_type(bamboo: Bamboo) -> None:
    policies = {p["name"]: p["id"] for p in bamboo("list_time_off_policies")}
    sick = policies["Sick Full-Time"]
    left = bamboo(
        "assign_time_off_policies",
        employeeId=bamboo.bea,
        policies=[{"timeOffPolicyId": sick, "accrualStartDate": None}],
    )
    assert len(left) == 3
    bamboo.refused(
        400,
        "does not have",
        "assign_time_off_policies",
        employeeId=bamboo.bea,
        policies=[{"timeOffPolicyId": sick, "accrualStartDate": None}],
    )
    bamboo.refused(
        400,
        "no policy",
        "adjust_time_off_balance",
        employeeId=bamboo.bea,
        date="2026-03-01",
        timeOffTypeId=SICK,
        amount=1,
    )
    back = bamboo.rest(
        "PUT",
        f"/v1/employees/{bamboo.bea}/time_off/policies",
        [{"timeOffPolicyId": sick, "accrualStartDate": "2026-03-01"}],
    )
    assert len(back.body) == 2
    assert bamboo.balance(kind=SICK) == "0.83"
    assert len(bamboo("list_employee_time_off_policies", employeeId=bamboo.bea)) == 4
    bamboo.refused(
        400,
        "does not exist",
        "assign_time_off_policies",
        employeeId=bamboo.bea,
        policies=[{"timeOffPolicyId": 5, "accrualStartDate": None}],
    )


# Lists, files, reports, datasets


def test_options_are_added_renamed_and_archived(bamboo: Bamboo) -> None:
    def options(alias: str) -> dict[str, int]:
        return {
            o["name"]: o["id"]
            for o in next(one for one in bamboo("list_list_fields") if one["alias"] == alias)["options"]
        }

    finance = options("department")["Finance"]
    bamboo("update_list_field_values", listFieldId=4, options=[{"id": finance, "value": "Money"}, {"value": "Space"}])
    assert bamboo.fields(bamboo.bea, "department") == {"department": "Money"}
    bamboo.refused(409, "already has", "update_list_field_values", listFieldId=4, options=[{"value": "space"}])
    bamboo.refused(404, "does not exist", "update_list_field_values", listFieldId=4, options=[{"id": 1, "value": "x"}])
    bamboo.refused(404, "does not exist", "update_list_field_values", listFieldId=5, options=[{"value": "x"}])
    bamboo.refused(403, "not editable", "update_list_field_values", listFieldId=4030, options=[{"value": "x"}])
    bamboo(
        "update_list_field_values", listFieldId=4, options=[{"id": options("department")["Space"], "archived": "yes"}]
    )
    bamboo.refused(409, "archived", "update_employee", id=bamboo.bea, employee={"department": "Space"})
    assert bamboo.rest("PUT", "/v1/meta/lists/4", {"options": [{"value": "Sea"}]}).body.startswith("<?xml")
    assert len(bamboo.rest("GET", "/v1/meta/countries/options").body) > 180
    assert bamboo.rest("GET", "/v1/meta/provinces/9999").status == 400
    assert bamboo("list_tabular_fields")[0]["alias"] == "jobInfo"
    assert bamboo.rest("GET", "/v1/company_information").body["displayName"] == "Brightwater"


def test_files_live(bamboo: Bamboo) -> None:
    section = bamboo("list_employee_files", id=bamboo.bea)["categories"][0]["id"]
    made = bamboo("upload_employee_file", id=bamboo.bea, fileName="cv.txt", category=section, content="Bea's life")[
        "id"
    ]
    assert bamboo("get_employee_file", id=bamboo.bea, fileId=made) == b"Bea's life"
    bamboo.refused(404, "file", "get_employee_file", id=bamboo.alex, fileId=made)
    other = bamboo("list_employee_files", id=bamboo.bea)["categories"][1]["id"]
    assert (
        bamboo.rest(
            "POST",
            f"/v1/employees/{bamboo.bea}/files/{made}",
            {"name": "CV", "categoryId": other, "shareWithEmployees": "yes"},
        ).status
        == 200
    )
    shown = bamboo("list_employee_files", id=bamboo.bea)["categories"][1]["files"][0]
    assert (shown["name"], shown["shareWithEmployee"], shown["createdBy"]) == ("CV", "yes", "Alex Doyle")
    company = bamboo("list_company_files")["categories"][0]["id"]
    bamboo.refused(
        404, "category", "upload_employee_file", id=bamboo.bea, fileName="a.txt", category=company, content="x"
    )
    bamboo.refused(
        400, "extension", "upload_employee_file", id=bamboo.bea, fileName="a.exe", category=section, content="x"
    )
    bamboo.refused(400, "missing", "upload_employee_file", id=bamboo.bea, fileName="a.txt", category=section)
    bamboo.refused(400, "empty", "upload_company_file", fileName="a.txt", category=company, content="")
    policy = bamboo("upload_company_file", fileName="policy.md", category=company, content="# Be kind", share="yes")[
        "id"
    ]
    assert bamboo("get_company_file", fileId=policy) == b"# Be kind"
    assert bamboo.rest("POST", f"/v1/files/{policy}", {"name": "Kindness", "categoryId": str(company)}).status == 200
    assert bamboo.rest("POST", f"/v1/files/{policy}", {"categoryId": section}).status == 404
    assert bamboo.rest("DELETE", f"/v1/files/{policy}").status == 200
    bamboo("delete_employee_file", id=bamboo.bea, fileId=made)
    bamboo.refused(404, "file", "delete_employee_file", id=bamboo.bea, fileId=made)
    for place in ("employees/files", "files"):
        assert bamboo.rest("POST", f"/v1/{place}/categories", ["Visas"]).status == 201
        assert bamboo.rest("POST", f"/v1/{place}/categories", ["visas"]).status == 400
        assert bamboo.rest("POST", f"/v1/{place}/categories", []).status == 200


def test_photos(bamboo: Bamboo) -> None:
    def send(width: int, height: int, start: bytes = b"\x89PNG\r\n\x1a\n") -> int:
        image = start + b"\0\0\0\rIHDR" + width.to_bytes(4) + height.to_bytes(4) + b"\x08"
        body = (
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="p.png"\r\nContent-Type: image/png\r\n\r\n'
            + image
            + b"\r\n--b--\r\n"
        )
        return bamboo.rest(
            "POST", f"/v1/employees/{bamboo.bea}/photo", body, {"content-type": "multipart/form-data; boundary=b"}
        ).status

    assert (send(200, 100), send(100, 100), send(200, 200, b"x")) == (415, 415, 415)
    assert bamboo.rest("GET", f"/v1/employees/{bamboo.bea}/photo/small").status == 404
    assert send(200, 200) == send(300, 300) == 201
    photo = bamboo.rest("GET", f"/v1/employees/{bamboo.bea}/photo/small")
    assert (photo.status, photo.media_type, photo.body[:4]) == (200, "image/jpeg", b"\x89PNG")
    assert bamboo.rest("POST", f"/v1/employees/{bamboo.bea}/photo").status == 400


def test_reports(bamboo: Bamboo) -> None:
    report = {"title": "Pay", "fields": ["lastName", "19", "nonsense"], "filters": {"employeeIds": [int(bamboo.bea)]}}
    made = bamboo("request_custom_report", report=report)
    assert made["employees"] == [{"id": bamboo.bea, "lastName": "Reed", "19": "50000.00 GBP"}]
    assert len(bamboo("request_custom_report", report={"fields": ["status"]})["employees"]) == 3
    changed = {"fields": ["lastName"], "filters": {"lastChanged": {"value": "2026-02-01T00:00:00Z"}}}
    assert bamboo("request_custom_report", report=changed)["employees"] == []
    csv = bamboo("request_custom_report", report={"fields": ["lastName", "hireDate"]}, format="csv")
    assert csv.splitlines()[:2] == ["Last Name,Hire Date", "Doyle,2023-05-01"]
    assert '<field id="lastName">Doyle</field>' in bamboo(
        "request_custom_report", report={"fields": ["lastName"]}, format="xml"
    )
    bamboo.refused(404, "pdf", "request_custom_report", report={"fields": ["lastName"]}, format="pdf")
    saved = {r["name"]: r["id"] for r in bamboo("list_reports")["reports"]}
    page = bamboo("get_report_by_id", reportId=saved["Hires and Departures"], page=9, page_size=2)
    assert (len(page["data"]), page["pagination"]["current_page"], page["pagination"]["total_pages"]) == (1, 2, 2)
    assert bamboo.rest("GET", "/v1/custom-reports/5").body == {"error": {"code": 404, "message": "Report not found"}}


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("status eq 'Active'", ["Doyle", "Reed"]),
        ("status ne 'Active' or department in ('Finance', 'Legal')", ["Reed", "Stone"]),
        ("not (status eq 'Active') and hireDate lt '2021-01-01'", ["Stone"]),
        ("payRate gt 40000", ["Reed"]),
        ("payRate ge 40000 and payRate le 50000", ["Reed", "Stone"]),
        ("payRate eq null", ["Doyle"]),
        ("employeeNumber in (11, 12) AND (department eq 'sales' OR lastName eq 'O''Hara')", ["Stone"]),
        ("", ["Doyle", "Reed", "Stone"]),
    ],
)
def test_datasets_are_filtered(bamboo: Bamboo, expression: str, names: list[str]) -> None:
    found = bamboo(
        "get_data_from_dataset", datasetName="employee", fields=["lastName"], filter=expression, orderBy="lastName asc"
    )
    assert [row["fields"]["lastName"] for row in found["data"]] == names


@pytest.mark.parametrize(
    "expression",
    [
        "status",
        "status eq",
        "status like 'x'",
        "(status eq 'a'",
        "noSuch eq 1",
        "startswith(lastName, 'R')",
        "1 eq 1",
        "'",
    ],
)
def test_filters_that_are_none_are_refused(bamboo: Bamboo, expression: str) -> None:
    reply = bamboo.live.call(
        "get_data_from_dataset", {"datasetName": "employee", "fields": ["lastName"], "filter": expression}
    )
    assert (reply.status, reply.body["status"]) == (422, 422)


def test_datasets_are_described_sorted_and_paged(bamboo: Bamboo) -> None:
    ask = {"datasetName": "employee", "fields": ["lastName", "payRate"]}
    first = bamboo("get_data_from_dataset", **ask, orderBy="payRate desc", pageSize=2)
    second = bamboo("get_data_from_dataset", **ask, orderBy="payRate desc", pageSize=2, page=2)
    assert [r["fields"]["lastName"] for r in [*first["data"], *second["data"]]] == ["Reed", "Stone", "Doyle"]
    assert first["meta"] == {"page": 1, "pageSize": 2, "totalPages": 2, "totalItems": 3}
    bamboo.refused(422, "Cannot sort", "get_data_from_dataset", **ask, orderBy="hireDate")
    bamboo.refused(404, "does not exist", "get_data_from_dataset", datasetName="pets", fields=["x"])
    assert "jobTitle" in {f["name"] for f in bamboo("get_fields_from_dataset", datasetName="employee")["fields"]}
    options = bamboo.rest(
        "POST", "/api/v1_2/datasets/employee/field-options", {"fields": ["status", "department"]}
    ).body
    assert options["status"] == [{"id": "Active", "value": "Active"}, {"id": "Inactive", "value": "Inactive"}]
    assert bamboo.rest("GET", "/api/v1_2/datasets").body == {"datasets": [{"name": "employee", "label": "Employee"}]}


# Goals, training, hiring, webhooks, timesheets


def test_a_goal_lives(bamboo: Bamboo) -> None:
    bea = int(bamboo.bea)
    usual = {"employeeId": bamboo.bea, "title": "Close faster", "dueDate": "2026-06-30", "sharedWithEmployeeIds": [bea]}
    bamboo.refused(400, "owner", "create_goal", **{**usual, "sharedWithEmployeeIds": [int(bamboo.alex)]})
    bamboo.refused(400, "dueDate", "create_goal", **{**usual, "dueDate": "June"})
    bamboo.refused(400, "only valid", "create_goal", **usual, percentComplete=50, completionDate="2026-01-01")
    key = bamboo("create_goal", **usual, percentComplete=20)["goal"]["id"]
    at = {"employeeId": bamboo.bea, "goalId": key}
    bamboo.refused(400, "completionDate is required", "update_goal_progress", **at, percentComplete=100)
    assert (
        bamboo("update_goal_progress", **at, percentComplete=100, completionDate="2026-03-01")["goal"]["status"]
        == "completed"
    )
    bamboo.refused(400, "not associated", "update_goal_progress", employeeId=bamboo.alex, goalId=key, percentComplete=5)
    bamboo.refused(404, "goal", "update_goal_progress", employeeId=bamboo.bea, goalId="999", percentComplete=5)
    bamboo("create_goal_comment", **at, text="Well done")
    bamboo.refused(400, "blank", "create_goal_comment", **at, text=" ")
    bamboo("close_goal", **at, comment="Over")
    assert [c["text"] for c in bamboo("list_goal_comments", **at)["comments"]] == ["Well done", "Over"]
    bamboo.refused(403, "closed", "close_goal", **at)
    bamboo.refused(403, "closed", "update_goal", **at, **{k: v for k, v in usual.items() if k != "employeeId"})
    assert bamboo("list_goals", employeeId=bamboo.bea)["goals"] == []
    assert len(bamboo("list_goals", employeeId=bamboo.bea, filter="status-closed")["goals"]) == 1
    path = f"/v1/performance/employees/{bamboo.bea}/goals/{key}"
    assert bamboo.rest("POST", f"{path}/reopen").body["goal"]["status"] == "completed"
    assert bamboo.rest("POST", f"{path}/reopen").status == 403
    steps = {
        "title": "Faster",
        "dueDate": "2026-07-01",
        "sharedWithEmployeeIds": [bea],
        "milestonesEnabled": True,
        "milestones": [{"title": "a"}, {"title": "b"}],
    }
    goal = bamboo("update_goal", **at, **steps)["goal"]
    assert (goal["percentComplete"], len(goal["milestones"])) == (0, 2)
    bamboo.refused(400, "milestones", "update_goal_progress", **at, percentComplete=5)
    one = goal["milestones"][0]["id"]
    assert (
        bamboo.rest("PUT", f"{path}/milestones/{one}/progress", {"complete": True}).body["goal"]["percentComplete"]
        == 50
    )
    assert bamboo.rest("PUT", f"{path}/milestones/999/progress", {"complete": True}).status == 404
    whole = bamboo.rest("GET", f"{path}/aggregate").body
    assert {p["employeeId"] for p in whole["persons"]} == {bea, int(bamboo.alex)}
    bamboo("delete_goal", **at)
    bamboo.refused(404, "goal", "delete_goal", **at)


def test_trainings(bamboo: Bamboo) -> None:
    bamboo.refused(400, "needs a frequency", "create_training_type", name="Fire", renewable=True)
    bamboo.refused(400, "dueFromHireDate", "create_training_type", name="Fire", dueFromHireDate=5)
    kind = bamboo("create_training_type", name="Fire", renewable=True, frequency=12, category={"name": "Safety"})
    assert kind["category"] == {"id": 1, "name": "Safety"}
    made = bamboo(
        "create_employee_training_record",
        employeeId=bamboo.bea,
        type=kind["id"],
        completed="2026-02-01",
        hours=1.5,
        cost={"currency": "GBP", "amount": "20"},
    )
    assert (made["hours"], made["cost"]) == ("1.5", "20.00 GBP")
    bamboo.refused(
        400, "training type", "create_employee_training_record", employeeId=bamboo.bea, type=9, completed="2026-02-01"
    )
    bamboo.refused(
        400, "completed", "create_employee_training_record", employeeId=bamboo.bea, type=kind["id"], completed="x"
    )
    assert list(bamboo("list_employee_trainings", employeeId=bamboo.bea)) == [str(made["id"])]
    assert bamboo("list_employee_trainings", employeeId=bamboo.alex) == []
    assert (
        bamboo.rest("PUT", f"/v1/training/record/{made['id']}", {"completed": "2026-02-02", "notes": "ok"}).status
        == 201
    )
    own = f"/v1/training/type/{kind['id']}"
    assert bamboo.rest("DELETE", own).status == 400
    assert bamboo.rest("PUT", own, {"renewable": False}).body["renewable"] is False
    assert bamboo.rest("DELETE", f"/v1/training/record/{made['id']}").status == 200
    assert bamboo.rest("DELETE", own).status == 200
    assert bamboo("list_training_types") == {}
    assert bamboo.rest("POST", "/v1/training/category", {"name": "safety"}).status == 400
    assert bamboo.rest("POST", "/v1/training/category", {"name": "Law"}).status == 201
    assert bamboo.rest("PUT", "/v1/training/category/2", {"name": "Safety"}).status == 409
    assert bamboo.rest("PUT", "/v1/training/category/2", {"name": "Laws"}).status == 200
    assert bamboo.rest("DELETE", "/v1/training/category/2").status == 200
    assert list(bamboo.rest("GET", "/v1/training/category").body) == ["1"]


def test_hiring(bamboo: Bamboo) -> None:
    usual = {
        "postingTitle": "Diver",
        "jobStatus": "Open",
        "hiringLead": int(bamboo.alex),
        "employmentType": "Full-Time",
        "jobDescription": "Dive.",
    }
    bamboo.refused(422, "hiringLead", "create_job_opening", **{**usual, "hiringLead": int(bamboo.carl)})
    bamboo.refused(422, "jobLocation", "create_job_opening", **usual, jobLocation=1)
    place = bamboo("get_company_locations")[0]["id"]
    job = int(bamboo("create_job_opening", **usual, department="Sea", jobLocation=place)["jobOpeningId"])
    bamboo.refused(422, "jobId", "create_candidate", firstName="Dee", lastName="Ash", jobId=999)
    bamboo.refused(422, "email", "create_candidate", firstName="Dee", lastName="Ash", jobId=job, email="dee")
    key = bamboo(
        "create_candidate", firstName="Dee", lastName="Ash", jobId=job, email="dee@sea.example", desiredSalary="40k"
    )["candidateId"]
    assert bamboo("get_job_summaries", statusGroups="Open")[0]["newApplicantsCount"] == 1
    assert bamboo("get_job_summaries", statusGroups="Draft,Filled") == []
    bamboo.refused(400, "status group", "get_job_summaries", statusGroups="Nope")
    statuses = {s["name"]: int(s["id"]) for s in bamboo("get_statuses")}
    bamboo("update_applicant_status", applicationId=key, status=statuses["Interviewed"])
    bamboo.refused(400, "status", "update_applicant_status", applicationId=key, status=99)
    bamboo.refused(404, "application", "update_applicant_status", applicationId=99, status=1)
    bamboo("create_application_comment", applicationId=key, comment="Swims well")
    found = bamboo("get_applications", applicationStatus="ACTIVE", searchString="diver")["applications"]
    assert [(a["id"], a["status"]["label"]) for a in found] == [(key, "Interviewed")]
    assert bamboo("get_applications", applicationStatus="NEW")["applications"] == []
    whole = bamboo("get_application_details", applicationId=key)
    assert (whole["desiredSalary"], whole["commentCount"], whole["status"]["changedByUser"]["firstName"]) == (
        "40k",
        1,
        "Alex",
    )
    assert [h["preferredFullName"] for h in bamboo.rest("GET", "/v1/applicant_tracking/hiring_leads").body] == [
        "Alex Doyle",
        "Bea Reed",
    ]


def test_webhooks(bamboo: Bamboo) -> None:
    hook = {
        "name": "h",
        "url": "https://sea.example/in",
        "format": "json",
        "monitorFields": ["firstName"],
        "postFields": {"firstName": "First"},
    }
    for change in (
        {"url": "http://sea.example"},
        {"monitorFields": []},
        {"format": "xml"},
        {"events": ["employee.updated", "employee_with_fields.created"]},
    ):
        assert bamboo.rest("POST", "/v1/webhooks", {**hook, **change}).status == 400
    reply = bamboo.rest("POST", "/v1/webhooks", {**hook, "monitorFields": ["noSuch"]})
    assert (reply.status, reply.body["errors"][0]["unknownFields"][0]["id"]) == (403, "noSuch")
    assert bamboo.episode.changes() == []
    made = bamboo.rest("POST", "/v1/webhooks", hook)
    assert (made.status, len(made.body["privateKey"])) == (201, 32)
    own = f"/v1/webhooks/{made.body['id']}"
    assert "privateKey" not in bamboo.rest("GET", own).body
    assert bamboo.rest("PUT", own, {**hook, "name": "i"}).body["name"] == "i"
    assert [w["name"] for w in bamboo.rest("GET", "/v1/webhooks").body["webhooks"]] == ["i"]
    assert bamboo.rest("GET", f"{own}/log").body == []
    assert bamboo.rest("DELETE", own).body == "Web hook has been deleted."
    assert bamboo.rest("GET", own).status == 404
    assert bamboo.rest("GET", "/v1/webhooks/monitor_fields").body["fields"]


def test_timesheets(bamboo: Bamboo) -> None:
    bea = int(bamboo.bea)
    hours = [{"employeeId": bea, "date": "2026-02-27", "hours": 7.5}]
    made = bamboo("create_or_update_timesheet_hour_entries", hours=hours)[0]["id"]
    bamboo("create_or_update_timesheet_hour_entries", hours=[{"id": made, "hours": 6, "note": "Left early"}])
    bamboo.refused(
        404, "was not found", "create_or_update_timesheet_hour_entries", hours=[*hours, {"id": 999, "hours": 1}]
    )
    bamboo.refused(
        400, "date is required", "create_or_update_timesheet_hour_entries", hours=[{"employeeId": bea, "hours": 1}]
    )
    own = f"/v1/time_tracking/employees/{bea}"
    assert bamboo.rest("POST", f"{own}/clock_out", {}).status == 409
    past = {"date": "2026-02-26", "timezone": "Europe/London"}
    assert bamboo.rest("POST", f"{own}/clock_in", {"start": "09:00"}).status == 400
    clock = bamboo.rest("POST", f"{own}/clock_in", {**past, "start": "09:00"}).body
    assert bamboo.rest("POST", f"{own}/clock_in", {}).status == 409
    assert bamboo.rest("POST", "/v1/time_tracking/clock_entries/delete", {"clockEntryIds": [clock["id"]]}).status == 409
    assert bamboo.rest("POST", f"{own}/clock_out", {**past, "end": "08:00"}).status == 400
    assert bamboo.rest("POST", f"{own}/clock_out", {**past, "end": "17:15"}).body["hours"] == 8.25
    entries = bamboo("list_timesheet_entries", start="2026-02-01", end="2026-02-28", employeeIds=bamboo.bea)
    assert [(e["type"], e["hours"]) for e in entries] == [("clock", 8.25), ("hour", 6)]
    bamboo.refused(400, "365 days", "list_timesheet_entries", start="2024-01-01", end="2026-02-28")
    assert bamboo.rest("POST", "/v1/time_tracking/hour_entries/delete", {"hourEntryIds": [clock["id"]]}).status == 409
    assert bamboo.rest("POST", "/v1/time_tracking/hour_entries/delete", {"hourEntryIds": [made, 999]}).status == 204
    assert bamboo.rest("POST", "/v1/time_tracking/clock_entries/delete", {"clockEntryIds": [clock["id"]]}).status == 204
    assert bamboo("list_timesheet_entries", start="2026-02-01", end="2026-02-28") == []


def test_a_tool_answer_stays_small() -> None:
    live = episode_of("bamboohr", world="quaymark").app("bamboohr")
    for tool, arguments in (
        ("get_employees_directory", {}),
        ("list_employees", {}),
        ("list_fields", {}),
        ("list_list_fields", {}),
        ("list_tabular_fields", {}),
        ("get_employee_table_data", {"id": "all", "table": "jobInfo"}),
        ("list_users", {}),
        ("list_time_off_requests", {"start": "2025-01-01", "end": "2027-01-01"}),
        ("get_report_by_id", {"reportId": 102}),
    ):
        reply = live.call(tool, arguments)
        assert not reply.error
        assert len(reply.text()) < 30_000, (tool, len(reply.text()))
