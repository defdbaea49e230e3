"""GitHub: the writes that the larger scenarios leave aside, each by what it answers, what a later read shows and what it changes."""

from typing import Any

import pytest

from legoenv_mcp.kernel.episode import Episode
from tests.apps.github.support import CODE, E, call, fresh, http, refused, view

ISSUE = f"{E}/issues/1"
PULL = f"{E}/pulls/3"


@pytest.fixture
def world() -> Episode:
    return fresh()


def ok(world: Episode, status: int, method: str, path: str, body: Any = None) -> Any:
    """The body of an answer with this status."""
    reply = http(world, method, path, body)
    assert reply.status == status, (method, path, body, reply.status, reply.body)
    return reply.body


def unchanged(world: Episode, status: int, method: str, path: str, body: Any = None) -> Any:
    """The body of a refusal with this status, which leaves everything as it was."""
    before = [c.as_json() for c in world.changes()]
    said = ok(world, status, method, path, body)
    assert [c.as_json() for c in world.changes()] == before
    return said


def tool(world: Episode, which: str, /, **arguments: Any) -> Any:
    """The answer of a tool that takes no repository."""
    reply = world.call("github", which, arguments)
    assert not reply.error, (which, arguments, reply.body)
    return reply.body


def changed(world: Episode) -> set[tuple[str, str]]:
    return {(c.table, c.kind) for c in world.changes()}


def events(world: Episode, number: int) -> list[str]:
    return [e["event"] for e in ok(world, 200, "GET", f"{E}/issues/{number}/events?per_page=100")]


# Actions


def test_a_workflow_is_dispatched_and_switched(world: Episode) -> None:
    flow = f"{E}/actions/workflows/ci.yml"
    unchanged(world, 404, "POST", f"{E}/actions/workflows/none.yml/dispatches", {"ref": "main"})
    unchanged(world, 422, "POST", f"{flow}/dispatches", {"ref": "nowhere"})
    assert ok(world, 204, "POST", f"{flow}/dispatches", {"ref": "top"}) is None
    run = ok(world, 200, "GET", f"{E}/actions/runs?event=workflow_dispatch")["workflow_runs"]
    assert [(r["head_branch"], r["status"], r["actor"]["login"]) for r in run] == [("top", "queued", "alex")]
    assert changed(world) == {("run", "insert")}
    told = ok(world, 200, "POST", f"{flow}/dispatches", {"ref": "main", "return_run_details": True})
    assert ok(world, 200, "GET", f"{E}/actions/runs/{told['workflow_run_id']}")["head_branch"] == "main"

    ok(world, 204, "PUT", f"{flow}/disable")
    unchanged(world, 403, "POST", f"{flow}/dispatches", {"ref": "main"})
    unchanged(world, 404, "PUT", f"{E}/actions/workflows/none.yml/enable")
    ok(world, 204, "PUT", f"{flow}/enable")
    assert ok(world, 200, "GET", flow)["state"] == "active"
    ok(world, 204, "POST", f"{flow}/dispatches", {"ref": "main"})


def test_only_failed_jobs_run_again(world: Episode) -> None:
    failed = call(world, "list_workflow_runs", workflow_id="ci.yml", branch="top")["workflow_runs"][0]
    running = call(world, "list_workflow_runs", workflow_id="ci.yml", status="in_progress")["workflow_runs"][0]
    refused(world, 404, "rerun_failed_jobs", run_id=1)
    refused(world, 403, "rerun_failed_jobs", run_id=running["id"])
    assert call(world, "rerun_failed_jobs", run_id=failed["id"])["run_id"] == failed["id"]
    again = call(world, "get_workflow_run", run_id=failed["id"])
    assert (again["run_attempt"], again["status"], again.get("conclusion")) == (2, "queued", None)
    jobs = call(world, "list_workflow_jobs", run_id=failed["id"])["jobs"]
    assert [(j["name"], j["status"]) for j in jobs] == [("test", "queued")]
    refused(world, 403, "rerun_failed_jobs", run_id=failed["id"])  # it runs already


# Issues


