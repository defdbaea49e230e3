"""Rows as Intercom's JSON: conversations, tickets and their parts."""

from statistics import median
from typing import Any

from legoenv_mcp.app import Ctx

from . import ids, resources
from .models import (
    Contact,
    Conversation,
    ConversationContact,
    Link,
    Part,
    State,
    Ticket,
    TicketAttribute,
    TicketState,
    TicketType,
)
from .text import plain

MOST_PARTS = 500


def state_of(ctx: Ctx, row: Conversation) -> str:
    """A snoozed conversation is open again once its time has come."""
    if row.state == "snoozed" and row.snoozed_until is not None and row.snoozed_until <= ctx.epoch():
        return "open"
    return row.state


def contacts(ctx: Ctx, key: str) -> dict[str, Any]:
    joined = ctx.db.find(ConversationContact, conversation_id=key, order="position,contact_id")
    shown = [
        {"type": "contact", "id": c.id, "external_id": c.external_id}
        for c in (ctx.require(Contact, j.contact_id) for j in joined)
    ]
    return {"type": "contact.list", "contacts": shown}


def parts_of(ctx: Ctx, key: str) -> list[Part]:
    return sorted(ctx.db.find(Part, conversation_id=key), key=lambda p: (p.created_at, int(p.id)))


def _assigned(row: Part) -> dict[str, Any] | None:
    return {"type": row.assigned_type, "id": row.assigned_id or None} if row.assigned_type else None


def _writer(ctx: Ctx, kind: str, key: str) -> dict[str, Any]:
    return {**resources.author(ctx, kind, key), "from_ai_agent": False, "is_ai_answer": False}


def _states(parts: list[Part]) -> list[State]:
    """How a thread stood after each of its parts."""
    out, now = list[State](), "open"
    for one in parts:
        if one.part_type == "close" or one.ticket_state == "resolved":
            now = "closed"
        elif one.part_type == "snoozed":
            now = "snoozed"
        elif "open" in one.part_type or one.previous_ticket_state == "resolved":
            now = "open"
        out.append(now)
    return out


def part(ctx: Ctx, row: Part, state: State, *, text: bool = False) -> dict[str, Any]:
    return {
        "type": "conversation_part", "id": row.id, "part_type": row.part_type, "body": plain(row.body) if text and row.body else row.body,
        "created_at": row.created_at, "updated_at": row.updated_at, "notified_at": row.created_at, "assigned_to": _assigned(row),
        "author": _writer(ctx, row.author_type, row.author_id), "attachments": row.attachments, "external_id": None,
        "redacted": row.redacted, "metadata": {"quick_reply_options": row.reply_options} if row.reply_options else {},
        "email_message_metadata": None, "state": state, "tags": None, "event_details": None, "app_package_code": None,
    }  # fmt: skip


def ticket_part(ctx: Ctx, row: Part) -> dict[str, Any]:
    shown: dict[str, Any] = {"type": "ticket_part", "id": row.id, "part_type": row.part_type}
    if row.body is not None:
        shown["body"] = row.body
    if row.ticket_state:
        shown |= {"ticket_state": row.ticket_state, "previous_ticket_state": row.previous_ticket_state}
    shown |= {"created_at": row.created_at, "updated_at": row.updated_at}
    if row.assigned_type:
        shown["assigned_to"] = _assigned(row)
    shown |= {
        "author": resources.author(ctx, row.author_type, row.author_id), "attachments": row.attachments, "redacted": row.redacted,
    }  # fmt: skip
    return shown | ({"updated_attribute_data": row.updated_attribute} if row.updated_attribute else {})


