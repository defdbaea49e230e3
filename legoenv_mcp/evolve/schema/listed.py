"""A list made of how one of its kind is found and shown: the sibling's steps before the look-up, then every row in place of the one."""

import ast
import re
from collections.abc import Iterator, Mapping

from legoenv_mcp import registry
from legoenv_mcp.evolve import source
from legoenv_mcp.evolve.fleet import Patch
from legoenv_mcp.evolve.schema.declaring import declared_as
from legoenv_mcp.evolve.schema.wanted import Wanted, read_keys
from legoenv_mcp.evolve.schema.words import nouns, plural
from legoenv_mcp.evolve.source import Declared
from legoenv_mcp.kernel.rows import Shape


def listed(wanted: Wanted) -> Iterator[Patch]:
    """Under each key that callers look into, and as a bare list."""
    if wanted.verb != "list" or not wanted.nouns:
        return
    alike = [d for d in wanted.known.values() if wanted.nouns[-1] in nouns(d.tool)]
    for other in sorted(alike, key=lambda d: (d.method != "GET", d.tool)):
        yield from _as_one(wanted, other)


def _as_one(wanted: Wanted, other: Declared) -> Iterator[Patch]:
    returns, defaults = _returns(wanted.slug), source.defaults(other.node)
    shapes = {s.cls.__name__: s for s in registry.load(wanted.slug).shapes.values()}
    lacking = {p for p in other.params if p.rstrip("_") not in wanted.arguments}
    key = lacking - defaults.keys()
    body = [source.fixed(s, {n: defaults[n] for n in lacking if n in defaults}) for s in other.node.body]
    last = body[-1]
    if len(key) != 1 or not isinstance(last, ast.Return) or last.value is None:
        return
    before, types = list[ast.stmt](), dict[str, str]()
    for statement in body[:-1]:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            continue
        target, kinds = statement.targets[0], returns.get(_callee(statement.value), [])
        if not _names(statement.value) & key:
            before.append(statement)
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            types |= {ast.unparse(n): k for n, k in zip(names, kinds, strict=False)}
        elif isinstance(target, ast.Name) and len(kinds) == 1 and kinds[0] in shapes:
            yield from _every(wanted, other, before, types, target.id, shapes[kinds[0]], last.value)
            return
    for call in [n for n in ast.walk(last.value) if isinstance(n, ast.Call)]:  # found and shown in one
        kinds = returns.get(_callee(call), [])
        if _names(call) & key and len(kinds) == 1 and kinds[0] in shapes:
            shown = ast.parse(ast.unparse(last.value).replace(ast.unparse(call), "one"), mode="eval").body
            yield from _every(wanted, other, before, types, "one", shapes[kinds[0]], shown)
            return


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _every(
    wanted: Wanted,
    other: Declared,
    before: list[ast.stmt],
    types: Mapping[str, str],
    row: str,
    shape: Shape,
    shown: ast.expr,
) -> Iterator[Patch]:
    conditions = dict[str, str]()
    for column in shape.columns:
        for name, kind in types.items():
            if re.sub(r"_?id$", "", column.lower()).replace("_", "") == kind.lower():
                conditions[column] = f"{name}.id"
        for argument in wanted.arguments:
            if column.replace("_", "").lower() == argument.replace("_", "").lower():
                conditions.setdefault(column, argument)
    given = "".join(f", {c}={v}" for c, v in conditions.items())
    if _names(shown) & {p for p in other.params if p.rstrip("_") not in wanted.arguments}:
        return
    items = f"[{ast.unparse(shown)} for {row} in ctx.db.find({shape.cls.__name__}{given})]"
    keys = dict.fromkeys([*read_keys(wanted.slug, wanted.tool), plural(wanted.nouns[-1])])
    for text in (*(f"{{{key!r}: {items}}}" for key in keys), items):
        body = "\n".join([*map(ast.unparse, before), f"return {text}"])
        made = declared_as(
            wanted,
            body,
            f"every one as {other.tool} shows it",
            f"Lists the {plural(wanted.nouns[-1])} that fit what is asked for.",
            method="get",
            returns="Any",
            first=other.module,
        )
        if made is not None:
            yield made


def _callee(call: ast.Call) -> str:
    return (
        call.func.id
        if isinstance(call.func, ast.Name)
        else call.func.attr
        if isinstance(call.func, ast.Attribute)
        else ""
    )


def _returns(slug: str) -> dict[str, list[str]]:
    """What the app's functions answer, by their names: the types of a pair one by one."""
    found = dict[str, list[str]]()
    for module in source.modules(slug):
        for node in module.tree.body:
            if isinstance(node, ast.FunctionDef) and node.returns is not None:
                text = ast.unparse(node.returns)
                pair = re.fullmatch(r"tuple\[(.+)\]", text)
                found.setdefault(node.name, [t.strip() for t in pair[1].split(",")] if pair else [text])
    return found
