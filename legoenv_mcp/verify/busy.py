"""When events take somebody's time: recurring ones each time that they take place, without what shows as free or is cancelled.

Events are canonical ones, as entities or as the rows that views show.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr


def instant(text: Any) -> datetime:
    return datetime.fromisoformat(str(text))


def overlapping(events: Iterable[Any], start: str, end: str) -> list[Any]:
    """The events that somebody is busy with between two instants; whole days in UTC."""
    begin, finish = instant(start), instant(end)
    found = list[Any]()
    for event in events:
        if not _of(event, "busy") or _of(event, "status") == "cancelled":
            continue
        first, last = (_with_zone(instant(_of(event, name))) for name in ("start", "end"))
        if any(at < finish and at + (last - first) > begin for at in _occurrences(event, finish)):
            found.append(event)
    return found


def declined_by(event: Any, email: str) -> bool:
    """Whether that guest has declined an event: it then takes none of their time."""
    return any(
        str(_of(guest, "email")).casefold() == email.casefold() and _of(guest, "response") == "declined"
        for guest in _of(event, "attendees")
    )


def _occurrences(event: Any, until: datetime) -> list[datetime]:
    """When an event starts, each time that it does before `until`."""
    zone, recurrence = ZoneInfo(_of(event, "time_zone") or "UTC"), _of(event, "recurrence")
    first = instant(_of(event, "start"))
    first = first.astimezone(zone) if first.tzinfo else first.replace(tzinfo=UTC)
    rules = [line for line in recurrence if line.startswith("RRULE")]
    if not rules or first >= until:
        return [first]
    left_out = {m for line in recurrence if line.startswith("EXDATE") for m in re.findall(r"\d{8}T\d{6}", line)}
    times = _rule("\n".join(rules), first).between(first, until, inc=True)
    return [at for at in times if at.strftime("%Y%m%dT%H%M%S") not in left_out]


@lru_cache(maxsize=1024)
def _rule(text: str, first: datetime) -> Any:
    """A rule of recurrence, read once; it remembers the times that it has come to."""
    return rrulestr(text, dtstart=first, cache=True)


def _with_zone(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _of(thing: Any, name: str) -> Any:
    return thing[name] if isinstance(thing, Mapping) else getattr(thing, name)
