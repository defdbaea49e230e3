"""Jira: its workflow and other hard rules, JQL, and the canonical project tracking behind it."""

import importlib
import json
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import registry, templates, worlds
from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.capabilities.project_tracking import Project, Task, TaskComment
from legoenv_mcp.faces import rest
from legoenv_mcp.faces.mcp import serve, tools
from legoenv_mcp.kernel.context import Ctx, Reply, Request
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


@pytest.fixture
def episode() -> Episode:
    return fresh()


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


# Workflow


def test_a_task_goes_only_along_its_workflow(episode: Episode) -> None:
    offered = [t["name"] for t in call(episode, "get_transitions", issue_key="OPS-2")["transitions"]]
    assert offered == ["In Progress", "Done"]
    assert "not valid for the current state" in refused(
        episode, "transition_issue", issue_key="OPS-2", transition_id="In Review"
    )
    assert "not valid" in refused(episode, "transition_issue", issue_key="OPS-2", transition_id="31")
    assert "not valid" in refused(episode, "transition_issue", issue_key="OPS-2", transition_id="999")
    for step in ("In Progress", "In Review", "Done", "To Do"):
        assert (
            call(episode, "transition_issue", issue_key="OPS-2", transition_id=step)["fields"]["status"]["name"] == step
        )
    log = call(episode, "get_issue_changelog", issue_key="OPS-2")["values"]
    moves = [(i["fromString"], i["toString"]) for h in log for i in h["items"] if i["field"] == "status"]
    assert moves == [("To Do", "In Progress"), ("In Progress", "In Review"), ("In Review", "Done"), ("Done", "To Do")]


def test_a_bug_closes_only_with_a_resolution_and_loses_it_when_reopened(episode: Episode) -> None:
    assert "resolution: Resolution is required." in refused(
        episode, "transition_issue", issue_key="OPS-3", transition_id="Close Issue"
    )
    assert "Resolution name 'Gone' is not valid" in refused(
        episode, "transition_issue", issue_key="OPS-3", transition_id="2", resolution="Gone"
    )
    closed = call(
        episode, "transition_issue", issue_key="OPS-3", transition_id="2", resolution="Duplicate", comment="See OPS-2"
    )
    assert closed["fields"]["resolution"]["name"] == "Duplicate"
    assert call(episode, "get_comments", issue_key="OPS-3")["comments"][-1]["body"] == "See OPS-2"
    assert [t["name"] for t in call(episode, "get_transitions", issue_key="OPS-3")["transitions"]] == ["Reopen Issue"]
    assert "resolution" in refused(episode, "transition_issue", issue_key="OPS-3", transition_id="3", resolution="Done")
    opened = call(episode, "transition_issue", issue_key="OPS-3", transition_id="3")
    assert (opened["fields"]["status"]["name"], opened["fields"]["resolution"]) == ("To Do", None)


def test_agents_name_fields_and_values_as_they_please(episode: Episode) -> None:
    call(episode, "create_version", project_key="OPS", name="1.0")
    call(episode, "create_component", project_key="OPS", name="Desk")
    made = call(
        episode, "create_issue", project_key="OPS", summary="All at once", issue_type="Story",
        additional_fields={"story_points": 5, "fixVersions": "1.0", "Components": ["Desk"], "timetracking": "1w 1d", "reporter": "Nina Ray",
                           "due_date": "2026-04-01", "Labels": "b, a", "Epic Link": "OPS-1"},
    )  # fmt: skip
    held = call(episode, "get_issue", issue_key=made["key"], fields="*all")["fields"]
    assert (held["customfield_10016"], held["duedate"], held["labels"]) == (5, "2026-04-01", ["a", "b"])
    assert (held["fixVersions"][0]["name"], held["components"][0]["name"]) == ("1.0", "Desk")
    assert (held["timetracking"]["remainingEstimate"], held["parent"]["key"]) == ("1w 1d", "OPS-1")
    assert held["reporter"]["displayName"] == "Nina Ray"
    call(
        episode, "update_issue", issue_key=made["key"], fields={"assignee": {"emailAddress": "nina.ray@brightwater.example"}},
        update={"fixVersions": [{"remove": "1.0"}], "labels": [{"add": "c"}]},
    )  # fmt: skip
    held = call(episode, "get_issue", issue_key=made["key"], fields="assignee,fixVersions,labels")["fields"]
    assert (held["assignee"]["displayName"], held["fixVersions"], held["labels"]) == ("Nina Ray", [], ["a", "b", "c"])
    piece = call(episode, "create_issue", project_key="OPS", summary="Piece", issue_type="Subtask", parent=made["key"])
    assert keys(episode, "type = Sub-task AND parent = " + made["key"]) == [piece["key"]]
    call(episode, "transition_issue", issue_key="OPS-3", transition_id="Done", fields={"resolution": "duplicate"})
    assert keys(episode, "resolution = Duplicate") == ["OPS-3"]


def test_refusals_tell_agents_what_to_do_and_programs_what_jira_says(episode: Episode) -> None:
    make = {"project_key": "OPS", "summary": "x"}
    assert "Valid: Highest, High, Medium" in refused(episode, "create_issue", **make, priority="urgent")
    assert "Valid: Epic, Story" in refused(episode, "create_issue", **make, issue_type="Incident")
    assert "has no such thing yet" in refused(episode, "create_issue", **make, components=["Desk"])
    assert "transition_issue changes it" in refused(
        episode, "update_issue", issue_key="OPS-2", fields={"status": "Done"}
    )
    assert "search_fields lists" in refused(episode, "update_issue", issue_key="OPS-2", fields={"colour": "red"})
    assert "Valid: Done, Won't Do" in refused(
        episode, "transition_issue", issue_key="OPS-3", transition_id="Close Issue"
    )
    assert "Start Progress (4) to In Progress" in refused(
        episode, "transition_issue", issue_key="OPS-3", transition_id="Ship"
    )
    fields = {"project": {"key": "OPS"}, "summary": "x", "issuetype": {"name": "Task"}, "priority": {"name": "urgent"}}
    said = http(episode, "POST", "/rest/api/3/issue", {"fields": fields})
    assert said.body["errors"] == {"priority": "Priority name 'urgent' is not valid"}


def test_links_are_named_by_their_words_in_either_direction(episode: Episode) -> None:
    made = call(
        episode, "create_issue_link", link_type="is blocked by", inward_issue_key="OPS-2", outward_issue_key="OPS-3"
    )
    assert (made["inward"], made["outward"]) == ("OPS-3", "OPS-2")
    assert (
        call(episode, "create_issue_link", link_type="blocks", inward_issue_key="OPS-3", outward_issue_key="OPS-2")
        == made
    )
    ends = {"inward_issue_key": "OPS-3", "outward_issue_key": "OPS-2"}
    assert "Valid: Blocks, Cloners" in refused(episode, "create_issue_link", 404, link_type="Causes", **ends)


