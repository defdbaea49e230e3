"""A fresh account: its settings, the standard pipelines, and the properties that the business keeps of its own."""

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from .models import Account, Pipeline, Property, Stage

FOUNDED = "2018-01-02T09:00:00.000Z"
CURRENCIES = (
    "USD",
    "EUR",
    "GBP",
    "CAD",
    "AUD",
    "CHF",
    "JPY",
    "SEK",
    "NOK",
    "DKK",
    "PLN",
    "SGD",
    "INR",
    "BRL",
    "MXN",
    "CZK",
    "AED",
)
DEAL_STAGES = (
    ("appointmentscheduled", "Appointment Scheduled", "0.2"), ("qualifiedtobuy", "Qualified To Buy", "0.4"),
    ("presentationscheduled", "Presentation Scheduled", "0.6"), ("decisionmakerboughtin", "Decision Maker Bought-In", "0.8"),
    ("contractsent", "Contract Sent", "0.9"), ("closedwon", "Closed Won", "1.0"), ("closedlost", "Closed Lost", "0.0"),
)  # fmt: skip
TICKET_STAGES = (
    ("1", "New", "OPEN"),
    ("2", "Waiting on contact", "OPEN"),
    ("3", "Waiting on us", "OPEN"),
    ("4", "Closed", "CLOSED"),
)
LEAD_STAGES = (
    ("new-stage-id", "New", "NEW"), ("attempting-stage-id", "Attempting", "ATTEMPTING"), ("connected-stage-id", "Connected", "CONNECTED"),
    ("qualified-stage-id", "Qualified", "QUALIFIED"), ("unqualified-stage-id", "Unqualified", "UNQUALIFIED"),
)  # fmt: skip
TIERS = (("enterprise", "Enterprise"), ("mid_market", "Mid-market"), ("smb", "Small business"))
OWN_PROPERTIES = (
    ("deals", "lead_source", "Lead source", "dealinformation", "Where the deal came from."),
    ("leads", "lead_source", "Lead source", "leadinformation", "Where the lead came from."),
    ("users", "username", "Username", "userinformation", "The user's short name in every system."),
    ("users", "department", "Department", "userinformation", "The user's department."),
    ("users", "manager", "Manager", "userinformation", "The owner id of the user's manager."),
    ("users", "city", "City", "userinformation", "Where the user works."),
    ("users", "country", "Country", "userinformation", "The country the user works in."),
    ("users", "start_date", "Start date", "userinformation", "The day the user joined."),
)


def _flag(value: bool) -> str:
    return "true" if value else "false"


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    """What an account has before anybody works in it."""
    currency = organisation.currency or "USD"
    ctx.db.add(
        Account(
            portal_id=ctx.integer("portal", 21_000_000, 48_999_999), name=organisation.name, domain=organisation.domain, currency=currency,
            currencies=list(dict.fromkeys((currency, *CURRENCIES))), time_zone=organisation.time_zone,
        )
    )  # fmt: skip
    pipelines = (
        ("deals", "default", "Sales Pipeline", [(i, n, {"probability": p, "isClosed": _flag("closed" in i)}) for i, n, p in DEAL_STAGES]),
        ("tickets", "0", "Support Pipeline", [(i, n, {"ticketState": s, "isClosed": _flag(s == "CLOSED")}) for i, n, s in TICKET_STAGES]),
        ("leads", "lead-pipeline-id", "Lead pipeline", [(i, n, {"leadState": s}) for i, n, s in LEAD_STAGES]),
    )  # fmt: skip
    for object_type, pipeline, label, stages in pipelines:
        ctx.db.add(Pipeline(object_type=object_type, id=pipeline, label=label, created_at=FOUNDED, updated_at=FOUNDED))
        for place, (stage, name, meta) in enumerate(stages):
            ctx.db.add(
                Stage(
                    object_type=object_type, pipeline=pipeline, id=stage, label=name, display_order=place, meta=meta, created_at=FOUNDED,
                    updated_at=FOUNDED,
                )
            )  # fmt: skip
    ctx.db.add(
        Property(
            object_type="companies", name="tier", label="Tier", type="enumeration", field_type="select", group_name="companyinformation",
            description="How large a customer the company is or could be.", created_at=FOUNDED, updated_at=FOUNDED,
            options=[{"label": label, "value": value} for value, label in TIERS],
        )
    )  # fmt: skip
    for object_type, name, label, group, description in OWN_PROPERTIES:
        kind = ("date", "date") if name == "start_date" else ("string", "text")
        ctx.db.add(
            Property(
                object_type=object_type, name=name, label=label, type=kind[0], field_type=kind[1], group_name=group,
                description=description, created_at=FOUNDED, updated_at=FOUNDED,
            )
        )  # fmt: skip
