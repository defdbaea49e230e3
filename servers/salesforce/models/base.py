"""What every sObject has."""

from typing import ClassVar

from legoenv_mcp.app import Row, registry

from .. import fields as f

RATES = {
    "USD": 1.0, "EUR": 0.86, "GBP": 0.75, "CAD": 1.38, "AUD": 1.51, "CHF": 0.8, "JPY": 155.0, "SEK": 9.3, "NOK": 10.1, "DKK": 6.42,
    "PLN": 3.64, "SGD": 1.29, "INR": 89.5, "BRL": 5.4, "MXN": 18.1, "CZK": 20.9, "AED": 3.6725,
}  # fmt: skip
"""Currencies, and how many units of each a US dollar buys."""

CURRENCIES = tuple(RATES)
INDUSTRIES = (
    "Agriculture", "Apparel", "Banking", "Biotechnology", "Chemicals", "Communications", "Construction", "Consulting", "Education",
    "Electronics", "Energy", "Engineering", "Entertainment", "Environmental", "Finance", "Food & Beverage", "Government", "Healthcare",
    "Hospitality", "Insurance", "Machinery", "Manufacturing", "Media", "Not For Profit", "Recreation", "Retail", "Shipping", "Technology",
    "Telecommunications", "Transportation", "Utilities", "Other",
)  # fmt: skip
LEAD_SOURCES = ("Web", "Phone Inquiry", "Partner Referral", "Purchased List", "Other")
RATINGS = ("Hot", "Warm", "Cold")
SALUTATIONS = ("Mr.", "Ms.", "Mrs.", "Dr.", "Prof.", "Mx.")


class Table(Row, registry=registry()):
    """Base of the app's tables."""


class SObject(Table):
    """Base of the sObjects. `operations` are the DML calls that records of the type take; `hidden` are system fields it lacks."""

    prefix: ClassVar[str] = ""
    label: ClassVar[str] = ""
    plural: ClassVar[str] = ""
    operations: ClassVar[frozenset[str]] = frozenset({"create", "update", "delete"})
    hidden: ClassVar[frozenset[str]] = frozenset()
    searchable: ClassVar[bool] = False

    Id: str = f.key()
    IsDeleted: bool = f.checkbox("Deleted", createable=False, updateable=False)
    CreatedDate: str | None = f.system(f.datetime, "Created Date")
    CreatedById: str | None = f.lookup(
        "Created By ID", "User", relation="CreatedBy", createable=False, updateable=False, derived=True
    )
    LastModifiedDate: str | None = f.system(f.datetime, "Last Modified Date")
    LastModifiedById: str | None = f.lookup(
        "Last Modified By ID", "User", relation="LastModifiedBy", createable=False, updateable=False, derived=True
    )
    SystemModstamp: str | None = f.system(f.datetime, "System Modstamp")
    LastViewedDate: str | None = f.system(f.datetime, "Last Viewed Date")
    LastReferencedDate: str | None = f.system(f.datetime, "Last Referenced Date")


SYSTEM_FIELDS = tuple(SObject.model_fields)
NOT_VIEWED = frozenset({"LastViewedDate", "LastReferencedDate"})
SETUP = frozenset({"IsDeleted", "LastViewedDate", "LastReferencedDate"})
READ_ONLY = frozenset[str]()
