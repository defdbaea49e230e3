"""Payments on Stripe. A canonical payment is a charge: one attempt, whatever became of it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call, payments

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


def stamp(seconds: int | None) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if seconds else ""


def day(seconds: int | None) -> str:
    return stamp(seconds)[:10]


class StripePayments(payments.Payments):
    """Fills, views and verbs. What Stripe has no field for is in metadata."""

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        write: dict[type[Entity], Callable[[Ctx, Any], str]] = {
            payments.Customer: fill_customer, payments.Product: fill_product, payments.Price: fill_price,
            payments.Subscription: fill_subscription, payments.Invoice: fill_invoice, payments.Payment: fill_payment,
        }  # fmt: skip
        return write[type(entity)](ctx, entity)

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        views: dict[str, Callable[[Ctx, dict[str, Any]], Entity | None]] = {
            "customer": view_customer, "product": view_product, "price": view_price, "subscription": view_subscription,
            "invoice": view_invoice, "charge": view_payment,
        }  # fmt: skip
        return views[table](ctx, row) if table in views else None

    def find_payer(self, email: str) -> Plan:
        yield call("list_customers", email=email)

    def list_payments(self, customer_id: str) -> Plan:
        yield call("list_charges", customer=customer_id)

    def check_payment(self, payment_id: str) -> Plan:
        yield call("retrieve_charge", charge=payment_id)

    def request_payment(self, price_id: str, quantity: int) -> Plan:
        yield call("create_payment_link", price=price_id, quantity=quantity)

    def collect_payment(self, customer_id: str, amount: int, currency: str) -> Plan:
        payer = yield call("retrieve_customer", customer=customer_id)
        method = payer.get("invoice_settings", {}).get("default_payment_method")
        if method is None:
            methods = yield call("list_payment_methods", customer=customer_id)
            method = methods["data"][0]["id"] if methods["data"] else "pm_card_visa"
        yield call(
            "create_payment_intent",
            customer=customer_id,
            amount=amount,
            currency=currency.lower(),
            payment_method=method,
            confirm=True,
        )

    def cancel_payment(self, payment_id: str) -> Plan:
        found = yield call("retrieve_charge", charge=payment_id)
        yield call("cancel_payment_intent", intent=found["payment_intent"])

    def refund_payment(self, payment_id: str, amount: int | None = None) -> Plan:
        yield call("create_refund", charge=payment_id, **({} if amount is None else {"amount": amount}))


# Filling


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
            finalized_at=issued if final else None, subtotal=total, total=total, amount_due=max(total, 0), ending_balance=0 if final else None,
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
            ctx.db.update(subscription, latest_invoice=row.id)
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
    if e.description:
        ctx.db.update(charge, description=e.description)
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


# Viewing


def view_customer(ctx: Ctx, row: dict[str, Any]) -> Entity | None:
    if row["deleted"]:
        return None
    return payments.Customer(
        id=row["id"], name=row["name"] or "", email=row["email"] or "", company=row["metadata_"].get("company", ""), phone=row["phone"] or "",
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
    states = {"unpaid": "past_due", "incomplete": "past_due", "incomplete_expired": "canceled", "paused": "trialing"}
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


provides = {"payments": StripePayments()}
