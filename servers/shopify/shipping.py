"""Fulfillment orders and fulfillments: what is to be sent from where, and what was.

An order's units are committed where they will be sent from. Shipping takes them from the stock, cancelling a shipment puts them back.
"""

from collections.abc import Sequence
from typing import Any

from legoenv_mcp.app import ApiError, Ctx

from . import stock
from .errors import not_found
from .models import (
    Fulfillment,
    FulfillmentLine,
    FulfillmentOrder,
    FulfillmentOrderLine,
    InventoryLevel,
    LineItem,
    Order,
    RefundLine,
    Variant,
    new,
)
from .paying import settle

LIVE = ("open", "in_progress", "scheduled", "on_hold", "incomplete")


def stop(message: str) -> ApiError:
    """422 as fulfillment resources word it: a list of messages."""
    return ApiError(422, message, errors=[message])


def the_fulfillment_order(ctx: Ctx, key: int) -> FulfillmentOrder:
    row = ctx.db.get(FulfillmentOrder, key)
    if row is None:
        raise not_found()
    return row


def lines_in(ctx: Ctx, fo: FulfillmentOrder) -> list[FulfillmentOrderLine]:
    return ctx.db.find(FulfillmentOrderLine, fulfillment_order_id=fo.id)


def orders_of(ctx: Ctx, order: Order) -> list[FulfillmentOrder]:
    return ctx.db.find(FulfillmentOrder, order_id=order.id)


def open_fulfillment_order(ctx: Ctx, order_id: int, location: int, at: str = "", **more: Any) -> FulfillmentOrder:
    at = at or ctx.timestamp()
    return ctx.db.add(
        FulfillmentOrder(
            id=new(ctx, "FulfillmentOrder"), order_id=order_id, assigned_location_id=location, created_at=at, updated_at=at, **more
        )
    )  # fmt: skip


def add_line(ctx: Ctx, fo: FulfillmentOrder, line: LineItem, quantity: int, committed: int) -> FulfillmentOrderLine:
    variant = ctx.db.get(Variant, line.variant_id) if line.variant_id else None
    return ctx.db.add(
        FulfillmentOrderLine(
            id=new(ctx, "FulfillmentOrderLine"), fulfillment_order_id=fo.id, line_item_id=line.id, variant_id=line.variant_id,
            inventory_item_id=variant and variant.inventory_item_id, quantity=quantity, fulfillable_quantity=quantity,
            committed=committed,
        )
    )  # fmt: skip


def _level(ctx: Ctx, line: FulfillmentOrderLine, location: int) -> InventoryLevel | None:
    return stock.level_of(ctx, line.inventory_item_id, location) if line.inventory_item_id else None


def refresh(ctx: Ctx, fo: FulfillmentOrder) -> None:
    """A fulfillment order's status after some of its units went or came back."""
    rows = lines_in(ctx, fo)
    sent = sum(
        x.quantity
        for line in rows
        for x in ctx.db.find(FulfillmentLine, fulfillment_order_line_id=line.id)
        if (f := ctx.db.get(Fulfillment, x.fulfillment_id)) is not None and f.status == "success"
    )
    if not any(line.fulfillable_quantity for line in rows):
        status = "closed"
    elif fo.status == "on_hold":
        status = "on_hold"
    else:
        status = "in_progress" if sent else "open"
    ctx.db.update(fo, status=status, updated_at=ctx.timestamp(), **({"holds": []} if status == "closed" else {}))


def release(ctx: Ctx, fo: FulfillmentOrder, line: FulfillmentOrderLine, quantity: int, *, restock: bool) -> None:
    """Takes units off a fulfillment order that will not be sent: back to what is available, or out of the stock's books."""
    # Units that were never committed go first: they are in nobody's way.
    freed = max(0, line.committed - (line.fulfillable_quantity - quantity))
    level = _level(ctx, line, fo.assigned_location_id)
    ctx.db.update(line, fulfillable_quantity=line.fulfillable_quantity - quantity, committed=line.committed - freed)
    if level is not None and freed:
        stock.move(ctx, level, available=freed if restock else 0, committed=-freed)


