"""Draft orders: orders that a merchant makes for a customer. https://shopify.dev/docs/api/admin-rest/2025-01/resources/draftorder"""

from typing import Annotated, Any, ClassVar, Literal

from legoenv_mcp.app import MISSING, ApiError, Ctx, Field, Reply

from .. import money
from ..app import app
from ..errors import not_found, refused
from ..inputs import AddressInput, Input, NoteAttribute, TagText, plain, tags_of
from ..logbook import log
from ..metadata import forget
from ..models import Customer, DraftOrder, Object, new
from ..order_resources import name_of, show_draft
from ..ordering import LineInput, OrderInput, ShippingLineInput, addresses, buyer, line_of, variant_or_refuse
from ..paging import Fields, Limit, PageInfo, RestIds, RestTime, SinceId, asked, filters, listing
from ..paying import add_transaction, settle
from ..people import valid_email
from ..resources import the_shop
from ..selling import Wanted, of_variant, place
from .customers import InviteInput


class AppliedDiscount(Input):
    """A discount that the merchant gives."""

    title: str | None = Field(default=None, max_length=255, description="Its name.")
    description: str | None = Field(default=None, max_length=255, description="Why it is given.")
    value: str = Field(description="How much is off, or the percentage.")
    value_type: Literal["fixed_amount", "percentage"] = Field(default="fixed_amount", description="What `value` means.")


class DraftLineInput(LineInput):
    """A line of a draft order: a variant, or a title and a price."""

    applied_discount: AppliedDiscount | None = Field(default=None, description="What is off the line.")


class CustomerRef(Input):
    """A customer."""

    id: int = Field(description="The customer's id.")


class DraftInput(Input):
    """A draft order."""

    quiet: ClassVar[frozenset[str]] = frozenset({"billing_address", "note_attributes", "tax_exempt"})

    line_items: list[DraftLineInput] | None = Field(
        default=None, description="What is sold; at least one line. Replaces all lines."
    )
    customer: CustomerRef | None = Field(default=None, description="Who buys it.")
    use_customer_default_address: bool | None = Field(
        default=None, description="Whether it goes to the customer's default address."
    )
    email: str | None = Field(default=None, max_length=255, description="Where the invoice is sent.")
    note: str | None = Field(default=None, max_length=5000, description="A note for the shop.")
    note_attributes: list[NoteAttribute] | None = Field(default=None, description="Notes by name.")
    tags: TagText | None = Field(default=None, description="Comma-separated tags.")
    applied_discount: AppliedDiscount | None = Field(default=None, description="What is off the whole order.")
    shipping_line: ShippingLineInput | None = Field(default=None, description="How it is shipped.")
    shipping_address: AddressInput | None = Field(default=None, description="Where it goes.")
    billing_address: AddressInput | None = Field(default=None, description="Who is billed.")
    tax_exempt: bool | None = Field(default=None, description="Whether no tax is charged.")


def the_draft(ctx: Ctx, key: int) -> DraftOrder:
    row = ctx.db.get(DraftOrder, key)
    if row is None:
        raise not_found()
    return row


def _off(discount: Object | None, amount: int) -> int:
    """What a discount takes off an amount."""
    if discount is None:
        return 0
    if discount["value_type"] == "percentage":
        return money.percent(amount, discount["value"])
    return min(amount, money.cents(discount["value"], "applied_discount"))


def _discount(data: AppliedDiscount | None) -> Object | None:
    if data is None:
        return None
    value = money.cents(data.value, "applied_discount")
    if data.value_type == "percentage" and value > 10_000:
        raise refused("applied_discount", "value must be between 0 and 100")
    return {
        "title": data.title,
        "description": data.description,
        "value": data.value.strip(),
        "value_type": data.value_type,
    }


def _line(ctx: Ctx, data: DraftLineInput) -> Object:
    """A line as the draft keeps it. A variant has the price it has when the draft is completed."""
    line = line_of(ctx, data)
    kept: Object = {"id": new(ctx, "DraftLine"), "variant_id": data.variant_id, "quantity": data.quantity}
    if data.variant_id is None:
        kept |= {
            "title": line.title,
            "price": line.price,
            "details": {k: v for k, v in line.details.items() if k != "properties"},
        }
    return {
        **kept,
        "properties": line.details.get("properties", []),
        "applied_discount": _discount(data.applied_discount),
    }


def _wanted(ctx: Ctx, kept: Object) -> Wanted:
    if kept["variant_id"] is not None:
        line = of_variant(ctx, variant_or_refuse(ctx, kept["variant_id"]), kept["quantity"])
    else:
        line = Wanted(kept["quantity"], kept["price"], kept["title"], details=dict(kept["details"]))
    line.details["properties"] = kept["properties"]
    line.discount = _off(kept["applied_discount"], line.price * line.quantity)
    return line


