"""Threads. https://discord.com/developers/docs/topics/threads"""

from typing import Annotated, Any

from typing_extensions import TypedDict

from legoenv_mcp.app import Ctx, Field

from .. import access as a
from .. import audit, message_object, posting, resources
from .. import channels as c
from ..app import app, err, form
from ..models import Channel, Message, Thread_Member

Name = Annotated[str, Field(min_length=1, max_length=100)]
Slow = Annotated[int | None, Field(ge=0, le=21600)]


class Post(TypedDict, total=False):
    """The first message of a forum post."""

    content: Annotated[str, Field(description="The text, at most 2000 characters")]


def _parent(ctx: Ctx, channel_id: str, needed: int, kinds: tuple[int, ...] = (a.TEXT, a.NEWS)) -> Channel:
    row = a.guild_channel(ctx, channel_id)
    if row.type not in kinds:
        raise err(50024)
    return a.channel(ctx, channel_id, needed)


def _begin(
    ctx: Ctx, parent: Channel, id: str, kind: int, name: str, minutes: int | None, slow: int | None, **more: Any
) -> Channel:
    row = ctx.db.add(
        Channel(
            id=id,
            type=kind,
            name=name,
            parent_id=parent.id,
            owner_id=a.me(ctx),
            auto_archive_duration=c.check_archive(minutes or parent.default_auto_archive_duration or 4320),
            archive_timestamp=a.stamp(ctx.now),
            rate_limit_per_user=slow or 0,
            **more,
        )
    )
    posting.join(ctx, row.id, a.me(ctx))
    audit.log(ctx, audit.THREAD_CREATE, row.id, [{"key": "name", "new_value": name}])
    return row


@app.post("/channels/{channel_id}/messages/{message_id}/threads", tool="start_thread_from_message", status=201)
def start_thread_from_message(
    ctx: Ctx,
    channel_id: a.Snowflake,
    message_id: a.Snowflake,
    name: Name,
    auto_archive_duration: int | None = None,
    rate_limit_per_user: Slow = None,
) -> dict[str, Any]:
    """Starts a public thread from a message. The thread is a channel with the message's id; a message has one at most.

    channel_id: The channel's id.
    message_id: The message's id.
    name: The thread's name, 1 to 100 characters.
    auto_archive_duration: Minutes without messages until it is archived: 60, 1440, 4320 or 10080.
    rate_limit_per_user: Slow mode: seconds between a member's messages.
    """
    parent = _parent(ctx, channel_id, a.CREATE_PUBLIC_THREADS)
    row = a.message(ctx, channel_id, message_id)
    if ctx.db.get(Channel, row.id) is not None:
        raise err(160004)
    kind = a.NEWS_THREAD if parent.type == a.NEWS else a.PUBLIC_THREAD
    made = _begin(ctx, parent, row.id, kind, name, auto_archive_duration, rate_limit_per_user)
    by = row.author_id if row.webhook_id is None else None
    audit.notice(ctx, made.id, audit.THREAD_STARTER, channel=channel_id, to=row.id, author=by)
    return resources.channel(ctx, made)


@app.post("/channels/{channel_id}/threads", tool="start_thread_without_message", status=201)
def start_thread_without_message(
    ctx: Ctx,
    channel_id: a.Snowflake,
    name: Name,
    type: int | None = None,
    message: Post | None = None,
    auto_archive_duration: int | None = None,
    invitable: bool | None = None,
    rate_limit_per_user: Slow = None,
) -> dict[str, Any]:
    """Starts a thread that belongs to no message, or a post in a forum channel, which needs a `message`.

    channel_id: The channel's id.
    name: The thread's name, 1 to 100 characters.
    type: 11 public, 12 private (the default), 10 in an announcement channel.
    message: The first message, of a forum post.
    auto_archive_duration: Minutes without messages until it is archived: 60, 1440, 4320 or 10080.
    invitable: Whether members of a private thread may add others.
    rate_limit_per_user: Slow mode: seconds between a member's messages.
    """
    parent = _parent(ctx, channel_id, 0, (a.TEXT, a.NEWS, a.FORUM))
    id = a.snowflake(ctx)
    if parent.type == a.FORUM:
        a.channel(ctx, channel_id, a.SEND_MESSAGES)
        if message is None:
            raise form("message", "BASE_TYPE_REQUIRED", "This field is required")
        text = posting.check_text(message.get("content"))
        if not text:
            raise err(50006)
        made = _begin(ctx, parent, id, a.PUBLIC_THREAD, name, auto_archive_duration, rate_limit_per_user)
        bits = a.permissions(ctx, parent, a.me(ctx))
        first = ctx.db.add(
            Message(
                id=id, seq=int(id), channel_id=id, author_id=a.me(ctx), content=text,
                **posting.mentions(ctx, text, None, bits),
            )
        )  # fmt: skip
        return resources.channel(ctx, made) | {"message": message_object.message(ctx, first)}
    kind = type if type is not None else a.NEWS_THREAD if parent.type == a.NEWS else a.PRIVATE_THREAD
    allowed = (a.NEWS_THREAD,) if parent.type == a.NEWS else (a.PUBLIC_THREAD, a.PRIVATE_THREAD)
    if kind not in allowed:
        raise form("type", "BASE_TYPE_CHOICES", f'Value "{kind}" must be one of {allowed}.')
    a.channel(ctx, channel_id, a.CREATE_PRIVATE_THREADS if kind == a.PRIVATE_THREAD else a.CREATE_PUBLIC_THREADS)
    open_ = {} if invitable is None else {"invitable": invitable}
    made = _begin(ctx, parent, id, kind, name, auto_archive_duration, rate_limit_per_user, **open_)
    if kind != a.PRIVATE_THREAD:
        audit.notice(ctx, channel_id, audit.THREAD_CREATED, name, channel=made.id)
    return resources.channel(ctx, made)


