"""An evaluation: k rollouts in each environment, many at once, each written as soon as it is finished."""

import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio

from legoenv_mcp.controller import environments
from legoenv_mcp.controller.atoms import Intent, load_all
from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.evaluate import results
from legoenv_mcp.evaluate.baselines import baseline
from legoenv_mcp.evaluate.config import Config, Way
from legoenv_mcp.evaluate.endpoint import Endpoint, EndpointFault, EndpointRefused, Model, now
from legoenv_mcp.evaluate.loop import Course, live
from legoenv_mcp.evaluate.mistakes import branch_of
from legoenv_mcp.evaluate.rollout import Fault, Rollout
from legoenv_mcp.evaluate.tools import Gateway, Graded, Open, Tools, ToolServerFault, in_process

PATIENCE = 10
"""So many rollouts in a row that the endpoint fails, or twice as many as run at once, end the evaluation."""


class Stopped(RuntimeError):
    """The evaluation cannot go on; what is finished is kept. One line for the user."""


@dataclass(slots=True)
class Tally:
    """How far an evaluation is. `already`: rollouts that an earlier run finished, also counted among the others."""

    total: int
    passed: int = 0
    failed: int = 0
    invalid: int = 0
    already: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    faults: dict[str, int] = field(default_factory=dict[str, int])
    """Invalid rollouts by whose fault it was."""
    lost: dict[str, str] = field(default_factory=dict[str, str])
    """Environments that could not be made, and why."""

    @property
    def done(self) -> int:
        return self.passed + self.failed + self.invalid

    @property
    def pass_rate(self) -> float | None:
        """Of the rollouts with a verdict."""
        judged = self.passed + self.failed
        return self.passed / judged if judged else None

    def count(self, rollout: Rollout) -> None:
        self.add(rollout.verdict)
        self.input_tokens += rollout.usage.input_tokens
        self.output_tokens += rollout.usage.output_tokens
        if rollout.usage.cost is not None:
            self.cost = (self.cost or 0.0) + rollout.usage.cost
        if rollout.fault is not None:
            self.faults[rollout.fault.boundary] = self.faults.get(rollout.fault.boundary, 0) + 1

    def add(self, verdict: str) -> None:
        match verdict:
            case "passed":
                self.passed += 1
            case "failed":
                self.failed += 1
            case _:
                self.invalid += 1


Report = Callable[[Tally], None]


