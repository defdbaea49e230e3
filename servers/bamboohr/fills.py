"""The world's people, employments and time off as rows."""

from datetime import date

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import hr
from legoenv_mcp.capabilities.people import Person

from .countries import COUNTRIES
from .dates import account, day
from .fields import LISTS
from .models import (
    Compensation,
    Employee,
    EmploymentStatus,
    JobInfo,
    ListOption,
    PolicyAssignment,
    TimeOffPolicy,
    TimeOffRequest,
    TimeOffType,
    User,
)
from .seed import PARENTAL, SICK, SINCE, UNPAID, VACATION
from .timeoff import spread
from .values import add_option

TYPES = {"vacation": VACATION, "sick": SICK, "parental": PARENTAL, "unpaid": UNPAID}
STATUSES = {"full_time": "Full-Time", "part_time": "Part-Time", "contractor": "Contractor"}


def _option(ctx: Ctx, list_id: int, name: str) -> str | None:
    if not name:
        return None
    known = {o.name.lower(): o.name for o in ctx.db.find(ListOption, fieldId=list_id)}
    return known.get(name.lower()) or add_option(ctx, list_id, name, SINCE).name


def person(ctx: Ctx, entity: Person) -> str:
    assert 17 in LISTS
    hired = entity.start_date
    at = (
        f"{hired}T09:00:00+00:00"
        if hired and hired < ctx.now.date().isoformat()
        else ctx.now.replace(microsecond=0).isoformat()
    )
    key = ctx.sequence("employee", start=101)
    ctx.db.add(
        Employee(
            id=key, firstName=entity.first_name, lastName=entity.last_name, workEmail=entity.email or None, workPhone=entity.phone or None,
            country=COUNTRIES.get(entity.country, entity.country) or None, hireDate=hired or None, active=entity.active, created=at,
            lastChanged=at,
        )
    )  # fmt: skip
    manager = int(ctx.ref(Person, entity.manager)) if entity.manager and ctx.has_ref(Person, entity.manager) else None
    ctx.db.add(
        JobInfo(
            id=ctx.sequence("job_info"), employeeId=key, date=hired or ctx.now.date().isoformat(), location=_option(ctx, 18, entity.city),
            department=_option(ctx, 4, entity.department), jobTitle=_option(ctx, 17, entity.title), reportsTo=manager,
        )
    )  # fmt: skip
    ctx.db.add(
        User(
            id=ctx.sequence("user", start=2401),
            employeeId=key,
            email=entity.email,
            enabled=entity.active,
            admin=entity.admin,
        )
    )
    year = f"{ctx.now.year}-01-01"
    for policy in ctx.db.find(TimeOffPolicy):
        start = max(year, hired or year) if policy.type == "accruing" else None
        ids = {"employeeId": key, "timeOffTypeId": policy.timeOffTypeId, "timeOffPolicyId": policy.id}
        ctx.db.add(PolicyAssignment(**ids, accrualStartDate=start))
    own = account(ctx)
    if entity.key == ctx.agent:
        ctx.db.update(own, agent=key)
    return str(key)


def employment(ctx: Ctx, entity: hr.Employment) -> str:
    key = int(ctx.ref(Person, entity.person))
    employee = ctx.require(Employee, key)
    hired = employee.hireDate or ctx.now.date().isoformat()
    ctx.db.update(employee, employeeNumber=str(entity.number), dateOfBirth=entity.born or None, active=True)
    ctx.db.add(
        Compensation(
            id=ctx.sequence("compensation"), employeeId=key, startDate=hired, rate=entity.pay, rateCurrency=entity.currency, type="Salary",
            paidPer="Year", exempt="Exempt", reason="New Hire",
        )
    )  # fmt: skip
    _status(ctx, key, hired, STATUSES[entity.kind])
    if entity.terminated:
        _status(ctx, key, entity.terminated, "Terminated")
        past = entity.terminated <= ctx.now.date().isoformat()
        ctx.db.update(employee, lastChanged=f"{entity.terminated}T17:00:00+00:00" if past else employee.lastChanged)
    return str(key)


def _status(ctx: Ctx, key: int, day: str, status: str) -> None:
    ctx.db.add(
        EmploymentStatus(id=ctx.sequence("employment_status"), employeeId=key, date=day, employmentStatus=status)
    )


def time_off(ctx: Ctx, entity: hr.TimeOff) -> str:
    kind = ctx.require(TimeOffType, TYPES[entity.kind])
    days = spread(ctx, kind, _day(entity.first_day), _day(entity.last_day))
    key = ctx.sequence("time_off_request", start=1301)
    created = entity.created or f"{entity.first_day}T09:00:00Z"
    user = ctx.db.first(User, employeeId=account(ctx).agent)
    ctx.db.add(
        TimeOffRequest(
            id=key, employeeId=int(ctx.ref(Person, entity.person)), timeOffTypeId=kind.id, status=entity.status, start=entity.first_day,
            end=entity.last_day, amount=sum(days.values()), dates=days, employeeNote=entity.note or None, created=created,
            lastChanged=created, lastChangedByUserId=user.id if user else None,
        )
    )  # fmt: skip
    return str(key)


def _day(text: str) -> date:
    found = day(text)
    assert found is not None
    return found
