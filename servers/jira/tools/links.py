"""Links between issues, and from issues to elsewhere. https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-links/"""

from typing import Annotated, Any

from legoenv_mcp.app import Body, Ctx, Query, Reply, ToolOnly

from .. import access, issues, linking, resources, site
from ..app import IssueKey, app, done, over_mcp, refuse, refuse_fields
from ..models import Issue, IssueLink, RemoteLink

Tool = Annotated[str | None, ToolOnly()]
Json = Annotated[Any, Body(mcp=False)]


@app.get("/rest/api/{api}/issueLinkType", tool="get_link_types")
def get_link_types(ctx: Ctx) -> dict[str, Any]:
    """Lists the types of links between issues, with their words in both directions."""
    return {"issueLinkTypes": [resources.link_type(ctx, id) for id in site.LINK_TYPES]}


@app.get("/rest/api/{api}/issueLinkType/{id}", tool="get_link_type", mcp=False)
def get_link_type(ctx: Ctx, id: str) -> dict[str, Any]:
    """Gets a link type.

    id: The type's id.
    """
    number = access.number(id)
    if number not in site.LINK_TYPES:
        raise refuse(404, f"No issue link type with id '{id}' found.")
    return resources.link_type(ctx, number)


@app.post("/rest/api/{api}/issueLink", tool="create_issue_link", status=201)
def create_issue_link(
    ctx: Ctx, link_type: Tool = None, inward_issue_key: Tool = None, outward_issue_key: Tool = None, comment: Any = None,
    type: Json = None, inwardIssue: Json = None, outwardIssue: Json = None,
) -> Any:  # fmt: skip
    """Links two issues. With type Blocks, the inward issue blocks the outward one.

    link_type: The type's name: Blocks, Cloners, Duplicate or Relates; its inward words, like is blocked by, turn the link round.
    inward_issue_key: Key of the issue that the link starts from: the one that blocks, clones or duplicates.
    outward_issue_key: Key of the other issue.
    comment: A comment to add to the inward issue, in Markdown.
    """
    if over_mcp(ctx):
        if not (link_type and inward_issue_key and outward_issue_key):
            raise refuse(400, "link_type, inward_issue_key and outward_issue_key are required.")
        kind, turned = linking.named(link_type)
        ends = (outward_issue_key, inward_issue_key) if turned else (inward_issue_key, outward_issue_key)
        comment = {"body": comment} if isinstance(comment, (str, dict)) else None
    else:
        if type is None or inwardIssue is None or outwardIssue is None:
            raise refuse(400, "A link has a type, an inwardIssue and an outwardIssue.")
        kind = linking.type_of(type)
        ends = tuple(e.get("key", e.get("id")) if isinstance(e, dict) else e for e in (inwardIssue, outwardIssue))
    inward, outward = (access.writable(ctx, end) for end in ends)
    made = linking.create(ctx, kind, inward, outward, comment)
    if not over_mcp(ctx):
        return Reply(
            None, 201, {"Location": resources.link(ctx, f"issueLink/{made.id}")}, media_type="application/json"
        )
    return {"id": str(made.id), "type": kind.name, "inward": inward.key, "outward": outward.key}


def _link(ctx: Ctx, id: str) -> IssueLink:
    return access.by_id(ctx, IssueLink, id, f"No issue link with id '{id}' exists.")


@app.get("/rest/api/{api}/issueLink/{link_id}", tool="get_issue_link", mcp=False)
def get_issue_link(ctx: Ctx, link_id: str) -> dict[str, Any]:
    """Gets a link.

    link_id: The link's id.
    """
    row = _link(ctx, link_id)
    return {
        "id": str(row.id), "self": resources.link(ctx, f"issueLink/{row.id}"), "type": resources.link_type(ctx, row.type),
        "inwardIssue": issues.head(ctx, ctx.require(Issue, row.inward)),
        "outwardIssue": issues.head(ctx, ctx.require(Issue, row.outward)),
    }  # fmt: skip


@app.delete("/rest/api/{api}/issueLink/{link_id}", tool="remove_issue_link", status=204)
def remove_issue_link(ctx: Ctx, link_id: str) -> Any:
    """Removes a link between two issues.

    link_id: The link's id, as an issue's issuelinks field has it.
    """
    row = _link(ctx, link_id)
    for end in (row.inward, row.outward):
        access.writable(ctx, end)
    linking.remove(ctx, row)
    return done(ctx, {"deleted": link_id})


@app.get("/rest/api/{api}/issue/{issue_key}/remotelink", tool="get_remote_issue_links", mcp=False)
def get_remote_issue_links(
    ctx: Ctx, issue_key: IssueKey, globalId: Annotated[str | None, Query(mcp=False)] = None
) -> Any:
    """Lists an issue's links to web pages.

    issue_key: The issue's key or id.
    """
    row = access.issue(ctx, issue_key)
    found = ctx.db.find(RemoteLink, issue_id=row.id, globalId=globalId)
    return [resources.remote_link(ctx, r) for r in found]


@app.post("/rest/api/{api}/issue/{issue_key}/remotelink", tool="create_remote_issue_link", status=201)
def create_remote_issue_link(
    ctx: Ctx, issue_key: IssueKey, url: Tool = None, title: Tool = None, summary: Tool = None, relationship: str | None = None,
    object: Json = None, globalId: Annotated[str | None, Body(mcp=False)] = None, application: Json = None,
) -> dict[str, Any]:  # fmt: skip
    """Links an issue to a web page.

    issue_key: The issue's key or id.
    url: The page's address.
    title: The link's text.
    summary: A line about the page.
    relationship: What the page is to the issue, in words.
    """
    row = access.writable(ctx, issue_key)
    target: Any = {"url": url, "title": title, "summary": summary} if over_mcp(ctx) else object
    target = target if isinstance(target, dict) else {}
    errors = {
        name: f"'{name}' is required."
        for name in ("title", "url")
        if not isinstance(target.get(name), str) or not target[name].strip()
    }
    if errors:
        raise refuse_fields(errors)
    held = ctx.db.first(RemoteLink, issue_id=row.id, globalId=globalId) if globalId else None
    said = {
        "url": target["url"],
        "title": target["title"],
        "summary": str(target.get("summary") or ""),
        "relationship": relationship,
    }
    if held is not None:
        made = ctx.db.update(held, **said)
    else:
        made = ctx.db.add(RemoteLink(id=ctx.sequence("remotelink", 10000), issue_id=row.id, globalId=globalId, **said))
    return {"id": made.id, "self": resources.link(ctx, f"issue/{row.id}/remotelink/{made.id}")}


@app.delete(
    "/rest/api/{api}/issue/{issue_key}/remotelink/{link_id}", tool="delete_remote_issue_link", status=204, mcp=False
)
def delete_remote_issue_link(ctx: Ctx, issue_key: IssueKey, link_id: str) -> Any:
    """Removes a link to a web page.

    issue_key: The issue's key or id.
    link_id: The link's id.
    """
    row = access.writable(ctx, issue_key)
    found = access.by_id(ctx, RemoteLink, link_id, f"No remote link with id '{link_id}' exists.")
    if found.issue_id != row.id:
        raise refuse(404, f"No remote link with id '{link_id}' exists.")
    ctx.db.delete(found)
    return done(ctx, {"deleted": link_id})
