"""Data sources: the tables that databases hold. https://developers.notion.com/reference/data-source"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Query

from ..alter import changed, counted, created, linked
from ..app import app, classic
from ..check import nullable, validation
from ..media import icon as icon_check
from ..models import Database, DataSource, Page
from ..paging import PageSize, cut, listing
from ..placing import database_of, named
from ..query import arranged, matcher
from ..resources import data_source_json, page_json
from ..richtext import plain, rich_text
from ..shapes import Cursor, HiddenFlag, Look, Properties, Sort, SourceParent, Title
from ..tree import edit, editable, get_data_source, get_database, stamp


def add_source(
    ctx: Ctx, database: Database, properties: Any, title: list[dict[str, Any]], icon: Any, path: str
) -> DataSource:
    """A new data source in a database."""
    schema = created(ctx, properties, path)
    row = DataSource(
        id=ctx.uuid(), database=database.id, rich_title=title, title=plain(title), properties=schema, icon=icon, **stamp(ctx)
    )  # fmt: skip
    source = ctx.db.add(row)
    linked(ctx, source)
    return source


def alter_source(ctx: Ctx, source: DataSource, properties: Any, path: str) -> None:
    before, schema = source.properties, changed(ctx, source, properties, path)
    ctx.db.update(source, properties=schema)
    linked(ctx, source)
    counted(ctx, source, before)


@app.get("/v1/data_sources/{data_source_id}", tool="API-retrieve-a-data-source", title="Retrieve a data source")
def retrieve_data_source(ctx: Ctx, data_source_id: str) -> dict[str, Any]:
    """Retrieves a data source: its title and the names, types and options of its properties. Search finds data sources by title.

    data_source_id: The data source's id, which is not the database's.
    """
    return data_source_json(ctx, get_data_source(ctx, data_source_id, "path.data_source_id"))


@app.post("/v1/data_sources", tool="API-create-a-data-source", title="Create a data source")
def create_data_source(
    ctx: Ctx, parent: SourceParent, properties: Properties, title: Title | MISSING = MISSING, icon: Look = MISSING
) -> dict[str, Any]:
    """Adds a further data source to an existing database. A new database comes with its first one: see create-a-database.

    parent: The database: {"database_id": ...}.
    properties: The properties by name, one of them the title: {"Name": {"title": {}}, "Stage": {"select": {"options": [{"name": "New"}]}}}.
    title: The data source's name: [{"text": {"content": "..."}}].
    icon: The icon: {"emoji": "..."}.
    """
    named(parent, ("database_id",))
    database = get_database(ctx, parent.get("database_id", ""), "body.parent.database_id")
    editable(ctx, database)
    rich = rich_text(ctx, title, "body.title") if title is not MISSING else []
    look = None if icon is MISSING else nullable(icon_check)(ctx, icon, "body.icon")
    return data_source_json(ctx, add_source(ctx, database, properties, rich, look, "body.properties"))


@app.patch("/v1/data_sources/{data_source_id}", tool="API-update-a-data-source", title="Update a data source")
def update_data_source(
    ctx: Ctx,
    data_source_id: str,
    title: Title | MISSING = MISSING,
    properties: Properties | MISSING = MISSING,
    icon: Look = MISSING,
    in_trash: bool | MISSING = MISSING,
    archived: HiddenFlag = MISSING,
    parent: Annotated[SourceParent | MISSING, Body(mcp=False)] = MISSING,
) -> dict[str, Any]:
    """Changes a data source's title or properties: adds, changes, renames ({"Old": {"name": "New"}}) or removes ({"Old": null}) them.
    The options of a select replace those there were; options that are left out are removed, from the pages too.

    data_source_id: The data source's id.
    title: The new title: [{"text": {"content": "..."}}].
    properties: What changes, by property name or id.
    icon: The icon: {"emoji": "..."}; null removes it.
    in_trash: true moves the data source to the trash, false restores it.
    """
    source = get_data_source(ctx, data_source_id, "path.data_source_id")
    trash = in_trash if in_trash is not MISSING else archived
    if trash is MISSING or trash == source.in_trash or trash:
        editable(ctx, source)
    changes: dict[str, Any] = {} if trash is MISSING else {"in_trash": trash}
    if trash is True and ctx.db.count(DataSource, database=source.database, in_trash=False) == 1:
        raise validation("Cannot move the last data source of a database to the trash; move the database instead.")
    if title is not MISSING:
        rich = rich_text(ctx, title, "body.title")
        changes |= {"rich_title": rich, "title": plain(rich)}
    if icon is not MISSING:
        changes["icon"] = nullable(icon_check)(ctx, icon, "body.icon")
    if parent is not MISSING:
        named(parent, ("database_id",))
        changes["database"] = get_database(ctx, parent.get("database_id", ""), "body.parent.database_id").id
        editable(ctx, ctx.require(Database, changes["database"]))
        if changes["database"] != source.database and ctx.db.count(DataSource, database=source.database) == 1:
            raise validation("Cannot move the only data source of a database.")
    if properties is not MISSING:
        alter_source(ctx, source, properties, "body.properties")
    if changes or properties is not MISSING:
        ctx.db.update(source, **changes, **edit(ctx))
    return data_source_json(ctx, source)


def queried(
    ctx: Ctx, source: DataSource, filter_: Any, sorts: Any, start: Any, size: Any, trash: bool, only: list[str] | None
) -> dict[str, Any]:
    """The pages of a data source that match, as a list."""
    matches = matcher(ctx, source, filter_, "body.filter") if filter_ is not MISSING else None
    pages = ctx.db.find(Page, parent_type="data_source_id", parent=source.id, in_trash=trash, shared=True)
    found = [page for page in pages if matches is None or matches(page)]
    ordered = arranged(ctx, source, found, sorts if sorts is not MISSING else [], "body.sorts")
    taken, cursor = cut(ctx, ordered, lambda one: one.id, start, size, "body", 20)
    kind = "page_or_database" if classic(ctx) else "page_or_data_source"
    return listing(kind, [page_json(ctx, page, only) for page in taken], cursor)


@app.post(
    "/v1/data_sources/{data_source_id}/query", tool="API-query-data-source", title="Query a data source", effect="read"
)
def query_data_source(
    ctx: Ctx,
    data_source_id: str,
    filter: dict[str, Any] | MISSING = MISSING,
    sorts: list[Sort] | MISSING = MISSING,
    start_cursor: Cursor = MISSING,
    page_size: PageSize | MISSING = MISSING,
    filter_properties: Annotated[list[str] | MISSING, Query("filter_properties")] = MISSING,
    in_trash: bool | MISSING = MISSING,
    archived: HiddenFlag = MISSING,
    result_type: Annotated[Literal["page", "data_source"] | MISSING, Body(mcp=False)] = MISSING,
) -> dict[str, Any]:
    """Lists the pages of a data source that match a filter, in order. A filter is a condition on a property, under its type:
    {"property": "Stage", "select": {"equals": "New"}}, {"property": "Due", "date": {"on_or_before": "2026-03-31"}}, or on a timestamp:
    {"timestamp": "created_time", "created_time": {"past_week": {}}}. {"and": [...]} and {"or": [...]} join conditions, two levels deep.

    data_source_id: The data source's id.
    filter: The filter; without one all pages are listed. Of text: equals, contains, starts_with and the like; of numbers: equals,
        greater_than, less_than; of dates: equals, before, after, on_or_before, on_or_after ("today" will do); of select, status and
        checkbox: equals, does_not_equal; of multi_select, people and relation: contains, does_not_contain; of all but checkbox: is_empty,
        is_not_empty (true). A formula's stands under its type: {"property": "Total", "formula": {"number": {"greater_than": 5}}}.
    sorts: Up to 100 sorts, the first the most important: [{"property": "Due", "direction": "ascending"}].
    start_cursor: The `next_cursor` of an earlier answer.
    page_size: How many pages to return, at most 100; 20 by default.
    filter_properties: Ids or names of the only properties to return.
    in_trash: true lists the pages that lie in the trash.
    """
    source = get_data_source(ctx, data_source_id, "path.data_source_id")
    trash = (in_trash if in_trash is not MISSING else archived) is True
    if result_type == "data_source":
        return listing("page_or_data_source", [], None)
    only = None if filter_properties is MISSING else list(filter_properties)
    return queried(ctx, source, filter, sorts, start_cursor, page_size, trash, only)


@app.get(
    "/v1/data_sources/{data_source_id}/templates",
    tool="API-list-data-source-templates",
    title="List templates in a data source",
)
def list_templates(
    ctx: Ctx,
    data_source_id: str,
    name: str | MISSING = MISSING,
    start_cursor: Cursor = MISSING,
    page_size: PageSize | MISSING = MISSING,
) -> dict[str, Any]:
    """Lists the page templates of a data source. Templates are made in the app alone, so a data source made here has none.

    data_source_id: The data source's id.
    name: A part of the template's name.
    start_cursor: The `next_cursor` of an earlier answer.
    page_size: How many templates to return, at most 100.
    """
    database_of(ctx, get_data_source(ctx, data_source_id, "path.data_source_id"))
    none: list[dict[str, Any]] = []
    taken, cursor = cut(ctx, none, lambda one: one["id"], start_cursor, page_size, "query")
    return {"templates": taken, "has_more": False, "next_cursor": cursor}
