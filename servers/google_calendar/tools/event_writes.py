"""Writing events. https://developers.google.com/workspace/calendar/api/v3/reference/events"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, ApiError, Ctx, Field, Payload, Query, Reply, ToolOnly

from .. import quick, schemas, writing
from ..access import writable
from ..app import CalendarId, app, check_match, not_found, refuse
from ..bodies import attendees as read_guests
from ..entries import Book, Entry
from ..models import Calendar, Event
from ..resources import Shower, event_etag
from ..schemas import answers
from ..toolwords import Guests, Reminder, body_of
from ..writing import SendUpdates

Body = Annotated[schemas.Event | None, Payload(mcp=False)]
Updates = Annotated[SendUpdates, Query()]
Legacy = Annotated[bool | None, Query(mcp=False)]
Version = Annotated[int, Field(ge=0, le=1), Query(mcp=False)]
Attachments = Annotated[bool | None, Query(mcp=False)]
Most = Annotated[int | None, Field(ge=1), Query(mcp=False)]
Words = Annotated[str | MISSING, ToolOnly()]
Lines = Annotated[list[str] | MISSING, ToolOnly()]
Yes = Annotated[bool | MISSING, ToolOnly()]
Status = Annotated[Literal["confirmed", "tentative", "cancelled"] | MISSING, ToolOnly()]
Visibility = Annotated[Literal["default", "public", "private"] | MISSING, ToolOnly()]
Transparency = Annotated[Literal["opaque", "transparent"] | MISSING, ToolOnly()]


def _shown(ctx: Ctx, calendar: Calendar, role: str, entry: Entry, most: int | None = None) -> dict[str, Any]:
    return Shower(ctx, role, calendar.timeZone, most).full(entry)


@app.post("/calendar/v3/calendars/{calendarId}/events", tool="create_event")
@answers("Event")
def create_event(
    ctx: Ctx, calendarId: CalendarId = "primary", resource: Body = None, summary: Words = MISSING, start: Words = MISSING,
    end: Words = MISSING, timeZone: Words = MISSING, description: Words = MISSING, location: Words = MISSING, attendees: Guests = MISSING,
    recurrence: Lines = MISSING, addGoogleMeet: Yes = MISSING, reminders: Annotated[list[Reminder] | MISSING, ToolOnly()] = MISSING,
    visibility: Visibility = MISSING, transparency: Transparency = MISSING, colorId: Words = MISSING, guestsCanModify: Yes = MISSING,
    guestsCanInviteOthers: Yes = MISSING, guestsCanSeeOtherGuests: Yes = MISSING, sendUpdates: Updates = None,
    sendNotifications: Legacy = None, conferenceDataVersion: Version = 0, eventLabelVersion: Version = 0,
    maxAttendees: Most = None, supportsAttachments: Attachments = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates an event; start and end are needed. Guests are invited by address, and get mail only if sendUpdates asks for it.

    calendarId: The calendar's id, or `primary` for one's own.
    summary: The title.
    start: When it begins: an RFC 3339 time with its offset, a local time (2026-03-03T14:00:00), or a day for whole-day events.
    end: When it ends, in the same form; for whole-day events the day after the last.
    timeZone: The IANA time zone of local times, and of recurrences; the calendar's own by default.
    description: What it is about.
    location: Where it is.
    attendees: The addresses of the guests; rooms are invited by the address of their calendar.
    recurrence: RFC 5545 lines, as RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=10 or EXDATE;TZID=Europe/London:20260309T093000.
    addGoogleMeet: Whether it gets a Google Meet conference.
    reminders: Its own reminders in place of the calendar's, at most 5.
    visibility: private shows others only that there is something; default is the calendar's.
    transparency: transparent does not block time; opaque, the default, does.
    colorId: A colour of the event palette, 1 to 11.
    guestsCanModify: Whether guests may change it; false by default.
    guestsCanInviteOthers: Whether guests may invite others; true by default.
    guestsCanSeeOtherGuests: Whether guests see each other; true by default.
    sendUpdates: Which guests get a mail: all, externalOnly or none (the default).
    """
    calendar, role = writable(ctx, calendarId)
    body = resource.sent() if resource is not None else body_of(ctx, calendar.timeZone, None)
    tool = not ctx.request.method
    entry = writing.create(
        ctx, calendar, body, conferences=tool or conferenceDataVersion > 0, attachments=bool(supportsAttachments),
        labels=eventLabelVersion > 0,
    )  # fmt: skip
    writing.notify(ctx, entry, "invitation", sendUpdates, sendNotifications)
    return _shown(ctx, calendar, role, entry, maxAttendees)


