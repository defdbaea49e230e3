"""What one buys by: orders, bills, credits, payments of bills, and direct expenses."""

from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Field

from .base import Transaction
from .sales import Printing


class PurchaseForm(Transaction):
    """A form with accounts or items on its lines."""

    read_only: ClassVar[frozenset[str]] = frozenset({"TotalAmt", "Balance", "Voided"})
    others: ClassVar[frozenset[str]] = Transaction.others | {
        "GlobalTaxCalculation", "TxnTaxDetail", "RemitToAddr", "ReplyEmail", "Memo", "ShipMethodRef", "ShipTo", "IncludeInAnnualTPAR",
        "PurchaseEx", "CheckPayment", "CreditCardPayment", "HomeBalance", "TemplateRef", "TaxCodeRef",
    }  # fmt: skip

    DepartmentRef: str | None = None


class VendorForm(PurchaseForm):
    required: ClassVar[tuple[str, ...]] = ("Line", "VendorRef")

    VendorRef: str
    APAccountRef: str | None = None
    VendorAddr: dict[str, Any] | None = None


class Bill(VendorForm, table=True):
    SalesTermRef: str | None = None
    DueDate: str | None = None
    Balance: float = 0


class VendorCredit(VendorForm, table=True):
    Balance: float = 0


class PurchaseOrder(VendorForm, table=True):
    POStatus: Literal["Open", "Closed"] = "Open"
    POEmail: str | None = None
    EmailStatus: Literal["NotSet", "NeedToSend", "EmailSent"] = "NotSet"
    DueDate: str | None = None
    SalesTermRef: str | None = None
    ClassRef: str | None = None
    ShipAddr: dict[str, Any] | None = None


class Purchase(PurchaseForm, table=True):
    """Money spent without a bill: cash, cheque or card. `EntityType` says whose id `EntityRef` is."""

    required: ClassVar[tuple[str, ...]] = ("PaymentType", "AccountRef", "Line")
    read_only: ClassVar[frozenset[str]] = PurchaseForm.read_only | {"EntityType"}

    PaymentType: Literal["Cash", "Check", "CreditCard"]
    AccountRef: str
    EntityRef: str | None = None
    EntityType: str | None = None
    Credit: bool = False
    PaymentMethodRef: str | None = None
    PaymentRefNum: str | None = Field(None, max_length=21)
    PrintStatus: Printing = "NotSet"


class BillPayment(Transaction, table=True):
    required: ClassVar[tuple[str, ...]] = ("VendorRef", "TotalAmt", "PayType", "Line")
    read_only: ClassVar[frozenset[str]] = frozenset({"Voided"})
    others: ClassVar[frozenset[str]] = Transaction.others | {"ProcessBillPayment", "VendorAddr"}

    VendorRef: str
    PayType: Literal["Check", "CreditCard"]
    CheckPayment: dict[str, Any] | None = None
    CreditCardPayment: dict[str, Any] | None = None
    APAccountRef: str | None = None
    DepartmentRef: str | None = None
