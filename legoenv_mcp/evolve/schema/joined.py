"""Operations that one function of the app carries out for all the arguments at once: a file is made of a path and a text, a page is cut
from what fits."""

import ast
import copy
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from legoenv_mcp import registry
from legoenv_mcp.evolve.fleet import Patch
from legoenv_mcp.evolve.schema.assembled import IDLE, likeness, rows_of
from legoenv_mcp.evolve.schema.constants import plain
from legoenv_mcp.evolve.schema.declaring import annotation, declared_as, default
from legoenv_mcp.evolve.schema.documents import failing
from legoenv_mcp.evolve.schema.functions import Functions, Named, kind_of, returned, takes
from legoenv_mcp.evolve.schema.kinship import Kinship
from legoenv_mcp.evolve.schema.rows import keys, look_ups_of, row_of, tables
from legoenv_mcp.evolve.schema.wanted import Wanted, read_keys
from legoenv_mcp.evolve.schema.words import nouns, tokens
from legoenv_mcp.evolve.source import Declared, Module
from legoenv_mcp.kernel.rows import Shape

_FUNCTIONS, _CALLS, _SPREADS = 4, 4, 4
_SAID = 120
_DOCUMENT = r"dict|Mapping|Any|Json|object"


_Pair = tuple[ast.arg, str]
"""A parameter, and the argument that it is given."""


@dataclass(frozen=True)
class _Ground:
    """What there is to call functions with."""

    functions: Functions
    arguments: tuple[str, ...]
    """What is still to be carried out."""
    rows: Mapping[str, str]
    """Class -> how to come by a row of it."""
    kinship: Kinship


@dataclass(frozen=True)
class _Call:
    text: str
    names: Named
    needs: tuple[str, ...]
    """Arguments that it cannot do without."""
    score: float
    beside: tuple[str, ...] = ()
    """Parameters that it passes on though no caller gives them, as they are declared."""


def joined(wanted: Wanted) -> Iterator[Patch]:
    """With the row looked up, where there is one, and without; then the row is shown, or what a sibling answers."""
    functions = Functions(wanted)
    kinship = Kinship(functions)
    for found in itertools.islice(failing(wanted.finding), 1):
        for shape, key in itertools.product(tables(wanted)[:1], keys(wanted)[:1]):
            row = row_of(found, wanted, shape, key)
            if row is not None:
                have = {
                    kind: text for kind, (text, used) in rows_of(wanted, found, shape, key, row).items() if not used
                }
                ground = _Ground(functions, tuple(n for n in wanted.arguments if n != key), have, kinship)
                yield from _patches(wanted, ground, shape, key)
    yield from _patches(wanted, _Ground(functions, tuple(wanted.arguments), {}, kinship), None, "")


def _patches(wanted: Wanted, ground: _Ground, shape: Shape | None, key: str) -> Iterator[Patch]:
    look_ups, renderings = look_ups_of(wanted, shape) if shape else ([], [])
    before, own, answers = "", list[tuple[str, Module]](), list(itertools.islice(_answers(wanted), 2))
    if shape is not None:
        look_up = look_ups[0].call(key) if look_ups else f"ctx.require({shape.cls.__name__}, {key})"
        before, own = f"row = {look_up}\n", [(p.name, p.module) for p in look_ups[:1]]
        answers = [(p.call("row"), p.module) for p in renderings[:2]] or [("row", None)]
    writing = [(m, fn) for m, fn in ground.functions.every if fn.name in ground.functions.writing]
    for call in _ranked(wanted, ground, writing, _FUNCTIONS):
        sure = _as_called(wanted, call.needs, call.beside)
        for shown, first in answers:
            made = declared_as(
                sure,
                f"{before}{call.text}\nreturn {shown}",
                f"all at once by {_said(call)}",
                f"Changes a {' '.join(wanted.nouns) or 'thing'}.",
                returns="Any",
                own=[*own, *call.names],
                first=first,
            )
            if made is not None:
                yield made


def _said(call: _Call) -> str:
    text = call.text.replace("(ctx, ", "(")
    return text if len(text) < _SAID else f"{text[:_SAID]}..."


def _as_called(wanted: Wanted, needs: Sequence[str], beside: tuple[str, ...]) -> Wanted:
    given = frozenset(n for n in needs if all(n in c for c in wanted.calls))
    return replace(wanted, needed=given, beside=tuple(p for p in beside if p.partition(":")[0] not in wanted.arguments))


