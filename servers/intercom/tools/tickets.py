"""Tickets. https://developers.intercom.com/docs/references/rest-api/api.intercom.io/tickets"""

from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, Body, Ctx, Field

from .. import errors, ids, threads, ticketing, wire
from ..app import app
from ..catalogues import tickets as searchable
from ..inputs import Acting, Attributes, File, Option, Paging, Seconds, Sort, Text, TicketId
from ..models import Admin, Company, Conversation, Job, Link, Team, Ticket, TicketState, TicketType
from ..paging import slice_of
from .attached import tagged, untagged


class ForContact(TypedDict, total=False):
    """A contact, named in one of three ways."""

    id: Annotated[Text, Field(description="The contact's id, as Intercom gave it.")]
    external_id: Annotated[Text, Field(description="Your own id of the contact.")]
    email: Annotated[str, Field(description="The contact's e-mail address.")]


class Assignment(TypedDict, total=False):
    """Whom a ticket is assigned to."""

    admin_assignee_id: Annotated[Text, Field(description="A teammate's id.")]
    team_assignee_id: Annotated[Text, Field(description="A team's id.")]


class Assigned(TypedDict, total=False):
    """How versions up to 2.13 say who assigns and to whom."""

    admin_id: Text
    assignee_id: Text


def _create(
    ctx: Ctx, ticket_type_id: str, contacts: list[Any], attributes: Attributes | None, company_id: str | None,
    created_at: int | None, link: str | None, assignment: Assignment | None,
) -> Ticket:  # fmt: skip
    kind = ticketing.kind_of(ctx, ticket_type_id)
    if not contacts:
        raise errors.missing_parameter("Contacts is a required parameter.")
    made = ticketing.read_attributes(ctx, kind.id, attributes or {})
    ticketing.check_required(ctx, kind.id, made)
    if company_id:
        ctx.require(Company, company_id)
    linked = threads.find(ctx, link) if link else None
    if linked is not None and kind.category == "Customer":
        raise errors.invalid_parameter("A conversation can only be linked to a Back-office or a Tracker ticket")
    wanted = assignment or {}
    for side, table in (("admin", Admin), ("team", Team)):
        key = wanted.get(f"{side}_assignee_id")
        if key not in (None, "0") and ctx.db.get(table, key) is None:
            raise errors.refuse(404, "assignee_not_found", "Assignee not found")
    people = ticketing.people(ctx, contacts)
    thread = threads.begin(
        ctx, people, people[0], str(made.get(ticketing.DESCRIPTION) or ""), created_at=created_at, hidden=kind.category != "Customer",
    )  # fmt: skip
    ctx.db.update(thread, title=made.get(ticketing.TITLE), company_id=company_id or None)
    row = ticketing.make(ctx, thread, kind, made, ids.me(ctx), thread.created_at)
    for side in ("admin", "team"):
        key = wanted.get(f"{side}_assignee_id")
        if key not in (None, "0"):
            threads.assign(ctx, thread, ids.me(ctx), str(key), "team" if side == "team" else "admin")
    if linked is not None:
        ctx.db.add(Link(ticket_id=row.id, conversation_id=linked.id))
    return row


@app.post("/tickets", tool="create_ticket")
def create_ticket(
    ctx: Ctx,
    ticket_type_id: Text,
    contacts: list[ForContact],
    ticket_attributes: Attributes | None = None,
    company_id: Text | None = None,
    created_at: Seconds | None = None,
    conversation_to_link_id: Text | None = None,
    assignment: Assignment | None = None,
    skip_notifications: bool | None = None,
) -> dict[str, Any]:
    """Creates a ticket of a type, for one or more contacts. Its attributes must fit the type (`list_ticket_types`, `get_ticket_type`).

    ticket_type_id: The ticket type's id.
    contacts: Whom it is for, each {"id"}, {"external_id"} or {"email"}; an unknown address becomes a lead's.
    ticket_attributes: Values by the attributes' names; `_default_title_` and `_default_description_` are title and description.
    company_id: The id of the company that it is about.
    created_at: When it was, in seconds since 1970; now where left out.
    conversation_to_link_id: A conversation to link it to, of a Back-office or Tracker ticket.
    assignment: {"admin_assignee_id", "team_assignee_id"}.
    skip_notifications: Whether nobody is notified.
    """
    return wire.ticket(
        ctx,
        _create(
            ctx,
            ticket_type_id,
            contacts,
            ticket_attributes,
            company_id,
            created_at,
            conversation_to_link_id,
            assignment,
        ),
    )


