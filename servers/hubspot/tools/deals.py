"""Deals. https://developers.hubspot.com/docs/api-reference/crm-deals-v3/guide"""

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from legoenv_mcp.app import Ctx, Query

from .. import records, search
from ..app import app
from ..kinds import DEALS
from .objects import Id, Link, Value, changed, links, open_keys


@open_keys
class DealProperties(TypedDict, total=False):
    """A deal's properties; any other property of deals is taken as well."""

    dealname: Value
    pipeline: Value
    dealstage: Value
    amount: Value
    deal_currency_code: Value
    closedate: Value
    dealtype: Value
    description: Value
    hs_next_step: Value
    hs_priority: Value
    closed_lost_reason: Value
    hubspot_owner_id: Value


@app.post("/crm/v3/objects/deals", tool="create_deal", status=201)
def create_deal(ctx: Ctx, properties: DealProperties, associations: list[Link] | None = None) -> dict[str, Any]:
    """Creates a deal. The stage has to belong to the pipeline (by default the pipeline "default"); list_pipelines tells the ids.

    properties: Property names with their values; stage and pipeline by id, dates as milliseconds or ISO 8601.
    associations: Records to associate the deal with, each {to: {id}, types: [{associationCategory, associationTypeId}]}. Of type
      HUBSPOT_DEFINED are 341 for a company (5 for the primary one), 3 for a contact, 19 for a line item.
    """
    return records.whole(ctx, DEALS, records.create(ctx, DEALS, dict(properties), links(associations)))


@app.patch("/crm/v3/objects/deals/{dealId}", tool="update_deal")
def update_deal(
    ctx: Ctx, dealId: Id, properties: DealProperties, idProperty: Annotated[str | None, Query()] = None
) -> dict[str, Any]:  # fmt: skip
    """Changes properties of a deal. Moving it to a closed stage sets its close date to now unless one is given; whether it is closed,
    won and how probable follows from the stage.

    dealId: The deal's id, or its value of idProperty.
    properties: Property names with their new values; empty text clears one.
    idProperty: The unique property that dealId is a value of.
    """
    row = records.require(ctx, DEALS, dealId, idProperty)
    return changed(ctx, DEALS, records.update(ctx, DEALS, row, dict(properties)), dict(properties))


@app.post("/crm/v3/objects/deals/search", tool="search_deals", effect="read")
def search_deals(
    ctx: Ctx, query: str | None = None, filterGroups: list[search.FilterGroup] | None = None,
    sorts: list[search.Sort | str] | None = None, properties: list[str] | None = None, limit: Annotated[int, Field(ge=0, le=200)] = 10,
    after: Id | None = None, filters: search.Alone = None,
) -> dict[str, Any]:  # fmt: skip
    """Finds deals by name (query), by filters on any property, or both.

    query: Words that begin words of the name, description, stage or type.
    filterGroups: Groups of filters joined by OR, each {filters: [{propertyName, operator, value}]} joined by AND; e.g. dealstage EQ,
      amount GT, closedate BETWEEN, hs_is_closed EQ true, associations.company EQ a company's id.
    sorts: One sort {propertyName, direction}.
    properties: Names of the properties to return; name, amount, stage, pipeline, close date and times where left out.
    limit: How many deals a page has.
    after: Where to go on: paging.next.after of the page before.
    filters: The filters of a single group, short for filterGroups.
    """
    return search.answer(
        ctx, DEALS, search.grouped(filterGroups, filters), query, sorts or [], properties, limit, after
    )
