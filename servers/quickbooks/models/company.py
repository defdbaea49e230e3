"""The company, its preferences and attachments; and what the books rest on: postings and links, which follow from transactions."""

from typing import Any, ClassVar

from legoenv_mcp.app import Field

from .base import Record, Table


class CompanyInfo(Record, table=True):
    named: ClassVar[str] = "CompanyName"
    required: ClassVar[tuple[str, ...]] = ("CompanyName",)
    others: ClassVar[frozenset[str]] = frozenset(
        {
            "NameValue",
            "CustomerCommunicationAddr",
            "SupportedLanguages",
            "EmployerId",
            "DefaultTimeZone",
            "CompanyFileName",
            "FiscalYear",
        }
    )
    read_only: ClassVar[frozenset[str]] = frozenset({"CompanyStartDate", "Country"})

    CompanyName: str = Field(max_length=1024)
    LegalName: str | None = Field(None, max_length=1024)
    CompanyAddr: dict[str, Any] | None = None
    LegalAddr: dict[str, Any] | None = None
    Email: str | None = None
    PrimaryPhone: str | None = None
    WebAddr: str | None = None
    CompanyStartDate: str
    FiscalYearStartMonth: str
    Country: str


class Preferences(Record, table=True):
    """Each group of preferences is a column of its name."""

    named: ClassVar[str] = "Id"

    AccountingInfoPrefs: dict[str, Any]
    ProductAndServicesPrefs: dict[str, Any]
    SalesFormsPrefs: dict[str, Any]
    EmailMessagesPrefs: dict[str, Any]
    VendorAndPurchasesPrefs: dict[str, Any]
    TimeTrackingPrefs: dict[str, Any]
    TaxPrefs: dict[str, Any]
    CurrencyPrefs: dict[str, Any]
    ReportPrefs: dict[str, Any]
    OtherPrefs: dict[str, Any]


class Attachable(Record, table=True):
    """A note, or a file, on other objects."""

    named: ClassVar[str] = "FileName"
    read_only: ClassVar[frozenset[str]] = frozenset({"Size", "FileAccessUri", "TempDownloadUri", "content"})
    others: ClassVar[frozenset[str]] = frozenset(
        {"Lat", "Long", "PlaceName", "Tag", "ThumbnailFileAccessUri", "ThumbnailTempDownloadUri", "CustomField"}
    )

    FileName: str | None = Field(None, max_length=1000)
    Note: str | None = Field(None, max_length=2000)
    Category: str | None = Field(None, max_length=100)
    ContentType: str | None = Field(None, max_length=100)
    Size: int | None = None
    content: str | None = None
    AttachableRef: list[dict[str, Any]] = Field(default_factory=list)


class Posting(Table, table=True):
    """A transaction's effect on one account. Debits are positive; `amount` is in cents of home currency, `foreign` of the form's."""

    derived_table: ClassVar[bool] = True

    id: int | None = Field(None, primary_key=True)
    TxnType: str
    TxnId: int = Field(index=True)
    TxnDate: str = Field(index=True)
    account: int = Field(index=True, foreign_key="account.Id")
    amount: int
    foreign: int
    entity_type: str = ""
    entity: str = ""
    class_: str = ""
    department: str = ""
    item: str = ""
    memo: str = ""


class Link(Table, table=True):
    """How much of a payment, credit or order goes to which document, in cents of the form's currency. `was` is the status of an estimate
    before the link closed it."""

    derived_table: ClassVar[bool] = True

    id: int | None = Field(None, primary_key=True)
    TxnType: str
    TxnId: int = Field(index=True)
    ToType: str
    ToId: int = Field(index=True)
    amount: int = 0
    was: str = ""


class Deleted(Table, table=True):
    """A deleted transaction's tombstone, for change data capture."""

    derived_table: ClassVar[bool] = True

    kind: str = Field(primary_key=True)
    Id: int = Field(primary_key=True)
    LastUpdatedTime: str


class Request(Table, table=True):
    """What a `requestid` was answered."""

    derived_table: ClassVar[bool] = True
    hidden_table: ClassVar[bool] = True  # only the same request, sent again, gets the answer

    requestid: str = Field(primary_key=True)
    response: dict[str, Any]
