"""Google Calendar: the canonical calendars; times, recurrence; invitations; sharing."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from dateutil import rrule
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import templates, worlds
from legoenv_mcp.capabilities.calendar import Attendee, Calendar, Event
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.google_calendar.support import (
    ALEX,
    APP,
    DANA,
    SAM,
    SLUG,
    WORLD,
    call,
    event,
    http,
    ref,
    refused,
    viewed,
)


@pytest.mark.parametrize("world", ["", "quaymark"])
def test_what_is_filled_is_viewed(world: str) -> None:
    if world:
        made = worlds.load(world)
        entities = [e for kind in (Person, Calendar, Event) for e in made.entities(kind)]
        episode = templates.episode([SLUG], world)
    else:
        entities, episode = WORLD, episode_of(SLUG, WORLD)
    live = episode.app(SLUG)
    found = {t: viewed(episode, t) for t in ("person", "calendar", "event")}
    counted = {Person: 0, Calendar: 0, Event: 0}
    for entity in entities:
        counted[type(entity)] += 1
        name = f"{type(entity).__module__.rsplit('.', 1)[-1]}.{type(entity).__name__}"
        wanted = {**entity.model_dump(), "key": "", "id": live.refs(name)[entity.key]}
        if isinstance(entity, Calendar):
            wanted["owner"] = live.refs("people.Person")[entity.owner]
        elif isinstance(entity, Event):
            wanted["calendar"] = live.refs("calendar.Calendar")[entity.calendar]
        elif isinstance(entity, Person) and entity.manager:
            wanted["manager"] = live.refs("people.Person")[entity.manager]
        table = type(entity).__name__.lower()
        same = [
            e
            for e in found[table]
            if e.id == wanted["id"] and ("calendar" not in wanted or e.calendar == wanted["calendar"])
        ]
        assert [e.model_dump() for e in same] == [wanted]
    assert len(found["event"]) == counted[Event]
    assert len(found["calendar"]) == counted[Calendar]


def test_each_verb_shows_its_effect(episode: Episode) -> None:
    verbs: Any = APP.provides["calendar"]

    def play(plan: Any) -> Any:
        reply: Any = None
        try:
            step = next(plan)
            while True:
                reply = call(episode, step.tool, **step.arguments)
                step = plan.send(reply)
        except StopIteration:
            return reply

    ops, own = ref(episode, "Calendar", "ops"), ref(episode, "Calendar", "alex")
    assert {c["id"] for c in play(verbs.list_calendars())["items"]} == {ALEX, DANA, ops}
    made = play(verbs.create_calendar("Audit", "Europe/Berlin"))
    assert next(c for c in viewed(episode, "calendar") if c.id == made["id"]).time_zone == "Europe/Berlin"
    listed = play(verbs.list_events(own, "2026-03-02", "2026-03-03"))["items"]
    assert [e["summary"] for e in listed] == ["Stand-up"]
    assert play(verbs.get_event(ops, ref(episode, "Event", "freeze")))["summary"] == "Freeze"
    new = play(verbs.create_event(own, "Call", "2026-03-03T10:00:00+00:00", "2026-03-03T10:30:00+00:00", (DANA,)))
    seen = next(e for e in viewed(episode, "event") if e.id == new["id"])
    assert (seen.title, seen.calendar, seen.organizer, seen.start) == ("Call", own, ALEX, "2026-03-03T10:00:00+00:00")
    assert seen.attendees == (Attendee(email=DANA),)
    play(verbs.update_event(own, new["id"], title="Long call", end="2026-03-03T11:00:00+00:00"))
    seen = next(e for e in viewed(episode, "event") if e.id == new["id"])
    assert (seen.title, seen.end) == ("Long call", "2026-03-03T11:00:00+00:00")
    review = ref(episode, "Event", "review.alex")
    play(verbs.respond_to_invite(own, review, "tentative"))
    for calendar in (own, DANA):
        answers = {a.email: a.response for a in event(episode, "review.alex", calendar).attendees}
        assert answers == {ALEX: "tentative", SAM: "accepted"}
    busy = play(verbs.find_busy_times((own,), "2026-03-03", "2026-03-04"))
    assert busy["calendars"][own]["busy"] == [{"start": "2026-03-03T10:00:00Z", "end": "2026-03-03T11:00:00Z"}]
    play(verbs.delete_event(own, new["id"]))
    assert new["id"] not in {e.id for e in viewed(episode, "event")}
    assert not [c for c in episode.changes() if c.table == "event" and c.key[0] == DANA]


async def test_agents_see_it_over_mcp(episode: Episode) -> None:
    async with Client(serve(episode, [SLUG])) as client:
        result = await client.call_tool(
            "list_events", {"timeMin": "2026-03-02T00:00:00Z", "timeMax": "2026-03-05T00:00:00Z"}
        )
        found = json.loads(result.content[0].text)  # pyright: ignore[reportAttributeAccessIssue]
        assert [e["summary"] for e in found["items"]] == ["Stand-up", "Stand-up", "Review"]
        result = await client.call_tool("get_event", {"eventId": "nothing"})
        assert result.is_error


def test_times_are_read_and_told_in_time_zones(episode: Episode) -> None:
    made = call(
        episode,
        "create_event",
        summary="x",
        start="2026-07-01T09:00:00",
        end="2026-07-01T10:00:00",
        timeZone="Asia/Tokyo",
    )
    assert made["start"] == {"dateTime": "2026-07-01T01:00:00+01:00", "timeZone": "Asia/Tokyo"}
    seen = call(episode, "get_event", eventId=made["id"], timeZone="America/New_York")
    assert seen["start"]["dateTime"] == "2026-06-30T20:00:00-04:00"
    day = call(episode, "create_event", summary="y", start="2026-07-01", end="2026-07-03")
    assert (day["start"], day["end"]) == ({"date": "2026-07-01"}, {"date": "2026-07-03"})
    assert refused(episode, "get_event", eventId=made["id"], timeZone="Mars/Olympus")["location"] == "timeZone"


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        ("2026-03-03", "2026-03-03T10:00:00", "Start and end times must either both be date or both be dateTime."),
        ("2026-03-03T10:00:00", "2026-03-03T09:00:00", "The specified time range is empty."),
        ("2026-03-03", "2026-03-03", "The specified time range is empty."),
        ("tomorrow", "2026-03-03T09:00:00", "Invalid start time."),
        ("2026-02-30", "2026-03-03", "Invalid start time."),
    ],
)
def test_bad_times_are_refused(episode: Episode, start: str, end: str, message: str) -> None:
    assert refused(episode, "create_event", summary="x", start=start, end=end)["message"].startswith(
        message.rstrip(".")
    )
    assert refused(episode, "create_event", summary="x", end=end)["reason"] in ("required", "invalid")


@pytest.mark.parametrize(
    "rule",
    [
        "RRULE:FREQ=HOURLY", "RRULE:FREQ=DAILY;COUNT=2;UNTIL=20260401", "FREQ=DAILY", "RRULE:FREQ=WEEKLY;BYDAY=1MO", "DTSTART:20260302",
        "RRULE:FREQ=DAILY;INTERVAL=0", "RRULE:INTERVAL=2", "RRULE:FREQ=YEARLY;BYMONTH=13", "EXDATE:20260302T100000Z",
        "RRULE:FREQ=DAILY;BYSETPOS=1", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
    ],
)  # fmt: skip
def test_bad_rules_are_refused(episode: Episode, rule: str) -> None:
    error = refused(episode, "create_event", start="2026-03-02T10:00:00", end="2026-03-02T11:00:00", recurrence=[rule])
    assert error["message"].startswith("Invalid recurrence rule")


@pytest.mark.parametrize(
    ("lines", "starts"),
    [
        (["RRULE:FREQ=MONTHLY;BYDAY=-1FR;COUNT=3"], ["2026-03-27T10:00:00Z", "2026-04-24T10:00:00+01:00", "2026-05-29T10:00:00+01:00"]),
        (["RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;UNTIL=20260410T090000Z"], ["2026-03-13T10:00:00Z", "2026-03-27T10:00:00Z",
                                                                          "2026-04-10T10:00:00+01:00"]),
        (["RDATE;TZID=Europe/London:20260401T100000,20260402T100000"],
         ["2026-03-13T10:00:00Z", "2026-04-01T10:00:00+01:00", "2026-04-02T10:00:00+01:00"]),
        (["RRULE:FREQ=DAILY;COUNT=4", "EXDATE:20260314T100000Z", "EXDATE;VALUE=DATE:20260315", "RDATE:20260320T120000Z"],
         ["2026-03-13T10:00:00Z", "2026-03-16T10:00:00Z", "2026-03-20T12:00:00Z"]),
        (["RRULE:FREQ=DAILY;COUNT=4", "EXRULE:FREQ=DAILY;INTERVAL=2"], ["2026-03-14T10:00:00Z", "2026-03-16T10:00:00Z"]),
    ],
)  # fmt: skip
def test_rules_are_expanded(episode: Episode, lines: list[str], starts: list[str]) -> None:
    start = "2026-03-27T10:00:00" if "MONTHLY" in lines[0] else "2026-03-13T10:00:00"
    made = call(episode, "create_event", summary="s", start=start, end=start.replace("T10", "T11"), recurrence=lines)
    found = call(episode, "list_event_instances", eventId=made["id"])["items"]
    assert [i["start"]["dateTime"] for i in found] == starts
    for one in found:
        assert call(episode, "get_event", eventId=one["id"])["start"] == one["start"]


FIRST, LAST = (datetime.fromisoformat(f"{year}-01-01") for year in (2024, 2027))


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]), st.integers(1, 5), st.integers(1, 15),
    st.datetimes(FIRST, LAST).map(lambda d: d.replace(second=0, microsecond=0)), st.integers(1, 500),
)  # fmt: skip
def test_windows_of_a_series_join(freq: str, interval: int, count: int, start: datetime, days: int) -> None:
    episode = templates.episode([SLUG], "empty")
    made = call(
        episode, "create_event", summary="s", start=start.isoformat(), end=(start + timedelta(minutes=50)).isoformat(), timeZone="UTC",
        recurrence=[f"RRULE:FREQ={freq};INTERVAL={interval};COUNT={count}"],
    )  # fmt: skip
    wanted = list(rrule.rrule(getattr(rrule, freq), dtstart=start, interval=interval, count=count))

    def window(**bounds: str) -> list[str]:
        found = call(episode, "list_event_instances", eventId=made["id"], maxResults=2500, **bounds)["items"]
        return [i["id"] for i in found]

    every = window()
    assert every == [f"{made['id']}_{d:%Y%m%dT%H%M%SZ}" for d in wanted]
    cut = (start + timedelta(days=days)).isoformat() + "Z"
    before, after = window(timeMax=cut), window(timeMin=cut)
    assert before + [i for i in after if i not in before] == every


def test_occurrences_are_changed_and_cancelled_alone(episode: Episode) -> None:
    series = ref(episode, "Event", "standup")
    bounds = {"timeMin": "2026-03-02T00:00:00Z", "timeMax": "2026-03-17T00:00:00Z"}

    def starts() -> list[str]:
        return [e["start"]["dateTime"][5:16] for e in call(episode, "list_events", q="stand", **bounds)["items"]]

    assert starts() == ["03-02T09:30", "03-04T09:30", "03-11T09:30", "03-16T09:30"]
    call(episode, "delete_event", eventId=f"{series}_20260304T093000Z")
    moved = call(episode, "update_event", eventId=f"{series}_20260311T093000Z", start="2026-03-12T14:00:00")
    assert (moved["end"]["dateTime"], moved["recurringEventId"]) == ("2026-03-12T14:15:00Z", series)
    assert starts() == ["03-02T09:30", "03-12T14:00", "03-16T09:30"]
    assert refused(episode, "delete_event", eventId=f"{series}_20260304T093000Z")["code"] == 410
    assert refused(episode, "get_event", eventId=f"{series}_20260309T093000Z")["code"] == 404
    # The guest's calendar shows the same.
    hers = call(episode, "list_events", calendarId=DANA, q="stand", timeZone="Europe/London", **bounds)["items"]
    assert [e["start"]["dateTime"][5:16] for e in hers] == starts()
    # A title of the series reaches all but the changed one, which keeps its own.
    call(episode, "update_event", eventId=series, summary="Stand-up, short")
    titles = [e["summary"] for e in call(episode, "list_events", q="stand", **bounds)["items"]]
    assert titles == ["Stand-up, short", "Stand-up", "Stand-up, short"]
    # Another time for all: what was changed belongs to a rule that is no more.
    call(episode, "update_event", eventId=series, start="2026-03-02T10:00:00")
    assert starts() == ["03-02T10:00", "03-04T10:00", "03-09T10:00", "03-11T10:00", "03-16T10:00"]
    call(episode, "delete_event", eventId=series)
    assert starts() == []
    assert not [c for c in episode.changes() if c.key[0] == DANA]


def test_lists_of_series_keep_their_exceptions(episode: Episode) -> None:
    series = ref(episode, "Event", "standup")
    call(episode, "delete_event", eventId=f"{series}_20260304T093000Z")
    found = call(episode, "list_events", singleEvents=False, q="stand")["items"]
    assert [(e["id"], e.get("status")) for e in found] == [(series, None), (f"{series}_20260304T093000Z", "cancelled")]
    raw = http(episode, "GET", "/calendars/primary/events?q=stand").body["items"]
    assert [e["id"] for e in raw if e["status"] == "confirmed"] == [series]
    gone = next(
        e for e in http(episode, "GET", "/calendars/primary/events").body["items"] if e["status"] == "cancelled"
    )
    assert set(gone) == {"kind", "etag", "id", "status", "recurringEventId", "originalStartTime"}


def test_guests_and_organizers(episode: Episode) -> None:
    review = ref(episode, "Event", "review.alex")
    error = refused(episode, "update_event", eventId=review, summary="Mine")
    assert (error["code"], error["reason"], error["domain"]) == (403, "forbiddenForNonOrganizer", "calendar")
    assert refused(episode, "update_event", eventId=review, removeAttendees=[SAM])["code"] == 403
    own = call(episode, "update_event", eventId=review, transparency="transparent", colorId="5")
    assert (own["transparency"], own["colorId"]) == ("transparent", "5")
    assert call(episode, "get_event", calendarId=DANA, eventId=review).get("colorId") is None
    added = call(episode, "update_event", eventId=review, addAttendees=["guest@meridian.example"])
    assert len(added["attendees"]) == 3
    assert len(event(episode, "review.alex", DANA).attendees) == 3
    call(episode, "respond_to_event", eventId=review, responseStatus="accepted", comment="Gladly")
    hers = call(episode, "get_event", calendarId=DANA, eventId=review)
    assert next(a for a in hers["attendees"] if a["email"] == ALEX)["comment"] == "Gladly"
    call(episode, "delete_event", eventId=review)
    answers = {a.email: a.response for a in event(episode, "review.alex", DANA).attendees}
    assert answers[ALEX] == "declined"
    assert event(episode, "review.alex", DANA).status == "confirmed"


def test_invitations_show_on_the_calendars_of_their_guests(episode: Episode) -> None:
    made = call(
        episode,
        "create_event",
        summary="Plan",
        start="2026-03-03T15:00:00",
        end="2026-03-03T16:00:00",
        attendees=[DANA, SAM],
    )
    assert len([c for c in episode.changes() if c.table == "event"]) == 1
    hers = call(episode, "get_event", calendarId=DANA, eventId=made["id"])
    assert [a["email"] for a in hers["attendees"] if a.get("self")] == [DANA]
    day = {"timeMin": "2026-03-03T00:00:00Z", "timeMax": "2026-03-04T00:00:00Z"}
    busy = call(episode, "query_freebusy", calendarIds=[DANA, SAM], **day)["calendars"]
    assert busy[DANA] == busy[SAM] == {"busy": [{"start": "2026-03-03T15:00:00Z", "end": "2026-03-03T16:00:00Z"}]}
    call(episode, "delete_event", eventId=made["id"])
    assert call(episode, "query_freebusy", calendarIds=[DANA], **day)["calendars"][DANA] == {"busy": []}


def test_an_answer_for_one_occurrence_is_for_it_alone(episode: Episode) -> None:
    ops = ref(episode, "Calendar", "ops")
    times = {"start": "2026-03-03T15:00:00", "end": "2026-03-03T16:00:00"}
    made = call(
        episode, "create_event", calendarId=ops, attendees=[ALEX], recurrence=["RRULE:FREQ=WEEKLY;COUNT=3"], **times
    )
    second = f"{made['id']}_20260310T150000Z"
    call(episode, "respond_to_event", eventId=made["id"], responseStatus="accepted")
    call(episode, "respond_to_event", eventId=second, responseStatus="declined")
    for calendar in ("primary", ops):
        found = call(episode, "list_event_instances", calendarId=calendar, eventId=made["id"])["items"]
        assert [e["attendees"][0]["responseStatus"] for e in found] == ["accepted", "declined", "accepted"]


def test_guests_who_may_change_an_event_change_the_organizers(episode: Episode) -> None:
    ops = ref(episode, "Calendar", "ops")
    times = {"start": "2026-03-03T15:00:00", "end": "2026-03-03T16:00:00"}
    made = call(episode, "create_event", calendarId=ops, summary="x", attendees=[ALEX], guestsCanModify=True, **times)
    call(episode, "update_event", eventId=made["id"], summary="y", start="2026-03-03T16:00:00")
    seen = call(episode, "get_event", calendarId=ops, eventId=made["id"])
    assert (seen["summary"], seen["end"]["dateTime"], seen["sequence"]) == ("y", "2026-03-03T17:00:00Z", 1)


def test_guests_get_mail_only_if_asked_for(episode: Episode) -> None:
    def mails() -> list[tuple[str, str]]:
        rows = episode.app(SLUG).store.connection.execute("SELECT kind, recipients FROM notification")
        return [(kind, json.loads(told)) for kind, told in rows]

    times = {"start": "2026-03-03T15:00:00", "end": "2026-03-03T16:00:00", "attendees": [DANA, "x@meridian.example"]}
    call(episode, "create_event", summary="quiet", **times)
    assert mails() == []
    made = call(episode, "create_event", summary="told", sendUpdates="all", **times)
    call(episode, "update_event", eventId=made["id"], location="Here", sendUpdates="externalOnly")
    call(episode, "delete_event", eventId=made["id"], sendUpdates="all")
    everyone = [DANA, "x@meridian.example"]
    assert mails() == [("invitation", everyone), ("update", ["x@meridian.example"]), ("cancellation", everyone)]


def test_roles_say_who_may_do_what(episode: Episode) -> None:
    ops, freeze = ref(episode, "Calendar", "ops"), ref(episode, "Event", "freeze")
    times = {"start": "2026-03-03T15:00:00", "end": "2026-03-03T16:00:00"}
    error = refused(episode, "create_event", calendarId=DANA, summary="x", **times)
    assert (error["code"], error["reason"], error["domain"]) == (403, "requiredAccessLevel", "calendar")
    assert refused(episode, "update_event", calendarId=SAM, eventId="whatever0", summary="x")["code"] == 403
    assert call(episode, "update_event", calendarId=ops, eventId=freeze, summary="Frozen")["summary"] == "Frozen"
    for tool, arguments in (
        ("update_calendar", {"summary": "Mine"}), ("delete_calendar", {}), ("delete_acl_rule", {"ruleId": f"user:{DANA}"}),
        ("create_acl_rule", {"role": "reader", "scopeType": "user", "scopeValue": SAM}),
    ):  # fmt: skip
        assert (
            refused(episode, tool, calendarId=ops, **arguments)["message"]
            == "You need to have owner access to this calendar."
        )
    assert {r["id"] for r in call(episode, "list_acl_rules", calendarId=ops)["items"]} == {
        f"user:{DANA}",
        f"user:{ALEX}",
    }
    assert refused(episode, "list_acl_rules", calendarId=DANA)["code"] == 403
    assert refused(episode, "get_calendar", calendarId="nobody@brightwater.example")["code"] == 404


def test_others_see_only_that_private_events_are_there(episode: Episode) -> None:
    made = call(
        episode, "create_event", summary="Doctor", location="Clinic", visibility="private", start="2026-03-03T08:00:00",
        end="2026-03-03T09:00:00", attendees=[DANA],
    )  # fmt: skip
    assert call(episode, "get_event", eventId=made["id"])["summary"] == "Doctor"
    hers = call(episode, "get_event", calendarId=DANA, eventId=made["id"])
    assert hers["visibility"] == "private"
    assert not {"summary", "location", "attendees", "organizer", "description"} & set(hers)
    found = call(episode, "list_events", calendarId=DANA, q="doctor")["items"]
    assert found == []
    # Colleagues whose calendar is not shared show when they are busy, and nothing else.
    call(
        episode, "create_event", summary="Open", start="2026-03-03T10:00:00", end="2026-03-03T11:00:00", attendees=[SAM]
    )
    his = call(episode, "list_events", calendarId=SAM, timeMin="2026-03-03T00:00:00Z")["items"]
    assert [set(e) for e in his] == [{"id", "start", "end", "visibility"}] * 2


def test_acl_rules(episode: Episode) -> None:
    made = call(episode, "create_acl_rule", role="reader", scopeType="user", scopeValue=SAM)
    assert made["id"] == f"user:{SAM}"
    assert call(episode, "update_acl_rule", ruleId=made["id"], role="writer")["role"] == "writer"
    call(episode, "delete_acl_rule", ruleId=made["id"])
    assert refused(episode, "get_acl_rule", ruleId=made["id"])["code"] == 404
    shown = http(episode, "GET", "/calendars/primary/acl?showDeleted=true").body["items"]
    assert {"user:" + SAM: "none"}.items() <= {r["id"]: r["role"] for r in shown}.items()
    public = refused(episode, "create_acl_rule", role="writer", scopeType="default")
    assert public["reason"] == "illegalAccessRoleForDefault"
    assert (
        refused(episode, "create_acl_rule", role="reader", scopeType="user", scopeValue="nobody")["reason"]
        == "invalidScopeValue"
    )
    assert refused(episode, "delete_acl_rule", ruleId=f"user:{ALEX}")["reason"] == "cannotChangeOwnerAcl"


def test_calendars_and_the_list_of_them(episode: Episode) -> None:
    assert refused(episode, "delete_calendar", calendarId="primary")["reason"] == "cannotDeletePrimaryCalendar"
    made = call(episode, "create_calendar", summary="Audit", timeZone="Europe/Berlin")
    assert refused(episode, "clear_calendar", calendarId=made["id"])["code"] == 400
    assert refused(episode, "create_calendar", summary="x", timeZone="Berlin")["code"] == 400
    assert refused(episode, "create_calendar")["reason"] == "required"
    call(episode, "delete_calendar", calendarId=made["id"])
    assert refused(episode, "list_events", calendarId=made["id"])["code"] == 404
    call(episode, "remove_calendar_from_list", calendarId=DANA)
    assert DANA not in {c["id"] for c in call(episode, "list_calendars")["items"]}
    assert call(episode, "list_events", calendarId=DANA)["accessRole"] == "reader"
    assert call(episode, "add_calendar_to_list", calendarId=SAM)["accessRole"] == "freeBusyReader"
    assert (
        refused(episode, "remove_calendar_from_list", calendarId="primary")["reason"]
        == "cannotChangeOwnPrimarySubscription"
    )
    hidden = call(episode, "update_calendar_list_entry", calendarId=SAM, hidden=True, colorId="3")
    assert hidden["hidden"]
    assert SAM not in {c["id"] for c in call(episode, "list_calendars")["items"]}
    assert SAM in {c["id"] for c in call(episode, "list_calendars", showHidden=True)["items"]}
    call(episode, "clear_calendar", calendarId="primary")
    assert [e for e in viewed(episode, "event") if e.calendar == ALEX and e.organizer == ALEX] == []
