"""Webhooks, and several reads in one request. https://developer.atlassian.com/cloud/trello/rest/api-group-webhooks/"""

import re
from typing import Annotated, Any

from legoenv_mcp.app import MISSING, ApiError, Body, Ctx, Request, Row

from .. import access
from ..app import Text, app, invalid, is_id
from ..models import Board, Card, Member, Organization, TrelloList, Webhook
from ..shapes import webhook_json

_MODELS: tuple[type[Row], ...] = (Board, Card, TrelloList, Member, Organization)
_MOST_ROUTES = 10


def _checked(ctx: Ctx, callback: str | None, model: str | None) -> None:
    if callback is not None and not callback.startswith(("http://", "https://")):
        raise invalid("callbackURL")
    if model is not None and not (is_id(model) and any(ctx.db.get(kind, model) for kind in _MODELS)):
        raise invalid("idModel")


@app.post("/1/webhooks", tool="create_webhook")
def create_webhook(
    ctx: Ctx, idModel: str, callbackURL: str, description: Text | None = None, active: Annotated[bool, Body(mcp=False)] = True
) -> dict[str, Any]:  # fmt: skip
    """Has an address told of changes to a board, list, card, member or workspace.

    idModel: The id of what to watch.
    callbackURL: The address, beginning with http:// or https://.
    description: What it is for.
    active: Whether it is on.
    """
    _checked(ctx, callbackURL, idModel)
    if ctx.db.first(Webhook, idModel=idModel, callbackURL=callbackURL):
        raise ApiError(400, "A webhook with that callback, model, and token already exists")
    return webhook_json(
        ctx.db.add(
            Webhook(
                id=access.new_id(ctx),
                description=description or "",
                idModel=idModel,
                callbackURL=callbackURL,
                active=active,
            )
        )
    )


@app.post("/1/tokens/{token}/webhooks", tool="create_token_webhook", mcp=False)
def create_token_webhook(
    ctx: Ctx, token: str, idModel: str, callbackURL: str, description: Text | None = None
) -> dict[str, Any]:  # fmt: skip
    """The same at the token's address.

    token: The token.
    idModel: The id of what to watch.
    callbackURL: The address.
    description: What it is for.
    """
    return create_webhook(ctx, idModel, callbackURL, description)


@app.get("/1/tokens/{token}/webhooks", tool="list_webhooks", mcp=False)
def list_webhooks(ctx: Ctx, token: str) -> list[dict[str, Any]]:
    """Lists the token's webhooks.

    token: The token.
    """
    return [webhook_json(row) for row in ctx.db.find(Webhook, order="id")]


@app.get("/1/webhooks/{id}", tool="get_webhook", mcp=False)
def get_webhook(ctx: Ctx, id: str) -> dict[str, Any]:
    """Shows a webhook.

    id: The webhook's id.
    """
    return webhook_json(ctx.require(Webhook, id))


@app.put("/1/webhooks/{id}", tool="update_webhook", mcp=False)
def update_webhook(
    ctx: Ctx, id: str, description: Text | MISSING = MISSING, callbackURL: str | MISSING = MISSING, idModel: str | MISSING = MISSING,
    active: bool | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a webhook.

    id: The webhook's id.
    description: What it is for.
    callbackURL: The address.
    idModel: The id of what to watch.
    active: Whether it is on.
    """
    found = ctx.require(Webhook, id)
    sent = ctx.sent()
    _checked(ctx, sent.get("callbackURL"), sent.get("idModel"))
    return webhook_json(ctx.db.update(found, **sent))


@app.delete("/1/webhooks/{id}", tool="delete_webhook")
def delete_webhook(ctx: Ctx, id: str) -> dict[str, Any]:
    """Removes a webhook.

    id: The webhook's id.
    """
    ctx.db.delete(ctx.require(Webhook, id))
    return {"_value": None}


@app.get("/1/batch", tool="batch", mcp=False)
def batch(ctx: Ctx, urls: str) -> list[dict[str, Any]]:
    """Performs up to 10 reads in one request.

    urls: Their paths, without the version, with commas between.
    """
    # A path begins with a slash, so a comma before anything else belongs to a list in a query string.
    routes = [route for route in re.split(r",(?=/)", urls) if route]
    if not routes or len(routes) > _MOST_ROUTES or not all(route.startswith("/") for route in routes):
        raise invalid("urls")
    out = list[dict[str, Any]]()
    for route in routes:
        path, _, query = route.partition("?")
        if path.rstrip("/").endswith("/batch") or path == "/batch":
            raise invalid("urls")
        url = f"{ctx.request.base}/1{path}" + (f"?{query}" if query else "")
        reply = ctx.send(Request("GET", f"/1{path}", url, {}, {}, ctx.request.base))
        if reply.error:
            text = reply.body if isinstance(reply.body, str) else str(reply.body.get("message"))
            out.append({"name": "Error", "message": text, "statusCode": reply.status})
        else:
            out.append({str(reply.status): reply.body})
    return out
