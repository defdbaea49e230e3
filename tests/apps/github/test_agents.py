"""GitHub: what agents and clients send."""

from legoenv_mcp.kernel.episode import Episode
from tests.apps.github.support import E, call, fresh, http, refused


def test_a_comment_may_be_a_reaction(episode: Episode) -> None:
    assert call(episode, "add_issue_comment", issue_number=1, reaction="heart")["content"] == "heart"
    comment = call(episode, "get_issue_comments", issue_number=1)[0]["id"]
    call(episode, "add_issue_comment", issue_number=1, reaction="eyes", comment_id=comment)
    assert call(episode, "get_issue", issue_number=1)["reactions"] == {"total_count": 1, "heart": 1}
    refused(episode, 422, "add_issue_comment", issue_number=1)
    refused(episode, 422, "add_issue_comment", issue_number=1, body="x", reaction="eyes", comment_id=comment)
    refused(episode, 404, "add_issue_comment", issue_number=5, reaction="eyes", comment_id=comment)
    assert [c.table for c in episode.changes()] == ["reaction", "reaction"]


def test_lengths_are_limited(episode: Episode) -> None:
    long = "x" * 65_537
    body = refused(episode, 422, "add_issue_comment", issue_number=1, body=long)
    assert body["errors"][0] == {
        "resource": "IssueComment", "code": "unprocessable", "field": "data", "message": "Body is too long (maximum is 65536 characters)",
    }  # fmt: skip
    for tool, arguments in (("create_issue", {"title": "x"}), ("update_issue", {"issue_number": 1}),
                            ("update_pull_request", {"pullNumber": 3}),
                            ("create_pull_request", {"title": "x", "head": "top", "base": "clash"})):  # fmt: skip
        body = refused(episode, 422, tool, body=long, **arguments)
        assert body["errors"][0]["message"] == "body is too long (maximum is 65536 characters)"
    refused(episode, 422, "label_write", method="update", name="bug", new_name=" ")
    refused(episode, 422, "label_write", method="create", name="n" * 51, color="ffffff")
    refused(episode, 422, "label_write", method="create", name="n", color="ffffff", description="d" * 101)
    assert episode.changes() == []


def test_labels_come_as_objects_too(episode: Episode) -> None:
    made = http(episode, "POST", f"{E}/issues", {"title": "x", "labels": [{"name": "bug"}, "docs"]})
    assert (made.status, [x["name"] for x in made.body["labels"]]) == (201, ["bug", "docs"])
    changed = http(episode, "PATCH", f"{E}/issues/1", {"labels": [{"name": "docs", "color": "x"}]})
    assert [x["name"] for x in changed.body["labels"]] == ["docs"]
    assert http(episode, "PATCH", f"{E}/issues/1", {"labels": [{"color": "x"}]}).status == 422


def test_a_new_pull_request_asks_for_reviews(episode: Episode) -> None:
    call(episode, "push_files", branch="next", files=[{"path": "x.txt", "content": "x"}], message="X")
    made = call(episode, "create_pull_request", title="Next", head="next", base="main", reviewers=["nina"])
    assert made["requested_reviewers"] == ["nina"]
    refused(episode, 422, "create_pull_request", title="Top", head="top", base="clash", reviewers=["alex"])


def test_parents_and_timelines(episode: Episode) -> None:
    child = call(episode, "create_issue", title="Part")
    where = {"method": "get_parent", "issue_number": child["number"]}
    assert http(episode, "GET", f"{E}/issues/{child['number']}/parent").status == 404
    call(episode, "sub_issue_write", method="add", issue_number=1, sub_issue_id=child["id"])
    assert call(episode, "issue_read", **where)["parent"]["number"] == 1
    call(episode, "create_pull_request_review", pullNumber=3, event="APPROVE", body="Yes")
    reviewed = [e for e in http(episode, "GET", f"{E}/issues/3/timeline").body if e["event"] == "reviewed"]
    assert [(e["state"], e["body"], e["user"]["login"]) for e in reviewed] == [("APPROVED", "Yes", "alex")]
    assert all(e["event"] != "reviewed" for e in http(episode, "GET", f"{E}/issues/3/events").body)


