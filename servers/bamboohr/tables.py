"""Employees' tables: which row counts today, and how rows are shown and written. https://documentation.bamboohr.com/docs/tables"""

from collections.abc import Mapping
from typing import Any, cast

from legoenv_mcp.app import Ctx

from .dates import stamp, today
from .errors import refuse
from .fields import TABLES, Column, TableSpec
from .models import Employee, EmploymentStatus, TableRow
from .values import Money, read, text_of

TERMINATED = "Terminated"


def table(name: str) -> TableSpec:
    spec = TABLES.get(name)
    if spec is None:
        raise refuse(404, f"The table {name[:60]} does not exist")
    return spec


def current(ctx: Ctx, spec: TableSpec, employee: int, *, future: bool = False) -> Any:
    """The row that counts: the latest effective one, with `future` also of those that are not effective yet."""
    return _latest(ctx, spec, employee, None if future else today(ctx).isoformat())


def _latest(ctx: Ctx, spec: TableSpec, employee: int, day: str | None) -> Any:
    return ctx.db.first(spec.row, order=f"-{spec.effective},-id", employeeId=employee, **_until(spec, day))


def _until(spec: TableSpec, day: str | None) -> dict[str, Any]:
    """The filter for rows that are effective on a day; none where there is no day."""
    return {f"{spec.effective}__le": day}


class Current:
    """What counts on a day, of many employees: each table is read once."""

    def __init__(self, ctx: Ctx, *, future: bool = False) -> None:
        self.ctx, self._future = ctx, future
        self._today = today(ctx).isoformat()
        self._rows = dict[str, dict[int, Any]]()
        self._employees = dict[int, Employee]()

    def row(self, alias: str, employee: int) -> Any:
        if alias not in self._rows:
            spec = TABLES[alias]
            day = None if self._future else self._today
            rows = self.ctx.db.find(spec.row, order=f"{spec.effective},id", **_until(spec, day))
            self._rows[alias] = {row.employeeId: row for row in rows}
        return self._rows[alias].get(employee)

    def employee(self, key: int | None) -> Employee | None:
        if not self._employees:
            self._employees = {e.id: e for e in self.ctx.db.find(Employee)}
        return self._employees.get(key or 0)


def value_of(row: Any, column: Column) -> Any:
    """A column's value as it lies in the row: text, flag, id, or Money."""
    value = getattr(row, column.alias)
    if column.type == "currency":
        return None if value is None else Money(value, getattr(row, f"{column.alias}Currency"))
    return value


def amount(money: Money) -> dict[str, str]:
    return {"currency": money.currency, "value": f"{money.value:.2f}"}


def shown_row(now: Current, spec: TableSpec, row: TableRow) -> dict[str, Any]:
    """A row as the table operations show it."""
    body: dict[str, Any] = {"id": str(row.id), "employeeId": str(row.employeeId)}
    for column in spec.columns:
        value = value_of(row, column)
        if isinstance(value, Money):
            value = amount(value)
        elif column.type == "employee":
            found = now.employee(cast("int | None", value))
            value = None if found is None else f"{found.firstName} {found.lastName}"
        elif isinstance(value, bool):
            value = "Yes" if value else "No"
        body[column.alias] = value
    return body


def columns_from(ctx: Ctx, spec: TableSpec, given: Mapping[str, Any], *, new: bool) -> dict[str, Any]:
    """What callers send as column values. Names that the table does not have are refused over MCP and ignored over REST."""
    known = {c.alias: c for c in spec.columns} | {str(c.id): c for c in spec.columns}
    strangers = [name for name in given if name not in known and name not in ("id", "employeeId")]
    if strangers and not ctx.request.method:
        named = ", ".join(c.alias for c in spec.columns)
        raise refuse(400, f"{strangers[0]} is not a field of the table {spec.alias}. There are: {named}")
    made = dict[str, Any]()
    for name, value in given.items():
        column = known.get(name)
        if column is None:
            continue
        if column.required and not text_of(value, name, 406):
            raise refuse(400, f"{column.alias} is required")
        found = read(ctx, column.type, column.list, value, column.alias, 406)
        if column.type == "currency":
            made[column.alias] = found.value if found else None
            made[f"{column.alias}Currency"] = found.currency if found else None
        else:
            made[column.alias] = found
    if not made:
        raise refuse(400, "No fields were given")
    missing = [c.alias for c in spec.columns if new and c.required and c.alias not in made]
    if missing:
        raise refuse(400, f"{missing[0]} is required")
    return made


