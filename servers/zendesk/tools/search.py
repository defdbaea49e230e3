"""Search. https://developer.zendesk.com/api-reference/ticketing/ticket-management/search/"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, Field, Query

from .. import errors, includes, query, resources
from ..app import app
from ..includes import Include
from ..models import Ticket, User
from ..paging import Page, PerPage, SortOrder, by_cursor, listing, size_of, wants_cursor
from ..search import Hit, find

LIMIT = 1000
_LANGUAGE = (
    'Words and "phrases" in any of the texts, and properties: type:ticket|user|organization|group; status, priority (also <, >: '
    "status<solved); created, updated, solved, due_date with dates or spans (created>2026-01-31, updated<3days); assignee, requester, "
    "submitter, commenter, cc with a name, address, id, me or none; group, organization, tags, subject, ticket_type, via, "
    "fieldvalue, custom_field_ID; - before a term excludes; order_by and sort:asc|desc."
)
SearchText = Annotated[str, Field(description=_LANGUAGE)]
SortBy = Annotated[
    Literal["created_at", "updated_at", "priority", "status", "ticket_type", "relevance"] | None,
    Field(description="What to sort by; relevance unless given."),
]


def _shown(ctx: Ctx, hit: Hit) -> dict[str, Any]:
    show: Any = {
        "ticket": resources.ticket, "user": resources.user, "organization": resources.organization, "group": resources.group,
    }[hit.kind]  # fmt: skip
    told = show(ctx, hit.row)
    if not ctx.request.method and hit.kind == "ticket" and len(told["description"]) > 300:
        told["description"] = told["description"][:300] + "..."
    return {**told, "result_type": hit.kind}


def _found(ctx: Ctx, text: str, sort_by: str | None, sort_order: str | None) -> list[Hit]:
    return find(ctx, text, sort_by=sort_by, sort_order=query.order(sort_order) if sort_order else None)


def _beside(ctx: Ctx, hits: list[Hit], include: str | None) -> dict[str, Any]:
    """Side-loads as search asks for them: `tickets(users,groups)`."""
    words = (include or "").replace("tickets(", "").replace("users(", "").replace(")", "")
    tickets, users = (
        [h.row for h in hits if isinstance(h.row, Ticket)],
        [h.row for h in hits if isinstance(h.row, User)],
    )
    return {**includes.of_users(ctx, users, words), **includes.of_tickets(ctx, tickets, words)} if words else {}


@app.get("/api/v2/search", tool="search")
def search(
    ctx: Ctx, query: SearchText, sort_by: SortBy = None, sort_order: SortOrder = None, include: Include = None, page: Page = 1,
    per_page: PerPage = None,
) -> dict[str, Any]:  # fmt: skip
    """Finds tickets, users, organizations and groups by the search language; `result_type` tells which each result is. At most the
    first 1,000 results can be read."""
    if wants_cursor(ctx):
        raise errors.attribute("page", "must be an integer", "api/v2/search/index")
    hits = _found(ctx, query, sort_by, sort_order)
    size = size_of(ctx, per_page)
    if page * size > LIMIT:
        raise errors.coded(
            422, "invalid", "Invalid search: Requested response size was greater than Search Response Limits"
        )
    out = listing(ctx, "results", hits, lambda h: _shown(ctx, h), page=page, per_page=size)
    return {**out, "facets": None, **_beside(ctx, hits[(page - 1) * size : page * size], include)}


@app.get("/api/v2/search/count", tool="count_search_results")
def count_search_results(ctx: Ctx, query: SearchText) -> dict[str, Any]:
    """Counts what `search` would find."""
    return {"count": len(_found(ctx, query, None, None))}


@app.get("/api/v2/search/export", tool="export_search_results", mcp=False)
def export_search_results(
    ctx: Ctx,
    query: SearchText,
    filter_type: Annotated[Literal["ticket", "user", "organization", "group"], Query("filter[type]")],
) -> dict[str, Any]:
    """Finds all records of one kind, page by cursor, newest first.

    filter_type: The kind of record.
    """
    hits = [h for h in find(ctx, query, [filter_type]) if h.kind == filter_type]
    out = by_cursor(ctx, "results", hits, lambda h: _shown(ctx, h), {"created_at": lambda h: _backwards(h)}, top=LIMIT)
    return {**out, "facets": None}


def _backwards(hit: Hit) -> str:
    """The newest first in a list that ascends: each digit's complement."""
    return "".join(str(9 - int(c)) if c.isdecimal() else c for c in hit.row.created_at)
