"""What damage is done to, and what is known of an instance of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from legoenv_mcp.evolve.draw import Lot
from legoenv_mcp.evolve.fleet import Atom, Edit

Standing = dict[str, Any]
READING = ("list", "get", "find", "search", "read", "check", "show", "retrieve", "query", "download")


@dataclass(frozen=True)
class Damage:
    """One instance: its kind, the atom that it is done to, the files as they are then."""

    kind: str
    atom: Atom
    edits: tuple[Edit, ...]
    what: str
    broken: tuple[str, ...] = field(default=())


@dataclass
class Ground:
    """What damage may be done to: environments that are proven, with what they rest on and call."""

    environments: Sequence[Standing]
    lot: Lot

    def calls(self, reads: bool | None = None) -> list[tuple[Standing, dict[str, Any]]]:
        return [
            (e, c)
            for e in self.environments
            for c in e.get("calls", ())
            if reads is None or bool(re.match("|".join(READING), _word(c["tool"]))) == reads
        ]


def _word(tool: str) -> str:
    return re.sub(r"^(API-)?", "", tool).lower()
