"""Repairs of signatures: a parameter or a choice that an operation lacks, worked in as the app works in the others."""

import ast
import copy
import re
from collections.abc import Iterator, Mapping
from typing import Any

from legoenv_mcp.evolve import source
from legoenv_mcp.evolve.fleet import Atom, Edit, Patch
from legoenv_mcp.evolve.schema import evolved
from legoenv_mcp.evolve.schema.weave import ways
from legoenv_mcp.evolve.source import Declared

Finding = Mapping[str, Any]


def choice(finding: Finding) -> Iterator[Patch]:
    """The choice is added where the parameter's type lists them: in the signature, in the alias or the model that it names."""
    atom = Atom.named(finding["atom"])
    signal = finding["evidence"][0]
    if not isinstance(signal.get("value"), str) or signal.get("tool") is None:
        return
    one = source.declared(atom.id).get(signal["tool"])
    names = [p for p in signal["path"] if not p.isdigit()]
    said = signal["value"]
    if one is not None:
        aliases = set[str]()
        for arg in (*one.node.args.args, *one.node.args.kwonlyargs):
            if arg.annotation is not None and arg.arg.rstrip("_") == names[0]:
                aliases |= {n.id for n in ast.walk(arg.annotation) if isinstance(n, ast.Name)}
                yield from _literals(
                    atom, one.module, arg.annotation, said, f"{one.tool}: {names[0]} may be {said}", one.tool
                )
        for module in source.modules(atom.id):
            for node in module.tree.body:
                if isinstance(node, ast.Assign) and any(
                    isinstance(t, ast.Name) and t.id in aliases for t in node.targets
                ):
                    yield from _literals(
                        atom, module, node.value, said, f"{ast.unparse(node.targets[0])} may be {said}", one.tool
                    )
                if isinstance(node, ast.ClassDef) and len(names) > 1:
                    for field in [
                        f for f in node.body if isinstance(f, ast.AnnAssign) and ast.unparse(f.target) == names[-1]
                    ]:
                        yield from _literals(
                            atom, module, field.annotation, said, f"{node.name}.{names[-1]} may be {said}", one.tool
                        )


def _literals(
    atom: Atom, module: source.Module, within: ast.expr, value: str, title: str, tool: str
) -> Iterator[Patch]:
    for node in ast.walk(within):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal":
            lines = list(module.lines)
            at = node.slice.lineno - 1
            column = len(lines[at].encode()[: node.slice.col_offset].decode())
            lines[at] = f'{lines[at][:column]}"{value}", {lines[at][column:]}'
            yield Patch(atom, title, (Edit(module.path, "".join(lines)),), tool=tool, shape="choice")


def broken(finding: Finding) -> Iterator[Patch]:
    """What an operation refuses is mended by no schema: it is left to a model."""
    yield from ()


def missing(finding: Finding) -> Iterator[Patch]:
    """The parameter, in every way in which the app's own operations work one in."""
    atom = Atom.named(finding["atom"])
    signal = finding["evidence"][0]
    slug, tool, path = atom.id, signal["tool"], signal["path"]
    known = source.declared(slug)
    one = known.get(tool)
    if one is None or not path:
        return
    if len(path) > 1:
        yield from _in_a_model(atom, one, path)
        return
    name = path[0]
    value = signal["arguments"].get(name)
    for how, node in ways(slug, one, known, name, value):
        made = _documented(node, name)
        why = f"{tool} takes `{name}`, {how}: {len(finding['environments'])} environments ask for it, as {signal['environment']} does."
        patch = _replacing(slug, one, made, name, how, why, known)
        if patch is not None:
            yield patch


def _replacing(
    slug: str, one: Declared, node: ast.FunctionDef, name: str, how: str, why: str, known: Mapping[str, Declared]
) -> Patch | None:
    """The operation with the parameter: in its own place if evolution made it, else as a file that replaces it."""
    title = f"{one.tool} takes {name}, {how}"
    homes = [one.module, *(d.module for d in known.values() if d.module.path != one.module.path)]
    call = copy.deepcopy(one.call)
    if not any(k.arg == "replaces" for k in call.keywords):
        call.keywords.append(ast.keyword("replaces", ast.Constant(True)))
    node.decorator_list = [call]
    return evolved.patch(slug, one.tool, ast.fix_missing_locations(node), homes, title, "parameter", why)


def _documented(node: ast.FunctionDef, name: str) -> ast.FunctionDef:
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        text = first.value.value.rstrip()
        if f"\n    {name}:" not in text:
            gap = "\n\n    " if not re.search(r"\n    \w+: ", text) else "\n    "
            first.value.value = f"{text}{gap}{name}: The {name.replace('_', ' ')}.\n    "
    return node


def _in_a_model(atom: Atom, one: Declared, path: list[str]) -> Iterator[Patch]:
    """A field of a structured parameter: added to the class that describes it."""
    head, last = path[0], path[-1]
    arg = next((a for a in (*one.node.args.args, *one.node.args.kwonlyargs) if a.arg.rstrip("_") == head), None)
    if arg is None or arg.annotation is None:
        return
    names = {n.id for n in ast.walk(arg.annotation) if isinstance(n, ast.Name)}
    for module in source.modules(atom.id):
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and node.name in names:
                fields = [f for f in node.body if isinstance(f, ast.AnnAssign)]
                if fields:
                    line = module.lines[fields[-1].lineno - 1]
                    total = any(k.arg == "total" for k in node.keywords)
                    text = f"    {last}: Any\n" if total else f"    {last}: Any = None\n"
                    lines = [
                        *module.lines[: (fields[-1].end_lineno or 1)],
                        text,
                        *module.lines[(fields[-1].end_lineno or 1) :],
                    ]
                    yield Patch(
                        atom,
                        f"{node.name} has {last}",
                        (Edit(module.path, "".join(lines)),),
                        tool=one.tool,
                        shape=line and "parameter",
                    )
