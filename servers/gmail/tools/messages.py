"""Messages. https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, Field, Query, ToolOnly

from .. import mailbox, mime
from ..app import UserId, app, refuse
from ..compose import Attachments, Ignored, Recipients, Text, attachment, compose, people, read_letter
from ..fields import answers
from ..mailbox import check_changes, check_labels, require_message
from ..models import Message
from ..resources import Format, message_json, message_page, page_size, raw_bytes, sent, stub, summary

MaxResults = Annotated[int, Field(ge=0, le=2**32 - 1)] | None
_TEXT = ("text/", "application/json", "application/xml", "application/csv")


@app.get("/gmail/v1/users/{userId}/messages", tool="list_messages")
@answers("ListMessagesResponse")
def list_messages(
    ctx: Ctx, userId: UserId = "me", q: str | None = None, labelIds: list[str] | None = None, maxResults: MaxResults = None,
    pageToken: str | None = None, includeSpamTrash: bool = False, details: Annotated[bool, ToolOnly()] = True,
) -> dict[str, Any]:  # fmt: skip
    """Lists messages, newest first. `q` is Gmail's search language (from: to: subject: label: in: is: has:attachment filename:
    after:2026/02/01 before: newer_than:7d larger: "a phrase" OR {a b} -word); spam and trash are left out unless asked for.

    q: A query in Gmail's search language; words match whole words of the headers and the text.
    labelIds: Only messages with all of these label ids.
    maxResults: How many to list, at most 500 (25 by default).
    pageToken: The nextPageToken of the page before.
    includeSpamTrash: Whether messages in SPAM and TRASH are listed too.
    details: Whether sender, subject, date and snippet are listed beside the ids.
    """
    found = mailbox.condition(ctx, q, labelIds, includeSpamTrash)
    rows, more = message_page(ctx, found, page_size(ctx, maxResults), pageToken)
    show = summary if details and not ctx.request.method else stub
    return {**({"messages": [show(m) for m in rows]} if rows else {}), **more}


@app.get("/gmail/v1/users/{userId}/messages/{id}", tool="get_message")
@answers("Message")
def get_message(
    ctx: Ctx, id: str, userId: UserId = "me", format: Format = "full", metadataHeaders: list[str] | None = None,
    decode: Annotated[bool, ToolOnly()] = True,
) -> dict[str, Any]:  # fmt: skip
    """Gets a message: its headers, labels, text and attachments.

    id: The message's id.
    format: full; metadata (headers only), minimal (labels only) or raw (the RFC 2822 text as base64url).
    metadataHeaders: With format metadata, only these headers.
    decode: Whether a full message is given with its text and a list of attachments, rather than as MIME parts in base64url.
    """
    return message_json(require_message(ctx, id), format, metadataHeaders, decode and not ctx.request.method)


@app.post("/gmail/v1/users/{userId}/messages/send", tool="send_message", effect="send")
@answers("Message")
def send_message(
    ctx: Ctx, userId: UserId = "me", to: Recipients = None, subject: Text = None, body: Text = None, cc: Recipients = None,
    bcc: Recipients = None, htmlBody: Text = None, attachments: Attachments = None, inReplyTo: Text = None, threadId: str | None = None,
    from_: Text = None, raw: str | None = None, id: Ignored = None, labelIds: Ignored = None, snippet: Ignored = None,
    historyId: Ignored = None, internalDate: Ignored = None, payload: Ignored = None, sizeEstimate: Ignored = None,
    classificationLabelValues: Ignored = None,
) -> dict[str, Any]:  # fmt: skip
    """Sends a message to its recipients. Say it in fields (to, subject, body ...) or give the whole RFC 2822 message as `raw`.
    An answer joins its thread if it names the message it answers and keeps the subject.

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
    letter, thread = read_letter(ctx, raw, threadId, said)
    return sent(mailbox.send(ctx, letter, thread))


