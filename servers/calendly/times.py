"""Times as Calendly writes them: UTC with microseconds; days; hours of a day local to a time zone."""

import re
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from . import errors

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d)?")
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+\-]*(/[A-Za-z0-9_+\-]+)*")
_CLOCK = re.compile(r"([01]\d|2[0-3]):([0-5]\d)|24:00")
_FIRST, _LAST = 1970, 2200
"""Years that times may lie in."""


def stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def short(moment: datetime) -> str:
    """The form of available times, which are whole minutes."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def moment(text: str) -> datetime:
    """A stored time."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)


def parse(text: str) -> datetime | None:
    """A caller's ISO 8601 time, UTC where it has no offset; 24:00 ends its day. None where it is none."""
    if not _TIME.fullmatch(text):
        return None
    late = text[11:16] == "24:00"
    try:
        made = datetime.fromisoformat((text[:11] + "00" + text[13:] if late else text).upper())
        made = made if made.tzinfo else made.replace(tzinfo=UTC)
        made = made.astimezone(UTC) + timedelta(days=late)
    except (ValueError, OverflowError):
        return None
    return made if _FIRST <= made.year < _LAST else None


def instant(text: str, parameter: str) -> datetime:
    """The time that a parameter gives."""
    made = parse(text)
    if made is None:
        raise errors.invalid((parameter, "must be a time in UTC as 2026-01-02T03:04:05Z"))
    return made


def day(text: str, parameter: str) -> date:
    """The day that a parameter gives."""
    try:
        made = date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else None
    except ValueError:
        made = None
    if made is None or not _FIRST <= made.year < _LAST:
        raise errors.invalid((parameter, "must be a date as 2026-01-02"))
    return made


@cache
def zone(name: str) -> ZoneInfo | None:
    """The IANA time zone of this name, or None."""
    if not _ZONE.fullmatch(name):
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def known_zone(name: str) -> ZoneInfo:
    """A stored time zone's rules."""
    return zone(name) or ZoneInfo("UTC")


def check_zone(name: str, parameter: str) -> str:
    if zone(name) is None:
        raise errors.invalid((parameter, "must be an IANA time zone as Europe/London"))
    return name


def minutes(text: str) -> int:
    """`09:30` as minutes of the day."""
    hours, rest = text.split(":")
    return int(hours) * 60 + int(rest)


def check_rules(rules: list[Any], parameter: str) -> list[dict[str, Any]]:
    """A caller's availability rules as they are kept."""
    kept = list[dict[str, Any]]()
    for number, rule in enumerate(rules):
        place = f"{parameter}[{number}]"
        kind, name = rule["type"], rule.get(rule["type"])
        if not name:
            raise errors.invalid((f"{place}.{kind}", "is missing"))
        if kind == "date":
            day(name, f"{place}.date")
        intervals = list[dict[str, str]]()
        for at, interval in enumerate(rule["intervals"]):
            start, end = interval.get("from", ""), interval.get("to", "")
            if not (_CLOCK.fullmatch(start) and _CLOCK.fullmatch(end)):
                raise errors.invalid((f"{place}.intervals[{at}]", "must have `from` and `to` as hh:mm"))
            if minutes(start) >= minutes(end):
                raise errors.invalid((f"{place}.intervals[{at}].to", "must be after from"))
            intervals.append({"from": start, "to": end})
        kept.append({"type": kind, kind: name, "intervals": intervals})
    return kept
