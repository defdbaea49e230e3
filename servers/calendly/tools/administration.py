"""For administrators of an Enterprise account: the activity log, and requests to delete data.

https://developer.calendly.com/api-docs/calendly-api/activity-log and /data-compliance
"""

import json
from datetime import timedelta
from functools import partial
from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, Field

from .. import access, errors, feeds, log_query, resources, times, uris
from ..app import app
from ..booking import check_email
from ..inputs import Moment, Uri
from ..models import ActivityLogEntry, DeletionRequest, Organization, User
from ..paging import MANY, listed

Json = dict[str, Any]
Order = Literal[
    "action:asc", "action:desc", "actor.display_name:asc", "actor.display_name:desc", "actor.uri:asc", "actor.uri:desc",
    "namespace:asc", "namespace:desc", "occurred_at:asc", "occurred_at:desc",
]  # fmt: skip
Words = Annotated[list[str], Field(max_length=50)]


def _enterprise(ctx: Ctx, found: Organization) -> Organization:
    if found.plan != "enterprise":
        raise errors.denied("Please upgrade your Calendly account to Enterprise.")
    return found


@app.get("/activity_log_entries", tool="list_activity_log_entries")
def list_activity_log_entries(
    ctx: Ctx, organization: Uri, search_term: Annotated[str, Field(max_length=300)] | None = None, actor: Words | None = None,
    namespace: Words | None = None, action: Words | None = None, min_occurred_at: Moment | None = None,
    max_occurred_at: Moment | None = None, sort: list[Order] | None = None, count: Annotated[int, Field(ge=1, le=1000)] = MANY,
    page_token: str | None = None,
) -> Json:  # fmt: skip
    """What was done in the organization, newest first, for administrators of Enterprise accounts.

    organization: The organization's URI.
    search_term: Words; | or, + and, - not, "a phrase", * a word's beginning, brackets.
    actor: URIs of those who did it.
    namespace: Only what was done to these: Event, EventType, OrganizationInvitation, User.
    action: Only these actions, as Cancel, Create, Schedule.
    min_occurred_at: From when on, in UTC.
    max_occurred_at: Until when, in UTC.
    sort: Fields and directions, as occurred_at:desc.
    count: How many a page, at most 1000.
    page_token: `next_page_token` of the page before.
    """
    owner = _enterprise(ctx, access.organization(ctx, organization))
    if not access.rules_all(ctx):
        raise errors.denied()
    low = times.stamp(times.instant(min_occurred_at, "min_occurred_at")) if min_occurred_at else None
    high = times.stamp(times.instant(max_occurred_at, "max_occurred_at")) if max_occurred_at else None
    actors = [uris.key_of(User, one, "actor") for one in actor] if actor else None
    rows = ctx.db.find(
        ActivityLogEntry, occurred_at__ge=low, occurred_at__le=high, actor__in=actors, namespace__in=namespace or None,
        action__in=action or None,
    )  # fmt: skip
    if search_term:
        test = log_query.compiled(search_term)
        rows = [row for row in rows if test(_text(ctx, row))]
    for order in reversed(sort or ["occurred_at:desc"]):
        field, _, direction = order.partition(":")
        rows.sort(key=partial(_key, ctx, field), reverse=direction == "desc")
    page = listed(ctx, rows, lambda row: resources.log_entry(ctx, row, owner.uuid), count, page_token)
    return {
        **page,
        "total_count": len(rows),
        "exceeds_max_total_count": False,
        "last_event_time": max((r.occurred_at for r in rows), default=None),
    }


def _key(ctx: Ctx, field: str, row: ActivityLogEntry) -> str:
    match field:
        case "actor.display_name":
            return ctx.require(User, row.actor).name
        case "actor.uri":
            return row.actor
        case _:
            return str(getattr(row, field))


def _text(ctx: Ctx, row: ActivityLogEntry) -> str:
    """What the search looks into."""
    who = ctx.require(User, row.actor)
    told = json.dumps(list(row.details.values()), ensure_ascii=False)
    return f"{row.namespace}.{row.action} {row.namespace} {row.action} {who.name} {who.email} {told}".lower()


@app.post("/data_compliance/deletion/invitees", tool="delete_invitee_data", status=202, effect="delete", mcp=False)
def delete_invitee_data(ctx: Ctx, emails: Annotated[list[str], Field(min_length=1, max_length=500)]) -> Json:
    """Asks for the deletion of what is known of invitees. Calendly does it within seven days.

    emails: The invitees' addresses.
    """
    _may_delete(ctx)
    kept = [check_email(one, f"emails[{n}]") for n, one in enumerate(emails)]
    ctx.db.add(DeletionRequest(uuid=ctx.uuid("deletion"), emails=kept, created_at=feeds.now(ctx)))
    return {}


@app.post(
    "/data_compliance/deletion/events", tool="delete_scheduled_event_data", status=202, effect="delete", mcp=False
)
def delete_scheduled_event_data(ctx: Ctx, start_time: Moment, end_time: Moment) -> Json:
    """Asks for the deletion of past meetings of a span of at most 24 months. Calendly does it within seven days.

    start_time: From when on, in UTC.
    end_time: Until when, in UTC.
    """
    _may_delete(ctx)
    start, end = times.instant(start_time, "start_time"), times.instant(end_time, "end_time")
    if end <= start:
        raise errors.invalid(("end_time", "must be after start_time"))
    if end > ctx.now:
        raise errors.invalid(("end_time", "must be in the past"))
    if end - start > timedelta(days=731):
        raise errors.invalid(("end_time", "time range can be no greater than 24 months"))
    ctx.db.add(
        DeletionRequest(
            uuid=ctx.uuid("deletion"), start_time=times.stamp(start), end_time=times.stamp(end), created_at=feeds.now(ctx)
        )
    )  # fmt: skip
    return {}


def _may_delete(ctx: Ctx) -> None:
    mine = access.membership(ctx)
    if mine.role == "user":
        raise errors.denied(
            "You must be an admin/owner with the data requests permission enabled to use this resource."
        )
    _enterprise(ctx, ctx.require(Organization, mine.organization))