def test_what_creating_takes_is_told_by_the_types_id_or_name(episode: Episode) -> None:
    by_name = call(episode, "get_create_fields", project_key="OPS", issue_type_id="sub-task")
    assert by_name == call(episode, "get_create_fields", project_key="OPS", issue_type_id="10003")
    assert {f["key"] for f in by_name["fields"] if f["required"]} == {"project", "issuetype", "summary", "parent"}
    assert next(f for f in by_name["fields"] if f["key"] == "priority")["defaultValue"]["name"] == "Medium"


def test_an_edit_shows_what_was_edited(episode: Episode) -> None:
    said = call(
        episode, "update_issue", issue_key="OPS-2", fields={"labels": "x"}, update={"fixVersions": [{"set": []}]}
    )
    assert (said["fields"]["labels"], said["fields"]["fixVersions"]) == (["x"], [])
    assert "Is it Nina Ray <nina.ray@brightwater.example>?" in refused(
        episode, "assign_issue", issue_key="OPS-2", assignee="Nina"
    )
    assert "Valid: To Do, In Progress" in refused(episode, "search", jql="status = Open")


def test_a_transition_takes_the_fields_of_its_screen_alone(episode: Episode) -> None:
    said = refused(
        episode, "transition_issue", issue_key="OPS-2", transition_id="Done", fields={"assignee": None, "labels": "x"}
    )
    assert "assignee: Field 'assignee' cannot be set" in said
    assert "update_issue changes other fields" in said
    asked = {
        "transition": {"id": "41"},
        "update": {"comment": [{"add": {"body": "ok"}}]},
        "fields": {"resolution": {"name": "Done"}},
    }
    assert http(episode, "POST", "/rest/api/2/issue/OPS-2/transitions", asked).status == 204
    assert keys(episode, "resolution = Done AND comment ~ ok") == ["OPS-2"]


def test_status_and_resolution_cannot_be_edited(episode: Episode) -> None:
    for field, value in (
        ("status", {"name": "Done"}),
        ("resolution", {"name": "Done"}),
        ("created", "x"),
        ("nonsense", 1),
    ):
        said = refused(episode, "update_issue", issue_key="OPS-2", fields={field: value})
        assert f"{field}: Field '{field}' cannot be set. It is not on the appropriate screen, or unknown." in said


# Hard rules of issues


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"summary": ""}, "summary: You must specify a summary of the issue."),
        ({"summary": "a\nb"}, "newline"),
        ({"summary": "a" * 256}, "255"),
        ({"project_key": "NOPE"}, "project: Specify a valid project ID or key"),
        ({"project_key": "OLD"}, "archived"),
        ({"issue_type": "Wish"}, "issuetype: Specify a valid issue type"),
        ({"issue_type": "Sub-task"}, "Issue type is a sub-task but parent issue key or id not specified."),
        ({"issue_type": "Sub-task", "parent": "OPS-1"}, "parentId: Given parent work item does not belong to appropriate hierarchy."),
        ({"parent": "OPS-2"}, "hierarchy"),
        ({"parent": "OPS-99"}, "parentId: Could not find issue by id or key."),
        ({"assignee": "Nobody"}, "assignee: User 'Nobody' does not exist."),
        ({"assignee": "Gus Old"}, "assignee: User 'Gus Old' cannot be assigned issues."),
        ({"priority": "Urgent"}, "priority: Priority name 'Urgent' is not valid"),
        ({"labels": ["two words"]}, "labels: The label 'two words' contains spaces which is invalid."),
        ({"components": ["None"]}, "components: Component name 'None' is not valid"),
        ({"due_date": "tomorrow"}, "duedate: Error parsing date string: tomorrow"),
        ({"additional_fields": {"fixVersions": ["9"]}}, "fixVersions: Version name '9' is not valid"),
        ({"additional_fields": {"customfield_10016": "many"}}, "customfield_10016: Operation value must be a number"),
        ({"additional_fields": {"timetracking": {"originalEstimate": "long"}}}, "timetracking: The original estimate"),
        ({"additional_fields": {"customfield_10020": 7}}, "customfield_10020: Sprint does not exist"),
    ],
)  # fmt: skip
def test_an_issue_with_a_bad_field_is_refused_by_its_name(
    episode: Episode, arguments: dict[str, Any], said: str
) -> None:
    base = {"project_key": "OPS", "summary": "New", "issue_type": "Task"}
    assert said in refused(episode, "create_issue", **{**base, **arguments})


def test_an_issue_is_made_with_the_next_number_and_numbers_are_not_given_twice(episode: Episode) -> None:
    first = call(episode, "create_issue", project_key="OPS", summary="One")
    assert first["key"] == "OPS-7"
    call(episode, "delete_issue", issue_key="OPS-7")
    assert call(episode, "create_issue", project_key="OPS", summary="Two")["key"] == "OPS-8"
    refused(episode, "create_issue", project_key="OPS", summary="")
    assert call(episode, "create_issue", project_key="OPS", summary="Three")["key"] == "OPS-9"


def test_an_issue_with_sub_tasks_goes_only_with_them(episode: Episode) -> None:
    assert "deleteSubtasks" in refused(episode, "delete_issue", issue_key="OPS-2")
    call(episode, "delete_issue", issue_key="OPS-2", delete_subtasks=True)
    assert keys(episode, "project = OPS ORDER BY key") == ["OPS-1", "OPS-3", "OPS-4", "OPS-5"]
    call(episode, "delete_issue", issue_key="OPS-1")
    assert "parent" not in call(episode, "get_issue", issue_key="OPS-4")["fields"]


def test_archived_projects_are_read_only(episode: Episode) -> None:
    assert call(episode, "get_issue", issue_key="OLD-1")["fields"]["summary"] == "Frozen"
    for tool, more in (
        ("update_issue", {"fields": {"summary": "x"}}), ("add_comment", {"body": "x"}), ("assign_issue", {}), ("delete_issue", {}),
        ("transition_issue", {"transition_id": "Done"}), ("add_worklog", {"time_spent": "1h"}),
    ):  # fmt: skip
        assert "archived" in refused(episode, tool, issue_key="OLD-1", **more)


