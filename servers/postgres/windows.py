"""Window functions: partitions, their order, frames, and what is computed over them."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from . import aggregates, compare, datetimes, types, values
from . import nodes as n
from .datetimes import Interval
from .errors import SqlError
from .grouping import no_function
from .operators import guarded
from .scope import E

if TYPE_CHECKING:
    from .expressions import Compiler

NAMES = {
    "row_number": "int8", "rank": "int8", "dense_rank": "int8", "percent_rank": "float8", "cume_dist": "float8", "ntile": "int4",
    "lag": "", "lead": "",
    "first_value": "", "last_value": "", "nth_value": "",
}  # fmt: skip
_WHOLE = ("unbounded preceding", "unbounded following")


def resolved(compiler: "Compiler", window: n.Window) -> n.Window:
    """A window with what it takes from a named one."""
    base = window.name or window.base
    if not base:
        return window
    found = compiler.scope.named_windows.get(base)
    if found is None:
        raise SqlError("42704", f'window "{base}" does not exist', window.at)
    found = resolved(compiler, found)
    return n.Window(
        "", found.partition or window.partition, window.order or found.order, window.frame or found.frame, at=window.at
    )


def window_call(compiler: "Compiler", node: n.Func) -> E:
    """Registers the call with its query level; its value is read at the place of the row."""
    scope, env, name = compiler.scope, compiler.env, node.name[-1]
    if scope.clause in ("WHERE", "HAVING", "GROUP BY", "JOIN/ON"):
        shown = scope.clause if scope.clause != "JOIN/ON" else "JOIN conditions"
        raise SqlError("42P20", f"window functions are not allowed in {shown}", node.at)
    window = resolved(compiler, node.over or n.Window())
    if node.distinct:
        raise SqlError("0A000", "DISTINCT is not implemented for window functions", node.at)
    partition = [compiler._text(compiler.value(p)).fn for p in window.partition]
    order = [
        (e.fn, e.kind, o.desc, o.nulls_first) for o in window.order for e in [compiler._text(compiler.value(o.expr))]
    ]
    frame = window.frame or n.Frame("range", ("unbounded preceding", None), ("current", None))
    if frame.mode == "groups" and not order:
        raise SqlError("42P20", "GROUPS mode requires an ORDER BY clause", frame.at)
    bounds = [_bound(compiler, frame, b, order) for b in (frame.start, frame.stop)]
    args = [compiler._text(compiler.value(a)) for a in node.args]
    fns = [a.fn for a in args]
    test = compiler.boolean(node.filter, "FILTER").fn if node.filter is not None else None
    if name in NAMES:
        kind = NAMES[name] or (args[0].kind if args else "")
        if (not NAMES[name] and not args) or (NAMES[name] and name != "ntile" and args):
            raise no_function(name, [a.kind for a in args], node.at)
        if name in ("lag", "lead") and len(args) == 3:
            same, kind = compiler.unify([(args[0], node.args[0].at), (args[2], node.args[2].at)], name.upper())
            fns = [same[0].fn, args[1].fn, same[1].fn]
        make = _RANKING.get(name) or _VALUES[name]
    else:
        if node.star:
            found = aggregates.Aggregate((), "int8", len, False)
        else:
            made = aggregates.find(name, [a.kind for a in args], env)
            if made is None:
                raise no_function(name, [a.kind for a in args], node.at)
            found = made
            fns = [compiler._to(a, k, m).fn for a, k, m in zip(args, found.args, node.args, strict=True)]
        kind = found.ret
        step = aggregates.running(name, args[0].kind if args else "")
        make = partial(_aggregated, found, test, step)

    place = scope.place
    cell: list[list[Any]] = [[]]

    def compute(rows: list[Any]) -> None:
        out: list[Any] = [None] * len(rows)
        groups: dict[Any, list[int]] = {}
        for i, row in enumerate(rows):
            groups.setdefault(tuple(values.key(f(row)) for f in partition), []).append(i)
        for members in groups.values():
            pairs = [(i, rows[i]) for i in members]
            if order:
                keys = [(lambda p, f=f: f(p[1]), k, d, nf) for f, k, d, nf in order]
                pairs = compare.sorted_rows(pairs, keys, env)
            part = Partition([r for _, r in pairs], order, frame, bounds, env)
            for (i, _), v in zip(pairs, make(part, fns), strict=True):
                out[i] = v
        cell[0] = out
        env.tick(len(rows))

    scope.windows.append(compute)
    return E(lambda _: cell[0][place[0]], kind)


def _bound(compiler: "Compiler", frame: n.Frame, bound: tuple[str, Any], order: Any) -> Any:
    if bound[1] is None:
        return None
    made = compiler.value(bound[1])
    if frame.mode == "range":
        if len(order) != 1:
            raise SqlError(
                "42P20", "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column", frame.at
            )
        kind = order[0][1]
        made = compiler._to(made, "interval" if types.category(kind) == "D" else kind, bound[1])
    else:
        made = compiler._to(made, "int8", bound[1])
    value = made.fn(())
    if (
        value is None
        or (isinstance(value, Interval) and value.span < 0)
        or (not isinstance(value, Interval) and value < 0)
    ):
        which = "starting" if bound is frame.start else "ending"
        raise SqlError("22013", f"frame {which} offset must not be {'null' if value is None else 'negative'}")
    return value


class Partition:
    """Rows in order, their peers, and each row's frame."""

    def __init__(self, rows: list[Any], order: Any, frame: n.Frame, bounds: list[Any], env: Any) -> None:
        self.rows, self.order, self.frame, self.bounds, self.env = rows, order, frame, bounds, env
        keys = [tuple(values.key(f(r)) for f, *_ in order) for r in rows]
        self.group = list[int]()
        self.starts = list[int]()
        for i, key in enumerate(keys):
            if not i or key != keys[i - 1]:
                self.starts.append(i)
            self.group.append(len(self.starts) - 1)
        self.size = len(rows)

    def peers(self, i: int) -> tuple[int, int]:
        g = self.group[i]
        return self.starts[g], self.starts[g + 1] if g + 1 < len(self.starts) else self.size

    def spans(self) -> list[tuple[int, int]]:
        return [self._span(i) for i in range(self.size)]

    def _span(self, i: int) -> tuple[int, int]:
        lo = self._edge(i, self.frame.start[0], self.bounds[0], start=True)
        hi = self._edge(i, self.frame.stop[0], self.bounds[1], start=False)
        return max(lo, 0), min(max(hi, lo), self.size)

    def _edge(self, i: int, how: str, offset: Any, *, start: bool) -> int:
        if how == "unbounded preceding":
            return 0
        if how == "unbounded following":
            return self.size
        mode = self.frame.mode
        if how == "current":
            if mode == "rows":
                return i if start else i + 1
            return self.peers(i)[0 if start else 1]
        sign = -1 if how == "preceding" else 1
        if mode == "rows":
            return i + sign * offset + (not start)
        if mode == "groups":
            g = self.group[i] + sign * offset
            if start:
                return 0 if g < 0 else self.starts[g] if g < len(self.starts) else self.size
            return 0 if g < 0 else self.starts[g + 1] if g + 1 < len(self.starts) else self.size
        return self._range_edge(i, sign, offset, start)

    def _range_edge(self, i: int, sign: int, offset: Any, start: bool) -> int:
        fn, kind, desc, _ = self.order[0]
        value = fn(self.rows[i])
        if value is None:
            return self.peers(i)[0 if start else 1]
        sign = -sign if desc else sign
        if isinstance(offset, Interval):
            if not hasattr(value, "hour"):
                value = datetimes.datetime(value.year, value.month, value.day)
            limit: Any = datetimes.shift(value, offset, sign)
        else:
            limit = value + sign * offset

        def before(other: Any) -> bool:
            if other is None:
                return False
            if isinstance(limit, datetimes.datetime) and not hasattr(other, "hour"):
                other = datetimes.datetime(other.year, other.month, other.day)
            return (other > limit if desc else other < limit) if start else (other >= limit if desc else other <= limit)

        del kind
        return next(
            (k for k in range(self.size) if fn(self.rows[k]) is not None and not before(fn(self.rows[k]))), self.size
        )

    def excluded(self, i: int) -> set[int]:
        lo, hi = self.peers(i)
        match self.frame.exclude:
            case "current":
                return {i}
            case "group":
                return set(range(lo, hi))
            case "ties":
                return set(range(lo, hi)) - {i}
            case _:
                return set()


