"""Teams and their members. https://developers.asana.com/reference/teams"""

from typing import Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Page

from .. import access
from ..app import API, Fields, Gid, Limit, Name, Offset, Text, app, bad
from ..listing import one, page
from ..models import Team, TeamMembership, Workspace

Visibility = Literal["secret", "request_to_join", "public"]


@app.get(f"{API}/workspaces/{{workspace_gid}}/teams", tool="get_teams_for_workspace")
def get_teams_for_workspace(
    ctx: Ctx, workspace_gid: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the teams of a workspace. A project is created in one.

    workspace_gid: The workspace's gid.
    """
    access.get(ctx, Workspace, workspace_gid)
    return page(ctx, ctx.db.find(Team, order="name,gid"), opt_fields, limit, offset)


@app.get(f"{API}/users/{{user_gid}}/teams", tool="get_teams_for_user", mcp=False)
def get_teams_for_user(
    ctx: Ctx, user_gid: Gid, organization: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the teams that a user is in.

    user_gid: The user's gid or mail address, or "me".
    organization: The workspace's gid.
    """
    access.in_workspace(ctx, organization, "organization")
    user = access.person_in_path(ctx, user_gid)
    rows = [ctx.require(Team, m.team) for m in ctx.db.find(TeamMembership, user=user.gid)]
    return page(ctx, rows, opt_fields, limit, offset)


@app.get(f"{API}/teams/{{team_gid}}", tool="get_team", mcp=False)
def get_team(ctx: Ctx, team_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a team.

    team_gid: The team's gid.
    """
    return one(ctx, access.get(ctx, Team, team_gid), opt_fields)


@app.post(f"{API}/teams", tool="create_team", status=201, mcp=False)
def create_team(
    ctx: Ctx, name: Name, organization: Gid, description: Text = "", visibility: Visibility = "secret", opt_fields: Fields = None
) -> dict[str, Any]:  # fmt: skip
    """Creates a team, with its caller as a member.

    name: The team's name; unique in the organization.
    organization: The workspace's gid.
    description: What it is for.
    visibility: Who may see and join it.
    """
    place = access.in_workspace(ctx, organization, "organization")
    if not name.strip():
        raise bad("name: Missing input")
    if ctx.db.first(Team, name=name) is not None:
        raise bad("name: A team with this name already exists in the organization")
    row = ctx.db.add(
        Team(gid=access.new_gid(ctx), name=name, description=description, workspace=place.gid, visibility=visibility)
    )
    ctx.db.add(TeamMembership(gid=access.new_gid(ctx), team=row.gid, user=access.me(ctx).gid, is_admin=True))
    return one(ctx, row, opt_fields)


@app.put(f"{API}/teams/{{team_gid}}", tool="update_team", mcp=False)
def update_team(
    ctx: Ctx, team_gid: Gid, name: Name | MISSING = MISSING, description: Text | MISSING = MISSING,
    visibility: Visibility | MISSING = MISSING, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes a team.

    team_gid: The team's gid.
    name: The team's name.
    description: What it is for.
    visibility: Who may see and join it.
    """
    row, sent = access.get(ctx, Team, team_gid), ctx.sent()
    if "name" in sent and not sent["name"].strip():
        raise bad("name: Missing input")
    ctx.db.update(row, **{name: sent[name] for name in ("name", "description", "visibility") if name in sent})
    return one(ctx, row, opt_fields)


@app.post(f"{API}/teams/{{team_gid}}/addUser", tool="add_user_for_team", effect="update", mcp=False)
def add_user_for_team(ctx: Ctx, team_gid: Gid, user: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Adds a user to a team. Answers the membership.

    team_gid: The team's gid.
    user: The user's gid or mail address, or "me".
    """
    team, person = access.get(ctx, Team, team_gid), access.person(ctx, user, "user")
    found = ctx.db.first(TeamMembership, team=team.gid, user=person.gid)
    found = found or ctx.db.add(TeamMembership(gid=access.new_gid(ctx), team=team.gid, user=person.gid))
    return one(ctx, found, opt_fields)


@app.post(f"{API}/teams/{{team_gid}}/removeUser", tool="remove_user_for_team", effect="delete", mcp=False)
def remove_user_for_team(ctx: Ctx, team_gid: Gid, user: Gid) -> dict[str, Any]:
    """Removes a user from a team.

    team_gid: The team's gid.
    user: The user's gid or mail address, or "me".
    """
    team, person = access.get(ctx, Team, team_gid), access.person(ctx, user, "user")
    ctx.db.delete_where(TeamMembership, team=team.gid, user=person.gid)
    return {}


@app.get(f"{API}/team_memberships", tool="get_team_memberships", mcp=False)
def get_team_memberships(
    ctx: Ctx, team: Gid | None = None, user: Gid | None = None, workspace: Gid | None = None, limit: Limit = None, offset: Offset = None,
    opt_fields: Fields = None,
) -> Page[Any]:  # fmt: skip
    """Lists memberships of teams: of a team, or of a user in a workspace.

    team: The team's gid.
    user: The user's gid or mail address, or "me"; needs the workspace.
    workspace: The workspace's gid.
    """
    if team is None and (user is None or workspace is None):
        raise bad("You should specify one of team, user + workspace")
    chosen = access.named(ctx, Team, team, "team").gid if team else None
    person = access.person(ctx, user, "user").gid if user else None
    return page(ctx, ctx.db.find(TeamMembership, team=chosen, user=person), opt_fields, limit, offset)


@app.get(f"{API}/team_memberships/{{team_membership_gid}}", tool="get_team_membership", mcp=False)
def get_team_membership(ctx: Ctx, team_membership_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a membership of a team.

    team_membership_gid: The membership's gid.
    """
    return one(ctx, access.get(ctx, TeamMembership, team_membership_gid), opt_fields)


@app.get(f"{API}/teams/{{team_gid}}/team_memberships", tool="get_team_memberships_for_team", mcp=False)
def get_team_memberships_for_team(
    ctx: Ctx, team_gid: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the memberships of a team.

    team_gid: The team's gid.
    """
    return page(ctx, ctx.db.find(TeamMembership, team=access.get(ctx, Team, team_gid).gid), opt_fields, limit, offset)


@app.get(f"{API}/users/{{user_gid}}/team_memberships", tool="get_team_memberships_for_user", mcp=False)
def get_team_memberships_for_user(
    ctx: Ctx, user_gid: Gid, workspace: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists a user's memberships of teams.

    user_gid: The user's gid or mail address, or "me".
    workspace: The workspace's gid.
    """
    access.in_workspace(ctx, workspace)
    rows = ctx.db.find(TeamMembership, user=access.person_in_path(ctx, user_gid).gid)
    return page(ctx, rows, opt_fields, limit, offset)
