"""The tree of pages, databases and blocks: what stands in what, in which order, and what the trash does to it."""

from collections.abc import Iterable, Iterator
from typing import Any

from legoenv_mcp.app import Ctx

from .app import missing
from .blocktypes import CONTAINERS, text_of
from .check import uid, validation
from .models import Block, Database, DataSource, Page, ParentType, User

Node = Block | Page | Database

_STEP = 1024
_DEEPEST = 200


def bot(ctx: Ctx) -> User:
    """The integration whose token calls."""
    found = ctx.db.first(User, type="bot")
    assert found is not None
    return found


def stamp(ctx: Ctx) -> dict[str, Any]:
    """The columns of a new row that say when it was made, and by whom."""
    now, me = ctx.timestamp(), bot(ctx).id
    return {"created_time": now, "created_by": me, "last_edited_time": now, "last_edited_by": me}


def edit(ctx: Ctx) -> dict[str, Any]:
    return {"last_edited_time": ctx.timestamp(), "last_edited_by": bot(ctx).id}


# Upwards


def above(ctx: Ctx, node: Page | Block | Database | DataSource) -> Page | Block | Database | DataSource | None:
    """What a node stands in; None in the workspace."""
    if isinstance(node, DataSource):
        return ctx.db.get(Database, node.database)
    match node.parent_type:
        case "page_id":
            return ctx.db.get(Page, node.parent)
        case "block_id":
            return ctx.db.get(Block, node.parent)
        case "data_source_id":
            return ctx.db.get(DataSource, node.parent)
        case "database_id":
            return ctx.db.get(Database, node.parent)
        case _:
            return None


def ancestors(ctx: Ctx, node: Page | Block | Database | DataSource) -> Iterator[Page | Block | Database | DataSource]:
    """What a node stands in, from its parent up."""
    at = above(ctx, node)
    for _ in range(_DEEPEST):
        if at is None:
            return
        yield at
        at = above(ctx, at)


def visible(ctx: Ctx, node: Page | Block | Database | DataSource) -> bool:
    """Whether the integration has access: it has none below a page that is not shared with it."""
    return all(one.shared for one in (node, *ancestors(ctx, node)) if isinstance(one, Page))


def trashed(ctx: Ctx, node: Page | Block | Database | DataSource) -> bool:
    """Whether a node or anything it stands in lies in the trash."""
    return node.in_trash or any(one.in_trash for one in ancestors(ctx, node))


def page_of(ctx: Ctx, node: Node) -> Page | None:
    """The page whose content a block is part of."""
    return next((one for one in (node, *ancestors(ctx, node)) if isinstance(one, Page)), None)


# Looking up. An object that is not shared is as good as absent.


def _shown(ctx: Ctx, node: Any, kind: str, key: str) -> Any:
    if node is None or not visible(ctx, node):
        raise missing(kind, key)
    return node


def get_page(ctx: Ctx, value: str, path: str) -> Page:
    key = uid(value, path)
    found = ctx.db.get(Page, key)
    if found is None:
        for model, word in ((Database, "database"), (Block, "block")):
            other = ctx.db.get(model, key)
            if other is not None and visible(ctx, other):
                raise validation(f"Provided ID {key} is a {word}, not a page. Use the retrieve {word} API instead.")
    return _shown(ctx, found, "page", key)


def get_database(ctx: Ctx, value: str, path: str) -> Database:
    key = uid(value, path)
    page = ctx.db.get(Page, key)
    if page is not None and visible(ctx, page):
        raise validation(
            f"Provided database_id {key} is a page, not a database. Use the pages API instead, or pass the ID of the database itself."
        )
    return _shown(ctx, ctx.db.get(Database, key), "database", key)


def get_data_source(ctx: Ctx, value: str, path: str) -> DataSource:
    key = uid(value, path)
    return _shown(ctx, ctx.db.get(DataSource, key), "data_source", key)


def get_node(ctx: Ctx, value: str, path: str) -> Node:
    """A block; pages and databases are blocks, too."""
    key = uid(value, path)
    found = ctx.db.get(Block, key) or ctx.db.get(Page, key) or ctx.db.get(Database, key)
    return _shown(ctx, found, "block", key)