@app.post("/tickets/enqueue", tool="enqueue_create_ticket", mcp=False)
def enqueue_create_ticket(
    ctx: Ctx,
    ticket_type_id: Text,
    contacts: list[ForContact],
    ticket_attributes: Attributes | None = None,
    company_id: Text | None = None,
    created_at: Seconds | None = None,
    conversation_to_link_id: Text | None = None,
    assignment: Assignment | None = None,
    skip_notifications: bool | None = None,
) -> dict[str, Any]:
    """Creates a ticket as a job, which `GET /jobs/status/{id}` tells of."""
    row = _create(
        ctx, ticket_type_id, contacts, ticket_attributes, company_id, created_at, conversation_to_link_id, assignment
    )
    job = ctx.db.add(Job(id=ids.number(ctx, "job"), resource_type="ticket", resource_id=row.id))
    return {
        "type": "job", "id": job.id, "status": "pending", "url": f"https://api.intercom.io/jobs/status/{job.id}",
        "resource_type": "ticket", "resource_id": None, "resource_url": None,
    }  # fmt: skip


@app.get("/jobs/status/{job_id}", tool="jobs_status", mcp=False)
def jobs_status(ctx: Ctx, job_id: str) -> dict[str, Any]:
    """Shows how a job is going.

    job_id: The job's id.
    """
    job = ctx.require(Job, job_id)
    return {
        "type": "job", "id": job.id, "status": "success", "resource_type": job.resource_type, "resource_id": job.resource_id,
        "resource_url": f"https://api.intercom.io/tickets/{job.resource_id}",
    }  # fmt: skip


@app.get("/tickets/{ticket_id}", tool="get_ticket")
def get_ticket(ctx: Ctx, ticket_id: TicketId) -> dict[str, Any]:
    """Shows a ticket: type, state, attributes, assignees and all its parts."""
    return wire.ticket(ctx, ticketing.find(ctx, ticket_id))


def _actor(ctx: Ctx, key: object) -> Admin | None:
    """Who changes a ticket; the workspace's bot where nobody is named."""
    if key is None:
        return None
    row = ctx.db.get(Admin, str(key))
    if row is None:
        raise errors.refuse(404, "assignee_not_found", "Assignee not found")
    return row


@app.put("/tickets/{ticket_id}", tool="update_ticket", effect="transition")
def update_ticket(
    ctx: Ctx,
    ticket_id: TicketId,
    ticket_attributes: Attributes | MISSING = MISSING,
    ticket_state_id: Text | MISSING = MISSING,
    company_id: Text | None | MISSING = MISSING,
    open: bool | MISSING = MISSING,
    is_shared: bool | MISSING = MISSING,
    snoozed_until: Seconds | None | MISSING = MISSING,
    admin_id: Text | MISSING = MISSING,
    assignee_id: Text | MISSING = MISSING,
    state: Annotated[
        Literal["submitted", "in_progress", "waiting_on_customer", "resolved"] | MISSING, Body(mcp=False)
    ] = MISSING,
    assignment: Annotated[Assigned | MISSING, Body(mcp=False)] = MISSING,
    skip_notifications: Annotated[bool | MISSING, Body(mcp=False)] = MISSING,
) -> dict[str, Any]:
    """Changes a ticket: attributes, state, assignee. A state that resolves it closes it; leaving such a state opens it.

    ticket_attributes: Values by the attributes' names.
    ticket_state_id: The id of a state that the ticket's type has (`list_ticket_states`).
    company_id: The id of the company that it is about; null for none.
    open: false closes the ticket, true opens it; its state stays.
    is_shared: Whether the customer sees it.
    snoozed_until: Snoozes it until then, in seconds since 1970, in the future.
    admin_id: The id of the teammate who changes it (`identify_admin` for yours).
    assignee_id: The id of a teammate or team; 0 for nobody.
    state: A kind of state, as in versions up to 2.11.
    assignment: Assigner and assignee, as in versions up to 2.13.
    skip_notifications: Whether nobody is notified.
    """
    row, sent = ticketing.find(ctx, ticket_id), ctx.sent()
    thread = ctx.require(Conversation, row.id)
    old: dict[str, Any] = sent.get("assignment", {})
    who = _actor(ctx, sent.get("admin_id", old.get("admin_id")))
    if sent.get("company_id"):
        ctx.require(Company, sent["company_id"])
    if "ticket_attributes" in sent:
        ticketing.change(ctx, row, thread, sent["ticket_attributes"], who)
    if "assignee_id" in sent or "assignee_id" in old:
        threads.assign(ctx, thread, who, str(sent.get("assignee_id", old.get("assignee_id"))), opening=False)
    if sent.get("snoozed_until") is not None:
        threads.snooze(ctx, thread, who, sent["snoozed_until"])
    target = sent.get("ticket_state_id")
    if target is None and "state" in sent:
        target = next((s.id for s in wire.states_of(ctx, row.ticket_type_id) if s.category == sent["state"]), "")
    if target is not None:
        ticketing.move(ctx, row, thread, target, who)
    if "open" in sent and sent["open"] != (wire.state_of(ctx, thread) != "closed"):
        (threads.reopen if sent["open"] else threads.close)(ctx, thread, who)
    if "is_shared" in sent:
        ctx.db.update(row, is_shared=sent["is_shared"])
    if "company_id" in sent:
        ctx.db.update(thread, company_id=sent["company_id"] or None)
    if sent:
        ctx.db.update(thread, updated_at=ctx.epoch())
    return wire.ticket(ctx, row)


