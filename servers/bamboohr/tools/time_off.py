"""Time off: requests and who is out. https://documentation.bamboohr.com/reference/time-off"""

from datetime import date, timedelta
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel

from legoenv_mcp.app import MISSING, Ctx, Field, Query, Reply

from ..app import Accept, app, done, located, wants_json
from ..dates import account, need_day, stamp, today
from ..employees import agent_user, name_of, the_employee
from ..errors import refuse
from ..models import Employee, Holiday, RequestStatus, TimeOffRequest, TimeOffType
from ..timeoff import LONGEST, SPELLINGS, check_days, move, shown, spread, the_type

Amount = Annotated[float, Field(ge=0, le=100_000)]
Note = Annotated[str, Field(max_length=4000)]


@app.get("/v1/time_off/requests", tool="list_time_off_requests")
def list_time_off_requests(
    ctx: Ctx, start: str, end: str, id: int | MISSING = MISSING, employeeId: int | MISSING = MISSING,
    type: Annotated[str, Field(max_length=200)] = "", status: Annotated[str, Field(max_length=200)] = "",
    action: Literal["view", "approve", "myRequests"] | MISSING = MISSING,
    excludeNote: Annotated[str | MISSING, Query(mcp=False)] = MISSING, accept: Accept = MISSING,
) -> Any:  # fmt: skip
    """Lists time off requests that touch a span of days, with status, amounts by day and notes.

    start: Requests that end on or after this day, YYYY-MM-DD.
    end: Requests that start on or before this day, YYYY-MM-DD.
    id: Only the request with this id.
    employeeId: Only those of this employee.
    type: Only these time off types, by id, separated by commas.
    status: Only these statuses, separated by commas: requested, approved, denied, canceled, superceded.
    action: `approve` for those that wait for approval, `myRequests` for one's own.
    excludeNote: Anything to leave the notes out.
    accept: `application/json` for JSON; otherwise the answer is XML.
    """
    first, last = need_day(start, "start"), need_day(end, "end")
    rows = ctx.db.find(
        TimeOffRequest,
        order="start,id",
        start__le=last.isoformat(),
        end__ge=first.isoformat(),
        id=_given(id),
        employeeId=_given(employeeId),
    )
    kinds = {t.id: t for t in ctx.db.find(TimeOffType)}
    types, statuses = ({s.strip() for s in said.split(",") if s.strip()} for said in (type, status))
    statuses = {SPELLINGS.get(s, s) for s in statuses}
    if not ctx.request.method and (strangers := sorted(statuses - set(get_args(RequestStatus)))):
        raise refuse(400, f"There is no status {strangers[0][:40]}. There are: {', '.join(get_args(RequestStatus))}")
    rows = [r for r in rows if (not types or str(r.timeOffTypeId) in types) and (not statuses or r.status in statuses)]
    if action == "approve":
        rows = [r for r in rows if r.status == "requested"]
    elif action == "myRequests":
        rows = [r for r in rows if r.employeeId == account(ctx).agent]
    employees = {e.id: e for e in ctx.db.find(Employee)}
    body = [
        shown(ctx, r, employees.get(r.employeeId), kinds[r.timeOffTypeId], notes=not isinstance(excludeNote, str))
        for r in rows
    ]
    return body if ctx.request.method else [_brief(one) for one in body]


def _given(value: Any) -> Any:
    return None if value is MISSING else value


def _brief(one: dict[str, Any]) -> dict[str, Any]:
    """A request without the list of its days where each is a whole one."""
    plain = all(amount in (0, 1, 8) for amount in one["dates"].values())
    return {
        k: v for k, v in one.items() if k != "actions" and not (k == "dates" and plain) and not (k == "notes" and not v)
    }


class NoteInput(BaseModel):
    """A note."""

    from_: Literal["employee", "manager"] = Field(alias="from", description="Whose note it is.")
    note: Note = Field(description="The note.")


class DateInput(BaseModel):
    """A day's amount."""

    ymd: str = Field(max_length=20, description="The day, YYYY-MM-DD.")
    amount: Amount = Field(description="How much of it, in the type's units.")


