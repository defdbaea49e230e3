"""What a fresh account has: the company's workspace."""

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from .models import Workspace
from .values import iso


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    ctx.db.add(
        Workspace(
            id=ctx.id("wsp", 14), name=organisation.name, created_time=iso(ctx.now), currency=organisation.currency
        )
    )
