"""The MCP face: an episode's operations as tools of one low-level `Server`, in process, over stdio or streamable HTTP."""

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal

import mcp.types as t
from mcp import MCPError
from mcp.server import Server
from mcp.server.caching import CacheHint

from legoenv_mcp import registry
from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.context import Reply, readable
from legoenv_mcp.kernel.episode import Episode

Resolve = Callable[[Any], Episode]
MAX_TOOLS = 128
"""OpenAI and Copilot refuse more tools than this on one endpoint."""

_LIST_HINT = CacheHint(ttl_ms=3_600_000, scope="public")


@cache
def tools(slug: str) -> tuple[t.Tool, ...]:
    """The app's tools in the order of their declaration."""
    return tuple(t.Tool.model_validate(tool) for tool in listing(slug))


@cache
def listing(slug: str) -> tuple[dict[str, Any], ...]:
    """The app's tools as they go over the wire.

    Kept by the hash of the app's sources: deriving 60 schemas costs a second and megabytes of models that most calls never need.
    """
    path = registry.cache_folder() / "tools" / f"{slug}-{registry.source_hash(slug)}-{registry.machinery_hash()}.json"
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        found = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in _tools(registry.load(slug))]
        registry.keep(path, json.dumps(found).encode(), f"{slug}-*.json")
    return tuple(found)


def _tools(app: App) -> list[t.Tool]:
    return [
        t.Tool(
            name=op.tool,
            title=op.title,
            description=op.description,
            input_schema=op.input_schema,
            output_schema=app.output_schema(op),
            annotations=t.ToolAnnotations(
                title=op.title,
                read_only_hint=op.reads,
                destructive_hint=op.destructive,
                idempotent_hint=op.idempotent,
                open_world_hint=False,
            ),
        )
        for op in app.operations.values()
        if op.mcp
    ]


def result(reply: Reply) -> dict[str, Any]:
    """A reply as a tool result, as it goes over the wire. An error carries the vendor's envelope and status as text and no
    structured content, since clients check that against the schema of success."""
    if reply.error:
        body: Any = reply.body
        shown = {"status": reply.status, **(body if isinstance(body, Mapping) else {"errors": body})}
        text = reply.shown if reply.shown is not None else Reply(shown).text()
        meta = {"legoenv/status": reply.status}
        return {"content": [_text(text)], "isError": True, "_meta": meta, "resultType": "complete"}
    made: dict[str, Any] = {"content": _content(reply), "isError": False, "resultType": "complete"}
    if (
        not reply.media_type
    ):  # text and bytes have no structure; what is no object (a list, a number) lies under `result`
        made["structuredContent"] = reply.body if isinstance(reply.body, dict) else {"result": reply.body}
    return made


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": readable(text)}


def _content(reply: Reply) -> list[dict[str, Any]]:
    if reply.blocks is not None:
        return list(reply.blocks)
    if isinstance(reply.body, bytes) and not reply.media_type.startswith("text/"):
        data, kind = base64.b64encode(reply.body).decode(), reply.media_type
        if kind.startswith(("image/", "audio/")):
            return [{"type": kind.partition("/")[0], "data": data, "mimeType": kind}]
        return [{"type": "resource", "resource": {"uri": "file:///content", "blob": data, "mimeType": kind}}]
    return [_text(reply.text())]


@cache
def places(slugs: tuple[str, ...], prefixed: bool) -> dict[str, tuple[str, str]]:
    """Tool name on an endpoint of these apps -> app and tool."""
    prefixes = {slug: f"{slug}__" if prefixed else "" for slug in slugs}
    return {prefixes[slug] + tool["name"]: (slug, tool["name"]) for slug in slugs for tool in listing(slug)}


def two_tools(slugs: Sequence[str], toolset: str, prefixed: bool) -> bool:
    """Whether an endpoint shows the two-tool face: asked for, or because there are too many tools for one."""
    return toolset == "api" or (prefixed and sum(len(listing(slug)) for slug in slugs) > MAX_TOOLS)


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

    infos = [registry.info(slug) for slug in slugs]
    return new_server(
        name=infos[0].slug if len(infos) == 1 else "legoenv",
        title=infos[0].name if len(infos) == 1 else ", ".join(i.name for i in infos),
        version=infos[0].version if len(infos) == 1 else "1",
        list_tools=list_tools,
        call_tool=call_tool,
    )


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
