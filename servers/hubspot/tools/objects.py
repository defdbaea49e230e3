"""Objects of any type. https://developers.hubspot.com/docs/api-reference/crm-objects-v3/guide"""

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from pydantic import BeforeValidator, ConfigDict, Field, with_config
from typing_extensions import TypedDict

from legoenv_mcp.app import Ctx, Query

from .. import records, search
from ..app import app, done
from ..kinds import Kind, resolve
from ..models import CustomObject
from ..properties import definitions

Properties = dict[str, Any]
Value = str | int | float | bool | None
open_keys = with_config(ConfigDict(extra="allow"))
"""For properties of which a few are named: any other of the type is taken as well."""


def _as_id(sent: Any) -> Any:
    return str(sent) if isinstance(sent, int) and not isinstance(sent, bool) else sent


Id = Annotated[str, BeforeValidator(_as_id)]
"""An id is text. Numbers are read as well: some of HubSpot's answers and guides have ids as numbers."""

Limit = Annotated[int, Field(ge=1, le=100)]


class AssociationSpec(TypedDict, total=False):
    """An association type."""

    associationCategory: Literal["HUBSPOT_DEFINED", "USER_DEFINED", "INTEGRATOR_DEFINED", "WORK"]
    associationTypeId: int


class ObjectId(TypedDict):
    """A record's id."""

    id: Id


class Link(TypedDict):
    """An association that a new record is to have."""

    to: ObjectId
    types: list[AssociationSpec]


def links(given: Any) -> list[dict[str, Any]]:
    """The associations of a new record; types without an id are refused as HubSpot's JSON reader does."""
    for one in given or ():
        for spec in one["types"]:
            check_spec(spec)
    return list(given or ())


def check_spec(spec: AssociationSpec) -> None:
    unset = [n for n in ("associationCategory", "associationTypeId") if n not in spec]
    if unset:
        raise records.errors.bad_json(
            f"Cannot build AssociationSpec, some of required attributes are not set [{', '.join(unset)}]"
        )


def page(
    ctx: Ctx, kind: Kind, limit: int, after: str | None, properties: list[str] | None, history: list[str] | None,
    linked: list[str] | None, archived: bool,
) -> dict[str, Any]:  # fmt: skip
    """A page of all records, by id."""
    more: dict[str, Any] = {"object_type": kind.name} if kind.cls is CustomObject else {}
    if after and (not after.isascii() or not after.isdecimal() or len(after) > 18):
        raise records.errors.bad_request(f"Invalid paging cursor: {after}", context={"after": [after]})
    rows = ctx.db.find(kind.cls, order="id", limit=limit + 1, archived=archived, id__gt=after or "", **more)
    known = definitions(ctx, kind)
    made: dict[str, Any] = {
        "results": [
            {
                **records.shown(ctx, kind, row, properties, history=history, known=known),
                **records.with_associations(ctx, kind, row, linked),
            }
            for row in rows[:limit]
        ]
    }
    if len(rows) > limit:
        last = rows[limit - 1].id
        query = {k: v for k, v in ctx.request.query.items() if k != "after"} | {"after": last}
        made["paging"] = {
            "next": {"after": last, "link": f"{ctx.request.base}/crm/v3/objects/{kind.name}?{urlencode(query)}"}
        }
        if not ctx.request.method:
            del made["paging"]["next"]["link"]  # agents go on by the cursor
    return made


