"""Lists: `results`, `next_cursor` (the id of the first result to come) and `has_more`. https://developers.notion.com/reference/intro#pagination"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

from legoenv_mcp.app import MISSING, Ctx, Field

from .check import uid, validation

T = TypeVar("T")
PageSize = Annotated[int, Field(ge=1, le=100)]
MOST, MODEST = 100, 25
"""How many results a page has when the caller does not say: the product's own number, and a modest one on the MCP face."""


def cut(
    ctx: Ctx, items: Sequence[T], key: Callable[[T], str], start: Any, size: Any, path: str, modest: int = MODEST
) -> tuple[list[T], str | None]:
    """The slice from the cursor on, and the next cursor."""
    limit = (MOST if ctx.request.method else modest) if size is MISSING or size is None else int(size)
    first = 0
    if start is not MISSING and start is not None:
        wanted = uid(start, f"{path}.start_cursor")
        first = next((i for i, one in enumerate(items) if key(one) == wanted), -1)
        if first < 0:
            raise validation(f"The start_cursor provided is invalid: {start}")
    taken = list(items[first : first + limit])
    more = first + limit < len(items)
    return taken, key(items[first + limit]) if more else None


def listing(kind: str, results: list[dict[str, Any]], cursor: str | None) -> dict[str, Any]:
    return {
        "object": "list", "results": results, "next_cursor": cursor, "has_more": cursor is not None, "type": kind, kind: {},
    }  # fmt: skip
