"""Pages: cursors for contacts, conversations and searches; numbers elsewhere.
https://developers.intercom.com/docs/build-an-integration/learn-more/rest-apis/pagination"""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from legoenv_mcp.app import Ctx

from . import errors

T = TypeVar("T")
Rank = tuple[int, float, str]
MOST_PAGES = 1_000_000


def rank(value: Any) -> Rank:
    """A place in an order that holds values of any kind, absent ones first."""
    if value is None:
        return (0, 0, "")
    if isinstance(value, (int, float)):
        return (1, value, "")
    return (2, 0, str(value).casefold())


def _place(key: str) -> tuple[int, str]:
    """Ids in the order in which they were given out: numbers by size."""
    return (len(key), key)


def _encode(value: Any, key: str, page: int) -> str:
    text = json.dumps([value, key, page], separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decode(cursor: str) -> tuple[Any, str, int]:
    try:
        made = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode())
        value, key, page = made
        good = isinstance(value, (str, int, float, type(None))) and isinstance(key, str) and isinstance(page, int)
    except (ValueError, TypeError, binascii.Error, RecursionError):
        good, value, key, page = False, None, "", 0
    if not good or not 1 <= page <= MOST_PAGES:
        raise errors.invalid_parameter("The starting_after value is not a valid cursor")
    return value, key, page


def slice_of(
    rows: Sequence[T], key: Callable[[T], Any], ident: Callable[[T], str], per_page: int, starting_after: str | None,
    page: int = 1, *, descending: bool = True,
) -> tuple[list[T], dict[str, Any], int]:  # fmt: skip
    """Rows in order, from a cursor on; with the `pages` object and how many there are in all."""

    def place(row: T) -> tuple[Rank, tuple[int, str]]:
        return rank(key(row)), _place(ident(row))

    ordered = sorted(rows, key=place, reverse=descending)
    total = len(ordered)
    if starting_after:
        value, last, page = _decode(starting_after)
        anchor = (rank(value), _place(last))
        ordered = [row for row in ordered if (place(row) < anchor if descending else place(row) > anchor)]
    else:
        ordered = ordered[(page - 1) * per_page :]
    shown = ordered[:per_page]
    pages: dict[str, Any] = {"type": "pages", "page": page, "per_page": per_page, "total_pages": -(-total // per_page)}
    if len(ordered) > per_page:
        cursor = _encode(key(shown[-1]), ident(shown[-1]), page + 1)
        pages["next"] = {"page": page + 1, "per_page": per_page, "starting_after": cursor}
    return shown, pages, total


def numbered(
    ctx: Ctx, rows: Sequence[T], show: Callable[[T], Any], page: int, per_page: int, path: str = ""
) -> dict[str, Any]:
    """One page by its number. Where `path` is given, the next page's address is told."""
    start = (page - 1) * per_page
    shown = rows[start : start + per_page]
    more = start + per_page < len(rows)
    base = ctx.request.base or "https://api.intercom.io"
    pages: dict[str, Any] = {
        "type": "pages", "next": None, "page": page, "per_page": per_page, "total_pages": -(-len(rows) // per_page),
    }  # fmt: skip
    if path and more:
        pages["next"] = f"{base}{path}?page={page + 1}&per_page={per_page}"
    return {"type": "list", "data": [show(row) for row in shown], "total_count": len(rows), "pages": pages}


def whole(items: list[Any]) -> dict[str, Any]:
    """A list that comes in one piece."""
    return {"type": "list", "data": items}
