"""Dates, times and intervals: reading what people write, and printing as the ISO date style does."""

import re
from calendar import monthrange
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo

from .errors import SqlError

DAY = 86_400_000_000
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_ISO = re.compile(
    r"(\d{4,})-(\d{1,2})-(\d{1,2})|(\d{4})(\d{2})(\d{2})(?!\d)|(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})|(\d{4})/(\d{1,2})/(\d{1,2})"
)
_CLOCK = re.compile(r"(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,](\d+))?)?\s*([ap]m\b)?", re.IGNORECASE)
_BASIC = re.compile(r"^t(\d{2})(\d{2})(\d{2})?")
_ABBREVIATIONS = {
    "z": 0, "utc": 0, "gmt": 0, "wet": 0, "bst": 1, "cet": 1, "west": 1, "cest": 2, "eet": 2, "eest": 3, "msk": 3, "jst": 9,
    "edt": -4, "est": -5, "cdt": -5, "cst": -6, "mdt": -6, "mst": -7, "pdt": -7, "pst": -8,
}  # fmt: skip
"""Hours east of Greenwich."""
_OFFSET = re.compile(r"([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?$")
_UNITS = {
    "microsecond": (0, 0, 1), "us": (0, 0, 1), "millisecond": (0, 0, 1000), "ms": (0, 0, 1000), "msec": (0, 0, 1000), "second": (0, 0,
    1_000_000), "sec": (0, 0, 1_000_000),
    "s": (0, 0, 1_000_000), "minute": (0, 0, 60_000_000), "min": (0, 0, 60_000_000), "m": (0, 0, 60_000_000), "hour": (0, 0, 3_600_000_000),
    "hr": (0, 0, 3_600_000_000), "h": (0, 0, 3_600_000_000), "day": (0, 1, 0), "d": (0, 1, 0), "week": (0, 7, 0), "w": (0, 7, 0),
    "month": (1, 0, 0),
    "mon": (1, 0, 0), "year": (12, 0, 0), "yr": (12, 0, 0), "y": (12, 0, 0), "decade": (120, 0, 0), "century": (1200, 0, 0),
    "centurie": (1200, 0, 0), "millennium": (12000, 0, 0), "millennia": (12000, 0, 0),
}  # fmt: skip
_PART = re.compile(
    r"([+-]?\d+(?:\.\d*)?|[+-]?\.\d+)\s*([a-z]+)|([+-]?)(\d+):(\d{2})(?::(\d{2}(?:\.\d+)?))?|([+-]?\d+)-(\d+)|([+-]?\d+(?:\.\d*)?)$"
)


class Interval(NamedTuple):
    months: int = 0
    days: int = 0
    micros: int = 0

    @property
    def span(self) -> int:
        """What intervals are compared by: months of 30 days of 24 hours."""
        return (self.months * 30 + self.days) * DAY + self.micros


def zone(name: str) -> tzinfo:
    if name.upper() in ("UTC", "GMT", "Z", "ETC/UTC", "ZULU"):
        return UTC
    if found := _OFFSET.fullmatch(name):
        return _offset(found)
    try:
        return ZoneInfo(name) if "/" in name or name.isalpha() else _no_zone(name)
    except (ValueError, OSError, LookupError):
        for known in ("Europe/" + name.title(), "America/" + name.title()):
            del known
        return _no_zone(name)


def _no_zone(name: str) -> tzinfo:
    raise SqlError("22023", f'time zone "{name}" not recognized')


def _offset(found: re.Match[str]) -> tzinfo:
    sign, hours, minutes, seconds = found.groups()
    span = timedelta(hours=int(hours), minutes=int(minutes or 0), seconds=int(seconds or 0))
    if span > timedelta(hours=15, minutes=59):
        raise SqlError("22009", f"time zone displacement out of range: {found[0]!r}".replace("'", '"'))
    return timezone(span if sign == "+" else -span)


def read_date(text: str, now: datetime) -> date:
    return read_timestamp(text, now, "date").date()