def joined_reads(wanted: Wanted) -> Iterator[Patch]:
    """What one function finds for all the arguments, shown as it is, or as the app shows such rows."""
    functions = Functions(wanted)
    kinship = Kinship(functions)
    reading = [
        (m, fn) for m, fn in functions.every if fn.name not in functions.writing and returned(fn) not in ("", *_SCALAR)
    ]
    for call in _ranked(wanted, _Ground(functions, tuple(wanted.arguments), {}, kinship), reading, 2)[: 2 * _CALLS]:
        kind = next(returned(fn) for m, fn in reading if (fn.name, m) == call.names[0])
        # What other reads do without, this one does, too.
        needs = [n for n in call.needs if default(wanted, n, annotation(wanted, n, wanted.arguments[n])) == "None"]
        sure = _as_called(wanted, needs, call.beside)
        for shown, own in itertools.islice(_shown(wanted, call.text, kind), 4):
            made = declared_as(
                sure,
                f"return {shown}",
                f"by {_said(call)}",
                f"Shows the {' '.join(wanted.nouns) or 'things'} that are asked for.",
                method="get",
                returns="Any",
                own=[*call.names, *own],
            )
            if made is not None:
                yield made


_SCALAR = ("str", "bool", "int", "float", "bytes", "None")


def _shown(wanted: Wanted, call: str, kind: str) -> Iterator[tuple[str, Named]]:
    """A call's result as the operation answers it: rows as the app renders them; as it is, or under the keys that callers look into."""
    many = re.fullmatch(r"(?:list|Sequence|Iterator|tuple)\[(\w+)(?:, \.\.\.)?\]", kind)
    shape = next(
        (s for s in registry.load(wanted.slug).shapes.values() if s.cls.__name__ == (many[1] if many else kind)), None
    )
    texts: list[tuple[str, Named]] = [(call, ())]
    if shape is not None:
        parts = look_ups_of(wanted, shape)[1][:2]
        texts = [
            (f"[{p.call('row')} for row in {call}]" if many else p.call(call), ((p.name, p.module),)) for p in parts
        ] or texts
    keys = read_keys(wanted.slug, wanted.tool)[:3] if many or shape or kind == "Any" else []
    for text, own in texts:
        wrapped = [f"{{{k!r}: {text}}}" for k in keys]
        yield from ((t, own) for t in ([*wrapped, text] if many else [text, *wrapped]))


def _ranked(wanted: Wanted, ground: _Ground, among: Sequence[tuple[Module, ast.FunctionDef]], most: int) -> list[_Call]:
    functions = ground.functions
    said = wanted.said()
    scored = [(likeness(fn, m, said) + (IDLE if functions.is_idle(m, fn) else 0), m, fn) for m, fn in among]
    calls = list[_Call]()
    for score, module, fn in sorted(scored, key=lambda w: -w[0]):
        calls += itertools.islice(_calls(ground, module, fn, score), _CALLS)
        if len(calls) >= most * _CALLS:
            break
    return sorted(calls, key=lambda c: -c.score)


def _calls(ground: _Ground, module: Module, fn: ast.FunctionDef, score: float) -> Iterator[_Call]:
    """The ways to call a function with all that callers give: each parameter a row, an argument of its name or kind; those that are left in
    a document, where it takes one, or for what may be left out."""
    args, left = [*fn.args.posonlyargs, *fn.args.args], list(ground.arguments)
    if not args or args[0].arg != "ctx" or any(d is None for d in fn.args.kw_defaults):
        return
    needed, optional = args[1 : len(args) - len(fn.args.defaults)], args[max(1, len(args) - len(fn.args.defaults)) :]
    fixed, pairs, free = list[str](), list[_Pair](), list[ast.arg]()
    for arg in (*needed, *optional, *fn.args.kwonlyargs):
        same = [n for n in left if plain(n) == plain(arg.arg)]
        if same:
            pairs.append((arg, same[0]))
            left.remove(same[0])
        elif kind_of(arg) in ground.rows and arg in needed:
            fixed.append(f"{arg.arg}={ground.rows[kind_of(arg)]}")
        else:
            free.append(arg)
    slots = [a for a in free if a in needed and not _spare(a)]
    if not (fixed or not ground.rows) or len(slots) > len(left) or not (pairs or slots):
        return
    akin = ground.kinship.akin
    spreads = sorted(
        itertools.permutations(left, len(slots)),
        key=lambda names: -sum(akin(n, fn, a) for a, n in zip(slots, names, strict=True)),
    )
    for names in spreads[:_SPREADS]:
        chosen, rest = [*pairs, *zip(slots, names, strict=True)], [n for n in left if n not in names]
        for more, document in _placed(ground, fn, rest, [a for a in free if a not in slots]):
            everything = [*chosen, *more]
            if all(takes(kind_of(a), ground.functions.wanted.arguments[n]) for a, n in everything):
                idle = [a for a in free if a is not document and a not in [p for p, _ in everything]]
                shown = {a.arg: one for a in idle if (one := ground.kinship.beside(fn, a)) is not None}
                filled = [
                    *fixed,
                    *(f"{name}={one.arg}" for name, one in shown.items()),
                    *(f"{a.arg}={_spare(a)}" for a in idle if a in needed and a.arg not in shown),
                ]
                beside = tuple(f"{ast.unparse(one)} = {ground.kinship.default(one)}" for one in shown.values())
                told = score + len(pairs) + sum(ground.kinship.akin(n, fn, a) for a, n in everything)
                for call in _filled(ground, (module, fn), filled, everything, document, rest, told):
                    yield replace(call, beside=beside)


