"""Pull requests. https://docs.github.com/en/rest/pulls/pulls"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, ApiError, Body, Ctx, Page, Reply, ToolOnly, cursor_page

from .. import git, patches, refs
from .. import issues as rules
from .. import pulls as core
from .. import reviews as opinions
from ..accounts import may, me, repository
from ..app import PageNumber, PerPage, accepts, app, failed, not_found, page_of
from ..checks import check_json, check_runs
from ..models import Comment, Issue, Pull, Repository
from ..pulls import pull_json, pull_of
from ..resources import commit_json, file_json
from .commits import combined
from .issues import Number as PullNumber


@app.post("/repos/{owner}/{repo}/pulls", tool="create_pull_request", status=201)
def create_pull_request(
    ctx: Ctx, owner: str, repo: str, title: str, head: str, base: str, body: str | None = None, draft: bool = False,
    maintainer_can_modify: bool = False, reviewers: Annotated[list[str], ToolOnly()] = [],  # noqa: B006
) -> dict[str, Any]:  # fmt: skip
    """Opens a pull request: asks to merge one branch into another.

    owner: The repository's owner.
    repo: The repository's name.
    title: The pull request's title.
    head: Branch with the changes; OWNER:BRANCH for a branch of a fork.
    base: Branch to merge into.
    body: What it does, in Markdown.
    draft: Whether it is a draft, which can not be merged yet.
    maintainer_can_modify: Whether maintainers may push to its branch.
    reviewers: User names to ask for a review.
    """
    found = repository(ctx, owner, repo)
    pull, made = core.open_pull(
        ctx, found, title, head, base, body, draft=draft, maintainer_can_modify=maintainer_can_modify
    )
    opinions.request_reviews(ctx, found, pull, made, reviewers)
    return pull_json(ctx, found, pull, made, full=True)


@app.get("/repos/{owner}/{repo}/pulls", tool="list_pull_requests")
def list_pull_requests(
    ctx: Ctx, owner: str, repo: str, state: Literal["open", "closed", "all"] = "open", head: str | None = None, base: str | None = None,
    sort: Literal["created", "updated", "popularity", "long-running"] = "created", direction: Literal["asc", "desc"] | MISSING = MISSING,
    page: PageNumber = 1, perPage: PerPage = 30,
) -> Page[Any]:  # fmt: skip
    """Lists a repository's pull requests.

    owner: The repository's owner.
    repo: The repository's name.
    state: Only pull requests in this state; merged ones are closed.
    head: Only those from this OWNER:BRANCH.
    base: Only those into this branch.
    sort: What to sort by; popularity is the number of comments, long-running the age of open ones.
    direction: Which way to sort.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    found = repository(ctx, owner, repo)
    listed = [
        (p, ctx.require(Issue, p.issue_id)) for p in ctx.db.find(Pull, repository_id=found.id, base_ref=base or None)
    ]
    listed = [(p, i) for p, i in listed if state in ("all", i.state)]
    if head and ":" in head:
        listed = [(p, i) for p, i in listed if _label(ctx, p).lower() == head.lower()]
    downward = direction == "desc" if isinstance(direction, str) else sort == "created"

    def key(pair: tuple[Pull, Issue]) -> Any:
        pull, issue = pair
        by = {
            "updated": issue.updated_at,
            "popularity": ctx.db.count(Comment, issue_id=issue.id) if sort == "popularity" else 0,
        }
        return (by.get(sort, issue.created_at), pull.number)

    shown = sorted(listed, key=key, reverse=downward)
    return page_of(shown, perPage, page, lambda pair: pull_json(ctx, found, *pair))


def _label(ctx: Ctx, pull: Pull) -> str:
    source = ctx.db.get(Repository, pull.head_repository_id)
    return refs.head_label(ctx, source, pull.head_ref) if source else pull.head_ref


@app.get("/repos/{owner}/{repo}/pulls/{pull_number}", tool="get_pull_request_rest", mcp=False)
def get_pull(ctx: Ctx, owner: str, repo: str, pull_number: PullNumber) -> Any:
    """Gets a pull request; as text with the diff or patch media type."""
    found = repository(ctx, owner, repo)
    pull, issue = pull_of(ctx, found, pull_number)
    kind = accepts(ctx, "diff", "patch")
    if kind == "diff":
        return Reply(
            patches.diff_text(core.diffs(ctx, found, pull, issue)),
            media_type="application/vnd.github.diff; charset=utf-8",
        )
    if kind == "patch":
        return Reply(
            patches.patch_text(ctx, found, core.commits(ctx, found, pull, issue)),
            media_type="application/vnd.github.patch; charset=utf-8",
        )
    return pull_json(ctx, found, pull, issue, full=True)


