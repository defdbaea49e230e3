"""What ALTER TABLE does to columns."""

from typing import Any

from . import nodes as n
from . import types, values
from .catalog import Column
from .creating import Builder
from .errors import SqlError, unsupported
from .expressions import Compiler
from .models import Constraint, Index, Policy, Relation, Sequence
from .naming import default_of
from .rowscope import row_scope
from .session import Connection


def alter_sequence_options(env: Connection, sequence: Sequence, options: dict[str, Any]) -> None:
    names = {"increment", "minimum", "maximum", "start", "cycle"}
    changes: dict[str, Any] = {k: v for k, v in options.items() if k in names}
    if "type" in options:
        changes["type"] = {"integer": "int4", "bigint": "int8", "smallint": "int2"}.get(
            options["type"], options["type"]
        )
    if options.get("owned"):
        *table, column = options["owned"]
        changes |= {"owner_table": env.need_relation(tuple(table), None).oid, "owner_column": column}
    if changes:
        sequence = env.catalog.put(sequence, **changes)
    if "restart" in options:
        value = options["restart"] if options["restart"] is not None else sequence.start
        if not sequence.minimum <= value <= sequence.maximum:
            raise SqlError(
                "22023",
                f"RESTART value ({value}) cannot be {'less than MINVALUE' if value < sequence.minimum else 'greater than MAXVALUE'}"
                f" ({sequence.minimum if value < sequence.minimum else sequence.maximum})",
            )
        env.fulfilled[sequence.oid] = (value, False)


def _renamed(text: str, old: str, new: str) -> str:
    """An expression's text with a column renamed, by its tokens."""
    if not text:
        return text
    from .functions_text import quote_ident  # noqa: PLC0415
    from .lexer import tokens  # noqa: PLC0415

    out, at = list[str](), 0
    for token in tokens(text):
        if token.kind in ("name", "quoted") and token.value == old and not text[token.stop :].lstrip().startswith("("):
            out.append(text[at : token.start] + quote_ident(new))
            at = token.stop
    return "".join(out) + text[at:]


def _parsed(text: str) -> Any:
    from .parser import parse_expression  # noqa: PLC0415

    return parse_expression(text)


