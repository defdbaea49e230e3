"""GitHub: its hard rules, real merges over real git objects, its search, and the canonical repository behind it."""

import base64
import importlib
import json
import re
import shutil
import sqlite3
import subprocess
import zlib
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import registry, templates, worlds
from legoenv_mcp.capabilities import Entity, dev_repo
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces import rest
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.kernel.context import Ctx, Reply, Request
from legoenv_mcp.kernel.episode import Episode, Template
from legoenv_mcp.testing import ALEX, BRIGHTWATER, CLOCK

APP: Any = registry.load("github")
git: Any = importlib.import_module("legoenv_mcp.servers.github.git")
merge: Any = importlib.import_module("legoenv_mcp.servers.github.merge")
patches: Any = importlib.import_module("legoenv_mcp.servers.github.patches")
query: Any = importlib.import_module("legoenv_mcp.servers.github.query")

HERE = {"owner": "brightwater", "repo": "engine"}
NINA = Person(
    key="nina.ray", first_name="Nina", last_name="Ray", email="nina.ray@brightwater.example", handle="nina",
    title="Engineer", department="Engineering", start_date="2024-01-08",
)  # fmt: skip
CODE = "\n".join(f"line {n}" for n in range(1, 13)) + "\n"


def _file(path: str, content: str | None) -> dev_repo.FileChange:
    return dev_repo.FileChange(path=path, content=content)


ENTITIES: list[Entity] = [
    NINA,
    dev_repo.Repository(
        key="engine", name="engine", description="The engine", language="Python", topics=("python", "core"), created="2025-01-01T00:00:00Z",
        labels=(dev_repo.Label(name="bug", color="d73a4a"), dev_repo.Label(name="docs", color="0075ca", description="Words")),
        milestones=(dev_repo.Milestone(title="1.0", due="2026-04-01"), dev_repo.Milestone(title="0.9", closed=True)),
    ),
    dev_repo.Commit(
        key="c1", repo="engine", author="nina.ray", at="2025-01-02T10:00:00Z", message="Start",
        changes=(_file("src/core.py", CODE), _file("README.md", "# engine\n"), _file(".github/workflows/ci.yml",
        "name: CI\non:\n  push:\n  workflow_dispatch:\njobs:\n  test:\n    steps:\n      - run: pytest\n")),
    ),
    dev_repo.Commit(
        key="c2", repo="engine", branch="top", author="nina.ray", at="2025-02-01T10:00:00Z", message="Change the top",
        changes=(_file("src/core.py", CODE.replace("line 1\n", "LINE 1\n")),),
    ),
    dev_repo.Commit(
        key="c3", repo="engine", branch="clash", author="alex.doyle", at="2025-02-02T10:00:00Z", message="Change the end",
        changes=(_file("src/core.py", CODE.replace("line 12\n", "LINE 12 theirs\n")), _file("new.txt", "new\n")),
    ),
    dev_repo.Commit(
        key="c4", repo="engine", author="nina.ray", at="2025-02-03T10:00:00Z", message="Change the end here (#2)",
        changes=(_file("src/core.py", CODE.replace("line 12\n", "LINE 12 ours\n")),),
    ),
    dev_repo.Issue(
        key="i1", repo="engine", number=1, title="Engine stalls", body="On cold days.", author="nina.ray", assignees=("alex.doyle",),
        labels=("bug",), milestone="1.0", created="2025-03-01T09:00:00Z",
        comments=(dev_repo.Comment(author="alex.doyle", at="2025-03-02T09:00:00Z", body="Seen it."),),
    ),
    dev_repo.PullRequest(
        key="p2", repo="engine", number=2, title="Change the end here", author="nina.ray", head="gone", state="merged",
        created="2025-02-02T12:00:00Z", closed="2025-02-03T10:00:00Z", reviewers=("alex.doyle",),
        reviews=(dev_repo.Review(author="alex.doyle", at="2025-02-03T09:00:00Z", state="approved", body="Good"),),
    ),
    dev_repo.PullRequest(
        key="p3", repo="engine", number=3, title="Top", body="Fixes #1", author="nina.ray", head="top", created="2025-02-04T09:00:00Z",
        reviewers=("alex.doyle",),
    ),
    dev_repo.PullRequest(key="p4", repo="engine", number=4, title="Clash", author="alex.doyle", head="clash",
    created="2025-02-05T09:00:00Z"),
    dev_repo.Issue(
        key="i5", repo="engine", number=5, title="Old docs", author="alex.doyle", state="closed", reason="not_planned",
        created="2025-01-05T09:00:00Z", closed="2025-01-06T09:00:00Z", labels=("docs",),
    ),
    dev_repo.Release(key="r1", repo="engine", tag="v0.9", name="0.9", body="First", author="nina.ray", created="2025-01-10T10:00:00Z"),
    dev_repo.Run(key="w1", repo="engine", workflow="CI", branch="top", actor="nina.ray", conclusion="failure",
    created="2025-02-01T10:05:00Z"),
    dev_repo.Run(key="w2", repo="engine", workflow="CI", actor="nina.ray", status="in_progress", conclusion="",
    created="2025-02-03T10:05:00Z"),
]  # fmt: skip


@cache
def template(*, admin: bool = True, base: str = "write") -> Template:
    """The account; with another base permission the agent is no administrator, and no more than a reader with "read"."""
    agent = ALEX.model_copy(update={"admin": admin})
    image = templates.build_from(APP, BRIGHTWATER, agent, CLOCK, [(type(e), e) for e in (agent, *ENTITIES)])
    if base != "write":
        db = sqlite3.connect(":memory:")
        db.deserialize(image)
        db.execute("UPDATE account SET default_repository_permission = ?", (base,))
        db.commit()
        image = db.serialize()
    return Template(APP, image)


def fresh(**options: Any) -> Episode:
    made = template(**options)
    return Episode(lambda _: made, ("github",), "test")


@pytest.fixture
def episode() -> Episode:
    return fresh()


