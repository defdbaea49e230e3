"""Timesheets: clocked and entered hours. https://documentation.bamboohr.com/reference/time-tracking"""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel

from legoenv_mcp.app import MISSING, ApiError, Ctx, Field, Reply

from ..app import app, done
from ..dates import account, day, stamp, today
from ..errors import problem
from ..models import Employee
from ..models_more import TimesheetEntry

Note = Annotated[str, Field(max_length=2000)]
Text = Annotated[str, Field(max_length=60)]
Ids = Annotated[list[int], Field(min_length=1, max_length=1000)]


def _bad(detail: str) -> ApiError:
    return problem(400, "Bad Request", detail)


def _employee(ctx: Ctx, key: int) -> Employee:
    found = ctx.db.get(Employee, key or account(ctx).agent or 0)
    if found is None:
        raise problem(404, "Not Found", "The employee was not found")
    return found


def _date(text: Any, name: str) -> date:
    found = day(text)
    if found is None:
        raise _bad(f"{name} must be a date in YYYY-MM-DD format")
    return found


def _zone(ctx: Ctx, name: Any) -> ZoneInfo:
    try:
        return ZoneInfo(name if isinstance(name, str) else account(ctx).timezone)
    except (ValueError, OSError, LookupError):
        raise _bad("timezone is not a valid time zone") from None


def _shown(row: TimesheetEntry) -> dict[str, Any]:
    return {
        "id": row.id, "employeeId": row.employeeId, "type": row.type, "date": row.date, "start": row.start, "end": row.end,
        "timezone": row.timezone, "hours": row.hours, "note": row.note, "projectInfo": None,
    }  # fmt: skip


@app.get("/v1/time_tracking/timesheet_entries", tool="list_timesheet_entries")
def list_timesheet_entries(
    ctx: Ctx, start: str, end: str, employeeIds: Annotated[str, Field(max_length=4000)] = ""
) -> Any:
    """Lists the hours that employees have clocked or entered in a span of days of the last year.

    start: First day, YYYY-MM-DD.
    end: Last day, YYYY-MM-DD.
    employeeIds: Only those of these employees, by id, separated by commas.
    """
    first, last = _date(start, "start"), _date(end, "end")
    if last < first or (today(ctx) - first).days > 365 or (last - first).days > 365:
        raise _bad("start and end must be within the last 365 days, in this order")
    ids = [i.strip() for i in employeeIds.split(",") if i.strip()]
    if any(not re.fullmatch(r"[0-9]{1,18}", i) for i in ids):
        raise _bad("employeeIds is malformed")
    rows = ctx.db.find(
        TimesheetEntry, order="employeeId,date,id", date__ge=first.isoformat(), date__le=last.isoformat(),
        employeeId__in=[int(i) for i in ids] if ids else None,
    )  # fmt: skip
    more = {"approvedAt": None}
    return [
        {**_shown(r), **more, "approved": r.approved, "createdAt": r.createdAt, "updatedAt": r.updatedAt} for r in rows
    ]


def _moment(ctx: Ctx, date_: Any, clock: Any, timezone: Any, name: str) -> tuple[datetime, ZoneInfo]:
    """The time that is meant: now, or a time of a day in a time zone, all of which must then be given."""
    zone = _zone(ctx, timezone)
    given = [v for v in (date_, clock, timezone) if isinstance(v, str)]
    if not given:
        return ctx.now.replace(microsecond=0), zone
    if len(given) < 3:
        raise _bad(f"date, {name} and timezone must be given together")
    found = re.fullmatch(r"([01]\d|2[0-3]):([0-5]\d)", str(clock))
    if not found:
        raise _bad(f"{name} must be a time in HH:MM format")
    on = _date(date_, "date")
    if not 1 < on.year < 9999:
        raise _bad("date is out of range")
    return datetime.combine(on, time(int(found[1]), int(found[2])), zone), zone


def _utc(when: datetime) -> str:
    return when.astimezone(UTC).isoformat(timespec="seconds")


def _open(ctx: Ctx, employee: int) -> TimesheetEntry | None:
    return next((r for r in ctx.db.find(TimesheetEntry, employeeId=employee, type="clock", end__null=True)), None)


