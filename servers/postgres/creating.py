"""CREATE TABLE, its columns and constraints; CREATE INDEX."""

from typing import Any

from . import deparse, system_columns, types
from . import nodes as n
from .catalog import Column, missing_relation
from .constraints import check_foreign
from .errors import SqlError, unsupported
from .expressions import Compiler
from .indexing import add_index, make_sequence
from .models import Constraint, Index, Relation
from .naming import (
    _no_subquery,
    _parsed,
    _printable,
    default_of,
    free_name,
    may_create,
    taken,
)
from .query import plan_query
from .rowscope import row_scope
from .scope import Scope
from .session import Connection

_SERIALS = {
    "serial": "int4",
    "serial4": "int4",
    "bigserial": "int8",
    "serial8": "int8",
    "smallserial": "int2",
    "serial2": "int2",
}


def create_table(env: Connection, stmt: n.Stmt) -> tuple[str, int]:
    schema, name = env.place(stmt.name, stmt.place)
    if taken(env, schema, name):
        if stmt.exists:
            env.notices.append(f'relation "{name}" already exists, skipping')
            return stmt.kind, 0
        raise SqlError("42P07", f'relation "{name}" already exists')
    may_create(env, schema)
    if stmt.query is not None:
        count = _from_query(env, stmt, schema, name)
        return ("CREATE TABLE AS" if stmt.no_data else "SELECT"), count
    relation = env.catalog.put(
        Relation(oid=env.catalog.new_oid(), database=env.catalog.database, schema_=schema, name=name, owner=env.user)
    )
    builder = Builder(env, relation)
    for item in stmt.likes:
        builder.like(*item)
    for column in stmt.columns:
        builder.column(column)
    for constraint in stmt.constraints:
        builder.pending.append(constraint)
    builder.finish()
    return "CREATE TABLE", 0


def _from_query(env: Connection, stmt: n.Stmt, schema: str, name: str, kind: str = "table") -> int:
    plan = plan_query(stmt.query, Scope(env))
    names = [*stmt.names, *(c.name for c in plan.columns[len(stmt.names) :])]
    if len(stmt.names) > len(plan.columns):
        raise SqlError("42601", "too many column names were specified")
    if len(set(names)) != len(names):
        twice = next(x for i, x in enumerate(names) if x in names[:i])
        raise SqlError("42701", f'column "{twice}" specified more than once')
    if kind == "table":
        for x in names:
            system_columns.check_name(x)
    columns = [Column(x, c.kind, c.mods) for x, c in zip(names, plan.columns, strict=True)]
    rows = [] if stmt.no_data else plan.run()
    definition = stmt.text if kind != "table" else ""
    relation = env.catalog.put(Relation(
        oid=env.catalog.new_oid(), database=env.catalog.database, schema_=schema, name=name, owner=env.user, kind=kind,
            definition=definition,
        columns=[c.stored() for c in columns],
    ))  # fmt: skip
    for row in rows:
        env.catalog.add_row(relation, row)
    return len(rows)


create_from_query = _from_query


