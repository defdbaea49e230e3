"""An environment: a task with its apps, start state, verifier, reference plan and the wrong plans its verifier must catch."""

import hashlib
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from pydantic import Field, model_validator

from legoenv_mcp import registry, templates
from legoenv_mcp.capabilities import Entity
from legoenv_mcp.controller import checks
from legoenv_mcp.controller.kinds import kind
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.verify import State, Verdict, Verifier, grade
from legoenv_mcp.verify.model import Strict


class Step(Strict):
    """One step of a plan: a call of a tool, or a verb of one of the app's capabilities (`payments.refund_payment`), which may take
    several calls.

    `"$step.path"` in an argument is what an earlier step answered at that path (`$find.data.0.id`), `"${...}"` the same inside text;
    `"$new.step"` is the id of what an earlier verb made. Without `after`, a step comes after the one before it.
    """

    step: str
    app: str
    tool: str = ""
    verb: str = ""
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    after: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if bool(self.tool) == bool(self.verb):
            raise ValueError("a step has either a tool or a verb")
        return self

    @property
    def what(self) -> str:
        """`slack.post_message`, `slack: chat.send_message`: as listings show it."""
        return f"{self.app}.{self.tool}" if self.tool else f"{self.app}: {self.verb}"


class Added(Strict):
    """An entity that is added to the world: its kind (`crm.Deal`) and fields."""

    kind: str
    fields: dict[str, Any] = Field(alias="with")

    def entity(self) -> Entity:
        return kind(self.kind)(**self.fields)


class Variant(Strict):
    """Another plan, told by its difference from the reference plan."""

    name: str
    drop: tuple[str, ...] = ()
    replace: tuple[Step, ...] = ()
    add: tuple[Step, ...] = ()
    answer: str | None = None
    caught_by: str | tuple[str, ...] = ""

    @property
    def catchers(self) -> tuple[str, ...]:
        """The assertions of which at least one must fail."""
        return (self.caught_by,) if isinstance(self.caught_by, str) else self.caught_by

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
    computed: dict[str, str | list[Any]] = Field(default_factory=dict[str, str | list[Any]])
    """Values the verifier demands that are computed from values the agent reads: `{ "4250" = "18000 - 13750" }`, or the list of them."""
    intent: str = ""
    rules: tuple[str, ...] = ()
    traps: tuple[str, ...] = ()
    domain: str = ""
    rests_on: dict[str, str] = Field(default_factory=dict[str, str])
    """The versions of the atoms it was derived from."""
    added: tuple[Added, ...] = ()
    """What the environment has beyond its world."""

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
        if lost := [t.name for t in self.trap if not t.catchers or not set(t.catchers) <= goals]:
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

    @property
    def verifier_hash(self) -> str:
        """A hash of the verifier alone, with the checks that it names: two results with the same one were judged alike."""
        whole = self.verifier.model_dump_json(by_alias=True) + (checks.digest(self.checked) if self.checked else "")
        return hashlib.blake2b(whole.encode(), digest_size=8).hexdigest()

    def episode(self, directory: Path | None = None, seed: str = "") -> Episode:
        """A fresh episode of the environment."""
        return templates.episode(self.apps, self.world, seed or self.seed, directory, self.entities)

    @cached_property
    def entities(self) -> tuple[Entity, ...]:
        return tuple(one.entity() for one in self.added)

    def grade(self, episode: Episode, answer: str | None = None) -> Verdict:
        """The verdict over an episode's present state."""
        checks.load(self.checked)
        return grade(self.verifier, State(episode, self.apps), answer)

    @cached_property
    def checked(self) -> tuple[str, ...]:
        """The checks that goals name."""
        return tuple(goal.checked for goal in self.verifier.goal if goal.checked)

    def atoms(self) -> dict[str, str]:
        """The hashes of all that the environment rests on: itself, its world in each app, each app's sources."""
        found = {f"environment {self.id}": self.hash}
        for slug in self.apps:
            found[f"template {slug} {self.world}"] = templates.template_hash(slug, self.world)
            found[f"server {slug}"] = registry.source_hash(slug)
        if self.checked:
            found["checks"] = checks.digest(self.checked)
        return found
