"""Parameters that mean the same: what operations and functions pass on to the same parameter of the same function."""

import ast
from collections.abc import Iterator
from functools import cached_property

from legoenv_mcp.evolve import source
from legoenv_mcp.evolve.schema.functions import Functions, kind_of

Sink = tuple[str, str]
"""A function and its parameter."""


class Kinship:
    """What an app's other operations tell about the parameters of its functions."""

    def __init__(self, functions: Functions) -> None:
        self.functions = functions
        self.operations = [d.node for d in functions.wanted.known.values()]

    def akin(self, name: str, fn: ast.FunctionDef, arg: ast.arg) -> bool:
        """Whether an argument of this name goes, in other operations, where the function's parameter goes."""
        ends = self._sinks(fn, arg.arg)
        return bool(ends) and any(ends & self._sinks(op, name) for op in self.operations)

    def beside(self, fn: ast.FunctionDef, arg: ast.arg) -> ast.arg | None:
        """The parameter that other operations have for what a function takes: of its name, or passed on to where it is passed on, of its
        type. None where there is none that may be left out."""
        ends = self._sinks(fn, arg.arg)
        by_name, by_end = list[ast.arg](), list[ast.arg]()
        for op in self.operations:
            held = source.defaults(op)
            for one in [a for a in _args(op) if isinstance(held.get(a.arg), ast.Constant)]:
                if kind_of(one) == kind_of(arg) and kind_of(one):
                    if one.arg == arg.arg:
                        by_name.append(one)
                    elif ends & self._sinks(op, one.arg):
                        by_end.append(one)
        return next(iter([*by_name, *by_end]), None)

    def default(self, one: ast.arg) -> str:
        """What operations that have such a parameter make of its being left out."""
        for op in self.operations:
            if one in _args(op):
                return ast.unparse(source.defaults(op)[one.arg])
        return "None"

    def _sinks(self, fn: ast.FunctionDef, name: str) -> set[Sink]:
        return {sink for said, sink in self._passed(fn) if said == name}

    def _passed(self, fn: ast.FunctionDef) -> Iterator[tuple[str, Sink]]:
        """What a function passes on as it is, and where."""
        for call in [n for n in ast.walk(fn) if isinstance(n, ast.Call)]:
            called = ast.unparse(call.func).rpartition(".")[2]
            if (taken := self._parameters.get(called)) is None:
                continue
            for place, value in zip(taken, call.args, strict=False):
                if isinstance(value, ast.Name):
                    yield value.id, (called, place)
            for word in call.keywords:
                if word.arg and isinstance(word.value, ast.Name):
                    yield word.value.id, (called, word.arg)

    @cached_property
    def _parameters(self) -> dict[str, list[str]]:
        """Function -> its parameters in order. Of several of a name, none: it is not plain which is meant."""
        found, several = dict[str, list[str]](), set[str]()
        for _, fn in self.functions.every:
            if fn.name in found:
                several.add(fn.name)
            found[fn.name] = [a.arg for a in _args(fn)]
        return {name: taken for name, taken in found.items() if name not in several}


def _args(fn: ast.FunctionDef) -> list[ast.arg]:
    return [*fn.args.posonlyargs, *fn.args.args, *fn.args.kwonlyargs]
