"""Memberships of projects, portfolios and goals. https://developers.asana.com/reference/memberships"""

from typing import Any, Literal

from legoenv_mcp.app import Ctx, Page

from .. import access, projects
from ..app import API, Fields, Gid, Limit, Offset, app, bad
from ..listing import one, page
from ..models import Membership, Project
from .statuses import holder

Level = Literal["admin", "editor", "commenter", "viewer"]


@app.get(f"{API}/memberships", tool="get_memberships", mcp=False)
def get_memberships(
    ctx: Ctx, parent: Gid | None = None, member: Gid | None = None, resource_subtype: Literal["project_membership"] | None = None,
    limit: Limit = None, offset: Offset = None, opt_fields: Fields = None,
) -> Page[Any]:  # fmt: skip
    """Lists the memberships of a project, portfolio or goal, or those that a member has of projects.

    parent: The gid of the project, portfolio or goal.
    member: A user's gid.
    resource_subtype: Which memberships, where no parent is given.
    """
    if parent is None and (member is None or resource_subtype is None):
        raise bad("parent: Missing input")
    user = access.person(ctx, member, "member").gid if member else None
    above = holder(ctx, parent).gid if parent else None
    kind = "project" if resource_subtype else None
    rows = ctx.db.find(Membership, parent=above, member=user, kind=kind, order="place,gid")
    return page(ctx, rows, opt_fields, limit, offset)


@app.post(f"{API}/memberships", tool="create_membership", status=201, mcp=False)
def create_membership(
    ctx: Ctx, parent: Gid, member: Gid, access_level: Level | None = None, role: Level | None = None, opt_fields: Fields = None
) -> dict[str, Any]:  # fmt: skip
    """Makes a user a member of a project, portfolio or goal.

    parent: The gid of the project, portfolio or goal.
    member: A user's gid or mail address, or "me".
    access_level: What the member may do.
    role: The older name of access_level.
    """
    above, user = holder(ctx, parent), access.person(ctx, member, "member")
    kind = type(above).__name__.lower()
    level = access_level or role or {"project": "editor", "portfolio": "viewer", "goal": "commenter"}[kind]
    return one(ctx, projects.join(ctx, above, user.gid, level, kind), opt_fields)


@app.get(f"{API}/memberships/{{membership_gid}}", tool="get_membership", mcp=False)
def get_membership(ctx: Ctx, membership_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a membership.

    membership_gid: The membership's gid.
    """
    return one(ctx, access.get(ctx, Membership, membership_gid), opt_fields)


@app.put(f"{API}/memberships/{{membership_gid}}", tool="update_membership", mcp=False)
def update_membership(ctx: Ctx, membership_gid: Gid, access_level: Level, opt_fields: Fields = None) -> dict[str, Any]:
    """Changes what a member may do.

    membership_gid: The membership's gid.
    access_level: What the member may do.
    """
    row = ctx.db.update(access.get(ctx, Membership, membership_gid), access_level=access_level)
    return one(ctx, row, opt_fields)


@app.delete(f"{API}/memberships/{{membership_gid}}", tool="delete_membership", mcp=False)
def delete_membership(ctx: Ctx, membership_gid: Gid) -> dict[str, Any]:
    """Ends a membership.

    membership_gid: The membership's gid.
    """
    ctx.db.delete(access.get(ctx, Membership, membership_gid))
    return {}


@app.get(f"{API}/projects/{{project_gid}}/project_memberships", tool="get_project_memberships_for_project", mcp=False)
def get_project_memberships_for_project(
    ctx: Ctx, project_gid: Gid, user: Gid | None = None, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the memberships of a project.

    project_gid: The project's gid.
    user: Only that of this user.
    """
    row: Project = access.project(ctx, project_gid)
    member = access.person(ctx, user, "user").gid if user else None
    rows = ctx.db.find(Membership, parent=row.gid, member=member, order="place,gid")
    return page(ctx, rows, opt_fields, limit, offset).map(lambda m: {**m, "resource_type": "project_membership"})


@app.get(f"{API}/project_memberships/{{project_membership_gid}}", tool="get_project_membership", mcp=False)
def get_project_membership(ctx: Ctx, project_membership_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a membership of a project.

    project_membership_gid: The membership's gid.
    """
    row = access.get(ctx, Membership, project_membership_gid, "project_membership")
    return {**one(ctx, row, opt_fields), "resource_type": "project_membership"}
