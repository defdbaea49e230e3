"""Events, sub-issues and reactions. https://docs.github.com/en/rest/issues/events https://docs.github.com/en/rest/reactions"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, ApiError, Body, Ctx, Page, Reply

from .. import issues as rules
from ..accounts import me, repository
from ..app import PageNumber, PerPage, app, not_found, page_of
from ..issues import comment_json, event_json, issue_json, issue_of
from ..models import Comment, Event, Issue, Pull, Reaction, Repository, ReviewComment
from ..resources import node_id, user_json
from ..reviews import review_json, visible
from .issues import Number

Content = Literal["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]


def _events(ctx: Ctx, issue: Issue) -> list[Event]:
    """What happened to an issue but for reviews, which only the timeline has, in full."""
    return ctx.db.find(Event, issue_id=issue.id, event__ne="reviewed")


@app.get("/repos/{owner}/{repo}/issues/{issue_number}/events", tool="list_issue_events", mcp=False)
def list_events(
    ctx: Ctx, owner: str, repo: str, issue_number: Number, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:
    """Lists what happened to an issue."""
    found = repository(ctx, owner, repo)
    listed = _events(ctx, issue_of(ctx, found, issue_number))
    return page_of(listed, perPage, page, lambda e: event_json(ctx, found, e))


@app.get("/repos/{owner}/{repo}/issues/events", tool="list_issue_events_for_repo", mcp=False)
def list_events_for_repo(ctx: Ctx, owner: str, repo: str, page: PageNumber = 1, perPage: PerPage = 30) -> Page[Any]:
    """Lists what happened to all issues of a repository, latest first."""
    found = repository(ctx, owner, repo)
    homes = {i.id: i for i in ctx.db.find(Issue, repository_id=found.id)}
    listed = [e for e in ctx.db.find(Event, order="-id", event__ne="reviewed") if e.issue_id in homes]
    return page_of(
        listed,
        perPage,
        page,
        lambda e: {**event_json(ctx, found, e), "issue": issue_json(ctx, found, homes[e.issue_id])},
    )


@app.get("/repos/{owner}/{repo}/issues/{issue_number}/timeline", tool="list_timeline", mcp=False)
def list_timeline(
    ctx: Ctx, owner: str, repo: str, issue_number: Number, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:
    """Lists events and comments of an issue together, in time order."""
    found = repository(ctx, owner, repo)
    issue = issue_of(ctx, found, issue_number)
    comments, pull = ctx.db.find(Comment, issue_id=issue.id), ctx.db.first(Pull, issue_id=issue.id)
    rows = [event_json(ctx, found, e) for e in _events(ctx, issue)]
    if pull is not None:
        reviews = [r for r in visible(ctx, pull) if r.submitted_at]
        rows += [
            {**review_json(ctx, found, pull, r), "event": "reviewed", "created_at": r.submitted_at} for r in reviews
        ]
    rows += [
        {**comment_json(ctx, found, issue, c), "event": "commented", "actor": user_json(ctx, c.user_id)}
        for c in comments
    ]
    rows.sort(key=lambda r: (r["created_at"], r["id"]))
    return page_of(
        rows, perPage, page, lambda r: {k: v for k, v in r.items() if k != "created_at" or "submitted_at" not in r}
    )


# Sub-issues


def _child(ctx: Ctx, parent: Issue, key: int) -> Issue:
    child = ctx.db.get(Issue, key)
    if child is None or child.is_pull:
        raise ApiError(404, "The provided sub-issue does not exist")
    if child.id == parent.id:
        raise ApiError(
            422,
            "An error occurred while adding the sub-issue to the parent issue. Issue cannot be a sub-issue of itself",
        )
    return child


def _add(ctx: Ctx, parent: Issue, key: int, replace: bool) -> None:
    child = _child(ctx, parent, key)
    if child.parent_id is not None and (child.parent_id == parent.id or not replace):
        raise ApiError(
            422,
            "An error occurred while adding the sub-issue to the parent issue. Issue may not contain duplicate "
            "sub-issues and Sub issue may only have one parent",
        )
    above = parent
    while above.parent_id is not None:
        above = ctx.require(Issue, above.parent_id)
        if above.id == child.id:
            raise ApiError(
                422,
                "An error occurred while adding the sub-issue to the parent issue. Sub-issues may not form a circle",
            )
    if child.parent_id is not None:
        old = ctx.require(Issue, child.parent_id)
        ctx.db.update(old, sub_issues=[k for k in old.sub_issues if k != child.id])
    ctx.db.update(child, parent_id=parent.id)
    ctx.db.update(parent, sub_issues=[*parent.sub_issues, child.id])
    rules.event(ctx, parent, "sub_issue_added")


def _remove(ctx: Ctx, parent: Issue, key: int) -> None:
    if key not in parent.sub_issues:
        raise ApiError(404, "The provided sub-issue does not exist")
    ctx.db.update(ctx.require(Issue, key), parent_id=None)
    ctx.db.update(parent, sub_issues=[k for k in parent.sub_issues if k != key])
    rules.event(ctx, parent, "sub_issue_removed")


def _move(ctx: Ctx, parent: Issue, key: int, after: int | None, before: int | None) -> None:
    if (after is None) == (before is None):
        raise ApiError(422, "either after_id or before_id should be specified")
    other = after if after is not None else before
    if key not in parent.sub_issues or other not in parent.sub_issues or other == key:
        raise ApiError(404, "The provided sub-issue does not exist")
    order = [k for k in parent.sub_issues if k != key]
    order.insert(order.index(other) + (after is not None), key)
    ctx.db.update(parent, sub_issues=order)


@app.get("/repos/{owner}/{repo}/issues/{issue_number}/sub_issues", tool="list_sub_issues", mcp=False)
def list_sub_issues(
    ctx: Ctx, owner: str, repo: str, issue_number: Number, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:
    """Lists an issue's sub-issues."""
    found = repository(ctx, owner, repo)
    below = [ctx.require(Issue, key) for key in issue_of(ctx, found, issue_number).sub_issues]
    return page_of(below, perPage, page, lambda i: issue_json(ctx, ctx.require(Repository, i.repository_id), i))


