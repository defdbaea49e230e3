"""Calendly: what becomes of a meeting."""

import json
from typing import Any

from mcp import Client

from legoenv_mcp.faces.mcp import serve
from tests.apps.calendly.support import WHO, Calendly


def test_a_meeting_is_canceled_once_and_not_when_it_has_begun(calendly: Calendly) -> None:
    event = calendly.ref("event", "next")
    told = calendly.ok("cancel_event", uuid=event, reason="Ill")["resource"]
    assert (told["canceler_type"], told["reason"], told["canceled_by"]) == ("host", "Ill", "Alex Doyle")
    assert calendly.ok("get_event", uuid=event)["resource"]["cancellation"] == told
    assert calendly.invitee(event)["status"] == "canceled"
    calendly.refused("cancel_event", 403, "Event is already canceled", uuid=event)
    calendly.refused("cancel_event", 403, "Event in the past", uuid=calendly.ref("event", "past"))
    calendly.refused("cancel_event", 404, "could not find", uuid="nothing")
    assert "2026-03-05T11:00:00Z" in calendly.starts(
        calendly.ref("type", "intro"), "2026-03-05T10:00:00Z", "2026-03-05T12:00:00Z"
    )


def test_a_no_show_needs_a_meeting_that_has_begun_and_is_taken_back(calendly: Calendly) -> None:
    came = calendly.invitee(calendly.ref("event", "past"))["uri"]
    mark = calendly.ok("create_invitee_no_show", invitee=came)["resource"]
    assert calendly.ok("get_invitee_no_show", uuid=mark["uri"])["resource"]["invitee"] == came
    assert calendly.invitee(calendly.ref("event", "past"))["no_show"]["uri"] == mark["uri"]
    calendly.refused("create_invitee_no_show", 400, "already", invitee=came)
    early, off = (calendly.invitee(calendly.ref("event", key))["uri"] for key in ("next", "off"))
    calendly.refused("create_invitee_no_show", 400, "before the event has started", invitee=early)
    calendly.refused("create_invitee_no_show", 400, "is canceled", invitee=off)
    calendly.refused("create_invitee_no_show", 400, "must be a URI", invitee="Dana")
    calendly.ok("delete_invitee_no_show", uuid=mark["uri"])
    calendly.refused("get_invitee_no_show", 404, "could not find", uuid=mark["uri"])
    assert "no_show" not in calendly.invitee(calendly.ref("event", "past"))
    assert calendly.ok("create_invitee_no_show", invitee=came)["resource"]["uri"] != mark["uri"]


def test_an_invitee_who_reschedules_is_a_new_one_and_the_old_one_is_canceled(calendly: Calendly) -> None:
    old = calendly.invitee(calendly.ref("event", "next"))
    page = old["reschedule_url"].removeprefix("https://calendly.com")
    assert calendly.http("POST", page, {"start_time": "2026-03-05T18:00:00Z"}).status == 400
    assert calendly.live.changes() == []
    # The meeting's own time is free for itself: half an hour later overlaps nothing.
    moved = calendly.http("POST", page, {"start_time": "2026-03-05T11:30:00Z"})
    assert (moved.status, moved.body["resource"]["old_invitee"]) == (201, old["uri"])
    before = calendly.invitee(calendly.ref("event", "next"))
    assert (before["status"], before["rescheduled"], before["new_invitee"]) == (
        "canceled",
        True,
        moved.body["resource"]["uri"],
    )
    assert calendly.ok("get_event", uuid=calendly.ref("event", "next"))["resource"]["status"] == "canceled"
    assert calendly.http("POST", page, {"start_time": "2026-03-05T12:30:00Z"}).status == 403
    again = moved.body["resource"]["cancel_url"].removeprefix("https://calendly.com")
    assert calendly.http("POST", again, {"reason": "No"}).body["resource"]["canceler_type"] == "invitee"


