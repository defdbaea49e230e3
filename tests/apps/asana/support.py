"""What the tests of Asana share."""

import json
from typing import Any
from urllib.parse import urlencode

from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.capabilities.project_tracking import Project, Task, TaskComment
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of


def person(handle: str, **more: Any) -> Person:
    mail = f"{handle}@brightwater.example"
    given = {
        "first_name": handle.title(),
        "last_name": "van Reed",
        "email": mail,
        "handle": handle,
        "department": "Finance",
    }
    return Person(**{"key": handle, "title": "Analyst", **given, **more})


def task(number: int, title: str, **more: Any) -> Task:
    at = f"2026-02-{number:02}T09:00:00Z"
    return Task(**{"key": f"T{number}", "project": "ops", "number": number, "title": title, "created": at, **more})


OPS = Project(
    key="ops", name="Operations", code="OPS", description="What we promised", lead="alex.doyle", members=("alex.doyle", "bea"),
    created="2024-01-08T09:58:07Z",
)  # fmt: skip


OLD = Project(key="old", name="Old things", code="OLD", members=("bea",), archived=True, created="2023-01-08T09:58:07Z")


TASKS = [
    task(1, "Quarter plan", kind="epic", priority="high", reporter="bea", labels=("quarter",)),
    task(
        2, "Renewal sheet", body="One row a subscription", status="in_progress", kind="bug", priority="low", assignee="bea",
        reporter="alex.doyle", due="2026-03-04", parent="T1", labels=("sales", "quarter"),
        comments=(TaskComment(author="bea", at="2026-02-10T10:00:00Z", body="Nearly there"),),
    ),
    task(3, "Order chairs", status="done", done="2026-02-20T08:00:00Z", assignee="alex.doyle"),
    task(4, "Call the dock", due="2026-02-27", assignee="alex.doyle"),
    task(5, "Read the lease", status="in_review", due="2026-05-01"),
]  # fmt: skip


ENTITIES: list[Entity] = [person("bea"), person("carl", admin=True), person("dan", active=False), OPS, OLD, *TASKS]


class Asana:
    """An account as an agent and as a program sees it."""

    def __init__(self) -> None:
        self.episode: Episode = episode_of("asana", ENTITIES)
        self.live = self.episode.app("asana")
        self.workspace: str = self("get_workspaces")["data"][0]["gid"]

    def __call__(self, tool: str, **arguments: Any) -> Any:
        reply = self.live.call(tool, arguments)
        assert not reply.error, (tool, reply.body)
        return reply.body

    def data(self, tool: str, **arguments: Any) -> Any:
        return self(tool, **arguments)["data"]

    def refused(self, status: int, said: str, tool: str, /, **arguments: Any) -> None:
        before = self.episode.changes()
        reply = self.live.call(tool, arguments)
        assert (reply.status, reply.body["errors"][0]["message"]) == (status, said)
        assert self.episode.changes() == before

    def rest(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        url = f"/api/1.0{path}" + (f"?{urlencode(query)}" if query else "")
        headers = {} if body is None else {"content-type": "application/json"}
        sent = b"" if body is None else json.dumps(body).encode()
        text = {k: str(v) for k, v in query.items()}
        return handle(self.live, Request(method, f"/api/1.0{path}", url, text, headers, ""), sent)

    def ok(self, method: str, path: str, data: Any = None, **query: Any) -> Any:
        reply = self.rest(method, path, None if data is None else {"data": data}, **query)
        assert not reply.error, (path, reply.body)
        return reply.body["data"]

    def no(self, status: int, said: str, method: str, path: str, data: Any = None, **query: Any) -> None:
        before = self.episode.changes()
        reply = self.rest(method, path, None if data is None else {"data": data}, **query)
        assert (reply.status, reply.body["errors"][0]["message"]) == (status, said)
        assert self.episode.changes() == before

    def ref(self, entity: Entity) -> str:
        kind = "people" if isinstance(entity, Person) else "project_tracking"
        return self.live.template.refs[f"{kind}.{type(entity).__name__}"][entity.key]

    def gid(self, number: int) -> str:
        return self.ref(TASKS[number - 1])

    def view(self, key: str) -> Any:
        ctx = Ctx(self.live, None, None, Request())
        shape = self.live.app.shapes["task"]
        raw = self.live.store.connection.execute(shape.by_key, (key,)).fetchone()
        return self.live.app.provides["project_tracking"].view(ctx, "task", shape.decode(raw))

    def sections(self, project: str = "") -> dict[str, str]:
        rows = self.data("get_sections_for_project", project_gid=project or self.ref(OPS))
        return {row["name"]: row["gid"] for row in rows}

    def fields(self) -> dict[str, Any]:
        return {f["name"]: f for f in self.data("get_custom_fields_for_workspace", workspace_gid=self.workspace)}

    def names(self, section: str) -> list[str]:
        return [t["name"] for t in self.ok("GET", f"/sections/{section}/tasks")]
