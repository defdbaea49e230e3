"""Saved filters. https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-filters/"""

from typing import Annotated, Any

from legoenv_mcp.app import Body, Ctx, Query

from .. import access, resources
from ..app import Limit, StartAt, app, done, refuse, refuse_fields
from ..jql import run
from ..models import Board, Filter
from .issues import paged

Hidden = Annotated[Any, Query(mcp=False)]
Permissions = Annotated[list[dict[str, Any]] | None, Body(mcp=False)]


def _find(ctx: Ctx, id: str) -> Filter:
    row = access.by_id(
        ctx,
        Filter,
        id,
        f"The selected filter is not available to you, perhaps it has been deleted or had its permissions changed. ({id})",
    )
    return row


def _mine(ctx: Ctx, id: str) -> Filter:
    row = _find(ctx, id)
    caller = access.me(ctx)
    if row.owner != caller.accountId and not caller.admin:
        raise refuse(403, "You do not own this filter. Only its owner can change it.")
    return row


def _name(ctx: Ctx, name: str, held: Filter | None = None) -> str:
    if not name.strip():
        raise refuse_fields({"filterName": "You must specify a name to save this filter as."})
    owner = held.owner if held else access.me(ctx).accountId
    same = ctx.db.first(Filter, owner=owner, name=name.strip())
    if same is not None and (held is None or same.id != held.id):
        raise refuse_fields({"filterName": "Filter with same name already exists."})
    return name.strip()


@app.get("/rest/api/{api}/filter/search", tool="search_filters")
def search_filters(
    ctx: Ctx, name: Annotated[str | None, Query("filterName")] = None, start_at: StartAt = 0, limit: Limit = 50, accountId: Hidden = None,
    expand: Hidden = None, orderBy: Hidden = None, id: Hidden = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists saved filters with their JQL.

    name: A part of the filter's name.
    start_at: How many filters to skip.
    limit: The most filters to return, up to 100.
    """
    found = ctx.db.find(
        Filter, name__contains=name, owner=accountId if isinstance(accountId, str) else None, order="name"
    )
    shown = [
        {
            k: v
            for k, v in resources.filter(ctx, f).items()
            if k not in ("subscriptions", "viewUrl", "searchUrl", "editPermissions")
        }
        for f in found
    ]
    return paged(ctx, shown, start_at, limit)


@app.get("/rest/api/{api}/filter/my", tool="get_my_filters", mcp=False)
def get_my_filters(ctx: Ctx, expand: Hidden = None, includeFavourites: Hidden = None) -> Any:
    """Lists one's own filters."""
    return [resources.filter(ctx, f) for f in ctx.db.find(Filter, owner=access.me(ctx).accountId, order="name")]


@app.get("/rest/api/{api}/filter/favourite", tool="get_favourite_filters", mcp=False)
def get_favourite_filters(ctx: Ctx, expand: Hidden = None) -> Any:
    """Lists one's favourite filters."""
    caller = access.me(ctx).accountId
    return [resources.filter(ctx, f) for f in ctx.db.find(Filter, order="name") if caller in f.favourites]


@app.get("/rest/api/{api}/filter/{filter_id}", tool="get_filter", mcp=False)
def get_filter(ctx: Ctx, filter_id: str, expand: Hidden = None) -> dict[str, Any]:
    """Gets a saved filter.

    filter_id: The filter's id.
    """
    return resources.filter(ctx, _find(ctx, filter_id))


@app.post("/rest/api/{api}/filter", tool="create_filter")
def create_filter(
    ctx: Ctx, name: str, jql: str, description: str = "", favourite: bool = False, sharePermissions: Permissions = None, expand: Hidden =
    None,
) -> dict[str, Any]:  # fmt: skip
    """Saves a JQL query under a name.

    name: The filter's name; no other of yours has it.
    jql: The query.
    description: What it finds.
    favourite: Whether it is one of your favourites.
    """
    told = _name(ctx, name)
    run.check(ctx, jql)
    caller = access.me(ctx).accountId
    row = ctx.db.add(
        Filter(
            id=ctx.sequence("filter", 10000), name=told, description=description, owner=caller, jql=jql,
            favourites=[caller] if favourite else [], sharePermissions=sharePermissions or [],
        )
    )  # fmt: skip
    return resources.filter(ctx, row)


@app.put("/rest/api/{api}/filter/{filter_id}", tool="update_filter")
def update_filter(
    ctx: Ctx, filter_id: str, name: str | None = None, jql: str | None = None, description: str | None = None, favourite: bool | None =
    None, sharePermissions: Permissions = None, expand: Hidden = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes a saved filter of one's own.

    filter_id: The filter's id.
    name: Its name.
    jql: Its query.
    description: What it finds.
    favourite: Whether it is one of your favourites.
    """
    row = _mine(ctx, filter_id)
    changes = dict[str, Any]()
    if name is not None:
        changes["name"] = _name(ctx, name, row)
    if jql is not None:
        run.check(ctx, jql)
        changes["jql"] = jql
    if description is not None:
        changes["description"] = description
    if sharePermissions is not None:
        changes["sharePermissions"] = sharePermissions
    if favourite is not None:
        caller = access.me(ctx).accountId
        changes["favourites"] = [*(f for f in row.favourites if f != caller), *([caller] if favourite else [])]
    return resources.filter(ctx, ctx.db.update(row, **changes))


@app.delete("/rest/api/{api}/filter/{filter_id}", tool="delete_filter", mcp=False, status=204)
def delete_filter(ctx: Ctx, filter_id: str) -> Any:
    """Deletes a saved filter of one's own. One that a board shows cannot be deleted.

    filter_id: The filter's id.
    """
    row = _mine(ctx, filter_id)
    used = ctx.db.first(Board, filter_id=row.id)
    if used is not None:
        raise refuse(400, f"The filter cannot be deleted because the board '{used.name}' uses it.")
    ctx.db.delete(row)
    return done(ctx, {"deleted": filter_id})
