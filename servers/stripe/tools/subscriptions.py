"""Subscriptions. https://docs.stripe.com/api/subscriptions"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, ApiError, Ctx, Field, Reply

from .. import billing, discounts, invoicing
from ..app import app
from ..billing import Part
from ..errors import no_such, refuse
from ..events import emit
from ..ids import new
from ..lists import listing, searching
from ..lookups import living
from ..models import Invoice, PaymentMethod, Subscription, SubscriptionItem
from ..params import (
    After,
    Before,
    Created,
    Discounts,
    Expand,
    Limit,
    MetadataParam,
    Params,
    Query,
    TaxRates,
    Token,
    asked,
    given,
    merged,
    times,
)
from ..resources import show
from ..subscription_dates import add_interval, period_at
from .invoice_items import known_rates, one_off_price

Proration = Literal["always_invoice", "create_prorations", "none"]
Payment = Literal["allow_incomplete", "default_incomplete", "error_if_incomplete", "pending_if_incomplete"]
Status = Literal[
    "active", "past_due", "unpaid", "canceled", "incomplete", "incomplete_expired", "trialing", "paused", "ended", "all"
]  # fmt: skip


class ItemParam(Params):
    """A price to subscribe to."""

    price: str = Field(description="ID of a recurring price.")
    quantity: int = Field(default=1, ge=0, description="How many.")
    tax_rates: list[str] | None = Field(default=None, description="IDs of the tax rates that apply to it.")
    metadata: dict[str, str] | None = Field(default=None, description="Key-value pairs.")


class ItemChange(Params):
    """An item to change, add or take off."""

    id: str | None = Field(default=None, description="The item to change; without one an item is added.")
    price: str | None = Field(default=None, description="ID of the recurring price it is to have.")
    quantity: int | None = Field(default=None, ge=0, description="How many.")
    deleted: bool = Field(default=False, description="Whether to take the item off.")
    clear_usage: bool | None = Field(default=None, description="For metered prices only.")
    tax_rates: list[str] | None = Field(default=None, description="IDs of the tax rates that apply to it.")
    metadata: dict[str, str] | None = Field(default=None, description="Key-value pairs.")


class AddInvoiceItem(Params):
    """A one-off charge on the first invoice."""

    price: str = Field(description="ID of a one-off price.")
    quantity: int = Field(default=1, ge=0, description="How many.")


class PauseCollection(Params):
    """What becomes of invoices while collection is paused."""

    behavior: Literal["keep_as_draft", "mark_uncollectible", "void"] = Field(description="What becomes of them.")
    resumes_at: int | None = Field(default=None, description="When collection goes on (Unix seconds).")


class EndBehavior(Params):
    """What happens when a trial ends."""

    missing_payment_method: Literal["cancel", "create_invoice", "pause"] = Field(
        description="If there is nothing to charge."
    )


class TrialSettings(Params):
    """How trials end."""

    end_behavior: EndBehavior = Field(description="What happens when the trial ends.")


class CancellationDetails(Params):
    """Why it ends."""

    comment: str | None = Field(default=None, description="What the customer says.")
    feedback: Literal[
        "customer_service", "low_quality", "missing_features", "other", "switched_service", "too_complex", "too_expensive", "unused"
    ] | None = Field(default=None, description="The kind of reason.")  # fmt: skip


def _method(ctx: Ctx, key: Any, customer: str) -> str | None:
    if key is MISSING or key == "":
        return None
    row = ctx.db.get(PaymentMethod, key)
    if row is None:
        raise no_such("PaymentMethod", key, param="default_payment_method", status=400)
    if row.customer != customer:
        raise refuse(
            f"The customer does not have a payment method with the ID {key}. The payment method must be attached to the customer.",
            code="resource_missing", param="default_payment_method",
        )  # fmt: skip
    return row.id


def _days(method: str, days: Any, current: int | None = None) -> int | None:
    if method == "charge_automatically":
        if days is not MISSING:
            raise refuse(
                "`days_until_due` can only be set when `collection_method` is `send_invoice`.", param="days_until_due"
            )
        return None
    if days is MISSING and current is None:
        raise refuse(
            "When `collection_method` is `send_invoice`, you must pass `days_until_due`.",
            code="parameter_missing",
            param="days_until_due",
        )
    return current if days is MISSING else days


def _trial(ctx: Ctx, trial_end: Any, days: Any) -> int | None:
    """When a trial ends, if there is one."""
    now = ctx.epoch()
    if days is not MISSING and trial_end is not MISSING:
        raise refuse("You may only specify one of these parameters: trial_end, trial_period_days.", param="trial_end")
    if days is not MISSING:
        return now + days * invoicing.DAY if days else None
    if trial_end is MISSING or trial_end == "now":
        return None
    if trial_end <= now:
        raise refuse("Invalid timestamp: must be an integer Unix timestamp in the future.", param="trial_end")
    return trial_end


@app.post("/v1/subscriptions", tool="create_subscription")
def create_subscription(
    ctx: Ctx, customer: str, items: Annotated[list[ItemParam], Field(min_length=1, max_length=20)],
    collection_method: Literal["charge_automatically", "send_invoice"] = "charge_automatically",
    days_until_due: Annotated[int, Field(ge=0)] | MISSING = MISSING, default_payment_method: str | MISSING = MISSING,
    payment_behavior: Payment = "allow_incomplete", proration_behavior: Proration = "create_prorations",
    trial_period_days: Annotated[int, Field(ge=0, le=730)] | MISSING = MISSING, trial_end: int | Literal["now"] | MISSING = MISSING,
    trial_settings: TrialSettings | MISSING = MISSING, cancel_at_period_end: bool = False, cancel_at: int | MISSING = MISSING,
    billing_cycle_anchor: int | MISSING = MISSING, discounts: Discounts = MISSING,
    add_invoice_items: Annotated[list[AddInvoiceItem], Field(max_length=20)] | MISSING = MISSING,
    default_tax_rates: TaxRates = MISSING, currency: str | MISSING = MISSING,
    description: Annotated[str, Field(max_length=500)] | MISSING = MISSING, off_session: bool = False, metadata: MetadataParam = MISSING,
    expand: Expand = MISSING,
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
    """
    payer = living(ctx, customer)
    if payment_behavior == "pending_if_incomplete":
        raise refuse(
            "Setting `payment_behavior` to `pending_if_incomplete` has no effect when creating a subscription.",
            param="payment_behavior",
        )
    parts = [
        Part(
            billing.recurring_price(ctx, item.price, f"items[{i}][price]"), item.quantity,
            tax_rates=tuple(known_rates(ctx, item.tax_rates, f"items[{i}][tax_rates]")),
            metadata=tuple(merged({}, item.metadata).items()),
        )
        for i, item in enumerate(items)
    ]  # fmt: skip
    billing.check_parts(parts, None if currency is MISSING else currency.lower())
    price, now, trial = parts[0].price, ctx.epoch(), _trial(ctx, trial_end, trial_period_days)
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
            collection_method=collection_method, days_until_due=_days(collection_method, days_until_due),
            default_payment_method=_method(ctx, default_payment_method, payer.id), description=asked(description) or None,
            default_tax_rates=known_rates(ctx, default_tax_rates, "default_tax_rates"), metadata_=merged({}, metadata),
            status="trialing" if trial else "active", trial_start=now if trial else None, trial_end=trial,
            missing_payment_method="create_invoice" if trial_settings is MISSING else trial_settings.end_behavior.missing_payment_method,
            cancel_at_period_end=cancel_at_period_end, cancel_at=end if cancel_at_period_end else _cancel_at(ctx, cancel_at),
            canceled_at=now if cancel_at_period_end or cancel_at is not MISSING else None,
        )
    )  # fmt: skip
    placed = [replace(p, item=billing.add_subscription_item(ctx, row.id, p, start, end).id) for p in parts]
    if discounts is not MISSING and discounts:
        ctx.db.update(row, discounts=_redeemed(ctx, row, discounts))
    if not trial:
        billing.require_method(ctx, row, payment_behavior)
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


