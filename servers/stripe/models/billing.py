"""Invoices, subscriptions, discounts and tax rates. https://docs.stripe.com/api/invoices"""

from typing import Any, Literal

from legoenv_mcp.app import Field

from .base import Metadata, Object, Table

CollectionMethod = Literal["charge_automatically", "send_invoice"]


class Coupon(Table, table=True):
    __tablename__ = "coupon"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int
    amount_off: int | None = None
    applies_to: list[str] | None = None
    currency: str | None = None
    duration: Literal["forever", "once", "repeating"]
    duration_in_months: int | None = None
    max_redemptions: int | None = None
    name: str | None = None
    percent_off: float | None = None
    redeem_by: int | None = None
    times_redeemed: int = Field(default=0, derived=True)
    metadata_: Metadata = Field(default={})


class PromotionCode(Table, table=True):
    __tablename__ = "promotion_code"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int
    active: bool = True
    code: str = Field(index=True)
    coupon: str
    customer: str | None = None
    expires_at: int | None = None
    first_time_transaction: bool = False
    max_redemptions: int | None = None
    minimum_amount: int | None = None
    minimum_amount_currency: str | None = None
    times_redeemed: int = Field(default=0, derived=True)
    metadata_: Metadata = Field(default={})


class Discount(Table, table=True):
    """A coupon as applied; `terms` is the coupon at that time, for coupons that are deleted later."""

    __tablename__ = "discount"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    coupon: str
    terms: Object
    customer: str | None = None
    end: int | None = None
    invoice: str | None = None
    promotion_code: str | None = None
    start: int
    subscription: str | None = None


class TaxRate(Table, table=True):
    __tablename__ = "tax_rate"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int
    active: bool = True
    country: str | None = None
    description: str | None = None
    display_name: str
    inclusive: bool
    jurisdiction: str | None = None
    percentage: float
    state: str | None = None
    tax_type: str | None = None
    metadata_: Metadata = Field(default={})


class Subscription(Table, table=True):
    __tablename__ = "subscription"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int = Field(index=True)
    billing_cycle_anchor: int
    cancel_at: int | None = None
    cancel_at_period_end: bool = False
    canceled_at: int | None = None
    cancellation_comment: str | None = None
    cancellation_feedback: str | None = None
    cancellation_reason: str | None = None
    collection_method: CollectionMethod = "charge_automatically"
    currency: str
    customer: str = Field(foreign_key="customer.id", index=True)
    days_until_due: int | None = None
    default_payment_method: str | None = None
    default_tax_rates: list[str] = Field(default=[])
    description: str | None = None
    discounts: list[str] = Field(default=[])
    ended_at: int | None = None
    latest_invoice: str | None = None
    missing_payment_method: Literal["cancel", "create_invoice", "pause"] = "create_invoice"
    pause_collection: Object | None = None
    save_default_payment_method: Literal["off", "on_subscription"] = "off"
    start_date: int
    status: Literal[
        "incomplete", "incomplete_expired", "trialing", "active", "past_due", "canceled", "unpaid", "paused"
    ]
    trial_end: int | None = None
    trial_start: int | None = None
    metadata_: Metadata = Field(default={})


class SubscriptionItem(Table, table=True):
    __tablename__ = "subscription_item"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int
    current_period_end: int
    current_period_start: int
    price: str = Field(foreign_key="price.id", index=True)
    quantity: int = 1
    subscription: str = Field(foreign_key="subscription.id", index=True)
    tax_rates: list[str] = Field(default=[])
    metadata_: Metadata = Field(default={})


