"""Sets and where they are."""

from dataclasses import dataclass


@dataclass
class KitSet:
    number: int
    customer: str
    dried: str
