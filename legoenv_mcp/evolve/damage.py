"""Damage for the benchmark: what real fleets lack, taken out of a copy by lot. The repairing side never imports this module.

Each kind is a function that answers the edits of one instance, or None where the chosen place has nothing of the kind.
"""

import ast
import copy
import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import tomlkit

from legoenv_mcp.controller.atoms import Intent, load
from legoenv_mcp.evolve import fleet, source
from legoenv_mcp.evolve.draw import Lot
from legoenv_mcp.evolve.fleet import Atom, Edit

Standing = dict[str, Any]
READING = ("list", "get", "find", "search", "read", "check", "show", "retrieve", "query", "download")


@dataclass(frozen=True)
class Damage:
    """One instance: its kind, the atom that it is done to, the files as they are then."""

    kind: str
    atom: Atom
    edits: tuple[Edit, ...]
    what: str
    broken: tuple[str, ...] = field(default=())


@dataclass
class Ground:
    """What damage may be done to: environments that are proven, with what they rest on and call."""

    environments: Sequence[Standing]
    lot: Lot

    def calls(self, reads: bool | None = None) -> list[tuple[Standing, dict[str, Any]]]:
        return [
            (e, c)
            for e in self.environments
            for c in e.get("calls", ())
            if reads is None or bool(re.match("|".join(READING), _word(c["tool"]))) == reads
        ]


def _word(tool: str) -> str:
    return re.sub(r"^(API-)?", "", tool).lower()


# Server atoms


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
        isinstance(key, ast.Constant) and isinstance(key.value, str) and isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name)
    )  # fmt: skip


def _without_entry(module: source.Module, key: ast.expr, value: ast.expr) -> str:
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


# Data


def _picked(ground: Ground) -> tuple[Standing, str, str, list[dict[str, str]], dict[str, str]] | None:
    """An environment, one of its picks, the CSV that has it, its rows, and the pick's."""
    from legoenv_mcp.controller import catalogue

    e = ground.lot.one(ground.environments)
    entry = catalogue.entries().get(e["id"])
    if entry is None or not entry.recipe.picks:
        return None
    name = ground.lot.one(sorted(entry.recipe.picks))
    key = entry.recipe.picks[name]
    for path in source.world_files(e["world"]):
        rows = list(csv.DictReader(io.StringIO(fleet.read(path) or "")))
        mine = [r for r in rows if r.get("key") == key]
        if mine:
            return e, name, path, rows, mine[0]
    return None


