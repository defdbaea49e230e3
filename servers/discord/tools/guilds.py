"""The server, its audit log and emoji. https://discord.com/developers/docs/resources/guild"""

import re
from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Ctx, Field

from .. import access as a
from .. import audit, resources
from ..app import app, err, form
from ..models import Audit_Entry, Channel, Emoji, Role, User, Webhook


@app.get("/guilds/{guild_id}", tool="get_guild")
def get_guild(ctx: Ctx, guild_id: a.Snowflake, with_counts: bool = False) -> dict[str, Any]:
    """Gets the server with its roles and emoji.

    guild_id: The server's id.
    with_counts: Whether to tell how many members it has.
    """
    return resources.guild(ctx, a.guild(ctx, guild_id), with_counts)


@app.get("/guilds/{guild_id}/preview", tool="get_guild_preview", mcp=False)
def get_guild_preview(ctx: Ctx, guild_id: a.Snowflake) -> dict[str, Any]:
    """Gets what the server shows of itself.

    guild_id: The server's id.
    """
    return resources.preview(ctx, a.guild(ctx, guild_id))


@app.patch("/guilds/{guild_id}", tool="modify_guild", mcp=False)
def modify_guild(
    ctx: Ctx,
    guild_id: a.Snowflake,
    name: Annotated[str, Field(min_length=2, max_length=100)] | MISSING = MISSING,
    description: Annotated[str | None, Field(max_length=300)] | MISSING = MISSING,
    verification_level: Annotated[int | None, Field(ge=0, le=4)] | MISSING = MISSING,
    default_message_notifications: Annotated[int | None, Field(ge=0, le=1)] | MISSING = MISSING,
    explicit_content_filter: Annotated[int | None, Field(ge=0, le=2)] | MISSING = MISSING,
    system_channel_id: a.Snowflake | None | MISSING = MISSING,
    rules_channel_id: a.Snowflake | None | MISSING = MISSING,
    afk_channel_id: a.Snowflake | None | MISSING = MISSING,
) -> dict[str, Any]:
    """Changes the server's settings (needs Manage Server). Only what is sent changes.

    guild_id: The server's id.
    name: The new name, 2 to 100 characters.
    description: What the server is about.
    verification_level: 0 none to 4 very high.
    default_message_notifications: 0 all messages, 1 only mentions.
    explicit_content_filter: 0 nobody, 1 members without roles, 2 everyone.
    system_channel_id: The channel for Discord's own messages.
    rules_channel_id: The channel with the rules.
    afk_channel_id: The voice channel for those who are away.
    """
    row = a.guild(ctx, guild_id, a.MANAGE_GUILD)
    given = {k: v for k, v in ctx.sent().items() if v is not MISSING}
    for field in ("system_channel_id", "rules_channel_id", "afk_channel_id"):
        if given.get(field) is not None:
            found = ctx.db.get(Channel, given[field])
            kinds = (a.VOICE,) if field == "afk_channel_id" else (a.TEXT, a.NEWS)
            if found is None or found.type not in kinds:
                raise form(field, "CHANNEL_INVALID", "Invalid channel")
    for field in ("verification_level", "default_message_notifications", "explicit_content_filter"):
        if field in given and given[field] is None:
            given[field] = 0
    changes = audit.changed(row, **given)
    if changes:
        ctx.db.update(row, **given)
        audit.log(ctx, audit.GUILD_UPDATE, row.id, changes)
    return resources.guild(ctx, row)


@app.get("/guilds/{guild_id}/audit-logs", tool="get_guild_audit_log")
def get_guild_audit_log(
    ctx: Ctx,
    guild_id: a.Snowflake,
    user_id: a.Snowflake | None = None,
    action_type: int | None = None,
    before: a.Snowflake | None = None,
    after: a.Snowflake | None = None,
    limit: Annotated[int, Field(ge=1, le=100)] = 50,
) -> dict[str, Any]:
    """Reads the audit log, the latest first (needs View Audit Log). Types: 10-12 channels, 13-15 overwrites, 20 kick, 22 ban, 25 roles.

    guild_id: The server's id.
    user_id: Only what this user did.
    action_type: Only this kind of action.
    before: Entries before this entry's id.
    after: Entries after this entry's id; the earliest first.
    limit: How many, 1 to 100.
    """
    a.guild(ctx, guild_id, a.VIEW_AUDIT_LOG)
    rows = ctx.db.find(
        Audit_Entry,
        order="seq" if after else "-seq",
        limit=limit,
        user_id=user_id,
        action_type=action_type,
        seq__lt=min(int(before), 2**63 - 1) if before else None,
        seq__gt=min(int(after), 2**63 - 1) if after else None,
    )
    people = dict.fromkeys(u for row in rows for u in (row.user_id, row.target_id) if u and ctx.db.get(User, u))
    hooks = [h for t in dict.fromkeys(r.target_id for r in rows) if t and (h := ctx.db.get(Webhook, t))]
    return {
        "application_commands": [],
        "audit_log_entries": [resources.audit_entry(row) for row in rows],
        "auto_moderation_rules": [],
        "guild_scheduled_events": [],
        "integrations": [],
        "threads": [],
        "users": [resources.user_by_id(ctx, one) for one in people],
        "webhooks": [resources.webhook(ctx, one) for one in hooks],
    }


