"""Views. https://developer.zendesk.com/api-reference/ticketing/business-rules/views/"""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field, Reply

from .. import conditions, errors, ids, includes, resources, viewing
from ..app import app, created, done
from ..errors import Problems
from ..includes import Include
from ..inputs import ViewInput, sent
from ..models import Ticket, View
from ..paging import IdList, Key, Page, PerPage, SortOrder, by, listing, size_of, wants_cursor
from .tickets import CURSOR_SORTS
from .tickets import answer as answer_tickets

ViewId = Annotated[int, Field(description="The view's id.")]
ViewSort = Annotated[str | None, Field(description="Column to sort by, such as created, updated, status or priority.")]


def answer(ctx: Ctx, rows: list[View], page: int = 1, per_page: int | None = None) -> dict[str, Any]:
    rows = sorted(rows, key=by("position"))
    sorts = {
        "position": lambda v: v.position,
        "id": lambda v: v.id,
        "title": by("title"),
        "updated_at": by("updated_at"),
    }
    return listing(
        ctx, "views", rows, lambda v: resources.view(ctx, v), page=page, per_page=per_page, cursor_sorts=sorts
    )


@app.get("/api/v2/views", tool="list_views")
def list_views(ctx: Ctx, active: bool | None = None, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the views: saved filters over tickets, such as the unsolved ones of your groups.

    active: Only views that are (true) or are not (false) in use.
    """
    return answer(ctx, ctx.db.find(View, active=active), page, per_page)


@app.get("/api/v2/views/active", tool="list_active_views", mcp=False)
def list_active_views(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the views that are in use."""
    return answer(ctx, ctx.db.find(View, active=True), page, per_page)


@app.get("/api/v2/views/compact", tool="list_compact_views", mcp=False)
def list_compact_views(ctx: Ctx) -> dict[str, Any]:
    """Lists the first 32 views that are in use."""
    rows = sorted(ctx.db.find(View, active=True), key=by("position"))[:32]
    return {
        "views": [resources.view(ctx, v) for v in rows],
        "next_page": None,
        "previous_page": None,
        "count": len(rows),
    }


@app.get("/api/v2/views/search", tool="search_views", mcp=False)
def search_views(ctx: Ctx, query: str, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Finds views by words of their title.

    query: The words.
    """
    return answer(ctx, ctx.db.find(View, title__contains=query), page, per_page)


@app.get("/api/v2/views/count", tool="count_views", mcp=False)
def count_views(ctx: Ctx) -> dict[str, Any]:
    """Counts the views."""
    return {"count": {"value": ctx.db.count(View), "refreshed_at": ctx.timestamp()}}


@app.get("/api/v2/views/{view_id}", tool="show_view")
def show_view(ctx: Ctx, view_id: ViewId) -> dict[str, Any]:
    """Shows a view: its conditions, columns and order."""
    return {"view": resources.view(ctx, ctx.require(View, view_id))}


@app.get("/api/v2/views/{view_id}/tickets", tool="list_view_tickets")
def list_view_tickets(
    ctx: Ctx, view_id: ViewId, sort_by: ViewSort = None, sort_order: SortOrder = None, include: Include = None, page: Page = 1,
    per_page: PerPage = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the tickets that a view shows, in its order."""
    row = ctx.require(View, view_id)
    rows = viewing.tickets(ctx, row.conditions, row.execution, None if wants_cursor(ctx) else sort_by, sort_order)
    return answer_tickets(ctx, rows, page, per_page, include, sorts=_in_order(rows))


def _in_order(rows: list[Ticket]) -> dict[str, Key]:
    """Cursors follow the view's own order, unless they ask for another."""
    places = {t.id: place for place, t in enumerate(rows)}
    return {"view": lambda t: places[t.id], **CURSOR_SORTS}


def _executed(
    ctx: Ctx,
    rows: list[Ticket],
    execution: dict[str, Any],
    view: dict[str, Any],
    page: int,
    per_page: int | None,
    include: str | None,
) -> dict[str, Any]:
    out = listing(
        ctx,
        "rows",
        rows,
        lambda t: viewing.row_of(ctx, t, execution),
        page=page,
        per_page=per_page,
        cursor_sorts=_in_order(rows),
    )
    shown = ctx.db.find(Ticket, id__in=[r["ticket_id"] for r in out["rows"]])
    beside = includes.of_tickets(ctx, shown, "users,groups" if include is None else include)
    return {"columns": execution["columns"], **out, "view": view, **beside}


@app.get("/api/v2/views/{view_id}/execute", tool="execute_view")
def execute_view(
    ctx: Ctx, view_id: ViewId, sort_by: ViewSort = None, sort_order: SortOrder = None, include: Include = None, page: Page = 1,
    per_page: PerPage = None,
) -> dict[str, Any]:  # fmt: skip
    """Shows a view's table: a row a ticket with what its columns say, and the users and groups that the rows name."""
    row = ctx.require(View, view_id)
    rows = viewing.tickets(ctx, row.conditions, row.execution, None if wants_cursor(ctx) else sort_by, sort_order)
    view = {"id": row.id, "url": ids.url(ctx, f"views/{row.id}"), "title": row.title}
    return _executed(ctx, rows, row.execution, view, page, size_of(ctx, per_page), include)


@app.get("/api/v2/views/{view_id}/count", tool="count_view_tickets", mcp=False)
def count_view_tickets(ctx: Ctx, view_id: ViewId) -> dict[str, Any]:
    """Counts the tickets that a view shows."""
    return {"view_count": viewing.count_of(ctx, ctx.require(View, view_id))}


def _many(ctx: Ctx, keys: list[int]) -> dict[str, Any]:
    if len(keys) > 20:
        raise errors.too_many("ids", 20)
    rows = ctx.db.find(View, id__in=keys)
    return {"view_counts": [viewing.count_of(ctx, v) for v in rows]}


@app.get("/api/v2/views/count_many", tool="count_many_views", mcp=False)
def count_many_views(ctx: Ctx, ids: IdList | None = None, count_many: IdList | None = None) -> dict[str, Any]:
    """Counts the tickets of several views, at most 20.

    ids: The views' ids.
    count_many: The views' ids, as some clients send them.
    """
    return _many(ctx, ids or count_many or [])


@app.post("/api/v2/views/preview", tool="preview_view", effect="read", mcp=False)
def preview_view(ctx: Ctx, view: ViewInput, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Shows what a view would show, without keeping it.

    view: The view's conditions and columns.
    """
    given, problems = sent(ctx, view), Problems()
    made = conditions.checked(ctx, problems, given.get("all") or [], given.get("any") or [])
    execution = viewing.output(problems, given.get("output"))
    problems.check()
    return _executed(ctx, viewing.tickets(ctx, made, execution), execution, {}, page, per_page, None)


def _columns(ctx: Ctx, row: View | None, given: dict[str, Any]) -> dict[str, Any]:
    problems = Problems()
    new = {
        n: given[n]
        for n in ("title", "description", "active", "position")
        if n in given and (n == "description" or given[n] is not None)
    }
    if (row is None and not (new.get("title") or "").strip()) or not (new.get("title", "x") or "").strip():
        problems.add("title", "Title: cannot be blank", "BlankValue")
    if row is None or given.get("all") is not None or given.get("any") is not None:
        new["conditions"] = conditions.checked(ctx, problems, given.get("all") or [], given.get("any") or [])
        if row is not None:
            for part in ("all", "any"):
                if given.get(part) is None:
                    new["conditions"][part] = row.conditions[part]
            if given.get("all") is None:
                problems.details.pop("base", None)
    if row is None or given.get("output") is not None:
        new["execution"] = viewing.output(problems, given.get("output"), row.execution if row else None)
    problems.check()
    return new


@app.post("/api/v2/views", tool="create_view", status=201)
def create_view(ctx: Ctx, view: ViewInput) -> Reply:
    """Creates a view. One of `all` must say which status, type, group, assignee or requester.

    view: The view's properties; `title` and `all` are needed.
    """
    new, now = _columns(ctx, None, sent(ctx, view)), ctx.timestamp()
    new.setdefault("position", 10_000)
    row = ctx.db.add(View(id=ids.new(ctx, "view"), created_at=now, updated_at=now, **new))
    return created(ctx, {"view": resources.view(ctx, row)})


@app.put("/api/v2/views/{view_id}", tool="update_view", mcp=False)
def update_view(ctx: Ctx, view_id: ViewId, view: ViewInput) -> dict[str, Any]:
    """Changes a view's properties. Conditions that are sent replace those there are.

    view: What to change.
    """
    row = ctx.require(View, view_id)
    ctx.db.update(row, **_columns(ctx, row, sent(ctx, view)), updated_at=ctx.timestamp())
    return {"view": resources.view(ctx, row)}


@app.delete("/api/v2/views/{view_id}", tool="delete_view", mcp=False)
def delete_view(ctx: Ctx, view_id: ViewId) -> Any:
    """Deletes a view."""
    ctx.db.delete(ctx.require(View, view_id))
    return done(ctx, {"deleted": True, "id": view_id})
