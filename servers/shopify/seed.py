"""What a fresh account has: the shop and its own location."""

import re
from datetime import timedelta

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from .models import Location, Shop, new
from .resources import COUNTRIES

COUNTRY = {
    "USD": "US",
    "GBP": "GB",
    "EUR": "DE",
    "CAD": "CA",
    "AUD": "AU",
    "NOK": "NO",
    "SEK": "SE",
    "DKK": "DK",
    "CHF": "CH",
}


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    """The organisation's shop, two years old, with a warehouse as its primary location."""
    opened = (ctx.now - timedelta(days=730)).isoformat(timespec="seconds").replace("+00:00", "Z")
    country = COUNTRY.get(organisation.currency, "US")
    place = ctx.db.add(
        Location(
            id=new(ctx, "Location"), name="Main warehouse", city=agent.city or None, country_code=country, created_at=opened,
            updated_at=opened,
        )
    )  # fmt: skip
    ctx.db.add(
        Location(id=new(ctx, "Location"), name="Showroom", country_code=country, created_at=opened, updated_at=opened)
    )  # fmt: skip
    name = re.sub(r"[^a-z0-9]+", "-", organisation.name.lower()).strip("-")
    ctx.db.add(
        Shop(
            id=new(ctx, "Shop"), name=organisation.name, email=f"shop@{organisation.domain}", domain=f"shop.{organisation.domain}",
            myshopify_domain=f"{name}.myshopify.com", shop_owner=agent.name, currency=organisation.currency, country_code=country,
            country_name=COUNTRIES[country], iana_timezone=organisation.time_zone, primary_location_id=place.id, created_at=opened,
        )
    )  # fmt: skip
