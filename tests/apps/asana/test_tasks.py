"""Asana: envelopes and options; tasks."""

import json

from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Request
from tests.apps.asana.support import Asana
from tests.support.tracker import ENTITIES, OLD, OPS


def test_requests_and_answers_are_wrapped_in_data(a: Asana) -> None:
    reply = a.rest("POST", "/tasks", {"data": {"name": "x", "projects": [a.ref(OPS)]}})
    assert reply.status == 201
    assert reply.headers["Location"].endswith(f"/api/1.0/tasks/{reply.body['data']['gid']}")
    stray = "Unrecognized request field name . The only allowed keys at the top level are: data, options. "
    stray += "Is it possible you did not wrap object properties in a data object?"
    reply = a.rest("POST", "/tasks", {"name": "x"})
    assert (reply.status, reply.body["errors"][0]["message"]) == (400, stray)
    assert "developers.asana.com/docs/errors" in reply.body["errors"][0]["help"]
    headers = {"content-type": "application/json"}
    reply = handle(a.live, Request("POST", "/api/1.0/tasks", "/api/1.0/tasks", {}, headers, ""), b"{")
    assert reply.body["errors"][0]["message"] == "Could not parse request data, invalid JSON"
    a.no(404, "No matching route for request", "GET", "/nothing")
    a.no(404, "task: Unknown object: 42", "GET", "/tasks/42")
    a.no(400, "task: Not a recognized ID: abc", "GET", "/tasks/abc")
    a.no(400, "assignee: Not a valid GID type: number", "PUT", f"/tasks/{a.gid(1)}", {"assignee": 5})
    a.no(400, "custom_fields: Value is not a JSON object: x", "PUT", f"/tasks/{a.gid(1)}", {"custom_fields": "x"})
    form = {"content-type": "application/x-www-form-urlencoded"}
    reply = handle(
        a.live,
        Request("POST", "/api/1.0/tags", "/api/1.0/tags", {}, form, ""),
        f"name=f&workspace={a.workspace}".encode(),
    )
    assert reply.body["data"]["name"] == "f"


def test_opt_fields_answers_what_it_names_and_the_gid(a: Asana) -> None:
    path, bea = f"/tasks/{a.gid(2)}", a.ref(ENTITIES[0])
    assert a.ok("GET", path, opt_fields="name") == {"gid": a.gid(2), "name": "Renewal sheet"}
    assert a.ok("GET", path, opt_fields="assignee")["assignee"] == {"gid": bea, "resource_type": "user"}
    whole = a.ok(
        "GET", path, opt_fields="this.name, (assignee|parent).name,memberships.section.name,num_subtasks,nothing"
    )
    assert whole == {
        "gid": a.gid(2), "name": "Renewal sheet", "assignee": {"gid": bea, "name": "Bea van Reed"},
        "parent": {"gid": a.gid(1), "name": "Quarter plan"}, "num_subtasks": 0,
        "memberships": [{"section": {"gid": a.sections()["In Progress"], "name": "In Progress"}}],
    }  # fmt: skip
    deep = a.ok("GET", path, opt_fields="parent.created_by.email")
    assert deep == {
        "gid": a.gid(2),
        "parent": {"gid": a.gid(1), "created_by": {"gid": bea, "email": "bea@brightwater.example"}},
    }
    full, compact = a.ok("GET", path), a.ok("GET", f"/projects/{a.ref(OPS)}/tasks")[0]
    assert set(compact) == {"gid", "resource_type", "name", "resource_subtype"}
    assert "num_subtasks" not in full
    assert full["assignee"] == {"gid": bea, "resource_type": "user", "name": "Bea van Reed"}
    for bad in ("(name", "a b", "name.(x", "(" * 30):
        reply = a.rest("GET", path, opt_fields=bad)
        assert (reply.status, reply.body["errors"][0]["message"][:11]) == (400, "opt_fields:"), bad
    body = {"data": {"name": "x"}, "options": {"fields": ["name"]}}
    assert a.rest("PUT", path, body).body == {"data": {"gid": a.gid(2), "name": "x"}}
    pretty = a.rest("GET", path, opt_fields="name", opt_pretty="true")
    assert "\n" in pretty.body
    assert json.loads(pretty.body) == {"data": {"gid": a.gid(2), "name": "x"}}


