"""Environments: a task with its apps, start state, verifier, reference plan and the wrong plans its verifier must catch.

They lie as `environments/<id>.toml` in the atoms folders. Loading checks every key and answers `file:line: what is wrong`.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Self

from pydantic import Field, ValidationError, model_validator

from legoenv_mcp import registry, templates
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.verify import State, Verdict, Verifier, grade
from legoenv_mcp.verify.model import Strict
from legoenv_mcp.worlds import atoms_folders


class UnknownEnvironment(LookupError):
    """There is no such environment, or its file is wrong; the message is one line for the user."""


class Step(Strict):
    """One call of a plan. `"$step.path"` in an argument is what an earlier step answered at that path (`$find.data.0.id`), `"${...}"`
    the same inside text; `"$answer"` never occurs. Without `after`, a step comes after the one before it."""

    step: str
    app: str
    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    after: tuple[str, ...] | None = None


class Variant(Strict):
    """Another plan, told by its difference from the reference plan."""

    name: str
    drop: tuple[str, ...] = ()
    replace: tuple[Step, ...] = ()
    add: tuple[Step, ...] = ()
    answer: str | None = None
    caught_by: str = ""

    def of(self, plan: Iterable[Step]) -> tuple[Step, ...]:
        """The whole plan."""
        instead = {s.step: s for s in self.replace}
        return (*(instead.get(s.step, s) for s in plan if s.step not in self.drop), *self.add)


class Environment(Strict):
    """A task with everything that is needed to live it, grade it and prove it."""

    id: str
    version: int
    title: str
    world: str
    apps: tuple[str, ...]
    difficulty: int = Field(ge=1, le=5)
    tags: tuple[str, ...] = ()
    instruction: str
    hard: str = ""
    verifier: Verifier
    plan: tuple[Step, ...]
    answer: str | None = None
    trap: tuple[Variant, ...] = ()
    equivalent: tuple[Variant, ...] = ()
    stray: tuple[Step, ...] = ()
    computed: dict[str, str] = Field(default_factory=dict[str, str])
    """Values the verifier demands that are computed from values the agent reads: `{ "4250" = "18000 - 13750" }`."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        known = {s.step for s in self.plan}
        if len(known) != len(self.plan):
            raise ValueError("two plan steps have the same name")
        for step in (
            *self.plan,
            *self.stray,
            *(s for v in (*self.trap, *self.equivalent) for s in (*v.replace, *v.add)),
        ):
            if step.app not in self.apps:
                raise ValueError(f"step {step.step!r} is in app {step.app!r}, which is not among the environment's")
        for variant in (*self.trap, *self.equivalent):
            if unknown := {*variant.drop, *(s.step for s in variant.replace)} - known:
                raise ValueError(
                    f"{variant.name!r} changes steps that the plan does not have: {', '.join(sorted(unknown))}"
                )
        goals = {g.name for g in self.verifier.goal} | {"answer", "frame"}
        if lost := [t.name for t in self.trap if t.caught_by not in goals]:
            raise ValueError(f"traps name no goal that catches them: {', '.join(lost)}")
        if (self.verifier.answer is None) != (self.answer is None):
            raise ValueError("the verifier's answer and the reference answer go together")
        return self

    @property
    def seed(self) -> str:
        """What an episode's ids are drawn from: the same environment gives the same ids."""
        return f"{self.id}@{self.version}"

    @property
    def hash(self) -> str:
        """A hash of the environment's own content: what results carry, so that a changed task is another one."""
        return hashlib.blake2b(self.model_dump_json(by_alias=True).encode(), digest_size=8).hexdigest()

    def episode(self, directory: Path | None = None, seed: str = "") -> Episode:
        """A fresh episode of the environment."""
        return templates.episode(self.apps, self.world, seed or self.seed, directory)

    def grade(self, episode: Episode, answer: str | None = None) -> Verdict:
        """The verdict over an episode's present state."""
        return grade(self.verifier, State(episode, self.apps), answer)

    def atoms(self) -> dict[str, str]:
        """The hashes of all that the environment rests on: itself, its world in each app, each app's sources."""
        found = {f"environment {self.id}": self.hash}
        for slug in self.apps:
            found[f"template {slug} {self.world}"] = templates.template_hash(slug, self.world)
            found[f"server {slug}"] = registry.source_hash(slug)
        return found


def _files() -> dict[str, Path]:
    found = dict[str, Path]()
    for root in atoms_folders():
        for path in sorted((root / "environments").glob("*.toml")):
            found.setdefault(path.stem, path)
    return found


def environments() -> list[Environment]:
    """Every environment, by id. UnknownEnvironment where a file is wrong."""
    return [load(name) for name in sorted(_files())]


def load(environment_id: str) -> Environment:
    """One environment. UnknownEnvironment where there is none, naming those there are, or where its file is wrong."""
    path = _files().get(environment_id)
    if path is None:
        raise UnknownEnvironment(
            f"unknown environment {environment_id!r}; there are: {', '.join(sorted(_files())) or 'none'}"
        )
    return _read(path, path.stat().st_mtime_ns)


@cache
def _read(path: Path, _stamp: int) -> Environment:
    text = path.read_text(encoding="utf-8")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnknownEnvironment(f"{path.name}: {error}") from None
    try:
        made = Environment.model_validate(data)
    except ValidationError as error:
        # A misspelt key is the reason for the missing one, and has a line.
        first = min(error.errors(), key=lambda e: e["type"] != "extra_forbidden")
        place = ".".join(str(part) for part in first["loc"])
        raise UnknownEnvironment(f"{path.name}:{_line(text, first['loc'])}: {place}: {first['msg']}") from None
    if made.id != path.stem:
        raise UnknownEnvironment(f"{path.name}:1: id is {made.id!r}, but the file is {path.stem}.toml")
    return made


def _line(text: str, place: tuple[int | str, ...]) -> int:
    """The line on which a place of a TOML document is written, as near as its keys tell: tables are walked in order."""
    line = 1
    lines = text.splitlines()
    for at, part in enumerate(place):
        if isinstance(part, int):
            continue
        follows = place[at + 1] if at + 1 < len(place) else None
        count = follows + 1 if isinstance(follows, int) else 1
        pattern = re.compile(rf"^\s*(\[\[?[\w.]*\b{re.escape(str(part))}\]\]?|{re.escape(str(part))}\s*=)")
        hits = [n for n, content in enumerate(lines, 1) if n >= line and pattern.match(content)]
        if hits:
            line = hits[min(count, len(hits)) - 1]
    return line
