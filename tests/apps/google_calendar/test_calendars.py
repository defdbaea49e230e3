"""Google Calendar: what calendars have of one another."""

import importlib
from datetime import datetime
from typing import Any

from legoenv_mcp.kernel.episode import Episode
from tests.apps.google_calendar.support import ALEX, DANA, SAM, call, http, ref, refused, viewed


def test_an_answer_for_an_occurrence_leaves_it_as_the_series_has_it(episode: Episode) -> None:
    ops = ref(episode, "Calendar", "ops")
    made = call(
        episode, "create_event", calendarId=ops, summary="Sync", start="2026-03-03T15:00:00", end="2026-03-03T16:00:00",
        attendees=[ALEX], recurrence=["RRULE:FREQ=WEEKLY;COUNT=3"], guestsCanModify=True,
    )  # fmt: skip
    second = f"{made['id']}_20260310T150000Z"
    call(episode, "respond_to_event", eventId=second, responseStatus="declined")
    call(episode, "update_event", calendarId=ops, eventId=made["id"], summary="Sync, new")
    mine = call(episode, "list_event_instances", eventId=made["id"])["items"]
    assert [(e["summary"], e["attendees"][0]["responseStatus"]) for e in mine] == [
        ("Sync, new", "needsAction"), ("Sync, new", "declined"), ("Sync, new", "needsAction"),
    ]  # fmt: skip
    assert {e.title for e in viewed(episode, "event") if made["id"] in e.id} == {"Sync, new"}
    # A guest who may change an occurrence changes the organizer's.
    third = f"{made['id']}_20260317T150000Z"
    call(episode, "update_event", eventId=third, location="Quay")
    assert call(episode, "get_event", calendarId=ops, eventId=third)["location"] == "Quay"
    # What was answered for a time that the series no longer has is no occurrence.
    call(episode, "update_event", calendarId=ops, eventId=made["id"], start="2026-03-03T17:00:00")
    mine = call(episode, "list_event_instances", eventId=made["id"])["items"]
    assert {e["id"][-7:] for e in mine} == {"170000Z"}
    assert refused(episode, "get_event", eventId=second)["code"] == 404


def test_a_guests_answer_is_a_change_of_the_organizers_event(episode: Episode) -> None:
    review = ref(episode, "Event", "review.alex")
    before = http(episode, "GET", f"/calendars/{DANA}/events").body
    call(episode, "respond_to_event", eventId=review, responseStatus="accepted")
    news = http(episode, "GET", f"/calendars/{DANA}/events?syncToken={before['nextSyncToken']}").body["items"]
    assert [e["id"] for e in news] == [review]
    assert news[0]["etag"] != next(e["etag"] for e in before["items"] if e["id"] == review)


def test_who_is_a_guest_stays_one_when_the_event_moves(episode: Episode) -> None:
    ops = ref(episode, "Calendar", "ops")
    times = {"start": "2026-03-03T15:00:00", "end": "2026-03-03T16:00:00"}
    made = call(episode, "create_event", summary="Plan", attendees=[DANA, ALEX], **times)["id"]
    call(episode, "move_event", eventId=made, destination=ops)
    for calendar in ("primary", DANA, ops):
        seen = call(episode, "get_event", calendarId=calendar, eventId=made)
        assert (seen["status"], seen["organizer"]["email"]) == ("confirmed", ops)
    assert refused(episode, "update_event", eventId=made, summary="Mine")["reason"] == "forbiddenForNonOrganizer"
    call(episode, "respond_to_event", eventId=made, responseStatus="tentative")
    assert {e.calendar for e in viewed(episode, "event") if e.id == made} == {ALEX, ops}
    back = call(episode, "move_event", calendarId=ops, eventId=made, destination="primary")
    assert (back["status"], back["organizer"]["email"]) == ("confirmed", ALEX)
    assert [a["responseStatus"] for a in back["attendees"]] == ["needsAction", "tentative"]
    assert call(episode, "get_event", calendarId=ops, eventId=made)["status"] == "cancelled"


def test_a_cancelled_series_takes_its_changed_occurrences_along(episode: Episode) -> None:
    series = ref(episode, "Event", "standup")
    call(episode, "update_event", eventId=f"{series}_20260311T093000Z", start="2026-03-12T14:00:00")
    call(episode, "update_event", eventId=series, status="cancelled")
    assert call(episode, "list_events", q="stand", timeMin="2026-03-01T00:00:00Z")["items"] == []


