"""Campaigns and their members. https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference"""

from typing import ClassVar

from .. import fields as f
from .base import CURRENCIES, NOT_VIEWED, SObject

CAMPAIGN_TYPES = (
    "Conference", "Webinar", "Trade Show", "Public Relations", "Partners", "Referral Program", "Advertisement", "Banner Ads", "Direct Mail",
    "Email", "Telemarketing", "Other",
)  # fmt: skip


class Campaign(SObject, table=True):
    """A marketing effort."""

    prefix = "701"
    label, plural = "Campaign", "Campaigns"
    searchable = True

    Name: str | None = f.text("Name", 80, required=True, name_field=True)
    ParentId: str | None = f.lookup("Parent Campaign ID", "Campaign", relation="Parent", children="ChildCampaigns")
    Type: str | None = f.picklist("Type", CAMPAIGN_TYPES)
    Status: str | None = f.picklist("Status", ("Planned", "In Progress", "Completed", "Aborted"), default="Planned")
    StartDate: str | None = f.date("Start Date")
    EndDate: str | None = f.date("End Date")
    CurrencyIsoCode: str | None = f.picklist("Campaign Currency", CURRENCIES, restricted=True)
    ExpectedRevenue: float | None = f.currency("Expected Revenue", 0)
    BudgetedCost: float | None = f.currency("Budgeted Cost", 0)
    ActualCost: float | None = f.currency("Actual Cost", 0)
    ExpectedResponse: float | None = f.number("Expected Response (%)", 10, 2, kind="percent")
    NumberSent: float | None = f.double("Num Sent", 18, 0)
    IsActive: bool = f.checkbox("Active")
    Description: str | None = f.area("Description")
    NumberOfLeads: int | None = f.system(f.number, "Leads in Campaign", calculated=True)
    NumberOfContacts: int | None = f.system(f.number, "Contacts in Campaign", calculated=True)
    NumberOfResponses: int | None = f.system(f.number, "Responses in Campaign", calculated=True)
    NumberOfConvertedLeads: int | None = f.system(f.number, "Converted Leads in Campaign", calculated=True)
    NumberOfOpportunities: int | None = f.system(f.number, "Opportunities in Campaign", calculated=True)
    NumberOfWonOpportunities: int | None = f.system(f.number, "Won Opportunities in Campaign", calculated=True)
    AmountAllOpportunities: float | None = f.system(f.currency, "Value Opportunities in Campaign", calculated=True)
    AmountWonOpportunities: float | None = f.system(f.currency, "Value Won Opportunities in Campaign", calculated=True)
    OwnerId: str | None = f.lookup("Owner ID", "User", relation="Owner", required=True)


class CampaignMemberStatus(SObject, table=True):
    """A status that members of one campaign may have."""

    prefix = "01Y"
    label, plural = "Campaign Member Status", "Campaign Member Statuses"
    hidden: ClassVar[frozenset[str]] = NOT_VIEWED

    CampaignId: str | None = f.lookup(
        "Campaign ID",
        "Campaign",
        relation="Campaign",
        children="CampaignMemberStatuses",
        cascade=True,
        required=True,
        updateable=False,
    )
    Label: str | None = f.text("Label", 765, required=True, name_field=True)
    SortOrder: int | None = f.number("Sort Order")
    IsDefault: bool = f.checkbox("Is Default")
    HasResponded: bool = f.checkbox("Responded")


class CampaignMember(SObject, table=True):
    """A lead or contact in a campaign."""

    prefix = "00v"
    label, plural = "Campaign Member", "Campaign Members"
    hidden: ClassVar[frozenset[str]] = NOT_VIEWED

    CampaignId: str | None = f.lookup(
        "Campaign ID",
        "Campaign",
        relation="Campaign",
        children="CampaignMembers",
        cascade=True,
        required=True,
        updateable=False,
    )
    LeadId: str | None = f.lookup(
        "Lead ID", "Lead", relation="Lead", children="CampaignMembers", cascade=True, updateable=False
    )
    ContactId: str | None = f.lookup(
        "Contact ID", "Contact", relation="Contact", children="CampaignMembers", cascade=True, updateable=False
    )
    Status: str | None = f.picklist("Status", ("Sent", "Responded"))
    HasResponded: bool = f.system(f.checkbox, "Responded", calculated=True)
    FirstRespondedDate: str | None = f.system(f.date, "First Responded Date")
    Name: str | None = f.system(f.text, "Full Name", 121, calculated=True, name_field=True)
    FirstName: str | None = f.system(f.text, "First Name", 40, calculated=True)
    LastName: str | None = f.system(f.text, "Last Name", 80, calculated=True)
    Email: str | None = f.system(f.text, "Email", 80, kind="email", calculated=True)
    CompanyOrAccount: str | None = f.system(f.text, "Company (Account)", calculated=True)
    LeadOrContactId: str | None = f.system(f.text, "Related Record ID", 18, calculated=True)
    Type: str | None = f.system(f.text, "Type", 40, calculated=True)
