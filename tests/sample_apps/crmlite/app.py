"""How CRM Lite answers."""

from typing import Any

from legoenv_mcp.app import ApiError, App, Page

from .models import Table


def wrap(result: Any) -> dict[str, Any]:
    if isinstance(result, Page):
        return {"success": True, "data": result.items, "additional_data": {"next_cursor": result.cursor}}
    return {"success": True, "data": result}


def envelope(error: ApiError) -> dict[str, Any]:
    return {"success": False, "error": error.message}


app = App(
    "crmlite", Table, wrap, envelope, not_found=lambda kind, key: ApiError(404, f"{kind} not found"),
    unauthorized=lambda: ApiError(401, "unauthorized access"),
)  # fmt: skip
