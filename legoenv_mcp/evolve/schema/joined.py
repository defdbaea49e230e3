"""Changes that one function of the app makes from several arguments at once: a file of a path and a text, a message in a channel."""

import ast
import copy
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from legoenv_mcp.evolve.fleet import Patch
from legoenv_mcp.evolve.schema.assembled import IDLE, likeness, rows_of
from legoenv_mcp.evolve.schema.constants import plain
from legoenv_mcp.evolve.schema.documents import failing
from legoenv_mcp.evolve.schema.functions import Functions, Named, kind_of, suits, takes
from legoenv_mcp.evolve.schema.rows import keys, look_ups_of, row_of, tables
from legoenv_mcp.evolve.schema.wanted import Wanted, declared_as, singular, tokens
from legoenv_mcp.evolve.source import Declared, Module
from legoenv_mcp.kernel.rows import Shape

_FUNCTIONS, _CALLS, _SPREADS = 4, 4, 4
_DOCUMENT = r"dict|Mapping|Any|Json|object"


@dataclass(frozen=True)
class _Ground:
    """What there is to call functions with."""

    functions: Functions
    arguments: tuple[str, ...]
    """What is still to be carried out."""
    rows: Mapping[str, str]
    """Class -> how to come by a row of it."""


@dataclass(frozen=True)
class _Call:
    text: str
    names: Named
    needs: tuple[str, ...]
    """Arguments that it cannot do without."""
    score: float


def joined(wanted: Wanted) -> Iterator[Patch]:
    """With the row looked up, where there is one, and without; then the row is shown, or what a sibling answers."""
    functions = Functions(wanted)
    for found in itertools.islice(failing(wanted.finding), 1):
        for shape, key in itertools.product(tables(wanted)[:1], keys(wanted)[:1]):
            row = row_of(found, wanted, shape, key)
            if row is not None:
                have = {
                    kind: text for kind, (text, used) in rows_of(wanted, found, shape, key, row).items() if not used
                }
                ground = _Ground(functions, tuple(n for n in wanted.arguments if n != key), have)
                yield from _patches(wanted, ground, shape, key)
    yield from _patches(wanted, _Ground(functions, tuple(wanted.arguments), {}), None, "")


def _patches(wanted: Wanted, ground: _Ground, shape: Shape | None, key: str) -> Iterator[Patch]:
    look_ups, renderings = look_ups_of(wanted, shape) if shape else ([], [])
    before, own, answers = "", list[tuple[str, Module]](), list(itertools.islice(_answers(wanted), 2))
    if shape is not None:
        look_up = look_ups[0].call(key) if look_ups else f"ctx.require({shape.cls.__name__}, {key})"
        before, own = f"row = {look_up}\n", [(p.name, p.module) for p in look_ups[:1]]
        answers = [(p.call("row"), p.module) for p in renderings[:2]] or [("row", None)]
    for call in _ranked(wanted, ground):
        sure = replace(wanted, needed=frozenset(n for n in call.needs if all(n in c for c in wanted.calls)))
        for shown, first in answers:
            made = declared_as(
                sure,
                f"{before}{call.text}\nreturn {shown}",
                f"by {call.text.partition('(')[0]}, all at once",
                f"Changes a {' '.join(wanted.nouns) or 'thing'}.",
                returns="Any",
                own=[*own, *call.names],
                first=first,
            )
            if made is not None:
                yield made


def _ranked(wanted: Wanted, ground: _Ground) -> list[_Call]:
    functions = ground.functions
    said = {w for s in wanted.finding["evidence"] for w in tokens(str(s.get("verb", "")))} | set(tokens(wanted.tool))
    writing = [
        (likeness(fn, m, said) + (IDLE if functions.is_idle(m, fn) else 0), m, fn)
        for m, fn in functions.every
        if fn.name in functions.writing
    ]
    calls = list[_Call]()
    for score, module, fn in sorted(writing, key=lambda w: -w[0]):
        calls += itertools.islice(_calls(ground, module, fn, score), _CALLS)
        if len(calls) >= _FUNCTIONS * _CALLS:
            break
    return sorted(calls, key=lambda c: -c.score)


