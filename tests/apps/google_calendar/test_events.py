"""Google Calendar: the life of an event; lists."""

from typing import Any

import pytest

from legoenv_mcp import templates
from legoenv_mcp.kernel.episode import Episode
from tests.apps.google_calendar.support import DANA, SLUG, call, http, listing, ref, refused, viewed


def test_deleted_cancelled_and_taken_back(episode: Episode) -> None:
    made = call(episode, "create_event", summary="x", start="2026-03-03T15:00:00", end="2026-03-03T16:00:00")
    call(episode, "delete_event", eventId=made["id"])
    assert refused(episode, "delete_event", eventId=made["id"])["reason"] == "deleted"
    assert refused(episode, "respond_to_event", eventId=made["id"], responseStatus="accepted")["code"] == 410
    assert (
        refused(episode, "move_event", eventId=made["id"], destination=ref(episode, "Calendar", "ops"))["code"] == 410
    )
    assert call(episode, "get_event", eventId=made["id"])["status"] == "cancelled"
    assert made["id"] not in {e["id"] for e in call(episode, "list_events")["items"]}
    assert made["id"] in {e["id"] for e in call(episode, "list_events", showDeleted=True)["items"]}
    back = call(episode, "update_event", eventId=made["id"], status="confirmed")
    assert back["status"] == "confirmed"
    assert made["id"] in {e.id for e in viewed(episode, "event")}
    assert refused(episode, "respond_to_event", eventId=made["id"], responseStatus="accepted")["code"] == 400


def test_moves(episode: Episode) -> None:
    series, ops = ref(episode, "Event", "standup"), ref(episode, "Calendar", "ops")
    error = refused(episode, "move_event", eventId=f"{series}_20260304T093000Z", destination=ops)
    assert error["reason"] == "cannotChangeOrganizerOfInstance"
    assert (
        refused(episode, "move_event", eventId=ref(episode, "Event", "review.alex"), destination=ops)["reason"]
        == "cannotChangeOrganizer"
    )
    assert refused(episode, "move_event", eventId=series, destination=DANA)["code"] == 403
    call(episode, "delete_event", eventId=f"{series}_20260304T093000Z")
    moved = call(episode, "move_event", eventId=series, destination=ops)
    assert moved["organizer"]["email"] == ops
    assert [e.calendar for e in viewed(episode, "event") if e.id == series] == [ops]
    found = call(episode, "list_event_instances", calendarId=ops, eventId=series, timeMax="2026-03-12T00:00:00Z")[
        "items"
    ]
    assert [e["id"][-16:] for e in found] == ["20260302T093000Z", "20260311T093000Z"]


def test_patch_put_and_etags(episode: Episode) -> None:
    event_id = ref(episode, "Event", "standup")
    path = f"/calendars/primary/events/{event_id}"
    whole = http(episode, "GET", path).body
    assert http(episode, "GET", path, if_none_match=whole["etag"]).status == 304
    assert http(episode, "PATCH", path, {"summary": "New"}, if_match='"0"').status == 412
    changed = http(episode, "PATCH", path, {"summary": "New", "location": None}, if_match=whole["etag"])
    assert (changed.body["summary"], "location" in changed.body) == ("New", False)
    times = {name: whole[name] for name in ("start", "end")}
    bare = http(episode, "PUT", path, {"summary": "Bare", **times}).body
    assert not {"attendees", "recurrence", "description"} & set(bare)
    assert http(episode, "PUT", path, {"summary": "Bare"}).body["error"]["message"] == "Missing start time."
    late = http(episode, "PATCH", path, {"summary": "x", "sequence": 0})
    assert late.status == 400
    assert late.body["error"]["message"].startswith("Invalid sequence value.")
    assert (
        http(episode, "PATCH", path, {"attendees": [{"email": "no address"}]}).body["error"]["message"]
        == "Invalid attendee email."
    )
    both = {"reminders": {"useDefault": True, "overrides": [{"method": "popup", "minutes": 5}]}}
    reason = http(episode, "PATCH", path, both).body["error"]["errors"][0]["reason"]
    assert reason == "cannotUseDefaultRemindersAndSpecifyOverride"


