"""The Asana app through its public faces: rules, records, places, search, pages, and the project-tracking capability."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.capabilities.project_tracking import Project, Task, TaskComment
from legoenv_mcp.faces.mcp import serve
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


@pytest.fixture
def a() -> Asana:
    return Asana()


# Envelopes and options


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


# Tasks


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


# Places


def test_sections_and_the_order_in_them(a: Asana) -> None:
    at = a.sections()
    todo = at["To Do"]
    one, two = (a.data("create_task", name=n, projects=[a.ref(OPS)])["gid"] for n in ("one", "two"))
    assert a.names(todo) == ["Quarter plan", "Call the dock", "one", "two"]
    a("add_task_to_section", section_gid=todo, task=two)
    assert a.names(todo)[0] == "two"
    a("add_task_to_section", section_gid=todo, task=one, insert_before=a.gid(4))
    assert a.names(todo) == ["two", "Quarter plan", "one", "Call the dock"]
    a("add_task_to_project", task_gid=one, project=a.ref(OPS), section=at["Done"], insert_after=None)
    assert a.names(at["Done"]) == ["one", "Order chairs"]
    said = f"insert_after: Task is not in the given section: {a.gid(1)}"
    a.refused(400, said, "add_task_to_section", section_gid=at["Done"], task=two, insert_after=a.gid(1))
    both = {"insert_after": a.gid(1), "insert_before": a.gid(1)}
    a.refused(
        400,
        "You may only provide one of insert_after or insert_before!",
        "add_task_to_project",
        task_gid=one,
        project=a.ref(OPS),
        **both,
    )
    a.refused(400, "section: Cannot delete a section that has tasks in it", "delete_section", section_gid=todo)
    new = a.data("create_section", project_gid=a.ref(OPS), name="Later", insert_after=todo)["gid"]
    assert list(a.sections()) == ["To Do", "Later", "In Progress", "In Review", "Done"]
    a.ok("POST", f"/projects/{a.ref(OPS)}/sections/insert", {"section": new, "before_section": todo})
    assert next(iter(a.sections())) == "Later"
    a.ok("PUT", f"/sections/{new}", {"insert_after": at["Done"]})
    assert list(a.sections())[-1] == "Later"
    a.no(400, "insert_after: Section is not in this project", "PUT", f"/sections/{new}", {"insert_after": "42"})
    a("update_section", section_gid=new, name="Some day")
    a("add_task_to_project", task_gid=a.gid(2), project=a.ref(OPS))
    assert a.names(at["In Progress"]) == ["Renewal sheet"]
    a("delete_section", section_gid=new)
    a("remove_task_from_project", task_gid=one, project=a.ref(OPS))
    assert a.names(at["Done"]) == ["Order chairs"]
    told = [s["resource_subtype"] for s in a.data("get_stories_for_task", task_gid=one)]
    assert told == ["added_to_project", "section_changed", "removed_from_project"]


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from(["after", "before", "top", "end"]), st.integers(0, 4)), max_size=12
    )
)
def test_moving_tasks_is_moving_in_a_list(moves: list[tuple[int, str, int]]) -> None:
    a = Asana()
    project = a.ref(OPS)
    todo = a.sections()["To Do"]
    gids = [a.gid(n) for n in range(1, 6)]
    for gid in gids:
        a("add_task_to_project", task_gid=gid, project=project, section=todo, insert_before=None)
    order = list(gids)
    for n, how, m in moves:
        gid, anchor = gids[n], gids[m]
        if how in ("after", "before") and gid == anchor:
            continue
        order.remove(gid)
        at = {"top": 0, "end": len(order)}.get(how, order.index(anchor) + (how == "after") if anchor in order else 0)
        order.insert(at, gid)
        where = {
            "after": {"insert_after": anchor},
            "before": {"insert_before": anchor},
            "top": {"insert_after": None},
            "end": {},
        }[how]
        a("add_task_to_project", task_gid=gid, project=project, section=todo, **where)
    assert [t["gid"] for t in a.data("get_tasks_for_project", project_gid=project)] == order


def test_subtasks_dependencies_tags_and_followers(a: Asana) -> None:
    top, inner = a.gid(1), a.gid(2)
    said = "parent: A task cannot be a subtask of itself or of one of its own subtasks"
    a.refused(400, said, "set_parent_for_task", task_gid=top, parent=inner)
    new = a.data("create_subtask", task_gid=top, name="First")["gid"]
    assert a.data("set_parent_for_task", task_gid=new, parent=top, insert_before=inner)["parent"]["gid"] == top
    assert [t["name"] for t in a.data("get_subtasks_for_task", task_gid=top)] == ["First", "Renewal sheet"]
    a("set_parent_for_task", task_gid=inner, parent=None)
    a("add_dependencies_for_task", task_gid=top, dependencies=[inner, a.gid(3)])
    a.refused(
        400,
        "dependencies: Tasks cannot depend on each other in a circle",
        "add_dependencies_for_task",
        task_gid=inner,
        dependencies=[top],
    )
    found = a.data("search_tasks_in_workspace", workspace_gid=a.workspace, is_blocked=True)
    assert [t["gid"] for t in found] == [top]
    found = a.data("search_tasks_in_workspace", workspace_gid=a.workspace, is_blocking=True)
    assert [t["gid"] for t in found] == [inner]
    a("remove_dependencies_for_task", task_gid=top, dependencies=[inner])
    a.ok("POST", f"/tasks/{inner}/addDependents", {"dependents": [top]})
    a.ok("POST", f"/tasks/{inner}/removeDependents", {"dependents": [top]})
    assert [t["gid"] for t in a.data("get_dependencies_for_task", task_gid=top)] == [a.gid(3)]
    tag = a.data("create_tag", name="odd", workspace=a.workspace, color="light-red")["gid"]
    a("add_tag_to_task", task_gid=top, tag=tag)
    assert [t["name"] for t in a.ok("GET", f"/tasks/{top}/tags")] == ["quarter", "odd"]
    a("remove_tag_from_task", task_gid=top, tag=tag)
    assert a.ok("PUT", f"/tags/{tag}", {"name": "even", "color": None})["color"] is None
    a.ok("DELETE", f"/tags/{tag}")
    a.ok("POST", f"/workspaces/{a.workspace}/tags", {"name": "other"})
    made = a.data("add_followers", task_gid=top, followers=["me", "bea@brightwater.example"])
    assert {u["name"] for u in made["followers"]} == {"Alex Doyle", "Bea van Reed"}
    assert a.data("remove_followers", task_gid=top, followers="me,bea@brightwater.example")["followers"] == []
    a("delete_task", task_gid=top)
    a.refused(404, f"task: Unknown object: {new}", "get_task", task_gid=new)


def test_thirty_links_are_the_most(a: Asana) -> None:
    others = [a.data("create_task", name=f"{n}", workspace=a.workspace)["gid"] for n in range(31)]
    a("add_dependencies_for_task", task_gid=a.gid(1), dependencies=others[:30])
    said = "A task can have at most 30 dependents and dependencies combined"
    a.refused(400, said, "add_dependencies_for_task", task_gid=a.gid(1), dependencies=others[30:])


# Custom fields


def test_a_custom_field_must_be_on_the_project_first(a: Asana) -> None:
    field = a.data("create_custom_field", workspace=a.workspace, name="Cost", resource_subtype="number", precision=2)[
        "gid"
    ]
    a.refused(
        400,
        f"Custom field with ID {field} is not on given object",
        "update_task",
        task_gid=a.gid(4),
        custom_fields={field: 5},
    )
    a("add_custom_field_setting_for_project", project_gid=a.ref(OPS), custom_field=field)
    said = f"custom_field: Custom field is already on this project: {field}"
    a.refused(400, said, "add_custom_field_setting_for_project", project_gid=a.ref(OPS), custom_field=field)
    made = a.data("update_task", task_gid=a.gid(4), custom_fields={field: 5.259})
    assert next(f for f in made["custom_fields"] if f["gid"] == field)["number_value"] == 5.26
    a.refused(
        400,
        f"custom_fields: {field}: Value is not a number: much",
        "update_task",
        task_gid=a.gid(4),
        custom_fields={field: "much"},
    )
    told = a.data("get_stories_for_task", task_gid=a.gid(4))[-1]
    assert (told["resource_subtype"], told["text"]) == ("number_custom_field_changed", 'changed Cost to "5.26"')
    a.refused(
        400,
        "name: A custom field with that name already exists.",
        "create_custom_field",
        workspace=a.workspace,
        name="cost",
        resource_subtype="text",
    )
    a.ok("POST", f"/projects/{a.ref(OPS)}/removeCustomFieldSetting", {"custom_field": field})
    a.refused(
        400,
        f"Custom field with ID {field} is not on given object",
        "update_task",
        task_gid=a.gid(4),
        custom_fields={field: 5},
    )
    a.ok("PUT", f"/custom_fields/{field}", {"name": "Price"})
    a.ok("DELETE", f"/custom_fields/{field}")


def test_every_kind_of_value(a: Asana) -> None:
    options = [{"name": "S"}, {"name": "M"}, {"name": "L"}]
    made = dict[str, Any]()
    for kind in ("text", "number", "enum", "multi_enum", "date", "people"):
        more = {"enum_options": options} if "enum" in kind else {"format": "percentage"} if kind == "number" else {}
        made[kind] = a.data(
            "create_custom_field", workspace=a.workspace, name=f"A {kind}", resource_subtype=kind, **more
        )
        a("add_custom_field_setting_for_project", project_gid=a.ref(OPS), custom_field=made[kind]["gid"])
    gids = {kind: field["gid"] for kind, field in made.items()}
    small, medium, large = (o["gid"] for o in made["multi_enum"]["enum_options"])
    values = {
        gids["text"]: "words", gids["number"]: 0.25, gids["enum"]: made["enum"]["enum_options"][0]["gid"],
        gids["multi_enum"]: [small, large],
        gids["date"]: {"date": "2026-03-05"}, gids["people"]: ["me"],
    }  # fmt: skip
    fields = "custom_fields.display_value,custom_fields.name"
    shown = {
        f["name"]: f["display_value"]
        for f in a.data("update_task", task_gid=a.gid(4), custom_fields=values, opt_fields=fields)["custom_fields"]
    }
    told = {s["resource_subtype"]: s["gid"] for s in a.data("get_stories_for_task", task_gid=a.gid(4))}
    story = {kind: a.ok("GET", f"/stories/{told[f'{kind}_custom_field_changed']}") for kind in gids}
    assert [o["name"] for o in story["multi_enum"]["new_multi_enum_values"]] == ["S", "L"]
    assert (story["people"]["old_people_value"], story["people"]["new_people_value"][0]["name"]) == ([], "Alex Doyle")
    assert (story["date"]["old_date_value"], story["date"]["new_date_value"]["due_on"]) == (None, "2026-03-05")
    on = {s["custom_field"]["gid"]: s for s in a.ok("GET", f"/projects/{a.ref(OPS)}/custom_field_settings")}
    assert on[gids["number"]]["custom_field"]["format"] == "percentage"  # whole, as programs get it
    of = {f["gid"]: f for f in a.ok("GET", f"/tasks/{a.gid(4)}")["custom_fields"]}
    assert (of[gids["number"]]["precision"], of[gids["text"]]["is_value_read_only"]) == (
        made["number"]["precision"],
        False,
    )
    assert {name: shown[name] for name in shown if name.startswith("A ")} == {
        "A text": "words", "A number": "25%", "A enum": "S", "A multi_enum": "S, L", "A date": "2026-03-05T00:00:00.000Z",
        "A people": "Alex Doyle",
    }  # fmt: skip
    a.refused(
        400, "enum_value: Not a recognized ID: S", "update_task", task_gid=a.gid(4), custom_fields={gids["enum"]: "S"}
    )
    number = a.fields()["ID"]["gid"]
    reply = a.live.call("update_task", {"task_gid": a.gid(4), "custom_fields": {number: "OPS-99"}})
    assert reply.status == 400
    a.ok("PUT", f"/enum_options/{medium}", {"enabled": False})
    said = f"multi_enum_values: Enum option is disabled: {medium}"
    a.refused(400, said, "update_task", task_gid=a.gid(4), custom_fields={gids["multi_enum"]: [medium]})
    new = a.ok(
        "POST",
        f"/custom_fields/{gids['enum']}/enum_options",
        {"name": "XL", "insert_before": made["enum"]["enum_options"][0]["gid"]},
    )
    a.ok(
        "POST",
        f"/custom_fields/{gids['enum']}/enum_options/insert",
        {"enum_option": new["gid"], "after_enum_option": made["enum"]["enum_options"][2]["gid"]},
    )
    assert [o["name"] for o in a.fields()["A enum"]["enum_options"]] == ["S", "M", "L", "XL"]
    a.no(
        400,
        "custom_field: Only enum and multi_enum custom fields have options",
        "POST",
        f"/custom_fields/{gids['text']}/enum_options",
        {"name": "x"},
    )

    def find(**more: str) -> list[str]:
        found = a.data("search_tasks_in_workspace", workspace_gid=a.workspace, custom_fields=more)
        return [t["gid"] for t in found]

    for name, value in (
        (f"{gids['text']}.contains", "ORD"), (f"{gids['text']}.starts_with", "wo"), (f"{gids['number']}.greater_than", "0.2"),
        (f"{gids['number']}.value", "0.25"), (f"{gids['enum']}.value", made["enum"]["enum_options"][0]["gid"]),
        (f"{gids['multi_enum']}.value", large), (f"{gids['people']}.value", "me"), (f"{gids['date']}.value", "2026-03-05"),
        (f"{gids['text']}.is_set", "true"),
    ):  # fmt: skip
        assert find(**{name: value}) == [a.gid(4)], name
    assert find(**{f"{gids['number']}.less_than": "0.2"}) == []
    a.refused(
        400,
        "custom_fields.1.odd: Unsupported search parameter",
        "search_tasks_in_workspace",
        workspace_gid=a.workspace,
        custom_fields={"1.odd": "x"},
    )
    cleared = a.data("update_task", task_gid=a.gid(4), custom_fields=dict.fromkeys(values), opt_fields=fields)[
        "custom_fields"
    ]
    assert {f["display_value"] for f in cleared if f["name"].startswith("A ")} == {None}


def test_new_tasks_are_numbered_by_the_project(a: Asana) -> None:
    made = a.data("create_task", name="x", projects=[a.ref(OPS)])["gid"]
    assert a.data("get_task_for_custom_id", workspace_gid=a.workspace, custom_id="OPS-6")["gid"] == made
    a.refused(
        404, "task: Unknown object: OPS-7", "get_task_for_custom_id", workspace_gid=a.workspace, custom_id="OPS-7"
    )


# Search and lists


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"text": "sheet"}, [2]), ({"text": "row subscr"}, [2]), ({"completed": True}, [3]), ({"assignee.any": "me"}, [3, 4]),
        ({"assignee.any": "null"}, [1, 5]), ({"assignee.not": "me", "completed": "false"}, [1, 2, 5]), ({"due_on": "null"}, [1, 3]),
        ({"due_on.before": "2026-03-04"}, [4]), ({"due_on.after": "2026-03-03"}, [2, 5]), ({"is_subtask": "true"}, [2]),
        ({"created_by.any": "bea@brightwater.example"}, [1]), ({"commented_on_by.any": "bea@brightwater.example"}, [2]),
        ({"created_on.after": "2026-02-03"}, [4, 5]), ({"created_at.before": "2026-02-02T09:00:00Z"}, [1]),
        ({"completed_on": "2026-02-20"}, [3]), ({"has_attachment": "true"}, []), ({"followers.any": "me"}, [2, 3, 4]),
        ({"resource_subtype": "milestone"}, []), ({"modified_on.before": "2026-02-05"}, [1, 4]), ({"created_on": "2026-02-05"}, [5]),
    ],
)  # fmt: skip
def test_search(a: Asana, given: dict[str, Any], found: list[int]) -> None:
    rows = a.ok("GET", f"/workspaces/{a.workspace}/tasks/search", **given)
    assert sorted(r["gid"] for r in rows) == sorted(a.gid(n) for n in found)


def test_search_by_place_and_tag_and_its_order(a: Asana) -> None:
    tags = {t["name"]: t["gid"] for t in a.data("get_tags", workspace=a.workspace)}
    at = a.sections()

    def find(**given: Any) -> list[int]:
        gids = {a.gid(n): n for n in range(1, 6)}
        path = f"/workspaces/{a.workspace}/tasks/search"
        return [gids[r["gid"]] for r in a.ok("GET", path, **{k.replace("__", "."): v for k, v in given.items()})]

    up = {"sort_by": "created_at", "sort_ascending": "true"}
    both = f"{tags['sales']},{tags['quarter']}"
    assert find(tags__any=both, **up) == [1, 2]
    assert find(tags__all=both) == [2]
    assert find(tags__not=tags["quarter"], **up) == [3, 4, 5]
    assert find(sections__any=at["To Do"], **up) == [1, 4]
    assert find(sections__not=f"{at['To Do']},{at['Done']}", **up) == [2, 5]
    assert find(projects__any=a.ref(OLD)) == []
    assert find(projects__not=a.ref(OLD), **up) == [1, 2, 3, 4, 5]
    # Both together find the tasks of either.
    assert find(projects__any=a.ref(OLD), sections__any=at["Done"]) == [3]
    assert find(projects__any=a.ref(OPS), sections__any=at["Done"], completed="false", **up) == [1, 2, 4, 5]
    assert find(due_on__after="2026-01-01", sort_by="due_date") == [5, 2, 4]
    assert find(text="the", limit=1, sort_by="created_at") == [5]
    path = f"/workspaces/{a.workspace}/tasks/search"
    a.no(400, "projects.any: Not a recognized ID: Operations", "GET", path, **{"projects.any": "Operations"})
    a.no(
        400,
        "created_on.after: Date must be in ISO-8601 (yyyy-mm-dd) format, not: 1 May",
        "GET",
        path,
        **{"created_on.after": "1 May"},
    )
    a.live.call("create_tag", {"name": "w", "workspace": a.workspace})
    a.live.store.connection.execute("UPDATE workspace SET premium = 0")
    a.no(402, "Search is only available to premium users.", "GET", path)
    said = "Custom Fields are not available for free users or guests."
    a.refused(402, said, "update_task", task_gid=a.gid(1), custom_fields={a.fields()["Priority"]["gid"]: None})


def test_searching_projects(a: Asana) -> None:
    path = f"/workspaces/{a.workspace}/projects/search"
    ops, old = a.ref(OPS), a.ref(OLD)
    a.ok("PUT", f"/projects/{old}", {"due_on": "2026-05-01"})

    def find(**given: Any) -> list[str]:
        return [p["gid"] for p in a.ok("GET", path, **{k.replace("__", "."): v for k, v in given.items()})]

    assert find(sort_by="created_at") == [ops, old]
    assert find(sort_by="created_at", sort_ascending="true") == [old, ops]
    assert find(created_on__before="2024-01-01") == find(due_on="2026-05-01") == [old]
    assert find(due_on="null") == [ops]
    assert find(members__not="alex.doyle@brightwater.example") == [old]
    assert find(due_on__after="2026-05-01") == find(completed="true") == []
    assert find(text="old", owner__any="null") == [old]
    folder = a.ok("POST", "/portfolios", {"name": "All", "workspace": a.workspace})["gid"]
    a.ok("POST", f"/portfolios/{folder}/addItem", {"item": ops})
    assert find(portfolios__any=folder) == [ops]
    a.no(400, "portfolios.any: Unknown object: 1", "GET", path, **{"portfolios.any": "1"})


def test_lists_of_tasks_want_exactly_one_filter(a: Asana) -> None:
    said = "Must specify exactly one of project, tag, section, user task list, or assignee + workspace"
    for some in ({}, {"assignee": "me"}, {"project": a.ref(OPS), "section": a.sections()["Done"]}):
        a.refused(400, said, "get_tasks", **some)
    mine = a.data("get_tasks", assignee="me", workspace=a.workspace)
    assert {t["gid"] for t in mine} == {a.gid(3), a.gid(4)}
    assert [t["gid"] for t in a.data("get_tasks", assignee="me", workspace=a.workspace, completed_since="now")] == [
        a.gid(4)
    ]
    assert a.data("get_tasks", section=a.sections()["Done"], completed_since="2026-02-21T00:00:00Z") == []
    mine = a.data("get_user_task_list_for_user", user_gid="me", workspace=a.workspace)
    assert list(a.sections(mine["gid"])) == ["Recently assigned"]
    assert len(a.ok("GET", f"/user_task_lists/{mine['gid']}/tasks")) == 2
    found = a.data("typeahead_for_workspace", workspace_gid=a.workspace, resource_type="task", query="the")
    assert {t["gid"] for t in found} == {a.gid(4), a.gid(5)}
    assert a.data("typeahead_for_workspace", workspace_gid=a.workspace, resource_type="user", query="dan") == []
    a.refused(400, "resource_type: Missing input", "typeahead_for_workspace", workspace_gid=a.workspace)


# Projects


def test_projects_live(a: Asana) -> None:
    team = next(
        t["gid"] for t in a.data("get_teams_for_workspace", workspace_gid=a.workspace) if t["name"] == "Brightwater"
    )
    a.refused(400, "Missing required team field", "create_project", name="x", workspace=a.workspace)
    a.refused(400, "workspace: Missing input", "create_project", name="x")
    a.refused(400, "name: Missing input", "create_project", name=" ", team=team)
    made = a.data("create_project", name="Spring", team=team, color="light-blue", notes="n")["gid"]
    assert list(a.sections(made)) == ["Untitled section"]
    a.refused(
        400,
        "section: Cannot delete the last section of a project",
        "delete_section",
        section_gid=a.sections(made)["Untitled section"],
    )
    shown = a.data("update_project", project_gid=made, completed=True, archived=True, owner=None)
    assert (shown["completed"], shown["archived"], shown["owner"]) == (True, True, None)
    assert (
        a.data("add_members_for_project", project_gid=made, members="bea@brightwater.example")["members"][-1]["name"]
        == "Bea van Reed"
    )
    a("remove_members_for_project", project_gid=made, members=["bea@brightwater.example"])
    a.ok("POST", f"/projects/{made}/addFollowers", {"followers": "bea@brightwater.example"})
    a.ok("POST", f"/projects/{made}/removeFollowers", {"followers": ["bea@brightwater.example"]})
    assert a.data("get_task_counts_for_project", project_gid=a.ref(OPS))["num_incomplete_tasks"] == 4
    assert a.ok("GET", f"/projects/{a.ref(OPS)}/task_counts", opt_fields="num_tasks") == {"num_tasks": 5}
    assert [p["name"] for p in a.data("get_projects", workspace=a.workspace, archived=False)] == ["Operations"]
    status = a.data("create_status_update", parent=made, status_type="off_track", text="Late", title="Week")
    assert a.data("get_project", project_gid=made)["current_status_update"]["gid"] == status["gid"]
    a.refused(
        400,
        "status_type: Not a status of a project: missed",
        "create_status_update",
        parent=made,
        status_type="missed",
        text="x",
    )
    old = a.ok("POST", f"/projects/{made}/project_statuses", {"color": "green", "text": "Fine", "title": "t"})
    assert [s["title"] for s in a.data("get_status_updates", parent=made)] == ["t", "Week"]
    a.ok("DELETE", f"/project_statuses/{old['gid']}")
    a.ok("DELETE", f"/status_updates/{status['gid']}")
    a("delete_project", project_gid=a.ref(OPS))
    assert a.data("get_task", task_gid=a.gid(1))["projects"] == []
    for path in (f"/teams/{team}/projects", f"/workspaces/{a.workspace}/projects"):
        a.ok("POST", path, {"name": path, "team": team})


def test_private_projects_are_their_members(a: Asana) -> None:
    a.ok("POST", f"/projects/{a.ref(OLD)}/sections", {"name": "s"})
    secret = a.data("create_task", name="secret", projects=[a.ref(OLD)], assignee="bea@brightwater.example")["gid"]
    a("update_project", project_gid=a.ref(OLD), privacy_setting="private")
    a.refused(403, "You do not have access to this project.", "get_project", project_gid=a.ref(OLD))
    assert "Old things" not in {p["name"] for p in a.data("get_projects", workspace=a.workspace)}
    assert a.data("get_task", task_gid=secret)["projects"] == []  # its author still sees the task itself


def test_duplicates_are_made_by_jobs(a: Asana) -> None:
    a.refused(
        400,
        "include: Not a field that can be duplicated: colour",
        "duplicate_task",
        task_gid=a.gid(1),
        include="notes,colour",
    )
    a("add_dependencies_for_task", task_gid=a.gid(1), dependencies=[a.gid(3)])
    job = a.data(
        "duplicate_task",
        task_gid=a.gid(1),
        name="Copy",
        include="subtasks,tags,projects,dependencies,assignee,dates,notes,followers,parent,attachments",
    )
    copy = a.data(
        "get_task", task_gid=job["new_task"]["gid"], opt_fields="name,tags.name,num_subtasks,dependencies,projects.name"
    )
    assert (copy["name"], copy["num_subtasks"], copy["tags"][0]["name"]) == ("Copy", 1, "quarter")
    assert (copy["dependencies"][0]["gid"], copy["projects"][0]["name"]) == (a.gid(3), "Operations")
    assert a.data("get_job", job_gid=job["gid"])["status"] == "succeeded"
    job = a.data(
        "duplicate_project",
        project_gid=a.ref(OPS),
        name="Again",
        include="members,notes,task_assignee,task_dependencies,task_subtasks,task_notes",
    )
    new = job["new_project"]["gid"]
    assert list(a.sections(new)) == ["To Do", "In Progress", "In Review", "Done"]
    shown = a.data("get_project", project_gid=new)
    assert (shown["notes"], len(shown["members"])) == ("What we promised", 2)
    assert len(a.data("get_tasks_for_project", project_gid=new)) == 7
    a.refused(
        400,
        "include: Not an element that can be duplicated: colour",
        "duplicate_project",
        project_gid=new,
        name="x",
        include="colour",
    )


# The rest


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
