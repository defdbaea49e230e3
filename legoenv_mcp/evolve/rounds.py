"""Rounds: signals, findings, candidates, trials, acceptance, propagation, and the proof that nothing was lost.

All of a round happens in a scratch folder that is laid over the fleet. What stands at its end, with every environment that uses a changed
atom proven again and none lost, is written to the fleet's own files; nothing else ever is.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from legoenv_mcp import registry
from legoenv_mcp.controller import atoms, catalogue, proofs
from legoenv_mcp.evolve import changelog, fleet, propagate
from legoenv_mcp.evolve.bar import Bar, Baseline
from legoenv_mcp.evolve.diagnosis import Finding, Standing, counted, diagnose, explained
from legoenv_mcp.evolve.fleet import Edit, Patch, Refused
from legoenv_mcp.evolve.heed import heed
from legoenv_mcp.evolve.nursery import Job, Nursery, Trials
from legoenv_mcp.evolve.repairs import (
    Backend,
    Repair,
    Round,
    as_sharp,
    first_signal,
    proof_of,
    rejected,
    scratch,
    standings_of,
    uses,
)

SAMPLE, PATIENCE = 2, 12
# Where a repair that brings an environment further, but not yet to its proof, is worth keeping: what it brings is missing for certain.
LOOKED_AT = ("missing_operation", "missing_parameter", "missing_choice", "absent", "ambiguous", "selector")
CERTAIN = ("missing_operation", "missing_parameter", "missing_choice", "missing_field", "absent", "ambiguous")


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
        self.known = set[tuple[str, str, str]]()
        self.tried = dict[tuple[str, str, str], frozenset[tuple[str, str, str]]]()
        """Findings that were tried in this round or before, and what was seen then in the environments that show them."""
        self.gone = set[tuple[str, str]]()
        """Patches, by atom and title, that were taken back because they lost an environment: no second time."""
        self.trials: Trials = trials
        self.standings = dict[str, Standing]()
        self._baseline = Baseline()

    def rounds(self, most: int) -> Iterator[Round]:
        """Up to so many rounds; fewer where everything is solvable, or a round changes nothing."""
        for _ in range(most):
            found = self._round()
            yield found
            if found.after == 1.0 or not found.accepted or self.dry:
                return

    def _round(self) -> Round:
        made, written = Round(), list[Repair]()
        with scratch() as home, Nursery(self.jobs, self.trials) as nursery:
            self.nursery, self.home = nursery, home
            if not self.standings:
                self.standings = self.examine(self.ids)
            solvable = {n for n, e in self.standings.items() if e["proven"]}
            made.before = len(solvable) / max(1, len(self.ids))
            findings = diagnose(self.standings.values())
            made.causes = counted(findings)
            self.known |= {f.key for f in findings}
            for finding in findings:
                self._mend(finding, made)
            for finding in self.heard:
                if repair := heed(finding, self.backends, nursery, self._stands_heard, made):
                    made.accepted.append(repair)
            self._keep_what_stands(made, solvable)
            self._mend_uncovered(made)
            self.trials = nursery.trials
            made.after = sum(e["proven"] for e in self.standings.values()) / max(1, len(self.ids))
            made.solved = sorted(n for n, e in self.standings.items() if e["proven"])
            made.unsolved = [
                {"id": e["id"], "signals": [f"{s['kind']}: {s['detail']}" for s in e["signals"][:3]]}
                for e in self.standings.values()
                if not e["proven"]
            ]
            written = made.accepted
        if not self.dry:
            self._write(written, made.rejected)
        return made

    def _mend_uncovered(self, made: Round) -> None:
        """A fault may have hidden others: what the round's own repairs have uncovered, or cleared the way to, is still its business."""
        since, solved = len(made.accepted), {n for n, e in self.standings.items() if e["proven"]}
        fresh = diagnose(self.standings.values()) if since else []
        self.known |= {f.key for f in fresh}
        for finding in fresh:
            if self._told_of(self._pending(finding)) != self.tried.get(finding.key):
                self._mend(finding, made)
        self._keep_what_stands(made, solved, since)

    def examine(
        self, ids: Sequence[str], edits: tuple[Edit, ...] = (), *, confined: bool = False, alone: bool = False
    ) -> dict[str, Standing]:
        """The standing of each environment, with a patch laid over. Those of a job that was lost are not proven, and say why."""
        size = len(ids) if alone else max(1, min(24, -(-len(ids) // self.nursery.jobs)))
        chunks = [list(ids[at : at + size]) for at in range(0, len(ids), max(1, size))]
        jobs = [Job("examine.examine", {"ids": c}, edits, confined, 60 if confined else 900) for c in chunks]
        found = dict[str, Standing]()
        for chunk, answer in zip(chunks, self.nursery.run(jobs), strict=True):
            found |= standings_of(chunk, answer.value, answer.lost)
        return found

    # One finding

    def _pending(self, finding: Finding) -> list[str]:
        """The environments that still show the finding. Those first whose own steps do, not a stray write alone: it shows no effect; and of
        them those that show the fewest others: there a repair can be seen to work."""
        order = dict[str, tuple[bool, int]]()
        for name in finding.environments:
            e = self.standings[name]
            keys = {f.key for f in diagnose([e])}
            if not e["proven"] and finding.key in keys:
                own = (s for s in e["signals"] if any(f.key == finding.key for f in explained(s, e)))
                order[name] = (all(str(s.get("step", "")).startswith("stray ") for s in own), len(keys))
        return sorted(order, key=lambda n: order[n])

    def _told_of(self, names: Iterable[str]) -> frozenset[tuple[str, str, str]]:
        """What is seen in these environments."""
        return frozenset((n, *_of(s)) for n in names for s in self.standings[n]["signals"])

    def _mend(self, finding: Finding, made: Round) -> None:
        pending = self._pending(finding)
        if not pending:
            return
        self.tried[finding.key] = self._told_of(pending)
        shown = replace(
            finding, environments=pending, evidence=[s for s in finding.evidence if s["environment"] in pending]
        )
        asked = {**shown.as_json(), "evidence": shown.evidence[:6]}
        for backend in self.backends:
            candidates = backend.propose(asked, self.nursery)
            chosen = self._try(backend, shown, candidates, pending, made)
            took = f"{finding.cause} of {finding.atom} {finding.about} ({len(pending)} environments)"
            self.tell(took + (": repaired" if chosen else ": no repair"))
            if chosen is not None:
                self.tell(f"accepted: {chosen.patch.atom}: {chosen.patch.title}")
                made.accepted.append(chosen)
                self._propagate(backend, chosen, made)
                return

    def _try(
        self,
        backend: Backend,
        finding: Finding,
        candidates: Iterable[Patch | Refused],
        pending: Sequence[str],
        made: Round,
    ) -> Repair | None:
        """The first candidate that stands of those that solve the whole sample; else of those that solve most of it; else of those that
        bring one further."""
        sample, confined = self._sample(finding, pending), not backend.trusted
        good, further, tried = list[tuple[int, Patch]](), list[Patch](), 0
        for patch, found, lost in self._trials(finding, candidates, sample, confined):
            solved = sum(e["proven"] for e in found.values())
            if solved == len(sample):
                reason, repair = self._stands(patch, finding, pending, confined)
                if repair is not None:
                    return repair
            elif solved:
                reason = f"{solved} of {len(sample)} environments are proven"
                good.append((solved, patch))
            else:
                reason = lost or first_signal(found)
                come = self._further if finding.cause in CERTAIN else self._nearer
                if backend.trusted and not lost and come(finding, found):
                    further.append(patch)
            backend.told(finding.as_json(), patch, reason)
            made.rejected.append(rejected(finding, patch, reason))
            tried += bool(good)
            if tried > PATIENCE:
                break
        most = [patch for _, patch in sorted(good, key=lambda g: -g[0])]
        for patch in (*most, *further[:3]):
            reason, repair = self._stands(patch, finding, pending, confined, partly=patch in further)
            if repair is not None:
                made.rejected = [r for r in made.rejected if r["title"] != patch.title]
                return repair
            made.rejected.append(rejected(finding, patch, reason))
        return None

    @staticmethod
    def _sample(finding: Finding, pending: Sequence[str]) -> list[str]:
        """The environments on which candidates are tried first: of an operation, those that call it in different ways."""
        if finding.cause != "missing_operation":
            return list(pending[:SAMPLE])
        ways = dict[tuple[str, ...], str]()
        for s in finding.evidence:
            if s.get("environment") in pending:
                ways.setdefault(tuple(sorted(s.get("arguments", ()))), s["environment"])
        chosen = list(dict.fromkeys([*ways.values(), *pending]))
        return chosen[: max(SAMPLE, min(2 * SAMPLE, len(ways)))]

    def _trials(
        self, finding: Finding, candidates: Iterable[Patch | Refused], sample: Sequence[str], confined: bool
    ) -> Iterator[tuple[Patch, Mapping[str, Standing], str]]:
        """What becomes of the sample under each candidate. Where a look tells that something is still missing, no proof is tried."""
        seconds, batch = 60 if confined else 300, 1 if confined else max(2, self.nursery.jobs)
        left = (c for c in candidates if (str(c.atom), c.title) not in self.gone)
        while proposed := list(itertools.islice(left, batch)):
            some = list[Patch]()
            for one in proposed:
                if isinstance(one, Patch):
                    some.append(one)
                else:
                    yield Patch(one.atom, one.title, ()), {}, one.reason
            if finding.cause in LOOKED_AT:
                first = list(sample[:1])
                jobs = [Job("examine.look", {"ids": first}, p.edits, confined, seconds) for p in some]
                looks = [standings_of(first, a.value, a.lost) for a in self.nursery.run(jobs)]
            else:
                looks = [dict[str, Standing]() for _ in some]
            good = [p for p, seen in zip(some, looks, strict=True) if not seen or self._further(finding, seen)]
            answers = self.nursery.run(
                [Job("examine.examine", {"ids": list(sample)}, p.edits, confined, seconds) for p in good]
            )
            for patch, seen in zip(some, looks, strict=True):
                if patch in good:
                    answer = next(answers)
                    yield patch, standings_of(sample, answer.value, answer.lost), answer.lost
                else:
                    yield patch, seen, ""

    @staticmethod
    def _further(finding: Finding, found: Mapping[str, Standing]) -> bool:
        """Whether in some environment what was found missing is found missing no more, and nothing falls over."""

        def past(e: Standing) -> bool:
            if any(
                s["kind"] == "unmet" and s["target"].split(":")[0].split(".")[0] == finding.atom.id
                for s in e["signals"]
            ):
                return False  # it is answered, and does not do what it is called for
            return not any(
                f.key == finding.key or (f.atom == finding.atom and f.cause in (*CERTAIN[:4], "broken"))
                for f in diagnose([e])
            )

        return not _crashed(found) and any(past(e) for e in found.values())

    def _nearer(self, finding: Finding, found: Mapping[str, Standing]) -> bool:
        """Whether in some environment all that told of the finding is gone, and what is seen in its place is the fault of others that are
        known, or could not be seen before: several faults may lie in each other's way."""

        def fresh(e: Standing) -> Iterator[dict[str, Any]]:
            held = {_of(s) for s in self.standings[e["id"]]["signals"]}
            yield from (s for s in e["signals"] if _of(s) not in held)

        def own(e: Standing) -> list[dict[str, Any]]:
            held = self.standings[e["id"]]
            return [s for s in held["signals"] if any(f.key == finding.key for f in explained(s, held))]

        def past(e: Standing) -> bool:
            gone = {_of(s) for s in own(e)}
            return bool(gone) and not any(_of(s) in gone for s in e["signals"])

        def others(e: Standing) -> bool:
            seen = min(_stage(s) for s in own(e))
            return all(
                "has no tool" in s["detail"]
                or _stage(s) > seen
                or {f.key for f in explained(s, e)} & (self.known - {finding.key})
                for s in fresh(e)
            )

        return not _crashed(found) and any(past(e) and others(e) for e in found.values())

    def _stands(
        self, patch: Patch, finding: Finding, pending: Sequence[str], confined: bool, partly: bool = False
    ) -> tuple[str, Repair | None]:
        """Why a patch does not stand, or the repair, by then part of the scratch fleet."""
        bar = Bar(self.nursery, self.standings, self.examine, self._baseline, tests=self.tests)
        reason, stood = bar.stands(patch, finding, pending, confined, partly)
        if stood is None:
            return reason, None
        was = tuple(Edit(e.path, fleet.read(e.path)) for e in patch.edits)
        self._lay(patch.edits)
        self.standings |= stood.found
        restored = tuple(n for n, e in stood.found.items() if e["proven"])
        return "", Repair(patch, finding, was, restored, stood.tests, exhibit=stood.exhibit)

    def _stands_heard(self, patch: Patch, finding: Finding, confined: bool) -> tuple[str, Repair | None]:
        return self._stands(patch, finding, (), confined, partly=True)

    def _lay(self, edits: Sequence[Edit]) -> None:
        """Makes edits part of the scratch fleet."""
        fleet.lay_over(edits, self.home)
        atoms.forget()
        self.nursery.look_again([e.path for e in edits])

    # Beyond one finding

    def _propagate(self, backend: Backend, repair: Repair, made: Round) -> None:
        """Offers the same repair to others that lack the same."""
        for finding in propagate.others(repair.finding, self.standings.values()):
            if not finding.environments or finding.key == repair.finding.key:
                continue
            self._mend_alike(backend, finding, made)

    def _mend_alike(self, backend: Backend, finding: Finding, made: Round) -> None:
        pending = [n for n in finding.environments if not self.standings[n]["proven"]]
        if pending:
            asked = {**replace(finding, environments=pending).as_json(), "evidence": finding.evidence[:6]}
            chosen = self._try(backend, finding, backend.propose(asked, self.nursery), pending, made)
            if chosen is not None:
                made.accepted.append(chosen)

    def _keep_what_stands(self, made: Round, solvable: set[str], since: int = 0) -> None:
        """Proves again every environment that uses an atom changed since so many repairs. While one is lost, the change that lost it goes,
        and what rests on that change's atom is proven again."""
        was = {n: e["proof"]["mutants"] for n, e in self.standings.items() if e["proven"]}
        fresh = changed = list(made.accepted[since:])
        while changed:
            using = [n for n in self.standings if any(self._rests_on(n, r) for r in changed)]
            self.standings |= self.examine(using)
            lost = [n for n in self.standings if n in solvable and not self._as_before(self.standings[n], was.get(n))]
            guilty = self._guilty(lost[0], made.accepted, was.get(lost[0])) if lost else None
            if guilty is None:
                break
            end = self.standings[lost[0]]
            said = "fewer near misses fail now" if end["proven"] else first_signal({lost[0]: end})
            self.tell(f"taken back: {guilty.patch.atom}: {guilty.patch.title}: {lost[0]} is lost by it")
            self.gone.add((str(guilty.patch.atom), guilty.patch.title))
            changed = self._take_back(guilty, made)
            made.rejected.append(rejected(guilty.finding, guilty.patch, f"{lost[0]} was proven before: {said}"))
        for repair in [r for r in fresh if r in made.accepted]:
            mine = [n for n in self.standings if self._rests_on(n, repair)]
            repair.reproved = len(mine)
            repair.restored = tuple(
                n
                for n in mine
                if n not in solvable and self.standings[n]["proven"] and n in repair.finding.environments
            )

    def _rests_on(self, name: str, repair: Repair) -> bool:
        return uses(self.standings[name], repair.patch.atom.kind, repair.patch.atom.id)

    @staticmethod
    def _as_before(e: Standing, was: Mapping[str, int] | None) -> bool:
        return bool(e["proven"]) and as_sharp(e, was)

    def _guilty(self, name: str, accepted: Sequence[Repair], was: Mapping[str, int] | None) -> Repair | None:
        """The repair without which an environment is what it was; the newest that it rests on where none is that alone."""
        near = [r for r in reversed(accepted) if self._rests_on(name, r)]
        for repair in near:
            if self._as_before(self.examine([name], repair.before)[name], was):
                return repair
        return near[0] if near else None

    def _take_back(self, guilty: Repair, made: Round) -> list[Repair]:
        """Undoes a repair, and with it later ones of the same files; answers all that are gone."""
        paths = {e.path for e in guilty.patch.edits}
        later = made.accepted[made.accepted.index(guilty) + 1 :]
        gone = [guilty, *(r for r in later if paths & {e.path for e in r.patch.edits})]
        for repair in reversed(gone):
            self._lay(repair.before)
            made.accepted.remove(repair)
        return gone

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
        for e in self.standings.values():
            if e["proven"] and any(uses(e, r.patch.atom.kind, r.patch.atom.id) for r in repairs):
                proofs.store(proof_of(e["proof"]))


def _crashed(found: Mapping[str, Standing]) -> bool:
    """Whether an app falls over in any of them."""
    return any(s["kind"] == "fault" or s.get("status", 0) >= 500 for e in found.values() for s in e["signals"])


def _stage(signal: Mapping[str, Any]) -> int:
    """How far an environment had come when it showed the signal: its scene, its plan's steps, its proof."""
    return _STAGES.get(signal["kind"], 1)


_STAGES = {"tie": 0, "absent": 0, "unlike": 0, "few": 0, "scene": 0, "world": 0, "unmet": 2, "check": 2}


def _of(signal: Mapping[str, Any]) -> tuple[str, str]:
    """What a signal is about, whatever it says of it."""
    return signal["kind"], str(signal.get("goal") or signal.get("name") or signal.get("tool") or signal["detail"][:60])
