"""What a refund gives back: shares of lines, shipping, and the payments it comes from."""

from dataclasses import dataclass
from typing import Literal

from legoenv_mcp.app import Ctx, Field

from . import money, shipping, stock
from .errors import refused
from .inputs import Input
from .models import InventoryItem, LineItem, Object, Order, Refund, RefundLine, Transaction, Variant, new
from .paying import add_transaction, is_payment, left, lines_of, open_amount, settle, transactions_of
from .resources import the_shop

Restock = Literal["no_restock", "cancel", "return"]


class RefundLineInput(Input):
    """Units of a line to refund."""

    line_item_id: int = Field(description="The order line's id.")
    quantity: int = Field(ge=1, description="How many units.")
    restock_type: Restock = Field(
        default="no_restock",
        description="`cancel`: not yet fulfilled units, restocked; `return`: fulfilled units, restocked; `no_restock`.",
    )
    location_id: int | None = Field(default=None, description="Where to restock; where the units came from by default.")


class ShippingInput(Input):
    """Shipping to refund."""

    full_refund: bool | None = Field(default=None, description="Whether to refund all that is left of shipping.")
    amount: str | None = Field(default=None, description="How much of shipping to refund.")


class RefundTransactionInput(Input):
    """A payment to give back."""

    parent_id: int | None = Field(default=None, description="The id of the sale or capture that is refunded.")
    amount: str = Field(description="How much.")
    kind: str = Field(default="refund", description="`refund`.")
    gateway: str | None = Field(default=None, description="The payment's gateway.")


class RefundInput(Input):
    """A refund."""

    note: str | None = Field(default=None, max_length=5000, description="Why.")
    notify: bool | None = Field(default=None, description="Whether to mail the customer.")
    currency: str | None = Field(default=None, description="The refund's currency, the order's own.")
    shipping: ShippingInput | None = Field(default=None, description="Shipping to refund.")
    refund_line_items: list[RefundLineInput] | None = Field(default=None, description="Lines to refund.")
    transactions: list[RefundTransactionInput] | None = Field(
        default=None, description="Money to give back; without them none is. calculate_refund suggests them."
    )


@dataclass(slots=True)
class Part:
    """Units of a line, and what they cost."""

    line: LineItem
    quantity: int
    restock: Restock
    location: int | None
    subtotal: int
    tax: int
    before: int = 0


@dataclass(slots=True)
class Reckoning:
    """What a refund comes to."""

    parts: list[Part]
    shipping: int
    shipping_left: int

    @property
    def total(self) -> int:
        return self.shipping + sum(p.subtotal + p.tax for p in self.parts)


def reckon(ctx: Ctx, order: Order, data: RefundInput) -> Reckoning:
    """The refund's lines and amounts, checked against what is left of them."""
    if data.currency is not None and data.currency.upper() != order.currency:
        raise refused("currency", f"must be {order.currency}")
    lines = {line.id: line for line in lines_of(ctx, order)}
    parts = list[Part]()
    asked = dict[int, dict[str, int]]()
    for one in data.refund_line_items or []:
        line = lines.get(one.line_item_id)
        if line is None:
            raise refused("refund_line_items.line_item_id", "does not exist on the order")
        mine = asked.setdefault(line.id, {"all": 0, "cancel": 0, "return": 0})
        before = line.refunded + mine["all"]
        mine["all"] += one.quantity
        mine[one.restock_type] = mine.get(one.restock_type, 0) + one.quantity
        if line.refunded + mine["all"] > line.quantity:
            raise refused("refund_line_items.quantity", "cannot refund more items than were purchased")
        if mine["cancel"] > left(line):
            raise refused("refund_line_items.quantity", "cannot cancel more items than are unfulfilled")
        if mine["return"] > line.fulfilled - _returned(ctx, line):
            raise refused("refund_line_items.quantity", "cannot return more items than were fulfilled")
        if one.location_id is not None:
            stock.the_location(ctx, one.location_id)
        worth = line.price * line.quantity - line.discount
        parts.append(
            Part(
                line, one.quantity, one.restock_type, one.location_id, money.share(worth, one.quantity, line.quantity, before),
                0 if order.taxes_included else money.share(line.tax, one.quantity, line.quantity, before),
                before,
            )
        )  # fmt: skip
    shipped = order.total_shipping - sum(r.shipping for r in ctx.db.find(Refund, order_id=order.id))
    back = 0
    if data.shipping is not None:
        back = shipped if data.shipping.full_refund else money.cents(data.shipping.amount or "0", "shipping")
        if back > shipped:
            raise refused("shipping", "amount cannot be greater than the refundable shipping amount")
    return Reckoning(parts, back, shipped)


def _returned(ctx: Ctx, line: LineItem) -> int:
    return sum(r.quantity for r in ctx.db.find(RefundLine, line_item_id=line.id, restock_type="return"))


