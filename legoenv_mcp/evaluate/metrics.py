"""What a run's verdicts amount to: pass@1, avg@k, pass@k and pass^k, each with an interval.

An environment's rollouts are its sample. Invalid ones (our fault or the endpoint's) are counted beside and enter no mean. All
functions are pure, and the resampling is seeded: the same verdicts give the same numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import comb, sqrt
from random import Random  # noqa: TID251 - resamples verdicts that are in; no episode draws from it
from statistics import fmean

RESAMPLES = 2000
FEWER_RESAMPLES = 500
"""For groups, of which there are hundreds."""
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Outcomes:
    """One environment's verdicts: by attempt (from 1), True where it passed, None where the rollout was invalid."""

    environment: str
    verdicts: Mapping[int, bool | None]

    @property
    def valid(self) -> int:
        return sum(v is not None for v in self.verdicts.values())

    @property
    def passed(self) -> int:
        return sum(v is True for v in self.verdicts.values())

    @property
    def invalid(self) -> int:
        return len(self.verdicts) - self.valid

    @property
    def rate(self) -> float:
        """The share of its valid rollouts that passed. ZeroDivisionError where none is valid."""
        return self.passed / self.valid


def pass_at_k(valid: int, passed: int, k: int) -> float:
    """The chance that at least one of k rollouts drawn from the valid ones passed. ValueError where there are fewer than k."""
    _enough(valid, passed, k)
    return (comb(valid, k) - comb(valid - passed, k)) / comb(valid, k)


def pass_hat_k(valid: int, passed: int, k: int) -> float:
    """The chance that all of k rollouts drawn from the valid ones passed. ValueError where there are fewer than k."""
    _enough(valid, passed, k)
    return comb(passed, k) / comb(valid, k)


def _enough(valid: int, passed: int, k: int) -> None:
    if not 1 <= k <= valid or not 0 <= passed <= valid:
        raise ValueError(f"no {k} rollouts can be drawn from {valid}, of which {passed} passed")


def mean(values: Sequence[float]) -> float | None:
    """None of nothing: a share of no environments is not 0."""
    return fmean(values) if values else None


def pass_at(outcomes: Sequence[Outcomes], k: int) -> float | None:
    """pass@k: the mean over the environments that have k valid rollouts."""
    return mean([pass_at_k(o.valid, o.passed, k) for o in outcomes if o.valid >= k])


def pass_hat(outcomes: Sequence[Outcomes], k: int) -> float | None:
    """pass^k: the mean over the environments that have k valid rollouts."""
    return mean([pass_hat_k(o.valid, o.passed, k) for o in outcomes if o.valid >= k])


def per_attempt(outcomes: Sequence[Outcomes]) -> dict[int, float]:
    """Attempt number -> the share of its valid rollouts that passed: MCP-Mark's runs."""
    passed, valid = dict[int, int](), dict[int, int]()
    for one in outcomes:
        for attempt, verdict in one.verdicts.items():
            if verdict is not None:
                valid[attempt] = valid.get(attempt, 0) + 1
                passed[attempt] = passed.get(attempt, 0) + verdict
    return {attempt: passed[attempt] / valid[attempt] for attempt in sorted(valid)}


def avg_at_k(outcomes: Sequence[Outcomes]) -> float | None:
    """avg@k: the mean over the k runs of the share that passed. Where every rollout is valid it equals pass@1."""
    return mean(list(per_attempt(outcomes).values()))


@dataclass(frozen=True, slots=True)
class McpMark:
    """The metrics as MCP-Mark defines them: over the environments whose rollouts 1 to k are all there and valid.

    `std` is the population's, over the k runs. pass@k is the share with any success, pass^k the share with nothing else.
    """

    environments: int
    left_out: int
    avg: float | None
    std: float | None
    pass_at_k: float | None
    pass_hat_k: float | None


def mcpmark(outcomes: Sequence[Outcomes], k: int) -> McpMark:
    """MCP-Mark's own figures."""
    attempts = range(1, k + 1)
    complete = [o for o in outcomes if all(o.verdicts.get(a) is not None for a in attempts)]
    if not complete:
        return McpMark(0, len(outcomes), None, None, None, None)
    runs = [fmean(bool(o.verdicts[a]) for o in complete) for a in attempts]
    avg = fmean(runs)
    return McpMark(
        environments=len(complete),
        left_out=len(outcomes) - len(complete),
        avg=avg,
        std=sqrt(fmean((r - avg) ** 2 for r in runs)),
        pass_at_k=fmean(any(o.verdicts[a] for a in attempts) for o in complete),
        pass_hat_k=fmean(all(o.verdicts[a] for a in attempts) for o in complete),
    )


def every_branch(branches: Mapping[str, Mapping[str, Sequence[Outcomes]]]) -> dict[str, float]:
    """Intent -> the chance that one rollout drawn from each of its rule branches passes, all of them.

    `branches`: intent -> branch -> its environments. Intents of which one branch alone was run say nothing and are left out. With one
    environment a branch and k = 1 the mean is exactly the share of intents whose every branch passed.
    """
    found = dict[str, float]()
    for intent, its in branches.items():
        shares = [fmean(o.rate for o in valid) for one in its.values() if (valid := [o for o in one if o.valid])]
        if len(shares) > 1:
            product = 1.0
            for share in shares:
                product *= share
            found[intent] = product
    return found


Interval = tuple[float, float]


def interval(
    values: Sequence[float | None], resamples: int = RESAMPLES, confidence: float = CONFIDENCE
) -> Interval | None:
    """The percentile bootstrap interval of a mean over environments; those without a value (None) are left out."""
    there = sorted(v for v in values if v is not None)
    if not there:
        return None
    draw, count = Random(len(there)).choices, len(there)
    if there[0] == there[-1]:
        return there[0], there[0]
    return _percentiles(sorted(sum(draw(there, k=count)) / count for _ in range(resamples)), confidence)


def interval_of(
    outcomes: Sequence[Outcomes],
    statistic: Callable[[Sequence[Outcomes]], float | None],
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Interval | None:
    """The same for a statistic that is no mean over environments: slower, so over many environments with fewer resamples."""
    there = sorted(outcomes, key=lambda o: o.environment)
    if statistic(there) is None:
        return None
    draw, count = Random(len(there)).choices, len(there)
    resamples = min(resamples, max(FEWER_RESAMPLES, 500_000 // count))
    drawn = [s for _ in range(resamples) if (s := statistic(draw(there, k=count))) is not None]
    return _percentiles(sorted(drawn), confidence)


def _percentiles(ordered: Sequence[float], confidence: float) -> Interval:
    tail = (1 - confidence) / 2
    last = len(ordered) - 1
    return ordered[round(tail * last)], ordered[round((1 - tail) * last)]
