"""Joining the items of FROM: by hash where there is an equality, else in loops."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .scope import Scope

Rows = list[tuple[Any, ...]]


@dataclass(slots=True)
class Step:
    """One more item joined to those before it. `rows` makes its rows (anew for each row before it when lateral).

    `tested` and `joined` are the conditions of `filters` and `keys` as they were written, and `compiler` what reads them, for EXPLAIN.
    """

    kind: str
    rows: Callable[[], Rows]
    offset: int
    width: int
    conditions: list[Any] = field(default_factory=list[Any])
    lateral: bool = False
    note: Any = None
    keys: list[tuple[Any, Any]] = field(default_factory=list[tuple[Any, Any]])
    filters: list[Any] = field(default_factory=list[Any])
    after: list[Any] = field(default_factory=list[Any])
    lookup: tuple[int, Any] | None = None
    held: Any = None
    tested: list[Any] = field(default_factory=list[Any])
    joined: list[Any] = field(default_factory=list[Any])
    compiler: Any = None


def execute(steps: list[Step], env: Any, scope: Scope, start: tuple[Any, ...] = ()) -> Rows:
    """The rows that the steps make of each other."""
    rows: Rows = [start]
    for step in steps:
        rows = _run(step, rows, env, scope)
        for test in step.after:
            rows = [r for r in rows if test(r) is True]
    return rows


def _run(step: Step, left: Rows, env: Any, scope: Scope) -> Rows:
    if step.lateral:
        return _lateral(step, left, env, scope)
    right = _looked_up(step, env) if step.lookup else step.rows()
    if step.filters:
        pad = (None,) * step.offset
        right = (
            [r for r in right if all(f(pad + r) is True for f in step.filters)]
            if pad
            else [r for r in right if all(f(r) is True for f in step.filters)]
        )
    if step.offset == 0 or (len(left) == 1 and left[0] == () and step.kind == "cross"):
        return right if not step.conditions else [r for r in right if _holds(step.conditions, r)]
    return _hashed(step, left, right, env) if step.keys else _looped(step, left, right, env)


def _looked_up(step: Step, env: Any) -> Rows:
    """The item's rows whose column equals a value of the query around, by an index made once a statement."""
    assert step.lookup is not None
    at, other = step.lookup
    state = (env.command, len(env.catalog.log))
    if step.held is None or step.held[0] != state:
        index: dict[Any, Rows] = {}
        for row in step.rows():
            index.setdefault(row[at], []).append(row)
        step.held = (state, index)
    value = other(())
    found = step.held[1].get(value, []) if value is not None else []
    env.tick(len(found) + 1)
    return found


def _holds(conditions: list[Any], row: Any) -> bool:
    return all(f(row) is True for f in conditions)


def _lateral(step: Step, left: Rows, env: Any, scope: Scope) -> Rows:
    made, blank, kept = Rows(), (None,) * step.width, scope.cell[0]
    for row in left:
        scope.cell[0] = row
        found = [row + r for r in step.rows()]
        if step.filters or step.conditions or step.keys:
            found = [
                r
                for r in found
                if _holds(step.filters, r)
                and _holds(step.conditions, r)
                and all((a := f(r)) is not None and a == g(r) for f, g in step.keys)
            ]
        env.tick(len(found))
        made += found if found or step.kind != "left" else [row + blank]
    scope.cell[0] = kept
    return made


def _hashed(step: Step, left: Rows, right: Rows, env: Any) -> Rows:
    pad = (None,) * step.offset
    if len(step.keys) == 1:
        f, g = step.keys[0]
        left_key, right_key = f, g
    else:
        fs, gs = [k[0] for k in step.keys], [k[1] for k in step.keys]
        left_key = lambda r: None if None in (k := tuple(f(r) for f in fs)) else k  # noqa: E731
        right_key = lambda r: None if None in (k := tuple(g(r) for g in gs)) else k  # noqa: E731
    table: dict[Any, list[int]] = {}
    for i, r in enumerate(right):
        key = right_key(pad + r)
        if key is not None:
            table.setdefault(key, []).append(i)
    none: list[int] = []
    return _combined(step, left, right, env, lambda row: none if (k := left_key(row)) is None else table.get(k, none))


def _looped(step: Step, left: Rows, right: Rows, env: Any) -> Rows:
    everything = list(range(len(right)))
    return _combined(step, left, right, env, lambda _: everything)


def _combined(step: Step, left: Rows, right: Rows, env: Any, candidates: Callable[[Any], list[int]]) -> Rows:
    made, blank, conditions = Rows(), (None,) * step.width, step.conditions
    outer_left, outer_right = step.kind in ("left", "full"), step.kind in ("right", "full")
    matched = set[int]()
    for row in left:
        places = candidates(row)
        env.tick(len(places))
        hit = False
        for i in places:
            whole = row + right[i]
            if not conditions or _holds(conditions, whole):
                made.append(whole)
                hit = True
                if outer_right:
                    matched.add(i)
        if not hit and outer_left:
            made.append(row + blank)
    if outer_right:
        empty = (None,) * step.offset
        made += [empty + r for i, r in enumerate(right) if i not in matched]
    return made
