"""What the gateway needs of environments: how one is found, started and graded. The controller supplies it."""

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

from legoenv_mcp.kernel.episode import Episode


class Assertion(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def passed(self) -> bool: ...
    @property
    def detail(self) -> str: ...


class Verdict(Protocol):
    """A grade: the reward (None where grading itself failed: `fault` says why), and each assertion."""

    @property
    def reward(self) -> float | None: ...
    @property
    def passed(self) -> bool: ...
    @property
    def assertions(self) -> Sequence[Assertion]: ...
    @property
    def fault(self) -> str: ...


class Environment(Protocol):
    """A task: its instruction, the apps it needs, how to begin it and how to judge how it ended."""

    @property
    def id(self) -> str: ...
    @property
    def instruction(self) -> str: ...
    @property
    def apps(self) -> Sequence[str]: ...
    @property
    def world(self) -> str: ...
    @property
    def seed(self) -> str: ...
    def episode(self, directory: Path | None = None) -> Episode: ...
    def grade(self, episode: Episode, answer: str | None = None) -> Verdict: ...


class Environments(Protocol):
    """The catalogue. `load` raises LookupError where there is no such environment; `names` are the ids of all, sorted."""

    def names(self) -> Sequence[str]: ...
    def load(self, environment_id: str) -> Environment: ...


def catalogue() -> Environments:
    """The controller's catalogue, imported at its first use."""
    return cast(Environments, importlib.import_module("legoenv_mcp.controller.environments"))
