"""When an event type can be booked: its hosts' hours in their time zone, less what they have already, within its booking window."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, cast
from zoneinfo import ZoneInfo

from legoenv_mcp.app import Ctx

from . import times
from .models import AvailabilitySchedule, EventType, ScheduledEvent, User

_DAY = timedelta(days=1)
_STEP = 30
"""Minutes between start times where the event type says nothing."""

DEFAULT_RULES = [
    {"type": "wday", "wday": day, "intervals": [{"from": "09:00", "to": "17:00"}] if n < 5 else []}
    for n, day in enumerate(times.WEEKDAYS)
]


@dataclass(frozen=True, slots=True)
class Offer:
    """What is bookable: an event type, or what a share makes of it. `own` are the rules that stand in for the owner's schedule."""

    event_type: EventType
    name: str
    duration: int
    hosts: tuple[str, ...]
    own: tuple[str, Sequence[Mapping[str, Any]]] | None
    period: str
    first: str | None
    last: str | None
    ahead: int


def offer_of(event_type: EventType, override: Mapping[str, Any] | None = None) -> Offer:
    """What an event type offers, with a share's changes."""
    own = event_type.availability
    made = Offer(
        event_type, event_type.name, event_type.duration, (event_type.owner, *event_type.co_hosts),
        (own["timezone"], own["rules"]) if own else None,
        event_type.period_type, event_type.start_date, event_type.end_date, event_type.max_booking_time,
    )  # fmt: skip
    if not override:
        return made
    rule = override.get("availability_rule")
    return replace(
        made,
        name=override.get("name") or made.name,
        duration=override.get("duration") or made.duration,
        own=(rule["timezone"], rule["rules"]) if rule else made.own,
        period=override.get("period_type") or made.period,
        first=override.get("start_date") or made.first,
        last=override.get("end_date") or made.last,
        ahead=override.get("max_booking_time") or made.ahead,
    )


def default_schedule(ctx: Ctx, user: str) -> AvailabilitySchedule:
    found = ctx.db.first(AvailabilitySchedule, user=user, default=True)
    assert found is not None
    return found


def schedule_of(ctx: Ctx, offer: Offer, host: str) -> tuple[str, Sequence[Mapping[str, Any]]]:
    """The time zone and the rules that bind a host."""
    if offer.own is not None and host == offer.hosts[0]:
        return offer.own
    found = default_schedule(ctx, host)
    return found.timezone, cast(list[Mapping[str, Any]], found.rules)


def open_starts(ctx: Ctx, offer: Offer, start: datetime, end: datetime) -> list[datetime]:
    """The times from `start` on and before `end` at which a meeting can start."""
    event_type = offer.event_type
    if not event_type.active or event_type.deleted_at or _spent(ctx, event_type):
        return []
    low, high = _window(ctx, offer)
    low, high = max(low, start), min(high, end)
    if low >= high:
        return []
    length = timedelta(minutes=offer.duration)
    if event_type.period_type == "spots":
        found = set(_spots(event_type, length))
    else:
        step = timedelta(minutes=event_type.start_time_increment or _STEP)
        found = set[datetime]()
        for number, host in enumerate(offer.hosts):
            zone, rules = schedule_of(ctx, offer, host)
            starts = set(_starts(times.known_zone(zone), rules, low, high, length, step))
            found = starts if number == 0 else found & starts
    taken = _taken(ctx, offer.hosts, low - 2 * _DAY, high + 2 * _DAY)
    before, after = timedelta(minutes=event_type.before_buffer), timedelta(minutes=event_type.after_buffer)
    return sorted(s for s in found if low <= s < high and _free(s, s + length, before, after, taken))


def _spent(ctx: Ctx, event_type: EventType) -> bool:
    """Whether a one-off has its meeting."""
    return (
        event_type.type == "AdhocEventType"
        and ctx.db.count(ScheduledEvent, event_type=event_type.uuid, status="active") > 0
    )


