"""The base of Stripe's tables, and the shapes they share.

Columns bear the API's names where the API has them (`metadata_` alone cannot). What the API derives (a balance transaction's
status, whether a coupon is still valid, the URLs of hosted pages) is derived when it is shown and is no column. Times are
seconds since 1970.
"""

from typing import Any

from legoenv_mcp.app import Row, registry

Metadata = dict[str, str]
Object = dict[str, Any]


class Table(Row, registry=registry()):
    """The base of Stripe's tables."""