# Emoji of the server's own


@app.get("/guilds/{guild_id}/emojis", tool="list_guild_emojis", mcp=False)
def list_guild_emojis(ctx: Ctx, guild_id: a.Snowflake) -> list[dict[str, Any]]:
    """Lists the emoji of the server's own.

    guild_id: The server's id.
    """
    a.guild(ctx, guild_id)
    return [resources.emoji(ctx, row) for row in ctx.db.find(Emoji)]


@app.get("/guilds/{guild_id}/emojis/{emoji_id}", tool="get_guild_emoji", mcp=False)
def get_guild_emoji(ctx: Ctx, guild_id: a.Snowflake, emoji_id: a.Snowflake) -> dict[str, Any]:
    """Gets an emoji of the server's own.

    guild_id: The server's id.
    emoji_id: The emoji's id.
    """
    a.guild(ctx, guild_id)
    return resources.emoji(ctx, ctx.require(Emoji, emoji_id))


EmojiName = Annotated[str, Field(min_length=2, max_length=32)]


def _emoji_name(name: str) -> str:
    if not re.fullmatch(r"\w+", name, re.ASCII):
        raise form("name", "STRING_TYPE_REGEX", "String value did not match validation regex.")
    return name


def _emoji_roles(ctx: Ctx, roles: list[str] | None) -> list[str]:
    if any(ctx.db.get(Role, one) is None for one in roles or []):
        raise err(10011)
    return roles or []


@app.post("/guilds/{guild_id}/emojis", tool="create_guild_emoji", status=201, mcp=False)
def create_guild_emoji(
    ctx: Ctx, guild_id: a.Snowflake, name: EmojiName, image: str, roles: list[a.Snowflake] | None = None
) -> dict[str, Any]:
    """Adds an emoji to the server (needs Create Expressions).

    guild_id: The server's id.
    name: Its name, 2 to 32 letters, digits and underscores.
    image: The picture as a data URI.
    roles: Roles that may use it; all where empty.
    """
    a.guild(ctx, guild_id, a.CREATE_EXPRESSIONS)
    found = re.match(r"data:image/(png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]+$", image)
    if found is None:
        raise form("image", "IMAGE_INVALID", "Invalid image data")
    row = Emoji(
        id=a.snowflake(ctx),
        name=_emoji_name(name),
        roles=_emoji_roles(ctx, roles),
        user_id=a.me(ctx),
        animated=found[1] == "gif",
    )
    ctx.db.add(row)
    audit.log(ctx, audit.EMOJI_CREATE, row.id, [{"key": "name", "new_value": name}])
    return resources.emoji(ctx, row)


@app.patch("/guilds/{guild_id}/emojis/{emoji_id}", tool="modify_guild_emoji", mcp=False)
def modify_guild_emoji(
    ctx: Ctx,
    guild_id: a.Snowflake,
    emoji_id: a.Snowflake,
    name: EmojiName | MISSING = MISSING,
    roles: list[a.Snowflake] | None | MISSING = MISSING,
) -> dict[str, Any]:
    """Renames an emoji of the server (needs Manage Expressions).

    guild_id: The server's id.
    emoji_id: The emoji's id.
    name: The new name.
    roles: Roles that may use it; all where empty.
    """
    a.guild(ctx, guild_id, a.MANAGE_EXPRESSIONS)
    row = ctx.require(Emoji, emoji_id)
    given = dict[str, Any]()
    if name is not MISSING:
        given["name"] = _emoji_name(name)
    if roles is not MISSING:
        given["roles"] = _emoji_roles(ctx, roles)
    changes = audit.changed(row, **given)
    if changes:
        ctx.db.update(row, **given)
        audit.log(ctx, audit.EMOJI_UPDATE, row.id, changes)
    return resources.emoji(ctx, row)


@app.delete("/guilds/{guild_id}/emojis/{emoji_id}", tool="delete_guild_emoji", status=204, mcp=False)
def delete_guild_emoji(ctx: Ctx, guild_id: a.Snowflake, emoji_id: a.Snowflake) -> None:
    """Removes an emoji of the server (needs Manage Expressions).

    guild_id: The server's id.
    emoji_id: The emoji's id.
    """
    a.guild(ctx, guild_id, a.MANAGE_EXPRESSIONS)
    row = ctx.require(Emoji, emoji_id)
    ctx.db.delete(row)
    audit.log(ctx, audit.EMOJI_DELETE, emoji_id, [{"key": "name", "old_value": row.name}])
