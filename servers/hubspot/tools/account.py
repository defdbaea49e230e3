"""Owners, users, the account, object schemas and links into the application."""

import re
from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from legoenv_mcp.app import Ctx

from .. import errors, properties, records, times
from ..app import app
from ..kinds import KINDS, of_schema, portal, resolve
from ..models import Owner, Schema, Team
from .objects import Id

SCOPES = [
    f"crm.{area}.{name}.{right}"
    for area, items in (
        ("objects", ("contacts", "companies", "deals", "leads", "line_items", "products", "owners")),
        ("schemas", ("contacts", "companies", "deals"))
    )
    for name in items
    for right in ("read", "write")
] + ["crm.lists.read", "crm.lists.write", "tickets", "oauth"]  # fmt: skip


def owner_shown(ctx: Ctx, o: Owner) -> dict[str, Any]:
    team = ctx.db.get(Team, o.team) if o.team else None
    made: dict[str, Any] = {
        "id": o.id, "email": o.email, "type": "PERSON", "firstName": o.first_name, "lastName": o.last_name, "userId": o.user_id,
        "userIdIncludingInactive": o.user_id, "createdAt": times.shown(o.created_at), "updatedAt": times.shown(o.updated_at),
        "archived": o.archived,
    }  # fmt: skip
    if o.archived:
        del made["userId"]
    if team is not None:
        made["teams"] = [{"id": team.id, "name": team.name, "primary": True}]
    if not ctx.request.method:  # agents need who it is, many at a time
        made = {
            n: v
            for n, v in made.items()
            if n in ("id", "email", "firstName", "lastName", "userId", "archived", "teams")
        }
    return made


