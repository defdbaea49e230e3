"""Campaigns and their members."""

from legoenv_mcp.app import Ctx

from .. import errors, times, values
from ..models import Account, Campaign, CampaignMember, CampaignMemberStatus, Contact, Lead
from .change import Change


def _campaign(change: Change) -> None:
    start, end = change["StartDate"], change["EndDate"]
    if start and end and end < start:
        raise errors.refusal("FIELD_INTEGRITY_EXCEPTION", "Campaign: End Date cannot be before Start Date", "EndDate")
    for name in ("NumberOfLeads", "NumberOfContacts", "NumberOfResponses"):
        change[name] = change[name] or 0


def _campaign_after(change: Change) -> None:
    """Every campaign starts with the two statuses Sent and Responded."""
    if change.creating and change.row is not None:
        from .. import records  # noqa: PLC0415 - records call rules

        for order, label in enumerate(("Sent", "Responded"), 1):
            records.insert(
                change.ctx, CampaignMemberStatus, created=change.row.CreatedDate or "", CampaignId=change.row.Id, Label=label,
                SortOrder=order,
                IsDefault=order == 1, HasResponded=order == 2,
            )  # fmt: skip


def _member(change: Change) -> None:
    """A member is a lead or a contact, once per campaign, with a status of that campaign."""
    ctx = change.ctx
    if change.creating:
        if change["LeadId"] is None and change["ContactId"] is None:
            raise errors.refusal(
                "REQUIRED_FIELD_MISSING", "Required fields are missing: [LeadId, ContactId]", "LeadId", "ContactId"
            )
        own = {"ContactId": change["ContactId"]} if change["ContactId"] else {"LeadId": change["LeadId"]}
        if ctx.db.first(CampaignMember, CampaignId=change["CampaignId"], IsDeleted=False, **own) is not None:
            raise errors.refusal("DUPLICATE_VALUE", "Already a campaign member.")
    lead, contact = ctx.db.get(Lead, change["LeadId"] or ""), ctx.db.get(Contact, change["ContactId"] or "")
    if change.creating and contact is None and lead is not None and lead.IsConverted:
        raise errors.refusal("CANNOT_UPDATE_CONVERTED_LEAD", "cannot reference converted lead", "LeadId")
    statuses = ctx.db.find(CampaignMemberStatus, order="SortOrder", CampaignId=change["CampaignId"], IsDeleted=False)
    wanted = change["Status"]
    status = next(
        (s for s in statuses if (s.IsDefault if wanted is None else str(s.Label).casefold() == wanted.casefold())), None
    )
    if status is None:
        raise values.bad_choice(change.kind.columns["Status"], wanted or "")
    change["Status"] = status.Label
    if status.HasResponded and not change["HasResponded"]:
        change["FirstRespondedDate"] = change["FirstRespondedDate"] or times.now(ctx)[:10]
    change["HasResponded"] = status.HasResponded
    person = contact or lead
    if person is not None:
        change["Name"], change["FirstName"], change["LastName"] = person.Name, person.FirstName, person.LastName
        change["Email"], change["LeadOrContactId"] = person.Email, person.Id
    if contact is not None:
        account = ctx.db.get(Account, contact.AccountId or "")
        change["CompanyOrAccount"], change["Type"] = account.Name if account else None, "Contact"
    elif lead is not None:
        change["CompanyOrAccount"], change["Type"] = lead.Company, "Lead"


def recount(ctx: Ctx, campaign_id: str) -> None:
    campaign = ctx.db.get(Campaign, campaign_id)
    if campaign is not None:
        members = ctx.db.find(CampaignMember, CampaignId=campaign_id, IsDeleted=False)
        ctx.db.update(
            campaign, NumberOfLeads=sum(m.Type == "Lead" for m in members), NumberOfContacts=sum(m.Type == "Contact" for m in members),
            NumberOfResponses=sum(m.HasResponded for m in members),
        )  # fmt: skip


def _member_after(change: Change) -> None:
    recount(change.ctx, change["CampaignId"])


def _member_deleted(ctx: Ctx, row: CampaignMember) -> None:
    recount(ctx, row.CampaignId or "")


BEFORE = {"Campaign": _campaign, "CampaignMember": _member}
AFTER = {"Campaign": _campaign_after, "CampaignMember": _member_after}
AFTER_DELETE = {"CampaignMember": _member_deleted}
