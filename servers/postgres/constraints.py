"""What a table's rows must keep: NOT NULL, CHECK, unique keys, foreign keys and what they set in motion."""

from collections.abc import Callable
from typing import Any

from . import values
from .errors import SqlError
from .models import Constraint, Index, Relation
from .rowscope import compiled
from .session import Connection

Cells = tuple[Any, ...]


class UniqueKey:
    """A unique index: which rows hold which key."""

    def __init__(self, env: Connection, relation: Relation, index: Index) -> None:
        self.env, self.relation, self.index = env, relation, index
        columns = env.catalog.columns(relation)
        places = {c.name: i for i, c in enumerate(columns)}
        self.kinds = list[str]()
        self.parts = list[Callable[[Any], Any]]()
        self.names = list[str]()
        for key in index.keys:
            if key in places:
                at = places[key]
                self.parts.append(lambda r, at=at: r[at])
                self.kinds.append(columns[at].kind)
            else:
                e = compiled(env, relation, key)
                self.parts.append(e.fn)
                self.kinds.append(e.kind)
            self.names.append(key)
        self.test = compiled(env, relation, index.predicate).fn if index.predicate else None
        self.held: dict[Any, int] | None = None

    def key(self, row: Cells) -> Any:
        if self.test is not None and self.test(row) is not True:
            return None
        cells = [p(row) for p in self.parts]
        if any(c is None for c in cells) and self.index.nulls_distinct:
            return None
        return tuple(values.key(c) for c in cells)

    def map(self) -> dict[Any, int]:
        if self.held is None:
            rows = self.env.catalog.rows(self.relation)
            self.env.tick(len(rows))
            self.held = {k: n for n, row in rows.items() if (k := self.key(row)) is not None}
        return self.held

    def violation(self, row: Cells) -> SqlError:
        shown = ", ".join(self.env.text(k, p(row)) for k, p in zip(self.kinds, self.parts, strict=True))
        return SqlError(
            "23505", f'duplicate key value violates unique constraint "{self.index.name}"',
            detail=f"Key ({', '.join(self.names)})=({shown}) already exists.",
            schema=self.relation.schema_, table=self.relation.name, constraint=self.index.name,
        )  # fmt: skip


