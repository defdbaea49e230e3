"""Rounds: signals, findings, candidates, trials, acceptance, propagation, and the proof that nothing was lost.

All of a round happens in a scratch folder that is laid over the fleet. What stands at its end, with every environment that uses a changed
atom proven again and none lost, is written to the fleet's own files; nothing else ever is.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from legoenv_mcp import registry
from legoenv_mcp.controller import atoms, catalogue, proofs
from legoenv_mcp.evolve import changelog, fleet, propagate
from legoenv_mcp.evolve.bar import Bar
from legoenv_mcp.evolve.diagnosis import Finding, counted, diagnose
from legoenv_mcp.evolve.fleet import Edit, Patch
from legoenv_mcp.evolve.heed import heed
from legoenv_mcp.evolve.keeping import keep_what_stands
from legoenv_mcp.evolve.nursery import Nursery, Trials
from legoenv_mcp.evolve.repairs import Backend, Repair, Round, proof_of, scratch, uses
from legoenv_mcp.evolve.trial import Trial
from legoenv_mcp.evolve.workshop import Memory, Workshop


class Evolution:
    """One or more rounds over some environments."""

    def __init__(
        self,
        ids: Sequence[str],
        backends: Sequence[Backend],
        *,
        jobs: int = 0,
        tests: bool = True,
        dry: bool = False,
        tell: Callable[[str], None] = lambda _: None,
        heard: Sequence[Finding] = (),
        trials: Trials = "auto",
    ) -> None:
        """`heard`: what rollouts say beside (rollouts.py). `trials`: where code of a backend that is not trusted runs (nursery.py)."""
        self.ids, self.backends, self.jobs, self.tests, self.dry, self.tell = (
            list(ids),
            backends,
            jobs,
            tests,
            dry,
            tell,
        )
        self.heard = heard
        self.trials: Trials = trials
        self._memory = Memory()

    def rounds(self, most: int) -> Iterator[Round]:
        """Up to so many rounds; fewer where everything is solvable, or a round changes nothing."""
        for _ in range(most):
            found = self._round()
            yield found
            if found.after == 1.0 or not found.accepted or self.dry:
                return

    def _round(self) -> Round:
        made, memory = Round(), self._memory
        with scratch() as home, Nursery(self.jobs, self.trials) as nursery:
            shop = self.shop = Workshop(nursery, home, memory)
            if not memory.standings:
                memory.standings = shop.examine(self.ids)
            solvable = shop.solved
            made.before = len(solvable) / max(1, len(self.ids))
            findings = diagnose(shop.standings.values())
            made.causes = counted(findings)
            memory.known |= {f.key for f in findings}
            for finding in findings:
                self._mend(finding, made)
            for finding in self.heard:
                if repair := heed(finding, self.backends, nursery, self._stands_heard, made):
                    self._accept(repair, made)
            keep_what_stands(shop, made, solvable, self.tell)
            self._mend_uncovered(made)
            self.trials = nursery.trials
            made.after = len(shop.solved) / max(1, len(self.ids))
            made.solved = sorted(shop.solved)
            made.unsolved = [
                {"id": e["id"], "signals": [f"{s['kind']}: {s['detail']}" for s in e["signals"][:3]]}
                for e in shop.standings.values()
                if not e["proven"]
            ]
        if not self.dry:
            self._write(made.accepted, made.rejected)
        return made

    def _mend_uncovered(self, made: Round) -> None:
        """A fault may have hidden others: what the round's own repairs have uncovered, or cleared the way to, is still its business, and so
        is what was taken back."""
        since, solved = len(made.accepted), self.shop.solved
        fresh = diagnose(self.shop.standings.values())
        self._memory.known |= {f.key for f in fresh}
        for finding in fresh:
            if self.shop.told_of(self.shop.pending(finding)) != self._memory.tried.get(finding.key):
                self._mend(finding, made)
        keep_what_stands(self.shop, made, solved, self.tell, since)

    def _mend(self, finding: Finding, made: Round) -> None:
        pending = self.shop.pending(finding)
        if not pending:
            return
        self._memory.tried[finding.key] = self.shop.told_of(pending)
        shown = replace(
            finding, environments=pending, evidence=[s for s in finding.evidence if s["environment"] in pending]
        )
        for backend in self.backends:
            chosen = self._tried(backend, shown, pending, made)
            took = f"{finding.cause} of {finding.atom} {finding.about} ({len(pending)} environments)"
            self.tell(took + (": repaired" if chosen else ": no repair"))
            if chosen is not None:
                self._accept(chosen, made)
                self._propagate(backend, chosen, made)
                return

    def _accept(self, repair: Repair, made: Round) -> None:
        self.tell(f"accepted: {repair.patch.atom}: {repair.patch.title}")
        made.accepted.append(repair)

    def _tried(self, backend: Backend, finding: Finding, pending: Sequence[str], made: Round) -> Repair | None:
        asked: dict[str, Any] = {
            **replace(finding, environments=list(pending)).as_json(),
            "evidence": finding.evidence[:6],
        }
        candidates = backend.propose(asked, self.shop.nursery)
        return Trial(self.shop, self._stands).first(backend, finding, candidates, pending, made.rejected)

    def _stands(
        self, patch: Patch, finding: Finding, pending: Sequence[str], confined: bool, partly: bool = False
    ) -> tuple[str, Repair | None]:
        """Why a patch does not stand, or the repair, by then part of the scratch fleet."""
        reason, stood = Bar(self.shop, tests=self.tests).stands(patch, finding, pending, confined, partly)
        if stood is None:
            return reason, None
        was = tuple(Edit(e.path, fleet.read(e.path)) for e in patch.edits)
        self.shop.lay(patch.edits, patch.atom)
        self.shop.know(stood.found)
        restored = tuple(n for n, e in stood.found.items() if e["proven"])
        return "", Repair(patch, finding, was, restored, stood.tests, exhibit=stood.exhibit)

    def _stands_heard(self, patch: Patch, finding: Finding, confined: bool) -> tuple[str, Repair | None]:
        return self._stands(patch, finding, (), confined, partly=True)

    def _propagate(self, backend: Backend, repair: Repair, made: Round) -> None:
        """Offers the same repair to others that lack the same."""
        for finding in propagate.others(repair.finding, self.shop.standings.values()):
            pending = self.shop.pending(finding)
            chosen = self._tried(backend, finding, pending, made) if pending else None
            if chosen is not None:
                self._accept(chosen, made)

    def _write(self, repairs: Sequence[Repair], rejected: Sequence[dict[str, Any]]) -> None:
        lines = [
            changelog.line(r.patch, r.before, r.finding.as_json(), r.restored, r.reproved, r.tests, r.exhibit)
            for r in repairs
        ]
        fleet.write(e for r in repairs for e in r.patch.edits)
        if lines:
            changelog.keep(lines)
        if rejected:
            changelog.keep(rejected, changelog.REJECTED)
        atoms.forget()
        if repairs:
            self._renew_proofs(repairs)

    def _renew_proofs(self, repairs: Sequence[Repair]) -> None:
        """Keeps the proofs that the round's end has made of every environment that uses a changed atom."""
        for cached in (registry.source_hash, catalogue.worlds_digest):
            cached.cache_clear()
        for e in self._memory.standings.values():
            if e["proven"] and any(uses(e, r.patch.atom.kind, r.patch.atom.id) for r in repairs):
                proofs.store(proof_of(e["proof"]))
