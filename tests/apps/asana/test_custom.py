"""Asana: custom fields; search and lists; projects."""

from typing import Any

import pytest

from tests.apps.asana.support import Asana
from tests.support.tracker import OLD, OPS


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
