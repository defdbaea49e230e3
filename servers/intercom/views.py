"""Rows as the world's entities."""

from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, crm, helpdesk
from legoenv_mcp.capabilities.people import Person

from . import ids, wire
from .fills import OF_COMPANY
from .models import (
    Contact,
    ContactCompany,
    Conversation,
    ConversationContact,
    Tag,
    Tagging,
    TeamMember,
    Ticket,
    TicketState,
)
from .seed import CLOSED, KINDS, PRIORITIES
from .text import plain
from .ticketing import TITLE

_STATUS = {"submitted": "new", "in_progress": "open", "waiting_on_customer": "pending", "resolved": "solved"}
_SAID = ("comment", "open", "note", "quick_reply", "close", "assignment", "assign_and_reopen")


def view(ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
    if table == "admin":
        return person(row)
    if table == "contact":
        return None if row["archived"] or _is_colleague(ctx, row) else requester(ctx, row)
    if table == "company":
        return company(row)
    if table == "team":
        return queue(ctx, row)
    return ticket(ctx, row) if table == "conversation" else None


def _is_colleague(ctx: Ctx, row: dict[str, Any]) -> bool:
    return bool(row["email"]) and bool(ctx.db.query("SELECT 1 FROM admin WHERE email = ?", (row["email"],)))


def person(row: dict[str, Any]) -> Person:
    first = row["given_name"] or row["name"].partition(" ")[0]
    last = row["name"].removeprefix(first).strip()
    return Person(
        id=row["id"], first_name=first, last_name=last, email=row["email"], handle="", title=row["job_title"], department="",
        active=row["has_inbox_seat"],
    )  # fmt: skip


def requester(ctx: Ctx, row: dict[str, Any]) -> helpdesk.Requester:
    firms = ctx.db.find(ContactCompany, contact_id=row["id"], order="created_at,company_id")
    zone = row["custom_attributes"].get("time_zone", "")
    return helpdesk.Requester(
        id=row["id"], name=row["name"] or "", email=row["email"] or "", company=firms[0].company_id if firms else "",
        phone=row["phone"] or "", time_zone=zone if isinstance(zone, str) else "", created=ids.instant(row["created_at"]),
    )  # fmt: skip


def company(row: dict[str, Any]) -> crm.Company:
    """What the custom attributes say, as far as a company has such values."""
    own = row["custom_attributes"]
    known = {n: own[n] for n in (*OF_COMPANY, "owner") if n in own}
    choices = {
        "kind": ("customer", "prospect", "partner", "former_customer"),
        "tier": ("enterprise", "mid_market", "smb"),
    }
    for name in list(known):
        wanted = int if name == "annual_revenue" else str
        if known[name] not in choices.get(name, (known[name],)) or type(known[name]) is not wanted:
            del known[name]
    return crm.Company(
        id=row["id"], name=row["name"] or "", domain=(row["website"] or "").removeprefix("https://"), industry=row["industry"] or "",
        employees=row["size"], created=ids.instant(row["created_at"]), **known,
    )  # fmt: skip


def queue(ctx: Ctx, row: dict[str, Any]) -> helpdesk.Queue:
    members = ctx.db.find(TeamMember, team_id=row["id"])
    return helpdesk.Queue(id=row["id"], name=row["name"], members=tuple(m.admin_id for m in members))


def status(ctx: Ctx, thread: Conversation, made: Ticket | None, answered: bool) -> Any:
    """A ticket's state; of a plain conversation, and of a ticket whose conversation was closed or snoozed, how that stands."""
    now = wire.state_of(ctx, thread)
    if made is not None:
        state = ctx.require(TicketState, made.state_id)
        if state.category == "resolved":
            return "closed" if state.internal_label == CLOSED else "solved"
        return "solved" if now == "closed" else "pending" if now == "snoozed" else _STATUS[state.category]
    if now != "open":
        return "solved" if now == "closed" else "pending"
    return "open" if answered or thread.admin_assignee_id else "new"


def ticket(ctx: Ctx, row: dict[str, Any]) -> helpdesk.Ticket:
    thread = ctx.require(Conversation, row["id"])
    made = ctx.db.get(Ticket, thread.id)
    parts = [p for p in wire.parts_of(ctx, thread.id) if p.body and p.part_type in _SAID]
    joined = ctx.db.find(ConversationContact, conversation_id=thread.id, order="position,contact_id")
    asker = joined[0].contact_id if joined else ""
    said = [helpdesk.TicketMessage(author=thread.author_id, at=ids.instant(thread.created_at), body=plain(thread.body))]
    said += [
        helpdesk.TicketMessage(
            author=p.author_id, at=ids.instant(p.created_at), body=plain(p.body), note=p.part_type == "note"
        )
        for p in parts
    ]
    own = made.attributes if made else {}
    tags = [ctx.require(Tag, t.tag_id).name for t in ctx.db.find(Tagging, kind="conversation", object_id=thread.id)]
    channel = thread.custom_attributes.get("channel") or ("email" if thread.source_type == "email" else "chat")
    answered = any(p.author_type == "admin" and p.part_type != "note" for p in parts)
    priority, kind = own.get("Priority"), own.get("Type")
    return helpdesk.Ticket(
        id=thread.id, subject=str(own.get(TITLE) or thread.title or thread.subject), requester=_who(ctx, asker),
        status=status(ctx, thread, made, answered), priority=str(priority).lower() if priority in PRIORITIES else "",  # pyright: ignore[reportArgumentType]
        kind=str(kind).lower() if kind in KINDS else "",  # pyright: ignore[reportArgumentType]
        assignee=thread.admin_assignee_id or "", queue=thread.team_assignee_id or "", tags=tuple(tags),
        messages=tuple(said) if thread.body else tuple(said[1:]), channel=channel if channel in ("email", "web", "chat", "api") else "chat",
        created=ids.instant(made.created_at if made else thread.created_at), updated=ids.instant(thread.updated_at),
    )  # fmt: skip


def _who(ctx: Ctx, contact_id: str) -> str:
    """The requester: a colleague's own contact stands for the colleague."""
    row = ctx.db.get(Contact, contact_id) if contact_id else None
    if row is not None and row.email:
        found = ctx.db.query("SELECT id FROM admin WHERE email = ?", (row.email,))
        return found[0]["id"] if found else row.id
    return contact_id
