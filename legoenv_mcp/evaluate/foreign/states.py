"""Start states of MCP-Mark's tasks, and the tool server over each: a copied folder, or a copied database."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Protocol

import anyio
from mcp import StdioServerParameters

import legoenv_mcp.compat
from legoenv_mcp.evaluate.foreign.task import BenchmarkError
from legoenv_mcp.evaluate.foreign.worker import stranger_environ
from legoenv_mcp.evaluate.tools import ToolServerFault

LIMIT = 300.0
"""Seconds for a script of the benchmark, as it has them itself."""
FILESYSTEM_SERVER = ("npx", "-y", "@modelcontextprotocol/server-filesystem")
POSTGRES_SERVER = ("postgres-mcp", "--access-mode=unrestricted")


@dataclass(slots=True)
class State:
    """A start state that is there: how its tools are reached, and what `verify.py` gets."""

    server: StdioServerParameters
    environ: dict[str, str]
    words: tuple[str, ...] = ()
    root: str = ""
    """The folder, for solutions that name it."""
    notes: list[str] = field(default_factory=list[str])

    def diff(self) -> list[dict[str, Any]]:
        """What changed since the start, where that can be told."""
        return []


class States(Protocol):
    """Start states of a service."""

    def check(self) -> None:
        """BenchmarkError where no task can be run."""
        ...

    def has(self, folder: Path, category: str) -> bool:
        """Whether the start state of a task can be made."""
        ...

    def missing(self) -> str:
        """What to do about start states that are not there."""
        ...

    def open(self, folder: Path, category: str) -> Any:
        """A fresh start state: a context manager over a State. ToolServerFault where it cannot be made."""
        ...


# Folders


class FolderState(State):
    """A copy of a category's folder. The names and contents at the start are kept as digests."""

    def begin(self) -> None:
        self._before = _entries(Path(self.root))

    def diff(self) -> list[dict[str, Any]]:
        after, changes = _entries(Path(self.root)), list[dict[str, Any]]()
        for path in sorted({*self._before, *after}):
            was, now = self._before.get(path), after.get(path)
            table = "directories" if "directory" in (now, was) else "files"
            shown = {"app": "filesystem", "table": table, "key": [path]}
            if was is None:
                changes.append({**shown, "change": "insert", "after": {"path": path, "text": self._text(path)}})
            elif now is None:
                changes.append({**shown, "change": "delete", "before": {"path": path}})
            elif was != now:
                columns = {"text": {"before": "(another)", "after": self._text(path)}}
                changes.append({**shown, "change": "update", "columns": columns})
        return changes

    def _text(self, path: str) -> str | None:
        place = Path(self.root, path)
        return place.read_bytes()[:2000].decode(errors="replace") if place.is_file() else None


def _entries(root: Path) -> dict[str, str]:
    """Relative path -> "directory", or a digest of the content."""
    return {path.relative_to(root).as_posix(): _digest(path) for path in sorted(root.rglob("*"))}


def _digest(path: Path) -> str:
    if path.is_dir():
        return "directory"
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Folders:
    """The filesystem service. root: holds a folder for each category (MCP-Mark's FILESYSTEM_TEST_ROOT).

    listings: where a category's folder is not there, a task's own listing of it is built, with empty files.
    """

    def __init__(self, root: Path, server: Sequence[str] = (), *, listings: bool = False) -> None:
        self._root, self._server, self._listings = root, tuple(server) or FILESYSTEM_SERVER, listings

    def check(self) -> None:
        _program(self._server[0])

    def has(self, folder: Path, category: str) -> bool:
        return (self._root / category).is_dir() or (self._listings and bool(listing(folder)))

    def missing(self) -> str:
        return f"unpack the benchmark's archives into {self._root}, or name their folder with --state"

    @asynccontextmanager
    async def open(self, folder: Path, category: str) -> AsyncIterator[State]:
        with tempfile.TemporaryDirectory(prefix="mcpmark-", ignore_cleanup_errors=True) as holder:
            root, notes = Path(holder).resolve() / category, list[str]()
            if (self._root / category).is_dir():
                copy = lambda: shutil.copytree(self._root / category, root, symlinks=True)  # noqa: E731
                await anyio.to_thread.run_sync(copy)
            else:
                build(listing(folder), root)
                notes.append("the start state was built from the task's own listing, with empty files")
            command, *words = *self._server, str(root)
            server = StdioServerParameters(command=command, args=words, env=stranger_environ())
            state = FolderState(server, {"FILESYSTEM_TEST_DIR": str(root)}, root=str(root), notes=notes)
            await anyio.to_thread.run_sync(state.begin)
            yield state


