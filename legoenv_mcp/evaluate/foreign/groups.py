"""What a benchmark's own groups came to: of the tasks that were run, and saying how many of its tasks those are.

Figures over several groups are given only where each of them was run whole, as the benchmark defines them. BFCL's Overall never is:
it counts a category that was not run as 0, and its agentic categories cannot be run here.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from legoenv_mcp.evaluate.metrics import Outcomes, mcpmark
from legoenv_mcp.evaluate.rollout import Rollout, finished

ABOUT = "benchmark.json"
"""In the run folder: which benchmark, its version, and how many tasks each group has in the whole of it."""


@dataclass(slots=True)
class Group:
    """A category or a domain. `of`: its tasks in the whole benchmark."""

    name: str
    of: int
    verdicts: dict[str, dict[int, bool | None]] = field(default_factory=dict[str, dict[int, bool | None]])
    shares: list[float] = field(default_factory=list[float])

    def add(self, rollout: Rollout) -> None:
        passed = None if rollout.verdict == "invalid" else rollout.verdict == "passed"
        self.verdicts.setdefault(rollout.environment, {})[rollout.attempt] = passed
        if passed is not None:
            self.shares.append(rollout.share)

    @property
    def outcomes(self) -> list[Outcomes]:
        return [Outcomes(name, verdicts) for name, verdicts in self.verdicts.items()]

    @property
    def score(self) -> float | None:
        """The mean over its tasks of the share of valid rollouts that passed."""
        rates = [o.rate for o in self.outcomes if o.valid]
        return fmean(rates) if rates else None

    @property
    def whole(self) -> bool:
        return 0 < self.of == sum(o.valid > 0 for o in self.outcomes)

    def as_json(self) -> dict[str, Any]:
        return {
            "group": self.name, "tasks": len(self.verdicts), "of": self.of, "whole": self.whole,
            "rollouts": sum(len(v) for v in self.verdicts.values()), "invalid": sum(o.invalid for o in self.outcomes),
            "score": self.score, "share_of_assertions": fmean(self.shares) if self.shares else None,
        }  # fmt: skip


def groups(run: Path) -> dict[str, Any] | None:
    """A run folder's benchmark: `{"benchmark", "version", "groups": [...], "combined": [...], "not_run": [...]}`.

    None where the folder holds no benchmark's rollouts. ValueError, naming the file, where one cannot be read.
    """
    path = run / ABOUT
    if not path.is_file():
        return None
    try:
        about = json.loads(path.read_bytes())
        found = {name: Group(name, size) for name, size in about["groups"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: {type(error).__name__} {error}") from None
    for rollout in finished(run):
        if rollout.domain in found:
            found[rollout.domain].add(rollout)
    there = {name: group for name, group in found.items() if group.verdicts}
    return {
        "benchmark": about["benchmark"],
        "version": about["version"],
        "groups": [group.as_json() for group in there.values()],
        "combined": list(_combined(about["benchmark"], found)),
        "not_run": [name for name in found if name not in there],
    }


def _combined(benchmark: str, found: Mapping[str, Group]) -> Iterable[dict[str, Any]]:
    match benchmark:
        case "bfcl":
            yield from _bfcl(found)
        case "mcpmark":
            yield from _mcpmark(found)
        case "automationbench":
            public = [g for name, g in found.items() if name != "simple"]
            if len(public) == 6 and all(g.whole for g in public):
                yield _of("public", public, fmean([o.rate for g in public for o in g.outcomes]))


def _of(name: str, groups: Iterable[Group], score: float) -> dict[str, Any]:
    return {"name": name, "groups": [g.name for g in groups], "score": score}


_MULTI_TURN = ("multi_turn_base", "multi_turn_miss_func", "multi_turn_miss_param", "multi_turn_long_context")
_SIMPLE = ("simple_python", "simple_java", "simple_javascript")
_AST = ("multiple", "parallel", "parallel_multiple")
_LIVE = ("live_simple", "live_multiple", "live_parallel", "live_parallel_multiple")


def _bfcl(found: Mapping[str, Group]) -> Iterable[dict[str, Any]]:
    """BFCL's parts, each as its leaderboard has it."""
    whole = {name: group for name, group in found.items() if group.whole}
    scores = {name: group.score or 0.0 for name, group in whole.items()}
    if whole.keys() >= set(_MULTI_TURN):
        yield _of("multi_turn", (whole[n] for n in _MULTI_TURN), fmean(scores[n] for n in _MULTI_TURN))
    if whole.keys() >= {*_SIMPLE, *_AST}:
        simple = fmean(scores[n] for n in _SIMPLE)
        parts = [simple, *(scores[n] for n in _AST)]
        yield _of("non_live", (whole[n] for n in (*_SIMPLE, *_AST)), fmean(parts))
    if whole.keys() >= set(_LIVE):
        weighted = sum(scores[n] * whole[n].of for n in _LIVE) / sum(whole[n].of for n in _LIVE)
        yield _of("live", (whole[n] for n in _LIVE), weighted)
    if whole.keys() >= {"irrelevance", "live_irrelevance"}:
        names = ("irrelevance", "live_irrelevance")
        yield _of("irrelevance", (whole[n] for n in names), fmean(scores[n] for n in names))


def _mcpmark(found: Mapping[str, Group]) -> Iterable[dict[str, Any]]:
    """The service, by MCP-Mark's own definitions, once every task of it was run."""
    outcomes = [o for group in found.values() for o in group.outcomes]
    if not outcomes or not all(group.whole for group in found.values()):
        return
    k = max(max(o.verdicts) for o in outcomes)
    figures = mcpmark(outcomes, k)
    if figures.avg is None:
        return
    service = outcomes[0].environment.partition(":")[2].partition("/")[0]
    yield {
        **_of(service, found.values(), figures.avg),
        "pass@1": {"avg": figures.avg, "std": figures.std},
        f"pass@{k}": figures.pass_at_k,
        f"pass^{k}": figures.pass_hat_k,
        "left_out": figures.left_out,
    }
