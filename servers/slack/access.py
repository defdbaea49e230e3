"""Who calls, and what that person may see and do: the checks that many methods share."""

import re
from typing import Any
from zoneinfo import ZoneInfo

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Person

from .app import err
from .models import Conversation, Member, Message, Notice, User

SLACKBOT = "USLACKBOT"
_TS = re.compile(r"[0-9]{1,10}\.[0-9]{1,6}|[0-9]{1,10}")


def me(ctx: Ctx) -> str:
    """The calling user's id: a token acts as the episode's agent."""
    return ctx.ref(Person, ctx.agent)


def is_admin(ctx: Ctx) -> bool:
    return user(ctx, me(ctx)).is_admin


def zone(ctx: Ctx) -> ZoneInfo:
    """The caller's time zone, in which days and hours are meant."""
    try:
        return ZoneInfo(user(ctx, me(ctx)).tz)
    except (OSError, ValueError, KeyError):
        return ZoneInfo("UTC")


def on_mcp(ctx: Ctx) -> bool:
    """Whether an agent calls over MCP: lists are then shorter by default and objects leave out what is empty."""
    return not ctx.request.method


def user(ctx: Ctx, user_id: str, code: str = "user_not_found") -> User:
    found = ctx.db.get(User, user_id)
    if found is None:
        raise err(code)
    return found


def users(ctx: Ctx, given: str, code: str = "user_not_found") -> list[User]:
    """The users of a comma-separated list of ids, each once."""
    return [user(ctx, one, code) for one in ids(given)]


def ids(given: str) -> list[str]:
    """A comma-separated list's parts, each once. A JSON array's brackets and quotes are shed, as the Web API does."""
    return list(dict.fromkeys(part.strip(" \"'[]") for part in given.split(",") if part.strip(" \"'[]")))


def is_member(ctx: Ctx, channel: str, user_id: str) -> bool:
    return ctx.db.get(Member, (channel, user_id)) is not None


def visible(ctx: Ctx, channel: Conversation) -> bool:
    """Public channels are everyone's; all others exist for their members alone."""
    return channel.kind == "public" or is_member(ctx, channel.id, me(ctx))


def conversation(ctx: Ctx, channel_id: str, code: str = "channel_not_found") -> Conversation:
    """The conversation; one the caller may not see is as if it were not there."""
    found = ctx.db.get(Conversation, channel_id)
    if found is None or not visible(ctx, found):
        raise err(code)
    return found


def own_channel(
    ctx: Ctx, channel_id: str, *, archived: str = "is_archived", kinds: tuple[str, ...] = ()
) -> Conversation:
    """A conversation the caller is in and may change: not archived, of one of the kinds where these are given."""
    channel = conversation(ctx, channel_id)
    if kinds and channel.kind not in kinds:
        raise err("method_not_supported_for_channel_type")
    if not is_member(ctx, channel.id, me(ctx)):
        raise err("not_in_channel")
    if archived and channel.is_archived:
        raise err(archived)
    return channel


def valid_ts(text: str, code: str) -> str:
    """A timestamp in its full form, `seconds.micros`, so that it compares as text."""
    if not _TS.fullmatch(text):
        raise err(code)
    seconds, _, micros = text.partition(".")
    return f"{seconds.zfill(10)}.{micros.ljust(6, '0')}"


def message(
    ctx: Ctx, channel: str, ts: str, *, bad: str = "message_not_found", absent: str = "message_not_found"
) -> Message:
    """A message by channel and timestamp."""
    found = ctx.db.get(Message, (channel, valid_ts(ts, bad)))
    if found is None or found.subtype == "tombstone":
        raise err(absent)
    return found


def names(ctx: Ctx, kinds: tuple[str, ...] = ("public",)) -> tuple[dict[str, str], dict[str, str]]:
    """What `@handle` and `#channel` stand for: ids of users, and of channels of these kinds, by name."""
    channels = {c.name: c.id for c in ctx.db.find(Conversation) if c.kind in kinds}
    return {u.name: u.id for u in ctx.db.find(User)}, channels


def next_ts(ctx: Ctx, channel: str, seconds: int) -> str:
    """The timestamp of a message written now: unique in the workspace, later than all in its channel."""
    last = max((row["ts"] for row in _last(ctx, channel) if row["ts"]), default="")
    whole, _, micros = max(f"{seconds:010d}.000000", last).partition(".")
    at, n = int(whole), int(micros) + 100
    while True:
        if n > 999_999:
            at, n = at + 1, 100
        ts = f"{at:010d}.{n:06d}"
        if not ctx.db.count(Message, ts=ts) and not ctx.db.count(Notice, ts=ts):
            return ts
        n += 100


def _last(ctx: Ctx, channel: str) -> list[dict[str, Any]]:
    sql = (
        'SELECT max(ts) AS ts FROM "message" WHERE channel = ? UNION ALL SELECT max(ts) FROM "notice" WHERE channel = ?'
    )
    return ctx.db.query(sql, (channel, channel))


def notice(ctx: Ctx, channel: str, subtype: str, text: str, by: str = "", **extra: str) -> None:
    """Slack's own line in a channel about a change that a caller made."""
    who = by or me(ctx)
    ctx.db.add(
        Notice(
            channel=channel, ts=next_ts(ctx, channel, ctx.epoch()), user=who, subtype=subtype, text=text, extra=extra
        )
    )