def test_a_conversation_is_unlocked(world: Episode) -> None:
    ok(world, 204, "PUT", f"{ISSUE}/lock", {"lock_reason": "too heated"})
    shown = ok(world, 200, "GET", ISSUE)
    assert (shown["locked"], shown["active_lock_reason"]) == (True, "too heated")
    unchanged(world, 404, "DELETE", f"{E}/issues/99/lock")
    ok(world, 204, "DELETE", f"{ISSUE}/lock")
    shown = ok(world, 200, "GET", ISSUE)
    assert (shown["locked"], shown["active_lock_reason"]) == (False, None)
    assert events(world, 1)[-2:] == ["locked", "unlocked"]
    assert world.changes() == []


def test_assignees_and_labels_are_taken_off(world: Episode) -> None:
    call(world, "update_issue", issue_number=1, assignees=["alex", "nina"], labels=["bug", "docs"])
    unchanged(world, 404, "DELETE", f"{E}/issues/99/assignees", {"assignees": ["alex"]})
    left = ok(world, 200, "DELETE", f"{ISSUE}/assignees", {"assignees": ["alex", "nobody"]})
    assert [u["login"] for u in left["assignees"]] == ["nina"]
    assert view(world, "issue", number=1).assignees == ("nina",)
    unchanged(world, 404, "DELETE", f"{E}/issues/99/labels")
    ok(world, 204, "DELETE", f"{ISSUE}/labels")
    assert ok(world, 200, "GET", f"{ISSUE}/labels") == []
    assert view(world, "issue", number=1).labels == ()
    assert events(world, 1).count("unlabeled") == 2
    assert {label["name"] for label in ok(world, 200, "GET", f"{E}/labels")} >= {"bug", "docs"}


def test_sub_issues_come_and_go(world: Episode) -> None:
    child = call(world, "create_issue", title="Part")
    unchanged(world, 404, "POST", f"{ISSUE}/sub_issues", {"sub_issue_id": 1})
    unchanged(world, 404, "POST", f"{E}/issues/99/sub_issues", {"sub_issue_id": child["id"]})
    assert ok(world, 201, "POST", f"{ISSUE}/sub_issues", {"sub_issue_id": child["id"]})["number"] == 1
    assert [i["id"] for i in ok(world, 200, "GET", f"{ISSUE}/sub_issues")] == [child["id"]]
    unchanged(world, 422, "POST", f"{ISSUE}/sub_issues", {"sub_issue_id": child["id"]})
    unchanged(world, 422, "POST", f"{E}/issues/5/sub_issues", {"sub_issue_id": child["id"]})
    ok(world, 201, "POST", f"{E}/issues/5/sub_issues", {"sub_issue_id": child["id"], "replace_parent": True})
    assert ok(world, 200, "GET", f"{ISSUE}/sub_issues") == []
    unchanged(world, 404, "DELETE", f"{ISSUE}/sub_issue", {"sub_issue_id": child["id"]})
    assert ok(world, 200, "DELETE", f"{E}/issues/5/sub_issue", {"sub_issue_id": child["id"]})["number"] == 5
    ok(world, 404, "GET", f"{E}/issues/{child['number']}/parent")
    assert changed(world) == {("issue", "insert")}


def test_a_milestone_that_goes_leaves_its_issues(world: Episode) -> None:
    one = next(m for m in call(world, "list_milestones") if m["title"] == "1.0")
    assert view(world, "issue", number=1).milestone == "1.0"
    unchanged(world, 404, "DELETE", f"{E}/milestones/99")
    ok(world, 204, "DELETE", f"{E}/milestones/{one['number']}")
    ok(world, 404, "GET", f"{E}/milestones/{one['number']}")
    assert ok(world, 200, "GET", ISSUE)["milestone"] is None
    assert view(world, "issue", number=1).milestone == ""
    assert changed(world) == {("milestone", "delete"), ("issue", "update")}


