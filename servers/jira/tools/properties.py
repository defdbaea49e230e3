"""Data that programs keep with issues. https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-properties/"""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Payload, Reply

from .. import access, resources
from ..app import IssueKey, app, done, refuse
from ..models import Issue, IssueProperty

LONGEST_KEY = 255


def _find(ctx: Ctx, issue: Issue, key: str) -> IssueProperty:
    row = ctx.db.get(IssueProperty, (issue.id, key))
    if row is None:
        raise refuse(404, f"The property {key} does not exist.")
    return row


@app.get("/rest/api/{api}/issue/{issue_key}/properties", tool="get_issue_properties", mcp=False)
def get_issue_properties(ctx: Ctx, issue_key: IssueKey) -> dict[str, Any]:
    """Lists the keys of an issue's properties.

    issue_key: The issue's key or id.
    """
    row = access.issue(ctx, issue_key)
    found = ctx.db.find(IssueProperty, issue_id=row.id)
    return {"keys": [{"self": resources.link(ctx, f"issue/{row.id}/properties/{p.key}"), "key": p.key} for p in found]}


@app.get("/rest/api/{api}/issue/{issue_key}/properties/{key}", tool="get_issue_property", mcp=False)
def get_issue_property(ctx: Ctx, issue_key: IssueKey, key: str) -> dict[str, Any]:
    """Gets a property of an issue.

    issue_key: The issue's key or id.
    key: The property's key.
    """
    return {"key": key, "value": _find(ctx, access.issue(ctx, issue_key), key).value["value"]}


@app.put("/rest/api/{api}/issue/{issue_key}/properties/{key}", tool="set_issue_property", mcp=False)
def set_issue_property(ctx: Ctx, issue_key: IssueKey, key: str, value: Annotated[Any, Payload()] = None) -> Reply:
    """Sets a property of an issue.

    issue_key: The issue's key or id.
    key: The property's key.
    value: Any JSON.
    """
    row = access.writable(ctx, issue_key)
    if len(key) > LONGEST_KEY:
        raise refuse(400, f"The property key cannot be longer than {LONGEST_KEY} characters.")
    if value is None or isinstance(value, bytes):
        raise refuse(400, "The property value must be a non-empty JSON value.")
    held = ctx.db.get(IssueProperty, (row.id, key))
    if held is not None:
        ctx.db.update(held, value={"value": value})
        return Reply({}, 200)
    ctx.db.add(IssueProperty(issue_id=row.id, key=key, value={"value": value}))
    return Reply({}, 201)


@app.delete("/rest/api/{api}/issue/{issue_key}/properties/{key}", tool="delete_issue_property", status=204, mcp=False)
def delete_issue_property(ctx: Ctx, issue_key: IssueKey, key: str) -> Any:
    """Removes a property of an issue.

    issue_key: The issue's key or id.
    key: The property's key.
    """
    row = access.writable(ctx, issue_key)
    ctx.db.delete(_find(ctx, row, key))
    return done(ctx, {"deleted": key})
