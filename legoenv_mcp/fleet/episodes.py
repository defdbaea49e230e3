"""An episode across containers: each app of an environment in a container of its own, graded here from the state they hand over.

An episode is a fleet, and its id the fleet's name. The containers know nothing of the environment: they are given databases to begin
with, and give them back. What is wanted, what traps there are and how it is judged stays with the controller.
"""

import secrets
import sqlite3
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from legoenv_mcp import registry
from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.controller.environments import load
from legoenv_mcp.fleet import containers, images
from legoenv_mcp.fleet.containers import Fleet, Running, Settings
from legoenv_mcp.fleet.engine import EngineError
from legoenv_mcp.verify import Verdict


@dataclass(frozen=True, slots=True)
class ContainerEpisode:
    """An open episode: what an agent is given, and the id that grades it."""

    id: str
    environment: str
    instruction: str
    apps: list[Running] = field(default_factory=list[Running])

    def as_json(self) -> dict[str, Any]:
        apps = {one.app: {"mcp": one.mcp, "rest": one.rest} for one in self.apps}
        return {"id": self.id, "environment": self.environment, "instruction": self.instruction, "apps": apps}


def begin(
    environment_id: str, settings: Settings, *, port: int = 0, report: containers.Report = lambda _: None
) -> ContainerEpisode:
    """Starts an environment's apps, each with the state that the environment begins with. LookupError where there is none of that id."""
    environment = load(environment_id)
    for slug in environment.apps:
        _check_image(slug)
    fleet = Fleet(f"ep-{secrets.token_hex(6)}")
    settings = Settings(environment.world, False, settings.memory, settings.cpus, settings.pids)
    try:
        apps = fleet.up(
            environment.apps,
            settings,
            port=port,
            report=report,
            start=_databases(environment),
            environment=environment.id,
        )
    except EngineError:
        fleet.down()
        raise
    return ContainerEpisode(fleet.name, environment.id, environment.instruction, apps)


def grade(episode_id: str, answer: str | None = None) -> tuple[Verdict, list[dict[str, Any]]]:
    """The verdict over what the containers hold now, and the state diff. Changes nothing, may be repeated."""
    fleet = Fleet(episode_id)
    environment_id = fleet.environment()
    if not environment_id:
        raise EngineError(f"there is no episode {episode_id!r}; `legoenv fleet up --environment ENV` begins one")
    environment = load(environment_id)
    with tempfile.TemporaryDirectory() as folder:
        for slug in environment.apps:
            (Path(folder) / f"{slug}.sqlite").write_bytes(export(fleet, slug))
        episode = environment.episode(Path(folder))
        try:
            return environment.grade(episode, answer), [change.as_json() for change in episode.changes()]
        finally:
            episode.close()


def export(fleet: Fleet, slug: str) -> bytes:
    """An app's database as it is now, between two calls: with its rows, its clock, and its journal."""
    code, data, said = fleet.exec(slug, ["python", "-IS", "/opt/legoenv/bin/export.py", f"/data/{slug}.sqlite"])
    if code:
        raise EngineError(f"{slug} does not hand over its state: {said.decode(errors='replace').strip()[-200:]}")
    return data


def _databases(environment: Environment) -> dict[str, bytes]:
    found = dict[str, bytes]()
    with tempfile.TemporaryDirectory() as folder:
        episode = environment.episode(Path(folder))
        for slug in environment.apps:
            episode.app(slug)
        episode.close()
        for slug in environment.apps:
            connection = sqlite3.connect(Path(folder) / f"{slug}.sqlite")
            found[slug] = connection.serialize()
            connection.close()
    return found


def _check_image(slug: str) -> None:
    """A verdict compares the end with the start as this installation makes it: the container must run the same app."""
    image = images.find(slug)
    if image.atoms != registry.source_hash(slug):
        raise EngineError(
            f"{image.name} was built from other sources of {slug} than these: run `legoenv fleet build {slug}`"
        )
