"""Changes put together from the app's own functions: for each argument that callers give, a function that takes it, its other parameters
filled by their types."""

import ast
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from legoenv_mcp import registry
from legoenv_mcp.controller.derive import Outline
from legoenv_mcp.evolve import source
from legoenv_mcp.evolve.fleet import Patch
from legoenv_mcp.evolve.schema.constants import plain
from legoenv_mcp.evolve.schema.declaring import declared_as
from legoenv_mcp.evolve.schema.documents import failing
from legoenv_mcp.evolve.schema.functions import Functions, kind_of, takes
from legoenv_mcp.evolve.schema.rows import keys, look_ups_of, row_of, tables, template_of
from legoenv_mcp.evolve.schema.wanted import Wanted
from legoenv_mcp.evolve.schema.words import tokens
from legoenv_mcp.kernel.rows import Shape

_EACH, _MOST = 6, 16
IDLE = 4.0
"""How much likelier a function is that nothing comes to any more."""
_VALUE = "<value>"


@dataclass(frozen=True)
class Way:
    """A statement that carries an argument out; the better the likelier."""

    text: str
    score: float
    names: tuple[tuple[str, source.Module], ...] = ()
    """The functions it calls, and where each is."""
    supply: float = 0.0
    """How likely what the argument becomes on its way is."""


def assembled(wanted: Wanted) -> Iterator[Patch]:
    """The row looked up, a statement for each argument, the row shown as it is then."""
    for found in itertools.islice(failing(wanted.finding), 1):
        for shape in tables(wanted)[:2]:
            for key in keys(wanted)[:1]:
                row = row_of(found, wanted, shape, key)
                if row is not None:
                    yield from _for_table(wanted, found, shape, key, row)


def _for_table(wanted: Wanted, found: Outline, shape: Shape, key: str, row: Mapping[str, Any]) -> Iterator[Patch]:
    look_ups, renderings = look_ups_of(wanted, shape)
    functions = Functions(wanted)
    opened = [*(p.call(key) for p in look_ups[:1]), f"ctx.require({shape.cls.__name__}, {key})"][0]
    rows = rows_of(wanted, found, shape, key, row)
    actors = {n for _, used in rows.values() for n in used}
    given = [n for n in wanted.arguments if n != key and n not in actors]
    ways = {n: _ways(functions, shape, n, rows) for n in given}
    if not given or any(not ways[n] for n in given if n in wanted.always):
        return
    served = [n for n in given if ways[n]]
    if not served:
        return
    kept = {key, *actors, *served}
    narrowed = replace(wanted, calls=[{k: v for k, v in c.items() if k in kept} for c in wanted.calls])
    # What the first failing case gives is varied first.
    first = set(wanted.calls[0])
    order = sorted(served, key=lambda n: n not in first)
    ranked = itertools.product(*(enumerate(ways[n]) for n in reversed(order)))
    for picked in sorted(ranked, key=lambda p: sum(rank for rank, _ in p))[:_MOST]:
        chosen = [way for _, way in picked]
        lines = [f"row = {opened}"]
        for name, way in zip(reversed(order), chosen, strict=True):
            lines.append(way.text if name in wanted.always else f"if {name} is not None:\n    {way.text}")
        for part in renderings[:2] or [None]:
            shown = part.call("row") if part else "row"
            named = [*look_ups[:1], *([part] if part else [])]
            made = declared_as(
                narrowed,
                "\n".join([*lines, f"return {shown}"]),
                f"by {', '.join(dict.fromkeys(w.text.partition('(')[0] for w in chosen))}",
                f"Changes a {' '.join(wanted.nouns)}, and shows it as it is then.",
                returns="Any",
                own=[*((p.name, p.module) for p in named), *(pair for w in chosen for pair in w.names)],
            )
            if made is not None:
                yield made


