"""Loading a world: its files become canonical entities, every reference checked. The file format is in the package's docstring."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from legoenv_mcp.capabilities import Entity, chat, crm, dev_repo, email, file_storage, payments
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.worlds import readers
from legoenv_mcp.worlds.parse import Place, WorldError, read_toml
from legoenv_mcp.worlds.readers import Reading

E = TypeVar("E", bound=Entity)

_REFERENCES: dict[type[Entity], dict[str, tuple[type[Entity], ...]]] = {
    Person: {"manager": (Person,)},
    crm.Company: {"owner": (Person,)},
    crm.Contact: {"company": (crm.Company,), "owner": (Person,)},
    crm.Lead: {"owner": (Person,)},
    crm.Deal: {"company": (crm.Company,), "contact": (crm.Contact,), "owner": (Person,)},
    crm.Activity: {"about": (crm.Company, crm.Contact, crm.Lead, crm.Deal), "owner": (Person,)},
    chat.Channel: {"members": (Person,), "creator": (Person,)},
    chat.Message: {"channel": (chat.Channel,), "author": (Person,), "thread": (chat.Message,)},
    payments.Customer: {"company": (crm.Company,)},
    payments.Price: {"product": (payments.Product,)},
    payments.Subscription: {"customer": (payments.Customer,), "price": (payments.Price,)},
    payments.Invoice: {"customer": (payments.Customer,), "subscription": (payments.Subscription,)},
    payments.Payment: {"customer": (payments.Customer,), "invoice": (payments.Invoice,)},
    dev_repo.Commit: {"repo": (dev_repo.Repository,), "author": (Person,)},
    dev_repo.Issue: {"repo": (dev_repo.Repository,), "author": (Person,), "assignees": (Person,)},
    dev_repo.PullRequest: {
        "repo": (dev_repo.Repository,), "author": (Person,), "assignees": (Person,), "reviewers": (Person,),
    },
    dev_repo.Release: {"repo": (dev_repo.Repository,), "author": (Person,)},
    dev_repo.Run: {"repo": (dev_repo.Repository,), "actor": (Person,)},
    email.Message: {"folders": (email.Folder,), "in_reply_to": (email.Message,)},
}  # fmt: skip
"""Fields that hold another entity's key."""

_NOUNS = {crm.Company: "account", dev_repo.PullRequest: "pull request", chat.Message: "chat message", Person: "person"}

_UNIQUE: dict[type[Entity], tuple[str, ...]] = {
    Person: ("email", "handle"), crm.Company: ("name", "domain"), crm.Contact: ("email",), crm.Lead: ("email",),
    chat.Channel: ("name",), payments.Customer: ("email",), payments.Product: ("name",), payments.Invoice: ("number",),
    dev_repo.Repository: ("name",), email.Folder: ("name",), file_storage.File: ("path",), file_storage.Folder: ("path",),
}  # fmt: skip
"""Fields that no two entities of a type share, where not empty."""

_TIMES: dict[type[Entity], str] = {
    email.Message: "date", chat.Message: "at", dev_repo.Commit: "at", payments.Invoice: "issued",
    payments.Subscription: "started",
}  # fmt: skip
"""The field by which a type is ordered, where it is not `created`."""

_INFO = frozenset(
    {"id", "version", "name", "domain", "industry", "description", "currency", "time_zone", "clock", "agent", "mailboxes"}
)
_SKIPPED = frozenset({"__pycache__", ".DS_Store"})


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldInfo:
    """A world's `world.toml`, and the folder it was found in."""

    id: str
    version: int
    name: str
    domain: str
    industry: str
    description: str
    currency: str
    time_zone: str
    clock: str
    agent: str
    mailboxes: tuple[str, ...] = ()
    folder: Path


class World:
    """A loaded world. Immutable; `hash` changes with any byte of its files."""

    def __init__(self, info: WorldInfo, digest: str, entities: dict[type[Entity], tuple[Entity, ...]]) -> None:
        self.info = info
        self.hash = digest
        self._entities = entities
        self.id, self.name, self.domain, self.clock = info.id, info.name, info.domain, info.clock
        self.currency, self.time_zone = info.currency, info.time_zone
        self.agent = next(person for person in self.entities(Person) if person.key == info.agent)

    def entities(self, entity_type: type[E]) -> tuple[E, ...]:
        """All of one type in fill order: by time, and none before one it refers to. Empty where the world has none."""
        return cast(tuple[E, ...], self._entities.get(entity_type, ()))

    def __repr__(self) -> str:
        return f"World({self.id!r})"


def atoms_folders() -> list[Path]:
    """The folders that atoms are read from: those of LEGOENV_ATOMS, then the checkout's or the installed package's.

    A world found in an earlier one hides those of the same id in later ones.
    """
    package = Path(__file__).resolve().parents[1]
    extra = [Path(part) for part in os.environ.get("LEGOENV_ATOMS", "").split(os.pathsep) if part]
    return [folder for folder in (*extra, package.parent / "atoms_db", package / "atoms_db") if folder.is_dir()]


