"""Tables of employees: job, pay, status, contacts and more. https://documentation.bamboohr.com/reference/tabular-data-1"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict

from legoenv_mcp.app import MISSING, Ctx, Field, Payload, Reply

from .. import xml
from ..app import Accept, app, done
from ..dates import moment
from ..employees import the_employee
from ..errors import refuse
from ..models import Employee, TableRow
from ..tables import Current, add_row, change_row, columns_from, shown_row, table, touch
from .employees import EmployeeId

TableName = Annotated[str, Field(max_length=100)]
Since = Annotated[str, Field(max_length=40)]


class RowInput(BaseModel):
    """A row's fields by name, those of its table. Amounts are like `53600.00 USD`."""

    model_config = ConfigDict(extra="allow")
    date: Any = Field(
        default=MISSING,
        description="jobInfo, employmentStatus, bonus, commission: the day from which it holds, YYYY-MM-DD.",
    )
    jobTitle: Any = Field(default=MISSING, description="jobInfo: job title.")
    department: Any = Field(default=MISSING, description="jobInfo: department.")
    division: Any = Field(default=MISSING, description="jobInfo: division.")
    location: Any = Field(default=MISSING, description="jobInfo: location.")
    reportsTo: Any = Field(default=MISSING, description="jobInfo: the manager, by employee id or full name.")
    startDate: Any = Field(default=MISSING, description="compensation: the day from which it holds, YYYY-MM-DD.")
    rate: Any = Field(default=MISSING, description="compensation: pay with currency.")
    type: Any = Field(default=MISSING, description="compensation: Salary, Hourly ...")
    paidPer: Any = Field(default=MISSING, description="compensation: Year, Month, Hour ...")
    reason: Any = Field(default=MISSING, description="compensation, bonus: why it changed or was paid.")
    comment: Any = Field(default=MISSING, description="A remark.")
    employmentStatus: Any = Field(
        default=MISSING, description="employmentStatus: Full-Time, Part-Time, Contractor, Terminated ..."
    )
    terminationTypeId: Any = Field(default=MISSING, description="employmentStatus: how the employment ended.")
    terminationReasonId: Any = Field(default=MISSING, description="employmentStatus: why the employment ended.")
    terminationRehireId: Any = Field(default=MISSING, description="employmentStatus: whether to hire again.")
    amount: Any = Field(default=MISSING, description="bonus, commission: amount with currency.")
    name: Any = Field(default=MISSING, description="emergencyContacts: name.")
    relationship: Any = Field(default=MISSING, description="emergencyContacts: relationship.")
    mobilePhone: Any = Field(default=MISSING, description="emergencyContacts: mobile phone.")
    email: Any = Field(default=MISSING, description="emergencyContacts: email.")


Given = Annotated[RowInput | str | bytes, Payload()]


def _given(row: RowInput | str | bytes) -> dict[str, Any]:
    return row.model_dump(exclude_unset=True) if isinstance(row, BaseModel) else xml.values(row, "row")


def _the_row(ctx: Ctx, employee: Employee, name: str, key: str) -> TableRow:
    spec = table(name)
    row = ctx.db.get(spec.row, int(key)) if key.isascii() and key.isdigit() and len(key) < 19 else None
    if row is None or row.employeeId != employee.id:
        raise refuse(404, f"The row {key[:40]} does not exist in the table {spec.alias} of this employee")
    return row


@app.get("/v1/employees/{id}/tables/{table}", tool="get_employee_table_data")
def get_employee_table_data(ctx: Ctx, id: EmployeeId, table_: TableName, accept: Accept = MISSING) -> Any:
    """Gets all rows of an employee's table, past, present and future ones alike, in no particular order.

    Of jobInfo, employmentStatus (by date) and compensation (by startDate), the row in effect is the latest that is not in the future.

    id: The employee's id, or `all` for every employee.
    table_: `jobInfo`, `compensation`, `employmentStatus`, `emergencyContacts`, `bonus`, `commission`, `employeeEducation`,
      `employeeAssets`.
    accept: `application/json` for JSON; otherwise the answer is XML.
    """
    employee = None if id == "all" else the_employee(ctx, id).id
    spec = table(table_)
    now = Current(ctx)
    return [shown_row(now, spec, row) for row in ctx.db.find(spec.row, employeeId=employee)]


def _create(ctx: Ctx, id: str, name: str, row: RowInput | str | bytes) -> Reply:
    employee, spec = the_employee(ctx, id), table(name)
    made = add_row(ctx, employee, spec, columns_from(ctx, spec, _given(row), new=True))
    return done(ctx, id=str(made.id))


def _update(ctx: Ctx, id: str, name: str, key: str, row: RowInput | str | bytes) -> Reply:
    employee, spec = the_employee(ctx, id), table(name)
    found = _the_row(ctx, employee, name, key)
    change_row(ctx, employee, spec, found, columns_from(ctx, spec, _given(row), new=False))
    return done(ctx, id=str(found.id))


