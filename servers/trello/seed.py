"""A fresh account: one workspace."""

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from . import access
from .models import Organization
from .shapes import slug


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    """The workspace that everybody of the company is in."""
    name = slug(organisation.name).replace("-", "") or "workspace"
    ctx.db.add(
        Organization(
            id=access.new_id(ctx), name=name, displayName=organisation.name, website=f"https://{organisation.domain}"
        )
    )
