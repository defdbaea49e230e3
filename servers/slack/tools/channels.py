"""conversations.*: making, changing and leaving them. https://docs.slack.dev/reference/methods?family=conversations"""

import re
from typing import Annotated, Any

from legoenv_mcp.app import UPPER36, Ctx, Query

from ..access import SLACKBOT, conversation, ids, is_admin, is_member, me, notice, own_channel, users
from ..access import user as user_row
from ..app import app, err
from ..models import Conversation, Member, User
from ..posting import direct
from ..resources import channel as shown

CHANNELS = ("public", "private")
MAX_NAME = 80
MAX_TEXT = 250


def _name(ctx: Ctx, given: str, but: str = "") -> str:
    """A new channel name: lower case, no spaces or punctuation but - and _, at most 80 characters, taken by no other channel."""
    if not given.strip():
        raise err("invalid_name_required")
    if len(given) > MAX_NAME:
        raise err("invalid_name_maxlength")
    if not re.fullmatch(r"[\w-]+", given) or given != given.lower():
        raise err("invalid_name_specials")
    if not re.search(r"[^\W_]", given):
        raise err("invalid_name_punctuation")
    if any(c.id != but for c in ctx.db.find(Conversation, name=given)):
        raise err("name_taken")
    return given


@app.post("/api/conversations.create", tool="create_conversation", also=("GET",))
def create_conversation(ctx: Ctx, name: str, is_private: bool = False) -> dict[str, Any]:
    """Creates a channel with you as its first member. Names are unique, also among archived channels.

    name: Lower case letters, digits, hyphens and underscores; at most 80 characters.
    is_private: Whether only invited people can see it.
    """
    now = ctx.epoch()
    row = ctx.db.add(
        Conversation(
            id=ctx.id("C", 10, UPPER36),
            kind="private" if is_private else "public",
            name=_name(ctx, name),
            creator=me(ctx),
            created=now,
            updated=now,
        )
    )
    ctx.db.add(Member(channel=row.id, user=me(ctx), joined=now))
    notice(ctx, row.id, "channel_join", f"<@{me(ctx)}> has joined the channel")
    return {"channel": shown(ctx, row)}


@app.post("/api/conversations.archive", tool="archive_conversation", effect="transition", also=("GET",))
def archive_conversation(ctx: Ctx, channel: str) -> None:
    """Archives a channel: it can be read and found, but nothing can be posted. The general channel cannot be archived.

    channel: The channel's id.
    """
    row = conversation(ctx, channel)
    if row.kind not in CHANNELS:
        raise err("method_not_supported_for_channel_type")
    if row.is_general:
        raise err("cant_archive_general")
    if row.is_archived:
        raise err("already_archived")
    if not is_member(ctx, row.id, me(ctx)):
        raise err("not_in_channel")
    notice(ctx, row.id, "channel_archive", f"<@{me(ctx)}> archived the channel")
    ctx.db.update(row, is_archived=True, updated=ctx.epoch())


@app.post("/api/conversations.unarchive", tool="unarchive_conversation", effect="transition", also=("GET",))
def unarchive_conversation(ctx: Ctx, channel: str) -> None:
    """Opens an archived channel again.

    channel: The channel's id.
    """
    row = conversation(ctx, channel)
    if row.kind not in CHANNELS:
        raise err("method_not_supported_for_channel_type")
    if not row.is_archived:
        raise err("not_archived")
    notice(ctx, row.id, "channel_unarchive", f"<@{me(ctx)}> un-archived the channel")
    ctx.db.update(row, is_archived=False, updated=ctx.epoch())


@app.post("/api/conversations.rename", tool="rename_conversation", effect="update", also=("GET",))
def rename_conversation(ctx: Ctx, channel: str, name: str) -> dict[str, Any]:
    """Renames a channel. Its creator and workspace admins may.

    channel: The channel's id.
    name: Lower case letters, digits, hyphens and underscores; at most 80 characters.
    """
    row = own_channel(ctx, channel, kinds=CHANNELS)
    if me(ctx) != row.creator and not is_admin(ctx):
        raise err("not_authorized")
    old, new = row.name, _name(ctx, name, row.id)
    if new != old:
        text = f'<@{me(ctx)}> has renamed the channel from "{old}" to "{new}"'
        notice(ctx, row.id, "channel_name", text, old_name=old, name=new)
        ctx.db.update(row, name=new, previous_names=[old, *row.previous_names], updated=ctx.epoch())
    return {"channel": shown(ctx, row)}


