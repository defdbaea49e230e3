"""Views of a base's tables."""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Query

from ..app import app, hidden, refuse
from ..grid import Grid, open_base
from ..models import View
from ..people import need
from ..schema import view_json


def _view(ctx: Ctx, grid: Grid, key: str) -> View:
    view = ctx.db.get(View, key)
    if view is None or view.table_id not in grid.tables:
        raise hidden("There is no such view in this base; list_views shows those there are.")
    return view


@app.get("/v0/meta/bases/{baseId}/views", tool="list_views")
def list_views(
    ctx: Ctx, baseId: str, include: Annotated[list[str] | None, Query("include", mcp=False)] = None
) -> dict[str, Any]:
    """Lists the views of a base's tables with their ids and types.

    baseId: The base's id.
    include: Over REST, visibleFieldIds shows the fields that each grid view shows.
    """
    grid = open_base(ctx, baseId)
    visible = "visibleFieldIds" in (include or [])
    found = [(t, v) for t in grid.tables for v in ctx.db.find(View, table_id=t, order="position,id")]
    over_rest = bool(ctx.request.method)
    return {
        "views": [view_json(grid, v, visible) if over_rest else {**view_json(grid, v), "tableId": t} for t, v in found]
    }


@app.get("/v0/meta/bases/{baseId}/views/{viewId}", tool="get_view_metadata")
def get_view_metadata(
    ctx: Ctx, baseId: str, viewId: str, include: Annotated[list[str] | None, Query("include", mcp=False)] = None
) -> dict[str, Any]:
    """Shows a view: its name, its type and, for a grid, the fields that it shows.

    baseId: The base's id.
    viewId: The view's id.
    include: Over REST, visibleFieldIds shows the fields that the view shows.
    """
    grid = open_base(ctx, baseId)
    return view_json(grid, _view(ctx, grid, viewId), not ctx.request.method or "visibleFieldIds" in (include or []))


@app.delete("/v0/meta/bases/{baseId}/views/{viewId}", tool="delete_view")
def delete_view(ctx: Ctx, baseId: str, viewId: str) -> dict[str, Any]:
    """Deletes a view; the records in it stay. A table's last view cannot be deleted.

    baseId: The base's id.
    viewId: The view's id.
    """
    grid = open_base(ctx, baseId)
    need(ctx, grid.base, "create")
    view = _view(ctx, grid, viewId)
    if ctx.db.count(View, table_id=view.table_id) == 1:
        raise refuse("CANNOT_DELETE_LAST_VIEW", "The last view of a table cannot be deleted")
    ctx.db.delete(view)
    return {"id": view.id, "deleted": True}
