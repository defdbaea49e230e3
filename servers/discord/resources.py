"""Rows as Discord's JSON objects. https://discord.com/developers/docs/resources"""

from typing import Any

from legoenv_mcp.app import Ctx, Reply

from .access import (
    CATEGORY,
    DIRECT,
    FORUM,
    NEWS,
    PRIVATE_THREAD,
    TEXT,
    THREADS,
    VOICE,
    me,
    moment,
    on_mcp,
    stamp,
    the_guild,
)
from .models import (
    Audit_Entry,
    Channel,
    Emoji,
    Event,
    Guild,
    Invite,
    Member,
    Message,
    Notice,
    Overwrite,
    Recipient,
    Role,
    Thread_Member,
    User,
    Webhook,
)

# Users and members


def user(row: User) -> dict[str, Any]:
    return {
        "id": row.id,
        "username": row.username,
        "avatar": None,
        "discriminator": "0",
        "public_flags": 0,
        "flags": 0,
        "banner": None,
        "accent_color": None,
        "global_name": row.global_name,
        "avatar_decoration_data": None,
        "banner_color": None,
        **({"bot": True} if row.bot else {}),
    }


def user_by_id(ctx: Ctx, user_id: str) -> dict[str, Any]:
    found = ctx.db.get(User, user_id)
    return user(found) if found else {"id": user_id, "username": "Deleted User", "discriminator": "0", "avatar": None}


def own_user(row: User) -> dict[str, Any]:
    private = {"mfa_enabled": False, "locale": row.locale, "premium_type": 0, "email": row.email, "verified": True}
    return user(row) | private


def member(ctx: Ctx, row: Member, *, bare: bool = False) -> dict[str, Any]:
    made = {
        "avatar": None,
        "banner": None,
        "communication_disabled_until": row.communication_disabled_until,
        "flags": 0,
        "joined_at": row.joined_at,
        "nick": row.nick,
        "pending": False,
        "premium_since": None,
        "roles": row.roles,
        "mute": row.mute,
        "deaf": row.deaf,
    }
    return made if bare else {"user": user_by_id(ctx, row.user_id), **made}


# The server


def role(row: Role) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "description": None,
        "permissions": str(row.permissions),
        "position": row.position,
        "color": row.color,
        "colors": {"primary_color": row.color, "secondary_color": None, "tertiary_color": None},
        "hoist": row.hoist,
        "managed": row.managed,
        "mentionable": row.mentionable,
        "icon": None,
        "unicode_emoji": None,
        "flags": 0,
    }


def emoji(ctx: Ctx, row: Emoji) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "roles": row.roles,
        "user": user_by_id(ctx, row.user_id),
        "require_colons": True,
        "managed": False,
        "animated": row.animated,
        "available": True,
    }


def guild(ctx: Ctx, row: Guild, counts: bool = False) -> dict[str, Any]:
    people = ctx.db.count(Member)
    return {
        "id": row.id,
        "name": row.name,
        "icon": None,
        "description": row.description,
        "home_header": None,
        "splash": None,
        "discovery_splash": None,
        "features": row.features,
        "banner": None,
        "owner_id": row.owner_id,
        "application_id": None,
        "region": "deprecated",
        "afk_channel_id": row.afk_channel_id,
        "afk_timeout": row.afk_timeout,
        "system_channel_id": row.system_channel_id,
        "system_channel_flags": 0,
        "widget_enabled": False,
        "widget_channel_id": None,
        "verification_level": row.verification_level,
        "roles": [role(one) for one in ctx.db.find(Role, order="position,id")],
        "default_message_notifications": row.default_message_notifications,
        "mfa_level": 0,
        "explicit_content_filter": row.explicit_content_filter,
        "max_presences": None,
        "max_members": 500000,
        "max_stage_video_channel_users": 50,
        "max_video_channel_users": 25,
        "vanity_url_code": None,
        "premium_tier": 0,
        "premium_subscription_count": 0,
        "preferred_locale": row.preferred_locale,
        "rules_channel_id": row.rules_channel_id,
        "safety_alerts_channel_id": None,
        "public_updates_channel_id": None,
        "premium_progress_bar_enabled": False,
        "nsfw": False,
        "nsfw_level": 0,
        "emojis": [emoji(ctx, one) for one in ctx.db.find(Emoji)],
        "stickers": [],
        **({"approximate_member_count": people, "approximate_presence_count": people} if counts else {}),
    }