def _aggregated(found: aggregates.Aggregate, test: Any, step: Any, part: Partition, fns: list[Any]) -> list[Any]:
    given = [tuple(f(r) for f in fns) if test is None or test(r) is True else None for r in part.rows]
    kept = [g is not None and not (found.strict and g and g[0] is None) for g in given]
    spans = part.spans()
    if step is not None and not part.frame.exclude and all(lo == 0 for lo, _ in spans):
        out, at = list[Any](), 0
        state: Any = 0 if found.run is len else None
        for _, hi in spans:
            while at < hi:
                if kept[at]:
                    state = step(state, given[at][0] if given[at] else None)  # pyright: ignore[reportOptionalSubscript]
                at += 1
            out.append(state)
        return out
    seen: dict[Any, Any] = {}
    out = list[Any]()
    for i, (lo, hi) in enumerate(spans):
        left = part.excluded(i)
        place = (lo, hi, min(left, default=-1) if left else -1)
        if left or place not in seen:
            part.env.tick(hi - lo)
            seen[place] = guarded(found.run)([given[k] for k in range(lo, hi) if kept[k] and k not in left])  # pyright: ignore[reportArgumentType]
        out.append(seen[place])
    return out


def _row_number(part: Partition, _: Any) -> list[Any]:
    return list(range(1, part.size + 1))


