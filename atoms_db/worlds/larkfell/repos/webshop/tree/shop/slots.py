"""Collection slots of the shops."""

OPEN = {"keswick": (9, 18), "ambleside": (9, 18)}


def slots(shop: str, day: str) -> list[str]:
    start, end = OPEN[shop]
    return [f"{hour:02d}:{minute:02d}" for hour in range(start, end) for minute in (0, 30)]
