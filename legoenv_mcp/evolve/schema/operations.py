"""Repairs of apps: an operation that is not there, derived from its siblings.

In this order: the like operation of another resource, in this one's words; a look at the resource without the write that follows it; what
broader or bulk operations, or the app's own functions, already do, called from within; the app's own look-ups and renderings over its
tables (rows.py).
"""

import ast
import copy
import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from legoenv_mcp.evolve import source
from legoenv_mcp.evolve.fleet import Atom, Patch
from legoenv_mcp.evolve.schema import evolved, rows
from legoenv_mcp.evolve.schema.assembled import assembled
from legoenv_mcp.evolve.schema.declaring import declared_as, homes
from legoenv_mcp.evolve.schema.joined import joined, joined_reads
from legoenv_mcp.evolve.schema.listed import listed
from legoenv_mcp.evolve.schema.own import through_own
from legoenv_mcp.evolve.schema.through import through_bulk, through_others
from legoenv_mcp.evolve.schema.wanted import Wanted, called
from legoenv_mcp.evolve.schema.words import VERBS, is_plural, nouns, plural, singular, tokens
from legoenv_mcp.evolve.source import Declared

Finding = Mapping[str, Any]
READS = ("get", "list")


def propose(finding: Finding) -> Iterator[Patch]:
    slug = Atom.named(finding["atom"]).id
    calls = [s["arguments"] for s in finding["evidence"] if s.get("tool") == finding["about"]]
    wanted = Wanted(
        slug, finding["about"], [*calls, *called(slug, finding["about"], calls)], finding, source.declared(slug)
    )
    if wanted.verb in READS:
        ways = [
            joined_reads(wanted),
            _clones(wanted),
            _without_writes(wanted),
            listed(wanted),
            rows.reads(wanted),
            through_others(wanted),
        ]
    else:
        ways = [
            _clones(wanted),
            _as_siblings(wanted),
            through_bulk(wanted),
            through_own(wanted),
            joined(wanted),
            assembled(wanted),
            rows.writes(wanted),
        ]
    # In turn, so that no way of deriving an operation crowds the others out.
    for found in itertools.zip_longest(*ways):
        yield from (patch for patch in found if patch is not None)


# The like operation of another resource


def _clones(wanted: Wanted) -> Iterator[Patch]:
    if not wanted.nouns:
        return
    mine = wanted.nouns[-1]
    for other in _like(wanted):
        theirs = [singular(w) for w in tokens(other.tool) if w not in VERBS]
        for noun in dict.fromkeys([*theirs[::-1]]):
            if noun == mine or noun not in other.module.segment(other.node).lower():
                continue
            made = _renamed(wanted, other, noun, mine)
            if made is not None:
                yield made


def _like(wanted: Wanted) -> list[Declared]:
    """Operations of the same verb, those whose parameters are most alike first."""
    found = list[tuple[int, str, Declared]]()
    for tool, one in wanted.known.items():
        words = tokens(tool)
        verb = (
            "list"
            if words[:1] == ["get"] and is_plural(words[-1])
            else next((VERBS[w] for w in words if w in VERBS), "")
        )
        if verb == wanted.verb:
            missing = len(wanted.always - {p.rstrip("_") for p in one.params})
            shared = len(set(wanted.nouns) & nouns(words))
            found.append((2 * missing - 3 * shared + abs(len(one.params) - len(wanted.arguments)), tool, one))
    return [one for _, _, one in sorted(found, key=lambda f: f[:2])][:8]


def _renamed(wanted: Wanted, other: Declared, theirs: str, mine: str) -> Patch | None:
    """Another's source with one noun for the other in every spelling."""
    text = other.module.segment(other.node)
    pairs = [(plural(theirs), plural(mine)), (theirs, mine)]
    for old, new in pairs:
        text = re.sub(rf"(?<![a-z]){old}(?![a-z])", new, text)
        text = re.sub(rf"(?<![A-Za-z]){old.capitalize()}(?![a-z])", new.capitalize(), text)
        text = re.sub(rf"(?<=[a-z]){old.capitalize()}(?![a-z])", new.capitalize(), text)
        text = text.replace(old.upper(), new.upper())
    try:
        function = ast.parse(text).body[0]
    except SyntaxError:
        return None
    if not isinstance(function, ast.FunctionDef) or not isinstance(function.decorator_list[0], ast.Call):
        return None
    call = function.decorator_list[0]
    for word in call.keywords:
        if word.arg == "tool":
            word.value = ast.Constant(wanted.tool)
    function.name = wanted.name
    params = [a.arg.rstrip("_") for a in (*function.args.args, *function.args.kwonlyargs)][1:]
    for name in wanted.arguments:
        if name not in params:
            return None
    how = f"as {other.tool} does it"
    places = [*homes(wanted)[:3], other.module, *homes(wanted)]
    return evolved.patch(
        wanted.slug, wanted.tool, function, places, f"{wanted.tool}, {how}", "operation", wanted.why(how)
    )


