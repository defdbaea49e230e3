"""Stock at locations: available, committed to orders, and both together on hand."""

from legoenv_mcp.app import Ctx

from .errors import not_found, refused
from .models import InventoryItem, InventoryLevel, Location, Variant
from .resources import the_shop

MOST = 1_000_000_000


def level_of(ctx: Ctx, item: int, location: int) -> InventoryLevel | None:
    return ctx.db.get(InventoryLevel, (item, location))


def move(ctx: Ctx, level: InventoryLevel, available: int = 0, committed: int = 0) -> None:
    """Adds to a level's counts; refused beyond what Shopify counts."""
    if abs(level.available + available) > MOST:
        raise refused("available", f"must be between -{MOST} and {MOST}")
    ctx.db.update(
        level,
        available=level.available + available,
        committed=level.committed + committed,
        updated_at=ctx.timestamp(),
    )


def connect(ctx: Ctx, item: int, location: int, available: int = 0) -> InventoryLevel:
    """The item's level at a location, made where it is not stocked there."""
    found = level_of(ctx, item, location)
    return found or ctx.db.add(
        InventoryLevel(inventory_item_id=item, location_id=location, available=available, updated_at=ctx.timestamp())
    )


def the_item(ctx: Ctx, key: int) -> InventoryItem:
    item = ctx.db.get(InventoryItem, key)
    if item is None:
        raise not_found()
    return item


def the_location(ctx: Ctx, key: int) -> Location:
    place = ctx.db.get(Location, key)
    if place is None:
        raise not_found()
    return place


def places(ctx: Ctx) -> list[Location]:
    """The locations that orders are sent from, the shop's own first."""
    primary = the_shop(ctx).primary_location_id
    return sorted(ctx.db.find(Location, active=True), key=lambda place: (place.id != primary, place.id))


def route(ctx: Ctx, variant: Variant | None, quantity: int) -> int:
    """The location that a line is sent from: the first that has enough, else the first that stocks it, else the shop's own."""
    open_places = places(ctx)
    primary = open_places[0].id if open_places else the_shop(ctx).primary_location_id
    if variant is None:
        return primary
    levels = {
        level.location_id: level for level in ctx.db.find(InventoryLevel, inventory_item_id=variant.inventory_item_id)
    }
    stocked = [place.id for place in open_places if place.id in levels]
    enough = [key for key in stocked if levels[key].available >= quantity]
    return next(iter((*enough, *stocked)), primary)


def tracked_level(ctx: Ctx, item_id: int | None, location: int) -> InventoryLevel | None:
    """The level that a shipment or return moves: none where the item is not tracked."""
    item = ctx.db.get(InventoryItem, item_id) if item_id is not None else None
    if item is None or not item.tracked:
        return None
    return level_of(ctx, item.id, location)
