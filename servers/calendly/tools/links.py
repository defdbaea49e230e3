"""Single-use links: plain ones, and shares that change the event type. https://developer.calendly.com/api-docs/calendly-api/shares"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Field, ToolOnly

from .. import access, errors, feeds, resources, times, uris
from ..app import app
from ..booking import check_locations
from ..inputs import Location, Minutes, Name, Rules, ShareRule, Uri
from ..models import EventType, SchedulingLink
from .one_off import link_code

Json = dict[str, Any]
Day = Annotated[str, Field(max_length=10)]


def _offered(ctx: Ctx, text: str, parameter: str) -> EventType:
    found = access.check_event_type(ctx, uris.row_of(ctx, EventType, text, parameter))
    if not found.active or found.deleted_at:
        raise errors.invalid((parameter, "is not active"))
    return found


def _link(ctx: Ctx, kind: EventType, override: Json | None = None) -> SchedulingLink:
    row = SchedulingLink(
        code=link_code(ctx), event_type=kind.uuid, override=override, creator=access.me(ctx).uuid, created_at=feeds.now(ctx)
    )  # fmt: skip
    return ctx.db.add(row)


@app.post("/scheduling_links", tool="create_single_use_scheduling_link", status=201)
def create_single_use_scheduling_link(
    ctx: Ctx, max_event_count: int, owner: Uri, owner_type: Literal["EventType"]
) -> Json:
    """Makes a link that books one meeting of an event type and then no more. For a link with changes see `create_share`.

    max_event_count: How many meetings it books: 1.
    owner: The event type's URI.
    owner_type: EventType.
    """
    if max_event_count != 1:
        raise errors.invalid(("max_event_count", "must be equal to 1"))
    return {"resource": resources.link(ctx, _link(ctx, _offered(ctx, owner, "owner")))}


@app.post("/shares", tool="create_share", status=201)
def create_share(
    ctx: Ctx, event_type: Uri, name: Name | MISSING = MISSING, duration: Minutes | MISSING = MISSING,
    duration_options: Annotated[list[int], Field(max_length=4)] | MISSING = MISSING,
    period_type: Literal["available_moving", "moving", "fixed", "unlimited"] | MISSING = MISSING, start_date: Day | MISSING = MISSING,
    end_date: Day | MISSING = MISSING, max_booking_time: Annotated[int, Field(ge=1, le=5_000_000)] | MISSING = MISSING,
    hide_location: bool | MISSING = MISSING, location_configurations: Annotated[list[Location], Field(max_length=20)] | MISSING = MISSING,
    availability_rule: Annotated[ShareRule | MISSING, Body(mcp=False)] = MISSING, timezone: Annotated[str | MISSING, ToolOnly()] = MISSING,
    rules: Annotated[Rules | MISSING, ToolOnly()] = MISSING,
) -> Json:  # fmt: skip
    """Makes a single-use link to a one-on-one event type with changes; what is left out is as the event type has it.

    event_type: The event type's URI.
    name: Another name.
    duration: Another duration in minutes.
    duration_options: Up to 4 durations to choose from.
    period_type: How far ahead one may book: fixed takes start_date and end_date, moving and available_moving max_booking_time.
    start_date: First day, as YYYY-MM-DD.
    end_date: Last day, as YYYY-MM-DD.
    max_booking_time: How many minutes ahead.
    hide_location: Whether the place is told only after booking.
    location_configurations: Other locations.
    availability_rule: Other hours.
    timezone: IANA time zone of other hours; needs `rules`.
    rules: Other hours: of weekdays, and of dates instead.
    """
    kind = _offered(ctx, event_type, "event_type")
    if kind.kind != "solo":
        raise errors.invalid(("event_type", "must be one-on-one"))
    override = {k: v for k, v in ctx.sent().items() if k not in ("event_type", "timezone", "rules")}
    hours = {k: v for k, v in ctx.sent().items() if k in ("timezone", "rules")}
    if hours:
        if len(hours) < 2:
            raise errors.invalid(("rules" if "timezone" in hours else "timezone", "is missing"))
        override["availability_rule"] = hours
    _check(override, kind)
    row = _link(ctx, kind, override)
    return {"resource": {"scheduling_links": [resources.link(ctx, row)], "share_override": override}}


def _check(override: Json, kind: EventType) -> None:
    days = [times.day(override[name], name) for name in ("start_date", "end_date") if name in override]
    if override.get("period_type") == "fixed" and len(days) < 2:
        raise errors.invalid(("start_date", "must be given with end_date for a fixed period"))
    if len(days) == 2 and days[1] < days[0]:
        raise errors.invalid(("end_date", "must be after start_date"))
    options = override.get("duration_options")
    if options and (len(set(options)) < len(options) or any(not 1 <= m <= 720 for m in options)):
        raise errors.invalid(("duration_options", "must be unique and between 1 and 720"))
    if options and override.get("duration", kind.duration) not in options:
        raise errors.invalid(("duration", "must be one of the duration options"))
    if "location_configurations" in override:
        override["location_configurations"] = check_locations(
            override["location_configurations"], "location_configurations"
        )
    if rule := override.get("availability_rule"):
        times.check_zone(rule["timezone"], "availability_rule.timezone")
        checked = times.check_rules(rule["rules"], "availability_rule.rules")
        override["availability_rule"] = {"timezone": rule["timezone"], "rules": checked}