def test_occurrences_at_a_time_that_daylight_saving_skips_are_as_long_as_ever(episode: Episode) -> None:
    made = call(
        episode, "create_event", summary="Night", start="2026-03-07T02:30:00", end="2026-03-07T03:00:00", timeZone="America/New_York",
        recurrence=["RRULE:FREQ=DAILY;COUNT=3"],
    )  # fmt: skip
    found = call(episode, "list_event_instances", eventId=made["id"], timeZone="America/New_York")["items"]
    assert [(e["start"]["dateTime"][11:16], e["end"]["dateTime"][11:16]) for e in found] == [
        ("02:30", "03:00"), ("03:30", "04:00"), ("02:30", "03:00"),
    ]  # fmt: skip


def test_agents_are_told_what_to_do_and_clients_the_products_words(episode: Episode) -> None:
    told = refused(episode, "list_events", timeMin="2026-03-02")
    assert told["message"] == "Bad Request: timeMin must be an RFC 3339 time with its offset, as 2026-03-02T00:00:00Z."
    raw = http(episode, "GET", "/calendars/primary/events?timeMin=2026-03-02").body["error"]
    assert (raw["message"], raw["errors"][0]["location"]) == ("Bad Request", "timeMin")
    assert "list_calendars" in refused(episode, "list_events", calendarId="nobody")["message"]
    assert http(episode, "GET", "/calendars/nobody/events").body["error"]["message"] == "Not Found"
    assert "list_settings" in refused(episode, "get_setting", setting="nothing")["message"]
    assert "list_acl_rules" in refused(episode, "delete_acl_rule", ruleId="user:nobody@x.example")["message"]
    day = {"timeMin": "2026-03-03T00:00:00Z", "timeMax": "2026-03-04T00:00:00Z"}
    assert refused(episode, "suggest_time", attendees=[], **day)["location"] == "attendees"
    assert list(call(episode, "query_freebusy", **day)["calendars"]) == ["primary"]


def test_reading_a_series_again_is_the_same() -> None:
    recurrence: Any = importlib.import_module("legoenv_mcp.servers.google_calendar.recurrence")
    start, lines = {"dateTime": "2026-03-02T09:00:00+00:00", "timeZone": "UTC"}, ["RRULE:FREQ=WEEKLY;COUNT=4"]
    until = datetime.fromisoformat("2026-03-10T00:00:00+00:00")
    for _ in range(2):
        assert len(list(recurrence.starts(start, lines, "UTC", until))) == 2
        assert len(list(recurrence.starts(start, lines, "UTC"))) == 4


def test_who_is_taken_off_an_event_has_it_no_more(episode: Episode) -> None:
    ops = ref(episode, "Calendar", "ops")
    times = {"start": "2026-03-03T15:00:00", "end": "2026-03-03T16:00:00"}
    window = {"timeMin": "2026-03-03T00:00:00Z", "timeMax": "2026-03-04T00:00:00Z"}
    made = call(episode, "create_event", calendarId=ops, summary="Plan", attendees=[ALEX, DANA], **times)["id"]
    call(episode, "respond_to_event", eventId=made, responseStatus="accepted")
    call(episode, "update_event", calendarId=ops, eventId=made, removeAttendees=[ALEX])
    assert call(episode, "list_events", **window)["items"] == []
    assert call(episode, "query_freebusy", calendarIds=["primary"], **window)["calendars"]["primary"]["busy"] == []
    assert call(episode, "get_event", eventId=made)["status"] == "cancelled"
    assert [e["summary"] for e in call(episode, "list_events", calendarId=DANA, **window)["items"]] == ["Plan"]


def test_single_occurrences_have_guests_of_their_own(episode: Episode) -> None:
    series = ref(episode, "Event", "standup")
    fourth, eleventh = f"{series}_20260304T093000Z", f"{series}_20260311T093000Z"
    call(episode, "update_event", eventId=fourth, addAttendees=[SAM])
    call(episode, "update_event", eventId=eleventh, removeAttendees=[DANA])
    window = {"timeMin": "2026-03-02T00:00:00Z", "timeMax": "2026-03-12T00:00:00Z"}
    busy = call(episode, "query_freebusy", calendarIds=[SAM, DANA], **window)["calendars"]
    assert [b["start"] for b in busy[SAM]["busy"]] == ["2026-03-04T09:30:00Z", "2026-03-04T14:00:00Z"]
    assert [b["start"][:10] for b in busy[DANA]["busy"]] == ["2026-03-02", "2026-03-04", "2026-03-04"]
    assert call(episode, "list_events", calendarId=SAM, **window)["items"][0]["id"] == fourth
    assert call(episode, "get_event", calendarId=SAM, eventId=fourth)["recurringEventId"] == series


