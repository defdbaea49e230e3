"""Drafts. https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.drafts"""

from typing import Annotated, Any

from pydantic import BaseModel

from legoenv_mcp.app import Body, Ctx, ToolOnly

from .. import mailbox, mime
from ..app import UserId, app
from ..compose import AttachmentIn, Attachments, Ignored, Recipients, Text, compose, read_letter, read_raw
from ..fields import answers
from ..models import Draft, Message
from ..resources import Format, draft_json, message_page, page_size, raw_bytes, sent, stub, summary
from .messages import MaxResults


class MessageIn(BaseModel, extra="forbid"):
    """A message as a draft's body has it; only `raw` and `threadId` are read."""

    raw: str | None = None
    threadId: str | None = None
    id: Any = None
    labelIds: Any = None
    snippet: Any = None
    historyId: Any = None
    internalDate: Any = None
    payload: Any = None
    sizeEstimate: Any = None
    classificationLabelValues: Any = None


Given = Annotated[MessageIn | None, Body(mcp=False)]
Tool = Annotated[str | None, ToolOnly()]
BodyId = Annotated[Any, Body("id", mcp=False)]


def _require(ctx: Ctx, draft_id: str) -> tuple[Draft, Message]:
    draft = ctx.require(Draft, draft_id)
    return draft, ctx.require(Message, draft.message_id)


def _read(
    ctx: Ctx, given: MessageIn | None, thread_id: str | None, raw: str | None, said: dict[str, Any]
) -> tuple[bytes, str]:
    if ctx.request.method:
        given = given or MessageIn()
        return read_letter(ctx, given.raw, given.threadId, {}, "message.raw")
    return read_letter(ctx, raw, thread_id, said)


@app.get("/gmail/v1/users/{userId}/drafts", tool="list_drafts")
@answers("ListDraftsResponse")
def list_drafts(
    ctx: Ctx, userId: UserId = "me", q: str | None = None, maxResults: MaxResults = None, pageToken: str | None = None,
    includeSpamTrash: bool = False, details: Annotated[bool, ToolOnly()] = True,
) -> dict[str, Any]:  # fmt: skip
    """Lists drafts, newest first.

    q: A query in Gmail's search language.
    maxResults: How many to list, at most 500 (25 by default).
    pageToken: The nextPageToken of the page before.
    includeSpamTrash: Whether drafts in the trash are listed too.
    details: Whether recipients, subject and snippet are listed beside the ids.
    """
    found = mailbox.condition(ctx, q, None, includeSpamTrash, drafts=True)
    rows, more = message_page(ctx, found, page_size(ctx, maxResults), pageToken)
    ids = {d.message_id: d.id for d in ctx.db.find(Draft, message_id__in=[m.id for m in rows])}
    told = details and not ctx.request.method
    drafts = [{"id": ids[m.id], "message": summary(m) if told else stub(m)} for m in rows]
    return {**({"drafts": drafts} if drafts else {}), **more}


@app.get("/gmail/v1/users/{userId}/drafts/{id}", tool="get_draft")
@answers("Draft")
def get_draft(
    ctx: Ctx, id: str, userId: UserId = "me", format: Format = "full", decode: Annotated[bool, ToolOnly()] = True
) -> dict[str, Any]:
    """Gets a draft with its message.

    id: The draft's id.
    format: full; metadata (headers only), minimal (labels only) or raw (the RFC 2822 text as base64url).
    decode: Whether a full message is given with its text and a list of attachments, rather than as MIME parts in base64url.
    """
    draft, message = _require(ctx, id)
    return draft_json(draft, message, format, decode and not ctx.request.method)


def new_draft(ctx: Ctx, raw: bytes, thread_id: str) -> dict[str, Any]:
    message = mailbox.save_draft(ctx, raw, thread_id)
    number = ctx.integer("draft", -(2**63), 2**63 - 1)
    draft = ctx.db.add(Draft(id=f"r{number}", message_id=message.id))
    return {"id": draft.id, "message": sent(message)}


@app.post("/gmail/v1/users/{userId}/drafts", tool="create_draft")
@answers("Draft")
def create_draft(
    ctx: Ctx, userId: UserId = "me", to: Recipients = None, subject: Text = None, body: Text = None, cc: Recipients = None,
    bcc: Recipients = None, htmlBody: Text = None, attachments: Attachments = None, inReplyTo: Text = None, threadId: Tool = None,
    from_: Text = None, raw: Tool = None, id: Ignored = None, message: Given = None,
) -> dict[str, Any]:  # fmt: skip
    """Saves a draft; nothing is sent. Say it in fields (to, subject, body ...) or give the whole RFC 2822 message as `raw`.

    to: The recipients, `Name <address>` or bare addresses.
    subject: The subject; for an answer the thread's own by default.
    body: The text.
    cc: Recipients in copy.
    bcc: Recipients in blind copy.
    htmlBody: The text as HTML, beside or in place of the plain text.
    attachments: Files to attach.
    inReplyTo: The message that this answers: its id or its Message-ID header.
    threadId: The thread to answer in.
    from_: One of the mailbox's send-as addresses; the default address if left out.
    raw: The whole message in RFC 2822 form, base64url encoded, in place of the fields.
    """
    said = {"to": to, "cc": cc, "bcc": bcc, "subject": subject, "body": body, "html": htmlBody, "attachments": attachments,
            "sender": from_, "in_reply_to": inReplyTo}  # fmt: skip
    return new_draft(ctx, *_read(ctx, message, threadId, raw, said))


