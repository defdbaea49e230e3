"""Saved reports and reports on request. https://documentation.bamboohr.com/reference/reports-1"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict

from legoenv_mcp.app import MISSING, Ctx, Field, Payload, Query, Reply

from .. import xml
from ..app import Accept, app
from ..dates import moment
from ..employees import MAX_FIELDS, chosen
from ..errors import coded, refuse
from ..models import Employee, Report
from ..reports import columns, of_report, paged, rendered, wanted_format
from ..tables import Current

Page = Annotated[int | str | MISSING, Query()]
Form = Annotated[str | MISSING, Query("format"), Field(max_length=40)]


def _number(value: Any) -> int | None:
    """A page or size that may be anything: what is no number counts as not given."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return None


@app.get("/v1/custom-reports", tool="list_reports")
def list_reports(ctx: Ctx, page: Page = MISSING, page_size: Page = MISSING) -> dict[str, Any]:
    """Lists the company's saved reports.

    page: The page's number, from 1.
    page_size: How many a page has, at most 1000.
    """
    rows, pagination = paged(ctx, ctx.db.find(Report), _number(page), _number(page_size), "custom-reports", 500)
    return {"reports": [{"id": r.id, "name": r.name} for r in rows], "pagination": pagination}


@app.get("/v1/custom-reports/{reportId}", tool="get_report_by_id")
def get_report_by_id(ctx: Ctx, reportId: int, page: Page = MISSING, page_size: Page = MISSING) -> dict[str, Any]:
    """Runs a saved report: for each employee in it, the report's fields.

    reportId: The report's id, as list_reports shows it.
    page: The page's number, from 1.
    page_size: How many records a page has, at most 1000.
    """
    report = ctx.db.get(Report, reportId)
    if report is None:
        raise coded(404, 404, "Report not found")
    now, default = Current(ctx), 500 if ctx.request.method else 100
    rows, pagination = paged(
        ctx, of_report(now, report), _number(page), _number(page_size), f"custom-reports/{reportId}", default
    )
    names = [name for name, _ in columns(report.fields)]
    data = [{name: chosen(now, e, names).get(name) for name in names} for e in rows]
    return {"data": data, "aggregations": [], "pagination": pagination}


@app.get("/v1/reports/{id}", tool="get_company_report", mcp=False)
def get_company_report(
    ctx: Ctx,
    id: int,
    format: Form = MISSING,
    fd: str | MISSING = MISSING,
    onlyCurrent: str | MISSING = MISSING,
    accept: Accept = MISSING,
) -> Reply:
    """Runs a saved report and answers it as a document.

    id: The report's id.
    format: `json`, `csv` or `xml`.
    fd: `no` to keep duplicate rows.
    onlyCurrent: `false` to see values that take effect in the future instead of today's.
    accept: The format's media type, where no format is given.
    """
    form, report = wanted_format(ctx, format), ctx.db.get(Report, id)
    if report is None:
        raise refuse(404, "Report not found")
    now = Current(ctx, future=str(onlyCurrent).lower() in ("false", "0"))
    return rendered(report.name, columns(report.fields), now, of_report(now, report), form)


class LastChanged(BaseModel):
    """When employees were last changed."""

    value: str = Field(max_length=40, description="Employees changed at or after this ISO 8601 time.")
    includeNull: Literal["yes", "no"] = Field(default="yes", description="no to leave out those never changed.")


class Filters(BaseModel):
    """Whom a report has."""

    model_config = ConfigDict(extra="ignore")
    lastChanged: LastChanged | MISSING = Field(default=MISSING, description="By when they were last changed.")
    employeeIds: Annotated[list[int], Field(max_length=5000)] | MISSING = Field(
        default=MISSING, description="Only these employees."
    )


class ReportInput(BaseModel):
    """What a report shows."""

    model_config = ConfigDict(extra="ignore")
    title: str = Field(default="Report", max_length=255, description="The report's title.")
    fields: Annotated[list[str | int], Field(max_length=5000)] = Field(
        description="Field names or ids, as list_fields has them."
    )
    filters: Filters | MISSING = Field(default=MISSING, description="Whom it has; everybody by default.")
    filterDuplicates: Literal["yes", "no"] = Field(default="yes", description="no to keep duplicate rows.")


def _document(body: str | bytes) -> ReportInput:
    """A `<report>` document as a report."""
    root = xml.parsed(body, "report")
    title, changed = root.findtext("title") or "Report", root.find("filters/lastChanged")
    filters: Any = MISSING
    if changed is not None:
        empty = "no" if changed.get("includeNull") == "no" else "yes"
        filters = Filters(lastChanged=LastChanged(value=(changed.text or "").strip()[:40], includeNull=empty))
    return ReportInput(
        title=title[:255],
        fields=list[str | int]([f.get("id") or "" for f in root.iterfind("fields/field")][:5000]),
        filters=filters,
    )


@app.post("/v1/reports/custom", tool="request_custom_report", effect="read")
def request_custom_report(
    ctx: Ctx, report: Annotated[ReportInput | str | bytes, Payload()], format: Form = MISSING,
    onlyCurrent: Annotated[str | bool | MISSING, Query()] = MISSING, accept: Accept = MISSING,
) -> Reply:  # fmt: skip
    """Makes a report of chosen fields over all employees, active or not. Unknown fields are left out.

    report: The fields, a title, and whom to have.
    format: `json`, `csv` or `xml`.
    onlyCurrent: false to see values that take effect in the future instead of today's.
    accept: The format's media type, where no format is given.
    """
    form = wanted_format(ctx, format)
    ask = report if isinstance(report, ReportInput) else _document(report)
    if len(ask.fields) > MAX_FIELDS:
        raise refuse(400, f"A report has at most {MAX_FIELDS} fields")
    now, employees = Current(ctx, future=str(onlyCurrent).lower() in ("false", "0")), ctx.db.find(Employee)
    if isinstance(ask.filters, Filters):
        if isinstance(ask.filters.lastChanged, LastChanged):
            since = moment(ask.filters.lastChanged.value, "lastChanged")
            employees = [e for e in employees if ctx.parse_time(e.lastChanged) >= since]
        if isinstance(ask.filters.employeeIds, list):
            employees = [e for e in employees if e.id in set(ask.filters.employeeIds)]
    return rendered(ask.title, columns([str(f) for f in ask.fields]), now, employees, form)
