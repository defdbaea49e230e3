"""What a fresh Gmail account has: its owner's address and the system's labels."""

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from .models import Account, Label, SendAs

_PLAIN = ("INBOX", "SENT", "DRAFT", "UNREAD", "STARRED")
_HIDDEN = ("CHAT", "IMPORTANT", "TRASH", "SPAM", "CATEGORY_FORUMS", "CATEGORY_UPDATES", "CATEGORY_PERSONAL", "CATEGORY_PROMOTIONS",
           "CATEGORY_SOCIAL")  # fmt: skip


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    ctx.db.add(Account(email=agent.email, name=agent.name))
    ctx.db.add(SendAs(sendAsEmail=agent.email, displayName=agent.name, isPrimary=True, isDefault=True))
    for number, name in enumerate((*_HIDDEN, *_PLAIN), 1):
        plain = name in _PLAIN
        ctx.db.add(Label(
            id=name, name=name, type="system", number=number, messageListVisibility=None if plain else "hide",
            labelListVisibility=None if plain else "labelHide",
        ))  # fmt: skip
