"""The peers that are servers, each in its own environment and at its fastest setting."""

import json
import shutil
import sys
import tempfile
from abc import abstractmethod
from itertools import count
from pathlib import Path
from typing import Any

from bench.connection import Calls, Connection, McpCalls, OpenEnvCalls, RestCalls, Unexpected
from bench.contender import Served
from bench.install import Installed
from bench.ours import SHELF, OverMcp, ask, openenv_steps
from bench.process import Process
from bench.services import Service

SERVERS = Path(__file__).parent / "servers"


class McpPeer(Served):
    """An MCP server whose clients all share one state."""

    async def first_answer(self, process: Process) -> None:
        if len(await (await McpCalls.to(process.url, SHELF)).tools()) < len(SHELF):
            raise Unexpected(f"{self.name} lists fewer tools than the shelf has")

    async def connect(self) -> Calls:
        return await McpCalls.to(self.process.url, SHELF)


class Program(McpPeer):
    """One that a command starts."""

    @abstractmethod
    def command(self) -> list[str | Path]: ...

    async def launch(self) -> Process:
        return await Process.start(self.command())


class Bare(Program):
    """The `mcp` package's low-level server, which answers what our shelf answered once: no state, no validation, no tool behind it."""

    name = "bare mcp server"

    def __init__(self) -> None:
        super().__init__()
        self._file = Path(tempfile.mkdtemp(prefix="bench-")) / "tools.json"

    def command(self) -> list[str | Path]:
        return [sys.executable, "-m", "legoenv_mcp.bench.bare", self._file, "--http"]

    async def launch(self) -> Process:
        if not self._file.exists():
            self._file.write_text(json.dumps(await _answers()), encoding="utf-8")
        return await super().launch()

    async def stop(self) -> None:
        await super().stop()
        shutil.rmtree(self._file.parent)


async def _answers() -> dict[str, Any]:
    """What our shelf answers to each call, and the schemas it shows."""
    ours = OverMcp()
    await ours.start()
    try:
        calls = await ours.connect()
        assert isinstance(calls, McpCalls)
        schemas = {tool["name"]: tool.get("outputSchema") for tool in await calls.tools()}
        return {
            tool: {"payload": (await calls.result(kind))["structuredContent"], "schema": schemas[tool]}
            for kind, (tool, _) in SHELF.items()
        }
    finally:
        await ours.stop()


class FastMcp(Program):
    name = "FastMCP"

    def __init__(self, installed: Installed) -> None:
        super().__init__()
        self._python = installed.python

    def command(self) -> list[str | Path]:
        return [self._python, SERVERS / "fastmcp_shelf.py"]


class FastApiMcp(McpPeer):
    """The Agent World Model's shape. Its harness gives an episode a copy of the database and a process of its own, and so do we."""

    name = "FastAPI + fastapi-mcp"

    def __init__(self, installed: Installed) -> None:
        super().__init__()
        self._python = installed.python
        self._folder = Path(tempfile.mkdtemp(prefix="bench-"))
        self._numbers = count()
        self._processes = dict[int, Process]()

    async def launch(self) -> Process:
        initial, own = self._folder / "initial.db", self._folder / f"{next(self._numbers)}.db"
        if not initial.exists():
            await (await Process.start([self._python, SERVERS / "fastapi_shelf.py", initial])).stop()
        shutil.copy(initial, own)
        return await Process.start([self._python, SERVERS / "fastapi_shelf.py", own])

    async def fresh(self) -> Calls | None:
        process = await self.launch()
        calls = await McpCalls.to(process.url, SHELF)
        self._processes[id(calls)] = process
        return calls

    async def discard(self, client: Calls) -> None:
        await client.close()
        if process := self._processes.pop(id(client), None):
            await process.stop()

    def memory(self) -> float:
        return super().memory() + sum(process.memory() for process in self._processes.values())

    async def hold(self, episodes: int) -> float | None:
        return await super().hold(min(episodes, 2))

    async def stop(self) -> None:
        await super().stop()
        shutil.rmtree(self._folder)
        self._folder.mkdir()


class OpenEnv(Served):
    """An OpenEnv environment of the same shelf: a session of its own, with a state of its own, for each web socket."""

    name = "OpenEnv"
    resets = True

    def __init__(self, installed: Installed) -> None:
        super().__init__()
        self._python = installed.python

    async def launch(self) -> Process:
        return await Process.start([self._python, SERVERS / "openenv_shelf.py"])

    async def _session(self, process: Process) -> OpenEnvCalls:
        return await OpenEnvCalls.to(f"{process.url}/ws".replace("http", "ws", 1), openenv_steps(), {})

    async def first_answer(self, process: Process) -> None:
        await self._session(process)

    async def connect(self) -> Calls:
        return await self._session(self.process)

    async def fresh(self) -> Calls | None:
        return await self.connect()

    async def reset_state(self, calls: Calls) -> None:
        assert isinstance(calls, OpenEnvCalls)
        await calls.reset()


class Emulate(Served):
    """One service of the npm package `emulate`: a further state is a further emulator, on a port of its own, in the same process."""

    name = "emulate"
    resets = True

    def __init__(self, installed: Installed, service: Service) -> None:
        super().__init__()
        self._folder, self._service = installed.folder, service
        self._control: Connection
        self._urls = dict[int, str]()

    async def launch(self) -> Process:
        script = self._folder / "emulate.mjs"  # node looks for packages beside the script
        shutil.copy(SERVERS / "emulate.mjs", script)
        return await Process.start(["node", script, self._service.name])

    async def _open(self, control: Connection, process: Process) -> str:
        return (await ask(control, "POST", f"{process.url}/episodes")).json()["url"]

    async def first_answer(self, process: Process) -> None:
        url = await self._open(await Connection.to(process.url), process)
        await self._service.first(await Connection.to(url), url, self._service.theirs)

    async def prepare(self, process: Process) -> None:
        self._control = await Connection.to(process.url)

    async def connect(self) -> Calls:
        return await self._filled(await self._open(self._control, self.process))

    async def _filled(self, url: str) -> Calls:
        """A client of an emulator that has been given enough rows for a list of 20: its own seed has one or none."""
        calls = await self._client(url)
        for _ in range(40):
            await calls("write")
        return await self._again(calls)

    async def _client(self, url: str) -> Calls:
        connection = await Connection.to(url)
        calls = RestCalls(connection, await self._service.requests(connection, url, self._service.theirs))
        self._urls[id(calls)] = url
        return calls

    async def fresh(self) -> Calls | None:
        url = await self._open(self._control, self.process)
        calls = await self._client(url)
        if self._service.name == "github":  # nothing to read in its seed
            await calls("write")
            calls = await self._again(calls)
        return calls

    async def _again(self, calls: Calls) -> Calls:
        """The same client, which reads what is there now."""
        await calls.close()
        return await self._client(self._urls.pop(id(calls)))

    async def crowd(self, clients: int) -> list[Calls]:
        """All of one fresh emulator."""
        first = await self.connect()
        return [first, *[await self._client(self._urls[id(first)]) for _ in range(clients - 1)]]

    async def discard(self, client: Calls) -> None:
        await client.close()
        url = self._urls.pop(id(client))
        if url not in self._urls.values():
            await ask(self._control, "DELETE", f"{self.process.url}/episodes?url={url}")

    async def reset_state(self, calls: Calls) -> None:
        await ask(self._control, "POST", f"{self.process.url}/episodes/reset?url={self._urls[id(calls)]}")

    async def stop(self) -> None:
        self._control.close()
        self._urls.clear()
        await super().stop()
