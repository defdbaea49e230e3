"""Scheduling on Calendly: the world's people, kinds of meetings and bookings as rows and back, and what one does with them.

An entity's id is its URI. A meeting's place becomes a location kind: "Video" Google Meet, "Phone" a call to the host, other text a
place. A booking's note is the answer to the question that Calendly puts into every event type.
"""

from datetime import timedelta
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call, scheduling
from legoenv_mcp.capabilities.people import Person

from . import times, uris
from .availability import DEFAULT_RULES, default_schedule
from .booking import QUESTION, shown_location
from .inputs import TRACKING
from .models import (
    AvailabilitySchedule,
    EventType,
    Group,
    GroupRelationship,
    Invitee,
    Membership,
    NoShow,
    Organization,
    ScheduledEvent,
    User,
)
from .seed import SINCE

NOTE = str(QUESTION["name"])


def _stamp(ctx: Ctx, text: str) -> str:
    return times.stamp(ctx.parse_time(text) if text else ctx.now)


class CalendlyScheduling(scheduling.Scheduling):
    """Fill, view and verbs."""

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        if isinstance(entity, Person):
            return self._fill_person(ctx, entity)
        if isinstance(entity, scheduling.MeetingType):
            return self._fill_type(ctx, entity)
        assert isinstance(entity, scheduling.Booking)
        return self._fill_booking(ctx, entity)

    def _fill_person(self, ctx: Ctx, person: Person) -> str:
        since = f"{person.start_date}T09:00:00.000000Z" if person.start_date else SINCE
        dated: dict[str, Any] = {"created_at": since, "updated_at": since}
        zone = person.time_zone if times.zone(person.time_zone) else "UTC"
        user = ctx.db.add(User(
            uuid=ctx.uuid("user"), name=person.name, first_name=person.first_name, slug=person.handle, email=person.email.lower(),
            timezone=zone, phone=person.phone, **dated,
        ))  # fmt: skip
        ctx.db.add(AvailabilitySchedule(uuid=ctx.uuid("schedule"), user=user.uuid, timezone=zone, rules=DEFAULT_RULES))
        if person.active:
            self._join(ctx, person, user, dated)
        return uris.uri(User, user.uuid)

    def _join(self, ctx: Ctx, person: Person, user: User, dated: dict[str, Any]) -> None:
        """Makes a person a member of the organization and of a group for the department. The first administrator owns the account."""
        organization = ctx.db.first(Organization)
        assert organization is not None
        owned = ctx.db.count(Membership, role="owner") > 0
        runs = person.admin or person.key == ctx.agent
        role = ("admin" if owned or not person.admin else "owner") if runs else "user"
        member = ctx.db.add(
            Membership(uuid=ctx.uuid("membership"), user=user.uuid, organization=organization.uuid, role=role, **dated)
        )
        if person.department:
            group = ctx.db.first(Group, name=person.department) or ctx.db.add(
                Group(uuid=ctx.uuid("group"), organization=organization.uuid, name=person.department, created_at=SINCE, updated_at=SINCE)
            )  # fmt: skip
            ctx.db.add(
                GroupRelationship(uuid=ctx.uuid("relationship"), group=group.uuid, membership=member.uuid, **dated)
            )

    def _fill_type(self, ctx: Ctx, kind: scheduling.MeetingType) -> str:
        host = ctx.require(User, uris.tail(ctx.ref(Person, kind.host)))
        start, _, end = kind.hours.partition("-")
        own = None
        if kind.hours != "09:00-17:00":
            rules = [
                {**rule, "intervals": [{"from": start, "to": end}] if rule["intervals"] else []}
                for rule in DEFAULT_RULES
            ]
            own = {"timezone": host.timezone, "rules": rules}
        places = {
            "": None, "Video": {"kind": "google_conference"}, "Phone": {"kind": "inbound_call", "phone_number": host.phone},
        }  # fmt: skip
        place = places.get(kind.location, {"kind": "physical", "location": kind.location})
        row = ctx.db.add(EventType(
            uuid=ctx.uuid("event_type"), owner=host.uuid, name=kind.name, slug=kind.slug, active=kind.active, duration=kind.minutes,
            description=kind.description or None, locations=[place] if place else None, custom_questions=[QUESTION],
            position=ctx.db.count(EventType, owner=host.uuid), availability=own, created_at=host.created_at,
            updated_at=host.created_at,
        ))  # fmt: skip
        return uris.uri(EventType, row.uuid)

    def _fill_booking(self, ctx: Ctx, booking: scheduling.Booking) -> str:
        kind = ctx.require(EventType, uris.tail(ctx.ref(scheduling.MeetingType, booking.meeting_type)))
        start, made = ctx.parse_time(booking.start), _stamp(ctx, booking.created)
        end, uuid = start + timedelta(minutes=kind.duration), ctx.uuid("event")
        canceled = booking.status == "canceled"
        told = {
            "canceled_by": booking.invitee_name, "reason": booking.reason or None, "canceler_type": "invitee", "created_at": made,
        }  # fmt: skip
        cancellation = told if canceled else None
        place = kind.locations[0] if kind.locations else None
        ctx.db.add(ScheduledEvent(
            uuid=uuid, event_type=kind.uuid, hosts=[kind.owner], name=kind.name, status=booking.status, start_time=times.stamp(start),
            end_time=times.stamp(end), buffered_start_time=times.stamp(start), buffered_end_time=times.stamp(end),
            location=shown_location(place, uuid), cancellation=cancellation, created_at=made, updated_at=made,
        ))  # fmt: skip
        answers = [{"question": NOTE, "answer": booking.note, "position": 0}] if booking.note else []
        host = ctx.require(User, kind.owner)
        invitee = ctx.db.add(Invitee(
            uuid=ctx.uuid("invitee"), event=uuid, email=booking.invitee_email.lower(), name=booking.invitee_name,
            status=booking.status, timezone=host.timezone, questions_and_answers=answers, tracking=dict.fromkeys(TRACKING),
            cancellation=cancellation, created_at=made, updated_at=made,
        ))  # fmt: skip
        if booking.no_show:
            ctx.db.add(NoShow(uuid=ctx.uuid("no_show"), invitee=invitee.uuid, created_at=times.stamp(end)))
        return uris.uri(ScheduledEvent, uuid)

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        if table == "user":
            return self._view_person(ctx, row)
        if table == "eventtype":
            return self._view_type(ctx, row)
        return self._view_booking(ctx, row) if table == "scheduledevent" else None

    def _view_person(self, ctx: Ctx, row: dict[str, Any]) -> Person:
        member = ctx.db.first(Membership, user=row["uuid"])
        place = ctx.db.first(GroupRelationship, membership=member.uuid) if member else None
        first, name = row["first_name"], row["name"]
        return Person(
            id=uris.uri(User, row["uuid"]), first_name=first, last_name=name[len(first) + 1 :], email=row["email"], handle=row["slug"],
            title="", department=ctx.require(Group, place.group).name if place else "", phone=row["phone"],
            time_zone=row["timezone"], start_date=row["created_at"][:10], admin=member is not None and member.role != "user",
            active=member is not None,
        )  # fmt: skip

    def _view_type(self, ctx: Ctx, row: dict[str, Any]) -> scheduling.MeetingType | None:
        if row["deleted_at"]:
            return None
        own = row["availability"]
        rules: list[Any] = own["rules"] if own else default_schedule(ctx, row["owner"]).rules
        hours = next((f"{i['from']}-{i['to']}" for r in rules if r["type"] == "wday" for i in r["intervals"]), "")
        place: dict[str, Any] = (row["locations"] or [{}])[0]
        known = {"google_conference": "Video", "inbound_call": "Phone"}
        return scheduling.MeetingType(
            id=uris.uri(EventType, row["uuid"]), name=row["name"], slug=row["slug"] or "", host=uris.uri(User, row["owner"]),
            minutes=row["duration"], hours=hours, location=known.get(place.get("kind", ""), "") or place.get("location") or "",
            active=bool(row["active"]), description=row["description"] or "",
        )  # fmt: skip

    def _view_booking(self, ctx: Ctx, row: dict[str, Any]) -> scheduling.Booking | None:
        invitee = ctx.db.first(Invitee, event=row["uuid"])
        if invitee is None:
            return None
        told = row["cancellation"] or {}
        return scheduling.Booking(
            id=uris.uri(ScheduledEvent, row["uuid"]), meeting_type=uris.uri(EventType, row["event_type"]),
            invitee_name=invitee.name, invitee_email=invitee.email, start=times.short(times.moment(row["start_time"])),
            status=row["status"], reason=told.get("reason") or "",
            no_show=ctx.db.count(NoShow, invitee=invitee.uuid) > 0,
            note=next((a["answer"] for a in invitee.questions_and_answers if a["question"] == NOTE), ""),
            created=times.short(times.moment(row["created_at"])),
        )  # fmt: skip

    # Verbs

    def list_event_types(self) -> Plan:
        me = yield call("get_current_user")
        yield from _pages("list_event_types", organization=me["resource"]["current_organization"])

    def list_open_times(self, meeting_type_id: str, start: str, end: str) -> Plan:
        yield call("list_event_type_available_times", event_type=meeting_type_id, start_time=start, end_time=end)

    def list_bookings(self) -> Plan:
        me = yield call("get_current_user")
        yield from _pages("list_events", organization=me["resource"]["current_organization"])

    def get_booking(self, booking_id: str) -> Plan:
        yield call("get_event", uuid=booking_id)
        yield call("list_event_invitees", uuid=booking_id)

    def create_booking(self, meeting_type_id: str, start: str, name: str, email: str) -> Plan:
        host = yield call("get_event_type", uuid=meeting_type_id)
        owner = yield call("get_user", uuid=host["resource"]["profile"]["owner"])
        who = {"name": name, "email": email, "timezone": owner["resource"]["timezone"]}
        yield call("create_invitee", event_type=meeting_type_id, start_time=start, invitee=who)

    def cancel_booking(self, booking_id: str, reason: str) -> Plan:
        yield call("cancel_event", uuid=booking_id, reason=reason)

    def reschedule_booking(self, booking_id: str, start: str) -> Plan:
        """As Calendly has it for programs: the meeting is cancelled and booked anew."""
        event = yield call("get_event", uuid=booking_id)
        found = yield call("list_event_invitees", uuid=booking_id)
        invitee = found["collection"][0]
        who = {name: invitee[name] for name in ("name", "email", "timezone")}
        answers = (
            {"questions_and_answers": invitee["questions_and_answers"]} if "questions_and_answers" in invitee else {}
        )
        yield call("cancel_event", uuid=booking_id, reason="Rescheduled")
        yield call(
            "create_invitee", event_type=event["resource"]["event_type"], start_time=start, invitee=who, **answers
        )

    def mark_no_show(self, booking_id: str) -> Plan:
        found = yield call("list_event_invitees", uuid=booking_id)
        yield call("create_invitee_no_show", invitee=found["collection"][0]["uri"])


def _pages(tool: str, **arguments: Any) -> Plan:
    """All pages of a list."""
    reply = yield call(tool, **arguments)
    while token := reply["pagination"].get("next_page_token"):
        reply = yield call(tool, page_token=token, **arguments)


provides = {"scheduling": CalendlyScheduling()}
