"""Customers, orders, drafts, payments and discounts."""

from typing import Literal

from legoenv_mcp.app import Field

from .base import Object, Table


class Customer(Table, table=True):
    id: int = Field(primary_key=True)
    email: str | None = Field(default=None, index=True)
    first_name: str | None = None
    last_name: str | None = None
    phone: str | None = None
    note: str | None = None
    tags: list[str] = Field(default=[])
    state: Literal["disabled", "invited", "enabled", "declined"] = "disabled"
    verified_email: bool = True
    tax_exempt: bool = False
    currency: str = "USD"
    marketing_state: Literal["not_subscribed", "pending", "subscribed", "unsubscribed"] = "not_subscribed"
    opt_in_level: Literal["single_opt_in", "confirmed_opt_in", "unknown"] = "single_opt_in"
    consent_updated_at: str | None = None
    created_at: str
    updated_at: str = Field(derived=True)


class CustomerAddress(Table, table=True):
    __tablename__ = "customer_address"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    customer_id: int = Field(foreign_key="customer.id", index=True)
    default: bool = False
    address: Object = Field(default={})


class Order(Table, table=True):
    __tablename__ = "orders"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    order_number: int = Field(index=True)
    customer_id: int | None = Field(default=None, index=True)
    email: str = ""
    phone: str | None = None
    currency: str = "USD"
    note: str | None = None
    note_attributes: list[Object] = Field(default=[])
    tags: list[str] = Field(default=[])
    test: bool = False
    taxes_included: bool = False
    buyer_accepts_marketing: bool = False
    source_name: str = "web"
    shipping_address: Object | None = None
    billing_address: Object | None = None
    discount_codes: list[Object] = Field(default=[])
    shipping_lines: list[Object] = Field(default=[])
    tax_lines: list[Object] = Field(default=[])
    total_line_items_price: int = 0
    total_discounts: int = 0
    total_shipping: int = 0
    total_tax: int = 0
    total_price: int = 0
    financial_status: str = Field(default="pending", derived=True)
    fulfillment_status: str | None = Field(default=None, derived=True)
    cancel_reason: str | None = None
    cancelled_at: str | None = None
    closed_at: str | None = None
    processed_at: str
    created_at: str = Field(index=True)
    updated_at: str = Field(derived=True)


class LineItem(Table, table=True):
    """A line of an order. `discount` is all that is off it, `own_discount` what is off this line alone.

    `fulfilled`, `refunded` and `removed` count units; what is left of it can be fulfilled.
    """

    __tablename__ = "line_item"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    order_id: int = Field(foreign_key="orders.id", index=True)
    variant_id: int | None = None
    product_id: int | None = None
    title: str
    variant_title: str | None = None
    sku: str | None = None
    vendor: str | None = None
    quantity: int
    price: int
    discount: int = 0
    own_discount: int = 0
    tax: int = 0
    grams: int = 0
    requires_shipping: bool = True
    taxable: bool = True
    gift_card: bool = False
    properties: list[Object] = Field(default=[])
    fulfilled: int = Field(default=0, derived=True)
    refunded: int = Field(default=0, derived=True)
    removed: int = Field(default=0, derived=True)


class Transaction(Table, table=True):
    id: int = Field(primary_key=True)
    order_id: int = Field(foreign_key="orders.id", index=True)
    kind: Literal["authorization", "capture", "sale", "void", "refund"]
    status: Literal["pending", "success", "failure", "error"] = "success"
    amount: int
    currency: str
    gateway: str
    parent_id: int | None = None
    authorization: str | None = None
    message: str | None = None
    source_name: str = "web"
    test: bool = False
    processed_at: str
    created_at: str


class DraftOrder(Table, table=True):
    __tablename__ = "draft_order"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    number: int
    status: Literal["open", "invoice_sent", "completed"] = "open"
    customer_id: int | None = None
    email: str | None = None
    note: str | None = None
    tags: list[str] = Field(default=[])
    note_attributes: list[Object] = Field(default=[])
    line_items: list[Object] = Field(default=[])
    applied_discount: Object | None = None
    shipping_line: Object | None = None
    shipping_address: Object | None = None
    billing_address: Object | None = None
    tax_exempt: bool = False
    order_id: int | None = None
    invoice_sent_at: str | None = None
    completed_at: str | None = None
    created_at: str
    updated_at: str = Field(derived=True)


class PriceRule(Table, table=True):
    __tablename__ = "price_rule"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    title: str
    value_type: Literal["fixed_amount", "percentage"]
    value: int
    target_type: Literal["line_item", "shipping_line"]
    target_selection: Literal["all", "entitled"]
    allocation_method: Literal["each", "across"]
    customer_selection: Literal["all", "prerequisite"]
    once_per_customer: bool = False
    usage_limit: int | None = None
    allocation_limit: int | None = None
    details: Object = Field(default={})
    starts_at: str
    ends_at: str | None = None
    created_at: str
    updated_at: str = Field(derived=True)


class DiscountCode(Table, table=True):
    __tablename__ = "discount_code"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    price_rule_id: int = Field(foreign_key="price_rule.id", index=True)
    code: str = Field(index=True)
    usage_count: int = Field(default=0, derived=True)
    created_at: str
    updated_at: str = Field(derived=True)
