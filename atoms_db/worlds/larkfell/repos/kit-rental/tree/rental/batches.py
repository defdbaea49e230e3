"""Which harness is of which batch."""


def of_batch(sets: dict[int, str], batch: str) -> list[int]:
    return sorted(number for number, held in sets.items() if held == batch)
