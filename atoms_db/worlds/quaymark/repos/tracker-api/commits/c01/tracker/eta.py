"""Predicted arrival: distance left over the lane's usual speed, in local time."""

from datetime import datetime, timedelta

from tracker.offsets import offset


def arrival(now: datetime, km_left: float, km_per_hour: float, country: str, summer: bool) -> datetime:
    """The local arrival time."""
    utc = now + timedelta(hours=km_left / km_per_hour)
    return utc + timedelta(minutes=offset(country, summer))
