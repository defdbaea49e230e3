"""Slack's two ways to page: `limit` and `cursor` with `response_metadata.next_cursor`, and `count` and `page` with `paging`."""

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from legoenv_mcp.app import BadCursor, Ctx, Page, cursor_page

from .access import on_mcp
from .app import err

T = TypeVar("T")


def size(ctx: Ctx, limit: int | None, rest: int, tool: int) -> int:
    """How many to give: what was asked, else the method's default, else fewer to agents (their answers must stay readable)."""
    if limit is not None and not 0 <= limit <= 1000:
        raise err("invalid_limit")
    return limit or (tool if on_mcp(ctx) else rest)


def metadata(cursor: str | None) -> dict[str, Any]:
    return {"response_metadata": {"next_cursor": cursor or ""}}


def cursor_slice(items: Sequence[T], limit: int, cursor: str | None, scope: str) -> Page[T]:
    return cursor_page(items, limit, cursor, scope)


def ts_cursor(ts: str) -> str:
    """Slack's cursor of message lists: it names the next message, so that new ones do not shift it."""
    return base64.b64encode(f"next_ts:{ts.replace('.', '')}".encode()).decode()


def cursor_ts(cursor: str) -> str:
    try:
        word, _, digits = base64.b64decode(cursor, validate=True).decode().partition(":")
    except (binascii.Error, ValueError) as error:
        raise BadCursor(cursor) from error
    if word != "next_ts" or not digits.isascii() or not digits.isdecimal() or len(digits) != 16:
        raise BadCursor(cursor)
    return f"{digits[:10]}.{digits[10:]}"


def numbered(items: Sequence[T], count: int, page: int, show: Callable[[T], Any]) -> tuple[list[Any], dict[str, Any]]:
    """A page of a list and its `paging` object."""
    start = (page - 1) * count
    paging = {"count": count, "total": len(items), "page": page, "pages": -(-len(items) // count)}
    return [show(item) for item in items[start : start + count]], paging
