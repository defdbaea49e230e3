"""Tickets. https://developers.hubspot.com/docs/api-reference/crm-tickets-v3/guide"""

from typing import Annotated, Any

from typing_extensions import TypedDict

from legoenv_mcp.app import Ctx, Query

from .. import records
from ..app import app
from ..kinds import TICKETS
from .objects import Id, Link, Value, changed, links, open_keys


@open_keys
class TicketProperties(TypedDict, total=False):
    """A ticket's properties; any other property of tickets is taken as well."""

    subject: Value
    content: Value
    hs_pipeline: Value
    hs_pipeline_stage: Value
    hs_ticket_priority: Value
    hs_ticket_category: Value
    source_type: Value
    hubspot_owner_id: Value


@app.post("/crm/v3/objects/tickets", tool="create_ticket", status=201)
def create_ticket(ctx: Ctx, properties: TicketProperties, associations: list[Link] | None = None) -> dict[str, Any]:
    """Creates a ticket. It needs hs_pipeline_stage, a stage of its pipeline (by default "0", whose stages are 1 to 4).

    properties: Property names with their values. Priorities are LOW, MEDIUM, HIGH, URGENT.
    associations: Records to associate the ticket with, each {to: {id}, types: [{associationCategory, associationTypeId}]}. Of type
      HUBSPOT_DEFINED are 16 for a contact, 339 for a company (26 for the primary one), 28 for a deal.
    """
    return records.whole(ctx, TICKETS, records.create(ctx, TICKETS, dict(properties), links(associations)))


@app.patch("/crm/v3/objects/tickets/{ticketId}", tool="update_ticket")
def update_ticket(
    ctx: Ctx, ticketId: Id, properties: TicketProperties, idProperty: Annotated[str | None, Query()] = None
) -> dict[str, Any]:  # fmt: skip
    """Changes properties of a ticket. Moving it to a closed stage closes it.

    ticketId: The ticket's id, or its value of idProperty.
    properties: Property names with their new values; empty text clears one.
    idProperty: The unique property that ticketId is a value of.
    """
    row = records.require(ctx, TICKETS, ticketId, idProperty)
    return changed(ctx, TICKETS, records.update(ctx, TICKETS, row, dict(properties)), dict(properties))