def conversation(ctx: Ctx, row: Conversation, *, full: bool = True, text: bool = False) -> dict[str, Any]:
    """A conversation, with its parts where it is one alone."""
    state, parts = state_of(ctx, row), parts_of(ctx, row.id)
    teammates = dict.fromkeys(p.author_id for p in parts if p.author_type == "admin")
    made = ctx.db.get(Ticket, row.id)
    first = row.first_contact_reply_at if row.author_type in ("admin", "bot") else row.created_at
    shown: dict[str, Any] = {
        "type": "conversation", "id": row.id, "created_at": row.created_at, "updated_at": row.updated_at,
        "waiting_since": row.waiting_since, "snoozed_until": row.snoozed_until if state == "snoozed" else None,
        "source": {
            "type": row.source_type, "id": row.source_id, "delivered_as": row.delivered_as, "subject": row.subject,
            "body": plain(row.body) if text else row.body, "author": _writer(ctx, row.author_type, row.author_id),
            "attachments": row.source_attachments, "url": None, "redacted": row.source_redacted,
        },
        "contacts": contacts(ctx, row.id),
        "first_contact_reply": {"created_at": first, "type": row.source_type, "url": None} if first else None,
        "admin_assignee_id": ids.whole(row.admin_assignee_id), "team_assignee_id": ids.whole(row.team_assignee_id),
        "company_id": row.company_id, "open": state != "closed", "state": state, "read": row.read,
        "tags": {"type": "tag.list", "tags": resources.tags_of(ctx, "conversation", row.id)},
        "priority": row.priority, "sla_applied": None, "statistics": statistics(ctx, row, parts), "conversation_rating": None,
        "teammates": {"type": "admin.list", "admins": [{"type": "admin", "id": key} for key in teammates]} if teammates else None,
        "title": row.title, "custom_attributes": row.custom_attributes, "topics": {},
        "ticket": {"type": "ticket", "id": made.id, "ticket_id": str(made.number)} if made else None,
        "linked_objects": linked(ctx, row.id), "ai_agent": None, "ai_agent_participated": False,
    }  # fmt: skip
    if full:
        after = _states(parts)[-MOST_PARTS:]
        listed = [part(ctx, p, now, text=text) for p, now in zip(parts[-MOST_PARTS:], after, strict=True)]
        shown["conversation_parts"] = {
            "type": "conversation_part.list", "conversation_parts": listed, "total_count": len(parts),
        }  # fmt: skip
    return shown


def statistics(ctx: Ctx, row: Conversation, parts: list[Part]) -> dict[str, Any]:
    """Times and counts that reports are made of; from the parts, so that they cannot disagree with them."""
    said = [p for p in parts if p.part_type in ("comment", "open", "quick_reply") and p.body]
    theirs = [p.created_at for p in said if p.author_type in ("user", "lead")]
    ours = [p.created_at for p in said if p.author_type == "admin"]
    if row.author_type in ("user", "lead"):
        theirs.insert(0, row.created_at)
    closes = [p for p in parts if p.part_type == "close"]
    assigns = [p.created_at for p in parts if "assign" in p.part_type]
    waits, asked = list[int](), row.created_at if row.author_type in ("user", "lead") else None
    for entry in said:
        if entry.author_type == "admin" and asked is not None:
            waits.append(entry.created_at - asked)
            asked = None
        elif entry.author_type in ("user", "lead") and asked is None:
            asked = entry.created_at

    def since(when: int | None) -> int | None:
        return None if when is None else when - row.created_at

    def first(times: list[int]) -> int | None:
        return times[0] if times else None

    def last(times: list[int]) -> int | None:
        return times[-1] if times else None

    closed = [p.created_at for p in closes]
    return {
        "type": "conversation_statistics", "time_to_assignment": since(first(assigns)), "time_to_admin_reply": since(first(ours)),
        "time_to_first_close": since(first(closed)), "time_to_last_close": since(last(closed)),
        "median_time_to_reply": int(median(waits)) if waits else None, "first_contact_reply_at": first(theirs),
        "first_assignment_at": first(assigns), "first_admin_reply_at": first(ours), "first_close_at": first(closed),
        "last_assignment_at": last(assigns), "last_contact_reply_at": last(theirs), "last_admin_reply_at": last(ours),
        "last_close_at": last(closed), "last_closed_by_id": closes[-1].author_id if closes else None,
        "count_reopens": sum("open" in p.part_type for p in parts), "count_assignments": len(assigns),
        "count_conversation_parts": len(parts),
    }  # fmt: skip


