"""Messages as Slack's JSON: with their thread's figures, reactions, files and pins."""

from collections.abc import Iterable, Sequence
from typing import Any

from legoenv_mcp.app import Ctx

from . import mrkdwn
from .access import me, on_mcp, visible
from .file_object import file
from .models import Conversation, File, Member, Message, Notice, Pin, Reaction, Star, User
from .resources import team, workspace_url

_UNREAD = "0000000000.000000"
TOP = '("thread_ts" IS NULL OR "subtype" = \'thread_broadcast\')'
"""The condition on messages that show in their channel and not only in a thread."""


class Thread:
    """What a parent shows of its replies."""

    def __init__(self, replies: Sequence[Message]) -> None:
        self.count = len(replies)
        self.users = list(dict.fromkeys(r.user for r in replies))
        self.latest = replies[-1].ts if replies else ""


def messages(ctx: Ctx, rows: Iterable[Message | Notice]) -> list[dict[str, Any]]:
    return [notice(ctx, row) if isinstance(row, Notice) else message(ctx, row) for row in rows]


def notice(ctx: Ctx, row: Notice) -> dict[str, Any]:
    text = legible(ctx, row.text)
    return {"type": "message", "subtype": row.subtype, "ts": row.ts, "user": row.user, "text": text, **row.extra}


def legible(ctx: Ctx, text: str) -> str:
    """A message's text; to agents its mentions say whom and what they name, which spares look-ups."""
    if not on_mcp(ctx) or "<" not in text:
        return text

    def handle(user_id: str) -> str:
        found = ctx.db.get(User, user_id)
        return found.name if found else ""

    def name(channel_id: str) -> str:
        found = ctx.db.get(Conversation, channel_id)
        return found.name if found and visible(ctx, found) else ""

    return mrkdwn.labelled(text, handle, name)


def message(ctx: Ctx, row: Message) -> dict[str, Any]:
    """A message with its thread's figures, reactions, files and pins."""
    made: dict[str, Any] = {"type": "message", "user": row.user}
    author = ctx.db.get(User, row.user) if on_mcp(ctx) and not row.username else None
    if author is not None:  # spares agents a look-up
        made["username"] = author.name
    made |= {"ts": row.ts, "text": legible(ctx, row.text)}
    if row.subtype:
        made["subtype"] = row.subtype
    if row.subtype == "tombstone":
        made["hidden"] = True
    if not on_mcp(ctx):
        made["team"] = team(ctx).id
    icons = {k: v for k, v in {"emoji": row.icon_emoji, "image_48": row.icon_url}.items() if v}
    edited = {"user": row.edited_by, "ts": row.edited_ts} if row.edited_by else None
    event = row.event
    given = {
        "username": row.username,
        "icons": icons,
        "blocks": row.blocks,
        "attachments": row.attachments,
        "edited": edited,
        "metadata": event,
    }
    made |= {name: value for name, value in given.items() if value}
    if row.files:
        made["files"] = [_file_of_message(ctx, one) for one in row.files]
    if row.thread_ts:
        parent = ctx.db.get(Message, (row.channel, row.thread_ts))
        made |= {"thread_ts": row.thread_ts, "parent_user_id": parent.user if parent else ""}
        if parent and row.subtype == "thread_broadcast" and not on_mcp(ctx):
            made["root"] = message(ctx, parent)
    else:
        made |= _thread(ctx, row)
    if found := reactions(ctx, row.channel, row.ts):
        made["reactions"] = found
    if ctx.db.get(Pin, (row.channel, row.ts)) is not None:
        made["pinned_to"] = [row.channel]
    if ctx.db.get(Star, (me(ctx), row.channel, row.ts)) is not None:
        made["is_starred"] = True
    return made


def _thread(ctx: Ctx, row: Message) -> dict[str, Any]:
    replies = ctx.db.find(Message, channel=row.channel, thread_ts=row.ts, order="ts")
    if not replies:
        return {}
    thread = Thread(replies)
    return {
        "thread_ts": row.ts,
        "reply_count": thread.count,
        "reply_users_count": len(thread.users),
        "latest_reply": thread.latest,
        "reply_users": thread.users[:5],
        "is_locked": False,
        "subscribed": me(ctx) in {row.user, *thread.users},
    }


def reactions(ctx: Ctx, channel_id: str, ts: str) -> list[dict[str, Any]]:
    """The reactions by name, in the order in which each was first given."""
    found = dict[str, list[str]]()
    for one in ctx.db.find(Reaction, channel=channel_id, ts=ts, order="added"):
        found.setdefault(one.name, []).append(one.user)
    return [{"name": name, "users": people, "count": len(people)} for name, people in found.items()]


def permalink(ctx: Ctx, row: Message) -> str:
    link = f"{workspace_url(ctx)}archives/{row.channel}/p{row.ts.replace('.', '')}"
    return f"{link}?thread_ts={row.thread_ts}&cid={row.channel}" if row.thread_ts else link


def unread(ctx: Ctx, row: Conversation) -> int:
    """How many messages of others the caller has yet to read; replies in threads are marked by themselves."""
    mine = ctx.db.get(Member, (row.id, me(ctx)))
    values = {"channel": row.id, "read": mine.last_read if mine else _UNREAD, "me": me(ctx)}
    condition = f'"channel" = :channel AND "ts" > :read AND "user" <> :me AND {TOP}'
    return len(ctx.db.where(Message, condition, values))


def _file_of_message(ctx: Ctx, file_id: str) -> dict[str, Any]:
    found = ctx.db.get(File, file_id)
    return {"id": file_id, "mode": "tombstone"} if found is None else file(ctx, found)