@app.post("", tool="reply_to_message", effect="send")
@answers("Message")
def reply_to_message(
    ctx: Ctx, messageId: str, body: str, htmlBody: str | None = None, replyAll: bool = False, cc: list[str] | str | None = None,
    attachments: Attachments = None,
) -> dict[str, Any]:  # fmt: skip
    """Answers a message in its thread: to its sender (or, for a message of one's own, to its recipients), with its subject.

    messageId: The id of the message to answer.
    body: The text of the answer, without the quoted message.
    htmlBody: The text as HTML, beside the plain text.
    replyAll: Whether everybody else on the message gets the answer in copy.
    cc: More recipients in copy.
    attachments: Files to attach.
    """
    parent = require_message(ctx, messageId)
    own = {a.lower() for a in mailbox.own_addresses(ctx)}
    reply_to = mime.addresses(mime.parse(raw_bytes(parent)).all("Reply-To"))
    mine = mime.bare(parent.sender).lower() in own
    to = parent.to if mine else reply_to or [parent.sender]
    copies = people(cc)
    if replyAll:
        taken = own | {mime.bare(a).lower() for a in [*to, *copies]}
        everyone = [*([] if mine else parent.to), *parent.cc]
        copies += [a for a in dict.fromkeys(everyone) if mime.bare(a).lower() not in taken]
    raw, thread = compose(
        ctx, to=to, cc=copies, body=body, html=htmlBody, attachments=attachments, in_reply_to=parent.id
    )
    return sent(mailbox.send(ctx, raw, thread))


@app.post("", tool="forward_message", effect="send")
@answers("Message")
def forward_message(
    ctx: Ctx,
    messageId: str,
    to: list[str] | str,
    body: str = "",
    cc: list[str] | str | None = None,
    subject: str | None = None,
) -> dict[str, Any]:
    """Forwards a message with its text and its attachments, in a new thread.

    messageId: The id of the message to forward.
    to: The recipients.
    body: A text to put before the forwarded message.
    cc: Recipients in copy.
    subject: The subject; `Fwd:` and the message's own by default.
    """
    message = require_message(ctx, messageId)
    date = mime.parse(raw_bytes(message)).header("Date")
    head = [f"From: {message.sender}", f"Date: {date}", f"Subject: {message.subject}", f"To: {', '.join(message.to)}"]
    head += [f"Cc: {', '.join(message.cc)}"] if message.cc else []
    quoted = "\n".join(["---------- Forwarded message ---------", *head, "", message.body])
    raw, _ = compose(ctx, to=to, cc=cc, subject=f"Fwd: {message.subject}" if subject is None else subject,
                     body=f"{body}\n\n{quoted}" if body else quoted)  # fmt: skip
    if message.files:
        raw = _with_files(ctx, raw, message)
    return sent(mailbox.send(ctx, raw))


def _with_files(ctx: Ctx, raw: bytes, message: Message) -> bytes:
    """A forwarded message again, with the files of the original."""
    parsed = mime.parse(raw)
    letter = mime.Letter(
        parsed.header("From"), mime.addresses(parsed.all("To")), mime.addresses(parsed.all("Cc")), subject=parsed.header("Subject"),
        body=parsed.inline("plain"),
        files=[attachment(message, mime.attachment_id(message.id, f.part_id)) for f in message.files],
    )  # fmt: skip
    return mime.write(letter, mailbox.mark(ctx.id("", 16, kind="boundary")))


