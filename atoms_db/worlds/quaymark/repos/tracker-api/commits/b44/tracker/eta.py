"""Predicted arrival: distance left over the lane's usual speed, in local time, to the minute."""

from datetime import datetime, timedelta

from tracker.offsets import local


def arrival(now: datetime, km_left: float, km_per_hour: float, country: str) -> datetime:
    """The local arrival time, rounded to the minute."""
    if km_per_hour <= 0:
        raise ValueError("the lane has no speed yet")
    there = local(now + timedelta(hours=km_left / km_per_hour), country)
    return (there + timedelta(seconds=30)).replace(second=0, microsecond=0)
