"""Repairs of apps: an operation that is not there, derived from its siblings.

In this order: the like operation of another resource, in this one's words; a look at the resource without the write that follows it; what
broader or bulk operations already do, called from within; the app's own look-ups and renderings over its tables (rows.py).
"""

import ast
import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from legoenv_mcp import registry, templates
from legoenv_mcp.controller import catalogue
from legoenv_mcp.evolve import source
from legoenv_mcp.evolve.fleet import Atom, Patch
from legoenv_mcp.evolve.schema import evolved
from legoenv_mcp.evolve.source import Declared
from legoenv_mcp.kernel.operations import kinds_of

Finding = Mapping[str, Any]
VERBS = {
    "get": "get", "retrieve": "get", "show": "get", "read": "get", "fetch": "get", "info": "get", "list": "list", "search": "list", "find": "list",
    "query": "list", "update": "update", "patch": "update", "set": "update", "edit": "update", "modify": "update", "change": "update",
    "put": "update", "move": "update", "rename": "update", "assign": "update", "delete": "delete", "remove": "delete", "archive": "delete",
    "trash": "delete", "restore": "restore", "create": "create", "add": "create", "post": "create", "send": "create", "insert": "create",
    "cancel": "transition", "close": "transition", "void": "transition", "pay": "transition", "complete": "transition", "reopen": "transition",
    "manage": "transition", "write": "update", "reply": "create", "save": "update", "append": "update", "pause": "transition", "resume": "transition", "finalize": "transition", "upsert": "update",
}  # fmt: skip
READS = ("get", "list")


@dataclass
class Wanted:
    """The operation that is missing, as far as its callers tell: its name, the arguments of each known call."""

    slug: str
    tool: str
    calls: list[dict[str, Any]]
    finding: Finding
    known: Mapping[str, Declared] = field(default_factory=dict[str, Declared])

    @property
    def verb(self) -> str:
        words = tokens(self.tool)
        if words and words[0] == "get" and _plural(words[-1]):
            return "list"
        return next((VERBS[w] for w in words if w in VERBS), "get")

    @property
    def nouns(self) -> list[str]:
        return [
            singular(w)
            for w in tokens(self.tool)
            if w not in VERBS and w not in ("many", "all", "by", "for", "of", "in", "api", "a", "the")
        ]

    @property
    def arguments(self) -> dict[str, Any]:
        """Every argument that a caller gives, with an example."""
        return {k: v for call in reversed(self.calls) for k, v in call.items()}

    @property
    def always(self) -> set[str]:
        """The arguments that every caller gives."""
        return set.intersection(*(set(c) for c in self.calls)) if self.calls else set()

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
    return word[:-1] if _plural(word) else word


def _plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3


def plural(word: str) -> str:
    return (
        word[:-1] + "ies"
        if word.endswith("y") and word[-2:-1] not in "aeiou"
        else word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")
    )


def propose(finding: Finding) -> Iterator[Patch]:
    from legoenv_mcp.evolve.schema import rows

    slug = Atom.named(finding["atom"]).id
    calls = [s["arguments"] for s in finding["evidence"] if s.get("tool") == finding["about"]]
    wanted = Wanted(
        slug, finding["about"], [*calls, *_called(slug, finding["about"], calls)], finding, source.declared(slug)
    )
    reads = wanted.verb in READS
    ways = [_clones(wanted)]
    ways += (
        [_without_writes(wanted), _through_others(wanted), rows.reads(wanted)]
        if reads
        else [_through_bulk(wanted), rows.writes(wanted)]
    )
    for way in ways:
        yield from way


