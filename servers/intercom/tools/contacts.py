"""Contacts. https://developers.intercom.com/docs/references/rest-api/api.intercom.io/contacts"""

from typing import Any, Literal

from legoenv_mcp.app import MISSING, Ctx

from .. import errors, ids, people, resources
from ..app import app
from ..catalogues import contacts as searchable
from ..catalogues import segments_of
from ..inputs import After, Attributes, ContactId, PageNumber, Paging, PerPage, Seconds, Sort, Text
from ..models import Contact
from ..paging import slice_of, whole

Gone = dict[str, Any]


def _gone(row: Contact, **what: bool) -> Gone:
    return {"type": "contact", "id": row.id, "external_id": row.external_id, **what}


@app.post("/contacts", tool="create_contact")
def create_contact(
    ctx: Ctx,
    role: Literal["user", "lead"] | None = None,
    external_id: Text | None = None,
    email: str | None = None,
    phone: str | None = None,
    name: str | None = None,
    avatar: str | None = None,
    signed_up_at: Seconds | None = None,
    last_seen_at: Seconds | None = None,
    owner_id: int | None = None,
    unsubscribed_from_emails: bool | None = None,
    custom_attributes: Attributes | None = None,
) -> dict[str, Any]:
    """Creates a contact. A user needs an email or an external_id and must not match an existing one (409); a lead needs nothing.

    role: user, or lead for somebody not signed up yet; user where left out.
    external_id: Your own id of the contact.
    email: Their e-mail address.
    phone: Their phone number.
    name: Their name.
    avatar: The address of a picture.
    signed_up_at: When they signed up, in seconds since 1970.
    last_seen_at: When they were last seen, in seconds since 1970.
    owner_id: The id of the teammate who owns the account.
    unsubscribed_from_emails: Whether they want no e-mail.
    custom_attributes: Values of attributes that exist in the workspace (`list_data_attributes`), by name.
    """
    chosen, mail = role or "user", people.address(email)
    if chosen == "user" and not mail and not external_id:
        raise errors.invalid_parameter("A user must have an email or an external_id")
    people.no_conflict(ctx, chosen, external_id, mail)
    when = ctx.epoch()
    row = ctx.db.add(Contact(
        id=ids.objectid(ctx, "contact"), role=chosen, external_id=external_id or None, email=mail, phone=phone, name=name, avatar=avatar,
        signed_up_at=signed_up_at, last_seen_at=last_seen_at, owner_id=ids.owner(ctx, owner_id), created_at=when, updated_at=when,
        unsubscribed_from_emails=bool(unsubscribed_from_emails),
        custom_attributes=people.attributes(ctx, "contact", {}, custom_attributes or {}),
    ))  # fmt: skip
    return resources.contact(ctx, row)


@app.get("/contacts/{contact_id}", tool="retrieve_contact")
def retrieve_contact(ctx: Ctx, contact_id: ContactId) -> dict[str, Any]:
    """Shows a contact: who they are, their tags, notes and companies, custom attributes."""
    return resources.contact(ctx, people.find(ctx, contact_id))


@app.get("/contacts/find_by_external_id/{external_id}", tool="show_contact_by_external_id", mcp=False)
def show_contact_by_external_id(ctx: Ctx, external_id: str) -> dict[str, Any]:
    """Shows the contact that has an external id.

    external_id: Your own id of the contact.
    """
    row = ctx.db.first(Contact, external_id=external_id, archived=False)
    if row is None:
        raise errors.not_found("Contact")
    return resources.contact(ctx, row)


@app.put("/contacts/{contact_id}", tool="update_contact")
def update_contact(
    ctx: Ctx,
    contact_id: ContactId,
    role: Literal["user", "lead"] | MISSING = MISSING,
    external_id: Text | None | MISSING = MISSING,
    email: str | None | MISSING = MISSING,
    phone: str | None | MISSING = MISSING,
    name: str | None | MISSING = MISSING,
    avatar: str | None | MISSING = MISSING,
    signed_up_at: Seconds | None | MISSING = MISSING,
    last_seen_at: Seconds | None | MISSING = MISSING,
    owner_id: int | None | MISSING = MISSING,
    unsubscribed_from_emails: bool | None | MISSING = MISSING,
    custom_attributes: Attributes | MISSING = MISSING,
    language_override: str | None | MISSING = MISSING,
) -> dict[str, Any]:
    """Changes what is sent of a contact. A lead can become a user, never the other way. Custom attributes are added to those there.

    role: user makes a lead a user.
    external_id: Your own id of the contact.
    email: Their e-mail address.
    phone: Their phone number.
    name: Their name.
    avatar: The address of a picture.
    signed_up_at: When they signed up, in seconds since 1970.
    last_seen_at: When they were last seen, in seconds since 1970.
    owner_id: The id of the teammate who owns the account; null for none.
    unsubscribed_from_emails: Whether they want no e-mail.
    custom_attributes: Values by name; null clears one.
    language_override: The language they are written to in.
    """
    row, sent = people.find(ctx, contact_id), ctx.sent()
    now = sent.get("role", row.role)
    if row.role == "user" and now == "lead":
        raise errors.invalid_parameter("A user cannot become a lead")
    if "email" in sent:
        sent["email"] = people.address(sent["email"])
    if "external_id" in sent:
        sent["external_id"] = sent["external_id"] or None
    mail, own = sent.get("email", row.email), sent.get("external_id", row.external_id)
    if now == "user" and not mail and not own:
        raise errors.invalid_parameter("A user must have an email or an external_id")
    if {"email", "external_id", "role"} & sent.keys():
        people.no_conflict(ctx, now, own, mail, but=row.id)
    if "owner_id" in sent:
        sent["owner_id"] = ids.owner(ctx, sent["owner_id"])
    if "unsubscribed_from_emails" in sent:
        sent["unsubscribed_from_emails"] = bool(sent["unsubscribed_from_emails"])
    if "custom_attributes" in sent:
        sent["custom_attributes"] = people.attributes(ctx, "contact", row.custom_attributes, sent["custom_attributes"])
    return resources.contact(ctx, people.touch(ctx, row, **sent))


