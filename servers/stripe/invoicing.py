"""Invoices: lines, totals, finalization, collection. https://docs.stripe.com/invoicing/overview

The one rule: what an invoice totals follows from its lines, discounts and taxes, and what it asks for from the total, the
customer's balance and what was paid or credited. `recompute` and `_owed` are the only places that say so.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from legoenv_mcp.app import ApiError, Ctx

from . import charging, discounts
from .errors import refuse
from .events import emit
from .ids import new, secret
from .models import (
    Customer,
    CustomerBalanceTransaction,
    Invoice,
    InvoiceItem,
    InvoicePayment,
    LineItem,
    PaymentIntent,
    PaymentMethod,
    Price,
    Subscription,
    TaxRate,
)
from .money import MINIMUM_CHARGE, apportion, percent, rounded
from .render_billing import invoice_lines
from .resources import show

DAY = 86400
NO_METHOD = (
    "This customer has no attached payment source or default payment method. Please consider adding a default payment method. For more "
    "information, visit https://stripe.com/docs/billing/subscriptions/payment-methods-setting#payment-method-priority."
)
NOT_OPEN = "You can only pass in open invoices. This invoice isn't open."


def draft(ctx: Ctx, customer: Customer, currency: str, **fields: Any) -> Invoice:
    """A new draft without lines. The customer's first invoice fixes the customer's currency."""
    now = ctx.epoch()
    if customer.currency is None:
        ctx.db.update(customer, currency=currency)
    defaults = {"period_start": now, "period_end": now, "footer": customer.footer}
    return ctx.db.add(
        Invoice(id=new(ctx, "in"), created=now, customer=customer.id, currency=currency, **{**defaults, **fields})
    )


def add_line(ctx: Ctx, invoice: Invoice, **fields: Any) -> LineItem:
    position = ctx.db.count(LineItem, invoice=invoice.id)
    defaults = {"period_start": invoice.period_start, "period_end": invoice.period_end, "currency": invoice.currency}
    return ctx.db.add(LineItem(id=new(ctx, "il"), invoice=invoice.id, position=position, **{**defaults, **fields}))


def add_item(ctx: Ctx, invoice: Invoice, item: InvoiceItem) -> LineItem:
    """Puts an invoice item on a draft."""
    ctx.db.update(item, invoice=invoice.id)
    return add_line(ctx, invoice, **line_of(ctx, item))


def line_of(ctx: Ctx, item: InvoiceItem) -> dict[str, Any]:
    """An invoice item as a line."""
    same = (
        "amount", "currency", "description", "discountable", "period_start", "period_end", "price", "proration", "quantity",
        "subscription", "subscription_item", "tax_rates", "unit_amount", "metadata_",
    )  # fmt: skip
    price = ctx.db.get(Price, item.price) if item.price else None
    return {"invoice_item": item.id, "product": price and price.product, **{name: getattr(item, name) for name in same}}


def pending_items(ctx: Ctx, customer: str, currency: str, subscription: str | None = None) -> list[InvoiceItem]:
    """What waits for the customer's next invoice: all of it, or a subscription's own and what belongs to none."""
    items = ctx.db.find(InvoiceItem, customer=customer, currency=currency, invoice__null=True, order="-date")
    return [i for i in items if subscription is None or i.subscription in (None, subscription)]


# Totals


def totals(ctx: Ctx, invoice: Invoice, lines: Sequence[LineItem]) -> dict[str, Any]:
    """The invoice's amounts from its lines; also sets each line's `discount_amounts` and `taxes` (not yet written)."""
    off = [[0] * len(lines)]
    per_discount = list[dict[str, Any]]()
    parts: list[list[dict[str, Any]]] = [[] for _ in lines]
    for key, terms in discounts.terms_of(ctx, invoice.discounts):
        left = [line.amount - sum(o[i] for o in off) if _eligible(line, terms) else 0 for i, line in enumerate(lines)]
        if terms["percent_off"] is not None:
            cut = [percent(amount, terms["percent_off"]) for amount in left]
        else:
            cut = apportion(min(terms["amount_off"], sum(left)), left)
        off.append(cut)
        per_discount.append({"amount": sum(cut), "discount": key})
        for i, amount in enumerate(cut):
            if amount:
                parts[i].append({"amount": amount, "discount": key})
    taxes = dict[tuple[str, str], dict[str, Any]]()
    exclusive = 0
    for i, line in enumerate(lines):
        line.discount_amounts = parts[i]
        line.taxes = _line_taxes(ctx, invoice, line, line.amount - sum(p["amount"] for p in parts[i]))
        for tax in line.taxes:
            exclusive += tax["amount"] if tax["tax_behavior"] == "exclusive" else 0
            place = tax["tax_rate_details"]["tax_rate"], tax["tax_behavior"]
            if place in taxes:
                taxes[place]["amount"] += tax["amount"]
                taxes[place]["taxable_amount"] += tax["taxable_amount"]
            else:
                taxes[place] = dict(tax)
    subtotal = sum(line.amount for line in lines)
    total = subtotal - sum(d["amount"] for d in per_discount) + exclusive
    return {
        "subtotal": subtotal,
        "total": total,
        "total_discount_amounts": per_discount,
        "total_taxes": list(taxes.values()),
    }


def _eligible(line: LineItem, terms: Mapping[str, Any]) -> bool:
    return line.discountable and line.amount > 0 and (not terms.get("products") or line.product in terms["products"])


def _line_taxes(ctx: Ctx, invoice: Invoice, line: LineItem, taxable: int) -> list[dict[str, Any]]:
    out = list[dict[str, Any]]()
    payer = ctx.require(Customer, invoice.customer)
    reason = {"exempt": "customer_exempt", "reverse": "reverse_charge"}.get(payer.tax_exempt)
    for key in line.tax_rates or invoice.default_tax_rates:
        rate = ctx.db.get(TaxRate, key)
        if rate is None:
            continue
        percentage = 0.0 if reason else rate.percentage
        share = Fraction(str(percentage)) / 100
        inside = rounded(taxable * share / (1 + share)) if rate.inclusive else 0
        out.append({
            "amount": inside if rate.inclusive else percent(taxable, percentage),
            "tax_behavior": "inclusive" if rate.inclusive else "exclusive", "tax_rate_details": {"tax_rate": rate.id},
            "taxability_reason": reason or "standard_rated", "taxable_amount": taxable - inside, "type": "tax_rate_details",
        })  # fmt: skip
    return out


def recompute(ctx: Ctx, invoice: Invoice) -> Invoice:
    """Brings a draft's amounts in step with its lines."""
    lines = invoice_lines(ctx, invoice.id)
    found = totals(ctx, invoice, lines)
    for line in lines:
        ctx.db.update(line, discount_amounts=line.discount_amounts, taxes=line.taxes)
    payer = ctx.require(Customer, invoice.customer)
    start = payer.balance if payer.currency == invoice.currency else 0
    due, _ = _owed(found["total"], start)
    return ctx.db.update(invoice, **found, starting_balance=start, amount_due=due, amount_remaining=due)


