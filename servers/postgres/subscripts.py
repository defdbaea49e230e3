"""Subscripts of arrays and jsonb: what they read, and what is made of a value when something is assigned to them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import nodes as n
from . import types
from .errors import SqlError, unsupported
from .scope import E
from .values import J

if TYPE_CHECKING:
    from .catalog import Column
    from .expressions import Compiler

Fn = Callable[[Any], Any]
_ABSENT: Any = object()


def chain(node: Any) -> tuple[Any, list[n.Index]]:
    """What is subscripted, and its subscripts from the left."""
    steps = list[n.Index]()
    while isinstance(node, n.Index):
        steps.insert(0, node)
        node = node.arg
    return node, steps


def read(c: "Compiler", node: n.Index) -> E:
    base, steps = chain(node)
    arg = c.value(base)
    sliced = any(s.slice for s in steps)
    if arg.kind == "jsonb" and not sliced:
        for s in steps:
            arg = c.apply("->", arg, c.value(s.low), n.Op("->", base, s.low, at=s.at))
        return arg
    if not types.is_array(arg.kind):
        what = f"cannot subscript type {types.shown(arg.kind)} because it does not support subscripting"
        raise SqlError("42804", what, base.at)
    f = arg.fn
    if sliced:
        bounds = _bounds(c, steps)
        return E(
            lambda r: None if (whole := f(r)) is None else _cut(whole, [(a(r), b(r)) for a, b in bounds]), arg.kind
        )
    places = [_integer(c, s.low) for s in steps]

    def pick(r: Any) -> Any:
        found = f(r)
        for place in places:
            i = place(r)
            found = found[i - 1] if isinstance(found, list) and i is not None and 0 < i <= len(found) else None
        return None if isinstance(found, list) else found

    return E(pick, types.element(arg.kind))


def _integer(c: "Compiler", node: Any) -> Fn:
    return c._to(c.value(node), "int4", node).fn


def _bounds(c: "Compiler", steps: list[n.Index]) -> list[tuple[Fn, Fn]]:
    """From where to where; among slices, a plain subscript is the upper bound. None is the end."""
    found = list[tuple[Fn, Fn]]()
    for s in steps:
        low, high = (s.low, s.high) if s.slice else (None, s.low)
        found.append((
            _integer(c, low) if low is not None else lambda _: 1, _integer(c, high) if high is not None else lambda _: None,
        ))  # fmt: skip
    return found


def _cut(whole: list[Any], bounds: list[tuple[Any, Any]]) -> list[Any]:
    low, high = bounds[0]
    part = whole[max(low - 1, 0) : None if high is None else max(high, 0)]
    return [_cut(v, bounds[1:]) if isinstance(v, list) and len(bounds) > 1 else v for v in part]


# Assignment


def assignment(c: "Compiler", column: "Column", node: n.Into) -> Callable[[Any, Any], Any]:
    """`column[...] = value` as a function of the row and of what the column holds."""
    if isinstance(node.value, n.Default):
        raise SqlError("0A000", "cannot set an array element to DEFAULT", node.at)
    given = c.value(node.value)
    if column.kind == "jsonb":
        value = _coerced(c, given, "jsonb", column, node)
        keys = [c.value(s.low) for s in node.steps]
        keys = [
            k.fn if k.kind in types.INTEGERS else c.coerce(k, "text", at=s.at).fn
            for k, s in zip(keys, node.steps, strict=True)
        ]

        def into_json(r: Any, held: Any) -> Any:
            made, path = value(r), [key(r) for key in keys]
            if None in path:
                raise SqlError("22004", "jsonb subscript in assignment must not be null")
            return J(_put(_ABSENT if held is None else held.v, path, None if made is None else made.v, 1))

        return into_json
    if not types.is_array(column.kind):
        what = f"cannot subscript type {types.shown(column.kind)} because it does not support subscripting"
        raise SqlError("42804", what, node.at)
    if any(s.slice for s in node.steps):
        if len(node.steps) > 1:
            raise unsupported("assignment to slices of several dimensions", node.at)
        low, high = _bounds(c, node.steps)[0]
        value = _coerced(c, given, column.kind, column, node)
        return lambda r, held: _replaced(held, low(r), high(r), value(r))
    value = _coerced(c, given, types.element(column.kind), column, node)
    places = [_integer(c, s.low) for s in node.steps]

    def into_array(r: Any, held: Any) -> Any:
        path = [place(r) for place in places]
        if None in path:
            raise SqlError("22004", "array subscript in assignment must not be null")
        return _stored(held, path, value(r))

    return into_array


def _coerced(c: "Compiler", given: E, kind: str, column: "Column", node: n.Into) -> Fn:
    if not types.assignable(given.kind, kind):
        text = f'subscripted assignment to "{column.name}" requires type {types.shown(kind)} but expression is of type'
        hint = "You will need to rewrite or cast the expression."
        raise SqlError("42804", f"{text} {types.shown(given.kind)}", node.at, hint=hint)
    return c.coerce(given, kind, at=getattr(node.value, "at", node.at), mods=column.mods).fn


def _stored(held: list[Any] | None, path: list[int], value: Any) -> list[Any]:
    at, rest = path[0], path[1:]
    if rest:
        if not held:
            raise unsupported("assignment to an element of an empty array of several dimensions")
        if not isinstance(held[0], list):
            raise SqlError("2202E", "wrong number of array subscripts")
        if not 0 < at <= len(held):
            raise SqlError("2202E", "array subscript out of range")
        return [_stored(v, rest, value) if i == at else v for i, v in enumerate(held, 1)]
    held = held or []
    if held and isinstance(held[0], list):
        raise SqlError("2202E", "wrong number of array subscripts")
    if at < 1 or (not held and at != 1):
        raise unsupported("an array that does not begin at 1")
    return [*held[: at - 1], *[None] * (at - 1 - len(held)), value, *held[at:]]


def _replaced(held: list[Any] | None, low: int, high: int | None, value: list[Any] | None) -> list[Any] | None:
    if value is None:
        return held
    if high is None and held is None:
        raise SqlError("2202E", "array slice subscript must provide both boundaries")
    high = len(held or []) if high is None else high
    if low > high:
        raise SqlError("2202E", "upper bound cannot be less than lower bound")
    if len(value) < high - low + 1:
        raise SqlError("2202E", "source array too small")
    kept = held or []
    if low < 1 or (not kept and low != 1):
        raise unsupported("an array that does not begin at 1")
    return [*kept[: low - 1], *[None] * (low - 1 - len(kept)), *value[: high - low + 1], *kept[high:]]


def _put(data: Any, path: list[Any], value: Any, depth: int) -> Any:
    """JSON data with a value at a path, of which what is missing is made."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if data is _ABSENT:
        data = [] if isinstance(step, int) else {}
    if isinstance(data, dict):
        return {**data, str(step): _put(data.get(str(step), _ABSENT), rest, value, depth + 1)}
    if not isinstance(data, list):
        detail = "The path assumes key is a composite object, but it is a scalar value."
        raise SqlError("22023", "cannot replace existing key", detail=detail)
    try:
        at = int(step)
    except ValueError:
        raise SqlError("22P02", f'path element at position {depth} is not an integer: "{step}"') from None
    at = at if at >= 0 else len(data) + at
    if at < 0:
        raise SqlError("22P02", f"path element at position {depth} is out of range: {step}")
    inner = data[at] if at < len(data) else _ABSENT
    return [*data[:at], *[None] * (at - len(data)), _put(inner, rest, value, depth + 1), *data[at + 1 :]]
