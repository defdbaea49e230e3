"""What moves between accounts without a form: journal entries, transfers, deposits; and time, which moves nothing."""

from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Field

from .base import Record, Transaction


class JournalEntry(Transaction, table=True):
    required: ClassVar[tuple[str, ...]] = ("Line",)
    read_only: ClassVar[frozenset[str]] = frozenset({"TotalAmt", "Voided"})
    others: ClassVar[frozenset[str]] = Transaction.others | {
        "GlobalTaxCalculation",
        "TxnTaxDetail",
        "JournalCodeRef",
        "TaxRateRef",
        "TotalTax",
    }

    Adjustment: bool = False


class Transfer(Transaction, table=True):
    required: ClassVar[tuple[str, ...]] = ("FromAccountRef", "ToAccountRef", "Amount")
    read_only: ClassVar[frozenset[str]] = frozenset({"TotalAmt", "Line", "Voided"})

    FromAccountRef: str
    ToAccountRef: str
    Amount: float


class Deposit(Transaction, table=True):
    required: ClassVar[tuple[str, ...]] = ("DepositToAccountRef", "Line")
    read_only: ClassVar[frozenset[str]] = frozenset({"TotalAmt", "Voided"})
    others: ClassVar[frozenset[str]] = Transaction.others | {"GlobalTaxCalculation", "TxnTaxDetail"}

    DepositToAccountRef: str
    DepartmentRef: str | None = None
    CashBack: dict[str, Any] | None = None


class TimeActivity(Record, table=True):
    """Hours worked. `NameOf` says whether an employee or a vendor did."""

    required: ClassVar[tuple[str, ...]] = ("NameOf",)
    others: ClassVar[frozenset[str]] = frozenset(
        {"BreakHours", "BreakMinutes", "BreakSeconds", "Seconds", "TransactionLocationType", "PayrollItemRef", "ProjectRef", "TimeChargeId",
         "CostRate", "LaborCostRate"}
    )  # fmt: skip

    NameOf: Literal["Employee", "Vendor"]
    TxnDate: str
    EmployeeRef: str | None = None
    VendorRef: str | None = None
    CustomerRef: str | None = None
    ItemRef: str | None = None
    ClassRef: str | None = None
    DepartmentRef: str | None = None
    BillableStatus: Literal["Billable", "NotBillable", "HasBeenBilled"] = "NotBillable"
    Taxable: bool = False
    HourlyRate: float | None = None
    Hours: int | None = Field(None, ge=0, le=8760)
    Minutes: int | None = Field(None, ge=0, le=59)
    StartTime: str | None = None
    EndTime: str | None = None
    Description: str | None = Field(None, max_length=4000)
