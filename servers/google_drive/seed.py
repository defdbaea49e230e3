"""What a fresh account has: its user, an empty My Drive, and the folder that applications keep their data in."""

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from .access import file_id
from .models import Account, File, Json
from .words import FOLDER


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    root, hidden = f"0A{file_id('root', agent.email)[1:15]}PVA", file_id("appDataFolder", agent.email)
    domain = organisation.domain or agent.email.rpartition("@")[2]
    ctx.db.add(
        Account(email=agent.email, name=agent.name, domain=domain, admin=agent.admin, root=root, app_data=hidden)
    )
    since = f"{(agent.start_date or '2020-01-01')[:10]}T09:00:00.000Z"
    common: Json = {
        "mimeType": FOLDER,
        "owner": agent.email,
        "createdTime": since,
        "modifiedTime": since,
        "lastModifyingUser": agent.email,
    }
    ctx.db.add(File(id=root, name="My Drive", **common))
    ctx.db.add(File(id=hidden, name="Application Data", space="appDataFolder", **common))
