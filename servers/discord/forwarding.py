"""Forwards: a message that carries how another one was. https://discord.com/developers/docs/resources/message#message-reference-types"""

from typing import Any

from legoenv_mcp.app import Ctx

from . import access as a
from .app import err, form
from .message_object import attachment
from .models import Attachment

FORWARD, HAS_SNAPSHOT = 1, 1 << 14


def forwarded(ctx: Ctx, reference: Any, *, alone: bool) -> dict[str, Any]:
    """What a forward keeps of the message it is of; nothing where the reference asks for none. It stands alone, without a text."""
    kind = (reference or {}).get("type") or 0
    if kind == 0:
        return {}
    if kind != FORWARD:
        raise form("message_reference.type", "BASE_TYPE_CHOICES", f'Value "{str(kind)[:40]}" must be one of (0, 1).')
    for name in ("channel_id", "message_id"):
        if not reference.get(name):
            raise form(f"message_reference.{name}", "BASE_TYPE_REQUIRED", "This field is required")
    if not a.permissions(ctx, a.channel(ctx, reference["channel_id"]), a.me(ctx)) & a.READ_MESSAGE_HISTORY:
        raise err(160009)
    row = a.message(ctx, reference["channel_id"], reference["message_id"])
    if not alone:
        raise form(
            "message_reference", "MESSAGE_FORWARD_CANNOT_HAVE_CONTENT", "Forwards cannot have additional content"
        )
    where = {"channel_id": row.channel_id, "message_id": row.id}
    if row.forwarded:
        return {**row.forwarded, **where}
    return {
        **where,
        "type": row.type,
        "content": row.content,
        "embeds": row.embeds,
        "attachments": [attachment(ctx, one, row.channel_id) for one in ctx.db.find(Attachment, message_id=row.id)],
        "timestamp": a.stamp(a.moment(row.id)),
        "edited_timestamp": row.edited_timestamp,
        "flags": row.flags,
        "mentions": row.mentions,
        "mention_roles": row.mention_roles,
    }
