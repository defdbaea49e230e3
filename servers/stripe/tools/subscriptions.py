"""Subscriptions. https://docs.stripe.com/api/subscriptions"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Field, Reply

from .. import billing
from ..app import app
from ..billing import Part
from ..errors import no_such, refuse
from ..events import emit
from ..ids import new
from ..lists import listing, searching
from ..lookups import living
from ..models import Price, Subscription, SubscriptionItem
from ..params import (
    After,
    AutomaticTaxParam,
    Before,
    Created,
    Discounts,
    Expand,
    ExpandBody,
    Limit,
    MetadataParam,
    Query,
    TaxRates,
    Token,
    When,
    asked,
    check_automatic_tax,
    merged,
    times,
)
from ..resources import show
from ..subscription_dates import add_interval, period_at
from .invoice_items import known_rates, one_off_price
from .price_data import chosen, inline_price
from .subscription_params import (
    AddInvoiceItem,
    ItemParam,
    Payment,
    PaymentSettings,
    Proration,
    Status,
    TrialSettings,
    cancel_moment,
    days_due,
    item_price,
    own_method,
    redeemed,
    trial_until,
)


@app.post("/v1/subscriptions", tool="create_subscription")
def create_subscription(
    ctx: Ctx, customer: str, items: Annotated[list[ItemParam], Field(min_length=1, max_length=20)],
    collection_method: Literal["charge_automatically", "send_invoice"] = "charge_automatically",
    days_until_due: Annotated[int, Field(ge=0)] | MISSING = MISSING, default_payment_method: str | MISSING = MISSING,
    payment_behavior: Payment = "allow_incomplete", proration_behavior: Proration = "create_prorations",
    trial_period_days: Annotated[int, Field(ge=0, le=730)] | MISSING = MISSING, trial_end: int | Literal["now"] | MISSING = MISSING,
    trial_settings: Annotated[TrialSettings | MISSING, Body(mcp=False)] = MISSING, cancel_at_period_end: bool = False,
    cancel_at: int | MISSING = MISSING, billing_cycle_anchor: int | MISSING = MISSING, discounts: Discounts = MISSING,
    add_invoice_items: Annotated[list[AddInvoiceItem], Field(max_length=20)] | MISSING = MISSING,
    default_tax_rates: TaxRates = MISSING, currency: Annotated[str | MISSING, Body(mcp=False)] = MISSING,
    description: Annotated[str, Field(max_length=500)] | MISSING = MISSING, off_session: Annotated[bool, Body(mcp=False)] = False,
    payment_settings: Annotated[PaymentSettings | MISSING, Body(mcp=False)] = MISSING, automatic_tax: AutomaticTaxParam = MISSING,
    metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any] | Reply:  # fmt: skip
    """Subscribes a customer to one or more recurring prices and bills the first period. If the card is declined the subscription is
    `incomplete` until its first invoice is paid.

    customer: Who subscribes.
    items: The prices and quantities; all of one currency and interval.
    collection_method: Whether the default payment method is charged, or invoices are sent.
    days_until_due: Days until sent invoices are due.
    default_payment_method: ID of the customer's payment method to charge.
    payment_behavior: What if the first payment fails: leave it incomplete, or refuse the call.
    proration_behavior: Whether a first period cut short by the anchor is billed in part.
    trial_period_days: Days of free trial.
    trial_end: When the trial ends (Unix seconds).
    trial_settings: How trials end.
    cancel_at_period_end: Whether it ends with its first period.
    cancel_at: When it ends (Unix seconds).
    billing_cycle_anchor: When the first full period begins (Unix seconds); by default now.
    add_invoice_items: One-off charges on the first invoice.
    default_tax_rates: IDs of the tax rates for its invoices.
    currency: Three-letter currency code; that of the prices.
    description: What it is for, which customers see.
    off_session: Whether the customer is away.
    payment_settings: Whether what pays it becomes its default payment method.
    automatic_tax: Whether Stripe Tax calculates the tax.
    """
    check_automatic_tax(automatic_tax)
    payer = living(ctx, customer)
    if payment_behavior == "pending_if_incomplete":
        raise refuse(
            "Setting `payment_behavior` to `pending_if_incomplete` has no effect when creating a subscription.",
            param="payment_behavior",
        )
    parts = [
        Part(
            item_price(ctx, item, f"items[{i}]"), item.quantity,
            tax_rates=tuple(known_rates(ctx, item.tax_rates, f"items[{i}][tax_rates]")),
            metadata=tuple(merged({}, item.metadata).items()),
        )
        for i, item in enumerate(items)
    ]  # fmt: skip
    billing.check_parts(parts, None if currency is MISSING else currency.lower())
    price, now, trial = parts[0].price, ctx.epoch(), trial_until(ctx, trial_end, trial_period_days)
    interval = str(price.interval), price.interval_count
    anchor = trial or now
    if billing_cycle_anchor is not MISSING:
        if billing_cycle_anchor <= now:
            raise refuse("billing_cycle_anchor cannot be in the past.", param="billing_cycle_anchor")
        if billing_cycle_anchor > add_interval(trial or now, *interval):
            raise refuse(
                "billing_cycle_anchor cannot be later than next natural billing date.", param="billing_cycle_anchor"
            )
        anchor = billing_cycle_anchor
    start, end = (now, trial) if trial else (now, anchor) if anchor > now else period_at(now, *interval, now)
    row = ctx.db.add(
        Subscription(
            id=new(ctx, "sub"), created=now, start_date=now, customer=payer.id, currency=price.currency, billing_cycle_anchor=anchor,
            collection_method=collection_method, days_until_due=days_due(collection_method, days_until_due),
            default_payment_method=own_method(ctx, default_payment_method, payer.id), description=asked(description) or None,
            default_tax_rates=known_rates(ctx, default_tax_rates, "default_tax_rates"), metadata_=merged({}, metadata),
            status="trialing" if trial else "active", trial_start=now if trial else None, trial_end=trial,
            missing_payment_method="create_invoice" if trial_settings is MISSING else trial_settings.end_behavior.missing_payment_method,
            save_default_payment_method="off" if payment_settings is MISSING else payment_settings.save_default_payment_method,
            cancel_at_period_end=cancel_at_period_end, cancel_at=end if cancel_at_period_end else cancel_moment(ctx, cancel_at),
            canceled_at=now if cancel_at_period_end or cancel_at is not MISSING else None,
        )
    )  # fmt: skip
    placed = [replace(p, item=billing.add_subscription_item(ctx, row.id, p, start, end).id) for p in parts]
    if discounts is not MISSING and discounts:
        ctx.db.update(row, discounts=redeemed(ctx, row, discounts))
    lines = _first_lines(ctx, row, placed, start, end, proration_behavior if anchor > now and not trial else "whole")
    lines += _one_off(ctx, [] if add_invoice_items is MISSING else add_invoice_items)
    emit(ctx, "customer.subscription.created", row)
    error = None
    if lines:
        invoice, error = billing.bill(
            ctx, row, lines, "subscription_create", first=True, pending=True, behavior=payment_behavior
        )
        if invoice.status == "open" and collection_method == "charge_automatically":
            if payment_behavior == "error_if_incomplete":
                raise error or refuse(
                    "This payment required an authentication action to complete, but `error_if_incomplete` was set.",
                    code="subscription_payment_intent_requires_action", status=402, type="card_error",
                )  # fmt: skip
            ctx.db.update(row, status="incomplete")
    return show(ctx, row)


def _first_lines(
    ctx: Ctx, row: Subscription, parts: Sequence[Part], start: int, end: int, behavior: str
) -> list[dict[str, Any]]:
    if row.trial_end:
        return [billing.trial_line(ctx, row.id, part, start, end) for part in parts]
    if behavior == "none":
        return []
    share = Fraction(1)
    if behavior != "whole":
        price = parts[0].price
        share = Fraction(end - start, end - add_interval(end, str(price.interval), -price.interval_count))
    return [billing.cycle_line(ctx, row.id, part, start, end, share) for part in parts]


def _one_off(ctx: Ctx, extra: Sequence[AddInvoiceItem]) -> list[dict[str, Any]]:
    lines = list[dict[str, Any]]()
    for i, item in enumerate(extra):
        place = f"add_invoice_items[{i}]"
        chosen(item.price, item.price_data, place)
        if item.price_data is not None:
            price = inline_price(ctx, item.price_data, f"{place}[price_data]")
        else:
            price = one_off_price(ctx, item.price or "", f"{place}[price]")
        lines.append({
            "amount": price.unit_amount * item.quantity, "currency": price.currency, "quantity": item.quantity, "price": price.id,
            "product": price.product, "unit_amount": price.unit_amount, "description": billing.product_name(ctx, price),
        })  # fmt: skip
    return lines


@app.get("/v1/subscriptions/search", tool="search_subscriptions", mcp=False)
def search_subscriptions(
    ctx: Ctx, query: Query, limit: Limit = 10, page: Token = MISSING, expand: Expand = MISSING
) -> dict[str, Any]:
    """Searches subscriptions by `canceled_at`, `created`, `metadata` and `status`."""
    return searching(ctx, Subscription, query, limit, page)


@app.get("/v1/subscriptions/{subscription}", tool="retrieve_subscription")
def retrieve_subscription(ctx: Ctx, subscription: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves a subscription with its items and their current period.

    subscription: The subscription's ID.
    """
    return show(ctx, ctx.require(Subscription, subscription))


