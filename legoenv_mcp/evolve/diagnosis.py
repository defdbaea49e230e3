"""Diagnosis: signals of many environments become findings, each a cause and one atom, the widest and likeliest first.

A failed check often admits several explanations. Each becomes a finding of its own; which one is right is shown by a repair that works.
How likely an atom is at fault is told by the company it keeps: one whose environments all fail is, one whose others are proven is not.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from legoenv_mcp.evolve.fleet import Atom

Standing = dict[str, Any]
UNKNOWN: Standing = {
    "intent": "", "apps": [], "rules": [], "traps": [], "places": [], "world": "", "binding": {}, "phrasing": 0,
}  # fmt: skip
"""What is told of an environment that the catalogue does not know."""
Signal = dict[str, Any]
CAUSES = {
    "missing_operation": "a plan needs a tool that the app does not have",
    "missing_parameter": "an operation lacks a parameter",
    "missing_choice": "a parameter does not take a value that it should: a state that cannot be brought about",
    "missing_field": "an answer lacks a field that is needed",
    "absent": "an entity that tasks are about is not in the world",
    "ambiguous": "two entities cannot be told apart",
    "selector": "the words that an intent points with do not single an entity out",
    "wording": "a phrasing does not say a value that it has to say",
    "unread": "no step reads a value that the task needs",
    "unpublished": "a rule, or one of its figures, is said nowhere",
    "predicate": "a rule's condition contradicts what it says",
    "strict": "a goal refuses a right end",
    "loose": "a goal accepts a wrong end",
    "broken": "an operation refuses or answers wrongly what it should do",
}
_LOOSE = ("V1", "V2", "V3", "V5", "V7")


@dataclass
class Finding:
    """A cause and the atom to blame for it, with the environments and signals that say so. `about` tells one instance from another."""

    cause: str
    atom: Atom
    about: str
    environments: list[str] = field(default_factory=list[str])
    evidence: list[Signal] = field(default_factory=list[Signal])
    weight: float = 0.0

    @property
    def key(self) -> tuple[str, str, str]:
        return self.cause, str(self.atom), self.about

    def as_json(self) -> dict[str, Any]:
        return {
            "cause": self.cause,
            "atom": str(self.atom),
            "about": self.about,
            "environments": self.environments,
            "evidence": [s["detail"] for s in self.evidence[:3]],
        }


def diagnose(standings: Iterable[Standing]) -> list[Finding]:
    """Every explanation of every failure, the likeliest first."""
    found, every = dict[tuple[str, str, str], Finding](), list(standings)
    blame = _suspicion(every)
    for e in every:
        if e["proven"]:
            continue
        for signal in e["signals"]:
            for finding in explained(signal, e):
                held = found.setdefault(finding.key, finding)
                if e["id"] not in held.environments:
                    held.environments.append(e["id"])
                    held.evidence.append({**signal, "environment": e["id"], "phrasing": e["phrasing"]})
    for finding in found.values():
        guessed = finding.about.endswith("?") and finding.atom.kind == "server"
        finding.weight = (0.1 if guessed else _CERTAIN.get(finding.cause, 0.0)) + blame.get(_home(finding.atom), 0.0)
    return sorted(found.values(), key=lambda f: (-f.weight, -len(f.environments), f.key))


# A tool that is not there is not there; a check that fails has many mothers.
_CERTAIN = {
    "missing_operation": 3.0,
    "missing_parameter": 3.0,
    "missing_choice": 3.0,
    "absent": 3.0,
    "missing_field": 2.0,
    "ambiguous": 1.2,
    "selector": 1.1,
    "strict": 0.6,
    "wording": 0.5,
    "unpublished": 0.45,
    "unread": 0.4,
    "loose": 0.4,
    "predicate": 0.5,
}


def _home(atom: Atom) -> str:
    return f"intent {atom.id}" if atom.kind == "verifier" else str(atom)


def _atoms(e: Standing) -> set[str]:
    single = {f"intent {e['intent']}", f"data {e['world']}"}
    return single | {
        f"{k} {n}"
        for k, ks in (("server", "apps"), ("rule", "rules"), ("place", "places"), ("trap", "traps"))
        for n in e[ks]
    }


def _suspicion(every: Iterable[Standing]) -> dict[str, float]:
    """Ochiai's measure for each atom: its failures over the mean of all failures and its own uses."""
    failed, uses, total = dict[str, int](), dict[str, int](), 0
    for e in every:
        total += not e["proven"]
        for atom in _atoms(e):
            uses[atom] = uses.get(atom, 0) + 1
            failed[atom] = failed.get(atom, 0) + (not e["proven"])
    # Without the square root over all failures, which only scales: here many faults are at work at once.
    return {atom: failed[atom] / uses[atom] for atom in uses}


