"""Branches, tags and protection. https://docs.github.com/en/rest/branches"""

from typing import Any

from pydantic import BaseModel, Field

from legoenv_mcp.app import MISSING, ApiError, Ctx, Page, Reply

from .. import git, refs
from ..accounts import full_name, repository
from ..app import WEB, PageNumber, PerPage, app, not_found, page_of
from ..issues import event
from ..models import Issue, Protection, Pull, Ref, Repository, TagObject
from ..resources import branch_json, ref_json, repo_url


def _branches(ctx: Ctx, repo: Repository) -> list[Ref]:
    return ctx.db.find(Ref, order="name", repository_id=repo.id, name__startswith="refs/heads/")


@app.get("/repos/{owner}/{repo}/branches", tool="list_branches")
def list_branches(
    ctx: Ctx, owner: str, repo: str, protected: bool | None = None, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Lists a repository's branches with the SHA each points at.

    owner: The repository's owner.
    repo: The repository's name.
    protected: Only protected branches, or only unprotected ones.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    found = repository(ctx, owner, repo)
    rules = {p.branch for p in ctx.db.find(Protection, repository_id=found.id)}
    listed = [(r.name.removeprefix("refs/heads/"), r.sha) for r in _branches(ctx, found)]
    if protected is not None:
        listed = [pair for pair in listed if (pair[0] in rules) == protected]
    if not ctx.request.method:
        return page_of(listed, perPage, page, lambda b: {"name": b[0], "sha": b[1], "protected": b[0] in rules})
    return page_of(listed, perPage, page, lambda b: branch_json(ctx, found, *b))


@app.get("/repos/{owner}/{repo}/branches/{branch:path}", tool="get_branch", mcp=False)
def get_branch(ctx: Ctx, owner: str, repo: str, branch: str) -> dict[str, Any]:
    """Gets a branch with the commit it points at."""
    found = repository(ctx, owner, repo)
    return branch_json(ctx, found, branch, refs.require_branch(ctx, found, branch).sha, full=True)


@app.post("", tool="create_branch")
def create_branch(ctx: Ctx, owner: str, repo: str, branch: str, from_branch: str | MISSING = MISSING) -> dict[str, Any]:
    """Creates a branch from another one.

    owner: The repository's owner.
    repo: The repository's name.
    branch: Name of the new branch.
    from_branch: Branch to start from; the default branch by default.
    """
    found = repository(ctx, owner, repo, "write")
    source = from_branch if isinstance(from_branch, str) and from_branch else found.default_branch
    head = git.branch(ctx, found, source)
    if head is None:
        raise ApiError(404, "Not Found")
    return new_ref(ctx, found, f"refs/heads/{branch}", head.sha)


def new_ref(ctx: Ctx, repo: Repository, name: str, sha: str) -> dict[str, Any]:
    """Makes a ref, as the Git database API does it."""
    if not name.startswith("refs/") or name.count("/") < 2:
        raise ApiError(422, "Reference name must start with 'refs/' and contain at least one additional slash.")
    if not git.check_ref(name):
        raise ApiError(422, f"{name} is not a valid ref name.")
    target = git.peel(ctx, repo, sha)
    if ctx.db.get(git.Commit, (repo.id, target)) is None:
        raise ApiError(422, "Object does not exist")
    taken = ctx.db.find(Ref, repository_id=repo.id)
    if any(r.name == name for r in taken):
        raise ApiError(422, "Reference already exists")
    if any(r.name.startswith(f"{name}/") or name.startswith(f"{r.name}/") for r in taken):
        raise ApiError(422, "Reference update failed: a ref with the same prefix exists")
    return ref_json(ctx, repo, name, refs.set_ref(ctx, repo, name, sha).sha)


@app.post(
    "/repos/{owner}/{repo}/branches/{branch:path}/rename", tool="rename_branch", effect="update", status=201, mcp=False
)
def rename_branch(ctx: Ctx, owner: str, repo: str, branch: str, new_name: str) -> dict[str, Any]:
    """Renames a branch; open pull requests, protection and the default branch follow."""
    found = repository(ctx, owner, repo, "admin" if branch == repository(ctx, owner, repo).default_branch else "write")
    old = git.branch(ctx, found, branch)
    if old is None:
        raise not_found()
    if not git.check_ref(new_name):
        raise ApiError(422, f"{new_name} is not a valid branch name")
    if git.branch(ctx, found, new_name):
        raise ApiError(422, f"The branch {new_name} already exists.")
    sha = old.sha
    ctx.db.delete(old)
    refs.set_ref(ctx, found, f"refs/heads/{new_name}", sha)
    for rule in ctx.db.find(Protection, repository_id=found.id, branch=branch):
        ctx.db.add(Protection(**{**rule.model_dump(), "branch": new_name}))
        ctx.db.delete(rule)
    for pull in [
        *ctx.db.find(Pull, head_repository_id=found.id, head_ref=branch),
        *ctx.db.find(Pull, repository_id=found.id, base_ref=branch),
    ]:
        issue = ctx.require(Issue, pull.issue_id)
        if issue.state == "open":
            ends = (
                {"head_ref": new_name}
                if pull.head_ref == branch and pull.head_repository_id == found.id
                else {"base_ref": new_name}
            )
            ctx.db.update(pull, **ends)
            event(ctx, issue, "base_ref_changed" if "base_ref" in ends else "head_ref_restored")
    if found.default_branch == branch:
        ctx.db.update(found, default_branch=new_name)
    return branch_json(ctx, found, new_name, sha, full=True)


# Protection


class Check(BaseModel):
    context: str


class Checks(BaseModel):
    strict: bool = False
    contexts: list[str] | None = None
    checks: list[Check] | None = None

    def names(self) -> list[str]:
        return list(dict.fromkeys([*(self.contexts or []), *(c.context for c in self.checks or [])]))


class Approvals(BaseModel):
    dismiss_stale_reviews: bool = False
    require_code_owner_reviews: bool = False
    require_last_push_approval: bool = False
    required_approving_review_count: int = Field(1, ge=0, le=6)


class Restrictions(BaseModel):
    users: list[str] | None = None


def _rule(ctx: Ctx, repo: Repository, branch: str) -> Protection:
    refs.require_branch(ctx, repo, branch)
    found = ctx.db.get(Protection, (repo.id, branch))
    if found is None:
        raise ApiError(404, "Branch not protected")
    return found


def _reviews_json(api: str, rule: Protection) -> dict[str, Any]:
    given = rule.reviews or {}
    return {
        "url": f"{api}/required_pull_request_reviews", "dismiss_stale_reviews": given.get("dismiss_stale_reviews", False),
        "require_code_owner_reviews": given.get("require_code_owner_reviews", False),
        "require_last_push_approval": given.get("require_last_push_approval", False),
        "required_approving_review_count": given.get("required_approving_review_count", 1),
    }  # fmt: skip


def _protection_json(ctx: Ctx, repo: Repository, rule: Protection) -> dict[str, Any]:
    api = f"{repo_url(ctx, repo)}/branches/{rule.branch}/protection"
    made: dict[str, Any] = {"url": api}
    if rule.checks is not None:
        contexts = rule.checks.get("contexts", [])
        made["required_status_checks"] = {
            "url": f"{api}/required_status_checks", "strict": rule.checks.get("strict", False), "contexts": contexts,
            "contexts_url": f"{api}/required_status_checks/contexts", "checks": [{"context": c, "app_id": None} for c in contexts],
        }  # fmt: skip
    if rule.reviews is not None:
        made["required_pull_request_reviews"] = _reviews_json(api, rule)
    if rule.restrictions is not None:
        made["restrictions"] = {
            "url": f"{api}/restrictions",
            "users": rule.restrictions.get("users", []),
            "teams": [],
            "apps": [],
        }
    made["enforce_admins"] = {"url": f"{api}/enforce_admins", "enabled": rule.enforce_admins}
    for name in (
        "required_linear_history",
        "allow_force_pushes",
        "allow_deletions",
        "required_conversation_resolution",
    ):
        made[name] = {"enabled": getattr(rule, name)}
    return made


@app.get("/repos/{owner}/{repo}/branches/{branch:path}/protection", tool="get_branch_protection", mcp=False)
def get_protection(ctx: Ctx, owner: str, repo: str, branch: str) -> dict[str, Any]:
    """Gets a branch's protection."""
    found = repository(ctx, owner, repo)
    return _protection_json(ctx, found, _rule(ctx, found, branch))


@app.put("/repos/{owner}/{repo}/branches/{branch:path}/protection", tool="update_branch_protection", mcp=False)
def put_protection(
    ctx: Ctx, owner: str, repo: str, branch: str, required_status_checks: Checks | None, enforce_admins: bool | None,
    required_pull_request_reviews: Approvals | None, restrictions: Restrictions | None,
    required_linear_history: bool | None = False, allow_force_pushes: bool | None = False, allow_deletions: bool | None = False,
    required_conversation_resolution: bool | None = False,
) -> dict[str, Any]:  # fmt: skip
    """Protects a branch; null switches a rule off."""
    found = repository(ctx, owner, repo, "admin")
    refs.require_branch(ctx, found, branch)
    checks, reviews = required_status_checks, required_pull_request_reviews
    values = {
        "checks": None if checks is None else {"strict": checks.strict, "contexts": checks.names()},
        "reviews": None if reviews is None else reviews.model_dump(), "enforce_admins": bool(enforce_admins),
        "required_linear_history": bool(required_linear_history),
        "restrictions": None if restrictions is None else {"users": restrictions.users or []},
        "allow_force_pushes": bool(allow_force_pushes), "allow_deletions": bool(allow_deletions),
        "required_conversation_resolution": bool(required_conversation_resolution),
    }  # fmt: skip
    rule = ctx.db.get(Protection, (found.id, branch))
    rule = (
        ctx.db.update(rule, **values)
        if rule
        else ctx.db.add(Protection(repository_id=found.id, branch=branch, **values))
    )
    return _protection_json(ctx, found, rule)


@app.delete("/repos/{owner}/{repo}/branches/{branch:path}/protection", tool="delete_branch_protection", mcp=False)
def delete_protection(ctx: Ctx, owner: str, repo: str, branch: str) -> Reply:
    """Takes all protection off a branch."""
    found = repository(ctx, owner, repo, "admin")
    ctx.db.delete(_rule(ctx, found, branch))
    return Reply(None, 204)


# Tags


@app.get("/repos/{owner}/{repo}/tags", tool="list_tags")
def list_tags(ctx: Ctx, owner: str, repo: str, page: PageNumber = 1, perPage: PerPage = 30) -> Page[Any]:
    """Lists a repository's tags with the commit each names.

    owner: The repository's owner.
    repo: The repository's name.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    found = repository(ctx, owner, repo)
    api, web = repo_url(ctx, found), f"{WEB}/{full_name(ctx, found)}"
    listed = ctx.db.find(Ref, order="-name", repository_id=found.id, name__startswith="refs/tags/")

    def show(ref: Ref) -> dict[str, Any]:
        name, sha = ref.name.removeprefix("refs/tags/"), git.peel(ctx, found, ref.sha)
        return {
            "name": name, "zipball_url": f"{api}/zipball/refs/tags/{name}", "tarball_url": f"{api}/tarball/refs/tags/{name}",
            "commit": {"sha": sha, "url": f"{api}/commits/{sha}"}, "node_id": f"REF_{sha[:20]}", "html_url": f"{web}/releases/tag/{name}",
        }  # fmt: skip

    return page_of(listed, perPage, page, show)


@app.get("", tool="get_tag")
def get_tag(ctx: Ctx, owner: str, repo: str, tag: str) -> dict[str, Any]:
    """Gets a git tag: the commit it names and, for an annotated tag, its message and tagger.

    owner: The repository's owner.
    repo: The repository's name.
    tag: The tag's name.
    """
    found = repository(ctx, owner, repo)
    ref = ctx.db.get(Ref, (found.id, f"refs/tags/{tag}"))
    if ref is None:
        raise not_found()
    row = ctx.db.get(TagObject, (found.id, ref.sha))
    made: dict[str, Any] = {
        "tag": tag,
        "sha": ref.sha,
        "object": {"sha": git.peel(ctx, found, ref.sha), "type": "commit"},
    }
    if row is not None:
        made |= {
            "message": row.message,
            "tagger": {"name": row.tagger_name, "email": row.tagger_email, "date": row.tagger_date},
        }
    return made
