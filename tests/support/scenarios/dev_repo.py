"""The verbs of dev_repo."""

from legoenv_mcp.capabilities import dev_repo
from tests.support.scenarios.stage import Stage


def plays(s: Stage) -> None:
    p = s.provider
    repository = s.first(dev_repo.Repository, lambda r: not r.archived)
    repo = s.ref(repository)
    s.reads(p.find_repository(repository.name), repository.name)
    s.reads(p.list_issues(repo))
    if p.offers("list_releases"):
        s.reads(p.list_releases(repo))
    s.reads(p.list_pull_requests(repo))
    s.reads(p.get_file(repo, "README.md"))
    s.run(p.create_branch(repo, "by-verb"))
    s.run(p.commit_file(repo, "by-verb", "docs/verb.md", "# Verb\n", "Add a page about verbs"))
    assert s.one(dev_repo.Commit, lambda c: c.message == "Add a page about verbs").repo == repo
    s.run(p.create_issue(repo, "Found by verb", "It does not add up."))
    assert s.one(dev_repo.Issue, lambda i: i.title == "Found by verb").state == "open"
    s.run(p.open_pull_request(repo, "by-verb", repository.default_branch, "A page about verbs", "Please look."))
    pull = s.one(dev_repo.PullRequest, lambda x: x.title == "A page about verbs")
    assert (pull.head, pull.base, pull.state) == ("by-verb", repository.default_branch, "open")
    s.run(p.comment_on_pull_request(repo, pull.number, "Looks right."))
    assert any(
        c.body == "Looks right."
        for c in s.one(dev_repo.PullRequest, lambda x: x.number == pull.number and x.repo == repo).comments
    )
    s.run(p.merge_pull_request(repo, pull.number))
    assert s.one(dev_repo.PullRequest, lambda x: x.number == pull.number and x.repo == repo).state == "merged"
