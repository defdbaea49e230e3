"""Shopify's resources as tables."""

from .base import Object, Table, new
from .catalog import Collect, Collection, Image, InventoryItem, InventoryLevel, Location, Product, Shop, Variant
from .extras import Event, Metafield, Webhook
from .sales import Customer, CustomerAddress, DiscountCode, DraftOrder, LineItem, Order, PriceRule, Transaction
from .shipping import (
    Fulfillment,
    FulfillmentEvent,
    FulfillmentLine,
    FulfillmentOrder,
    FulfillmentOrderLine,
    Refund,
    RefundLine,
)

__all__ = [
    "Collect", "Collection", "Customer", "CustomerAddress", "DiscountCode", "DraftOrder", "Event", "Fulfillment",
    "FulfillmentEvent", "FulfillmentLine", "FulfillmentOrder", "FulfillmentOrderLine", "Image", "InventoryItem",
    "InventoryLevel", "LineItem", "Location", "Metafield", "Object", "Order", "PriceRule", "Product", "Refund",
    "RefundLine", "Shop", "Table", "Transaction", "Variant", "Webhook", "new",
]  # fmt: skip
