"""How the values of canonical entities are called and written in HubSpot, and which of its properties show them."""

from html import unescape
from typing import Any

from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.crm import Company, Contact, Deal, Lead, Stage

from . import times
from .kinds import COMPANIES, CONTACTS, DEALS, LEADS, Kind

STAGES: dict[Stage, str] = {
    "prospecting": "appointmentscheduled", "qualification": "qualifiedtobuy", "proposal": "presentationscheduled",
    "negotiation": "contractsent", "won": "closedwon", "lost": "closedlost",
}  # fmt: skip
STATUSES = {
    "new": "new-stage-id", "working": "attempting-stage-id", "nurturing": "connected-stage-id", "qualified": "qualified-stage-id",
    "unqualified": "unqualified-stage-id",
}  # fmt: skip
KIND_VALUES: dict[str, dict[str, str]] = {
    "customer": {"lifecyclestage": "customer"}, "prospect": {"type": "PROSPECT", "lifecyclestage": "opportunity"},
    "partner": {"type": "PARTNER", "lifecyclestage": "other"}, "former_customer": {"type": "FORMER_CUSTOMER", "lifecyclestage": "other"},
}  # fmt: skip
CONTACT = {
    "first_name": "firstname", "last_name": "lastname", "email": "email", "title": "jobtitle", "phone": "phone", "mobile": "mobilephone",
    "city": "city", "country": "country", "owner": "hubspot_owner_id", "do_not_contact": "hs_email_optout",
}  # fmt: skip
COMPANY = {
    "name": "name", "domain": "domain", "industry": "industry", "phone": "phone", "street": "address", "city": "city", "state": "state",
    "postal_code": "zip", "country": "country", "description": "description", "employees": "numberofemployees",
    "annual_revenue": "annualrevenue", "tier": "tier",
}  # fmt: skip
DEAL = {
    "title": "dealname", "owner": "hubspot_owner_id", "amount": "amount", "close_date": "closedate", "next_step": "hs_next_step",
    "description": "description",
}  # fmt: skip
DEAL_SHOWN = [*DEAL.values(), "dealstage", "deal_currency_code"]
COMPANY_SHOWN = [*COMPANY.values(), "lifecyclestage", "hubspot_owner_id"]
LEAD_SHOWN = ["hs_lead_name", "hs_pipeline_stage", "hubspot_owner_id", "lead_source"]
CONTACT_SHOWN = [*CONTACT.values(), "company", "associatedcompanyid"]
ABOUT: tuple[tuple[type[Entity], Kind], ...] = (
    (Contact, CONTACTS),
    (Deal, DEALS),
    (Company, COMPANIES),
    (Lead, LEADS),
)


def filled(**values: Any) -> dict[str, Any]:
    """Values as HubSpot keeps them: what is empty is not there, numbers are numbers."""
    kept = {n: v for n, v in values.items() if v not in ("", None)}
    return {n: float(v) if isinstance(v, int) and not isinstance(v, bool) else v for n, v in kept.items()}


def moment(text: str) -> str:
    return times.read_moment(text) or "" if text else ""


def note_parts(body: str) -> tuple[str, str]:
    """A note's subject, where it begins with one in bold as the filled ones do, and the rest."""
    subject, mark, rest = body.removeprefix("<p>").partition("</strong></p>")
    if mark and subject.startswith("<strong>"):
        return unescape(subject.removeprefix("<strong>")), unescape(rest.removeprefix("<p>").removesuffix("</p>"))
    return "", body
