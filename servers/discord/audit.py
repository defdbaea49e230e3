"""The audit log: what was done by whom, written as it is done. https://discord.com/developers/docs/resources/audit-log"""

from typing import Any
from urllib.parse import unquote

from legoenv_mcp.app import Ctx

from .access import me, snowflake
from .app import form
from .models import Audit_Entry, Notice

GUILD_UPDATE = 1
CHANNEL_CREATE, CHANNEL_UPDATE, CHANNEL_DELETE = 10, 11, 12
OVERWRITE_CREATE, OVERWRITE_UPDATE, OVERWRITE_DELETE = 13, 14, 15
MEMBER_KICK, MEMBER_BAN, MEMBER_UNBAN, MEMBER_UPDATE, MEMBER_ROLES = 20, 22, 23, 24, 25
ROLE_CREATE, ROLE_UPDATE, ROLE_DELETE = 30, 31, 32
INVITE_CREATE, INVITE_DELETE = 40, 42
WEBHOOK_CREATE, WEBHOOK_UPDATE, WEBHOOK_DELETE = 50, 51, 52
EMOJI_CREATE, EMOJI_UPDATE, EMOJI_DELETE = 60, 61, 62
MESSAGE_DELETE, MESSAGE_BULK_DELETE, MESSAGE_PIN, MESSAGE_UNPIN = 72, 73, 74, 75
EVENT_CREATE, EVENT_UPDATE, EVENT_DELETE = 100, 101, 102
THREAD_CREATE, THREAD_UPDATE, THREAD_DELETE = 110, 111, 112

PINNED, THREAD_CREATED, THREAD_STARTER = 6, 18, 21


def reason(ctx: Ctx, given: str | None = None) -> str | None:
    """Why, as the caller says in X-Audit-Log-Reason (percent-encoded), at most 512 characters."""
    said = given or unquote(ctx.request.headers.get("x-audit-log-reason", ""))
    if len(said) > 512:
        raise form("reason", "BASE_TYPE_MAX_LENGTH", "Must be 512 or fewer in length.")
    return said or None


def log(
    ctx: Ctx, action: int, target: str | None, changes: list[dict[str, Any]] | None = None, why: str | None = None,
    **options: str,
) -> None:  # fmt: skip
    id = snowflake(ctx)
    ctx.db.add(
        Audit_Entry(
            id=id,
            seq=int(id),
            user_id=me(ctx),
            target_id=target,
            action_type=action,
            changes=changes or [],
            options=options,
            reason=reason(ctx, why),
        )
    )


def changed(row: Any, **columns: Any) -> list[dict[str, Any]]:
    """The changes as the log tells them: old and new value of every column that differs."""
    return [
        {"key": name, **({"old_value": old} if old is not None else {}), "new_value": value}
        for name, value in columns.items()
        if (old := getattr(row, name)) != value
    ]


def notice(
    ctx: Ctx, channel_id: str, type: int, content: str = "", channel: str | None = None, to: str | None = None,
    author: str | None = None,
) -> None:  # fmt: skip
    """Discord's own line in a channel."""
    id = snowflake(ctx)
    ctx.db.add(
        Notice(
            id=id,
            seq=int(id),
            channel_id=channel_id,
            author_id=author or me(ctx),
            type=type,
            content=content,
            reference_channel=channel,
            reference_id=to,
        )
    )