def parent_json(ctx: Ctx, issue: Issue) -> dict[str, Any]:
    if issue.parent_id is None:
        raise not_found()
    above = ctx.require(Issue, issue.parent_id)
    return issue_json(ctx, ctx.require(Repository, above.repository_id), above)


@app.get("/repos/{owner}/{repo}/issues/{issue_number}/parent", tool="get_parent_issue", mcp=False)
def get_parent(ctx: Ctx, owner: str, repo: str, issue_number: Number) -> dict[str, Any]:
    """Gets the issue that an issue is a sub-issue of."""
    return parent_json(ctx, issue_of(ctx, repository(ctx, owner, repo), issue_number))


@app.post("/repos/{owner}/{repo}/issues/{issue_number}/sub_issues", tool="add_sub_issue", status=201, mcp=False)
def add_sub_issue(
    ctx: Ctx, owner: str, repo: str, issue_number: Number, sub_issue_id: int, replace_parent: bool = False
) -> dict[str, Any]:
    """Makes an issue a sub-issue."""
    found = repository(ctx, owner, repo, "triage")
    parent = issue_of(ctx, found, issue_number)
    _add(ctx, parent, sub_issue_id, replace_parent)
    return issue_json(ctx, found, parent)


@app.delete("/repos/{owner}/{repo}/issues/{issue_number}/sub_issue", tool="remove_sub_issue", mcp=False)
def remove_sub_issue(
    ctx: Ctx, owner: str, repo: str, issue_number: Number, sub_issue_id: Annotated[int, Body()]
) -> dict[str, Any]:
    """Makes a sub-issue an issue of its own again."""
    found = repository(ctx, owner, repo, "triage")
    parent = issue_of(ctx, found, issue_number)
    _remove(ctx, parent, sub_issue_id)
    return issue_json(ctx, found, parent)


