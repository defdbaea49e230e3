"""Jira: faces; texts and durations; the canonical side."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import templates, worlds
from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.capabilities.project_tracking import Project, Task
from legoenv_mcp.faces.mcp import serve, tools
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.episode import Episode
from tests.apps.jira.support import APP, ENTITIES, adf, call, http, keys, refused, times


async def test_an_agent_sees_markdown_and_no_noise(episode: Episode) -> None:
    async with Client(serve(episode, ["jira"])) as client:
        result = await client.call_tool("get_issue", {"issue_key": "OPS-2"})
        shown = result.structured_content
        assert shown is not None
        assert shown["fields"]["description"] == "Two pages.\n\n- sign\n- send"
        assert "avatarUrls" not in json.dumps(shown)
        bad = await client.call_tool("get_issue", {"issue_key": "OPS-404"})
        assert bad.is_error


def test_tool_list_is_of_a_usable_size() -> None:
    assert 35 <= len(tools("jira")) <= 60


def test_rest_versions_differ_in_texts_alone(episode: Episode) -> None:
    third = http(episode, "GET", "/rest/api/3/issue/OPS-2").body["fields"]
    second = http(episode, "GET", "/rest/api/2/issue/OPS-2").body["fields"]
    assert third["description"]["content"][1]["type"] == "bulletList"
    assert second["description"] == "Two pages.\n\n- sign\n- send"
    assert http(episode, "GET", "/rest/api/4/issue/OPS-2").status == 404
    plain = http(episode, "POST", "/rest/api/3/issue/OPS-2/comment", {"body": "plain"})
    assert (plain.status, plain.body["errors"]) == (400, {"comment": "Comment body is not valid!"})
    bad = http(episode, "PUT", "/rest/api/3/issue/OPS-2", {"fields": {"description": "plain"}})
    assert "Atlassian Document" in bad.body["errors"]["description"]


def test_bulk_creation_speaks_the_version_that_it_is_called_in(episode: Episode) -> None:
    doc = {
        "type": "doc",
        "version": 1,
        "content": [{"type": "paragraph", "content": [{"type": "text", "text": "hello"}]}],
    }
    base = {"project": {"key": "OPS"}, "issuetype": {"name": "Task"}, "summary": "x"}
    asked = {
        "issueUpdates": [{"fields": base | {"description": d}} for d in (doc, "hello")]
        + [{"fields": {"summary": "y"}}, {"fields": 1}]
    }
    for version, right in ((3, 0), (2, 1)):
        said = http(episode, "POST", f"/rest/api/{version}/issue/bulk", asked)
        assert said.status == 201
        (made,) = said.body["issues"]
        assert made["self"].startswith(f"https://jira.test/rest/api/{version}/issue/")
        assert [e["failedElementNumber"] for e in said.body["errors"]] == [1 - right, 2, 3]
        assert said.body["errors"][1]["elementErrors"]["errors"]["issuetype"] == "Specify an issue type"


def test_texts_and_times_are_rendered(episode: Episode) -> None:
    call(
        episode,
        "update_issue",
        issue_key="OPS-2",
        fields={"description": "# Two <pages>\n\n- **sign**\n- [send](https://x.example)"},
    )
    shown = http(episode, "GET", "/rest/api/3/issue/OPS-2?expand=renderedFields").body["renderedFields"]
    assert shown["description"].split("\n") == [
        "<h1>Two &lt;pages&gt;</h1>",
        '<ul><li><p><b>sign</b></p></li><li><p><a href="https://x.example">send</a></p></li></ul>',
    ]
    assert (shown["created"], shown["duedate"], shown["summary"]) == ("02/Feb/26 9:00 AM", "05/Mar/26", None)
    assert shown["comment"]["comments"][0]["body"] == "<p>Shared folder is ready</p>"
    said = http(episode, "GET", "/rest/api/2/issue/OPS-2/comment?expand=renderedBody").body["comments"][0]
    assert (said["body"], said["renderedBody"]) == ("Shared folder is ready", "<p>Shared folder is ready</p>")
    whole = http(episode, "PUT", "/rest/api/3/issue/OPS-2?returnIssue=true", {"fields": {"summary": "New"}})
    assert (whole.status, whole.body["fields"]["summary"]) == (200, "New")


def test_an_empty_account_is_nobody(episode: Episode) -> None:
    made = http(episode, "POST", "/rest/api/3/component", {"name": "Desk", "project": "OPS", "leadAccountId": ""})
    assert (made.status, "lead" in made.body) == (201, False)
    changed = http(episode, "PUT", f"/rest/api/3/component/{made.body['id']}", {"leadAccountId": ""})
    assert (changed.status, "lead" in changed.body) == (200, False)


def test_lists_that_come_page_by_page(episode: Episode) -> None:
    for name in ("1.0", "2.0", "3.0"):
        made = call(episode, "create_version", project_key="OPS", name=name)
    call(episode, "update_version", version_id=made["id"], released=True)
    call(episode, "create_component", project_key="OPS", name="Desk")

    def names(path: str) -> list[Any]:
        body = http(episode, "GET", f"/rest/api/3/{path}").body
        assert {"startAt", "maxResults", "total", "isLast", "values"} <= body.keys()
        return [v if isinstance(v, str) else v["name"] for v in body["values"]]

    assert names("project/OPS/version?orderBy=-name&maxResults=2") == ["3.0", "2.0"]
    assert names("project/OPS/version?status=unreleased&startAt=1") == ["2.0"]
    assert names("project/OPS/component?query=de") == ["Desk"]
    assert names("label") == ["legal", "q1"]
    assert names("field/search?query=sprint&type=custom") == ["Sprint"]
    assert names("priority/search?maxResults=1") == ["Highest"]
    assert names("resolution/search?startAt=3") == ["Cannot Reproduce"]
    said = http(
        episode,
        "POST",
        "/rest/api/3/issue/bulkfetch",
        {"issueIdsOrKeys": ["OPS-3", "NO-1", "ops-2"], "fields": ["summary"]},
    ).body
    assert [i["key"] for i in said["issues"]] == ["OPS-2", "OPS-3"]
    assert [e["id"] for e in said["issueErrors"]] == ["NO-1"]
    checked = http(episode, "POST", "/rest/api/3/jql/parse", {"queries": ["project = OPS", "nonsense = 1", "("]}).body[
        "queries"
    ]
    assert [len(q.get("errors", [])) for q in checked] == [0, 1, 1]
    picked = http(episode, "GET", "/rest/api/3/issue/picker?query=contract&showSubTasks=false").body["sections"][0][
        "issues"
    ]
    assert [i["key"] for i in picked] == ["OPS-2"]
    assert [u["displayName"] for u in http(episode, "GET", "/rest/api/3/user/picker?query=ray").body["users"]] == [
        "Nina Ray"
    ]


def test_work_is_seen_by_whom_it_is_for(episode: Episode) -> None:
    hidden = {"type": "role", "value": "Member"}
    made = http(episode, "POST", "/rest/api/2/issue/OPS-2/worklog", {"timeSpent": "1h", "visibility": hidden}).body
    assert made["visibility"]["value"] == "Member"
    changed = http(episode, "PUT", f"/rest/api/2/issue/OPS-2/worklog/{made['id']}", {"timeSpent": "2h"}).body
    assert changed["visibility"]["value"] == "Member"
    bad = {"timeSpent": "1h", "visibility": {"type": "role", "value": "Kings"}}
    before = episode.changes()
    assert http(episode, "POST", "/rest/api/2/issue/OPS-2/worklog", bad).status == 400
    assert episode.changes() == before


def test_bulk_creation_lets_each_issue_fail_by_itself(episode: Episode) -> None:
    made = call(
        episode,
        "batch_create_issues",
        issues=[{"project_key": "OPS", "summary": "A"}, {"project_key": "OPS", "summary": ""}],
    )
    assert [i["key"] for i in made["issues"]] == ["OPS-7"]
    assert made["errors"][0]["failedElementNumber"] == 1
    assert len([c for c in episode.changes() if c.table == "issue"]) == 1
    none = episode.call("jira", "batch_create_issues", {"issues": [{"project_key": "NOPE", "summary": "x"}]})
    assert (none.error, none.status) == (True, 400)


def test_projects_are_made_renamed_and_deleted(episode: Episode) -> None:
    assert "uses this project key" in refused(episode, "create_project", key="OPS", name="Other")
    assert "uppercase" in refused(episode, "create_project", key="no", name="Other")
    call(episode, "create_project", key="NEW", name="New things", lead="Nina Ray")
    assert call(episode, "get_project", project_key="NEW")["lead"]["displayName"] == "Nina Ray"
    call(episode, "update_project", project_key="OPS", key="OPX")
    assert keys(episode, "project = OPX AND type = Bug") == ["OPX-3"]
    assert len(call(episode, "get_board_issues", board_id="1")["issues"]) == 6
    call(episode, "delete_project", project_key="OPX")
    assert "No project" in refused(episode, "get_project", 404, project_key="OPX")


def test_links_watchers_and_versions(episode: Episode) -> None:
    link = call(episode, "create_issue_link", link_type="Blocks", inward_issue_key="OPS-3", outward_issue_key="OPS-2")
    assert keys(episode, 'issue in linkedIssues(OPS-2, "is blocked by")') == ["OPS-3"]
    assert "to itself" in refused(
        episode, "create_issue_link", link_type="Blocks", inward_issue_key="OPS-3", outward_issue_key="OPS-3"
    )
    assert "No issue link type" in refused(
        episode, "create_issue_link", 404, link_type="Likes", inward_issue_key="OPS-3", outward_issue_key="OPS-2"
    )
    call(episode, "remove_issue_link", link_id=link["id"])
    call(episode, "add_watcher", issue_key="OPS-3", user="Nina Ray")
    assert keys(episode, "watcher = 'Nina Ray'") == ["OPS-3"]
    version = call(episode, "create_version", project_key="OPS", name="1.0", release_date="2026-04-01")
    assert "already exists" in refused(episode, "create_version", project_key="OPS", name="1.0")
    call(episode, "update_issue", issue_key="OPS-3", fields={"fixVersions": ["1.0"]})
    assert keys(episode, "fixVersion in unreleasedVersions(OPS)") == ["OPS-3"]
    call(episode, "update_version", version_id=version["id"], released=True)
    assert keys(episode, "fixVersion = 1.0 AND fixVersion in releasedVersions()") == ["OPS-3"]


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("ab *_`#->~[]()1.\n|"), max_size=60))
def test_every_text_makes_a_sound_document(text: str) -> None:
    assert not adf.problem(adf.document(text))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10_000_000))
def test_a_duration_is_read_as_it_is_written(minutes: int) -> None:
    assert times.seconds(times.shown(minutes * 60)) == minutes * 60


def view(episode: Episode, kind: str, key: str) -> Any:
    live = episode.app("jira")
    ctx = Ctx(live, None, None, Request())
    column = {"user": "accountId", "project": "key", "issue": "key"}[kind]
    rows = ctx.db.query(f'SELECT * FROM "{kind}" WHERE "{column}" = ?', [key])
    assert rows, f"no {kind} {key}"
    shape = APP.shapes[kind]
    return APP.provides["project_tracking"].view(ctx, kind, shape.decode(tuple(rows[0][c] for c in shape.columns)))


@pytest.mark.parametrize("entity", ENTITIES, ids=lambda e: e.key)
def test_fill_then_view_gives_the_entity_back(episode: Episode, entity: Entity) -> None:
    live = episode.app("jira")
    table = {Person: "user", Project: "project", Task: "issue"}[type(entity)]
    name = f"{type(entity).__module__.rsplit('.', 1)[-1]}.{type(entity).__name__}"
    viewed = view(episode, table, live.template.refs[name][entity.key])
    people, projects = live.template.refs["people.Person"], live.template.refs["project_tracking.Project"]
    expected = entity.model_dump(exclude={"key", "id"})
    for field in ("manager", "lead", "assignee", "reporter"):
        if expected.get(field):
            expected[field] = people[expected[field]]
    if "members" in expected:
        expected["members"] = tuple(people[m] for m in expected["members"])
    if "project" in expected:
        expected["project"] = projects[expected["project"]]
    for comment in expected.get("comments", ()):
        comment["author"] = people[comment["author"]]
    assert viewed.model_dump(exclude={"key", "id"}) == expected


def test_every_entity_of_the_world_comes_back(episode: Episode) -> None:
    world = templates.episode(["jira"], world="quaymark")
    for task in worlds.load("quaymark").entities(Task):
        seen = view(world, "issue", task.key)
        assert (seen.title, seen.status, seen.kind, seen.body) == (task.title, task.status, task.kind, task.body)
        assert (seen.created, seen.done, seen.due) == (task.created, task.done, task.due)


def play(episode: Episode, plan: Any) -> list[Any]:
    """Plays a verb's plan; its replies."""
    replies = list[Any]()
    step = next(plan, None)
    while step is not None:
        replies.append(call(episode, step.tool, **step.arguments))
        try:
            step = plan.send(replies[-1])
        except StopIteration:
            break
    return replies


