"""A world being read: its texts, and the entities made of them so far."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.worlds.parse import M, Place, build, read_csv


@dataclass(slots=True)
class Reading:
    """A world being read. `texts`: content by relative path; `mentions`: keys inside entities, checked at the end."""

    clock: str
    texts: dict[str, str]
    domain: str
    used: set[str] = field(default_factory=set[str])
    entities: dict[type[Entity], list[tuple[Place, Entity]]] = field(
        default_factory=lambda: defaultdict[type[Entity], list[tuple[Place, Entity]]](list)
    )
    mentions: list[tuple[Place, str, str, tuple[type[Entity], ...]]] = field(
        default_factory=list[tuple[Place, str, str, tuple[type[Entity], ...]]]
    )
    people: dict[str, Person] = field(default_factory=dict[str, Person])
    own: set[str] = field(default_factory=set[str])
    """Every address at the world's domain."""

    def use(self, file: str) -> str:
        self.used.add(file)
        return self.texts.get(file, "")

    def under(self, folder: str, suffix: str = "") -> list[str]:
        """Paths of the files below a folder (given with its `/`), sorted."""
        return sorted(file for file in self.texts if file.startswith(folder) and file.endswith(suffix))

    def mention(self, place: Place, name: str, key: str, *kinds: type[Entity]) -> None:
        """Notes that `key`, read there, is to be the key of an entity of one of these kinds."""
        self.mentions.append((place, name, key, kinds))

    def add(self, kind: type[Entity], place: Place, values: dict[str, Any]) -> Entity:
        entity = build(kind, place, values, self.clock)
        if not entity.key:
            raise place.error("key", "missing")
        self.entities[kind].append((place, entity))
        return entity

    def table(
        self, file: str, kind: type[Entity], more: Callable[[Place, dict[str, Any]], object] | None = None
    ) -> None:
        """A CSV of entities; `more` completes a row with what other files hold."""
        for place, row in read_csv(file, self.use(file), frozenset(kind.model_fields) - {"id"}):
            if more is not None:
                more(place, row)
            self.add(kind, place, row)

    def lines(
        self, file: str, model: type[M], of: str, head: type[Entity], **mentioned: type[Entity]
    ) -> dict[str, list[M]]:
        """A CSV of the parts of entities, by the key in the column `of`; `mentioned` are columns that hold other keys."""
        found: dict[str, list[M]] = defaultdict(list)
        for place, row in read_csv(file, self.use(file), frozenset(model.model_fields) | {of}):
            key = row.pop(of, "")
            self.mention(place, of, key, head)
            for name, kind in mentioned.items():
                if name in row:
                    self.mention(place, name, row[name], kind)
            found[key].append(build(model, place, row, self.clock))
        return found

    def with_lines(
        self, kind: type[Entity], file: str, name: str, lines: str, model: type[BaseModel], of: str, **m: type[Entity]
    ) -> None:
        """A CSV of entities whose field `name` holds what the CSV `lines` has of each, in the order of its rows."""
        parts = self.lines(lines, model, of, kind, **m)
        self.table(file, kind, lambda _, row: row.update({name: tuple(parts[row.get("key", "")])}))


__all__ = ["Reading"]
