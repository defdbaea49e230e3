"""A constant that an operation passes on becomes its parameter: what was fixed is what it is when the parameter is left out."""

import ast
import copy
import re
from collections.abc import Iterator, Sequence
from typing import Any

Way = tuple[str, ast.FunctionDef]
_MOST = 14


def made_of_constants(
    bare: ast.FunctionDef, name: str, value: Any, alike: Sequence[ast.FunctionDef] = ()
) -> Iterator[Way]:
    """`bare` with the parameter, its last, in place of constants that its body says: those passed on where operations that have the
    parameter (`alike`) pass it on, those said beside its name, all of one value, each alone."""
    own, default = bare.args.args[-1].arg, ast.unparse(bare.args.defaults[-1])
    spots = [(at, *spot) for at, spot in enumerate(_spots(bare)) if _could_be(spot[0], value)]
    if not spots:
        return
    beside = [at for at, _, words in spots if plain(name) in words]
    # What stands for "nothing" first: a figure or a word that happens to be there is seldom what a caller wants to say.
    values = sorted(dict.fromkeys(ast.unparse(node) for _, node, _ in spots), key=lambda v: v not in _NOTHING)
    ends = {place for other in alike for node, place in _passed(other) if ast.unparse(node) == name}
    same = {id(node) for node, place in _passed(bare) if place in ends}
    ways = [(f"where others pass {name} on", [at for at, node, _ in spots if id(node) in same])]
    ways += [(f"where it says so of {name}", beside)] if beside else []
    ways += [(f"in place of {v}", [at for at, node, _ in spots if ast.unparse(node) == v]) for v in values[:1]]
    ways += [("wherever it says nothing", [at for at, node, _ in spots if ast.unparse(node) in _NOTHING])]
    ways += [(f"in place of {v}", [at for at, node, _ in spots if ast.unparse(node) == v]) for v in values[1:]]
    ways += [(f"in place of one {ast.unparse(node)}", [at]) for at, node, _ in spots]
    done = list[list[int]]()
    for how, places in ways:
        if places and places not in done and len(done) < _MOST:
            done.append(places)
            yield how, _with(bare, places, own, default)


def _passed(function: ast.FunctionDef) -> Iterator[tuple[ast.expr, tuple[str, int | str]]]:
    """What a function passes on, each with the function that it calls and the place there."""
    for call in [n for n in ast.walk(function) if isinstance(n, ast.Call)]:
        called = ast.unparse(call.func).rpartition(".")[2]
        yield from ((node, (called, at)) for at, node in enumerate(call.args))
        yield from ((k.value, (called, k.arg)) for k in call.keywords if k.arg)


_NOTHING = ("None", "MISSING", "''", "[]", "{}", "False")


def _with(bare: ast.FunctionDef, places: list[int], own: str, default: str) -> ast.FunctionDef:
    made = copy.deepcopy(bare)
    chosen = {id(node) for at, (node, _) in enumerate(_spots(made)) if at in places}

    class Named(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> Any:
            if id(node) not in chosen:
                return self.generic_visit(node)
            fixed = ast.unparse(node)
            text = own if fixed == default else f"{fixed} if {own} is {default} else {own}"
            return ast.parse(text, mode="eval").body

    made.body = [Named().visit(statement) for statement in made.body]
    return ast.fix_missing_locations(made)


def _spots(function: ast.FunctionDef) -> list[tuple[ast.expr, frozenset[str]]]:
    """The constants of a body that stand for a value, in order, each with the words beside it: the key, the keyword, the other words of
    the call. What compares, indexes, annotates or documents is none."""
    found = list[tuple[ast.expr, frozenset[str]]]()

    def go(node: ast.AST, words: frozenset[str]) -> None:
        if isinstance(node, ast.expr) and _is_fixed(node):
            found.append((node, words))
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                go(value, frozenset(_text(key)))
        elif isinstance(node, ast.Call):
            said = frozenset(w for a in node.args for w in _text(a))
            go(node.func, frozenset())
            for one in node.args:
                go(one, words | said)
            for keyword in node.keywords:
                go(keyword.value, words | frozenset([plain(keyword.arg or "")]))
        elif isinstance(node, ast.Assign):
            go(node.value, frozenset(w for t in node.targets if isinstance(t, ast.Name) for w in [plain(t.id)]))
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                go(node.value, frozenset())
        elif isinstance(node, ast.Subscript):
            go(node.value, frozenset())
            if isinstance(node.slice, ast.Slice):
                go(node.slice, frozenset())
        elif isinstance(node, ast.Compare):
            if not isinstance(node.ops[0], (ast.Is, ast.IsNot)):
                go(node.left, frozenset())
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) and not isinstance(
            node, (ast.Raise, ast.JoinedStr)
        ):
            for child in ast.iter_child_nodes(node):
                go(child, words if isinstance(node, (ast.IfExp, ast.BoolOp)) else frozenset())

    for statement in function.body:
        go(statement, frozenset())
    return found


def _is_fixed(node: ast.expr) -> bool:
    if isinstance(node, ast.Name):
        return node.id == "MISSING"
    if isinstance(node, ast.Dict):
        return not node.keys
    return isinstance(node, ast.Constant) or (isinstance(node, (ast.List, ast.Tuple)) and not node.elts)


def _could_be(node: ast.expr, value: Any) -> bool:
    """Whether the constant is nothing at all, or of the kind of the value."""
    if ast.unparse(node) in ("None", "MISSING"):
        return True
    if isinstance(node, ast.Constant):
        return type(node.value) is type(value)
    return isinstance(value, dict if isinstance(node, ast.Dict) else (list, tuple))


def _text(node: ast.AST | None) -> list[str]:
    return [plain(node.value)] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def plain(text: str) -> str:
    """A name without its spelling: `due_on`, `dueOn` and `due-on` are one."""
    return re.sub(r"[^a-z0-9]", "", text.lower())