def test_each_verb_has_its_effect(episode: Episode) -> None:
    verbs = APP.provides["project_tracking"]
    nina = episode.app("jira").template.refs["people.Person"]["nina.ray"]
    assert len(play(episode, verbs.list_projects())[0]["values"]) == 2
    assert sum(len(r["issues"]) for r in play(episode, verbs.list_tasks("OPS"))) == 6
    assert play(episode, verbs.get_task("OPS-3"))[0]["key"] == "OPS-3"
    play(episode, verbs.create_task("OPS", "Fresh", "Body"))
    made = view(episode, "issue", "OPS-7")
    assert (made.title, made.body, made.status, made.kind) == ("Fresh", "Body", "todo", "task")
    play(episode, verbs.update_task("OPS-7", title="Fresher", due="2026-03-09", body="More"))
    made = view(episode, "issue", "OPS-7")
    assert (made.title, made.body, made.due) == ("Fresher", "More", "2026-03-09")
    for key in ("OPS-1", "OPS-2", "OPS-3", "OPS-5", "OPS-7"):
        play(episode, verbs.complete_task(key))
        assert view(episode, "issue", key).status == "done"
        assert view(episode, "issue", key).done.startswith("2026-03-02T09:00:")
    play(episode, verbs.comment("OPS-7", "Said"))
    assert view(episode, "issue", "OPS-7").comments[0].body == "Said"
    play(episode, verbs.assign_task("OPS-7", nina))
    assert view(episode, "issue", "OPS-7").assignee == nina
    play(episode, verbs.create_project("Fresh start", "FRE"))
    assert view(episode, "project", "FRE").name == "Fresh start"
    play(episode, verbs.delete_task("OPS-7"))
    assert "OPS-7" not in keys(episode, "project = OPS")
