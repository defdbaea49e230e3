"""What is to be sent, was sent, and came back."""

from typing import Literal

from legoenv_mcp.app import Field

from .base import Object, Table


class FulfillmentOrder(Table, table=True):
    __tablename__ = "fulfillment_order"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    order_id: int = Field(foreign_key="orders.id", index=True)
    assigned_location_id: int
    # It follows from the units that are left and from the holds.
    status: Literal["open", "in_progress", "scheduled", "cancelled", "on_hold", "incomplete", "closed"] = Field(
        default="open", derived=True
    )
    request_status: str = "unsubmitted"
    fulfill_at: str | None = None
    fulfill_by: str | None = None
    holds: list[Object] = Field(default=[])
    created_at: str
    updated_at: str = Field(derived=True)


class FulfillmentOrderLine(Table, table=True):
    """Units of an order's line to be sent from one location; `committed` of the remaining ones are reserved from its stock."""

    __tablename__ = "fulfillment_order_line"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    fulfillment_order_id: int = Field(foreign_key="fulfillment_order.id", index=True)
    line_item_id: int = Field(foreign_key="line_item.id", index=True)
    variant_id: int | None = None
    inventory_item_id: int | None = None
    quantity: int
    fulfillable_quantity: int = Field(derived=True)
    committed: int = Field(default=0, derived=True)


class Fulfillment(Table, table=True):
    id: int = Field(primary_key=True)
    order_id: int = Field(foreign_key="orders.id", index=True)
    location_id: int
    number: int
    status: Literal["success", "cancelled"] = "success"
    service: str = "manual"
    tracking_company: str | None = None
    tracking_numbers: list[str] = Field(default=[])
    tracking_urls: list[str] = Field(default=[])
    shipment_status: str | None = None
    notify_customer: bool = False
    message: str | None = None
    created_at: str
    updated_at: str = Field(derived=True)


class FulfillmentLine(Table, table=True):
    """Units of a fulfillment; `committed` of them had been reserved and left the stock with it."""

    __tablename__ = "fulfillment_line"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    fulfillment_id: int = Field(foreign_key="fulfillment.id", index=True)
    fulfillment_order_line_id: int = Field(foreign_key="fulfillment_order_line.id", index=True)
    line_item_id: int = Field(foreign_key="line_item.id")
    quantity: int
    committed: int = Field(default=0, derived=True)


class FulfillmentEvent(Table, table=True):
    __tablename__ = "fulfillment_event"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    fulfillment_id: int = Field(foreign_key="fulfillment.id", index=True)
    status: str
    message: str | None = None
    happened_at: str
    created_at: str


class Refund(Table, table=True):
    id: int = Field(primary_key=True)
    order_id: int = Field(foreign_key="orders.id", index=True)
    note: str | None = None
    restock: bool = False
    shipping: int = 0
    discrepancy: int = 0
    transaction_ids: list[int] = Field(default=[])
    processed_at: str
    created_at: str


class RefundLine(Table, table=True):
    __tablename__ = "refund_line"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    refund_id: int = Field(foreign_key="refund.id", index=True)
    line_item_id: int = Field(foreign_key="line_item.id", index=True)
    quantity: int
    restock_type: Literal["no_restock", "cancel", "return"]
    location_id: int | None = None
    subtotal: int
    total_tax: int