def worlds() -> list[WorldInfo]:
    """Every world that can be loaded, by id; reads only `world.toml`s."""
    found: dict[str, WorldInfo] = {}
    for atoms in atoms_folders():
        for path in (atoms / "worlds").glob("*/world.toml"):
            found.setdefault(path.parent.name, _info(path.parent, path.read_text(encoding="utf-8")))
    return [found[world_id] for world_id in sorted(found)]


def load(world_id: str) -> World:
    """The world of this id. LookupError where there is none; WorldError, naming file and line, where its files are wrong."""
    for atoms in atoms_folders():
        folder = atoms / "worlds" / world_id
        if world_id and (folder / "world.toml").is_file():
            return _load(folder)
    raise LookupError(f'no world "{world_id}"; there are: {", ".join(info.id for info in worlds()) or "none"}')


def _info(folder: Path, text: str) -> WorldInfo:
    values = read_toml("world.toml", text, _INFO)
    place = Place("world.toml", 1)
    for key in sorted(_INFO - {"mailboxes"} - set(values)):
        raise place.error(key, "missing")
    if values["id"] != folder.name:
        raise place.error("id", f'"{values["id"]}" is not the folder\'s name "{folder.name}"')
    return WorldInfo(**{**values, "mailboxes": tuple(values.get("mailboxes", ()))}, folder=folder)


def _load(folder: Path) -> World:
    digest = hashlib.blake2b(digest_size=16)
    texts: dict[str, str] = {}
    for file, data in _files(folder):
        digest.update(f"{file}\0{len(data)}\0".encode() + data)
        try:
            texts[file] = data.decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            raise Place(file, data.count(b"\n", 0, error.start) + 1).error("", "not UTF-8") from error
    info = _info(folder, texts["world.toml"])
    reading = Reading(info.clock, texts, info.domain)
    people = readers.people(reading)
    if info.agent not in people:
        raise Place("world.toml", 1).error("agent", f'no person "{info.agent}"')
    readers.everything(reading, people[info.agent].email, {f"{name}@{info.domain}" for name in info.mailboxes})
    for file in texts.keys() - reading.used - {"world.toml"}:
        raise Place(file, 1).error("", "no such kind of file in a world")
    _check(reading)
    return World(info, digest.hexdigest(), {kind: _ordered(kind, rows) for kind, rows in reading.entities.items()})


def _files(folder: Path) -> list[tuple[str, bytes]]:
    """Paths relative to the folder and their bytes, sorted."""
    found: list[tuple[str, bytes]] = []
    for root, names, files in os.walk(folder):
        names[:] = [name for name in names if name not in _SKIPPED]
        where = Path(root)
        found += [((where / name).relative_to(folder).as_posix(), (where / name).read_bytes())
                  for name in files if name not in _SKIPPED]  # fmt: skip
    return sorted(found)


def _check(reading: Reading) -> None:
    """WorldError for a key or natural key held twice, or a key that names nothing."""
    keys = {kind: {entity.key for _, entity in rows} for kind, rows in reading.entities.items()}
    for kind, rows in reading.entities.items():
        for field in ("key", *_UNIQUE.get(kind, ())):
            seen: set[str] = set()
            for place, entity in rows:
                value = str(getattr(entity, field)).lower()
                if value in seen:
                    raise place.error(field, f'"{value}" is taken already')
                if value:
                    seen.add(value)
        for field, targets in _REFERENCES.get(kind, {}).items():
            for place, entity in rows:
                value: Any = getattr(entity, field)
                for key in value if isinstance(value, tuple) else (value,) if value else ():
                    if not any(key in keys.get(target, ()) for target in targets):
                        raise place.error(field, f'no {_noun(targets)} "{key}"')
    for place, field, key, target in reading.mentions:
        if key not in keys.get(target, ()):
            raise place.error(field, f'no {_noun((target,))} "{key}"')


def _noun(targets: tuple[type[Entity], ...]) -> str:
    return " or ".join(_NOUNS.get(target, target.__name__.lower()) for target in targets)


def _ordered(kind: type[Entity], rows: list[tuple[Place, Entity]]) -> tuple[Entity, ...]:
    entities = [entity for _, entity in rows]
    field = _TIMES.get(kind, "created")
    if field in kind.model_fields:
        entities.sort(key=lambda entity: str(getattr(entity, field)))
    if kind is Person:
        entities = _managers_first(cast(list[Person], entities), dict(zip(entities, (p for p, _ in rows), strict=True)))
    return tuple(entities)


def _managers_first(people: list[Person], places: dict[Entity, Place]) -> list[Entity]:
    by_key = {person.key: person for person in people}
    done: dict[str, Entity] = {}
    for person in people:
        chain = [person]
        while (boss := chain[-1].manager) and boss not in done:
            if by_key[boss] in chain:
                raise places[person].error("manager", "manages themselves, through others")
            chain.append(by_key[boss])
        done.update({each.key: each for each in reversed(chain)})
    return list(done.values())


__all__ = ["World", "WorldError", "WorldInfo", "atoms_folders", "load", "worlds"]
