"""Reactions and pins. https://discord.com/developers/docs/resources/message#create-reaction"""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field

from .. import access as a
from .. import audit, emoji, message_object, resources
from ..app import app, err, form
from ..models import Channel, Emoji, Message, Notice, Reaction

PINS, REACTIONS = 50, 20
Sign = Annotated[str, Field(min_length=1, max_length=100)]


def _kept(ctx: Ctx, given: str, *, existing: bool = True) -> str:
    """An emoji as reactions keep it: Unicode, or `name:id` of one of the server's own."""
    if emoji.is_emoji(given):
        return emoji.same(given)
    word, _, id = given.rpartition(":")
    found = ctx.db.get(Emoji, id) if word else None
    if found is None:
        if word and id.isdecimal() and not existing:
            return given
        raise err(10014)
    return f"{found.name}:{found.id}"


def _open_message(ctx: Ctx, channel_id: str, message_id: str, needed: int = 0) -> Message:
    if ctx.db.get(Notice, message_id) is not None:
        a.channel(ctx, channel_id)
        raise err(50021)
    row = a.message(ctx, channel_id, message_id)
    channel = a.channel(ctx, channel_id, needed)
    if channel.type in a.THREADS and channel.archived:
        raise err(50083)
    return row


@app.put(
    "/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me", tool="create_reaction", effect="create",
    idempotent=True, status=204,
)  # fmt: skip
def create_reaction(ctx: Ctx, channel_id: a.Snowflake, message_id: a.Snowflake, emoji_name: Sign) -> None:
    """Reacts to a message with an emoji. Once is enough: the same again changes nothing.

    channel_id: The channel's id.
    message_id: The message's id.
    emoji_name: A Unicode emoji such as 👍, or name:id of one of the server's own.
    """
    row = _open_message(ctx, channel_id, message_id)
    sign = _kept(ctx, emoji_name)
    told = {r.emoji for r in ctx.db.find(Reaction, message_id=row.id)}
    if sign not in told:
        a.channel(ctx, channel_id, a.ADD_REACTIONS)
        if len(told) >= REACTIONS:
            raise err(30010)
    if ctx.db.get(Reaction, (row.id, sign, a.me(ctx))) is None:
        number = ctx.sequence("reaction")
        ctx.db.add(Reaction(message_id=row.id, emoji=sign, user_id=a.me(ctx), number=number))


@app.delete(
    "/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me", tool="delete_own_reaction", status=204
)
def delete_own_reaction(ctx: Ctx, channel_id: a.Snowflake, message_id: a.Snowflake, emoji_name: Sign) -> None:
    """Takes back one's own reaction.

    channel_id: The channel's id.
    message_id: The message's id.
    emoji_name: The emoji, Unicode or name:id.
    """
    row = _open_message(ctx, channel_id, message_id)
    found = ctx.db.get(Reaction, (row.id, _kept(ctx, emoji_name, existing=False), a.me(ctx)))
    if found is not None:
        ctx.db.delete(found)


@app.delete(
    "/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/{user_id}",
    tool="delete_user_reaction",
    status=204,
)
def delete_user_reaction(
    ctx: Ctx, channel_id: a.Snowflake, message_id: a.Snowflake, emoji_name: Sign, user_id: a.Snowflake
) -> None:
    """Takes away another user's reaction (needs Manage Messages).

    channel_id: The channel's id.
    message_id: The message's id.
    emoji_name: The emoji, Unicode or name:id.
    user_id: The user's id.
    """
    row = _open_message(ctx, channel_id, message_id, a.MANAGE_MESSAGES if user_id != a.me(ctx) else 0)
    a.user(ctx, user_id)
    found = ctx.db.get(Reaction, (row.id, _kept(ctx, emoji_name, existing=False), user_id))
    if found is not None:
        ctx.db.delete(found)


@app.get("/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}", tool="get_reactions")
def get_reactions(
    ctx: Ctx,
    channel_id: a.Snowflake,
    message_id: a.Snowflake,
    emoji_name: Sign,
    after: a.Snowflake | None = None,
    limit: Annotated[int, Field(ge=1, le=100)] = 25,
) -> list[dict[str, Any]]:
    """Lists the users who reacted to a message with an emoji, by user id.

    channel_id: The channel's id.
    message_id: The message's id.
    emoji_name: The emoji, Unicode or name:id.
    after: Users after this user's id.
    limit: How many, 1 to 100.
    """
    row = a.message(ctx, channel_id, message_id)
    sign = _kept(ctx, emoji_name, existing=False)
    found = sorted(int(r.user_id) for r in ctx.db.find(Reaction, message_id=row.id, emoji=sign))
    return [resources.user_by_id(ctx, str(one)) for one in found if one > int(after or 0)][:limit]


@app.delete(
    "/channels/{channel_id}/messages/{message_id}/reactions", tool="delete_all_reactions", status=204, mcp=False
)
def delete_all_reactions(ctx: Ctx, channel_id: a.Snowflake, message_id: a.Snowflake) -> None:
    """Takes away all reactions of a message (needs Manage Messages).

    channel_id: The channel's id.
    message_id: The message's id.
    """
    row = _open_message(ctx, channel_id, message_id, a.MANAGE_MESSAGES)
    ctx.db.delete_where(Reaction, message_id=row.id)


