"""Propagation: who else lacks what one atom has just been given."""

from collections.abc import Iterable, Iterator

from legoenv_mcp.evolve.diagnosis import Finding, Standing, diagnose


def others(finding: Finding, standings: Iterable[Standing]) -> Iterator[Finding]:
    """Findings of the same cause in other atoms of the kind: other apps that lack an operation for the same verb of the same capability,
    other intents and rules with the same fault."""
    verbs = {s.get("verb", "") for s in finding.evidence} - {""}
    for other in diagnose([e for e in standings if not e["proven"]]):
        if other.cause != finding.cause or other.atom == finding.atom or other.atom.kind != finding.atom.kind:
            continue
        if finding.atom.kind == "server" and not verbs & {s.get("verb", "") for s in other.evidence}:
            continue
        yield other
