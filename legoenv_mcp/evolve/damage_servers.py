"""Damage to server atoms: operations, parameters, choices and fields that are no longer there."""

import ast
import copy
import re
from collections.abc import Sequence
from typing import Any

from legoenv_mcp.evolve import source
from legoenv_mcp.evolve.damage_ground import Damage, Ground
from legoenv_mcp.evolve.fleet import Atom, Edit


def operation_removed(ground: Ground) -> Damage | None:
    """A read, an update, a status transition, a deletion: gone with its whole function."""
    return _operation(ground, ("get", "put", "patch", "delete"), 'effect="read"')


def _operation(ground: Ground, methods: Sequence[str], mark: str) -> Damage | None:
    _, call = ground.lot.one(ground.calls())
    one = source.declared(call["app"]).get(call["tool"])
    if one is None or len(one.node.decorator_list) != 1:
        return None
    head = one.module.segment(one.node).partition("def ")[0]
    fits = one.method.lower() in methods or mark in head or 'effect="update"' in head
    if not fits or source.mentions(call["app"], one.name) > (2 if one.name == one.tool else 1) + _said(
        call["app"], one.tool
    ):
        return None
    edits = (Edit(one.module.path, one.module.cut(one.node)),)
    return Damage("operation_removed", Atom("server", call["app"]), edits, f"{call['app']}.{call['tool']}")


def _said(slug: str, tool: str) -> int:
    """How often a tool is named in text, not in code."""
    return sum(
        len(re.findall(rf"\b{re.escape(tool)}\b", n.value))
        for m in source.modules(slug)
        for n in ast.walk(m.tree)
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and n.value != tool
    ) + sum(
        m.text.count(f'call("{tool}"') + m.text.count(f'call(\n            "{tool}"')
        for m in source.modules(slug)
        if "capabilities" in m.path
    )


def transition_removed(ground: Ground) -> Damage | None:
    """A state that an operation can no longer bring about: a choice gone from a parameter, or the transition's own operation gone."""
    e, call = ground.lot.one(ground.calls(reads=False))
    one = source.declared(call["app"]).get(call["tool"])
    if one is None:
        return None
    for name, value in call["arguments"].items():
        for arg in _args(one.node):
            if arg.arg.rstrip("_") != name or arg.annotation is None:
                continue
            for literal in [n for n in ast.walk(arg.annotation) if _is_literal(n)]:
                choices = _choices(literal)
                if isinstance(value, str) and value in choices and len(choices) > 2:
                    text = one.module.segment(one.node)
                    changed = re.sub(
                        rf'"{re.escape(value)}", |, "{re.escape(value)}"', "", text.partition('"""')[0], count=1
                    )
                    made = changed + "".join(text.partition('"""')[1:])
                    if made != text:
                        edits = (Edit(one.module.path, one.module.replaced(one.node, made)),)
                        what = f"{call['app']}.{call['tool']} {name}={value}"
                        return Damage("transition_removed", Atom("server", call["app"]), edits, what)
    if one.module.segment(one.node).partition("def ")[0].find('effect="transition"') >= 0:
        found = _operation(Ground([{**e, "calls": [call]}], ground.lot), ("post",), 'effect="transition"')
        return found and Damage("transition_removed", found.atom, found.edits, found.what)
    return None


def _args(node: ast.FunctionDef) -> list[ast.arg]:
    return [*node.args.args, *node.args.kwonlyargs]