@app.put("/v1/employees/{employeeId}/time_off/request", tool="create_time_off_request", status=201, effect="create")
def create_time_off_request(
    ctx: Ctx, employeeId: Annotated[str, Field(max_length=20)], status: Literal["approved", "denied", "declined", "requested"], start: str,
    end: str, timeOffTypeId: int, amount: Amount | MISSING = MISSING,
    dates: Annotated[list[DateInput], Field(max_length=LONGEST)] | MISSING = MISSING,
    notes: Annotated[list[NoteInput], Field(max_length=10)] | MISSING = MISSING, previousRequest: int | MISSING = MISSING,
    accept: Accept = MISSING,
) -> Reply:  # fmt: skip
    """Makes a time off request for an employee. With the status `requested` it waits for approval.

    Without amount or dates it takes every working day from start to end as a whole one.

    employeeId: The employee's id; 0 is the employee to whom the API key belongs.
    status: `requested`, or `approved` or `denied` to record a request that was decided already.
    start: First day, YYYY-MM-DD.
    end: Last day, YYYY-MM-DD.
    timeOffTypeId: The type's id, as list_time_off_types shows it.
    amount: The total in the type's units, spread over the working days. Ignored where dates are given.
    dates: Each day's amount.
    notes: Notes from the employee or the manager.
    previousRequest: The id of a request that this one takes the place of.
    accept: `application/json` to have the request in the answer.
    """
    employee, kind = the_employee(ctx, employeeId), the_type(ctx, timeOffTypeId)
    first, last = need_day(start, "start"), need_day(end, "end")
    if last < first:
        raise refuse(400, "The end date must be on or after the start date")
    if (last - first).days >= LONGEST:
        raise refuse(400, "The request is too long")
    if isinstance(dates, list) and dates:
        days = check_days(kind, first, last, {d.ymd: d.amount for d in dates})
    else:
        days = spread(ctx, kind, first, last, amount if isinstance(amount, (int, float)) else None)
    total = round(sum(days.values()), 4)
    if total <= 0:
        raise refuse(400, "The request has no amount: there is no working day in it")
    said = {n.from_: n.note for n in notes} if isinstance(notes, list) else {}
    if isinstance(previousRequest, int):
        _supersede(ctx, employee, previousRequest)
    decided: RequestStatus = "denied" if status == "declined" else status
    made = ctx.db.add(
        TimeOffRequest(
            id=ctx.sequence("time_off_request", start=1301), employeeId=employee.id, timeOffTypeId=kind.id, status=decided,
            start=first.isoformat(), end=last.isoformat(), amount=total, dates=days, employeeNote=said.get("employee") or None,
            managerNote=said.get("manager") or None, created=stamp(ctx), lastChanged=stamp(ctx), lastChangedByUserId=agent_user(ctx),
        )
    )  # fmt: skip
    where = located(ctx, f"time_off/requests/?id={made.id}")
    if not wants_json(ctx):
        return Reply(None, 201, where)
    body = shown(ctx, made, employee, kind)
    return Reply(body if ctx.request.method else {k: v for k, v in body.items() if k != "actions"}, 201, where)


def _supersede(ctx: Ctx, employee: Employee, key: int) -> None:
    previous = ctx.db.get(TimeOffRequest, key)
    if previous is None or previous.employeeId != employee.id or previous.status not in ("requested", "approved"):
        raise refuse(400, "Invalid previous request")
    ctx.db.update(previous, status="superceded", lastChanged=stamp(ctx), lastChangedByUserId=agent_user(ctx))


@app.put("/v1/time_off/requests/{requestId}/status", tool="update_time_off_request_status", effect="transition")
def update_time_off_request_status(
    ctx: Ctx,
    requestId: int,
    status: Literal["approved", "denied", "declined", "canceled", "cancelled"],
    note: Note | MISSING = MISSING,
) -> Reply:
    """Approves, denies or cancels a time off request. A request that waits can become any of these; an approved one can be canceled.

    requestId: The request's id.
    status: `approved`, `denied` or `canceled`.
    note: A remark about the decision, kept as the manager's note.
    """
    request = ctx.db.get(TimeOffRequest, requestId)
    if request is None:
        raise refuse(404, "The time off request does not exist")
    wanted = SPELLINGS.get(status, status)
    move(request, wanted)  # pyright: ignore[reportArgumentType]
    noted = {"managerNote": note} if isinstance(note, str) and note else {}
    ctx.db.update(request, status=wanted, lastChanged=stamp(ctx), lastChangedByUserId=agent_user(ctx), **noted)
    return done(ctx, id=str(requestId), status=wanted)


@app.get("/v1/time_off/whos_out", tool="list_whos_out")
def list_whos_out(
    ctx: Ctx, start: str | MISSING = MISSING, end: str | MISSING = MISSING,
    filter: Annotated[str | MISSING, Query(mcp=False)] = MISSING, accept: Accept = MISSING,
) -> Any:  # fmt: skip
    """Lists who is out in a span of days, from approved requests, and the company's holidays, in order of their days.

    start: First day, YYYY-MM-DD; today by default.
    end: Last day, YYYY-MM-DD; 14 days after the first by default.
    filter: `off` for everybody whatever the calendar shows.
    accept: `application/json` for JSON; otherwise the answer is XML.
    """
    first = need_day(start, "start") if isinstance(start, str) and start else today(ctx)
    last = (
        need_day(end, "end")
        if isinstance(end, str) and end
        else first + timedelta(days=min(14, (date.max - first).days))
    )
    span: dict[str, Any] = {"start__le": last.isoformat(), "end__ge": first.isoformat()}
    found = [
        {
            "id": r.id,
            "type": "timeOff",
            "employeeId": r.employeeId,
            "name": name_of(ctx.db.get(Employee, r.employeeId)),
            "start": r.start,
            "end": r.end,
        }
        for r in ctx.db.find(TimeOffRequest, status="approved", **span)
    ]
    found += [
        {"id": h.id, "type": "holiday", "name": h.name, "start": h.start, "end": h.end}
        for h in ctx.db.find(Holiday, **span)
    ]
    return sorted(found, key=lambda one: (one["start"], one["end"], one["type"], one["id"]))
