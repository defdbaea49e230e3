"""Asana: places."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.apps.asana.support import Asana
from tests.support.tracker import OPS


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