def _csv(rows: Sequence[Mapping[str, str]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def row_removed(ground: Ground) -> Damage | None:
    """An entity that tasks are about is no longer there."""
    found = _picked(ground)
    if found is None:
        return None
    e, _, path, rows, mine = found
    kept = [r for r in rows if r is not mine]
    return (
        Damage("row_removed", Atom("data", e["world"]), (Edit(path, _csv(kept)),), f"{path} {mine['key']}")
        if kept
        else None
    )


def row_ambiguous(ground: Ground) -> Damage | None:
    """Another entity has the very words by which a task points at one."""
    found = _picked(ground)
    if found is None:
        return None
    e, name, path, rows, mine = found
    by = load(Intent, e["intent"]).pick[name].by
    others = [r for r in rows if r is not mine]
    if not by or not others or not set(by) <= set(mine):
        return None
    other = ground.lot.one(others)
    other.update({column: mine[column] for column in by})
    return Damage(
        "row_ambiguous", Atom("data", e["world"]), (Edit(path, _csv(rows)),), f"{path} {other['key']} is {mine['key']}"
    )


# Intents, rules, verifiers


def _document(kind: str, name: str) -> tuple[str, Any]:
    path = source.atom_file(kind, name)
    return path, tomlkit.parse(fleet.read(path) or "")


def _made(kind: str, atom: Atom, path: str, document: Any, what: str) -> Damage:
    return Damage(kind, atom, (Edit(path, tomlkit.dumps(document)),), what)


def _intent(ground: Ground) -> tuple[Standing, str, Any] | None:
    e = ground.lot.one(ground.environments)
    return (e, *_document("intent", e["intent"])) if e["intent"] else None


def slot_underivable(ground: Ground) -> Damage | None:
    """A step that reads what the task needs is no longer among its steps."""
    found = _intent(ground)
    if found is None:
        return None
    e, path, document = found
    reads = [s for s in document.get("step", []) if re.match("|".join(READING), str(s.get("do", "")).partition(".")[2])]
    reads = [s for s in reads if not s.get("id")]
    if not reads:
        return None
    step = ground.lot.one(reads)
    document["step"].remove(step)
    return _made("slot_underivable", Atom("intent", e["intent"]), path, document, f"{e['intent']}: {step['do']}")


def selector_loosened(ground: Ground) -> Damage | None:
    """The words that single an entity out become words that many share."""
    found = _intent(ground)
    if found is None:
        return None
    e, path, document = found
    picks = [n for n, p in document.get("pick", {}).items() if p.get("by")]
    if not picks:
        return None
    name = ground.lot.one(picks)
    pick = document["pick"][name]
    coarse = [
        f
        for f in ("status", "priority", "stage", "kind", "company", "owner", "currency", "project", "department")
        if f not in pick["by"]
    ]
    from legoenv_mcp.controller.kinds import kind as entity_kind

    fields = entity_kind(str(pick["kind"])).model_fields
    coarse = [f for f in coarse if f in fields]
    if not coarse:
        return None
    pick["by"] = [ground.lot.one(coarse)]
    return _made("selector_loosened", Atom("intent", e["intent"]), path, document, f"{e['intent']}: {name}")


def wording_loses_value(ground: Ground) -> Damage | None:
    """A phrasing no longer says a value that it has to say."""
    found = _intent(ground)
    if found is None:
        return None
    e, path, document = found
    phrasings = document["phrasing"]
    one = phrasings[e["phrasing"] % len(phrasings)]
    held = sorted(set(re.findall(r"\{\{[^{}]+\}\}", str(one["text"]))))
    if not held:
        return None
    expression = ground.lot.one(held)
    one["text"] = str(one["text"]).replace(expression, "it")
    return _made("wording_loses_value", Atom("intent", e["intent"]), path, document, f"{e['intent']}: {expression}")


def rule_unpublished(ground: Ground) -> Damage | None:
    """A policy's figure, or the whole policy, is no longer said where it is published."""
    among = [e for e in ground.environments if e["rules"]]
    if not among:
        return None
    e = ground.lot.one(among)
    if e["places"] and ground.lot.below(3) == 0:
        place = ground.lot.one(e["places"])
        path, document = _document("place", place)
        text = tomlkit.dumps(document)
        made = re.sub(r"\{\{ text \}\}", "", text)
        return Damage("rule_unpublished", Atom("place", place), (Edit(path, made),), place) if made != text else None
    rule = ground.lot.one(e["rules"])
    path, document = _document("rule", rule)
    held = sorted(set(re.findall(r"\{\{[^{}]+\}\}", str(document["text"]))))
    if not held:
        return None
    document["text"] = str(document["text"]).replace(ground.lot.one(held), "the agreed figure")
    return _made("rule_unpublished", Atom("rule", rule), path, document, rule)


_FLIPPED = {">=": "<", "<=": ">", ">": "<=", "<": ">=", "==": "!=", "!=": "=="}


def predicate_wrong(ground: Ground) -> Damage | None:
    """A rule's condition, or what it says of the end, the wrong way round."""
    among = [e for e in ground.environments if e["rules"]]
    if not among:
        return None
    rule = ground.lot.one(ground.lot.one(among)["rules"])
    path, document = _document("rule", rule)
    where = [w for w in ("agrees", "when") if re.search(r"[<>]=?|[!=]=", str(document.get(w, "")))]
    if not where:
        return None
    word = ground.lot.one(where)
    document[word] = re.sub(r"[<>]=|[!=]=|[<>]", lambda m: _FLIPPED[m[0]], str(document[word]), count=1)
    return _made("predicate_wrong", Atom("rule", rule), path, document, f"{rule}: {word}")


def _goals(ground: Ground) -> Iterator[tuple[str, str, Any, Any]]:
    e = ground.lot.one(ground.environments)
    kind, name = (
        ("rule", ground.lot.one(e["rules"])) if e["rules"] and ground.lot.below(3) == 0 else ("intent", e["intent"])
    )
    if not name:
        return
    path, document = _document(kind, name)
    for goal in ground.lot.shuffled(list(document.get("goal", []))):
        yield name, path, document, goal


def verifier_tightened(ground: Ground) -> Damage | None:
    """A goal demands what nobody was asked for: one more fact, or the very wording of the reference."""
    for name, path, document, goal in _goals(ground):
        for part in ("with", "to"):
            for matcher in goal.get(part, {}).values():
                if isinstance(matcher, dict) and isinstance(matcher.get("facts"), list):
                    matcher["facts"].append(ground.lot.one(["= agent.title", "regards", "= agent.email"]))
                    return _made(
                        "verifier_tightened", Atom("verifier", name), path, document, f"{name}: {goal['name']}"
                    )
    return None


def verifier_loosened(ground: Ground) -> Damage | None:
    """A goal no longer demands a field or a fact that matters."""
    for name, path, document, goal in _goals(ground):
        for part in ground.lot.shuffled(["with", "to"]):
            fields = goal.get(part, {})
            for key in ground.lot.shuffled(sorted(fields)):
                matcher = fields[key]
                facts = matcher.get("facts") if isinstance(matcher, dict) else None
                if isinstance(facts, list) and len(facts) > 1:
                    facts.pop(ground.lot.below(len(facts)))
                    return _made(
                        "verifier_loosened", Atom("verifier", name), path, document, f"{name}: {goal['name']} {key}"
                    )
                if len(fields) > 1:
                    del fields[key]
                    return _made(
                        "verifier_loosened", Atom("verifier", name), path, document, f"{name}: {goal['name']} {key}"
                    )
    return None


KINDS: dict[str, Callable[[Ground], Damage | None]] = {
    one.__name__: one
    for one in (
        operation_removed, parameter_removed, filter_removed, response_field_dropped, transition_removed, row_removed, row_ambiguous,
        slot_underivable, selector_loosened, wording_loses_value, rule_unpublished, predicate_wrong, verifier_tightened, verifier_loosened,
    )
}  # fmt: skip
