"""An evaluation on a foreign benchmark: our runner, loop and results; its tasks, tools and verdicts."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from legoenv_mcp.evaluate.config import Config, Way
from legoenv_mcp.evaluate.endpoint import Answer, Model
from legoenv_mcp.evaluate.foreign.groups import ABOUT
from legoenv_mcp.evaluate.foreign.task import Benchmark, Catalogue, Script, Task
from legoenv_mcp.evaluate.rollout import write_whole
from legoenv_mcp.evaluate.runner import Evaluation, Tally
from legoenv_mcp.evaluate.tools import Tools


class Player:
    """A model that says what a script says, several calls at once where the script has them."""

    def __init__(self, script: Script) -> None:
        self._said = iter(script)

    async def ask(self, messages: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> Answer:
        said = next(self._said, "Done.")
        if isinstance(said, str):
            return Answer({"role": "assistant", "content": said})
        calls = [{"type": "function", "function": {"name": t, "arguments": json.dumps(a)}} for t, a in said]
        return Answer({"role": "assistant", "content": None, "tool_calls": calls})


class ForeignEvaluation(Evaluation):
    """The same evaluation, with a benchmark's tasks in place of environments."""

    def __init__(
        self, run: Path, config: Config, way: Way, benchmark: Benchmark, tasks: Iterable[Task], **more: Any
    ) -> None:
        super().__init__(run, config, way, **more)
        self._benchmark = benchmark
        self._tasks = {task.id: task for task in tasks}
        self.open = benchmark.open

    async def go(self) -> Tally:
        async with self._benchmark:
            return await super().go()

    def _loaded(self, name: str) -> Any:
        return self._tasks[name]

    def facts(self, environment: Any) -> dict[str, Any]:
        return environment.facts()

    async def player(self, environment: Any, attempt: int, tools: Tools) -> Model:
        if self.config.baseline == "reference":
            return Player(await self._benchmark.reference(environment, tools))
        return await super().player(environment, attempt, tools)


def keep_about(run: Path, name: str, found: Catalogue) -> None:
    """Writes what the benchmark is, for reports on the run folder."""
    about = {"benchmark": name, "version": found.version, "groups": found.sizes}
    write_whole(run / ABOUT, json.dumps(about, ensure_ascii=False, indent=2) + "\n")
