"""Brands, and the account's own settings. https://developer.zendesk.com/api-reference/ticketing/account-configuration/brands/"""

from typing import Any

from legoenv_mcp.app import Ctx

from .. import ids, resources
from ..app import app
from ..models import Brand
from ..paging import Page, PerPage, listing


@app.get("/api/v2/brands", tool="list_brands", mcp=False)
def list_brands(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the account's brands."""
    return listing(ctx, "brands", ctx.db.find(Brand), lambda b: resources.brand(ctx, b), page=page, per_page=per_page)


@app.get("/api/v2/brands/{brand_id}", tool="show_brand", mcp=False)
def show_brand(ctx: Ctx, brand_id: int) -> dict[str, Any]:
    """Shows a brand.

    brand_id: The brand's id.
    """
    return {"brand": resources.brand(ctx, ctx.require(Brand, brand_id))}


@app.get("/api/v2/account", tool="show_account", mcp=False)
def show_account(ctx: Ctx) -> dict[str, Any]:
    """Shows the account."""
    own = ids.account(ctx)
    return {
        "account": {
            "url": f"https://{own.subdomain}.zendesk.com", "name": own.name, "subdomain": own.subdomain, "time_zone": "UTC",
            "owner_id": ids.me(ctx), "multiproduct": False, "sandbox": False,
        }
    }  # fmt: skip
