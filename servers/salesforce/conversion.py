"""Lead conversion: a lead becomes a contact at an account and, unless told otherwise, an opportunity."""

from datetime import date
from typing import Any

from legoenv_mcp.app import Ctx

from . import errors, metadata, records, times
from .metadata import SObjectType
from .models import (
    CampaignMember,
    Contact,
    Event,
    Lead,
    LeadStatus,
    Opportunity,
    OpportunityContactRole,
    SObject,
    Task,
    User,
)

_ACCOUNT, _CONTACT, _OPPORTUNITY = (metadata.TYPES[n] for n in ("account", "contact", "opportunity"))
_TO_ACCOUNT = {
    "Company": "Name", "Phone": "Phone", "Website": "Website", "Industry": "Industry", "AnnualRevenue": "AnnualRevenue",
    "NumberOfEmployees": "NumberOfEmployees", "Street": "BillingStreet", "City": "BillingCity", "State": "BillingState",
    "PostalCode": "BillingPostalCode", "Country": "BillingCountry", "LeadSource": "AccountSource", "Rating": "Rating",
    "CurrencyIsoCode": "CurrencyIsoCode",
}  # fmt: skip
_TO_CONTACT = {
    "FirstName": "FirstName", "LastName": "LastName", "Salutation": "Salutation", "Title": "Title", "Email": "Email", "Phone": "Phone",
    "MobilePhone": "MobilePhone", "Fax": "Fax", "LeadSource": "LeadSource", "Description": "Description", "Street": "MailingStreet",
    "City": "MailingCity", "State": "MailingState", "PostalCode": "MailingPostalCode", "Country": "MailingCountry",
    "DoNotCall": "DoNotCall",
    "HasOptedOutOfEmail": "HasOptedOutOfEmail", "CurrencyIsoCode": "CurrencyIsoCode",
}  # fmt: skip


def _copied(lead: Lead, mapping: dict[str, str]) -> dict[str, Any]:
    return {target: getattr(lead, source) for source, target in mapping.items() if getattr(lead, source) is not None}


def _existing(ctx: Ctx, kind: SObjectType, label: str, value: Any) -> SObject:
    info = next(f for f in metadata.TYPES["lead"].fields.values() if f.name == label)
    record_id = records.values.reference(ctx, info, value)
    return ctx.require(kind.cls, record_id)


def quarter_end(today: date) -> str:
    month = (today.month + 2) // 3 * 3
    return date(today.year, month, {3: 31, 6: 30, 9: 30, 12: 31}[month]).isoformat()


