"""What is measured of a contender, whatever it is. What each is: `ours`, `peers`, `inprocess`."""

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Sequence

from bench.connection import Calls, Unexpected
from bench.process import Process, now

KINDS = ("read", "list", "write")
"""One row by its id; twenty rows; a new row, or a changed one where the contender has nothing to add."""

MIX = ("read", "read", "list", "read", "write") * 4
"""What a client of the throughput measure calls, over and over."""


class Contender(ABC):
    """One side of a comparison. Times are seconds, memory is megabytes; None says that there is no such thing.

    `name` is what tables call it. `parallel`: whether it takes several clients at once.
    """

    name = ""
    parallel = True

    @abstractmethod
    async def cold_start(self) -> float:
        """A process of its own, until it has answered its first request for what it offers."""

    @abstractmethod
    async def start(self) -> None:
        """Starts what the other measures run against."""

    @abstractmethod
    async def stop(self) -> None: ...

    @abstractmethod
    async def latencies(self, kind: str, calls: int, after: str = "") -> list[float]:
        """Each of so many calls, one after another; with `after`, each after a call of that kind, which is not counted."""

    @abstractmethod
    async def size(self, kind: str) -> float:
        """Kilobytes that a call answers, as compact JSON."""

    @abstractmethod
    async def throughput(self, clients: int, calls: int) -> float:
        """Calls per second of so many clients, which together make that many calls."""

    @abstractmethod
    async def reset(self) -> float | None:
        """A changed state back to its start, until the first list from it."""

    @abstractmethod
    async def episode(self) -> float | None:
        """A further state that shares nothing with those there are, until the first list from it."""

    @abstractmethod
    async def whole(self) -> float | None:
        """A further state and the calls of MIX in it."""

    @abstractmethod
    def memory(self) -> float:
        """What it holds now."""

    @abstractmethod
    async def hold(self, episodes: int) -> float | None:
        """Megabytes for each of so many further isolated states, all alive, each read and written once."""


class Served(Contender):
    """A server. Subclasses say how it is started, how a client connects, and what makes a fresh state.

    `resets`: whether a state can be taken back to its start while the server runs.
    """

    resets = False

    def __init__(self) -> None:
        self.process: Process
        self._clients = list[Calls]()
        self._resettable: Calls | None = None

    @abstractmethod
    async def launch(self) -> Process:
        """A new process."""

    async def launch_cold(self) -> Process:
        """A new process for the cold start, where that is another one."""
        return await self.launch()

    @abstractmethod
    async def first_answer(self, process: Process) -> None:
        """The first thing a client asks of a new process."""

    async def prepare(self, process: Process) -> None:
        """What has to be in the state before it is measured."""

    @abstractmethod
    async def connect(self) -> Calls:
        """A client, in an isolated state of its own where the contender has such."""

    async def crowd(self, clients: int) -> list[Calls]:
        """Several clients at once."""
        return [await self.connect() for _ in range(clients)]

    async def reset_state(self, calls: Calls) -> None:
        """Takes the client's state back to its start, where `resets`."""
        raise Unexpected(f"{self.name} has no reset")

    async def fresh(self) -> Calls | None:
        """A client in a further isolated state. None where there is no such thing."""
        return None

    async def cold_start(self) -> float:
        start = now()
        process = await self.launch_cold()
        try:
            await self.first_answer(process)
            return now() - start
        finally:
            await process.stop()

    async def start(self) -> None:
        self.process = await self.launch()
        await self.prepare(self.process)
        self._clients = [await self.connect()]
        for kind in KINDS:
            check(kind, await self._clients[0].look(kind), self.name)

    async def stop(self) -> None:
        for client in (*self._clients, *([self._resettable] if self._resettable else [])):
            await client.close()
        self._clients.clear()
        self._resettable = None
        await self.process.stop()

    async def latencies(self, kind: str, calls: int, after: str = "") -> list[float]:
        call, times = self._clients[0], list[float]()
        for _ in range(calls):
            if after:
                await call(after)
            start = now()
            await call(kind)
            times.append(now() - start)
        return times

    async def size(self, kind: str) -> float:
        return kilobytes(await self._clients[0].look(kind))

    async def throughput(self, clients: int, calls: int) -> float:
        async def work(client: Calls, count: int) -> None:
            for n in range(count):
                await client(MIX[n % len(MIX)])

        crowd = await self.crowd(clients)
        for client in crowd:
            await client("read")
        each = calls // clients
        start = now()
        await asyncio.gather(*(work(client, each) for client in crowd))
        took = now() - start
        for client in crowd:
            await self.discard(client)
        return each * clients / took

    async def reset(self) -> float | None:
        if not self.resets:
            return None
        if self._resettable is None:
            self._resettable = await self.fresh() or await self.connect()
        client = self._resettable
        await client("write")
        start = now()
        await self.reset_state(client)
        await client("list")  # what was read before may not be there any more
        return now() - start

    async def episode(self) -> float | None:
        return await self._lived(("list",))

    async def whole(self) -> float | None:
        return await self._lived(MIX)

    async def _lived(self, kinds: Sequence[str]) -> float | None:
        start = now()
        client = await self.fresh()
        if client is None:
            return None
        for kind in kinds:
            await client(kind)
        took = now() - start
        await self.discard(client)
        return took

    async def discard(self, client: Calls) -> None:
        """Ends what `fresh` or `crowd` made."""
        await client.close()

    def memory(self) -> float:
        return self.process.memory()

    async def hold(self, episodes: int) -> float | None:
        before, held = self.memory(), list[Calls]()
        for _ in range(episodes):
            client = await self.fresh()
            if client is None:
                return None
            held.append(client)
            await client("read")
            await client("write")
        grown = self.memory() - before
        for client in held:
            await self.discard(client)
        return max(0.0, grown / episodes)


def kilobytes(answer: object) -> float:
    return len(json.dumps(answer, separators=(",", ":"))) / 1000


def check(kind: str, answer: object, name: str) -> None:
    """Unexpected where a contender's answer is not what this kind of call is for: a fast wrong answer is no figure."""
    if kind == "list":
        rows = answer
        if isinstance(answer, dict):
            rows = next((v for v in answer.values() if isinstance(v, list)), answer)
        if not isinstance(rows, Sequence) or isinstance(rows, str) or len(rows) != 20:
            raise Unexpected(f"{name}: a list of 20 answers {str(answer)[:200]}")
    elif not isinstance(answer, dict) or not answer:
        raise Unexpected(f"{name}: {kind} answers {str(answer)[:200]}")
