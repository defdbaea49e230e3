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
    """The parts between two `**` may match anywhere, in order: the earliest place for each leaves most for the others."""
    head, *middle = _sections(parts)
    tail = middle.pop() if middle else []
    at, end = len(head), len(names) - len(tail)
    if at > end or not _match_names(names, 0, head) or not _match_names(names, end, tail):
        return False
    if len(head) == len(parts):
        return at == end
    for section in middle:
        while not (fits := _match_names(names, at, section)) and at + len(section) < end:
            at += 1
        at += len(section)
        if not fits or at > end:
            return False
    # A `**` at the end takes at least one name.
    return bool(tail) or at < end


def _sections(parts: Sequence[list[Item]]) -> list[list[list[Item]]]:
    """The parts cut at each `**`."""
    sections = list[list[list[Item]]]([[]])
    for part in parts:
        if part is GLOBSTAR:
            sections.append([])
        else:
            sections[-1].append(part)
    return sections


def _match_names(names: Sequence[str], start: int, parts: Sequence[list[Item]]) -> bool:
    return all(
        start + i < len(names) and (part == [names[start + i]] or _Name(names[start + i]).is_matched(part))
        for i, part in enumerate(parts)
    )


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
