"""Functions of dates, which are numbers of days. Today is the episode's."""

import math
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from . import dates, entry
from .functions import function
from .values import Scalar, fail, flat, number, sound, text, whole

if TYPE_CHECKING:
    from .engine import Engine


def _moment(engine: "Engine", value: Scalar) -> datetime:
    made = dates.moment(number(value, engine.locale))
    if made is None:
        raise fail("NUM", "The date is out of range.")
    return made


def _day(engine: "Engine", value: Scalar) -> date:
    return _moment(engine, value).date()


@function("TODAY", 0)
def _today(engine: "Engine") -> int:
    return math.floor(engine.now)


@function("NOW", 0)
def _now(engine: "Engine") -> float:
    return engine.now


@function("DATE", 3, single=True)
def _date(engine: "Engine", year: Scalar, month: Scalar, day: Scalar) -> int:
    y, m, d = (whole(v, engine.locale) for v in (year, month, day))
    first = dates.add_months(date(y + 1900 if y < 1900 else y, 1, 1), m - 1) if 0 <= y <= 9999 else None
    if first is None or abs(d) > 3_000_000:
        raise fail("NUM", "Function DATE parameters are out of range.")
    return int(dates.serial(first)) + d - 1


@function("TIME", 3, single=True)
def _time(engine: "Engine", hour: Scalar, minute: Scalar, second: Scalar) -> float:
    h, m, s = (whole(v, engine.locale) for v in (hour, minute, second))
    return (h * 3600 + m * 60 + s) / 86400 % 1


@function("DATEVALUE", 1, single=True)
def _datevalue(engine: "Engine", value: Scalar) -> int:
    if isinstance(value, str):
        read = entry.read(value.strip(), engine.locale)
        if read is None or (read.number_format or {}).get("type") not in ("DATE", "DATE_TIME"):
            raise fail("VALUE", f"DATEVALUE parameter '{value[:60]}' cannot be parsed to date/time.")
        return math.floor(number(read.value, engine.locale))
    return math.floor(number(value, engine.locale))


for _name, _part in (
    ("YEAR", "year"), ("MONTH", "month"), ("DAY", "day"), ("HOUR", "hour"), ("MINUTE", "minute"), ("SECOND", "second"),
):  # fmt: skip

    @function(_name, 1, single=True)
    def _of(engine: "Engine", value: Scalar, part: str = _part) -> int:
        return getattr(_moment(engine, value), part)


@function("WEEKDAY", 1, 2, single=True)
def _weekday(engine: "Engine", value: Scalar, kind: Scalar = 1) -> int:
    day, way = _day(engine, value).weekday(), whole(kind, engine.locale)
    if way not in (1, 2, 3):
        raise fail("NUM", f"Function WEEKDAY parameter 2 value is {way}. Valid values are between 1 and 3 inclusive.")
    return (day + 1) % 7 + 1 if way == 1 else day + 1 if way == 2 else day


@function("WEEKNUM", 1, 2, single=True)
def _weeknum(engine: "Engine", value: Scalar, kind: Scalar = 1) -> int:
    day, way = _day(engine, value), whole(kind, engine.locale)
    if way == 21:
        return day.isocalendar().week
    first = date(day.year, 1, 1)
    offset = (first.weekday() + 1) % 7 if way in (1, 17) else first.weekday()
    return (day.timetuple().tm_yday - 1 + offset) // 7 + 1


@function("ISOWEEKNUM", 1, single=True)
def _isoweeknum(engine: "Engine", value: Scalar) -> int:
    return _day(engine, value).isocalendar().week


def _months_on(engine: "Engine", value: Scalar, months: Scalar) -> date:
    count = whole(months, engine.locale)
    made = dates.add_months(_day(engine, value), count) if abs(count) < 200_000 else None
    if made is None:
        raise fail("NUM", "The date is out of range.")
    return made


@function("EDATE", 2, single=True)
def _edate(engine: "Engine", value: Scalar, months: Scalar) -> int:
    return int(dates.serial(_months_on(engine, value, months)))


@function("EOMONTH", 2, single=True)
def _eomonth(engine: "Engine", value: Scalar, months: Scalar) -> int:
    made = _months_on(engine, value, months)
    return int(dates.serial(made.replace(day=dates.days_in(made.year, made.month))))


@function("DAYS", 2, single=True)
def _days(engine: "Engine", end: Scalar, start: Scalar) -> int:
    return math.floor(number(end, engine.locale)) - math.floor(number(start, engine.locale))


@function("DATEDIF", 3, single=True)
def _datedif(engine: "Engine", start: Scalar, end: Scalar, unit: Scalar) -> int:
    a, b, kind = _day(engine, start), _day(engine, end), text(unit).upper()
    if a > b:
        raise fail("NUM", "Function DATEDIF parameter 1 (start date) should be on or before parameter 2 (end date).")
    months = (b.year - a.year) * 12 + b.month - a.month - (b.day < a.day)
    if kind == "D":
        return (b - a).days
    if kind == "M":
        return months
    if kind == "Y":
        return months // 12
    if kind == "YM":
        return months % 12
    if kind == "MD":
        return (b - (dates.add_months(a, months) or a)).days
    if kind == "YD":
        return (b - (dates.add_months(a, months // 12 * 12) or a)).days
    raise fail("NUM", f"Function DATEDIF parameter 3 value is {kind[:20]}. It should be one of: Y, M, D, MD, YM, YD.")


def _holidays(engine: "Engine", given: Any) -> set[date]:
    return {_day(engine, v) for v in map(sound, flat(given)) if v is not None}


@function("NETWORKDAYS", 2, 3)
def _networkdays(engine: "Engine", start: Any, end: Any, holidays: Any = None) -> int:
    a, b = _day(engine, start), _day(engine, end)
    first, last = min(a, b), max(a, b)
    length = (last - first).days + 1
    weeks, rest = divmod(length, 7)
    count = weeks * 5 + sum((first.weekday() + i) % 7 < 5 for i in range(rest))
    count -= sum(first <= h <= last and h.weekday() < 5 for h in _holidays(engine, holidays))
    return count if a <= b else -count


@function("WORKDAY", 2, 3)
def _workday(engine: "Engine", start: Any, days: Any, holidays: Any = None) -> int:
    day, left, free = _day(engine, start), whole(days, engine.locale), _holidays(engine, holidays)
    if abs(left) > 100_000:
        raise fail("NUM", "Function WORKDAY parameter 2 is out of range.")
    step = 1 if left > 0 else -1
    while left:
        try:
            day += timedelta(days=step)
        except OverflowError:
            raise fail("NUM", "The date is out of range.") from None
        if day.weekday() < 5 and day not in free:
            left -= step
    return int(dates.serial(day))