@app.get("/crm/v3/owners", tool="list_owners")
def list_owners(
    ctx: Ctx, email: str | None = None, after: Id | None = None, limit: Annotated[int, Field(ge=1, le=500)] = 100,
    archived: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Lists the owners of the account: the users whom records may belong to. Their ids are what hubspot_owner_id takes.

    email: Lists the owner with this e-mail address only.
    after: Where to go on: paging.next.after of the page before.
    limit: How many a page has.
    archived: Lists former users.
    """
    if after and (not after.isascii() or not after.isdecimal() or len(after) > 18):
        raise errors.bad_request(f"Invalid paging cursor: {after}", context={"after": [after]})
    wanted = email.strip().lower() if email else None
    rows = ctx.db.find(Owner, order="id", limit=limit + 1, archived=archived, email=wanted, id__gt=after or None)
    made: dict[str, Any] = {"results": [owner_shown(ctx, o) for o in rows[:limit]]}
    if len(rows) > limit:
        made["paging"] = {"next": {"after": rows[limit - 1].id}}
    return made


@app.get("/crm/v3/owners/{ownerId}", tool="get_owner")
def get_owner(
    ctx: Ctx, ownerId: int, idProperty: Literal["id", "userId"] = "id", archived: bool = False
) -> dict[str, Any]:
    """Gets an owner by its id or its user's id.

    ownerId: The owner's id, or the user's with idProperty userId.
    idProperty: Which of the two ids is given.
    archived: Gets a former user.
    """
    row = ctx.db.get(Owner, str(ownerId)) if idProperty == "id" else ctx.db.first(Owner, user_id=ownerId)
    if row is None or row.archived != archived:
        raise errors.not_found(context={"ownerId": [str(ownerId)]})
    return owner_shown(ctx, row)


def user_shown(o: Owner) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": str(o.user_id), "email": o.email, "firstName": o.first_name, "lastName": o.last_name, "superAdmin": o.super_admin,
        "roleIds": [],
    }  # fmt: skip
    if o.team:
        made["primaryTeamId"] = o.team
    return made


@app.get("/settings/v3/users", tool="list_users", mcp=False)
def list_users(ctx: Ctx, limit: Annotated[int, Field(ge=1, le=100)] = 100, after: Id | None = None) -> dict[str, Any]:
    """Lists the users of the account.

    limit: How many a page has.
    after: Where to go on.
    """
    rows = ctx.db.find(Owner, order="id", limit=limit + 1, archived=False, id__gt=after or None)
    made: dict[str, Any] = {"results": [user_shown(o) for o in rows[:limit]]}
    if len(rows) > limit:
        made["paging"] = {"next": {"after": rows[limit - 1].id}}
    return made


@app.get("/settings/v3/users/teams", tool="list_teams", mcp=False)
def list_teams(ctx: Ctx) -> dict[str, Any]:
    """Lists the teams of the account with their users."""
    return {
        "results": [
            {
                "id": t.id,
                "name": t.name,
                "userIds": [str(o.user_id) for o in ctx.db.find(Owner, team=t.id)],
                "secondaryUserIds": [],
            }
            for t in ctx.db.find(Team)
        ]
    }


@app.get("/settings/v3/users/{userId}", tool="get_user", mcp=False)
def get_user(ctx: Ctx, userId: str) -> dict[str, Any]:
    """Gets a user of the account.

    userId: The user's id.
    """
    row = (
        ctx.db.first(Owner, user_id=int(userId))
        if userId.isascii() and userId.isdecimal() and len(userId) < 19
        else None
    )
    if row is None:
        raise errors.not_found()
    return user_shown(row)


@app.get("/account-info/v3/details", tool="get_account_details", mcp=False)
def get_account_details(ctx: Ctx) -> dict[str, Any]:
    """Tells about the account: its id, currencies and time zone."""
    a = portal(ctx)
    return {
        "portalId": a.portal_id, "accountType": "STANDARD", "timeZone": a.time_zone, "companyCurrency": a.currency,
        "additionalCurrencies": [c for c in a.currencies if c != a.currency], "utcOffset": "+00:00", "utcOffsetMilliseconds": 0,
        "uiDomain": a.ui_domain, "dataHostingLocation": "na1",
    }  # fmt: skip


@app.get("/oauth/v1/access-tokens/{token}", tool="get_access_token", mcp=False)
def get_access_token(ctx: Ctx, token: str) -> dict[str, Any]:
    """Tells whose an access token is and what it allows.

    token: The token.
    """
    a, user = portal(ctx), records.current_user(ctx)
    owner = ctx.db.first(Owner, user_id=user) if user else None
    return {
        "token": token, "user": owner.email if owner else "", "hub_domain": a.domain, "scopes": SCOPES, "hub_id": a.portal_id,
        "app_id": 3_174_022, "expires_in": 1800, "user_id": user, "token_type": "access",
    }  # fmt: skip


@app.get("/integrations/v1/me", tool="get_user_details")
def get_user_details(ctx: Ctx) -> dict[str, Any]:
    """Tells who is calling: user id, owner id, account (hub) id, its currency and the application's domain, today's time and what the
    access token allows. Use the owner id as hubspot_owner_id for one's own records."""
    a, user = portal(ctx), records.current_user(ctx)
    owner = ctx.db.first(Owner, user_id=user) if user else None
    return {
        "userId": user, "ownerId": owner.id if owner else None, "email": owner.email if owner else "",
        "name": f"{owner.first_name} {owner.last_name}".strip() if owner else "", "hubId": a.portal_id, "portalId": a.portal_id,
        "hubDomain": a.domain, "uiDomain": a.ui_domain, "companyCurrency": a.currency,
        "additionalCurrencies": [c for c in a.currencies if c != a.currency], "timeZone": a.time_zone, "now": ctx.timestamp(),
        "tokenType": "access", "scopes": SCOPES,
    }  # fmt: skip


# Object schemas


class Labels(TypedDict, total=False):
    """What people call the type."""

    singular: str
    plural: str


class SchemaProperty(TypedDict):
    """A property of a new type."""

    name: str
    label: str
    type: NotRequired[Literal["string", "number", "date", "datetime", "enumeration", "bool"]]
    fieldType: NotRequired[str]
    hasUniqueValue: NotRequired[bool]


def schema_shown(ctx: Ctx, s: Schema) -> dict[str, Any]:
    kind = of_schema(ctx, s)
    return {
        "id": s.id.partition("-")[2], "name": s.name, "objectTypeId": s.id, "fullyQualifiedName": kind.name,
        "labels": {"singular": s.label_singular, "plural": s.label_plural}, "description": s.description,
        "primaryDisplayProperty": s.primary_display, "secondaryDisplayProperties": s.secondary_display,
        "requiredProperties": s.required, "searchableProperties": s.searchable, "archived": s.archived,
        "createdAt": times.shown(s.created_at), "updatedAt": times.shown(s.updated_at), "associations": [],
        "properties": [properties.rendered(ctx, kind, d) for d in properties.definitions(ctx, kind).values()],
    }  # fmt: skip


@app.get("/crm-object-schemas/v3/schemas", tool="get_schemas")
def get_schemas(ctx: Ctx, archived: bool = False) -> dict[str, Any]:
    """Lists the custom object types of the account. Their objectTypeId or name is what objectType takes; HubSpot's own types, such as
    contacts and deals, are not listed.

    archived: Lists archived types.
    """
    return {"results": [schema_shown(ctx, s) for s in ctx.db.find(Schema, archived=archived)]}


@app.get("/crm-object-schemas/v3/schemas/{objectType}", tool="get_schema", mcp=False)
def get_schema(ctx: Ctx, objectType: str) -> dict[str, Any]:
    """Gets a custom object type.

    objectType: Its name or type id.
    """
    kind = resolve(ctx, objectType)
    if kind.schema is None:
        raise errors.not_found(f"Object type {objectType} is not a custom object type")
    return schema_shown(ctx, kind.schema)


@app.post("/crm-object-schemas/v3/schemas", tool="create_schema", mcp=False, status=201)
def create_schema(
    ctx: Ctx, name: str, labels: Labels, requiredProperties: list[str], properties: list[SchemaProperty],
    associatedObjects: list[str] | None = None, primaryDisplayProperty: str | None = None,
    secondaryDisplayProperties: list[str] | None = None, searchableProperties: list[str] | None = None, description: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates a custom object type.

    name: Its internal name.
    labels: What people call it.
    requiredProperties: The properties that a record must have.
    properties: Its properties.
    associatedObjects: The types it can be associated with.
    primaryDisplayProperty: The property that names a record.
    secondaryDisplayProperties: Properties shown beside the name.
    searchableProperties: The properties that searches look into.
    description: What it is for.
    """
    from .properties import make  # noqa: PLC0415 - the parameter has the module's name

    if not re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_]{0,60}", name):
        raise errors.bad_request(
            f"Invalid object type name: {name}", errors=[{"message": "invalid name", "in": "name"}]
        )
    taken = {k.name for k in KINDS.values()} | {k.singular for k in KINDS.values()}
    if name.lower() in taken or any(s.name.lower() == name.lower() for s in ctx.db.find(Schema)):
        raise errors.conflict(f"An object type named '{name}' already exists")
    named = {p["name"] for p in properties}
    for one in [
        *requiredProperties,
        *(searchableProperties or []),
        *(secondaryDisplayProperties or []),
        *filter(None, [primaryDisplayProperty]),
    ]:
        if one not in named:
            raise errors.bad_request(
                f"Property {one} is not one of the new type's properties", errors=[{"message": one, "in": "properties"}]
            )
    at = times.now(ctx)
    row = ctx.db.add(
        Schema(
            id=f"2-{ctx.sequence('schema', start=48_310_771, step=17)}", name=name, label_singular=labels.get("singular", name),
            label_plural=labels.get("plural", name), description=description or "", primary_display=primaryDisplayProperty or "",
            secondary_display=secondaryDisplayProperties or [], required=requiredProperties, searchable=searchableProperties or [],
            associated=associatedObjects or [], created_at=at, updated_at=at,
        )
    )  # fmt: skip
    kind = of_schema(ctx, row)
    for one in properties:
        make(ctx, kind, {"groupName": f"{name}_information", **one})
    return schema_shown(ctx, row)


# Links


class PageRequest(TypedDict):
    """A page to link to."""

    pagetype: Literal["record", "index"]
    objectTypeId: str
    objectId: NotRequired[str | None]


@app.post("", tool="get_link", effect="read", title="Get HubSpot link")
def get_link(ctx: Ctx, portalId: str, uiDomain: str, pageRequests: list[PageRequest]) -> dict[str, Any]:
    """Makes addresses of pages in the HubSpot application: a record's page, or the list of a type's records. get_user_details tells the
    account's id and domain.

    portalId: The account's id.
    uiDomain: The application's domain.
    pageRequests: The pages, each {pagetype: record or index, objectTypeId, objectId}. Type ids: 0-1 contacts, 0-2 companies, 0-3 deals,
      0-5 tickets, 0-136 leads, 0-27 tasks.
    """
    made = list[dict[str, Any]]()
    for one in pageRequests:
        kind = resolve(ctx, one["objectTypeId"])
        base = f"https://{uiDomain}/contacts/{portalId}"
        if one["pagetype"] == "index":
            made.append(
                {
                    "pagetype": "index",
                    "objectTypeId": kind.type_id,
                    "url": f"{base}/objects/{kind.type_id}/views/all/list",
                }
            )
            continue
        object_id = one.get("objectId")
        if not object_id:
            raise errors.bad_request(
                "objectId is required for record pages", errors=[{"message": "required", "in": "pageRequests.objectId"}]
            )
        made.append(
            {
                "pagetype": "record",
                "objectTypeId": kind.type_id,
                "objectId": object_id,
                "url": f"{base}/record/{kind.type_id}/{object_id}",
            }
        )
    return {"urls": made}
