"""CREATE DATABASE and DROP DATABASE, and which database the MCP server is connected to."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import models
from . import nodes as n
from .errors import SqlError
from .session import Connection

MAINTENANCE = "postgres"
_HELD = (
    models.Namespace, models.Relation, models.Constraint, models.Index, models.Sequence, models.Enum, models.Policy, models.Extension,
    models.Session, models.Pending, models.Statement,
)  # fmt: skip
"""What belongs to one database."""


def connected(ctx: Ctx) -> str:
    """The database of the server's connection string."""
    found = ctx.db.first(models.Database, connected=True)
    return found.name if found else MAINTENANCE


def new_database(ctx: Ctx, name: str) -> list[Any]:
    """What a fresh database has."""
    return [
        models.Namespace(oid=ctx.sequence("oid", 16384), database=name, name="public", owner="pg_database_owner",
            comment="standard public schema", acl={"public": ["usage"]}),
        models.Extension(oid=ctx.sequence("oid", 16384), database=name, name="plpgsql", version="1.0",
            comment="PL/pgSQL procedural language"),
    ]  # fmt: skip


def create(env: Connection, stmt: n.Stmt) -> None:
    role = env.catalog.objects(models.Role).get((env.user,))
    if not env.superuser() and not (role and role.createdb):
        raise SqlError("42501", "permission denied to create database")
    if env.catalog.first(models.Database, name=stmt.name) is not None:
        raise SqlError("42P04", f'database "{stmt.name}" already exists')
    owner = env.role(stmt.owner).name if stmt.owner else env.user
    made = env.catalog.put(models.Database(name=stmt.name, oid=env.catalog.new_oid(), owner=owner))
    for row in new_database(env.ctx, made.name):
        data = {k: v for k, v in row.__dict__.items() if not k.startswith("_sa")}
        env.catalog.log.append((type(row), (row.oid,), data))


def drop(env: Connection, stmt: n.Stmt) -> None:
    name = stmt.names[0][0][-1]
    found = env.catalog.first(models.Database, name=name)
    if found is None:
        if stmt.exists:
            env.notices.append(f'database "{name}" does not exist, skipping')
            return
        raise SqlError("3D000", f'database "{name}" does not exist')
    if not env.superuser() and found.owner != env.user:
        raise SqlError("42501", f"must be owner of database {name}")
    if name == env.catalog.database:
        raise SqlError("55006", "cannot drop the currently open database")
    if name == connected(env.ctx) and not stmt.force:
        told = "There is 1 other session using the database."
        raise SqlError("55006", f'database "{name}" is being accessed by other users', detail=told)
    db, log = env.ctx.db, env.catalog.log
    for relation in db.find(models.Relation, database=name):
        log += [(models.Record, (r.relation, r.n), None) for r in db.find(models.Record, relation=relation.oid)]
    for kind in _HELD:
        key = kind.shape().key
        log += [(kind, tuple(getattr(row, k) for k in key), None) for row in db.find(kind, database=name)]
    env.catalog.remove(found)
