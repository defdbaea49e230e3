"""This project's side: one gateway, an episode for each client, over whichever wire the peer speaks."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from bench.connection import Answer, Calls, Connection, McpCalls, OpenEnvCalls, RestCalls, Unexpected, request
from bench.contender import Served
from bench.process import Process
from bench.services import Service
from legoenv_mcp.bench.figures import OWN_APPS

HERE = Path(__file__).parent
CLI = (sys.executable, "-m", "legoenv_mcp.cli")
FOLDERS = {
    name: os.pathsep.join(filter(None, (str(folder), os.environ.get(name, ""))))
    for name, folder in (("LEGOENV_SERVERS", OWN_APPS), ("LEGOENV_ATOMS", HERE / "atoms"))
}
"""The environment variables with which the shelf, which is not of the fleet, is found."""

SHELF: dict[str, tuple[str, dict[str, Any]]] = {
    "read": ("get_item", {"id": "it_0500"}),
    "list": ("list_items", {"kind": "b", "limit": 20}),
    "write": ("add_item", {"name": "New", "kind": "c", "amount": 1.5}),
}
"""The calls of every shelf: kind -> tool and arguments."""


class Gateway(Served):
    """`legoenv gateway`. A client is a client of an episode of its own. One app alone, as for the cold start, is `legoenv serve`."""

    name = "legoenv"
    resets = True
    asked: dict[str, Any]
    """What an episode is asked for with."""

    def __init__(self) -> None:
        super().__init__()
        self._control: Connection
        self._ids = dict[int, str]()

    async def launch(self) -> Process:
        return await Process.start([*CLI, "gateway", "--port", "0"], FOLDERS)

    async def prepare(self, process: Process) -> None:
        self._control = await Connection.to(process.url)

    async def connect(self) -> Calls:
        made = (await ask(self._control, "POST", f"{self.process.url}/episodes", self.asked)).json()
        calls = await self.client(made)
        self._ids[id(calls)] = made["id"]
        return calls

    async def client(self, made: dict[str, Any]) -> Calls:
        """A client of an episode that the gateway has just opened."""
        raise Unexpected(f"{made['id']}: episodes of this wire are opened by its own messages")

    async def fresh(self) -> Calls | None:
        return await self.connect()

    async def discard(self, client: Calls) -> None:
        await client.close()
        await ask(self._control, "DELETE", f"{self.process.url}/episodes/{self._ids.pop(id(client))}")

    async def reset_state(self, calls: Calls) -> None:
        await ask(self._control, "POST", f"{self.process.url}/episodes/{self._ids[id(calls)]}/reset", {})

    async def stop(self) -> None:
        self._control.close()
        self._ids.clear()
        await super().stop()


class OverMcp(Gateway):
    asked = {"apps": ["shelf"], "world": "empty"}

    async def client(self, made: dict[str, Any]) -> Calls:
        return await McpCalls.to(made["apps"]["shelf"]["mcp"], SHELF)

    async def launch_cold(self) -> Process:
        return await Process.start([*CLI, "serve", "shelf", "--world", "empty", "--http", "--port", "0"], FOLDERS)

    async def first_answer(self, process: Process) -> None:
        if len(await (await McpCalls.to(process.url, SHELF)).tools()) < len(SHELF):
            raise Unexpected("legoenv serve lists fewer tools than the shelf has")


class OverRest(Gateway):
    """The same service as the peer emulates, in its own app of the fleet, filled from the default world."""

    def __init__(self, service: Service) -> None:
        super().__init__()
        self._service = service
        self.asked = {"apps": [service.name]}

    async def client(self, made: dict[str, Any]) -> Calls:
        base = made["apps"][self._service.name]["rest"]
        connection = await Connection.to(base)
        return RestCalls(connection, await self._service.requests(connection, base, self._service.ours))

    async def launch_cold(self) -> Process:
        return await Process.start([*CLI, "serve", self._service.name, "--http", "--port", "0"])

    async def first_answer(self, process: Process) -> None:
        base = f"{process.origin}/apps/{self._service.name}/rest"
        await self._service.first(await Connection.to(base), base, self._service.ours)


class OverOpenEnv(Gateway):
    async def connect(self) -> Calls:
        return await self._session(self.process)

    async def _session(self, process: Process) -> OpenEnvCalls:
        return await OpenEnvCalls.to(f"{process.url}/openenv/shelf/ws".replace("http", "ws", 1), openenv_steps(), {})

    async def discard(self, client: Calls) -> None:
        await client.close()

    async def reset_state(self, calls: Calls) -> None:
        assert isinstance(calls, OpenEnvCalls)
        await calls.reset()

    async def first_answer(self, process: Process) -> None:
        await self._session(process)


def openenv_steps() -> dict[str, dict[str, Any]]:
    """The shelf's calls as OpenEnv's actions."""
    return {k: {"type": "call_tool", "tool_name": tool, "arguments": given} for k, (tool, given) in SHELF.items()}


async def ask(connection: Connection, method: str, url: str, body: dict[str, Any] | None = None) -> Answer:
    """One request of a control address. Unexpected where it is refused."""
    data = b"" if body is None else json.dumps(body).encode()
    answer = await connection.send(request(method, url, {"content-type": "application/json"}, data))
    if answer.status >= 300:
        raise Unexpected(f"{method} {url}: {answer.status} {answer.body[:300]!r}")
    return answer
