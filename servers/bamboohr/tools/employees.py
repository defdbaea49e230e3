"""Employees. https://documentation.bamboohr.com/reference/employees-1"""

from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, urlencode

from pydantic import BaseModel, ConfigDict

from legoenv_mcp.app import (
    MISSING,
    ApiError,
    BadCursor,
    Ctx,
    Field,
    Payload,
    Query,
    Reply,
    decode_cursor,
    encode_cursor,
)

from .. import xml
from ..app import Accept, Format, app, done, located
from ..dates import address, today
from ..employees import DIRECTORY, add, change, chosen, photo_url, split_fields, status, the_employee, value
from ..errors import coded, refuse
from ..fields import LISTS, field_of
from ..models import Employee, ListOption
from ..tables import Current

EmployeeId = Annotated[str, Field(max_length=20)]
OnlyCurrent = Annotated[bool | MISSING, Query()]


class EmployeeInput(BaseModel):
    """An employee's fields by name. Any field that list_fields names may be given."""

    model_config = ConfigDict(extra="allow")
    firstName: Any = Field(default=MISSING, description="Legal first name.")
    lastName: Any = Field(default=MISSING, description="Legal last name.")
    preferredName: Any = Field(default=MISSING, description="Preferred first name.")
    workEmail: Any = Field(default=MISSING, description="Work email address; no two employees share one.")
    homeEmail: Any = Field(default=MISSING, description="Home email address.")
    workPhone: Any = Field(default=MISSING, description="Work phone.")
    mobilePhone: Any = Field(default=MISSING, description="Mobile phone.")
    employeeNumber: Any = Field(default=MISSING, description="The company's own number for the employee; unique.")
    hireDate: Any = Field(default=MISSING, description="YYYY-MM-DD.")
    dateOfBirth: Any = Field(default=MISSING, description="YYYY-MM-DD.")
    jobTitle: Any = Field(default=MISSING, description="Job title; makes a row of jobInfo.")
    department: Any = Field(default=MISSING, description="Department; makes a row of jobInfo.")
    division: Any = Field(default=MISSING, description="Division; makes a row of jobInfo.")
    location: Any = Field(default=MISSING, description="Location; makes a row of jobInfo.")
    employmentHistoryStatus: Any = Field(
        default=MISSING, description="Employment status, such as Full-Time; makes a row of employmentStatus."
    )
    payRate: Any = Field(
        default=MISSING, description="Pay with currency, like `53600.00 USD`; makes a row of compensation."
    )
    payType: Any = Field(default=MISSING, description="`Salary`, `Hourly` ...; makes a row of compensation.")
    payPer: Any = Field(default=MISSING, description="`Year`, `Month`, `Hour` ...; makes a row of compensation.")
    address1: Any = Field(default=MISSING, description="Home address, first line.")
    city: Any = Field(default=MISSING, description="Home city.")
    state: Any = Field(default=MISSING, description="Home state or province.")
    zipcode: Any = Field(default=MISSING, description="Postal code.")
    country: Any = Field(default=MISSING, description="Country name or ISO code.")


Given = Annotated[EmployeeInput | str | bytes, Payload()]


def given_fields(given: EmployeeInput | str | bytes) -> dict[str, Any]:
    """The fields of a JSON object or an `<employee>` document."""
    if isinstance(given, BaseModel):
        return given.model_dump(exclude_unset=True)
    return xml.values(given, "employee")


