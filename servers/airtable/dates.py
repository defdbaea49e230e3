"""Dates as text and back: the format tokens of DATETIME_FORMAT and DATETIME_PARSE, and what people type."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from dateutil import parser as dateutil_parser

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_TOKEN = re.compile(
    r"\[([^\]]*)\]|(LLLL|LLL|LL|LTS|LT|L|llll|lll|ll|l|YYYY|YY|Qo|Q|MMMM|MMM|MM|Mo|M|DDDD|DDDo|DDD|DD|Do|D|dddd|ddd|dd|do|d|E|e|"
    r"GGGG|GG|gggg|gg|WW|Wo|W|ww|wo|w|HH|H|hh|h|kk|k|mm|m|ss|s|SSS|SS|S|A|a|ZZ|Z|z|X|x)"
)
_LONG = {
    "LLLL": "dddd, MMMM D, YYYY h:mm A", "LLL": "MMMM D, YYYY h:mm A", "LL": "MMMM D, YYYY", "L": "MM/DD/YYYY", "LTS": "h:mm:ss A",
    "LT": "h:mm A", "llll": "ddd, MMM D, YYYY h:mm A", "lll": "MMM D, YYYY h:mm A", "ll": "MMM D, YYYY", "l": "M/D/YYYY",
}  # fmt: skip
LONGEST = 200


def zone(name: str) -> tzinfo | None:
    """A time zone by its name; None where there is none of that name."""
    if name.casefold() in ("utc", "gmt", "client"):
        return UTC
    return _zone(name)


@lru_cache(maxsize=200)
def _zone(name: str) -> tzinfo | None:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}", name) or len(name) > 60:
        return None
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, LookupError):
        return None


def ordinal(number: int) -> str:
    if 10 < number % 100 < 14:
        return f"{number}th"
    return f"{number}{('th', 'st', 'nd', 'rd', *['th'] * 6)[number % 10]}"


def sunday_first(at: datetime) -> int:
    """The day of the week, Sunday 0."""
    return at.isoweekday() % 7


def week_number(at: datetime, start: int = 0) -> int:
    """The number of the week in the year, weeks beginning on day `start` (Sunday 0) and the first holding January 1."""
    first = at.replace(month=1, day=1)
    return ((at.timetuple().tm_yday - 1) + (sunday_first(first) - start) % 7) // 7 + 1


def _offset(at: datetime, colon: bool) -> str:
    minutes = int((at.utcoffset() or timedelta()).total_seconds() // 60)
    sign, minutes = "-" if minutes < 0 else "+", abs(minutes)
    return f"{sign}{minutes // 60:02}{':' if colon else ''}{minutes % 60:02}"


_PARTS: dict[str, Callable[[datetime], str]] = {
    "YYYY": lambda t: f"{t.year:04}",
    "YY": lambda t: f"{t.year % 100:02}",
    "Q": lambda t: str((t.month + 2) // 3),
    "Qo": lambda t: ordinal((t.month + 2) // 3),
    "MMMM": lambda t: MONTHS[t.month - 1],
    "MMM": lambda t: MONTHS[t.month - 1][:3],
    "MM": lambda t: f"{t.month:02}",
    "M": lambda t: str(t.month),
    "Mo": lambda t: ordinal(t.month),
    "DDDD": lambda t: f"{t.timetuple().tm_yday:03}",
    "DDD": lambda t: str(t.timetuple().tm_yday),
    "DDDo": lambda t: ordinal(t.timetuple().tm_yday),
    "DD": lambda t: f"{t.day:02}",
    "D": lambda t: str(t.day),
    "Do": lambda t: ordinal(t.day),
    "dddd": lambda t: DAYS[sunday_first(t)],
    "ddd": lambda t: DAYS[sunday_first(t)][:3],
    "dd": lambda t: DAYS[sunday_first(t)][:2],
    "d": lambda t: str(sunday_first(t)),
    "do": lambda t: ordinal(sunday_first(t)),
    "e": lambda t: str(sunday_first(t)),
    "E": lambda t: str(t.isoweekday()),
    "GGGG": lambda t: f"{t.isocalendar().year:04}",
    "GG": lambda t: f"{t.isocalendar().year % 100:02}",
    "gggg": lambda t: f"{t.year:04}",
    "gg": lambda t: f"{t.year % 100:02}",
    "WW": lambda t: f"{t.isocalendar().week:02}",
    "W": lambda t: str(t.isocalendar().week),
    "Wo": lambda t: ordinal(t.isocalendar().week),
    "ww": lambda t: f"{week_number(t):02}",
    "w": lambda t: str(week_number(t)),
    "wo": lambda t: ordinal(week_number(t)),
    "HH": lambda t: f"{t.hour:02}",
    "H": lambda t: str(t.hour),
    "hh": lambda t: f"{t.hour % 12 or 12:02}",
    "h": lambda t: str(t.hour % 12 or 12),
    "kk": lambda t: f"{t.hour or 24:02}",
    "k": lambda t: str(t.hour or 24),
    "mm": lambda t: f"{t.minute:02}",
    "m": lambda t: str(t.minute),
    "ss": lambda t: f"{t.second:02}",
    "s": lambda t: str(t.second),
    "SSS": lambda t: f"{t.microsecond // 1000:03}",
    "SS": lambda t: f"{t.microsecond // 10000:02}",
    "S": lambda t: str(t.microsecond // 100000),
    "A": lambda t: "AM" if t.hour < 12 else "PM",
    "a": lambda t: "am" if t.hour < 12 else "pm",
    "Z": lambda t: _offset(t, True),
    "ZZ": lambda t: _offset(t, False),
    "z": lambda t: t.tzname() or "UTC",
    "X": lambda t: str(int(t.timestamp())),
    "x": lambda t: str(int(t.timestamp()) * 1000 + t.microsecond // 1000),
}


def formatted(at: datetime, pattern: str) -> str:
    """A time by a format of such tokens; text in brackets stands for itself."""

    def put(found: re.Match[str]) -> str:
        if found[1] is not None:
            return found[1]
        token = found[2]
        return formatted(at, _LONG[token]) if token in _LONG else _PARTS[token](at)

    return _TOKEN.sub(put, pattern)


_NUMBERS = {
    "YYYY": ("year", r"\d{4}"), "YY": ("short", r"\d{2}"), "MM": ("month", r"\d{1,2}"), "M": ("month", r"\d{1,2}"),
    "DD": ("day", r"\d{1,2}"), "D": ("day", r"\d{1,2}"), "Do": ("day", r"\d{1,2}(?:st|nd|rd|th)"), "HH": ("hour", r"\d{1,2}"),
    "H": ("hour", r"\d{1,2}"), "hh": ("hour", r"\d{1,2}"), "h": ("hour", r"\d{1,2}"), "mm": ("minute", r"\d{1,2}"),
    "m": ("minute", r"\d{1,2}"), "ss": ("second", r"\d{1,2}"), "s": ("second", r"\d{1,2}"), "SSS": ("milli", r"\d{3}"),
    "X": ("epoch", r"-?\d{1,11}"), "x": ("millis", r"-?\d{1,14}"),
}  # fmt: skip
_WORDS = {
    "MMMM": ("name", "|".join(MONTHS)), "MMM": ("name", "|".join(m[:3] for m in MONTHS)), "A": ("half", "am|pm"), "a": ("half", "am|pm"),
    "dddd": ("", "|".join(DAYS)), "ddd": ("", "|".join(d[:3] for d in DAYS)), "Z": ("offset", r"[+-]\d\d:?\d\d|Z"),
    "ZZ": ("offset", r"[+-]\d\d:?\d\d|Z"),
}  # fmt: skip


@lru_cache(maxsize=100)
def _reader(pattern: str) -> tuple[re.Pattern[str], tuple[str, ...]] | None:
    for token, long in _LONG.items():
        pattern = re.sub(rf"(?<![A-Za-z\[]){token}(?![A-Za-z])", long, pattern)
    names, made, last = list[str](), list[str](), 0
    for found in _TOKEN.finditer(pattern):
        made.append(re.escape(pattern[last : found.start()]))
        last = found.end()
        if found[1] is not None:
            made.append(re.escape(found[1]))
            continue
        known = _NUMBERS.get(found[2]) or _WORDS.get(found[2])
        if known is None:
            return None
        names.append(known[0])
        made.append(f"({known[1]})")
    made.append(re.escape(pattern[last:]))
    return re.compile(r"\s*" + "".join(made) + r"\s*", re.IGNORECASE), tuple(names)


def read_as(text: str, pattern: str) -> datetime | None:
    """A time spelt by a format; None where the text is not so spelt."""
    reader = _reader(pattern) if len(pattern) <= LONGEST else None
    found = reader[0].fullmatch(text[:LONGEST]) if reader else None
    if reader is None or found is None:
        return None
    got = dict(zip(reader[1], found.groups(), strict=True))
    try:
        if "epoch" in got or "millis" in got:
            seconds = int(got["epoch"]) if "epoch" in got else int(got["millis"]) / 1000
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
        year = int(got.get("year") or 0)
        if "short" in got:
            year = int(got["short"]) + (1900 if int(got["short"]) > 68 else 2000)
        month = int(got.get("month") or 1)
        if "name" in got:
            month = next(n for n, m in enumerate(MONTHS, 1) if m[:3].lower() == got["name"][:3].lower())
        hour = int(got.get("hour") or 0)
        if "half" in got:
            hour = hour % 12 + (12 if got["half"].lower() == "pm" else 0)
        day = int(re.sub(r"\D", "", got.get("day") or "1"))
        made = datetime(
            year or 2001, month, day, hour, int(got.get("minute") or 0), int(got.get("second") or 0),
            int(got.get("milli") or 0) * 1000, tzinfo=UTC,
        )  # fmt: skip
        if (offset := got.get("offset")) and offset.upper() != "Z":
            minutes = int(offset[1:3]) * 60 + int(offset[-2:])
            made -= timedelta(minutes=minutes if offset[0] == "+" else -minutes)
    except (ValueError, OverflowError):
        return None
    return made


def typed(text: str, now: datetime, day_first: bool = False) -> datetime | None:
    """A date as people type it; what they leave out is taken from the current year. None where it is no date."""
    if not text.strip() or len(text) > LONGEST or not re.search(r"\d", text):
        return None
    default = datetime(now.year, 1, 1, tzinfo=UTC)
    try:
        iso = datetime.fromisoformat(text.strip())
    except ValueError:
        try:
            iso = dateutil_parser.parse(text, default=default, dayfirst=day_first)
        except (ValueError, OverflowError, TypeError):
            return None
    try:
        return (iso if iso.tzinfo else iso.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
