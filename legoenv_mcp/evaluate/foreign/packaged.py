"""Benchmarks that are Python packages: tasks, tools and grading all come from a worker in the package's own virtual environment."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any, Self

from legoenv_mcp.evaluate.foreign.task import BenchmarkError, Catalogue, Script, Task, solution
from legoenv_mcp.evaluate.foreign.worker import Worker, WorkerFault
from legoenv_mcp.evaluate.rollout import Asserted
from legoenv_mcp.evaluate.tools import Graded, Tools, ToolServerFault, Toolset


class Packaged:
    """BFCL or AutomationBench. python: of the virtual environment that has the package; workers are started as they are needed.

    solutions: a folder of reference solutions, for tasks whose package has none.
    """

    def __init__(self, name: str, python: str, *, max_steps: int, solutions: Path | None = None) -> None:
        self.name, self.max_steps = name, max_steps
        self._solutions = solutions
        self._python = python
        self._idle = list[Worker]()
        self._all = list[Worker]()
        self._numbers = count(1)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        for worker in self._all:
            await worker.close()
        self._idle.clear()
        self._all.clear()

    async def catalogue(self, wanted: Sequence[str]) -> Catalogue:
        try:
            worker = await self._worker()
            version = (await worker.ask("hello"))["version"]
            found = await worker.ask("list", wanted=list(wanted))
        except WorkerFault as error:
            raise BenchmarkError(f"{self.name}: {error}") from None
        self._idle.append(worker)
        tasks = tuple(
            Task(id=f"{self.name}:{t['group']}/{t['key']}", **{**t, "apps": tuple(t["apps"])}) for t in found["tasks"]
        )
        return Catalogue(version, tasks, found["sizes"])

    @asynccontextmanager
    async def open(self, task: Task, toolset: Toolset, every: bool = False) -> AsyncIterator[Tools]:
        """ToolServerFault where the worker fails."""
        name = f"legoenv{next(self._numbers)}_"
        worker = await _judged(self._worker())
        try:
            await _judged(worker.ask("open", session=name, group=task.group, key=task.key))
            session = PackagedSession(worker, name)
            await session.begin()
            yield session
            await _judged(worker.ask("close", session=name))
        finally:
            if not worker.dead:
                self._idle.append(worker)

    async def reference(self, task: Task, tools: Any) -> Script:
        assert isinstance(tools, PackagedSession)
        if (kept := solution(self._solutions, task)) is not None:
            return kept
        turns = await tools.ask("reference")
        if turns is None:
            raise BenchmarkError(f"{task.id} has no reference solution; name a folder that has one with --solutions")
        said: Script = []
        for turn in turns:
            said += [[(tool, arguments) for tool, arguments in step] for step in turn]
            said.append("Done.")
        return said

    async def _worker(self) -> Worker:
        if self._idle:
            return self._idle.pop()
        made = await Worker.start(self._python, f"{self.name}_worker")
        self._all.append(made)
        return made


async def _judged(asked: Any) -> Any:
    try:
        return await asked
    except WorkerFault as error:
        raise ToolServerFault(str(error)) from None


class PackagedSession(Tools):
    """One task being lived in, in a worker."""

    def __init__(self, worker: Worker, name: str) -> None:
        super().__init__("mcp", self._graded)
        self._worker, self._name = worker, name
        self._first = list[dict[str, Any]]()

    async def ask(self, op: str, **arguments: Any) -> Any:
        return await _judged(self._worker.ask(op, session=self._name, **arguments))

    async def begin(self) -> None:
        self._first = await self.more() or []

    def opening(self, system: str, instruction: str, *, needed: bool) -> list[dict[str, Any]]:
        """The package's own messages; ours before them only where they describe the tools."""
        return [*([{"role": "system", "content": system}] if needed else []), *self._first]

    async def more(self) -> list[dict[str, Any]] | None:
        turn = await self.ask("next_turn")
        if turn is None:
            return None
        self.listed, self.steps = turn["tools"], turn.get("steps", self.steps)
        return turn["messages"]

    def __contains__(self, name: str) -> bool:
        return True  # the package says itself what becomes of a call to a tool that it does not have

    async def call(self, name: str, arguments: dict[str, Any]) -> tuple[int, str]:
        made = await self.ask("call", tool=name, arguments=arguments, step=self.turn)
        self.over = made.get("over")
        return made["status"], made["text"]

    async def _graded(self, answer: str | None) -> Graded:
        found = await self.ask("grade")
        assertions = [Asserted(**a) for a in found["assertions"]]
        if found.get("fault"):
            return Graded("invalid", None, 0.0, assertions, found["diff"], found["fault"])
        share = sum(a.passed for a in assertions) / len(assertions) if assertions else 0.0
        outcome, reward = ("passed", 1.0) if found["passed"] else ("failed", 0.0)
        return Graded(outcome, reward, found.get("share", share), assertions, found["diff"])
