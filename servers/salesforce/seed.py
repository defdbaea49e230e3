"""A fresh organisation: profiles, picklist values that are records, the standard price book, queues, reports."""

import json
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from . import ids, records, reports
from .models import (
    CaseStatus,
    CurrencyType,
    Group,
    LeadStatus,
    OpportunityStage,
    Organization,
    Pricebook2,
    Profile,
    RecordType,
    Report,
    SObject,
    User,
    UserRole,
)
from .models.accounts import LEAD_STATUSES
from .models.base import RATES
from .models.opportunities import STAGES
from .models.service import CASE_STATUSES

FOUNDED = "2018-01-02T09:00:00.000+0000"
PROFILES = (
    "System Administrator",
    "Standard User",
    "Marketing User",
    "Contract Manager",
    "Read Only",
    "Solution Manager",
)
QUEUES = (
    ("Inbound Leads", "Inbound_Leads"),
    ("Support Tier 1", "Support_Tier_1"),
    ("Support Tier 2", "Support_Tier_2"),
)
RECORD_TYPES = (
    ("Opportunity", "New Business", "New_Business"),
    ("Opportunity", "Renewal", "Renewal"),
    ("Account", "Business", "Business"),
)


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    """What an organisation has before anybody works in it."""
    system = ids.new(ctx, User.prefix)

    def add(cls: type[SObject], **given: Any) -> SObject:
        return records.insert(ctx, cls, created=FOUNDED, by=system, **given)

    profiles = [add(Profile, Name=name, UserType="Standard") for name in PROFILES]
    stamps: dict[str, Any] = {
        "CreatedDate": FOUNDED,
        "LastModifiedDate": FOUNDED,
        "SystemModstamp": FOUNDED,
        "CreatedById": system,
        "LastModifiedById": system,
    }
    ctx.db.add(
        User(
            Id=system, Username=f"autoproc@{organisation.domain}", LastName="Process", FirstName="Automated", Name="Automated Process",
            Email=f"autoproc@{organisation.domain}", Alias="autoproc", IsActive=True, TimeZoneSidKey="GMT", LocaleSidKey="en_US",
            LanguageLocaleKey="en_US", EmailEncodingKey="UTF-8", ProfileId=profiles[0].Id, UserType="AutomatedProcess", **stamps,
        )
    )  # fmt: skip
    add(
        Organization, Name=organisation.name, InstanceName="GB42", OrganizationType="Enterprise Edition", TimeZoneSidKey="GMT",
        DefaultLocaleSidKey="en_US", LanguageLocaleKey="en_US", DefaultCurrencyIsoCode=organisation.currency, FiscalYearStartMonth=1,
    )  # fmt: skip
    corporate = organisation.currency if organisation.currency in RATES else "USD"
    for code, rate in RATES.items():
        add(
            CurrencyType, IsoCode=code, ConversionRate=round(rate / RATES[corporate], 6), DecimalPlaces=0 if code == "JPY" else 2,
            IsActive=True, IsCorporate=code == corporate,
        )  # fmt: skip
    add(UserRole, Name="CEO", DeveloperName="CEO")
    for order, (name, (probability, forecast)) in enumerate(STAGES.items(), 1):
        add(
            OpportunityStage, MasterLabel=name, ApiName=name, SortOrder=order, IsActive=True, IsClosed=name.startswith("Closed"),
            IsWon=name == "Closed Won", ForecastCategoryName=forecast, DefaultProbability=probability,
        )  # fmt: skip
    for order, name in enumerate(LEAD_STATUSES, 1):
        add(
            LeadStatus,
            MasterLabel=name,
            ApiName=name,
            SortOrder=order,
            IsDefault=order == 1,
            IsConverted=name == "Closed - Converted",
        )
    for order, name in enumerate(CASE_STATUSES, 1):
        add(
            CaseStatus, MasterLabel=name, ApiName=name, SortOrder=order, IsDefault=order == 1, IsClosed=name == "Closed"
        )
    add(Pricebook2, Name="Standard Price Book", IsActive=True, IsStandard=True)
    for name, developer_name in QUEUES:
        add(Group, Name=name, DeveloperName=developer_name, Type="Queue")
    for kind, name, developer_name in RECORD_TYPES:
        add(RecordType, SobjectType=kind, Name=name, DeveloperName=developer_name, IsActive=True)
    for name, definition in reports.STANDARD.items():
        add(
            Report, Name=name, DeveloperName=name.replace(" ", "_").replace("-", "_"), FolderName="Public Reports",
            Format=definition["format"],
            Description=definition["description"], Definition=json.dumps(definition), OwnerId=system,
        )  # fmt: skip
