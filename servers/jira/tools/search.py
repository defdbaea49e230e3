"""Searching with JQL. https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/"""

from typing import Annotated, Any

from legoenv_mcp.app import ApiError, Ctx, Field, Query, decode_cursor, encode_cursor

from .. import access, issues, site
from .. import fields as fields_of
from ..app import Limit, StartAt, app, flat, over_mcp
from ..jql import run

Names = list[str] | str | None
Hidden = Annotated[Any, Query(mcp=False)]
MOST = 100
_SCOPE = "jql"
_ABOUT_FIELDS = ("names", "schema")


def _about_fields(names: list[str], asked: list[str]) -> dict[str, Any]:
    """What `expand` says of the fields of all issues, beside them."""
    out = dict[str, Any]()
    if "names" in asked:
        out["names"] = {name: fields_of.BY_ID[name].name for name in names}
    if "schema" in asked:
        out["schema"] = {name: fields_of.BY_ID[name].schema() for name in names}
    return out


@app.get("/rest/api/{api}/search/jql", tool="search", also=("POST",))
def search(
    ctx: Ctx, jql: str = "", fields: Names = None, limit: Annotated[int | None, Query("maxResults"), Field(ge=0, lt=2**31)] = None,
    page_token: Annotated[str | None, Query("nextPageToken")] = None, expand: Names = None, properties: Hidden = None,
    fieldsByKeys: Hidden = None, failFast: Hidden = None, reconcileIssues: Hidden = None,
) -> dict[str, Any]:  # fmt: skip
    """Searches issues with JQL, e.g. project = KEY AND statusCategory != Done AND assignee = currentUser() ORDER BY due.

    jql: The query; it must restrict something. Quote names with spaces.
    fields: Which fields to return of each issue, *all for every one; by default summary, status, type, priority, assignee, due date.
    limit: The most issues to return, up to 100; by default 20.
    page_token: nextPageToken of the page before.
    expand: More to return of each issue: changelog, names, transitions.
    """
    size = min(limit if limit is not None else 20 if over_mcp(ctx) else 50, MOST) or MOST
    offset = decode_cursor(page_token, _SCOPE) if page_token else 0
    found = run.search(ctx, jql, size, offset, bounded=True)
    asked = flat(fields)
    names = issues.chosen(asked, issues.LISTED if over_mcp(ctx) else ("*navigable",)) if asked or over_mcp(ctx) else []
    more_of = flat(expand)
    shown = [issues.shown(ctx, row, names, [e for e in more_of if e not in _ABOUT_FIELDS]) for row in found.issues]
    if not asked and not over_mcp(ctx):
        shown = [{"id": one["id"]} for one in shown]  # the documented default: ids alone
    more = offset + len(shown) < found.total
    told = {"total": found.total} if over_mcp(ctx) else {}
    return {
        **told,
        "issues": shown,
        "isLast": not more,
        **_about_fields(names, more_of),
        **({"nextPageToken": encode_cursor(offset + size, _SCOPE)} if more else {}),
    }


@app.get("/rest/api/{api}/search", tool="search_paged", also=("POST",), mcp=False)
def search_paged(
    ctx: Ctx, jql: str | None = None, fields: Names = None, start_at: StartAt = 0, limit: Limit = 50,
    validateQuery: Hidden = "strict", expand: Names = None, properties: Hidden = None, fieldsByKeys: Hidden = None,
) -> dict[str, Any]:  # fmt: skip
    """Searches issues with JQL, with a total and numbered pages.

    jql: The query; without one every issue is found.
    fields: Which fields to return.
    start_at: How many issues to skip.
    limit: The most issues to return.
    expand: More to return of each issue.
    """
    lenient = str(validateQuery).lower() in ("warn", "none", "false")
    size = min(limit, MOST)
    found = run.search(ctx, jql or "", size, start_at, lenient=lenient)
    names = issues.chosen(flat(fields), ("*navigable",))
    asked = flat(expand)
    made: dict[str, Any] = {
        "expand": "schema,names", "startAt": start_at, "maxResults": size, "total": found.total,
        "issues": [issues.shown(ctx, row, names, [e for e in asked if e not in _ABOUT_FIELDS]) for row in found.issues],
    }  # fmt: skip
    if found.warnings:
        made["warningMessages"] = found.warnings
    return made | _about_fields(names, asked)


