"""What the resources of a conversation share. https://www.twilio.com/docs/conversations"""

import json
from typing import Any

from legoenv_mcp.app import Ctx

from .errors import not_found, path_of, refuse
from .models import Conversation
from .resources import account_sid

CONVERSATIONS = "/conversations/v1/Conversations"


def chat_service(ctx: Ctx) -> str:
    """The default service, which conversations are in unless they say otherwise: an account has one."""
    return "IS" + account_sid(ctx)[2:][::-1]


def role(ctx: Ctx) -> str:
    return "RL" + account_sid(ctx)[2:][::-1]


def conversation(ctx: Ctx, key: str) -> Conversation:
    """By SID or unique name."""
    row = ctx.db.get(Conversation, key) or ctx.db.first(Conversation, unique_name=key)
    if row is None:
        raise not_found(path_of(ctx))
    return row


def open_conversation(ctx: Ctx, key: str) -> Conversation:
    """One that can still be changed."""
    row = conversation(ctx, key)
    if row.state == "closed":
        raise refuse(400, 50377, "Can't update conversation as it's in final closed state")
    return row


def check_attributes(text: Any) -> None:
    if isinstance(text, str):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            raise refuse(400, 50304, "Attributes not valid JSON") from None
