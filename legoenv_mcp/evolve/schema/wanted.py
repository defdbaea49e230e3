"""The operation that is missing, as far as its callers tell: its verb and nouns, what they give, what they look for in its answer."""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from legoenv_mcp.evolve import source
from legoenv_mcp.evolve.schema.words import FIRST_WORDS, VERBS, is_plural, singular, tokens
from legoenv_mcp.evolve.source import Declared

Finding = Mapping[str, Any]


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
    beside: tuple[str, ...] = ()
    """Parameters that no known caller gives, as they are declared: `archived: bool = False`."""

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

    def said(self, argument: str = "") -> set[str]:
        """The words of its name, and of the verbs of a capability that call it (with an argument)."""
        evidence = [s for s in self.finding["evidence"] if not argument or argument in s.get("arguments", {})]
        return {w for s in evidence for w in tokens(str(s.get("verb", "")))} | set(tokens(self.tool))

    @property
    def name(self) -> str:
        return re.sub(r"\W+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.tool)).strip("_").lower()

    def why(self, how: str) -> str:
        ids = self.finding["environments"]
        who = self.finding["evidence"][0].get("verb", "")
        return (
            f"{self.tool}, {how}.\n\n{len(ids)} environments need it for {who}, as {ids[0]} does. Added by evolution.\n"
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
