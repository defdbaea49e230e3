"""Organizations: members and invitations. https://developer.calendly.com/api-docs/calendly-api/organizations"""

from functools import partial
from typing import Any, Literal

from legoenv_mcp.app import ApiError, Ctx

from .. import access, errors, feeds, resources, uris
from ..app import app, gone
from ..booking import check_email
from ..inputs import Uri, Uuid
from ..models import EventType, GroupRelationship, Invitation, Membership, User
from ..paging import MANY, Count, order_by, paged, paged_where


@app.get("/organizations/{uuid}", tool="get_organization")
def get_organization(ctx: Ctx, uuid: Uuid) -> dict[str, Any]:
    """The caller's organization with its plan.

    uuid: The organization's UUID or URI.
    """
    return {"resource": resources.organization(access.own_organization(ctx, uuid))}


@app.get("/organization_memberships", tool="list_organization_memberships")
def list_organization_memberships(
    ctx: Ctx, organization: Uri | None = None, user: Uri | None = None, email: str | None = None,
    role: Literal["owner", "admin", "user"] | None = None, count: Count = MANY, page_token: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Members of the organization with role and user. Give the organization, or a user for that user's membership.

    organization: The organization's URI.
    user: A user's URI.
    email: Only the member of this e-mail address.
    role: Only members of this role.
    count: How many a page, at most 100.
    page_token: `next_page_token` of the page before.
    """
    if not (organization or user or email):
        raise errors.invalid(("organization", "either organization or user must be given"))
    if organization:
        access.organization(ctx, organization)
    person = access.member(ctx, user).uuid if user else None
    condition, values = "organization = ?", list[Any]([access.membership(ctx).organization])
    if person:
        condition, values = condition + ' AND "user" = ?', [*values, person]
    if role:
        condition, values = condition + " AND role = ?", [*values, role]
    if email:
        condition, values = (
            condition + ' AND "user" IN (SELECT uuid FROM "user" WHERE email = ?)',
            [*values, email.lower()],
        )
    show = partial(resources.membership, ctx)
    return paged_where(ctx, Membership, show, count, page_token, "created_at", condition, values)


@app.get("/organization_memberships/{uuid}", tool="get_organization_membership")
def get_organization_membership(ctx: Ctx, uuid: Uuid) -> dict[str, Any]:
    """A member's role in the organization.

    uuid: The membership's UUID or URI.
    """
    return {"resource": resources.membership(ctx, uris.row_at(ctx, Membership, uuid))}


@app.delete("/organization_memberships/{uuid}", tool="delete_organization_membership", status=204)
def delete_organization_membership(ctx: Ctx, uuid: Uuid) -> Any:
    """Removes a user from the organization, for administrators. The user's event types are switched off, meetings stay.

    Neither the owner nor oneself can be removed.

    uuid: The membership's UUID or URI.
    """
    found = uris.row_at(ctx, Membership, uuid)
    mine = access.membership(ctx)
    if mine.role == "user":
        raise errors.denied("You do not have permission to perform this action")
    if found.role == "owner":
        raise errors.denied("You can not change owner role")
    if found.uuid == mine.uuid:
        raise errors.denied("You can not remove yourself from organization")
    now = feeds.now(ctx)
    for kind in ctx.db.find(EventType, owner=found.user, active=True):
        ctx.db.update(kind, active=False, updated_at=now)
    ctx.db.delete_where(GroupRelationship, membership=found.uuid)
    ctx.db.delete(found)
    feeds.log(ctx, "User", "Remove", user=uris.uri(User, found.user))
    return gone(ctx, uris.uri(Membership, found.uuid))


@app.get("/organizations/{uuid}/invitations", tool="list_organization_invitations")
def list_organization_invitations(
    ctx: Ctx, uuid: Uuid, status: Literal["pending", "accepted", "declined"] | None = None, email: str | None = None,
    sort: str | None = None, count: Count = MANY, page_token: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Invitations to join the organization, for administrators.

    uuid: The organization's UUID or URI.
    status: Only invitations of this status.
    email: Only invitations to this address.
    sort: email or created_at and a direction, as created_at:desc.
    count: How many a page, at most 100.
    page_token: `next_page_token` of the page before.
    """
    found = access.own_organization(ctx, uuid, manage=True)
    order = order_by(sort, ("email", "created_at"), "created_at:asc")
    return paged(
        ctx, Invitation, resources.invitation, count, page_token, order, organization=found.uuid, status=status,
        email=email.lower() if email else None,
    )  # fmt: skip


@app.post("/organizations/{uuid}/invitations", tool="create_organization_invitation", status=201, effect="send")
def create_organization_invitation(ctx: Ctx, uuid: Uuid, email: str) -> dict[str, Any]:
    """Invites somebody to join the organization, by e-mail. For administrators.

    uuid: The organization's UUID or URI.
    email: The address to invite.
    """
    found = access.own_organization(ctx, uuid, manage=True)
    if not email.strip():
        raise errors.invalid(("email", "must be filled"))
    try:
        address = check_email(email, "email")
    except ApiError:
        raise ApiError(400, f"{email[:254]} is an invalid email format", title="Invalid Email") from None
    known = ctx.db.first(User, email=address)
    if known and ctx.db.first(Membership, user=known.uuid):
        raise ApiError(400, f"{address} is already in the organization", title="Already Organization Member")
    if ctx.db.first(Invitation, email=address, status="pending"):
        raise ApiError(400, f"{address} has already been invited", title="Already Invited")
    now = feeds.now(ctx)
    row = ctx.db.add(
        Invitation(
            uuid=ctx.uuid("invitation"), organization=found.uuid, email=address, last_sent_at=now, created_at=now, updated_at=now
        )
    )  # fmt: skip
    feeds.log(ctx, "OrganizationInvitation", "Add", email=address)
    return {"resource": resources.invitation(row)}


def _invitation(ctx: Ctx, org_uuid: str, uuid: str) -> Invitation:
    organization = access.own_organization(ctx, org_uuid, manage=True)
    found = ctx.require(Invitation, uris.invitation_key(uuid) or uris.tail(uuid))
    if found.organization != organization.uuid:
        raise errors.not_found()
    return found


@app.get("/organizations/{org_uuid}/invitations/{uuid}", tool="get_organization_invitation")
def get_organization_invitation(ctx: Ctx, org_uuid: Uuid, uuid: Uuid) -> dict[str, Any]:
    """An invitation to join the organization and whether it was accepted.

    org_uuid: The organization's UUID or URI.
    uuid: The invitation's UUID or URI.
    """
    return {"resource": resources.invitation(_invitation(ctx, org_uuid, uuid))}


@app.delete("/organizations/{org_uuid}/invitations/{uuid}", tool="revoke_organization_invitation", status=204)
def revoke_organization_invitation(ctx: Ctx, org_uuid: Uuid, uuid: Uuid) -> Any:
    """Takes a pending invitation back. Answered ones stay.

    org_uuid: The organization's UUID or URI.
    uuid: The invitation's UUID or URI.
    """
    found = _invitation(ctx, org_uuid, uuid)
    if found.status != "pending":
        raise errors.denied("Only pending invitations can be revoked")
    ctx.db.delete(found)
    feeds.log(ctx, "OrganizationInvitation", "Revoke", email=found.email)
    return gone(ctx, uris.invitation_uri(found.organization, found.uuid))
