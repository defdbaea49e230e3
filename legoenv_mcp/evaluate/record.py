"""A run as reports see it: a slim record of each rollout, read environment by environment, so that a run of any size fits."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from legoenv_mcp.controller import environments
from legoenv_mcp.evaluate.failures import Failure, root_cause
from legoenv_mcp.evaluate.metrics import Outcomes
from legoenv_mcp.evaluate.mistakes import Background, branch_of
from legoenv_mcp.evaluate.rollout import Rollout


class BadRun(ValueError):
    """The folder holds no run that can be reported; the message is one line for the user."""


@dataclass(frozen=True, slots=True)
class Record:
    """One rollout, less its trajectory. `branch` is which way the environment's rules go (the rules' names where it is not at hand)."""

    rollout: Rollout
    """Without messages, tools, calls and diff."""
    calls: int
    refused: int
    failure: Failure | None
    branch: str

    @property
    def key(self) -> tuple[str, int]:
        return self.rollout.environment, self.rollout.attempt


@dataclass(slots=True)
class Regraded:
    """What grading anew came to: how many verdicts stand, which ones changed, which rollouts could not be graded."""

    same: int = 0
    changed: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    not_possible: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @property
    def broken(self) -> list[dict[str, Any]]:
        """Verdicts that changed though the environment did not: they should not exist."""
        return [one for one in self.changed if one["same_environment"]]

    def as_json(self) -> dict[str, Any]:
        def ordered(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
            return sorted(found, key=lambda one: (one["environment"], one["attempt"]))

        return {"same": self.same, "changed": ordered(self.changed), "not_possible": ordered(self.not_possible)}


@dataclass(slots=True)
class Run:
    """A run read: its records by environment and attempt."""

    folder: Path
    config: dict[str, Any]
    records: list[Record]
    notes: list[str]
    regraded: Regraded | None = None

    @property
    def model(self) -> str:
        return self.records[0].rollout.model

    @property
    def k(self) -> int:
        """How many rollouts each environment was to have: the configuration's word, else the most that there are."""
        asked = self.config.get("k")
        return asked if isinstance(asked, int) and asked > 0 else max(r.rollout.attempt for r in self.records)

    def outcomes(self) -> dict[str, Outcomes]:
        """The verdicts, by environment."""
        return outcomes_of(self.records)

    @classmethod
    def read(
        cls, folder: Path, *, model: str = "", regrade: bool = False, each: Callable[[list[Rollout]], None] | None = None,
        advance: Callable[[str], None] | None = None,
    ) -> Self:  # fmt: skip
        """Reads a run folder. BadRun where it has no finished rollout, several models of which none is named, or a damaged file.

        each: is given an environment's whole rollouts, before they are slimmed. advance: is told after each environment.
        """
        records, notes, judged = list[Record](), dict[str, list[str]](), Regraded() if regrade else None
        for rollouts in _by_environment(folder, model):
            background = _background(rollouts, regrade, notes)
            if judged is not None:
                rollouts = [_judged(r, background, judged) for r in rollouts]
            if len({r.environment_hash for r in rollouts}) > 1:
                notes.setdefault(
                    "they changed during the run, so that their rollouts are of different tasks", []
                ).append(rollouts[0].environment)
            records += [_record(r, background) for r in rollouts]
            if each is not None:
                each(rollouts)
            if advance is not None:
                advance(rollouts[0].environment)
        if not records:
            raise BadRun(
                f"{folder} has no finished rollout" + (f" of {model}" if model else "") + "; see: legoenv eval --out"
            )
        said = [f"{len(names)} environments: {what} ({_some(names)})" for what, names in notes.items()]
        return cls(folder, _config(folder), sorted(records, key=lambda r: r.key), said, judged)


def outcomes_of(records: list[Record]) -> dict[str, Outcomes]:
    """The verdicts of rollouts, by environment."""
    found = dict[str, dict[int, bool | None]]()
    for record in records:
        verdict = record.rollout.verdict
        found.setdefault(record.rollout.environment, {})[record.rollout.attempt] = (
            None if verdict == "invalid" else verdict == "passed"
        )
    return {name: Outcomes(name, verdicts) for name, verdicts in found.items()}


