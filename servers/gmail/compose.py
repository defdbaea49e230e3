"""What agents write in place of base64 MIME: recipients, subject, body, attachments, and the message that is answered."""

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel

from legoenv_mcp.app import Body, Ctx, Field, ToolOnly

from . import mailbox, mime
from .app import refuse
from .models import Message
from .resources import raw_bytes

Ignored = Annotated[Any, Body(mcp=False)]
"""A field that the product only ever sends, and takes back unread."""


class AttachmentIn(BaseModel, extra="forbid"):
    """A file to attach: text, base64 bytes, or an attachment of another message."""

    filename: str = Field("", description="The file's name; may be left out for an attachment of another message.")
    mimeType: str = Field("", description="The media type; by default that of the file name's ending.")
    content: str | None = Field(None, description="The file's content as text.")
    data: str | None = Field(None, description="The file's content as base64, for files that are not text.")
    messageId: str | None = Field(None, description="The message whose attachment is attached again.")
    attachmentId: str | None = Field(None, description="That attachment's id.")


Recipients = Annotated[list[str] | str | None, ToolOnly()]
Text = Annotated[str | None, ToolOnly()]
Attachments = Annotated[list[AttachmentIn] | None, ToolOnly()]
BodyKind = Literal["plain", "html"]


def people(given: list[str] | str | None) -> list[str]:
    """Recipients as agents write them: a list, a list as JSON text, or addresses with commas between."""
    if isinstance(given, str) and given.lstrip().startswith("["):
        try:
            read = json.loads(given)
        except ValueError:
            read = None
        if isinstance(read, list) and all(isinstance(r, str) for r in read):
            given = read
    out = list[str]()
    for one in [given] if isinstance(given, str) else given or []:
        several = mime.addresses([one])
        # A comma may stand in a name: what does not read as addresses throughout is one recipient.
        whole = not several or any(not mime.is_address(mime.bare(a)) for a in several)
        out += [one.strip()] if whole else several
    return [one for one in out if one]


def read_raw(raw: str, name: str = "raw") -> bytes:
    """The bytes of a `raw` field."""
    data = mime.decode64(raw)
    if data is None:
        text = f"Invalid value at '{name}' (TYPE_BYTES), Base64 decoding failed for \"{raw[:60]}\""
        raise refuse(text, reason="invalid", violations=[(name, text)])
    if not data.strip():
        raise need_raw()
    return data


def need_raw() -> Exception:
    return refuse("'raw' RFC822 payload message string or uploading message via /upload/* URL required")


def files(ctx: Ctx, given: list[AttachmentIn] | None) -> list[tuple[str, str, bytes]]:
    found = list[tuple[str, str, bytes]]()
    for one in given or []:
        if one.messageId:
            message = mailbox.require_message(ctx, one.messageId)
            name, kind, data = attachment(message, one.attachmentId or "")
            found.append((one.filename or name, one.mimeType or kind, data))
        elif one.content is not None:
            found.append(
                (
                    one.filename or "noname",
                    one.mimeType or mime.media_type(one.filename) or "text/plain",
                    one.content.encode(),
                )
            )
        elif one.data is not None:
            data = mime.decode64(one.data)
            if data is None:
                raise refuse(
                    f"Invalid value at 'attachments' (TYPE_BYTES), Base64 decoding failed for \"{one.data[:60]}\""
                )
            kind = one.mimeType or mime.media_type(one.filename) or "application/octet-stream"
            found.append((one.filename or "noname", kind, data))
        else:
            raise refuse("An attachment needs content, data, or messageId and attachmentId")
    return found


def attachment(message: Message, attachment_id: str) -> tuple[str, str, bytes]:
    """An attachment's name, type and bytes."""
    for part_id, name, part in mime.parse(raw_bytes(message)).files():
        if mime.attachment_id(message.id, part_id) == attachment_id:
            return name, part.get_content_type(), mime.part_bytes(part)
    raise refuse("Invalid attachment token")


def answered(ctx: Ctx, in_reply_to: str | None, thread_id: str | None) -> Message | None:
    """The message that is answered: the one named by Gmail's id or its Message-ID, else the last of the thread that is no draft."""
    if in_reply_to:
        if "@" in in_reply_to:
            found = ctx.db.first(Message, order="date", rfc822_id=in_reply_to.strip().strip("<>"))
            if found is None:
                raise ctx.app.not_found("Message", in_reply_to)
            return found
        return mailbox.require_message(ctx, in_reply_to)
    if thread_id:
        held = mailbox.thread_messages(ctx, thread_id)
        return next((m for m in reversed(held) if "DRAFT" not in m.label_ids), held[-1])
    return None


def compose(
    ctx: Ctx, *, to: Any = None, cc: Any = None, bcc: Any = None, subject: str | None = None, body: str | None = None,
    html: str | None = None, attachments: list[AttachmentIn] | None = None, sender: str | None = None, in_reply_to: str | None = None,
    thread_id: str | None = None,
) -> tuple[bytes, str]:  # fmt: skip
    """A message from what an agent says, and the thread that it is meant for."""
    parent = answered(ctx, in_reply_to, thread_id)
    if thread_id and parent is not None and parent.thread_id != thread_id.lower():
        raise refuse("Invalid thread_id value")
    letter = mime.Letter(
        sender or mailbox.default_sender(ctx),
        people(to),
        people(cc),
        people(bcc),
        subject or "",
        body or "",
        html or "",
        files(ctx, attachments),
    )
    if sender and mime.bare(sender).lower() not in {a.lower() for a in mailbox.own_addresses(ctx)}:
        raise refuse("Invalid From header")
    if parent is not None:
        if subject is None:
            letter.subject = parent.subject if mime.re.match(r"(?i)\s*re:", parent.subject) else f"Re: {parent.subject}"
        letter.reply_to, letter.references = parent_ids(parent)
    for name, given in (("To", letter.to), ("Cc", letter.cc), ("Bcc", letter.bcc)):
        if any(not mime.is_address(mime.bare(a)) for a in given):
            raise refuse(f"Invalid {name} header")
    raw = mime.write(letter, mailbox.mark(ctx.id("", 16, kind="boundary")))
    return raw, parent.thread_id if parent else ""


def parent_ids(parent: Message) -> tuple[str, str]:
    """In-Reply-To and References of an answer."""
    if not parent.rfc822_id:
        return "", ""
    own = f"<{parent.rfc822_id}>"
    earlier = [f"<{i}>" for i in mailbox.references(mime.parse(raw_bytes(parent))) if f"<{i}>" != own]
    return own, " ".join([*earlier, own])


def read_letter(
    ctx: Ctx, raw: str | None, thread_id: str | None, said: dict[str, Any], name: str = "raw"
) -> tuple[bytes, str]:
    """The message that a call gives, as `raw` or (over MCP) in its own words."""
    if raw:
        if any(v is not None for v in said.values()):
            raise refuse("Give either raw or the message's own fields, not both")
        return read_raw(raw, name), thread_id or ""
    if ctx.request.method or not any(v is not None for v in said.values()):
        raise need_raw()
    return compose(ctx, thread_id=thread_id, **said)