def call(episode: Episode, tool: str, **arguments: Any) -> Any:
    """A tool's result, which must be a success."""
    reply = episode.call("github", tool, {**HERE, **arguments} if tool not in _BARE else arguments)
    assert not reply.error, (tool, arguments, reply.body)
    return reply.body


_BARE = {
    "search_issues",
    "search_code",
    "search_repositories",
    "search_users",
    "search_pull_requests",
    "get_me",
    "create_repository",
}


def refused(episode: Episode, status: int, tool: str, **arguments: Any) -> dict[str, Any]:
    """A refusal of this status; nothing of the call is left."""
    before = [c.as_json() for c in episode.changes()]
    reply = episode.call("github", tool, {**HERE, **arguments} if tool not in _BARE else arguments)
    assert (reply.error, reply.status) == (True, status), (tool, arguments, reply.body)
    assert [c.as_json() for c in episode.changes()] == before
    assert reply.body["status"] == str(status)
    return reply.body


def http(episode: Episode, method: str, path: str, body: Any = None, **headers: str) -> Reply:
    where = path.partition("?")[0]
    request = Request(
        method, where, f"http://test{path}", {}, {"content-type": "application/json", **headers}, "http://test"
    )
    return rest.handle(episode.app("github"), request, json.dumps(body).encode() if body is not None else b"")


E = "/repos/brightwater/engine"


def view(episode: Episode, table: str, **where: Any) -> Any:
    """The entity of one row, as a verifier sees it."""
    live = episode.app("github")
    shape = APP.shapes[table]
    ctx = Ctx(live, None, None, Request())
    row = ctx.db.first(shape.cls, **where)
    assert row is not None
    values = {name: getattr(row, name) for name in shape.columns}
    return APP.provides["dev_repo"].view(ctx, table, values)


# Hard rules


def test_a_file_update_needs_the_current_sha(episode: Episode) -> None:
    there = call(episode, "get_file_contents", path="README.md")
    write = {"path": "README.md", "content": "# new\n", "message": "Rewrite", "branch": "main"}
    assert "sha" in refused(episode, 422, "create_or_update_file", **write)["message"]
    assert (
        refused(episode, 409, "create_or_update_file", **write, sha="0" * 40)["message"]
        == f"README.md does not match {'0' * 40}"
    )
    assert episode.changes() == []
    made = call(episode, "create_or_update_file", **write, sha=there["sha"])
    refused(episode, 409, "create_or_update_file", **{**write, "content": "x"}, sha=there["sha"])
    assert call(episode, "get_file_contents", path="README.md")["sha"] == made["content"]["sha"]
    assert {(c.table, c.kind) for c in episode.changes()} == {("commit", "insert"), ("ref", "update")}


def test_an_unmergeable_pull_request_can_not_be_merged(episode: Episode) -> None:
    shown = call(episode, "get_pull_request", pullNumber=4)
    assert (shown["mergeable"], shown["mergeable_state"]) == (False, "dirty")
    for method in ("merge", "squash", "rebase"):
        body = refused(episode, 405, "merge_pull_request", pullNumber=4, merge_method=method)
        assert body["message"] == "Pull Request is not mergeable"
    assert episode.changes() == []


def test_a_moved_head_conflicts(episode: Episode) -> None:
    before = call(episode, "get_pull_request", pullNumber=3)["head"]["sha"]
    call(episode, "push_files", branch="top", files=[{"path": "more.txt", "content": "m"}], message="More")
    changed = episode.changes()
    reply = http(episode, "PUT", f"{E}/pulls/3/merge", {"sha": before})
    assert (reply.status, reply.body["message"]) == (409, "Head branch was modified. Review and try the merge again.")
    assert episode.changes() == changed
    now = call(episode, "get_pull_request", pullNumber=3)
    assert (now["commits"], now["head"]["sha"] == before) == (2, False)
    assert http(episode, "PUT", f"{E}/pulls/3/merge", {"sha": now["head"]["sha"]}).status == 200


def test_one_open_pull_request_for_a_head_and_base(episode: Episode) -> None:
    body = refused(episode, 422, "create_pull_request", title="Again", head="top", base="main")
    assert body["errors"] == [
        {"resource": "PullRequest", "code": "custom", "message": "A pull request already exists for brightwater:top."}
    ]
    assert (
        refused(episode, 422, "create_pull_request", title="x", head="nope", base="main")["errors"][0]["field"]
        == "head"
    )
    assert (
        refused(episode, 422, "create_pull_request", title="x", head="top", base="nope")["errors"][0]["field"] == "base"
    )
    assert (
        "No commits between"
        in refused(episode, 422, "create_pull_request", title="x", head="main", base="main")["errors"][0]["message"]
    )
    call(episode, "update_pull_request", pullNumber=3, state="closed")
    again = call(episode, "create_pull_request", title="Again", head="top", base="main")
    refused(episode, 422, "update_pull_request", pullNumber=3, state="open")
    assert again["number"] == 6


def test_a_locked_issue_takes_no_outside_comments() -> None:
    outside = fresh(admin=False, base="read")
    call(outside, "add_issue_comment", issue_number=1, body="Me too")
    assert http(outside, "PUT", f"{E}/issues/1/lock").status == 403
    inside = fresh()
    assert http(inside, "PUT", f"{E}/issues/1/lock", {"lock_reason": "resolved"}).status == 204
    call(inside, "add_issue_comment", issue_number=1, body="Members still may")
    live = outside.app("github").store.connection
    live.execute("UPDATE issue SET locked = 1 WHERE number = 1")
    body = refused(outside, 403, "add_issue_comment", issue_number=1, body="Let me in")
    assert body["message"] == "Unable to create comment because issue is locked."


def test_authors_can_not_approve_their_own(episode: Episode) -> None:
    body = refused(episode, 422, "create_pull_request_review", pullNumber=4, event="APPROVE")
    assert body["errors"] == ["Can not approve your own pull request"]
    refused(
        episode, 422, "pull_request_review_write", method="create", pullNumber=4, event="REQUEST_CHANGES", body="no"
    )
    assert episode.changes() == []
    call(episode, "create_pull_request_review", pullNumber=4, event="COMMENT", body="A note to myself")
    assert call(episode, "create_pull_request_review", pullNumber=3, event="APPROVE")["state"] == "APPROVED"
    assert call(episode, "get_pull_request", pullNumber=3)["requested_reviewers"] == []


