"""The SDK's servers: one with its HTTP transport for each set of apps, started at first use and shared by all episodes.

A server finds the episode of a request through the request itself: its scope says how.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import anyio
from anyio.abc import TaskGroup
from mcp import MCPError
from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import INTERNAL_ERROR

from legoenv_mcp.gateway.endpoints import Find
from legoenv_mcp.gateway.problems import Problem
from legoenv_mcp.gateway.wire import Exchange
from legoenv_mcp.kernel.episode import Episode

_PLACE = "legoenv.episode"
MAX_MOUNTS = 256
"""Sets of apps whose servers are kept; beyond it, those of which no request is in flight go, the longest unused first."""


def resolve(context: Any) -> Episode:
    """The episode that a request is about, for `faces.mcp.serve`."""
    find: Find = context.request.scope[_PLACE]
    try:
        return find()
    except Problem as problem:  # there is no room for a scratch episode, or the episode has just ended
        raise MCPError(INTERNAL_ERROR, problem.detail) from None


@dataclass(eq=False)
class _Mount:
    server: Server[Any]
    transport: StreamableHTTPSessionManager
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    ready: anyio.Event = field(default_factory=anyio.Event)
    active: int = 0


class Mounts:
    """The MCP endpoints of a process. `json_response=False` answers with event streams, which only servers that talk back need."""

    def __init__(self, tasks: TaskGroup, *, limit: int, idle: float, json_response: bool = True) -> None:
        self._tasks = tasks
        self._limit = limit
        self._idle = idle
        self._json = json_response
        self._mounts: dict[tuple[Any, ...], _Mount] = {}

    async def serve(
        self,
        key: tuple[Any, ...],
        make: Callable[[], Server[Any]],
        exchange: Exchange,
        body: bytes,
        *,
        stateless: bool,
        find: Find | None = None,
    ) -> int:
        """Answers an MCP request through the server kept under `key`, made by `make` at first; returns the status answered. `find`
        runs when a tool is called."""
        exchange.scope[_PLACE] = find
        mount = self._mounts.pop(key, None)
        if mount is None:
            # We check Host, Origin and size at the door; the SDK's own size check only has to let through what we did.
            server = make()
            mount = _Mount(
                server,
                StreamableHTTPSessionManager(
                    server,
                    json_response=self._json,
                    stateless=stateless,
                    max_request_body_size=self._limit + 1,
                    session_idle_timeout=self._idle,
                ),
            )
            self._tasks.start_soon(self._run, mount)
        self._mounts[key] = mount  # last in the order of use
        mount.active += 1
        status = 0

        async def send(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await exchange.send(message)

        try:
            await mount.ready.wait()
            await mount.transport.handle_request(exchange.scope, exchange.with_body(body), send)
        finally:
            mount.active -= 1
            self._trim()
        return status

    async def _run(self, mount: _Mount) -> None:
        with mount.scope:
            async with mount.transport.run():
                mount.ready.set()
                await anyio.sleep_forever()

    def _trim(self) -> None:
        """Stateful endpoints are one an app and few; the sets of apps that callers think up are not."""
        surplus = len(self._mounts) - MAX_MOUNTS
        if surplus <= 0:
            return
        idle = [key for key, mount in self._mounts.items() if not mount.active and mount.transport.stateless]
        for key in idle[:surplus]:
            self._mounts.pop(key).scope.cancel()
