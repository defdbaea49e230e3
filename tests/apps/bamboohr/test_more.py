"""BambooHR: education, assets and commissions, of one employee and of all that changed."""

from typing import Any

import pytest

from legoenv_mcp.capabilities.hr import Employment
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Request
from legoenv_mcp.testing import episode_of

BEA = Person(
    key="bea", first_name="Bea", last_name="Reed", email="bea@brightwater.example", handle="bea", title="Analyst",
    department="Finance", manager="alex.doyle", start_date="2024-02-15",
)  # fmt: skip
WORLD = [BEA, Employment(key="e1", person="bea", number=11, pay=50_000, currency="GBP", born="1990-03-03")]


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("employeeEducation", {"college": "Leeds", "major": "History", "startDate": "2010-09-20"}),
        ("employeeAssets", {"description": "Laptop", "serialNumber": "SN-7", "dateLoaned": "2026-02-01"}),
        ("commission", {"date": "2026-02-01", "comment": "Renewals"}),
    ],
)
def test_rows_of_a_table_are_shown(table: str, row: dict[str, str]) -> None:
    live = episode_of("bamboohr", WORLD).app("bamboohr")
    bea = live.template.refs["people.Person"]["bea"]

    def call(tool: str, **arguments: Any) -> Any:
        reply = live.call(tool, arguments)
        assert not reply.error, (tool, reply.shown)
        return reply.body

    assert call("get_employee_table_data", id=bea, table=table) == []
    call("create_table_row", id=bea, table=table, row=row)
    (shown,) = call("get_employee_table_data", id=bea, table=table)
    assert row.items() <= shown.items()
    assert call("get_employee_table_data", id="all", table=table) == [shown]
    path, query = f"/v1/employees/changed/tables/{table}", {"since": "2020-01-01"}
    reply = handle(
        live, Request("GET", path, f"{path}?since=2020-01-01", query, {"accept": "application/json"}, "http://x"), b""
    )
    assert not reply.error, reply.body
    changed = reply.body["employees"]
    (held,) = changed[bea]["rows"]
    assert row.items() <= held.items()
    assert not any(found["rows"] for key, found in changed.items() if key != bea)
