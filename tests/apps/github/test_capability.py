"""GitHub: the capability."""

import json
from typing import Any, Literal, get_args, get_origin

import pytest
from mcp import Client

from legoenv_mcp import templates, worlds
from legoenv_mcp.capabilities import Entity, dev_repo
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.episode import Episode
from tests.apps.github.support import APP, ENTITIES, HERE, _file, template, view


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