def test_commits_are_found(episode: Episode) -> None:
    found = episode.call("github", "search_commits", {"query": "start repo:brightwater/engine author:nina"}).body
    assert [i["commit"]["message"] for i in found["items"]] == ["Start"]
    call(episode, "push_files", branch="main", files=[{"path": "x", "content": "x"}], message="Mine")
    assert http(episode, "GET", f"{E}/commits/main").body["committer"]["login"] == "web-flow"


def test_paths_that_can_be_no_resource(episode: Episode) -> None:
    for path in (
        "issues/abc",
        "issues/0",
        "issues/99999999999999999999",
        "pulls/x/files",
        "releases/v1",
        "actions/runs/x",
    ):
        assert http(episode, "GET", f"{E}/{path}").body["message"] == "Not Found", path
    assert "issue_number" in refused(episode, 422, "get_issue", issue_number=0)["message"]
    whole = len(http(episode, "GET", f"{E}/issues?state=all").body)
    assert len(http(episode, "GET", f"{E}/issues?state=all&creator=&assignee=&milestone=&mentioned=").body) == whole
    bad = http(episode, "GET", f"{E}/issues?assignee=ghost").body["errors"]
    assert bad == [{"resource": "Issue", "code": "invalid", "field": "assignee", "value": "ghost"}]
    soon = http(episode, "POST", f"{E}/milestones", {"title": "m", "due_on": "soon"})
    assert (soon.status, "not a valid date-time" in soon.body["message"]) == (422, True)


def test_new_commits_dismiss_stale_approvals(episode: Episode) -> None:
    reviews = {"required_approving_review_count": 1, "dismiss_stale_reviews": True}
    rule = {
        "required_status_checks": None,
        "enforce_admins": True,
        "restrictions": None,
        "required_pull_request_reviews": reviews,
    }
    assert http(episode, "PUT", f"{E}/branches/main/protection", rule).status == 200
    call(episode, "create_pull_request_review", pullNumber=3, event="APPROVE")
    assert call(episode, "get_pull_request", pullNumber=3)["mergeable_state"] == "unstable"
    call(episode, "push_files", branch="top", files=[{"path": "x", "content": "x"}], message="More")
    assert [r["state"] for r in call(episode, "get_pull_request_reviews", pullNumber=3)] == ["DISMISSED"]
    assert "approving review" in refused(episode, 405, "merge_pull_request", pullNumber=3)["message"]


def test_runs_name_their_pull_requests(episode: Episode) -> None:
    run = call(episode, "actions_list", method="list_workflow_runs", workflow_runs_filter={"branch": "top"}, per_page=1)
    assert [p["number"] for p in run["workflow_runs"][0]["pull_requests"]] == [3]


def test_triage_sorts_issues_but_does_not_rewrite_them() -> None:
    episode = fresh(admin=False, base="read")
    call(episode, "add_issue_comment", issue_number=1, body="Readers may say something")
    live = episode.app("github").store.connection
    live.execute(
        "INSERT INTO collaborator SELECT r.id, a.id, 'triage' FROM repository r, account a WHERE a.login = 'alex'"
    )
    call(episode, "update_issue", issue_number=1, labels=["docs"], state="closed")
    refused(episode, 403, "update_issue", issue_number=1, title="Mine")


def test_smaller_lists(episode: Episode) -> None:
    call(episode, "push_files", branch="main", files=[{"path": "x", "content": "x"}], message="Mine")
    web = http(episode, "GET", f"{E}/commits?committer=noreply@github.com").body
    assert [c["commit"]["message"] for c in web] == ["Mine"]
    assert http(episode, "GET", f"{E}/assignees/nina").status == 204
    assert http(episode, "GET", f"{E}/assignees/ghost").status == 404
    note = {"path": "src/core.py", "line": 1, "body": "Why?"}
    call(episode, "create_pull_request_review", pullNumber=3, event="COMMENT", comments=[note])
    assert [c["body"] for c in http(episode, "GET", f"{E}/pulls/comments?sort=updated").body] == ["Why?"]


