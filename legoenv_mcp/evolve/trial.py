"""Trials: the candidates for a finding, each laid over the scratch fleet and tried on a sample of the environments that show it."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from legoenv_mcp.evolve.diagnosis import Finding, Signal, Standing, diagnose, explained
from legoenv_mcp.evolve.fleet import Patch, Refused
from legoenv_mcp.evolve.nursery import Job
from legoenv_mcp.evolve.repairs import Backend, Repair, first_signal, rejected, standings_of
from legoenv_mcp.evolve.workshop import Workshop, about, shown_by

SAMPLE, PATIENCE, WAYS = 2, 12, 3
LONGEST = 120
"""Seconds. A list that always says that there is more never ends, and is cut off here."""
# What a look at the plan's own calls tells is missing: no proof is tried of a candidate that leaves it so.
LOOKED_AT = ("missing_operation", "missing_parameter", "missing_choice", "absent", "ambiguous", "selector")
# Where a repair that brings an environment further, but not yet to its proof, is worth keeping: what it brings is missing for certain.
CERTAIN = ("missing_operation", "missing_parameter", "missing_choice", "missing_field", "absent", "ambiguous")
Stands = Callable[..., tuple[str, Repair | None]]
"""(patch, finding, pending, confined, partly=False) -> why it does not stand, or the repair that it has become."""


class Trial:
    """Tries candidates in a workshop; `stands` accepts what has come through."""

    def __init__(self, shop: Workshop, stands: Stands) -> None:
        self.shop, self.stands = shop, stands

    def first(
        self,
        backend: Backend,
        finding: Finding,
        candidates: Iterable[Patch | Refused],
        pending: Sequence[str],
        refused: list[dict[str, str]],
    ) -> Repair | None:
        """The first candidate that stands of those that solve the whole sample; else of those that solve most of it; else of those that
        bring one further. `refused` takes the others, with the reason."""
        sample, confined = self._sample(finding, pending), not backend.trusted
        good, further, tried, through = list[tuple[int, Patch]](), list[Patch](), 0, False
        for patch, found, lost in self._tried(finding, candidates, sample, confined):
            solved = sum(e["proven"] for e in found.values())
            reason = lost or first_signal(found)
            if 0 < solved == len(found):
                reason = self._wanting(finding, patch, pending, sample, confined)
                if not reason:
                    reason, repair = self.stands(patch, finding, pending, confined)
                    if repair is not None:
                        return repair
                else:
                    good.append((solved, patch))
                    tried, through = tried if through else 0, True
            elif solved:
                reason = f"{solved} of {len(found)} environments are proven"
                good.append((solved, patch))
            elif backend.trusted and not lost:
                come = _further if finding.cause in CERTAIN else self._nearer
                further += [patch] if come(finding, found) else []
            backend.told(finding.as_json(), patch, reason)
            refused.append(rejected(finding, patch, reason))
            tried += bool(good)
            if tried > (PATIENCE if through else 3 * PATIENCE):
                break
        most = [patch for _, patch in sorted(good, key=lambda g: -g[0])]
        for patch in (*most, *further[:3]):
            reason, repair = self.stands(patch, finding, pending, confined, partly=patch in further)
            if repair is not None:
                refused[:] = [r for r in refused if r["title"] != patch.title]
                return repair
            refused.append(rejected(finding, patch, reason))
        return None

    def _sample(self, finding: Finding, pending: Sequence[str]) -> list[str]:
        """The environments on which candidates are tried first: of an operation, those that call it in different ways, or for another
        task."""
        if finding.cause != "missing_operation":
            return list(pending[:SAMPLE])
        ways, tasks = dict[tuple[str, ...], str](), dict[str, str]()
        for s in finding.evidence:
            if s.get("environment") in pending:
                ways.setdefault(tuple(sorted(s.get("arguments", ()))), s["environment"])
        for name in (*ways.values(), *pending):
            tasks.setdefault(self.shop.standings[name]["intent"], name)
        several = list(dict.fromkeys([*ways.values(), *tasks.values()]))
        return list(dict.fromkeys([*several, *pending]))[: max(SAMPLE, min(2 * SAMPLE, len(several)))]

    def _wanting(
        self, finding: Finding, patch: Patch, pending: Sequence[str], sample: list[str], confined: bool
    ) -> str:
        """What there is against an operation that the sample is content with, so that others are tried as well: another task is not, which
        becomes part of the sample then, or an argument makes no difference."""
        if finding.cause != "missing_operation":
            return ""
        if short := self._short_of(finding, patch, pending, sample, confined):
            sample.append(short)
            return f"{short} is not proven"
        calls = [{k: s[k] for k in ("environment", "arguments")} for s in finding.evidence if s.get("arguments")]
        ways = {tuple(sorted(c["arguments"])): c for c in reversed(calls)}
        asked = [*ways.values(), *(c for c in calls if c not in ways.values())][: max(WAYS, len(ways))]
        words = {"slug": patch.atom.id, "tool": patch.tool, "calls": asked}
        deaf = self.shop.nursery.one(Job("accept.unheeded", words, patch.edits, confined, 60))
        return "" if deaf.lost or not deaf.value else f"{', '.join(deaf.value)} makes no difference"

    def _short_of(
        self, finding: Finding, patch: Patch, pending: Sequence[str], sample: Sequence[str], confined: bool
    ) -> str:
        """An environment of another task than those of the sample in which the operation does not do: nothing may come of what it answers
        there. "" where there is none, or where enough such have been asked for."""
        if len(sample) >= 3 * SAMPLE:
            return ""
        asked = {self.shop.standings[n]["intent"] for n in sample}
        others = {self.shop.standings[n]["intent"]: n for n in reversed(pending)}
        found = self.shop.examine(
            [n for task, n in others.items() if task not in asked], patch.edits, confined=confined
        )
        return next((n for n, e in found.items() if any(f.atom == finding.atom for f in diagnose([e]))), "")

    def _tried(
        self, finding: Finding, candidates: Iterable[Patch | Refused], sample: Sequence[str], confined: bool
    ) -> Iterator[tuple[Patch, Mapping[str, Standing], str]]:
        """What becomes of the sample under each candidate. Where a look tells that something is still missing, no proof is tried."""
        nursery, gone = self.shop.nursery, self.shop.memory.gone
        seconds, batch = LONGEST // (2 if confined else 1), 1 if confined else max(2, nursery.jobs)
        left = (c for c in candidates if (str(c.atom), c.title) not in gone)
        while proposed := list(itertools.islice(left, batch)):
            some = list[Patch]()
            for one in proposed:
                if isinstance(one, Patch):
                    some.append(one)
                else:
                    yield Patch(one.atom, one.title, ()), {}, one.reason
            if finding.cause in LOOKED_AT:
                first = list(sample[:1])
                jobs = [Job("examine.look", {"ids": first}, p.edits, confined, LONGEST // 2) for p in some]
                looks = [standings_of(first, a.value, a.lost) for a in nursery.run(jobs)]
            else:
                looks = [dict[str, Standing]() for _ in some]
            good = [p for p, seen in zip(some, looks, strict=True) if not seen or _further(finding, seen)]
            answers = nursery.run(
                [Job("examine.examine", {"ids": list(sample)}, p.edits, confined, seconds) for p in good]
            )
            for patch, seen in zip(some, looks, strict=True):
                if patch in good:
                    answer = next(answers)
                    yield patch, standings_of(sample, answer.value, answer.lost), answer.lost
                else:
                    yield patch, seen, ""

    def _nearer(self, finding: Finding, found: Mapping[str, Standing]) -> bool:
        """Whether in some environment all that told of the finding is gone, and what is seen in its place is the fault of others that are
        known, or could not be seen before: several faults may lie in each other's way."""
        known = self.shop.memory.known - {finding.key}

        def fresh(e: Standing) -> Iterator[Signal]:
            held = {about(s) for s in self.shop.standings[e["id"]]["signals"]}
            yield from (s for s in e["signals"] if about(s) not in held)

        def own(e: Standing) -> list[Signal]:
            return list(shown_by(self.shop.standings[e["id"]], finding))

        def past(e: Standing) -> bool:
            gone = {about(s) for s in own(e)}
            return bool(gone) and not any(about(s) in gone for s in e["signals"])

        def others(e: Standing) -> bool:
            seen = min(_stage(s) for s in own(e))
            return all(
                "has no tool" in s["detail"] or _stage(s) > seen or {f.key for f in explained(s, e)} & known
                for s in fresh(e)
            )

        return not _crashed(found) and any(past(e) and others(e) for e in found.values())


