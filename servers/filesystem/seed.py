"""A server started with one empty directory."""

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from .models import AllowedDirectory, made

ROOT = "/workspace"


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    ctx.db.add(AllowedDirectory(path=ROOT, position=0))
    ctx.db.add(made(ROOT, ctx.timestamp()))