def place(
    ctx: Ctx, raw: bytes, label_ids: list[str] | None, thread_id: str | None, source: str, deleted: bool
) -> Message:
    """Puts a message into the mailbox without sending it."""
    if deleted:
        raise refuse("deleted is not supported: the mailbox has no Google Vault")
    labels = check_labels(ctx, label_ids or [], frozenset({"DRAFT", "CHAT"}))
    for name in ("From", "To", "Cc"):
        if any(mime.bad_header(v) for v in mime.parse(raw).all(name)):
            raise refuse(f"Invalid {name} header")
    thread = mailbox.find_thread(ctx, raw, thread_id or "") or mailbox.incoming_thread(ctx, raw)
    parsed = mime.parse(raw)
    lines: dict[str, bytes] = {}
    if not parsed.header("Message-ID"):
        lines["Message-ID"] = f"Message-ID: {mailbox.message_id_header(ctx)}\r\n".encode()
    date = mailbox.now_ms(ctx)
    if source == "dateHeader" and parsed.date is not None:
        date = int(parsed.date.timestamp() * 1000)
    return mailbox.store(ctx, mime.with_headers(raw, lines), labels, thread_id=thread, date=date)


Source = Literal["receivedTime", "dateHeader"]


@app.post("/gmail/v1/users/{userId}/messages", tool="insert_message")
@answers("Message")
def insert_message(
    ctx: Ctx, userId: UserId = "me", raw: str | None = None, labelIds: list[str] | None = None, threadId: str | None = None,
    internalDateSource: Annotated[Source, Query()] = "receivedTime", deleted: Annotated[bool, Query(mcp=False)] = False,
    id: Ignored = None, snippet: Ignored = None, historyId: Ignored = None, internalDate: Ignored = None, payload: Ignored = None,
    sizeEstimate: Ignored = None, classificationLabelValues: Ignored = None,
) -> dict[str, Any]:  # fmt: skip
    """Puts a message straight into this mailbox, like IMAP APPEND. Nothing is sent and no filter runs.

    raw: The whole message in RFC 2822 form, base64url encoded.
    labelIds: The labels it gets; without INBOX it is archived.
    threadId: The thread it belongs to.
    internalDateSource: Whether its date is now or that of its Date header.
    """
    data, _ = read_letter(ctx, raw, None, {})
    return sent(place(ctx, data, labelIds, threadId, internalDateSource, deleted))


@app.post("/gmail/v1/users/{userId}/messages/import", tool="import_message")
@answers("Message")
def import_message(
    ctx: Ctx, userId: UserId = "me", raw: str | None = None, labelIds: list[str] | None = None, threadId: str | None = None,
    internalDateSource: Annotated[Source, Query()] = "dateHeader", deleted: Annotated[bool, Query(mcp=False)] = False,
    neverMarkSpam: Annotated[bool, Query(mcp=False)] = False, processForCalendar: Annotated[bool, Query(mcp=False)] = False,
    id: Ignored = None, snippet: Ignored = None, historyId: Ignored = None, internalDate: Ignored = None, payload: Ignored = None,
    sizeEstimate: Ignored = None, classificationLabelValues: Ignored = None,
) -> dict[str, Any]:  # fmt: skip
    """Imports a message from elsewhere into this mailbox, dated by its own header. Nothing is sent and no filter runs.

    raw: The whole message in RFC 2822 form, base64url encoded.
    labelIds: The labels it gets; without INBOX it is archived.
    threadId: The thread it belongs to.
    internalDateSource: Whether its date is now or that of its Date header.
    """
    data, _ = read_letter(ctx, raw, None, {})
    return sent(place(ctx, data, labelIds, threadId, internalDateSource, deleted))


@app.post("/gmail/v1/users/{userId}/messages/{id}/modify", tool="modify_message", effect="update")
@answers("Message")
def modify_message(
    ctx: Ctx, id: str, userId: UserId = "me", addLabelIds: list[str] | None = None, removeLabelIds: list[str] | None = None,
    addClassificationLabels: Ignored = None, removeClassificationLabelIds: Ignored = None,
) -> dict[str, Any]:  # fmt: skip
    """Adds labels to a message and removes others. Removing UNREAD marks it read, removing INBOX archives it, STARRED stars it.

    id: The message's id.
    addLabelIds: Label ids to add, as list_labels gives them.
    removeLabelIds: Label ids to remove.
    """
    message = require_message(ctx, id)
    check_changes(ctx, addLabelIds or [], removeLabelIds or [])
    mailbox.relabel(ctx, message, addLabelIds or [], removeLabelIds or [])
    return sent(message)


