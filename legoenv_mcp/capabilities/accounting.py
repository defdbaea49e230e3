"""Accounting: customers, vendors, items, invoices, bills and payments. Amounts are decimal, in the document's currency."""

from abc import abstractmethod
from typing import ClassVar, Literal

from pydantic import BaseModel

from legoenv_mcp.capabilities.base import Capability, Entity, Plan, lacks


class Customer(Entity):
    """Who is invoiced. `company` is a crm.Company's key or empty."""

    name: str
    email: str = ""
    phone: str = ""
    company: str = ""
    currency: str = "USD"
    created: str = ""


class Vendor(Entity):
    name: str
    email: str = ""
    phone: str = ""
    currency: str = "USD"
    created: str = ""


class Item(Entity):
    """Something sold."""

    name: str
    price: float
    description: str = ""
    active: bool = True


class DocumentLine(BaseModel, frozen=True, extra="forbid"):
    """A line of an invoice or bill; `amount` is the whole line's, `item` an Item's key or empty."""

    description: str
    quantity: float = 1
    amount: float
    item: str = ""


class Invoice(Entity):
    """An invoice. `paid` is what has been paid of it; dates are ISO days."""

    customer: str
    number: str
    lines: tuple[DocumentLine, ...] = ()
    currency: str = "USD"
    issued: str = ""
    due: str = ""
    paid: float = 0
    paid_on: str = ""
    void: bool = False
    memo: str = ""

    @property
    def total(self) -> float:
        return round(sum(line.amount for line in self.lines), 2)

    @property
    def open(self) -> float:
        """What is still to be paid."""
        return 0 if self.void else round(self.total - self.paid, 2)


class Bill(Entity):
    """A vendor's invoice to us; `account` is the name of the expense account it is booked to."""

    vendor: str
    number: str = ""
    lines: tuple[DocumentLine, ...] = ()
    account: str = ""
    currency: str = "USD"
    issued: str = ""
    due: str = ""
    paid: float = 0
    paid_on: str = ""

    @property
    def total(self) -> float:
        return round(sum(line.amount for line in self.lines), 2)


class Payment(Entity):
    """Money from a customer. `invoices` are the Invoices that it pays; `unapplied` is what is left of `amount` over them.

    Worlds say what was paid on the invoice itself.
    """

    customer: str
    amount: float
    currency: str = "USD"
    invoices: tuple[str, ...] = ()
    unapplied: float = 0
    day: str = ""


class Accounting(Capability):
    name = "accounting"
    entities: ClassVar[tuple[type[Entity], ...]] = (Customer, Vendor, Item, Invoice, Bill, Payment)

    @abstractmethod
    def find_customer(self, name: str) -> Plan: ...
    @abstractmethod
    def create_customer(self, name: str, email: str) -> Plan: ...
    @abstractmethod
    def create_item(self, name: str, price: float) -> Plan: ...
    @abstractmethod
    def create_invoice(self, customer_id: str, item_id: str, quantity: float, price: float) -> Plan: ...
    @abstractmethod
    def list_invoices(self, customer_id: str = "") -> Plan: ...
    @abstractmethod
    def record_payment(self, invoice_id: str, customer_id: str, amount: float) -> Plan: ...
    def send_invoice(self, invoice_id: str) -> Plan:
        return lacks(self, "send_invoice")

    def void_invoice(self, invoice_id: str) -> Plan:
        return lacks(self, "void_invoice")

    def invoice(
        self, customer_id: str, item_id: str, amount: float, *, description: str = "", due: str = "", memo: str = ""
    ) -> Plan:
        """An invoice of one line, with its due day and a message to the customer."""
        return lacks(self, "invoice")

    def create_bill(self, vendor_id: str, description: str, amount: float) -> Plan:
        return lacks(self, "create_bill")

    def book_bill(
        self, vendor_id: str, description: str, amount: float, *, account: str, number: str, issued: str, due: str
    ) -> Plan:
        """A vendor's bill with its number and days, on an expense account."""
        return lacks(self, "book_bill")

    def pay_bill(self, bill_id: str, vendor_id: str, amount: float) -> Plan:
        return lacks(self, "pay_bill")

    def list_bills(self, vendor_id: str = "") -> Plan:
        return lacks(self, "list_bills")

    def get_bill(self, bill_id: str) -> Plan:
        return lacks(self, "get_bill")

    def find_vendor(self, name: str) -> Plan:
        return lacks(self, "find_vendor")

    def list_customers(self) -> Plan:
        return lacks(self, "list_customers")

    def list_items(self) -> Plan:
        return lacks(self, "list_items")

    def create_journal_entry(self, debit_account: str, credit_account: str, amount: float) -> Plan:
        return lacks(self, "create_journal_entry")

    def run_report(self, report: Literal["profit_and_loss", "balance_sheet", "aged_receivables"]) -> Plan:
        return lacks(self, "run_report")
