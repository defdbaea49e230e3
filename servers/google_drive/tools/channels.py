"""Subscriptions to changes. https://developers.google.com/workspace/drive/api/guides/push

A channel is opened and stopped as with the product; nothing leaves the episode, so nothing is delivered.
"""

from typing import Annotated, Any

from legoenv_mcp.app import URLSAFE, Ctx, Field, Payload, Query, Reply

from .. import schemas
from ..access import Tree
from ..app import ApiError, app, invalid_value, refuse
from ..fields import answers
from ..models import Channel

Body = Annotated[schemas.Channel | None, Payload(mcp=False)]
Text = Annotated[str | None, Query()]
Flag = Annotated[bool | None, Query()]
_WEEK, _HOUR = 7 * 24 * 3600, 3600


def _open(ctx: Ctx, path: str, resource: schemas.Channel | None, lasts: int) -> dict[str, Any]:
    body = resource.sent() if resource else {}
    for name in ("id", "type", "address"):
        if not body.get(name):
            raise refuse(f"Required parameter: resource.{name}", "required", location=f"resource.{name}")
    if body["type"] not in ("web_hook", "webhook"):
        raise refuse("Unknown channel type.", "channelUnknown")
    if not body["address"].startswith("https://"):
        raise refuse(f"WebHook callback must be HTTPS: {body['address']}", "push.webhookUrlNotHttps")
    if ctx.db.get(Channel, body["id"]) is not None:
        raise refuse(f"Channel id {body['id']} not unique", "channelIdNotUnique")
    said = body.get("expiration")
    if said is not None and not str(said).isdigit():
        raise refuse("Invalid channel expiration.", "invalid")
    row = ctx.db.add(Channel(
        id=body["id"], resourceId=ctx.id("", 27, URLSAFE, kind="watch"), resourceUri=f"https://www.googleapis.com{path}?alt=json",
        address=body["address"], token=body.get("token"), expiration=str(said) if said is not None else str((ctx.epoch() + lasts) * 1000),
    ))  # fmt: skip
    out = {"kind": "api#channel", "id": row.id, "resourceId": row.resourceId, "resourceUri": row.resourceUri}
    return {**out, **({"token": row.token} if row.token else {}), "expiration": row.expiration}


@app.post("/drive/v3/files/{fileId}/watch", tool="watch_file", mcp=False)
@answers("Channel")
def watch_file(ctx: Ctx, fileId: str, resource: Body = None, supportsAllDrives: Flag = None) -> dict[str, Any]:
    """Opens a channel for changes of a file."""
    row = Tree(ctx).require(fileId, drives=supportsAllDrives)
    return _open(ctx, f"/drive/v3/files/{row.id}", resource, _HOUR)


@app.post("/drive/v3/changes/watch", tool="watch_changes", mcp=False)
@answers("Channel")
def watch_changes(
    ctx: Ctx, pageToken: Annotated[str, Query()], resource: Body = None, driveId: Text = None, supportsAllDrives: Flag = None,
    includeItemsFromAllDrives: Flag = None, includeRemoved: Flag = None,
    pageSize: Annotated[Annotated[int, Field(ge=1, le=1000)] | None, Query()] = None,
    restrictToMyDrive: Flag = None, spaces: Text = None,
) -> dict[str, Any]:  # fmt: skip
    """Opens a channel for changes of the caller's files."""
    if not pageToken.isdigit():
        raise invalid_value("pageToken")
    return _open(ctx, "/drive/v3/changes", resource, _WEEK)


@app.post("/drive/v3/channels/stop", tool="stop_channel", effect="delete", mcp=False, status=204)
def stop_channel(ctx: Ctx, resource: Body = None) -> Reply:
    """Stops a channel."""
    body = resource.sent() if resource else {}
    row = ctx.db.get(Channel, body.get("id") or "")
    if row is None or row.resourceId != body.get("resourceId"):
        raise ApiError(404, f"Channel '{body.get('id')}' not found for project")
    ctx.db.delete(row)
    return Reply(None, 204)
