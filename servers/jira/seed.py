"""A fresh site: its name and its groups. The rest of what it is set up with never changes and is in `site`."""

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from .models import Group, Site

USERS, ADMINS = "jira-users", "jira-administrators"


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    """What a site has before anybody works in it."""
    name = organisation.domain.split(".")[0]
    ctx.db.add(Site(id=1, name=organisation.name, base_url=f"https://{name}.atlassian.net"))
    for group in (USERS, ADMINS):
        ctx.db.add(Group(groupId=ctx.uuid("group"), name=group))
