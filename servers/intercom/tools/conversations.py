"""Conversations. https://developers.intercom.com/docs/references/rest-api/api.intercom.io/conversations"""

from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, Ctx, Field, Query

from .. import errors, ids, people, threads, wire
from ..app import app
from ..catalogues import conversations as searchable
from ..inputs import After, Attributes, ConversationId, File, Option, PageNumber, Paging, PerPage, Seconds, Sort, Text
from ..models import Admin, Company, Contact, Conversation, ConversationContact
from ..paging import slice_of

DisplayAs = Annotated[Literal["plaintext", "html"] | None, Field(description="plaintext gives bodies without HTML.")]


class From(TypedDict):
    """Who writes."""

    type: Annotated[Literal["user", "lead", "contact"], Field(description="What they are.")]
    id: Annotated[Text, Field(description="The contact's id.")]


def _listing(rows: list[dict[str, Any]], pages: dict[str, Any], total: int) -> dict[str, Any]:
    return {"type": "conversation.list", "pages": pages, "total_count": total, "conversations": rows}


@app.get("/conversations", tool="list_conversations")
def list_conversations(
    ctx: Ctx, per_page: PerPage = 20, starting_after: After = None, page: PageNumber = 1
) -> dict[str, Any]:
    """Lists conversations, those last changed first, without their parts. By state, assignee or words: `search_conversations`."""
    rows = ctx.db.find(Conversation, hidden=False)
    shown, pages, total = slice_of(rows, lambda c: c.updated_at, lambda c: c.id, per_page, starting_after, page)
    return _listing([wire.conversation(ctx, c, full=False) for c in shown], pages, total)


@app.post("/conversations", tool="create_conversation")
def create_conversation(
    ctx: Ctx,
    from_: From,
    body: str,
    subject: str | None = None,
    attachment_urls: list[str] | None = None,
    created_at: Seconds | None = None,
) -> dict[str, Any]:
    """Starts a conversation on behalf of a contact. As a teammate, send a message instead (`create_message`).

    from_: The contact: {"type": "user", "lead" or "contact", "id": the contact's id}.
    body: What they write.
    subject: A subject, of an e-mail conversation.
    attachment_urls: Addresses of images to attach, at most 10.
    created_at: When it was, in seconds since 1970; now where left out.
    """
    who = people.find(ctx, from_["id"])
    if not body.strip():
        raise errors.invalid_parameter("Body is required")
    row = threads.begin(
        ctx,
        [who],
        who,
        body,
        subject=subject or "",
        created_at=created_at,
        attachments=threads.files(attachment_urls, None),
    )
    return {
        "type": "user_message", "id": row.source_id, "created_at": row.created_at, "body": body, "message_type": "inapp",
        "conversation_id": row.id,
    }  # fmt: skip


@app.get("/conversations/{conversation_id}", tool="retrieve_conversation")
def retrieve_conversation(
    ctx: Ctx, conversation_id: ConversationId, display_as: DisplayAs = None, include_translations: bool | None = None
) -> dict[str, Any]:
    """Shows a conversation with its first message (`source`) and all parts: replies, notes, assignments, closings.

    include_translations: Has no effect: nothing is translated.
    """
    row = threads.find(ctx, conversation_id)
    return wire.conversation(ctx, row, text=display_as == "plaintext")


@app.put("/conversations/{conversation_id}", tool="update_conversation")
def update_conversation(
    ctx: Ctx,
    conversation_id: ConversationId,
    read: bool | MISSING = MISSING,
    title: str | None | MISSING = MISSING,
    custom_attributes: Attributes | MISSING = MISSING,
    company_id: Text | None | MISSING = MISSING,
    display_as: Annotated[DisplayAs, Query(mcp=False)] = None,
) -> dict[str, Any]:
    """Marks a conversation read, gives it a title, sets custom attributes. State and assignee: `manage_conversation`.

    read: Whether it has been read.
    title: A title.
    custom_attributes: Values by name, added to those there; null clears one.
    company_id: The id of the company that it is about.
    """
    row, sent = threads.find(ctx, conversation_id), ctx.sent()
    sent.pop("display_as", None)
    if sent.get("company_id"):
        ctx.require(Company, sent["company_id"])
    if "custom_attributes" in sent:
        mixed = {**row.custom_attributes, **sent["custom_attributes"]}
        sent["custom_attributes"] = {n: v for n, v in mixed.items() if v is not None}
        if sent["custom_attributes"] != row.custom_attributes:
            threads.log(ctx, row, "conversation_attribute_updated_by_admin", ids.me(ctx))
    if sent:
        ctx.db.update(row, **sent, updated_at=ctx.epoch())
    return wire.conversation(ctx, row, text=display_as == "plaintext")


@app.delete("/conversations/{conversation_id}", tool="delete_conversation", mcp=False)
def delete_conversation(ctx: Ctx, conversation_id: ConversationId) -> dict[str, Any]:
    """Deletes a conversation for good."""
    row = threads.find(ctx, conversation_id)
    threads.erase(ctx, row)
    return {"id": row.id, "object": "conversation", "deleted": True}


