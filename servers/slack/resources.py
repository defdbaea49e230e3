"""Rows as Slack's JSON objects. https://docs.slack.dev/reference/objects

Over REST the objects are whole. Agents on the MCP face get the same fields without those that are empty or false everywhere.
"""

import hashlib
from typing import Any
from zoneinfo import ZoneInfo

from legoenv_mcp.app import Ctx

from .access import me, on_mcp
from .models import CanvasSection, ChannelCanvas, Conversation, Member, ProfileField, Team, User


def team(ctx: Ctx) -> Team:
    found = ctx.once("team", lambda: ctx.db.first(Team))
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
    fields = {
        k: {"value": v, "alt": "", **({"label": known.get(k, "")} if labels else {})} for k, v in user.fields.items()
    }
    made: dict[str, Any] = {
        "title": user.title,
        "phone": user.phone,
        "skype": "",
        "real_name": user.real_name,
        "real_name_normalized": user.real_name,
        "display_name": user.display_name,
        "display_name_normalized": user.display_name,
        "fields": fields,
        "status_text": user.status_text,
        "status_emoji": user.status_emoji,
        "status_emoji_display_info": [],
        "status_expiration": user.status_expiration,
        "avatar_hash": digest,
        "start_date": user.start_date,
        "pronouns": user.pronouns,
        "email": user.email,
        "first_name": user.first_name,
        "last_name": user.last_name,
        "status_text_canonical": "",
        "team": team(ctx).id,
    }
    if not on_mcp(ctx):
        made |= {
            f"image_{size}": f"https://secure.gravatar.com/avatar/{digest}.jpg?s={size}"
            for size in (24, 32, 48, 72, 192, 512)
        }
    return made


_OF_DELETED = {"id", "team_id", "name", "deleted", "profile", "is_bot", "is_app_user", "updated"}
"""What Slack still tells of a deactivated user."""


def user(ctx: Ctx, row: User) -> dict[str, Any]:
    label, offset = _zone(ctx, row.tz)
    if on_mcp(ctx):
        known = {field.id: field.label for field in ctx.db.find(ProfileField)}
        flat = {
            "id": row.id,
            "name": row.name,
            "real_name": row.real_name,
            "display_name": row.display_name,
            "title": row.title,
            "email": row.email,
            "phone": row.phone,
            "tz": row.tz,
            "status_text": row.status_text,
            "status_emoji": row.status_emoji,
            **{known[k].lower().replace(" ", "_"): v for k, v in row.fields.items() if k in known},
            "is_admin": row.is_admin,
            "is_bot": row.is_bot,
            "deleted": row.deleted,
        }
        return {name: value for name, value in flat.items() if value or name == "id"}
    whole = {
        "id": row.id,
        "team_id": team(ctx).id,
        "name": row.name,
        "deleted": row.deleted,
        "color": "9f69e7",
        "real_name": row.real_name,
        "tz": row.tz,
        "tz_label": label,
        "tz_offset": offset,
        "profile": profile(ctx, row),
        "is_admin": row.is_admin,
        "is_owner": False,
        "is_primary_owner": False,
        "is_restricted": False,
        "is_ultra_restricted": False,
        "is_bot": row.is_bot,
        "is_app_user": False,
        "updated": row.updated,
        "is_email_confirmed": bool(row.email),
        "who_can_share_contact_card": "EVERYONE",
    }
    return {k: v for k, v in whole.items() if k in _OF_DELETED} if row.deleted else whole


# Conversations


def channel_name(ctx: Ctx, row: Conversation) -> str:
    """The name; a direct message's is the other person's id."""
    return row.name if row.kind != "im" else other_party(ctx, row)


def other_party(ctx: Ctx, row: Conversation) -> str:
    """Whom a direct message is with; oneself in the notes to self."""
    people = [m.user for m in ctx.db.find(Member, channel=row.id)]
    return next((u for u in people if u != me(ctx)), people[0] if people else "")


def channel(ctx: Ctx, row: Conversation, *, count: bool = False, own: bool = False) -> dict[str, Any]:
    """A conversation. `count` adds the number of members, `own` the caller's read mark and its canvas (both in conversations.info)."""
    mine = ctx.db.get(Member, (row.id, me(ctx)))
    extra: dict[str, Any] = {"num_members": ctx.db.count(Member, channel=row.id)} if count and row.kind != "im" else {}
    if own and mine is not None:
        extra["last_read"] = mine.last_read
    if own and (tab := ctx.db.get(ChannelCanvas, row.id)) is not None:
        empty = not ctx.db.count(CanvasSection, canvas=tab.canvas)
        extra["properties"] = {"canvas": {"file_id": tab.canvas, "is_empty": empty}}
    if on_mcp(ctx):
        return _slim_channel(ctx, row, mine is not None, extra)
    if row.kind == "im":
        return {
            "id": row.id,
            "created": row.created,
            "is_archived": row.is_archived,
            "is_im": True,
            "is_org_shared": False,
            "context_team_id": team(ctx).id,
            "updated": row.updated * 1000,
            "user": other_party(ctx, row),
            "is_user_deleted": _is_deleted(ctx, other_party(ctx, row)),
            "is_open": bool(mine and mine.is_open),
            "priority": 0,
            **extra,
        }
    return {
        "id": row.id,
        "name": row.name,
        "is_channel": row.kind == "public",
        "is_group": row.kind in ("private", "mpim"),
        "is_im": False,
        "is_mpim": row.kind == "mpim",
        "is_private": row.kind != "public",
        "created": row.created,
        "is_archived": row.is_archived,
        "is_general": row.is_general,
        "unlinked": 0,
        "name_normalized": row.name,
        "is_shared": False,
        "is_org_shared": False,
        "is_pending_ext_shared": False,
        "pending_shared": [],
        "context_team_id": team(ctx).id,
        "updated": row.updated * 1000,
        "parent_conversation": None,
        "creator": row.creator,
        "is_ext_shared": False,
        "shared_team_ids": [team(ctx).id],
        "pending_connected_team_ids": [],
        "is_member": mine is not None,
        "topic": {"value": row.topic, "creator": row.topic_creator, "last_set": row.topic_set},
        "purpose": {"value": row.purpose, "creator": row.purpose_creator, "last_set": row.purpose_set},
        "previous_names": row.previous_names,
        **extra,
    }


def _slim_channel(ctx: Ctx, row: Conversation, mine: bool, extra: dict[str, Any]) -> dict[str, Any]:
    kind = {"public": "public_channel", "private": "private_channel"}.get(row.kind, row.kind)
    made: dict[str, Any] = {"id": row.id, "name": row.name, "type": kind}
    if row.kind == "im":
        party = ctx.db.get(User, other_party(ctx, row))
        made = {"id": row.id, "type": kind} | ({"user": party.id, "username": party.name} if party else {})
    flags = {"is_general": row.is_general, "is_archived": row.is_archived}
    made |= {"is_member": mine, **{k: v for k, v in flags.items() if v}, **extra}
    texts = {"topic": row.topic, "purpose": row.purpose, "creator": row.creator, "previous_names": row.previous_names}
    return made | {"created": row.created} | {k: v for k, v in texts.items() if v}


def _is_deleted(ctx: Ctx, user_id: str) -> bool:
    found = ctx.db.get(User, user_id)
    return found is not None and found.deleted
