"""What a fresh account has: the company's organisation, its login the company's name. People and repositories are filled in."""

import re

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from .models import Account

ORGANISATION_ID = 9_417_203


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    login = re.sub(r"[^a-z0-9]+", "-", organisation.name.lower()).strip("-")
    ctx.db.add(Account(
        id=ORGANISATION_ID, login=login, type="Organization", name=organisation.name, email=f"hello@{organisation.domain}",
            blog=f"https://{organisation.domain}",
        bio=organisation.industry or None, created_at="2017-05-02T09:00:00Z", updated_at="2017-05-02T09:00:00Z",
    ))  # fmt: skip
