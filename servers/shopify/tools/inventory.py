"""Inventory items, levels and locations. https://shopify.dev/docs/api/admin-rest/2025-01/resources/inventorylevel"""

from typing import Annotated, Any

from pydantic import BeforeValidator

from legoenv_mcp.app import MISSING, Ctx, Field, Reply

from .. import money, stock
from ..app import app
from ..errors import bad, not_found, refused
from ..inputs import Input
from ..models import InventoryItem, InventoryLevel, Location, Variant
from ..paging import Fields, Ids, Limit, PageInfo, RestTime, asked, filters, listing, moment, split
from ..resources import show_item, show_level, show_location
from ..shipping import stop

Count = Annotated[int, Field(ge=-stock.MOST, le=stock.MOST)]
IdList = Annotated[Annotated[list[int], BeforeValidator(split)] | MISSING, "ids whose docstring line says of what"]


class ItemInput(Input):
    """What a variant is as a thing in stock."""

    sku: str | None = Field(default=None, max_length=255, description="Stock keeping unit; the variant's as well.")
    cost: str | None = Field(default=None, description="What one costs the shop.")
    tracked: bool | None = Field(default=None, description="Whether its stock is counted.")
    requires_shipping: bool | None = Field(default=None, description="Whether it is shipped.")
    country_code_of_origin: str | None = Field(
        default=None, max_length=2, description="Two-letter code of the country it comes from."
    )
    province_code_of_origin: str | None = Field(
        default=None, max_length=8, description="Code of the province it comes from."
    )
    harmonized_system_code: str | None = Field(default=None, max_length=13, description="Its code for customs.")


@app.get("/locations", tool="list_locations")
def list_locations(ctx: Ctx, fields: Fields = MISSING) -> dict[str, Any]:
    """Lists the shop's locations, where stock lies and orders are sent from."""
    return {"locations": [show_location(ctx, row) for row in ctx.db.find(Location)]}


@app.get("/locations/count", tool="count_locations", mcp=False)
def count_locations(ctx: Ctx) -> dict[str, int]:
    """Counts the shop's locations."""
    return {"count": ctx.db.count(Location)}


