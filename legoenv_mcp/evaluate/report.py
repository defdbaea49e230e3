"""A run's figures: the JSON that `legoenv report` prints, and what its tables and its page are made of."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Any

from legoenv_mcp.evaluate import metrics
from legoenv_mcp.evaluate.failures import CAUSES, clusters
from legoenv_mcp.evaluate.metrics import Outcomes
from legoenv_mcp.evaluate.record import Record, Run, outcomes_of

HEADLINE = ("pass@1", "avg@k", "pass@k", "pass^k")
NONE = "(none)"
"""The group of environments without a rule, a trap, an intent, a domain."""

GROUPS: Mapping[str, Callable[[Record], Iterable[str]]] = {
    "by_app": lambda r: r.rollout.apps,
    "by_difficulty": lambda r: (str(r.rollout.difficulty),),
    "by_capability": lambda r: r.rollout.capabilities,
    "by_domain": lambda r: (r.rollout.domain or NONE,),
    "by_world": lambda r: (r.rollout.world or NONE,),
    "by_rule": lambda r: r.rollout.rules or (NONE,),
    "by_trap": lambda r: r.rollout.traps or (NONE,),
    "by_intent": lambda r: (r.rollout.intent or NONE,),
}
"""What figures are given by: an environment counts in every group it belongs to."""


def report(run: Run, k: int = 0) -> dict[str, Any]:
    """Everything known of a run, ready for JSON. k: for pass@k and pass^k, by default the run's own."""
    records, k = run.records, k or run.k
    by_environment = run.outcomes()
    outcomes = [by_environment[name] for name in sorted(by_environment)]
    verdicts = Counter(r.rollout.verdict for r in records)
    first = records[0].rollout
    few = [o for o in outcomes if o.valid < k]
    return {
        "run": str(run.folder),
        "model": run.model,
        "toolset": first.toolset,
        "tool_mode": first.tool_mode,
        "started": min(r.rollout.started for r in records),
        "k": k,
        "environments": len(outcomes),
        "rollouts": len(records),
        "passed": verdicts["passed"],
        "failed": verdicts["failed"],
        "invalid": verdicts["invalid"],
        "invalid_by": _invalid(records),
        **headline(outcomes, k),
        "intervals": intervals(outcomes, k),
        "share": metrics.mean([r.rollout.share for r in records if r.rollout.verdict != "invalid"]),
        "curve": curve(outcomes, k),
        "mcpmark": _mcpmark(outcomes, k),
        "every_branch": _every_branch(records),
        **{name: groups(records, of, k) for name, of in GROUPS.items()},
        "by_environment": {
            o.environment: {
                "attempts": len(o.verdicts), "valid": o.valid, "passed": o.passed, "invalid": o.invalid,
                "pass@1": o.rate if o.valid else None,
            }
            for o in outcomes
        },
        "too_few": [{"environment": o.environment, "valid": o.valid} for o in few],
        "failures": _failures(records),
        **_spent(records),
        "notes": _notes(run, few, k),
        **({"regraded": run.regraded.as_json()} if run.regraded else {}),
    }  # fmt: skip


def headline(outcomes: Sequence[Outcomes], k: int) -> dict[str, float | None]:
    """The four metrics; None where no environment has enough valid rollouts."""
    return {
        "pass@1": metrics.pass_at(outcomes, 1), "avg@k": metrics.avg_at_k(outcomes),
        "pass@k": metrics.pass_at(outcomes, k), "pass^k": metrics.pass_hat(outcomes, k),
    }  # fmt: skip


def intervals(outcomes: Sequence[Outcomes], k: int) -> dict[str, list[float] | None]:
    """The bootstrap intervals of the four metrics, over environments."""
    enough = [o for o in outcomes if o.valid >= k]
    # Where every rollout is valid avg@k is pass@1, a mean over environments: the quick way, and the same interval.
    attempts = {len(o.verdicts) for o in outcomes if o.valid == len(o.verdicts)}
    plain = len(attempts) == 1 and not any(o.invalid for o in outcomes)
    single = metrics.interval([o.rate if o.valid else None for o in outcomes])
    found = {
        "pass@1": single,
        "avg@k": single if plain else metrics.interval_of(outcomes, metrics.avg_at_k),
        "pass@k": metrics.interval([metrics.pass_at_k(o.valid, o.passed, k) for o in enough]),
        "pass^k": metrics.interval([metrics.pass_hat_k(o.valid, o.passed, k) for o in enough]),
    }
    return {name: list(one) if one else None for name, one in found.items()}


def curve(outcomes: Sequence[Outcomes], k: int) -> dict[str, list[float | None]]:
    """pass@j and pass^j for j = 1 to k, over the environments that have k valid rollouts: the same ones at each point."""
    enough = [o for o in outcomes if o.valid >= k]
    js = range(1, k + 1)
    return {
        "pass@k": [metrics.pass_at(enough, j) for j in js],
        "pass^k": [metrics.pass_hat(enough, j) for j in js],
    }


