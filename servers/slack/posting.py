"""How a message comes into being, whichever method sends it."""

import json
from typing import Any

from legoenv_mcp.app import UPPER36, Ctx

from . import mrkdwn
from .access import SLACKBOT, conversation, is_member, me, next_ts, user, valid_ts, visible
from .app import err
from .blocks import parse_attachments, parse_blocks
from .models import Conversation, FileShare, Member, Message, Pin, Reaction, ScheduledMessage, Star, User

MAX_TEXT = 40_000


def target(ctx: Ctx, given: str) -> Conversation:
    """Where to post: a conversation's id, a channel's name with or without `#`, or a user's id for a direct message."""
    found = ctx.db.get(Conversation, given)
    if found is not None:
        return conversation(ctx, given)
    name = given.removeprefix("#")
    named = [c for c in ctx.db.find(Conversation, name=name) if visible(ctx, c)] if name else []
    if named:
        return named[0]
    person = (
        ctx.db.get(User, given) or ctx.db.first(User, name=given.removeprefix("@"))
        if given[:1] in ("U", "W", "@")
        else None
    )
    if person is None:
        raise err("channel_not_found")
    return direct(ctx, [person])[0]


def direct(ctx: Ctx, people: list[User], *, create: bool = True) -> tuple[Conversation, bool]:
    """The direct message of the caller with these people, and whether it had to be made."""
    for person in people:
        if person.deleted:
            raise err("user_disabled")
    everyone = {me(ctx), *(p.id for p in people)}
    kind = "im" if len(everyone) <= 2 else "mpim"
    for mine in ctx.db.find(Member, user=me(ctx)):
        found = ctx.db.get(Conversation, mine.channel)
        if found and found.kind == kind and {m.user for m in ctx.db.find(Member, channel=found.id)} == everyone:
            return found, False
    if not create:
        raise err("channel_not_found")
    handles = sorted(user(ctx, one).name for one in everyone)
    made = ctx.db.add(
        Conversation(
            id=ctx.id("D" if kind == "im" else "G", 10, UPPER36),
            kind=kind,
            creator=me(ctx),
            created=ctx.epoch(),
            updated=ctx.epoch(),
            name="" if kind == "im" else f"mpdm-{'--'.join(handles)}-1",
        )
    )
    for one in sorted(everyone):
        ctx.db.add(Member(channel=made.id, user=one, joined=ctx.epoch(), is_open=one == me(ctx)))
    return made, True


def writable(ctx: Ctx, given: str) -> Conversation:
    """The place to post to, where the caller may."""
    channel = target(ctx, given)
    if not is_member(ctx, channel.id, me(ctx)):
        raise err("not_in_channel")
    if channel.is_archived:
        raise err("is_archived")
    return channel


def thread_root(ctx: Ctx, channel: Conversation, thread_ts: str | None) -> str | None:
    """The parent to reply to; a reply is no parent."""
    if not thread_ts:
        return None
    parent = ctx.db.get(Message, (channel.id, valid_ts(thread_ts, "invalid_thread_ts")))
    if parent is None:
        raise err("thread_not_found")
    if parent.thread_ts:
        raise err("cannot_reply_to_message")
    return parent.ts


def content(
    ctx: Ctx, text: str | None, blocks: Any, attachments: Any, markdown: str | None = None, most: int = MAX_TEXT
) -> dict[str, Any]:
    """A message's checked content, as columns."""
    if markdown:
        if text or blocks:
            raise err("markdown_text_conflict")
        if len(markdown) > 12_000:
            raise err("msg_too_long")
        text = mrkdwn.from_markdown(markdown)
    if text and len(text) > most:
        raise err("msg_too_long")
    parsed, attached = parse_blocks(ctx, blocks), parse_attachments(attachments)
    if not (text or "").strip() and not parsed and not attached:
        raise err("no_text")
    return {"text": mrkdwn.stored(text or ""), "blocks": parsed, "attachments": attached}


def event_metadata(given: Any) -> dict[str, Any] | None:
    """An application's event on a message: a type and a payload."""
    if given is None or given == "":
        return None
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            raise err("invalid_metadata_format") from None
    if (
        not isinstance(given, dict)
        or not isinstance(given.get("event_type"), str)
        or not isinstance(given.get("event_payload"), dict)
    ):
        raise err("invalid_metadata_format")
    return given


def post(ctx: Ctx, channel: str, *, user_id: str = "", seconds: int = 0, **columns: Any) -> Message:
    """Adds a message. Its author has then read the channel as far as it, and sees the direct message it lies in again."""
    author = user_id or me(ctx)
    made = ctx.db.add(
        Message(channel=channel, ts=next_ts(ctx, channel, seconds or ctx.epoch()), user=author, **columns)
    )
    mine = ctx.db.get(Member, (channel, author))
    if mine is not None:
        shown = {} if mine.is_open else {"is_open": True}
        ctx.db.update(mine, **shown, **read(made))
    return made


def read(row: Message) -> dict[str, str]:
    """What writing a message does to its author's read mark: nothing, where it lies in a thread alone."""
    return {"last_read": row.ts} if row.thread_ts is None or row.subtype == "thread_broadcast" else {}


def remove(ctx: Ctx, row: Message) -> None:
    """Deletes a message with all that hangs on it; a tombstone keeps its thread together while there are replies."""
    for kind in (Reaction, Pin, FileShare):
        ctx.db.delete_where(kind, channel=row.channel, ts=row.ts)
    ctx.db.delete_where(Star, channel=row.channel, item=row.ts)
    if row.thread_ts is None and ctx.db.count(Message, channel=row.channel, thread_ts=row.ts):
        blank: dict[str, Any] = {
            "blocks": [],
            "attachments": [],
            "files": [],
            "event": None,
            "edited_by": "",
            "edited_ts": "",
        }
        ctx.db.update(row, user=SLACKBOT, subtype="tombstone", text="This message was deleted.", **blank)
        return
    ctx.db.delete(row)
    root = ctx.db.get(Message, (row.channel, row.thread_ts)) if row.thread_ts else None
    if root is not None and root.subtype == "tombstone" and not ctx.db.count(Message, thread_ts=root.ts):
        ctx.db.delete(root)


def send_due(ctx: Ctx) -> None:
    """Posts the scheduled messages whose time has come; those whose channel no longer takes them are dropped."""
    for due in ctx.db.find(ScheduledMessage, post_at__le=ctx.epoch(), order="post_at"):
        channel = ctx.db.get(Conversation, due.channel)
        if channel and not channel.is_archived and is_member(ctx, channel.id, due.user):
            kind = "thread_broadcast" if due.thread_ts and due.reply_broadcast else None
            post(
                ctx,
                channel.id,
                user_id=due.user,
                seconds=due.post_at,
                text=due.text,
                thread_ts=due.thread_ts,
                subtype=kind,
                blocks=due.blocks,
                attachments=due.attachments,
            )
        ctx.db.delete(due)
