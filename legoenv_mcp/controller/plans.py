"""Playing plans: steps with references to what earlier steps answered, in process or through any connection."""

import inspect
import re
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_type_hints

from pydantic import TypeAdapter

from legoenv_mcp import registry
from legoenv_mcp.capabilities import Lacks, Plan
from legoenv_mcp.controller.environment import Step
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.diff import changes_between
from legoenv_mcp.kernel.episode import Episode, LiveApp, UnknownTool
from legoenv_mcp.kernel.store import Key

_QUERY = re.compile(r"\s*(select|values|show|explain|table)\b(?!.*\binto\b)", re.IGNORECASE | re.DOTALL)
"""SQL that asks: a database's one tool both reads and writes."""
_INSIDE = re.compile(r"\$\{([\w.-]+)\}")


class PlanError(ValueError):
    """A plan refers to what is not there."""


class MissingTool(PlanError):
    """A plan calls a tool that its app does not have."""

    def __init__(self, step: "Step", tool: str, arguments: dict[str, Any]) -> None:
        super().__init__(f"step {step.step!r}: {step.app} has no tool {tool}")
        self.step, self.tool, self.arguments = step, tool, arguments


@dataclass(frozen=True, slots=True)
class Done:
    """A call that was made: for which step, the tool, the arguments as sent, the status and the body that came back."""

    step: Step
    tool: str
    arguments: dict[str, Any]
    status: int
    body: Any


def reads(done: Done) -> bool:
    """Whether a call only reads: by its operation, or by the query that it sends."""
    if registry.load(done.step.app).operations[done.tool].reads:
        return True
    sql = done.arguments.get("sql")
    return isinstance(sql, str) and _QUERY.match(sql) is not None


@dataclass(slots=True)
class Run:
    """A plan's progress: what each call answered, and what each verb made."""

    done: list[Done] = field(default_factory=list[Done])
    made: dict[str, str] = field(default_factory=dict[str, str])

    def copy(self) -> "Run":
        return Run(list(self.done), dict(self.made))

    @property
    def replies(self) -> dict[str, Any]:
        """What each step answered last."""
        return {d.step.step: d.body for d in self.done}

    @property
    def failed(self) -> list[Done]:
        return [d for d in self.done if d.status >= 400]

    def of(self, step: Step) -> list[Done]:
        """The calls of one step."""
        return [d for d in self.done if d.step.step == step.step]


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


Calls = Generator[tuple[Step, str, dict[str, Any]], tuple[int, Any], Run]


def steps(plan: Sequence[Step], made: Callable[[Step], str] | None = None, run: Run | None = None) -> Calls:
    """The plan as calls to make: yields a step, a tool and its arguments resolved; takes the status and body that came back.

    `made` tells what the step just played has made. A verb whose call is refused is given up; the plan goes on. With `run`, the plan
    goes on from what was played already.
    """
    run = run or Run()
    for step in plan:
        arguments = resolve(step.arguments, {**run.replies, "new": run.made})
        if step.tool:
            status, body = yield step, step.tool, arguments
            run.done.append(Done(step, step.tool, arguments, status, body))
            continue
        calls = _verb(step, arguments)
        try:
            call = next(calls)
            while True:
                status, body = yield step, call.tool, call.arguments
                run.done.append(Done(step, call.tool, call.arguments, status, body))
                if status >= 400:
                    calls.close()
                    break
                call = calls.send(body)
        except StopIteration:
            if made is not None:
                run.made[step.step] = made(step)
        except (Lacks, LookupError, TypeError) as error:
            raise PlanError(f"step {step.step!r}: {step.what}: {type(error).__name__}: {error}") from None
    return run


def _verb(step: Step, arguments: dict[str, Any]) -> Plan:
    capability, _, verb = step.verb.partition(".")
    provider = registry.load(step.app).provides.get(capability)
    method = getattr(provider, verb, None)
    if method is None:
        raise PlanError(f"step {step.step!r}: {step.app} has no verb {step.verb}")
    hints = _hints(type(provider), verb)
    try:
        return method(**{k: hints[k].validate_python(v) if k in hints else v for k, v in arguments.items()})
    except (TypeError, ValueError) as error:
        raise PlanError(f"step {step.step!r}: {step.verb}: {error}") from None


@cache
def _hints(provider: type, verb: str) -> dict[str, TypeAdapter[Any]]:
    method = getattr(provider, verb)
    kept = {p.name for p in inspect.signature(method).parameters.values() if p.kind is not p.VAR_KEYWORD}
    # The capability's own signature names the types; an app's may live where they are not imported.
    found = get_type_hints(next(getattr(b, verb) for b in reversed(provider.__mro__) if hasattr(b, verb)))
    return {name: TypeAdapter(hint) for name, hint in found.items() if name in kept and name != "return"}


def making(episode: Episode) -> Callable[[Step], str]:
    """Tells, asked after each step that is played in the episode, what the step has made there."""
    seen = {slug: len(live.touched) for slug, live in episode.live.items()}

    def made(step: Step) -> str:
        live = episode.app(step.app)
        new = list(live.touched)[seen.get(step.app, 0) :]
        seen[step.app] = len(live.touched)
        return _head(live, step.verb.partition(".")[0], new)

    return made


def play(plan: Sequence[Step], episode: Episode, run: Run | None = None) -> Run:
    """Plays a plan in process; with `run`, goes on from what was played already."""
    calls = steps(plan, making(episode), run)
    try:
        step, tool, arguments = next(calls)
        while True:
            try:
                reply = episode.call(step.app, tool, arguments)
            except UnknownTool:
                raise MissingTool(step, tool, arguments) from None
            step, tool, arguments = calls.send((reply.status, reply.body))
    except StopIteration as stop:
        return stop.value


def _head(live: LiveApp, capability: str, keys: Sequence[Key]) -> str:
    """The id of the entity that rows just written are the head of; empty where they make none."""
    if not keys:
        return ""
    ctx = Ctx(live, None, None, Request())
    for change in changes_between(live.app, live.template.connection, live.store.connection, keys):
        if change.kind == "insert" and change.after is not None:
            entity = live.app.provides[capability].view(ctx, change.table, change.after)
            if entity is not None:
                return entity.id
    return ""


def calls_of(plan: Sequence[Step], episode: Episode) -> list[Step]:
    """The plan as plain calls with nothing left to resolve, as it was just played: the same on any other episode of the environment."""
    run = play(plan, episode)
    return [
        Step(step=f"{d.step.step}.{n}", app=d.step.app, tool=d.tool, arguments=d.arguments)
        for n, d in enumerate(run.done, 1)
    ]


async def play_through(
    plan: Sequence[Step], call: Callable[[str, str, dict[str, Any]], Awaitable[tuple[int, Any]]]
) -> Run:
    """Plays a plan through any connection: `call` makes one call to an app's tool and answers status and body."""
    calls = steps(plan)
    try:
        step, tool, arguments = next(calls)
        while True:
            step, tool, arguments = calls.send(await call(step.app, tool, arguments))
    except StopIteration as stop:
        return stop.value


def prerequisites(plan: Sequence[Step]) -> dict[str, frozenset[str]]:
    """Which steps each step needs, directly or not: those it names in `after`, those it refers to."""
    needs = dict[str, frozenset[str]]()
    for number, step in enumerate(plan):
        named = set(step.after) if step.after is not None else ({plan[number - 1].step} if number else set[str]())
        named |= {name for name in re.findall(r"\$\{?(?:new\.)?([\w-]+)", str(step.arguments)) if name in needs}
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
