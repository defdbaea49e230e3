"""Orders. https://shopify.dev/docs/api/admin-rest/2025-01/resources/order"""

import re
from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field, Query, Reply, ToolOnly

from .. import money, shipping
from ..app import app
from ..errors import bad, refused
from ..inputs import AddressInput, Input, MetafieldInput, NoteAttribute, TagText, plain, tags_of
from ..logbook import log
from ..metadata import attach
from ..models import Order
from ..order_resources import name_of, show_order
from ..ordering import OrderInput, addresses, buyer, discounts, line_of, shipping_lines
from ..paging import (
    Asked,
    CreatedMax,
    CreatedMin,
    Fields,
    Ids,
    Limit,
    PageInfo,
    RestText,
    RestTime,
    SinceId,
    asked,
    filters,
    listing,
    moment,
)
from ..paying import (
    MANUAL,
    add_transaction,
    balance,
    give_back,
    left,
    lines_of,
    settle,
    the_order,
    transactions_of,
    void_authorizations,
)
from ..people import the_customer, valid_email, valid_phone
from ..query import matching
from ..refunding import RefundInput, everything, reckon, refund, write
from ..resources import the_shop
from ..selling import drop_order, place

Status = Annotated[
    Literal["open", "closed", "cancelled", "any"] | MISSING,
    Field(description="`open` (default), `closed`, `cancelled` or `any`."),
]
FinancialStatus = Annotated[
    str | MISSING,
    Field(
        description="`authorized`, `pending`, `paid`, `partially_paid`, `refunded`, `voided`, `partially_refunded`, `unpaid` (authorized "
        "or partially paid) or `any`."
    ),
]
FulfillmentStatus = Annotated[
    str | MISSING,
    Field(description="`shipped`, `partial`, `unshipped`, `unfulfilled` (unshipped or partial) or `any`."),
]
_PAID = ("authorized", "pending", "paid", "partially_paid", "refunded", "voided", "partially_refunded")
_SENT: dict[str, tuple[str | None, ...]] = {
    "shipped": ("fulfilled",), "fulfilled": ("fulfilled",), "partial": ("partial",), "unshipped": (None,),
    "unfulfilled": (None, "partial"),
}  # fmt: skip


class OrderUpdate(Input):
    """What of an order can be changed."""

    note: str | None = Field(default=None, max_length=5000, description="A note for the shop.")
    note_attributes: list[NoteAttribute] | None = Field(
        default=None, description="Notes by name; replaces those it has."
    )
    tags: TagText | None = Field(default=None, description="Comma-separated tags; replaces those it has.")
    email: str | None = Field(default=None, max_length=255, description="The customer's email address.")
    phone: str | None = Field(default=None, max_length=64, description="The customer's phone number.")
    shipping_address: AddressInput | None = Field(default=None, description="Where it goes.")
    buyer_accepts_marketing: bool | None = Field(default=None, description="Whether the customer takes marketing mail.")
    metafields: list[MetafieldInput] | None = Field(default=None, description="Metafields to attach.")


def _rows(ctx: Ctx, ask: Asked, status: str) -> list[Order]:
    """The orders that a list or a count asks for."""
    rows = ctx.db.find(
        Order, **filters(ctx, ask, "created_at", "updated_at", "processed_at"), customer_id=ask.customer_id
    )
    keep = {
        "open": lambda r: not r.closed_at and not r.cancelled_at, "closed": lambda r: bool(r.closed_at),
        "cancelled": lambda r: bool(r.cancelled_at), "any": lambda r: True,
    }  # fmt: skip
    rows = [r for r in rows if keep[status](r)]
    if ask.email is not None:
        rows = [r for r in rows if r.email.casefold() == ask.email.casefold()]
    if ask.name is not None:
        rows = [r for r in rows if name_of(r).lstrip("#") == ask.name.lstrip("#")]
    paid = (ask.financial_status or "any").split(",")
    if "any" not in paid:
        for word in paid:
            if word not in (*_PAID, "unpaid"):
                raise bad("financial_status", "is not a valid value")
        wanted = {*paid, *(("authorized", "partially_paid") if "unpaid" in paid else ())}
        rows = [r for r in rows if r.financial_status in wanted]
    sent = (ask.fulfillment_status or "any").split(",")
    if "any" not in sent:
        for word in sent:
            if word not in _SENT:
                raise bad("fulfillment_status", "is not a valid value")
        states = {state for word in sent for state in _SENT[word]}
        rows = [r for r in rows if r.fulfillment_status in states]
    if ask.query:
        rows = matching(ctx, "order", ask.query, rows, lambda row: show_order(ctx, row))
    return rows


