"""Reviews of pull requests: verdicts and comments on lines. https://docs.github.com/en/rest/pulls/reviews"""

import re
from typing import Any, Literal

from legoenv_mcp.app import ApiError, Ctx

from . import patches
from .accounts import full_name, may, me, user
from .app import WEB, failed
from .checks import roots
from .issues import BODY_LIMIT, association, check_comment, event, guard_locked, reactions_json, touch
from .models import Issue, Pull, Repository, Review, ReviewComment, Side
from .pulls import diffs
from .resources import node_id, repo_url, user_json

Verdict = Literal["APPROVE", "REQUEST_CHANGES", "COMMENT"]
_STATES: dict[str, Literal["APPROVED", "CHANGES_REQUESTED", "COMMENTED"]] = {
    "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED",
}  # fmt: skip


def refused(reason: str) -> ApiError:
    return ApiError(422, "Unprocessable Entity", errors=[reason])


def pending(ctx: Ctx, pull: Pull) -> Review | None:
    return ctx.db.first(Review, pull_id=pull.id, user_id=me(ctx).id, state="PENDING")


def review_of(ctx: Ctx, pull: Pull, review_id: int) -> Review:
    """A review of this pull request that the caller may see: pending ones are their author's alone."""
    found = ctx.db.get(Review, review_id)
    if found is None or found.pull_id != pull.id or (found.state == "PENDING" and found.user_id != me(ctx).id):
        raise ApiError(404, "Not Found")
    return found


def visible(ctx: Ctx, pull: Pull) -> list[Review]:
    caller = me(ctx).id
    return [r for r in ctx.db.find(Review, pull_id=pull.id) if r.state != "PENDING" or r.user_id == caller]


def _check(ctx: Ctx, issue: Issue, verdict: Verdict | None, body: str, comments: bool) -> None:
    if issue.user_id == me(ctx).id and verdict in ("APPROVE", "REQUEST_CHANGES"):
        raise refused(f"Can not {'approve' if verdict == 'APPROVE' else 'request changes on'} your own pull request")
    if len(body) > BODY_LIMIT:
        raise refused(f"Body is too long (maximum is {BODY_LIMIT} characters)")
    if verdict == "REQUEST_CHANGES" and not body.strip():
        raise refused("Review body can't be blank")
    if verdict == "COMMENT" and not body.strip() and not comments:
        raise refused("Review body can't be blank")


def start_review(
    ctx: Ctx, repo: Repository, pull: Pull, issue: Issue, verdict: Verdict | None, body: str, commit_id: str | None,
    comments: list[dict[str, Any]], *, single: bool = False,
) -> Review:  # fmt: skip
    """A review with its comments on lines. `single` is one comment by itself, whose refusals are spelt as a field's."""
    guard_locked(ctx, repo, issue)
    _check(ctx, issue, verdict, body, bool(comments))
    if commit_id is not None and not ctx.db.count(patches.Commit, repository_id=repo.id, sha=commit_id):
        raise refused("The commit_id is not part of the pull request")
    if verdict is None and pending(ctx, pull):
        raise refused("User can only have one pending review per pull request")
    now = ctx.timestamp()
    review = new_review(
        ctx,
        pull,
        me(ctx).id,
        _STATES[verdict] if verdict else "PENDING",
        body,
        commit_id or pull.head_sha,
        now if verdict else None,
    )
    for comment in comments:
        try:
            add_line_comment(ctx, repo, pull, issue, review, **comment)
        except ApiError as error:
            raise error if single else _in_words(error) from None
    if verdict:
        _submitted(ctx, pull, issue)
    return review


_THREAD = "Pull request review thread"
_WORDS = {
    "path": "Path could not be resolved",
    "line": f"{_THREAD} line must be part of the diff and {_THREAD} diff hunk can't be blank",
    "start_line": f"{_THREAD} start line must be part of the same hunk as the line.",
}


def _in_words(error: ApiError) -> ApiError:
    """A refused comment as reviews spell it: in sentences."""
    entry = (error.errors or [{}])[0]
    name = str(entry.get("field", "")).rpartition(".")[2]
    if name == "start_line" and "precede" in entry.get("message", ""):
        return refused(f"{_THREAD} start line must precede the end line.")
    return refused(_WORDS[name]) if name in _WORDS else error


