"""Propagation: who else lacks what one atom has just been given."""

from collections.abc import Iterable, Iterator

from legoenv_mcp.evolve.diagnosis import Finding, Standing, diagnose


def others(finding: Finding, standings: Iterable[Standing]) -> Iterator[Finding]:
    """Findings of the same cause in other apps that lack the same for the same verb of the same capability. A fault of one intent or rule
    says nothing of another."""
    if finding.atom.kind != "server":
        return
    verbs = {s.get("verb", "") for s in finding.evidence} - {""}
    for other in diagnose([e for e in standings if not e["proven"]]):
        if other.cause != finding.cause or other.atom == finding.atom or other.atom.kind != finding.atom.kind:
            continue
        if verbs & {s.get("verb", "") for s in other.evidence}:
            yield other
