"""What a foreign benchmark gives to the runner: its tasks, and how one is lived in and graded."""

import json
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from legoenv_mcp.evaluate.tools import Tools, Toolset

Script = list[list[tuple[str, dict[str, Any]]] | str]
"""What a reference player says, turn by turn: calls made at once, or an answer."""


class BenchmarkError(Exception):
    """A benchmark cannot be run as asked; one line that says what to do."""


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    id: `benchmark:group/key`. group: what the benchmark itself averages over (a category, a domain). hash and verifier_hash: of all
    that makes the task and its verdict. capabilities: what the benchmark says that it is about.
    """

    id: str
    group: str
    key: str
    instruction: str
    hash: str
    verifier_hash: str
    apps: tuple[str, ...]
    difficulty: int = 0
    """1 to 5; 0 where the benchmark states none."""
    capabilities: tuple[str, ...] = ()

    def facts(self) -> dict[str, Any]:
        """What a rollout says of it. Its group is the domain; worlds, rules and traps are not the benchmark's words."""
        return {
            "environment": self.id, "environment_hash": self.hash, "verifier_hash": self.verifier_hash, "apps": self.apps, "world": "",
            "difficulty": self.difficulty, "domain": self.group, "capabilities": self.capabilities, "instruction": self.instruction,
        }  # fmt: skip


def solution(folder: Path | None, task: Task, root: str = "") -> Script | None:
    """A task's reference solution from `<group>/<key>.json` under `folder`; None where there is none.

    A JSON list of `{"tool", "arguments"}`; `{root}` in it stands for where the task's files are. BenchmarkError where it is no such.
    """
    path = folder / task.group / f"{task.key}.json" if folder else None
    if path is None or not path.is_file():
        return None
    try:
        steps = json.loads(path.read_text(encoding="utf-8").replace("{root}", json.dumps(root)[1:-1]))
        return [*([(str(step["tool"]), dict(step["arguments"]))] for step in steps), "Done."]
    except (ValueError, KeyError, TypeError) as error:
        raise BenchmarkError(f"{path} is no solution: {type(error).__name__} {error}") from None


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What a source holds: the tasks asked for, and how many each group has in the whole benchmark."""

    version: str
    tasks: tuple[Task, ...]
    sizes: dict[str, int] = field(default_factory=dict[str, int])


class Benchmark(Protocol):
    """A benchmark whose tasks are run by our runner. An async context manager: what it starts is ended with it."""

    name: str
    max_steps: int
    """Assistant turns that a rollout may have by the benchmark's own rules."""

    async def catalogue(self, wanted: Sequence[str]) -> Catalogue:
        """The tasks named by `wanted` (groups, tasks; none: all that can be run). BenchmarkError where there is no such."""
        ...

    def open(self, task: Any, toolset: Toolset, every: bool = False) -> AbstractAsyncContextManager[Tools]:
        """A fresh episode of a task; its tools and, once, its grade."""
        ...

    async def reference(self, task: Task, tools: Any) -> Script:
        """A solution of the task, on an open episode. BenchmarkError where none is known."""
        ...

    async def __aenter__(self) -> "Benchmark": ...
    async def __aexit__(self, *exception: object) -> None: ...