def _several(ids: list[str]) -> list[str]:
    if not ids:
        raise refuse("No message ids specified")
    if len(ids) > 1000:
        raise refuse("Too many message ids: the most is 1000")
    return list(dict.fromkeys(mailbox.check_id(i, "ids") for i in ids))


@app.post("/gmail/v1/users/{userId}/messages/batchModify", tool="batch_modify_messages", effect="update", status=204)
def batch_modify_messages(
    ctx: Ctx, ids: list[str], userId: UserId = "me", addLabelIds: list[str] | None = None, removeLabelIds: list[str] | None = None,
    addClassificationLabels: Ignored = None, removeClassificationLabelIds: Ignored = None,
) -> None:  # fmt: skip
    """Adds labels to many messages and removes others, all or none.

    ids: The messages' ids, at most 1,000.
    addLabelIds: Label ids to add.
    removeLabelIds: Label ids to remove.
    """
    wanted = _several(ids)
    check_changes(ctx, addLabelIds or [], removeLabelIds or [])
    for message in [require_message(ctx, i) for i in wanted]:
        mailbox.relabel(ctx, message, addLabelIds or [], removeLabelIds or [])


@app.post("/gmail/v1/users/{userId}/messages/batchDelete", tool="batch_delete_messages", effect="delete", status=204)
def batch_delete_messages(ctx: Ctx, ids: list[str], userId: UserId = "me") -> None:
    """Deletes many messages for good, not by way of the trash. Ids that are not there are passed over.

    ids: The messages' ids, at most 1,000.
    """
    for message_id in _several(ids):
        if message := ctx.db.get(Message, message_id):
            mailbox.remove(ctx, message)


@app.post("/gmail/v1/users/{userId}/messages/{id}/trash", tool="trash_message", effect="update")
@answers("Message")
def trash_message(ctx: Ctx, id: str, userId: UserId = "me") -> dict[str, Any]:
    """Moves a message to the trash, from where it can be taken back.

    id: The message's id.
    """
    message = require_message(ctx, id)
    mailbox.relabel(ctx, message, ["TRASH"])
    return sent(message)


@app.post("/gmail/v1/users/{userId}/messages/{id}/untrash", tool="untrash_message", effect="update")
@answers("Message")
def untrash_message(ctx: Ctx, id: str, userId: UserId = "me") -> dict[str, Any]:
    """Takes a message out of the trash. It is archived then; add INBOX to have it in the inbox again.

    id: The message's id.
    """
    message = require_message(ctx, id)
    mailbox.relabel(ctx, message, remove=["TRASH"])
    return sent(message)


@app.delete("/gmail/v1/users/{userId}/messages/{id}", tool="delete_message", status=204)
def delete_message(ctx: Ctx, id: str, userId: UserId = "me") -> None:
    """Deletes a message for good. It cannot be taken back; trash_message is the usual way.

    id: The message's id.
    """
    mailbox.remove(ctx, require_message(ctx, id))


@app.get("/gmail/v1/users/{userId}/messages/{messageId}/attachments/{id}", tool="get_attachment")
@answers("MessagePartBody")
def get_attachment(
    ctx: Ctx, messageId: str, id: str, userId: UserId = "me", decode: Annotated[bool, ToolOnly()] = True
) -> dict[str, Any]:
    """Gets the content of an attachment.

    messageId: The id of the message that has it.
    id: The attachment's id, as get_message gives it.
    decode: Whether a text file is given as text, rather than as base64url.
    """
    name, kind, data = attachment(require_message(ctx, messageId), id)
    if decode and not ctx.request.method and kind.startswith(_TEXT):
        return {"size": len(data), "filename": name, "mimeType": kind, "text": data.decode("utf-8", "replace")}
    return {"size": len(data), "data": mime.encode64(data)}
