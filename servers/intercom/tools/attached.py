"""What hangs on a contact: companies, tags, notes, subscriptions."""

from typing import Any, Literal

from legoenv_mcp.app import Ctx

from .. import errors, ids, people, resources
from ..app import app
from ..inputs import ContactId, PageNumber, PerPage, Text
from ..models import (
    Admin,
    Company,
    Contact,
    ContactCompany,
    ContactSubscription,
    Note,
    SubscriptionType,
    Tag,
    Tagging,
)
from ..paging import numbered, whole
from ..text import html


@app.post("/contacts/{contact_id}/companies", tool="attach_contact_to_company", effect="update")
def attach_contact_to_company(ctx: Ctx, contact_id: ContactId, id: Text | None = None) -> dict[str, Any]:
    """Makes a contact one of a company's people.

    id: The company's id, as Intercom gave it.
    """
    row = people.find(ctx, contact_id)
    if not id:
        raise errors.missing_parameter("company not specified")
    firm = ctx.require(Company, id)
    if ctx.db.get(ContactCompany, (row.id, firm.id)) is None:
        if ctx.db.count(ContactCompany, contact_id=row.id) >= people.MOST_COMPANIES:
            raise errors.refuse(
                400, "contact_company_limit_exceeded", "Contact has reached the maximum of 1000 company associations"
            )
        ctx.db.add(ContactCompany(contact_id=row.id, company_id=firm.id, created_at=ctx.epoch()))
        people.touch(ctx, row)
    return resources.company(ctx, firm)


@app.delete("/contacts/{contact_id}/companies/{company_id}", tool="detach_contact_from_company")
def detach_contact_from_company(ctx: Ctx, contact_id: ContactId, company_id: str) -> dict[str, Any]:
    """Takes a contact out of a company.

    company_id: The company's id, as Intercom gave it.
    """
    row, firm = people.find(ctx, contact_id), ctx.require(Company, company_id)
    joined = ctx.db.get(ContactCompany, (row.id, firm.id))
    if joined is None:
        raise errors.not_found("Company")
    ctx.db.delete(joined)
    people.touch(ctx, row)
    return resources.company(ctx, firm)


@app.get("/contacts/{contact_id}/companies", tool="list_companies_for_contact", mcp=False)
def list_companies_for_contact(
    ctx: Ctx, contact_id: ContactId, page: PageNumber = 1, per_page: PerPage = 50
) -> dict[str, Any]:
    """Lists a contact's companies."""
    row = people.find(ctx, contact_id)
    joined = ctx.db.find(ContactCompany, contact_id=row.id, order="created_at,company_id")
    firms = [ctx.require(Company, j.company_id) for j in joined]
    return numbered(ctx, firms, lambda c: resources.company(ctx, c), page, per_page, f"/contacts/{row.id}/companies")


def tagged(
    ctx: Ctx, tag_id: str, kind: Literal["contact", "company", "conversation"], key: str, by: Admin
) -> dict[str, Any]:
    """Puts a tag on something; it stays as it is where it is there already."""
    tag = ctx.require(Tag, tag_id)
    tagging = ctx.db.get(Tagging, (tag.id, kind, key))
    if tagging is None:
        tagging = ctx.db.add(Tagging(tag_id=tag.id, kind=kind, object_id=key, applied_at=ctx.epoch(), admin_id=by.id))
    return resources.applied(ctx, tag, tagging)


def untagged(
    ctx: Ctx, tag_id: str, kind: Literal["contact", "company", "conversation"], key: str, code: str
) -> dict[str, Any]:
    """Takes a tag off. `code` is how the endpoint says that there is none."""
    tag = ctx.db.get(Tag, tag_id)
    tagging = ctx.db.get(Tagging, (tag_id, kind, key))
    if tag is None or tagging is None:
        raise errors.refuse(404, code, "Tag not found" if code == "tag_not_found" else "Resource Not Found")
    ctx.db.delete(tagging)
    return resources.applied(ctx, tag, tagging)


@app.post("/contacts/{contact_id}/tags", tool="tag_contact", effect="update")
def tag_contact(ctx: Ctx, contact_id: ContactId, id: Text) -> dict[str, Any]:
    """Puts a tag on a contact.

    id: The tag's id.
    """
    row = people.find(ctx, contact_id)
    return tagged(ctx, id, "contact", row.id, ids.me(ctx))


@app.delete("/contacts/{contact_id}/tags/{tag_id}", tool="untag_contact")
def untag_contact(ctx: Ctx, contact_id: ContactId, tag_id: str) -> dict[str, Any]:
    """Takes a tag off a contact.

    tag_id: The tag's id.
    """
    row = people.find(ctx, contact_id)
    return untagged(ctx, tag_id, "contact", row.id, "not_found")


