"""Groups of agents. https://developer.zendesk.com/api-reference/ticketing/groups/groups/"""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field, Reply

from .. import errors, ids, includes, people, resources
from ..app import app, created, done
from ..includes import Include
from ..inputs import Input, sent
from ..models import Group, GroupMembership, Organization, Ticket, User
from ..paging import Page, PerPage, by, listing

GroupId = Annotated[int, Field(description="The group's id.")]


class GroupInput(Input):
    """A group's properties."""

    name: str | None = Field(default=None, description="Name, unique in the account.", max_length=255)
    description: str | None = Field(default=None, description="What the group does.")
    is_public: bool | None = Field(default=None, description="Whether all agents see its tickets.")


class GroupMembershipInput(Input):
    """That an agent belongs to a group."""

    user_id: int = Field(description="The agent's id.")
    group_id: int = Field(description="The group's id.")


def find(ctx: Ctx, group_id: int) -> Group:
    row = ctx.require(Group, group_id)
    if row.deleted:
        raise errors.not_found()
    return row


def answer(ctx: Ctx, rows: list[Group], page: int = 1, per_page: int | None = None) -> dict[str, Any]:
    sorts = {"id": lambda g: g.id, "name": by("name")}
    return listing(
        ctx, "groups", rows, lambda g: resources.group(ctx, g), page=page, per_page=per_page, cursor_sorts=sorts
    )


