"""Members and bans. https://discord.com/developers/docs/resources/guild#guild-member-object"""

from datetime import timedelta
from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Ctx, Field, ToolOnly

from .. import access as a
from .. import audit, posting, resources
from ..app import app, err, form
from ..models import Ban, Member, Message, Overwrite, User

_LONGEST_TIMEOUT = timedelta(days=28)
Nick = Annotated[str | None, Field(max_length=32)]
Why = Annotated[str | None, ToolOnly()]


@app.get("/guilds/{guild_id}/members", tool="list_guild_members")
def list_guild_members(
    ctx: Ctx,
    guild_id: a.Snowflake,
    after: a.Snowflake | None = None,
    limit: Annotated[int | None, Field(ge=1, le=1000)] = None,
) -> list[dict[str, Any]]:
    """Lists the members of the server by user id, with nicknames and the ids of their roles.

    guild_id: The server's id.
    after: Members after this user's id.
    limit: How many, 1 to 1000; 100 by default.
    """
    a.guild(ctx, guild_id)
    most = limit or (100 if a.on_mcp(ctx) else 1)  # the API's own default is one
    rows = sorted(ctx.db.find(Member), key=lambda row: int(row.user_id))
    return [resources.member(ctx, row) for row in rows if int(row.user_id) > int(after or 0)][:most]


@app.get("/guilds/{guild_id}/members/search", tool="search_guild_members")
def search_guild_members(
    ctx: Ctx,
    guild_id: a.Snowflake,
    query: Annotated[str, Field(min_length=1, max_length=100)],
    limit: Annotated[int | None, Field(ge=1, le=1000)] = None,
) -> list[dict[str, Any]]:
    """Finds members whose user name, display name or nickname starts with a text.

    guild_id: The server's id.
    query: What the name starts with.
    limit: How many, 1 to 1000; 25 by default.
    """
    a.guild(ctx, guild_id)
    wanted, found = query.casefold(), list[Member]()
    for row in sorted(ctx.db.find(Member), key=lambda row: int(row.user_id)):
        user = ctx.require(User, row.user_id)
        names = (user.username, user.global_name or "", row.nick or "")
        if any(name.casefold().startswith(wanted) for name in names):
            found.append(row)
    return [resources.member(ctx, row) for row in found[: limit or (25 if a.on_mcp(ctx) else 1)]]


@app.get("/guilds/{guild_id}/members/{user_id}", tool="get_guild_member")
def get_guild_member(ctx: Ctx, guild_id: a.Snowflake, user_id: a.Snowflake) -> dict[str, Any]:
    """Gets a member: user, nickname, roles, since when, and until when timed out.

    guild_id: The server's id.
    user_id: The user's id.
    """
    a.guild(ctx, guild_id)
    return resources.member(ctx, a.member(ctx, user_id))


@app.patch("/guilds/{guild_id}/members/@me", tool="modify_current_member", mcp=False)
def modify_current_member(ctx: Ctx, guild_id: a.Snowflake, nick: Nick | MISSING = MISSING) -> dict[str, Any]:
    """Changes the caller's own nickname.

    guild_id: The server's id.
    nick: The new nickname; null takes it away.
    """
    a.guild(ctx, guild_id, a.CHANGE_NICKNAME)
    row = ctx.require(Member, a.me(ctx))
    if nick is not MISSING and (nick or None) != row.nick:
        audit.log(ctx, audit.MEMBER_UPDATE, row.user_id, audit.changed(row, nick=nick or None))
        ctx.db.update(row, nick=nick or None)
    return resources.member(ctx, row)


