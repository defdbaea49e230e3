"""Fulfillments: what of an order was sent. https://shopify.dev/docs/api/admin-rest/2025-01/resources/fulfillment"""

from typing import Annotated, Any, Literal
from urllib.parse import quote

from legoenv_mcp.app import MISSING, Body, Ctx, Field, Reply, ToolOnly

from .. import shipping
from ..app import app
from ..errors import bad, not_found
from ..inputs import Input
from ..logbook import log
from ..models import Fulfillment, FulfillmentEvent, FulfillmentOrder, FulfillmentOrderLine, Order, new
from ..order_resources import show_fulfillment
from ..paging import CreatedMax, CreatedMin, Fields, Limit, PageInfo, RestTime, SinceId, asked, filters, listing, moment
from ..paying import the_order
from ..resources import the_shop, times
from ..shipping import stop
from .fulfillment_orders import PickInput, picks_of

# Where carriers that Shopify knows show their parcels.
CARRIERS = {
    "Canada Post": "https://www.canadapost-postescanada.ca/track-reperage/en#/filterPackage?searchFor={}",
    "DHL Express": "https://www.dhl.com/en/express/tracking.html?AWB={}", "DPD UK": "https://track.dpd.co.uk/parcels/{}",
    "FedEx": "https://www.fedex.com/fedextrack/?trknbr={}", "Royal Mail": "https://www.royalmail.com/track-your-item#/tracking-results/{}",
    "UPS": "https://www.ups.com/track?loc=en_US&tracknum={}", "USPS": "https://tools.usps.com/go/TrackConfirmAction.action?tLabels={}",
}  # fmt: skip


class TrackingInput(Input):
    """How a parcel is tracked."""

    number: str | None = Field(default=None, max_length=255, description="Tracking number.")
    numbers: list[str] | None = Field(default=None, description="Tracking numbers, where there are several parcels.")
    url: str | None = Field(default=None, max_length=2000, description="Where to track it; known for many carriers.")
    urls: list[str] | None = Field(default=None, description="Where to track several parcels.")
    company: str | None = Field(default=None, max_length=255, description="The carrier.")


class GroupInput(Input):
    """What is sent of a fulfillment order."""

    fulfillment_order_id: int = Field(description="The fulfillment order's id.")
    fulfillment_order_line_items: list[PickInput] | None = Field(
        default=None, description="What is sent; all that is left by default."
    )


class FulfillmentInput(Input):
    """A fulfillment."""

    line_items_by_fulfillment_order: list[GroupInput] = Field(description="What is sent, by fulfillment order.")
    tracking_info: TrackingInput | None = Field(default=None, description="How the parcel is tracked.")
    notify_customer: bool = Field(default=False, description="Whether to mail the customer.")
    message: str | None = Field(default=None, max_length=5000, description="A note on the fulfillment request.")


class TrackingUpdate(Input):
    """A change of how a parcel is tracked."""

    tracking_info: TrackingInput = Field(description="How the parcel is tracked.")
    notify_customer: bool = Field(default=False, description="Whether to mail the customer.")


class EventInput(Input):
    """What a carrier says of a parcel."""

    status: Literal[
        "label_printed", "label_purchased", "attempted_delivery", "ready_for_pickup", "picked_up", "confirmed", "in_transit",
        "out_for_delivery", "delivered", "failure",
    ] = Field(description="Where it is.")  # fmt: skip
    message: str | None = Field(default=None, max_length=2000, description="More about it.")
    happened_at: str | None = Field(default=None, description="When it happened.")


def tracking(data: TrackingInput | None, old: Fulfillment | None = None) -> dict[str, Any]:
    """Tracking numbers and addresses as a fulfillment keeps them. What is not sent stays; an address goes with its number."""
    if data is None:
        return {}
    company = data.company if data.has("company") or old is None else old.tracking_company
    numbers = data.numbers or ([data.number] if data.number else [])
    if old is not None and not (data.has("number") or data.has("numbers")):
        numbers = old.tracking_numbers
    urls = data.urls or ([data.url] if data.url else [])
    template = CARRIERS.get(company or "")
    if not urls and template:
        urls = [template.format(quote(number, safe="")) for number in numbers]
    if not urls and old is not None and (company, numbers) == (old.tracking_company, old.tracking_numbers):
        urls = old.tracking_urls
    return {"tracking_company": company, "tracking_numbers": numbers, "tracking_urls": urls}