def suggested(ctx: Ctx, order: Order, amount: int) -> list[Object]:
    """Payments that a refund of this amount would come from."""
    rows = transactions_of(ctx, order)
    out = list[Object]()
    for payment in filter(is_payment, rows):
        rest = open_amount(payment, rows)
        if rest <= 0:
            continue
        part = min(amount, rest)
        amount -= part
        out.append({
            "id": None, "order_id": order.id, "kind": "suggested_refund", "gateway": payment.gateway, "status": None,
            "parent_id": payment.id, "amount": money.text(part), "currency": order.currency,
            "maximum_refundable": money.text(rest),
        })  # fmt: skip
    return out


def _payments(ctx: Ctx, order: Order, data: RefundInput) -> list[tuple[Transaction, int]]:
    """The payments to give back, none more than is left of it."""
    rows = transactions_of(ctx, order)
    payments = {t.id: t for t in rows if is_payment(t)}
    rests = {t.id: open_amount(t, rows) for t in payments.values()}
    out = list[tuple[Transaction, int]]()
    for one in data.transactions or []:
        if one.kind not in ("refund", "suggested_refund"):
            raise refused("transactions", "kind must be refund")
        amount = money.cents(one.amount, "transactions")
        if amount == 0:
            continue
        key = one.parent_id
        if key is None:
            key = next((k for k, rest in rests.items() if rest >= amount), next(iter(rests), None))
        if key is None or key not in payments:
            raise refused("transactions", "parent_id is not a payment of the order")
        if amount > rests[key]:
            raise refused(
                "transactions", f"amount exceeds the {money.text(rests[key])} {order.currency} that can be refunded"
            )
        rests[key] -= amount
        out.append((payments[key], amount))
    return out


def refund(ctx: Ctx, order: Order, data: RefundInput) -> Refund:
    """Refunds lines, shipping and money of an order."""
    found = reckon(ctx, order, data)
    payments = _payments(ctx, order, data)
    if not found.parts and not found.shipping and not payments:
        raise refused("base", "Refund must have line items, shipping or transactions")
    given = sum(amount for _, amount in payments)
    row = write(ctx, order, found, note=data.note, discrepancy=(found.total - given) if payments else 0)
    moves = [add_transaction(ctx, order, "refund", amount, gateway=p.gateway, parent=p.id) for p, amount in payments]
    ctx.db.update(row, transaction_ids=[t.id for t in moves])
    settle(ctx, order)
    return row


def write(
    ctx: Ctx, order: Order, found: Reckoning, *, note: str | None = None, discrepancy: int = 0, at: str = ""
) -> Refund:
    """The refund's rows, and its units back in stock. The order's statuses are its caller's to settle."""
    at = at or ctx.timestamp()
    row = ctx.db.add(
        Refund(
            id=new(ctx, "Refund"), order_id=order.id, note=note, restock=any(p.restock != "no_restock" for p in found.parts),
            shipping=found.shipping, discrepancy=discrepancy, processed_at=at, created_at=at,
        )
    )  # fmt: skip
    for part in found.parts:
        location = part.location
        if part.restock == "cancel":
            location = _cancel(ctx, order, part)
        elif part.restock == "return":
            location = _take_back(ctx, part)
        ctx.db.add(
            RefundLine(
                id=new(ctx, "RefundLine"), refund_id=row.id, line_item_id=part.line.id, quantity=part.quantity, restock_type=part.restock,
                location_id=location, subtotal=part.subtotal, total_tax=part.tax,
            )
        )  # fmt: skip
        line = ctx.require(LineItem, part.line.id)
        gone = part.quantity if part.restock == "cancel" else 0
        ctx.db.update(line, refunded=line.refunded + part.quantity, removed=line.removed + gone)
    return row


def _cancel(ctx: Ctx, order: Order, part: Part) -> int | None:
    """Units that will not be sent: off their fulfillment orders, back to available."""
    rest, place = part.quantity, None
    for fo in shipping.orders_of(ctx, order):
        for pick in shipping.lines_in(ctx, fo):
            count = min(rest, pick.fulfillable_quantity)
            if pick.line_item_id != part.line.id or not count:
                continue
            shipping.release(ctx, fo, pick, count, restock=True)
            rest -= count
            place = fo.assigned_location_id
            shipping.refresh(ctx, fo)
    return place


def _take_back(ctx: Ctx, part: Part) -> int | None:
    """Units that came back: available where they are returned to."""
    place = part.location or the_shop(ctx).primary_location_id
    variant = ctx.db.get(Variant, part.line.variant_id) if part.line.variant_id else None
    item = ctx.db.get(InventoryItem, variant.inventory_item_id) if variant else None
    if item is not None and item.tracked:
        stock.move(ctx, stock.connect(ctx, item.id, place), available=part.quantity)
    return place


def everything(order: Order, lines: list[LineItem], restock: Restock) -> RefundInput:
    """A refund of all lines' units that can still be fulfilled."""
    units = [
        RefundLineInput(line_item_id=line.id, quantity=n, restock_type=restock)
        for line in lines
        if (n := min(left(line), line.quantity - line.refunded)) > 0
    ]
    return RefundInput(refund_line_items=units)
