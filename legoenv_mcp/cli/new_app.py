"""`legoenv new-app SLUG`: a scaffold that passes lint and its own tests, to be turned into a product."""

import argparse
import re
from pathlib import Path
from typing import Any

from legoenv_mcp.cli.errors import Failure, Usage

FILES = {
    "__init__.py": '"""{name}."""\n',
    "app.toml": (
        'name = "{name}"\nversion = "1.0.0"\ncapabilities = []\ndocs = ""\nauth = "bearer"\nbase_url = "https://api.{slug}.example"\n'
    ),
    "app.py": '''"""How {name} answers: its success bodies, its errors."""

from typing import Any

from legoenv_mcp.app import ApiError, App, Page

from .models import Table


def wrap(result: Any) -> Any:
    if isinstance(result, Page):
        return {{"data": result.items, "next_cursor": result.cursor}}
    return result


def envelope(error: ApiError) -> dict[str, Any]:
    return {{"error": {{"status": error.status, "message": error.message}}}}


app = App("{slug}", Table, wrap, envelope)
''',
    "models.py": '''"""{name}'s resources."""

from typing import Literal

from legoenv_mcp.app import Field, Row, registry


class Table(Row, registry=registry()): ...


class Item(Table, table=True):
    """A resource: rename it, and add the product's own."""

    id: str = Field(primary_key=True)
    name: str = Field(index=True)
    status: Literal["open", "closed"] = "open"
    created_at: str
    updated_at: str = Field(derived=True)
''',
    "seed.py": '''"""What a fresh account has."""

from typing import Any

from legoenv_mcp.app import Ctx

from .models import Item


def seed(ctx: Ctx, organisation: Any, agent: Any) -> None:
    now = ctx.timestamp()
    ctx.db.add(Item(id=ctx.id("item_", 12), name=f"{{organisation.name}}'s first item", created_at=now, updated_at=now))
''',
    "capabilities.py": '''"""The capabilities that {name} has: fill, view and verbs of each (see docs/adding-an-app.md)."""

from typing import Any

provides: dict[str, Any] = {{}}
''',
    "tools/__init__.py": '"""{name}\'s operations, one module a resource."""\n',
    "tools/items.py": '''"""Items."""

from typing import Annotated, Literal

from legoenv_mcp.app import MISSING, Ctx, Field, Page

from ..app import app
from ..models import Item


@app.get("/v1/items", tool="list_items")
def list_items(
    ctx: Ctx,
    status: Literal["open", "closed"] | None = None,
    limit: Annotated[int, Field(ge=1, le=100)] = 20,
    cursor: str | None = None,
) -> Page[Item]:
    """Lists items, oldest first.

    status: Only items of this status.
    limit: How many at a time.
    cursor: Where to go on: `next_cursor` of the answer before.
    """
    return ctx.page(Item, limit=limit, cursor=cursor, order="created_at", status=status)


@app.get("/v1/items/{{id}}", tool="get_item")
def get_item(ctx: Ctx, id: str) -> Item:
    """Gets one item by its id.

    id: The item's id.
    """
    return ctx.require(Item, id)


@app.post("/v1/items", tool="create_item", status=201)
def create_item(ctx: Ctx, name: Annotated[str, Field(min_length=1, max_length=200)]) -> Item:
    """Creates an item.

    name: What it is called.
    """
    now = ctx.timestamp()
    return ctx.db.add(Item(id=ctx.id("item_", 12), name=name, created_at=now, updated_at=now))


@app.patch("/v1/items/{{id}}", tool="update_item")
def update_item(
    ctx: Ctx, id: str, name: str | MISSING = MISSING, status: Literal["open", "closed"] | MISSING = MISSING
) -> Item:
    """Changes the fields that are sent.

    id: The item's id.
    name: Its new name.
    status: Whether it is open or closed.
    """
    return ctx.db.update(ctx.require(Item, id), **ctx.sent(), updated_at=ctx.timestamp())


@app.delete("/v1/items/{{id}}", tool="delete_item", status=204)
def delete_item(ctx: Ctx, id: str) -> None:
    """Deletes an item for good.

    id: The item's id.
    """
    ctx.db.delete(ctx.require(Item, id))
''',
}

TEST = '''"""{name}: what its operations do, through MCP."""

from mcp.client import Client

from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.testing import episode_of


async def test_an_item_is_created_changed_and_gone() -> None:
    episode = episode_of("{slug}")
    async with Client(serve(episode, ["{slug}"])) as agent:
        made = (await agent.call_tool("create_item", {{"name": "New"}})).structured_content
        assert made
        assert [c.kind for c in episode.changes()] == ["insert"]
        await agent.call_tool("update_item", {{"id": made["id"], "status": "closed"}})
        shown = await agent.call_tool("list_items", {{"status": "closed"}})
        assert shown.structured_content
        assert [i["name"] for i in shown.structured_content["data"]] == ["New"]
        await agent.call_tool("delete_item", {{"id": made["id"]}})
        assert (await agent.call_tool("get_item", {{"id": made["id"]}})).is_error
    assert episode.changes() == []


async def test_a_refusal_leaves_no_trace() -> None:
    episode = episode_of("{slug}")
    async with Client(serve(episode, ["{slug}"])) as agent:
        assert (await agent.call_tool("create_item", {{"name": ""}})).is_error
    assert episode.changes() == []
'''


def add_parsers(commands: Any) -> None:
    parser = commands.add_parser("new-app", help="a scaffold for a new app")
    parser.add_argument("slug")
    parser.add_argument("--name", help="the product's name (default: from the slug)")
    parser.add_argument(
        "--folder", type=Path, default=Path(), metavar="DIR", help="where servers/ and tests/ lie (default: here)"
    )
    parser.set_defaults(run=new_app)


def new_app(args: argparse.Namespace) -> int:
    slug = args.slug
    if not re.fullmatch(r"[a-z][a-z0-9_]{1,39}", slug) or "__" in slug:
        raise Usage(f"{slug!r} is no slug: lower-case letters, digits and single underscores, at most 40")
    home, test = args.folder / "servers" / slug, args.folder / "tests" / "apps" / f"test_{slug}.py"
    for path in (home, test):
        if path.exists():
            raise Failure(f"{path} is there already")
    words = {"slug": slug, "name": args.name or slug.replace("_", " ").title()}
    try:
        for name, text in FILES.items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.format(**words), encoding="utf-8")
        test.parent.mkdir(parents=True, exist_ok=True)
        test.write_text(TEST.format(**words), encoding="utf-8")
    except OSError as error:
        raise Failure(f"{error.filename}: {error.strerror}") from None
    print(f"made {home} and {test}")
    print(
        f"next: write its resources and operations (docs/adding-an-app.md), then `legoenv lint {slug}` and `pytest {test}`"
    )
    return 0
