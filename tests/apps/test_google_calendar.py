"""Google Calendar: its rules, recurrence, invitations and sharing, and the canonical calendars behind it."""

import importlib
import json
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl

import pytest
from dateutil import rrule
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import registry, templates, worlds
from legoenv_mcp.capabilities.calendar import Attendee, Calendar, Event
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces import rest
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.kernel.context import Ctx, Reply, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of

SLUG = "google_calendar"
APP = registry.load(SLUG)
listing: Any = importlib.import_module("legoenv_mcp.servers.google_calendar.listing")

ALEX, DANA, SAM = "alex.doyle@brightwater.example", "dana.ruiz@brightwater.example", "sam.ito@brightwater.example"


def person(key: str, first: str, last: str) -> Person:
    return Person(
        key=key, first_name=first, last_name=last, email=f"{key}@brightwater.example", handle=key, title="Analyst", department="Ops",
        time_zone="America/New_York", manager="alex.doyle",
    )  # fmt: skip


REVIEW = {
    "title": "Review", "start": "2026-03-04T09:00:00-05:00", "end": "2026-03-04T10:00:00-05:00", "time_zone": "America/New_York",
    "organizer": DANA, "attendees": (Attendee(email=ALEX), Attendee(email=SAM, response="accepted", optional=True)),
    "created": "2026-02-20T09:00:00Z",
}  # fmt: skip
WORLD: list[Any] = [
    person("dana.ruiz", "Dana", "Ruiz"),
    person("sam.ito", "Sam", "Ito"),
    Calendar(key="alex", name="Alex", owner="alex.doyle", primary=True, time_zone="Europe/London"),
    Calendar(key="dana", name="Dana", owner="dana.ruiz", primary=True, time_zone="America/New_York"),
    Calendar(key="ops", name="Operations", owner="dana.ruiz", time_zone="Europe/London", description="What we all do"),
    Event(key="review.alex", calendar="alex", **REVIEW),
    Event(key="review.dana", calendar="dana", **REVIEW),
    Event(
        key="standup", calendar="alex", title="Stand-up", start="2026-03-02T09:30:00+00:00", end="2026-03-02T09:45:00+00:00",
        time_zone="Europe/London", organizer=ALEX, attendees=(Attendee(email=DANA, response="accepted"),),
        recurrence=("RRULE:FREQ=WEEKLY;BYDAY=MO,WE", "EXDATE;TZID=Europe/London:20260309T093000"), location="Harbour",
        created="2026-01-05T08:00:00Z",
    ),
    Event(key="leave", calendar="alex", title="Away", start="2026-03-12", end="2026-03-14", organizer=ALEX, busy=False,
          created="2026-01-05T08:00:00Z"),
    Event(key="off", calendar="alex", title="Called off", start="2026-03-05T09:00:00+00:00", end="2026-03-05T10:00:00+00:00",
          organizer=ALEX, status="cancelled", created="2026-01-05T08:00:00Z"),
    Event(key="freeze", calendar="ops", title="Freeze", start="2026-03-06T17:00:00+00:00", end="2026-03-06T18:00:00+00:00",
          organizer=DANA, description="No releases", created="2026-01-05T08:00:00Z"),
]  # fmt: skip


@pytest.fixture
def episode() -> Episode:
    return episode_of(SLUG, WORLD)


def call(episode: Episode, tool: str, **arguments: Any) -> Any:
    reply = episode.call(SLUG, tool, arguments)
    assert reply.status < 400, reply.body
    return reply.body


def refused(episode: Episode, tool: str, **arguments: Any) -> dict[str, Any]:
    before = episode.changes()
    reply = episode.call(SLUG, tool, arguments)
    assert reply.error, reply.body
    assert episode.changes() == before
    error = reply.body["error"]
    assert error["code"] == reply.status
    return {"code": error["code"], **error["errors"][0]}


def http(episode: Episode, method: str, path: str, body: Any = None, **headers: str) -> Reply:
    target, _, text = path.partition("?")
    request = Request(
        method, f"/calendar/v3{target}", f"http://x/calendar/v3{path}", dict(parse_qsl(text, keep_blank_values=True)),
        {"content-type": "application/json", **{k.replace("_", "-").lower(): v for k, v in headers.items()}}, "http://x",
    )  # fmt: skip
    return rest.handle(episode.app(SLUG), request, b"" if body is None else json.dumps(body).encode())


def ref(episode: Episode, kind: str, key: str) -> str:
    return episode.app(SLUG).refs(f"calendar.{kind}")[key]


def viewed(episode: Episode, table: str) -> list[Any]:
    live = episode.app(SLUG)
    ctx = Ctx(live, None, None, Request())
    shape = APP.shapes[table]
    rows = [shape.decode(raw) for raw in live.store.connection.execute(shape.select)]
    return [e for row in rows if (e := APP.provides["calendar"].view(ctx, table, row)) is not None]


def event(episode: Episode, key: str, calendar: str = "") -> Any:
    event_id = ref(episode, "Event", key)
    return next(e for e in viewed(episode, "event") if e.id == event_id and calendar in ("", e.calendar))


# The canonical calendars


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


# Times, recurrence


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


# Invitations


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


# Sharing


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


# The life of an event


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


# Lists


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


# What calendars have of one another


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