@app.get("/v1/subscriptions", tool="list_subscriptions")
def list_subscriptions(
    ctx: Ctx, customer: str | MISSING = MISSING, price: str | MISSING = MISSING, status: Status | MISSING = MISSING,
    collection_method: Literal["charge_automatically", "send_invoice"] | MISSING = MISSING, created: Created = MISSING,
    current_period_end: When = MISSING, limit: Limit = 10, starting_after: After = MISSING, ending_before: Before = MISSING,
    expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists subscriptions, newest first. Canceled ones only when `status` asks for them.

    customer: Only those of this customer.
    price: Only those with this price.
    status: Only with this status; `all` for every one, `ended` for those that are over.
    collection_method: Only those collected like this.
    current_period_end: Only those whose period ends in this range.
    """
    filters: dict[str, Any] = {
        "customer": asked(customer), "collection_method": asked(collection_method), **times("created", created),
    }  # fmt: skip
    if status is MISSING:
        filters["status__ne"] = "canceled"
    elif status == "ended":
        filters["status__in"] = ["canceled", "incomplete_expired"]
    elif status != "all":
        filters["status"] = status
    if price is not MISSING and ctx.db.get(Price, price) is None:
        raise no_such("Price", price, param="price", status=400)
    if price is not MISSING or current_period_end is not MISSING:
        items = ctx.db.find(SubscriptionItem, price=asked(price), **times("current_period_end", current_period_end))
        filters["id__in"] = sorted({item.subscription for item in items})
    return listing(ctx, Subscription, "/v1/subscriptions", limit, starting_after, ending_before, **filters)