def _window(ctx: Ctx, offer: Offer) -> tuple[datetime, datetime]:
    """From when until when one may book: after the notice, and within the period."""
    zone_name = offer.event_type.timezone or schedule_of(ctx, offer, offer.hosts[0])[0]
    zone, now = times.known_zone(zone_name), ctx.now
    low = now + timedelta(minutes=offer.event_type.notice)
    if offer.period == "moving":
        return low, _midnight(zone, (now + timedelta(minutes=offer.ahead)).astimezone(zone).date() + _DAY)
    if offer.period == "available_moving":
        return low, _midnight(zone, _working_day(now.astimezone(zone).date(), offer.ahead // 1440) + _DAY)
    if offer.period == "fixed" and offer.first and offer.last:
        first, last = date.fromisoformat(offer.first), date.fromisoformat(offer.last)
        return max(low, _midnight(zone, first)), _midnight(zone, last + _DAY)
    return low, datetime(2200, 1, 1, tzinfo=UTC)


def _midnight(zone: ZoneInfo, day: date) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)


def _working_day(day: date, ahead: int) -> date:
    """The day that many working days on."""
    while ahead > 0:
        day += _DAY
        ahead -= day.weekday() < 5
    return day


def intervals_on(rules: Sequence[Mapping[str, Any]], day: date) -> list[Mapping[str, str]]:
    """The hours of a day: a rule for the date stands in for those of its weekday."""
    dated = [r for r in rules if r["type"] == "date" and r["date"] == day.isoformat()]
    chosen = dated or [r for r in rules if r["type"] == "wday" and r["wday"] == times.WEEKDAYS[day.weekday()]]
    return [interval for rule in chosen for interval in rule["intervals"]]


def _starts(
    zone: ZoneInfo, rules: Sequence[Mapping[str, Any]], low: datetime, high: datetime, length: timedelta, step: timedelta
) -> Iterable[datetime]:  # fmt: skip
    """Start times within the hours. Days are local and steps are of real time, as clocks go forward and back between them."""
    day, last = low.astimezone(zone).date() - _DAY, high.astimezone(zone).date() + _DAY
    while day <= last:
        for interval in intervals_on(rules, day):
            start, end = _local(zone, day, interval["from"]), _local(zone, day, interval["to"])
            while start + length <= end:
                yield start
                start += step
        day += _DAY


def _local(zone: ZoneInfo, day: date, clock: str) -> datetime:
    """A local time of day as a moment; one that the clocks skip is as much later."""
    minute = times.minutes(clock)
    shown = datetime.combine(day, time(), zone) + timedelta(minutes=minute)
    return shown.astimezone(UTC)


def _spots(event_type: EventType, length: timedelta) -> Iterable[datetime]:
    for spot in event_type.spots:
        start, end = times.moment(spot["start_time"]), times.moment(spot["end_time"])
        while start + length <= end:
            yield start
            start += length


@dataclass(frozen=True, slots=True)
class _Taken:
    start: datetime
    end: datetime
    buffered_start: datetime
    buffered_end: datetime


def meetings(ctx: Ctx, hosts: Sequence[str], low: datetime, high: datetime) -> list[ScheduledEvent]:
    """Active meetings of any of the hosts that touch a span with their buffers."""
    some = ", ".join("?" * len(hosts))
    condition = (
        "status = 'active' AND buffered_start_time < ? AND buffered_end_time > ? "
        f"AND EXISTS (SELECT 1 FROM json_each(hosts) WHERE value IN ({some}))"
    )
    return ctx.db.where(ScheduledEvent, condition, [times.stamp(high), times.stamp(low), *hosts], order="start_time")


def _taken(ctx: Ctx, hosts: Sequence[str], low: datetime, high: datetime) -> list[_Taken]:
    m = times.moment
    return [
        _Taken(m(e.start_time), m(e.end_time), m(e.buffered_start_time), m(e.buffered_end_time))
        for e in meetings(ctx, hosts, low, high)
    ]


def _free(start: datetime, end: datetime, before: timedelta, after: timedelta, taken: Iterable[_Taken]) -> bool:
    """Whether a meeting fits: neither it may run into others' buffers, nor its buffers into others."""
    return not any(
        (start - before < other.end and end + after > other.start)
        or (start < other.buffered_end and end > other.buffered_start)
        for other in taken
    )


def host_names(ctx: Ctx, hosts: Sequence[str]) -> list[User]:
    return [ctx.require(User, host) for host in hosts]
