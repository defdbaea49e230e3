"""One operation of each kind, with no logic of its own."""

from typing import Annotated

from legoenv_mcp.app import MISSING, Ctx, Field

from ..app import app
from ..models import Item


@app.get("/items/{id}", tool="get_item")
def get_item(ctx: Ctx, id: str) -> Item:
    """Gets one item by its id.

    id: The item's id.
    """
    return ctx.require(Item, id)


@app.get("/items", tool="list_items")
def list_items(ctx: Ctx, kind: str | None = None, limit: Annotated[int, Field(ge=1, le=100)] = 20) -> list[Item]:
    """Lists items of a kind.

    kind: Only items of this kind.
    limit: How many at most.
    """
    return ctx.db.find(Item, limit=limit, kind=kind)


@app.post("/items", tool="add_item", status=201)
def add_item(ctx: Ctx, name: str, kind: str = "a", amount: float = 0) -> Item:
    """Adds an item.

    name: Its name.
    kind: Its kind.
    amount: What it is worth.
    """
    now = ctx.timestamp()
    return ctx.db.add(Item(id=ctx.id("it_", 14), name=name, kind=kind, amount=amount, created=now, updated=now))


@app.patch("/items/{id}", tool="update_item")
def update_item(ctx: Ctx, id: str, name: str | MISSING = MISSING, amount: float | MISSING = MISSING) -> Item:
    """Changes the fields that are sent.

    id: The item's id.
    name: Its new name.
    amount: What it is worth now.
    """
    return ctx.db.update(ctx.require(Item, id), **ctx.sent(), updated=ctx.timestamp())
