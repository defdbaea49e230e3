"""A salesperson, three companies and what is between them: what the tests of CRM products fill."""

from legoenv_mcp.capabilities.crm import Company, Contact, Deal, Lead
from legoenv_mcp.capabilities.people import Person

BEA = Person(
    key="bea", first_name="Bea", last_name="Stone", email="bea.stone@brightwater.example", handle="bea", title="Sales Director",
    department="Sales", manager="alex.doyle", phone="+44 113 496 0101", city="Leeds", country="GB", time_zone="Europe/London",
    start_date="2024-01-08",
)  # fmt: skip
GONE = Person(
    key="gone", first_name="Guy", last_name="Away", email="guy.away@brightwater.example", handle="guy", title="Rep",
    department="Sales", active=False, start_date="2022-01-10",
)  # fmt: skip
ACME = Company(
    key="acme", name="Acme Cranes Ltd", domain="acme.example", industry="Manufacturing", kind="customer", tier="enterprise", employees=900,
    annual_revenue=12000000, phone="+44 20 7946 0001", street="1 Quay", city="London", state="", postal_code="E1 6AN", country="GB",
    owner="bea", description="Buys every spring.", created="2024-02-01T10:00:00Z",
)  # fmt: skip
BOLT = Company(key="bolt", name="Bolt Freight", kind="former_customer", tier="smb", created="2024-03-01T10:00:00Z")
COG = Company(key="cog", name="Cog Partners", domain="cog.example", kind="partner", created="2024-03-02T10:00:00Z")
DANA = Contact(
    key="dana", first_name="Dana", last_name="Reyes", email="dana@acme.example", company="acme", title="Buyer", phone="+44 20 7946 0002",
    mobile="+44 7700 900001", city="London", country="GB", owner="bea", created="2024-02-02T10:00:00Z",
)  # fmt: skip
OMAR = Contact(
    key="omar", first_name="Omar", last_name="Aziz", email="omar@bolt.example", company="bolt", do_not_contact=True,
    created="2024-03-02T10:00:00Z",
)  # fmt: skip
LENA = Lead(
    key="lena", first_name="Lena", last_name="Sarkis", email="lena@sarkis.example", company_name="Sarkis Marine", title="Owner",
    phone="+44 20 7946 0003", source="webinar", status="working", industry="Retail", city="Hull", country="GB", owner="bea",
    created="2026-02-01T10:00:00Z",
)  # fmt: skip
RENEWAL = Deal(
    key="renewal", title="Acme - renewal", company="acme", contact="dana", owner="bea", amount=42000, currency="GBP", stage="negotiation",
    close_date="2026-03-31", source="renewal", next_step="Send paper", description="Second year.", created="2026-01-05T10:00:00Z",
)  # fmt: skip
WON = Deal(
    key="won", title="Bolt - pilot", company="bolt", owner="alex.doyle", amount=9000, stage="won", close_date="2025-11-20",
    created="2025-09-05T10:00:00Z",
)  # fmt: skip
