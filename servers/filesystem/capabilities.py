"""The allowed directory as a file storage: paths are relative to it."""

import posixpath
import re
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.base import Plan, call
from legoenv_mcp.capabilities.file_storage import File, FileStorage, Folder

from .models import Node, made
from .seed import ROOT


class FilesystemStorage(FileStorage):
    def fill(self, ctx: Ctx, entity: Entity) -> str:
        match entity:
            case Folder():
                return _put(ctx, _absolute(entity.path), entity.modified or ctx.timestamp(), None)
            case File():
                return _put(ctx, _absolute(entity.path), entity.modified or ctx.timestamp(), entity.content.encode())
            case _:
                raise TypeError(f"a file storage holds no {type(entity).__name__}")

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        if table != "node" or not row["path"].startswith(ROOT + "/"):
            return None
        path = row["path"].removeprefix(ROOT + "/")
        if row["kind"] == "directory":
            return Folder(id=row["path"], path=path, modified=row["modified"])
        if row["kind"] == "file" and row["encoding"] == "utf-8":
            return File(id=row["path"], path=path, content=row["content"], modified=row["modified"])
        return None

    def list_folder(self, path: str) -> Plan:
        yield call("list_directory", path=_absolute(path))

    def search_files(self, text: str) -> Plan:
        literal = re.sub(r"([\\*?\[\]{}()!+@|,.])", r"\\\1", text)
        yield call("search_files", path=ROOT, pattern=f"**/*{literal}*")

    def get_file_info(self, path: str) -> Plan:
        yield call("get_file_info", path=_absolute(path))

    def download_file(self, path: str) -> Plan:
        yield call("read_text_file", path=_absolute(path))

    def upload_file(self, path: str, content: str) -> Plan:
        yield call("write_file", path=_absolute(path), content=content)

    def create_folder(self, path: str) -> Plan:
        yield call("create_directory", path=_absolute(path))

    def move_file(self, path: str, to: str) -> Plan:
        yield call("move_file", source=_absolute(path), destination=_absolute(to))


def _absolute(path: str) -> str:
    return posixpath.join(ROOT, path.strip("/")).rstrip("/")


def _put(ctx: Ctx, path: str, modified: str, data: bytes | None) -> str:
    """Writes a file (or, without bytes, a directory) with the directories above it."""
    parent = posixpath.dirname(path)
    if ctx.db.get(Node, parent) is None:
        _put(ctx, parent, modified, None)
    old = ctx.db.get(Node, path)
    if old is None:
        ctx.db.add(made(path, modified, data))
    else:
        ctx.db.update(old, created=modified, modified=modified, accessed=modified)
    return path


provides = {"file_storage": FilesystemStorage()}
