"""The account's fields, tables, lists and users. https://documentation.bamboohr.com/reference/account-information"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel

from legoenv_mcp.app import MISSING, Ctx, Field, Reply

from .. import xml
from ..app import Accept, Format, app
from ..countries import COUNTRIES, STATES, country_code
from ..dates import account, stamp
from ..employees import status
from ..errors import refuse
from ..fields import FIELDS, LISTS, TABLES, ListField
from ..models import Employee, ListOption, Table, User
from ..models_more import JobOpening
from ..tables import Current
from ..values import add_option

_NUMBERS = {str(n): code for n, code in enumerate(COUNTRIES, start=1)}


@app.get("/v1/company_information", tool="get_company_information", mcp=False)
def get_company_information(ctx: Ctx) -> dict[str, Any]:
    """Gets the company's names, address and phone."""
    own = account(ctx)
    address = {"line1": "", "line2": "", "city": "", "state": "", "zip": ""}
    return {"legalName": own.name, "displayName": own.name, "address": address, "phone": ""}


@app.get("/v1/meta/fields", tool="list_fields")
def list_fields(ctx: Ctx, accept: Accept = MISSING) -> Any:
    """Lists the fields of employees: id, name, type, and the alias by which other operations take them.

    accept: `application/json` for JSON; otherwise the answer is XML.
    """
    return [{"id": f.id, "name": f.name, "type": f.type, "alias": f.alias} for f in FIELDS.values()]


@app.get("/v1/meta/tables", tool="list_tabular_fields")
def list_tabular_fields(ctx: Ctx, accept: Accept = MISSING) -> Any:
    """Lists the tables of employees with their fields.

    accept: `application/json` for JSON; otherwise the answer is XML.
    """
    return [
        {
            "alias": t.alias,
            "fields": [{"id": c.id, "name": c.name, "alias": c.alias, "type": c.type} for c in t.columns],
        }
        for t in TABLES.values()
    ]


def _flag(yes: bool) -> str:
    return "yes" if yes else "no"


def _shown_list(ctx: Ctx, spec: ListField) -> dict[str, Any]:
    options = [
        {
            "id": o.id, "name": o.name, "archived": _flag(o.archived), "createdDate": o.createdDate, "archivedDate": o.archivedDate,
        }
        for o in ctx.db.find(ListOption, fieldId=spec.id)
    ]  # fmt: skip
    return {
        "fieldId": str(spec.id), "manageable": _flag(spec.manageable), "multiple": "no", "name": spec.name, "options": options,
        "alias": spec.alias,
    }  # fmt: skip


@app.get("/v1/meta/lists", tool="list_list_fields")
def list_list_fields(ctx: Ctx, accept: Accept = MISSING, format: Format = MISSING) -> Any:
    """Lists the list fields with their options: departments, job titles, locations, employment statuses and so on.

    accept: `application/json` for JSON; otherwise the answer is XML.
    format: `json` for JSON.
    """
    return [_shown_list(ctx, spec) for spec in LISTS.values()]


class OptionInput(BaseModel):
    """An option to add, rename or archive."""

    id: int | MISSING = Field(default=MISSING, description="The option's id; leave it out to add one.")
    value: Annotated[str, Field(min_length=1, max_length=200)] | MISSING = Field(
        default=MISSING, description="The option's name."
    )
    archived: Literal["yes", "no"] | MISSING = Field(
        default=MISSING, description="yes to archive the option, no to have it back."
    )
    adpCode: str | MISSING = Field(default=MISSING, description="A code for payroll, which is not kept.")


@app.put("/v1/meta/lists/{listFieldId}", tool="update_list_field_values")
def update_list_field_values(
    ctx: Ctx, listFieldId: int, options: Annotated[list[OptionInput], Field(max_length=200)]
) -> Reply:
    """Adds, renames or archives options of a list field. A renamed option keeps its employees; an archived one is not taken any more.

    listFieldId: The list's field id, as list_list_fields shows it.
    options: The options to change, by id, and those to add, without.
    """
    spec = LISTS.get(listFieldId)
    if spec is None:
        raise refuse(404, f"The list field {listFieldId} does not exist")
    if not spec.manageable:
        raise refuse(403, f"The list {spec.name} is not editable")
    for one in options:
        _set_option(ctx, spec, one)
    shown = _shown_list(ctx, spec)
    return Reply(xml.whole(xml.one_list(shown)), media_type=xml.MEDIA) if ctx.request.method else Reply(shown)


