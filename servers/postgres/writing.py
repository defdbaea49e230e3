"""INSERT, UPDATE and DELETE."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from . import nodes as n
from . import subscripts, types
from .catalog import Column
from .constraints import Cells, UniqueKey, default_function
from .ctes import add_ctes
from .errors import SqlError, unsupported
from .expressions import Compiler
from .labels import name_of
from .models import Relation
from .rowscope import row_scope
from .scope import E, Out, Plan, Scope, const


@dataclass(slots=True)
class Written:
    """A statement that writes: what it returns, and how many rows it wrote once run."""

    columns: list[Out]
    run: Callable[[], list[tuple[Any, ...]]]
    tag: str
    count: int = 0
    note: Any = None
    extra: dict[str, Any] = field(default_factory=dict[str, Any])


def write(node: Any, scope: Scope) -> Written:
    from .inserting import Inserting  # noqa: PLC0415
    from .updating import Updating  # noqa: PLC0415

    add_ctes(node.ctes, scope)
    if isinstance(node, n.Insert):
        return Inserting(node, scope).plan()
    return Updating(node, scope).plan()


def target(scope: Scope, ref: n.TableRef, verb: str) -> Relation:
    env = scope.env
    relation = env.need_relation(ref.name, ref.at)
    env.must_write(verb.upper())
    if relation.kind == "view":
        raise unsupported(f'{verb.upper()} on view "{relation.name}"', ref.at)
    if relation.kind != "table":
        raise SqlError("42809", f'cannot change materialized view "{relation.name}"')
    env.allowed(relation, verb)
    return relation


def place_of(relation: Relation, columns: list[Column], name: str, at: int) -> int:
    found = next((i for i, c in enumerate(columns) if c.name == name), None)
    if found is None:
        raise SqlError("42703", f'column "{name}" of relation "{relation.name}" does not exist', at)
    return found


def assigned(compiler: Compiler, e: E, column: Column, at: int) -> E:
    """An expression as a column takes it."""
    if not types.assignable(e.kind, column.kind):
        raise SqlError("42804", f'column "{column.name}" is of type {types.shown(column.kind)} but expression is of type'
                                f' {types.shown(e.kind)}', at,
                       hint="You will need to rewrite or cast the expression.")  # fmt: skip
    return compiler.coerce(e, column.kind, at=at, mods=column.mods)


def returning(
    scope: Scope, targets: list[tuple[Any, str]]
) -> tuple[list[Out], Callable[[list[Cells]], list[tuple[Any, ...]]]]:
    compiler = Compiler(scope)
    scope.clause = "RETURNING"
    columns, fns = list[Out](), list[Any]()
    for node, label in targets:
        if isinstance(node, n.Star):
            made = scope.expand(node)
            columns += [out for _, out in made]
            fns += [e.fn for e, _ in made]
        else:
            e = compiler._text(compiler.value(node))
            columns.append(Out(label or name_of(node), e.kind, e.mods))
            fns.append(e.fn)
    cell = scope.cell

    def run(rows: list[Cells]) -> list[tuple[Any, ...]]:
        made = list[tuple[Any, ...]]()
        for row in rows:
            cell[0] = row
            made.append(tuple(f(row) for f in fns))
        return made

    return columns, run


def _nothing(_: Any) -> None:
    return None


_DEFAULT: Any = object()
_NOTHING: Any = object()


def assignments(
    scope: Scope, relation: Relation, columns: list[Column], sets: list[Any], env: Any
) -> Callable[[Any, Cells], list[Any]]:
    """SET as a function of the joined row and the target's own."""
    compiler = Compiler(scope)
    scope.clause = "UPDATE"
    made = list[tuple[int, Callable[[Any], Any]]]()
    rows = list[tuple[list[int], Callable[[Any], Any]]]()
    parts = list[tuple[int, Callable[[Any, Any], Any]]]()
    for names, value, at in sets:
        places = [place_of(relation, columns, name, at) for name in names]
        for p in places:
            if columns[p].generated and not isinstance(value, n.Default):
                raise SqlError(
                    "428C9",
                    f'column "{columns[p].name}" can only be updated to DEFAULT',
                    detail=f'Column "{columns[p].name}" is a generated column.',
                )
            if columns[p].identity == "always" and not isinstance(value, n.Default):
                raise SqlError(
                    "428C9",
                    f'column "{columns[p].name}" can only be updated to DEFAULT',
                    detail=f'Column "{columns[p].name}" is an identity column defined as GENERATED ALWAYS.',
                )
        if isinstance(value, n.Into):
            parts.append((places[0], subscripts.assignment(compiler, columns[places[0]], value)))
        elif len(names) == 1 and not isinstance(value, n.RowLit):
            made.append((places[0], _assignment(compiler, columns[places[0]], value, env)))
        elif isinstance(value, n.RowLit):
            if len(value.items) != len(names):
                raise SqlError("42601", "number of columns does not match number of values", at)
            made += [
                (p, _assignment(compiler, columns[p], item, env)) for p, item in zip(places, value.items, strict=True)
            ]
        elif isinstance(value, n.Sub) and value.kind == "scalar":
            plan, found = compiler.subplan(value.query)
            if len(plan.columns) != len(names):
                raise SqlError("42601", "number of columns does not match number of values", at)
            steps = [
                assigned(compiler, E(lambda r, i=i: r[i], o.kind), columns[p], at).fn
                for i, (p, o) in enumerate(zip(places, plan.columns, strict=True))
            ]

            def several(r: Any, run: Any = found, steps: Any = steps) -> list[Any]:
                found = run(r)
                if len(found) > 1:
                    raise SqlError("21000", "more than one row returned by a subquery used as an expression")
                return [f(found[0]) if found else None for f in steps]

            rows.append((places, several))
        else:
            raise SqlError(
                "0A000", "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression", at
            )
    all_places = [p for p, _ in made] + [p for ps, _ in rows for p in ps] + list({p for p, _ in parts})
    if len(set(all_places)) != len(all_places):
        twice = next(p for i, p in enumerate(all_places) if p in all_places[:i])
        raise SqlError("42601", f'multiple assignments to same column "{columns[twice].name}"')

    def run(joined: Any, before: Cells) -> list[Any]:
        fresh = list(before)
        for at, f in made:
            fresh[at] = f(joined)
        for places, f in rows:
            for at, v in zip(places, f(joined), strict=True):
                fresh[at] = v
        for at, put in parts:
            fresh[at] = put(joined, fresh[at])
        return fresh

    return run


def _assignment(compiler: Compiler, column: Column, value: Any, env: Any) -> Callable[[Any], Any]:
    if isinstance(value, n.Default):
        return default_function(env, column) if column.default else _nothing
    return assigned(compiler, compiler.value(value), column, value.at).fn


__all__ = ["Plan", "UniqueKey", "Written", "const", "row_scope", "write"]
