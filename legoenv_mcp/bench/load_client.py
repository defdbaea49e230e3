"""A process of the load: some of the concurrent clients, each with its own connection and its own share of the episodes.

Reads its orders as JSON from standard input and writes what it saw as JSON to standard output.
"""

import asyncio
import json
import re
import sys
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

from legoenv_mcp.bench.load_calls import WORK, Call
from legoenv_mcp.bench.load_http import Answer, Connection, Lost

_CANARY = re.compile(rb"canary-(\d+)-(\d+)z", re.IGNORECASE)
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}
}  # fmt: skip
_PATTERN = "gwlgwgglwgwgglgwgwlx"
"""What a client does, over and over: g a row read by its key, l a list, w a row written, x an episode ended, graded or reset."""
_LIFE = 10
"""Rounds of the pattern in which an episode is left open."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What a client process is to do: clients `first` to `first + clients`, their episodes numbered by `step`."""

    url: str
    first: int
    clients: int
    step: int
    episodes: int
    seconds: float
    bundles: list[dict[str, Any]]
    """Bodies of `POST /episodes` to choose from, each with the app to work in: `{"ask": {...}, "app": "stripe"}`."""


@dataclass
class Seen:
    """What happened. Latencies in microseconds by kind of call; counts by what it was."""

    latencies: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    ours: Counter[str] = field(default_factory=Counter[str])
    back_pressure: Counter[str] = field(default_factory=Counter[str])
    refused: Counter[str] = field(default_factory=Counter[str])
    violations: list[str] = field(default_factory=list[str])
    open: int = 0
    unopened: int = 0


@dataclass
class Living:
    """An episode that a client works in. `mark` is in every row it writes, and in no other episode's."""

    number: int
    id: str
    app: str
    rest: str
    mcp: str
    place: str
    graded: bool
    rows: deque[tuple[str, str]] = field(default_factory=lambda: deque[tuple[str, str]](maxlen=8))
    written: int = 0


class Refused(Exception):
    """The call was answered, and not as it should be."""