def test_what_a_patch_leaves_is_left(episode: Episode) -> None:
    made = http(
        episode, "POST", "/calendars/primary/events",
        {
            "summary": "x", "start": {"dateTime": "2026-03-03T15:00:00Z"}, "end": {"dateTime": "2026-03-03T16:00:00Z"},
            "extendedProperties": {"private": {"a": "1", "b": "2"}, "shared": {"c": "3"}},
        },
    ).body  # fmt: skip
    path = f"/calendars/primary/events/{made['id']}"
    after = http(episode, "PATCH", path, {"extendedProperties": {"private": {"a": None, "d": "4"}}}).body
    assert after["extendedProperties"] == {"private": {"b": "2", "d": "4"}, "shared": {"c": "3"}}
    found = http(
        episode, "GET", "/calendars/primary/events?privateExtendedProperty=b%3D2&privateExtendedProperty=d%3D4"
    ).body["items"]
    assert [e["id"] for e in found] == [made["id"]]
    assert http(episode, "GET", "/calendars/primary/events?sharedExtendedProperty=c%3D9").body["items"] == []
    assert http(episode, "GET", "/calendars/primary/events?sharedExtendedProperty=c").status == 400


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"eventType": "outOfOffice", "all_day": True}, "malformedOutOfOfficeEvent"),
        ({"eventType": "focusTime", "attendees": [{"email": DANA}]}, "malformedFocusTimeEvent"),
        (
            {"eventType": "workingLocation", "workingLocationProperties": {"type": "homeOffice"}},
            "malformedWorkingLocationEvent",
        ),
        ({"eventType": "birthday"}, "malformedBirthdayEvent"),
        ({"workingLocationProperties": {"type": "homeOffice"}}, "badRequest"),
        ({"eventType": "party"}, "invalid"),
    ],
)
def test_special_events_have_their_rules(episode: Episode, body: dict[str, Any], reason: str) -> None:
    body = dict(body)
    day, hour = {"date": "2026-03-03"}, {"dateTime": "2026-03-03T15:00:00Z"}
    times = (
        {"start": day, "end": {"date": "2026-03-04"}}
        if body.pop("all_day", False)
        else {"start": hour, "end": {"dateTime": "2026-03-03T16:00:00Z"}}
    )
    reply = http(episode, "POST", "/calendars/primary/events", {**times, **body})
    assert reply.body["error"]["errors"][0]["reason"] == reason
    assert episode.changes() == []
    good = {**times, "eventType": "outOfOffice", "outOfOfficeProperties": {"declineMessage": "Away"}}
    if "date" not in times["start"]:
        made = http(episode, "POST", "/calendars/primary/events", good).body
        assert made["outOfOfficeProperties"] == {"declineMessage": "Away"}
        typed = http(episode, "PATCH", f"/calendars/primary/events/{made['id']}", {"eventType": "default"})
        assert typed.body["error"]["errors"][0]["reason"] == "eventTypeRestriction"


