"""Repairs of answers: a column that the app's rows have and an answer should show."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from legoenv_mcp import registry, templates
from legoenv_mcp.controller import catalogue
from legoenv_mcp.evolve import source
from legoenv_mcp.evolve.fleet import Atom, Edit, Patch

Finding = Mapping[str, Any]
APART = ("capabilities", "seed", "fills")


@dataclass(frozen=True)
class Shown:
    """A dict literal that shows a row: in which function, by which variable, of which table's class."""

    module: source.Module
    function: str
    node: ast.Dict
    variable: str
    model: str

    @property
    def entries(self) -> dict[str, ast.expr]:
        pairs = zip(self.node.keys, self.node.values, strict=True)
        return {k.value: v for k, v in pairs if isinstance(k, ast.Constant) and isinstance(k.value, str)}

    @property
    def attributes(self) -> set[str]:
        return {
            n.attr
            for n in ast.walk(self.node)
            if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == self.variable
        }


def shown_rows(slug: str) -> Iterator[Shown]:
    """Every dict literal of an app's sources that shows a row."""
    models = {s.cls.__name__ for s in registry.load(slug).shapes.values()}
    for module in source.modules(slug):
        if any(word in module.path for word in APART):
            continue
        for fn in [n for n in ast.walk(module.tree) if isinstance(n, ast.FunctionDef)]:
            typed = _typed(fn, models)
            for node in [n for n in ast.walk(fn) if isinstance(n, ast.Dict) and len(n.keys) > 1]:
                names = Counter(
                    n.value.id
                    for n in ast.walk(node)
                    if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id != "ctx"
                )
                for variable, _ in names.most_common(1):
                    yield Shown(module, fn.name, node, variable, typed.get(variable, ""))


def _typed(fn: ast.FunctionDef, models: set[str]) -> dict[str, str]:
    """Variables of a function whose table's class its annotations or look-ups tell."""
    found = dict[str, str]()
    for arg in (*fn.args.args, *fn.args.kwonlyargs):
        names = (
            {n.id for n in ast.walk(arg.annotation) if isinstance(n, ast.Name)} & models
            if arg.annotation
            else set[str]()
        )
        if len(names) == 1:
            found[arg.arg] = names.pop()
    for node in ast.walk(fn):
        target = (
            node.targets[0]
            if isinstance(node, ast.Assign)
            else node.target
            if isinstance(node, (ast.For, ast.comprehension))
            else None
        )
        value = (
            node.value
            if isinstance(node, ast.Assign)
            else node.iter
            if isinstance(node, (ast.For, ast.comprehension))
            else None
        )
        if isinstance(target, ast.Name) and value is not None:
            names = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)} & models
            if len(names) == 1:
                found.setdefault(target.id, next(iter(names)))
    return found


def propose(finding: Finding) -> Iterator[Patch]:
    """The field that a plan looked for; else the columns that hold a value which nobody could read."""
    atom = Atom.named(finding["atom"])
    slug, (tool, _, name) = atom.id, finding["about"].partition(" ")
    app = registry.load(slug)
    columns = {s.cls.__name__: s for s in app.shapes.values()}
    rows = list(shown_rows(slug))
    near = _reached(slug, tool) if tool != "?" else set[str]()
    rows.sort(key=lambda r: (r.function not in near, r.model == ""))
    if name and name != "?":
        for row in rows:
            if name not in row.entries:
                yield from _named(atom, row, name, columns, rows)
        return
    holding = _holding(finding, slug)
    for row in rows:
        shape = columns.get(row.model)
        lacking = [c for c in shape.columns if c not in row.attributes] if shape else []
        for column in sorted(lacking, key=lambda c: (shape is None or (shape.table, c) not in holding, c)):
            if not holding or (shape is not None and (shape.table, column) in holding):
                key = _spelt(column, row)
                if key not in row.entries:
                    yield _patch(atom, row, key, f"{row.variable}.{column}")


def _reached(slug: str, tool: str) -> set[str]:
    """The functions that an operation's own may come to, by name."""
    bodies = {n.name: n for m in source.modules(slug) for n in ast.walk(m.tree) if isinstance(n, ast.FunctionDef)}
    one = source.declared(slug).get(tool)
    left, found = [one.name] if one else [], set[str]()
    while left:
        name = left.pop()
        if name in found or name not in bodies:
            continue
        found.add(name)
        left += [n.id for n in ast.walk(bodies[name]) if isinstance(n, ast.Name)]
        left += [n.attr for n in ast.walk(bodies[name]) if isinstance(n, ast.Attribute)]
    return found


def _named(atom: Atom, row: Shown, name: str, columns: Mapping[str, Any], rows: list[Shown]) -> Iterator[Patch]:
    shape = columns.get(row.model)
    wanted = _plain(name)
    same = [c for c in (shape.columns if shape else ()) if _plain(c) == wanted]
    close = [
        c
        for c in (shape.columns if shape else ())
        if c not in same and (_plain(c).startswith(wanted) or wanted.endswith(_plain(c)))
    ]
    for column in (*same, *close):
        yield _patch(atom, row, name, f"{row.variable}.{column}")
    for other in rows:  # as another answer shows it
        value = other.entries.get(name)
        if value is not None and other.node is not row.node:
            names = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)} - {"ctx"}
            if names == {other.variable}:
                yield _patch(atom, row, name, re.sub(rf"\b{other.variable}\b", row.variable, ast.unparse(value)))
            elif not names:
                yield _patch(atom, row, name, ast.unparse(value))


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _spelt(column: str, row: Shown) -> str:
    """The key under which an answer would show a column, as it shows the others."""
    pairs = [(k, v.attr) for k, v in row.entries.items() if isinstance(v, ast.Attribute)]
    if any(k != a and k == _camel(a) for k, a in pairs):
        return _camel(column)
    return column


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(w.capitalize() for w in rest)


def _holding(finding: Finding, slug: str) -> set[tuple[str, str]]:
    """The tables and columns that hold the values which nobody could read."""
    found, entries = set[tuple[str, str]](), catalogue.entries()
    for signal in finding["evidence"]:
        entry = entries.get(signal.get("environment", ""))
        lost = {str(v) for v in signal.get("lost", ())}
        if entry is None or not lost:
            continue
        template = templates.template(slug, entry.recipe.world)
        for table, shape in template.app.shapes.items():
            for raw in template.connection.execute(shape.select):
                for column, value in zip(shape.columns, raw, strict=True):
                    if value is not None and (str(value) in lost or any(len(v) > 3 and v in str(value) for v in lost)):
                        found.add((table, column))
    return found


def _patch(atom: Atom, row: Shown, key: str, expression: str) -> Patch:
    """The entry, first in the literal."""
    first = next(k for k in row.node.keys if k is not None) if row.node.keys[0] is not None else row.node.values[0]
    lines = list(row.module.lines)
    at = first.lineno - 1
    column = len(lines[at].encode()[: first.col_offset].decode())
    if row.node.keys[0] is None:
        column = lines[at].rfind("**", 0, column)
    lines[at] = f'{lines[at][:column]}"{key}": {expression}, {lines[at][column:]}'
    title = f"{row.function} in {row.module.path.partition('/')[2]} shows {key}"
    return Patch(atom, title, (Edit(row.module.path, "".join(lines)),), shape="field")
