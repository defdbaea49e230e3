"""conversations.*: finding and reading channels and direct messages. https://docs.slack.dev/reference/methods?family=conversations"""

from typing import Any, TypeGuard

from legoenv_mcp.app import Ctx

from ..access import conversation, me, valid_ts, visible
from ..access import user as user_row
from ..app import app, err
from ..message_object import TOP, messages, unread
from ..models import Conversation, Member, Message, Notice, Pin
from ..paging import cursor_slice, cursor_ts, metadata, size, ts_cursor
from ..resources import channel as shown

MAX_MESSAGES = 999
KINDS = {"public_channel": "public", "private_channel": "private", "im": "im", "mpim": "mpim"}


def kinds(types: str) -> set[str]:
    """The kinds of a comma-separated list of Slack's type names."""
    wanted = [part.strip() for part in types.split(",") if part.strip()]
    if not wanted or any(one not in KINDS for one in wanted):
        raise err("invalid_types")
    return {KINDS[one] for one in wanted}


@app.get("/api/conversations.list", tool="list_conversations", also=("POST",))
def list_conversations(
    ctx: Ctx,
    types: str = "public_channel",
    exclude_archived: bool = False,
    limit: int | None = None,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Lists conversations: all public channels, and the private channels and direct messages you are in.

    types: Which kinds, separated by commas: public_channel, private_channel, mpim, im.
    exclude_archived: Whether to leave out archived channels.
    limit: At most this many.
    cursor: The next_cursor of the page before.
    """
    wanted = kinds(types)
    found = [c for c in ctx.db.find(Conversation, order="created") if c.kind in wanted and visible(ctx, c)]
    if exclude_archived:
        found = [c for c in found if not c.is_archived]
    page = cursor_slice(found, size(ctx, limit, 100, 50), cursor, "channels")
    return {"channels": [shown(ctx, c, count=True) for c in page.items], **metadata(page.cursor)}


@app.get("/api/users.conversations", tool="list_user_conversations", also=("POST",))
def list_user_conversations(
    ctx: Ctx,
    user: str | None = None,
    types: str = "public_channel",
    exclude_archived: bool = False,
    limit: int | None = None,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Lists the conversations that a user is in, as far as you may see them.

    user: The user's id; you if left out.
    types: Which kinds, separated by commas: public_channel, private_channel, mpim, im.
    exclude_archived: Whether to leave out archived channels.
    limit: At most this many.
    cursor: The next_cursor of the page before.
    """
    wanted = kinds(types)
    who = user_row(ctx, user).id if user else me(ctx)
    places = {m.channel for m in ctx.db.find(Member, user=who)}
    found = [
        c for c in ctx.db.find(Conversation, order="created") if c.id in places and c.kind in wanted and visible(ctx, c)
    ]
    if exclude_archived:
        found = [c for c in found if not c.is_archived]
    page = cursor_slice(found, size(ctx, limit, 100, 50), cursor, "channels")
    return {"channels": [shown(ctx, c) for c in page.items], **metadata(page.cursor)}


@app.get("/api/conversations.info", tool="get_conversation_info", also=("POST",))
def get_conversation_info(
    ctx: Ctx, channel: str, include_num_members: bool = False, include_locale: bool = False
) -> dict[str, Any]:
    """Gives one conversation: name, topic, purpose, kind, whether it is archived and whether you are in it.

    channel: The conversation's id.
    include_num_members: Whether to count its members.
    include_locale: Whether to add its locale.
    """
    row = conversation(ctx, channel)
    made = shown(ctx, row, count=include_num_members, own=True)
    if row.kind in ("im", "mpim"):
        made |= {"unread_count": unread(ctx, row), "unread_count_display": unread(ctx, row)}
    return {"channel": made | ({"locale": "en-US"} if include_locale else {})}


@app.get("/api/conversations.members", tool="list_conversation_members", also=("POST",))
def list_conversation_members(
    ctx: Ctx, channel: str, limit: int | None = None, cursor: str | None = None
) -> dict[str, Any]:
    """Lists the ids of the users in a conversation.

    channel: The conversation's id.
    limit: At most this many.
    cursor: The next_cursor of the page before.
    """
    row = conversation(ctx, channel)
    found = ctx.db.find(Member, channel=row.id, order="joined,user")
    page = cursor_slice(found, size(ctx, limit, 100, 200), cursor, f"members-{row.id}")
    return {"members": [m.user for m in page.items], **metadata(page.cursor)}


def _given(oldest: str | None) -> TypeGuard[str]:
    return bool(oldest) and oldest != "0"


def _most(ctx: Ctx, limit: int | None, rest: int) -> int:
    """How many messages: asking for more than there can be on a page is no error."""
    return min(size(ctx, limit if limit is None else min(limit, MAX_MESSAGES), rest, 40), MAX_MESSAGES)


def _between(oldest: str | None, latest: str | None, inclusive: bool) -> tuple[str, dict[str, Any]]:
    """A condition on `ts`, and its values. `0` stands for the beginning."""
    terms, values = ["1"], dict[str, Any]()
    if _given(oldest):
        terms.append(f'"ts" {">=" if inclusive else ">"} :oldest')
        values["oldest"] = valid_ts(oldest, "invalid_ts_oldest")
    if latest:
        terms.append(f'"ts" {"<=" if inclusive else "<"} :latest')
        values["latest"] = valid_ts(latest, "invalid_ts_latest")
    return " AND ".join(terms), values


@app.get("/api/conversations.history", tool="get_conversation_history", also=("POST",))
def get_conversation_history(
    ctx: Ctx,
    channel: str,
    oldest: str | None = None,
    latest: str | None = None,
    inclusive: bool = False,
    limit: int | None = None,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Reads a conversation's messages, newest first. Replies are not among them: read a thread with get_conversation_replies.

    channel: The conversation's id.
    oldest: Only messages after this ts. Without latest the first page has those next to it, the cursor leads to newer ones.
    latest: Only messages before this ts.
    inclusive: Whether messages at oldest and latest themselves count.
    limit: At most this many.
    cursor: The next_cursor of the page before.
    """
    row = conversation(ctx, channel)
    condition, values = _between(oldest, latest, inclusive)
    condition += ' AND "channel" = :channel'
    values["channel"] = row.id
    backwards = not _given(oldest) or bool(latest)
    if cursor:
        condition += f' AND "ts" {"<=" if backwards else ">="} :at'
        values["at"] = cursor_ts(cursor)
    most = _most(ctx, limit, 100)
    order = "-ts" if backwards else "ts"
    written = ctx.db.where(Message, f"{condition} AND {TOP}", values, order=order, limit=most + 1)
    notices = ctx.db.where(Notice, condition, values, order=order, limit=most + 1)
    found = sorted([*written, *notices], key=lambda m: m.ts, reverse=backwards)
    more = found[most].ts if len(found) > most else ""
    made: dict[str, Any] = {
        "messages": messages(ctx, sorted(found[:most], key=lambda m: m.ts, reverse=True)),
        "has_more": bool(more),
        "pin_count": ctx.db.count(Pin, channel=row.id),
    }
    made |= {"channel_actions_ts": None, "channel_actions_count": 0}
    return made | (metadata(ts_cursor(more)) if more else {})


@app.get("/api/conversations.replies", tool="get_conversation_replies", also=("POST",))
def get_conversation_replies(
    ctx: Ctx,
    channel: str,
    ts: str,
    oldest: str | None = None,
    latest: str | None = None,
    inclusive: bool = False,
    limit: int | None = None,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Reads a thread: the parent message, then its replies, oldest first.

    channel: The conversation's id.
    ts: The ts of the thread's parent, which a reply has as thread_ts; that of a reply gives the reply alone.
    oldest: Only replies after this ts.
    latest: Only replies before this ts.
    inclusive: Whether replies at oldest and latest themselves count.
    limit: At most this many.
    cursor: The next_cursor of the page before.
    """
    row = conversation(ctx, channel)
    key = (row.id, valid_ts(ts, "thread_not_found"))
    root = ctx.db.get(Message, key) or ctx.db.get(Notice, key)
    if root is None:
        raise err("thread_not_found")
    most = _most(ctx, limit, MAX_MESSAGES)
    condition, values = _between(oldest, latest, inclusive)
    condition += ' AND "channel" = :channel AND "thread_ts" = :root'
    replies = ctx.db.where(Message, condition, {**values, "channel": row.id, "root": root.ts}, order="ts")
    at = cursor_ts(cursor) if cursor else ""
    listed = [m for m in [root, *replies] if m.ts >= at]
    more = listed[most].ts if len(listed) > most else ""
    return {
        "messages": messages(ctx, listed[:most]),
        "has_more": bool(more),
        **(metadata(ts_cursor(more)) if more else {}),
    }


@app.post("/api/conversations.mark", tool="mark_conversation", effect="update", also=("GET",), mcp=False)
def mark_conversation(ctx: Ctx, channel: str, ts: str) -> None:
    """Moves your read mark in a conversation.

    channel: The conversation's id.
    ts: The ts of the last message that is read.
    """
    row = conversation(ctx, channel)
    mine = ctx.db.get(Member, (row.id, me(ctx)))
    if mine is None:
        raise err("not_in_channel")
    ctx.db.update(mine, last_read=valid_ts(ts, "invalid_timestamp"))
