"""`legoenv config`: what to paste into an MCP client."""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from legoenv_mcp.cli.errors import Usage
from legoenv_mcp.cli.serve import check_world, known, say


def add_parsers(commands: Any) -> None:
    paste = commands.add_parser("config", help="the configuration to paste into an MCP client")
    paste.add_argument("slugs", nargs="+", metavar="SLUG")
    paste.add_argument("--client", choices=("claude", "cursor", "vscode", "json"), default="json")
    paste.add_argument(
        "--http", metavar="URL", help="for apps served over HTTP: the address of `legoenv gateway`, or an MCP endpoint"
    )
    paste.add_argument("--docker", action="store_true", help="run each app in its container")
    paste.add_argument("--world", metavar="W")
    paste.set_defaults(run=config)


_FILES: dict[str, Callable[[], str]] = {
    "claude": lambda: (
        "Claude Desktop: claude_desktop_config.json (Settings > Developer > Edit Config); Claude Code: .mcp.json in the project"
    ),
    "cursor": lambda: ".cursor/mcp.json in the project, or ~/.cursor/mcp.json for all projects",
    "vscode": lambda: ".vscode/mcp.json in the workspace, or `MCP: Open User Configuration`",
    "json": lambda: "any client that reads `mcpServers`",
}


def config(args: argparse.Namespace) -> int:
    slugs = known(args.slugs)
    if args.http and args.docker:
        raise Usage("--http and --docker exclude each other")
    if args.world:
        check_world(args.world)
    world = ["--world", args.world] if args.world else []
    entries = dict[str, Any]()
    for slug in slugs:
        if args.http:
            entries[slug] = {"type": "http", "url": _endpoint(args.http, slug)}
        elif args.docker:
            entries[slug] = {"command": "docker", "args": [*_DOCKER_RUN, f"{_images()}/{slug}", *world]}
        else:
            entries[slug] = {"command": _executable(), "args": ["serve", slug, *world]}
    if args.client == "vscode":
        shown = {
            "servers": {
                slug: entry if "type" in entry else {"type": "stdio", **entry} for slug, entry in entries.items()
            }
        }
    else:
        shown = {"mcpServers": entries}
    print(json.dumps(shown, indent=2))
    say(f"Goes into: {_FILES[args.client]()}")
    return 0


_DOCKER_RUN = (
    "run", "-i", "--rm", "--network", "none", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL",
    "--security-opt", "no-new-privileges", "--memory", "256m", "--pids-limit", "64",
)  # fmt: skip
"""Over stdio an app needs nothing: no network, no rights, nothing to write to."""


def _images() -> str:
    return os.environ.get("LEGOENV_IMAGES", "legoenv").rstrip("/")


def _endpoint(url: str, slug: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise Usage(f"{url!r} is not an http:// or https:// address")
    url = url.rstrip("/")
    return url if url.endswith("/mcp") else f"{url}/apps/{slug}/mcp"


def _executable() -> str:
    """The absolute path of this `legoenv`: clients start servers without the user's PATH."""
    beside = Path(sys.executable).with_name("legoenv")
    found = str(beside) if beside.is_file() else shutil.which("legoenv")
    return os.path.abspath(found) if found else "legoenv"
