"""GitHub: hard rules; merging for real; issues; search."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legoenv_mcp.kernel.episode import Episode
from tests.apps.github.support import E, call, fresh, http, numbers, refused, view


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