def check(ctx: Ctx, employee: Employee, spec: TableSpec, row: Mapping[str, Any]) -> None:
    """What the values of a row must agree with."""
    if spec.alias == "jobInfo" and row.get("reportsTo") == employee.id:
        raise refuse(409, "An employee cannot report to themselves")
    if spec.alias == "jobInfo" and row.get("reportsTo") and _reports_to(ctx, row["reportsTo"], employee.id):
        raise refuse(409, "An employee cannot report to someone who reports to them")
    ends = spec.alias == "employmentStatus" and row.get("employmentStatus") == TERMINATED
    if ends and employee.hireDate and row["date"] < employee.hireDate:
        raise refuse(409, "The termination date cannot be before the hire date")
    if spec.alias == "compensation" and row.get("endDate") and row["endDate"] < row["startDate"]:
        raise refuse(409, "The end date cannot be before the start date")


def _reports_to(ctx: Ctx, who: int, whom: int) -> bool:
    """Whether `who` is below `whom` in today's tree."""
    now, seen = Current(ctx), set[int]()
    while who and who not in seen:
        if who == whom:
            return True
        seen.add(who)
        job = now.row("jobInfo", who)
        who = job.reportsTo or 0 if job else 0
    return False


def add_row(ctx: Ctx, employee: Employee, spec: TableSpec, columns: Mapping[str, Any]) -> Any:
    """Adds a row. Only one emergency contact is the primary one."""
    check(ctx, employee, spec, columns)
    row = spec.row(id=ctx.sequence(spec.row.shape().table), employeeId=employee.id, **columns)
    _only_primary(ctx, employee.id, spec, columns)
    ctx.db.add(row)
    touch(ctx, employee)
    return row


def change_row(ctx: Ctx, employee: Employee, spec: TableSpec, row: TableRow, columns: Mapping[str, Any]) -> None:
    check(ctx, employee, spec, {**row.__dict__, **columns})
    _only_primary(ctx, employee.id, spec, columns)
    ctx.db.update(row, **columns)
    touch(ctx, employee)


def _only_primary(ctx: Ctx, employee: int, spec: TableSpec, columns: Mapping[str, Any]) -> None:
    if columns.get("primaryContact"):
        for other in ctx.db.find(spec.row, employeeId=employee, primaryContact=True):
            ctx.db.update(other, primaryContact=False)


def write_through(ctx: Ctx, employee: Employee, alias: str, columns: Mapping[str, Any], day: str) -> None:
    """A table's field written as the employee's: from that day on, in that day's row or in a new one that continues the last."""
    spec = TABLES[alias]
    last = _latest(ctx, spec, employee.id, day)
    if last is not None and getattr(last, spec.effective) == day:
        change_row(ctx, employee, spec, last, columns)
        return
    kept = dict[str, Any]()
    if last is not None and alias in ("jobInfo", "compensation"):
        kept = {
            k: v
            for k, v in last.__dict__.items()
            if k in spec.row.model_fields and k not in ("id", "employeeId", "comment", "endDate")
        }
    add_row(ctx, employee, spec, {**kept, **columns, spec.effective: day})


def terminated(ctx: Ctx, employee: int) -> bool:
    row = current(ctx, TABLES["employmentStatus"], employee)
    return isinstance(row, EmploymentStatus) and row.employmentStatus == TERMINATED


def touch(ctx: Ctx, employee: Employee) -> None:
    """The employee's record has changed."""
    ctx.db.update(employee, lastChanged=stamp(ctx))
