"""Prices made along with what is bought, for it alone. https://docs.stripe.com/products-prices/manage-prices#using-inline-prices"""

from typing import Any, Literal

from pydantic.json_schema import SkipJsonSchema

from legoenv_mcp.app import Ctx, Field

from ..errors import no_such, refuse
from ..events import emit
from ..ids import new
from ..models import Price, Product
from ..params import Pairs, Params, given, merged
from .prices import Recurring, add_price


class InlineProduct(Params):
    """A product made along with the price."""

    name: str = Field(min_length=1, description="The product's name.")
    description: str | None = Field(default=None, description="The product's description.")
    images: list[str] | None = Field(default=None, max_length=8, description="URLs of images.")
    metadata: Pairs | None = Field(default=None, description="Key-value pairs.")
    tax_code: str | None = Field(default=None, description="A tax code.")
    unit_label: str | None = Field(default=None, description="What a unit is called.")


class PriceData(Params):
    """A price made for this purchase alone, instead of one that exists."""

    currency: str = Field(description="Three-letter currency code.")
    unit_amount: int = Field(ge=0, description="What one unit costs, in the smallest unit.")
    product: str | None = Field(default=None, description="ID of the product it is for.")
    product_data: InlineProduct | None = Field(
        default=None, description="A product to make, instead of `product`; not for subscriptions and invoice items."
    )
    recurring: Recurring | None = Field(
        default=None, description="How often it is charged; absent for a one-off price."
    )
    tax_behavior: Literal["exclusive", "inclusive", "unspecified"] = Field(
        default="unspecified", description="Whether the amount includes tax."
    )


# Too deep for agents' schemas: on the MCP face a price is made first.
Inline = SkipJsonSchema[PriceData | None]


def chosen(price: str | None, data: PriceData | None, place: str) -> None:
    """Refuses both and neither: a purchase names a price or describes one."""
    if price is not None and data is not None:
        raise refuse("You may only specify one of these parameters: price, price_data.", param=f"{place}[price]")
    if price is None and data is None:
        name = f"{place}[price]" if place else "price"
        raise refuse(f"Missing required param: {name}.", code="parameter_missing", param=name)


def inline_price(ctx: Ctx, data: PriceData, place: str, *, products: bool = False) -> Price:
    """The price that was described: no one else can buy at it, so it is not active. With `products` its product may be new too."""
    if data.product_data is not None and not products:
        raise refuse(
            f"Received unknown parameter: {place}[product_data]",
            code="parameter_unknown",
            param=f"{place}[product_data]",
        )
    if (data.product is None) == (data.product_data is None):
        if data.product is None:
            name = f"{place}[product]"
            raise refuse(f"Missing required param: {name}.", code="parameter_missing", param=name)
        raise refuse("You may only specify one of these parameters: product, product_data.", param=f"{place}[product]")
    product = ctx.db.get(Product, data.product) if data.product is not None else _made(ctx, data.product_data)
    if product is None:
        raise no_such("Product", data.product, param=f"{place}[product]", status=400)
    return add_price(
        ctx, product, data.currency, data.unit_amount, data.recurring, place, active=False, tax_behavior=data.tax_behavior
    )  # fmt: skip


def _made(ctx: Ctx, data: Any) -> Product:
    now = ctx.epoch()
    values = {name: value for name, value in given(data.__dict__, "metadata").items() if value is not None}
    row = ctx.db.add(
        Product(id=new(ctx, "prod"), created=now, updated=now, metadata_=merged({}, data.metadata), **values)
    )
    emit(ctx, "product.created", row)
    return row
