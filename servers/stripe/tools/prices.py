"""Prices: what products cost. https://docs.stripe.com/api/prices"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Field

from ..app import app
from ..errors import no_such, refuse
from ..events import emit
from ..ids import new
from ..lists import listing, searching
from ..models import Price, Product
from ..money import known_currency
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
    Token,
    asked,
    given,
    merged,
    times,
)
from ..resources import show

Interval = Literal["day", "week", "month", "year"]
MOST = {"day": 1095, "week": 156, "month": 36, "year": 3}


class Recurring(Params):
    """How often a price is charged."""

    interval: Interval = Field(description="Unit of time between charges.")
    interval_count: int = Field(default=1, ge=1, description="How many of them.")
    trial_period_days: int | None = Field(default=None, description="Days of trial that the price suggests.")
    usage_type: Literal["licensed"] | None = Field(default=None, description="Charged by quantity.")


class ProductData(Params):
    """A product made along with the price."""

    name: str = Field(min_length=1, description="The product's name.")
    id: str | None = Field(default=None, description="An ID of your own choice.")
    active: bool = Field(default=True, description="Whether it can be bought.")
    statement_descriptor: str | None = Field(default=None, description="Text on customers' statements.")
    unit_label: str | None = Field(default=None, description="What a unit is called.")


class RecurringFilter(Params):
    """Which recurring prices."""

    interval: Interval | None = Field(default=None, description="Only charged at this interval.")
    usage_type: Literal["licensed", "metered"] | None = Field(default=None, description="Only this usage type.")


def add_price(
    ctx: Ctx, product: Product, currency: str, unit_amount: int, recurring: Recurring | None, param: str = "", **fields: Any
) -> Price:  # fmt: skip
    """A new price, its interval at most three years."""
    place = f"{param}[currency]" if param else "currency"
    values = dict[str, Any]()
    if recurring is not None:
        if recurring.interval_count > MOST[recurring.interval]:
            raise refuse(
                "Prices can have an interval of at most 3 years (1 year, 12 months, 52 weeks, or 365 days times three).",
                param=f"{param}[recurring][interval_count]" if param else "recurring[interval_count]",
            )
        values = {
            "interval": recurring.interval, "interval_count": recurring.interval_count, "trial_period_days": recurring.trial_period_days,
        }  # fmt: skip
    row = ctx.db.add(
        Price(
            id=new(ctx, "price"), created=ctx.epoch(), product=product.id, currency=known_currency(currency, place),
            unit_amount=unit_amount, **values, **fields,
        )
    )  # fmt: skip
    emit(ctx, "price.created", row)
    return row


def _take_lookup_key(ctx: Ctx, key: str, take: bool, owner: str | None = None) -> None:
    holder = ctx.db.first(Price, lookup_key=key, active=True)
    if holder is None or holder.id == owner:
        return
    if not take:
        raise refuse(f"A price (`{holder.id}`) already uses that lookup key.", param="lookup_key")
    ctx.db.update(holder, lookup_key=None)


@app.post("/v1/prices", tool="create_price")
def create_price(
    ctx: Ctx, currency: str, unit_amount: Annotated[int, Field(ge=0)] | MISSING = MISSING, product: str | MISSING = MISSING,
    product_data: ProductData | MISSING = MISSING, recurring: Recurring | MISSING = MISSING, nickname: str | MISSING = MISSING,
    active: bool = True, lookup_key: Annotated[str, Field(max_length=200)] | MISSING = MISSING,
    transfer_lookup_key: Annotated[bool, Body(mcp=False)] = False,
    tax_behavior: Annotated[Literal["exclusive", "inclusive", "unspecified"] | MISSING, Body(mcp=False)] = MISSING,
    metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a price of a product. Its amount, currency and interval never change: make another price instead.

    currency: Three-letter currency code.
    unit_amount: What one unit costs, in the smallest unit of the currency.
    product: ID of the product it is for.
    product_data: A product to make with it, instead of `product`.
    recurring: How often it is charged; absent for a one-off price.
    nickname: A name for yourself, hidden from customers.
    active: Whether it can be used for new purchases.
    lookup_key: A key to find it by; unique among active prices.
    transfer_lookup_key: Takes the key from the price that has it.
    tax_behavior: Whether the amount includes tax.
    """
    if unit_amount is MISSING:
        raise refuse("Missing required param: unit_amount.", code="parameter_missing", param="unit_amount")
    if (product is MISSING) == (product_data is MISSING):
        if product is MISSING:
            raise refuse(
                "You must specify one of `product` or `product_data`.", code="parameter_missing", param="product"
            )
        raise refuse("You may only specify one of these parameters: product, product_data.", param="product")
    if product_data is not MISSING:
        now, key = ctx.epoch(), product_data.id or new(ctx, "prod")
        if ctx.db.get(Product, key):
            raise refuse("Product already exists.", code="resource_already_exists", param="product_data[id]")
        values = product_data.model_dump(exclude={"id"}, exclude_none=True)
        of = ctx.db.add(Product(id=key, created=now, updated=now, **values))
        emit(ctx, "product.created", of)
    else:
        of = ctx.db.get(Product, product)
        if of is None:
            raise no_such("Product", product, param="product", status=400)
    if lookup_key is not MISSING and lookup_key:
        _take_lookup_key(ctx, lookup_key, transfer_lookup_key)
    names = ("nickname", "lookup_key", "tax_behavior", "active")
    values = {name: value for name, value in given(ctx.sent()).items() if name in names}
    row = add_price(
        ctx, of, currency, unit_amount, None if recurring is MISSING else recurring, metadata_=merged({}, metadata), **values
    )  # fmt: skip
    return show(ctx, row)


