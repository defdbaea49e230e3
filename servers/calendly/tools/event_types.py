"""Event types. https://developer.calendly.com/api-docs/calendly-api/event-types

The API makes and changes one-on-one types only, and deletes none: `active` false is the end of one.
"""

import re
from functools import partial
from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Ctx, Field

from .. import access, errors, feeds, resources, uris
from ..app import app
from ..booking import QUESTION, check_locations
from ..inputs import Color, Flag, Locale, Location, Long, Minutes, Name, Uri, Uuid
from ..models import AvailabilitySchedule, EventType, User
from ..paging import MANY, Count, listed, order_by, paged_where

Json = dict[str, Any]
Increment = Annotated[int, Field(ge=5, le=720)]
Options = Annotated[list[int], Field(max_length=4)]
Places = Annotated[list[Location], Field(max_length=20)]
BUFFERS = (0, 5, 10, 15, 30, 45, 60, 90, 120, 150, 180)
_SORTED = ("name", "position", "created_at", "updated_at")


@app.get("/event_types", tool="list_event_types")
def list_event_types(
    ctx: Ctx, user: Uri | None = None, organization: Uri | None = None, active: Flag | None = None,
    admin_managed: Flag | None = None, user_availability_schedule: Uri | None = None, sort: str | None = None, count: Count = MANY,
    page_token: str | None = None,
) -> Json:  # fmt: skip
    """Event types of a user, or for administrators of the whole organization. Either `user` or `organization` is needed.

    user: The URI of the user whose event types to list.
    organization: The organization's URI, for those of all members.
    active: Only active ones, or with false only inactive ones.
    admin_managed: Only those that administrators manage, or with false the others.
    user_availability_schedule: With `user`: only types that follow the schedule of this URI.
    sort: name, position, created_at or updated_at and a direction, as name:asc.
    count: How many a page, at most 100.
    page_token: `next_page_token` of the page before.
    """
    if not (user or organization):
        raise errors.invalid(("user", "either user or organization must be given"))
    if organization:
        access.organization(ctx, organization, manage=not user)
    condition, values = "deleted_at IS NULL AND type = 'StandardEventType'", list[Any]()
    if user:
        condition, values = condition + " AND owner = ?", [access.subject(ctx, user).uuid]
    if user_availability_schedule:
        schedule = uris.row_of(ctx, AvailabilitySchedule, user_availability_schedule, "user_availability_schedule")
        condition, values = condition + " AND owner = ? AND availability IS NULL", [*values, schedule.user]
    for column, value in (("active", active), ("admin_managed", admin_managed)):
        if value is not None:
            condition, values = condition + f" AND {column} = ?", [*values, int(value)]
    order = order_by(sort, _SORTED, "name:asc")
    return paged_where(ctx, EventType, partial(resources.event_type, ctx), count, page_token, order, condition, values)


@app.get("/event_types/{uuid}", tool="get_event_type")
def get_event_type(ctx: Ctx, uuid: Uuid) -> Json:
    """An event type whole: duration, locations, the questions that invitees are asked, and its scheduling page.

    uuid: The event type's UUID or URI.
    """
    found = access.check_event_type(ctx, uris.row_at(ctx, EventType, uuid))
    return {"resource": resources.event_type(ctx, found)}


@app.get("/event_type_memberships", tool="list_event_type_hosts")
def list_event_type_hosts(ctx: Ctx, event_type: Uri, count: Count = MANY, page_token: str | None = None) -> Json:
    """The hosts of an event type.

    event_type: The event type's URI.
    count: How many a page, at most 100.
    page_token: `next_page_token` of the page before.
    """
    found = access.check_event_type(ctx, uris.row_of(ctx, EventType, event_type, "event_type"))
    hosts = [ctx.require(User, uuid) for uuid in (found.owner, *found.co_hosts)]
    return listed(ctx, hosts, partial(_host, found.uuid), count, page_token)


def _host(event_type: str, host: User) -> Json:
    return {
        "uri": f"{uris.API}/event_type_memberships/{host.uuid}", "event_type": uris.uri(EventType, event_type),
        "member": resources.user(host), "created_at": host.created_at, "updated_at": host.updated_at,
    }  # fmt: skip


def slug_of(ctx: Ctx, owner: str, name: str) -> str:
    """The name as an address that the owner has not used."""
    base = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "meeting"
    taken = {kind.slug for kind in ctx.db.find(EventType, owner=owner)}
    return next(slug for n in range(len(taken) + 1) if (slug := f"{base}-{n}" if n else base) not in taken)


