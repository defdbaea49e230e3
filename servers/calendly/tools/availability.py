"""Availability: open times, busy times, and schedules. https://developer.calendly.com/api-docs/calendly-api/availability"""

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, cast

from legoenv_mcp.app import MISSING, Body, Ctx, Query, ToolOnly

from .. import access, errors, feeds, resources, times, uris
from ..app import app
from ..availability import default_schedule, meetings, offer_of, open_starts
from ..inputs import AvailabilityRule, Moment, Rules, Uri, Uuid
from ..models import AvailabilitySchedule, EventType, ScheduledEvent, User
from ..paging import whole

Json = dict[str, Any]
_WEEK = timedelta(days=7)


def span(ctx: Ctx, start_time: str, end_time: str) -> tuple[datetime, datetime]:
    """A range of at most a week that lies in the future."""
    start, end = times.instant(start_time, "start_time"), times.instant(end_time, "end_time")
    if start <= ctx.now:
        raise errors.invalid(("start_time", "must be in the future"))
    if end <= start:
        raise errors.invalid(("end_time", "must be after start_time"))
    if end - start > _WEEK:
        raise errors.invalid(("end_time", "date range can be no greater than 1 week (7 days)"))
    return start, end


@app.get("/event_type_available_times", tool="list_event_type_available_times")
def list_event_type_available_times(ctx: Ctx, event_type: Uri, start_time: Moment, end_time: Moment) -> Json:
    """Times at which an event type can be booked, at most a week at once and in the future: the hosts' hours less their meetings.

    `create_invitee` takes a start time as it is given here.

    event_type: The event type's URI.
    start_time: From when on, in UTC as 2026-01-02T03:04:05Z; later than now.
    end_time: Until when, at most 7 days after start_time.
    """
    found = access.check_event_type(ctx, uris.row_of(ctx, EventType, event_type, "event_type"))
    start, end = span(ctx, start_time, end_time)
    page = resources.scheduling_url(ctx, found)
    slots = open_starts(ctx, offer_of(found), start, end)
    if not ctx.request.method:
        return {"collection": [{"status": "available", "start_time": times.short(s)} for s in slots]}
    return {"collection": [_slot(page, slot) for slot in slots]}


def _slot(page: str, slot: datetime) -> Json:
    shown = times.short(slot)
    return {
        "status": "available", "invitees_remaining": 1, "start_time": shown,
        "scheduling_url": f"{page}/{shown}?month={shown[:7]}&date={shown[:10]}",
    }  # fmt: skip


@app.get("/user_busy_times", tool="list_user_busy_times")
def list_user_busy_times(ctx: Ctx, user: Uri, start_time: Moment, end_time: Moment) -> Json:
    """When a user is busy with meetings, ascending, at most a week at once and in the future.

    user: The user's URI.
    start_time: From when on, in UTC as 2026-01-02T03:04:05Z; later than now.
    end_time: Until when, at most 7 days after start_time.
    """
    found = access.member(ctx, user)
    start, end = span(ctx, start_time, end_time)
    return {"collection": [_busy(event) for event in meetings(ctx, [found.uuid], start, end)]}


def _busy(event: ScheduledEvent) -> Json:
    return {
        "type": "calendly", "start_time": event.start_time, "end_time": event.end_time,
        "buffered_start_time": event.buffered_start_time, "buffered_end_time": event.buffered_end_time,
        "event": {"uri": uris.uri(ScheduledEvent, event.uuid)},
    }  # fmt: skip


@app.get("/user_availability_schedules", tool="list_user_availability_schedules")
def list_user_availability_schedules(ctx: Ctx, user: Uri) -> Json:
    """A user's availability schedules: the hours of each weekday and of special dates, local to the schedule's time zone.

    user: The user's URI.
    """
    found = access.subject(ctx, user)
    return {"collection": [resources.schedule(row) for row in ctx.db.find(AvailabilitySchedule, user=found.uuid)]}


