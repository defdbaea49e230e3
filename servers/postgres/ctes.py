"""WITH: queries planned once and run once a statement, recursive ones round by round."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import nodes as n
from . import types, values
from .casts import caster
from .errors import SqlError
from .joins import Rows
from .scope import Out, Plan, Scope


@dataclass(slots=True)
class CteTable:
    """A WITH query: planned once, run once a statement."""

    node: n.Cte
    scope: Scope
    made: Plan | None = None
    held: Any = None
    working: list[Rows] | None = None
    columns: list[Out] | None = None
    outer: bool = False

    def plan(self, user: Scope) -> Plan:
        if self.working is not None:
            assert self.columns is not None
            working = self.working
            return Plan(self.columns, lambda: working[-1], ("scan", self.node.name, 0))
        if self.made is None:
            self._compile()
        made = self.made
        assert made is not None
        if self.outer:
            # It hangs on a row of a query around: made anew each time, by whoever stands inside.
            scope: Scope | None = user
            while scope is not None and scope is not self.scope:
                scope.outer = True
                scope = scope.parent
            return Plan(made.columns, made.run, ("cte", self.node.name))
        return Plan(made.columns, self._rows, ("cte", self.node.name))

    def _rows(self) -> Rows:
        command = self.scope.env.command
        if self.held is None or self.held[0] != command:
            assert self.made is not None
            self.held = (command, self.made.run())
        return self.held[1]

    def _compile(self) -> None:
        from .query import plan_query  # noqa: PLC0415

        node, env = self.node, self.scope.env
        inner = Scope(env, self.scope.parent)
        inner.ctes = dict(self.scope.ctes)
        body = node.query
        if isinstance(body, (n.Insert, n.Update, n.Delete)):
            from .writing import write  # noqa: PLC0415

            made = write(body, inner)
            plan = Plan(made.columns, made.run, ("write", node.name))
        elif node.recursive and isinstance(body, n.SetOp) and body.op == "union" and _mentions(body.right, node.name):
            plan = self._recursive(body, inner)
        else:
            if not node.recursive:
                inner.ctes.pop(node.name, None)
            plan = plan_query(body, inner)
        self.made = Plan(_renamed(plan.columns, node), plan.run, plan.note)
        self.outer = inner.outer
        if self.outer:
            self.scope.outer = True

    def _recursive(self, body: n.SetOp, inner: Scope) -> Plan:
        from .query import plan_query  # noqa: PLC0415

        env, node = self.scope.env, self.node
        add_ctes(body.ctes, inner)
        first_scope = Scope(env, inner)
        first = plan_query(body.left, first_scope)
        columns = _renamed(first.columns, node)
        table = CteTable(node, inner, working=[[]], columns=columns)
        inner.ctes[node.name] = table
        step_scope = Scope(env, inner)
        step = plan_query(body.right, step_scope)
        inner.outer = inner.outer or (first_scope.outer and inner.parent is not None)
        if len(step.columns) != len(columns):
            raise SqlError("42601", "each UNION query must have the same number of columns", node.at)
        runs = list[Callable[[Any], Any] | None]()
        for i, (a, b) in enumerate(zip(columns, step.columns, strict=True), 1):
            if a.kind != b.kind and not types.implicit(b.kind, a.kind):
                raise SqlError("42804", f'recursive query "{node.name}" column {i} has type {types.shown(a.kind)} in non-recursive term'
                                        f' but type {types.shown(b.kind)} overall',
                               node.at, hint="Cast the output of the non-recursive term to the correct type.")  # fmt: skip
            runs.append(caster(b.kind, a.kind, env))
        working, distinct = table.working, not body.all
        assert working is not None

        def run() -> Rows:
            rows, seen = first.run(), set[Any]()
            if distinct:
                rows = _unique(rows, seen)
            found, rounds = list(rows), 0
            while rows:
                working.append(rows)
                env.command += 1
                made = step.run()
                working.pop()
                made = [
                    tuple(v if f is None or v is None else f(v) for f, v in zip(runs, r, strict=True)) for r in made
                ]
                rows = _unique(made, seen) if distinct else made
                found += rows
                rounds += 1
                env.tick(len(rows) + 100)
            return found

        return Plan(columns, run, ("recursive", node.name))


def _unique(rows: Rows, seen: set[Any]) -> Rows:
    fresh = Rows()
    for row in rows:
        key = tuple(values.key(v) for v in row)
        if key not in seen:
            seen.add(key)
            fresh.append(row)
    return fresh


def _mentions(node: Any, name: str) -> bool:
    if isinstance(node, n.TableRef):
        return node.name == (name,)
    if isinstance(node, (list, tuple)):
        return any(_mentions(v, name) for v in node)
    if isinstance(node, n.Node):
        return any(_mentions(getattr(node, f), name) for f in node.__dataclass_fields__)
    return False


def _renamed(columns: list[Out], node: n.Cte) -> list[Out]:
    if len(node.columns) > len(columns):
        raise SqlError(
            "42P10",
            f'WITH query "{node.name}" has {len(columns)} columns available but {len(node.columns)} columns specified',
            node.at,
        )
    return [
        Out(name, c.kind, c.mods)
        for name, c in zip([*node.columns, *(c.name for c in columns[len(node.columns) :])], columns, strict=True)
    ]


def add_ctes(ctes: list[n.Cte], scope: Scope) -> list[CteTable]:
    """Puts WITH queries into scope; those that write are run, in order, whether they are read or not."""
    writing = list[CteTable]()
    for node in ctes:
        if any(c.name == node.name and c is not node for c in ctes):
            raise SqlError("42712", f'WITH query name "{node.name}" specified more than once', node.at)
        holder = Scope(scope.env, scope.parent)
        holder.ctes = dict(scope.ctes)
        table = CteTable(node, holder)
        if node.recursive:
            holder.ctes[node.name] = table
        scope.ctes[node.name] = table
        if isinstance(node.query, (n.Insert, n.Update, n.Delete)):
            if scope.parent is not None:
                raise SqlError(
                    "0A000", "WITH clause containing a data-modifying statement must be at the top level", node.at
                )
            writing.append(table)
    for table in writing:
        table.plan(scope)
        scope.env.after_plan.append(table._rows)
    return writing