def _is_literal(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal"


def _choices(node: ast.AST) -> list[str]:
    inner = node.slice if isinstance(node, ast.Subscript) else node
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    return [str(p.value) for p in parts if isinstance(p, ast.Constant)]


def parameter_removed(ground: Ground) -> Damage | None:
    """A parameter of a writing operation, with all that is done with it."""
    return _parameter(ground, "parameter_removed", reads=False)


def filter_removed(ground: Ground) -> Damage | None:
    """The same of a reading one."""
    return _parameter(ground, "filter_removed", reads=True)


def _parameter(ground: Ground, kind: str, *, reads: bool) -> Damage | None:
    among = [(e, c) for e, c in ground.calls(reads) if c["arguments"]]
    if not among:
        return None
    _, call = ground.lot.one(among)
    one = source.declared(call["app"]).get(call["tool"])
    if one is None:
        return None
    default = _defaults(one.node)
    names = [a.arg for a in _args(one.node) if a.arg.rstrip("_") in call["arguments"] and a.arg in default]
    if not names:
        return None
    name = ground.lot.one(names)
    node = without_parameter(one.node, name, default[name])
    if _dead(node):  # an operation that does nothing but refuse was never without the parameter
        return None
    edits = (Edit(one.module.path, one.module.replaced(one.node, ast.unparse(node))),)
    return Damage(kind, Atom("server", call["app"]), edits, f"{call['app']}.{call['tool']} {name}")


def _defaults(node: ast.FunctionDef) -> dict[str, ast.expr]:
    held = node.args
    found = dict(zip([a.arg for a in held.args[len(held.args) - len(held.defaults) :]], held.defaults, strict=True))
    found |= {a.arg: d for a, d in zip(held.kwonlyargs, held.kw_defaults, strict=True) if d is not None}
    return found


def without_parameter(node: ast.FunctionDef, name: str, default: ast.expr) -> ast.FunctionDef:
    """A function as it would be had it never had the parameter: what it passes on is gone, what asks for it is decided."""
    made = copy.deepcopy(node)
    held = made.args
    at = len(held.args) - len(held.defaults)
    held.defaults = [d for a, d in zip(held.args[at:], held.defaults, strict=True) if a.arg != name]
    held.args = [a for a in held.args if a.arg != name]
    kept = [(a, d) for a, d in zip(held.kwonlyargs, held.kw_defaults, strict=True) if a.arg != name]
    held.kwonlyargs, held.kw_defaults = [a for a, _ in kept], [d for _, d in kept]
    made.body = [_Forgotten(name, default).visit(s) for s in made.body]
    made.body = [s for b in made.body for s in (b if isinstance(b, list) else [b]) if s is not None]
    made.body = [s for b in map(_Decided().visit, made.body) for s in (b if isinstance(b, list) else [b])]
    first = made.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        first.value.value = re.sub(rf"\n *{name}: .*(\n {{6,}}\S.*)*", "", first.value.value)
    return ast.fix_missing_locations(made)


class _Forgotten(ast.NodeTransformer):
    def __init__(self, name: str, default: ast.expr) -> None:
        self.name, self.default = name, default

    def _is(self, node: ast.AST | None) -> bool:
        return isinstance(node, ast.Name) and node.id == self.name

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.keywords = [k for k in node.keywords if not self._is(k.value)]
        return self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        pairs = [(k, v) for k, v in zip(node.keys, node.values, strict=True) if not self._is(v)]
        node.keys, node.values = [k for k, _ in pairs], [v for _, v in pairs]
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copy.deepcopy(self.default) if self._is(node) and isinstance(node.ctx, ast.Load) else node

    def _test(self, node: ast.expr) -> bool | None:
        if self._is(node):
            return bool(node and isinstance(self.default, ast.Constant) and self.default.value)
        if isinstance(node, ast.Compare) and self._is(node.left) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            same = ast.dump(node.comparators[0]) == ast.dump(self.default)
            return same == isinstance(node.ops[0], ast.Is) if same else None
        if (
            isinstance(node, ast.BoolOp)
            and isinstance(node.op, ast.And)
            and any(self._test(v) is False for v in node.values)
        ):
            return False
        return None

    def visit_If(self, node: ast.If) -> Any:
        if (known := self._test(node.test)) is not None:
            kept = [self.visit(s) for s in (node.body if known else node.orelse)]
            return [s for k in kept for s in (k if isinstance(k, list) else [k])]
        made = self.generic_visit(node)
        if isinstance(made, ast.If) and not made.body:
            made.body = [ast.Pass()]
        return made

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        if (known := self._test(node.test)) is not None:
            return self.visit(node.body if known else node.orelse)
        return self.generic_visit(node)


class _Decided(ast.NodeTransformer):
    """What is decided once a parameter is its default is not asked any more, so that nothing is left of the asking."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        ends, left = isinstance(node.op, ast.Or), list[ast.expr]()
        for value in node.values:
            truth = _truth(value)
            if truth is None or value is node.values[-1]:
                left.append(value)
            if truth is not None and truth == ends:
                left = [*left, value] if value not in left else left
                break
        node.values = left
        return node if len(left) > 1 else left[0]

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        truth = _truth(node.operand) if isinstance(node.op, ast.Not) else None
        return node if truth is None else ast.Constant(not truth)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            a, b = ast.unparse(node.left), ast.unparse(node.comparators[0])
            if {a, b} <= {"None", "MISSING", "True", "False"}:
                return ast.Constant((a == b) == isinstance(node.ops[0], ast.Is))
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        asks = isinstance(node.func, ast.Name) and node.func.id == "isinstance"
        return ast.Constant(False) if asks and ast.unparse(node.args[0]) in ("None", "MISSING") else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        truth = _truth(node.test)
        return node if truth is None else node.body if truth else node.orelse

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        truth = _truth(node.test)
        return node if truth is None else (node.body if truth else node.orelse)


def _truth(node: ast.expr) -> bool | None:
    """Whether an expression is true, where that is plain. MISSING is no plain truth: it is only ever compared."""
    return bool(node.value) if isinstance(node, ast.Constant) else None


def _dead(node: ast.FunctionDef) -> bool:
    """Whether a function refuses whatever it is called with, or has statements that are never come to."""
    blocks = [b for n in ast.walk(node) for part in ("body", "orelse") if isinstance(b := getattr(n, part, None), list)]
    return isinstance(node.body[-1], ast.Raise) or any(
        isinstance(s, (ast.Raise, ast.Return)) for b in blocks for s in b[:-1]
    )


def response_field_dropped(ground: Ground) -> Damage | None:
    """A column that an answer no longer shows."""
    e = ground.lot.one(ground.environments)
    if not e["apps"]:
        return None
    slug = ground.lot.one(e["apps"])
    apart = ("capabilities", "seed", "fills", "fill_")
    shown = list[tuple[source.Module, ast.expr, ast.expr]]()
    for module in source.modules(slug):
        if not any(word in module.path for word in apart):
            for node in ast.walk(module.tree):
                if isinstance(node, ast.Dict) and len(node.keys) > 2:
                    shown += [
                        (module, k, v) for k, v in zip(node.keys, node.values, strict=True) if _shows_a_column(k, v)
                    ]
    if not shown:
        return None
    module, key, value = ground.lot.one(shown)
    edits = (Edit(module.path, _without_entry(module, key, value)),)
    assert isinstance(key, ast.Constant)
    return Damage("response_field_dropped", Atom("server", slug), edits, f"{slug}: {key.value} in {module.path}")


def _shows_a_column(key: ast.expr | None, value: ast.expr) -> bool:
    return (
        isinstance(key, ast.Constant)
        and isinstance(key.value, str)
        and isinstance(value, ast.Attribute)
        and isinstance(value.value, ast.Name)
    )


def _without_entry(module: source.Module, key: ast.expr | None, value: ast.expr) -> str:
    assert key is not None
    lines = list(module.lines)
    first, last = key.lineno - 1, (value.end_lineno or key.lineno) - 1
    text = "".join(lines[first : last + 1])
    begin = len(lines[first].encode()[: key.col_offset].decode())
    end = len(text) - len(lines[last]) + len(lines[last].encode()[: value.end_col_offset].decode())
    rest = text[end:]
    comma = re.match(r"\s*,\s?", rest)
    kept = text[:begin] + (rest[comma.end() :] if comma else rest)
    if comma and not kept.strip():
        kept = ""
    return "".join([*lines[:first], kept, *lines[last + 1 :]])
