"""A fresh account: the organization, a team that everybody is in, and the fields that its projects share."""

from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from . import access
from .models import CustomField, Team, Workspace

PRIORITIES = {
    "low": ("Low", "aqua"),
    "medium": ("Medium", "yellow-orange"),
    "high": ("High", "orange"),
    "highest": ("Highest", "red"),
}
KINDS = {"bug": ("Bug", "red"), "story": ("Story", "green"), "epic": ("Epic", "purple")}
PRIORITY, KIND = "Priority", "Task type"


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    """What the company has before anybody works."""
    place = ctx.db.add(Workspace(gid=access.new_gid(ctx), name=organisation.name, email_domains=[organisation.domain]))
    about = f"Everybody at {organisation.name}."
    ctx.db.add(Team(gid=access.new_gid(ctx), name=organisation.name, description=about, workspace=place.gid))
    _enum(ctx, place, PRIORITY, PRIORITIES)
    _enum(ctx, place, KIND, KINDS)


def _enum(ctx: Ctx, place: Workspace, name: str, options: dict[str, tuple[str, str]]) -> None:
    made: list[dict[str, Any]] = [
        {"gid": access.new_gid(ctx), "name": told, "enabled": True, "color": color} for told, color in options.values()
    ]
    ctx.db.add(
        CustomField(gid=access.new_gid(ctx), name=name, resource_subtype="enum", enum_options=made, workspace=place.gid)
    )
