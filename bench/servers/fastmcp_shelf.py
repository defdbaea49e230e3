"""A shelf as one writes it with FastMCP: typed functions over SQLite, served over streamable HTTP without sessions, answering in JSON
(its fastest setting)."""

from typing import Annotated

from fastmcp import FastMCP
from listening import serve
from pydantic import BaseModel, Field
from shelf_sqlite import Shelf

mcp = FastMCP("shelf")
shelf = Shelf()


class Item(BaseModel):
    id: str
    name: str
    kind: str
    amount: float
    count: int
    active: bool
    note: str | None
    tags: list[str]
    created: str
    updated: str


@mcp.tool
async def get_item(id: str) -> Item:
    """Gets one item by its id."""
    return Item(**shelf.get_item(id))


@mcp.tool
async def list_items(kind: str | None = None, limit: Annotated[int, Field(ge=1, le=100)] = 20) -> list[Item]:
    """Lists items of a kind."""
    return [Item(**item) for item in shelf.list_items(kind, limit)]


@mcp.tool
async def add_item(name: str, kind: str = "a", amount: float = 0) -> Item:
    """Adds an item."""
    return Item(**shelf.add_item(name, kind, amount))


if __name__ == "__main__":
    serve(mcp.http_app(path="/mcp", stateless_http=True, json_response=True), "/mcp")
