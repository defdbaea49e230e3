"""Channels, their permissions and invites. https://discord.com/developers/docs/resources/channel"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Ctx, Field, Payload

from .. import access as a
from .. import audit, resources
from .. import channels as c
from ..app import app, err, form
from ..channels import PermissionOverwrite
from ..models import Channel, Overwrite

Topic = Annotated[str | None, Field(max_length=1024)]
Slow = Annotated[int | None, Field(ge=0, le=21600)]


@app.get("/guilds/{guild_id}/channels", tool="list_guild_channels")
def list_guild_channels(ctx: Ctx, guild_id: a.Snowflake) -> list[dict[str, Any]]:
    """Lists the server's channels and categories, without threads; by its name here an id is found.

    Types: 0 text, 2 voice, 4 category, 5 announcement, 13 stage, 15 forum.

    guild_id: The server's id.
    """
    a.guild(ctx, guild_id)
    rows = ctx.db.find(Channel, type__in=c.KINDS, order="position")
    # Over HTTP every channel is told, also those one may not look into; to agents those they can use.
    shown = [row for row in rows if not a.on_mcp(ctx) or row.type == a.CATEGORY or a.visible(ctx, row)]
    return [resources.channel(ctx, row, listed=True) for row in sorted(shown, key=lambda r: (r.position, int(r.id)))]


@app.post("/guilds/{guild_id}/channels", tool="create_guild_channel", status=201)
def create_guild_channel(
    ctx: Ctx,
    guild_id: a.Snowflake,
    name: Annotated[str, Field(min_length=1, max_length=100)],
    type: int | None = 0,
    topic: Topic = None,
    parent_id: a.Snowflake | None = None,
    permission_overwrites: list[PermissionOverwrite] | None = None,
    rate_limit_per_user: Slow = None,
    position: Annotated[int | None, Field(ge=0, le=2**31 - 1)] = None,
    nsfw: bool | None = None,
    user_limit: Annotated[int | None, Field(ge=0, le=99)] = None,
    bitrate: Annotated[int | None, Field(ge=8000, le=384000)] = None,
    default_auto_archive_duration: int | None = None,
) -> dict[str, Any]:
    """Creates a channel in the server (needs Manage Channels). Names of text channels become lower case with dashes.

    A channel is private where an overwrite denies @everyone (its id is the server's) View Channel (1024).
    Allow it to yourself (type 1) too, or the channel is closed to you.

    guild_id: The server's id.
    name: The channel's name, 1 to 100 characters.
    type: 0 text, 2 voice, 4 category, 5 announcement, 13 stage, 15 forum.
    topic: What the channel is about, at most 1024 characters.
    parent_id: The category's id.
    permission_overwrites: Permissions of roles and members in the channel; by default the category's.
    rate_limit_per_user: Slow mode: seconds between a member's messages.
    position: Where it stands among the channels.
    nsfw: Whether it is age-restricted.
    user_limit: Users at once, in a voice channel.
    bitrate: Bits a second, in a voice channel.
    default_auto_archive_duration: Minutes until new threads are archived: 60, 1440, 4320 or 10080.
    """
    a.guild(ctx, guild_id, a.MANAGE_CHANNELS)
    kind = type or 0
    if kind not in c.KINDS:
        raise form("type", "BASE_TYPE_CHOICES", f'Value "{kind}" must be one of {c.KINDS}.')
    c.check_room(ctx)
    parent = c.check_parent(ctx, parent_id, kind)
    if default_auto_archive_duration is not None:
        c.check_archive(default_auto_archive_duration, "default_auto_archive_duration")
    plain = c.check_name(name, kind)
    rules = c.check_overwrites(ctx, permission_overwrites)
    if permission_overwrites is None and parent:
        known = ctx.db.find(Overwrite, channel_id=parent)
        rules = [{"id": o.id, "type": o.type, "allow": o.allow, "deny": o.deny} for o in known]
    row = ctx.db.add(
        Channel(
            id=a.snowflake(ctx),
            type=kind,
            name=plain,
            topic=topic,
            parent_id=parent,
            position=position if position is not None else c.next_position(ctx, kind, parent),
            nsfw=bool(nsfw),
            rate_limit_per_user=rate_limit_per_user or 0,
            user_limit=user_limit or 0,
            bitrate=bitrate or 64000,
            owner_id=a.me(ctx),
            default_auto_archive_duration=default_auto_archive_duration,
        )
    )
    c.place_overwrites(ctx, row.id, rules)
    audit.log(ctx, audit.CHANNEL_CREATE, row.id, [{"key": "name", "new_value": row.name}])
    return resources.channel(ctx, row)


@app.patch("/guilds/{guild_id}/channels", tool="modify_channel_positions", status=204, mcp=False)
def modify_channel_positions(
    ctx: Ctx, guild_id: a.Snowflake, payload: Annotated[list[dict[str, Any]], Payload()]
) -> None:
    """Moves channels (needs Manage Channels).

    guild_id: The server's id.
    payload: Objects with a channel's id and its new position or parent_id.
    """
    a.guild(ctx, guild_id, a.MANAGE_CHANNELS)
    for n, one in enumerate(payload):
        row = ctx.db.get(Channel, str(one.get("id")))
        if row is None or row.type not in c.KINDS:
            raise err(10003)
        changes = dict[str, Any]()
        if (position := one.get("position")) is not None:
            if not isinstance(position, int) or not 0 <= position < 1 << 31:
                raise form(f"{n}.position", "NUMBER_TYPE_COERCE", f'Value "{str(position)[:40]}" is not int.')
            changes["position"] = position
        if "parent_id" in one and one["parent_id"] != row.parent_id:
            parent = one["parent_id"]
            changes["parent_id"] = c.check_parent(ctx, str(parent) if parent is not None else None, row.type)
        ctx.db.update(row, **changes)


@app.get("/channels/{channel_id}", tool="get_channel")
def get_channel(ctx: Ctx, channel_id: a.Snowflake) -> dict[str, Any]:
    """Gets a channel, thread or direct message, with its permission overwrites.

    channel_id: The channel's id.
    """
    return resources.channel(ctx, a.channel(ctx, channel_id))


@app.patch("/channels/{channel_id}", tool="modify_channel", effect="update")
def modify_channel(
    ctx: Ctx,
    channel_id: a.Snowflake,
    name: Annotated[str, Field(min_length=1, max_length=100)] | MISSING = MISSING,
    topic: Topic | MISSING = MISSING,
    parent_id: a.Snowflake | None | MISSING = MISSING,
    type: int | MISSING = MISSING,
    position: int | None | MISSING = MISSING,
    nsfw: bool | None | MISSING = MISSING,
    rate_limit_per_user: Slow | MISSING = MISSING,
    permission_overwrites: list[PermissionOverwrite] | None | MISSING = MISSING,
    user_limit: Annotated[int | None, Field(ge=0, le=99)] | MISSING = MISSING,
    bitrate: Annotated[int | None, Field(ge=8000, le=384000)] | MISSING = MISSING,
    default_auto_archive_duration: int | None | MISSING = MISSING,
    archived: bool | None | MISSING = MISSING,
    locked: bool | None | MISSING = MISSING,
    invitable: bool | None | MISSING = MISSING,
    auto_archive_duration: int | None | MISSING = MISSING,
) -> dict[str, Any]:
    """Changes a channel (needs Manage Channels) or a thread (its owner, or Manage Threads). Only what is sent changes.

    channel_id: The channel's or thread's id.
    name: The new name.
    topic: What the channel is about; null takes it away.
    parent_id: The category to move it to; null takes it out.
    type: 0 or 5: a text channel may become an announcement channel and back.
    position: Where it stands among the channels.
    nsfw: Whether it is age-restricted.
    rate_limit_per_user: Slow mode: seconds between a member's messages.
    permission_overwrites: All overwrites of the channel, in the place of those it has (needs Manage Roles).
    user_limit: Users at once, in a voice channel.
    bitrate: Bits a second, in a voice channel.
    default_auto_archive_duration: Minutes until new threads are archived: 60, 1440, 4320 or 10080.
    archived: Of a thread: whether it is archived.
    locked: Of a thread: whether only moderators may reopen it.
    invitable: Of a private thread: whether members may add others.
    auto_archive_duration: Of a thread: minutes without messages until it is archived.
    """
    row = a.channel(ctx, channel_id)
    given = {k: v for k, v in ctx.sent().items() if v is not MISSING}
    if row.type in a.DIRECT:
        if row.type == a.DM:
            raise err(50003)
        return resources.channel(ctx, ctx.db.update(row, **{k: v for k, v in given.items() if k == "name"}))
    if row.type in a.THREADS:
        return resources.channel(ctx, _modify_thread(ctx, row, given))
    a.channel(ctx, channel_id, a.MANAGE_CHANNELS)
    for name_ in ("archived", "locked", "invitable", "auto_archive_duration"):
        given.pop(name_, None)
    kind = given.get("type", row.type)
    if kind != row.type and {kind, row.type} != {a.TEXT, a.NEWS}:
        raise form("type", "BASE_TYPE_CHOICES", f'Value "{kind}" must be one of (0, 5).')
    if "name" in given:
        given["name"] = c.check_name(given["name"], row.type)
    if given.get("parent_id", row.parent_id) != row.parent_id:
        c.check_parent(ctx, given["parent_id"], row.type)
    if given.get("default_auto_archive_duration") is not None:
        c.check_archive(given["default_auto_archive_duration"], "default_auto_archive_duration")
    rules, wanted = given.pop("permission_overwrites", None), list[dict[str, Any]]()
    if rules is not None:
        a.channel(ctx, channel_id, a.MANAGE_ROLES)
        wanted = c.check_overwrites(ctx, rules)
    given = {k: (0 if v is None and k in _NUMBERS else v) for k, v in given.items()}
    given = {k: (False if v is None and k == "nsfw" else v) for k, v in given.items()}
    if given.get("position", 0) < 0 or given.get("position", 0) >= 1 << 31:
        raise form("position", "NUMBER_TYPE_MIN", "int value should be greater than or equal to 0.")
    changes = audit.changed(row, **given)
    ctx.db.update(row, **{one["key"]: one["new_value"] for one in changes})
    if rules is not None:
        c.place_overwrites(ctx, row.id, wanted)
    if changes:
        audit.log(ctx, audit.CHANNEL_UPDATE, row.id, changes)
    return resources.channel(ctx, row)


_NUMBERS = ("position", "rate_limit_per_user", "user_limit", "bitrate")
_OF_THREADS = ("name", "archived", "locked", "invitable", "auto_archive_duration", "rate_limit_per_user")


def _modify_thread(ctx: Ctx, row: Channel, given: dict[str, Any]) -> Channel:
    """Threads: the owner may change all but the lock; anyone who may write may reopen one that is not locked."""
    bits, owner = a.permissions(ctx, row, a.me(ctx)), row.owner_id == a.me(ctx)
    wanted: dict[str, Any] = {
        k: v for k, v in given.items() if k in _OF_THREADS and (v is not None or k == "rate_limit_per_user")
    }
    if "auto_archive_duration" in wanted:
        c.check_archive(wanted["auto_archive_duration"])
    if wanted.get("rate_limit_per_user", 0) is None:
        wanted["rate_limit_per_user"] = 0
    moderator, reopening = bool(bits & a.MANAGE_THREADS), wanted == {"archived": False}
    if not moderator:
        if "locked" in wanted or "rate_limit_per_user" in wanted or (row.locked and wanted):
            raise err(50013)
        if wanted and not owner and not (reopening and bits & a.SEND_MESSAGES_IN_THREADS):
            raise err(50013)
    if row.archived and wanted.get("archived", True) and wanted.keys() - {"archived", "locked"}:
        raise err(50083)
    if "invitable" in wanted and row.type != a.PRIVATE_THREAD:
        wanted.pop("invitable")
    changes = audit.changed(row, **wanted)
    if any(one["key"] == "archived" for one in changes):
        wanted["archive_timestamp"] = a.stamp(ctx.now)
    if changes:
        ctx.db.update(row, **wanted)
        audit.log(ctx, audit.THREAD_UPDATE, row.id, changes)
    return row


@app.delete("/channels/{channel_id}", tool="delete_channel")
def delete_channel(ctx: Ctx, channel_id: a.Snowflake) -> dict[str, Any]:
    """Deletes a channel or thread with all its messages, for good; closes a direct message, which keeps it.

    channel_id: The channel's id.
    """
    row = a.channel(ctx, channel_id)
    shown = resources.channel(ctx, row)
    if row.type in a.DIRECT:
        return shown
    thread = row.type in a.THREADS
    a.channel(ctx, channel_id, a.MANAGE_THREADS if thread else a.MANAGE_CHANNELS)
    c.remove(ctx, row)
    log = audit.THREAD_DELETE if thread else audit.CHANNEL_DELETE
    audit.log(ctx, log, channel_id, [{"key": "name", "old_value": row.name}])
    return shown


@app.post("/channels/{channel_id}/typing", tool="trigger_typing_indicator", effect="read", status=204, mcp=False)
def trigger_typing_indicator(ctx: Ctx, channel_id: a.Snowflake) -> None:
    """Shows for some seconds that the caller is typing. Nothing is kept of it.

    channel_id: The channel's id.
    """
    row = a.channel(ctx, channel_id)
    a.channel(ctx, channel_id, a.SEND_MESSAGES_IN_THREADS if row.type in a.THREADS else a.SEND_MESSAGES)


# Permissions


@app.put("/channels/{channel_id}/permissions/{overwrite_id}", tool="edit_channel_permissions", status=204)
def edit_channel_permissions(
    ctx: Ctx,
    channel_id: a.Snowflake,
    overwrite_id: a.Snowflake,
    type: int,
    allow: c.Bits = None,
    deny: c.Bits = None,
) -> None:
    """Sets what a role or a member may do in a channel (needs Manage Roles). View Channel is 1024, Send Messages 2048.

    channel_id: The channel's id.
    overwrite_id: The role's or user's id.
    type: 0 for a role, 1 for a member.
    allow: Permission bits given, as a decimal number.
    deny: Permission bits taken, as a decimal number.
    """
    row = a.guild_channel(ctx, channel_id, a.MANAGE_ROLES)
    if row.type in a.THREADS:
        raise err(50024)
    wanted = c.checked(ctx, overwrite_id, type, c.bits(allow, "allow"), c.bits(deny, "deny"))
    found = ctx.db.get(Overwrite, (channel_id, overwrite_id))
    if found is None:
        ctx.db.add(Overwrite(channel_id=channel_id, **wanted))
        audit.log(ctx, audit.OVERWRITE_CREATE, channel_id, id=overwrite_id, type=str(type))
    elif (found.allow, found.deny) != (wanted["allow"], wanted["deny"]):
        changes = audit.changed(found, allow=wanted["allow"], deny=wanted["deny"])
        ctx.db.update(found, allow=wanted["allow"], deny=wanted["deny"])
        audit.log(ctx, audit.OVERWRITE_UPDATE, channel_id, changes, id=overwrite_id, type=str(type))


@app.delete("/channels/{channel_id}/permissions/{overwrite_id}", tool="delete_channel_permission", status=204)
def delete_channel_permission(ctx: Ctx, channel_id: a.Snowflake, overwrite_id: a.Snowflake) -> None:
    """Takes away a role's or member's overwrite in a channel (needs Manage Roles).

    channel_id: The channel's id.
    overwrite_id: The role's or user's id.
    """
    a.guild_channel(ctx, channel_id, a.MANAGE_ROLES)
    found = ctx.db.get(Overwrite, (channel_id, overwrite_id))
    if found is None:
        raise err(10009)
    a.grants(ctx, found.allow | found.deny)
    ctx.db.delete(found)
    audit.log(ctx, audit.OVERWRITE_DELETE, channel_id, id=overwrite_id, type=str(found.type))
