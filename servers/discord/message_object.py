"""A message as Discord's JSON object. https://discord.com/developers/docs/resources/message#message-object"""

from typing import Any

from legoenv_mcp.app import Ctx

from .access import DIRECT, THREADS, me, moment, on_mcp, permissions, stamp, the_guild
from .models import Attachment, Channel, Message, Notice, Reaction
from .resources import thread, user_by_id

REPLY, _STARTER = 19, 21
HAS_THREAD = 1 << 5
_CDN = "https://cdn.discordapp.com"


def attachment(ctx: Ctx, row: Attachment, channel_id: str) -> dict[str, Any]:
    path = f"attachments/{channel_id}/{row.id}/{row.filename}"
    made = {
        "id": row.id,
        "filename": row.filename,
        "size": row.size,
        "url": f"{_CDN}/{path}",
        "proxy_url": f"https://media.discordapp.net/{path}",
        "content_type": row.content_type,
        "description": row.description,
    }
    if on_mcp(ctx):
        made.pop("proxy_url")
    return made


def emoji_object(name: str) -> dict[str, Any]:
    """A reaction's emoji, from how reactions are kept."""
    word, _, id = name.rpartition(":")
    return {"id": id, "name": word} if word and id.isdecimal() else {"id": None, "name": name}


def reactions(ctx: Ctx, message_id: str) -> list[dict[str, Any]]:
    made = dict[str, dict[str, Any]]()
    for one in ctx.db.find(Reaction, message_id=message_id, order="number"):
        told = made.setdefault(
            one.emoji,
            {"emoji": emoji_object(one.emoji), "count": 0, "me": False, "me_burst": False, "burst_me": False},
        )
        told["count"] += 1
        told["me"] |= one.user_id == me(ctx)
    details = {"burst_count": 0, "burst_colors": []}
    if on_mcp(ctx):
        return list(made.values())
    return [told | details | {"count_details": {"burst": 0, "normal": told["count"]}} for told in made.values()]


def message(ctx: Ctx, row: Message | Notice, *, quoting: bool = True) -> dict[str, Any]:
    """A message; a reply brings the message that it answers, unless agents asked for a list."""
    if isinstance(row, Notice):
        return _notice(ctx, row)
    files = ctx.db.find(Attachment, message_id=row.id)
    made: dict[str, Any] = {
        "id": row.id,
        "type": row.type,
        "channel_id": row.channel_id,
        "author": _author(ctx, row),
        "content": row.content,
        "timestamp": stamp(moment(row.id)),
        "edited_timestamp": row.edited_timestamp,
        "tts": row.tts,
        "mention_everyone": row.mention_everyone,
        "mentions": [user_by_id(ctx, one) for one in row.mentions],
        "mention_roles": row.mention_roles,
        "attachments": [attachment(ctx, one, row.channel_id) for one in files],
        "embeds": row.embeds,
        "pinned": row.pinned_at is not None,
        "flags": row.flags,
        "components": [],
    }
    if told := reactions(ctx, row.id):
        made["reactions"] = told
    if row.nonce:
        made["nonce"] = row.nonce
    if row.webhook_id:
        made["webhook_id"] = row.webhook_id
    if row.reference_id:
        made["message_reference"] = _reference(ctx, row.channel_id, row.reference_id)
        original = ctx.db.get(Message, row.reference_id)
        if quoting:
            made["referenced_message"] = message(ctx, original, quoting=False) if original else None
    if row.forwarded:
        made |= _forwarded(ctx, row.forwarded)
    begun = ctx.db.get(Channel, row.id)
    if begun is not None and begun.type in THREADS and permissions(ctx, begun, me(ctx)):
        made |= {"thread": thread(ctx, begun), "flags": row.flags | HAS_THREAD}
    return made


def _forwarded(ctx: Ctx, kept: dict[str, Any]) -> dict[str, Any]:
    where = {"type": 1, "channel_id": kept["channel_id"], "message_id": kept["message_id"]}
    inner = {name: value for name, value in kept.items() if name not in where or name == "type"}
    inner |= {"mentions": [user_by_id(ctx, one) for one in kept["mentions"]], "components": []}
    reference = _reference(ctx, kept["channel_id"], kept["message_id"]) | where
    return {"message_reference": reference, "message_snapshots": [{"message": inner}]}


def _author(ctx: Ctx, row: Message) -> dict[str, Any]:
    if row.webhook_id is None:
        return user_by_id(ctx, row.author_id)
    return {
        "id": row.webhook_id,
        "username": row.webhook_name or "",
        "avatar": None,
        "discriminator": "0000",
        "public_flags": 0,
        "flags": 0,
        "bot": True,
        "global_name": None,
    }


def _reference(ctx: Ctx, channel_id: str, message_id: str | None) -> dict[str, Any]:
    made: dict[str, Any] = {"type": 0, "channel_id": channel_id}
    found = ctx.db.get(Channel, channel_id)
    if found is not None and found.type not in DIRECT:
        made["guild_id"] = the_guild(ctx).id
    if message_id:
        made["message_id"] = message_id
    return {"message_id": message_id} if on_mcp(ctx) and message_id else made


def _notice(ctx: Ctx, row: Notice) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": row.id,
        "type": row.type,
        "channel_id": row.channel_id,
        "author": user_by_id(ctx, row.author_id),
        "content": row.content,
        "timestamp": stamp(moment(row.id)),
        "edited_timestamp": None,
        "tts": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": [],
        "pinned": False,
        "flags": 0,
        "components": [],
    }
    if row.reference_channel:
        made["message_reference"] = _reference(ctx, row.reference_channel, row.reference_id)
    if row.type == _STARTER:
        original = ctx.db.get(Message, row.reference_id) if row.reference_id else None
        made["referenced_message"] = message(ctx, original, quoting=False) if original else None
        if made["referenced_message"]:
            made["referenced_message"].pop("thread", None)
    return made
