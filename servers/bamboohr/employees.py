"""Employees' fields: read of a day, written into columns or dated rows. https://documentation.bamboohr.com/docs/list-of-field-names"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from legoenv_mcp.app import Ctx

from .countries import COUNTRIES, STATES
from .dates import account, day, stamp, today
from .errors import no_employee, refuse
from .fields import FIELDS, TABLES, FieldSpec, field_of
from .models import Employee, Photo, User
from .tables import TERMINATED, Current, add_row, touch, value_of, write_through
from .values import Money, read

MAX_FIELDS = 400
_DATES = {"payRateEffectiveDate": "compensation", "employmentStatusDate": "employmentStatus", "jobInformationDate": "jobInfo",
          "bonusDate": "bonus", "commissionDate": "commission"}  # fmt: skip


def the_employee(ctx: Ctx, key: str | int) -> Employee:
    """An employee by id; 0 is the one to whom the API key belongs."""
    said = str(key).strip()
    if not said.isascii() or not said.isdigit() or len(said) > 18:
        raise no_employee()
    found = ctx.db.get(Employee, int(said) or account(ctx).agent or 0)
    if found is None:
        raise no_employee()
    return found


def agent_user(ctx: Ctx) -> int | None:
    """The user whose API key it is."""
    mine = account(ctx).agent
    user = ctx.db.first(User, employeeId=mine) if mine else None
    return user.id if user else None


def name_of(employee: Employee | None) -> str | None:
    """The display name: the preferred name, where there is one, and the last name."""
    return None if employee is None else f"{employee.preferredName or employee.firstName} {employee.lastName}"


def status(now: Current, employee: Employee) -> str:
    """Active, unless it was set otherwise or the employment has ended."""
    row = now.row("employmentStatus", employee.id)
    return "Inactive" if not employee.active or (row is not None and row.employmentStatus == TERMINATED) else "Active"


def _full(employee: Employee, form: int) -> str:
    first, middle, last, other = employee.firstName, employee.middleName, employee.lastName, employee.preferredName
    both = " ".join(filter(None, (first, middle)))
    return {
        1: f"{first} {last}", 2: f"{last}, {first}", 3: f"{last}, {both}" + (f" ({other})" if other else ""), 4: f"{last}, {both}",
        5: f"{both} {last}",
    }[form]  # fmt: skip


def _age(now: Current, employee: Employee) -> str | None:
    born = day(employee.dateOfBirth)
    if born is None:
        return None
    day_now = today(now.ctx)
    return str(day_now.year - born.year - ((day_now.month, day_now.day) < (born.month, born.day)))


def _manager(now: Current, employee: Employee) -> Employee | None:
    job = now.row("jobInfo", employee.id)
    return now.employee(job.reportsTo) if job else None


def _state_code(employee: Employee) -> str | None:
    code = next((c for c, name in COUNTRIES.items() if name == employee.country), "")
    return employee.state if employee.state in STATES.get(code, {}) else None


def _ended(now: Current, employee: Employee) -> str | None:
    row = now.row("employmentStatus", employee.id)
    return row.date if row is not None and row.employmentStatus == TERMINATED else None


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _photo(now: Current, employee: Employee) -> bool:
    return now.ctx.db.get(Photo, employee.id) is not None


def photo_url(now: Current, employee: Employee) -> str | None:
    own = f"https://{account(now.ctx).domain}.bamboohr.com/employees/photos/?id={employee.id}"
    return own if _photo(now, employee) else None


_CALCULATED: dict[str, Callable[[Current, Employee], Any]] = {
    "id": lambda now, e: str(e.id), "displayName": lambda now, e: name_of(e), "age": _age,
    "birthday": lambda now, e: e.dateOfBirth[5:] if e.dateOfBirth else None, "bestEmail": lambda now, e: e.workEmail or e.homeEmail,
    "fullName1": lambda now, e: _full(e, 1), "fullName2": lambda now, e: _full(e, 2), "fullName3": lambda now, e: _full(e, 3),
    "fullName4": lambda now, e: _full(e, 4), "fullName5": lambda now, e: _full(e, 5),
    "supervisor": lambda now, e: name_of(_manager(now, e)),
    "supervisorId": lambda now, e: getattr(_manager(now, e), "employeeNumber", None),
    "supervisorEId": lambda now, e: _text(getattr(_manager(now, e), "id", None)),
    "supervisorEmail": lambda now, e: getattr(_manager(now, e), "workEmail", None), "stateCode": lambda now, e: _state_code(e),
    "workPhonePlusExtension": lambda now, e: f"{e.workPhone} Ext. {e.workPhoneExtension}" if e.workPhoneExtension else e.workPhone,
    "photoUploaded": _photo, "isPhotoUploaded": lambda now, e: "true" if _photo(now, e) else "false", "photoUrl": photo_url,
    "lastChanged": lambda now, e: e.lastChanged, "terminationDate": _ended,
    **{
        name: (lambda now, e, alias=alias: getattr(now.row(alias, e.id), TABLES[alias].effective, None))
        for name, alias in _DATES.items()
    },
}  # fmt: skip


def value(now: Current, employee: Employee, spec: FieldSpec) -> Any:
    """A field's value as employees and reports show it."""
    if spec.calculated:
        return _CALCULATED[spec.alias](now, employee)
    if spec.source == "active":
        return status(now, employee)
    if not spec.source:
        return getattr(employee, spec.alias)
    alias, _, name = spec.source.partition(".")
    row = now.row(alias, employee.id)
    if row is None:
        return None
    found = value_of(row, next(c for c in TABLES[alias].columns if c.alias == name))
    return f"{found.value:.2f} {found.currency}" if isinstance(found, Money) else found


