"""Who calls, what they may do, and finding accounts and repositories."""

from typing import Literal

from legoenv_mcp.app import ApiError, Ctx

from .app import not_found
from .models import Account, Collaborator, Repository

Role = Literal["none", "read", "triage", "write", "maintain", "admin"]
_RANKS: dict[str, int] = {"none": 0, "read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}
ROLES: dict[str, Role] = {"pull": "read", "triage": "triage", "push": "write", "maintain": "maintain", "admin": "admin"}


def me(ctx: Ctx) -> Account:
    """The authenticated user."""
    return account(ctx, ctx.ref("people.Person", ctx.agent))


def account(ctx: Ctx, login: str) -> Account:
    found = ctx.db.where(Account, "lower(login) = ?", [login.lower()], limit=1)
    if not found:
        raise not_found()
    return found[0]


def user(ctx: Ctx, login: str) -> Account | None:
    """The user of this login who can be assigned, mentioned, asked for a review; None where there is none."""
    found = ctx.db.where(Account, "lower(login) = ? AND type = 'User' AND NOT suspended", [login.lower()], limit=1)
    return found[0] if found else None


def organisation(ctx: Ctx, login: str) -> Account:
    found = account(ctx, login)
    if found.type != "Organization":
        raise not_found()
    return found


def role(ctx: Ctx, repo: Repository, person: Account) -> Role:
    """The strongest role a person has: as owner, through the organisation, as collaborator, or as anyone."""
    if repo.owner_id == person.id:
        return "admin"
    best: Role = "none" if repo.private else "read"
    owner = ctx.require(Account, repo.owner_id)
    if owner.type == "Organization" and person.org_role:
        base = "admin" if person.org_role == "admin" else owner.default_repository_permission
        best = max(best, base, key=_RANKS.__getitem__)
    given = ctx.db.get(Collaborator, (repo.id, person.id))
    return max(best, ROLES[given.permission], key=_RANKS.__getitem__) if given else best


def may(ctx: Ctx, repo: Repository, person: Account, needed: Role) -> bool:
    return _RANKS[role(ctx, repo, person)] >= _RANKS[needed]


def full_name(ctx: Ctx, repo: Repository) -> str:
    """`owner/name`. Every link of an answer needs the owner's login, which nothing changes."""
    login = ctx.once(("login", repo.owner_id), lambda: ctx.require(Account, repo.owner_id).login)
    return f"{login}/{repo.name}"


def find_repository(ctx: Ctx, owner: str, name: str) -> Repository | None:
    sql = "lower(name) = ? AND owner_id = (SELECT id FROM account WHERE lower(login) = ?)"
    found = ctx.db.where(Repository, sql, [name.lower().removesuffix(".git"), owner.lower()], limit=1)
    return found[0] if found else None


def repository(ctx: Ctx, owner: str, name: str, needed: Role = "read", *, archived: bool = False) -> Repository:
    """The repository, where the caller may do this to it. One that may not be read looks like none at all.

    An archived one is read-only unless `archived` says otherwise.
    """
    found = find_repository(ctx, owner, name)
    caller = me(ctx)
    if found is None or not may(ctx, found, caller, "read"):
        raise not_found()
    if needed == "admin" and not may(ctx, found, caller, "admin"):
        raise ApiError(403, "Must have admin rights to Repository.")
    if not may(ctx, found, caller, needed):
        raise ApiError(403, "Resource not accessible by personal access token")
    if ctx.operation is not None and not ctx.operation.reads and found.archived and not archived:
        raise ApiError(403, "Repository was archived so is read-only.")
    return found


def readable(ctx: Ctx) -> list[Repository]:
    """Every repository the caller may read."""
    caller = me(ctx)
    return [repo for repo in ctx.db.find(Repository) if may(ctx, repo, caller, "read")]
