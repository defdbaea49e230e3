"""Queries as plans: SELECT, VALUES, set operations and WITH."""

from collections.abc import Callable
from itertools import product
from operator import itemgetter
from typing import Any

from . import compare, values
from . import nodes as n
from .calls import is_aggregate
from .ctes import add_ctes
from .errors import SqlError
from .expressions import Compiler
from .grouping import GroupStage, canonical
from .joins import Rows, execute
from .labels import name_of
from .scope import E, Out, Plan, Scope
from .setops import _cut, _set_operation, _tail, _values, bound
from .sources import From


def plan_query(query: Any, scope: Scope) -> Plan:
    """A query's plan; `scope` is its own, fresh, with what lies around it as parent."""
    scope.env.enter()
    try:
        add_ctes(query.ctes, scope)
        if isinstance(query, n.Select):
            return SelectPlan(query, scope).plan()
        if isinstance(query, n.Values):
            return _tail(query, _values(query, scope), scope)
        if isinstance(query, n.SetOp):
            return _tail(query, _set_operation(query, scope), scope)
        raise SqlError("42601", "syntax error")
    finally:
        scope.env.leave()


# WITH


# SELECT


class SelectPlan:
    def __init__(self, select: n.Select, scope: Scope) -> None:
        self.select, self.scope, self.env = select, scope, scope.env
        self.compiler = Compiler(scope)

    def plan(self) -> Plan:
        select, scope, compiler = self.select, self.scope, self.compiler
        clause = From(scope)
        clause.items(select.froms)
        scope.named_windows = select.windows
        tests = list[Any]()
        if select.where is not None:
            scope.clause = "WHERE"
            tests = clause.where(select.where)
            scope.clause = "select"
        self.steps = clause.steps
        self.tests = tests
        self._locking()
        targets = self._expanded()
        group = self._group_stage(targets)
        scope.group = group
        scope.clause = "select"
        outputs = list[tuple[E, str]]()
        for node, label, ready in targets:
            e = ready if ready is not None and group is None else compiler._text(compiler.value(node))
            outputs.append((e, label or name_of(node)))
        having = None
        if select.having is not None:
            scope.clause = "HAVING"
            having = compiler.boolean(select.having, "HAVING").fn
            scope.clause = "select"
        scope.clause = "ORDER BY"
        orders = self._orders(targets, outputs)
        distinct_on = (
            [self._order_target(node, targets, outputs, "DISTINCT ON") for node in select.distinct]
            if isinstance(select.distinct, list)
            else []
        )
        self._check_distinct(orders, distinct_on, outputs)
        scope.clause = "LIMIT"
        limit, offset = self._bound(select.limit, "LIMIT"), self._bound(select.offset, "OFFSET")
        scope.clause = "select"
        columns = [
            Out(label, e.kind, e.mods, self._source(node))
            for (e, label), (node, _, _) in zip(outputs, targets, strict=True)
        ]
        run = self._runner([e for e, _ in outputs], group, having, orders, distinct_on, limit, offset)
        return Plan(columns, run, ("select", list(self.steps), select, self))

    def _source(self, node: Any) -> tuple[int, int]:
        if isinstance(node, n.Col):
            found = self.scope._own(node)
            if isinstance(found, tuple):
                return found[0].columns[found[1]].source
        return 0, 0

    def _locking(self) -> None:
        if self.select.locking and (self.select.group or self.select.distinct):
            raise SqlError(
                "0A000", f"FOR UPDATE is not allowed with {'GROUP BY' if self.select.group else 'DISTINCT'} clause"
            )
        if self.select.locking and self.env.read_only:
            raise SqlError("25006", "cannot execute SELECT FOR UPDATE in a read-only transaction")

    def _expanded(self) -> list[tuple[Any, str, E | None]]:
        found = list[tuple[Any, str, E | None]]()
        for node, label in self.select.targets:
            if isinstance(node, n.Star) and not (node.parts and not isinstance(node.parts[0], str)):
                found += self._star(node)
            elif isinstance(node, n.Star):
                inner = self.compiler.value(node.parts[0])
                found += [(n.Attr(node.parts[0], name, at=node.at), name, None) for name in inner.names]
            else:
                found.append((node, label, None))
        return found

    def _star(self, star: n.Star) -> list[tuple[Any, str, E | None]]:
        scope = self.scope
        made = list[tuple[Any, str, E | None]]()
        for e, out in scope.expand(star):
            source = next(
                (s for s in scope.sources if out in s.columns and (not star.parts or s.alias == star.parts[-1])), None
            )
            node = n.Col((source.alias, out.name) if source is not None and source.alias else (out.name,), at=star.at)
            made.append((node, out.name, e))
        return made

    def _group_stage(self, targets: list[Any]) -> GroupStage | None:
        select = self.select
        spots = (
            [node for node, _, _ in targets]
            + [s.expr for s in select.order]
            + ([select.having] if select.having is not None else [])
        )
        if select.group is None and select.having is None and not any(_has_aggregate(s) for s in spots):
            return None
        keys, canon = list[Any](), list[Any]()

        def place(node: Any) -> int:
            node = self._named_key(node, targets)
            sense = canonical(node, self.scope)
            if sense not in canon:
                keys.append(node)
                canon.append(sense)
            return canon.index(sense)

        def sets_of(item: Any) -> list[list[int]]:
            if isinstance(item, n.Grouping):
                parts = [_members(i) for i in item.items]
                if item.kind == "sets":
                    return [s for i in item.items for s in sets_of(i)]
                indexes = [[place(m) for m in part] for part in parts]
                if item.kind == "rollup":
                    return [[i for part in indexes[:k] for i in part] for k in range(len(indexes), -1, -1)]
                picks = product([True, False], repeat=len(indexes))
                return [[i for part, p in zip(indexes, pick, strict=True) if p for i in part] for pick in picks]
            return [[place(m) for m in _members(item)]]

        combined: list[list[int]] = [[]]
        for item in select.group or []:
            combined = [[*a, *b] for a, b in product(combined, sets_of(item))]
        self.scope.clause = "GROUP BY"
        made = GroupStage(self.compiler, keys, [list(dict.fromkeys(c)) for c in combined])
        self.scope.clause = "select"
        return made

    def _named_key(self, node: Any, targets: list[Any]) -> Any:
        """GROUP BY 1, and GROUP BY an output's name where no column has it."""
        if isinstance(node, n.Const) and node.type == "int4":
            if not 0 < node.value <= len(targets):
                raise SqlError("42P10", f"GROUP BY position {node.value} is not in select list", node.at)
            return targets[node.value - 1][0]
        if isinstance(node, n.Col) and len(node.parts) == 1 and not isinstance(self.scope._own(node), (tuple, E)):
            for target, label, _ in targets:
                if (label or name_of(target)) == node.parts[0]:
                    return target
        return node

    def _orders(self, targets: Any, outputs: Any) -> list[tuple[Any, str, bool, bool, int | None]]:
        made = list[tuple[Any, str, bool, bool, int | None]]()
        for sort in self.select.order:
            e, at = self._order_target(sort.expr, targets, outputs, "ORDER BY")
            made.append((e.fn, e.kind, sort.desc, sort.nulls_first, at))
            if e.kind in ("json", "point"):
                raise SqlError(
                    "42883",
                    f"could not identify an ordering operator for type {e.kind}",
                    sort.at,
                    hint="Use an explicit ordering operator or modify the query.",
                )
        return made

    def _order_target(self, node: Any, targets: Any, outputs: Any, clause: str) -> tuple[E, int | None]:
        if isinstance(node, n.Const):
            if node.type != "int4":
                raise SqlError("42601", f"non-integer constant in {clause}", node.at)
            if not 0 < node.value <= len(outputs):
                raise SqlError("42P10", f"{clause} position {node.value} is not in select list", node.at)
            return outputs[node.value - 1][0], node.value - 1
        if isinstance(node, n.Col) and len(node.parts) == 1:
            named = [i for i, (_, label) in enumerate(outputs) if label == node.parts[0]]
            if len({repr(canonical(targets[i][0], self.scope)) for i in named}) > 1:
                raise SqlError("42702", f'{clause} "{node.parts[0]}" is ambiguous', node.at)
            if named:
                return outputs[named[0]][0], named[0]
        sense = canonical(node, self.scope)
        for i, (target, _, _) in enumerate(targets):
            if canonical(target, self.scope) == sense:
                return outputs[i][0], i
        return self.compiler._text(self.compiler.value(node)), None

    def _check_distinct(self, orders: Any, on: list[Any], outputs: list[Any]) -> None:
        select = self.select
        if select.distinct is True and any(o[4] is None for o in orders):
            place = next(s.expr.at for s, o in zip(select.order, orders, strict=True) if o[4] is None)
            raise SqlError("42P10", "for SELECT DISTINCT, ORDER BY expressions must appear in select list", place)
        if on and orders and isinstance(select.distinct, list):
            chosen = [canonical(node, self.scope) for node in select.distinct]
            for sort in select.order[: len(chosen)]:
                if canonical(sort.expr, self.scope) not in chosen and not isinstance(sort.expr, n.Const):
                    raise SqlError(
                        "42P10",
                        "SELECT DISTINCT ON expressions must match initial ORDER BY expressions",
                        select.distinct[0].at,
                    )

    def _bound(self, node: Any, what: str) -> Callable[[], int | None]:
        return bound(node, what, self.compiler, self.scope)

    def _runner(
        self, outputs: list[E], group: Any, having: Any, orders: Any, on: Any, limit: Any, offset: Any
    ) -> Callable[[], Rows]:
        scope, env, steps, tests = self.scope, self.env, self.steps, self.tests
        fns = [e.fn for e in outputs]
        on_fns = [(e.fn) for e, _ in on]
        distinct = self.select.distinct is True
        cell, place, srfs, held = scope.cell, scope.place, scope.srfs, scope.srf_values
        ties = self.select.ties

        def project(rows: Rows) -> list[tuple[Any, ...]]:
            """Each row's outputs, then its sort keys, then what DISTINCT ON compares."""
            extra = [o[0] for o in orders] + on_fns
            made = list[tuple[Any, ...]]()
            whole = fns + extra
            kept = cell[0]
            for i, row in enumerate(rows):
                place[0], cell[0] = i, row
                if not srfs:
                    made.append(tuple(f(row) for f in whole))
                    continue
                lists = [f(row) or [] for f in srfs]
                for k in range(max(map(len, lists), default=0)):
                    held[:] = [v[k] if k < len(v) else None for v in lists]
                    made.append(tuple(f(row) for f in whole))
                    env.tick(1)
            cell[0] = kept
            return made

        def run() -> Rows:
            env.enter()
            rows = execute(steps, env, scope)
            for test in tests:
                rows = [r for r in rows if _tested(test, r, cell)]
            if group is not None:
                rows = group.run(rows)
                if having is not None:
                    rows = [r for r in rows if _tested(having, r, cell)]
            for compute in scope.windows:
                compute(rows)
            width = len(fns)
            made = project(rows)
            if distinct:
                seen: set[Any] = set()
                fresh = list[tuple[Any, ...]]()
                for row in made:
                    k = tuple(values.key(v) for v in row[:width])
                    if k not in seen:
                        seen.add(k)
                        fresh.append(row)
                made = fresh
            if orders:
                keys = [(itemgetter(width + i), kind, desc, nf) for i, (_, kind, desc, nf, _) in enumerate(orders)]
                made = compare.sorted_rows(made, keys, env)
            if on_fns:
                seen = set()
                first = list[tuple[Any, ...]]()
                for row in made:
                    k = tuple(values.key(v) for v in row[width + len(orders) :])
                    if k not in seen:
                        seen.add(k)
                        first.append(row)
                made = first
            made = _cut(made, limit(), offset(), (lambda r: r[width : width + len(orders)]) if ties else None)
            env.leave()
            return [r[:width] for r in made] if orders or on_fns else made

        return run


def _tested(test: Any, row: Any, cell: list[Any]) -> bool:
    cell[0] = row
    return test(row) is True


def _members(item: Any) -> list[Any]:
    return item.items if isinstance(item, n.RowLit) else [item]


def _has_aggregate(node: Any) -> bool:
    """Whether an aggregate of this level is called somewhere in an expression."""
    if isinstance(node, n.Func):
        if is_aggregate(node) or node.name[-1] == "grouping":
            return True
        return any(
            _has_aggregate(a) for a in [*node.args, *(s.expr for s in node.order), *([node.over] if node.over else [])]
        )
    if isinstance(node, (n.Query, n.Sub)):
        return False
    if isinstance(node, (list, tuple)):
        return any(_has_aggregate(v) for v in node)
    if isinstance(node, n.Node):
        return any(_has_aggregate(getattr(node, f)) for f in node.__dataclass_fields__ if f != "at")
    return False


# VALUES and set operations