@app.post("/api/conversations.setTopic", tool="set_topic", effect="update", also=("GET",))
def set_topic(ctx: Ctx, channel: str, topic: str) -> dict[str, Any]:
    """Sets the topic shown at the top of a channel.

    channel: The channel's id.
    topic: The new topic, at most 250 characters.
    """
    row = _set_text(ctx, channel, topic)
    ctx.db.update(row, topic=topic, topic_creator=me(ctx), topic_set=ctx.epoch(), updated=ctx.epoch())
    notice(
        ctx,
        row.id,
        "channel_topic",
        f"set the channel topic: {topic}" if topic else "cleared the channel topic",
        topic=topic,
    )
    return {"channel": shown(ctx, row)}


@app.post("/api/conversations.setPurpose", tool="set_purpose", effect="update", also=("GET",))
def set_purpose(ctx: Ctx, channel: str, purpose: str) -> dict[str, Any]:
    """Sets a channel's description.

    channel: The channel's id.
    purpose: The new description, at most 250 characters.
    """
    row = _set_text(ctx, channel, purpose)
    ctx.db.update(row, purpose=purpose, purpose_creator=me(ctx), purpose_set=ctx.epoch(), updated=ctx.epoch())
    notice(
        ctx,
        row.id,
        "channel_purpose",
        f"set the channel description: {purpose}" if purpose else "cleared the channel description",
        purpose=purpose,
    )
    return {"purpose": purpose, "channel": shown(ctx, row)}


def _set_text(ctx: Ctx, channel: str, text: str) -> Conversation:
    row = own_channel(ctx, channel, kinds=(*CHANNELS, "mpim"))
    if len(text) > MAX_TEXT:
        raise err("too_long")
    return row


@app.post("/api/conversations.invite", tool="invite_to_conversation", effect="create", also=("GET",))
def invite_to_conversation(ctx: Ctx, channel: str, users: str, force: bool = False) -> dict[str, Any]:
    """Adds users to a channel that you are in. If one cannot be added none is, unless forced.

    channel: The channel's id.
    users: Ids of users, separated by commas; at most 100.
    force: Whether to add those who can be added although others cannot.
    """
    row = own_channel(ctx, channel, kinds=CHANNELS)
    wanted = ids(users)
    if not wanted:
        raise err("no_user")
    if len(wanted) > 100:
        raise err("too_many_users")
    refused = [{"user": one, "ok": False, "error": why} for one in wanted if (why := _not_invitable(ctx, row, one))]
    if refused and (not force or len(refused) == len(wanted)):
        raise err(refused[0]["error"], errors=refused)
    for one in (w for w in wanted if w not in {r["user"] for r in refused}):
        ctx.db.add(Member(channel=row.id, user=one, joined=ctx.epoch()))
        notice(ctx, row.id, "channel_join", f"<@{one}> has joined the channel", by=one, inviter=me(ctx))
    return {"channel": shown(ctx, row), **({"errors": refused} if refused else {})}


def _not_invitable(ctx: Ctx, row: Conversation, user_id: str) -> str:
    found = ctx.db.get(User, user_id)
    if found is None:
        return "user_not_found"
    if user_id == me(ctx):
        return "cant_invite_self"
    if found.deleted or user_id == SLACKBOT:
        return "cant_invite"
    return "already_in_channel" if is_member(ctx, row.id, user_id) else ""


@app.post("/api/conversations.kick", tool="kick_from_conversation", effect="delete", also=("GET",))
def kick_from_conversation(ctx: Ctx, channel: str, user: str) -> dict[str, Any]:
    """Removes a user from a channel that you are in; from a public one admins may. Nobody can be removed from the general one.

    channel: The channel's id.
    user: The user's id.
    """
    row = own_channel(ctx, channel, kinds=CHANNELS)
    if user_row(ctx, user).id == me(ctx):
        raise err("cant_kick_self")
    if row.is_general:
        raise err("cant_kick_from_general")
    if row.kind == "public" and not is_admin(ctx):
        raise err("restricted_action")
    member = ctx.db.get(Member, (row.id, user))
    if member is None:
        raise err("not_in_channel")
    ctx.db.delete(member)
    notice(ctx, row.id, "channel_leave", f"<@{user}> was removed from the channel", by=user)
    return {"errors": {}}


