"""Times as the API writes them: `date`, or `dateTime` with an offset or a `timeZone`."""

import re
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

Json = dict[str, Any]
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d)?")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+\-]*(/[A-Za-z0-9_+\-]+)*")
_FIRST, _LAST = 1900, 2200
"""Years that events may lie in."""


@cache
def zone(name: str) -> ZoneInfo | None:
    """The IANA time zone of this name, or None."""
    if not _NAME.fullmatch(name):
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def read_date(text: str) -> date | None:
    """An ISO day, or None where it is none."""
    if not _DATE.fullmatch(text):
        return None
    try:
        made = date.fromisoformat(text)
    except ValueError:
        return None
    return made if _FIRST <= made.year <= _LAST else None


def read_time(text: str) -> datetime | None:
    """An RFC 3339 time, aware if it has an offset; None where it is none. Fractions of a second are dropped."""
    if not _TIME.fullmatch(text):
        return None
    try:
        made = datetime.fromisoformat(text.upper()).replace(microsecond=0)
    except ValueError:
        return None
    return made if _FIRST <= made.year <= _LAST else None


def read_bound(text: str) -> datetime | None:
    """A bound of a query in UTC: a time with its offset. Years beyond those of events are as good as the first and last of them."""
    if not _TIME.fullmatch(text):
        return None
    try:
        made = datetime.fromisoformat(text.upper())
    except ValueError:
        return None
    if made.tzinfo is None:
        return None
    if made.year <= _FIRST or made.year >= _LAST:
        made = made.replace(year=_FIRST if made.year <= _FIRST else _LAST, month=1, day=1)
    return made.astimezone(UTC)


def instant(when: Json, fallback: str) -> datetime:
    """When a stored time is, in UTC; a whole day begins at midnight in the calendar's time zone (`fallback`)."""
    if "dateTime" in when:
        return datetime.fromisoformat(when["dateTime"]).astimezone(UTC)
    day = date.fromisoformat(when["date"])
    return datetime.combine(day, time(), zone(fallback) or UTC).astimezone(UTC)


def stamp(moment: datetime) -> str:
    """RFC 3339, UTC as Z."""
    return moment.isoformat().replace("+00:00", "Z")


def millis(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def shown(when: Json, name: str) -> Json:
    """A stored time as it is answered, in the time zone of the response."""
    if "dateTime" not in when:
        return {"date": when["date"]}
    moment = datetime.fromisoformat(when["dateTime"]).astimezone(zone(name) or UTC)
    return {"dateTime": stamp(moment), **({"timeZone": when["timeZone"]} if when.get("timeZone") else {})}


def whole(when: Json) -> bool:
    """Whether it is a whole day."""
    return "date" in when


def local(when: Json, fallback: str) -> datetime:
    """A stored time on the wall clock of its own time zone, without it."""
    if "date" in when:
        return datetime.combine(date.fromisoformat(when["date"]), time())
    own = zone(when.get("timeZone") or fallback) or UTC
    return datetime.fromisoformat(when["dateTime"]).astimezone(own).replace(tzinfo=None)


def placed(moment: datetime, like: Json, fallback: str) -> Json:
    """A wall clock time as a stored time of the same form and zone as another one."""
    if "date" in like:
        return {"date": moment.date().isoformat()}
    name = like.get("timeZone") or fallback
    aware = moment.replace(tzinfo=zone(name) or UTC)
    # A wall clock time that daylight saving skips is moved on to one that there is.
    aware = aware.astimezone(UTC).astimezone(aware.tzinfo)
    return {"dateTime": aware.isoformat(), **({"timeZone": like["timeZone"]} if like.get("timeZone") else {})}


def mark(when: Json, fallback: str) -> str:
    """The end of an occurrence's id: its original start."""
    if "date" in when:
        return when["date"].replace("-", "")
    return instant(when, fallback).strftime("%Y%m%dT%H%M%SZ")


def later(when: Json, by: timedelta) -> Json:
    """A stored time, later by an absolute duration."""
    if "date" in when:
        return {"date": (date.fromisoformat(when["date"]) + by).isoformat()}
    return {**when, "dateTime": (datetime.fromisoformat(when["dateTime"]) + by).isoformat()}