def test_update_verbs_add_remove_and_set(episode: Episode) -> None:
    call(episode, "update_issue", issue_key="OPS-2", update={"labels": [{"add": "new"}, {"remove": "q1"}]})
    assert call(episode, "get_issue", issue_key="OPS-2")["fields"]["labels"] == ["legal", "new"]
    call(
        episode,
        "update_issue",
        issue_key="OPS-2",
        update={"labels": [{"set": ["only"]}], "summary": [{"set": "Renamed"}]},
    )
    assert call(episode, "get_issue", issue_key="OPS-2")["fields"]["summary"] == "Renamed"
    assert "does not support operation 'add'" in refused(
        episode, "update_issue", issue_key="OPS-2", update={"summary": [{"add": "x"}]}
    )
    both = {"fields": {"labels": ["a"]}, "update": {"labels": [{"add": "b"}]}}
    assert "cannot appear in both" in refused(episode, "update_issue", issue_key="OPS-2", **both)
    call(
        episode,
        "update_issue",
        issue_key="OPS-2",
        fields={"assignee": None, "duedate": None, "priority": "Low"},
        comment="Later",
    )
    fields = call(episode, "get_issue", issue_key="OPS-2")["fields"]
    assert (fields["assignee"], fields["duedate"], fields["priority"]["name"]) == (None, None, "Low")
    assert fields["comment"]["total"] == 2


def test_an_issue_moves_to_another_project_under_a_new_key(episode: Episode) -> None:
    reply = http(episode, "PUT", "/rest/api/3/issue/OPS-5", {"fields": {"project": {"key": "LAB"}}})
    assert reply.status == 204
    assert call(episode, "get_issue", issue_key="LAB-1")["fields"]["summary"] == "In review"
    assert "does not exist" in refused(episode, "get_issue", 404, issue_key="OPS-5")


def test_logged_work_moves_the_estimates(episode: Episode) -> None:
    call(episode, "update_issue", issue_key="OPS-2", fields={"timetracking": {"originalEstimate": "2d"}})
    made = call(episode, "add_worklog", issue_key="OPS-2", time_spent="3h", comment="Reading")

    def tracked() -> Any:
        return call(episode, "get_issue", issue_key="OPS-2", fields="timetracking")["fields"]["timetracking"]

    assert tracked()["remainingEstimate"] == "1d 5h"
    call(episode, "add_worklog", issue_key="OPS-2", time_spent="1h", adjust_estimate="new", new_estimate="4h")
    assert (tracked()["remainingEstimate"], tracked()["timeSpent"]) == ("4h", "4h")
    call(episode, "delete_worklog", issue_key="OPS-2", worklog_id=made["id"], adjust_estimate="leave")
    assert (tracked()["remainingEstimate"], tracked()["timeSpent"]) == ("4h", "1h")
    assert "Invalid time duration" in refused(episode, "add_worklog", issue_key="OPS-2", time_spent="soon")
    assert "indicate the time" in refused(episode, "add_worklog", issue_key="OPS-2")
    assert "new estimate" in refused(episode, "add_worklog", issue_key="OPS-2", time_spent="1h", adjust_estimate="new")


def test_work_without_an_estimate_and_that_of_sub_tasks(episode: Episode) -> None:
    call(episode, "add_worklog", issue_key="OPS-6", time_spent="2h")
    call(episode, "update_issue", issue_key="OPS-2", fields={"timetracking": {"originalEstimate": "1d"}})
    below = call(episode, "get_issue", issue_key="OPS-6", fields="timetracking")["fields"]["timetracking"]
    assert below == {
        "remainingEstimate": "0m",
        "timeSpent": "2h",
        "remainingEstimateSeconds": 0,
        "timeSpentSeconds": 7200,
    }
    above = call(episode, "get_issue", issue_key="OPS-2", fields="*all")["fields"]
    assert (above["timespent"], above["aggregatetimespent"], above["aggregatetimeestimate"]) == (None, 7200, 28800)
    assert (above["progress"], above["aggregateprogress"]["percent"]) == (
        {"progress": 0, "total": 28800, "percent": 0},
        20,
    )
    (told,) = call(episode, "get_issue_changelog", issue_key="OPS-6")["values"]
    assert [(i["field"], i["from"], i["to"], i["toString"]) for i in told["items"]] == [
        ("timespent", None, "7200", "7200"),
        ("timeestimate", None, "0", "0"),
    ]


def test_fields_left_out_of_the_usual_ones_and_their_names(episode: Episode) -> None:
    whole = http(episode, "GET", "/rest/api/3/search/jql?jql=key=OPS-2&fields=-status,-comment&expand=names").body
    shown = whole["issues"][0]["fields"]
    assert "summary" in shown
    assert not {"status", "comment", "attachment"} & set(shown)
    assert whole["names"]["summary"] == "Summary"
    assert "names" not in whole["issues"][0]
    one = http(episode, "GET", "/rest/api/3/issue/OPS-2?fields=*all,-comment").body["fields"]
    assert "attachment" in one
    assert "comment" not in one


def test_those_who_left_are_not_found_and_groups_are_for_members(episode: Episode) -> None:
    assert call(episode, "search_users", query="Gus") == []
    assert call(episode, "get_user_profile", user="Gus Old")["active"] is False
    plain = fresh(admin=False)
    hidden = {"type": "group", "value": "jira-administrators"}
    assert "not a member" in refused(plain, "add_comment", issue_key="OPS-2", body="x", visibility=hidden)
    assert (
        call(episode, "add_comment", issue_key="OPS-2", body="x", visibility=hidden)["visibility"]["value"]
        == hidden["value"]
    )


def test_others_comments_are_for_administrators() -> None:
    plain = fresh(admin=False)
    call(plain, "update_issue", issue_key="OPS-2", fields={"summary": "ok"})
    lead = call(plain, "get_issue", issue_key="OPS-2")["fields"]["comment"]["comments"][0]["id"]
    call(plain, "edit_comment", issue_key="OPS-2", comment_id=lead, body="the project's lead may")
    made = call(plain, "create_issue", project_key="LAB", summary="Elsewhere")
    mine = call(plain, "add_comment", issue_key=made["key"], body="mine")
    call(plain, "edit_comment", issue_key=made["key"], comment_id=mine["id"], body="still mine")
    assert "not authorized" in refused(plain, "create_project", 403, key="NEW", name="New")
    assert "administer the project" in refused(plain, "create_version", 403, project_key="LAB", name="1.0")
    assert "can not be empty" in refused(plain, "add_comment", issue_key="OPS-2", body="  ")


# Boards and sprints


