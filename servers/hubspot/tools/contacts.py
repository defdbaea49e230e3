"""Contacts. https://developers.hubspot.com/docs/api-reference/crm-contacts-v3/guide"""

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from legoenv_mcp.app import Ctx, Query, Reply

from .. import associations, records, search
from ..app import app, done
from ..kinds import CONTACTS, resolve
from ..models import Membership
from .batches import ChangedObject, upsert
from .objects import Id, Limit, Link, Value, changed, links, open_keys, page


@open_keys
class ContactProperties(TypedDict, total=False):
    """A contact's properties; any other property of contacts is taken as well."""

    email: Value
    firstname: Value
    lastname: Value
    jobtitle: Value
    company: Value
    phone: Value
    mobilephone: Value
    city: Value
    country: Value
    lifecyclestage: Value
    hs_lead_status: Value
    hubspot_owner_id: Value
    hs_email_optout: Value


@app.get("/crm/v3/objects/contacts", tool="list_contacts", mcp=False)
def list_contacts(
    ctx: Ctx, limit: Limit = 10, after: Id | None = None, properties: list[str] | None = None,
    propertiesWithHistory: list[str] | None = None, associations: list[str] | None = None, archived: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Lists contacts, page by page.

    limit: How many records a page has.
    after: Where to go on: paging.next.after of the page before.
    properties: Names of the properties to return.
    propertiesWithHistory: Properties to return with their earlier values.
    associations: Object types whose associated ids to return.
    archived: Returns archived records only.
    """
    return page(ctx, CONTACTS, limit, after, properties, propertiesWithHistory, associations, archived)


@app.post("/crm/v3/objects/contacts", tool="create_contact", status=201)
def create_contact(ctx: Ctx, properties: ContactProperties, associations: list[Link] | None = None) -> dict[str, Any]:
    """Creates a contact. An e-mail address that another contact has is refused with 409; the message names the existing id.

    properties: Property names with their values.
    associations: Records to associate the contact with, each {to: {id}, types: [{associationCategory, associationTypeId}]}. Of type
      HUBSPOT_DEFINED are 279 for a company (1 for the primary one), 4 for a deal, 15 for a ticket.
    """
    return records.whole(ctx, CONTACTS, records.create(ctx, CONTACTS, dict(properties), links(associations)))


@app.get("/crm/v3/objects/contacts/{contactId}", tool="get_contact")
def get_contact(
    ctx: Ctx, contactId: Id, properties: list[str] | None = None, propertiesWithHistory: list[str] | None = None,
    associations: list[str] | None = None, idProperty: str | None = None, archived: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Gets a contact by id, or by e-mail address with idProperty email.

    contactId: The contact's id, or its value of idProperty.
    properties: Names of the properties to return; name, e-mail and times where left out.
    propertiesWithHistory: Properties to return with their earlier values.
    associations: Object types whose associated ids to return, e.g. companies, deals.
    idProperty: The unique property that contactId is a value of, such as email.
    archived: Gets an archived contact.
    """
    row = records.require(ctx, CONTACTS, contactId, idProperty, archived)
    return {
        **records.shown(ctx, CONTACTS, row, properties, history=propertiesWithHistory),
        **records.with_associations(ctx, CONTACTS, row, associations),
    }


@app.patch("/crm/v3/objects/contacts/{contactId}", tool="update_contact")
def update_contact(
    ctx: Ctx, contactId: Id, properties: ContactProperties, idProperty: Annotated[str | None, Query()] = None
) -> dict[str, Any]:  # fmt: skip
    """Changes properties of a contact. The lifecycle stage moves forward only: a step back is passed over unless the stage was cleared
    by an earlier call. hs_email_optout true means the contact must not be written to.

    contactId: The contact's id, or its value of idProperty.
    properties: Property names with their new values; empty text clears one.
    idProperty: The unique property that contactId is a value of, such as email.
    """
    row = records.require(ctx, CONTACTS, contactId, idProperty)
    return changed(ctx, CONTACTS, records.update(ctx, CONTACTS, row, dict(properties)), dict(properties))


@app.delete("/crm/v3/objects/contacts/{contactId}", tool="archive_contact", status=204)
def archive_contact(ctx: Ctx, contactId: Id) -> Any:
    """Archives (deletes) a contact: it drops out of lists, searches and associations.

    contactId: The contact's id.
    """
    row = records.require(ctx, CONTACTS, contactId, archived=None)
    if not row.archived:
        records.archive(ctx, CONTACTS, row)
    return done(ctx, {"id": row.id, "archived": True})


@app.post("/crm/v3/objects/contacts/search", tool="search_contacts", effect="read")
def search_contacts(
    ctx: Ctx, query: str | None = None, filterGroups: list[search.FilterGroup] | None = None,
    sorts: list[search.Sort | str] | None = None, properties: list[str] | None = None, limit: Annotated[int, Field(ge=0, le=200)] = 10,
    after: Id | None = None, filters: search.Alone = None,
) -> dict[str, Any]:  # fmt: skip
    """Finds contacts by name, e-mail, phone or company (query), by filters on any property, or both.

    query: Words that begin words of the name, e-mail address, phone or company.
    filterGroups: Groups of filters joined by OR, each {filters: [{propertyName, operator, value}]} joined by AND; e.g. email EQ, or
      associations.company EQ a company's id.
    sorts: One sort {propertyName, direction}.
    properties: Names of the properties to return; name, e-mail and times where left out.
    limit: How many contacts a page has.
    after: Where to go on: paging.next.after of the page before.
    filters: The filters of a single group, short for filterGroups.
    """
    return search.answer(
        ctx, CONTACTS, search.grouped(filterGroups, filters), query, sorts or [], properties, limit, after
    )


@app.post("/crm/v3/objects/contacts/merge", tool="merge_contacts", effect="update", idempotent=False, status=200)
def merge_contacts(ctx: Ctx, primaryObjectId: Id, objectIdToMerge: Id) -> dict[str, Any]:
    """Merges a contact into another one. The primary keeps its values and takes those that it lacks, the other's e-mail address as an
    additional one, and all its associations. This cannot be undone.

    primaryObjectId: The contact that remains.
    objectIdToMerge: The contact that is merged into it.
    """
    primary, other = records.require(ctx, CONTACTS, primaryObjectId), records.require(ctx, CONTACTS, objectIdToMerge)
    return records.whole(ctx, CONTACTS, records.merge(ctx, CONTACTS, primary, other))


@app.post("/crm/v3/objects/contacts/batch/upsert", tool="batch_upsert_contacts", effect="update", status=200)
def batch_upsert_contacts(ctx: Ctx, inputs: list[ChangedObject]) -> Reply:
    """Creates or changes up to 100 contacts by e-mail address: `new` tells which were created.

    inputs: The contacts, each {id: the address, idProperty: "email", properties}.
    """
    return upsert(ctx, CONTACTS, inputs)


@app.post("/crm/v3/objects/contacts/gdpr-delete", tool="gdpr_delete_contact", effect="delete", mcp=False, status=204)
def gdpr_delete_contact(ctx: Ctx, objectId: Id, idProperty: str | None = None) -> Any:
    """Deletes a contact for good, with all that is known of it.

    objectId: The contact's id or e-mail address.
    idProperty: "email" where objectId is an address.
    """
    row = records.require(ctx, CONTACTS, objectId, idProperty, archived=None)
    for name, other in associations.neighbours(ctx, CONTACTS, row.id):
        associations.unlink(ctx, CONTACTS, row.id, resolve(ctx, name), other)
    for membership in ctx.db.find(Membership, record_id=row.id):
        ctx.db.delete(membership)
    ctx.db.delete(records.require(ctx, CONTACTS, row.id, archived=None))
    return done(ctx, {"id": row.id, "deleted": True})
