"""Fulfillment orders: what of an order is to be sent from where. https://shopify.dev/docs/api/admin-rest/2025-01/resources/fulfillmentorder"""

from typing import Any, Literal

from legoenv_mcp.app import Ctx, Field

from .. import shipping, stock
from ..app import app
from ..errors import refused
from ..inputs import Input
from ..logbook import log
from ..models import Fulfillment, FulfillmentLine, FulfillmentOrder, FulfillmentOrderLine, Order
from ..order_resources import show_fulfillment, show_fulfillment_order
from ..paging import moment
from ..paying import the_order
from ..resources import show_location, the_shop
from ..shipping import stop, the_fulfillment_order


class PickInput(Input):
    """Units of a fulfillment order's line."""

    id: int = Field(description="The fulfillment order line's id.")
    quantity: int = Field(ge=1, description="How many units.")


class MoveInput(Input):
    """A move of a fulfillment order."""

    new_location_id: int = Field(description="The location to send from.")
    fulfillment_order_line_items: list[PickInput] | None = Field(
        default=None, description="What to move; all of it by default."
    )


class HoldInput(Input):
    """Why a fulfillment order waits."""

    reason: Literal[
        "awaiting_payment",
        "high_risk_of_fraud",
        "incorrect_address",
        "inventory_out_of_stock",
        "other",
        "unknown_delivery_date",
    ] = Field(description="Why.")
    reason_notes: str | None = Field(default=None, max_length=5000, description="More about why.")
    notify_merchant: bool | None = Field(default=None, description="Whether to notify the merchant.")


def picks_of(ctx: Ctx, fo: FulfillmentOrder, given: list[PickInput] | None) -> list[tuple[FulfillmentOrderLine, int]]:
    """The units that are meant: all that are left where none are named."""
    rows = {row.id: row for row in shipping.lines_in(ctx, fo)}
    if not given:
        return [(row, row.fulfillable_quantity) for row in rows.values() if row.fulfillable_quantity]
    wanted = dict[int, int]()
    for pick in given:
        if pick.id not in rows:
            raise stop(f"Fulfillment order line item {pick.id} does not exist")
        wanted[pick.id] = wanted.get(pick.id, 0) + pick.quantity
        if wanted[pick.id] > rows[pick.id].fulfillable_quantity:
            raise stop("Invalid fulfillment order line item quantity requested.")
    return [(rows[key], quantity) for key, quantity in wanted.items()]


def _needs(fo: FulfillmentOrder, what: str, *statuses: str) -> None:
    if fo.status not in statuses:
        raise stop(f"Fulfillment order {fo.id} cannot be {what}: its status is {fo.status}.")


def _shown(ctx: Ctx, fo: FulfillmentOrder) -> dict[str, Any]:
    return show_fulfillment_order(ctx, fo)


@app.get("/orders/{order_id}/fulfillment_orders", tool="list_order_fulfillment_orders")
def list_order_fulfillment_orders(ctx: Ctx, order_id: int) -> dict[str, Any]:
    """Lists an order's fulfillment orders: what is to be sent from which location, and what of it is left.

    order_id: The order's id.
    """
    return {"fulfillment_orders": [_shown(ctx, fo) for fo in shipping.orders_of(ctx, the_order(ctx, order_id))]}


@app.get("/fulfillment_orders/{fulfillment_order_id}", tool="get_fulfillment_order", mcp=False)
def get_fulfillment_order(ctx: Ctx, fulfillment_order_id: int) -> dict[str, Any]:
    """Retrieves a fulfillment order.

    fulfillment_order_id: The fulfillment order's id.
    """
    return {"fulfillment_order": _shown(ctx, the_fulfillment_order(ctx, fulfillment_order_id))}


@app.get(
    "/fulfillment_orders/{fulfillment_order_id}/fulfillments", tool="list_fulfillment_order_fulfillments", mcp=False
)
def list_fulfillment_order_fulfillments(ctx: Ctx, fulfillment_order_id: int) -> dict[str, Any]:
    """Lists the fulfillments of a fulfillment order.

    fulfillment_order_id: The fulfillment order's id.
    """
    fo = the_fulfillment_order(ctx, fulfillment_order_id)
    lines = [row.id for row in shipping.lines_in(ctx, fo)]
    keys = {x.fulfillment_id for x in ctx.db.find(FulfillmentLine, fulfillment_order_line_id__in=lines)}
    order = ctx.require(Order, fo.order_id)
    return {"fulfillments": [show_fulfillment(ctx, f, order) for f in ctx.db.find(Fulfillment, id__in=sorted(keys))]}


@app.get("/fulfillment_orders/{fulfillment_order_id}/locations_for_move", tool="list_locations_for_move", mcp=False)
def list_locations_for_move(ctx: Ctx, fulfillment_order_id: int) -> dict[str, Any]:
    """Lists the locations that a fulfillment order can be moved to.

    fulfillment_order_id: The fulfillment order's id.
    """
    fo = the_fulfillment_order(ctx, fulfillment_order_id)
    out = list[dict[str, Any]]()
    for place in stock.places(ctx):
        if place.id == fo.assigned_location_id:
            message = "Current location."
        elif any(
            row.committed and stock.level_of(ctx, row.inventory_item_id or 0, place.id) is None
            for row in shipping.lines_in(ctx, fo)
        ):
            message = "No items are stocked at this location."
        else:
            message = ""
        shown = show_location(ctx, place)
        out.append({"location": {"id": shown["id"], "name": shown["name"]}, "message": message, "movable": not message})
    return {"locations_for_move": out}


