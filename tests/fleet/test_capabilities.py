"""The studs: what a world says of an entity is what an app's view says of it, in every app that has the capability."""

from functools import cache
from typing import Any

import pytest

from legoenv_mcp import registry, templates, worlds
from legoenv_mcp.capabilities import Entity, email
from legoenv_mcp.kernel.context import Ctx, Request, entity_name
from legoenv_mcp.kernel.episode import LiveApp
from legoenv_mcp.verify.matchers import equal
from legoenv_mcp.worlds.world import REFERENCES

WORLDS = [w.id for w in worlds.worlds()]
FILLED = [
    (slug, capability, kind)
    for slug in (a.slug for a in registry.apps())
    for kind, capability in templates.filled_by(registry.load(slug)).items()
]

ELSEWHERE: dict[type[Entity], set[str]] = {email.Message: {"thread"}}
"""Fields that name a thing of the product's own making: a conversation's id."""


@cache
def viewed(slug: str, world: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Every entity that the app's views find in its template, by canonical type and the app's id."""
    live = LiveApp(templates.template(slug, world))
    ctx = Ctx(live, None, None, Request())
    found = dict[tuple[str, str], dict[str, Any]]()
    for table, shape in live.app.shapes.items():
        for raw in live.store.connection.execute(shape.select):
            for capability in live.app.provides.values():
                if (entity := capability.view(ctx, table, shape.decode(raw))) is not None:
                    found[entity_name(type(entity)), entity.id] = entity.model_dump()
    return found


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("slug", "capability", "kind"), FILLED, ids=[f"{s}-{entity_name(k)}" for s, _, k in FILLED])
def test_what_was_filled_is_viewed(slug: str, capability: str, kind: type[Entity], world: str) -> None:
    """A field comes back as it was, or empty where the product has no place for it; never as something else."""
    refs = templates.template(slug, world).refs.get(entity_name(kind), {})
    references = {*REFERENCES.get(kind, {}), *ELSEWHERE.get(kind, ())}
    ids = dict[str, set[str]]()
    for keys in templates.template(slug, world).refs.values():
        for key, value in keys.items():
            ids.setdefault(key, set()).add(value)
    told = set[str]()
    for entity in worlds.load(world).entities(kind):
        shown = viewed(slug, world).get((entity_name(kind), refs[entity.key]))
        assert shown is not None, f"{entity_name(kind)} {entity.key} was filled and is not viewed"
        for name, field in kind.model_fields.items():
            value = getattr(entity, name)
            if name in ("key", "id") or name in references or value == field.default:
                continue
            if shown[name] in (field.default, None, "", (), 0):
                continue
            assert alike(entity.model_dump()[name], shown[name], ids), (
                f"{entity.key}.{name}: {value!r} became {shown[name]!r}"
            )
            told.add(name)
    if worlds.load(world).entities(kind):
        assert told, f"{entity_name(kind)}: no field of any entity came back"


def alike(given: Any, shown: Any, ids: dict[str, set[str]]) -> bool:
    """Whether a viewed value is the given one; keys of other entities have become the app's ids of them."""
    if isinstance(given, dict) and isinstance(shown, dict):
        return given.keys() == shown.keys() and all(alike(given[name], shown[name], ids) for name in given)
    if isinstance(given, (tuple, list)) and isinstance(shown, (tuple, list)):
        left = list(shown)
        for one in given:
            at = next((n for n, other in enumerate(left) if alike(one, other, ids)), None)
            if at is None:
                return False
            left.pop(at)
        return not left
    if isinstance(given, str) and isinstance(shown, str) and given != shown:
        head, _, tail = given.rpartition(":")  # a reaction is emoji:person
        return (
            shown in ids.get(given, ())
            or (head != "" and shown in {f"{head}:{i}" for i in ids.get(tail, ())})
            or equal(given, shown)
        )
    return equal(given, shown)


@pytest.mark.parametrize(("slug", "capability"), sorted({(s, c) for s, c, _ in FILLED}))
def test_a_capability_is_whole(slug: str, capability: str) -> None:
    provider = registry.load(slug).provides[capability]
    assert not getattr(type(provider), "__abstractmethods__", None)
    assert provider.name == capability