def test_reactions_to_issues_and_comments(world: Episode) -> None:
    made = ok(world, 201, "POST", f"{ISSUE}/reactions", {"content": "heart"})
    assert (made["content"], made["user"]["login"]) == ("heart", "alex")
    unchanged(world, 404, "DELETE", f"{E}/issues/5/reactions/{made['id']}")
    unchanged(world, 404, "DELETE", f"{ISSUE}/reactions/1")
    ok(world, 204, "DELETE", f"{ISSUE}/reactions/{made['id']}")
    assert ok(world, 200, "GET", f"{ISSUE}/reactions") == []
    assert ok(world, 200, "GET", ISSUE)["reactions"]["heart"] == 0

    said = ok(world, 200, "GET", f"{ISSUE}/comments")[0]
    comment = f"{E}/issues/comments/{said['id']}"
    unchanged(world, 404, "POST", f"{E}/issues/comments/1/reactions", {"content": "eyes"})
    unchanged(world, 422, "POST", f"{comment}/reactions", {"content": "thumbs"})
    eyes = ok(world, 201, "POST", f"{comment}/reactions", {"content": "eyes"})
    assert ok(world, 200, "POST", f"{comment}/reactions", {"content": "eyes"})["id"] == eyes["id"]
    assert ok(world, 200, "GET", comment)["reactions"]["eyes"] == 1
    assert changed(world) == {("reaction", "insert")}
    unchanged(world, 404, "DELETE", f"{comment}/reactions/1")
    ok(world, 204, "DELETE", f"{comment}/reactions/{eyes['id']}")
    assert ok(world, 200, "GET", comment)["reactions"]["total_count"] == 0
    assert world.changes() == []


# Pull requests


def test_a_pull_request_is_rewritten_over_rest(world: Episode) -> None:
    unchanged(world, 404, "PATCH", f"{E}/pulls/99", {"title": "x"})
    unchanged(world, 404, "PATCH", f"{E}/pulls/1", {"title": "An issue is none"})
    unchanged(world, 422, "PATCH", PULL, {"title": " "})
    unchanged(world, 422, "PATCH", PULL, {"base": "nowhere"})
    sent = {"title": "Top line", "body": "Only words", "base": "clash"}
    made = ok(world, 200, "PATCH", PULL, sent)
    assert (made["title"], made["body"], made["base"]["ref"], made["state"]) == (*sent.values(), "open")
    pull = view(world, "issue", number=3)
    assert (pull.title, pull.base) == ("Top line", "clash")
    assert events(world, 3)[-2:] == ["base_ref_changed", "renamed"]
    assert ok(world, 200, "PATCH", PULL, {"state": "closed"})["closed_at"]
    assert ok(world, 200, "GET", PULL)["state"] == "closed"
    assert ok(world, 200, "GET", ISSUE)["state"] == "open"


def test_a_branch_is_brought_up_to_date_over_rest(world: Episode) -> None:
    before = ok(world, 200, "GET", PULL)["head"]["sha"]
    unchanged(world, 404, "PUT", f"{E}/pulls/99/update-branch")
    unchanged(world, 422, "PUT", f"{PULL}/update-branch", {"expected_head_sha": "0" * 40})
    unchanged(world, 422, "PUT", f"{E}/pulls/4/update-branch")  # conflicts
    said = ok(world, 202, "PUT", f"{PULL}/update-branch", {"expected_head_sha": before})
    assert said["message"] == "Updating pull request branch."
    after = ok(world, 200, "GET", PULL)["head"]["sha"]
    merge = ok(world, 200, "GET", f"{E}/commits/{after}")
    main = ok(world, 200, "GET", f"{E}/branches/main")["commit"]["sha"]
    assert [p["sha"] for p in merge["parents"]] == [before, main]
    assert merge["commit"]["message"] == "Merge branch 'main' into top"
    assert changed(world) == {("commit", "insert"), ("ref", "update")}


