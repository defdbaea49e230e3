"""Roles, GRANT and REVOKE, policies, comments."""

from typing import Any

from . import models
from . import nodes as n
from .errors import SqlError, unsupported
from .models import Constraint, Index, Namespace, Policy, Relation, Role, Sequence
from .objects import _ALL, find_enum
from .session import Connection

_FLAGS = ("superuser", "createdb", "createrole", "inherit", "login", "bypassrls")


def _may_manage(env: Connection, superuser: bool) -> None:
    role = env.catalog.objects(Role).get((env.user,))
    if env.superuser():
        return
    if superuser:
        raise SqlError("42501", "must be superuser to create superusers")
    if role is None or not role.createrole:
        raise SqlError("42501", "permission denied to create role")


def create_role(env: Connection, stmt: n.Stmt) -> None:
    options = stmt.options
    _may_manage(env, options.get("superuser", False))
    if stmt.name.startswith("pg_") or stmt.name in ("public", "none"):
        raise SqlError("42939", f'role name "{stmt.name}" is reserved')
    if (stmt.name,) in env.catalog.objects(Role):
        raise SqlError("42710", f'role "{stmt.name}" already exists')
    flags = {k: options[k] for k in _FLAGS if k in options}
    flags.setdefault("login", stmt.login)
    for parent in options.get("in", []):
        env.role(parent)
    env.catalog.put(Role(name=stmt.name, oid=env.catalog.new_oid(), member_of=list(options.get("in", [])), **flags))
    for member in options.get("members", []):
        held = env.role(member)
        env.catalog.put(held, member_of=[*held.member_of, stmt.name])


def alter_role(env: Connection, stmt: n.Stmt) -> None:
    role = env.role(stmt.name[0])
    _may_manage(env, stmt.options.get("superuser", False) if stmt.options else False)
    if stmt.to:
        if (stmt.to,) in env.catalog.objects(Role):
            raise SqlError("42710", f'role "{stmt.to}" already exists')
        raise unsupported("ALTER ROLE RENAME", stmt.at)
    env.catalog.put(role, **{k: v for k, v in stmt.options.items() if k in _FLAGS})


def grant_role(env: Connection, stmt: n.Stmt) -> None:
    for name in stmt.memberships:
        env.role(name)
    for member in stmt.roles:
        role = env.role(member)
        held = [r for r in role.member_of if r not in stmt.memberships]
        env.catalog.put(role, member_of=[*held, *stmt.memberships] if stmt.kind == "GRANT ROLE" else held)


def grant(env: Connection, stmt: n.Stmt) -> None:
    for role in stmt.roles:
        if role != "public":
            env.role(role)
    what = {"tables": "table", "sequences": "sequence"}.get(str(stmt.what), str(stmt.what))
    words = list[str]()
    for word, columns in stmt.privileges:
        if columns:
            raise unsupported("GRANT on columns", stmt.at)
        words += _ALL.get(what, []) if word == "all" else ["temporary" if word == "temp" else word]
    for word in words:
        if word not in _ALL.get(what, []):
            raise SqlError(
                "0LP01", f"invalid privilege type {word.upper()} for {'relation' if what == 'table' else what}"
            )
    for target in _targets(env, stmt, what):
        owner = getattr(target, "owner", "postgres")
        if not env.owns(owner):
            raise SqlError("42501", f"permission denied for {what} {target.name}")
        acl: dict[str, list[str]] = {r: list(p) for r, p in target.acl.items()}
        for role in stmt.roles:
            held = set(acl.get(role, []))
            held = held | set(words) if stmt.kind == "GRANT" else held - set(words)
            acl.pop(role, None)
            if held:
                acl[role] = sorted(held)
        env.catalog.put(target, acl=acl)


def _targets(env: Connection, stmt: n.Stmt, what: str) -> list[Any]:
    found = list[Any]()
    for name, at in stmt.names:
        match stmt.what:
            case "tables" | "sequences":
                if env.catalog.namespace(name[0]) is None:
                    raise SqlError("3F000", f'schema "{name[0]}" does not exist')
                cls: Any = Relation if what == "table" else Sequence
                found += [r for r in env.catalog.objects(cls).values() if r.schema_ == name[0]]
            case "table":
                found.append(env.find_sequence(name) or env.need_relation(name, None))
            case "sequence":
                sequence = env.find_sequence(name)
                if sequence is None:
                    raise SqlError("42P01", f'relation "{".".join(name)}" does not exist')
                found.append(sequence)
            case "schema":
                schema = env.catalog.namespace(name[0])
                if schema is None:
                    raise SqlError("3F000", f'schema "{name[0]}" does not exist')
                found.append(schema)
            case "database":
                database = env.catalog.first(models.Database, name=name[0])
                if database is None:
                    raise SqlError("3D000", f'database "{name[0]}" does not exist')
                found.append(database)
            case _:
                raise unsupported(f"GRANT ON {stmt.what.upper()}", at)
    return found


