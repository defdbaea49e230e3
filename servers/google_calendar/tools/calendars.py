"""Calendars. https://developers.google.com/workspace/calendar/api/v3/reference/calendars"""

import re
from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Ctx, Payload, Query, Reply, ToolOnly

from .. import colors, schemas, when
from ..access import me, require
from ..app import CalendarId, app, check_match, forbidden, not_found, refuse
from ..bodies import EMAIL
from ..models import AclRule, Calendar, CalendarListEntry, Event, Person
from ..resources import calendar_json, etag
from ..schemas import answers
from ..writing import stamps

Body = Annotated[schemas.Calendar | None, Payload(mcp=False)]
Words = Annotated[str | MISSING, ToolOnly()]
_LABEL_ID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _said(ctx: Ctx, resource: schemas.Calendar | None) -> dict[str, Any]:
    if resource is not None:
        return resource.sent()
    return {k: v for k, v in ctx.sent().items() if v is not MISSING and k != "resource"}


def _columns(ctx: Ctx, body: dict[str, Any], calendar: Calendar | None, *, whole: bool) -> dict[str, Any]:
    """What a body sets of a calendar, checked."""
    made: dict[str, Any] = {}
    if "summary" in body or whole:
        if not (body.get("summary") or "").strip():
            raise refuse("Missing title.", "required")
        made["summary"] = body["summary"]
    for name in ("description", "location"):
        if name in body or whole:
            made[name] = body.get(name) or ""
    if body.get("timeZone") is not None:
        if when.zone(body["timeZone"]) is None:
            raise refuse("Invalid time zone value.")
        made["timeZone"] = body["timeZone"]
    elif whole:
        made["timeZone"] = calendar.timeZone if calendar else "UTC"
    if body.get("labelProperties") is not None:
        made["eventLabels"] = _labels(ctx, body["labelProperties"].get("eventLabels") or [])
    if body.get("workingHours"):
        if calendar is None or not calendar.primary:
            raise refuse("Working hours are only available for primary calendars.")
        made["workingHours"] = _hours(body["workingHours"])
    if body.get("autoAcceptInvitations") is not None and calendar is not None:
        made["autoAcceptInvitations"] = (
            calendar.autoAcceptInvitations
        )  # resource calendars alone can accept by themselves
    return made


