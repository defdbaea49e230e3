"""GROUP BY: which expressions stand for a group, and the aggregates over it."""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from . import aggregates, compare, types, values
from . import nodes as n
from .errors import SqlError
from .operators import guarded
from .scope import E, Out, Scope, Source

if TYPE_CHECKING:
    from .expressions import Compiler


def canonical(node: Any, scope: Scope) -> Any:
    """An expression's sense, however its columns are written."""
    if isinstance(node, n.Col):
        found = scope._own(node)
        if isinstance(found, tuple):
            return "column", found[0].offset + found[1]
        return "name", node.parts
    if is_dataclass(node) and not isinstance(node, type):
        return (type(node).__name__, *(canonical(getattr(node, f.name), scope) for f in fields(node) if f.name != "at"))
    if isinstance(node, (list, tuple)):
        return tuple(canonical(v, scope) for v in node)
    if isinstance(node, dict):
        return tuple((k, canonical(v, scope)) for k, v in node.items())
    return type(node).__name__, node


class GroupStage:
    """A query's groups. After it a row is a list of slots: keys, aggregates, and columns that the keys determine."""

    def __init__(self, compiler: "Compiler", keys: list[Any], sets: list[list[int]]) -> None:
        self.compiler, self.scope, self.sets = compiler, compiler.scope, sets
        self.slots: list[tuple[str, Any]] = []
        self.keys: list[E] = []
        self.canon: list[Any] = []
        for node in keys:
            self.keys.append(compiler._text(compiler.value(node)))
            self.canon.append(canonical(node, self.scope))
            self.slots.append(("key", len(self.keys) - 1))
        # A set-returning function among the keys multiplies the rows before they are grouped.
        self.srfs, self.held = list(self.scope.srfs), self.scope.srf_values
        self.scope.srfs, self.scope.srf_values = [], []
        self.extras: dict[int, int] = {}
        self.empty_key = not keys

    def match(self, node: Any) -> E | None:
        """The slot of an expression that is grouped by."""
        if not self.canon:
            return None
        try:
            wanted = canonical(node, self.scope)
        except SqlError:
            return None
        for i, made in enumerate(self.canon):
            if made == wanted:
                e = self.keys[i]
                return E(itemgetter(i), e.kind, e.mods)
        return None

    def column(self, at: int, source: Source, column: Out) -> int:
        if ("column", at) in self.canon:
            return self.canon.index(("column", at))
        if at in self.extras:
            return self.extras[at]
        # A primary key that is grouped by determines its table's other columns.
        if not (source.primary and all(("column", source.offset + i) in self.canon for i in source.primary)):
            raise SqlError(
                "42803",
                f'column "{source.alias}.{column.name}" must appear in the GROUP BY clause or be used in an aggregate function',
            )
        self.slots.append(("raw", at))
        self.extras[at] = len(self.slots) - 1
        return self.extras[at]

    def aggregate(self, run: Callable[[list[Any]], Any], kind: str) -> E:
        self.slots.append(("agg", run))
        return E(itemgetter(len(self.slots) - 1), kind)

    def grouping(self, node: n.Func) -> E:
        """GROUPING(...): which of the arguments this row's set leaves out."""
        places = list[int]()
        for arg in node.args:
            made = canonical(arg, self.scope)
            if made not in self.canon:
                raise SqlError(
                    "42803", "arguments to GROUPING must be grouping expressions of the associated query level", node.at
                )
            places.append(self.canon.index(made))
        self.slots.append(("grouping", places))
        return E(itemgetter(len(self.slots) - 1), "int4")

    def run(self, rows: list[Any]) -> list[tuple[Any, ...]]:
        made = list[tuple[Any, ...]]()
        fns, key = [e.fn for e in self.keys], values.key
        self.scope.env.tick(len(rows) * max(len(self.sets), 1))
        for chosen in self.sets:
            groups: dict[Any, tuple[list[Any], list[Any]]] = {}
            picked = [fns[i] for i in chosen]
            for row, cells in self._keyed(rows, picked):
                place = tuple(key(c) for c in cells)
                found = groups.get(place)
                if found is None:
                    groups[place] = (cells, [row])
                else:
                    found[1].append(row)
            if not groups and not chosen:
                groups[()] = ([], [])
            for cells, members in groups.values():
                whole: list[Any] = [None] * len(fns)
                for i, cell in zip(chosen, cells, strict=True):
                    whole[i] = cell
                made.append(tuple(self._slot(what, arg, whole, members, chosen) for what, arg in self.slots))
        return made

    def _keyed(self, rows: list[Any], picked: list[Any]) -> Iterator[tuple[Any, list[Any]]]:
        for row in rows:
            if not self.srfs:
                yield row, [f(row) for f in picked]
                continue
            lists = [f(row) or [] for f in self.srfs]
            for k in range(max(map(len, lists))):
                self.held[:] = [v[k] if k < len(v) else None for v in lists]
                yield row, [f(row) for f in picked]

    @staticmethod
    def _slot(what: str, arg: Any, keys: list[Any], members: list[Any], chosen: list[int]) -> Any:
        if what == "key":
            return keys[arg]
        if what == "agg":
            return arg(members)
        if what == "grouping":
            return sum((i not in chosen) << (len(arg) - 1 - p) for p, i in enumerate(arg))
        return members[0][arg] if members else None