def new_review(ctx: Ctx, pull: Pull, author: int, state: Any, body: str, commit: str, at: str | None) -> Review:
    key = ctx.sequence("review", 2_655_190_338, 2_203)
    return ctx.db.add(
        Review(id=key, pull_id=pull.id, user_id=author, body=body, state=state, commit_id=commit, submitted_at=at)
    )


def submit(ctx: Ctx, pull: Pull, issue: Issue, review: Review, verdict: Verdict, body: str | None) -> Review:
    if review.state != "PENDING":
        raise refused("Can not submit a review that is not pending")
    text = review.body if body is None else body
    _check(ctx, issue, verdict, text, bool(ctx.db.count(ReviewComment, review_id=review.id)))
    ctx.db.update(review, state=_STATES[verdict], body=text, submitted_at=ctx.timestamp())
    _submitted(ctx, pull, issue)
    return review


def _submitted(ctx: Ctx, pull: Pull, issue: Issue) -> None:
    """Whoever reviews is no longer asked to."""
    caller = me(ctx).id
    if caller in pull.requested_reviewers:
        ctx.db.update(pull, requested_reviewers=[r for r in pull.requested_reviewers if r != caller])
    event(ctx, issue, "reviewed")
    touch(ctx, issue)


def discard(ctx: Ctx, review: Review) -> None:
    if review.state != "PENDING":
        raise refused("Can not delete a non-pending pull request review")
    ctx.db.delete_where(ReviewComment, review_id=review.id)
    ctx.db.delete(review)


def dismiss(ctx: Ctx, issue: Issue, review: Review, message: str) -> Review:
    if review.state not in ("APPROVED", "CHANGES_REQUESTED"):
        raise refused(f"Can not dismiss a {review.state.lower()} pull request review")
    if not message.strip():
        raise refused("Message can't be blank")
    was = review.state.lower()
    ctx.db.update(review, state="DISMISSED")
    event(
        ctx,
        issue,
        "review_dismissed",
        dismissed_review={"state": was, "review_id": review.id, "dismissal_message": message},
    )
    touch(ctx, issue)
    return review


# Comments on the diff


def _lines_of(patch: str, side: str) -> dict[int, int]:
    """The lines of one side that a patch shows, with their place in it."""
    out, old, new = dict[int, int](), 0, 0
    for place, line in enumerate(patch.split("\n")):
        if found := re.match(r"@@ -(\d+)(?:,\d+)? \+(\d+)", line):
            old, new = int(found[1]), int(found[2])
            continue
        if line[:1] in (" ", "-") and side == "LEFT":
            out[old] = place
        if line[:1] in (" ", "+") and side == "RIGHT":
            out[new] = place
        old += line[:1] in (" ", "-")
        new += line[:1] in (" ", "+")
    return out


def add_line_comment(
    ctx: Ctx, repo: Repository, pull: Pull, issue: Issue, review: Review, path: str, body: str, line: int | None = None,
    side: Side | None = None, start_line: int | None = None, start_side: Side | None = None, subject_type: str | None = None,
    position: int | None = None,
) -> ReviewComment:  # fmt: skip
    """A comment on a line, or with subject_type `file` on a whole file, of the pull request's diff."""
    thread = "pull_request_review_thread"
    found = next((d for d in diffs(ctx, repo, pull, issue) if d.path == path), None)
    if found is None:
        raise failed("PullRequestReviewComment", f"{thread}.path", "invalid")
    check_comment(body, "PullRequestReviewComment")
    patch, side, hunk = found.patch or "", side or "RIGHT", ""
    if subject_type != "file":
        places = _lines_of(patch, side)
        if line is None and position is not None:
            line = next((number for number, place in places.items() if place == position), None)
        for number, where in ((line, "line"), (start_line, "start_line")):
            shown = places if where == "line" else _lines_of(patch, start_side or side)
            if (number is None and where == "line") or (number is not None and number not in shown):
                raise failed(
                    "PullRequestReviewComment",
                    f"{thread}.{where}",
                    "custom",
                    f"{thread}.{where} must be part of the diff",
                )
        if start_line is not None and line is not None and start_line >= line and (start_side or side) == side:
            raise failed(
                "PullRequestReviewComment", f"{thread}.start_line", "custom", "start_line must precede the end line."
            )
        hunk = _hunk(patch, places[line]) if line is not None else ""
    now = ctx.timestamp()
    return ctx.db.add(ReviewComment(
        id=ctx.sequence("review_comment", 2_012_883_605, 1_913), pull_id=pull.id, review_id=review.id, user_id=me(ctx).id, body=body,
            path=path,
        commit_id=review.commit_id, subject_type="file" if subject_type == "file" else "line",
            line=None if subject_type == "file" else line,
        side=side, start_line=start_line, start_side=(start_side or side) if start_line else None, diff_hunk=hunk,
             # pyright: ignore[reportArgumentType]
        created_at=now, updated_at=now,
    ))  # fmt: skip


