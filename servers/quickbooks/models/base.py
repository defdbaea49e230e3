"""What every object has, and what is said of objects as such: which fields exist beside the columns, which are not the caller's."""

from typing import Any, ClassVar

from legoenv_mcp.app import Field, Row, registry

REALM = "9341453172468000"
"""The company that the credentials are for. Every world has one company, and its books are these."""


class Table(Row, registry=registry()):
    """Base of the app's tables."""


class Record(Table):
    """An object of the API. Columns are its fields under their own names; a reference is the id it refers to.

    `computed` are fields that answers have and requests may repeat, and that no column holds; `read_only` the columns that callers
    do not set; `others` the documented fields without an effect here, which are kept in `more` and given back as they came.
    """

    computed: ClassVar[frozenset[str]] = frozenset()
    read_only: ClassVar[frozenset[str]] = frozenset()
    others: ClassVar[frozenset[str]] = frozenset()
    required: ClassVar[tuple[str, ...]] = ()
    noun: ClassVar[str] = ""
    """What a duplicate name's refusal calls it; empty for objects without a unique name."""
    named: ClassVar[str] = "Name"
    """The field that references show as the object's name."""
    transaction: ClassVar[bool] = False

    Id: int = Field(primary_key=True)
    SyncToken: int = Field(0, derived=True)
    CreateTime: str
    LastUpdatedTime: str = Field(derived=True)
    more: dict[str, Any] = Field(default_factory=dict)


class NameRecord(Record):
    """A list object. It is never deleted, only made inactive."""

    Active: bool = True


class Transaction(Record):
    """A transaction. `Voided` is ours: the API shows a void by its zero amounts and its note."""

    transaction: ClassVar[bool] = True
    computed: ClassVar[frozenset[str]] = frozenset({"HomeTotalAmt", "HomeBalance", "LinkedTxn"})
    others: ClassVar[frozenset[str]] = frozenset(
        {
            "CustomField",
            "TxnSource",
            "TransactionLocationType",
            "TxnStatus",
            "AttachableRef",
            "RecurDataRef",
            "Tag",
            "ProjectRef",
        }
    )

    DocNumber: str | None = Field(None, max_length=21)
    TxnDate: str
    CurrencyRef: str
    ExchangeRate: float = 1
    PrivateNote: str | None = Field(None, max_length=4000)
    TotalAmt: float = 0
    Line: list[dict[str, Any]] = Field(default_factory=list)
    Voided: bool = False
