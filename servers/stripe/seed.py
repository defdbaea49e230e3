"""What a fresh account has: itself."""

from datetime import timedelta

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from .ids import new
from .models import Account

COUNTRY = {"USD": "US", "GBP": "GB", "EUR": "DE", "CAD": "CA", "AUD": "AU", "JPY": "JP"}


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    """The organisation's account, three years old."""
    opened = int((ctx.now - timedelta(days=3 * 365)).timestamp())
    ctx.db.add(
        Account(
            id=new(ctx, "acct"), name=organisation.name, email=f"billing@{organisation.domain}", created=opened,
            country=COUNTRY.get(organisation.currency, "US"), default_currency=organisation.currency.lower(),
        )
    )  # fmt: skip
