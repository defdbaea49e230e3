"""A world's payments as Stripe's rows. A canonical payment is a charge: one attempt, whatever became of it."""

from datetime import UTC, datetime
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import payments

from . import billing, charging, invoicing
from .cards import AUTHENTICATION, DECLINES, GENERIC, Decline, add_card
from .ids import code, new, secret
from .ledger import record
from .models import (
    Charge,
    Customer,
    Dispute,
    Invoice,
    InvoicePayment,
    LineItem,
    PaymentIntent,
    PaymentMethod,
    Price,
    Product,
    Refund,
    Subscription,
    SubscriptionItem,
)
from .subscription_dates import period_at

DAY = 86400

# A canonical failure's name, the test card that fails so, and why it says it does.
FAILURES: dict[str, tuple[str, Decline]] = {
    "card_declined": ("chargeCustomerFail", GENERIC),
    "insufficient_funds": ("chargeDeclinedInsufficientFunds", DECLINES["chargeDeclinedInsufficientFunds"]),
    "do_not_honor": ("chargeDeclinedDoNotHonor", DECLINES["chargeDeclinedDoNotHonor"]),
    "expired_card": ("chargeDeclinedExpiredCard", DECLINES["chargeDeclinedExpiredCard"]),
    "authentication_required": ("authenticationRequired", AUTHENTICATION),
    "incorrect_cvc": ("chargeDeclinedIncorrectCvc", DECLINES["chargeDeclinedIncorrectCvc"]),
    "processing_error": ("chargeDeclinedProcessingError", DECLINES["chargeDeclinedProcessingError"]),
    "lost_card": ("chargeDeclinedLostCard", DECLINES["chargeDeclinedLostCard"]),
    "stolen_card": ("chargeDeclinedStolenCard", DECLINES["chargeDeclinedStolenCard"]),
    "fraudulent": ("chargeDeclinedFraudulent", DECLINES["chargeDeclinedFraudulent"]),
}


def moment(ctx: Ctx, text: str) -> int:
    """A time or day of the world in seconds; now where there is none. A day stands for nine o'clock."""
    if not text:
        return ctx.epoch()
    return int(ctx.parse_time(text if "T" in text else f"{text}T09:00:00Z").timestamp())


def fill_customer(ctx: Ctx, e: payments.Customer) -> str:
    row = Customer(
        id=new(ctx, "cus"), created=moment(ctx, e.created), name=e.name, email=e.email, phone=e.phone or None,
        description=e.description or None, currency=e.currency.lower(), invoice_prefix=code(ctx, "prefix"),
        metadata_={"company": e.company} if e.company else {},
    )  # fmt: skip
    return ctx.db.add(row).id


def fill_product(ctx: Ctx, e: payments.Product) -> str:
    made = moment(ctx, e.created)
    row = Product(
        id=new(ctx, "prod"), created=made, updated=made, name=e.name, description=e.description or None, active=e.active
    )  # fmt: skip
    return ctx.db.add(row).id


def fill_price(ctx: Ctx, e: payments.Price) -> str:
    product = ctx.require(Product, ctx.ref(payments.Product, e.product))
    row = ctx.db.add(
        Price(
            id=new(ctx, "price"), created=moment(ctx, e.created), product=product.id, active=e.active, currency=e.currency.lower(),
            unit_amount=e.amount, nickname=e.nickname or None, interval=e.interval or None,
        )
    )  # fmt: skip
    if product.default_price is None and row.active:
        ctx.db.update(product, default_price=row.id)
    return row.id


def fill_subscription(ctx: Ctx, e: payments.Subscription) -> str:
    price = ctx.require(Price, ctx.ref(payments.Price, e.price))
    start = moment(ctx, e.started)
    over = moment(ctx, e.canceled) if e.canceled else ctx.epoch() if e.status == "canceled" else None
    trial = start + 30 * DAY if e.status == "trialing" else None
    if trial is not None and trial <= ctx.epoch():
        trial = ctx.epoch() + 7 * DAY
    anchor = trial or start
    interval = str(price.interval or "month"), price.interval_count
    span = (start, trial) if trial else period_at(start, *interval, over or ctx.epoch())
    row = ctx.db.add(
        Subscription(
            id=new(ctx, "sub"), created=start, start_date=start, billing_cycle_anchor=anchor, currency=price.currency, status=e.status,
            customer=ctx.ref(payments.Customer, e.customer), trial_start=start if trial else None, trial_end=trial, canceled_at=over,
            ended_at=over, cancellation_reason="cancellation_requested" if over else None,
        )
    )  # fmt: skip
    billing.add_subscription_item(ctx, row.id, billing.Part(price, e.quantity), *span, at=start)
    return row.id


