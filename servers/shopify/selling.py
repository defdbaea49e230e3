"""Orders come into being: lines with their shares of discounts and tax, totals, reserved stock, and what is to be sent from where."""

from dataclasses import dataclass, field
from typing import Any, Literal

from legoenv_mcp.app import Ctx

from . import money, shipping, stock
from .errors import refused
from .metadata import forget
from .models import (
    Fulfillment,
    FulfillmentEvent,
    FulfillmentLine,
    FulfillmentOrder,
    FulfillmentOrderLine,
    LineItem,
    Object,
    Order,
    Product,
    Refund,
    RefundLine,
    Transaction,
    Variant,
    new,
)
from .paying import settle
from .resources import the_shop, title_of

Behaviour = Literal["bypass", "decrement_ignoring_policy", "decrement_obeying_policy"]
MOST = 10**13


@dataclass(slots=True)
class Wanted:
    """A line to be sold: of a variant, or of something that is no product."""

    quantity: int
    price: int
    title: str
    variant: Variant | None = None
    discount: int = 0
    tax: int = 0
    details: Object = field(default_factory=dict[str, Any])


def of_variant(ctx: Ctx, variant: Variant, quantity: int) -> Wanted:
    """A line of a variant at its price."""
    product = ctx.require(Product, variant.product_id)
    title = title_of(variant)
    details = {
        "sku": variant.sku, "vendor": product.vendor, "grams": variant.grams, "taxable": variant.taxable,
        "requires_shipping": variant.requires_shipping, "variant_title": None if title == "Default Title" else title,
    }  # fmt: skip
    return Wanted(quantity, variant.price, product.title, variant, details=details)


def place(
    ctx: Ctx, wanted: list[Wanted], columns: Object, *, discount: int = 0, tax: int = 0, at: str = "", number: int | None = None,
    behaviour: Behaviour = "bypass",
) -> Order:  # fmt: skip
    """An order of these lines. `discount` and `tax` are the whole order's beside what the lines have of their own."""
    at = at or ctx.timestamp()
    values = [line.price * line.quantity - line.discount for line in wanted]
    discount = min(discount, sum(values))
    off = money.spread(discount, values)
    after = [value - part for value, part in zip(values, off, strict=True)]
    taxes = money.spread(tax, after)
    shop = the_shop(ctx)
    number = number or shop.last_order_number + 1
    if number > shop.last_order_number:
        ctx.db.update(shop, last_order_number=number)
    ship = columns.get("total_shipping", 0)
    total_tax = tax + sum(line.tax for line in wanted)
    total = sum(after) + ship + (0 if columns.get("taxes_included") else total_tax)
    if total > MOST:
        raise refused("line_items", "total is too large")
    columns = {"currency": shop.currency, "processed_at": at, **columns}
    order = ctx.db.add(
        Order(
            id=new(ctx, "Order"), order_number=number, created_at=at, updated_at=at, total_tax=total_tax, total_price=total,
            total_line_items_price=sum(line.price * line.quantity for line in wanted),
            total_discounts=discount + sum(line.discount for line in wanted), **columns,
        )
    )  # fmt: skip
    made = list[tuple[LineItem, Variant | None]]()
    for line, part, levy in zip(wanted, off, taxes, strict=True):
        row = LineItem(
            id=new(ctx, "LineItem"), order_id=order.id, variant_id=line.variant and line.variant.id,
            product_id=line.variant and line.variant.product_id, title=line.title, quantity=line.quantity, price=line.price,
            discount=line.discount + part, own_discount=line.discount, tax=line.tax + levy, **line.details,
        )  # fmt: skip
        made.append((ctx.db.add(row), line.variant))
    _assign(ctx, order, made, behaviour, at)
    settle(ctx, order)
    return order


def _assign(ctx: Ctx, order: Order, made: list[tuple[LineItem, Variant | None]], behaviour: Behaviour, at: str) -> None:
    """Fulfillment orders, one a location, and the stock they reserve."""
    at_place = dict[int, Any]()
    for line, variant in made:
        location = stock.route(ctx, variant, line.quantity)
        committed = 0
        level = (
            stock.tracked_level(ctx, variant.inventory_item_id, location) if variant and behaviour != "bypass" else None
        )
        if variant is not None and level is not None:
            short = level.available < line.quantity and variant.inventory_policy == "deny"
            if short and behaviour == "decrement_obeying_policy":
                raise refused("line_items", "Unable to reserve inventory")
            stock.move(ctx, level, available=-line.quantity, committed=line.quantity)
            committed = line.quantity
        if location not in at_place:
            at_place[location] = shipping.open_fulfillment_order(ctx, order.id, location, at)
        shipping.add_line(ctx, at_place[location], line, line.quantity, committed)


def drop_order(ctx: Ctx, order: Order) -> None:
    """Removes an order and all that belongs to it; what it had reserved is available again."""
    for fo in shipping.orders_of(ctx, order):
        for pick in shipping.lines_in(ctx, fo):
            if pick.fulfillable_quantity:
                shipping.release(ctx, fo, pick, pick.fulfillable_quantity, restock=True)
    lines = [line.id for line in ctx.db.find(LineItem, order_id=order.id)]
    sent = [f.id for f in ctx.db.find(Fulfillment, order_id=order.id)]
    back = [r.id for r in ctx.db.find(Refund, order_id=order.id)]
    ctx.db.delete_where(FulfillmentEvent, fulfillment_id__in=sent)
    ctx.db.delete_where(FulfillmentLine, fulfillment_id__in=sent)
    ctx.db.delete_where(Fulfillment, order_id=order.id)
    ctx.db.delete_where(RefundLine, refund_id__in=back)
    ctx.db.delete_where(Refund, order_id=order.id)
    ctx.db.delete_where(FulfillmentOrderLine, line_item_id__in=lines)
    ctx.db.delete_where(FulfillmentOrder, order_id=order.id)
    ctx.db.delete_where(LineItem, order_id=order.id)
    ctx.db.delete_where(Transaction, order_id=order.id)
    forget(ctx, "order", order.id)
    ctx.db.delete(order)