class Keeper:
    """Checks and writes the rows of one table for one statement."""

    def __init__(self, env: Connection, relation: Relation) -> None:
        self.env, self.catalog, self.relation = env, env.catalog, relation
        self.columns = self.catalog.columns(relation)
        self.places = {c.name: i for i, c in enumerate(self.columns)}
        self.uniques = [UniqueKey(env, relation, i) for i in self.catalog.indexes(relation) if i.unique]
        self.checks = [
            (c, compiled(env, relation, c.expression).fn)
            for c in sorted(self.catalog.constraints(relation, "check"), key=lambda c: c.name)
        ]
        self.generated = [
            (i, compiled(env, relation, c.generated), c) for i, c in enumerate(self.columns) if c.generated
        ]

    # One row

    def complete(self, row: list[Any]) -> Cells:
        """Fills generated columns."""
        from .casts import caster, limiter  # noqa: PLC0415

        for at, e, c in self.generated:
            value = e.fn(tuple(row))
            if value is not None:
                run, limit = caster(e.kind, c.kind, self.env), limiter(c.kind, c.mods, False)
                value = run(value) if run else value
                value = limit(value) if limit else value
            row[at] = value
        return tuple(row)

    def shown(self, row: Cells) -> str:
        parts = [
            t if len(t := self.env.text(c.kind, v)) <= 64 else t[:64] + "..."
            for c, v in zip(self.columns, row, strict=True)
        ]
        return f"Failing row contains ({', '.join(parts)})."

    def check(self, row: Cells) -> None:
        for c, value in zip(self.columns, row, strict=True):
            if value is None and c.notnull:
                raise SqlError("23502", f'null value in column "{c.name}" of relation "{self.relation.name}" violates not-null'
                                        ' constraint', detail=self.shown(row),
                               schema=self.relation.schema_, table=self.relation.name, column=c.name)  # fmt: skip
        for constraint, test in self.checks:
            if test(row) is False:
                raise SqlError("23514", f'new row for relation "{self.relation.name}" violates check constraint "{constraint.name}"',
                    detail=self.shown(row),
                               schema=self.relation.schema_, table=self.relation.name, constraint=constraint.name)  # fmt: skip

    def conflict(self, row: Cells, arbiters: list[UniqueKey] | None = None) -> tuple[UniqueKey, int] | None:
        for unique in self.uniques if arbiters is None else arbiters:
            key = unique.key(row)
            if key is not None and (held := unique.map().get(key)) is not None:
                return unique, held
        return None

    def _noted(self, n: int, before: Cells | None, after: Cells | None) -> None:
        for unique in self.uniques:
            if unique.held is None:
                continue
            if before is not None and (k := unique.key(before)) is not None and unique.held.get(k) == n:
                del unique.held[k]
            if after is not None and (k := unique.key(after)) is not None:
                unique.held[k] = n

    def insert(self, row: Cells) -> int:
        n = self.catalog.add_row(self.relation, row)
        self._noted(n, None, row)
        return n

    def update(self, n: int, before: Cells, after: Cells) -> None:
        self.check(after)
        for unique in self.uniques:
            key = unique.key(after)
            if key is not None and key != unique.key(before) and unique.map().get(key, n) != n:
                raise unique.violation(after)
        if after == before and repr(after) == repr(before):
            return
        self.catalog.write_row(self.relation, n, after)
        self._noted(n, before, after)

    def delete(self, n: int) -> None:
        row = self.catalog.rows(self.relation)[n]
        self.catalog.delete_row(self.relation, n)
        self._noted(n, row, None)


# Foreign keys


def key_of(env: Connection, relation: Relation, names: list[str]) -> Callable[[Cells], tuple[Any, ...]]:
    places = [next(i for i, c in enumerate(env.catalog.columns(relation)) if c.name == name) for name in names]
    return lambda row: tuple(values.key(row[p]) for p in places)


def check_children(env: Connection, relation: Relation, rows: list[Cells], only: set[str] | None = None) -> None:
    """Whether what these rows refer to is there; `only` are the columns that changed."""
    for fk in env.catalog.constraints(relation, "foreign"):
        if only is not None and not only & set(fk.columns):
            continue
        if deferred(env, fk):
            env.state.deferred = sorted({*env.state.deferred, str(fk.oid)})
            continue
        check_foreign(env, fk, rows)


def deferred(env: Connection, fk: Constraint) -> bool:
    if not fk.deferrable or env.state.state == "idle":
        return False
    modes = env.state.settings.get("_constraints", "")
    if modes == "deferred":
        return True
    return fk.deferred and modes != "immediate"


def check_foreign(env: Connection, fk: Constraint, rows: list[Cells]) -> None:
    relation, parent = env.catalog.by_oid(fk.relation), env.catalog.by_oid(fk.refers)
    own, other = key_of(env, relation, fk.columns), key_of(env, parent, fk.refers_columns)
    wanted = [(k, row) for row in rows if None not in (k := own(row))]
    if not wanted:
        return
    held = {other(row) for row in env.catalog.rows(parent).values()}
    env.tick(len(held))
    for key, row in wanted:
        if key not in held:
            raise SqlError("23503", f'insert or update on table "{relation.name}" violates foreign key constraint "{fk.name}"',
                           detail=f'Key ({", ".join(fk.columns)})=({_shown(env, relation, fk.columns, row)}) is not present in table'
                                  f' "{parent.name}".',
                           schema=relation.schema_, table=relation.name, constraint=fk.name)  # fmt: skip