def _calls(ground: _Ground, module: Module, fn: ast.FunctionDef, score: float) -> Iterator[_Call]:
    """The ways to call a function with all that callers give: each parameter a row, an argument of its name or kind; those that are left in
    a document, where it takes one."""
    args, left = [*fn.args.posonlyargs, *fn.args.args], list(ground.arguments)
    if not args or args[0].arg != "ctx" or any(d is None for d in fn.args.kw_defaults):
        return
    needed, optional = args[1 : len(args) - len(fn.args.defaults)], args[max(1, len(args) - len(fn.args.defaults)) :]
    fixed, pairs, free = list[str](), list[tuple[ast.arg, str]](), list[ast.arg]()
    for arg in (*needed, *optional, *fn.args.kwonlyargs):
        same = [n for n in left if plain(n) == plain(arg.arg)]
        if same:
            pairs.append((arg, same[0]))
            left.remove(same[0])
        elif kind_of(arg) in ground.rows and arg in needed:
            fixed.append(f"{arg.arg}={ground.rows[kind_of(arg)]}")
        elif arg in needed:
            free.append(arg)
    rows_taken = bool(fixed) or not ground.rows
    if not rows_taken or not (pairs or len(left) > 1) or len(free) > len(left):
        return
    documents = [a for a in (*needed, *optional) if a not in [p for p, _ in pairs] and re.match(_DOCUMENT, kind_of(a))]
    for names in itertools.islice(itertools.permutations(left, len(free)), _SPREADS):
        chosen = [*pairs, *zip(free, names, strict=True)]
        rest = [n for n in left if n not in names]
        if not all(takes(kind_of(a), ground.functions.wanted.arguments[n]) for a, n in chosen):
            continue
        for document in documents if rest else [None]:
            if document not in free:
                yield from _filled(ground, (module, fn), fixed, chosen, document, rest, score + len(pairs))


def _filled(
    ground: _Ground,
    function: tuple[Module, ast.FunctionDef],
    fixed: list[str],
    chosen: list[tuple[ast.arg, str]],
    document: ast.arg | None,
    rest: list[str],
    score: float,
) -> Iterator[_Call]:
    (module, fn), functions = function, ground.functions
    ways = [[s for s in functions.supplies(n, ground.rows) if suits(s, kind_of(a))] for a, n in chosen]
    spots = [a.arg for a, _ in chosen]
    if document is not None:
        held = ", ".join(f"{n!r}: {n}" for n in rest)
        whole = f"{{name: value for name, value in {{{held}}}.items() if value is not None}}"
        ways.append(functions.as_document(whole))
        spots.append(document.arg)
    for way in sorted(itertools.product(*ways), key=lambda w: -sum(s.score for s in w))[:_CALLS]:
        given = ", ".join([*fixed, *(f"{a}={s.text}" for a, s in zip(spots, way, strict=True))])
        names = ((fn.name, module), *(pair for s in way for pair in s.names))
        needs = tuple(n for _, n in chosen)
        yield _Call(f"{fn.name}(ctx, {given})", names, needs, score + sum(s.score for s in way))


def _answers(wanted: Wanted) -> Iterator[tuple[str, Module | None]]:
    """In the form in which operations on such a thing answer, as far as that is made of the arguments alone; else the arguments."""
    found = [d for d in wanted.known.values() if d.method != "GET" and isinstance(d.node.body[-1], ast.Return)]
    for other in sorted(found, key=lambda d: not _nouns(d) & set(wanted.nouns)):
        last = other.node.body[-1]
        assert isinstance(last, ast.Return)
        if last.value is not None and (used := _own(other, last.value)) and used <= set(wanted.arguments):
            yield ast.unparse(_Reworded(wanted).visit(copy.deepcopy(last.value))), other.module
    yield "{" + ", ".join(f"{n!r}: {n}" for n in wanted.arguments) + "}", None


class _Reworded(ast.NodeTransformer):
    """What a sibling says of an argument is said of what was done here."""

    def __init__(self, wanted: Wanted) -> None:
        self.done = " ".join(tokens(wanted.tool))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        said = [v for v in node.values if isinstance(v, ast.FormattedValue)]
        return ast.JoinedStr([ast.Constant(f"Done ({self.done}): "), said[0]]) if said else node


def _nouns(one: Declared) -> set[str]:
    return {singular(w) for w in tokens(one.tool)}


def _own(one: Declared, value: ast.expr) -> set[str]:
    """The names in an expression that are the operation's own: its parameters, what it has worked out."""
    bound = set(one.params) | {
        n.id for n in ast.walk(one.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    return {n.id for n in ast.walk(value) if isinstance(n, ast.Name) and n.id != "ctx"} & bound
