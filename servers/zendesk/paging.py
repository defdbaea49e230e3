"""Lists by offset (`page`, `per_page`) or cursor (`page[size]`, `page[after]`, `page[before]`, `sort`), as callers ask.

https://developer.zendesk.com/api-reference/introduction/pagination/ The cursor parameters are the REST face's; agents page by number.
"""

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qsl, urlencode

from pydantic import BeforeValidator

from legoenv_mcp.app import Ctx, Field

from . import errors, ids

T = TypeVar("T")
DEPTH = 10_000
Key = Callable[[Any], Any]

Page = Annotated[int, Field(ge=1, description="Which page, counted from 1.")]
PerPage = Annotated[
    Annotated[int, Field(ge=1)] | None,
    Field(description="How many records a page has: at most 100. Default 25 for tools."),
]
SortOrder = Annotated[str | None, Field(description="`asc` or `desc`.")]


def split(value: Any) -> Any:
    """Ids as one text, `1,2,3`, or as a list."""
    if isinstance(value, str):
        value = [value]
    if isinstance(value, list):
        return [part for item in value for part in (filter(None, item.split(",")) if isinstance(item, str) else [item])]
    return value


IdList = Annotated[list[int], BeforeValidator(split)]
TextList = Annotated[list[str], BeforeValidator(split)]


def size_of(ctx: Ctx, per_page: int | None, top: int = 100) -> int:
    return min(per_page or (top if ctx.request.method else 25), top)


def rank(value: Any) -> tuple[int, Any]:
    """A sort key that takes nulls first."""
    return (0, 0) if value is None else (1, value.casefold() if isinstance(value, str) else value)


def by(name: str) -> Key:
    return lambda row: (rank(getattr(row, name)), row.id)


def ordered(items: Sequence[T], orders: Mapping[str, Key], sort_by: str | None, sort_order: str | None) -> list[T]:
    """The items sorted as `sort_by` and `sort_order` say; as they are where they say nothing."""
    if sort_order is not None and sort_order.lower() not in ("asc", "desc"):
        raise errors.attribute("sort_order", "must be asc or desc")
    if sort_by is None:
        return list(items)[:: -1 if sort_order and sort_order.lower() == "desc" else 1]
    key = orders.get(sort_by)
    if key is None:
        raise errors.attribute("sort_by", f"must be one of {', '.join(orders)}")
    return sorted(items, key=key, reverse=(sort_order or "asc").lower() == "desc")


def wants_cursor(ctx: Ctx) -> bool:
    return any(f"page[{word}]" in ctx.request.query for word in ("size", "after", "before"))


def listing(
    ctx: Ctx, name: str, items: Sequence[T], show: Callable[[T], Any], *, page: int = 1, per_page: int | None = None,
    cursor_sorts: Mapping[str, Key] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """One page of a list under its name, with what leads to the others."""
    if wants_cursor(ctx):
        return by_cursor(ctx, name, items, show, cursor_sorts or {"id": lambda row: row.id})
    size = size_of(ctx, per_page)
    if page * size > DEPTH:
        raise errors.listed(
            "InvalidPaginationDepth",
            "Pagination requests using Offset Pagination are limited",
            f"Number of pagination requests using Offset Pagination exceeded {DEPTH} records; use Cursor Pagination instead",
        )
    start = (page - 1) * size
    return {
        name: [show(item) for item in items[start : start + size]],
        "next_page": _numbered(ctx, page + 1) if start + size < len(items) else None,
        "previous_page": _numbered(ctx, page - 1) if page > 1 else None,
        "count": len(items),
    }


def here(ctx: Ctx, drop: tuple[str, ...], **more: Any) -> str:
    """The address that was asked, with other parameters in place of some."""
    pairs = [(k, v) for k, v in parse_qsl(ctx.request.url.partition("?")[2], keep_blank_values=True) if k not in drop]
    if ctx.request.method:
        address = f"{ids.base(ctx)}{ctx.request.path}"
    else:
        path = ctx.operation.path if ctx.operation else ""
        given = ctx.args.model_dump(exclude_unset=True) if ctx.args else {}
        for key, value in given.items():
            if f"{{{key}}}" in path:
                path = path.replace(f"{{{key}}}", str(value))
            elif key not in drop and not isinstance(value, (dict, list)):
                pairs.append((key, str(value)))
        address = f"{ids.base(ctx)}{path}.json"
    return f"{address}?{urlencode([*pairs, *more.items()])}"


def _numbered(ctx: Ctx, page: int) -> str:
    return here(ctx, ("page",), page=page)


def by_cursor(
    ctx: Ctx, name: str, items: Sequence[T], show: Callable[[T], Any], sorts: Mapping[str, Key], top: int = 100
) -> dict[str, Any]:
    query = ctx.request.query
    size = _size(query.get("page[size]", str(top)), top)
    sort = query.get("sort", next(iter(sorts)))
    word = sort.removeprefix("-")
    if word not in sorts:
        raise errors.listed("InvalidPaginationParameter", "Invalid sort", f"sort is not valid: {sort}")
    down = sort.startswith("-")
    keyed = sorted(((_comparable(sorts[word](item), item), item) for item in items), key=lambda p: p[0], reverse=down)
    after, before = query.get("page[after]"), query.get("page[before]")
    try:
        if after:
            place = _decode(after, sort)
            keyed = [pair for pair in keyed if (pair[0] < place if down else pair[0] > place)]
        if before:
            place = _decode(before, sort)
            keyed = [pair for pair in keyed if (pair[0] > place if down else pair[0] < place)]
    except (TypeError, ValueError):
        raise errors.listed(
            "InvalidPaginationParameter", "Invalid cursor", "The cursor is not one of this list"
        ) from None
    if before and not after:
        more, shown = len(keyed) > size, keyed[-size:]
    else:
        more, shown = len(keyed) > size, keyed[:size]
    first, last = (_encode(shown[0][0], sort), _encode(shown[-1][0], sort)) if shown else (None, None)
    drop = ("page[after]", "page[before]", "page[size]")
    return {
        name: [show(item) for _, item in shown],
        "meta": {"has_more": more, "after_cursor": last, "before_cursor": first},
        "links": {
            "prev": here(ctx, drop, **{"page[before]": first, "page[size]": size}) if first else None,
            "next": here(ctx, drop, **{"page[after]": last, "page[size]": size}) if last else None,
        },
    }


def _size(text: str, top: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 19 and 0 < int(text) <= top):
        raise errors.listed(
            "InvalidPaginationParameter", "Invalid page size", f"page[size] must be an integer between 1 and {top}"
        )
    return int(text)


def _comparable(value: Any, item: Any) -> list[Any]:
    """A place in a list: the sort value, then the id."""
    flat = list(value) if isinstance(value, tuple) else [value]
    flat = [list(part) if isinstance(part, tuple) else part for part in flat]
    return [flat, item.id if hasattr(item, "id") else 0]


def _encode(place: list[Any], sort: str) -> str:
    return base64.urlsafe_b64encode(json.dumps({"o": sort, "v": place}).encode()).decode().rstrip("=")


def _decode(cursor: str, sort: str) -> list[Any]:
    made = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    if not isinstance(made, dict) or made.get("o") != sort or not isinstance(made.get("v"), list):
        raise ValueError(cursor)
    return made["v"]
