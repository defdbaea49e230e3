"""What a fresh account has: options of its lists, types of time off with policies, file categories, reports, applicant statuses."""

import re
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from .fields import LISTS
from .models import Account, FileCategory, Holiday, ListOption, Report, TimeOffPolicy, TimeOffType
from .models_more import ApplicantStatus

SINCE = "2019-04-01T09:00:00+00:00"
VACATION, SICK, PARENTAL, UNPAID = 78, 79, 80, 81
_TYPES: tuple[tuple[Any, ...], ...] = (
    (VACATION, "Vacation", "56afdd", "palm-trees", "Vacation Full-Time", "accruing", 25.0),
    (SICK, "Sick", "e68a8a", "first-aid-kit", "Sick Full-Time", "accruing", 10.0),
    (PARENTAL, "Parental Leave", "b28add", "baby-bottle", "Parental Leave", "manual", 0.0),
    (UNPAID, "Unpaid Leave", "a3a3a3", "hourglass", "Unpaid Leave", "discretionary", 0.0),
)
_REPORTS: tuple[tuple[str, tuple[str, ...], str | None], ...] = (
    ("Contact List", ("firstName", "lastName", "workEmail", "workPhone", "mobilePhone"), "Active"),
    (
        "Job and Pay",
        ("employeeNumber", "firstName", "lastName", "jobTitle", "department", "payRate", "payPer"),
        "Active",
    ),
    ("Birthdays", ("firstName", "lastName", "birthday"), "Active"),
    (
        "Hires and Departures",
        ("firstName", "lastName", "hireDate", "employmentHistoryStatus", "terminationDate", "status"),
        None,
    ),
)
_PIPELINE: tuple[tuple[str, str, Any], ...] = (
    ("New", "NEW", "NEW"),
    ("Reviewed", "REVIEWED", "ACTIVE"),
    ("Schedule Phone Screen", "SCHEDULE_PHONE_SCREEN", "ACTIVE"),
    ("Phone Screened", "PHONE_SCREENED", "ACTIVE"),
    ("Schedule Interview", "SCHEDULE_INTERVIEW", "ACTIVE"),
    ("Interviewed", "INTERVIEWED", "ACTIVE"),
    ("Put on Hold", "PUT_ON_HOLD", "ACTIVE"),
    ("Checking References", "CHECKING_REFERENCES", "ACTIVE"),
    ("Offer Sent", "OFFER_SENT", "ACTIVE"),
    ("Not a Fit", "NOT_A_FIT", "INACTIVE"),
    ("Declined Offer", "DECLINED_OFFER", "INACTIVE"),
    ("Not Qualified", "NOT_QUALIFIED", "INACTIVE"),
    ("Over Qualified", "OVER_QUALIFIED", "INACTIVE"),
    ("Hired Elsewhere", "HIRED_ELSEWHERE", "INACTIVE"),
    ("Hired", "HIRED", "HIRED"),
)
_SECTIONS: tuple[tuple[Any, tuple[str, ...]], ...] = (
    ("employee", ("Resumes and Applications", "Signed Documents", "Performance", "Other")),
    ("company", ("Company Policies", "Forms", "Benefits")),
)


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    domain = re.sub(r"[^a-z0-9]+", "", organisation.name.lower()) or "company"
    ctx.db.add(
        Account(
            id=1, domain=domain, name=organisation.name, currency=organisation.currency, timezone=organisation.time_zone
        )
    )
    for spec in LISTS.values():
        for name in spec.options:
            ctx.db.add(
                ListOption(id=ctx.sequence("list_option", start=18201), fieldId=spec.id, name=name, createdDate=SINCE)
            )
    for n, (key, name, color, icon, policy, kind, annual) in enumerate(_TYPES):
        ctx.db.add(TimeOffType(id=key, name=name, units="days", color=color, icon=icon))
        ctx.db.add(TimeOffPolicy(id=n + 21, timeOffTypeId=key, name=policy, type=kind, annual=annual))
    year = ctx.now.year
    for n, (name, day) in enumerate(
        (
            ("New Year's Day", f"{year}-01-01"),
            ("Christmas Day", f"{year}-12-25"),
            ("New Year's Day", f"{year + 1}-01-01"),
        )
    ):
        ctx.db.add(Holiday(id=n + 301, name=name, start=day, end=day))
    for owner, names in _SECTIONS:
        for name in names:
            ctx.db.add(FileCategory(id=ctx.sequence("file_category", start=11), name=name, owner=owner))
    for name, fields, status in _REPORTS:
        ctx.db.add(Report(id=ctx.sequence("report", start=101), name=name, fields=list(fields), status=status))
    for name, code, group in _PIPELINE:
        key = ctx.sequence("applicant_status", start=1)
        ctx.db.add(ApplicantStatus(id=key, code=code, name=name, group=group, manageable=code not in ("NEW", "HIRED")))
