"""Google Calendar as a calendar app: fill, view, verbs."""

import hashlib
from datetime import UTC, datetime
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call
from legoenv_mcp.capabilities.calendar import Attendee, Calendar, Calendars, Event, Response
from legoenv_mcp.capabilities.people import Person

from . import models, when
from .access import RANKS, me, role_of
from .entries import Book
from .seed import listed, marks, primary, share

_BASE32HEX = "0123456789abcdefghijklmnopqrstuv"
_RESPONSES: dict[Response, str] = {
    "needs_action": "needsAction", "accepted": "accepted", "declined": "declined", "tentative": "tentative"
}  # fmt: skip
_BACK: dict[str, Response] = {said: ours for ours, said in _RESPONSES.items()}


class GoogleCalendars(Calendars):
    """The calendars of an organisation as one of its users sees them. A user's own calendar has the user's address as its id.

    Calendars of the world that are not the agent's are shared with it: a colleague's own to read, a common one to write.
    """

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        if isinstance(entity, Person):
            return self._fill_person(ctx, entity)
        if isinstance(entity, Calendar):
            return self._fill_calendar(ctx, entity)
        if isinstance(entity, Event):
            return self._fill_event(ctx, entity)
        raise TypeError(f"Google Calendar has no {type(entity).__name__}")

    def _fill_person(self, ctx: Ctx, entity: Person) -> str:
        if ctx.db.get(models.Person, entity.email) is None:
            primary(ctx, entity, me(ctx).domain)
        return entity.email

    def _fill_calendar(self, ctx: Ctx, entity: Calendar) -> str:
        account = me(ctx)
        owner = ctx.ref(Person, entity.owner) if entity.owner else account.email
        shown = {"summary": entity.name, "description": entity.description, "timeZone": entity.time_zone}
        calendar = ctx.db.get(models.Calendar, owner) if entity.primary else None
        if calendar is not None:
            ctx.db.update(calendar, **shown, **marks(ctx))
        else:
            digest = hashlib.blake2b(f"calendar {entity.key or entity.name}".encode(), digest_size=32).hexdigest()
            calendar = ctx.db.add(
                models.Calendar(id=f"c_{digest}@group.calendar.google.com", owner=owner, **shown, **marks(ctx))
            )
            share(ctx, calendar, "user", owner, "owner")
        if owner != account.email:
            share(ctx, calendar, "user", account.email, "reader" if entity.primary else "writer")
        listed(ctx, calendar)
        return calendar.id

    def _fill_event(self, ctx: Ctx, entity: Event) -> str:
        calendar = ctx.db.get(models.Calendar, ctx.ref(Calendar, entity.calendar))
        assert calendar is not None
        organizer = entity.organizer or calendar.owner
        # On a common calendar the calendar itself organizes, and who is behind an event is its creator.
        home = {"email": organizer} if calendar.primary else {"email": calendar.id, "displayName": calendar.summary}
        created = (
            when.millis(datetime.fromisoformat(entity.created)) if entity.created else ctx.timestamp("milliseconds")
        )
        event_id = self._event_id(ctx, entity, home["email"], calendar.id)
        ctx.db.add(models.Event(
            calendar_id=calendar.id, id=event_id, status=entity.status, summary=entity.title, description=entity.description or None,
            location=entity.location or None, start=_stored(entity.start, entity.time_zone), end=_stored(entity.end, entity.time_zone),
            recurrence=list(entity.recurrence), creator={"email": organizer}, organizer=home,
            attendees=[_guest(a) for a in entity.attendees],
            transparency="opaque" if entity.busy else "transparent", iCalUID=f"{event_id}@google.com", created=created,
            updated=created, changed=ctx.sequence("change"),
        ))  # fmt: skip
        return event_id

    @staticmethod
    def _event_id(ctx: Ctx, entity: Event, organizer: str, calendar_id: str) -> str:
        """An id by content: what the calendars of its guests have alike is one event to them, with one id."""
        told = entity.model_dump_json(exclude={"key", "id", "calendar", "organizer", "busy"})
        for number in range(1000):
            value = int.from_bytes(hashlib.blake2b(f"{organizer} {told} {number}".encode(), digest_size=17).digest())
            event_id = "".join(_BASE32HEX[(value >> 5 * n) & 31] for n in range(26))
            if ctx.db.get(models.Event, (calendar_id, event_id)) is None:
                return event_id
        raise ValueError("the same event a thousand times")

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        if table == "person":
            return _person(ctx, row)
        if table == "calendar":
            return self._view_calendar(ctx, row)
        return self._view_event(ctx, row) if table == "event" else None

    @staticmethod
    def _view_calendar(ctx: Ctx, row: dict[str, Any]) -> Entity | None:
        """A calendar, if more is shared with the agent than when it is busy."""
        calendar = models.Calendar.of(row)
        if RANKS[role_of(ctx, calendar, me(ctx))] < RANKS["reader"]:
            return None
        return Calendar(
            id=row["id"], name=row["summary"], owner=row["owner"], primary=row["primary"], time_zone=row["timeZone"],
            description=row["description"],
        )  # fmt: skip

    @staticmethod
    def _view_event(ctx: Ctx, row: dict[str, Any]) -> Entity | None:
        calendar = ctx.db.get(models.Calendar, row["calendar_id"])
        if row["deleted"] or calendar is None:
            return None
        event = models.Event.of(dict(row))
        entry = Book(ctx, calendar, row["id"]).entry(event)
        if entry is None:
            return None
        v = entry.values
        start, end = v["start"], v["end"]
        behind = v["creator"] if v["organizer"].get("email") == calendar.id and not calendar.primary else v["organizer"]
        return Event(
            id=v["id"], calendar=calendar.id, title=v["summary"] or "", start=_told(start), end=_told(end),
            time_zone=start.get("timeZone") or "", organizer=behind.get("email", ""),
            attendees=tuple(
                Attendee(email=a["email"], response=_BACK[a.get("responseStatus", "needsAction")], optional=a.get("optional", False))
                for a in v["attendees"]
            ),
            location=v["location"] or "", description=v["description"] or "", recurrence=tuple(v["recurrence"]),
            busy=v["transparency"] == "opaque", status=v["status"], created=_seconds(v["created"]),
        )  # fmt: skip

    def list_calendars(self) -> Plan:
        yield call("list_calendars")

    def create_calendar(self, name: str, time_zone: str) -> Plan:
        yield call("create_calendar", summary=name, timeZone=time_zone)

    def list_events(self, calendar_id: str, start: str, end: str) -> Plan:
        yield call("list_events", calendarId=calendar_id, timeMin=_bound(start), timeMax=_bound(end))

    def get_event(self, calendar_id: str, event_id: str) -> Plan:
        yield call("get_event", calendarId=calendar_id, eventId=event_id)

    def create_event(self, calendar_id: str, title: str, start: str, end: str, attendees: tuple[str, ...] = ()) -> Plan:
        guests = {"attendees": list(attendees)} if attendees else {}
        yield call("create_event", calendarId=calendar_id, summary=title, start=start, end=end, **guests)

    def update_event(self, calendar_id: str, event_id: str, *, title: str = "", start: str = "", end: str = "") -> Plan:
        changes = {name: said for name, said in (("summary", title), ("start", start), ("end", end)) if said}
        yield call("update_event", calendarId=calendar_id, eventId=event_id, **changes)

    def delete_event(self, calendar_id: str, event_id: str) -> Plan:
        yield call("delete_event", calendarId=calendar_id, eventId=event_id)

    def respond_to_invite(self, calendar_id: str, event_id: str, response: Response) -> Plan:
        yield call("respond_to_event", calendarId=calendar_id, eventId=event_id, responseStatus=_RESPONSES[response])

    def find_busy_times(self, calendar_ids: tuple[str, ...], start: str, end: str) -> Plan:
        yield call("query_freebusy", calendarIds=list(calendar_ids), timeMin=_bound(start), timeMax=_bound(end))


