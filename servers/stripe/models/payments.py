"""Customers, the catalogue's prices, payments and the ledger. https://docs.stripe.com/api"""

from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Field

from .base import Metadata, Object, Table


class Account(Table, table=True):
    __tablename__ = "account"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    name: str
    email: str
    country: str = "US"
    default_currency: str = "usd"
    created: int


class Customer(Table, table=True):
    __tablename__ = "customer"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int = Field(index=True)
    name: str | None = None
    email: str | None = Field(default=None, index=True)
    phone: str | None = None
    description: str | None = None
    address: Object | None = None
    shipping: Object | None = None
    balance: int = 0
    currency: str | None = None
    invoice_prefix: str
    next_invoice_sequence: int = Field(default=1, derived=True)
    default_payment_method: str | None = None
    footer: str | None = None
    tax_exempt: Literal["none", "exempt", "reverse"] = "none"
    preferred_locales: list[str] = Field(default=[])
    metadata_: Metadata = Field(default={})
    deleted: bool = False


class CustomerBalanceTransaction(Table, table=True):
    __tablename__ = "customer_balance_transaction"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int
    customer: str = Field(foreign_key="customer.id", index=True)
    amount: int
    currency: str
    type: str = "adjustment"
    description: str | None = None
    ending_balance: int
    invoice: str | None = None
    credit_note: str | None = None
    metadata_: Metadata = Field(default={})


class Product(Table, table=True):
    __tablename__ = "product"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int
    updated: int = Field(derived=True)
    name: str
    description: str | None = None
    active: bool = True
    default_price: str | None = None
    images: list[str] = Field(default=[])
    shippable: bool | None = None
    statement_descriptor: str | None = None
    tax_code: str | None = None
    unit_label: str | None = None
    url: str | None = None
    metadata_: Metadata = Field(default={})


class Price(Table, table=True):
    __tablename__ = "price"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int
    product: str = Field(foreign_key="product.id", index=True)
    active: bool = True
    currency: str
    unit_amount: int
    nickname: str | None = None
    lookup_key: str | None = None
    interval: Literal["day", "week", "month", "year"] | None = None
    interval_count: int = 1
    trial_period_days: int | None = None
    tax_behavior: Literal["exclusive", "inclusive", "unspecified"] = "unspecified"
    metadata_: Metadata = Field(default={})

    @property
    def type(self) -> str:
        return "recurring" if self.interval else "one_time"


class PaymentMethod(Table, table=True):
    """`behavior` is which of Stripe's test cards it is; `spent` marks one that may not be used again without a customer."""

    __tablename__ = "payment_method"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int
    customer: str | None = Field(default=None, foreign_key="customer.id", index=True)
    type: str = "card"
    card: Object | None = None
    us_bank_account: Object | None = None
    billing_details: Object
    allow_redisplay: Literal["always", "limited", "unspecified"] = "unspecified"
    behavior: str = ""
    spent: bool = Field(default=False, derived=True)
    metadata_: Metadata = Field(default={})


class PaymentIntent(Table, table=True):
    __tablename__ = "payment_intent"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int = Field(index=True)
    amount: int
    amount_capturable: int = 0
    amount_received: int = 0
    automatic_payment_methods: Object | None = None
    canceled_at: int | None = None
    cancellation_reason: str | None = None
    capture_method: Literal["automatic", "automatic_async", "manual"] = "automatic_async"
    client_secret: str
    confirmation_method: Literal["automatic", "manual"] = "automatic"
    currency: str
    customer: str | None = Field(default=None, foreign_key="customer.id", index=True)
    description: str | None = None
    last_payment_error: Object | None = None
    latest_charge: str | None = None
    next_action: Object | None = None
    payment_method: str | None = None
    payment_method_types: list[str] = Field(default=["card"])
    receipt_email: str | None = None
    setup_future_usage: Literal["off_session", "on_session"] | None = None
    shipping: Object | None = None
    statement_descriptor: str | None = None
    statement_descriptor_suffix: str | None = None
    status: Literal[
        "requires_payment_method", "requires_confirmation", "requires_action", "processing", "requires_capture", "canceled", "succeeded"
    ] = "requires_payment_method"  # fmt: skip
    transfer_group: str | None = None
    metadata_: Metadata = Field(default={})