def convert(
    ctx: Ctx, lead_id: str, status: str | None, *, account_id: str | None = None, contact_id: str | None = None,
    opportunity_id: str | None = None, opportunity_name: str | None = None, create_opportunity: bool = True, owner_id: str | None = None,
    allow_save: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Converts a lead; answers the ids of what it became."""
    lead = records.find(ctx, metadata.TYPES["lead"], lead_id)
    assert isinstance(lead, Lead)
    if lead.IsConverted:
        raise errors.refusal("CANNOT_UPDATE_CONVERTED_LEAD", "cannot reference converted lead", "LeadId")
    statuses = {s.MasterLabel: s for s in ctx.db.find(LeadStatus, IsConverted=True)}
    status = status or next(iter(statuses))
    if status not in statuses:
        hint = f"One of: {', '.join(map(str, statuses))}."
        raise errors.refusal("INVALID_STATUS", f"invalid convertedStatus: {status}", "ConvertedStatus", hint=hint)
    if contact_id and not account_id:
        raise errors.refusal("INVALID_ARGUMENT", "accountId is required when contactId is specified", "AccountId")
    owner = owner_id or str(lead.OwnerId)
    if not owner_id and not owner.startswith(User.prefix):
        message = (
            "Converted objects can only be owned by users. If the lead is not owned by a user, you must specify a user for the Owner"
            " field."
        )
        raise errors.refusal("REQUIRED_FIELD_MISSING", message, "OwnerId")
    account = _account(ctx, lead, account_id, owner, allow_save)
    contact = _contact(ctx, lead, contact_id, account, owner, allow_save)
    opportunity = None
    if opportunity_id:
        opportunity = _opportunity(ctx, opportunity_id, account, contact)
    elif create_opportunity:
        opportunity = records.create(ctx, _OPPORTUNITY, {
            "Name": (opportunity_name or str(lead.Company))[:120], "AccountId": account, "ContactId": contact, "OwnerId": owner,
            "StageName": "Prospecting", "CloseDate": quarter_end(ctx.now.date()), "LeadSource": lead.LeadSource,
            "CurrencyIsoCode": lead.CurrencyIsoCode,
        })  # fmt: skip
    records.touch(
        ctx, lead, IsConverted=True, Status=status, ConvertedDate=times.now(ctx)[:10], ConvertedAccountId=account,
        ConvertedContactId=contact,
        ConvertedOpportunityId=opportunity, IsUnreadByOwner=False,
    )  # fmt: skip
    _move(ctx, lead, contact, opportunity or account)
    return {"accountId": account, "contactId": contact, "opportunityId": opportunity, "leadId": lead.Id}


def _completed(ctx: Ctx, lead: Lead, row: SObject, mapping: dict[str, str]) -> str:
    """An existing record that the lead is merged into: what it lacks it takes from the lead, what it has stays."""
    missing = {name: value for name, value in _copied(lead, mapping).items() if getattr(row, name) is None}
    if missing:
        records.touch(ctx, row, **missing)
    return row.Id


def _account(ctx: Ctx, lead: Lead, account_id: str | None, owner: str, allow_save: bool) -> str:
    if account_id:
        return _completed(ctx, lead, _existing(ctx, _ACCOUNT, "ConvertedAccountId", account_id), _TO_ACCOUNT)
    return records.create(ctx, _ACCOUNT, {**_copied(lead, _TO_ACCOUNT), "OwnerId": owner}, allow_save=allow_save)


def _contact(ctx: Ctx, lead: Lead, contact_id: str | None, account: str, owner: str, allow_save: bool) -> str:
    if contact_id:
        contact = _existing(ctx, _CONTACT, "ConvertedContactId", contact_id)
        assert isinstance(contact, Contact)
        if contact.AccountId != account:
            raise errors.refusal("INVALID_ARGUMENT", "The contact is not a contact of the account", "ContactId")
        return _completed(ctx, lead, contact, _TO_CONTACT)
    return records.create(
        ctx, _CONTACT, {**_copied(lead, _TO_CONTACT), "AccountId": account, "OwnerId": owner}, allow_save=allow_save
    )


def _opportunity(ctx: Ctx, opportunity_id: str, account: str, contact: str) -> str:
    """An existing opportunity of the account, in which the contact takes part from now on."""
    row = _existing(ctx, _OPPORTUNITY, "ConvertedOpportunityId", opportunity_id)
    assert isinstance(row, Opportunity)
    if row.AccountId != account:
        raise errors.refusal(
            "INVALID_ARGUMENT", "The opportunity is not an opportunity of the account", "OpportunityId"
        )
    roles = ctx.db.find(OpportunityContactRole, OpportunityId=row.Id, IsDeleted=False)
    if all(role.ContactId != contact for role in roles):
        records.insert(ctx, OpportunityContactRole, OpportunityId=row.Id, ContactId=contact, IsPrimary=not roles)
    return row.Id


def _move(ctx: Ctx, lead: Lead, contact: str, what: str) -> None:
    """The lead's open and past activities and campaign memberships go with the contact."""
    for task in ctx.db.find(Task, WhoId=lead.Id, IsDeleted=False):
        records.touch(ctx, task, WhoId=contact, WhatId=what)
    for event in ctx.db.find(Event, WhoId=lead.Id, IsDeleted=False):
        records.touch(ctx, event, WhoId=contact, WhatId=what)
    for member in ctx.db.find(CampaignMember, LeadId=lead.Id, IsDeleted=False):
        if ctx.db.first(CampaignMember, CampaignId=member.CampaignId, ContactId=contact, IsDeleted=False) is None:
            records.touch(ctx, member, ContactId=contact)
