"""Rows as Slack's JSON objects. https://docs.slack.dev/reference/objects

Over REST the objects are whole. Agents on the MCP face get the same fields without those that are empty or false everywhere.
"""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from legoenv_mcp.app import Ctx

from .access import is_member, me, on_mcp
from .models import Conversation, File, FileShare, Member, Message, Notice, Pin, ProfileField, Reaction, Star, Team, User

_NO_PARENT = "0000000000.000000"


def team(ctx: Ctx) -> Team:
    found = ctx.db.first(Team)
    assert found is not None
    return found


def workspace_url(ctx: Ctx) -> str:
    return f"https://{team(ctx).domain}.slack.com/"


# Users


def _zone(ctx: Ctx, name: str) -> tuple[str, int]:
    """A time zone's label and its offset now, in seconds."""
    try:
        now = ctx.now.astimezone(ZoneInfo(name))
    except (OSError, ValueError, KeyError):
        return name, 0
    offset = now.utcoffset()
    return now.tzname() or name, int(offset.total_seconds()) if offset else 0


def profile(ctx: Ctx, user: User, labels: bool = False) -> dict[str, Any]:
    digest = hashlib.blake2b(user.id.encode(), digest_size=6).hexdigest()
    known = {field.id: field.label for field in ctx.db.find(ProfileField)} if labels else {}
    fields = {k: {"value": v, "alt": "", **({"label": known.get(k, "")} if labels else {})} for k, v in user.fields.items()}
    made: dict[str, Any] = {
        "title": user.title, "phone": user.phone, "skype": "", "real_name": user.real_name, "real_name_normalized": user.real_name,
        "display_name": user.display_name, "display_name_normalized": user.display_name, "fields": fields,
        "status_text": user.status_text, "status_emoji": user.status_emoji, "status_emoji_display_info": [],
        "status_expiration": user.status_expiration, "avatar_hash": digest, "start_date": user.start_date, "pronouns": user.pronouns,
        "email": user.email, "first_name": user.first_name, "last_name": user.last_name, "status_text_canonical": "", "team": team(ctx).id,
    }  # fmt: skip
    if not on_mcp(ctx):
        made |= {f"image_{size}": f"https://secure.gravatar.com/avatar/{digest}.jpg?s={size}" for size in (24, 32, 48, 72, 192, 512)}
    return made


def user(ctx: Ctx, row: User) -> dict[str, Any]:
    label, offset = _zone(ctx, row.tz)
    if on_mcp(ctx):
        known = {field.id: field.label for field in ctx.db.find(ProfileField)}
        flat = {
            "id": row.id, "name": row.name, "real_name": row.real_name, "display_name": row.display_name, "title": row.title, "email": row.email,
            "phone": row.phone, "tz": row.tz, "status_text": row.status_text, "status_emoji": row.status_emoji,
            **{known[k].lower().replace(" ", "_"): v for k, v in row.fields.items() if k in known},
            "is_admin": row.is_admin, "is_bot": row.is_bot, "deleted": row.deleted,
        }  # fmt: skip
        return {name: value for name, value in flat.items() if value or name == "id"}
    return {
        "id": row.id, "team_id": team(ctx).id, "name": row.name, "deleted": row.deleted, "color": "9f69e7", "real_name": row.real_name,
        "tz": row.tz, "tz_label": label, "tz_offset": offset, "profile": profile(ctx, row), "is_admin": row.is_admin, "is_owner": False,
        "is_primary_owner": False, "is_restricted": False, "is_ultra_restricted": False, "is_bot": row.is_bot, "is_app_user": False,
        "updated": row.updated, "is_email_confirmed": bool(row.email), "who_can_share_contact_card": "EVERYONE",
    }  # fmt: skip


# Conversations


def channel_name(ctx: Ctx, row: Conversation) -> str:
    """The name; a direct message's is the other person's id."""
    return row.name if row.kind != "im" else other_party(ctx, row)


def other_party(ctx: Ctx, row: Conversation) -> str:
    """Whom a direct message is with; oneself in the notes to self."""
    people = [m.user for m in ctx.db.find(Member, channel=row.id)]
    return next((u for u in people if u != me(ctx)), people[0] if people else "")


