"""Checkout sessions and payment links. Their pages are for people; an agent makes, changes and ends them."""

from typing import Literal

from legoenv_mcp.app import Field

from .base import Metadata, Object, Table


class CheckoutSession(Table, table=True):
    """`items` holds the line items as `{"id", "price", "quantity", "amount_subtotal", "amount_discount"}`."""

    __tablename__ = "checkout_session"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int
    allow_promotion_codes: bool | None = None
    amount_subtotal: int | None = None
    amount_total: int | None = None
    amount_discount: int = 0
    cancel_url: str | None = None
    client_reference_id: str | None = None
    currency: str | None = None
    customer: str | None = Field(default=None, foreign_key="customer.id")
    customer_email: str | None = None
    discounts: list[Object] = Field(default=[])
    expires_at: int
    items: list[Object] = Field(default=[])
    mode: Literal["payment", "setup", "subscription"]
    payment_link: str | None = None
    status: Literal["open", "complete", "expired"] = "open"
    success_url: str | None = None
    metadata_: Metadata = Field(default={})


class PaymentLink(Table, table=True):
    __tablename__ = "payment_link"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    created: int
    active: bool = True
    after_completion: Object
    allow_promotion_codes: bool = False
    billing_address_collection: Literal["auto", "required"] = "auto"
    currency: str
    customer_creation: Literal["always", "if_required"] = "if_required"
    inactive_message: str | None = None
    items: list[Object] = Field(default=[])
    phone_number_collection: bool = False
    restrictions: Object | None = None
    submit_type: Literal["auto", "book", "donate", "pay", "subscribe"] = "auto"
    url: str
    metadata_: Metadata = Field(default={})