def fill_invoice(ctx: Ctx, e: payments.Invoice) -> str:
    issued = moment(ctx, e.issued)
    final = e.status != "draft"
    total = sum(line.amount for line in e.lines)
    owner = ctx.ref(payments.Subscription, e.subscription) if e.subscription else None
    row = ctx.db.add(
        Invoice(
            id=new(ctx, "in"), created=issued, customer=ctx.ref(payments.Customer, e.customer), number=e.number or None, status=e.status,
            currency=e.currency.lower(), subscription=owner, description=e.memo or None, period_start=issued, period_end=issued,
            collection_method="send_invoice" if e.due else "charge_automatically", due_date=moment(ctx, e.due) if e.due else None,
            billing_reason="subscription_cycle" if owner else "manual", effective_at=issued if final else None,
            finalized_at=issued if final else None, subtotal=total, total=total, amount_due=max(total, 0),
            ending_balance=0 if final else None,
            amount_paid=total if e.status == "paid" else 0, amount_remaining=0 if e.status == "paid" else max(total, 0),
            paid_at=moment(ctx, e.paid) if e.paid or e.status == "paid" else None,
            amount_paid_off_stripe=total if e.status == "paid" else 0,
            voided_at=issued + DAY if e.status == "void" else None,
            marked_uncollectible_at=issued + 60 * DAY if e.status == "uncollectible" else None,
        )
    )  # fmt: skip
    for line in e.lines:
        _fill_line(ctx, row, line)
    if owner:
        subscription = ctx.require(Subscription, owner)
        last = ctx.db.get(Invoice, subscription.latest_invoice) if subscription.latest_invoice else None
        if last is None or last.created <= row.created:
            # A subscription's invoices are collected as it is: those that are due on a day are sent.
            days = round((row.due_date - issued) / DAY) if row.due_date else None
            ctx.db.update(
                subscription, latest_invoice=row.id, collection_method=row.collection_method, days_until_due=days
            )  # fmt: skip
    if e.status in ("open", "uncollectible") and total > 0:
        invoicing.intent_of(ctx, row, at=issued)
    return row.id


def _fill_line(ctx: Ctx, invoice: Invoice, line: payments.Line) -> LineItem:
    price = ctx.db.get(Price, ctx.ref(payments.Price, line.price)) if line.price else None
    item = None
    if invoice.subscription and price:
        item = ctx.db.first(SubscriptionItem, subscription=invoice.subscription, price=price.id)
    unit = line.amount // line.quantity if line.quantity and line.amount % line.quantity == 0 else None
    return invoicing.add_line(
        ctx, invoice, amount=line.amount, description=line.description, quantity=line.quantity, price=price and price.id,
        product=price and price.product, unit_amount=unit, subscription=item and invoice.subscription, subscription_item=item and item.id,
    )  # fmt: skip


def _card(ctx: Ctx, e: payments.Payment, customer: Customer, made: int) -> PaymentMethod:
    """The customer's card of this brand and number; new cards become the default, for the last one used is."""
    for method in ctx.db.find(PaymentMethod, customer=customer.id):
        if method.card and (method.card["brand"], method.card["last4"]) == (e.card_brand, e.card_last4):
            break
    else:
        billing_details = {
            "name": customer.name,
            "email": customer.email,
            "phone": customer.phone,
            "address": customer.address or {},
        }
        now = datetime.fromtimestamp(ctx.epoch(), UTC)
        expired = e.failure == "expired_card"
        method = add_card(
            ctx, e.card_brand, e.card_last4, created=made, customer=customer.id, billing={**billing_details, "tax_id": None},
            exp_month=12, exp_year=now.year - 1 if expired else now.year + 2,
        )  # fmt: skip
    behavior = FAILURES.get(e.failure, FAILURES["card_declined"])[0] if e.status == "failed" else ""
    if method.behavior != behavior:
        ctx.db.update(method, behavior=behavior)
    if customer.default_payment_method != method.id:
        ctx.db.update(customer, default_payment_method=method.id)
    return method


