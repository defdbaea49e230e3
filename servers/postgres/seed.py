"""What a fresh server has: its superuser, a role for the person who works on it, the maintenance database."""

import re

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from . import models
from .databases import new_database


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    del organisation
    ctx.db.add(
        models.Role(name="postgres", oid=10, superuser=True, login=True, createdb=True, createrole=True, bypassrls=True)
    )
    ctx.db.add(models.Role(name="pg_database_owner", oid=6171, member_of=[]))
    ctx.db.add(models.Role(name="pg_read_all_data", oid=6181))
    name = re.sub(r"[^a-z0-9_]+", "_", agent.email.partition("@")[0].lower()) or "app"
    if not name.startswith("pg_") and name != "postgres":
        ctx.db.add(models.Role(name=name, oid=ctx.sequence("oid", 16384), login=True, createdb=True))
    ctx.db.add(models.Database(name="postgres", oid=5, comment="default administrative connection database"))
    for row in new_database(ctx, "postgres"):
        ctx.db.add(row)
