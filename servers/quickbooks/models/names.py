"""The list objects: who one deals with, what is sold, the chart of accounts and the lists that forms choose from."""

from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Field

from .base import NameRecord

PERSON_OTHERS = frozenset(
    {"OtherContactInfo", "AlternatePhone", "Fax", "Mobile", "DefaultTaxCodeRef", "ARAccountRef", "OpenBalanceDate", "PrimaryTaxIdentifier",
     "CustomerTypeRef", "Source", "GSTIN", "GSTRegistrationType", "BusinessNumber", "TaxExemptionReasonId", "SecondaryTaxIdentifier",
     "UserId", "V4IDPseudonym", "ClientEntityId", "HasTPAR", "T4AEligible", "T5018Eligible", "VendorPaymentBankDetail", "TaxReportingBasis",
     "APAccountRef", "Organization", "ContactInfo", "CISRate"}
)  # fmt: skip


class Named(NameRecord):
    """Customers, vendors and employees: one name space."""

    named: ClassVar[str] = "DisplayName"
    others: ClassVar[frozenset[str]] = PERSON_OTHERS

    DisplayName: str = Field(max_length=500)
    Title: str | None = Field(None, max_length=16)
    GivenName: str | None = Field(None, max_length=100)
    MiddleName: str | None = Field(None, max_length=100)
    FamilyName: str | None = Field(None, max_length=100)
    Suffix: str | None = Field(None, max_length=16)
    PrintOnCheckName: str | None = Field(None, max_length=110)
    PrimaryEmailAddr: str | None = None
    PrimaryPhone: str | None = None


class Company(Named):
    """What customers and vendors share."""

    CompanyName: str | None = Field(None, max_length=100)
    WebAddr: str | None = None
    BillAddr: dict[str, Any] | None = None
    CurrencyRef: str
    Notes: str | None = Field(None, max_length=2000)


class Customer(Company, table=True):
    noun: ClassVar[str] = "customer"
    computed: ClassVar[frozenset[str]] = frozenset(
        {"Balance", "BalanceWithJobs", "FullyQualifiedName", "Level", "IsProject"}
    )

    ShipAddr: dict[str, Any] | None = None
    Taxable: bool = False
    Job: bool = False
    BillWithParent: bool = False
    ParentRef: str | None = None
    SalesTermRef: str | None = None
    PaymentMethodRef: str | None = None
    PreferredDeliveryMethod: Literal["Print", "Email", "None"] = "Print"
    ResaleNum: str | None = Field(None, max_length=16)


class Vendor(Company, table=True):
    noun: ClassVar[str] = "vendor"
    computed: ClassVar[frozenset[str]] = frozenset({"Balance"})

    AcctNum: str | None = Field(None, max_length=100)
    Vendor1099: bool = False
    TermRef: str | None = None
    TaxIdentifier: str | None = Field(None, max_length=20)
    BillRate: float | None = None
    CostRate: float | None = None


class Employee(Named, table=True):
    noun: ClassVar[str] = "employee"

    PrimaryAddr: dict[str, Any] | None = None
    EmployeeNumber: str | None = Field(None, max_length=100)
    SSN: str | None = Field(None, max_length=100)
    HiredDate: str | None = None
    ReleasedDate: str | None = None
    BirthDate: str | None = None
    Gender: Literal["Male", "Female"] | None = None
    BillableTime: bool = False
    BillRate: float | None = None
    CostRate: float | None = None


class Item(NameRecord, table=True):
    noun: ClassVar[str] = "item"
    required: ClassVar[tuple[str, ...]] = ("Name",)
    computed: ClassVar[frozenset[str]] = frozenset({"FullyQualifiedName", "Level"})
    others: ClassVar[frozenset[str]] = frozenset(
        {"SalesTaxIncluded", "PurchaseTaxIncluded", "SalesTaxCodeRef", "PurchaseTaxCodeRef", "ClassRef", "PrefVendorRef", "ReorderPoint",
         "ManPartNum", "AbatementRate", "ReverseChargeRate", "ServiceType", "ItemCategoryType", "TaxClassificationRef", "UQCId",
         "UQCDisplayText", "Source", "DeferredRevenue", "RatePercent"}
    )  # fmt: skip

    Name: str = Field(max_length=100)
    Sku: str | None = Field(None, max_length=100)
    Description: str | None = Field(None, max_length=4000)
    Type: Literal["Service", "NonInventory", "Inventory", "Category"] = "Service"
    UnitPrice: float | None = None
    Taxable: bool = False
    SubItem: bool = False
    ParentRef: str | None = None
    IncomeAccountRef: str | None = None
    ExpenseAccountRef: str | None = None
    AssetAccountRef: str | None = None
    PurchaseDesc: str | None = Field(None, max_length=1000)
    PurchaseCost: float | None = None
    TrackQtyOnHand: bool = False
    QtyOnHand: float | None = None
    InvStartDate: str | None = None


