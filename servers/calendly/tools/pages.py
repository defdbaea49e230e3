"""The pages that the API's links lead to: booking through a single-use link, and an invitee's own cancelling and rescheduling.

These addresses are calendly.com's (`booking_url`, `cancel_url`, `reschedule_url`), where people go; the API has no such calls, so
neither has the MCP face.
"""

from typing import Any

from legoenv_mcp.app import Ctx

from .. import booking, errors, feeds, resources, uris
from ..app import app
from ..availability import Offer, offer_of
from ..inputs import Answer, ChosenLocation, Long, Moment, Person
from ..models import EventType, Invitee, ScheduledEvent, SchedulingLink

Json = dict[str, Any]


def _opened(ctx: Ctx, code: str) -> tuple[EventType, SchedulingLink | None, Offer, list[Json]]:
    """What a link offers: a single-use link's event type with its changes, or a one-off type."""
    link = ctx.db.get(SchedulingLink, code)
    kind = ctx.require(EventType, link.event_type) if link else ctx.db.first(EventType, link=code)
    if kind is None:
        raise errors.not_found()
    used = (
        link.booked >= link.max_event_count
        if link
        else ctx.db.count(ScheduledEvent, event_type=kind.uuid, status="active") > 0
    )
    if used or not kind.active:
        raise errors.denied("This scheduling link is no longer valid")
    override = (link.override if link else None) or {}
    return kind, link, offer_of(kind, override), override.get("location_configurations") or kind.locations or []


@app.get("/d/{code}/{slug}", tool="open_scheduling_link", mcp=False)
def open_scheduling_link(ctx: Ctx, code: str, slug: str) -> Json:
    """What a single-use link offers. One that has booked its meeting offers nothing any more.

    code: The link's code.
    slug: The event type's name in addresses.
    """
    kind, _, offer, places = _opened(ctx, code)
    return {
        "resource": {
            "name": offer.name,
            "duration": offer.duration,
            "locations": places,
            "event_type": uris.uri(EventType, kind.uuid),
        }
    }


@app.post("/d/{code}/{slug}", tool="book_scheduling_link", status=201, mcp=False)
def book_scheduling_link(
    ctx: Ctx, code: str, slug: str, start_time: Moment, invitee: Person, location: ChosenLocation | None = None,
    questions_and_answers: list[Answer] | None = None,
) -> Json:  # fmt: skip
    """Books the one meeting of a single-use link.

    code: The link's code.
    slug: The event type's name in addresses.
    start_time: When it starts.
    invitee: Who books.
    location: Which of the locations.
    questions_and_answers: The invitee's answers.
    """
    kind, link, offer, places = _opened(ctx, code)
    person = booking.check_person(invitee)
    place = booking.choose_location(places, location)
    answers = booking.check_answers(kind.custom_questions, questions_and_answers or [])
    start = booking.check_start(ctx, offer, start_time)
    made = booking.add(ctx, offer, start, person, place, answers, tracking={}, guests=[])
    if link:
        ctx.db.update(link, booked=link.booked + 1)
    return {"resource": resources.invitee(ctx, made)}


@app.post("/cancellations/{uuid}", tool="cancel_as_invitee", status=201, effect="transition", mcp=False)
def cancel_as_invitee(ctx: Ctx, uuid: str, reason: Long | None = None) -> Json:
    """The invitee cancels.

    uuid: The invitee's UUID.
    reason: What the host is told.
    """
    who = ctx.require(Invitee, uuid)
    return {"resource": booking.cancel(ctx, ctx.require(ScheduledEvent, who.event), reason, who.name, "invitee")}


@app.post("/reschedulings/{uuid}", tool="reschedule_as_invitee", status=201, effect="transition", mcp=False)
def reschedule_as_invitee(ctx: Ctx, uuid: str, start_time: Moment, reason: Long | None = None) -> Json:
    """The invitee moves the meeting: the old one is canceled, and the invitee is a new one of a new meeting.

    uuid: The invitee's UUID.
    start_time: The new start.
    reason: What the host is told.
    """
    who = ctx.require(Invitee, uuid)
    event = ctx.require(ScheduledEvent, who.event)
    kind = ctx.require(EventType, event.event_type)
    place = (kind.locations or [None])[0]
    # The meeting that goes away blocks no time, hence first it is canceled.
    booking.cancel(ctx, event, reason, who.name, "invitee", moved=True)
    offer = offer_of(kind)
    start = booking.check_start(ctx, offer, start_time)
    person = {
        name: getattr(who, name) for name in ("email", "timezone", "name", "first_name", "last_name", "text_reminder_number")
    }  # fmt: skip
    made = booking.add(
        ctx, offer, start, person, place, who.questions_and_answers, tracking=who.tracking, guests=event.guests,
        old_invitee=uris.invitee_uri(who.event, who.uuid),
    )  # fmt: skip
    ctx.db.update(ctx.require(Invitee, uuid), new_invitee=uris.invitee_uri(made.event, made.uuid))
    feeds.tell_of_invitee(ctx, "invitee.canceled", ctx.require(Invitee, uuid))
    if event.location.get("type") in ("ask_invitee", "outbound_call"):
        ctx.db.update(ctx.require(ScheduledEvent, made.event), location=event.location)
    return {"resource": resources.invitee(ctx, made)}
