"""Macros. https://developer.zendesk.com/api-reference/ticketing/business-rules/macros/"""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field, Reply

from .. import ids, macros, resources, ticketing
from ..app import app, created, done
from ..errors import Problems
from ..inputs import MacroInput, sent
from ..models import Macro
from ..paging import Page, PerPage, SortOrder, by, listing, ordered
from .tickets import TicketId

MacroId = Annotated[int, Field(description="The macro's id.")]
_SORTS = {
    "alphabetical": by("title"),
    "created_at": by("created_at"),
    "updated_at": by("updated_at"),
    "position": by("position"),
}


def answer(
    ctx: Ctx,
    rows: list[Macro],
    page: int,
    per_page: int | None,
    sort_by: str | None = None,
    sort_order: str | None = None,
) -> dict[str, Any]:
    rows = ordered(rows, _SORTS, sort_by or "position", sort_order)
    return listing(ctx, "macros", rows, lambda m: resources.macro(ctx, m), page=page, per_page=per_page)


@app.get("/api/v2/macros", tool="list_macros")
def list_macros(
    ctx: Ctx, active: bool | None = None, sort_by: str | None = None, sort_order: SortOrder = None, page: Page = 1,
    per_page: PerPage = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the macros: prepared answers and changes for tickets.

    active: Only macros that are (true) or are not (false) in use.
    sort_by: alphabetical, created_at, updated_at or position.
    """
    return answer(ctx, ctx.db.find(Macro, active=active), page, per_page, sort_by, sort_order)


@app.get("/api/v2/macros/active", tool="list_active_macros", mcp=False)
def list_active_macros(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the macros that are in use."""
    return answer(ctx, ctx.db.find(Macro, active=True), page, per_page)


@app.get("/api/v2/macros/search", tool="search_macros", mcp=False)
def search_macros(ctx: Ctx, query: str, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Finds macros by words of their title.

    query: The words.
    """
    return answer(ctx, ctx.db.find(Macro, title__contains=query), page, per_page)


@app.get("/api/v2/macros/{macro_id}", tool="show_macro", mcp=False)
def show_macro(ctx: Ctx, macro_id: MacroId) -> dict[str, Any]:
    """Shows a macro and what it sets."""
    return {"macro": resources.macro(ctx, ctx.require(Macro, macro_id))}


@app.get("/api/v2/macros/{macro_id}/apply", tool="show_macro_changes", mcp=False)
def show_macro_changes(ctx: Ctx, macro_id: MacroId) -> dict[str, Any]:
    """Shows what a macro would set on any ticket."""
    return {"result": {"ticket": macros.changes(ctx, ctx.require(Macro, macro_id), None)}}


@app.get("/api/v2/tickets/{ticket_id}/macros/{macro_id}/apply", tool="apply_macro")
def apply_macro(ctx: Ctx, ticket_id: TicketId, macro_id: MacroId) -> dict[str, Any]:
    """Shows how a ticket would be after a macro, with the comment it would add. Nothing is changed: send what you want of it by
    `update_ticket`."""
    row, macro = ticketing.find(ctx, ticket_id), ctx.require(Macro, macro_id)
    changes = macros.changes(ctx, macro, row)
    comment = changes.pop("comment", None)
    shown = resources.ticket(ctx, row)
    new = {str(f["id"]): f["value"] for f in changes.pop("custom_fields", [])}
    if new:
        shown["custom_fields"] = shown["fields"] = resources.fields_of({**row.custom_fields, **new})
    result: dict[str, Any] = {"ticket": {**shown, **changes, **({"comment": comment} if comment else {})}}
    return {"result": {**result, "comment": comment} if comment else result}


def _columns(ctx: Ctx, row: Macro | None, given: dict[str, Any]) -> dict[str, Any]:
    problems = Problems()
    new = {
        n: v
        for n, v in given.items()
        if n in ("title", "description", "active", "position") and (n == "description" or v is not None)
    }
    if not (new.get("title", row.title if row else "") or "").strip():
        problems.add("title", "Title: cannot be blank", "BlankValue")
    if row is None or given.get("actions") is not None:
        new["actions"] = macros.checked(ctx, problems, given.get("actions") or [])
    problems.check()
    return new


@app.post("/api/v2/macros", tool="create_macro", mcp=False, status=201)
def create_macro(ctx: Ctx, macro: MacroInput) -> Reply:
    """Creates a macro.

    macro: The macro's properties; `title` and `actions` are needed.
    """
    new, now = _columns(ctx, None, sent(ctx, macro)), ctx.timestamp()
    new.setdefault("position", 10_000)
    row = ctx.db.add(Macro(id=ids.new(ctx, "macro"), created_at=now, updated_at=now, **new))
    return created(ctx, {"macro": resources.macro(ctx, row)})


@app.put("/api/v2/macros/{macro_id}", tool="update_macro", mcp=False)
def update_macro(ctx: Ctx, macro_id: MacroId, macro: MacroInput) -> dict[str, Any]:
    """Changes a macro's properties.

    macro: What to change.
    """
    row = ctx.require(Macro, macro_id)
    ctx.db.update(row, **_columns(ctx, row, sent(ctx, macro)), updated_at=ctx.timestamp())
    return {"macro": resources.macro(ctx, row)}


@app.delete("/api/v2/macros/{macro_id}", tool="delete_macro", mcp=False)
def delete_macro(ctx: Ctx, macro_id: MacroId) -> Any:
    """Deletes a macro."""
    ctx.db.delete(ctx.require(Macro, macro_id))
    return done(ctx, {"deleted": True, "id": macro_id})
