"""Lists and searches: Stripe's two kinds of page. https://docs.stripe.com/api/pagination"""

from collections.abc import Callable
from typing import Any, TypeVar

from legoenv_mcp.app import MISSING, BadCursor, Ctx, Row, decode_cursor, encode_cursor

from .errors import no_such, refuse
from .models import Charge, Coupon, Customer, Invoice, PaymentIntent, PaymentLink, Product, Subscription
from .query import compile_query
from .resources import show

R = TypeVar("R", bound=Row)

# Filters that name an object: one that does not exist is a mistake, not an empty list.
NAMED: dict[str, type[Row]] = {
    "charge": Charge, "coupon": Coupon, "customer": Customer, "invoice": Invoice, "payment_intent": PaymentIntent,
    "payment_link": PaymentLink, "product": Product, "subscription": Subscription,
}  # fmt: skip


def listing(
    ctx: Ctx, model: type[R], path: str, size: int, after: Any = MISSING, before: Any = MISSING, /, *, by: str = "created", **filters: Any
) -> dict[str, Any]:  # fmt: skip
    """A page of a table, newest first, behind or ahead of an object."""
    if after is not MISSING and before is not MISSING:
        raise refuse(
            "You may only specify one of these parameters: ending_before, starting_after.", param="ending_before"
        )
    for name, kind in NAMED.items():
        if isinstance(key := filters.get(name), str) and ctx.db.get(kind, key) is None:
            raise no_such(kind.__name__, key, param=name, status=400)
    rows, more = _slice(ctx, model, size, after, before, by, filters)
    return {"object": "list", "data": [show(ctx, row) for row in rows], "has_more": more, "url": path}


def _slice(
    ctx: Ctx, model: type[R], limit: int, after: Any, before: Any, by: str, filters: dict[str, Any]
) -> tuple[list[R], bool]:
    if after is MISSING and before is MISSING:
        rows = ctx.db.find(model, order=f"-{by}", limit=limit + 1, **filters)
        return rows[:limit], len(rows) > limit
    name, key = ("starting_after", after) if before is MISSING else ("ending_before", before)
    key = str(key)
    edge = ctx.db.get(model, key)
    if edge is None:
        raise no_such(model.__name__, key, param=name, status=400)
    # Rows of the edge's own second come along and are dropped up to the edge: the key breaks the tie.
    moment, forward = getattr(edge, by), before is MISSING
    ties = ctx.db.count(model, **{by: moment})
    bound = {f"{by}__{'le' if forward else 'ge'}": moment}
    order = f"-{by}" if forward else f"{by},-id"
    rows = ctx.db.find(model, order=order, limit=limit + 1 + ties, **_both(filters, bound))
    rows = [r for r in rows if getattr(r, by) != moment or ((_key(r) > key) == forward and _key(r) != key)]
    page = rows[:limit]
    return (page if forward else page[::-1]), len(rows) > limit


def _key(row: Row) -> str:
    return row.__dict__["id"]


def _both(filters: dict[str, Any], bound: dict[str, Any]) -> dict[str, Any]:
    """The filters with the bound; where they bound the same way already, the narrower of the two holds."""
    out = dict(filters)
    for word, value in bound.items():
        narrower: Callable[..., Any] = min if word.endswith("le") else max
        out[word] = narrower(out[word], value) if out.get(word) is not None else value
    return out


def whole(
    ctx: Ctx, data: list[Any], url: str, limit: int, after: Any = MISSING, before: Any = MISSING
) -> dict[str, Any]:
    """A page of a short list that is at hand already (an invoice's lines, a link's items)."""
    keys = [item["id"] for item in data]
    for name, key in (("starting_after", after), ("ending_before", before)):
        if key is not MISSING and key not in keys:
            raise refuse(f"No such item: '{key}'", code="resource_missing", param=name)
    start = keys.index(after) + 1 if after is not MISSING else 0
    end = keys.index(before) if before is not MISSING else len(data)
    if before is not MISSING:
        first = max(start, end - limit)
        return {"object": "list", "data": data[first:end], "has_more": first > start, "url": url}
    return {"object": "list", "data": data[start : start + limit], "has_more": start + limit < end, "url": url}


def searching(ctx: Ctx, model: type[R], query: str, limit: int, page: Any) -> dict[str, Any]:
    """A page of a search, newest first. https://docs.stripe.com/search"""
    table = model.shape().table
    condition, values = compile_query(table + "s", query)
    scope = f"{table}\n{query}"
    try:
        offset = decode_cursor(page, scope) if page is not MISSING else 0
    except BadCursor:
        raise refuse(
            "Invalid page token. Pass the `next_page` of the previous answer, with the same query.", param="page"
        ) from None
    if model.__name__ == "Customer":
        condition = f"({condition}) AND NOT deleted"
    rows = ctx.db.where(model, condition, values, order="-created", limit=limit + 1, offset=offset)
    more = len(rows) > limit
    expand = ctx.sent().get("expand", MISSING)
    counted = expand is not MISSING and "total_count" in (expand or [])
    total = {"total_count": len(ctx.db.where(model, condition, values))} if counted else {}
    return {
        "object": "search_result",
        "data": [show(ctx, row) for row in rows[:limit]],
        "has_more": more,
        "next_page": encode_cursor(offset + limit, scope) if more else None,
        "url": f"/v1/{table}s/search",
        **total,
    }
