"""GitHub as a code host (`dev_repo`): canonical entities to rows and back, and the verbs."""

import re
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call, dev_repo
from legoenv_mcp.capabilities.people import Person

from . import fills, views

_FILLS = {
    Person: fills.person, dev_repo.Repository: fills.repository, dev_repo.Commit: fills.commit, dev_repo.Issue: fills.issue,
    dev_repo.PullRequest: fills.pull_request, dev_repo.Release: fills.release, dev_repo.Run: fills.run,
}  # fmt: skip


class GitHubRepo(dev_repo.DevRepo):
    """Ids: a person's login, a repository's full name, `owner/name#12` for issues and pull requests, a commit's sha."""

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        return _FILLS[type(entity)](ctx, entity)  # pyright: ignore[reportArgumentType]

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        return views.view(ctx, table, row)

    def find_repository(self, text: str) -> Plan:
        yield call("search_repositories", query=text)

    def get_file(self, repo: str, path: str) -> Plan:
        yield call("get_file_contents", **_split(repo), path=path)

    def commit_file(self, repo: str, branch: str, path: str, content: str, message: str) -> Plan:
        """Updates need the blob's sha, so what is there is read first; of a file that is not there the reply has none."""
        folder = path.rpartition("/")[0]
        listed = yield call("get_repository_tree", **_split(repo), tree_sha=branch, recursive=True, path_filter=folder)
        found = next((e["sha"] for e in listed.get("tree", []) if e["path"] == path), None)
        known = {"sha": found} if found else {}
        yield call(
            "create_or_update_file", **_split(repo), path=path, content=content, message=message, branch=branch, **known
        )

    def create_branch(self, repo: str, branch: str) -> Plan:
        yield call("create_branch", **_split(repo), branch=branch)

    def create_issue(self, repo: str, title: str, body: str) -> Plan:
        yield call("create_issue", **_split(repo), title=title, body=body)

    def list_issues(self, repo: str) -> Plan:
        yield call("list_issues", **_split(repo))

    def list_releases(self, repo: str) -> Plan:
        yield call("list_releases", **_split(repo))

    def open_pull_request(self, repo: str, head: str, base: str, title: str, body: str) -> Plan:
        yield call("create_pull_request", **_split(repo), head=head, base=base, title=title, body=body)

    def list_pull_requests(self, repo: str) -> Plan:
        yield call("list_pull_requests", **_split(repo))

    def merge_pull_request(self, repo: str, number: int) -> Plan:
        yield call("merge_pull_request", **_split(repo), pullNumber=number)

    def comment_on_pull_request(self, repo: str, number: int, body: str) -> Plan:
        yield call("add_issue_comment", **_split(repo), issue_number=number, body=body)

    def run_pipeline(self, repo: str, workflow: str, branch: str) -> Plan:
        listed = yield call("list_workflows", **_split(repo))
        wanted = workflow.lower()
        found = next((w for w in listed.get("workflows", []) if wanted in (w["name"].lower(), w["path"].rpartition("/")[2],
        re.sub(r"\.ya?ml$", "", w["path"].rpartition("/")[2]))), None)  # fmt: skip
        yield call(
            "run_workflow",
            **_split(repo),
            workflow_id=found["path"].rpartition("/")[2] if found else workflow,
            ref=branch,
        )


def _split(repo: str) -> dict[str, str]:
    owner, _, name = repo.partition("/")
    return {"owner": owner, "repo": name}


provides = {"dev_repo": GitHubRepo()}
