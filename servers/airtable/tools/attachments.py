"""Files in attachment cells."""

import base64
import binascii
import hashlib
from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field

from ..app import absent, app, is_id, refuse
from ..cells import attach
from ..grid import open_base
from ..models import Record
from ..people import need
from ..records import Changes, find_column
from ..showing import record_json

MOST_BYTES = 5 * 1024 * 1024


@app.post("/v0/{baseId}/{recordId}/{attachmentFieldIdOrName}/uploadAttachment", tool="upload_attachment")
def upload_attachment(
    ctx: Ctx,
    baseId: str,
    recordId: str,
    attachmentFieldIdOrName: str,
    contentType: Annotated[str, Field(min_length=1, max_length=255)],
    file: str,
    filename: Annotated[str, Field(min_length=1, max_length=1000)],
) -> dict[str, Any]:
    """Uploads a file of up to 5 MB into an attachment cell, behind those that are there. Larger ones are given by their address, as a cell.

    baseId: The base's id.
    recordId: The record's id.
    attachmentFieldIdOrName: The attachment field's id or name.
    contentType: The file's media type.
    file: The file's bytes in Base64.
    filename: The file's name.
    """
    grid = open_base(ctx, baseId)
    need(ctx, grid.base, "edit")
    record = ctx.db.get(Record, recordId) if is_id("rec", recordId) else None
    if record is None or record.table_id not in grid.tables:
        raise absent("Record")
    table = grid.tables[record.table_id]
    column = find_column(grid, table, attachmentFieldIdOrName)
    if column.type != "multipleAttachments":
        raise refuse("INVALID_VALUE_FOR_COLUMN", f'Field "{column.name}" is not an attachment field')
    try:
        content = base64.b64decode("".join(file.split()), validate=True)
    except (binascii.Error, ValueError):
        raise refuse("INVALID_REQUEST_UNKNOWN", "Invalid request: file is not valid Base64") from None
    if not content:
        raise refuse("INVALID_REQUEST_UNKNOWN", "Invalid request: file is empty")
    if len(content) > MOST_BYTES:
        raise refuse("REQUEST_TOO_LARGE", "Request body is too large", 413)
    row = attach(ctx, baseId, filename, contentType, len(content), sha256=hashlib.sha256(content).hexdigest())
    record = grid.records(table)[record.id]
    changes = Changes(grid, table)
    held = record.cells.get(column.id) or []
    changes.update(record, {column.id: [*({"id": key} for key in held), {"id": row.id}]})
    changes.done()
    return record_json(grid, record, [column], ids=True)
