"""An app's tools and their results as they go over the wire. Without the MCP SDK, which takes 25 megabytes and half a second to import:
who only speaks REST, or knows tools from the cache, needs none of it.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from legoenv_mcp import registry
from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.context import Reply, readable

MAX_TOOLS = 128
"""OpenAI and Copilot refuse more tools than this on one endpoint."""


@cache
def listing(slug: str) -> tuple[dict[str, Any], ...]:
    """The app's tools as they go over the wire.

    Kept by the hash of the app's sources: deriving 60 schemas costs a second and megabytes of models that most calls never need.
    """
    path = registry.cache_folder() / "tools" / f"{slug}-{registry.source_hash(slug)}-{registry.machinery_hash()}.json"
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        found = _tools(registry.load(slug))
        registry.keep(path, json.dumps(found).encode(), f"{slug}-*.json")
    return tuple(found)


def _tools(app: App) -> list[dict[str, Any]]:
    made = [
        {
            "name": op.tool,
            "title": op.title,
            "description": op.description,
            "inputSchema": op.input_schema,
            "outputSchema": app.output_schema(op),
            "annotations": {
                "title": op.title,
                "readOnlyHint": op.reads,
                "destructiveHint": op.destructive,
                "idempotentHint": op.idempotent,
                "openWorldHint": False,
            },
        }
        for op in app.operations.values()
        if op.mcp
    ]
    return [{key: value for key, value in tool.items() if value is not None} for tool in made]


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


@cache
def server_info(slugs: tuple[str, ...]) -> Mapping[str, str]:
    """How a server of these apps calls itself."""
    infos = [registry.info(slug) for slug in slugs]
    if len(infos) == 1:
        return {"name": infos[0].slug, "title": infos[0].name, "version": infos[0].version}
    return {"name": "legoenv", "title": ", ".join(i.name for i in infos), "version": "1"}
