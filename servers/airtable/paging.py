"""Offsets: where a list goes on. They look like Airtable's: an iterator's id, a slash, the id of the item to come."""

import hashlib
import re
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from legoenv_mcp.app import BASE62

from .app import refuse

_TOKEN = re.compile(r"itr([0-9A-Za-z]{5})([0-9A-Za-z]{9})/([a-z]{3}[0-9A-Za-z]{14})")


class Keyed(Protocol):
    @property
    def id(self) -> Any: ...


K = TypeVar("K", bound=Keyed)


def _spelt(number: int, length: int) -> str:
    out = ""
    for _ in range(length):
        number, digit = divmod(number, 62)
        out = BASE62[digit] + out
    return out


def _mark(query: object) -> str:
    return _spelt(int.from_bytes(hashlib.blake2b(repr(query).encode(), digest_size=8).digest()), 9)


def page(
    items: Sequence[K], size: int, offset: str | None, query: object, most: int | None = None
) -> tuple[list[K], str | None]:
    """`size` items from an offset on, of at most `most` in all, and the offset of the rest.

    An offset belongs to one query: another's, or one that is none, is refused. Items that were deleted meanwhile are passed over.
    """
    done, start = 0, 0
    if offset:
        found = _TOKEN.fullmatch(offset)
        if found is None:
            raise refuse("INVALID_OFFSET_VALUE", f"The value of offset {offset[:200]} is invalid")
        if found[2] != _mark(query):
            raise refuse(
                "LIST_RECORDS_ITERATOR_NOT_AVAILABLE", hint="The offset belongs to another query; start without one."
            )
        for char in found[1]:
            done = done * 62 + BASE62.index(char)
        start = next((n for n, item in enumerate(items) if item.id == found[3]), done)
    left = size if most is None else max(min(size, most - done), 0)
    shown, rest = list(items[start : start + left]), items[start + left : start + left + 1]
    done += len(shown)
    if not rest or (most is not None and done >= most):
        return shown, None
    return shown, f"itr{_spelt(done, 5)}{_mark(query)}/{rest[0].id}"
