"""Subscriptions to changes. https://developers.google.com/workspace/calendar/api/guides/push

A channel is opened and stopped as with the product; nothing leaves the episode, so nothing is delivered.
"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import URLSAFE, Ctx, Field, Payload, Query, Reply

from .. import schemas
from ..access import require
from ..app import CalendarId, app, not_found, refuse
from ..models import Channel
from ..schemas import answers

Body = Annotated[schemas.Channel | None, Payload(mcp=False)]
Most = Annotated[int | None, Field(ge=1), Query()]
Text = Annotated[str | None, Query()]
Flag = Annotated[bool | None, Query()]
Lines = Annotated[list[str] | None, Query()]
Role = Literal["freeBusyReader", "owner", "reader", "writer", "writerWithoutPrivateAccess"]
EventType = Literal["birthday", "default", "focusTime", "fromGmail", "outOfOffice", "workingLocation"]
_WEEK = 7 * 24 * 3600


def _open(ctx: Ctx, path: str, resource: schemas.Channel | None) -> dict[str, Any]:
    body = resource.sent() if resource else {}
    for name in ("id", "type", "address"):
        if not body.get(name):
            raise refuse(f"Missing channel {name}.", "required")
    if body["type"] != "web_hook":
        raise refuse("Unknown channel type.", "channelUnknown")
    if not body["address"].startswith("https://"):
        raise refuse(f"WebHook callback must be HTTPS: {body['address']}", "push.webhookUrlNotHttps")
    if ctx.db.get(Channel, body["id"]) is not None:
        raise refuse(f"Channel id {body['id']} not unique", "channelIdNotUnique")
    said = body.get("expiration")
    if said is not None and not str(said).isdigit():
        raise refuse("Invalid channel expiration.")
    expiration = str(said) if said is not None else str((ctx.epoch() + _WEEK) * 1000)
    row = ctx.db.add(Channel(
        id=body["id"], resourceId=ctx.id("", 27, URLSAFE, kind="watch"), resourceUri=f"https://www.googleapis.com{path}?alt=json",
        address=body["address"], token=body.get("token"), expiration=expiration,
    ))  # fmt: skip
    out = {"kind": "api#channel", "id": row.id, "resourceId": row.resourceId, "resourceUri": row.resourceUri}
    return {**out, **({"token": row.token} if row.token else {}), "expiration": expiration}


@app.post("/calendar/v3/calendars/{calendarId}/events/watch", tool="watch_events", mcp=False)
@answers("Channel")
def watch_events(
    ctx: Ctx, calendarId: CalendarId, resource: Body = None, alwaysIncludeEmail: Flag = None,
    eventTypes: Annotated[list[EventType] | None, Query()] = None, iCalUID: Text = None, maxAttendees: Most = None,
    maxResults: Most = None, orderBy: Annotated[Literal["startTime", "updated"] | None, Query()] = None, pageToken: Text = None,
    privateExtendedProperty: Lines = None, q: Text = None, sharedExtendedProperty: Lines = None, showDeleted: Flag = None,
    showHiddenInvitations: Flag = None, singleEvents: Flag = None, syncToken: Text = None, timeMax: Text = None, timeMin: Text = None,
    timeZone: Text = None, updatedMin: Text = None,
) -> dict[str, Any]:  # fmt: skip
    """Opens a channel for changes of a calendar's events."""
    calendar, _ = require(ctx, calendarId)
    return _open(ctx, f"/calendar/v3/calendars/{calendar.id}/events", resource)


@app.post("/calendar/v3/calendars/{calendarId}/acl/watch", tool="watch_acl", mcp=False)
@answers("Channel")
def watch_acl(
    ctx: Ctx, calendarId: CalendarId, resource: Body = None, maxResults: Most = None, pageToken: Text = None,
    showDeleted: Flag = None, syncToken: Text = None,
) -> dict[str, Any]:  # fmt: skip
    """Opens a channel for changes of a calendar's sharing."""
    calendar, _ = require(ctx, calendarId, "writer")
    return _open(ctx, f"/calendar/v3/calendars/{calendar.id}/acl", resource)


@app.post("/calendar/v3/users/me/calendarList/watch", tool="watch_calendar_list", mcp=False)
@answers("Channel")
def watch_calendar_list(
    ctx: Ctx, resource: Body = None, maxResults: Most = None, minAccessRole: Annotated[Role | None, Query()] = None,
    pageToken: Text = None, showDeleted: Flag = None, showHidden: Flag = None, showOwnOrganizationOnly: Flag = None,
    syncToken: Text = None,
) -> dict[str, Any]:  # fmt: skip
    """Opens a channel for changes of the caller's list of calendars."""
    return _open(ctx, "/calendar/v3/users/me/calendarList", resource)


@app.post("/calendar/v3/users/me/settings/watch", tool="watch_settings", mcp=False)
@answers("Channel")
def watch_settings(
    ctx: Ctx, resource: Body = None, maxResults: Most = None, pageToken: Text = None, syncToken: Text = None
) -> dict[str, Any]:
    """Opens a channel for changes of the caller's settings."""
    return _open(ctx, "/calendar/v3/users/me/settings", resource)


@app.post("/calendar/v3/channels/stop", tool="stop_channel", effect="delete", mcp=False, status=204)
def stop_channel(ctx: Ctx, resource: Body = None) -> Reply:
    """Stops a channel."""
    body = resource.sent() if resource else {}
    row = ctx.db.get(Channel, body.get("id") or "")
    if row is None or row.resourceId != body.get("resourceId"):
        raise not_found()
    ctx.db.delete(row)
    return Reply(None, 204)
