"""Snowflakes, who calls, and what that person may do where: roles and overwrites, computed as Discord does.

https://discord.com/developers/docs/topics/permissions
"""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import StringConstraints

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Person

from .app import err
from .models import Ban, Channel, Guild, Member, Message, Overwrite, Recipient, Role, Thread_Member, User

Snowflake = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,20}$")]
EPOCH = 1_420_070_400_000
_SHIFT, _LOW = 22, (1 << 22) - 1

CREATE_INSTANT_INVITE, KICK_MEMBERS, BAN_MEMBERS, ADMINISTRATOR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
MANAGE_CHANNELS, MANAGE_GUILD, ADD_REACTIONS, VIEW_AUDIT_LOG = 1 << 4, 1 << 5, 1 << 6, 1 << 7
VIEW_CHANNEL, SEND_MESSAGES, SEND_TTS_MESSAGES, MANAGE_MESSAGES = 1 << 10, 1 << 11, 1 << 12, 1 << 13
EMBED_LINKS, ATTACH_FILES, READ_MESSAGE_HISTORY, MENTION_EVERYONE = 1 << 14, 1 << 15, 1 << 16, 1 << 17
CHANGE_NICKNAME, MANAGE_NICKNAMES, MANAGE_ROLES, MANAGE_WEBHOOKS = 1 << 26, 1 << 27, 1 << 28, 1 << 29
MANAGE_EXPRESSIONS, MANAGE_EVENTS, MANAGE_THREADS, CREATE_PUBLIC_THREADS = 1 << 30, 1 << 33, 1 << 34, 1 << 35
CREATE_PRIVATE_THREADS, SEND_MESSAGES_IN_THREADS, MODERATE_MEMBERS = 1 << 36, 1 << 38, 1 << 40
CREATE_EXPRESSIONS, CREATE_EVENTS, PIN_MESSAGES = 1 << 43, 1 << 44, 1 << 51
ALL = (1 << 53) - 1

# What @everyone of a fresh server may do: take part, invite, start threads; voice and emoji bits included.
EVERYONE = (
    CREATE_INSTANT_INVITE | ADD_REACTIONS | VIEW_CHANNEL | SEND_MESSAGES | EMBED_LINKS | ATTACH_FILES | CHANGE_NICKNAME
    | READ_MESSAGE_HISTORY | MENTION_EVERYONE | CREATE_PUBLIC_THREADS | CREATE_PRIVATE_THREADS | SEND_MESSAGES_IN_THREADS
    | CREATE_EVENTS | 1 << 9 | 1 << 18 | 1 << 20 | 1 << 21 | 1 << 25 | 1 << 31 | 1 << 32 | 1 << 37 | 1 << 39 | 1 << 46 | 1 << 49
)  # fmt: skip
# Administrators of the organisation run the server, but are let into private channels like everybody else: no ADMINISTRATOR bit.
ADMIN = (
    EVERYONE | KICK_MEMBERS | BAN_MEMBERS | MANAGE_CHANNELS | MANAGE_GUILD | VIEW_AUDIT_LOG | MANAGE_MESSAGES | MANAGE_NICKNAMES
    | MANAGE_ROLES | MANAGE_WEBHOOKS | MANAGE_EXPRESSIONS | MANAGE_EVENTS | MANAGE_THREADS | MODERATE_MEMBERS | CREATE_EXPRESSIONS
    | PIN_MESSAGES
)  # fmt: skip
_IN_DIRECT = EVERYONE & ~(CREATE_PUBLIC_THREADS | CREATE_PRIVATE_THREADS | CREATE_INSTANT_INVITE) | PIN_MESSAGES
_WHILE_TIMED_OUT = VIEW_CHANNEL | READ_MESSAGE_HISTORY

TEXT, DM, VOICE, GROUP_DM, CATEGORY, NEWS, STAGE, FORUM = 0, 1, 2, 3, 4, 5, 13, 15
NEWS_THREAD, PUBLIC_THREAD, PRIVATE_THREAD = 10, 11, 12
THREADS, DIRECT = (NEWS_THREAD, PUBLIC_THREAD, PRIVATE_THREAD), (DM, GROUP_DM)


# Snowflakes


def snowflake(ctx: Ctx, at: datetime | None = None) -> str:
    """The next id: the milliseconds since Discord's epoch, then a count that keeps ids of one moment apart and in order."""
    moment = at or ctx.now
    millis = max(0, int(moment.timestamp() * 1000) - EPOCH)
    return str(millis << _SHIFT | ctx.sequence("snowflake") & _LOW)


def moment(id: str) -> datetime:
    """When the thing with this id was made."""
    return datetime.fromtimestamp(((int(id) >> _SHIFT) + EPOCH) / 1000, UTC)


