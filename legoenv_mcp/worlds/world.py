"""Loading a world: files become canonical entities, every reference checked. The format: the package's docstring."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

from legoenv_mcp.capabilities import (
    Entity,
    accounting,
    calendar,
    chat,
    crm,
    database,
    dev_repo,
    docs_notes,
    ecommerce,
    email,
    file_storage,
    helpdesk,
    hr,
    marketing_email,
    payments,
    project_tracking,
    scheduling,
    sms_voice,
    spreadsheet,
)
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.worlds import readers
from legoenv_mcp.worlds.parse import Place, WorldError, read_toml
from legoenv_mcp.worlds.reading import Reading

E = TypeVar("E", bound=Entity)

REFERENCES: dict[type[Entity], dict[str, tuple[type[Entity], ...]]] = {
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
    calendar.Calendar: {"owner": (Person,)},
    calendar.Event: {"calendar": (calendar.Calendar,)},
    helpdesk.Requester: {"company": (crm.Company,)},
    helpdesk.Queue: {"members": (Person,)},
    helpdesk.Ticket: {"requester": (helpdesk.Requester,), "assignee": (Person,), "queue": (helpdesk.Queue,)},
    project_tracking.Project: {"lead": (Person,), "members": (Person,)},
    project_tracking.Task: {
        "project": (project_tracking.Project,), "assignee": (Person,), "reporter": (Person,),
        "parent": (project_tracking.Task,),
    },
    docs_notes.Document: {"parent": (docs_notes.Document,), "author": (Person,)},
    spreadsheet.Workbook: {"owner": (Person,)},
    spreadsheet.Table: {"workbook": (spreadsheet.Workbook,)},
    accounting.Customer: {"company": (crm.Company,)},
    accounting.Invoice: {"customer": (accounting.Customer,)},
    accounting.Bill: {"vendor": (accounting.Vendor,)},
    ecommerce.Order: {"shopper": (ecommerce.Shopper,)},
    marketing_email.Subscriber: {"audience": (marketing_email.Audience,)},
    marketing_email.Campaign: {"audience": (marketing_email.Audience,)},
    hr.Employment: {"person": (Person,)},
    hr.TimeOff: {"person": (Person,)},
    scheduling.MeetingType: {"host": (Person,)},
    scheduling.Booking: {"meeting_type": (scheduling.MeetingType,)},
}  # fmt: skip
"""Fields that hold another entity's key."""

_NOUNS: dict[type[Entity], str] = {
    crm.Company: "account",
    dev_repo.PullRequest: "pull request",
    chat.Message: "chat message",
    Person: "person",
    spreadsheet.Table: "table",
    database.DataTable: "table",
    scheduling.MeetingType: "meeting type",
    sms_voice.PhoneNumber: "own number",
}

_UNIQUE: dict[type[Entity], tuple[str, ...]] = {
    Person: ("email", "handle"), crm.Company: ("name", "domain"), crm.Contact: ("email",), crm.Lead: ("email",),
    chat.Channel: ("name",), payments.Customer: ("email",), payments.Product: ("name",), payments.Invoice: ("number",),
    dev_repo.Repository: ("name",), email.Folder: ("name",), file_storage.File: ("path",),
    file_storage.Folder: ("path",), helpdesk.Requester: ("email",), helpdesk.Queue: ("name",),
    project_tracking.Project: ("name", "code"), project_tracking.Task: ("project number",),
    spreadsheet.Workbook: ("name",), spreadsheet.Table: ("workbook name",), database.DataTable: ("database name",),
    accounting.Customer: ("name",), accounting.Vendor: ("name",), accounting.Item: ("name",),
    accounting.Invoice: ("number",), ecommerce.Product: ("title",), ecommerce.Shopper: ("email",),
    ecommerce.Order: ("number",), marketing_email.Audience: ("name",), marketing_email.Campaign: ("name",),
    marketing_email.Subscriber: ("audience email",), sms_voice.PhoneNumber: ("number",),
    hr.Employment: ("person", "number"), scheduling.MeetingType: ("slug",),
}  # fmt: skip
"""Fields, or several together, that no two entities of a type share, where not empty."""

_TIMES: dict[type[Entity], str] = {
    email.Message: "date", chat.Message: "at", dev_repo.Commit: "at", payments.Invoice: "issued",
    payments.Subscription: "started", accounting.Invoice: "issued", accounting.Bill: "issued",
    sms_voice.TextMessage: "at", sms_voice.Call: "at",
}  # fmt: skip
"""The field by which a type is ordered, where it is not `created`."""

_PARENTS: dict[type[Entity], str] = {
    Person: "manager", project_tracking.Task: "parent", docs_notes.Document: "parent",
}  # fmt: skip
"""The field by which a type is a tree."""

_TEXTS = frozenset({"id", "name", "domain", "industry", "description", "currency", "time_zone", "clock", "agent"})
_INFO = _TEXTS | {"version", "mailboxes"}
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
    """The world of this id. LookupError where there is none; WorldError where its files are wrong."""
    return _load(_folder(world_id))


