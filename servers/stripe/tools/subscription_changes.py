"""Changing, canceling and resuming subscriptions. https://docs.stripe.com/api/subscriptions/update"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, ApiError, Body, Ctx, Field, Reply

from .. import billing, invoicing
from ..app import app
from ..errors import no_such, refuse
from ..events import emit
from ..lookups import living
from ..models import Invoice, Subscription, SubscriptionItem
from ..params import Discounts, Expand, ExpandBody, MetadataParam, TaxRates, asked, given, merged
from ..resources import show
from ..subscription_dates import period_at
from .invoice_items import known_rates
from .subscription_params import (
    CancellationDetails,
    ItemChange,
    PauseCollection,
    Payment,
    PaymentSettings,
    Proration,
    TrialSettings,
    cancel_moment,
    changed_parts,
    days_due,
    own_method,
    redeemed,
    trial_until,
)


@app.post("/v1/subscriptions/{subscription}", tool="update_subscription", effect="update")
def update_subscription(
    ctx: Ctx, subscription: str, items: Annotated[list[ItemChange], Field(max_length=20)] | MISSING = MISSING,
    proration_behavior: Proration | Literal["none_implicit"] = "create_prorations", proration_date: int | MISSING = MISSING,
    cancel_at_period_end: bool | MISSING = MISSING, cancel_at: int | Literal[""] | MISSING = MISSING,
    cancellation_details: CancellationDetails | Literal[""] | MISSING = MISSING,
    pause_collection: PauseCollection | Literal[""] | MISSING = MISSING,
    collection_method: Literal["charge_automatically", "send_invoice"] | MISSING = MISSING,
    days_until_due: Annotated[int, Field(ge=0)] | MISSING = MISSING, default_payment_method: str | MISSING = MISSING,
    payment_behavior: Payment = "allow_incomplete", billing_cycle_anchor: Literal["now", "unchanged"] = "unchanged",
    trial_end: int | Literal["now"] | MISSING = MISSING,
    trial_settings: Annotated[TrialSettings | MISSING, Body(mcp=False)] = MISSING, discounts: Discounts = MISSING,
    default_tax_rates: TaxRates = MISSING, description: Annotated[str, Field(max_length=500)] | MISSING = MISSING,
    off_session: Annotated[bool, Body(mcp=False)] = False,
    payment_settings: Annotated[PaymentSettings | MISSING, Body(mcp=False)] = MISSING,
    metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any] | Reply:  # fmt: skip
    """Changes a subscription: prices and quantities, when it ends, how it is collected. To change an item name its ID, or a second one is
    added. Changed items are prorated unless told otherwise.

    subscription: The subscription's ID.
    items: Items to change, add or take off; others stay.
    proration_behavior: `create_prorations` puts the difference on the next invoice, `always_invoice` bills it now, `none` forgoes it.
    proration_date: When the change counts from (Unix seconds), within the current period.
    cancel_at_period_end: Whether it ends with its current period.
    cancel_at: When it ends (Unix seconds); an empty string unsets it.
    cancellation_details: Why it ends.
    pause_collection: Stops collecting for a while; an empty string goes on.
    collection_method: Whether the default payment method is charged, or invoices are sent.
    days_until_due: Days until sent invoices are due.
    default_payment_method: ID of the customer's payment method to charge.
    payment_behavior: What if a payment that the change needs fails.
    billing_cycle_anchor: `now` starts a new period.
    trial_end: When the trial ends (Unix seconds), or `now`.
    trial_settings: How trials end.
    default_tax_rates: IDs of the tax rates for its invoices.
    description: What it is for.
    off_session: Whether the customer is away.
    payment_settings: Whether what pays it becomes its default payment method.
    """
    row = ctx.require(Subscription, subscription)
    if row.status in ("canceled", "incomplete_expired") and set(ctx.sent()) - {
        "metadata",
        "cancellation_details",
        "expand",
    }:
        raise refuse(
            "A canceled subscription can only update its cancellation_details and metadata.",
            code="invalid_canceled_subscription_fields",
        )
    if proration_behavior == "none_implicit":
        raise refuse(
            "Invalid proration_behavior: must be one of always_invoice, create_prorations, or none",
            param="proration_behavior",
        )
    method = row.collection_method if collection_method is MISSING else collection_method
    changes: dict[str, Any] = given({n: v for n, v in ctx.sent().items() if n in ("description", "collection_method")})
    if collection_method is not MISSING or days_until_due is not MISSING:
        changes["days_until_due"] = days_due(method, days_until_due, row.days_until_due)
    if default_payment_method is not MISSING:
        changes["default_payment_method"] = own_method(ctx, default_payment_method, row.customer)
    if default_tax_rates is not MISSING:
        changes["default_tax_rates"] = known_rates(ctx, default_tax_rates, "default_tax_rates")
    if trial_settings is not MISSING:
        changes["missing_payment_method"] = trial_settings.end_behavior.missing_payment_method
    if payment_settings is not MISSING:
        changes["save_default_payment_method"] = payment_settings.save_default_payment_method
    if pause_collection is not MISSING:
        changes["pause_collection"] = None if pause_collection == "" else pause_collection.model_dump()
    if cancellation_details is not MISSING and cancellation_details != "":
        sent = cancellation_details.model_fields_set
        changes |= {f"cancellation_{n}": getattr(cancellation_details, n) or None for n in sent}
    if metadata is not MISSING:
        changes["metadata_"] = merged(row.metadata_, metadata)
    changes |= _ending(ctx, row, cancel_at_period_end, cancel_at)
    was = show(ctx, row)
    ctx.db.update(row, **changes)
    if discounts is not MISSING:
        kept = {d.discount for d in (discounts or []) if d.discount}
        ctx.db.update(
            row, discounts=redeemed(ctx, row, discounts) if discounts else [d for d in row.discounts if d in kept]
        )
    error = None
    if items is not MISSING or billing_cycle_anchor == "now":
        after = changed_parts(ctx, row, [] if items is MISSING else items)
        error = billing.change_items(
            ctx,
            row,
            after,
            proration_behavior,
            asked(proration_date),
            payment=payment_behavior,
            reset=billing_cycle_anchor == "now",
        )
    if trial_end is not MISSING and not error:
        error = _move_trial(ctx, row, trial_end, payment_behavior)
    if error and payment_behavior == "error_if_incomplete":
        raise error
    _fall_behind(ctx, row)
    emit(ctx, "customer.subscription.updated", row, was=was)
    return show(ctx, row)


def _ending(ctx: Ctx, row: Subscription, at_end: Any, at: Any) -> dict[str, Any]:
    """When it ends: with its period, at a time, or not at all."""
    if at_end is not MISSING and at not in (MISSING, ""):
        raise refuse(
            "You may only specify one of these parameters: cancel_at, cancel_at_period_end.", param="cancel_at"
        )
    if at_end is MISSING and at is MISSING:
        return {}
    if at_end is True:
        moment, whole = billing.period_of(ctx, row)[1], True
    else:
        moment, whole = cancel_moment(ctx, at), False
    reason = "cancellation_requested" if moment else None
    return {
        "cancel_at_period_end": whole,
        "cancel_at": moment,
        "canceled_at": ctx.epoch() if moment else None,
        "cancellation_reason": reason,
    }


def _move_trial(ctx: Ctx, row: Subscription, trial_end: Any, payment: str) -> ApiError | None:
    """Gives the trial another end. Ending it now starts the first paid period."""
    now, parts = ctx.epoch(), billing.parts_of(ctx, row)
    if trial_end == "now":
        if row.status != "trialing":
            return None
        has = row.default_payment_method or living(ctx, row.customer).default_payment_method
        if (
            not has
            and row.collection_method == "charge_automatically"
            and row.missing_payment_method != "create_invoice"
        ):
            if row.missing_payment_method == "pause":
                ctx.db.update(row, status="paused", trial_end=now)
            else:
                billing.end(ctx, row)
            return None
        billing.require_method(ctx, row, payment)
        start, end = period_at(now, str(parts[0].price.interval), parts[0].price.interval_count, now)
        ctx.db.update(row, status="active", trial_end=now, billing_cycle_anchor=now)
    else:
        start, end = now, trial_until(ctx, trial_end, MISSING) or now
        ctx.db.update(
            row, status="trialing", trial_end=end, trial_start=row.trial_start or now, billing_cycle_anchor=end
        )
    for part in parts:
        ctx.db.update(ctx.require(SubscriptionItem, part.item), current_period_start=start, current_period_end=end)
    if trial_end != "now":
        return None
    lines = [billing.cycle_line(ctx, row.id, part, start, end) for part in parts]
    return billing.bill(ctx, row, lines, "subscription_cycle", behavior=payment)[1]


def _fall_behind(ctx: Ctx, row: Subscription) -> None:
    """An active subscription whose last automatic invoice was not paid is past due."""
    last = ctx.db.get(Invoice, row.latest_invoice) if row.latest_invoice else None
    if (
        last
        and last.status == "open"
        and last.attempted
        and row.status == "active"
        and row.collection_method == "charge_automatically"
    ):
        ctx.db.update(row, status="past_due")


@app.delete("/v1/subscriptions/{subscription}", tool="cancel_subscription")
def cancel_subscription(
    ctx: Ctx, subscription: str, invoice_now: bool = False, prorate: bool = False,
    cancellation_details: CancellationDetails | MISSING = MISSING, expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Cancels a subscription at once and for good. To let it run out instead, update it with `cancel_at_period_end`.

    subscription: The subscription's ID.
    invoice_now: Whether to bill now what still waits to be billed.
    prorate: Whether to give back the time that is not used.
    cancellation_details: Why it ends.
    """
    row = ctx.require(Subscription, subscription)
    if row.status in ("canceled", "incomplete_expired"):
        raise no_such("Subscription", subscription)
    if prorate and row.status not in ("trialing", "incomplete"):
        start, end = billing.period_of(ctx, row)
        for line in billing.prorations(ctx, row.id, billing.parts_of(ctx, row), [], start, end, ctx.epoch()):
            billing.add_pending(ctx, row, line)
    if invoice_now and invoicing.pending_items(ctx, row.customer, row.currency, row.id):
        billing.bill(ctx, row, [], "subscription_update")
    comment = feedback = None
    if cancellation_details is not MISSING:
        comment, feedback = cancellation_details.comment, cancellation_details.feedback
    billing.end(ctx, row, comment=comment, feedback=feedback)
    return show(ctx, row)


