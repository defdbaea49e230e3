"""Databases: the containers of data sources. https://developers.notion.com/reference/database

Callers of version 2022-06-28 know no data sources: to them a database has the properties of its only one.
"""

from typing import Annotated, Any, TypeAlias

from legoenv_mcp.app import MISSING, ApiError, Body, Ctx, Query

from ..app import app, classic
from ..check import an_object, failed, nullable, obj, refuse, told, validation
from ..media import cover as cover_check
from ..media import icon as icon_check
from ..models import Database, DataSource
from ..paging import PageSize
from ..placing import database_place
from ..resources import database_json
from ..richtext import plain, rich_text
from ..schema import only_source
from ..shapes import Cursor, DatabaseParent, HiddenFlag, Look, Properties, Sort, Title
from ..tree import ancestors, edit, editable, get_database, get_page, places, stamp, within
from .data_sources import add_source, alter_source, queried

_Old: TypeAlias = Annotated[Properties | MISSING, Body(mcp=False)]
_as_given = obj({"properties": lambda ctx, value, path: an_object(value, path)})


@app.get("/v1/databases/{database_id}", tool="API-retrieve-a-database", title="Retrieve a database")
def retrieve_database(ctx: Ctx, database_id: str) -> dict[str, Any]:
    """Retrieves a database: its title, where it stands, and the ids of its data sources, which hold the properties and pages.

    database_id: The database's id.
    """
    database = get_database(ctx, database_id, "path.database_id")
    if classic(ctx):
        only_source(ctx, database.id)
    return database_json(ctx, database)


@app.post("/v1/databases", tool="API-create-a-database", title="Create a database")
def create_database(
    ctx: Ctx,
    parent: DatabaseParent,
    title: Title | MISSING = MISSING,
    initial_data_source: dict[str, Any] | MISSING = MISSING,
    description: Title | MISSING = MISSING,
    is_inline: bool | MISSING = MISSING,
    icon: Look = MISSING,
    cover: Look = MISSING,
    properties: _Old = MISSING,
) -> dict[str, Any]:
    """Creates a database in a page, with its first data source. The answer names the data source, whose id is needed to add pages.

    parent: The page: {"page_id": ...}.
    title: The name: [{"text": {"content": "..."}}].
    initial_data_source: The properties by name, one of them the title: {"properties": {"Name": {"title": {}}, "Due": {"date": {}},
        "Stage": {"status": {}}, "Cost": {"number": {"format": "euro"}}}}. By default a title, Name.
    description: A description: [{"text": {"content": "..."}}].
    is_inline: Whether it shows as a table in the page rather than as a page of its own.
    icon: The icon: {"emoji": "..."}.
    cover: The cover image: {"external": {"url": "..."}}.
    """
    kind, key = database_place(ctx, parent)
    rich = rich_text(ctx, title, "body.title") if title is not MISSING else []
    path, schema = "body.initial_data_source.properties", {"Name": {"title": {}}}
    if classic(ctx):
        if properties is MISSING:
            raise failed(told("body.properties", "defined"))
        if initial_data_source is not MISSING:
            refuse("body.initial_data_source", "not present", initial_data_source)
        path, schema = "body.properties", properties
    elif properties is not MISSING:
        refuse("body.properties", "not present", properties)
    elif initial_data_source is not MISSING:
        schema = _as_given(ctx, initial_data_source, "body.initial_data_source").get("properties", schema)
    database = ctx.db.add(
        Database(
            id=ctx.uuid(),
            parent_type=kind,
            parent=key,
            position=places(ctx, key, 1)[0] if key else 0,
            rich_title=rich,
            title=plain(rich),
            description=rich_text(ctx, description, "body.description") if description is not MISSING else [],
            is_inline=is_inline is True,
            icon=None if icon is MISSING else nullable(icon_check)(ctx, icon, "body.icon"),
            cover=None if cover is MISSING else nullable(cover_check)(ctx, cover, "body.cover"),
            **stamp(ctx),
        )
    )
    add_source(ctx, database, schema, rich, None, path)
    return database_json(ctx, database)


