"""Shopify's resources as tables.

Columns bear the API's names. Money is in cents; what follows from other rows (an order's totals after refunds, a customer's number of
orders, a variant's stock) is computed when it is shown. Times are UTC and shown in the shop's time zone. Ids grow with time, as
`since_id` needs.
"""

from typing import Any

from legoenv_mcp.app import Ctx, Row, registry

Object = dict[str, Any]


class Table(Row, registry=registry()):
    """The base of Shopify's tables."""


# Where a resource's ids begin, and how far they are apart: a shop's ids share their remainder.
_FIRST = {
    "Order": 5401882034178, "Customer": 6842090127362, "Product": 7982301184002, "Variant": 43980465111042, "Location": 65890123778,
    "Shop": 62710093826,
}  # fmt: skip


def new(ctx: Ctx, kind: str) -> int:
    """The next id of a resource."""
    return ctx.sequence(kind, start=_FIRST.get(kind, 4620817039362), step=32768)
