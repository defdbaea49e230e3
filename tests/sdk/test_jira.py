"""Two clients of Jira, unmodified but for their base URL: `jira` (version 2 of the API, and agile) and atlassian-python-api (version 3)."""

import io
from typing import TYPE_CHECKING, Any

import pytest
from atlassian.jira import JiraCloud, JiraSoftware  # pyright: ignore[reportMissingTypeStubs]
from jira import JIRA
from jira.exceptions import JIRAError

if TYPE_CHECKING:
    from conftest import Gateway

pytestmark = [
    pytest.mark.sdk,
    # Both leave the closing of their sessions to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture
def rest(gateway: "Gateway") -> str:
    return gateway.episode(["jira"]).rest("jira")


@pytest.fixture
def client(rest: str) -> Any:
    return JIRA(server=rest, basic_auth=("maya.chen@quaymark.example", "token"), max_retries=0)


@pytest.fixture
def cloud(rest: str) -> Any:
    return JiraCloud(rest, username="maya.chen@quaymark.example", password="token")


@pytest.fixture
def software(rest: str) -> Any:
    return JiraSoftware(rest, username="maya.chen@quaymark.example", password="token")


def refused(call: Any, *args: Any, **kwargs: Any) -> tuple[int | None, str | None]:
    with pytest.raises(JIRAError) as caught:
        call(*args, **kwargs)
    return caught.value.status_code, caught.value.text


def account(client: Any, mail: str) -> str:
    return client.search_users(query=mail)[0].accountId


def test_what_the_site_is(client: Any) -> None:
    assert client.server_info()["deploymentType"] == "Cloud"
    assert client.myself()["emailAddress"] == "maya.chen@quaymark.example"
    assert client.session().raw["name"] == client.myself()["accountId"]
    assert [p.name for p in client.priorities()] == ["Highest", "High", "Medium", "Low", "Lowest"]
    assert {s.name for s in client.statuses()} == {"To Do", "In Progress", "In Review", "Done"}
    assert {r.name for r in client.resolutions()} >= {"Done", "Duplicate"}
    assert client.issue_type_by_name("Bug").subtask is False
    assert client.issue_link_type(client.issue_link_types()[0].id).name == "Blocks"
    assert client.my_permissions(projectKey="OPS", permissions="EDIT_ISSUES")["permissions"]["EDIT_ISSUES"][
        "havePermission"
    ]
    assert client.priority("1").name == "Highest"
    assert client.status("3").statusCategory.key == "indeterminate"
    assert client.user(client.myself()["accountId"]).displayName == "Maya Chen"
    assert "jira-administrators" in client.groups("jira")


def test_projects_and_what_belongs_to_them(client: Any) -> None:
    assert "OPS" in {p.key for p in client.projects()}
    project = client.project("OPS")
    assert project.lead.displayName == "Maya Chen"
    component = client.create_component("Renewals", "OPS", description="Everything that ends", leadUserName=None)
    assert [c.name for c in client.project_components("OPS")] == ["Renewals"]
    component.update(name="Contracts")
    assert client.component(component.id).name == "Contracts"
    assert client.project_role("OPS", "10002").actors
    version = client.create_version("Q2", "OPS", releaseDate="2026-06-30")
    version.update(released=True)
    assert client.project_versions("OPS")[0].released is True
    issue = client.issue("OPS-2")
    issue.update(fields={"fixVersions": [{"name": "Q2"}], "components": [{"id": component.id}]})
    assert client.version_count_related_issues(version.id)["issuesFixedCount"] == 1
    assert client.version_count_unresolved_issues(version.id) == 1
    version.delete()
    component.delete()
    assert client.issue("OPS-2").fields.fixVersions == []
    assert refused(client.project, "NOPE") == (404, "No project could be found with key 'NOPE'.")


def test_a_search_is_walked_by_its_page_tokens(client: Any) -> None:
    first = client.enhanced_search_issues("project = OPS ORDER BY key", maxResults=10, fields="summary")
    walked, token = [i.key for i in first], first.nextPageToken
    while token:
        page = client.enhanced_search_issues(
            "project = OPS ORDER BY key", maxResults=10, fields="summary", nextPageToken=token
        )
        walked += [i.key for i in page]
        token = page.nextPageToken
    every = client.search_issues("project = OPS ORDER BY key", maxResults=False)
    assert walked == [i.key for i in every] == [f"OPS-{n}" for n in range(1, len(walked) + 1)]
    assert len(walked) > 30
    assert client.approximate_issue_count("project = OPS") == len(walked)
    status, text = refused(client.search_issues, "colour = red")
    assert (status, text) == (400, "Field 'colour' does not exist or you do not have permission to view it.")


def test_an_issue_from_its_making_to_its_end(client: Any) -> None:
    leo = account(client, "leo.fontaine")
    issue = client.create_issue(
        project="OPS", summary="Check the sheet", description="*All* of it", issuetype={"name": "Bug"}, labels=["sheet"],
        assignee={"accountId": leo}, timetracking={"originalEstimate": "1d"},
    )  # fmt: skip
    assert issue.fields.assignee.displayName == "Leo Fontaine"
    assert issue.fields.description == "*All* of it"
    assert issue.fields.status.name == "To Do"
    assert issue.fields.timetracking.originalEstimate == "1d"
    issue.update(summary="Check the whole sheet", labels=[{"add": "urgent"}], priority={"name": "High"})
    assert (issue.fields.summary, issue.fields.labels) == ("Check the whole sheet", ["sheet", "urgent"])
    issue.add_field_value("labels", "third")
    assert client.assign_issue(issue, None)
    assert client.issue(issue.key).fields.assignee is None
    assert client.assign_issue(issue, "leo.fontaine@quaymark.example")
    names = [t["name"] for t in client.transitions(issue)]
    assert names == ["Start Progress", "Close Issue"]
    client.transition_issue(issue, "Start Progress", comment="On it")
    status, text = refused(client.transition_issue, issue, 5)
    assert status == 400
    assert "Resolution is required." in str(text)
    client.transition_issue(issue, "Resolve Issue", fields={"resolution": {"name": "Won't Do"}})
    closed = client.issue(issue.key, expand="changelog")
    assert (closed.fields.status.name, closed.fields.resolution.name) == ("Done", "Won't Do")
    assert closed.fields.resolutiondate
    changed = [item.field for h in closed.changelog.histories for item in h.items]
    assert changed.count("status") == 2
    assert refused(client.transition_issue, issue, 5)[0] == 400
    issue.delete()
    assert refused(client.issue, issue.key) == (404, "Issue does not exist or you do not have permission to see it.")


def test_many_issues_at_once(client: Any) -> None:
    fields = {"project": {"key": "OPS"}, "issuetype": {"name": "Task"}}
    made = client.create_issues(
        [{**fields, "summary": "One"}, {**fields, "summary": ""}, {**fields, "summary": "Three"}]
    )
    assert [m["status"] for m in made] == ["Success", "Error", "Success"]
    assert made[1]["error"] == {"summary": "You must specify a summary of the issue."}
    assert made[2]["issue"].fields.summary == "Three"
    none = client.create_issues([{**fields, "summary": ""}])
    assert none[0]["status"] == "Error"


def test_comments_work_watchers_votes_links_and_files(client: Any) -> None:
    comment = client.add_comment("OPS-3", "Let us decide")
    comment.update(body="Let us decide today")
    assert [c.body for c in client.comments("OPS-3")][-1] == "Let us decide today"
    assert client.comment("OPS-3", comment.id).author.displayName == "Maya Chen"
    comment.delete()
    work = client.add_worklog("OPS-3", timeSpent="1h 30m", comment="Reading")
    assert client.worklog("OPS-3", work.id).timeSpentSeconds == 5400
    work.update(timeSpent="2h")
    assert client.issue("OPS-3").fields.timetracking.timeSpent == "2h"
    work.delete()
    leo = account(client, "leo.fontaine")
    client.add_watcher("OPS-3", leo)
    assert [w.displayName for w in client.watchers("OPS-3").watchers] == ["Leo Fontaine"]
    client.remove_watcher("OPS-3", leo)
    assert client.watchers("OPS-3").watchCount == 0
    client.add_vote("OPS-3")
    assert client.votes("OPS-3").votes == 1
    client.remove_vote("OPS-3")
    client.create_issue_link("blocks", "OPS-3", "OPS-2", comment={"body": "Cannot start"})
    link = client.issue("OPS-2").fields.issuelinks[0]
    assert (link.type.inward, link.inwardIssue.key) == ("is blocked by", "OPS-3")
    client.delete_issue_link(link.id)
    file = client.add_attachment("OPS-3", io.BytesIO(b"a,b\n"), "sheet.csv")
    assert client.attachment(file.id).get() == b"a,b\n"
    client.delete_attachment(file.id)
    assert client.issue("OPS-3").fields.attachment == []
    remote = client.add_simple_link("OPS-3", {"url": "https://example.com/x", "title": "X"})
    assert client.remote_links("OPS-3")[0].id == remote.id
    client.add_issue_property("OPS-3", "sync", {"at": [1, 2]})
    assert client.issue_property("OPS-3", "sync").value.at == [1, 2]
    assert [p.key for p in client.issue_properties("OPS-3")] == ["sync"]


def test_filters_and_users(client: Any) -> None:
    saved = client.create_filter("Mine", "What I have", "assignee = currentUser()", favourite=True)
    assert [f.name for f in client.favourite_filters()] == ["Mine"]
    client.update_filter(saved.id, name="My own")
    assert client.filter(saved.id).name == "My own"
    assert len(client.search_issues("filter = 'My own'")) > 3
    assert (
        refused(client.create_filter, "Bad", jql="project = NOPE")[1]
        == "The value 'NOPE' does not exist for the field 'project'."
    )
    assert client.search_assignable_users_for_issues(query="patrick", issueKey="OPS-3") == []
    assert len(client.search_users(query="m", maxResults=3)) == 3


def test_boards_sprints_ranks_and_epics(client: Any) -> None:
    board = next(b for b in client.boards(projectKeyOrID="OPS"))
    assert board.type == "scrum"
    sprint = client.create_sprint(
        "Week 10", board.id, startDate="2026-03-02T09:00:00.000Z", endDate="2026-03-09T09:00:00.000Z"
    )
    client.add_issues_to_sprint(sprint.id, ["OPS-3", "OPS-5"])
    sprint.update(
        name="Week 10 and 11", startDate="2026-03-02T09:00:00.000Z", endDate="2026-03-16T09:00:00.000Z", state="active"
    )
    assert [s.state for s in client.sprints(board.id, state="active,future")] == ["active"]
    assert {i.key for i in client.search_issues("sprint in openSprints()")} == {"OPS-3", "OPS-5"}
    client.move_to_backlog(["OPS-5"])
    client.rank("OPS-3", next_issue="OPS-2")
    ranked = [i.key for i in client.search_issues("key in (OPS-2, OPS-3) ORDER BY rank")]
    assert ranked == ["OPS-3", "OPS-2"]
    client.update_sprint(sprint.id, state="closed")
    assert client.sprint(sprint.id).completeDate
    epic = client.create_issue(project="OPS", summary="Big", issuetype={"name": "Epic"})
    client.add_issues_to_epic(epic.id, ["OPS-2"])
    assert client.issue("OPS-2").fields.parent.key == epic.key


def test_version_3_speaks_documents(cloud: Any) -> None:
    said = {"type": "doc", "version": 1, "content": [{"type": "paragraph", "content": [{"type": "text", "text": "Hi "},
            {"type": "mention", "attrs": {"id": "5b10", "text": "@Leo"}}]}]}  # fmt: skip
    made = cloud.post("rest/api/3/issue", data={"fields": {
        "project": {"key": "OPS"}, "summary": "Documents", "issuetype": {"name": "Task"}, "description": said}})  # fmt: skip
    got = cloud.get(f"rest/api/3/issue/{made['key']}")
    assert got["fields"]["description"] == said
    assert cloud.get(f"rest/api/2/issue/{made['key']}")["fields"]["description"] == "Hi @Leo"
    cloud.post(f"rest/api/2/issue/{made['key']}/comment", data={"body": "**Bold** and `code`"})
    comment = cloud.get(f"rest/api/3/issue/{made['key']}/comment")["comments"][0]["body"]
    assert comment["content"][0]["content"][0] == {"type": "text", "text": "Bold", "marks": [{"type": "strong"}]}
    every = cloud.enhanced_jql_get_list_of_tickets("project = OPS", fields="summary")
    assert len(every) > 30
    assert len(cloud.enhanced_jql_get_list_of_tickets("project = OPS ORDER BY created", limit=7)) == 7
    assert set(cloud.enhanced_jql("project = OPS", fields=None)["issues"][0]) == {"id"}


def test_the_agile_client(software: Any) -> None:
    boards = software.get_all_boards(project_key_or_id="OPS")
    assert boards["values"][0]["location"]["projectKey"] == "OPS"
    board = boards["values"][0]["id"]
    assert software.get_issues_for_backlog(board)["total"] > 10
    assert software.get_epics(board)["values"][0]["key"] == "OPS-1"
