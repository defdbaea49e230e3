"""Collections: `count` rows from a page token on, and the links to the next and the previous page."""

import re
from collections.abc import Callable
from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qsl, urlencode

from legoenv_mcp.app import Ctx, Field, decode_cursor, encode_cursor

from . import errors
from .models import Table
from .uris import API

R = TypeVar("R", bound=Table)
Json = dict[str, Any]
Count = Annotated[int, Field(ge=1, le=100)]
MANY = 20


def order_by(text: str | None, fields: tuple[str, ...], default: str) -> str:
    """`name:asc,created_at:desc` as the store's order."""
    parts = list[str]()
    for part in (text or default).split(","):
        found = re.fullmatch(r"\s*(\w+):(asc|desc)\s*", part)
        if found is None or found[1] not in fields:
            allowed = ", ".join(fields)
            raise errors.invalid(
                ("sort", f"must be field:direction, of the fields {allowed} and the directions asc, desc")
            )
        parts.append(("-" if found[2] == "desc" else "") + found[1])
    return ",".join(dict.fromkeys(parts))


def paged(
    ctx: Ctx, kind: type[R], show: Callable[[R], Json], count: int, token: str | None, order: str = "", **filters: Any
) -> Json:  # fmt: skip
    """A page of the rows that pass the filters."""
    return _page(
        ctx, lambda limit, offset: ctx.db.find(kind, order=order, limit=limit, offset=offset, **filters), show, count, token
    )  # fmt: skip


def paged_where(
    ctx: Ctx, kind: type[R], show: Callable[[R], Json], count: int, token: str | None, order: str, condition: str, values: list[Any]
) -> Json:  # fmt: skip
    """A page of the rows for which an SQL condition holds."""
    return _page(
        ctx, lambda limit, offset: ctx.db.where(kind, condition, values, order=order, limit=limit, offset=offset), show, count, token
    )  # fmt: skip


def listed(ctx: Ctx, items: list[R], show: Callable[[R], Json], count: int, token: str | None) -> Json:
    """A page of a list at hand."""
    return _page(ctx, lambda limit, offset: items[offset : offset + limit], show, count, token)


def _page(
    ctx: Ctx, rows: Callable[[int, int], list[R]], show: Callable[[R], Json], count: int, token: str | None
) -> Json:
    scope = ctx.operation.tool if ctx.operation else ""
    offset = decode_cursor(token, scope) if token else 0
    found = rows(count + 1, offset)
    ahead = encode_cursor(offset + count, scope) if len(found) > count else None
    behind = encode_cursor(max(0, offset - count), scope) if offset else None
    shown = [show(row) for row in found[:count]]
    pagination = {
        "count": len(shown), "next_page": _link(ctx, ahead), "previous_page": _link(ctx, behind), "next_page_token": ahead,
        "previous_page_token": behind,
    }  # fmt: skip
    return {"collection": shown, "pagination": pagination}


def whole(items: list[Json]) -> Json:
    """A collection of one page."""
    pagination = dict.fromkeys(("next_page", "previous_page", "next_page_token", "previous_page_token"))
    return {"collection": items, "pagination": {"count": len(items), **pagination}}


def _link(ctx: Ctx, token: str | None) -> str | None:
    """The address of another page, under which the caller reached this one."""
    if token is None:
        return None
    kept = [
        (k, v) for k, v in parse_qsl(ctx.request.url.partition("?")[2], keep_blank_values=True) if k != "page_token"
    ]
    return f"{ctx.request.base or API}{ctx.request.path}?{urlencode([*kept, ('page_token', token)])}"