@app.get("", tool="get_pull_request")
def get_pull_request(ctx: Ctx, owner: str, repo: str, pullNumber: PullNumber) -> dict[str, Any]:
    """Gets a pull request, with whether it can be merged and its counts of commits and changes.

    owner: The repository's owner.
    repo: The repository's name.
    pullNumber: The pull request's number.
    """
    found = repository(ctx, owner, repo)
    return pull_json(ctx, found, *pull_of(ctx, found, pullNumber), full=True)


@app.get("", tool="get_pull_request_diff")
def get_pull_request_diff(ctx: Ctx, owner: str, repo: str, pullNumber: PullNumber) -> Reply:
    """Gets a pull request's changes as a unified diff.

    owner: The repository's owner.
    repo: The repository's name.
    pullNumber: The pull request's number.
    """
    found = repository(ctx, owner, repo)
    return Reply(patches.diff_text(core.diffs(ctx, found, *pull_of(ctx, found, pullNumber))), media_type="text/plain")


def _files(ctx: Ctx, repo: Repository, number: int, per_page: int, page: int) -> Page[Any]:
    pull, issue = pull_of(ctx, repo, number)
    return page_of(core.diffs(ctx, repo, pull, issue), per_page, page, lambda d: file_json(ctx, repo, d, pull.head_sha))