def test_pages_lead_through_every_task_once(a: Asana) -> None:
    for n in range(9):
        a("create_task", name=f"n{n}", projects=[a.ref(OPS)])
    everything = [t["gid"] for t in a.data("get_tasks_for_project", project_gid=a.ref(OPS))]
    walked, offset = list[str](), None
    while True:
        reply = a("get_tasks_for_project", project_gid=a.ref(OPS), limit=4, **({"offset": offset} if offset else {}))
        walked += [t["gid"] for t in reply["data"]]
        if reply["next_page"] is None:
            break
        offset = reply["next_page"]["offset"]
    assert walked == everything
    assert len(walked) == 14
    a.no(400, "offset: Your pagination token is invalid.", "GET", "/projects", offset=offset)
    reply = a.rest("GET", "/projects", limit=101)
    assert reply.status == 400
    next_page = a.rest("GET", f"/projects/{a.ref(OPS)}/tasks", limit=2).body["next_page"]
    assert next_page["uri"].endswith(next_page["path"])
    assert f"offset={next_page['offset']}" in next_page["path"]


def test_a_new_task_needs_a_place(a: Asana) -> None:
    a.refused(400, "You should specify one of workspace, parent, projects", "create_task", name="x")
    a.refused(400, "projects: [0]: Unknown object: 42", "create_task", name="x", projects=["42"])
    a.refused(400, "projects: [0]: Not a recognized ID: Operations", "create_task", name="x", projects=["Operations"])
    a.refused(
        400,
        "assignee: Not a user in Organization: nobody@x.example",
        "create_task",
        workspace=a.workspace,
        assignee="nobody@x.example",
    )
    a.refused(400, 'assignee: Not an email, GID, or "me": Bea', "create_task", workspace=a.workspace, assignee="Bea")
    dan = a.ref(ENTITIES[2])
    a.refused(400, f"assignee: Not a user in Organization: {dan}", "create_task", workspace=a.workspace, assignee=dan)
    a.refused(400, "memberships: [0]: project: Missing required field", "create_task", memberships=[{"section": "1"}])
    elsewhere = a.sections(a.ref(OLD))["Done"]
    place = {"project": a.ref(OPS), "section": elsewhere}
    a.refused(400, "memberships: [0]: section: Section is not in the given project", "create_task", memberships=[place])
    made = a.data(
        "create_task",
        memberships=[{"project": a.ref(OPS), "section": a.sections()["In Review"]}],
        assignee="me",
        name="y",
    )
    assert made["memberships"][0]["section"]["name"] == "In Review"
    assert [u["name"] for u in made["followers"]] == ["Alex Doyle"]
    assert a.data("create_task", workspace=a.workspace, name="alone")["memberships"] == []


