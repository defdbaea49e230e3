"""What the tests of Asana share."""

import json
from typing import Any
from urllib.parse import urlencode

from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.support.tracker import ENTITIES, OPS, TASKS


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
