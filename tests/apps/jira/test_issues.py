"""Jira: hard rules of issues; boards and sprints."""

from typing import Any

import pytest

from legoenv_mcp.kernel.episode import Episode
from tests.apps.jira.support import call, fresh, http, keys, refused


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