def test_days_and_moments_exclude_each_other(a: Asana) -> None:
    gid = a.gid(4)
    a.refused(
        400, "You may only provide one of due_on or due_at!", "update_task", task_gid=gid, due_on="2026-03-01",
        due_at="2026-03-01T00:00:00Z"
    )  # fmt: skip
    a.refused(
        400,
        "due_on: Date must be in ISO-8601 (yyyy-mm-dd) format, not: soon",
        "update_task",
        task_gid=gid,
        due_on="soon",
    )
    made = a.data("update_task", task_gid=gid, due_at="2026-03-02T01:30:00+02:00")
    assert (made["due_at"], made["due_on"]) == ("2026-03-01T23:30:00.000Z", "2026-03-01")
    made = a.data("update_task", task_gid=gid, due_on="2026-03-05", start_on="2026-03-03")
    assert (made["due_at"], made["due_on"], made["start_on"]) == (None, "2026-03-05", "2026-03-03")
    a.refused(400, "start_on: A task with a start date needs a due date", "update_task", task_gid=gid, due_on=None)
    late = {"start_on": "2026-03-09", "due_on": "2026-03-08"}
    a.refused(400, "start_on: The start date must not be after the due date", "update_task", task_gid=gid, **late)
    said = "due_on or due_at must be present in the request when setting or unsetting the start date"
    a.refused(400, said, "update_task", task_gid=gid, start_on="2026-03-04")
    assert a.data("update_task", task_gid=gid, due_on=None, start_on=None)["due_on"] is None


def test_a_milestone_is_a_moment_and_does_not_begin(a: Asana) -> None:
    said = "start_on: A milestone cannot have a start date"
    span = {"start_on": "2026-03-02", "due_on": "2026-03-05"}
    a.refused(400, said, "create_task", name="x", projects=[a.ref(OPS)], resource_subtype="milestone", **span)
    a.data("update_task", task_gid=a.gid(1), **span)
    made = a.data("update_task", task_gid=a.gid(1), resource_subtype="milestone")
    assert (made["start_on"], made["due_on"]) == (None, "2026-03-05")
    a.refused(400, said, "update_task", task_gid=a.gid(1), **span)


def test_what_an_update_cannot_write(a: Asana) -> None:
    path = f"/tasks/{a.gid(1)}"
    a.no(400, "projects: Cannot write this property", "PUT", path, {"projects": []})
    a.no(400, "tags: Cannot write this property", "PUT", path, {"tags": []})
    a.no(400, "please use the setParent endpoint to change parents", "PUT", path, {"parent": a.gid(2)})
    a.no(400, "approval_status: Can only be set on approval tasks", "PUT", path, {"approval_status": "approved"})
    a.no(400, "html_notes: XML is invalid", "PUT", path, {"html_notes": "<body>open"})
    a.no(400, "html_notes: Unsupported HTML tag: script", "PUT", path, {"html_notes": "<body><script/></body>"})
    rich = "<body><h1>Plan</h1><ul><li>one</li><li>two</li></ul></body>"
    assert a.ok("PUT", path, {"html_notes": rich})["notes"] == "Plan\none\ntwo"
    assert a.ok("GET", path, opt_fields="html_notes")["html_notes"] == rich


def test_what_the_product_keeps_itself_is_refused_and_not_ignored(a: Asana) -> None:
    for name in ("followers", "dependencies", "created_at", "completed_at"):
        a.no(400, f"{name}: Cannot write this property", "PUT", f"/tasks/{a.gid(1)}", {name: ["me"], "name": "x"})
    for name in ("followers", "members", "workspace"):
        a.no(400, f"{name}: Cannot write this property", "PUT", f"/projects/{a.ref(OPS)}", {name: ["me"]})
    a.no(400, "name: Value is not a string: 5", "PUT", f"/tasks/{a.gid(1)}", {"name": 5})
    a.no(400, "assignee: Not a valid GID type: number", "PUT", f"/tasks/{a.gid(1)}", {"assignee": 5})


def test_subtasks_and_projects_take_what_they_do_at_their_other_addresses(a: Asana) -> None:
    given = {
        "name": "x", "start_at": "2026-05-01T08:00:00Z", "due_at": "2026-05-01T09:00:00Z", "resource_subtype": "approval",
        "approval_status": "approved", "liked": True, "memberships": [{"project": a.ref(OPS), "section": a.sections()["Done"]}],
    }  # fmt: skip
    made = a.ok("POST", f"/tasks/{a.gid(1)}/subtasks", given)
    assert (made["start_at"], made["completed"], made["liked"]) == ("2026-05-01T08:00:00.000Z", True, True)
    assert made["memberships"][0]["section"]["name"] == "Done"
    team = a.data("get_teams_for_workspace", workspace_gid=a.workspace)[0]["gid"]
    more = {"name": "y", "html_notes": "<body><strong>Hi</strong></body>", "icon": "rocket", "due_date": "2026-06-01"}
    for path, sent in ((f"/teams/{team}", more), (f"/workspaces/{a.workspace}", {**more, "team": team})):
        row = a.ok("POST", f"{path}/projects", sent)
        assert (row["notes"], row["icon"], row["due_on"]) == ("Hi", "rocket", "2026-06-01")


