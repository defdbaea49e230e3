"""Asking people for reviews. https://docs.github.com/en/rest/pulls/review-requests"""

from typing import Annotated, Any

from legoenv_mcp.app import ApiError, Body, Ctx

from .. import issues as rules
from .. import reviews as opinions
from ..accounts import repository
from ..app import app
from ..pulls import pull_json, pull_of
from .issues import Number as PullNumber


@app.get("/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers", tool="list_requested_reviewers", mcp=False)
def list_requested(ctx: Ctx, owner: str, repo: str, pull_number: PullNumber) -> dict[str, Any]:
    """Lists who is asked for a review and has not given one."""
    found = repository(ctx, owner, repo)
    shown = pull_json(ctx, found, *pull_of(ctx, found, pull_number))
    return {"users": shown["requested_reviewers"], "teams": []}


@app.post(
    "/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers", tool="request_reviewers", status=201, mcp=False
)
def request(
    ctx: Ctx,
    owner: str,
    repo: str,
    pull_number: PullNumber,
    reviewers: list[str] = [],  # noqa: B006
    team_reviewers: list[str] = [],  # noqa: B006
) -> dict[str, Any]:
    """Asks people for a review."""
    found = repository(ctx, owner, repo)
    pull, issue = pull_of(ctx, found, pull_number)
    rules.guard_edit(ctx, found, issue.user_id, "triage")
    if team_reviewers:
        raise ApiError(422, "Could not resolve to a node with the global id of a team.")
    opinions.request_reviews(ctx, found, pull, issue, reviewers)
    return pull_json(ctx, found, pull, issue)


@app.delete(
    "/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers", tool="remove_requested_reviewers", mcp=False
)
def unrequest(
    ctx: Ctx, owner: str, repo: str, pull_number: PullNumber, reviewers: Annotated[list[str], Body()] = [],  # noqa: B006
    team_reviewers: Annotated[list[str], Body()] = [],  # noqa: B006
) -> dict[str, Any]:  # fmt: skip
    """Takes requests for a review back."""
    found = repository(ctx, owner, repo)
    pull, issue = pull_of(ctx, found, pull_number)
    rules.guard_edit(ctx, found, issue.user_id, "triage")
    opinions.unrequest_reviews(ctx, pull, issue, reviewers)
    return pull_json(ctx, found, pull, issue)
