"""Lists: pages with an offset token and what is left of the way. https://developers.asana.com/docs/pagination"""

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode

from legoenv_mcp.app import BadCursor, Ctx, Page, decode_cursor, encode_cursor

from .app import API, bad, over_mcp, plain
from .fields import chosen, shown

TOOL_PAGE = 50
MOST = 1000


def one(ctx: Ctx, row: Any, opt_fields: str | None) -> dict[str, Any]:
    """A whole record."""
    return shown(ctx, row, chosen(opt_fields), full=True)


def page(
    ctx: Ctx, rows: Sequence[Any], opt_fields: str | None, limit: int | None = None, offset: str | None = None, *, full: bool = False
) -> Page[Any]:  # fmt: skip
    """A page of a list, its records compact. Programs that name no limit are given all, if that is not too much."""
    opt = chosen(opt_fields)
    scope = ctx.operation.tool if ctx.operation else ""
    try:
        start = decode_cursor(offset, scope) if offset else 0
    except BadCursor:
        raise bad("offset: Your pagination token is invalid.") from None
    if limit is None and not over_mcp(ctx) and len(rows) - start > MOST:
        raise bad("The result is too large. You should use pagination (may require specifying a workspace)!")
    size = limit or (TOOL_PAGE if over_mcp(ctx) else MOST)
    made = [shown(ctx, row, opt, full=full) for row in rows[start : start + size]]
    if over_mcp(ctx) and not opt:
        made = [plain(record) for record in made]
    result = Page[Any](made, offset=start, limit=size, more=start + size < len(rows))
    result.extra["next_page"] = _next(ctx, encode_cursor(start + size, scope)) if result.more else None
    return result


def _next(ctx: Ctx, token: str) -> dict[str, Any]:
    if over_mcp(ctx):
        return {"offset": token}
    path = ctx.request.path.removeprefix(API)
    query = [(k, v) for k, v in parse_qsl(ctx.request.url.partition("?")[2], keep_blank_values=True) if k != "offset"]
    path += f"?{urlencode([*query, ('offset', token)])}"
    return {"offset": token, "path": path, "uri": f"{ctx.request.base or 'https://app.asana.com'}{API}{path}"}
