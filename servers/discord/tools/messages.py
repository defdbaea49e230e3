"""Messages. https://discord.com/developers/docs/resources/message"""

import base64
from datetime import timedelta
from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Ctx, Field, Payload, Reply, ToolOnly

from .. import access as a
from .. import audit, forwarding, message_object, posting
from ..app import app, err, form
from ..models import Attachment, Channel, Message, Notice
from ..posting import AllowedMentions, Embed, File, Reference

_TWO_WEEKS = timedelta(days=14)
Limit = Annotated[int, Field(ge=1, le=100)]
Content = Annotated[str | None, Field(description="The text, Markdown, at most 2000 characters")]


def _slice(ctx: Ctx, channel_id: str, limit: int, order: str, **bounds: Any) -> list[Message | Notice]:
    found = [
        *ctx.db.find(Message, channel_id=channel_id, order=order, limit=limit, **bounds),
        *ctx.db.find(Notice, channel_id=channel_id, order=order, limit=limit, **bounds),
    ]
    return sorted(found, key=lambda row: row.seq, reverse=order.startswith("-"))[:limit]


@app.get("/channels/{channel_id}/messages", tool="get_channel_messages")
def get_channel_messages(
    ctx: Ctx,
    channel_id: a.Snowflake,
    around: a.Snowflake | None = None,
    before: a.Snowflake | None = None,
    after: a.Snowflake | None = None,
    limit: Limit = 50,
) -> list[dict[str, Any]]:
    """Reads messages of a channel, thread or direct message, newest first. To read on, pass the oldest id as `before`.

    A thread that began from a message is a channel of its own with that message's id.
    Types: 0 message, 19 reply; Discord's own lines are 6 (a message was pinned), 18 (a thread began), 21 (what a thread is about).

    channel_id: The channel's id.
    around: Messages about this message's id.
    before: Messages before this message's id.
    after: Messages after this message's id; the earliest of them.
    limit: How many, 1 to 100.
    """
    channel = a.channel(ctx, channel_id)
    if channel.type in (a.CATEGORY, a.FORUM):
        raise err(50008)
    if not a.permissions(ctx, channel, a.me(ctx)) & a.READ_MESSAGE_HISTORY:
        return []
    if sum(one is not None for one in (around, before, after)) > 1:
        raise form("around", "MUTUALLY_EXCLUSIVE", "Only one of around, before and after may be given.")
    if around is not None:
        at = _bound(around)
        older = _slice(ctx, channel_id, limit // 2 + 1, "-seq", seq__le=at)
        newer = _slice(ctx, channel_id, max(limit - len(older), 0), "seq", seq__gt=at)
        rows = [*reversed(newer), *older]
    elif after is not None:
        rows = _slice(ctx, channel_id, limit, "seq", seq__gt=_bound(after))[::-1]
    else:
        rows = _slice(ctx, channel_id, limit, "-seq", seq__lt=_bound(before) if before else None)
    return [message_object.message(ctx, row, quoting=not a.on_mcp(ctx)) for row in rows]


def _bound(id: str) -> int:
    """A snowflake as a number that a column can be compared with."""
    return min(int(id), 2**63 - 1)


@app.get("/channels/{channel_id}/messages/{message_id}", tool="get_channel_message")
def get_channel_message(ctx: Ctx, channel_id: a.Snowflake, message_id: a.Snowflake) -> dict[str, Any]:
    """Gets one message with its reactions, attachments and the message that it replies to.

    channel_id: The channel's id.
    message_id: The message's id.
    """
    notice = ctx.db.get(Notice, message_id)
    if notice is not None and notice.channel_id == channel_id:
        a.channel(ctx, channel_id, a.READ_MESSAGE_HISTORY)
        return message_object.message(ctx, notice)
    return message_object.message(ctx, a.message(ctx, channel_id, message_id))


@app.post("/channels/{channel_id}/messages", tool="create_message", effect="send")
def create_message(
    ctx: Ctx,
    channel_id: a.Snowflake,
    content: Content = None,
    embeds: list[Embed] | None = None,
    message_reference: Reference | None = None,
    files: Annotated[list[File] | None, ToolOnly()] = None,
    allowed_mentions: AllowedMentions | None = None,
    flags: int | None = 0,
    tts: bool | None = False,
    nonce: Annotated[str | int | None, Field(description="A value that comes back")] = None,
    enforce_nonce: bool | None = False,
    payload: Annotated[Any, Payload(mcp=False)] = None,
) -> dict[str, Any]:
    """Sends a message to a channel, thread or direct message. It needs content, embeds or files.

    Writing in an archived thread reopens it, unless it is locked. Mention a user as <@id>, a role as <@&id>, a channel as <#id>.

    channel_id: The channel's id.
    content: The text, Markdown, at most 2000 characters.
    embeds: Up to 10 rich embeds.
    message_reference: The message of the same channel to reply to; with type 1 the message of any channel to forward.
    files: Files to attach, at most 10.
    allowed_mentions: Which mentions notify; all, where left out.
    flags: 4 suppresses embeds of links, 4096 notifications.
    tts: Whether it is read aloud.
    nonce: A value of at most 25 characters that comes back in the answer.
    enforce_nonce: Whether a nonce that was used already gives the message it made, instead of another.
    payload: The body as a whole, for multipart forms.
    """
    fields = posting.sent_as_form(payload)
    if fields is not None:
        made = posting.again(ctx, fields, channel_id=channel_id)
        return message_object.message(ctx, ctx.require(Message, made))
    channel, bits = posting.place(ctx, channel_id)
    text, rich, attached = posting.check_text(content), posting.check_embeds(ctx, embeds), posting.check_files(files)
    if nonce is not None and len(str(nonce)) > 25:
        raise form("nonce", "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
    shown = posting.check_flags(flags)
    copied = forwarding.forwarded(ctx, message_reference, alone=not (text or rich or attached))
    original = None if copied else posting.answered(ctx, channel, message_reference)
    if not (text or rich or attached or copied):
        raise err(50006)
    if (attached and not bits & a.ATTACH_FILES) or (tts and not bits & a.SEND_TTS_MESSAGES):
        raise err(50013)
    if enforce_nonce and nonce is not None:
        earlier = ctx.db.first(Message, order="-seq", author_id=a.me(ctx), channel_id=channel_id, nonce=str(nonce))
        if earlier is not None:
            return message_object.message(ctx, earlier)
    row = posting.publish(
        ctx,
        channel,
        attached,
        author_id=a.me(ctx),
        type=message_object.REPLY if original else 0,
        content=text,
        embeds=rich,
        reference_id=original.id if original else None,
        forwarded=copied,
        flags=shown | (forwarding.HAS_SNAPSHOT if copied else 0),
        tts=bool(tts),
        nonce=str(nonce) if nonce is not None else None,
        **posting.mentions(ctx, text, allowed_mentions, bits, posting.notified(ctx, original)),
    )
    return message_object.message(ctx, row)


@app.patch("/channels/{channel_id}/messages/{message_id}", tool="edit_message")
def edit_message(
    ctx: Ctx,
    channel_id: a.Snowflake,
    message_id: a.Snowflake,
    content: Annotated[str | None | MISSING, Field(description="The new text; null takes it away")] = MISSING,
    embeds: list[Embed] | None | MISSING = MISSING,
    flags: int | None | MISSING = MISSING,
    allowed_mentions: Annotated[AllowedMentions | None, Field(description="Which mentions notify")] = None,
    attachments: Annotated[Any, Field(description="Attachments to keep")] = MISSING,
    payload: Annotated[Any, Payload(mcp=False)] = None,
) -> dict[str, Any]:
    """Edits a message of one's own; only what is sent changes. Moderators may set the flags of others' messages alone.

    channel_id: The channel's id.
    message_id: The message's id.
    content: The new text; null takes it away.
    embeds: The new embeds; an empty list takes them away.
    flags: 4 suppresses embeds, 0 shows them again.
    allowed_mentions: Which mentions notify.
    attachments: The attachments to keep, as a list of objects with ids; others are taken off.
    payload: The body as a whole, for multipart forms.
    """
    fields = posting.sent_as_form(payload)
    if fields is not None:
        return message_object.message(
            ctx, ctx.require(Message, posting.again(ctx, fields, channel_id=channel_id, message_id=message_id))
        )
    _no_notice(ctx, message_id)
    row = a.message(ctx, channel_id, message_id, needed=0)
    channel, bits = ctx.require(Channel, channel_id), a.permissions(ctx, ctx.require(Channel, channel_id), a.me(ctx))
    if row.author_id != a.me(ctx):
        if any(value is not MISSING for value in (content, embeds, attachments)) or flags is MISSING:
            raise err(50005)
        if not bits & a.MANAGE_MESSAGES:
            raise err(50013)
    _open(channel)
    changes = dict[str, Any]()
    if content is not MISSING:
        changes["content"] = posting.check_text(content)
        original = ctx.db.get(Message, row.reference_id) if row.reference_id else None
        changes |= posting.mentions(ctx, changes["content"], allowed_mentions, bits, posting.notified(ctx, original))
    if embeds is not MISSING:
        changes["embeds"] = posting.check_embeds(ctx, embeds)
    if flags is not MISSING:
        changes["flags"] = row.flags & ~posting.SUPPRESS_EMBEDS | (flags or 0) & posting.SUPPRESS_EMBEDS
    held = ctx.db.find(Attachment, message_id=row.id)
    kept = held if attachments is MISSING else [f for f in held if f.id in _ids(attachments)]
    if not (changes.get("content", row.content) or changes.get("embeds", row.embeds) or kept or row.forwarded):
        raise err(50006)
    for file in held:
        if file not in kept:
            ctx.db.delete(file)
    if changes.keys() - {"flags"} or len(kept) < len(held):
        changes["edited_timestamp"] = a.stamp(ctx.now)
    return message_object.message(ctx, ctx.db.update(row, **changes))


def _ids(attachments: Any) -> set[str]:
    return (
        {str(one.get("id")) for one in attachments if isinstance(one, dict)} if isinstance(attachments, list) else set()
    )


def _no_notice(ctx: Ctx, message_id: str) -> None:
    if ctx.db.get(Notice, message_id) is not None:
        raise err(50021)


def _open(channel: Channel) -> None:
    """Nothing in an archived thread changes."""
    if channel.type in a.THREADS and channel.archived:
        raise err(50083)


@app.delete("/channels/{channel_id}/messages/{message_id}", tool="delete_message", status=204)
def delete_message(ctx: Ctx, channel_id: a.Snowflake, message_id: a.Snowflake) -> None:
    """Deletes a message: one's own, or with Manage Messages anyone's.

    channel_id: The channel's id.
    message_id: The message's id.
    """
    notice = ctx.db.get(Notice, message_id)
    if notice is not None and notice.channel_id == channel_id:
        channel = a.channel(ctx, channel_id, a.MANAGE_MESSAGES if notice.author_id != a.me(ctx) else 0)
        _open(channel)
        ctx.db.delete(notice)
        return
    row = a.message(ctx, channel_id, message_id, needed=0)
    channel = ctx.require(Channel, channel_id)
    if row.author_id != a.me(ctx):
        if channel.type in a.DIRECT:
            raise err(50003)
        a.channel(ctx, channel_id, a.MANAGE_MESSAGES)
    _open(channel)
    posting.erase(ctx, row)
    if row.author_id != a.me(ctx):
        audit.log(ctx, audit.MESSAGE_DELETE, row.author_id, channel_id=channel_id, count="1")


@app.post("/channels/{channel_id}/messages/bulk-delete", tool="bulk_delete_messages", effect="delete", status=204)
def bulk_delete_messages(ctx: Ctx, channel_id: a.Snowflake, messages: list[a.Snowflake]) -> None:
    """Deletes 2 to 100 messages of a channel at once, none older than two weeks. Ids that are no longer there are skipped.

    channel_id: The channel's id.
    messages: Ids of the messages.
    """
    channel = a.guild_channel(ctx, channel_id, a.MANAGE_MESSAGES | a.READ_MESSAGE_HISTORY)
    if not 2 <= len(messages) <= 100:
        raise err(50016)
    if len(set(messages)) < len(messages):
        raise form("messages", "SET_TYPE_ALREADY_CONTAINS_VALUE", "The set already contains this value")
    if any(ctx.now - a.moment(one) > _TWO_WEEKS for one in messages if ctx.db.get(Message, one)):
        raise err(50034)
    _open(channel)
    gone = 0
    for one in messages:
        row, notice = ctx.db.get(Message, one), ctx.db.get(Notice, one)
        if row is not None and row.channel_id == channel_id:
            posting.erase(ctx, row)
            gone += 1
        elif notice is not None and notice.channel_id == channel_id:
            ctx.db.delete(notice)
            gone += 1
    if gone:
        audit.log(ctx, audit.MESSAGE_BULK_DELETE, channel_id, count=str(gone))


@app.post("/channels/{channel_id}/messages/{message_id}/crosspost", tool="crosspost_message", effect="transition")
def crosspost_message(ctx: Ctx, channel_id: a.Snowflake, message_id: a.Snowflake) -> dict[str, Any]:
    """Publishes a message of an announcement channel to the channels that follow it.

    channel_id: The announcement channel's id.
    message_id: The message's id.
    """
    row = a.message(ctx, channel_id, message_id)
    if ctx.require(Channel, channel_id).type != a.NEWS:
        raise err(50024)
    a.channel(ctx, channel_id, a.SEND_MESSAGES if row.author_id == a.me(ctx) else a.MANAGE_MESSAGES)
    if row.flags & posting.CROSSPOSTED:
        raise err(40033)
    return message_object.message(ctx, ctx.db.update(row, flags=row.flags | posting.CROSSPOSTED))


@app.get("/attachments/{channel_id}/{attachment_id}/{filename}", tool="download_attachment")
def download_attachment(ctx: Ctx, channel_id: a.Snowflake, attachment_id: a.Snowflake, filename: str) -> Reply:
    """Gets the content of a file on a message: its text as text.

    channel_id: The channel's id.
    attachment_id: The attachment's id.
    filename: The file's name, as the attachment tells it.
    """
    a.channel(ctx, channel_id, a.READ_MESSAGE_HISTORY)
    row = ctx.db.get(Attachment, attachment_id)
    if row is None or row.filename != filename or ctx.require(Message, row.message_id).channel_id != channel_id:
        raise err(10008)
    if row.binary:
        return Reply(base64.b64decode(row.content), media_type=row.content_type)
    return Reply(row.content.encode(), media_type=row.content_type)