def test_a_request_for_a_review_is_taken_back(world: Episode) -> None:
    asked = f"{PULL}/requested_reviewers"
    assert [u["login"] for u in ok(world, 200, "GET", asked)["users"]] == ["alex"]
    unchanged(world, 404, "DELETE", f"{E}/pulls/99/requested_reviewers", {"reviewers": ["alex"]})
    assert ok(world, 200, "DELETE", asked, {"reviewers": ["alex"]})["requested_reviewers"] == []
    assert ok(world, 200, "GET", asked)["users"] == []
    assert events(world, 3)[-1] == "review_request_removed"
    assert view(world, "issue", number=3).reviewers == ()


def test_reviews_are_drafted_dropped_and_submitted(world: Episode) -> None:
    reviews = f"{PULL}/reviews"
    draft = ok(world, 200, "POST", reviews, {"comments": [{"path": "src/core.py", "line": 1, "body": "Why?"}]})
    assert (draft["state"], "submitted_at" in draft) == ("PENDING", False)
    unchanged(world, 404, "DELETE", f"{reviews}/1")
    unchanged(world, 404, "DELETE", f"{E}/pulls/4/reviews/{draft['id']}")
    assert ok(world, 200, "DELETE", f"{reviews}/{draft['id']}")["id"] == draft["id"]
    ok(world, 404, "GET", f"{reviews}/{draft['id']}")
    assert world.changes() == []  # its comment is gone as well

    draft = ok(world, 200, "POST", reviews, {"body": "First thoughts"})
    unchanged(world, 404, "PUT", f"{reviews}/1", {"body": "x"})
    assert ok(world, 200, "PUT", f"{reviews}/{draft['id']}", {"body": "Second thoughts"})["state"] == "PENDING"
    unchanged(world, 404, "POST", f"{reviews}/1/events", {"event": "APPROVE"})
    unchanged(world, 422, "POST", f"{reviews}/{draft['id']}/events", {"body": "No verdict"})
    done = ok(world, 200, "POST", f"{reviews}/{draft['id']}/events", {"event": "APPROVE"})
    assert (done["state"], done["body"], "submitted_at" in done) == ("APPROVED", "Second thoughts", True)
    assert ok(world, 200, "GET", f"{PULL}/requested_reviewers")["users"] == []
    unchanged(world, 422, "POST", f"{reviews}/{draft['id']}/events", {"event": "COMMENT", "body": "Twice"})
    unchanged(world, 422, "DELETE", f"{reviews}/{draft['id']}")
    ok(world, 200, "PUT", f"{reviews}/{draft['id']}", {"body": "Good"})
    assert [(r.state, r.body) for r in view(world, "issue", number=3).reviews] == [("approved", "Good")]


def test_others_reviews_are_not_rewritten(world: Episode) -> None:
    one = ok(world, 200, "GET", f"{E}/pulls/2/reviews")[0]
    path = f"{E}/pulls/2/reviews/{one['id']}"
    assert ok(world, 200, "PUT", path, {"body": "Well done"})["body"] == "Well done"
    sql = "UPDATE review SET user_id = (SELECT id FROM account WHERE login = 'nina') WHERE id = ?"
    world.app("github").store.connection.execute(sql, (one["id"],))
    unchanged(world, 403, "PUT", path, {"body": "Words in a mouth"})