@app.post("/conversations/search", tool="search_conversations", effect="read")
def search_conversations(
    ctx: Ctx, query: dict[str, Any], pagination: Paging | None = None, sort: Sort | None = None
) -> dict[str, Any]:
    """Finds conversations, without their parts, the last changed first.

    query: A filter {"field", "operator", "value"} or a group {"operator": "AND" or "OR", "value": [filters or groups]}, nested two deep,
      15 a group. Fields: state (open, closed, snoozed), open, read, priority, admin_assignee_id, team_assignee_id, contact_ids,
      tag_ids, title, source.subject, source.body, source.author.email, created_at, updated_at, waiting_since, statistics.NAME and
      others. Operators: = != IN NIN < > and, of text, ~ (contains) !~ ^ $. = on source.body finds one word. Times are UNIX seconds.
    pagination: {"per_page": up to 150, "starting_after": the cursor of the next page}; 20 a page by default.
    sort: {"field", "order": ascending or descending}.
    """
    catalogue = searchable(ctx)
    test = catalogue.compile(query)
    key, down = catalogue.order(sort)
    rows = [c for c in ctx.db.find(Conversation, hidden=False) if test(c)]
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
    return _listing([wire.conversation(ctx, c, full=False) for c in shown], pages, total)


def _last_of(ctx: Ctx, who: Contact) -> Conversation:
    """A contact's latest conversation, which `last` stands for."""
    joined = [j.conversation_id for j in ctx.db.find(ConversationContact, contact_id=who.id)]
    rows = ctx.db.find(Conversation, id__in=joined, hidden=False, order="-created_at,-id", limit=1)
    if not rows:
        raise errors.not_found()
    return rows[0]


@app.post("/conversations/{conversation_id}/reply", tool="reply_to_conversation", effect="send")
def reply_to_conversation(
    ctx: Ctx,
    conversation_id: ConversationId,
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
    skip_notifications: bool | None = None,
) -> dict[str, Any]:
    """Replies to a conversation as a teammate (type admin with admin_id), adds a note for the team (message_type note), or replies on
    behalf of a contact (type user with intercom_user_id, user_id or email). A comment opens a closed or snoozed conversation.

    message_type: comment goes to the customer, note to the team alone.
    type: Who writes.
    body: The text, or HTML.
    admin_id: The id of the teammate who writes.
    intercom_user_id: The contact's id, as Intercom gave it.
    user_id: The contact's external_id.
    email: The contact's e-mail address.
    created_at: When it was, in seconds since 1970; now where left out.
    attachment_urls: Addresses of images to attach, at most 10 attachments in all.
    attachment_files: Files to attach.
    reply_options: Buttons of a quick_reply.
    skip_notifications: Whether nobody is notified.
    """
    files = threads.files(attachment_urls, attachment_files)
    if type == "user":
        if message_type != "comment":
            raise errors.invalid_parameter("A contact can only reply with a comment")
        who = threads.contact_of(ctx, intercom_user_id, user_id, email)
        row = _last_of(ctx, who) if conversation_id == "last" else threads.find(ctx, conversation_id)
        if not (body or "").strip():
            raise errors.invalid_parameter("Body is required")
        threads.reply_as_contact(ctx, row, who, body or "", attachments=files, created_at=created_at)
        return wire.conversation(ctx, row)
    row = threads.find(ctx, conversation_id)
    if admin_id is None:
        raise errors.missing_parameter("Admin id is a required parameter.")
    if message_type == "quick_reply" and not reply_options:
        raise errors.missing_parameter("Reply options is a required parameter.")
    if message_type != "quick_reply" and not (body or "").strip() and not files:
        raise errors.invalid_parameter("Body is required")
    by = ctx.require(Admin, admin_id)
    options = [{"type": "quick_reply_option", **option} for option in reply_options or []]
    threads.reply_as_admin(ctx, row, by, message_type, body, attachments=files, options=options, created_at=created_at)
    return wire.conversation(ctx, row)


@app.post("/conversations/{conversation_id}/parts", tool="manage_conversation", effect="transition")
def manage_conversation(
    ctx: Ctx,
    conversation_id: ConversationId,
    message_type: Literal["close", "snoozed", "open", "assignment"],
    admin_id: Text,
    type: Literal["admin", "team"] | None = None,
    assignee_id: Text | None = None,
    snoozed_until: Seconds | None = None,
    body: str | None = None,
) -> dict[str, Any]:
    """Closes, snoozes, opens or assigns a conversation. Assigning opens one that is closed or snoozed.

    message_type: What to do.
    admin_id: The id of the teammate who does it (`identify_admin` for yours).
    type: Of an assignment: whether assignee_id is a teammate (admin) or a team. Else admin.
    assignee_id: Of an assignment: the teammate's or team's id, or 0 for nobody.
    snoozed_until: Of snoozing: until when, in seconds since 1970, in the future.
    body: Of closing or assigning: a comment with it.
    """
    row = threads.find(ctx, conversation_id)
    by = ctx.require(Admin, admin_id)
    if message_type == "close":
        threads.close(ctx, row, by, body)
    elif message_type == "open":
        threads.reopen(ctx, row, by)
    elif message_type == "snoozed":
        threads.snooze(ctx, row, by, snoozed_until)
    elif assignee_id is None:
        raise errors.missing_parameter("Assignee id is a required parameter.")
    else:
        threads.assign(ctx, row, by, assignee_id, type, body)
    return wire.conversation(ctx, row)