def channel(ctx: Ctx, row: Conversation, *, count: bool = False, own: bool = False) -> dict[str, Any]:
    """A conversation. `count` adds the number of members, `own` the caller's read mark (as conversations.info shows it)."""
    mine = ctx.db.get(Member, (row.id, me(ctx)))
    extra: dict[str, Any] = {"num_members": ctx.db.count(Member, channel=row.id)} if count and row.kind != "im" else {}
    if own and mine is not None:
        extra["last_read"] = mine.last_read
    if on_mcp(ctx):
        return _slim_channel(ctx, row, mine is not None, extra)
    if row.kind == "im":
        return {
            "id": row.id, "created": row.created, "is_archived": row.is_archived, "is_im": True, "is_org_shared": False, "context_team_id": team(ctx).id,
            "updated": row.updated * 1000, "user": other_party(ctx, row), "is_user_deleted": _is_deleted(ctx, other_party(ctx, row)),
            "is_open": bool(mine and mine.is_open), "priority": 0, **extra,
        }  # fmt: skip
    return {
        "id": row.id, "name": row.name, "is_channel": row.kind == "public", "is_group": row.kind == "private", "is_im": False,
        "is_mpim": row.kind == "mpim", "is_private": row.kind != "public", "created": row.created, "is_archived": row.is_archived,
        "is_general": row.is_general, "unlinked": 0, "name_normalized": row.name, "is_shared": False, "is_org_shared": False,
        "is_pending_ext_shared": False, "pending_shared": [], "context_team_id": team(ctx).id, "updated": row.updated * 1000,
        "parent_conversation": None, "creator": row.creator, "is_ext_shared": False, "shared_team_ids": [team(ctx).id],
        "pending_connected_team_ids": [], "is_member": mine is not None,
        "topic": {"value": row.topic, "creator": row.topic_creator, "last_set": row.topic_set},
        "purpose": {"value": row.purpose, "creator": row.purpose_creator, "last_set": row.purpose_set},
        "previous_names": row.previous_names, **extra,
    }  # fmt: skip


def _slim_channel(ctx: Ctx, row: Conversation, mine: bool, extra: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"id": row.id, "name": row.name, "type": {"public": "public_channel", "private": "private_channel"}.get(row.kind, row.kind)}
    if row.kind == "im":
        made |= {"user": other_party(ctx, row)}
    flags = {"is_general": row.is_general, "is_archived": row.is_archived}
    made |= {"is_member": mine, **{k: v for k, v in flags.items() if v}, **extra}
    texts = {"topic": row.topic, "purpose": row.purpose, "creator": row.creator, "previous_names": row.previous_names}
    return made | {"created": row.created} | {k: v for k, v in texts.items() if v}


def _is_deleted(ctx: Ctx, user_id: str) -> bool:
    found = ctx.db.get(User, user_id)
    return found is not None and found.deleted


# Messages


class Thread:
    """What a parent shows of its replies."""

    def __init__(self, replies: Sequence[Message]) -> None:
        self.count = len(replies)
        self.users = list(dict.fromkeys(r.user for r in replies))
        self.latest = replies[-1].ts if replies else ""


def messages(ctx: Ctx, rows: Iterable[Message | Notice]) -> list[dict[str, Any]]:
    return [notice(row) if isinstance(row, Notice) else message(ctx, row) for row in rows]


def notice(row: Notice) -> dict[str, Any]:
    return {"type": "message", "subtype": row.subtype, "ts": row.ts, "user": row.user, "text": row.text, **row.extra}


def message(ctx: Ctx, row: Message) -> dict[str, Any]:
    """A message with its thread's figures, reactions, files and pins."""
    made: dict[str, Any] = {"type": "message", "user": row.user, "ts": row.ts, "text": row.text}
    if row.subtype:
        made["subtype"] = row.subtype
    if not on_mcp(ctx):
        made["team"] = team(ctx).id
    icons = {k: v for k, v in {"emoji": row.icon_emoji, "image_48": row.icon_url}.items() if v}
    edited = {"user": row.edited_by, "ts": row.edited_ts} if row.edited_by else None
    event = row.event
    given = {"username": row.username, "icons": icons, "blocks": row.blocks, "attachments": row.attachments, "edited": edited, "metadata": event}
    made |= {name: value for name, value in given.items() if value}
    if row.files:
        made["files"] = [_file_of_message(ctx, one) for one in row.files]
    if row.thread_ts:
        parent = ctx.db.get(Message, (row.channel, row.thread_ts))
        made |= {"thread_ts": row.thread_ts, "parent_user_id": parent.user if parent else ""}
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
        "thread_ts": row.ts, "reply_count": thread.count, "reply_users_count": len(thread.users), "latest_reply": thread.latest,
        "reply_users": thread.users[:5], "is_locked": False, "subscribed": me(ctx) in {row.user, *thread.users},
    }  # fmt: skip


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
    mine = ctx.db.get(Member, (row.id, me(ctx)))
    return ctx.db.count(Message, channel=row.id, ts__gt=mine.last_read if mine else _NO_PARENT)