def test_a_single_use_link_books_once(calendly: Calendly) -> None:
    owner = calendly.ref("type", "intro")
    made = calendly.ok("create_single_use_scheduling_link", max_event_count=1, owner=owner, owner_type="EventType")
    page = made["resource"]["booking_url"].removeprefix("https://calendly.com")
    assert calendly.http("GET", page).body["resource"]["duration"] == 30
    assert calendly.http("POST", page, {"start_time": "2026-03-05T11:00:00Z", "invitee": WHO}).status == 400
    assert calendly.http("POST", page, {"start_time": "2026-03-05T10:00:00Z", "invitee": WHO}).status == 201
    used = calendly.http("POST", page, {"start_time": "2026-03-06T10:00:00Z", "invitee": WHO})
    assert (used.status, used.body["message"]) == (403, "This scheduling link is no longer valid")
    assert calendly.http("GET", page).status == 403
    calendly.refused(
        "create_single_use_scheduling_link", 400, "equal to 1", max_event_count=2, owner=owner, owner_type="EventType"
    )
    closed = calendly.ref("type", "closed")
    calendly.refused(
        "create_single_use_scheduling_link", 400, "not active", max_event_count=1, owner=closed, owner_type="EventType"
    )


def test_a_share_changes_duration_hours_and_window_for_its_one_booking(calendly: Calendly) -> None:
    hours = [{"type": "date", "date": "2026-03-07", "intervals": [{"from": "10:00", "to": "12:00"}]}]
    share = calendly.http(
        "POST", "/shares", {
            "event_type": calendly.ref("type", "intro"), "name": "Long talk", "duration": 60, "period_type": "fixed",
            "start_date": "2026-03-07", "end_date": "2026-03-07", "availability_rule": {"timezone": "UTC", "rules": hours},
        },
    )  # fmt: skip
    assert (share.status, share.body["resource"]["share_override"]["duration"]) == (201, 60)
    page = share.body["resource"]["scheduling_links"][0]["booking_url"].removeprefix("https://calendly.com")
    assert calendly.http("POST", page, {"start_time": "2026-03-07T11:30:00Z", "invitee": WHO}).status == 400
    made = calendly.http("POST", page, {"start_time": "2026-03-07T11:00:00Z", "invitee": WHO})
    event = calendly.ok("get_event", uuid=made.body["resource"]["event"])["resource"]
    assert (event["name"], event["end_time"][11:16]) == ("Long talk", "12:00")
    kind = {"event_type": calendly.ref("type", "intro")}
    calendly.refused("create_share", 400, "fixed period", **kind, period_type="fixed")
    calendly.refused("create_share", 400, "end_date", **kind, start_date="2026-03-08", end_date="2026-03-07")
    calendly.refused("create_share", 400, "rules", **kind, timezone="UTC")


def test_filters_of_meetings_go_together(calendly: Calendly) -> None:
    groups = {g["name"]: g["uri"] for g in calendly.ok("list_groups", organization=calendly.org)["collection"]}

    def count(**more: Any) -> int:
        return calendly.ok("list_events", **more)["pagination"]["count"]

    assert count(organization=calendly.org) == count(group=groups["Sales"]) == 3
    assert count(group=groups["Sales"], user=calendly.ref("user", "nia")) == 3
    assert count(group=groups["Sales"], user=calendly.ref("user", "ravi")) == 0
    assert count(group=groups["Sales"], invitee_email="LEE@elsewhere.example", status="active") == 1
    calendly.refused("list_events", 400, "must be of the type integer", organization=calendly.org, count="many")
    calendly.refused(
        "list_events", 400, "must be one of: active, canceled", organization=calendly.org, status="cancelled"
    )


async def test_the_mcp_face_has_calendlys_tools_and_its_errors(calendly: Calendly) -> None:
    async with Client(serve(calendly.episode, ["calendly"])) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {
            "list_events",
            "cancel_event",
            "create_invitee",
            "list_event_type_available_times",
            "create_share",
        } <= names
        refused = await client.call_tool("list_events", {})
        assert refused.is_error
        told = json.loads(refused.content[0].text)  # pyright: ignore[reportAttributeAccessIssue]
        assert (told["title"], told["message"]) == ("Invalid Argument", "The supplied parameters are invalid.")