@app.get("/contacts/{contact_id}/tags", tool="list_tags_for_contact", mcp=False)
def list_tags_for_contact(ctx: Ctx, contact_id: ContactId) -> dict[str, Any]:
    """Lists a contact's tags."""
    row = people.find(ctx, contact_id)
    return whole(resources.tags_of(ctx, "contact", row.id))


@app.post("/contacts/{contact_id}/notes", tool="create_note")
def create_note(ctx: Ctx, contact_id: ContactId, body: str, admin_id: Text | None = None) -> dict[str, Any]:
    """Adds a note to a contact, which only teammates see. A note in a conversation is a reply of the type note.

    body: The note, as text or HTML.
    admin_id: The id of the teammate who writes; you where left out.
    """
    row = people.find(ctx, contact_id)
    by = ids.me(ctx) if admin_id is None else ctx.db.get(Admin, admin_id)
    if by is None:
        raise errors.not_found()
    if not body.strip():
        raise errors.invalid_parameter("Body is required")
    made = ctx.db.add(
        Note(id=ids.number(ctx, "note"), contact_id=row.id, author_id=by.id, body=html(body), created_at=ctx.epoch())
    )
    return resources.note(ctx, made)


@app.get("/contacts/{contact_id}/notes", tool="list_notes")
def list_notes(ctx: Ctx, contact_id: ContactId, page: PageNumber = 1, per_page: PerPage = 50) -> dict[str, Any]:
    """Lists the notes on a contact, newest first."""
    row = people.find(ctx, contact_id)
    notes = ctx.db.find(Note, contact_id=row.id, order="-created_at,-id")
    return numbered(ctx, notes, lambda n: resources.note(ctx, n), page, per_page, f"/contacts/{row.id}/notes")


@app.get("/notes/{note_id}", tool="retrieve_note", mcp=False)
def retrieve_note(ctx: Ctx, note_id: str) -> dict[str, Any]:
    """Shows a note.

    note_id: The note's id.
    """
    return resources.note(ctx, ctx.require(Note, note_id))


@app.get("/subscription_types", tool="list_subscription_types", mcp=False)
def list_subscription_types(ctx: Ctx) -> dict[str, Any]:
    """Lists what contacts can subscribe to, and whether they have to ask for it or to decline it."""
    return whole([resources.subscription(s) for s in ctx.db.find(SubscriptionType)])


@app.get("/contacts/{contact_id}/subscriptions", tool="list_subscriptions_for_contact", mcp=False)
def list_subscriptions_for_contact(ctx: Ctx, contact_id: ContactId) -> dict[str, Any]:
    """Lists the subscription types that a contact has asked for or declined."""
    row = people.find(ctx, contact_id)
    chosen = [c.subscription_id for c in ctx.db.find(ContactSubscription, contact_id=row.id)]
    return whole([resources.subscription(s) for s in ctx.db.find(SubscriptionType, id__in=chosen)])


@app.post(
    "/contacts/{contact_id}/subscriptions", tool="attach_subscription_type_to_contact", effect="update", mcp=False
)
def attach_subscription_type_to_contact(
    ctx: Ctx, contact_id: ContactId, id: Text, consent_type: Literal["opt_in", "opt_out"]
) -> dict[str, Any]:
    """Says that a contact asked for a subscription type, or declined it.

    id: The subscription type's id.
    consent_type: opt_in or opt_out, as the type is.
    """
    row, kind = _consent(ctx, contact_id, id)
    if consent_type != kind.consent_type:
        raise errors.invalid_parameter(f"The subscription type has a consent type of {kind.consent_type}")
    if ctx.db.get(ContactSubscription, (row.id, kind.id)) is None:
        ctx.db.add(ContactSubscription(contact_id=row.id, subscription_id=kind.id, consent_type=consent_type))
    return resources.subscription(kind)


@app.delete(
    "/contacts/{contact_id}/subscriptions/{subscription_id}", tool="detach_subscription_type_from_contact", mcp=False
)
def detach_subscription_type_from_contact(ctx: Ctx, contact_id: ContactId, subscription_id: str) -> dict[str, Any]:
    """Takes back what a contact said of a subscription type.

    subscription_id: The subscription type's id.
    """
    row, kind = _consent(ctx, contact_id, subscription_id)
    said = ctx.db.get(ContactSubscription, (row.id, kind.id))
    if said is None:
        raise errors.not_found()
    ctx.db.delete(said)
    return resources.subscription(kind)


def _consent(ctx: Ctx, contact_id: str, subscription_id: str) -> tuple[Contact, SubscriptionType]:
    return people.find(ctx, contact_id), ctx.require(SubscriptionType, subscription_id)