def _owed(total: int, balance: int) -> tuple[int, int]:
    """What to collect for a total with the customer's balance (credit is negative), and the balance afterwards."""
    both = total + balance
    return (both, 0) if both > 0 else (0, both)


# From draft to its end


def check_draft(invoice: Invoice) -> None:
    if invoice.status != "draft":
        raise refuse("Invalid invoice: This invoice is no longer editable", code="invoice_not_editable")


def finalize(ctx: Ctx, invoice: Invoice, auto_advance: bool | None = None) -> Invoice:
    """Numbers the invoice, settles the customer's balance and opens it; with nothing to collect it is paid at once."""
    recompute(ctx, invoice)
    payer, now = ctx.require(Customer, invoice.customer), ctx.epoch()
    due, after = _owed(invoice.total, invoice.starting_balance)
    foreign = payer.currency not in (None, invoice.currency)
    if foreign:
        after = 0  # the balance is in the customer's own currency and no concern of this invoice
    elif 0 < due < MINIMUM_CHARGE.get(invoice.currency, 1):
        # Too little for a charge: it is carried over to the next invoice.
        due, after = 0, invoice.total + invoice.starting_balance
    number = invoice.number
    if number is None:
        number = f"{payer.invoice_prefix}-{payer.next_invoice_sequence:04d}"
        ctx.db.update(payer, next_invoice_sequence=payer.next_invoice_sequence + 1)
    if after != invoice.starting_balance:
        move_balance(
            ctx, payer, after - invoice.starting_balance, invoice.currency, "applied_to_invoice", invoice=invoice.id
        )
    ctx.db.update(
        invoice, status="open", number=number, effective_at=now, finalized_at=now, amount_due=due, amount_remaining=due,
        ending_balance=after, auto_advance=invoice.auto_advance if auto_advance is None else auto_advance,
    )  # fmt: skip
    emit(ctx, "invoice.finalized", invoice)
    if due == 0:
        ctx.db.update(invoice, attempted=True)
        settle(ctx, invoice, 0)
    else:
        intent_of(ctx, invoice)
    return invoice