def fingerprint(world_id: str) -> str:
    """The `hash` of a world, without reading what its files say. LookupError where there is none."""
    digest = hashlib.blake2b(digest_size=16)
    for file, data in _files(_folder(world_id)):
        digest.update(f"{file}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def _folder(world_id: str) -> Path:
    for atoms in atoms_folders():
        folder = atoms / "worlds" / world_id
        if world_id and (folder / "world.toml").is_file():
            return folder
    raise LookupError(f'no world "{world_id}"; there are: {", ".join(info.id for info in worlds()) or "none"}')


def _info(folder: Path, text: str) -> WorldInfo:
    values = read_toml("world.toml", text, _INFO)
    place = Place("world.toml", 1)
    for key in sorted(_TEXTS):
        if not isinstance(values.get(key), str):
            raise place.error(key, "missing, or no text")
    if values.get("version") != 1:
        raise place.error("version", "1 is the only version of the format")
    if values["id"] != folder.name:
        raise place.error("id", f'"{values["id"]}" is not the folder\'s name "{folder.name}"')
    mailboxes: tuple[str, ...] = tuple(values.get("mailboxes", ()))
    return WorldInfo(version=1, mailboxes=mailboxes, folder=folder, **{key: values[key] for key in _TEXTS})


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
    people = readers.people(reading, {f"{name}@{info.domain}" for name in info.mailboxes})
    if info.agent not in people:
        raise Place("world.toml", 1).error("agent", f'no person "{info.agent}"')
    readers.everything(reading, people[info.agent].email)
    for file in texts.keys() - reading.used - {"world.toml"}:
        raise Place(file, 1).error("", "no such kind of file in a world")
    _check(reading)
    return World(info, digest.hexdigest(), {kind: _ordered(kind, rows) for kind, rows in reading.entities.items()})


def _files(folder: Path) -> list[tuple[str, bytes]]:
    """Paths relative to the folder and their bytes, sorted."""
    found: list[tuple[str, bytes]] = []
    for root, names, files in os.walk(folder):
        names[:] = [name for name in names if name not in _SKIPPED]
        where = os.path.relpath(root, folder).replace(os.sep, "/").removeprefix(".").lstrip("/")
        for name in files:
            if name not in _SKIPPED:
                with open(os.path.join(root, name), "rb") as file:
                    found.append((f"{where}/{name}" if where else name, file.read()))
    return sorted(found)


def _check(reading: Reading) -> None:
    """WorldError for a key or natural key held twice, or a key that names nothing."""
    keys = {kind: {entity.key for _, entity in rows} for kind, rows in reading.entities.items()}
    for kind, rows in reading.entities.items():
        for field in ("key", *_UNIQUE.get(kind, ())):
            seen: set[str] = set()
            names = field.split()
            for place, entity in rows:
                value = " ".join([str(getattr(entity, name)) for name in names]).lower()
                if value in seen:
                    raise place.error(field, f'"{value}" is taken already')
                if value:
                    seen.add(value)
        for field, targets in REFERENCES.get(kind, {}).items():
            for place, entity in rows:
                value: str | tuple[str, ...] = getattr(entity, field)
                for key in (value,) if isinstance(value, str) and value else value:
                    if not any(key in keys.get(target, ()) for target in targets):
                        raise place.error(field, f'no {_noun(targets)} "{key}"')
    for place, field, key, targets in reading.mentions:
        if not any(key in keys.get(target, ()) for target in targets):
            raise place.error(field, f'no {_noun(targets)} "{key}"')


def _noun(targets: tuple[type[Entity], ...]) -> str:
    return " or ".join(_NOUNS.get(target, target.__name__.lower()) for target in targets)


def _ordered(kind: type[Entity], rows: list[tuple[Place, Entity]]) -> tuple[Entity, ...]:
    entities = [entity for _, entity in rows]
    field = _TIMES.get(kind, "created")
    if field in kind.model_fields:
        entities.sort(key=lambda entity: str(getattr(entity, field)))
    if kind in _PARENTS:
        entities = _parents_first(entities, _PARENTS[kind], {entity.key: place for place, entity in rows})
    return tuple(entities)


def _parents_first(entities: list[Entity], field: str, places: dict[str, Place]) -> list[Entity]:
    by_key = {entity.key: entity for entity in entities}
    done: dict[str, Entity] = {}
    for entity in entities:
        chain = [entity]
        while (parent := str(getattr(chain[-1], field))) and parent not in done:
            if parent in {each.key for each in chain}:
                raise places[entity.key].error(field, "comes back to where it began")
            chain.append(by_key[parent])
        done.update({each.key: each for each in reversed(chain)})
    return list(done.values())


__all__ = ["World", "WorldError", "WorldInfo", "atoms_folders", "load", "worlds"]
