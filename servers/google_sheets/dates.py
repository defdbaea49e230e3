"""Dates as the product counts them: days since 30 December 1899, the time of day as a fraction."""

from datetime import date, datetime, timedelta

_ZERO = datetime.fromisoformat("1899-12-30")
_LAST = 2958465.99999


def serial(moment: date) -> float:
    """The number of a date or a date with time (without a zone)."""
    if not isinstance(moment, datetime):
        return (moment - _ZERO.date()).days
    apart = moment - _ZERO
    return apart.days + apart.seconds / 86400


def moment(number: float) -> datetime | None:
    """The date with time that a number stands for, to the second; None where it is out of the calendar."""
    if not -693593 <= number <= _LAST:
        return None
    try:
        return _ZERO + timedelta(seconds=round(number * 86400))
    except OverflowError:
        return None


def add_months(day: date, months: int) -> date | None:
    """The same day so many months on, or the month's last day where it has no such day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        return None
    return date(year, month + 1, min(day.day, days_in(year, month + 1)))


def days_in(year: int, month: int) -> int:
    following = date(year + (month == 12), month % 12 + 1, 1) if (year, month) != (9999, 12) else None
    return 31 if following is None else (following - timedelta(days=1)).day