class Invoice(Table, table=True):
    """`subtotal` to `amount_remaining` follow from the lines, the discounts and the balances, and are kept in step with them."""

    __tablename__ = "invoice"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int = Field(index=True)
    amount_due: int = 0
    amount_paid: int = 0
    amount_paid_off_stripe: int = 0
    amount_remaining: int = 0
    attempt_count: int = 0
    attempted: bool = False
    auto_advance: bool = False
    billing_reason: str = "manual"
    collection_method: CollectionMethod = "charge_automatically"
    currency: str
    custom_fields: list[Object] | None = None
    customer: str = Field(foreign_key="customer.id", index=True)
    default_payment_method: str | None = None
    default_tax_rates: list[str] = Field(default=[])
    description: str | None = None
    discounts: list[str] = Field(default=[])
    due_date: int | None = None
    effective_at: int | None = None
    ending_balance: int | None = None
    footer: str | None = None
    number: str | None = Field(default=None, index=True)
    period_end: int
    period_start: int
    post_payment_credit_notes_amount: int = 0
    pre_payment_credit_notes_amount: int = 0
    starting_balance: int = 0
    statement_descriptor: str | None = None
    status: Literal["draft", "open", "paid", "void", "uncollectible"] = "draft"
    finalized_at: int | None = None
    marked_uncollectible_at: int | None = None
    paid_at: int | None = None
    voided_at: int | None = None
    subscription: str | None = Field(default=None, index=True)
    subtotal: int = 0
    total: int = 0
    total_discount_amounts: list[Object] = Field(default=[])
    total_taxes: list[Object] = Field(default=[])
    metadata_: Metadata = Field(default={})


class InvoiceItem(Table, table=True):
    __tablename__ = "invoice_item"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    amount: int
    currency: str
    customer: str = Field(foreign_key="customer.id", index=True)
    date: int
    description: str | None = None
    discountable: bool = True
    invoice: str | None = Field(default=None, index=True)
    period_end: int
    period_start: int
    price: str | None = Field(default=None, foreign_key="price.id")
    proration: bool = False
    quantity: int = 1
    subscription: str | None = None
    subscription_item: str | None = None
    tax_rates: list[str] = Field(default=[])
    unit_amount: int | None = None
    metadata_: Metadata = Field(default={})


class LineItem(Table, table=True):
    """A line of an invoice; `invoice_item` is what it was made from, where that was an invoice item."""

    __tablename__ = "line_item"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    position: int
    amount: int
    currency: str
    description: str | None = None
    discount_amounts: list[Object] = Field(default=[])
    discountable: bool = True
    invoice: str = Field(foreign_key="invoice.id", index=True)
    invoice_item: str | None = None
    period_end: int
    period_start: int
    price: str | None = Field(default=None, foreign_key="price.id")
    product: str | None = None
    proration: bool = False
    quantity: int = 1
    subscription: str | None = None
    subscription_item: str | None = None
    tax_rates: list[str] = Field(default=[])
    taxes: list[Any] = Field(default=[])
    unit_amount: int | None = None
    metadata_: Metadata = Field(default={})


class InvoicePayment(Table, table=True):
    """Ties an invoice to the payment intent that collects it."""

    __tablename__ = "invoice_payment"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int
    amount_paid: int | None = None
    amount_requested: int
    canceled_at: int | None = None
    currency: str
    invoice: str = Field(foreign_key="invoice.id", index=True)
    paid_at: int | None = None
    payment_intent: str = Field(foreign_key="payment_intent.id", index=True)
    status: Literal["open", "paid", "canceled"] = "open"


class CreditNote(Table, table=True):
    __tablename__ = "credit_note"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int
    amount: int
    credit_amount: int = 0
    currency: str
    customer: str = Field(foreign_key="customer.id")
    customer_balance_transaction: str | None = None
    invoice: str = Field(foreign_key="invoice.id", index=True)
    items: list[Object] = Field(default=[])
    memo: str | None = None
    number: str
    out_of_band_amount: int = 0
    post_payment_amount: int = 0
    pre_payment_amount: int = 0
    reason: str | None = None
    refund: str | None = None
    refund_amount: int = 0
    status: Literal["issued", "void"] = "issued"
    voided_at: int | None = None
    metadata_: Metadata = Field(default={})
