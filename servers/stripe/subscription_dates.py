"""Billing periods: whole days, weeks, months and years from an anchor. https://docs.stripe.com/billing/subscriptions/billing-cycle"""

import calendar
from datetime import UTC, datetime, timedelta


def add_interval(moment: int, interval: str, count: int) -> int:
    """A moment some intervals later. A month that is too short ends on its last day."""
    start = datetime.fromtimestamp(moment, UTC)
    if interval in ("day", "week"):
        return int((start + timedelta(days=count * (7 if interval == "week" else 1))).timestamp())
    months = start.month - 1 + count * (12 if interval == "year" else 1)
    year, month = start.year + months // 12, months % 12 + 1
    day = min(start.day, calendar.monthrange(year, month)[1])
    return int(start.replace(year=year, month=month, day=day).timestamp())


def period_at(anchor: int, interval: str, count: int, moment: int) -> tuple[int, int]:
    """The period that a moment lies in. Each is counted from the anchor, so that a 31st comes back after a short month."""
    if moment < anchor:
        n = -1
        while add_interval(anchor, interval, n * count) > moment:
            n -= 1
    else:
        n = 0
        while add_interval(anchor, interval, (n + 1) * count) <= moment:
            n += 1
    return add_interval(anchor, interval, n * count), add_interval(anchor, interval, (n + 1) * count)


def day_words(moment: int) -> str:
    """A day as line descriptions write it: `02 Mar 2026`."""
    return datetime.fromtimestamp(moment, UTC).strftime("%d %b %Y")
