"""The shop, its places, products, collections and stock."""

from typing import Literal

from legoenv_mcp.app import Field

from .base import Object, Table


class Shop(Table, table=True):
    id: int = Field(primary_key=True)
    name: str
    email: str
    domain: str
    myshopify_domain: str
    shop_owner: str
    currency: str
    country_code: str
    country_name: str
    iana_timezone: str
    phone: str = ""
    plan_name: str = "professional"
    primary_location_id: int
    last_order_number: int = Field(default=1000, derived=True)
    last_draft_number: int = Field(default=0, derived=True)
    created_at: str


class Location(Table, table=True):
    id: int = Field(primary_key=True)
    name: str
    address1: str | None = None
    address2: str | None = None
    city: str | None = None
    zip: str | None = None
    province: str | None = None
    country_code: str = "US"
    phone: str | None = None
    active: bool = True
    created_at: str
    updated_at: str = Field(derived=True)


class Product(Table, table=True):
    id: int = Field(primary_key=True)
    title: str
    body_html: str | None = None
    vendor: str = ""
    product_type: str = ""
    handle: str = Field(index=True)
    status: Literal["active", "archived", "draft"] = "active"
    tags: list[str] = Field(default=[])
    template_suffix: str | None = None
    published_scope: str = "web"
    published_at: str | None = None
    options: list[Object] = Field(default=[])
    created_at: str
    updated_at: str = Field(derived=True)


class Variant(Table, table=True):
    id: int = Field(primary_key=True)
    product_id: int = Field(foreign_key="product.id", index=True)
    inventory_item_id: int = Field(index=True)
    position: int = 1
    option1: str | None = None
    option2: str | None = None
    option3: str | None = None
    price: int = 0
    compare_at_price: int | None = None
    sku: str | None = Field(default=None, index=True)
    barcode: str | None = None
    taxable: bool = True
    requires_shipping: bool = True
    grams: int = 0
    weight_unit: Literal["g", "kg", "oz", "lb"] = "kg"
    inventory_policy: Literal["deny", "continue"] = "deny"
    image_id: int | None = None
    created_at: str
    updated_at: str = Field(derived=True)


class Image(Table, table=True):
    id: int = Field(primary_key=True)
    product_id: int = Field(foreign_key="product.id", index=True)
    position: int = 1
    src: str
    alt: str | None = None
    width: int = 1024
    height: int = 1024
    created_at: str
    updated_at: str = Field(derived=True)


class Collection(Table, table=True):
    id: int = Field(primary_key=True)
    kind: Literal["custom", "smart"]
    title: str
    handle: str = Field(index=True)
    body_html: str | None = None
    sort_order: str = "manual"
    template_suffix: str | None = None
    published_scope: str = "web"
    published_at: str | None = None
    rules: list[Object] = Field(default=[])
    disjunctive: bool = False
    updated_at: str = Field(derived=True)


class Collect(Table, table=True):
    id: int = Field(primary_key=True)
    collection_id: int = Field(foreign_key="collection.id", index=True)
    product_id: int = Field(foreign_key="product.id", index=True)
    position: int = 1
    created_at: str
    updated_at: str = Field(derived=True)


class InventoryItem(Table, table=True):
    __tablename__ = "inventory_item"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    tracked: bool = False
    cost: int | None = None
    country_code_of_origin: str | None = None
    province_code_of_origin: str | None = None
    harmonized_system_code: str | None = None
    created_at: str
    updated_at: str = Field(derived=True)


class InventoryLevel(Table, table=True):
    """Stock at a location: `available` for sale, `committed` to orders that are not shipped yet. Both together are on hand."""

    __tablename__ = "inventory_level"  # pyright: ignore[reportAssignmentType]
    inventory_item_id: int = Field(primary_key=True, foreign_key="inventory_item.id")
    location_id: int = Field(primary_key=True, foreign_key="location.id")
    available: int = 0
    committed: int = Field(default=0, derived=True)
    updated_at: str = Field(derived=True)
