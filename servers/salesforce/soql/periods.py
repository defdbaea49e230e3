"""Date literals: TODAY, LAST_N_DAYS:30, THIS_QUARTER ... as the days from `start` up to, not including, `end`.

Weeks begin on Sunday, fiscal years are calendar years, and days are those of UTC, the organisation's time zone.
"""

import re
from datetime import date, timedelta

_UNITS = {"DAY": 0, "WEEK": 0, "MONTH": 1, "QUARTER": 3, "YEAR": 12}
_RELATIVE = re.compile(r"(LAST|THIS|NEXT)_(?:FISCAL_)?(WEEK|MONTH|QUARTER|YEAR)")
_COUNTED = re.compile(r"(LAST|NEXT)_N_(?:FISCAL_)?(DAY|WEEK|MONTH|QUARTER|YEAR)S")
_AGO = re.compile(r"N_(?:FISCAL_)?(DAY|WEEK|MONTH|QUARTER|YEAR)S_AGO")
_MOST = 4000


def period(name: str, n: int | None, today: date) -> tuple[date, date] | None:
    """The days that a literal means, None where there is no such literal or its number is missing, needless or absurd."""
    counted = _COUNTED.fullmatch(name) or _AGO.fullmatch(name)
    if (n is None) == (counted is not None) or (n is not None and not 0 <= n <= _MOST):
        return None
    try:
        return _period(name, n or 0, today)
    except (ValueError, OverflowError):
        return None


def _period(name: str, n: int, today: date) -> tuple[date, date] | None:
    one = timedelta(days=1)
    fixed = {
        "YESTERDAY": (today - one, today), "TODAY": (today, today + one), "TOMORROW": (today + one, today + 2 * one),
        "LAST_90_DAYS": (today - 90 * one, today + one), "NEXT_90_DAYS": (today + one, today + 91 * one),
    }  # fmt: skip
    if name in fixed:
        return fixed[name]
    if found := _RELATIVE.fullmatch(name):
        shift = {"LAST": -1, "THIS": 0, "NEXT": 1}[found[1]]
        return _start(found[2], today, shift), _start(found[2], today, shift + 1)
    if found := _COUNTED.fullmatch(name):
        unit, back = found[2], found[1] == "LAST"
        if unit == "DAY":
            return (today - n * one, today + one) if back else (today + one, today + (n + 1) * one)
        return (
            (_start(unit, today, -n), _start(unit, today, 0))
            if back
            else (_start(unit, today, 1), _start(unit, today, n + 1))
        )
    if found := _AGO.fullmatch(name):
        return _start(found[1], today, -n), _start(found[1], today, 1 - n)
    return None


def _start(unit: str, today: date, shift: int) -> date:
    """The first day of the unit that lies `shift` units from today's."""
    if unit == "DAY":
        return today + timedelta(days=shift)
    if unit == "WEEK":
        return today - timedelta(days=(today.weekday() + 1) % 7) + timedelta(weeks=shift)
    months = _UNITS[unit]
    index = (today.year * 12 + today.month - 1) // months * months + shift * months
    return date(index // 12, index % 12 + 1, 1)