@app.delete("/tickets/{ticket_id}", tool="delete_ticket", mcp=False)
def delete_ticket(ctx: Ctx, ticket_id: TicketId) -> dict[str, Any]:
    """Deletes a ticket for good, with its conversation."""
    row = ticketing.find(ctx, ticket_id)
    threads.erase(ctx, ctx.require(Conversation, row.id))
    return {"id": row.id, "object": "ticket", "deleted": True}


@app.post("/tickets/search", tool="search_tickets", effect="read")
def search_tickets(
    ctx: Ctx, query: dict[str, Any], pagination: Paging | None = None, sort: Sort | None = None
) -> dict[str, Any]:
    """Finds tickets, the last changed first.

    query: A filter {"field", "operator", "value"} or a group {"operator": "AND" or "OR", "value": [filters or groups]}, nested two deep,
      15 a group. Fields: ticket_id (the number that people see), title, description, state (submitted, in_progress,
      waiting_on_customer, resolved), open, ticket_type_id, category (request, task, tracker), contact_ids, admin_assignee_id,
      team_assignee_id (0 for nobody), tag_ids, created_at, updated_at, ticket_attribute.ID with the id of a ticket type's attribute.
      Operators: = != IN NIN < > <= >= and, of text, ~ (contains) !~ ^ $. Times are UNIX seconds.
    pagination: {"per_page": up to 150, "starting_after": the cursor of the next page}; 20 a page by default.
    sort: {"field", "order": ascending or descending}.
    """
    catalogue = searchable(ctx)
    test = catalogue.compile(query)
    key, down = catalogue.order(sort)
    made = {t.id: t for t in ctx.db.find(Ticket)}
    rows = [c for c in ctx.db.find(Conversation) if c.id in made and test(c)]
    wanted = pagination or {}
    shown, pages, total = slice_of(
        rows,
        key,
        lambda c: c.id,
        wanted.get("per_page", 20),
        wanted.get("starting_after"),
        wanted.get("page", 1),
        descending=down,
    )
    return {
        "type": "ticket.list", "pages": pages, "total_count": total, "tickets": [wire.ticket(ctx, made[c.id]) for c in shown],
    }  # fmt: skip