def rows_of(
    wanted: Wanted, found: Outline, shape: Shape, key: str, row: Mapping[str, Any]
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Class -> how to come by a row of it, and the arguments that this takes: the row itself, what an argument or a column names."""
    template = template_of(found, wanted.slug)
    have: dict[str, tuple[str, tuple[str, ...]]] = {shape.cls.__name__: ("row", ())}

    def there(other: Shape, value: Any) -> bool:
        return (
            len(other.key) == 1
            and isinstance(value, (str, int))
            and not isinstance(value, bool)
            and template.connection.execute(other.by_key, (value,)).fetchone() is not None
        )

    for other in registry.load(wanted.slug).shapes.values():
        name = other.cls.__name__
        named = [n for n, v in wanted.arguments.items() if n != key and there(other, v)]
        # An argument that says what the row is to become is no actor: it is one where every change is made by somebody.
        for argument in [n for n in named if re.search(r"author|actor|admin|user|by_|requester", n)]:
            have.setdefault(name, (f"ctx.require({name}, {argument})", (argument,)))
        for column in shape.columns:
            if there(other, row.get(column)):
                have.setdefault(name, (f"ctx.require({name}, row.{column})", ()))
    return have


def _ways(functions: Functions, shape: Shape, name: str, rows: Mapping[str, tuple[str, tuple[str, ...]]]) -> list[Way]:
    """The ways to carry one argument out, the likeliest first."""
    wanted = functions.wanted
    found = [
        Way(f"ctx.db.update(row, {c}={name})", 4.0)
        for c in shape.columns
        if plain(c) == plain(name) and c not in shape.key
    ]
    said = wanted.said(name) | set(tokens(name))
    supplies = functions.supplies(name, {kind: text for kind, (text, _) in rows.items()})
    for module, fn in functions.every:
        if fn.name not in functions.writing:
            continue
        score = likeness(fn, module, said) + (IDLE if functions.is_idle(module, fn) else 0)
        for spot, kind, call in _called(fn, shape.cls.__name__, name, wanted.arguments[name], rows):
            same = 3.0 if spot in plain(name) or plain(name) in spot else 0.0
            for one in supplies:
                if functions.suits(one, kind):
                    names = ((fn.name, module), *one.names)
                    found.append(Way(call.replace(_VALUE, one.text), same + score, names, one.score))
    # All that an argument may become is tried with the likeliest function before the next one is.
    return sorted(found, key=lambda w: (-w.score, -w.supply))[:_EACH]


def likeness(fn: ast.FunctionDef, module: source.Module, said: set[str]) -> float:
    """How much a function's name, module and description say the same words."""

    def alike(words: list[str]) -> float:
        return sum(any(w[:4] == s[:4] and min(len(w), len(s)) > 2 for s in said) for w in words)

    return (
        2 * alike(tokens(fn.name))
        + 0.5 * alike(tokens(module.dotted[-1]))
        + 0.2 * alike(tokens(ast.get_docstring(fn) or ""))
    )


def _called(
    fn: ast.FunctionDef, model: str, name: str, value: Any, rows: Mapping[str, tuple[str, tuple[str, ...]]]
) -> Iterator[tuple[str, str, str]]:
    """Calls of a function with the argument, each with the parameter that takes it and its type: _VALUE stands for the value. None where
    something needed is not to be had, or it takes no such argument."""
    args = [*fn.args.posonlyargs, *fn.args.args]
    if not args or args[0].arg != "ctx":
        return
    needed = args[1 : len(args) - len(fn.args.defaults)]
    optional = args[max(1, len(args) - len(fn.args.defaults)) :]
    named = [a for a in (*needed, *optional, *fn.args.kwonlyargs) if plain(a.arg) == plain(name)]
    given, open_ones, own = list[str](), list[ast.arg](), False
    for arg in needed:
        said, kind = ast.unparse(arg.annotation) if arg.annotation else "", kind_of(arg)
        if arg in named:
            continue
        if kind in rows:
            own = own or kind == model or rows[kind][0].endswith("row.id)")
            given.append(f"{arg.arg}={rows[kind][0]}")
        elif said.endswith(" | None") and (named or kind[:1].isupper()):
            given.append(f"{arg.arg}=None")
        elif takes(kind, value):
            open_ones.append(arg)
        else:
            return
    for arg, default in zip(fn.args.kwonlyargs, fn.args.kw_defaults, strict=True):
        if default is None and arg not in named:
            if arg.annotation is None or ast.unparse(arg.annotation) != "bool":
                return
            given.append(f"{arg.arg}=False")
    if not own:
        return
    for spot in named or open_ones:
        left = [a for a in open_ones if a is not spot]
        if all(a.annotation and ast.unparse(a.annotation) in ("Any", "object") for a in left):
            filled = [*given, *(f"{a.arg}=None" for a in left)]
            yield plain(spot.arg), kind_of(spot), f"{fn.name}({', '.join(['ctx', *filled, f'{spot.arg}={_VALUE}'])})"
