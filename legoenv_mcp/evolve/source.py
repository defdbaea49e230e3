"""The sources of an app as text and syntax: where an operation is declared, what lies around it."""

import ast
import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from legoenv_mcp import registry
from legoenv_mcp.evolve import fleet

METHODS = ("get", "post", "put", "patch", "delete", "operation")


@dataclass(frozen=True)
class Module:
    """One source file of an app: `path` as patches name it."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines(keepends=True)

    @property
    def dotted(self) -> tuple[str, ...]:
        """Its place inside the app: ("tools", "deals")."""
        parts = Path(self.path).with_suffix("").parts[2:]
        return parts[:-1] if parts[-1] == "__init__" else parts

    def cut(self, node: ast.AST) -> str:
        """The module's text with a statement, its decorators and the blank lines after it replaced by nothing."""
        first, last = first_line(node), _last(node)
        while last < len(self.lines) and not self.lines[last].strip():
            last += 1
        return "".join(self.lines[: first - 1] + self.lines[last:])

    def replaced(self, node: ast.AST, text: str) -> str:
        """The module's text with a statement (decorators included) replaced."""
        return "".join([*self.lines[: first_line(node) - 1], text.rstrip("\n") + "\n", *self.lines[_last(node) :]])

    def segment(self, node: ast.AST) -> str:
        return "".join(self.lines[first_line(node) - 1 : _last(node)])


@dataclass(frozen=True)
class Declared:
    """An operation as its source declares it."""

    module: Module
    node: ast.FunctionDef
    call: ast.Call
    tool: str

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def method(self) -> str:
        verb = self.call.func.attr if isinstance(self.call.func, ast.Attribute) else ""
        if verb == "operation" and self.call.args and isinstance(self.call.args[0], ast.Constant):
            return str(self.call.args[0].value)
        return verb.upper()

    @property
    def path(self) -> str:
        at = 1 if isinstance(self.call.func, ast.Attribute) and self.call.func.attr == "operation" else 0
        node = self.call.args[at] if len(self.call.args) > at else None
        return str(node.value) if isinstance(node, ast.Constant) else ""

    @property
    def params(self) -> list[str]:
        return [a.arg for a in (*self.node.args.args, *self.node.args.kwonlyargs)][1:]


def first_line(node: ast.AST) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([getattr(node, "lineno", 1), *(d.lineno for d in decorators)])


def _last(node: ast.AST) -> int:
    return getattr(node, "end_lineno", None) or getattr(node, "lineno", 1)


def modules(slug: str) -> list[Module]:
    """Every Python module of an app, sorted by path."""
    root = registry.folder(slug)
    found = [p for p in sorted(root.rglob("*.py")) if "__pycache__" not in p.parts]
    return [Module(f"servers/{slug}/{p.relative_to(root).as_posix()}", p.read_text(encoding="utf-8")) for p in found]


def declared(slug: str) -> dict[str, Declared]:
    """The operations that are declared one function each, by tool; a later one that replaces hides the earlier."""
    found = dict[str, Declared]()
    for module in modules(slug):
        for node in module.tree.body:
            if isinstance(node, ast.FunctionDef):
                for call in node.decorator_list:
                    tool = _tool(call)
                    if tool:
                        found[tool] = Declared(module, node, call, tool)  # pyright: ignore[reportArgumentType]
    return found


def _tool(call: ast.expr) -> str:
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr not in METHODS:
        return ""
    word = next((k.value for k in call.keywords if k.arg == "tool"), None)
    return word.value if isinstance(word, ast.Constant) and isinstance(word.value, str) else ""


def defaults(node: ast.FunctionDef) -> dict[str, ast.expr]:
    """What a function's parameters are when they are left out."""
    placed = node.args.args[len(node.args.args) - len(node.args.defaults) :]
    found = {a.arg: d for a, d in zip(placed, node.args.defaults, strict=True)}
    named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    return found | {a.arg: d for a, d in named if d is not None}


def literals(annotation: ast.expr) -> list[ast.expr]:
    """The choices that a type lists."""
    for node in ast.walk(annotation):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal":
            return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    return []


_Node = TypeVar("_Node", bound=ast.AST)


def fixed(node: _Node, values: Mapping[str, ast.expr]) -> _Node:
    """A copy of syntax with what stands for some names in their place."""

    class Named(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            held = values.get(node.id) if isinstance(node.ctx, ast.Load) else None
            return node if held is None else copy.deepcopy(held)

    return ast.fix_missing_locations(Named().visit(copy.deepcopy(node)))


def mentions(slug: str, name: str) -> int:
    """How often an app's sources say a name."""
    return sum(len(re.findall(rf"\b{re.escape(name)}\b", m.text)) for m in modules(slug))


def atom_file(kind: str, name: str) -> str:
    """Where an atom lies, as patches name it. LookupError where there is none."""
    folder = fleet.FOLDERS[kind]
    for root in fleet.atoms_folders():
        for path in sorted((root / folder).rglob(f"{name}.toml")):
            return f"atoms_db/{path.relative_to(root).as_posix()}"
    raise LookupError(f"there is no {kind} {name!r}")


def world_files(world: str) -> list[str]:
    """The CSV files of a world, as patches name them."""
    root = fleet.where(f"atoms_db/worlds/{world}/world.toml").parent
    return [f"atoms_db/worlds/{world}/{p.relative_to(root).as_posix()}" for p in sorted(root.rglob("*.csv"))]
