"""GitHub: git; actions; files as the contents endpoint shows them; closing keywords; checks; threads on the diff."""

import base64
import shutil
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legoenv_mcp.kernel.episode import Episode
from tests.apps.github.support import APP, E, call, fresh, git, http, merge, numbers, patches, refused, view

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
