"""Blocks. https://developers.notion.com/reference/block"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Body, Ctx, Payload, ToolOnly

from ..app import app, version
from ..blocktypes import CONTAINERS, HOLDERS, blocks, changes, text_of, updatable
from ..check import an_object, boolean, failed, refuse, told, validation
from ..models import Block, Database, Page
from ..paging import PageSize, cut, listing
from ..placing import behind
from ..resources import node_json
from ..shapes import Children, Cursor, Position
from ..tree import Node, ancestors, edit, editable, get_node, insert, touch
from ..tree import children as children_of


@app.get("/v1/blocks/{block_id}", tool="API-retrieve-a-block", title="Retrieve a block")
def retrieve_block(ctx: Ctx, block_id: str) -> dict[str, Any]:
    """Retrieves a block. A page is a block of type child_page, a database one of type child_database.

    block_id: The id of the block, page or database.
    """
    return node_json(ctx, get_node(ctx, block_id, "path.block_id"))


@app.get("/v1/blocks/{block_id}/children", tool="API-get-block-children", title="Retrieve block children")
def list_children(
    ctx: Ctx, block_id: str, start_cursor: Cursor = MISSING, page_size: PageSize | MISSING = MISSING
) -> dict[str, Any]:
    """Lists the blocks directly in a page or block, in order. A block with `has_children` is listed in turn by its own id.

    block_id: The id of the page or block.
    start_cursor: The `next_cursor` of an earlier answer.
    page_size: How many blocks to return, at most 100; 25 by default.
    """
    node = get_node(ctx, block_id, "path.block_id")
    found = [] if isinstance(node, Database) else children_of(ctx, node.id)
    taken, cursor = cut(ctx, found, lambda one: one.id, start_cursor, page_size, "query")
    return listing("block", [node_json(ctx, one) for one in taken], cursor)


@app.patch(
    "/v1/blocks/{block_id}/children", tool="API-patch-block-children", title="Append block children", effect="create"
)
def append_children(
    ctx: Ctx,
    block_id: str,
    children: Children,
    after: str | MISSING = MISSING,
    position: Annotated[Position | MISSING, Body(mcp=False)] = MISSING,
) -> dict[str, Any]:
    """Adds blocks to a page or block: at the end, or behind the block named by `after`. At most 100 blocks and two levels of children
    in one request. For Markdown text, update-page-markdown is the shorter way.

    block_id: The id of the page or block to add to.
    children: The blocks: [{"type": "to_do", "to_do": {"rich_text": [{"text": {"content": "..."}}], "checked": false}}]. Children of a block
        stand under its type: {"toggle": {"rich_text": [...], "children": [...]}}.
    after: The id of the block behind which to add; it must stand directly in `block_id`.
    """
    node = get_node(ctx, block_id, "path.block_id")
    editable(ctx, node)
    if after is not MISSING and version(ctx) == "2026-03-11":
        refuse("body.after", "not present", after)
    if isinstance(node, Database) or (isinstance(node, Block) and node.type not in CONTAINERS):
        raise validation("Block does not support children.")
    made = blocks(ctx, children, "body.children", node.type if isinstance(node, Block) else "child_page")
    _fits(node, made)
    where, first = behind(ctx, position, after)
    added = insert(ctx, node, made, where, first=first)
    touch(ctx, node)
    return listing("block", [node_json(ctx, one) for one in added], None)


def _fits(node: Page | Block, made: list[dict[str, Any]]) -> None:
    """Tables hold nothing but rows of their width, column lists nothing but columns."""
    kind = node.type if isinstance(node, Block) else "child_page"
    wanted = next((held for held, holder in HOLDERS.items() if holder == kind), None)
    for one in made:
        if wanted and one["type"] != wanted:
            raise validation(f"Only {wanted} blocks can be children of a {kind} block.")
        if kind == "table" and len(one["content"]["cells"]) != getattr(node, "content", {}).get("table_width"):
            raise validation("Number of cells in table row must match the table width of the parent table.")
    if isinstance(node, Block) and kind.startswith("heading_") and not node.content.get("is_toggleable"):
        raise validation("Block does not support children.")


@app.patch("/v1/blocks/{block_id}", tool="API-update-a-block", title="Update a block")
def update_block(
    ctx: Ctx,
    block_id: str,
    type: Annotated[dict[str, Any] | MISSING, ToolOnly()] = MISSING,
    in_trash: Annotated[bool | MISSING, ToolOnly()] = MISSING,
    body: Annotated[Any | MISSING, Payload(mcp=False)] = MISSING,
) -> dict[str, Any]:
    """Updates a block's content, or moves it to the trash or back. Only the fields that are given change; rich text is replaced as a
    whole. Type and children of a block cannot be changed.

    block_id: The id of the block.
    type: The new content under the block's type: {"paragraph": {"rich_text": [{"text": {"content": "..."}}]}}
        or {"to_do": {"checked": true}}.
    in_trash: true moves the block to the trash, false restores it.
    """
    node = get_node(ctx, block_id, "path.block_id")
    given: dict[str, Any] = an_object(body, "body") if body is not MISSING and body is not None else {}
    if not ctx.request.method:
        given = {**(type if type is not MISSING else {}), **({"in_trash": in_trash} if in_trash is not MISSING else {})}
    trash = _trash(ctx, given)
    named = [name for name in given if name in updatable()]
    for name in given:
        if name not in (*updatable(), "archived", "in_trash", "type", "object"):
            refuse(f"body.{name}", "not present", given[name])
    if trash is not None and trash != node.in_trash:
        _move(ctx, node, trash)
    if not named:
        if trash is None:
            kind = node.type if isinstance(node, Block) else "archived"
            raise failed(told(f"body.{kind}", "defined"))
        return node_json(ctx, node)
    if not isinstance(node, Block):
        raise validation(
            "The content of a child_page or child_database block is updated through the page or the database."
        )
    editable(ctx, node)
    if named != [node.type]:
        wrong = next(name for name in named if name != node.type)
        if node.type not in named:
            raise failed(told(f"body.{node.type}", "defined"), told(f"body.{wrong}", "not present", given[wrong]))
        refuse(f"body.{wrong}", "not present", given[wrong])
    content = {**node.content, **changes(ctx, node.type, given[node.type], f"body.{node.type}")}
    _keeps_its_shape(ctx, node, content)
    ctx.db.update(node, content=content, text=text_of(content), **edit(ctx))
    touch(ctx, node)
    return node_json(ctx, node)


def _trash(ctx: Ctx, given: dict[str, Any]) -> bool | None:
    for name in ("in_trash", "archived"):
        if name in given:
            return boolean(ctx, given[name], f"body.{name}")
    return None


def _keeps_its_shape(ctx: Ctx, node: Block, content: dict[str, Any]) -> None:
    if node.type == "table_row" and len(content["cells"]) != len(node.content["cells"]):
        raise validation("Number of cells in table row must match the table width of the parent table.")
    if node.type.startswith("heading_") and not content.get("is_toggleable") and children_of(ctx, node.id):
        raise validation("A heading with children must stay toggleable.")


def _move(ctx: Ctx, node: Node, trash: bool) -> None:
    """Into the trash, or out of it."""
    if any(one.in_trash for one in ancestors(ctx, node)):
        raise validation(
            "Can't edit block on block with an archived ancestor. You must unarchive the ancestor before editing block."
        )
    ctx.db.update(node, in_trash=trash, **edit(ctx))
    touch(ctx, node)


@app.delete("/v1/blocks/{block_id}", tool="API-delete-a-block", title="Delete a block")
def delete_block(ctx: Ctx, block_id: str) -> dict[str, Any]:
    """Moves a block, with its children, to the trash. A page or database goes the same way by its id. `update-a-block` with in_trash
    false brings it back.

    block_id: The id of the block, page or database.
    """
    node = get_node(ctx, block_id, "path.block_id")
    editable(ctx, node)
    _move(ctx, node, True)
    return node_json(ctx, node)
