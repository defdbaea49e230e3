"""Templates: an app filled from a world, built once and cached by the hash of what it is made from."""

import hashlib
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path

from legoenv_mcp import registry, worlds
from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.people import Organisation, Person
from legoenv_mcp.faces import rest
from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.context import Ctx, Request, entity_name
from legoenv_mcp.kernel.episode import Episode, LiveApp
from legoenv_mcp.kernel.store import Key
from legoenv_mcp.kernel.template import KERNEL_TABLES, Template, connect

DEFAULT_WORLD = "quaymark"
STEP_SECONDS = 1


@cache
def _fingerprint(world_id: str) -> str:
    """A world's hash, taken once in a process. LookupError where there is none."""
    return worlds.fingerprint(world_id)


def template_hash(slug: str, world: str) -> str:
    """What a template's content depends on: the app's sources, the world's files, the machinery between them."""
    parts = (registry.source_hash(slug), _fingerprint(world), registry.machinery_hash())
    return hashlib.blake2b("/".join(parts).encode(), digest_size=16).hexdigest()


@cache
def template(slug: str, world: str = DEFAULT_WORLD) -> Template:
    """The app in the world, from the cache or built now (one process builds, another may find it done)."""
    app, key = registry.load(slug), template_hash(slug, world)
    path = registry.cache_folder() / "templates" / f"{slug}-{world}-{key}.sqlite"
    try:
        image = path.read_bytes()
    except OSError:
        image = build(app, world)
        registry.keep(path, image, f"{slug}-{world}-*.sqlite")
    app.read_request = rest.read_request  # for batch endpoints, which are called over MCP as well
    return Template(app, image, world=world, hash=key)


@lru_cache(maxsize=4)
def _world(world_id: str, _hash: str) -> worlds.World:
    """A world, read once for the many apps that are filled from it."""
    return worlds.load(world_id)


def build(app: App, world_id: str) -> bytes:
    """The app's database filled from a world, serialized."""
    world = _world(world_id, _fingerprint(world_id))
    agent = world.agent
    organisation = Organisation(
        key=world.id, name=world.name, domain=world.domain, industry=world.info.industry, currency=world.currency,
        time_zone=world.time_zone, agent=agent.key,
    )  # fmt: skip
    filled = filled_by(app)
    entities = [(kind, entity) for kind in filled for entity in world.entities(kind)]
    return build_from(app, organisation, agent, world.clock, entities)


def filled_by(app: App) -> dict[type[Entity], str]:
    """The canonical types that the app's capabilities fill, in filling order, with the capability that does it."""
    found = dict[type[Entity], str]()
    for name, capability in app.provides.items():
        for kind in capability.entities:
            found.setdefault(kind, name)
    return found


def build_from(
    app: App, organisation: Organisation, agent: Person, clock: str, entities: Iterable[tuple[type[Entity], Entity]]
) -> bytes:
    """The app's database with a fresh account and these entities, in this order."""
    app.read_request = rest.read_request
    live = empty(app, organisation.agent, clock, seed=organisation.key)
    ctx = Ctx(live, None, None, Request())
    db = live.store.connection
    db.execute("BEGIN")
    if app.seed is not None:
        app.seed(ctx, organisation, agent)
    fills = {kind: app.provides[capability].fill for kind, capability in filled_by(app).items()}
    for kind, entity in entities:
        made = str(fills[kind](ctx, entity))
        if entity.key:
            db.execute("INSERT OR REPLACE INTO _ref VALUES (?, ?, ?)", (entity_name(kind), entity.key, made))
            live.template.refs.setdefault(entity_name(kind), {})[entity.key] = made
    db.execute("COMMIT")
    db.execute("VACUUM")
    return db.serialize()


def empty(app: App, agent: str, clock: str, seed: str = "") -> LiveApp:
    """The app with its tables and not a row in them, ready to be filled."""
    db = connect(app)
    for statement in (*KERNEL_TABLES, *app.ddl()):
        db.execute(statement)
    meta = {"agent": agent, "clock": clock, "step": STEP_SECONDS, "seed": seed, "writes": 0}
    db.executemany("INSERT INTO _meta VALUES (?, ?)", meta.items())
    live = LiveApp(Template(app, db.serialize()))
    live.fork()
    return live


def extended(slug: str, world: str, added: tuple[Entity, ...]) -> Template:
    """The app in the world with more entities in it, those of kinds it fills. Kept for the last few that were asked for."""
    kinds = filled_by(registry.load(slug))
    mine = tuple(e for e in added if type(e) in kinds)
    return _extended(slug, world, mine) if mine else template(slug, world)


@lru_cache(maxsize=64)
def _extended(slug: str, world: str, added: tuple[Entity, ...]) -> Template:
    base = template(slug, world)
    app, kinds = base.app, filled_by(base.app)
    live = LiveApp(base)
    live.fork()
    ctx, db = Ctx(live, None, None, Request()), live.store.connection
    live.template = Template(app, b"")
    live.template.refs = {kind: dict(keys) for kind, keys in base.refs.items()}
    live.template.meta = base.meta
    touched: dict[Key, None] = {}
    live.store.touched = touched
    db.execute("BEGIN")
    for entity in added:
        kind = type(entity)
        made = str(app.provides[kinds[kind]].fill(ctx, entity))
        db.execute("INSERT OR REPLACE INTO _ref VALUES (?, ?, ?)", (entity_name(kind), entity.key, made))
        live.template.refs.setdefault(entity_name(kind), {})[entity.key] = made
    db.execute("COMMIT")
    digest = hashlib.blake2b("/".join(e.model_dump_json() for e in added).encode(), digest_size=8).hexdigest()
    found = Template(app, db.serialize(), world=world, hash=f"{base.hash}+{digest}", base=base, touched=tuple(touched))
    db.close()
    return found


def episode(
    slugs: Iterable[str],
    world: str = DEFAULT_WORLD,
    seed: str = "",
    directory: Path | None = None,
    added: tuple[Entity, ...] = (),
) -> Episode:
    """A fresh episode over these apps, `added` to the world. UnknownApp or WorldError where a name is wrong."""
    chosen = tuple(slugs)
    for slug in chosen:
        registry.folder(slug)
    _fingerprint(world)
    return Episode(lambda slug: extended(slug, world, added), chosen, seed, directory)
