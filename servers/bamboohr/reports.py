"""Reports over employees, in the formats that they can be had in. https://documentation.bamboohr.com/reference/reports-1"""

import csv
import io
from collections.abc import Sequence
from typing import Any

from legoenv_mcp.app import Ctx, Reply

from . import xml
from .dates import address
from .employees import chosen, status, value
from .errors import refuse
from .fields import FieldSpec, field_of
from .models import Employee, Report
from .tables import Current

FORMATS = {"json": "application/json", "csv": "text/csv", "xml": "text/xml"}
_BINARY = {"pdf": "application/pdf", "xls": "application/vnd.ms-excel"}


def wanted_format(ctx: Ctx, given: Any) -> str:
    """The format by name or, where none is given, by the Accept header, which must be one of the formats exactly."""
    if not isinstance(given, str):
        if not ctx.request.method:
            return "json"
        accept = ctx.request.headers.get("accept", "")
        given = next((name for name, kind in {**FORMATS, **_BINARY}.items() if kind == accept.strip()), accept)
    name = given.lower()
    if name in _BINARY:
        raise refuse(404, f"Report format not found: {name} is not produced here; use json, csv or xml")
    if name not in FORMATS:
        raise refuse(404, f"Report format not found: {name[:40]}")
    return name


def columns(names: Sequence[str]) -> list[tuple[str, FieldSpec]]:
    """The fields of a report under the names by which they are asked for; unknown ones are left out."""
    return [(name, spec) for name in dict.fromkeys(names) if (spec := field_of(name)) is not None and name != "id"]


def of_report(now: Current, report: Report) -> list[Employee]:
    """The employees of a saved report."""
    return [e for e in now.ctx.db.find(Employee) if report.status is None or status(now, e) == report.status]


def rendered(
    title: str, fields: list[tuple[str, FieldSpec]], now: Current, employees: Sequence[Employee], form: str
) -> Reply:
    """A report in a format."""
    if form == "csv":
        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\r\n")
        rows.writerow([spec.name for _, spec in fields])
        rows.writerows([["" if (v := value(now, e, spec)) is None else v for _, spec in fields] for e in employees])
        name = "".join(c if (c.isascii() and c.isalnum()) or c in " -_" else "_" for c in title)[:100]
        return Reply(
            out.getvalue(),
            headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
            media_type="text/csv; charset=utf-8",
        )
    names = [name for name, _ in fields]
    head = [{"id": name, "type": spec.type, "name": spec.name} for name, spec in fields]
    data = [chosen(now, e, names) for e in employees]
    if form == "xml":
        parts = [
            xml.tag("title", title), xml.tag("fields", [xml.tag("field", f["name"], id=f["id"], type=f["type"]) for f in head]),
            xml.tag("employees", [
                xml.tag("employee", [xml.field(k, v) for k, v in one.items() if k != "id"], id=one["id"]) for one in data
            ]),
        ]  # fmt: skip
        return Reply(xml.whole(xml.tag("report", parts)), media_type=xml.MEDIA)
    return Reply({"title": title, "fields": head, "employees": data})


def paged(
    ctx: Ctx, rows: Sequence[Any], page: Any, size: Any, path: str, default: int
) -> tuple[list[Any], dict[str, Any]]:
    """A page by number, moved to the nearest that there is, with links to its neighbours."""
    size = size if isinstance(size, int) and 1 <= size <= 1000 else default
    pages = max(1, -(-len(rows) // size))
    number = min(max(page if isinstance(page, int) else 1, 1), pages)

    def link(n: int) -> str | None:
        return f"{address(ctx, path)}?page={n}&page_size={size}" if 1 <= n <= pages else None

    told = {
        "total_records": len(rows),
        "current_page": number,
        "total_pages": pages,
        "next_page": link(number + 1),
        "prev_page": link(number - 1),
    }
    return list(rows[(number - 1) * size : number * size]), told