@app.post("/api/conversations.join", tool="join_conversation", effect="create", also=("GET",))
def join_conversation(ctx: Ctx, channel: str) -> dict[str, Any]:
    """Joins a public channel.

    channel: The channel's id.
    """
    row = conversation(ctx, channel)
    if row.kind != "public":
        raise err("method_not_supported_for_channel_type")
    if row.is_archived:
        raise err("is_archived")
    if is_member(ctx, row.id, me(ctx)):
        return {
            "channel": shown(ctx, row),
            "warning": "already_in_channel",
            "response_metadata": {"warnings": ["already_in_channel"]},
        }
    ctx.db.add(Member(channel=row.id, user=me(ctx), joined=ctx.epoch()))
    notice(ctx, row.id, "channel_join", f"<@{me(ctx)}> has joined the channel")
    return {"channel": shown(ctx, row)}


@app.post("/api/conversations.leave", tool="leave_conversation", effect="delete", also=("GET",))
def leave_conversation(ctx: Ctx, channel: str) -> dict[str, Any]:
    """Leaves a channel. The general channel cannot be left, nor a private one by its last member.

    channel: The channel's id.
    """
    row = conversation(ctx, channel)
    if row.kind not in CHANNELS:
        raise err("method_not_supported_for_channel_type")
    if row.is_general:
        raise err("cant_leave_general")
    if row.is_archived:
        raise err("is_archived")
    mine = ctx.db.get(Member, (row.id, me(ctx)))
    if mine is None:
        return {"not_in_channel": True}
    if row.kind == "private" and ctx.db.count(Member, channel=row.id) == 1:
        raise err("last_member")
    ctx.db.delete(mine)
    notice(ctx, row.id, "channel_leave", f"<@{me(ctx)}> has left the channel")
    return {}


@app.post("/api/conversations.open", tool="open_conversation", effect="create", also=("GET",))
def open_conversation(
    ctx: Ctx,
    channel: str | None = None,
    users: str | None = None,
    return_im: bool = False,
    prevent_creation: Annotated[bool, Query(mcp=False)] = False,
) -> dict[str, Any]:
    """Opens a direct message with one user or with up to eight, or resumes the one there is; gives its id to post to.

    channel: The id of a direct message to open again; or give users.
    users: Ids of the other users, separated by commas.
    return_im: Whether to give the whole conversation and not only its id.
    prevent_creation: Whether only to look for one that is there.
    """
    if channel:
        row, made = conversation(ctx, channel), False
        if row.kind not in ("im", "mpim"):
            raise err("method_not_supported_for_channel_type")
    else:
        row, made = direct(ctx, _invited(ctx, users), create=not prevent_creation)
    mine = ctx.db.get(Member, (row.id, me(ctx)))
    already = not made and mine is not None and mine.is_open
    if mine is not None and not mine.is_open:
        ctx.db.update(mine, is_open=True)
    body = shown(ctx, row) if return_im else {"id": row.id}
    return {**({"no_op": True, "already_open": True} if already else {}), "channel": body}


def _invited(ctx: Ctx, given: str | None) -> list[User]:
    wanted = ids(given or "")
    if not wanted:
        raise err("users_list_not_supplied")
    if len(wanted) > 8:
        raise err("too_many_users")
    return users(ctx, given or "")


@app.post("/api/conversations.close", tool="close_conversation", effect="update", also=("GET",), mcp=False)
def close_conversation(ctx: Ctx, channel: str) -> dict[str, Any]:
    """Hides a direct message from your sidebar; its messages stay.

    channel: The direct message's id.
    """
    row = conversation(ctx, channel)
    mine = ctx.db.get(Member, (row.id, me(ctx)))
    if row.kind not in ("im", "mpim") or mine is None:
        raise err("method_not_supported_for_channel_type")
    if not mine.is_open:
        return {"no_op": True, "already_closed": True}
    ctx.db.update(mine, is_open=False)
    return {}
