"""Who calls, and what the caller may do."""

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Person

from .app import forbidden
from .models import Base, Collaborator

LEVELS = ("none", "read", "comment", "edit", "create", "owner")


def me(ctx: Ctx) -> str:
    """The id of the user whose token it is."""
    return ctx.ref(Person, ctx.agent)


def level(ctx: Ctx, base: Base) -> str:
    """What the caller may do in a base: the higher of the base's own and the workspace's permission."""
    found = ctx.db.find(Collaborator, user_id=me(ctx), scope__in=[base.id, base.workspace_id])
    return max((c.permission_level for c in found), key=LEVELS.index, default="none")


def shown_level(ctx: Ctx, base: Base) -> str:
    """What the API says of the caller's own permission: an owner's is told as `create`."""
    return "create" if (found := level(ctx, base)) == "owner" else found


def need(ctx: Ctx, base: Base, least: str) -> None:
    """A refusal where the caller's permission does not reach so far."""
    if LEVELS.index(level(ctx, base)) < LEVELS.index(least):
        raise forbidden()
