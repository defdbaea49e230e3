"""My Drive as a file storage: fill, view, verbs. Paths are names from the top of My Drive down, with slashes between."""

from typing import Any, ClassVar

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call
from legoenv_mcp.capabilities.base import ToolCall
from legoenv_mcp.capabilities.file_storage import File, FileStorage, Folder
from legoenv_mcp.capabilities.people import Person

from . import models
from .access import file_id, me
from .contents import plain
from .metadata import time_of
from .words import DOCUMENT, FOLDER, GOOGLE, SPREADSHEET, type_of


class GoogleDriveStorage(FileStorage):
    """Files are the agent's own. Those of shared drives and of other people's folders have no path here."""

    entities: ClassVar[tuple[type[Entity], ...]] = (Person, *FileStorage.entities)

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        match entity:
            case Person():
                kept = entity.model_dump(
                    exclude={"key", "id", "email", "first_name", "last_name", "time_zone", "active"}
                )
                ctx.db.add(models.Person(
                    email=entity.email, first_name=entity.first_name, last_name=entity.last_name, time_zone=entity.time_zone,
                    active=entity.active, profile=kept,
                ))  # fmt: skip
                return entity.email
            case Folder():
                return _folder(ctx, entity.path, entity.modified)
            case File():
                return _file(ctx, entity.path, entity.modified, entity.content)
            case _:
                raise TypeError(f"a file storage holds no {type(entity).__name__}")

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        if table == "person":
            return _person(ctx, row)
        if table != "file" or (path := _path(ctx, row)) is None:
            return None
        told = row["modifiedTime"].replace(".000Z", "Z")
        if row["mimeType"] == FOLDER:
            return Folder(id=row["id"], path=path, modified=told)
        if row["encoding"] != "utf-8" or (
            row["mimeType"].startswith(GOOGLE) and row["mimeType"] not in (DOCUMENT, SPREADSHEET)
        ):
            return None
        held = models.File.of(dict(row))
        text = plain(held) if row["mimeType"] == DOCUMENT else row["content"]
        return File(id=row["id"], path=path, content=text, modified=told)

    def list_folder(self, path: str) -> Plan:
        found = yield from _find(path)
        yield call("list_files", q=f"'{found}' in parents and trashed = false", orderBy="folder,name")

    def search_files(self, text: str) -> Plan:
        yield call("search_files", name=text)

    def get_file_info(self, path: str) -> Plan:
        found = yield from _find(path)
        yield call("get_file", fileId=found)

    def download_file(self, path: str) -> Plan:
        found = yield from _find(path)
        yield call("download_file", fileId=found)

    def upload_file(self, path: str, content: str) -> Plan:
        above, _, name = path.strip("/").rpartition("/")
        parent = yield from _find(above, make=True)
        there = (yield _within(parent, name))["files"]
        if there:
            yield call("update_file", fileId=there[0]["id"], content=content)
        else:
            yield call("create_file", name=name, content=content, parentId=parent)

    def create_folder(self, path: str) -> Plan:
        above, _, name = path.strip("/").rpartition("/")
        parent = yield from _find(above, make=True)
        yield call("create_folder", name=name, parentId=parent)

    def move_file(self, path: str, to: str) -> Plan:
        found = yield from _find(path)
        (old, _, before), (above, _, name) = path.strip("/").rpartition("/"), to.strip("/").rpartition("/")
        if old == above:
            yield call("update_file", fileId=found, name=name)
            return
        parent = yield from _find(above, make=True)
        yield call("move_file", fileId=found, folderId=parent, **({"name": name} if name != before else {}))


def _within(parent: str, name: str) -> ToolCall:
    quoted = name.replace("\\", "\\\\").replace("'", "\\'")
    return call("list_files", q=f"name = '{quoted}' and '{parent}' in parents and trashed = false")


