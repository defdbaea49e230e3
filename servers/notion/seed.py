"""A fresh workspace: the integration's bot and nothing else."""

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from .capabilities import user_id
from .models import User


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    ctx.db.add(
        User(
            id=ctx.uuid("bot"),
            type="bot",
            name=f"{organisation.name} integration",
            owner=user_id(agent.key),
            profile={"workspace": organisation.name, "workspace_id": ctx.uuid("workspace")},
        )
    )
