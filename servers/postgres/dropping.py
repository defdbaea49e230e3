"""DROP and TRUNCATE, and what hangs on what is dropped."""

from typing import Any

from . import models
from . import nodes as n
from .constraints import Keeper
from .errors import SqlError, unsupported
from .models import Constraint, Enum, Index, Policy, Relation, Role, Sequence
from .parsing import schema_of
from .session import Connection


def references(node: Any) -> list[tuple[str, ...]]:
    """The tables that a query names."""
    if isinstance(node, n.TableRef):
        return [node.name]
    if isinstance(node, (list, tuple)):
        return [r for v in node for r in references(v)]
    if isinstance(node, n.Node):
        return [r for f in node.__dataclass_fields__ for r in references(getattr(node, f))]
    return []


def views_using(env: Connection, relation: Relation, column: str = "") -> list[Relation]:
    from .lexer import tokens  # noqa: PLC0415
    from .parser import parse  # noqa: PLC0415

    found = list[Relation]()
    for view in env.catalog.objects(Relation).values():
        if not view.definition or view.oid == relation.oid:
            continue
        named = [
            r
            for name in references(parse(view.definition)[0][0])
            if (r := env.find_relation(name)) is not None and r.oid == relation.oid
        ]
        if named and (not column or any(t.value == column or t.value == "*" for t in tokens(view.definition))):
            found.append(view)
    return found


def drop_views(env: Connection, views: list[Relation]) -> None:
    for view in views:
        drop_views(env, views_using(env, view))
        _remove_relation(env, view)


def drop(env: Connection, stmt: n.Stmt) -> None:
    for name, at in stmt.names:
        match stmt.what:
            case "table" | "view" | "materialized view":
                _drop_relation(env, stmt, name, at)
            case "index":
                _drop_index(env, stmt, name)
            case "sequence":
                _drop_sequence(env, stmt, name)
            case "schema":
                _drop_schema(env, stmt, name[-1])
            case "type":
                _drop_type(env, stmt, name)
            case "role":
                _drop_role(env, stmt, name[-1])
            case "extension":
                _drop_extension(env, stmt, name[-1])
            case _:
                raise unsupported(f"DROP {stmt.what.upper()}", at)


def _absent(env: Connection, stmt: n.Stmt, what: str, name: tuple[str, ...], code: str) -> None:
    shown = ".".join(name)
    if not stmt.exists:
        raise SqlError(code, f'{what} "{shown}" does not exist')
    env.notices.append(f'{what} "{shown}" does not exist, skipping')


def _drop_relation(env: Connection, stmt: n.Stmt, name: tuple[str, ...], at: int) -> None:
    relation = env.find_relation(name)
    if relation is None:
        return _absent(env, stmt, stmt.what, name, "42P01")
    if relation.kind != stmt.what:
        articles = {"table": "a table", "view": "a view", "materialized view": "a materialized view"}
        hint = f"Use DROP {relation.kind.upper()} to remove {articles[relation.kind]}."
        raise SqlError("42809", f'"{relation.name}" is not {articles[stmt.what]}', hint=hint)
    env.must_own(relation)
    drop_relations(env, [relation], stmt, {".".join(x) for x, _ in stmt.names})
    return None


def drop_relations(env: Connection, relations: list[Relation], stmt: n.Stmt, together: set[str]) -> None:
    for relation in relations:
        shown = env.shown_name(relation.schema_, relation.name)
        views = views_using(env, relation)
        foreign = [
            c for c in env.catalog.all(Constraint, kind="foreign", refers=relation.oid) if c.relation != relation.oid
        ]
        views = [v for v in views if v.name not in together]
        foreign = [c for c in foreign if env.catalog.by_oid(c.relation).name not in together]
        if (views or foreign) and not stmt.cascade:
            parts = [
                f"constraint {c.name} on table {env.shown_name((r := env.catalog.by_oid(c.relation)).schema_, r.name)} depends on table"
                f" {shown}"
                for c in foreign
            ]
            parts += [f"{v.kind} {env.shown_name(v.schema_, v.name)} depends on {relation.kind} {shown}" for v in views]
            raise SqlError(
                "2BP01",
                f"cannot drop {relation.kind} {shown} because other objects depend on it",
                detail="\n".join(parts),
                hint="Use DROP ... CASCADE to drop the dependent objects too.",
            )
        for fk in foreign:
            env.notices.append(
                f"drop cascades to constraint {fk.name} on table"
                f" {env.shown_name(env.catalog.by_oid(fk.relation).schema_, env.catalog.by_oid(fk.relation).name)}"
            )
            env.catalog.remove(fk)
        for view in views:
            env.notices.append(f"drop cascades to {view.kind} {env.shown_name(view.schema_, view.name)}")
        drop_views(env, views)
        _remove_relation(env, relation)


