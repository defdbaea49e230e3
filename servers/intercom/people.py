"""Contacts: who they are told apart by, what they may have of their own, merging and removing."""

from collections.abc import Mapping
from typing import Any

from legoenv_mcp.app import Ctx

from . import errors
from .models import (
    Contact,
    ContactCompany,
    ContactSubscription,
    Conversation,
    ConversationContact,
    DataAttribute,
    DataEvent,
    EventSummary,
    Model,
    Note,
    Part,
    Tagging,
)

MOST_COMPANIES = 1000


def find(ctx: Ctx, key: str) -> Contact:
    """A contact by its id; archived ones cannot be looked up."""
    row = ctx.require(Contact, key)
    if row.archived:
        raise errors.not_found("Contact")
    return row


def address(email: str | None) -> str | None:
    """An e-mail address in lower case; an empty one is none."""
    if not email:
        return None
    name, _, domain = email.partition("@")
    if not name or "." not in domain or "@" in domain or any(c.isspace() for c in email):
        raise errors.invalid_parameter("Email is invalid")
    return email.lower()


def no_conflict(ctx: Ctx, role: str, external_id: str | None, email: str | None, but: str = "") -> None:
    """No two contacts have one external_id. Users with the same address must be told apart by theirs."""
    twins = ctx.db.find(Contact, external_id=external_id) if external_id else []
    if email and role == "user":
        same = ctx.db.find(Contact, email=email, role="user")
        twins += [c for c in same if not external_id or not c.external_id]
    for twin in twins:
        if twin.id != but:
            said = "An archived contact" if twin.archived else "A contact"
            raise errors.refuse(409, "conflict", f"{said} matching those details already exists with id={twin.id}")


_READS: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "float": (int, float), "boolean": (bool,), "date": (int,),
}  # fmt: skip


def attributes(ctx: Ctx, model: Model, old: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Custom attributes with what was sent. They must exist in the workspace and be of their type; null clears one."""
    known = {a.name: a for a in ctx.db.find(DataAttribute, model=model, custom=True, archived=False)}
    out = dict(old)
    for name, value in sent.items():
        found = known.get(name)
        if found is None:
            raise errors.invalid_parameter(f"Custom attribute '{name}' does not exist")
        fits = isinstance(value, _READS[found.data_type]) and (
            found.data_type == "boolean" or not isinstance(value, bool)
        )
        if value is not None and not fits:
            raise errors.invalid_parameter(f"Custom attribute '{name}' must be of type {found.data_type}")
        if value is not None and found.options and value not in found.options:
            raise errors.invalid_parameter(f"Custom attribute '{name}' must be one of: {', '.join(found.options)}")
        out[name] = value
    return {name: value for name, value in out.items() if value is not None}


def touch(ctx: Ctx, row: Contact, **changes: Any) -> Contact:
    return ctx.db.update(row, **changes, updated_at=ctx.epoch())


def merge(ctx: Ctx, lead: Contact, user: Contact) -> None:
    """All that hangs on a lead goes over to a user, and the lead is gone. The user's own values win."""
    own = {
        name: getattr(lead, name)
        for name in ("email", "phone", "name", "avatar", "owner_id", "last_seen_at", "language_override")
        if getattr(user, name) is None and getattr(lead, name) is not None
    }
    for joined in ctx.db.find(ConversationContact, contact_id=lead.id):
        if ctx.db.get(ConversationContact, (joined.conversation_id, user.id)) is None:
            ctx.db.add(
                ConversationContact(
                    conversation_id=joined.conversation_id, contact_id=user.id, position=joined.position
                )
            )
        ctx.db.delete(joined)
    for thread in ctx.db.find(Conversation, author_id=lead.id):
        ctx.db.update(thread, author_id=user.id, author_type="user")
    for part in ctx.db.find(Part, author_id=lead.id):
        ctx.db.update(part, author_id=user.id, author_type="user")
    for tagging in ctx.db.find(Tagging, kind="contact", object_id=lead.id):
        if ctx.db.get(Tagging, (tagging.tag_id, "contact", user.id)) is None:
            ctx.db.add(
                Tagging(
                    tag_id=tagging.tag_id,
                    kind="contact",
                    object_id=user.id,
                    applied_at=tagging.applied_at,
                    admin_id=tagging.admin_id,
                )
            )
    for firm in ctx.db.find(ContactCompany, contact_id=lead.id):
        if ctx.db.get(ContactCompany, (user.id, firm.company_id)) is None:
            ctx.db.add(ContactCompany(contact_id=user.id, company_id=firm.company_id, created_at=firm.created_at))
    for note in ctx.db.find(Note, contact_id=lead.id):
        ctx.db.update(note, contact_id=user.id)
    for event in ctx.db.find(DataEvent, contact_id=lead.id):
        ctx.db.update(event, contact_id=user.id)
    mixed = {**lead.custom_attributes, **user.custom_attributes}
    erase(ctx, lead)
    touch(ctx, user, **own, custom_attributes=mixed)


def erase(ctx: Ctx, row: Contact) -> None:
    """A contact, for good. What they wrote stays in its conversations."""
    ctx.db.delete_where(Tagging, kind="contact", object_id=row.id)
    for table in (ConversationContact, ContactCompany, ContactSubscription, Note, DataEvent, EventSummary):
        ctx.db.delete_where(table, contact_id=row.id)
    ctx.db.delete(row)