def _redeemed(ctx: Ctx, row: Subscription, asked_for: Any) -> list[str]:
    return discounts.apply(ctx, asked_for, living(ctx, row.customer), row.currency, subscription=row.id)


def _cancel_at(ctx: Ctx, moment: Any) -> int | None:
    if moment is MISSING or moment == "":
        return None
    if moment <= ctx.epoch():
        raise refuse("cancel_at must be in the future.", param="cancel_at")
    return moment


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
        price = one_off_price(ctx, item.price, f"add_invoice_items[{i}][price]")
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
    current_period_end: Created = MISSING, limit: Limit = 10, starting_after: After = MISSING, ending_before: Before = MISSING,
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
    if price is not MISSING or current_period_end is not MISSING:
        items = ctx.db.find(SubscriptionItem, price=asked(price), **times("current_period_end", current_period_end))
        filters["id__in"] = sorted({item.subscription for item in items})
    return listing(ctx, Subscription, "/v1/subscriptions", limit, starting_after, ending_before, **filters)


def changed_parts(ctx: Ctx, row: Subscription, changes: Sequence[ItemChange], place: str = "items") -> list[Part]:
    """The subscription's parts after the changes: items that are not named stay."""
    parts = {part.item: part for part in billing.parts_of(ctx, row)}
    added = list[Part]()
    for i, change in enumerate(changes):
        price = billing.recurring_price(ctx, change.price, f"{place}[{i}][price]") if change.price else None
        rates = tuple(known_rates(ctx, change.tax_rates, f"{place}[{i}][tax_rates]"))
        if change.id is None:
            if price is None:
                raise refuse(
                    f"Missing required param: {place}[{i}][price].",
                    code="parameter_missing",
                    param=f"{place}[{i}][price]",
                )
            count = 1 if change.quantity is None else change.quantity
            added.append(Part(price, count, tax_rates=rates, metadata=tuple(merged({}, change.metadata).items())))
            continue
        old = parts.get(change.id)
        if old is None:
            raise refuse(
                f"No such subscription_item: '{change.id}'", code="resource_missing", param=f"{place}[{i}][id]"
            )
        if change.deleted:
            del parts[change.id]
            continue
        parts[change.id] = Part(
            price or old.price, old.quantity if change.quantity is None else change.quantity, change.id,
            old.tax_rates if change.tax_rates is None else rates, tuple(merged(dict(old.metadata), change.metadata).items()),
        )  # fmt: skip
    return [*parts.values(), *added]


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
    trial_end: int | Literal["now"] | MISSING = MISSING, trial_settings: TrialSettings | MISSING = MISSING,
    discounts: Discounts = MISSING, default_tax_rates: TaxRates = MISSING,
    description: Annotated[str, Field(max_length=500)] | MISSING = MISSING, off_session: bool = False, metadata: MetadataParam = MISSING,
    expand: Expand = MISSING,
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
        changes["days_until_due"] = _days(method, days_until_due, row.days_until_due)
    if default_payment_method is not MISSING:
        changes["default_payment_method"] = _method(ctx, default_payment_method, row.customer)
    if default_tax_rates is not MISSING:
        changes["default_tax_rates"] = known_rates(ctx, default_tax_rates, "default_tax_rates")
    if trial_settings is not MISSING:
        changes["missing_payment_method"] = trial_settings.end_behavior.missing_payment_method
    if pause_collection is not MISSING:
        changes["pause_collection"] = None if pause_collection == "" else pause_collection.model_dump()
    if cancellation_details is not MISSING and cancellation_details != "":
        sent = cancellation_details.model_fields_set
        changes |= {f"cancellation_{n}": getattr(cancellation_details, n) or None for n in sent}
    if metadata is not MISSING:
        changes["metadata_"] = merged(row.metadata_, metadata)
    changes |= _ending(ctx, row, cancel_at_period_end, cancel_at)
    before = {n: getattr(row, n) for n in changes}
    ctx.db.update(row, **changes)
    if discounts is not MISSING:
        kept = {d.discount for d in (discounts or []) if d.discount}
        ctx.db.update(
            row, discounts=_redeemed(ctx, row, discounts) if discounts else [d for d in row.discounts if d in kept]
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
    emit(ctx, "customer.subscription.updated", row, before)
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
        moment, whole = _cancel_at(ctx, at), False
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
        if not row.default_payment_method and row.missing_payment_method != "create_invoice":
            if not living(ctx, row.customer).default_payment_method and row.collection_method == "charge_automatically":
                if row.missing_payment_method == "pause":
                    ctx.db.update(row, status="paused", trial_end=now)
                else:
                    billing.end(ctx, row)
                return None
        billing.require_method(ctx, row, payment)
        start, end = period_at(now, str(parts[0].price.interval), parts[0].price.interval_count, now)
        ctx.db.update(row, status="active", trial_end=now, billing_cycle_anchor=now)
    else:
        start, end = now, _trial(ctx, trial_end, MISSING) or now
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
    ctx: Ctx, subscription: str, invoice_now: bool = False, prorate: bool = False, cancellation_details: CancellationDetails | MISSING = MISSING,
    expand: Expand = MISSING,
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
    details = dict[str, Any]()
    if cancellation_details is not MISSING:
        details = {
            "cancellation_comment": cancellation_details.comment,
            "cancellation_feedback": cancellation_details.feedback,
        }
    billing.end(ctx, row, **details)
    return show(ctx, row)


@app.post("/v1/subscriptions/{subscription}/resume", tool="resume_subscription", effect="transition", mcp=False)
def resume_subscription(
    ctx: Ctx, subscription: str, billing_cycle_anchor: Literal["now", "unchanged"] = "now", proration_behavior: Proration = "create_prorations",
    expand: Expand = MISSING,
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
