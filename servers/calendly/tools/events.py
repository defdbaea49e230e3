"""Scheduled events, which people call meetings. https://developer.calendly.com/api-docs/calendly-api/scheduled-events"""

from functools import partial
from typing import Any, Literal

from legoenv_mcp.app import Ctx

from .. import access, booking, errors, feeds, resources, times, uris
from ..app import app
from ..inputs import Long, Moment, Uri, Uuid
from ..models import Group, GroupRelationship, Membership, ScheduledEvent
from ..paging import MANY, Count, order_by, paged_where

Json = dict[str, Any]
_HOSTED = "EXISTS (SELECT 1 FROM json_each(hosts) WHERE value IN ({}))"
_BOOKED_BY = "EXISTS (SELECT 1 FROM invitee WHERE invitee.event = scheduledevent.uuid AND invitee.email = ?)"


def _hosts(ctx: Ctx, user: str | None, organization: str | None, group: str | None) -> list[str] | None:
    """Whose meetings are asked for, where the caller may see them; None is everybody's."""
    if not (user or organization or group):
        raise errors.invalid(("user", "either user, organization or group must be given"))
    mine = access.me(ctx).uuid
    if organization:
        access.organization(ctx, organization)
        if not user and not access.rules_all(ctx):
            raise errors.denied(errors.NO_PERMISSION)
    if group:
        found = uris.row_of(ctx, Group, group, "group")
        if not access.rules_all(ctx):
            raise errors.denied(errors.NO_PERMISSION)
        members = [r.membership for r in ctx.db.find(GroupRelationship, group=found.uuid)]
        hosts = [m.user for m in ctx.db.find(Membership, uuid__in=members)]
        return [h for h in hosts if h == access.member(ctx, user).uuid] if user else hosts
    if not user:
        return None
    asked = access.member(ctx, user).uuid
    if asked != mine:
        if not organization:
            raise errors.denied(
                "Please also specify organization when requesting events for a user within your organization."
            )
        if not access.rules_all(ctx):
            raise errors.denied(errors.NO_PERMISSION)
    return [asked]


@app.get("/scheduled_events", tool="list_events")
def list_events(
    ctx: Ctx, user: Uri | None = None, organization: Uri | None = None, group: Uri | None = None, invitee_email: str | None = None,
    status: Literal["active", "canceled"] | None = None, min_start_time: Moment | None = None, max_start_time: Moment | None = None,
    sort: str | None = None, count: Count = MANY, page_token: str | None = None,
) -> Json:  # fmt: skip
    """Scheduled meetings. `user` alone lists the caller's own; with `organization` too, another user's; `organization` alone, all.

    Who is invited is told by `list_event_invitees`.

    user: URI of the host.
    organization: The organization's URI, for administrators.
    group: URI of a group whose members host, for administrators.
    invitee_email: Only meetings booked by this address.
    status: Only active or only canceled meetings.
    min_start_time: Only meetings that start at or after this time, in UTC.
    max_start_time: Only meetings that start at or before this time, in UTC.
    sort: start_time:asc or start_time:desc.
    count: How many a page, at most 100.
    page_token: `next_page_token` of the page before.
    """
    terms, values = list[str](["1"]), list[Any]()
    hosts = _hosts(ctx, user, organization, group)
    if hosts is not None:
        terms.append(_HOSTED.format(", ".join("?" * len(hosts))))
        values += hosts
    if status:
        terms.append("status = ?")
        values.append(status)
    if invitee_email:
        terms.append(_BOOKED_BY)
        values.append(invitee_email.lower())
    for sign, name, text in ((">=", "min_start_time", min_start_time), ("<=", "max_start_time", max_start_time)):
        if text:
            terms.append(f"start_time {sign} ?")
            values.append(times.stamp(times.instant(text, name)))
    order = order_by(sort, ("start_time",), "start_time:asc")
    return paged_where(
        ctx, ScheduledEvent, partial(resources.event, ctx), count, page_token, order, " AND ".join(terms), values
    )


@app.get("/scheduled_events/{uuid}", tool="get_event")
def get_event(ctx: Ctx, uuid: Uuid) -> Json:
    """One meeting: when, where, of which event type, who hosts it, how many are invited, and why it was canceled.

    uuid: The meeting's UUID or URI.
    """
    found = access.check_event(ctx, uris.row_at(ctx, ScheduledEvent, uuid))
    return {"resource": resources.event(ctx, found)}


@app.post("/scheduled_events/{uuid}/cancellation", tool="cancel_event", status=201, effect="transition")
def cancel_event(ctx: Ctx, uuid: Uuid, reason: Long | None = None) -> Json:
    """Cancels a coming meeting for everybody and tells the invitees. It can not be taken back, nor done twice.

    uuid: The meeting's UUID or URI.
    reason: What the invitees are told.
    """
    found = access.check_event(ctx, uris.row_at(ctx, ScheduledEvent, uuid), "You are not allowed to cancel this event")
    told = booking.cancel(ctx, found, reason, access.me(ctx).name, "host")
    feeds.log(ctx, "Event", "Cancel", event=uris.uri(ScheduledEvent, found.uuid), reason=reason)
    return {"resource": told}
