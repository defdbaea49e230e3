"""BambooHR: lists, files, reports, datasets."""

import pytest

from tests.apps.bamboohr.support import Bamboo


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
