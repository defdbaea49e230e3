"""What the tests of GitHub share."""

import importlib
import json
import sqlite3
from functools import cache
from typing import Any

from legoenv_mcp import registry, templates
from legoenv_mcp.capabilities import Entity, dev_repo
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces import rest
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


def numbers(episode: Episode, text: str) -> set[int]:
    path = "/search/issues?per_page=100&q=" + text.replace(" ", "+")
    return {i["number"] for i in http(episode, "GET", path).body["items"]}
