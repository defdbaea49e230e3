"""Jobs, events, batches and webhooks. https://developers.asana.com/reference/events"""

import json
from typing import Annotated, Any, Literal, NotRequired
from urllib.parse import urlencode

from pydantic import ConfigDict
from typing_extensions import TypedDict

from legoenv_mcp.app import ApiError, Ctx, Field, Page, Reply, Request, draw

from .. import access
from ..app import API, Fields, Gid, Limit, Offset, app, bad
from ..fields import chosen, shown
from ..listing import one, page
from ..models import Event, Goal, Job, Portfolio, Project, Section, Task, UserTaskList, Webhook, Workspace

MOST_EVENTS = 100
MOST_ACTIONS = 10


@app.get(f"{API}/jobs/{{job_gid}}", tool="get_job")
def get_job(ctx: Ctx, job_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a job: how far duplicating is, and what it made.

    job_gid: The job's gid.
    """
    return one(ctx, access.get(ctx, Job, job_gid), opt_fields)


# Events


def _token(resource: str, at: int) -> str:
    return f"{draw('asana', 'sync', resource, at, size=16).hex()}:{at}"


def _since(resource: str, token: str | None) -> int | None:
    """The place in the feed that a sync token of this resource stands for."""
    place = (token or "").rpartition(":")[2]
    if not place.isascii() or not place.isdigit() or len(place) > 15:
        return None
    return int(place) if _token(resource, int(place)) == token else None


@app.get(f"{API}/events", tool="get_events", mcp=False)
def get_events(
    ctx: Ctx, resource: Gid, sync: Annotated[str | None, Field(max_length=200)] = None, opt_fields: Fields = None
) -> Reply:
    """Lists what happened to a task, project or goal since a sync token was made. Without a token, the refusal carries the first one.

    resource: The gid of the resource.
    sync: The token of the last answer.
    """
    if not access.is_gid(resource):
        raise bad(f"resource: Not a recognized ID: {resource[:100]}")
    kinds = (Task, Project, Section, Goal, Portfolio, UserTaskList)
    if all(ctx.db.get(cls, resource) is None for cls in kinds):
        raise bad(f"resource: Unknown object: {resource}")
    last = ctx.db.first(Event, order="-n")
    end, start = (last.n or 0) if last else 0, _since(resource, sync)
    if start is None or start > end:
        raise ApiError(
            412,
            "Sync token invalid or too old. If you are attempting to keep resources in sync, you must fetch the full dataset for this "
            "query now and use the new sync token for the next sync.",
            sync=_token(resource, end),
        )
    inside = "n > ? AND EXISTS (SELECT 1 FROM json_each(event.scope) WHERE value = ?)"
    rows = ctx.db.where(Event, inside, (start, resource), order="n", limit=MOST_EVENTS + 1)
    more = len(rows) > MOST_EVENTS
    rows = rows[:MOST_EVENTS]
    place = (rows[-1].n or end) if more else end
    body = {"data": [_event(ctx, e, opt_fields) for e in rows], "sync": _token(resource, place), "has_more": more}
    return Reply(body, 200)


def _event(ctx: Ctx, e: Event, opt_fields: str | None) -> dict[str, Any]:
    user = ctx.db.get(access.User, e.user) if e.user else None
    made = {
        "user": shown(ctx, user) if user else None, "created_at": e.created_at, "type": e.kind, "action": e.action,
        "resource": e.gone, "parent": e.parent, **({"change": e.change} if e.change else {}),
    }  # fmt: skip
    opt = chosen(opt_fields)
    return made if not opt else {name: value for name, value in made.items() if name in opt}


# Batches


class Options(TypedDict, total=False):
    """What the query string says as opt_ and for pages."""

    __pydantic_config__ = ConfigDict(extra="ignore")  # pyright: ignore[reportGeneralTypeIssues]
    limit: int
    offset: str
    fields: list[str] | str


class Action(TypedDict):
    """A request of a batch."""

    __pydantic_config__ = ConfigDict(extra="ignore")  # pyright: ignore[reportGeneralTypeIssues]
    relative_path: Annotated[str, Field(max_length=4000)]
    method: Literal["get", "post", "put", "delete", "patch", "head", "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"]
    data: NotRequired[dict[str, Any] | None]
    options: NotRequired[Options | None]


@app.post(f"{API}/batch", tool="create_batch_request", effect="update", mcp=False)
def create_batch_request(ctx: Ctx, actions: list[Action]) -> list[dict[str, Any]]:
    """Makes up to ten requests. Each stands for itself: one that is refused does not keep the others from being made.

    actions: The requests: relative_path, method, data and options.
    """
    if not actions:
        raise bad("actions: Missing input")
    if len(actions) > MOST_ACTIONS:
        raise bad(f"actions: Value is longer than {MOST_ACTIONS} items")
    return [_made(ctx, n, action) for n, action in enumerate(actions)]


def _made(ctx: Ctx, n: int, action: Action) -> dict[str, Any]:
    path, _, text = action["relative_path"].partition("?")
    if not path.startswith("/") or path.rstrip("/") == "/batch":
        raise bad(f"actions: [{n}]: relative_path: Not a path that can be requested in a batch: {path[:100]}")
    method, data = action["method"].upper(), action.get("data") or {}
    options = action.get("options") or {}
    query = {k: str(v) for k, v in options.items() if k in ("limit", "offset")}
    if "fields" in options:
        names = options["fields"]
        query["opt_fields"] = names if isinstance(names, str) else ",".join(names)
    if method in ("GET", "DELETE", "HEAD"):
        query |= {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in data.items()}
    body = json.dumps({"data": data}).encode() if method in ("POST", "PUT", "PATCH") else None
    whole = "&".join(filter(None, [text, urlencode(query)]))
    headers = {"content-type": "application/json"} if body else {}
    url = f"{API}{path}" + (f"?{whole}" if whole else "")
    reply = ctx.send(Request(method, f"{API}{path}", url, {}, headers, ctx.request.base), body)
    kept = {k.lower(): v for k, v in reply.headers.items() if k.lower() == "location"}
    return {"status_code": reply.status, "headers": kept, "body": reply.body}


# Webhooks


class Filter(TypedDict, total=False):
    """Which events a webhook is for."""

    __pydantic_config__ = ConfigDict(extra="ignore")  # pyright: ignore[reportGeneralTypeIssues]
    resource_type: str
    resource_subtype: str
    action: Literal["changed", "added", "removed", "deleted", "undeleted"]
    fields: list[str]


@app.get(f"{API}/webhooks", tool="get_webhooks", mcp=False)
def get_webhooks(
    ctx: Ctx, workspace: Gid, resource: Gid | None = None, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the webhooks of a workspace.

    workspace: The workspace's gid.
    resource: Only those on this resource.
    """
    place = access.in_workspace(ctx, workspace)
    return page(ctx, ctx.db.find(Webhook, workspace=place.gid, resource=resource), opt_fields, limit, offset)


@app.post(f"{API}/webhooks", tool="create_webhook", status=201, mcp=False)
def create_webhook(
    ctx: Ctx, resource: Gid, target: str, filters: list[Filter] | None = None, opt_fields: Fields = None
) -> dict[str, Any]:
    """Has an address told of what happens to a task, project, goal or portfolio. Nothing is really sent.

    resource: The gid of the resource.
    target: The address.
    filters: Which events it is for.
    """
    if not access.is_gid(resource):
        raise bad(f"resource: Not a recognized ID: {resource[:100]}")
    if all(ctx.db.get(cls, resource) is None for cls in (Task, Project, Goal, Portfolio, Workspace)):
        raise bad(f"resource: Unknown object: {resource}")
    if not target.startswith("https://"):
        raise bad("target: Webhook targets must use https")
    if ctx.db.first(Webhook, resource=resource, target=target) is not None:
        raise ApiError(403, "Duplicate webhook: the resource and target are already in use")
    place = access.workspace(ctx).gid
    row = ctx.db.add(
        Webhook(
            gid=access.new_gid(ctx), resource=resource, target=target, filters=[dict(f) for f in filters or []], workspace=place,
            created_at=access.now(ctx),
        )
    )  # fmt: skip
    return one(ctx, row, opt_fields)


@app.get(f"{API}/webhooks/{{webhook_gid}}", tool="get_webhook", mcp=False)
def get_webhook(ctx: Ctx, webhook_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a webhook.

    webhook_gid: The webhook's gid.
    """
    return one(ctx, access.get(ctx, Webhook, webhook_gid), opt_fields)


@app.put(f"{API}/webhooks/{{webhook_gid}}", tool="update_webhook", mcp=False)
def update_webhook(ctx: Ctx, webhook_gid: Gid, filters: list[Filter], opt_fields: Fields = None) -> dict[str, Any]:
    """Changes which events a webhook is for.

    webhook_gid: The webhook's gid.
    filters: Which events it is for.
    """
    row = ctx.db.update(access.get(ctx, Webhook, webhook_gid), filters=[dict(f) for f in filters])
    return one(ctx, row, opt_fields)


@app.delete(f"{API}/webhooks/{{webhook_gid}}", tool="delete_webhook", mcp=False)
def delete_webhook(ctx: Ctx, webhook_gid: Gid) -> dict[str, Any]:
    """Ends a webhook.

    webhook_gid: The webhook's gid.
    """
    ctx.db.delete(access.get(ctx, Webhook, webhook_gid))
    return {}
