"""Function calls: which function a call means, and the few that the analyser itself knows."""

from typing import TYPE_CHECKING, Any

from . import (  # noqa: F401 - the function modules register what they define
    aggregates,
    compare,
    functions_array,
    functions_json,
    functions_text,
    functions_time,
    numbers,
    types,
    values,
    windows,
)  # fmt: skip
from . import (
    nodes as n,
)
from .errors import SqlError
from .functions_json import Typed
from .grouping import gather, no_function
from .parsing import schema_of
from .scope import E
from .signatures import FUNCTIONS, Ambiguous, Overload, resolve

if TYPE_CHECKING:
    from .expressions import Compiler

_INTERVAL_PARTS = ("years", "months", "weeks", "days", "hours", "mins", "secs")
_CLAUSES = {
    "WHERE": "WHERE",
    "GROUP BY": "GROUP BY",
    "JOIN/ON": "JOIN conditions",
    "CHECK": "check constraints",
    "DEFAULT": "DEFAULT expressions",
    "LIMIT": "LIMIT",
}
_NO_PARENS = ("current_date", "current_time", "current_timestamp", "localtime", "localtimestamp")


def is_aggregate(node: n.Func) -> bool:
    return node.over is None and node.name[-1] in aggregates.NAMES and schema_of(node.name) in ("", "pg_catalog")


def call_function(c: "Compiler", node: n.Func) -> E:
    name = node.name[-1]
    schema = schema_of(node.name) or "pg_catalog"
    if schema not in ("pg_catalog", "public", "information_schema") and c.env.catalog.namespace(schema) is None:
        raise SqlError("3F000", f'schema "{schema}" does not exist', node.at)
    if node.over is not None:
        if name not in windows.NAMES and name not in aggregates.NAMES:
            kinds = [c.value(a).kind for a in node.args]
            if name in FUNCTIONS:
                raise SqlError(
                    "42809", f"OVER specified, but {name} is not a window function nor an aggregate function", node.at
                )
            raise no_function(name, kinds, node.at)
        return windows.window_call(c, node)
    if is_aggregate(node):
        return _aggregate(c, node)
    if name in windows.NAMES:
        raise SqlError("42809", f"window function {name} requires an OVER clause", node.at)
    if name == "grouping" and c.scope.group is not None:
        return c.scope.group.grouping(node)
    special = _SPECIAL.get(name)
    if special is not None:
        return special(c, node)
    if node.distinct or node.order or node.filter is not None:
        what = "DISTINCT" if node.distinct else "ORDER BY" if node.order else "FILTER"
        raise SqlError("42809", f"{what} specified, but {name} is not an aggregate function", node.at)
    args = [c.value(a) for a in _arranged(node)]
    found = lookup(c, node, args)
    o = found.overload
    given = list[E]()
    for a, kind, place in zip(args, found.args, node.args, strict=True):
        if kind == "typed":
            inner = c._text(a)
            given.append(E(lambda r, f=inner.fn, k=inner.kind: Typed(k, f(r)), "typed"))
        else:
            given.append(c._to(a, kind, place))
    if node.variadic and o.variadic:
        return _spread(c, o, given)
    if name in ("concat", "concat_ws", "format"):
        # These take anything, and print it.
        given = [g if g.kind == "text" else _printed(c, g) for g in given]
    if o.many:
        return _set_returning(c, node, found, given)
    made = c.call(found, given)
    if o.fn in _VOLATILE:
        c.env.volatile = True
    return made


def _printed(c: "Compiler", e: E) -> E:
    """A value in its type's own output, which for booleans is not what a cast gives."""
    env, fn, kind = c.env, e.fn, e.kind
    return E(lambda r: None if (v := fn(r)) is None else values.text(kind, v, env), "text")


_VOLATILE: set[Any] = set()


def lookup(c: "Compiler", node: n.Func, args: list[E]) -> Any:
    name, kinds = node.name[-1], [a.kind for a in args]
    if node.variadic and types.is_array(kinds[-1]):
        kinds = [*kinds[:-1], types.element(kinds[-1])]
    candidates = FUNCTIONS.get(name, [])
    if not candidates:
        raise no_function(name, kinds, node.at)
    if any(o.variadic in ("typed",) or "typed" in o.args for o in candidates):
        candidates = [
            Overload(
                o.name,
                tuple(k if w == "typed" else w for w, k in zip(o.args, kinds, strict=False)),
                o.ret,
                o.fn,
                o.strict,
                o.env,
                o.variadic,
                o.many,
            )
            if "typed" in o.args
            else o
            for o in candidates
        ]
        found = next(
            (o for o in FUNCTIONS[name] if (o.variadic == "typed" and kinds) or len(o.args) == len(kinds)), None
        )
        if found is None:
            raise no_function(name, kinds, node.at)
        from .signatures import Match  # noqa: PLC0415

        return Match(found, tuple("typed" for _ in kinds), found.ret)
    try:
        found = resolve(candidates, kinds)
    except Ambiguous:
        shown = ", ".join(types.shown(k) for k in kinds)
        raise SqlError(
            "42725",
            f"function {name}({shown}) is not unique",
            node.at,
            hint="Could not choose a best candidate function. You might need to add explicit type casts.",
        ) from None
    if found is None:
        if (
            len(args) == 1
            and name in ("text", "int4", "float8", "date", "numeric", "bool", "varchar")
            and types.castable(kinds[0], name)
        ):
            return resolve([Overload(name, (kinds[0],), name, lambda v: v)], kinds)
        raise no_function(name, kinds, node.at)
    return found


