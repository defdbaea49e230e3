"""Payments: customers, catalogue, charges, invoices, subscriptions. Amounts are integers in the currency's smallest unit."""

from abc import abstractmethod
from typing import ClassVar, Literal

from pydantic import BaseModel

from legoenv_mcp.capabilities.base import Capability, Entity, Plan, lacks


class Customer(Entity):
    """Who pays. `company` is a crm.Company's key."""

    name: str
    email: str
    company: str = ""
    phone: str = ""
    currency: str = "usd"
    description: str = ""
    created: str = ""


class Product(Entity):
    name: str
    description: str = ""
    active: bool = True
    created: str = ""


class Price(Entity):
    """What a product costs; `interval` is empty for a one-off price."""

    product: str
    nickname: str = ""
    amount: int
    currency: str = "usd"
    interval: Literal["", "month", "year"] = ""
    active: bool = True
    created: str = ""


class Subscription(Entity):
    customer: str
    price: str
    quantity: int = 1
    status: Literal["active", "trialing", "past_due", "canceled"] = "active"
    started: str = ""
    canceled: str = ""


class Line(BaseModel, frozen=True, extra="forbid"):
    """An invoice line; `amount` is the whole line's, `price` a Price key or empty."""

    description: str
    quantity: int = 1
    amount: int
    price: str = ""


class Invoice(Entity):
    """An invoice. `number` is the one printed on it; dates are ISO days."""

    customer: str
    number: str = ""
    status: Literal["draft", "open", "paid", "void", "uncollectible"] = "open"
    currency: str = "usd"
    lines: tuple[Line, ...] = ()
    subscription: str = ""
    memo: str = ""
    issued: str = ""
    due: str = ""
    paid: str = ""

    @property
    def total(self) -> int:
        return sum(line.amount for line in self.lines)


class Payment(Entity):
    """Money received or refused. `invoice` is an Invoice's key or empty; `refunded` is the part given back."""

    customer: str
    amount: int
    currency: str = "usd"
    status: Literal["succeeded", "failed", "pending"] = "succeeded"
    description: str = ""
    invoice: str = ""
    card_brand: str = "visa"
    card_last4: str = "4242"
    failure: str = ""
    refunded: int = 0
    disputed: bool = False
    created: str = ""


class Payments(Capability):
    name = "payments"
    entities: ClassVar[tuple[type[Entity], ...]] = (Customer, Product, Price, Subscription, Invoice, Payment)

    @abstractmethod
    def find_payer(self, email: str) -> Plan: ...
    @abstractmethod
    def list_payments(self, customer_id: str) -> Plan: ...
    @abstractmethod
    def check_payment(self, payment_id: str) -> Plan: ...
    @abstractmethod
    def request_payment(self, price_id: str, quantity: int) -> Plan: ...
    @abstractmethod
    def collect_payment(self, customer_id: str, amount: int, currency: str) -> Plan: ...
    @abstractmethod
    def cancel_payment(self, payment_id: str) -> Plan: ...
    @abstractmethod
    def refund_payment(self, payment_id: str, amount: int | None = None) -> Plan: ...
    def list_invoices(self, customer_id: str = "", status: str = "") -> Plan:
        return lacks(self, "list_invoices")

    def list_payments_between(self, first_day: str, last_day: str) -> Plan:
        """Every payment of those days (UTC), the last one included."""
        return lacks(self, "list_payments_between")

    def list_customers(self) -> Plan:
        return lacks(self, "list_customers")

    def list_subscriptions(self, customer_id: str = "") -> Plan:
        return lacks(self, "list_subscriptions")

    def settle_invoice(self, invoice_id: str) -> Plan:
        """An invoice is marked as paid, by money that came in elsewhere."""
        return lacks(self, "settle_invoice")

    def void_invoice(self, invoice_id: str) -> Plan:
        return lacks(self, "void_invoice")
