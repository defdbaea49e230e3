"""Calendars: events with attendees, recurrence and free/busy times."""

from abc import abstractmethod
from typing import ClassVar, Literal

from pydantic import BaseModel

from legoenv_mcp.capabilities.base import Capability, Entity, Plan
from legoenv_mcp.capabilities.people import Person

Response = Literal["accepted", "declined", "tentative", "needs_action"]


class Attendee(BaseModel, frozen=True, extra="forbid"):
    """Who is invited, by address, and what they answered."""

    email: str
    response: Response = "needs_action"
    optional: bool = False


class Calendar(Entity):
    """A calendar. `owner` is a Person's key; the agent sees its own primary calendar and those shared with it."""

    name: str
    owner: str = ""
    primary: bool = False
    time_zone: str = "UTC"
    description: str = ""


class Event(Entity):
    """An event. `start` and `end` are RFC 3339 with an offset, or ISO days for a whole day (`end` exclusive).

    `recurrence` holds RFC 5545 lines (RRULE, EXDATE) in the event's `time_zone`; `organizer` is an address.
    """

    calendar: str
    title: str
    start: str
    end: str
    time_zone: str = ""
    organizer: str = ""
    attendees: tuple[Attendee, ...] = ()
    location: str = ""
    description: str = ""
    recurrence: tuple[str, ...] = ()
    busy: bool = True
    status: Literal["confirmed", "tentative", "cancelled"] = "confirmed"
    created: str = ""


class Calendars(Capability):
    name = "calendar"
    entities: ClassVar[tuple[type[Entity], ...]] = (Person, Calendar, Event)

    @abstractmethod
    def list_calendars(self) -> Plan: ...
    @abstractmethod
    def create_calendar(self, name: str, time_zone: str) -> Plan: ...
    @abstractmethod
    def list_events(self, calendar_id: str, start: str, end: str) -> Plan: ...
    @abstractmethod
    def get_event(self, calendar_id: str, event_id: str) -> Plan: ...
    @abstractmethod
    def create_event(
        self, calendar_id: str, title: str, start: str, end: str, attendees: tuple[str, ...] = ()
    ) -> Plan: ...
    @abstractmethod
    def update_event(
        self, calendar_id: str, event_id: str, *, title: str = "", start: str = "", end: str = ""
    ) -> Plan: ...
    @abstractmethod
    def delete_event(self, calendar_id: str, event_id: str) -> Plan: ...
    @abstractmethod
    def respond_to_invite(self, calendar_id: str, event_id: str, response: Response) -> Plan: ...
    @abstractmethod
    def find_busy_times(self, calendar_ids: tuple[str, ...], start: str, end: str) -> Plan: ...