# A sibling that does it for other arguments


def _as_siblings(wanted: Wanted) -> Iterator[Patch]:
    """The body of another operation on the resource, under this one's parameters: what it takes beside them is as when it is left out, or
    one of its choices."""
    for other in sorted(wanted.known.values(), key=lambda d: -len(set(d.params) & set(wanted.arguments))):
        if (
            other.method == "GET"
            or not wanted.nouns
            or wanted.nouns[-1] not in nouns(other.tool)
            or other.method == "DELETE"
        ):
            continue
        if not wanted.always <= {p.rstrip("_") for p in other.params}:
            continue
        for how, fixed in _fixed(wanted, other):
            body = [source.fixed(statement, fixed) for statement in other.node.body]
            text = "\n".join(
                ast.unparse(s) for s in body if not isinstance(s, ast.Expr) or not isinstance(s.value, ast.Constant)
            )
            made = declared_as(
                wanted,
                text,
                f"as {other.tool} does it{how}",
                f"Changes a {wanted.nouns[-1]}, and shows it as it is then.",
                returns="Any",
                first=other.module,
                like=other,
            )
            if made is not None:
                yield made


def _fixed(wanted: Wanted, other: Declared) -> Iterator[tuple[str, dict[str, ast.expr]]]:
    """What stands for the parameters of another operation that this one has not."""
    fixed, choices = dict[str, ast.expr](), list[tuple[str, list[ast.expr]]]()
    defaults = source.defaults(other.node)
    for arg in (*other.node.args.args[1:], *other.node.args.kwonlyargs):
        if arg.arg.rstrip("_") in wanted.arguments:
            continue
        if arg.arg in defaults:
            fixed[arg.arg] = defaults[arg.arg]
        elif arg.annotation is not None and (literals := source.literals(arg.annotation)):
            choices.append((arg.arg, literals))
        else:
            return
    if not choices:
        yield "", fixed
    elif len(choices) == 1:
        name, literals = choices[0]
        for one in literals:
            yield f", {name} {ast.unparse(one)}", {**fixed, name: one}


# A look at the resource without the write


_WRITES = re.compile(r"\.(update|add|delete|delete_where)\(|\bemit\(|\bnote\(|\bwrite\(|changed\(")


def _without_writes(wanted: Wanted) -> Iterator[Patch]:
    if wanted.verb != "get":
        return
    for other in wanted.known.values():
        if (
            other.method == "GET"
            or not wanted.nouns
            or wanted.nouns[-1] not in nouns(other.tool)
            or not wanted.always <= {p.rstrip("_") for p in other.params}
        ):
            continue
        kept = [s for s in other.node.body[:-1] if not _WRITES.search(ast.unparse(s)) and not isinstance(s, ast.Expr)]
        kept = [s for s in kept if isinstance(s, ast.Assign)]
        last = copy.deepcopy(other.node.body[-1])
        if not kept or not isinstance(last, ast.Return):
            continue
        body = "\n".join(ast.unparse(s) for s in (*kept, last))
        made = declared_as(
            wanted,
            body,
            f"as {other.tool} finds and shows it",
            f"Shows a {wanted.nouns[-1]}, told by its id.",
            method="get",
            path=_free(wanted, other),
        )
        if made is not None:
            yield made


def _free(wanted: Wanted, other: Declared) -> str:
    taken = {(d.method, d.path) for d in wanted.known.values()}
    held = set(re.findall(r"\{(\w+)", other.path))
    return other.path if held <= wanted.always and ("GET", other.path) not in taken else ""
