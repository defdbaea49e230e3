"""Reviews and comments on the diff. https://docs.github.com/en/rest/pulls/reviews https://docs.github.com/en/rest/pulls/comments"""

from typing import Any, Literal

from pydantic import BaseModel, Field

from legoenv_mcp.app import MISSING, ApiError, Ctx, Page, Reply

from .. import reviews as core
from ..accounts import me, repository
from ..app import PageNumber, PerPage, app, not_found, page_of, when
from ..issues import check_comment, guard_edit
from ..models import Issue, Pull, Reaction, Repository, Review, ReviewComment
from ..pulls import pull_of
from ..reviews import Verdict, line_comment_json, review_json
from .issues import Number as PullNumber
from .timeline import Content, react

Side = Literal["LEFT", "RIGHT"]


class DraftComment(BaseModel):
    path: str = Field(description="Path of the file in the diff.")
    body: str = Field(description="The comment's text.")
    position: int | None = Field(
        None, description="Place in the file's diff, counted from its first hunk; line is better."
    )
    line: int | None = Field(None, description="The line; of a range the last.")
    side: Side | None = Field(None, description="LEFT for the old state, RIGHT for the new one.")
    start_line: int | None = Field(None, description="First line of a range.")
    start_side: Side | None = Field(None, description="Side of the range's first line.")


def _of(ctx: Ctx, owner: str, repo: str, number: int, needed: Any = "read") -> tuple[Repository, Pull, Issue]:
    found = repository(ctx, owner, repo, needed)
    return found, *pull_of(ctx, found, number)


