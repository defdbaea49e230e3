"""What an order was paid, what is still due, and the statuses that follow from it."""

from dataclasses import dataclass
from typing import Any, Literal

from legoenv_mcp.app import Ctx

from .errors import not_found
from .models import LineItem, Order, Refund, RefundLine, Transaction, new

Kind = Literal["authorization", "capture", "sale", "void", "refund"]
MANUAL = frozenset({"manual", "cash", "Cash on Delivery (COD)", "bank_deposit"})


def the_order(ctx: Ctx, key: int) -> Order:
    row = ctx.db.get(Order, key)
    if row is None:
        raise not_found()
    return row


def lines_of(ctx: Ctx, order: Order) -> list[LineItem]:
    return ctx.db.find(LineItem, order_id=order.id)


def left(line: LineItem) -> int:
    """Units of a line that can still be fulfilled."""
    return line.quantity - line.fulfilled - line.removed


def transactions_of(ctx: Ctx, order: Order) -> list[Transaction]:
    return ctx.db.find(Transaction, order_id=order.id)


def open_amount(parent: Transaction, all_of_them: list[Transaction]) -> int:
    """What of an authorization is not captured or voided, of a pending payment not received, of a payment not refunded."""
    children = [t for t in all_of_them if t.parent_id == parent.id and t.status == "success"]
    if any(t.kind == "void" for t in children):
        return 0
    return parent.amount - sum(t.amount for t in children)


@dataclass(frozen=True, slots=True)
class Balance:
    """An order's money: held by authorizations, received, given back; and what it costs after refunds of its lines."""

    authorized: int
    pending: int
    captured: int
    refunded: int
    owed: int

    @property
    def due(self) -> int:
        return max(0, self.owed - (self.captured - self.refunded))


def is_payment(t: Transaction) -> bool:
    return t.status == "success" and t.kind in ("sale", "capture")


def balance(ctx: Ctx, order: Order) -> Balance:
    rows = transactions_of(ctx, order)
    good = [t for t in rows if t.status == "success"]
    refunds = ctx.db.find(Refund, order_id=order.id)
    gone = ctx.db.find(RefundLine, refund_id__in=[r.id for r in refunds]) if refunds else []
    back = sum(r.shipping for r in refunds) + sum(x.subtotal + x.total_tax for x in gone)
    return Balance(
        authorized=sum(open_amount(t, rows) for t in good if t.kind == "authorization"),
        pending=sum(open_amount(t, rows) for t in rows if t.status == "pending"),
        captured=sum(t.amount for t in good if is_payment(t)),
        refunded=sum(t.amount for t in good if t.kind == "refund"),
        owed=order.total_price - back,
    )  # fmt: skip


def _financial(order: Order, b: Balance, voided: bool) -> str:
    if b.refunded:
        return "refunded" if b.refunded >= b.captured else "partially_refunded"
    if b.captured:
        return "paid" if b.captured >= b.owed else "partially_paid"
    if order.total_price == 0:
        return "paid"
    if b.authorized:
        return "authorized"
    return "voided" if voided or order.cancelled_at else "pending"


def _fulfillment(order: Order, lines: list[LineItem]) -> str | None:
    sent = sum(line.fulfilled for line in lines)
    if sent == 0:
        gone = all(line.removed >= line.quantity and line.refunded >= line.quantity for line in lines)
        return "restocked" if order.cancelled_at and lines and gone else None
    return "partial" if any(left(line) > 0 for line in lines) else "fulfilled"


def settle(ctx: Ctx, order: Order) -> None:
    """Brings an order's statuses to what its transactions and shipments say."""
    voided = any(t.kind == "void" and t.status == "success" for t in transactions_of(ctx, order))
    ctx.db.update(
        order,
        financial_status=_financial(order, balance(ctx, order), voided),
        fulfillment_status=_fulfillment(order, lines_of(ctx, order)),
        updated_at=ctx.timestamp(),
    )


def add_transaction(
    ctx: Ctx, order: Order, kind: Kind, amount: int, *, gateway: str, parent: int | None = None, at: str = "", **more: Any
) -> Transaction:  # fmt: skip
    """A transaction of an order."""
    at = at or ctx.timestamp()
    key = new(ctx, "Transaction")
    if kind == "authorization":
        more.setdefault("authorization", f"authorization-key-{key % 10**9}")
    return ctx.db.add(
        Transaction(
            id=key, order_id=order.id, kind=kind, amount=amount, currency=order.currency, gateway=gateway, parent_id=parent,
            test=order.test, processed_at=at, created_at=at, **more,
        )
    )  # fmt: skip


def give_back(ctx: Ctx, order: Order, amount: int) -> list[Transaction]:
    """Refunds an amount from the payments that are not refunded yet, the latest first."""
    made = list[Transaction]()
    rows = transactions_of(ctx, order)
    for payment in sorted(filter(is_payment, rows), key=lambda t: -t.id):
        part = min(amount, open_amount(payment, rows))
        if part > 0:
            made.append(add_transaction(ctx, order, "refund", part, gateway=payment.gateway, parent=payment.id))
            amount -= part
    return made


def void_authorizations(ctx: Ctx, order: Order) -> None:
    rows = transactions_of(ctx, order)
    for held in rows:
        if held.kind == "authorization" and held.status == "success" and open_amount(held, rows) == held.amount:
            add_transaction(ctx, order, "void", held.amount, gateway=held.gateway, parent=held.id)
