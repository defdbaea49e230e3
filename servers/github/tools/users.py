"""Users and organisations. https://docs.github.com/en/rest/users https://docs.github.com/en/rest/orgs"""

from typing import Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Page, Reply

from ..accounts import account, me, organisation
from ..app import PageNumber, PerPage, app, base_url, not_found, page_of
from ..models import Account, Repository, Star
from ..resources import organisation_json, repo_json, user_full, user_json


@app.get("/user", tool="get_me")
def get_me(ctx: Ctx) -> dict[str, Any]:
    """Gets the profile of the authenticated user: use it to learn who you act as."""
    caller = me(ctx)
    owned = ctx.db.find(Repository, owner_id=caller.id)
    private = sum(r.private for r in owned)
    return {
        **user_full(ctx, caller), "private_gists": 0, "total_private_repos": private, "owned_private_repos": private, "disk_usage": 0,
        "collaborators": 0, "two_factor_authentication": True,
    }  # fmt: skip


@app.patch("/user", tool="update_authenticated_user", mcp=False)
def update_authenticated_user(
    ctx: Ctx, name: str | MISSING = MISSING, email: str | MISSING = MISSING, blog: str | MISSING = MISSING,
    company: str | None | MISSING = MISSING, location: str | None | MISSING = MISSING, bio: str | None | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Updates the authenticated user's profile."""
    caller = me(ctx)
    ctx.db.update(caller, **ctx.sent(), updated_at=ctx.timestamp())
    return user_full(ctx, caller)


@app.get("/users/{username}", tool="get_user", mcp=False)
def get_user(ctx: Ctx, username: str) -> dict[str, Any]:
    """Gets a user's or organisation's public profile."""
    return user_full(ctx, account(ctx, username))


@app.get("/users", tool="list_users", mcp=False)
def list_users(ctx: Ctx, since: int = 0, perPage: PerPage = 30) -> Reply:
    """Lists all users in the order in which they signed up; the next page is since the last one's id."""
    found = ctx.db.find(Account, id__gt=since, limit=perPage + 1)
    shown, here = found[:perPage], f"{base_url(ctx)}/users"
    links = [f'<{here}?since={shown[-1].id}&per_page={perPage}>; rel="next"'] if len(found) > perPage else []
    return Reply(
        [user_json(ctx, u) for u in shown], headers={"Link": ", ".join([*links, f'<{here}{{?since}}>; rel="first"'])}
    )


@app.get("/user/orgs", tool="list_orgs_for_authenticated_user", mcp=False)
def list_orgs_for_authenticated_user(ctx: Ctx, page: PageNumber = 1, perPage: PerPage = 30) -> Page[Any]:
    """Lists the authenticated user's organisations."""
    found = ctx.db.find(Account, type="Organization") if me(ctx).org_role else []
    return page_of(found, perPage, page, lambda o: organisation_json(ctx, o))


@app.get("/users/{username}/orgs", tool="list_orgs_for_user", mcp=False)
def list_orgs_for_user(ctx: Ctx, username: str, page: PageNumber = 1, perPage: PerPage = 30) -> Page[Any]:
    """Lists a user's organisations."""
    found = ctx.db.find(Account, type="Organization") if account(ctx, username).org_role else []
    return page_of(found, perPage, page, lambda o: organisation_json(ctx, o))


@app.get("/orgs/{org}", tool="get_organization", mcp=False)
def get_organization(ctx: Ctx, org: str) -> dict[str, Any]:
    """Gets an organisation."""
    return organisation_json(ctx, organisation(ctx, org), full=True)


@app.get("/orgs/{org}/members", tool="list_org_members")
def list_org_members(
    ctx: Ctx, org: str, role: Literal["all", "admin", "member"] = "all", page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Lists the people who belong to an organization, with their logins.

    org: The organization's login.
    role: Only members with this role.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    organisation(ctx, org)
    wanted = [role] if role != "all" else ["admin", "member"]
    found = ctx.db.find(Account, order="login", type="User", org_role__in=wanted, suspended=False)
    if not ctx.request.method:
        return page_of(
            found, perPage, page, lambda u: {"login": u.login, "id": u.id, "name": u.name, "role": u.org_role}
        )
    return page_of(found, perPage, page, lambda u: user_json(ctx, u))


@app.get("/orgs/{org}/members/{username}", tool="check_org_membership", mcp=False)
def check_org_membership(ctx: Ctx, org: str, username: str) -> Any:
    """Checks whether a user is a member of the organisation: 204, or 404."""
    organisation(ctx, org)
    if not account(ctx, username).org_role:
        raise not_found()
    return Reply(None, 204)


@app.get("/orgs/{org}/memberships/{username}", tool="get_org_membership", mcp=False)
def get_org_membership(ctx: Ctx, org: str, username: str) -> dict[str, Any]:
    """Gets a user's membership of the organisation."""
    owner, person = organisation(ctx, org), account(ctx, username)
    if not person.org_role:
        raise not_found()
    shown = organisation_json(ctx, owner)
    return {
        "url": f"{shown['url']}/memberships/{person.login}", "state": "active", "role": person.org_role, "organization_url": shown["url"],
        "organization": shown, "user": user_json(ctx, person),
    }  # fmt: skip


@app.get("/user/starred", tool="list_starred_repositories", mcp=False)
def list_starred_repositories(ctx: Ctx, page: PageNumber = 1, perPage: PerPage = 30) -> Page[Any]:
    """Lists the repositories that the authenticated user has starred."""
    found = ctx.db.find(Star, order="-starred_at", user_id=me(ctx).id)
    return page_of(found, perPage, page, lambda s: repo_json(ctx, ctx.require(Repository, s.repository_id)))


@app.get("/rate_limit", tool="get_rate_limit", mcp=False)
def get_rate_limit(ctx: Ctx) -> dict[str, Any]:
    """Gets the rate limits, which are not used up here."""
    reset = ctx.epoch() + 3600
    core = {"limit": 5000, "used": 1, "remaining": 4999, "reset": reset, "resource": "core"}
    search = {"limit": 30, "used": 0, "remaining": 30, "reset": reset, "resource": "search"}
    return {"resources": {"core": core, "search": search, "graphql": {**core, "resource": "graphql"}}, "rate": core}