def read_timestamp(text: str, now: datetime, kind: str = "timestamp") -> datetime:
    """A naive moment, or one with the zone that the text names."""
    given = text.strip()
    lower = given.lower()
    words = {
        "now": now,
        "today": now.replace(hour=0, minute=0, second=0, microsecond=0),
        "epoch": datetime(1970, 1, 1, tzinfo=UTC),
    }
    words["tomorrow"], words["yesterday"] = words["today"] + timedelta(1), words["today"] - timedelta(1)
    if lower in words:
        return words[lower]
    if lower in ("infinity", "-infinity"):
        raise SqlError("0A000", f"infinite {kind} values are not supported")
    bad = SqlError("22007", f'invalid input syntax for type {_long(kind)}: "{text}"')
    rest, day = lower, None
    if found := _ISO.match(rest):
        day = _numbers(found)
        rest = rest[found.end() :]
    else:
        day, rest = _worded(rest, bad)
    rest = _BASIC.sub(lambda t: ":".join(p for p in t.groups() if p), rest, count=1).removeprefix("t").strip()
    hour = minute = second = micros = 0
    if found := _CLOCK.match(rest):
        hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
        micros = int(((found[4] or "") + "0000000")[:6]) + (len(found[4] or "") > 6 and found[4][6] >= "5")
        if found[5]:
            hour = hour % 12 + (12 if found[5] == "pm" else 0)
        rest = rest[found.end() :].strip()
    where: tzinfo | None = None
    if rest:
        if found := _OFFSET.fullmatch(rest):
            where = _offset(found)
        elif rest in _ABBREVIATIONS:
            where = timezone(timedelta(hours=_ABBREVIATIONS[rest]))
        elif re.fullmatch(r"[a-z_]+(/[a-z_]+)*", rest) and "/" in rest:
            where = zone(given[-len(rest) :])
        else:
            raise bad
    year, month, dom = day
    try:
        extra = (
            timedelta(days=1)
            if hour == 24 and not minute and not second
            else timedelta(seconds=1)
            if second == 60
            else timedelta()
        )
        if micros >= 1_000_000:
            micros, extra = 0, extra + timedelta(seconds=1)
        return (
            datetime(year, month, dom, 0 if hour == 24 else hour, minute, 59 if second == 60 else second, micros, where)
            + extra
        )
    except (ValueError, OverflowError):
        hint = "" if month <= 12 else 'Perhaps you need a different "datestyle" setting.'
        raise SqlError("22008", f'date/time field value out of range: "{text}"', hint=hint) from None


def _long(kind: str) -> str:
    return {"timestamptz": "timestamp with time zone"}.get(kind, kind)


def _numbers(found: re.Match[str]) -> tuple[int, int, int]:
    g = found.groups()
    if g[0]:
        return int(g[0]), int(g[1]), int(g[2])
    if g[3]:
        return int(g[3]), int(g[4]), int(g[5])
    if g[6]:
        return int(g[8]), int(g[6]), int(g[7])
    return int(g[9]), int(g[10]), int(g[11])


def _worded(text: str, bad: SqlError) -> tuple[tuple[int, int, int], str]:
    """`March 4, 2026`, `4 Mar 2026`, `Mon Mar 4 2026`."""
    words, month, numbers, used = re.findall(r"[a-z]+|\d+|[^a-z\d]+", text), 0, list[int](), 0
    for word in words:
        if ":" in word or (len(numbers) == 2 and month):
            break
        used += len(word)
        if word.isalpha():
            if word[:3] in _MONTHS:
                month = _MONTHS.index(word[:3]) + 1
            elif word[:3] not in _DAYS:
                raise bad
        elif word.isdigit():
            numbers.append(int(word))
    if not month or len(numbers) != 2:
        raise bad
    day, year = numbers if numbers[0] <= 31 else numbers[::-1]
    return (year, month, day), text[used:]


def read_time(text: str) -> time:
    found = _CLOCK.fullmatch(text.strip().lower().removesuffix("z").strip()) or _CLOCK.match(text.strip())
    if found is None:
        raise SqlError("22007", f'invalid input syntax for type time: "{text}"')
    hour = int(found[1])
    if found[5]:
        hour = hour % 12 + (12 if found[5].lower() == "pm" else 0)
    try:
        return time(hour, int(found[2]), int(found[3] or 0), int(((found[4] or "") + "000000")[:6]))
    except ValueError:
        raise SqlError("22008", f'date/time field value out of range: "{text}"') from None


def read_interval(text: str) -> Interval:
    bad = SqlError("22007", f'invalid input syntax for type interval: "{text}"')
    given = text.strip().lower()
    if not given:
        raise bad
    if found := re.fullmatch(
        r"(-?)p(?:(-?[\d.]+)y)?(?:(-?[\d.]+)m)?(?:(-?[\d.]+)w)?(?:(-?[\d.]+)d)?(?:t(?:(-?[\d.]+)h)?(?:(-?[\d.]+)m)?(?:(-?[\d.]+)s)?)?",
        given,
    ):
        parts = zip(found.groups()[1:], ("year", "month", "week", "day", "hour", "minute", "second"), strict=True)
        given = " ".join(f"{n} {unit}" for n, unit in parts if n)
    ago = given.endswith(" ago")
    given = given.removesuffix(" ago").removeprefix("@").strip()
    months = days = micros = 0.0
    at = 0
    while at < len(given):
        if given[at] in " ,":
            at += 1
            continue
        found = _PART.match(given, at)
        if found is None:
            raise bad
        at = found.end()
        number, unit, sign, hours, minutes, seconds, years, further, bare = found.groups()
        if number is not None:
            weights = _UNITS.get(unit) or _UNITS.get(unit.removesuffix("s"))
            if weights is None:
                raise bad
            m, d, u = (float(number) * w for w in weights)
            # Fractions of a unit run over into the next smaller ones.
            months, rest = months + int(m), (m - int(m)) * 30
            d += rest
            days, micros = days + int(round(d, 9)), micros + u + round((d - int(round(d, 9))) * DAY)
        elif hours is not None:
            span = (int(hours) * 3600 + int(minutes) * 60 + float(seconds or 0)) * 1_000_000
            micros += -span if sign == "-" else span
        elif years is not None:
            months += int(years) * 12 + (-1 if years.startswith("-") else 1) * int(further)
        else:
            micros += float(bare) * 1_000_000
    made = Interval(int(months), int(days), round(micros))
    if max(abs(made.months), abs(made.days)) >= 2**31 or abs(made.micros) >= 2**63:
        raise SqlError("22015", f'interval field value out of range: "{text}"')
    return Interval(-made.months, -made.days, -made.micros) if ago else made


