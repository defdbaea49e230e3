"""What one sells by: estimates, invoices, receipts, credits, refunds, and customers' payments."""

from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Field

from .base import Transaction

Printing = Literal["NotSet", "NeedToPrint", "PrintComplete"]
Emailing = Literal["NotSet", "NeedToSend", "EmailSent"]


class SalesForm(Transaction):
    """A form with items on its lines. `DeliveryTime` is the changing part of `DeliveryInfo`, kept apart."""

    required: ClassVar[tuple[str, ...]] = ("Line", "CustomerRef")
    read_only: ClassVar[frozenset[str]] = frozenset(
        {"TotalAmt", "Balance", "RemainingCredit", "Voided", "DeliveryInfo", "DeliveryTime"}
    )
    others: ClassVar[frozenset[str]] = Transaction.others | {
        "ShipMethodRef", "TrackingNum", "FreeFormAddress", "InvoiceLink", "EInvoiceStatus", "TaxExemptionRef", "ShipFromAddr",
        "HomeBalance",
        "AllowIPNPayment", "AllowOnlinePayment", "AllowOnlineCreditCardPayment", "AllowOnlineACHPayment", "AllowOnlinePayPalPayment",
        "GlobalTaxCalculation", "Deposit", "CreditCardPayment", "CheckPayment", "PaymentType", "PaymentRefNum", "TxnSource", "CheckNum",
        "InvoiceStatusLog", "TotalTax",
    }  # fmt: skip

    CustomerRef: str
    CustomerMemo: str | None = Field(None, max_length=1000)
    BillAddr: dict[str, Any] | None = None
    ShipAddr: dict[str, Any] | None = None
    ShipDate: str | None = None
    BillEmail: str | None = None
    BillEmailCc: str | None = None
    BillEmailBcc: str | None = None
    ClassRef: str | None = None
    DepartmentRef: str | None = None
    TxnTaxDetail: dict[str, Any] | None = None
    ApplyTaxAfterDiscount: bool = False
    PrintStatus: Printing = "NeedToPrint"
    EmailStatus: Emailing = "NotSet"
    DeliveryInfo: dict[str, Any] | None = None
    DeliveryTime: str | None = Field(None, derived=True)


class Invoice(SalesForm, table=True):
    SalesTermRef: str | None = None
    DueDate: str | None = None
    Balance: float = 0
    DepositToAccountRef: str | None = None


class Estimate(SalesForm, table=True):
    SalesTermRef: str | None = None
    DueDate: str | None = None
    ExpirationDate: str | None = None
    AcceptedBy: str | None = Field(None, max_length=100)
    AcceptedDate: str | None = None
    TxnStatus: Literal["Pending", "Accepted", "Closed", "Rejected", "Converted"] = "Pending"


class SalesReceipt(SalesForm, table=True):
    PaymentMethodRef: str | None = None
    DepositToAccountRef: str | None = None
    Balance: float = 0


class CreditMemo(SalesForm, table=True):
    SalesTermRef: str | None = None
    PaymentMethodRef: str | None = None
    Balance: float = 0
    RemainingCredit: float = 0


class RefundReceipt(SalesForm, table=True):
    required: ClassVar[tuple[str, ...]] = ("Line", "CustomerRef", "DepositToAccountRef")

    PaymentMethodRef: str | None = None
    DepositToAccountRef: str
    Balance: float = 0


class Payment(Transaction, table=True):
    """Money from a customer. Its lines say to which invoices it goes, and which credits it uses up."""

    required: ClassVar[tuple[str, ...]] = ("TotalAmt", "CustomerRef")
    read_only: ClassVar[frozenset[str]] = frozenset({"UnappliedAmt", "Voided"})
    others: ClassVar[frozenset[str]] = Transaction.others | {
        "ProcessPayment",
        "CreditCardPayment",
        "TaxExemptionRef",
        "DocNumber",
    }

    CustomerRef: str
    ARAccountRef: str | None = None
    DepositToAccountRef: str | None = None
    PaymentMethodRef: str | None = None
    PaymentRefNum: str | None = Field(None, max_length=21)
    UnappliedAmt: float = 0
