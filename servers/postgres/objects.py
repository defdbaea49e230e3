"""Views, sequences, types, schemas, roles, rights, policies, comments; DROP and TRUNCATE."""

import re
from typing import Any

from . import models, types, values
from . import nodes as n
from .creating import create_from_query
from .errors import SqlError, unsupported
from .extensions import AVAILABLE, USABLE
from .functions_text import quote_literal
from .indexing import make_sequence
from .models import Enum, Namespace, Relation
from .naming import may_create, taken
from .parsing import schema_of
from .query import plan_query
from .scope import Scope
from .session import Connection
from .values import Setting

_ALL = {"table": ["delete", "insert", "references", "select", "trigger", "truncate", "update"], "sequence": ["select", "update", "usage"],
    "schema": ["create", "usage"],
        "database": ["connect", "create", "temporary"]}  # fmt: skip

# Views


def create_view(env: Connection, stmt: n.Stmt) -> None:
    schema, name = env.place(stmt.name, stmt.place)
    may_create(env, schema)
    plan = plan_query(stmt.query, Scope(env))
    if len(stmt.columns) > len(plan.columns):
        raise SqlError("42601", "CREATE VIEW specifies more column names than columns")
    names = [*stmt.columns, *(c.name for c in plan.columns[len(stmt.columns) :])]
    if len(set(names)) != len(names):
        twice = next(x for i, x in enumerate(names) if x in names[:i])
        raise SqlError("42701", f'column "{twice}" specified more than once')
    columns = [
        {"name": x, "kind": c.kind, **({"mods": list(c.mods)} if c.mods else {})}
        for x, c in zip(names, plan.columns, strict=True)
    ]
    held = env.catalog.relation(schema, name)
    if held is not None and stmt.replace and held.kind == "view":
        for old, new in zip(held.columns, columns, strict=False):
            if old["name"] != new["name"]:
                raise SqlError(
                    "42P16",
                    f'cannot change name of view column "{old["name"]}" to "{new["name"]}"',
                    hint="Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.",
                )
            if old["kind"] != new["kind"]:
                from .types import shown  # noqa: PLC0415

                raise SqlError(
                    "42P16",
                    f'cannot change data type of view column "{old["name"]}" from {shown(old["kind"])} to {shown(new["kind"])}',
                )
        if len(columns) < len(held.columns):
            raise SqlError("42P16", "cannot drop columns from view")
        env.catalog.put(held, columns=columns, definition=stmt.text)
        return
    if held is not None and stmt.replace:
        raise SqlError("42809", f'"{name}" is not a view')
    if taken(env, schema, name):
        raise SqlError("42P07", f'relation "{name}" already exists')
    env.catalog.put(
        Relation(
            oid=env.catalog.new_oid(),
            database=env.catalog.database,
            schema_=schema,
            name=name,
            kind="view",
            columns=columns,
            definition=stmt.text,
            owner=env.user,
        )
    )


def create_materialized(env: Connection, stmt: n.Stmt) -> int:
    schema, name = env.place(stmt.name, stmt.place)
    may_create(env, schema)
    if taken(env, schema, name):
        if stmt.exists:
            env.notices.append(f'relation "{name}" already exists, skipping')
            return 0
        raise SqlError("42P07", f'relation "{name}" already exists')
    stmt.parts["names"] = stmt.columns
    return create_from_query(env, stmt, schema, name, "materialized view")


def refresh(env: Connection, stmt: n.Stmt) -> None:
    from .sources import view_plan  # noqa: PLC0415

    relation = env.need_relation(stmt.name, stmt.place)
    if relation.kind != "materialized view":
        raise SqlError("42809", f'"{relation.name}" is not a materialized view')
    env.must_own(relation)
    rows = view_plan(env, relation).run()
    held = list(env.catalog.rows(relation))
    for k, row in zip(held, rows, strict=False):
        if env.catalog.rows(relation)[k] != row:
            env.catalog.write_row(relation, k, row)
    for k in held[len(rows) :]:
        env.catalog.delete_row(relation, k)
    for row in rows[len(held) :]:
        env.catalog.add_row(relation, row)


# DROP


# Sequences, types, schemas, extensions


def create_sequence(env: Connection, stmt: n.Stmt) -> None:
    schema, name = env.place(stmt.name, stmt.place)
    may_create(env, schema)
    if taken(env, schema, name):
        if stmt.exists:
            env.notices.append(f'relation "{name}" already exists, skipping')
            return
        raise SqlError("42P07", f'relation "{name}" already exists')
    made = make_sequence(env, schema, name, stmt.options)
    if stmt.options.get("owned"):
        *table, column = stmt.options["owned"]
        env.catalog.put(made, owner_table=env.need_relation(tuple(table), None).oid, owner_column=column)


def find_enum(env: Connection, name: tuple[str, ...]) -> Enum | None:
    schemas = [schema_of(name)] if schema_of(name) else env.path()
    return next(
        (e for s in schemas for e in env.catalog.objects(Enum).values() if (e.schema_, e.name) == (s, name[-1])), None
    )


def create_type(env: Connection, stmt: n.Stmt) -> None:
    schema, name = env.place(stmt.name, stmt.place)
    may_create(env, schema)
    if find_enum(env, (schema, name)) is not None or taken(env, schema, name):
        raise SqlError("42710", f'type "{name}" already exists')
    if len(set(stmt.labels)) != len(stmt.labels):
        raise SqlError("23505", 'duplicate key value violates unique constraint "pg_enum_typid_label_index"')
    env.catalog.put(
        Enum(oid=env.catalog.new_oid(), database=env.catalog.database, schema_=schema, name=name, labels=stmt.labels)
    )