@app.delete(
    "/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}", tool="delete_emoji_reactions", status=204,
    mcp=False,
)  # fmt: skip
def delete_emoji_reactions(ctx: Ctx, channel_id: a.Snowflake, message_id: a.Snowflake, emoji_name: Sign) -> None:
    """Takes away all reactions with one emoji (needs Manage Messages).

    channel_id: The channel's id.
    message_id: The message's id.
    emoji_name: The emoji, Unicode or name:id.
    """
    row = _open_message(ctx, channel_id, message_id, a.MANAGE_MESSAGES)
    ctx.db.delete_where(Reaction, message_id=row.id, emoji=_kept(ctx, emoji_name, existing=False))


# Pins


def _may_pin(ctx: Ctx, channel_id: str) -> Channel:
    """Pinning needs Pin Messages, or as before its split Manage Messages."""
    channel = a.channel(ctx, channel_id)
    if not a.permissions(ctx, channel, a.me(ctx)) & (a.PIN_MESSAGES | a.MANAGE_MESSAGES):
        raise err(50013)
    return channel


def _pinned(ctx: Ctx, channel_id: str) -> list[Message]:
    a.channel(ctx, channel_id, a.READ_MESSAGE_HISTORY)
    return ctx.db.find(Message, channel_id=channel_id, pinned_at__null=False, order="-pinned_at,-seq")


@app.get("/channels/{channel_id}/messages/pins", tool="get_pinned_messages")
def get_pinned_messages(
    ctx: Ctx,
    channel_id: a.Snowflake,
    before: str | None = None,
    limit: Annotated[int, Field(ge=1, le=50)] = 50,
) -> dict[str, Any]:
    """Lists the pinned messages of a channel, the latest pin first.

    channel_id: The channel's id.
    before: Pins before this time (ISO 8601): `pinned_at` of the last one seen.
    limit: How many, 1 to 50.
    """
    rows = _pinned(ctx, channel_id)
    if before is not None:
        try:
            at = a.stamp(ctx.parse_time(before))
        except (ValueError, OverflowError):
            raise form("before", "DATE_TIME_TYPE_PARSE", f"Could not parse {before[:40]}. Should be ISO8601.") from None
        rows = [row for row in rows if row.pinned_at and row.pinned_at < at]
    items = [{"pinned_at": row.pinned_at, "message": message_object.message(ctx, row)} for row in rows[:limit]]
    return {"items": items, "has_more": len(rows) > limit}


@app.get("/channels/{channel_id}/pins", tool="get_pins", mcp=False)
def get_pins(ctx: Ctx, channel_id: a.Snowflake) -> list[dict[str, Any]]:
    """Lists the pinned messages of a channel (the older endpoint).

    channel_id: The channel's id.
    """
    return [message_object.message(ctx, row) for row in _pinned(ctx, channel_id)]


def _pin(ctx: Ctx, channel_id: str, message_id: str) -> None:
    _may_pin(ctx, channel_id)
    row = _open_message(ctx, channel_id, message_id)
    if row.pinned_at is not None:
        return
    if len(_pinned(ctx, channel_id)) >= PINS:
        raise err(30003)
    ctx.db.update(row, pinned_at=a.stamp(ctx.now))
    audit.notice(ctx, channel_id, audit.PINNED, channel=channel_id, to=row.id)
    if ctx.require(Channel, channel_id).type not in a.DIRECT:
        audit.log(ctx, audit.MESSAGE_PIN, row.author_id, channel_id=channel_id, message_id=row.id)


def _unpin(ctx: Ctx, channel_id: str, message_id: str) -> None:
    _may_pin(ctx, channel_id)
    row = _open_message(ctx, channel_id, message_id)
    if row.pinned_at is not None:
        ctx.db.update(row, pinned_at=None)
        if ctx.require(Channel, channel_id).type not in a.DIRECT:
            audit.log(ctx, audit.MESSAGE_UNPIN, row.author_id, channel_id=channel_id, message_id=row.id)


@app.put("/channels/{channel_id}/messages/pins/{message_id}", tool="pin_message", status=204)
def pin_message(ctx: Ctx, channel_id: a.Snowflake, message_id: a.Snowflake) -> None:
    """Pins a message in its channel, at most 50 of them (needs Pin Messages).

    channel_id: The channel's id.
    message_id: The message's id.
    """
    _pin(ctx, channel_id, message_id)


@app.delete("/channels/{channel_id}/messages/pins/{message_id}", tool="unpin_message", status=204)
def unpin_message(ctx: Ctx, channel_id: a.Snowflake, message_id: a.Snowflake) -> None:
    """Unpins a message (needs Pin Messages).

    channel_id: The channel's id.
    message_id: The message's id.
    """
    _unpin(ctx, channel_id, message_id)


@app.put("/channels/{channel_id}/pins/{message_id}", tool="pin_message_legacy", status=204, mcp=False)
def pin_message_legacy(ctx: Ctx, channel_id: a.Snowflake, message_id: a.Snowflake) -> None:
    """Pins a message in its channel (the older endpoint).

    channel_id: The channel's id.
    message_id: The message's id.
    """
    _pin(ctx, channel_id, message_id)


@app.delete("/channels/{channel_id}/pins/{message_id}", tool="unpin_message_legacy", status=204, mcp=False)
def unpin_message_legacy(ctx: Ctx, channel_id: a.Snowflake, message_id: a.Snowflake) -> None:
    """Unpins a message (the older endpoint).

    channel_id: The channel's id.
    message_id: The message's id.
    """
    _unpin(ctx, channel_id, message_id)