def linked(ctx: Ctx, key: str) -> dict[str, Any]:
    """Tickets of a conversation, and conversations of a ticket."""
    items = list[dict[str, Any]]()
    for link in ctx.db.find(Link, conversation_id=key):
        kind = ctx.require(TicketType, ctx.require(Ticket, link.ticket_id).ticket_type_id)
        items.append({"type": "ticket", "id": link.ticket_id, "category": kind.category})
    items += [
        {"type": "conversation", "id": link.conversation_id, "category": None}
        for link in ctx.db.find(Link, ticket_id=key)
    ]
    return {"type": "list", "data": items, "total_count": len(items), "has_more": False}


def ticket_state(row: TicketState) -> dict[str, Any]:
    return {
        "type": "ticket_state", "id": row.id, "category": row.category, "internal_label": row.internal_label,
        "external_label": row.external_label,
    }  # fmt: skip


def ticket_attribute(ctx: Ctx, row: TicketAttribute) -> dict[str, Any]:
    options: dict[str, Any] | None = None
    if row.data_type == "string":
        options = {"multiline": row.multiline}
    elif row.data_type == "list":
        options = {"list_options": row.choices}
    elif row.data_type == "files":
        options = {"allow_multiple_values": row.allow_multiple_values}
    return {
        "type": "ticket_type_attribute", "id": row.id, "workspace_id": ids.workspace(ctx).id, "name": row.name,
        "description": row.description, "data_type": row.data_type, "input_options": options, "order": row.order,
        "required_to_create": row.required_to_create, "required_to_create_for_contacts": row.required_to_create_for_contacts,
        "visible_on_create": row.visible_on_create, "visible_to_contacts": row.visible_to_contacts, "default": row.default,
        "ticket_type_id": int(row.ticket_type_id), "archived": row.archived, "created_at": row.created_at,
        "updated_at": row.updated_at,
    }  # fmt: skip


def states_of(ctx: Ctx, type_id: str) -> list[TicketState]:
    """The states that a type's tickets can have."""
    return [
        s
        for s in ctx.db.find(TicketState)
        if not s.archived and (not s.ticket_type_ids or type_id in s.ticket_type_ids)
    ]


def ticket_type(ctx: Ctx, row: TicketType, *, full: bool = True) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "type": "ticket_type", "id": row.id, "name": row.name, "description": row.description, "icon": row.icon,
        "workspace_id": ids.workspace(ctx).id, "archived": row.archived, "created_at": row.created_at, "updated_at": row.updated_at,
        "is_internal": row.is_internal, "category": row.category,
    }  # fmt: skip
    attributes = ctx.db.find(TicketAttribute, ticket_type_id=row.id, order="order,id")
    shown["ticket_type_attributes"] = {"type": "list", "data": [ticket_attribute(ctx, a) for a in attributes]}
    if full:
        shown["ticket_states"] = {"type": "list", "data": [ticket_state(s) for s in states_of(ctx, row.id)]}
    return shown


def ticket(ctx: Ctx, row: Ticket) -> dict[str, Any]:
    thread = ctx.require(Conversation, row.id)
    kind, state = ctx.require(TicketType, row.ticket_type_id), state_of(ctx, thread)
    parts = parts_of(ctx, row.id)
    listed = [ticket_part(ctx, p) for p in parts[-MOST_PARTS:]]
    return {
        "type": "ticket", "id": row.id, "ticket_id": str(row.number), "ticket_attributes": row.attributes,
        "ticket_state": ticket_state(ctx.require(TicketState, row.state_id)), "ticket_type": ticket_type(ctx, kind, full=False),
        "contacts": contacts(ctx, row.id), "admin_assignee_id": thread.admin_assignee_id or "0",
        "team_assignee_id": thread.team_assignee_id or "0", "company_id": thread.company_id, "created_at": row.created_at,
        "updated_at": thread.updated_at,
        "ticket_parts": {"type": "ticket_part.list", "ticket_parts": listed, "total_count": len(parts)},
        "open": state != "closed", "snoozed_until": thread.snoozed_until if state == "snoozed" else None,
        "linked_objects": linked(ctx, row.id), "category": kind.category, "is_shared": row.is_shared,
    }  # fmt: skip
