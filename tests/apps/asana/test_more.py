"""Asana: webhooks are listed and shown."""

import json
from typing import Any
from urllib.parse import urlencode

from legoenv_mcp.capabilities.project_tracking import Project
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Request
from legoenv_mcp.testing import episode_of

OPS = Project(key="ops", name="Operations", code="OPS", lead="alex.doyle", created="2024-01-08T09:58:07Z")


def test_webhooks_are_listed_and_shown() -> None:
    live = episode_of("asana", [OPS]).app("asana")

    def ok(method: str, path: str, data: Any = None, **query: str) -> Any:
        path = f"/api/1.0{path}"
        url = f"{path}?{urlencode(query)}" if query else path
        headers = {} if data is None else {"content-type": "application/json"}
        sent = b"" if data is None else json.dumps({"data": data}).encode()
        reply = handle(live, Request(method, path, url, query, headers, ""), sent)
        assert not reply.error, (path, reply.body)
        return reply.body["data"]

    project = live.template.refs["project_tracking.Project"]["ops"]
    workspace = live.call("get_workspaces", {}).body["data"][0]["gid"]
    assert ok("GET", "/webhooks", workspace=workspace) == []
    wanted = [{"resource_type": "task", "action": "changed"}]
    target = "https://x.example/hook"
    made = ok("POST", "/webhooks", {"resource": project, "target": target, "filters": wanted})
    shown = ok("GET", f"/webhooks/{made['gid']}")
    assert (shown["target"], shown["active"], shown["filters"]) == (target, True, wanted)
    assert (shown["resource"]["gid"], shown["resource"]["name"]) == (project, "Operations")
    for query in ({"workspace": workspace}, {"workspace": workspace, "resource": project}):
        assert [(h["gid"], h["target"]) for h in ok("GET", "/webhooks", **query)] == [(made["gid"], target)]
    assert ok("GET", "/webhooks", workspace=workspace, resource=workspace) == []
    ok("DELETE", f"/webhooks/{made['gid']}")
    assert ok("GET", "/webhooks", workspace=workspace) == []
