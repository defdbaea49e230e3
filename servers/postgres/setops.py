"""VALUES, UNION, INTERSECT and EXCEPT."""

from collections.abc import Callable
from decimal import Decimal
from operator import itemgetter
from typing import Any

from . import compare, types, values
from . import nodes as n
from .casts import caster
from .ctes import _unique
from .errors import SqlError
from .expressions import Compiler
from .joins import Rows
from .scope import E, Out, Plan, Scope, const


def _cut(rows: list[Any], limit: int | None, offset: int | None, ties: Any) -> list[Any]:
    if offset:
        rows = rows[offset:]
    if limit is None:
        return rows
    stop = limit
    if ties and 0 < limit < len(rows):
        while stop < len(rows) and ties(rows[stop]) == ties(rows[limit - 1]):
            stop += 1
    return rows[:stop]


def bound(node: Any, what: str, compiler: Compiler, scope: Scope) -> Callable[[], int | None]:
    if node is None:
        return lambda: None
    scope.touched = set()
    e = compiler.value(node)
    if scope.touched:
        raise SqlError("42P10", f"argument of {what} must not contain variables", node.at)
    if e.kind in ("numeric", "float8"):
        e = E(lambda r, f=e.fn: None if (v := f(r)) is None else int(Decimal(v).to_integral_value()), "int8")
    e = compiler._to(e, "int8", node)

    def run() -> int | None:
        value = e.fn(scope.cell[0])
        if value is not None and value < 0:
            raise SqlError("2201W" if what == "LIMIT" else "2201X", f"{what} must not be negative")
        return value

    return run


def _values(query: n.Values, scope: Scope) -> Plan:
    compiler = Compiler(scope)
    width = len(query.rows[0])
    for row in query.rows:
        if len(row) != width:
            raise SqlError("42601", "VALUES lists must all be the same length", row[0].at)
    columns, cells = list[Out](), list[list[E]]()
    for i in range(width):
        made, kind = compiler.unify([(compiler.value(r[i]), r[i].at) for r in query.rows], "VALUES")
        columns.append(Out(f"column{i + 1}", kind))
        cells.append([e if e.kind == kind else compiler.coerce(e, kind) for e in made])
    cell = scope.cell
    return Plan(
        columns,
        lambda: [tuple(column[k].fn(cell[0]) for column in cells) for k in range(len(query.rows))],
        ("values", len(query.rows)),
    )


def _set_operation(query: n.SetOp, scope: Scope) -> Plan:
    from .query import plan_query  # noqa: PLC0415

    env = scope.env
    sides = list[Plan]()
    for side in (query.left, query.right):
        inner = Scope(env, scope.parent)
        inner.ctes = dict(scope.ctes)
        sides.append(plan_query(side, inner))
        scope.outer = scope.outer or inner.outer
    left, right = sides
    word = query.op.upper()
    if len(left.columns) != len(right.columns):
        raise SqlError("42601", f"each {word} query must have the same number of columns", _first_at(query.right))
    columns, runs = list[Out](), list[tuple[Any, Any]]()
    for i, (a, b) in enumerate(zip(left.columns, right.columns, strict=True)):
        ka, kb = _kind(query.left, i, a.kind), _kind(query.right, i, b.kind)
        kind = types.common([ka, kb])
        if kind is None:
            raise SqlError(
                "42804",
                f"{word} types {types.shown(ka)} and {types.shown(kb)} cannot be matched",
                _target_at(query.right, i),
            )
        runs.append((_side(query.left, i, a.kind, kind, env), _side(query.right, i, b.kind, kind, env)))
        columns.append(Out(a.name, kind, a.mods if a.mods == b.mods and a.kind == b.kind else ()))

    def cast(rows: Rows, side: int) -> Rows:
        steps = [r[side] for r in runs]
        if not any(steps):
            return rows
        return [tuple(v if f is None or v is None else f(v) for f, v in zip(steps, r, strict=True)) for r in rows]

    def run() -> Rows:
        a, b = cast(left.run(), 0), cast(right.run(), 1)
        env.tick(len(a) + len(b))
        key = lambda r: tuple(values.key(v) for v in r)  # noqa: E731
        if query.op == "union":
            return [*a, *b] if query.all else _unique([*a, *b], set())
        counts: dict[Any, int] = {}
        for r in b:
            counts[key(r)] = counts.get(key(r), 0) + 1
        made = Rows()
        for r in a if query.all else _unique(a, set()):
            held = counts.get(key(r), 0)
            if query.all and held:
                counts[key(r)] = held - 1
            if (query.op == "intersect") == bool(held):
                made.append(r)
        return made

    return Plan(columns, run, ("setop", query.op, left.note, right.note))


def _kind(query: Any, i: int, kind: str) -> str:
    """Whether a side's column is an untyped literal, which takes the other side's type."""
    if isinstance(query, n.Select) and i < len(query.targets):
        target = query.targets[i][0]
        if isinstance(target, n.Const) and target.type == "unknown":
            return "unknown"
    return kind


def _side(query: Any, i: int, source: str, kind: str, env: Any) -> Any:
    """The cast of a side's column; a literal is cast at once, so that it is refused where it stands."""
    if _kind(query, i, source) == "unknown" and kind != "text":
        node = query.targets[i][0]
        Compiler(Scope(env)).coerce(const(node.value, "unknown"), kind, at=node.at)
    return caster(source, kind, env)


def _first_at(query: Any) -> int:
    return _target_at(query, 0)


def _target_at(query: Any, i: int) -> int:
    if isinstance(query, n.Select) and i < len(query.targets):
        return query.targets[i][0].at
    return query.at


def _tail(query: Any, plan: Plan, scope: Scope) -> Plan:
    """ORDER BY, LIMIT and OFFSET of a set operation or VALUES."""
    if not query.order and query.limit is None and query.offset is None:
        return plan
    keys = list[Any]()
    for sort in query.order:
        node = sort.expr
        if isinstance(node, n.Const) and node.type == "int4":
            if not 0 < node.value <= len(plan.columns):
                raise SqlError("42P10", f"ORDER BY position {node.value} is not in select list", node.at)
            at = node.value - 1
        elif isinstance(node, n.Col) and len(node.parts) == 1:
            found = [i for i, c in enumerate(plan.columns) if c.name == node.parts[0]]
            if not found:
                raise SqlError("42703", f'column "{node.parts[0]}" does not exist', node.at)
            at = found[0]
        else:
            raise SqlError("0A000", "invalid UNION/INTERSECT/EXCEPT ORDER BY clause", node.at,
                detail="Only result column names can be used,"
                                                                                                      " not expressions or functions.",
                           hint="Add the expression/function to every SELECT, or move the UNION into a FROM clause.")  # fmt: skip
        keys.append((itemgetter(at), plan.columns[at].kind, sort.desc, sort.nulls_first))
    compiler = Compiler(scope)
    limit, offset = bound(query.limit, "LIMIT", compiler, scope), bound(query.offset, "OFFSET", compiler, scope)
    env = scope.env

    def run() -> Rows:
        rows = plan.run()
        rows = compare.sorted_rows(rows, keys, env) if keys else rows
        return _cut(rows, limit(), offset(), None)

    return Plan(plan.columns, run, plan.note)
