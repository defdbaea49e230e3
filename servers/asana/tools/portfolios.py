"""Portfolios: lists of projects. https://developers.asana.com/reference/portfolios"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Body, Ctx, Field, Page

from .. import access, projects, resources, stories
from ..app import API, Fields, Gid, Limit, Name, Offset, app, bad
from ..listing import one, page
from ..models import Color, CustomFieldSetting, Membership, Portfolio, PortfolioItem, StatusUpdate

Users = Annotated[list[str] | str, Field(max_length=1000)]


@app.get(f"{API}/portfolios", tool="get_portfolios")
def get_portfolios(
    ctx: Ctx, workspace: Gid, owner: Gid | None = None, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the portfolios of a workspace that a user owns.

    workspace: The workspace's gid.
    owner: Their owner: a user's gid or mail address, or "me"; anybody where left out.
    """
    place = access.in_workspace(ctx, workspace)
    user = access.person(ctx, owner, "owner").gid if owner else None
    return page(
        ctx, ctx.db.find(Portfolio, workspace=place.gid, owner=user, order="created_at,gid"), opt_fields, limit, offset
    )


@app.post(f"{API}/portfolios", tool="create_portfolio", status=201, mcp=False)
def create_portfolio(
    ctx: Ctx, name: Name, workspace: Gid, color: Color | None = None, public: bool = False, start_on: str | None = None,
    due_on: str | None = None, members: Annotated[Users | None, Body()] = None, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates a portfolio.

    name: The portfolio's name.
    workspace: The workspace's gid.
    color: Its colour.
    public: Whether the whole organization sees it.
    start_on: The day it begins.
    due_on: The day it is due.
    members: Who else is in it.
    """
    place = access.in_workspace(ctx, workspace)
    if not name.strip():
        raise bad("name: Missing input")
    caller = access.me(ctx).gid
    row = ctx.db.add(
        Portfolio(
            gid=access.new_gid(ctx), name=name, color=None if color == "none" else color, owner=caller, created_by=caller,
            workspace=place.gid, public=public, start_on=access.day(start_on, "start_on"), due_on=access.day(due_on, "due_on"),
            created_at=access.now(ctx),
        )
    )  # fmt: skip
    for user in [caller, *(access.people(ctx, members, "members") if members else [])]:
        projects.join(ctx, row, user, "admin" if user == caller else "viewer", "portfolio")
    return one(ctx, row, opt_fields)


@app.get(f"{API}/portfolios/{{portfolio_gid}}", tool="get_portfolio", mcp=False)
def get_portfolio(ctx: Ctx, portfolio_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a portfolio.

    portfolio_gid: The portfolio's gid.
    """
    return one(ctx, access.get(ctx, Portfolio, portfolio_gid), opt_fields)


@app.put(f"{API}/portfolios/{{portfolio_gid}}", tool="update_portfolio", mcp=False)
def update_portfolio(
    ctx: Ctx, portfolio_gid: Gid, name: Name | MISSING = MISSING, color: Color | None | MISSING = MISSING,
    archived: bool | MISSING = MISSING, public: bool | MISSING = MISSING, start_on: str | None | MISSING = MISSING,
    due_on: str | None | MISSING = MISSING, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes a portfolio.

    portfolio_gid: The portfolio's gid.
    name: The portfolio's name.
    color: Its colour.
    archived: Whether it is archived.
    public: Whether the whole organization sees it.
    start_on: The day it begins.
    due_on: The day it is due.
    """
    row, sent = access.get(ctx, Portfolio, portfolio_gid), ctx.sent()
    if "name" in sent and not sent["name"].strip():
        raise bad("name: Missing input")
    changes = {name: sent[name] for name in ("name", "color", "archived", "public") if name in sent}
    changes |= {name: access.day(sent[name], name) for name in ("start_on", "due_on") if name in sent}
    if changes.get("color") == "none":
        changes["color"] = None
    ctx.db.update(row, **changes)
    return one(ctx, row, opt_fields)


@app.delete(f"{API}/portfolios/{{portfolio_gid}}", tool="delete_portfolio", mcp=False)
def delete_portfolio(ctx: Ctx, portfolio_gid: Gid) -> dict[str, Any]:
    """Deletes a portfolio; its projects stay.

    portfolio_gid: The portfolio's gid.
    """
    row = access.get(ctx, Portfolio, portfolio_gid)
    ctx.db.delete_where(PortfolioItem, portfolio=row.gid)
    for cls in (Membership, CustomFieldSetting, StatusUpdate):
        ctx.db.delete_where(cls, parent=row.gid)
    ctx.db.delete(row)
    return {}


@app.get(f"{API}/portfolios/{{portfolio_gid}}/items", tool="get_items_for_portfolio")
def get_items_for_portfolio(
    ctx: Ctx, portfolio_gid: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the projects of a portfolio, in their order.

    portfolio_gid: The portfolio's gid.
    """
    row, hidden = access.get(ctx, Portfolio, portfolio_gid), access.hidden_projects(ctx)
    return page(ctx, [p for p in resources.items_of(ctx, row.gid) if p.gid not in hidden], opt_fields, limit, offset)


@app.post(f"{API}/portfolios/{{portfolio_gid}}/addItem", tool="add_item_for_portfolio", effect="update")
def add_item_for_portfolio(
    ctx: Ctx, portfolio_gid: Gid, item: Gid, insert_before: Gid | None = None, insert_after: Gid | None = None
) -> dict[str, Any]:  # fmt: skip
    """Adds a project to a portfolio, or moves it within one.

    portfolio_gid: The portfolio's gid.
    item: The project's gid.
    insert_before: A project there to come before.
    insert_after: A project there to come after.
    """
    row, project = access.get(ctx, Portfolio, portfolio_gid), access.project(ctx, item, "item")
    access.once(("insert_before", insert_before), ("insert_after", insert_after))
    others = [
        (i.project, i.place) for i in ctx.db.find(PortfolioItem, portfolio=row.gid, order="place,project") if i.project != project.gid
    ]  # fmt: skip
    place = access.between(others, insert_after, insert_before)
    if place is None:
        raise bad(f"{'insert_before' if insert_before else 'insert_after'}: Project is not in this portfolio")
    found = ctx.db.get(PortfolioItem, (row.gid, project.gid))
    if found is not None:
        ctx.db.update(found, place=place)
    else:
        ctx.db.add(PortfolioItem(portfolio=row.gid, project=project.gid, place=place))
        stories.happened(ctx, project, "added", parent=row, also=[row.gid])
    return {}


@app.post(
    f"{API}/portfolios/{{portfolio_gid}}/removeItem", tool="remove_item_for_portfolio", effect="update", mcp=False
)
def remove_item_for_portfolio(ctx: Ctx, portfolio_gid: Gid, item: Gid) -> dict[str, Any]:
    """Takes a project out of a portfolio.

    portfolio_gid: The portfolio's gid.
    item: The project's gid.
    """
    row, project = access.get(ctx, Portfolio, portfolio_gid), access.project(ctx, item, "item")
    ctx.db.delete_where(PortfolioItem, portfolio=row.gid, project=project.gid)
    return {}


@app.post(
    f"{API}/portfolios/{{portfolio_gid}}/addMembers", tool="add_members_for_portfolio", effect="update", mcp=False
)
def add_members_for_portfolio(
    ctx: Ctx, portfolio_gid: Gid, members: Users, opt_fields: Fields = None
) -> dict[str, Any]:
    """Adds members to a portfolio.

    portfolio_gid: The portfolio's gid.
    members: Users: gids, mail addresses or "me".
    """
    row = access.get(ctx, Portfolio, portfolio_gid)
    for user in access.people(ctx, members, "members"):
        projects.join(ctx, row, user, "viewer", "portfolio")
    return one(ctx, row, opt_fields)


@app.post(
    f"{API}/portfolios/{{portfolio_gid}}/removeMembers", tool="remove_members_for_portfolio", effect="update", mcp=False
)
def remove_members_for_portfolio(
    ctx: Ctx, portfolio_gid: Gid, members: Users, opt_fields: Fields = None
) -> dict[str, Any]:
    """Removes members from a portfolio.

    portfolio_gid: The portfolio's gid.
    members: Users: gids, mail addresses or "me".
    """
    row = access.get(ctx, Portfolio, portfolio_gid)
    for user in access.people(ctx, members, "members"):
        ctx.db.delete_where(Membership, parent=row.gid, member=user)
    return one(ctx, row, opt_fields)
