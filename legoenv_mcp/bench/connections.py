"""MCP in memory, over stdio and over HTTP: our read tool against a bare server of the `mcp` package with the same payload."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.server import Server

from legoenv_mcp import templates
from legoenv_mcp.bench import bare, figures
from legoenv_mcp.bench.clock import median, now
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.faces.tools import listing

Call = Callable[[], Awaitable[Any]]


TOOL, ARGUMENTS = "get_item", {"id": "it_0500"}


def measure(rounds: int) -> list["figures.Figure"]:
    """Milliseconds a call at the client, medians over rounds in turn with the floor."""
    return anyio.run(_measure, rounds)


async def _measure(rounds: int) -> list["figures.Figure"]:
    payload = templates.episode(["shelf"], "empty").call("shelf", TOOL, ARGUMENTS).body
    schema = next(tool for tool in listing("shelf") if tool["name"] == TOOL).get("outputSchema")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "payload.json"
        answers = {"read": {"payload": payload, "schema": schema}}
        file.write_text(json.dumps(answers), encoding="utf-8")
        return [
            await _in_memory(bare.server(answers), rounds),
            await _stdio(file, rounds),
            *await _http(file, rounds),
        ]


async def _in_memory(floor_server: Server[Any], rounds: int) -> "figures.Figure":
    ours = serve(templates.episode(["shelf"], "empty"), ["shelf"])
    async with Client(ours) as mine, Client(floor_server) as floor:
        return await _figure("MCP in memory", *_callers(mine, floor), rounds)


async def _stdio(file: Path, rounds: int) -> "figures.Figure":
    words = ["-m", "legoenv_mcp.cli", "serve", "shelf", "--world", "empty"]
    ours = StdioServerParameters(command=sys.executable, args=words, env=environment())
    floor = StdioServerParameters(command=sys.executable, args=["-m", "legoenv_mcp.bench.bare", str(file)])
    async with Client(ours) as mine, Client(floor) as bare_client:
        return await _figure("MCP over stdio", *_callers(mine, bare_client), rounds)


async def _http(file: Path, rounds: int) -> list["figures.Figure"]:
    gateway = [sys.executable, "-m", "legoenv_mcp.cli", "gateway", "--port", "0"]
    bare_server = [sys.executable, "-m", "legoenv_mcp.bench.bare", str(file), "--http"]
    with listening(gateway) as base, listening(bare_server) as floor_url:
        async with httpx2.AsyncClient() as http:
            made = (await http.post(f"{base}/episodes", json={"apps": ["shelf"], "world": "empty"})).json()
        url = made["apps"]["shelf"]["mcp"]
        async with Client(url) as mine, Client(floor_url) as floor:
            through_sdk = await _figure("MCP over HTTP, SDK client", *_callers(mine, floor), rounds, "< 1.15 x")
        async with _plain_caller(url, TOOL, ARGUMENTS) as a, _plain_caller(floor_url, "read", {}) as b:
            plain = await _figure("MCP over HTTP, plain HTTP client", a, b, rounds, "< 1.15 x")
    return [through_sdk, plain]


def _callers(ours: Client, floor: Client) -> tuple[Call, Call]:
    return lambda: ours.call_tool(TOOL, ARGUMENTS), lambda: floor.call_tool("read", {})


def environment() -> dict[str, str]:
    """The environment of a server process that knows the bench's own app."""
    return {**os.environ, "LEGOENV_SERVERS": str(figures.OWN_APPS)}


async def _figure(name: str, ours: Call, floor: Call, rounds: int, aim: str = "") -> "figures.Figure":
    mine, theirs = list[float](), list[float]()
    for _ in range(rounds // 10 + 3):  # warm both
        await ours()
        await floor()
    for _ in range(rounds):
        for times, call in ((mine, ours), (theirs, floor)):
            start = now()
            await call()
            times.append(now() - start)
    return figures.Figure(name, median(mine) * 1e3, "ms", median(theirs) * 1e3, "bare mcp server", aim)


@asynccontextmanager
async def _plain_caller(url: str, tool: str, arguments: dict[str, Any]) -> AsyncIterator[Call]:
    """One call of the newest protocol revision by a plain HTTP client: what the server costs without the SDK's client."""
    version = "2026-07-28"
    meta = {"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {}}
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments, "_meta": meta},
    }
    headers = {
        "accept": "application/json, text/event-stream", "mcp-protocol-version": version, "mcp-method": "tools/call", "mcp-name": tool
    }  # fmt: skip
    async with httpx2.AsyncClient(headers=headers) as http:

        async def call() -> Any:
            answer = await http.post(url, json=body)
            answer.raise_for_status()
            return answer

        yield call


@contextmanager
def listening(command: list[str]) -> Iterator[str]:
    """A server process; yields the address that it prints to standard error."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment())
    assert process.stderr is not None
    try:
        for line in process.stderr:
            words = [w for w in line.split() if w.startswith("http://")]
            if words:
                yield words[0].rstrip("/")
                return
        raise RuntimeError(f"{' '.join(command)} ended without saying where it listens")
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
