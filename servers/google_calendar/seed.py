"""What a fresh account has: its user's primary calendar and the settings."""

from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from . import models
from .colors import CALENDAR
from .models import Account, AclRule, Calendar, CalendarListEntry, Setting

_SETTINGS = {
    "autoAddHangouts": "false", "dateFieldOrder": "DMY", "defaultEventLength": "60", "format24HourTime": "true", "hideInvitations": "false",
    "hideWeekends": "false", "locale": "en", "remindOnRespondedEventsOnly": "false", "showDeclinedEvents": "true",
    "useKeyboardShortcuts": "true", "weekStart": "1",
}  # fmt: skip
_POPUP = {"method": "popup", "minutes": 10}
_MAILS = ("eventCreation", "eventChange", "eventCancellation")


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    domain = organisation.domain or agent.email.rpartition("@")[2]
    ctx.db.add(Account(email=agent.email, name=agent.name, domain=domain, admin=agent.admin))
    calendar = primary(ctx, agent, domain)
    listed(ctx, calendar)
    for name, value in {**_SETTINGS, "timezone": agent.time_zone}.items():
        ctx.db.add(Setting(id=name, value=value))


def marks(ctx: Ctx) -> dict[str, Any]:
    return {"updated": ctx.timestamp("milliseconds"), "changed": ctx.sequence("change")}


def primary(ctx: Ctx, person: Person, domain: str) -> Calendar:
    """A user with the calendar that every user has; the organisation sees when it is busy."""
    kept = person.model_dump(exclude={"key", "id", "email", "first_name", "last_name", "time_zone", "active"})
    ctx.db.add(models.Person(
        email=person.email, first_name=person.first_name, last_name=person.last_name, time_zone=person.time_zone, active=person.active,
        profile=kept,
    ))  # fmt: skip
    made = ctx.db.add(Calendar(
        id=person.email, owner=person.email, primary=True, summary=person.email, timeZone=person.time_zone, **marks(ctx),
    ))  # fmt: skip
    share(ctx, made, "user", person.email, "owner")
    share(ctx, made, "domain", domain, "freeBusyReader")
    return made


def share(ctx: Ctx, calendar: Calendar, kind: Any, value: str, role: Any) -> None:
    if ctx.db.get(AclRule, (calendar.id, f"{kind}:{value}")) is None:
        ctx.db.add(AclRule(
            calendar_id=calendar.id, id=f"{kind}:{value}", scope_type=kind, scope_value=value, role=role, **marks(ctx),
        ))  # fmt: skip


def listed(ctx: Ctx, calendar: Calendar) -> None:
    """Puts a calendar on the caller's list."""
    if ctx.db.get(CalendarListEntry, calendar.id) is not None:
        return
    own = ctx.db.count(Account, email=calendar.id) > 0
    number = ctx.sequence("entry")
    color = str((number * 5 + 9) % 24 + 1)
    ctx.db.add(CalendarListEntry(
        id=calendar.id, number=number, selected=own, colorId=color, backgroundColor=CALENDAR[color]["background"],
        foregroundColor="#000000", defaultReminders=[_POPUP] if own else [],
        notifications=[{"type": kind, "method": "email"} for kind in _MAILS] if own else [], **marks(ctx),
    ))  # fmt: skip
