"""Two runs side by side: paired by environment, so that what differs is the agent and not the tasks."""

from math import comb
from typing import Any

from legoenv_mcp.evaluate import metrics
from legoenv_mcp.evaluate.record import Run


def compare(first: Run, second: Run, k: int = 0) -> dict[str, Any]:
    """What the second run does better and worse than the first.

    Over the environments that both lived in, unchanged, with a valid rollout each. Differences are second minus first; their
    intervals come from resampling the pairs.
    """
    k = k or min(first.k, second.k)
    one, other = first.outcomes(), second.outcomes()
    hashes = [{r.rollout.environment: r.rollout.environment_hash for r in run.records} for run in (first, second)]
    common = [name for name in sorted(one) if name in other]
    same_task = [name for name in common if hashes[0][name] == hashes[1][name]]
    paired = [name for name in same_task if one[name].valid and other[name].valid]
    moved = [
        {
            "environment": name,
            "first": one[name].rate,
            "second": other[name].rate,
            "change": other[name].rate - one[name].rate,
        }
        for name in paired
        if one[name].rate != other[name].rate
    ]
    gained = sorted((m for m in moved if m["change"] > 0), key=lambda m: (-m["change"], m["environment"]))
    lost = sorted((m for m in moved if m["change"] < 0), key=lambda m: (m["change"], m["environment"]))
    enough = [name for name in paired if one[name].valid >= k <= other[name].valid]
    return {
        "first": {"run": str(first.folder), "model": first.model},
        "second": {"run": str(second.folder), "model": second.model},
        "k": k,
        "environments": len(paired),
        "only_first": len(one.keys() - other.keys()),
        "only_second": len(other.keys() - one.keys()),
        "changed_between": len(common) - len(same_task),
        "without_a_valid_rollout": len(same_task) - len(paired),
        "pass@1": _paired([one[n].rate for n in paired], [other[n].rate for n in paired]),
        "pass@k": _paired(
            [metrics.pass_at_k(one[n].valid, one[n].passed, k) for n in enough],
            [metrics.pass_at_k(other[n].valid, other[n].passed, k) for n in enough],
        ),
        "pass^k": _paired(
            [metrics.pass_hat_k(one[n].valid, one[n].passed, k) for n in enough],
            [metrics.pass_hat_k(other[n].valid, other[n].passed, k) for n in enough],
        ),
        "gained": gained,
        "lost": lost,
        "same": len(paired) - len(moved),
        "sign_test": sign_test(len(gained), len(lost)),
    }  # fmt: skip


def _paired(first: list[float], second: list[float]) -> dict[str, Any]:
    differences = [b - a for a, b in zip(first, second, strict=True)]
    interval = metrics.interval(differences)
    return {
        "environments": len(differences), "first": metrics.mean(first), "second": metrics.mean(second),
        "difference": metrics.mean(differences), "interval": list(interval) if interval else None,
    }  # fmt: skip


def sign_test(gained: int, lost: int) -> float | None:
    """The chance of so uneven a split, or a more uneven one, if gains and losses were equally likely. None where nothing moved."""
    moved, few = gained + lost, min(gained, lost)
    if not moved:
        return None
    return min(1.0, 2 * sum(comb(moved, n) for n in range(few + 1)) / 2**moved)
