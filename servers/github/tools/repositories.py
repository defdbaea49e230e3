"""Repositories. https://docs.github.com/en/rest/repos"""

import re
from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, ApiError, Body, Ctx, Page, Reply

from .. import git, refs
from ..accounts import account, full_name, may, me, organisation, readable, repository
from ..app import PageNumber, PerPage, app, failed, not_found, page_of
from ..languages import languages
from ..models import Account, Collaborator, Ref, Repository
from ..resources import repo_json, user_json
from ..setup import add_repository, delete_repository_rows, fork

Sort = Literal["created", "updated", "pushed", "full_name"]
Direction = Literal["asc", "desc"]


def _check_name(ctx: Ctx, owner: Account, name: str, but: int = 0) -> str:
    clean = re.sub(r"[^A-Za-z0-9._-]+", "-", name.strip())
    if not name.strip() or clean in (".", ".."):
        raise failed("Repository", "name", "missing_field")
    if len(clean) > 100:
        raise failed("Repository", "name", "custom", "name is too long (maximum is 100 characters)")
    if any(r.name.lower() == clean.lower() and r.id != but for r in ctx.db.find(Repository, owner_id=owner.id)):
        error = failed("Repository", "name", "custom", "name already exists on this account")
        error.message = "Repository creation failed." if not but else "Validation Failed"
        raise error
    return clean


def _create(
    ctx: Ctx, owner: Account, name: str, description: str | None, private: bool, auto_init: bool, **options: Any
) -> dict[str, Any]:
    made = add_repository(
        ctx, owner, _check_name(ctx, owner, name), description=description, private=private, **options
    )
    if auto_init:
        text = f"# {made.name}\n" + (f"{description}\n" if description else "")
        refs.commit_files(
            ctx,
            made,
            made.default_branch,
            {"README.md": (git.FILE, git.put_blob(ctx, made, text.encode()))},
            "Initial commit",
        )
    return repo_json(ctx, made, full=True)