def _called(slug: str, tool: str, like: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The calls that the app's own verbs make, with what is known of their arguments' values."""
    known = {k: v for call in like for k, v in call.items()}
    found = list[dict[str, Any]]()
    for module in source.modules(slug):
        if "capabilities" not in module.path:
            continue
        for node in ast.walk(module.tree):
            if (
                isinstance(node, ast.Call)
                and node.args
                and isinstance(node.args[0], ast.Constant)
                and node.args[0].value == tool
            ):
                found.append({k.arg: _example(k.value, known.get(k.arg)) for k in node.keywords if k.arg})
    return found


def _example(node: ast.expr, known: Any) -> Any:
    if known is not None:
        return known
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("int", "str", "float"):
        return {"int": 1, "str": "x", "float": 1.0}[node.func.id]
    return [] if isinstance(node, (ast.List, ast.ListComp)) else {} if isinstance(node, ast.Dict) else "x"


def annotation(wanted: Wanted, name: str, value: Any) -> str:
    """A parameter's type: as the app's other operations have it, else by its value."""
    simple = "bool" if isinstance(value, bool) else type(value).__name__ if isinstance(value, (int, float, str)) else ""
    for other in wanted.known.values():
        for arg in (*other.node.args.args, *other.node.args.kwonlyargs):
            if arg.arg.rstrip("_") == name and arg.annotation is not None:
                text = ast.unparse(arg.annotation)
                if not simple or re.search(rf"\b{simple}\b", text):
                    return re.sub(r" \| (None|MISSING)\b", "", text)
    if simple:
        return simple
    return "list[Any]" if isinstance(value, list) else "dict[str, Any]"


def signature(wanted: Wanted) -> str:
    """The parameters as source: what every caller gives is required."""
    own = {
        n: f"{n}_" if n in ("from", "in", "is", "or", "and", "not", "class", "with", "global", "import") else n
        for n in wanted.arguments
    }
    needed = [f"{own[n]}: {annotation(wanted, n, v)}" for n, v in wanted.arguments.items() if n in wanted.always]
    rest = [
        f"{own[n]}: {annotation(wanted, n, v)} | None = None"
        for n, v in wanted.arguments.items()
        if n not in wanted.always
    ]
    return ", ".join(["ctx: Ctx", *needed, *rest])


def declared_as(wanted: Wanted, body: str, how: str, doc: str, *, method: str = "", path: str = "", returns: str = "dict[str, Any]",
                extra_imports: tuple[str, ...] = ()) -> Patch | None:  # fmt: skip
    """A patch with the operation of this body."""
    method, route = (
        method or {"get": "get", "list": "get", "delete": "delete"}.get(wanted.verb, "post"),
        path or address(wanted),
    )
    effect = f', effect="{_effect(wanted)}"' if _effect(wanted) else ""
    text = f"def {wanted.name}({signature(wanted)}) -> {returns}:\n    {doc!r}\n" + "\n".join(
        f"    {line}" for line in body.splitlines()
    )
    try:
        function = ast.parse(text).body[0]
    except SyntaxError:
        return None
    assert isinstance(function, ast.FunctionDef)
    function = evolved.decorated(function, method, route, wanted.tool, effect)
    homes = _homes(wanted)
    return evolved.patch(
        wanted.slug, wanted.tool, function, homes, f"{wanted.tool}, {how}", "operation", wanted.why(how), extra_imports
    )


def _effect(wanted: Wanted) -> str:
    return {"update": "update", "transition": "transition", "restore": "update"}.get(wanted.verb, "")


def _homes(wanted: Wanted) -> list[source.Module]:
    """The app's modules, those that speak of the resource first."""
    modules = [m for m in source.modules(wanted.slug) if not re.search(r"capabilities|seed|fill", m.path)]
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


# The like operation of another resource


def _clones(wanted: Wanted) -> Iterator[Patch]:
    if not wanted.nouns:
        return
    mine = wanted.nouns[-1]
    for other in _like(wanted):
        theirs = [singular(w) for w in tokens(other.tool) if w not in VERBS]
        for noun in dict.fromkeys([*theirs[::-1]]):
            if noun == mine or noun not in other.module.segment(other.node).lower():
                continue
            made = _renamed(wanted, other, noun, mine)
            if made is not None:
                yield made


def _like(wanted: Wanted) -> list[Declared]:
    """Operations of the same verb, those whose parameters are most alike first."""
    found = list[tuple[int, str, Declared]]()
    for tool, one in wanted.known.items():
        words = tokens(tool)
        verb = (
            "list"
            if words[:1] == ["get"] and _plural(words[-1])
            else next((VERBS[w] for w in words if w in VERBS), "get")
        )
        if verb == wanted.verb:
            missing = len(wanted.always - {p.rstrip("_") for p in one.params})
            nouns = len(set(wanted.nouns) & {singular(w) for w in words})
            found.append((2 * missing - 3 * nouns + abs(len(one.params) - len(wanted.arguments)), tool, one))
    return [one for _, _, one in sorted(found, key=lambda f: f[:2])][:8]


def _renamed(wanted: Wanted, other: Declared, theirs: str, mine: str) -> Patch | None:
    """Another's source with one noun for the other in every spelling."""
    text = other.module.segment(other.node)
    pairs = [(plural(theirs), plural(mine)), (theirs, mine)]
    for old, new in pairs:
        text = re.sub(rf"(?<![a-z]){old}(?![a-z])", new, text)
        text = re.sub(rf"(?<![A-Za-z]){old.capitalize()}(?![a-z])", new.capitalize(), text)
        text = re.sub(rf"(?<=[a-z]){old.capitalize()}(?![a-z])", new.capitalize(), text)
        text = text.replace(old.upper(), new.upper())
    try:
        function = ast.parse(text).body[0]
    except SyntaxError:
        return None
    if not isinstance(function, ast.FunctionDef) or not isinstance(function.decorator_list[0], ast.Call):
        return None
    call = function.decorator_list[0]
    for word in call.keywords:
        if word.arg == "tool":
            word.value = ast.Constant(wanted.tool)
    function.name = wanted.name
    params = [a.arg.rstrip("_") for a in (*function.args.args, *function.args.kwonlyargs)][1:]
    for name in wanted.arguments:
        if name not in params:
            return None
    how = f"as {other.tool} does it"
    homes = [*_homes(wanted)[:3], other.module, *_homes(wanted)]
    return evolved.patch(
        wanted.slug, wanted.tool, function, homes, f"{wanted.tool}, {how}", "operation", wanted.why(how)
    )


# A look at the resource without the write


_WRITES = re.compile(r"\.(update|add|delete|delete_where)\(|\bemit\(|\bnote\(|\bwrite\(|changed\(")


def _without_writes(wanted: Wanted) -> Iterator[Patch]:
    if wanted.verb != "get":
        return
    for other in wanted.known.values():
        nouns = {singular(w) for w in tokens(other.tool)}
        if (
            other.method == "GET"
            or not wanted.nouns
            or wanted.nouns[-1] not in nouns
            or not wanted.always <= {p.rstrip("_") for p in other.params}
        ):
            continue
        kept = [s for s in other.node.body[:-1] if not _WRITES.search(ast.unparse(s)) and not isinstance(s, ast.Expr)]
        kept = [s for s in kept if isinstance(s, ast.Assign)]
        last = copy.deepcopy(other.node.body[-1])
        if not kept or not isinstance(last, ast.Return):
            continue
        body = "\n".join(ast.unparse(s) for s in (*kept, last))
        made = declared_as(
            wanted,
            body,
            f"as {other.tool} finds and shows it",
            f"Shows a {wanted.nouns[-1]}.",
            method="get",
            path=_free(wanted, other),
        )
        if made is not None:
            yield made


def _free(wanted: Wanted, other: Declared) -> str:
    taken = {(d.method, d.path) for d in wanted.known.values()}
    held = set(re.findall(r"\{(\w+)", other.path))
    return other.path if held <= wanted.always and ("GET", other.path) not in taken else ""


# What broader operations do


def _through_others(wanted: Wanted) -> Iterator[Patch]:
    """A broader read, called from within, of which only what is asked for is kept."""
    entry = catalogue.entries().get(wanted.finding["environments"][0])
    world = entry.recipe.world if entry else templates.DEFAULT_WORLD
    app = registry.load(wanted.slug)
    siblings = [op for op in app.operations.values() if op.reads and op.mcp]
    siblings.sort(key=lambda op: (-len(set(wanted.nouns) & {singular(t) for t in tokens(op.tool)}), op.tool))
    found = list[tuple[int, Patch]]()
    for op in siblings:
        properties: dict[str, Any] = op.input_schema.get("properties", {})
        required = set(op.input_schema.get("required", ()))
        shared = [n for n in wanted.arguments if n in properties]
        if not required <= set(wanted.always):
            continue
        sizes = {
            n: s
            for n in properties
            if re.search(r"limit|per_page|page_?size|max_?results|count$|first$|size$", n)
            and (s := _most(properties[n]))
        }
        for passed in ([shared] if shared else []) + ([[]] if not required else []):
            episode = templates.episode([wanted.slug], world, "evolve")
            reply = episode.call(wanted.slug, op.tool, {**{n: wanted.arguments[n] for n in passed}, **sizes})
            if reply.status < 400:
                found += list(_narrowed(wanted, op.tool, passed, sizes, reply.body))
    yield from (patch for _, patch in sorted(found, key=lambda f: f[0]))


def _most(schema: Mapping[str, Any]) -> int:
    if "integer" not in kinds_of(schema):
        return 0
    arms = [schema, *schema.get("anyOf", ())]
    return next((int(a["maximum"]) for a in arms if "maximum" in a), 0)


def _narrowed(
    wanted: Wanted, tool: str, passed: list[str], sizes: Mapping[str, int], body: Any
) -> Iterator[tuple[int, Patch]]:
    own = {n: n for n in wanted.arguments}
    given = ", ".join([*(f"{n!r}: {own[n]}" for n in passed), *(f"{n!r}: {v}" for n, v in sizes.items())])
    call = f"reply = ctx.call({tool!r}, {{{given}}})\nif reply.error:\n    return reply\n"
    rest = [n for n in wanted.arguments if n not in passed]
    for path, items in _lists(body):
        where = "reply.body" + "".join(f"[{p!r}]" for p in path)
        if wanted.verb == "get":
            for name in rest:
                keys = [k for k, v in items[0].items() if not isinstance(v, (dict, list))]
                held = next((k for k in keys for i in items if str(i.get(k)) == str(wanted.arguments[name])), None)
                if held is None:
                    continue
                pick = f"found = next((one for one in {where} if str(one[{held!r}]) == str({name})), None)\nif found is None:\n"
                pick += f"    raise ctx.app.not_found({wanted.nouns[-1].capitalize() if wanted.nouns else 'Object'!r}, {name})\n"
                for order, shown in enumerate(
                    ("found", f"{{{wanted.nouns[-1] if wanted.nouns else 'object'!r}: found}}")
                ):
                    made = declared_as(wanted, f"{call}{pick}return Reply({shown})", f"out of {tool}", f"Shows a {' '.join(wanted.nouns)}.", returns="Reply",
                                       method="get")  # fmt: skip
                    if made is not None:
                        yield order - len(items[0]), made
        else:
            tests = [t for n in rest if (t := _test(n, wanted.arguments[n], items, n in wanted.always))]
            kept = f"kept = [one for one in {where} if {' and '.join(tests)}]\n" if tests else ""
            if not tests and rest and set(rest) & wanted.always:
                continue
            put = f"{where} = kept\n" if tests else ""
            made = declared_as(wanted, f"{call}{kept}{put}return Reply(reply.body)", f"out of {tool}", f"Lists {' '.join(map(plural, wanted.nouns[-1:]))}.",
                               returns="Reply", method="get")  # fmt: skip
            if made is not None:
                yield 10 - 3 * len(tests), made


def _test(name: str, value: Any, items: list[dict[str, Any]], always: bool) -> str:
    """A condition on an item that an argument states: that a field of its name, or one that holds such values, is equal, or says it."""
    plain = re.sub(r"[^a-z]", "", name.lower())
    keys = [k for k in items[0] if re.sub(r"[^a-z]", "", k.lower()) in (plain, f"{plain}id", plain.removesuffix("id"))]
    keys += [
        k
        for k, v in items[0].items()
        if isinstance(value, (int, str)) and any(str(i.get(k)) == str(value) for i in items) and k not in keys
    ]
    optional = "" if always else f"{name} is None or "
    if keys:
        return f"({optional}str(one[{keys[0]!r}]) == str({name}))"
    if isinstance(value, str) and re.search(r"query|text|search|name|term|^q$", name):
        return f"({optional}str({name}).lower() in str(one).lower())"
    return ""


def _lists(body: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], list[dict[str, Any]]]]:
    if isinstance(body, dict):
        for key, inner in body.items():
            if isinstance(inner, list) and inner and all(isinstance(i, dict) for i in inner):
                yield (*path, key), inner
            elif isinstance(inner, dict) and len(path) < 2:
                yield from _lists(inner, (*path, key))
    elif isinstance(body, list) and body and all(isinstance(i, dict) for i in body):
        yield path, body