@app.get("/crm/v3/objects/{objectType}", tool="list_objects")
def list_objects(
    ctx: Ctx, objectType: str, limit: Limit = 10, after: Id | None = None, properties: list[str] | None = None,
    propertiesWithHistory: Annotated[list[str] | None, Query(mcp=False)] = None, associations: list[str] | None = None,
    archived: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Lists the records of a type, page by page, in the order of their ids. To find records by their values use search_objects, to
    read some by id batch_read_objects.

    objectType: contacts, companies, deals, tickets, leads, tasks, notes, calls, meetings, emails, line_items, products, users, or a
      custom object's type.
    limit: How many records a page has.
    after: Where to go on: paging.next.after of the page before.
    properties: Names of the properties to return; a few basic ones where left out.
    propertiesWithHistory: Properties to return with their earlier values.
    associations: Object types whose associated ids to return.
    archived: Returns archived records only.
    """
    kind = resolve(ctx, objectType)
    return page(ctx, kind, limit, after, properties, propertiesWithHistory, associations, archived)


@app.post("/crm/v3/objects/{objectType}/search", tool="search_objects", effect="read")
def search_objects(
    ctx: Ctx, objectType: str, query: str | None = None, filterGroups: list[search.FilterGroup] | None = None,
    sorts: list[search.Sort | str] | None = None, properties: list[str] | None = None, limit: Annotated[int, Field(ge=0, le=200)] = 10,
    after: Id | None = None, filters: search.Alone = None,
) -> dict[str, Any]:  # fmt: skip
    """Finds records of a type by their properties, by free text, or both. Groups of filters are joined by OR, the filters of a group by
    AND: at most 5 groups, 6 filters in a group and 18 in all.

    objectType: contacts, companies, deals, tickets, leads, tasks, notes, calls, meetings, emails, line_items, products, users, or a
      custom object's type.
    query: Words that begin words of the type's main properties, such as name, e-mail, domain or phone.
    filterGroups: Groups of filters {propertyName, operator, value}. IN and NOT_IN take `values`, of text in lower case; BETWEEN takes
      `value` and `highValue`; HAS_PROPERTY and NOT_HAS_PROPERTY take none. CONTAINS_TOKEN takes words, with * as wildcard. Dates are
      milliseconds or ISO 8601. The property associations.contact (or any type) EQ an id finds what is associated.
    sorts: One sort {propertyName, direction}.
    properties: Names of the properties to return; a few basic ones where left out.
    limit: How many records a page has.
    after: Where to go on: paging.next.after of the page before.
    filters: The filters of a single group, short for filterGroups.
    """
    kind = resolve(ctx, objectType)
    return search.answer(ctx, kind, search.grouped(filterGroups, filters), query, sorts or [], properties, limit, after)


@app.get("/crm/v3/objects/{objectType}/{objectId}", tool="get_object")
def get_object(
    ctx: Ctx, objectType: str, objectId: Id, properties: list[str] | None = None,
    propertiesWithHistory: list[str] | None = None, associations: list[str] | None = None, idProperty: str | None = None,
    archived: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Gets a record of any type, such as a company, deal, ticket or task.

    objectType: contacts, companies, deals, tickets, leads, tasks, notes, calls, meetings, emails, line_items, products, users, or a
      custom object's type.
    objectId: The record's id, or its value of idProperty.
    properties: Names of the properties to return; a few basic ones where left out.
    propertiesWithHistory: Properties to return with their earlier values.
    associations: Object types whose associated ids to return.
    idProperty: The unique property that objectId is a value of.
    archived: Gets an archived record.
    """
    kind = resolve(ctx, objectType)
    row = records.require(ctx, kind, objectId, idProperty, archived)
    return {
        **records.shown(ctx, kind, row, properties, history=propertiesWithHistory),
        **records.with_associations(ctx, kind, row, associations),
    }


@app.post("/crm/v3/objects/{objectType}", tool="create_object", status=201)
def create_object(
    ctx: Ctx, objectType: str, properties: Properties, associations: list[Link] | None = None
) -> dict[str, Any]:
    """Creates a record of any type, such as a lead, product, line item or e-mail log.

    objectType: contacts, companies, deals, tickets, leads, tasks, notes, calls, meetings, emails, line_items, products, or a custom
      object's type.
    properties: Property names with their values. list_properties tells which there are.
    associations: Records to associate the new one with: {to: {id}, types: [{associationCategory, associationTypeId}]}.
    """
    kind = resolve(ctx, objectType)
    return records.whole(ctx, kind, records.create(ctx, kind, properties, links(associations)))


@app.patch("/crm/v3/objects/{objectType}/{objectId}", tool="update_object")
def update_object(
    ctx: Ctx, objectType: str, objectId: Id, properties: Properties, idProperty: Annotated[str | None, Query()] = None
) -> dict[str, Any]:  # fmt: skip
    """Changes properties of a record of any type, such as a lead, task or meeting. Others stay as they are.

    objectType: The record's type, e.g. leads, tasks, meetings, line_items.
    objectId: The record's id, or its value of idProperty.
    properties: Property names with their new values; empty text clears one.
    idProperty: The unique property that objectId is a value of.
    """
    kind = resolve(ctx, objectType)
    row = records.require(ctx, kind, objectId, idProperty)
    return changed(ctx, kind, records.update(ctx, kind, row, properties), properties)


def changed(ctx: Ctx, kind: Kind, row: Any, properties: Properties) -> dict[str, Any]:
    """A record after a change: the basic properties and those that were sent."""
    return records.shown(ctx, kind, row, also=list(properties))


@app.delete("/crm/v3/objects/{objectType}/{objectId}", tool="archive_object", status=204)
def archive_object(ctx: Ctx, objectType: str, objectId: Id) -> Any:
    """Archives (deletes) a record of any type: it drops out of lists, searches and associations.

    objectType: The record's type, e.g. companies, deals, tickets, tasks.
    objectId: The record's id.
    """
    kind = resolve(ctx, objectType)
    row = records.require(ctx, kind, objectId, archived=None)
    if not row.archived:
        records.archive(ctx, kind, row)
    return done(ctx, {"id": row.id, "archived": True})


@app.post(
    "/crm/v3/objects/{objectType}/merge", tool="merge_objects", mcp=False, effect="update", idempotent=False, status=200
)
def merge_objects(ctx: Ctx, objectType: str, primaryObjectId: Id, objectIdToMerge: Id) -> dict[str, Any]:
    """Merges two records of a type into the primary one.

    objectType: The records' type.
    primaryObjectId: The record that remains.
    objectIdToMerge: The record that is merged into it.
    """
    kind = resolve(ctx, objectType)
    primary, other = records.require(ctx, kind, primaryObjectId), records.require(ctx, kind, objectIdToMerge)
    return records.whole(ctx, kind, records.merge(ctx, kind, primary, other))
