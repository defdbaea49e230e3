"""Subscriptions: first invoices, changes, prorations, ends. https://docs.stripe.com/billing/subscriptions/overview

The clock of an episode does not run on to the next period, so nothing renews by itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from legoenv_mcp.app import ApiError, Ctx

from . import discounts, invoicing
from .errors import no_such, refuse
from .events import emit
from .ids import new
from .models import Customer, Invoice, InvoiceItem, LineItem, Price, Product, Subscription, SubscriptionItem
from .money import display, rounded
from .subscription_dates import day_words, period_at

MAX_ITEMS = 20


@dataclass(frozen=True, slots=True)
class Part:
    """One price and quantity of a subscription, as it was or as it is to be; `item` is the row's id where there is one."""

    price: Price
    quantity: int
    item: str | None = None
    tax_rates: tuple[str, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()

    @property
    def amount(self) -> int:
        return self.price.unit_amount * self.quantity


def recurring_price(ctx: Ctx, key: str, param: str) -> Price:
    """A price that a subscription can have."""
    price = ctx.db.get(Price, key)
    if price is None:
        raise no_such("Price", key, param=param, status=400)
    if not price.interval:
        raise refuse(
            f"The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`. Price: {key}",
            param=param,
        )
    if not price.active:
        raise refuse(
            f"The price specified is inactive. This field only accepts active prices. Price: {key}", param=param
        )
    return price


def check_parts(parts: Sequence[Part], currency: str | None = None) -> None:
    """All prices of a subscription share currency and interval, and none comes twice."""
    if not parts:
        raise refuse("A subscription must have at least one active plan. In order to cancel a subscription, please use the cancellation "
                     "API endpoints (https://stripe.com/docs/api#cancel_subscription).", param="items")  # fmt: skip
    if len(parts) > MAX_ITEMS:
        raise refuse(f"Subscriptions can have at most {MAX_ITEMS} items.", param="items")
    seen = set[str]()
    first = parts[0].price
    for part in parts:
        if part.price.id in seen:
            raise refuse(
                f"Cannot create a Subscription with multiple Subscription Items with the same Price: {part.price.id}",
                param="plan",
            )
        seen.add(part.price.id)
        if part.price.currency != (currency or first.currency):
            raise refuse(
                f"The price specified only supports `{part.price.currency}`. This doesn't match the expected currency: "
                f"`{currency or first.currency}`.", param="items",
            )  # fmt: skip
        if (part.price.interval, part.price.interval_count) != (first.interval, first.interval_count):
            raise refuse(
                "Currently, all Prices in a subscription must have the same recurring interval and interval count.",
                param="items",
            )


def product_name(ctx: Ctx, price: Price) -> str:
    return ctx.require(Product, price.product).name


def at_price(price: Price) -> str:
    """`(at $10.00 / month)`, as lines describe a recurring price."""
    every = price.interval if price.interval_count == 1 else f"every {price.interval_count} {price.interval}s"
    return f"(at {display(price.unit_amount, price.currency)} {'/ ' if price.interval_count == 1 else ''}{every})"


def cycle_line(
    ctx: Ctx, subscription: str, part: Part, start: int, end: int, share: Fraction = Fraction(1)
) -> dict[str, Any]:
    """A line for a part over a period, or over a share of one."""
    return {
        "amount": rounded(part.amount * share), "currency": part.price.currency, "quantity": part.quantity, "price": part.price.id,
        "product": part.price.product, "unit_amount": part.price.unit_amount, "period_start": start, "period_end": end,
        "description": f"{part.quantity} × {product_name(ctx, part.price)} {at_price(part.price)}", "subscription": subscription,
        "subscription_item": part.item, "tax_rates": list(part.tax_rates),
    }  # fmt: skip


def trial_line(ctx: Ctx, subscription: str, part: Part, start: int, end: int) -> dict[str, Any]:
    line = cycle_line(ctx, subscription, part, start, end, Fraction(0))
    name = product_name(ctx, part.price)
    return {
        **line,
        "description": f"Trial period for {name}"
        if part.quantity == 1
        else f"Trial period for {part.quantity} × {name}",
    }


def prorations(
    ctx: Ctx, subscription: str, before: Sequence[Part], after: Sequence[Part], start: int, end: int, moment: int
) -> list[dict[str, Any]]:  # fmt: skip
    """Credits for what is no longer used of the period and charges for what is used from now on, as invoice items."""
    share = Fraction(max(end - moment, 0), end - start) if end > start else Fraction(0)
    by_item: dict[str | None, Part] = {part.item: part for part in after if part.item}
    lines = list[dict[str, Any]]()
    for old in before:
        now = by_item.get(old.item)
        if now and (now.price.id, now.quantity) == (old.price.id, old.quantity):
            continue
        lines.append(_proration(ctx, subscription, old, -share, "Unused", end, moment))
        if now:
            lines.append(_proration(ctx, subscription, now, share, "Remaining", end, moment))
    known = {part.item for part in before}
    lines += [
        _proration(ctx, subscription, part, share, "Remaining", end, moment) for part in after if part.item not in known
    ]
    return lines


def _proration(
    ctx: Ctx, subscription: str, part: Part, share: Fraction, word: str, end: int, moment: int
) -> dict[str, Any]:
    times = f"{part.quantity} × " if part.quantity != 1 else ""
    return {
        "amount": rounded(part.amount * share), "currency": part.price.currency, "quantity": part.quantity, "price": part.price.id,
        "unit_amount": part.price.unit_amount if share >= 0 else -part.price.unit_amount, "period_start": moment, "period_end": end,
        "description": f"{word} time on {times}{product_name(ctx, part.price)} after {day_words(moment)}", "proration": True,
        "discountable": False, "subscription": subscription, "subscription_item": part.item, "tax_rates": list(part.tax_rates),
    }  # fmt: skip


def parts_of(ctx: Ctx, subscription: Subscription) -> list[Part]:
    rows = ctx.db.find(SubscriptionItem, subscription=subscription.id, order="created")
    return [
        Part(ctx.require(Price, r.price), r.quantity, r.id, tuple(r.tax_rates), tuple(r.metadata_.items())) for r in rows
    ]  # fmt: skip


def period_of(ctx: Ctx, subscription: Subscription) -> tuple[int, int]:
    """The current period: the items share it."""
    row = ctx.db.first(SubscriptionItem, subscription=subscription.id, order="created")
    return (
        (row.current_period_start, row.current_period_end)
        if row
        else (subscription.start_date, subscription.start_date)
    )


def add_subscription_item(
    ctx: Ctx, subscription: str, part: Part, start: int, end: int, at: int | None = None
) -> SubscriptionItem:
    return ctx.db.add(
        SubscriptionItem(
            id=new(ctx, "si"), created=at or ctx.epoch(), current_period_start=start, current_period_end=end, price=part.price.id,
            quantity=part.quantity, subscription=subscription, tax_rates=list(part.tax_rates), metadata_=dict(part.metadata),
        )
    )  # fmt: skip


def bill(
    ctx: Ctx, subscription: Subscription, lines: Sequence[dict[str, Any]], reason: str, *, first: bool = False, pending: bool = True,
    behavior: str = "allow_incomplete",
) -> tuple[Invoice, ApiError | None]:  # fmt: skip
    """Makes an invoice of a subscription and collects it as the subscription says; a declined card's error comes back with it."""
    payer = ctx.require(Customer, subscription.customer)
    start, end = period_of(ctx, subscription)
    by_mail = subscription.collection_method == "send_invoice"
    invoice = invoicing.draft(
        ctx, payer, subscription.currency, subscription=subscription.id, billing_reason=reason, auto_advance=by_mail,
        collection_method=subscription.collection_method, default_tax_rates=subscription.default_tax_rates,
        due_date=ctx.epoch() + (subscription.days_until_due or 0) * invoicing.DAY if by_mail else None,
        discounts=discounts.running(ctx, subscription.discounts, first=first), period_start=start if not first else ctx.epoch(),
        period_end=end if not first else ctx.epoch(),
    )  # fmt: skip
    for line in lines:
        invoicing.add_line(ctx, invoice, **line)
    if pending:
        for item in invoicing.pending_items(ctx, payer.id, subscription.currency, subscription.id):
            invoicing.add_item(ctx, invoice, item)
    ctx.db.update(subscription, latest_invoice=invoice.id)
    emit(ctx, "invoice.created", invoice)
    if by_mail or subscription.pause_collection:
        # Mailed invoices stay drafts for an hour; those of a subscription whose collection is paused stay as they are.
        invoicing.recompute(ctx, invoice)
        return invoice, None
    invoicing.finalize(ctx, invoice, auto_advance=False)
    if invoice.status == "paid" or behavior == "default_incomplete":
        return invoice, None
    error = invoicing.pay(ctx, invoice)
    # Paying may have brought the subscription up to date, through a row of its own.
    now = ctx.require(Subscription, subscription.id)
    subscription.status, subscription.default_payment_method = now.status, now.default_payment_method
    return invoice, error


def require_method(ctx: Ctx, subscription: Subscription, behavior: str) -> None:
    """Automatic collection needs something to charge, unless the first payment is left to the caller."""
    payer = ctx.require(Customer, subscription.customer)
    has = subscription.default_payment_method or payer.default_payment_method
    if subscription.collection_method == "charge_automatically" and not has and behavior != "default_incomplete":
        raise refuse(invoicing.NO_METHOD, code="resource_missing")


def change_items(
    ctx: Ctx, subscription: Subscription, after: Sequence[Part], behavior: str, moment: int | None = None, *,
    payment: str = "allow_incomplete", reset: bool = False,
) -> ApiError | None:  # fmt: skip
    """Gives the subscription other items. Another interval, or `reset`, starts a new period now and bills it whole."""
    check_parts(after, subscription.currency)
    before, (start, end) = parts_of(ctx, subscription), period_of(ctx, subscription)
    now = ctx.epoch()
    moment = now if moment is None else moment
    if not start <= moment <= end:
        raise refuse(
            "Cannot prorate outside of the current period: `proration_date` must lie within it.",
            param="subscription_proration_date",
        )
    trialing = subscription.status == "trialing"
    anew, span = reset or starts_anew(subscription, before, after), (start, end)
    if anew:
        ctx.db.update(subscription, billing_cycle_anchor=now)
        span = new_period(after, now)
    kept = _write_items(ctx, subscription, before, after, span, whole=anew)
    if behavior != "none" and not trialing:
        for line in changes_of(ctx, subscription.id, before, kept, start, end, moment, anew=anew):
            add_pending(ctx, subscription, line)
    if anew:
        lines = [cycle_line(ctx, subscription.id, part, *span) for part in kept]
        return bill(ctx, subscription, lines, "subscription_update", behavior=payment)[1]
    if behavior == "always_invoice" and invoicing.pending_items(
        ctx, subscription.customer, subscription.currency, subscription.id
    ):
        return bill(ctx, subscription, [], "subscription_update", behavior=payment)[1]
    return None


def starts_anew(subscription: Subscription, before: Sequence[Part], after: Sequence[Part]) -> bool:
    """Whether a change of items starts a new period: another interval does, but in a trial."""
    spans = [(parts[0].price.interval, parts[0].price.interval_count) for parts in (before, after)]
    return subscription.status != "trialing" and spans[0] != spans[1]


def new_period(parts: Sequence[Part], now: int) -> tuple[int, int]:
    price = parts[0].price
    return period_at(now, str(price.interval), price.interval_count, now)


def changes_of(
    ctx: Ctx, subscription: str, before: Sequence[Part], after: Sequence[Part], start: int, end: int, moment: int, *, anew: bool
) -> list[dict[str, Any]]:  # fmt: skip
    """What a change gives back and charges of the running period. Where a new one starts everything is given back."""
    if not anew:
        return prorations(ctx, subscription, before, after, start, end, moment)
    return [line for line in prorations(ctx, subscription, before, [], start, end, moment) if line["amount"]]


def _write_items(
    ctx: Ctx,
    subscription: Subscription,
    before: Sequence[Part],
    after: Sequence[Part],
    span: tuple[int, int],
    *,
    whole: bool,
) -> list[Part]:
    """Writes the items; the parts as they now are, with their ids."""
    ids = {part.item for part in after}
    for part in before:
        if part.item not in ids:
            ctx.db.delete(ctx.require(SubscriptionItem, part.item))
    out = list[Part]()
    for part in after:
        if part.item is None:
            start = span[0] if whole else ctx.epoch()
            out.append(replace(part, item=add_subscription_item(ctx, subscription.id, part, start, span[1]).id))
            continue
        row = ctx.require(SubscriptionItem, part.item)
        changes: dict[str, Any] = {
            "price": part.price.id, "quantity": part.quantity, "tax_rates": list(part.tax_rates), "metadata_": dict(part.metadata),
        }  # fmt: skip
        if whole:
            changes |= {"current_period_start": span[0], "current_period_end": span[1]}
        ctx.db.update(row, **{name: value for name, value in changes.items() if getattr(row, name) != value})
        out.append(part)
    return out


def add_pending(ctx: Ctx, subscription: Subscription, line: dict[str, Any]) -> InvoiceItem:
    """An invoice item that waits for the subscription's next invoice."""
    row = InvoiceItem(id=new(ctx, "ii"), customer=subscription.customer, date=ctx.epoch(), **line)
    ctx.db.add(row)
    emit(ctx, "invoiceitem.created", row)
    return row


def end(ctx: Ctx, subscription: Subscription, *, comment: str | None = None, feedback: str | None = None) -> None:
    """Cancels at once. What it has not yet collected stays owed, but is no longer pursued."""
    now = ctx.epoch()
    ctx.db.update(
        subscription, status="canceled", canceled_at=subscription.canceled_at or now, ended_at=now, cancel_at_period_end=False,
        cancel_at=None, cancellation_reason="cancellation_requested", pause_collection=None,
        cancellation_comment=comment or subscription.cancellation_comment,
        cancellation_feedback=feedback or subscription.cancellation_feedback,
    )  # fmt: skip
    for invoice in ctx.db.find(Invoice, subscription=subscription.id, status__in=["draft", "open"]):
        if invoice.auto_advance:
            ctx.db.update(invoice, auto_advance=False)
    emit(ctx, "customer.subscription.deleted", subscription)


def upcoming_lines(ctx: Ctx, subscription: Subscription, parts: Sequence[Part]) -> list[dict[str, Any]]:
    """What the next renewal bills."""
    _, end_of = period_of(ctx, subscription)
    price = parts[0].price
    span = period_at(subscription.billing_cycle_anchor, str(price.interval), price.interval_count, end_of)
    return [cycle_line(ctx, subscription.id, part, *span) for part in parts]


def preview_line(number: int, invoice: str, **fields: Any) -> LineItem:
    """A line of an invoice that is only looked at: it is in no table."""
    known = {name: value for name, value in fields.items() if name in LineItem.model_fields}
    return LineItem(id=f"il_tmp_{number:02d}{invoice[-12:]}", invoice=invoice, position=number, **known)
