"""Rollouts as signals: what several independent runs of agents were refused for the same reason.

One agent's slip says little of the fleet; a tool that many ask for by the same name, a parameter that many send, says that it is missing.
`heard` and `answered` run in a nursery's child.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from legoenv_mcp import registry
from legoenv_mcp.controller import catalogue, environments
from legoenv_mcp.evaluate.rollout import Call, Rollout, finished
from legoenv_mcp.evolve.diagnosis import Finding, Signal, explained
from legoenv_mcp.evolve.examine import rests_on
from legoenv_mcp.evolve.fleet import Atom
from legoenv_mcp.kernel.episode import UnknownTool
from legoenv_mcp.kernel.operations import InvalidArguments

LEAST = 3
"""So many rollouts must say the same."""
MENDED = ("missing_operation", "missing_parameter", "missing_choice")
"""What a patch can be judged on without a proof that fails: the calls that were refused are answered."""
_BLIND = ("baseline:noop", "baseline:random")


@dataclass
class Heard:
    """What rollouts say: of each finding, how many rollouts do."""

    rollouts: int = 0
    environments: list[str] = field(default_factory=list[str])
    findings: list[tuple[Finding, int]] = field(default_factory=list[tuple[Finding, int]])

    def as_json(self) -> dict[str, Any]:
        said = [{**f.as_json(), "rollouts": n, "mendable": f.cause in MENDED} for f, n in self.findings]
        return {"rollouts": self.rollouts, "environments": len(self.environments), "findings": said}


def gathered(told: Mapping[str, Any], least: int = LEAST) -> Heard:
    """Findings out of what `heard` answers: those that at least so many rollouts share, the most shared first."""
    found, voices = dict[tuple[str, str, str], Finding](), defaultdict[tuple[str, str, str], set[str]](set)
    for signal in told["signals"]:
        for finding in _explained(signal, signal["standing"]):
            mine = found.setdefault(finding.key, finding)
            voices[finding.key].add(signal["rollout"])
            mine.evidence.append(signal)
            if signal["environment"] not in mine.environments:
                mine.environments.append(signal["environment"])
    shared = [(f, len(voices[key])) for key, f in found.items() if len(voices[key]) >= least]
    return Heard(told["rollouts"], told["environments"], sorted(shared, key=lambda one: (-one[1], one[0].key)))


def _explained(signal: Signal, standing: Mapping[str, Any]) -> Iterator[Finding]:
    if signal["kind"] == "unanimous":
        yield Finding("strict", Atom("verifier", standing["intent"]), signal["assertion"])
    elif signal["kind"] == "refused":
        yield Finding(
            "broken", Atom("server", signal["app"]), f"{signal['tool']} {signal['status']} {signal['reason']}"
        )
    else:
        yield from explained(signal, dict(standing))


# In a nursery's child


def heard(runs: Sequence[str]) -> dict[str, Any]:
    """Signals of the valid rollouts of run folders, as far as their environments are in the catalogue. Baselines that do not look are
    left out. ValueError, naming the file, where a rollout cannot be read."""
    entries, signals, seen = catalogue.entries(), list[Signal](), list[Rollout]()
    for at, run in enumerate(runs):
        for rollout in finished(Path(run)):
            if rollout.verdict == "invalid" or rollout.model in _BLIND or rollout.environment not in entries:
                continue
            seen.append(rollout)
            name = f"{at} {rollout.model} {rollout.environment} {rollout.attempt}"
            common = {
                "rollout": name,
                "environment": rollout.environment,
                "phrasing": entries[rollout.environment].recipe.phrasing,
                "standing": rests_on(entries[rollout.environment]),
            }
            signals += [{**signal, **common} for call in rollout.calls for signal in _told(rollout, call)]
    signals += _unanimous(seen, {s["environment"]: s["standing"] for s in signals}, entries)
    return {
        "rollouts": len(seen),
        "environments": sorted({r.environment for r in seen}),
        "signals": signals,
    }


def _told(rollout: Rollout, call: Call) -> Iterator[Signal]:
    if not 400 <= call.status < 500 or not isinstance(call.arguments, dict) or rollout.toolset != "mcp":
        return
    slug, _, tool = call.tool.partition("__")  # as in an episode of several apps
    if len(rollout.apps) == 1:
        (slug,), tool = rollout.apps, call.tool
    if slug not in rollout.apps:
        return
    common = {"app": slug, "tool": tool, "arguments": call.arguments, "verb": tool, "step": "", "status": call.status}
    operation = registry.load(slug).operations.get(tool)
    if operation is None or not operation.mcp:
        if call.tool not in {t.get("function", {}).get("name") for t in rollout.tools}:
            yield {"kind": "unknown_tool", "detail": f"{slug} has no tool {tool}", **common}
        return
    try:
        operation.validate(operation.tool_arguments(call.arguments))
    except InvalidArguments as error:
        for p in error.problems:
            if p.kind in ("unknown", "enum"):
                detail = f"{slug}.{tool}: {'.'.join(map(str, p.path))}: {p.message}"
                where = {"path": [str(x) for x in p.path], "problem": p.kind, "value": p.value}
                yield {"kind": "bad_argument", "detail": detail, **where, **common}
        return
    reason = " ".join(call.result.split())[:120]
    yield {"kind": "refused", "detail": f"{slug}.{tool}: {call.status} {reason}", "reason": reason, **common}


def _unanimous(
    rollouts: Iterable[Rollout], standings: dict[str, Any], entries: Mapping[str, catalogue.Entry]
) -> Iterator[Signal]:
    """Assertions that every rollout of an environment fails."""
    by_environment = defaultdict[str, list[Rollout]](list)
    for rollout in rollouts:
        by_environment[rollout.environment].append(rollout)
    for name, mine in sorted(by_environment.items()):
        failed = Counter(a.name for r in mine for a in r.assertions if not a.passed)
        for assertion in sorted(a for a, n in failed.items() if n == len(mine)):
            for n, rollout in enumerate(mine):
                detail = next(a.detail for a in rollout.assertions if a.name == assertion)
                yield {
                    "kind": "unanimous",
                    "detail": f"{assertion}: {detail}"[:400],
                    "assertion": assertion,
                    "rollout": f"{name} {n}",
                    "environment": name,
                    "phrasing": entries[name].recipe.phrasing,
                    "standing": standings.get(name) or rests_on(entries[name]),
                }


def answered(calls: Sequence[Mapping[str, Any]]) -> list[bool]:
    """Whether each call, made first thing in an episode of its environment, is answered."""
    found = list[bool]()
    for call in calls:
        episode = environments.load(call["environment"]).episode()
        try:
            found.append(episode.call(call["app"], call["tool"], call["arguments"]).status < 400)
        except UnknownTool:
            found.append(False)
    return found
