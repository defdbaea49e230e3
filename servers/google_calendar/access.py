"""Whose calendars these are and what the caller may do with them."""

from legoenv_mcp.app import Ctx

from .app import forbidden, not_found
from .models import Account, AclRule, Calendar, CalendarListEntry

RANKS = {"none": 0, "freeBusyReader": 1, "reader": 2, "writerWithoutPrivateAccess": 3, "writer": 4, "owner": 5}


def me(ctx: Ctx) -> Account:
    """The caller's account."""
    found = ctx.db.first(Account)
    if found is None:
        raise forbidden("The user must be signed up for Google Calendar.", "notACalendarUser")
    return found


def role_of(ctx: Ctx, calendar: Calendar, account: Account) -> str:
    """The best role that the calendar's rules give the caller."""
    best = "none"
    for rule in ctx.db.find(AclRule, calendar_id=calendar.id):
        applies = (
            rule.scope_type == "default"
            or (rule.scope_type == "user" and rule.scope_value.lower() == account.email.lower())
            or (rule.scope_type == "domain" and rule.scope_value.lower() == account.domain.lower())
        )
        if applies and RANKS[rule.role] > RANKS[best]:
            best = rule.role
    return best


def roles(ctx: Ctx, account: Account) -> dict[str, str]:
    """The caller's role on every calendar at once."""
    best = dict[str, str]()
    found = ctx.db.where(
        AclRule,
        "scope_type = 'default' OR (scope_type = 'user' AND lower(scope_value) = lower(?)) "
        "OR (scope_type = 'domain' AND lower(scope_value) = lower(?))",
        (account.email, account.domain),
    )
    for rule in found:
        if RANKS[rule.role] > RANKS[best.get(rule.calendar_id, "none")]:
            best[rule.calendar_id] = rule.role
    return best


def find(ctx: Ctx, calendar_id: str) -> tuple[Calendar, str] | None:
    """The calendar of this address (or the caller's own, for `primary`) and the caller's role; None where there is none for the caller."""
    account = me(ctx)
    calendar = ctx.db.get(Calendar, account.email if calendar_id == "primary" else calendar_id)
    if calendar is None:
        calendar = ctx.db.get(Calendar, calendar_id.lower())
    if calendar is None:
        return None
    role = role_of(ctx, calendar, account)
    return None if role == "none" else (calendar, role)


def require(ctx: Ctx, calendar_id: str, needed: str = "freeBusyReader") -> tuple[Calendar, str]:
    """The calendar and the caller's role, at least this one; Calendar's refusal otherwise."""
    found = find(ctx, calendar_id)
    if found is None:
        raise not_found()
    if RANKS[found[1]] < RANKS[needed]:
        word = "owner" if needed == "owner" else "writer" if RANKS[needed] > 2 else "reader"
        raise forbidden(f"You need to have {word} access to this calendar.", "requiredAccessLevel")
    return found


def writable(ctx: Ctx, calendar_id: str) -> tuple[Calendar, str]:
    return require(ctx, calendar_id, "writerWithoutPrivateAccess")


def entry(ctx: Ctx, calendar: Calendar) -> CalendarListEntry | None:
    """The calendar on the caller's list."""
    found = ctx.db.get(CalendarListEntry, calendar.id)
    return None if found is None or found.deleted else found


def names(ctx: Ctx) -> dict[str, str]:
    """The names of the organisation's users and common calendars by address."""
    found = ctx.db.query(
        'SELECT id AS key, summary AS name FROM calendar WHERE NOT "primary" '
        "UNION ALL SELECT email, trim(first_name || ' ' || last_name) FROM person"
    )
    return {row["key"]: row["name"] for row in found}


def changed(ctx: Ctx) -> dict[str, int]:
    """The mark of a change for sync tokens; spread into a row's update."""
    return {"changed": ctx.sequence("change")}