def _through_bulk(wanted: Wanted) -> Iterator[Patch]:
    """The operation for many, called for one."""
    app = registry.load(wanted.slug)
    for tool, op in app.operations.items():
        words = tokens(tool)
        if (
            op.reads
            or not set(words) & {"many", "bulk", "batch"}
            or not wanted.nouns
            or wanted.nouns[-1] not in {singular(w) for w in words}
        ):
            continue
        if next((VERBS[w] for w in words if w in VERBS), "") != wanted.verb:
            continue
        keys = [n for n in wanted.arguments if re.search(r"(^|_)id$|Id$|^id", n)][:1]
        rest = [n for n in wanted.arguments if n not in keys]
        properties = op.input_schema.get("properties", {})
        ways = list[str]()
        if keys and "ids" in properties:
            ways.append(f"{{'ids': [{keys[0]}], " + ", ".join(f"{n!r}: {n}" for n in rest if n in properties) + "}")
        if keys and "inputs" in properties:
            ways.append(f"{{'inputs': [{{'id': {keys[0]}, " + ", ".join(f"{n!r}: {n}" for n in rest) + "}]}")
        for name in properties:
            if keys and name in (plural(wanted.nouns[-1]), "records", "items"):
                ways.append(f"{{{name!r}: [{{'id': {keys[0]}, " + ", ".join(f"{n!r}: {n}" for n in rest) + "}]}")
        for given in ways:
            for shown in (
                "reply.body",
                "reply.body['results'][0]",
                f"{{{wanted.nouns[-1]!r}: reply.body[{plural(wanted.nouns[-1])!r}][0]}}",
            ):
                body = f"reply = ctx.call({tool!r}, {given})\nif reply.error:\n    return reply\nreturn Reply({shown})"
                made = declared_as(
                    wanted, body, f"as {tool} does it for many", f"Changes a {wanted.nouns[-1]}.", returns="Reply"
                )
                if made is not None:
                    yield made
