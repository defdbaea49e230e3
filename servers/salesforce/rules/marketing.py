"""Campaigns and their members."""

from typing import Any

from legoenv_mcp.app import Ctx

from .. import errors, times, values
from ..models import Account, Campaign, CampaignMember, CampaignMemberStatus, Contact, CurrencyType, Lead, Opportunity
from .change import Change

_COUNTED = (
    "NumberOfLeads", "NumberOfContacts", "NumberOfResponses", "NumberOfConvertedLeads", "NumberOfOpportunities",
    "NumberOfWonOpportunities", "AmountAllOpportunities", "AmountWonOpportunities",
)  # fmt: skip


def _campaign(change: Change) -> None:
    start, end = change["StartDate"], change["EndDate"]
    if start and end and end < start:
        raise errors.refusal("FIELD_INTEGRITY_EXCEPTION", "Campaign: End Date cannot be before Start Date", "EndDate")
    for name in _COUNTED:
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
        raise values.bad_choice(change.kind.columns["Status"], wanted or "", [s.Label for s in statuses])
    change["Status"] = status.Label
    if status.HasResponded and not change["HasResponded"]:
        change["FirstRespondedDate"] = change["FirstRespondedDate"] or times.now(ctx)[:10]
    change["HasResponded"] = status.HasResponded
    change.draft.update(_person(ctx, contact or lead))


def _person(ctx: Ctx, person: Contact | Lead | None) -> dict[str, Any]:
    """What a member shows of the lead or contact that it is."""
    if person is None:
        return {}
    shown: dict[str, Any] = {
        "Name": person.Name,
        "FirstName": person.FirstName,
        "LastName": person.LastName,
        "Email": person.Email,
    }
    if isinstance(person, Lead):
        return {**shown, "LeadOrContactId": person.Id, "CompanyOrAccount": person.Company, "Type": "Lead"}
    account = ctx.db.get(Account, person.AccountId or "")
    return {
        **shown,
        "LeadOrContactId": person.Id,
        "CompanyOrAccount": account.Name if account else None,
        "Type": "Contact",
    }


def show_person(ctx: Ctx, person: Contact | Lead) -> None:
    """A person's campaign memberships show its name, address and firm."""
    mine: dict[str, Any] = {"ContactId" if isinstance(person, Contact) else "LeadId": person.Id}
    for member in ctx.db.find(CampaignMember, **mine):
        if isinstance(person, Contact) or member.ContactId is None:
            ctx.db.update(member, **_person(ctx, person))


def _status(change: Change) -> None:
    """A campaign's statuses differ in their labels."""
    change.before = (change.old.Label,) if isinstance(change.old, CampaignMemberStatus) else ()
    same = change.ctx.db.find(CampaignMemberStatus, CampaignId=change["CampaignId"], IsDeleted=False)
    own = change.old.Id if change.old else ""
    if any(s.Id != own and str(s.Label).casefold() == str(change["Label"]).casefold() for s in same):
        raise errors.refusal(
            "DUPLICATE_VALUE", f"duplicate value found: Label duplicates value {change['Label']}", "Label"
        )
    if change["SortOrder"] is None:
        change["SortOrder"] = max((s.SortOrder or 0 for s in same), default=0) + 1


def _status_after(change: Change) -> None:
    """One status is the campaign's default: a new one takes the old one's place. What changes in a status changes in its members."""
    row, ctx = change.row, change.ctx
    if not isinstance(row, CampaignMemberStatus):
        return
    if row.IsDefault:
        for other in ctx.db.find(CampaignMemberStatus, CampaignId=row.CampaignId, IsDefault=True, IsDeleted=False):
            if other.Id != row.Id:
                ctx.db.update(other, IsDefault=False)
    if change.before and change.changed & {"Label", "HasResponded"}:
        for member in ctx.db.find(CampaignMember, CampaignId=row.CampaignId, Status=change.before[0], IsDeleted=False):
            ctx.db.update(member, Status=row.Label, HasResponded=row.HasResponded)
        recount(ctx, row.CampaignId or "")


def recount(ctx: Ctx, campaign_id: str) -> None:
    campaign = ctx.db.get(Campaign, campaign_id)
    if campaign is not None:
        members = ctx.db.find(CampaignMember, CampaignId=campaign_id, IsDeleted=False)
        ctx.db.update(
            campaign, NumberOfLeads=sum(m.Type == "Lead" for m in members), NumberOfContacts=sum(m.Type == "Contact" for m in members),
            NumberOfResponses=sum(m.HasResponded for m in members),
            NumberOfConvertedLeads=sum(bool(m.LeadId and m.ContactId) for m in members),
        )  # fmt: skip


def recount_opportunities(ctx: Ctx, campaign_id: str | None) -> None:
    """What a campaign brought in."""
    campaign = ctx.db.get(Campaign, campaign_id or "")
    if campaign is not None:
        mine = ctx.db.find(Opportunity, CampaignId=campaign_id, IsDeleted=False)
        won = [o for o in mine if o.IsWon]
        ctx.db.update(
            campaign, NumberOfOpportunities=len(mine), NumberOfWonOpportunities=len(won),
            AmountAllOpportunities=round(sum(_worth(ctx, o, campaign) for o in mine), 2),
            AmountWonOpportunities=round(sum(_worth(ctx, o, campaign) for o in won), 2),
        )  # fmt: skip


def _worth(ctx: Ctx, opportunity: Opportunity, campaign: Campaign) -> float:
    """An opportunity's amount in the campaign's currency."""
    own, other = (ctx.db.first(CurrencyType, IsoCode=r.CurrencyIsoCode) for r in (opportunity, campaign))
    rate = (other.ConversionRate or 1) / (own.ConversionRate or 1) if own and other else 1
    return (opportunity.Amount or 0) * rate


def _member_after(change: Change) -> None:
    recount(change.ctx, change["CampaignId"])


def _member_deleted(ctx: Ctx, row: CampaignMember) -> None:
    recount(ctx, row.CampaignId or "")


BEFORE = {"Campaign": _campaign, "CampaignMember": _member, "CampaignMemberStatus": _status}
AFTER = {"Campaign": _campaign_after, "CampaignMember": _member_after, "CampaignMemberStatus": _status_after}
AFTER_DELETE = {"CampaignMember": _member_deleted}