ACCOUNT_TYPES: dict[str, tuple[str, str]] = {
    "Bank": ("Asset", "Checking"),
    "Accounts Receivable": ("Asset", "AccountsReceivable"),
    "Other Current Asset": ("Asset", "OtherCurrentAssets"),
    "Fixed Asset": ("Asset", "OtherFixedAssets"),
    "Other Asset": ("Asset", "OtherLongTermAssets"),
    "Accounts Payable": ("Liability", "AccountsPayable"),
    "Credit Card": ("Liability", "CreditCard"),
    "Other Current Liability": ("Liability", "OtherCurrentLiabilities"),
    "Long Term Liability": ("Liability", "OtherLongTermLiabilities"),
    "Equity": ("Equity", "OpeningBalanceEquity"),
    "Income": ("Revenue", "SalesOfProductIncome"),
    "Other Income": ("Revenue", "OtherMiscellaneousIncome"),
    "Cost of Goods Sold": ("Expense", "SuppliesMaterialsCogs"),
    "Expense": ("Expense", "OfficeGeneralAdministrativeExpenses"),
    "Other Expense": ("Expense", "OtherMiscellaneousExpense"),
}
"""Each type's classification, and the subtype it gets where none is given."""

TypeOfAccount = Literal[
    "Bank", "Accounts Receivable", "Other Current Asset", "Fixed Asset", "Other Asset", "Accounts Payable", "Credit Card",
    "Other Current Liability", "Long Term Liability", "Equity", "Income", "Other Income", "Cost of Goods Sold", "Expense", "Other Expense",
]  # fmt: skip


class Account(NameRecord, table=True):
    noun: ClassVar[str] = "account"
    required: ClassVar[tuple[str, ...]] = ("Name",)
    computed: ClassVar[frozenset[str]] = frozenset(
        {"FullyQualifiedName", "Classification", "CurrentBalance", "CurrentBalanceWithSubAccounts"}
    )
    others: ClassVar[frozenset[str]] = frozenset(
        {"TaxCodeRef", "TxnLocationType", "AccountAlias", "OpeningBalance", "OpeningBalanceDate"}
    )

    Name: str = Field(max_length=100)
    SubAccount: bool = False
    ParentRef: str | None = None
    Description: str | None = Field(None, max_length=100)
    AcctNum: str | None = Field(None, max_length=7)
    AccountType: TypeOfAccount
    AccountSubType: str = Field(max_length=100)
    CurrencyRef: str


class Class(NameRecord, table=True):
    noun: ClassVar[str] = "class"
    required: ClassVar[tuple[str, ...]] = ("Name",)
    computed: ClassVar[frozenset[str]] = frozenset({"FullyQualifiedName"})

    Name: str = Field(max_length=100)
    SubClass: bool = False
    ParentRef: str | None = None


class Department(NameRecord, table=True):
    noun: ClassVar[str] = "department"
    required: ClassVar[tuple[str, ...]] = ("Name",)
    computed: ClassVar[frozenset[str]] = frozenset({"FullyQualifiedName"})
    others: ClassVar[frozenset[str]] = frozenset({"Address"})

    Name: str = Field(max_length=100)
    SubDepartment: bool = False
    ParentRef: str | None = None


class Term(NameRecord, table=True):
    noun: ClassVar[str] = "term"
    required: ClassVar[tuple[str, ...]] = ("Name",)

    Name: str = Field(max_length=31)
    Type: Literal["STANDARD", "DATE_DRIVEN"] = "STANDARD"
    DueDays: int | None = Field(None, ge=0, le=999)
    DiscountPercent: float | None = None
    DiscountDays: int | None = Field(None, ge=0, le=999)
    DayOfMonthDue: int | None = Field(None, ge=1, le=31)
    DueNextMonthDays: int | None = Field(None, ge=0, le=999)
    DiscountDayOfMonth: int | None = Field(None, ge=1, le=31)


class PaymentMethod(NameRecord, table=True):
    noun: ClassVar[str] = "payment method"
    required: ClassVar[tuple[str, ...]] = ("Name",)

    Name: str = Field(max_length=31)
    Type: Literal["CREDIT_CARD", "NON_CREDIT_CARD"] = "NON_CREDIT_CARD"
