"""How an operation that comes back is declared: its parameters with their types and defaults, its path, the names that its body uses."""

import ast
import re
from collections.abc import Sequence
from typing import Any

from legoenv_mcp.evolve import source
from legoenv_mcp.evolve.fleet import Patch
from legoenv_mcp.evolve.schema import evolved
from legoenv_mcp.evolve.schema.wanted import Wanted
from legoenv_mcp.evolve.schema.words import nouns, plural, tokens
from legoenv_mcp.evolve.source import Declared


def annotation(wanted: Wanted, name: str, value: Any, like: Declared | None = None) -> str:
    """A parameter's type: as the app's other operations have it, `like` before others, else by its value."""
    simple = "bool" if isinstance(value, bool) else type(value).__name__ if isinstance(value, (int, float, str)) else ""
    if value == [] and like is None and len(_said_kinds(wanted, name)) > 1:
        return "list[Any]"  # operations differ in what such a list has, and no caller tells
    aliases = _aliases(wanted)
    for other in [*([like] if like else []), *wanted.known.values()]:
        for arg in (*other.node.args.args, *other.node.args.kwonlyargs):
            if arg.arg.rstrip("_") == name and arg.annotation is not None:
                if other is like:
                    return bare(ast.unparse(arg.annotation))
                text = ast.unparse(arg.annotation)
                many = "list" if isinstance(value, list) else ""
                if isinstance(value, dict) and not _structured(wanted, text):
                    continue
                if isinstance(value, list) and not _holds_such(wanted, text, value):
                    continue
                meant = aliases.get(bare(text), text)
                if re.search(rf"\b{simple or many}\b", meant) and (simple or many or not meant.startswith("list")):
                    if isinstance(value, int) and not _within(meant, value):
                        continue  # another's limit is not this one's
                    return bare(text)
    if simple:
        return simple
    return "list[Any]" if isinstance(value, list) else "dict[str, Any]"


def bare(kind: str) -> str:
    """A type as it is written, without its being left out."""
    return re.sub(r" \| (None|MISSING)\b", "", kind)


def _said_kinds(wanted: Wanted, name: str) -> set[str]:
    return {
        bare(ast.unparse(arg.annotation))
        for other in wanted.known.values()
        for arg in (*other.node.args.args, *other.node.args.kwonlyargs)
        if arg.arg.rstrip("_") == name and arg.annotation is not None
    }


def _aliases(wanted: Wanted) -> dict[str, str]:
    """The app's own names for types with their bounds, and what they stand for."""
    return {
        ast.unparse(node.targets[0]): ast.unparse(node.value)
        for module in source.modules(wanted.slug)
        for node in module.tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("Annotated[")
    }


def _within(kind: str, value: int) -> bool:
    least, most = re.search(r"\bge=(-?\d+)", kind), re.search(r"\ble=(\d+)", kind)
    return not (least and value < int(least[1])) and not (most and value > int(most[1]))


def _structured(wanted: Wanted, text: str) -> bool:
    """Whether a type may hold an object: it says so, or is one of the app's classes."""
    classes = {n.name for m in source.modules(wanted.slug) for n in m.tree.body if isinstance(n, ast.ClassDef)}
    return bool(re.match(r"dict|Json|Any|Mapping", text)) or bool(classes & set(re.findall(r"\w+", text)))


def _holds_such(wanted: Wanted, text: str, value: list[Any]) -> bool:
    """Whether a list's type may have such items."""
    inner = text.partition("[")[2]
    texts, objects = (any(isinstance(item, kind) for item in value) for kind in (str, dict))
    return not (texts and not re.search(r"\b(str|Any|Literal)\b", inner)) and not (
        objects and not _structured(wanted, inner)
    )


def default(wanted: Wanted, name: str, kind: str) -> str:
    """What a parameter is when it is left out: as most operations that have it, of such a type, say."""
    said = list[str]()
    for other in wanted.known.values():
        held = source.defaults(other.node)
        value = held.get(name)
        if not isinstance(value, ast.Constant) or value.value is None:
            continue
        for arg in (*other.node.args.args, *other.node.args.kwonlyargs):
            annotated = arg.annotation is not None and ast.unparse(arg.annotation)
            if arg.arg == name and annotated and _alike(wanted, annotated, kind, value.value):
                said.append(ast.unparse(value))
    return max(said, key=lambda s: (said.count(s), s)) if said else "None"


def _alike(wanted: Wanted, one: str, other: str, value: Any) -> bool:
    """Whether two types are one, or both take a number that both allow."""
    meant = [re.sub(r"^Annotated\[(\w+),.*", r"\1", _aliases(wanted).get(k, k), flags=re.DOTALL) for k in (one, other)]
    within = not isinstance(value, int) or isinstance(value, bool) or _within(_aliases(wanted).get(other, other), value)
    return one == other or (meant[0] == meant[1] == "int" and within)