def test_readers_can_not_write() -> None:
    outside = fresh(admin=False, base="read")
    refused(outside, 403, "create_branch", branch="mine")
    refused(outside, 403, "merge_pull_request", pullNumber=3)
    refused(outside, 403, "update_issue", issue_number=1, title="Mine now")
    made = call(outside, "create_issue", title="Help", labels=["bug"], assignees=["nina"])
    assert (made.get("labels"), made.get("assignees")) == ([], [])
    unseen = fresh(admin=False, base="none")
    refused(unseen, 404, "list_issues")
    refused(unseen, 422, "search_issues", query="repo:brightwater/engine stalls")


# Merging for real


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_merges_bring_the_files(episode: Episode, method: str) -> None:
    base = call(episode, "list_branches")[1]
    assert base["name"] == "main"
    made = call(episode, "merge_pull_request", pullNumber=3, merge_method=method)
    text = call(episode, "get_file_contents", path="src/core.py")["content"]
    assert "LINE 1\n" in text
    assert "LINE 12 ours\n" in text
    commit = call(episode, "get_commit", sha="main")
    assert commit["sha"] == made["sha"]
    parents = [p["sha"] for p in commit["parents"]]
    assert parents[0] == base["sha"]
    assert len(parents) == (2 if method == "merge" else 1)
    titles = {
        "merge": "Merge pull request #3 from brightwater/top",
        "squash": "Change the top (#3)",
        "rebase": "Change the top",
    }
    assert commit["commit"]["message"].split("\n")[0] == titles[method]
    pull = view(episode, "issue", number=3)
    assert (pull.state, pull.closed) == ("merged", "2026-03-02T09:00:01Z")
    assert view(episode, "issue", number=1).state == "closed"  # the body says: Fixes #1
    refused(episode, 405, "merge_pull_request", pullNumber=3)
    refused(episode, 422, "update_pull_request", pullNumber=3, state="open")
    assert [f["filename"] for f in call(episode, "get_pull_request_files", pullNumber=3)] == ["src/core.py"]


def test_drafts_and_closed_ones_do_not_merge(episode: Episode) -> None:
    call(episode, "update_pull_request", pullNumber=3, draft=True)
    assert refused(episode, 405, "merge_pull_request", pullNumber=3)["message"] == "Pull Request is still a draft"
    call(episode, "update_pull_request", pullNumber=3, draft=False, state="closed")
    refused(episode, 405, "merge_pull_request", pullNumber=3)
    call(episode, "update_pull_request", pullNumber=3, state="open")
    call(episode, "merge_pull_request", pullNumber=3)


def test_settings_and_protection_hold_merges(episode: Episode) -> None:
    assert http(episode, "PATCH", E, {"allow_rebase_merge": False}).status == 200
    assert "not allowed" in refused(episode, 405, "merge_pull_request", pullNumber=3, merge_method="rebase")["message"]
    rule = {
        "required_status_checks": {"strict": False, "contexts": ["ci"]}, "enforce_admins": True, "restrictions": None,
        "required_pull_request_reviews": {"required_approving_review_count": 1},
    }  # fmt: skip
    assert http(episode, "PUT", f"{E}/branches/main/protection", rule).status == 200
    assert call(episode, "get_pull_request", pullNumber=3)["mergeable_state"] == "blocked"
    assert "approving review" in refused(episode, 405, "merge_pull_request", pullNumber=3)["message"]
    call(episode, "create_pull_request_review", pullNumber=3, event="APPROVE")
    assert '"ci" is expected' in refused(episode, 405, "merge_pull_request", pullNumber=3)["message"]
    refused(episode, 409, "push_files", branch="main", files=[{"path": "x", "content": "x"}], message="x")
    sha = call(episode, "get_pull_request", pullNumber=3)["head"]["sha"]
    assert http(episode, "POST", f"{E}/statuses/{sha}", {"state": "success", "context": "ci"}).status == 201
    call(episode, "merge_pull_request", pullNumber=3)


def test_update_branch_brings_the_base(episode: Episode) -> None:
    refused(episode, 422, "update_pull_request_branch", pullNumber=4)  # conflicts
    refused(episode, 422, "update_pull_request_branch", pullNumber=3, expectedHeadSha="0" * 40)
    call(episode, "update_pull_request_branch", pullNumber=3)
    assert "LINE 12 ours" in call(episode, "get_file_contents", path="src/core.py", ref="top")["content"]
    refused(episode, 422, "update_pull_request_branch", pullNumber=3)  # nothing new


def test_a_branch_that_goes_closes_its_pull_requests(episode: Episode) -> None:
    refused(episode, 422, "delete_branch", branch="main")
    call(episode, "delete_branch", branch="top")
    assert call(episode, "get_pull_request", pullNumber=3)["state"] == "closed"
    assert "deleted" in refused(episode, 422, "update_pull_request", pullNumber=3, state="open")["errors"][0]["message"]


def test_pending_reviews(episode: Episode) -> None:
    refused(
        episode,
        422,
        "add_comment_to_pending_review",
        pullNumber=3,
        path="src/core.py",
        body="?",
        subjectType="LINE",
        line=1,
    )
    call(episode, "pull_request_review_write", method="create", pullNumber=3)
    refused(episode, 422, "pull_request_review_write", method="create", pullNumber=3)
    comment = {"pullNumber": 3, "path": "src/core.py", "body": "Why?", "subjectType": "LINE", "side": "RIGHT"}
    refused(episode, 422, "add_comment_to_pending_review", **comment, line=11)
    refused(episode, 422, "add_comment_to_pending_review", **{**comment, "path": "README.md"}, line=1)
    made = call(episode, "add_comment_to_pending_review", **comment, line=1)
    assert view(episode, "issue", number=3).reviews == ()
    refused(episode, 422, "pull_request_review_write", method="submit_pending", pullNumber=3, event="REQUEST_CHANGES")
    call(
        episode,
        "pull_request_review_write",
        method="submit_pending",
        pullNumber=3,
        event="REQUEST_CHANGES",
        body="Not so.",
    )
    assert view(episode, "issue", number=3).reviews[0].state == "changes_requested"
    answer = call(episode, "add_reply_to_pull_request_comment", pullNumber=3, commentId=made["id"], body="Because.")
    assert answer["in_reply_to_id"] == made["id"]
    review = call(episode, "get_pull_request_reviews", pullNumber=3)[0]
    reply = http(episode, "PUT", f"{E}/pulls/3/reviews/{review['id']}/dismissals", {"message": "Settled"})
    assert reply.body["state"] == "DISMISSED"
    assert http(episode, "PUT", f"{E}/pulls/3/reviews/{review['id']}/dismissals", {"message": "Again"}).status == 422


