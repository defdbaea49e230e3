"""The operation that is missing, as far as its callers and its siblings tell: its verb and nouns, its parameters, its place."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from legoenv_mcp.evolve import source
from legoenv_mcp.evolve.fleet import Patch
from legoenv_mcp.evolve.schema import evolved
from legoenv_mcp.evolve.source import Declared

Finding = Mapping[str, Any]
VERBS = {
    "get": "get",
    "retrieve": "get",
    "show": "get",
    "read": "get",
    "fetch": "get",
    "info": "get",
    "lookup": "get",
    "list": "list",
    "search": "list",
    "find": "list",
    "query": "list",
    "update": "update",
    "patch": "update",
    "set": "update",
    "edit": "update",
    "modify": "update",
    "change": "update",
    "put": "update",
    "move": "update",
    "rename": "update",
    "assign": "update",
    "delete": "delete",
    "remove": "delete",
    "archive": "delete",
    "trash": "delete",
    "restore": "restore",
    "create": "create",
    "add": "create",
    "post": "create",
    "send": "create",
    "insert": "create",
    "cancel": "transition",
    "close": "transition",
    "void": "transition",
    "pay": "transition",
    "complete": "transition",
    "reopen": "transition",
    "manage": "transition",
    "write": "update",
    "reply": "create",
    "save": "update",
    "append": "update",
    "pause": "transition",
    "resume": "transition",
    "finalize": "transition",
    "upsert": "update",
}

_FIRST = {
    "transition": "transition mark open start convert schedule unschedule hold release confirm capture join leave respond submit decide",
    "update": "tag untag attach detach link unlink pin unpin replace clear adjust enable disable format sort invite merge apply",
    "restore": "untrash unarchive undelete",
    "create": "upload copy duplicate fork forward push",
}
FIRST_WORDS = {word: verb for verb, words in _FIRST.items() for word in words.split()}
"""Words that are verbs where an operation's name begins with them, and nouns elsewhere: a release, a tag."""


