"""A round's workshop: the scratch fleet, how each environment fares in it, and what is known from rounds before."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from legoenv_mcp.controller import atoms
from legoenv_mcp.evolve import accept, fleet
from legoenv_mcp.evolve.diagnosis import Finding, Signal, Standing, diagnose, explained
from legoenv_mcp.evolve.fleet import Atom, Edit
from legoenv_mcp.evolve.nursery import Job, Nursery
from legoenv_mcp.evolve.repairs import standings_of, uses

Key = tuple[str, str, str]
"""A finding, whichever environments show it: cause, atom, about."""
Baseline = dict[tuple[str, frozenset[str] | None], accept.Tested]
"""What an app's tests (or some of them) said before a patch, by app and which."""


@dataclass
class Memory:
    """What one round leaves to the next."""

    standings: dict[str, Standing] = field(default_factory=dict[str, Standing])
    known: set[Key] = field(default_factory=set[Key])
    """The findings that there were."""
    tried: dict[Key, frozenset[Key]] = field(default_factory=dict[Key, frozenset[Key]])
    """Findings for which repairs were tried, and what was seen then in the environments that show them."""
    gone: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """Patches, by atom and title, that were taken back because they lost an environment: no second time."""
    baseline: Baseline = field(default_factory=Baseline)


class Workshop:
    """Where a round's patches are tried and laid."""

    def __init__(self, nursery: Nursery, home: Path, memory: Memory) -> None:
        self.nursery, self.home, self.memory = nursery, home, memory
        self._stale = set[str]()

    @property
    def standings(self) -> dict[str, Standing]:
        """How each environment fares with what has been laid so far."""
        return self.memory.standings

    @property
    def solved(self) -> set[str]:
        return {n for n, e in self.standings.items() if e["proven"]}

    def examine(
        self, ids: Sequence[str], edits: tuple[Edit, ...] = (), *, confined: bool = False
    ) -> dict[str, Standing]:
        """The standing of each environment, with a patch laid over. Those of a job that was lost are not proven, and say why."""
        size = max(1, min(24, -(-len(ids) // self.nursery.jobs)))
        chunks = [list(ids[at : at + size]) for at in range(0, len(ids), size)]
        jobs = [Job("examine.examine", {"ids": c}, edits, confined, 60 if confined else 900) for c in chunks]
        found = dict[str, Standing]()
        for chunk, answer in zip(chunks, self.nursery.run(jobs), strict=True):
            found |= standings_of(chunk, answer.value, answer.lost)
        return found

    def know(self, found: Mapping[str, Standing]) -> None:
        """Takes down how environments fare with what is laid."""
        self.standings.update(found)
        self._stale -= set(found)

    def lay(self, edits: Sequence[Edit], atom: Atom) -> None:
        """Makes edits of an atom part of the scratch fleet. What was seen of unproven environments that use it may be true no longer."""
        self._stale |= {n for n, e in self.standings.items() if not e["proven"] and uses(e, atom.kind, atom.id)}
        fleet.lay_over(edits, self.home)
        atoms.forget()
        self.nursery.look_again([e.path for e in edits])

    def pending(self, finding: Finding) -> list[str]:
        """The environments that still show the finding. Those first whose own steps do, not a stray write alone: it shows no effect; and of
        them those that show the fewest others: there a repair can be seen to work."""
        self.know(self.examine([n for n in finding.environments if n in self._stale]))
        order = dict[str, tuple[bool, int]]()
        for name in finding.environments:
            e = self.standings[name]
            keys = {f.key for f in diagnose([e])}
            if not e["proven"] and finding.key in keys:
                strays = [str(s.get("step", "")).startswith("stray ") for s in shown_by(e, finding)]
                order[name] = (all(strays), len(keys))
        return sorted(order, key=lambda n: order[n])

    def told_of(self, names: Iterable[str]) -> frozenset[Key]:
        """What is seen in these environments."""
        return frozenset((n, *about(s)) for n in names for s in self.standings[n]["signals"])


def shown_by(e: Standing, finding: Finding) -> Iterator[Signal]:
    """The signals of an environment that say a finding."""
    yield from (s for s in e["signals"] if any(f.key == finding.key for f in explained(s, e)))


def about(signal: Mapping[str, Any]) -> tuple[str, str]:
    """What a signal is about, whatever it says of it."""
    return signal["kind"], str(signal.get("goal") or signal.get("name") or signal.get("tool") or signal["detail"][:60])
