"""The ways in which an operation takes a parameter more: as its callees, another operation or its own other parameters have it, in place of
a constant, or as a condition on, or a change of, a column."""

import ast
import copy
import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from legoenv_mcp import registry
from legoenv_mcp.evolve import source
from legoenv_mcp.evolve.schema.constants import made_of_constants, plain
from legoenv_mcp.evolve.schema.declaring import bare
from legoenv_mcp.evolve.source import Declared


def ways(
    slug: str, one: Declared, known: Mapping[str, Declared], name: str, value: Any
) -> Iterator[tuple[str, ast.FunctionDef]]:
    kind = _annotation(value)
    alike = [d for d in known.values() if name in [p.rstrip("_") for p in d.params] and d.tool != one.tool]
    alike.sort(key=lambda d: (d.module.path != one.module.path, d.method != one.method, d.tool))
    annotation, default = _style(one, _as_known(alike, name, value) or kind)
    bare = _with_parameter(one.node, name, annotation, default)
    sends = "ctx.sent()" in ast.unparse(one.node)
    if sends:
        yield "with what is sent", copy.deepcopy(bare)
    # In turn, so that no way crowds the others out.
    told = [
        made_of_constants(
            bare, name, value, [d.node for d in alike]
        ),  # what it does when the parameter is left out stays as it is
        (way for other in alike[:6] for way in _as_another(one, other, name)),
        _into_callees(slug, bare, name),
        _as_sibling(one, bare, name),
        _as_guarded(bare, default, name, value),
    ]
    for found in itertools.zip_longest(*told):
        yield from (way for way in found if way is not None)
    for column in _columns(slug, name):
        yield from _in_look_up(bare, name, column, default)
        yield from _in_rows(bare, name, column, default)
        yield from _before_the_rest(bare, name, column, default)
    if not sends:
        yield "with what is sent", bare


def _annotation(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float, str)):
        return type(value).__name__
    if isinstance(value, list):
        kinds = dict.fromkeys(_annotation(item) for item in value) or {"str": None}
        return f"list[{next(iter(kinds)) if len(kinds) == 1 else 'Any'}]"
    return "Any" if value is None else "dict[str, Any]"


def _as_known(alike: list[Declared], name: str, value: Any) -> str:
    """The type that another operation gives a list or an object of the name: what is in it is for the app to say."""
    if not isinstance(value, (list, dict)):
        return ""
    for other in alike:
        for arg in (*other.node.args.args, *other.node.args.kwonlyargs):
            if arg.arg == name and arg.annotation is not None:
                return bare(ast.unparse(arg.annotation))
    return ""


def _style(one: Declared, kind: str) -> tuple[str, str]:
    """How the operation's other parameters say that they may be left out."""
    text = ast.unparse(one.node.args)
    return (
        (f"{kind} | MISSING", "MISSING") if text.count("MISSING") > text.count("None") else (f"{kind} | None", "None")
    )


def _with_parameter(node: ast.FunctionDef, name: str, annotation: str, default: str) -> ast.FunctionDef:
    made = copy.deepcopy(node)
    own = (
        f"{name}_"
        if name in ("from", "import", "in", "is", "or", "and", "not", "class", "def", "with", "global")
        else name
    )
    made.args.args.append(ast.arg(own, ast.parse(annotation, mode="eval").body))
    made.args.defaults.append(ast.parse(default, mode="eval").body)
    return ast.fix_missing_locations(made)


