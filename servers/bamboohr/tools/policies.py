"""Time off types, policies and balances. https://documentation.bamboohr.com/reference/time-off"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel

from legoenv_mcp.app import MISSING, Ctx, Field, Payload, Query, Reply

from ..app import Accept, app, done
from ..dates import need_day, today
from ..employees import the_employee
from ..errors import refuse
from ..models import Employee, PolicyAssignment, TimeOffHistory, TimeOffPolicy, TimeOffRequest, TimeOffType
from ..timeoff import WORKDAY_HOURS, balances, discretionary, the_type

EmployeeId = Annotated[str, Field(max_length=20)]
Adjustment = Annotated[float, Field(ge=-100_000, le=100_000)]
Note = Annotated[str | MISSING, Field(max_length=4000)]
_WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@app.get("/v1/meta/time_off/types", tool="list_time_off_types")
def list_time_off_types(
    ctx: Ctx, mode: Annotated[str | MISSING, Query(mcp=False)] = MISSING, accept: Accept = MISSING
) -> dict[str, Any]:
    """Lists the types of time off with their units, and how many hours a day has.

    mode: `request` for those that one may request.
    accept: `application/json` for JSON; otherwise the answer is XML.
    """
    types = [
        {"id": t.id, "name": t.name, "units": t.units, "color": t.color, "icon": t.icon, "source": "internal"}
        for t in ctx.db.find(TimeOffType, order="name")
    ]
    hours = [{"name": name, "amount": str(WORKDAY_HOURS if n < 5 else 0)} for n, name in enumerate(_WEEK)]
    return {"timeOffTypes": types, "defaultHours": hours}


@app.get("/v1/meta/time_off/policies", tool="list_time_off_policies")
def list_time_off_policies(ctx: Ctx, accept: Accept = MISSING) -> Any:
    """Lists the company's time off policies by name.

    accept: `application/json` for JSON; otherwise the answer is XML.
    """
    return [
        {"id": p.id, "timeOffTypeId": p.timeOffTypeId, "name": p.name, "effectiveDate": None, "type": p.type}
        for p in ctx.db.find(TimeOffPolicy, order="name")
    ]


def _assigned(ctx: Ctx, employee: Employee, *, all_kinds: bool) -> list[dict[str, Any]]:
    rows = ctx.db.find(PolicyAssignment, employeeId=employee.id)
    kinds = {p.id: p.type for p in ctx.db.find(TimeOffPolicy)}
    return [
        {"timeOffPolicyId": a.timeOffPolicyId, "timeOffTypeId": a.timeOffTypeId, "accrualStartDate": a.accrualStartDate}
        for a in rows
        if all_kinds or kinds[a.timeOffPolicyId] == "accruing"
    ]


@app.get("/v1/employees/{employeeId}/time_off/policies", tool="list_employee_time_off_policies_v1", mcp=False)
def list_employee_time_off_policies_v1(ctx: Ctx, employeeId: EmployeeId) -> Any:
    """Lists an employee's accruing time off policies.

    employeeId: The employee's id.
    """
    return _assigned(ctx, the_employee(ctx, employeeId), all_kinds=False)


@app.get("/v1_1/employees/{employeeId}/time_off/policies", tool="list_employee_time_off_policies")
def list_employee_time_off_policies(ctx: Ctx, employeeId: EmployeeId) -> Any:
    """Lists the time off policies that an employee has.

    employeeId: The employee's id.
    """
    return _assigned(ctx, the_employee(ctx, employeeId), all_kinds=True)


class AssignmentInput(BaseModel):
    """A policy to assign or to remove."""

    timeOffPolicyId: int = Field(description="The policy's id.")
    accrualStartDate: str | None = Field(
        description="The day from which it accrues, YYYY-MM-DD; null to remove the policy."
    )


Assignments = Annotated[list[AssignmentInput], Payload()]


def _assign(ctx: Ctx, employee: Employee, policies: list[AssignmentInput]) -> None:
    if not employee.hireDate:
        raise refuse(400, "The employee has no hire date")
    for one in policies:
        policy = ctx.db.get(TimeOffPolicy, one.timeOffPolicyId)
        if policy is None:
            raise refuse(400, f"The time off policy {one.timeOffPolicyId} does not exist")
        found = ctx.db.get(PolicyAssignment, (employee.id, policy.timeOffTypeId))
        if one.accrualStartDate is None:
            if found is None or found.timeOffPolicyId != policy.id:
                raise refuse(400, f"The employee does not have the policy {policy.name}")
            ctx.db.delete(found)
            continue
        start = need_day(one.accrualStartDate, "accrualStartDate").isoformat()
        if found is None:
            row = {"employeeId": employee.id, "timeOffTypeId": policy.timeOffTypeId, "timeOffPolicyId": policy.id}
            ctx.db.add(PolicyAssignment(**row, accrualStartDate=start))
        elif found.timeOffPolicyId == policy.id:
            ctx.db.update(found, accrualStartDate=start)
        else:
            raise refuse(400, "A policy is already assigned for the time off type")


@app.put("/v1/employees/{employeeId}/time_off/policies", tool="assign_time_off_policies_v1", mcp=False)
def assign_time_off_policies_v1(ctx: Ctx, employeeId: EmployeeId, policies: Assignments) -> Any:
    """Assigns time off policies to an employee; answers the accruing ones that the employee then has.

    employeeId: The employee's id.
    policies: The policies to assign or remove.
    """
    employee = the_employee(ctx, employeeId)
    _assign(ctx, employee, policies)
    return _assigned(ctx, employee, all_kinds=False)


@app.put("/v1_1/employees/{employeeId}/time_off/policies", tool="assign_time_off_policies")
def assign_time_off_policies(ctx: Ctx, employeeId: EmployeeId, policies: Assignments) -> Any:
    """Assigns time off policies to an employee, at most one a type, or removes them; answers those that the employee then has.

    employeeId: The employee's id.
    policies: The policies to assign, with the day from which they accrue, or to remove.
    """
    employee = the_employee(ctx, employeeId)
    _assign(ctx, employee, policies)
    return _assigned(ctx, employee, all_kinds=True)


@app.get("/v1/employees/{employeeId}/time_off/calculator", tool="get_time_off_balance")
def get_time_off_balance(
    ctx: Ctx, employeeId: EmployeeId, end: str | MISSING = MISSING, precision: Annotated[int, Field(ge=0, le=4)] = 2,
    accept: Accept = MISSING,
) -> Any:  # fmt: skip
    """Gets an employee's time off balances as of a day: what has accrued by then, less approved time off, plus adjustments.

    employeeId: The employee's id.
    end: The day, YYYY-MM-DD; today by default. A day in the future counts what will accrue and what is approved until then.
    precision: How many decimals, at most 4.
    accept: `application/json` for JSON; otherwise the answer is XML.
    """
    employee = the_employee(ctx, employeeId)
    day = need_day(end, "end") if isinstance(end, str) and end else today(ctx)
    return balances(ctx, employee, day, precision)


def _adjust(ctx: Ctx, employee: Employee, date: str, kind: int, amount: float, note: Any) -> Reply:
    found = the_type(ctx, kind)
    when = need_day(date, "date").isoformat()
    if discretionary(ctx, employee.id, found.id):
        raise refuse(400, "The balance of a discretionary time off type cannot be adjusted")
    made = ctx.db.add(
        TimeOffHistory(
            id=ctx.sequence("time_off_history", start=501), employeeId=employee.id, timeOffTypeId=found.id, date=when,
            eventType="override", amount=amount, note=note if isinstance(note, str) and note else None,
        )
    )  # fmt: skip
    return done(ctx, 201, id=str(made.id))


@app.put(
    "/v1/employees/{employeeId}/time_off/balance_adjustment",
    tool="adjust_time_off_balance",
    status=201,
    effect="create",
)
def adjust_time_off_balance(
    ctx: Ctx, employeeId: EmployeeId, date: str, timeOffTypeId: int, amount: Adjustment, note: Note = MISSING
) -> Reply:
    """Adds to an employee's balance of a time off type, or takes from it.

    employeeId: The employee's id.
    date: The day of the adjustment, YYYY-MM-DD.
    timeOffTypeId: The type's id.
    amount: How much to add, in the type's units; below zero to take away.
    note: A remark for the history.
    """
    return _adjust(ctx, the_employee(ctx, employeeId), date, timeOffTypeId, amount, note)


@app.put(
    "/v1/employees/{employeeId}/time_off/history",
    tool="create_time_off_history",
    status=201,
    effect="create",
    mcp=False,
)
def create_time_off_history(
    ctx: Ctx, employeeId: EmployeeId, date: str, eventType: Literal["used", "override"] = "used", timeOffRequestId: int | MISSING = MISSING,
    timeOffTypeId: int | MISSING = MISSING, amount: Adjustment | MISSING = MISSING, note: Note = MISSING,
) -> Reply:  # fmt: skip
    """Adds an entry to the history of a balance: that an approved request was used, or an adjustment.

    employeeId: The employee's id.
    date: The entry's day, YYYY-MM-DD.
    eventType: `used` or `override`.
    timeOffRequestId: The approved request that was used.
    timeOffTypeId: The type of an adjustment.
    amount: The amount of an adjustment.
    note: A remark for the history.
    """
    employee = the_employee(ctx, employeeId)
    if eventType == "override":
        if not isinstance(timeOffTypeId, int) or not isinstance(amount, (int, float)):
            raise refuse(400, "timeOffTypeId and amount are required for an override")
        return _adjust(ctx, employee, date, timeOffTypeId, amount, note)
    when = need_day(date, "date").isoformat()
    request = ctx.db.get(TimeOffRequest, timeOffRequestId) if isinstance(timeOffRequestId, int) else None
    if request is None or request.employeeId != employee.id or request.status != "approved":
        raise refuse(400, "Invalid time off request: it must be an approved request of the employee")
    if ctx.db.count(TimeOffHistory, timeOffRequestId=request.id):
        raise refuse(409, "The time off request already has a history item")
    made = ctx.db.add(
        TimeOffHistory(
            id=ctx.sequence("time_off_history", start=501), employeeId=employee.id, timeOffTypeId=request.timeOffTypeId, date=when,
            eventType="used", amount=request.amount, timeOffRequestId=request.id, note=note if isinstance(note, str) else None,
        )
    )  # fmt: skip
    return done(ctx, 201, id=str(made.id))
