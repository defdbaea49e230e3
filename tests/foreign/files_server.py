"""A tool server over one folder, on stdio: what MCP-Mark's filesystem server is to its tasks, in two tools."""

import sys
from pathlib import Path

from mcp.server import MCPServer

root = Path(sys.argv[1])
server = MCPServer("files")


@server.tool()
def read_file(path: str) -> str:
    """Reads a file."""
    return (root / path).read_text(encoding="utf-8")


@server.tool()
def write_file(path: str, content: str) -> str:
    """Writes a file."""
    (root / path).write_text(content, encoding="utf-8")
    return f"wrote {path}"


server.run()