class Charge(Table, table=True):
    __tablename__ = "charge"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int = Field(index=True)
    amount: int
    amount_captured: int = 0
    amount_refunded: int = 0
    balance_transaction: str | None = None
    billing_details: Object
    captured: bool = False
    currency: str
    customer: str | None = Field(default=None, foreign_key="customer.id", index=True)
    description: str | None = None
    disputed: bool = False
    failure_code: str | None = None
    failure_message: str | None = None
    fraud_details: Object = Field(default={})
    outcome: Object | None = None
    paid: bool = False
    payment_intent: str | None = Field(default=None, foreign_key="payment_intent.id", index=True)
    payment_method: str | None = None
    payment_method_details: Object | None = None
    receipt_email: str | None = None
    refunded: bool = False
    shipping: Object | None = None
    statement_descriptor: str | None = None
    statement_descriptor_suffix: str | None = None
    status: Literal["succeeded", "pending", "failed"]
    transfer_group: str | None = None
    metadata_: Metadata = Field(default={})


class Refund(Table, table=True):
    __tablename__ = "refund"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int
    amount: int
    balance_transaction: str | None = None
    charge: str = Field(foreign_key="charge.id", index=True)
    currency: str
    payment_intent: str | None = None
    reason: str | None = None
    status: Literal["pending", "requires_action", "succeeded", "failed", "canceled"] = "succeeded"
    metadata_: Metadata = Field(default={})


class Dispute(Table, table=True):
    __tablename__ = "dispute"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int
    amount: int
    charge: str = Field(foreign_key="charge.id", index=True)
    currency: str
    payment_intent: str | None = None
    reason: str
    status: Literal[
        "warning_needs_response", "warning_under_review", "warning_closed", "needs_response", "under_review", "won", "lost"
    ]  # fmt: skip
    evidence: dict[str, str] = Field(default={})
    due_by: int
    submission_count: int = 0
    is_charge_refundable: bool = False
    case_type: Literal["chargeback", "inquiry"] = "chargeback"
    network_reason_code: str
    metadata_: Metadata = Field(default={})


class BalanceTransaction(Table, table=True):
    """A movement of the account's own money. The balance is the sum of `net` and nothing else."""

    __tablename__ = "balance_transaction"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int
    amount: int
    available_on: int
    currency: str = Field(index=True)
    description: str | None = None
    fee: int = 0
    net: int
    reporting_category: str
    source: str = Field(index=True)
    type: str


class Payout(Table, table=True):
    __tablename__ = "payout"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int
    amount: int
    arrival_date: int
    balance_transaction: str | None = None
    currency: str
    description: str | None = None
    destination: str
    failure_balance_transaction: str | None = None
    method: Literal["standard", "instant"] = "standard"
    statement_descriptor: str | None = None
    status: Literal["paid", "pending", "in_transit", "canceled", "failed"] = "pending"
    metadata_: Metadata = Field(default={})


class SetupIntent(Table, table=True):
    __tablename__ = "setup_intent"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int
    automatic_payment_methods: Object | None = None
    cancellation_reason: str | None = None
    client_secret: str
    customer: str | None = Field(default=None, foreign_key="customer.id")
    description: str | None = None
    last_setup_error: Object | None = None
    latest_attempt: str | None = None
    next_action: Object | None = None
    payment_method: str | None = None
    payment_method_types: list[str] = Field(default=["card"])
    status: Literal[
        "requires_payment_method", "requires_confirmation", "requires_action", "processing", "canceled", "succeeded"
    ]
    usage: Literal["off_session", "on_session"] = "off_session"
    metadata_: Metadata = Field(default={})


class Event(Table, table=True):
    """What happened, as webhooks would tell it: a consequence of other rows, so no state of its own."""

    __tablename__ = "event"  # pyright: ignore[reportAssignmentType]
    derived_table: ClassVar[bool] = True
    n: int | None = Field(default=None, primary_key=True)
    id: str = Field(unique=True)
    created: int
    type: str = Field(index=True)
    data: Object
    previous_attributes: Object | None = None
    request: str | None = None
    idempotency_key: str | None = None


class IdempotencyKey(Table, table=True):
    """An answered POST by its Idempotency-Key. https://docs.stripe.com/api/idempotent_requests"""

    __tablename__ = "idempotency_key"  # pyright: ignore[reportAssignmentType]
    derived_table: ClassVar[bool] = True
    key: str = Field(primary_key=True)
    fingerprint: str
    request: str
    status: int
    body: Any
