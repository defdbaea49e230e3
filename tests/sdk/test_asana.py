"""Asana's own SDK, unmodified, against the Asana app over real HTTP: only its host is another."""

import gc
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import asana as vendor
import httpx
import pytest
from asana.rest import ApiException

if TYPE_CHECKING:
    from conftest import Gateway

asana: Any = vendor  # its own types say of every call that it may return anything

pytestmark = [
    pytest.mark.sdk,
    pytest.mark.filterwarnings("ignore:HTTPResponse.getheaders:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


class Account:
    """The SDK's client, its API classes, and where it talks to."""

    def __init__(self, host: str) -> None:
        configuration = asana.Configuration()
        configuration.host = f"{host}/api/1.0"
        configuration.access_token = "2/1204/token"
        self.host = host
        self.client = asana.ApiClient(configuration)
        self.tasks = asana.TasksApi(self.client)
        self.projects = asana.ProjectsApi(self.client)
        self.sections = asana.SectionsApi(self.client)
        self.stories = asana.StoriesApi(self.client)
        self.workspace: str = next(iter(asana.WorkspacesApi(self.client).get_workspaces({})))["gid"]

    def project(self, name: str = "Operations") -> str:
        found = self.projects.get_projects({"workspace": self.workspace, "opt_fields": "name"})
        return next(p["gid"] for p in found if p["name"] == name)


@pytest.fixture
def account(gateway: "Gateway") -> Iterator[Account]:
    made = Account(gateway.episode(["asana"], world="quaymark").rest("asana"))
    yield made
    made.client.pool.close()
    made.client.pool.join()
    made.client.rest_client.pool_manager.clear()
    gc.collect()


def refused(status: int, text: str, call: Any, *args: Any) -> None:
    with pytest.raises(ApiException) as caught:
        list(call(*args))
    assert caught.value.status == status
    assert text in str(caught.value.body)


def test_who_and_where(account: Account) -> None:
    me = asana.UsersApi(account.client).get_user("me", {})
    assert (me["name"], me["email"]) == ("Maya Chen", "maya.chen@quaymark.example")
    assert me["workspaces"][0]["name"] == "Quaymark"
    people = list(
        asana.UsersApi(account.client).get_users_for_workspace(account.workspace, {"opt_fields": "name,email"})
    )
    assert {"gid", "name", "email"} == set(people[0])
    teams = list(asana.TeamsApi(account.client).get_teams_for_workspace(account.workspace, {}))
    assert "Quaymark" in {t["name"] for t in teams}
    mine = asana.UserTaskListsApi(account.client).get_user_task_list_for_user("me", account.workspace, {})
    assert mine["name"] == "My Tasks"
    assert list(account.tasks.get_tasks_for_user_task_list(mine["gid"], {"completed_since": "now"}))


def test_pages_lead_through_every_task_once(account: Account) -> None:
    project = account.project()
    everything = [t["gid"] for t in account.tasks.get_tasks_for_project(project, {})]
    walked = [t["gid"] for t in account.tasks.get_tasks_for_project(project, {"limit": 7})]
    assert walked == everything
    assert len(everything) > 21
    assert len(set(walked)) == len(walked)
    raw = account.tasks.get_tasks_for_project(project, {"limit": 7}, full_payload=True)
    assert raw["next_page"]["path"].startswith(f"/projects/{project}/tasks?limit=7&offset=")
    assert httpx.get(raw["next_page"]["uri"]).json()["data"][0]["gid"] == everything[7]


def test_a_task_lives(account: Account) -> None:
    project = account.project()
    body = {
        "data": {
            "name": "Made by the SDK",
            "projects": [project],
            "assignee": "me",
            "due_on": "2026-03-20",
            "notes": "A <b>",
        }
    }
    made = account.tasks.create_task(body, {})
    assert made["assignee"]["name"] == "Maya Chen"
    assert made["memberships"][0]["section"]["name"] == "To Do"
    gid = made["gid"]
    changed = account.tasks.update_task(
        {"data": {"completed": True, "name": "Renamed"}}, gid, {"opt_fields": "completed,completed_by.name,html_notes"}
    )
    assert changed == {"gid": gid, "completed": True, "completed_by": {"gid": made["assignee"]["gid"], "name": "Maya Chen"},
                       "html_notes": "<body>A &lt;b&gt;</body>"}  # fmt: skip
    told = [s["resource_subtype"] for s in account.stories.get_stories_for_task(gid, {})]
    assert told == ["added_to_project", "assigned", "name_changed", "marked_complete"]
    said = account.stories.create_story_for_task({"data": {"text": "Well done"}}, gid, {})
    assert account.stories.update_story({"data": {"text": "Very well done"}}, said["gid"], {})["is_edited"]
    account.stories.delete_story(said["gid"])
    account.tasks.delete_task(gid)
    refused(404, f"task: Unknown object: {gid}", account.tasks.get_task, gid, {})


def test_parts_of_a_task(account: Account) -> None:
    project = account.project()
    first, second = (t["gid"] for t in list(account.tasks.get_tasks_for_project(project, {}))[:2])
    inner = account.tasks.create_subtask_for_task({"data": {"name": "Inner"}}, first, {})
    assert [t["name"] for t in account.tasks.get_subtasks_for_task(first, {})][-1] == "Inner"
    account.tasks.set_parent_for_task({"data": {"parent": second}}, inner["gid"], {})
    assert account.tasks.get_task(inner["gid"], {"opt_fields": "parent"})["parent"] == {
        "gid": second,
        "resource_type": "task",
    }
    account.tasks.add_dependencies_for_task({"data": {"dependencies": [second]}}, first)
    assert [t["gid"] for t in account.tasks.get_dependencies_for_task(first, {})] == [second]
    assert [t["gid"] for t in account.tasks.get_dependents_for_task(second, {})] == [first]
    refused(400, "circle", account.tasks.add_dependencies_for_task, {"data": {"dependencies": [first]}}, second)
    tag = asana.TagsApi(account.client).create_tag({"data": {"name": "odd", "workspace": account.workspace}}, {})
    account.tasks.add_tag_for_task({"data": {"tag": tag["gid"]}}, first)
    assert [t["gid"] for t in account.tasks.get_tasks_for_tag(tag["gid"], {})] == [first]
    account.tasks.remove_tag_for_task({"data": {"tag": tag["gid"]}}, first)
    followed = account.tasks.add_followers_for_task({"data": {"followers": ["owen.price@quaymark.example"]}}, first, {})
    assert "Owen Price" in {u["name"] for u in followed["followers"]}


def test_projects_sections_and_fields(account: Account) -> None:
    team = next(iter(asana.TeamsApi(account.client).get_teams_for_workspace(account.workspace, {})))["gid"]
    body = {"data": {"name": "Spring", "workspace": account.workspace, "team": team, "color": "light-green"}}
    project = account.projects.create_project(body, {})
    assert (project["color"], project["owner"]["name"]) == ("light-green", "Maya Chen")
    section = account.sections.create_section_for_project(project["gid"], {"body": {"data": {"name": "Next"}}})
    fields = asana.CustomFieldsApi(account.client)
    options = [{"name": "S"}, {"name": "M"}]
    field = fields.create_custom_field(
        {"data": {"workspace": account.workspace, "name": "Size", "resource_subtype": "enum", "enum_options": options}},
        {},
    )
    asana.ProjectsApi(account.client).add_custom_field_setting_for_project(
        {"data": {"custom_field": field["gid"]}}, project["gid"], {}
    )
    place = {"project": project["gid"], "section": section["gid"]}
    medium = field["enum_options"][1]["gid"]
    task = account.tasks.create_task(
        {"data": {"name": "T", "memberships": [place], "custom_fields": {field["gid"]: medium}}},
        {"opt_fields": "custom_fields.display_value,memberships.section.name"},
    )
    assert task["custom_fields"] == [{"gid": field["gid"], "display_value": "M"}]
    assert task["memberships"][0]["section"] == {"gid": section["gid"], "name": "Next"}
    account.tasks.remove_project_for_task({"data": {"project": project["gid"]}}, task["gid"])
    account.sections.delete_section(section["gid"])
    assert [s["name"] for s in account.sections.get_sections_for_project(project["gid"], {})] == ["Untitled section"]
    account.projects.update_project({"data": {"archived": True}}, project["gid"], {})
    status = asana.StatusUpdatesApi(account.client).create_status_for_object(
        {"data": {"parent": project["gid"], "status_type": "at_risk", "text": "Late", "title": "Week 9"}}, {}
    )
    assert status["status_type"] == "at_risk"
    account.projects.delete_project(project["gid"])


def test_searching_typing_ahead_and_refusals(account: Account) -> None:
    options = {
        "assignee.any": "me",
        "completed": False,
        "sort_by": "due_date",
        "sort_ascending": True,
        "opt_fields": "due_on,assignee.name",
    }
    found = list(account.tasks.search_tasks_for_workspace(account.workspace, options))
    dues = [t["due_on"] for t in found if t["due_on"]]
    assert found
    assert {t["assignee"]["name"] for t in found} == {"Maya Chen"}
    assert dues == sorted(dues)
    typed = list(
        asana.TypeaheadApi(account.client).typeahead_for_workspace(account.workspace, "user", {"query": "may"})
    )
    assert "Maya Chen" in {u["name"] for u in typed}
    refused(
        400,
        "You should specify one of workspace, parent, projects",
        account.tasks.create_task,
        {"data": {"name": "x"}},
        {},
    )
    refused(400, "workspace: Not a recognized ID: we", account.tasks.search_tasks_for_workspace, "we", {})
    refused(
        400, "The only allowed keys at the top level are: data, options", account.tasks.create_task, {"name": "x"}, {}
    )


def test_files_jobs_batches_events_and_the_rest(account: Account, tmp_path: Path) -> None:
    project = account.project()
    task = next(iter(account.tasks.get_tasks_for_project(project, {})))["gid"]
    path = tmp_path / "note.txt"
    path.write_bytes(b"content")
    attachments = asana.AttachmentsApi(account.client)
    made = attachments.create_attachment_for_object({"file": str(path), "parent": task})
    assert made["name"] == "note.txt"
    whole = attachments.get_attachment(made["gid"], {})
    assert (whole["size"], httpx.get(whole["download_url"]).content) == (7, b"content")
    job = account.tasks.duplicate_task({"data": {"name": "Copy", "include": "notes,assignee"}}, task, {})
    assert job["status"] == "in_progress"
    assert asana.JobsApi(account.client).get_job(job["gid"], {})["status"] == "succeeded"
    events = asana.EventsApi(account.client)
    with pytest.raises(ApiException) as caught:
        events.get_events(task, {}, full_payload=True)
    assert caught.value.status == 412
    token = json.loads(caught.value.body or b"")["sync"]
    assert list(events.get_events(task, {})) == []
    account.tasks.update_task({"data": {"name": "Seen"}}, task, {})
    told = events.get_events(task, {"sync": token}, full_payload=True)
    assert [e["change"]["field"] for e in told["data"]] == ["name"]
    assert told["sync"] != token
    actions = [
        {"method": "get", "relative_path": "/users/me", "options": {"fields": ["name"]}},
        {"method": "put", "relative_path": f"/tasks/{task}", "data": {"name": "Batched"}},
        {"method": "get", "relative_path": "/tasks/1"},
    ]
    answers = list(asana.BatchAPIApi(account.client).create_batch_request({"data": {"actions": actions}}, {}))
    assert [a["status_code"] for a in answers] == [200, 200, 404]
    assert answers[0]["body"]["data"]["name"] == "Maya Chen"
    hooks = asana.WebhooksApi(account.client)
    hook = hooks.create_webhook({"data": {"resource": project, "target": "https://hooks.quaymark.example/a"}}, {})
    hooks.delete_webhook(hook["gid"])
    portfolios = asana.PortfoliosApi(account.client)
    portfolio = portfolios.create_portfolio({"data": {"name": "All", "workspace": account.workspace}}, {})
    portfolios.add_item_for_portfolio({"data": {"item": project}}, portfolio["gid"])
    assert [p["gid"] for p in portfolios.get_items_for_portfolio(portfolio["gid"], {})] == [project]
    entry = asana.TimeTrackingEntriesApi(account.client).create_time_tracking_entry(
        {"data": {"duration_minutes": 30}}, task, {}
    )
    assert (
        account.tasks.get_task(task, {"opt_fields": "actual_time_minutes"})["actual_time_minutes"]
        == entry["duration_minutes"]
    )
    goals = asana.GoalsApi(account.client)
    goal = goals.create_goal({"data": {"name": "Grow", "workspace": account.workspace}}, {})
    assert goals.get_goal(goal["gid"], {})["owner"]["name"] == "Maya Chen"
