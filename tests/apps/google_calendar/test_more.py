"""Google Calendar over REST: rules and list entries written anew, calendars given away, channels for changes."""

import json
from typing import Any
from urllib.parse import parse_qsl

import pytest

from legoenv_mcp.capabilities.calendar import Calendar
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces import rest
from legoenv_mcp.kernel.context import Reply, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of

SLUG = "google_calendar"
ALEX, DANA, SAM = "alex.doyle@brightwater.example", "dana.ruiz@brightwater.example", "sam.ito@brightwater.example"
RULES = "/calendars/primary/acl"
LIST = "/users/me/calendarList"


def person(key: str, first: str, last: str) -> Person:
    return Person(
        key=key, first_name=first, last_name=last, email=f"{key}@brightwater.example", handle=key, title="Analyst",
        department="Ops", manager="alex.doyle",
    )  # fmt: skip


@pytest.fixture
def episode() -> Episode:
    return episode_of(
        SLUG,
        [
            person("dana.ruiz", "Dana", "Ruiz"),
            person("sam.ito", "Sam", "Ito"),
            Calendar(key="alex", name="Alex", owner="alex.doyle", primary=True, time_zone="Europe/London"),
            Calendar(key="dana", name="Dana", owner="dana.ruiz", primary=True, time_zone="America/New_York"),
            Calendar(key="ops", name="Operations", owner="dana.ruiz", time_zone="Europe/London"),
        ],
    )


def http(episode: Episode, method: str, path: str, body: Any = None) -> Reply:
    target, _, text = path.partition("?")
    request = Request(
        method, f"/calendar/v3{target}", f"http://x/calendar/v3{path}", dict(parse_qsl(text, keep_blank_values=True)),
        {"content-type": "application/json"}, "http://x",
    )  # fmt: skip
    return rest.handle(episode.app(SLUG), request, b"" if body is None else json.dumps(body).encode())


def got(episode: Episode, method: str, path: str, body: Any = None) -> Any:
    reply = http(episode, method, path, body)
    assert reply.status < 300, reply.body
    return reply.body


def refused(episode: Episode, method: str, path: str, body: Any = None) -> tuple[int, str]:
    """Status and reason of a refusal that left nothing behind."""
    before = episode.changes()
    reply = http(episode, method, path, body)
    assert reply.error, reply.body
    assert episode.changes() == before
    return reply.status, reply.body["error"]["errors"][0]["reason"]


def test_a_rule_is_written_anew(episode: Episode) -> None:
    scope = {"type": "user", "value": SAM}
    made = got(episode, "POST", RULES, {"role": "reader", "scope": scope})
    rule = f"{RULES}/{made['id']}"
    changed = got(episode, "PUT", rule, {"role": "writer", "scope": scope})
    assert (changed["role"], changed["scope"]) == ("writer", scope)
    assert changed["etag"] != made["etag"]
    assert got(episode, "GET", rule) == changed
    assert [c.after["role"] for c in episode.changes() if c.table == "acl_rule" and c.after] == ["writer"]
    assert refused(episode, "PUT", rule, {"scope": scope})[0] == 400
    assert refused(episode, "PUT", f"{RULES}/user:nobody@brightwater.example", {"role": "reader"})[0] == 404
    assert refused(episode, "PUT", f"{RULES}/user:{ALEX}", {"role": "reader"})[1] == "cannotChangeOwnerAcl"


def test_an_entry_of_the_list_is_written_anew(episode: Episode) -> None:
    entry = f"{LIST}/{DANA}"
    reminders = [{"method": "popup", "minutes": 15}]
    body = {"summaryOverride": "Boss", "colorId": "3", "hidden": True, "selected": True, "defaultReminders": reminders}
    first = got(episode, "PUT", entry, body)
    assert {name: first[name] for name in body} == body
    assert got(episode, "GET", entry) == first
    second = got(episode, "PUT", entry, {"colorId": "5"})
    assert (second["colorId"], second["defaultReminders"]) == ("5", [])
    assert not {"summaryOverride", "hidden", "selected"} & second.keys()
    assert got(episode, "GET", entry) == second
    assert DANA in {c["id"] for c in got(episode, "GET", LIST)["items"]}
    assert refused(episode, "PUT", f"{LIST}/nope@group.calendar.google.com", {"colorId": "5"}) == (404, "notFound")
    assert refused(episode, "PUT", entry, {"colorId": "99"})[0] == 400


def test_a_calendar_is_given_to_another_user(episode: Episode) -> None:
    made = got(episode, "POST", "/calendars", {"summary": "Audit"})["id"]
    path = f"/calendars/{made}/transferOwnership?useAdminAccess=true&newDataOwner="
    assert refused(episode, "POST", f"{path}nobody@brightwater.example")[0] == 400
    assert refused(episode, "POST", path.replace("=true", "=false") + SAM)[0] == 400
    assert refused(episode, "POST", path.replace(made, "nope@group.calendar.google.com") + SAM) == (404, "notFound")
    assert refused(episode, "POST", path.replace(made, ALEX) + SAM)[0] == 400
    assert http(episode, "POST", path + SAM).status == 204
    assert got(episode, "GET", f"/calendars/{made}")["dataOwner"] == SAM
    assert got(episode, "GET", f"/calendars/{made}/acl/user:{SAM}")["role"] == "owner"
    (calendar,) = [c for c in episode.changes() if c.table == "calendar"]
    assert calendar.after
    assert calendar.after["owner"] == SAM


@pytest.mark.parametrize("place", [RULES, LIST, "/users/me/settings"])
def test_channels_for_changes_are_opened_and_stopped(episode: Episode, place: str) -> None:
    asked = {"id": "c-1", "type": "web_hook", "address": "https://hooks.brightwater.example/x", "token": "t"}
    made = got(episode, "POST", f"{place}/watch", asked)
    assert (made["kind"], made["id"], made["token"]) == ("api#channel", "c-1", "t")
    assert made["resourceUri"].partition("?")[0].endswith(place.replace("primary", ALEX))
    assert made["expiration"].isdigit()
    (change,) = episode.changes()
    assert (change.table, change.kind, change.key) == ("channel", "insert", ("c-1",))
    assert refused(episode, "POST", f"{place}/watch", asked)[1] == "channelIdNotUnique"
    plain = {**asked, "id": "c-2", "address": "http://hooks.brightwater.example/x"}
    assert refused(episode, "POST", f"{place}/watch", plain)[1] == "push.webhookUrlNotHttps"
    stop = {"id": "c-1", "resourceId": made["resourceId"]}
    assert refused(episode, "POST", "/channels/stop", {**stop, "resourceId": "other"})[0] == 404
    assert http(episode, "POST", "/channels/stop", stop).status == 204
    assert episode.changes() == []


def test_changes_of_sharing_are_not_for_those_who_cannot_see_it(episode: Episode) -> None:
    asked = {"id": "c-1", "type": "web_hook", "address": "https://hooks.brightwater.example/x"}
    assert refused(episode, "POST", f"/calendars/{DANA}/acl/watch", asked)[0] == 403
    assert refused(episode, "POST", "/calendars/nope@group.calendar.google.com/acl/watch", asked)[0] == 404
