"""All that an application may import, beside `legoenv_mcp.capabilities`. See docs/architecture.md for an app as an example."""

from sqlalchemy import Index

from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.context import Ctx, Reply, Request
from legoenv_mcp.kernel.errors import ApiError, Problem
from legoenv_mcp.kernel.ids import BASE62, DIGITS, HEX, LOWER36, UPPER36, URLSAFE, draw
from legoenv_mcp.kernel.operations import MISSING, Body, Header, Payload, Query, ToolOnly
from legoenv_mcp.kernel.pages import (
    BadCursor,
    Page,
    cursor_page,
    decode_cursor,
    encode_cursor,
    keyset_page,
    link_header,
    numbered_page,
    offset_page,
)
from legoenv_mcp.kernel.rows import Field, Row, registry
from legoenv_mcp.kernel.wildcards import wildcard

__all__ = [
    "BASE62", "DIGITS", "HEX", "LOWER36", "MISSING", "UPPER36", "URLSAFE", "ApiError", "App", "BadCursor", "Body", "Ctx", "Field",
    "Header", "Index", "Page", "Payload", "Problem", "Query", "Reply", "Request", "Row", "ToolOnly", "cursor_page", "decode_cursor", "draw",
    "encode_cursor", "keyset_page", "link_header", "numbered_page", "offset_page", "registry", "wildcard",
]  # fmt: skip