def test_pages_and_sync_tokens(episode: Episode) -> None:
    seen, token, last = list[str](), "", dict[str, Any]()
    while True:
        last = http(episode, "GET", f"/calendars/primary/events?maxResults=2&pageToken={token}").body
        seen += [e["id"] for e in last["items"]]
        token = last.get("nextPageToken", "")
        if not token:
            break
    assert len(seen) == len(set(seen)) == 3
    sync = last["nextSyncToken"]
    call(episode, "delete_event", eventId=seen[0])
    news = http(episode, "GET", f"/calendars/primary/events?syncToken={sync}").body
    assert [(e["id"], e["status"]) for e in news["items"]] == [(seen[0], "cancelled")]
    again = http(episode, "GET", f"/calendars/primary/events?syncToken={news['nextSyncToken']}").body
    assert again["items"] == []
    for path, status in (
        (f"/calendars/{DANA}/events?syncToken={sync}", 410), ("/calendars/primary/events?syncToken=none", 410),
        (f"/calendars/primary/events?syncToken={sync}&q=x", 400), ("/calendars/primary/events?pageToken=none", 400),
        ("/calendars/primary/events?updatedMin=2025-01-01T00:00:00Z", 410), ("/calendars/primary/events?timeMin=2026-03-01", 400),
        ("/calendars/primary/events?orderBy=startTime", 400), ("/calendars/primary/events?orderBy=title", 400),
        ("/calendars/primary/events?maxResults=0", 400),
        ("/calendars/primary/events?timeMin=2026-03-02T00:00:00Z&timeMax=2026-03-01T00:00:00Z", 400),
    ):  # fmt: skip
        assert http(episode, "GET", path).status == status, path
    call(episode, "create_event", summary="x", start="2026-03-03T15:00:00", end="2026-03-03T16:00:00")
    fresh = http(episode, "GET", "/calendars/primary/events?updatedMin=2026-03-02T09:00:00Z&orderBy=updated").body[
        "items"
    ]
    assert [e["status"] for e in fresh] == ["cancelled", "confirmed"]


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("q=harbour", ["Stand-up"]), ("q=stand%20harb", ["Stand-up"]), ("q=stand%20review", []), ("q=sam%20ito", ["Review"]),
        ("q=1", []), ("q=dana.ruiz", ["Review", "Stand-up"]), ("q=!", []), ("showDeleted=true&q=called", ["Called off"]),
        ("timeMin=2026-03-12T12:00:00Z&timeMax=2026-03-13T00:00:00Z", ["Away", "Stand-up"]),
        ("timeMin=2026-03-12T12:00:00Z&timeMax=2026-03-13T00:00:00Z&singleEvents=true&orderBy=startTime", ["Away"]),
        ("eventTypes=focusTime", []), ("eventTypes=default&eventTypes=focusTime&q=away", ["Away"]),
    ],
)  # fmt: skip
def test_what_a_list_holds(episode: Episode, query: str, titles: list[str]) -> None:
    found = http(episode, "GET", f"/calendars/primary/events?{query}").body["items"]
    wanted = titles if "12:00:00Z&timeMax" not in query or "single" in query else ["Away"]
    assert sorted(e["summary"] for e in found) == wanted


def test_free_times(episode: Episode) -> None:
    call(episode, "create_event", summary="x", start="2026-03-03T09:30:00", end="2026-03-03T16:00:00", attendees=[DANA])
    day = {"timeMin": "2026-03-03T00:00:00Z", "timeMax": "2026-03-04T00:00:00Z"}
    found = call(episode, "suggest_time", attendees=["primary", DANA], durationMinutes=60, **day)
    assert found["freeTimes"] == [{"start": "2026-03-03T16:00:00Z", "end": "2026-03-03T17:00:00Z"}]
    weekend = {"timeMin": "2026-03-07T00:00:00Z", "timeMax": "2026-03-09T00:00:00Z"}
    assert call(episode, "suggest_time", attendees=["primary"], **weekend)["freeTimes"] == []
    assert len(call(episode, "suggest_time", attendees=["primary"], includeWeekends=True, **weekend)["freeTimes"]) == 2
    assert call(episode, "suggest_time", attendees=["x@y.example"], **day)["unknownCalendars"] == ["x@y.example"]
    long = {"timeMin": "2020-03-07T00:00:00Z", "timeMax": "2026-03-09T00:00:00Z"}
    assert refused(episode, "query_freebusy", calendarIds=["primary"], **long)["reason"] == "timeRangeTooLong"
    declined = ref(episode, "Event", "review.alex")
    on_wednesday = {"timeMin": "2026-03-04T12:00:00Z", "timeMax": "2026-03-05T00:00:00Z", "calendarIds": ["primary"]}
    assert len(call(episode, "query_freebusy", **on_wednesday)["calendars"]["primary"]["busy"]) == 1
    call(episode, "respond_to_event", eventId=declined, responseStatus="declined")
    assert call(episode, "query_freebusy", **on_wednesday)["calendars"]["primary"]["busy"] == []