def preview(ctx: Ctx, row: Guild) -> dict[str, Any]:
    shown = ("id", "name", "icon", "splash", "discovery_splash", "emojis", "features", "description", "stickers")
    whole = guild(ctx, row, counts=True)
    return {name: whole[name] for name in (*shown, "approximate_member_count", "approximate_presence_count")}


# Channels


def overwrite(row: Overwrite) -> dict[str, Any]:
    return {"id": row.id, "type": row.type, "allow": str(row.allow), "deny": str(row.deny)}


def _last_message(ctx: Ctx, channel_id: str) -> str | None:
    newest = (ctx.db.first(kind, order="-seq", channel_id=channel_id) for kind in (Message, Notice))
    found = [row for row in newest if row is not None]
    return max(found, key=lambda row: row.seq).id if found else None


def _last_pin(ctx: Ctx, channel_id: str) -> str | None:
    found = ctx.db.first(Message, order="-pinned_at", channel_id=channel_id, pinned_at__null=False)
    return found.pinned_at if found else None


def channel(ctx: Ctx, row: Channel, *, listed: bool = False) -> dict[str, Any]:
    """A channel. Agents see overwrites on one channel, not in lists: they are the bulk of them."""
    if row.type in DIRECT:
        return _direct(ctx, row)
    if row.type in THREADS:
        return thread(ctx, row)
    made: dict[str, Any] = {
        "id": row.id,
        "type": row.type,
        "name": row.name,
        "guild_id": the_guild(ctx).id,
        "parent_id": row.parent_id,
        "position": row.position,
        "flags": 0,
    }
    if row.type in (TEXT, NEWS, VOICE, FORUM):
        made |= {"nsfw": row.nsfw, "rate_limit_per_user": row.rate_limit_per_user, "topic": row.topic}
    if row.type in (TEXT, NEWS, VOICE) and not (listed and on_mcp(ctx)):
        made["last_message_id"] = _last_message(ctx, row.id)
    if row.type in (TEXT, NEWS, FORUM) and not (listed and on_mcp(ctx)):
        pins = {"last_pin_timestamp": _last_pin(ctx, row.id)}
        made |= pins | {"default_auto_archive_duration": row.default_auto_archive_duration or 4320}
    if row.type == VOICE:
        made |= {"bitrate": row.bitrate, "user_limit": row.user_limit, "rtc_region": None}
    if row.type == FORUM:
        made |= {"available_tags": [], "default_reaction_emoji": None, "default_sort_order": None}
        posts = ctx.db.find(Channel, parent_id=row.id, type__in=THREADS)
        made |= {"default_forum_layout": 0, "last_message_id": max((p.id for p in posts), key=int, default=None)}
    if row.type == CATEGORY:
        made.pop("parent_id") if on_mcp(ctx) else None
    if not (listed and on_mcp(ctx)):
        made["permission_overwrites"] = [overwrite(o) for o in ctx.db.find(Overwrite, channel_id=row.id)]
    elif any(o.id == made["guild_id"] and o.deny & 1024 for o in ctx.db.find(Overwrite, channel_id=row.id)):
        made["private"] = True
    if listed and on_mcp(ctx):
        made.pop("guild_id")
    return made


def _direct(ctx: Ctx, row: Channel) -> dict[str, Any]:
    others = [r.user_id for r in ctx.db.find(Recipient, channel_id=row.id) if r.user_id != me(ctx)]
    made = {
        "id": row.id,
        "type": row.type,
        "last_message_id": _last_message(ctx, row.id),
        "flags": 0,
        "recipients": [user_by_id(ctx, one) for one in others],
    }
    return made if row.type == 1 else made | {"name": row.name or None, "icon": None, "owner_id": row.owner_id}