def test_dispatch_inputs_are_checked(episode: Episode) -> None:
    text = "\n".join([
        "name: Deploy", "on:", "  workflow_dispatch:", "    inputs:", "      where:", "        required: true", "      loud:",
        "        required: true", "        default: 'no'", "jobs:", "  go:", "    steps:", "      - run: x", "",
    ])  # fmt: skip
    call(
        episode,
        "push_files",
        branch="main",
        files=[{"path": ".github/workflows/deploy.yml", "content": text}],
        message="D",
    )
    start = {"workflow_id": "deploy.yml", "ref": "main"}
    assert refused(episode, 422, "run_workflow", **start)["message"] == "Required input 'where' not provided"
    strange = refused(episode, 422, "run_workflow", **start, inputs={"where": "qa", "what": "x"})
    assert strange["message"] == 'Unexpected inputs provided: ["what"]'
    made = call(episode, "run_workflow", **start, inputs={"where": "qa"})
    assert call(episode, "get_workflow_run", run_id=made["run_id"])["status"] == "queued"


def test_who_may_manage_labels_and_open_pull_requests() -> None:
    episode = fresh(admin=False, base="read")
    call(episode, "add_issue_comment", issue_number=1, body="Readers may say something")
    live = episode.app("github").store.connection
    live.execute(
        "INSERT INTO collaborator SELECT r.id, a.id, 'triage' FROM repository r, account a WHERE a.login = 'alex'"
    )
    refused(episode, 403, "label_write", method="create", name="mine", color="ffffff")
    refused(episode, 422, "create_pull_request", title="x", head="top", base="clash")
    assert http(episode, "POST", f"{E}/issues/1/labels", ["docs"]).status == 200
    assert http(episode, "POST", f"{E}/pulls/4/requested_reviewers", {"reviewers": ["nina"]}).status == 201


def test_forks_compare_both_ways(episode: Episode) -> None:
    assert http(episode, "POST", f"{E}/forks", {}).status == 202
    there = {"owner": "alex", "repo": "engine", "branch": "main", "message": "Ahead"}
    reply = episode.call("github", "push_files", {**there, "files": [{"path": "x", "content": "x"}]})
    assert reply.status < 300
    ahead = http(episode, "GET", f"{E}/compare/main...alex:main").body
    behind = http(episode, "GET", f"{E}/compare/alex:main...main").body
    assert (ahead["status"], ahead["ahead_by"], [f["filename"] for f in ahead["files"]]) == ("ahead", 1, ["x"])
    assert (behind["status"], behind["behind_by"], behind["files"]) == ("behind", 1, [])


def test_refused_line_comments(episode: Episode) -> None:
    """A review says in sentences what one comment by itself says of a field."""
    sha = call(episode, "get_pull_request", pullNumber=3)["head"]["sha"]
    before = episode.changes()
    for draft, words, field in (
        ({"path": "src/core.py", "line": 99}, "line must be part of the diff", "line"),
        ({"path": "nope", "line": 1}, "Path could not be resolved", "path"),
        ({"path": "src/core.py", "line": 1, "start_line": 2}, "start line must precede", "start_line"),
    ):
        review = http(
            episode, "POST", f"{E}/pulls/3/reviews", {"event": "COMMENT", "comments": [{**draft, "body": "?"}]}
        )
        assert (review.status, review.body["message"], words in review.body["errors"][0]) == (
            422,
            "Unprocessable Entity",
            True,
        )
        one = http(episode, "POST", f"{E}/pulls/3/comments", {**draft, "body": "?", "commit_id": sha})
        assert (one.status, one.body["errors"][0]["field"]) == (422, f"pull_request_review_thread.{field}")
    assert episode.changes() == before == []
