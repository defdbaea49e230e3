"""Commits, comparisons and statuses. https://docs.github.com/en/rest/commits"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, ApiError, Ctx, Page, Query, Reply

from .. import git, patches, pulls, refs
from ..accounts import find_repository, full_name, may, me, repository
from ..app import WEB, PageNumber, PerPage, accepts, app, page_of, when
from ..checks import latest_statuses
from ..models import Account, Commit, Issue, Pull, Ref, Repository, Status
from ..pulls import landed, pull_json
from ..resources import commit_json, file_json, node_id, repo_json, repo_url, user_json


def resolved(ctx: Ctx, repo: Repository, ref: str) -> Commit:
    sha = git.resolve(ctx, repo, ref)
    if sha is None:
        raise ApiError(422, f"No commit found for SHA: {ref}")
    return git.commit(ctx, repo, sha)


def _by(ctx: Ctx, listed: list[Commit], part: Literal["author", "committer"], who: str) -> list[Commit]:
    """Those that a user name or e-mail address wrote or committed."""
    person = next((p.id for p in ctx.db.where(Account, "lower(login) = ?", [who.lower()])), -1)
    return [
        c for c in listed if getattr(c, f"{part}_id") == person or getattr(c, f"{part}_email").lower() == who.lower()
    ]


def _touches(ctx: Ctx, repo: Repository, commit: Commit, path: str) -> bool:
    before = git.tree_of(ctx, repo, commit.parents[0] if commit.parents else None)
    return git.find(ctx, repo, before, path) != git.find(ctx, repo, commit.tree, path)


@app.get("/repos/{owner}/{repo}/commits", tool="list_commits")
def list_commits(
    ctx: Ctx, owner: str, repo: str, sha: str | None = None, author: str | None = None, path: str | None = None, since: str | None = None,
    until: str | None = None, committer: Annotated[str | None, Query(mcp=False)] = None, page: PageNumber = 1, perPage: PerPage = 30,
) -> Page[Any]:  # fmt: skip
    """Lists the commits of a branch, newest first.

    owner: The repository's owner.
    repo: The repository's name.
    sha: Commit SHA, branch or tag to list commits from; the default branch by default.
    author: Only commits by this user name or email address.
    path: Only commits that change this file path.
    since: Only commits after this ISO 8601 time.
    until: Only commits before this ISO 8601 time.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    found = repository(ctx, owner, repo)
    start = git.resolve(ctx, found, sha or found.default_branch)
    if start is None:
        if not ctx.db.first(Ref, repository_id=found.id):
            raise ApiError(409, "Git Repository is empty.")
        raise ApiError(404, "Not Found")
    listed = git.history(ctx, found, start)
    if author:
        listed = _by(ctx, listed, "author", author)
    if committer:
        listed = _by(ctx, listed, "committer", committer)
    if since:
        earliest = when(since, "since")
        listed = [c for c in listed if when(c.committer_date, "since") >= earliest]
    if until:
        latest = when(until, "until")
        listed = [c for c in listed if when(c.committer_date, "until") <= latest]
    if path:
        listed = [c for c in listed if _touches(ctx, found, c, path.strip("/"))]
    return page_of(listed, perPage, page, lambda c: commit_json(ctx, found, c))


@app.get("/repos/{owner}/{repo}/commits/{ref:path}", tool="get_commit_by_ref", mcp=False)
def get_commit_by_ref(ctx: Ctx, owner: str, repo: str, ref: str, page: PageNumber = 1, perPage: PerPage = 100) -> Any:
    """Gets a commit with its files; as text with the diff, patch or sha media type."""
    found = repository(ctx, owner, repo)
    commit = resolved(ctx, found, ref)
    diffs = patches.of_commit(ctx, found, commit)
    kind = accepts(ctx, "diff", "patch", "sha")
    if kind:
        text = {
            "diff": patches.diff_text(diffs),
            "patch": patches.patch_text(ctx, found, [commit]) if kind == "patch" else "",
            "sha": commit.sha,
        }
        return Reply(text[kind], media_type=f"application/vnd.github.{kind}; charset=utf-8")
    made = commit_json(ctx, found, commit, diffs=diffs)
    made["files"] = made["files"][(page - 1) * perPage : page * perPage]
    return made


@app.get("", tool="get_commit")
def get_commit(
    ctx: Ctx, owner: str, repo: str, sha: str, detail: Literal["none", "stats", "full_patch"] = "stats", page: PageNumber = 1,
    perPage: PerPage = 30,
) -> dict[str, Any]:  # fmt: skip
    """Gets a commit with the files it changed and their line counts; with detail full_patch also their patches.

    owner: The repository's owner.
    repo: The repository's name.
    sha: Commit SHA, branch name or tag name.
    detail: none leaves files and counts out, stats has the files with their line counts, full_patch also has their patches.
    page: Page of the files, from 1.
    perPage: Files per page, at most 100.
    """
    found = repository(ctx, owner, repo)
    commit = resolved(ctx, found, sha)
    made = commit_json(ctx, found, commit, diffs=None if detail == "none" else patches.of_commit(ctx, found, commit))
    if detail != "none":
        made["files"] = made["files"][(page - 1) * perPage : page * perPage]
    if detail == "stats":
        made["files"] = [{key: value for key, value in file.items() if key != "patch"} for file in made["files"]]
    return made


