"""The floor of the MCP figures: a bare low-level server of the `mcp` package with one tool that answers a fixed payload.

`python -m legoenv_mcp.bench.bare TOOL.json` serves over stdio; with `--http`, over streamable HTTP on a free port, whose address
it prints to standard error. TOOL.json is `{"payload": {...}, "schema": {...}}`: what the tool answers, and its output schema, which
clients check.
"""

import json
import socket
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp.types as t
from mcp.server import Server
from mcp.server.stdio import stdio_server


def server(payload: dict[str, Any], schema: dict[str, Any] | None) -> Server[Any]:
    """The server; what it answers is serialized anew on each call, as any server's answer is."""
    inputs = {"type": "object", "properties": {}}
    tool = t.Tool(name="read", description="Answers a fixed payload.", input_schema=inputs, output_schema=schema)

    async def list_tools(_ctx: Any, _params: Any) -> t.ListToolsResult:
        return t.ListToolsResult(tools=[tool])

    async def call_tool(_ctx: Any, _params: Any) -> t.CallToolResult:
        return t.CallToolResult(content=[t.TextContent(text=json.dumps(payload))], structured_content=payload)

    made = Server[Any](
        "bare", on_list_tools=list_tools, on_call_tool=call_tool, get_tool_input_schema=lambda name: None
    )
    made.middleware.clear()
    return made


async def _stdio(made: Server[Any]) -> None:
    async with stdio_server() as (read, write):
        await made.run(read, write, made.create_initialization_options())


def _http(made: Server[Any]) -> None:
    import uvicorn  # noqa: PLC0415 - the stdio floor must not pay for it

    app = made.streamable_http_app(json_response=True, stateless_http=True)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        print(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", file=sys.stderr, flush=True)  # noqa: T201
        uvicorn.Server(uvicorn.Config(app, log_level="error", loop="uvloop", http="httptools")).run(sockets=[listening])


if __name__ == "__main__":
    data = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    made = server(data["payload"], data["schema"])
    if "--http" in sys.argv:
        _http(made)
    else:
        anyio.run(_stdio, made)