# Lists


def _listing(ctx: Ctx, rows: list[Channel], more: bool | None = None) -> dict[str, Any]:
    mine = (ctx.db.get(Thread_Member, (row.id, a.me(ctx))) for row in rows)
    made: dict[str, Any] = {
        "threads": [resources.channel(ctx, row) for row in rows],
        "members": [resources.thread_member(ctx, one) for one in mine if one],
    }
    return made if more is None else made | {"has_more": more}


@app.get("/guilds/{guild_id}/threads/active", tool="list_active_threads")
def list_active_threads(ctx: Ctx, guild_id: a.Snowflake) -> dict[str, Any]:
    """Lists the threads of the server that are not archived and that the caller may see, the newest first.

    guild_id: The server's id.
    """
    a.guild(ctx, guild_id)
    rows = ctx.db.find(Channel, type__in=a.THREADS, archived=False)
    return _listing(ctx, sorted((r for r in rows if a.visible(ctx, r)), key=lambda r: -int(r.id)))


def _archived(ctx: Ctx, rows: list[Channel], before: str | None, limit: int | None) -> dict[str, Any]:
    if before is not None:
        try:
            at = a.stamp(ctx.parse_time(before))
        except (ValueError, OverflowError):
            raise form("before", "DATE_TIME_TYPE_PARSE", f"Could not parse {before[:40]}. Should be ISO8601.") from None
        rows = [row for row in rows if (row.archive_timestamp or "") < at]
    rows = sorted(rows, key=lambda r: (r.archive_timestamp or "", int(r.id)), reverse=True)
    most = limit or 50
    return _listing(ctx, rows[:most], len(rows) > most)


Many = Annotated[int | None, Field(ge=2, le=100)]


@app.get("/channels/{channel_id}/threads/archived/public", tool="list_public_archived_threads")
def list_public_archived_threads(
    ctx: Ctx, channel_id: a.Snowflake, before: str | None = None, limit: Many = None
) -> dict[str, Any]:
    """Lists the public archived threads of a channel, the latest archived first.

    channel_id: The channel's id.
    before: Threads archived before this time (ISO 8601).
    limit: How many, 2 to 100.
    """
    _parent(ctx, channel_id, a.READ_MESSAGE_HISTORY, (a.TEXT, a.NEWS, a.FORUM))
    kinds = (a.NEWS_THREAD, a.PUBLIC_THREAD)
    return _archived(ctx, ctx.db.find(Channel, parent_id=channel_id, type__in=kinds, archived=True), before, limit)


@app.get("/channels/{channel_id}/threads/archived/private", tool="list_private_archived_threads", mcp=False)
def list_private_archived_threads(
    ctx: Ctx, channel_id: a.Snowflake, before: str | None = None, limit: Many = None
) -> dict[str, Any]:
    """Lists the private archived threads of a channel (needs Manage Threads).

    channel_id: The channel's id.
    before: Threads archived before this time (ISO 8601).
    limit: How many, 2 to 100.
    """
    _parent(ctx, channel_id, a.READ_MESSAGE_HISTORY | a.MANAGE_THREADS)
    rows = ctx.db.find(Channel, parent_id=channel_id, type=a.PRIVATE_THREAD, archived=True)
    return _archived(ctx, rows, before, limit)


@app.get(
    "/channels/{channel_id}/users/@me/threads/archived/private", tool="list_joined_private_archived_threads", mcp=False
)
def list_joined_private_archived_threads(
    ctx: Ctx, channel_id: a.Snowflake, before: str | None = None, limit: Many = None
) -> dict[str, Any]:
    """Lists the private archived threads of a channel that the caller has joined.

    channel_id: The channel's id.
    before: Threads archived before this time (ISO 8601).
    limit: How many, 2 to 100.
    """
    _parent(ctx, channel_id, a.READ_MESSAGE_HISTORY)
    rows = ctx.db.find(Channel, parent_id=channel_id, type=a.PRIVATE_THREAD, archived=True)
    return _archived(ctx, [r for r in rows if ctx.db.get(Thread_Member, (r.id, a.me(ctx)))], before, limit)


