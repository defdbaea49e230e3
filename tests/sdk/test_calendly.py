"""Calendly over real HTTP with httpx. Calendly publishes no client library for Python; what its clients are made from is its public
OpenAPI document. So the document is the yardstick: `calendly_api.toml` records, as names, its operations with their parameters and the
properties of its objects. The app must route every one, and the answers of a program's working day must have them all.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from legoenv_mcp import registry

pytestmark = pytest.mark.sdk

API = "https://api.calendly.com"
DOCUMENT: dict[str, Any] = tomllib.loads(Path(__file__).with_name("calendly_api.toml").read_text())
LOOSE = {
    "PATCH /event_type_availability_schedules",  # agents give its body's parts apart
}


@pytest.mark.parametrize("name", DOCUMENT["operations"])
def test_the_app_has_every_operation_of_the_document(name: str) -> None:
    told = DOCUMENT["operations"][name]
    method, _, path = name.partition(" ")
    example = re.sub(r"\{\w+\}", "AAAA", path)
    operation, _, _ = registry.load("calendly").router.match(method, example)
    assert operation is not None, "no such route"
    assert (operation.status, operation.path.count("{")) == (told["status"], path.count("{"))
    mine = {p.wire: p for p in operation.params.values() if p.rest and p.where in ("query", "body")}
    for place in ("query", "body"):
        missing = [n for n in told.get(place, []) if n not in mine or mine[n].where != place]
        assert not missing, f"no {place} parameters {missing}"
    optional = [n for n in told.get("required", []) if not mine[n].required]
    assert not optional or name in LOOSE


class Program:
    """A program that works with the API as its document describes it."""

    def __init__(self, rest: str) -> None:
        self.rest = rest
        self.http = httpx.Client(base_url=rest, timeout=60, headers={"Authorization": "Bearer token"})
        self.me = self.one("User", "GET", "/users/me")
        self.org = self.me["current_organization"]

    def send(self, method: str, path: str, status: int, body: Any = None, /, **query: Any) -> Any:
        reply = self.http.request(method, path.removeprefix(API), json=body, params=query or None)
        assert reply.status_code == status, reply.text
        return reply.json() if reply.content else None

    def one(self, kind: str, method: str, path: str, body: Any = None, status: int = 200, /, **query: Any) -> Any:
        """A resource, with all the properties that its kind has."""
        found = self.send(method, path, status, body, **query)["resource"]
        assert set(DOCUMENT["objects"][kind]) <= set(found), set(DOCUMENT["objects"][kind]) - set(found)
        return found

    def many(self, kind: str, path: str, /, **query: Any) -> list[Any]:
        """The whole of a collection, page by page along the links, each item with all its properties."""
        page, items = self.send("GET", path, 200, **query), list[Any]()
        while True:
            items += page["collection"]
            if "pagination" not in page:  # the lists of a span of time
                break
            assert set(page["pagination"]) == set(DOCUMENT["objects"]["Pagination"])
            link = page["pagination"]["next_page"]
            if link is None:
                break
            assert link.startswith(self.rest)
            page = self.http.get(link).json()
        for item in items:
            assert set(DOCUMENT["objects"][kind]) <= set(item), set(DOCUMENT["objects"][kind]) - set(item)
        return items


@pytest.fixture
def program(gateway: Any) -> Iterator[Program]:
    made = Program(gateway.episode(["calendly"], world="quaymark").rest("calendly"))
    yield made
    made.http.close()


def test_a_meeting_is_booked_missed_moved_and_canceled(program: Program) -> None:
    kinds = program.many("EventType", "/event_types", organization=program.org, active=True, count=3)
    assert len({k["uri"] for k in kinds}) == len(kinds) > 6
    office = next(k for k in kinds if k["slug"] == "support-office-hour")
    span = {"event_type": office["uri"], "start_time": "2026-03-03T00:00:00Z", "end_time": "2026-03-10T00:00:00Z"}
    free = program.many("EventTypeAvailableTime", "/event_type_available_times", **span)
    assert free[0]["scheduling_url"].startswith(office["scheduling_url"])
    who = {"email": "kim@elsewhere.example", "first_name": "Kim", "last_name": "Lund", "timezone": "Europe/Oslo"}
    wanted = {"event_type": office["uri"], "start_time": free[0]["start_time"], "invitee": who}
    booked = program.one("Invitee", "POST", "/invitees", wanted, 201)
    assert (booked["name"], booked["scheduling_method"]) == ("Kim Lund", "instant_book")
    event = program.one("Event", "GET", booked["event"])
    assert event["invitees_counter"] == {"total": 1, "active": 1, "limit": 1}
    taken = program.send("POST", "/invitees", 400, wanted)
    assert (taken["title"], taken["details"][0]["parameter"]) == ("Invalid Argument", "start_time")
    assert program.many("Invitee", f"{booked['event']}/invitees", email=who["email"])[0]["uri"] == booked["uri"]
    assert program.one("Invitee", "GET", booked["uri"])["timezone"] == "Europe/Oslo"
    host = event["event_memberships"][0]["user"]
    busy = program.many(
        "UserBusyTime", "/user_busy_times", user=host, start_time=span["start_time"], end_time=span["end_time"]
    )
    assert event["uri"] in [b["event"]["uri"] for b in busy]

    canceled = program.one("Cancellation", "POST", f"{event['uri']}/cancellation", {"reason": "Ill"}, 201)
    assert canceled["canceler_type"] == "host"
    again = program.send("POST", f"{event['uri']}/cancellation", 403, {})
    assert again == {"title": "Permission Denied", "message": "Event is already canceled"}

    past = program.many(
        "Event", "/scheduled_events", organization=program.org, status="active", max_start_time="2026-02-20T00:00:00Z"
    )
    here = next(i for e in past for i in program.many("Invitee", f"{e['uri']}/invitees") if not i["no_show"])
    mark = program.one("InviteeNoShow", "POST", "/invitee_no_shows", {"invitee": here["uri"]}, 201)
    assert program.one("InviteeNoShow", "GET", mark["uri"])["invitee"] == here["uri"]
    program.send("DELETE", mark["uri"], 204)
    program.send("GET", mark["uri"], 404)


def test_meetings_are_walked_through_page_by_page(program: Program) -> None:
    walked = program.many("Event", "/scheduled_events", organization=program.org, count=7, sort="start_time:desc")
    assert len({e["uri"] for e in walked}) == len(walked) == 46
    assert [e["start_time"] for e in walked] == sorted((e["start_time"] for e in walked), reverse=True)
    assert all("cancellation" in e for e in walked if e["status"] == "canceled")
    missing = program.send("GET", "/scheduled_events", 400)
    assert missing["message"] == "The supplied parameters are invalid."


def test_event_types_are_made_changed_and_shared(program: Program) -> None:
    made = program.one("EventType", "POST", "/event_types", {"owner": program.me["uri"], "name": "Talk"}, 201)
    changed = program.one(
        "EventType", "PATCH", made["uri"], {"active": True, "duration": 45, "locations": [{"kind": "zoom_conference"}]}
    )
    assert (changed["duration"], changed["locations"]) == (45, [{"kind": "zoom_conference"}])
    assert program.one("EventType", "GET", made["uri"])["active"] is True
    rule = {
        "timezone": "Europe/London",
        "rules": [{"type": "wday", "wday": "friday", "intervals": [{"from": "09:00", "to": "10:00"}]}],
    }
    where = "/event_type_availability_schedules"
    kept = program.one(
        "EventTypeAvailabilitySchedule", "PATCH", where, {"availability_rule": rule}, event_type=made["uri"]
    )
    assert kept["availability_rule"]["rules"] == rule["rules"]
    assert program.many("EventTypeAvailabilitySchedule", where, event_type=made["uri"]) == [kept]
    assert len(program.many("AvailabilitySchedule", "/user_availability_schedules", user=program.me["uri"])) == 1
    link = {"max_event_count": 1, "owner": made["uri"], "owner_type": "EventType"}
    assert program.one("SchedulingLink", "POST", "/scheduling_links", link, 201)["booking_url"].startswith(
        "https://calendly.com/d/"
    )
    share = program.one("Share", "POST", "/shares", {"event_type": made["uri"], "duration": 15}, 201)
    assert share["share_override"] == {"duration": 15}
    setting = {"type": "date_range", "start_date": "2026-03-03", "end_date": "2026-03-06"}
    one_off = {"name": "Kick-off", "host": program.me["uri"], "duration": 30, "date_setting": setting}
    assert program.one("EventType", "POST", "/one_off_event_types", one_off, 201)["type"] == "AdhocEventType"
    hosts = program.send("GET", "/event_type_memberships", 200, event_type=made["uri"])["collection"]
    assert [h["member"]["uri"] for h in hosts] == [program.me["uri"]]


def test_the_organization_is_looked_after(program: Program) -> None:
    assert program.one("Organization", "GET", program.org)["plan"] == "enterprise"
    members = program.many("OrganizationMembership", "/organization_memberships", organization=program.org, count=50)
    assert len(members) > 60
    assert program.one("OrganizationMembership", "GET", members[0]["uri"])["user"]["uri"] == members[0]["user"]["uri"]
    assert program.one("User", "GET", members[0]["user"]["uri"])["name"] == members[0]["user"]["name"]
    invited = program.one(
        "OrganizationInvitation", "POST", f"{program.org}/invitations", {"email": "kim@elsewhere.example"}, 201
    )
    assert program.one("OrganizationInvitation", "GET", invited["uri"])["status"] == "pending"
    assert program.many("OrganizationInvitation", f"{program.org}/invitations", status="pending") == [invited]
    program.send("DELETE", invited["uri"], 204)
    leaver = next(m for m in members if m["role"] == "user")
    program.send("DELETE", leaver["uri"], 204)
    program.send("GET", leaver["uri"], 404)
    groups = program.many("Group", "/groups", organization=program.org)
    assert len(groups) > 5
    assert program.send("GET", "/locations", 200, user=program.me["uri"])["collection"]
    form = program.many("RoutingForm", "/routing_forms", organization=program.org)[0]
    assert program.many("RoutingFormSubmission", "/routing_form_submissions", form=form["uri"]) == []
    hook = {
        "url": "https://hooks.example/c",
        "events": ["invitee.created"],
        "organization": program.org,
        "scope": "organization",
    }
    made = program.one("WebhookSubscription", "POST", "/webhook_subscriptions", {**hook, "signing_key": "k"}, 201)
    assert program.send("POST", "/webhook_subscriptions", 409, hook)["title"] == "Already Exists"
    assert program.many(
        "WebhookSubscription", "/webhook_subscriptions", organization=program.org, scope="organization"
    ) == [made]
    program.send("DELETE", made["uri"], 204)
    assert {e["fully_qualified_name"] for e in program.many("Entry", "/activity_log_entries", organization=program.org)} == {
        "OrganizationInvitation.Add", "OrganizationInvitation.Revoke", "User.Remove",
    }  # fmt: skip
    program.send("POST", "/data_compliance/deletion/invitees", 202, {"emails": ["kim@elsewhere.example"]})
