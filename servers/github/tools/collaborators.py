"""Who may do what to a repository, and who starred it. https://docs.github.com/en/rest/collaborators"""

from typing import Any, Literal

from legoenv_mcp.app import ApiError, Ctx, Page, Reply

from ..accounts import account, may, me, repository, role, user
from ..app import PageNumber, PerPage, app, not_found, page_of
from ..models import Account, Collaborator, Repository, Star
from ..resources import permissions, user_json


def _collaborator(ctx: Ctx, repo: Repository, person: Account) -> dict[str, Any]:
    granted = role(ctx, repo, person)
    return {**(user_json(ctx, person) or {}), "permissions": permissions(granted), "role_name": granted}


@app.get("/repos/{owner}/{repo}/collaborators", tool="list_repository_collaborators")
def list_collaborators(
    ctx: Ctx, owner: str, repo: str, affiliation: Literal["outside", "direct", "all"] = "all", page: PageNumber = 1,
    perPage: PerPage = 30,
) -> Page[Any]:  # fmt: skip
    """Lists everyone with access to a repository, with each one's role.

    owner: The repository's owner.
    repo: The repository's name.
    affiliation: outside collaborators, direct ones (given access to this repository by name), or all.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    found = repository(ctx, owner, repo, "write")
    given = {c.user_id for c in ctx.db.find(Collaborator, repository_id=found.id)}
    users = [u for u in ctx.db.find(Account, order="login", type="User", suspended=False) if may(ctx, found, u, "read")]
    if affiliation == "all":
        users = [u for u in users if u.id in given or u.org_role or u.id == found.owner_id]
    else:
        users = [u for u in users if u.id in given and (affiliation == "direct" or not u.org_role)]
    return page_of(users, perPage, page, lambda u: _collaborator(ctx, found, u))


@app.get("/repos/{owner}/{repo}/collaborators/{username}", tool="check_collaborator", mcp=False)
def check_collaborator(ctx: Ctx, owner: str, repo: str, username: str) -> Reply:
    """Checks whether a user has access: 204, or 404."""
    found, person = repository(ctx, owner, repo), account(ctx, username)
    if not (person.org_role or ctx.db.get(Collaborator, (found.id, person.id)) or found.owner_id == person.id):
        raise not_found()
    return Reply(None, 204)


@app.get("/repos/{owner}/{repo}/collaborators/{username}/permission", tool="get_collaborator_permission", mcp=False)
def get_permission(ctx: Ctx, owner: str, repo: str, username: str) -> dict[str, Any]:
    """Gets a user's permission on a repository."""
    found, person = repository(ctx, owner, repo), account(ctx, username)
    granted = role(ctx, found, person)
    base = {"maintain": "write", "triage": "read"}.get(granted, granted)
    return {"permission": base, "role_name": granted, "user": _collaborator(ctx, found, person)}


@app.put("/repos/{owner}/{repo}/collaborators/{username}", tool="add_repository_collaborator", mcp=False)
def add_collaborator(
    ctx: Ctx,
    owner: str,
    repo: str,
    username: str,
    permission: Literal["pull", "triage", "push", "maintain", "admin"] = "push",
) -> Reply:
    """Gives a user a permission on a repository."""
    found, person = repository(ctx, owner, repo, "admin"), account(ctx, username)
    if person.type != "User" or person.id == found.owner_id:
        raise ApiError(422, "Repository owner cannot be a collaborator")
    given = ctx.db.get(Collaborator, (found.id, person.id))
    if given is None:
        ctx.db.add(Collaborator(repository_id=found.id, user_id=person.id, permission=permission))
    else:
        ctx.db.update(given, permission=permission)
    return Reply(None, 204)


@app.delete("/repos/{owner}/{repo}/collaborators/{username}", tool="remove_collaborator", mcp=False)
def remove_collaborator(ctx: Ctx, owner: str, repo: str, username: str) -> Reply:
    """Takes a user's own permission on a repository away."""
    found, person = repository(ctx, owner, repo, "admin"), account(ctx, username)
    ctx.db.delete_where(Collaborator, repository_id=found.id, user_id=person.id)
    return Reply(None, 204)


@app.get("/repos/{owner}/{repo}/assignees", tool="list_assignees", mcp=False)
def list_assignees(ctx: Ctx, owner: str, repo: str, page: PageNumber = 1, perPage: PerPage = 30) -> Page[Any]:
    """Lists who can be assigned to a repository's issues."""
    found = repository(ctx, owner, repo)
    users = [u for u in ctx.db.find(Account, order="login", type="User", suspended=False) if may(ctx, found, u, "read")]
    return page_of(users, perPage, page, lambda u: user_json(ctx, u))


@app.get("/repos/{owner}/{repo}/assignees/{assignee}", tool="check_assignee", mcp=False)
def check_assignee(ctx: Ctx, owner: str, repo: str, assignee: str) -> Reply:
    """Checks whether a user can be assigned to a repository's issues: 204, or 404."""
    found, person = repository(ctx, owner, repo), user(ctx, assignee)
    if person is None or not may(ctx, found, person, "read"):
        raise not_found()
    return Reply(None, 204)


# Stars


@app.put("/user/starred/{owner}/{repo}", tool="star_repository", mcp=False)
def star(ctx: Ctx, owner: str, repo: str) -> Reply:
    """Stars a repository."""
    found, caller = repository(ctx, owner, repo, archived=True), me(ctx)
    if ctx.db.get(Star, (found.id, caller.id)) is None:
        ctx.db.add(Star(repository_id=found.id, user_id=caller.id, starred_at=ctx.timestamp()))
    return Reply(None, 204)


@app.delete("/user/starred/{owner}/{repo}", tool="unstar_repository", mcp=False)
def unstar(ctx: Ctx, owner: str, repo: str) -> Reply:
    """Takes the star off a repository."""
    ctx.db.delete_where(Star, repository_id=repository(ctx, owner, repo, archived=True).id, user_id=me(ctx).id)
    return Reply(None, 204)


@app.get("/user/starred/{owner}/{repo}", tool="check_starred", mcp=False)
def check_starred(ctx: Ctx, owner: str, repo: str) -> Reply:
    """Checks whether the authenticated user has starred a repository: 204, or 404."""
    if ctx.db.get(Star, (repository(ctx, owner, repo).id, me(ctx).id)) is None:
        raise not_found()
    return Reply(None, 204)
