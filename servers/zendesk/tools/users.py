"""Users. https://developer.zendesk.com/api-reference/ticketing/users/users/"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, Field, Query, Reply

from .. import errors, ids, includes, jobs, people, resources
from ..app import app, created
from ..includes import Include
from ..inputs import RequesterInput, UserInput, plain, sent
from ..models import Comment, Group, GroupMembership, Organization, OrganizationMembership, Ticket, User
from ..paging import IdList, Key, Page, PerPage, TextList, by, listing
from ..search import find as search_for

UserId = Annotated[int, Field(description="The user's id.")]
Role = Literal["end-user", "agent", "admin"]
SORTS: dict[str, Key] = {
    "id": lambda u: u.id,
    "name": by("name"),
    "updated_at": by("updated_at"),
    "created_at": by("created_at"),
}


def answer(
    ctx: Ctx, rows: list[User], page: int = 1, per_page: int | None = None, include: str | None = None
) -> dict[str, Any]:
    out = listing(
        ctx, "users", rows, lambda u: resources.user(ctx, u), page=page, per_page=per_page, cursor_sorts=SORTS
    )
    shown = ctx.db.find(User, id__in=[u["id"] for u in out["users"]])
    return {**out, **includes.of_users(ctx, shown, include)}


@app.get("/api/v2/users", tool="list_users")
def list_users(
    ctx: Ctx, role: Role | None = None, roles: Annotated[list[Role] | None, Query("role[]", mcp=False)] = None,
    external_id: str | None = None, include: Include = None, page: Page = 1, per_page: PerPage = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists users: customers (end users) and staff (agents, admins). To find somebody by name or address, use `search_users`.

    role: Only users with this role.
    roles: Only users with one of these roles.
    external_id: Only users with this id of your own.
    """
    wanted = [*(roles or []), *([role] if role else [])] or None
    return answer(
        ctx, ctx.db.find(User, active=True, role__in=wanted, external_id=external_id), page, per_page, include
    )


@app.get("/api/v2/users/me", tool="show_current_user")
def show_current_user(ctx: Ctx, include: Include = None) -> dict[str, Any]:
    """Shows the user on whose behalf you call."""
    row = people.find(ctx, ids.me(ctx))
    return {"user": resources.user(ctx, row), **includes.of_users(ctx, [row], include)}


@app.get("/api/v2/users/{user_id}", tool="show_user")
def show_user(ctx: Ctx, user_id: UserId, include: Include = None) -> dict[str, Any]:
    """Shows a user: a customer or an agent."""
    row = people.find(ctx, user_id)
    return {"user": resources.user(ctx, row), **includes.of_users(ctx, [row], include)}


@app.get("/api/v2/users/show_many", tool="show_many_users", mcp=False)
def show_many_users(
    ctx: Ctx, ids: IdList | None = None, external_ids: TextList | None = None, include: Include = None
) -> dict[str, Any]:
    """Shows several users by id or by your own ids.

    ids: The users' ids.
    external_ids: Your own ids for them.
    """
    jobs.too_many(ids or external_ids or [], "ids")
    rows = ctx.db.find(User, id__in=ids) if ids else ctx.db.find(User, external_id__in=external_ids or [])
    return answer(ctx, rows, 1, 100, include)


@app.get("/api/v2/users/count", tool="count_users", mcp=False)
def count_users(ctx: Ctx, role: Role | None = None) -> dict[str, Any]:
    """Counts users.

    role: Only users with this role.
    """
    return {"count": {"value": ctx.db.count(User, active=True, role=role), "refreshed_at": ctx.timestamp()}}


@app.get("/api/v2/users/search", tool="search_users")
def search_users(
    ctx: Ctx, query: str | None = None, external_id: str | None = None, include: Include = None, page: Page = 1,
    per_page: PerPage = None,
) -> dict[str, Any]:  # fmt: skip
    """Finds users by words of their name, by e-mail address or by properties, such as `email:ann@example.com` or `role:agent`.

    query: Words, or properties of the search language.
    external_id: Your own id for the user, instead of a query.
    """
    if external_id is not None:
        rows = ctx.db.find(User, active=True, external_id=external_id)
    elif not (query or "").strip():
        raise errors.titled(400, "Missing parameter", "Required parameter missing: query")
    else:
        rows = [hit.row for hit in search_for(ctx, query or "", ["user"]) if isinstance(hit.row, User)]
    return answer(ctx, rows, page, per_page, include)