@app.get("/v1/employees/{id}", tool="get_employee")
def get_employee(
    ctx: Ctx, id: EmployeeId, fields: Annotated[str | MISSING, Field(max_length=20_000)] = MISSING, onlyCurrent: OnlyCurrent = MISSING,
    accept: Accept = MISSING, format: Format = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Gets the fields of an employee that are asked for, and only those.

    Job, pay and status are the values in effect today; the tables jobInfo, compensation and employmentStatus have the history and
    what is to come.

    id: The employee's id; 0 is the employee to whom the API key belongs.
    fields: Field names or ids, separated by commas, as list_fields has them: `firstName,lastName,jobTitle,department,payRate,status`.
      Names that are no field are left out of the answer.
    onlyCurrent: false to see values that take effect in the future instead of today's.
    accept: `application/json` for JSON; otherwise the answer is XML.
    format: `json` for JSON.
    """
    employee = the_employee(ctx, id)
    names = split_fields(fields) if isinstance(fields, str) else []
    return chosen(Current(ctx, future=onlyCurrent is False), employee, names)


@app.get("/v1/employees/directory", tool="get_employees_directory")
def get_employees_directory(ctx: Ctx, onlyCurrent: OnlyCurrent = MISSING, accept: Accept = MISSING) -> Reply:
    """Gets the company directory: every active employee with job, contact details and manager.

    onlyCurrent: false to include employees whose hire date or status is still to come.
    accept: `application/json` for JSON; otherwise the answer is XML.
    """
    now = Current(ctx, future=onlyCurrent is False)
    shown = [
        e
        for e in ctx.db.find(Employee)
        if status(now, e) == "Active" and (onlyCurrent is False or not _to_come(ctx, e))
    ]
    shown.sort(key=lambda e: (e.lastName.casefold(), e.firstName.casefold(), e.id))
    if not shown:
        raise refuse(404, "The directory is empty")
    fieldset = [{"id": f.alias, "type": f.type, "name": f.name} for f in DIRECTORY]
    employees = [
        {"id": str(e.id), **{f.alias: value(now, e, f) for f in DIRECTORY}, "canUploadPhoto": True} for e in shown
    ]
    if ctx.request.method:
        return Reply(
            {
                "fields": [*fieldset, {"id": "canUploadPhoto", "type": "bool", "name": "Can Upload Photo"}],
                "employees": employees,
            }
        )
    for one in employees:
        del one["firstName"], one["lastName"]
    return Reply({"employees": employees})


def _to_come(ctx: Ctx, employee: Employee) -> bool:
    return bool(employee.hireDate and employee.hireDate > today(ctx).isoformat())


@app.post("/v1/employees", tool="create_employee", status=201)
def create_employee(ctx: Ctx, employee: Given) -> Reply:
    """Adds an employee. First and last name are needed; any other field may be given.

    Job, pay and employment status take effect on the hire date, or today where there is none. The answer has the new employee's id.

    employee: The fields by name.
    """
    made = add(ctx, given_fields(employee))
    return done(ctx, 201, located(ctx, f"employees/{made.id}"), id=str(made.id))


@app.post("/v1/employees/{id}", tool="update_employee", effect="update")
def update_employee(ctx: Ctx, id: EmployeeId, employee: Given) -> Reply:
    """Changes an employee's fields; those that are not given stay.

    A job title, department, pay or status given here takes effect today, in a row of its table. For another day use
    create_table_row. To end an employment, add a row with the status Terminated to the table employmentStatus.

    id: The employee's id.
    employee: The fields to change by name. An empty text clears a field.
    """
    found = the_employee(ctx, id)
    change(ctx, found, given_fields(employee))
    return done(ctx, id=str(found.id))


class EmployeeFilter(BaseModel):
    """What listed employees match."""

    firstName: str | MISSING = Field(default=MISSING, max_length=200, description="Part of the first name.")
    lastName: str | MISSING = Field(default=MISSING, max_length=200, description="Part of the last name.")
    jobTitleName: str | MISSING = Field(default=MISSING, max_length=200, description="Part of the current job title.")
    status: Literal["active", "inactive"] | MISSING = Field(default=MISSING, description="`active` or `inactive`.")
    ids: list[int] | str | MISSING = Field(default=MISSING, description="These ids only.")


class PageInput(BaseModel):
    """Where in the list to read."""

    limit: int | MISSING = Field(default=MISSING, ge=1, le=100, description="How many, at most 100; 50 by default.")
    after: str | MISSING = Field(default=MISSING, max_length=200, description="`nextCursor` of the page before.")
    before: str | MISSING = Field(default=MISSING, max_length=200, description="`prevCursor` of the page after.")


_DEFAULT = {"employeeId": "id", "firstName": "firstName", "lastName": "lastName", "preferredName": "preferredName", "photoUrl": "photoUrl",
            "jobTitleName": "jobTitle", "status": "status"}  # fmt: skip
_MORE = {
    **{n: n for n in ("workEmail", "homeEmail", "bestEmail", "middleName", "workPhone", "workPhoneExtension", "mobilePhone", "homePhone",
                      "skypeUsername", "hireDate")},
    "linkedinUrl": "linkedIn", "birthDate": "dateOfBirth", "divisionName": "division", "departmentName": "department",
    "locationName": "location", "employmentStatusName": "employmentHistoryStatus", "reportsToName": "supervisor",
    "reportsToId": "supervisorEId", "facebookUrl": "", "instagramUrl": "", "twitterUrl": "", "pinterestUrl": "",
}  # fmt: skip
_OPTION_IDS = {"divisionId": 1355, "departmentId": 4, "locationId": 18, "jobTitleId": 17, "employmentStatusId": 16}


def _value(now: Current, employee: Employee, name: str) -> Any:
    if name == "photoUrl":
        return photo_url(now, employee)
    spec = field_of({**_DEFAULT, **_MORE}[name])
    return None if spec is None else value(now, employee, spec)


def _option_id(now: Current, employee: Employee, name: str, options: dict[tuple[int, str], str]) -> str | None:
    spec = field_of(LISTS[_OPTION_IDS[name]].alias)
    assert spec is not None
    return options.get((_OPTION_IDS[name], str(value(now, employee, spec)).lower()))


@app.get("/v1/employees", tool="list_employees")
def list_employees(
    ctx: Ctx, filter: Annotated[EmployeeFilter | MISSING, Query()] = MISSING, sort: Annotated[str, Field(max_length=200)] = "",
    fields: Annotated[str, Field(max_length=5000)] = "", page: Annotated[PageInput | MISSING, Query()] = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists employees page by page, with names, job title, status and further fields; finds employees by name or job title.

    filter: What they match; names and titles by part of them, in any case.
    sort: Fields to sort by, separated by commas, with a - before those that go down: employeeId, firstName, lastName, preferredName,
      jobTitleName, status.
    fields: Further fields, separated by commas: workEmail, workPhone, mobilePhone, homeEmail, hireDate, birthDate, departmentName,
      divisionName, locationName, employmentStatusName, reportsToName, reportsToId, departmentId, jobTitleId.
    page: Which part of the list: limit, and a cursor of another page as after or before.
    """
    now, ask = Current(ctx), filter if isinstance(filter, EmployeeFilter) else EmployeeFilter()
    rows = [e for e in ctx.db.find(Employee) if _fits(now, e, ask)]
    for name in reversed([n.strip() for n in sort.split(",") if n.strip()]):
        if (plain := name.removeprefix("-")) not in _DEFAULT or plain == "photoUrl":
            raise coded(400, "BadRequest", f"Cannot sort by {plain[:60]}")
        rows.sort(key=lambda e, by=plain: _sort_key(now, e, by), reverse=name.startswith("-"))
    where = page if isinstance(page, PageInput) else PageInput()
    limit = where.limit if isinstance(where.limit, int) else 50
    start, scope = 0, f"employees:{sort}"
    if isinstance(where.after, str) and isinstance(where.before, str):
        raise _bad_page("Only one of page[after] and page[before] may be given")
    try:
        if isinstance(where.after, str):
            start = decode_cursor(where.after, scope)
        elif isinstance(where.before, str):
            start = max(0, decode_cursor(where.before, scope) - limit)
    except BadCursor:
        raise _bad_page("The page cursor is malformed") from None
    names = [n.strip() for n in fields.split(",")]
    options = (
        {(o.fieldId, o.name.lower()): str(o.id) for o in ctx.db.find(ListOption)}
        if set(names) & set(_OPTION_IDS)
        else {}
    )
    data = [
        {
            **{name: _value(now, e, name) for name in _DEFAULT},
            **{n: _value(now, e, n) for n in names if n in _MORE},
            **{n: _option_id(now, e, n, options) for n in names if n in _OPTION_IDS},
            "_restrictedFields": [],
        }
        for e in rows[start : start + limit]
    ]
    more = encode_cursor(start + limit, scope) if start + limit < len(rows) else None
    back = encode_cursor(start, scope) if start else None
    pages = {"next": ("page[after]", more), "prev": ("page[before]", back)}
    links = {"self": _link(ctx, {})} | {
        name: _link(ctx, {"page[limit]": str(limit), which: cursor})
        for name, (which, cursor) in pages.items()
        if cursor
    }
    return {
        "data": data, "meta": {"total": len(rows), "page": {"limit": limit, "nextCursor": more, "prevCursor": back}}, "_links": links,
    }  # fmt: skip


def _link(ctx: Ctx, page: dict[str, str]) -> dict[str, str]:
    """The address of another page of the same list: its filters, sorts and fields stay."""
    said = parse_qsl(ctx.request.url.partition("?")[2], keep_blank_values=True)
    asked = urlencode([*((k, v) for k, v in said if not page or not k.startswith("page[")), *page.items()])
    return {"href": address(ctx, "employees") + (f"?{asked}" if asked else "")}


def _bad_page(why: str) -> ApiError:
    return coded(400, "BadPage", why)


def _sort_key(now: Current, employee: Employee, name: str) -> Any:
    """Numbers as numbers, texts in any case, nothing first."""
    if name == "employeeId":
        return employee.id
    found = _value(now, employee, name)
    return ("", "") if found is None else (str(found).casefold(), str(found))


def _fits(now: Current, employee: Employee, ask: EmployeeFilter) -> bool:
    for name in ("firstName", "lastName", "jobTitleName"):
        wanted = getattr(ask, name)
        if isinstance(wanted, str) and wanted.casefold() not in str(_value(now, employee, name) or "").casefold():
            return False
    if isinstance(ask.status, str) and status(now, employee).lower() != ask.status:
        return False
    if isinstance(ask.ids, list):
        return employee.id in ask.ids
    return not isinstance(ask.ids, str) or str(employee.id) in [i.strip() for i in ask.ids.split(",")]