def test_who_completes_or_assigns_is_no_change_of_its_own(a: Asana) -> None:
    a.data("update_task", task_gid=a.gid(5), completed=True)
    [change] = a.episode.changes()
    assert set(change.columns) == {"completed"}


def test_approvals_keep_step_with_completed(a: Asana) -> None:
    made = a.data("create_task", name="ok?", projects=[a.ref(OPS)], resource_subtype="approval")
    gid = made["gid"]
    assert (made["approval_status"], made["completed"]) == ("pending", False)
    steps = [
        ({"approval_status": "rejected"}, "rejected", True), ({"completed": False}, "pending", False),
        ({"completed": True}, "approved", True), ({"approval_status": "changes_requested"}, "changes_requested", True),
        ({"approval_status": "pending"}, "pending", False),
    ]  # fmt: skip
    for sent, status, completed in steps:
        made = a.data("update_task", task_gid=gid, **sent)
        assert (made["approval_status"], made["completed"]) == (status, completed)
    said = "approval_status: Does not agree with completed"
    a.refused(400, said, "update_task", task_gid=gid, approval_status="approved", completed=False)


def test_completing_notes_who_and_when_and_undoes(a: Asana) -> None:
    made = a.data("update_task", task_gid=a.gid(4), completed=True)
    assert made["completed_at"] == "2026-03-02T09:00:01.000Z"
    assert made["completed_by"]["name"] == "Alex Doyle"
    made = a.data("update_task", task_gid=a.gid(4), completed=False, liked=True)
    assert (made["completed_at"], made["completed_by"], made["num_likes"]) == (None, None, 1)


def test_stories_of_the_system_cannot_be_edited(a: Asana) -> None:
    gid = a.gid(4)
    a("update_task", task_gid=gid, name="Call", assignee="bea@brightwater.example", due_on="2026-03-09")
    told = a.data("get_stories_for_task", task_gid=gid)
    assert [s["resource_subtype"] for s in told][-3:] == ["name_changed", "due_date_changed", "assigned"]
    assert told[-1]["text"] == "assigned to Bea van Reed"
    a.refused(400, "text: Cannot edit a system story", "update_story", story_gid=told[-1]["gid"], text="no")
    a.refused(400, "story: Cannot delete a system story", "delete_story", story_gid=told[-1]["gid"])
    assert a.ok("GET", f"/stories/{told[-3]['gid']}")["new_name"] == "Call"
    comment = next(
        s for s in a.data("get_stories_for_task", task_gid=a.gid(2)) if s["resource_subtype"] == "comment_added"
    )
    a.refused(403, "You do not have access to this story.", "update_story", story_gid=comment["gid"], text="mine")
    a.refused(400, "text: Missing input", "create_story_for_task", task_gid=gid)
    a.refused(400, "text: Missing input", "create_story_for_task", task_gid=gid, text="  ")
    mine = a.data(
        "create_story_for_task", task_gid=gid, html_text="<body>Hello <strong>you</strong></body>", is_pinned=True
    )
    assert (mine["text"], mine["is_pinned"], mine["is_editable"]) == ("Hello you", True, True)
    assert a.data("update_story", story_gid=mine["gid"], text="Bye")["is_edited"]
    a("delete_story", story_gid=mine["gid"])
