"""Mailchimp: e-mails that are taken out of a classic automation."""

import json
from typing import Any

import pytest

from legoenv_mcp.capabilities.marketing_email import Audience, Subscriber
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Reply, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of

APP = "mailchimp"
ANN = "ann.bell@meridian.example"


@pytest.fixture
def episode() -> Episode:
    created = "2025-01-10T09:00:00Z"
    ann = Subscriber(key="ann", audience="news", email=ANN, first_name="Ann", last_name="Bell", created=created)
    return episode_of(APP, [Audience(key="news", name="News", created=created), ann])


def rest(episode: Episode, method: str, path: str, body: Any = None) -> Reply:
    request = Request(method, path, path, {}, {"content-type": "application/json"}, "https://here")
    return handle(episode.app(APP), request, b"" if body is None else json.dumps(body).encode())


def test_an_email_of_an_automation_is_deleted_when_it_is_paused(episode: Episode) -> None:
    news = episode.app(APP).refs("marketing_email.Audience")["news"]
    asked = {"recipients": {"list_id": news}, "trigger_settings": {"workflow_type": "api"}}
    path = f"/automations/{rest(episode, 'POST', '/automations', asked).body['id']}"
    other = f"/automations/{rest(episode, 'POST', '/automations', asked).body['id']}"
    email = rest(episode, "GET", f"{path}/emails").body["emails"][0]["id"]
    one = f"{path}/emails/{email}"
    rest(episode, "PATCH", one, {"settings": {"subject_line": "Welcome"}})
    assert rest(episode, "POST", f"{one}/actions/start").status == 204
    assert rest(episode, "POST", f"{one}/queue", {"email_address": ANN}).status == 200
    before = episode.changes()
    assert {c.table for c in before} >= {"automationemail", "queueentry"}
    wrong = rest(episode, "DELETE", one)
    assert (wrong.status, wrong.body["title"]) == (400, "Invalid Action")
    assert rest(episode, "DELETE", f"{path}/emails/0000000000").status == 404
    assert rest(episode, "DELETE", f"{other}/emails/{email}").status == 404
    assert episode.changes() == before
    assert rest(episode, "POST", f"{one}/actions/pause").status == 204
    assert rest(episode, "DELETE", one).status == 204
    assert rest(episode, "GET", one).status == 404
    assert rest(episode, "GET", f"{path}/emails").body["emails"] == []
    assert rest(episode, "POST", f"{path}/actions/start-all-emails").status == 400
    assert rest(episode, "GET", f"{other}/emails").body["total_items"] == 1
    left = episode.changes()
    assert not [c for c in left if c.table == "queueentry"]
    (kept,) = [c for c in left if c.table == "automationemail"]
    assert kept.key != (email,)