def _arranged(node: n.Func) -> list[Any]:
    """Arguments in order, where some are named."""
    if not node.names:
        return node.args
    positional = len(node.args) - len(node.names)
    if node.name[-1] != "make_interval" or any(w not in _INTERVAL_PARTS for w in node.names):
        given = ", ".join(f"{w} => unknown" for w in node.names)
        raise SqlError("42883", f"function {node.name[-1]}({given}) does not exist", node.at,
                       hint="No function matches the given name and argument types."
                            " You might need to add explicit type casts.")  # fmt: skip
    by_name = dict(zip(node.names, node.args[positional:], strict=True))
    last = max(_INTERVAL_PARTS.index(w) for w in node.names)
    zero = n.Const(0, "int4", at=node.at)
    node.args = [*node.args[:positional], *(by_name.get(w, zero) for w in _INTERVAL_PARTS[positional : last + 1])]
    node.names = []
    return node.args


def _spread(c: "Compiler", o: Overload, args: list[E]) -> E:
    *fixed, rest = [a.fn for a in args]
    env, run = c.env, o.fn
    head = (env,) if o.env else ()
    return E(lambda r: run(*head, *(f(r) for f in fixed), *(rest(r) or ())), o.ret)


def _aggregate(c: "Compiler", node: n.Func) -> E:
    scope = c.scope
    if scope.clause in _CLAUSES and scope.group is None:
        raise SqlError("42803", f"aggregate functions are not allowed in {_CLAUSES[scope.clause]}", node.at)
    if scope.group is None:
        if scope.clause == "RETURNING":
            raise SqlError("42803", "aggregate functions are not allowed in RETURNING", node.at)
        raise SqlError("42803", f"aggregate functions are not allowed in {scope.clause}", node.at)
    run, kind = gather(c, node)
    return scope.group.aggregate(run, kind)


def _set_returning(c: "Compiler", node: n.Func, found: Any, args: list[E]) -> E:
    """A set-returning function outside FROM: its values multiply the rows."""
    scope = c.scope
    if scope.clause not in ("select", "ORDER BY", "from", "GROUP BY"):
        shown = {"JOIN/ON": "JOIN conditions"}.get(scope.clause, scope.clause)
        raise SqlError("0A000", f"set-returning functions are not allowed in {shown}", node.at)
    made = c.call(found, args)
    kind = found.ret
    if kind.startswith("record:"):
        kind = "record"
    if scope.clause == "from":
        return E(made.fn, kind)
    at = len(scope.srfs)
    scope.srfs.append(made.fn)
    scope.srf_values.append(None)
    held = scope.srf_values
    return E(lambda _: held[at], kind)


# What the analyser knows itself


def _coalesce(c: "Compiler", node: n.Func) -> E:
    made, kind = c.unify([(c.value(a), a.at) for a in node.args], "COALESCE")
    fns = [e.fn for e in made]

    def run(r: Any) -> Any:
        for f in fns:
            v = f(r)
            if v is not None:
                return v
        return None

    return E(run, kind)


def _nullif(c: "Compiler", node: n.Func) -> E:
    if len(node.args) != 2:
        raise SqlError("42601", 'syntax error at or near ")"', node.at)
    first = c.value(node.args[0])
    left, right, kind = c._pair("=", first, c.value(node.args[1]), n.Op("=", *node.args, at=node.at))
    same, f, g, own = compare.comparer("=", kind, c.env), left.fn, right.fn, first.fn
    return E(
        lambda r: None if (a := f(r)) is not None and (b := g(r)) is not None and same(a, b) else own(r),
        first.kind if first.kind != "unknown" else "text",
    )


def _extreme(c: "Compiler", node: n.Func) -> E:
    made, kind = c.unify([(c.value(a), a.at) for a in node.args], node.name[-1].upper())
    fns, key = [e.fn for e in made], compare.sort_key(kind, c.env)
    pick = max if node.name[-1] == "greatest" else min

    def run(r: Any) -> Any:
        found = [v for f in fns if (v := f(r)) is not None]
        return pick(found, key=key) if found else None

    return E(run, kind)


def _typeof(c: "Compiler", node: n.Func) -> E:
    kind = types.shown(_one_argument(c, node).kind)
    return E(lambda _: kind, "regtype")


def _one_argument(c: "Compiler", node: n.Func) -> E:
    if len(node.args) != 1:
        raise no_function(node.name[-1], [c.value(a).kind for a in node.args], node.at)
    return c.value(node.args[0])


def _enum_range(c: "Compiler", node: n.Func) -> E:
    arg = _one_argument(c, node)
    if not types.is_enum(arg.kind):
        raise no_function(node.name[-1], [arg.kind], node.at)
    labels = c.env.enums(arg.kind)
    made = {"enum_range": list(labels), "enum_first": labels[0], "enum_last": labels[-1]}[node.name[-1]]
    return E(lambda _: made, "_" + arg.kind if node.name[-1] == "enum_range" else arg.kind)


_SPECIAL: dict[str, Any] = {
    "coalesce": _coalesce, "nullif": _nullif, "greatest": _extreme, "least": _extreme, "pg_typeof": _typeof, "enum_range": _enum_range,
    "enum_first": _enum_range, "enum_last": _enum_range,
}  # fmt: skip