def stamp(at: datetime) -> str:
    """A time as Discord writes it."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f") + "+00:00"


# Who and where


def me(ctx: Ctx) -> str:
    """The calling user's id: a token acts as the episode's agent."""
    return ctx.ref(Person, ctx.agent)


def on_mcp(ctx: Ctx) -> bool:
    return not ctx.request.method


def the_guild(ctx: Ctx) -> Guild:
    found = ctx.db.first(Guild)
    assert found is not None
    return found


def guild(ctx: Ctx, guild_id: str, needed: int = 0) -> Guild:
    """The guild, where the caller has these permissions in it."""
    found = ctx.require(Guild, guild_id)
    if ctx.db.get(Member, me(ctx)) is None:
        raise err(50001)
    if needed & ~base(ctx, me(ctx)):
        raise err(50013)
    return found


def user(ctx: Ctx, user_id: str) -> User:
    return ctx.require(User, user_id)


def member(ctx: Ctx, user_id: str) -> Member:
    """The member; 10013 for no user at all, 10007 for one who is not in the server."""
    user(ctx, user_id)
    return ctx.require(Member, user_id)


def role(ctx: Ctx, role_id: str) -> Role:
    return ctx.require(Role, role_id)


# Permissions


def base(ctx: Ctx, user_id: str) -> int:
    """What a user may do in the server at large."""
    found, server = ctx.db.get(Member, user_id), the_guild(ctx)
    if found is None:
        return 0
    if server.owner_id == user_id:
        return ALL
    bits = 0
    for one in ctx.db.find(Role, id__in=[server.id, *found.roles]):
        bits |= one.permissions
    return ALL if bits & ADMINISTRATOR else _timed_out(ctx, found, bits)


def _timed_out(ctx: Ctx, found: Member, bits: int) -> int:
    until = found.communication_disabled_until
    return bits & _WHILE_TIMED_OUT if until and ctx.parse_time(until) > ctx.now else bits


def permissions(ctx: Ctx, channel: Channel, user_id: str) -> int:
    """What a user may do in a channel: nothing where it is not to be seen."""
    if channel.type in DIRECT:
        return _IN_DIRECT if ctx.db.get(Recipient, (channel.id, user_id)) else 0
    bits = base(ctx, user_id)
    if bits == ALL:
        return ALL
    place = ctx.db.get(Channel, channel.parent_id) if channel.type in THREADS and channel.parent_id else channel
    found = ctx.db.get(Member, user_id)
    if place is None or found is None:
        return 0
    bits = _overwritten(ctx, place.id, found, bits)
    if not bits & VIEW_CHANNEL:
        return 0
    if channel.type == PRIVATE_THREAD and not bits & MANAGE_THREADS:
        joined = ctx.db.get(Thread_Member, (channel.id, user_id))
        return _timed_out(ctx, found, bits) if joined else 0
    return _timed_out(ctx, found, bits)


def _overwritten(ctx: Ctx, channel_id: str, found: Member, bits: int) -> int:
    """@everyone's overwrite, then those of the roles together, then the member's own."""
    rules = {o.id: o for o in ctx.db.find(Overwrite, channel_id=channel_id)}
    everyone = rules.get(the_guild(ctx).id)
    if everyone:
        bits = bits & ~everyone.deny | everyone.allow
    allow = deny = 0
    for one in found.roles:
        if one in rules:
            allow, deny = allow | rules[one].allow, deny | rules[one].deny
    bits = bits & ~deny | allow
    own = rules.get(found.user_id)
    return bits & ~own.deny | own.allow if own else bits


def visible(ctx: Ctx, channel: Channel) -> bool:
    return bool(permissions(ctx, channel, me(ctx)) & VIEW_CHANNEL)


def channel(ctx: Ctx, channel_id: str, needed: int = 0) -> Channel:
    """The channel, where the caller may see it (else 50001) and has these permissions in it (else 50013)."""
    found = ctx.require(Channel, channel_id)
    bits = permissions(ctx, found, me(ctx))
    if not bits & VIEW_CHANNEL:
        raise err(50001)
    if needed & ~bits:
        raise err(50013)
    return found


def guild_channel(ctx: Ctx, channel_id: str, needed: int = 0) -> Channel:
    """A channel of the server; 50003 for a direct message."""
    found = ctx.require(Channel, channel_id)
    if found.type in DIRECT:
        raise err(50003 if ctx.db.get(Recipient, (found.id, me(ctx))) else 50001)
    return channel(ctx, channel_id, needed)


def message(ctx: Ctx, channel_id: str, message_id: str, needed: int = READ_MESSAGE_HISTORY) -> Message:
    """A message in a channel that the caller may see, and where they may read."""
    channel(ctx, channel_id, needed)
    found = ctx.require(Message, message_id)
    if found.channel_id != channel_id:
        raise err(10008)
    return found


# The hierarchy of roles


def rank(ctx: Ctx, user_id: str) -> int:
    """The position of a user's highest role; the owner stands above all."""
    if the_guild(ctx).owner_id == user_id:
        return 1 << 31
    found = ctx.db.get(Member, user_id)
    return max((r.position for r in ctx.db.find(Role, id__in=found.roles)), default=0) if found else 0


def above(ctx: Ctx, target: User) -> None:
    """Only those below oneself may be moderated."""
    if target.id != me(ctx) and rank(ctx, me(ctx)) <= rank(ctx, target.id):
        raise err(50013)


def governs(ctx: Ctx, one: Role) -> None:
    """Only roles below one's own highest may be changed or given."""
    if rank(ctx, me(ctx)) <= one.position:
        raise err(50013)


def grants(ctx: Ctx, bits: int, before: int = 0) -> None:
    """Nobody gives away what they have not themselves."""
    if (bits ^ before) & ~base(ctx, me(ctx)):
        raise err(50013)


def banned(ctx: Ctx, user_id: str) -> bool:
    return ctx.db.get(Ban, user_id) is not None
