"""Glob patterns as the server's `minimatch` reads them (with its option `dot`).

A pattern is expanded at its braces, cut at its slashes, and each part parsed into a tree: text, `?`, `*`, classes and the
extended groups `?( ) *( ) +( ) @( ) !( )`. Matching follows the set of places where a match may stand, so that no pattern
takes longer than its size times the name's.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from .braces import expand
from .globparts import Any, Group, Item, One, parse

MAX_LENGTH = 65536

GLOBSTAR: list[Item] = []
"""A part `**`: any number of names."""


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> tuple[bool, tuple[tuple[list[Item], ...], ...]]:
    """Whether the pattern is negated, and its alternatives cut into parts."""
    body = pattern.lstrip("!")
    alternatives = tuple(
        tuple(GLOBSTAR if part == "**" else parse(part) for part in _cut(each)) for each in dict.fromkeys(expand(body))
    )
    return (len(pattern) - len(body)) % 2 == 1, alternatives


def matches(path: str, pattern: str) -> bool:
    """Whether the path of something below a directory, relative to it, matches the whole pattern. ValueError for no pattern."""
    if len(pattern) > MAX_LENGTH:
        raise ValueError("pattern is too long")
    if not pattern or pattern.startswith("#"):
        return False
    negated, alternatives = _compiled(pattern)
    names = path.split("/")
    return any(_match_path(names, parts) for parts in alternatives) != negated


def _cut(pattern: str) -> list[str]:
    """The pattern at its slashes (several count as one), repeated `**` and `name/..` taken out."""
    out = list[str]()
    for text in re.split("/+", pattern):
        if text == "**" and out[-1:] == ["**"]:
            continue
        if text == ".." and out and out[-1] not in ("", "..", ".", "**"):
            out.pop()
        else:
            out.append(text)
    return out or [""]


def _match_path(names: Sequence[str], parts: Sequence[list[Item]]) -> bool:
    places = {0}
    for index, part in enumerate(parts):
        if part is GLOBSTAR:
            # At the end it takes at least one name.
            places = set(range(min(places) + (index == len(parts) - 1), len(names) + 1))
        else:
            places = {at + 1 for at in places if at < len(names) and _Name(names[at]).is_matched(part)}
        if not places:
            return False
    return len(names) in places


class _Name:
    """A name against the items of a part. What a sequence of items can reach from a place is worked out once."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.known = dict[tuple[int, int], set[int]]()

    def is_matched(self, items: list[Item]) -> bool:
        return len(self.name) in self.ends(items, 0)

    def ends(self, items: list[Item], start: int) -> set[int]:
        """Where matches of the items that start here may end."""
        found = self.known.get((id(items), start))
        if found is None:
            found = {start}
            for item in items:
                found = self._step(item, found)
                if not found:
                    break
            self.known[id(items), start] = found
        return found

    def _step(self, item: Item, places: set[int]) -> set[int]:
        name = self.name
        if isinstance(item, str):
            return {at + len(item) for at in places if name.startswith(item, at)}
        if isinstance(item, One):
            return {at + 1 for at in places if at < len(name) and item.test(name[at])}
        if isinstance(item, Any):
            return set(range(min(places) + item.least, len(name) + 1))
        return self._group(item, places)

    def _group(self, group: Group, places: set[int]) -> set[int]:
        if group.kind == "!":
            free = [at for at in places if not any(len(self.name) in self.ends(tail, at) for tail in group.tails)]
            return set(range(min(free), len(self.name) + 1)) if free else set()
        reached = set[int]() if group.kind in "@+" else set(places)
        fresh = places
        while fresh:
            fresh = {end for at in fresh for arm in group.arms for end in self.ends(arm, at)} - reached
            reached |= fresh
            if group.kind in "@?":
                break
        return reached