@app.post("/v1/employees/{id}/tables/{table}", tool="create_table_row")
def create_table_row(ctx: Ctx, id: EmployeeId, table_: TableName, row: Given) -> Reply:
    """Adds a row to an employee's table: a new job, pay or employment status from a day on, or a contact, bonus and so on.

    A row with a date in the future takes effect on that day. A row of employmentStatus with the status Terminated ends the employment.
    A new row starts empty: give every field that is to hold, also those that stay as they are.

    id: The employee's id.
    table_: `jobInfo`, `compensation`, `employmentStatus`, `emergencyContacts`, `bonus`, `commission`, `employeeEducation`,
      `employeeAssets`.
    row: The fields of the row by name; list_tabular_fields has them.
    """
    return _create(ctx, id, table_, row)


@app.post("/v1/employees/{id}/tables/{table}/{rowId}", tool="update_table_row", effect="update")
def update_table_row(ctx: Ctx, id: EmployeeId, table_: TableName, rowId: EmployeeId, row: Given) -> Reply:
    """Corrects a row of an employee's table. For a change from a day on, add a row instead.

    id: The employee's id.
    table_: The table's name, such as `jobInfo`.
    rowId: The row's id, as get_employee_table_data shows it.
    row: The fields to change by name.
    """
    return _update(ctx, id, table_, rowId, row)


@app.post("/v1_1/employees/{id}/tables/{table}", tool="create_table_row_v1_1", mcp=False)
def create_table_row_v1_1(ctx: Ctx, id: EmployeeId, table_: TableName, row: Given) -> Reply:
    """Adds a row to an employee's table.

    id: The employee's id.
    table_: The table's name.
    row: The fields of the row by name.
    """
    return _create(ctx, id, table_, row)


@app.post("/v1_1/employees/{id}/tables/{table}/{rowId}", tool="update_table_row_v1_1", mcp=False, effect="update")
def update_table_row_v1_1(ctx: Ctx, id: EmployeeId, table_: TableName, rowId: EmployeeId, row: Given) -> Reply:
    """Changes a row of an employee's table.

    id: The employee's id.
    table_: The table's name.
    rowId: The row's id.
    row: The fields to change by name.
    """
    return _update(ctx, id, table_, rowId, row)


@app.delete("/v1/employees/{id}/tables/{table}/{rowId}", tool="delete_employee_table_row")
def delete_employee_table_row(ctx: Ctx, id: EmployeeId, table_: TableName, rowId: EmployeeId) -> dict[str, Any]:
    """Deletes a row of an employee's table. What a row that is not there cannot be is said in the answer, not refused.

    id: The employee's id.
    table_: The table's name, such as `jobInfo`.
    rowId: The row's id.
    """
    employee, spec = the_employee(ctx, id), table(table_)
    row = ctx.db.get(spec.row, int(rowId)) if rowId.isascii() and rowId.isdigit() and len(rowId) < 19 else None
    if row is None or row.employeeId != employee.id:
        return {"success": False, "error": "The row was not found"}
    ctx.db.delete(row)
    touch(ctx, employee)
    return {"success": True}


@app.get("/v1/employees/changed", tool="get_changed_employee_ids")
def get_changed_employee_ids(
    ctx: Ctx,
    since: Since,
    type: Literal["inserted", "updated", "deleted", "all"] | MISSING = MISSING,
    accept: Accept = MISSING,
) -> dict[str, Any]:
    """Gets the ids of the employees who were added or changed since a time, also in their job, pay and status.

    since: An ISO 8601 time.
    type: Only those that were inserted, updated or deleted since.
    accept: `application/json` for JSON; otherwise the answer is XML.
    """
    start, found = moment(since, "since"), dict[str, Any]()
    for e in ctx.db.find(Employee, order="lastChanged,id"):
        if ctx.parse_time(e.lastChanged) < start:
            continue
        action = "Inserted" if ctx.parse_time(e.created) >= start else "Updated"
        if type in (MISSING, "all", action.lower()):
            found[str(e.id)] = {"id": str(e.id), "action": action, "lastChanged": e.lastChanged}
    latest = max((e["lastChanged"] for e in found.values()), default=start.isoformat())
    return {"latest": latest, "employees": found}


@app.get("/v1/employees/changed/tables/{table}", tool="get_changed_employee_table_data", mcp=False)
def get_changed_employee_table_data(
    ctx: Ctx, table_: TableName, since: Since, accept: Accept = MISSING
) -> dict[str, Any]:
    """Gets all rows of a table of the employees in whose record anything changed since a time.

    table_: The table's name, such as `jobInfo`.
    since: An ISO 8601 time.
    accept: `application/json` for JSON; otherwise the answer is XML.
    """
    spec, start = table(table_), moment(since, "since")
    now, found = Current(ctx), dict[str, Any]()
    for e in ctx.db.find(Employee):
        if ctx.parse_time(e.lastChanged) >= start:
            rows = [shown_row(now, spec, row) for row in ctx.db.find(spec.row, employeeId=e.id)]
            plain = [{k: v for k, v in row.items() if k not in ("id", "employeeId")} for row in rows]
            found[str(e.id)] = {"lastChanged": e.lastChanged, "rows": plain}
    return {"table": spec.alias, "employees": found}