@app.post("/rest/api/{api}/search/approximate-count", tool="count_issues", mcp=False, effect="read")
def count_issues(ctx: Ctx, jql: str) -> dict[str, int]:
    """Counts the issues that a JQL query finds.

    jql: The query; it must restrict something.
    """
    return {"count": run.search(ctx, jql, 0, bounded=True).total}


@app.post("/rest/api/{api}/issue/bulkfetch", tool="fetch_issues", mcp=False, effect="read")
def fetch_issues(
    ctx: Ctx, issueIdsOrKeys: Annotated[list[str | int], Field(min_length=1, max_length=100)], fields: Names = None, expand: Names = None,
    properties: Any = None, fieldsByKeys: Any = None,
) -> dict[str, Any]:  # fmt: skip
    """Gets up to 100 issues by id or key; those that there are not are named among the errors.

    issueIdsOrKeys: Keys or ids of issues.
    fields: Which fields to return.
    expand: More to return of each issue.
    properties: Ignored.
    fieldsByKeys: Ignored.
    """
    names, asked = issues.chosen(flat(fields), ("*navigable",)), flat(expand)
    given = {name: access.issue_or_none(ctx, name) for name in dict.fromkeys(map(str, issueIdsOrKeys))}
    rows = sorted({row.id: row for row in given.values() if row}.values(), key=lambda row: row.id)
    missing = [name for name, row in given.items() if row is None]
    errors = [{"id": name, "errorMessage": access.ISSUE_ABSENT} for name in missing]
    shown = [issues.shown(ctx, row, names, [e for e in asked if e not in _ABOUT_FIELDS]) for row in rows]
    return {"expand": "schema,names", "issues": shown, "issueErrors": errors, **_about_fields(names, asked)}


@app.get("/rest/api/{api}/issue/picker", tool="pick_issues", mcp=False)
def pick_issues(
    ctx: Ctx, query: str = "", currentJQL: str = "", currentIssueKey: str | None = None, currentProjectId: Hidden = None,
    showSubTasks: bool = True, showSubTaskParent: Hidden = True,
) -> dict[str, Any]:  # fmt: skip
    """Suggests issues whose key or summary has a text.

    query: The text.
    currentJQL: JQL that they must pass too.
    currentIssueKey: Key of an issue to leave out.
    showSubTasks: Whether to suggest sub-tasks.
    """
    wanted, left_out = query.strip().casefold(), (currentIssueKey or "").upper()
    found = run.search(ctx, currentJQL, 1000).issues
    passing = [
        row for row in found
        if wanted and wanted in f"{row.key} {row.summary}".casefold() and row.key != left_out
        and (showSubTasks or row.issuetype != site.SUBTASK)
    ]  # fmt: skip
    shown = [
        {
            "id": row.id,
            "key": row.key,
            "keyHtml": row.key,
            "img": "",
            "summary": row.summary,
            "summaryText": row.summary,
        }
        for row in passing[:20]
    ]
    said = f"Showing {len(shown)} of {len(passing)} matching issues"
    return {"sections": [{"label": "Current Search", "sub": said, "id": "cs", "issues": shown}]}


@app.post("/rest/api/{api}/jql/parse", tool="parse_jql", mcp=False, effect="read")
def parse_jql(
    ctx: Ctx,
    queries: Annotated[list[str], Field(min_length=1, max_length=100)],
    validation: Annotated[str, Query()] = "strict",
) -> dict[str, Any]:
    """Checks JQL queries.

    queries: The queries.
    validation: strict, warn or none.
    """
    out = list[Any]()
    for jql in queries:
        try:
            run.parse(jql) if validation == "none" else run.check(ctx, jql)
        except ApiError as error:
            key = "warnings" if validation == "warn" else "errors"
            out.append({"query": jql, key: error.messages})
        else:
            out.append({"query": jql})
    return {"queries": out}
