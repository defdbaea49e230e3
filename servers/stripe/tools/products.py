"""Products: what is sold. https://docs.stripe.com/api/products"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Field
from legoenv_mcp.app import Query as InQuery

from ..app import app
from ..errors import no_such, refuse
from ..events import emit
from ..ids import new
from ..lists import listing, searching
from ..models import Price, Product
from ..params import (
    After,
    Before,
    Created,
    Expand,
    ExpandBody,
    Limit,
    MetadataParam,
    Params,
    Query,
    Text,
    Token,
    asked,
    given,
    merged,
    times,
)
from ..resources import deleted, show
from .prices import Recurring, add_price


class DefaultPriceData(Params):
    """A price made along with the product."""

    currency: str = Field(description="Three-letter currency code.")
    unit_amount: int = Field(ge=0, description="Price in the smallest unit.")
    recurring: Recurring | None = Field(
        default=None, description="How often it is charged; absent for a one-off price."
    )


Images = Annotated[list[str], Field(max_length=8)]


@app.post("/v1/products", tool="create_product")
def create_product(
    ctx: Ctx, name: Annotated[str, Field(min_length=1, max_length=250)], description: Text | MISSING = MISSING, active: bool = True,
    id: Annotated[str, Field(min_length=1, max_length=255)] | MISSING = MISSING,
    default_price_data: DefaultPriceData | MISSING = MISSING, images: Annotated[Images | MISSING, Body(mcp=False)] = MISSING,
    shippable: Annotated[bool | MISSING, Body(mcp=False)] = MISSING,
    statement_descriptor: Annotated[Annotated[str, Field(max_length=22)] | MISSING, Body(mcp=False)] = MISSING,
    tax_code: Annotated[str | MISSING, Body(mcp=False)] = MISSING,
    unit_label: Annotated[str, Field(max_length=12)] | MISSING = MISSING, url: Text | MISSING = MISSING,
    metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a product. What it costs is in prices.

    name: The product's name, which customers see.
    description: The product's description, which customers see.
    active: Whether it can be bought.
    id: An ID of your own choice; by default one is made.
    default_price_data: A price to make with it and set as its default.
    images: Up to eight URLs of images.
    shippable: Whether it is goods.
    statement_descriptor: Text on customers' statements.
    tax_code: A tax code.
    unit_label: What a unit is called on receipts, such as `seat`.
    url: A page about it.
    """
    key = id if id is not MISSING else new(ctx, "prod")
    if ctx.db.get(Product, key):
        raise refuse("Product already exists.", code="resource_already_exists", param="id")
    values = given(ctx.sent(), "id", "default_price_data", "metadata", "name")
    now = ctx.epoch()
    row = ctx.db.add(Product(id=key, created=now, updated=now, name=name, metadata_=merged({}, metadata), **values))
    emit(ctx, "product.created", row)
    if default_price_data is not MISSING:
        data = default_price_data
        price = add_price(ctx, row, data.currency, data.unit_amount, data.recurring, "default_price_data")
        ctx.db.update(row, default_price=price.id)
    return show(ctx, row)


@app.get("/v1/products/search", tool="search_products", mcp=False)
def search_products(
    ctx: Ctx, query: Query, limit: Limit = 10, page: Token = MISSING, expand: Expand = MISSING
) -> dict[str, Any]:
    """Searches products by `active`, `description`, `metadata`, `name`, `shippable` and `url`."""
    return searching(ctx, Product, query, limit, page)


@app.get("/v1/products/{id}", tool="retrieve_product", mcp=False)
def retrieve_product(ctx: Ctx, id: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves a product.

    id: The product's ID.
    """
    return show(ctx, ctx.require(Product, id))


@app.get("/v1/products", tool="list_products")
def list_products(
    ctx: Ctx, active: bool | MISSING = MISSING, ids: Annotated[list[str], Field(max_length=100)] | MISSING = MISSING,
    shippable: Annotated[bool | MISSING, InQuery(mcp=False)] = MISSING, url: Annotated[str | MISSING, InQuery(mcp=False)] = MISSING,
    created: Created = MISSING, limit: Limit = 10, starting_after: After = MISSING, ending_before: Before = MISSING,
    expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists products, newest first.

    active: Only those that can or cannot be bought.
    ids: Only these.
    shippable: Only goods, or only what is not.
    url: Only with this page.
    """
    filters = {
        "active": asked(active), "shippable": asked(shippable), "url": asked(url), "id__in": asked(ids), **times("created", created),
    }  # fmt: skip
    return listing(ctx, Product, "/v1/products", limit, starting_after, ending_before, **filters)


@app.post("/v1/products/{id}", tool="update_product", effect="update")
def update_product(
    ctx: Ctx, id: str, name: Annotated[str, Field(min_length=1, max_length=250)] | MISSING = MISSING,
    description: Text | MISSING = MISSING, active: bool | MISSING = MISSING, default_price: str | MISSING = MISSING,
    images: Annotated[Images | Literal[""] | MISSING, Body(mcp=False)] = MISSING,
    shippable: Annotated[bool | MISSING, Body(mcp=False)] = MISSING,
    statement_descriptor: Annotated[Annotated[str, Field(max_length=22)] | MISSING, Body(mcp=False)] = MISSING,
    tax_code: Annotated[str | MISSING, Body(mcp=False)] = MISSING,
    unit_label: Annotated[str, Field(max_length=12)] | MISSING = MISSING, url: Text | MISSING = MISSING,
    metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields that are sent. Archive a product with `active: false`.

    id: The product's ID.
    name: The product's name.
    description: The product's description.
    active: Whether it can be bought.
    default_price: The price to show first; one of its own.
    images: Up to eight URLs of images.
    shippable: Whether it is goods.
    statement_descriptor: Text on customers' statements.
    tax_code: A tax code.
    unit_label: What a unit is called on receipts.
    url: A page about it.
    """
    row = ctx.require(Product, id)
    was = show(ctx, row)
    changes = given(ctx.sent(), "metadata")
    if "images" in changes:
        changes["images"] = changes["images"] or []
    if changes.get("default_price"):
        price = ctx.db.get(Price, changes["default_price"])
        if price is None:
            raise no_such("Price", changes["default_price"], param="default_price", status=400)
        if price.product != row.id:
            raise refuse(f"The price {price.id} does not belong to the product {row.id}.", param="default_price")
    if metadata is not MISSING:
        changes["metadata_"] = merged(row.metadata_, metadata)
    ctx.db.update(row, **changes, updated=ctx.epoch())
    emit(ctx, "product.updated", row, was=was)
    return show(ctx, row)


@app.delete("/v1/products/{id}", tool="delete_product", mcp=False)
def delete_product(ctx: Ctx, id: str) -> dict[str, Any]:
    """Deletes a product that has no prices. Others are archived instead.

    id: The product's ID.
    """
    row = ctx.require(Product, id)
    if ctx.db.first(Price, product=row.id):
        raise refuse("This product cannot be deleted because it has one or more user-created prices.")
    emit(ctx, "product.deleted", row)
    ctx.db.delete(row)
    return deleted("product", id)