def _set_option(ctx: Ctx, spec: ListField, one: OptionInput) -> None:
    name = one.value.strip() if isinstance(one.value, str) else ""
    row = ctx.db.get(ListOption, one.id) if isinstance(one.id, int) else None
    if isinstance(one.id, int) and (row is None or row.fieldId != spec.id):
        raise refuse(404, f"The option {one.id} does not exist in the list {spec.name}")
    if row is None and not name:
        raise refuse(400, "An option needs a value")
    if name and any(
        o.name.lower() == name.lower() and (row is None or o.id != row.id)
        for o in ctx.db.find(ListOption, fieldId=spec.id)
    ):
        raise refuse(409, f"The list {spec.name} already has the value {name}")
    if row is None:
        row = add_option(ctx, spec.id, name)
    elif name and name != row.name:
        _rename(ctx, spec, row.name, name)
        ctx.db.update(row, name=name)
    if isinstance(one.archived, str):
        archived = one.archived == "yes"
        ctx.db.update(row, archived=archived, archivedDate=stamp(ctx) if archived else None)


def _rename(ctx: Ctx, spec: ListField, old: str, new: str) -> None:
    """Rows hold options by name: a renamed one is renamed where it is held."""
    places: dict[tuple[type[Table], str], None] = {
        (table.row, column.alias): None
        for table in TABLES.values()
        for column in table.columns
        if column.list == spec.id
    }
    if spec.alias == "department":
        places[JobOpening, "department"] = None
    for row_type, name in places:
        held: dict[str, Any] = {name: old}
        for row in ctx.db.find(row_type, **held):
            ctx.db.update(row, **{name: new})


@app.get("/v1/meta/users", tool="list_users")
def list_users(ctx: Ctx, status: Annotated[str, Field(max_length=60)] = "", accept: Accept = MISSING) -> dict[str, Any]:
    """Lists the users of the account with the employees that they are.

    status: `enabled` or `disabled`, or both separated by a comma.
    accept: `application/json` for JSON; otherwise the answer is XML.
    """
    said = {s.strip() for s in status.split(",") if s.strip()}
    wanted = said & {"enabled", "disabled"}
    if not ctx.request.method and said - wanted:
        raise refuse(400, "status must be enabled, disabled or both separated by a comma")
    now, found = Current(ctx), dict[str, Any]()
    for user in ctx.db.find(User):
        employee = ctx.db.get(Employee, user.employeeId) if user.employeeId else None
        is_enabled = user.enabled and (employee is None or _is_active(now, employee))
        shown = "enabled" if is_enabled else "disabled"
        if wanted and shown not in wanted:
            continue
        found[str(user.id)] = {
            "id": user.id, "employeeId": user.employeeId or 0, "firstName": employee.firstName if employee else "",
            "lastName": employee.lastName if employee else "",
            "email": (employee.workEmail or employee.homeEmail if employee else None) or user.email, "status": shown,
            **({"lastLogin": user.lastLogin} if user.lastLogin else {}),
        }  # fmt: skip
    return found


def _is_active(now: Current, employee: Employee) -> bool:
    return status(now, employee) == "Active"


@app.get("/v1/meta/countries/options", tool="get_countries_options", mcp=False)
def get_countries_options(ctx: Ctx) -> Any:
    """Lists the countries that addresses can have."""
    return [{"id": number, "name": COUNTRIES[code], "isoCode": code} for number, code in _NUMBERS.items()]


@app.get("/v1/meta/provinces/{countryId}", tool="get_states_by_country_id", mcp=False)
def get_states_by_country_id(ctx: Ctx, countryId: str) -> dict[str, Any]:
    """Lists the states or provinces of a country.

    countryId: The country's id, as the list of countries has it.
    """
    code = _NUMBERS.get(countryId)
    if code is None:
        raise refuse(400, "The country id is invalid")
    states = STATES.get(country_code(COUNTRIES[code]), {})
    return {
        "options": [
            {"id": n, "label": state, "iso": f"{code}-{state}", "name": name}
            for n, (state, name) in enumerate(sorted(states.items()), start=1)
        ]
    }
