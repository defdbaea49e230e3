"""Date functions."""

from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from . import dates
from .functions import Function
from .values import Failed, Fault, Moment, flat, iso, number, parsed, scalar, text, whole

_SPELT = {
    "millisecond": ("milliseconds", "ms"), "second": ("seconds", "s"), "minute": ("minutes", "m"), "hour": ("hours", "h"),
    "day": ("days", "d"), "week": ("weeks", "w"), "month": ("months", "M"), "quarter": ("quarters", "Q"), "year": ("years", "y"),
}  # fmt: skip
_UNITS = {spelt: unit for unit, others in _SPELT.items() for spelt in (unit, *others)}
_SECONDS = {"millisecond": 0.001, "second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_FARTHEST_WORKDAY = 100_000


def midnight(at: datetime) -> Moment:
    return Moment(at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0), day=True)


def moment(value: Any) -> Moment | None:
    """A value as a time: a moment, or the text of one. None for blank."""
    value = scalar(value)
    if value is None or value == "":
        return None
    if isinstance(value, Moment):
        return value
    found = parsed(value) if isinstance(value, str) else None
    if found is None:
        raise Failed(value.shown if isinstance(value, Fault) else "#ERROR!")
    return found


def needed(value: Any) -> Moment:
    found = moment(value)
    if found is None:
        raise Failed
    return found


def _unit(value: Any) -> str:
    name = text(scalar(value))
    found = _UNITS.get(name) or _UNITS.get(name.lower())
    if found is None:
        raise Failed
    return found


