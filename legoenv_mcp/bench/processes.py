"""Start-up times and memory of real processes."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from legoenv_mcp import registry
from legoenv_mcp.bench import figures
from legoenv_mcp.bench.clock import in_turn, median
from legoenv_mcp.bench.connections import listening

CLI = [sys.executable, "-m", "legoenv_mcp.cli"]


def measure(rounds: int) -> list["figures.Figure"]:
    """Seconds until a command is done or the gateway answers; the gateway's memory with every app loaded."""
    listing = [*CLI, "apps", "--json"]
    bare = [sys.executable, "-c", "pass"]
    sdk = [sys.executable, "-c", "import mcp.server"]
    mine, python, mcp = in_turn([lambda c=c: _run(c) for c in (listing, bare, sdk)], rounds)
    ready = [_ready() for _ in range(rounds)]
    slugs = [a.slug for a in registry.apps() if a.slug != "shelf"]
    _memory(slugs)  # fills the cache of templates and tool lists, as a first run does
    memory = _memory(slugs)
    return [
        figures.Figure(
            f"legoenv apps ({len(slugs)} apps)", median(mine) * 1e3, "ms", median(python) * 1e3, "python -c pass"
        ),
        figures.Figure(
            "gateway ready (/healthz answers)", median(ready), "s", median(mcp), "import mcp.server", "< 1 s"
        ),
        figures.Figure(f"gateway memory, {len(slugs)} apps loaded", memory, "MB", None, "", "< 120 MB"),
    ]


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _ready() -> float:
    start = time.perf_counter()
    with listening([*CLI, "gateway", "--port", "0"]) as base:
        while True:
            try:
                with urllib.request.urlopen(f"{base}/healthz", timeout=5) as answer:
                    answer.read()
                return time.perf_counter() - start
            except OSError:
                time.sleep(0.002)


def _memory(slugs: list[str]) -> float:
    """Resident megabytes of a gateway after one episode over all apps, each app's tools listed and called once over MCP."""
    process_list_before = set(_children())
    with listening([*CLI, "gateway", "--port", "0"]) as base:
        (pid,) = set(_children()) - process_list_before
        request = urllib.request.Request(
            f"{base}/episodes", json.dumps({"apps": slugs}).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request) as answer:
            made = json.load(answer)
        for slug in slugs:
            _list_tools(made["apps"][slug]["mcp"])
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


def _children() -> list[int]:
    found = list[int]()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            found.append(int(folder.name))
    return found


def _list_tools(url: str) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    headers = {
        "content-type": "application/json", "accept": "application/json, text/event-stream", "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/list",
    }  # fmt: skip
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
        json.load(answer)