def split_fields(text: str) -> list[str]:
    """The names in a comma-separated list. More than 400 are refused."""
    names = [n.strip() for n in text.split(",") if n.strip()]
    if len(names) > MAX_FIELDS:
        raise refuse(400, f"The request exceeded the maximum number of allowed fields ({MAX_FIELDS})")
    return list(dict.fromkeys(names))


def chosen(now: Current, employee: Employee, names: Iterable[str]) -> dict[str, Any]:
    """The fields asked for, under the names by which they were; names of no field are left out."""
    specs = {name: spec for name in names if (spec := field_of(name)) is not None and name != "id"}
    return {"id": str(employee.id), **{name: value(now, employee, spec) for name, spec in specs.items()}}


# Writing


def _sorted_out(ctx: Ctx, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """What callers send, as columns of the employee and as columns of tables' rows."""
    own, rows = dict[str, Any](), dict[str, dict[str, Any]]()
    for name, said in given.items():
        spec = field_of(name)
        if spec is None or spec.calculated:
            if not ctx.request.method:
                why = "is calculated and cannot be set" if spec else "is not an employee field"
                raise refuse(
                    400, f"{name} {why}. list_fields has the fields; the manager is reportsTo in the table jobInfo"
                )
            continue
        found = read(ctx, spec.type, spec.list, said, name, 409)
        if spec.source == "active":
            own["active"] = found != "Inactive"
        elif not spec.source:
            own[spec.alias] = found
        else:
            alias, _, column = spec.source.partition(".")
            columns = rows.setdefault(alias, {})
            if spec.type == "currency":
                columns |= {
                    column: found.value if found else None,
                    f"{column}Currency": found.currency if found else None,
                }
            elif column == "employmentStatus" and found is None:
                raise refuse(409, f"{name} cannot be empty")
            else:
                columns[column] = found
    return own, rows


def _unique(ctx: Ctx, own: Mapping[str, Any], key: int = 0) -> None:
    for name, what in (("workEmail", "work email address"), ("employeeNumber", "employee number")):
        if own.get(name) and any(e.id != key for e in ctx.db.find(Employee, **{name: own[name]})):
            raise refuse(409, f"Another employee already has the {what} {own[name]}")


def add(ctx: Ctx, given: Mapping[str, Any]) -> Employee:
    """A new employee. Job, pay and status count from the hire date on, or from today where there is none."""
    own, rows = _sorted_out(ctx, given)
    for name in ("firstName", "lastName"):
        if not own.get(name):
            raise refuse(400, f"The minimum fields were not provided: {name} is required")
    _unique(ctx, own)
    key = ctx.sequence("employee", start=101)
    made = ctx.db.add(Employee(id=key, created=stamp(ctx), lastChanged=stamp(ctx), **own))
    for alias, columns in rows.items():
        add_row(ctx, made, TABLES[alias], {TABLES[alias].effective: made.hireDate or today(ctx).isoformat(), **columns})
    return made


def change(ctx: Ctx, employee: Employee, given: Mapping[str, Any]) -> None:
    """Changes fields. Job, pay and status change from today on, in rows of their tables."""
    own, rows = _sorted_out(ctx, given)
    if not own and not rows:
        raise refuse(403, "None of the requested fields can be updated")
    for name in ("firstName", "lastName"):
        if name in own and not own[name]:
            raise refuse(409, f"{name} cannot be empty")
    _unique(ctx, own, employee.id)
    if own:
        ctx.db.update(employee, **own)
    for alias, columns in rows.items():
        write_through(ctx, employee, alias, columns, today(ctx).isoformat())
    touch(ctx, employee)


DIRECTORY = tuple(
    FIELDS[name]
    for name in (
        "displayName", "firstName", "lastName", "preferredName", "jobTitle", "workPhone", "mobilePhone", "workEmail", "department",
        "location", "division", "linkedIn", "workPhoneExtension", "supervisor", "photoUploaded", "photoUrl",
    )
)  # fmt: skip
