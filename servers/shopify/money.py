"""Money: decimal text on the wire, cents in the tables."""

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from .errors import refused
from .models import Object

_NUMBER = re.compile(r"[+-]?(?:\d{1,12}(?:\.\d{0,12})?|\.\d{1,12})")


def cents(value: str, field: str, least: int | None = 0) -> int:
    """An amount; refused where it is no number, or below the least (None: any)."""
    text = value.strip()
    if not text.isascii() or not _NUMBER.fullmatch(text):
        raise refused(field, "is not a number")
    amount = int((Decimal(text) * 100).quantize(Decimal(1), ROUND_HALF_UP))
    if least is not None and amount < least:
        raise refused(field, f"must be greater than or equal to {least // 100}")
    return amount


def text(amount: int) -> str:
    return f"{'-' if amount < 0 else ''}{abs(amount) // 100}.{abs(amount) % 100:02d}"


def of(amount: float) -> int:
    """A world's amount in cents."""
    return int((Decimal(str(amount)) * 100).quantize(Decimal(1), ROUND_HALF_UP))


def both(amount: int, currency: str) -> Object:
    """An amount in the shop's and in the customer's currency, which are one."""
    one = {"amount": text(amount), "currency_code": currency}
    return {"shop_money": one, "presentment_money": dict(one)}


def percent(amount: int, share: str | Decimal) -> int:
    """A percentage of an amount."""
    return int((Decimal(amount) * Decimal(share) / 100).quantize(Decimal(1), ROUND_HALF_UP))


def spread(amount: int, weights: Sequence[int]) -> list[int]:
    """An amount in parts as large as the weights: the parts add up to it, whatever is rounded."""
    whole = sum(weights)
    if not whole:
        return [amount if i == 0 else 0 for i in range(len(weights))]
    parts, done, seen = list[int](), 0, 0
    for weight in weights:
        seen += weight
        part = amount * seen // whole - done
        parts.append(part)
        done += part
    return parts


def share(amount: int, units: int, of_units: int, before: int = 0) -> int:
    """What `units` of an amount's units bear, when `before` were taken already: all units together bear it exactly."""
    return amount * (before + units) // of_units - amount * before // of_units


def currencies(*sets: tuple[str, int], currency: str) -> dict[str, Any]:
    """`name` and `name_set` for each amount."""
    out = dict[str, Any]()
    for name, amount in sets:
        out[name] = text(amount)
        out[f"{name}_set"] = both(amount, currency)
    return out
