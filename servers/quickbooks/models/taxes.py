"""Tax agencies, rates and codes, and the currencies in use."""

from typing import Any, ClassVar

from legoenv_mcp.app import Field

from .base import NameRecord, Record


class TaxAgency(Record, table=True):
    named: ClassVar[str] = "DisplayName"
    required: ClassVar[tuple[str, ...]] = ("DisplayName",)
    others: ClassVar[frozenset[str]] = frozenset({"TaxRegistrationNumber", "LastFileDate", "TaxAgencyConfig"})

    DisplayName: str = Field(max_length=100)
    TaxTrackedOnSales: bool = True
    TaxTrackedOnPurchases: bool = False


class TaxRate(NameRecord, table=True):
    Name: str = Field(max_length=100)
    Description: str | None = None
    RateValue: float = Field(ge=0, le=100)
    AgencyRef: str
    SpecialTaxType: str = "NONE"
    DisplayType: str = "ReadOnly"


class TaxCode(NameRecord, table=True):
    """`Code` is the id that callers see: two of them, TAX and NON, are words."""

    Code: str = Field(unique=True)
    Name: str = Field(max_length=10)
    Description: str | None = None
    Taxable: bool = True
    TaxGroup: bool = False
    rates: list[str] = Field(default_factory=list)


class CompanyCurrency(NameRecord, table=True):
    required: ClassVar[tuple[str, ...]] = ("Code",)
    others: ClassVar[frozenset[str]] = frozenset({"CustomField"})

    Code: str = Field(max_length=3)
    Name: str = Field(max_length=100)


class ExchangeRate(Record, table=True):
    """What a unit of a currency is worth in home currency, from a day on."""

    SourceCurrencyCode: str = Field(max_length=3)
    TargetCurrencyCode: str = Field(max_length=3)
    Rate: float
    AsOfDate: str


def rate_list(kind: str, rates: list[str]) -> dict[str, Any]:
    """A code's rates in the shape that answers have."""
    return {
        "TaxRateDetail": [
            {"TaxRateRef": {"value": rate}, "TaxTypeApplicable": kind, "TaxOrder": 0} for rate in rates
        ]
    }  # fmt: skip
