"""Who calls, what they may see, and finding things by the gids, addresses and words that callers name them by."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from typing import Any, TypeVar

from legoenv_mcp.app import DIGITS, ApiError, Ctx, Row
from legoenv_mcp.capabilities.people import Person

from .app import bad, forbidden, unknown_in_path
from .models import (
    Membership,
    Project,
    Section,
    Task,
    TaskProject,
    TeamMembership,
    User,
    Workspace,
    WorkspaceMembership,
)

R = TypeVar("R", bound=Row)
STEP = 1024.0
_MOST_DIGITS = 30
_WORDS = {
    "CustomField": "custom_field", "StatusUpdate": "status_update", "TimeEntry": "time_tracking_entry", "Comment": "story",
    "UserTaskList": "user_task_list", "TeamMembership": "team_membership", "WorkspaceMembership": "workspace_membership",
}  # fmt: skip


def new_gid(ctx: Ctx) -> str:
    """All kinds of objects share one space of ids."""
    return ctx.id("12", 14, DIGITS, kind="gid")


def story_number(ctx: Ctx) -> int:
    """What one call tells has one time; the number keeps its order."""
    return ctx.sequence("story")


def now(ctx: Ctx) -> str:
    return ctx.timestamp("milliseconds")


def today(ctx: Ctx) -> str:
    return ctx.now.date().isoformat()


def is_gid(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS


def word(cls: type[Any]) -> str:
    """What Asana calls a resource in its refusals."""
    return _WORDS.get(cls.__name__, cls.__name__.lower())


def get(ctx: Ctx, cls: type[R], gid: str, name: str = "") -> R:
    """The object that a path names."""
    name = name or word(cls)
    if not is_gid(gid):
        raise bad(f"{name}: Not a recognized ID: {gid[:100]}")
    row = ctx.db.get(cls, gid)
    if row is None:
        raise unknown_in_path(name, gid)
    return row


def named(ctx: Ctx, cls: type[R], gid: str, field: str) -> R:
    """The object that a field of the body or the query names."""
    if not is_gid(gid):
        raise bad(f"{field}: Not a recognized ID: {gid[:100]}")
    row = ctx.db.get(cls, gid)
    if row is None:
        raise bad(f"{field}: Unknown object: {gid}")
    return row


def sequence_of(ctx: Ctx, cls: type[R], gids: Iterable[str], field: str) -> list[R]:
    return [named(ctx, cls, gid, f"{field}: [{n}]") for n, gid in enumerate(dict.fromkeys(gids))]


# People


def me(ctx: Ctx) -> User:
    return ctx.require(User, ctx.ref(Person, ctx.agent))


def workspace(ctx: Ctx) -> Workspace:
    """The one that the token's user is in."""
    found = ctx.db.first(Workspace)
    assert found is not None
    return found


def in_workspace(ctx: Ctx, gid: str, field: str = "workspace") -> Workspace:
    return named(ctx, Workspace, gid, field)


def active(ctx: Ctx, user: User) -> bool:
    member = ctx.db.first(WorkspaceMembership, user=user.gid)
    return member is not None and member.is_active


def person_or_none(ctx: Ctx, text: str) -> User | None:
    """A user by gid, address or "me"."""
    text = text.strip()
    if text == "me":
        return me(ctx)
    if is_gid(text):
        return ctx.db.get(User, text)
    return ctx.db.first(User, email=text.lower()) if "@" in text else None


def person(ctx: Ctx, text: str, field: str) -> User:
    """A user of the workspace that a field names."""
    told = text.strip()
    if told != "me" and not is_gid(told) and "@" not in told[1:]:
        raise bad(f'{field}: Not an email, GID, or "me": {told[:100]}')
    found = person_or_none(ctx, told)
    if found is None or not active(ctx, found):
        raise bad(f"{field}: Not a user in Organization: {told[:100]}")
    return found


def person_in_path(ctx: Ctx, text: str) -> User:
    found = person_or_none(ctx, text)
    if found is None:
        raise unknown_in_path("user", text[:100]) if is_gid(text) else bad(f"user: Not a recognized ID: {text[:100]}")
    return found


def people(ctx: Ctx, texts: str | Sequence[str], field: str) -> list[str]:
    """Gids of users given as a list, or as one text with commas."""
    parts = texts.split(",") if isinstance(texts, str) else texts
    told = [part for part in parts if part.strip()]
    if not told:
        raise bad(f"{field}: Missing input")
    return list(dict.fromkeys(person(ctx, part, f"{field}: [{n}]").gid for n, part in enumerate(told)))