@app.post("/v1/time_tracking/employees/{employeeId}/clock_in", tool="create_timesheet_clock_in_entry", mcp=False)
def create_timesheet_clock_in_entry(
    ctx: Ctx, employeeId: int, note: Note | None | MISSING = MISSING, date: Text | None | MISSING = MISSING,
    start: Text | None | MISSING = MISSING, timezone: Text | None | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Clocks an employee in, now or at a time of a day.

    employeeId: The employee's id.
    note: A remark.
    date: The day, YYYY-MM-DD, for a time other than now.
    start: The time, HH:MM.
    timezone: The time's zone, such as `Europe/London`.
    """
    employee = _employee(ctx, employeeId)
    if _open(ctx, employee.id):
        raise problem(409, "Conflict", "The employee is already clocked in")
    at, zone = _moment(ctx, date, start, timezone, "start")
    made = ctx.db.add(
        TimesheetEntry(
            id=ctx.sequence("timesheet_entry", start=901),
            employeeId=employee.id,
            type="clock",
            date=at.astimezone(zone).date().isoformat(),
            start=_utc(at),
            timezone=zone.key,
            note=note if isinstance(note, str) else None,
            createdAt=stamp(ctx),
            updatedAt=stamp(ctx),
        )
    )
    return _shown(made)


@app.post(
    "/v1/time_tracking/employees/{employeeId}/clock_out",
    tool="create_timesheet_clock_out_entry",
    mcp=False,
    effect="transition",
)
def create_timesheet_clock_out_entry(
    ctx: Ctx,
    employeeId: int,
    date: Text | MISSING = MISSING,
    end: Text | MISSING = MISSING,
    timezone: Text | MISSING = MISSING,
) -> dict[str, Any]:
    """Clocks an employee out who is clocked in, now or at a time of a day.

    employeeId: The employee's id.
    date: The day, YYYY-MM-DD, for a time other than now.
    end: The time, HH:MM.
    timezone: The time's zone, such as `Europe/London`.
    """
    row = _open(ctx, _employee(ctx, employeeId).id)
    if row is None:
        raise problem(409, "Conflict", "The employee is not clocked in")
    at, _ = _moment(ctx, date, end, timezone, "end")
    began = ctx.parse_time(row.start or "")
    if at < began:
        raise _bad("The clock out must be after the clock in")
    if at - began > timedelta(days=2):
        raise _bad("An entry cannot span more than two days")
    ctx.db.update(row, end=_utc(at), hours=round((at - began).total_seconds() / 3600, 2), updatedAt=stamp(ctx))
    return _shown(row)


class HoursInput(BaseModel):
    """Hours of a day."""

    employeeId: int | MISSING = Field(default=MISSING, description="The employee's id.")
    date: Text | MISSING = Field(default=MISSING, description="The day, YYYY-MM-DD.")
    hours: Annotated[float, Field(ge=0, le=24)] | MISSING = Field(default=MISSING, description="How many hours.")
    id: int | MISSING = Field(default=MISSING, description="The entry to change; leave it out to add one.")
    note: Note | MISSING = Field(default=MISSING, description="A remark.")


@app.post("/v1/time_tracking/hour_entries/store", tool="create_or_update_timesheet_hour_entries", status=201)
def create_or_update_timesheet_hour_entries(
    ctx: Ctx, hours: Annotated[list[HoursInput], Field(min_length=1, max_length=200)]
) -> Any:
    """Adds hours that employees worked on days, or changes entries by id. All of them are taken, or none.

    hours: The entries.
    """
    return [_store(ctx, one) for one in hours]


def _store(ctx: Ctx, one: HoursInput) -> dict[str, Any]:
    given = one.model_dump(exclude_unset=True, exclude={"id"})
    if "date" in given:
        _date(given["date"], "date")
    if "employeeId" in given:
        given["employeeId"] = _employee(ctx, given["employeeId"]).id
    if isinstance(one.id, int):
        row = ctx.db.get(TimesheetEntry, one.id)
        if row is None:
            raise problem(404, "Not Found", f"The timesheet entry {one.id} was not found")
        if row.type != "hour":
            raise problem(409, "Conflict", "The entry is not an hour entry")
        if row.approved:
            raise problem(403, "Forbidden", "The timesheet is approved already")
        return _shown(ctx.db.update(row, **given, updatedAt=stamp(ctx)))
    if missing := [n for n in ("employeeId", "date", "hours") if n not in given]:
        raise _bad(f"{missing[0]} is required")
    key = ctx.sequence("timesheet_entry", start=901)
    return _shown(ctx.db.add(TimesheetEntry(id=key, type="hour", createdAt=stamp(ctx), updatedAt=stamp(ctx), **given)))


@app.post(
    "/v1/time_tracking/hour_entries/delete",
    tool="delete_timesheet_hour_entries",
    mcp=False,
    status=204,
    effect="delete",
)
def delete_timesheet_hour_entries(ctx: Ctx, hourEntryIds: Ids) -> Reply:
    """Deletes hour entries; those that are gone already do not matter.

    hourEntryIds: The entries' ids.
    """
    return _delete(ctx, hourEntryIds, "hour")


@app.post(
    "/v1/time_tracking/clock_entries/delete",
    tool="delete_timesheet_clock_entries",
    status=204,
    effect="delete",
    mcp=False,
)
def delete_timesheet_clock_entries(ctx: Ctx, clockEntryIds: Ids) -> Reply:
    """Deletes clock entries; those that are gone already do not matter.

    clockEntryIds: The entries' ids.
    """
    return _delete(ctx, clockEntryIds, "clock")


def _delete(ctx: Ctx, ids: list[int], kind: str) -> Reply:
    gone = list[int]()
    for key in dict.fromkeys(ids):
        row = ctx.db.get(TimesheetEntry, key)
        if row is None:
            continue
        if row.type != kind or (kind == "clock" and row.end is None):
            raise problem(
                409,
                "Conflict",
                f"The entry {key} is still clocked in" if row.type == kind else f"The entry {key} is no {kind} entry",
            )
        if row.approved:
            raise problem(403, "Forbidden", "The timesheet is approved already")
        ctx.db.delete(row)
        gone.append(key)
    return done(ctx, 204, deleted=gone)