def test_a_sprint_is_planned_started_and_completed(episode: Episode) -> None:
    board = call(episode, "get_agile_boards", project_key="OPS")["values"][0]["id"]
    sprint = str(call(episode, "create_sprint", name="Week 10", board_id=board)["id"])
    call(episode, "add_issues_to_sprint", sprint_id=sprint, issue_keys=["OPS-2", "OPS-5"])
    assert "startDate" in refused(episode, "update_sprint", sprint_id=sprint, state="active")
    assert "before the end" in refused(
        episode, "update_sprint", sprint_id=sprint, start_date="2026-03-09", end_date="2026-03-02"
    )
    assert "active state" in refused(episode, "update_sprint", sprint_id=sprint, state="closed")
    dates = {"start_date": "2026-03-02", "end_date": "2026-03-09"}
    assert call(episode, "update_sprint", sprint_id=sprint, state="active", **dates)["state"] == "active"
    assert sorted(keys(episode, "sprint in openSprints()")) == [
        "OPS-2",
        "OPS-5",
        "OPS-6",
    ]  # a sub-task goes with its parent
    assert "OPS-6" in [i["key"] for i in call(episode, "get_sprint_issues", sprint_id=sprint)["issues"]]
    held = call(episode, "get_issue", issue_key="OPS-6", fields="Sprint")["fields"]["customfield_10020"]
    assert [h["name"] for h in held] == ["Week 10"]
    other = str(call(episode, "create_sprint", name="Week 11", board_id=board)["id"])
    assert "already an active sprint" in refused(episode, "update_sprint", sprint_id=other, state="active", **dates)
    assert "set back" in refused(episode, "update_sprint", sprint_id=sprint, state="future")
    assert "Sub-tasks" in refused(episode, "add_issues_to_sprint", sprint_id=sprint, issue_keys=["OPS-3", "OPS-6"])
    call(episode, "transition_issue", issue_key="OPS-5", transition_id="Done")
    call(episode, "update_sprint", sprint_id=sprint, state="closed")
    assert [c.table for c in episode.changes() if c.table == "sprint" or "sprints" in c.columns][-1:] == ["sprint"]
    assert keys(episode, "sprint in closedSprints()") == ["OPS-6", "OPS-5", "OPS-2"]
    call(episode, "add_issues_to_sprint", sprint_id=other, issue_keys=["OPS-2"])
    assert keys(episode, "sprint in closedSprints() AND sprint in futureSprints()") == ["OPS-6", "OPS-2"]
    call(episode, "move_issues_to_backlog", issue_keys=["OPS-2"])
    assert "OPS-2" in [i["key"] for i in call(episode, "get_backlog_issues", board_id=str(board))["issues"]]
    assert "closed sprint" in refused(episode, "delete_sprint", sprint_id=sprint)
    assert "active or in the future" in refused(episode, "add_issues_to_sprint", sprint_id=sprint, issue_keys=["OPS-2"])


def test_ranks_put_issues_before_and_after_others(episode: Episode) -> None:
    call(episode, "rank_issues", issue_keys=["OPS-5", "OPS-3"], before="OPS-1")
    assert keys(episode, "project = OPS ORDER BY Rank") == ["OPS-5", "OPS-3", "OPS-1", "OPS-2", "OPS-4", "OPS-6"]
    call(episode, "rank_issues", issue_keys=["OPS-5"], after="OPS-6")
    assert keys(episode, "project = OPS ORDER BY Rank")[-1] == "OPS-5"
    assert "Exactly one" in refused(episode, "rank_issues", issue_keys=["OPS-5"])


def test_epics_take_standard_issues_alone(episode: Episode) -> None:
    call(episode, "link_to_epic", epic_key="OPS-1", issue_keys=["OPS-5"])
    assert sorted(keys(episode, 'parent = OPS-1 AND "Epic Link" = OPS-1')) == ["OPS-2", "OPS-4", "OPS-5"]
    assert "hierarchy" in refused(episode, "link_to_epic", epic_key="OPS-1", issue_keys=["OPS-3", "OPS-6"])
    assert "epic does not exist" in refused(episode, "link_to_epic", 404, epic_key="OPS-2", issue_keys=["OPS-3"])
    call(episode, "link_to_epic", epic_key="none", issue_keys=["OPS-5"])
    assert keys(episode, "issuetype = Epic OR parent is EMPTY ORDER BY key") == ["OLD-1", "OPS-1", "OPS-3", "OPS-5"]


# JQL


@pytest.mark.parametrize(
    ("jql", "found"),
    [
        ("project = ops", "1 2 3 4 5 6"),
        ('project = "Operations" AND assignee = currentUser()', "3"),
        ("assignee = 'nina.ray@brightwater.example'", "2"),
        ('assignee in ("Nina Ray", currentUser())', "2 3"),
        ("assignee != currentUser()", "2"),
        ("project = OPS AND assignee is EMPTY", "1 4 5 6"),
        ("assignee in membersOf('jira-administrators')", "3"),
        ("statusCategory = 'In Progress'", "1 5"),
        ("status in (Done, 'In Review')", "4 5"),
        ("resolution = Unresolved AND project = OPS AND status != 'To Do'", "1 5"),
        ("priority >= High", "1 2"),
        ("priority < Medium", "3"),
        ("priority is EMPTY AND project = OPS", "4 6"),
        ("labels = q1 AND labels = legal", "2"),
        ("labels not in (legal)", "4"),
        ("type = Bug || type = Story", "3 4"),
        ("issuetype in subTaskIssueTypes()", "6"),
        ("parent = OPS-1", "2 4"),
        ("key in (OPS-2, ops-3)", "2 3"),
        ("key > OPS-4", "5 6"),
        ("due <= endOfWeek()", "2"),
        ('due >= "2026-03-06" and duedate < 2026-04-01', "5"),
        ("created >= -26d AND project = OPS", "4 5 6"),
        ("resolved >= startOfMonth(-1M)", "4"),
        ("created = '2026-02-03 09:00'", "3"),
        ("text ~ renewals", ""),
        ("text ~ renewing", "2"),
        ("text ~ folder", "2"),
        ("comment ~ '\"shared folder\"'", "2"),
        ("comment ~ '\"folder shared\"'", ""),
        ("summary ~ 'contract -piece'", "2"),
        ("summary ~ 'pri*' AND summary !~ yellow", "3"),
        ("description ~ 'sign OR nothing'", "2"),
        ("NOT (project = OPS AND status != Done) AND project = OPS", "4"),
        ("project = OPS AND (status = Done OR ! type = Task) AND type != Epic", "3 4 6"),
        ("filter = 'Filter for OPS board' AND type = Epic", "1"),
        ("watchers = 0 AND votes < 1 AND type = Bug", "3"),
        ("status WAS 'To Do' AND type = Bug", "3"),
        ("reporter was not currentUser()", "OLD-1"),
    ],
)
def test_jql_finds(episode: Episode, jql: str, found: str) -> None:
    expected = [k if "-" in k else f"OPS-{k}" for k in found.split()]
    assert sorted(keys(episode, jql)) == expected


