"""Where durable episodes are kept: a folder each, with a manifest beside the apps' databases. Survives a kill."""

import contextlib
import json
import logging
import os
import secrets
import shutil
from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from legoenv_mcp.kernel.errors import unusable

log = logging.getLogger("legoenv")

MANIFEST = "episode.json"
LOCK = ".lock"
_CLEARING = ".clearing"


class StoreError(Exception):
    """The folder cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an episode is made from: an environment, or apps in a world."""

    slugs: tuple[str, ...]
    world: str
    seed: str = ""
    environment: str = ""

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "slugs": list(self.slugs)}

    @classmethod
    def of(cls, data: dict[str, Any]) -> "Plan":
        return cls(tuple(data["slugs"]), data["world"], data["seed"], data["environment"])


class Store:
    """The episodes under one folder, which one process at a time may use."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._episodes = root / "episodes"
        try:
            self._episodes.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = lock(root)
            for scrap in self._episodes.glob(".*"):
                shutil.rmtree(scrap, ignore_errors=True)
            self.secret = self._secret()
        except OSError as error:
            raise StoreError(f"{root}: {error.strerror or error}") from None

    def _secret(self) -> bytes:
        """What agents' keys are derived with: kept, so that their addresses outlive a restart."""
        path = self._root / "secret"
        with contextlib.suppress(FileNotFoundError):
            return path.read_bytes()
        secret, fresh = secrets.token_bytes(32), path.with_suffix(".new")
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(secret)
        fresh.replace(path)
        return secret

    def folder(self, episode_id: str) -> Path:
        return self._episodes / episode_id

    def put(self, episode_id: str, plan: Plan) -> Path:
        """Makes the episode's folder; it is there wholly or not at all. StorageError where it cannot be made."""
        folder, scratch = self.folder(episode_id), self._episodes / f".{episode_id}"
        with _storage():
            try:
                scratch.mkdir(mode=0o700)
                (scratch / MANIFEST).write_text(json.dumps(plan.as_json()), encoding="utf-8")
                scratch.replace(folder)
            except OSError:
                shutil.rmtree(scratch, ignore_errors=True)
                raise
        return folder

    def clear(self, episode_id: str) -> None:
        """Back to the start: drops the databases."""
        clear(self.folder(episode_id))

    def drop(self, episode_id: str) -> None:
        folder, scrap = self.folder(episode_id), self._episodes / f".{episode_id}"
        with _storage(), contextlib.suppress(FileNotFoundError):
            folder.replace(scrap)
        shutil.rmtree(scrap, ignore_errors=True)

    def all(self) -> Iterator[tuple[str, Plan]]:
        """Every episode found, with what it is made from."""
        for manifest in sorted(self._episodes.glob(f"*/{MANIFEST}")):
            try:
                finish_clearing(manifest.parent)
                yield manifest.parent.name, Plan.of(json.loads(manifest.read_text(encoding="utf-8")))
            except (OSError, ValueError, KeyError, TypeError) as error:
                log.warning("%s is no episode's manifest (%s); left alone", manifest, error)

    def close(self) -> None:
        os.close(self._lock)


def clear(folder: Path) -> None:
    """Drops an episode's databases, all of them or, where the process is killed, all of them when the next one finds the folder.
    StorageError where it cannot be done."""
    with _storage():
        (folder / _CLEARING).touch()
        finish_clearing(folder)


def finish_clearing(folder: Path) -> None:
    """Does what a process that was killed had begun."""
    if not (folder / _CLEARING).exists():
        return
    for path in folder.iterdir():
        if path.name not in (MANIFEST, LOCK, _CLEARING):
            path.unlink(missing_ok=True)
    (folder / _CLEARING).unlink()


@contextlib.contextmanager
def _storage() -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise unusable(error) from None


def lock(root: Path) -> int:
    """Claims the folder for this process until it ends, however it ends. StoreError where another one has it."""
    import fcntl  # noqa: PLC0415 - not there on every system that can do without durable episodes

    handle = os.open(root / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise StoreError(f"{root} is in use by another legoenv process") from None
    return handle
