"""reactions.*, pins.*, stars.*: marks on messages. https://docs.slack.dev/reference/methods?family=reactions"""

import re
from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field

from ..access import conversation, is_member, me, message, visible
from ..access import user as user_row
from ..app import app, err
from ..emoji import canonical
from ..file_object import file as file_json
from ..message_object import message as shown
from ..message_object import permalink
from ..models import Conversation, File, Message, Pin, Reaction, Star
from ..paging import cursor_slice, metadata, numbered, size

MAX_NAMES = 50
MAX_OWN = 23
MAX_PINS = 100
Count = Annotated[int, Field(ge=1, le=1000)]
PageNumber = Annotated[int, Field(ge=1, le=100)]


def _emoji(name: str) -> str:
    """A reaction's name, given with or without colons; a skin tone may follow."""
    plain = name.strip(":") if "::skin-tone" not in name else name.removeprefix(":").removesuffix(":")
    if not re.fullmatch(r"[a-z0-9_+'-]{1,100}(::skin-tone-[2-6])?", plain):
        raise err("invalid_name")
    return canonical(plain)


def _item(ctx: Ctx, channel: str | None, timestamp: str | None) -> tuple[Conversation, Message]:
    if not channel or not timestamp:
        raise err("no_item_specified")
    place = conversation(ctx, channel)
    return place, message(ctx, place.id, timestamp, bad="bad_timestamp")


@app.post("/api/reactions.add", tool="add_reaction", effect="create", also=("GET",))
def add_reaction(ctx: Ctx, channel: str, timestamp: str, name: str) -> None:
    """Reacts to a message with an emoji.

    channel: The id of the conversation that has the message.
    timestamp: The message's ts.
    name: The emoji's name without colons, such as thumbsup.
    """
    emoji = _emoji(name)
    place, row = _item(ctx, channel, timestamp)
    if place.is_archived:
        raise err("is_archived")
    if ctx.db.get(Reaction, (place.id, row.ts, emoji, me(ctx))) is not None:
        raise err("already_reacted")
    given = ctx.db.find(Reaction, channel=place.id, ts=row.ts)
    if sum(r.user == me(ctx) for r in given) >= MAX_OWN:
        raise err("too_many_reactions")
    if len({r.name for r in given} | {emoji}) > MAX_NAMES:
        raise err("too_many_emoji")
    ctx.db.add(Reaction(channel=place.id, ts=row.ts, name=emoji, user=me(ctx), added=ctx.epoch()))


@app.post("/api/reactions.remove", tool="remove_reaction", effect="delete", also=("GET",))
def remove_reaction(ctx: Ctx, name: str, channel: str, timestamp: str) -> None:
    """Takes back a reaction of yours.

    name: The emoji's name without colons.
    channel: The id of the conversation that has the message.
    timestamp: The message's ts.
    """
    emoji = _emoji(name)
    place, row = _item(ctx, channel, timestamp)
    found = ctx.db.get(Reaction, (place.id, row.ts, emoji, me(ctx)))
    if found is None:
        raise err("no_reaction")
    ctx.db.delete(found)


@app.get("/api/reactions.get", tool="get_reactions", also=("POST",), mcp=False)
def get_reactions(ctx: Ctx, channel: str, timestamp: str, full: bool = False) -> dict[str, Any]:
    """Gives a message with its reactions: who reacted with what.

    channel: The id of the conversation that has the message.
    timestamp: The message's ts.
    full: Whether to list all who reacted, which is always done.
    """
    place, row = _item(ctx, channel, timestamp)
    body = shown(ctx, row) | {"permalink": permalink(ctx, row)}
    return {"type": "message", "channel": place.id, "message": body}


