"""Contacts, companies, leads and the account's users."""

from typing import ClassVar

from .. import fields as f
from .base import CrmObject

LIFECYCLE: f.Options = (
    ("subscriber", "Subscriber"), ("lead", "Lead"), ("marketingqualifiedlead", "Marketing Qualified Lead"),
    ("salesqualifiedlead", "Sales Qualified Lead"), ("opportunity", "Opportunity"), ("customer", "Customer"), ("evangelist", "Evangelist"),
    ("other", "Other"),
)  # fmt: skip
LEAD_STATUSES: f.Options = (
    ("NEW", "New"), ("OPEN", "Open"), ("IN_PROGRESS", "In Progress"), ("OPEN_DEAL", "Open Deal"), ("UNQUALIFIED", "Unqualified"),
    ("ATTEMPTED_TO_CONTACT", "Attempted to Contact"), ("CONNECTED", "Connected"), ("BAD_TIMING", "Bad Timing"),
)  # fmt: skip
SOURCES: f.Options = (
    ("ORGANIC_SEARCH", "Organic Search"), ("PAID_SEARCH", "Paid Search"), ("EMAIL_MARKETING", "Email Marketing"),
    ("SOCIAL_MEDIA", "Organic Social"), ("REFERRALS", "Referrals"), ("OTHER_CAMPAIGNS", "Other Campaigns"),
    ("DIRECT_TRAFFIC", "Direct Traffic"), ("OFFLINE", "Offline Sources"), ("PAID_SOCIAL", "Paid Social"),
)  # fmt: skip
INDUSTRIES: f.Options = tuple(
    (v, v.replace("_", " ").title())
    for v in (
        "ACCOUNTING", "AIRLINES_AVIATION", "APPAREL_FASHION", "AUTOMOTIVE", "BANKING", "BIOTECHNOLOGY", "BUILDING_MATERIALS", "CHEMICALS",
        "COMPUTER_SOFTWARE", "CONSTRUCTION", "CONSUMER_ELECTRONICS", "CONSUMER_GOODS", "EDUCATION_MANAGEMENT", "FARMING",
        "FINANCIAL_SERVICES",
        "FOOD_BEVERAGES", "FOOD_PRODUCTION", "FURNITURE", "GOVERNMENT_ADMINISTRATION", "HOSPITAL_HEALTH_CARE", "HOSPITALITY",
        "IMPORT_AND_EXPORT", "INFORMATION_TECHNOLOGY_AND_SERVICES", "INSURANCE", "INTERNET", "LEGAL_SERVICES", "LOGISTICS_AND_SUPPLY_CHAIN",
        "MACHINERY", "MANAGEMENT_CONSULTING", "MARITIME", "MARKETING_AND_ADVERTISING", "MECHANICAL_OR_INDUSTRIAL_ENGINEERING",
        "MEDICAL_DEVICES", "MINING_METALS", "OIL_ENERGY", "PACKAGE_FREIGHT_DELIVERY", "PACKAGING_AND_CONTAINERS", "PAPER_FOREST_PRODUCTS",
        "PHARMACEUTICALS", "PLASTICS", "REAL_ESTATE", "RENEWABLES_ENVIRONMENT", "RESTAURANTS", "RETAIL", "SPORTING_GOODS", "SUPERMARKETS",
        "TELECOMMUNICATIONS", "TEXTILES", "TRANSPORTATION_TRUCKING_RAILROAD", "UTILITIES", "WAREHOUSING", "WHOLESALE", "WINE_AND_SPIRITS",
    )
)  # fmt: skip