def tasks(folder: Path, model: str = "") -> list[list[Path]]:
    """The files of the finished rollouts, by environment. BadRun where the folder holds several models and none is named."""
    if not folder.is_dir():
        raise BadRun(f"{folder} is no folder; name a run folder, as legoenv eval --out made it")
    found = dict[str, list[Path]]()
    for meta in sorted(folder.glob("*__legoenv/run-*/*/meta.json")):
        found.setdefault(f"{meta.parts[-4]}/{meta.parts[-2]}", []).append(meta.with_name("rollout.json"))
    by_model = dict[str, str]()
    for paths in found.values():
        home = paths[0].parts[-4]
        if home not in by_model:
            by_model[home] = _rollout(paths[0]).model
    if not model and len(by_model) > 1:
        raise BadRun(f"{folder} holds rollouts of {', '.join(sorted(by_model.values()))}: choose with --model")
    return [paths for _, paths in sorted(found.items()) if not model or by_model[paths[0].parts[-4]] == model]


def _by_environment(folder: Path, model: str) -> Iterator[list[Rollout]]:
    for paths in tasks(folder, model):
        yield sorted(map(_rollout, paths), key=lambda r: r.attempt)


def _rollout(path: Path) -> Rollout:
    try:
        return Rollout.model_validate_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise BadRun(f"{path}: {str(error).splitlines()[0]}") from None


def _config(folder: Path) -> dict[str, Any]:
    try:
        data = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def _background(rollouts: list[Rollout], regrade: bool, notes: dict[str, list[str]]) -> Background | None:
    """The environment, where it is here and needed: to tell the branch of its rules, to know a mistake, to grade anew."""
    one = rollouts[0]
    telling = any(r.verdict == "failed" and (r.diff or r.answer) for r in rollouts)
    if not one.world:
        return None  # another benchmark's task
    if not (regrade or telling or (one.rules and not one.branch)):
        return None
    try:
        environment = environments.load(one.environment)
    except environments.UnknownEnvironment:
        notes.setdefault("not known here, so their mistakes about rules and traps cannot be told", []).append(
            one.environment
        )
        return None
    if environment.hash != one.environment_hash and not regrade:
        notes.setdefault("changed since the run, so their mistakes about rules and traps cannot be told", []).append(
            one.environment
        )
        return None
    return Background(environment)


def _judged(rollout: Rollout, background: Background | None, judged: Regraded) -> Rollout:
    from legoenv_mcp.evaluate.regrade import CannotRegrade, regraded  # noqa: PLC0415 - brings in the MCP SDK

    which = {"environment": rollout.environment, "attempt": rollout.attempt}
    if background is None:
        judged.not_possible.append({**which, "reason": "the environment is not known here"})
        return rollout
    try:
        fresh = regraded(rollout, background.environment)
    except CannotRegrade as error:
        judged.not_possible.append({**which, "reason": str(error)})
        return rollout
    if fresh.verdict == rollout.verdict:
        judged.same += 1
    else:
        same = fresh.environment_hash == rollout.environment_hash
        judged.changed.append({**which, "was": rollout.verdict, "is": fresh.verdict, "same_environment": same})
    return fresh


def _record(rollout: Rollout, background: Background | None) -> Record:
    slim = rollout.model_copy(update={"messages": [], "tools": [], "calls": [], "diff": [], "assertions": []})
    refused = sum(400 <= c.status < 500 for c in rollout.calls)
    failure = root_cause(rollout, background) if rollout.verdict == "failed" else None
    branch = (
        rollout.branch
        or (branch_of(background.environment) if background else "")
        or ", ".join(rollout.rules)
        or "no rule"
    )
    return Record(slim, len(rollout.calls), refused, failure, branch)


def _some(names: list[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
