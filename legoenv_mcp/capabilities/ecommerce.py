"""Shops: products with variants and stock, customers, orders with payments, shipments and refunds."""

from abc import abstractmethod
from typing import Any, ClassVar, Literal

from pydantic import BaseModel

from legoenv_mcp.capabilities.base import Capability, Entity, Plan, lacks


class Variant(BaseModel, frozen=True, extra="forbid"):
    """A saleable form of a product; `stock` None is not tracked."""

    sku: str
    title: str = "Default Title"
    price: float
    compare_at: float | None = None
    stock: int | None = None
    weight_grams: int = 0


class Product(Entity):
    title: str
    description: str = ""
    vendor: str = ""
    kind: str = ""
    tags: tuple[str, ...] = ()
    status: Literal["active", "draft", "archived"] = "active"
    variants: tuple[Variant, ...]
    created: str = ""


class Shopper(Entity):
    """A customer of the shop."""

    first_name: str
    last_name: str
    email: str
    phone: str = ""
    street: str = ""
    city: str = ""
    state: str = ""
    postal_code: str = ""
    country: str = ""
    accepts_marketing: bool = False
    tags: tuple[str, ...] = ()
    note: str = ""
    created: str = ""

    @property
    def name(self) -> str:
        return f"{self.first_name} {self.last_name}"


class OrderLine(BaseModel, frozen=True, extra="forbid"):
    """`price` is a unit's; `refunded` and `shipped` count units."""

    sku: str
    quantity: int
    price: float
    shipped: int = 0
    refunded: int = 0


class Order(Entity):
    """An order. `number` is the one customers see; `shopper` a Shopper's key; `given_back` is what a view shows of money refunded."""

    number: int
    shopper: str
    lines: tuple[OrderLine, ...]
    shipping: float = 0
    tax: float = 0
    discount: float = 0
    currency: str = "USD"
    paid: bool = True
    cancelled: str = ""
    tracking: str = ""
    carrier: str = ""
    note: str = ""
    tags: tuple[str, ...] = ()
    created: str = ""
    given_back: float = 0

    @property
    def total(self) -> float:
        """What the customer pays for all of it."""
        goods = sum(round(line.price * 100) * line.quantity for line in self.lines)
        return (goods + sum(round(v * 100) for v in (self.shipping, self.tax, -self.discount))) / 100


class Ecommerce(Capability):
    name = "ecommerce"
    entities: ClassVar[tuple[type[Entity], ...]] = (Product, Shopper, Order)

    @abstractmethod
    def search_products(self, text: str) -> Plan: ...
    @abstractmethod
    def get_product(self, product_id: str) -> Plan: ...
    @abstractmethod
    def list_orders(self) -> Plan: ...
    @abstractmethod
    def get_order(self, order_id: str) -> Plan: ...
    @abstractmethod
    def get_order_lines(self, order_id: str) -> Plan: ...
    def create_order(self, variant_id: str, quantity: int, email: str) -> Plan:
        return lacks(self, "create_order")

    def cancel_order(self, order_id: str) -> Plan:
        return lacks(self, "cancel_order")

    def refund_order(self, order_id: str) -> Plan:
        """Gives back the whole order."""
        return lacks(self, "refund_order")

    def ship_order(self, order_id: str, tracking: str, carrier: str) -> Plan:
        return lacks(self, "ship_order")

    def update_product(self, product_id: str, **changes: Any) -> Plan:
        """Changes any of title, description, status, tags."""
        return lacks(self, "update_product")

    def adjust_stock(self, product_id: str, sku: str, by: int) -> Plan:
        return lacks(self, "adjust_stock")

    def find_customer(self, email: str) -> Plan:
        return lacks(self, "find_customer")

    def find_order(self, number: int) -> Plan:
        return lacks(self, "find_order")

    def list_customer_orders(self, customer_id: str) -> Plan:
        return lacks(self, "list_customer_orders")

    def refund_line(self, order_id: str, sku: str, quantity: int) -> Plan:
        """Gives back so many units of one article, with their tax and without the shipping."""
        return lacks(self, "refund_line")

    def update_order(self, order_id: str, **changes: Any) -> Plan:
        """Changes any of note, tags."""
        return lacks(self, "update_order")

    def update_customer(self, customer_id: str, **changes: Any) -> Plan:
        """Changes any of first_name, last_name, email, phone, note, tags."""
        return lacks(self, "update_customer")
