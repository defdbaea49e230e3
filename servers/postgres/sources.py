"""FROM: tables, views, subqueries and functions as rows, and joins between them."""

from typing import Any

from . import nodes as n
from . import syscatalog, system_columns
from .catalog import missing_relation
from .errors import SqlError
from .expressions import Compiler
from .function_items import FunctionItems, _named
from .joins import Rows, Step, execute
from .scope import E, Out, Plan, Scope, Source


class From(FunctionItems):
    """Builds the steps of a FROM clause; `conditions` of WHERE go to the earliest step that has their columns."""

    def __init__(self, scope: Scope) -> None:
        self.scope, self.env = scope, scope.env
        self.compiler = Compiler(scope)
        self.steps: list[Step] = []

    def items(self, items: list[Any]) -> None:
        for item in items:
            self._item(item, "cross", [])

    def _item(self, item: Any, kind: str, conditions: list[Any]) -> None:
        if isinstance(item, n.Join):
            if self.steps or item.alias or item.kind in ("right", "full"):
                self._nested(item, kind)
            else:
                self._join(item)
            return
        self._leaf(item, kind)

    def _join(self, join: n.Join) -> None:
        """A join whose left side begins the clause: its items become steps one after the other."""
        self._item(join.left, "cross", [])
        left_sources = list(self.scope.sources)
        if isinstance(join.right, n.Join):
            self._nested(join.right, join.kind)
        else:
            self._leaf(join.right, join.kind)
        self._conditions(self.steps[-1], join, left_sources)

    def _conditions(self, step: Step, join: n.Join, left_sources: list[Source]) -> None:
        scope = self.scope
        names = join.using
        rights = [s for s in scope.sources if s not in left_sources]
        if join.natural:
            mine = {c.name for s in rights for i, c in enumerate(s.columns) if i not in s.hidden}
            names = [
                c.name for s in left_sources for i, c in enumerate(s.columns) if i not in s.hidden and c.name in mine
            ]
            names = list(dict.fromkeys(names))
        for name in names or []:
            self._using(step, name, join, left_sources, rights)
        if join.on is not None:
            scope.clause = "JOIN/ON"
            for part in _conjuncts(join.on):
                scope.touched = set()
                made = self.compiler.boolean(part, "JOIN/ON")
                self._place(step, part, made, set(scope.touched))
            scope.clause = "select"

    def _using(self, step: Step, name: str, join: n.Join, lefts: list[Source], rights: list[Source]) -> None:
        scope = self.scope
        if name in scope.merged:
            a, places = scope.merged[name]
        else:
            a, places = self._only(name, lefts, "left", join)
        b, right_places = self._only(name, rights, "right", join)
        x, y, kind = self.compiler._pair("=", a, b, n.Op("=", join, join, at=join.at))
        step.keys.append((x.fn, y.fn))
        named = [next(s.alias for s in side if any(c.name == name for c in s.columns)) for side in (lefts, rights)]
        step.joined.append(n.Op("=", n.Col((named[0], name)), n.Col((named[1], name))))
        f, g = x.fn, y.fn
        merged = {"right": g, "full": lambda r: v if (v := f(r)) is not None else g(r)}.get(join.kind, f)
        scope.merged[name] = (E(merged, kind), [*places, *right_places])
        for source in [*lefts, *rights]:
            source.hidden |= {
                i
                for i, c in enumerate(source.columns)
                if c.name == name and (source.offset + i, 0) in [*places, *right_places]
            }

    def _only(self, name: str, sources: list[Source], side: str, join: n.Join) -> tuple[E, list[tuple[int, int]]]:
        found = [(s, i) for s in sources for i, c in enumerate(s.columns) if c.name == name and i not in s.hidden]
        if not found:
            raise SqlError(
                "42703", f'column "{name}" specified in USING clause does not exist in {side} table', join.at
            )
        if len(found) > 1:
            raise SqlError("42702", f'common column name "{name}" appears more than once in {side} table', join.at)
        source, i = found[0]
        return self.scope._read((source, i), True), [(source.offset + i, 0)]

    def _place(self, step: Step, node: Any, made: E, touched: set[int]) -> None:
        """A condition of a join: a key to hash by, a filter of the item alone, or a test of the pair."""
        own = {t for t in touched if t >= step.offset}
        if isinstance(node, n.Op) and node.op == "=" and own and touched - own and not step.lateral:
            keys = self._keys(step, node)
            if keys is not None:
                step.keys.append(keys)
                return
        if own == touched and touched and step.kind in ("inner", "cross", "left") and not step.lateral:
            if step.lookup is None and isinstance(node, n.Op) and node.op == "=" and len(touched) == 1:
                step.lookup = self._lookup(step, node)
            step.filters.append(made.fn)
            step.tested.append(node)
            return
        step.conditions.append(made.fn)

    def _keys(self, step: Step, node: n.Op) -> tuple[Any, Any] | None:
        scope, sides = self.scope, list[tuple[E, bool]]()
        for side in (node.left, node.right):
            scope.touched = set()
            e = self.compiler.value(side)
            if not scope.touched:
                return None
            mine = all(t >= step.offset for t in scope.touched)
            if not mine and any(t >= step.offset for t in scope.touched):
                return None
            sides.append((e, mine))
        if sides[0][1] == sides[1][1]:
            return None
        a, b, kind = self.compiler._pair("=", sides[0][0], sides[1][0], node)
        if kind in ("bpchar", "interval", "record", "jsonb"):
            return None
        if sides[0][1]:
            step.joined.append(n.Op("=", node.right, node.left, at=node.at))
            return b.fn, a.fn
        step.joined.append(node)
        return a.fn, b.fn

    def _lookup(self, step: Step, node: n.Op) -> tuple[int, Any] | None:
        """`column = value of a query around`: which column, and the value."""
        scope = self.scope
        for mine, other in ((node.left, node.right), (node.right, node.left)):
            if not isinstance(mine, n.Col):
                continue
            scope.touched = set()
            column = self.compiler.value(mine)
            own = set(scope.touched)
            scope.touched = set()
            value = self.compiler.value(other)
            if len(own) != 1 or scope.touched or value.constant or column.kind != value.kind or self.env.volatile:
                continue
            if column.kind in (
                "int2",
                "int4",
                "int8",
                "text",
                "uuid",
                "date",
                "numeric",
                "bool",
                "timestamp",
                "timestamptz",
            ):
                return own.pop() - step.offset, value.fn
        return None

    def where(self, node: Any) -> list[Any]:
        """Distributes the conditions of WHERE; answers those that stay for the end."""
        rest = list[Any]()
        barrier = max((i for i, s in enumerate(self.steps) if s.kind in ("right", "full")), default=-1)
        for part in _conjuncts(node):
            self.scope.touched = set()
            before = self.env.volatile
            made = self.compiler.boolean(part, "WHERE")
            touched = set(self.scope.touched)
            at = max((i for i, s in enumerate(self.steps) if any(t >= s.offset for t in touched)), default=-1)
            if at < 0 or self.env.volatile != before or at < barrier:
                rest.append(made.fn)
                continue
            step = self.steps[at]
            if step.kind in ("inner", "cross") and (at or all(t >= step.offset for t in touched)):
                self._place(step, part, made, touched)
            else:
                step.after.append(made.fn)
        return rest

    # Items

    def _leaf(self, item: Any, kind: str) -> None:
        scope = self.scope
        offset = scope.width
        scope.touched = set()
        if isinstance(item, n.TableRef):
            plan, source = self._table(item)
        elif isinstance(item, n.SubRef):
            plan, source = self._subquery(item)
        else:
            plan, source = self._functions(item)
        lateral = bool(scope.touched) or getattr(item, "lateral", False)
        if lateral and kind in ("right", "full") and scope.touched:
            raise SqlError(
                "42P10", f'invalid reference to FROM-clause entry for table "{scope.sources[0].alias}"', item.at
            )
        scope.add(source)
        self.steps.append(
            Step(kind, plan.run, offset, len(source.columns), lateral=lateral, note=plan.note, compiler=self.compiler)
        )

    def _nested(self, join: n.Join, kind: str) -> None:
        """A join in parentheses, or one that cannot be taken apart: made as a whole, then joined."""
        scope = self.scope
        inner = From(scope)
        offset = scope.width
        count = len(scope.sources)
        if isinstance(join.left, n.Join):
            inner._nested(join.left, "cross")
        else:
            inner._leaf(join.left, "cross")
        lefts = scope.sources[count:]
        if isinstance(join.right, n.Join):
            inner._nested(join.right, join.kind)
        else:
            inner._leaf(join.right, join.kind)
        inner._conditions(inner.steps[-1], join, lefts)
        if join.alias:
            self._renamed(join.alias, scope.sources[count:])
        width = scope.width - offset
        pad = (None,) * offset
        env = self.env

        def rows() -> Rows:
            return [r[offset:] for r in execute(inner.steps, env, scope, pad)]

        self.steps.append(Step(kind, rows, offset, width, note=("join", [s.note for s in inner.steps], join.kind)))

    @staticmethod
    def _renamed(alias: str, sources: list[Source]) -> None:
        for source in sources:
            source.alias = alias

    def _table(self, item: n.TableRef) -> tuple[Plan, Source]:
        scope, env = self.scope, self.env
        alias = item.alias or item.name[-1]
        if len(item.name) == 1 and (cte := scope.cte(item.name[0])) is not None:
            plan = cte.plan(scope)
            return plan, Source(alias, _named(plan.columns, item.columns, alias, item.at), scope.width)
        relation = env.find_relation(item.name)
        if relation is None:
            system = syscatalog.find(env, item.name)
            if system is None:
                raise missing_relation(".".join(item.name), item.at)
            columns, run = system
            return Plan(columns, run, ("scan", alias, 0)), Source(
                alias, _named(columns, item.columns, alias, item.at), scope.width
            )
        env.allowed(relation, "select")
        if relation.kind == "view":
            plan = view_plan(env, relation)
            return plan, Source(alias, _named(plan.columns, item.columns, alias, item.at), scope.width, relation)
        columns = env.catalog.columns(relation)
        outs = [Out(c.name, c.kind, c.mods, (relation.oid, i)) for i, c in enumerate(columns, 1)]
        keys = list(env.catalog.constraints(relation, "primary"))
        primary = [i for i, c in enumerate(columns) if keys and c.name in keys[0].columns]
        source = Source(alias, _named(outs, item.columns, alias, item.at), scope.width, relation, primary=primary)
        if env.system:
            extra = system_columns.outs(relation)
            source.columns, source.system = [*source.columns, *extra], len(extra)
            source.hidden |= set(range(len(outs), len(source.columns)))
        visible = env.row_filter(relation, "select", "using")

        def run() -> Rows:
            if source.system:
                held = env.catalog.rows(relation)
                env.tick(len(held))
                return [
                    (*r, *system_columns.cells(relation, k))
                    for k, r in held.items()
                    if visible is None or visible(r) is True
                ]
            rows = (
                env.catalog.scan(relation, source.used)
                if visible is None
                else list(env.catalog.rows(relation).values())
            )
            env.tick(len(rows))
            return rows if visible is None else [r for r in rows if visible(r) is True]

        return Plan(outs, run, ("table", relation, alias)), source

    def _subquery(self, item: n.SubRef) -> tuple[Plan, Source]:
        from .query import plan_query  # noqa: PLC0415

        scope = self.scope
        if item.lateral:
            inner = Scope(self.env, scope)
        else:
            inner = Scope(self.env, scope.parent)
            inner.ctes = _visible(scope)
        plan = plan_query(item.query, inner)
        if inner.outer and not item.lateral:
            scope.outer = True
        if not item.alias and not isinstance(item.query, n.Query):
            raise SqlError(
                "42601", "subquery in FROM must have an alias", item.at, hint="For example, FROM (SELECT ...) [AS] foo."
            )
        return plan, Source(item.alias, _named(plan.columns, item.columns, item.alias, item.at), scope.width)


def _visible(scope: Scope) -> dict[str, Any]:
    return dict(scope.ctes)


def _conjuncts(node: Any) -> list[Any]:
    if isinstance(node, n.Logic) and node.op == "and":
        return [part for arg in node.args for part in _conjuncts(arg)]
    return [node]


def view_plan(env: Any, relation: Any) -> Plan:
    """A view's query, in a scope of its own, with its owner's rights."""
    from .parser import parse  # noqa: PLC0415
    from .query import plan_query  # noqa: PLC0415

    with env.as_owner(relation.owner):
        plan = plan_query(parse(relation.definition)[0][0], Scope(env))
    columns = [Out(c["name"], o.kind, o.mods) for c, o in zip(relation.columns, plan.columns, strict=True)]
    return Plan(columns, plan.run, plan.note)


# Execution