@app.get("/contacts", tool="list_contacts")
def list_contacts(
    ctx: Ctx, page: PageNumber = 1, per_page: PerPage = 50, starting_after: After = None
) -> dict[str, Any]:
    """Lists the contacts, newest first. To find some by e-mail, name, company and so on use `search_contacts`."""
    rows = ctx.db.find(Contact, archived=False)
    shown, pages, total = slice_of(rows, lambda c: c.created_at, lambda c: c.id, per_page, starting_after, page)
    return {"type": "list", "data": [resources.contact(ctx, c) for c in shown], "total_count": total, "pages": pages}


@app.post("/contacts/search", tool="search_contacts", effect="read")
def search_contacts(
    ctx: Ctx, query: dict[str, Any], pagination: Paging | None = None, sort: Sort | None = None
) -> dict[str, Any]:
    """Finds contacts by their attributes. Archived ones are not found.

    query: A filter {"field", "operator", "value"} or a group {"operator": "AND" or "OR", "value": [filters or groups]}, nested two deep,
      15 a group. Fields: email, name, phone, role, external_id, owner_id, email_domain, tag_id, segment_id, created_at, signed_up_at,
      last_seen_at, custom_attributes.NAME and others. Operators: = != IN NIN, of text ~ (contains) !~ ^ (starts) $ (ends), of numbers
      < <= > >=. Times are UNIX seconds and compared by day, with = < > alone.
    pagination: {"per_page": up to 150, "starting_after": the cursor of the next page}; 50 a page by default.
    sort: {"field", "order": ascending or descending}; the newest first by default.
    """
    catalogue = searchable(ctx)
    test = catalogue.compile(query)
    key, down = catalogue.order(sort)
    rows = [c for c in ctx.db.find(Contact, archived=False) if test(c)]
    wanted = pagination or {}
    shown, pages, total = slice_of(
        rows,
        key,
        lambda c: c.id,
        wanted.get("per_page", 50),
        wanted.get("starting_after"),
        wanted.get("page", 1),
        descending=down,
    )
    return {"type": "list", "data": [resources.contact(ctx, c) for c in shown], "total_count": total, "pages": pages}


@app.delete("/contacts/{contact_id}", tool="delete_contact")
def delete_contact(ctx: Ctx, contact_id: ContactId) -> Gone:
    """Deletes a contact for good; archiving (`archive_contact`) can be undone."""
    row = ctx.require(Contact, contact_id)
    people.erase(ctx, row)
    return _gone(row, deleted=True)


@app.post("/contacts/merge", tool="merge_contacts", effect="update", idempotent=False)
def merge_contacts(ctx: Ctx, from_: str, into: str) -> dict[str, Any]:
    """Merges a lead into a user: their conversations, tags, notes, companies and events become the user's, and the lead is gone.

    from_: The id of the contact with the role lead.
    into: The id of the contact with the role user.
    """
    lead, user = people.find(ctx, from_), people.find(ctx, into)
    if lead.role != "lead":
        raise errors.invalid_parameter("The contact to merge from must have the role of lead")
    if user.role != "user":
        raise errors.invalid_parameter("The contact to merge into must have the role of user")
    people.merge(ctx, lead, user)
    return resources.contact(ctx, user)


@app.post("/contacts/{contact_id}/archive", tool="archive_contact", effect="update")
def archive_contact(ctx: Ctx, contact_id: ContactId) -> Gone:
    """Archives a contact: no longer listed or found, until unarchived."""
    row = ctx.require(Contact, contact_id)
    if not row.archived:
        people.touch(ctx, row, archived=True)
    return _gone(row, archived=True)


@app.post("/contacts/{contact_id}/unarchive", tool="unarchive_contact", effect="update")
def unarchive_contact(ctx: Ctx, contact_id: ContactId) -> Gone:
    """Brings an archived contact back."""
    row = ctx.require(Contact, contact_id)
    if row.archived:
        people.touch(ctx, row, archived=False, blocked=False)
    return _gone(row, archived=False)


@app.post("/contacts/{contact_id}/block", tool="block_contact", effect="update", mcp=False)
def block_contact(ctx: Ctx, contact_id: ContactId) -> Gone:
    """Blocks a contact, which archives it as well."""
    row = ctx.require(Contact, contact_id)
    if not row.blocked:
        people.touch(ctx, row, archived=True, blocked=True)
    return _gone(row, blocked=True)


@app.get("/contacts/{contact_id}/segments", tool="list_segments_for_contact", mcp=False)
def list_segments_for_contact(ctx: Ctx, contact_id: ContactId) -> dict[str, Any]:
    """Lists the segments that a contact is in."""
    return whole([resources.segment(s) for s in segments_of(ctx, people.find(ctx, contact_id))])