def thread(ctx: Ctx, row: Channel) -> dict[str, Any]:
    # A post's first message has the thread's id, and is not counted.
    first = ctx.db.get(Message, row.id)
    written = ctx.db.count(Message, channel_id=row.id) - (first is not None and first.channel_id == row.id)
    meta: dict[str, Any] = {
        "archived": row.archived,
        "archive_timestamp": row.archive_timestamp or stamp(moment(row.id)),
        "auto_archive_duration": row.auto_archive_duration,
        "locked": row.locked,
        "create_timestamp": stamp(moment(row.id)),
    }
    if row.type == PRIVATE_THREAD:
        meta["invitable"] = row.invitable
    mine = ctx.db.get(Thread_Member, (row.id, me(ctx)))
    return {
        "id": row.id,
        "type": row.type,
        "name": row.name,
        "guild_id": the_guild(ctx).id,
        "parent_id": row.parent_id,
        "owner_id": row.owner_id,
        "last_message_id": _last_message(ctx, row.id),
        "rate_limit_per_user": row.rate_limit_per_user,
        "flags": 0,
        "message_count": written,
        "total_message_sent": written,
        "member_count": min(50, ctx.db.count(Thread_Member, thread_id=row.id)),
        "thread_metadata": meta,
        **({"member": thread_member(ctx, mine)} if mine and not on_mcp(ctx) else {}),
    }


def thread_member(ctx: Ctx, row: Thread_Member, whole: bool = False) -> dict[str, Any]:
    made = {"id": row.thread_id, "user_id": row.user_id, "join_timestamp": row.join_timestamp, "flags": 0}
    found = ctx.db.get(Member, row.user_id) if whole else None
    return made | {"member": member(ctx, found)} if found else made


# The rest


def invite(ctx: Ctx, row: Invite, *, metadata: bool = True) -> dict[str, Any]:
    server, place = the_guild(ctx), ctx.db.get(Channel, row.channel_id)
    made_at = ctx.parse_time(row.created_at)
    ends = stamp(_later(made_at, row.max_age)) if row.max_age else None
    known = {"uses": row.uses, "max_uses": row.max_uses, "max_age": row.max_age, "temporary": row.temporary}
    return {
        "type": 0,
        "code": row.code,
        "inviter": user_by_id(ctx, row.inviter_id),
        "expires_at": ends,
        "guild": {
            "id": server.id,
            "name": server.name,
            "splash": None,
            "banner": None,
            "description": server.description,
            "icon": None,
            "features": server.features,
            "verification_level": server.verification_level,
            "vanity_url_code": None,
            "nsfw_level": 0,
            "premium_subscription_count": 0,
        },
        "guild_id": server.id,
        "channel": {"id": row.channel_id, "name": place.name if place else "", "type": place.type if place else 0},
        **(known | {"created_at": row.created_at} if metadata else {}),
    }


def _later(at: Any, seconds: int) -> Any:
    return at.fromtimestamp(at.timestamp() + seconds, at.tzinfo)


def webhook(ctx: Ctx, row: Webhook, *, whole: bool = True) -> dict[str, Any]:
    made = {
        "id": row.id,
        "type": 1,
        "name": row.name,
        "avatar": None,
        "channel_id": row.channel_id,
        "guild_id": the_guild(ctx).id,
        "application_id": None,
        "token": row.token,
        "url": f"https://discord.com/api/webhooks/{row.id}/{row.token}",
    }
    return made | {"user": user_by_id(ctx, row.user_id)} if whole else made


def event(ctx: Ctx, row: Event, counts: bool = False) -> dict[str, Any]:
    return {
        "id": row.id,
        "guild_id": the_guild(ctx).id,
        "channel_id": row.channel_id,
        "creator_id": row.creator_id,
        "name": row.name,
        "description": row.description,
        "image": None,
        "scheduled_start_time": row.scheduled_start_time,
        "scheduled_end_time": row.scheduled_end_time,
        "privacy_level": 2,
        "status": row.status,
        "entity_type": row.entity_type,
        "entity_id": None,
        "recurrence_rule": None,
        "entity_metadata": {"location": row.location} if row.entity_type == 3 else None,
        "creator": user_by_id(ctx, row.creator_id),
        **({"user_count": 1} if counts else {}),
    }


def audit_entry(row: Audit_Entry) -> dict[str, Any]:
    return {
        "id": row.id,
        "user_id": row.user_id,
        "target_id": row.target_id,
        "action_type": row.action_type,
        "changes": row.changes,
        **({"options": row.options} if row.options else {}),
        **({"reason": row.reason} if row.reason else {}),
    }


def nothing(ctx: Ctx) -> Reply:
    """204: done, with nothing to tell."""
    return Reply(None, 204)
