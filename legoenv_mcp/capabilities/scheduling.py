"""Scheduling: kinds of meetings that others can book, and the bookings."""

from abc import abstractmethod
from typing import ClassVar, Literal

from legoenv_mcp.capabilities.base import Capability, Entity, Plan, lacks
from legoenv_mcp.capabilities.people import Person


class MeetingType(Entity):
    """A kind of meeting. `host` is a Person's key; hours are local to the host, as `09:00-17:00` on working days."""

    name: str
    slug: str
    host: str
    minutes: int = 30
    hours: str = "09:00-17:00"
    location: str = ""
    active: bool = True
    description: str = ""


class Booking(Entity):
    """A booked meeting. `start` is RFC 3339 UTC."""

    meeting_type: str
    invitee_name: str
    invitee_email: str
    start: str
    status: Literal["active", "canceled"] = "active"
    reason: str = ""
    no_show: bool = False
    note: str = ""
    created: str = ""


class Scheduling(Capability):
    name = "scheduling"
    entities: ClassVar[tuple[type[Entity], ...]] = (Person, MeetingType, Booking)

    @abstractmethod
    def list_event_types(self) -> Plan: ...
    @abstractmethod
    def list_open_times(self, meeting_type_id: str, start: str, end: str) -> Plan: ...
    @abstractmethod
    def list_bookings(self) -> Plan: ...
    @abstractmethod
    def get_booking(self, booking_id: str) -> Plan: ...
    @abstractmethod
    def create_booking(self, meeting_type_id: str, start: str, name: str, email: str) -> Plan: ...
    @abstractmethod
    def cancel_booking(self, booking_id: str, reason: str) -> Plan: ...
    def reschedule_booking(self, booking_id: str, start: str) -> Plan:
        return lacks(self, "reschedule_booking")

    def mark_no_show(self, booking_id: str) -> Plan:
        return lacks(self, "mark_no_show")