@app.get("/api/v2/groups", tool="list_groups")
def list_groups(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the groups of agents that tickets are assigned to."""
    return answer(ctx, ctx.db.find(Group, deleted=False), page, per_page)


@app.get("/api/v2/groups/assignable", tool="list_assignable_groups", mcp=False)
def list_assignable_groups(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the groups that tickets can be assigned to."""
    return answer(ctx, ctx.db.find(Group, deleted=False), page, per_page)


@app.get("/api/v2/groups/count", tool="count_groups", mcp=False)
def count_groups(ctx: Ctx) -> dict[str, Any]:
    """Counts the groups."""
    return {"count": {"value": ctx.db.count(Group, deleted=False), "refreshed_at": ctx.timestamp()}}


@app.get("/api/v2/groups/{group_id}", tool="show_group", mcp=False)
def show_group(ctx: Ctx, group_id: GroupId, include: Include = None) -> dict[str, Any]:
    """Shows a group; with `include` users also its agents."""
    row = find(ctx, group_id)
    members = [m.user_id for m in ctx.db.find(GroupMembership, group_id=row.id)]
    return {"group": resources.group(ctx, row), **includes.of_memberships(ctx, members, include)}


@app.get("/api/v2/users/{user_id}/groups", tool="list_user_groups", mcp=False)
def list_user_groups(ctx: Ctx, user_id: int) -> dict[str, Any]:
    """Lists the groups that an agent belongs to.

    user_id: The agent's id.
    """
    people.find(ctx, user_id)
    mine = [m.group_id for m in ctx.db.find(GroupMembership, user_id=user_id)]
    return answer(ctx, ctx.db.find(Group, id__in=mine), 1, 100)


def _columns(ctx: Ctx, row: Group | None, given: dict[str, Any]) -> dict[str, Any]:
    new = {n: v for n, v in given.items() if v is not None}
    if "name" in given or row is None:
        new["name"] = (given.get("name") or "").strip()
        others = [g.name.casefold() for g in ctx.db.find(Group, deleted=False) if row is None or g.id != row.id]
        if not new["name"]:
            raise errors.refuse("name", "Name: cannot be blank", "BlankValue")
        if new["name"].casefold() in others:
            raise errors.refuse("name", f"Name: {new['name']} has already been taken", "DuplicateValue")
    return new


@app.post("/api/v2/groups", tool="create_group", status=201)
def create_group(ctx: Ctx, group: GroupInput) -> Reply:
    """Creates a group. Agents are put into it by `create_group_membership`.

    group: The group's properties; `name` is needed.
    """
    new, now = _columns(ctx, None, sent(ctx, group)), ctx.timestamp()
    row = ctx.db.add(Group(id=ids.new(ctx, "group"), created_at=now, updated_at=now, **new))
    return created(ctx, {"group": resources.group(ctx, row)})


@app.put("/api/v2/groups/{group_id}", tool="update_group", mcp=False)
def update_group(ctx: Ctx, group_id: GroupId, group: GroupInput) -> dict[str, Any]:
    """Changes a group's properties.

    group: What to change.
    """
    row = find(ctx, group_id)
    ctx.db.update(row, **_columns(ctx, row, sent(ctx, group)), updated_at=ctx.timestamp())
    return {"group": resources.group(ctx, row)}


@app.delete("/api/v2/groups/{group_id}", tool="delete_group", mcp=False)
def delete_group(ctx: Ctx, group_id: GroupId) -> Any:
    """Deletes a group, not the account's default one. Its tickets that are not closed lose group and assignee."""
    row = find(ctx, group_id)
    if row.default:
        raise errors.refuse("base", "Group: the default group cannot be deleted", "InvalidValue")
    for membership in ctx.db.find(GroupMembership, group_id=row.id):
        _leave(ctx, membership)
    for ticket in ctx.db.find(Ticket, group_id=row.id, status__ne="closed"):
        ctx.db.update(ticket, group_id=None, updated_at=ctx.timestamp())
    for organization in ctx.db.find(Organization, group_id=row.id):
        ctx.db.update(organization, group_id=None, updated_at=ctx.timestamp())
    ctx.db.update(row, deleted=True, updated_at=ctx.timestamp())
    return done(ctx, {"deleted": True, "id": group_id})


# Memberships


def _memberships(
    ctx: Ctx, rows: list[GroupMembership], page: int, per_page: int | None, include: str | None
) -> dict[str, Any]:
    out = listing(
        ctx, "group_memberships", rows, lambda m: resources.group_membership(ctx, m), page=page, per_page=per_page
    )
    shown = out["group_memberships"]
    groups = [resources.group(ctx, g) for g in ctx.db.find(Group, id__in=sorted({m["group_id"] for m in shown}))]
    return {**out, **includes.of_memberships(ctx, [m["user_id"] for m in shown], include, groups=groups)}


@app.get("/api/v2/group_memberships", tool="list_group_memberships")
def list_group_memberships(
    ctx: Ctx, include: Include = None, page: Page = 1, per_page: PerPage = None
) -> dict[str, Any]:
    """Lists which agents belong to which groups."""
    return _memberships(ctx, ctx.db.find(GroupMembership), page, per_page, include)


@app.get("/api/v2/group_memberships/assignable", tool="list_assignable_group_memberships", mcp=False)
def list_assignable_group_memberships(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the memberships of agents who can be assigned tickets."""
    working = {u.id for u in ctx.db.find(User, suspended=False, active=True)}
    rows = [m for m in ctx.db.find(GroupMembership) if m.user_id in working]
    return _memberships(ctx, rows, page, per_page, None)


@app.get("/api/v2/groups/{group_id}/memberships", tool="list_memberships_of_group", mcp=False)
def list_memberships_of_group(
    ctx: Ctx, group_id: GroupId, include: Include = None, page: Page = 1, per_page: PerPage = None
) -> dict[str, Any]:
    """Lists a group's memberships."""
    find(ctx, group_id)
    return _memberships(ctx, ctx.db.find(GroupMembership, group_id=group_id), page, per_page, include)


@app.get("/api/v2/users/{user_id}/group_memberships", tool="list_user_group_memberships", mcp=False)
def list_user_group_memberships(
    ctx: Ctx, user_id: int, include: Include = None, page: Page = 1, per_page: PerPage = None
) -> dict[str, Any]:
    """Lists an agent's memberships in groups.

    user_id: The agent's id.
    """
    people.find(ctx, user_id)
    return _memberships(ctx, ctx.db.find(GroupMembership, user_id=user_id), page, per_page, include)


@app.get("/api/v2/group_memberships/{membership_id}", tool="show_group_membership", mcp=False)
def show_group_membership(ctx: Ctx, membership_id: int) -> dict[str, Any]:
    """Shows a membership in a group.

    membership_id: The membership's id.
    """
    return {"group_membership": resources.group_membership(ctx, ctx.require(GroupMembership, membership_id))}


@app.post("/api/v2/group_memberships", tool="create_group_membership", status=201)
def create_group_membership(ctx: Ctx, group_membership: GroupMembershipInput) -> Reply:
    """Puts an agent into a group, so that its tickets can be assigned to the agent.

    group_membership: Which agent and which group.
    """
    given = sent(ctx, group_membership)
    user, group = ctx.db.get(User, given["user_id"]), ctx.db.get(Group, given["group_id"])
    if user is None or user.role == "end-user" or not user.active:
        raise errors.refuse("user", "User: must be an agent", "InvalidValue")
    if group is None or group.deleted:
        raise errors.refuse("group", "Group: is invalid", "InvalidValue")
    if ctx.db.count(GroupMembership, user_id=user.id, group_id=group.id):
        raise errors.refuse("user_id", "User: has already been taken", "DuplicateValue")
    return created(ctx, {"group_membership": resources.group_membership(ctx, people.join_group(ctx, user, group.id))})


def _leave(ctx: Ctx, row: GroupMembership) -> None:
    """The agent's tickets of the group lose their assignee; another group becomes the agent's default."""
    ctx.db.delete(row)
    people.unassign(ctx, row.user_id, row.group_id)
    if row.default:
        other = ctx.db.first(GroupMembership, user_id=row.user_id)
        if other is not None:
            ctx.db.update(other, default=True, updated_at=ctx.timestamp())
        ctx.db.update(people.find(ctx, row.user_id), default_group_id=other.group_id if other else None)


@app.delete("/api/v2/group_memberships/{membership_id}", tool="delete_group_membership")
def delete_group_membership(ctx: Ctx, membership_id: int) -> Any:
    """Takes an agent out of a group. The agent's open tickets of the group are left without an assignee; solved ones go to the group's
    first member.

    membership_id: The membership's id, see `list_group_memberships`.
    """
    row = ctx.require(GroupMembership, membership_id)
    _leave(ctx, row)
    left = [m.user_id for m in ctx.db.find(GroupMembership, group_id=row.group_id)]
    heirs = sorted(ctx.db.find(User, id__in=left, active=True, suspended=False), key=by("name"))
    for ticket in ctx.db.find(Ticket, assignee_id=row.user_id, group_id=row.group_id, status="solved", deleted=False):
        if heirs:
            ctx.db.update(ticket, assignee_id=heirs[0].id, updated_at=ctx.timestamp())
    return done(ctx, {"deleted": True, "id": membership_id})


@app.put(
    "/api/v2/users/{user_id}/group_memberships/{membership_id}/make_default",
    tool="make_group_membership_default",
    mcp=False,
)
def make_group_membership_default(ctx: Ctx, user_id: int, membership_id: int) -> dict[str, Any]:
    """Makes a group an agent's default one.

    user_id: The agent's id.
    membership_id: The membership's id.
    """
    chosen = ctx.db.first(GroupMembership, id=membership_id, user_id=user_id)
    if chosen is None:
        raise errors.not_found()
    for membership in ctx.db.find(GroupMembership, user_id=user_id):
        ctx.db.update(membership, default=membership.id == chosen.id, updated_at=ctx.timestamp())
    ctx.db.update(people.find(ctx, user_id), default_group_id=chosen.group_id)
    return _memberships(ctx, ctx.db.find(GroupMembership, user_id=user_id), 1, 100, None)
