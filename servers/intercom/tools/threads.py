"""Who is in a conversation, its tags, what is deleted from it, and making a ticket of it.
https://developers.intercom.com/docs/references/rest-api/api.intercom.io/conversations"""

from typing import Any, Literal

from legoenv_mcp.app import Ctx

from .. import errors, ids, threads, ticketing, wire
from ..app import app
from ..inputs import Acting, Attributes, ConversationId, Named, Text
from ..models import Admin, Contact, Conversation, ConversationContact, Part, Ticket
from ..text import DELETED
from .attached import tagged, untagged


def _customers(ctx: Ctx, row: Conversation) -> dict[str, Any]:
    joined = ctx.db.find(ConversationContact, conversation_id=row.id, order="position,contact_id")
    people_ = [ctx.require(Contact, j.contact_id) for j in joined]
    return {"customers": [{"type": c.role, "id": c.id} for c in people_]}


@app.post("/conversations/{conversation_id}/customers", tool="attach_contact_to_conversation", effect="update")
def attach_contact_to_conversation(
    ctx: Ctx, conversation_id: ConversationId, customer: Named, admin_id: Text | None = None
) -> dict[str, Any]:
    """Adds a contact to a conversation, which becomes a group conversation.

    customer: {"intercom_user_id": the contact's id}, {"user_id": the external_id} or {"email": the address}; an address that nobody has
      becomes a lead's.
    admin_id: The id of the teammate who adds them.
    """
    row = threads.find(ctx, conversation_id)
    by = ids.admin(ctx, admin_id)
    if "email" in customer and "intercom_user_id" not in customer and "user_id" not in customer:
        [who] = ticketing.people(ctx, [{"email": customer["email"]}])
    else:
        who = threads.contact_of(ctx, customer.get("intercom_user_id"), customer.get("user_id"), None)
    if ctx.db.get(ConversationContact, (row.id, who.id)) is None:
        place = ctx.db.count(ConversationContact, conversation_id=row.id)
        ctx.db.add(ConversationContact(conversation_id=row.id, contact_id=who.id, position=place))
        threads.log(ctx, row, "participant_added", by)
    return _customers(ctx, row)


@app.delete("/conversations/{conversation_id}/customers/{contact_id}", tool="detach_contact_from_conversation")
def detach_contact_from_conversation(
    ctx: Ctx, conversation_id: ConversationId, contact_id: str, admin_id: Acting
) -> dict[str, Any]:
    """Takes a contact out of a group conversation. The last one stays.

    contact_id: The contact's id.
    """
    row = threads.find(ctx, conversation_id)
    by = ctx.require(Admin, admin_id)
    joined = ctx.db.get(ConversationContact, (row.id, contact_id))
    if joined is None:
        raise errors.not_found("Contact")
    if ctx.db.count(ConversationContact, conversation_id=row.id) == 1:
        raise errors.invalid_parameter("Removing the last customer is not allowed", 422)
    ctx.db.delete(joined)
    threads.log(ctx, row, "participant_removed", by)
    return _customers(ctx, row)


@app.post("/conversations/redact", tool="redact_conversation", effect="update")
def redact_conversation(
    ctx: Ctx,
    type: Literal["conversation_part", "source"],
    conversation_id: ConversationId,
    conversation_part_id: Text | None = None,
    source_id: Text | None = None,
) -> dict[str, Any]:
    """Deletes what a part, or a customer's first message, of a conversation says; it cannot be brought back.

    type: conversation_part or source (the first message).
    conversation_part_id: The part's id.
    source_id: The id of the first message.
    """
    row = threads.find(ctx, conversation_id)
    gone = errors.refuse(404, "conversation_part_or_message_not_found", "Conversation part or message not found")
    fixed = errors.refuse(400, "conversation_part_not_redactable", "This conversation part cannot be redacted")
    if type == "source":
        if source_id != row.source_id:
            raise gone
        if row.author_type not in ("user", "lead"):
            raise fixed
        ctx.db.update(row, body=DELETED, source_redacted=True, source_attachments=[], updated_at=ctx.epoch())
        return wire.conversation(ctx, row)
    part = ctx.db.get(Part, conversation_part_id or "")
    if part is None or part.conversation_id != row.id:
        raise gone
    if part.body is None:
        raise fixed
    ctx.db.update(part, body=DELETED, redacted=True, attachments=[], updated_at=ctx.epoch())
    ctx.db.update(row, updated_at=ctx.epoch())
    return wire.conversation(ctx, row)


@app.post(
    "/conversations/{conversation_id}/convert", tool="convert_conversation_to_ticket", effect="update", idempotent=False
)
def convert_conversation_to_ticket(
    ctx: Ctx, conversation_id: ConversationId, ticket_type_id: Text, attributes: Attributes | None = None
) -> dict[str, Any]:
    """Makes a conversation a ticket, under the same id, which stays a conversation too.

    ticket_type_id: The id of a ticket type of the category Customer (`list_ticket_types`).
    attributes: The ticket's attributes, by name.
    """
    row = threads.find(ctx, conversation_id)
    kind = ticketing.kind_of(ctx, ticket_type_id)
    if kind.category != "Customer":
        raise errors.invalid_parameter("Ticket type is not a customer ticket type")
    if ctx.db.get(Ticket, row.id) is not None:
        raise errors.invalid_parameter("Conversation is already a ticket")
    made = ticketing.read_attributes(ctx, kind.id, attributes or {})
    ticketing.check_required(ctx, kind.id, made)
    ticket = ticketing.make(ctx, row, kind, made, ids.me(ctx), ctx.epoch())
    if made.get(ticketing.TITLE):
        ctx.db.update(row, title=made[ticketing.TITLE])
    return wire.ticket(ctx, ticket)


@app.post("/conversations/{conversation_id}/tags", tool="tag_conversation", effect="update")
def tag_conversation(ctx: Ctx, conversation_id: ConversationId, id: Text, admin_id: Acting) -> dict[str, Any]:
    """Puts a tag on a conversation.

    id: The tag's id.
    """
    row = threads.find(ctx, conversation_id, "Conversation not found")
    return tagged(ctx, id, "conversation", row.id, ctx.require(Admin, admin_id))


@app.delete("/conversations/{conversation_id}/tags/{tag_id}", tool="untag_conversation")
def untag_conversation(ctx: Ctx, conversation_id: ConversationId, tag_id: str, admin_id: Acting) -> dict[str, Any]:
    """Takes a tag off a conversation.

    tag_id: The tag's id.
    """
    row = threads.find(ctx, conversation_id, "Conversation not found")
    ctx.require(Admin, admin_id)
    return untagged(ctx, tag_id, "conversation", row.id, "tag_not_found")
