"""Dates in JQL: absolute, relative to now, and by functions."""

import re
from datetime import UTC, datetime, timedelta

from .syntax import JqlError, Value

_FORMATS = ("%Y-%m-%d %H:%M", "%Y/%m/%d %H:%M", "%Y-%m-%d", "%Y/%m/%d", "%Y-%m-%dT%H:%M:%S.%f%z", "%Y-%m-%dT%H:%M:%S%z")
_PERIOD = re.compile(r"([+-]?)\s*((?:\d{1,6}\s*[wdhm]\s*)+)", re.ASCII | re.IGNORECASE)
_PART = re.compile(r"(\d{1,6})\s*([wdhm])", re.ASCII | re.IGNORECASE)
_OFFSET = re.compile(r"([+-]?)\s*(\d{1,6})\s*([yMwdhm])?", re.ASCII)
_UNITS = {"w": timedelta(weeks=1), "d": timedelta(days=1), "h": timedelta(hours=1), "m": timedelta(minutes=1)}
_FUNCTIONS = {f"{edge}of{unit}": (edge, unit) for edge in ("start", "end") for unit in ("day", "week", "month", "year")}
_OWN_UNIT = {"day": "d", "week": "w", "month": "M", "year": "y"}
NAMES = {"now", *_FUNCTIONS}


def invalid(text: str, field: str) -> JqlError:
    return JqlError(
        f"Date value '{text}' for field '{field}' is invalid. Valid formats include: 'yyyy/MM/dd HH:mm', 'yyyy-MM-dd HH:mm', 'yyyy/MM/dd',"
        " 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'."
    )


def moment(value: Value, field: str, now: datetime) -> datetime:
    """The moment that an operand means. JqlError where it means none."""
    try:
        if value.function:
            return _function(value, field, now)
        return _text(value.text or "", field, now)
    except OverflowError:
        raise invalid(value.shown, field) from None


def _text(text: str, field: str, now: datetime) -> datetime:
    told = text.strip()
    for form in _FORMATS:
        try:
            made = datetime.strptime(told, form)  # noqa: DTZ007 - those without an offset are UTC, the site's zone
        except ValueError:
            continue
        return made.astimezone(UTC) if made.tzinfo else made.replace(tzinfo=UTC)
    if found := _PERIOD.fullmatch(told):
        shift = sum((int(n) * _UNITS[unit.lower()] for n, unit in _PART.findall(found[2])), timedelta())
        return now - shift if found[1] == "-" else now + shift
    if re.fullmatch(r"-?\d{5,15}", told, re.ASCII):
        return datetime.fromtimestamp(int(told) / 1000, UTC)
    raise invalid(text, field)


def _function(value: Value, field: str, now: datetime) -> datetime:
    name = value.function.lower()
    if name == "now":
        if value.arguments:
            raise JqlError(
                f"Function 'now' expected '0' arguments but received '{len(value.arguments)}' in the field '{field}'."
            )
        return now
    edge, unit = _FUNCTIONS[name]
    if len(value.arguments) > 1:
        raise JqlError(
            f"Function '{value.function}' expected between '0' and '1' arguments but received '{len(value.arguments)}'."
        )
    start = _start(now, unit)
    if value.arguments:
        found = _OFFSET.fullmatch(value.arguments[0].strip())
        if found is None:
            raise JqlError(
                f"Duration for function '{value.function}' should have the format (+/-)n(yMwdhm), e.g -1M for 1 month earlier."
            )
        count = int(found[2]) * (-1 if found[1] == "-" else 1)
        start = _shifted(start, count, found[3] or _OWN_UNIT[unit])
    return start if edge == "start" else _shifted(start, 1, _OWN_UNIT[unit]) - timedelta(seconds=1)


def _start(now: datetime, unit: str) -> datetime:
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "week":
        return day - timedelta(days=(day.weekday() + 1) % 7)  # weeks begin on Sunday
    return day if unit == "day" else day.replace(day=1) if unit == "month" else day.replace(month=1, day=1)


def _shifted(when: datetime, count: int, unit: str) -> datetime:
    if unit in _UNITS:
        return when + count * _UNITS[unit]
    months = when.year * 12 + when.month - 1 + count * (12 if unit == "y" else 1)
    year, month = divmod(months, 12)
    if not 1 <= year <= 9998:
        raise OverflowError
    last = (datetime(year + month // 11, (month + 1) % 12 + 1, 1, tzinfo=UTC) - timedelta(days=1)).day
    return when.replace(year=year, month=month + 1, day=min(when.day, last))
