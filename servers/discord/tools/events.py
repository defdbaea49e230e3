"""Scheduled events. https://discord.com/developers/docs/resources/guild-scheduled-event"""

from typing import Annotated, Any

from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, Ctx, Field

from .. import access as a
from .. import audit, resources
from ..app import app, err, form
from ..models import Channel, Event

SCHEDULED, ACTIVE, COMPLETED, CANCELED = 1, 2, 3, 4
IN_STAGE, IN_VOICE, EXTERNAL = 1, 2, 3
_NEXT = {SCHEDULED: (ACTIVE, CANCELED), ACTIVE: (COMPLETED,)}
_MOST = 100


class Where(TypedDict, total=False):
    """Where an external event takes place."""

    location: Annotated[str, Field(description="The place, 1 to 100 characters", max_length=100)]


Name = Annotated[str, Field(min_length=1, max_length=100)]
Text = Annotated[str | None, Field(max_length=1000)]


def _time(ctx: Ctx, text: str, path: str) -> str:
    try:
        return a.stamp(ctx.parse_time(text))
    except (ValueError, OverflowError):
        raise form(path, "DATE_TIME_TYPE_PARSE", f"Could not parse {text[:40]}. Should be ISO8601.") from None


def _check(ctx: Ctx, known: dict[str, Any]) -> None:
    """The rules that an event as a whole obeys, whether new or changed."""
    kind, channel_id = known["entity_type"], known["channel_id"]
    if kind == EXTERNAL:
        if not (known["location"] or "").strip():
            raise form("entity_metadata.location", "BASE_TYPE_REQUIRED", "This field is required")
        if known["scheduled_end_time"] is None:
            raise form("scheduled_end_time", "BASE_TYPE_REQUIRED", "This field is required")
        known["channel_id"] = None
    else:
        if channel_id is None:
            raise form("channel_id", "BASE_TYPE_REQUIRED", "This field is required")
        if a.channel(ctx, channel_id).type != (a.STAGE if kind == IN_STAGE else a.VOICE):
            raise form("channel_id", "CHANNEL_INVALID", "Invalid channel for this kind of event")
        known["location"] = None
    end = known["scheduled_end_time"]
    if end is not None and end <= known["scheduled_start_time"]:
        raise form(
            "scheduled_end_time", "GUILD_SCHEDULED_EVENT_END_BEFORE_START", "The event must end after it starts."
        )


def _not_past(ctx: Ctx, start: str) -> None:
    if start <= a.stamp(ctx.now):
        raise form("scheduled_start_time", "GUILD_SCHEDULED_EVENT_SCHEDULE_PAST", "Cannot schedule event in the past.")


def _own(ctx: Ctx, event_id: str) -> Event:
    """An event that the caller may change: their own, or with Manage Events any."""
    row = ctx.require(Event, event_id)
    needed = a.CREATE_EVENTS if row.creator_id == a.me(ctx) else a.MANAGE_EVENTS
    if not a.base(ctx, a.me(ctx)) & (needed | a.MANAGE_EVENTS):
        raise err(50013)
    return row


def _seen(ctx: Ctx, row: Event) -> bool:
    place = ctx.db.get(Channel, row.channel_id) if row.channel_id else None
    return place is None or a.visible(ctx, place)


@app.get("/guilds/{guild_id}/scheduled-events", tool="list_guild_scheduled_events")
def list_guild_scheduled_events(ctx: Ctx, guild_id: a.Snowflake, with_user_count: bool = False) -> list[dict[str, Any]]:
    """Lists the server's events that are scheduled or under way.

    guild_id: The server's id.
    with_user_count: Whether to tell how many are interested.
    """
    a.guild(ctx, guild_id)
    rows = ctx.db.find(Event, status__in=(SCHEDULED, ACTIVE), order="scheduled_start_time,id")
    return [resources.event(ctx, row, with_user_count) for row in rows if _seen(ctx, row)]


@app.post("/guilds/{guild_id}/scheduled-events", tool="create_guild_scheduled_event")
def create_guild_scheduled_event(
    ctx: Ctx,
    guild_id: a.Snowflake,
    name: Name,
    scheduled_start_time: str,
    entity_type: Annotated[int, Field(ge=1, le=3)],
    privacy_level: Annotated[int, Field(ge=2, le=2)] = 2,
    scheduled_end_time: str | None = None,
    channel_id: a.Snowflake | None = None,
    entity_metadata: Where | None = None,
    description: Text = None,
) -> dict[str, Any]:
    """Schedules an event in a voice or stage channel, or elsewhere (needs Create Events). An event elsewhere needs a place and an end.

    guild_id: The server's id.
    name: What it is called, 1 to 100 characters.
    scheduled_start_time: When it begins, ISO 8601, in the future.
    entity_type: 1 stage channel, 2 voice channel, 3 elsewhere.
    privacy_level: 2: the members of the server.
    scheduled_end_time: When it ends, ISO 8601.
    channel_id: The channel's id, for types 1 and 2.
    entity_metadata: The place, for type 3.
    description: What it is about, at most 1000 characters.
    """
    a.guild(ctx, guild_id, a.CREATE_EVENTS)
    known: dict[str, Any] = {
        "name": name,
        "description": description,
        "entity_type": entity_type,
        "channel_id": channel_id,
        "location": (entity_metadata or {}).get("location"),
        "scheduled_start_time": _time(ctx, scheduled_start_time, "scheduled_start_time"),
        "scheduled_end_time": _time(ctx, scheduled_end_time, "scheduled_end_time") if scheduled_end_time else None,
    }
    _check(ctx, known)
    _not_past(ctx, known["scheduled_start_time"])
    if ctx.db.count(Event, status__in=(SCHEDULED, ACTIVE)) >= _MOST:
        raise form("name", "GUILD_SCHEDULED_EVENTS_MAX", f"Maximum number of events reached ({_MOST})")
    row = ctx.db.add(Event(id=a.snowflake(ctx), creator_id=a.me(ctx), **known))
    audit.log(ctx, audit.EVENT_CREATE, row.id, [{"key": "name", "new_value": name}])
    return resources.event(ctx, row)


