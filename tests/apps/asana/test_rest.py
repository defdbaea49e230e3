"""Asana: the rest."""

import json
from typing import Any

from mcp import Client

from legoenv_mcp.faces.mcp import serve
from tests.apps.asana.support import Asana
from tests.support.tracker import ENTITIES, OLD, OPS


def test_attachments_time_goals_and_portfolios(a: Asana) -> None:
    gid = a.gid(1)
    a.refused(400, "url: Not a valid URL: ftp://x", "create_attachment", parent=gid, name="x", url="ftp://x")
    a.refused(400, "name: Missing input", "create_attachment", parent=gid, url="https://x.example")
    link = a.data("create_attachment", parent=gid, name="x", url="https://x.example")
    assert a.data("get_attachments_for_object", parent=gid, opt_fields="host") == [
        {"gid": link["gid"], "host": "external"}
    ]
    a.ok("DELETE", f"/attachments/{link['gid']}")
    entry = a.ok("POST", f"/tasks/{gid}/time_tracking_entries", {"duration_minutes": 30})
    a.ok("PUT", f"/time_tracking_entries/{entry['gid']}", {"duration_minutes": 45})
    assert a.data("get_task", task_gid=gid)["actual_time_minutes"] == 45
    assert len(a.ok("GET", "/time_tracking_entries", task=gid)) == 1
    a.ok("DELETE", f"/time_tracking_entries/{entry['gid']}")
    goal = a.ok("POST", "/goals", {"name": "Grow", "workspace": a.workspace})["gid"]
    a.no(
        400, "goal: The goal has no metric", "POST", f"/goals/{goal}/setMetricCurrentValue", {"current_number_value": 1}
    )
    a.ok("POST", f"/goals/{goal}/setMetric", {"target_number_value": 10, "unit": "percentage"})
    assert (
        a.ok("POST", f"/goals/{goal}/setMetricCurrentValue", {"current_number_value": 4})["metric"][
            "current_display_value"
        ]
        == "4%"
    )
    a.ok("POST", f"/goals/{goal}/addFollowers", {"followers": ["bea@brightwater.example"]})
    a.ok("POST", f"/goals/{goal}/removeFollowers", {"followers": ["me"]})
    a.ok("POST", f"/goals/{goal}/stories", {"text": "hm"})
    assert len(a.ok("GET", f"/goals/{goal}/stories")) == 1
    assert a.ok("PUT", f"/goals/{goal}", {"liked": True, "status": "yellow"})["num_likes"] == 1
    a.ok("DELETE", f"/goals/{goal}")
    portfolio = a.ok("POST", "/portfolios", {"name": "All", "workspace": a.workspace})["gid"]
    a("add_item_for_portfolio", portfolio_gid=portfolio, item=a.ref(OPS))
    a("add_item_for_portfolio", portfolio_gid=portfolio, item=a.ref(OLD), insert_before=a.ref(OPS))
    assert [p["name"] for p in a.data("get_items_for_portfolio", portfolio_gid=portfolio)] == [
        "Old things",
        "Operations",
    ]
    priority = a.fields()["Priority"]
    a.ok("POST", f"/portfolios/{portfolio}/addCustomFieldSetting", {"custom_field": priority["gid"]})
    low = priority["enum_options"][0]["gid"]
    assert (
        a.ok("PUT", f"/projects/{a.ref(OPS)}", {"custom_fields": {priority["gid"]: low}})["custom_fields"][0][
            "display_value"
        ]
        == "Low"
    )
    a.ok("POST", f"/portfolios/{portfolio}/removeCustomFieldSetting", {"custom_field": priority["gid"]})
    assert [p["gid"] for p in a.ok("GET", f"/workspaces/{a.workspace}/tasks/search", **{"portfolios.any": portfolio})]
    a.ok("POST", f"/portfolios/{portfolio}/addMembers", {"members": "bea@brightwater.example"})
    a.ok("POST", f"/portfolios/{portfolio}/removeMembers", {"members": "bea@brightwater.example"})
    a.ok("PUT", f"/portfolios/{portfolio}", {"name": "Some", "color": "none"})
    a.ok("POST", f"/portfolios/{portfolio}/removeItem", {"item": a.ref(OLD)})
    assert len(a.data("get_portfolios", workspace=a.workspace, owner="me")) == 1
    a.ok("DELETE", f"/portfolios/{portfolio}")