def explained(signal: Signal, e: Standing) -> Iterator[Finding]:
    """Every explanation of one signal of an environment, of which `e` tells what it rests on."""
    kind = signal["kind"]
    intent = Atom("intent", e["intent"])
    if kind == "unknown_tool":
        yield Finding("missing_operation", Atom("server", signal["app"]), signal["tool"])
    elif kind == "bad_argument":
        path = ".".join(signal["path"])
        if signal["problem"] == "unknown":
            yield Finding("missing_parameter", Atom("server", signal["app"]), f"{signal['tool']} {path}")
        else:
            yield Finding("missing_choice", Atom("server", signal["app"]), f"{signal['tool']} {path} {signal['value']}")
    elif kind == "missing_field":
        yield Finding("missing_field", Atom("server", signal["app"]), f"{signal['tool']} {signal['field']}")
    elif kind in ("absent", "unlike", "few"):
        yield Finding(
            "absent", Atom("data", signal["world"]), f"{signal.get('entity', '')} {signal.get('key', '')}".strip()
        )
    elif kind == "tie":
        if len(signal["others"]) < 3:  # many that share a word are no accident of the data
            yield Finding("ambiguous", Atom("data", signal["world"]), f"{signal['entity']} {signal['key']}")
        yield Finding("selector", intent, signal["pick"])
    elif kind in ("refused", "plan"):
        yield (
            Finding("broken", Atom("server", signal["app"]), signal["tool"])
            if signal.get("app")
            else Finding("broken", intent, "plan")
        )
        yield from (
            Finding("missing_field", Atom("server", signal["app"]), f"{signal['tool']} ?")
            for _ in range(bool(signal.get("app")))
        )
    elif kind == "unmet":
        yield from (Finding("strict", home, signal["goal"]) for home in _verifiers(e))
        yield from _rules("predicate", e)
    elif kind == "check":
        yield from _explain_check(signal, e, intent)
    elif kind in ("underivable", "scene"):
        yield from _explain_text(signal["detail"], e, intent)


def _explain_check(signal: Signal, e: Standing, intent: Atom) -> Iterator[Finding]:
    rule = signal["rule"]
    if rule == "V13":
        if any(not o.endswith((".id", ".key")) for o in signal.get("origins", ())) or not _ids(signal):
            yield Finding("wording", intent, f"phrasing {e['phrasing']}")
        yield Finding("unread", intent, "steps")
        yield from _rules("unpublished", e)
        yield from (Finding("unpublished", Atom("place", p), "text") for p in e["places"])
        yield from (Finding("missing_field", Atom("server", slug), "?") for slug in e["apps"])
    elif rule in ("V9", "V10") and "passes" in signal["name"]:
        yield from (Finding("strict", home, "?") for home in _verifiers(e))
        yield from _rules("predicate", e)
    elif rule in _LOOSE:
        yield from (Finding("loose", home, "?") for home in _verifiers(e))
        yield from _rules("predicate", e)
        if rule == "V3":
            yield from _rules("unpublished", e)
    elif rule == "V14":
        yield from (Finding("selector", intent, name) for name in ("?",))
    elif rule == "derive":
        yield from _explain_text(signal["said"], e, intent)


def _ids(signal: Signal) -> bool:
    """Whether all that is lost are ids, which no wording says."""
    return all(re.search(r"\d", v) and " " not in v and len(v) > 5 for v in signal.get("lost", ())) and bool(
        signal.get("lost")
    )


def _explain_text(text: str, e: Standing, intent: Atom) -> Iterator[Finding]:
    if match := re.search(r"V15: (\w+):", text):
        yield Finding("predicate", Atom("rule", match[1]), "agrees")
        return
    if "V14:" in text:
        return  # the tie has a signal of its own
    yield from _rules("predicate", e)
    if "trap:" in text:
        yield from (Finding("loose", home, "?") for home in _verifiers(e))
        yield Finding("absent", Atom("data", e["world"]), "")


def _rules(cause: str, e: Standing) -> Iterator[Finding]:
    yield from (Finding(cause, Atom("rule", name), "") for name in e["rules"])


def _verifiers(e: Standing) -> Iterator[Atom]:
    """Where an environment's goals are stated: its intent and its rules."""
    yield Atom("verifier", e["intent"])
    yield from (Atom("verifier", name) for name in e["rules"])


def counted(findings: Iterable[Finding]) -> Mapping[str, int]:
    """How many environments each cause stands behind, so that a few shared causes stand out."""
    by_cause = dict[str, set[str]]()
    for finding in findings:
        by_cause.setdefault(finding.cause, set()).update(finding.environments)
    return {cause: len(ids) for cause, ids in sorted(by_cause.items(), key=lambda item: -len(item[1]))}
