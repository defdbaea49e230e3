"""Lead conversion and, for agents, the commonest records with their fields spelt out."""

import base64
from typing import Any, Literal

from legoenv_mcp.app import MISSING, Ctx

from .. import conversion, errors, metadata, records
from ..app import app
from .records import allows_duplicates, saved

_INPUTS = {
    "convertedStatus": "status", "accountId": "account_id", "contactId": "contact_id", "opportunityId": "opportunity_id",
    "opportunityName": "opportunity_name", "ownerId": "owner_id", "createOpportunity": "create_opportunity",
}  # fmt: skip


@app.post(
    "/services/data/v{version}/actions/standard/convertLead", tool="invoke_convert_lead", effect="transition", mcp=False
)
def invoke_convert_lead(ctx: Ctx, inputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Converts leads: the standard invocable action.

    inputs: One object per lead: leadId, convertedStatus, accountId, contactId, opportunityName, createOpportunity, ownerId.
    """
    results = list[dict[str, Any]]()
    for given in inputs:
        options = {_INPUTS[k]: v for k, v in given.items() if k in _INPUTS}
        texts = {k: v for k, v in options.items() if k != "create_opportunity"}
        if not all(isinstance(v, str) or v is None for v in texts.values()):
            raise errors.json_error("The inputs of convertLead are text")
        options["create_opportunity"] = options.get("create_opportunity") is not False
        made = conversion.convert(
            ctx, str(given.get("leadId", "")), options.pop("status", None), **options, allow_save=allows_duplicates(ctx)
        )
        results.append({"actionName": "convertLead", "errors": None, "invocationId": None, "isSuccess": True, "outputValues": made,
        "sortOrder": -1, "version": 1})  # fmt: skip
    return results


@app.operation("POST", "", tool="convert_lead", effect="transition")
def convert_lead(
    ctx: Ctx, leadId: str, convertedStatus: str | None = None, accountId: str | None = None, contactId: str | None = None,
    opportunityId: str | None = None, opportunityName: str | None = None, doNotCreateOpportunity: bool = False, ownerId: str | None = None,
    allow_save: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Converts a lead into an account, a contact and an opportunity. Existing ones are used where their ids are given. A converted
    lead is read-only.

    leadId: The lead's id.
    convertedStatus: The status it gets; the organisation's converted status where left out.
    accountId: An existing account for the contact.
    contactId: An existing contact at that account.
    opportunityId: An existing opportunity to use.
    opportunityName: The new opportunity's name; the company's name where left out.
    doNotCreateOpportunity: Makes no opportunity.
    ownerId: The owner of the new records; the lead's owner where left out. Needed where a queue owns the lead.
    allow_save: Saves new records although a duplicate rule warns.
    """
    return {
        "success": True,
        **conversion.convert(
            ctx, leadId, convertedStatus, account_id=accountId, contact_id=contactId, opportunity_id=opportunityId,
            opportunity_name=opportunityName, create_opportunity=not doNotCreateOpportunity, owner_id=ownerId, allow_save=allow_save,
        ),
    }  # fmt: skip


def _create(ctx: Ctx, sobject: str, **fields: Any) -> dict[str, Any]:
    return saved(records.create(ctx, metadata.TYPES[sobject.lower()], fields))


@app.operation("POST", "", tool="create_task")
def create_task(
    ctx: Ctx, Subject: str, WhoId: str | MISSING = MISSING, WhatId: str | MISSING = MISSING, ActivityDate: str | MISSING = MISSING,
    Status: Literal["Not Started", "In Progress", "Completed", "Waiting on someone else", "Deferred"] | MISSING = MISSING,
    Priority: Literal["High", "Normal", "Low"] | MISSING = MISSING, Description: str | MISSING = MISSING, OwnerId: str | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a task.

    Subject: What is to be done.
    WhoId: The contact or lead it is about.
    WhatId: The account, opportunity, case or campaign it is about.
    ActivityDate: The due date, YYYY-MM-DD.
    Status: How far it is.
    Priority: How urgent it is.
    Description: Comments.
    OwnerId: The user it is assigned to; the current user where left out.
    """
    return _create(ctx, "Task", **ctx.sent())


@app.operation("POST", "", tool="create_event")
def create_event(
    ctx: Ctx, Subject: str, StartDateTime: str, EndDateTime: str | MISSING = MISSING, DurationInMinutes: int | MISSING = MISSING,
    WhoId: str | MISSING = MISSING, WhatId: str | MISSING = MISSING, Location: str | MISSING = MISSING,
    Description: str | MISSING = MISSING,
    OwnerId: str | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a calendar event. It needs an end or a duration.

    Subject: What it is.
    StartDateTime: When it starts, ISO 8601 with time zone.
    EndDateTime: When it ends.
    DurationInMinutes: How long it lasts.
    WhoId: The contact or lead it is with.
    WhatId: The account, opportunity, case or campaign it is about.
    Location: Where it is.
    Description: More about it.
    OwnerId: The user whose calendar it is in; the current user where left out.
    """
    return _create(ctx, "Event", **ctx.sent())


@app.operation("POST", "", tool="create_case")
def create_case(
    ctx: Ctx, Subject: str, Description: str | MISSING = MISSING, AccountId: str | MISSING = MISSING, ContactId: str | MISSING = MISSING,
    Status: Literal["New", "Working", "Escalated", "Closed"] | MISSING = MISSING, Priority: Literal["High", "Medium",
    "Low"] | MISSING = MISSING,
    Origin: Literal["Phone", "Email", "Web"] | MISSING = MISSING, OwnerId: str | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a case. Its account is the contact's where none is given.

    Subject: What it is about.
    Description: The whole story.
    AccountId: The customer.
    ContactId: The person who asked.
    Status: Where it stands.
    Priority: How urgent it is.
    Origin: How it came in.
    OwnerId: The user or queue that works on it; the current user where left out.
    """
    return _create(ctx, "Case", **ctx.sent())


@app.operation("POST", "", tool="create_case_comment")
def create_case_comment(ctx: Ctx, ParentId: str, CommentBody: str, IsPublished: bool = False) -> dict[str, Any]:
    """Adds a comment to a case.

    ParentId: The case's id.
    CommentBody: The comment.
    IsPublished: Whether the customer sees it.
    """
    return _create(ctx, "CaseComment", ParentId=ParentId, CommentBody=CommentBody, IsPublished=IsPublished)


@app.operation("POST", "", tool="create_note")
def create_note(ctx: Ctx, Title: str, Content: str, LinkedEntityId: str | MISSING = MISSING) -> dict[str, Any]:
    """Creates an enhanced note (ContentNote) and shows it on a record.

    Title: The note's title.
    Content: Its text, plain; it is stored as base64 for you.
    LinkedEntityId: The record to show it on.
    """
    note = records.create(
        ctx, metadata.TYPES["contentnote"], {"Title": Title, "Content": base64.b64encode(Content.encode()).decode()}
    )
    if LinkedEntityId is MISSING:
        return saved(note)
    link = records.create(
        ctx, metadata.TYPES["contentdocumentlink"], {"ContentDocumentId": note, "LinkedEntityId": LinkedEntityId}
    )
    return saved(note, contentDocumentLinkId=link)


@app.operation("POST", "", tool="add_campaign_member")
def add_campaign_member(
    ctx: Ctx, CampaignId: str, ContactId: str | MISSING = MISSING, LeadId: str | MISSING = MISSING, Status: str | MISSING = MISSING
) -> dict[str, Any]:  # fmt: skip
    """Adds a contact or a lead to a campaign.

    CampaignId: The campaign's id.
    ContactId: The contact to add.
    LeadId: The lead to add, where it is no contact.
    Status: One of the campaign's member statuses; its default where left out.
    """
    return _create(ctx, "CampaignMember", **ctx.sent())


@app.operation("POST", "", tool="add_opportunity_product")
def add_opportunity_product(
    ctx: Ctx, OpportunityId: str, PricebookEntryId: str, Quantity: float, UnitPrice: float, Discount: float | MISSING = MISSING
) -> dict[str, Any]:  # fmt: skip
    """Adds a product to an opportunity. The opportunity's amount becomes the sum of its products.

    OpportunityId: The opportunity's id.
    PricebookEntryId: The product's price in the opportunity's price book.
    Quantity: How many.
    UnitPrice: The sales price of one.
    Discount: Percent off.
    """
    return _create(ctx, "OpportunityLineItem", **ctx.sent())


@app.operation("POST", "", tool="add_opportunity_contact_role")
def add_opportunity_contact_role(
    ctx: Ctx, OpportunityId: str, ContactId: str, Role: str | MISSING = MISSING, IsPrimary: bool | MISSING = MISSING
) -> dict[str, Any]:  # fmt: skip
    """Gives a contact a part in an opportunity. A new primary contact takes the place of the old one.

    OpportunityId: The opportunity's id.
    ContactId: The contact's id.
    Role: Such as Decision Maker or Technical Buyer.
    IsPrimary: Whether this is the opportunity's main contact.
    """
    return _create(ctx, "OpportunityContactRole", **ctx.sent())