@dataclass
class Wanted:
    """The operation that is missing, as far as its callers tell: its name, the arguments of each known call."""

    slug: str
    tool: str
    calls: list[dict[str, Any]]
    finding: Finding
    known: Mapping[str, Declared] = field(default_factory=dict[str, Declared])
    needed: frozenset[str] = frozenset()
    """Arguments without which a way to do it does not work, beside those that tell what it is about."""

    @property
    def verb(self) -> str:
        words = tokens(self.tool)
        if words and words[0] == "get" and is_plural(words[-1]):
            return "list"
        return FIRST_WORDS.get(words[0]) or next((VERBS[w] for w in words if w in VERBS), "get")

    @property
    def nouns(self) -> list[str]:
        words = tokens(self.tool)
        words = words[1:] if words[0] in FIRST_WORDS else words
        about = words[: words.index("by")] if "by" in words[1:] else words  # what follows tells how it is found
        return [
            singular(w)
            for w in about
            if w not in VERBS and w not in ("many", "all", "by", "for", "of", "in", "api", "a", "the")
        ]

    @property
    def arguments(self) -> dict[str, Any]:
        """Every argument that a caller gives, with an example."""
        return {k: v for call in reversed(self.calls) for k, v in call.items()}

    @property
    def always(self) -> set[str]:
        """The arguments without which there is no call: those that every known caller gives and that tell what it is about. That callers
        as yet unknown give the others, too, is not for certain."""
        given = set.intersection(*(set(c) for c in self.calls)) if self.calls else set[str]()
        paths = {n for d in self.known.values() for n in re.findall(r"\{(\w+)", d.path)}
        about = {n for n in given if n in paths or re.search(r"(^|_)(id|key|gid|sid)$|I[dD]$|Key$", n)}
        return (about or (given if len(given) == 1 else set())) | self.needed

    @property
    def name(self) -> str:
        return re.sub(r"\W+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.tool)).strip("_").lower()

    def why(self, how: str) -> str:
        ids = self.finding["environments"]
        who = self.finding["evidence"][0].get("verb", "")
        return (
            f"{self.tool}, {how}.\n\n{len(ids)} environments need it for {who}, as {ids[0]} does. Added by evolution.\n"
        )


def tokens(name: str) -> list[str]:
    return [w.lower() for w in re.split(r"[\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)) if w]


def singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if is_plural(word) else word


def is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3


def plural(word: str) -> str:
    return (
        word[:-1] + "ies"
        if word.endswith("y") and word[-2:-1] not in "aeiou"
        else word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")
    )


def called(slug: str, tool: str, like: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The calls that the app's own verbs make, with what is known of their arguments' values."""
    known = {k: v for call in like for k, v in call.items()}
    found = list[dict[str, Any]]()
    for verb in callers(slug, tool):
        bound = {
            t.id: n.value
            for n in ast.walk(verb)
            if isinstance(n, ast.Assign)
            for t in n.targets
            if isinstance(t, ast.Name)
        }
        for node in ast.walk(verb):
            if _calls(node, tool):
                assert isinstance(node, ast.Call)
                found.append({k.arg: _example(k.value, known.get(k.arg), bound) for k in node.keywords if k.arg})
    return found


def callers(slug: str, tool: str) -> list[ast.FunctionDef]:
    """The functions of the app's capabilities that call a tool."""
    return [
        fn
        for module in source.modules(slug)
        if "capabilities" in module.path
        for fn in ast.walk(module.tree)
        if isinstance(fn, ast.FunctionDef) and any(_calls(n, tool) for n in ast.walk(fn))
    ]


def _calls(node: ast.AST, tool: str) -> bool:
    return (
        isinstance(node, ast.Call)
        and bool(node.args)
        and isinstance(node.args[0], ast.Constant)
        and node.args[0].value == tool
    )


def read_keys(slug: str, tool: str) -> list[str]:
    """The keys under which callers of a tool look into what they are answered."""
    found = dict[str, None]()
    for verb in callers(slug, tool):
        for node in ast.walk(verb):
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                found[str(node.slice.value)] = None
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
                found |= {str(a.value): None for a in node.args[:1] if isinstance(a, ast.Constant)}
    return [k for k in found if re.fullmatch(r"[A-Za-z_]\w*", k)]


def _example(node: ast.expr, known: Any, bound: Mapping[str, ast.expr]) -> Any:
    if known is not None:
        return known
    if isinstance(node, ast.Name) and node.id in bound:
        node = bound[node.id]
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("int", "str", "float"):
        return {"int": 1, "str": "x", "float": 1.0}[node.func.id]
    if isinstance(node, (ast.List, ast.ListComp)):
        return []
    return {} if isinstance(node, (ast.Dict, ast.DictComp)) else "x"


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


def _default(wanted: Wanted, name: str, kind: str) -> str:
    """What a parameter is when it is left out: as operations that have it, of this type, say."""
    for other in wanted.known.values():
        held = source.defaults(other.node)
        for arg in (*other.node.args.args, *other.node.args.kwonlyargs):
            if arg.arg == name and arg.annotation is not None and ast.unparse(arg.annotation) == kind:
                value = held.get(name)
                if isinstance(value, ast.Constant) and value.value is not None:
                    return ast.unparse(value)
    return "None"


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
            default = _default(wanted, n, kind)
            rest.append(f"{own[n]}: {kind}{' | None' if default == 'None' else ''} = {default}")
    return ", ".join(["ctx: Ctx", *needed, *rest])


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
    lines = [f"    {name}: The {' '.join(tokens(name))}." for name in wanted.arguments]
    return "\n".join([doc, "", *lines, "    "]) if lines else doc


def _effect(wanted: Wanted) -> str:
    return {"update": "update", "transition": "transition", "restore": "update"}.get(wanted.verb, "")


def homes(wanted: Wanted) -> list[source.Module]:
    """The app's modules, those that speak of the resource first."""
    modules = [m for m in source.modules(wanted.slug) if not re.search(r"capabilities|seed|fill|/views", m.path)]
    return sorted(modules, key=lambda m: (not any(n in m.path for n in wanted.nouns), "tools" not in m.path, m.path))


def address(wanted: Wanted) -> str:
    """A path of the app's kind that no operation of the method has: a sibling's that names the same id, else one made of the nouns."""
    names = set(wanted.arguments)
    taken = {(d.method, d.path) for d in wanted.known.values()}
    method = {"get": "GET", "list": "GET", "delete": "DELETE"}.get(wanted.verb, "POST")
    for other in wanted.known.values():
        held = set(re.findall(r"\{(\w+)", other.path))
        nouns = [singular(t) for t in tokens(other.tool)]
        if (
            held
            and held <= wanted.always
            and wanted.nouns
            and wanted.nouns[-1] in nouns
            and (method, other.path) not in taken
        ):
            return other.path
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
