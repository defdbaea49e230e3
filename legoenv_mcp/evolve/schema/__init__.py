"""The backend `schema`: repairs worked out from what is there, without a model. An app's tables, its other operations and what they are
made of; other rows of a world; other phrasings, steps and goals of the same kind.

`propose` runs in a nursery's child. It answers candidates, the likeliest first; which of them works is shown by trying.
"""

from collections.abc import Callable, Iterator
from typing import Any

from legoenv_mcp.evolve.fleet import Patch
from legoenv_mcp.evolve.schema import data, fields, intents, operations, parameters, rules, verifiers

Finding = dict[str, Any]
MOST = 40
_BY_CAUSE: dict[str, Callable[[Finding], Iterator[Patch]]] = {
    "missing_operation": operations.propose,
    "missing_parameter": parameters.missing,
    "missing_choice": parameters.choice,
    "missing_field": fields.propose,
    "broken": parameters.broken,
    "absent": data.absent,
    "ambiguous": data.ambiguous,
    "selector": intents.selector,
    "wording": intents.wording,
    "unread": intents.unread,
    "unpublished": rules.unpublished,
    "predicate": rules.predicate,
    "strict": verifiers.strict,
    "loose": verifiers.loose,
}


def propose(finding: Finding, most: int = MOST) -> list[dict[str, Any]]:
    """Candidate patches for a finding, without doubles."""
    most = 10 if finding["about"].endswith("?") and finding["atom"].startswith("server") else most
    found = dict[tuple[Any, ...], Patch]()
    for patch in _BY_CAUSE[finding["cause"]](finding):
        found.setdefault(patch.edits, patch)
        if len(found) >= most:
            break
    return [patch.as_json() for patch in found.values()]
