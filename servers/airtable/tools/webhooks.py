"""Webhooks: what changed in a base, gathered for those who ask."""

import base64
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict

from legoenv_mcp.app import BASE62, Ctx, Field

from ..app import absent, app, invalid, refuse
from ..grid import open_base
from ..hooks import live
from ..models import Payload, View, Webhook
from ..people import need
from ..values import iso

MOST = 10
_LIFE = timedelta(days=7)


class Filters(BaseModel):
    """Which changes to tell of."""

    model_config = ConfigDict(extra="forbid")
    dataTypes: Annotated[
        list[Literal["tableData", "tableFields", "tableMetadata"]],
        Field(min_length=1, description="Records and their cells; fields; or tables' names and descriptions."),
    ]
    recordChangeScope: Annotated[str | None, Field(description="Only changes in this table, or view, by id.")] = None
    changeTypes: Annotated[
        list[Literal["add", "remove", "update"]] | None, Field(description="Only changes of these kinds.")
    ] = None
    fromSources: Annotated[
        list[
            Literal[
                "client", "publicApi", "formSubmission", "formPageSubmission", "automation", "system", "sync", "anonymousUser", "unknown"
            ]
        ]
        | None,
        Field(description="Only changes made this way. Those made with these tools come from publicApi."),
    ] = None  # fmt: skip
    sourceOptions: Annotated[
        dict[str, Any] | None, Field(description="More about the forms that changes come from.")
    ] = None
    watchDataInFieldIds: Annotated[list[str] | None, Field(description="Only changes of cells in these fields.")] = None
    watchSchemasOfFieldIds: Annotated[
        list[str] | None, Field(description="Only changes of these fields themselves.")
    ] = None


class Includes(BaseModel):
    """What to tell besides."""

    model_config = ConfigDict(extra="forbid")
    includeCellValuesInFieldIds: Annotated[
        list[str] | Literal["all"] | None, Field(description="Unchanged cells to show too.")
    ] = None
    includePreviousCellValues: Annotated[bool, Field(description="Whether to tell what cells held before.")] = False
    includePreviousFieldDefinitions: Annotated[bool, Field(description="Whether to tell what fields were before.")] = (
        False
    )


class HookOptions(BaseModel):
    """What a webhook watches."""

    model_config = ConfigDict(extra="forbid")
    filters: Annotated[Filters, Field(description="Which changes to tell of.")]
    includes: Annotated[Includes | None, Field(description="What to tell besides.")] = None


class Specification(BaseModel):
    """A webhook's specification."""

    model_config = ConfigDict(extra="forbid")
    options: Annotated[HookOptions, Field(description="What it watches.")]


def _hook(ctx: Ctx, base: str, key: str) -> Webhook:
    grid = open_base(ctx, base)
    need(ctx, grid.base, "create")
    hook = ctx.db.get(Webhook, key)
    if hook is None or hook.base_id != grid.base.id:
        raise absent("Webhook")
    return hook


@app.get("/v0/bases/{baseId}/webhooks", tool="list_webhooks")
def list_webhooks(ctx: Ctx, baseId: str) -> dict[str, Any]:
    """Lists a base's webhooks, what they watch, and the number of the payload that each expects next.

    baseId: The base's id.
    """
    grid = open_base(ctx, baseId)
    found = ctx.db.find(Webhook, base_id=grid.base.id, order="expiration_time")
    return {
        "webhooks": [
            {
                "id": h.id, "notificationUrl": h.notification_url, "specification": h.specification,
                "areNotificationsEnabled": h.notifications, "isHookEnabled": live(h, ctx.now), "cursorForNextPayload": h.cursor,
                "lastSuccessfulNotificationTime": None, "lastNotificationResult": None, "expirationTime": h.expiration_time,
            }
            for h in found
        ]
    }  # fmt: skip


