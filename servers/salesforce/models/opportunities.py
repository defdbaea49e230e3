"""Opportunities, their contact roles and products. https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference"""

from typing import ClassVar

from .. import fields as f
from .base import CURRENCIES, LEAD_SOURCES, NOT_VIEWED, READ_ONLY, SETUP, SObject

FORECASTS = ("Omitted", "Pipeline", "Best Case", "Commit", "Closed")
STAGES = {
    "Prospecting": (10, "Pipeline"), "Qualification": (10, "Pipeline"), "Needs Analysis": (20, "Pipeline"),
    "Value Proposition": (50, "Pipeline"), "Id. Decision Makers": (60, "Pipeline"), "Perception Analysis": (70, "Pipeline"),
    "Proposal/Price Quote": (75, "Pipeline"), "Negotiation/Review": (90, "Pipeline"), "Closed Won": (100, "Closed"),
    "Closed Lost": (0, "Omitted"),
}  # fmt: skip
"""Stage -> default probability and forecast category, as a new organisation has them."""

OPPORTUNITY_TYPES = (
    "Existing Customer - Upgrade",
    "Existing Customer - Replacement",
    "Existing Customer - Downgrade",
    "New Customer",
)
ROLES = (
    "Business User", "Decision Maker", "Economic Buyer", "Economic Decision Maker", "Evaluator", "Executive Sponsor", "Influencer",
    "Technical Buyer", "Other",
)  # fmt: skip


class Opportunity(SObject, table=True):
    """A possible or closed sale."""

    prefix = "006"
    label, plural = "Opportunity", "Opportunities"
    searchable = True

    AccountId: str | None = f.lookup(
        "Account ID", "Account", relation="Account", children="Opportunities", cascade=True
    )
    ContactId: str | None = f.lookup("Contact ID", "Contact", relation="Contact", updateable=False)
    IsPrivate: bool = f.checkbox("Private")
    Name: str | None = f.text("Name", 120, required=True, name_field=True)
    Description: str | None = f.area("Description")
    StageName: str | None = f.picklist("Stage", tuple(STAGES), restricted=True, required=True)
    Amount: float | None = f.currency("Amount")
    Probability: float | None = f.percent("Probability (%)")
    ExpectedRevenue: float | None = f.system(f.currency, "Expected Amount", calculated=True)
    TotalOpportunityQuantity: float | None = f.double("Quantity")
    CloseDate: str | None = f.date("Close Date", required=True)
    Type: str | None = f.picklist("Opportunity Type", OPPORTUNITY_TYPES)
    NextStep: str | None = f.text("Next Step")
    LeadSource: str | None = f.picklist("Lead Source", LEAD_SOURCES)
    IsClosed: bool = f.system(f.checkbox, "Closed", calculated=True)
    IsWon: bool = f.system(f.checkbox, "Won", calculated=True)
    ForecastCategory: str | None = f.system(
        f.picklist, "Forecast Category", ("Omitted", "Pipeline", "BestCase", "Forecast", "Closed")
    )
    ForecastCategoryName: str | None = f.picklist("Forecast Category", FORECASTS, restricted=True)
    CurrencyIsoCode: str | None = f.picklist("Opportunity Currency", CURRENCIES, restricted=True)
    CampaignId: str | None = f.lookup("Campaign ID", "Campaign", relation="Campaign", children="Opportunities")
    HasOpportunityLineItem: bool = f.system(f.checkbox, "Has Line Item", calculated=True)
    Pricebook2Id: str | None = f.lookup("Price Book ID", "Pricebook2", relation="Pricebook2", children="Opportunities")
    OwnerId: str | None = f.lookup("Owner ID", "User", relation="Owner", required=True)
    RecordTypeId: str | None = f.lookup("Record Type ID", "RecordType", relation="RecordType")
    FiscalQuarter: int | None = f.system(f.number, "Fiscal Quarter", calculated=True)
    FiscalYear: int | None = f.system(f.number, "Fiscal Year", calculated=True)
    Fiscal: str | None = f.system(f.text, "Fiscal Period", 6, calculated=True)
    LastStageChangeDate: str | None = f.system(f.datetime, "Last Stage Change Date")
    LastActivityDate: str | None = f.system(f.date, "Last Activity")
    External_Id__c: str | None = f.custom()


class OpportunityStage(SObject, table=True):
    """A value of Opportunity.StageName and what it implies."""

    prefix = "01J"
    label, plural = "Opportunity Stage", "Opportunity Stage"
    operations = READ_ONLY
    hidden: ClassVar[frozenset[str]] = SETUP | NOT_VIEWED

    MasterLabel: str | None = f.text("Master Label", createable=False, updateable=False, name_field=True)
    ApiName: str | None = f.text("API Name", createable=False, updateable=False)
    IsActive: bool = f.checkbox("Is Active", default=True, createable=False, updateable=False)
    SortOrder: int | None = f.number("Sort Order", createable=False, updateable=False)
    IsClosed: bool = f.checkbox("Closed", createable=False, updateable=False)
    IsWon: bool = f.checkbox("Won", createable=False, updateable=False)
    ForecastCategoryName: str | None = f.picklist("Forecast Category", FORECASTS, createable=False, updateable=False)
    DefaultProbability: float | None = f.percent("Default Probability", createable=False, updateable=False)


