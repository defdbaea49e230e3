"""Users, their task lists and workspaces. https://developers.asana.com/reference/users"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, Field, Page

from .. import access
from ..app import API, Fields, Gid, Limit, Name, Offset, app, bad, forbidden
from ..listing import one, page
from ..models import Team, TeamMembership, User, UserTaskList, Workspace, WorkspaceMembership

UserGid = Annotated[str, Field(max_length=400)]


def people_of(ctx: Ctx, team: str | None = None) -> list[User]:
    """The active users of the workspace or of a team, by name."""
    inside = None if team is None else {m.user for m in ctx.db.find(TeamMembership, team=team)}
    active = {m.user for m in ctx.db.find(WorkspaceMembership, is_active=True)}
    return [u for u in ctx.db.find(User, order="name,gid") if u.gid in active and (inside is None or u.gid in inside)]


@app.get(f"{API}/users/{{user_gid}}", tool="get_user")
def get_user(ctx: Ctx, user_gid: UserGid = "me", opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a user: name, mail address, workspaces.

    user_gid: The user's gid or mail address, or "me".
    """
    return one(ctx, access.person_in_path(ctx, user_gid), opt_fields)


@app.get(f"{API}/users", tool="get_users", mcp=False)
def get_users(
    ctx: Ctx, workspace: Gid | None = None, team: Gid | None = None, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the users of all workspaces, of one, or of a team.

    workspace: The workspace's gid.
    team: The team's gid.
    """
    if workspace is not None:
        access.in_workspace(ctx, workspace)
    chosen = access.named(ctx, Team, team, "team").gid if team is not None else None
    return page(ctx, people_of(ctx, chosen), opt_fields, limit, offset)


@app.get(f"{API}/workspaces/{{workspace_gid}}/users", tool="get_users_for_workspace")
def get_users_for_workspace(
    ctx: Ctx, workspace_gid: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the users of a workspace, by name. Ask for mail addresses by opt_fields, as name,email.

    workspace_gid: The workspace's gid.
    """
    access.get(ctx, Workspace, workspace_gid)
    return page(ctx, people_of(ctx), opt_fields, limit, offset)


@app.get(f"{API}/teams/{{team_gid}}/users", tool="get_users_for_team", mcp=False)
def get_users_for_team(
    ctx: Ctx, team_gid: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:
    """Lists the users of a team, by name.

    team_gid: The team's gid.
    """
    return page(ctx, people_of(ctx, access.get(ctx, Team, team_gid).gid), opt_fields, limit, offset)


@app.get(f"{API}/users/{{user_gid}}/user_task_list", tool="get_user_task_list_for_user")
def get_user_task_list_for_user(
    ctx: Ctx, user_gid: UserGid, workspace: Gid, opt_fields: Fields = None
) -> dict[str, Any]:
    """Gets somebody's My Tasks in a workspace. Its gid serves as a project's does, for its sections and tasks.

    user_gid: The user's gid or mail address, or "me".
    workspace: The workspace's gid.
    """
    access.in_workspace(ctx, workspace)
    user = access.person_in_path(ctx, user_gid)
    found = ctx.db.first(UserTaskList, user=user.gid)
    if found is None:
        raise app.not_found("user_task_list", user_gid)
    return one(ctx, found, opt_fields)


@app.get(f"{API}/user_task_lists/{{user_task_list_gid}}", tool="get_user_task_list", mcp=False)
def get_user_task_list(ctx: Ctx, user_task_list_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a My Tasks list.

    user_task_list_gid: The list's gid.
    """
    return one(ctx, access.get(ctx, UserTaskList, user_task_list_gid), opt_fields)


@app.get(f"{API}/users/{{user_gid}}/favorites", tool="get_favorites_for_user", mcp=False)
def get_favorites_for_user(
    ctx: Ctx, user_gid: UserGid, workspace: Gid, resource_type: Literal["portfolio", "project", "tag", "task", "team", "user"],
    limit: Limit = None, offset: Offset = None, opt_fields: Fields = None,
) -> Page[Any]:  # fmt: skip
    """Lists what a user has marked as a favourite, which is done in the web application only.

    user_gid: "me".
    workspace: The workspace's gid.
    resource_type: What kind of objects.
    """
    access.in_workspace(ctx, workspace)
    if access.person_in_path(ctx, user_gid).gid != access.me(ctx).gid:
        raise forbidden("user")
    return page(ctx, [], opt_fields, limit, offset)


# Workspaces


@app.get(f"{API}/workspaces", tool="get_workspaces")
def get_workspaces(ctx: Ctx, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None) -> Page[Any]:
    """Lists the workspaces of the caller. Most tools need a workspace's gid."""
    return page(ctx, ctx.db.find(Workspace), opt_fields, limit, offset)


@app.get(f"{API}/workspaces/{{workspace_gid}}", tool="get_workspace", mcp=False)
def get_workspace(ctx: Ctx, workspace_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a workspace.

    workspace_gid: The workspace's gid.
    """
    return one(ctx, access.get(ctx, Workspace, workspace_gid), opt_fields)


def admin_only(ctx: Ctx) -> None:
    mine = ctx.db.first(WorkspaceMembership, user=access.me(ctx).gid)
    if mine is None or not mine.is_admin:
        raise forbidden("workspace")


@app.put(f"{API}/workspaces/{{workspace_gid}}", tool="update_workspace", mcp=False)
def update_workspace(ctx: Ctx, workspace_gid: Gid, name: Name, opt_fields: Fields = None) -> dict[str, Any]:
    """Renames a workspace.

    workspace_gid: The workspace's gid.
    name: The workspace's name.
    """
    row = access.get(ctx, Workspace, workspace_gid)
    admin_only(ctx)
    if not name.strip():
        raise bad("name: Missing input")
    ctx.db.update(row, name=name)
    return one(ctx, row, opt_fields)


@app.post(f"{API}/workspaces/{{workspace_gid}}/addUser", tool="add_user_for_workspace", effect="update", mcp=False)
def add_user_for_workspace(ctx: Ctx, workspace_gid: Gid, user: UserGid, opt_fields: Fields = None) -> dict[str, Any]:
    """Adds a user to a workspace, inviting them where they are new.

    workspace_gid: The workspace's gid.
    user: The user's gid or mail address.
    """
    place = access.get(ctx, Workspace, workspace_gid)
    found = access.person_or_none(ctx, user)
    if found is None:
        if "@" not in user[1:-1] or user.strip() != user:
            raise bad(f"user: Not a recognized ID: {user[:100]}")
        mail = user.lower()
        outside = mail.rpartition("@")[2] not in place.email_domains
        found = ctx.db.add(User(gid=access.new_gid(ctx), name=mail.partition("@")[0], email=mail))
        join_workspace(ctx, found, place, is_guest=outside)
    else:
        member = ctx.db.first(WorkspaceMembership, user=found.gid)
        if member is not None and not member.is_active:
            ctx.db.update(member, is_active=True)
    return one(ctx, found, opt_fields)


def join_workspace(ctx: Ctx, user: User, place: Workspace, *, created: str = "", **columns: Any) -> None:
    """What everybody in a workspace has: a membership and a My Tasks with a section."""
    at = created or access.now(ctx)
    ctx.db.add(
        WorkspaceMembership(gid=access.new_gid(ctx), user=user.gid, workspace=place.gid, created_at=at, **columns)
    )
    mine = ctx.db.add(UserTaskList(gid=access.new_gid(ctx), user=user.gid, workspace=place.gid))
    ctx.db.add(
        access.Section(
            gid=access.new_gid(ctx), name="Recently assigned", project=mine.gid, place=access.STEP, created_at=at
        )
    )


@app.post(
    f"{API}/workspaces/{{workspace_gid}}/removeUser", tool="remove_user_for_workspace", effect="delete", mcp=False
)
def remove_user_for_workspace(ctx: Ctx, workspace_gid: Gid, user: UserGid) -> dict[str, Any]:
    """Removes a user from a workspace. Only its admins may.

    workspace_gid: The workspace's gid.
    user: The user's gid or mail address, or "me".
    """
    access.get(ctx, Workspace, workspace_gid)
    admin_only(ctx)
    found = access.person(ctx, user, "user")
    member = ctx.db.first(WorkspaceMembership, user=found.gid)
    assert member is not None
    if found.gid == access.me(ctx).gid:
        raise bad("user: You cannot remove yourself while you administrate the workspace")
    ctx.db.update(member, is_active=False)
    ctx.db.delete_where(TeamMembership, user=found.gid)
    return {}


@app.get(
    f"{API}/workspaces/{{workspace_gid}}/workspace_memberships",
    tool="get_workspace_memberships_for_workspace",
    mcp=False,
)
def get_workspace_memberships_for_workspace(
    ctx: Ctx, workspace_gid: Gid, user: UserGid | None = None, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the memberships of a workspace.

    workspace_gid: The workspace's gid.
    user: Only that of this user.
    """
    place = access.get(ctx, Workspace, workspace_gid)
    one_user = access.person(ctx, user, "user").gid if user else None
    return page(ctx, ctx.db.find(WorkspaceMembership, workspace=place.gid, user=one_user), opt_fields, limit, offset)


@app.get(f"{API}/users/{{user_gid}}/workspace_memberships", tool="get_workspace_memberships_for_user", mcp=False)
def get_workspace_memberships_for_user(
    ctx: Ctx, user_gid: UserGid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists a user's memberships of workspaces.

    user_gid: The user's gid or mail address, or "me".
    """
    rows = ctx.db.find(WorkspaceMembership, user=access.person_in_path(ctx, user_gid).gid)
    return page(ctx, rows, opt_fields, limit, offset)


@app.get(f"{API}/workspace_memberships/{{workspace_membership_gid}}", tool="get_workspace_membership", mcp=False)
def get_workspace_membership(ctx: Ctx, workspace_membership_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a membership of a workspace.

    workspace_membership_gid: The membership's gid.
    """
    return one(ctx, access.get(ctx, WorkspaceMembership, workspace_membership_gid), opt_fields)
