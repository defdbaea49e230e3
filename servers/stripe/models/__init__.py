"""Stripe's resources as tables."""

from .base import Table
from .billing import (
    Coupon,
    CreditNote,
    Discount,
    Invoice,
    InvoiceItem,
    InvoicePayment,
    LineItem,
    PromotionCode,
    Subscription,
    SubscriptionItem,
    TaxRate,
)
from .checkout import CheckoutSession, PaymentLink
from .payments import (
    Account,
    BalanceTransaction,
    Charge,
    Customer,
    CustomerBalanceTransaction,
    Dispute,
    Event,
    IdempotencyKey,
    PaymentIntent,
    PaymentMethod,
    Payout,
    Price,
    Product,
    Refund,
    SetupIntent,
)

__all__ = [
    "Account", "BalanceTransaction", "Charge", "CheckoutSession", "Coupon", "CreditNote", "Customer", "CustomerBalanceTransaction",
    "Discount", "Dispute", "Event", "IdempotencyKey", "Invoice", "InvoiceItem", "InvoicePayment", "LineItem", "PaymentIntent",
    "PaymentLink", "PaymentMethod", "Payout", "Price", "Product", "PromotionCode", "Refund", "SetupIntent", "Subscription",
    "SubscriptionItem", "Table", "TaxRate",
]  # fmt: skip
