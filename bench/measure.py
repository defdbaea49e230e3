"""A comparison: two contenders measured in turns, so that a busy machine slows both alike."""

import asyncio
import gc
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from bench.contender import KINDS, Contender
from bench.process import now

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Effort:
    """How often things are done: rounds in which the two take turns, and calls in each.

    least: rounds of what is slow: a measure whose rounds have taken `budget` seconds is over, if it has had that many. calls: of each kind
    in a round, one after another. mixed: calls in a round of throughput. clients: of the second throughput figure. held: episodes held
    for their memory.
    """

    rounds: int = 7
    least: int = 3
    budget: float = 4
    calls: int = 100
    mixed: int = 240
    clients: int = 16
    held: int = 100


QUICK = Effort(rounds=2, least=1, budget=0, calls=20, mixed=40, clients=4, held=5)
"""A smoke test, not a measurement."""


@dataclass(slots=True)
class Reading:
    """A measure of one side: the median over rounds, and the smallest and largest round. None: there is no such thing."""

    value: float | None = None
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, rounds: Sequence[float | None], scale: float = 1) -> "Reading":
        found = [r * scale for r in rounds if r is not None]
        return cls(median(found), min(found), max(found)) if found else cls()


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured: its name, unit, and whether more is better."""

    key: str
    title: str
    unit: str
    more: bool = False
    plain: bool = False
    """Whether it only explains the others: neither side is better."""


MEASURES = (
    Measure("cold", "cold start", "s"),
    Measure("reset", "reset", "ms"),
    Measure("episode", "a further episode", "ms"),
    Measure("whole", "an episode of 20 calls", "ms"),
    *(Measure(f"{kind} {share}", f"{kind}, {share}", "ms") for kind in KINDS for share in ("p50", "p99")),
    *(Measure(f"{kind} anew", f"{kind} after a write, p50", "ms") for kind in ("read", "list")),
    Measure("list size", "what a list answers", "KB", plain=True),
    Measure("rate 1", "calls a second, 1 client", "", more=True),
    Measure("rate n", "calls a second, 16 clients", "", more=True),
    Measure("memory", "memory", "MB"),
    Measure("held", "memory of a further episode", "MB"),
)


@dataclass(slots=True)
class Comparison:
    """Our readings and the peer's, by measure. `missing` says why there are none."""

    wire: str
    ours: str
    peer: str
    versions: dict[str, str]
    about: str = ""
    missing: str = ""
    took: float = 0
    """Seconds that the whole comparison took."""
    readings: dict[str, tuple[Reading, Reading]] = field(default_factory=dict[str, tuple[Reading, Reading]])

    def ratio(self, measure: Measure) -> float | None:
        """How many times better ours is: above 1, we are ahead."""
        ours, theirs = (reading.value for reading in self.readings.get(measure.key, (Reading(), Reading())))
        if measure.plain or not ours or not theirs or ours < 0 or theirs < 0:
            return None
        return ours / theirs if measure.more else theirs / ours

    def as_json(self) -> dict[str, Any]:
        ratios = {m.key: self.ratio(m) for m in MEASURES}
        return {
            **asdict(self),
            "readings": {k: [asdict(r) for r in v] for k, v in self.readings.items()},
            "ratios": ratios,
        }


async def compare(found: Comparison, ours: Contender, peer: Contender, effort: Effort) -> None:
    """Fills in the comparison's readings."""
    sides = (ours, peer)

    async def in_turns(key: str, ask: Callable[[Contender], Awaitable[float | None]], scale: float = 1) -> None:
        taken = await _rounds(sides, ask, effort)
        found.readings[key] = Reading.of(taken[0], scale), Reading.of(taken[1], scale)

    await in_turns("cold", lambda side: side.cold_start())
    for side in sides:
        await side.start()
    gc.collect()
    gc.disable()  # a pause of this process would be taken for one of a contender
    try:
        await _latencies(found, sides, effort)
        found.readings["list size"] = Reading(await ours.size("list")), Reading(await peer.size("list"))
        found.readings["memory"] = Reading(ours.memory()), Reading(peer.memory())
        # Before the measures that make and end episodes: what those leave behind would be filled first.
        found.readings["held"] = Reading(await ours.hold(effort.held)), Reading(await peer.hold(effort.held))
        await in_turns("reset", lambda side: side.reset(), 1000)
        await in_turns("episode", lambda side: side.episode(), 1000)
        await in_turns("whole", lambda side: side.whole(), 1000)
        await in_turns("rate 1", lambda side: side.throughput(1, effort.mixed))
        if ours.parallel:
            await in_turns("rate n", lambda side: side.throughput(effort.clients, effort.mixed))
    finally:
        gc.enable()
        await asyncio.gather(*(side.stop() for side in sides))


async def _rounds(
    sides: Sequence[Contender], ask: Callable[[Contender], Awaitable[T]], effort: Effort
) -> tuple[list[T], list[T]]:
    """What each side answers, round by round; a round before those that count warms up."""
    taken, end = (list[T](), list[T]()), 0.0
    for turn in range(effort.rounds + 1):
        if turn == 1:
            end = now() + effort.budget
        if turn > effort.least and now() > end:
            break
        for answers, side in zip(taken, sides, strict=True):
            answer = await ask(side)
            if turn:
                answers.append(answer)
    return taken


async def _latencies(found: Comparison, sides: Sequence[Contender], effort: Effort) -> None:
    for kind in KINDS:
        rounds = await _rounds(sides, lambda side, kind=kind: side.latencies(kind, effort.calls), effort)
        found.readings[f"{kind} p50"] = _pair(rounds, median)
        if kind != "write":
            anew = await _rounds(
                sides, lambda side, kind=kind: side.latencies(kind, effort.calls // 4, "write"), effort
            )
            found.readings[f"{kind} anew"] = _pair(anew, median)
        found.readings[f"{kind} p99"] = _pair(rounds, lambda times: sorted(times)[int(len(times) * 0.99)], pooled=True)


def _pair(
    rounds: tuple[list[list[float]], list[list[float]]],
    figure: Callable[[Sequence[float]], float],
    pooled: bool = False,
) -> Any:
    """Both sides' reading. `pooled`: of all rounds' calls together, since a round has too few for its own."""
    made = list[Reading]()
    for taken in rounds:
        reading = Reading.of([figure(times) for times in taken], 1000)
        if pooled:
            reading.value = figure([t for times in taken for t in times]) * 1000
        made.append(reading)
    return made[0], made[1]


def median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
