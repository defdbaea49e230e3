"""A page's content changed as Markdown: what the text still says stays, blocks with their ids; the rest goes to the trash or is made."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import markdown_in
from .blocktypes import MOST, text_of
from .check import dashed, validation
from .markdown_out import chunks, join
from .models import Block, Database, Page, User
from .richtext import PLAIN, fresh_content
from .tree import Node, children, edit, insert, touch

LINES, LENGTH = 10_000, 200_000
"""How much Markdown one request may have read."""


def mentions(ctx: Ctx) -> markdown_in.Mention:
    """Mentions of what there is; others stay text."""

    def mention(kind: str, key: str) -> dict[str, Any] | None:
        if kind == "date":
            made: dict[str, Any] = {"date": {"start": key, "end": None, "time_zone": None}}
            return _run("date", made, key, None)
        row: Any = ctx.db.get({"user": User, "page": Page, "database": Database}.get(kind, Page), dashed(key))
        if row is None or kind not in ("user", "page", "database"):
            return None
        if isinstance(row, User):
            return _run("user", {"user": {"object": "user", "id": row.id}}, f"@{row.name}", None)
        return _run(
            kind, {kind: {"id": row.id}}, row.title or "Untitled", f"https://www.notion.so/{row.id.replace('-', '')}"
        )

    return mention


def _run(kind: str, inner: dict[str, Any], plain: str, href: str | None) -> dict[str, Any]:
    return {
        "type": "mention",
        "mention": {"type": kind, **inner},
        "annotations": {**PLAIN},
        "plain_text": plain,
        "href": href,
    }


def parsed(ctx: Ctx, text: str) -> list[dict[str, Any]]:
    for size, most, what in ((text.count("\n"), LINES, "lines"), (len(text), LENGTH, "characters")):
        if size > most:
            raise validation(f"The markdown has {size} {what}; one request may have {most}.")
    try:
        made = markdown_in.blocks(text, mentions(ctx))
    except markdown_in.TooDeep:
        raise validation(f"The markdown nests tags deeper than {markdown_in.DEEPEST} levels.") from None
    count = sum(map(_size, made))
    if count > MOST:
        raise validation(f"The markdown has {count} blocks; one request may make {MOST}.")
    for one in made:
        one["children"] = [_settled(ctx, child) for child in one["children"]]
    return made


def _settled(ctx: Ctx, made: dict[str, Any]) -> dict[str, Any]:
    """A block below the top, where only the page's own blocks can stay: a reference to one is a copy, to a page a link."""
    if made["type"] != "kept":
        return {**made, "children": [_settled(ctx, child) for child in made["children"]]}
    key = dashed(made["id"])
    block = ctx.db.get(Block, key)
    if block is not None:
        return _copy(ctx, block)
    kind = "database_id" if ctx.db.get(Database, key) else "page_id"
    return {"type": "link_to_page", "content": {"type": kind, kind: key}, "children": []}


def _copy(ctx: Ctx, block: Block) -> dict[str, Any]:
    inner = [_copy(ctx, one) for one in children(ctx, block.id) if isinstance(one, Block)]
    return {"type": block.type, "content": block.content, "children": inner, "info": block.info}


def _size(made: dict[str, Any]) -> int:
    """How many blocks it is, with those within; refuses text of more runs than a block may have."""
    content = made["content"]
    for rich in (content.get("rich_text", []), content.get("caption", []), *content.get("cells", [])):
        if len(rich) > 100:
            raise validation(
                f"body failed validation: a block's rich text should have ≤ `100` items, instead had `{len(rich)}`."
            )
    return 1 + sum(map(_size, made["children"]))


def markdown_of(ctx: Ctx, key: str, *, pages: bool = True) -> str:
    return join(parts(ctx, key, pages=pages))


def parts(ctx: Ctx, key: str, *, pages: bool = True) -> list[tuple[Node, str, str]]:
    def below(parent: str) -> list[Node]:
        return [_fresh(ctx, node) for node in children(ctx, parent)]

    return chunks(below(key), below, pages=pages)


