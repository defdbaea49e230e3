"""What the tests of PostgreSQL through its tools share."""

import json
from pathlib import Path
from typing import Any

from legoenv_mcp import templates
from legoenv_mcp.faces import rest
from legoenv_mcp.kernel.context import Request
from legoenv_mcp.kernel.episode import LiveApp
from legoenv_mcp.testing import episode_of

RECORDED = json.loads(Path(__file__).with_name("recorded.json").read_text(encoding="utf-8"))


"""Three sessions, each on a fresh database: statements in order with what PostgreSQL 15.18 answered, which is columns, type oids, rows as
text and the command tag, or the error's fields."""


def fresh(world: str = "") -> LiveApp:
    return (templates.episode(["postgres"], world) if world else episode_of("postgres")).app("postgres")


def run(live: LiveApp, sql: str, **more: Any) -> Any:
    reply = live.call("execute_sql", {"sql": sql, **more})
    assert not reply.error, reply.shown
    return reply.body


def rows(live: LiveApp, sql: str, **more: Any) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in run(live, sql, **more)["rows"]]


def refused(live: LiveApp, sql: str, **more: Any) -> dict[str, Any]:
    reply = live.call("execute_sql", {"sql": sql, **more})
    assert reply.error, reply.body
    assert 400 <= reply.status < 500
    return reply.body


def post(live: LiveApp, body: Any, **headers: str) -> Any:
    request = Request("POST", "/sql", "/sql", {}, {"content-type": "application/json", **headers}, "")
    return rest.handle(live, request, json.dumps(body).encode())
