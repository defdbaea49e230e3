"""What a workspace begins with: its types and states of tickets, segments, subscriptions, reasons to be away, a help center."""

import re
from typing import Any, Literal

from legoenv_mcp.app import BASE62, HEX, Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from . import ids
from .models import (
    AttributeType,
    AwayStatusReason,
    Category,
    DataAttribute,
    HelpCenter,
    Segment,
    StateCategory,
    SubscriptionType,
    TicketAttribute,
    TicketState,
    TicketType,
    Workspace,
)
from .ticketing import DESCRIPTION, TITLE

SINCE = 1_672_563_600
"""When the workspace was set up: 2023-01-01."""

SUPPORT = "Support request"
CLOSED = "Closed"
PRIORITIES = ("Low", "Normal", "High", "Urgent")
KINDS = ("Question", "Incident", "Problem", "Task")
_STATES: list[tuple[StateCategory, str, str]] = [
    ("submitted", "Submitted", "Submitted"), ("in_progress", "In progress", "In progress"),
    ("waiting_on_customer", "Waiting on customer", "Waiting on you"), ("resolved", "Resolved", "Resolved"),
]  # fmt: skip
_TYPES: list[tuple[str, str, Category, str, list[tuple[str, AttributeType, tuple[str, ...]]]]] = [
    (SUPPORT, "A customer asks for help.", "Customer", "🎟️", [("Priority", "list", PRIORITIES), ("Type", "list", KINDS)]),
    (
        "Bug report", "Something in the product is broken.", "Back-office", "🐛",
        [("Severity", "list", ("Minor", "Major", "Critical")), ("Steps to reproduce", "string", ())],
    ),
    (
        "Outage", "Follows what many customers report.", "Tracker", "🚨",
        [("Affected customers", "integer", ()), ("Started at", "datetime", ())],
    ),
]  # fmt: skip
_REASONS = [
    ("On a break", "☕"),
    ("In a meeting", "🗓️"),
    ("Out sick", "🤒"),
    ("On vacation", "🌴"),
    ("Done for the day", "🏁"),
]
_DATED: dict[str, Any] = {"created_at": SINCE, "updated_at": SINCE}


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    name = organisation.name
    ctx.db.add(Workspace(
        id=ctx.id("", 8, BASE62, kind="workspace").lower(), name=name, timezone=organisation.time_zone, created_at=SINCE,
    ))  # fmt: skip
    for order, (label, emoji) in enumerate(_REASONS, 1):
        ctx.db.add(AwayStatusReason(id=ids.number(ctx, "away_reason"), label=label, emoji=emoji, order=order, **_DATED))
    _tickets(ctx)
    groups: list[tuple[str, Literal["contact", "user"], str, Any]] = [
        ("All users", "user", "role", "user"), ("All leads", "contact", "role", "lead"),
        ("Unsubscribed", "user", "unsubscribed_from_emails", True),
    ]  # fmt: skip
    for title, person, field, value in groups:
        query = {"field": field, "operator": "=", "value": value}
        key = f"{SINCE:08x}" + ctx.id("", 16, HEX, kind="segment")
        ctx.db.add(Segment(id=key, name=title, person_type=person, query=query, **_DATED))
    offers: list[tuple[str, str, Literal["opt_in", "opt_out"]]] = [
        ("Product updates", "New features and changes.", "opt_out"),
        ("Newsletter", f"News from {name}, monthly.", "opt_in"),
    ]
    for title, about, consent in offers:
        ctx.db.add(SubscriptionType(
            id=ids.number(ctx, "subscription"), name=title, description=about, consent_type=consent, content_types=["email"],
        ))  # fmt: skip
    ctx.db.add(DataAttribute(
        id=int(ids.number(ctx, "attribute")), model="contact", name="time_zone", label="Time zone", description="Where they work.",
        data_type="string", **_DATED,
    ))  # fmt: skip
    identifier = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "help"
    ctx.db.add(
        HelpCenter(
            id=ids.number(ctx, "help_center"), identifier=identifier, display_name=f"{name} Help Center", **_DATED
        )
    )


def _tickets(ctx: Ctx) -> None:
    types = list[TicketType]()
    for name, about, category, icon, fields in _TYPES:
        kind = ctx.db.add(TicketType(
            id=ids.number(ctx, "ticket_type"), name=name, description=about, category=category, icon=icon,
            is_internal=category != "Customer", **_DATED,
        ))  # fmt: skip
        types.append(kind)
        own: list[tuple[str, AttributeType, tuple[str, ...]]] = [
            (TITLE, "string", ()),
            (DESCRIPTION, "string", ()),
            *fields,
        ]
        for order, (label, data_type, choices) in enumerate(own):
            ctx.db.add(TicketAttribute(
                id=ids.number(ctx, "ticket_attribute"), ticket_type_id=kind.id, name=label, data_type=data_type, order=order,
                multiline=order == 1, default=order < 2, required_to_create=order == 0, visible_to_contacts=category == "Customer",
                choices=[{"id": ctx.id("", 16, HEX, kind="choice"), "name": c, "archived": False} for c in choices], **_DATED,
            ))  # fmt: skip
    for category, internal, external in _STATES:
        ctx.db.add(TicketState(
            id=ids.number(ctx, "ticket_state"), category=category, internal_label=internal, external_label=external,
        ))  # fmt: skip
    ctx.db.add(TicketState(
        id=ids.number(ctx, "ticket_state"), category="resolved", internal_label=CLOSED, external_label=CLOSED,
        ticket_type_ids=[types[0].id],
    ))  # fmt: skip
