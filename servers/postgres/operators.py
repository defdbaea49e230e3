"""Operators: comparison, arithmetic, lists, ranges and patterns."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import casts, compare, patterns, signatures, types
from . import nodes as n
from .errors import SqlError
from .scope import E
from .signatures import OPERATORS, Ambiguous, resolve

if TYPE_CHECKING:
    from .session import Connection

HINT = "No operator matches the given name and argument type{s}. You might need to add {explicit} type cast{s}."


def _quantified(
    test: Callable[[Any, Any], Any], pair: Callable[[Any], tuple[Any, Any]], any_: bool
) -> Callable[[Any], Any]:
    def run(r: Any) -> Any:
        left, many = pair(r)
        if many is None:
            return None
        unknown = False
        for item in many:
            found = test(left, item)
            if found is None:
                unknown = True
            elif bool(found) is any_:
                return any_
        return None if unknown else not any_

    return run


_LARGE = 1000
"""Characters, or elements, from which on a value's size counts."""


def guarded(run: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose arithmetic may fail on extreme values: what Python then says is out of range."""

    def safe(*args: Any) -> Any:
        try:
            return run(*args)
        except (ArithmeticError, ValueError):
            raise SqlError("22003", "value out of range") from None

    return safe


def _may_be_large(kind: str) -> bool:
    return types.is_string(kind) or types.is_array(kind) or kind in ("bytea", "unknown")


class Operators:
    """The operators of a query level."""

    env: "Connection"

    if TYPE_CHECKING:

        def value(self, node: Any) -> E: ...
        def coerce(self, e: E, kind: str, *, at: int | None = None) -> E: ...
        def subplan(self, query: Any) -> tuple[Any, Callable[[Any], Any]]: ...
        def _logic(self, node: n.Logic) -> E: ...

    def _pair(self, op: str, left: E, right: E, node: Any, show: str = "") -> tuple[E, E, str]:
        """Both sides in the type they are compared in."""
        a, b = left.kind, right.kind
        kind = None
        if a == b and a != "unknown":
            kind = a
        elif "unknown" in (a, b):
            kind = (b if a == "unknown" else a) if a != b else "text"
        elif types.category(a) == types.category(b) or {a, b} <= {"date", "timestamp", "timestamptz"}:
            kind = types.common([a, b])
        elif types.implicit(a, b):
            kind = b
        elif types.implicit(b, a):
            kind = a
        if kind is None or kind in ("json", "xml") or (types.is_enum(a) and types.is_enum(b) and a != b):
            raise self.no_operator(show or op, [a, b], node.at)
        if kind == "name" or kind == "varchar":
            kind = "text"
        return (
            self._to(left, kind, node.left if hasattr(node, "left") else node),
            self._to(right, kind, node.right if hasattr(node, "right") else node),
            kind,
        )

    def _to(self, e: E, kind: str, node: Any) -> E:
        return e if e.kind == kind else self.coerce(e, kind, at=getattr(node, "at", None))

    def no_operator(self, op: str, kinds: list[str], at: int | None) -> SqlError:
        shown = [types.shown(k) for k in kinds]
        many = len(kinds) > 1
        text = f"operator does not exist: {' '.join([shown[0], op, shown[1]]) if many else f'{op} {shown[0]}'}"
        return SqlError(
            "42883", text, at, hint=HINT.format(s="s" if many else "", explicit="explicit" if many else "an explicit")
        )

    def _op(self, node: n.Op) -> E:
        if node.op in compare.OPERATORS and node.left is not None:
            return self._comparison(node)
        right = self.value(node.right)
        left = None if node.left is None else self.value(node.left)
        return self.apply(node.op, left, right, node)

    def apply(self, op: str, left: E | None, right: E, node: Any) -> E:
        args = [right] if left is None else [left, right]
        kinds = [a.kind for a in args]
        candidates = OPERATORS.get(op, [])
        if op == "||":
            candidates = self._concatenations(kinds, candidates)
        try:
            found = resolve((o for o in candidates if len(o.args) == len(args)), kinds, binary=True)
        except Ambiguous:
            shown = (
                " ".join([types.shown(kinds[0]), op, types.shown(kinds[-1])])
                if len(kinds) > 1
                else f"{op} {types.shown(kinds[0])}"
            )
            raise SqlError(
                "42725",
                f"operator is not unique: {shown}",
                node.at,
                hint="Could not choose a best candidate operator. You might need to add explicit type casts.",
            ) from None
        if found is None:
            raise self.no_operator(op, kinds, node.at)
        places = [node.right] if left is None else [getattr(node, "left", node), getattr(node, "right", node)]
        given = [self._to(a, k, p) for a, k, p in zip(args, found.args, places, strict=True)]
        return self.call(found, given)

    def _concatenations(self, kinds: list[str], candidates: list[Any]) -> list[Any]:
        """|| takes anything beside text; the array and jsonb forms come first."""
        if any(types.is_array(k) or k in ("jsonb", "bytea") for k in kinds):
            return [c for c in candidates if c.args != ("text", "text")]
        strings = [types.is_string(k) for k in kinds]
        if any(strings) and not all(strings):
            other = kinds[0] if strings[1] else kinds[1]
            pair = tuple("text" if s else other for s in strings)
            env = self.env
            as_text = [casts.caster(k, "text", env) or (lambda v: v) for k in kinds]
            return [
                signatures.Overload(
                    "||",
                    pair,
                    "text",
                    lambda a, b: (a if strings[0] else as_text[0](a)) + (b if strings[1] else as_text[1](b)),
                )
            ]
        return [c for c in candidates if c.args == ("text", "text")] if all(strings) else []

    def call(self, found: signatures.Match, args: list[E]) -> E:
        """A function applied: NULL in, NULL out for the strict ones."""
        o, fns = found.overload, [a.fn for a in args]
        run: Callable[..., Any] = self._weighed(guarded(o.fn)) if _may_be_large(found.ret) else guarded(o.fn)
        if o.env:
            env, inner = self.env, run
            run = lambda *values: inner(env, *values)  # noqa: E731
        if not o.strict:
            made = lambda r: run(*[f(r) for f in fns])  # noqa: E731
        elif len(fns) == 1:
            f = fns[0]
            made = lambda r: None if (a := f(r)) is None else run(a)  # noqa: E731
        elif len(fns) == 2:
            f, g = fns
            made = lambda r: None if (a := f(r)) is None or (b := g(r)) is None else run(a, b)  # noqa: E731
        else:

            def made(r: Any) -> Any:
                given = [f(r) for f in fns]
                return None if None in [v if v is None else 0 for v in given] else run(*given)

        return E(made, found.ret)

    def _weighed(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """A function whose large results count against what a statement may do: memory ends before time does."""
        env = self.env

        def weighed(*values: Any) -> Any:
            made = run(*values)
            if isinstance(made, (str, bytes, list)) and len(made) > _LARGE:
                env.tick(len(made) // 50)
            return made

        return weighed

    def _comparison(self, node: n.Op) -> E:
        if isinstance(node.left, n.RowLit) and isinstance(node.right, n.RowLit):
            return self._row_comparison(node)
        left, right, kind = self._pair(node.op, self.value(node.left), self.value(node.right), node)
        return self._compared(node.op, left, right, kind)

    def _compared(self, op: str, left: E, right: E, kind: str) -> E:
        run, f, g = compare.comparer(op, kind, self.env), left.fn, right.fn
        if right.constant and right.value is not None:
            b = right.value
            if op == "=" and kind in ("int4", "int8", "text", "int2"):
                return E(lambda r: None if (a := f(r)) is None else a == b, "bool")
            return E(lambda r: None if (a := f(r)) is None else run(a, b), "bool")
        return E(lambda r: None if (a := f(r)) is None or (b := g(r)) is None else run(a, b), "bool")

    def _row_comparison(self, node: n.Op) -> E:
        left, right = node.left.items, node.right.items
        if len(left) != len(right):
            raise SqlError("42601", "unequal number of entries in row expressions", node.at)
        pairs = [
            self._pair(node.op, self.value(a), self.value(b), n.Op("=", a, b, at=node.at))
            for a, b in zip(left, right, strict=True)
        ]
        fs, gs = [p[0].fn for p in pairs], [p[1].fn for p in pairs]
        run = compare.comparer(node.op, "record", self.env)
        return E(lambda r: run([f(r) for f in fs], [g(r) for g in gs]), "bool")

    def _between(self, node: n.Between) -> E:
        low, high = n.Op(">=", node.arg, node.low, at=node.at), n.Op("<=", node.arg, node.high, at=node.at)
        made: Any = n.Logic("and", [low, high], at=node.at)
        if node.symmetric:
            turned = n.Logic(
                "and",
                [n.Op(">=", node.arg, node.high, at=node.at), n.Op("<=", node.arg, node.low, at=node.at)],
                at=node.at,
            )
            made = n.Logic("or", [made, turned], at=node.at)
        return self._logic(n.Logic("not", [made], at=node.at) if node.negated else made)

    def _in(self, node: n.In) -> E:
        if not isinstance(node.items, list):
            made = n.AnyAll("=", "any", node.arg, node.items, at=node.at)
            return self._logic(n.Logic("not", [made], at=node.at)) if node.negated else self._anyall(made)
        arg = self.value(node.arg)
        items = [self.value(i) for i in node.items]
        negated = node.negated
        if not isinstance(node.arg, n.RowLit) and all(i.constant for i in items):
            pairs = [
                self._pair("=", arg, i, n.Op("=", node.arg, m, at=node.at))
                for i, m in zip(items, node.items, strict=True)
            ]
            kinds = {p[2] for p in pairs}
            if len(kinds) == 1 and kinds <= {"int2", "int4", "int8", "text", "numeric", "date", "uuid", "bool"}:
                f = pairs[0][0].fn
                wanted = {p[1].value for p in pairs if p[1].value is not None}
                nulls = any(p[1].value is None for p in pairs)

                def run(r: Any) -> Any:
                    v = f(r)
                    if v is None:
                        return None
                    return not negated if v in wanted else None if nulls else negated

                return E(run, "bool")
        either: Any = n.Logic("or", [n.Op("=", node.arg, i, at=node.at) for i in node.items], at=node.at)
        return self._logic(n.Logic("not", [either], at=node.at) if negated else either)

    def _like(self, node: n.Like) -> E:
        arg, pattern = self.value(node.arg), self.value(node.pattern)
        op = {"like": "~~", "ilike": "~~*", "similar": "~"}[node.kind]
        for e in (arg, pattern):
            if not types.is_string(e.kind):
                raise self.no_operator(("!" if node.negated else "") + op, [arg.kind, pattern.kind], node.at)
        escape = "\\"
        if node.escape is not None:
            made = self.value(node.escape)
            escape = made.value if made.constant else "\\"
            if escape is not None and len(escape) > 1:
                raise SqlError("22025", "invalid escape string", hint="Escape string must be empty or one character.")
        f, g, negated = arg.fn, pattern.fn, node.negated
        if node.kind == "similar":
            return E(
                lambda r: (
                    None
                    if (a := f(r)) is None or (p := g(r)) is None
                    else patterns.similar(p, a, escape or "") != negated
                ),
                "bool",
            )
        fold = node.kind == "ilike"
        return E(
            lambda r: (
                None
                if (a := f(r)) is None or (p := g(r)) is None
                else patterns.like(p, a, escape or "", fold=fold) != negated
            ),
            "bool",
        )

    def _anyall(self, node: n.AnyAll) -> E:
        if isinstance(node.right, n.Query):
            return self._any_query(node)
        left, right = self.value(node.left), self.value(node.right)
        if right.kind == "unknown":
            right = self.coerce(right, "_" + (left.kind if left.kind != "unknown" else "text"), at=node.right.at)
        if not types.is_array(right.kind):
            raise SqlError("42809", "op ANY/ALL (array) requires array on right side", node.at)
        test = self._element_test(node, left, types.element(right.kind))
        f, g = left.fn, right.fn
        return E(_quantified(test, lambda r: (f(r), g(r)), node.kind == "any"), "bool")

    def _element_test(self, node: n.AnyAll, left: E, kind: str) -> Callable[[Any, Any], Any]:
        """op between a left value and one of the right, each as it comes."""
        cell: list[Any] = [None, None]
        a = E(lambda _: cell[0], left.kind) if left.kind != "unknown" or not left.constant else left
        b = E(lambda _: cell[1], kind)
        holder = n.Op(node.op, node.left, node.right, at=node.at)
        if node.op in compare.OPERATORS:
            x, y, common = self._pair(node.op, a, b, holder)
            made = self._compared(node.op, x, y, common)
        else:
            made = self.apply(node.op, a, b, holder)
        fn = made.fn

        def test(u: Any, v: Any) -> Any:
            cell[0], cell[1] = u, v
            return fn(())

        return test

    def _any_query(self, node: n.AnyAll) -> E:
        plan, run = self.subplan(node.right)
        items = node.left.items if isinstance(node.left, n.RowLit) else [node.left]
        if len(plan.columns) != len(items):
            raise SqlError(
                "42601", f"subquery has too {'many' if len(plan.columns) > len(items) else 'few'} columns", node.at
            )
        lefts = [self.value(i) for i in items]
        if len(items) == 1:
            test = self._element_test(node, lefts[0], plan.columns[0].kind)
            if (
                node.op == "="
                and node.kind == "any"
                and lefts[0].kind == plan.columns[0].kind
                and lefts[0].kind in ("int4", "int8", "text")
            ):
                return E(self._membership(lefts[0].fn, run), "bool")
            f = lefts[0].fn
            return E(_quantified(test, lambda r: (f(r), [row[0] for row in run(r)]), node.kind == "any"), "bool")
        fs, same = [e.fn for e in lefts], compare.comparer(node.op, "record", self.env)
        return E(_quantified(same, lambda r: ([f(r) for f in fs], run(r)), node.kind == "any"), "bool")

    @staticmethod
    def _membership(f: Callable[[Any], Any], run: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """x IN (SELECT ...) against a set that is made once as long as the rows are the same."""
        held: list[Any] = [None, set(), False]

        def test(r: Any) -> Any:
            value, rows = f(r), run(r)
            if held[0] is not rows:
                held[:] = [rows, {row[0] for row in rows}, any(row[0] is None for row in rows)]
            if value is None:
                return None if rows else False
            return True if value in held[1] else None if held[2] else False

        return test
