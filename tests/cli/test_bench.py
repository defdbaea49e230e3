"""`legoenv bench`: every figure is there, with its floor where it has one. How large they are is for people to read."""

import json
import subprocess
import sys


def test_every_figure_is_measured() -> None:
    words = [sys.executable, "-m", "legoenv_mcp.cli", "bench", "--quick", "--json"]
    figures = {
        f["name"]: f for f in json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    }
    for start in ("fork gmail", "call in process: get", "  kernel overhead: add", "read gmail", "write stripe", "episode: fork", "grade",
                  "MCP in memory", "MCP over stdio", "MCP over HTTP, SDK", "MCP over HTTP, plain", "eval: a step", "legoenv apps",
                  "gateway ready", "gateway memory"):  # fmt: skip
        assert any(name.startswith(start) for name in figures), start
    assert all(f["value"] > 0 for name, f in figures.items() if "overhead" not in name and "grown" not in name)
    assert all(f["ratio"] > 0 for f in figures.values() if f["floor"])
    assert sum(f["floor"] is not None for f in figures.values()) > 12
