"""Search by title. https://developers.notion.com/reference/post-search"""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, Ctx, Field

from ..app import app, classic
from ..check import refuse
from ..models import Database, DataSource, Page
from ..paging import PageSize, cut, listing
from ..resources import data_source_json, database_json, page_json
from ..shapes import Cursor
from ..tree import trashed, visible


@with_config(ConfigDict(extra="forbid"))
class SearchFilter(TypedDict, total=False):
    """Limits the results to pages or data sources, or to what lies in the trash."""

    property: Annotated[Literal["object"], Field(description="Always object.")]
    value: Annotated[
        Literal["page", "data_source", "database"],
        Field(description="What to find; database in version 2022-06-28 only."),
    ]
    in_trash: Annotated[bool, Field(description="true finds what lies in the trash.")]


@with_config(ConfigDict(extra="forbid"))
class SearchSort(TypedDict, total=False):
    """The order of the results."""

    timestamp: Annotated[Literal["last_edited_time"], Field(description="Always last_edited_time.")]
    direction: Annotated[Literal["ascending", "descending"], Field(description="Which way.")]


@app.post("/v1/search", tool="API-post-search", title="Search by title", effect="read")
def search(
    ctx: Ctx,
    query: str | MISSING = MISSING,
    filter: SearchFilter | MISSING = MISSING,
    sort: SearchSort | MISSING = MISSING,
    start_cursor: Cursor = MISSING,
    page_size: PageSize | MISSING = MISSING,
) -> dict[str, Any]:
    """Searches pages and data sources by title; without a query it lists them all, the last edited first. Text within pages is not
    searched. Every word of the query must occur in the title.

    query: Words of the title.
    filter: {"property": "object", "value": "page"} or "data_source".
    sort: {"timestamp": "last_edited_time", "direction": "ascending"}; descending by default.
    start_cursor: The `next_cursor` of an earlier answer.
    page_size: How many results to return, at most 100; 10 by default.
    """
    wanted = _wanted(ctx, filter)
    words = (query if query is not MISSING else "").casefold().split()
    trash = filter is not MISSING and filter.get("in_trash") is True
    rows: list[Page | Database | DataSource] = []
    if wanted in ("", "page"):
        rows += ctx.db.find(Page)
    if wanted in ("", "collection"):
        rows += ctx.db.find(Database) if classic(ctx) else ctx.db.find(DataSource)
    found = [one for one in rows if _says(one.title, words) and _seen(ctx, one, trash=trash)]
    down = sort is MISSING or sort.get("direction", "descending") == "descending"
    found.sort(key=lambda one: (one.last_edited_time, one.id), reverse=down)
    taken, cursor = cut(ctx, found, lambda one: one.id, start_cursor, page_size, "body", 10)
    kind = "page_or_database" if classic(ctx) else "page_or_data_source"
    return listing(kind, [_shown(ctx, one) for one in taken], cursor)


def _wanted(ctx: Ctx, given: Any) -> str:
    """ "page", "collection" (data sources, databases before they had them) or everything."""
    if given is MISSING:
        return ""
    value = given.get("value")
    if value is None:
        if "in_trash" not in given:
            refuse("body.filter.value", "defined")
        return ""
    if "property" not in given:
        refuse("body.filter.property", "defined")
    if value == "page":
        return "page"
    own = "database" if classic(ctx) else "data_source"
    if value != own:
        refuse("body.filter.value", f'`"page"` or `"{own}"`', value)
    return "collection"


def _says(title: str, words: list[str]) -> bool:
    text = title.casefold()
    return all(word in text for word in words)


def _seen(ctx: Ctx, row: Page | Database | DataSource, *, trash: bool) -> bool:
    return trashed(ctx, row) == trash and visible(ctx, row)


def _shown(ctx: Ctx, row: Page | Database | DataSource) -> dict[str, Any]:
    if isinstance(row, Page):
        return page_json(ctx, row)
    return database_json(ctx, row) if isinstance(row, Database) else data_source_json(ctx, row)