def test_people_teams_and_memberships(a: Asana) -> None:
    team = a.ok("POST", "/teams", {"name": "Desk", "organization": a.workspace})["gid"]
    a.no(
        400,
        "name: A team with this name already exists in the organization",
        "POST",
        "/teams",
        {"name": "Desk", "organization": a.workspace},
    )
    a.ok("PUT", f"/teams/{team}", {"description": "d", "visibility": "public"})
    a.ok("POST", f"/teams/{team}/addUser", {"user": "bea@brightwater.example"})
    assert {u["name"] for u in a.ok("GET", f"/teams/{team}/users")} == {"Alex Doyle", "Bea van Reed"}
    a.ok("POST", f"/teams/{team}/removeUser", {"user": "bea@brightwater.example"})
    made = a.ok("POST", f"/workspaces/{a.workspace}/addUser", {"user": "new@other.example"})
    member = a.ok("GET", f"/users/{made['gid']}/workspace_memberships", opt_fields="is_guest,is_active")[0]
    assert (member["is_guest"], member["is_active"]) == (True, True)
    a.ok("POST", f"/workspaces/{a.workspace}/removeUser", {"user": "new@other.example"})
    a.refused(
        400,
        "assignee: Not a user in Organization: new@other.example",
        "update_task",
        task_gid=a.gid(1),
        assignee="new@other.example",
    )
    assert a.ok("PUT", f"/workspaces/{a.workspace}", {"name": "Bright"})["name"] == "Bright"
    place = a.ok("POST", "/memberships", {"parent": a.ref(OPS), "member": "carl@brightwater.example"})
    assert place["access_level"] == "editor"
    assert a.ok("PUT", f"/memberships/{place['gid']}", {"access_level": "viewer"})["access_level"] == "viewer"
    assert len(a.ok("GET", "/memberships", parent=a.ref(OPS))) == 3
    a.ok("DELETE", f"/memberships/{place['gid']}")
    assert len(a.data("get_users_for_workspace", workspace_gid=a.workspace)) == 3
    a.refused(400, "user: Not a recognized ID: Bea", "get_user", user_gid="Bea")
    assert a.data("get_user", user_gid="bea@brightwater.example")["name"] == "Bea van Reed"


def test_events_batches_and_webhooks(a: Asana) -> None:
    first = a.rest("GET", "/events", resource=a.ref(OPS))
    assert first.status == 412
    token = first.body["sync"]
    assert a.rest("GET", "/events", resource=a.ref(OPS), sync="made:up").status == 412
    a("update_task", task_gid=a.gid(2), name="New")
    a("create_story_for_task", task_gid=a.gid(2), text="Hi")
    reply = a.rest("GET", "/events", resource=a.ref(OPS), sync=token).body
    assert [(e["type"], e["action"]) for e in reply["data"]] == [("task", "changed"), ("story", "added")]
    assert reply["has_more"] is False
    assert a.rest("GET", "/events", resource=a.ref(OPS), sync=reply["sync"]).body["data"] == []
    assert a.rest("GET", "/events", resource=a.gid(5), sync=reply["sync"]).status == 412
    before = a.rest("GET", "/tasks/" + a.gid(4)).body
    actions = [
        {
            "method": "post",
            "relative_path": f"/tasks/{a.gid(4)}/stories",
            "data": {"text": "batched"},
            "options": {"fields": ["text"]},
        },
        {"method": "put", "relative_path": f"/tasks/{a.gid(4)}", "data": {"name": "x", "due_on": "soon"}},
        {
            "method": "get",
            "relative_path": "/tasks",
            "data": {"project": a.ref(OPS)},
            "options": {"limit": 2, "fields": "name"},
        },
    ]
    answers = a.ok("POST", "/batch", {"actions": actions})
    assert [x["status_code"] for x in answers] == [201, 400, 200]
    assert answers[0]["body"]["data"]["text"] == "batched"
    assert answers[2]["body"]["next_page"]["offset"]
    assert a.rest("GET", "/tasks/" + a.gid(4)).body["data"]["name"] == before["data"]["name"]
    a.no(400, "actions: Value is longer than 10 items", "POST", "/batch", {"actions": actions * 4})
    a.no(
        400,
        "actions: [0]: relative_path: Not a path that can be requested in a batch: /batch",
        "POST",
        "/batch",
        {"actions": [{"method": "post", "relative_path": "/batch"}]},
    )
    hook = a.ok("POST", "/webhooks", {"resource": a.ref(OPS), "target": "https://x.example/h"})["gid"]
    a.no(
        403,
        "Duplicate webhook: the resource and target are already in use",
        "POST",
        "/webhooks",
        {"resource": a.ref(OPS), "target": "https://x.example/h"},
    )
    a.ok("PUT", f"/webhooks/{hook}", {"filters": [{"resource_type": "task", "action": "changed"}]})
    a.ok("DELETE", f"/webhooks/{hook}")


def test_capability_keeps_what_the_world_says(a: Asana) -> None:
    seen = a.view(a.gid(2))
    bea = a.ref(ENTITIES[0])
    assert (seen.number, seen.kind, seen.status, seen.priority, seen.due) == (
        2,
        "bug",
        "in_progress",
        "low",
        "2026-03-04",
    )
    assert (seen.assignee, seen.parent, seen.labels, seen.created) == (
        bea,
        a.gid(1),
        ("sales", "quarter"),
        "2026-02-02T09:00:00Z",
    )
    assert [c.body for c in seen.comments] == ["Nearly there"]
    assert a.view(a.gid(3)).done == "2026-02-20T08:00:00Z"
    a("add_task_to_section", section_gid=a.sections()["In Review"], task=a.gid(4))
    assert a.view(a.gid(4)).status == "in_review"


async def test_agents_see_lean_records(a: Asana) -> None:
    async with Client(serve(a.episode, ["asana"])) as client:
        result = await client.call_tool("get_task", {"task_gid": a.gid(2)})
        assert not result.is_error
        body: Any = result.structured_content
        assert "hearts" not in body["data"]
        assert body["data"]["assignee"]["name"] == "Bea van Reed"
        result = await client.call_tool("get_task", {"task_gid": "42"})
        assert result.is_error
        told: Any = result.content[0]
        assert json.loads(told.text)["errors"][0]["message"] == "task: Unknown object: 42"
