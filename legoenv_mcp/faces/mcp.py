"""The MCP face: an episode's operations as tools of one low-level `Server`, in process, over stdio or streamable HTTP."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Literal

import mcp.types as t
from mcp import MCPError
from mcp.server import Server
from mcp.server.caching import CacheHint

from legoenv_mcp.faces.tools import listing, places, result, server_info, two_tools
from legoenv_mcp.kernel.episode import Episode

Resolve = Callable[[Any], Episode]
_LIST_HINT = CacheHint(ttl_ms=3_600_000, scope="public")


@cache
def tools(slug: str) -> tuple[t.Tool, ...]:
    """The app's tools in the order of their declaration."""
    return tuple(t.Tool.model_validate(tool) for tool in listing(slug))


def serve(
    episode: Episode | Resolve,
    slugs: Sequence[str],
    *,
    toolset: Literal["mcp", "api"] = "mcp",
    prefixed: bool | None = None,
) -> Server[Any]:
    """A server over one episode, or over the one that `episode(request_context)` finds for each request.

    Several apps share a server with their names prefixed `slug__`; where they have more than 128 tools, or with toolset "api",
    the server shows the two-tool face instead.
    """
    resolve: Resolve = (lambda _: episode) if isinstance(episode, Episode) else episode
    prefixed = len(slugs) > 1 if prefixed is None else prefixed
    if two_tools(slugs, toolset, prefixed):
        from legoenv_mcp.faces import api_toolset  # noqa: PLC0415 - only those who use it pay for its index

        return api_toolset.serve(resolve, slugs)
    found = places(tuple(slugs), prefixed)
    tools = (tool for slug in slugs for tool in listing(slug))
    shown = [{**tool, "name": name} for name, tool in zip(found, tools, strict=True)]

    async def list_tools(_ctx: Any, _params: Any) -> dict[str, Any]:
        return {"tools": shown, "resultType": "complete"}

    async def call_tool(ctx: Any, params: t.CallToolRequestParams) -> dict[str, Any]:
        place = found.get(params.name)
        if place is None:
            raise MCPError(t.INVALID_PARAMS, f"Unknown tool: {params.name}")
        return result(resolve(ctx).call(*place, params.arguments))

    return new_server(**server_info(tuple(slugs)), list_tools=list_tools, call_tool=call_tool)


def new_server(name: str, title: str, version: str, list_tools: Any, call_tool: Any) -> Server[Any]:
    """The SDK's low-level server, set up so that every client takes it and a call costs little (see docs/decisions.md)."""
    server = Server[Any](
        name,
        title=title,
        version=version,
        instructions=f"{title}, simulated with its real API behaviour. Errors are the product's own.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        # Without this, every call of the newest protocol revision runs the whole tools/list handler first.
        get_tool_input_schema=lambda name: None,
        cache_hints={"tools/list": _LIST_HINT},
    )
    server.middleware.clear()  # OpenTelemetry spans, which nobody here collects
    return server