# Private things


def hidden_projects(ctx: Ctx) -> frozenset[str]:
    """Projects that the caller may not see: private ones of others, and those of teams the caller is not in."""
    caller = me(ctx).gid
    closed = ctx.db.find(Project, privacy_setting__ne="public_to_workspace")
    return frozenset(p.gid for p in closed if not _sees(ctx, caller, p))


def _sees(ctx: Ctx, caller: str, project: Project) -> bool:
    if project.owner == caller or ctx.db.first(Membership, parent=project.gid, member=caller) is not None:
        return True
    if project.privacy_setting == "private" or project.team is None:
        return False
    return ctx.db.first(TeamMembership, team=project.team, user=caller) is not None


def sees_task(ctx: Ctx, task: Task, hidden: frozenset[str]) -> bool:
    """A task is seen by who sees one of its projects, has to do with it, or sees what it is part of."""
    if not hidden:
        return True
    seen: Task | None = task
    caller = me(ctx).gid
    while seen is not None:
        if caller in (seen.assignee, seen.created_by) or caller in seen.followers:
            return True
        places = ctx.db.find(TaskProject, task=seen.gid)
        if any(p.project not in hidden for p in places) or (not places and seen.parent is None):
            return True
        seen = ctx.db.get(Task, seen.parent) if seen.parent else None
    return False


def project(ctx: Ctx, gid: str, field: str = "") -> Project:
    """A project that the caller may see, named by the path or a field."""
    row = named(ctx, Project, gid, field) if field else get(ctx, Project, gid)
    if row.privacy_setting != "public_to_workspace" and not _sees(ctx, me(ctx).gid, row):
        raise forbidden("project")
    return row


def task(ctx: Ctx, gid: str, field: str = "") -> Task:
    row = named(ctx, Task, gid, field) if field else get(ctx, Task, gid)
    if not sees_task(ctx, row, hidden_projects(ctx)):
        raise forbidden("task")
    return row


def section(ctx: Ctx, gid: str, field: str = "") -> Section:
    row = named(ctx, Section, gid, field) if field else get(ctx, Section, gid)
    if ctx.db.get(Project, row.project) is not None:
        project(ctx, row.project)
    return row


# Places in an order


def between(places: Sequence[tuple[str, float]], after: str | None, before: str | None) -> float | None:
    """A number for a place in an order of (gid, number): behind or ahead of a gid, at the start for an empty `after`, else at the end.

    None where the gid is not there.
    """
    numbers = [number for _, number in places]
    gids = [gid for gid, _ in places]
    if after == "":
        at = 0
    elif after or before:
        anchor = after or before
        if anchor not in gids:
            return None
        at = gids.index(anchor) + (1 if after else 0)
    else:
        at = len(places)
    low = numbers[at - 1] if at else (numbers[0] - 2 * STEP if numbers else 0.0)
    high = numbers[at] if at < len(numbers) else low + 2 * STEP
    return (low + high) / 2


# Dates


def day(text: str | None, field: str) -> str | None:
    """A date as Asana takes it."""
    if text is None:
        return None
    try:
        if len(text) != len("2026-01-01"):
            raise ValueError(text)
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise bad(f"{field}: Date must be in ISO-8601 (yyyy-mm-dd) format, not: {text[:100]}") from None


def moment(ctx: Ctx, text: str | None, field: str) -> str | None:
    """A moment as Asana answers it: in UTC, with milliseconds."""
    if text is None:
        return None
    try:
        found = ctx.parse_time(text)
        return spell(found)
    except (ValueError, OverflowError):
        raise bad(f"{field}: Datetime must be in ISO-8601 format, not: {text[:100]}") from None


def spell(found: datetime) -> str:
    utc = found.replace(tzinfo=None) - (found.utcoffset() or found.replace(tzinfo=None) - found.replace(tzinfo=None))
    return f"{utc.isoformat(timespec='milliseconds')}Z"


def millis(text: str) -> str:
    """A world's moment in Asana's spelling."""
    return spell(datetime.fromisoformat(text)) if text else ""


def once(*given: tuple[str, Any], refusal: Callable[[str], ApiError] = bad) -> None:
    """At most one of these may be given."""
    names = [name for name, value in given if value]
    if len(names) > 1:
        raise refusal(f"You may only provide one of {' or '.join(names)}!")
