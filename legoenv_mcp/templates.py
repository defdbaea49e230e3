"""Templates: an app filled from a world, built once and cached by the hash of what it is made from."""

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from legoenv_mcp import registry, worlds
from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.people import Organisation, Person
from legoenv_mcp.faces import rest
from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.context import Ctx, Request, entity_name
from legoenv_mcp.kernel.episode import KERNEL_TABLES, Episode, LiveApp, Template, connect

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


def build(app: App, world_id: str) -> bytes:
    """The app's database filled from a world, serialized."""
    world = worlds.load(world_id)
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


def episode(slugs: Iterable[str], world: str = DEFAULT_WORLD, seed: str = "", directory: Path | None = None) -> Episode:
    """A fresh episode over these apps. UnknownApp or WorldError where a name is wrong."""
    chosen = tuple(slugs)
    for slug in chosen:
        registry.folder(slug)
    _fingerprint(world)
    return Episode(lambda slug: template(slug, world), chosen, seed, directory)