@app.get("/api/v2/users/autocomplete", tool="autocomplete_users", mcp=False)
def autocomplete_users(ctx: Ctx, name: Annotated[str, Field(min_length=2)], include: Include = None) -> dict[str, Any]:
    """Finds users whose name or e-mail address begins with some letters.

    name: At least two letters.
    """
    start = name.lower()
    rows = [
        u
        for u in ctx.db.find(User, active=True)
        if any(word.startswith(start) for word in [u.name.lower(), *u.name.lower().split(), (u.email or "")])
    ]
    return answer(ctx, rows, 1, 100, include)


@app.get("/api/v2/users/{user_id}/related", tool="show_user_related", mcp=False)
def show_user_related(ctx: Ctx, user_id: UserId) -> dict[str, Any]:
    """Counts what is linked to a user: requested, assigned and CC'd tickets, memberships."""
    people.find(ctx, user_id)
    tickets = ctx.db.find(Ticket, deleted=False)
    return {
        "user_related": {
            "requested_tickets": sum(t.requester_id == user_id for t in tickets),
            "assigned_tickets": sum(t.assignee_id == user_id for t in tickets),
            "ccd_tickets": sum(user_id in t.email_cc_ids for t in tickets),
            "followed_tickets": sum(user_id in t.follower_ids for t in tickets),
            "comments": ctx.db.count(Comment, author_id=user_id), "topics": 0, "topic_comments": 0, "votes": 0, "subscriptions": 0,
            "entry_subscriptions": 0, "forum_subscriptions": 0,
            "organization_subscriptions": ctx.db.count(OrganizationMembership, user_id=user_id),
        }
    }  # fmt: skip


@app.post("/api/v2/users", tool="create_user", status=201)
def create_user(ctx: Ctx, user: UserInput) -> Reply:
    """Creates a user, an end user unless a role is given. E-mail addresses are unique. The address's domain may put the user into an
    organization.

    user: The user's properties; `name` is needed.
    """
    row = people.create(ctx, sent(ctx, user))
    return created(ctx, {"user": resources.user(ctx, row)})


def _existing(ctx: Ctx, given: dict[str, Any]) -> User | None:
    if given.get("external_id"):
        found = ctx.db.first(User, external_id=given["external_id"], active=True)
        if found is not None:
            return found
    return people.by_email(ctx, given["email"]) if given.get("email") else None


@app.post("/api/v2/users/create_or_update", tool="create_or_update_user", effect="update")
def create_or_update_user(ctx: Ctx, user: UserInput) -> Reply:
    """Creates a user, or changes the one that has this e-mail address or external id.

    user: The user's properties, with `email` or `external_id`.
    """
    given = sent(ctx, user)
    row = _existing(ctx, given)
    if row is None:
        return created(ctx, {"user": resources.user(ctx, people.create(ctx, given))})
    # The address that found a user may be a secondary one; it does not become the primary.
    if given.get("email") and people.by_email(ctx, given["email"]) == row:
        given.pop("email")
    return Reply({"user": resources.user(ctx, people.update(ctx, row, given))})


def _made(reply: Reply) -> dict[str, Any]:
    return {"status": "Created" if reply.status == 201 else "Updated", "id": reply.body["user"]["id"]}


@app.post("/api/v2/users/create_many", tool="create_many_users", mcp=False)
def create_many_users(ctx: Ctx, users: list[UserInput]) -> dict[str, Any]:
    """Creates up to 100 users. Answers a job.

    users: The users' properties.
    """
    jobs.too_many(users)
    items = [(None, "create_user", {"user": plain(u)}) for u in users]
    return jobs.each(ctx, "Bulk Create User", "create", items, _made)


@app.post("/api/v2/users/create_or_update_many", tool="create_or_update_many_users", effect="update", mcp=False)
def create_or_update_many_users(ctx: Ctx, users: list[UserInput]) -> dict[str, Any]:
    """Creates or changes up to 100 users. Answers a job.

    users: The users' properties.
    """
    jobs.too_many(users)
    items = [(None, "create_or_update_user", {"user": plain(u)}) for u in users]
    return jobs.each(ctx, "Bulk Create User", "create", items, _made)


class OneOfManyUsers(UserInput):
    """What to change of one of several users."""

    id: int | None = Field(default=None, description="The user's id; without it `external_id` says which one.")


def _key(ctx: Ctx, body: dict[str, Any]) -> int:
    """The id that an entry is for, given itself or by your own id; 0, which is nobody's, where neither is known."""
    key = body.pop("id", None)
    if key is None and body.get("external_id"):
        found = ctx.db.first(User, external_id=body["external_id"])
        return found.id if found else 0
    return key or 0


