"""Subscription items, one at a time. https://docs.stripe.com/api/subscription_items"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field

from .. import billing
from ..app import app
from ..errors import no_such, refuse
from ..events import emit
from ..lists import listing
from ..models import Subscription, SubscriptionItem
from ..params import After, Before, Expand, ExpandBody, Limit, MetadataParam, TaxRates, asked, merged
from ..resources import deleted, show
from .subscription_params import ItemChange, changed_parts

Proration = Literal["always_invoice", "create_prorations", "none"]
Quantity = Annotated[int, Field(ge=0)]


def _live(ctx: Ctx, key: str) -> Subscription:
    row = ctx.db.get(Subscription, key)
    if row is None or row.status in ("canceled", "incomplete_expired"):
        raise no_such("Subscription", key, param="subscription")
    return row


def _at(ctx: Ctx, key: str) -> SubscriptionItem:
    row = ctx.db.get(SubscriptionItem, key)
    if row is None:
        raise refuse(f"Invalid subscription_item id: {key}", status=404)
    return row


def _change(ctx: Ctx, of: Subscription, change: ItemChange, behavior: str, date: Any) -> None:
    was = show(ctx, of)
    error = billing.change_items(ctx, of, changed_parts(ctx, of, [change]), behavior, asked(date))
    if error:
        raise error
    emit(ctx, "customer.subscription.updated", of, was=was)


@app.get("/v1/subscription_items", tool="list_subscription_items", mcp=False)
def list_subscription_items(
    ctx: Ctx,
    subscription: str,
    limit: Limit = 10,
    starting_after: After = MISSING,
    ending_before: Before = MISSING,
    expand: Expand = MISSING,
) -> dict[str, Any]:
    """Lists the items of a subscription.

    subscription: The subscription's ID.
    """
    if ctx.db.get(Subscription, subscription) is None:
        raise no_such("Subscription", subscription, param="subscription", status=400)
    return listing(
        ctx, SubscriptionItem, "/v1/subscription_items", limit, starting_after, ending_before, subscription=subscription
    )


@app.get("/v1/subscription_items/{item}", tool="retrieve_subscription_item", mcp=False)
def retrieve_subscription_item(ctx: Ctx, item: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves an item of a subscription.

    item: The item's ID.
    """
    return show(ctx, _at(ctx, item))


@app.post("/v1/subscription_items", tool="create_subscription_item", mcp=False)
def create_subscription_item(
    ctx: Ctx, subscription: str, price: str, quantity: Quantity = 1, proration_behavior: Proration = "create_prorations",
    proration_date: int | MISSING = MISSING, tax_rates: TaxRates = MISSING, metadata: MetadataParam = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Adds a price to a subscription.

    subscription: The subscription's ID.
    price: ID of a recurring price.
    quantity: How many.
    proration_behavior: How the rest of the period is billed.
    proration_date: When it counts from (Unix seconds).
    """
    of = _live(ctx, subscription)
    before = {part.item for part in billing.parts_of(ctx, of)}
    change = ItemChange(
        price=price, quantity=quantity, tax_rates=asked(tax_rates) or None, metadata={**merged({}, metadata)}
    )
    _change(ctx, of, change, proration_behavior, proration_date)
    added = next(i for i in ctx.db.find(SubscriptionItem, subscription=of.id) if i.id not in before)
    return show(ctx, added)


@app.post("/v1/subscription_items/{item}", tool="update_subscription_item", effect="update", mcp=False)
def update_subscription_item(
    ctx: Ctx, item: str, price: str | MISSING = MISSING, quantity: Quantity | MISSING = MISSING,
    proration_behavior: Proration = "create_prorations", proration_date: int | MISSING = MISSING, tax_rates: TaxRates = MISSING,
    metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes an item of a subscription.

    item: The item's ID.
    price: ID of the recurring price it is to have.
    quantity: How many.
    proration_behavior: How the rest of the period is billed.
    proration_date: When it counts from (Unix seconds).
    """
    row = _at(ctx, item)
    of = _live(ctx, row.subscription)
    change = ItemChange(id=row.id, price=asked(price), quantity=asked(quantity), tax_rates=asked(tax_rates) or None)
    _change(ctx, of, change, proration_behavior, proration_date)
    if metadata is not MISSING:
        ctx.db.update(_at(ctx, item), metadata_=merged(row.metadata_, metadata))
    return show(ctx, _at(ctx, item))


@app.delete("/v1/subscription_items/{item}", tool="delete_subscription_item", mcp=False)
def delete_subscription_item(
    ctx: Ctx, item: str, proration_behavior: Proration = "create_prorations", proration_date: int | MISSING = MISSING
) -> dict[str, Any]:
    """Takes an item off a subscription. The last one cannot be taken off: cancel the subscription instead.

    item: The item's ID.
    proration_behavior: How the rest of the period is given back.
    proration_date: When it counts from (Unix seconds).
    """
    row = _at(ctx, item)
    of = _live(ctx, row.subscription)
    _change(ctx, of, ItemChange(id=row.id, deleted=True), proration_behavior, proration_date)
    return deleted("subscription_item", item)