# Files


def _file_of_message(ctx: Ctx, file_id: str) -> dict[str, Any]:
    found = ctx.db.get(File, file_id)
    return {"id": file_id, "mode": "tombstone"} if found is None else file(ctx, found)


def file_bytes(row: File) -> bytes:
    return base64.b64decode(row.content) if row.is_base64 else row.content.encode()


PRETTY = {
    "text": "Plain Text", "csv": "CSV", "markdown": "Markdown (raw)", "pdf": "PDF", "png": "PNG", "jpg": "JPEG", "gif": "GIF", "json": "JSON", "python": "Python",
    "javascript": "JavaScript", "html": "HTML", "yaml": "YAML", "xml": "XML", "zip": "Zip", "docx": "Word Document", "xlsx": "Excel Spreadsheet",
    "pptx": "PowerPoint Presentation", "quip": "Canvas", "sql": "SQL", "shell": "Shell", "binary": "Binary", "svg": "SVG", "mp4": "MPEG 4 Video", "email": "Email",
}  # fmt: skip


def file(ctx: Ctx, row: File) -> dict[str, Any]:
    shares = ctx.db.find(FileShare, file=row.id)
    places = {c.id: c for c in (ctx.db.get(Conversation, s.channel) for s in shares) if c is not None and (c.kind == "public" or is_member(ctx, c.id, me(ctx)))}
    kinds = {"channels": ("public",), "groups": ("private",), "ims": ("im", "mpim")}
    base = ctx.request.base or "https://files.slack.com"
    link = f"{base}/files-pri/{team(ctx).id}-{row.id}"
    owner = ctx.db.get(User, row.user)
    mode = "quip" if row.filetype == "quip" else "hosted" if row.is_base64 or row.filetype not in _SNIPPETS else "snippet"
    if on_mcp(ctx):
        slim = {"id": row.id, "name": row.name, "title": row.title, "filetype": row.filetype, "user": row.user, "created": row.created, "size": row.size}
        return slim | ({"channels": list(places)} if places else {})
    made: dict[str, Any] = {
        "id": row.id, "created": row.created, "timestamp": row.created, "name": row.name, "title": row.title, "mimetype": row.mimetype,
        "filetype": row.filetype, "pretty_type": PRETTY.get(row.filetype, row.filetype.upper()), "user": row.user, "user_team": team(ctx).id,
        "editable": mode != "hosted", "size": row.size, "mode": mode, "is_external": False, "external_type": "",
        "is_public": any(c.kind == "public" for c in places.values()), "public_url_shared": False, "display_as_bot": False,
        "username": owner.display_name if owner else "", "url_private": f"{link}/{row.name}", "url_private_download": f"{link}/download/{row.name}",
        "permalink": f"{workspace_url(ctx)}files/{row.user}/{row.id}/{row.name}", "has_rich_preview": False, "file_access": "visible",
        "comments_count": 0, **({"alt_txt": row.alt_txt} if row.alt_txt else {}),
        "shares": {}, **{name: [c.id for c in places.values() if c.kind in wanted] for name, wanted in kinds.items()},
    }  # fmt: skip
    for share in shares:
        if share.channel in places:
            group = "public" if places[share.channel].kind == "public" else "private"
            entry = {"ts": share.ts, "channel_name": places[share.channel].name, "team_id": team(ctx).id, "share_user_id": row.user}
            made["shares"].setdefault(group, {}).setdefault(share.channel, []).append(entry)
    return made


_SNIPPETS = {"text", "csv", "markdown", "json", "python", "javascript", "html", "yaml", "xml", "sql", "shell"}