# Issues


def test_issue_states(episode: Episode) -> None:
    closed = call(episode, "update_issue", issue_number=1, state="closed", state_reason="not_planned")
    assert (closed["state"], closed["state_reason"]) == ("closed", "not_planned")
    again = call(episode, "issue_write", method="update", issue_number=1, state="open")
    assert again["state_reason"] == "reopened"
    assert "closed_at" not in again
    refused(episode, 422, "update_issue", issue_number=1, state="merged")
    refused(episode, 422, "update_issue", issue_number=1, milestone=99)
    refused(episode, 422, "update_issue", issue_number=1, assignees=["nobody"], title="Not written either")
    refused(episode, 422, "create_issue", title="  ")
    refused(episode, 404, "get_issue", issue_number=99)
    call(episode, "update_issue", issue_number=1, labels=["docs", "brand-new"], milestone=None, assignees=["nina"])
    issue = view(episode, "issue", number=1)
    assert (issue.labels, issue.milestone, issue.assignees) == (("docs", "brand-new"), "", ("nina",))


def test_labels_and_sub_issues(episode: Episode) -> None:
    refused(episode, 422, "label_write", method="create", name="BUG", color="ffffff")
    call(episode, "label_write", method="update", name="bug", new_name="defect", color="#ABCDEF")
    assert call(episode, "get_issue", issue_number=1)["labels"] == ["defect"]
    call(episode, "label_write", method="delete", name="defect")
    assert call(episode, "get_issue", issue_number=1)["labels"] == []
    child = call(episode, "create_issue", title="Part")
    call(episode, "sub_issue_write", method="add", issue_number=1, sub_issue_id=child["id"])
    refused(episode, 422, "sub_issue_write", method="add", issue_number=1, sub_issue_id=child["id"])
    parent = call(episode, "get_issue", issue_number=1)
    refused(episode, 422, "sub_issue_write", method="add", issue_number=child["number"], sub_issue_id=parent["id"])
    assert [i["number"] for i in call(episode, "issue_read", method="get_sub_issues", issue_number=1)] == [
        child["number"]
    ]


def test_pages(episode: Episode) -> None:
    for n in range(25):
        call(episode, "create_issue", title=f"Number {n}")
    seen, after = list[int](), None
    while True:
        page = call(episode, "list_issues", perPage=10, **({"after": after} if after else {}))
        seen += [i["number"] for i in page["issues"]]
        if not page["pageInfo"]["hasNextPage"]:
            break
        after = page["pageInfo"]["endCursor"]
    assert len(seen) == len(set(seen)) == page["totalCount"] == 27
    refused(episode, 422, "list_issues", after="nonsense")
    found, url = list[int](), f"{E}/issues?state=all&per_page=7"
    while url:
        reply = http(episode, "GET", url)
        found += [i["number"] for i in reply.body]
        following = re.search(r'<http://test([^>]+)>; rel="next"', reply.headers.get("Link", ""))
        url = following[1] if following else ""
    assert len(found) == len(set(found)) == 30
    assert len(http(episode, "GET", f"{E}/issues?state=all&per_page=1000").body) == 30  # clamped, not refused


# Search


def numbers(episode: Episode, text: str) -> set[int]:
    path = "/search/issues?per_page=100&q=" + text.replace(" ", "+")
    return {i["number"] for i in http(episode, "GET", path).body["items"]}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("stalls", {1}), ("is:issue", {1, 5}), ("is:pr is:open", {3, 4}), ("is:merged", {2}), ("is:closed is:issue", {5}),
        ("author:nina", {1, 2, 3}),
        ("author:@me", {4, 5}), ("assignee:alex", {1}), ("no:assignee is:issue", {5}), ("label:bug,docs", {1, 5}),
        ("label:bug label:docs", set()),
        ("-label:bug is:issue", {5}), ("NOT label:bug is:issue", {5}), ('milestone:"1.0"', {1}), ("seen in:comments", {1}),
        ("seen in:title", set()),
        ("created:>2025-02-04", {1, 4}), ("created:2025-02-04..2025-02-05", {3, 4}), ("created:*..2025-01-05", {5}),
        ("created:2025-02-04", {3}),
        ("created:>=2025-02-05T09:00:00Z", {1, 4}), ("comments:>0", {1}), ("comments:0 is:issue", {5}), ("review-requested:@me", {3}),
        ("reviewed-by:alex", {2}), ("review:approved", {2}), ("head:clash", {4}), ("base:main is:open", {3, 4}), ("commenter:alex", {1}),
        ("involves:alex is:issue", {1, 5}), ('reason:"not planned"', {5}), ("(label:bug OR label:docs) is:open", {1}), ('"cold days"', {1}),
        ("author:nina AND (is:merged OR is:issue)", {1, 2}), ("repo:brightwater/engine is:issue", {1, 5}),
        ("org:brightwater draft:false is:pr", {2, 3, 4}),
    ],
)  # fmt: skip
def test_search(episode: Episode, text: str, found: set[int]) -> None:
    assert numbers(episode, text) == found


