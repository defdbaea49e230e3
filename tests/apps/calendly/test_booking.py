"""Calendly: open times; booking."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.apps.calendly.support import API, WHO, Calendly


def test_open_times_are_the_hosts_hours_in_the_hosts_time_zone_also_when_clocks_change(calendly: Calendly) -> None:
    found = calendly.starts(calendly.ref("type", "demo"), "2026-03-05T00:00:00Z", "2026-03-11T00:00:00Z")
    # New York goes from UTC-5 to UTC-4 on 8 March. The last meeting of an hour begins at three.
    friday = [s[11:16] for s in found if s.startswith("2026-03-06")]
    monday = [s[11:16] for s in found if s.startswith("2026-03-09")]
    assert (friday[0], friday[-1], len(friday)) == ("15:00", "20:00", 11)
    assert (monday[0], monday[-1], len(monday)) == ("14:00", "19:00", 11)
    assert not [s for s in found if s.startswith(("2026-03-07", "2026-03-08"))]
    london = calendly.starts(calendly.ref("type", "intro"), "2026-03-27T00:00:00Z", "2026-03-31T00:00:00Z")
    assert [min(s for s in london if s.startswith(d)) for d in ("2026-03-27", "2026-03-30")] == [
        "2026-03-27T09:00:00Z", "2026-03-30T08:00:00Z",
    ]  # fmt: skip


def test_meetings_and_their_buffers_take_time_and_canceled_ones_do_not(calendly: Calendly) -> None:
    intro = calendly.ref("type", "intro")
    day = calendly.starts(intro, "2026-03-05T10:00:00Z", "2026-03-05T12:30:00Z")
    assert [s[11:16] for s in day] == ["10:00", "10:30", "11:30", "12:00"]
    assert "2026-03-04T10:00:00Z" in calendly.starts(intro, "2026-03-04T09:00:00Z", "2026-03-04T11:00:00Z")
    # Nia's other type has them too, and buffers reach further.
    visit = calendly.ref("type", "visit")
    calendly.ok("update_event_type", uuid=visit, before_buffer=30, after_buffer=15)
    day = calendly.starts(visit, "2026-03-05T10:00:00Z", "2026-03-05T13:00:00Z")
    assert [s[11:16] for s in day] == ["10:00", "12:00", "12:30"]
    calendly.book("visit", "2026-03-05T15:00:00Z")
    day = calendly.starts(intro, "2026-03-05T14:00:00Z", "2026-03-05T17:00:00Z")
    assert [s[11:16] for s in day] == ["14:00", "16:00", "16:30"]
    day_of = {"start_time": "2026-03-05T00:00:00Z", "end_time": "2026-03-06T00:00:00Z"}
    busy = calendly.http("GET", "/user_busy_times", user=calendly.ref("user", "nia"), **day_of)
    assert [b["buffered_start_time"][11:16] for b in busy.body["collection"]] == ["11:00", "14:30"]


def test_nothing_is_offered_before_the_notice_or_beyond_the_window(calendly: Calendly) -> None:
    intro = calendly.ref("type", "intro")
    assert calendly.starts(intro, "2026-03-02T09:00:01Z", "2026-03-02T23:00:00Z")[0] == "2026-03-02T13:00:00Z"
    assert calendly.starts(intro, "2026-04-30T00:00:00Z", "2026-05-06T00:00:00Z")[-1] == "2026-05-01T15:30:00Z"
    calendly.ok("update_event_type", uuid=intro, active=False)
    assert calendly.starts(intro, "2026-03-05T00:00:00Z", "2026-03-06T00:00:00Z") == []


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        ("2026-03-02T08:59:00Z", "2026-03-03T00:00:00Z", "must be in the future"),
        ("2026-03-03T00:00:00Z", "2026-03-10T00:00:01Z", "7 days"),
        ("2026-03-03T00:00:00Z", "2026-03-03T00:00:00Z", "must be after start_time"),
        ("tomorrow", "2026-03-03T00:00:00Z", "must be a time"),
        ("2026-02-30T00:00:00Z", "2026-03-03T00:00:00Z", "must be a time"),
    ],
)
def test_a_span_lies_in_the_future_and_has_at_most_seven_days(
    calendly: Calendly, start: str, end: str, said: str
) -> None:
    intro, nia = calendly.ref("type", "intro"), calendly.ref("user", "nia")
    calendly.refused("list_event_type_available_times", 400, said, event_type=intro, start_time=start, end_time=end)
    calendly.refused("list_user_busy_times", 400, said, user=nia, start_time=start, end_time=end)


def test_an_event_type_can_have_hours_of_its_own_and_other_hours_on_a_date(calendly: Calendly) -> None:
    intro = calendly.ref("type", "intro")
    shown = calendly.ok("list_event_type_availability_schedule", event_type=intro)["collection"][0]["availability_rule"]
    assert shown["name"] == "Working hours"
    rules = [
        {"type": "wday", "wday": "thursday", "intervals": [{"from": "18:00", "to": "20:00"}, {"from": "08:00", "to": "09:00"}]},
        {"type": "date", "date": "2026-03-06", "intervals": [{"from": "12:00", "to": "13:00"}]},
    ]  # fmt: skip
    reply = calendly.http(
        "PATCH", "/event_type_availability_schedules", {"availability_rule": {"timezone": "Asia/Kolkata", "rules": rules}}, event_type=intro
    )  # fmt: skip
    assert reply.status == 200
    assert reply.body["resource"]["availability_rule"]["rules"] == rules
    assert [s[5:16] for s in calendly.starts(intro, "2026-03-04T00:00:00Z", "2026-03-11T00:00:00Z")] == [
        "03-05T02:30", "03-05T03:00", "03-05T12:30", "03-05T13:00", "03-05T13:30", "03-05T14:00", "03-06T06:30", "03-06T07:00",
    ]  # fmt: skip
    calendly.ok("update_event_type_availability_schedule", event_type=intro, timezone="UTC")
    assert "2026-03-06T12:30:00Z" in calendly.starts(intro, "2026-03-06T00:00:00Z", "2026-03-07T00:00:00Z")
    for bad, said in (
        ([{"type": "wday", "intervals": []}], "wday"),
        ([{"type": "date", "date": "2026-13-01", "intervals": []}], "must be a date"),
        ([{"type": "wday", "wday": "monday", "intervals": [{"from": "9:00", "to": "10:00"}]}], "hh:mm"),
        ([{"type": "wday", "wday": "monday", "intervals": [{"from": "11:00", "to": "10:00"}]}], "must be after"),
    ):
        calendly.refused(
            "update_event_type_availability_schedule", 400, said, event_type=intro, timezone="UTC", rules=bad
        )
    calendly.refused("update_event_type_availability_schedule", 400, "IANA", event_type=intro, timezone="Mars/Base")
    calendly.refused("update_event_type_availability_schedule", 400, "is missing", event_type=intro)


def test_a_booking_takes_its_time_and_shows_as_event_and_invitee(calendly: Calendly) -> None:
    answer = {"question": "Please share anything that will help prepare for our meeting.", "answer": "Prices"}
    made = calendly.book(
        "intro", "2026-03-04T10:00:00Z", questions_and_answers=[answer], event_guests=["Boss@Elsewhere.example"]
    )
    event = calendly.ok("get_event", uuid=made["event"])["resource"]
    assert event["end_time"] == "2026-03-04T10:30:00.000000Z"
    assert event["location"]["join_url"].startswith("https://calendly.com/events/")
    assert event["event_guests"][0]["email"] == "boss@elsewhere.example"
    assert event["event_memberships"][0]["user"] == calendly.ref("user", "nia")
    shown = calendly.ok("get_event_invitee", event_uuid=made["event"], invitee_uuid=made["uri"])["resource"]
    assert shown["questions_and_answers"][0]["answer"] == "Prices"
    assert shown["reschedule_url"].endswith(shown["uri"].rpartition("/")[2])
    taken = {"event_type": calendly.ref("type", "visit"), "start_time": "2026-03-04T10:00:00Z", "invitee": WHO}
    calendly.refused("create_invitee", 400, "is not available", **taken)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"start_time": "2026-03-05T11:00:00Z"}, "is not available"),  # taken
        ({"start_time": "2026-03-05T10:10:00Z"}, "is not available"),  # between two starts
        ({"start_time": "2026-03-05T17:00:00Z"}, "is not available"),  # after hours
        ({"start_time": "2026-03-07T10:00:00Z"}, "is not available"),  # a Saturday
        ({"start_time": "2026-03-02T11:00:00Z"}, "is not available"),  # within the notice
        ({"start_time": "2026-02-26T10:00:00Z"}, "must be in the future"),
        ({"start_time": "soon"}, "must be a time"),
        ({"invitee": {**WHO, "email": "kim"}}, "invitee.email"),
        ({"invitee": {**WHO, "timezone": "Oslo"}}, "invitee.timezone"),
        ({"invitee": {"email": "kim@elsewhere.example", "timezone": "UTC"}}, "invitee.name"),
        ({"invitee": {**WHO, "text_reminder_number": "12"}}, "text_reminder_number"),
        ({"location": {"kind": "zoom_conference"}}, "must match a location"),
        ({"questions_and_answers": [{"question": "Why?", "answer": "x"}]}, "must match a question"),
        ({"event_guests": ["nobody"]}, "event_guests[0]"),
        ({"event_type": "intro"}, "must be a URI"),
    ],
)
def test_a_booking_is_refused(calendly: Calendly, changes: dict[str, Any], said: str) -> None:
    good = {"event_type": calendly.ref("type", "intro"), "start_time": "2026-03-05T10:00:00Z", "invitee": WHO}
    calendly.refused("create_invitee", 400, said, **{**good, **changes})
    calendly.refused("create_invitee", 400, "is not active", **{**good, "event_type": calendly.ref("type", "closed")})
    calendly.refused("create_invitee", 404, "could not find", **{**good, "event_type": f"{API}/event_types/none"})


def test_a_location_that_invitees_name_or_choose_is_needed(calendly: Calendly) -> None:
    office = calendly.ref("type", "office")
    places = [{"kind": "outbound_call"}, {"kind": "physical", "location": "Oak Street 4"}]
    calendly.ok("update_event_type", uuid=office, locations=places)
    good: dict[str, Any] = {"event_type": office, "start_time": "2026-03-05T10:00:00Z", "invitee": WHO}
    calendly.refused("create_invitee", 400, "outbound_call, physical", **good)
    calendly.refused("create_invitee", 400, "location.location", **good, location={"kind": "outbound_call"})
    calendly.refused(
        "create_invitee", 400, "country code", **good, location={"kind": "outbound_call", "location": "me"}
    )
    calendly.refused(
        "create_invitee", 400, "must match", **good, location={"kind": "physical", "location": "Elsewhere"}
    )
    made = calendly.ok("create_invitee", **good, location={"kind": "outbound_call", "location": "+47 22 00 00 00"})
    event = calendly.ok("get_event", uuid=made["resource"]["event"])["resource"]
    assert event["location"] == {"type": "outbound_call", "location": "+47 22 00 00 00"}
    calendly.refused("update_event_type", 400, "locations[0].location", uuid=office, locations=[{"kind": "physical"}])
    calendly.refused("update_event_type", 400, "phone_number", uuid=office, locations=[{"kind": "inbound_call"}])


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(st.sampled_from(["intro", "visit"]), st.integers(0, 40)), min_size=1, max_size=6),
    st.sampled_from([0, 15, 45]),
)
def test_whatever_is_offered_can_be_booked_and_no_two_meetings_of_a_host_meet(
    choices: list[tuple[str, int]], buffer: int
) -> None:
    calendly = Calendly()
    calendly.ok("update_event_type", uuid=calendly.ref("type", "visit"), after_buffer=buffer)
    for key, number in choices:
        offered = calendly.starts(calendly.ref("type", key), "2026-03-05T00:00:00Z", "2026-03-07T00:00:00Z")
        calendly.book(key, offered[number % len(offered)])
    found = calendly.ok(
        "list_events", organization=calendly.org, user=calendly.ref("user", "nia"), status="active", count=100
    )
    spans = sorted((e["start_time"], e["end_time"]) for e in found["collection"])
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
