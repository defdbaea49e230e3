"""Rows as the world's people, employments and time off."""

from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, hr
from legoenv_mcp.capabilities.people import Person

from .countries import country_code
from .fields import TABLES
from .fills import STATUSES, TYPES
from .models import Compensation, Employee, EmploymentStatus, JobInfo, User
from .tables import TERMINATED, current

_KINDS: dict[int, Any] = {number: kind for kind, number in TYPES.items()}
_EMPLOYMENTS: dict[str | None, Any] = {status: kind for kind, status in STATUSES.items()}


def view(ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
    if table == "employee":
        return _person(ctx, row)
    if table == "employment_status":
        return _employment(ctx, row)
    if table == "time_off_request" and row["status"] != "superceded" and row["timeOffTypeId"] in _KINDS:
        return hr.TimeOff(
            id=str(row["id"]),
            person=str(row["employeeId"]),
            kind=_KINDS[row["timeOffTypeId"]],
            first_day=row["start"],
            last_day=row["end"],
            status=row["status"],
            note=row["employeeNote"] or "",
            created=row["created"],
        )
    return None


def _person(ctx: Ctx, row: dict[str, Any]) -> Person:
    """Who someone is by the job in effect, or the next where none is yet."""
    key = row["id"]
    job = current(ctx, TABLES["jobInfo"], key) or ctx.db.first(JobInfo, order="date,id", employeeId=key)
    status = current(ctx, TABLES["employmentStatus"], key)
    user = ctx.db.first(User, employeeId=key)
    upcoming = ctx.db.first(EmploymentStatus, order="-date,-id", employeeId=key)
    left = any(s is not None and s.employmentStatus == TERMINATED for s in (status, upcoming))
    return Person(
        id=str(key),
        first_name=row["firstName"],
        last_name=row["lastName"],
        email=row["workEmail"] or "",
        handle="",
        title=(job.jobTitle if job else None) or "",
        department=(job.department if job else None) or "",
        manager=str(job.reportsTo) if job and job.reportsTo else "",
        phone=row["workPhone"] or "",
        city=(job.location if job else None) or "",
        country=country_code(row["country"]),
        time_zone="UTC",
        start_date=row["hireDate"] or "",
        admin=bool(user and user.admin),
        active=row["active"] and not left,
    )


def _employment(ctx: Ctx, row: dict[str, Any]) -> hr.Employment | None:
    key = row["employeeId"]
    statuses = ctx.db.find(EmploymentStatus, order="date,id", employeeId=key)
    if row["id"] != min(s.id for s in statuses):
        return None
    employee = ctx.require(Employee, key)
    pay = ctx.db.first(Compensation, order="-startDate,-id", employeeId=key)
    working = [s.employmentStatus for s in statuses if s.employmentStatus != TERMINATED]
    ended = statuses[-1].date if statuses[-1].employmentStatus == TERMINATED else ""
    number = employee.employeeNumber or ""
    return hr.Employment(
        id=str(key),
        person=str(key),
        number=int(number) if number.isascii() and number.isdigit() and len(number) < 19 else 0,
        pay=(pay.rate if pay else None) or 0,
        currency=(pay.rateCurrency if pay else None) or "USD",
        kind=_EMPLOYMENTS.get(working[-1] if working else "", "full_time"),
        born=employee.dateOfBirth or "",
        terminated=ended,
    )