@app.get("/v1/prices/search", tool="search_prices", mcp=False)
def search_prices(
    ctx: Ctx, query: Query, limit: Limit = 10, page: Token = MISSING, expand: Expand = MISSING
) -> dict[str, Any]:
    """Searches prices by `active`, `currency`, `lookup_key`, `metadata`, `product` and `type`."""
    return searching(ctx, Price, query, limit, page)


@app.get("/v1/prices/{price}", tool="retrieve_price", mcp=False)
def retrieve_price(ctx: Ctx, price: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves a price.

    price: The price's ID.
    """
    return show(ctx, ctx.require(Price, price))


@app.get("/v1/prices", tool="list_prices")
def list_prices(
    ctx: Ctx, product: str | MISSING = MISSING, active: bool | MISSING = MISSING, currency: str | MISSING = MISSING,
    type: Literal["one_time", "recurring"] | MISSING = MISSING,
    lookup_keys: Annotated[list[str], Field(max_length=10)] | MISSING = MISSING, recurring: RecurringFilter | MISSING = MISSING,
    created: Created = MISSING, limit: Limit = 10, starting_after: After = MISSING, ending_before: Before = MISSING,
    expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists prices, newest first. Amounts are in the currency's smallest unit, such as cents.

    product: Only those of this product.
    active: Only those that can or cannot be used.
    currency: Only in this currency.
    type: Only one-off or only recurring ones.
    lookup_keys: Only those with one of these keys.
    recurring: Only recurring ones charged like this.
    """
    filters = {
        "product": asked(product), "active": asked(active), "currency": None if currency is MISSING else currency.lower(),
        "lookup_key__in": asked(lookup_keys), "interval__null": None if type is MISSING else type == "one_time",
        **times("created", created),
    }  # fmt: skip
    if recurring is not MISSING:
        filters |= {"interval": recurring.interval, "interval__null": False}
        if recurring.usage_type == "metered":
            filters["id"] = ""  # every recurring price here is licensed
    return listing(ctx, Price, "/v1/prices", limit, starting_after, ending_before, **filters)


@app.post("/v1/prices/{price}", tool="update_price", effect="update", mcp=False)
def update_price(
    ctx: Ctx, price: str, active: bool | MISSING = MISSING, nickname: str | MISSING = MISSING,
    lookup_key: Annotated[str, Field(max_length=200)] | MISSING = MISSING, transfer_lookup_key: bool = False,
    tax_behavior: Literal["exclusive", "inclusive", "unspecified"] | MISSING = MISSING, metadata: MetadataParam = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes what can be changed of a price; amount, currency and interval cannot.

    price: The price's ID.
    active: Whether it can be used for new purchases.
    nickname: A name for yourself.
    lookup_key: A key to find it by.
    transfer_lookup_key: Takes the key from the price that has it.
    tax_behavior: Whether the amount includes tax; once set it stays.
    """
    row = ctx.require(Price, price)
    was = show(ctx, row)
    changes = given(ctx.sent(), "metadata", "transfer_lookup_key")
    if active is False and row.active and ctx.db.first(Product, id=row.product, default_price=row.id):
        raise refuse("This price cannot be archived because it is the default price of its product.", param="active")
    if changes.get("lookup_key"):
        _take_lookup_key(ctx, changes["lookup_key"], transfer_lookup_key, row.id)
    if changes.get("tax_behavior", row.tax_behavior) != row.tax_behavior and row.tax_behavior != "unspecified":
        raise refuse(
            "The tax_behavior of a price cannot be changed once it is `exclusive` or `inclusive`.", param="tax_behavior"
        )
    if metadata is not MISSING:
        changes["metadata_"] = merged(row.metadata_, metadata)
    ctx.db.update(row, **changes)
    emit(ctx, "price.updated", row, was=was)
    return show(ctx, row)
