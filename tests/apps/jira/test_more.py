"""Jira's boards, sprints, filters, web links, properties and archived projects: made and removed, with what depends on them."""

import pytest

from legoenv_mcp.kernel.episode import Episode
from tests.apps.jira.support import call, fresh, http, keys, refused

API, AGILE = "/rest/api/3", "/rest/agile/1.0"


@pytest.fixture
def episode() -> Episode:
    return fresh()


def wrong(episode: Episode, method: str, path: str, status: int = 404) -> str:
    """The messages of a REST request that is refused and changes nothing."""
    before = episode.changes()
    reply = http(episode, method, path)
    assert reply.status == status, reply.body
    assert episode.changes() == before
    return " ".join([*reply.body["errorMessages"], *reply.body["errors"].values()])


def test_a_board_shows_a_filter_and_is_deleted_with_its_sprints(episode: Episode) -> None:
    bugs = call(episode, "create_filter", name="Bugs", jql="project = OPS AND type = Bug")["id"]
    sent = {
        "name": "Bug board",
        "type": "scrum",
        "filterId": int(bugs),
        "location": {"type": "project", "projectKeyOrId": "OPS"},
    }
    unknown = http(episode, "POST", f"{AGILE}/board", {**sent, "filterId": 999})
    assert unknown.status == 404
    assert "filter with id 999" in unknown.body["errorMessages"][0]
    assert http(episode, "POST", f"{AGILE}/board", {**sent, "type": "wall"}).status == 400
    made = http(episode, "POST", f"{AGILE}/board", sent)
    assert (made.status, made.body["name"], made.body["type"]) == (201, "Bug board", "scrum")
    assert made.body["location"]["projectKey"] == "OPS"
    board = str(made.body["id"])
    assert [i["key"] for i in call(episode, "get_board_issues", board_id=board)["issues"]] == ["OPS-3"]
    assert "Bug board" in [b["name"] for b in call(episode, "get_agile_boards", project_key="OPS")["values"]]

    sprint = str(call(episode, "create_sprint", name="Bug week", board_id=board)["id"])
    call(episode, "add_issues_to_sprint", sprint_id=sprint, issue_keys=["OPS-3"])
    assert "Bug board" in wrong(episode, "DELETE", f"{API}/filter/{bugs}", 400)
    wrong(episode, "DELETE", f"{AGILE}/board/999")
    assert http(episode, "DELETE", f"{AGILE}/board/{board}").status == 204
    wrong(episode, "GET", f"{AGILE}/board/{board}")
    refused(episode, "get_sprint_issues", 404, sprint_id=sprint)
    assert call(episode, "get_issue", issue_key="OPS-3", fields="Sprint")["fields"]["customfield_10020"] is None

    # The filter was there before the board: it stays, and can be deleted now.
    assert http(episode, "GET", f"{API}/filter/{bugs}").body["name"] == "Bugs"
    assert http(episode, "DELETE", f"{API}/filter/{bugs}").status == 204
    wrong(episode, "GET", f"{API}/filter/{bugs}")
    wrong(episode, "DELETE", f"{API}/filter/{bugs}")
    assert "Bugs" not in [f["name"] for f in call(episode, "search_filters")["values"]]


def test_a_sprint_is_deleted_unless_it_is_closed(episode: Episode) -> None:
    board = call(episode, "get_agile_boards", project_key="OPS")["values"][0]["id"]
    first = str(call(episode, "create_sprint", name="Week 10", board_id=board)["id"])
    call(episode, "add_issues_to_sprint", sprint_id=first, issue_keys=["OPS-2"])
    assert "OPS-2" not in [i["key"] for i in call(episode, "get_backlog_issues", board_id=str(board))["issues"]]
    call(episode, "delete_sprint", sprint_id=first)
    assert "OPS-2" in [i["key"] for i in call(episode, "get_backlog_issues", board_id=str(board))["issues"]]
    assert call(episode, "get_sprints_from_board", board_id=str(board))["values"] == []
    log = [i for h in call(episode, "get_issue_changelog", issue_key="OPS-2")["values"] for i in h["items"]]
    assert (log[-1]["field"], log[-1]["fromString"], log[-1]["toString"] or "") == ("Sprint", "Week 10", "")
    refused(episode, "delete_sprint", 404, sprint_id=first)

    second = str(call(episode, "create_sprint", name="Week 11", board_id=board)["id"])
    call(episode, "update_sprint", sprint_id=second, state="active", start_date="2026-03-02", end_date="2026-03-09")
    call(episode, "update_sprint", sprint_id=second, state="closed")
    assert "closed" in refused(episode, "delete_sprint", sprint_id=second)


def test_a_link_to_a_web_page_is_removed_from_its_issue(episode: Episode) -> None:
    for title in ("Terms", "Prices"):
        call(
            episode, "create_remote_issue_link", issue_key="OPS-2", url=f"https://docs.example/{title}", title=title,
        )  # fmt: skip
    links = {r["object"]["title"]: r["id"] for r in http(episode, "GET", f"{API}/issue/OPS-2/remotelink").body}
    wrong(episode, "DELETE", f"{API}/issue/OPS-3/remotelink/{links['Terms']}")
    wrong(episode, "DELETE", f"{API}/issue/OPS-2/remotelink/999")
    assert http(episode, "DELETE", f"{API}/issue/OPS-2/remotelink/{links['Terms']}").status == 204
    left = http(episode, "GET", f"{API}/issue/OPS-2/remotelink").body
    assert [r["object"]["title"] for r in left] == ["Prices"]
    wrong(episode, "DELETE", f"{API}/issue/OPS-2/remotelink/{links['Terms']}")


def test_a_property_is_deleted(episode: Episode) -> None:
    path = f"{API}/issue/OPS-2/properties"
    assert http(episode, "PUT", f"{path}/sync", {"at": 7}).status == 201
    assert http(episode, "GET", f"{path}/sync").body == {"key": "sync", "value": {"at": 7}}
    wrong(episode, "DELETE", f"{path}/other")
    wrong(episode, "DELETE", f"{API}/issue/OPS-3/properties/sync")
    assert http(episode, "DELETE", f"{path}/sync").status == 204
    assert http(episode, "GET", path).body == {"keys": []}
    assert "sync" in wrong(episode, "GET", f"{path}/sync")


def test_a_projects_issues_are_read_only_while_it_is_archived(episode: Episode) -> None:
    def live() -> list[str]:
        return [p["key"] for p in call(episode, "search_projects")["values"]]

    assert "OPS" in live()
    assert http(episode, "POST", f"{API}/project/OPS/archive").status == 204
    assert "OPS" not in live()
    assert "archived" in refused(episode, "update_issue", issue_key="OPS-2", fields={"summary": "Sign"})
    assert "archived" in refused(episode, "create_issue", project_key="OPS", summary="New", issue_type="Task")
    assert "already archived" in wrong(episode, "POST", f"{API}/project/OPS/archive", 400)

    back = http(episode, "POST", f"{API}/project/OPS/restore")
    assert (back.status, back.body["key"]) == (200, "OPS")
    assert "OPS" in live()
    call(episode, "update_issue", issue_key="OPS-2", fields={"summary": "Sign"})
    assert keys(episode, "summary ~ Sign") == ["OPS-2"]
    assert "not archived" in wrong(episode, "POST", f"{API}/project/OPS/restore", 400)
    for what in ("archive", "restore"):
        wrong(episode, "POST", f"{API}/project/NONE/{what}")
        assert http(fresh(admin=False), "POST", f"{API}/project/OPS/{what}").status == 403