@pytest.mark.parametrize(
    ("text", "named"),
    [("a" * 257, "256 characters"), ("a OR b OR c OR d OR e OR f OR g", "More than five"),
     ("is:nonsense", "nonsense"), ("created:soon", "soon"), ("comments:many", "many"), ("(a OR b", "parsed"),
     ("repo:brightwater/none x", "do not exist"), ("author:ghost", "do not exist"), ("", "missing")],
)  # fmt: skip
def test_search_refuses_what_it_has_not(episode: Episode, text: str, named: str) -> None:
    reply = http(episode, "GET", f"/search/issues?q={text.replace(' ', '+')}")
    assert reply.status == 422
    assert reply.body["errors"][0]["resource"] == "Search"
    assert named in json.dumps(reply.body)


def test_search_of_code_and_repositories(episode: Episode) -> None:
    paths = [
        i["path"]
        for i in call(episode, "search_code", query="line path:src extension:py repo:brightwater/engine")["items"]
    ]
    assert paths == ["src/core.py"]
    assert [
        i["name"] for i in call(episode, "search_repositories", query="topic:core language:python stars:0")["items"]
    ] == ["engine"]
    assert call(episode, "search_repositories", query="engine NOT topic:core")["total_count"] == 0
    assert [i["login"] for i in call(episode, "search_users", query="nina in:name")["items"]] == ["nina"]
    assert http(episode, "GET", "/search/commits?q=author:nina+top").body["total_count"] == 0  # default branch only
    assert call(episode, "search_code", query="symbol:x")["total_count"] == 0  # no qualifier of this search: a text


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([*'ab:"()-,.<>=* \\@', "is:", "open", "OR ", "NOT ", "label:", ".."]), max_size=20).map(
        "".join
    )
)
def test_any_search_is_answered(text: str) -> None:
    reply = fresh().call("github", "search_issues", {"query": text})
    assert reply.status in (200, 422), reply.body


# Git


LINES = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=8)


@settings(max_examples=150, deadline=None)
@given(LINES, LINES, LINES)
def test_three_way_merge(base: list[str], ours: list[str], theirs: list[str]) -> None:
    assert merge.merge_lines(base, base, theirs) == theirs
    assert merge.merge_lines(base, ours, base) == ours
    assert merge.merge_lines(base, ours, ours) == ours
    assert merge.merge_lines(base, ours, theirs) == merge.merge_lines(base, theirs, ours)