@app.get("/repos/{owner}/{repo}/pulls/{pullNumber}/files", tool="get_pull_request_files")
def get_pull_request_files(
    ctx: Ctx, owner: str, repo: str, pullNumber: PullNumber, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Lists the files that a pull request changes, with patches and counts.

    owner: The repository's owner.
    repo: The repository's name.
    pullNumber: The pull request's number.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    return _files(ctx, repository(ctx, owner, repo), pullNumber, perPage, page)


@app.get("/repos/{owner}/{repo}/pulls/{pull_number}/commits", tool="list_commits_on_pull_request", mcp=False)
def list_commits(
    ctx: Ctx, owner: str, repo: str, pull_number: PullNumber, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:
    """Lists a pull request's commits, oldest first."""
    found = repository(ctx, owner, repo)
    return page_of(
        core.commits(ctx, found, *pull_of(ctx, found, pull_number)), perPage, page, lambda c: commit_json(ctx, found, c)
    )


@app.get("", tool="pull_request_read")
def pull_request_read(
    ctx: Ctx, method: Literal["get", "get_diff", "get_status", "get_files", "get_commits", "get_review_comments", "get_reviews",
        "get_comments", "get_check_runs"],
    owner: str, repo: str, pullNumber: PullNumber, page: PageNumber = 1, perPage: PerPage = 30, after: str | MISSING = MISSING,
) -> Any:  # fmt: skip
    """Reads one pull request: get its details, get_diff, get_status (commit statuses of its head), get_check_runs (Actions and
    other checks of its head), get_files, get_commits, get_review_comments (threads on lines of the diff, with the ids by which
    they are answered and resolved), get_reviews, or get_comments of its conversation.

    method: What to read of the pull request.
    owner: The repository's owner.
    repo: The repository's name.
    pullNumber: The pull request's number.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    after: endCursor of the previous page's pageInfo; only for get_review_comments.
    """
    found = repository(ctx, owner, repo)
    pull, issue = pull_of(ctx, found, pullNumber)
    match method:
        case "get":
            return pull_json(ctx, found, pull, issue, full=True)
        case "get_diff":
            return get_pull_request_diff(ctx, owner, repo, pullNumber)
        case "get_status":
            return {k: v for k, v in combined(ctx, found, pull.head_sha).items() if k != "repository"}
        case "get_files":
            return _files(ctx, found, pullNumber, perPage, page)
        case "get_commits":
            return page_of(core.commits(ctx, found, pull, issue), perPage, page, lambda c: commit_json(ctx, found, c))
        case "get_review_comments":
            threads = opinions.threads(ctx, found, pull, issue)
            shown = cursor_page(threads, perPage, after if isinstance(after, str) else None, "threads")
            ends = {"hasNextPage": shown.more, "hasPreviousPage": shown.offset > 0, "endCursor": shown.cursor or ""}
            return {"review_threads": shown.items, "totalCount": shown.total, "pageInfo": ends}
        case "get_check_runs":
            checks = check_runs(ctx, found, pull.head_sha)
            return page_of(checks, perPage, page, lambda c: check_json(ctx, found, *c), key="check_runs")
        case "get_reviews":
            return page_of(
                opinions.visible(ctx, pull), perPage, page, lambda r: opinions.review_json(ctx, found, pull, r)
            )
        case _:
            listed = ctx.db.find(Comment, order="created_at,id", issue_id=issue.id)
            return page_of(listed, perPage, page, lambda c: rules.comment_json(ctx, found, issue, c))


# Changing


def _update(ctx: Ctx, repo: Repository, pull: Pull, issue: Issue, changes: dict[str, Any]) -> None:
    rules.guard_edit(ctx, repo, issue.user_id)
    title = changes.get("title")
    rules.check_title("PullRequest", title)
    rules.check_body(changes.get("body"))
    if changes.get("base"):
        core.change_base(ctx, repo, pull, issue, changes["base"])
    if title is not None:
        rules.rename(ctx, issue, title)
    if "body" in changes and changes["body"] != issue.body:
        ctx.db.update(issue, body=changes["body"], updated_at=ctx.timestamp())
    if changes.get("state"):
        core.change_state(ctx, repo, pull, issue, changes["state"])
    if "maintainer_can_modify" in changes:
        ctx.db.update(pull, maintainer_can_modify=changes["maintainer_can_modify"])


@app.patch("/repos/{owner}/{repo}/pulls/{pull_number}", tool="update_pull_request_rest", mcp=False)
def update_pull(
    ctx: Ctx, owner: str, repo: str, pull_number: PullNumber, title: str | MISSING = MISSING, body: str | None | MISSING = MISSING,
    state: Literal["open", "closed"] | MISSING = MISSING, base: str | MISSING = MISSING, maintainer_can_modify: bool | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a pull request."""
    found = repository(ctx, owner, repo)
    pull, issue = pull_of(ctx, found, pull_number)
    _update(ctx, found, pull, issue, ctx.sent())
    return pull_json(ctx, found, pull, issue, full=True)


@app.patch("", tool="update_pull_request")
def update_pull_request(
    ctx: Ctx, owner: str, repo: str, pullNumber: PullNumber, title: str | MISSING = MISSING, body: str | MISSING = MISSING,
    state: Literal["open", "closed"] | MISSING = MISSING, draft: bool | MISSING = MISSING, base: str | MISSING = MISSING,
    maintainer_can_modify: bool | MISSING = MISSING, reviewers: list[str] | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Updates the fields that are given of a pull request; also turns it into a draft or back, and asks for reviews.

    owner: The repository's owner.
    repo: The repository's name.
    pullNumber: The pull request's number.
    title: New title.
    body: New description.
    state: New state.
    draft: true makes it a draft, false marks it ready for review.
    base: Another branch to merge into.
    maintainer_can_modify: Whether maintainers may push to its branch.
    reviewers: User names to ask for a review.
    """
    found = repository(ctx, owner, repo)
    pull, issue = pull_of(ctx, found, pullNumber)
    rules.guard_edit(ctx, found, issue.user_id)
    if isinstance(draft, bool) and draft != pull.draft:
        if issue.state == "closed":
            raise failed(
                "PullRequest",
                "draft",
                "custom",
                "a closed pull request can not change between draft and ready for review",
            )
        ctx.db.update(pull, draft=draft)
        rules.event(ctx, issue, "convert_to_draft" if draft else "ready_for_review")
        rules.touch(ctx, issue)
    _update(ctx, found, pull, issue, ctx.sent())
    if isinstance(reviewers, list):
        opinions.request_reviews(ctx, found, pull, issue, reviewers)
    return pull_json(ctx, found, pull, issue, full=True)


# Merging


@app.get("/repos/{owner}/{repo}/pulls/{pull_number}/merge", tool="check_pull_request_merged", mcp=False)
def check_merged(ctx: Ctx, owner: str, repo: str, pull_number: PullNumber) -> Reply:
    """Checks whether a pull request has been merged: 204, or 404."""
    if not pull_of(ctx, repository(ctx, owner, repo), pull_number)[0].merged:
        raise not_found()
    return Reply(None, 204)


@app.put("/repos/{owner}/{repo}/pulls/{pullNumber}/merge", tool="merge_pull_request", effect="transition")
def merge_pull_request(
    ctx: Ctx, owner: str, repo: str, pullNumber: PullNumber, commit_title: str | None = None, commit_message: str | None = None,
    merge_method: core.Method = "merge", sha: Annotated[str | None, Body(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Merges a pull request into its base branch.

    owner: The repository's owner.
    repo: The repository's name.
    pullNumber: The pull request's number.
    commit_title: Title of the merge's commit.
    commit_message: Further text for the merge's commit.
    merge_method: How to merge: a merge commit, one squashed commit, or the commits rebased.
    """
    found = repository(ctx, owner, repo, "write")
    pull, issue = pull_of(ctx, found, pullNumber)
    made = core.merge_pull(ctx, found, pull, issue, merge_method, commit_title, commit_message, sha)
    return {"sha": made, "merged": True, "message": "Pull Request successfully merged"}


def _update_branch(ctx: Ctx, owner: str, repo: str, number: int, expected: str | None) -> dict[str, Any]:
    found = repository(ctx, owner, repo)
    pull, issue = pull_of(ctx, found, number)
    source = ctx.db.get(Repository, pull.head_repository_id)
    if source is None or not (may(ctx, source, me(ctx), "write")):
        raise ApiError(403, "Resource not accessible by personal access token")
    if issue.state != "open":
        raise ApiError(422, "Pull request is closed")
    if expected is not None and expected != pull.head_sha:
        raise failed("PullRequest", "expected_head_sha", "custom", "expected head sha didn’t match current head ref.")
    base = core.base_of(ctx, found, pull, issue)
    if base in git.ancestors(ctx, found, pull.head_sha):
        raise ApiError(422, "There are no new commits on the base branch.")
    tried = refs.merge_commits(ctx, found, pull.head_sha, base)
    if tried.conflicts:
        raise ApiError(422, "merge conflict between base and head")
    if source.id != found.id:
        refs.fetch(ctx, found, source, base)
        tried = refs.merge_commits(ctx, source, pull.head_sha, base)
    tree, who = tried.write(ctx, source, git.tree_of(ctx, source, pull.head_sha)), refs.signature(ctx)
    message = f"Merge branch '{pull.base_ref}' into {pull.head_ref}"
    made = git.put_commit(
        ctx, source, tree, [pull.head_sha, base], message, who, git.Signature(*refs.WEB_FLOW, who.date), pull.head_ref
    )
    refs.set_ref(ctx, source, f"refs/heads/{pull.head_ref}", made.sha)
    rules.touch(ctx, issue)
    return {"message": "Updating pull request branch.", "url": f"https://github.com/{owner}/{repo}/pull/{number}"}


@app.put(
    "/repos/{owner}/{repo}/pulls/{pull_number}/update-branch",
    tool="update_pull_request_branch_rest",
    status=202,
    mcp=False,
)
def update_branch(
    ctx: Ctx, owner: str, repo: str, pull_number: PullNumber, expected_head_sha: str | None = None
) -> dict[str, Any]:
    """Merges the base branch into the pull request's branch."""
    return _update_branch(ctx, owner, repo, pull_number, expected_head_sha)


@app.put("", tool="update_pull_request_branch", status=202, idempotent=False)
def update_pull_request_branch(
    ctx: Ctx, owner: str, repo: str, pullNumber: PullNumber, expectedHeadSha: str | MISSING = MISSING
) -> dict[str, Any]:  # fmt: skip
    """Brings a pull request's branch up to date with its base branch by merging the base into it.

    owner: The repository's owner.
    repo: The repository's name.
    pullNumber: The pull request's number.
    expectedHeadSha: The SHA that the branch is expected to be at.
    """
    return _update_branch(ctx, owner, repo, pullNumber, expectedHeadSha if isinstance(expectedHeadSha, str) else None)