def gather(compiler: "Compiler", node: n.Func) -> tuple[Callable[[list[Any]], Any], str]:
    """An aggregate call as a function of the group's rows, and its type."""
    scope, env, name = compiler.scope, compiler.env, node.name[-1]
    if scope.raw:
        raise SqlError("42803", "aggregate function calls cannot be nested", node.at)
    scope.raw = True
    try:
        test = compiler.boolean(node.filter, "FILTER").fn if node.filter is not None else None
        if name in aggregates.ORDERED_SET:
            return _ordered_set(compiler, node, test)
        if node.within:
            text = f"{name} is not an ordered-set aggregate, so it cannot have WITHIN GROUP"
            raise SqlError("42809", text, node.at)
        if node.star:
            if name != "count":
                raise SqlError(
                    "42883",
                    f"function {name}() does not exist",
                    node.at,
                    hint="No function matches the given name and argument types. You might need to add explicit type casts.",
                )
            return (lambda rows: len(rows) if test is None else sum(test(r) is True for r in rows)), "int8"
        if not node.args and name == "count":
            raise SqlError("42809", "count(*) must be used to call a parameterless aggregate function", node.at)
        args = [compiler.value(a) for a in node.args]
        found = aggregates.find(name, [a.kind for a in args], env)
        if found is None:
            raise no_function(name, [a.kind for a in args], node.at)
        args = [compiler._to(a, k, m) for a, k, m in zip(args, found.args, node.args, strict=True)]
        orders = [(compiler._text(compiler.value(o.expr)), o) for o in node.order]
    finally:
        scope.raw = False
    fns, total = [a.fn for a in args], guarded(found.run)
    keys = [(e.fn, e.kind, o.desc, o.nulls_first) for e, o in orders]
    if node.distinct and keys:
        sense = [canonical(a, scope) for a in node.args]
        if any(canonical(o.expr, scope) not in sense for o in node.order):
            raise SqlError(
                "42P10",
                "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list",
                node.order[0].at,
            )
    first_kind = args[0].kind

    def run(rows: list[Any]) -> Any:
        if test is not None:
            rows = [r for r in rows if test(r) is True]
        if keys:
            rows = compare.sorted_rows(rows, keys, env)
        given = [tuple(f(r) for f in fns) for r in rows]
        if found.strict:
            given = [g for g in given if g[0] is not None]
        if node.distinct:
            unique = {tuple(values.key(v) for v in g): g for g in reversed(given)}
            given = (
                list(reversed(list(unique.values())))
                if keys
                else compare.sorted_rows(list(unique.values()), [(itemgetter(0), first_kind, False, False)], env)
            )
        return total(given)

    return run, found.ret


def _ordered_set(compiler: "Compiler", node: n.Func, test: Any) -> tuple[Callable[[list[Any]], Any], str]:
    name, env = node.name[-1], compiler.env
    if len(node.within) != 1:
        raise SqlError("42809", f"WITHIN GROUP is required for ordered-set aggregate {name}", node.at)
    order = node.within[0]
    item = compiler._text(compiler.value(order.expr))
    kind = item.kind
    if name == "percentile_cont" and kind != "interval":
        if types.category(kind) != "N":
            raise no_function(name, ["float8", kind], node.at)
        item, kind = compiler._to(item, "float8", order.expr), "float8"
    direct = None
    if len(node.args) != (name != "mode"):
        raise no_function(name, [compiler.value(a).kind for a in node.args], node.at)
    if node.args:
        given = compiler.value(node.args[0])
        many = types.is_array(given.kind)
        if types.category(types.element(given.kind) if many else given.kind) not in ("N", "X"):
            raise no_function(name, [given.kind, kind], node.at)
        direct = compiler._to(given, "_float8" if many else "float8", node.args[0])
        if many:
            kind = "_" + kind
    fn = item.fn

    def run(rows: list[Any]) -> Any:
        kept = [r for r in rows if fn(r) is not None and (test is None or test(r) is True)]
        ordered = compare.sorted_rows(kept, [(fn, item.kind, order.desc, order.nulls_first)], env)
        return aggregates.ordered_set(
            name, direct.fn(rows[0] if rows else ()) if direct else None, [fn(r) for r in ordered], item.kind
        )

    return run, kind


def no_function(name: str, kinds: list[str], at: int) -> SqlError:
    shown = ", ".join(types.shown(k) for k in kinds)
    hint = "No function matches the given name and argument types. You might need to add explicit type casts."
    return SqlError("42883", f"function {name}({shown}) does not exist", at, hint=hint)
