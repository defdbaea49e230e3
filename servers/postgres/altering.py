"""ALTER TABLE and its kin."""

from . import nodes as n
from .altering_columns import ColumnActions, alter_sequence_options
from .constraints import check_foreign
from .creating import Builder
from .errors import SqlError, unsupported
from .models import Constraint, Index, Sequence
from .naming import free_name, taken
from .rowscope import compiled
from .session import Connection


def alter(env: Connection, stmt: n.Stmt) -> None:
    """ALTER TABLE, VIEW, MATERIALIZED VIEW, INDEX, SEQUENCE with a list of actions."""
    if stmt.what == "index":
        return _alter_index(env, stmt)
    if stmt.what == "sequence":
        return _alter_sequence(env, stmt)
    relation = env.find_relation(stmt.name)
    if relation is None:
        if stmt.exists:
            env.notices.append(f'relation "{".".join(stmt.name)}" does not exist, skipping')
            return None
        raise SqlError("42P01", f'relation "{".".join(stmt.name)}" does not exist', None)
    env.must_own(relation)
    if stmt.what == "view" and relation.kind != "view":
        raise SqlError("42809", f'"{relation.name}" is not a view')
    for action in stmt.actions:
        Alteration(env, env.catalog.by_oid(relation.oid)).do(action)
    return None


def _alter_index(env: Connection, stmt: n.Stmt) -> None:
    index = next((i for i in env.catalog.objects(Index).values() if i.name == stmt.name[-1]), None)
    if index is None:
        if stmt.exists:
            return
        raise SqlError("42P01", f'relation "{".".join(stmt.name)}" does not exist')
    for action in stmt.actions:
        if action.kind == "rename":
            env.catalog.put(index, name=action.to)
            if index.constraint:
                env.catalog.put(env.catalog.objects(Constraint)[index.constraint,], name=action.to)
        elif action.kind != "storage":
            raise unsupported("ALTER INDEX action", action.at)


def _alter_sequence(env: Connection, stmt: n.Stmt) -> None:
    sequence = env.find_sequence(stmt.name)
    if sequence is None:
        if stmt.exists:
            return
        raise SqlError("42P01", f'relation "{".".join(stmt.name)}" does not exist')
    for action in stmt.actions:
        match action.kind:
            case "rename":
                sequence = env.catalog.put(sequence, name=action.to)
            case "owner":
                sequence = env.catalog.put(sequence, owner=env.role(action.owner).name)
            case "set schema":
                sequence = env.catalog.put(sequence, schema_=action.schema)
            case _:
                raise unsupported("ALTER SEQUENCE action", action.at)


class Alteration(ColumnActions):
    def do(self, action: n.Stmt) -> None:
        name = f"_{action.kind.replace(' ', '_')}"
        method = getattr(self, name, None)
        if method is None:
            raise unsupported(action.name or f"ALTER TABLE {action.kind.upper()}", action.at)
        method(action)

    # Columns

    # Constraints

    def _add_constraint(self, action: n.Stmt) -> None:
        builder = Builder(self.env, self.relation)
        builder.pending = [action.constraint]
        builder.finish()

    def _named(self, action: n.Stmt) -> Constraint | None:
        found = next((c for c in self.catalog.constraints(self.relation) if c.name == action.name), None)
        if found is None and not action.exists:
            raise SqlError("42704", f'constraint "{action.name}" of relation "{self.relation.name}" does not exist')
        return found

    def _drop_constraint(self, action: n.Stmt) -> None:
        found = self._named(action)
        if found is None:
            self.env.notices.append(
                f'constraint "{action.name}" of relation "{self.relation.name}" does not exist, skipping'
            )
            return
        if found.kind in ("primary", "unique"):
            users = [
                c
                for c in self.catalog.all(Constraint, kind="foreign", refers=self.relation.oid)
                if set(c.refers_columns) == set(found.columns)
            ]
            if users and not action.cascade:
                child = self.catalog.by_oid(users[0].relation)
                shown = self.env.shown_name(self.relation.schema_, self.relation.name)
                raise SqlError("2BP01", f"cannot drop constraint {found.name} on table {shown} because other objects depend on it",
                               detail=f"constraint {users[0].name} on table {self.env.shown_name(child.schema_, child.name)} depends on"
                                      f" index {found.name}",
                               hint="Use DROP ... CASCADE to drop the dependent objects too.")  # fmt: skip
            for user in users:
                self.catalog.remove(user)
            for index in self.catalog.indexes(self.relation):
                if index.constraint == found.oid:
                    self.catalog.remove(index)
        self.catalog.remove(found)

    def _rename_constraint(self, action: n.Stmt) -> None:
        found = self._named(action)
        assert found is not None
        self.catalog.put(found, name=action.to)
        for index in self.catalog.indexes(self.relation):
            if index.constraint == found.oid:
                self.catalog.put(index, name=action.to)

    def _validate(self, action: n.Stmt) -> None:
        found = self._named(action)
        assert found is not None
        rows = list(self.catalog.rows(self.relation).values())
        if found.kind == "foreign":
            check_foreign(self.env, found, rows)
        elif found.kind == "check":
            test = compiled(self.env, self.relation, found.expression).fn
            if any(test(row) is False for row in rows):
                raise SqlError(
                    "23514", f'check constraint "{found.name}" of relation "{self.relation.name}" is violated by some row',
                    schema=self.relation.schema_, table=self.relation.name, constraint=found.name,
                )  # fmt: skip
        self.catalog.put(found, validated=True)

    # The table

    def _rename(self, action: n.Stmt) -> None:
        if taken(self.env, self.relation.schema_, action.to):
            raise SqlError("42P07", f'relation "{action.to}" already exists')
        self.catalog.put(self.relation, name=action.to)

    def _owner(self, action: n.Stmt) -> None:
        self.catalog.put(self.relation, owner=self.env.role(action.owner).name)

    def _set_schema(self, action: n.Stmt) -> None:
        if self.catalog.namespace(action.schema) is None:
            raise SqlError("3F000", f'schema "{action.schema}" does not exist')
        if taken(self.env, action.schema, self.relation.name):
            raise SqlError("42P07", f'relation "{self.relation.name}" already exists in schema "{action.schema}"')
        self.catalog.put(self.relation, schema_=action.schema)
        for sequence in self.catalog.all(Sequence, owner_table=self.relation.oid):
            self.catalog.put(sequence, schema_=action.schema)

    def _security(self, action: n.Stmt) -> None:
        on = action.how in ("enable", "force")
        self.catalog.put(
            self.relation,
            **({"row_security": on} if action.how in ("enable", "disable") else {"force_row_security": on}),
        )


__all__ = ["alter", "alter_sequence_options", "free_name"]
