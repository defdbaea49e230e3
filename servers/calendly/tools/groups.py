"""Groups of members. https://developer.calendly.com/api-docs/calendly-api/groups"""

from functools import partial
from typing import Any

from legoenv_mcp.app import Ctx

from .. import access, errors, resources, uris
from ..app import app
from ..inputs import Uri, Uuid
from ..models import Group, GroupRelationship, Membership
from ..paging import MANY, Count, paged, paged_where


@app.get("/groups", tool="list_groups")
def list_groups(ctx: Ctx, organization: Uri, count: Count = MANY, page_token: str | None = None) -> dict[str, Any]:
    """The organization's groups. `list_events` shows a group's meetings, for administrators.

    organization: The organization's URI.
    count: How many a page, at most 100.
    page_token: `next_page_token` of the page before.
    """
    found = access.organization(ctx, organization, manage=True)
    return paged(ctx, Group, partial(resources.group, ctx), count, page_token, "name", organization=found.uuid)


@app.get("/groups/{uuid}", tool="get_group", mcp=False)
def get_group(ctx: Ctx, uuid: Uuid) -> dict[str, Any]:
    """A group and how many members it has.

    uuid: The group's UUID or URI.
    """
    if not access.rules_all(ctx):
        raise errors.denied()
    return {"resource": resources.group(ctx, uris.row_at(ctx, Group, uuid))}


@app.get("/group_relationships", tool="list_group_relationships")
def list_group_relationships(
    ctx: Ctx, organization: Uri | None = None, group: Uri | None = None, owner: Uri | None = None, count: Count = MANY,
    page_token: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Which members are in which groups, for administrators.

    organization: The organization's URI.
    group: Only members of the group of this URI.
    owner: Only the groups of the membership (or invitation) of this URI.
    count: How many a page, at most 100.
    page_token: `next_page_token` of the page before.
    """
    if organization:
        access.organization(ctx, organization, manage=True)
    elif not (group or owner):
        raise errors.invalid(("organization", "one of organization, owner or group must be given"))
    if not access.rules_all(ctx):
        raise errors.denied()
    condition, values = "1", list[Any]()
    if group:
        condition, values = condition + ' AND "group" = ?', [*values, uris.row_of(ctx, Group, group, "group").uuid]
    if owner:
        key = uris.invitation_key(owner) or uris.key_of(Membership, owner, "owner")
        condition, values = condition + " AND membership = ?", [*values, key]
    show = partial(resources.relationship, ctx)
    return paged_where(ctx, GroupRelationship, show, count, page_token, "created_at", condition, values)


@app.get("/group_relationships/{uuid}", tool="get_group_relationship", mcp=False)
def get_group_relationship(ctx: Ctx, uuid: Uuid) -> dict[str, Any]:
    """A member's place in a group.

    uuid: The relationship's UUID or URI.
    """
    if not access.rules_all(ctx):
        raise errors.denied()
    return {"resource": resources.relationship(ctx, ctx.require(GroupRelationship, uris.tail(uuid)))}
