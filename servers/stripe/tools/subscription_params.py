"""What subscriptions are made of, as parameters, and what is checked of them."""

from collections.abc import Sequence
from typing import Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field

from .. import billing, discounts, invoicing
from ..billing import Part
from ..errors import no_such, refuse
from ..lookups import living
from ..models import PaymentMethod, Price, Subscription
from ..params import Pairs, Params, merged
from .invoice_items import known_rates
from .price_data import Inline, chosen, inline_price

Proration = Literal["always_invoice", "create_prorations", "none"]
Payment = Literal["allow_incomplete", "default_incomplete", "error_if_incomplete", "pending_if_incomplete"]
Status = Literal[
    "active", "past_due", "unpaid", "canceled", "incomplete", "incomplete_expired", "trialing", "paused", "ended", "all"
]  # fmt: skip


class ItemParam(Params):
    """A price to subscribe to."""

    price: str | None = Field(default=None, description="ID of a recurring price.")
    price_data: Inline = Field(default=None, description="A recurring price for this alone, instead of `price`.")
    quantity: int = Field(default=1, ge=0, description="How many.")
    tax_rates: list[str] | None = Field(default=None, description="IDs of the tax rates that apply to it.")
    metadata: Pairs | None = Field(default=None, description="Key-value pairs.")


class ItemChange(Params):
    """An item to change, add or take off."""

    id: str | None = Field(default=None, description="The item to change; without one an item is added.")
    price: str | None = Field(default=None, description="ID of the recurring price it is to have.")
    price_data: Inline = Field(default=None, description="A recurring price for this alone, instead of `price`.")
    quantity: int | None = Field(default=None, ge=0, description="How many.")
    deleted: bool = Field(default=False, description="Whether to take the item off.")
    clear_usage: bool | None = Field(default=None, description="For metered prices only.")
    tax_rates: list[str] | None = Field(default=None, description="IDs of the tax rates that apply to it.")
    metadata: Pairs | None = Field(default=None, description="Key-value pairs.")


class AddInvoiceItem(Params):
    """A one-off charge on the first invoice."""

    price: str | None = Field(default=None, description="ID of a one-off price.")
    price_data: Inline = Field(default=None, description="A one-off price for this alone, instead of `price`.")
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


class PaymentSettings(Params):
    """What becomes of the payment methods that pay its invoices."""

    save_default_payment_method: Literal["off", "on_subscription"] = Field(
        default="off", description="`on_subscription` makes the one that paid the subscription's default."
    )


def item_price(ctx: Ctx, item: ItemParam | ItemChange, place: str) -> Price:
    """The recurring price that an item names or describes."""
    chosen(item.price, item.price_data, place)
    if item.price_data is None:
        return billing.recurring_price(ctx, item.price or "", f"{place}[price]")
    if item.price_data.recurring is None:
        name = f"{place}[price_data][recurring]"
        raise refuse(f"Missing required param: {name}.", code="parameter_missing", param=name)
    return inline_price(ctx, item.price_data, f"{place}[price_data]")


def own_method(ctx: Ctx, key: Any, customer: str) -> str | None:
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


def days_due(method: str, days: Any, current: int | None = None) -> int | None:
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


def trial_until(ctx: Ctx, trial_end: Any, days: Any) -> int | None:
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


def redeemed(ctx: Ctx, row: Subscription, asked_for: Any) -> list[str]:
    amount = sum(part.amount for part in billing.parts_of(ctx, row))
    return discounts.apply(ctx, asked_for, living(ctx, row.customer), row.currency, subscription=row.id, amount=amount)


def cancel_moment(ctx: Ctx, moment: Any) -> int | None:
    if moment is MISSING or moment == "":
        return None
    if moment <= ctx.epoch():
        raise refuse("cancel_at must be in the future.", param="cancel_at")
    return moment


def changed_parts(ctx: Ctx, row: Subscription, changes: Sequence[ItemChange], place: str = "items") -> list[Part]:
    """The subscription's parts after the changes: items that are not named stay."""
    parts = {part.item: part for part in billing.parts_of(ctx, row)}
    added = list[Part]()
    for i, change in enumerate(changes):
        price = item_price(ctx, change, f"{place}[{i}]") if change.price or change.price_data else None
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