def _person(ctx: Ctx, row: dict[str, Any]) -> Person:
    kept = dict(row["profile"])
    if kept.get("manager") and ctx.has_ref(Person, kept["manager"]):
        kept["manager"] = ctx.ref(Person, kept["manager"])
    named = {name: row[name] for name in ("email", "first_name", "last_name", "time_zone", "active")}
    return Person(id=row["email"], **named, **kept)


def _stored(text: str, zone: str) -> dict[str, str]:
    if "T" not in text:
        return {"date": text, **({"timeZone": zone} if zone else {})}
    moment = datetime.fromisoformat(text)
    return {
        "dateTime": (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat(),
        **({"timeZone": zone} if zone else {}),
    }


def _told(when_: dict[str, Any]) -> str:
    return when_.get("dateTime") or when_["date"]


def _bound(text: str) -> str:
    return text if "T" in text else f"{text}T00:00:00Z"


def _seconds(text: str) -> str:
    return datetime.fromisoformat(text).isoformat(timespec="seconds").replace("+00:00", "Z")


def _guest(attendee: Attendee) -> dict[str, Any]:
    said = {"email": attendee.email, "responseStatus": _RESPONSES[attendee.response]}
    return {**said, "optional": True} if attendee.optional else said


provides = {"calendar": GoogleCalendars()}
