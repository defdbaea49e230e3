"""A write on its way: what the record will be, what it was, what the caller sent."""

from dataclasses import dataclass, field
from typing import Any

from legoenv_mcp.app import Ctx

from ..metadata import SObjectType
from ..models import SObject


@dataclass
class Change:
    """`draft` holds all the record's values as they will be; rules write into it. `old` is the record before, None where it is new.

    `sent` are the fields the caller gave, `changed` those that the write changed, `before` is what a rule keeps of the old
    record until it is overwritten; `system` marks what the platform does by itself.
    """

    ctx: Ctx
    kind: SObjectType
    draft: dict[str, Any]
    old: SObject | None
    sent: set[str]
    system: bool = False
    row: SObject | None = None
    before: tuple[Any, ...] = ()
    changed: frozenset[str] = field(default_factory=frozenset[str])

    @property
    def creating(self) -> bool:
        return self.old is None

    def differs(self, name: str) -> bool:
        """Whether the write sets or changes the field."""
        return self.old is None or getattr(self.old, name) != self.draft[name]

    def __getitem__(self, name: str) -> Any:
        return self.draft[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.draft[name] = value