def shifted(at: datetime, months: int) -> datetime:
    """The same day of another month, or its last."""
    year, month = divmod(at.year * 12 + at.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise Failed
    return at.replace(year=year, month=month + 1, day=min(at.day, monthrange(year, month + 1)[1]))


def _add(value: Any, count: Any, units: Any) -> Moment | None:
    at = moment(value)
    if at is None:
        return None
    unit, many = _unit(units), number(count)
    if unit in _MONTHS:
        local = shifted(at.local, whole(many) * _MONTHS[unit])
        return Moment(local.astimezone(UTC), at.day, at.zone, at.locale)
    made = at.at + timedelta(seconds=many * _SECONDS[unit])
    return Moment(made, at.day and made.time() == at.at.time(), at.zone, at.locale)


def _months_between(later: datetime, earlier: datetime) -> int:
    months = (later.year - earlier.year) * 12 + later.month - earlier.month
    if months > 0 and shifted(earlier, months) > later:
        return months - 1
    return months + 1 if months < 0 and shifted(earlier, months) < later else months


def _difference(left: Any, right: Any, units: Any = "seconds") -> int | None:
    first, second, unit = moment(left), moment(right), _unit(units)
    if first is None or second is None:
        return None
    if unit in _MONTHS:
        return int(_months_between(first.at, second.at) / _MONTHS[unit])
    return int((first.at - second.at).total_seconds() / _SECONDS[unit])


def _format(value: Any, pattern: Any = None) -> str | None:
    at = moment(value)
    if at is None:
        return None
    if pattern is None:
        return at.local.isoformat(timespec="seconds") if at.zone is not UTC else iso(at.at)
    made = text(scalar(pattern))
    if len(made) > dates.LONGEST:
        raise Failed
    return dates.formatted(at.local, made)


def _parse(value: Any, pattern: Any = None, locale: Any = None) -> Moment | None:
    value = scalar(value)
    if value is None or value == "" or isinstance(value, Moment):
        return value or None
    if pattern is not None and pattern != "":
        found = dates.read_as(text(value), text(scalar(pattern)))
    else:
        found = dates.typed(text(value), datetime(2001, 1, 1, tzinfo=UTC))
    if found is None:
        raise Failed
    return Moment(found)


def _part(read: Callable[[datetime], int]) -> Callable[[Any], int | None]:
    def run(value: Any) -> int | None:
        at = moment(value)
        return None if at is None else read(at.local)

    return run


def _day_number(start: Any) -> int:
    name = text(scalar(start)).lower()
    found = next((n for n, day in enumerate(dates.DAYS) if day.lower() == name), None)
    if found is None:
        raise Failed
    return found


def _weekday(value: Any, start: Any = "Sunday") -> int | None:
    at, first = moment(value), _day_number(start)
    return None if at is None else (dates.sunday_first(at.local) - first) % 7


def _week(value: Any, start: Any = "Sunday") -> int | None:
    at, first = moment(value), _day_number(start)
    return None if at is None else dates.week_number(at.local, first)


def _floor(at: datetime, unit: str) -> tuple[int, ...]:
    if unit == "week":
        at -= timedelta(days=dates.sunday_first(at))
        unit = "day"
    parts = (at.year, (at.month - 1) // 3, at.month, at.day, at.hour, at.minute, at.second, at.microsecond)
    return parts[: ("year", "quarter", "month", "day", "hour", "minute", "second", "millisecond").index(unit) + 1]


def _is_same(left: Any, right: Any, unit: Any = "millisecond") -> bool:
    first, second = moment(left), moment(right)
    if first is None or second is None:
        return False
    found = _unit(unit)
    return _floor(first.local, found) == _floor(second.at.astimezone(first.zone), found)


def _ordered(sign: int) -> Callable[..., bool]:
    def run(left: Any, right: Any, unit: Any = "millisecond") -> bool:
        first, second = moment(left), moment(right)
        if first is None or second is None:
            return False
        found = _unit(unit)
        one, other = _floor(first.local, found), _floor(second.at.astimezone(first.zone), found)
        return one > other if sign > 0 else one < other

    return run


def _set_zone(value: Any, name: Any) -> Moment | None:
    at, found = moment(value), dates.zone(text(scalar(name)))
    if found is None:
        raise Failed
    return None if at is None else Moment(at.at, False, found, at.locale)


def _set_locale(value: Any, name: Any) -> Moment | None:
    at = moment(value)
    return None if at is None else Moment(at.at, at.day, at.zone, text(scalar(name)))


def _holidays(value: Any) -> set[Any]:
    """Days as a list, or as text with commas between them."""
    found = set[Any]()
    for one in flat([value]):
        for piece in one.split(",") if isinstance(one, str) else [one]:
            if (at := moment(piece.strip() if isinstance(piece, str) else piece)) is not None:
                found.add(at.at.date())
    return found


def _works(at: datetime, holidays: set[Any]) -> bool:
    return at.isoweekday() < 6 and at.date() not in holidays


def _workday(start: Any, days: Any, holidays: Any = None) -> Moment | None:
    at, left, off = moment(start), whole(days), _holidays(holidays)
    if at is None:
        return None
    if abs(left) > _FARTHEST_WORKDAY:
        raise Failed
    step, day = timedelta(days=1 if left > 0 else -1), at.at
    while left:
        day += step
        if _works(day, off):
            left -= 1 if left > 0 else -1
    return Moment(day, at.day, at.zone, at.locale)


def _workday_diff(start: Any, end: Any, holidays: Any = None) -> int | None:
    first, last, off = moment(start), moment(end), _holidays(holidays)
    if first is None or last is None:
        return None
    sign = 1 if first.at <= last.at else -1
    low, high = sorted((first.at, last.at))
    if (high - low).days > _FARTHEST_WORKDAY:
        raise Failed
    days = (high.date() - low.date()).days
    return sign * sum(_works(low + timedelta(days=n), off) for n in range(days + 1))


def distance(value: Any, now: datetime) -> str:
    """How far a time is from now, in words."""
    seconds = abs((needed(value).at - now).total_seconds())
    for limit, size, name in (
        (45, 1, "a few seconds"), (90, 60, "a minute"), (2670, 60, "minutes"), (5400, 3600, "an hour"), (77400, 3600, "hours"),
        (129600, 86400, "a day"), (2203200, 86400, "days"), (3888000, 2592000, "a month"), (27561600, 2629800, "months"),
        (47260800, 31557600, "a year"),
    ):  # fmt: skip
        if seconds < limit:
            return f"{round(seconds / size)} {name}" if name.endswith("s") and name != "a few seconds" else name
    return f"{round(seconds / 31557600)} years"


FUNCTIONS = {
    "DATEADD": Function(_add, 3, 3, "same"),
    "DATESTR": Function(lambda value: None if moment(value) is None else needed(value).local.date().isoformat(), 1, 1),
    "DATETIME_DIFF": Function(_difference, 2, 3, "number"),
    "DATETIME_FORMAT": Function(_format, 1, 2),
    "DATETIME_PARSE": Function(_parse, 1, 3, "time"),
    "DAY": Function(_part(lambda at: at.day), 1, 1, "number"),
    "HOUR": Function(_part(lambda at: at.hour), 1, 1, "number"),
    "IS_AFTER": Function(_ordered(1), 2, 3, "truth"),
    "IS_BEFORE": Function(_ordered(-1), 2, 3, "truth"),
    "IS_SAME": Function(_is_same, 2, 3, "truth"),
    "MINUTE": Function(_part(lambda at: at.minute), 1, 1, "number"),
    "MONTH": Function(_part(lambda at: at.month), 1, 1, "number"),
    "SECOND": Function(_part(lambda at: at.second), 1, 1, "number"),
    "SET_LOCALE": Function(_set_locale, 2, 2, "same"),
    "SET_TIMEZONE": Function(_set_zone, 2, 2, "time"),
    "TIMESTR": Function(
        lambda value: None if moment(value) is None else needed(value).local.strftime("%H:%M:%S"), 1, 1
    ),
    "WEEKDAY": Function(_weekday, 1, 2, "number"),
    "WEEKNUM": Function(_week, 1, 2, "number"),
    "WORKDAY": Function(_workday, 2, 3, "same"),
    "WORKDAY_DIFF": Function(_workday_diff, 2, 3, "number"),
    "YEAR": Function(_part(lambda at: at.year), 1, 1, "number"),
}