def _spare(arg: ast.arg) -> str:
    """What stands for a needed parameter that callers say nothing of, where something may."""
    said = ast.unparse(arg.annotation) if arg.annotation else ""
    return "None" if said.endswith(" | None") else "False" if said == "bool" else ""


def _placed(
    ground: _Ground, fn: ast.FunctionDef, rest: list[str], spare: list[ast.arg]
) -> Iterator[tuple[list[_Pair], ast.arg | None]]:
    """The ways to pass on what no parameter is called after: one by one where the type fits, or all in one document."""
    if not rest:
        yield [], None
        return
    values = ground.functions.wanted.arguments
    typed = [a for a in spare if a.annotation is not None]
    akin = ground.kinship.akin
    spreads = sorted(
        itertools.permutations(typed, len(rest)),
        key=lambda args: -sum(akin(n, fn, a) for a, n in zip(args, rest, strict=True)),
    )
    for args in spreads[:_SPREADS]:
        if all(_holds(kind_of(a), values[n]) for a, n in zip(args, rest, strict=True)):
            yield list(zip(args, rest, strict=True)), None
    for document in [a for a in spare if re.match(_DOCUMENT, kind_of(a))]:
        yield [], document


def _holds(kind: str, value: Any) -> bool:
    """Whether a type is plainly that of a value."""
    name = type(value).__name__
    return kind == name or (isinstance(value, list) and kind.startswith("list["))


def _filled(
    ground: _Ground,
    function: tuple[Module, ast.FunctionDef],
    fixed: list[str],
    chosen: list[_Pair],
    document: ast.arg | None,
    rest: list[str],
    score: float,
) -> Iterator[_Call]:
    (module, fn), functions = function, ground.functions
    ways = [[s for s in functions.supplies(n, ground.rows) if functions.suits(s, kind_of(a))] for a, n in chosen]
    spots = [a.arg for a, _ in chosen]
    if document is not None:
        held = ", ".join(f"{n!r}: {n}" for n in rest)
        whole = f"{{name: value for name, value in {{{held}}}.items() if value is not None}}"
        ways.append(functions.as_document(whole))
        score -= 2.0
        spots.append(document.arg)
    exact = {id(s) for (a, _), some in zip(chosen, ways, strict=False) for s in some if s.kind and s.kind == kind_of(a)}
    for way in sorted(itertools.product(*ways), key=lambda w: -sum(s.score + (id(s) in exact) for s in w))[:_CALLS]:
        given = ", ".join([*fixed, *(f"{a}={s.text}" for a, s in zip(spots, way, strict=True))])
        names = ((fn.name, module), *(pair for s in way for pair in s.names))
        needs = tuple(n for a, n in chosen if not ast.unparse(a).endswith(" | None"))
        yield _Call(f"{fn.name}(ctx, {given})", names, needs, score + sum(s.score for s in way))


def _answers(wanted: Wanted) -> Iterator[tuple[str, Module | None]]:
    """In the form in which operations on such a thing answer, as far as that is made of the arguments alone; else the arguments."""
    found = [d for d in wanted.known.values() if d.method != "GET" and isinstance(d.node.body[-1], ast.Return)]
    for other in sorted(found, key=lambda d: not nouns(d.tool) & set(wanted.nouns)):
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


def _own(one: Declared, value: ast.expr) -> set[str]:
    """The names in an expression that are the operation's own: its parameters, what it has worked out."""
    bound = set(one.params) | {
        n.id for n in ast.walk(one.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    return {n.id for n in ast.walk(value) if isinstance(n, ast.Name) and n.id != "ctx"} & bound