def test_a_quick_addition_may_repeat(episode: Episode) -> None:
    made = call(episode, "quick_add_event", text="Team sync every Tuesday 10am")
    assert (made["summary"], made["recurrence"]) == ("Team sync", ["RRULE:FREQ=WEEKLY;BYDAY=TU"])
    assert made["start"]["dateTime"] == "2026-03-03T10:00:00Z"


def test_guests_do_not_take_themselves_off_the_list(episode: Episode) -> None:
    review = ref(episode, "Event", "review.alex")
    assert (
        refused(episode, "update_event", eventId=review, removeAttendees=[ALEX])["reason"] == "forbiddenForNonOrganizer"
    )


def test_a_calendars_new_title_is_news_to_the_list(episode: Episode) -> None:
    sync = http(episode, "GET", "/users/me/calendarList").body["nextSyncToken"]
    call(episode, "update_calendar", summary="Alex D.")
    news = http(episode, "GET", f"/users/me/calendarList?syncToken={sync}").body["items"]
    assert [(e["id"], e["summary"]) for e in news] == [(ALEX, "Alex D.")]


def test_who_is_out_of_office_declines_what_is_at_that_time(episode: Episode) -> None:
    ops = ref(episode, "Calendar", "ops")
    made = call(
        episode, "create_event", calendarId=ops, attendees=[ALEX], start="2026-02-25T14:30:00", end="2026-02-25T15:30:00",
        recurrence=["RRULE:FREQ=WEEKLY;COUNT=3"],
    )["id"]  # fmt: skip
    away = {
        "eventType": "outOfOffice", "summary": "Away", "start": {"dateTime": "2026-03-04T12:00:00Z"},
        "end": {"dateTime": "2026-03-04T18:00:00Z"},
        "outOfOfficeProperties": {"autoDeclineMode": "declineAllConflictingInvitations", "declineMessage": "Away on the 4th"},
    }  # fmt: skip
    assert http(episode, "POST", "/calendars/primary/events", away).status == 200
    review = call(episode, "get_event", calendarId=DANA, eventId=ref(episode, "Event", "review.alex"))
    mine = next(a for a in review["attendees"] if a["email"] == ALEX)
    assert (mine["responseStatus"], mine["comment"]) == ("declined", "Away on the 4th")
    found = call(episode, "list_event_instances", eventId=made)["items"]
    assert [e["attendees"][0]["responseStatus"] for e in found] == ["needsAction", "declined", "needsAction"]
    standup = call(episode, "get_event", eventId=f"{ref(episode, 'Event', 'standup')}_20260304T093000Z")
    assert standup["attendees"][0]["responseStatus"] == "accepted"


def test_numbers_are_found_whole(episode: Episode) -> None:
    times = {"start": "2026-03-03T15:00:00", "end": "2026-03-03T16:00:00"}
    for title in ("Sam and Alex, 1:1", "Ticket 10"):
        call(episode, "create_event", summary=title, **times)
    assert [e["summary"] for e in call(episode, "list_events", q="1:1")["items"]] == ["Sam and Alex, 1:1"]
    assert [e["summary"] for e in call(episode, "list_events", q="tick 10")["items"]] == ["Ticket 10"]


def test_who_is_invited_again_is_asked_anew(episode: Episode) -> None:
    ops = ref(episode, "Calendar", "ops")
    times = {"start": "2026-03-03T15:00:00", "end": "2026-03-03T16:00:00"}
    made = call(episode, "create_event", calendarId=ops, summary="Plan", attendees=[ALEX, DANA], **times)["id"]
    call(episode, "delete_event", eventId=made)
    assert call(episode, "get_event", calendarId=ops, eventId=made)["attendees"][0]["responseStatus"] == "declined"
    call(episode, "update_event", calendarId=ops, eventId=made, removeAttendees=[ALEX])
    call(episode, "update_event", calendarId=ops, eventId=made, addAttendees=[ALEX])
    seen = call(episode, "get_event", eventId=made)
    assert (seen["status"], seen["attendees"][1]["responseStatus"]) == ("confirmed", "needsAction")
