"""Plays the reference plan over MCP: one call after the other, each to its app's own endpoint."""

# ruff: noqa: T201

import json
import os
import sys
import urllib.request
from pathlib import Path

URL = os.environ.get("LEGOENV_URL", "http://legoenv:8000")
ANSWER = Path(os.environ.get("LEGOENV_ANSWER", "/app/answer.txt"))
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}


def call(number: int, step: dict) -> bool:
    params = {"name": step["tool"], "arguments": step["arguments"]}
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode()
    request = urllib.request.Request(f"{URL}/apps/{step['app']}/mcp", body, HEADERS, method="POST")
    with urllib.request.urlopen(request, timeout=120) as response:
        result = json.load(response)["result"]
    print(f"{step['app']}.{step['tool']}: {'error' if result.get('isError') else 'ok'}")
    return not result.get("isError")


def main() -> int:
    plan = json.loads(Path(__file__).with_name("plan.json").read_text(encoding="utf-8"))
    done = [call(number, step) for number, step in enumerate(plan["calls"], 1)]
    if plan["answer"] is not None:
        ANSWER.parent.mkdir(parents=True, exist_ok=True)
        ANSWER.write_text(plan["answer"], encoding="utf-8")
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main())
