"""Pages of lists. The 2010 API puts the page's data beside the records, the newer products put them under `meta`.

https://www.twilio.com/docs/usage/twilios-response#response-formats-list-paging-information
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar
from urllib.parse import urlencode

from legoenv_mcp.app import MISSING, Ctx, Field, Query, keyset_page
from legoenv_mcp.app import Page as Slice

from .errors import PAGE_SIZES, refuse

R = TypeVar("R")

PageSize = Annotated[
    Annotated[int, Field(ge=1, le=PAGE_SIZES, description="How many to answer with (20 unless said).")] | MISSING,
    Query(),
]
PageToken = Annotated[
    str | MISSING,
    Field(description="Where to go on: the PageToken in the last answer's next_page_uri or next_page_url."),
]
PageNumber = Annotated[
    Annotated[int, Field(ge=0, le=10**6, description="The page's number, from 0.")] | MISSING, Query("Page", mcp=False)
]

_REST, _AGENTS = 50, 20


def given(value: Any, default: Any = None) -> Any:
    """A parameter's value, or the default where it was not sent."""
    return default if value is MISSING else value


def link(ctx: Ctx, path: str) -> str:
    """The address of a resource of one of the newer products, whose own prefix the path starts with."""
    if ctx.request.base:
        return ctx.request.base + path
    product, _, rest = path.lstrip("/").partition("/")
    return f"https://{product}.twilio.com/{rest}"


def _sliced(ctx: Ctx, rows: Sequence[R], key: Callable[[R], str], size: int, number: int, token: str) -> Slice[R]:
    """A page's rows. Tokens are PA and the SID they follow, or PB and the SID they come before."""
    if not token:
        return Slice(list(rows[number * size : (number + 1) * size]), more=len(rows) > (number + 1) * size)
    kind, sid = token[:2], token[2:]
    if kind not in ("PA", "PB") or not any(key(row) == sid for row in rows):
        raise refuse(400, 20001, f"Invalid PageToken: {token[:100]}")
    if kind == "PA":
        return keyset_page(rows, size, key, after=sid)
    made = keyset_page(rows, size, key, before=sid)
    made.more = True  # the row that the token names follows
    return made


def _pages(
    ctx: Ctx, rows: Sequence[R], key: Callable[[R], str], size: Any, number: Any, token: Any
) -> tuple[list[R], dict[str, str], int, int]:
    """The page's rows; the query strings of the first, this, the next and the previous page; its number and size."""
    size = given(size, _REST if ctx.request.method else _AGENTS)
    number, token = given(number, 0), given(token, "")
    made = _sliced(ctx, rows, key, size, number, token)
    kept = {k: v for k, v in ctx.request.query.items() if k not in ("Page", "PageToken", "PageSize")}
    if not ctx.request.method:
        assert ctx.operation is not None
        params = ctx.operation.params
        kept = {params[n].wire: v for n, v in ctx.sent().items() if n not in ("PageSize", "PageToken", "Page")}

    def query(page: int, word: str = "") -> str:
        return urlencode({**kept, "PageSize": size, "Page": page, **({"PageToken": word} if word else {})}, doseq=True)

    found = {"first": query(0), "this": query(number, token)}
    if made.more and made.items:
        found["next"] = query(number + 1, "PA" + key(made.items[-1]))
    if number > 0 and made.items:
        found["previous"] = query(number - 1, "PB" + key(made.items[0]))
    return made.items, found, number, size


def listing(
    ctx: Ctx, path: str, name: str, rows: Sequence[R], show: Callable[[Ctx, R], dict[str, Any]], size: Any, number: Any, token: Any, *,
    key: Callable[[R], str] = lambda row: row.sid,  # pyright: ignore[reportAttributeAccessIssue]
) -> dict[str, Any]:  # fmt: skip
    """A page as the 2010 API has it."""
    items, queries, page, size = _pages(ctx, rows, key, size, number, token)

    def uri(which: str) -> str | None:
        return f"{path}?{queries[which]}" if which in queries else None

    start = page * size
    return {
        "first_page_uri": uri("first"), "end": start + max(0, len(items) - 1), "previous_page_uri": uri("previous"),
        name: [show(ctx, item) for item in items],
        "uri": uri("this"), "page_size": size, "start": start, "next_page_uri": uri("next"), "page": page,
    }  # fmt: skip


def meta_listing(
    ctx: Ctx, path: str, name: str, rows: Sequence[R], show: Callable[[Ctx, R], dict[str, Any]], size: Any, number: Any, token: Any, *,
    key: Callable[[R], str] = lambda row: row.sid,  # pyright: ignore[reportAttributeAccessIssue]
) -> dict[str, Any]:  # fmt: skip
    """A page as the newer products have it."""
    items, queries, page, size = _pages(ctx, rows, key, size, number, token)

    def url(which: str) -> str | None:
        return f"{link(ctx, path)}?{queries[which]}" if which in queries else None

    return {
        "meta": {
            "page": page, "page_size": size, "first_page_url": url("first"), "previous_page_url": url("previous"), "url": url("this"),
            "next_page_url": url("next"), "key": name,
        },
        name: [show(ctx, item) for item in items],
    }  # fmt: skip
