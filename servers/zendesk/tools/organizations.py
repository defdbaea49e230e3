"""Organizations and who belongs to them. https://developer.zendesk.com/api-reference/ticketing/organizations/organizations/"""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field, Query, Reply

from .. import errors, ids, includes, jobs, people, resources, tagging
from ..app import app, created, done
from ..errors import Problems
from ..includes import Include
from ..inputs import Input, OrganizationInput, plain, sent
from ..models import Group, Organization, OrganizationMembership, Ticket, User
from ..paging import IdList, Page, PerPage, TextList, by, listing

OrganizationId = Annotated[int, Field(description="The organization's id.")]


def answer(ctx: Ctx, rows: list[Organization], page: int = 1, per_page: int | None = None) -> dict[str, Any]:
    sorts = {"id": lambda o: o.id, "name": by("name")}
    return listing(
        ctx,
        "organizations",
        rows,
        lambda o: resources.organization(ctx, o),
        page=page,
        per_page=per_page,
        cursor_sorts=sorts,
    )


@app.get("/api/v2/organizations", tool="list_organizations")
def list_organizations(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the organizations, the companies that customers belong to. To find one by name, use `search`."""
    return answer(ctx, ctx.db.find(Organization), page, per_page)


@app.get("/api/v2/organizations/{organization_id}", tool="show_organization")
def show_organization(ctx: Ctx, organization_id: OrganizationId) -> dict[str, Any]:
    """Shows an organization."""
    return {"organization": resources.organization(ctx, ctx.require(Organization, organization_id))}


@app.get("/api/v2/organizations/show_many", tool="show_many_organizations", mcp=False)
def show_many_organizations(
    ctx: Ctx, ids: IdList | None = None, external_ids: TextList | None = None
) -> dict[str, Any]:
    """Shows several organizations.

    ids: The organizations' ids.
    external_ids: Your own ids for them.
    """
    jobs.too_many(ids or external_ids or [], "ids")
    rows = (
        ctx.db.find(Organization, id__in=ids) if ids else ctx.db.find(Organization, external_id__in=external_ids or [])
    )
    return answer(ctx, rows, 1, 100)


@app.get("/api/v2/organizations/count", tool="count_organizations", mcp=False)
def count_organizations(ctx: Ctx) -> dict[str, Any]:
    """Counts the organizations."""
    return {"count": {"value": ctx.db.count(Organization), "refreshed_at": ctx.timestamp()}}


@app.get("/api/v2/organizations/search", tool="search_organizations", mcp=False)
def search_organizations(ctx: Ctx, name: str | None = None, external_id: str | None = None) -> dict[str, Any]:
    """Finds organizations by their exact name or your own id. For parts of a name, use `search` with `type:organization`.

    name: The whole name; case does not matter.
    external_id: Your own id for it.
    """
    if name is None and external_id is None:
        raise errors.titled(400, "Missing parameter", "Required parameter missing: external_id or name")
    rows = ctx.db.find(Organization, external_id=external_id)
    return answer(ctx, [o for o in rows if name is None or o.name.casefold() == name.strip().casefold()], 1, 100)


@app.get("/api/v2/organizations/autocomplete", tool="autocomplete_organizations", mcp=False)
def autocomplete_organizations(ctx: Ctx, name: Annotated[str, Field(min_length=2)]) -> dict[str, Any]:
    """Finds organizations whose name begins with some letters.

    name: At least two letters.
    """
    return answer(ctx, ctx.db.find(Organization, name__startswith=name), 1, 100)


@app.get("/api/v2/organizations/{organization_id}/related", tool="show_organization_related", mcp=False)
def show_organization_related(ctx: Ctx, organization_id: OrganizationId) -> dict[str, Any]:
    """Counts an organization's tickets and users."""
    ctx.require(Organization, organization_id)
    return {
        "organization_related": {
            "tickets_count": ctx.db.count(Ticket, organization_id=organization_id, deleted=False),
            "users_count": ctx.db.count(OrganizationMembership, organization_id=organization_id),
        }
    }


def _columns(ctx: Ctx, row: Organization | None, given: dict[str, Any]) -> dict[str, Any]:
    problems, new = Problems(), dict(given)
    if "name" in new or row is None:
        new["name"] = (given.get("name") or "").strip()
        taken = any(
            o.name.casefold() == new["name"].casefold()
            for o in ctx.db.find(Organization)
            if row is None or o.id != row.id
        )
        if not new["name"]:
            problems.add("name", "Name: cannot be blank", "BlankValue")
        elif taken:
            problems.add("name", f"Name: {new['name']} has already been taken", "DuplicateValue")
    if new.get("external_id"):
        other = ctx.db.first(Organization, external_id=new["external_id"])
        if other and (row is None or other.id != row.id):
            problems.add("external_id", f"External: {new['external_id']} has already been taken", "DuplicateValue")
    if new.get("group_id") is not None and ctx.db.get(Group, new["group_id"]) is None:
        problems.add("group_id", "Group: is invalid")
    for name in ("domain_names", "tags"):
        if name in new:
            new[name] = tagging.clean(new[name] or [])
    for name in ("shared_tickets", "shared_comments"):
        if name in new:
            new[name] = bool(new[name])
    if "organization_fields" in new:
        new["organization_fields"] = {
            **(row.organization_fields if row else {}),
            **plain(new["organization_fields"] or {}),
        }
    problems.check()
    return new


@app.post("/api/v2/organizations", tool="create_organization", status=201)
def create_organization(ctx: Ctx, organization: OrganizationInput) -> Reply:
    """Creates an organization. Names are unique. Verified customers without one who have an address of its domains join it.

    organization: The organization's properties; `name` is needed.
    """
    new, now = _columns(ctx, None, sent(ctx, organization)), ctx.timestamp()
    row = ctx.db.add(Organization(id=ids.new(ctx, "organization"), created_at=now, updated_at=now, **new))
    people.gather(ctx, row, row.domain_names)
    return created(ctx, {"organization": resources.organization(ctx, row)})


class KnownOrganization(OrganizationInput):
    """An organization's properties, with which one it is."""

    id: int | None = Field(default=None, description="The organization's id; without it `external_id` says which one.")


@app.post("/api/v2/organizations/create_or_update", tool="create_or_update_organization", effect="update", mcp=False)
def create_or_update_organization(ctx: Ctx, organization: KnownOrganization) -> Reply:
    """Creates an organization, or changes the one with this id or external id. A name does not say which one is meant.

    organization: The organization's properties, with `id` or `external_id` to change one.
    """
    given = sent(ctx, organization)
    key = given.pop("id", None)
    row = ctx.db.get(Organization, key) if key else None
    if row is None and given.get("external_id"):
        row = ctx.db.first(Organization, external_id=given["external_id"])
    if row is None:
        return create_organization(ctx, OrganizationInput(**given))
    _change(ctx, row, given)
    return Reply({"organization": resources.organization(ctx, row)})


def _change(ctx: Ctx, row: Organization, given: dict[str, Any]) -> None:
    before = set(row.domain_names)
    ctx.db.update(row, **_columns(ctx, row, given), updated_at=ctx.timestamp())
    people.gather(ctx, row, set(row.domain_names) - before)


@app.post("/api/v2/organizations/create_many", tool="create_many_organizations", mcp=False)
def create_many_organizations(ctx: Ctx, organizations: list[OrganizationInput]) -> dict[str, Any]:
    """Creates up to 100 organizations. Answers a job.

    organizations: The organizations' properties.
    """
    jobs.too_many(organizations)
    items = [(None, "create_organization", {"organization": plain(o)}) for o in organizations]
    return jobs.each(
        ctx,
        "Bulk Create Organization",
        "create",
        items,
        lambda r: {"status": "Created", "id": r.body["organization"]["id"]},
    )


def _key(ctx: Ctx, body: dict[str, Any]) -> int:
    """The id that an entry is for, given itself or by your own id; 0, which is nobody's, where neither is known."""
    key = body.pop("id", None)
    if key is None and body.get("external_id"):
        found = ctx.db.first(Organization, external_id=body["external_id"])
        return found.id if found else 0
    return key or 0


@app.put("/api/v2/organizations/update_many", tool="update_many_organizations", mcp=False)
def update_many_organizations(
    ctx: Ctx, ids: Annotated[IdList | None, Query()] = None, organization: OrganizationInput | None = None,
    organizations: list[KnownOrganization] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes up to 100 organizations. Answers a job.

    ids: The organizations' ids, with `organization`.
    organization: What to change of every one of `ids`.
    organizations: What to change of each, with its id, instead.
    """
    if organizations is not None:
        bodies = [plain(o) for o in organizations]
        keys = [_key(ctx, b) for b in bodies]
        items = [
            (key, "update_organization", {"organization_id": key, "organization": b})
            for key, b in zip(keys, bodies, strict=True)
        ]
    elif ids and organization is not None:
        items = [(i, "update_organization", {"organization_id": i, "organization": plain(organization)}) for i in ids]
    else:
        raise errors.titled(
            400, "Missing parameter", "Required parameter missing: organizations, or ids with organization"
        )
    jobs.too_many(items, "ids")
    return jobs.each(ctx, "Bulk Update Organization", "update", items)


@app.put("/api/v2/organizations/{organization_id}", tool="update_organization")
def update_organization(ctx: Ctx, organization_id: OrganizationId, organization: OrganizationInput) -> dict[str, Any]:
    """Changes an organization's properties. Verified customers without one who have an address of a new domain join it.

    organization: What to change.
    """
    row = ctx.require(Organization, organization_id)
    _change(ctx, row, sent(ctx, organization))
    return {"organization": resources.organization(ctx, row)}


@app.delete("/api/v2/organizations/{organization_id}", tool="delete_organization", mcp=False)
def delete_organization(ctx: Ctx, organization_id: OrganizationId) -> Any:
    """Deletes an organization. Its users and tickets remain, without it."""
    row = ctx.require(Organization, organization_id)
    for membership in ctx.db.find(OrganizationMembership, organization_id=row.id):
        _leave(ctx, membership)
    for user in ctx.db.find(User, organization_id=row.id):
        ctx.db.update(user, organization_id=None, updated_at=ctx.timestamp())
    for ticket in ctx.db.find(Ticket, organization_id=row.id):
        ctx.db.update(ticket, organization_id=None, updated_at=ctx.timestamp())
    ctx.db.delete(row)
    return done(ctx, {"deleted": True, "id": organization_id})


@app.delete("/api/v2/organizations/destroy_many", tool="delete_many_organizations", mcp=False)
def delete_many_organizations(
    ctx: Ctx, ids: IdList | None = None, external_ids: TextList | None = None
) -> dict[str, Any]:
    """Deletes up to 100 organizations. Answers a job.

    ids: The organizations' ids.
    external_ids: Your own ids for them, instead.
    """
    ids = ids or [row.id for row in ctx.db.find(Organization, external_id__in=external_ids or [])]
    jobs.too_many(ids, "ids")
    items = [(i, "delete_organization", {"organization_id": i}) for i in ids]
    return jobs.each(ctx, "Bulk Delete Organization", "delete", items)


# Memberships


class OrganizationMembershipInput(Input):
    """That a user belongs to an organization."""

    user_id: int = Field(description="The user's id.")
    organization_id: int = Field(description="The organization's id.")
    default: bool | None = Field(
        default=None, description="Whether it is the one that the user's new tickets belong to."
    )


def _memberships(
    ctx: Ctx, rows: list[OrganizationMembership], page: int, per_page: int | None, include: str | None
) -> dict[str, Any]:
    out = listing(
        ctx,
        "organization_memberships",
        rows,
        lambda m: resources.organization_membership(ctx, m),
        page=page,
        per_page=per_page,
    )
    shown = out["organization_memberships"]
    named = ctx.db.find(Organization, id__in=sorted({m["organization_id"] for m in shown}))
    organizations = [resources.organization(ctx, o) for o in named]
    return {**out, **includes.of_memberships(ctx, [m["user_id"] for m in shown], include, organizations=organizations)}


@app.get("/api/v2/organization_memberships", tool="list_organization_memberships", mcp=False)
def list_organization_memberships(
    ctx: Ctx, include: Include = None, page: Page = 1, per_page: PerPage = None
) -> dict[str, Any]:
    """Lists who belongs to which organization."""
    return _memberships(ctx, ctx.db.find(OrganizationMembership), page, per_page, include)


@app.get("/api/v2/users/{user_id}/organization_memberships", tool="list_user_organization_memberships", mcp=False)
def list_user_organization_memberships(
    ctx: Ctx, user_id: int, include: Include = None, page: Page = 1, per_page: PerPage = None
) -> dict[str, Any]:
    """Lists a user's memberships in organizations.

    user_id: The user's id.
    """
    people.find(ctx, user_id)
    return _memberships(ctx, ctx.db.find(OrganizationMembership, user_id=user_id), page, per_page, include)


@app.get(
    "/api/v2/organizations/{organization_id}/organization_memberships",
    tool="list_memberships_of_organization",
    mcp=False,
)
def list_memberships_of_organization(
    ctx: Ctx, organization_id: OrganizationId, include: Include = None, page: Page = 1, per_page: PerPage = None
) -> dict[str, Any]:
    """Lists an organization's memberships."""
    ctx.require(Organization, organization_id)
    rows = ctx.db.find(OrganizationMembership, organization_id=organization_id)
    return _memberships(ctx, rows, page, per_page, include)


@app.get("/api/v2/users/{user_id}/organizations", tool="list_user_organizations", mcp=False)
def list_user_organizations(ctx: Ctx, user_id: int) -> dict[str, Any]:
    """Lists the organizations that a user belongs to.

    user_id: The user's id.
    """
    people.find(ctx, user_id)
    mine = [m.organization_id for m in ctx.db.find(OrganizationMembership, user_id=user_id)]
    return answer(ctx, ctx.db.find(Organization, id__in=mine), 1, 100)


@app.get("/api/v2/organization_memberships/{membership_id}", tool="show_organization_membership", mcp=False)
def show_organization_membership(ctx: Ctx, membership_id: int) -> dict[str, Any]:
    """Shows a membership in an organization.

    membership_id: The membership's id.
    """
    row = ctx.require(OrganizationMembership, membership_id)
    return {"organization_membership": resources.organization_membership(ctx, row)}


@app.post("/api/v2/organization_memberships", tool="create_organization_membership", mcp=False, status=201)
def create_organization_membership(ctx: Ctx, organization_membership: OrganizationMembershipInput) -> Reply:
    """Puts a user into an organization.

    organization_membership: Which user and which organization.
    """
    given = sent(ctx, organization_membership)
    user, organization = ctx.db.get(User, given["user_id"]), ctx.db.get(Organization, given["organization_id"])
    if user is None or not user.active:
        raise errors.refuse("user_id", "User: is invalid", "InvalidValue")
    if organization is None:
        raise errors.refuse("organization_id", "Organization: is invalid", "InvalidValue")
    if ctx.db.count(OrganizationMembership, user_id=user.id, organization_id=organization.id):
        raise errors.refuse("user_id", "User: has already been taken", "DuplicateValue")
    row = people.join_organization(ctx, user, organization.id, default=bool(given.get("default")))
    if row.default and user.organization_id != organization.id:
        ctx.db.update(user, organization_id=organization.id, updated_at=ctx.timestamp())
    return created(ctx, {"organization_membership": resources.organization_membership(ctx, row)})


def _leave(ctx: Ctx, row: OrganizationMembership) -> None:
    user = ctx.require(User, row.user_id)
    people.leave_tickets(ctx, row.user_id, row.organization_id)
    ctx.db.delete(row)
    if row.default:
        other = ctx.db.first(OrganizationMembership, user_id=user.id)
        if other is not None:
            ctx.db.update(other, default=True, updated_at=ctx.timestamp())
        ctx.db.update(user, organization_id=other.organization_id if other else None, updated_at=ctx.timestamp())


@app.delete("/api/v2/organization_memberships/{membership_id}", tool="delete_organization_membership", mcp=False)
def delete_organization_membership(ctx: Ctx, membership_id: int) -> Any:
    """Takes a user out of an organization, and with the user the tickets that are still worked on.

    membership_id: The membership's id.
    """
    _leave(ctx, ctx.require(OrganizationMembership, membership_id))
    return done(ctx, {"deleted": True, "id": membership_id})
