"""Accounts, contacts and leads. https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference"""

from typing import ClassVar

from .. import fields as f
from .base import CURRENCIES, INDUSTRIES, LEAD_SOURCES, NOT_VIEWED, RATINGS, READ_ONLY, SALUTATIONS, SETUP, SObject

ACCOUNT_TYPES = (
    "Prospect", "Customer - Direct", "Customer - Channel", "Former Customer", "Channel Partner / Reseller", "Installation Partner",
    "Technology Partner", "Other",
)  # fmt: skip
LEAD_STATUSES = (
    "Open - Not Contacted",
    "Working - Contacted",
    "Nurturing",
    "Qualified",
    "Closed - Converted",
    "Closed - Not Converted",
)
TIERS = ("Enterprise", "Mid-Market", "SMB")
PRODUCT_INTERESTS = ("Analytics", "Integrations", "Mobile", "Support", "Training")


class Account(SObject, table=True):
    """A company."""

    prefix = "001"
    label, plural = "Account", "Accounts"
    searchable = True

    Name: str | None = f.text("Account Name", required=True, name_field=True)
    Type: str | None = f.picklist("Account Type", ACCOUNT_TYPES)
    ParentId: str | None = f.lookup("Parent Account ID", "Account", relation="Parent", children="ChildAccounts")
    BillingStreet: str | None = f.area("Billing Street", 255)
    BillingCity: str | None = f.text("Billing City", 40)
    BillingState: str | None = f.text("Billing State/Province", 80)
    BillingPostalCode: str | None = f.text("Billing Zip/Postal Code", 20)
    BillingCountry: str | None = f.text("Billing Country", 80)
    ShippingStreet: str | None = f.area("Shipping Street", 255)
    ShippingCity: str | None = f.text("Shipping City", 40)
    ShippingState: str | None = f.text("Shipping State/Province", 80)
    ShippingPostalCode: str | None = f.text("Shipping Zip/Postal Code", 20)
    ShippingCountry: str | None = f.text("Shipping Country", 80)
    Phone: str | None = f.phone("Account Phone")
    Fax: str | None = f.phone("Account Fax")
    AccountNumber: str | None = f.text("Account Number", 40)
    Website: str | None = f.url("Website")
    Sic: str | None = f.text("SIC Code", 20)
    Industry: str | None = f.picklist("Industry", INDUSTRIES)
    AnnualRevenue: float | None = f.currency("Annual Revenue", 0)
    NumberOfEmployees: int | None = f.number("Employees")
    Ownership: str | None = f.picklist("Ownership", ("Public", "Private", "Subsidiary", "Other"))
    TickerSymbol: str | None = f.text("Ticker Symbol", 20)
    Description: str | None = f.area("Account Description")
    Rating: str | None = f.picklist("Account Rating", RATINGS)
    Site: str | None = f.text("Account Site", 80)
    CurrencyIsoCode: str | None = f.picklist("Currency ISO Code", CURRENCIES, restricted=True)
    OwnerId: str | None = f.lookup("Owner ID", "User", relation="Owner", required=True)
    AccountSource: str | None = f.picklist("Account Source", LEAD_SOURCES)
    RecordTypeId: str | None = f.lookup("Record Type ID", "RecordType", relation="RecordType")
    Tier__c: str | None = f.picklist("Tier", TIERS, restricted=True)
    LastActivityDate: str | None = f.system(f.date, "Last Activity")
    External_Id__c: str | None = f.custom()


class Contact(SObject, table=True):
    """A person at an account."""

    prefix = "003"
    label, plural = "Contact", "Contacts"
    searchable = True

    AccountId: str | None = f.lookup("Account ID", "Account", relation="Account", children="Contacts", cascade=True)
    LastName: str | None = f.text("Last Name", 80, required=True)
    FirstName: str | None = f.text("First Name", 40)
    Salutation: str | None = f.picklist("Salutation", SALUTATIONS)
    Name: str | None = f.system(f.text, "Full Name", 121, calculated=True, name_field=True)
    MailingStreet: str | None = f.area("Mailing Street", 255)
    MailingCity: str | None = f.text("Mailing City", 40)
    MailingState: str | None = f.text("Mailing State/Province", 80)
    MailingPostalCode: str | None = f.text("Mailing Zip/Postal Code", 20)
    MailingCountry: str | None = f.text("Mailing Country", 80)
    OtherStreet: str | None = f.area("Other Street", 255)
    OtherCity: str | None = f.text("Other City", 40)
    OtherState: str | None = f.text("Other State/Province", 80)
    OtherPostalCode: str | None = f.text("Other Zip/Postal Code", 20)
    OtherCountry: str | None = f.text("Other Country", 80)
    Phone: str | None = f.phone("Business Phone")
    Fax: str | None = f.phone("Business Fax")
    MobilePhone: str | None = f.phone("Mobile Phone")
    HomePhone: str | None = f.phone("Home Phone")
    AssistantPhone: str | None = f.phone("Asst. Phone")
    ReportsToId: str | None = f.lookup("Reports To ID", "Contact", relation="ReportsTo")
    Email: str | None = f.email()
    Title: str | None = f.text("Title", 128)
    Department: str | None = f.text("Department", 80)
    AssistantName: str | None = f.text("Assistant's Name", 40)
    LeadSource: str | None = f.picklist("Lead Source", LEAD_SOURCES)
    Birthdate: str | None = f.date("Birthdate")
    Description: str | None = f.area("Contact Description")
    CurrencyIsoCode: str | None = f.picklist("Currency ISO Code", CURRENCIES, restricted=True)
    OwnerId: str | None = f.lookup("Owner ID", "User", relation="Owner", required=True)
    HasOptedOutOfEmail: bool = f.checkbox("Email Opt Out")
    HasOptedOutOfFax: bool = f.checkbox("Fax Opt Out")
    DoNotCall: bool = f.checkbox("Do Not Call")
    EmailBouncedReason: str | None = f.text("Email Bounced Reason")
    EmailBouncedDate: str | None = f.datetime("Email Bounced Date")
    IsEmailBounced: bool = f.system(f.checkbox, "Is Email Bounced", calculated=True)
    LastActivityDate: str | None = f.system(f.date, "Last Activity")
    External_Id__c: str | None = f.custom()


