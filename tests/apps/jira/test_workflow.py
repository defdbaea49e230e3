"""Jira: workflow."""

from legoenv_mcp.kernel.episode import Episode
from tests.apps.jira.support import call, http, keys, refused


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