def _remove_relation(env: Connection, relation: Relation) -> None:
    catalog = env.catalog
    if (relation.oid,) not in catalog.objects(Relation):
        return
    for k in list(catalog.rows(relation)):
        catalog.delete_row(relation, k)
    for cls, field in ((Constraint, "relation"), (Index, "relation"), (Policy, "relation"), (Sequence, "owner_table")):
        for row in catalog.all(cls, **{field: relation.oid}):
            catalog.remove(row)
    for fk in catalog.all(Constraint, refers=relation.oid):
        catalog.remove(fk)
    catalog.remove(relation)


def _drop_index(env: Connection, stmt: n.Stmt, name: tuple[str, ...]) -> None:
    index = next(
        (
            i
            for i in env.catalog.objects(Index).values()
            if i.name == name[-1] and schema_of(name) in ("", env.catalog.by_oid(i.relation).schema_)
        ),
        None,
    )
    if index is None:
        return _absent(env, stmt, "index", name, "42704")
    env.must_own(env.catalog.by_oid(index.relation))
    if index.constraint:
        owner = env.catalog.objects(Constraint)[index.constraint,]
        table = env.catalog.by_oid(index.relation)
        shown = f"constraint {owner.name} on table {env.shown_name(table.schema_, table.name)}"
        raise SqlError(
            "2BP01",
            f"cannot drop index {index.name} because {shown} requires it",
            hint=f"You can drop {shown} instead.",
        )
    env.catalog.remove(index)
    return None


def _drop_sequence(env: Connection, stmt: n.Stmt, name: tuple[str, ...]) -> None:
    sequence = env.find_sequence(name)
    if sequence is None:
        return _absent(env, stmt, "sequence", name, "42P01")
    if sequence.owner_table:
        table = env.catalog.by_oid(sequence.owner_table)
        column = next((c for c in env.catalog.columns(table) if c.name == sequence.owner_column), None)
        if column is not None and column.default:
            if not stmt.cascade:
                raise SqlError("2BP01", f"cannot drop sequence {env.shown_name(sequence.schema_, sequence.name)} because other objects"
                                        " depend on it",
                               detail=f"default value for column {column.name} of table {env.shown_name(table.schema_, table.name)}"
                                      f" depends on sequence {env.shown_name(sequence.schema_, sequence.name)}",
                               hint="Use DROP ... CASCADE to drop the dependent objects too.")  # fmt: skip
            column.default = ""
            env.catalog.set_columns(table, env.catalog.columns(table))
    env.catalog.remove(sequence)
    return None


def _drop_schema(env: Connection, stmt: n.Stmt, name: str) -> None:
    schema = env.catalog.namespace(name)
    if schema is None:
        return _absent(env, stmt, "schema", (name,), "3F000")
    if not env.owns(schema.owner):
        raise SqlError("42501", f"must be owner of schema {name}")
    inside = [r for r in env.catalog.objects(Relation).values() if r.schema_ == name]
    enums = [t for t in env.catalog.objects(Enum).values() if t.schema_ == name]
    loose = [s for s in env.catalog.objects(Sequence).values() if s.schema_ == name and not s.owner_table]
    if (inside or enums or loose) and not stmt.cascade:
        parts = [f"{r.kind} {env.shown_name(r.schema_, r.name)} depends on schema {name}" for r in inside]
        parts += [f"type {name}.{t.name} depends on schema {name}" for t in enums] + [
            f"sequence {env.shown_name(s.schema_, s.name)} depends on schema {name}" for s in loose
        ]
        raise SqlError(
            "2BP01",
            f"cannot drop schema {name} because other objects depend on it",
            detail="\n".join(parts),
            hint="Use DROP ... CASCADE to drop the dependent objects too.",
        )
    drop_relations(
        env, [r for r in inside if r.kind != "table"] + [r for r in inside if r.kind == "table"], stmt, set()
    )
    for row in [*enums, *loose]:
        env.catalog.remove(row)
    env.catalog.remove(schema)
    return None


