"""Dates and times as the API spells them: `2026-03-02` and `2026-03-02T09:00:00.000+0000`. Stored so, they sort as text."""

import re
from datetime import UTC, date, datetime

from legoenv_mcp.app import Ctx

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_FIRST, _LAST = 1700, 4000
"""The years the platform knows."""


def stamp(moment: datetime) -> str:
    """A moment in the API's form, in UTC."""
    moment = moment.astimezone(UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}+0000"


def now(ctx: Ctx) -> str:
    return stamp(ctx.now)


def read_date(value: object) -> str | None:
    """A day in the stored form, None where the value is none. A time counts as its day."""
    if not isinstance(value, str):
        return None
    try:
        if _DATE.fullmatch(value):
            day = date.fromisoformat(value)
            return day.isoformat() if _FIRST <= day.year <= _LAST else None
        moment = read_datetime(value)
    except ValueError:
        return None
    return moment[:10] if moment else None


def read_datetime(value: object) -> str | None:
    """A moment in the stored form, None where the value is none. A day counts as its first moment."""
    if not isinstance(value, str) or not _DATE.match(value):
        return None
    try:
        moment = datetime.fromisoformat(value)
        moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        return stamp(moment) if _FIRST <= moment.year <= _LAST else None
    except (ValueError, OverflowError):
        return None


def moment_of(stored: str) -> datetime:
    return datetime.fromisoformat(stored)


def iso(stored: str | None) -> str:
    """A stored moment as RFC 3339 in UTC, the form of canonical entities."""
    return "" if not stored else stored[:19] + "Z"