def move_balance(
    ctx: Ctx, customer: Customer, amount: int, currency: str, kind: str, **fields: Any
) -> CustomerBalanceTransaction:
    """Changes what the customer owes (positive) or has as credit (negative)."""
    after = customer.balance + amount
    ctx.db.update(customer, balance=after, currency=customer.currency or currency)
    return ctx.db.add(
        CustomerBalanceTransaction(
            id=new(ctx, "cbtxn"), created=ctx.epoch(), customer=customer.id, amount=amount, currency=currency, type=kind,
            ending_balance=after, **fields,
        )
    )  # fmt: skip


def intent_of(ctx: Ctx, invoice: Invoice, at: int | None = None) -> PaymentIntent:
    """The payment intent that collects the invoice, made when there is something to collect."""
    payment = ctx.db.first(InvoicePayment, invoice=invoice.id)
    if payment:
        return ctx.require(PaymentIntent, payment.payment_intent)
    key, now = new(ctx, "pi"), at or ctx.epoch()
    words = "Subscription creation" if invoice.billing_reason == "subscription_create" else "Payment for Invoice"
    intent = ctx.db.add(
        PaymentIntent(
            id=key, created=now, amount=invoice.amount_due, currency=invoice.currency, customer=invoice.customer,
            client_secret=secret(ctx, key), description=words, setup_future_usage="off_session" if invoice.subscription else None,
            capture_method="automatic",
        )
    )  # fmt: skip
    ctx.db.add(
        InvoicePayment(
            id=new(ctx, "inpay"), created=now, amount_requested=invoice.amount_due, currency=invoice.currency, invoice=invoice.id,
            payment_intent=key,
        )
    )  # fmt: skip
    return intent


def method_for(ctx: Ctx, invoice: Invoice) -> PaymentMethod | None:
    """The payment method an invoice is charged to: its own, its subscription's, its customer's."""
    subscription = ctx.db.get(Subscription, invoice.subscription) if invoice.subscription else None
    payer = ctx.require(Customer, invoice.customer)
    key = (
        invoice.default_payment_method
        or (subscription and subscription.default_payment_method)
        or payer.default_payment_method
    )
    return ctx.db.get(PaymentMethod, key) if key else None


def pay(
    ctx: Ctx, invoice: Invoice, method: PaymentMethod | None = None, *, off_session: bool = True
) -> ApiError | None:
    """Tries to collect what remains. A refusal by the card is returned, for its record is to stay."""
    method = method or method_for(ctx, invoice)
    if method is None:
        raise refuse(NO_METHOD, code="resource_missing")
    intent = intent_of(ctx, invoice)
    charging.check_confirmable(ctx, intent)
    error = charging.attempt(ctx, intent, method, off_session=off_session)
    if error is not None:
        ctx.db.update(invoice, attempted=True, attempt_count=invoice.attempt_count + 1)
        emit(ctx, "invoice.payment_failed", invoice)
        subscription = ctx.db.get(Subscription, invoice.subscription) if invoice.subscription else None
        automatic = (
            invoice.collection_method == "charge_automatically" and invoice.billing_reason != "subscription_create"
        )
        if subscription and automatic and subscription.status == "active" and subscription.latest_invoice == invoice.id:
            restate(ctx, subscription, "past_due")
        return error
    if intent.status == "requires_action":
        ctx.db.update(invoice, attempted=True)
        emit(ctx, "invoice.payment_action_required", invoice)
        return None
    ctx.db.update(invoice, attempted=True, attempt_count=invoice.attempt_count + 1)
    collected(ctx, intent, invoice)
    return None


