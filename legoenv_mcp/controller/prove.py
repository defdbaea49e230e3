"""Proof that an environment is right: solvable as the reference plan says, and not passed by anything else that was tried.

Every check is shown by running something through the real dispatcher on a fresh episode. The rule numbers are those of
docs/verifiers.md.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from legoenv_mcp import registry
from legoenv_mcp.controller.derivable import underivable
from legoenv_mcp.controller.environment import Environment, Step
from legoenv_mcp.controller.mutants import mutants
from legoenv_mcp.controller.plans import PlanError, Run, orders, play, prerequisites
from legoenv_mcp.controller.plans import reads as asks
from legoenv_mcp.kernel.diff import all_keys, changes_between
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.verify import State, Verdict

STEP_BUDGET = 50
MIN_STRAYS = 8
KILLED = 0.99


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a proof: which rule, what was run, how it came out.

    end: where a run that was graded is what fails it, how that run came about: its `calls` (`app`, `tool`, `arguments` each) and its
    `answer`. It is no part of a proof that is kept.
    """

    rule: str
    name: str
    passed: bool
    detail: str = ""
    end: dict[str, Any] = field(default_factory=dict[str, Any], compare=False)

    def as_json(self) -> dict[str, Any]:
        return {"rule": self.rule, "name": self.name, "passed": self.passed, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Mutation:
    """What became of the near misses: how many could be played, were refused, ended the same as the right plan."""

    played: int = 0
    killed: int = 0
    equivalent: int = 0

    def as_json(self) -> dict[str, int]:
        return {"played": self.played, "killed": self.killed, "equivalent": self.equivalent}


@dataclass(frozen=True, slots=True)
class Proof:
    """The outcome of all checks, with the hashes of the atoms it rests on."""

    environment: str
    atoms: dict[str, str]
    checks: tuple[Check, ...] = field(default=())
    mutants: Mutation = Mutation()
    episodes: int = 0

    @property
    def proven(self) -> bool:
        return bool(self.checks) and all(c.passed for c in self.checks)

    @property
    def failed(self) -> list[Check]:
        return [c for c in self.checks if not c.passed]

    def as_json(self) -> dict[str, Any]:
        return {
            "environment": self.environment, "proven": self.proven, "atoms": self.atoms, "mutants": self.mutants.as_json(),
            "episodes": self.episodes, "checks": [c.as_json() for c in self.checks],
        }  # fmt: skip


def prove(environment: Environment) -> Proof:
    """Runs every check. A check that cannot be run at all fails, with the reason."""
    checks, prover = list[Check](), _Prover(environment)
    try:
        for check in prover.checks():
            checks.append(check)
    except PlanError as error:
        checks.append(Check("V9", "the reference plan can be played", False, str(error)))
    return Proof(environment.id, environment.atoms(), tuple(checks), prover.mutation, prover.episodes)


class _Prover:
    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.plan = environment.plan
        self.episodes = 0
        self.mutation = Mutation()
        self._snapshots: list[tuple[Episode, Run]] = []

    def fresh(self, plan: Sequence[Step], answer: str | None = None) -> tuple[Episode, Run, Verdict]:
        """Plays a plan on a fresh episode and grades it."""
        self.episodes += 1
        episode = self.environment.episode()
        run = play(plan, episode)
        return episode, run, self.environment.grade(episode, answer)

    def attempt(self, plan: Sequence[Step], answer: str | None = None) -> tuple[Episode, Run, Verdict]:
        """The same, going on from a copy of where the lean plan is when the two part ways: it would come to the same (V16)."""
        self.episodes += 1
        together = 0
        while together < min(len(plan), len(self.lean)) and plan[together] == self.lean[together]:
            together += 1
        kept, done = self._after(together)
        episode = kept.copy()
        run = play(plan[together:], episode, done.copy())
        return episode, run, self.environment.grade(episode, answer)

    def _after(self, count: int) -> tuple[Episode, Run]:
        """The episode after so many steps of the lean plan, and what they answered. Not to be written to."""
        while len(self._snapshots) <= count:
            if not self._snapshots:
                self._snapshots.append((self.environment.episode(), Run()))
                continue
            before, done = self._snapshots[-1]
            episode = before.copy()
            run = play([self.lean[len(self._snapshots) - 1]], episode, done.copy())
            self._snapshots.append((episode, run))
        return self._snapshots[count]

    @cached_property
    def reference(self) -> tuple[Episode, Run, Verdict]:
        return self.fresh(self.plan, self.environment.answer)

    @cached_property
    def writing(self) -> list[Step]:
        """The steps with a call that is no read."""
        run = self.reference[1]
        return [s for s in self.plan if any(not asks(d) for d in run.of(s)) or not run.of(s)]

    @cached_property
    def lean(self) -> list[Step]:
        """The plan without reads that nothing refers to. A read writes and draws nothing (V16), so that wrong ends need not repeat it."""
        used = {name for s in self.plan for name in _named(s)}
        return [s for s in self.plan if s in self.writing or s.step in used]

    def checks(self) -> Iterator[Check]:
        yield from self._reference()
        fault = self.reference[2].fault
        yield Check("V14", "every selection matches exactly one row", not fault, fault)
        if not self.reference[2].passed:
            return  # what follows is measured against a reference that passes
        yield from self._wrong_ends()
        yield from self._omissions()
        yield from self._traps()
        yield from self._strays()
        yield from self._near_misses()
        yield from self._right_ends()
        yield from self._derivable()
        yield from self._deterministic()

    def _reference(self) -> Iterator[Check]:
        episode, run, verdict = self.reference
        bad = [f"{d.step.step}: {d.status} {json.dumps(d.body)[:200]}" for d in run.failed]
        yield Check("V9", "every call of the reference plan succeeds", not bad, "; ".join(bad))
        yield _graded("V9", "the reference plan passes", verdict.passed, _why(verdict), run, self.environment.answer)
        yield Check(
            "V9", f"at most {STEP_BUDGET // 2} calls", len(run.done) <= STEP_BUDGET // 2, f"{len(run.done)} calls"
        )
        untouched = ", ".join(verdict.unused)
        yield Check("V9", "the plan touches all that the frame allows", not verdict.unused, f"untouched: {untouched}")
        idle = [s.step for s in self.writing if not _wrote(episode, run, s)]
        yield Check("V9", "every writing step changes a row", not idle, ", ".join(idle))
        missed = [slug for slug in self.environment.apps if not _log_is_whole(episode, slug)]
        whole = "the changed-row log misses nothing (whole databases compared)"
        yield Check("V20", whole, not missed, ", ".join(missed))

    def _wrong_ends(self) -> Iterator[Check]:
        _, run, nothing = self.fresh((), None)
        yield _graded("V1", "doing nothing fails", nothing.outcome == "failed", _why(nothing), run, None)
        held = [a.name for a in nothing.assertions if a.passed and a.name != "frame"]
        yield Check("V7", "every goal is false at the start", not held, ", ".join(held))
        reads = [s for s in self.plan if s not in self.writing and not _depends_on_writes(s, self.plan, self.writing)]
        episode, run, verdict = self.fresh(reads, None)
        good = verdict.outcome == "failed" and not episode.changes()
        yield _graded("V1", "reading only changes nothing and fails", good, _why(verdict), run, None)

    def _omissions(self) -> Iterator[Check]:
        needs = prerequisites(self.plan)
        for step in self.writing:
            rest = [s for s in self.lean if s.step != step.step and step.step not in _refers(s, needs, self.plan)]
            _, run, verdict = self.attempt(rest, self.environment.answer)
            yield _graded(
                "V2",
                f"leaving out {step.step!r} fails",
                verdict.outcome == "failed",
                _why(verdict),
                run,
                self.environment.answer,
            )
        if self.environment.answer is not None:
            _, run, verdict = self.attempt(self.lean, None)
            yield _graded("V2", "leaving out the answer fails", verdict.outcome == "failed", _why(verdict), run, None)

    def _traps(self) -> Iterator[Check]:
        for trap in self.environment.trap:
            answer = trap.answer if trap.answer is not None else self.environment.answer
            _, run, verdict = self.attempt(trap.of(self.lean), answer)
            caught = [a.name for a in verdict.assertions if not a.passed]
            clean = not run.failed
            good = verdict.outcome == "failed" and bool(set(trap.catchers) & set(caught)) and clean
            detail = f"caught by {', '.join(caught) or 'nothing'}" + (
                "" if clean else f"; refused: {run.failed[0].step.step} {run.failed[0].body}"
            )
            named = " or ".join(trap.catchers)
            yield _graded("V3", f"trap {trap.name!r} runs clean and is caught by {named!r}", good, detail, run, answer)

    def _strays(self) -> Iterator[Check]:
        outcomes = list[tuple[Step, bool, bool, str, Run]]()
        for stray in self.environment.stray:
            episode, run, verdict = self.attempt((*self.lean, stray), self.environment.answer)
            calls = run.of(stray)
            clean = bool(calls) and all(d.status < 400 for d in calls) and _wrote(episode, run, stray)
            frame = next((a.detail for a in verdict.assertions if a.name == "frame"), "")
            refused = str(calls[-1].body)[:200] if calls and not clean else ""
            outcomes.append((stray, clean, verdict.outcome == "failed", refused or frame, run))
        played = [o for o in outcomes if o[1]] if self.environment.intent else outcomes
        apps = {o[0].app for o in played}
        lost = set(self.environment.apps) - apps
        enough = len(played) >= MIN_STRAYS and not lost
        where = f"{len(played)} in {', '.join(sorted(apps))}" + (f"; none in {', '.join(sorted(lost))}" if lost else "")
        yield Check("V4", f"at least {MIN_STRAYS} stray writes, in every app", enough, where)
        for stray, clean, failed, detail, run in played:
            yield _graded("V4", f"stray {stray.step!r} fails", clean and failed, detail, run, self.environment.answer)

    def _near_misses(self) -> Iterator[Check]:
        played = killed = equivalent = 0
        survivors, survived = list[str](), Run()
        end = _end(self.reference[0])
        for mutant in mutants(self.environment, self.lean, self.writing):
            try:
                episode, run, verdict = self.attempt(mutant.plan, self.environment.answer)
            except PlanError:
                continue
            if run.failed:
                continue
            played += 1
            if verdict.outcome == "failed":
                killed += 1
            elif verdict.passed and _end(episode) == end:
                equivalent += 1
            else:
                survivors.append(mutant.what)
                survived = run if len(survivors) == 1 else survived
        self.mutation = Mutation(played, killed, equivalent)
        # A task that writes, with neither a near miss that can be played nor a mistake that it knows (V3), has not been tried.
        tried = played > 0 or not self.writing or bool(self.environment.trap)
        good = killed >= KILLED * (played - equivalent) and tried
        said = f"{killed} of {played - equivalent}; passed: {'; '.join(survivors)}"
        yield _graded("V5", "near misses fail", good, said, survived, self.environment.answer)

    def _right_ends(self) -> Iterator[Check]:
        for number, order in enumerate(orders(self.lean), 1):
            _, run, verdict = self.attempt(order, self.environment.answer)
            good = verdict.passed and not run.failed
            yield _graded(
                "V10", f"order {number} of independent steps passes", good, _why(verdict), run, self.environment.answer
            )
        for other in self.environment.equivalent:
            answer = other.answer if other.answer is not None else self.environment.answer
            _, run, verdict = self.attempt(other.of(self.lean), answer)
            yield _graded("V10", f"equivalent {other.name!r} passes", verdict.passed, _why(verdict), run, answer)
        reads = [s for s in self.plan if s not in self.writing]
        doubled = (*self.plan, *(s.model_copy(update={"step": f"{s.step}_again"}) for s in reads))
        _, run, verdict = self.attempt(doubled, self.environment.answer)
        yield _graded("V10", "extra reads pass", verdict.passed, _why(verdict), run, self.environment.answer)
        refused = [
            Step(step=f"refused {s}", app=s, tool=_writer(s), arguments={"no_such_parameter": 1})
            for s in self.environment.apps
        ]
        _, run, verdict = self.attempt((*refused, *self.lean), self.environment.answer)
        good = verdict.passed and len(run.failed) >= len(refused)
        yield _graded("V10", "refused calls before it do no harm", good, _why(verdict), run, self.environment.answer)

    def _derivable(self) -> Iterator[Check]:
        run = self.reference[1]
        lost, wrong = underivable(self.environment, run, self.writing)
        yield Check("V13", "all that verifier and plan demand can be learnt", not lost, ", ".join(map(repr, lost)))
        yield Check("V13", "computed values are what they are computed from", not wrong, "; ".join(wrong))

    def _deterministic(self) -> Iterator[Check]:
        first, run, _ = self.reference
        again, second, _ = self.fresh(self.plan, self.environment.answer)
        same = [d.body for d in run.done] == [d.body for d in second.done]
        yield Check("V16", "a second run answers the same", same)
        yield Check("V16", "a second run ends in the same bytes", _bytes(first) == _bytes(again))


def _graded(rule: str, name: str, good: bool, detail: str, run: Run, answer: str | None) -> Check:
    """A check that is about what a run is worth: it keeps the run where it fails."""
    calls = [{"app": d.step.app, "tool": d.tool, "arguments": d.arguments} for d in run.done]
    return Check(rule, name, good, detail, {} if good else {"calls": calls, "answer": answer})


def _named(step: Step) -> set[str]:
    return set(re.findall(r"\$\{?(?:new\.)?([\w-]+)", str(step.arguments)))


def _end(episode: Episode) -> list[Any]:
    """The end state as a diff, without what differs because of when it was written."""
    found = list[Any]()
    for change in episode.changes():
        shown = change.as_json()
        if change.after is not None and change.kind == "insert":
            derived = registry.load(change.app).shapes[change.table].derived
            shown["after"] = {k: v for k, v in change.after.items() if k not in derived}
        found.append(shown)
    return found


@cache
def _writer(slug: str) -> str:
    """A tool of the app that writes."""
    return next(op.tool for op in registry.load(slug).operations.values() if op.mcp and not op.reads)


def _why(verdict: Verdict) -> str:
    return verdict.fault or "; ".join(f"{a.name}: {a.detail}" for a in verdict.assertions if not a.passed)


def _wrote(episode: Episode, run: Run, step: Step) -> bool:
    mine = [d for d in run.done if d.step.app == step.app]
    journal = episode.app(step.app).journal
    return any(entry.changed > 0 for done, entry in zip(mine, journal, strict=True) if done.step.step == step.step)


def _log_is_whole(episode: Episode, slug: str) -> bool:
    live = episode.app(slug)
    before, after = live.template.connection, live.store.connection
    return changes_between(live.app, before, after, all_keys(live.app, before, after)) == live.changes()


def _bytes(episode: Episode) -> dict[str, str]:
    return {
        s: hashlib.blake2b(live.store.connection.serialize()).hexdigest() for s, live in sorted(episode.live.items())
    }


def _refers(step: Step, needs: dict[str, frozenset[str]], plan: Sequence[Step]) -> frozenset[str]:
    """The steps whose replies a step uses, directly or through others (not those it merely comes after)."""
    named = frozenset(_named(step) & needs.keys())
    by_name = {s.step: s for s in plan}
    return named.union(*(_refers(by_name[n], needs, plan) for n in named))


def _depends_on_writes(step: Step, plan: Sequence[Step], writing: Sequence[Step]) -> bool:
    return bool(_refers(step, prerequisites(plan), plan) & {s.step for s in writing})


__all__ = ["Check", "Mutation", "Proof", "State", "prove"]
