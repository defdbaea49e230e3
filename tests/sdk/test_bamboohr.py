"""PyBambooHR, unmodified, against the BambooHR app over real HTTP: only its base URL is set."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import requests
from PyBambooHR.PyBambooHR import PyBambooHR

if TYPE_CHECKING:
    from conftest import Gateway

pytestmark = [pytest.mark.sdk, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture
def rest(gateway: "Gateway") -> str:
    return gateway.episode(["bamboohr"], world="quaymark").rest("bamboohr")


@pytest.fixture
def bamboo(rest: str) -> Any:
    return client(rest)


def client(rest: str, accept: str = "application/json") -> Any:
    made: Any = PyBambooHR(subdomain="quaymark", api_key="k" * 40)
    made.base_url = f"{rest}/api/gateway.php/quaymark/v1/"
    made.headers["Accept"] = accept
    return made


def refused(status: int, why: str, call: Any, *args: Any, **more: Any) -> None:
    with pytest.raises(requests.HTTPError) as caught:
        call(*args, **more)
    response = caught.value.response
    assert response is not None
    assert (response.status_code, response.text) == (status, "")
    assert why in response.headers["X-BambooHR-Error-Message"]


def named(bamboo: Any, name: str) -> dict[str, Any]:
    return next(e for e in bamboo.get_employee_directory() if e["displayName"] == name)


def test_who_works_here(bamboo: Any) -> None:
    people = bamboo.get_employee_directory()
    assert len(people) > 60
    assert "Patrick Nolan" not in {e["displayName"] for e in people}
    maya = bamboo.get_employee(0, field_list=["firstName", "jobTitle", "payRate", "supervisor", "status"])
    assert maya == {
        "id": named(bamboo, "Maya Chen")["id"], "firstName": "Maya", "jobTitle": "Business Operations Manager",
        "payRate": "70000.00 GBP", "supervisor": "Simon Achterberg", "status": "Active",
    }  # fmt: skip
    everything = bamboo.get_employee(maya["id"])
    assert everything["workEmail"] == "maya.chen@quaymark.example"
    refused(404, "Employee not found", bamboo.get_employee, 9999, field_list=["firstName"])


def test_someone_comes_and_changes(bamboo: Any) -> None:
    added = bamboo.add_employee({
        "first_name": "Ines", "last_name": "O'Walcott & Co", "work_email": "ines@quaymark.example", "job_title": "Analyst",
        "department": "Finance", "hireDate": "2026-03-02",
    })  # fmt: skip
    assert added["url"].endswith(f"/api/gateway.php/quaymark/v1/employees/{added['id']}")
    fields = ["lastName", "jobTitle", "department", "hireDate"]
    assert bamboo.get_employee(added["id"], field_list=fields) == {
        "id": added["id"], "lastName": "O'Walcott & Co", "jobTitle": "Analyst", "department": "Finance", "hireDate": "2026-03-02",
    }  # fmt: skip
    bamboo.update_employee(added["id"], {"job_title": "Senior Analyst", "mobilePhone": "+44 20 7946 0999"})
    assert named(bamboo, "Ines O'Walcott & Co")["jobTitle"] == "Senior Analyst"
    again = {"firstName": "Ines", "lastName": "Two", "workEmail": "ines@quaymark.example"}
    refused(409, "work email address", bamboo.add_employee, again)
    since = datetime(2026, 3, 2, 8, 0, 0)  # noqa: DTZ001 - the SDK writes it as UTC itself
    changes = bamboo.get_employee_changes(since=since)["employees"]
    assert changes[added["id"]]["action"] == "Inserted"
    rows = bamboo.get_employee_changed_table("jobInfo", since=since)["employees"][added["id"]]["rows"]
    assert [r["jobTitle"] for r in rows] == ["Senior Analyst"]
    refused(404, "The table noSuch does not exist", bamboo.get_employee_changed_table, "noSuch", since=since)


def test_tables_and_metadata_which_the_sdk_reads_as_xml(rest: str, bamboo: Any) -> None:
    xml = client(rest, "application/xml")
    helena = named(bamboo, "Helena Marsh")["id"]
    assert xml.get_tabular_data("compensation", helena)[helena] == [
        {
            "startDate": "2017-04-03", "endDate": None, "rate": "170000.00", "type": "Salary", "exempt": "Exempt", "reason": "New Hire",
            "comment": None, "paidPer": "Year", "paySchedule": None, "overtimeRate": None, "row_id": "1",
        }
    ]  # fmt: skip
    assert len(xml.get_tabular_data("jobInfo")) > 60
    tables = {t["alias"]: [f["alias"] for f in t["field"]] for t in bamboo.get_meta_tables()}
    assert tables["jobInfo"] == ["date", "location", "department", "division", "jobTitle", "reportsTo"]
    assert "firstName" in {f["alias"] for f in bamboo.get_meta_fields()}
    departments = next(one for one in bamboo.get_meta_lists() if one["alias"] == "department")
    assert {"Finance", "Legal"} <= {o["name"] for o in departments["options"]}
    assert "maya.chen@quaymark.example" in {u["email"] for u in bamboo.get_meta_users().values()}


def test_time_off(bamboo: Any) -> None:
    march = bamboo.get_time_off_requests("2026-03-01", "2026-03-31", status="approved")
    assert march
    assert {r["status"]["status"] for r in march} == {"approved"}
    one = march[0]
    own = bamboo.get_time_off_requests("2026-01-01", "2026-12-31", employee_id=one["employeeId"])
    assert {r["employeeId"] for r in own} == {one["employeeId"]}
    assert "Oliver Grant" in {o["name"] for o in bamboo.get_whos_out("2026-03-02", "2026-03-06")}
    refused(400, "start", bamboo.get_time_off_requests, end_date="2026-03-31")


def test_files_photos_and_reports(rest: str, bamboo: Any, tmp_path: Path) -> None:
    key = named(bamboo, "Leo Fontaine")["id"]
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Leo")
    xml = client(rest, "application/xml")
    section = xml.get_employee_files(key)["category"][1]
    assert section["name"] == "Signed Documents"
    assert bamboo.upload_employee_file(key, str(letter), section["id"], True, "Letter.txt")
    found = xml.get_employee_files(key)["category"][1]["file"]
    assert (found["name"], found["size"], found["shareWithEmployee"]) == ("Letter.txt", "8", "yes")
    refused(404, "category", bamboo.upload_employee_file, key, str(letter), 999, False)
    refused(404, "no photo", bamboo.get_employee_photo, key)
    report = bamboo.request_custom_report(["firstName", "department"], report_format="json", title="Departments")
    assert (report["title"], [f["id"] for f in report["fields"]]) == ("Departments", ["firstName", "department"])
    assert len(report["employees"]) > 70
    assert bamboo.request_custom_report(["lastName"], report_format="csv").splitlines()[0] == "Last Name"
    assert bamboo.request_company_report(101)["title"] == "Contact List"
    refused(404, "Report not found", bamboo.request_company_report, 999)


def test_pages_lead_through_everybody_once(rest: str) -> None:
    """The SDK knows no paged operation; its requests are made as it makes them."""
    seen, after = list[str](), None
    with httpx.Client(auth=("k" * 40, ""), headers={"Accept": "application/json"}) as http:
        for _ in range(10):
            page = {"page[limit]": "25", "sort": "lastName,-employeeId", **({"page[after]": after} if after else {})}
            body = http.get(f"{rest}/api/v1/employees", params=page).raise_for_status().json()
            seen += [e["employeeId"] for e in body["data"]]
            after = body["meta"]["page"]["nextCursor"]
            if after is None:
                break
        assert len(seen) == len(set(seen)) == body["meta"]["total"] > 70  # pyright: ignore[reportPossiblyUnboundVariable]
        reports = http.get(f"{rest}/api/v1/custom-reports/104", params={"page_size": 30, "page": 2}).json()
        assert (len(reports["data"]), reports["pagination"]["current_page"]) == (30, 2)
        assert http.get(reports["pagination"]["next_page"]).json()["pagination"]["current_page"] == 3
