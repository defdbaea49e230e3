"""What a patch has to stand before it becomes part of the scratch fleet: lint, fuzz, no harm to what is broken already, a run that speaks
for another verifier, every environment of its finding, the app's own tests and those of its capabilities."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from legoenv_mcp.evolve import accept
from legoenv_mcp.evolve.diagnosis import Finding, Standing
from legoenv_mcp.evolve.fleet import Patch
from legoenv_mcp.evolve.nursery import Job, Lost
from legoenv_mcp.evolve.repairs import standings_of, uses
from legoenv_mcp.evolve.workshop import Workshop


@dataclass(frozen=True)
class Stood:
    """A patch that stands: the standings of the finding's environments under it, its tests, the run that speaks for it."""

    found: dict[str, Standing]
    tests: tuple[int, int] = (0, 0)
    exhibit: dict[str, Any] = field(default_factory=dict[str, Any])


class Bar:
    """Holds patches to account, one after another."""

    def __init__(self, shop: Workshop, *, tests: bool) -> None:
        """`tests`: whether the app's own are run."""
        self.shop, self.tests = shop, tests
        self.nursery, self.standings = shop.nursery, shop.standings

    def stands(
        self, patch: Patch, finding: Finding, pending: Sequence[str], confined: bool, partly: bool
    ) -> tuple[str, Stood | None]:
        """Why not, or what came of it. `partly`: a patch may stand that brings no environment to its proof yet."""
        for reason in (self._clean(patch, finding, confined), self._harm(patch, confined)):
            if reason:
                return reason, None
        exhibit = self._exhibit(patch, finding, pending, confined) if patch.atom.kind == "verifier" else {}
        if exhibit is None:
            return "no run is known that was judged wrongly and is judged rightly now", None
        found = self.shop.examine(pending, patch.edits, confined=confined)
        if not partly and not any(e["proven"] for e in found.values()):
            return "no environment is proven", None
        slug = patch.atom.id if patch.atom.kind == "server" else ""
        tests = self._tested(slug, patch) if slug and self.tests else (0, 0)
        return (tests, None) if isinstance(tests, str) else ("", Stood(found, tests, exhibit))

    def _clean(self, patch: Patch, finding: Finding, confined: bool) -> str:
        """Lint, and a fuzz of the operation."""
        jobs = [Job("accept.lint", {"atom": str(patch.atom)}, patch.edits, confined)]
        if patch.atom.kind == "server" and patch.tool:
            asked = {
                "slug": patch.atom.id,
                "tool": patch.tool,
                "calls": [s["arguments"] for s in finding.evidence if isinstance(s.get("arguments"), dict)][:4],
                "param": finding.about.split(" ")[1].partition(".")[0] if finding.cause == "missing_parameter" else "",
                "environment": next((s["environment"] for s in finding.evidence if "environment" in s), ""),
            }
            jobs.append(Job("accept.fuzz", asked, patch.edits, confined))
        try:
            after, *rest = [a.get() for a in self.nursery.run(jobs)]
            before = self.nursery.one(Job("accept.lint", {"atom": str(patch.atom)})).get() if after else []
        except Lost as lost:
            return f"lint or fuzz: {lost}"
        if new := [line for line in after if line not in before]:
            return f"lint: {new[0]}"
        return f"fuzz: {rest[0][0]}" if rest and rest[0] else ""

    def _harm(self, patch: Patch, confined: bool) -> str:
        """Why a patch does harm where nothing is proven yet: another environment of the atom can be derived and played no more."""
        ill = ("scene", "world", "fault", "plan")
        using = [n for n, e in self.standings.items() if not e["proven"] and uses(e, patch.atom.kind, patch.atom.id)]
        well = [n for n in using if not any(s["kind"] in ill for s in self.standings[n]["signals"])][:24]
        if not well or patch.atom.kind in ("server", "verifier"):
            return ""
        answer = self.nursery.one(Job("examine.look", {"ids": well}, patch.edits, confined))
        for name, e in standings_of(well, answer.value, answer.lost).items():
            if bad := next((s for s in e["signals"] if s["kind"] in ill), None):
                return f"{name} comes less far than before: {bad['kind']}: {bad['detail']}"[:300]
        return ""

    def _exhibit(self, patch: Patch, finding: Finding, pending: Sequence[str], confined: bool) -> dict[str, Any] | None:
        """A right end that was refused and passes now, or a wrong one that passed and fails now. None where there is neither."""
        right = finding.cause == "strict"
        for name in pending:
            for s in self.standings[name]["signals"]:
                if (end := s.get("end")) and ("passes" in s["name"] or "do no harm" in s["name"]) == right:
                    job = Job("accept.judged", {"environment": name, **end}, patch.edits, confined)
                    if self.nursery.one(job).value == ("passed" if right else "failed"):
                        return {"environment": name, "check": f"{s['rule']}: {s['name']}", **end}
                elif not right and s["kind"] in ("scene", "underivable") and "trap:" in s["detail"]:
                    # Deriving refuses a known mistake that nothing catches: there is no run of it, only that refusal.
                    return {"environment": name, "check": s["detail"]}
        return None

    def _tested(self, slug: str, patch: Patch) -> str | tuple[int, int]:
        """What the app's tests say: a reason against the patch, or how many that name its operation ran and passed."""
        names = accept.naming(slug, patch.tool) if patch.tool else frozenset[str]()
        new = all("/evolved/" in e.path for e in patch.edits) and "replaces=True" not in str(patch.edits)
        key = (slug, names if new else None)
        baseline = self.shop.memory.baseline
        if key not in baseline:
            baseline[key] = accept.run_tests(slug, (), key[1])
        before, after = baseline[key], accept.run_tests(slug, patch.edits, key[1])
        if broken := (before.ran - before.failed) - (after.ran - after.failed):
            return f"tests: {sorted(broken)[0]} passed before"
        baseline[key] = after  # nothing can be said against the patch any more
        return after.of(names) if names else (0, 0)
