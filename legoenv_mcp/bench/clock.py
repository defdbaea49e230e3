"""Timing: rounds of two or more contenders in turn, so that a busy machine slows all of them alike."""

import time
from collections.abc import Callable, Sequence


def now() -> float:
    return time.perf_counter()


def in_turn(contenders: Sequence[Callable[[], object]], rounds: int, inner: int = 1) -> list[list[float]]:
    """Seconds of each contender in each round: `inner` calls a round, the contenders taking turns."""
    found = [list[float]() for _ in contenders]
    for _ in range(rounds):
        for times, contender in zip(found, contenders, strict=True):
            start = time.perf_counter()
            for _ in range(inner):
                contender()
            times.append((time.perf_counter() - start) / inner)
    return found


def median(times: Sequence[float]) -> float:
    ordered = sorted(times)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
