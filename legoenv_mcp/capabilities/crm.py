"""CRM: companies, contacts, leads and deals."""

from abc import abstractmethod
from typing import Any, ClassVar, Literal

from legoenv_mcp.capabilities.base import Capability, Entity, Plan, lacks
from legoenv_mcp.capabilities.people import Person

Stage = Literal["prospecting", "qualification", "proposal", "negotiation", "won", "lost"]


class Company(Entity):
    """A customer, prospect or partner firm. Money in whole units of the world's currency; `owner` is a Person's key."""

    name: str
    domain: str = ""
    industry: str = ""
    kind: Literal["customer", "prospect", "partner", "former_customer"] = "prospect"
    tier: Literal["enterprise", "mid_market", "smb", ""] = ""
    employees: int | None = None
    annual_revenue: int | None = None
    phone: str = ""
    street: str = ""
    city: str = ""
    state: str = ""
    postal_code: str = ""
    country: str = ""
    owner: str = ""
    description: str = ""
    created: str = ""


class Contact(Entity):
    """A person at a company. `company` is a Company's key."""

    first_name: str
    last_name: str
    email: str
    company: str = ""
    title: str = ""
    phone: str = ""
    mobile: str = ""
    city: str = ""
    country: str = ""
    owner: str = ""
    do_not_contact: bool = False
    created: str = ""

    @property
    def name(self) -> str:
        return f"{self.first_name} {self.last_name}"


class Lead(Entity):
    """Somebody who is not yet a contact."""

    first_name: str
    last_name: str
    email: str
    company_name: str
    title: str = ""
    phone: str = ""
    source: str = ""
    status: Literal["new", "working", "nurturing", "qualified", "unqualified"] = "new"
    industry: str = ""
    city: str = ""
    country: str = ""
    owner: str = ""
    created: str = ""


class Deal(Entity):
    """A possible or closed sale. `amount` in whole units of `currency`; dates are ISO days."""

    title: str
    company: str = ""
    contact: str = ""
    owner: str = ""
    amount: float = 0
    currency: str = "USD"
    stage: Stage = "prospecting"
    close_date: str = ""
    source: str = ""
    next_step: str = ""
    description: str = ""
    created: str = ""


class Activity(Entity):
    """A task or note on a company, contact, lead or deal. `about` is that entity's key."""

    kind: Literal["task", "note", "call", "meeting"] = "task"
    subject: str
    body: str = ""
    about: str = ""
    owner: str = ""
    due: str = ""
    done: bool = False
    created: str = ""


class Crm(Capability):
    name = "crm"
    entities: ClassVar[tuple[type[Entity], ...]] = (Person, Company, Contact, Lead, Deal, Activity)

    @abstractmethod
    def find_contact(self, email: str) -> Plan: ...
    @abstractmethod
    def get_contact(self, contact_id: str) -> Plan: ...
    @abstractmethod
    def list_contacts(self) -> Plan: ...
    @abstractmethod
    def create_contact(self, contact: Contact, company_id: str = "") -> Plan: ...
    @abstractmethod
    def update_contact(self, contact_id: str, **changes: Any) -> Plan: ...
    @abstractmethod
    def find_deal(self, title: str) -> Plan: ...
    @abstractmethod
    def set_deal_stage(self, deal_id: str, stage: Stage) -> Plan: ...
    def list_deals(self, owner_id: str = "") -> Plan:
        return lacks(self, "list_deals")

    def update_deal(self, deal_id: str, **changes: Any) -> Plan:
        """Changes any of title, owner (a Person), amount, close_date, next_step, description."""
        return lacks(self, "update_deal")

    def find_company(self, name: str) -> Plan:
        return lacks(self, "find_company")

    def list_leads(self) -> Plan:
        return lacks(self, "list_leads")

    def update_lead(self, lead_id: str, **changes: Any) -> Plan:
        """Changes any of status, owner (a Person)."""
        return lacks(self, "update_lead")

    def find_person(self, email: str) -> Plan:
        """A user of the CRM, who may own records."""
        return lacks(self, "find_person")

    def delete_contact(self, contact_id: str) -> Plan:
        return lacks(self, "delete_contact")
