"""What a fresh account has: its user, and no spreadsheets."""

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from . import models


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    ctx.db.add(models.Account(email=agent.email, name=agent.name))
