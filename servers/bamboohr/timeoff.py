"""Time off: what a request takes, where it may go from a status, and balances. https://documentation.bamboohr.com/reference/time-off

Balances are calculated: what accrued by a day, less the days of approved requests up to it, plus adjustments.
"""

from collections.abc import Iterable
from datetime import date
from typing import Any

from legoenv_mcp.app import Ctx

from .dates import days_between, local_day
from .employees import name_of
from .errors import refuse
from .models import (
    Employee,
    Holiday,
    PolicyAssignment,
    RequestStatus,
    TimeOffHistory,
    TimeOffPolicy,
    TimeOffRequest,
    TimeOffType,
)

WORKDAY_HOURS = 8
LONGEST = 1096
SPELLINGS: dict[str, RequestStatus] = {"declined": "denied", "cancelled": "canceled"}
_NEXT: dict[RequestStatus, tuple[RequestStatus, ...]] = {
    "requested": ("approved", "denied", "canceled"), "approved": ("canceled",), "denied": (), "canceled": (), "superceded": (),
}  # fmt: skip
"""Where a request may go from a status."""


def the_type(ctx: Ctx, key: int) -> TimeOffType:
    found = ctx.db.get(TimeOffType, key)
    if found is None:
        raise refuse(400, "Invalid time off type")
    return found


def a_day(kind: TimeOffType) -> float:
    return WORKDAY_HOURS if kind.units == "hours" else 1


def working_days(ctx: Ctx, days: Iterable[date]) -> set[str]:
    """Mondays to Fridays that are no company holidays."""
    free = {
        d.isoformat()
        for h in ctx.db.find(Holiday)
        for d in days_between(date.fromisoformat(h.start), date.fromisoformat(h.end))
    }
    return {d.isoformat() for d in days if d.weekday() < 5 and d.isoformat() not in free}


def spread(ctx: Ctx, kind: TimeOffType, first: date, last: date, amount: float | None = None) -> dict[str, float]:
    """Each day's amount: a whole day for working days, or a total spread over them."""
    days = days_between(first, last)
    working = working_days(ctx, days) or ({d.isoformat() for d in days} if amount else set[str]())
    each = a_day(kind) if amount is None else round(amount / len(working), 4) if working else 0
    return {d.isoformat(): each if d.isoformat() in working else 0 for d in days}


def check_days(kind: TimeOffType, first: date, last: date, given: dict[str, float]) -> dict[str, float]:
    """The amounts that a caller gives for each day, with nothing on the days that were left out."""
    days = [d.isoformat() for d in days_between(first, last)]
    most = 24 if kind.units == "hours" else 1
    for ymd, amount in given.items():
        if ymd not in days:
            raise refuse(400, f"The date {ymd[:20]} is not between start and end")
        if not 0 <= amount <= most:
            raise refuse(400, f"The amount of {ymd} must be from 0 to {most} {kind.units}")
    return {ymd: given.get(ymd, 0) for ymd in days}


def move(request: TimeOffRequest, status: RequestStatus) -> None:
    """Refuses a change of status that there is not."""
    if status not in _NEXT[request.status]:
        raise refuse(403, f"A request that is {request.status} cannot be {status}")


def shown(
    ctx: Ctx, request: TimeOffRequest, employee: Employee | None, kind: TimeOffType, *, notes: bool = True
) -> dict[str, Any]:
    """A request as lists show it."""
    open_ = request.status == "requested"
    said = {"employee": request.employeeNote, "manager": request.managerNote}
    return {
        "id": request.id, "employeeId": request.employeeId, "name": name_of(employee),
        "status": {
            "lastChanged": local_day(ctx, request.lastChanged),
            "lastChangedByUserId": request.lastChangedByUserId,
            "status": request.status,
        },
        "start": request.start, "end": request.end, "created": local_day(ctx, request.created),
        "type": {"id": kind.id, "name": kind.name, "icon": kind.icon},
        "amount": {"unit": kind.units, "amount": number(request.amount)},
        "actions": {
            "view": True, "edit": open_, "cancel": open_ or request.status == "approved", "approve": open_, "deny": open_, "bypass": open_,
        },
        "dates": {ymd: number(amount) for ymd, amount in request.dates.items()},
        **({"notes": {who: text for who, text in said.items() if text}} if notes else {}),
    }  # fmt: skip


def number(amount: float) -> float:
    """An amount, whole where it can be."""
    return int(amount) if amount == int(amount) else round(amount, 4)


# Balances


def _firsts(start: date, end: date) -> int:
    """How many firsts of a month lie between two days, both included."""
    first = start.year * 12 + start.month + (start.day > 1)
    return max(0, end.year * 12 + end.month - first + 1)


def accrued(policy: TimeOffPolicy, assigned: PolicyAssignment, end: date) -> float:
    if policy.type != "accruing" or not assigned.accrualStartDate:
        return 0
    return policy.annual / 12 * _firsts(date.fromisoformat(assigned.accrualStartDate), end)


def used(ctx: Ctx, employee: int, kind: int, since: str, end: date) -> float:
    """Approved days, on the days for which they were approved unless the history has the request on another."""
    history = {
        h.timeOffRequestId: h
        for h in ctx.db.find(TimeOffHistory, employeeId=employee, timeOffTypeId=kind, eventType="used")
    }
    total, until = 0.0, end.isoformat()
    for request in ctx.db.find(TimeOffRequest, employeeId=employee, timeOffTypeId=kind, status="approved"):
        moved = history.get(request.id)
        days = {moved.date: moved.amount} if moved else request.dates
        total += sum(amount for ymd, amount in days.items() if since <= ymd <= until)
    return total


def adjusted(ctx: Ctx, employee: int, kind: int, since: str, end: date) -> float:
    found = ctx.db.find(
        TimeOffHistory,
        employeeId=employee,
        timeOffTypeId=kind,
        eventType="override",
        date__ge=since,
        date__le=end.isoformat(),
    )
    return sum(h.amount for h in found)


def balances(ctx: Ctx, employee: Employee, end: date, precision: int) -> list[dict[str, str]]:
    """The balance of each type of which the employee has a policy."""
    found = list[dict[str, str]]()
    for assigned in ctx.db.find(PolicyAssignment, employeeId=employee.id):
        policy, kind = (
            ctx.require(TimeOffPolicy, assigned.timeOffPolicyId),
            ctx.require(TimeOffType, assigned.timeOffTypeId),
        )
        since = assigned.accrualStartDate or ""
        balance = 0.0
        if policy.type != "discretionary":
            taken = used(ctx, employee.id, kind.id, since, end)
            balance = accrued(policy, assigned, end) + adjusted(ctx, employee.id, kind.id, since, end) - taken
        year = used(ctx, employee.id, kind.id, f"{end.year:04}-01-01", end)
        found.append({
            "timeOffType": str(kind.id), "name": kind.name, "units": kind.units, "balance": rounded(balance, precision),
            "end": end.isoformat(), "policyType": policy.type, "usedYearToDate": rounded(year, precision),
        })  # fmt: skip
    return found


def rounded(amount: float, precision: int) -> str:
    return f"{round(amount + 1e-9, precision) + 0:.{precision}f}"


def discretionary(ctx: Ctx, employee: int, kind: int) -> bool:
    """Whether the type is one that the employee may take without a balance. Refuses a type of which there is no policy."""
    assigned = ctx.db.get(PolicyAssignment, (employee, kind))
    if assigned is None:
        raise refuse(400, "The employee has no policy for this time off type")
    return ctx.require(TimeOffPolicy, assigned.timeOffPolicyId).type == "discretionary"
