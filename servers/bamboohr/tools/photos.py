"""Employees' photos. https://documentation.bamboohr.com/reference/photos"""

import base64
from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from legoenv_mcp.app import MISSING, Body, Ctx, Field, Reply

from ..app import app, done
from ..employees import the_employee
from ..errors import refuse
from ..models import Photo
from ..tables import touch

SMALLEST, LARGEST = 150, 20 * 1024 * 1024
_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def _size(data: bytes) -> tuple[int, int] | None:
    """An image's width and height, from the header of a PNG, JPEG or BMP."""
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    if data[:2] == b"BM" and len(data) >= 26:
        return int.from_bytes(data[18:22], "little"), abs(int.from_bytes(data[22:26], "little", signed=True))
    at = 2
    while data[:2] == b"\xff\xd8" and at + 9 <= len(data) and data[at] == 0xFF:
        if data[at + 1] in _JPEG_SIZES:
            return int.from_bytes(data[at + 7 : at + 9]), int.from_bytes(data[at + 5 : at + 7])
        at += 2 + max(2, int.from_bytes(data[at + 2 : at + 4]))
    return None


@app.get("/v1/employees/{employeeId}/photo/{size}", tool="get_employee_photo", mcp=False)
def get_employee_photo(
    ctx: Ctx,
    employeeId: Annotated[str, Field(max_length=20)],
    size: Literal["original", "large", "medium", "small", "xs", "tiny"],
) -> Reply:
    """Gets an employee's photo. Every size is the picture as it was uploaded.

    employeeId: The employee's id.
    size: `original`, `large`, `medium`, `small`, `xs` or `tiny`.
    """
    photo = ctx.db.get(Photo, the_employee(ctx, employeeId).id)
    if photo is None:
        raise refuse(404, "The employee has no photo")
    return Reply(base64.b64decode(photo.content), media_type="image/jpeg")


@app.post("/v1/employees/{employeeId}/photo", tool="upload_employee_photo", status=201, mcp=False, effect="update")
def upload_employee_photo(
    ctx: Ctx, employeeId: Annotated[str, Field(max_length=20)], file: Annotated[Any, Body("file")] = MISSING
) -> Reply:
    """Uploads an employee's photo: square, and at least 150 pixels wide.

    employeeId: The employee's id.
    file: The picture, of a multipart form.
    """
    employee = the_employee(ctx, employeeId)
    sent = cast("Mapping[str, Any]", file) if isinstance(file, Mapping) else {}
    data = sent.get("content")
    if not isinstance(data, bytes) or not data:
        raise refuse(400, "The file is missing or empty")
    if len(data) > LARGEST:
        raise refuse(413, "The file exceeds the limit of 20 MB")
    size = _size(data)
    if size is None:
        raise refuse(415, "The file could not be read as a supported image format")
    if abs(size[0] - size[1]) > 1 or min(size) < SMALLEST:
        raise refuse(415, f"The image must be square and at least {SMALLEST} pixels wide")
    row, kind = ctx.db.get(Photo, employee.id), str(sent.get("content_type") or "image/jpeg")[:100]
    content = base64.b64encode(data).decode()
    if row is None:
        ctx.db.add(Photo(employeeId=employee.id, content=content, type=kind))
    else:
        ctx.db.update(row, content=content, type=kind)
    touch(ctx, employee)
    return done(ctx, 201)
