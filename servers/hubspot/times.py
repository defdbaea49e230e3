"""Dates and times. Stored as `2026-03-02` and `2026-03-02T09:00:00.000Z`, which sort as text."""

import re
from datetime import UTC, date, datetime, timedelta

from legoenv_mcp.app import Ctx

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MILLISECONDS = re.compile(r"-?\d{1,15}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def stamp(moment: datetime) -> str:
    """A moment in the stored form."""
    moment = moment.astimezone(UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def now(ctx: Ctx) -> str:
    return stamp(ctx.now)


def shown(stored: str) -> str:
    """A stored moment as the API spells it: no fraction where it is zero."""
    return stored.replace(".000Z", "Z")


def iso(stored: str | None) -> str:
    """A stored moment in the form of canonical entities."""
    return f"{stored[:19]}Z" if stored else ""


def read_moment(value: str) -> str | None:
    """Milliseconds since 1970, an ISO 8601 time or a day in the stored form; None where it is neither."""
    try:
        if _MILLISECONDS.fullmatch(value):
            moment = _EPOCH + timedelta(milliseconds=int(value))
        elif _DAY.match(value):
            moment = datetime.fromisoformat(value)
            moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        else:
            return None
    except (ValueError, OverflowError):
        return None
    return stamp(moment) if moment.year >= 1000 else None


def read_day(value: str) -> str | None:
    """A day in the stored form. Milliseconds must be those of a midnight (see `midnight`); None where it is no day."""
    try:
        if _DAY.fullmatch(value):
            return date.fromisoformat(value).isoformat()
    except ValueError:
        return None
    moment = read_moment(value)
    return moment[:10] if moment and moment.endswith("T00:00:00.000Z") else None


def off_midnight(value: str) -> str:
    """The time of day of a moment that is no midnight, as HubSpot tells it; empty for anything else."""
    moment = read_moment(value)
    if moment is None or moment.endswith("T00:00:00.000Z"):
        return ""
    hour, minute, rest = moment[11:-1].split(":")
    second, fraction = rest.split(".")
    return f"{int(hour)}:{int(minute)}:{int(second)}.{int(fraction)}"
