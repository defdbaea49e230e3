"""Answers kept by what was asked in which state.

An answer is a function of the request and of the app's rows: nothing else may move it, or no episode would replay. So what has been
asked twice while nothing was written is answered from memory. The rollouts of one environment begin in one state and ask alike, and
agents list anew what they have listed before.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from legoenv_mcp.kernel.episode import Entry, LiveApp

BUDGET = 32 * 1024 * 1024
"""Bytes of answers, and of what they were asked with, that a process keeps; the longest unused go first."""
_LARGEST = 1024 * 1024
_ENTRY = 1024
"""About what an entry takes beside its texts."""
_ASKED = 4096
"""How many questions are remembered that have been asked once."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is sent, its size in bytes, and its HTTP status: our own faults are not kept."""

    sent: Any
    size: int
    status: int


class Replies:
    """The answers of all apps and episodes of a process. `budget` 0 keeps none."""

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        self._kept = OrderedDict[Hashable, tuple[Answer, Entry | None, int]]()
        self._once = OrderedDict[int, None]()
        self._size = 0

    def answer(self, live: LiveApp, asked: tuple[Hashable, ...], ask: Callable[[], Answer]) -> Any:
        """The answer to a question in the app's present state: kept, or had by asking. Either way the call is in the journal."""
        state = live.state
        place = (state, *asked)
        found = self._kept.get(place)
        if found is not None:
            self._kept.move_to_end(place)
            if found[1] is not None:
                live.note(found[1])
            return found[0].sent
        last = live.journal[-1] if live.journal else None
        made = ask()
        if made.status < 500 and live.state is state and not live.broken_off:
            entry = live.journal[-1] if live.journal else None
            size = _ENTRY + made.size + sum(map(_bytes_of, asked))
            self._consider(place, made, entry if entry is not last else None, size)
        return made.sent

    def _consider(self, place: Hashable, made: Answer, entry: Entry | None, size: int) -> None:
        """Keeps an answer that was asked for before: most questions are asked once."""
        if not self._budget or size > _LARGEST:
            return
        number = hash(place)
        if number not in self._once:
            self._once[number] = None
            if len(self._once) > _ASKED:
                self._once.popitem(last=False)
            return
        self._kept[place] = made, entry, size
        self._size += size
        while self._size > self._budget:
            _, (_, _, gone) = self._kept.popitem(last=False)
            self._size -= gone


def _bytes_of(part: Hashable) -> int:
    """What a part of a question takes: callers may send a lot to be refused."""
    if isinstance(part, tuple):
        return sum(map(_bytes_of, part))
    return len(part) if isinstance(part, (str, bytes)) else 0


KEPT = Replies()
"""This process's."""