class ColumnActions:
    """A table being altered, and the actions on its columns."""

    def __init__(self, env: Connection, relation: Relation) -> None:
        self.env, self.catalog, self.relation = env, env.catalog, relation
        self.columns = list(self.catalog.columns(relation))

    def _column(self, name: str, at: int | None = None) -> tuple[int, Column]:
        for i, c in enumerate(self.columns):
            if c.name == name:
                return i, c
        raise SqlError("42703", f'column "{name}" of relation "{self.relation.name}" does not exist', at)

    def _save(self, **more: Any) -> None:
        self.relation = self.catalog.set_columns(self.relation, self.columns, **more)

    def _rewrite(self, change: Any) -> None:
        """Every row anew, after the columns have changed."""
        before = dict(self.catalog.rows(self.relation))
        self._save()
        self.catalog._rows[self.relation.oid] = {}
        for k, row in before.items():
            self.catalog.write_row(self.relation, k, change(row))

    def _add_column(self, action: n.Stmt) -> None:
        node = action.column
        if any(c.name == node.name for c in self.columns):
            if action.exists:
                self.env.notices.append(
                    f'column "{node.name}" of relation "{self.relation.name}" already exists, skipping'
                )
                return
            raise SqlError("42701", f'column "{node.name}" of relation "{self.relation.name}" already exists')
        builder = Builder(self.env, self.relation)
        made = builder.column(node)
        rows = self.catalog.rows(self.relation)
        pending, builder.pending = builder.pending, []
        if made.generated:
            self.columns = builder.columns
            self._save()
            e = Compiler(row_scope(self.env, self.relation)).value(_parsed(made.generated))
            fn = Compiler(row_scope(self.env, self.relation)).coerce(e, made.kind, mods=made.mods).fn
            self._rewrite_added(rows, lambda row: fn((*row, None)))
        elif made.default and rows:
            from .constraints import default_function  # noqa: PLC0415

            fn = default_function(self.env, made)
            self.columns = builder.columns
            if "nextval" in made.default or "random" in made.default or "uuid" in made.default:
                self._rewrite_added(rows, lambda _: fn(()))
            else:
                # One value for all rows that are there: they need not be touched.
                made.missing = values.stored(made.kind, fn(()))
                self._save()
        else:
            self.columns = builder.columns
            if made.notnull and rows:
                raise SqlError(
                    "23502",
                    f'column "{made.name}" of relation "{self.relation.name}" contains null values',
                    schema=self.relation.schema_,
                    table=self.relation.name,
                    column=made.name,
                )
            self._save()
        builder = Builder(self.env, self.catalog.by_oid(self.relation.oid))
        builder.pending = pending
        builder.finish()

    def _rewrite_added(self, rows: dict[int, Any], value: Any) -> None:
        before = dict(rows)
        self._save()
        self.catalog._rows[self.relation.oid] = {}
        for k, row in before.items():
            self.catalog.write_row(self.relation, k, (*row, value(row)))

    def _drop_column(self, action: n.Stmt) -> None:
        found = [i for i, c in enumerate(self.columns) if c.name == action.name]
        if not found:
            if action.exists:
                self.env.notices.append(
                    f'column "{action.name}" of relation "{self.relation.name}" does not exist, skipping'
                )
                return
            raise SqlError("42703", f'column "{action.name}" of relation "{self.relation.name}" does not exist')
        self._drop_dependents(action)
        at = found[0]
        del self.columns[at]
        self._rewrite(lambda row: (*row[:at], *row[at + 1 :]))

    def _drop_dependents(self, action: n.Stmt) -> None:
        from .dropping import drop_views, views_using  # noqa: PLC0415

        env, relation, name = self.env, self.relation, action.name
        views = views_using(env, relation, name)
        foreign = [
            c
            for c in self.catalog.all(Constraint, kind="foreign", refers=relation.oid)
            if name in c.refers_columns and c.relation != relation.oid
        ]
        if (views or foreign) and not action.cascade:
            parts = [
                f"view {env.shown_name(v.schema_, v.name)} depends on column {name} of table"
                f" {env.shown_name(relation.schema_, relation.name)}"
                for v in views
            ]
            for fk in foreign:
                child = self.catalog.by_oid(fk.relation)
                parts.append(
                    f"constraint {fk.name} on table {env.shown_name(child.schema_, child.name)} depends on column {name} of table"
                    f" {env.shown_name(relation.schema_, relation.name)}"
                )
            raise SqlError(
                "2BP01",
                f"cannot drop column {name} of table {env.shown_name(relation.schema_, relation.name)} because other objects depend on it",
                detail="\n".join(parts),
                hint="Use DROP ... CASCADE to drop the dependent objects too.",
            )
        drop_views(env, views)
        for constraint in self.catalog.constraints(relation):
            if name in constraint.columns:
                self.catalog.remove(constraint)
        for fk in foreign:
            self.catalog.remove(fk)
        for index in self.catalog.indexes(relation):
            if name in index.keys or any(name in k for k in index.keys if "(" in k):
                self.catalog.remove(index)
        for sequence in self.catalog.all(Sequence, owner_table=relation.oid, owner_column=name):
            self.catalog.remove(sequence)

    def _rename_column(self, action: n.Stmt) -> None:
        if not any(c.name == action.name for c in self.columns):
            raise SqlError("42703", f'column "{action.name}" does not exist')
        at, column = self._column(action.name)
        if any(c.name == action.to for c in self.columns):
            raise SqlError("42701", f'column "{action.to}" of relation "{self.relation.name}" already exists')
        for constraint in self.catalog.objects(Constraint).copy().values():
            changes: dict[str, Any] = {}
            if constraint.relation == self.relation.oid and action.name in constraint.columns:
                changes["columns"] = [action.to if c == action.name else c for c in constraint.columns]
                if constraint.expression:
                    changes["expression"] = _renamed(constraint.expression, action.name, action.to)
            if constraint.refers == self.relation.oid and action.name in constraint.refers_columns:
                changes["refers_columns"] = [action.to if c == action.name else c for c in constraint.refers_columns]
            if changes:
                self.catalog.put(constraint, **changes)
        for index in self.catalog.indexes(self.relation):
            self.catalog.put(index, keys=[action.to if k == action.name else _renamed(k, action.name,
                action.to) if "(" in k else k for k in index.keys],
                             predicate=_renamed(index.predicate, action.name, action.to))  # fmt: skip
        for sequence in self.catalog.all(Sequence, owner_table=self.relation.oid, owner_column=action.name):
            self.catalog.put(sequence, owner_column=action.to)
        for policy in self.catalog.all(Policy, relation=self.relation.oid):
            self.catalog.put(
                policy,
                using=_renamed(policy.using, action.name, action.to),
                check=_renamed(policy.check, action.name, action.to),
            )
        self.columns[at] = Column(**{k: getattr(column, k) for k in Column.__slots__} | {"name": action.to})  # pyright: ignore[reportAttributeAccessIssue]
        for c in self.columns:
            c.generated = _renamed(c.generated, action.name, action.to)
        if self.relation.kind == "view":
            self._save()
        else:
            self._rewrite(lambda row: row)

    def _column_type(self, action: n.Stmt) -> None:
        from .dropping import views_using  # noqa: PLC0415

        at, column = self._column(action.name)
        kind, mods = self.env.type_of(action.type)
        if views := views_using(self.env, self.relation, action.name):
            raise SqlError(
                "0A000",
                "cannot alter type of a column used by a view or rule",
                detail=f'rule _RETURN on view {self.env.shown_name(views[0].schema_, views[0].name)} depends on column "{action.name}"',
            )
        if column.generated:
            raise unsupported("ALTER TYPE of a generated column", action.at)
        named = (c for c in self.columns if _renamed(c.generated, action.name, f"{action.name}_") != c.generated)
        if user := next(named, None):
            raise SqlError(
                "0A000",
                "cannot alter type of a column used by a generated column",
                detail=f'Column "{action.name}" is used by generated column "{user.name}".',
            )
        scope = row_scope(self.env, self.relation)
        compiler = Compiler(scope)
        if action.using is not None:
            e = compiler.value(action.using)
            if not types.assignable(e.kind, kind):
                raise SqlError(
                    "42804",
                    f'result of USING clause for column "{action.name}" cannot be cast automatically to type {types.shown(kind)}',
                    hint="You might need to add an explicit cast.",
                )
        else:
            e = compiler.value(n.Col((action.name,)))
            if not types.assignable(column.kind, kind):
                raise SqlError(
                    "42804",
                    f'column "{action.name}" cannot be cast automatically to type {types.shown(kind)}',
                    hint=f'You might need to specify "USING {action.name}::{types.shown(kind)}".',
                )
        if column.default and not types.assignable(column.kind, kind):
            text = f'default for column "{action.name}" cannot be cast automatically to type {types.shown(kind)}'
            raise SqlError("42804", text)
        fn = compiler.coerce(e, kind, mods=mods).fn
        fresh = {k: fn(row) for k, row in self.catalog.rows(self.relation).items()}
        missing = column.missing
        made = Column(
            **{k: getattr(column, k) for k in Column.__slots__} | {"kind": kind, "mods": mods, "missing": None}
        )  # pyright: ignore[reportAttributeAccessIssue]
        del missing
        before = dict(self.catalog.rows(self.relation))
        self.columns[at] = made
        self._save()
        self.catalog._rows[self.relation.oid] = {}
        for k, row in before.items():
            self.catalog.write_row(self.relation, k, (*row[:at], fresh[k], *row[at + 1 :]))
        for index in self.catalog.indexes(self.relation):
            if index.unique:
                self._recheck(index)
        for constraint in self.catalog.constraints(self.relation, "check"):
            if action.name in constraint.columns:
                Compiler(row_scope(self.env, self.relation)).boolean(_parsed(constraint.expression), "CHECK")

    def _recheck(self, index: Index) -> None:
        from .indexing import add_index  # noqa: PLC0415

        add_index(self.env, index)

    def _set_not_null(self, action: n.Stmt) -> None:
        at, column = self._column(action.name)
        if any(r[at] is None for r in self.catalog.rows(self.relation).values()):
            raise SqlError(
                "23502",
                f'column "{action.name}" of relation "{self.relation.name}" contains null values',
                schema=self.relation.schema_,
                table=self.relation.name,
                column=action.name,
            )
        column.notnull = True
        self._save()

    def _drop_not_null(self, action: n.Stmt) -> None:
        _, column = self._column(action.name)
        if any(action.name in c.columns for c in self.catalog.constraints(self.relation, "primary")):
            raise SqlError("42P16", f'column "{action.name}" is in a primary key')
        if column.identity:
            raise SqlError("42601", f'column "{action.name}" of relation "{self.relation.name}" is an identity column')
        column.notnull = False
        self._save()

    def _set_default(self, action: n.Stmt) -> None:
        _, column = self._column(action.name)
        if column.identity:
            raise SqlError("42601", f'column "{action.name}" of relation "{self.relation.name}" is an identity column')
        try:
            column.default = default_of(self.env, column, action.expr, action.text)
        except SqlError as error:
            error.position = None
            raise
        self._save()

    def _drop_default(self, action: n.Stmt) -> None:
        _, column = self._column(action.name)
        if column.identity:
            raise SqlError(
                "42601",
                f'column "{action.name}" of relation "{self.relation.name}" is an identity column',
                hint="Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.",
            )
        column.default = ""
        self._save()

    def _add_identity(self, action: n.Stmt) -> None:
        _, column = self._column(action.name)
        if column.identity:
            raise SqlError(
                "55000", f'column "{action.name}" of relation "{self.relation.name}" is already an identity column'
            )
        if column.default:
            raise SqlError(
                "55000", f'column "{action.name}" of relation "{self.relation.name}" already has a default value'
            )
        if not column.notnull:
            raise SqlError(
                "55000",
                f'column "{action.name}" of relation "{self.relation.name}" must be declared NOT NULL before identity can be added',
            )
        builder = Builder(self.env, self.relation)
        column.default = builder.own_sequence(column.name, column.kind, action.identity.options)
        column.identity = "always" if action.identity.always else "default"
        self._save()

    def _drop_identity(self, action: n.Stmt) -> None:
        _, column = self._column(action.name)
        if not column.identity:
            if action.exists:
                return
            raise SqlError(
                "55000", f'column "{action.name}" of relation "{self.relation.name}" is not an identity column'
            )
        column.identity, column.default = "", ""
        for sequence in self.catalog.all(Sequence, owner_table=self.relation.oid, owner_column=action.name):
            self.catalog.remove(sequence)
        self._save()

    def _identity_options(self, action: n.Stmt) -> None:
        self._column(action.name)
        for sequence in self.catalog.all(Sequence, owner_table=self.relation.oid, owner_column=action.name):
            alter_sequence_options(self.env, sequence, action.options)

    def _identity_kind(self, action: n.Stmt) -> None:
        _, column = self._column(action.name)
        column.identity = "always" if action.always else "default"
        self._save()

    def _storage(self, action: n.Stmt) -> None:
        del action
