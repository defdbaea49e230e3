"""Reading events. https://developers.google.com/workspace/calendar/api/v3/reference/events"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, Field, Query, ToolOnly

from .. import listing, when
from ..access import entry as list_entry
from ..access import require
from ..app import CalendarId, app, bad_parameter, not_found
from ..entries import Book, Entry
from ..models import Calendar
from ..resources import Shower, list_etag
from ..schemas import answers
from ..writing import require_event

Most = Annotated[int, Field(ge=1, le=2**31 - 1)] | None
Quiet = Annotated[bool | None, Query(mcp=False)]
EventType = Literal["birthday", "default", "focusTime", "fromGmail", "outOfOffice", "workingLocation"]
PAGE, PAGE_TOOL, PAGE_MOST = 250, 25, 2500


def head(ctx: Ctx, calendar: Calendar, role: str, zone: str, items: list[Entry]) -> dict[str, Any]:
    """What a list of events says of its calendar."""
    known = list_entry(ctx, calendar)
    updated = max([calendar.updated, *(e.values["updated"] for e in items)])
    out: dict[str, Any] = {
        "kind": "calendar#events",
        "etag": list_etag(calendar.id, updated, len(items)),
        "summary": calendar.summary,
    }
    if calendar.description:
        out["description"] = calendar.description
    reminders = known.defaultReminders if known else []
    return {**out, "updated": updated, "timeZone": zone, "accessRole": role, "defaultReminders": reminders}


def brief(ctx: Ctx, whole: dict[str, Any]) -> dict[str, Any]:
    """The same for agents, who need the items."""
    if ctx.request.method:
        return whole
    return {
        name: whole[name] for name in ("summary", "timeZone", "accessRole", "nextPageToken", "items") if name in whole
    }


@app.get("/calendar/v3/calendars/{calendarId}/events", tool="list_events")
@answers("Events")
def list_events(
    ctx: Ctx, calendarId: CalendarId = "primary", timeMin: str | None = None, timeMax: str | None = None, q: str | None = None,
    singleEvents: bool | None = None, orderBy: Literal["startTime", "updated"] | None = None, maxResults: Most = None,
    pageToken: str | None = None, timeZone: str | None = None, showDeleted: bool | None = None, updatedMin: str | None = None,
    eventTypes: list[EventType] | None = None, iCalUID: str | None = None, privateExtendedProperty: list[str] | None = None,
    sharedExtendedProperty: list[str] | None = None, syncToken: Annotated[str | None, Query(mcp=False)] = None,
    maxAttendees: Annotated[Most, Query(mcp=False)] = None, alwaysIncludeEmail: Quiet = None, showHiddenInvitations: Quiet = None,
    details: Annotated[bool, ToolOnly()] = False,
) -> dict[str, Any]:  # fmt: skip
    """Lists the events of a calendar in order of their start, recurring ones as their single occurrences. Without any bound or query it
    begins now. Events that only show as busy have no summary.

    calendarId: The calendar's id, or `primary` for one's own.
    timeMin: Only events that end after this RFC 3339 time with its offset, as 2026-03-02T00:00:00Z.
    timeMax: Only events that begin before this RFC 3339 time with its offset.
    q: Words that title, description, place, guests or organizer must have, all of them.
    singleEvents: Whether recurring events are given as occurrences (the default here) or as series with their rule.
    orderBy: startTime, which needs single events (the default here), or updated.
    maxResults: How many to list (25 by default).
    pageToken: The nextPageToken of the page before.
    timeZone: The IANA time zone to give times in; the calendar's own by default.
    showDeleted: Whether deleted events are listed too, with the status cancelled.
    updatedMin: Only events changed since this RFC 3339 time, deleted ones too.
    eventTypes: Only events of these types.
    iCalUID: Only the event with this iCalendar id.
    privateExtendedProperty: Only events with these private properties, each `name=value`.
    sharedExtendedProperty: Only events with these shared properties, each `name=value`.
    details: Whether each event is given whole rather than in short.
    """
    calendar, role = require(ctx, calendarId)
    tool = not ctx.request.method
    restricted = {
        "timeMin": timeMin, "timeMax": timeMax, "q": q, "orderBy": orderBy, "updatedMin": updatedMin, "iCalUID": iCalUID,
        "privateExtendedProperty": privateExtendedProperty, "sharedExtendedProperty": sharedExtendedProperty,
    }  # fmt: skip
    if syncToken is not None:
        for name, value in restricted.items():
            if value:
                raise bad_parameter(
                    name, f"The parameter {name} cannot be used together with a sync token.", "badRequest"
                )
        if showDeleted is False:
            raise bad_parameter(
                "showDeleted", "Deleted events cannot be left out together with a sync token.", "badRequest"
            )
    single = tool if singleEvents is None else singleEvents
    if orderBy == "startTime" and not single:
        raise bad_parameter("orderBy", "The requested ordering is not available for the particular query.", "invalid")
    order = orderBy or ("startTime" if tool and single else None)
    zone = listing.zone_name("timeZone", timeZone, calendar.timeZone)
    begin, end = listing.bound("timeMin", timeMin), listing.bound("timeMax", timeMax)
    if tool and not any(restricted.values()):
        begin = ctx.now
    scope = listing.scope_of("events", calendar.id, single, eventTypes)
    shower = Shower(ctx, role, zone, maxAttendees)
    wanted = listing.Filter(
        ctx, shower.names, q=q, ical=iCalUID, types=list(eventTypes or []), private=privateExtendedProperty,
        shared=sharedExtendedProperty, updated=listing.bound("updatedMin", updatedMin), known=listing.since(ctx, syncToken, scope),
    )  # fmt: skip
    limit = min(maxResults or (PAGE_TOOL if tool else PAGE), PAGE_MOST)
    items = listing.events(
        Book(ctx, calendar), wanted, lambda e: not shower.hidden(e), begin, end, single=single, show_deleted=bool(showDeleted),
        order=order, most=listing.reach(limit, pageToken, scope),
    )  # fmt: skip
    show = shower.short if tool and not details else shower.full
    syncs = not any(v for k, v in restricted.items() if k not in ("timeMin", "timeMax"))
    made = listing.page(ctx, items, limit, pageToken, scope, show, syncs=syncs)
    return brief(ctx, {**head(ctx, calendar, role, zone, items), **made})


@app.get("/calendar/v3/calendars/{calendarId}/events/{eventId}", tool="get_event")
@answers("Event")
def get_event(
    ctx: Ctx, eventId: str, calendarId: CalendarId = "primary", timeZone: str | None = None,
    maxAttendees: Annotated[Most, Query(mcp=False)] = None, alwaysIncludeEmail: Quiet = None,
) -> dict[str, Any]:  # fmt: skip
    """Gets an event whole: guests with their answers, recurrence, reminders, conference. A deleted one has the status cancelled.

    eventId: The event's id; that of an occurrence of a recurring event ends with its original start.
    calendarId: The calendar's id, or `primary` for one's own.
    timeZone: The IANA time zone to give times in; the calendar's own by default.
    """
    calendar, role = require(ctx, calendarId)
    zone = listing.zone_name("timeZone", timeZone, calendar.timeZone)
    return Shower(ctx, role, zone, maxAttendees).full(require_event(ctx, calendar, eventId))


@app.get("/calendar/v3/calendars/{calendarId}/events/{eventId}/instances", tool="list_event_instances")
@answers("Events")
def list_event_instances(
    ctx: Ctx, eventId: str, calendarId: CalendarId = "primary", timeMin: str | None = None, timeMax: str | None = None,
    originalStart: str | None = None, showDeleted: bool | None = None, maxResults: Most = None, pageToken: str | None = None,
    timeZone: str | None = None, maxAttendees: Annotated[Most, Query(mcp=False)] = None, alwaysIncludeEmail: Quiet = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the occurrences of a recurring event with their ids, to look at, change or cancel single ones.

    eventId: The id of the recurring event.
    calendarId: The calendar's id, or `primary` for one's own.
    timeMin: Only occurrences that end after this RFC 3339 time with its offset.
    timeMax: Only occurrences that begin before this RFC 3339 time with its offset.
    originalStart: Only the occurrence that by its rule begins then.
    showDeleted: Whether cancelled occurrences are listed too.
    maxResults: How many to list (25 by default).
    pageToken: The nextPageToken of the page before.
    timeZone: The IANA time zone to give times in; the calendar's own by default.
    """
    calendar, role = require(ctx, calendarId)
    zone = listing.zone_name("timeZone", timeZone, calendar.timeZone)
    begin, end = listing.bound("timeMin", timeMin), listing.bound("timeMax", timeMax)
    if begin is not None and end is not None and end <= begin:
        raise listing.empty_range("timeMax")
    book = Book(ctx, calendar, eventId)
    series = book.find(eventId)
    if series is None:
        raise not_found()
    items = (
        [series]
        if not series.values["recurrence"]
        else list(book.occurrences(series, begin, end, cancelled=bool(showDeleted)))
    )
    if not series.values["recurrence"]:
        items = [e for e in items if (showDeleted or not e.cancelled) and listing.within(e, begin, end)]
    if originalStart is not None:
        items = [e for e in items if _begins(e, originalStart)]
    items.sort(key=lambda e: (e.begins, e.id))
    tool = not ctx.request.method
    shower = Shower(ctx, role, zone, maxAttendees)
    limit = min(maxResults or (PAGE_TOOL if tool else PAGE), PAGE_MOST)
    scope = listing.scope_of("instances", calendar.id, eventId)
    made = listing.page(ctx, items, limit, pageToken, scope, shower.short if tool else shower.full, syncs=False)
    return brief(ctx, {**head(ctx, calendar, role, zone, items), **made})


def _begins(entry: Entry, text: str) -> bool:
    """Whether an occurrence's original start is this day or time."""
    original = entry.values["originalStartTime"]
    if original is None:
        return False
    if when.whole(original):
        return original["date"] == text[:10]
    moment = when.read_time(text)
    if moment is None or moment.tzinfo is None:
        raise bad_parameter("originalStart")
    return when.instant(original, entry.calendar.timeZone) == moment