class Client:
    def __init__(self, number: int, orders: Orders, seen: Seen) -> None:
        self._number = number
        self._orders = orders
        self._seen = seen
        self._connection = Connection(orders.url)
        self._episodes: list[Living] = []
        self._wanted = deque(range(number, orders.episodes, orders.step))
        self._again = 0.0
        self._made = 0

    async def run(self, begin: asyncio.Barrier, until: list[float]) -> None:
        while self._wanted and time.monotonic() >= self._again:
            await self._open()
        await begin.wait()
        turn = 0
        while time.monotonic() < until[0]:
            if self._wanted and time.monotonic() >= self._again:
                await self._open()
            if not self._episodes:
                await asyncio.sleep(0.05)
                continue
            await self._do(turn, self._episodes[(turn * 7 + self._number) % len(self._episodes)])
            turn += 1
        for living in self._episodes:
            if living.rows:
                await self._do(0, living)
        self._seen.open += len(self._episodes)
        self._seen.unopened += len(self._wanted)
        self._connection.close()

    # Episodes

    async def _open(self) -> None:
        number = self._wanted.popleft()
        bundle = self._orders.bundles[number % len(self._orders.bundles)]
        ask = bundle["ask"] if "environment" in bundle["ask"] else {**bundle["ask"], "seed": number}
        try:
            made = json.loads((await self._ask("open", "POST", "/episodes", json.dumps(ask).encode())).body)
            faces = made["apps"][bundle["app"]]
            rest, mcp = _path(faces["rest"]), _path(faces["mcp"])
            work = WORK[bundle["app"]]
            looked = await self._ask("rest read", "GET", rest + work.look, headers={"authorization": "Bearer load"})
        except (Lost, Refused):
            self._wanted.append(number)
            return
        # A number a life: what an episode before this one wrote must not be seen either.
        self._made += 1
        mark = number + self._orders.episodes * self._made
        place = work.place(json.loads(looked.body))
        self._episodes.append(Living(mark, made["id"], bundle["app"], rest, mcp, place, "environment" in bundle["ask"]))
        self._look(self._episodes[-1], looked.body)

    async def _turn_over(self, living: Living, turn: int) -> None:
        """Now and then an episode is graded and begins anew, or ends and another one begins."""
        if (turn // len(_PATTERN) + self._number) % _LIFE:
            return
        if living.graded:
            grade = await self._ask("grade", "POST", f"/episodes/{living.id}/grade", b"{}")
            if (reward := json.loads(grade.body)["reward"]) not in (0.0, 1.0):
                self._seen.violations.append(f"episode {living.number}: a reward of {reward}")
        await self._ask("end", "DELETE", f"/episodes/{living.id}")
        self._episodes.remove(living)
        self._wanted.append(living.number % self._orders.episodes)
        self._again = 0.0  # it has just made room itself

    # Calls

    async def _do(self, turn: int, living: Living) -> None:
        work, what = WORK[living.app], _PATTERN[turn % len(_PATTERN)]
        try:
            if what == "x":
                await self._turn_over(living, turn)
            elif what == "w" or not living.rows:
                text = f"canary-{living.number}-{living.written}z"
                living.written += 1
                body = await self._call("write", living, work.write(living.place, text), turn)
                living.rows.append((work.key(body[0]), text))
            elif what == "l":
                self._look(living, (await self._call("read", living, work.list(living.place), turn))[1])
            else:
                key, text = living.rows[turn % len(living.rows)]
                shown = (await self._call("read", living, work.get(living.place, key), turn))[1]
                self._look(living, shown)
                if text.encode() not in shown:
                    self._seen.violations.append(f"{living.app}: {text} was acknowledged and is not there")
        except (Lost, Refused):
            pass

    def _look(self, living: Living, shown: bytes) -> None:
        """Whatever an episode shows, no other's canary is in it."""
        for number, n in _CANARY.findall(shown):
            if int(number) != living.number:
                self._seen.violations.append(
                    f"{living.app}: episode {living.number} shows {int(number)}'s row {int(n)}"
                )

    async def _call(self, kind: str, living: Living, call: Call, turn: int) -> tuple[Any, bytes]:
        """The app's own body of the answer, and all that was sent."""
        if (turn + turn // len(_PATTERN)) % 2:
            headers = {"authorization": "Bearer load", "content-type": call.media_type}
            answer = await self._ask(f"rest {kind}", call.method, living.rest + call.path, call.body, headers)
            return json.loads(answer.body), answer.body
        params = {"name": call.tool, "arguments": call.arguments}
        # A client in four speaks the revision that agents' SDKs have had for a year.
        newest = self._number % 4
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        if newest:
            params["_meta"] = _META
            headers |= {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": call.tool}
        else:
            headers["mcp-protocol-version"] = "2025-11-25"
        asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        spoken = "mcp" if newest else "mcp 2025-11-25"
        answer = await self._ask(f"{spoken} {kind}", "POST", living.mcp, asked, headers)
        said = json.loads(answer.body)
        made = said.get("result")
        if made is None or made["isError"]:
            self._count(f"mcp {kind}", f"{living.app} {call.tool}: {json.dumps(made or said)[:200]}")
            raise Refused
        shown = made.get("structuredContent")
        return (json.loads(made["content"][0]["text"]) if shown is None else shown), answer.body

    def _count(self, kind: str, what: str) -> None:
        """An MCP error: ours where its status says so, or where it has none."""
        status = re.search(r'"legoenv/status": (\d+)', what)
        mine = status is None or int(status[1]) >= 500
        (self._seen.ours if mine else self._seen.refused)[f"{kind}: {what}"] += 1

    async def _ask(
        self, kind: str, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> Answer:
        start = time.perf_counter()
        try:
            answer = await self._connection.ask(method, path, body, headers)
        except Lost as error:
            self._seen.ours[f"{kind}: {error}"] += 1
            raise
        if answer.status == 503 and "retry-after" in answer.headers:
            self._seen.latencies.setdefault("503", []).append(int((time.perf_counter() - start) * 1e6))
            self._seen.back_pressure[kind] += 1
            self._again = time.monotonic() + float(answer.headers["retry-after"])
            raise Refused
        self._seen.latencies.setdefault(kind, []).append(int((time.perf_counter() - start) * 1e6))
        if answer.status >= 400:
            counts = self._seen.ours if answer.status >= 500 else self._seen.refused
            counts[f"{kind}: {answer.status} {answer.body[:200].decode(errors='replace')}"] += 1
            raise Refused
        return answer


def _path(url: str) -> str:
    return "/" + url.split("/", 3)[3]


async def run(orders: Orders) -> Seen:
    """Opens the episodes, waits until every client has, then works for the time that was ordered."""
    seen, until = Seen(), [0.0]

    def all_open() -> None:
        until[0] = time.monotonic() + orders.seconds

    begin = asyncio.Barrier(orders.clients + 1)
    async with asyncio.TaskGroup() as tasks:
        for number in range(orders.first, orders.first + orders.clients):
            tasks.create_task(Client(number, orders, seen).run(begin, until))
        until[0] = float("inf")
        while begin.n_waiting < orders.clients:
            await asyncio.sleep(0.02)
        _tell("open")
        await asyncio.to_thread(sys.stdin.readline)
        all_open()
        await begin.wait()
    return seen


def _tell(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    import uvloop  # noqa: PLC0415 - the process alone needs it

    orders = Orders(**json.loads(sys.stdin.readline()))
    seen = uvloop.run(run(orders))
    _tell(json.dumps(vars(seen)))


if __name__ == "__main__":
    main()