def test_comments_on_lines(world: Episode) -> None:
    head = ok(world, 200, "GET", PULL)["head"]["sha"]
    said = {"body": "Why so loud?", "commit_id": head, "path": "src/core.py", "line": 1, "side": "RIGHT"}
    unchanged(world, 404, "POST", f"{E}/pulls/99/comments", said)
    unchanged(world, 422, "POST", f"{PULL}/comments", {**said, "path": "none.py"})
    unchanged(world, 422, "POST", f"{PULL}/comments", {**said, "commit_id": "0" * 40})
    first = ok(world, 201, "POST", f"{PULL}/comments", said)
    assert (first["line"], first["user"]["login"], "+LINE 1" in first["diff_hunk"]) == (1, "alex", True)
    assert ok(world, 200, "GET", f"{PULL}/reviews")[-1]["state"] == "COMMENTED"
    assert changed(world) == {("review", "insert"), ("reviewcomment", "insert"), ("pull", "update")}

    unchanged(world, 404, "POST", f"{PULL}/comments/1/replies", {"body": "To nobody"})
    unchanged(world, 404, "POST", f"{E}/pulls/4/comments/{first['id']}/replies", {"body": "Elsewhere"})
    answer = ok(world, 201, "POST", f"{PULL}/comments/{first['id']}/replies", {"body": "On purpose"})
    assert (answer["in_reply_to_id"], answer["path"]) == (first["id"], "src/core.py")
    assert [c["id"] for c in ok(world, 200, "GET", f"{PULL}/comments")] == [first["id"], answer["id"]]

    last = ok(world, 201, "POST", f"{PULL}/comments", {"body": "I see", "in_reply_to": answer["id"]})
    assert last["in_reply_to_id"] == first["id"]

    one = f"{E}/pulls/comments/{first['id']}"
    unchanged(world, 404, "PATCH", f"{E}/pulls/comments/1", {"body": "x"})
    assert ok(world, 200, "PATCH", one, {"body": "Why?"})["body"] == "Why?"
    assert ok(world, 200, "GET", one)["body"] == "Why?"
    unchanged(world, 404, "POST", f"{E}/pulls/comments/1/reactions", {"content": "+1"})
    ok(world, 201, "POST", f"{one}/reactions", {"content": "+1"})
    assert ok(world, 200, "GET", one)["reactions"]["+1"] == 1

    unchanged(world, 404, "DELETE", f"{E}/pulls/comments/1")
    ok(world, 204, "DELETE", one)
    ok(world, 404, "GET", one)
    assert [c["id"] for c in ok(world, 200, "GET", f"{PULL}/comments")] == [answer["id"], last["id"]]
    thread = call(world, "pull_request_read", method="get_review_comments", pullNumber=3)["review_threads"][0]
    assert [c["body"] for c in thread["comments"]] == ["On purpose", "I see"]  # answers outlive what they answer
    assert "reaction" not in {table for table, _ in changed(world)}


# Files, releases, repositories, people


def test_a_file_is_deleted(world: Episode) -> None:
    refused(world, 404, "delete_file", path="none.md", message="Drop", branch="main")
    refused(world, 404, "delete_file", path="src", message="Drop", branch="main")  # a folder
    refused(world, 404, "delete_file", path="README.md", message="Drop", branch="nowhere")
    made = call(world, "delete_file", path="README.md", message="Drop the readme", branch="top")
    assert made["commit"]["message"] == "Drop the readme"
    refused(world, 404, "get_file_contents", path="README.md", ref="top")
    assert call(world, "get_file_contents", path="README.md")["content"] == "# engine\n"
    assert view(world, "commit", message="Drop the readme").changes[0].content is None
    assert changed(world) == {("commit", "insert"), ("ref", "update")}


def test_a_release_that_goes_leaves_its_tag(world: Episode) -> None:
    latest = call(world, "get_latest_release")
    unchanged(world, 404, "DELETE", f"{E}/releases/1")
    ok(world, 204, "DELETE", f"{E}/releases/{latest['id']}")
    ok(world, 404, "GET", f"{E}/releases/{latest['id']}")
    assert [t["name"] for t in call(world, "list_tags")] == ["v0.9"]
    assert changed(world) == {("release", "delete")}


def test_repositories_are_made(world: Episode) -> None:
    made = tool(world, "create_repository", name="my notes", description="Mine", autoInit=True)
    assert (made["full_name"], made["private"]) == ("alex/my-notes", True)
    readme = call(world, "get_file_contents", owner="alex", repo="my-notes", path="README.md")
    assert readme["content"] == "# my-notes\nMine\n"
    refused(world, 422, "create_repository", name="My-Notes")
    refused(world, 404, "create_repository", name="x", organization="nowhere")
    ours = tool(world, "create_repository", name="notes", organization="brightwater")
    assert ours["full_name"] == "brightwater/notes"

    unchanged(world, 404, "POST", "/orgs/nowhere/repos", {"name": "tool"})
    unchanged(world, 404, "POST", "/orgs/nina/repos", {"name": "tool"})  # a person
    unchanged(world, 422, "POST", "/orgs/brightwater/repos", {"name": "engine"})
    sent = {"name": "tool", "description": "A tool", "visibility": "private", "has_wiki": False}
    made = ok(world, 201, "POST", "/orgs/brightwater/repos", sent)
    assert made["organization"]["login"] == "brightwater"
    shown = ok(world, 200, "GET", "/repos/brightwater/tool")
    assert (shown["description"], shown["private"], shown["has_wiki"]) == ("A tool", True, False)
    assert view(world, "repository", name="tool").description == "A tool"


