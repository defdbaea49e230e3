"""What the site is set up with: fields, issue types, statuses, priorities, resolutions."""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Query, ToolOnly

from .. import access, fields, resources, site, times
from ..app import Limit, StartAt, app, flat, refuse
from ..models import Site
from .issues import paged

Hidden = Annotated[str | None, Query(mcp=False)]


@app.get("/rest/api/{api}/field", tool="search_fields")
def search_fields(ctx: Ctx, keyword: Annotated[str | None, ToolOnly()] = None) -> Any:
    """Lists the fields of issues with their ids, names, and names in JQL.

    keyword: A part of the name or id.
    """
    wanted = (keyword or "").casefold()
    return [f.listed() for f in fields.FIELDS if wanted in f"{f.name} {f.id} {' '.join(f.clauses)}".casefold()]


@app.get("/rest/api/{api}/field/search", tool="page_fields", mcp=False)
def page_fields(
    ctx: Ctx, start_at: StartAt = 0, limit: Limit = 50, query: str = "", type: list[str] | str | None = None,
    id: list[str] | str | None = None, orderBy: Hidden = None, expand: Hidden = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the fields of issues page by page.

    start_at: How many fields to skip.
    limit: The most fields to return, up to 50.
    query: A part of the name.
    type: custom or system.
    id: Ids of fields.
    """
    kinds, ids = flat(type) or ["custom", "system"], flat(id)
    found = [
        {"id": f.id, "key": f.id, "name": f.name, "schema": f.schema()}
        for f in fields.FIELDS
        if query.casefold() in f.name.casefold()
        and (not ids or f.id in ids)
        and ("custom" if f.custom else "system") in kinds
    ]
    return paged(ctx, found, start_at, limit, 50)


@app.get("/rest/api/{api}/label", tool="page_labels", mcp=False)
def page_labels(ctx: Ctx, start_at: StartAt = 0, limit: Limit = 1000) -> dict[str, Any]:
    """Lists the labels that issues have.

    start_at: How many labels to skip.
    limit: The most labels to return, up to 1000.
    """
    found = ctx.db.query("SELECT DISTINCT j.value AS label FROM issue, json_each(issue.labels) j ORDER BY label")
    return paged(ctx, [r["label"] for r in found], start_at, limit, 1000)


@app.get("/rest/api/{api}/status", tool="get_statuses")
def get_statuses(ctx: Ctx) -> Any:
    """Lists the statuses that issues can have, with their category: To Do, In Progress or Done."""
    return [resources.status(ctx, id) for id in site.STATUSES]


def _one(options: dict[int, Any], given: str, noun: str) -> int:
    found = site.named(options, given)
    if found is None:
        raise refuse(404, f"The {noun} with id '{given}' does not exist")
    return found.id


@app.get("/rest/api/{api}/status/{id}", tool="get_status", mcp=False)
def get_status(ctx: Ctx, id: str) -> dict[str, Any]:
    """Gets a status.

    id: Its id or name.
    """
    return resources.status(ctx, _one(site.STATUSES, id, "status"))


@app.get("/rest/api/{api}/statuscategory", tool="get_status_categories", mcp=False)
def get_status_categories(ctx: Ctx) -> Any:
    """Lists the categories of statuses."""
    return [resources.category(ctx, c) for c in site.CATEGORIES]


@app.get("/rest/api/{api}/priority", tool="get_priorities", mcp=False)
def get_priorities(ctx: Ctx) -> Any:
    """Lists the priorities, the most urgent first."""
    return [resources.priority(ctx, id, whole=True) for id in site.PRIORITIES]


@app.get("/rest/api/{api}/priority/search", tool="page_priorities", mcp=False)
def page_priorities(ctx: Ctx, start_at: StartAt = 0, limit: Limit = 50) -> dict[str, Any]:
    """Lists the priorities page by page.

    start_at: How many priorities to skip.
    limit: The most priorities to return.
    """
    return paged(ctx, [resources.priority(ctx, id, whole=True) for id in site.PRIORITIES], start_at, limit)


@app.get("/rest/api/{api}/priority/{id}", tool="get_priority", mcp=False)
def get_priority(ctx: Ctx, id: str) -> Any:
    """Gets a priority.

    id: Its id.
    """
    return resources.priority(ctx, _one(site.PRIORITIES, id, "priority"), whole=True)


@app.get("/rest/api/{api}/resolution", tool="get_resolutions", mcp=False)
def get_resolutions(ctx: Ctx) -> Any:
    """Lists the resolutions with which issues are closed."""
    return [resources.resolution(ctx, id) for id in site.RESOLUTIONS]


@app.get("/rest/api/{api}/resolution/search", tool="page_resolutions", mcp=False)
def page_resolutions(ctx: Ctx, start_at: StartAt = 0, limit: Limit = 50) -> dict[str, Any]:
    """Lists the resolutions page by page.

    start_at: How many resolutions to skip.
    limit: The most resolutions to return.
    """
    return paged(ctx, [resources.resolution(ctx, id) for id in site.RESOLUTIONS], start_at, limit)


@app.get("/rest/api/{api}/resolution/{id}", tool="get_resolution", mcp=False)
def get_resolution(ctx: Ctx, id: str) -> Any:
    """Gets a resolution.

    id: Its id.
    """
    return resources.resolution(ctx, _one(site.RESOLUTIONS, id, "resolution"))


@app.get("/rest/api/{api}/issuetype", tool="get_issue_types", mcp=False)
def get_issue_types(ctx: Ctx) -> Any:
    """Lists the issue types."""
    return [resources.issue_type(ctx, id) for id in site.KINDS]


@app.get("/rest/api/{api}/issuetype/{id}", tool="get_issue_type", mcp=False)
def get_issue_type(ctx: Ctx, id: str) -> dict[str, Any]:
    """Gets an issue type.

    id: Its id.
    """
    return resources.issue_type(ctx, _one(site.KINDS, id, "issue type"))


@app.get("/rest/api/{api}/serverInfo", tool="get_server_info", mcp=False)
def get_server_info(ctx: Ctx, doHealthCheck: Hidden = None) -> dict[str, Any]:
    """Gets what the site is."""
    here = ctx.db.get(Site, 1)
    return {
        "baseUrl": access.base_url(ctx), "version": "1001.0.0-SNAPSHOT", "versionNumbers": [1001, 0, 0], "deploymentType": "Cloud",
        "buildNumber": 100287, "buildDate": "2026-02-27T08:00:00.000+0000", "serverTime": times.wire(times.moment(ctx.now)),
        "scmInfo": "0000000000000000000000000000000000000000", "serverTitle": here.name if here else "Jira",
        "defaultLocale": {"locale": "en_US"},
    }  # fmt: skip


_PERMISSIONS = (
    "BROWSE_PROJECTS",
    "CREATE_ISSUES",
    "EDIT_ISSUES",
    "ASSIGN_ISSUES",
    "TRANSITION_ISSUES",
    "ADD_COMMENTS",
    "DELETE_ISSUES",
)
_FOR_ADMINS = ("ADMINISTER", "ADMINISTER_PROJECTS", "EDIT_ALL_COMMENTS", "DELETE_ALL_COMMENTS", "DELETE_ALL_WORKLOGS")


@app.get("/rest/api/{api}/mypermissions", tool="get_my_permissions", mcp=False)
def get_my_permissions(
    ctx: Ctx, permissions: str | None = None, projectKey: Hidden = None, projectId: Hidden = None, issueKey: Hidden = None,
    issueId: Hidden = None,
) -> dict[str, Any]:  # fmt: skip
    """Tells what the caller may.

    permissions: Which permissions to look at, separated by commas.
    """
    where = projectKey or projectId
    if issueKey or issueId:
        where = str(access.issue(ctx, issueKey or issueId).project_id)
    admin = access.administers(ctx, access.project(ctx, where)) if where else access.me(ctx).admin
    wanted = [p.strip() for p in (permissions or "").split(",") if p.strip()] or [*_PERMISSIONS, *_FOR_ADMINS]
    unknown = [p for p in wanted if p not in (*_PERMISSIONS, *_FOR_ADMINS)]
    if unknown:
        raise refuse(400, f"Unrecognized permission(s): {', '.join(unknown)}")
    return {
        "permissions": {
            p: {
                "id": str(n), "key": p, "name": p.replace("_", " ").capitalize(), "type": "GLOBAL" if p == "ADMINISTER" else "PROJECT",
                "description": "", "havePermission": p in _PERMISSIONS or admin,
            }
            for n, p in enumerate(wanted)
        }
    }  # fmt: skip


@app.get("/rest/auth/{api}/session", tool="get_session", mcp=False)
def get_session(ctx: Ctx) -> dict[str, Any]:
    """Tells whose session it is, for clients that still ask so."""
    caller = access.me(ctx)
    return {
        "self": resources.link(ctx, f"user?accountId={caller.accountId}"),
        "name": caller.accountId,
        "loginInfo": {"loginCount": 1},
    }