@pytest.mark.parametrize(
    ("jql", "said"),
    [
        ("", "Unbounded JQL queries are not allowed here. Please add a search restriction to your query."),
        ("ORDER BY key", "Unbounded JQL queries are not allowed here. Please add a search restriction to your query."),
        ("colour = red", "Field 'colour' does not exist or you do not have permission to view it."),
        ("project = NOPE", "The value 'NOPE' does not exist for the field 'project'."),
        ("project = 99999", "A value with ID '99999' does not exist for the field 'project'."),
        ("status = Shipped", "The value 'Shipped' does not exist for the field 'status'."),
        ("assignee = bob", "The value 'bob' does not exist for the field 'assignee'."),
        ("key = OPS-99", "An issue with key 'OPS-99' does not exist for field 'key'."),
        ("project ~ OPS", "The operator '~' is not supported by the 'project' field."),
        ("summary = x", "The operator '=' is not supported by the 'summary' field."),
        ("project in OPS", "Operator 'in' does not support the non-list value 'OPS' for field 'project'."),
        ("project = (OPS, LAB)", "Operator '=' does not support the list value '(OPS, LAB)' for field 'project'."),
        ("assignee = noSuch()", "Unable to find JQL function 'noSuch()'."),
        ("status = currentUser()", "A value provided by the function 'currentUser' is invalid for the field 'status'."),
        ("assignee = currentUser(1)", "Function 'currentUser' expected '0' arguments but received '1'."),
        ("updated > yesterday", "Date value 'yesterday' for field 'updated' is invalid."),
        ("project = OPS AND", "Error in the JQL Query: Expecting a field name at the end of the query."),
        ("project OPS", "Error in the JQL Query: Expecting operator but got 'OPS'. The valid operators are"),
        ("project = OPS status = Done", "Error in the JQL Query: Expecting either 'OR' or 'AND' but got 'status'. (line 1, character 15)"),
        ("(project = OPS", "Error in the JQL Query: Expecting ')' before the end of the query."),
        ("summary ~ 'open", "Error in the JQL Query: The quoted string 'open' has not been completed. (line 1, character 11)"),
        ("limit = 3", "'limit' is a reserved JQL word."),
        ("assignee = a@b.c", "The character '@' is a reserved JQL character."),
        ("status was Done from 'To Do'", "The predicate 'FROM' is not supported with the operator 'was'"),
        ("project = OPS ORDER BY text", "Not able to sort using field 'text'."),
        ("project = OPS ORDER BY colour", "Field 'colour' does not exist or you do not have permission to view it."),
        ("summary ~ '*x'", "The '*' and '?' are not allowed as first character in wildcard query."),
        ("summary ~ '('", "Unable to parse the text '(' for field 'summary'."),
        ("(" * 60 + "key = OPS-1" + ")" * 60, "The JQL query is nested too deeply."),
        (" OR ".join(["key = OPS-1"] * 500), "The JQL query is too complex"),
    ],
)  # fmt: skip
def test_jql_that_means_nothing_is_refused_in_jiras_words(episode: Episode, jql: str, said: str) -> None:
    assert refused(episode, "search", jql=jql).startswith(said) or said in refused(episode, "search", jql=jql)


def test_jql_orders_by_several_fields_with_empty_values_last(episode: Episode) -> None:
    assert keys(episode, "project = OPS ORDER BY priority DESC, key ASC") == [f"OPS-{n}" for n in (4, 6, 2, 1, 5, 3)]
    assert keys(episode, "project = OPS ORDER BY due, key DESC") == [f"OPS-{n}" for n in (2, 5, 6, 4, 3, 1)]


def test_changed_looks_at_the_history(episode: Episode) -> None:
    assert keys(episode, "status CHANGED") == []
    call(episode, "transition_issue", issue_key="OPS-2", transition_id="In Progress")
    assert keys(episode, "status CHANGED FROM 'To Do' TO 'In Progress' BY currentUser() AFTER startOfDay()") == [
        "OPS-2"
    ]
    assert keys(episode, "status CHANGED TO Done") == []
    assert keys(episode, "status WAS 'To Do' AND status = 'In Progress'") == ["OPS-2"]
    assert keys(episode, "status CHANGED DURING ('2026-03-02', now())") == ["OPS-2"]