def _the_fulfillment(ctx: Ctx, key: int, order: int | None = None) -> Fulfillment:
    row = ctx.db.get(Fulfillment, key)
    if row is None or (order is not None and row.order_id != order):
        raise not_found()
    return row


@app.get("/orders/{order_id}/fulfillments", tool="list_order_fulfillments", mcp=False)
def list_order_fulfillments(
    ctx: Ctx, order_id: int, created_at_min: CreatedMin = MISSING, created_at_max: CreatedMax = MISSING, updated_at_min: RestTime = MISSING,
    updated_at_max: RestTime = MISSING, since_id: SinceId = MISSING, limit: Limit = MISSING, page_info: PageInfo = MISSING,
    fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists an order's fulfillments.

    order_id: The order's id.
    updated_at_min: Only those changed at or after this time.
    updated_at_max: Only those changed at or before this time.
    """
    ask = asked(ctx)
    order = the_order(ctx, order_id)
    rows = ctx.db.find(Fulfillment, order_id=order.id, **filters(ctx, ask))
    return listing(ctx, ask, "fulfillments", rows, lambda row: show_fulfillment(ctx, row, order))


@app.get("/orders/{order_id}/fulfillments/count", tool="count_order_fulfillments", mcp=False)
def count_order_fulfillments(ctx: Ctx, order_id: int) -> dict[str, int]:
    """Counts an order's fulfillments.

    order_id: The order's id.
    """
    return {"count": ctx.db.count(Fulfillment, order_id=the_order(ctx, order_id).id)}


@app.get("/orders/{order_id}/fulfillments/{fulfillment_id}", tool="get_order_fulfillment", mcp=False)
def get_order_fulfillment(ctx: Ctx, order_id: int, fulfillment_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves a fulfillment of an order.

    order_id: The order's id.
    fulfillment_id: The fulfillment's id.
    """
    order = the_order(ctx, order_id)
    return {"fulfillment": show_fulfillment(ctx, _the_fulfillment(ctx, fulfillment_id, order.id), order)}


@app.post("/fulfillments", tool="create_fulfillment", status=201)
def create_fulfillment(
    ctx: Ctx, line_items_by_fulfillment_order: Annotated[list[GroupInput] | MISSING, ToolOnly()] = MISSING,
    tracking_info: Annotated[TrackingInput | MISSING, ToolOnly()] = MISSING,
    notify_customer: Annotated[bool, ToolOnly()] = False,
    fulfillment: Annotated[FulfillmentInput | MISSING, Body(mcp=False)] = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Fulfills what is left of fulfillment orders, or some of it: it has been sent. All must be of one order and location, and open.

    line_items_by_fulfillment_order: What was sent, by fulfillment order; list_order_fulfillment_orders has the ids.
    tracking_info: How the parcel is tracked.
    notify_customer: Whether to mail the customer.
    fulfillment: What was sent and how it is tracked.
    """
    if ctx.request.method and fulfillment is MISSING:
        raise bad("fulfillment", "Required parameter missing or invalid")
    if fulfillment is MISSING:
        # For tools the fulfillment's fields are parameters: nested in another object, not every client takes them.
        fulfillment = FulfillmentInput(
            line_items_by_fulfillment_order=[] if line_items_by_fulfillment_order is MISSING else line_items_by_fulfillment_order,
            tracking_info=None if tracking_info is MISSING else tracking_info, notify_customer=notify_customer,
        )  # fmt: skip
    groups = fulfillment.line_items_by_fulfillment_order
    if not groups:
        raise stop("Fulfillment payloads fulfillment order must be greater than 0")
    picks = list[tuple[FulfillmentOrderLine, int]]()
    fos = dict[int, FulfillmentOrder]()
    for group in groups:
        fo = ctx.db.get(FulfillmentOrder, group.fulfillment_order_id)
        if fo is None or fo.id in fos:
            raise stop(
                "Fulfillment order does not exist." if fo is None else f"Fulfillment order {fo.id} is named twice."
            )
        if fo.status not in ("open", "in_progress", "incomplete"):
            raise stop(f"Fulfillment order {fo.id} has an unfulfillable status= {fo.status}.")
        fos[fo.id] = fo
        picks += picks_of(ctx, fo, group.fulfillment_order_line_items)
    first = next(iter(fos.values()))
    if any(
        (fo.order_id, fo.assigned_location_id) != (first.order_id, first.assigned_location_id) for fo in fos.values()
    ):
        raise stop("All fulfillment orders must belong to the same order and have the same assigned location.")
    order = ctx.require(Order, first.order_id)
    row = shipping.ship(
        ctx, order, picks, first.assigned_location_id, notify_customer=fulfillment.notify_customer, message=fulfillment.message,
        **tracking(fulfillment.tracking_info),
    )  # fmt: skip
    count = sum(quantity for _, quantity in picks)
    log(
        ctx,
        "Order",
        order.id,
        "fulfillment_success",
        f"{the_shop(ctx).name} fulfilled {count} item{'s' * (count != 1)}.",
    )
    if fulfillment.notify_customer:
        log(ctx, "Order", order.id, "mail_sent", f"Shipping confirmation email was sent to {order.email}.")
    return {"fulfillment": show_fulfillment(ctx, row, order)}


@app.post(
    "/fulfillments/{fulfillment_id}/update_tracking", tool="update_fulfillment_tracking", effect="update", status=200
)
def update_fulfillment_tracking(ctx: Ctx, fulfillment_id: int, fulfillment: TrackingUpdate) -> dict[str, Any]:
    """Changes how a fulfillment is tracked.

    fulfillment_id: The fulfillment's id.
    fulfillment: The tracking number, carrier and address.
    """
    row = _the_fulfillment(ctx, fulfillment_id)
    if row.status == "cancelled":
        raise stop("Cannot update the tracking of a cancelled fulfillment")
    ctx.db.update(row, **tracking(fulfillment.tracking_info, row), updated_at=ctx.timestamp())
    order = ctx.require(Order, row.order_id)
    if fulfillment.notify_customer:
        log(ctx, "Order", order.id, "mail_sent", f"Shipping update email was sent to {order.email}.")
    return {"fulfillment": show_fulfillment(ctx, row, order)}


@app.post("/fulfillments/{fulfillment_id}/cancel", tool="cancel_fulfillment", effect="transition")
def cancel_fulfillment(ctx: Ctx, fulfillment_id: int) -> dict[str, Any]:
    """Cancels a fulfillment: its items were not sent, and can be fulfilled again.

    fulfillment_id: The fulfillment's id.
    """
    row = _the_fulfillment(ctx, fulfillment_id)
    order = ctx.require(Order, row.order_id)
    shipping.unship(ctx, order, row)
    log(ctx, "Order", order.id, "fulfillment_cancelled", f"{the_shop(ctx).name} cancelled a fulfillment.")
    return {"fulfillment": show_fulfillment(ctx, row, order)}


def _show_event(ctx: Ctx, row: FulfillmentEvent, order: Order) -> dict[str, Any]:
    return {
        "id": row.id, "fulfillment_id": row.fulfillment_id, "order_id": order.id, "shop_id": the_shop(ctx).id, "status": row.status,
        "message": row.message, **times(ctx, row, "happened_at", "created_at"), "city": None, "country": None,
    }  # fmt: skip


@app.get("/orders/{order_id}/fulfillments/{fulfillment_id}/events", tool="list_fulfillment_events", mcp=False)
def list_fulfillment_events(ctx: Ctx, order_id: int, fulfillment_id: int) -> dict[str, Any]:
    """Lists where a fulfillment's parcel has been.

    order_id: The order's id.
    fulfillment_id: The fulfillment's id.
    """
    order = the_order(ctx, order_id)
    row = _the_fulfillment(ctx, fulfillment_id, order.id)
    rows = ctx.db.find(FulfillmentEvent, fulfillment_id=row.id)
    return {"fulfillment_events": [_show_event(ctx, one, order) for one in rows]}


@app.post(
    "/orders/{order_id}/fulfillments/{fulfillment_id}/events", tool="create_fulfillment_event", status=201, mcp=False
)
def create_fulfillment_event(ctx: Ctx, order_id: int, fulfillment_id: int, event: EventInput) -> dict[str, Any]:
    """Notes where a fulfillment's parcel is.

    order_id: The order's id.
    fulfillment_id: The fulfillment's id.
    event: Where it is.
    """
    order = the_order(ctx, order_id)
    row = _the_fulfillment(ctx, fulfillment_id, order.id)
    made = ctx.db.add(
        FulfillmentEvent(
            id=new(ctx, "FulfillmentEvent"), fulfillment_id=row.id, status=event.status, message=event.message,
            happened_at=moment(ctx, "happened_at", event.happened_at) or ctx.timestamp(), created_at=ctx.timestamp(),
        )
    )  # fmt: skip
    ctx.db.update(row, shipment_status=event.status, updated_at=ctx.timestamp())
    return {"fulfillment_event": _show_event(ctx, made, order)}
