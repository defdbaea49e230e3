"""One-off event types: a meeting outside the usual ones, booked once through its own link."""

from datetime import timedelta
from typing import Annotated, Any

from legoenv_mcp.app import LOWER36, MISSING, Ctx, Field

from .. import access, errors, feeds, resources, times
from ..app import app
from ..availability import default_schedule
from ..booking import QUESTION, check_locations
from ..inputs import DateSetting, Location, Minutes, ShortName, Uri
from ..models import EventType

CoHosts = Annotated[list[Uri], Field(max_length=9)]
Zone = Annotated[str, Field(max_length=60)]


def link_code(ctx: Ctx) -> str:
    """`abcd-efg-hij`, as single-use links are called."""
    text = ctx.id("", 10, LOWER36, kind="link")
    return f"{text[:4]}-{text[4:7]}-{text[7:]}"


@app.post("/one_off_event_types", tool="create_one_off_event_type", status=201)
def create_one_off_event_type(
    ctx: Ctx, name: ShortName, host: Uri, duration: Minutes, date_setting: DateSetting, co_hosts: CoHosts | MISSING = MISSING,
    timezone: Zone | MISSING = MISSING, location: Location | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Makes a one-off event type: offered for some days only, booked once, and at times when all hosts are free.

    name: Its name, at most 55 characters.
    host: URI of the user who hosts it.
    duration: Minutes, at most 720.
    date_setting: When it can be booked: date_range with start_date and end_date, days_in_future with days and only_weekdays, or
        spots with the bookable spans.
    co_hosts: URIs of up to 9 more hosts.
    timezone: IANA time zone of the days; the host's when left out.
    location: Where it is held.
    """
    main = access.subject(ctx, host, "host")
    others = [access.member(ctx, one, f"co_hosts[{n}]").uuid for n, one in enumerate(ctx.sent().get("co_hosts", []))]
    if main.uuid in others or len(set(others)) < len(others):
        raise errors.invalid(("co_hosts", "must be unique"))
    zone = ctx.sent().get("timezone")
    if zone:
        times.check_zone(zone, "timezone")
    zone = zone or default_schedule(ctx, main.uuid).timezone
    place = ctx.sent().get("location")
    now = feeds.now(ctx)
    row = ctx.db.add(EventType(
        uuid=ctx.uuid("event_type"), owner=main.uuid, co_hosts=others, name=name, link=link_code(ctx), duration=duration,
        type="AdhocEventType", pooling_type="collective" if others else None, secret=True, timezone=zone,
        locations=check_locations([place], "location") if place else None, custom_questions=[QUESTION],
        start_time_increment=None, **_window(ctx, date_setting, zone, duration), created_at=now, updated_at=now,
    ))  # fmt: skip
    shown = resources.event_type(ctx, row)
    feeds.log(ctx, "EventType", "Create", event_type=shown["uri"], name=name)
    feeds.tell(ctx, "event_type.created", shown, [main.uuid, *others])
    return {"resource": shown}


def _window(ctx: Ctx, setting: DateSetting, zone: str, duration: int) -> dict[str, Any]:
    """A date setting as columns."""
    kind = setting["type"]
    needed = {"date_range": ("start_date", "end_date"), "days_in_future": ("days",), "spots": ("spots",)}[kind]
    for name in needed:
        if setting.get(name) is None:
            raise errors.invalid((f"date_setting.{name}", "is missing"))
    today = ctx.now.astimezone(times.known_zone(zone)).date()
    if kind == "date_range":
        first = times.day(setting.get("start_date", ""), "date_setting.start_date")
        last = times.day(setting.get("end_date", ""), "date_setting.end_date")
        if last < first:
            raise errors.invalid(("date_setting.start_date", "must be before end_date"))
        if last < today:
            raise errors.invalid(("date_setting.end_date", "must be in the future"))
        if last - first >= timedelta(days=365):
            raise errors.invalid(("date_setting.end_date", "must be less than 365 days from start_date"))
        return {"period_type": "fixed", "start_date": first.isoformat(), "end_date": last.isoformat()}
    if kind == "days_in_future":
        weekdays = setting.get("only_weekdays", False)
        period = "available_moving" if weekdays else "moving"
        return {"period_type": period, "max_booking_time": setting.get("days", 0) * 1440}
    return {"period_type": "spots", "spots": _spots(ctx, setting, duration)}


def _spots(ctx: Ctx, setting: DateSetting, duration: int) -> list[dict[str, str]]:
    made = list[dict[str, str]]()
    for number, spot in enumerate(setting.get("spots", [])):
        place = f"date_setting.spots[{number}]"
        start = times.instant(spot["start_time"], f"{place}.start_time")
        end = times.instant(spot["end_time"], f"{place}.end_time")
        if start <= ctx.now:
            raise errors.invalid((f"{place}.start_time", "must be in the future"))
        if end - start < timedelta(minutes=duration):
            raise errors.invalid((f"{place}.end_time", "must leave room for the duration"))
        made.append({"start_time": times.stamp(start), "end_time": times.stamp(end)})
    if not made:
        raise errors.invalid(("date_setting.spots", "must be filled"))
    return made
