"""What rounds are made of: backends, accepted repairs, what a round came to, the scratch folder that it happens in."""

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from legoenv_mcp.controller.prove import Check, Mutation, Proof
from legoenv_mcp.evolve import fleet
from legoenv_mcp.evolve.diagnosis import UNKNOWN, Finding, Standing
from legoenv_mcp.evolve.fleet import Edit, Patch, Refused
from legoenv_mcp.evolve.nursery import Job, Nursery


class Backend(Protocol):
    """Proposes candidate patches for a finding, the likeliest first."""

    name: str
    trusted: bool
    """Whether its candidates may be tried without confinement: they are made of the fleet's own parts."""

    def propose(self, finding: dict[str, Any], nursery: Nursery) -> Iterable[Patch | Refused]: ...

    def told(self, finding: dict[str, Any], patch: Patch | Refused, reason: str) -> None: ...


class Schema:
    """The backend that needs no model."""

    name = "schema"
    trusted = True

    def propose(self, finding: dict[str, Any], nursery: Nursery) -> Sequence[Patch]:
        answer = nursery.one(Job("schema.propose", {"finding": finding}, seconds=300))
        return [] if answer.lost else [Patch.of(p) for p in answer.value]

    def told(self, finding: dict[str, Any], patch: Patch | Refused, reason: str) -> None:
        """It does not learn."""


@dataclass
class Repair:
    """An accepted patch, and what speaks for it."""

    patch: Patch
    finding: Finding
    before: tuple[Edit, ...]
    restored: tuple[str, ...]
    tests: tuple[int, int] = (0, 0)
    reproved: int = 0
    exhibit: dict[str, Any] = field(default_factory=dict[str, Any])
    """Of a verifier's repair: the run (`environment`, `calls`, `answer`) that was judged wrongly before, and the `check` that told."""

    def as_json(self) -> dict[str, Any]:
        edits = zip(self.patch.edits, self.before, strict=True)
        return {
            "atom": str(self.patch.atom),
            "title": self.patch.title,
            "cause": self.finding.cause,
            "backend": self.patch.backend,
            "tool": self.patch.tool,
            "environments": list(self.restored),
            "reproved": self.reproved,
            "tests": self.tests[0],
            "tests_passed": self.tests[1],
            **({"exhibit": self.exhibit} if self.exhibit else {}),
            "diff": "\n".join(line for new, old in edits for line in fleet.diff(new, old.text or "")),
        }


@dataclass
class Round:
    """What a round came to."""

    before: float = 0.0
    after: float = 0.0
    causes: Mapping[str, int] = field(default_factory=dict[str, int])
    accepted: list[Repair] = field(default_factory=list[Repair])
    rejected: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    solved: list[str] = field(default_factory=list[str])
    unsolved: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def as_json(self) -> dict[str, Any]:
        return {
            "solvable_before": round(self.before, 4),
            "solvable_after": round(self.after, 4),
            "causes": dict(self.causes),
            "accepted": [r.as_json() for r in self.accepted],
            "rejected": self.rejected,
            "unsolved": self.unsolved,
        }


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder laid over the fleet, for this process and those it starts."""
    with tempfile.TemporaryDirectory(prefix="legoenv-round-") as made:
        home = Path(made)
        seen = dict[str, str]()
        for name, folder in (("LEGOENV_SERVERS", "servers"), ("LEGOENV_ATOMS", "atoms_db")):
            (home / folder).mkdir()
            seen[name] = os.pathsep.join(filter(None, [str(home / folder), os.environ.get(name)]))
        with fleet.laid_over(home, seen):
            yield home


def rejected(finding: Finding, patch: Patch, reason: str) -> dict[str, Any]:
    return {"atom": str(patch.atom), "title": patch.title, "cause": finding.cause, "reason": reason}


def standings_of(ids: Sequence[str], value: Any, lost: str) -> dict[str, Standing]:
    if lost or not isinstance(value, list):
        signal = {"kind": "fault", "detail": lost or "no answer"}
        return {n: {"id": n, "proven": False, "signals": [signal], **UNKNOWN} for n in ids}
    return {e["id"]: e for e in value}


def first_signal(found: Mapping[str, Standing]) -> str:
    return next(
        (f"{s['kind']}: {s['detail']}"[:300] for e in found.values() for s in e["signals"]),
        "the environments are not proven",
    )


def as_sharp(e: Standing, before: Mapping[str, int] | None) -> bool:
    """Whether as large a share of the near misses fails as before."""
    now = e["proof"]["mutants"]
    return before is None or _killed(now) >= _killed(before)


def _killed(mutants: Mapping[str, int]) -> float:
    return mutants["killed"] / max(1, mutants["played"] - mutants["equivalent"])


def uses(e: Standing, kind: str, name: str) -> bool:
    held = {
        "server": e["apps"],
        "data": [e["world"]],
        "intent": [e["intent"]],
        "rule": e["rules"],
        "place": e["places"],
        "trap": e["traps"],
        "verifier": [e["intent"], *e["rules"]],
    }
    return name in held.get(kind, ())


def proof_of(data: Mapping[str, Any]) -> Proof:
    """A proof as a child has reported it."""
    checks = tuple(Check(c["rule"], c["name"], c["passed"], c["detail"]) for c in data["checks"])
    return Proof(data["environment"], dict(data["atoms"]), checks, Mutation(**data["mutants"]), data["episodes"])
