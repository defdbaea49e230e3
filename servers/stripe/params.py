"""Parameters that many operations share, and what their values mean.

Stripe's forms have no null: an empty string unsets. `metadata` merges key by key: an empty value removes its key, an empty
string for the whole removes all. https://docs.stripe.com/api/metadata
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict

from legoenv_mcp.app import MISSING, Body, Field

from .errors import refuse


class Params(BaseModel):
    """A nested parameter: unknown members are refused."""

    model_config = ConfigDict(extra="forbid")


class Range(Params):
    """A range of times or dates."""

    gt: int | None = Field(default=None, description="Later than this (Unix seconds).")
    gte: int | None = Field(default=None, description="At or after this (Unix seconds).")
    lt: int | None = Field(default=None, description="Earlier than this (Unix seconds).")
    lte: int | None = Field(default=None, description="At or before this (Unix seconds).")


class Address(Params):
    """A postal address."""

    city: str | None = Field(default=None, description="City, district, suburb, town or village.")
    country: str | None = Field(default=None, description="Two-letter country code (ISO 3166-1 alpha-2).")
    line1: str | None = Field(default=None, description="Street and number, PO box or company name.")
    line2: str | None = Field(default=None, description="Apartment, suite, unit or building.")
    postal_code: str | None = Field(default=None, description="ZIP or postal code.")
    state: str | None = Field(default=None, description="State, county, province or region.")


class Shipping(Params):
    """Where goods go."""

    address: Address = Field(description="Shipping address.")
    name: str = Field(description="Recipient's name.")
    phone: str | None = Field(default=None, description="Recipient's phone.")
    carrier: str | None = Field(default=None, description="The delivery service that ships the goods.")
    tracking_number: str | None = Field(default=None, description="The carrier's tracking number.")


class BillingDetails(Params):
    """Who a payment method belongs to."""

    address: Address | None = Field(default=None, description="Billing address.")
    email: str | None = Field(default=None, description="Email address.")
    name: str | None = Field(default=None, description="Full name.")
    phone: str | None = Field(default=None, description="Billing phone number.")


class DiscountParam(Params):
    """One discount: a coupon, a promotion code or a discount that already exists."""

    coupon: str | None = Field(default=None, description="ID of the coupon.")
    discount: str | None = Field(default=None, description="ID of an existing discount.")
    promotion_code: str | None = Field(default=None, description="ID of the promotion code.")


Expand = Annotated[
    list[str] | MISSING,
    Field(description="Fields to return as whole objects instead of IDs; nested with dots, in lists prefixed `data.`."),
]
ExpandBody = Annotated[list[str] | MISSING, Body(mcp=False)]
Limit = Annotated[int, Field(ge=1, le=100, description="How many objects to return, 1 to 100.")]
After = Annotated[str | MISSING, Field(description="An object's ID: the page starts behind it.")]
Before = Annotated[str | MISSING, Field(description="An object's ID: the page ends ahead of it.")]
Created = Annotated[
    Range | int | MISSING,
    Field(description="Only objects created at this time, or within a range of times (Unix seconds)."),
]
When = Annotated[Range | int | MISSING, "a time, or a range of times, whose docstring line says which"]
Pairs = dict[str, str | int | float | bool | None]
MetadataParam = Annotated[
    Pairs | Literal[""] | MISSING,
    Field(description="Key-value pairs to attach. An empty value removes its key, an empty string all keys."),
]
Text = Annotated[str, Field(max_length=5000)]
Discounts = Annotated[
    list[DiscountParam] | Literal[""] | MISSING, Field(description="Coupons or promotion codes to apply.")
]
TaxRates = Annotated[list[str] | Literal[""] | MISSING, Field(description="IDs of the tax rates to apply.")]
Query = Annotated[
    str,
    Field(description='A query in Stripe\'s search query language, such as `status:"active" AND created>1700000000`.'),
]
Token = Annotated[str | MISSING, Field(description="The `next_page` of the answer before.")]


class AutomaticTax(Params):
    """Whether Stripe Tax calculates the tax."""

    enabled: bool = Field(description="Whether it does.")


AutomaticTaxParam = Annotated[AutomaticTax | MISSING, Body(mcp=False)]


def check_automatic_tax(wanted: Any) -> None:
    """The account is not set up for Stripe Tax: tax rates are applied by hand."""
    if wanted is not MISSING and wanted.enabled:
        raise refuse(
            "You must have a valid head office address to enable automatic tax calculation in test mode. Visit "
            "https://dashboard.stripe.com/test/settings/tax to update it.",
            param="automatic_tax[enabled]",
        )


def merged(current: Mapping[str, str], given: Any) -> dict[str, str]:
    """Metadata after a change; what Stripe's limits forbid is refused."""
    if given is MISSING or given is None:
        return dict(current)
    if given == "":
        return {}
    out = dict(current)
    for key, value in given.items():
        text = _text(value)
        if len(key) > 40:
            raise refuse(f"Metadata keys can have up to 40 characters, but you passed in a key that is {len(key)} characters. Invalid "
                         f"key: {key}", param="metadata")  # fmt: skip
        if len(text) > 500:
            raise refuse(f"Metadata values can have up to 500 characters, but you passed in a value that is {len(text)} characters. "
                         f"Invalid value: {text}", param=f"metadata[{key}]")  # fmt: skip
        if text == "":
            out.pop(key, None)
        else:
            out[key] = text
    if len(out) > 50:
        raise refuse(f"You can only have up to 50 metadata keys, but you passed in {len(out)}.", param="metadata")
    return out


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def given(values: Mapping[str, Any], *skip: str) -> dict[str, Any]:
    """A call's parameters as columns: an empty string is null, nested parameters are plain data, `expand` is none of them."""
    out = dict[str, Any]()
    for name, value in values.items():
        if name == "expand" or name in skip:
            continue
        out[name] = None if value == "" else plain(value)
    return out


def plain(value: Any) -> Any:
    """Nested parameters as data with every key present, as Stripe shows them; empty strings are null."""
    if isinstance(value, BaseModel):
        return {name: plain(inner) for name, inner in value.__dict__.items()}
    if isinstance(value, list):
        return [plain(v) for v in value if v != ""]
    return None if value == "" else value


def times(column: str, wanted: Any) -> dict[str, Any]:
    """A time or a range as filters over a column."""
    if wanted is MISSING or wanted is None:
        return {}
    if isinstance(wanted, int):
        return {column: wanted}
    bounds = {"gt": wanted.gt, "ge": wanted.gte, "lt": wanted.lt, "le": wanted.lte}
    return {f"{column}__{word}": value for word, value in bounds.items() if value is not None}


def asked(value: Any) -> Any:
    """The value of an optional filter, None where it was not given."""
    return None if value is MISSING else value