def _shown(env: Connection, relation: Relation, names: list[str], row: Cells) -> str:
    cells = {c.name: env.text(c.kind, v) for c, v in zip(env.catalog.columns(relation), row, strict=True)}
    return ", ".join(cells[n] for n in names)


def parents_gone(
    env: Connection, relation: Relation, gone: list[Cells], changed: list[tuple[Cells, Cells]] | None = None
) -> None:
    """What follows for rows that referred to deleted ones (`gone`) or to ones whose key changed."""
    env.enter()
    for fk in list(env.catalog.all(Constraint, kind="foreign", refers=relation.oid)):
        other = key_of(env, relation, fk.refers_columns)
        pairs = (
            [(row, None) for row in gone] if changed is None else [(a, b) for a, b in changed if other(a) != other(b)]
        )
        if not pairs:
            continue
        kept = {other(row) for row in env.catalog.rows(relation).values()}
        lost = {other(a): (a, b) for a, b in pairs if other(a) not in kept and None not in other(a)}
        if not lost:
            continue
        child = env.catalog.by_oid(fk.relation)
        own = key_of(env, child, fk.columns)
        rows = env.catalog.rows(child)
        env.tick(len(rows))
        hit = [(n, row) for n, row in rows.items() if own(row) in lost]
        if hit:
            _follow(
                env,
                fk,
                relation,
                child,
                hit,
                lost,
                own,
                fk.on_delete if changed is None else fk.on_update,
                deleting=changed is None,
            )
    env.leave()


def _follow(
    env: Connection,
    fk: Constraint,
    parent: Relation,
    child: Relation,
    hit: list[Any],
    lost: Any,
    own: Any,
    action: str,
    *,
    deleting: bool,
) -> None:
    if action in ("", "restrict"):
        if not action and deferred(env, fk):
            env.state.deferred = sorted({*env.state.deferred, str(fk.oid)})
            return
        row = lost[own(hit[0][1])][0]
        raise SqlError("23503", f'update or delete on table "{parent.name}" violates foreign key constraint "{fk.name}" on table'
                                f' "{child.name}"',
                       detail=f'Key ({", ".join(fk.refers_columns)})=({_shown(env, parent, fk.refers_columns, row)}) is still'
                              f' referenced from table "{child.name}".',
                       schema=child.schema_, table=child.name, constraint=fk.name)  # fmt: skip
    keeper = Keeper(env, child)
    if action == "cascade" and deleting:
        for n, _ in hit:
            keeper.delete(n)
        parents_gone(env, child, [row for _, row in hit])
        return
    places = [keeper.places[name] for name in fk.columns]
    moved = list[tuple[Cells, Cells]]()
    for n, row in hit:
        fresh = list(row)
        new = lost[own(row)][1]
        for at, name, ref in zip(places, fk.columns, fk.refers_columns, strict=True):
            if action == "cascade":
                fresh[at] = new[[c.name for c in env.catalog.columns(parent)].index(ref)]
            elif action == "set default":
                column = keeper.columns[keeper.places[name]]
                fresh[at] = default_value(env, column) if column.default else None
            else:
                fresh[at] = None
        after = keeper.complete(fresh)
        keeper.update(n, row, after)
        moved.append((row, after))
    if action == "set default":
        check_foreign(env, fk, [after for _, after in moved])
    parents_gone(env, child, [], moved)


def default_value(env: Connection, column: Any) -> Any:
    return default_function(env, column)(())


def default_function(env: Connection, column: Any) -> Callable[[Any], Any]:
    """A column's default, in its type."""
    from .expressions import Compiler  # noqa: PLC0415
    from .parser import parse_expression  # noqa: PLC0415
    from .scope import Scope  # noqa: PLC0415

    scope = Scope(env)
    scope.clause = "DEFAULT"
    compiler = Compiler(scope)
    kept = env.volatile
    e = compiler.value(parse_expression(column.default))
    env.volatile = kept
    return compiler.coerce(e, column.kind, mods=column.mods).fn