@app.patch("/calendar/v3/calendars/{calendarId}/events/{eventId}", tool="update_event")
@answers("Event")
def update_event(
    ctx: Ctx, eventId: str, calendarId: CalendarId = "primary", resource: Body = None, summary: Words = MISSING, start: Words = MISSING,
    end: Words = MISSING, timeZone: Words = MISSING, description: Words = MISSING, location: Words = MISSING, attendees: Guests = MISSING,
    addAttendees: Lines = MISSING, removeAttendees: Lines = MISSING, recurrence: Lines = MISSING, addGoogleMeet: Yes = MISSING,
    reminders: Annotated[list[Reminder] | MISSING, ToolOnly()] = MISSING, visibility: Visibility = MISSING,
    transparency: Transparency = MISSING, colorId: Words = MISSING, guestsCanModify: Yes = MISSING, guestsCanInviteOthers: Yes = MISSING,
    guestsCanSeeOtherGuests: Yes = MISSING, status: Status = MISSING,
    sendUpdates: Updates = None, sendNotifications: Legacy = None, conferenceDataVersion: Version = 0, eventLabelVersion: Version = 0,
    maxAttendees: Most = None, supportsAttachments: Attachments = None, alwaysIncludeEmail: Legacy = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields that are sent. The id of one occurrence changes that occurrence alone, the id of the series all of them; for this
    and the following ones, end the series with UNTIL in its rule and create another. A new start without an end keeps the length. What
    guests share only the organizer may change, unless guests are allowed to.

    eventId: The event's id, or that of one occurrence.
    calendarId: The calendar's id, or `primary` for one's own.
    summary: The title.
    start: When it begins: an RFC 3339 time with its offset, a local time, or a day for whole-day events.
    end: When it ends, in the same form; for whole-day events the day after the last.
    timeZone: The IANA time zone of local times; the event's own by default. Alone it keeps the moment and changes the clock it is told on.
    description: What it is about; empty to have none.
    location: Where it is; empty to have none.
    attendees: The addresses of all guests, in place of those it has; who stays keeps the answer given.
    addAttendees: Addresses of guests to add.
    removeAttendees: Addresses of guests to take off.
    recurrence: RFC 5545 lines in place of those it has; empty to make it a single event.
    addGoogleMeet: true adds a Google Meet conference, false takes the conference off.
    reminders: Its own reminders in place of the calendar's; empty for none.
    visibility: private shows others only that there is something.
    transparency: transparent does not block time, opaque does.
    colorId: A colour of the event palette, 1 to 11.
    guestsCanModify: Whether guests may change it.
    guestsCanInviteOthers: Whether guests may invite others.
    guestsCanSeeOtherGuests: Whether guests see each other.
    status: confirmed or tentative; cancelled is a deletion, and confirmed takes one back.
    sendUpdates: Which guests get a mail: all, externalOnly or none (the default).
    """
    calendar, role, entry = _to_change(ctx, calendarId, eventId)
    tool = not ctx.request.method
    body = resource.sent() if resource is not None else body_of(ctx, calendar.timeZone, entry) if tool else {}
    entry = writing.change(
        ctx, entry, body, whole=False, conferences=tool or conferenceDataVersion > 0, attachments=bool(supportsAttachments),
        labels=eventLabelVersion > 0,
    )  # fmt: skip
    writing.notify(ctx, entry, "update", sendUpdates, sendNotifications)
    return _shown(ctx, calendar, role, entry, maxAttendees)


def _to_change(ctx: Ctx, calendar_id: str, event_id: str) -> tuple[Calendar, str, Entry]:
    calendar, role = writable(ctx, calendar_id)
    entry = writing.require_event(ctx, calendar, event_id)
    writing.check_private(entry, role)
    check_match(ctx, event_etag(entry))
    return calendar, role, entry


@app.put("/calendar/v3/calendars/{calendarId}/events/{eventId}", tool="replace_event", mcp=False)
@answers("Event")
def replace_event(
    ctx: Ctx, eventId: str, calendarId: CalendarId, resource: Body = None, sendUpdates: Updates = None,
    sendNotifications: Legacy = None, conferenceDataVersion: Version = 0, eventLabelVersion: Version = 0,
    maxAttendees: Most = None, supportsAttachments: Attachments = None, alwaysIncludeEmail: Legacy = None,
) -> dict[str, Any]:  # fmt: skip
    """Writes the whole event anew: what is left out is back at its default."""
    calendar, role, entry = _to_change(ctx, calendarId, eventId)
    entry = writing.change(
        ctx, entry, resource.sent() if resource else {}, whole=True, conferences=conferenceDataVersion > 0,
        attachments=bool(supportsAttachments), labels=eventLabelVersion > 0,
    )  # fmt: skip
    writing.notify(ctx, entry, "update", sendUpdates, sendNotifications)
    return _shown(ctx, calendar, role, entry, maxAttendees)


@app.delete("/calendar/v3/calendars/{calendarId}/events/{eventId}", tool="delete_event", status=204)
def delete_event(
    ctx: Ctx,
    eventId: str,
    calendarId: CalendarId = "primary",
    sendUpdates: Updates = None,
    sendNotifications: Legacy = None,
) -> Reply:
    """Deletes an event, with all occurrences of a recurring one; the id of one occurrence cancels that one alone. The organizer's deletion
    cancels it for every guest; a guest's takes it off the guest's calendar.

    eventId: The event's id, or that of one occurrence.
    calendarId: The calendar's id, or `primary` for one's own.
    sendUpdates: Which guests get a mail: all, externalOnly or none (the default).
    """
    _, _, entry = _to_change(ctx, calendarId, eventId)
    writing.remove(ctx, entry)
    writing.notify(ctx, entry, "cancellation" if entry.organizes else "response", sendUpdates, sendNotifications)
    return Reply(None, 204)


@app.post("", tool="respond_to_event", effect="update")
@answers("Event")
def respond_to_event(
    ctx: Ctx, eventId: str, responseStatus: Literal["accepted", "declined", "tentative", "needsAction"], calendarId: CalendarId = "primary",
    comment: str | None = None, sendUpdates: SendUpdates = None,
) -> dict[str, Any]:  # fmt: skip
    """Answers an invitation. The id of one occurrence of a recurring event answers for that one alone.

    eventId: The event's id, or that of one occurrence.
    responseStatus: The answer.
    calendarId: The calendar whose invitation it is; one's own by default.
    comment: A note to the organizer.
    sendUpdates: Whether the organizer gets a mail: all or none (the default).
    """
    calendar, role, entry = _to_change(ctx, calendarId, eventId)
    if entry.cancelled:
        raise writing.deleted()
    entry = writing.respond(ctx, entry, responseStatus, comment)
    writing.notify(ctx, entry, "response", sendUpdates, None)
    return _shown(ctx, calendar, role, entry)


@app.post(
    "/calendar/v3/calendars/{calendarId}/events/{eventId}/move", tool="move_event", effect="update", idempotent=False
)
@answers("Event")
def move_event(
    ctx: Ctx, eventId: str, destination: Annotated[str, Query()], calendarId: CalendarId = "primary", sendUpdates: Updates = None,
    sendNotifications: Legacy = None,
) -> dict[str, Any]:  # fmt: skip
    """Moves an event to another calendar, which becomes its organizer. Only an event that its calendar organizes can be moved.

    eventId: The event's id.
    destination: The id of the calendar to move it to.
    calendarId: The calendar where it is now; one's own by default.
    sendUpdates: Which guests get a mail: all, externalOnly or none (the default).
    """
    _, _, entry = _to_change(ctx, calendarId, eventId)
    to, role = writable(ctx, destination)
    moved = writing.move(ctx, entry, to)
    writing.notify(ctx, moved, "organizerChange", sendUpdates, sendNotifications)
    return _shown(ctx, to, role, moved)


@app.post("/calendar/v3/calendars/{calendarId}/events/import", tool="import_event", mcp=False)
@answers("Event")
def import_event(
    ctx: Ctx, calendarId: CalendarId, resource: Body = None, conferenceDataVersion: Version = 0, eventLabelVersion: Version = 0,
    supportsAttachments: Attachments = None,
) -> dict[str, Any]:  # fmt: skip
    """Adds a private copy of an event from elsewhere, or renews the one with the same iCalendar id."""
    calendar, role = writable(ctx, calendarId)
    body = resource.sent() if resource else {}
    uid = body.get("iCalUID")
    if not uid:
        raise refuse("Missing iCalUID.", "required")
    if (body.get("eventType") or "default") != "default":
        raise refuse("Only events of the default type can be imported.", "eventTypeRestriction", domain="calendar")
    organizer = (body.get("organizer") or {}).get("email") or calendar.id
    guests = [a["email"].lower() for a in read_guests(body.get("attendees") or [], [])]
    if organizer.lower() != calendar.id.lower() and calendar.id.lower() not in guests:
        raise ApiError(
            400, "The owner of the calendar must either be the organizer or an attendee of an event that is imported.",
            reason="participantIsNeitherOrganizerNorAttendee", domain="calendar",
        )  # fmt: skip
    options = {
        "conferences": conferenceDataVersion > 0, "attachments": bool(supportsAttachments), "labels": eventLabelVersion > 0
    }  # fmt: skip
    known = ctx.db.first(Event, calendar_id=calendar.id, iCalUID=uid, recurringEventId__null=True)
    if known is not None:
        found = Book(ctx, calendar, known.id).find(known.id)
        if found is None:
            raise not_found()
        return _shown(ctx, calendar, role, writing.renew(ctx, found, body, **options))
    named = (body.get("organizer") or {}).get("displayName")
    extra = (
        {"organizer": {"email": organizer, **({"displayName": named} if named else {})}}
        if organizer != calendar.id
        else {}
    )
    body = {k: v for k, v in body.items() if k != "id"}
    return _shown(ctx, calendar, role, writing.create(ctx, calendar, body, **options, extra=extra))


@app.post("/calendar/v3/calendars/{calendarId}/events/quickAdd", tool="quick_add_event")
@answers("Event")
def quick_add_event(
    ctx: Ctx, text: Annotated[str, Query()], calendarId: CalendarId = "primary", sendUpdates: Updates = None,
    sendNotifications: Legacy = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates an event from a line of English, as `Lunch with Sam tomorrow 12:30pm-1:30pm`. To be exact, use create_event.

    text: The line: what, and when.
    calendarId: The calendar's id, or `primary` for one's own.
    sendUpdates: Which guests get a mail: all, externalOnly or none (the default).
    """
    calendar, role = writable(ctx, calendarId)
    if not text.strip():
        raise refuse("Missing event text.", "required")
    entry = writing.create(ctx, calendar, quick.read(ctx, text, calendar.timeZone))
    writing.notify(ctx, entry, "invitation", sendUpdates, sendNotifications)
    return _shown(ctx, calendar, role, entry)
