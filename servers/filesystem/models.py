"""The tree. Its key is the path, so that two ways of building the same tree end in the same rows."""

import base64
import posixpath
from typing import Any, Literal

from legoenv_mcp.app import Field, Row, registry


class Table(Row, registry=registry()): ...


class AllowedDirectory(Table, table=True):
    """A directory that the server was started with. `position` orders them as on its command line."""

    path: str = Field(primary_key=True)
    position: int


class Node(Table, table=True):
    """A file, directory or symbolic link under an allowed directory. `path` is absolute and normalised.

    `content` is a file's text, or base64 of its bytes where they are no valid UTF-8.
    """

    path: str = Field(primary_key=True)
    parent: str = Field(index=True)
    kind: Literal["file", "directory", "symlink"]
    content: str = ""
    encoding: Literal["utf-8", "base64"] = "utf-8"
    target: str | None = None
    mode: int
    size: int = Field(derived=True)
    created: str = Field(derived=True)
    modified: str = Field(derived=True)
    accessed: str = Field(derived=True)

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]

    @property
    def data(self) -> bytes:
        """A file's bytes."""
        return self.content.encode() if self.encoding == "utf-8" else base64.b64decode(self.content)


DIRECTORY_SIZE = 4096


def made(path: str, at: str, data: bytes | None = None) -> Node:
    """A new file with these bytes, or without any a directory."""
    directory: dict[str, Any] = {"kind": "directory", "mode": 0o755, "size": DIRECTORY_SIZE}
    columns = directory if data is None else {"kind": "file", "mode": 0o644, **stored(data)}
    return Node(path=path, parent=posixpath.dirname(path), created=at, modified=at, accessed=at, **columns)


def stored(data: bytes) -> dict[str, Any]:
    """The columns that hold a file's bytes."""
    try:
        return {"content": data.decode(), "encoding": "utf-8", "size": len(data)}
    except UnicodeDecodeError:
        return {"content": base64.b64encode(data).decode(), "encoding": "base64", "size": len(data)}
