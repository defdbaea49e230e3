"""Tags of tickets, users and organizations. https://developer.zendesk.com/api-reference/ticketing/ticket-management/tags/"""

from typing import Annotated, Any

from legoenv_mcp.app import Body, Ctx, Field

from .. import people, ticketing
from ..app import app
from ..inputs import Tags
from ..models import Organization, Ticket, User
from ..paging import Page, PerPage, listing
from ..tagging import changed
from .tickets import TicketId

TagList = Annotated[Tags, Field(description="Tags; a space parts two.")]


def _counted(ctx: Ctx) -> list[dict[str, Any]]:
    counts = dict[str, int]()
    for row in [*ctx.db.find(Ticket, deleted=False), *ctx.db.find(User, active=True), *ctx.db.find(Organization)]:
        for tag in row.tags:
            counts[tag] = counts.get(tag, 0) + 1
    return [{"name": name, "count": count} for name, count in sorted(counts.items(), key=lambda p: (-p[1], p[0]))]


@app.get("/api/v2/tags", tool="list_tags")
def list_tags(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the tags that tickets, users and organizations have, the most used first."""
    sorts = {"popularity": lambda tag: [-tag["count"], tag["name"]]}
    return listing(ctx, "tags", _counted(ctx), lambda tag: tag, page=page, per_page=per_page, cursor_sorts=sorts)


@app.get("/api/v2/tags/count", tool="count_tags", mcp=False)
def count_tags(ctx: Ctx) -> dict[str, Any]:
    """Counts the tags that are used."""
    return {"count": {"value": len(_counted(ctx)), "refreshed_at": ctx.timestamp()}}


@app.get("/api/v2/autocomplete/tags", tool="autocomplete_tags", mcp=False)
def autocomplete_tags(ctx: Ctx, name: Annotated[str, Field(min_length=2)]) -> dict[str, Any]:
    """Lists the tags that begin with some letters.

    name: At least two letters.
    """
    return {"tags": sorted(tag["name"] for tag in _counted(ctx) if tag["name"].startswith(name.lower()))}


@app.get("/api/v2/tickets/{ticket_id}/tags", tool="list_ticket_tags", mcp=False)
def list_ticket_tags(ctx: Ctx, ticket_id: TicketId) -> dict[str, Any]:
    """Lists a ticket's tags."""
    return {"tags": sorted(ticketing.find(ctx, ticket_id).tags)}


def _tag(ctx: Ctx, ticket_id: int, tags: list[str], add: list[str], remove: list[str]) -> dict[str, Any]:
    row = ticketing.find(ctx, ticket_id)
    ticketing.must_be_open(row)
    ticketing.apply(ctx, row, {"tags": changed(tags, add, remove)}, None)
    return {"tags": sorted(row.tags)}


@app.put("/api/v2/tickets/{ticket_id}/tags", tool="add_tags", destructive=False)
def add_tags(ctx: Ctx, ticket_id: TicketId, tags: TagList) -> dict[str, Any]:
    """Adds tags to those that a ticket has; answers all it has then."""
    return _tag(ctx, ticket_id, ticketing.find(ctx, ticket_id).tags, tags, [])


@app.post("/api/v2/tickets/{ticket_id}/tags", tool="set_tags", status=201, effect="update")
def set_tags(ctx: Ctx, ticket_id: TicketId, tags: TagList) -> dict[str, Any]:
    """Gives a ticket these tags instead of those it has."""
    return _tag(ctx, ticket_id, [], tags, [])


@app.delete("/api/v2/tickets/{ticket_id}/tags", tool="remove_tags")
def remove_tags(ctx: Ctx, ticket_id: TicketId, tags: Annotated[TagList, Body()]) -> dict[str, Any]:
    """Removes tags from a ticket; answers those that are left."""
    return _tag(ctx, ticket_id, ticketing.find(ctx, ticket_id).tags, [], tags)


def _user(ctx: Ctx, user_id: int) -> User:
    return people.find(ctx, user_id)


@app.get("/api/v2/users/{user_id}/tags", tool="list_user_tags", mcp=False)
def list_user_tags(ctx: Ctx, user_id: int) -> dict[str, Any]:
    """Lists a user's tags.

    user_id: The user's id.
    """
    return {"tags": sorted(_user(ctx, user_id).tags)}


@app.put("/api/v2/users/{user_id}/tags", tool="add_user_tags", mcp=False)
def add_user_tags(ctx: Ctx, user_id: int, tags: TagList) -> dict[str, Any]:
    """Adds tags to those that a user has.

    user_id: The user's id.
    """
    row = _user(ctx, user_id)
    return {"tags": sorted(ctx.db.update(row, tags=changed(row.tags, tags), updated_at=ctx.timestamp()).tags)}


@app.post("/api/v2/users/{user_id}/tags", tool="set_user_tags", status=201, effect="update", mcp=False)
def set_user_tags(ctx: Ctx, user_id: int, tags: TagList) -> dict[str, Any]:
    """Gives a user these tags instead of those there are.

    user_id: The user's id.
    """
    return {"tags": sorted(ctx.db.update(_user(ctx, user_id), tags=changed([], tags), updated_at=ctx.timestamp()).tags)}


@app.delete("/api/v2/users/{user_id}/tags", tool="remove_user_tags", mcp=False)
def remove_user_tags(ctx: Ctx, user_id: int, tags: Annotated[TagList, Body()]) -> dict[str, Any]:
    """Removes tags from a user.

    user_id: The user's id.
    """
    row = _user(ctx, user_id)
    return {"tags": sorted(ctx.db.update(row, tags=changed(row.tags, remove=tags), updated_at=ctx.timestamp()).tags)}


@app.get("/api/v2/organizations/{organization_id}/tags", tool="list_organization_tags", mcp=False)
def list_organization_tags(ctx: Ctx, organization_id: int) -> dict[str, Any]:
    """Lists an organization's tags.

    organization_id: The organization's id.
    """
    return {"tags": sorted(ctx.require(Organization, organization_id).tags)}


@app.put("/api/v2/organizations/{organization_id}/tags", tool="add_organization_tags", mcp=False)
def add_organization_tags(ctx: Ctx, organization_id: int, tags: TagList) -> dict[str, Any]:
    """Adds tags to those that an organization has.

    organization_id: The organization's id.
    """
    row = ctx.require(Organization, organization_id)
    return {"tags": sorted(ctx.db.update(row, tags=changed(row.tags, tags), updated_at=ctx.timestamp()).tags)}
