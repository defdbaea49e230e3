"""Collection slots of the shops."""

from datetime import date

OPEN = {"keswick": (9, 18), "ambleside": (9, 18)}
SUNDAY = {"keswick": (10, 16), "ambleside": (10, 16)}
HOLIDAYS = {"2026-05-25"}


def slots(shop: str, day: str) -> list[str]:
    short = date.fromisoformat(day).weekday() == 6 or day in HOLIDAYS
    start, end = (SUNDAY if short else OPEN)[shop]
    return [f"{hour:02d}:{minute:02d}" for hour in range(start, end) for minute in (0, 30)]
