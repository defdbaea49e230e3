"""Content in tools and answers: what a caller sends, and downloads."""

import base64
import binascii
import re
from typing import Any

from legoenv_mcp.app import MISSING, Ctx, Reply

from ..access import RANKS, Tree
from ..app import ApiError, forbidden, over_rest, refuse
from ..contents import Held, Media, data_of
from ..models import File
from ..resources import has_bytes


def given_media(content: Any, encoded: Any, mime: Any) -> Media | None:
    """The content that a tool was given, as text or as base64; None where it was given none."""
    kind = "" if mime is MISSING else str(mime)
    if encoded is not MISSING and content is not MISSING:
        raise refuse("Send content or contentBase64, not both.", "invalid", location="contentBase64")
    if encoded is not MISSING:
        try:
            return Media(base64.b64decode(encoded, validate=True), kind)
        except (binascii.Error, ValueError):
            raise refuse("The content is no base64.", "invalid", location="contentBase64") from None
    if content is not MISSING:
        return Media(str(content).encode(), kind)
    if kind:
        raise refuse("There is no content for contentMimeType.", "required", location="content")
    return None


def check_downloadable(tree: Tree, row: File) -> None:
    if not has_bytes(row):
        text = "Only files with binary content can be downloaded. Use Export with Docs Editors files."
        raise forbidden(text, "fileNotDownloadable", location="alt")
    if row.copyRequiresWriterPermission and tree.rank(row) < RANKS["writer"]:
        raise forbidden("This file cannot be downloaded by the user.", "cannotDownloadFile")


def served(ctx: Ctx, tree: Tree, row: File, held: Held) -> Reply:
    """The bytes of a file, or of one of its revisions; a part of them where a range is asked for."""
    check_downloadable(tree, row)
    data, kind = data_of(held), row.mimeType
    if not over_rest(ctx):
        return Reply(held.content if held.encoding == "utf-8" else data, 200, media_type=kind)
    found = re.fullmatch(r"bytes=(\d*)-(\d*)", ctx.request.headers.get("range", ""))
    if not found or not (found[1] or found[2]):
        return Reply(data, 200, media_type=kind)
    whole = len(data)
    if found[1]:
        start, end = int(found[1][:18]), min(int(found[2][:18]) if found[2] else whole - 1, whole - 1)
    else:
        start, end = max(0, whole - int(found[2][:18])), whole - 1
    if start >= whole or end < start:
        raise ApiError(416, "Request range not satisfiable", location="Range", location_type="header",
                       headers={"Content-Range": f"bytes */{whole}"})  # fmt: skip
    return Reply(data[start : end + 1], 206, {"Content-Range": f"bytes {start}-{end}/{whole}"}, media_type=kind)
