"""Transactions and refunds of orders. https://shopify.dev/docs/api/admin-rest/2025-01/resources/transaction"""

from typing import Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field

from .. import money
from ..app import app
from ..errors import not_found, refused
from ..inputs import Input
from ..logbook import log
from ..models import Order, Refund, Transaction
from ..order_resources import show_refund, show_transaction
from ..paging import Fields, SinceId
from ..paying import add_transaction, balance, is_payment, open_amount, settle, the_order, transactions_of
from ..refunding import RefundInput, reckon, refund, suggested
from ..resources import the_shop


class TransactionInput(Input):
    """A transaction."""

    kind: Literal["authorization", "capture", "sale", "void", "refund"] = Field(
        description="`capture` takes an authorized or pending payment, `void` lets an authorization go, `sale` notes a payment received "
        "elsewhere, `refund` gives money back."
    )
    amount: str | None = Field(default=None, description="How much; by default all that is left.")
    currency: str | None = Field(default=None, description="Its currency, the order's own.")
    parent_id: int | None = Field(
        default=None, description="The transaction that it captures, voids or refunds; found by default."
    )
    gateway: str | None = Field(default=None, max_length=255, description="Who processed a `sale`.")
    source: str | None = Field(default=None, description="`external` for a `sale`.")
    authorization: str | None = Field(default=None, max_length=255, description="The processor's own reference.")


def _the_transaction(ctx: Ctx, order: Order, key: int) -> Transaction:
    row = ctx.db.get(Transaction, key)
    if row is None or row.order_id != order.id:
        raise not_found()
    return row


@app.get("/orders/{order_id}/transactions", tool="list_order_transactions")
def list_order_transactions(
    ctx: Ctx, order_id: int, since_id: SinceId = MISSING, fields: Fields = MISSING
) -> dict[str, Any]:
    """Lists an order's transactions: authorizations, captures, sales, voids and refunds.

    order_id: The order's id.
    """
    order = the_order(ctx, order_id)
    since = None if since_id is MISSING else since_id
    return {
        "transactions": [show_transaction(ctx, t) for t in ctx.db.find(Transaction, order_id=order.id, id__gt=since)]
    }


@app.get("/orders/{order_id}/transactions/count", tool="count_order_transactions", mcp=False)
def count_order_transactions(ctx: Ctx, order_id: int) -> dict[str, int]:
    """Counts an order's transactions.

    order_id: The order's id.
    """
    return {"count": len(transactions_of(ctx, the_order(ctx, order_id)))}


