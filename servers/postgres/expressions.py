"""Expressions as functions of a row, their types checked and unified as the server's analyser does."""

from collections.abc import Callable
from typing import Any

from . import casts, compare, subscripts, types, values
from . import nodes as n
from .errors import SqlError, unsupported
from .functions_json import Record
from .operators import Operators
from .scope import NO, E, Scope, const


class Compiler(Operators):
    """Compiles the expressions of one query level."""

    def __init__(self, scope: Scope) -> None:
        self.scope, self.env = scope, scope.env
        self.qualified = self.planned = False

    def value(self, node: Any) -> E:
        group = self.scope.group
        if group is not None and not self.scope.raw and not isinstance(node, (n.Const, n.Param, n.Col)):
            slot = group.match(node)
            if slot is not None:
                return slot
        return getattr(self, f"_{type(node).__name__.lower()}")(node)

    def boolean(self, node: Any, clause: str) -> E:
        made = self.value(node)
        if made.kind == "unknown":
            made = self.coerce(made, "bool", at=node.at)
        if made.kind != "bool":
            raise SqlError(
                "42804", f"argument of {clause} must be type boolean, not type {types.shown(made.kind)}", node.at
            )
        return made

    # Types

    def type_of(self, name: n.TypeName) -> tuple[str, tuple[int, ...]]:
        return self.env.type_of(name)

    def coerce(
        self, e: E, kind: str, *, at: int | None = None, mods: tuple[int, ...] = (), explicit: bool = False
    ) -> E:
        """The expression as another type; the cast has been found allowed."""
        run = casts.caster(e.kind, kind, self.env)
        limit = casts.limiter(kind, mods, explicit)
        if e.constant:
            value = e.value
            try:
                value = run(value) if run and value is not None else value
            except SqlError as error:
                if error.position is None and e.kind == "unknown":
                    error.position = at
                raise
            made = const(limit(value) if limit and value is not None else value, kind)
            made.mods = mods
            return made
        fn = e.fn
        if run is None and limit is None:
            return E(fn, kind, mods or (e.mods if e.kind == kind else ()), names=e.names, kinds=e.kinds)
        if run is not None and limit is not None:
            first, second = run, limit
            return E(lambda r: None if (v := fn(r)) is None else second(first(v)), kind, mods)
        step = run or limit
        assert step is not None
        return E(lambda r: None if (v := fn(r)) is None else step(v), kind, mods)

    def unify(self, items: list[tuple[E, int]], what: str) -> tuple[list[E], str]:
        kind = types.common([e.kind for e, _ in items])
        if kind is None:
            first = next(e.kind for e, _ in items if e.kind != "unknown")
            other, at = next(
                (e.kind, at)
                for e, at in items
                if e.kind != "unknown" and types.category(e.kind) != types.category(first)
            )
            raise SqlError("42804", f"{what} types {types.shown(first)} and {types.shown(other)} cannot be matched", at)
        return [e if e.kind == kind else self.coerce(e, kind, at=at) for e, at in items], kind

    # Leaves

    def _const(self, node: n.Const) -> E:
        return const(node.value, node.type)

    def _param(self, node: n.Param) -> E:
        params = self.env.params
        if not 0 < node.number <= len(params):
            raise SqlError("42P02", f"there is no parameter ${node.number}", node.at)
        return const(params[node.number - 1], "unknown")

    def _col(self, node: n.Col) -> E:
        return self.scope.column(node)

    def _star(self, node: n.Star) -> E:
        raise SqlError("42601", 'syntax error at or near "*"', node.at)

    def _default(self, node: n.Default) -> E:
        raise SqlError("42601", "DEFAULT is not allowed in this context", node.at)

    # Logic

    def _logic(self, node: n.Logic) -> E:
        args = [self.boolean(a, node.op.upper()).fn for a in node.args]
        if node.op == "not":
            fn = args[0]
            return E(lambda r: None if (v := fn(r)) is None else not v, "bool")
        stop = node.op == "or"

        def run(r: Any) -> Any:
            unknown = False
            for fn in args:
                v = fn(r)
                if v is None:
                    unknown = True
                elif v is stop:
                    return stop
            return None if unknown else not stop

        return E(run, "bool")

    def _is(self, node: n.Is) -> E:
        negated = node.negated
        if node.what == "null":
            e = self.value(node.arg)
            fn = e.fn
            if e.kind == "record":
                return E(
                    lambda r: (
                        (v := fn(r)) is None or all((x is None) != negated for x in v)
                        if not negated
                        else (v := fn(r)) is not None and all(x is not None for x in v)
                    ),
                    "bool",
                )
            return E((lambda r: fn(r) is not None) if negated else (lambda r: fn(r) is None), "bool")
        fn = self.boolean(node.arg, f"IS {'NOT ' if negated else ''}{node.what.upper()}").fn
        wanted = {"true": True, "false": False, "unknown": None}[node.what]
        return E(lambda r: (fn(r) is wanted) != negated, "bool")

    def _distinct(self, node: n.Distinct) -> E:
        left, right, kind = self._pair("=", self.value(node.left), self.value(node.right), node)
        same, f, g, negated = compare.comparer("=", kind, self.env), left.fn, right.fn, node.negated

        def run(r: Any) -> bool:
            a, b = f(r), g(r)
            return ((a is None) != (b is None) or (a is not None and not same(a, b))) == negated

        return E(run, "bool")

    # Comparison and operators

    # Ranges, lists, patterns

    # Casts, cases, composites

    def _cast(self, node: n.Cast) -> E:
        kind, mods = self.type_of(node.type)
        if isinstance(node.arg, n.ArrayLit) and types.is_array(kind) and not node.arg.items:
            return const([], kind)
        arg = self.value(node.arg)
        if not types.castable(arg.kind, kind):
            raise SqlError("42846", f"cannot cast type {types.shown(arg.kind)} to {types.shown(kind)}", node.at)
        return self.coerce(arg, kind, at=node.arg.at, mods=mods, explicit=True)

    def _case(self, node: n.Case) -> E:
        conditions = list[Any]()
        for condition, _ in node.whens:
            if node.arg is None:
                conditions.append(self.boolean(condition, "CASE/WHEN").fn)
            else:
                conditions.append(self._comparison(n.Op("=", node.arg, condition, at=condition.at)).fn)
        results = [(self.value(r), r.at) for _, r in node.whens]
        results.append(
            (self.value(node.other), node.other.at) if node.other is not None else (const(None, "unknown"), node.at)
        )
        made, kind = self.unify([results[-1], *results[:-1]], "CASE")
        branches, other = list(zip(conditions, [e.fn for e in made[1:]], strict=True)), made[0].fn

        def run(r: Any) -> Any:
            for test, result in branches:
                if test(r):
                    return result(r)
            return other(r)

        return E(run, kind)

    def _arraylit(self, node: n.ArrayLit) -> E:
        if not node.items:
            raise SqlError(
                "42P18",
                "cannot determine type of empty array",
                node.at,
                hint="Explicitly cast to the desired type, for example ARRAY[]::integer[].",
            )
        made, kind = self.unify([(self.value(i), i.at) for i in node.items], "ARRAY")
        fns = [e.fn for e in made]
        if all(e.constant for e in made):
            return const([e.value for e in made], kind if types.is_array(kind) else "_" + kind)
        return E(lambda r: [f(r) for f in fns], kind if types.is_array(kind) else "_" + kind)

    def _rowlit(self, node: n.RowLit) -> E:
        items = [self._text(self.value(i)) for i in node.items]
        fns, kinds = [e.fn for e in items], tuple(e.kind for e in items)
        names = tuple(f"f{i}" for i in range(1, len(items) + 1))
        return E(lambda r: Record.of([f(r) for f in fns], names, kinds), "record", names=names, kinds=kinds)

    def _text(self, e: E) -> E:
        return self.coerce(e, "text") if e.kind == "unknown" else e

    def _attr(self, node: n.Attr) -> E:
        arg = self.value(node.arg)
        if arg.kind != "record" or node.name not in arg.names:
            if arg.kind == "record":
                raise SqlError("42703", f'column "{node.name}" not found in data type record', node.at)
            raise SqlError(
                "42809",
                f"column notation .{node.name} applied to type {types.shown(arg.kind)}, which is not a composite type",
                node.at,
            )
        at, f = arg.names.index(node.name), arg.fn
        return E(lambda r: None if (v := f(r)) is None else v[at], arg.kinds[at])

    def _index(self, node: n.Index) -> E:
        return subscripts.read(self, node)

    def _collate(self, node: n.Collate) -> E:
        if node.name not in (
            "C",
            "POSIX",
            "default",
            "ucs_basic",
            "C.UTF-8",
            "C.utf8",
            "en_US",
            "en_US.utf8",
            "en-x-icu",
            "und-x-icu",
        ):
            raise SqlError("42704", f'collation "{node.name}" for encoding "UTF8" does not exist', node.at)
        return self.value(node.arg)

    # Subqueries

    def subplan(self, query: Any) -> tuple[Any, Callable[[Any], Any]]:
        """A subquery, and its rows as a function of the row it is asked in; made once where it does not depend on that."""
        from .query import plan_query  # noqa: PLC0415

        before = self.scope.raw
        inner = Scope(self.env, self.scope)
        plan = plan_query(query, inner)
        self.scope.raw = before
        cell, env = self.scope.cell, self.env
        if not inner.outer and not env.volatile:
            held: list[Any] = []

            def once(_: Any) -> Any:
                if not held or held[0][0] != env.command:
                    held[:] = [(env.command, plan.run())]
                return held[0][1]

            return plan, once

        def each(row: Any) -> Any:
            kept = cell[0]
            cell[0] = row
            try:
                return plan.run()
            finally:
                cell[0] = kept

        return plan, each

    def _sub(self, node: n.Sub) -> E:
        plan, run = self.subplan(node.query)
        if node.kind == "exists":
            return E(lambda r: bool(run(r)), "bool")
        if len(plan.columns) != 1:
            raise SqlError("42601", "subquery must return only one column", node.at)
        column = plan.columns[0]
        if node.kind == "array":
            return E(lambda r: [row[0] for row in run(r)], "_" + column.kind)

        def scalar(r: Any) -> Any:
            rows = run(r)
            if len(rows) > 1:
                raise SqlError("21000", "more than one row returned by a subquery used as an expression")
            return rows[0][0] if rows else None

        return E(scalar, column.kind, column.mods)

    def _func(self, node: n.Func) -> E:
        from .calls import call_function  # noqa: PLC0415

        return call_function(self, node)

    def _grouping(self, node: Any) -> E:
        raise unsupported("GROUPING here", node.at)


__all__ = ["NO", "Compiler", "values"]
