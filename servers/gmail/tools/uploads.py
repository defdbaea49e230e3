"""Uploading messages as they are, beside base64 in JSON: simple, multipart and resumable.

https://developers.google.com/workspace/gmail/api/guides/uploads
"""

import base64
import json
import re
from email import message_from_bytes
from email.message import Message as MimeMessage
from typing import Annotated, Any

from legoenv_mcp.app import UPPER36, Ctx, Payload, Query, Reply

from .. import mailbox
from ..app import UserId, app, refuse
from ..compose import need_raw
from ..models import Draft, Message, Upload
from ..resources import sent
from .drafts import deliver, new_draft, replace_draft
from .messages import Source, place

Content = Annotated[bytes, Payload(mcp=False, raw=True)]
Chunked = ("PUT",)
Given = tuple[bytes, dict[str, Any]]


def _take(ctx: Ctx, payload: bytes) -> Given | Reply:
    """The message and what JSON came with it; a Reply while a resumable upload goes on."""
    query, headers = ctx.request.query, ctx.request.headers
    if query.get("upload_id"):
        return _continue(ctx, query["upload_id"], payload)
    kind = query.get("uploadType", "multipart" if "multipart/" in headers.get("content-type", "") else "media")
    if kind == "resumable" or headers.get("x-goog-upload-protocol") == "resumable":
        return _start(ctx, payload)
    if kind == "multipart":
        return _related(headers.get("content-type", ""), payload)
    if kind != "media":
        raise refuse(f"Invalid upload type: {kind}")
    if not payload.strip():
        raise need_raw()
    return payload, {}


def _related(content_type: str, body: bytes) -> Given:
    """The parts of a multipart/related body: JSON, then the message."""
    whole = message_from_bytes(f"Content-Type: {content_type}\r\n\r\n".encode("latin-1", "replace") + body)
    inner = whole.get_payload()
    parts = [p for p in inner if isinstance(p, MimeMessage)] if isinstance(inner, list) else []
    if len(parts) != 2:
        raise refuse("Malformed multipart body.", reason="badContent")
    about = _object(parts[0].get_payload(decode=True))
    media = parts[1]
    if media.get_content_type() == "message/rfc822":  # the parser has read it already: take its text instead
        boundary = str(whole.get_boundary() or "").encode()
        piece = body.split(b"--" + boundary)[2]
        data = re.sub(
            rb"\r?\n$",
            b"",
            re.sub(rb"^\r?\n", b"", piece).partition(b"\r\n\r\n" if b"\r\n\r\n" in piece else b"\n\n")[2],
        )
    else:
        found = media.get_payload(decode=True)
        data = found if isinstance(found, bytes) else b""
    if str(media.get("Content-Transfer-Encoding", "")).strip().lower() == "base64":
        data = base64.b64decode(re.sub(rb"\s", b"", data) + b"==", validate=False)
    if not data.strip():
        raise need_raw()
    return data, about


def _object(data: Any) -> dict[str, Any]:
    try:
        read = json.loads(data) if data and data.strip() else {}
    except ValueError:
        read = None
    if not isinstance(read, dict):
        raise refuse("Invalid JSON payload received. The metadata part is no JSON object.", reason="parseError")
    return read


def _start(ctx: Ctx, payload: bytes) -> Reply:
    session = ctx.db.add(Upload(
        id=ctx.id("ABg5-U", 40, UPPER36, kind="upload"), target=ctx.request.path, about=_object(payload),
    ))  # fmt: skip
    url = ctx.request.url + ("&" if "?" in ctx.request.url else "?")
    if "uploadType=" not in url:
        url += "uploadType=resumable&"
    return Reply(
        "",
        200,
        {"Location": f"{url}upload_id={session.id}", "X-GUploader-UploadID": session.id},
        media_type="text/html",
    )


def _continue(ctx: Ctx, upload_id: str, data: bytes) -> Given | Reply:
    session = ctx.require(Upload, upload_id)
    if session.target != ctx.request.path:
        raise ctx.app.not_found("Upload", upload_id)
    held = base64.b64decode(session.received)
    said = ctx.request.headers.get("content-range", "")
    found = re.fullmatch(r"bytes (?:(\d+)-(\d+)|\*)/(\d+|\*)", said)
    if said and not found:
        raise refuse("Invalid Content-Range header")
    if found and found[1] is not None:
        if int(found[1]) > len(held) or int(found[2]) - int(found[1]) + 1 != len(data):
            raise refuse("Invalid Content-Range header")
        held = held[: int(found[1])] + data
    elif not found:
        held = data
    total = int(found[3]) if found and found[3] != "*" else (None if found else len(held))
    if total is None or len(held) < total:
        if data:
            ctx.db.update(session, received=base64.b64encode(held).decode())
        return Reply("", 308, {"Range": f"bytes=0-{len(held) - 1}"} if held else {}, media_type="text/html")
    ctx.db.delete(session)
    if not held.strip():
        raise need_raw()
    return held, session.about