def _find(path: str, *, make: bool = False) -> Any:
    """The id of what lies at a path, looked up name by name. make: whether folders that are not there are created."""
    at = "root"
    for name in filter(None, path.split("/")):
        found = (yield _within(at, name))["files"]
        if found:
            at = next((f for f in found if f["name"] == name), found[0])["id"]
        elif make:
            at = (yield call("create_folder", name=name, parentId=at))["id"]
        else:
            raise LookupError(f"there is no {path!r} in My Drive")
    return at


def _marks(ctx: Ctx, modified: str) -> dict[str, Any]:
    now = time_of("modified", modified) if modified else ctx.timestamp("milliseconds")
    return {"createdTime": now, "modifiedTime": now, "modifiedByMeTime": now, "lastModifyingUser": me(ctx).email}


def _above(ctx: Ctx, path: str, modified: str) -> tuple[str, str]:
    """The folder that a path lies in, made with those above it where it is not there, and the path's own name."""
    above, _, name = path.strip("/").rpartition("/")
    if not above:
        return me(ctx).root, name
    parent, own = _above(ctx, above, modified)
    found = ctx.db.first(models.File, name=own, parent=parent, mimeType=FOLDER)
    return (found or _add(ctx, above, own, parent, FOLDER, _marks(ctx, modified))).id, name


def _add(ctx: Ctx, path: str, name: str, parent: str, mime: str, values: dict[str, Any]) -> models.File:
    key = file_id("file", path.strip("/"))
    values = {"id": key, "name": name, "mimeType": mime, "owner": me(ctx).email, "parent": parent, **values}
    return ctx.db.add(models.File(**values))


def _folder(ctx: Ctx, path: str, modified: str) -> str:
    parent, name = _above(ctx, path, modified)
    found = ctx.db.first(models.File, name=name, parent=parent, mimeType=FOLDER)
    if found is None:
        return _add(ctx, path, name, parent, FOLDER, _marks(ctx, modified)).id
    return ctx.db.update(found, **(_marks(ctx, modified) if modified else {})).id


def _file(ctx: Ctx, path: str, modified: str, content: str) -> str:
    """Writes a file with its first revision."""
    parent, name = _above(ctx, path, modified)
    marks, head = _marks(ctx, modified), f"0B{file_id('revision', path, length=50)[1:]}"
    values = {
        "content": content,
        "originalFilename": name,
        "headRevisionId": head,
        "viewedByMeTime": marks["modifiedTime"],
        **marks,
    }
    row = _add(ctx, path, name, parent, type_of(name, True), values)
    ctx.db.add(models.Revision(
        file_id=row.id, id=head, number=1, mimeType=row.mimeType, modifiedTime=row.modifiedTime, lastModifyingUser=row.owner,
        originalFilename=name, content=content,
    ))  # fmt: skip
    return row.id


def _path(ctx: Ctx, row: dict[str, Any]) -> str | None:
    """Where a file lies in My Drive; None for what is in the trash or elsewhere."""
    account = ctx.db.first(models.Account)
    if account is None or row["trashed"] or row["parent"] is None or row["shortcutTargetId"]:
        return None
    names, seen = [row["name"]], {row["id"]}
    above: str | None = row["parent"]
    while above is not None and above != account.root:
        found = ctx.db.get(models.File, above)
        if found is None or found.trashed or found.id in seen:
            return None
        names.append(found.name)
        seen.add(found.id)
        above = found.parent
    return "/".join(reversed(names)) if above else None


def _person(ctx: Ctx, row: dict[str, Any]) -> Person:
    kept = dict(row["profile"])
    if kept.get("manager") and ctx.has_ref(Person, kept["manager"]):
        kept["manager"] = ctx.ref(Person, kept["manager"])
    named = {name: row[name] for name in ("email", "first_name", "last_name", "time_zone", "active")}
    return Person(id=row["email"], **named, **kept)


provides = {"file_storage": GoogleDriveStorage()}