def _drop_type(env: Connection, stmt: n.Stmt, name: tuple[str, ...]) -> None:
    from .objects import find_enum  # noqa: PLC0415

    found = find_enum(env, name)
    if found is None:
        return _absent(env, stmt, "type", name, "42704")
    kind = f"{found.schema_}.{found.name}"
    users = [
        (r, c)
        for r in env.catalog.objects(Relation).values()
        for c in env.catalog.columns(r)
        if c.kind in (kind, "_" + kind)
    ]
    if users and not stmt.cascade:
        parts = [
            f"column {c.name} of table {env.shown_name(r.schema_, r.name)} depends on type {env.shown_name(found.schema_, found.name)}"
            for r, c in users
        ]
        raise SqlError(
            "2BP01",
            f"cannot drop type {env.shown_name(found.schema_, found.name)} because other objects depend on it",
            detail="\n".join(parts),
            hint="Use DROP ... CASCADE to drop the dependent objects too.",
        )
    from .altering import Alteration  # noqa: PLC0415

    for relation, column in users:
        Alteration(env, env.catalog.by_oid(relation.oid)).do(
            n.Stmt("drop column", {"name": column.name, "cascade": True})
        )
    env.catalog.remove(found)
    return None


def _drop_role(env: Connection, stmt: n.Stmt, name: str) -> None:
    role = env.catalog.objects(Role).get((name,))
    if role is None:
        return _absent(env, stmt, "role", (name,), "42704")
    if name == env.user or name == "postgres":
        raise SqlError("55006", "current user cannot be dropped")
    owned = [r for r in env.catalog.objects(Relation).values() if r.owner == name or name in r.acl]
    if owned:
        aimed = [(p, env.catalog.by_oid(p.relation)) for p in env.catalog.objects(Policy).values() if name in p.roles]
        parts = [
            f"{'owner of' if r.owner == name else 'privileges for'} {r.kind} {env.shown_name(r.schema_, r.name)}"
            for r in owned
        ]
        parts += [f"target of policy {p.name} on table {env.shown_name(r.schema_, r.name)}" for p, r in aimed]
        raise SqlError(
            "2BP01", f'role "{name}" cannot be dropped because some objects depend on it', detail="\n".join(parts)
        )
    env.catalog.remove(role)
    return None


def _drop_extension(env: Connection, stmt: n.Stmt, name: str) -> None:
    found = env.catalog.first(models.Extension, name=name)
    if found is None:
        return _absent(env, stmt, "extension", (name,), "42704")
    env.catalog.remove(found)
    return None


def truncate(env: Connection, stmt: n.Stmt) -> None:
    relations = [env.need_relation(name, at) for name, at in stmt.tables]
    for relation in relations:
        if relation.kind != "table":
            raise SqlError("42809", f'"{relation.name}" is not a table')
        env.allowed(relation, "truncate")
    grown = True
    while grown:
        grown = False
        for fk in env.catalog.objects(Constraint).values():
            child = env.catalog.by_oid(fk.relation)
            if (
                fk.kind == "foreign"
                and any(r.oid == fk.refers for r in relations)
                and not any(r.oid == child.oid for r in relations)
            ):
                if not stmt.cascade:
                    parent = env.catalog.by_oid(fk.refers)
                    raise SqlError(
                        "0A000",
                        "cannot truncate a table referenced in a foreign key constraint",
                        detail=f'Table "{child.name}" references "{parent.name}".',
                        hint=f'Truncate table "{child.name}" at the same time, or use TRUNCATE ... CASCADE.',
                    )
                env.notices.append(f'truncate cascades to table "{child.name}"')
                relations.append(child)
                grown = True
                break
    for relation in relations:
        keeper = Keeper(env, relation)
        for k in list(env.catalog.rows(relation)):
            keeper.delete(k)
        if stmt.restart:
            for sequence in env.catalog.all(Sequence, owner_table=relation.oid):
                env.fulfilled[sequence.oid] = (sequence.start, False)