CLAUSES = st.sampled_from(
    ["status = Done", "assignee is EMPTY", "labels is EMPTY", "priority is not NULL", "text ~ contract", "type != Bug", "status WAS Done",
     "project = OPS", "resolution is not EMPTY", "reporter != currentUser()", "created < -20d", "sprint is EMPTY", "watchers = 0"]
)  # fmt: skip
QUERIES = st.recursive(
    CLAUSES,
    lambda inner: st.one_of(
        inner.map(lambda q: f"NOT ({q})"),
        st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
    ),
    max_leaves=5,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(QUERIES)
def test_a_query_and_its_negation_share_out_all_issues(query: str) -> None:
    episode = fresh()
    yes, no = set(keys(episode, query)), set(keys(episode, f"NOT ({query})"))
    assert not yes & no
    assert yes | no == set(keys(episode, "project is not EMPTY"))


def test_not_turns_operators_round(episode: Episode) -> None:
    """As in Jira: without the value, an issue passes neither a clause nor its negation."""
    for query, opposite in (
        ("assignee = currentUser()", "assignee != currentUser()"),
        ("labels in (q1, LEGAL)", "labels not in (q1, LEGAL)"),
        ("due < 7d", "due >= 7d"),
        ("due is EMPTY", "due is not EMPTY"),
        (
            "due is EMPTY OR priority > Low AND NOT labels = legal",
            "due is not EMPTY AND (priority <= Low OR labels = legal)",
        ),
        ("status WAS Done", "status WAS NOT Done"),
    ):
        assert keys(episode, f"NOT ({query})") == keys(episode, opposite)
        assert keys(episode, f"NOT NOT ({query})") == keys(episode, query)
    call(episode, "transition_issue", issue_key="OPS-2", transition_id="In Progress")
    assert "OPS-2" not in keys(episode, "NOT status CHANGED")


def test_was_knows_when_and_by_whom(episode: Episode) -> None:
    call(episode, "transition_issue", issue_key="OPS-2", transition_id="In Progress")
    assert keys(episode, "status WAS 'To Do' BEFORE startOfDay() AND type != Bug AND project = OPS") == [
        "OPS-6",
        "OPS-2",
    ]
    assert keys(episode, "status WAS 'In Progress' BEFORE startOfDay() AND key = OPS-2") == []
    assert keys(episode, "status WAS IN ('In Progress', Done) AFTER startOfDay() BY currentUser() AND key = OPS-2") == [
        "OPS-2"
    ]
    assert keys(episode, "status WAS 'In Progress' BY 'Nina Ray' AND key = OPS-2") == []
    assert keys(episode, "status WAS 'In Progress' ON now() AND key = OPS-2") == ["OPS-2"]
    assert keys(episode, "status WAS 'To Do' DURING ('2026-02-03', '2026-02-04') AND project = OPS") == [
        "OPS-3",
        "OPS-2",
    ]
    assert "OPS-2" in keys(episode, "status WAS NOT Done AFTER '2026-01-01'")
    call(episode, "assign_issue", issue_key="OPS-2")
    assert keys(episode, "assignee WAS EMPTY AFTER startOfDay() AND key = OPS-2") == ["OPS-2"]


def test_common_words_are_not_searched_for(episode: Episode) -> None:
    assert keys(episode, "summary ~ 'with a contract'") == ["OPS-6", "OPS-2"]
    assert keys(episode, "summary ~ '\"piece contract\"'") == ["OPS-6"]
    assert keys(episode, "summary ~ 'the'") == []
    assert keys(episode, "summary ~ 'contract -the'") == ["OPS-6", "OPS-2"]
    assert keys(episode, "summary ~ 'printer OR the'") == ["OPS-3"]


def test_links_and_parts_can_be_searched_for(episode: Episode) -> None:
    call(episode, "create_issue_link", link_type="Blocks", inward_issue_key="OPS-2", outward_issue_key="OPS-3")
    assert keys(episode, "issueLinkType = blocks") == ["OPS-2"]
    assert keys(episode, "issueLinkType is not EMPTY AND issueLinkType != Relates") == ["OPS-3", "OPS-2"]
    assert keys(episode, "issueLinkType = 'is blocked by'") == ["OPS-3"]
    assert keys(episode, "project = OPS AND issueLinkType is EMPTY AND type = Bug") == []
    assert keys(episode, "attachments is not EMPTY") == []
    assert keys(episode, "labels = LEGAL") == ["OPS-2"]
    first = call(episode, "create_version", project_key="OPS", name="1.0")
    call(episode, "create_version", project_key="OPS", name="2.0")
    call(episode, "update_issue", issue_key="OPS-2", fields={"fixVersions": ["1.0"]})
    assert keys(episode, "fixVersion = earliestUnreleasedVersion(OPS)") == ["OPS-2"]
    call(episode, "update_version", version_id=first["id"], released=True)
    assert keys(episode, "fixVersion = latestReleasedVersion(OPS)") == ["OPS-2"]
    call(episode, "add_worklog", issue_key="OPS-3", time_spent="1h", comment="Bought toner")
    assert keys(episode, "worklogComment ~ toner") == ["OPS-3"]
    assert keys(episode, "issuekey in updatedBy('nina.ray@brightwater.example') AND project = OPS") == ["OPS-2"]
    assert keys(episode, "hierarchyLevel = 1") == ["OPS-1"]


WORDS = """project status labels text summary due created key sprint fixVersion priority assignee comment cf[10016] votes worklogDate parent
    statusCategory resolution filter watcher issueLinkType attachments worklogComment workRatio hierarchyLevel blocks updatedBy("Nina_Ray")
    earliestUnreleasedVersion(OPS) updatedBy(x,-1d)
    = != > <= ~ !~ in not is was changed and or ( ) , ! && || EMPTY null OPS Done q1 High -7d
    OPS-1 1 "x y" 'a' now() startOfDay(-1d) currentUser() membersOf(x) linkedIssues(OPS-1) order by asc desc after from to by during
    "*" "\\"" "~" "(a" -"""
TOKENS = st.sampled_from(WORDS.split())


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(TOKENS, max_size=9).map(" ".join))
def test_no_query_is_our_fault(query: str) -> None:
    reply = fresh().call("jira", "search", {"jql": query})
    assert reply.status in (200, 400), (query, reply.body)


def test_a_file_comes_as_a_form_that_says_it_is_no_forgery(episode: Episode) -> None:
    path = "/rest/api/3/issue/OPS-2/attachments"
    assert http(episode, "POST", path, {"file": {"content": "x"}}).status == 403
    assert http(episode, "POST", path, {"file": {"content": "x"}}, **{"x-atlassian-token": "no-check"}).status == 400
    made = call(episode, "add_attachment", issue_key="OPS-2", filename="note.txt", text="Hello")
    assert episode.call("jira", "download_attachment", {"attachment_id": made[0]["id"]}).body == b"Hello"
    assert "base64" in refused(episode, "add_attachment", issue_key="OPS-2", filename="a", content_base64="§")


def test_a_search_is_walked_page_by_page(episode: Episode) -> None:
    first = call(episode, "search", jql="project = OPS ORDER BY key", limit=4)
    assert (len(first["issues"]), first["isLast"], first["total"]) == (4, False, 6)
    second = call(episode, "search", jql="project = OPS ORDER BY key", limit=4, page_token=first["nextPageToken"])
    assert second["isLast"] is True
    assert "nextPageToken" not in second
    assert [i["key"] for i in first["issues"] + second["issues"]] == [f"OPS-{n}" for n in range(1, 7)]
    assert "next page token" in refused(episode, "search", jql="project = OPS", page_token="junk")


def test_the_older_search_counts_and_warns(episode: Episode) -> None:
    body = http(episode, "GET", "/rest/api/2/search?jql=project=OPS&startAt=4&maxResults=10&fields=summary").body
    assert (body["total"], body["startAt"], len(body["issues"])) == (6, 4, 2)
    warned = http(episode, "POST", "/rest/api/2/search", {"jql": "colour = red", "validateQuery": "warn"}).body
    assert warned["warningMessages"] == ["Field 'colour' does not exist or you do not have permission to view it."]
    assert warned["total"] == 0


# Faces


async def test_an_agent_sees_markdown_and_no_noise(episode: Episode) -> None:
    async with Client(serve(episode, ["jira"])) as client:
        result = await client.call_tool("get_issue", {"issue_key": "OPS-2"})
        shown = result.structured_content
        assert shown is not None
        assert shown["fields"]["description"] == "Two pages.\n\n- sign\n- send"
        assert "avatarUrls" not in json.dumps(shown)
        bad = await client.call_tool("get_issue", {"issue_key": "OPS-404"})
        assert bad.is_error


def test_tool_list_is_of_a_usable_size() -> None:
    assert 35 <= len(tools("jira")) <= 60


def test_rest_versions_differ_in_texts_alone(episode: Episode) -> None:
    third = http(episode, "GET", "/rest/api/3/issue/OPS-2").body["fields"]
    second = http(episode, "GET", "/rest/api/2/issue/OPS-2").body["fields"]
    assert third["description"]["content"][1]["type"] == "bulletList"
    assert second["description"] == "Two pages.\n\n- sign\n- send"
    assert http(episode, "GET", "/rest/api/4/issue/OPS-2").status == 404
    plain = http(episode, "POST", "/rest/api/3/issue/OPS-2/comment", {"body": "plain"})
    assert (plain.status, plain.body["errors"]) == (400, {"comment": "Comment body is not valid!"})
    bad = http(episode, "PUT", "/rest/api/3/issue/OPS-2", {"fields": {"description": "plain"}})
    assert "Atlassian Document" in bad.body["errors"]["description"]


