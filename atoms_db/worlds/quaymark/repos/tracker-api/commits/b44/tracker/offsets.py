"""Local time by zone name; the rules are the system's, not ours."""

from datetime import datetime, timezone
from zoneinfo import ZoneInfo

ZONES = {
    "US-TX": "America/Chicago", "MX-NLE": "America/Monterrey", "MX-COA": "America/Monterrey",
    "MX-QUE": "America/Mexico_City", "GB": "Europe/London", "NL": "Europe/Amsterdam", "NO": "Europe/Oslo",
    "PL": "Europe/Warsaw",
}


def local(utc: datetime, country: str) -> datetime:
    """Naive local time; KeyError for a country that has no zone."""
    return utc.replace(tzinfo=timezone.utc).astimezone(ZoneInfo(ZONES[country])).replace(tzinfo=None)