def _labels(ctx: Ctx, said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    made = list[dict[str, Any]]()
    for one in said:
        if not re.fullmatch(r"#[0-9a-fA-F]{6}", one.get("backgroundColor") or "") or len(one.get("name") or "") > 50:
            raise refuse("Invalid event label.")
        label_id = one.get("id") or ctx.uuid("label")
        if not _LABEL_ID.fullmatch(label_id) or label_id in [m["id"] for m in made]:
            raise refuse("Invalid event label id.")
        made.append(
            {
                "id": label_id,
                "backgroundColor": one["backgroundColor"],
                **({"name": one["name"]} if one.get("name") else {}),
            }
        )
    if len(made) > 200:
        raise refuse("A calendar has at most 200 event labels.")
    return made


def _hours(said: dict[str, Any]) -> dict[str, Any]:
    times = said.get("availableTimes") or []
    for one in times:
        start, end = one.get("periodStart"), one.get("periodEnd")
        if one.get("dayOfWeek") not in _WEEK or start is None or end is None or not 0 <= start < end <= 1440:
            raise refuse("Invalid working hours.")
    if said.get("workingHoursEnabled") and not times:
        raise refuse("Working hours cannot be enabled without available times.")
    return {"workingHoursEnabled": bool(said.get("workingHoursEnabled")), "availableTimes": times}


@app.get("/calendar/v3/calendars/{calendarId}", tool="get_calendar")
@answers("Calendar")
def get_calendar(ctx: Ctx, calendarId: CalendarId = "primary") -> dict[str, Any]:
    """Gets a calendar: its title, description, place and time zone.

    calendarId: The calendar's id, or `primary` for one's own.
    """
    return calendar_json(require(ctx, calendarId)[0])


@app.post("/calendar/v3/calendars", tool="create_calendar")
@answers("Calendar")
def create_calendar(
    ctx: Ctx, resource: Body = None, summary: Words = MISSING, timeZone: Words = MISSING, description: Words = MISSING,
    location: Words = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a calendar that belongs to the caller, and puts it on the caller's list.

    summary: Its title.
    timeZone: Its IANA time zone, as Europe/Zurich; UTC by default.
    description: What it is for.
    location: Where its events are.
    """
    account = me(ctx)
    made = _columns(ctx, _said(ctx, resource), None, whole=True)
    calendar_id = f"c_{ctx.id('', 64, '0123456789abcdef', kind='calendar')}@group.calendar.google.com"
    calendar = ctx.db.add(Calendar(id=calendar_id, owner=account.email, **made, **stamps(ctx)))
    ctx.db.add(AclRule(
        calendar_id=calendar_id, id=f"user:{account.email}", role="owner", scope_type="user", scope_value=account.email, **stamps(ctx),
    ))  # fmt: skip
    color = colors.CALENDAR["14"]
    ctx.db.add(CalendarListEntry(
        id=calendar_id, colorId="14", backgroundColor=color["background"], foregroundColor="#000000", selected=True,
        number=ctx.sequence("entry"), **stamps(ctx),
    ))  # fmt: skip
    return calendar_json(calendar)


def _change(ctx: Ctx, calendar_id: str, body: dict[str, Any], *, whole: bool) -> dict[str, Any]:
    calendar, _ = require(ctx, calendar_id, "owner")
    check_match(ctx, etag(calendar.updated, calendar.changed))
    made = _columns(ctx, body, calendar, whole=whole)
    made = {name: value for name, value in made.items() if value != getattr(calendar, name)}
    if made:
        ctx.db.update(calendar, **made, **stamps(ctx))
    return calendar_json(calendar)


@app.patch("/calendar/v3/calendars/{calendarId}", tool="update_calendar")
@answers("Calendar")
def update_calendar(
    ctx: Ctx, calendarId: CalendarId = "primary", resource: Body = None, summary: Words = MISSING, timeZone: Words = MISSING,
    description: Words = MISSING, location: Words = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields of a calendar that are sent, for everybody who sees it. Needs owner access.

    calendarId: The calendar's id, or `primary` for one's own.
    summary: Its title.
    timeZone: Its IANA time zone.
    description: What it is for.
    location: Where its events are.
    """
    return _change(ctx, calendarId, _said(ctx, resource) if resource or not ctx.request.method else {}, whole=False)


@app.put("/calendar/v3/calendars/{calendarId}", tool="replace_calendar", mcp=False)
@answers("Calendar")
def replace_calendar(ctx: Ctx, calendarId: CalendarId, resource: Body = None) -> dict[str, Any]:
    """Writes a calendar anew: what is left out is emptied."""
    return _change(ctx, calendarId, resource.sent() if resource else {}, whole=True)


@app.delete("/calendar/v3/calendars/{calendarId}", tool="delete_calendar", status=204)
def delete_calendar(ctx: Ctx, calendarId: CalendarId) -> Reply:
    """Deletes a calendar with all its events. A primary calendar cannot be deleted, only cleared. Needs owner access; to take a
    calendar off one's own list use remove_calendar_from_list.

    calendarId: The calendar's id.
    """
    calendar, _ = require(ctx, calendarId, "owner")
    if calendar.primary:
        raise forbidden("Cannot delete primary calendar.", "cannotDeletePrimaryCalendar")
    if calendar.owner.lower() != me(ctx).email.lower():
        raise forbidden("Only the data owner of a calendar can delete it.", "forbidden")
    check_match(ctx, etag(calendar.updated, calendar.changed))
    ctx.db.delete_where(Event, calendar_id=calendar.id)
    ctx.db.delete_where(AclRule, calendar_id=calendar.id)
    if shown := ctx.db.get(CalendarListEntry, calendar.id):
        ctx.db.update(shown, deleted=True, **stamps(ctx))
    ctx.db.delete(calendar)
    return Reply(None, 204)


@app.post("/calendar/v3/calendars/{calendarId}/clear", tool="clear_calendar", effect="delete", status=204)
def clear_calendar(ctx: Ctx, calendarId: CalendarId) -> Reply:
    """Deletes all events of the primary calendar. Other calendars cannot be cleared, only deleted.

    calendarId: `primary`, or the id of one's own primary calendar.
    """
    calendar, _ = require(ctx, calendarId, "owner")
    if not calendar.primary:
        raise refuse("Cannot clear a calendar that is not a primary calendar.")
    for row in ctx.db.find(Event, calendar_id=calendar.id, deleted=False):
        ctx.db.update(row, status="cancelled", deleted=True, **stamps(ctx))
    return Reply(None, 204)


@app.post("/calendar/v3/calendars/{calendarId}/transferOwnership", tool="transfer_calendar_ownership", effect="update", mcp=False,
          status=204)  # fmt: skip
def transfer_calendar_ownership(
    ctx: Ctx, calendarId: CalendarId, newDataOwner: Annotated[str, Query()], useAdminAccess: Annotated[bool, Query()]
) -> Reply:
    """Gives a secondary calendar to another user of the organisation. Administrators only."""
    account = me(ctx)
    if not useAdminAccess:
        raise refuse("Only true is accepted for useAdminAccess.", location="useAdminAccess")
    if not account.admin:
        raise forbidden("The caller must be an administrator who may manage calendars.", "forbidden")
    calendar = ctx.db.get(Calendar, calendarId)
    if calendar is None:
        raise not_found()
    if calendar.primary:
        raise refuse("A primary calendar cannot be given to another user.")
    if not EMAIL.fullmatch(newDataOwner) or ctx.db.get(Person, newDataOwner) is None:
        raise refuse("Invalid data owner.", location="newDataOwner")
    ctx.db.update(calendar, owner=newDataOwner, **stamps(ctx))
    rule_id = f"user:{newDataOwner}"
    if rule := ctx.db.get(AclRule, (calendar.id, rule_id)):
        ctx.db.update(rule, role="owner", **stamps(ctx))
    else:
        ctx.db.add(AclRule(
            calendar_id=calendar.id, id=rule_id, role="owner", scope_type="user", scope_value=newDataOwner, **stamps(ctx),
        ))  # fmt: skip
    return Reply(None, 204)
