"""chat.*: sending, changing, removing messages. https://docs.slack.dev/reference/methods?family=chat"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, UPPER36, Ctx, Query

from ..access import conversation, is_admin, is_member, me, message, names, next_ts
from ..app import app, err
from ..blocks import Attachment, Block
from ..message_object import message as shown
from ..message_object import permalink
from ..models import Ephemeral, File, FileShare, Message, ScheduledMessage
from ..mrkdwn import mentioning
from ..paging import cursor_slice, metadata, size
from ..posting import content, event_metadata, post, remove, thread_root, writable

MAX_UPDATE = 4_000
FAR = 120 * 86_400
MAX_IN_WINDOW, WINDOW = 30, 300
"""How many messages may be scheduled for a conversation within five minutes."""
Unseen = Annotated[Any, Query(mcp=False)]
"""A parameter of the Web API that agents need not see."""


@app.post("/api/chat.postMessage", tool="post_message", effect="send", also=("GET",))
def post_message(
    ctx: Ctx,
    channel: str,
    text: str | None = None,
    blocks: list[Block] | str | None = None,
    attachments: list[Attachment] | str | None = None,
    thread_ts: str | None = None,
    reply_broadcast: bool = False,
    markdown_text: str | None = None,
    metadata: Unseen = None,
    link_names: Annotated[bool, Query(mcp=False)] = False,
    username: Annotated[str, Query(mcp=False)] = "",
    icon_emoji: Annotated[str, Query(mcp=False)] = "",
    icon_url: Annotated[str, Query(mcp=False)] = "",
) -> dict[str, Any]:
    """Posts a message to a channel, a direct message or a thread; needs text, blocks or attachments. Mention people
    as <@USER_ID>, channels as <#CHANNEL_ID>. You must be in the channel, and it must not be archived.

    channel: A conversation's id, a public channel's name, or a user's id to write to that person directly.
    text: The message in mrkdwn; with blocks, the fallback for notifications.
    blocks: Block Kit blocks.
    attachments: Legacy attachments.
    thread_ts: The parent message's ts, to reply in its thread.
    reply_broadcast: Whether a reply also shows in the channel.
    markdown_text: The message in standard Markdown, in place of text and blocks.
    metadata: An event_type with its event_payload.
    link_names: Whether @handle and #channel in the text become mentions.
    username: The name to show in place of the user's.
    icon_emoji: An emoji to show as the picture.
    icon_url: An image to show as the picture.
    """
    place = writable(ctx, channel)
    root = thread_root(ctx, place, thread_ts)
    columns = content(ctx, text, blocks, attachments, markdown_text)
    if link_names:
        columns["text"] = mentioning(columns["text"], *names(ctx))
    extra = {"event": event_metadata(metadata), "username": username, "icon_emoji": icon_emoji, "icon_url": icon_url}
    kind = "thread_broadcast" if root and reply_broadcast else None
    made = post(ctx, place.id, thread_ts=root, subtype=kind, **columns, **extra)
    return {"channel": place.id, "ts": made.ts, "message": shown(ctx, made)}


@app.post("/api/chat.meMessage", tool="me_message", effect="send", also=("GET",), mcp=False)
def me_message(ctx: Ctx, channel: str, text: str) -> dict[str, Any]:
    """Posts an action of the user, shown in italics.

    channel: A conversation's id or name.
    text: What the user does.
    """
    place = writable(ctx, channel)
    made = post(ctx, place.id, subtype="me_message", **content(ctx, text, None, None))
    return {"channel": place.id, "ts": made.ts}


@app.post("/api/chat.postEphemeral", tool="post_ephemeral", effect="send", also=("GET",))
def post_ephemeral(
    ctx: Ctx,
    channel: str,
    user: str,
    text: str | None = None,
    blocks: list[Block] | str | None = None,
    attachments: list[Attachment] | str | None = None,
    thread_ts: str | None = None,
    markdown_text: Annotated[str | None, Query(mcp=False)] = None,
) -> dict[str, Any]:
    """Shows a message in a channel to one of its members alone. It cannot be read back, changed or found later.

    channel: The channel's id.
    user: The id of the member who is to see it.
    text: The message in mrkdwn.
    blocks: Block Kit blocks.
    attachments: Legacy attachments.
    thread_ts: The parent message's ts, to show it in a thread.
    markdown_text: The message in standard Markdown.
    """
    place = writable(ctx, channel)
    if not is_member(ctx, place.id, user):
        raise err("user_not_in_channel")
    root = thread_root(ctx, place, thread_ts)
    columns = content(ctx, text, blocks, attachments, markdown_text)
    ts = next_ts(ctx, place.id, ctx.epoch())
    ctx.db.add(Ephemeral(channel=place.id, ts=ts, user=me(ctx), recipient=user, thread_ts=root, **columns))
    return {"message_ts": ts}


@app.post("/api/chat.update", tool="update_message", effect="update", also=("GET",))
def update_message(
    ctx: Ctx,
    channel: str,
    ts: str,
    text: str | MISSING = MISSING,
    blocks: list[Block] | str | MISSING = MISSING,
    attachments: list[Attachment] | str | MISSING = MISSING,
    markdown_text: Annotated[str | None, Query(mcp=False)] = None,
    metadata: Unseen = None,
    file_ids: Annotated[list[str] | str | None, Query(mcp=False)] = None,
    reply_broadcast: Annotated[bool, Query(mcp=False)] = False,
) -> dict[str, Any]:
    """Changes a message that you posted. Text without blocks drops the old blocks; attachments stay unless new ones are given.

    channel: The id of the conversation that has the message.
    ts: The message's ts.
    text: The new text in mrkdwn, at most 4,000 characters.
    blocks: The new blocks.
    attachments: The new attachments; an empty array removes the old ones.
    markdown_text: The new text in standard Markdown.
    metadata: The new event metadata.
    file_ids: The files the message is to have.
    reply_broadcast: Whether a reply is to show in the channel too, from now on; not together with new content.
    """
    place = conversation(ctx, channel)
    row = message(ctx, place.id, ts)
    if row.user != me(ctx):
        raise err("cant_update_message")
    if row.subtype not in (None, "thread_broadcast", "file_share", "me_message", "file_comment"):
        raise err("cant_update_message")
    if place.is_archived:
        raise err("is_inactive")
    sent = ctx.sent()
    changed = {"text", "blocks", "attachments", "markdown_text", "file_ids"} & {
        k for k, v in sent.items() if v is not None
    }
    columns: dict[str, Any] = {}
    if reply_broadcast:
        if changed:
            raise err("no_dual_broadcast_content_update")
        if not row.thread_ts:
            raise err("cant_broadcast_message")
        columns["subtype"] = "thread_broadcast"
    elif changed or metadata is None:
        columns = _content(ctx, row, sent, changed, markdown_text)
        if file_ids is not None:
            columns["files"] = _files(ctx, row, file_ids)
        if not sent.get("blocks"):  # what has blocks does not show that it was edited
            columns |= {"edited_by": me(ctx), "edited_ts": f"{ctx.epoch()}.000000"}
    if "metadata" in sent:
        columns["event"] = event_metadata(metadata) if metadata not in ({}, "{}") else None
    ctx.db.update(row, **columns)
    return {"channel": place.id, "ts": row.ts, "text": row.text, "message": shown(ctx, row)}


def _content(ctx: Ctx, row: Message, sent: dict[str, Any], changed: set[str], markdown: str | None) -> dict[str, Any]:
    """The message's new content. Blocks stay where no text is sent, text where no blocks are, attachments in any case."""
    if not changed:
        raise err("no_text")
    keeps = not {"text", "blocks", "markdown_text"} & changed
    text = row.text if keeps else sent.get("text") if not markdown else None
    blocks = row.blocks if keeps else sent.get("blocks")
    return content(ctx, text, blocks, sent.get("attachments", row.attachments), markdown, MAX_UPDATE)