@app.post("/v0/bases/{baseId}/webhooks", tool="create_webhook")
def create_webhook(
    ctx: Ctx, baseId: str, specification: Specification, notificationUrl: str | None = None
) -> dict[str, Any]:
    """Creates a webhook, which gathers the base's changes for seven days. list_webhook_payloads reads them.

    baseId: The base's id.
    specification: What it watches: {"options": {"filters": {"dataTypes": ["tableData"]}}} tells of all changes of records.
    notificationUrl: An https address to be told that there are new payloads.
    """
    grid = open_base(ctx, baseId)
    need(ctx, grid.base, "create")
    if notificationUrl is not None and not notificationUrl.startswith("https://"):
        raise refuse("INVALID_WEBHOOK_NOTIFICATION_URL", "The notification URL must be an https URL")
    if ctx.db.count(Webhook, base_id=grid.base.id) >= MOST:
        raise refuse("TOO_MANY_WEBHOOKS_IN_BASE", f"A base may have at most {MOST} webhooks")
    kept = specification.model_dump(exclude_none=True)
    scope = kept["options"]["filters"].get("recordChangeScope")
    if scope is not None and scope not in grid.tables:
        view = ctx.db.get(View, scope)
        if view is None or view.table_id not in grid.tables:
            raise invalid("recordChangeScope is not the id of a table or view of this base.")
    secret = base64.b64encode(ctx.id("", 32, BASE62, kind="webhook secret").encode()).decode()
    expires = iso(ctx.now + _LIFE)
    hook = ctx.db.add(
        Webhook(
            id=ctx.id("ach", 14),
            base_id=grid.base.id,
            notification_url=notificationUrl,
            specification=kept,
            secret=secret,
            expiration_time=expires,
        )
    )
    return {"id": hook.id, "macSecretBase64": secret, "expirationTime": expires}


@app.delete("/v0/bases/{baseId}/webhooks/{webhookId}", tool="delete_webhook")
def delete_webhook(ctx: Ctx, baseId: str, webhookId: str) -> dict[str, Any]:
    """Deletes a webhook and what it has gathered.

    baseId: The base's id.
    webhookId: The webhook's id.
    """
    hook = _hook(ctx, baseId, webhookId)
    ctx.db.delete_where(Payload, webhook_id=hook.id)
    ctx.db.delete(hook)
    return {}


@app.post(
    "/v0/bases/{baseId}/webhooks/{webhookId}/enableNotifications", tool="enable_webhook_notifications", effect="update"
)
def enable_webhook_notifications(ctx: Ctx, baseId: str, webhookId: str, enable: bool) -> dict[str, Any]:
    """Turns a webhook's notifications on or off; payloads are gathered all the same.

    baseId: The base's id.
    webhookId: The webhook's id.
    enable: On or off.
    """
    hook = _hook(ctx, baseId, webhookId)
    if enable and hook.notification_url is None:
        raise invalid("The webhook has no notification URL.")
    if hook.notifications != enable:
        ctx.db.update(hook, notifications=enable)
    return {}


@app.post("/v0/bases/{baseId}/webhooks/{webhookId}/refresh", tool="refresh_webhook", effect="update")
def refresh_webhook(ctx: Ctx, baseId: str, webhookId: str) -> dict[str, Any]:
    """Lets a webhook live for seven more days from now.

    baseId: The base's id.
    webhookId: The webhook's id.
    """
    hook = _hook(ctx, baseId, webhookId)
    ctx.db.update(hook, expiration_time=iso(ctx.now + _LIFE))
    return {"expirationTime": hook.expiration_time}


@app.get("/v0/bases/{baseId}/webhooks/{webhookId}/payloads", tool="list_webhook_payloads")
def list_webhook_payloads(
    ctx: Ctx,
    baseId: str,
    webhookId: str,
    cursor: Annotated[int, Field(ge=1)] = 1,
    limit: Annotated[int, Field(ge=1, le=50)] = 50,
) -> dict[str, Any]:
    """Lists what a webhook has gathered, oldest first: the records, fields and tables that each call changed.

    baseId: The base's id.
    webhookId: The webhook's id.
    cursor: The number of the payload to begin with: the cursor of the answer before.
    limit: How many payloads to list.
    """
    hook = _hook(ctx, baseId, webhookId)
    found = ctx.db.find(Payload, webhook_id=hook.id, number__ge=cursor, order="number", limit=limit + 1)
    shown = found[:limit]
    after = shown[-1].number + 1 if shown else cursor
    return {"payloads": [p.body for p in shown], "cursor": after, "mightHaveMore": len(found) > limit}