def signature(wanted: Wanted, like: Declared | None = None) -> str:
    """The parameters as source: what every caller gives is required."""
    own = {
        n: f"{n}_" if n in ("from", "in", "is", "or", "and", "not", "class", "with", "global", "import") else n
        for n in wanted.arguments
    }
    needed = [f"{own[n]}: {annotation(wanted, n, v, like)}" for n, v in wanted.arguments.items() if n in wanted.always]
    rest = list[str]()
    for n, v in wanted.arguments.items():
        if n not in wanted.always:
            kind = annotation(wanted, n, v, like)
            left_out = default(wanted, n, kind)
            rest.append(f"{own[n]}: {kind}{' | None' if left_out == 'None' else ''} = {left_out}")
    return ", ".join(["ctx: Ctx", *needed, *rest, *wanted.beside])


def declared_as(
    wanted: Wanted,
    body: str,
    how: str,
    doc: str,
    *,
    method: str = "",
    path: str = "",
    returns: str = "dict[str, Any]",
    extra_imports: tuple[str, ...] = (),
    first: source.Module | None = None,
    like: Declared | None = None,
    own: Sequence[tuple[str, source.Module]] = (),
) -> Patch | None:
    """A patch with the operation of this body. `first`: the module whose names come before those of others; `like`: the operation whose
    types the parameters have; `own`: functions, and the module that each is meant from."""
    method, route = (
        method or {"get": "get", "list": "get", "delete": "delete"}.get(wanted.verb, "post"),
        path or address(wanted),
    )
    effect = f', effect="{_effect(wanted)}"' if _effect(wanted) else ""
    text = (
        f"def {wanted.name}({signature(wanted, like)}) -> {returns}:\n    {_documented(wanted, doc)!r}\n"
        + "\n".join(f"    {line}" for line in body.splitlines())
    )
    try:
        function = ast.parse(text).body[0]
    except SyntaxError:
        return None
    assert isinstance(function, ast.FunctionDef)
    function = evolved.decorated(function, method, route, wanted.tool, effect)
    places = [first, *homes(wanted)] if first else homes(wanted)
    title = f"{wanted.tool}, {how}"
    return evolved.patch(
        wanted.slug, wanted.tool, function, places, title, "operation", wanted.why(how), extra_imports, own
    )


def _documented(wanted: Wanted, doc: str) -> str:
    """The docstring, with a line for each parameter."""
    beside = [text.partition(":")[0] for text in wanted.beside]
    lines = [f"    {name}: The {' '.join(tokens(name))}." for name in (*wanted.arguments, *beside)]
    return "\n".join([doc, "", *lines, "    "]) if lines else doc


def _effect(wanted: Wanted) -> str:
    return {"update": "update", "transition": "transition", "restore": "update"}.get(wanted.verb, "")


def homes(wanted: Wanted) -> list[source.Module]:
    """The app's modules, those that speak of the resource first."""
    modules = [m for m in source.modules(wanted.slug) if not re.search(r"capabilities|seed|fill|/views", m.path)]
    return sorted(modules, key=lambda m: (not any(n in m.path for n in wanted.nouns), "tools" not in m.path, m.path))


def address(wanted: Wanted) -> str:
    """A path of the app's kind that no operation of the method has: the shortest of a sibling's that names the most of its ids, else one
    made of the nouns."""
    names = set(wanted.arguments)
    taken = {(d.method, d.path) for d in wanted.known.values()}
    method = {"get": "GET", "list": "GET", "delete": "DELETE"}.get(wanted.verb, "POST")
    found = list[tuple[int, int, str]]()
    for other in wanted.known.values():
        held = set(re.findall(r"\{(\w+)", other.path))
        about = wanted.nouns and wanted.nouns[-1] in nouns(other.tool)
        if held and held <= wanted.always and about and (method, other.path) not in taken:
            found.append((-len(held), other.path.count("/"), other.path))
    if found:
        return min(found)[2]
    prefix = _prefix([d.path for d in wanted.known.values() if d.path])
    keys = [n for n in wanted.arguments if n in wanted.always and re.search(r"id$|^id|key$", n)][:1]
    verb = f"/{wanted.name}" if method == "POST" or wanted.verb == "list" else ""
    return (
        f"{prefix}/{'_'.join(plural(n) for n in wanted.nouns[-1:]) or wanted.name}"
        + "".join(f"/{{{k}}}" for k in keys if k in names)
        + verb
    )


def _prefix(paths: list[str]) -> str:
    heads = [re.match(r"(/[\w.]+)?(/v\d+(\.\d+)?|/api/v\d+)?", p) for p in paths]
    counted = [h[0] for h in heads if h]
    return max(set(counted), key=counted.count).rstrip("/") if counted else ""
