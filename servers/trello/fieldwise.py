"""The endpoints that change one field (`PUT /1/cards/{id}/name?value=...`): each is the whole object's update with that field."""

from typing import Any
from urllib.parse import quote

from pydantic_core import to_json

from legoenv_mcp.app import MISSING, Ctx, Reply, Request

from .app import app, invalid


def put_field(ctx: Ctx, kind: str, key: str, field: str, value: Any, **more: Any) -> Reply:
    """Sends the update inside this call."""
    if value is MISSING:
        raise invalid("value")
    path = f"/1/{kind}/{quote(key, safe='')}"
    body = to_json({field: value, **more})
    return ctx.send(Request("PUT", path, path, {}, {"content-type": "application/json"}, ctx.request.base), body)


def one_field(ctx: Ctx, body: dict[str, Any], field: str) -> Any:
    """A field by itself: objects and lists as they are, other values under `_value`."""
    if field not in body:
        raise app.no_route("GET", ctx.request.path)
    return body[field] if isinstance(body[field], (list, dict)) else {"_value": body[field]}