def _totals(ctx: Ctx, row: DraftOrder) -> Object:
    """What a draft comes to now."""
    lines, goods = list[Object](), 0
    for kept in row.line_items:
        try:
            line = _wanted(ctx, kept)
        except ApiError:
            # A variant that is gone leaves its line without a price; completing the draft says so.
            line = Wanted(kept["quantity"], 0, "Unavailable product")
        goods += line.price * line.quantity - line.discount
        off = kept["applied_discount"]
        variant = line.variant
        lines.append({
            "id": kept["id"], "variant_id": kept["variant_id"], "product_id": variant.product_id if variant else None,
            "title": line.title, "variant_title": line.details.get("variant_title"), "sku": line.details.get("sku"),
            "vendor": line.details.get("vendor"), "quantity": line.quantity, "price": money.text(line.price),
            "requires_shipping": line.details.get("requires_shipping", True), "taxable": line.details.get("taxable", True),
            "gift_card": False, "fulfillment_service": "manual", "grams": line.details.get("grams", 0), "tax_lines": [],
            "applied_discount": {**off, "amount": money.text(line.discount)} if off else None, "properties": kept["properties"],
            "custom": variant is None, "name": line.title,
        })  # fmt: skip
    off = _off(row.applied_discount, goods)
    ship = money.cents(row.shipping_line["price"], "shipping_line") if row.shipping_line else 0
    shown = {**row.applied_discount, "amount": money.text(off)} if row.applied_discount else None
    return {
        "lines": lines, "discount": shown, "off": off, "shipping": ship, "subtotal_price": goods - off,
        "total_tax": 0, "total_price": goods - off + ship,
    }  # fmt: skip


def _shown(ctx: Ctx, row: DraftOrder) -> dict[str, Any]:
    return {"draft_order": show_draft(ctx, row, _totals(ctx, row))}


def _columns(ctx: Ctx, data: DraftInput, row: DraftOrder | None) -> dict[str, Any]:
    out = data.given("note")
    if data.has("line_items") or row is None:
        if not data.line_items:
            raise refused("line_items", "can't be blank")
        out["line_items"] = [_line(ctx, line) for line in data.line_items]
    if data.has("customer"):
        customer = ctx.db.get(Customer, data.customer.id) if data.customer else None
        if data.customer and customer is None:
            raise refused("customer", "does not exist")
        out["customer_id"] = customer and customer.id
        if customer and not data.email and not (row and row.email):
            out["email"] = customer.email
        if customer and data.use_customer_default_address:
            out |= addresses(ctx, customer, None, None)
    if data.has("email") and data.email:
        out["email"] = valid_email(data.email)
    if data.has("tags"):
        out["tags"] = tags_of(data.tags)
    if data.note_attributes is not None:
        out["note_attributes"] = plain(data.note_attributes)
    if data.has("applied_discount"):
        out["applied_discount"] = _discount(data.applied_discount)
    if data.has("shipping_line"):
        line = data.shipping_line
        price = money.text(money.cents(line.price, "shipping_line")) if line else ""
        out["shipping_line"] = {"title": line.title, "price": price, "custom": True, "handle": None} if line else None
    for name in ("shipping_address", "billing_address"):
        address = data.__dict__[name]
        if address is not None:
            out[name] = address.data(row.__dict__[name] if row else None)
    if data.tax_exempt is not None:
        out["tax_exempt"] = data.tax_exempt
    return out


Status = Annotated[
    Literal["open", "invoice_sent", "completed"] | MISSING, Field(description="Only those with this status.")
]


