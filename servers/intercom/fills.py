"""A world's entities as rows, with their own dates."""

from typing import Any, cast

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import crm, helpdesk
from legoenv_mcp.capabilities.people import Person

from . import ids
from .models import (
    Admin,
    Company,
    Contact,
    ContactCompany,
    Conversation,
    ConversationContact,
    DataAttribute,
    Part,
    Tag,
    Tagging,
    Team,
    TeamMember,
    Ticket,
    TicketState,
    TicketType,
)
from .seed import CLOSED, SINCE, SUPPORT
from .text import html
from .ticketing import DESCRIPTION, TITLE

STATES = {
    "new": "submitted",
    "open": "in_progress",
    "pending": "waiting_on_customer",
    "solved": "resolved",
    "closed": "resolved",
}
CHANNELS = {"email": "email", "web": "conversation", "chat": "conversation", "api": "conversation"}
OF_COMPANY = (
    "kind",
    "tier",
    "annual_revenue",
    "phone",
    "street",
    "city",
    "state",
    "postal_code",
    "country",
    "description",
)


def _when(text: str) -> int:
    return ids.seconds(text) if text else SINCE


def person(ctx: Ctx, entity: Person) -> str:
    """Everybody of the company is a teammate; who has left has no seat."""
    row = ctx.db.add(Admin(
        id=ids.number(ctx, "admin"), name=entity.name, given_name=entity.first_name, email=entity.email.lower(), job_title=entity.title,
        has_inbox_seat=entity.active,
    ))  # fmt: skip
    return row.id


def company(ctx: Ctx, entity: crm.Company) -> str:
    when = _when(entity.created)
    own = {name: value for name in OF_COMPANY if (value := getattr(entity, name)) not in (None, "")}
    if entity.owner and ctx.has_ref(Person, entity.owner):
        own["owner"] = ctx.ref(Person, entity.owner)
    for name, value in own.items():
        if not ctx.db.count(DataAttribute, model="company", name=name):
            ctx.db.add(DataAttribute(
                id=int(ids.number(ctx, "attribute")), model="company", name=name, label=name.replace("_", " ").capitalize(),
                data_type="integer" if isinstance(value, int) else "string", created_at=SINCE, updated_at=SINCE,
            ))  # fmt: skip
    row = ctx.db.add(Company(
        id=ids.objectid(ctx, "company", when), company_id=entity.domain or entity.key, name=entity.name, size=entity.employees,
        website=f"https://{entity.domain}" if entity.domain else None, industry=entity.industry or None, remote_created_at=when,
        created_at=when, updated_at=when, custom_attributes=own,
    ))  # fmt: skip
    return row.id


def _company(ctx: Ctx, key: str, when: int) -> str:
    """The requester's company; one is made where the world tells no more of it than its key."""
    if ctx.has_ref(crm.Company, key):
        return ctx.ref(crm.Company, key)
    found = ctx.db.first(Company, company_id=key)
    if found is None:
        found = ctx.db.add(Company(
            id=ids.objectid(ctx, "company", when), company_id=key, name=key.replace("-", " ").title(), created_at=when, updated_at=when,
        ))  # fmt: skip
    return found.id


def requester(ctx: Ctx, entity: helpdesk.Requester) -> str:
    when = _when(entity.created)
    row = ctx.db.add(Contact(
        id=ids.objectid(ctx, "contact", when), role="user", email=entity.email.lower(), name=entity.name, phone=entity.phone or None,
        created_at=when, updated_at=when, signed_up_at=when,
        custom_attributes={"time_zone": entity.time_zone} if entity.time_zone else {},
    ))  # fmt: skip
    if entity.company:
        ctx.db.add(ContactCompany(contact_id=row.id, company_id=_company(ctx, entity.company, when), created_at=when))
    return row.id


def queue(ctx: Ctx, entity: helpdesk.Queue) -> str:
    row = ctx.db.add(Team(id=ids.number(ctx, "team"), name=entity.name))
    for member in entity.members:
        ctx.db.add(TeamMember(team_id=row.id, admin_id=ctx.ref(Person, member)))
    return row.id


def _author(ctx: Ctx, key: str) -> tuple[Any, str]:
    """Who wrote: a teammate, or a contact."""
    if ctx.has_ref(Person, key):
        return "admin", ctx.ref(Person, key)
    row = ctx.require(Contact, ctx.ref(helpdesk.Requester, key))
    return row.role, row.id


def _asker(ctx: Ctx, key: str) -> Contact:
    """The customer. A colleague who asks for help has a contact of their own, made when they first do."""
    if ctx.has_ref(helpdesk.Requester, key):
        return ctx.require(Contact, ctx.ref(helpdesk.Requester, key))
    own = ctx.require(Admin, ctx.ref(Person, key))
    found = ctx.db.first(Contact, email=own.email)
    return found or ctx.db.add(Contact(
        id=ids.objectid(ctx, "contact", SINCE), role="user", email=own.email, name=own.name, created_at=SINCE, updated_at=SINCE,
    ))  # fmt: skip


