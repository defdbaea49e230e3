"""Draws fixed by a seed: which environments, in which order."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Lot:
    """Draws one after another."""

    def __init__(self, seed: str) -> None:
        self.seed, self.count = seed, 0

    def below(self, most: int) -> int:
        self.count += 1
        digest = hashlib.blake2b(f"{self.seed}/{self.count}".encode(), digest_size=7).digest()
        return int.from_bytes(digest, "big") % max(1, most)

    def one(self, among: Sequence[T]) -> T:
        return among[self.below(len(among))]

    def shuffled(self, among: Sequence[T]) -> list[T]:
        left = list(among)
        return [left.pop(self.below(len(left))) for _ in range(len(left))]


def chosen(ids: Sequence[str], count: int, seed: str) -> list[str]:
    """So many of them by lot, all where `count` is 0."""
    return sorted(Lot(seed).shuffled(sorted(ids))[:count] if count else ids)
