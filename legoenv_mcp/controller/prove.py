"""Proof that an environment is right: solvable as the reference plan says, and not passed by anything else that was tried.

Every check is shown by running something through the real dispatcher on a fresh episode. The rule numbers are those of
docs/verifiers.md.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from legoenv_mcp import registry, templates
from legoenv_mcp.controller.compute import evaluate, operands
from legoenv_mcp.controller.environments import Environment, Step
from legoenv_mcp.controller.plans import PlanError, Run, orders, play, prerequisites
from legoenv_mcp.kernel.diff import all_keys, changes_between
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.verify import State, Verdict
from legoenv_mcp.verify.matchers import has_fact

STEP_BUDGET = 50
MIN_STRAYS = 8


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a proof: which rule, what was run, how it came out."""

    rule: str
    name: str
    passed: bool
    detail: str = ""

    def as_json(self) -> dict[str, Any]:
        return {"rule": self.rule, "name": self.name, "passed": self.passed, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Proof:
    """The outcome of all checks, with the hashes of the atoms it rests on."""

    environment: str
    atoms: dict[str, str]
    checks: tuple[Check, ...] = field(default=())

    @property
    def proven(self) -> bool:
        return bool(self.checks) and all(c.passed for c in self.checks)

    @property
    def failed(self) -> list[Check]:
        return [c for c in self.checks if not c.passed]

    def as_json(self) -> dict[str, Any]:
        return {
            "environment": self.environment, "proven": self.proven, "atoms": self.atoms, "checks": [c.as_json() for c in self.checks]
        }  # fmt: skip


def prove(environment: Environment) -> Proof:
    """Runs every check. A check that cannot be run at all fails, with the reason."""
    checks = list[Check]()
    try:
        checks += _Prover(environment).checks()
    except PlanError as error:
        checks.append(Check("V9", "the reference plan can be played", False, str(error)))
    return Proof(environment.id, environment.atoms(), tuple(checks))


class _Prover:
    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.plan = environment.plan

    def attempt(self, plan: Sequence[Step], answer: str | None = None) -> tuple[Episode, Run, Verdict]:
        """Plays a plan on a fresh episode and grades it."""
        episode = self.environment.episode()
        run = play(plan, episode)
        return episode, run, self.environment.grade(episode, answer)

    @cached_property
    def reference(self) -> tuple[Episode, Run, Verdict]:
        return self.attempt(self.plan, self.environment.answer)

    @cached_property
    def writing(self) -> list[Step]:
        return [s for s in self.plan if not self._reads(s)]

    def _reads(self, step: Step) -> bool:
        operation = registry.load(step.app).operations.get(step.tool)
        if operation is None:
            raise PlanError(f"step {step.step!r}: {step.app} has no tool {step.tool!r}")
        return operation.reads

    def checks(self) -> Iterator[Check]:
        yield from self._reference()
        yield from self._wrong_ends()
        yield from self._omissions()
        yield from self._traps()
        yield from self._strays()
        yield from self._right_ends()
        yield from self._derivable()
        yield from self._deterministic()

    def _reference(self) -> Iterator[Check]:
        episode, run, verdict = self.reference
        bad = [f"{d.step.step}: {d.status} {json.dumps(d.body)[:200]}" for d in run.failed]
        yield Check("V9", "every call of the reference plan succeeds", not bad, "; ".join(bad))
        yield Check("V9", "the reference plan passes", verdict.passed, _why(verdict))
        yield Check(
            "V9", f"at most {STEP_BUDGET // 2} calls", len(self.plan) <= STEP_BUDGET // 2, f"{len(self.plan)} calls"
        )
        yield Check(
            "V9",
            "the plan touches all that the frame allows",
            not verdict.unused,
            "untouched: " + ", ".join(verdict.unused),
        )
        idle = [s.step for s in self.writing if not _wrote(episode, run, s)]
        yield Check("V9", "every writing step changes a row", not idle, ", ".join(idle))
        missed = [slug for slug in self.environment.apps if not _log_is_whole(episode, slug)]
        yield Check(
            "V20", "the changed-row log misses nothing (whole databases compared)", not missed, ", ".join(missed)
        )

    def _wrong_ends(self) -> Iterator[Check]:
        _, _, nothing = self.attempt((), None)
        yield Check("V1", "doing nothing fails", nothing.outcome == "failed", _why(nothing))
        held = [a.name for a in nothing.assertions if a.passed and a.name != "frame"]
        yield Check("V7", "every goal is false at the start", not held, ", ".join(held))
        reads = [s for s in self.plan if self._reads(s) and not _depends_on_writes(s, self.plan, self.writing)]
        episode, _, verdict = self.attempt(reads, None)
        yield Check(
            "V1",
            "reading only changes nothing and fails",
            verdict.outcome == "failed" and not episode.changes(),
            _why(verdict),
        )

    def _omissions(self) -> Iterator[Check]:
        needs = prerequisites(self.plan)
        for step in self.writing:
            rest = [s for s in self.plan if s.step != step.step and step.step not in _refers(s, needs, self.plan)]
            _, _, verdict = self.attempt(rest, self.environment.answer)
            yield Check("V2", f"leaving out {step.step!r} fails", verdict.outcome == "failed", _why(verdict))
        if self.environment.answer is not None:
            _, _, verdict = self.attempt(self.plan, None)
            yield Check("V2", "leaving out the answer fails", verdict.outcome == "failed", _why(verdict))

    def _traps(self) -> Iterator[Check]:
        for trap in self.environment.trap:
            answer = trap.answer if trap.answer is not None else self.environment.answer
            _, run, verdict = self.attempt(trap.of(self.plan), answer)
            caught = [a.name for a in verdict.assertions if not a.passed]
            clean = not run.failed
            good = verdict.outcome == "failed" and trap.caught_by in caught and clean
            detail = f"caught by {', '.join(caught) or 'nothing'}" + (
                "" if clean else f"; refused: {run.failed[0].step.step} {run.failed[0].body}"
            )
            yield Check("V3", f"trap {trap.name!r} runs clean and is caught by {trap.caught_by!r}", good, detail)

    def _strays(self) -> Iterator[Check]:
        apps = {s.app for s in self.environment.stray}
        enough = len(self.environment.stray) >= MIN_STRAYS and apps == set(self.environment.apps)
        yield Check(
            "V4",
            f"at least {MIN_STRAYS} stray writes, in every app",
            enough,
            f"{len(self.environment.stray)} in {', '.join(sorted(apps))}",
        )
        for stray in self.environment.stray:
            episode, run, verdict = self.attempt((*self.plan, stray), self.environment.answer)
            clean = run.done[-1].status < 400 and len(episode.changes()) >= len(self.reference[0].changes())
            frame = next((a for a in verdict.assertions if a.name == "frame"), None)
            good = clean and verdict.outcome == "failed"
            yield Check(
                "V4",
                f"stray {stray.step!r} fails",
                good,
                frame.detail if frame and clean else str(run.done[-1].body)[:200],
            )

    def _right_ends(self) -> Iterator[Check]:
        for number, order in enumerate(orders(self.plan), 1):
            _, run, verdict = self.attempt(order, self.environment.answer)
            yield Check(
                "V10", f"order {number} of independent steps passes", verdict.passed and not run.failed, _why(verdict)
            )
        for other in self.environment.equivalent:
            answer = other.answer if other.answer is not None else self.environment.answer
            _, _, verdict = self.attempt(other.of(self.plan), answer)
            yield Check("V10", f"equivalent {other.name!r} passes", verdict.passed, _why(verdict))
        reads = [s for s in self.plan if self._reads(s)]
        doubled = (*self.plan, *(s.model_copy(update={"step": f"{s.step}_again"}) for s in reads))
        _, _, verdict = self.attempt(doubled, self.environment.answer)
        yield Check("V10", "extra reads pass", verdict.passed, _why(verdict))

    def _derivable(self) -> Iterator[Check]:
        """Every literal the verifier demands is said in the instruction, read on the way, or something the apps list."""
        _, run, _ = self.reference
        seen = [
            self.environment.instruction,
            *(json.dumps(d.body, ensure_ascii=False) for d in run.done if self._reads(d.step)),
            *(listings(slug, self.environment.world) for slug in self.environment.apps),
        ]
        listed = {v for slug in self.environment.apps for v in _enum_values(slug)}
        demanded = _literals([g.fields | g.to for g in self.environment.verifier.goal])
        if self.environment.verifier.answer is not None:
            demanded += _literals(list(self.environment.verifier.answer.facts))
        computed = self.environment.computed

        def learnt(value: Any) -> bool:
            if str(value) in computed:
                return all(any(_said(v, text) for text in seen) for v in operands(computed[str(value)]))
            return str(value) in listed or any(_said(value, text) for text in seen)

        lost = [v for v in demanded if not learnt(v)]
        yield Check("V13", "all that the verifier demands can be learnt", not lost, ", ".join(map(repr, lost)))
        wrong = [f"{text} is not {value}" for value, text in computed.items() if Decimal(value) != evaluate(text)]
        yield Check("V13", "computed values are what they are computed from", not wrong, "; ".join(wrong))
        fault = self.reference[2].fault
        yield Check("V14", "every selection matches exactly one row", not fault, fault)

    def _deterministic(self) -> Iterator[Check]:
        first, run, _ = self.reference
        again, second, _ = self.attempt(self.plan, self.environment.answer)
        same = [d.body for d in run.done] == [d.body for d in second.done]
        yield Check("V16", "a second run answers the same", same)
        yield Check("V16", "a second run ends in the same bytes", _bytes(first) == _bytes(again))


def _why(verdict: Verdict) -> str:
    return verdict.fault or "; ".join(f"{a.name}: {a.detail}" for a in verdict.assertions if not a.passed)


def _wrote(episode: Episode, run: Run, step: Step) -> bool:
    at = [d.step.step for d in run.done if d.step.app == step.app].index(step.step)
    return episode.app(step.app).journal[at].changed > 0


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
    named = frozenset(n for n in needs if f"${n}." in str(step.arguments) or f"${{{n}." in str(step.arguments))
    by_name = {s.step: s for s in plan}
    return named.union(*(_refers(by_name[n], needs, plan) for n in named))


def _depends_on_writes(step: Step, plan: Sequence[Step], writing: Sequence[Step]) -> bool:
    return bool(_refers(step, prerequisites(plan), plan) & {s.step for s in writing})


def _literals(value: Any) -> list[Any]:
    """The scalars in a structure, without references and matcher words."""
    if isinstance(value, dict):
        return [
            v
            for k, inner in value.items()
            if k not in ("any", "empty", "tolerance", "forbid", "not")
            for v in _literals(inner)
        ]
    if isinstance(value, (list, tuple)):
        return [v for inner in value for v in _literals(inner)]
    return (
        []
        if isinstance(value, bool) or value is None or (isinstance(value, str) and value.startswith("@"))
        else [value]
    )


def _said(value: Any, text: str) -> bool:
    if isinstance(value, Decimal):
        value = int(value) if value == int(value) else float(value)
    return has_fact(value, text) or str(value) in text


@cache
def listings(slug: str, world: str) -> str:
    """What an app tells whoever asks for nothing in particular: the replies of its reads that need no argument."""
    live = templates.episode([slug], world).app(slug)
    reads = [op for op in live.app.operations.values() if op.reads and op.mcp and not op.input_schema.get("required")]
    return "\n".join(json.dumps(live.call(op.tool, {}).body, ensure_ascii=False, default=str) for op in reads)


def _enum_values(slug: str) -> set[str]:
    found = set[str]()

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            found.update(map(str, node.get("enum", ())))
            for inner in node.values():
                walk(inner)
        elif isinstance(node, list):
            for inner in node:
                walk(inner)

    for operation in registry.load(slug).operations.values():
        if operation.mcp:
            walk(operation.input_schema)
    return found


def store(proof: Proof) -> None:
    """Keeps a proof beside the other derived files, for listings to show whether it still holds."""
    path = _proof_path(proof.environment)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(proof.as_json(), indent=1), encoding="utf-8")


def standing(environment: Environment) -> str:
    """`proven`, `failed`, `stale` (an atom has changed since) or `unproven`."""
    try:
        kept = json.loads(_proof_path(environment.id).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return "unproven"
    if kept.get("atoms") != environment.atoms():
        return "stale"
    return "proven" if kept.get("proven") else "failed"


def kept(environment_id: str) -> dict[str, Any] | None:
    """The stored proof, or None."""
    try:
        return json.loads(_proof_path(environment_id).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _proof_path(environment_id: str) -> Path:
    return registry.cache_folder() / "proofs" / f"{environment_id}.json"


__all__ = ["Check", "Proof", "State", "kept", "prove", "standing", "store"]