def _files(ctx: Ctx, row: Message, given: list[str] | str) -> list[str]:
    """The message's new files, which must be the caller's, shared where the message is."""
    wanted = (
        given
        if isinstance(given, list)
        else [one.strip() for one in given.strip("[]").replace('"', "").split(",") if one.strip()]
    )
    for one in wanted:
        found = ctx.db.get(File, one)
        if found is None or found.state != "complete" or found.user != me(ctx):
            raise err("file_not_found")
    for gone in set(row.files) - set(wanted):
        ctx.db.delete_where(FileShare, file=gone, channel=row.channel, ts=row.ts)
    for new in (one for one in wanted if one not in row.files):
        ctx.db.add(FileShare(file=new, channel=row.channel, ts=row.ts))
    return wanted


@app.post("/api/chat.delete", tool="delete_message", effect="delete", also=("GET",))
def delete_message(ctx: Ctx, channel: str, ts: str) -> dict[str, Any]:
    """Deletes a message that you posted; admins may delete other people's in channels. Replies stay, under a placeholder.

    channel: The id of the conversation that has the message.
    ts: The message's ts.
    """
    place = conversation(ctx, channel)
    row = message(ctx, place.id, ts)
    rules = place.kind in ("public", "private") and is_admin(ctx)
    if place.is_archived or (row.user != me(ctx) and not rules):
        raise err("cant_delete_message")
    remove(ctx, row)
    return {"channel": place.id, "ts": row.ts}


