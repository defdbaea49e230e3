"""UPDATE and DELETE."""

from typing import Any

from . import nodes as n
from . import system_columns
from .constraints import Cells, Keeper, check_children, parents_gone
from .errors import SqlError
from .joins import Step, execute
from .scope import Out, Scope, Source
from .sources import From
from .writing import Written, assignments, returning, target


class Updating:
    """UPDATE and DELETE: the target's rows joined to others, each taken once."""

    def __init__(self, node: Any, scope: Scope) -> None:
        self.node, self.scope, self.env = node, scope, scope.env
        self.deleting = isinstance(node, n.Delete)
        self.verb = "delete" if self.deleting else "update"
        self.relation = target(scope, node.table, self.verb)
        self.columns = self.env.catalog.columns(self.relation)

    def plan(self) -> Written:
        node, env, relation, scope = self.node, self.env, self.relation, self.scope
        width, extra = len(self.columns), system_columns.outs(self.relation)
        source = Source(
            node.table.alias or relation.name,
            [*(Out(c.name, c.kind, c.mods) for c in self.columns), *extra],
            0,
            relation,
            system=len(extra),
        )
        source.hidden = set(range(width, width + len(extra)))
        scope.add(source)
        visible = env.row_filter(relation, self.verb, "using")

        def rows() -> list[Any]:
            found = env.catalog.rows(relation)
            env.tick(len(found))
            return [
                (*r, *system_columns.cells(relation, k))
                for k, r in found.items()
                if visible is None or visible(r) is True
            ]

        clause = From(scope)
        clause.steps.append(
            Step("cross", rows, 0, width + len(extra), note=("table", relation, source.alias), compiler=clause.compiler)
        )
        clause.items(node.using if self.deleting else node.froms)
        tests = list[Any]()
        if node.where is not None:
            scope.clause = "WHERE"
            tests = clause.where(node.where)
        change = None if self.deleting else assignments(scope, relation, self.columns, node.sets, env)
        targets = [
            (
                n.Star((source.alias,))
                if isinstance(t, n.Star) and not t.parts and not (node.using if self.deleting else node.froms)
                else t,
                label,
            )
            for t, label in node.returning
        ]
        columns, project = returning(scope, targets)
        check = None if self.deleting else env.row_filter(relation, "update", "check")
        made = Written(
            columns,
            lambda: [],
            self.verb.upper(),
            note=("select", clause.steps, n.Select(where=node.where), None),
        )

        def run() -> list[tuple[Any, ...]]:
            joined: dict[int, Any] = {}
            for row in execute(clause.steps, env, scope):
                scope.cell[0] = row
                if all(t(row) is True for t in tests):
                    joined.setdefault(row[width], row)
            keeper = Keeper(env, relation)
            results = (
                self._delete(keeper, joined, width)
                if change is None
                else self._update(keeper, joined, width, change, check)
            )
            made.count = len(results)
            return project(results) if node.returning else []

        made.run = run
        return made

    def _delete(self, keeper: Keeper, joined: dict[int, Any], width: int) -> list[Any]:
        for k in joined:
            keeper.delete(k)
        parents_gone(self.env, self.relation, [row[:width] for row in joined.values()])
        return list(joined.values())

    def _update(self, keeper: Keeper, joined: dict[int, Any], width: int, change: Any, check: Any) -> list[Any]:
        fresh = list[tuple[int, Any, Cells]]()
        for k, row in joined.items():
            self.scope.cell[0] = row
            fresh.append((k, row, keeper.complete(change(row, row[:width]))))
        pairs, results = list[tuple[Cells, Cells]](), list[Any]()
        for k, row, after in fresh:
            if check is not None and check(after) is not True:
                raise SqlError("42501", f'new row violates row-level security policy for table "{self.relation.name}"')
            keeper.update(k, row[:width], after)
            pairs.append((row[:width], after))
            results.append((*after, *row[width:]))
        changed = {c.name for i, c in enumerate(self.columns) if any(a[i] != b[i] for a, b in pairs)}
        if changed:
            check_children(self.env, self.relation, [b for _, b in pairs], changed)
            parents_gone(self.env, self.relation, [], pairs)
        return results