class Lead(SObject, table=True):
    """Somebody who may become a contact. Converting a lead makes it read-only."""

    prefix = "00Q"
    label, plural = "Lead", "Leads"
    searchable = True

    LastName: str | None = f.text("Last Name", 80, required=True)
    FirstName: str | None = f.text("First Name", 40)
    Salutation: str | None = f.picklist("Salutation", SALUTATIONS)
    Name: str | None = f.system(f.text, "Full Name", 121, calculated=True, name_field=True)
    Title: str | None = f.text("Title", 128)
    Company: str | None = f.text("Company", required=True)
    Street: str | None = f.area("Street", 255)
    City: str | None = f.text("City", 40)
    State: str | None = f.text("State/Province", 80)
    PostalCode: str | None = f.text("Zip/Postal Code", 20)
    Country: str | None = f.text("Country", 80)
    Phone: str | None = f.phone("Phone")
    MobilePhone: str | None = f.phone("Mobile Phone")
    Fax: str | None = f.phone("Fax")
    Email: str | None = f.email()
    Website: str | None = f.url("Website")
    Description: str | None = f.area("Description")
    LeadSource: str | None = f.picklist("Lead Source", LEAD_SOURCES)
    Status: str | None = f.picklist(
        "Status", LEAD_STATUSES, default="Open - Not Contacted", restricted=True, required=True
    )
    Industry: str | None = f.picklist("Industry", INDUSTRIES)
    Rating: str | None = f.picklist("Rating", RATINGS)
    AnnualRevenue: float | None = f.currency("Annual Revenue", 0)
    NumberOfEmployees: int | None = f.number("Employees")
    CurrencyIsoCode: str | None = f.picklist("Currency ISO Code", CURRENCIES, restricted=True)
    OwnerId: str | None = f.lookup("Owner ID", "Group", "User", relation="Owner", required=True)
    HasOptedOutOfEmail: bool = f.checkbox("Email Opt Out")
    HasOptedOutOfFax: bool = f.checkbox("Fax Opt Out")
    DoNotCall: bool = f.checkbox("Do Not Call")
    IsConverted: bool = f.checkbox("Converted", updateable=False, createable=False)
    ConvertedDate: str | None = f.date("Converted Date", updateable=False, createable=False)
    ConvertedAccountId: str | None = f.lookup(
        "Converted Account ID", "Account", relation="ConvertedAccount", createable=False, updateable=False
    )
    ConvertedContactId: str | None = f.lookup(
        "Converted Contact ID", "Contact", relation="ConvertedContact", createable=False, updateable=False
    )
    ConvertedOpportunityId: str | None = f.lookup(
        "Converted Opportunity ID", "Opportunity", relation="ConvertedOpportunity", createable=False, updateable=False
    )
    IsUnreadByOwner: bool = f.checkbox("Unread By Owner", default=True)
    ProductInterest__c: str | None = f.multipicklist("Product Interest", PRODUCT_INTERESTS)
    LastActivityDate: str | None = f.system(f.date, "Last Activity")
    External_Id__c: str | None = f.custom()


class LeadStatus(SObject, table=True):
    """A value of Lead.Status; the converted one is for conversions alone."""

    prefix = "01J"
    label, plural = "Lead Status Value", "Lead Status Value"
    operations = READ_ONLY
    hidden: ClassVar[frozenset[str]] = SETUP | NOT_VIEWED

    MasterLabel: str | None = f.text("Master Label", createable=False, updateable=False, name_field=True)
    ApiName: str | None = f.text("API Name", createable=False, updateable=False)
    SortOrder: int | None = f.number("Sort Order", createable=False, updateable=False)
    IsDefault: bool = f.checkbox("Is Default", createable=False, updateable=False)
    IsConverted: bool = f.checkbox("Is Converted", createable=False, updateable=False)