def test_collaborators_come_and_go(world: Episode) -> None:
    ok(world, 201, "POST", "/user/repos", {"name": "mine", "private": True})
    mine = "/repos/alex/mine/collaborators"
    level = f"{mine}/nina/permission"
    assert ok(world, 200, "GET", level)["permission"] == "none"
    unchanged(world, 404, "PUT", f"{mine}/nobody")
    unchanged(world, 422, "PUT", f"{mine}/alex")
    unchanged(world, 422, "PUT", f"{mine}/nina", {"permission": "king"})
    ok(world, 204, "PUT", f"{mine}/nina", {"permission": "maintain"})
    shown = ok(world, 200, "GET", level)
    assert (shown["permission"], shown["role_name"]) == ("write", "maintain")
    assert [u["login"] for u in ok(world, 200, "GET", f"{mine}?affiliation=direct")] == ["nina"]
    assert ("collaborator", "insert") in changed(world)
    unchanged(world, 404, "DELETE", f"{mine}/nobody")
    ok(world, 204, "DELETE", f"{mine}/nina")
    assert ok(world, 200, "GET", level)["permission"] == "none"
    assert "collaborator" not in {table for table, _ in changed(world)}
    reader = fresh(admin=False, base="read")
    unchanged(reader, 403, "PUT", f"{E}/collaborators/nina")


def test_stars(world: Episode) -> None:
    star = "/user/starred/brightwater/engine"
    unchanged(world, 404, "PUT", "/user/starred/brightwater/none")
    ok(world, 404, "GET", star)
    ok(world, 204, "PUT", star)
    ok(world, 204, "GET", star)
    ok(world, 204, "PUT", star)  # once more is no more
    assert [r["full_name"] for r in ok(world, 200, "GET", "/user/starred")] == ["brightwater/engine"]
    assert ok(world, 200, "GET", E)["stargazers_count"] == 1
    unchanged(world, 404, "DELETE", "/user/starred/brightwater/none")
    ok(world, 204, "DELETE", star)
    ok(world, 404, "GET", star)
    assert world.changes() == []


def test_gists(world: Episode) -> None:
    made = tool(world, "create_gist", filename="a.py", content=CODE, description="Lines", public=True)
    assert made["files"]["a.py"]["content"] == CODE
    assert [g["id"] for g in tool(world, "list_gists")] == [made["id"]]
    assert world.call("github", "create_gist", {"filename": "", "content": "x"}).status == 422
    assert world.call("github", "update_gist", {"gist_id": "0" * 32, "filename": "b", "content": "x"}).status == 404
    tool(world, "update_gist", gist_id=made["id"], filename="b.md", content="b\n", description="Both")
    shown = tool(world, "get_gist", gist_id=made["id"])
    assert shown["description"] == "Both"
    assert {name: file["content"] for name, file in shown["files"].items()} == {"a.py": CODE, "b.md": "b\n"}
    assert changed(world) == {("gist", "insert")}


def test_the_profile_is_changed(world: Episode) -> None:
    unchanged(world, 422, "PATCH", "/user", {"bio": 5})
    made = ok(world, 200, "PATCH", "/user", {"bio": "I operate", "location": "Leeds", "blog": "https://alex.example"})
    assert (made["bio"], made["location"], made["login"]) == ("I operate", "Leeds", "alex")
    shown = ok(world, 200, "GET", "/users/alex")
    assert (shown["bio"], shown["blog"], shown["name"]) == ("I operate", "https://alex.example", "Alex Doyle")
    assert changed(world) == {("account", "update")}