def _rank(part: Partition, _: Any) -> list[Any]:
    return [part.peers(i)[0] + 1 for i in range(part.size)]


def _percent_rank(part: Partition, _: Any) -> list[Any]:
    return [part.peers(i)[0] / (part.size - 1) if part.size > 1 else 0.0 for i in range(part.size)]


def _ntile(part: Partition, fns: Any) -> list[Any]:
    count = fns[0](part.rows[0]) if part.rows else None
    if count is None:
        return [None] * part.size
    if count <= 0:
        raise SqlError("22014", "argument of ntile must be greater than zero")
    small, extra = divmod(part.size, count)
    edge = extra * (small + 1)
    return [i // (small + 1) + 1 if i < edge else extra + (i - edge) // max(small, 1) + 1 for i in range(part.size)]


def _shifted(sign: int) -> Callable[[Partition, Any], list[Any]]:
    def run(part: Partition, fns: Any) -> list[Any]:
        out = list[Any]()
        for i, row in enumerate(part.rows):
            by = fns[1](row) if len(fns) > 1 else 1
            at = i + sign * by if by is not None else None
            out.append(
                None
                if at is None
                else fns[0](part.rows[at])
                if 0 <= at < part.size
                else fns[2](row)
                if len(fns) > 2
                else None
            )
        return out

    return run


def _nth(which: str) -> Callable[[Partition, Any], list[Any]]:
    def run(part: Partition, fns: Any) -> list[Any]:
        out = list[Any]()
        for i, (lo, hi) in enumerate(part.spans()):
            left = part.excluded(i)
            inside = [k for k in range(lo, hi) if k not in left] if left else range(lo, hi)
            at = 0 if which == "first" else len(inside) - 1 if which == "last" else fns[1](part.rows[i]) - 1
            if at < 0 and which == "nth":
                raise SqlError("22016", "argument of nth_value must be greater than zero")
            out.append(fns[0](part.rows[inside[at]]) if 0 <= at < len(inside) else None)
        return out

    return run


_RANKING: dict[str, Callable[[Partition, Any], list[Any]]] = {
    "row_number": _row_number, "rank": _rank, "dense_rank": lambda p, _: [g + 1 for g in p.group], "percent_rank": _percent_rank,
    "cume_dist": lambda p, _: [p.peers(i)[1] / p.size for i in range(p.size)], "ntile": _ntile,
}  # fmt: skip
_VALUES: dict[str, Callable[[Partition, Any], list[Any]]] = {
    "lag": _shifted(-1), "lead": _shifted(1), "first_value": _nth("first"), "last_value": _nth("last"), "nth_value": _nth("nth"),
}  # fmt: skip
