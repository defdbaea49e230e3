"""Runs the public MCP conformance suite and counts its checks."""

import re
from typing import Any

REVISIONS = ("2025-11-25", "2026-07-28")
ENTRY = "@modelcontextprotocol/conformance/dist/index.js"

# What holds for any server, whatever tools it has.
APP_SCENARIOS = {
    "2025-11-25": (
        "server-initialize",
        "ping",
        "tools-list",
        "server-sse-multiple-streams",
        "dns-rebinding-protection",
        "server-session-lifecycle",
    ),
    "2026-07-28": ("tools-list", "server-sse-multiple-streams", "dns-rebinding-protection", "http-header-validation"),
}


def _run(node: Any, *words: str) -> str:
    done = node.run(ENTRY, "server", *words, timeout=600)
    return re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)


def required(node: Any, url: str, revision: str) -> tuple[int, list[str]]:
    """All scenarios that a revision requires of a server: how many checks passed, and what failed."""
    out = _run(node, "--url", url, "--requirements", revision)
    _, _, summary = out.partition("=== SUMMARY ===")
    rows = re.findall(r"^[✓✗] (\S+): (\d+) passed, (\d+) failed", summary, re.MULTILINE)
    assert rows, f"the suite printed no summary:\n{out[-2000:]}"
    optional = set(re.findall(r"^\s+[✓✗] (\S+) \(", summary, re.MULTILINE))
    counted = [(name, int(passed), int(failed)) for name, passed, failed in rows if name not in optional]
    return sum(row[1] for row in counted), [f"{name}: {failed}" for name, _, failed in counted if failed]


def scenario(node: Any, url: str, revision: str, name: str) -> tuple[int, int]:
    """One scenario: checks passed and failed; none of either where it does not apply."""
    out = _run(node, "--url", url, "--scenario", name, "--spec-version", revision)
    found = re.search(r"^Passed: (\d+)/\d+, (\d+) failed", out, re.MULTILINE)
    if found is None:
        assert "not applicable" in out or "skip" in out.lower(), f"{name} did not run:\n{out[-2000:]}"
        return 0, 0
    return int(found[1]), int(found[2])
