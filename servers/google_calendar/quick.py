"""events.quickAdd: a line of English as an event's body. What is no day, time or duration is the title."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from legoenv_mcp.app import Ctx

from . import when

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LENGTH = timedelta(hours=1)
_MONTH = (
    r"(?P<month{n}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_CLOCK = r"(?:(?P<hour{n}>\d{{1,2}})(?::(?P<minute{n}>\d\d))?\s*(?P<half{n}>am|pm)?|(?P<word{n}>noon|midday|midnight))"
_DAY = re.compile(
    r"\b(?:on\s+)?(?:(?P<iso>\d{4}-\d\d-\d\d)|(?P<near>today|tonight|tomorrow)"
    r"|(?P<next>next\s+|this\s+)?(?P<week>mon|tues|wednes|thurs|fri|satur|sun)day"
    rf"|{_MONTH.format(n=1)}\s+(?P<date1>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<year1>\d{{4}}))?"
    rf"|(?P<date2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH.format(n=2)}(?:\s+(?P<year2>\d{{4}}))?)(?!\w)",
    re.IGNORECASE,
)
_SPAN = re.compile(
    rf"(?<![\w:])(?:(?P<lead>at|from|between)\s+)?{_CLOCK.format(n=1)}(?:\s*(?:-|–|to|until|and)\s*{_CLOCK.format(n=2)})?(?![\w:])",
    re.IGNORECASE,
)
_FOR = re.compile(r"\bfor\s+(?P<number>\d{1,3})\s*(?P<unit>minutes?|mins?|hours?|hrs?|h|m)(?!\w)", re.IGNORECASE)


def read(ctx: Ctx, text: str, zone: str) -> dict[str, Any]:
    """The body of the event. Without a day it is today (tomorrow if the time has passed), without a time the whole day."""
    now = ctx.now.astimezone(when.zone(zone) or UTC)
    rest, day, length = text.strip()[:1000], None, None
    for found in _DAY.finditer(rest):
        if (day := _day(found, now.date())) is not None:
            rest = _without(rest, found)
            break
    if found := _FOR.search(rest):
        size = int(found["number"])
        length = timedelta(hours=size) if found["unit"][0].lower() == "h" else timedelta(minutes=size)
        rest = _without(rest, found)
    clocks: list[time] = []
    for found in _SPAN.finditer(rest):
        if clocks := _clocks(found):
            rest = _without(rest, found)
            break
    title = " ".join(rest.split()).strip(" ,;-") or text.strip()
    if not clocks and day is not None:
        return {
            "summary": title,
            "start": {"date": day.isoformat()},
            "end": {"date": (day + timedelta(days=1)).isoformat()},
        }
    if not clocks:
        start = now.replace(second=0, microsecond=0, tzinfo=None)
        return _timed(title, start, start + (length or _LENGTH), zone)
    if day is None:
        day = now.date() if clocks[0] > now.time() else now.date() + timedelta(days=1)
    start = datetime.combine(day, clocks[0])
    end = datetime.combine(day, clocks[1]) if len(clocks) > 1 else start + (length or _LENGTH)
    return _timed(title, start, end if end > start else end + timedelta(days=1), zone)


def _timed(title: str, start: datetime, end: datetime, zone: str) -> dict[str, Any]:
    times = {
        name: {"dateTime": moment.isoformat(), "timeZone": zone} for name, moment in (("start", start), ("end", end))
    }
    return {"summary": title, **times}


def _without(text: str, found: re.Match[str]) -> str:
    return f"{text[: found.start()]} {text[found.end() :]}"


def _day(found: re.Match[str], today: date) -> date | None:
    """The day that is meant: the coming one where no year is named."""
    if found["iso"]:
        return when.read_date(found["iso"])
    if found["near"]:
        return today + timedelta(days=found["near"].lower() == "tomorrow")
    if found["week"]:
        ahead = (_DAYS.index(found["week"].lower()[:3]) - today.weekday()) % 7
        return today + timedelta(days=ahead or 7)
    n = "1" if found["month1"] else "2"
    month, number, year = _MONTHS.index(found[f"month{n}"].lower()[:3]) + 1, found[f"date{n}"], found[f"year{n}"]
    made = when.read_date(f"{year or today.year:0>4}-{month:02}-{number:0>2}")
    if made is not None and year is None and made < today:
        made = when.read_date(f"{today.year + 1}-{month:02}-{number:0>2}")
    return made


def _clocks(found: re.Match[str]) -> list[time]:
    """The time or times of a span; none where the numbers are no times, or could as well be something else."""
    known = found["half1"] or found["word1"] or found["minute1"] or found["half2"] or found["word2"] or found["minute2"]
    if not known and not (found["lead"] and (found["lead"].lower() != "at" or found["hour2"])):
        return []
    # In `3-4pm` the afternoon is said once for both.
    first = _clock(found, 1, found["half1"] or (found["half2"] if _before(found) else None))
    if first is None:
        return []
    if not (found["hour2"] or found["word2"]):
        return [first]
    second = _clock(found, 2, found["half2"])
    return [first] if second is None else [first, second]


def _before(found: re.Match[str]) -> bool:
    return bool(found["hour1"] and found["hour2"]) and int(found["hour1"]) % 12 <= int(found["hour2"]) % 12


def _clock(found: re.Match[str], n: int, half: str | None) -> time | None:
    if word := found[f"word{n}"]:
        return time(0) if word.lower() == "midnight" else time(12)
    hour, minute = int(found[f"hour{n}"]), int(found[f"minute{n}"] or 0)
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half.lower() == "pm" else 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None