def ship(
    ctx: Ctx, order: Order, picks: Sequence[tuple[FulfillmentOrderLine, int]], location: int, *, at: str = "", **more: Any
) -> Fulfillment:  # fmt: skip
    """A fulfillment of these units of fulfillment orders."""
    at = at or ctx.timestamp()
    number = ctx.db.count(Fulfillment, order_id=order.id) + 1
    row = ctx.db.add(
        Fulfillment(
            id=new(ctx, "Fulfillment"), order_id=order.id, location_id=location, number=number, created_at=at, updated_at=at, **more
        )
    )  # fmt: skip
    for pick, quantity in picks:
        taken = min(quantity, pick.committed)
        level = _level(ctx, pick, location)
        if level is not None and taken:
            stock.move(ctx, level, committed=-taken)
        ctx.db.update(pick, fulfillable_quantity=pick.fulfillable_quantity - quantity, committed=pick.committed - taken)
        ctx.db.add(
            FulfillmentLine(
                id=new(ctx, "FulfillmentLine"), fulfillment_id=row.id, fulfillment_order_line_id=pick.id,
                line_item_id=pick.line_item_id, quantity=quantity, committed=taken,
            )
        )  # fmt: skip
        line = ctx.require(LineItem, pick.line_item_id)
        ctx.db.update(line, fulfilled=line.fulfilled + quantity)
    for key in dict.fromkeys(pick.fulfillment_order_id for pick, _ in picks):
        refresh(ctx, ctx.require(FulfillmentOrder, key))
    settle(ctx, order)
    return row


def unship(ctx: Ctx, order: Order, row: Fulfillment) -> None:
    """Cancels a fulfillment: its units are committed again and wait to be sent."""
    if row.status == "cancelled":
        raise stop("Fulfillment is already cancelled")
    if order.cancelled_at:
        raise stop("Cannot cancel a fulfillment of a cancelled order")
    parts = ctx.db.find(FulfillmentLine, fulfillment_id=row.id)
    for part in parts:
        line = ctx.require(LineItem, part.line_item_id)
        came_back = sum(r.quantity for r in ctx.db.find(RefundLine, line_item_id=line.id, restock_type="return"))
        if line.fulfilled - part.quantity < came_back:
            raise stop("Cannot cancel a fulfillment whose items were returned")
    ctx.db.update(row, status="cancelled", updated_at=ctx.timestamp())
    for part in parts:
        line = ctx.require(LineItem, part.line_item_id)
        ctx.db.update(line, fulfilled=line.fulfilled - part.quantity)
        pick = ctx.require(FulfillmentOrderLine, part.fulfillment_order_line_id)
        level = _level(ctx, pick, row.location_id)
        back = part.committed if level is not None else 0
        if level is not None and back:
            stock.move(ctx, level, committed=back)
        ctx.db.update(
            pick, fulfillable_quantity=pick.fulfillable_quantity + part.quantity, committed=pick.committed + back
        )  # fmt: skip
        fo = ctx.require(FulfillmentOrder, pick.fulfillment_order_id)
        refresh(ctx, fo)
    settle(ctx, order)


def move_to(
    ctx: Ctx, fo: FulfillmentOrder, location: int, picks: Sequence[tuple[FulfillmentOrderLine, int]]
) -> FulfillmentOrder:
    """A new fulfillment order of these units at a location. What was committed for them is committed there."""
    made = open_fulfillment_order(ctx, fo.order_id, location)
    for pick, quantity in picks:
        moved = max(0, pick.committed - (pick.fulfillable_quantity - quantity))
        here, there = _level(ctx, pick, fo.assigned_location_id), _level(ctx, pick, location)
        if moved and there is None:
            raise stop(f"Inventory item {pick.inventory_item_id} is not stocked at the new location")
        if moved and here is not None and there is not None and location != fo.assigned_location_id:
            stock.move(ctx, here, available=moved, committed=-moved)
            stock.move(ctx, there, available=-moved, committed=moved)
        ctx.db.update(
            pick, quantity=pick.quantity - quantity, fulfillable_quantity=pick.fulfillable_quantity - quantity,
            committed=pick.committed - moved,
        )  # fmt: skip
        add_line(ctx, made, ctx.require(LineItem, pick.line_item_id), quantity, moved)
        # A line of which a cancelled fulfillment tells stays, of nothing.
        if pick.quantity == 0 and not ctx.db.count(FulfillmentLine, fulfillment_order_line_id=pick.id):
            ctx.db.delete(pick)
    refresh(ctx, fo)
    return made
