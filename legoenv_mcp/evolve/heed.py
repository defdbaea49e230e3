"""Repairs of what rollouts were refused: no proof fails, so a patch is judged on the very calls that agents made."""

from collections.abc import Callable, Iterable
from typing import Any

from legoenv_mcp.evolve.diagnosis import Finding
from legoenv_mcp.evolve.fleet import Patch, Refused
from legoenv_mcp.evolve.nursery import Job, Nursery
from legoenv_mcp.evolve.repairs import Backend, Repair, Round, rejected
from legoenv_mcp.evolve.rollouts import MENDED

Stands = Callable[[Patch, Finding, bool], tuple[str, Repair | None]]
CALLS = 6


def heed(finding: Finding, backends: Iterable[Backend], nursery: Nursery, stands: Stands, made: Round) -> Repair | None:
    """The first candidate under which most of the calls are answered, and that stands like any other. None where nothing is to be done."""
    if finding.cause not in MENDED:
        return None
    calls = [{k: s[k] for k in ("environment", "app", "tool", "arguments")} for s in finding.evidence[:CALLS]]
    if _most(nursery, calls):
        return None  # another repair has seen to it
    asked: dict[str, Any] = {**finding.as_json(), "evidence": finding.evidence[:CALLS]}
    for backend in backends:
        for patch in backend.propose(asked, nursery):
            if isinstance(patch, Refused):
                patch, reason, repair = Patch(patch.atom, patch.title, ()), patch.reason, None
            elif not _most(nursery, calls, patch, confined=not backend.trusted):
                reason, repair = "the calls that rollouts made are still refused", None
            else:
                reason, repair = stands(patch, finding, not backend.trusted)
            if repair is not None:
                return repair
            backend.told(asked, patch, reason)
            made.rejected.append(rejected(finding, patch, reason))
    return None


def _most(nursery: Nursery, calls: list[dict[str, Any]], patch: Patch | None = None, *, confined: bool = False) -> bool:
    edits = patch.edits if patch else ()
    answer = nursery.one(Job("rollouts.answered", {"calls": calls}, edits, confined, 60))
    return not answer.lost and 2 * sum(answer.value) > len(calls)
