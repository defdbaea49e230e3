"""File uploads. https://developers.notion.com/reference/file-upload"""

import hashlib
import mimetypes
from datetime import timedelta
from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field

from ..app import app
from ..check import failed, refuse, told, uid, validation
from ..models import FileUpload
from ..paging import PageSize, cut, listing
from ..resources import upload_json
from ..shapes import Cursor
from ..tree import bot

_LARGEST = 20 * 1024 * 1024


def _upload(ctx: Ctx, key: str) -> FileUpload:
    return ctx.require(FileUpload, uid(key, "path.file_upload_id"))


@app.post("/v1/file_uploads", tool="API-create-a-file-upload", title="Create a file upload", mcp=False)
def create_upload(
    ctx: Ctx,
    mode: Literal["single_part", "multi_part", "external_url"] | MISSING = MISSING,
    filename: Annotated[str, Field(max_length=900)] | MISSING = MISSING,
    content_type: Annotated[str, Field(max_length=200)] | MISSING = MISSING,
    number_of_parts: Annotated[int, Field(ge=1, le=10_000)] | MISSING = MISSING,
    external_url: str | MISSING = MISSING,
) -> dict[str, Any]:
    """Begins the upload of a file, which is then sent, attached to a block, property, icon or comment by its id.

    mode: How the file comes: in one part, in several, or from an address.
    filename: The file's name with its extension.
    content_type: The file's MIME type.
    number_of_parts: In how many parts it comes, with mode multi_part.
    external_url: Where to fetch it, with mode external_url.
    """
    kind = "single_part" if mode is MISSING else mode
    if kind == "multi_part":
        for name, value in (("filename", filename), ("number_of_parts", number_of_parts)):
            if value is MISSING:
                refuse(f"body.{name}", "defined")
    elif number_of_parts is not MISSING:
        refuse("body.number_of_parts", "not present", number_of_parts)
    if (kind == "external_url") != (external_url is not MISSING):
        raise failed(told("body.external_url", "defined" if external_url is MISSING else "not present"))
    if external_url is not MISSING and not external_url.startswith("https://"):
        refuse("body.external_url", "an HTTPS URL", external_url)
    name = None if filename is MISSING else filename
    guessed = mimetypes.guess_type(name or "", strict=True)[0]
    row = FileUpload(
        id=ctx.uuid(),
        mode=kind,
        filename=name,
        content_type=guessed if content_type is MISSING else content_type,
        number_of_parts=None if number_of_parts is MISSING else number_of_parts,
        external_url=None if external_url is MISSING else external_url,
        status="uploaded" if kind == "external_url" else "pending",
        created_time=ctx.timestamp(),
        created_by=bot(ctx).id,
        last_edited_time=ctx.timestamp(),
        expiry_time=(ctx.now + timedelta(hours=1)).isoformat(),
    )
    return upload_json(ctx, ctx.db.add(row))


@app.get("/v1/file_uploads", tool="API-list-file-uploads", title="List file uploads", mcp=False)
def list_uploads(
    ctx: Ctx,
    status: Literal["pending", "uploaded", "expired", "failed"] | MISSING = MISSING,
    start_cursor: Cursor = MISSING,
    page_size: PageSize | MISSING = MISSING,
) -> dict[str, Any]:
    """Lists the integration's file uploads, the newest first.

    status: Only uploads of this status.
    start_cursor: The `next_cursor` of an earlier answer.
    page_size: How many uploads to return, at most 100.
    """
    found = ctx.db.find(FileUpload, order="-created_time,id", status=None if status is MISSING else status)
    taken, cursor = cut(ctx, found, lambda one: one.id, start_cursor, page_size, "query")
    return listing("file_upload", [upload_json(ctx, one) for one in taken], cursor)


@app.get(
    "/v1/file_uploads/{file_upload_id}", tool="API-retrieve-a-file-upload", title="Retrieve a file upload", mcp=False
)
def retrieve_upload(ctx: Ctx, file_upload_id: str) -> dict[str, Any]:
    """Retrieves a file upload and its status.

    file_upload_id: The upload's id.
    """
    return upload_json(ctx, _upload(ctx, file_upload_id))


@app.post(
    "/v1/file_uploads/{file_upload_id}/send",
    tool="API-send-a-file-upload",
    title="Send a file upload",
    effect="update",
    mcp=False,
)
def send_upload(ctx: Ctx, file_upload_id: str, file: Any, part_number: str | MISSING = MISSING) -> dict[str, Any]:
    """Sends the bytes of a file, or of one part of it, as multipart form data.

    file_upload_id: The upload's id.
    file: The file.
    part_number: Which part it is, from 1 on.
    """
    upload = _upload(ctx, file_upload_id)
    if upload.status != "pending" or upload.mode == "external_url":
        raise validation(f"File upload {upload.id} has status `{upload.status}`; only a `pending` one can be sent.")
    if not isinstance(file, dict) or not isinstance(file.get("content"), bytes):
        refuse("body.file", "defined")
    content: bytes = file["content"]
    if len(content) > _LARGEST:
        raise validation("The file is larger than 20 MB; send it in parts.")
    if upload.mode == "single_part":
        if part_number is not MISSING:
            refuse("body.part_number", "not present", part_number)
        parts = {"1": len(content)}
        done: dict[str, Any] = {
            "status": "uploaded", "content_length": len(content), "filename": upload.filename or file.get("filename") or None,
            "content_type": upload.content_type or file.get("content_type") or "application/octet-stream", "expiry_time": None,
        }  # fmt: skip
    else:
        total = upload.number_of_parts or 1
        if (
            part_number is MISSING
            or not part_number.isascii()
            or not part_number.isdigit()
            or not 1 <= int(part_number[:6]) <= total
        ):
            refuse("body.part_number", f"a number from 1 to {total}", None if part_number is MISSING else part_number)
        parts = {**upload.parts, str(int(part_number)): len(content)}
        done = {}
    digest = hashlib.sha256(upload.sha256.encode() + content).hexdigest()
    return upload_json(ctx, ctx.db.update(upload, parts=parts, sha256=digest, last_edited_time=ctx.timestamp(), **done))


@app.post(
    "/v1/file_uploads/{file_upload_id}/complete",
    tool="API-complete-a-file-upload",
    title="Complete a file upload",
    effect="update",
    mcp=False,
)
def complete_upload(ctx: Ctx, file_upload_id: str) -> dict[str, Any]:
    """Completes an upload of several parts, once all are sent.

    file_upload_id: The upload's id.
    """
    upload = _upload(ctx, file_upload_id)
    if upload.mode != "multi_part" or upload.status != "pending":
        raise validation(
            f"File upload {upload.id} has mode `{upload.mode}` and status `{upload.status}`; it cannot be completed."
        )
    if len(upload.parts) != upload.number_of_parts:
        raise validation(f"{len(upload.parts)} of {upload.number_of_parts} parts are sent.")
    size = sum(upload.parts.values())
    changes = {"status": "uploaded", "content_length": size, "expiry_time": None, "last_edited_time": ctx.timestamp()}
    return upload_json(ctx, ctx.db.update(upload, **changes))
