"""Predicted arrival: distance left over the lane's usual speed, in local time, to the minute."""

from datetime import datetime, timedelta

from tracker.offsets import offset


def arrival(now: datetime, km_left: float, km_per_hour: float, country: str, summer: bool) -> datetime:
    """The local arrival time, rounded to the minute."""
    if km_per_hour <= 0:
        raise ValueError("the lane has no speed yet")
    utc = now + timedelta(hours=km_left / km_per_hour)
    local = utc + timedelta(minutes=offset(country, summer))
    return (local + timedelta(seconds=30)).replace(second=0, microsecond=0)