def test_bulk_creation_speaks_the_version_that_it_is_called_in(episode: Episode) -> None:
    doc = {
        "type": "doc",
        "version": 1,
        "content": [{"type": "paragraph", "content": [{"type": "text", "text": "hello"}]}],
    }
    base = {"project": {"key": "OPS"}, "issuetype": {"name": "Task"}, "summary": "x"}
    asked = {
        "issueUpdates": [{"fields": base | {"description": d}} for d in (doc, "hello")]
        + [{"fields": {"summary": "y"}}, {"fields": 1}]
    }
    for version, right in ((3, 0), (2, 1)):
        said = http(episode, "POST", f"/rest/api/{version}/issue/bulk", asked)
        assert said.status == 201
        (made,) = said.body["issues"]
        assert made["self"].startswith(f"https://jira.test/rest/api/{version}/issue/")
        assert [e["failedElementNumber"] for e in said.body["errors"]] == [1 - right, 2, 3]
        assert said.body["errors"][1]["elementErrors"]["errors"]["issuetype"] == "Specify an issue type"


def test_texts_and_times_are_rendered(episode: Episode) -> None:
    call(
        episode,
        "update_issue",
        issue_key="OPS-2",
        fields={"description": "# Two <pages>\n\n- **sign**\n- [send](https://x.example)"},
    )
    shown = http(episode, "GET", "/rest/api/3/issue/OPS-2?expand=renderedFields").body["renderedFields"]
    assert shown["description"].split("\n") == [
        "<h1>Two &lt;pages&gt;</h1>",
        '<ul><li><p><b>sign</b></p></li><li><p><a href="https://x.example">send</a></p></li></ul>',
    ]
    assert (shown["created"], shown["duedate"], shown["summary"]) == ("02/Feb/26 9:00 AM", "05/Mar/26", None)
    assert shown["comment"]["comments"][0]["body"] == "<p>Shared folder is ready</p>"
    said = http(episode, "GET", "/rest/api/2/issue/OPS-2/comment?expand=renderedBody").body["comments"][0]
    assert (said["body"], said["renderedBody"]) == ("Shared folder is ready", "<p>Shared folder is ready</p>")
    whole = http(episode, "PUT", "/rest/api/3/issue/OPS-2?returnIssue=true", {"fields": {"summary": "New"}})
    assert (whole.status, whole.body["fields"]["summary"]) == (200, "New")


def test_an_empty_account_is_nobody(episode: Episode) -> None:
    made = http(episode, "POST", "/rest/api/3/component", {"name": "Desk", "project": "OPS", "leadAccountId": ""})
    assert (made.status, "lead" in made.body) == (201, False)
    changed = http(episode, "PUT", f"/rest/api/3/component/{made.body['id']}", {"leadAccountId": ""})
    assert (changed.status, "lead" in changed.body) == (200, False)


def test_lists_that_come_page_by_page(episode: Episode) -> None:
    for name in ("1.0", "2.0", "3.0"):
        made = call(episode, "create_version", project_key="OPS", name=name)
    call(episode, "update_version", version_id=made["id"], released=True)
    call(episode, "create_component", project_key="OPS", name="Desk")

    def names(path: str) -> list[Any]:
        body = http(episode, "GET", f"/rest/api/3/{path}").body
        assert {"startAt", "maxResults", "total", "isLast", "values"} <= body.keys()
        return [v if isinstance(v, str) else v["name"] for v in body["values"]]

    assert names("project/OPS/version?orderBy=-name&maxResults=2") == ["3.0", "2.0"]
    assert names("project/OPS/version?status=unreleased&startAt=1") == ["2.0"]
    assert names("project/OPS/component?query=de") == ["Desk"]
    assert names("label") == ["legal", "q1"]
    assert names("field/search?query=sprint&type=custom") == ["Sprint"]
    assert names("priority/search?maxResults=1") == ["Highest"]
    assert names("resolution/search?startAt=3") == ["Cannot Reproduce"]
    said = http(
        episode,
        "POST",
        "/rest/api/3/issue/bulkfetch",
        {"issueIdsOrKeys": ["OPS-3", "NO-1", "ops-2"], "fields": ["summary"]},
    ).body
    assert [i["key"] for i in said["issues"]] == ["OPS-2", "OPS-3"]
    assert [e["id"] for e in said["issueErrors"]] == ["NO-1"]
    checked = http(episode, "POST", "/rest/api/3/jql/parse", {"queries": ["project = OPS", "nonsense = 1", "("]}).body[
        "queries"
    ]
    assert [len(q.get("errors", [])) for q in checked] == [0, 1, 1]
    picked = http(episode, "GET", "/rest/api/3/issue/picker?query=contract&showSubTasks=false").body["sections"][0][
        "issues"
    ]
    assert [i["key"] for i in picked] == ["OPS-2"]
    assert [u["displayName"] for u in http(episode, "GET", "/rest/api/3/user/picker?query=ray").body["users"]] == [
        "Nina Ray"
    ]


def test_work_is_seen_by_whom_it_is_for(episode: Episode) -> None:
    hidden = {"type": "role", "value": "Member"}
    made = http(episode, "POST", "/rest/api/2/issue/OPS-2/worklog", {"timeSpent": "1h", "visibility": hidden}).body
    assert made["visibility"]["value"] == "Member"
    changed = http(episode, "PUT", f"/rest/api/2/issue/OPS-2/worklog/{made['id']}", {"timeSpent": "2h"}).body
    assert changed["visibility"]["value"] == "Member"
    bad = {"timeSpent": "1h", "visibility": {"type": "role", "value": "Kings"}}
    before = episode.changes()
    assert http(episode, "POST", "/rest/api/2/issue/OPS-2/worklog", bad).status == 400
    assert episode.changes() == before


def test_bulk_creation_lets_each_issue_fail_by_itself(episode: Episode) -> None:
    made = call(
        episode,
        "batch_create_issues",
        issues=[{"project_key": "OPS", "summary": "A"}, {"project_key": "OPS", "summary": ""}],
    )
    assert [i["key"] for i in made["issues"]] == ["OPS-7"]
    assert made["errors"][0]["failedElementNumber"] == 1
    assert len([c for c in episode.changes() if c.table == "issue"]) == 1
    none = episode.call("jira", "batch_create_issues", {"issues": [{"project_key": "NOPE", "summary": "x"}]})
    assert (none.error, none.status) == (True, 400)