@app.post("/tickets/{ticket_id}/reply", tool="reply_to_ticket", effect="send")
def reply_to_ticket(
    ctx: Ctx,
    ticket_id: TicketId,
    message_type: Literal["comment", "note", "quick_reply"],
    type: Literal["admin", "user"],
    body: str | None = None,
    admin_id: Text | None = None,
    intercom_user_id: Text | None = None,
    user_id: Text | None = None,
    email: str | None = None,
    created_at: Seconds | None = None,
    attachment_urls: list[str] | None = None,
    attachment_files: list[File] | None = None,
    reply_options: list[Option] | None = None,
    cross_post: bool | None = None,
    skip_notifications: bool | None = None,
) -> dict[str, Any]:
    """Replies to a ticket as a teammate (type admin with admin_id), adds a note for the team (message_type note), or replies on behalf
    of a contact, to Customer tickets alone. A comment opens a closed ticket; its state stays.

    message_type: comment goes to the customer, note to the team alone.
    type: Who writes.
    body: The text, or HTML.
    admin_id: The id of the teammate who writes.
    intercom_user_id: The contact's id, as Intercom gave it.
    user_id: The contact's external_id.
    email: The contact's e-mail address.
    created_at: When it was, in seconds since 1970; now where left out.
    attachment_urls: Addresses of images to attach, at most 10.
    attachment_files: Files to attach.
    reply_options: Buttons of a quick_reply.
    cross_post: Whether a note goes to the linked conversations too.
    skip_notifications: Whether nobody is notified.
    """
    row = ctx.db.get(Ticket, ticket_id)
    if row is None:
        raise errors.not_found()
    thread, files = ctx.require(Conversation, row.id), threads.files(attachment_urls, attachment_files)
    if type == "user":
        if thread.hidden:
            raise errors.refuse(400, "parameter_mismatch", "User replies are not allowed on Backoffice tickets")
        if message_type != "comment":
            raise errors.invalid_parameter("A contact can only reply with a comment")
        who = threads.contact_of(ctx, intercom_user_id, user_id, email)
        if not (body or "").strip():
            raise errors.invalid_parameter("Body is required")
        made = threads.reply_as_contact(ctx, thread, who, body or "", attachments=files, created_at=created_at)
        return wire.ticket_part(ctx, made)
    if admin_id is None:
        raise errors.missing_parameter("Admin id is a required parameter.")
    if message_type == "quick_reply" and not reply_options:
        raise errors.missing_parameter("Reply options is a required parameter.")
    if message_type != "quick_reply" and not (body or "").strip() and not files:
        raise errors.invalid_parameter("Body is required")
    by = ctx.require(Admin, admin_id)
    if cross_post and message_type != "note":
        raise errors.invalid_parameter("Only notes can be cross posted")
    options = [{"type": "quick_reply_option", **option} for option in reply_options or []]
    made = threads.reply_as_admin(
        ctx, thread, by, message_type, body, attachments=files, options=options, created_at=created_at
    )
    for link in ctx.db.find(Link, ticket_id=row.id) if cross_post else []:
        threads.log(ctx, ctx.require(Conversation, link.conversation_id), "note", by, body)
    return wire.ticket_part(ctx, made)


@app.post("/tickets/{ticket_id}/tags", tool="tag_ticket", effect="update")
def tag_ticket(ctx: Ctx, ticket_id: TicketId, id: Text, admin_id: Acting) -> dict[str, Any]:
    """Puts a tag on a ticket.

    id: The tag's id.
    """
    row = ticketing.find(ctx, ticket_id)
    return tagged(ctx, id, "conversation", row.id, ctx.require(Admin, admin_id))


@app.delete("/tickets/{ticket_id}/tags/{tag_id}", tool="untag_ticket")
def untag_ticket(ctx: Ctx, ticket_id: TicketId, tag_id: str, admin_id: Acting) -> dict[str, Any]:
    """Takes a tag off a ticket.

    tag_id: The tag's id.
    """
    row = ticketing.find(ctx, ticket_id)
    ctx.require(Admin, admin_id)
    return untagged(ctx, tag_id, "conversation", row.id, "tag_not_found")


@app.get("/ticket_states", tool="list_ticket_states")
def list_ticket_states(ctx: Ctx) -> dict[str, Any]:
    """Lists the states that tickets can have, and the ticket types that have them."""
    kinds = ctx.db.find(TicketType)
    shown = list[dict[str, Any]]()
    for state in ctx.db.find(TicketState):
        own = [k for k in kinds if not state.ticket_type_ids or k.id in state.ticket_type_ids]
        types = [
            {
                "type": "ticket_type", "id": k.id, "name": k.name, "description": k.description, "icon": k.icon,
                "archived": k.archived, "is_internal": k.is_internal, "category": k.category,
            }
            for k in own
        ]  # fmt: skip
        shown.append({
            **wire.ticket_state(state), "ticket_types": {"type": "list", "data": types}, "archived": state.archived,
        })  # fmt: skip
    return {"type": "list", "data": shown}
