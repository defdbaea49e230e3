"""Shopify's resources as tables.

Columns bear the API's names. Money is in cents; what follows from other rows (an order's totals after refunds, a customer's number of
orders, a variant's stock) is computed when it is shown. Times are UTC and shown in the shop's time zone. Ids grow with time, as
`since_id` needs.
"""

from typing import Any

from legoenv_mcp.app import Ctx, Row, draw, registry

Object = dict[str, Any]


class Table(Row, registry=registry()):
    """The base of Shopify's tables."""


# A shop's ids share their remainder by this: they are so far apart.
_STEP = 32768
_FIRST = {"Shop": 62710093826, "Location": 65890123778}


def new(ctx: Ctx, kind: str) -> int:
    """The next id of a resource. Each kind counts from a place of its own, so that an id of one is hardly ever another's."""
    first = (
        _FIRST.get(kind) or 4_000_000_000_000 + int.from_bytes(draw("shopify", kind, size=4)) * 1000 // _STEP * _STEP
    )
    return ctx.sequence(kind, start=first + 2178, step=_STEP)