def test_projects_are_made_renamed_and_deleted(episode: Episode) -> None:
    assert "uses this project key" in refused(episode, "create_project", key="OPS", name="Other")
    assert "uppercase" in refused(episode, "create_project", key="no", name="Other")
    call(episode, "create_project", key="NEW", name="New things", lead="Nina Ray")
    assert call(episode, "get_project", project_key="NEW")["lead"]["displayName"] == "Nina Ray"
    call(episode, "update_project", project_key="OPS", key="OPX")
    assert keys(episode, "project = OPX AND type = Bug") == ["OPX-3"]
    assert len(call(episode, "get_board_issues", board_id="1")["issues"]) == 6
    call(episode, "delete_project", project_key="OPX")
    assert "No project" in refused(episode, "get_project", 404, project_key="OPX")


def test_links_watchers_and_versions(episode: Episode) -> None:
    link = call(episode, "create_issue_link", link_type="Blocks", inward_issue_key="OPS-3", outward_issue_key="OPS-2")
    assert keys(episode, 'issue in linkedIssues(OPS-2, "is blocked by")') == ["OPS-3"]
    assert "to itself" in refused(
        episode, "create_issue_link", link_type="Blocks", inward_issue_key="OPS-3", outward_issue_key="OPS-3"
    )
    assert "No issue link type" in refused(
        episode, "create_issue_link", 404, link_type="Likes", inward_issue_key="OPS-3", outward_issue_key="OPS-2"
    )
    call(episode, "remove_issue_link", link_id=link["id"])
    call(episode, "add_watcher", issue_key="OPS-3", user="Nina Ray")
    assert keys(episode, "watcher = 'Nina Ray'") == ["OPS-3"]
    version = call(episode, "create_version", project_key="OPS", name="1.0", release_date="2026-04-01")
    assert "already exists" in refused(episode, "create_version", project_key="OPS", name="1.0")
    call(episode, "update_issue", issue_key="OPS-3", fields={"fixVersions": ["1.0"]})
    assert keys(episode, "fixVersion in unreleasedVersions(OPS)") == ["OPS-3"]
    call(episode, "update_version", version_id=version["id"], released=True)
    assert keys(episode, "fixVersion = 1.0 AND fixVersion in releasedVersions()") == ["OPS-3"]


# Texts and durations


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("ab *_`#->~[]()1.\n|"), max_size=60))
def test_every_text_makes_a_sound_document(text: str) -> None:
    assert not adf.problem(adf.document(text))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10_000_000))
def test_a_duration_is_read_as_it_is_written(minutes: int) -> None:
    assert times.seconds(times.shown(minutes * 60)) == minutes * 60


# The canonical side


def view(episode: Episode, kind: str, key: str) -> Any:
    live = episode.app("jira")
    ctx = Ctx(live, None, None, Request())
    column = {"user": "accountId", "project": "key", "issue": "key"}[kind]
    rows = ctx.db.query(f'SELECT * FROM "{kind}" WHERE "{column}" = ?', [key])
    assert rows, f"no {kind} {key}"
    shape = APP.shapes[kind]
    return APP.provides["project_tracking"].view(ctx, kind, shape.decode(tuple(rows[0][c] for c in shape.columns)))


@pytest.mark.parametrize("entity", ENTITIES, ids=lambda e: e.key)
def test_fill_then_view_gives_the_entity_back(episode: Episode, entity: Entity) -> None:
    live = episode.app("jira")
    table = {Person: "user", Project: "project", Task: "issue"}[type(entity)]
    name = f"{type(entity).__module__.rsplit('.', 1)[-1]}.{type(entity).__name__}"
    viewed = view(episode, table, live.template.refs[name][entity.key])
    people, projects = live.template.refs["people.Person"], live.template.refs["project_tracking.Project"]
    expected = entity.model_dump(exclude={"key", "id"})
    for field in ("manager", "lead", "assignee", "reporter"):
        if expected.get(field):
            expected[field] = people[expected[field]]
    if "members" in expected:
        expected["members"] = tuple(people[m] for m in expected["members"])
    if "project" in expected:
        expected["project"] = projects[expected["project"]]
    for comment in expected.get("comments", ()):
        comment["author"] = people[comment["author"]]
    assert viewed.model_dump(exclude={"key", "id"}) == expected


def test_every_entity_of_the_world_comes_back(episode: Episode) -> None:
    world = templates.episode(["jira"], world="quaymark")
    for task in worlds.load("quaymark").entities(Task):
        seen = view(world, "issue", task.key)
        assert (seen.title, seen.status, seen.kind, seen.body) == (task.title, task.status, task.kind, task.body)
        assert (seen.created, seen.done, seen.due) == (task.created, task.done, task.due)


def play(episode: Episode, plan: Any) -> list[Any]:
    """Plays a verb's plan; its replies."""
    replies = list[Any]()
    step = next(plan, None)
    while step is not None:
        replies.append(call(episode, step.tool, **step.arguments))
        try:
            step = plan.send(replies[-1])
        except StopIteration:
            break
    return replies


def test_each_verb_has_its_effect(episode: Episode) -> None:
    verbs = APP.provides["project_tracking"]
    nina = episode.app("jira").template.refs["people.Person"]["nina.ray"]
    assert len(play(episode, verbs.list_projects())[0]["values"]) == 2
    assert sum(len(r["issues"]) for r in play(episode, verbs.list_tasks("OPS"))) == 6
    assert play(episode, verbs.get_task("OPS-3"))[0]["key"] == "OPS-3"
    play(episode, verbs.create_task("OPS", "Fresh", "Body"))
    made = view(episode, "issue", "OPS-7")
    assert (made.title, made.body, made.status, made.kind) == ("Fresh", "Body", "todo", "task")
    play(episode, verbs.update_task("OPS-7", title="Fresher", due="2026-03-09", body="More"))
    made = view(episode, "issue", "OPS-7")
    assert (made.title, made.body, made.due) == ("Fresher", "More", "2026-03-09")
    for key in ("OPS-1", "OPS-2", "OPS-3", "OPS-5", "OPS-7"):
        play(episode, verbs.complete_task(key))
        assert view(episode, "issue", key).status == "done"
        assert view(episode, "issue", key).done.startswith("2026-03-02T09:00:")
    play(episode, verbs.comment("OPS-7", "Said"))
    assert view(episode, "issue", "OPS-7").comments[0].body == "Said"
    play(episode, verbs.assign_task("OPS-7", nina))
    assert view(episode, "issue", "OPS-7").assignee == nina
    play(episode, verbs.create_project("Fresh start", "FRE"))
    assert view(episode, "project", "FRE").name == "Fresh start"
    play(episode, verbs.delete_task("OPS-7"))
    assert "OPS-7" not in keys(episode, "project = OPS")
