"""What the tests of Google Calendar share."""

import importlib
import json
from typing import Any
from urllib.parse import parse_qsl

from legoenv_mcp import registry
from legoenv_mcp.capabilities.calendar import Attendee, Calendar, Event
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces import rest
from legoenv_mcp.kernel.context import Ctx, Reply, Request
from legoenv_mcp.kernel.episode import Episode

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
