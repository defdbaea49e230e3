"""Who may do what in a base."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict

from legoenv_mcp.app import Ctx, Field

from ..app import absent, app, invalid
from ..grid import Grid, open_base
from ..models import Collaborator, Level, User
from ..people import LEVELS, level, me, need
from ..values import iso


class Who(BaseModel):
    """A user."""

    model_config = ConfigDict(extra="forbid")
    id: Annotated[str, Field(description="The user's id.")]


class NewCollaborator(BaseModel):
    """A user's new permission."""

    model_config = ConfigDict(extra="forbid")
    user: Annotated[Who, Field(description="The user.")]
    permissionLevel: Annotated[Level, Field(description="What the user may do.")]


def _may_grant(ctx: Ctx, grid: Grid, wanted: Level) -> None:
    """A collaborator manages others only with creator permission, and gives nobody more than there is to give."""
    need(ctx, grid.base, "create")
    if LEVELS.index(wanted) > LEVELS.index(level(ctx, grid.base)):
        need(ctx, grid.base, wanted)


@app.post("/v0/meta/bases/{baseId}/collaborators", tool="add_base_collaborators")
def add_base_collaborators(
    ctx: Ctx, baseId: str, collaborators: Annotated[list[NewCollaborator], Field(min_length=1, max_length=10)]
) -> dict[str, Any]:
    """Gives users a permission in a base. Needs creator permission; nobody can give more than they have.

    baseId: The base's id.
    collaborators: The users and their permission levels. get_workspace_collaborators tells users' ids.
    """
    grid = open_base(ctx, baseId)
    for one in collaborators:
        _may_grant(ctx, grid, one.permissionLevel)
        if ctx.db.get(User, one.user.id) is None:
            raise absent("User")
        if ctx.db.get(Collaborator, (baseId, one.user.id)) is not None:
            raise invalid(f"{one.user.id} is a collaborator of this base already.")
        ctx.db.add(
            Collaborator(
                scope=baseId,
                user_id=one.user.id,
                permission_level=one.permissionLevel,
                granted_by=me(ctx),
                created_time=iso(ctx.now),
            )
        )
    return {}


def _collaborator(ctx: Ctx, base: str, user: str) -> Collaborator:
    found = ctx.db.get(Collaborator, (base, user))
    if found is None:
        raise absent("Collaborator")
    return found


@app.patch("/v0/meta/bases/{baseId}/collaborators/{userOrGroupId}", tool="update_base_collaborator")
def update_base_collaborator(ctx: Ctx, baseId: str, userOrGroupId: str, permissionLevel: Level) -> dict[str, Any]:
    """Changes a collaborator's permission in a base. Needs creator permission; the owner's stays.

    baseId: The base's id.
    userOrGroupId: The user's id.
    permissionLevel: What the user may do from now on.
    """
    grid = open_base(ctx, baseId)
    _may_grant(ctx, grid, permissionLevel)
    row = _collaborator(ctx, baseId, userOrGroupId)
    need(ctx, grid.base, row.permission_level)
    if row.user_id == grid.base.owner and permissionLevel != "owner":
        raise invalid("The owner of a base keeps the owner's permission.")
    ctx.db.update(row, permission_level=permissionLevel)
    return {}


@app.delete("/v0/meta/bases/{baseId}/collaborators/{userOrGroupId}", tool="delete_base_collaborator")
def delete_base_collaborator(ctx: Ctx, baseId: str, userOrGroupId: str) -> dict[str, Any]:
    """Takes a collaborator's own permission in a base away; what the workspace gives stays.

    baseId: The base's id.
    userOrGroupId: The user's id.
    """
    grid = open_base(ctx, baseId)
    row = _collaborator(ctx, baseId, userOrGroupId)
    if row.user_id != me(ctx):
        need(ctx, grid.base, "create")
        need(ctx, grid.base, row.permission_level)
    if row.user_id == grid.base.owner:
        raise invalid("The owner of a base cannot be removed.")
    ctx.db.delete(row)
    return {}
