"""Moving branches, and everything that follows one: pull requests, protection, workflows, push times."""

from legoenv_mcp.app import ApiError, Ctx

from . import git, merge
from .accounts import full_name, may, me
from .app import failed
from .models import Account, Commit, Issue, Protection, Pull, Ref, Repository, Review
from .workflows import sync_workflows


def guard_push(ctx: Ctx, repo: Repository, branch: str) -> None:
    """Refuses a direct push to a branch whose protection wants pull requests, checks or certain people."""
    rule = ctx.db.get(Protection, (repo.id, branch))
    if rule is None or (may(ctx, repo, me(ctx), "admin") and not rule.enforce_admins):
        return
    caller = me(ctx)
    if rule.restrictions is not None and caller.login not in rule.restrictions.get("users", []):
        raise ApiError(422, f"Repository rule violations found\n\nCannot update this protected ref: {branch}.")
    if rule.reviews is not None:
        raise ApiError(409, "Repository rule violations found\n\nChanges must be made through a pull request.\n\n")
    if rule.checks and rule.checks.get("contexts"):
        count = len(rule.checks["contexts"])
        raise ApiError(
            409, f"Repository rule violations found\n\n{count} of {count} required status checks are expected.\n\n"
        )


def set_ref(ctx: Ctx, repo: Repository, name: str, sha: str) -> Ref:
    """Points a ref at a commit, making it where there is none, and carries on to what follows a branch."""
    found = ctx.db.get(Ref, (repo.id, name))
    if found is None:
        found = ctx.db.add(Ref(repository_id=repo.id, name=name, sha=sha))
    elif found.sha != sha:
        ctx.db.update(found, sha=sha)
    if name.startswith("refs/heads/"):
        _followed(ctx, repo, name.removeprefix("refs/heads/"), sha)
    return found


def _followed(ctx: Ctx, repo: Repository, branch: str, sha: str) -> None:
    for commit in git.history(ctx, repo, sha):
        if commit.branch:
            break
        ctx.db.update(commit, branch=branch)
    ctx.db.update(repo, pushed_at=ctx.timestamp())
    for pull in ctx.db.find(Pull, head_repository_id=repo.id, head_ref=branch, merged=False):
        issue = ctx.require(Issue, pull.issue_id)
        if issue.state == "open":
            if pull.head_sha != sha:
                _go_stale(ctx, pull)
            ctx.db.update(pull, head_sha=sha)
            fetch(ctx, repo, ctx.require(Repository, pull.repository_id), sha)
    if branch == repo.default_branch:
        sync_workflows(ctx, repo, git.commit(ctx, repo, sha).tree)


def _go_stale(ctx: Ctx, pull: Pull) -> None:
    """New commits dismiss approvals where the base's protection wants them fresh."""
    rule = ctx.db.get(Protection, (pull.repository_id, pull.base_ref))
    if rule is not None and (rule.reviews or {}).get("dismiss_stale_reviews"):
        for review in ctx.db.find(Review, pull_id=pull.id, state="APPROVED"):
            ctx.db.update(review, state="DISMISSED")


def fetch(ctx: Ctx, source: Repository, target: Repository, sha: str) -> None:
    """Brings a commit of a fork, and what it is made of, into the repository it is offered to."""
    if source.id == target.id:
        return
    known = {c.sha for c in ctx.db.find(Commit, repository_id=target.id)}
    for commit in git.history(ctx, source, sha, known):
        for path_mode_sha in git.walk(ctx, source, commit.tree):
            _copy_blob(ctx, source, target, path_mode_sha[1], path_mode_sha[2])
        _copy_trees(ctx, source, target, commit.tree)
        ctx.db.add(Commit(**{**commit.model_dump(), "repository_id": target.id, "branch": ""}))


def _copy_blob(ctx: Ctx, source: Repository, target: Repository, mode: str, sha: str) -> None:
    blob = ctx.db.get(git.Blob, (source.id, sha)) if mode != git.FOLDER else None
    if blob is not None:
        git.put_blob(ctx, target, git.blob_bytes(blob))


def _copy_trees(ctx: Ctx, source: Repository, target: Repository, sha: str) -> None:
    entries = git.tree_entries(ctx, source, sha)
    for mode, _, inner in entries:
        if mode == git.FOLDER:
            _copy_trees(ctx, source, target, inner)
    git.put_tree(ctx, target, entries)


def require_branch(ctx: Ctx, repo: Repository, name: str) -> Ref:
    found = git.branch(ctx, repo, name)
    if found is None:
        raise ApiError(404, "Branch not found")
    return found


def signature(ctx: Ctx, given: dict[str, str] | None = None) -> git.Signature:
    """The caller's, or the one a request brings."""
    person = me(ctx)
    given = given or {}
    return git.Signature(
        given.get("name") or person.name or person.login,
        given.get("email") or person.email or f"{person.id}+{person.login}@users.noreply.github.com", _date(ctx, given.get("date")),
    )  # fmt: skip


WEB_FLOW = ("GitHub", "noreply@github.com")


def _date(ctx: Ctx, text: str | None) -> str:
    if not text:
        return ctx.timestamp()
    try:
        return ctx.parse_time(text).astimezone(ctx.now.tzinfo).isoformat(timespec="seconds").replace("+00:00", "Z")
    except (ValueError, OverflowError):
        raise failed("Commit", "date") from None


def commit_files(
    ctx: Ctx, repo: Repository, branch: str, changes: dict[str, tuple[str, str] | None], message: str,
    author: dict[str, str] | None = None, committer: dict[str, str] | None = None,
) -> Commit:  # fmt: skip
    """One commit on top of a branch; an empty repository's first commit makes its branch."""
    head = git.branch(ctx, repo, branch)
    if head is None and (branch != repo.default_branch or ctx.db.first(Ref, repository_id=repo.id)):
        raise ApiError(404, f"Branch {branch} not found")
    guard_push(ctx, repo, branch)
    tree = git.write_tree(ctx, repo, git.tree_of(ctx, repo, head.sha if head else None), changes)
    who = signature(ctx, author)
    by = signature(ctx, committer) if committer else git.Signature(*WEB_FLOW, who.date) if author is None else who
    made = git.put_commit(ctx, repo, tree, [head.sha] if head else [], message, who, by, branch=branch)
    set_ref(ctx, repo, f"refs/heads/{branch}", made.sha)
    return made


def merge_commits(ctx: Ctx, repo: Repository, base: str, head: str) -> merge.Merge:
    """Tries to merge `head` into `base` (commits)."""
    common = git.merge_base(ctx, repo, base, head)
    return merge.merge_trees(
        ctx, repo, git.tree_of(ctx, repo, common), git.tree_of(ctx, repo, base), git.tree_of(ctx, repo, head)
    )


def head_label(ctx: Ctx, repo: Repository, branch: str) -> str:
    return f"{ctx.require(Account, repo.owner_id).login}:{branch}"


def full_ref(text: str) -> str:
    return text if text.startswith("refs/") else f"refs/{text}"


__all__ = [
    "commit_files", "fetch", "full_name", "full_ref", "guard_push", "head_label", "merge_commits", "require_branch", "set_ref", "signature",
]  # fmt: skip
