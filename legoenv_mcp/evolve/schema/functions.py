"""An app's own functions: which write, which no operation comes to, and what its operations make of an argument before they use it."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from legoenv_mcp.evolve import source
from legoenv_mcp.evolve.schema.declaring import bare, homes
from legoenv_mcp.evolve.schema.wanted import Wanted
from legoenv_mcp.evolve.source import Module

Named = tuple[tuple[str, Module], ...]
"""Functions by name, and where each is."""


@dataclass(frozen=True)
class Supply:
    """An expression that an argument becomes on its way to a function; the better the likelier."""

    text: str
    names: Named = ()
    kind: str = ""
    """The type it has, where that is known."""
    score: float = 0.0


class Functions:
    """The functions of an app that are no operations."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.modules = [m for m in homes(wanted) if m.dotted]

    @cached_property
    def every(self) -> list[tuple[Module, ast.FunctionDef]]:
        """Those of the resource's modules first."""
        return [
            (m, n) for m in self.modules for n in m.tree.body if isinstance(n, ast.FunctionDef) and not n.decorator_list
        ]

    @cached_property
    def writing(self) -> set[str]:
        """Those that write, themselves or through others, by name."""
        calls, found = dict[str, set[str]](), set[str]()
        for node in (n for m in source.modules(self.wanted.slug) for n in m.tree.body):
            if isinstance(node, ast.FunctionDef):
                text = ast.unparse(node)
                if re.search(r"\bdb\.(update|add|delete|delete_where|insert|put)\(", text):
                    found.add(node.name)
                calls.setdefault(node.name, set()).update(re.findall(r"\b(\w+)\(", text))
        while more := {n for n, called in calls.items() if n not in found and called & found}:
            found |= more
        return found

    def is_idle(self, module: Module, fn: ast.FunctionDef) -> bool:
        """Whether no operation comes to it: whatever used it is gone."""
        return (module.dotted[-1], fn.name) in self._idle

    @cached_property
    def _idle(self) -> set[tuple[str, str]]:
        uses, reached = dict[tuple[str, str], set[tuple[str, str]]](), set[tuple[str, str]]()
        for module in [m for m in source.modules(self.wanted.slug) if m.dotted]:
            whence = {
                alias.asname or alias.name: ((node.module or "").split(".")[-1], alias.name)
                for node in module.tree.body
                if isinstance(node, ast.ImportFrom)
                for alias in node.names
            }
            for top in module.tree.body:
                used = set[tuple[str, str]]()
                for node in ast.walk(top):
                    if isinstance(node, ast.Name):
                        used.add(whence.get(node.id, (module.dotted[-1], node.id)))
                    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                        used.add((whence.get(node.value.id, ("", node.value.id))[1], node.attr))
                if isinstance(top, ast.FunctionDef) and not top.decorator_list:
                    uses[module.dotted[-1], top.name] = used
                else:
                    reached |= used
        while more := {n for used in (uses[r] for r in reached if r in uses) for n in used} - reached:
            reached |= more
        return set(uses) - reached

    def supplies(self, name: str, rows: Mapping[str, str]) -> list[Supply]:
        """What an argument becomes before it is used, the likeliest first; the argument itself among it. `rows`: class -> how to come by a
        row of it."""
        value = self.wanted.arguments[name]
        found = [*self._by_idle(name, rows), *self._as_others(name), Supply(name, (), type(value).__name__)]
        if isinstance(value, str):
            found.append(Supply(f"{name}.encode()", (), "bytes", -1.0))
        return sorted(found, key=lambda s: -s.score)

    def _by_idle(self, name: str, rows: Mapping[str, str]) -> Iterator[Supply]:
        """By a function that writes nothing, that nothing else comes to, and that has one parameter left when rows are given."""
        for module, fn in self.every:
            args = [*fn.args.posonlyargs, *fn.args.args]
            if fn.name in self.writing or not self.is_idle(module, fn) or not args or args[0].arg != "ctx":
                continue
            given, left = ["ctx"], list[str]()
            for arg in args[1 : len(args) - len(fn.args.defaults)]:
                kind = kind_of(arg)
                if kind in rows:
                    given.append(rows[kind])
                else:
                    left.append(kind)
                    given.append(name)
            if len(left) == 1 and takes(left[0], self.wanted.arguments[name]) and fn.args.kw_defaults.count(None) == 0:
                yield Supply(f"{fn.name}({', '.join(given)})", ((fn.name, module),), returned(fn), 1.0)

    def as_document(self, text: str) -> list[Supply]:
        """What the app's operations make of a document of arguments, for this one; the document itself among it."""
        return [*self._conversions(text, lambda _: True, structured=True), Supply(text, (), "dict")]

    def _as_others(self, name: str) -> list[Supply]:
        """As the app's other operations do with an argument of this name."""
        structured = isinstance(self.wanted.arguments[name], (dict, list))
        return self._conversions(
            name,
            lambda given: name in _names(given) and (structured or isinstance(given, ast.Name)),
            structured=structured,
        )

    def _conversions(self, text: str, fits: Callable[[ast.expr], bool], *, structured: bool) -> list[Supply]:
        """The functions that write nothing and that operations call with a context and such a thing, or with it alone."""
        found = dict[str, Supply]()
        for other in self.wanted.known.values():
            calls = [n for n in ast.walk(other.node) if isinstance(n, ast.Call)]
            for call in [c for c in calls if 0 < len(c.args) < 3 and ast.unparse(c.func) not in self._answering]:
                if (
                    (len(call.args) == 2 and ast.unparse(call.args[0]) != "ctx")
                    or call.keywords
                    or not fits(call.args[-1])
                ):
                    continue
                for module, fn in self._called(call):
                    if fn.name in self.writing or (structured and not _reads_structure(fn)):
                        continue
                    made = f"{fn.name}({'ctx, ' if len(call.args) == 2 else ''}{text})"
                    held = found.get(made, Supply(made, ((fn.name, module),), returned(fn), 0.4))
                    found[made] = Supply(made, held.names, held.kind, min(1.5, held.score + 0.1))
        return sorted(found.values(), key=lambda s: -s.score)[:2]

    def suits(self, supply: Supply, kind: str) -> bool:
        """Whether what an argument becomes may be of the type of a parameter, as far as both are plain to see."""
        has, wants = ({self._head(k) for k in text.split(" | ")} for text in (supply.kind, kind))
        if "bytes" in has | wants:
            return has == wants
        known = _PLAIN | set(_ALIKE.values()) | self._classes
        return bool(has & wants) or not (has <= known and wants <= known)

    @staticmethod
    def _head(kind: str) -> str:
        head = kind.partition("[")[0]
        return _ALIKE.get(head, head)

    @cached_property
    def _classes(self) -> set[str]:
        return {n.name for m in source.modules(self.wanted.slug) for n in m.tree.body if isinstance(n, ast.ClassDef)}

    @cached_property
    def _answering(self) -> set[str]:
        """What operations make their answers with: it takes documents, but not those that are given."""
        returns = [n for d in self.wanted.known.values() for n in ast.walk(d.node) if isinstance(n, ast.Return)]
        return {ast.unparse(n.value.func) for n in returns if isinstance(n.value, ast.Call)}

    def _called(self, call: ast.Call) -> Iterator[tuple[Module, ast.FunctionDef]]:
        said = ast.unparse(call.func).split(".")
        for module, fn in self.every:
            if fn.name == said[-1] and (len(said) == 1 or (len(said) == 2 and module.dotted[-1] == said[0])):
                yield module, fn


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def kind_of(arg: ast.arg) -> str:
    """A parameter's type as it is written, without its being left out."""
    return bare(ast.unparse(arg.annotation)) if arg.annotation else ""


def returned(fn: ast.FunctionDef) -> str:
    """What a function answers, as it is written."""
    return ast.unparse(fn.returns) if fn.returns else ""


def takes(kind: str, value: Any) -> bool:
    """Whether a parameter of a type may take a value."""
    if isinstance(value, dict):
        return kind.startswith(("dict", "Mapping", "Any", "Json"))
    if isinstance(value, list):
        return kind.startswith(("list", "Sequence", "Iterable", "Any"))
    return not kind.startswith(("dict", "Mapping", "list", "Sequence", "Iterable", "type", "Callable"))


_PLAIN = {"str", "int", "float", "bool", "None"}
_ALIKE = {"dict": "dict", "Mapping": "dict", "list": "list", "Sequence": "list", "Iterable": "list"}


def _reads_structure(fn: ast.FunctionDef) -> bool:
    args = fn.args.args
    return len(args) > 1 and bool(re.match(r"dict|Mapping|list|Sequence|Any", kind_of(args[1])))