def editable(ctx: Ctx, node: Page | Block | Database | DataSource) -> None:
    """Refuses to edit what lies in the trash."""
    kind = type(node).__name__.lower() if isinstance(node, (Page, Database)) else "block"
    if node.in_trash:
        raise validation("Can't edit block that is archived. You must unarchive the block before editing.")
    if any(one.in_trash for one in ancestors(ctx, node)):
        raise validation(
            f"Can't edit {kind} on block with an archived ancestor. You must unarchive the ancestor before editing {kind}."
        )


# Downwards


def children(ctx: Ctx, parent: str) -> list[Node]:
    """What stands in a page or block, in order, without what is in the trash."""
    found: list[Node] = [
        *ctx.db.find(Block, parent=parent, in_trash=False),
        *ctx.db.find(Page, parent=parent, in_trash=False, parent_type__in=("page_id", "block_id")),
        *ctx.db.find(Database, parent=parent, in_trash=False),
    ]
    return sorted(found, key=lambda node: (node.position, node.id))


def has_children(ctx: Ctx, node: Node) -> bool:
    if isinstance(node, Database):
        return False
    if isinstance(node, Block) and node.type not in CONTAINERS:
        return False
    return bool(children(ctx, node.id))


def _all_in(ctx: Ctx, parent: str) -> list[Node]:
    """As `children`, with those in the trash, whose places are kept."""
    found: list[Node] = [
        *ctx.db.find(Block, parent=parent), *ctx.db.find(Page, parent=parent), *ctx.db.find(Database, parent=parent),
    ]  # fmt: skip
    return sorted(found, key=lambda node: (node.position, node.id))


def places(ctx: Ctx, parent: str, count: int, after: str | None = None, *, first: bool = False) -> list[int]:
    """`count` positions in a page or block: behind one of its children, ahead of all, or at the end."""
    there = _all_in(ctx, parent)
    if after is None and not first:
        last = there[-1].position if there else 0
        return [last + _STEP * (i + 1) for i in range(count)]
    index = 0
    if not first:
        found = [i for i, node in enumerate(there) if node.id == after and not node.in_trash]
        if not found:
            raise validation(f"Could not find block with ID: {after} among the children of block with ID: {parent}.")
        index = found[0] + 1
    if index == len(there):
        return places(ctx, parent, count)
    low = there[index - 1].position if index else there[0].position - _STEP * (count + 1)
    gap = (there[index].position - low) // (count + 1)
    if gap < 1:
        for i, node in enumerate(there):
            ctx.db.update(node, position=_STEP * (i + 1) + (_STEP * count if i >= index else 0))
        low, gap = _STEP * index, _STEP
    return [low + gap * (i + 1) for i in range(count)]


def insert(
    ctx: Ctx,
    parent: Page | Block,
    made: Iterable[dict[str, Any]],
    after: str | None = None,
    *,
    first: bool = False,
    marks: dict[str, Any] | None = None,
) -> list[Block]:
    """Adds checked blocks, with their children, to a page or block; `marks` say by whom and when, if not by the caller now."""
    blocks = list(made)
    kind: ParentType = "page_id" if isinstance(parent, Page) else "block_id"
    added, marks = list[Block](), marks or stamp(ctx)
    for one, position in zip(blocks, places(ctx, parent.id, len(blocks), after, first=first), strict=True):
        added.append(_add(ctx, one, kind, parent.id, position, marks))
    return added


def _add(ctx: Ctx, made: dict[str, Any], kind: ParentType, parent: str, position: int, marks: dict[str, Any]) -> Block:
    row = ctx.db.add(
        Block(
            id=ctx.uuid(),
            parent_type=kind,
            parent=parent,
            position=position,
            type=made["type"],
            content=made["content"],
            text=text_of(made["content"]),
            info=made.get("info", ""),
            **marks,
        )
    )
    for i, child in enumerate(made["children"]):
        _add(ctx, child, "block_id", row.id, _STEP * (i + 1), marks)
    return row


def touch(ctx: Ctx, node: Node) -> None:
    """The page around a changed block counts as edited."""
    page = page_of(ctx, node)
    if page is not None:
        ctx.db.update(page, **edit(ctx))


def within(ctx: Ctx, node: Page | Database, target: Page | Block | Database | DataSource) -> bool:
    """Whether `target` is the node itself or stands somewhere in it."""
    return any(one.id == node.id for one in (target, *ancestors(ctx, target)))
