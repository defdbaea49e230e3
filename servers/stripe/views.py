"""Stripe's rows as a world's payments."""

from datetime import UTC, datetime
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, payments

from .models import InvoicePayment, LineItem, SubscriptionItem


def stamp(seconds: int | None) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if seconds else ""


def day(seconds: int | None) -> str:
    return stamp(seconds)[:10]


def view_customer(ctx: Ctx, row: dict[str, Any]) -> Entity | None:
    if row["deleted"]:
        return None
    return payments.Customer(
        id=row["id"], name=row["name"] or "", email=row["email"] or "", company=row["metadata_"].get("company", ""),
        phone=row["phone"] or "",
        currency=row["currency"] or "usd", description=row["description"] or "", created=stamp(row["created"]),
    )  # fmt: skip


def view_product(ctx: Ctx, row: dict[str, Any]) -> Entity:
    return payments.Product(
        id=row["id"],
        name=row["name"],
        description=row["description"] or "",
        active=row["active"],
        created=stamp(row["created"]),
    )


def view_price(ctx: Ctx, row: dict[str, Any]) -> Entity | None:
    if row["interval"] not in (None, "month", "year"):
        return None
    return payments.Price(
        id=row["id"], product=row["product"], nickname=row["nickname"] or "", amount=row["unit_amount"], currency=row["currency"],
        interval=row["interval"] or "", active=row["active"], created=stamp(row["created"]),
    )  # fmt: skip


def view_subscription(ctx: Ctx, row: dict[str, Any]) -> Entity | None:
    item = ctx.db.first(SubscriptionItem, subscription=row["id"], order="created")
    states: dict[str, Any] = {
        "unpaid": "past_due",
        "incomplete": "past_due",
        "incomplete_expired": "canceled",
        "paused": "trialing",
    }
    return payments.Subscription(
        id=row["id"], customer=row["customer"], price=item.price if item else "", quantity=item.quantity if item else 0,
        status=states.get(row["status"], row["status"]), started=stamp(row["start_date"]), canceled=stamp(row["ended_at"]),
    )  # fmt: skip


def view_invoice(ctx: Ctx, row: dict[str, Any]) -> Entity:
    lines = ctx.db.find(LineItem, invoice=row["id"], order="position")
    return payments.Invoice(
        id=row["id"], customer=row["customer"], number=row["number"] or "", status=row["status"], currency=row["currency"],
        lines=tuple(
            payments.Line(description=line.description or "", quantity=line.quantity, amount=line.amount, price=line.price or "")
            for line in lines
        ),
        subscription=row["subscription"] or "", memo=row["description"] or "", issued=day(row["finalized_at"] or row["created"]),
        due=day(row["due_date"]), paid=day(row["paid_at"]),
    )  # fmt: skip


def view_payment(ctx: Ctx, row: dict[str, Any]) -> Entity:
    card = (row["payment_method_details"] or {}).get("card", {})
    link = ctx.db.first(InvoicePayment, payment_intent=row["payment_intent"]) if row["payment_intent"] else None
    held = row["status"] == "succeeded" and not row["captured"]
    released = held and row["refunded"]
    status = "failed" if released else "pending" if held else row["status"]
    why = (row["outcome"] or {}).get("reason") if row["status"] == "failed" else None
    failure = {"generic_decline": "card_declined"}.get(why or "", why or row["failure_code"] or "")
    return payments.Payment(
        id=row["id"], customer=row["customer"] or "", amount=row["amount"], currency=row["currency"], status=status,
        description=row["description"] or "", invoice=link.invoice if link else "", card_brand=card.get("brand", ""),
        card_last4=card.get("last4", ""), failure="canceled" if released else failure,
        refunded=0 if released else row["amount_refunded"], disputed=row["disputed"], created=stamp(row["created"]),
    )  # fmt: skip
