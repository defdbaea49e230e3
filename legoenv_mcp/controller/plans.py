"""Playing plans: steps with references to what earlier steps answered, in process or through any connection."""

import re
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from legoenv_mcp.controller.environments import Step
from legoenv_mcp.kernel.episode import Episode

_INSIDE = re.compile(r"\$\{([\w.-]+)\}")


class PlanError(ValueError):
    """A plan refers to what is not there."""


@dataclass(frozen=True, slots=True)
class Done:
    """A step that was played: the arguments as sent, the status and the body that came back."""

    step: Step
    arguments: dict[str, Any]
    status: int
    body: Any


@dataclass(slots=True)
class Run:
    """A plan's progress: what each step answered."""

    done: list[Done] = field(default_factory=list[Done])

    @property
    def replies(self) -> dict[str, Any]:
        return {d.step.step: d.body for d in self.done}

    @property
    def failed(self) -> list[Done]:
        return [d for d in self.done if d.status >= 400]


def resolve(value: Any, replies: Mapping[str, Any]) -> Any:
    """A value with its references replaced: `$step.path` wholly, `${step.path}` inside text. PlanError where nothing is there."""
    if isinstance(value, str):
        if value.startswith("$") and not value.startswith(("${", "$$")) and re.fullmatch(r"\$[\w.-]+", value):
            return _at(value[1:], replies)
        return _INSIDE.sub(lambda m: str(_at(m[1], replies)), value)
    if isinstance(value, Mapping):
        return {k: resolve(v, replies) for k, v in value.items()}
    if isinstance(value, Sequence):
        return [resolve(v, replies) for v in value]
    return value


def _at(path: str, replies: Mapping[str, Any]) -> Any:
    step, *parts = path.split(".")
    if step not in replies:
        raise PlanError(f"${path}: no step {step!r} has been played")
    value = replies[step]
    for part in parts:
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, TypeError, ValueError):
            raise PlanError(f"${path}: there is no {part!r} in what {step!r} answered") from None
    return value


def steps(plan: Sequence[Step]) -> Generator[tuple[Step, dict[str, Any]], tuple[int, Any], Run]:
    """The plan as calls to make: yields a step with its arguments resolved, takes the status and body that came back."""
    run = Run()
    for step in plan:
        arguments = resolve(step.arguments, run.replies)
        status, body = yield step, arguments
        run.done.append(Done(step, arguments, status, body))
    return run


def play(plan: Sequence[Step], episode: Episode) -> Run:
    """Plays a plan in process."""
    calls = steps(plan)
    try:
        step, arguments = next(calls)
        while True:
            reply = episode.call(step.app, step.tool, arguments)
            step, arguments = calls.send((reply.status, reply.body))
    except StopIteration as stop:
        return stop.value


async def play_through(plan: Sequence[Step], call: Callable[[Step, dict[str, Any]], Awaitable[tuple[int, Any]]]) -> Run:
    """Plays a plan through any connection: `call` makes one call and answers status and body."""
    calls = steps(plan)
    try:
        step, arguments = next(calls)
        while True:
            step, arguments = calls.send(await call(step, arguments))
    except StopIteration as stop:
        return stop.value


def prerequisites(plan: Sequence[Step]) -> dict[str, frozenset[str]]:
    """Which steps each step needs, directly or not: those it names in `after`, those it refers to."""
    needs = dict[str, frozenset[str]]()
    for number, step in enumerate(plan):
        named = set(step.after) if step.after is not None else ({plan[number - 1].step} if number else set[str]())
        named |= {name for name in re.findall(r"\$\{?([\w-]+)", str(step.arguments)) if name in needs}
        needs[step.step] = frozenset(named.union(*(needs[n] for n in named if n in needs)))
    return needs


def orders(plan: Sequence[Step], most: int = 10) -> list[list[Step]]:
    """Other orders in which the plan's independent steps may come: all of them, or the first `most`."""
    needs, found = prerequisites(plan), list[list[Step]]()

    def extend(chosen: list[Step], left: list[Step]) -> None:
        if len(found) > most:
            return
        if not left:
            found.append(chosen)
            return
        have = {s.step for s in chosen}
        for step in left:
            if needs[step.step] <= have:
                extend([*chosen, step], [s for s in left if s is not step])

    extend([], list(plan))
    return [order for order in found if order != list(plan)][:most]
