"""INSERT, with ON CONFLICT."""

from collections.abc import Callable
from typing import Any

from . import nodes as n
from . import system_columns
from .catalog import Column
from .constraints import Cells, Keeper, check_children, default_function, parents_gone
from .errors import SqlError
from .expressions import Compiler
from .query import plan_query
from .scope import E, Out, Scope, Source
from .writing import _DEFAULT, _NOTHING, Written, _nothing, assigned, assignments, place_of, returning, target


class Inserting:
    def __init__(self, node: n.Insert, scope: Scope) -> None:
        self.node, self.scope, self.env = node, scope, scope.env
        self.relation = target(scope, node.table, "insert")
        self.columns = self.env.catalog.columns(self.relation)
        names = node.columns or [c.name for c in self.columns]
        spots = node.places or [node.table.at] * len(names)
        self.places = [place_of(self.relation, self.columns, name, at) for name, at in zip(names, spots, strict=True)]
        if len(set(self.places)) != len(self.places):
            twice = next(i for i, x in enumerate(names) if x in names[:i])
            raise SqlError("42701", f'column "{names[twice]}" specified more than once', spots[twice])
        self.defaulted = set[int]()

    def plan(self) -> Written:
        node, env = self.node, self.env
        rows = self._source()
        fills = self._defaults()
        alias = node.table.alias or self.relation.name
        own, extra = [Out(c.name, c.kind, c.mods) for c in self.columns], system_columns.outs(self.relation)
        out_scope = Scope(env, self.scope)
        hidden = set(range(len(own), len(own) + len(extra)))
        out_scope.add(Source(alias, [*own, *extra], 0, self.relation, hidden, system=len(extra)))
        columns, project = returning(out_scope, node.returning)
        resolve = self._conflict(alias) if node.conflict else None
        check = env.row_filter(self.relation, "insert", "check")
        made = Written(columns, lambda: [], "INSERT")

        def run() -> list[tuple[Any, ...]]:
            keeper = Keeper(env, self.relation)
            given = rows()
            new, changed = list[Cells](), list[tuple[Cells, Cells]]()
            touched = set[int]()
            results = list[Cells]()
            for cells in given:
                row = keeper.complete([f(()) if v is _DEFAULT else v for f, v in zip(fills, cells, strict=True)])
                keeper.check(row)
                if check is not None and check(row) is not True:
                    raise SqlError(
                        "42501", f'new row violates row-level security policy for table "{self.relation.name}"'
                    )
                if resolve is not None:
                    outcome = resolve(keeper, row, touched)
                    if outcome is not None:
                        if outcome is not _NOTHING:
                            before, after, at = outcome
                            changed.append((before, after))
                            results.append((*after, *system_columns.cells(self.relation, at, locked=True)))
                        continue
                clash = keeper.conflict(row)
                if clash is not None:
                    raise clash[0].violation(row)
                at = keeper.insert(row)
                touched.add(at)
                new.append(row)
                results.append((*row, *system_columns.cells(self.relation, at)))
            check_children(env, self.relation, [*new, *(b for _, b in changed)])
            if changed:
                parents_gone(env, self.relation, [], changed)
            made.count = len(results)
            return project(results) if node.returning else []

        made.run = run
        return made

    def _source(self) -> Callable[[], list[list[Any]]]:
        """The rows to insert, cells in the table's order, `_DEFAULT` where a default belongs."""
        node, env = self.node, self.env
        width = len(self.columns)
        if node.source is None:
            return lambda: [[_DEFAULT] * width]
        if isinstance(node.source, n.Values) and not node.source.order and node.source.limit is None:
            return self._values(node.source)
        inner = Scope(env, self.scope)
        plan = plan_query(node.source, inner)
        self._count(len(plan.columns), node.source)
        compiler = Compiler(self.scope)
        steps = list[Any]()
        for i, out in enumerate(plan.columns):
            at = (
                node.source.targets[i][0].at
                if isinstance(node.source, n.Select) and i < len(node.source.targets)
                else node.at
            )
            item = (
                node.source.targets[i][0]
                if isinstance(node.source, n.Select) and i < len(node.source.targets)
                else None
            )
            literal = isinstance(item, n.Const) and item.type == "unknown"
            column = self.columns[self.places[i]]
            self._not_generated(column, None)
            e = E(lambda r, i=i: r[i], "unknown" if literal else out.kind)
            steps.append(assigned(compiler, e, column, at).fn)
        places = self.places[: len(plan.columns)]

        def run() -> list[list[Any]]:
            made = list[list[Any]]()
            for row in plan.run():
                cells: list[Any] = [_DEFAULT] * width
                for at, f in zip(places, steps, strict=True):
                    cells[at] = f(row)
                made.append(cells)
            return made

        return run

    def _count(self, given: int, source: Any) -> None:
        if given > len(self.places):
            place = (
                source.targets[len(self.places)][0].at
                if isinstance(source, n.Select) and len(source.targets) > len(self.places)
                else self.node.at
            )
            raise SqlError("42601", "INSERT has more expressions than target columns", place)
        if given < len(self.places) and self.node.columns:
            raise SqlError("42601", "INSERT has more target columns than expressions", self.node.places[given])

    def _not_generated(self, column: Column, node: Any) -> None:
        if isinstance(node, n.Default):
            return
        if column.generated:
            raise SqlError(
                "428C9",
                f'cannot insert a non-DEFAULT value into column "{column.name}"',
                detail=f'Column "{column.name}" is a generated column.',
            )
        if column.identity == "always" and not self.node.overriding:
            raise SqlError("428C9", f'cannot insert a non-DEFAULT value into column "{column.name}"',
                           detail=f'Column "{column.name}" is an identity column defined as GENERATED ALWAYS.',
                           hint="Use OVERRIDING SYSTEM VALUE to override.")  # fmt: skip

    def _values(self, source: n.Values) -> Callable[[], list[list[Any]]]:
        scope = Scope(self.env, self.scope)
        compiler = Compiler(scope)
        lines = list[list[tuple[int, Any]]]()
        size = len(source.rows[0])
        for row in source.rows:
            if len(row) != size:
                raise SqlError("42601", "VALUES lists must all be the same length", row[0].at)
            if len(row) > len(self.places):
                raise SqlError("42601", "INSERT has more expressions than target columns", row[len(self.places)].at)
            if len(row) < len(self.places) and self.node.columns:
                raise SqlError("42601", "INSERT has more target columns than expressions", self.node.places[len(row)])
            line = list[tuple[int, Any]]()
            for at, item in zip(self.places, row, strict=False):
                column = self.columns[at]
                self._not_generated(column, item)
                if not isinstance(item, n.Default):
                    line.append((at, assigned(compiler, compiler.value(item), column, item.at).fn))
            lines.append(line)
        width = len(self.columns)

        def run() -> list[list[Any]]:
            made = list[list[Any]]()
            for line in lines:
                cells: list[Any] = [_DEFAULT] * width
                for at, f in line:
                    cells[at] = f(())
                made.append(cells)
            return made

        return run

    def _defaults(self) -> list[Callable[[Any], Any]]:
        env = self.env
        return [_nothing if not c.default else default_function(env, c) for c in self.columns]

    def _conflict(self, alias: str) -> Callable[[Keeper, Cells, set[int]], Any]:
        conflict = self.node.conflict
        assert conflict is not None
        env, relation = self.env, self.relation
        arbiters = self._arbiters(conflict)
        width = len(self.columns)
        scope = Scope(env, self.scope)
        scope.add(Source(alias, [Out(c.name, c.kind, c.mods) for c in self.columns], 0, relation))
        scope.add(Source("excluded", [Out(c.name, c.kind, c.mods) for c in self.columns], width))
        sets = assignments(scope, relation, self.columns, conflict.sets, env) if conflict.sets is not None else None
        where = (
            Compiler(scope).boolean(conflict.update_where, "WHERE").fn if conflict.update_where is not None else None
        )
        if sets is not None:
            env.allowed(relation, "update")

        def resolve(keeper: Keeper, row: Cells, touched: set[int]) -> Any:
            chosen = None if arbiters is None else [u for u in keeper.uniques if u.index.oid in arbiters]
            clash = keeper.conflict(row, chosen)
            if clash is None:
                return None
            if sets is None:
                return _NOTHING
            at = clash[1]
            if at in touched:
                raise SqlError("21000", "ON CONFLICT DO UPDATE command cannot affect row a second time",
                               hint="Ensure that no rows proposed for insertion within the same command have duplicate constrained"
                                    " values.")  # fmt: skip
            before = env.catalog.rows(relation)[at]
            both = (*before, *row)
            scope.cell[0] = both
            if where is not None and where(both) is not True:
                return _NOTHING
            after = keeper.complete(sets(both, before))
            keeper.update(at, before, after)
            touched.add(at)
            return before, after, at

        return resolve

    def _arbiters(self, conflict: n.Conflict) -> set[int] | None:
        env, relation = self.env, self.relation
        indexes = [i for i in env.catalog.indexes(relation) if i.unique]
        if conflict.constraint:
            named = [i.oid for i in indexes if i.name == conflict.constraint]
            if not named:
                raise SqlError(
                    "42704", f'constraint "{conflict.constraint}" for table "{relation.name}" does not exist'
                )
            return set(named)
        if not conflict.target:
            if conflict.sets is not None:
                raise SqlError(
                    "42601",
                    "ON CONFLICT DO UPDATE requires inference specification or constraint name",
                    conflict.at,
                    hint="For example, ON CONFLICT (column_name).",
                )
            return None
        wanted = list[str]()
        for item in conflict.target:
            if isinstance(item, n.Col) and len(item.parts) == 1:
                if not any(c.name == item.parts[0] for c in self.columns):
                    raise SqlError("42703", f'column "{item.parts[0]}" does not exist', item.at)
                wanted.append(item.parts[0])
            else:
                wanted.append(repr(item))
        found = {
            i.oid
            for i in indexes
            if {_sense(k, self.columns) for k in i.keys} == set(wanted)
            and (not i.predicate or conflict.where is not None)
        }
        if not found:
            raise SqlError("42P10", "there is no unique or exclusion constraint matching the ON CONFLICT specification")
        return found


def _sense(key: str, columns: list[Column]) -> str:
    from .parser import parse_expression  # noqa: PLC0415

    if any(c.name == key for c in columns):
        return key
    return _without_places(repr(parse_expression(key)))


def _without_places(text: str) -> str:
    return text