def _checked(sent: dict[str, Any], duration: int, options: list[int] | None) -> dict[str, Any]:
    """Sent fields as columns. The duration must be among the options, where there are any."""
    made = {k: v for k, v in sent.items() if v is not None}
    if "name" in made and not made["name"].strip():
        raise errors.invalid(("name", "must be filled"))
    if "duration_options" in made:
        options = sorted(set(made["duration_options"]))
        if len(options) != len(made["duration_options"]):
            raise errors.invalid(("duration_options", "must be unique"))
        if any(not 1 <= minutes <= 720 for minutes in options):
            raise errors.invalid(("duration_options", "must be between 1 and 720"))
        made["duration_options"] = options or None
    if options and made.get("duration", duration) not in options:
        raise errors.invalid(("duration", "must be one of the duration options"))
    if "locations" in made:
        made["locations"] = check_locations(made["locations"], "locations") or None
    for name in ("before_buffer", "after_buffer"):
        if made.get(name, 0) not in BUFFERS:
            raise errors.invalid((name, "must be one of: " + ", ".join(map(str, BUFFERS))))
    return made


@app.post("/event_types", tool="create_event_type", status=201)
def create_event_type(
    ctx: Ctx, owner: Uri, name: Name, duration: Minutes | MISSING = MISSING, description: Long | MISSING = MISSING,
    active: bool | MISSING = MISSING, duration_options: Options | MISSING = MISSING, locations: Places | MISSING = MISSING,
    color: Color | MISSING = MISSING, locale: Locale | MISSING = MISSING, start_time_increment: Increment | MISSING = MISSING,
    before_buffer: int | MISSING = MISSING, after_buffer: int | MISSING = MISSING,
) -> Json:  # fmt: skip
    """Makes a one-on-one event type, not active unless said. It follows the owner's default availability schedule.

    owner: URI of the user who hosts it; another than the caller only for administrators.
    name: Its name, of which the scheduling page's address is made once and for all.
    duration: Minutes, 1 to 720; 30 when left out.
    description: What invitees are told.
    active: Whether it can be booked.
    duration_options: Up to 4 durations that invitees choose from.
    locations: Where it can be held; invitees choose among several.
    color: Color of the scheduling page, as #fff200.
    locale: Language of the scheduling page.
    start_time_increment: Minutes from one start time to the next, 5 to 720; 30 when left out.
    before_buffer: Minutes kept free before: 0, 5, 10, 15, 30, 45, 60, 90, 120, 150 or 180.
    after_buffer: Minutes kept free after, of the same values.
    """
    host = access.subject(ctx, owner, "owner")
    made = _checked({k: v for k, v in ctx.sent().items() if k != "owner"}, 30, None)
    now = feeds.now(ctx)
    row = ctx.db.add(EventType(**{
        "active": False, **made, "uuid": ctx.uuid("event_type"), "owner": host.uuid, "slug": slug_of(ctx, host.uuid, name),
        "position": ctx.db.count(EventType, owner=host.uuid), "custom_questions": [QUESTION], "created_at": now,
        "updated_at": now,
    }))  # fmt: skip
    shown = resources.event_type(ctx, row)
    feeds.log(ctx, "EventType", "Create", event_type=shown["uri"], name=row.name)
    feeds.tell(ctx, "event_type.created", shown, [host.uuid])
    return {"resource": shown}


@app.patch("/event_types/{uuid}", tool="update_event_type")
def update_event_type(
    ctx: Ctx, uuid: Uuid, name: Name | MISSING = MISSING, duration: Minutes | MISSING = MISSING, description: Long | MISSING = MISSING,
    active: bool | MISSING = MISSING, duration_options: Options | MISSING = MISSING, locations: Places | MISSING = MISSING,
    color: Color | MISSING = MISSING, locale: Locale | MISSING = MISSING, start_time_increment: Increment | MISSING = MISSING,
    before_buffer: int | MISSING = MISSING, after_buffer: int | MISSING = MISSING,
) -> Json:  # fmt: skip
    """Changes the fields that are sent of a one-on-one event type. Booked meetings stay as they are.

    uuid: The event type's UUID or URI.
    name: Its name; the scheduling page's address stays.
    duration: Minutes, 1 to 720, one of the duration options where there are any.
    description: What invitees are told.
    active: Whether it can be booked.
    duration_options: Up to 4 durations that invitees choose from; none takes the choice away.
    locations: Where it can be held; replaces the present ones.
    color: Color of the scheduling page, as #fff200.
    locale: Language of the scheduling page.
    start_time_increment: Minutes from one start time to the next, 5 to 720.
    before_buffer: Minutes kept free before: 0, 5, 10, 15, 30, 45, 60, 90, 120, 150 or 180.
    after_buffer: Minutes kept free after, of the same values.
    """
    found = access.check_event_type(ctx, uris.row_at(ctx, EventType, uuid))
    if found.kind != "solo" or found.deleted_at:
        raise errors.denied("Only one-on-one event types can be updated")
    made = _checked(ctx.sent(), found.duration, found.duration_options)
    if made:
        ctx.db.update(found, **made, updated_at=feeds.now(ctx))
        shown = resources.event_type(ctx, found)
        feeds.log(ctx, "EventType", "Update", event_type=shown["uri"], fields=sorted(made))
        feeds.tell(ctx, "event_type.updated", shown, [found.owner])
    return {"resource": resources.event_type(ctx, found)}
