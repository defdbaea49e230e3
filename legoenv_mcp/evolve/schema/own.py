"""Operations that an app's own functions already carry out: a function that takes the row and what the callers give, called with them."""

import ast
from collections.abc import Iterator

from legoenv_mcp.evolve.fleet import Patch
from legoenv_mcp.evolve.schema.constants import plain
from legoenv_mcp.evolve.schema.declaring import declared_as, homes
from legoenv_mcp.evolve.schema.rows import keys, look_ups_of, tables
from legoenv_mcp.evolve.schema.wanted import Wanted
from legoenv_mcp.evolve.schema.words import tokens
from legoenv_mcp.evolve.source import Module

_MOST = 5


def through_own(wanted: Wanted) -> Iterator[Patch]:
    """For each table and key: the row looked up, the function called, the row shown as it is then."""
    for shape in tables(wanted):
        look_ups, renderings = look_ups_of(wanted, shape)
        for key in keys(wanted)[:1]:
            for module, fn, given in _fitting(wanted, shape.cls.__name__, key)[:_MOST]:
                for look_up in look_ups[:2]:
                    for shown in ("row", *(part.call("row") for part in renderings[:1])):
                        call = f"{fn.name}({', '.join(['ctx', 'row', *given])})"
                        made = declared_as(
                            wanted,
                            f"row = {look_up.call(key)}\n{call}\nreturn {shown}",
                            f"as {fn.name} does it",
                            f"Changes a {' '.join(wanted.nouns)}, and shows it as it is then.",
                            returns="Any",
                            first=module,
                        )
                        if made is not None:
                            yield made


def _fitting(wanted: Wanted, model: str, key: str) -> list[tuple[Module, ast.FunctionDef, list[str]]]:
    """Functions of the app that take a context, a row of the table and, all in all, what callers give; those that say most of it first."""
    found = list[tuple[int, str, Module, ast.FunctionDef, list[str]]]()
    for module in homes(wanted):
        for fn in [n for n in module.tree.body if isinstance(n, ast.FunctionDef) and not n.decorator_list]:
            args = [*fn.args.posonlyargs, *fn.args.args]
            if len(args) < 2 or args[0].arg != "ctx" or args[1].annotation is None:
                continue
            if ast.unparse(args[1].annotation) != model:
                continue
            given = _given(fn, args[2:], [n for n in wanted.arguments if n != key])
            verbs = set(tokens(wanted.tool)) & set(tokens(fn.name))
            if given is not None and (given or verbs):
                found.append((-len(given) - 2 * len(verbs), fn.name, module, fn, given))
    return [(module, fn, given) for _, _, module, fn, given in sorted(found, key=lambda one: one[:2])]


def _given(fn: ast.FunctionDef, rest: list[ast.arg], names: list[str]) -> list[str] | None:
    """What is passed for the parameters beyond the row: arguments of the same name, and the one that is left for the one that is left.
    None where something needed is not there, or something given is not taken."""
    needed = {a.arg for a in rest[: max(0, len(rest) - len(fn.args.defaults))]}
    needed |= {a.arg for a, d in zip(fn.args.kwonlyargs, fn.args.kw_defaults, strict=True) if d is None}
    pairs = {a.arg: n for a in (*rest, *fn.args.kwonlyargs) for n in names if plain(a.arg) == plain(n)}
    open_ones, left = [a for a in needed if a not in pairs], [n for n in names if n not in pairs.values()]
    if len(open_ones) == len(left) == 1:
        pairs[open_ones[0]] = left[0]
    elif open_ones or left:
        return None
    return [f"{a}={n}" for a, n in pairs.items()]