def _hunk(patch: str, place: int) -> str:
    """The diff from the hunk's head to the commented line."""
    lines = patch.split("\n")[: place + 1]
    start = max(n for n, line in enumerate(lines) if line.startswith("@@"))
    return "\n".join(lines[start:])


def reply(ctx: Ctx, repo: Repository, pull: Pull, issue: Issue, to: ReviewComment, body: str) -> ReviewComment:
    """An answer in a comment's thread, in a review of its own as GitHub makes it."""
    guard_locked(ctx, repo, issue)
    check_comment(body, "PullRequestReviewComment")
    now, caller = ctx.timestamp(), me(ctx).id
    review = new_review(ctx, pull, caller, "COMMENTED", "", pull.head_sha, now)
    columns = to.model_dump(
        exclude={"id", "review_id", "user_id", "body", "created_at", "updated_at", "in_reply_to_id", "resolved_by"}
    )
    touch(ctx, issue)
    return ctx.db.add(ReviewComment(
        **columns, id=ctx.sequence("review_comment", 2_012_883_605, 1_913), review_id=review.id, user_id=caller, body=body,
        in_reply_to_id=to.in_reply_to_id or to.id, created_at=now, updated_at=now,
    ))  # fmt: skip


# Threads


def hidden(ctx: Ctx, pull: Pull) -> set[int]:
    """The pending reviews of others, which the caller does not see."""
    return {r.id for r in ctx.db.find(Review, pull_id=pull.id)} - {r.id for r in visible(ctx, pull)}


def threads(ctx: Ctx, repo: Repository, pull: Pull, issue: Issue) -> list[dict[str, Any]]:
    """The threads on the diff as GitHub's MCP server shows them; `id` is what resolves one."""
    unseen, shown = hidden(ctx, pull), {d.path: d.patch or "" for d in diffs(ctx, repo, pull, issue)}
    said = [c for c in ctx.db.find(ReviewComment, pull_id=pull.id) if c.review_id not in unseen]
    out = list[dict[str, Any]]()
    for root in (c for c in said if c.in_reply_to_id is None):
        lines = _lines_of(shown.get(root.path, ""), root.side)
        done = root.resolved_by is not None
        comments = [
            {
                "id": c.id, "body": c.body, "path": c.path, "line": c.line, "author": (user_json(ctx, c.user_id) or {}).get("login"),
                "created_at": c.created_at, "updated_at": c.updated_at,
                "html_url": f"{WEB}/{full_name(ctx, repo)}/pull/{pull.number}#discussion_r{c.id}",
            }
            for c in said if root.id in (c.id, c.in_reply_to_id)
        ]  # fmt: skip
        out.append({
            "id": node_id("Thread", root.id), "is_resolved": done, "is_collapsed": done,
            "is_outdated": root.path not in shown or (root.line is not None and root.line not in lines),
            "comments": comments, "total_count": len(comments),
        })  # fmt: skip
    return out


