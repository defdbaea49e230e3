"""Times and durations as Jira spells them. https://confluence.atlassian.com/jirasoftwarecloud/configuring-time-tracking"""

import re
from datetime import UTC, date, datetime

from legoenv_mcp.app import Ctx

HOURS_A_DAY, DAYS_A_WEEK = 8, 5
_UNITS = {"w": DAYS_A_WEEK * HOURS_A_DAY * 3600, "d": HOURS_A_DAY * 3600, "h": 3600, "m": 60, "s": 1}
_DURATION = re.compile(r"\s*(?:(\d{1,6}(?:\.\d{1,4})?)\s*([wdhms])?\s*)", re.ASCII | re.IGNORECASE)
_MOST = 10_000 * _UNITS["w"]


def wire(text: str | None) -> str | None:
    """A stored time as the platform API writes it."""
    return text if not text else f"{text.removesuffix('Z')}.000+0000"


def agile(text: str | None) -> str | None:
    """A stored time as the agile API writes it."""
    return text if not text else f"{text.removesuffix('Z')}.000Z"


def stored(text: object) -> str | None:
    """A caller's time as it is stored; None where it is no time."""
    if not isinstance(text, str) or len(text) < len("2026-01-01T00:00"):
        return None
    try:
        made = Ctx.parse_time(text.strip()).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return made.strftime("%Y-%m-%dT%H:%M:%SZ").zfill(20)


def moment(made: datetime) -> str:
    return made.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ").zfill(20)


def day(text: object) -> str | None:
    """A caller's calendar day; None where it is none."""
    if not isinstance(text, str) or not re.fullmatch(r"\d{4}-\d\d?-\d\d?", text, re.ASCII):
        return None
    try:
        return date(*map(int, text.split("-"))).isoformat()
    except ValueError:
        return None


def seconds(text: object) -> int | None:
    """A duration like `1w 2d 3h 4m` in seconds; a bare number counts minutes. None where it is none."""
    if isinstance(text, bool) or not isinstance(text, (str, int)):
        return None
    total, place, told = 0.0, 0, str(text).strip()
    while place < len(told):
        found = _DURATION.match(told, place)
        if found is None:
            return None
        total += float(found[1]) * _UNITS[(found[2] or "m").lower()]
        place = found.end()
    return int(total) if told and total <= _MOST else None


def shown(amount: int) -> str:
    """Seconds as `1w 2d 3h 4m`."""
    parts = list[str]()
    for unit in ("w", "d", "h", "m"):
        count, amount = divmod(amount, _UNITS[unit])
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts) or "0m"