@app.post("/api/chat.scheduleMessage", tool="schedule_message", effect="send", also=("GET",))
def schedule_message(
    ctx: Ctx,
    channel: str,
    post_at: int,
    text: str | None = None,
    blocks: list[Block] | str | None = None,
    attachments: list[Attachment] | str | None = None,
    thread_ts: str | None = None,
    reply_broadcast: bool = False,
    markdown_text: Annotated[str | None, Query(mcp=False)] = None,
    metadata: Unseen = None,
) -> dict[str, Any]:
    """Schedules a message for later, at most 120 days ahead.

    channel: A conversation's id, a public channel's name, or a user's id.
    post_at: When to post it, in Unix seconds.
    text: The message in mrkdwn.
    blocks: Block Kit blocks.
    attachments: Legacy attachments.
    thread_ts: The parent message's ts, to reply in its thread.
    reply_broadcast: Whether a reply also shows in the channel.
    markdown_text: The message in standard Markdown.
    metadata: An event_type with its event_payload.
    """
    place = writable(ctx, channel)
    if post_at <= ctx.epoch():
        raise err("time_in_past")
    if post_at > ctx.epoch() + FAR:
        raise err("time_too_far")
    near = {"post_at__gt": post_at - WINDOW, "post_at__lt": post_at + WINDOW}
    if ctx.db.count(ScheduledMessage, channel=place.id, **near) >= MAX_IN_WINDOW:
        raise err("restricted_too_many")
    root = thread_root(ctx, place, thread_ts)
    columns = content(ctx, text, blocks, attachments, markdown_text)
    event_metadata(metadata)
    made = ctx.db.add(
        ScheduledMessage(
            id=ctx.id("Q", 10, UPPER36),
            channel=place.id,
            user=me(ctx),
            post_at=post_at,
            date_created=ctx.epoch(),
            thread_ts=root,
            reply_broadcast=reply_broadcast,
            **columns,
        )
    )
    body = {
        "text": made.text,
        "type": "delayed_message",
        "user": made.user,
        **({"blocks": made.blocks} if made.blocks else {}),
    }
    return {"channel": place.id, "scheduled_message_id": made.id, "post_at": post_at, "message": body}


@app.post("/api/chat.scheduledMessages.list", tool="list_scheduled_messages", effect="read", also=("GET",))
def list_scheduled_messages(
    ctx: Ctx,
    channel: str | None = None,
    oldest: float | None = None,
    latest: float | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Lists the messages you have scheduled that are yet to be sent, soonest first.

    channel: Only those for this conversation (its id).
    oldest: Only those due at this Unix time or later.
    latest: Only those due at this Unix time or earlier.
    limit: At most this many.
    cursor: The next_cursor of the page before.
    """
    if channel:
        conversation(ctx, channel, "invalid_channel")
    found = ctx.db.find(
        ScheduledMessage, user=me(ctx), channel=channel or None, post_at__ge=oldest, post_at__le=latest, order="post_at"
    )
    page = cursor_slice(found, size(ctx, limit, 100, 50), cursor, "scheduled")
    items = [
        {
            "id": s.id,
            "channel_id": s.channel,
            "post_at": s.post_at,
            "date_created": s.date_created,
            "text": s.text,
            **({"thread_ts": s.thread_ts} if s.thread_ts else {}),
        }
        for s in page.items
    ]
    return {"scheduled_messages": items, **metadata(page.cursor)}


@app.post("/api/chat.deleteScheduledMessage", tool="delete_scheduled_message", effect="delete", also=("GET",))
def delete_scheduled_message(ctx: Ctx, channel: str, scheduled_message_id: str) -> None:
    """Cancels a scheduled message that is yet to be sent.

    channel: The id of the conversation it is for.
    scheduled_message_id: The scheduled message's id.
    """
    place = conversation(ctx, channel)
    found = ctx.db.get(ScheduledMessage, scheduled_message_id)
    if found is None or found.channel != place.id or found.user != me(ctx):
        raise err("invalid_scheduled_message_id")
    ctx.db.delete(found)


@app.get("/api/chat.getPermalink", tool="get_permalink", also=("POST",))
def get_permalink(ctx: Ctx, channel: str, message_ts: str) -> dict[str, Any]:
    """Gives the web address of a message.

    channel: The id of the conversation that has the message.
    message_ts: The message's ts.
    """
    place = conversation(ctx, channel)
    return {"channel": place.id, "permalink": permalink(ctx, message(ctx, place.id, message_ts))}