# Members


def _thread(ctx: Ctx, channel_id: str, *, live: bool = True) -> Channel:
    row = a.channel(ctx, channel_id)
    if row.type not in a.THREADS:
        raise err(50024)
    if live and row.archived:
        raise err(50083)
    return row


@app.put(
    "/channels/{channel_id}/thread-members/@me",
    tool="join_thread",
    mcp=False,
    effect="create",
    idempotent=True,
    status=204,
)
def join_thread(ctx: Ctx, channel_id: a.Snowflake) -> None:
    """Joins a thread that is not archived.

    channel_id: The thread's id.
    """
    posting.join(ctx, _thread(ctx, channel_id).id, a.me(ctx))


@app.put(
    "/channels/{channel_id}/thread-members/{user_id}", tool="add_thread_member", effect="create", idempotent=True,
    status=204,
)  # fmt: skip
def add_thread_member(ctx: Ctx, channel_id: a.Snowflake, user_id: a.Snowflake) -> None:
    """Adds a member of the server to a thread that is not archived.

    channel_id: The thread's id.
    user_id: The user's id.
    """
    row = _thread(ctx, channel_id)
    bits = a.permissions(ctx, row, a.me(ctx))
    if not bits & a.SEND_MESSAGES_IN_THREADS:
        raise err(50013)
    if row.type == a.PRIVATE_THREAD and not row.invitable and not bits & a.MANAGE_THREADS and row.owner_id != a.me(ctx):
        raise err(50013)
    a.member(ctx, user_id)
    parent = ctx.db.get(Channel, row.parent_id) if row.parent_id else None
    if parent is not None and not a.permissions(ctx, parent, user_id) & a.VIEW_CHANNEL:
        raise err(50001)
    posting.join(ctx, row.id, user_id)


def _leave(ctx: Ctx, row: Channel, user_id: str) -> None:
    found = ctx.db.get(Thread_Member, (row.id, user_id))
    if found is not None:
        ctx.db.delete(found)


@app.delete("/channels/{channel_id}/thread-members/@me", tool="leave_thread", mcp=False, status=204)
def leave_thread(ctx: Ctx, channel_id: a.Snowflake) -> None:
    """Leaves a thread that is not archived.

    channel_id: The thread's id.
    """
    _leave(ctx, _thread(ctx, channel_id), a.me(ctx))


@app.delete("/channels/{channel_id}/thread-members/{user_id}", tool="remove_thread_member", status=204)
def remove_thread_member(ctx: Ctx, channel_id: a.Snowflake, user_id: a.Snowflake) -> None:
    """Removes another member from a thread that is not archived (Manage Threads, or the owner of a private one).

    channel_id: The thread's id.
    user_id: The user's id.
    """
    row = _thread(ctx, channel_id)
    owner = row.type == a.PRIVATE_THREAD and row.owner_id == a.me(ctx)
    if user_id != a.me(ctx) and not owner and not a.permissions(ctx, row, a.me(ctx)) & a.MANAGE_THREADS:
        raise err(50013)
    a.user(ctx, user_id)
    _leave(ctx, row, user_id)


@app.get("/channels/{channel_id}/thread-members", tool="list_thread_members", mcp=False)
def list_thread_members(
    ctx: Ctx,
    channel_id: a.Snowflake,
    with_member: bool = False,
    after: a.Snowflake | None = None,
    limit: Annotated[int, Field(ge=1, le=100)] = 100,
) -> list[dict[str, Any]]:
    """Lists those who have joined a thread, by user id.

    channel_id: The thread's id.
    with_member: Whether to tell the member's nickname and roles, too.
    after: Members after this user's id.
    limit: How many, 1 to 100.
    """
    _thread(ctx, channel_id, live=False)
    rows = sorted(ctx.db.find(Thread_Member, thread_id=channel_id), key=lambda r: int(r.user_id))
    rows = [row for row in rows if int(row.user_id) > int(after or 0)][:limit]
    return [resources.thread_member(ctx, row, with_member) for row in rows]


@app.get("/channels/{channel_id}/thread-members/{user_id}", tool="get_thread_member", mcp=False)
def get_thread_member(
    ctx: Ctx, channel_id: a.Snowflake, user_id: a.Snowflake, with_member: bool = False
) -> dict[str, Any]:
    """Gets one who has joined a thread.

    channel_id: The thread's id.
    user_id: The user's id.
    with_member: Whether to tell the member's nickname and roles, too.
    """
    _thread(ctx, channel_id, live=False)
    found = ctx.db.get(Thread_Member, (channel_id, user_id))
    if found is None:
        raise err(10007)
    return resources.thread_member(ctx, found, with_member)
