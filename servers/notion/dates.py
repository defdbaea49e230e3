"""Dates and times: how they are checked, kept and shown. https://developers.notion.com/reference/property-value-object#date-property-values"""

import re
from datetime import UTC, datetime, timedelta
from datetime import date as day_of
from typing import Any
from zoneinfo import ZoneInfo

from legoenv_mcp.app import Ctx

from .check import an_object, nullable, obj, refuse, text, validation

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}.*")


def moment(value: str) -> datetime:
    """A date or time as an instant; a date is its midnight, UTC. ValueError where it is neither."""
    made = datetime.fromisoformat(value)
    return made if made.tzinfo else made.replace(tzinfo=UTC)


def shown_time(stored: str) -> str:
    """A time as answers show it: to the minute."""
    return moment(stored).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:00.000Z")


def a_date(_ctx: Ctx, value: Any, path: str) -> str:
    """An ISO 8601 date or time, as answers show it."""
    if not isinstance(value, str):
        refuse(path, "a string", value)
    try:
        if _DAY.fullmatch(value):
            return day_of.fromisoformat(value).isoformat()
        if not _TIME.fullmatch(value):
            raise ValueError(value)
        made = moment(value)
        made.astimezone(UTC)
        if made.utcoffset() is None or (made.utcoffset() or timedelta()).total_seconds() % 60:
            raise ValueError(value)
    except (ValueError, OverflowError):
        refuse(path, "a valid ISO 8601 date string", value)
    return made.isoformat(timespec="milliseconds")


def _zone(ctx: Ctx, value: Any, path: str) -> str:
    name = text(100)(ctx, value, path)
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        refuse(path, "a valid time zone", value)
    return name


_fields = obj({"start": a_date, "end": nullable(a_date), "time_zone": nullable(_zone)}, ("start",))


def date(ctx: Ctx, value: Any, path: str) -> dict[str, Any]:
    """{"start", "end", "time_zone"}."""
    given = an_object(value, path)
    made = _fields(ctx, given, path)
    start, end = made["start"], made.get("end")
    if made.get("time_zone"):
        start = _placed(ctx, start, given["start"], made["time_zone"], f"{path}.start")
        end = end and _placed(ctx, end, given["end"], made["time_zone"], f"{path}.end")
    if end is not None:
        if (len(start) == 10) != (len(end) == 10):
            raise validation("Start and end dates must both include time or both exclude time.")
        if moment(end) < moment(start):
            raise validation("Start date must be before end date.")
    return {"start": start, "end": end, "time_zone": None}


def _placed(ctx: Ctx, checked: str, given: str, zone: str, path: str) -> str:
    """A time of a time zone, with that zone's offset: `time_zone` is told in requests, and shown as the offset."""
    made = datetime.fromisoformat(given)
    if len(checked) == 10 or made.tzinfo is not None:
        refuse(path, "a time without a UTC offset, as time_zone is given", given)
    return a_date(ctx, made.replace(tzinfo=ZoneInfo(zone)).isoformat(), path)