@app.get("/guilds/{guild_id}/scheduled-events/{event_id}", tool="get_guild_scheduled_event")
def get_guild_scheduled_event(
    ctx: Ctx, guild_id: a.Snowflake, event_id: a.Snowflake, with_user_count: bool = False
) -> dict[str, Any]:
    """Gets an event, also one that is over.

    guild_id: The server's id.
    event_id: The event's id.
    with_user_count: Whether to tell how many are interested.
    """
    a.guild(ctx, guild_id)
    row = ctx.require(Event, event_id)
    if not _seen(ctx, row):
        raise err(10070)
    return resources.event(ctx, row, with_user_count)


@app.patch("/guilds/{guild_id}/scheduled-events/{event_id}", tool="modify_guild_scheduled_event")
def modify_guild_scheduled_event(
    ctx: Ctx,
    guild_id: a.Snowflake,
    event_id: a.Snowflake,
    name: Name | MISSING = MISSING,
    description: Text | MISSING = MISSING,
    scheduled_start_time: str | MISSING = MISSING,
    scheduled_end_time: str | None | MISSING = MISSING,
    status: Annotated[int, Field(ge=1, le=4)] | MISSING = MISSING,
    entity_type: Annotated[int, Field(ge=1, le=3)] | MISSING = MISSING,
    channel_id: a.Snowflake | None | MISSING = MISSING,
    entity_metadata: Where | None | MISSING = MISSING,
) -> dict[str, Any]:
    """Changes an event; only what is sent changes. `status` starts (2), ends (3) or cancels (4) it; then nothing leads back.

    guild_id: The server's id.
    event_id: The event's id.
    name: The new name.
    description: What it is about; null takes it away.
    scheduled_start_time: When it begins, ISO 8601.
    scheduled_end_time: When it ends, ISO 8601.
    status: 2 active (from scheduled), 3 completed (from active), 4 canceled (from scheduled).
    entity_type: 1 stage channel, 2 voice channel, 3 elsewhere.
    channel_id: The channel's id, for types 1 and 2.
    entity_metadata: The place, for type 3.
    """
    a.guild(ctx, guild_id)
    row = _own(ctx, event_id)
    if row.status in (COMPLETED, CANCELED):
        raise err(180000)
    given = {k: v for k, v in ctx.sent().items() if v is not MISSING and k != "entity_metadata"}
    if entity_metadata is not MISSING:
        given["location"] = (entity_metadata or {}).get("location")
    for field in ("scheduled_start_time", "scheduled_end_time"):
        if given.get(field) is not None:
            given[field] = _time(ctx, given[field], field)
    if status is not MISSING and status != row.status and status not in _NEXT[row.status]:
        message = f"Cannot change the status from {row.status} to {status}."
        raise form("status", "GUILD_SCHEDULED_EVENT_INVALID_STATUS", message)
    columns = ("entity_type", "channel_id", "location", "scheduled_start_time", "scheduled_end_time")
    known = {name_: given.get(name_, getattr(row, name_)) for name_ in columns}
    _check(ctx, known)
    if known["scheduled_start_time"] != row.scheduled_start_time:
        if row.status == ACTIVE:
            message = "The start of an event under way cannot be changed."
            raise form("scheduled_start_time", "GUILD_SCHEDULED_EVENT_STARTED", message)
        _not_past(ctx, known["scheduled_start_time"])
    changes = audit.changed(row, **given | known)
    if changes:
        ctx.db.update(row, **given | known)
        audit.log(ctx, audit.EVENT_UPDATE, row.id, changes)
    return resources.event(ctx, row)


@app.delete("/guilds/{guild_id}/scheduled-events/{event_id}", tool="delete_guild_scheduled_event", status=204)
def delete_guild_scheduled_event(ctx: Ctx, guild_id: a.Snowflake, event_id: a.Snowflake) -> None:
    """Deletes an event for good.

    guild_id: The server's id.
    event_id: The event's id.
    """
    a.guild(ctx, guild_id)
    row = _own(ctx, event_id)
    ctx.db.delete(row)
    audit.log(ctx, audit.EVENT_DELETE, event_id, [{"key": "name", "old_value": row.name}])


@app.get("/guilds/{guild_id}/scheduled-events/{event_id}/users", tool="list_guild_scheduled_event_users", mcp=False)
def list_guild_scheduled_event_users(ctx: Ctx, guild_id: a.Snowflake, event_id: a.Snowflake) -> list[dict[str, Any]]:
    """Lists who is interested in an event: at least who scheduled it.

    guild_id: The server's id.
    event_id: The event's id.
    """
    a.guild(ctx, guild_id)
    row = ctx.require(Event, event_id)
    user = resources.user_by_id(ctx, row.creator_id)
    return [{"guild_scheduled_event_id": row.id, "user_id": row.creator_id, "user": user}]
