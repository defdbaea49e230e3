"""Direct messages and invites: how people come together. https://discord.com/developers/docs/resources/invite"""

from typing import Annotated, Any

from legoenv_mcp.app import LOWER36, Body, Ctx, Field

from .. import access as a
from .. import audit, resources
from ..app import app, err
from ..models import Channel, Invite, Member, Recipient, User

# Direct messages


@app.post("/users/@me/channels", tool="create_dm", idempotent=True)
def create_dm(ctx: Ctx, recipient_id: Annotated[a.Snowflake, Body()]) -> dict[str, Any]:
    """Opens the direct message with a user, to send messages to; the one that is there where there is one.

    recipient_id: The user's id.
    """
    other = ctx.db.get(User, recipient_id)
    if other is None or other.id == a.me(ctx):
        raise err(50033)
    for mine in ctx.db.find(Recipient, user_id=a.me(ctx)):
        row = ctx.require(Channel, mine.channel_id)
        if row.type == a.DM and ctx.db.get(Recipient, (row.id, other.id)):
            return resources.channel(ctx, row)
    if ctx.db.get(Member, other.id) is None:
        raise err(50007)
    row = ctx.db.add(Channel(id=a.snowflake(ctx), type=a.DM))
    for one in (a.me(ctx), other.id):
        ctx.db.add(Recipient(channel_id=row.id, user_id=one))
    return resources.channel(ctx, row)


@app.get("/users/@me/channels", tool="list_dms")
def list_dms(ctx: Ctx) -> list[dict[str, Any]]:
    """Lists the caller's direct messages and group conversations."""
    mine = sorted((r.channel_id for r in ctx.db.find(Recipient, user_id=a.me(ctx))), key=int)
    return [resources.channel(ctx, ctx.require(Channel, one)) for one in mine]


# Invites


@app.post("/channels/{channel_id}/invites", tool="create_channel_invite")
def create_channel_invite(
    ctx: Ctx,
    channel_id: a.Snowflake,
    max_age: Annotated[int, Field(ge=0, le=604800)] = 86400,
    max_uses: Annotated[int, Field(ge=0, le=100)] = 0,
    temporary: bool = False,
    unique: bool = False,
) -> dict[str, Any]:
    """Makes an invite to the server that leads to a channel; a like one of the caller's is given again unless `unique`.

    channel_id: The channel's id.
    max_age: Seconds until it expires; 0 never.
    max_uses: How often it can be used; 0 without limit.
    temporary: Whether those who come get only temporary membership.
    unique: Whether to make a new one in any case.
    """
    row = a.guild_channel(ctx, channel_id, a.CREATE_INSTANT_INVITE)
    if row.type in (*a.THREADS, a.CATEGORY):
        raise err(50024)
    known = {"max_age": max_age, "max_uses": max_uses, "temporary": temporary, "inviter_id": a.me(ctx)}
    same = None if unique else ctx.db.first(Invite, channel_id=channel_id, **known)
    if same is not None and not _expired(ctx, same):
        return resources.invite(ctx, same)
    code = ctx.id("", 8, LOWER36, kind="invite")
    made = ctx.db.add(Invite(code=code, channel_id=channel_id, created_at=a.stamp(ctx.now), **known))
    audit.log(ctx, audit.INVITE_CREATE, None, [{"key": "code", "new_value": code}])
    return resources.invite(ctx, made)


def _expired(ctx: Ctx, row: Invite) -> bool:
    return bool(row.max_age) and (ctx.now - ctx.parse_time(row.created_at)).total_seconds() > row.max_age


@app.get("/channels/{channel_id}/invites", tool="list_channel_invites", mcp=False)
def list_channel_invites(ctx: Ctx, channel_id: a.Snowflake) -> list[dict[str, Any]]:
    """Lists a channel's invites (needs Manage Channels).

    channel_id: The channel's id.
    """
    a.guild_channel(ctx, channel_id, a.MANAGE_CHANNELS)
    rows = ctx.db.find(Invite, channel_id=channel_id)
    return [resources.invite(ctx, row) for row in rows if not _expired(ctx, row)]


@app.get("/guilds/{guild_id}/invites", tool="list_guild_invites", mcp=False)
def list_guild_invites(ctx: Ctx, guild_id: a.Snowflake) -> list[dict[str, Any]]:
    """Lists the server's invites (needs Manage Server).

    guild_id: The server's id.
    """
    a.guild(ctx, guild_id, a.MANAGE_GUILD)
    return [resources.invite(ctx, row) for row in ctx.db.find(Invite) if not _expired(ctx, row)]


def _invite(ctx: Ctx, code: str) -> Invite:
    row = ctx.require(Invite, code)
    if _expired(ctx, row):
        raise err(10006)
    return row


@app.get("/invites/{code}", tool="get_invite", mcp=False)
def get_invite(ctx: Ctx, code: str) -> dict[str, Any]:
    """Gets an invite by its code.

    code: The invite's code.
    """
    return resources.invite(ctx, _invite(ctx, code), metadata=False)


@app.delete("/invites/{code}", tool="delete_invite", mcp=False)
def delete_invite(ctx: Ctx, code: str) -> dict[str, Any]:
    """Revokes an invite (needs Manage Channels in its channel, or Manage Server).

    code: The invite's code.
    """
    row = _invite(ctx, code)
    if not a.base(ctx, a.me(ctx)) & a.MANAGE_GUILD:
        a.channel(ctx, row.channel_id, a.MANAGE_CHANNELS)
    shown = resources.invite(ctx, row, metadata=False)
    ctx.db.delete(row)
    audit.log(ctx, audit.INVITE_DELETE, None, [{"key": "code", "old_value": code}])
    return shown
