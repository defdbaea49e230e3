"""Canonical kinds by name: `crm.Deal` -> the class, and capabilities by theirs."""

import importlib
import pkgutil
from functools import cache

from legoenv_mcp import capabilities
from legoenv_mcp.capabilities import Capability, Entity
from legoenv_mcp.kernel.context import entity_name


@cache
def capability_classes() -> dict[str, type[Capability]]:
    """Every capability, by name."""
    found = dict[str, type[Capability]]()
    for module in pkgutil.iter_modules(capabilities.__path__):
        loaded = importlib.import_module(f"{capabilities.__name__}.{module.name}")
        for value in vars(loaded).values():
            mine = isinstance(value, type) and value.__module__ == loaded.__name__
            if mine and issubclass(value, Capability) and value is not Capability:
                found[value.name] = value
    return found


@cache
def kinds() -> dict[str, type[Entity]]:
    """Every canonical kind, by `module.Name`."""
    return {entity_name(kind): kind for c in capability_classes().values() for kind in c.entities}


def kind(name: str) -> type[Entity]:
    """The kind of a name. LookupError where there is none, naming those there are."""
    if name not in kinds():
        raise LookupError(f"there is no kind {name!r}; there are: {', '.join(sorted(kinds()))}")
    return kinds()[name]


def entity_kind(target: str) -> type[Entity]:
    """The kind that a goal's target names: by its own module (`people.Person`), or as a capability has it (`hr.Person`)."""
    capability, _, name = target.partition(".")
    if capability in capability_classes():
        found = next((k for k in capability_classes()[capability].entities if k.__name__ == name), None)
        if found is not None:
            return found
    return kind(target)