class Evaluation:
    """One evaluation into a run folder that `config.begin` has made or taken up.

    key: the endpoint's; token: the gateway's. report: hears of each rollout that is finished, or was before.
    """

    def __init__(
        self, run: Path, config: Config, way: Way, *, key: str = "", token: str = "", report: Report = lambda _: None
    ) -> None:  # fmt: skip
        self.run, self.config, self.way, self.report = run, config, way, report
        self.endpoint = Endpoint(config, way, key) if config.baseline is None else None
        self.open: Open = Gateway(way.target, token) if way.target else in_process
        self.kept = results.kept(run, config.model)
        self.tally = Tally(config.rollouts)
        self._in_a_row = 0

    async def go(self) -> Tally:
        """Runs what is missing. Stopped where the endpoint will not serve; results are written in any case."""
        slots = anyio.Semaphore(self.way.concurrency)
        try:
            async with anyio.create_task_group() as tasks:
                for name in self.config.environments:
                    if (environment := self._loaded(name)) is None:
                        continue
                    for attempt in self._missing(environment):
                        await slots.acquire()
                        tasks.start_soon(self._task, environment, attempt, slots)
        except* (EndpointRefused, Stopped) as stopped:
            raise Stopped(str(_first(stopped))) from None
        finally:
            if self.endpoint is not None:
                with anyio.CancelScope(shield=True):
                    await self.endpoint.close()
        return self.tally

    def _missing(self, environment: Environment) -> Iterator[int]:
        """The attempts to be made: those that are not there, that are invalid, that were at what the environment was before."""
        digest = environment.hash
        for attempt in range(1, self.config.k + 1):
            found = self.kept.get((environment.id, attempt))
            if found is None or found.verdict == "invalid" or found.environment_hash != digest:
                yield attempt
            else:
                self.tally.already += 1
                self.tally.add(found.verdict)
                self.report(self.tally)

    def _loaded(self, name: str) -> Environment | None:
        """On the loop's own thread: deriving an environment reads the same templates as the episodes under way."""
        try:
            return environments.load(name)
        except environments.UnknownEnvironment as error:
            self.tally.lost[name] = str(error)
            return None

    async def _task(self, environment: Environment, attempt: int, slots: anyio.Semaphore) -> None:
        try:
            rollout = await self.rollout(environment, attempt)
            try:
                results.write(self.run, self.config, rollout)
            except OSError as error:
                raise Stopped(f"{error.filename or self.run}: {error.strerror}") from None
        finally:
            slots.release()
        self.tally.count(rollout)
        self.report(self.tally)
        failing = rollout.fault is not None and rollout.fault.boundary == "provider"
        self._in_a_row = self._in_a_row + 1 if failing else 0
        if rollout.fault is not None and self._in_a_row >= max(PATIENCE, 2 * self.way.concurrency):
            raise Stopped(f"{self._in_a_row} rollouts in a row failed at the endpoint: {rollout.fault.message}")

    async def rollout(self, environment: Environment, attempt: int) -> Rollout:
        """One rollout, whatever becomes of it. EndpointRefused where no other would fare better."""
        config, course, start = self.config, Course(), now()
        begun = datetime.now(UTC).isoformat(timespec="milliseconds")
        grade, fault, toolset = Graded("invalid", None), None, config.toolset
        try:
            async with self.open(environment, config.toolset, config.baseline is not None) as tools:
                toolset = tools.toolset
                if toolset != config.toolset and config.baseline is None:
                    course.notes.append("more tools than an endpoint may show: the two-tool face is used")
                with anyio.move_on_after(config.time_limit) as limit:
                    fault = await self._lived(environment, attempt, tools, course)
                if limit.cancelled_caught:
                    fault = self._late(course)
                if fault is None:
                    grade = await tools.grade(course.answer)
        except EndpointRefused:
            raise
        except Exception as error:  # noqa: BLE001 - whatever breaks is ours, is kept in the notes, and must not end the others
            root = _first(error)
            if isinstance(root, EndpointRefused):
                raise root from None
            if not isinstance(root, ToolServerFault):
                course.notes.append("".join(traceback.format_exception(error)))
            where = "tool_server" if isinstance(root, ToolServerFault) else "harness"
            fault = fault or Fault(boundary=where, message=f"{type(root).__name__}: {root}"[:500])
        if fault is None and grade.outcome == "invalid":
            fault = Fault(boundary="harness", message=f"grading failed: {grade.fault}")
        if fault is not None:
            grade = Graded("invalid", None)
        return Rollout(
            **self.facts(environment), attempt=attempt, model=config.model, toolset=toolset, tool_mode=config.tool_mode,
            verdict=grade.outcome, reward=grade.reward, share=grade.share, ended="fault" if fault else course.ended, fault=fault,
            tools=course.tools, messages=course.messages, calls=course.calls, answer=course.answer, assertions=grade.assertions,
            diff=grade.diff, notes=course.notes, usage=course.usage, steps=course.steps, started=begun,
            seconds=round(now() - start, 4), model_seconds=round(course.model_seconds, 4),
        )  # fmt: skip

    async def _lived(self, environment: Environment, attempt: int, tools: Tools, course: Course) -> Fault | None:
        config = self.config
        try:
            model = await self.player(environment, attempt, tools)
            await live(model, tools, environment.instruction, config, course)
        except EndpointRefused:
            raise
        except EndpointFault as error:
            return Fault(boundary="provider", message=str(error)[:500])
        except ToolServerFault as error:
            return Fault(boundary="tool_server", message=str(error)[:500])
        return None

    def facts(self, environment: Environment) -> dict[str, Any]:
        """What a rollout says of its environment."""
        return facts(environment)

    async def player(self, environment: Environment, attempt: int, tools: Tools) -> Model:
        """What plays a rollout: the endpoint, or a baseline."""
        return self.endpoint or baseline(
            self.config.baseline or "", environment, attempt, tools.listed, self.config.max_steps
        )

    def _late(self, course: Course) -> Fault | None:
        """The time limit is the model's, unless one request alone took longer than a request may."""
        if course.asked is not None and now() - course.asked > self.way.timeout:
            return Fault(boundary="provider", message="the endpoint did not answer before the rollout's time limit")
        course.ended = "time_limit"
        return None


def facts(environment: Environment) -> dict[str, Any]:
    """What a rollout says of its environment."""
    return {
        "environment": environment.id, "environment_hash": environment.hash, "verifier_hash": environment.verifier_hash,
        "apps": environment.apps, "world": environment.world, "difficulty": environment.difficulty, "domain": environment.domain,
        "intent": environment.intent, "rules": environment.rules, "branch": branch_of(environment),
        "traps": environment.traps,
        "capabilities": tuple(sorted(_capabilities(environment))), "instruction": environment.instruction,
    }  # fmt: skip


def _capabilities(environment: Environment) -> set[str]:
    """What the task is about: its intent's roles and its plan's verbs."""
    found = {step.verb.partition(".")[0] for step in environment.plan if step.verb}
    if environment.intent and (intent := load_all(Intent).get(environment.intent)) is not None:
        found |= {what for what in intent.roles.values() if not what.startswith("app:")}
    return found


def _first(error: BaseException) -> BaseException:
    """The error itself, out of the groups that task groups make of it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
