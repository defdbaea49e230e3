"""Reports. https://developer.salesforce.com/docs/atlas.en-us.api_analytics.meta/api_analytics/sforce_analytics_rest_api_getreportrundata.htm"""

import json
from typing import Any

from pydantic import BaseModel, Field

from legoenv_mcp.app import Ctx

from .. import errors, ids, reports
from ..app import app, base_path
from ..models import Report


class ReportFilter(BaseModel):
    """A condition on a report's rows."""

    column: str = Field(description="A field of the report's type, e.g. Amount or Account.Name.")
    operator: str = Field(
        description="equals, notEqual, lessThan, greaterThan, lessOrEqual, greaterOrEqual, contains, startsWith."
    )
    value: str | int | float | bool | None = Field(None, description="What to compare with.")


class ReportMetadata(BaseModel):
    """What a run replaces of the saved report."""

    reportFilters: list[ReportFilter] | None = Field(None, description="The conditions, all of which must hold.")


def _described(ctx: Ctx, report_id: str) -> dict[str, Any]:
    row = ctx.db.get(Report, ids.full(report_id) or "")
    if row is None or row.IsDeleted:
        raise errors.not_found(f"The report {report_id} does not exist or you do not have access to it")
    return reports.describe(row.Id, str(row.Name), str(row.DeveloperName), json.loads(row.Definition or "{}"))


@app.get("/services/data/v{version}/analytics/reports", tool="list_reports")
def list_reports(ctx: Ctx) -> list[dict[str, Any]]:
    """Lists the saved reports."""
    base = f"{base_path(ctx)}/analytics/reports"
    return [
        {
            "id": r.Id, "name": r.Name, "url": f"{base}/{r.Id}", "describeUrl": f"{base}/{r.Id}/describe",
            "instancesUrl": f"{base}/{r.Id}/instances",
        }
        for r in ctx.db.find(Report, order="Name", IsDeleted=False)
    ]  # fmt: skip


@app.get("/services/data/v{version}/analytics/reports/{reportId}/describe", tool="describe_report")
def describe_report(ctx: Ctx, reportId: str) -> dict[str, Any]:
    """Describes a report: its columns, groupings, totals and filters.

    reportId: The report's id.
    """
    return _described(ctx, reportId)


@app.get("/services/data/v{version}/analytics/reports/{reportId}", tool="run_report")
def run_report(ctx: Ctx, reportId: str, includeDetails: bool = False) -> dict[str, Any]:
    """Runs a report: its groups with totals in factMap, and where asked the rows behind them.

    reportId: The report's id.
    includeDetails: Whether to give the rows.
    """
    return reports.run(ctx, _described(ctx, reportId), details=includeDetails)


@app.post("/services/data/v{version}/analytics/reports/{reportId}", tool="run_report_with_filters", effect="read")
def run_report_with_filters(
    ctx: Ctx, reportId: str, reportMetadata: ReportMetadata | None = None, includeDetails: bool = False
) -> dict[str, Any]:  # fmt: skip
    """Runs a report with other filters than the saved ones, without changing it.

    reportId: The report's id.
    reportMetadata: What to replace of the saved report.
    includeDetails: Whether to give the rows.
    """
    described = _described(ctx, reportId)
    if reportMetadata is not None and reportMetadata.reportFilters is not None:
        described["reportMetadata"]["reportFilters"] = [
            {"column": f.column, "operator": f.operator, "value": f.value, "isRunPageEditable": True}
            for f in reportMetadata.reportFilters
        ]
    return reports.run(ctx, described, details=includeDetails)