def collected(ctx: Ctx, intent: PaymentIntent, invoice: Invoice | None = None) -> None:
    """If a payment intent that succeeded was an invoice's, the invoice is paid; `invoice` is the row where it is at hand."""
    payment = ctx.db.first(InvoicePayment, payment_intent=intent.id, status="open")
    if payment is None or intent.status != "succeeded":
        return
    ctx.db.update(payment, status="paid", amount_paid=intent.amount_received, paid_at=ctx.epoch())
    paid = invoice or ctx.require(Invoice, payment.invoice)
    subscription = ctx.db.get(Subscription, paid.subscription) if paid.subscription else None
    if subscription and subscription.save_default_payment_method == "on_subscription":
        ctx.db.update(subscription, default_payment_method=intent.payment_method)
    settle(ctx, paid, intent.amount_received)


def settle(ctx: Ctx, invoice: Invoice, amount: int, *, out_of_band: bool = False) -> None:
    """Marks the invoice paid and tells its subscription."""
    ctx.db.update(
        invoice, status="paid", paid_at=ctx.epoch(), amount_paid=invoice.amount_paid + amount, auto_advance=False,
        amount_remaining=invoice.amount_remaining - amount, amount_paid_off_stripe=amount if out_of_band else 0,
    )  # fmt: skip
    emit(ctx, "invoice.paid", invoice)
    if amount and not out_of_band:
        emit(ctx, "invoice.payment_succeeded", invoice)
    subscription = ctx.db.get(Subscription, invoice.subscription) if invoice.subscription else None
    if subscription and subscription.status in ("incomplete", "past_due", "unpaid"):
        behind = ctx.db.first(Invoice, subscription=subscription.id, status="open")
        if behind is None:
            restate(ctx, subscription, "active")


def restate(ctx: Ctx, subscription: Subscription, status: str) -> None:
    """Gives a subscription another status because of what became of its invoice."""
    was = show(ctx, subscription)
    ctx.db.update(subscription, status=status)
    emit(ctx, "customer.subscription.updated", subscription, was=was)


def dropped(ctx: Ctx, invoice: Invoice) -> None:
    """An invoice is no longer to be collected: without its first one a subscription never began, without others it is not behind."""
    subscription = ctx.db.get(Subscription, invoice.subscription) if invoice.subscription else None
    if subscription is None or subscription.latest_invoice != invoice.id:
        return
    if subscription.status == "incomplete" and invoice.status == "void":
        restate(ctx, subscription, "incomplete_expired")
    elif subscription.status in ("past_due", "unpaid"):
        restate(ctx, subscription, "active")


def close_payment(ctx: Ctx, invoice: Invoice, reason: str) -> None:
    """Ends the payment intent of an invoice that will not be collected through it."""
    payment = ctx.db.first(InvoicePayment, invoice=invoice.id, status="open")
    if payment is None:
        return
    intent = ctx.require(PaymentIntent, payment.payment_intent)
    if intent.status in charging.CANCELABLE:
        charging.cancel(ctx, intent, reason)
    ctx.db.update(payment, status="canceled", canceled_at=ctx.epoch())


def void(ctx: Ctx, invoice: Invoice) -> None:
    """Cancels a finalized invoice; the customer's balance is as if it had never been."""
    if invoice.ending_balance is not None and invoice.ending_balance != invoice.starting_balance:
        payer = ctx.require(Customer, invoice.customer)
        back = invoice.starting_balance - invoice.ending_balance
        move_balance(ctx, payer, back, invoice.currency, "unapplied_from_invoice", invoice=invoice.id)
    close_payment(ctx, invoice, "void_invoice")
    ctx.db.update(invoice, status="void", voided_at=ctx.epoch(), auto_advance=False)
    emit(ctx, "invoice.voided", invoice)
    dropped(ctx, invoice)


def is_invoice_payment(ctx: Ctx, intent: PaymentIntent) -> bool:
    """Whether an open invoice is collected through this intent."""
    return ctx.db.first(InvoicePayment, payment_intent=intent.id, status="open") is not None