def groups(records: Sequence[Record], of: Callable[[Record], Iterable[str]], k: int) -> dict[str, dict[str, Any]]:
    """The figures of each group, by its name."""
    members = dict[str, list[Record]]()
    for record in records:
        for name in dict.fromkeys(of(record)):
            members.setdefault(name, []).append(record)
    return {name: _group(members[name], k) for name in sorted(members)}


def _group(members: list[Record], k: int) -> dict[str, Any]:
    outcomes = list(outcomes_of(members).values())
    interval = metrics.interval([o.rate if o.valid else None for o in outcomes], metrics.FEWER_RESAMPLES)
    return {
        "environments": len(outcomes), "rollouts": len(members), "passed": sum(o.passed for o in outcomes),
        "invalid": sum(o.invalid for o in outcomes), **headline(outcomes, k), "interval": list(interval) if interval else None,
    }  # fmt: skip


def _mcpmark(outcomes: Sequence[Outcomes], k: int) -> dict[str, Any]:
    found = metrics.mcpmark(outcomes, k)
    return {
        "environments": found.environments, "left_out": found.left_out, "pass@1": {"avg": found.avg, "std": found.std},
        f"pass@{k}": found.pass_at_k, f"pass^{k}": found.pass_hat_k,
    }  # fmt: skip


def _every_branch(records: list[Record]) -> dict[str, Any]:
    branches = dict[str, dict[str, list[Record]]]()
    for record in records:
        if record.rollout.intent:
            branches.setdefault(record.rollout.intent, {}).setdefault(record.branch, []).append(record)
    found = metrics.every_branch(
        {
            intent: {name: list(outcomes_of(members).values()) for name, members in its.items()}
            for intent, its in branches.items()
        }
    )
    interval = metrics.interval([found[name] for name in sorted(found)])
    return {
        "share": metrics.mean(list(found.values())), "interval": list(interval) if interval else None, "intents": len(found),
        "one_branch_only": len(branches) - len(found), "by_intent": dict(sorted(found.items())),
    }  # fmt: skip


def _failures(records: list[Record]) -> dict[str, Any]:
    failed = [(*r.key, r.failure) for r in records if r.failure is not None]
    counts = Counter(failure.cause for _, _, failure in failed)
    return {
        "causes": {cause: counts[cause] for cause in sorted(CAUSES, key=lambda c: (-counts[c], CAUSES.index(c))) if counts[cause]},
        "clusters": [cluster.as_json() for cluster in clusters(failed)],
    }  # fmt: skip


def _invalid(records: list[Record]) -> dict[str, int]:
    faults = Counter(
        r.rollout.fault.boundary if r.rollout.fault else "harness" for r in records if r.rollout.verdict == "invalid"
    )
    return dict(sorted(faults.items()))


def _spent(records: list[Record]) -> dict[str, Any]:
    """Tokens, dollars, turns, calls and seconds: of every rollout, invalid ones too, since they were paid for."""
    rollouts = [r.rollout for r in records]
    costs = [r.usage.cost for r in rollouts if r.usage.cost is not None]
    passed, calls = sum(r.verdict == "passed" for r in rollouts), sum(r.calls for r in records)
    steps = [r.steps for r in rollouts if r.verdict != "invalid"]
    used = {
        name: sum(getattr(r.usage, f"{name}_tokens") for r in rollouts) for name in ("input", "output", "reasoning")
    }
    return {
        "tokens": {**used, "per_rollout": (used["input"] + used["output"]) / len(rollouts)},
        "cost": {
            "total": sum(costs) if costs else None, "per_rollout": fmean(costs) if costs else None,
            "per_passed": sum(costs) / passed if costs and passed else None,
        },
        "steps": {"mean": metrics.mean(steps), "median": median(steps) if steps else None, "max": max(steps, default=None)},
        "calls": {"total": calls, "refused": sum(r.refused for r in records), "per_rollout": calls / len(rollouts)},
        "seconds": {
            "per_rollout": fmean(r.seconds for r in rollouts), "waiting_for_the_model": fmean(r.model_seconds for r in rollouts),
        },
    }  # fmt: skip


def _notes(run: Run, few: list[Outcomes], k: int) -> list[str]:
    notes = list(run.notes)
    if few:
        names = ", ".join(f"{o.environment} ({o.valid})" for o in few[:3]) + (
            f" and {len(few) - 3} more" if len(few) > 3 else ""
        )
        notes.append(
            f"{len(few)} environments have fewer than {k} valid rollouts and are left out of pass@{k} and pass^{k}: {names}"
        )
    asked = run.config.get("environments")
    if isinstance(asked, list) and (missing := len(asked) * run.k - len(run.records)) > 0:
        notes.append(
            f"the run is not finished: {missing} of {len(asked) * run.k} rollouts are still to come; legoenv eval goes on"
        )
    return notes
