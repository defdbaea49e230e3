"""Damage for the benchmark: what real fleets lack, taken out of a copy by lot. The repairing side never imports this module.

Each kind is a function that answers the edits of one instance, or None where the chosen place has nothing of the kind.
"""

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import tomlkit

from legoenv_mcp.controller import catalogue
from legoenv_mcp.controller.atoms import Intent, load
from legoenv_mcp.controller.kinds import kind as entity_kind
from legoenv_mcp.evolve import fleet, source
from legoenv_mcp.evolve.damage_ground import READING, Damage, Ground, Standing
from legoenv_mcp.evolve.damage_servers import (
    filter_removed,
    operation_removed,
    parameter_removed,
    response_field_dropped,
    transition_removed,
)
from legoenv_mcp.evolve.fleet import Atom, Edit

# Data


def _picked(ground: Ground) -> tuple[Standing, str, str, list[dict[str, str]], dict[str, str]] | None:
    """An environment, one of its picks, the CSV that has it, its rows, and the pick's."""
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
        if "checked" in goal:
            continue  # a check in Python asks for its arguments: without one it falls over
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
        operation_removed,
        parameter_removed,
        filter_removed,
        response_field_dropped,
        transition_removed,
        row_removed,
        row_ambiguous,
        slot_underivable,
        selector_loosened,
        wording_loses_value,
        rule_unpublished,
        predicate_wrong,
        verifier_tightened,
        verifier_loosened,
    )
}