def alter_type(env: Connection, stmt: n.Stmt) -> None:
    found = find_enum(env, stmt.name)
    if found is None:
        raise SqlError("42704", f'type "{".".join(stmt.name)}" does not exist')
    labels = list(found.labels)
    if stmt.value is not None:
        if stmt.value in labels:
            if stmt.exists:
                env.notices.append(f'enum label "{stmt.value}" already exists, skipping')
                return
            raise SqlError("42710", f'enum label "{stmt.value}" already exists')
        at = len(labels)
        if stmt.side:
            if stmt.neighbour not in labels:
                raise SqlError("22023", f'"{stmt.neighbour}" is not an existing enum label')
            at = labels.index(stmt.neighbour) + (stmt.side == "after")
        env.catalog.put(found, labels=[*labels[:at], stmt.value, *labels[at:]])
    elif stmt.old is not None:
        if stmt.old not in labels:
            raise SqlError("22023", f'"{stmt.old}" is not an existing enum label')
        if stmt.new in labels:
            raise SqlError("42710", f'enum label "{stmt.new}" already exists')
        _relabel(env, found, stmt.old, stmt.new)
    elif stmt.owner:
        env.role(stmt.owner)
    else:
        raise unsupported("ALTER TYPE RENAME", stmt.at)


def _relabel(env: Connection, enum: Enum, old: str, new: str) -> None:
    """Renames a label also where rows, defaults, generated columns, checks and indexes hold it by name."""
    kind, catalog = f"{enum.schema_}.{enum.name}", env.catalog
    before, after = (f"{quote_literal(label).lstrip()}::{types.shown(kind)}" for label in (old, new))
    lists = re.compile(rf"'((?:[^']|'')*)'::{re.escape(types.shown(kind))}\[\]")
    plain = Setting(env.now)

    def items(found: re.Match[str]) -> str:
        made = moved(values.read_array("text", found[1].replace("''", "'"), plain))
        return f"{quote_literal(values.text('_text', made, plain)).lstrip()}::{types.shown(kind)}[]"

    def told(text: str) -> str:
        return lists.sub(items, text.replace(before, after))

    def moved(value: Any) -> Any:
        return [moved(v) for v in value] if isinstance(value, list) else new if value == old else value

    held = [(r, catalog.columns(r)) for r in catalog.all(Relation, kind="table")]
    held = [(r, columns) for r, columns in held if any(c.kind in (kind, f"_{kind}") for c in columns)]
    rows = [(r, columns, k, row) for r, columns in held for k, row in catalog.rows(r).items()]
    catalog.put(enum, labels=[moved(label) for label in enum.labels])
    for relation, columns, key, row in rows:
        fresh = tuple(moved(v) if c.kind in (kind, f"_{kind}") else v for c, v in zip(columns, row, strict=True))
        if fresh != row:
            catalog.write_row(relation, key, fresh)
    for relation, columns in held:
        for c in columns:
            c.default, c.generated = told(c.default), told(c.generated)
        catalog.set_columns(relation, columns)
        for check in catalog.constraints(relation, "check"):
            catalog.put(check, expression=told(check.expression))
        for index in catalog.indexes(relation):
            catalog.put(index, keys=[told(k) for k in index.keys], predicate=told(index.predicate))


def create_schema(env: Connection, stmt: n.Stmt) -> None:
    if env.catalog.namespace(stmt.name) is not None:
        if stmt.exists:
            env.notices.append(f'schema "{stmt.name}" already exists, skipping')
            return
        raise SqlError("42P06", f'schema "{stmt.name}" already exists')
    if stmt.name.startswith("pg_"):
        raise SqlError(
            "42939",
            f'unacceptable schema name "{stmt.name}"',
            detail='The prefix "pg_" is reserved for system schemas.',
        )
    if not env.superuser() and not any(
        "create" in p
        for d in env.catalog.all(models.Database, name=env.catalog.database)
        for r, p in d.acl.items()
        if r in env.member_roles()
    ):
        raise SqlError("42501", f"permission denied for database {env.catalog.database}")
    owner = env.role(stmt.owner).name if stmt.owner else env.user
    env.catalog.put(Namespace(oid=env.catalog.new_oid(), database=env.catalog.database, name=stmt.name, owner=owner))


def create_extension(env: Connection, stmt: n.Stmt) -> None:
    if stmt.name not in AVAILABLE:
        raise SqlError(
            "0A000",
            f'extension "{stmt.name}" is not available',
            detail=f'Could not open extension control file "/usr/share/postgresql/15/extension/{stmt.name}.control": No such file or'
            " directory.",
            hint="The extension must first be installed on the system where PostgreSQL is running.",
        )
    if env.catalog.first(models.Extension, name=stmt.name) is not None:
        if stmt.exists:
            env.notices.append(f'extension "{stmt.name}" already exists, skipping')
            return
        raise SqlError("42710", f'extension "{stmt.name}" already exists')
    if stmt.name not in USABLE:
        raise unsupported(f"extension {stmt.name}")
    version, comment = AVAILABLE[stmt.name]
    env.catalog.put(
        models.Extension(
            oid=env.catalog.new_oid(), database=env.catalog.database, name=stmt.name, version=version, comment=comment
        )
    )