def _text(about: dict[str, Any], name: str) -> str:
    value = about.get(name)
    return value if isinstance(value, str) else ""


def _labels(about: dict[str, Any]) -> list[str]:
    value = about.get("labelIds")
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


def _inner(about: dict[str, Any]) -> dict[str, Any]:
    value = about.get("message")
    return value if isinstance(value, dict) else {}


@app.post(
    "/upload/gmail/v1/users/{userId}/messages/send", tool="upload_send_message", effect="send", mcp=False, also=Chunked
)
def upload_send_message(ctx: Ctx, userId: UserId = "me", content: Content = b"") -> Any:
    """Sends a message that is uploaded as it is."""
    given = _take(ctx, content)
    return given if isinstance(given, Reply) else sent(mailbox.send(ctx, given[0], _text(given[1], "threadId")))


@app.post("/upload/gmail/v1/users/{userId}/messages", tool="upload_insert_message", mcp=False, also=Chunked)
def upload_insert_message(
    ctx: Ctx, userId: UserId = "me", internalDateSource: Annotated[Source, Query()] = "receivedTime",
    deleted: Annotated[bool, Query()] = False, content: Content = b"",
) -> Any:  # fmt: skip
    """Puts a message that is uploaded as it is into the mailbox."""
    given = _take(ctx, content)
    if isinstance(given, Reply):
        return given
    return sent(place(ctx, given[0], _labels(given[1]), _text(given[1], "threadId"), internalDateSource, deleted))


@app.post("/upload/gmail/v1/users/{userId}/messages/import", tool="upload_import_message", mcp=False, also=Chunked)
def upload_import_message(
    ctx: Ctx, userId: UserId = "me", internalDateSource: Annotated[Source, Query()] = "dateHeader",
    deleted: Annotated[bool, Query()] = False, neverMarkSpam: Annotated[bool, Query()] = False,
    processForCalendar: Annotated[bool, Query()] = False, content: Content = b"",
) -> Any:  # fmt: skip
    """Imports a message that is uploaded as it is."""
    given = _take(ctx, content)
    if isinstance(given, Reply):
        return given
    return sent(place(ctx, given[0], _labels(given[1]), _text(given[1], "threadId"), internalDateSource, deleted))


@app.post("/upload/gmail/v1/users/{userId}/drafts", tool="upload_create_draft", mcp=False, also=Chunked)
def upload_create_draft(ctx: Ctx, userId: UserId = "me", content: Content = b"") -> Any:
    """Saves a message that is uploaded as it is as a draft."""
    given = _take(ctx, content)
    return given if isinstance(given, Reply) else new_draft(ctx, given[0], _text(_inner(given[1]), "threadId"))


@app.put("/upload/gmail/v1/users/{userId}/drafts/{id}", tool="upload_update_draft", mcp=False)
def upload_update_draft(ctx: Ctx, id: str, userId: UserId = "me", content: Content = b"") -> Any:
    """Replaces a draft's message with one that is uploaded as it is.

    id: The draft's id.
    """
    draft = ctx.require(Draft, id)
    given = _take(ctx, content)
    if isinstance(given, Reply):
        return given
    held = ctx.require(Message, draft.message_id)
    return {
        "id": draft.id,
        "message": sent(replace_draft(ctx, draft, held, given[0], _text(_inner(given[1]), "threadId"))),
    }


@app.post(
    "/upload/gmail/v1/users/{userId}/drafts/send", tool="upload_send_draft", effect="send", mcp=False, also=Chunked
)
def upload_send_draft(ctx: Ctx, userId: UserId = "me", content: Content = b"") -> Any:
    """Sends a draft with a message that is uploaded as it is in its place."""
    given = _take(ctx, content)
    if isinstance(given, Reply):
        return given
    draft_id = _text(given[1], "id")
    if not draft_id:
        raise refuse("Missing draft id")
    draft = ctx.require(Draft, draft_id)
    return sent(deliver(ctx, ctx.require(Message, draft.message_id), given[0]))
