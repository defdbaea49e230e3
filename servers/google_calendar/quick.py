"""events.quickAdd: a line of English as an event's body. What is no day, time or duration is the title."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from legoenv_mcp.app import Ctx

from . import when
from .models import Setting

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LENGTH = timedelta(hours=1)
_MONTH = (
    r"(?P<month{n}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_CLOCK = r"(?:(?P<hour{n}>\d{{1,2}})(?::(?P<minute{n}>\d\d))?\s*(?P<half{n}>am|pm)?|(?P<word{n}>noon|midday|midnight))"
_DAY = re.compile(
    r"\b(?:on\s+)?(?:(?P<iso>\d{4}-\d\d-\d\d)|(?:the\s+)?(?P<near>today|tonight|day\s+after\s+tomorrow|tomorrow)"
    r"|(?P<next>next\s+|this\s+)?(?P<week>mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|(?P<short>mon|tues?|wed|thu(?:rs)?|fri|sat|sun)(?=\.?,?\s+(?:at\s|from\s|noon|\d)|\s*$)\.?"
    r"|(?P<slash>\d{1,2}/\d{1,2}/\d{4})"
    rf"|{_MONTH.format(n=1)}\s+(?P<date1>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<year1>\d{{4}}))?"
    rf"|(?P<date2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH.format(n=2)}(?:\s+(?P<year2>\d{{4}}))?)(?!\w)",
    re.IGNORECASE,
)
_SPAN = re.compile(
    rf"(?<![\w:])(?:(?P<lead>at|from|between)\s+)?{_CLOCK.format(n=1)}(?:\s*(?:-|–|to|until|and)\s*{_CLOCK.format(n=2)})?(?![\w:])",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    rf"^\s*(?:-|–|to|until|through)\s*(?:{_MONTH.format(n=3)}\s+)?(?P<date3>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:]|\s*(?:am|pm)\b)",
    re.IGNORECASE,
)
_EVERY = re.compile(
    r"\bevery\s+(?:(?P<unit>day|weekday|week|month|year)|(?P<weekday>mon|tues|wednes|thurs|fri|satur|sun)day)(?!\w)",
    re.IGNORECASE,
)
_RULES = {
    "day": "DAILY",
    "week": "WEEKLY",
    "month": "MONTHLY",
    "year": "YEARLY",
    "weekday": "WEEKLY;BYDAY=MO,TU,WE,TH,FR",
}
_ENDS = re.compile(r"\s*(?:$|[,;.]|(?:for|on|with|in|at|every)\b)", re.IGNORECASE)
"""What may follow an hour that is only that, as in `at 10`."""
_IN = re.compile(r"\bin\s+(?P<number>\d{1,3})\s*(?P<unit>minutes?|mins?|hours?|hrs?)(?!\w)", re.IGNORECASE)
_FOR = re.compile(r"\bfor\s+(?P<number>\d{1,3})\s*(?P<unit>minutes?|mins?|hours?|hrs?|h|m)(?!\w)", re.IGNORECASE)


def read(ctx: Ctx, text: str, zone: str) -> dict[str, Any]:
    """The body of the event. Without a day it is today (tomorrow if the time has passed), without a time the whole day."""
    now = ctx.now.astimezone(when.zone(zone) or UTC)
    rest, day, last, length, rule = text.strip()[:1000], None, None, None, dict[str, Any]()
    if found := _EVERY.search(rest):
        rest = _without(rest, found)
        rule = {"recurrence": [_rule(found)]}
        if name := found["weekday"]:
            day = now.date() + timedelta(days=(_DAYS.index(name.lower()[:3]) - now.weekday()) % 7)
    for found in _DAY.finditer(rest):
        if (read_day := _day(ctx, found, now.date())) is not None:
            day = read_day
            after = _UNTIL.match(rest[found.end() :]) if found["month1"] else None
            last = _last(after, day) if after else None
            rest = rest[: found.start()] + " " + rest[found.end() + (after.end() if after and last else 0) :]
            break
    if found := _FOR.search(rest):
        length = _length(found)
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
            "end": {"date": ((last or day) + timedelta(days=1)).isoformat()},
            **rule,
        }
    if not clocks:
        start = now.replace(second=0, microsecond=0, tzinfo=None)
        if found := _IN.search(rest):
            start += _length(found)
            title = " ".join(_without(rest, found).split()).strip(" ,;-") or title
        return {**_timed(title, start, start + (length or _LENGTH), zone), **rule}
    if day is None:
        day = now.date() if clocks[0] > now.time() else now.date() + timedelta(days=1)
    start = datetime.combine(day, clocks[0])
    end = datetime.combine(day, clocks[1]) if len(clocks) > 1 else start + (length or _LENGTH)
    return {**_timed(title, start, end if end > start else end + timedelta(days=1), zone), **rule}


def _timed(title: str, start: datetime, end: datetime, zone: str) -> dict[str, Any]:
    times = {
        name: {"dateTime": moment.isoformat(), "timeZone": zone} for name, moment in (("start", start), ("end", end))
    }
    return {"summary": title, **times}


def _length(found: re.Match[str]) -> timedelta:
    size = int(found["number"])
    return timedelta(hours=size) if found["unit"][0].lower() == "h" else timedelta(minutes=size)


def _rule(found: re.Match[str]) -> str:
    if unit := found["unit"]:
        return f"RRULE:FREQ={_RULES[unit.lower()]}"
    return f"RRULE:FREQ=WEEKLY;BYDAY={found['weekday'][:2].upper()}"


def _last(found: re.Match[str], first: date) -> date | None:
    """The last day of some that are named by the first and the last."""
    month = _MONTHS.index(found["month3"].lower()[:3]) + 1 if found["month3"] else first.month
    made = when.read_date(f"{first.year}-{month:02}-{found['date3']:0>2}")
    return made if made is not None and made > first else None


def _without(text: str, found: re.Match[str]) -> str:
    return f"{text[: found.start()]} {text[found.end() :]}"


def _day(ctx: Ctx, found: re.Match[str], today: date) -> date | None:
    """The day that is meant: the coming one where no year is named."""
    if found["iso"]:
        return when.read_date(found["iso"])
    if found["near"]:
        near = found["near"].lower()
        return today + timedelta(days=2 if near.startswith("day") else near == "tomorrow")
    if found["slash"]:
        order = ctx.db.get(Setting, "dateFieldOrder")
        one, two, year = found["slash"].split("/")
        day, month = (two, one) if order is not None and order.value == "MDY" else (one, two)
        return when.read_date(f"{year}-{month:0>2}-{day:0>2}")
    if week := found["week"] or found["short"]:
        ahead = (_DAYS.index(week.lower()[:3]) - today.weekday()) % 7
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
    lead = (found["lead"] or "").lower()
    if not known and not (lead and (lead != "at" or found["hour2"] or _ENDS.match(found.string, found.end()))):
        return []
    # In `3-4pm` the afternoon is said once for both. `At 3` is in the afternoon, `at 10` in the morning.
    half = found["half1"] or (found["half2"] if _before(found) else None)
    first = _clock(found, 1, half or ("pm" if not known and 1 <= int(found["hour1"] or 0) <= 6 else None))
    if first is None:
        return []
    if not (found["hour2"] or found["word2"]):
        return [first]
    second = _clock(found, 2, found["half2"])
    if second is None:
        return [first]
    if not found["half2"] and second <= first and second.hour < 12 and (found["half1"] or not found["minute2"]):
        later = second.replace(hour=second.hour + 12)  # `2pm to 3`, `9 to 5`
        second = later if later > first else second
    return [first, second]


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