class Builder:
    """Columns and constraints of a table being made or altered."""

    def __init__(self, env: Connection, relation: Relation) -> None:
        self.env, self.catalog = env, env.catalog
        self.oid = relation.oid
        self.columns = list(self.catalog.columns(relation))
        self.pending: list[n.ConstraintDef] = []

    @property
    def relation(self) -> Relation:
        return self.catalog.by_oid(self.oid)

    def like(self, name: tuple[str, ...], options: set[str], at: int) -> None:
        source = self.env.need_relation(name, at)
        everything = "all" in options
        for c in self.catalog.columns(source):
            keep = c.default if everything or "defaults" in options else ""
            self.columns.append(Column(c.name, c.kind, c.mods, c.notnull, keep))
        if everything or "constraints" in options:
            for check in self.catalog.constraints(source, "check"):
                self.pending.append(n.ConstraintDef("check", check.name, text=check.expression))
        if everything or "indexes" in options:
            for index in self.catalog.indexes(source):
                if index.constraint:
                    self.pending.append(n.ConstraintDef("primary" if index.primary else "unique", "", list(index.keys)))

    def column(self, node: n.ColumnDef) -> Column:
        """A column as CREATE TABLE or ADD COLUMN defines it; its table constraints wait for `finish`."""
        if any(c.name == node.name for c in self.columns):
            raise SqlError("42701", f'column "{node.name}" specified more than once')
        system_columns.check_name(node.name)
        word = node.type.name[-1]
        serial = _SERIALS.get(word)
        kind, mods = (serial, ()) if serial else self.env.type_of(node.type)
        made = Column(node.name, kind, mods)
        if serial:
            made.notnull = True
            made.default = self.own_sequence(node.name, kind, {})
        self.columns.append(made)
        for constraint in node.constraints:
            match constraint.kind:
                case "notnull":
                    made.notnull = True
                case "null":
                    if made.notnull:
                        raise SqlError(
                            "42601",
                            f'conflicting NULL/NOT NULL declarations for column "{node.name}" of table "{self.relation.name}"',
                            constraint.at,
                        )
                case "default":
                    if serial or made.default:
                        raise SqlError(
                            "42601",
                            f'multiple default values specified for column "{node.name}" of table "{self.relation.name}"',
                        )
                    made.default = default_of(self.env, made, constraint.expr, constraint.text)
                case "identity":
                    made.identity = "always" if constraint.always else "default"
                    made.notnull = True
                    if kind not in types.INTEGERS:
                        raise SqlError("22023", "identity column type must be smallint, integer, or bigint")
                    made.default = self.own_sequence(node.name, kind, constraint.options)
                case "generated":
                    made.generated = constraint.text
                case _:
                    if constraint.kind == "check":
                        constraint.columns = [node.name]
                    self.pending.append(constraint)
        return made

    def own_sequence(self, column: str, kind: str, options: dict[str, Any]) -> str:
        schema = self.relation.schema_
        name = free_name(self.env, schema, self.relation.name, column, "seq")
        made = make_sequence(self.env, schema, name, {"type": kind, **options})
        self.catalog.put(made, owner_table=self.oid, owner_column=column)
        return f"nextval('{self.env.shown_name(schema, name)}'::regclass)"

    def finish(self) -> None:
        for c in self.columns:
            if c.generated:
                self.catalog.set_columns(self.relation, self.columns)
                made = Compiler(row_scope(self.env, self.relation)).value(_parsed(c.generated))
                if not types.assignable(made.kind, c.kind):
                    raise SqlError(
                        "42804",
                        f'column "{c.name}" is of type {types.shown(c.kind)} but default expression is of type {types.shown(made.kind)}',
                        hint="You will need to rewrite or cast the expression.",
                    )
        self.catalog.set_columns(self.relation, self.columns)
        keys = [c for c in self.pending if c.kind == "primary"]
        if len(keys) + len(self.catalog.constraints(self.relation, "primary")) > 1:
            raise SqlError(
                "42P16", f'multiple primary keys for table "{self.relation.name}" are not allowed', keys[-1].at
            )
        order = {"primary": 0, "unique": 1, "check": 2, "foreign": 3}
        for constraint in sorted(self.pending, key=lambda c: order[c.kind]):
            self.constraint(constraint)
        self.pending.clear()

    # Constraints

    def constraint(self, node: n.ConstraintDef) -> None:
        """A table constraint, checked against the rows that are there."""
        for name in node.columns:
            if not any(c.name == name for c in self.columns):
                what = (
                    "referenced in foreign key constraint does not exist"
                    if node.kind == "foreign"
                    else "named in key does not exist"
                )
                raise SqlError("42703", f'column "{name}" {what}', None if node.kind == "foreign" else node.at)
        if node.name and any(c.name == node.name for c in self.catalog.constraints(self.relation)):
            raise SqlError("42710", f'constraint "{node.name}" for relation "{self.relation.name}" already exists')
        match node.kind:
            case "primary" | "unique":
                self._key(node)
            case "check":
                self._check(node)
            case _:
                self._foreign(node)

    def _key(self, node: n.ConstraintDef) -> None:
        relation, env = self.relation, self.env
        primary = node.kind == "primary"
        if node.options.get("index"):
            raise unsupported("UNIQUE USING INDEX", node.at)
        if len(set(node.columns)) != len(node.columns):
            twice = next(x for i, x in enumerate(node.columns) if x in node.columns[:i])
            raise SqlError(
                "42701",
                f'column "{twice}" appears twice in {"primary key" if primary else "unique"} constraint',
                node.at,
            )
        if primary:
            for c in self.columns:
                if c.name in node.columns:
                    at = self.columns.index(c)
                    if not c.notnull and any(r[at] is None for r in self.catalog.rows(relation).values()):
                        raise SqlError(
                            "23502",
                            f'column "{c.name}" of relation "{relation.name}" contains null values',
                            schema=relation.schema_,
                            table=relation.name,
                            column=c.name,
                        )
                    c.notnull = True
            self.catalog.set_columns(relation, self.columns)
        name = node.name or (
            free_name(env, relation.schema_, relation.name, "pkey")
            if primary
            else free_name(env, relation.schema_, relation.name, *node.columns, "key")
        )
        if taken(env, relation.schema_, name):
            raise SqlError("42P07", f'relation "{name}" already exists')
        made = self.catalog.put(Constraint(
            oid=self.catalog.new_oid(), database=self.catalog.database, relation=self.oid, name=name, kind=node.kind, columns=node.columns,
            deferrable=node.deferrable, deferred=node.deferred, nulls_distinct=node.options.get("nulls", True),
        ))  # fmt: skip
        add_index(env, Index(
            oid=self.catalog.new_oid(), database=self.catalog.database, relation=self.oid, name=name, unique=True, primary=primary,
                keys=node.columns,
            suffixes=[""] * len(node.columns), constraint=made.oid, nulls_distinct=node.options.get("nulls", True),
        ))  # fmt: skip

    def _check(self, node: n.ConstraintDef) -> None:
        relation, env = self.relation, self.env
        expr = node.expr if node.expr is not None else _parsed(node.text)
        scope = row_scope(env, relation)
        scope.clause = "CHECK"
        _no_subquery(expr, "check constraint")
        compiler = Compiler(scope)
        made = compiler.boolean(expr, "CHECK")
        used = [c.name for i, c in enumerate(self.columns) if i in scope.touched]
        only = used if len(used) == 1 else []
        name = node.name or free_name(env, relation.schema_, relation.name, *only, "check")
        if not node.options.get("not_valid"):
            for row in self.catalog.rows(relation).values():
                if made.fn(row) is False:
                    raise SqlError(
                        "23514",
                        f'check constraint "{name}" of relation "{relation.name}" is violated by some row',
                        schema=relation.schema_,
                        table=relation.name,
                        constraint=name,
                    )
        self.catalog.put(Constraint(
            oid=self.catalog.new_oid(), database=self.catalog.database, relation=self.oid, name=name, kind="check", columns=used,
            expression=deparse.show(expr, compiler) if _printable(expr) else node.text,
            validated=not node.options.get("not_valid"),
        ))  # fmt: skip

    def _foreign(self, node: n.ConstraintDef) -> None:
        relation, env = self.relation, self.env
        parent = env.find_relation(node.table)
        if parent is None:
            raise missing_relation(".".join(node.table), None)
        if parent.kind != "table":
            raise SqlError("42809", f'referenced relation "{parent.name}" is not a table')
        if parent.oid != self.oid and not env.has_privilege(parent, "references"):
            raise SqlError("42501", f"permission denied for table {parent.name}")
        refers = node.refers
        if not refers:
            keys = self.catalog.constraints(parent, "primary")
            if not keys:
                raise SqlError("42704", f'there is no primary key for referenced table "{parent.name}"')
            refers = keys[0].columns
        others = {c.name: c for c in self.catalog.columns(parent)}
        for name in refers:
            if name not in others:
                raise SqlError("42703", f'column "{name}" referenced in foreign key constraint does not exist')
        if len(refers) != len(node.columns):
            raise SqlError("42830", "number of referencing and referenced columns for foreign key disagree")
        if not any(i.unique and not i.predicate and set(i.keys) == set(refers) for i in self.catalog.indexes(parent)):
            raise SqlError(
                "42830", f'there is no unique constraint matching given keys for referenced table "{parent.name}"'
            )
        name = node.name or free_name(env, relation.schema_, relation.name, *node.columns, "fkey")
        own = {c.name: c for c in self.columns}
        for a, b in zip(node.columns, refers, strict=True):
            x, y = own[a].kind, others[b].kind
            if x != y and types.category(x) != types.category(y):
                raise SqlError(
                    "42804",
                    f'foreign key constraint "{name}" cannot be implemented',
                    detail=f'Key columns "{a}" and "{b}" are of incompatible types: {types.shown(x)} and {types.shown(y)}.',
                )
        made = self.catalog.put(Constraint(
            oid=self.catalog.new_oid(), database=self.catalog.database, relation=self.oid, name=name, kind="foreign",
                columns=node.columns, refers=parent.oid,
            refers_columns=list(refers), on_delete=node.on_delete, on_update=node.on_update, deferrable=node.deferrable,
                deferred=node.deferred, validated=not node.options.get("not_valid"),
        ))  # fmt: skip
        if not node.options.get("not_valid"):
            check_foreign(env, made, list(self.catalog.rows(relation).values()))


# Indexes