@app.get("/api/reactions.list", tool="list_reactions", also=("POST",), mcp=False)
def list_reactions(
    ctx: Ctx,
    user: str | None = None,
    full: bool = False,
    count: Count = 100,
    page: PageNumber = 1,
    limit: int | None = None,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Lists what a user reacted to, newest first.

    user: The user's id; you if left out.
    full: Whether to list all who reacted, which is always done.
    count: How many a page.
    page: Which page.
    limit: How many, with a cursor.
    cursor: The next_cursor of the page before.
    """
    who = user_row(ctx, user).id if user else me(ctx)
    places = list(dict.fromkeys((r.channel, r.ts) for r in ctx.db.find(Reaction, user=who, order="-added")))
    rows = [
        m for channel, ts in places if _visible(ctx, channel) and (m := ctx.db.get(Message, (channel, ts))) is not None
    ]

    def item(row: Message) -> dict[str, Any]:
        return {
            "type": "message",
            "channel": row.channel,
            "message": shown(ctx, row) | {"permalink": permalink(ctx, row)},
        }

    if limit is not None or cursor:
        found = cursor_slice(rows, size(ctx, limit, 100, 20), cursor, "reactions")
        return {"items": [item(m) for m in found.items], **metadata(found.cursor)}
    items, paging = numbered(rows, count, page, item)
    return {"items": items, "paging": paging}


def _visible(ctx: Ctx, channel_id: str) -> bool:
    found = ctx.db.get(Conversation, channel_id)
    return found is not None and visible(ctx, found)


# Pins


def _own_place(ctx: Ctx, channel: str, timestamp: str | None) -> tuple[Conversation, Message]:
    place, row = _item(ctx, channel, timestamp)
    if not is_member(ctx, place.id, me(ctx)):
        raise err("not_in_channel")
    return place, row


@app.post("/api/pins.add", tool="add_pin", effect="create", also=("GET",))
def add_pin(ctx: Ctx, channel: str, timestamp: str | None = None) -> None:
    """Pins a message to its channel.

    channel: The channel's id.
    timestamp: The message's ts.
    """
    place, row = _own_place(ctx, channel, timestamp)
    if place.is_archived:
        raise err("is_archived")
    if ctx.db.get(Pin, (place.id, row.ts)) is not None:
        raise err("already_pinned")
    if ctx.db.count(Pin, channel=place.id) >= MAX_PINS:
        raise err("too_many_pins")
    ctx.db.add(Pin(channel=place.id, ts=row.ts, user=me(ctx), created=ctx.epoch()))


@app.post("/api/pins.remove", tool="remove_pin", effect="delete", also=("GET",))
def remove_pin(ctx: Ctx, channel: str, timestamp: str | None = None) -> None:
    """Takes a pinned message off its channel.

    channel: The channel's id.
    timestamp: The message's ts.
    """
    place, row = _own_place(ctx, channel, timestamp)
    if place.is_archived:
        raise err("is_archived")
    found = ctx.db.get(Pin, (place.id, row.ts))
    if found is None:
        raise err("no_pin")
    ctx.db.delete(found)


@app.get("/api/pins.list", tool="list_pins", also=("POST",))
def list_pins(ctx: Ctx, channel: str) -> dict[str, Any]:
    """Lists a channel's pinned messages, the last pinned first.

    channel: The channel's id.
    """
    place = conversation(ctx, channel)
    items = list[dict[str, Any]]()
    for pin in ctx.db.find(Pin, channel=place.id, order="-created,-ts"):
        row = ctx.db.get(Message, (pin.channel, pin.ts))
        if row is not None:
            body = shown(ctx, row) | {"permalink": permalink(ctx, row)}
            items.append(
                {
                    "type": "message",
                    "created": pin.created,
                    "created_by": pin.user,
                    "channel": place.id,
                    "message": body,
                }
            )
    return {"items": items}


# Stars


def _starred(ctx: Ctx, channel: str | None, file: str | None, timestamp: str | None) -> tuple[str, str]:
    """What a star lies on: channel and ts, a file, or a channel alone."""
    if file:
        if ctx.db.get(File, file) is None:
            raise err("file_not_found")
        return "", file
    if not channel:
        raise err("no_item_specified")
    place = conversation(ctx, channel)
    return place.id, message(ctx, place.id, timestamp, bad="bad_timestamp").ts if timestamp else ""


@app.post("/api/stars.add", tool="add_star", effect="create", also=("GET",), mcp=False)
def add_star(ctx: Ctx, channel: str | None = None, file: str | None = None, timestamp: str | None = None) -> None:
    """Saves a message, a file or a channel for later.

    channel: The conversation's id.
    file: A file's id.
    timestamp: A message's ts.
    """
    where, item = _starred(ctx, channel, file, timestamp)
    if ctx.db.get(Star, (me(ctx), where, item)) is not None:
        raise err("already_starred")
    ctx.db.add(Star(user=me(ctx), channel=where, item=item, created=ctx.epoch()))


@app.post("/api/stars.remove", tool="remove_star", effect="delete", also=("GET",), mcp=False)
def remove_star(ctx: Ctx, channel: str | None = None, file: str | None = None, timestamp: str | None = None) -> None:
    """Takes something off what you saved for later.

    channel: The conversation's id.
    file: A file's id.
    timestamp: A message's ts.
    """
    found = ctx.db.get(Star, (me(ctx), *_starred(ctx, channel, file, timestamp)))
    if found is None:
        raise err("not_starred")
    ctx.db.delete(found)


@app.get("/api/stars.list", tool="list_stars", also=("POST",), mcp=False)
def list_stars(
    ctx: Ctx, count: Count = 100, page: PageNumber = 1, limit: int | None = None, cursor: str | None = None
) -> dict[str, Any]:
    """Lists what you saved for later, newest first.

    count: How many a page.
    page: Which page.
    limit: How many, with a cursor.
    cursor: The next_cursor of the page before.
    """
    stars = ctx.db.find(Star, user=me(ctx), order="-created")

    def item(star: Star) -> dict[str, Any]:
        row, found = ctx.db.get(Message, (star.channel, star.item)), ctx.db.get(File, star.item)
        if row is not None:
            return {"type": "message", "channel": star.channel, "message": shown(ctx, row), "date_create": star.created}
        if found is not None:
            return {"type": "file", "file": file_json(ctx, found), "date_create": star.created}
        return {"type": "channel", "channel": star.channel, "date_create": star.created}

    if limit is not None or cursor:
        found = cursor_slice(stars, size(ctx, limit, 100, 20), cursor, "stars")
        return {"items": [item(s) for s in found.items], **metadata(found.cursor)}
    items, paging = numbered(stars, count, page, item)
    return {"items": items, "paging": paging}