@app.post("/fulfillment_orders/{fulfillment_order_id}/move", tool="move_fulfillment_order", effect="transition")
def move_fulfillment_order(ctx: Ctx, fulfillment_order_id: int, fulfillment_order: MoveInput) -> dict[str, Any]:
    """Has a fulfillment order, or some of its units, sent from another location where its items are stocked.

    fulfillment_order_id: The fulfillment order's id.
    fulfillment_order: Where to, and what.
    """
    fo = the_fulfillment_order(ctx, fulfillment_order_id)
    _needs(fo, "moved", "open", "scheduled", "in_progress")
    place = stock.the_location(ctx, fulfillment_order.new_location_id)
    if place.id == fo.assigned_location_id:
        raise stop("Fulfillment order is assigned to the location already")
    if not place.active:
        raise stop("The location is not active")
    picks = picks_of(ctx, fo, fulfillment_order.fulfillment_order_line_items)
    made = shipping.move_to(ctx, fo, place.id, picks)
    rest = fo if any(row.fulfillable_quantity for row in shipping.lines_in(ctx, fo)) else None
    log(ctx, "Order", fo.order_id, "fulfillment_order_moved", f"{the_shop(ctx).name} moved items to {place.name}.")
    return {
        "original_fulfillment_order": _shown(ctx, fo), "moved_fulfillment_order": _shown(ctx, made),
        "remaining_fulfillment_order": _shown(ctx, rest) if rest else None,
    }  # fmt: skip


@app.post("/fulfillment_orders/{fulfillment_order_id}/hold", tool="hold_fulfillment_order", effect="transition")
def hold_fulfillment_order(ctx: Ctx, fulfillment_order_id: int, fulfillment_hold: HoldInput) -> dict[str, Any]:
    """Has an open fulfillment order wait: it cannot be fulfilled until the hold is released.

    fulfillment_order_id: The fulfillment order's id.
    fulfillment_hold: Why it waits.
    """
    fo = the_fulfillment_order(ctx, fulfillment_order_id)
    _needs(fo, "put on hold", "open", "scheduled")
    hold = {"reason": fulfillment_hold.reason, "reason_notes": fulfillment_hold.reason_notes}
    ctx.db.update(fo, status="on_hold", holds=[hold], updated_at=ctx.timestamp())
    log(
        ctx,
        "Order",
        fo.order_id,
        "fulfillment_order_hold",
        f"{the_shop(ctx).name} put a hold on items: {fulfillment_hold.reason}.",
    )
    return {"fulfillment_order": _shown(ctx, fo)}


@app.post(
    "/fulfillment_orders/{fulfillment_order_id}/release_hold",
    tool="release_fulfillment_order_hold",
    effect="transition",
)
def release_fulfillment_order_hold(ctx: Ctx, fulfillment_order_id: int) -> dict[str, Any]:
    """Releases the hold on a fulfillment order.

    fulfillment_order_id: The fulfillment order's id.
    """
    fo = the_fulfillment_order(ctx, fulfillment_order_id)
    _needs(fo, "released", "on_hold")
    ctx.db.update(fo, status="open", holds=[])
    shipping.refresh(ctx, fo)
    return {"fulfillment_order": _shown(ctx, fo)}


@app.post("/fulfillment_orders/{fulfillment_order_id}/cancel", tool="cancel_fulfillment_order", effect="transition")
def cancel_fulfillment_order(ctx: Ctx, fulfillment_order_id: int) -> dict[str, Any]:
    """Cancels a fulfillment order. What of it was not sent goes to a new one at the same location.

    fulfillment_order_id: The fulfillment order's id.
    """
    fo = the_fulfillment_order(ctx, fulfillment_order_id)
    _needs(fo, "cancelled", "open", "in_progress")
    made = shipping.move_to(ctx, fo, fo.assigned_location_id, picks_of(ctx, fo, None))
    ctx.db.update(fo, status="closed")
    return {"fulfillment_order": _shown(ctx, fo), "replacement_fulfillment_order": _shown(ctx, made)}


@app.post(
    "/fulfillment_orders/set_fulfillment_orders_deadline",
    tool="set_fulfillment_orders_deadline",
    effect="update",
    mcp=False,
    status=200,
)
def set_fulfillment_orders_deadline(
    ctx: Ctx, fulfillment_order_ids: list[int], fulfillment_deadline: str
) -> dict[str, Any]:
    """Sets the latest time at which fulfillment orders should be fulfilled.

    fulfillment_order_ids: The fulfillment orders' ids.
    fulfillment_deadline: The time.
    """
    by = moment(ctx, "fulfillment_deadline", fulfillment_deadline)
    if not fulfillment_order_ids:
        raise refused("fulfillment_order_ids", "can't be blank")
    for key in fulfillment_order_ids:
        ctx.db.update(the_fulfillment_order(ctx, key), fulfill_by=by, updated_at=ctx.timestamp())
    return {}
