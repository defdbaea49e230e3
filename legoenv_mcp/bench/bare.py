"""The floor of the MCP figures: a bare low-level server of the `mcp` package whose tools answer fixed payloads.

`python -m legoenv_mcp.bench.bare TOOLS.json` serves over stdio; with `--http`, over streamable HTTP on a free port, whose address
it prints to standard error. TOOLS.json is `{NAME: {"payload": {...}, "schema": {...}}}`: what each tool answers, and its output schema,
which clients check.
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


def server(answers: dict[str, dict[str, Any]]) -> Server[Any]:
    """The server; what it answers is serialized anew on each call, as any server's answer is."""
    inputs = {"type": "object", "properties": {}}
    tools = [
        t.Tool(name=name, description="Answers a fixed payload.", input_schema=inputs, output_schema=answer["schema"])
        for name, answer in answers.items()
    ]

    async def list_tools(_ctx: Any, _params: Any) -> t.ListToolsResult:
        return t.ListToolsResult(tools=tools)

    async def call_tool(_ctx: Any, params: t.CallToolRequestParams) -> t.CallToolResult:
        payload = answers[params.name]["payload"]
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
    made = server(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    if "--http" in sys.argv:
        _http(made)
    else:
        anyio.run(_stdio, made)