@app.patch("/guilds/{guild_id}/members/{user_id}", tool="modify_guild_member")
def modify_guild_member(
    ctx: Ctx,
    guild_id: a.Snowflake,
    user_id: a.Snowflake,
    nick: Nick | MISSING = MISSING,
    roles: list[a.Snowflake] | None | MISSING = MISSING,
    communication_disabled_until: str | None | MISSING = MISSING,
    mute: bool | None | MISSING = MISSING,
    deaf: bool | None | MISSING = MISSING,
) -> dict[str, Any]:
    """Changes a member. Only what is sent changes; only members whose highest role is below one's own can be timed out or renamed.

    guild_id: The server's id.
    user_id: The user's id.
    nick: The nickname; null takes it away (needs Manage Nicknames).
    roles: All role ids that the member is to have (needs Manage Roles).
    communication_disabled_until: Times the member out until then (ISO 8601, at most 28 days; needs Moderate Members).
        Null ends it.
    mute: Whether muted in voice channels.
    deaf: Whether deafened in voice channels.
    """
    a.guild(ctx, guild_id)
    row, given = a.member(ctx, user_id), dict[str, Any]()
    mine, user = a.base(ctx, a.me(ctx)), a.user(ctx, user_id)
    if nick is not MISSING:
        if not mine & (a.CHANGE_NICKNAME if user_id == a.me(ctx) else a.MANAGE_NICKNAMES):
            raise err(50013)
        a.above(ctx, user)
        given["nick"] = nick or None
    if roles is not MISSING:
        if not mine & a.MANAGE_ROLES:
            raise err(50013)
        wanted = list(dict.fromkeys(roles or []))
        for one in {*wanted, *row.roles} - ({*wanted} & {*row.roles}):
            if one == guild_id:
                raise err(50028)
            a.governs(ctx, a.role(ctx, one))
        given["roles"] = wanted
    if communication_disabled_until is not MISSING:
        if not mine & a.MODERATE_MEMBERS:
            raise err(50013)
        if user_id == a.me(ctx):
            raise err(50013)
        a.above(ctx, user)
        given["communication_disabled_until"] = _until(ctx, communication_disabled_until)
    for field, value in (("mute", mute), ("deaf", deaf)):
        if value is not MISSING:
            if not mine & (1 << 22 if field == "mute" else 1 << 23):
                raise err(50013)
            given[field] = bool(value)
    changes = audit.changed(row, **{k: v for k, v in given.items() if k != "roles"})
    if changes:
        audit.log(ctx, audit.MEMBER_UPDATE, user_id, changes)
    if "roles" in given and set(given["roles"]) != set(row.roles):
        _log_roles(ctx, row, given["roles"])
    elif "roles" in given:
        given.pop("roles")
    ctx.db.update(row, **{k: v for k, v in given.items() if getattr(row, k) != v})
    return resources.member(ctx, row)


def _until(ctx: Ctx, text: str | None) -> str | None:
    if text is None:
        return None
    try:
        at = ctx.parse_time(text)
        written = a.stamp(at)
    except (ValueError, OverflowError):
        message = f"Could not parse {text[:40]}. Should be ISO8601."
        raise form("communication_disabled_until", "DATE_TIME_TYPE_PARSE", message) from None
    if at - ctx.now > _LONGEST_TIMEOUT:
        message = "Timeouts can last 28 days at most."
        raise form("communication_disabled_until", "GUILD_MEMBER_TIMEOUT_TOO_LONG", message)
    return written


def _log_roles(ctx: Ctx, row: Member, roles: list[str]) -> None:
    def told(ids: set[str]) -> list[dict[str, str]]:
        return [{"id": one, "name": a.role(ctx, one).name} for one in sorted(ids, key=int)]

    added, gone = {*roles} - {*row.roles}, {*row.roles} - {*roles}
    sides = (("$add", added), ("$remove", gone))
    changes = [{"key": key, "new_value": told(ids)} for key, ids in sides if ids]
    audit.log(ctx, audit.MEMBER_ROLES, row.user_id, changes)


def _governed(ctx: Ctx, guild_id: str, user_id: str, role_id: str) -> Member:
    a.guild(ctx, guild_id, a.MANAGE_ROLES)
    row, role = a.member(ctx, user_id), a.role(ctx, role_id)
    if role.id == guild_id:
        raise err(50028)
    a.governs(ctx, role)
    return row


@app.put("/guilds/{guild_id}/members/{user_id}/roles/{role_id}", tool="add_guild_member_role", status=204)
def add_guild_member_role(ctx: Ctx, guild_id: a.Snowflake, user_id: a.Snowflake, role_id: a.Snowflake) -> None:
    """Gives a member a role that is below one's own highest (needs Manage Roles).

    guild_id: The server's id.
    user_id: The user's id.
    role_id: The role's id.
    """
    row = _governed(ctx, guild_id, user_id, role_id)
    if role_id not in row.roles:
        _log_roles(ctx, row, [*row.roles, role_id])
        ctx.db.update(row, roles=[*row.roles, role_id])


@app.delete("/guilds/{guild_id}/members/{user_id}/roles/{role_id}", tool="remove_guild_member_role", status=204)
def remove_guild_member_role(ctx: Ctx, guild_id: a.Snowflake, user_id: a.Snowflake, role_id: a.Snowflake) -> None:
    """Takes a role below one's own highest from a member (needs Manage Roles).

    guild_id: The server's id.
    user_id: The user's id.
    role_id: The role's id.
    """
    row = _governed(ctx, guild_id, user_id, role_id)
    if role_id in row.roles:
        kept = [one for one in row.roles if one != role_id]
        _log_roles(ctx, row, kept)
        ctx.db.update(row, roles=kept)


def _out(ctx: Ctx, row: Member) -> None:
    """Ends a membership, and with it what the member alone was let into."""
    ctx.db.delete_where(Overwrite, id=row.user_id, type=1)
    ctx.db.delete(row)


