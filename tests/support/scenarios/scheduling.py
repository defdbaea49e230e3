"""The verbs of scheduling."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from legoenv_mcp.capabilities import scheduling
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.verify.matchers import matches
from tests.support.scenarios.stage import Stage


def _open(s: Stage, kind: scheduling.MeetingType, hour: int, days: int) -> str:
    """An hour of the host's day, some working days on, at which the world's bookings leave the host free."""
    host = s.first(Person, lambda p: p.key == kind.host)
    zone, day = ZoneInfo(host.time_zone), datetime.fromisoformat(s.world.clock)
    hosted = {k.key for k in s.world.entities(scheduling.MeetingType) if k.host == kind.host}
    taken = {b.start[:10] for b in s.world.entities(scheduling.Booking) if b.meeting_type in hosted}
    while days > 0:
        day += timedelta(days=1)
        days -= day.astimezone(zone).weekday() < 5 and day.strftime("%Y-%m-%d") not in taken
    local = day.astimezone(zone).replace(hour=hour, minute=0, second=0, microsecond=0)
    return local.astimezone(ZoneInfo("UTC")).strftime("%Y-%m-%dT%H:%M:%SZ")


def plays(s: Stage) -> None:
    p = s.provider
    kind = s.first(scheduling.MeetingType, lambda k: k.active and k.hours == "13:00-16:00")
    s.reads(p.list_event_types(), kind.name)
    first, second = _open(s, kind, 14, 1), _open(s, kind, 15, 2)
    day = first[:10]
    s.reads(p.list_open_times(s.ref(kind), f"{day}T00:00:00Z", f"{day}T23:59:59Z"), first[:16])
    coming = s.first(scheduling.Booking, lambda b: b.status == "active" and b.start > s.world.clock)
    s.reads(p.list_bookings(), s.ref(coming))
    s.reads(p.get_booking(s.ref(coming)), coming.invitee_email)

    s.run(p.create_booking(s.ref(kind), first, "Dana Field", "dana@elsewhere.example"))
    made = s.one(scheduling.Booking, lambda b: b.invitee_email == "dana@elsewhere.example")
    assert matches({"instant": first}, made.start)
    assert (made.status, made.invitee_name, made.meeting_type) == ("active", "Dana Field", s.ref(kind))
    # Booked time is no longer offered.
    assert first[:16] not in str(s.run(p.list_open_times(s.ref(kind), f"{day}T00:00:00Z", f"{day}T23:59:59Z")))

    if type(p).offers("reschedule_booking"):
        s.run(p.reschedule_booking(made.id, second))
        made = s.one(scheduling.Booking, lambda b: b.invitee_email == "dana@elsewhere.example" and b.status == "active")
        assert matches({"instant": second}, made.start)

    s.run(p.cancel_booking(made.id, "No longer needed"))
    gone = s.one(scheduling.Booking, lambda b: b.id == made.id)
    assert (gone.status, gone.reason) == ("canceled", "No longer needed")

    if type(p).offers("mark_no_show"):
        past = s.first(scheduling.Booking, lambda b: b.status == "active" and not b.no_show and b.start < s.world.clock)
        s.run(p.mark_no_show(s.ref(past)))
        assert s.one(scheduling.Booking, lambda b: b.id == s.ref(past)).no_show
