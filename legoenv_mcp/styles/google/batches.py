"""Many calls in one request. https://developers.google.com/workspace/gmail/api/guides/batch"""

import json
from email import message_from_bytes
from email.message import Message as MimeMessage
from http import HTTPStatus
from urllib.parse import parse_qsl, urlsplit

from legoenv_mcp.app import HEX, ApiError, Ctx, Reply, Request


def _refuse(text: str) -> ApiError:
    return ApiError(400, text, reason="badRequest")


def perform_batch(ctx: Ctx, content: bytes, most: int, closed: tuple[str, ...] = ("/batch", "/upload")) -> Reply:
    """Performs the calls that are the parts of a multipart/mixed body. Each succeeds or fails by itself.

    most: how many there may be. closed: the beginnings of paths that no part may have.
    """
    kind = ctx.request.headers.get("content-type", "")
    whole = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode("latin-1", "replace") + content)
    inner = whole.get_payload()
    parts = [p for p in inner if isinstance(p, MimeMessage)] if isinstance(inner, list) else []
    if whole.get_content_type() != "multipart/mixed" or not parts:
        raise _refuse("Failed to parse batch request, error: Missing multipart/mixed parts.")
    if len(parts) > most:
        raise _refuse(f"The batch request has {len(parts)} calls, more than {most}.")
    boundary = f"batch_{ctx.id('', 24, HEX, kind='batch')}"
    out = [_part(ctx, part, boundary, closed) for part in parts]
    return Reply("".join(out) + f"--{boundary}--\r\n", 200, media_type=f"multipart/mixed; boundary={boundary}")


def _part(ctx: Ctx, part: MimeMessage, boundary: str, closed: tuple[str, ...]) -> str:
    found = part.get_payload(decode=True)
    reply = _perform(ctx, found if isinstance(found, bytes) else b"", closed)
    status = reply.wire_status or reply.status
    phrase = HTTPStatus(status).phrase
    head = [f"--{boundary}", "Content-Type: application/http"]
    if content_id := " ".join(str(part.get("Content-ID", "")).split()):  # clients fold long ones over lines
        head.append(f"Content-ID: <response-{content_id.strip('<>')}>")
    told = "" if status == 204 else reply.body if reply.media_type else json.dumps(reply.body, ensure_ascii=False)
    answer = [f"HTTP/1.1 {status} {phrase}"]
    if status != 204:
        answer.append("Content-Type: application/json; charset=UTF-8")
    answer += [f"{name}: {value}" for name, value in reply.headers.items()]
    return "\r\n".join([*head, "", *answer, f"Content-Length: {len(str(told).encode())}", "", str(told), ""])


def _perform(ctx: Ctx, text: bytes, closed: tuple[str, ...]) -> Reply:
    """One part: an HTTP request without its host."""
    text = text.replace(b"\r\n", b"\n").lstrip(b"\n")
    head, _, body = text.partition(b"\n\n")
    first, *lines = head.decode("latin-1").split("\n")
    words = first.split()
    if len(words) < 2:
        return ctx.app.refusal(_refuse("Failed to parse batch request, error: No request line in a part."))
    method, target = words[0].upper(), urlsplit(words[1])
    path = target.path.removeprefix(urlsplit(ctx.request.base).path)
    if path.startswith(closed):
        return ctx.app.refusal(_refuse("A batch request holds neither batches nor uploads."))
    headers = {n.strip().lower(): v.strip() for n, _, v in (line.partition(":") for line in lines) if n.strip()}
    query = dict(parse_qsl(target.query, keep_blank_values=True))
    url = f"{ctx.request.base}{path}" + (f"?{target.query}" if target.query else "")
    return ctx.send(Request(method, path, url, query, headers, ctx.request.base), body.strip())
