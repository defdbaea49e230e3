"""An issue's assignees, and the lock on its conversation. https://docs.github.com/en/rest/issues/assignees"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import Body, Ctx, Reply

from .. import issues as rules
from ..accounts import may, repository
from ..app import app, failed
from ..issues import issue_json, issue_of
from .issues import Number


@app.put("/repos/{owner}/{repo}/issues/{issue_number}/lock", tool="lock_issue", mcp=False)
def lock(
    ctx: Ctx,
    owner: str,
    repo: str,
    issue_number: Number,
    lock_reason: Literal["off-topic", "too heated", "resolved", "spam"] | None = None,
) -> Reply:
    """Locks an issue's conversation: only people with write access comment."""
    found = repository(ctx, owner, repo, "write")
    issue = issue_of(ctx, found, issue_number)
    if not issue.locked or issue.active_lock_reason != lock_reason:
        ctx.db.update(issue, locked=True, active_lock_reason=lock_reason, updated_at=ctx.timestamp())
        rules.event(ctx, issue, "locked", lock_reason=lock_reason)
    return Reply(None, 204)


@app.delete("/repos/{owner}/{repo}/issues/{issue_number}/lock", tool="unlock_issue", mcp=False)
def unlock(ctx: Ctx, owner: str, repo: str, issue_number: Number) -> Reply:
    """Unlocks an issue's conversation."""
    found = repository(ctx, owner, repo, "write")
    issue = issue_of(ctx, found, issue_number)
    if issue.locked:
        ctx.db.update(issue, locked=False, active_lock_reason=None, updated_at=ctx.timestamp())
        rules.event(ctx, issue, "unlocked")
    return Reply(None, 204)


def _assignment(ctx: Ctx, owner: str, repo: str, number: int, logins: list[str], add: bool) -> dict[str, Any]:
    found = repository(ctx, owner, repo, "triage")
    issue = issue_of(ctx, found, number)
    if add:  # those who can not be assigned are passed over, as the product does it here
        able = [p for login in logins if (p := rules.accounts.user(ctx, login)) and may(ctx, found, p, "read")]
        after = [*issue.assignees, *(p.id for p in able if p.id not in issue.assignees)]
        if len(after) > 10:
            raise failed("Issue", "assignees", "custom", "cannot have more than 10 assignees")
    else:
        gone = [p.id for login in logins if (p := rules.accounts.user(ctx, login))]
        after = [key for key in issue.assignees if key not in gone]
    rules.reassign(ctx, issue, after)
    return issue_json(ctx, found, issue)


@app.post("/repos/{owner}/{repo}/issues/{issue_number}/assignees", tool="add_assignees", status=201, mcp=False)
def add_assignees(ctx: Ctx, owner: str, repo: str, issue_number: Number, assignees: list[str] = []) -> dict[str, Any]:  # noqa: B006
    """Adds assignees to an issue."""
    return _assignment(ctx, owner, repo, issue_number, assignees, True)


@app.delete("/repos/{owner}/{repo}/issues/{issue_number}/assignees", tool="remove_assignees", mcp=False)
def remove_assignees(
    ctx: Ctx,
    owner: str,
    repo: str,
    issue_number: Number,
    assignees: Annotated[list[str], Body()] = [],  # noqa: B006
) -> dict[str, Any]:
    """Removes assignees from an issue."""
    return _assignment(ctx, owner, repo, issue_number, assignees, False)
