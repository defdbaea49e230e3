"""Pages. https://developers.notion.com/reference/page"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Body, Ctx, Query

from ..app import app
from ..blocktypes import blocks
from ..check import nullable, refuse, uid, validation
from ..edits import append
from ..media import cover as cover_check
from ..media import icon as icon_check
from ..models import Block, DataSource, Page
from ..paging import PageSize
from ..placing import Place, behind, page_place
from ..resources import page_json
from ..richtext import plain
from ..schema import find
from ..shapes import Children, Cursor, HiddenFlag, Look, Markdown, PageParent, Position, Properties
from ..shown import shown_property, source_of
from ..tree import ancestors, edit, editable, get_page, insert, places, stamp, touch, within
from ..tree import children as children_of
from ..values import mirrored, numbered, of_data_source, title_only

_Only = Annotated[list[str] | MISSING, Query("filter_properties")]


def _only(given: Any) -> list[str] | None:
    return None if given is MISSING else list(given)


def _values(ctx: Ctx, source: DataSource | None, given: Any) -> tuple[list[dict[str, Any]] | None, dict[str, Any]]:
    if given is MISSING:
        return None, {}
    if source is None:
        return title_only(ctx, given, "body.properties"), {}
    return of_data_source(ctx, source, given, "body.properties")


@app.get("/v1/pages/{page_id}", tool="API-retrieve-a-page", title="Retrieve a page")
def retrieve_page(ctx: Ctx, page_id: str, filter_properties: _Only = MISSING) -> dict[str, Any]:
    """Retrieves a page's properties. Its content is read with the block children or the page markdown tools.

    page_id: The page's id.
    filter_properties: Ids or names of the only properties to return.
    """
    return page_json(ctx, get_page(ctx, page_id, "path.page_id"), _only(filter_properties))


@app.post("/v1/pages", tool="API-post-page", title="Create a page")
def create_page(
    ctx: Ctx,
    parent: PageParent,
    properties: Properties | MISSING = MISSING,
    children: Children | MISSING = MISSING,
    markdown: Markdown | MISSING = MISSING,
    icon: Look = MISSING,
    cover: Look = MISSING,
    position: Position | MISSING = MISSING,
    content: Annotated[Children | MISSING, Body(mcp=False)] = MISSING,
    template: Annotated[dict[str, Any] | MISSING, Body(mcp=False)] = MISSING,
    filter_properties: Annotated[list[str] | MISSING, Query(mcp=False)] = MISSING,
) -> dict[str, Any]:
    """Creates a page in a page, or as an entry of a data source, with properties and content (`markdown` or `children`). Outside a
    data source `title` is the only property: {"title": {"title": [{"text": {"content": "Weekly notes"}}]}}. In one, keys are the names
    of its properties and values their typed values: {"Status": {"status": {"name": "Done"}}, "Due": {"date": {"start": "2026-03-02"}}}.

    parent: Where the page stands: {"page_id": ...}, {"data_source_id": ...} or {"type": "workspace"}.
    properties: The property values by name or id.
    children: The content as block objects, at most 100, two levels of children:
        [{"type": "paragraph", "paragraph": {"rich_text": [{"text": {"content": "..."}}]}}].
    markdown: The content as Markdown, in place of `children`.
    icon: The icon: {"emoji": "..."} or {"external": {"url": "..."}}.
    cover: The cover image: {"external": {"url": "..."}}.
    position: Where in the parent page; at its end by default.
    """
    place = page_place(ctx, parent)
    given = [one for one in (children, content, markdown) if one is not MISSING]
    if len(given) > 1:
        raise validation(
            "body failed validation: only one of body.children, body.content and body.markdown may be present."
        )
    if template is not MISSING and template.get("type") != "none":
        raise validation("The data source has no template to apply.")
    look = {"icon": nullable(icon_check)(ctx, None if icon is MISSING else icon, "body.icon"),
            "cover": nullable(cover_check)(ctx, None if cover is MISSING else cover, "body.cover")}  # fmt: skip
    given_blocks = children if children is not MISSING else content
    made = blocks(ctx, given_blocks, "body.children") if given_blocks is not MISSING else []
    page = _add(ctx, place, properties, look, behind(ctx, position, MISSING))
    insert(ctx, page, made)
    if markdown is not MISSING:
        append(ctx, page, markdown)
    return page_json(ctx, page, _only(filter_properties))


def _add(ctx: Ctx, place: Place, properties: Any, look: dict[str, Any], where: tuple[str | None, bool]) -> Page:
    kind, parent, holder = place
    source = holder if isinstance(holder, DataSource) else None
    rich, values = _values(ctx, source, properties)
    if source is not None:
        values |= numbered(ctx, source)
    after, first = where
    if kind != "page_id" and (after or first):
        refuse("body.position", "not present", {"after_block": after})
    page = ctx.db.add(
        Page(
            id=ctx.uuid(),
            parent_type=kind,
            parent=parent,
            title=plain(rich or []),
            rich_title=rich or [],
            properties=values,
            position=places(ctx, parent, 1, after, first=first)[0] if kind == "page_id" else 0,
            **look,
            **stamp(ctx),
        )
    )
    if source is not None:
        mirrored(ctx, source, page, {})
    if isinstance(holder, Page):
        touch(ctx, holder)
    return page


@app.patch("/v1/pages/{page_id}", tool="API-patch-page", title="Update a page")
def update_page(
    ctx: Ctx,
    page_id: str,
    properties: Properties | MISSING = MISSING,
    in_trash: bool | MISSING = MISSING,
    archived: HiddenFlag = MISSING,
    icon: Look = MISSING,
    cover: Look = MISSING,
    is_locked: bool | MISSING = MISSING,
    erase_content: bool | MISSING = MISSING,
    template: Annotated[dict[str, Any] | MISSING, Body(mcp=False)] = MISSING,
    filter_properties: Annotated[list[str] | MISSING, Query(mcp=False)] = MISSING,
) -> dict[str, Any]:
    """Updates a page's property values, icon or cover, or moves it to the trash or back. Properties that are not given keep their
    values. What lies in the trash must be restored before it can be edited.

    page_id: The page's id.
    properties: The new values by property name or id: {"Status": {"select": {"name": "Done"}}}. Of a page in no data source, the title:
        {"title": {"title": [{"text": {"content": "New name"}}]}}.
    in_trash: true moves the page to the trash, false restores it.
    icon: The icon: {"emoji": "..."} or {"external": {"url": "..."}}; null removes it.
    cover: The cover image: {"external": {"url": "..."}}; null removes it.
    is_locked: Whether the page is locked against editing in the app.
    erase_content: true empties the page of its content.
    """
    page = get_page(ctx, page_id, "path.page_id")
    trash = in_trash if in_trash is not MISSING else archived
    if trash is not MISSING and in_trash is not MISSING and archived is not MISSING and in_trash != archived:
        raise validation("body failed validation: body.archived and body.in_trash should not differ.")
    changes = _trashed(ctx, page, trash)
    asked = [one for one in (properties, icon, cover, is_locked) if one is not MISSING]
    if asked or erase_content is True:
        _refuse_unless_editable(ctx, page, changes)
    if template is not MISSING:
        raise validation("The data source has no template to apply.")
    source = source_of(ctx, page)
    rich, values = _values(ctx, source, properties)
    if rich is not None:
        changes |= {"rich_title": rich, "title": plain(rich)}
    before = page.properties
    if values:
        changes["properties"] = {**before, **values}
    if icon is not MISSING:
        changes["icon"] = nullable(icon_check)(ctx, icon, "body.icon")
    if cover is not MISSING:
        changes["cover"] = nullable(cover_check)(ctx, cover, "body.cover")
    if is_locked is not MISSING:
        changes["is_locked"] = is_locked
    if erase_content is True:
        _erase(ctx, page)
    if changes or erase_content is True:
        ctx.db.update(page, **changes, **edit(ctx))
    if source is not None and values:
        mirrored(ctx, source, page, before)
        page = ctx.require(Page, page.id)
    return page_json(ctx, page, _only(filter_properties))


def _trashed(ctx: Ctx, page: Page, trash: Any) -> dict[str, Any]:
    if trash is MISSING or trash == page.in_trash:
        return {}
    if not trash and any(one.in_trash for one in ancestors(ctx, page)):
        raise validation(
            "Can't unarchive page on block with an archived ancestor. You must unarchive the ancestor before editing page."
        )
    return {"in_trash": trash}


def _refuse_unless_editable(ctx: Ctx, page: Page, changes: dict[str, Any]) -> None:
    if changes.get("in_trash") is False:
        return
    editable(ctx, page)


def _erase(ctx: Ctx, page: Page) -> None:
    for node in children_of(ctx, page.id):
        if isinstance(node, Block):
            ctx.db.update(node, in_trash=True, **edit(ctx))


@app.get(
    "/v1/pages/{page_id}/properties/{property_id}",
    tool="API-retrieve-a-page-property",
    title="Retrieve a page property item",
)
def retrieve_property(
    ctx: Ctx, page_id: str, property_id: str, page_size: PageSize | MISSING = MISSING, start_cursor: Cursor = MISSING
) -> dict[str, Any]:
    """Retrieves one property of a page: a property item, or for title, rich text, people, relation and rollup a list of them.

    page_id: The page's id.
    property_id: The property's id, as the page's properties tell it.
    page_size: How many items to return, at most 100.
    start_cursor: The `next_cursor` of an earlier answer.
    """
    page = get_page(ctx, page_id, "path.page_id")
    source = source_of(ctx, page)
    if source is None:
        if property_id != "title":
            raise validation(f"{property_id} is not a property that exists.")
        shown: dict[str, Any] = {"id": "title", "type": "title", "title": page.rich_title}
    else:
        key = find(source.properties, property_id)
        if key is None:
            raise validation(f"{property_id} is not a property that exists.")
        shown = shown_property(ctx, page, source, key)
    kind, key = shown["type"], shown["id"]
    value = shown[kind]
    if kind not in ("title", "rich_text", "people", "relation", "rollup") or (
        kind == "rollup" and value["type"] != "array"
    ):
        return {"object": "property_item", "type": kind, "id": key, kind: value}
    items = value["array"] if kind == "rollup" else value
    size = (100 if ctx.request.method else 25) if page_size is MISSING else page_size
    start = _offset(start_cursor)
    taken, more = items[start : start + size], start + size < len(items)
    results = [
        {"object": "property_item", "id": key, **(one if kind == "rollup" else {"type": kind, kind: one})} for one in taken
    ]  # fmt: skip
    cursor = _cursor(start + size) if more else None
    head = {k: v for k, v in value.items() if k != "array"} | {"array": []} if kind == "rollup" else {}
    url = (
        f"{ctx.request.base or 'https://api.notion.com'}/v1/pages/{page.id}/properties/{key}?start_cursor={cursor}"
        if more
        else None
    )
    return {
        "object": "list", "results": results, "next_cursor": cursor, "has_more": more, "type": "property_item",
        "property_item": {"id": key, "next_url": url, "type": kind, kind: head},
    }  # fmt: skip


def _cursor(offset: int) -> str:
    """A position in a list whose items have no ids, in the form of one."""
    return f"00000000-0000-4000-8000-{offset:012x}"


def _offset(cursor: Any) -> int:
    if cursor is MISSING or cursor is None:
        return 0
    made = uid(cursor, "query.start_cursor")
    if not made.startswith("00000000-0000-4000-8000-"):
        raise validation(f"The start_cursor provided is invalid: {cursor}")
    return int(made[-12:], 16)


@app.post("/v1/pages/{page_id}/move", tool="API-move-page", title="Move a page", effect="update")
def move_page(ctx: Ctx, page_id: str, parent: PageParent) -> dict[str, Any]:
    """Moves a page, with all that stands in it, into another page or data source or to the top of the workspace. In a data source it
    keeps the values whose properties have the same names and types there.

    page_id: The page to move.
    parent: Its new parent: {"page_id": ...}, {"data_source_id": ...} or {"type": "workspace"}.
    """
    page = get_page(ctx, page_id, "path.page_id")
    editable(ctx, page)
    kind, key, holder = page_place(ctx, parent)
    if holder is not None and within(ctx, page, holder):
        raise validation("A page cannot be moved into itself or into a page within it.")
    old = source_of(ctx, page)
    values = dict[str, Any]()
    if isinstance(holder, DataSource):
        values = {
            **_carried(page, old, holder),
            **(numbered(ctx, holder) if old is None or old.id != holder.id else {}),
        }
        if old is not None and old.id == holder.id:
            values = page.properties
    position = places(ctx, key, 1)[0] if kind == "page_id" else 0
    before = page.properties
    ctx.db.update(page, parent_type=kind, parent=key, position=position, properties=values, **edit(ctx))
    if old is not None and old.id != key:
        mirrored(ctx, old, page, before)
    return page_json(ctx, page)


def _carried(page: Page, old: DataSource | None, new: DataSource) -> dict[str, Any]:
    """The values that another data source has a place for."""
    out = dict[str, Any]()
    for key, one in (old.properties if old else {}).items():
        other = find(new.properties, one["name"])
        alike = other is not None and new.properties[other]["type"] == one["type"]
        if not alike or other is None or key not in page.properties or one["type"] in ("relation", "unique_id"):
            continue
        held = page.properties[key]
        if one["type"] in ("select", "status", "multi_select"):
            names = {o["id"]: o["name"] for o in one["config"]["options"]}
            there = {o["name"]: o["id"] for o in new.properties[other]["config"]["options"]}
            chosen = [there[names[i]] for i in (held if isinstance(held, list) else [held]) if names.get(i) in there]
            held = chosen if one["type"] == "multi_select" else (chosen[0] if chosen else None)
        out[other] = held
    return out