# Policies


def create_policy(env: Connection, stmt: n.Stmt) -> None:
    from .rowscope import compiled  # noqa: PLC0415

    relation = env.need_relation(stmt.table, stmt.place)
    env.must_own(relation)
    command = stmt.command or "all"
    if env.catalog.first(Policy, relation=relation.oid, name=stmt.name) is not None:
        raise SqlError("42710", f'policy "{stmt.name}" for table "{relation.name}" already exists')
    if command == "insert" and stmt.using:
        raise SqlError("42601", "only WITH CHECK expression allowed for INSERT")
    if command in ("select", "delete") and stmt.check:
        raise SqlError("42601", "WITH CHECK cannot be applied to SELECT or DELETE")
    for text in (stmt.using, stmt.check):
        if text:
            compiled(env, relation, text, "POLICY")
    roles = [r for r in stmt.roles or [] if r != "public"]
    for role in roles:
        env.role(role)
    env.catalog.put(Policy(
        oid=env.catalog.new_oid(), database=env.catalog.database, relation=relation.oid, name=stmt.name, command=command, roles=roles,
        permissive=not stmt.restrictive, using=stmt.using or "", check=stmt.check or "",
    ))  # fmt: skip


def _policy(env: Connection, name: str, table: tuple[str, ...], exists: bool) -> Policy | None:
    relation = env.need_relation(table, None)
    env.must_own(relation)
    found = env.catalog.first(Policy, relation=relation.oid, name=name)
    if found is None and not exists:
        raise SqlError("42704", f'policy "{name}" for table "{relation.name}" does not exist')
    return found


def alter_policy(env: Connection, stmt: n.Stmt) -> None:
    found = _policy(env, stmt.name[0], stmt.table, False)
    assert found is not None
    changes = {
        k: v
        for k, v in (("using", stmt.using), ("check", stmt.check), ("roles", stmt.roles), ("name", stmt.to))
        if v is not None
    }
    env.catalog.put(found, **changes)


def drop_policy(env: Connection, stmt: n.Stmt) -> None:
    found = _policy(env, stmt.name, stmt.table, stmt.exists)
    if found is not None:
        env.catalog.remove(found)


# Comments


def comment(env: Connection, stmt: n.Stmt) -> None:
    name, text = stmt.name, stmt.text
    match stmt.what:
        case "table" | "view" | "materialized view":
            relation = env.need_relation(name, None)
            env.must_own(relation)
            env.catalog.put(relation, comment=text)
        case "column":
            relation = env.need_relation(name[:-1], None)
            env.must_own(relation)
            columns = env.catalog.columns(relation)
            found = next((c for c in columns if c.name == name[-1]), None)
            if found is None:
                raise SqlError("42703", f'column "{name[-1]}" of relation "{relation.name}" does not exist')
            found.comment = text
            env.catalog.set_columns(relation, columns)
        case _:
            target = _commented(env, stmt)
            env.catalog.put(target, comment=text)


def _commented(env: Connection, stmt: n.Stmt) -> Any:
    name = stmt.name[-1]
    found: Any = None
    match stmt.what:
        case "schema":
            found = env.catalog.first(Namespace, name=name)
        case "database":
            found = env.catalog.first(models.Database, name=name)
        case "role":
            found = env.role(name)
        case "index":
            found = env.catalog.first(Index, name=name)
        case "sequence":
            found = env.find_sequence(stmt.name)
        case "type":
            found = find_enum(env, stmt.name)
        case "constraint":
            found = env.catalog.first(Constraint, relation=env.need_relation(stmt.table, None).oid, name=name)
        case "policy":
            found = env.catalog.first(Policy, relation=env.need_relation(stmt.table, None).oid, name=name)
        case "extension":
            found = env.catalog.first(models.Extension, name=name)
        case _:
            raise unsupported(f"COMMENT ON {stmt.what.upper()}", stmt.at)
    if found is None:
        codes = {"schema": "3F000", "database": "3D000", "index": "42P01", "sequence": "42P01"}
        shown = "relation" if stmt.what in ("index", "sequence") else stmt.what
        raise SqlError(codes.get(stmt.what, "42704"), f'{shown} "{name}" does not exist')
    return found
