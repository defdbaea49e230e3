"""Companies. https://developers.hubspot.com/docs/api-reference/crm-companies-v3/guide"""

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from legoenv_mcp.app import Ctx, Query

from .. import records, search
from ..app import app
from ..kinds import COMPANIES
from .objects import Id, Link, Value, changed, links, open_keys


@open_keys
class CompanyProperties(TypedDict, total=False):
    """A company's properties; any other property of companies is taken as well."""

    name: Value
    domain: Value
    industry: Value
    type: Value
    phone: Value
    address: Value
    city: Value
    state: Value
    zip: Value
    country: Value
    numberofemployees: Value
    annualrevenue: Value
    description: Value
    lifecyclestage: Value
    hubspot_owner_id: Value


@app.post("/crm/v3/objects/companies", tool="create_company", status=201)
def create_company(ctx: Ctx, properties: CompanyProperties, associations: list[Link] | None = None) -> dict[str, Any]:
    """Creates a company. Nothing keeps two companies from having one name or domain: search first.

    properties: Property names with their values. industry takes one of the property's options.
    associations: Records to associate the company with, each {to: {id}, types: [{associationCategory, associationTypeId}]}. Of type
      HUBSPOT_DEFINED are 280 for a contact, 342 for a deal, 340 for a ticket.
    """
    return records.whole(ctx, COMPANIES, records.create(ctx, COMPANIES, dict(properties), links(associations)))


@app.patch("/crm/v3/objects/companies/{companyId}", tool="update_company")
def update_company(
    ctx: Ctx, companyId: Id, properties: CompanyProperties, idProperty: Annotated[str | None, Query()] = None
) -> dict[str, Any]:  # fmt: skip
    """Changes properties of a company. The lifecycle stage moves forward only: a step back is passed over unless the stage was cleared
    by an earlier call.

    companyId: The company's id, or its value of idProperty.
    properties: Property names with their new values; empty text clears one.
    idProperty: The unique property that companyId is a value of.
    """
    row = records.require(ctx, COMPANIES, companyId, idProperty)
    return changed(ctx, COMPANIES, records.update(ctx, COMPANIES, row, dict(properties)), dict(properties))


@app.post("/crm/v3/objects/companies/search", tool="search_companies", effect="read")
def search_companies(
    ctx: Ctx, query: str | None = None, filterGroups: list[search.FilterGroup] | None = None,
    sorts: list[search.Sort | str] | None = None, properties: list[str] | None = None, limit: Annotated[int, Field(ge=0, le=200)] = 10,
    after: Id | None = None, filters: search.Alone = None,
) -> dict[str, Any]:  # fmt: skip
    """Finds companies by name, domain or phone (query), by filters on any property, or both.

    query: Words that begin words of the name, domain, website or phone.
    filterGroups: Groups of filters joined by OR, each {filters: [{propertyName, operator, value}]} joined by AND; e.g. domain EQ.
    sorts: One sort {propertyName, direction}.
    properties: Names of the properties to return; name, domain and times where left out.
    limit: How many companies a page has.
    after: Where to go on: paging.next.after of the page before.
    filters: The filters of a single group, short for filterGroups.
    """
    return search.answer(
        ctx, COMPANIES, search.grouped(filterGroups, filters), query, sorts or [], properties, limit, after
    )
