"""The caller's list of calendars. https://developers.google.com/workspace/calendar/api/v3/reference/calendarList"""

import re
from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field, Payload, Query, Reply, ToolOnly

from .. import colors, listing, schemas
from ..access import RANKS, entry, find, me, roles
from ..app import app, check_match, forbidden, not_found, refuse
from ..bodies import reminder
from ..models import Calendar, CalendarListEntry
from ..resources import list_entry_json, list_etag
from ..schemas import answers
from ..toolwords import Reminder
from ..writing import stamps

Body = Annotated[schemas.CalendarListEntry | None, Payload(mcp=False)]
Rgb = Annotated[bool | None, Query(mcp=False)]
Words = Annotated[str | MISSING, ToolOnly()]
Yes = Annotated[bool | MISSING, ToolOnly()]
Most = Annotated[int, Field(ge=1, le=2**31 - 1)] | None
Role = Literal["freeBusyReader", "owner", "reader", "writer", "writerWithoutPrivateAccess"]
_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_NOTIFICATIONS = ("eventCreation", "eventChange", "eventCancellation", "eventResponse", "agenda")


def _show(ctx: Ctx, row: CalendarListEntry) -> dict[str, Any]:
    found = find(ctx, row.id)
    calendar, role = found or (None, "none")
    return list_entry_json(row, calendar, role, row.id == me(ctx).email)