@app.get("/orders/{order_id}/transactions/{transaction_id}", tool="get_order_transaction", mcp=False)
def get_order_transaction(ctx: Ctx, order_id: int, transaction_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves a transaction of an order.

    order_id: The order's id.
    transaction_id: The transaction's id.
    """
    return {"transaction": show_transaction(ctx, _the_transaction(ctx, the_order(ctx, order_id), transaction_id))}


@app.post("/orders/{order_id}/transactions", tool="create_order_transaction", status=201)
def create_order_transaction(ctx: Ctx, order_id: int, transaction: TransactionInput) -> dict[str, Any]:
    """Captures or voids an authorized payment, marks a pending one as paid (`capture`, or `sale`), or refunds money alone.

    order_id: The order's id.
    transaction: The transaction.
    """
    order = the_order(ctx, order_id)
    if transaction.currency is not None and transaction.currency.upper() != order.currency:
        raise refused("currency", f"must be {order.currency}")
    parent = None if transaction.parent_id is None else _the_transaction(ctx, order, transaction.parent_id)
    amount = None
    # Clients that mean "all of it" send an empty amount.
    if transaction.amount:
        amount = money.cents(transaction.amount, "amount")
        if amount == 0:
            raise refused("amount", "must be greater than 0")
    handlers = {"capture": _capture, "void": _void, "refund": _refund, "sale": _sale, "authorization": _authorize}
    made = handlers[transaction.kind](ctx, order, transaction, parent, amount)
    settle(ctx, order)
    words = f"{the_shop(ctx).name} processed a {money.text(made.amount)} {made.currency} {made.kind}."
    log(ctx, "Order", order.id, f"{made.kind}_{made.status}", words)
    return {"transaction": show_transaction(ctx, made)}


def _capture(
    ctx: Ctx, order: Order, data: TransactionInput, parent: Transaction | None, amount: int | None
) -> Transaction:
    """Takes what an authorization holds or a pending payment promises."""
    if order.cancelled_at:
        raise refused("base", "Cannot capture payments of a cancelled order")
    rows = transactions_of(ctx, order)
    kinds = ("authorization", "success"), ("sale", "pending")
    if parent is None:
        parent = next((t for t in rows if (t.kind, t.status) in kinds and open_amount(t, rows) > 0), None)
    if parent is None or (parent.kind, parent.status) not in kinds:
        raise refused("base", "There is no authorized or pending payment to capture")
    rest = open_amount(parent, rows)
    if rest <= 0:
        raise refused("base", "The payment was captured or voided already")
    if amount is not None and amount > rest:
        raise refused("amount", f"cannot be greater than the {money.text(rest)} {order.currency} that can be captured")
    return add_transaction(ctx, order, "capture", amount or rest, gateway=parent.gateway, parent=parent.id)


def _void(
    ctx: Ctx, order: Order, data: TransactionInput, parent: Transaction | None, amount: int | None
) -> Transaction:
    """Lets an authorization go of which nothing was captured."""
    rows = transactions_of(ctx, order)
    if parent is None:
        parent = next((t for t in rows if t.kind == "authorization" and open_amount(t, rows) == t.amount), None)
    if parent is None or parent.kind != "authorization":
        raise refused("base", "There is no authorized payment to void")
    if open_amount(parent, rows) != parent.amount:
        raise refused("base", "The payment was captured or voided already")
    return add_transaction(ctx, order, "void", parent.amount, gateway=parent.gateway, parent=parent.id)


def _refund(
    ctx: Ctx, order: Order, data: TransactionInput, parent: Transaction | None, amount: int | None
) -> Transaction:
    rows = transactions_of(ctx, order)
    if parent is None:
        parent = next((t for t in rows if is_payment(t) and open_amount(t, rows) > 0), None)
    if parent is None or not is_payment(parent):
        raise refused("base", "There is no payment to refund")
    rest = open_amount(parent, rows)
    if rest <= 0 or (amount is not None and amount > rest):
        raise refused(
            "amount", f"cannot be greater than the {money.text(max(rest, 0))} {order.currency} that can be refunded"
        )
    return add_transaction(ctx, order, "refund", amount or rest, gateway=parent.gateway, parent=parent.id)


def _sale(
    ctx: Ctx, order: Order, data: TransactionInput, parent: Transaction | None, amount: int | None
) -> Transaction:
    """Money that came in elsewhere: at most what is due. A payment that was pending is the one that came."""
    due = balance(ctx, order).due
    if order.cancelled_at or due == 0:
        raise refused("base", "There is nothing left to pay on this order")
    if amount is not None and amount > due:
        raise refused("amount", f"cannot be greater than the {money.text(due)} {order.currency} that are due")
    rows = transactions_of(ctx, order)
    waiting = next((t for t in rows if t.status == "pending" and open_amount(t, rows) >= (amount or due)), None)
    if waiting is not None and data.gateway in (None, waiting.gateway):
        return add_transaction(ctx, order, "sale", amount or due, gateway=waiting.gateway, parent=waiting.id)
    more: dict[str, Any] = {} if data.authorization is None else {"authorization": data.authorization}
    return add_transaction(ctx, order, "sale", amount or due, gateway=data.gateway or "manual", **more)


def _authorize(
    ctx: Ctx, order: Order, data: TransactionInput, parent: Transaction | None, amount: int | None
) -> Transaction:
    raise refused("kind", "authorization can only be created with the order")


@app.get("/orders/{order_id}/refunds", tool="list_order_refunds", mcp=False)
def list_order_refunds(ctx: Ctx, order_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Lists an order's refunds.

    order_id: The order's id.
    """
    order = the_order(ctx, order_id)
    return {"refunds": [show_refund(ctx, r, order) for r in ctx.db.find(Refund, order_id=order.id)]}


@app.get("/orders/{order_id}/refunds/{refund_id}", tool="get_order_refund", mcp=False)
def get_order_refund(ctx: Ctx, order_id: int, refund_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves a refund of an order.

    order_id: The order's id.
    refund_id: The refund's id.
    """
    order = the_order(ctx, order_id)
    row = ctx.db.get(Refund, refund_id)
    if row is None or row.order_id != order.id:
        raise not_found()
    return {"refund": show_refund(ctx, row, order)}


@app.post("/orders/{order_id}/refunds/calculate", tool="calculate_refund", effect="read")
def calculate_refund(ctx: Ctx, order_id: int, refund_: RefundInput) -> dict[str, Any]:
    """Says what a refund of these lines and shipping comes to, and which payments it would come from. Nothing is refunded yet: for
    that, create_refund with the suggested transactions, their `kind` changed to `refund`.

    order_id: The order's id.
    refund_: The lines and the shipping.
    """
    order = the_order(ctx, order_id)
    found = reckon(ctx, order, refund_)
    lines = [
        {
            "line_item_id": p.line.id, "quantity": p.quantity, "restock_type": p.restock, "location_id": p.location,
            "price": money.text(p.line.price), "subtotal": money.text(p.subtotal), "total_tax": money.text(p.tax),
            "discounted_price": money.text(own // p.quantity), "discounted_total_price": money.text(own),
            "total_cart_discount_amount": money.text(own - p.subtotal),
        }
        for p in found.parts
        for own in [money.share(p.line.price * p.line.quantity - p.line.own_discount, p.quantity, p.line.quantity, p.before)]
    ]  # fmt: skip
    shipped = {
        "amount": money.text(found.shipping),
        "tax": "0.00",
        "maximum_refundable": money.text(found.shipping_left),
    }
    return {
        "refund": {
            "shipping": shipped, "duties": [], "total_duties_set": money.both(0, order.currency), "additional_fees": [],
            "refund_shipping_lines": [], "return": None, "currency": order.currency, "refund_line_items": lines,
            "transactions": suggested(ctx, order, found.total),
        }
    }  # fmt: skip


@app.post("/orders/{order_id}/refunds", tool="create_refund", status=201)
def create_refund(ctx: Ctx, order_id: int, refund_: RefundInput) -> dict[str, Any]:
    """Refunds lines, shipping and money of an order. Money is given back only by `transactions`, at most what was paid.

    order_id: The order's id.
    refund_: The refund.
    """
    order = the_order(ctx, order_id)
    row = refund(ctx, order, refund_)
    log(ctx, "Order", order.id, "refund_success", f"{the_shop(ctx).name} refunded this order.")
    return {"refund": show_refund(ctx, row, order)}