def fill_payment(ctx: Ctx, e: payments.Payment) -> str:
    made = moment(ctx, e.created)
    customer = ctx.require(Customer, ctx.ref(payments.Customer, e.customer))
    invoice = ctx.require(Invoice, ctx.ref(payments.Invoice, e.invoice)) if e.invoice else None
    method = _card(ctx, e, customer, made)
    intent = _fill_intent(ctx, e, customer, invoice, made)
    base: dict[str, Any] = {"at": made}
    if e.status == "failed":
        decline = (
            FAILURES[e.failure][1]
            if e.failure in FAILURES
            else Decline("card_declined", e.failure or "generic_decline", GENERIC.message)
        )
        charge = charging.add_charge(ctx, intent, method, **base, **charging.failure(decline))
        if intent.status != "succeeded":
            error = {
                "charge": charge.id, "code": decline.code, "decline_code": decline.decline_code, "message": decline.message,
                "type": "card_error",
            }  # fmt: skip
            ctx.db.update(intent, latest_charge=charge.id, last_payment_error=error)
        if invoice:
            ctx.db.update(invoice, attempted=True, attempt_count=invoice.attempt_count + 1)
    elif e.status == "pending":
        charge = charging.add_charge(ctx, intent, method, **base, status="pending", paid=False)
        ctx.db.update(intent, status="processing", latest_charge=charge.id, payment_method=method.id)
    else:
        charge = charging.add_charge(
            ctx, intent, method, **base, status="succeeded", paid=True, outcome=charging.approved()
        )
        _fill_capture(ctx, intent, charge, method, invoice, made)
    ctx.db.update(charge, description=e.description or None)
    if e.refunded:
        _fill_refund(ctx, charge, e.refunded, made)
    if e.disputed:
        _fill_dispute(ctx, charge, made)
    return charge.id


def _fill_intent(
    ctx: Ctx, e: payments.Payment, customer: Customer, invoice: Invoice | None, made: int
) -> PaymentIntent:
    """The payment intent of an attempt: all attempts at an invoice share one."""
    if invoice:
        known = ctx.db.first(InvoicePayment, invoice=invoice.id)
        intent = (
            ctx.require(PaymentIntent, known.payment_intent) if known else invoicing.intent_of(ctx, invoice, at=made)
        )
        if intent.amount != e.amount:
            ctx.db.update(intent, amount=e.amount)
        return intent
    key = new(ctx, "pi")
    return ctx.db.add(
        PaymentIntent(
            id=key, created=made, amount=e.amount, currency=e.currency.lower(), customer=customer.id, client_secret=secret(ctx, key),
            description=e.description or None, capture_method="automatic",
        )
    )  # fmt: skip


def _fill_capture(
    ctx: Ctx, intent: PaymentIntent, charge: Charge, method: PaymentMethod, invoice: Invoice | None, made: int
) -> None:
    fee = charging.processing_fee(charge.amount)
    moved = record(
        ctx, "charge", charge.id, charge.amount, charge.currency, fee=fee, description=charge.description, at=made
    )
    ctx.db.update(charge, captured=True, amount_captured=charge.amount, balance_transaction=moved.id)
    ctx.db.update(
        intent,
        status="succeeded",
        amount_received=charge.amount,
        latest_charge=charge.id,
        payment_method=method.id,
        last_payment_error=None,
    )
    payment = ctx.db.first(InvoicePayment, payment_intent=intent.id)
    if invoice and payment and invoice.status == "paid":
        ctx.db.update(payment, status="paid", amount_paid=charge.amount, paid_at=made)
        ctx.db.update(
            invoice,
            attempted=True,
            attempt_count=invoice.attempt_count + 1,
            default_payment_method=None,
            amount_paid_off_stripe=0,
        )


def _fill_refund(ctx: Ctx, charge: Charge, amount: int, made: int) -> Refund:
    at = min(made + DAY, ctx.epoch())
    row = Refund(
        id=new(ctx, "re"), created=at, amount=amount, charge=charge.id, currency=charge.currency, payment_intent=charge.payment_intent,
        reason="requested_by_customer",
    )  # fmt: skip
    words = f"REFUND FOR CHARGE ({charge.description})" if charge.description else "REFUND FOR CHARGE"
    row.balance_transaction = record(ctx, "refund", row.id, -amount, charge.currency, description=words, at=at).id
    ctx.db.update(charge, amount_refunded=amount, refunded=amount >= charge.amount_captured)
    return ctx.db.add(row)


def _fill_dispute(ctx: Ctx, charge: Charge, made: int) -> Dispute:
    """Opened a few days after the payment, or just now, so that it still awaits an answer."""
    at = min(max(made + 3 * DAY, ctx.epoch() - 2 * DAY), ctx.epoch())
    return charging.open_dispute(ctx, charge, "product_not_received", "chargeback", "13.1", at=at)
