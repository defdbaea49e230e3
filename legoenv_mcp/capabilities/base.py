"""The base of every capability: Entity (a canonical record), Capability (fill, view, verbs) and plan steps."""

from abc import ABC, abstractmethod
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from legoenv_mcp.kernel.context import Ctx


class Entity(BaseModel):
    """A canonical record of a world. `key` is its name in the world; an entity made by `view` carries the app's `id` instead."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    key: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One step of a plan: a tool of the app and its arguments, as an agent would call it over MCP."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])


Plan = Generator[ToolCall, dict[str, Any], None]
"""A verb's steps; each `yield` returns the tool's JSON reply, so that a later step may use what an earlier one found."""


def call(tool: str, /, **arguments: Any) -> ToolCall:
    """One plan step, written like the call it makes."""
    return ToolCall(tool, arguments)


class Lacks(LookupError):
    """The app's product has no such verb."""


def lacks(capability: "Capability", verb: str) -> Plan:
    """What an extended verb answers where the product does not have it. Lacks is raised when the plan is begun."""
    raise Lacks(f"{type(capability).__name__} does not offer {verb}")
    yield  # a plan is a generator


class Capability(ABC):
    """What an app of one kind can do. `entities` lists its canonical types in the order in which a world fills them."""

    name: ClassVar[str]
    entities: ClassVar[tuple[type[Entity], ...]]

    @abstractmethod
    def fill(self, ctx: "Ctx", entity: Entity) -> str:
        """Writes the entity as the app's own rows; returns the app's id for it."""

    @abstractmethod
    def view(self, ctx: "Ctx", table: str, row: dict[str, Any]) -> Entity | None:
        """The entity that a row is the head of, or None where the row is a detail, deleted, or of no canonical kind.

        `ctx` reads the same database as the row, for what the entity needs from other tables.
        """

    @classmethod
    def offers(cls, verb: str) -> bool:
        """Whether the app has the verb: every core one, and the extended ones that it overrides."""
        own = next((base for base in cls.__mro__ if verb in base.__dict__), None)
        return own is not None and own.__module__ != f"{__package__}.{cls.name}"