@app.put("/api/v2/users/update_many", tool="update_many_users", mcp=False)
def update_many_users(
    ctx: Ctx,
    ids: Annotated[IdList | None, Query()] = None,
    user: UserInput | None = None,
    users: list[OneOfManyUsers] | None = None,
) -> dict[str, Any]:
    """Changes up to 100 users. Answers a job.

    ids: The users' ids, with `user`.
    user: What to change of every one of `ids`.
    users: What to change of each, with its id, instead.
    """
    if users is not None:
        bodies = [plain(u) for u in users]
        keys = [_key(ctx, b) for b in bodies]
        items = [(key, "update_user", {"user_id": key, "user": b}) for key, b in zip(keys, bodies, strict=True)]
    elif ids and user is not None:
        items = [(i, "update_user", {"user_id": i, "user": plain(user)}) for i in ids]
    else:
        raise errors.titled(400, "Missing parameter", "Required parameter missing: users, or ids with user")
    jobs.too_many(items, "ids")
    return jobs.each(ctx, "Bulk Update User", "update", items)


@app.put("/api/v2/users/{user_id}", tool="update_user")
def update_user(ctx: Ctx, user_id: UserId, user: UserInput) -> dict[str, Any]:
    """Changes a user's properties. A new `email` is added as a secondary address; `make_user_identity_primary` makes
    it the primary one.

    user: What to change.
    """
    return {"user": resources.user(ctx, people.update(ctx, people.find(ctx, user_id), sent(ctx, user)))}


@app.delete("/api/v2/users/{user_id}", tool="delete_user")
def delete_user(ctx: Ctx, user_id: UserId) -> dict[str, Any]:
    """Deletes a user. One who still has requested tickets that are not closed cannot be deleted."""
    return {"user": resources.user(ctx, people.delete(ctx, people.find(ctx, user_id)))}


@app.delete("/api/v2/users/destroy_many", tool="delete_many_users", mcp=False)
def delete_many_users(ctx: Ctx, ids: IdList | None = None, external_ids: TextList | None = None) -> dict[str, Any]:
    """Deletes up to 100 users. Answers a job.

    ids: The users' ids.
    external_ids: Your own ids for them, instead.
    """
    ids = ids or [row.id for row in ctx.db.find(User, external_id__in=external_ids or [])]
    jobs.too_many(ids, "ids")
    return jobs.each(ctx, "Bulk Delete User", "delete", [(i, "delete_user", {"user_id": i}) for i in ids])


@app.get("/api/v2/deleted_users", tool="list_deleted_users", mcp=False)
def list_deleted_users(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists deleted users."""
    rows = ctx.db.find(User, active=False)
    return listing(ctx, "deleted_users", rows, lambda u: resources.user(ctx, u), page=page, per_page=per_page)


class MergeTarget(RequesterInput):
    """The user who remains."""

    id: int | None = Field(default=None, description="Id of the user who remains.")


@app.put("/api/v2/users/{user_id}/merge", tool="merge_end_users", idempotent=False)
def merge_end_users(ctx: Ctx, user_id: UserId, user: MergeTarget) -> dict[str, Any]:
    """Merges an end user into another: tickets and addresses move, the first user is deleted with all else (tags, notes,
    organizations, phone). It cannot be undone.

    user_id: Id of the user who is merged and deleted.
    user: The user who remains, by id or e-mail address.
    """
    source, given = people.find(ctx, user_id), sent(ctx, user)
    target = ctx.db.get(User, given["id"]) if given.get("id") else people.by_email(ctx, given.get("email") or "")
    if target is None:
        raise errors.not_found()
    return {"user": resources.user(ctx, people.merge(ctx, source, target))}


@app.get("/api/v2/groups/{group_id}/users", tool="list_group_users")
def list_group_users(
    ctx: Ctx, group_id: Annotated[int, Field(description="The group's id.")], page: Page = 1, per_page: PerPage = None
) -> dict[str, Any]:
    """Lists the agents of a group."""
    ctx.require(Group, group_id)
    members = [m.user_id for m in ctx.db.find(GroupMembership, group_id=group_id)]
    return answer(ctx, ctx.db.find(User, id__in=members, active=True), page, per_page)


@app.get("/api/v2/organizations/{organization_id}/users", tool="list_organization_users")
def list_organization_users(
    ctx: Ctx,
    organization_id: Annotated[int, Field(description="The organization's id.")],
    page: Page = 1,
    per_page: PerPage = None,
) -> dict[str, Any]:
    """Lists the users who belong to an organization."""
    ctx.require(Organization, organization_id)
    members = [m.user_id for m in ctx.db.find(OrganizationMembership, organization_id=organization_id)]
    return answer(ctx, ctx.db.find(User, id__in=members, active=True), page, per_page)
