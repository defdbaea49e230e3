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
from legoenv_mcp.evolve.schema.documents import failing
from legoenv_mcp.evolve.schema.rows import keys, look_ups_of, row_of, tables, template_of
from legoenv_mcp.evolve.schema.wanted import Wanted, declared_as, homes, tokens
from legoenv_mcp.kernel.rows import Shape

_EACH, _MOST = 5, 16


@dataclass(frozen=True)
class Way:
    """A statement that carries an argument out; the better the likelier."""

    text: str
    module: source.Module | None
    score: float


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
    opened = [*(p.call(key) for p in look_ups[:1]), f"ctx.require({shape.cls.__name__}, {key})"][0]
    rows = _rows(wanted, found, shape, key, row)
    actors = {n for _, used in rows.values() for n in used}
    given = [n for n in wanted.arguments if n != key and n not in actors]
    ways = {n: _ways(wanted, shape, n, rows) for n in given}
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
    for chosen in itertools.islice(itertools.product(*(ways[n] for n in reversed(order))), _MOST):
        lines = [f"row = {opened}"]
        for name, way in zip(reversed(order), chosen, strict=True):
            lines.append(way.text if name in wanted.always else f"if {name} is not None:\n    {way.text}")
        module = next((w.module for w in chosen if w.module), None)
        for shown in [part.call("row") for part in renderings[:2]] or ["row"]:
            made = declared_as(
                narrowed,
                "\n".join([*lines, f"return {shown}"]),
                f"by {', '.join(dict.fromkeys(w.text.partition('(')[0] for w in chosen))}",
                f"Changes a {' '.join(wanted.nouns)}, and shows it as it is then.",
                returns="Any",
                first=module,
            )
            if made is not None:
                yield made


def _rows(
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


def _ways(wanted: Wanted, shape: Shape, name: str, rows: Mapping[str, tuple[str, tuple[str, ...]]]) -> list[Way]:
    """The ways to carry one argument out, the likeliest first."""
    found = [
        Way(f"ctx.db.update(row, {c}={name})", None, 4.0)
        for c in shape.columns
        if plain(c) == plain(name) and c not in shape.key
    ]
    said = {
        w for s in wanted.finding["evidence"] if name in s.get("arguments", {}) for w in tokens(str(s.get("verb", "")))
    }
    said |= set(tokens(name)) | set(tokens(wanted.tool))
    writing = _writing(wanted.slug)
    for module in homes(wanted):
        for fn in [n for n in module.tree.body if isinstance(n, ast.FunctionDef) and not n.decorator_list]:
            call = _called(fn, shape.cls.__name__, name, wanted.arguments[name], rows) if fn.name in writing else None
            if call is not None:
                spot = plain(call.rpartition(f"={name})")[0].rpartition(" ")[2])
                same = 3.0 if spot in plain(name) or plain(name) in spot else 0.0
                found.append(Way(call, module, same + _likeness(fn, module, said)))
    return sorted(found, key=lambda w: -w.score)[:_EACH]


def _writing(slug: str) -> set[str]:
    """The app's functions that write, themselves or through others, by name."""
    calls, found = dict[str, set[str]](), set[str]()
    for node in (n for m in source.modules(slug) for n in m.tree.body if isinstance(n, ast.FunctionDef)):
        text = ast.unparse(node)
        if re.search(r"\bdb\.(update|add|delete|delete_where|insert|put)\(", text):
            found.add(node.name)
        calls.setdefault(node.name, set()).update(re.findall(r"\b(\w+)\(", text))
    while more := {n for n, called in calls.items() if n not in found and called & found}:
        found |= more
    return found


def _likeness(fn: ast.FunctionDef, module: source.Module, said: set[str]) -> float:
    def alike(words: list[str]) -> float:
        return sum(any(w[:4] == s[:4] and min(len(w), len(s)) > 2 for s in said) for w in words)

    return (
        2 * alike(tokens(fn.name))
        + 0.5 * alike(tokens(module.dotted[-1]))
        + 0.2 * alike(tokens(ast.get_docstring(fn) or ""))
    )


def _called(
    fn: ast.FunctionDef, model: str, name: str, value: Any, rows: Mapping[str, tuple[str, tuple[str, ...]]]
) -> str | None:
    """The call of a function with the argument; None where something needed is not to be had, or it takes no such argument."""
    args = [*fn.args.posonlyargs, *fn.args.args]
    if not args or args[0].arg != "ctx":
        return None
    needed = args[1 : len(args) - len(fn.args.defaults)]
    optional = args[max(1, len(args) - len(fn.args.defaults)) :]
    named = [a for a in (*needed, *optional, *fn.args.kwonlyargs) if plain(a.arg) == plain(name)]
    given, open_ones, own = list[str](), list[ast.arg](), False
    for arg in needed:
        said = ast.unparse(arg.annotation) if arg.annotation else ""
        kind = re.sub(r" \| None$", "", said)
        if arg in named:
            continue
        if kind in rows:
            own = own or kind == model or rows[kind][0].endswith("row.id)")
            given.append(f"{arg.arg}={rows[kind][0]}")
        elif said.endswith(" | None") and (named or kind[:1].isupper()):
            given.append(f"{arg.arg}=None")
        elif _takes(kind, value):
            open_ones.append(arg)
        else:
            return None
    for arg, default in zip(fn.args.kwonlyargs, fn.args.kw_defaults, strict=True):
        if default is None and arg not in named:
            if arg.annotation is None or ast.unparse(arg.annotation) != "bool":
                return None
            given.append(f"{arg.arg}=False")
    spots = named or open_ones
    if not own or not spots or len(open_ones) > (0 if named else 1):
        return None
    return f"{fn.name}({', '.join(['ctx', *given, f'{spots[0].arg}={name}'])})"


def _takes(kind: str, value: Any) -> bool:
    if isinstance(value, dict):
        return kind.startswith(("dict", "Mapping", "Any", "Json"))
    if isinstance(value, list):
        return kind.startswith(("list", "Sequence", "Iterable", "Any"))
    return not kind.startswith(("dict", "Mapping", "list", "Sequence", "Iterable", "type", "Callable"))
