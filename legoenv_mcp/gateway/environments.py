"""What the gateway needs of environments: how one is found, started and graded. The controller supplies it."""

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from legoenv_mcp.kernel.episode import Episode


class Environment(Protocol):
    """A task: its instruction, the apps it needs, the world they are filled from."""

    @property
    def id(self) -> str: ...
    @property
    def instruction(self) -> str: ...
    @property
    def apps(self) -> Sequence[str]: ...
    @property
    def world(self) -> str: ...
    @property
    def seed(self) -> str | int: ...


class Assertion(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def passed(self) -> bool: ...
    @property
    def detail(self) -> str: ...


class Verdict(Protocol):
    """A grade: the reward, whether all assertions hold, each of them."""

    @property
    def reward(self) -> float: ...
    @property
    def passed(self) -> bool: ...
    @property
    def assertions(self) -> Sequence[Assertion]: ...


class Environments(Protocol):
    """The catalogue. `load` raises LookupError where there is no such environment."""

    def load(self, environment_id: str) -> Environment: ...
    def grade(self, environment: Environment, episode: Episode, answer: str | None) -> Verdict: ...


class Starter(Protocol):
    """A catalogue whose environments need more than apps filled from a world supplies this too."""

    def start(self, environment: Environment, directory: Path | None) -> Episode: ...


def catalogue() -> Environments:
    """The controller's catalogue, imported at its first use."""
    return cast(Environments, importlib.import_module("legoenv_mcp.controller.environments"))


def start(environments: Environments, environment: Environment, directory: Path | None) -> Episode | None:
    """The environment's episode where the catalogue makes them itself, else None."""
    own: Any = getattr(environments, "start", None)
    return None if own is None else cast(Starter, environments).start(environment, directory)