@app.patch("/v1/databases/{database_id}", tool="API-update-a-database", title="Update a database")
def update_database(
    ctx: Ctx,
    database_id: str,
    title: Title | MISSING = MISSING,
    description: Title | MISSING = MISSING,
    icon: Look = MISSING,
    cover: Look = MISSING,
    is_inline: bool | MISSING = MISSING,
    is_locked: bool | MISSING = MISSING,
    in_trash: bool | MISSING = MISSING,
    parent: DatabaseParent | MISSING = MISSING,
    archived: HiddenFlag = MISSING,
    properties: _Old = MISSING,
) -> dict[str, Any]:
    """Changes a database's title, description or look, moves it to another page, or to the trash and back. Its properties are changed
    through update-a-data-source.

    database_id: The database's id.
    title: The new name: [{"text": {"content": "..."}}].
    description: The new description: [{"text": {"content": "..."}}].
    icon: The icon: {"emoji": "..."}; null removes it.
    cover: The cover image: {"external": {"url": "..."}}; null removes it.
    is_inline: Whether it shows as a table in its page.
    is_locked: Whether it is locked against editing in the app.
    in_trash: true moves it to the trash, with its pages; false restores it.
    parent: The page to move it to: {"page_id": ...}.
    """
    database = get_database(ctx, database_id, "path.database_id")
    trash = in_trash if in_trash is not MISSING else archived
    if trash is not False or not database.in_trash:
        editable(ctx, database)
    elif any(one.in_trash for one in ancestors(ctx, database)):
        raise validation(
            "Can't edit database on block with an archived ancestor. You must unarchive the ancestor before editing database."
        )
    changes: dict[str, Any] = {} if trash is MISSING else {"in_trash": trash}
    if title is not MISSING:
        rich = rich_text(ctx, title, "body.title")
        changes |= {"rich_title": rich, "title": plain(rich)}
    if description is not MISSING:
        changes["description"] = rich_text(ctx, description, "body.description")
    if icon is not MISSING:
        changes["icon"] = nullable(icon_check)(ctx, icon, "body.icon")
    if cover is not MISSING:
        changes["cover"] = nullable(cover_check)(ctx, cover, "body.cover")
    changes |= {
        name: value for name, value in (("is_inline", is_inline), ("is_locked", is_locked)) if value is not MISSING
    }
    if parent is not MISSING:
        changes |= _moved(ctx, database, parent)
    sources = ctx.db.find(DataSource, database=database.id, in_trash=False)
    if properties is not MISSING:
        if not classic(ctx):
            refuse("body.properties", "not present", properties)
        alter_source(ctx, only_source(ctx, database.id), properties, "body.properties")
    if title is not MISSING and len(sources) == 1:  # the only data source bears the database's name
        ctx.db.update(sources[0], rich_title=changes["rich_title"], title=changes["title"])
    if changes or properties is not MISSING:
        ctx.db.update(database, **changes, **edit(ctx))
    return database_json(ctx, database)


def _moved(ctx: Ctx, database: Database, parent: DatabaseParent) -> dict[str, Any]:
    kind, key = database_place(ctx, parent)
    if key and within(ctx, database, get_page(ctx, key, "body.parent.page_id")):
        raise validation("A database cannot be moved into a page within it.")
    return {"parent_type": kind, "parent": key, "position": places(ctx, key, 1)[0] if key else 0}


@app.post(
    "/v1/databases/{database_id}/query",
    tool="API-post-database-query",
    title="Query a database",
    effect="read",
    mcp=False,
)
def query_database(
    ctx: Ctx,
    database_id: str,
    filter: dict[str, Any] | MISSING = MISSING,
    sorts: list[Sort] | MISSING = MISSING,
    start_cursor: Cursor = MISSING,
    page_size: PageSize | MISSING = MISSING,
    filter_properties: Annotated[list[str] | MISSING, Query("filter_properties")] = MISSING,
    archived: bool | MISSING = MISSING,
    in_trash: bool | MISSING = MISSING,
) -> dict[str, Any]:
    """Lists the pages of a database that match a filter: as query-data-source, before databases held data sources.

    database_id: The database's id.
    filter: The filter.
    sorts: The sorts.
    start_cursor: The `next_cursor` of an earlier answer.
    page_size: How many pages to return, at most 100.
    filter_properties: Ids or names of the only properties to return.
    archived: true lists the pages that lie in the trash.
    in_trash: The same.
    """
    named = ctx.request.headers.get("notion-version")
    if named and not classic(ctx):
        raise ApiError(400, "Invalid request URL.", code="invalid_request_url")
    source = only_source(ctx, get_database(ctx, database_id, "path.database_id").id)
    only = None if filter_properties is MISSING else list(filter_properties)
    trash = (in_trash if in_trash is not MISSING else archived) is True
    return queried(ctx, source, filter, sorts, start_cursor, page_size, trash, only)
