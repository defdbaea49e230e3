"""The episodes that are open: found by id or by agent's key, bounded in number, collected when idle."""

import base64
import hmac
import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from legoenv_mcp.gateway.environments import Environment
from legoenv_mcp.gateway.files import OPEN_DATABASES
from legoenv_mcp.gateway.memory import Awake, share
from legoenv_mcp.gateway.problems import Problem
from legoenv_mcp.gateway.store import Plan, Store
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.kernel.errors import StorageError

log = logging.getLogger("legoenv")

Start = Callable[[Plan, Path | None, Environment | None], Episode]

JOURNAL = 100
"""Calls that each app of a served episode remembers, of which nobody asks here. In files every write is kept."""


@dataclass(slots=True, eq=False)
class Lease:
    """An open episode. Whoever holds `id` controls it; `key` only opens its apps."""

    id: str
    key: str
    plan: Plan
    created: datetime
    touched: float
    folder: Path | None = None
    episode: Episode | None = None
    environment: Environment | None = None
    """What it is of, once that has been derived: it goes on as it began, whatever becomes of the files."""


@dataclass(slots=True, eq=False)
class Scratch:
    """An episode for casual use, under a session's, a client's or a token's name."""

    episode: Episode
    touched: float


@dataclass(eq=False)
class Episodes:
    """Every open episode of the process.

    start: makes an episode from its plan, in a folder or in memory. idle: seconds after which an untouched one is collected.
    limit: how many may be open, scratch episodes counted apart. memory: bytes that the databases in memory may take; those of
    episodes unused for longest are then kept as what they do not share with their templates.
    """

    start: Start
    limit: int = 2000
    idle: float = 1800
    store: Store | None = None
    replica: str = ""
    """The name of this process among replicas: ids and keys carry it (`ep_gateway-1_...`), so that a router knows where to go."""
    clock: Callable[[], float] = time.monotonic
    draining: bool = False
    memory: int = field(default_factory=share)
    open_databases: int = OPEN_DATABASES
    """Databases of durable episodes that are held open at a time; others are reopened when they are next called."""
    _leases: dict[str, Lease] = field(default_factory=dict[str, Lease])
    _by_key: dict[str, Lease] = field(default_factory=dict[str, Lease])
    _scratch: dict[str, Scratch] = field(default_factory=dict[str, Scratch])
    _in_files: "OrderedDict[str, Lease]" = field(default_factory=lambda: OrderedDict[str, Lease]())

    def __post_init__(self) -> None:
        self._awake = Awake(self.memory)
        self._secret = secrets.token_bytes(32) if self.store is None else self.store.secret
        for episode_id, plan in () if self.store is None else self.store.all():
            assert self.store is not None
            self._keep(
                Lease(
                    episode_id,
                    self._key(episode_id),
                    plan,
                    datetime.now(UTC),
                    self.clock(),
                    self.store.folder(episode_id),
                )
            )

    def _key(self, episode_id: str) -> str:
        """The agent's key: follows from the id, and the id does not follow from it."""
        digest = hmac.digest(self._secret, episode_id.encode(), "sha256")
        return f"ag_{self._tag}" + base64.urlsafe_b64encode(digest).decode().rstrip("=")

    @property
    def _tag(self) -> str:
        return f"{self.replica}_" if self.replica else ""

    def _keep(self, lease: Lease) -> None:
        self._leases[lease.id] = self._by_key[lease.key] = lease

    def __len__(self) -> int:
        return len(self._leases)

    # Episodes by name

    def create(self, plan: Plan, environment: Environment | None = None) -> Lease:
        """Opens an episode. Raises the Problem (503) where there are too many."""
        self.check_room()
        episode_id = f"ep_{self._tag}" + secrets.token_urlsafe(24)
        folder = None if self.store is None else self.store.put(episode_id, plan)
        lease = Lease(episode_id, self._key(episode_id), plan, datetime.now(UTC), self.clock(), folder)
        lease.environment = environment
        self._keep(lease)
        return lease

    def check_room(self) -> None:
        """Raises the Problem (503) where no episode can be opened now."""
        if self.draining:
            raise Problem(503, "draining", "This gateway is about to end: ask again.", headers={"Retry-After": "1"})
        self._room(self._leases)

    def controlled(self, episode_id: str) -> Lease | None:
        """The episode with this id, touched; None where there is none, also for an agent's key."""
        return self._touch(self._leases.get(episode_id))

    def find(self, name: str) -> Lease | None:
        """The episode that an id or an agent's key opens, touched."""
        return self._touch(self._leases.get(name) or self._by_key.get(name))

    def _touch(self, lease: Lease | None) -> Lease | None:
        if lease is None:
            return None
        now = self.clock()
        if now - lease.touched >= self.idle:
            self.drop(lease)
            return None
        lease.touched = now
        return lease

    def expires(self, lease: Lease) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.idle - (self.clock() - lease.touched))

    def episode(self, lease: Lease) -> Episode:
        """The lease's episode, made or reopened now if need be."""
        if lease.episode is None:
            lease.episode = self.begin(lease.plan, lease.folder, lease.environment)
        if lease.folder is None:
            self._awake.use(lease.episode)
        else:
            self._in_files[lease.id] = lease
            self._in_files.move_to_end(lease.id)
            # One fewer: this call may open another.
            self._close_files(self.open_databases - 1)
        return lease.episode

    def begin(self, plan: Plan, folder: Path | None = None, environment: Environment | None = None) -> Episode:
        """A fresh episode, or the one that is in the folder."""
        episode = self.start(plan, folder, environment)
        episode.remember = JOURNAL
        return episode

    def _close_files(self, most: int) -> None:
        """Closes databases, the longest unused first, until no more than so many are open; those of the last used stay."""
        held = sum(len(lease.episode.live) for lease in self._in_files.values() if lease.episode is not None)
        while held > most and len(self._in_files) > 1:
            _, longest = self._in_files.popitem(last=False)
            if longest.episode is not None:
                held -= len(longest.episode.live)
                longest.episode.close()

    def relieve(self) -> None:
        """The process has run out of files: the databases it could do without are closed."""
        self._close_files(1)

    def reset(self, lease: Lease) -> None:
        """Back to the start, under the same names."""
        self._shut(lease)
        if self.store is not None:
            self.store.clear(lease.id)

    def drop(self, lease: Lease) -> None:
        """Ends an episode. StorageError where its folder cannot be removed: then it goes on, as it would after a restart."""
        self._shut(lease)
        if self.store is not None:
            self.store.drop(lease.id)
        self._leases.pop(lease.id, None)
        self._by_key.pop(lease.key, None)

    def _shut(self, lease: Lease) -> None:
        self._in_files.pop(lease.id, None)
        if lease.episode is not None:
            self._awake.forget(lease.episode)
            lease.episode.close()
            lease.episode = None

    # Scratch episodes

    def scratch(self, name: str, plan: Plan) -> Episode:
        """The scratch episode of this name, opened now if there is none (Problem 503 where there are too many)."""
        found, now = self._scratch.get(name), self.clock()
        if found is not None and now - found.touched >= self.idle:
            self.drop_scratch(name)
            found = None
        if found is None:
            self._room(self._scratch)
            found = self._scratch[name] = Scratch(self.begin(plan), now)
        found.touched = now
        self._awake.use(found.episode)
        return found.episode

    def drop_scratch(self, name: str) -> None:
        if (found := self._scratch.pop(name, None)) is not None:
            self._awake.forget(found.episode)
            found.episode.close()

    # Bounds

    def _room(self, taken: Mapping[str, Any]) -> None:
        if len(taken) < self.limit and not self._awake.full:
            return
        self.sweep()
        wait = {"Retry-After": str(max(1, min(60, int(self.idle))))}
        if len(taken) >= self.limit:
            raise Problem(503, "too-many-episodes", f"All {self.limit} episodes are in use.", headers=wait)
        if self._awake.full:
            detail = "What the open episodes have written takes up all the memory that they may have."
            raise Problem(503, "out-of-memory", detail, headers=wait)

    def sweep(self) -> int:
        """Collects what has been idle for too long; answers how many."""
        before = self.clock() - self.idle
        late = [lease for lease in self._leases.values() if lease.touched <= before]
        for lease in late:
            try:
                self.drop(lease)
            except StorageError as error:  # others can be collected, and this one perhaps the next time
                log.warning("an idle episode cannot be collected: %s", error)
        stale = [name for name, scratch in self._scratch.items() if scratch.touched <= before]
        for name in stale:
            self.drop_scratch(name)
        if late or stale:
            log.info("collected %d idle episodes", len(late) + len(stale))
        return len(late) + len(stale)

    def close(self) -> None:
        """Closes every database; durable episodes are found again by the next process."""
        for lease in self:
            self._shut(lease)
        for name in list(self._scratch):
            self.drop_scratch(name)
        if self.store is not None:
            self.store.close()

    def __iter__(self) -> Iterator[Lease]:
        return iter(list(self._leases.values()))