def _as_another(one: Declared, other: Declared, name: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """As another operation that has it does: its type, and wherever both call the same, or state the same, what it passes on."""
    args = {a.arg: a for a in (*other.node.args.args, *other.node.args.kwonlyargs)}
    own = name if name in args else f"{name}_"
    held = other.node.args
    defaults = dict(zip([a.arg for a in held.args[len(held.args) - len(held.defaults) :]], held.defaults, strict=True))
    annotation = args[own].annotation
    if annotation is None:
        return
    default = ast.unparse(defaults[own]) if own in defaults else "None"
    shown = ast.unparse(annotation) if own in defaults else f"{ast.unparse(annotation)} | None"
    made = _with_parameter(one.node, name, shown, default)
    changed = 0
    passed = [
        (ast.unparse(c.func), k)
        for c in ast.walk(other.node)
        if isinstance(c, ast.Call)
        for k in c.keywords
        if _says(k.value, own)
    ]
    for call in [n for n in ast.walk(made) if isinstance(n, ast.Call)]:
        for callee, keyword in passed:
            if ast.unparse(call.func) == callee and keyword.arg not in [k.arg for k in call.keywords]:
                call.keywords.append(copy.deepcopy(keyword))
                changed += 1
    placed = [
        (ast.unparse(c.func), at, a)
        for c in ast.walk(other.node)
        if isinstance(c, ast.Call)
        for at, a in enumerate(c.args)
        if _says(a, own)
    ]
    for call in [n for n in ast.walk(made) if isinstance(n, ast.Call)]:
        for callee, at, value in placed:
            if ast.unparse(call.func) == callee and at < len(call.args) and isinstance(call.args[at], ast.Constant):
                call.args[at] = copy.deepcopy(value)
                changed += 1
    entries = [
        (k, v)
        for d in ast.walk(other.node)
        if isinstance(d, ast.Dict)
        for k, v in zip(d.keys, d.values, strict=True)
        if k is not None and _says(v, own)
    ]
    for literal in [n for n in ast.walk(made) if isinstance(n, ast.Dict) and n.keys]:
        for key, value in entries:
            literal.keys.append(copy.deepcopy(key))
            literal.values.append(copy.deepcopy(value))
            changed += 1
        break
    if changed:
        yield f"as {other.tool} does", ast.fix_missing_locations(made)
    for statement in [s for s in other.node.body if isinstance(s, (ast.If, ast.Assign)) and _says(s, own)]:
        copied = _with_parameter(one.node, name, shown, default)
        bound = {n.id for n in ast.walk(copied) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} | {
            a.arg for a in copied.args.args
        }
        used = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        if used <= bound:
            copied.body.insert(len(copied.body) - 1, copy.deepcopy(statement))
            yield f"as {other.tool} does, in a statement of its own", ast.fix_missing_locations(copied)


def _into_callees(slug: str, bare: ast.FunctionDef, name: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Wherever its body calls one of the app's functions that has such a parameter and gets none, or a constant, it gets this one."""
    mine = plain(name)
    yield from _given_to_callees(slug, bare, lambda a: a == mine)
    yield from _given_to_callees(slug, bare, lambda a: a != mine and len(a) > 3 and (a in mine or mine in a))


def _given_to_callees(
    slug: str, bare: ast.FunctionDef, alike: Callable[[str], bool]
) -> Iterator[tuple[str, ast.FunctionDef]]:
    takes = dict[str, list[str]]()
    for module in source.modules(slug):
        for node in [n for n in ast.walk(module.tree) if isinstance(n, ast.FunctionDef)]:
            held = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            if node.name != bare.name and any(alike(plain(a)) for a in held):
                takes[node.name] = held
    made, changed = copy.deepcopy(bare), list[str]()
    for call in [n for n in ast.walk(made) if isinstance(n, ast.Call)]:
        callee = (
            call.func.id
            if isinstance(call.func, ast.Name)
            else call.func.attr
            if isinstance(call.func, ast.Attribute)
            else ""
        )
        held = takes.get(callee)
        if held is None or "app." in ast.unparse(call.func):
            continue
        at = next(i for i, a in enumerate(held) if alike(plain(a)))
        value = ast.Name(made.args.args[-1].arg, ast.Load())
        if at < len(call.args):
            if isinstance(call.args[at], ast.Constant) or ast.unparse(call.args[at]) == "MISSING":
                call.args[at] = value
                changed.append(callee)
        elif held[at] not in [k.arg for k in call.keywords]:
            call.keywords.append(ast.keyword(held[at], value))
            changed.append(callee)
    if changed:
        yield f"and {', '.join(dict.fromkeys(changed))} with it", ast.fix_missing_locations(made)


def _says(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))


def _as_sibling(one: Declared, bare: ast.FunctionDef, name: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Wherever one of the operation's own parameters is passed on under its name, this one is too."""
    for sibling in reversed(one.params):
        made, changed = copy.deepcopy(bare), 0
        for call in [n for n in ast.walk(made) if isinstance(n, ast.Call)]:
            for keyword in list(call.keywords):
                if keyword.arg == sibling and _says(keyword.value, sibling):
                    call.keywords.append(ast.keyword(name, _swapped(keyword.value, sibling, name)))
                    changed += 1
        for literal in [n for n in ast.walk(made) if isinstance(n, ast.Dict)]:
            for key, value in list(zip(literal.keys, literal.values, strict=True)):
                if isinstance(key, ast.Constant) and key.value == sibling and _says(value, sibling):
                    literal.keys.append(ast.Constant(name))
                    literal.values.append(_swapped(value, sibling, name))
                    changed += 1
        if changed:
            yield f"as it does {sibling}", ast.fix_missing_locations(made)
        for at, statement in enumerate(bare.body):
            if isinstance(statement, ast.If) and not statement.orelse and _writes_key(statement, sibling):
                made = copy.deepcopy(bare)
                made.body.insert(at + 1, _swapped(statement, sibling, name))
                yield f"as it does {sibling}, in a statement of its own", ast.fix_missing_locations(made)


def _writes_key(statement: ast.If, sibling: str) -> bool:
    """Whether a statement notes a parameter under its name: `if due: changes["due"] = due`."""
    return any(
        isinstance(s, ast.Assign)
        and isinstance(s.targets[0], ast.Subscript)
        and isinstance(s.targets[0].slice, ast.Constant)
        and s.targets[0].slice.value == sibling
        for s in statement.body
    )


def _as_guarded(bare: ast.FunctionDef, default: str, name: str, value: Any) -> Iterator[tuple[str, ast.FunctionDef]]:
    """As one more of what a call must have: a refusal for want of others stands only where this, too, is left out."""
    own = bare.args.args[-1].arg
    for guard in [n for s in bare.body for n in ast.walk(s)]:
        if isinstance(guard, ast.If) and not guard.orelse and isinstance(guard.body[0], ast.Raise):
            said = guard.test
            guard.test = ast.parse(f"{own} is {default} and ({ast.unparse(said)})", mode="eval").body
            made = ast.fix_missing_locations(copy.deepcopy(bare))
            guard.test = said
            yield "as one of those of which it needs one", made
            for how, also in itertools.islice(made_of_constants(made, name, value), 3):
                yield f"as one of those of which it needs one, {how}", also


_Node = TypeVar("_Node", bound=ast.AST)


def _swapped(node: _Node, old: str, new: str) -> _Node:
    """A copy of syntax with one name for another, also where text is just the name."""
    made = copy.deepcopy(node)
    for inner in ast.walk(made):
        if isinstance(inner, ast.Name) and inner.id == old:
            inner.id = new
        elif isinstance(inner, ast.Constant) and inner.value == old:
            inner.value = new
    return made


def _columns(slug: str, name: str) -> list[str]:
    """Columns that a parameter may be about: of its name however spelt, of its name and `id`."""
    mine = plain(name)
    every = dict.fromkeys(c for s in registry.load(slug).shapes.values() for c in s.columns)
    spelt = {c: plain(c) for c in every}
    return [c for c in every if spelt[c] == mine] + [
        c for c in every if spelt[c] in (f"{mine}id", mine.removesuffix("id"), f"is{mine}") and spelt[c]
    ]


def _given(name: str, default: str) -> str:
    return name if default == "None" else f"None if {name} is {default} else {name}"


_LOOK_UPS = ("find", "page", "count", "first")


def _in_look_up(bare: ast.FunctionDef, name: str, column: str, default: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """As a condition of the look-ups in its body."""
    made, changed = copy.deepcopy(bare), 0
    for call in [n for n in ast.walk(made) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]:
        if isinstance(call.func, ast.Attribute) and call.func.attr in _LOOK_UPS and "ctx" in ast.unparse(call.func):
            call.keywords.append(ast.keyword(column, ast.parse(_given(name, default), mode="eval").body))
            changed += 1
    if changed:
        yield f"as a condition on {column}", ast.fix_missing_locations(made)


def _in_rows(bare: ast.FunctionDef, name: str, column: str, default: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """By leaving out what does not have it, wherever its body holds rows."""
    for at, statement in enumerate(bare.body):
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
            continue
        rows = statement.targets[0].id
        if not re.search(r"find\(|\[.* for ", ast.unparse(statement.value)):
            continue
        made = copy.deepcopy(bare)
        test = f"{name} is {default} or getattr(row, {column!r}, {name}) == {name}"
        made.body.insert(at + 1, ast.parse(f"{rows} = [row for row in {rows} if {test}]").body[0])
        yield f"leaving out what has another {column}", ast.fix_missing_locations(made)


def _before_the_rest(
    bare: ast.FunctionDef, name: str, column: str, default: str
) -> Iterator[tuple[str, ast.FunctionDef]]:
    """By writing the column of the row that its body has looked up."""
    for at, statement in enumerate(bare.body):
        if (
            isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Name)
            and isinstance(statement.value, ast.Call)
        ):
            row = statement.targets[0].id
            made = copy.deepcopy(bare)
            text = f"if {name} is not {default}:\n    ctx.db.update({row}, {column}={name})"
            made.body.insert(at + 1, ast.parse(text).body[0])
            yield f"writing {column}", ast.fix_missing_locations(made)