class Contact(CrmObject, table=True):
    """A person. The e-mail address is unique in the account."""

    type_id: ClassVar[str] = "0-1"
    singular: ClassVar[str] = "contact"
    plural: ClassVar[str] = "contacts"
    label: ClassVar[str] = "Contact"
    created: ClassVar[str] = "createdate"
    modified: ClassVar[str] = "lastmodifieddate"
    shown: ClassVar[tuple[str, ...]] = ("firstname", "lastname", "email")
    searched: ClassVar[tuple[str, ...]] = (
        "firstname",
        "lastname",
        "email",
        "hs_additional_emails",
        "phone",
        "mobilephone",
        "company",
    )
    primary: ClassVar[str] = "email"
    group: ClassVar[str] = "contactinformation"

    email: str | None = f.text("Email", "The contact's e-mail address.", unique=True)
    firstname: str | None = f.text("First Name", "The contact's first name.")
    lastname: str | None = f.text("Last Name", "The contact's last name.")
    jobtitle: str | None = f.text("Job Title", "The contact's job title.")
    company: str | None = f.text("Company Name", "The name of the contact's company, as text.")
    phone: str | None = f.phone("Phone Number", "The contact's main phone number.")
    mobilephone: str | None = f.phone("Mobile Phone Number", "The contact's mobile number.")
    fax: str | None = f.text("Fax Number")
    salutation: str | None = f.text("Salutation")
    website: str | None = f.text("Website URL")
    address: str | None = f.text("Street Address")
    city: str | None = f.text("City")
    state: str | None = f.text("State/Region")
    zip: str | None = f.text("Postal Code")
    country: str | None = f.text("Country/Region")
    industry: str | None = f.text("Industry", "The industry of the contact's company.")
    annualrevenue: str | None = f.text("Annual Revenue")
    numemployees: str | None = f.choice("Number of Employees", "1-5 5-25 25-50 50-100 100-500 500-1000 1000+")
    date_of_birth: str | None = f.text("Date of birth")
    hs_language: str | None = f.choice(
        "Preferred language", "en en-gb en-us de de-de es fr it nl pl pt pt-br sv da no ja zh-cn"
    )
    hs_timezone: str | None = f.text("Time Zone", fixed=True)
    message: str | None = f.area("Message")
    lifecyclestage: str | None = f.choice(
        "Lifecycle Stage", LIFECYCLE, "Where the contact stands. It moves forward only.", kind="radio"
    )
    hs_lead_status: str | None = f.choice(
        "Lead Status", LEAD_STATUSES, "The contact's sales, prospecting or outreach status.", kind="radio"
    )
    hubspot_owner_id: str | None = f.owner("Contact owner")
    hs_analytics_source: str | None = f.choice("Original Traffic Source", SOURCES, fixed=True)
    hs_buying_role: str | None = f.choices(
        "Buying Role", "BLOCKER BUDGET_HOLDER CHAMPION DECISION_MAKER END_USER EXECUTIVE_SPONSOR INFLUENCER LEGAL_AND_COMPLIANCE OTHER"
    )  # fmt: skip
    hs_persona: str | None = f.choice("Persona", "persona_1 persona_2")
    hs_email_optout: bool | None = f.flag(
        "Unsubscribed from all email", "Whether the contact has opted out of all e-mail: do not contact."
    )
    hs_marketable_status: bool | None = f.flag("Marketing contact status", fixed=True)
    hs_linkedin_url: str | None = f.text("LinkedIn URL")
    hs_additional_emails: str | None = f.text("Additional email addresses", fixed=True)
    associatedcompanyid: str | None = f.text("Primary Associated Company ID", fixed=True, derived=True)
    num_associated_deals: float | None = f.counted("Number of Associated Deals")


