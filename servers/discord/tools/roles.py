"""Roles. https://discord.com/developers/docs/topics/permissions#role-object"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Ctx, Field, Payload

from .. import access as a
from .. import audit, resources
from .. import channels as c
from ..app import app, err, form
from ..models import Member, Overwrite, Role

Name = Annotated[str | None, Field(max_length=100)]
Color = Annotated[int | None, Field(ge=0, le=0xFFFFFF)]
_MOST = 250


def _all(ctx: Ctx) -> list[dict[str, Any]]:
    return [resources.role(one) for one in ctx.db.find(Role, order="position,id")]


@app.get("/guilds/{guild_id}/roles", tool="list_guild_roles")
def list_guild_roles(ctx: Ctx, guild_id: a.Snowflake) -> list[dict[str, Any]]:
    """Lists the server's roles from the lowest to the highest, with their permission bits. The role with the server's id is @everyone.

    guild_id: The server's id.
    """
    a.guild(ctx, guild_id)
    return _all(ctx)


@app.get("/guilds/{guild_id}/roles/{role_id}", tool="get_guild_role", mcp=False)
def get_guild_role(ctx: Ctx, guild_id: a.Snowflake, role_id: a.Snowflake) -> dict[str, Any]:
    """Gets a role.

    guild_id: The server's id.
    role_id: The role's id.
    """
    a.guild(ctx, guild_id)
    return resources.role(a.role(ctx, role_id))


@app.post("/guilds/{guild_id}/roles", tool="create_guild_role")
def create_guild_role(
    ctx: Ctx,
    guild_id: a.Snowflake,
    name: Name = None,
    permissions: c.Bits = None,
    color: Color = None,
    hoist: bool | None = None,
    mentionable: bool | None = None,
) -> dict[str, Any]:
    """Creates a role, the lowest of all (needs Manage Roles). It can hold no permission that the caller has not.

    guild_id: The server's id.
    name: Its name; "new role" by default.
    permissions: Permission bits as a decimal number; by default those of @everyone.
    color: Colour as a number.
    hoist: Whether its members are listed apart.
    mentionable: Whether everybody may mention it.
    """
    a.guild(ctx, guild_id, a.MANAGE_ROLES)
    if ctx.db.count(Role) >= _MOST:
        raise form("name", "GUILD_ROLES_MAX", f"Maximum number of server roles reached ({_MOST})")
    bits = a.role(ctx, guild_id).permissions if permissions is None else c.bits(permissions, "permissions")
    if permissions is not None:
        a.grants(ctx, bits)
    row = ctx.db.add(
        Role(
            id=a.snowflake(ctx),
            name=name or "new role",
            permissions=bits,
            color=color or 0,
            hoist=bool(hoist),
            mentionable=bool(mentionable),
            position=1,
        )
    )
    audit.log(ctx, audit.ROLE_CREATE, row.id, [{"key": "name", "new_value": row.name}])
    return resources.role(row)


@app.patch("/guilds/{guild_id}/roles", tool="modify_role_positions", mcp=False)
def modify_role_positions(
    ctx: Ctx, guild_id: a.Snowflake, payload: Annotated[list[c.Place], Payload()]
) -> list[dict[str, Any]]:
    """Moves roles up or down the hierarchy, below one's own highest (needs Manage Roles).

    guild_id: The server's id.
    payload: Objects with a role's id and its new position; higher positions stand above.
    """
    a.guild(ctx, guild_id, a.MANAGE_ROLES)
    mine = a.rank(ctx, a.me(ctx))
    for n, one in enumerate(payload):
        row = a.role(ctx, one.get("id", ""))
        position = one.get("position")
        if row.id == guild_id:
            raise err(50028)
        a.governs(ctx, row)
        if position is None or position == row.position:
            continue
        if not 1 <= position < 1 << 31:
            raise form(f"{n}.position", "NUMBER_TYPE_MIN", "int value should be greater than or equal to 1.")
        if position >= mine:
            raise err(50013)
        audit.log(ctx, audit.ROLE_UPDATE, row.id, audit.changed(row, position=position))
        ctx.db.update(row, position=position)
    return _all(ctx)


@app.patch("/guilds/{guild_id}/roles/{role_id}", tool="modify_guild_role")
def modify_guild_role(
    ctx: Ctx,
    guild_id: a.Snowflake,
    role_id: a.Snowflake,
    name: Name | MISSING = MISSING,
    permissions: c.Bits | MISSING = MISSING,
    color: Color | MISSING = MISSING,
    hoist: bool | None | MISSING = MISSING,
    mentionable: bool | None | MISSING = MISSING,
) -> dict[str, Any]:
    """Changes a role below one's own highest (needs Manage Roles). Only what is sent changes.

    guild_id: The server's id.
    role_id: The role's id.
    name: The new name.
    permissions: All its permission bits, as a decimal number.
    color: Colour as a number.
    hoist: Whether its members are listed apart.
    mentionable: Whether everybody may mention it.
    """
    a.guild(ctx, guild_id, a.MANAGE_ROLES)
    row = a.role(ctx, role_id)
    a.governs(ctx, row)
    given = {k: v for k, v in ctx.sent().items() if v is not MISSING and v is not None}
    if "permissions" in given:
        given["permissions"] = c.bits(given["permissions"], "permissions")
        a.grants(ctx, given["permissions"], row.permissions)
    if "name" in given and not given["name"].strip():
        raise form("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
    changes = audit.changed(row, **given)
    if changes:
        ctx.db.update(row, **given)
        audit.log(ctx, audit.ROLE_UPDATE, row.id, changes)
    return resources.role(row)


@app.delete("/guilds/{guild_id}/roles/{role_id}", tool="delete_guild_role", status=204)
def delete_guild_role(ctx: Ctx, guild_id: a.Snowflake, role_id: a.Snowflake) -> None:
    """Deletes a role below one's own highest; its members lose it (needs Manage Roles).

    guild_id: The server's id.
    role_id: The role's id.
    """
    a.guild(ctx, guild_id, a.MANAGE_ROLES)
    row = a.role(ctx, role_id)
    if row.id == guild_id:
        raise err(50028)
    a.governs(ctx, row)
    for member in ctx.db.find(Member):
        if role_id in member.roles:
            ctx.db.update(member, roles=[one for one in member.roles if one != role_id])
    ctx.db.delete_where(Overwrite, id=role_id, type=0)
    ctx.db.delete(row)
    audit.log(ctx, audit.ROLE_DELETE, role_id, [{"key": "name", "old_value": row.name}])