def meta_of(folder: Path) -> dict[str, Any]:
    """A task's `meta.json`; empty where there is none that can be read."""
    try:
        found = json.loads((folder / "meta.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def listing(folder: Path) -> str:
    """A task's drawing of its start state, as `meta.json` has it; empty where there is none."""
    about = meta_of(folder).get("meta_data") or {}
    text = about.get("stateContent")
    return text if about.get("stateType") == "text" and isinstance(text, str) and "── " in text else ""


def build(drawing: str, root: Path) -> None:
    """Makes the tree of such a drawing under `root`, which stands for its first line. Files are empty."""
    above: list[tuple[int, Path]] = [(-1, root)]
    root.mkdir(parents=True)
    for line in drawing.splitlines()[1:]:
        found = re.match(r"([\s│]*)[├└]── (.+?)\s*$", line)
        if found is None:
            continue
        depth, name = len(found[1].expandtabs(8)), found[2]
        while above[-1][0] >= depth:
            above.pop()
        place = above[-1][1] / name.rstrip("/")
        if not place.resolve().is_relative_to(root.resolve()):
            raise BenchmarkError(f"a listing leaves its folder: {name}")
        if name.endswith("/"):
            place.mkdir()
            above.append((depth, place))
        else:
            place.touch()


# Databases


class Databases:
    """The postgres service: the server that POSTGRES_HOST, _PORT, _USERNAME and _PASSWORD name, as in MCP-Mark.

    python: has what the benchmark's scripts import (psycopg2).
    """

    def __init__(self, python: str, server: Sequence[str] = ()) -> None:
        self._python, self._server = python, tuple(server) or POSTGRES_SERVER
        named = {"HOST": "localhost", "PORT": "5432", "USERNAME": "postgres", "PASSWORD": "password"}
        self._place = {f"POSTGRES_{n}": os.environ.get(f"POSTGRES_{n}") or value for n, value in named.items()}
        self._copying, self._roles = anyio.Lock(), anyio.Lock()
        self._numbers = count(1)
        self._there = set[str]()

    def check(self) -> None:
        _program(self._server[0])
        query = "import psycopg2, os; c = psycopg2.connect(host=os.environ['POSTGRES_HOST'], port=os.environ['POSTGRES_PORT'], "
        query += "user=os.environ['POSTGRES_USERNAME'], password=os.environ['POSTGRES_PASSWORD'], dbname='postgres', connect_timeout=5)"
        query += "; k = c.cursor(); k.execute('SELECT datname FROM pg_database'); print('\\n'.join(r[0] for r in k.fetchall()))"
        try:
            done = subprocess.run(
                [self._python, "-c", query],
                env={**stranger_environ(), **self._place},
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
        except OSError as error:
            raise BenchmarkError(f"{self._python}: {error.strerror}; name a Python with --python") from None
        if done.returncode:
            said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise BenchmarkError(
                f"the database server cannot be used: {said} (POSTGRES_HOST and the like say where it is)"
            )
        self._there = set(done.stdout.split())

    def has(self, folder: Path, category: str) -> bool:
        return category in self._there or (folder / "prepare_environment.py").is_file()

    def missing(self) -> str:
        return "restore the benchmark's backups as databases named like the categories"

    @asynccontextmanager
    async def open(self, folder: Path, category: str) -> AsyncIterator[State]:
        name = f"legoenv_{os.getpid()}_{next(self._numbers)}_{category}"[:63]
        environ = {**self._place, "POSTGRES_DATABASE": name, "DATABASE_URL": self._url(name)}
        prepares = (folder / "prepare_environment.py").is_file()
        # Roles belong to the whole server: tasks that prepare some must not meet each other.
        async with self._roles if prepares else nullcontext():
            async with self._copying:
                made = await self._state("create", name, category)
            try:
                if made.strip() == "empty":
                    await self._prepared(folder, environ)
                command, *words = self._server
                server = StdioServerParameters(
                    command=command, args=words, env={**stranger_environ(), "DATABASE_URI": self._url(name)}
                )
                yield State(server, environ, words=(name,))
            finally:
                with anyio.CancelScope(shield=True):
                    await self._state("drop", name)

    def _url(self, name: str) -> str:
        place = {n.removeprefix("POSTGRES_").lower(): v for n, v in self._place.items()}
        return "postgresql://{username}:{password}@{host}:{port}/".format(**place) + name

    async def _prepared(self, folder: Path, environ: Mapping[str, str]) -> None:
        script = folder / "prepare_environment.py"
        if script.is_file():
            code, _, errors = await run_script(self._python, script, (), environ, cwd=folder)
            if code != 0:
                raise ToolServerFault(f"{script.name} of {folder.name} failed: {errors.strip()[-300:]}")

    async def _state(self, *words: str) -> str:
        script = Path(legoenv_mcp.compat.__file__).with_name("postgres_state.py")
        code, said, errors = await run_script(self._python, script, words, self._place, cwd=script.parent)
        if code != 0:
            raise ToolServerFault(f"the database could not be made ready ({words[0]}): {errors.strip()[-300:]}")
        return said


# Programs


async def run_script(
    python: str, script: Path, words: Sequence[str], environ: Mapping[str, str], *, cwd: Path
) -> tuple[int | None, str, str]:
    """Exit code (None: it took longer than LIMIT and was ended), what it printed, and its errors. `python`: an absolute path."""
    environ = {**stranger_environ(), "PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1", **environ}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        try:
            process = await anyio.open_process(
                [python, str(script), *words], env=environ, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=errors
            )
        except OSError as error:
            raise ToolServerFault(f"{python}: {error.strerror}") from None
        code: int | None = None
        try:
            with anyio.move_on_after(LIMIT):
                code = await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
            with anyio.CancelScope(shield=True):
                await process.aclose()
        return code, _read(out), _read(errors)


def _read(file: Any) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _program(name: str) -> None:
    if shutil.which(name) is None:
        raise BenchmarkError(f"{name} is not there; install it, or name the tool server's command with --tool-server")
