"""Template: an app's start state in one world, and the databases that are made from it."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.errors import unusable
from legoenv_mcp.kernel.store import Key

KERNEL_TABLES = (
    "CREATE TABLE _meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE _counter (kind TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE _ref (entity TEXT, key TEXT, id TEXT NOT NULL, PRIMARY KEY (entity, key)) WITHOUT ROWID",
    "CREATE TABLE _journal (n INTEGER PRIMARY KEY, tool TEXT NOT NULL, arguments TEXT NOT NULL, status INTEGER NOT NULL,"
    " touched TEXT NOT NULL)",
)

_PAGE = 4096

_GROWTH = 64 * 1024 * 1024
"""Bytes by which an episode may make an app's database larger."""


class _Connection(sqlite3.Connection):
    """One that closes when nobody has it any more: a template's is shared by whoever reads it."""

    def __del__(self) -> None:
        self.close()


def connect(app: App, target: str = ":memory:") -> sqlite3.Connection:
    """A connection as every face uses it: autocommit (the dispatcher begins and commits), the app's SQL functions in place."""
    connection = sqlite3.connect(target, isolation_level=None, check_same_thread=False, factory=_Connection)
    for name, (arity, function) in app.functions.items():
        connection.create_function(name, arity, function, deterministic=True)
    return connection


@dataclass(frozen=True, slots=True)
class Delta:
    """A serialized database as the pages in which it differs from another: a few kilobytes where that one has a million bytes."""

    length: int
    pages: Mapping[int, bytes]

    @classmethod
    def between(cls, base: bytes, image: bytes) -> "Delta":
        """What makes `image` of `base`."""
        # Slices of bytes compare as fast as memory does; those of memoryviews, value by value.
        starts = range(0, len(image), _PAGE)
        return cls(
            len(image), {at: image[at : at + _PAGE] for at in starts if image[at : at + _PAGE] != base[at : at + _PAGE]}
        )

    def over(self, base: bytes) -> bytes:
        """The whole image again."""
        image = bytearray(memoryview(base)[: self.length])
        image.extend(bytes(self.length - len(image)))
        for at, page in self.pages.items():
            image[at : at + len(page)] = page
        return bytes(image)

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return sum(map(len, self.pages.values())) + 128 * len(self.pages)


class Template:
    """An app's start state in one world: a serialized database, shared by every episode that forks from it.

    One that was made by adding entities to another has that one as its `base`, and the keys of the rows that were `touched`.
    """

    def __init__(
        self, app: App, image: bytes, *, world: str = "", hash: str = "", base: "Template | None" = None,
        touched: tuple[Key, ...] = (),
    ) -> None:  # fmt: skip
        self.app = app
        self.world = world
        self.hash = hash
        self.base = base
        self.touched = touched
        self.start = object()
        """Stands for the state: see LiveApp.state."""
        # Environments are many and differ from their world in a few rows.
        self._kept = image if base is None else Delta.between(base.image, image)

    @property
    def image(self) -> bytes:
        """The database, serialized."""
        return self._kept if isinstance(self._kept, bytes) else self._kept.over(self.ground)

    @property
    def ground(self) -> bytes:
        """The image that is kept whole: its own, or that of its base."""
        return self.image if self.base is None else self.base.ground

    @cached_property
    def connection(self) -> sqlite3.Connection:
        """The template itself, read only: what an episode reads until its first write, and what diffs compare with."""
        connection = self.fork()
        connection.execute("PRAGMA query_only = ON")
        return connection

    def rest(self) -> None:
        """Gives up the open database of an environment's own template, unless somebody is reading it; it is made again when needed."""
        if self.base is not None:
            self.__dict__.pop("connection", None)

    @cached_property
    def meta(self) -> dict[str, Any]:
        return dict(self.connection.execute("SELECT key, value FROM _meta"))

    @cached_property
    def refs(self) -> dict[str, dict[str, str]]:
        """Entity name -> world key -> the app's id."""
        found = dict[str, dict[str, str]]()
        for entity, key, value in self.connection.execute("SELECT entity, key, id FROM _ref"):
            found.setdefault(entity, {})[key] = value
        return found

    def fork(self, image: bytes | None = None) -> sqlite3.Connection:
        """A private copy in memory; with `image`, of that state of it."""
        connection = connect(self.app)
        connection.deserialize(self.image if image is None else image)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA max_page_count = {(len(self.ground) + _GROWTH) // _PAGE}")
        return connection

    def open(self, path: Path) -> sqlite3.Connection:
        """A private copy in a file, made where there is none yet. Survives a kill: WAL, committed calls are there.

        Raises StorageError where it cannot be made or opened.
        """
        try:
            if not path.exists():
                self._make(path)
            connection = connect(self.app, str(path))
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute("PRAGMA foreign_keys = ON")
                connection.execute(f"PRAGMA max_page_count = {(len(self.ground) + _GROWTH) // _PAGE}")
            except BaseException:
                connection.close()
                raise
            return connection
        except (OSError, sqlite3.OperationalError) as error:
            raise unusable(error) from None

    def _make(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        for leftover in ("-wal", "-shm"):  # what a database of this name had not yet taken in would go into the new one
            path.with_name(path.name + leftover).unlink(missing_ok=True)
        fresh = path.with_suffix(".new")
        try:
            fresh.write_bytes(self.image)
        except OSError:  # where the disk is full, a part of a database takes up the last of it
            fresh.unlink(missing_ok=True)
            raise
        fresh.replace(path)
