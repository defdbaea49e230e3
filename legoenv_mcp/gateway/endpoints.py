"""The MCP endpoints of a server process: the short way (`quick`) for calls that are beyond doubt, the SDK's for all the rest.

The SDK takes 25 megabytes and half a second to import, so that waits for the first request that needs it: of a fleet of containers
most are idle, and some callers only speak REST.
"""

import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from legoenv_mcp.faces import tools
from legoenv_mcp.faces.toolbox import Toolset
from legoenv_mcp.gateway import quick
from legoenv_mcp.gateway.problems import Problem, too_large
from legoenv_mcp.gateway.wire import Exchange
from legoenv_mcp.kernel.episode import Episode

if TYPE_CHECKING:
    from mcp.server import Server

    from legoenv_mcp.gateway.mounts import Mounts

Find = Callable[[], Episode]


class Endpoints:
    """`json_response=False` answers with event streams, which only servers that talk back need."""

    def __init__(self, tasks: TaskGroup, *, limit: int, idle: float, json_response: bool = True) -> None:
        self._tasks = tasks
        self._limit = limit
        self._idle = idle
        self._json = json_response
        self._made: Mounts | None = None
        self._loading = anyio.Lock()

    async def serve(
        self, exchange: Exchange, slugs: Sequence[str], toolset: Toolset, *, prefixed: bool, stateless: bool, find: Find
    ) -> int:  # fmt: skip
        """Answers a request about the episode that `find` finds, with these apps' tools; returns the status answered.

        `toolset` is what the endpoint shows unless the request asks for another. Raises the Problem where it asks for none there is.
        """
        asked = exchange.query.get("toolset", toolset)
        if not _is_toolset(asked):
            raise Problem(400, "unknown-toolset", "toolset is `mcp` or `api`.")
        if stateless and exchange.method != "POST":
            raise Problem(
                405,
                "method-not-allowed",
                "This MCP endpoint keeps no sessions: it takes POST only.",
                headers={"Allow": "POST"},
            )
        body, known = await self._body(exchange), tuple(slugs)
        if quick.looks_quick(exchange, stateless) and not tools.two_tools(known, asked, prefixed):
            answer = quick.answer(exchange, body, tools.places(known, prefixed), find, tools.server_info(known))
            if answer is not None:
                await exchange.answer(200, [*quick.HEADERS, (b"content-length", str(len(answer)).encode())], answer)
                return 200
        mounts = await self._mounts()

        def make() -> "Server[Any]":
            from legoenv_mcp.faces import mcp as mcp_face  # noqa: PLC0415 - imported by now
            from legoenv_mcp.gateway.mounts import resolve  # noqa: PLC0415

            return mcp_face.serve(resolve, known, toolset=asked, prefixed=prefixed)

        key = known, asked, prefixed, stateless
        return await mounts.serve(key, make, exchange, body, stateless=stateless, find=find)

    async def serve_foreign(self, exchange: Exchange, name: str, make: "Callable[[], Server[Any]]") -> int:
        """Answers a request to an MCP server that is no app."""
        body, mounts = await self._body(exchange), await self._mounts()
        return await mounts.serve(("server", name), make, exchange, body, stateless=False)

    async def _body(self, exchange: Exchange) -> bytes:
        body = await exchange.body()
        if body is None:
            raise too_large(self._limit)
        return body

    async def _mounts(self) -> "Mounts":
        """The SDK's part; the first to ask waits for its import, and nobody else does."""
        if self._made is not None:
            return self._made
        async with self._loading:
            if self._made is None:
                mounts = await anyio.to_thread.run_sync(importlib.import_module, "legoenv_mcp.gateway.mounts")
                self._made = mounts.Mounts(self._tasks, limit=self._limit, idle=self._idle, json_response=self._json)
            assert self._made is not None
            return self._made


def _is_toolset(text: str) -> TypeGuard[Toolset]:
    return text in ("mcp", "api")
