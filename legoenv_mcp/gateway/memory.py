"""How much memory episodes may take: those that were used longest ago sleep."""

import contextlib
import os
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

from legoenv_mcp.kernel.episode import Episode

MOST = 1024 * 1024 * 1024


def share() -> int:
    """The budget where none is given: half of the memory that this process may have, one gigabyte at most. Bytes."""
    limits = [2 * MOST]
    with contextlib.suppress(OSError, ValueError):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for limit in ("memory.max", "memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):  # `max`, where there is none
            limits.append(int(Path("/sys/fs/cgroup", limit).read_text(encoding="ascii")))
    return min(limits) // 2


@dataclass(eq=False)
class Awake:
    """The episodes in memory, by when they were last used. Their databases may take `budget` bytes; beyond that the longest unused
    sleep, which keeps of each what its templates do not have."""

    budget: int
    _sizes: "OrderedDict[int, tuple[Episode, int]]" = field(
        default_factory=lambda: OrderedDict[int, tuple[Episode, int]]()
    )
    _asleep: dict[int, int] = field(default_factory=dict[int, int])
    _awake_bytes: int = 0
    _asleep_bytes: int = 0

    def use(self, episode: Episode) -> None:
        """The episode is about to be used: it is awake, and others make room."""
        if self._sizes:  # what the call before this one has made of its episode
            self._keep(next(reversed(self._sizes.values()))[0])
        self._keep(episode)
        while self._awake_bytes + self._asleep_bytes > self.budget and len(self._sizes) > 1:
            key, (longest, freed) = self._sizes.popitem(last=False)
            longest.sleep()
            self._awake_bytes -= freed
            self._asleep[key] = longest.size
            self._asleep_bytes += self._asleep[key]

    def _keep(self, episode: Episode) -> None:
        self.forget(episode)
        size = episode.size
        self._sizes[id(episode)] = episode, size
        self._awake_bytes += size

    def forget(self, episode: Episode) -> None:
        """It has ended."""
        _, size = self._sizes.pop(id(episode), (None, 0))
        self._awake_bytes -= size
        self._asleep_bytes -= self._asleep.pop(id(episode), 0)

    @property
    def full(self) -> bool:
        """Whether even asleep they take all there is: what episodes have written does not fit."""
        return self._asleep_bytes >= self.budget