@pytest.mark.parametrize(
    ("text", "title", "start", "end"),
    [
        ("Lunch with Sam tomorrow 12:30pm-1:30pm", "Lunch with Sam", "2026-03-03T12:30:00Z", "2026-03-03T13:30:00Z"),
        ("Call Dana on Friday at 3pm for 30 minutes", "Call Dana", "2026-03-06T15:00:00Z", "2026-03-06T15:30:00Z"),
        ("Workshop 10-11am March 9", "Workshop", "2026-03-09T10:00:00Z", "2026-03-09T11:00:00Z"),
        ("Offsite on 4 April", "Offsite", "2026-04-04", "2026-04-05"),
        ("Review 2026-03-10 from 14:00 to 15:30", "Review", "2026-03-10T14:00:00Z", "2026-03-10T15:30:00Z"),
        ("Breakfast at 8am", "Breakfast", "2026-03-03T08:00:00Z", "2026-03-03T09:00:00Z"),
        ("Meeting at 10 with Bob tomorrow", "Meeting with Bob", "2026-03-03T10:00:00Z", "2026-03-03T11:00:00Z"),
        ("Call tomorrow 2pm to 3", "Call", "2026-03-03T14:00:00Z", "2026-03-03T15:00:00Z"),
        ("Sync 11am-1 on Wed", "Sync", "2026-03-04T11:00:00Z", "2026-03-04T13:00:00Z"),
        ("Night shift 10pm-2 tomorrow", "Night shift", "2026-03-03T22:00:00Z", "2026-03-04T02:00:00Z"),
        ("Lunch with Sam Fri 1pm", "Lunch with Sam", "2026-03-06T13:00:00Z", "2026-03-06T14:00:00Z"),
        ("Coffee the day after tomorrow 10am", "Coffee", "2026-03-04T10:00:00Z", "2026-03-04T11:00:00Z"),
        ("Trip March 10-12", "Trip", "2026-03-10", "2026-03-13"),
        ("Trip Mar 30 to Apr 2", "Trip", "2026-03-30", "2026-04-03"),
        ("Party on 14/3/2026 at 8pm", "Party", "2026-03-14T20:00:00Z", "2026-03-14T21:00:00Z"),
        ("Deploy in 2 hours", "Deploy", "2026-03-02T11:00:00Z", "2026-03-02T12:00:00Z"),
        ("Meet at 5 Main Street", "Meet at 5 Main Street", "2026-03-02T09:00:00Z", "2026-03-02T10:00:00Z"),
        ("On call 24/7 sat down", "On call 24/7 sat down", "2026-03-02T09:00:00Z", "2026-03-02T10:00:00Z"),
        ("Room 12 budget for 2026", "Room 12 budget for 2026", "2026-03-02T09:00:00Z", "2026-03-02T10:00:00Z"),
    ],
)
def test_quick_additions(episode: Episode, text: str, title: str, start: str, end: str) -> None:
    made = call(episode, "quick_add_event", text=text)
    told = [made[w].get("dateTime") or made[w]["date"] for w in ("start", "end")]
    assert (made["summary"], *told) == (title, start, end)


def test_words_are_found_without_case_and_accents() -> None:
    assert listing.words("Café at ZÜRICH, 2026!") == ["cafe", "at", "zurich", "2026"]


def test_templates_are_the_same_for_the_empty_world() -> None:
    episode = templates.episode([SLUG], "empty")
    assert [c["primary"] for c in call(episode, "list_calendars")["items"]] == [True]
    assert call(episode, "list_events")["items"] == []
