"""Watchers and votes. https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-watchers/"""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Payload, Query, ToolOnly

from .. import access, issues, resources
from ..app import IssueKey, app, done, over_mcp, refuse
from ..models import User, Vote, Watcher

Tool = Annotated[str | None, ToolOnly()]


def _user(ctx: Ctx, text: str | None, account: Any) -> User:
    """Whom a call is about: the caller where it names nobody."""
    if over_mcp(ctx):
        return access.person(ctx, text, "user") if text else access.me(ctx)
    if account is None:
        return access.me(ctx)
    found = ctx.db.get(User, account) if isinstance(account, str) else None
    if found is None:
        raise refuse(404, f"The user '{account}' does not exist.")
    return found


@app.get("/rest/api/{api}/issue/{issue_key}/watchers", tool="get_issue_watchers")
def get_issue_watchers(ctx: Ctx, issue_key: IssueKey) -> dict[str, Any]:
    """Lists those who watch an issue.

    issue_key: The issue's key or id.
    """
    row = access.issue(ctx, issue_key)
    found = ctx.db.find(Watcher, issue_id=row.id)
    return {**issues.watches(ctx, row), "watchers": [resources.person(ctx, w.accountId) for w in found]}


@app.post("/rest/api/{api}/issue/{issue_key}/watchers", tool="add_watcher", status=204, idempotent=True)
def add_watcher(
    ctx: Ctx, issue_key: IssueKey, user: Tool = None, body: Annotated[Any, Payload(mcp=False)] = None
) -> Any:
    """Adds a watcher to an issue.

    issue_key: The issue's key or id.
    user: Whom: account id, mail address or full name; yourself where left out.
    """
    row = access.issue(ctx, issue_key)
    found = _user(ctx, user, body.get("accountId") if isinstance(body, dict) else body)
    if not access.assignable(found):
        raise refuse(400, f"The user '{found.displayName}' does not have permission to view this issue.")
    if ctx.db.get(Watcher, (row.id, found.accountId)) is None:
        ctx.db.add(Watcher(issue_id=row.id, accountId=found.accountId))
    return done(ctx, {"watching": found.displayName})


@app.delete("/rest/api/{api}/issue/{issue_key}/watchers", tool="remove_watcher", status=204)
def remove_watcher(
    ctx: Ctx, issue_key: IssueKey, user: Tool = None, accountId: Annotated[str | None, Query(mcp=False)] = None
) -> Any:
    """Removes a watcher from an issue.

    issue_key: The issue's key or id.
    user: Whom: account id, mail address or full name; yourself where left out.
    """
    row = access.issue(ctx, issue_key)
    found = _user(ctx, user, accountId)
    if ctx.db.get(Watcher, (row.id, found.accountId)) is not None:
        ctx.db.delete_where(Watcher, issue_id=row.id, accountId=found.accountId)
    return done(ctx, {"no_longer_watching": found.displayName})


@app.get("/rest/api/{api}/issue/{issue_key}/votes", tool="get_votes", mcp=False)
def get_votes(ctx: Ctx, issue_key: IssueKey) -> dict[str, Any]:
    """Lists those who voted for an issue.

    issue_key: The issue's key or id.
    """
    row = access.issue(ctx, issue_key)
    return {
        **issues.votes(ctx, row),
        "voters": [resources.person(ctx, v.accountId) for v in ctx.db.find(Vote, issue_id=row.id)],
    }


@app.post("/rest/api/{api}/issue/{issue_key}/votes", tool="add_vote", mcp=False, status=204)
def add_vote(ctx: Ctx, issue_key: IssueKey) -> Any:
    """Votes for an issue that is open and that somebody else reported.

    issue_key: The issue's key or id.
    """
    row, caller = access.issue(ctx, issue_key), access.me(ctx).accountId
    if row.reporter == caller:
        raise refuse(404, "You cannot vote for an issue you have reported.")
    if row.resolution is not None:
        raise refuse(404, "You cannot vote for an issue that has been resolved.")
    if ctx.db.get(Vote, (row.id, caller)) is None:
        ctx.db.add(Vote(issue_id=row.id, accountId=caller))
    return done(ctx, {"voted": row.key})


@app.delete("/rest/api/{api}/issue/{issue_key}/votes", tool="remove_vote", mcp=False, status=204)
def remove_vote(ctx: Ctx, issue_key: IssueKey) -> Any:
    """Takes one's vote for an issue back.

    issue_key: The issue's key or id.
    """
    row, caller = access.issue(ctx, issue_key), access.me(ctx).accountId
    if ctx.db.get(Vote, (row.id, caller)) is None:
        raise refuse(404, "You cannot remove a vote for an issue you have not voted for.")
    ctx.db.delete_where(Vote, issue_id=row.id, accountId=caller)
    return done(ctx, {"vote_removed": row.key})