@app.post("/v1/subscriptions/{subscription}/resume", tool="resume_subscription", effect="transition", mcp=False)
def resume_subscription(
    ctx: Ctx, subscription: str, billing_cycle_anchor: Literal["now", "unchanged"] = "now",
    proration_behavior: Proration = "create_prorations", expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Resumes a subscription that paused at the end of its trial, once it has something to charge.

    subscription: The subscription's ID.
    billing_cycle_anchor: Whether a new period begins now.
    proration_behavior: Whether a period cut short is billed in part.
    """
    row = ctx.require(Subscription, subscription)
    if row.status != "paused":
        raise refuse("You can only resume a subscription if it is `paused`.")
    billing.require_method(ctx, row, "allow_incomplete")
    parts, now = billing.parts_of(ctx, row), ctx.epoch()
    start, end = period_at(now, str(parts[0].price.interval), parts[0].price.interval_count, now)
    for part in parts:
        ctx.db.update(ctx.require(SubscriptionItem, part.item), current_period_start=start, current_period_end=end)
    ctx.db.update(row, status="active", billing_cycle_anchor=now)
    billing.bill(ctx, row, [billing.cycle_line(ctx, row.id, part, start, end) for part in parts], "subscription_cycle")
    _fall_behind(ctx, row)
    emit(ctx, "customer.subscription.resumed", row)
    return show(ctx, row)
