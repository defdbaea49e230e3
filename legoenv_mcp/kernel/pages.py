"""Pages: one slice of a list and what the product needs to say how to go on. Styles differ only in how a position is spelt.

- opaque cursor (Slack, Pipedrive): `cursor_page`
- page token (Google): `cursor_page` too, spelt by the app if it must look different
- page number (GitHub, Jira): `numbered_page`, with `link_header` for RFC 8288 links
- offset (Salesforce, Zendesk): `offset_page`
- after/before an id (Stripe): `keyset_page`
"""

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

T = TypeVar("T")
U = TypeVar("U")


@dataclass(slots=True)
class Page(Generic[T]):
    """A slice of a list. `cursor` leads to the next slice, None on the last; `total` counts the whole list."""

    items: list[T]
    cursor: str | None = None
    total: int = 0
    offset: int = 0
    limit: int = 0
    more: bool = False
    extra: dict[str, Any] = field(default_factory=dict[str, Any])

    def map(self, change: Callable[[T], U]) -> "Page[U]":
        """The same page of changed items."""
        return Page(
            [change(i) for i in self.items], self.cursor, self.total, self.offset, self.limit, self.more, self.extra
        )


class BadCursor(ValueError):
    """The cursor is none of ours; the kernel answers it with the app's error for a bad parameter."""


def encode_cursor(offset: int, scope: str = "") -> str:
    """An opaque, URL-safe cursor for a position in a list. `scope` ties it to one kind of list."""
    return base64.urlsafe_b64encode(f"{scope}:{offset}".encode()).decode().rstrip("=")


def decode_cursor(cursor: str, scope: str = "") -> int:
    """The position of a cursor; BadCursor where it is not one, or is another list's."""
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        found, _, offset = text.rpartition(":")
        if found != scope or not offset.isdecimal() or not offset.isascii():
            raise BadCursor(cursor)
        if (place := int(offset)) >= 2**63:  # SQLite counts no further
            raise BadCursor(cursor)
        return place
    except (binascii.Error, ValueError) as error:
        raise BadCursor(cursor) from error


def offset_page(items: Sequence[T], limit: int, offset: int = 0) -> Page[T]:
    """`limit` items from `offset` on."""
    end = offset + limit
    return Page(list(items[offset:end]), total=len(items), offset=offset, limit=limit, more=end < len(items))


def cursor_page(items: Sequence[T], limit: int, cursor: str | None = None, scope: str = "") -> Page[T]:
    """`limit` items from an opaque cursor on; an empty or absent cursor is the start."""
    page = offset_page(items, limit, decode_cursor(cursor, scope) if cursor else 0)
    page.cursor = encode_cursor(page.offset + limit, scope) if page.more else None
    return page


def numbered_page(items: Sequence[T], per_page: int, page: int = 1) -> Page[T]:
    """Page number `page`, counted from 1."""
    return offset_page(items, per_page, (page - 1) * per_page)


def keyset_page(
    items: Sequence[T], limit: int, key: Callable[[T], str], after: str | None = None, before: str | None = None
) -> Page[T]:
    """The `limit` items behind `after`, or the last `limit` ahead of `before`. KeyError names an id that is not in the list."""
    keys = [key(item) for item in items]
    for wanted in filter(None, (after, before)):
        if wanted not in keys:
            raise KeyError(wanted)
    start = keys.index(after) + 1 if after else 0
    end = keys.index(before) if before else len(items)
    if before and not after:
        first = max(start, end - limit)
        return Page(list(items[first:end]), total=len(items), offset=first, limit=limit, more=first > start)
    return Page(
        list(items[start : min(end, start + limit)]),
        total=len(items),
        offset=start,
        limit=limit,
        more=start + limit < end,
    )


def link_header(
    url: str, page: int, per_page: int, total: int, *, page_key: str = "page", size_key: str = "per_page"
) -> str:
    """RFC 8288 links to the first, previous, next and last page of the list at `url`; empty where there is one page."""
    last = max(1, -(-total // per_page))
    parts = urlsplit(url)
    query = [(k, v) for k, v in parse_qsl(parts.query, keep_blank_values=True) if k != page_key]
    if all(k != size_key for k, _ in query) and per_page:
        query.append((size_key, str(per_page)))

    def link(number: int, rel: str) -> str:
        return f'<{parts._replace(query=urlencode([*query, (page_key, str(number))])).geturl()}>; rel="{rel}"'

    links = list[str]()
    if page > 1:
        links += [link(min(page - 1, last), "prev")]
    if page < last:
        links += [link(page + 1, "next"), link(last, "last")]
    if page > 1:
        links += [link(1, "first")]
    return ", ".join(links)
