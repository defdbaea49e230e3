"""What a fresh account has: itself, and its owner's phone as a verified caller ID."""

from datetime import timedelta

from legoenv_mcp.app import HEX, Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from .models import Account, OutgoingCallerId
from .phones import formatted, read
from .times import iso


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    opened = iso(ctx.now - timedelta(days=5 * 365))
    ctx.db.add(
        Account(sid=ctx.id("AC", 32, HEX), friendly_name=organisation.name, date_created=opened, date_updated=opened)
    )
    phone = read(agent.phone) if agent.phone else None
    if phone is not None:
        ctx.db.add(
            OutgoingCallerId(
                sid=ctx.id("PN", 32, HEX), phone_number=phone.e164, friendly_name=formatted(phone.e164), date_created=opened,
                date_updated=opened,
            )
        )  # fmt: skip
