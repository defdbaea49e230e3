"""Webhooks. They are kept and checked, and never fire. https://documentation.bamboohr.com/docs/webhooks"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import HEX, ApiError, Ctx, Field, Reply

from ..app import app
from ..errors import refuse
from ..fields import FIELDS, field_of
from ..models_more import Webhook

Event = Literal[
    "employee_with_fields.updated", "employee_with_fields.created", "employee_with_fields.deleted", "company-integrations.updated",
    "employee.created", "employee.updated", "employee.deleted", "company.updated", "company.deleted",
]  # fmt: skip
DEFAULT = ["employee_with_fields.updated", "employee_with_fields.deleted", "employee_with_fields.created"]
Fields = Annotated[list[str | int], Field(max_length=400)] | None
PostFields = dict[str, str] | None
Events = Annotated[list[Event], Field(min_length=1, max_length=20)] | None
Name = Annotated[str, Field(min_length=1, max_length=255)]
Url = Annotated[str, Field(max_length=2000)]
Form = Literal["json", "form-encoded"]


def _error(status: int, why: str, **more: Any) -> ApiError:
    return refuse(status, why, {"errors": [{"error": why, **more}]})


def _webhook(ctx: Ctx, key: int) -> Webhook:
    found = ctx.db.get(Webhook, key)
    if found is None:
        raise _error(404, "Webhook not found")
    return found


def _columns(
    name: str,
    url: str,
    form: Form,
    monitored: list[str | int] | None,
    posted: dict[str, str] | None,
    events: list[Any] | None,
    company: bool,
) -> dict[str, Any]:
    if not url.startswith("https://"):
        raise _error(400, "The url must begin with https://")
    chosen = list(dict.fromkeys(events or DEFAULT))
    kinds = {e.partition(".")[0] for e in chosen}
    if {"employee", "employee_with_fields"} <= kinds:
        raise _error(400, "employee_with_fields events cannot be mixed with employee events")
    fields = [str(f) for f in monitored or []]
    if any(e in ("employee.updated", "employee_with_fields.updated") for e in chosen) and not fields:
        raise _error(400, "monitorFields is required for update events")
    unknown = [{"id": f, "name": ""} for f in [*fields, *(posted or {})] if field_of(f) is None]
    if unknown:
        raise _error(403, "Some fields do not exist or cannot be accessed", unknownFields=unknown)
    said = list((posted or {}).values())
    if double := sorted({s for s in said if said.count(s) > 1}):
        raise _error(400, "The external names of postFields must differ", duplicatePostString=double)
    return {
        "name": name, "url": url, "format": form, "monitorFields": fields or None, "postFields": posted or {}, "events": chosen,
        "includeCompanyDomain": company,
    }  # fmt: skip


def _shown(row: Webhook, *, key: bool = False) -> dict[str, Any]:
    body = {
        "id": str(row.id), "name": row.name, "created": row.created, "lastSent": row.lastSent, "monitorFields": row.monitorFields,
        "postFields": row.postFields, "url": row.url, "format": row.format,
    }  # fmt: skip
    return {
        **body,
        **({"privateKey": row.privateKey} if key else {}),
        "includeCompanyDomain": row.includeCompanyDomain,
        "events": row.events,
    }


@app.get("/v1/webhooks", tool="list_webhooks", mcp=False)
def list_webhooks(ctx: Ctx) -> dict[str, Any]:
    """Lists the webhooks."""
    names = ("id", "name", "created", "lastSent", "url")
    return {"webhooks": [{k: _shown(w)[k] for k in names} for w in ctx.db.find(Webhook)]}


@app.post("/v1/webhooks", tool="create_webhook", status=201, mcp=False)
def create_webhook(
    ctx: Ctx, name: Name, url: Url, format: Form, monitorFields: Fields = None, postFields: PostFields = None, events: Events = None,
    includeCompanyDomain: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Makes a webhook; only the answer to this has its private key.

    name: Its name.
    url: Where it sends to.
    format: How it sends.
    monitorFields: The fields whose changes it is about.
    postFields: The fields that it sends, with the names under which it does.
    events: The events that it is about.
    includeCompanyDomain: Whether it sends the company's domain.
    """
    columns = _columns(name, url, format, monitorFields, postFields, events, includeCompanyDomain)
    created = ctx.now.strftime("%Y-%m-%d %H:%M:%S")
    key = ctx.id("", 32, HEX, kind="webhook_key")
    return _shown(ctx.db.add(Webhook(id=ctx.sequence("webhook"), created=created, privateKey=key, **columns)), key=True)


@app.get("/v1/webhooks/{id}", tool="get_webhook", mcp=False)
def get_webhook(ctx: Ctx, id: int) -> dict[str, Any]:
    """Gets a webhook.

    id: Its id.
    """
    return _shown(_webhook(ctx, id))


@app.put("/v1/webhooks/{id}", tool="update_webhook", mcp=False)
def update_webhook(
    ctx: Ctx,
    id: int,
    name: Name,
    url: Url,
    format: Form,
    monitorFields: Fields = None,
    postFields: PostFields = None,
    events: Events = None,
    includeCompanyDomain: bool = False,
) -> dict[str, Any]:
    """Sets a webhook anew: what is not given is what it is by default.

    id: Its id.
    name: Its name.
    url: Where it sends to.
    format: How it sends.
    monitorFields: The fields whose changes it is about.
    postFields: The fields that it sends, with the names under which it does.
    events: The events that it is about.
    includeCompanyDomain: Whether it sends the company's domain.
    """
    row = _webhook(ctx, id)
    return _shown(
        ctx.db.update(row, **_columns(name, url, format, monitorFields, postFields, events, includeCompanyDomain))
    )


@app.delete("/v1/webhooks/{id}", tool="delete_webhook", mcp=False)
def delete_webhook(ctx: Ctx, id: int) -> Reply:
    """Deletes a webhook.

    id: Its id.
    """
    ctx.db.delete(_webhook(ctx, id))
    return Reply("Web hook has been deleted.", media_type="text/plain; charset=utf-8")


@app.get("/v1/webhooks/{id}/log", tool="list_webhook_logs", mcp=False)
def list_webhook_logs(ctx: Ctx, id: int) -> Any:
    """Lists what a webhook has sent in the last 14 days.

    id: Its id.
    """
    _webhook(ctx, id)
    return []


@app.get("/v1/webhooks/monitor_fields", tool="list_monitor_fields", mcp=False)
def list_monitor_fields(ctx: Ctx) -> dict[str, Any]:
    """Lists the fields whose changes webhooks can be about."""
    return {
        "fields": [{"id": str(f.id), "name": f.name, "alias": f.alias} for f in FIELDS.values() if not f.calculated]
    }
