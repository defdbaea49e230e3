"""Verifies the task: asks the gateway to grade the episode. Exit status 0: every assertion holds; 1: not; 2: there is no verdict.

LEGOENV_GATEWAY is the gateway's address (default http://127.0.0.1:8765), LEGOENV_EPISODE the episode's id, LEGOENV_CONTROL_TOKEN the
control token where the gateway has one (else LEGOENV_TOKEN), MCP_MESSAGES the agent's messages, whose last text is the answer.
Needs nothing but Python.
"""

# ruff: noqa: T201

import json
import os
import sys
import urllib.error
import urllib.request


def answer() -> str | None:
    """What the agent said last: the text of the last assistant message (Responses-API items, or chat messages)."""
    path = os.environ.get("MCP_MESSAGES", "")
    if not path or not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        messages = json.load(file)
    for message in reversed(messages):
        if message.get("role") != "assistant":
            continue
        content = message.get("content")
        parts = content if isinstance(content, list) else [{"text": content}]
        text = "".join(part.get("text") or "" for part in parts if isinstance(part, dict))
        if text.strip():
            return text
    return None


def grade(said: str | None) -> dict:
    episode = os.environ.get("LEGOENV_EPISODE", "")
    if not episode:
        raise SystemExit("LEGOENV_EPISODE is not set: it names the episode to grade")
    gateway = os.environ.get("LEGOENV_GATEWAY") or "http://127.0.0.1:8765"
    headers = {"Content-Type": "application/json"}
    if token := os.environ.get("LEGOENV_CONTROL_TOKEN") or os.environ.get("LEGOENV_TOKEN"):
        headers["Authorization"] = f"Bearer {token}"
    body = json.dumps({} if said is None else {"answer": said}).encode()
    request = urllib.request.Request(f"{gateway.rstrip('/')}/episodes/{episode}/grade", body, headers, method="POST")
    with urllib.request.urlopen(request, timeout=240) as response:
        return json.load(response)


def main() -> int:
    try:
        verdict = grade(answer())
    except urllib.error.HTTPError as error:
        print(
            f"no verdict: the gateway answered {error.code}: {error.read().decode(errors='replace')[:500]}",
            file=sys.stderr,
        )
        return 2
    except (OSError, ValueError) as error:
        print(f"no verdict: {error}", file=sys.stderr)
        return 2
    for assertion in verdict["assertions"]:
        print(f"{'passed' if assertion['passed'] else 'FAILED'}  {assertion['name']}: {assertion['detail']}")
    print(f"reward {verdict['reward']}")
    if not verdict["passed"]:
        failed = [a["name"] for a in verdict["assertions"] if not a["passed"]]
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 0 if verdict["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