@app.post("", tool="create_repository")
def create_repository_tool(
    ctx: Ctx, name: str, description: str | MISSING = MISSING, organization: str | MISSING = MISSING, private: bool = True,
    autoInit: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Creates a repository in your own account, or in an organization.

    name: The new repository's name.
    description: What it is for.
    organization: The organization to create it in; without one it is your own.
    private: Whether only people with access see it.
    autoInit: Whether to start with a README in a first commit.
    """
    owner = _can_create(ctx, organization) if isinstance(organization, str) else me(ctx)
    return _create(ctx, owner, name, description if isinstance(description, str) else None, private, autoInit)


def _can_create(ctx: Ctx, login: str) -> Account:
    owner = organisation(ctx, login)
    if not me(ctx).org_role:
        raise ApiError(403, "You need admin access to the organization before adding a repository to it.")
    return owner


@app.post("/user/repos", tool="create_repository_for_authenticated_user", status=201, mcp=False)
def create_for_authenticated_user(
    ctx: Ctx, name: str, description: str | None = None, homepage: str | None = None, private: bool = False, auto_init: bool = False,
    has_issues: bool = True, has_projects: bool = True, has_wiki: bool = True, is_template: bool = False, allow_squash_merge: bool = True,
    allow_merge_commit: bool = True, allow_rebase_merge: bool = True, delete_branch_on_merge: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Creates a repository of one's own."""
    return _create(ctx, me(ctx), name, description, private, auto_init, **_options(ctx))


@app.post("/orgs/{org}/repos", tool="create_repository_in_org", status=201, mcp=False)
def create_in_org(
    ctx: Ctx, org: str, name: str, description: str | None = None, homepage: str | None = None, private: bool = False,
    visibility: Literal["public", "private"] | MISSING = MISSING, auto_init: bool = False, has_issues: bool = True,
    has_projects: bool = True,
    has_wiki: bool = True, is_template: bool = False, allow_squash_merge: bool = True, allow_merge_commit: bool = True,
    allow_rebase_merge: bool = True, delete_branch_on_merge: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Creates a repository in an organisation."""
    hidden = visibility == "private" if isinstance(visibility, str) else private
    return _create(ctx, _can_create(ctx, org), name, description, hidden, auto_init, **_options(ctx))


def _options(ctx: Ctx) -> dict[str, Any]:
    taken = ("name", "description", "private", "visibility", "auto_init")
    return {key: value for key, value in ctx.sent().items() if key not in taken}


@app.get("/repos/{owner}/{repo}", tool="get_repository", mcp=False)
def get_repository(ctx: Ctx, owner: str, repo: str) -> dict[str, Any]:
    """Gets a repository."""
    return repo_json(ctx, repository(ctx, owner, repo), full=True)


@app.get("/repositories/{id}", tool="get_repository_by_id", mcp=False)
def get_repository_by_id(ctx: Ctx, id: int) -> dict[str, Any]:
    """Gets a repository by its id."""
    found = ctx.db.get(Repository, id)
    if found is None or not may(ctx, found, me(ctx), "read"):
        raise not_found()
    return repo_json(ctx, found, full=True)


@app.patch("/repos/{owner}/{repo}", tool="update_repository", mcp=False)
def update_repository(
    ctx: Ctx, owner: str, repo: str, name: str | MISSING = MISSING, description: str | None | MISSING = MISSING,
    homepage: str | None | MISSING = MISSING, private: bool | MISSING = MISSING,
    visibility: Literal["public", "private"] | MISSING = MISSING, default_branch: str | MISSING = MISSING,
    archived: bool | MISSING = MISSING, has_issues: bool | MISSING = MISSING, has_projects: bool | MISSING = MISSING,
    has_wiki: bool | MISSING = MISSING, is_template: bool | MISSING = MISSING, allow_squash_merge: bool | MISSING = MISSING,
    allow_merge_commit: bool | MISSING = MISSING, allow_rebase_merge: bool | MISSING = MISSING, allow_auto_merge: bool | MISSING = MISSING,
    delete_branch_on_merge: bool | MISSING = MISSING, allow_update_branch: bool | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Updates a repository's settings; archiving makes it read-only."""
    found = repository(ctx, owner, repo, "admin", archived=True)
    changes = ctx.sent()
    if found.archived and changes.get("archived") is not False:
        raise ApiError(403, "Repository was archived so is read-only.")
    if isinstance(changes.get("name"), str):
        changes["name"] = _check_name(ctx, ctx.require(Account, found.owner_id), changes["name"], found.id)
    if "visibility" in changes:
        changes["private"] = changes.pop("visibility") == "private"
    if isinstance(default_branch, str) and git.branch(ctx, found, default_branch) is None:
        raise failed("Repository", "default_branch", "invalid",
            "The branch " + default_branch + " was not found. Please push that ref first or create it via the Git Data API.")  # fmt: skip
    after = {
        k: changes.get(k, getattr(found, k)) for k in ("allow_squash_merge", "allow_merge_commit", "allow_rebase_merge")
    }
    if not any(after.values()):
        raise failed(
            "Repository", "merge_commit_allowed", "custom", "Sorry, you need to allow at least one merge strategy."
        )
    ctx.db.update(found, **changes, updated_at=ctx.timestamp())
    return repo_json(ctx, found, full=True)


@app.delete("/repos/{owner}/{repo}", tool="delete_repository", mcp=False)
def delete_repository(ctx: Ctx, owner: str, repo: str) -> Reply:
    """Deletes a repository with everything in it."""
    delete_repository_rows(ctx, repository(ctx, owner, repo, "admin", archived=True))
    return Reply(None, 204)


def _sorted(
    found: list[Repository], sort: Sort, direction: Direction | None, names: dict[int, str]
) -> list[Repository]:
    default: Direction = "asc" if sort == "full_name" else "desc"
    keys = {"created": "created_at", "updated": "updated_at", "pushed": "pushed_at"}
    ordered = sorted(
        found, key=lambda r: (names[r.id].lower() if sort == "full_name" else getattr(r, keys[sort]), r.id)
    )
    return ordered if (direction or default) == "asc" else ordered[::-1]


def _list(
    ctx: Ctx, found: list[Repository], sort: Sort, direction: Direction | None, per_page: int, page: int
) -> Page[Any]:
    names = {r.id: full_name(ctx, r) for r in found}
    return page_of(_sorted(found, sort, direction, names), per_page, page, lambda r: repo_json(ctx, r))


@app.get("/orgs/{org}/repos", tool="list_repositories_for_org", mcp=False)
def list_for_org(
    ctx: Ctx, org: str, type: Literal["all", "public", "private", "forks", "sources", "member"] = "all", sort: Sort = "created",
    direction: Direction | None = None, page: PageNumber = 1, perPage: PerPage = 30,
) -> Page[Any]:  # fmt: skip
    """Lists an organisation's repositories."""
    owner = organisation(ctx, org)
    tests = {
        "public": lambda r: not r.private,
        "private": lambda r: r.private,
        "forks": lambda r: r.fork_of,
        "sources": lambda r: not r.fork_of,
    }
    found = [r for r in readable(ctx) if r.owner_id == owner.id and tests.get(type, lambda r: True)(r)]
    return _list(ctx, found, sort, direction, perPage, page)


@app.get("/users/{username}/repos", tool="list_repositories_for_user", mcp=False)
def list_for_user(
    ctx: Ctx, username: str, type: Literal["all", "owner", "member"] = "owner", sort: Sort = "full_name",
        direction: Direction | None = None,
    page: PageNumber = 1, perPage: PerPage = 30,
) -> Page[Any]:  # fmt: skip
    """Lists an account's public repositories."""
    owner = account(ctx, username)
    found = [r for r in readable(ctx) if r.owner_id == owner.id and (not r.private or owner.type == "Organization")]
    return _list(ctx, found, sort, direction, perPage, page)


@app.get("/user/repos", tool="list_repositories_for_authenticated_user", mcp=False)
def list_for_authenticated_user(
    ctx: Ctx, visibility: Literal["all", "public", "private"] = "all", affiliation: str = "owner,collaborator,organization_member",
    type: Literal["all", "owner", "public", "private", "member"] | MISSING = MISSING, sort: Sort = "full_name",
    direction: Direction | None = None, page: PageNumber = 1, perPage: PerPage = 30,
) -> Page[Any]:  # fmt: skip
    """Lists the repositories that the authenticated user has explicit access to."""
    caller, wanted = me(ctx), set(affiliation.split(","))
    found = list[Repository]()
    for repo in readable(ctx):
        owner = ctx.require(Account, repo.owner_id)
        ways = (
            {"owner"}
            if owner.id == caller.id
            else {"organization_member"}
            if owner.type == "Organization" and caller.org_role
            else set[str]()
        )
        if ctx.db.get(Collaborator, (repo.id, caller.id)):
            ways.add("collaborator")
        hidden = visibility if type is MISSING or type not in ("public", "private") else type
        if (
            ways & wanted
            and hidden in ("all", "private" if repo.private else "public")
            and (type != "owner" or "owner" in ways)
        ):
            found.append(repo)
    return _list(ctx, found, sort, direction, perPage, page)


@app.post("/repos/{owner}/{repo}/forks", tool="fork_repository", status=202)
def fork_repository(
    ctx: Ctx, owner: str, repo: str, organization: str | MISSING = MISSING, name: Annotated[str | MISSING, Body(mcp=False)] = MISSING,
    default_branch_only: Annotated[bool, Body(mcp=False)] = False,
) -> dict[str, Any]:  # fmt: skip
    """Forks a repository into your own account, or into an organization.

    owner: The owner of the repository.
    repo: The repository's name.
    organization: The organization to fork into; without one it is your own account.
    """
    parent = repository(ctx, owner, repo, archived=True)
    target = _can_create(ctx, organization) if isinstance(organization, str) and organization else me(ctx)
    if ctx.db.first(Ref, repository_id=parent.id) is None:
        raise ApiError(
            403, "The repository exists, but it contains no Git content. Empty repositories cannot be forked."
        )
    mine = [r for r in ctx.db.find(Repository, fork_of=parent.id) if r.owner_id == target.id]
    if mine:
        return repo_json(ctx, mine[0], full=True)
    if parent.owner_id == target.id:
        raise ApiError(403, "This repository cannot be forked into the account that owns it.")
    made = fork(
        ctx,
        parent,
        target,
        _check_name(ctx, target, name if isinstance(name, str) else parent.name),
        default_branch_only,
    )
    return repo_json(ctx, made, full=True)


@app.get("/repos/{owner}/{repo}/forks", tool="list_forks", mcp=False)
def list_forks(ctx: Ctx, owner: str, repo: str, page: PageNumber = 1, perPage: PerPage = 30) -> Page[Any]:
    """Lists a repository's forks, newest first."""
    found = ctx.db.find(Repository, order="-created_at", fork_of=repository(ctx, owner, repo).id)
    return page_of([r for r in found if may(ctx, r, me(ctx), "read")], perPage, page, lambda r: repo_json(ctx, r))


@app.get("/repos/{owner}/{repo}/topics", tool="get_all_topics", mcp=False)
def get_topics(ctx: Ctx, owner: str, repo: str) -> dict[str, Any]:
    """Gets a repository's topics."""
    return {"names": repository(ctx, owner, repo).topics}


_TOPIC_RULE = (
    "Topics must start with a lowercase letter or number, consist of 50 characters or less, and can include hyphens."
)


@app.put("/repos/{owner}/{repo}/topics", tool="replace_all_topics", mcp=False)
def replace_topics(ctx: Ctx, owner: str, repo: str, names: list[str]) -> dict[str, Any]:
    """Replaces a repository's topics."""
    found = repository(ctx, owner, repo, "admin")
    for name in names:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,49}", name.lower()):
            raise failed("Repository", "topics", "invalid", _TOPIC_RULE)
    ctx.db.update(found, topics=list(dict.fromkeys(name.lower() for name in names)), updated_at=ctx.timestamp())
    return {"names": found.topics}


@app.get("/repos/{owner}/{repo}/languages", tool="list_languages", mcp=False)
def list_languages(ctx: Ctx, owner: str, repo: str) -> dict[str, int]:
    """Lists the bytes of code in each language of the default branch."""
    return languages(ctx, repository(ctx, owner, repo))


@app.get("/repos/{owner}/{repo}/contributors", tool="list_contributors", mcp=False)
def list_contributors(ctx: Ctx, owner: str, repo: str, page: PageNumber = 1, perPage: PerPage = 30) -> Page[Any]:
    """Lists who committed to the default branch, most commits first."""
    found = repository(ctx, owner, repo)
    head = git.branch(ctx, found, found.default_branch)
    made = [c.author_id for c in git.history(ctx, found, head.sha) if c.author_id] if head else []
    ranked = sorted(set(made), key=lambda key: (-made.count(key), key))
    return page_of(ranked, perPage, page, lambda key: {**(user_json(ctx, key) or {}), "contributions": made.count(key)})
