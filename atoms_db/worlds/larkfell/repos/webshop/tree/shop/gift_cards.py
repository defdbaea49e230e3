"""Gift cards: a balance in pence."""


def split(balance: int, total: int) -> tuple[int, int]:
    """What the card pays, and what is left to pay."""
    used = min(balance, total)
    return used, total - used
