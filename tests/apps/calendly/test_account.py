"""The Calendly app's account: event types, one-offs, members, roles, lists and their pages, forms, webhooks, the log."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.apps.calendly.support import API, WHO, Calendly

FIXED = {"type": "date_range", "start_date": "2026-03-05", "end_date": "2026-03-05"}


@pytest.fixture
def calendly() -> Calendly:
    return Calendly()


# Event types


def test_an_event_type_is_made_inactive_and_keeps_its_address(calendly: Calendly) -> None:
    nia = calendly.ref("user", "nia")
    made = calendly.ok("create_event_type", owner=nia, name="Deep Dive", duration=45, duration_options=[45, 90])[
        "resource"
    ]
    assert (made["active"], made["slug"], made["kind"]) == (False, "deep-dive", "solo")
    twin = calendly.ok("create_event_type", owner=nia, name="Deep dive!", active=True)["resource"]
    assert (twin["slug"], twin["duration"], twin["scheduling_url"]) == (
        "deep-dive-1",
        30,
        "https://calendly.com/nia/deep-dive-1",
    )
    # What the API can not write is dropped over REST, as Calendly does.
    path = made["uri"].removeprefix(API)
    changed = calendly.http("PATCH", path, {"name": "Dive", "active": True, "slug": "dive", "custom_questions": []})
    assert (changed.status, changed.body["resource"]["slug"], changed.body["resource"]["name"]) == (
        200,
        "deep-dive",
        "Dive",
    )
    assert len(changed.body["resource"]["custom_questions"]) == 1
    assert calendly.http("DELETE", path).status == 404
    for changes, said in (
        ({"duration": 30}, "must be one of the duration options"), ({"duration": 721}, "less than or equal to 720"),
        ({"duration_options": [10, 10]}, "unique"), ({"duration_options": [0, 45]}, "between 1 and 720"), ({"name": " "}, "must be filled"),
        ({"color": "red"}, "invalid format"), ({"locale": "no"}, "must be one of"), ({"before_buffer": 7}, "must be one of"),
    ):  # fmt: skip
        calendly.refused("update_event_type", 400, said, uuid=made["uri"], **changes)
    calendly.refused("update_event_type", 404, "could not find", uuid=calendly.ref("user", "nia"), name="X")
    calendly.refused("create_event_type", 403, "not in your organization", owner=calendly.ref("user", "bob"), name="X")
    calendly.refused("create_event_type", 400, "is missing", name="X")


def test_a_one_off_is_offered_on_its_days_to_all_hosts_and_booked_once(calendly: Calendly) -> None:
    nia, ravi = calendly.ref("user", "nia"), calendly.ref("user", "ravi")
    one = {"name": "Kick-off", "host": nia, "duration": 60, "date_setting": FIXED}
    made = calendly.ok("create_one_off_event_type", **one, co_hosts=[ravi])["resource"]
    assert (made["type"], made["pooling_type"]) == ("AdhocEventType", "collective")
    hosts = calendly.ok("list_event_type_hosts", event_type=made["uri"])["collection"]
    assert [h["member"]["slug"] for h in hosts] == ["nia", "ravi"]
    # London works until 17:00 UTC, New York from 14:00 on.
    day = ("2026-03-04T00:00:00Z", "2026-03-07T00:00:00Z")
    found = calendly.starts(made["uri"], *day)
    assert (found[0], found[-1]) == ("2026-03-05T14:00:00Z", "2026-03-05T16:00:00Z")
    page = made["scheduling_url"].removeprefix("https://calendly.com") + "/kick-off"
    assert calendly.http("POST", page, {"start_time": found[0], "invitee": WHO}).status == 201
    assert calendly.starts(made["uri"], *day) == []
    assert calendly.http("POST", page, {"start_time": found[2], "invitee": WHO}).status == 403
    assert found[0] not in calendly.starts(calendly.ref("type", "demo"), *day)

    spots = {"type": "spots", "spots": [{"start_time": "2026-03-07T20:00:00Z", "end_time": "2026-03-07T22:00:00Z"}]}
    late = calendly.ok("create_one_off_event_type", **{**one, "date_setting": spots})["resource"]["uri"]
    assert calendly.starts(late, "2026-03-07T00:00:00Z", "2026-03-08T00:00:00Z") == [
        "2026-03-07T20:00:00Z",
        "2026-03-07T21:00:00Z",
    ]
    ahead = {"type": "days_in_future", "days": 2, "only_weekdays": True}
    soon = calendly.ok("create_one_off_event_type", **{**one, "date_setting": ahead})["resource"]["uri"]
    assert calendly.starts(soon, "2026-03-03T00:00:00Z", "2026-03-09T00:00:00Z")[-1] == "2026-03-04T16:00:00Z"

    for setting, said in (
        ({"type": "date_range", "start_date": "2026-03-05"}, "end_date"), ({**FIXED, "start_date": "2026-03-06"}, "must be before"),
        ({**FIXED, "start_date": "2026-01-01", "end_date": "2026-01-02"}, "must be in the future"),
        ({**FIXED, "end_date": "2027-03-05"}, "365 days"), ({"type": "spots", "spots": []}, "must be filled"),
        ({"type": "days_in_future"}, "days"), ({"type": "never"}, "must be one of"),
    ):  # fmt: skip
        calendly.refused("create_one_off_event_type", 400, said, **{**one, "date_setting": setting})
    calendly.refused("create_one_off_event_type", 400, "unique", **one, co_hosts=[nia])
    calendly.refused("create_one_off_event_type", 400, "size cannot be greater", **{**one, "name": "x" * 56})


# Members


def test_inviting_and_removing_members(calendly: Calendly) -> None:
    made = calendly.ok("create_organization_invitation", uuid=calendly.org, email="New@Brightwater.example")["resource"]
    assert (made["status"], made["email"]) == ("pending", "new@brightwater.example")
    for email, title in (
        ("new@brightwater.example", "Already Invited"), ("nia@brightwater.example", "Already Organization Member"),
        ("nia", "Invalid Email"), (" ", "must be filled"),
    ):  # fmt: skip
        calendly.refused("create_organization_invitation", 400, title, uuid=calendly.org, email=email)
    found = calendly.ok("list_organization_invitations", uuid=calendly.org, status="pending", sort="email:desc")
    assert [i["uri"] for i in found["collection"]] == [made["uri"]]
    assert (
        calendly.ok("get_organization_invitation", org_uuid=calendly.org, uuid=made["uri"])["resource"]["email"]
        == made["email"]
    )
    calendly.ok("revoke_organization_invitation", org_uuid=calendly.org, uuid=made["uri"])
    calendly.refused("revoke_organization_invitation", 404, "could not find", org_uuid=calendly.org, uuid=made["uri"])

    members = calendly.ok("list_organization_memberships", organization=calendly.org)["collection"]
    assert {m["user"]["slug"]: m["role"] for m in members} == {"alex": "owner", "nia": "user", "ravi": "user"}
    own = next(m["uri"] for m in members if m["role"] == "owner")
    calendly.refused("delete_organization_membership", 403, "owner role", uuid=own)
    ravi = calendly.ok("list_organization_memberships", email="ravi@brightwater.example")["collection"][0]
    assert calendly.ok("get_organization_membership", uuid=ravi["uri"])["resource"]["role"] == "user"
    calendly.ok("delete_organization_membership", uuid=ravi["uri"])
    calendly.refused("get_user", 403, "This user is not in your organization", uuid=ravi["user"]["uri"])
    assert calendly.ok("get_event_type", uuid=calendly.ref("type", "demo"))["resource"]["active"] is False
    calendly.refused("list_organization_memberships", 400, "must be given")
    assert calendly.ok("get_organization", uuid=calendly.org)["resource"]["name"] == "Brightwater"
    assert calendly.ok("get_user", uuid="me")["resource"]["slug"] == "alex"
    assert calendly.ok("get_user", uuid=calendly.ref("user", "nia"))["resource"]["timezone"] == "Europe/London"


def test_a_plain_member_sees_and_changes_only_what_is_the_members_own(calendly: Calendly) -> None:
    mine, nia = calendly.ok("get_current_user")["resource"]["uri"], calendly.ref("user", "nia")
    member = calendly.ok("list_organization_memberships", user=nia)["collection"][0]["uri"]
    calendly.demote()
    intro, event = calendly.ref("type", "intro"), calendly.ref("event", "next")
    assert calendly.ok("list_events", user=mine)["collection"] == []
    assert [k["name"] for k in calendly.ok("list_event_types", user=mine)["collection"]] == ["Office"]
    whole: dict[str, Any] = {"organization": calendly.org}
    for tool, arguments in (
        ("list_events", whole), ("list_event_types", whole), ("list_event_types", {"user": nia}), ("get_event_type", {"uuid": intro}),
        ("list_events", {"user": nia}), ("list_events", {"user": nia, **whole}), ("get_event", {"uuid": event}),
        ("list_event_invitees", {"uuid": event}), ("cancel_event", {"uuid": event}), ("update_event_type", {"uuid": intro, "name": "X"}),
        ("create_event_type", {"owner": nia, "name": "X"}), ("list_groups", whole), ("list_routing_forms", whole),
        ("create_organization_invitation", {"uuid": calendly.org, "email": "x@y.example"}), ("list_activity_log_entries", whole),
        ("delete_organization_membership", {"uuid": member}), ("list_webhook_subscriptions", {**whole, "scope": "organization"}),
        ("create_invitee", {"event_type": intro, "start_time": "2026-03-05T10:00:00Z", "invitee": WHO}),
    ):  # fmt: skip
        calendly.refused(tool, 403, "Permission Denied", **arguments)
    assert calendly.call("cancel_event", uuid=event).body["message"] == "You are not allowed to cancel this event"
    assert calendly.http("POST", "/data_compliance/deletion/invitees", {"emails": ["a@b.example"]}).status == 403
    assert calendly.book("office", "2026-03-05T10:00:00Z")["status"] == "active"


# Lists


def test_meetings_are_found_by_host_invitee_status_time_and_group(calendly: Calendly) -> None:
    def names(**arguments: Any) -> list[str]:
        found = calendly.ok("list_events", organization=calendly.org, **arguments)["collection"]
        return [e["start_time"][5:10] for e in found]

    assert names() == ["02-25", "03-04", "03-05"]
    assert names(sort="start_time:desc") == ["03-05", "03-04", "02-25"]
    assert names(status="canceled") == ["03-04"]
    assert names(invitee_email="LEE@elsewhere.example") == ["03-05"]
    assert names(min_start_time="2026-03-04T10:00:00Z", max_start_time="2026-03-05T10:59:59Z") == ["03-04"]
    assert names(user=calendly.ref("user", "ravi")) == []
    groups = {g["name"]: g for g in calendly.ok("list_groups", organization=calendly.org)["collection"]}
    assert groups["Sales"]["member_count"] == 2
    assert names(group=groups["Sales"]["uri"]) == ["02-25", "03-04", "03-05"]
    assert names(group=groups["Operations"]["uri"]) == []
    assert len(calendly.ok("list_group_relationships", group=groups["Sales"]["uri"])["collection"]) == 2
    one = calendly.http("GET", "/group_relationships", organization=calendly.org).body["collection"][0]["uri"]
    assert calendly.http("GET", one.removeprefix(API)).body["resource"]["role"] == "member"
    assert calendly.http("GET", groups["Sales"]["uri"].removeprefix(API)).body["resource"]["name"] == "Sales"
    calendly.refused("list_events", 400, "either user, organization or group")
    calendly.refused("list_events", 400, "must be field:direction", organization=calendly.org, sort="name:asc")
    calendly.refused("list_events", 400, "must be one of: active, canceled", organization=calendly.org, status="open")
    calendly.refused("list_events", 403, "do not have permission", organization=f"{API}/organizations/other")
    calendly.refused("list_events", 403, "Please also specify organization", user=calendly.ref("user", "nia"))


def test_pages_lead_on_and_back(calendly: Calendly) -> None:
    seen, query = list[str](), {"organization": calendly.org, "count": 2, "sort": "created_at:asc"}
    page = calendly.http("GET", "/event_types", **query).body
    first = page
    while True:
        seen += [k["uri"] for k in page["collection"]]
        link = page["pagination"]["next_page"]
        if link is None:
            break
        assert link.startswith("https://gateway.example/rest/event_types?")
        assert "count=2" in link
        page = calendly.http("GET", "/event_types", **query, page_token=page["pagination"]["next_page_token"]).body
    assert len(seen) == len(set(seen)) == 5
    back = calendly.http("GET", "/event_types", **query, page_token=page["pagination"]["previous_page_token"]).body
    assert back["pagination"]["previous_page_token"]
    assert first["pagination"]["previous_page"] is None
    assert first["pagination"]["count"] == 2
    wrong = calendly.http("GET", "/event_types", **query, page_token="nonsense")
    assert (wrong.status, wrong.body["details"][0]["parameter"]) == (400, "page_token")
    assert calendly.http("GET", "/event_types", organization=calendly.org, count=101).status == 400
    assert (
        calendly.http("GET", "/event_types", organization=calendly.org, active="false").body["pagination"]["count"] == 1
    )


def test_other_reads(calendly: Calendly) -> None:
    nia = calendly.ref("user", "nia")
    schedule = calendly.ok("list_user_availability_schedules", user=nia)["collection"][0]
    assert (
        calendly.ok("get_user_availability_schedule", uuid=schedule["uri"])["resource"]["timezone"] == "Europe/London"
    )
    follows = calendly.ok("list_event_types", user=nia, user_availability_schedule=schedule["uri"])["collection"]
    assert [k["name"] for k in follows] == ["Intro", "Visit"]
    assert {"kind": "zoom_conference", "connected": True} in calendly.ok("list_user_meeting_locations", user=nia)[
        "collection"
    ]
    busy = calendly.ok(
        "list_user_busy_times", user=nia, start_time="2026-03-05T00:00:00Z", end_time="2026-03-06T24:00:00Z"
    )
    assert [b["event"]["uri"] for b in busy["collection"]] == [calendly.ref("event", "next")]
    assert calendly.http("GET", "/users/nobody").status == 404
    assert calendly.http("GET", "/nothing").body["title"] == "Resource Not Found"
    assert calendly.http("GET", "/users/me").headers["X-RateLimit-Limit"] == "500"


def test_times_are_compared_as_moments_whatever_their_offset(calendly: Calendly) -> None:
    made = calendly.book("intro", "2026-03-05T11:30:00+01:00")
    start = calendly.ok("get_event", uuid=made["event"])["resource"]["start_time"]
    assert datetime.fromisoformat(start) - datetime.fromisoformat("2026-03-05T10:00:00Z") == timedelta(minutes=30)


# Forms, the log, deletions


def test_a_routing_form_sends_people_on_and_keeps_what_they_said(calendly: Calendly) -> None:
    form = calendly.ok("list_routing_forms", organization=calendly.org)["collection"][0]
    form = calendly.ok("get_routing_form", uuid=form["uri"])["resource"]
    name, email, topic = (q["uuid"] for q in form["questions"])
    page = form["uri"].removeprefix(API) + "/submissions"

    def submit(about: str, address: str = "kim@elsewhere.example") -> Any:
        said = [(name, "Kim"), (email, address), (topic, about)]
        return calendly.http("POST", page, {"answers": [{"question_uuid": q, "answer": a} for q, a in said]})

    assert submit("Sales").body["resource"]["result"]["value"] == "https://brightwater.example/contact-sales"
    assert submit("Something else").body["resource"]["result"]["type"] == "custom_message"
    assert [submit(*bad).status for bad in (("Rent",), ("",), ("Sales", "kim"))] == [400, 400, 400]
    found = calendly.ok("list_routing_form_submissions", form=form["uri"], sort="created_at:desc")["collection"]
    assert [s["result"]["type"] for s in found] == ["custom_message", "external_url"]
    one = calendly.ok("get_routing_form_submission", uuid=found[1]["uri"])["resource"]
    assert one["questions_and_answers"][2]["answer"] == "Sales"


@pytest.mark.parametrize(
    ("term", "count"),
    [
        ("Cancel", 1), ("cancel | create", 2), ("cancel create", 0), ("Event -Cancel", 3), ("-(cancel | create)", 2),
        ('"kim@elsewhere.example"', 1),
        ("sched*", 1), ("alex + eventtype", 2), ("EventType OR (Event AND Cancel)", 3), ("*@elsewhere.example", 0), ("zebra", 0),
    ],
)  # fmt: skip
def test_the_activity_log_is_searched_with_its_operators(calendly: Calendly, term: str, count: int) -> None:
    _work(calendly)
    found = calendly.ok("list_activity_log_entries", organization=calendly.org, search_term=term)
    assert found["total_count"] == count, [e["fully_qualified_name"] for e in found["collection"]]


def _work(calendly: Calendly) -> None:
    made = calendly.ok("create_event_type", owner=calendly.ref("user", "nia"), name="Talk")["resource"]
    calendly.ok("update_event_type", uuid=made["uri"], active=True)
    calendly.book("office", "2026-03-05T10:00:00Z")
    calendly.ok("cancel_event", uuid=calendly.ref("event", "next"), reason="Ill")


def test_the_activity_log_is_filtered_sorted_and_refuses_what_it_can_not_read(calendly: Calendly) -> None:
    _work(calendly)
    org = {"organization": calendly.org}
    log = calendly.ok("list_activity_log_entries", **org)["collection"]
    assert [e["fully_qualified_name"] for e in log] == [
        "Event.Cancel",
        "Event.Schedule",
        "EventType.Update",
        "EventType.Create",
    ]
    found = calendly.ok("list_activity_log_entries", **org, namespace=["EventType"], sort=["action:asc"], count=1)
    assert (found["collection"][0]["action"], found["total_count"]) == ("Create", 2)
    late = calendly.ok("list_activity_log_entries", **org, min_occurred_at=log[0]["occurred_at"], action=["Cancel"])
    assert late["total_count"] == 1
    nobody = calendly.ok(
        "list_activity_log_entries", **org, actor=[calendly.ref("user", "nia")], max_occurred_at="2026-03-03T00:00:00Z"
    )
    assert nobody["total_count"] == 0
    for term in ("(a", "a |", '"open', "-"):
        calendly.refused("list_activity_log_entries", 400, "invalid format", **org, search_term=term)
    calendly.refused("list_activity_log_entries", 400, "must be one of", **org, sort=["color:asc"])


def test_deletions_are_asked_for_and_done_later(calendly: Calendly) -> None:
    asked = calendly.http("POST", "/data_compliance/deletion/invitees", {"emails": ["dana@elsewhere.example"]})
    assert (asked.status, asked.body) == (202, {})
    span = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2026-01-01T00:00:00Z"}
    assert calendly.http("POST", "/data_compliance/deletion/events", span).status == 202
    for changes in (
        {"end_time": "2027-01-01T00:00:00Z"},
        {"start_time": "2023-01-01T00:00:00Z"},
        {"end_time": "2024-01-01T00:00:00Z"},
    ):
        assert calendly.http("POST", "/data_compliance/deletion/events", {**span, **changes}).status == 400
    assert calendly.http("POST", "/data_compliance/deletion/invitees", {"emails": []}).status == 400
    assert len(calendly.live.changes()) == 2
    assert calendly.invitee(calendly.ref("event", "past"))["email"] == "dana@elsewhere.example"


def test_webhooks_are_told_with_a_signature_once_per_address(calendly: Calendly) -> None:
    hook = {
        "url": "https://hooks.example/c",
        "events": ["invitee.created", "invitee.canceled"],
        "organization": calendly.org,
    }
    made = calendly.ok("create_webhook_subscription", **hook, scope="organization", signing_key="secret")["resource"]
    nia = calendly.ref("user", "nia")
    calendly.ok("create_webhook_subscription", **hook, scope="user", user=nia)
    calendly.refused(
        "create_webhook_subscription", 409, "Hook with this url already exists", **hook, scope="organization"
    )
    calendly.refused(
        "create_webhook_subscription", 400, "https", **{**hook, "url": "http://x.example"}, scope="organization"
    )
    calendly.refused("create_webhook_subscription", 400, "user", **hook, scope="user")
    form = {**hook, "events": ["routing_form_submission.created"], "user": nia}
    calendly.refused("create_webhook_subscription", 400, "only allowed", **form, scope="user")
    calendly.book("office", "2026-03-05T10:00:00Z")
    calendly.book("intro", "2026-03-05T10:00:00Z")
    sent = calendly.live.store.connection.execute(
        "SELECT subscription, body, signature FROM webhookdelivery"
    ).fetchall()
    assert sorted(bool(row[2]) for row in sent) == [False, True, True]
    assert {json.loads(row[1])["payload"]["email"] for row in sent} == {"kim@elsewhere.example"}
    assert all(row[2].startswith("t=177244") and ",v1=" in row[2] for row in sent if row[2])
    listed = calendly.ok("list_webhook_subscriptions", organization=calendly.org, scope="organization")
    assert [w["uri"] for w in listed["collection"]] == [made["uri"]]
    assert calendly.ok("get_webhook_subscription", uuid=made["uri"])["resource"]["events"] == hook["events"]
    calendly.ok("delete_webhook_subscription", uuid=made["uri"])
    calendly.refused("delete_webhook_subscription", 404, "could not find", uuid=made["uri"])
    sample = calendly.http(
        "GET", "/sample_webhook_data", event="invitee.created", organization=calendly.org, scope="organization"
    )
    assert sample.body["payload"]["scheduled_event"]["uri"]