@app.get("/user_availability_schedules/{uuid}", tool="get_user_availability_schedule")
def get_user_availability_schedule(ctx: Ctx, uuid: Uuid) -> Json:
    """One availability schedule of a user.

    uuid: The schedule's UUID or URI.
    """
    found = uris.row_at(ctx, AvailabilitySchedule, uuid)
    access.subject(ctx, uris.uri(User, found.user))
    return {"resource": resources.schedule(found)}


def _binding(ctx: Ctx, event_type: EventType) -> Json:
    """The schedule that an event type follows: its own, or the owner's default."""
    if event_type.availability:
        rule: Json = {
            "timezone": event_type.availability["timezone"], "user": uris.uri(User, event_type.owner),
            "rules": event_type.availability["rules"],
        }  # fmt: skip
    else:
        shown = resources.schedule(default_schedule(ctx, event_type.owner))
        rule = {name: shown[name] for name in ("timezone", "uri", "name", "user", "rules")}
    return {
        "event_type": uris.uri(EventType, event_type.uuid),
        "availability_setting": "host",
        "availability_rule": rule,
    }


@app.get("/event_type_availability_schedules", tool="list_event_type_availability_schedule")
def list_event_type_availability_schedule(ctx: Ctx, event_type: Uri) -> Json:
    """The schedule that an event type follows, with all its rules: what to start from when changing it.

    event_type: The event type's URI.
    """
    found = access.check_event_type(ctx, uris.row_of(ctx, EventType, event_type, "event_type"))
    return whole([_binding(ctx, found)])


@app.patch("/event_type_availability_schedules", tool="update_event_type_availability_schedule")
def update_event_type_availability_schedule(
    ctx: Ctx, event_type: Annotated[Uri, Query()], availability_rule: Annotated[AvailabilityRule | MISSING, Body(mcp=False)] = MISSING,
    availability_setting: Annotated[Literal["host"] | MISSING, Body(mcp=False)] = MISSING,
    timezone: Annotated[str | MISSING, ToolOnly()] = MISSING, rules: Annotated[Rules | MISSING, ToolOnly()] = MISSING,
) -> Json:  # fmt: skip
    """Gives an event type hours of its own. The rules sent replace all that it had; without rules only the time zone changes.

    event_type: The event type's URI.
    availability_rule: The time zone and all rules.
    availability_setting: `host`: each host's own schedule counts.
    timezone: IANA time zone of the hours.
    rules: All rules. A day without hours is closed; a rule for a date stands in for that of its weekday.
    """
    sent = ctx.sent()
    rule: AvailabilityRule | None = sent.get("availability_rule")
    if rule is None and "timezone" in sent:
        rule = {"timezone": sent["timezone"]}
        if "rules" in sent:
            rule["rules"] = sent["rules"]
    if rule is None:
        raise errors.invalid(("timezone" if not ctx.request.method else "availability_rule", "is missing"))
    found = access.check_event_type(ctx, uris.row_of(ctx, EventType, event_type, "event_type"))
    if user := rule.get("user"):
        host = access.subject(ctx, user, "availability_rule.user")
        if host.uuid != found.owner:
            raise errors.invalid(("availability_rule.user", "must be the host of the event type"))
    zone = times.check_zone(rule["timezone"], "availability_rule.timezone")
    given = rule.get("rules")
    if given is None:
        present = found.availability["rules"] if found.availability else default_schedule(ctx, found.owner).rules
        kept = cast(list[Json], present)
    else:
        kept = times.check_rules(given, "availability_rule.rules")
    ctx.db.update(found, availability={"timezone": zone, "rules": kept}, updated_at=feeds.now(ctx))
    feeds.log(ctx, "EventType", "Update", event_type=uris.uri(EventType, found.uuid), fields=["availability"])
    return {"resource": _binding(ctx, found)}
