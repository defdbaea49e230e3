"""PyGithub, unmodified but for its base URL, against the GitHub app over real HTTP."""

from typing import TYPE_CHECKING, Any

import github
import pytest
from github import Auth, Github, GithubException, InputGitTreeElement, UnknownObjectException

if TYPE_CHECKING:
    from conftest import Gateway

pytestmark = [pytest.mark.sdk, pytest.mark.filterwarnings("ignore:.*:DeprecationWarning:github")]

REPO = "quaymark/tracker-api"


@pytest.fixture
def hub(gateway: "Gateway") -> Any:
    rest = gateway.episode(["github"]).rest("github")
    with Github(
        base_url=rest,
        auth=Auth.Token("ghp_test"),
        seconds_between_requests=None,
        seconds_between_writes=None,
        retry=None,
    ) as client:
        yield client


@pytest.fixture
def repo(hub: Any) -> Any:
    return hub.get_repo(REPO)


def refused(status: int, call: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
    with pytest.raises(GithubException) as caught:
        call(*args, **kwargs)
    assert caught.value.status == status, caught.value.data
    data: Any = caught.value.data
    assert data["status"] == str(status)
    assert data["documentation_url"].startswith("https://docs.github.com/")
    return data


def test_who_and_where(hub: Any) -> None:
    me = hub.get_user()
    assert me.login == "maya"
    assert me.name == "Maya Chen"
    org = hub.get_organization("quaymark")
    assert org.name == "Quaymark"
    assert {r.name for r in org.get_repos()} == {"tracker-api", "web-console", "rates-etl", "infra", "handbook"}
    assert hub.get_user("chloe").email == "chloe.martin@quaymark.example"
    assert "maya" in {m.login for m in org.get_members()}
    assert hub.get_rate_limit().rate.limit == 5000
    assert hub.rate_limiting[1] == 5000
    with pytest.raises(UnknownObjectException):
        hub.get_repo("quaymark/nothing")


def test_pagination_walks_link_headers(hub: Any, repo: Any) -> None:
    hub.per_page = 5
    listed = list(hub.get_repo(REPO).get_issues(state="all"))
    total = hub.get_repo(REPO).get_issues(state="all").totalCount
    assert len(listed) == total > 10
    assert len({i.number for i in listed}) == total
    assert [i.created_at for i in listed] == sorted((i.created_at for i in listed), reverse=True)
    assert next(iter(hub.get_repo(REPO).get_issues(state="all").reversed)).number == listed[-1].number
    assert hub.search_issues("repo:quaymark/tracker-api is:pr is:merged").totalCount >= 5


def test_files(repo: Any) -> None:
    readme = repo.get_contents("README.md")
    assert readme.decoded_content.startswith(b"# tracker-api")
    assert repo.get_readme().sha == readme.sha
    assert {"tracker", "README.md"} <= {c.name for c in repo.get_contents("")}
    new = repo.create_file("docs/notes.md", "Add notes", "one\n", branch="main")
    changed = repo.update_file("docs/notes.md", "Change notes", "two\n", new["content"].sha, branch="main")
    assert repo.get_contents("docs/notes.md").decoded_content == b"two\n"
    data = refused(409, repo.update_file, "docs/notes.md", "Again", "three\n", new["content"].sha, branch="main")
    assert "does not match" in data["message"]
    commit = repo.get_commit(changed["commit"].sha)
    assert [(f.filename, f.status, f.additions, f.deletions) for f in commit.files] == [
        ("docs/notes.md", "modified", 1, 1)
    ]
    assert commit.author.login == "maya"
    assert "-one\n+two" in commit.files[0].patch
    repo.delete_file("docs/notes.md", "Drop notes", changed["content"].sha, branch="main")
    refused(404, repo.get_contents, "docs/notes.md")
    assert [c.commit.message for c in repo.get_commits(path="docs/notes.md")] == [
        "Drop notes",
        "Change notes",
        "Add notes",
    ]
    assert repo.get_commits(author="maya").totalCount == 3


def test_git_database(repo: Any) -> None:
    head = repo.get_git_ref("heads/main")
    base = repo.get_git_commit(head.object.sha)
    blob = repo.create_git_blob("hello\n", "utf-8")
    assert blob.sha == "ce013625030ba8dba906f756967f9e9ca394464a"  # as git itself names it
    tree = repo.create_git_tree([InputGitTreeElement("hello.txt", "100644", "blob", sha=blob.sha)], base.tree)
    commit = repo.create_git_commit("Say hello", tree, [base])
    head.edit(commit.sha)
    assert repo.get_branch("main").commit.sha == commit.sha
    assert repo.get_contents("hello.txt").decoded_content == b"hello\n"
    refused(422, head.edit, base.sha)  # no fast forward
    assert {e.path for e in repo.get_git_tree("main", recursive=True).tree} >= {"hello.txt", "tracker/eta.py"}
    repo.create_git_ref("refs/heads/topic/x", commit.sha)
    assert "already exists" in refused(422, repo.create_git_ref, "refs/heads/topic/x", commit.sha)["message"]
    assert {b.name for b in repo.get_branches()} >= {"main", "topic/x"}
    tag = repo.create_git_tag("v9", "Nine", commit.sha, "commit")
    repo.create_git_ref("refs/tags/v9", tag.sha)
    assert next(t for t in repo.get_tags() if t.name == "v9").commit.sha == commit.sha
    compared = repo.compare(base.sha, "topic/x")
    assert (compared.status, compared.ahead_by, compared.behind_by) == ("ahead", 1, 0)
    assert [f.filename for f in compared.files] == ["hello.txt"]
    repo.get_git_ref("heads/topic/x").delete()
    refused(404, repo.get_branch, "topic/x")


def test_names_with_slashes(repo: Any) -> None:
    name = "feature/signed-webhooks"
    branch = repo.get_branch(name)
    assert branch.name == name
    assert repo.get_contents("tracker/webhooks.py", ref=name).size > 0
    assert repo.compare("main", name).ahead_by == len(list(repo.get_commits(sha=name))) - len(list(repo.get_commits()))
    branch.edit_protection(strict=True, contexts=["ci"])
    assert branch.get_protection().required_status_checks.contexts == ["ci"]
    assert repo.get_pulls(head=f"quaymark:{name}").totalCount == 1
    assert repo.rename_branch(branch, "webhooks/signed")
    assert repo.get_pulls(head="quaymark:webhooks/signed").totalCount == 1
    assert repo.get_commit("webhooks/signed").get_combined_status().state == "pending"


def test_issues(hub: Any, repo: Any) -> None:
    goal = repo.create_milestone("2.9.0")
    issue = repo.create_issue(
        "Clock is wrong", "By an hour.", assignee="chloe", labels=["bug", "brand new"], milestone=goal
    )
    assert [x.name for x in issue.labels] == ["bug", "brand new"]
    assert issue.assignees[0].login == "chloe"
    comment = issue.create_comment("Looking.")
    comment.edit("Looked.")
    assert [c.body for c in issue.get_comments()] == ["Looked."]
    issue.add_to_labels("customer")
    issue.remove_from_labels("bug")
    issue.set_labels("tests", "customer")
    issue.add_to_assignees("babbott")
    issue.create_reaction("+1")
    issue.edit(title="The clock is wrong", state="closed", state_reason="not_planned")
    found = repo.get_issue(issue.number)
    assert (found.state, found.state_reason, found.comments, found.closed_by.login) == (
        "closed",
        "not_planned",
        1,
        "maya",
    )
    assert {x.name for x in found.labels} == {"tests", "customer"}
    assert {a.login for a in found.assignees} == {"chloe", "babbott"}
    assert {"labeled", "unlabeled", "assigned", "renamed", "closed"} <= {e.event for e in found.get_events()}
    found.lock("resolved")
    assert repo.get_issue(issue.number).active_lock_reason == "resolved"
    assert [i.number for i in hub.search_issues('repo:quaymark/tracker-api reason:"not planned" clock in:title')] == [
        issue.number
    ]
    data = refused(422, repo.create_issue, "x", assignee="nobody-here")
    assert data["errors"] == [{"resource": "Issue", "code": "invalid", "field": "assignees", "value": "nobody-here"}]
    data = refused(422, repo.create_label, "bug", "ffffff")
    assert data["errors"] == [{"resource": "Label", "code": "already_exists", "field": "name"}]
    goal.edit("2.9.0", state="closed")
    assert repo.get_milestone(goal.number).state == "closed"
    comment.delete()
    assert repo.get_issue(issue.number).comments == 0


def test_pull_requests(hub: Any, repo: Any) -> None:
    sha = repo.get_branch("main").commit.sha
    repo.create_git_ref("refs/heads/notes", sha)
    data = refused(422, repo.create_pull, base="main", head="notes", title="Notes", body="")
    assert data["errors"][0]["message"] == "No commits between main and notes"
    repo.create_file("NOTES.md", "Add notes", "a\nb\nc\n", branch="notes")
    pull = repo.create_pull(base="main", head="notes", title="Notes", body="Some notes.")
    assert (pull.mergeable, pull.mergeable_state, pull.commits, pull.changed_files, pull.additions) == (
        True,
        "clean",
        1,
        1,
        3,
    )
    assert (
        "already exists"
        in refused(422, repo.create_pull, base="main", head="notes", title="N", body="")["errors"][0]["message"]
    )
    pull.create_review_request(["chloe"])
    assert [u.login for u in pull.get_review_requests()[0]] == ["chloe"]
    assert refused(422, pull.create_review, event="APPROVE")["errors"] == ["Can not approve your own pull request"]
    review = pull.create_review(
        body="Fine by me", event="COMMENT", comments=[{"path": "NOTES.md", "line": 2, "side": "RIGHT", "body": "b?"}]
    )
    assert review.state == "COMMENTED"
    assert [(c.path, c.line) for c in pull.get_review_comments()] == [("NOTES.md", 2)]
    assert [f.filename for f in pull.get_files()] == ["NOTES.md"]
    assert [c.commit.message for c in pull.get_commits()] == ["Add notes"]
    assert not pull.is_merged()
    refused(409, pull.merge, sha="0" * 40)
    status = pull.merge(merge_method="squash", commit_title="Notes", commit_message="")
    assert status.merged
    assert repo.get_pull(pull.number).merged_by.login == "maya"
    assert repo.get_pull(pull.number).is_merged()
    assert repo.get_contents("NOTES.md").decoded_content == b"a\nb\nc\n"
    assert repo.get_commit(status.sha).parents[0].sha == sha
    assert refused(405, pull.merge)["message"] == "Pull Request is not mergeable"
    assert repo.get_pulls(state="closed", base="main")[0].number == pull.number


def test_releases_and_actions(repo: Any) -> None:
    assert repo.get_latest_release().tag_name == "v2.7.2"
    made = repo.create_git_release("v3.0.0", "3.0.0", "All new.", target_commitish="main")
    assert repo.get_release("v3.0.0").id == made.id
    made.update_release("3.0", "Newer.")
    assert repo.get_latest_release().name == "3.0"
    refused(422, repo.create_git_release, "v3.0.0", "again", "x")
    workflow = repo.get_workflow("ci.yml")
    assert {r.conclusion for r in workflow.get_runs(status="failure")} == {"failure"}
    run = repo.get_workflow_runs(branch="main")[0]
    assert [j.name for j in run.jobs()]
    assert run.rerun()
    assert repo.get_workflow_run(run.id).status == "queued"
    assert run.cancel()
    assert repo.get_workflow_run(run.id).conclusion == "cancelled"


def test_repositories(hub: Any, repo: Any) -> None:
    made = hub.get_user().create_repo("scratch", description="Mine", auto_init=True, private=True)
    assert made.full_name == "maya/scratch"
    assert made.get_readme().decoded_content == b"# scratch\nMine\n"
    assert {x.name for x in made.get_labels()} >= {"bug", "good first issue"}
    made.edit(description="Still mine", has_wiki=False)
    made.replace_topics(["one", "two"])
    assert hub.get_repo("maya/scratch").get_topics() == ["one", "two"]
    fork = hub.get_user().create_fork(repo)
    assert fork.parent.full_name == REPO
    fork.create_file("fork.txt", "From the fork", "f\n", branch="main")
    pull = repo.create_pull(base="main", head="maya:main", title="From a fork", body="")
    assert pull.head.repo.full_name == "maya/tracker-api"
    assert [f.filename for f in pull.get_files()] == ["fork.txt"]
    pull.merge()
    assert repo.get_contents("fork.txt").decoded_content == b"f\n"
    assert "Python" in repo.get_languages()
    assert {c.login for c in repo.get_contributors()} >= {"chloe", "ivan"}
    assert repo.get_collaborator_permission("chloe") in ("write", "admin")
    made.delete()
    refused(404, hub.get_repo, "maya/scratch")


def test_protection(repo: Any) -> None:
    main = repo.get_branch("main")
    main.edit_protection(required_approving_review_count=1, enforce_admins=True)
    assert repo.get_branch("main").protected
    assert main.get_protection().required_pull_request_reviews.required_approving_review_count == 1
    refused(409, repo.create_file, "x.txt", "x", "x", branch="main")
    pull = next(p for p in repo.get_pulls() if p.head.ref == "feature/signed-webhooks")
    assert pull.mergeable_state in ("clean", "blocked")
    main.remove_protection()
    assert not repo.get_branch("main").protected


def test_gists(hub: Any) -> None:
    gist = hub.get_user().create_gist(False, {"a.py": github.InputFileContent("print(1)\n")}, "Prints")
    assert hub.get_gist(gist.id).files["a.py"].content == "print(1)\n"
    gist.edit("Prints more", {"a.py": github.InputFileContent("print(2)\n")})
    assert hub.get_gist(gist.id).files["a.py"].content == "print(2)\n"
    assert [g.id for g in hub.get_user().get_gists()] == [gist.id]
    gist.delete()
    refused(404, hub.get_gist, gist.id)


def test_an_enterprise_address(gateway: "Gateway") -> None:
    """Clients that are given a server of their own look for the API under /api/v3, and follow its links there."""
    rest = gateway.episode(["github"]).rest("github")
    with Github(base_url=f"{rest}/api/v3", auth=Auth.Token("ghp_test"), retry=None, per_page=5) as client:
        repo = client.get_repo(REPO)
        assert len(list(repo.get_issues(state="all"))) > 10
        issue = repo.create_issue("Over /api/v3")
        issue.edit(state="closed")
        assert repo.get_issue(issue.number).state == "closed"


@pytest.mark.parametrize("name", ["needs a look", "area/feeds", "é 🙂"])
def test_names_of_labels(repo: Any, name: str) -> None:
    label = repo.create_label(name, "d4c5f9", "Someone should")
    label.edit(f"{name} 2", "d4c5f9")
    assert repo.get_label(f"{name} 2").color == "d4c5f9"
    issue = repo.create_issue("x", labels=[f"{name} 2"])
    issue.remove_from_labels(f"{name} 2")
    assert repo.get_issue(issue.number).labels == []
    repo.get_label(f"{name} 2").delete()
    refused(404, repo.get_label, f"{name} 2")


def test_all_users(hub: Any) -> None:
    hub.per_page = 20
    logins = [u.login for u in hub.get_users()]
    assert len(logins) == len(set(logins)) > 60


def test_check_runs(repo: Any) -> None:
    pull = next(p for p in repo.get_pulls() if p.head.ref == "fix/mexico-zones")
    checks = list(repo.get_commit(pull.head.sha).get_check_runs())
    assert {c.conclusion for c in checks} >= {"failure"}
    assert repo.get_check_run(checks[0].id).name == checks[0].name
    assert pull.mergeable_state == "unstable"
