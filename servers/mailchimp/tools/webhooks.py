"""Webhooks of an audience. https://mailchimp.com/developer/marketing/api/list-webhooks/"""

from typing import Annotated, Any

from typing_extensions import TypedDict

from legoenv_mcp.app import HEX, MISSING, Ctx, Field

from .. import people, resources
from ..app import app, done
from ..errors import not_found, refuse
from ..inputs import ListId
from ..models import Webhook
from ..paging import links

Url = Annotated[str, Field(pattern=r"^https?://\S+$", max_length=500)]
WebhookId = Annotated[str, Field(description="The webhook's id.")]


class Events(TypedDict, total=False):
    """What is told."""

    subscribe: Annotated[bool, Field(description="Somebody subscribed.")]
    unsubscribe: Annotated[bool, Field(description="Somebody left.")]
    profile: Annotated[bool, Field(description="Somebody's fields changed.")]
    cleaned: Annotated[bool, Field(description="An address bounced.")]
    upemail: Annotated[bool, Field(description="An address changed.")]
    campaign: Annotated[bool, Field(description="A campaign was sent or cancelled.")]


class Sources(TypedDict, total=False):
    """Whose doing is told."""

    user: Annotated[bool, Field(description="Subscribers'.")]
    admin: Annotated[bool, Field(description="Account users'.")]
    api: Annotated[bool, Field(description="The API's.")]


def _switches(kind: type[Any], given: Any) -> dict[str, bool]:
    """All of them, off where nothing is said."""
    return {**dict.fromkeys(kind.__annotations__, False), **given}


def _find(ctx: Ctx, list_id: str, key: str) -> Webhook:
    people.audience(ctx, list_id)
    found = ctx.db.get(Webhook, key)
    if found is None or found.list_id != list_id:
        raise not_found()
    return found


@app.get("/lists/{list_id}/webhooks", tool="list_webhooks", mcp=False)
def list_webhooks(ctx: Ctx, list_id: ListId) -> dict[str, Any]:
    """Lists an audience's webhooks."""
    people.audience(ctx, list_id)
    rows = [resources.webhook(ctx, row) for row in ctx.db.find(Webhook, list_id=list_id)]
    path = f"/lists/{list_id}/webhooks"
    return {
        "webhooks": rows,
        "list_id": list_id,
        "total_items": len(rows),
        "_links": links(ctx, path, "Lists/Webhooks"),
    }


@app.post("/lists/{list_id}/webhooks", tool="create_webhook", mcp=False)
def create_webhook(
    ctx: Ctx, list_id: ListId, url: Url, events: Events | None = None, sources: Sources | None = None
) -> dict[str, Any]:
    """Adds a webhook to an audience.

    url: Where to tell it.
    events: What is told.
    sources: Whose doing is told.
    """
    people.audience(ctx, list_id)
    if ctx.db.count(Webhook, list_id=list_id, url=url):
        raise refuse(400, "Sorry, you can't set up multiple WebHooks for one URL")
    row = ctx.db.add(Webhook(
        id=ctx.id("", 10, HEX, kind="webhook"), list_id=list_id, url=url,
        events=_switches(Events, events or {}),
        sources=_switches(Sources, sources or {}),
    ))  # fmt: skip
    return resources.webhook(ctx, row)


@app.get("/lists/{list_id}/webhooks/{webhook_id}", tool="get_webhook", mcp=False)
def get_webhook(ctx: Ctx, list_id: ListId, webhook_id: WebhookId) -> dict[str, Any]:
    """Shows a webhook."""
    return resources.webhook(ctx, _find(ctx, list_id, webhook_id))


@app.patch("/lists/{list_id}/webhooks/{webhook_id}", tool="update_webhook", mcp=False)
def update_webhook(
    ctx: Ctx, list_id: ListId, webhook_id: WebhookId, url: Url | MISSING = MISSING, events: Events | MISSING = MISSING,
    sources: Sources | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a webhook.

    url: Where to tell it.
    events: What is told.
    sources: Whose doing is told.
    """
    row, sent = _find(ctx, list_id, webhook_id), ctx.sent()
    for name in ("events", "sources"):
        if name in sent:
            sent[name] = {**getattr(row, name), **sent[name]}
    return resources.webhook(ctx, ctx.db.update(row, **sent))


@app.delete("/lists/{list_id}/webhooks/{webhook_id}", tool="delete_webhook", mcp=False, status=204)
def delete_webhook(ctx: Ctx, list_id: ListId, webhook_id: WebhookId) -> Any:
    """Deletes a webhook."""
    ctx.db.delete(_find(ctx, list_id, webhook_id))
    return done(ctx, webhook_id=webhook_id, deleted=True)
