"""A catalogue file for Docker's MCP gateway (`docker mcp gateway run --catalog FILE`): each app as a server that it can start.

https://github.com/docker/mcp-gateway/blob/main/docs/server-entry-spec.md
"""

from collections.abc import Sequence
from typing import Any

from legoenv_mcp import registry
from legoenv_mcp.faces.tools import listing
from legoenv_mcp.fleet import images
from legoenv_mcp.fleet.manifests import to_yaml


def catalog(slugs: Sequence[str]) -> str:
    """The catalogue of these apps, as YAML."""
    return to_yaml([{
        "version": 3, "name": "legoenv", "displayName": "LegoEnv", "registry": {slug: _server(slug) for slug in slugs}
    }])  # fmt: skip


def _server(slug: str) -> dict[str, Any]:
    info = registry.info(slug)
    return {
        "name": slug,
        "title": info.name,
        "type": "server",
        "description": f"{info.name}, simulated with its real API behaviour and filled with a coherent company's data.",
        "image": images.name(slug),
        # It reaches nothing, and its state is in it: a container for each call would forget the call before.
        "disableNetwork": True,
        "longLived": True,
        "tools": [{"name": tool["name"], "description": tool["description"]} for tool in listing(slug)],
        "readme": info.docs,
        "metadata": {
            "category": "simulation",
            "tags": list(info.capabilities),
            "license": "Apache-2.0",
            "owner": "legoenv",
        },
    }
