"""The filter that tells who is busy: recurring events each time, whole days, what does not count."""

from legoenv_mcp.capabilities.calendar import Event
from legoenv_mcp.controller.expressions import value_of

WEEKLY = Event(
    calendar="c", title="weekly", start="2026-02-03T10:00:00+00:00", end="2026-02-03T10:30:00+00:00", time_zone="Europe/London",
    recurrence=("RRULE:FREQ=WEEKLY;BYDAY=TU", "EXDATE;TZID=Europe/London:20260310T100000"),
)  # fmt: skip
AWAY = Event(calendar="c", title="away", start="2026-03-12", end="2026-03-14")
FREE = Event(calendar="c", title="free", start="2026-03-12", end="2026-03-14", busy=False)
OFF = Event(calendar="c", title="off", start="2026-03-17T09:00:00Z", end="2026-03-17T12:00:00Z", status="cancelled")


def busy(start: str, end: str) -> list[str]:
    found = value_of(f"events | overlapping('{start}', '{end}')", {"events": (WEEKLY, AWAY, FREE, OFF)})
    return [e.title for e in found]


def test_busy_times() -> None:
    assert busy("2026-03-17T10:15:00Z", "2026-03-17T11:00:00Z") == ["weekly"]
    assert busy("2026-03-10T10:15:00Z", "2026-03-10T11:00:00Z") == []
    assert busy("2026-03-17T10:30:00Z", "2026-03-17T11:00:00Z") == []
    assert busy("2026-03-13T23:00:00Z", "2026-03-13T23:30:00Z") == ["away"]
    assert busy("2026-03-14T00:00:00Z", "2026-03-14T01:00:00Z") == []


def test_a_summer_clock() -> None:
    assert busy("2026-03-31T09:00:00Z", "2026-03-31T09:30:00Z") == ["weekly"]
    assert busy("2026-03-31T10:00:00Z", "2026-03-31T10:30:00Z") == []