@app.get("/repos/{owner}/{repo}/commits/{sha}/pulls", tool="list_pull_requests_associated_with_commit", mcp=False)
def list_pulls_of_commit(
    ctx: Ctx, owner: str, repo: str, sha: str, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:
    """Lists the pull requests that a commit belongs to."""
    found = repository(ctx, owner, repo)
    commit = resolved(ctx, found, sha)
    listed = list[tuple[Pull, Issue]]()
    for pull in ctx.db.find(Pull, repository_id=found.id):
        issue = ctx.require(Issue, pull.issue_id)
        if pull.merge_commit_sha == commit.sha or any(
            c.sha == commit.sha for c in pulls.commits(ctx, found, pull, issue)
        ):
            listed.append((pull, issue))
    return page_of(listed, perPage, page, lambda pair: pull_json(ctx, found, *pair))


@app.get("/repos/{owner}/{repo}/commits/{sha}/branches-where-head", tool="list_branches_for_head_commit", mcp=False)
def branches_where_head(ctx: Ctx, owner: str, repo: str, sha: str) -> list[Any]:
    """Lists the branches whose head is the commit."""
    found = repository(ctx, owner, repo)
    heads = ctx.db.find(Ref, repository_id=found.id, name__startswith="refs/heads/", sha=resolved(ctx, found, sha).sha)
    return [{"name": r.name.removeprefix("refs/heads/"), "commit": {"sha": r.sha}, "protected": False} for r in heads]


# Comparing


def _side(ctx: Ctx, repo: Repository, text: str) -> tuple[Repository, Commit]:
    owner, colon, ref = text.rpartition(":")
    source = repo
    if colon:
        found = find_repository(ctx, owner.split(":")[0], repo.name)
        if found is None or not may(ctx, found, me(ctx), "read"):
            raise ApiError(404, "Not Found")
        source = found
    sha = git.resolve(ctx, source, ref)
    if sha is None:
        raise ApiError(404, "Not Found")
    return source, git.commit(ctx, source, sha)


@app.get("/repos/{owner}/{repo}/compare/{basehead:path}", tool="compare_commits", mcp=False)
def compare_commits(
    ctx: Ctx, owner: str, repo: str, basehead: str, page: PageNumber = 1, perPage: PerPage = 100
) -> Any:
    """Compares two commits: BASE...HEAD."""
    found = repository(ctx, owner, repo)
    before, dots, after = basehead.partition("...")
    if not dots or not before or not after:
        raise ApiError(404, "Not Found")
    (home, base), (source, head) = _side(ctx, found, before), _side(ctx, found, after)
    # A fork has what its parent had when it was made, and the parent what was offered to it.
    has = [r for r in (found, source, home) if all(ctx.db.get(Commit, (r.id, c.sha)) for c in (base, head))]
    here = has[0] if has else found
    common = git.merge_base(ctx, here, base.sha, head.sha) if has else None
    if common is None:
        raise ApiError(404, f"No common ancestor between {before} and {after}.")
    ahead = git.history(ctx, here, head.sha, git.ancestors(ctx, here, base.sha))[::-1]
    behind = len(git.ancestors(ctx, here, base.sha) - git.ancestors(ctx, here, head.sha))
    diffs = patches.between(ctx, here, git.tree_of(ctx, here, common), head.tree)
    kind = accepts(ctx, "diff", "patch")
    if kind:
        text = patches.diff_text(diffs) if kind == "diff" else patches.patch_text(ctx, here, ahead)
        return Reply(text, media_type=f"application/vnd.github.{kind}; charset=utf-8")
    status = "diverged" if ahead and behind else "ahead" if ahead else "behind" if behind else "identical"
    api, web = f"{repo_url(ctx, found)}/compare/{basehead}", f"{WEB}/{full_name(ctx, found)}/compare/{basehead}"
    return {
        "url": api, "html_url": web, "permalink_url": f"{WEB}/{full_name(ctx, found)}/compare/{base.sha[:7]}...{head.sha[:7]}",
        "diff_url": f"{web}.diff", "patch_url": f"{web}.patch", "base_commit": commit_json(ctx, found, base),
        "merge_base_commit": commit_json(ctx, here, git.commit(ctx, here, common)), "status": status, "ahead_by": len(ahead),
        "behind_by": behind,
        "total_commits": len(ahead), "commits": [commit_json(ctx, here, c) for c in ahead[(page - 1) * perPage : page * perPage]],
        "files": [file_json(ctx, here, d, head.sha) for d in diffs] if page == 1 else [],
    }  # fmt: skip


@app.post("/repos/{owner}/{repo}/merges", tool="merge_a_branch", status=201, mcp=False)
def merge_branch(ctx: Ctx, owner: str, repo: str, base: str, head: str, commit_message: str | None = None) -> Reply:
    """Merges a branch or commit into a branch: 201 with the commit, 204 where there is nothing to merge."""
    found = repository(ctx, owner, repo, "write")
    onto = git.branch(ctx, found, base)
    if onto is None:
        raise ApiError(404, "Base does not exist")
    sha = git.resolve(ctx, found, head)
    if sha is None:
        raise ApiError(404, "Head does not exist")
    if sha in git.ancestors(ctx, found, onto.sha):
        return Reply(None, 204)
    refs.guard_push(ctx, found, base)
    tried = refs.merge_commits(ctx, found, onto.sha, sha)
    if tried.conflicts:
        raise ApiError(409, "Merge conflict")
    before = onto.sha
    tree, who = tried.write(ctx, found, git.tree_of(ctx, found, before)), refs.signature(ctx)
    message = commit_message or f"Merge {head} into {base}"
    made = git.put_commit(ctx, found, tree, [before, sha], message, who, git.Signature(*refs.WEB_FLOW, who.date), base)
    refs.set_ref(ctx, found, f"refs/heads/{base}", made.sha)
    landed(ctx, found, base, made.sha, before)
    return Reply(commit_json(ctx, found, made), 201)


# Statuses


def status_json(ctx: Ctx, repo: Repository, row: Status) -> dict[str, Any]:
    return {
        "url": f"{repo_url(ctx, repo)}/statuses/{row.sha}", "avatar_url": None, "id": row.id, "node_id": node_id("Status", row.id),
        "state": row.state,
        "description": row.description, "target_url": row.target_url, "context": row.context, "created_at": row.created_at,
        "updated_at": row.created_at, "creator": user_json(ctx, row.creator_id),
    }  # fmt: skip


def combined(ctx: Ctx, repo: Repository, sha: str) -> dict[str, Any]:
    """The state that all latest statuses of a commit come to."""
    latest = latest_statuses(ctx, repo, sha)
    states = {s.state for s in latest}
    state = (
        "failure" if states & {"failure", "error"} else "pending" if not states or "pending" in states else "success"
    )
    return {
        "state": state, "statuses": [status_json(ctx, repo, s) for s in latest], "sha": sha, "total_count": len(latest),
        "repository": repo_json(ctx, repo), "commit_url": f"{repo_url(ctx, repo)}/commits/{sha}",
        "url": f"{repo_url(ctx, repo)}/commits/{sha}/status",
    }  # fmt: skip


@app.post("/repos/{owner}/{repo}/statuses/{sha}", tool="create_commit_status", status=201, mcp=False)
def create_status(
    ctx: Ctx, owner: str, repo: str, sha: str, state: Literal["error", "failure", "pending", "success"], target_url: str | None = None,
    description: str | None = None, context: str | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Sets a status of a commit under a context."""
    found = repository(ctx, owner, repo, "write")
    if ctx.db.get(Commit, (found.id, sha)) is None:
        raise ApiError(422, f"No commit found for SHA: {sha}")
    return status_json(ctx, found, ctx.db.add(Status(
        id=ctx.sequence("status", 31_806_114_902, 331), repository_id=found.id, sha=sha, state=state, creator_id=me(ctx).id,
            created_at=ctx.timestamp(),
        context=context if isinstance(context, str) and context else "default", description=description, target_url=target_url,
    )))  # fmt: skip


@app.get("/repos/{owner}/{repo}/commits/{ref:path}/status", tool="get_combined_status", mcp=False)
def get_combined_status(ctx: Ctx, owner: str, repo: str, ref: str) -> dict[str, Any]:
    """Gets the combined status of a ref."""
    found = repository(ctx, owner, repo)
    return combined(ctx, found, resolved(ctx, found, ref).sha)


@app.get("/repos/{owner}/{repo}/commits/{ref:path}/statuses", tool="list_commit_statuses", mcp=False)
def list_statuses(ctx: Ctx, owner: str, repo: str, ref: str, page: PageNumber = 1, perPage: PerPage = 30) -> Page[Any]:
    """Lists the statuses of a ref, newest first."""
    found = repository(ctx, owner, repo)
    listed = ctx.db.find(Status, order="-id", repository_id=found.id, sha=resolved(ctx, found, ref).sha)
    return page_of(listed, perPage, page, lambda s: status_json(ctx, found, s))