@app.get("/draft_orders", tool="list_draft_orders")
def list_draft_orders(
    ctx: Ctx, status: Status = MISSING, ids: RestIds = MISSING, updated_at_min: RestTime = MISSING, updated_at_max: RestTime = MISSING,
    since_id: SinceId = MISSING, limit: Limit = MISSING, page_info: PageInfo = MISSING, fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists draft orders: open ones unless `status` says otherwise.

    ids: Only those with these ids.
    updated_at_min: Only those changed at or after this time.
    updated_at_max: Only those changed at or before this time.
    """
    ask = asked(ctx)
    rows = ctx.db.find(DraftOrder, status=ask.status or "open", **filters(ctx, ask, "updated_at"))
    return listing(ctx, ask, "draft_orders", rows, lambda row: _shown(ctx, row)["draft_order"])


@app.get("/draft_orders/count", tool="count_draft_orders", mcp=False)
def count_draft_orders(ctx: Ctx, status: Status = MISSING) -> dict[str, int]:
    """Counts draft orders."""
    return {"count": ctx.db.count(DraftOrder, status="open" if status is MISSING else status)}


@app.get("/draft_orders/{draft_order_id}", tool="get_draft_order")
def get_draft_order(ctx: Ctx, draft_order_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves a draft order with what it comes to.

    draft_order_id: The draft order's id.
    """
    return _shown(ctx, the_draft(ctx, draft_order_id))


@app.post("/draft_orders", tool="create_draft_order", status=201)
def create_draft_order(ctx: Ctx, draft_order: DraftInput) -> dict[str, Any]:
    """Creates a draft order: an order for a customer to be invoiced or completed later. It reserves no stock.

    draft_order: The draft order; `line_items` are required.
    """
    columns = _columns(ctx, draft_order, None)
    shop = the_shop(ctx)
    number = shop.last_draft_number + 1
    ctx.db.update(shop, last_draft_number=number)
    at = ctx.timestamp()
    row = ctx.db.add(DraftOrder(id=new(ctx, "DraftOrder"), number=number, created_at=at, updated_at=at, **columns))
    return _shown(ctx, row)


def _unfinished(row: DraftOrder) -> DraftOrder:
    if row.status == "completed":
        raise refused("base", "This order has been paid: a completed draft order cannot be changed")
    return row


@app.put("/draft_orders/{draft_order_id}", tool="update_draft_order")
def update_draft_order(ctx: Ctx, draft_order_id: int, draft_order: DraftInput) -> dict[str, Any]:
    """Changes the fields of a draft order that are sent, while it is not completed.

    draft_order_id: The draft order's id.
    draft_order: What to change.
    """
    row = _unfinished(the_draft(ctx, draft_order_id))
    ctx.db.update(row, **_columns(ctx, draft_order, row), updated_at=ctx.timestamp())
    return _shown(ctx, row)


@app.post("/draft_orders/{draft_order_id}/send_invoice", tool="send_draft_order_invoice", effect="send", status=201)
def send_draft_order_invoice(
    ctx: Ctx, draft_order_id: int, draft_order_invoice: InviteInput | MISSING = MISSING
) -> dict[str, Any]:
    """Mails a draft order's invoice, with an address at which it can be paid.

    draft_order_id: The draft order's id.
    draft_order_invoice: The mail; the shop's own by default.
    """
    row = _unfinished(the_draft(ctx, draft_order_id))
    mail = InviteInput() if draft_order_invoice is MISSING else draft_order_invoice
    to = valid_email(mail.to, "to") or row.email
    if not to:
        raise refused("to", "can't be blank")
    shop = the_shop(ctx)
    ctx.db.update(row, status="invoice_sent", invoice_sent_at=ctx.timestamp(), updated_at=ctx.timestamp())
    log(ctx, "DraftOrder", row.id, "invoice_sent", f"{shop.name} sent an invoice to {to}.", to)
    shown = {
        "to": to, "from": mail.from_ or f'"{shop.name}" <{shop.email}>', "subject": mail.subject or f"Draft Order #D{row.number}",
        "custom_message": mail.custom_message or "", "bcc": mail.bcc or [],
    }  # fmt: skip
    return {"draft_order_invoice": shown}


@app.put("/draft_orders/{draft_order_id}/complete", tool="complete_draft_order", effect="transition")
def complete_draft_order(ctx: Ctx, draft_order_id: int, payment_pending: bool = False) -> dict[str, Any]:
    """Makes an order of a draft order, once. Its stock is reserved.

    draft_order_id: The draft order's id.
    payment_pending: Whether it is yet to be paid; else it is marked as paid.
    """
    row = the_draft(ctx, draft_order_id)
    if row.status == "completed":
        raise refused("base", "This order has been paid: the draft order is completed already")
    lines = [_wanted(ctx, kept) for kept in row.line_items]
    totals = _totals(ctx, row)
    # Whom an email address stands for is the order's customer, as with any order.
    customer_id = row.customer_id
    if customer_id is None and (found := buyer(ctx, OrderInput(email=row.email))):
        customer_id = found.id
    shipped = [{"id": new(ctx, "ShippingLine"), "code": "custom", **row.shipping_line}] if row.shipping_line else []
    order = place(
        ctx, lines,
        {
            "customer_id": customer_id, "email": row.email or "", "note": row.note, "note_attributes": row.note_attributes,
            "tags": row.tags, "shipping_lines": shipped, "total_shipping": totals["shipping"], "source_name": "shopify_draft_order",
            "shipping_address": row.shipping_address, "billing_address": row.billing_address or row.shipping_address,
        },
        discount=totals["off"], behaviour="decrement_ignoring_policy",
    )  # fmt: skip
    if order.total_price:
        status = "pending" if payment_pending else "success"
        add_transaction(
            ctx, order, "sale", order.total_price, gateway="manual", status=status, source_name="shopify_draft_order"
        )
    settle(ctx, order)
    at = ctx.timestamp()
    ctx.db.update(
        row, status="completed", completed_at=at, order_id=order.id, customer_id=customer_id, updated_at=at
    )  # fmt: skip
    log(
        ctx,
        "Order",
        order.id,
        "placed",
        f"{the_shop(ctx).name} created this order from draft order #D{row.number}.",
        name_of(order),
    )
    return _shown(ctx, row)


@app.delete("/draft_orders/{draft_order_id}", tool="delete_draft_order", mcp=False)
def delete_draft_order(ctx: Ctx, draft_order_id: int) -> dict[str, Any]:
    """Deletes a draft order. The order that was made of it stays.

    draft_order_id: The draft order's id.
    """
    row = the_draft(ctx, draft_order_id)
    forget(ctx, "draft_order", row.id)
    ctx.db.delete(row)
    return {}