@app.get("/repos/{owner}/{repo}/pulls/{pullNumber}/reviews", tool="get_pull_request_reviews")
def get_pull_request_reviews(
    ctx: Ctx, owner: str, repo: str, pullNumber: PullNumber, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Lists the reviews of a pull request with their verdicts, oldest first.

    owner: The repository's owner.
    repo: The repository's name.
    pullNumber: The pull request's number.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    found, pull, _ = _of(ctx, owner, repo, pullNumber)
    return page_of(core.visible(ctx, pull), perPage, page, lambda r: review_json(ctx, found, pull, r))


@app.post("/repos/{owner}/{repo}/pulls/{pull_number}/reviews", tool="create_review", mcp=False)
def create_review(
    ctx: Ctx, owner: str, repo: str, pull_number: PullNumber, commit_id: str | None = None, body: str | None = None,
    event: Literal["APPROVE", "REQUEST_CHANGES", "COMMENT", "PENDING"] | None = None, comments: list[DraftComment] = [],  # noqa: B006
) -> dict[str, Any]:  # fmt: skip
    """Reviews a pull request; without an event the review is pending."""
    found, pull, issue = _of(ctx, owner, repo, pull_number)
    drafts = [c.model_dump(exclude_none=True) for c in comments]
    verdict = None if event == "PENDING" else event
    return review_json(
        ctx, found, pull, core.start_review(ctx, found, pull, issue, verdict, body or "", commit_id, drafts)
    )


@app.post("", tool="create_pull_request_review")
def create_pull_request_review(
    ctx: Ctx, owner: str, repo: str, pullNumber: PullNumber, body: str = "", event: Verdict | None = None,
    commitID: str | MISSING = MISSING, comments: list[DraftComment] = [],  # noqa: B006
) -> dict[str, Any]:  # fmt: skip
    """Reviews a pull request. With an event the review is submitted at once, else it is pending until submitted.

    owner: The repository's owner.
    repo: The repository's name.
    pullNumber: The pull request's number.
    body: The review's text; required for REQUEST_CHANGES and COMMENT.
    event: The verdict. Authors can not approve their own pull requests.
    commitID: SHA of the commit to review; the latest by default.
    comments: Comments on lines of the diff.
    """
    found, pull, issue = _of(ctx, owner, repo, pullNumber)
    commit, verdict = commitID if isinstance(commitID, str) else None, event
    drafts = [c.model_dump(exclude_none=True) for c in comments]
    return review_json(ctx, found, pull, core.start_review(ctx, found, pull, issue, verdict, body, commit, drafts))


@app.post("", tool="pull_request_review_write", effect="update", idempotent=False)
def pull_request_review_write(
    ctx: Ctx, method: Literal["create", "submit_pending", "delete_pending", "resolve_thread", "unresolve_thread"], owner: str,
    repo: str, pullNumber: PullNumber, body: str | MISSING = MISSING, event: Verdict | None = None, commitID: str | MISSING = MISSING,
    threadId: str | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a review of a pull request (submitted at once where an event is given, else pending), submits the pending one
    (submit_pending) or deletes it (delete_pending); resolves or unresolves a thread on the diff (resolve_thread, unresolve_thread).

    method: What to do.
    owner: The repository's owner.
    repo: The repository's name.
    pullNumber: The pull request's number.
    body: The review's text.
    event: The verdict.
    commitID: SHA of the commit to review.
    threadId: Id of the thread, as pull_request_read with get_review_comments gives it; for resolve_thread and unresolve_thread.
    """
    found, pull, issue = _of(ctx, owner, repo, pullNumber)
    text, verdict = body if isinstance(body, str) else None, event
    if method == "create":
        commit = commitID if isinstance(commitID, str) else None
        return review_json(
            ctx, found, pull, core.start_review(ctx, found, pull, issue, verdict, text or "", commit, [])
        )
    if method in ("resolve_thread", "unresolve_thread"):
        if not isinstance(threadId, str):
            raise ApiError(422, "threadId is required for resolve_thread and unresolve_thread methods")
        core.resolve(ctx, found, pull, issue, threadId, method == "resolve_thread")
        return {"message": f"review thread {method.removesuffix('_thread')}d successfully"}
    draft = core.pending(ctx, pull)
    if draft is None:
        raise ApiError(422, "No pending review found for the viewer")
    if method == "delete_pending":
        core.discard(ctx, draft)
        return {"message": "pending pull request review successfully deleted"}
    if verdict is None:
        raise ApiError(422, 'Invalid request.\n\n"event" wasn\'t supplied.')
    return review_json(ctx, found, pull, core.submit(ctx, pull, issue, draft, verdict, text))


@app.get("/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}", tool="get_review", mcp=False)
def get_review(ctx: Ctx, owner: str, repo: str, pull_number: PullNumber, review_id: int) -> dict[str, Any]:
    """Gets a review."""
    found, pull, _ = _of(ctx, owner, repo, pull_number)
    return review_json(ctx, found, pull, core.review_of(ctx, pull, review_id))


@app.put("/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}", tool="update_review", mcp=False)
def update_review(
    ctx: Ctx, owner: str, repo: str, pull_number: PullNumber, review_id: int, body: str
) -> dict[str, Any]:
    """Changes the text of a review of one's own."""
    found, pull, _ = _of(ctx, owner, repo, pull_number)
    row = core.review_of(ctx, pull, review_id)
    if row.user_id != me(ctx).id:
        raise ApiError(403, "Resource not accessible by personal access token")
    return review_json(ctx, found, pull, ctx.db.update(row, body=body))


@app.delete("/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}", tool="delete_pending_review", mcp=False)
def delete_review(ctx: Ctx, owner: str, repo: str, pull_number: PullNumber, review_id: int) -> dict[str, Any]:
    """Deletes a review that has not been submitted."""
    found, pull, _ = _of(ctx, owner, repo, pull_number)
    row = core.review_of(ctx, pull, review_id)
    shown = review_json(ctx, found, pull, row)
    core.discard(ctx, row)
    return shown


@app.post("/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/events", tool="submit_review", mcp=False)
def submit_review(
    ctx: Ctx, owner: str, repo: str, pull_number: PullNumber, review_id: int, event: Verdict, body: str | None = None
) -> dict[str, Any]:
    """Submits a pending review."""
    found, pull, issue = _of(ctx, owner, repo, pull_number)
    return review_json(
        ctx, found, pull, core.submit(ctx, pull, issue, core.review_of(ctx, pull, review_id), event, body)
    )


@app.put("/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals", tool="dismiss_review", mcp=False)
def dismiss_review(
    ctx: Ctx,
    owner: str,
    repo: str,
    pull_number: PullNumber,
    review_id: int,
    message: str,
    event: Literal["DISMISS"] = "DISMISS",
) -> dict[str, Any]:
    """Dismisses a verdict; needs write access."""
    found, pull, issue = _of(ctx, owner, repo, pull_number, "write")
    return review_json(ctx, found, pull, core.dismiss(ctx, issue, core.review_of(ctx, pull, review_id), message))


@app.get(
    "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments", tool="list_comments_for_review", mcp=False
)
def list_comments_for_review(
    ctx: Ctx, owner: str, repo: str, pull_number: PullNumber, review_id: int, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Lists the line comments of a review."""
    found, pull, _ = _of(ctx, owner, repo, pull_number)
    listed = ctx.db.find(ReviewComment, review_id=core.review_of(ctx, pull, review_id).id)
    return page_of(listed, perPage, page, lambda c: line_comment_json(ctx, found, pull, c))


# Comments on lines


def _seen(ctx: Ctx, pull: Pull) -> list[ReviewComment]:
    shown = {r.id for r in core.visible(ctx, pull)}
    return [c for c in ctx.db.find(ReviewComment, pull_id=pull.id) if c.review_id in shown]


@app.get("/repos/{owner}/{repo}/pulls/{pull_number}/comments", tool="list_review_comments", mcp=False)
def list_review_comments(
    ctx: Ctx, owner: str, repo: str, pull_number: PullNumber, sort: Literal["created", "updated"] = "created",
    direction: Literal["asc", "desc"] = "asc", page: PageNumber = 1, perPage: PerPage = 30,
) -> Page[Any]:  # fmt: skip
    """Lists a pull request's line comments."""
    found, pull, _ = _of(ctx, owner, repo, pull_number)
    key = "created_at" if sort == "created" else "updated_at"
    listed = sorted(_seen(ctx, pull), key=lambda c: (getattr(c, key), c.id), reverse=direction == "desc")
    return page_of(listed, perPage, page, lambda c: line_comment_json(ctx, found, pull, c))


@app.get("/repos/{owner}/{repo}/pulls/comments", tool="list_review_comments_for_repo", mcp=False)
def list_for_repo(
    ctx: Ctx, owner: str, repo: str, sort: Literal["created", "updated"] = "created", direction: Literal["asc", "desc"] = "asc",
    since: str | None = None, page: PageNumber = 1, perPage: PerPage = 30,
) -> Page[Any]:  # fmt: skip
    """Lists the line comments of all pull requests of a repository."""
    found = repository(ctx, owner, repo)
    earliest = when(since, "since") if since else None
    listed = [
        (pull, c)
        for pull in ctx.db.find(Pull, repository_id=found.id)
        for c in _seen(ctx, pull)
        if earliest is None or when(c.updated_at, "since") >= earliest
    ]
    listed.sort(key=lambda pair: (getattr(pair[1], f"{sort}_at"), pair[1].id), reverse=direction == "desc")
    return page_of(listed, perPage, page, lambda pair: line_comment_json(ctx, found, *pair))


@app.post("/repos/{owner}/{repo}/pulls/{pull_number}/comments", tool="create_review_comment", status=201, mcp=False)
def create_review_comment(
    ctx: Ctx, owner: str, repo: str, pull_number: PullNumber, body: str, commit_id: str | None = None, path: str | None = None,
    position: int | None = None, side: Side | None = None, line: int | None = None, start_line: int | None = None,
    start_side: Side | None = None, subject_type: Literal["line", "file"] | None = None, in_reply_to: int | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Comments on a line of the diff, at once; with in_reply_to answers another comment."""
    found, pull, issue = _of(ctx, owner, repo, pull_number)
    if in_reply_to is not None:
        return line_comment_json(
            ctx, found, pull, core.reply(ctx, found, pull, issue, _line_comment(ctx, pull, in_reply_to), body)
        )
    absent = [f'"{name}"' for name, value in (("commit_id", commit_id), ("path", path)) if not value]
    if absent:
        raise ApiError(
            422, f"Invalid request.\n\n{', '.join(absent)} {'was' if len(absent) == 1 else 'were'}n't supplied."
        )
    draft = {
        "path": path, "body": body, "line": line, "side": side, "start_line": start_line, "start_side": start_side, "position": position,
        "subject_type": subject_type,
    }  # fmt: skip
    review = core.start_review(ctx, found, pull, issue, "COMMENT", "", commit_id, [draft], single=True)
    return line_comment_json(ctx, found, pull, ctx.db.find(ReviewComment, review_id=review.id)[0])


def _line_comment(ctx: Ctx, pull: Pull, comment_id: int) -> ReviewComment:
    row = ctx.require(ReviewComment, comment_id)
    if row.pull_id != pull.id:
        raise not_found()
    return row


@app.post(
    "/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies",
    tool="create_reply_for_review_comment",
    status=201,
    mcp=False,
)
def create_reply(
    ctx: Ctx, owner: str, repo: str, pull_number: PullNumber, comment_id: int, body: str
) -> dict[str, Any]:
    """Answers a line comment."""
    found, pull, issue = _of(ctx, owner, repo, pull_number)
    return line_comment_json(
        ctx, found, pull, core.reply(ctx, found, pull, issue, _line_comment(ctx, pull, comment_id), body)
    )


@app.post("", tool="add_reply_to_pull_request_comment", status=201)
def add_reply(
    ctx: Ctx, owner: str, repo: str, pullNumber: PullNumber, commentId: int, body: str | MISSING = MISSING,
    reaction: Content | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Answers a comment on a line of a pull request's diff, or reacts to it.

    owner: The repository's owner.
    repo: The repository's name.
    pullNumber: The pull request's number.
    commentId: Id of the comment to answer.
    body: The answer's text. Needed unless a reaction is given.
    reaction: An emoji to react with.
    """
    found, pull, issue = _of(ctx, owner, repo, pullNumber)
    comment = _line_comment(ctx, pull, commentId)
    made = react(ctx, f"review_comment:{comment.id}", reaction).body if isinstance(reaction, str) else None
    if isinstance(body, str):
        return line_comment_json(ctx, found, pull, core.reply(ctx, found, pull, issue, comment, body))
    if made is None:
        raise ApiError(422, 'Invalid request.\n\n"body" wasn\'t supplied.')
    return made


@app.post("", tool="add_comment_to_pending_review")
def add_comment_to_pending_review(
    ctx: Ctx, owner: str, repo: str, pullNumber: PullNumber, path: str, body: str, subjectType: Literal["FILE", "LINE"],
    line: int | MISSING = MISSING, side: Side | MISSING = MISSING, startLine: int | MISSING = MISSING,
    startSide: Side | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Adds a comment on a line or file to your pending review of a pull request, which must exist already.

    owner: The repository's owner.
    repo: The repository's name.
    pullNumber: The pull request's number.
    path: Path of the file in the diff.
    body: The comment's text.
    subjectType: Whether it is about a line or the whole file.
    line: The line in the diff; of a range the last.
    side: LEFT for the old state, RIGHT for the new one.
    startLine: First line of a range.
    startSide: Side of the range's first line.
    """
    found, pull, issue = _of(ctx, owner, repo, pullNumber)
    draft = core.pending(ctx, pull)
    if draft is None:
        raise ApiError(422, "No pending review found for the viewer")
    where = {"line": line, "side": side, "start_line": startLine, "start_side": startSide}
    given = {k: v for k, v in where.items() if v is not MISSING}
    row = core.add_line_comment(ctx, found, pull, issue, draft, path, body, subject_type=subjectType.lower(), **given)  # pyright: ignore[reportArgumentType]
    return line_comment_json(ctx, found, pull, row)


def _found(ctx: Ctx, owner: str, repo: str, comment_id: int) -> tuple[Repository, Pull, ReviewComment]:
    found, row = repository(ctx, owner, repo), ctx.require(ReviewComment, comment_id)
    pull = ctx.require(Pull, row.pull_id)
    review = ctx.require(Review, row.review_id)
    if pull.repository_id != found.id or (review.state == "PENDING" and review.user_id != me(ctx).id):
        raise not_found()
    return found, pull, row


@app.get("/repos/{owner}/{repo}/pulls/comments/{comment_id}", tool="get_review_comment", mcp=False)
def get_review_comment(ctx: Ctx, owner: str, repo: str, comment_id: int) -> dict[str, Any]:
    """Gets a line comment."""
    return line_comment_json(ctx, *_found(ctx, owner, repo, comment_id))


@app.patch("/repos/{owner}/{repo}/pulls/comments/{comment_id}", tool="update_review_comment", mcp=False)
def update_review_comment(ctx: Ctx, owner: str, repo: str, comment_id: int, body: str) -> dict[str, Any]:
    """Changes a line comment."""
    found, pull, row = _found(ctx, owner, repo, comment_id)
    guard_edit(ctx, found, row.user_id)
    check_comment(body, "PullRequestReviewComment")
    return line_comment_json(ctx, found, pull, ctx.db.update(row, body=body, updated_at=ctx.timestamp()))


@app.delete("/repos/{owner}/{repo}/pulls/comments/{comment_id}", tool="delete_review_comment", mcp=False)
def delete_review_comment(ctx: Ctx, owner: str, repo: str, comment_id: int) -> Reply:
    """Deletes a line comment; the thread of its answers goes on from the first of them."""
    found, _, row = _found(ctx, owner, repo, comment_id)
    guard_edit(ctx, found, row.user_id)
    ctx.db.delete_where(Reaction, subject=f"review_comment:{row.id}")
    answers = ctx.db.find(ReviewComment, order="id", in_reply_to_id=row.id)
    for answer in answers[:1]:
        ctx.db.update(answer, in_reply_to_id=None, resolved_by=row.resolved_by)
    for answer in answers[1:]:
        ctx.db.update(answer, in_reply_to_id=answers[0].id)
    ctx.db.delete(row)
    return Reply(None, 204)
