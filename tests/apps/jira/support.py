"""What the tests of Jira share."""

import importlib
import json
from functools import cache
from typing import Any

from legoenv_mcp import registry, templates
from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.capabilities.project_tracking import Project, Task, TaskComment
from legoenv_mcp.faces import rest
from legoenv_mcp.kernel.context import Reply, Request
from legoenv_mcp.kernel.episode import Episode, Template
from legoenv_mcp.testing import ALEX, BRIGHTWATER, CLOCK

APP: Any = registry.load("jira")


adf: Any = importlib.import_module("legoenv_mcp.servers.jira.adf")


times: Any = importlib.import_module("legoenv_mcp.servers.jira.times")


NINA = Person(
    key="nina.ray", first_name="Nina", last_name="Ray", email="nina.ray@brightwater.example", handle="nina", title="Engineer",
    department="Engineering", manager="alex.doyle", phone="+44 20 7946 0001", city="Leeds", country="GB", time_zone="Europe/London",
    start_date="2024-01-08",
)  # fmt: skip


GONE = NINA.model_copy(
    update={"key": "gus.old", "first_name": "Gus", "last_name": "Old", "email": "gus.old@brightwater.example", "handle": "gus",
            "active": False}
)  # fmt: skip


def _task(number: int, title: str, **more: Any) -> Task:
    created = f"2026-02-{number:02}T09:00:00Z"
    return Task(key=f"OPS-{number}", project="ops", number=number, title=title, reporter="alex.doyle", created=created, **more)  # fmt: skip


ENTITIES: list[Entity] = [
    NINA,
    GONE,
    Project(key="ops", name="Operations", code="OPS", description="All of it", lead="alex.doyle", members=("nina.ray", "alex.doyle"),
            created="2025-01-01T09:00:00Z"),
    Project(key="old", name="Old things", code="OLD", lead="nina.ray", archived=True, created="2024-01-01T09:00:00Z"),
    Project(key="lab", name="Lab", code="LAB", lead="nina.ray", created="2025-02-01T09:00:00Z"),
    _task(1, "Spring work", kind="epic", status="in_progress", priority="high"),
    _task(2, "Renew the contract", body="Two pages.\n\n- sign\n- send", assignee="nina.ray", due="2026-03-05", labels=("legal", "q1"),
          parent="OPS-1", priority="highest",
          comments=(TaskComment(author="nina.ray", at="2026-02-20T10:00:00Z", body="Shared folder is ready"),)),
    _task(3, "Printer prints purple", kind="bug", priority="low", assignee="alex.doyle"),
    _task(4, "Old story", kind="story", status="done", done="2026-02-25T10:00:00Z", labels=("q1",), parent="OPS-1"),
    _task(5, "In review", status="in_review", priority="medium", due="2026-03-20"),
    _task(6, "Piece of the contract", parent="OPS-2"),
    Task(key="OLD-1", project="old", number=1, title="Frozen", reporter="nina.ray", created="2024-02-01T09:00:00Z"),
]  # fmt: skip


@cache
def template(*, admin: bool = True) -> Template:
    agent = ALEX.model_copy(update={"admin": admin})
    image = templates.build_from(APP, BRIGHTWATER, agent, CLOCK, [(type(e), e) for e in (agent, *ENTITIES)])
    return Template(APP, image)


def fresh(**options: Any) -> Episode:
    made = template(**options)
    return Episode(lambda _: made, ("jira",), "test")


def call(episode: Episode, tool: str, **arguments: Any) -> Any:
    """A tool's result, which must be a success."""
    reply = episode.call("jira", tool, arguments)
    assert not reply.error, (tool, arguments, reply.body)
    return reply.body


def refused(episode: Episode, tool: str, status: int = 400, /, **arguments: Any) -> str:
    """A tool's refusal, which must change nothing: its messages, and its errors by field, as one text."""
    before = episode.changes()
    reply = episode.call("jira", tool, arguments)
    assert (reply.error, reply.status) == (True, status), (tool, arguments, reply.body)
    assert set(reply.body) == {"errorMessages", "errors"}
    assert episode.changes() == before
    return " ".join([*reply.body["errorMessages"], *(f"{k}: {v}" for k, v in reply.body["errors"].items())])


def http(episode: Episode, method: str, path: str, body: Any = None, **headers: str) -> Reply:
    where, _, query = path.partition("?")
    sent = {"content-type": "application/json", **headers}
    base = "https://jira.test"
    request = Request(method, where, base + path, dict(p.split("=", 1) for p in query.split("&") if p), sent, base)
    return rest.handle(episode.app("jira"), request, b"" if body is None else json.dumps(body).encode())


def keys(episode: Episode, jql: str) -> list[str]:
    return [i["key"] for i in call(episode, "search", jql=jql, limit=100)["issues"]]