def _further(finding: Finding, found: Mapping[str, Standing]) -> bool:
    """Whether in some environment what was found missing is found missing no more, and nothing falls over."""

    def past(e: Standing) -> bool:
        if any(
            s["kind"] == "unmet" and s["target"].split(":")[0].split(".")[0] == finding.atom.id for s in e["signals"]
        ):
            return False  # it is answered, and does not do what it is called for
        return not any(
            f.key == finding.key
            or (f.atom == finding.atom and f.cause in (*CERTAIN[:4], "broken"))
            or (f.cause == finding.cause == "absent" and f.about.split(" ")[-1] == finding.about.split(" ")[-1])
            for f in diagnose([e])
        )

    return not _crashed(found) and any(past(e) for e in found.values())


def _crashed(found: Mapping[str, Standing]) -> bool:
    """Whether an app falls over in any of them."""
    return any(s["kind"] == "fault" or s.get("status", 0) >= 500 for e in found.values() for s in e["signals"])


def _stage(signal: Signal) -> int:
    """How far an environment had come when it showed the signal: its scene, its plan's steps, its proof."""
    return _STAGES.get(signal["kind"], 1)


_STAGES = {"tie": 0, "absent": 0, "unlike": 0, "few": 0, "scene": 0, "world": 0, "unmet": 2, "check": 2}