@app.delete("/guilds/{guild_id}/members/{user_id}", tool="remove_guild_member", status=204)
def remove_guild_member(ctx: Ctx, guild_id: a.Snowflake, user_id: a.Snowflake, reason: Why = None) -> None:
    """Kicks a member whose highest role is below one's own (needs Kick Members). With an invite they can come back.

    guild_id: The server's id.
    user_id: The user's id.
    reason: Why, for the audit log.
    """
    a.guild(ctx, guild_id, a.KICK_MEMBERS)
    row = a.member(ctx, user_id)
    if user_id == a.me(ctx):
        raise err(50013)
    a.above(ctx, a.user(ctx, user_id))
    _out(ctx, row)
    audit.log(ctx, audit.MEMBER_KICK, user_id, why=reason)


# Bans


def _ban(ctx: Ctx, row: Ban) -> dict[str, Any]:
    return {"reason": row.reason, "user": resources.user_by_id(ctx, row.user_id)}


@app.get("/guilds/{guild_id}/bans", tool="list_guild_bans")
def list_guild_bans(
    ctx: Ctx,
    guild_id: a.Snowflake,
    before: a.Snowflake | None = None,
    after: a.Snowflake | None = None,
    limit: Annotated[int, Field(ge=1, le=1000)] = 1000,
) -> list[dict[str, Any]]:
    """Lists who is banned from the server, by user id (needs Ban Members).

    guild_id: The server's id.
    before: Users before this id.
    after: Users after this id.
    limit: How many, 1 to 1000.
    """
    a.guild(ctx, guild_id, a.BAN_MEMBERS)
    rows = sorted(ctx.db.find(Ban), key=lambda row: int(row.user_id))
    if before is not None:
        return [_ban(ctx, row) for row in [r for r in rows if int(r.user_id) < int(before)][-limit:]]
    return [_ban(ctx, row) for row in rows if int(row.user_id) > int(after or 0)][:limit]


@app.get("/guilds/{guild_id}/bans/{user_id}", tool="get_guild_ban", mcp=False)
def get_guild_ban(ctx: Ctx, guild_id: a.Snowflake, user_id: a.Snowflake) -> dict[str, Any]:
    """Gets a user's ban (needs Ban Members).

    guild_id: The server's id.
    user_id: The user's id.
    """
    a.guild(ctx, guild_id, a.BAN_MEMBERS)
    return _ban(ctx, ctx.require(Ban, user_id))


@app.put("/guilds/{guild_id}/bans/{user_id}", tool="create_guild_ban", status=204)
def create_guild_ban(
    ctx: Ctx,
    guild_id: a.Snowflake,
    user_id: a.Snowflake,
    delete_message_seconds: Annotated[int | None, Field(ge=0, le=604800)] = None,
    delete_message_days: Annotated[int | None, Field(ge=0, le=7)] = None,
    reason: Why = None,
) -> None:
    """Bans a user, who leaves the server and cannot come back, and can delete what they wrote lately (needs Ban Members).

    guild_id: The server's id.
    user_id: The user's id.
    delete_message_seconds: Their messages of so many last seconds are deleted, at most 604800.
    delete_message_days: The same in days, as older clients say it.
    reason: Why, for the audit log.
    """
    a.guild(ctx, guild_id, a.BAN_MEMBERS)
    user = a.user(ctx, user_id)
    if user_id == a.me(ctx):
        raise err(50013)
    a.above(ctx, user)
    if a.banned(ctx, user_id):
        return
    row = ctx.db.get(Member, user_id)
    if row is not None:
        _out(ctx, row)
    seconds = delete_message_seconds if delete_message_seconds is not None else 86400 * (delete_message_days or 0)
    oldest = ctx.now - timedelta(seconds=seconds)
    for message in ctx.db.find(Message, author_id=user_id) if seconds else ():
        if a.moment(message.id) >= oldest and ctx.require(a.Channel, message.channel_id).type not in a.DIRECT:
            posting.erase(ctx, message)
    ctx.db.add(Ban(user_id=user_id, reason=audit.reason(ctx, reason)))
    audit.log(ctx, audit.MEMBER_BAN, user_id, why=reason)


@app.delete("/guilds/{guild_id}/bans/{user_id}", tool="remove_guild_ban", status=204)
def remove_guild_ban(ctx: Ctx, guild_id: a.Snowflake, user_id: a.Snowflake) -> None:
    """Lifts a ban; the user may come back with an invite (needs Ban Members).

    guild_id: The server's id.
    user_id: The user's id.
    """
    a.guild(ctx, guild_id, a.BAN_MEMBERS)
    ctx.db.delete(ctx.require(Ban, user_id))
    audit.log(ctx, audit.MEMBER_UNBAN, user_id)
