"""Free and busy times. https://developers.google.com/workspace/calendar/api/v3/reference/freebusy"""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Ctx, Field, Payload, ToolOnly

from .. import busy, listing, schemas, when
from ..access import find, require
from ..app import app, bad_parameter, refuse
from ..bodies import empty_range
from ..models import Calendar
from ..schemas import answers

Body = Annotated[schemas.FreeBusyRequest | None, Payload(mcp=False)]
Words = Annotated[str | MISSING, ToolOnly()]
_MOST, _LONGEST = 50, timedelta(days=366)


def _range(time_min: str | None, time_max: str | None) -> tuple[datetime, datetime]:
    for name, text in (("timeMin", time_min), ("timeMax", time_max)):
        if not text:
            raise refuse(f"Missing {name} parameter.", "required")
    begin, end = listing.bound("timeMin", time_min), listing.bound("timeMax", time_max)
    assert begin is not None
    assert end is not None
    if end <= begin:
        raise empty_range()
    if end - begin > _LONGEST:
        raise refuse("The requested time range is too long.", "timeRangeTooLong", domain="calendar")
    return begin, end


@app.post("/calendar/v3/freeBusy", tool="query_freebusy", effect="read")
@answers("FreeBusyResponse")
def query_freebusy(
    ctx: Ctx, resource: Body = None, timeMin: Words = MISSING, timeMax: Words = MISSING,
    calendarIds: Annotated[list[str] | MISSING, ToolOnly()] = MISSING, timeZone: Words = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Tells when calendars are busy, without what they are busy with; timeMin and timeMax are needed. Events that are declined or do not
    block time are left out, tentative ones count. Colleagues' calendars are asked for by their address.

    timeMin: The start of the time looked at, RFC 3339 with its offset, as 2026-03-02T00:00:00Z.
    timeMax: The end of the time looked at, RFC 3339 with its offset.
    calendarIds: The ids of the calendars, at most 50: addresses, or `primary` for one's own, which is the default.
    timeZone: The IANA time zone to give times in; UTC by default.
    """
    said = {name: value for name, value in ctx.sent().items() if value is not MISSING and name != "resource"}
    body = resource.sent() if resource else {**said, "items": [{"id": i} for i in said.get("calendarIds", ["primary"])]}
    begin, end = _range(body.get("timeMin"), body.get("timeMax"))
    zone = listing.zone_name("timeZone", body.get("timeZone"), "UTC")
    most = _MOST if body.get("calendarExpansionMax") is None else min(body["calendarExpansionMax"], _MOST)
    wanted = list(dict.fromkeys(item.get("id") or "" for item in body.get("items") or []))
    if len(wanted) > most:
        raise refuse("Too many calendars requested.", "tooManyCalendarsRequested", domain="calendar")
    own = when.zone(zone) or UTC
    calendars: dict[str, Any] = {}
    for calendar_id in wanted:
        found = find(ctx, calendar_id)
        if found is None:
            calendars[calendar_id] = {"errors": [{"domain": "global", "reason": "notFound"}], "busy": []}
            continue
        calendars[calendar_id] = {"busy": [_span(s, own) for s in busy.spans(ctx, found[0], begin, end)]}
    return {
        "kind": "calendar#freeBusy",
        "timeMin": when.millis(begin),
        "timeMax": when.millis(end),
        "calendars": calendars,
    }


def _span(span: busy.Span, zone: Any) -> dict[str, str]:
    return {"start": when.stamp(span[0].astimezone(zone)), "end": when.stamp(span[1].astimezone(zone))}


@app.get("", tool="suggest_time")
def suggest_time(
    ctx: Ctx, attendees: list[str], timeMin: str, timeMax: str, durationMinutes: Annotated[int, Field(ge=5, le=1440)] = 30,
    timeZone: str | None = None, startHour: Annotated[int, Field(ge=0, le=23)] = 9, endHour: Annotated[int, Field(ge=1, le=24)] = 17,
    includeWeekends: bool = False, maxResults: Annotated[int, Field(ge=1, le=50)] = 5,
) -> dict[str, Any]:  # fmt: skip
    """Finds times at which all of these calendars are free, within the hours of the working day. Rooms count as well as people.

    attendees: The ids of the calendars: addresses of people, `primary` for one's own, addresses of rooms.
    timeMin: The start of the time looked at, RFC 3339 with its offset.
    timeMax: The end of the time looked at, RFC 3339 with its offset.
    durationMinutes: How long the time must be.
    timeZone: The IANA time zone of the working hours; that of one's own calendar by default.
    startHour: The hour at which the day begins.
    endHour: The hour at which the day ends.
    includeWeekends: Whether Saturdays and Sundays count.
    maxResults: How many free times to give.
    """
    begin, end = _range(timeMin, timeMax)
    if endHour <= startHour:
        raise bad_parameter("endHour", "The day must end after it begins.", "invalid")
    if not attendees:
        raise bad_parameter(
            "attendees", "Missing attendees.", "required", hint="name at least one calendar, as `primary`."
        )
    if len(attendees) > _MOST:
        raise refuse("Too many calendars requested.", "tooManyCalendarsRequested", domain="calendar")
    zone = listing.zone_name("timeZone", timeZone, require(ctx, "primary")[0].timeZone)
    calendars = list[Calendar]()
    unknown = list[str]()
    for one in dict.fromkeys(attendees):
        found = find(ctx, one)
        if found is None:
            unknown.append(one)
        else:
            calendars.append(found[0])
    taken = busy.joined([s for c in calendars for s in busy.spans(ctx, c, begin, end)])
    free = busy.gaps(
        taken, begin, end, timedelta(minutes=durationMinutes), zone, (startHour, endHour), includeWeekends, maxResults
    )
    own = when.zone(zone) or UTC
    out: dict[str, Any] = {"timeZone": zone, "freeTimes": [_span(s, own) for s in free]}
    return {**out, "unknownCalendars": unknown} if unknown else out
