"""Atoms as documents: read, changed in place with their comments kept, their version raised."""

import copy
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import tomlkit

from legoenv_mcp.controller import catalogue
from legoenv_mcp.controller.derive import Outline, outline
from legoenv_mcp.evolve import fleet, source
from legoenv_mcp.evolve.fleet import Atom, Edit, Patch

EXPRESSION = re.compile(r"\{\{\s*(.+?)\s*\}\}")


class Document:
    """An atom's file, from which patches are made."""

    def __init__(self, atom: Atom) -> None:
        """LookupError where the atom has no file."""
        self.atom = atom
        kind = atom.kind
        if kind == "verifier":  # a goal's home is an intent, else a rule
            try:
                self.path = source.atom_file("intent", atom.id)
            except LookupError:
                self.path = source.atom_file("rule", atom.id)
        else:
            self.path = source.atom_file(kind, atom.id)
        self.held: Any = tomlkit.parse(fleet.read(self.path) or "")

    def patch(self, title: str, change: Callable[[Any], None], shape: str = "") -> Patch:
        """A patch that makes the change to the document and raises its version."""
        made = copy.deepcopy(self.held)
        change(made)
        if "version" in made:
            made["version"] = int(made["version"]) + 1
        return Patch(self.atom, title, (Edit(self.path, tomlkit.dumps(made)),), shape=shape)

    @property
    def expressions(self) -> set[str]:
        """Every expression in the document's texts and values."""
        return set(EXPRESSION.findall(tomlkit.dumps(self.held))) | {
            t[1:].strip() for t in texts(self.held) if t.startswith("=")
        }


def texts(value: Any) -> Iterator[str]:
    """Every text in a document."""
    if isinstance(value, str):
        yield str(value)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from texts(inner)


def outlined(environment: str) -> Outline | None:
    """An environment's beginnings, None where it has none or cannot be read."""
    entry = catalogue.entries().get(environment)
    try:
        return outline(entry.recipe) if entry else None
    except (ValueError, LookupError):
        return None


def failing(finding: Mapping[str, Any], most: int = 3) -> Iterator[Outline]:
    """The beginnings of the environments that a finding is about."""
    for name in finding["environments"][:most]:
        found = outlined(name)
        if found is not None:
            yield found