@settings(max_examples=100, deadline=None)
@given(LINES, LINES, st.booleans(), st.booleans())
def test_patches_apply(old: list[str], new: list[str], old_end: bool, new_end: bool) -> None:
    before, after = ("\n".join(x) + ("\n" if end and x else "") for x, end in ((old, old_end), (new, new_end)))
    patch, added, removed = patches.hunks(before, after)
    assert bool(patch) == (before != after)
    lines = patch.split("\n")
    assert added == sum(line.startswith("+") for line in lines)
    assert removed == sum(line.startswith("-") for line in lines)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_itself_accepts_every_object(tmp_path: Path) -> None:
    """The world's repositories, after a merge, written out as loose objects, pass `git fsck` and check out."""
    episode = fresh()
    call(episode, "merge_pull_request", pullNumber=3)
    store = episode.app("github").store
    tables = {name: APP.shapes[name].cls for name in ("blob", "tree", "commit")}
    subprocess.run(["git", "init", "-q", "-b", "main", str(tmp_path)], check=True)

    def keep(kind: str, sha: str, content: bytes) -> None:
        path = tmp_path / ".git/objects" / sha[:2] / sha[2:]
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(zlib.compress(f"{kind} {len(content)}\0".encode() + content))

    for blob in store.find(tables["blob"]):
        keep("blob", blob.sha, git.blob_bytes(blob))
    for tree in store.find(tables["tree"]):
        keep("tree", tree.sha, b"".join(f"{m} {n}\0".encode() + bytes.fromhex(s) for m, n, s in tree.entries))
    for c in store.find(tables["commit"]):
        author = git.Signature(c.author_name, c.author_email, c.author_date)
        committer = git.Signature(c.committer_name, c.committer_email, c.committer_date)
        head = [
            f"tree {c.tree}",
            *(f"parent {p}" for p in c.parents),
            f"author {author.line()}",
            f"committer {committer.line()}",
        ]
        keep("commit", c.sha, ("\n".join(head) + "\n\n" + c.message).encode())
    main = call(episode, "get_commit", sha="main")["sha"]
    (tmp_path / ".git/refs/heads/main").write_text(main + "\n")
    run = subprocess.run(
        ["git", "-C", str(tmp_path), "fsck", "--full", "--strict"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    subprocess.run(["git", "-C", str(tmp_path), "reset", "-q", "--hard"], check=True)
    assert (tmp_path / "src/core.py").read_text() == call(episode, "get_file_contents", path="src/core.py")["content"]


def test_media_types(episode: Episode) -> None:
    raw = http(episode, "GET", f"{E}/contents/README.md", accept="application/vnd.github.raw+json")
    assert raw.body == b"# engine\n"
    diff = http(episode, "GET", f"{E}/pulls/3", accept="application/vnd.github.diff")
    assert str(diff.body).startswith("diff --git a/src/core.py b/src/core.py\n")
    patch = http(episode, "GET", f"{E}/commits/top", accept="application/vnd.github.v3.patch")
    assert "Subject: [PATCH] Change the top\n" in str(patch.body)
    plain = http(episode, "GET", f"{E}/pulls/3")
    assert plain.headers["X-GitHub-Media-Type"] == "github.v3; format=json"
    assert plain.headers["X-RateLimit-Limit"] == "5000"
    assert plain.body["url"] == f"http://test{E}/pulls/3"
    assert http(episode, "GET", f"{E}/branches/nope").body["message"] == "Branch not found"
    assert http(episode, "GET", "/nowhere").body == {
        "message": "Not Found",
        "documentation_url": "https://docs.github.com/rest",
        "status": "404",
    }
    assert (
        http(episode, "POST", f"{E}/issues", {"body": "x"}).body["message"]
        == 'Invalid request.\n\n"title" wasn\'t supplied.'
    )
    assert "is not an array" in http(episode, "POST", f"{E}/issues", {"title": "x", "labels": "bug"}).body["message"]


# Actions


def test_runs(episode: Episode) -> None:
    running = call(episode, "list_workflow_runs", workflow_id="ci.yml", status="in_progress")["workflow_runs"][0]
    refused(episode, 403, "rerun_workflow_run", run_id=running["id"])
    call(episode, "cancel_workflow_run", run_id=running["id"])
    refused(episode, 409, "cancel_workflow_run", run_id=running["id"])
    failed = call(episode, "actions_list", method="list_workflow_runs", workflow_runs_filter={"branch": "top"})[
        "workflow_runs"
    ][0]
    assert call(episode, "get_job_logs", run_id=failed["id"], failed_only=True)["failed_jobs"] == 1
    call(episode, "actions_run_trigger", method="rerun_failed_jobs", run_id=failed["id"])
    assert call(episode, "get_workflow_run", run_id=failed["id"])["run_attempt"] == 2
    refused(episode, 422, "run_workflow", workflow_id="ci.yml", ref="nowhere")
    refused(episode, 404, "run_workflow", workflow_id="other.yml", ref="main")
    made = call(episode, "run_workflow", workflow_id="ci.yml", ref="top")
    run = view(episode, "run", id=made["run_id"])
    assert (run.workflow, run.branch, run.event, run.status, run.actor) == (
        "CI",
        "top",
        "workflow_dispatch",
        "queued",
        "alex",
    )
    call(
        episode,
        "push_files",
        branch="main",
        files=[{"path": ".github/workflows/ci.yml", "content": "name: CI\non: [push]\n"}],
        message="No",
    )
    assert "workflow_dispatch" in refused(episode, 422, "run_workflow", workflow_id="ci.yml", ref="main")["message"]
    assert http(episode, "PUT", f"{E}/actions/workflows/ci.yml/disable").status == 204
    refused(episode, 403, "run_workflow", workflow_id="ci.yml", ref="top")


# Files as the contents endpoint shows them


def commit_tree(episode: Episode, entries: list[dict[str, Any]], branch: str = "main") -> None:
    """A commit that lays these tree entries over the branch."""
    head = http(episode, "GET", f"{E}/git/ref/heads/{branch}").body["object"]["sha"]
    tree = http(episode, "POST", f"{E}/git/trees", {"base_tree": head, "tree": entries}).body["sha"]
    made = http(episode, "POST", f"{E}/git/commits", {"message": "Lay out", "tree": tree, "parents": [head]}).body[
        "sha"
    ]
    assert http(episode, "PATCH", f"{E}/git/refs/heads/{branch}", {"sha": made}).status == 200


def test_links_submodules_and_large_files(episode: Episode) -> None:
    modules = '[submodule "lib"]\n\tpath = vendor/lib\n\turl = https://example.com/lib.git\n'
    commit_tree(episode, [
        {"path": "docs/link.md", "mode": "120000", "content": "../README.md"},
        {"path": "docs/lost.md", "mode": "120000", "content": "../../away.md"},
        {"path": "vendor/lib", "mode": "160000", "type": "commit", "sha": "a" * 40},
        {"path": ".gitmodules", "content": modules}, {"path": "big.txt", "content": "x" * 1_100_000},
        {"path": "with space/ü.txt", "content": "u"},
    ])  # fmt: skip

    def get(path: str) -> Any:
        return http(episode, "GET", f"{E}/contents/{path}").body

    followed, lost, module, big = get("docs/link.md"), get("docs/lost.md"), get("vendor/lib"), get("big.txt")
    assert (followed["type"], base64.b64decode(followed["content"])) == ("file", b"# engine\n")
    assert (lost["type"], lost["target"], "content" in lost) == ("symlink", "../../away.md", False)
    assert (module["type"], module["submodule_git_url"]) == ("submodule", "https://example.com/lib.git")
    assert module["download_url"] is None
    assert (big["content"], big["encoding"], big["size"]) == ("", "none", 1_100_000)
    assert {e["name"]: e["type"] for e in get("docs")} == {"link.md": "symlink", "lost.md": "symlink"}
    assert [e["type"] for e in get("vendor")] == ["file"]  # as old clients expect it
    assert get("with%20space/%C3%BC.txt")["url"].endswith("/contents/with%20space/%C3%BC.txt?ref=main")
    lines = get("src/core.py")["content"].splitlines()
    assert {len(line) for line in lines[:-1]} == {60}
    assert call(episode, "get_file_contents", path="vendor/lib")["type"] == "submodule"


def test_pushing_files_makes_the_branch(episode: Episode) -> None:
    call(episode, "push_files", branch="fresh", files=[{"path": "x.txt", "content": "x"}], message="X")
    assert call(episode, "get_file_contents", path="x.txt", ref="fresh")["content"] == "x"
    assert {(c.table, c.kind) for c in episode.changes()} == {("ref", "insert"), ("commit", "insert")}
    refused(episode, 422, "push_files", branch="no..good", files=[{"path": "x", "content": "x"}], message="X")
    taken = {"path": "README.md", "content": "x", "message": "x", "branch": "main"}
    assert "get_file_contents" in refused(episode, 422, "create_or_update_file", **taken)["message"]


def test_commit_detail(episode: Episode) -> None:
    assert "files" not in call(episode, "get_commit", sha="top", detail="none")
    assert "patch" not in call(episode, "get_commit", sha="top")["files"][0]
    assert "+LINE 1" in call(episode, "get_commit", sha="top", detail="full_patch")["files"][0]["patch"]


# Closing keywords


@pytest.mark.parametrize(
    "words",
    ["Fixes #1", "closes: #1", "Resolved brightwater/engine#1", "fix https://github.com/brightwater/engine/issues/1"],
)
def test_words_that_close(episode: Episode, words: str) -> None:
    call(episode, "push_files", branch="side", files=[{"path": "x.txt", "content": "x"}], message=words)
    assert call(episode, "get_issue", issue_number=1)["state"] == "open"
    assert http(episode, "POST", f"{E}/merges", {"base": "main", "head": "side"}).status == 201
    closed = call(episode, "get_issue", issue_number=1)
    assert (closed["state"], closed["state_reason"]) == ("closed", "completed")


@pytest.mark.parametrize("words", ["Fixes 1", "prefixes #1", "Fixes brightwater/other#1", "See #1"])
def test_words_that_do_not_close(episode: Episode, words: str) -> None:
    call(episode, "push_files", branch="main", files=[{"path": "x.txt", "content": "x"}], message=words)
    assert call(episode, "get_issue", issue_number=1)["state"] == "open"


def test_a_push_that_merges_closes_too(episode: Episode) -> None:
    assert http(episode, "POST", f"{E}/merges", {"base": "main", "head": "top"}).status == 201
    assert call(episode, "get_pull_request", pullNumber=3)["merged"] is True
    assert call(episode, "get_issue", issue_number=1)["state"] == "closed"


def test_a_squash_credits_the_other_authors(episode: Episode) -> None:
    call(episode, "push_files", branch="top", files=[{"path": "x.txt", "content": "x"}], message="By Alex")
    call(episode, "merge_pull_request", pullNumber=3, merge_method="squash")
    message = call(episode, "get_commit", sha="main")["commit"]["message"]
    trailer = "---------\n\nCo-authored-by: Alex Doyle <alex.doyle@brightwater.example>"
    assert message == f"Top (#3)\n\n* Change the top\n\n* By Alex\n\n{trailer}"


# Checks


def test_checks(episode: Episode) -> None:
    """A failed workflow run on a pull request's head shows in its checks, its state, search and protection."""
    checks = call(episode, "pull_request_read", method="get_check_runs", pullNumber=3)
    assert [(c["name"], c["conclusion"]) for c in checks["check_runs"]] == [("test", "failure")]
    assert call(episode, "get_pull_request", pullNumber=3)["mergeable_state"] == "unstable"
    assert numbers(episode, "is:pr status:failure") == {3}
    listed = http(episode, "GET", f"{E}/commits/top/check-runs?check_name=test&status=completed").body
    assert listed["total_count"] == 1
    one = http(episode, "GET", f"{E}/check-runs/{listed['check_runs'][0]['id']}").body
    assert (one["name"], one["app"]["slug"]) == ("test", "github-actions")
    assert http(episode, "GET", f"{E}/commits/top/check-runs?check_name=other").body["total_count"] == 0
    rule = {"required_status_checks": {"strict": False, "contexts": ["test"]}, "enforce_admins": True, "restrictions": None,
            "required_pull_request_reviews": None}  # fmt: skip
    assert http(episode, "PUT", f"{E}/branches/main/protection", rule).status == 200
    failing = refused(episode, 405, "merge_pull_request", pullNumber=3)["message"]
    assert failing == 'Required status check "test" is failing.'
    call(episode, "actions_run_trigger", method="rerun_failed_jobs", run_id=one["check_suite"]["id"])
    assert "in progress" in refused(episode, 405, "merge_pull_request", pullNumber=3)["message"]


# Threads on the diff


def test_threads_are_resolved(episode: Episode) -> None:
    note = {"path": "src/core.py", "line": 1, "body": "Why?"}
    call(episode, "create_pull_request_review", pullNumber=3, event="COMMENT", comments=[note])
    thread = call(episode, "pull_request_read", method="get_review_comments", pullNumber=3)["review_threads"][0]
    assert (thread["is_resolved"], thread["is_outdated"], thread["comments"][0]["author"]) == (False, False, "alex")
    comment = thread["comments"][0]["id"]
    call(episode, "add_reply_to_pull_request_comment", pullNumber=3, commentId=comment, body="So.", reaction="+1")
    rule = {"required_status_checks": None, "enforce_admins": True, "restrictions": None, "required_pull_request_reviews": None,
            "required_conversation_resolution": True}  # fmt: skip
    assert http(episode, "PUT", f"{E}/branches/main/protection", rule).status == 200
    assert "conversation" in refused(episode, 405, "merge_pull_request", pullNumber=3)["message"]
    refused(episode, 422, "pull_request_review_write", method="resolve_thread", pullNumber=3)
    refused(episode, 404, "pull_request_review_write", method="resolve_thread", pullNumber=3, threadId="PRRT_none")
    before = {c.key for c in episode.changes()}
    for _ in range(2):  # the second changes nothing
        call(episode, "pull_request_review_write", method="resolve_thread", pullNumber=3, threadId=thread["id"])
    assert {c.key for c in episode.changes()} == before
    threads = call(episode, "pull_request_read", method="get_review_comments", pullNumber=3)
    assert [(t["is_resolved"], t["total_count"]) for t in threads["review_threads"]] == [(True, 2)]
    call(episode, "merge_pull_request", pullNumber=3)


# What agents and clients send


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


# The capability


def play(episode: Episode, plan: Any) -> None:
    try:
        step = next(plan)
        while True:
            reply = episode.call("github", step.tool, step.arguments)
            assert not reply.error, (step, reply.body)
            step = plan.send(reply.body if isinstance(reply.body, dict) else {"result": reply.body})
    except StopIteration:
        pass


def test_verbs_show_in_views(episode: Episode) -> None:
    cap, repo = APP.provides["dev_repo"], "brightwater/engine"
    for plan in (
        cap.find_repository("engine"),
        cap.get_file(repo, "README.md"),
        cap.list_issues(repo),
        cap.list_pull_requests(repo),
    ):
        play(episode, plan)
    assert episode.changes() == []
    play(episode, cap.create_branch(repo, "fresh"))
    play(episode, cap.commit_file(repo, "fresh", "README.md", "# better\n", "Better"))
    play(episode, cap.commit_file(repo, "fresh", "docs/new.md", "new\n", "New"))
    commit = view(episode, "commit", message="Better")
    assert (commit.branch, commit.author, commit.changes) == ("fresh", "alex", (_file("README.md", "# better\n"),))
    assert view(episode, "commit", message="New").changes == (_file("docs/new.md", "new\n"),)
    play(episode, cap.create_issue(repo, "From a verb", "Body"))
    assert view(episode, "issue", number=6).title == "From a verb"
    play(episode, cap.open_pull_request(repo, "fresh", "main", "Better", "Why not"))
    pull = view(episode, "issue", number=7)
    assert (pull.head, pull.base, pull.state, pull.author) == ("fresh", "main", "open", "alex")
    play(episode, cap.comment_on_pull_request(repo, 7, "Please"))
    assert view(episode, "issue", number=7).comments[0].body == "Please"
    play(episode, cap.merge_pull_request(repo, 7))
    assert view(episode, "issue", number=7).state == "merged"
    play(episode, cap.run_pipeline(repo, "CI", "main"))
    assert view(episode, "run", event="workflow_dispatch").branch == "main"


_TABLES = {
    Person: "account", dev_repo.Repository: "repository", dev_repo.Commit: "commit", dev_repo.Issue: "issue", dev_repo.PullRequest: "issue",
    dev_repo.Release: "release", dev_repo.Run: "run",
}  # fmt: skip
_NAMES = {Person: ("author", "actor", "assignees", "reviewers"), dev_repo.Repository: ("repo",)}
_NOT_HELD = {"key", "id", "department", "manager", "phone", "time_zone", "start_date"}


@pytest.mark.parametrize("world", ["", "quaymark"])
def test_fill_then_view(world: str) -> None:
    made = templates.template("github", world) if world else template()
    live = Episode(lambda _: made, ("github",), "").app("github")
    ctx = Ctx(live, None, None, Request())
    entities = [e for kind in _TABLES for e in worlds.load(world).entities(kind)] if world else ENTITIES
    shown = dict[tuple[type, str], Entity]()
    for table in sorted(set(_TABLES.values())):
        shape = APP.shapes[table]
        for row in ctx.db.find(shape.cls):
            entity = APP.provides["dev_repo"].view(ctx, table, {name: getattr(row, name) for name in shape.columns})
            if entity is not None:
                shown[type(entity), entity.id] = entity
    assert entities
    for entity in entities:
        found = shown[type(entity), ctx.ref(type(entity), entity.key)]
        expected = _by_our_ids(ctx, entity.model_dump(exclude=_NOT_HELD))
        actual = found.model_dump(exclude=_NOT_HELD)
        for name, value in expected.items():
            if value not in ("", ()) or name in ("state", "reason"):
                assert actual[name] == value, (entity.key, name)


def _by_our_ids(ctx: Ctx, values: dict[str, Any]) -> dict[str, Any]:
    def login(key: str) -> str:
        return ctx.ref(Person, key)

    for name in ("author", "actor"):
        if name in values:
            values[name] = login(values[name])
    for name in ("assignees", "reviewers"):
        if name in values:
            values[name] = tuple(login(key) for key in values[name])
    for name in ("comments", "reviews"):
        if name in values:
            values[name] = tuple({**each, "author": login(each["author"])} for each in values[name])
    if "repo" in values:
        values["repo"] = ctx.ref(dev_repo.Repository, values["repo"])
    return values


async def test_over_mcp(episode: Episode) -> None:
    async with Client(serve(episode, ["github"])) as client:
        names = {t.name for t in (await client.list_tools()).tools}
        assert {
            "get_me",
            "issue_read",
            "pull_request_read",
            "create_pull_request",
            "merge_pull_request",
            "run_workflow",
        } <= names
        assert len(names) <= 72
        result = await client.call_tool("get_issue", {**HERE, "issue_number": 1})
        assert result.structured_content is not None
        assert result.structured_content["title"] == "Engine stalls"
        bad = await client.call_tool("get_issue", {**HERE, "issue_number": 99})
        assert bad.is_error
        assert json.loads(bad.content[0].text)["message"] == "Not Found"  # pyright: ignore[reportAttributeAccessIssue]


_SOME = {
    "owner": "quaymark", "repo": "tracker-api", "org": "quaymark", "username": "chloe", "issue_number": 47, "pullNumber": 44,
    "pull_number": 44, "branch": "main", "ref": "main", "sha": "main", "path": "README.md", "basehead": "v2.7.1...main", "q": "is:open",
    "query": "a", "tag": "v2.7.2", "workflow_id": "ci.yml", "resource_id": "ci.yml", "tree_sha": "main", "name": "bug",
    "milestone_number": 1,
}  # fmt: skip


def test_reads_are_reads_in_a_whole_world() -> None:
    """Every read operation, on both faces, writes nothing and never fails by our own fault."""
    live = templates.episode(["github"], "quaymark").app("github")
    store, some = live.store, dict[str, Any](_SOME)
    for table, name in (
        ("run", "run_id"),
        ("job", "job_id"),
        ("comment", "comment_id"),
        ("release", "release_id"),
        ("review", "review_id"),
    ):
        row = store.first(APP.shapes[table].cls)
        some[name] = row.id if row else 1
    answered = set[str]()
    for operation in APP.operations.values():
        if operation.reads:
            arguments = {n: _choice(p.annotation) or some.get(n, 1) for n, p in operation.params.items() if p.required}
            for request in (Request("GET", "/", "http://test/", {}, {}, "http://test"), Request()):
                reply = live.perform(operation, arguments, request)
                assert reply.status < 500, operation.tool
                answered.update([operation.tool] * (reply.status < 300))
    assert live.changes() == []
    assert len(answered) > 80


def _choice(annotation: Any) -> Any:
    return get_args(annotation)[0] if get_origin(annotation) is Literal else None


def test_answers_are_short() -> None:
    made = templates.template("github", "quaymark")
    episode = Episode(lambda _: made, ("github",), "")
    where = {"owner": "quaymark", "repo": "tracker-api"}
    for tool, more in (
        ("list_issues", {}),
        ("list_pull_requests", {"state": "all"}),
        ("list_commits", {}),
        ("list_releases", {}),
        ("list_branches", {}),
    ):
        reply = episode.call("github", tool, {**where, **more})
        assert reply.status == 200
        assert len(reply.text()) < 40_000, tool