class Company(CrmObject, table=True):
    """A firm."""

    type_id: ClassVar[str] = "0-2"
    singular: ClassVar[str] = "company"
    plural: ClassVar[str] = "companies"
    label: ClassVar[str] = "Company"
    created: ClassVar[str] = "createdate"
    shown: ClassVar[tuple[str, ...]] = ("name", "domain")
    searched: ClassVar[tuple[str, ...]] = ("name", "domain", "website", "phone")
    primary: ClassVar[str] = "name"
    group: ClassVar[str] = "companyinformation"

    name: str | None = f.text("Company name", "The company's name.")
    domain: str | None = f.text("Company Domain Name", "The company's web domain.")
    website: str | None = f.text("Website URL", "The company's web address.")
    industry: str | None = f.choice("Industry", INDUSTRIES, "The type of business the company is in.")
    type: str | None = f.choice(
        "Type", (("PROSPECT", "Prospect"), ("PARTNER", "Partner"), ("RESELLER", "Reseller"), ("VENDOR", "Vendor"), ("OTHER", "Other")),
        "What the company is to this business.", kind="radio",
    )  # fmt: skip
    phone: str | None = f.phone("Phone Number")
    address: str | None = f.text("Street Address")
    address2: str | None = f.text("Street Address 2")
    city: str | None = f.text("City")
    state: str | None = f.text("State/Region")
    zip: str | None = f.text("Postal Code")
    country: str | None = f.text("Country/Region")
    timezone: str | None = f.text("Time Zone")
    numberofemployees: float | None = f.number("Number of Employees")
    annualrevenue: float | None = f.number("Annual Revenue", "The company's yearly revenue.")
    founded_year: str | None = f.text("Year Founded")
    is_public: bool | None = f.flag("Is Public")
    description: str | None = f.area("Description", "What the company does.")
    about_us: str | None = f.area("About Us")
    linkedin_company_page: str | None = f.text("LinkedIn Company Page")
    lifecyclestage: str | None = f.choice(
        "Lifecycle Stage", LIFECYCLE, "Where the company stands. It moves forward only.", kind="radio"
    )
    hs_lead_status: str | None = f.choice("Lead Status", LEAD_STATUSES, kind="radio")
    hubspot_owner_id: str | None = f.owner("Company owner")
    hs_analytics_source: str | None = f.choice("Original Traffic Source", SOURCES, fixed=True)
    hs_ideal_customer_profile: str | None = f.choice(
        "Ideal Customer Profile Tier", (("tier_1", "Tier 1"), ("tier_2", "Tier 2"), ("tier_3", "Tier 3")), "How well the company fits."
    )  # fmt: skip
    hs_target_account: str | None = f.choice("Target Account", "tier_1 tier_2 tier_3", hidden=True)
    hs_parent_company_id: str | None = f.text("Parent Company", fixed=True, derived=True)
    num_associated_contacts: float | None = f.counted("Number of Associated Contacts")
    num_associated_deals: float | None = f.counted("Number of Associated Deals")


class Lead(CrmObject, table=True):
    """A contact or company being qualified: it hangs on one of the two."""

    type_id: ClassVar[str] = "0-136"
    singular: ClassVar[str] = "lead"
    plural: ClassVar[str] = "leads"
    label: ClassVar[str] = "Lead"
    searched: ClassVar[tuple[str, ...]] = ("hs_lead_name",)
    required: ClassVar[tuple[str, ...]] = ("hs_lead_name",)
    primary: ClassVar[str] = "hs_lead_name"
    group: ClassVar[str] = "leadinformation"

    hs_lead_name: str | None = f.text("Lead Name", "The lead's full name.")
    hs_lead_type: str | None = f.choice(
        "Lead Type", (("NEW_BUSINESS", "New business"), ("RE_ATTEMPTING", "Re-attempting"), ("UPSELL", "Upsell"))
    )
    hs_lead_label: str | None = f.choice("Lead Label", (("HOT", "Hot"), ("WARM", "Warm"), ("COLD", "Cold")))
    hs_pipeline: str | None = f.choice("Lead Pipeline", ())
    hs_pipeline_stage: str | None = f.choice("Lead Pipeline Stage", (), "Where the lead stands.")
    hs_lead_disqualification_reason: str | None = f.text("Lead disqualification reason")
    hs_lead_disqualification_note: str | None = f.area("Lead disqualification note")
    hubspot_owner_id: str | None = f.owner("Lead owner")
    hs_lead_is_open: bool | None = f.flag("Lead is open", fixed=True, derived=True)


class User(CrmObject, table=True):
    """A user of the account as a CRM record: the details beside the owner."""

    type_id: ClassVar[str] = "0-115"
    singular: ClassVar[str] = "user"
    plural: ClassVar[str] = "users"
    label: ClassVar[str] = "User"
    searched: ClassVar[tuple[str, ...]] = ("hs_given_name", "hs_family_name", "hs_email")
    primary: ClassVar[str] = "hs_email"
    group: ClassVar[str] = "userinformation"

    hs_given_name: str | None = f.text("First name", fixed=True)
    hs_family_name: str | None = f.text("Last name", fixed=True)
    hs_email: str | None = f.text("Email", fixed=True)
    hs_internal_user_id: str | None = f.text("User ID", fixed=True)
    hubspot_owner_id: str | None = f.text("Owner ID", fixed=True)
    hs_job_title: str | None = f.text("Job title")
    hs_main_phone: str | None = f.phone("Main phone")
    hs_standard_time_zone: str | None = f.text("Time zone")
    hs_availability_status: str | None = f.choice("Availability", "available away")
    hs_out_of_office_hours: str | None = f.text("Out of office hours")
    hs_deactivated: bool | None = f.flag("Deactivated", fixed=True)