@app.get("/calendar/v3/users/me/calendarList", tool="list_calendars")
@answers("CalendarList")
def list_calendars(
    ctx: Ctx, minAccessRole: Role | None = None, showHidden: bool | None = None, showDeleted: bool | None = None,
    maxResults: Most = None, pageToken: str | None = None, syncToken: Annotated[str | None, Query(mcp=False)] = None,
    showOwnOrganizationOnly: Annotated[bool | None, Query(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the calendars on the caller's list: their ids, titles, time zones and what the caller may do with each (accessRole).
    Calendars of colleagues that are not listed can still be asked for by their address, to see when they are busy.

    minAccessRole: Only calendars with at least this access: freeBusyReader, reader, writerWithoutPrivateAccess, writer or owner.
    showHidden: Whether hidden ones are listed too.
    showDeleted: Whether ones taken off the list are listed too.
    maxResults: How many to list (100 by default, at most 250).
    pageToken: The nextPageToken of the page before.
    """
    account = me(ctx)
    scope = listing.scope_of("calendarList", minAccessRole, showHidden)
    known = listing.since(ctx, syncToken, scope)
    if known is not None and minAccessRole is not None:
        raise refuse("minAccessRole cannot be used together with a sync token.", "badRequest", location="minAccessRole")
    every, held = roles(ctx, account), {c.id: c for c in ctx.db.find(Calendar)}
    rows = list[CalendarListEntry]()
    for row in ctx.db.find(CalendarListEntry, order="number"):
        gone = row.deleted or row.id not in held or row.id not in every
        if gone and not (showDeleted or known is not None):
            continue
        if known is not None and max(row.changed, held[row.id].changed if row.id in held else 0) <= known:
            continue
        if row.hidden and not showHidden and not gone and known is None:
            continue
        if minAccessRole and RANKS[every.get(row.id, "none")] < RANKS[minAccessRole]:
            continue
        if showOwnOrganizationOnly and not gone and not _ours(held[row.id], account.domain):
            continue
        rows.append(row)
    tool = not ctx.request.method

    def show(row: CalendarListEntry) -> dict[str, Any]:
        role = every.get(row.id, "none")
        whole = list_entry_json(row, held.get(row.id) if role != "none" else None, role, row.id == account.email)
        keep = (
            "id",
            "summary",
            "summaryOverride",
            "description",
            "timeZone",
            "accessRole",
            "primary",
            "hidden",
            "deleted",
            "dataOwner",
        )
        return {name: whole[name] for name in keep if name in whole} if tool else whole

    made = listing.page(ctx, rows, min(maxResults or 100, 250), pageToken, scope, show)
    if tool:
        return {name: made[name] for name in ("nextPageToken", "items") if name in made}
    return {"kind": "calendar#calendarList", "etag": list_etag([(r.id, r.changed) for r in rows]), **made}


def _ours(calendar: Calendar, domain: str) -> bool:
    return calendar.owner.lower().endswith(f"@{domain.lower()}")


def _require(ctx: Ctx, calendar_id: str) -> CalendarListEntry:
    found = find(ctx, calendar_id)
    row = entry(ctx, found[0]) if found else None
    if row is None:
        raise not_found()
    return row


@app.get("/calendar/v3/users/me/calendarList/{calendarId}", tool="get_calendar_list_entry")
@answers("CalendarListEntry")
def get_calendar_list_entry(ctx: Ctx, calendarId: str = "primary") -> dict[str, Any]:
    """Gets a calendar as it is on the caller's list: access, colours, default reminders, notifications.

    calendarId: The calendar's id, or `primary` for one's own.
    """
    return _show(ctx, _require(ctx, calendarId))


def _columns(body: dict[str, Any], rgb: bool | None, *, whole: bool) -> dict[str, Any]:
    """What a body sets of a list entry, checked."""
    made: dict[str, Any] = {name: bool(body.get(name)) for name in ("hidden", "selected") if name in body or whole}
    if "summaryOverride" in body or whole:
        made["summaryOverride"] = body.get("summaryOverride") or None
    if "defaultReminders" in body or whole:
        made["defaultReminders"] = [reminder(r) for r in body.get("defaultReminders") or []]
        if len(made["defaultReminders"]) > 5:
            raise refuse("A calendar has at most 5 default reminders.")
    if "notificationSettings" in body or whole:
        said = (body.get("notificationSettings") or {}).get("notifications") or []
        if any(n.get("method") != "email" or n.get("type") not in _NOTIFICATIONS for n in said):
            raise refuse("Invalid notification settings.")
        made["notifications"] = said
    if rgb and (body.get("backgroundColor") or body.get("foregroundColor")):
        back, fore = body.get("backgroundColor"), body.get("foregroundColor")
        if not back or not fore or not _COLOR.fullmatch(back) or not _COLOR.fullmatch(fore):
            raise refuse("Invalid calendar color.")
        made |= {"backgroundColor": back.lower(), "foregroundColor": fore.lower(), "colorId": colors.nearest(back)}
    elif body.get("colorId") is not None:
        if body["colorId"] not in colors.CALENDAR:
            raise refuse("Invalid color id value.")
        color = colors.CALENDAR[body["colorId"]]["background"]
        made |= {"colorId": body["colorId"], "backgroundColor": color, "foregroundColor": "#000000"}
    return made


@app.post("/calendar/v3/users/me/calendarList", tool="add_calendar_to_list")
@answers("CalendarListEntry")
def add_calendar_to_list(
    ctx: Ctx,
    resource: Body = None,
    calendarId: Annotated[str | MISSING, ToolOnly()] = MISSING,
    colorRgbFormat: Rgb = None,
) -> dict[str, Any]:
    """Puts an existing calendar on the caller's list, as a colleague's by its address.

    calendarId: The calendar's id.
    """
    body = resource.sent() if resource else {}
    wanted = body.get("id") or (calendarId if isinstance(calendarId, str) else None)
    if not wanted:
        raise refuse("Missing calendar id.", "required")
    found = find(ctx, wanted)
    if found is None:
        raise not_found()
    calendar, made = found[0], _columns(body, colorRgbFormat, whole=False)
    row = ctx.db.get(CalendarListEntry, calendar.id)
    if row is None:
        row = ctx.db.add(
            CalendarListEntry(id=calendar.id, number=ctx.sequence("entry"), **{"selected": True, **made}, **stamps(ctx))
        )
    elif made or row.deleted:
        ctx.db.update(row, **{"deleted": False, **made}, **stamps(ctx))
    return _show(ctx, row)


def _change(ctx: Ctx, calendar_id: str, made: dict[str, Any]) -> dict[str, Any]:
    row = _require(ctx, calendar_id)
    check_match(ctx, _show(ctx, row)["etag"])
    if row.id == me(ctx).email and made.get("hidden"):
        raise forbidden("Cannot hide the own primary calendar.", "cannotChangeOwnPrimarySubscription")
    made = {name: value for name, value in made.items() if value != getattr(row, name)}
    if made:
        ctx.db.update(row, **made, **stamps(ctx))
    return _show(ctx, row)


@app.patch("/calendar/v3/users/me/calendarList/{calendarId}", tool="update_calendar_list_entry")
@answers("CalendarListEntry")
def update_calendar_list_entry(
    ctx: Ctx, calendarId: str, resource: Body = None, summaryOverride: Words = MISSING, colorId: Words = MISSING, hidden: Yes = MISSING,
    selected: Yes = MISSING, defaultReminders: Annotated[list[Reminder] | MISSING, ToolOnly()] = MISSING, colorRgbFormat: Rgb = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes how a calendar is shown to the caller alone: the fields that are sent.

    calendarId: The calendar's id, or `primary` for one's own.
    summaryOverride: The caller's own name for it; empty for the calendar's title.
    colorId: A colour of the calendar palette, 1 to 24.
    hidden: Whether it is hidden from the list.
    selected: Whether its events are shown.
    defaultReminders: The reminders of its events that have none of their own.
    """
    said = {k: v for k, v in ctx.sent().items() if v is not MISSING and k not in ("resource", "colorRgbFormat")}
    body = resource.sent() if resource is not None else {} if ctx.request.method else said
    return _change(ctx, calendarId, _columns(body, colorRgbFormat, whole=False))


@app.put("/calendar/v3/users/me/calendarList/{calendarId}", tool="replace_calendar_list_entry", mcp=False)
@answers("CalendarListEntry")
def replace_calendar_list_entry(
    ctx: Ctx, calendarId: str, resource: Body = None, colorRgbFormat: Rgb = None
) -> dict[str, Any]:
    """Writes an entry of the list anew: what is left out is back at its default."""
    return _change(ctx, calendarId, _columns(resource.sent() if resource else {}, colorRgbFormat, whole=True))


@app.delete("/calendar/v3/users/me/calendarList/{calendarId}", tool="remove_calendar_from_list", status=204)
def remove_calendar_from_list(ctx: Ctx, calendarId: str) -> Reply:
    """Takes a calendar off the caller's list. The calendar itself and its events stay.

    calendarId: The calendar's id.
    """
    row = _require(ctx, calendarId)
    if row.id == me(ctx).email:
        raise forbidden("Cannot remove the own primary calendar.", "cannotChangeOwnPrimarySubscription")
    check_match(ctx, _show(ctx, row)["etag"])
    ctx.db.update(row, deleted=True, **stamps(ctx))
    return Reply(None, 204)