@app.get("/locations/{location_id}", tool="get_location", mcp=False)
def get_location(ctx: Ctx, location_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves a location.

    location_id: The location's id.
    """
    return {"location": show_location(ctx, stock.the_location(ctx, location_id))}


class _Placed:
    """A level as lists need it: levels have no id of their own."""

    def __init__(self, level: InventoryLevel) -> None:
        self.level = level
        self.id = level.inventory_item_id
        self.place = f"{level.inventory_item_id:020d}/{level.location_id:020d}"


def _levels(ctx: Ctx, items: list[int] | None, locations: list[int] | None, since: str | None) -> Reply:
    ask = asked(ctx)
    items, locations = (
        (items, locations) if ask.place is None else (ask.inventory_item_ids, ask.location_ids or locations)
    )
    if not items and not locations:
        raise stop("inventory_item_ids or location_ids must be provided")
    since = moment(ctx, "updated_at_min", ask.updated_at_min) if ask.place else since
    rows = ctx.db.find(InventoryLevel, inventory_item_id__in=items, location_id__in=locations, updated_at__ge=since)
    return listing(
        ctx, ask, "inventory_levels", map(_Placed, rows), lambda p: show_level(ctx, p.level), key=lambda p: p.place
    )


@app.get("/inventory_levels", tool="list_inventory_levels")
def list_inventory_levels(
    ctx: Ctx, inventory_item_ids: IdList = MISSING, location_ids: IdList = MISSING, updated_at_min: RestTime = MISSING,
    limit: Limit = MISSING, page_info: PageInfo = MISSING, fields: Fields = MISSING,
) -> Reply:  # fmt: skip
    """Lists how many of inventory items are available at locations. Items or locations must be named. Null is not tracked.

    inventory_item_ids: Only these inventory items: a variant's `inventory_item_id`.
    location_ids: Only these locations.
    updated_at_min: Only those changed at or after this time.
    """
    items = None if inventory_item_ids is MISSING else inventory_item_ids
    places = None if location_ids is MISSING else location_ids
    for name, ids in (("inventory_item_ids", items), ("location_ids", places)):
        if ids is not None and len(ids) > 50:
            raise bad(name, "cannot have more than 50 ids")
    return _levels(ctx, items, places, moment(ctx, "updated_at_min", updated_at_min))


@app.get("/locations/{location_id}/inventory_levels", tool="list_location_inventory_levels", mcp=False)
def list_location_inventory_levels(
    ctx: Ctx, location_id: int, limit: Limit = MISSING, page_info: PageInfo = MISSING, fields: Fields = MISSING
) -> Reply:
    """Lists how many of each inventory item are available at a location.

    location_id: The location's id.
    """
    return _levels(ctx, None, [stock.the_location(ctx, location_id).id], None)


def _tracked(ctx: Ctx, item_id: int) -> InventoryItem:
    item = stock.the_item(ctx, item_id)
    if not item.tracked:
        raise stop("Inventory item does not have inventory tracking enabled")
    return item


@app.post("/inventory_levels/adjust", tool="adjust_inventory_level", effect="update", status=200, idempotent=False)
def adjust_inventory_level(
    ctx: Ctx, location_id: int, inventory_item_id: int, available_adjustment: Count
) -> dict[str, Any]:
    """Adds to, or with a negative number takes from, what is available of an item at a location where it is stocked.

    location_id: The location's id.
    inventory_item_id: The inventory item's id: a variant's `inventory_item_id`.
    available_adjustment: By how much to change it.
    """
    item = _tracked(ctx, inventory_item_id)
    level = stock.level_of(ctx, item.id, stock.the_location(ctx, location_id).id)
    if level is None:
        raise not_found()
    stock.move(ctx, level, available=available_adjustment)
    return {"inventory_level": show_level(ctx, level)}


@app.post("/inventory_levels/set", tool="set_inventory_level", effect="update", status=200)
def set_inventory_level(
    ctx: Ctx, location_id: int, inventory_item_id: int, available: Count, disconnect_if_necessary: bool = False
) -> dict[str, Any]:
    """Sets what is available of an item at a location. An item that is not stocked there is from then on.

    location_id: The location's id.
    inventory_item_id: The inventory item's id: a variant's `inventory_item_id`.
    available: How many are available.
    disconnect_if_necessary: Whether another service's locations may give the item up.
    """
    item = _tracked(ctx, inventory_item_id)
    level = stock.connect(ctx, item.id, stock.the_location(ctx, location_id).id)
    stock.move(ctx, level, available=available - level.available)
    return {"inventory_level": show_level(ctx, level)}


@app.post("/inventory_levels/connect", tool="connect_inventory_level", status=201, mcp=False)
def connect_inventory_level(
    ctx: Ctx, location_id: int, inventory_item_id: int, relocate_if_necessary: bool = False
) -> dict[str, Any]:
    """Stocks an item at a location, with nothing available yet.

    location_id: The location's id.
    inventory_item_id: The inventory item's id.
    relocate_if_necessary: Whether another service's locations may give the item up.
    """
    item = stock.the_item(ctx, inventory_item_id)
    level = stock.connect(ctx, item.id, stock.the_location(ctx, location_id).id)
    return {"inventory_level": show_level(ctx, level)}


@app.delete("/inventory_levels", tool="delete_inventory_level", mcp=False)
def delete_inventory_level(ctx: Ctx, inventory_item_id: int, location_id: int) -> dict[str, Any]:
    """Takes an item off a location; an item is stocked somewhere always, and stays where units are committed.

    inventory_item_id: The inventory item's id.
    location_id: The location's id.
    """
    level = stock.level_of(ctx, inventory_item_id, location_id)
    if level is None:
        raise not_found()
    if ctx.db.count(InventoryLevel, inventory_item_id=inventory_item_id) == 1:
        raise stop("Inventory item must be stocked at one location at least")
    if level.committed:
        raise stop("Inventory item has committed quantities at the location")
    ctx.db.delete(level)
    return {}


@app.get("/inventory_items", tool="list_inventory_items", mcp=False)
def list_inventory_items(
    ctx: Ctx, ids: Ids = MISSING, limit: Limit = MISSING, page_info: PageInfo = MISSING, fields: Fields = MISSING
) -> Reply:
    """Lists inventory items by their ids."""
    ask = asked(ctx)
    if not ask.ids:
        raise refused("ids", "Required parameter missing or invalid")
    rows = ctx.db.find(InventoryItem, **filters(ctx, ask))
    return listing(ctx, ask, "inventory_items", rows, lambda row: show_item(ctx, row))


@app.get("/inventory_items/{inventory_item_id}", tool="get_inventory_item")
def get_inventory_item(ctx: Ctx, inventory_item_id: int, fields: Fields = MISSING) -> dict[str, Any]:
    """Retrieves an inventory item: a variant's SKU, cost, and whether its stock is tracked.

    inventory_item_id: The inventory item's id: a variant's `inventory_item_id`.
    """
    return {"inventory_item": show_item(ctx, stock.the_item(ctx, inventory_item_id))}


@app.put("/inventory_items/{inventory_item_id}", tool="update_inventory_item")
def update_inventory_item(ctx: Ctx, inventory_item_id: int, inventory_item: ItemInput) -> dict[str, Any]:
    """Changes the fields of an inventory item that are sent.

    inventory_item_id: The inventory item's id.
    inventory_item: What to change.
    """
    item = stock.the_item(ctx, inventory_item_id)
    changes = inventory_item.given("country_code_of_origin", "province_code_of_origin", "harmonized_system_code")
    if inventory_item.tracked is not None:
        changes["tracked"] = inventory_item.tracked
    if inventory_item.has("cost"):
        changes["cost"] = money.cents(inventory_item.cost, "cost") if inventory_item.cost else None
    ctx.db.update(item, **changes, updated_at=ctx.timestamp())
    variant = ctx.db.first(Variant, inventory_item_id=item.id)
    own = inventory_item.given("sku", "requires_shipping")
    own = {name: value for name, value in own.items() if value is not None or name == "sku"}
    if variant is not None and own:
        ctx.db.update(variant, **own, updated_at=ctx.timestamp())
    return {"inventory_item": show_item(ctx, item)}