def print_interval(value: Interval) -> str:
    parts = list[str]()
    negative_before = False
    years, months = int(value.months / 12), value.months - int(value.months / 12) * 12
    for n, name in ((years, "year"), (months, "mon"), (value.days, "day")):
        if n:
            plus = "+" if negative_before and n > 0 else ""
            parts.append(f"{plus}{n} {name}{'' if n == 1 else 's'}")
            negative_before = n < 0
    if value.micros or not parts:
        n = abs(value.micros)
        sign = "-" if value.micros < 0 else "+" if negative_before else ""
        parts.append(
            f"{sign}{n // 3_600_000_000:02}:{n // 60_000_000 % 60:02}:{n // 1_000_000 % 60:02}{_fraction(n % 1_000_000)}"
        )
    return " ".join(parts)


def _fraction(micros: int) -> str:
    return f".{micros:06}".rstrip("0") if micros else ""


def print_time(value: time) -> str:
    return f"{value.hour:02}:{value.minute:02}:{value.second:02}{_fraction(value.microsecond)}"


def print_timestamp(value: datetime) -> str:
    return f"{value.year:04}-{value.month:02}-{value.day:02} {print_time(value.time())}"


def print_timestamptz(value: datetime, where: tzinfo) -> str:
    local = value.astimezone(where)
    offset = local.utcoffset() or timedelta()
    seconds = int(abs(offset).total_seconds())
    sign = "-" if offset < timedelta() else "+"
    minutes = seconds // 60 % 60
    return f"{print_timestamp(local)}{sign}{seconds // 3600:02}" + (f":{minutes:02}" if minutes else "")


def shift(value: datetime, by: Interval, sign: int = 1) -> datetime:
    """A moment moved by an interval: months first (to the last day where there is none such), then days, then time."""
    try:
        if by.months:
            total = value.year * 12 + value.month - 1 + sign * by.months
            year, month = divmod(total, 12)
            value = value.replace(year=year, month=month + 1, day=min(value.day, monthrange(year, month + 1)[1]))
        return value + timedelta(days=sign * by.days, microseconds=sign * by.micros)
    except (ValueError, OverflowError, IndexError):
        raise SqlError("22008", "timestamp out of range") from None


def between(later: datetime, earlier: datetime) -> Interval:
    """later - earlier: days and time."""
    micros = (later - earlier) // timedelta(microseconds=1)
    days = abs(micros) // DAY * (1 if micros >= 0 else -1)
    return Interval(0, days, micros - days * DAY)


def age(later: datetime, earlier: datetime) -> Interval:
    """The difference in years, months and days as people count them."""
    if later < earlier:
        made = age(earlier, later)
        return Interval(-made.months, -made.days, -made.micros)
    months = (later.year - earlier.year) * 12 + later.month - earlier.month
    days = later.day - earlier.day
    micros = (datetime.combine(date.min, later.time()) - datetime.combine(date.min, earlier.time())) // timedelta(
        microseconds=1
    )
    if micros < 0:
        micros, days = micros + DAY, days - 1
    if days < 0:
        days, months = days + monthrange(earlier.year, earlier.month)[1], months - 1
    return Interval(months, days, micros)


def justify(value: Interval) -> Interval:
    """Hours as days and days as months, every field of one sign."""
    days, micros = value.days + int(value.micros / DAY), value.micros - int(value.micros / DAY) * DAY
    months, days = value.months + int(days / 30), days - int(days / 30) * 30
    if months > 0 and (days < 0 or (not days and micros < 0)):
        months, days = months - 1, days + 30
    elif months < 0 and (days > 0 or (not days and micros > 0)):
        months, days = months + 1, days - 30
    if days > 0 and micros < 0:
        days, micros = days - 1, micros + DAY
    elif days < 0 and micros > 0:
        days, micros = days + 1, micros - DAY
    return Interval(months, days, micros)