def replace_draft(ctx: Ctx, draft: Draft, held: Message, raw: bytes, thread_id: str) -> Message:
    """Puts a new message in a draft's place, with its labels. It stays in its thread if that is its own, or if it still answers it."""
    at = ""
    if not thread_id:
        alone = ctx.db.count(Message, thread_id=held.thread_id) == 1
        at = held.thread_id if alone else mailbox.find_thread(ctx, raw, held.thread_id)
    new = mailbox.save_draft(ctx, raw, thread_id, at=at, labels=held.label_ids)
    ctx.db.update(draft, message_id=new.id)
    mailbox.remove(ctx, held)
    return new


@app.put("/gmail/v1/users/{userId}/drafts/{id}", tool="update_draft")
@answers("Draft")
def update_draft(
    ctx: Ctx, id: str, userId: UserId = "me", to: Recipients = None, subject: Text = None, body: Text = None, cc: Recipients = None,
    bcc: Recipients = None, htmlBody: Text = None, attachments: Attachments = None, inReplyTo: Text = None, threadId: Tool = None,
    from_: Text = None, raw: Tool = None, message: Given = None, body_id: BodyId = None,
) -> dict[str, Any]:  # fmt: skip
    """Replaces a draft's content. Fields that are left out keep what the draft has; the draft keeps its id and its message gets a new one.

    id: The draft's id.
    to: The recipients, in place of those it has.
    subject: The subject.
    body: The text.
    cc: Recipients in copy.
    bcc: Recipients in blind copy.
    htmlBody: The text as HTML.
    attachments: Files to attach, in place of those it has.
    inReplyTo: The message that this answers: its id or its Message-ID header.
    threadId: The thread to answer in.
    from_: One of the mailbox's send-as addresses.
    raw: The whole message in RFC 2822 form, base64url encoded, in place of the fields.
    """
    draft, held = _require(ctx, id)
    said = {"to": to, "cc": cc, "bcc": bcc, "subject": subject, "body": body, "html": htmlBody, "attachments": attachments,
            "sender": from_, "in_reply_to": inReplyTo}  # fmt: skip
    if not ctx.request.method and not raw and any(v is not None for v in [*said.values(), threadId]):
        data, thread = _changed(ctx, held, threadId, said)
    else:
        data, thread = _read(ctx, message, threadId, raw, said)
    return {"id": draft.id, "message": sent(replace_draft(ctx, draft, held, data, thread))}


def _changed(ctx: Ctx, held: Message, thread_id: str | None, said: dict[str, Any]) -> tuple[bytes, str]:
    """The draft's own content where the call says nothing else."""
    parsed = mime.parse(raw_bytes(held))
    kept: dict[str, Any] = {
        "to": held.to,
        "cc": held.cc,
        "bcc": held.bcc,
        "subject": held.subject,
        "sender": parsed.header("From") or None,
    }
    if said["body"] is None and said["html"] is None:
        kept |= {"body": parsed.inline("plain"), "html": parsed.inline("html")}
    elif said["html"] is None:
        kept["html"] = None  # a new text would not go with the old page
    given = {name: value for name, value in said.items() if value is not None}
    if "attachments" not in given and held.files:
        given["attachments"] = [
            AttachmentIn(messageId=held.id, attachmentId=mime.attachment_id(held.id, f.part_id)) for f in held.files
        ]
    if "in_reply_to" not in given and thread_id is None and held.in_reply_to:
        parent = ctx.db.first(Message, rfc822_id=held.in_reply_to, thread_id=held.thread_id)
        if parent is not None:
            given["in_reply_to"] = parent.id
    return compose(ctx, thread_id=thread_id, **{**kept, **given})


@app.post("/gmail/v1/users/{userId}/drafts/send", tool="send_draft", effect="send")
@answers("Message")
def send_draft(ctx: Ctx, id: str, userId: UserId = "me", message: Given = None) -> dict[str, Any]:
    """Sends a draft as it is. The draft is gone then, and the sent message has an id of its own.

    id: The draft's id.
    """
    held = _require(ctx, id)[1]
    if message is not None and message.raw:
        return sent(deliver(ctx, held, read_raw(message.raw, "message.raw")))
    return sent(
        deliver(ctx, held, mime.with_headers(raw_bytes(held), {}, drop=("Date",)))
    )  # it is dated when it is sent


def deliver(ctx: Ctx, held: Message, raw: bytes) -> Message:
    """Sends a draft's message from its thread, and removes the draft."""
    new = mailbox.send(ctx, raw, joined_thread=held.thread_id)
    mailbox.remove(ctx, held)
    return new


@app.delete("/gmail/v1/users/{userId}/drafts/{id}", tool="delete_draft", status=204)
def delete_draft(ctx: Ctx, id: str, userId: UserId = "me") -> None:
    """Deletes a draft for good.

    id: The draft's id.
    """
    mailbox.remove(ctx, _require(ctx, id)[1])
