"""UPDATE and DELETE."""

from typing import Any

from . import nodes as n
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
        width = len(self.columns)
        source = Source(
            node.table.alias or relation.name,
            [*(Out(c.name, c.kind, c.mods) for c in self.columns), Out("ctid", "int8")],
            0,
            relation,
        )
        source.hidden = {width}
        scope.add(source)
        visible = env.row_filter(relation, self.verb, "using")

        def rows() -> list[Any]:
            found = env.catalog.rows(relation)
            env.tick(len(found))
            return [(*r, k) for k, r in found.items() if visible is None or visible(r) is True]

        clause = From(scope)
        clause.steps.append(Step("cross", rows, 0, width + 1, note=("table", relation, source.alias)))
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
        hidden = [
            i
            for i, c in enumerate(columns)
            if c.name == "ctid" and not any(isinstance(t, n.Col) and t.parts[-1] == "ctid" for t, _ in targets)
        ]
        check = None if self.deleting else env.row_filter(relation, "update", "check")
        made = Written(
            [c for i, c in enumerate(columns) if i not in hidden],
            lambda: [],
            self.verb.upper(),
            note=("select", clause.steps, None, None),
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
            if not node.returning:
                return []
            shown = project(results)
            return [tuple(v for i, v in enumerate(r) if i not in hidden) for r in shown] if hidden else shown

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
