"""Who is who: what the ids in a verifier and a plan stand for, for people to read."""

from collections.abc import Iterator
from typing import Any

from legoenv_mcp import templates, worlds
from legoenv_mcp.capabilities import Entity
from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.controller.kinds import kind

_NAMES = ("name", "title", "subject", "number", "path", "email")


def who_is_who(environment: Environment) -> dict[str, str]:
    """Of each id that the verifier or the plan mentions: `slack chat.Channel "office-london"`, in the order of mention."""
    known = dict[str, str]()
    world, added = worlds.load(environment.world), environment.entities
    for slug in environment.apps:
        for name, ids in templates.extended(slug, environment.world, added).refs.items():
            entities = {e.key: e for e in (*world.entities(kind(name)), *(a for a in added if type(a) is kind(name)))}
            for key, found in ids.items():
                if key in entities and found != label(entities[key]):
                    known.setdefault(found, f'{slug} {name} "{label(entities[key])}"')
    mentioned = dict.fromkeys(
        [
            *_strings([g.model_dump() for g in environment.verifier.goal]),
            *_strings([s.where for s in environment.verifier.select.values()]),
            *_strings([a.fields for a in environment.verifier.allow]),
            *_strings([s.arguments for s in environment.plan]),
        ]
    )
    return {text: known[text] for text in mentioned if text in known}


def label(entity: Entity) -> str:
    """What people call an entity."""
    return str(next((v for n in _NAMES if (v := getattr(entity, n, ""))), entity.key))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _strings(inner)