def _tag(ctx: Ctx, name: str) -> Tag:
    return ctx.db.first(Tag, name=name) or ctx.db.add(Tag(id=ids.number(ctx, "tag"), name=name))


def ticket(ctx: Ctx, entity: helpdesk.Ticket) -> str:
    """A Customer ticket and the conversation that it is, with a log that leads to how it stands."""
    asker = _asker(ctx, entity.requester)
    said = entity.messages
    created = _when(entity.created or (said[0].at if said else ""))
    changed = _when(entity.updated or (said[-1].at if said else entity.created))
    first, rest = (said[0], said[1:]) if said else (None, ())
    kind = next(t for t in ctx.db.find(TicketType) if t.name == SUPPORT)
    state = next(
        s for s in ctx.db.find(TicketState)
        if s.category == STATES[entity.status] and (s.internal_label == CLOSED) == (entity.status == "closed")
    )  # fmt: skip
    author_type, author_id = (
        _author(ctx, first.author) if first and first.author != entity.requester else (asker.role, asker.id)
    )
    done = entity.status in ("solved", "closed")
    row = ctx.db.add(Conversation(
        id=ids.number(ctx, "conversation"), title=entity.subject, subject=entity.subject, body=html(first.body) if first else "",
        state="closed" if done else "open", read=entity.status != "new", created_at=created, updated_at=changed,
        priority="priority" if entity.priority in ("high", "urgent") else "not_priority",
        admin_assignee_id=ctx.ref(Person, entity.assignee) if entity.assignee else None,
        team_assignee_id=ctx.ref(helpdesk.Queue, entity.queue) if entity.queue else None,
        source_type=CHANNELS[entity.channel], source_id=ids.number(ctx, "message"), author_type=author_type, author_id=author_id,
        delivered_as="admin_initiated" if author_type == "admin" else "customer_initiated",
        custom_attributes={"channel": entity.channel} if CHANNELS[entity.channel] != entity.channel else {},
    ))  # fmt: skip
    ctx.db.add(ConversationContact(conversation_id=row.id, contact_id=asker.id))
    attributes: dict[str, Any] = {TITLE: entity.subject, DESCRIPTION: first.body if first else ""}
    if entity.priority:
        attributes["Priority"] = entity.priority.capitalize()
    if entity.kind:
        attributes["Type"] = entity.kind.capitalize()
    number = int(entity.key) if entity.key.isdecimal() and len(entity.key) < 10 else 1
    while ctx.db.count(Ticket, number=number):
        number += 1
    ctx.db.add(Ticket(
        id=row.id, number=number, ticket_type_id=kind.id, state_id=state.id, attributes=attributes, created_at=created,
    ))  # fmt: skip
    for name in entity.tags:
        tag = _tag(ctx, name)
        ctx.db.add(Tagging(tag_id=tag.id, kind="conversation", object_id=row.id, applied_at=created))
    _log(ctx, row, entity, rest, state, changed)
    return row.id


def _log(ctx: Ctx, row: Conversation, entity: helpdesk.Ticket, rest: Any, state: TicketState, changed: int) -> None:
    """The ticket's making, its assignment, what was said, and how it came to its state."""

    def add(part_type: str, when: int, author: tuple[Any, str] = ("bot", "0"), **more: Any) -> None:
        ctx.db.add(Part(
            id=ids.number(ctx, "part"), conversation_id=row.id, part_type=part_type, author_type=author[0], author_id=author[1],
            created_at=when, updated_at=when, **more,
        ))  # fmt: skip

    add("ticket_state_updated_by_admin", row.created_at, ticket_state="submitted", previous_ticket_state="submitted")
    for side, key in (("team", row.team_assignee_id), ("admin", row.admin_assignee_id)):
        if key:
            add("assignment", row.created_at, assigned_type=side, assigned_id=key)
    theirs = row.created_at if row.author_type != "admin" else None
    for message in rest:
        by_asker = message.author == entity.requester
        who = (
            (row.author_type, row.author_id)
            if by_asker and row.author_type != "admin"
            else _author(ctx, message.author)
        )
        when = _when(message.at)
        add("note" if message.note else "comment", when, who, body=html(message.body))
        if who[0] != "admin":
            theirs = theirs or when
            ctx.db.update(row, first_contact_reply_at=row.first_contact_reply_at or when)
        elif not message.note:
            theirs = None
    if state.category != "submitted":
        by = ("admin", row.admin_assignee_id) if row.admin_assignee_id else ("bot", "0")
        add(
            "ticket_state_updated_by_admin",
            changed,
            cast(Any, by),
            ticket_state=state.category,
            previous_ticket_state="submitted",
        )
    ctx.db.update(row, waiting_since=None if row.state == "closed" else theirs)