def _fresh(ctx: Ctx, node: Node) -> Node:
    if not isinstance(node, Block):
        return node
    content = fresh_content(ctx, node.content)
    return node if content == node.content else node.model_copy(update={"content": content})


def rewrite(ctx: Ctx, page: Page, new: str, *, may_delete: bool) -> None:
    """Makes the page's content read as `new`."""
    held = parts(ctx, page.id)
    old = join(held)
    if new == old:
        return
    head = _same_start(held, new)
    tail = _same_end(held[head:], new[len(join(held[:head])) :])
    start, end = len(join(held[:head])), len(new) - len("".join(s + t for _, s, t in held[len(held) - tail :]))
    middle = [node for node, _, _ in held[head : len(held) - tail]]
    made = parsed(ctx, new[start:end])
    kept = {dashed(one["id"]) for one in made if one["type"] == "kept"}
    # One block that changed into one of its kind is that block still.
    fresh = [one for one in made if one["type"] != "kept"]
    if len(fresh) == 1 and not kept and len(middle) == 1 and _alike(middle[0], fresh[0]):
        _replace(ctx, middle[0], fresh[0])
    else:
        _exchange(ctx, page, held[head - 1][0].id if head else None, middle, made, kept, may_delete=may_delete)
    ctx.db.update(page, **edit(ctx))


def _same_start(held: list[tuple[Node, str, str]], new: str) -> int:
    """How many blocks at the start the new text leaves as they are."""
    text = ""
    for i, (_, separator, own) in enumerate(held):
        text += separator + own
        if not new.startswith(text) or not (new[len(text) :] == "" or new[len(text) :].startswith("\n")):
            return i
    return len(held)


def _same_end(held: list[tuple[Node, str, str]], new: str) -> int:
    text = ""
    for i, (_, separator, own) in enumerate(reversed(held)):
        text = separator + own + text
        if not new.endswith(text) or (not separator and len(new) > len(text)):
            return i
    return len(held)


def _alike(node: Node, made: dict[str, Any]) -> bool:
    return (
        isinstance(node, Block) and node.type == made["type"] and not made["children"] and "rich_text" in node.content
    )


def _replace(ctx: Ctx, node: Node, made: dict[str, Any]) -> None:
    assert isinstance(node, Block)
    content = (
        {**node.content, **made["content"], "color": node.content.get("color", "default")}
        if "color" in node.content
        else {**node.content, **made["content"]}
    )
    if made["type"] == "callout" and made["content"].get("icon") is None:
        content["icon"] = node.content.get("icon")
    for child in children(ctx, node.id):
        ctx.db.update(child, in_trash=True, **edit(ctx))
    ctx.db.update(node, content=content, text=text_of(content), info=made.get("info", node.info), **edit(ctx))


def _exchange(
    ctx: Ctx, page: Page, after: str | None, middle: list[Node], made: list[dict[str, Any]], kept: set[str], *, may_delete: bool
) -> None:  # fmt: skip
    unknown = kept - {node.id for node in middle}
    if unknown:
        raise validation(
            f"Could not find block with ID: {min(unknown)} in the page; move pages with the move endpoint."
        )
    gone = [node for node in middle if node.id not in kept]
    subpages = [node for node in gone if not isinstance(node, Block)]
    if subpages and not may_delete:
        names = ", ".join(node.title or "Untitled" for node in subpages)
        raise validation(
            f"This operation would delete {len(subpages)} child page(s) or database(s): {names}. "
            "Set allow_deleting_content to true to delete them."
        )
    for node in gone:
        ctx.db.update(node, in_trash=True, **edit(ctx))
    waiting = list[dict[str, Any]]()
    place = after
    for one in [*made, None]:
        if one is not None and one["type"] != "kept":
            waiting.append(one)
            continue
        added = insert(ctx, page, waiting, place, first=place is None) if waiting else []
        waiting = []
        place = dashed(one["id"]) if one is not None else added[-1].id if added else place


def append(ctx: Ctx, parent: Page | Block, text: str) -> list[Block]:
    """Adds Markdown at the end."""
    added = insert(ctx, parent, [one for one in parsed(ctx, text) if one["type"] != "kept"])
    touch(ctx, parent)
    return added
