"""Comments. https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-comments/"""

from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from legoenv_mcp.app import Body, Ctx, Field, Query

from .. import access, discussion, issues, rendering, resources
from ..app import IssueKey, Limit, StartAt, app, done, flat, refuse
from ..models import Comment


class Restriction(TypedDict, total=False):
    """Who sees a comment."""

    type: Annotated[Literal["group", "role"], Field(description="Whether it is a group or a role of the project.")]
    value: Annotated[str, Field(description="The group's or role's name.")]
    identifier: Annotated[str, Field(description="The group's id, instead of its name.")]


Visibility = Annotated[Restriction | None, Body()]
_ORDERS = {"created": "created,id", "+created": "created,id", "-created": "-created,-id"}


def _shown(ctx: Ctx, row: Comment, rendered: bool) -> dict[str, Any]:
    more = {"renderedBody": rendering.html(row.body, row.body_adf)} if rendered else {}
    return resources.comment(ctx, row) | more


@app.get("/rest/api/{api}/issue/{issue_key}/comment", tool="get_comments")
def get_comments(
    ctx: Ctx, issue_key: IssueKey, start_at: StartAt = 0, limit: Limit = 100, order_by: Annotated[str | None, Query("orderBy")] = None,
    expand: Annotated[str | None, Query(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists an issue's comments, oldest first.

    issue_key: The issue's key or id.
    start_at: How many comments to skip.
    limit: The most comments to return, up to 100.
    order_by: created, or -created for the newest first.
    """
    row = access.issue(ctx, issue_key)
    if order_by and order_by not in _ORDERS:
        raise refuse(
            400, f"The field '{order_by}' is not valid for ordering comments. Valid: created, -created, +created."
        )
    found = issues.comments(ctx, row, _ORDERS[order_by or "created"])
    size, rendered = min(limit, 100), "renderedBody" in flat(expand)
    return {
        "startAt": start_at, "maxResults": size, "total": len(found),
        "comments": [_shown(ctx, c, rendered) for c in found[start_at : start_at + size]],
    }  # fmt: skip


@app.get("/rest/api/{api}/issue/{issue_key}/comment/{comment_id}", tool="get_comment", mcp=False)
def get_comment(ctx: Ctx, issue_key: IssueKey, comment_id: str, expand: str | None = None) -> dict[str, Any]:
    """Gets one comment.

    issue_key: The issue's key or id.
    comment_id: The comment's id.
    expand: renderedBody adds it as HTML.
    """
    found = discussion.find(ctx, access.issue(ctx, issue_key), comment_id)
    return _shown(ctx, found, "renderedBody" in flat(expand))


@app.post("/rest/api/{api}/issue/{issue_key}/comment", tool="add_comment", status=201)
def add_comment(ctx: Ctx, issue_key: IssueKey, body: Any = None, visibility: Visibility = None,
                properties: Annotated[Any, Body(mcp=False)] = None) -> dict[str, Any]:  # fmt: skip
    """Adds a comment to an issue.

    issue_key: The issue's key or id.
    body: The text, in Markdown.
    visibility: Who may see it; everyone where left out.
    """
    made = discussion.add(ctx, access.writable(ctx, issue_key), body, visibility)
    return resources.comment(ctx, made)


@app.put("/rest/api/{api}/issue/{issue_key}/comment/{comment_id}", tool="edit_comment")
def edit_comment(
    ctx: Ctx, issue_key: IssueKey, comment_id: str, body: Any = None, visibility: Visibility = None,
    notifyUsers: Annotated[bool, Query(mcp=False)] = True,
) -> dict[str, Any]:  # fmt: skip
    """Changes a comment's text. Others' comments are for administrators of the project.

    issue_key: The issue's key or id.
    comment_id: The comment's id.
    body: The new text, in Markdown.
    visibility: Who may see it from now on.
    """
    row = access.writable(ctx, issue_key)
    return resources.comment(ctx, discussion.edit(ctx, row, discussion.find(ctx, row, comment_id), body, visibility))


@app.delete("/rest/api/{api}/issue/{issue_key}/comment/{comment_id}", tool="delete_comment", status=204)
def delete_comment(ctx: Ctx, issue_key: IssueKey, comment_id: str) -> Any:
    """Deletes a comment. Others' comments are for administrators of the project.

    issue_key: The issue's key or id.
    comment_id: The comment's id.
    """
    row = access.writable(ctx, issue_key)
    discussion.remove(ctx, row, discussion.find(ctx, row, comment_id))
    return done(ctx, {"deleted": comment_id})
