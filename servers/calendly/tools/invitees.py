"""Invitees and no-shows. https://developer.calendly.com/api-docs/calendly-api/scheduled-events"""

from functools import partial
from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, Field

from .. import access, booking, errors, feeds, resources, times, uris
from ..app import app, gone
from ..availability import offer_of
from ..inputs import Answer, ChosenLocation, Moment, Person, Tracking, Uri, Uuid
from ..models import EventType, Invitee, NoShow, ScheduledEvent, User
from ..paging import MANY, Count, order_by, paged

Json = dict[str, Any]
Guests = Annotated[list[str], Field(max_length=10)]


@app.get("/scheduled_events/{uuid}/invitees", tool="list_event_invitees")
def list_event_invitees(
    ctx: Ctx, uuid: Uuid, status: Literal["active", "canceled"] | None = None, email: str | None = None, sort: str | None = None,
    count: Count = MANY, page_token: str | None = None,
) -> Json:  # fmt: skip
    """Who is invited to a meeting, what they answered, and whether they came (`no_show`).

    uuid: The meeting's UUID or URI.
    status: Only active or only canceled invitees.
    email: Only the invitee of this address.
    sort: created_at:asc or created_at:desc.
    count: How many a page, at most 100.
    page_token: `next_page_token` of the page before.
    """
    found = access.check_event(ctx, uris.row_at(ctx, ScheduledEvent, uuid))
    order = order_by(sort, ("created_at",), "created_at:asc")
    return paged(
        ctx, Invitee, partial(resources.invitee, ctx), count, page_token, order, event=found.uuid, status=status,
        email=email.lower() if email else None,
    )  # fmt: skip


@app.get("/scheduled_events/{event_uuid}/invitees/{invitee_uuid}", tool="get_event_invitee")
def get_event_invitee(ctx: Ctx, event_uuid: Uuid, invitee_uuid: Uuid) -> Json:
    """One invitee of a meeting, with the addresses at which the invitee can cancel or reschedule.

    event_uuid: The meeting's UUID or URI.
    invitee_uuid: The invitee's UUID or URI.
    """
    event = access.check_event(ctx, uris.row_at(ctx, ScheduledEvent, event_uuid))
    found = ctx.require(Invitee, uris.tail(invitee_uuid))
    if found.event != event.uuid:
        raise errors.not_found()
    return {"resource": resources.invitee(ctx, found)}


@app.post("/invitees", tool="create_invitee", status=201)
def create_invitee(
    ctx: Ctx, event_type: Uri, start_time: Moment, invitee: Person, location: ChosenLocation | None = None,
    questions_and_answers: list[Answer] | None = None, tracking: Tracking | None = None, event_guests: Guests | None = None,
) -> Json:  # fmt: skip
    """Books a meeting of an event type for an invitee. The time must be one that `list_event_type_available_times` offers.

    event_type: The event type's URI.
    start_time: When it starts, in UTC as 2026-01-02T03:04:05Z.
    invitee: Who is booked: email, timezone, and name or first_name.
    location: Which of the event type's locations; needed where it has several, or one that the invitee has to name.
    questions_and_answers: Answers to the event type's questions; the required ones are needed.
    tracking: UTM parameters and the Salesforce id.
    event_guests: E-mail addresses of up to 10 guests.
    """
    kind = access.check_event_type(ctx, uris.row_of(ctx, EventType, event_type, "event_type"))
    organization = resources.organization(access.organization(ctx, _own(ctx)))
    if organization["stage"] == "free":
        raise errors.denied("Please upgrade your Calendly account to Standard or above.")
    person = booking.check_person(invitee)
    guests = [booking.check_email(g, f"event_guests[{n}]") for n, g in enumerate(event_guests or [])]
    if not kind.active or kind.deleted_at:
        raise errors.invalid(("event_type", "is not active"))
    offer = offer_of(kind)
    place = booking.choose_location(kind.locations or [], location)
    answers = booking.check_answers(kind.custom_questions, questions_and_answers or [])
    start = booking.check_start(ctx, offer, start_time)
    made = booking.add(
        ctx, offer, start, person, place, answers, tracking=tracking or {}, guests=guests, method="instant_book",
        scheduled_by=uris.uri(User, access.me(ctx).uuid),
    )  # fmt: skip
    feeds.log(ctx, "Event", "Schedule", event=uris.uri(ScheduledEvent, made.event), invitee=made.email)
    return {"resource": resources.invitee(ctx, made)}


def _own(ctx: Ctx) -> str:
    return f"{uris.API}/organizations/{access.membership(ctx).organization}"


@app.post("/invitee_no_shows", tool="create_invitee_no_show", status=201)
def create_invitee_no_show(ctx: Ctx, invitee: Uri) -> Json:
    """Marks that an invitee did not come to a meeting, once it has begun.

    invitee: The invitee's URI.
    """
    found = uris.invitee_of(ctx, invitee, "invitee")
    event = access.check_event(ctx, ctx.require(ScheduledEvent, found.event))
    if found.status == "canceled":
        raise errors.invalid(("invitee", "is canceled"))
    if times.moment(event.start_time) > ctx.now:
        raise errors.invalid(("invitee", "can not be marked as a no show before the event has started"))
    if ctx.db.first(NoShow, invitee=found.uuid):
        raise errors.invalid(("invitee", "is already marked as a no show"))
    mark = ctx.db.add(NoShow(uuid=ctx.uuid("no_show"), invitee=found.uuid, created_at=feeds.now(ctx)))
    feeds.tell_of_invitee(ctx, "invitee_no_show.created", found)
    return {"resource": resources.no_show(ctx, mark)}


def _mark(ctx: Ctx, uuid: str) -> tuple[NoShow, Invitee]:
    mark = uris.row_at(ctx, NoShow, uuid)
    who = ctx.require(Invitee, mark.invitee)
    access.check_event(ctx, ctx.require(ScheduledEvent, who.event))
    return mark, who


@app.get("/invitee_no_shows/{uuid}", tool="get_invitee_no_show")
def get_invitee_no_show(ctx: Ctx, uuid: Uuid) -> Json:
    """The mark that an invitee did not come: whose, and since when.

    uuid: The no-show's UUID or URI, which the invitee's `no_show` has.
    """
    return {"resource": resources.no_show(ctx, _mark(ctx, uuid)[0])}


@app.delete("/invitee_no_shows/{uuid}", tool="delete_invitee_no_show", status=204)
def delete_invitee_no_show(ctx: Ctx, uuid: Uuid) -> Any:
    """Takes back the mark that an invitee did not come.

    uuid: The no-show's UUID or URI, which the invitee's `no_show` has.
    """
    mark, who = _mark(ctx, uuid)
    ctx.db.delete(mark)
    feeds.tell_of_invitee(ctx, "invitee_no_show.deleted", who)
    return gone(ctx, uris.uri(NoShow, mark.uuid))
