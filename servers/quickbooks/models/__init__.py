"""The API's objects as tables: one class each, its columns named as the fields are."""

from .base import NameRecord, Record, Table, Transaction
from .company import Attachable, CompanyInfo, Deleted, Link, Posting, Preferences, Request
from .journal import Deposit, JournalEntry, TimeActivity, Transfer
from .names import Account, Class, Customer, Department, Employee, Item, PaymentMethod, Term, Vendor
from .purchases import Bill, BillPayment, Purchase, PurchaseOrder, VendorCredit
from .sales import CreditMemo, Estimate, Invoice, Payment, RefundReceipt, SalesReceipt
from .taxes import CompanyCurrency, ExchangeRate, TaxAgency, TaxCode, TaxRate

KINDS: dict[str, type[Record]] = {
    cls.__name__: cls
    for cls in (
        Account, Attachable, Bill, BillPayment, Class, CompanyCurrency, CompanyInfo, CreditMemo, Customer, Department, Deposit, Employee,
        Estimate, ExchangeRate, Invoice, Item, JournalEntry, Payment, PaymentMethod, Preferences, Purchase, PurchaseOrder, RefundReceipt,
        SalesReceipt, TaxAgency, TaxCode, TaxRate, Term, TimeActivity, Transfer, Vendor, VendorCredit,
    )
}  # fmt: skip
"""The objects that can be read and queried, by name."""

__all__ = [
    "KINDS", "Account", "Attachable", "Bill", "BillPayment", "Class", "CompanyCurrency", "CompanyInfo", "CreditMemo", "Customer", "Deleted",
    "Department", "Deposit", "Employee", "Estimate", "ExchangeRate", "Invoice", "Item", "JournalEntry", "Link", "NameRecord", "Payment",
    "PaymentMethod", "Posting", "Preferences", "Purchase", "PurchaseOrder", "Record", "RefundReceipt", "Request", "SalesReceipt", "Table",
    "TaxAgency", "TaxCode", "TaxRate", "Term", "TimeActivity", "Transaction", "Transfer", "Vendor", "VendorCredit",
]  # fmt: skip