_ORDERS = ("created_at", "updated_at", "processed_at", "id", "order_number")


@app.get("/orders", tool="list_orders")
def list_orders(
    ctx: Ctx, status: Status = MISSING, financial_status: FinancialStatus = MISSING, fulfillment_status: FulfillmentStatus = MISSING,
    query: Annotated[str | MISSING, ToolOnly()] = MISSING, name: str | MISSING = MISSING,
    customer_id: int | MISSING = MISSING, email: RestText = MISSING,
    created_at_min: CreatedMin = MISSING, created_at_max: CreatedMax = MISSING,
    updated_at_min: RestTime = MISSING, updated_at_max: RestTime = MISSING, processed_at_min: RestTime = MISSING,
    processed_at_max: RestTime = MISSING, order: Annotated[str | MISSING, Query(mcp=False)] = MISSING, ids: Ids = MISSING,
    since_id: SinceId = MISSING, limit: Limit = MISSING, page_info: PageInfo = MISSING, fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists orders, newest first: open ones unless `status` says otherwise.

    query: Words, or Shopify search syntax: `name:`, `email:`, `tag:`, `sku:`, `financial_status:`, `fulfillment_status:`,
      `total_price:>100`, `created_at:>=2025-01-01`, joined by AND, OR, NOT and parentheses.
    name: Only the order with this name or number.
    customer_id: Only this customer's orders.
    email: Only those with this email address.
    updated_at_min: Only those changed at or after this time.
    updated_at_max: Only those changed at or before this time.
    processed_at_min: Only those sold at or after this time.
    processed_at_max: Only those sold at or before this time.
    order: A column and `asc` or `desc`.
    """
    return _page(ctx, asked(ctx))


def _page(ctx: Ctx, ask: Asked, status: str = "open") -> Reply:
    word, _, way = (ask.order or "created_at desc").strip().partition(" ")
    if word not in _ORDERS or way.lower() not in ("", "asc", "desc"):
        raise bad("order", "is not a valid value")
    if ask.query and re.search(r"(?<![\w.])status:", ask.query):
        status = "any"
    rows = _rows(ctx, ask, ask.status or status)
    return listing(ctx, ask, "orders", rows, lambda row: show_order(ctx, row), word, down=way.lower() != "asc")


@app.get("/orders/count", tool="count_orders", mcp=False)
def count_orders(
    ctx: Ctx, status: Status = MISSING, financial_status: FinancialStatus = MISSING, fulfillment_status: FulfillmentStatus = MISSING,
    created_at_min: CreatedMin = MISSING, created_at_max: CreatedMax = MISSING, updated_at_min: RestTime = MISSING,
    updated_at_max: RestTime = MISSING,
) -> dict[str, int]:  # fmt: skip
    """Counts orders: open ones unless `status` says otherwise.

    updated_at_min: Only those changed at or after this time.
    updated_at_max: Only those changed at or before this time.
    """
    ask = asked(ctx)
    return {"count": len(_rows(ctx, ask, ask.status or "open"))}


@app.get("/customers/{customer_id}/orders", tool="list_customer_orders", mcp=False)
def list_customer_orders(
    ctx: Ctx, customer_id: int, status: Status = MISSING, since_id: SinceId = MISSING, limit: Limit = MISSING,
    page_info: PageInfo = MISSING, fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists a customer's orders, newest first.

    customer_id: The customer's id.
    """
    ask = asked(ctx)
    ask.values["customer_id"] = the_customer(ctx, customer_id).id
    return _page(ctx, ask)


@app.get("/orders/{order_id}", tool="get_order")
def get_order(ctx: Ctx, order_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves an order with its lines, fulfillments and refunds.

    order_id: The order's id.
    """
    return {"order": show_order(ctx, the_order(ctx, order_id))}


@app.post("/orders", tool="create_order", status=201)
def create_order(ctx: Ctx, order: OrderInput) -> dict[str, Any]:
    """Creates an order that was sold elsewhere. It counts as paid unless `financial_status` or `transactions` say otherwise, and
    takes nothing from the stock unless `inventory_behaviour` says so. An order to be paid yet is a draft order.

    order: The order.
    """
    if not order.line_items:
        raise refused("line_items", "must have at least one line item")
    shop = the_shop(ctx)
    if order.currency is not None and order.currency.upper() != shop.currency:
        raise refused("currency", f"must be {shop.currency}")
    customer = buyer(ctx, order)
    lines = [line_of(ctx, data) for data in order.line_items]
    shipped, ship = shipping_lines(ctx, order.shipping_lines)
    goods = sum(line.price * line.quantity - line.discount for line in lines)
    codes, off, off_shipping = discounts(ctx, order.discount_codes or [], goods, ship)
    levies = [
        {**t.model_dump(exclude_none=True), "price": money.text(money.cents(t.price, "tax_lines"))}
        for t in order.tax_lines or []
    ]
    own_tax = sum(line.tax for line in lines)
    tax = money.cents(order.total_tax, "total_tax") - own_tax if order.total_tax is not None and not levies else 0
    tax = max(0, tax) if not levies or own_tax else sum(money.cents(t["price"], "tax_lines") for t in levies)
    row = place(
        ctx, lines,
        {
            "customer_id": customer and customer.id, "email": valid_email(order.email) or (customer and customer.email) or "",
            "phone": valid_phone(order.phone), "note": order.note, "note_attributes": plain(order.note_attributes),
            "tags": tags_of(order.tags), "test": order.test, "taxes_included": order.taxes_included, "discount_codes": codes,
            "shipping_lines": shipped, "total_shipping": ship - off_shipping, "tax_lines": levies,
            "source_name": order.source_name or "580111", "buyer_accepts_marketing": order.buyer_accepts_marketing,
            "processed_at": moment(ctx, "processed_at", order.processed_at) or ctx.timestamp(),
            **addresses(ctx, customer, order.shipping_address, order.billing_address),
        },
        discount=off, tax=tax, behaviour=order.inventory_behaviour,
    )  # fmt: skip
    _pay(ctx, row, order)
    for fo in shipping.orders_of(ctx, row) if order.fulfillment_status == "fulfilled" else ():
        picks = [(pick, pick.fulfillable_quantity) for pick in shipping.lines_in(ctx, fo)]
        shipping.ship(ctx, row, picks, fo.assigned_location_id)
    settle(ctx, row)
    if order.metafields:
        attach(ctx, "order", row.id, order.metafields)
    log(ctx, "Order", row.id, "placed", f"This order was created by {shop.name}.", name_of(row))
    return {"order": show_order(ctx, row)}


def _pay(ctx: Ctx, row: Order, order: OrderInput) -> None:
    """The payments that a new order comes with."""
    if order.transactions is not None:
        for one in order.transactions:
            amount = row.total_price if one.amount is None else money.cents(one.amount, "transactions")
            add_transaction(ctx, row, one.kind, amount, gateway=one.gateway, status=one.status)
    elif row.total_price:
        state = order.financial_status or "paid"
        if state == "partially_paid":
            raise refused("financial_status", "partially_paid needs transactions")
        kind = "authorization" if state == "authorized" else "sale"
        status = "pending" if state == "pending" else "success"
        add_transaction(ctx, row, kind, row.total_price, gateway="manual", status=status)


@app.put("/orders/{order_id}", tool="update_order")
def update_order(ctx: Ctx, order_id: int, order: OrderUpdate) -> dict[str, Any]:
    """Changes an order's note, tags, contact or shipping address. What was sold cannot be changed.

    order_id: The order's id.
    order: What to change.
    """
    row = the_order(ctx, order_id)
    changes = order.given("note")
    if order.has("tags"):
        changes["tags"] = tags_of(order.tags)
    if order.has("email"):
        changes["email"] = valid_email(order.email) or ""
    if order.has("phone"):
        changes["phone"] = valid_phone(order.phone)
    if order.note_attributes is not None:
        changes["note_attributes"] = plain(order.note_attributes)
    if order.shipping_address is not None:
        changes["shipping_address"] = order.shipping_address.data(row.shipping_address)
    if order.buyer_accepts_marketing is not None:
        changes["buyer_accepts_marketing"] = order.buyer_accepts_marketing
    ctx.db.update(row, **changes, updated_at=ctx.timestamp())
    if order.metafields:
        attach(ctx, "order", row.id, order.metafields)
    return {"order": show_order(ctx, row)}


@app.post("/orders/{order_id}/cancel", tool="cancel_order", effect="transition")
def cancel_order(
    ctx: Ctx, order_id: int, reason: Literal["customer", "fraud", "inventory", "declined", "other", "staff"] = "other",
    restock: bool = False, email: bool = False, amount: str | MISSING = MISSING, currency: str | MISSING = MISSING,
    refund_: RefundInput | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Cancels an order of which nothing was fulfilled. Money is given back only as `amount` or `refund` say.

    order_id: The order's id.
    reason: Why.
    restock: Whether its units go back into stock.
    email: Whether to mail the customer.
    amount: How much to refund of what was paid.
    currency: The amount's currency, the order's own.
    refund_: A refund of lines, shipping and money, instead of `amount`.
    """
    row = the_order(ctx, order_id)
    if row.cancelled_at:
        raise refused("base", "Order has already been cancelled")
    if any(line.fulfilled for line in lines_of(ctx, row)):
        paid = "a paid and fulfilled order" if balance(ctx, row).captured else "a fulfilled order"
        raise refused("base", f"Cannot cancel {paid}: cancel its fulfillments first")
    if currency is not MISSING and currency.upper() != row.currency:
        raise refused("currency", f"must be {row.currency}")
    back = 0 if amount is MISSING else money.cents(amount, "amount")
    money_of = balance(ctx, row)
    if back > money_of.captured - money_of.refunded + money_of.authorized:
        raise refused("amount", "is greater than what was paid")
    if refund_ is not MISSING:
        refund(ctx, row, refund_)
    if restock:
        everything_left = everything(row, lines_of(ctx, row), "cancel")
        if everything_left.refund_line_items:
            made = write(ctx, row, reckon(ctx, row, everything_left), note="Order canceled")
            moves = give_back(ctx, row, min(back, money_of.captured - money_of.refunded)) if back else []
            ctx.db.update(made, transaction_ids=[t.id for t in moves])
            back = 0
    if back:
        give_back(ctx, row, min(back, money_of.captured - money_of.refunded))
    void_authorizations(ctx, row)
    for fo in shipping.orders_of(ctx, row):
        for pick in shipping.lines_in(ctx, fo):
            if pick.fulfillable_quantity:
                shipping.release(ctx, fo, pick, pick.fulfillable_quantity, restock=restock)
        ctx.db.update(fo, status="closed", holds=[], updated_at=ctx.timestamp())
    for line in lines_of(ctx, row):
        if left(line):
            ctx.db.update(line, removed=line.removed + left(line))
    ctx.db.update(row, cancelled_at=ctx.timestamp(), cancel_reason=reason)
    settle(ctx, row)
    log(ctx, "Order", row.id, "cancelled", f"{the_shop(ctx).name} cancelled this order. Reason: {reason}.")
    if email:
        log(ctx, "Order", row.id, "mail_sent", f"Order cancelled email was sent to {row.email}.")
    return {"order": show_order(ctx, row)}


@app.post("/orders/{order_id}/close", tool="close_order", effect="transition")
def close_order(ctx: Ctx, order_id: int) -> dict[str, Any]:
    """Closes (archives) an order: no more work is to be done on it.

    order_id: The order's id.
    """
    row = the_order(ctx, order_id)
    if not row.closed_at:
        ctx.db.update(row, closed_at=ctx.timestamp(), updated_at=ctx.timestamp())
        log(ctx, "Order", row.id, "closed", f"{the_shop(ctx).name} archived this order.")
    return {"order": show_order(ctx, row)}


@app.post("/orders/{order_id}/open", tool="open_order", effect="transition")
def open_order(ctx: Ctx, order_id: int) -> dict[str, Any]:
    """Opens a closed order again.

    order_id: The order's id.
    """
    row = the_order(ctx, order_id)
    if row.cancelled_at:
        raise refused("base", "Cannot open a cancelled order")
    if row.closed_at:
        ctx.db.update(row, closed_at=None, updated_at=ctx.timestamp())
        log(ctx, "Order", row.id, "re_opened", f"{the_shop(ctx).name} unarchived this order.")
    return {"order": show_order(ctx, row)}


@app.delete("/orders/{order_id}", tool="delete_order", mcp=False)
def delete_order(ctx: Ctx, order_id: int) -> dict[str, Any]:
    """Deletes an order. One that was paid through an online gateway stays.

    order_id: The order's id.
    """
    row = the_order(ctx, order_id)
    if any(t.gateway not in MANUAL for t in transactions_of(ctx, row)) and not row.test:
        raise refused("base", "Orders that interact with an online gateway can't be deleted")
    log(ctx, "Order", row.id, "destroy", f"{the_shop(ctx).name} deleted order {name_of(row)}.")
    drop_order(ctx, row)
    return {}
