"""Uploads: content alone, metadata and content in one body, and in pieces.

https://developers.google.com/workspace/drive/api/guides/manage-uploads
"""

import base64
import json
import re
from email.message import Message
from typing import Annotated, Any

from pydantic import ValidationError

from legoenv_mcp.app import UPPER36, Ctx, Query, Reply

from .. import schemas, writing
from ..access import Tree
from ..app import Content, Flag, app, not_found, refuse
from ..contents import Media
from ..fields import FILE, answers
from ..models import Json, Upload
from ..resources import file_json

Chunked = ("PUT",)
Given = tuple[Json, Media | None]
_RANGE = re.compile(r"bytes (?:(\d{1,18})-(\d{1,18})|\*)/(\d{1,18}|\*)")
_GOING_ON = "text/plain; charset=utf-8"


def _take(ctx: Ctx, payload: bytes) -> Given | Reply:
    """The metadata and content of an upload; a Reply while a resumable one goes on."""
    query, headers = ctx.request.query, ctx.request.headers
    kind = headers.get("content-type", "")
    if query.get("upload_id"):
        return _continue(ctx, query["upload_id"], payload)
    way = query.get("uploadType", "multipart" if kind.startswith("multipart/") else "media")
    if way == "resumable":
        return _start(ctx, payload)
    if way == "multipart":
        return _related(kind, payload)
    if way != "media":
        raise refuse(f"Invalid upload type: {way}", "invalidParameter", location="uploadType")
    return {}, Media(payload, kind)


def _typed(content_type: str) -> tuple[str, str]:
    message = Message()
    message["content-type"] = content_type
    return message.get_content_type(), str(message.get_param("boundary") or "")


def _related(content_type: str, body: bytes) -> Given:
    """The parts of a multipart/related body: JSON, then the content, whose bytes are taken as they are."""
    kind, boundary = _typed(content_type)
    pieces = re.split(
        rb"(?:\A|\r?\n)--" + re.escape(boundary.encode("latin-1", "replace")) + rb"(?:--)?[ \t]*(?:\r?\n|\Z)", body
    )
    parts = [_part(piece) for piece in pieces[1:] if piece.strip()]
    if not kind.startswith("multipart/") or not boundary or len(parts) != 2:
        raise refuse("Malformed multipart body.", "badContent")
    (_, about), (headers, data) = parts
    if headers.get("content-transfer-encoding", "").lower() == "base64":
        try:
            data = base64.b64decode(re.sub(rb"\s", b"", data), validate=True)
        except ValueError:
            raise refuse("Malformed multipart body.", "badContent") from None
    return _object(about), Media(data, headers.get("content-type", ""))


def _part(piece: bytes) -> tuple[dict[str, str], bytes]:
    """A part's headers and body."""
    found = re.search(rb"\A(?:\r?\n)|\r?\n\r?\n", piece)
    head, data = (piece[: found.start()], piece[found.end() :]) if found else (piece, b"")
    lines = (line.partition(":") for line in head.decode("latin-1").splitlines())
    return {name.strip().lower(): value.strip() for name, _, value in lines if name.strip()}, data


def _object(data: bytes) -> Json:
    """Metadata in JSON, checked as a body of its own would be."""
    try:
        read = json.loads(data) if data.strip() else {}
    except (ValueError, RecursionError):
        raise refuse("Parse Error", "parseError") from None
    if isinstance(read, dict):  # of what callers cannot write, that it is there is all that matters
        read = {n: v if n in schemas.File.model_fields else True for n, v in read.items() if n in FILE}
    try:
        made = schemas.File.model_validate(read).sent()
        json.dumps(made, ensure_ascii=False).encode()
    except ValidationError as error:
        place = ".".join(str(p) for p in error.errors()[0]["loc"]) or "body"
        raise refuse(f"Invalid value for: {place}: {error.errors()[0]['msg']}", "invalid", location=place) from None
    except UnicodeEncodeError:
        raise refuse("Parse Error", "parseError") from None
    return made


def _start(ctx: Ctx, payload: bytes) -> Reply:
    session = ctx.db.add(Upload(
        id=ctx.id("AHmUCY0", 50, UPPER36, kind="upload"), method=ctx.request.method, target=ctx.request.path, about=_object(payload),
        mimeType=ctx.request.headers.get("x-upload-content-type", ""),
    ))  # fmt: skip
    mark = "&" if "?" in ctx.request.url else "?"
    headers = {"Location": f"{ctx.request.url}{mark}upload_id={session.id}", "X-GUploader-UploadID": session.id}
    return Reply("", 200, headers, media_type=_GOING_ON)


def _continue(ctx: Ctx, upload_id: str, data: bytes) -> Given | Reply:
    session = ctx.db.get(Upload, upload_id)
    if session is None or session.target != ctx.request.path:
        raise not_found("Upload", upload_id)
    held = base64.b64decode(session.received)
    said = ctx.request.headers.get("content-range", "")
    found = _RANGE.fullmatch(said)
    if said and not found:
        raise refuse("Invalid Content-Range header.", "invalid", location="Content-Range", location_type="header")
    total: int | None = len(data)
    if found:
        if found[1] is not None:
            if int(found[1]) > len(held) or int(found[2]) - int(found[1]) + 1 != len(data):
                raise refuse(
                    "Invalid Content-Range header.", "invalid", location="Content-Range", location_type="header"
                )
            held = held[: int(found[1])] + data
        total = None if found[3] == "*" else int(found[3])
    else:
        held = data
    if total is None or len(held) < total:
        if data:
            ctx.db.update(session, received=base64.b64encode(held).decode())
        return Reply("", 308, {"Range": f"bytes=0-{len(held) - 1}"} if held else {}, media_type=_GOING_ON)
    ctx.db.delete(session)
    return session.about, Media(held, session.mimeType or ctx.request.headers.get("content-type", ""))


@app.post("/upload/drive/v3/files", tool="upload_file", mcp=False, also=Chunked)
@answers("File")
def upload_file(
    ctx: Ctx, content: Content = b"", supportsAllDrives: Annotated[bool | None, Query()] = None,
    keepRevisionForever: Annotated[bool | None, Query()] = None, supportsTeamDrives: Flag = None,
) -> Any:  # fmt: skip
    """Creates a file of uploaded content."""
    given = _take(ctx, content)
    if isinstance(given, Reply):
        return given
    drives = supportsAllDrives or supportsTeamDrives
    row = writing.create(ctx, Tree(ctx), given[0], given[1], drives=drives, keep=keepRevisionForever)
    return file_json(Tree(ctx), row)


@app.patch("/upload/drive/v3/files/{fileId}", tool="upload_file_content", mcp=False, also=Chunked)
@answers("File")
def upload_file_content(
    ctx: Ctx, fileId: str, content: Content = b"", addParents: Annotated[str | None, Query()] = None,
    removeParents: Annotated[str | None, Query()] = None, supportsAllDrives: Annotated[bool | None, Query()] = None,
    keepRevisionForever: Annotated[bool | None, Query()] = None, supportsTeamDrives: Flag = None,
) -> Any:  # fmt: skip
    """Replaces a file's content with what is uploaded."""
    drives = supportsAllDrives or supportsTeamDrives
    tree = Tree(ctx)
    row = tree.require(fileId, "writer", drives=drives)
    given = _take(ctx, content)
    if isinstance(given, Reply):
        return given
    writing.update(
        ctx, tree, row, given[0], given[1], add=addParents, remove=removeParents, drives=drives, keep=keepRevisionForever
    )  # fmt: skip
    return file_json(Tree(ctx), row)