def resolve(ctx: Ctx, repo: Repository, pull: Pull, issue: Issue, thread: str, done: bool) -> None:
    """Marks a thread as settled, or not; for the pull request's author and people with write access."""
    root = next((c for c in roots(ctx, pull) if node_id("Thread", c.id) == thread), None)
    if root is None or root.review_id in hidden(ctx, pull):
        raise ApiError(404, f"Could not resolve to a node with the global id of '{thread}'")
    if issue.user_id != me(ctx).id and not may(ctx, repo, me(ctx), "write"):
        raise ApiError(403, "Resource not accessible by personal access token")
    if (root.resolved_by is not None) != done:
        ctx.db.update(root, resolved_by=me(ctx).id if done else None)


def request_reviews(ctx: Ctx, repo: Repository, pull: Pull, issue: Issue, logins: list[str]) -> None:
    wanted = list(pull.requested_reviewers)
    for login in logins:
        person = user(ctx, login)
        if person is None or not may(ctx, repo, person, "read"):
            raise ApiError(
                422,
                "Reviews may only be requested from collaborators. One or more of the users or teams you specified is "
                f"not a collaborator of the {full_name(ctx, repo)} repository.",
            )
        if person.id == issue.user_id:
            raise ApiError(422, "Review cannot be requested from pull request author.")
        if person.id not in wanted:
            wanted.append(person.id)
            event(ctx, issue, "review_requested", requested_reviewer=person.id)
    if wanted != pull.requested_reviewers:
        ctx.db.update(pull, requested_reviewers=wanted)
        touch(ctx, issue)


def unrequest_reviews(ctx: Ctx, pull: Pull, issue: Issue, logins: list[str]) -> None:
    gone = [person.id for login in logins if (person := user(ctx, login))]
    left = [key for key in pull.requested_reviewers if key not in gone]
    for key in pull.requested_reviewers:
        if key in gone:
            event(ctx, issue, "review_request_removed", requested_reviewer=key)
    if left != pull.requested_reviewers:
        ctx.db.update(pull, requested_reviewers=left)
        touch(ctx, issue)


# JSON


def review_json(ctx: Ctx, repo: Repository, pull: Pull, review: Review) -> dict[str, Any]:
    api, page = f"{repo_url(ctx, repo)}/pulls/{pull.number}", f"{WEB}/{full_name(ctx, repo)}/pull/{pull.number}"
    html = f"{page}#pullrequestreview-{review.id}"
    made = {
        "id": review.id, "node_id": node_id("Review", review.id), "user": user_json(ctx, review.user_id), "body": review.body,
        "state": review.state, "html_url": html, "pull_request_url": api, "author_association": association(ctx, repo, review.user_id),
        "_links": {"html": {"href": html}, "pull_request": {"href": api}}, "commit_id": review.commit_id,
    }  # fmt: skip
    return {**made, "submitted_at": review.submitted_at} if review.submitted_at else made


def line_comment_json(ctx: Ctx, repo: Repository, pull: Pull, comment: ReviewComment) -> dict[str, Any]:
    root = repo_url(ctx, repo)
    api, pull_api = f"{root}/pulls/comments/{comment.id}", f"{root}/pulls/{pull.number}"
    html = f"{WEB}/{full_name(ctx, repo)}/pull/{pull.number}#discussion_r{comment.id}"
    made: dict[str, Any] = {
        "url": api, "pull_request_review_id": comment.review_id, "id": comment.id, "node_id": node_id("ReviewComment", comment.id),
        "diff_hunk": comment.diff_hunk, "path": comment.path, "commit_id": comment.commit_id, "original_commit_id": comment.commit_id,
        "user": user_json(ctx, comment.user_id), "body": comment.body, "created_at": comment.created_at, "updated_at": comment.updated_at,
        "html_url": html, "pull_request_url": pull_api, "author_association": association(ctx, repo, comment.user_id),
        "_links": {"self": {"href": api}, "html": {"href": html}, "pull_request": {"href": pull_api}},
        "reactions": reactions_json(ctx, f"review_comment:{comment.id}", api), "start_line": comment.start_line,
        "original_start_line": comment.start_line, "start_side": comment.start_side, "line": comment.line, "original_line": comment.line,
        "side": comment.side, "subject_type": comment.subject_type,
    }  # fmt: skip
    return {**made, "in_reply_to_id": comment.in_reply_to_id} if comment.in_reply_to_id else made