class OpportunityContactRole(SObject, table=True):
    """A contact's part in an opportunity; at most one is primary."""

    prefix = "00K"
    label, plural = "Opportunity Contact Role", "Opportunity Contact Roles"
    hidden: ClassVar[frozenset[str]] = NOT_VIEWED

    OpportunityId: str | None = f.lookup(
        "Opportunity ID",
        "Opportunity",
        relation="Opportunity",
        children="OpportunityContactRoles",
        cascade=True,
        required=True,
        updateable=False,
    )
    ContactId: str | None = f.lookup(
        "Contact ID", "Contact", relation="Contact", children="OpportunityContactRoles", cascade=True, required=True
    )
    Role: str | None = f.picklist("Role", ROLES)
    IsPrimary: bool = f.checkbox("Primary")


class Product2(SObject, table=True):
    """Something that is sold."""

    prefix = "01t"
    label, plural = "Product", "Products"
    searchable = True

    Name: str | None = f.text("Product Name", required=True, name_field=True)
    ProductCode: str | None = f.text("Product Code")
    Description: str | None = f.area("Product Description", 4000)
    IsActive: bool = f.checkbox("Active")
    Family: str | None = f.picklist("Product Family", ("None",))
    StockKeepingUnit: str | None = f.text("Product SKU", 180)
    QuantityUnitOfMeasure: str | None = f.picklist("Quantity Unit Of Measure", ("Each",))
    DisplayUrl: str | None = f.url("Display URL")
    CurrencyIsoCode: str | None = f.picklist("Product Currency", CURRENCIES, restricted=True)
    External_Id__c: str | None = f.custom()


class Pricebook2(SObject, table=True):
    """A list of prices. The standard one exists from the start."""

    prefix = "01s"
    label, plural = "Price Book", "Price Books"
    searchable = True

    Name: str | None = f.text("Price Book Name", required=True, name_field=True)
    Description: str | None = f.text("Description")
    IsActive: bool = f.checkbox("Active")
    IsStandard: bool = f.checkbox("Is Standard Price Book", createable=False, updateable=False)


class PricebookEntry(SObject, table=True):
    """A product's price in a price book."""

    prefix = "01u"
    label, plural = "Price Book Entry", "Price Book Entries"
    hidden: ClassVar[frozenset[str]] = NOT_VIEWED

    Name: str | None = f.system(f.text, "Product Name", calculated=True, name_field=True)
    Pricebook2Id: str | None = f.lookup(
        "Price Book ID",
        "Pricebook2",
        relation="Pricebook2",
        children="PricebookEntries",
        cascade=True,
        required=True,
        updateable=False,
    )
    Product2Id: str | None = f.lookup(
        "Product ID",
        "Product2",
        relation="Product2",
        children="PricebookEntries",
        cascade=True,
        required=True,
        updateable=False,
    )
    UnitPrice: float | None = f.currency("List Price", required=True)
    IsActive: bool = f.checkbox("Active")
    UseStandardPrice: bool = f.checkbox("Use Standard Price")
    ProductCode: str | None = f.system(f.text, "Product Code", calculated=True)
    CurrencyIsoCode: str | None = f.picklist("Currency ISO Code", CURRENCIES, restricted=True)


class OpportunityLineItem(SObject, table=True):
    """A product on an opportunity. The opportunity's amount is the sum over them."""

    prefix = "00k"
    label, plural = "Opportunity Product", "Opportunity Products"
    hidden: ClassVar[frozenset[str]] = NOT_VIEWED

    OpportunityId: str | None = f.lookup(
        "Opportunity ID",
        "Opportunity",
        relation="Opportunity",
        children="OpportunityLineItems",
        cascade=True,
        required=True,
        updateable=False,
    )
    PricebookEntryId: str | None = f.lookup(
        "Price Book Entry ID",
        "PricebookEntry",
        relation="PricebookEntry",
        children="OpportunityLineItems",
        updateable=False,
    )
    Product2Id: str | None = f.lookup(
        "Product ID", "Product2", relation="Product2", children="OpportunityLineItems", updateable=False
    )
    Name: str | None = f.system(f.text, "Opportunity Product Name", 376, calculated=True, name_field=True)
    ProductCode: str | None = f.system(f.text, "Product Code", calculated=True)
    Quantity: float | None = f.double("Quantity", 12, required=True)
    UnitPrice: float | None = f.currency("Sales Price")
    ListPrice: float | None = f.system(f.currency, "List Price", calculated=True)
    Discount: float | None = f.percent("Discount")
    Subtotal: float | None = f.system(f.currency, "Subtotal", calculated=True)
    TotalPrice: float | None = f.currency("Total Price")
    ServiceDate: str | None = f.date("Date")
    CurrencyIsoCode: str | None = f.system(f.picklist, "Currency ISO Code", CURRENCIES)
    Description: str | None = f.text("Line Description")
    SortOrder: int | None = f.number("Sort Order")
