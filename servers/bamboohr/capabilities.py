"""BambooHR as human resources: the world's people, employments and time off as rows and back, and what one does with them.

An employment's head is the employee's first employment status: what it says of pay and of an end holds for whatever was agreed, also
where that is still to come.
"""

from collections.abc import Generator
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call, hr
from legoenv_mcp.capabilities.base import ToolCall
from legoenv_mcp.capabilities.people import Person

from . import fills, views

_TABLES = {"title": "jobTitle", "department": "department", "phone": "workPhone"}
_KINDS = {"vacation": "Vacation", "sick": "Sick", "parental": "Parental Leave", "unpaid": "Unpaid Leave"}


class BambooHr(hr.Hr):
    """Ids are BambooHR's numbers, as text; an employment has its employee's."""

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        if isinstance(entity, Person):
            return fills.person(ctx, entity)
        if isinstance(entity, hr.Employment):
            return fills.employment(ctx, entity)
        assert isinstance(entity, hr.TimeOff)
        return fills.time_off(ctx, entity)

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        return views.view(ctx, table, row)

    def list_employees(self) -> Plan:
        yield call("get_employees_directory")

    def get_employee(self, employee_id: str) -> Plan:
        fields = "firstName,lastName,workEmail,workPhone,jobTitle,department,supervisor,hireDate,employmentHistoryStatus,payRate,status"
        yield call("get_employee", id=employee_id, fields=fields)

    def hire_employee(
        self, first_name: str, last_name: str, email: str, title: str, department: str, start_date: str
    ) -> Plan:
        employee = {
            "firstName": first_name, "lastName": last_name, "workEmail": email, "jobTitle": title, "department": department,
            "hireDate": start_date, "employmentHistoryStatus": "Full-Time",
        }  # fmt: skip
        yield call("create_employee", employee=employee)

    def update_employee(self, employee_id: str, **changes: Any) -> Plan:
        yield call(
            "update_employee", id=employee_id, employee={_TABLES[name]: value for name, value in changes.items()}
        )

    def change_pay(self, employee_id: str, pay: float, currency: str, day: str) -> Plan:
        row = {"startDate": day, "rate": f"{pay:.2f} {currency}", "type": "Salary", "paidPer": "Year"}
        yield call("create_table_row", id=employee_id, table="compensation", row=row)

    def terminate_employee(self, employee_id: str, day: str) -> Plan:
        row = {"date": day, "employmentStatus": "Terminated"}
        yield call("create_table_row", id=employee_id, table="employmentStatus", row=row)

    def list_time_off(self, first_day: str, last_day: str) -> Plan:
        yield call("list_time_off_requests", start=first_day, end=last_day)

    def _type(self, kind: str) -> Generator[ToolCall, dict[str, Any], int]:
        types = yield call("list_time_off_types")
        return int(next(t["id"] for t in types["timeOffTypes"] if t["name"] == _KINDS[kind]))

    def request_time_off(self, employee_id: str, first_day: str, last_day: str, kind: str = "vacation") -> Plan:
        number = yield from self._type(kind)
        yield call(
            "create_time_off_request",
            employeeId=employee_id,
            status="requested",
            start=first_day,
            end=last_day,
            timeOffTypeId=number,
        )

    def decide_time_off(self, request_id: str, *, approve: bool) -> Plan:
        status = "approved" if approve else "denied"
        yield call("update_time_off_request_status", requestId=int(request_id), status=status)


provides = {"hr": BambooHr()}
