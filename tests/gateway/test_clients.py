"""Clients that others wrote, in both eras of the protocol, over stdio and HTTP, with nothing changed for them."""

import json
import sys
from pathlib import Path
from typing import Any

import fastmcp
import httpx2
import pytest
from fastmcp.exceptions import ToolError
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.conftest import server_environment

SERVE = [sys.executable, "-m", "legoenv_mcp.cli", "serve", "notes", "--world", "empty"]
TOOLS = ["list_notes", "get_note", "create_note", "delete_note"]


def endpoint(gateway: Any, kind: str) -> str:
    """An MCP endpoint of the sample app: of an episode, or for casual use."""
    return (
        gateway.episode(["notes"], world="empty").mcp("notes") if kind == "episode" else f"{gateway.url}/apps/notes/mcp"
    )


async def walk(agent: Client) -> str:
    """What every client does: list, call, read back, be refused by the app and by the protocol."""
    assert [tool.name for tool in (await agent.list_tools()).tools] == TOOLS
    made = await agent.call_tool("create_note", {"text": "hello", "tags": ["a"]})
    assert made.structured_content is not None
    found = await agent.call_tool("get_note", {"id": made.structured_content["id"]})
    assert found.structured_content == made.structured_content
    missing = await agent.call_tool("get_note", {"id": "n_none"})
    assert (missing.is_error, missing.structured_content) == (True, None)
    assert missing.meta is not None
    assert missing.meta["legoenv/status"] == 404
    with pytest.raises(MCPError, match="Unknown tool"):
        await agent.call_tool("nosuchtool", {})
    return agent.protocol_version


@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
@pytest.mark.parametrize("kind", ["episode", "scratch"])
async def test_official_python_client_over_http(gateway: Any, kind: str, mode: Any, version: str) -> None:
    async with Client(endpoint(gateway, kind), mode=mode) as agent:
        assert await walk(agent) == version


@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
async def test_official_python_client_over_stdio(mode: Any, version: str) -> None:
    server = StdioServerParameters(command=SERVE[0], args=SERVE[1:], env=server_environment())
    async with Client(server, mode=mode) as agent:
        assert await walk(agent) == version


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_official_python_client_with_a_token(start_gateway: Any, mode: Any) -> None:
    gateway = start_gateway("--token", "s3cret", token="s3cret")
    url = endpoint(gateway, "episode")
    headers = {"Authorization": "Bearer s3cret"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as agent,
    ):
        await walk(agent)
    with pytest.raises((ExceptionGroup, MCPError, httpx2.HTTPError)):
        async with Client(url, mode=mode) as agent:
            await agent.list_tools()


async def fastmcp_walk(agent: Any) -> None:
    assert [tool.name for tool in await agent.list_tools()] == TOOLS
    made = await agent.call_tool("create_note", {"text": "from FastMCP"})
    assert made.data.text == "from FastMCP"
    missing = await agent.call_tool("get_note", {"id": "n_none"}, raise_on_error=False)
    assert missing.is_error
    with pytest.raises(ToolError):
        await agent.call_tool("get_note", {"id": "n_none"})


@pytest.mark.parametrize("kind", ["episode", "scratch"])
async def test_fastmcp_over_http(gateway: Any, kind: str) -> None:
    async with fastmcp.Client(endpoint(gateway, kind)) as agent:
        await fastmcp_walk(agent)


async def test_fastmcp_over_stdio() -> None:
    config = {"mcpServers": {"notes": {"command": SERVE[0], "args": SERVE[1:], "env": server_environment()}}}
    async with fastmcp.Client(config) as agent:
        await fastmcp_walk(agent)


def check(seen: dict[str, Any]) -> None:
    assert seen["tools"] == TOOLS
    assert seen["found"] == seen["made"]
    assert seen["missing"]["isError"] is True
    assert seen["missing"]["structured"] is None
    assert json.loads(seen["missing"]["text"])["status"] == 404
    assert seen["wrong"]["isError"] is True
    assert "text" in seen["wrong"]["text"]
    assert "nosuchtool" in seen["unknown"]


@pytest.mark.node
@pytest.mark.parametrize("kind", ["episode", "scratch", "stdio"])
def test_typescript_v1(gateway: Any, node: Any, kind: str) -> None:
    target = ["stdio", *SERVE] if kind == "stdio" else [endpoint(gateway, kind)]
    done = node.run("typescript_v1.mjs", *target)
    assert done.returncode == 0, done.stderr
    check(json.loads(done.stdout))


@pytest.mark.node
@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
@pytest.mark.parametrize("kind", ["episode", "scratch", "stdio"])
def test_typescript_v2(gateway: Any, node: Any, kind: str, mode: str, version: str) -> None:
    target = ["stdio", *SERVE] if kind == "stdio" else [endpoint(gateway, kind)]
    done = node.run("typescript_v2.mjs", mode, *target)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    check(seen)
    assert seen["protocol"] == version


def inspector(node: Any) -> str:
    package = "@modelcontextprotocol/inspector"
    entry = json.loads((node.folder / "node_modules" / package / "package.json").read_text())["bin"]
    return str(Path(package) / (entry if isinstance(entry, str) else next(iter(entry.values()))))


@pytest.mark.node
def test_inspector_over_http(gateway: Any, node: Any) -> None:
    url = endpoint(gateway, "episode")

    def inspect(*words: str) -> Any:
        return node.run(inspector(node), "--cli", url, "--transport", "http", *words, "--format", "json")

    listed = inspect("--method", "tools/list")
    assert listed.returncode == 0, listed.stderr
    assert [tool["name"] for tool in json.loads(listed.stdout)["result"]["tools"]] == TOOLS
    made = inspect(
        "--method", "tools/call", "--tool-name", "create_note", "--tool-args-json", '{"text": "from the inspector"}'
    )
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["result"]["structuredContent"]["text"] == "from the inspector"
    missing = inspect("--method", "tools/call", "--tool-name", "get_note", "--tool-args-json", '{"id": "n_none"}')
    assert missing.returncode == 5, missing.stderr


@pytest.mark.node
def test_inspector_over_stdio(node: Any) -> None:
    apps = f"LEGOENV_SERVERS={server_environment()['LEGOENV_SERVERS']}"
    done = node.run(inspector(node), "--cli", "-e", apps, "--method", "tools/list", "--format", "json", "--", *SERVE)
    assert done.returncode == 0, done.stderr
    assert [tool["name"] for tool in json.loads(done.stdout)["result"]["tools"]] == TOOLS
