"""Times as the products write them: RFC 2822 in the 2010 API, ISO 8601 in the newer ones."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from .errors import refuse


def when(text: str) -> datetime:
    made = datetime.fromisoformat(text)
    return made.astimezone(UTC) if made.tzinfo else made.replace(tzinfo=UTC)


def iso(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def later(text: str, seconds: float) -> str:
    return iso(when(text) + timedelta(seconds=seconds))


def seconds_between(start: str, end: str) -> int:
    return max(0, int((when(end) - when(start)).total_seconds()))


def rfc2822(text: str | None) -> str | None:
    """Thu, 30 Jul 2015 20:00:00 +0000"""
    return format_datetime(when(text)) if text else None


def asked(name: str, text: str, *, end: bool = False) -> str:
    """A time that a filter names, as rows have it. A date alone means its first second, or its last with `end`."""
    wrong = refuse(400, 20001, f"Invalid value for parameter {name}: {text[:100]} is not a date (YYYY-MM-DD)")
    try:
        made = when(text.strip())
        return iso(made + timedelta(days=1, seconds=-1) if end and len(text.strip()) <= 10 else made)
    except (ValueError, OverflowError):
        raise wrong from None


def span(name: str, on: str | None, before: str | None, after: str | None) -> tuple[str | None, str | None]:
    """First and last second that `X`, `X<` and `X>` (both inclusive) let pass."""
    lows = [asked(name, t) for t in (on, after) if t]
    highs = [asked(name, t, end=True) for t in (on, before) if t]
    return (max(lows) if lows else None), (min(highs) if highs else None)