@app.post("", tool="sub_issue_write", effect="update", idempotent=False)
def sub_issue_write(
    ctx: Ctx, method: Literal["add", "remove", "reprioritize"], owner: str, repo: str, issue_number: Number, sub_issue_id: int,
    replace_parent: bool = False, after_id: int | MISSING = MISSING, before_id: int | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Adds a sub-issue to an issue, removes it, or moves it among its siblings.

    method: What to do with the sub-issue.
    owner: The repository's owner.
    repo: The repository's name.
    issue_number: Number of the parent issue.
    sub_issue_id: The id of the sub-issue, which is not its number.
    replace_parent: Whether to take it away from the parent it has; only to add.
    after_id: Id of the sub-issue to put it behind; only to reprioritize.
    before_id: Id of the sub-issue to put it in front of; only to reprioritize.
    """
    found = repository(ctx, owner, repo, "triage")
    parent = issue_of(ctx, found, issue_number)
    if method == "add":
        _add(ctx, parent, sub_issue_id, replace_parent)
    elif method == "remove":
        _remove(ctx, parent, sub_issue_id)
    else:
        _move(
            ctx,
            parent,
            sub_issue_id,
            after_id if isinstance(after_id, int) else None,
            before_id if isinstance(before_id, int) else None,
        )
    return issue_json(ctx, found, parent)


# Reactions


def _reaction_json(ctx: Ctx, row: Reaction) -> dict[str, Any]:
    return {
        "id": row.id, "node_id": node_id("Reaction", row.id), "user": user_json(ctx, row.user_id), "content": row.content,
        "created_at": row.created_at,
    }  # fmt: skip


def react(ctx: Ctx, subject: str, content: Content) -> Reply:
    """One reaction of a kind a person: a second answers 200 with the first."""
    known = ctx.db.first(Reaction, subject=subject, user_id=me(ctx).id, content=content)
    if known is not None:
        return Reply(_reaction_json(ctx, known), 200)
    key = ctx.sequence("reaction", 261_550_113, 17)
    row = ctx.db.add(Reaction(id=key, subject=subject, user_id=me(ctx).id, content=content, created_at=ctx.timestamp()))
    return Reply(_reaction_json(ctx, row), 201)


def _unreact(ctx: Ctx, subject: str, key: int) -> Reply:
    row = ctx.require(Reaction, key)
    if row.subject != subject:
        raise not_found()
    if row.user_id != me(ctx).id:
        raise ApiError(403, "Resource not accessible by personal access token")
    ctx.db.delete(row)
    return Reply(None, 204)


def _of_comment(ctx: Ctx, owner: str, repo: str, comment_id: int) -> str:
    found, comment = repository(ctx, owner, repo), ctx.require(Comment, comment_id)
    if ctx.require(Issue, comment.issue_id).repository_id != found.id:
        raise not_found()
    return f"comment:{comment_id}"


def _of_line_comment(ctx: Ctx, owner: str, repo: str, comment_id: int) -> str:
    found, comment = repository(ctx, owner, repo), ctx.require(ReviewComment, comment_id)
    if ctx.require(Pull, comment.pull_id).repository_id != found.id:
        raise not_found()
    return f"review_comment:{comment_id}"


def _of_issue(ctx: Ctx, owner: str, repo: str, number: int) -> str:
    return f"issue:{issue_of(ctx, repository(ctx, owner, repo), number).id}"


def _list(ctx: Ctx, subject: str, content: str | None, per_page: int, page: int) -> Page[Any]:
    return page_of(
        ctx.db.find(Reaction, subject=subject, content=content), per_page, page, lambda r: _reaction_json(ctx, r)
    )


@app.get("/repos/{owner}/{repo}/issues/{issue_number}/reactions", tool="list_reactions_for_issue", mcp=False)
def list_for_issue(
    ctx: Ctx, owner: str, repo: str, issue_number: Number, content: Content | None = None, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Lists an issue's reactions."""
    return _list(ctx, _of_issue(ctx, owner, repo, issue_number), content, perPage, page)


@app.post("/repos/{owner}/{repo}/issues/{issue_number}/reactions", tool="create_reaction_for_issue", mcp=False)
def create_for_issue(ctx: Ctx, owner: str, repo: str, issue_number: Number, content: Content) -> Reply:
    """Reacts to an issue."""
    return react(ctx, _of_issue(ctx, owner, repo, issue_number), content)


@app.delete(
    "/repos/{owner}/{repo}/issues/{issue_number}/reactions/{reaction_id}", tool="delete_reaction_for_issue", mcp=False
)
def delete_for_issue(ctx: Ctx, owner: str, repo: str, issue_number: Number, reaction_id: int) -> Reply:
    """Takes a reaction to an issue back."""
    return _unreact(ctx, _of_issue(ctx, owner, repo, issue_number), reaction_id)


@app.get(
    "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions", tool="list_reactions_for_issue_comment", mcp=False
)
def list_for_comment(
    ctx: Ctx, owner: str, repo: str, comment_id: int, content: Content | None = None, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Lists a comment's reactions."""
    return _list(ctx, _of_comment(ctx, owner, repo, comment_id), content, perPage, page)


@app.post(
    "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions", tool="create_reaction_for_issue_comment", mcp=False
)
def create_for_comment(ctx: Ctx, owner: str, repo: str, comment_id: int, content: Content) -> Reply:
    """Reacts to a comment."""
    return react(ctx, _of_comment(ctx, owner, repo, comment_id), content)


@app.delete(
    "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions/{reaction_id}",
    tool="delete_reaction_for_issue_comment",
    mcp=False,
)
def delete_for_comment(ctx: Ctx, owner: str, repo: str, comment_id: int, reaction_id: int) -> Reply:
    """Takes a reaction to a comment back."""
    return _unreact(ctx, _of_comment(ctx, owner, repo, comment_id), reaction_id)


@app.get(
    "/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions", tool="list_reactions_for_review_comment", mcp=False
)
def list_for_line_comment(
    ctx: Ctx, owner: str, repo: str, comment_id: int, content: Content | None = None, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Lists a review comment's reactions."""
    return _list(ctx, _of_line_comment(ctx, owner, repo, comment_id), content, perPage, page)


@app.post(
    "/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions", tool="create_reaction_for_review_comment", mcp=False
)
def create_for_line_comment(ctx: Ctx, owner: str, repo: str, comment_id: int, content: Content) -> Reply:
    """Reacts to a review comment."""
    return react(ctx, _of_line_comment(ctx, owner, repo, comment_id), content)
